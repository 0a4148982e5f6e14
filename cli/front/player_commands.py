"""What a player may do beside its turns, in any front end: talk, and end a hand with the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from cli.front.writing import Writer
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat
from p2p304.sentences import Who, joined, say
from p2p304.telling import AnyTelling
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, Say, WantRematch
from protocol.wire.contents import Continuation


class Substitute(Enum):
    """Who takes a seat where a match goes on without whoever had it."""

    BOT = "a bot takes the place of who is waited for"
    FRIEND = "a friend does"
    BACK = "a friend takes the place of a bot that sits there for who left"


@dataclass(frozen=True, slots=True)
class GoOn:
    """I want to go on at another table without these seats, whose place somebody else takes."""

    without: tuple[Seat, ...]
    by: Substitute


@dataclass(frozen=True, slots=True)
class AnswerGoingOn:
    """I agree, or do not, to what another player proposed: to `content` and to nothing else."""

    content: Continuation
    agrees: bool


PlayerCommand = Say | CallReferee | EndUnfinished | PlayOn | WantRematch | GoOn | AnswerGoingOn
"""What a player may want at any time, its turn or not."""

CarryOut = Callable[[PlayerCommand], Coroutine[Any, Any, None]]
"""Does what a player wants; the driver of its seat gives it to it."""


def nothing_before(_: str) -> bool:
    """Answer nothing of what is typed or pressed: it is meant for the table."""
    return False


LONGEST: Final = 200
"""Characters of one message that a person writes."""

NOT_AGREED: Final = "Talk was not agreed at this table: 'p2p304 host --chat' makes one where it is."
MUTE: Final = "Your settings say mute: you neither write to the others nor read them."
NOT_NOW: Final = "No talk during a hand (rule 16, talk and violations)."


def why_no_talk(telling: AnyTelling, state: Any | None, *, mute: bool) -> str | None:
    """Return the sentence that refuses talk at this moment; None where it is allowed.

    Args:
        telling: of the game, which knows whether talk was agreed.
        state: of the newest hand; None before the first one.
        mute: whether our player asked neither to write nor to read.
    """
    if not telling.talk_agreed:
        return NOT_AGREED
    if mute:
        return MUTE
    return None if state is None or telling.between_hands(state) else NOT_NOW


PLAY_ON: Final = (
    "You play on. What you signed is not taken back: if all the others agree before you move, the"
    " hand has ended."
)


def why_no_end(game: AnyGame, state: Any, present: Collection[Seat]) -> str:
    """Return why those present cannot end the hand where it stands; "" if they can.

    Args:
        game: the table's.
        state: of the newest hand; None before the first one.
        present: the seats that would agree to it, ours among them.
    """
    if state is None:
        return "There is no hand to end."
    if game.is_over(state):
        return "The hand has its result and waits for a signature: there is nothing to end."
    writer = Writer(game.seats)
    for sides in game.sides(state):
        for side in sides:
            if not set(side) & set(present):
                one = writer.line(joined((say(Who(seat)) for seat in side), " or "))
                return f"A hand ends only if every side agrees, {one} too: the table waits."
    return ""


def owed(game: AnyGame, state: Any) -> str:
    """Return what a table waits for, where that is more than a move; else "".

    `state` is that of the newest hand, None before the first one.
    """
    if state is None:
        return ""
    return "a signature of the result" if game.is_over(state) else telling_of(game).owed(state)


def agreed_words(writer: Writer, present: tuple[Seat, ...], own: Seat | None) -> str:
    """Return who must agree, too, once seat `own` has agreed to end a hand with those `present`."""
    others = writer.seats_named(tuple(seat for seat in present if seat != own))
    return f"You agree to end the hand; {others} must, too. The key e plays on all the same."
