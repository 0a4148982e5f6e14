"""What no honest seat signs at two tables of which one goes on with a match.

Nothing binds a seat to a table before it plays a hand there: who confirmed a charter to which
others did not come is free to go on elsewhere, and nobody has seen a card.
"""

from __future__ import annotations

from typing import Final

from protocol.places import Lane, Place
from protocol.wire.charter import Charter

TWICE: Final = "continuation.twice"
OLD: Final = "continuation.old"


def plays(place: Place) -> bool:
    """Tell whether a message at this place binds its seat to its table: it plays a hand there."""
    return place.ledger.lane is Lane.HAND


def contradiction(one: tuple[Charter, Place], other: tuple[Charter, Place]) -> str | None:
    """Return of what two messages convict who signed both, the second at a table that goes on.

    `continuation.twice` for hands of two tables that go on with one, `continuation.old` for a hand
    of a table behind the point from which the other goes on; None for what an honest seat signs.
    """
    (first, place), (second, later) = one, other
    term = second.continues
    if term is None or first.digest == second.digest or not (plays(place) and plays(later)):
        return None
    twin = first.continues
    if twin is not None and twin.charter == term.charter:
        return TWICE
    behind = (place.ledger.number, place.round) > (term.point.hand, term.point.closed)
    return OLD if term.charter == first.digest and behind else None
