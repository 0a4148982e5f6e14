"""What a player asks of its table beside its turn, written down instead of done."""

from __future__ import annotations

from dataclasses import dataclass, field

from cli.front.player_commands import Substitute
from p2p304.seats import Seat


@dataclass
class RecordedCommands:
    """The words that were said, and with whom it was agreed to end the hand."""

    words: list[str] = field(default_factory=list)
    challenges: list[str] = field(default_factory=list)
    ends: list[tuple[Seat, ...]] = field(default_factory=list)
    substitutes: list[Substitute] = field(default_factory=list)
    rematches: list[int] = field(default_factory=list)

    async def say(self, text: str) -> None:
        """Words for the table."""
        self.words.append(text)

    async def challenge(self, text: str) -> None:
        """A sentence for the referee."""
        self.challenges.append(text)

    async def end(self, present: tuple[Seat, ...]) -> None:
        """An agreement to end the hand."""
        self.ends.append(present)

    async def substitute(self, how: Substitute) -> None:
        """A word on going on without who is waited for."""
        self.substitutes.append(how)

    async def rematch(self, seating: int) -> None:
        """A wish for another match."""
        self.rematches.append(seating)
