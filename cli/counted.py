"""Numbers of things, as they are said."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """Return so many things in words: "1 hand", "2 hands"."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
