"""Our own implementation behind the operations of the line protocol; `cli.conformance.answers`."""
