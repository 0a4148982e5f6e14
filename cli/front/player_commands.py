"""The commands of a player in any front end beside its actions: chat, ending a hand, going on
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from cli.front.writing import Writer
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat
from p2p304.sentences import Who, join_parts, say
from p2p304.telling import AnyTelling
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, Say, WantRematch
from protocol.wire.contents import Continuation


class Substitute(Enum):
    """Who takes the seat of a player who left for good."""

    BOT = "a bot takes the seat of the player who is missing"
    FRIEND = "a friend takes the seat of the player who is missing"
    BACK = "a friend takes the seat that a bot holds for a player who left"


@dataclass(frozen=True, slots=True)
class GoOn:
    """The command to propose going on at another table without these seats; `by` says who takes
    them.
    """

    without: tuple[Seat, ...]
    by: Substitute
    # Given to a friend already, in a code (attacks CO15).
    table: bytes = b""  #: Its id, if an invite to it was given away before; else it is drawn.


@dataclass(frozen=True, slots=True)
class AnswerGoingOn:
    """The command to agree, or not, to another player's proposal `content`, and to no other."""

    content: Continuation
    agrees: bool


#: What a player may want at any time, its turn or not.
PlayerCommand = Say | CallReferee | EndUnfinished | PlayOn | WantRematch | GoOn | AnswerGoingOn

#: Does what a player wants; the driver of its seat gives it to it.
CarryOut = Callable[[PlayerCommand], Coroutine[Any, Any, None]]


def nothing_before(_: str) -> bool:
    """Return False, whatever was typed: the default where a handler may take text or a key
    before the table does.
    """
    return False


# A choice: less than three lines of 80 cells; the wire allows more (specs 3.6).
LONGEST: Final = 200  #: Characters of one message that a person writes.

# Three reasons, since the player can do something else about each.
NOT_AGREED: Final = "Talk was not agreed at this table: 'p2p304 host --chat' makes one where it is."
MUTE: Final = "Your settings say mute: you neither write to the others nor read them."
NOT_NOW: Final = "No talk during a hand (rule 16, talk and violations)."


def why_no_talk(telling: AnyTelling, state: Any | None, *, mute: bool) -> str | None:
    """Return the sentence that refuses chat at this moment; None if chat is allowed.

    Args:
        telling: of the game, which knows whether the charter allows chat.
        state: of the newest hand; None before the first one.
        mute: whether our player turned chat off.
    """
    if not telling.talk_agreed:
        # In this order: what was never agreed, what this player has set, what the moment forbids.
        return NOT_AGREED
    if mute:
        return MUTE
    return None if state is None or telling.between_hands(state) else NOT_NOW


PLAY_ON: Final = (
    "You play on. What you signed is not taken back: if all the others agree before you move, the"
    " hand has ended."
)


def why_no_end(game: AnyGame, state: Any, present: Collection[Seat]) -> str:
    """Return why the seats `present` cannot end the hand at this point; "" if they can.

    Args:
        game: of the table.
        state: of the newest hand; None before the first one.
        present: the seats that would agree, ours among them.
    """
    if state is None:
        return "There is no hand to end."
    # A result stands though signatures are missing (attacks CH17).
    if game.is_over(state):
        return "The hand has its result and waits for a signature: there is nothing to end."
    writer = Writer(game.seats)
    # In each division that is possible: who plays with whom may not be known yet.
    for sides in game.sides(state):
        for side in sides:
            # A hand ends only with a seat of every side (attacks CH16).
            if not set(side) & set(present):
                one = writer.line(join_parts((say(Who(seat)) for seat in side), " or "))
                return f"A hand ends only if every side agrees, {one} too: the table waits."
    return ""


def owed_words(game: AnyGame, state: Any) -> str:
    """Return in words what the game awaits beside moves, such as cards of the count or a signature
    of the result; "" for a move, and before the first hand.

    `state` is that of the newest hand, None before the first one.
    """
    if state is None:
        return ""
    return (
        "a signature of the result" if game.is_over(state) else telling_of(game).owed_words(state)
    )


def agreed_words(writer: Writer, present: tuple[Seat, ...], own: Seat | None) -> str:
    """Return the sentences that our seat `own` agrees to end the hand, that all others of those
    `present` must agree too, and which key plays on.
    """
    others = writer.join_seats(tuple(seat for seat in present if seat != own))
    return f"You agree to end the hand; {others} must, too. The key e plays on all the same."
