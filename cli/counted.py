"""Numbers of things, as they are said."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """So many things: "1 hand", "2 hands"."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
