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
from typing import Final, NamedTuple

from p2p304.cards import Card
from p2p304.rules304.caps.information import Hypothesis, InformationSet, hypotheses
from p2p304.rules304.caps.position import (
    ANY_HAND,
    KNOWN,
    NOTHING_LED,
    OWN,
    POOL,
    SUIT_NUMBERS,
    Bound,
    CapsPosition,
    CapsTrick,
    Led,
)
from p2p304.rules304.pack import ABOVE, BIT, CARD, SUIT_BITS, SUIT_OF, bits

# --- whether a seat may take a trick, by counting what its hand can hold (specs/rules.md 11.3) ----
#
# Nothing is played here. Of a hand is known how many tricks it has followed that were led in each
# suit. It can have kept a card of a suit if it held more of them than were led, and be rid of a
# suit if that suit's cards, with those of some other suits, are no more than the tricks led in all
# of these. Whether such a hand exists beside the other hands is Hall's condition.


def can_take(position: CapsPosition, place: int, suit: int, best: int, led: Led) -> bool:
    """Tell whether in some layout the seat `place` has a card that beats `best`, the card winning
    so far, in a trick led in `suit`.

    `led` counts, by suit, the tricks led since the hand was what `position` says it is.
    """
    return any(
        position.fit_as({place: need}) for need in ways_to_take(position, place, suit, best, led)
    )


def ways_to_take(
    position: CapsPosition, place: int, suit: int, best: int, led: Led, keeps: int = -1
) -> Iterator[Bound]:
    """Yield each bound under which the hand of `place` can beat the card `best` in a trick led in
    `suit`; none where no hand can.

    `led` counts, by suit, the tricks led since the hand was what `position` says it is. With
    `keeps`, a suit from 0 to 3, the hand must also hold another card of that suit afterwards; -1
    asks for none.
    """
    if SUIT_OF[best] == suit:
        need = _holding(position, place, suit, best, led)
        if need is not None:
            if keeps == suit:
                # Two more than were led: the card that wins, and the one that is kept.
                need[suit] = max(need[suit], led[suit] + 2)
            elif keeps >= 0:
                # It followed each lead of that suit, too, and has one left.
                need[keeps] = led[keeps] + 1
            yield Bound(tuple(need))
    trump = position.trump
    closed = position.loose and place == position.maker
    if suit == trump:
        # The indicator follows a trump lead in the last trick alone, when nothing is in the hand
        # (RULES 9.4).
        last = closed and sum(led) == position.size(place)
        if last and keeps < 0 and position.pool & ABOVE[best]:
            yield ANY_HAND
        return
    if closed:
        # Only the indicator cuts: it is apart from the hand, which need keep nothing. `_misled`,
        # which alone gives `keeps`, asks it of no maker with a hidden indicator.
        if keeps < 0 and (SUIT_OF[best] == suit or position.pool & ABOVE[best]):
            yield from ways_to_be_void(suit, led)
        return
    # To cut is to be void of the suit: no card of it can be kept.
    if keeps == suit:
        return
    # Any trump beats a plain card; only a trump that is best must be beaten by rank.
    need = _holding(position, place, trump, best if SUIT_OF[best] == trump else 0, led)
    if need is None:
        return
    if keeps == trump:
        # As above: the card that cuts, and the one that is kept.
        need[trump] = max(need[trump], led[trump] + 2)
    elif keeps >= 0:
        need[keeps] = led[keeps] + 1
    yield from ways_to_be_void(suit, led, need)


def _holding(
    position: CapsPosition, place: int, suit: int, best: int, led: Led
) -> list[int] | None:
    """Return how many cards of each suit the hand of `place` must have had at least to hold a card
    of `suit`, above `best` unless that is 0, after as many tricks of each suit as `led` counts.

    None where it can have no card above `best`.
    """
    known = position.known[place]
    held = known & SUIT_BITS[suit]
    need = [0, 0, 0, 0]
    # It followed every lead of the suit and still has one.
    need[suit] = led[suit] + 1
    if best and not held & ABOVE[best]:
        if not position.pool & ABOVE[best]:
            return None
        # No known card is high enough, so an unknown one of the suit must be there besides.
        need[suit] = max(need[suit], held.bit_count() + 1)
    return need


