"""What a bot would do and why, and who gives such advice."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from p2p304.view import View


class Advice(NamedTuple):
    """What a player would do, and why, in one sentence without anything it may not know."""

    action: Any
    reason: str


class Adviser(Protocol):
    """A player of any game that can give its reasons."""

    def choose(self, view: View[Any], /) -> Any:
        """Return a legal action of the view's seat; raises ValueError when it has none."""
        ...

    def advice(self, view: View[Any], /) -> Advice:
        """Return what the player would do and why; raises ValueError when it has no choice."""
        ...
