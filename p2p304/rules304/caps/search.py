"""The search of specs/rules.md 11.3: can the other seats break the first cards of an order?

Only lines in which the team has won every trick so far are looked at, so the seat or its partner
leads (the opponents at most once, to the first trick). The partners' cards are imagined one by one.
An opponent's are not: all that matters of them is whether one can take the trick, and that is a
matter of counting (`bounds`, `leads`). Only while its indicator lies on the table, or when it
leads, an opponent's cards are imagined, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from p2p304.rules304.bits import BIT, SUIT_OF, bits
from p2p304.rules304.caps.bounds import can_take, ways_to_be_void
from p2p304.rules304.caps.hypotheses import Hypothesis
from p2p304.rules304.caps.information import InformationSet
from p2p304.rules304.caps.leads import leads_fail, one_more
from p2p304.rules304.caps.position import (
    KNOWN,
    OWN,
    POOL,
    SUIT_NUMBERS,
    Bound,
    Option,
    Position,
    Trick,
)

_OFTEN: Final = 64
"""Nodes after which a clock is asked."""


class OutOfNodesError(Exception):
    """A player that thinks no longer than so many nodes has used them up."""


class Effort:
    """Counts the nodes of all searches of one question, and ends them past a limit, if any, or when
    `more` says that there is no more time: a judge gives neither."""

    __slots__ = ("_limit", "_more", "nodes")

    def __init__(self, limit: int | None = None, more: Callable[[], bool] | None = None) -> None:
        self.nodes = 0
        self._limit, self._more = limit, more

    def spend(self) -> None:
        """Count one node. Raises OutOfNodesError past the limit."""
        if self.nodes == self._limit:
            raise OutOfNodesError
        self.nodes += 1
        if self._more is not None and not self.nodes % _OFTEN and not self._more():
            raise OutOfNodesError


class Refutation:
    """Searches under one hypothesis; each question may use what earlier ones found."""

    def __init__(self, information: InformationSet, hypothesis: Hypothesis, effort: Effort) -> None:
        self.position = Position(information, hypothesis)
        self._effort = effort
        self._leader = (information.leader - information.seat) % information.seats
        faces = information.faces
        rooms = iter(hypothesis.trick)
        # Cards of the trick in progress: a card, or the suits that an unseen one may have.
        self._played = tuple(
            (BIT[faces[play.slot]], 0) if play.slot in faces else (0, next(rooms).allowed)
            for play in information.plays
        )
        self._prefix: tuple[int, ...] = ()
        self._found: dict[tuple[object, ...], tuple[bool, bool]] = {}
        self.partner_leads = False
        """Whether in some line of the last question the partner came to lead."""

    def refutes(self, prefix: Sequence[int]) -> bool:
        """Tell whether one of the cards of `prefix`, led or played in this order, can fail.

        It fails if it is not legal in its turn, or if the team loses the trick that it falls in or
        one before. What follows the last trick of `prefix` does not count.
        """
        self._prefix = tuple(prefix)
        self.partner_leads = False
        if not self._played:
            return self._between(0, self._leader)
        return self._replay(0, Trick(0))

    def choices(self, prefix: Sequence[int]) -> tuple[int, ...]:
        """Return the own cards that may follow `prefix`, of those that nothing tells apart one."""
        seen = sum(card for card, _ in self._played)
        return self.position.own_choices(self.position.own & ~sum(prefix), seen)

    def tells_apart(self, prefix: tuple[int, ...]) -> tuple[object, ...]:
        """Return what of the order of `prefix` matters later, if the partner never comes to lead in
        it.

        Whoever follows lead after lead can have played the same cards in whatever order these came,
        so it is the cards that count, and not their order: but for the card of a trick in progress,
        of the first trick if the indicator is shown after it, and for a trump led last by a maker
        who must go on with trumps if nobody followed.
        """
        position = self.position
        rules = position.rules
        to_come = len(self._played) <= (OWN - self._leader) % position.seats
        first = to_come and (self._played or (position.hidden and rules.opens_after_first))
        bound = position.maker == OWN and rules.exhausted and prefix[-1] & position.trumps
        return sum(prefix), first and prefix[0], bound and prefix[-1]

    def _replay(self, at: int, trick: Trick) -> bool:
        """Imagine the unseen cards of the trick in progress, from its card `at` on."""
        position = self.position
        place = (self._leader + at) % position.seats
        if at == len(self._played):
            return position.fits() and self._turn(0, place, trick, ())
        card, suits = self._played[at]
        if card:
            return self._replay(at + 1, trick.after(card, place, position.trump))
        for suit in SUIT_NUMBERS:
            if suits >> suit & 1:
                for option in position.distinct(position.pool, suit, 0, POOL, trick):
                    position.pool ^= option.card
                    broken = self._replay(at + 1, trick.after(option.card, place, position.trump))
                    position.pool ^= option.card
                    if broken:
                        return True
        return False

    # ------------------------------------------------------------------ tricks

    def _between(self, played: int, leader: int) -> bool:
        """Tell whether the order can break from the start of a trick, `played` own cards later."""
        before = self.partner_leads
        self.partner_leads = leader in self.position.mates
        if played == len(self._prefix):
            self.partner_leads |= before
            return False
        position = self.position
        key = (leader, self._prefix[played:], *position.key())
        found = self._found.get(key)
        if found is None:
            self._effort.spend()
            broken = None
            if leader == OWN:
                broken, may_lead = leads_fail(self.position, self._prefix[played:])
                self.partner_leads |= may_lead
            if broken is None:
                broken = self._turn(played, leader, Trick(0), ())
            found = self._found[key] = (broken, self.partner_leads)
        self.partner_leads = before or found[1]
        return found[0]

    def _turn(self, played: int, place: int, trick: Trick, open_: tuple[int, ...]) -> bool:
        """Tell whether the order can break from the turn of `place` on.

        `open_` are the seats that have played cards which are not imagined.
        """
        position = self.position
        if trick.cards == position.seats:
            return self._trick_over(played, place, trick, open_)
        following = (place + 1) % position.seats
        if place == OWN:
            card = self._prefix[played]
            if not position.own_legal(trick) & card:
                return True
            position.own ^= card
            after = trick.after(card, OWN, position.trump)
            broken = self._turn(played + 1, following, after, open_)
            position.own ^= card
            return broken
        closed = position.hidden and place == position.maker
        if place in position.mates or not trick.cards or closed:
            if len(position.mates) > 1:
                return self._remembered_turn(played, place, trick, open_)
            return self._imagined_turn(played, place, trick, open_)
        return self._turn(played, following, trick.passed(), (*open_, place))

    def _remembered_turn(
        self, played: int, place: int, trick: Trick, open_: tuple[int, ...]
    ) -> bool:
        """Answer like _imagined_turn: several partners come to one position in many ways."""
        position = self.position
        before = self.partner_leads
        self.partner_leads = False
        key = (
            place,
            trick.cards,
            trick.led,
            trick.winner,
            trick.cut,
            trick.followed,
            open_,
            self._prefix[played:],
            *position.key(trick.best),
        )
        found = self._found.get(key)
        if found is None:
            last = played == len(self._prefix)
            broken = not (last and self._is_safe(place, trick, open_)) and self._imagined_turn(
                played, place, trick, open_
            )
            found = self._found[key] = (broken, self.partner_leads)
        self.partner_leads = before or found[1]
        return found[0]

    def _is_safe(self, place: int, trick: Trick, open_: tuple[int, ...]) -> bool:
        """Tell whether the team wins this trick, the last of the prefix, whatever is played from
        `place` on: no opponent can beat its best card so far."""
        position = self.position
        if trick.winner not in position.team or not trick.cards:
            return False
        to_come = {(place + step) % position.seats for step in range(position.seats - trick.cards)}
        for other in position.opponents:
            if (other in open_ or other in to_come) and can_take(
                position, other, trick.led, trick.best, position.led[other]
            ):
                return False
        self.partner_leads |= trick.winner in position.mates or any(
            can_take(position, mate, trick.led, trick.best, position.led[mate])
            for mate in position.mates
            if mate in to_come
        )
        return True

    def _imagined_turn(self, played: int, place: int, trick: Trick, open_: tuple[int, ...]) -> bool:
        position = self.position
        known, unknown = position.known[place], position.unknown[place]
        excluded, pool, loose = position.excluded[place], position.pool, position.loose
        broken = False
        options = sorted(position.options(place, trick), key=_taste)
        if not trick.cards:
            due = self._prefix[played]
            legal = [position.own_legal(Trick(1, suit)) & due != 0 for suit in SUIT_NUMBERS]
            # First the leads to which the next card of the order is not legal: these break it.
            options.sort(key=lambda each: legal[SUIT_OF[each.card]])
        for option in options:
            self._effort.spend()
            if option.source == KNOWN:
                position.known[place] = known ^ option.card
            else:
                position.pool = pool ^ option.card
                if option.source == POOL:
                    position.unknown[place] = unknown - 1
                else:
                    position.loose = 0
            position.excluded[place] = option.excluded if position.unknown[place] else 0
            if position.fits():
                after = trick.after(option.card, place, position.trump)
                broken = self._turn(played, (place + 1) % position.seats, after, open_)
            position.known[place], position.unknown[place] = known, unknown
            position.excluded[place], position.pool = excluded, pool
            position.loose = loose
            if broken:
                return True
        return False

    def _trick_over(self, played: int, leader: int, trick: Trick, open_: tuple[int, ...]) -> bool:
        position = self.position
        if trick.winner not in position.team:
            return True
        for place in open_:
            if can_take(position, place, trick.led, trick.best, position.led[place]):
                return True
        if played == len(self._prefix):
            self.partner_leads |= trick.winner in position.mates
            return False
        hidden = position.hidden
        first = position.own.bit_count() == position.rules.cards - 1
        if trick.cut or (position.rules.opens_after_first and first):
            position.hidden = False
        led = list(position.led)
        voids = [ways_to_be_void(position.trump, led[place]) for place in open_]
        for place in open_:
            position.led[place] = one_more(led[place], trick.led)
        broken = self._armed(played, leader, trick, dict(zip(open_, voids, strict=True)))
        position.led[:] = led
        position.hidden = hidden
        return broken

    def _armed(
        self, played: int, leader: int, trick: Trick, voids: Mapping[int, Iterator[Bound]]
    ) -> bool:
        """Go on, having seen to whether the maker led a trump that nobody followed.

        `voids` are the ways in which each seat whose card is not imagined can have no trump.
        """
        position = self.position
        winner = trick.winner
        arms = leader == position.maker and leader in position.team and not trick.followed
        if position.armed or not (
            arms and trick.led == position.trump and position.rules.exhausted
        ):
            return self._opened(played, winner)
        if leader == OWN and voids:
            # It matters to the next lead alone: whoever has no trump now will have none later.
            hand = position.own & ~(position.indicator if position.hidden else 0) & position.trumps
            plain = not self._prefix[played] & position.trumps
            if hand and plain and any(position.fit_as(needs) for needs in _each_of(voids)):
                return True
            return self._opened(played, winner)
        bounds, bounded = list(position.bounds), position.bounded
        for place in voids:
            need = [0, 0, 0, 0]
            need[position.trump] = position.led[place][position.trump]
            position.bounds[place] = Bound(tuple(need))
            position.bounded = True
            broken = position.fits() and self._opened(played, winner)
            position.bounds[:], position.bounded = bounds, bounded
            if broken:
                return True
        position.armed = True
        broken = False
        for needs in _each_of(voids):
            for place, need_ in needs.items():
                position.bounds[place] = need_
                position.bounded = True
            broken = position.fits() and self._opened(played, winner)
            position.bounds[:], position.bounded = bounds, bounded
            if broken:
                break
        position.armed = False
        return broken

    def _opened(self, played: int, winner: int) -> bool:
        """Go on; an indicator that another seat shows joins its hand, its face imagined."""
        position = self.position
        if not position.loose or position.hidden:
            return self._between(played, winner)
        maker, pool = position.maker, position.pool
        known = position.known[maker]
        position.loose = 0
        broken = False
        for card in bits(pool & position.trumps):
            position.pool = pool ^ card
            position.known[maker] = known | card
            broken = position.fits() and self._between(played, winner)
            if broken:
                break
        position.pool, position.known[maker], position.loose = pool, known, 1
        return broken


def _taste(option: Option) -> tuple[bool, int]:
    """Return what is tried first: to take the trick, and if not to throw off low cards."""
    return not option.beats, option.card


def _each_of(ways: Mapping[int, Iterator[Bound]]) -> Iterator[dict[int, Bound]]:
    """Yield every choice of one way for each seat."""
    for chosen in product(*ways.values()):
        yield dict(zip(ways, chosen, strict=True))
