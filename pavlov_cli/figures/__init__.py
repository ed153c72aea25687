"""Tables as matplotlib figures; never touches live arrays."""
