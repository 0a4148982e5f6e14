"""Caps after the hand: who had to call, until when, and what a call was worth (RULES 13.3-13.6).

The log is replayed; at every point where a seat's knowledge grows, `orders` says whether the seat
had a sure order. What a seat knew is taken from the state at that point and from the opened cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, assert_never

from p2p304.cards import Card, Slot, Suit
from p2p304.rules304.actions import LayIndicator, SortHand
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import find_order, judge_order
from p2p304.rules304.choices import CapsGrace, CapsModel
from p2p304.rules304.dealing import may_open
from p2p304.rules304.machine import apply
from p2p304.rules304.pack import STRENGTH
from p2p304.rules304.scoring import NO_CAPS, CapsVerdict
from p2p304.rules304.state import Caps, End, Phase, State
from p2p304.rules304.teams import Team
from p2p304.rules304.tricks import total_tricks
from p2p304.seats import Seat

Faces = Mapping[Slot, Card]

_JUDGED: Final = {End.PLAYED, End.CONCEDED, End.CAPS_LOST}


class CapsMoment(NamedTuple):
    """A point in the play of a hand, in log order."""

    cards: int
    """How many cards have been played."""
    in_window: bool
    """Whether the window that follows them is still open."""
    seats: int
    tricks: int
    """How many the hand has."""

    @property
    def trick(self) -> int:
        """The trick that it falls in; the window after a trick belongs to that trick."""
        return self.cards // self.seats + (not (self.in_window and self.cards % self.seats == 0))

    def meets(self, duty: CapsMoment, grace: CapsGrace) -> bool:
        """Tell whether a call at this moment is in time for a duty that began at `duty` (13.3)."""
        if grace is CapsGrace.STRICT:
            return self.cards <= duty.cards
        last = min(duty.trick, self.tricks - 1) * self.seats
        if duty.trick == self.tricks:
            return self.cards <= last  # shown cards gave certainty in the last lead's turn
        return self.cards < last or (self.cards == last and self.in_window)


class Certainty(NamedTuple):
    """Since when some order of a seat's cards was certain, and that order."""

    moment: CapsMoment
    order: tuple[Card, ...]


def certain_order(
    state: State,
    seat: Seat,
    faces: Faces,
    order: Sequence[Card] | None = None,
) -> bool:
    """Tell whether `order`, or if it is None any order, is sure for `seat`.

    `faces` is what the seat's view shows. Raises ValueError outside play and for an order that
    does not consist of the seat's remaining cards.
    """
    information = information_of(state, seat, faces)
    if order is None:
        return find_order(information).sure
    return judge_order(information, order)


def duties(state: State, faces: Sequence[Faces]) -> dict[Seat, CapsMoment]:
    """Return the first moment at which each seat had to call caps, of those that ever had.

    `faces` gives for each seat at least what it has seen so far. A call ends the search: nobody
    can call after it.
    """
    return {seat: each.moment for seat, each in certainties(state, faces).items()}


def certainties(state: State, faces: Sequence[Faces]) -> dict[Seat, Certainty]:
    """Return what `duties` does, with the order that was certain then."""
    found: dict[Seat, Certainty] = {}
    for moment, then in moments(state):
        if then.caps is not None:
            break
        for seat in then.everybody:
            if seat in found or not then.has_won_all(then.teams[seat]):
                continue
            if not opponents_keep_a_winner(then, seat, faces[seat]):
                prospect = find_order(information_of(then, seat, faces[seat]))
                if prospect.sure:
                    found[seat] = Certainty(moment, prospect.order)
    return found


def opponents_keep_a_winner(state: State, seat: Seat, faces: Faces) -> bool:
    """Tell whether a card is seen to win a trick for the opponents whatever the seat plays.

    Then nothing is sure, whatever the seat itself has seen: how the cards really lie is one of the
    layouts that it must allow for.
    """
    indicator = None if state.trump_slot is None else faces.get(state.trump_slot)
    if indicator is None:
        return False
    trump = indicator.suit
    return _best_trump_is_theirs(state, seat, faces, trump) or _best_is_theirs_of_a_suit(
        state, seat, faces, trump
    )