def ways_to_be_void(suit: int, led: Led, least: Sequence[int] = (0, 0, 0, 0)) -> Iterator[Bound]:
    """Yield each bound under which a hand is out of `suit` after as many tricks of each suit as
    `led` counts.

    Such a hand threw off its cards of `suit` where it could not follow: so its cards of `suit` and
    of the suits that it could not follow were no more than the tricks led in all of these. `least`
    is the cards of each suit that the hand needs for other reasons; suits in it are not thrown off.
    """
    # A suit that was not led adds no trick to throw cards on: a bound with it lets in no hand that
    # the one without it keeps out.
    others = [each for each in SUIT_NUMBERS if each != suit and led[each] and not least[each]]
    # Every subset of the other suits, as bits of `chosen`.
    for chosen in range(1 << len(others)):
        suits = 1 << suit
        count = led[suit]
        for at, each in enumerate(others):
            if chosen >> at & 1:
                suits |= 1 << each
                count += led[each]
        yield Bound(tuple(least), suits, count)


# --- the leads of an order, one after the other, judged by counting alone -------------------------


def leads_fail(position: CapsPosition, plan: Sequence[int]) -> tuple[bool | None, bool]:
    """Return whether a plan can fail in which the judged seat leads the cards `plan` one after the
    other, and whether a partner may come to lead.

    The first is True or False where counting shows it, None where counting cannot.
    """
    mate_leads = False
    cards = position.own.bit_count()
    # After trick 1 another seat's indicator is shown, and may change hands and suits: counting
    # stops there.
    if position.loose and position.rules.opens_after_first and cards == position.rules.cards:
        return None, mate_leads
    led = NOTHING_LED
    for at, card in enumerate(plan):
        suit = SUIT_OF[card]
        # Of a partner every card is imagined, so `position.led` counts nothing for it.
        takers = [mate for mate in position.mates if can_take(position, mate, suit, card, led)]
        if any(
            can_take(position, place, suit, card, _add(position.led[place], led))
            for place in position.opponents
        ):
            # Where a partner could beat it, too, it may be the partner who wins the trick: counting
            # cannot tell.
            return (None if takers else True), mate_leads
        mate_leads |= bool(takers)
        if takers and at + 1 < len(plan):
            # Each card is one bit: the sum is the set of those led.
            rest = position.own & ~sum(plan[: at + 1])
            only = len(takers) == 1  # of several one may have to take what another would
            misled = only and _misled(position, takers[0], card, plan[at + 1], rest, led)
            return (True if misled else None), mate_leads
        led = one_more(led, suit)
    # No lead can be beaten: only a lead that the rules forbid (RULES 11) could still break the
    # plan.
    illegal = position.maker == OWN and not _leads_are_legal(position, plan)
    return (None if illegal else False), mate_leads


def _misled(position: CapsPosition, mate: int, card: int, due: int, rest: int, led: Led) -> bool:
    """Tell whether the partner `mate` can win the lead of `card` and then lead a suit that the
    judged seat must follow, though the next card of its order, `due`, is of another.

    True is certain if no other partner can win `card`; False may be wrong. `rest` is the set of own
    cards that are left; `led` counts, by suit, the tricks led since the hand was what `position`
    says.
    """
    # A maker may not lead what it likes (RULES 8, 9.3 and 11.2): that is left to the search.
    if position.maker == mate and (position.hidden or position.rules.exhausted):
        return False
    # A hidden indicator follows no suit before the last trick (RULES 9.3 and 9.4).
    if position.hidden:
        rest &= ~position.indicator
    return any(
        position.fit_as({mate: need})
        for suit in SUIT_NUMBERS
        if suit != SUIT_OF[due] and rest & SUIT_BITS[suit]
        for need in ways_to_take(position, mate, SUIT_OF[card], card, led, suit)
    )


