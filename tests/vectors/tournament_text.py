"""The generated parts of the page about tournaments: what is signed, and what convicts."""

from __future__ import annotations

import dataclasses
from typing import get_args

from protocol.tournament.pieces import NO_REFEREE, PIECES, POWERS, AboutMatch, PieceContent
from protocol.tournament.record import MEANINGS
from tests.vectors.field_text import doc_of, field_lines


def piece_sections() -> str:
    """Every piece: its code and fields, without those that are told once, of all or of matches."""
    lines = ["| piece, field | type | meaning |", "| --- | --- | --- |"]
    for row in PIECES.rows:
        lines.append(f"| **{row.name}** | code {row.code} | {doc_of(row).removesuffix('.')} |")
        _, _, *fields = field_lines(row)
        common = tuple(f"| `{each.name}` |" for each in dataclasses.fields(AboutMatch))
        about = issubclass(get_args(PieceContent)[row.code - 1], AboutMatch)
        lines += [each for each in fields if not each.startswith(common[: 3 if about else 1])]
    return "\n".join(lines)


def conviction_rows() -> str:
    """What two pieces convict of, by name."""
    rows = ["| name | two pieces show that |", "| --- | --- |"]
    rows += [f"| `{name}` | {meaning} |" for name, meaning in MEANINGS.items()]
    return "\n".join(rows)


def power_items() -> str:
    """What a tournament lets whom do, as each player is told before it signs an entry."""
    return "\n".join(f"- {each}" for each in (*POWERS, NO_REFEREE))