def _best_trump_is_theirs(state: State, seat: Seat, faces: Faces, trump: Suit) -> bool:
    """Tell whether an opponent has the best trump outside completed tricks: it will win the trick
    to which it is played."""
    gone = {faces.get(play.slot) for play in state.played}
    trumps = [card for card in state.profile.deck.cards if card.suit is trump]
    left = [card for card in trumps if card not in gone]
    if not left:
        return False
    best = max(left, key=lambda card: STRENGTH[card.rank])
    opponents = state.opponents(seat)
    theirs = [slot for other in opponents for slot in state.hands[other]]
    theirs += [play.slot for play in state.plays if play.seat in opponents]
    if state.indicator is not None and state.maker in opponents:
        theirs.append(state.indicator)
    return any(faces.get(slot) == best for slot in theirs)


def _best_is_theirs_of_a_suit(state: State, seat: Seat, faces: Faces, trump: Suit) -> bool:
    """Tell whether an opponent has the best card of a plain suit of which each of the team has one.

    It wins once that suit is led, for the team follows. The seat, who leads while its team wins,
    must lead its own card of the suit some time, and a partner who comes to lead can do so at once.
    The others can throw other cards off till then: but for a maker with hidden trump, who has one
    card less to throw when trumps are led, so that the seat must have two.
    """
    mates, opponents = state.mates(seat), state.opponents(seat)
    hands = [[faces.get(slot) for slot in hand] for hand in state.hands]
    bound = state.unfollowed or state.shown or state.promised is not None
    theirs = not state.plays and state.leader in opponents
    if bound or theirs or any(None in hand for hand in hands):
        return False
    led = faces[state.plays[0].slot].suit if state.plays else None
    to_play = led is not None and all(play.seat != seat for play in state.plays)
    thrown = to_play and all(card.suit is not led for card in hands[seat] if card)
    needed = 1 + thrown + (state.trump is None and state.maker in mates)
    for suit in Suit:
        if suit in (trump, led):
            continue
        held = [
            [STRENGTH[card.rank] for card in hand if card and card.suit is suit] for hand in hands
        ]
        team = [held[seat], *(held[mate] for mate in mates)]
        if len(held[seat]) >= needed and all(team):
            best = max(map(max, team))
            if any(strength > best for other in opponents for strength in held[other]):
                return True
    return False


def moments(state: State) -> Iterator[tuple[CapsMoment, State]]:
    """Yield the states in which knowledge has grown, from the end of DECLARE to the last trick's
    lead.

    They end with a call of caps. There are none before play and under contracts without caps.
    """
    if isinstance(state.contract, Contract):
        return
    before: tuple[object, ...] = ()
    for then in _replayed(state):
        if then.caps is not None:
            return
        opening = then.phase is Phase.WINDOW and then.awaiting == then.everybody
        if then.phase is Phase.TRICK or opening:
            moment = _moment(then)
            if moment.cards > (moment.tricks - 1) * moment.seats:
                return
            known = (moment.cards, then.trump, len(then.faces), len(then.facts))
            if known != before:
                yield moment, then
            before = known


def caps_verdicts(state: State) -> tuple[CapsVerdict, CapsVerdict]:
    """Return the verdict on each team's caps in a hand that is over and whose cards are open.

    Whoever lost a trick after a call pays for that (RULES 15 line 3), whatever else was due; the
    cards that stayed closed then are not needed.
    """
    if isinstance(state.contract, Contract) or state.end not in _JUDGED:
        return NO_CAPS
    match state.profile.caps_model:
        case CapsModel.OFF:
            return NO_CAPS
        case CapsModel.OUTCOME:
            return _by_outcome(state, Team(0)), _by_outcome(state, Team(1))
        case CapsModel.EPISTEMIC:
            return _by_knowledge(state)
        case _:
            assert_never(state.profile.caps_model)