def _leads_are_legal(position: CapsPosition, plan: Sequence[int]) -> bool:
    """Tell whether the judged seat, which is the maker, may lead the cards `plan` in this order
    whatever the others play. True is certain; False may be wrong.
    """
    indicator = position.indicator if position.hidden else 0
    last = position.own.bit_count() - 1
    # With all its cards the seat leads to trick 1, after which the indicator is taken up.
    taken_up = position.rules.opens_after_first and last + 1 == position.rules.cards
    for at, card in enumerate(plan):
        # A hidden indicator is led last of all, unless it was taken up after trick 1 (RULES 9.3,
        # 11.1).
        if card == indicator and at != last and not (taken_up and at):
            return False
    trumps = position.trumps & position.own & ~indicator
    trump_led = position.armed
    # RULES 8: no trump to trick 1; a maker with one card left (`last` is 0) leads what it has.
    if trumps & plan[0] and last and position.first_lead_banned():
        return False
    for card in plan:
        if trumps & card:
            trumps ^= card
            trump_led = True
        # Whether anybody will have followed is not known here: assume nobody, and let the search
        # decide.
        elif trump_led and trumps and position.rules.exhausted:
            return False
        if taken_up:
            # In the hand, the indicator is bound like any trump there; not if it was just led.
            trumps |= indicator & ~card
            indicator = 0
    return True


def one_more(led: Led, suit: int) -> Led:
    """Return the counts of led tricks by suit with one trick of `suit` added."""
    counts = list(led)
    counts[suit] += 1
    # Written out, so that its length is part of its type.
    return (counts[0], counts[1], counts[2], counts[3])


def _add(led: Led, more: Led) -> Led:
    """Return the sum, suit by suit, of two counts of led tricks."""
    return (led[0] + more[0], led[1] + more[1], led[2] + more[2], led[3] + more[3])


# A clock costs more than a node.
#: Nodes after which a clock is asked. A choice: they take some three milliseconds.
_OFTEN: Final = 64


class OutOfNodesError(Exception):
    """Raised when a search has used up the nodes or the time that its caller allowed."""


class Effort:
    """Counts the nodes of all searches of one question; the judge after a hand sets no limit."""

    __slots__ = ("_limit", "_more", "nodes")

    def __init__(self, limit: int | None = None, more: Callable[[], bool] | None = None) -> None:
        """Allow at most `limit` nodes, None for any number, and go on only while `more`, if
        given, returns True.
        """
        self.nodes = 0
        self._limit, self._more = limit, more

    def spend(self) -> None:
        """Count one node. Raises OutOfNodesError where the limit is used up, and, asked at every
        64th node, where `more` returns False.
        """
        # Asked before counting, so that just `limit` nodes are spent; None equals no number.
        if self.nodes == self._limit:
            raise OutOfNodesError
        self.nodes += 1
        if self._more is not None and not self.nodes % _OFTEN and not self._more():
            raise OutOfNodesError


