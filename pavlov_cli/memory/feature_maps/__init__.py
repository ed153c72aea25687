"""One file per entry of this registry; the file stem is the entry's name."""
