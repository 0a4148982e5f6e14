"""What is known at a seat, or to who watches, of challenges and rulings: bounded, and each once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from p2p304.seats import Seat
from protocol.places import EPOCH
from protocol.table.events import RefereeBlamed
from protocol.table.evidence import TwoRulings
from protocol.table.rulings import contradict, stops
from protocol.table.table import TableState
from protocol.wire.challenges import opens
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge, ChallengeOpening
from protocol.wire.messages import SignedRuling

MOST_RULINGS: Final = 64
"""Rulings that stop nothing and are kept of a table; those that stop a hand are all kept, for there
is one in each stretch of hands."""

MOST_AHEAD: Final = 2
"""Rulings about what follows rulings that we lack are heard for less than so many of them."""

ChallengePlace = tuple[int, Seat, int]
"""A match by the number of its setup, a seat, and how often it had challenged there before."""


class SaidChallenge(NamedTuple):
    """A challenge, the envelope in which it was made, and that in which it was opened, if any."""

    content: Challenge
    raw: bytes
    opened: bytes = b""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RefereeTalk:
    """Challenges by their places in matches, and rulings. Immutable."""

    challenges: Mapping[ChallengePlace, SaidChallenge] = field(default_factory=dict)
    kept_back: Mapping[ChallengePlace, bytes] = field(default_factory=dict)
    """What our own challenges say, signed, until their hands have ended."""
    rulings: tuple[SignedRuling, ...] = ()

    def challenged(
        self, table: TableState, seat: Seat, content: Challenge, raw: bytes
    ) -> RefereeTalk | None:
        """Return what is known once a seat has challenged, without challenges of forgotten matches.

        None for what counts for nothing: a second challenge in one place, one that not every
        referee could read, and one of a match that the table does not keep (any more).
        """
        referees = table.charter.referees
        place = (content.match, seat, content.count)
        if not referees or len(content.sealed) != len(referees):
            return None
        if content.match not in table.first_hands or place in self.challenges:
            return None
        oldest = min(table.first_hands)
        kept = {each: said for each, said in self.challenges.items() if each[0] >= oldest}
        return replace(self, challenges={**kept, place: SaidChallenge(content, raw)})

    def opened(
        self, charter: Charter, seat: Seat, content: ChallengeOpening, raw: bytes
    ) -> RefereeTalk | None:
        """Return what is known once a seat has told what its challenge said; None if it had told it
        before, or tells what it is not bound to."""
        place = (content.match, seat, content.count)
        said = self.challenges.get(place)
        if said is None or said.opened or not opens(charter, seat, said.content, content):
            return None
        said = said._replace(opened=raw, text=content.text)
        return replace(self, challenges={**self.challenges, place: said})

    def ruled(self, table: TableState, ruling: SignedRuling) -> RefereeTalk | None:
        """Return what is known once a referee has ruled; None for what was known, for what lies too
        far ahead of the table, and for more rulings without consequence than are kept."""
        if any(each.id == ruling.id for each in self.rulings):
            return None
        if ruling.content.hand // EPOCH - len(table.rulings.signed) >= MOST_AHEAD:
            return None
        idle = sum(1 for each in self.rulings if not stops(each.content))
        convicts = any(contradict(each, ruling) for each in self.rulings)
        if idle >= MOST_RULINGS and not stops(ruling.content) and not convicts:
            return None
        return replace(self, rulings=(*self.rulings, ruling))

    @property
    def contradiction(self) -> tuple[SignedRuling, SignedRuling] | None:
        """The latest ruling and one that cannot count beside it, one of its own referee before
        those of others; in an order that is the same for everybody, whichever came first.

        No earlier two are such: a table stops at the first.
        """
        pairs = (
            (each, other) if (each.referee, each.id) < (other.referee, other.id) else (other, each)
            for other in self.rulings[-1:]
            for each in self.rulings[:-1]
            if contradict(each, other) and _one_of_two(each, other)
        )
        return min(pairs, key=_order, default=None)

    def made_in(self, match: int, seat: Seat) -> int:
        """Return how often a seat has challenged in a match."""
        return sum(1 for each in self.challenges if each[:2] == (match, seat))

    def envelopes(self, match: int) -> tuple[bytes, ...]:
        """Return all that was said of a match to its referees and by them, for who may lack it."""
        said = [each for place, each in sorted(self.challenges.items()) if place[0] == match]
        raws = [raw for each in said for raw in (each.raw, each.opened) if raw]
        return (*(each.raw for each in self.rulings), *raws)


NO_REFEREE_TALK: Final = RefereeTalk()


def _one_of_two(one: SignedRuling, other: SignedRuling) -> bool:
    """Tell whether two rulings cannot both count: those of two referees only if both stop."""
    both = stops(one.content) and stops(other.content)
    return both or one.referee == other.referee


def _order(pair: tuple[SignedRuling, SignedRuling]) -> tuple[object, ...]:
    one, other = pair
    return (one.referee != other.referee, one.referee, one.id, other.referee, other.id)


def blamed(charter: Charter, talk: RefereeTalk) -> RefereeBlamed | None:
    """Return what is told of rulings that contradict each other, with what convicts a referee that
    signed two; None where none do."""
    pair = talk.contradiction
    if pair is None:
        return None
    one, other = pair
    if one.referee != other.referee:
        return RefereeBlamed(pair, b"")
    first, second = sorted(pair, key=lambda each: each.id)
    return RefereeBlamed(pair, TwoRulings(charter, first.raw, second.raw).to_bytes())