class Refutation:
    """Searches under one hypothesis for lines of play that break an order; later questions use
    what earlier ones found.
    """

    def __init__(self, information: InformationSet, hypothesis: Hypothesis, effort: Effort) -> None:
        """Set up a search from what the seat knows under one hypothesis; `effort` counts the
        nodes of every question.
        """
        self.position = CapsPosition(information, hypothesis)
        self._effort = effort
        # Places count from the judged seat, which is 0.
        self._leader = (information.leader - information.seat) % information.seats
        faces = information.faces
        # The hypothesis holds rooms for the unknown cards of the trick alone, in order of play.
        rooms = iter(hypothesis.trick)
        # Cards of the trick in progress: a card, or the suits that an unseen one may have.
        self._played = tuple(
            (BIT[faces[play.slot]], 0) if play.slot in faces else (0, next(rooms).allowed)
            for play in information.plays
        )
        self._prefix: tuple[int, ...] = ()
        #: For each position met whether the order can break there, and whether a partner may come
        #: to lead.
        self._found: dict[tuple[object, ...], tuple[bool, bool]] = {}
        #: Whether in some line of the last question the partner came to lead.
        self.partner_leads = False

    def refutes(self, prefix: Sequence[int]) -> bool:
        """Tell whether some layout and line of play breaks `prefix`, the first own cards of an
        order, as bits.

        It breaks if one of its cards is not legal in its turn, or if the team loses a trick up to
        the one with its last card. Later tricks do not count. Raises OutOfNodesError where the
        effort is used up.
        """
        self._prefix = tuple(prefix)
        self.partner_leads = False
        if not self._played:
            return self._between(0, self._leader)
        return self._replay(0, CapsTrick(0))

    def choices(self, prefix: Sequence[int]) -> tuple[int, ...]:
        """Return the own cards to try next after `prefix`, as bits: all that it lacks, but of
        cards that are worth the same only one. Whether a card is legal then is not asked.
        """
        # Bits of different cards: the sum is their set. An unseen card counts 0.
        seen = sum(card for card, _ in self._played)
        return self.position.own_choices(self.position.own & ~sum(prefix), seen)

    def tells_apart(self, prefix: tuple[int, ...]) -> tuple[object, ...]:
        """Return a key of `prefix` that is equal for prefixes after which the same orders are sure,
        if no partner comes to lead in it.

        The cards count and not their order, since whoever follows lead after lead can have played
        the same cards. Kept apart are the card of a trick in progress, that of trick 1 if the
        indicator is shown after it, and a trump led last by a maker who must go on with trumps if
        nobody followed (specs/rules.md 11.3 no. 4).
        """
        position = self.position
        rules = position.rules
        # Fewer cards lie than there are seats from the leader to the judged one: its own is to
        # come.
        to_come = len(self._played) <= (OWN - self._leader) % position.seats
        first = to_come and (self._played or (position.hidden and rules.opens_after_first))
        bound = position.maker == OWN and rules.exhausted and prefix[-1] & position.trumps
        # A card where it must be kept apart, something false where it need not.
        return sum(prefix), first and prefix[0], bound and prefix[-1]

    def _replay(self, at: int, trick: CapsTrick) -> bool:
        """Tell whether in some layout and line of play a card of `_prefix`, the order's first own
        cards, is illegal in its turn, or the team loses a trick before these are played out; see
        `refutes`.

        `trick` holds the first `at` cards of the trick in progress; the others are still to be
        replayed, an unseen one as every card that it may be. Raises OutOfNodesError.
        """
        position = self.position
        place = (self._leader + at) % position.seats
        if at == len(self._played):
            # A choice of cards in the trick that leaves no layout for the rest is none.
            return position.fits() and self._turn(0, place, trick, ())
        card, suits = self._played[at]
        if card:
            return self._replay(at + 1, trick.after(card, place, position.trump))
        for suit in SUIT_NUMBERS:
            if suits >> suit & 1:
                # 0: what the card's seat cannot have any more was taken out of `suits`.
                for option in position.distinct(position.pool, suit, 0, POOL, trick):
                    # Taken out, searched, put back: `position` changes in place.
                    position.pool ^= option.card
                    broken = self._replay(at + 1, trick.after(option.card, place, position.trump))
                    position.pool ^= option.card
                    if broken:
                        return True
        return False

    # ------------------------------------------------------------------ tricks

    def _between(self, played: int, leader: int) -> bool:
        """Tell whether the order can break from a new trick on, led by `leader` after `played`
        cards of the prefix; False once the whole prefix is played. Answers are remembered.
        """
        # The flag is gathered for this position alone, to be remembered with the answer, then
        # joined.
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
                broken = self._turn(played, leader, CapsTrick(0), ())
            found = self._found[key] = (broken, self.partner_leads)
        self.partner_leads = before or found[1]
        return found[0]

    def _turn(self, played: int, place: int, trick: CapsTrick, open_: tuple[int, ...]) -> bool:
        """Tell whether the order can break from the turn of `place` in `trick` on, after `played`
        cards of the prefix.

        `open_` are the opponents that have played a card to this trick of which only the number is
        kept.
        """
        position = self.position
        if trick.cards == position.seats:
            # Once round the table: `place` led the trick.
            return self._trick_over(played, place, trick, open_)
        following = (place + 1) % position.seats
        if place == OWN:
            card = self._prefix[played]
            # Illegal in its turn: that breaks the order (RULES 13.2 a).
            if not position.own_legal(trick) & card:
                return True
            position.own ^= card
            after = trick.after(card, OWN, position.trump)
            broken = self._turn(played + 1, following, after, open_)
            position.own ^= card
            return broken
        closed = position.hidden and place == position.maker
        # An opponent that follows is not imagined: counting says afterwards whether it could have
        # won.
        if place in position.mates or not trick.cards or closed:
            if len(position.mates) > 1:
                return self._remembered_turn(played, place, trick, open_)
            return self._imagined_turn(played, place, trick, open_)
        # One card more: the best card, its seat and what was followed stay.
        after = trick._replace(cards=trick.cards + 1)
        return self._turn(played, following, after, (*open_, place))

    def _remembered_turn(
        self, played: int, place: int, trick: CapsTrick, open_: tuple[int, ...]
    ) -> bool:
        """Tell whether the order can break by any card that `place` may play now, from memory if
        the position was met before: several partners come to one position in many ways.

        `played` is how many cards of the prefix lie; `open_` are the opponents that have played a
        card to this trick of which only the number is kept.
        """
        position = self.position
        # As in `_between`: the flag is gathered for this position alone.
        before = self.partner_leads
        self.partner_leads = False
        # Longer than a key of `_between`, so that one memory serves both. With `best`: the card
        # that wins so far is in no hand any more, and must still be beaten.
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
            # Once the last card of the prefix lies, counting may show that nobody can beat it.
            last = played == len(self._prefix)
            broken = not (last and self._is_safe(place, trick, open_)) and self._imagined_turn(
                played, place, trick, open_
            )
            found = self._found[key] = (broken, self.partner_leads)
        self.partner_leads = before or found[1]
        return found[0]

    def _is_safe(self, place: int, trick: CapsTrick, open_: tuple[int, ...]) -> bool:
        """Tell whether the team wins this trick so far and no opponent can beat its card, whatever
        is played from the turn of `place` on; False before the lead. If so, notes whether a partner
        may win the trick, and so come to lead.

        `open_` are the opponents that have played a card to this trick of which only the number is
        kept.
        """
        position = self.position
        # Before the lead `winner` is 0 and names nobody.
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

    def _imagined_turn(
        self, played: int, place: int, trick: CapsTrick, open_: tuple[int, ...]
    ) -> bool:
        """Tell whether the order can break by any card that `place`, a seat other than the judged
        one, may play now: each is tried in turn.

        `played` is how many cards of the prefix lie; `open_` are the opponents that have played a
        card to this trick of which only the number is kept.
        """
        position = self.position
        known, unknown = position.known[place], position.unknown[place]
        excluded, pool, loose = position.excluded[place], position.pool, position.loose
        broken = False
        # A break is looked for, so the plays that are likely to give one come first: those that
        # win the trick, and low cards.
        options = sorted(
            position.options(place, trick), key=lambda each: (not each.beats, each.card)
        )
        if not trick.cards:
            due = self._prefix[played]
            # For each suit that may be led: whether the next card of the order could follow it.
            legal = [position.own_legal(CapsTrick(1, suit)) & due != 0 for suit in SUIT_NUMBERS]
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
                # From the table: it was the hidden indicator, imagined as this unseen card.
                else:
                    position.loose = 0
            # Without unknown cards nothing is left to exclude, and equal positions have equal keys.
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

    def _trick_over(
        self, played: int, leader: int, trick: CapsTrick, open_: tuple[int, ...]
    ) -> bool:
        """Tell whether the order can break now that every seat has played to `trick`: because an
        opponent wins the trick, or may hold a winning card that was not imagined, or in a later
        trick.

        `played` is how many cards of the prefix lie, `leader` who led the trick; `open_` are the
        opponents that have played a card to it of which only the number is kept.
        """
        position = self.position
        # RULES 13.2 b: the team must win every trick.
        if trick.winner not in position.team:
            return True
        for place in open_:
            if can_take(position, place, trick.led, trick.best, position.led[place]):
                return True
        if played == len(self._prefix):
            self.partner_leads |= trick.winner in position.mates
            return False
        hidden = position.hidden
        # Trick 1 has just ended: own cards are one fewer than dealt.
        first = position.own.bit_count() == position.rules.cards - 1
        if trick.cut or (position.rules.opens_after_first and first):
            position.hidden = False
        led = list(position.led)
        # By the tricks led before this one: who did not follow it was out of trump already.
        voids = [ways_to_be_void(position.trump, led[place]) for place in open_]
        for place in open_:
            position.led[place] = one_more(led[place], trick.led)
        broken = self._armed(played, leader, trick, dict(zip(open_, voids, strict=True)))
        position.led[:] = led
        position.hidden = hidden
        return broken

    def _armed(
        self, played: int, leader: int, trick: CapsTrick, voids: Mapping[int, Iterator[Bound]]
    ) -> bool:
        """Tell whether the order can break after a trick that the team won.

        If it is open whether this trick obliges the maker to go on with trumps (RULES 11.2), both
        cases are tried: an opponent followed, or none did. `played` is how many cards of the prefix
        lie, `leader` who led the trick; `voids` maps each opponent whose card to this trick was not
        imagined to the bounds under which its hand has no trump.
        """
        position = self.position
        winner = trick.winner
        # An opponent who led once leads no more: the team has to win every trick.
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
            # First suppose of each opponent in turn that it did follow the trump lead; then that
            # none did (specs/rules.md 11.3 no. 11).
            need[position.trump] = position.led[place][position.trump]
            position.bounds[place] = Bound(tuple(need))
            position.bounded = True
            broken = position.fits() and self._opened(played, winner)
            position.bounds[:], position.bounded = bounds, bounded
            if broken:
                return True
        position.armed = True
        broken = False
        # Once, with no needs at all, where every card of the trick was imagined.
        for needs in _each_of(voids):
            for place, bound in needs.items():
                position.bounds[place] = bound
                position.bounded = True
            broken = position.fits() and self._opened(played, winner)
            position.bounds[:], position.bounded = bounds, bounded
            if broken:
                break
        position.armed = False
        return broken

    def _opened(self, played: int, winner: int) -> bool:
        """Tell whether the order can break from the next trick on, led by `winner` after
        `played` cards of the prefix. An indicator that another seat has just shown joins that
        seat's hand: each unseen trump is tried for it.
        """
        position = self.position
        if not position.loose or position.hidden:
            return self._between(played, winner)
        maker, pool = position.maker, position.pool
        known = position.known[maker]
        position.loose = 0
        broken = False
        # Which trump it is matters from now on: it is an open card that must be followed and can be
        # beaten.
        for card in bits(pool & position.trumps):
            position.pool = pool ^ card
            position.known[maker] = known | card
            broken = position.fits() and self._between(played, winner)
            if broken:
                break
        # 1: it was loose, or we had returned above.
        position.pool, position.known[maker], position.loose = pool, known, 1
        return broken


