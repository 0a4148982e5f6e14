"""The search behind RULES 13.2: can the other three seats break an order of cards?

One adversary moves the other three seats and imagines the layout as it goes: an unseen card is put
into a hand only when it is played, and whether the rest still fits is a matter of counting suits.
The adversary wins as soon as the seat's next card is illegal or its team loses a trick. The seat
plays a fixed order or, past the end of it, any legal card at all: an adversary that beats even
such a free player, who may wait and see, beats every order.

The reductions are exact: cards that no live card parts are one card unless their rank can decide
the trick; states between tricks are remembered up to the places of dead cards; a search stops
where counting shows that no other seat can win any of the remaining tricks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p2p304.rules304.bits import BIT, SUIT_BITS, SUIT_OF, bits
from p2p304.rules304.hypotheses import Hypothesis
from p2p304.rules304.information import InformationSet
from p2p304.rules304.position import KNOWN, OWN, PARTNER, POOL, Option, Position, Trick
from p2p304.rules304.prospects import (
    Target,
    is_doomed,
    is_safe,
    may_beat,
    may_ruff,
    natural_order,
    threats,
)
from p2p304.rules304.state import SEATS


class OutOfNodesError(Exception):
    """The budget of nodes has run out."""


class Budget:
    """How many nodes may still be searched; shared by all searches of one question."""

    __slots__ = ("nodes",)

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def spend(self) -> None:
        """Count one node. Raises OutOfNodesError when none is left."""
        if self.nodes <= 0:
            raise OutOfNodesError
        self.nodes -= 1


class Refutation:
    """Searches under one hypothesis; each question may use what earlier ones found."""

    def __init__(self, information: InformationSet, hypothesis: Hypothesis, budget: Budget) -> None:
        self.position = Position(information, hypothesis)
        self._budget = budget
        self._leader = (information.leader - information.seat) % SEATS
        faces = information.faces
        rooms = iter(hypothesis.trick)
        # Cards of the trick in progress: a card, or the suits that an unseen one may have.
        self._played = tuple(
            (BIT[faces[play.slot]], 0) if play.slot in faces else (0, next(rooms).allowed)
            for play in information.plays
        )
        self._prefix: tuple[int, ...] = ()
        self._before: dict[int, int] = {}
        self._promise = 0
        self._free: dict[tuple[int, ...], bool] = {}
        self._bound: dict[tuple[int, ...], bool] = {}

    def refutes(self, prefix: Sequence[int]) -> bool:
        """Whether the adversary can break every order of own cards that begins with `prefix`.

        True is exact. False is exact where `prefix` is a whole order; where it is shorter, it
        says that a player who chooses freely after it holds its own. Raises OutOfNodesError.
        """
        self._prefix = tuple(prefix)
        self._before = {card: sum(self._prefix[:at]) for at, card in enumerate(self._prefix)}
        self._bound = {}
        if not self._played:
            return self._between(0, self._leader)
        if len(self._played) > (OWN - self._leader) % SEATS:
            return self._replay(0, Trick(0))
        return self._promised(0, lambda: self._replay(0, Trick(0)))

    def _replay(self, at: int, trick: Trick) -> bool:
        """Imagine the unseen cards of the trick in progress, from its card `at` on."""
        position = self.position
        place = (self._leader + at) % SEATS
        if at == len(self._played):
            if not position.fits():
                return False
            return self._turn(0, place, trick, self._aim(0, trick, place))
        card, suits = self._played[at]
        if card:
            return self._replay(at + 1, trick.after(card, place, position.trump))
        for suit in range(4):
            if suits >> suit & 1:
                for option in list(position.distinct(position.pool, suit, 0, POOL, trick)):
                    position.pool ^= option.card
                    won = self._replay(at + 1, trick.after(option.card, place, position.trump))
                    position.pool ^= option.card
                    if won:
                        return True
        return False

    # ------------------------------------------------------------------ tricks

    def _between(self, played: int, leader: int) -> bool:
        """Whether the adversary wins from the start of a trick, `played` own cards later."""
        position = self.position
        if not position.own:
            return False
        free = played >= len(self._prefix)
        table = self._free if free else self._bound
        key = (leader if free else leader | played << 2, *position.key())
        known = table.get(key)
        if known is None:
            self._budget.spend()
            if leader == OWN and is_safe(position, self._plan(played)):
                known = False
            elif leader in (OWN, PARTNER) and is_doomed(position):
                known = True
            else:
                known = self._trick_begins(played, leader)
            table[key] = known
        return known

    def _trick_begins(self, played: int, leader: int) -> bool:
        start = Trick(0)
        if leader == OWN:
            return self._turn(played, leader, start, None)
        target = self._aim(played, start, leader)
        return self._promised(played, lambda: self._turn(played, leader, start, target))

    def _promised(self, played: int, adversary_wins: Callable[[], bool]) -> bool:
        """Whether the adversary wins whatever card the seat decides on for the trick beforehand.

        An order is stated in advance, so even the free player may not wait for another's lead.
        """
        if played < len(self._prefix):
            return adversary_wins()
        for card in self.position.own_choices(self.position.own, 0):
            self._promise = card
            won = adversary_wins()
            self._promise = 0
            if not won:
                return False
        return True

    def _plan(self, played: int) -> tuple[int, ...]:
        """The bound order from here on, and then the order that works most often."""
        rest = self._prefix[played:]
        if len(rest) == self.position.own.bit_count():
            return rest
        return (*rest, *(card for card in natural_order(self.position) if card not in rest))

    def _turn(self, played: int, place: int, trick: Trick, target: Target | None) -> bool:
        if trick.cards == SEATS:
            return self._trick_over(played, place, trick)
        if place == OWN:
            return self._own_turn(played, trick)
        return self._their_turn(played, place, trick, target)

    def _own_turn(self, played: int, trick: Trick) -> bool:
        position = self.position
        legal = position.own_legal(trick)
        promise = self._promise
        due = self._prefix[played] if played < len(self._prefix) else promise
        if due:
            choices: tuple[int, ...] = (due,) if legal & due else ()
        else:
            choices = position.own_choices(legal, trick.best)
        self._promise = 0
        lost = True
        for card in choices:
            position.own ^= card
            after = trick.after(card, OWN, position.trump)
            lost = self._turn(played + 1, 1, after, self._aim(played + 1, after, 1))
            position.own ^= card
            if not lost:
                break
        self._promise = promise
        return lost

    def _their_turn(self, played: int, place: int, trick: Trick, target: Target | None) -> bool:
        position = self.position
        self._budget.spend()
        known, unknown = position.known[place], position.unknown[place]
        excluded, pool, loose = position.excluded[place], position.pool, position.loose
        later: list[Option] = []
        options = sorted(
            position.options(place, trick),
            key=_opponents_taste if place != PARTNER else _partners_taste,
        )
        if not trick.cards:
            promising = self._promising_leads(played)
            options.sort(key=lambda option: not SUIT_BITS[SUIT_OF[option.card]] & promising)
        for attempt in (options, later):
            for option in attempt:
                if option.source == KNOWN:
                    position.known[place] = known ^ option.card
                else:
                    position.pool = pool ^ option.card
                    if option.source == POOL:
                        position.unknown[place] = unknown - 1
                    else:
                        position.loose = 0
                position.excluded[place] = option.excluded if position.unknown[place] else 0
                won = False
                if position.fits():
                    after = trick.after(option.card, place, position.trump)
                    following = (place + 1) % SEATS
                    if attempt is options and target and not option.beats:
                        if not self._in_reach(target, after, following):
                            later.append(option)
                        else:
                            won = self._turn(played, following, after, target)
                    else:
                        won = self._turn(played, following, after, target)
                position.known[place], position.unknown[place] = known, unknown
                position.excluded[place], position.pool = excluded, pool
                position.loose = loose
                if won:
                    return True
        return False

    def _trick_over(self, played: int, leader: int, trick: Trick) -> bool:
        if trick.winner not in (OWN, PARTNER):
            return True
        position = self.position
        if not position.own:
            return False
        hidden, armed = position.hidden, position.armed
        if leader == position.maker and position.rules.exhausted:
            position.armed |= trick.led == position.trump and not trick.followed
        first = position.own.bit_count() == position.rules.cards - 1
        opens = trick.cut or (position.rules.opens_after_first and first)
        if hidden and opens:
            position.hidden = False
        if position.loose and not position.hidden:
            won = self._opened(played, trick)
        else:
            won = self._between(played, trick.winner)
        position.hidden, position.armed = hidden, armed
        return won

    def _opened(self, played: int, trick: Trick) -> bool:
        """The indicator joins the hand of another seat, its face imagined now."""
        position = self.position
        maker, pool = position.maker, position.pool
        known = position.known[maker]
        position.loose = 0
        won = False
        for card in bits(pool & position.trumps):
            position.pool = pool ^ card
            position.known[maker] = known | card
            won = position.fits() and self._between(played, trick.winner)
            if won:
                break
        position.pool, position.known[maker], position.loose = pool, known, 1
        return won

    # ------------------------------------------------------------------ guidance

    def _aim(self, played: int, trick: Trick, place: int) -> Target | None:
        """A target among the tricks after this one, for the seats from `place` on to keep."""
        position = self.position
        pending = tuple((place + step) % SEATS for step in range(SEATS - trick.cards))
        if not pending or not position.own:
            return None
        for target in threats(position, self._plan(played), pending, trick.led):
            if target.beater != PARTNER and self._in_reach(target, trick, place):
                return target
        return None

    def _promising_leads(self, played: int) -> int:
        """The suits, as cards, whose lead by the partner may break the order within the trick."""
        position = self.position
        own = position.own
        due = self._prefix[played] if played < len(self._prefix) else self._promise
        promising = 0
        for suit in range(4):
            held = own & SUIT_BITS[suit]
            if due and held and not held & due:
                promising |= SUIT_BITS[suit]
            elif held:
                best = due or 1 << (held.bit_length() - 1)
                for place in (1, 3):
                    if may_beat(position, place, best, 0, False) or (
                        suit != position.trump and may_ruff(position, place, suit, 0, 0)
                    ):
                        promising |= SUIT_BITS[suit]
                        break
        return promising

    def _in_reach(self, target: Target, trick: Trick, place: int) -> bool:
        """Whether the target can still be beaten, with the seats from `place` on yet to play."""
        position = self.position
        before = position.own & self._before.get(target.card, ~target.card)
        suit = SUIT_OF[target.card]
        earlier = (before & SUIT_BITS[suit]).bit_count()
        trumps_led = (before & position.trumps).bit_count()
        tricks = before.bit_count()
        pending = 0 <= (target.beater - place) % SEATS < SEATS - trick.cards
        if pending:
            earlier += trick.led == suit
            trumps_led += trick.led == position.trump
            tricks += 1
        if target.ruff:
            return may_ruff(position, target.beater, suit, tricks, trumps_led)
        last = before.bit_count() + 1 == position.own.bit_count()
        return may_beat(position, target.beater, target.card, earlier, last)


def _opponents_taste(option: Option) -> tuple[bool, int]:
    rank = option.card >> 8 * SUIT_OF[option.card]
    return not option.beats, -rank if option.beats else rank


def _partners_taste(option: Option) -> tuple[bool, int]:
    return option.beats, option.card >> 8 * SUIT_OF[option.card]
