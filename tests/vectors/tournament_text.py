"""The pieces of a tournament's record, and what convicts, for the specification."""

from __future__ import annotations

from protocol.tournament.convictions import MEANINGS
from protocol.tournament.pieces import PIECES


def piece_sections() -> str:
    """Every piece: its code and fields."""
    lines: list[str] = []
    for row in PIECES.rows:
        lines += [f"### {row.name} ({row.code})", "", row.doc, "", *row.describe_fields(), ""]
    return "\n".join(lines).rstrip()


def conviction_rows() -> str:
    """What two pieces convict of, by name."""
    rows = ["| name | two pieces show that |", "| --- | --- |"]
    rows += [f"| `{name}` | {meaning} |" for name, meaning in MEANINGS.items()]
    return "\n".join(rows)