def _each_of(ways: Mapping[int, Iterator[Bound]]) -> Iterator[dict[int, Bound]]:
    """Yield every combination of one bound for each seat, as a mapping from seat to bound;
    `ways` has the bounds to choose from. For no seats this is one empty mapping.
    """
    for chosen in product(*ways.values()):
        yield dict(zip(ways, chosen, strict=True))


# --- is this order of cards sure, and is there any sure order (RULES 13.2) ------------------------
#
# The answers depend on the information set alone. They serve the judge after the hand, a bot's
# decision and a player's hint.


class Prospect(NamedTuple):
    """The answer of a search: whether any order is sure, such an order, and the nodes it took."""

    sure: bool
    order: tuple[Card, ...] = ()
    nodes: int = 0  #: What the answer cost.


def judge_order(
    information: InformationSet,
    order: Sequence[Card],
    limit: int | None = None,
    more: Callable[[], bool] | None = None,
) -> bool:
    """Tell whether `order`, all of the seat's remaining cards, is sure to win every trick (RULES
    13.2).

    False once the seat's team has lost a trick; True for a seat without cards. Raises ValueError if
    `order` is anything else than these cards, or if the facts leave no layout.

    Args:
        limit: the number of search nodes after which OutOfNodesError is raised; None is no limit.
        more: asked at every 64th node, as a clock costs more than a node; OutOfNodesError is raised
            once it returns False.
    """
    # As sorted lists: a set would take a card that is named twice.
    if sorted(order) != sorted(information.own_cards()):
        raise ValueError("an order consists of all remaining cards of the seat, each once")
    if not information.unbeaten:
        return False
    cards = tuple(BIT[card] for card in order)
    # Also for no cards: it raises where no layout agrees.
    searches = _searches(information, Effort(limit, more))
    return not cards or not any(search.refutes(cards) for search in searches)


