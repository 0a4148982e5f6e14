"""Everything that waits, prints, saves or exits."""
