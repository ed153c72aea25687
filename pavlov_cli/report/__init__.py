"""Stored tables as something to read: columns, terminal tables, answers."""
