"""One seat at a table: its session, from bytes and decisions to bytes and events."""
