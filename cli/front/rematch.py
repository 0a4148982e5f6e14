"""Another match of the same people: possible seatings, and who wants which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cli.front.writing import Writer
from cli.wording import capital, join_names
from p2p304.game import AnyGame
from p2p304.seats import Seat, Sides
from protocol.wire.contents import ANY_SEATING
from protocol.wire.rematch import moved_seats

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
    match seating:
        # `SAME`; as a pattern its name would match every number.
        case 0:
            return "another match as you sit"
        # As bots wish, which go along with the people.
        case other if other == ANY_SEATING:
            return "another match, in any seats"
        case _:
            return f"other partners: {seating_words(game, names, seating)}"
