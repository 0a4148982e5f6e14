"""What a sitting is about, what is done to frames on their way to a program, what is seen of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from cli.conformance.cheats import Cheat
from protocol.places import Place
from protocol.wire.contents import Head, Heads
from protocol.wire.messages import Message, Notice, SignedMessage


@dataclass(frozen=True, slots=True)
class Weather:
    """Chances of loss and repetition of a frame, and how many it may be overtaken by."""

    loss: float = 0.0
    repeat: float = 0.0
    reach: int = 0


CALM: Final = Weather()


@dataclass(frozen=True, slots=True)
class Scenario:
    """One sitting: the game and its agreement, the weather, one cheat at the most, a restart."""

    suite: str
    name: str
    agreement: str = "card304-alpha"
    game: str = "304"
    weather: Weather = CALM
    cheat: Cheat | None = None
    restart_after: int | None = None
    catch_up: bool = False
    forgeries: bool = False
    """Whether the program hears, besides what is said, what nobody said: frames of noise, and
    confirmations signed by another's key."""
    seeds: int = 1
    """How many tables may be tried until the cheat, or the restart, has an occasion."""


@dataclass(slots=True)
class Observed:
    """What was seen of the program."""

    signed: dict[Any, bytes] = field(default_factory=dict)
    """The id of what it signed for each place."""
    wrong: list[str] = field(default_factory=list)
    messages: int = 0
    after_cheat: list[str] = field(default_factory=list)
    """What it signed on a history that the cheat belongs to."""
    answers: list[bytes] = field(default_factory=list)
    convicts: bool = False
    """Whether it published the message that convicts the cheat."""

    def note(self, message: SignedMessage | Notice, lie: Lie | None) -> None:
        """Note a message of the program; `lie` is what the cheat has said by then."""
        self.messages += 1
        if isinstance(message, Notice):
            if isinstance(message.content, Heads):
                self.answers.append(message.content.answer)
                if lie and any(lie.is_held_by(head) for head in message.content.heads):
                    self.after_cheat.append("its heads")
            return
        if self.signed.setdefault(message.place, message.id) != message.id:
            self.wrong.append(f"two messages for {message.place}")
        if lie and lie.is_below(message.message):
            self.after_cheat.append(f"its messages ({message.place})")


class Lie(NamedTuple):
    """Where the cheat's altered message stands."""

    place: Place

    @classmethod
    def of(cls, message: SignedMessage | Notice) -> Lie | None:
        """Return the lie that a message is; None for a notice, which stands in no round."""
        return None if isinstance(message, Notice) else cls(message.place)

    def is_held_by(self, head: Head) -> bool:
        """Tell whether whoever is at `head` has accepted the lie."""
        place = self.place
        if place.ledger != head.ledger:
            return False
        there = bool(head.present >> place.seat & 1)
        return head.closed > place.round or (head.closed == place.round and there)

    def is_below(self, message: Message) -> bool:
        """Tell whether a message belongs to a later round of the same ledger."""
        there = message.place
        return there.ledger == self.place.ledger and there.round > self.place.round