def find_order(
    information: InformationSet,
    limit: int | None = None,
    more: Callable[[], bool] | None = None,
) -> Prospect:
    """Search for an order of the seat's remaining cards that is sure; return the first one found,
    or a Prospect that is not `sure` and has no order.

    Not sure once the seat's team has lost a trick, and for a seat without cards. Raises ValueError
    if the facts leave no layout.

    Args:
        limit: the number of search nodes after which OutOfNodesError is raised; None is no limit.
        more: asked at every 64th node, as a clock costs more than a node; OutOfNodesError is raised
            once it returns False.
    """
    # Without cards there is nothing left to call caps with, though no order of them could lose.
    if not information.unbeaten or not information.own_cards():
        return Prospect(sure=False)
    effort = Effort(limit, more)
    searches = _searches(information, effort)
    order = next(_sure_orders(searches, (), set()), None)
    if order is None:
        return Prospect(False, (), effort.nodes)
    return Prospect(True, tuple(CARD[card] for card in order), effort.nodes)


def _searches(information: InformationSet, effort: Effort) -> tuple[Refutation, ...]:
    """Return a search for a refutation under each hypothesis, all counting nodes in `effort`;
    raises ValueError where no layout fits the facts.
    """
    possible = hypotheses(information)
    if not possible:
        raise ValueError("no layout agrees with what the seat knows")
    return tuple(Refutation(information, hypothesis, effort) for hypothesis in possible)


