"""What a player may want in any front end beside its actions: chat, ending a hand, going on
elsewhere, another match of the same people.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from cli.front.writing import Writer
from cli.wording import capital, join_names
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat, Sides
from p2p304.sentences import Who, join_parts, say
from p2p304.telling import AnyTelling
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, Say, WantRematch
from protocol.wire.contents import ANY_SEATING, Continuation
from protocol.wire.rematch import moved_seats


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


# Seating 0 of specs 3.5.14.
SAME: Final = 0  #: The seating in which all stay where they are.

NO_REMATCH: Final = (
    "You all named different seats so often that no other match follows at this table:"
    " 'p2p304 host' makes a new one."
)


def seatings(game: AnyGame) -> tuple[int, ...]:
    """Return the numbers of the seatings that change partners (specs 3.5.14), of those with the
    same partners the first alone; empty if nobody has a partner, or partners change with each
    hand.
    """
    sides = _sides(game)
    if sides is None:
        return ()
    # SAME is put in first, so that no other seating with the same partners is offered.
    found: dict[frozenset[frozenset[Seat]], int] = {_partners(sides, game.seats, SAME): SAME}
    # All but SAME: a table of n seats has n - 1 seatings (specs 3.5.14).
    for seating in range(1, game.seats - 1):
        # By who sits with whom: seatings that differ in order alone are one offer.
        found.setdefault(_partners(sides, game.seats, seating), seating)
    return tuple(seating for seating in found.values() if seating != SAME)


def _sides(game: AnyGame) -> Sides | None:
    """Return the sides of a hand, each with its seats; None if no two seats play together, or it
    is not known at the start.
    """
    # Sides of a called partner are not known at the start of a hand. Any dealer will do.
    known = game.sides(game.start(Seat(0)).state)
    together = len(known) == 1 and any(len(side) > 1 for side in known[0])
    return known[0] if together else None


# Sets: neither the order of sides nor that of partners matters.
def _partners(sides: Sides, seats: int, seating: int) -> frozenset[frozenset[Seat]]:
    """Return the groups of present seats that would play together in a seating."""
    sitting = moved_seats(seats, seating)
    return frozenset(frozenset(sitting[place] for place in side) for side in sides)


def seating_words(game: AnyGame, names: Sequence[str], seating: int) -> str:
    """Return who plays with whom in a seating: "Ana and Ben against Cem and Dila"; where nobody has
    a partner at the start, the names in the order of the seats.

    `names` are in the order of the present seats.
    """
    sides = _sides(game)
    sitting = [names[seat] for seat in moved_seats(game.seats, seating)]
    if sides is None:
        return ", ".join(sitting)
    return " against ".join(join_names([sitting[place] for place in side]) for side in sides)


def offers(game: AnyGame, names: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Yield for each possible seating its key ("r", "1", ...), its number, and its description."""
    # "r" for rematch, and no number: which others follow depends on the game.
    yield "r", SAME, f"again as you sit: {seating_words(game, names, SAME)}"
    for number, seating in enumerate(seatings(game), start=1):
        yield f"{number}", seating, f"other partners: {seating_words(game, names, seating)}"


def wanted_lines(
    game: AnyGame, names: Sequence[str], wanted: Mapping[Seat, int], own: Seat, writer: Writer
) -> Iterator[str]:
    """Yield lines on which match each seat wants; if seat `own` has said what it wants, also
    which seats have said nothing yet. `wanted` holds the seating that each seat named.
    """
    # In the order of numbers, so that two screens tell the same.
    for seating in sorted({*wanted.values()}):
        who = [seat for seat, each in sorted(wanted.items()) if each == seating]
        said = join_names(["you" if seat == own else names[seat] for seat in who])
        verb = "wants" if len(who) == 1 and who[0] != own else "want"
        yield f"{capital(said)} {verb} {wish(game, names, seating)}."
    # Only to who has answered: to others it would sound like an order.
    silent = tuple(Seat(seat) for seat in range(game.seats) if seat not in wanted)
    if own in wanted and silent:
        yield f"Waiting for {writer.join_seats(silent)}; it begins when all want the same."
    elif own in wanted:
        yield "It begins when all want the same."


def wish(game: AnyGame, names: Sequence[str], seating: int) -> str:
    """Return the words for a seating that follow "Banu wants"."""
    if seating == SAME:
        return "another match as you sit"
    # As bots wish, which go along with the people.
    if seating == ANY_SEATING:
        return "another match, in any seats"
    return f"other partners: {seating_words(game, names, seating)}"