def _by_outcome(state: State, team: Team) -> CapsVerdict:
    """Judge caps by the outcome (RULES 13.6)."""
    won = state.has_won_all(team)
    if state.caps is None or state.teams[state.caps.seat] != team:
        return CapsVerdict.WRONG if won else CapsVerdict.NONE
    return _correct(state) if won else CapsVerdict.LOST


def _by_knowledge(state: State) -> tuple[CapsVerdict, CapsVerdict]:
    """Judge caps by knowledge (RULES 13.5)."""
    caller = None if state.caps is None else state.teams[state.caps.seat]
    if caller is not None and not state.has_won_all(caller):
        lost, none = CapsVerdict.LOST, CapsVerdict.NONE
        return (lost, none) if caller == 0 else (none, lost)
    due = duties(state, (state.faces,) * state.seats)
    return _verdict(state, Team(0), due), _verdict(state, Team(1), due)


def _verdict(state: State, team: Team, due: Mapping[Seat, CapsMoment]) -> CapsVerdict:
    profile = state.profile
    call = None if state.caps is None else _moment(_at_call(state))
    missed = any(
        call is None or not call.meets(moment, profile.caps_grace)
        for seat, moment in due.items()
        if state.teams[seat] == team
    )
    if state.caps is None or state.teams[state.caps.seat] != team:
        forgiven = profile.sandbag_ok and not state.has_won_all(team)
        return CapsVerdict.WRONG if missed and not forgiven else CapsVerdict.NONE
    sure = _sure_call(state, state.caps)
    if not sure or (missed and not profile.caps_late_free):
        return CapsVerdict.WRONG
    return _correct(state)


def _sure_call(state: State, caps: Caps) -> bool:
    """Tell whether the order of a call was certain when it was made."""
    order = tuple(card for _, card in caps.order) if state.profile.caps_order_stated else None
    return certain_order(_at_call(state), caps.seat, state.faces, order)


def called_early(state: State) -> bool:
    """Tell whether caps were called before their order was certain, in a hand whose cards are
    open."""
    return state.caps is not None and not _sure_call(state, state.caps)


def _correct(state: State) -> CapsVerdict:
    """Return the verdict on a correct call, with the bonus if it came before its deadline's
    trick."""
    in_time = (state.profile.caps_bonus_before - 1) * state.seats
    if _moment(_at_call(state)).cards <= in_time:
        return CapsVerdict.CORRECT_BONUS
    return CapsVerdict.CORRECT_NO_BONUS


def _at_call(state: State) -> State:
    """Return the state just before the call of caps, or as its window opened."""
    assert state.caps is not None
    return next(then for then in _replayed(state) if len(then.log) == state.caps.log_index)


def _moment(state: State) -> CapsMoment:
    cards = len(state.tricks) * state.seats + len(state.plays)
    return CapsMoment(cards, state.phase is Phase.WINDOW, state.seats, total_tricks(state))


def _replayed(state: State) -> Iterator[State]:
    """Yield the states of play so far, one for each action, from the declaration on."""
    maker, trump_slot = state.maker, state.trump_slot
    if maker is None or trump_slot is None or not any(state.dealt):
        return
    start = 1 + max(
        place
        for place, (_, action) in enumerate(state.log)
        if isinstance(action, LayIndicator | SortHand)
    )
    then = State(
        profile=state.profile,
        dealer=state.dealer,
        phase=Phase.WINDOW,
        awaiting=state.everybody,
        auction=state.auction,
        teams=state.teams,
        log=state.log[:start],
        round_start=start,
        calls=state.calls,
        cut=state.cut,
        hands=state.dealt,
        dealt=state.dealt,
        maker=maker,
        contract=state.contract,
        indicator=trump_slot,
        trump_slot=trump_slot,
        leader=state.right_of(state.dealer),
    ).with_hand(maker, tuple(slot for slot in state.dealt[maker] if slot != trump_slot))
    if may_open(then):
        then = then._replace(phase=Phase.DECLARE, awaiting=(maker,))
    yield then
    for seat, action in state.log[start:]:
        then = apply(then, seat, action).state
        yield then