def _sure_orders(
    searches: Sequence[Refutation], prefix: tuple[int, ...], failed: set[tuple[object, ...]]
) -> Iterator[tuple[int, ...]]:
    """Yield sure orders that begin with `prefix`, cards that no line of play refutes so far; each
    order is a tuple of bits. At least one where there is any, but not all: cards that are worth the
    same, and sets of cards that were tried in another order, are tried once.

    `searches` look for a refutation, one under each hypothesis. `failed` collects the sets of cards
    that were tried.
    """
    # Any search does: which own cards are worth the same depends on cards that all of them share.
    choices = searches[0].choices(prefix)
    if not choices:
        # All own cards are in it: the whole order is sure.
        yield prefix
    for card in choices:
        longer = (*prefix, card)
        # A prefix that breaks under one hypothesis breaks every order that begins so.
        if any(search.refutes(longer) for search in searches):
            continue
        # Once a partner may lead, the order of the cards before it matters: sets must not be
        # remembered.
        if any(search.partner_leads for search in searches):
            yield from _sure_orders(searches, longer, failed)
            continue
        apart = tuple(search.tells_apart(longer) for search in searches)
        if apart not in failed:
            yield from _sure_orders(searches, longer, failed)
            # Reached only where nothing sure was found: the caller stops at the first order.
            failed.add(apart)
