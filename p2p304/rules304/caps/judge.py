"""Caps after the hand: who had to call, until when, and what a call was worth (RULES 13.3-13.6).

The log is replayed; at every point where a seat's knowledge grows, `search` says whether the seat
had a sure order. What a seat knew is taken from the state at that point and from the opened cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, assert_never

from p2p304.cards import Card, Faces, Suit
from p2p304.rules304.actions import Contract, LayIndicator, SortHand
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.search import find_order, judge_order
from p2p304.rules304.dealing import may_open
from p2p304.rules304.machine import apply
from p2p304.rules304.pack import STRENGTH
from p2p304.rules304.play import total_tricks
from p2p304.rules304.profile import CapsGrace, CapsModel
from p2p304.rules304.scoring import NO_CAPS, CapsVerdict
from p2p304.rules304.state import Caps, End, Phase, State
from p2p304.rules304.teams import Team
from p2p304.seats import Seat

#: How a hand ends in which caps are judged: any other is void, or settled by a broken rule or a
#: contract.
_JUDGED: Final = {End.PLAYED, End.CONCEDED, End.CAPS_LOST}


class CapsMoment(NamedTuple):
    """A point in the play of a hand, as the number of cards played and whether a window is open
    then.
    """

    cards: int  #: How many cards have been played.
    in_window: bool  #: Whether the window that follows them is still open.
    seats: int  #: How many seats play a card to each trick.
    tricks: int  #: How many the hand has.

    @property
    def trick(self) -> int:
        """The number of the trick that this moment falls in, from 1. The window after a trick
        belongs to that trick; the window before the first trick is in trick 0.
        """
        # A bool counts 0 or 1: the trick after the complete ones, but for the window right after
        # one.
        return self.cards // self.seats + (not (self.in_window and self.cards % self.seats == 0))

    def meets(self, duty: CapsMoment, grace: CapsGrace) -> bool:
        """Tell whether a call of caps at this moment is in time for a seat that had to call from
        the moment `duty` on (RULES 13.3).

        With the `grace` CapsGrace.STRICT it must come before the next card; else before the next
        trick begins, and before the last trick's first card in any case.
        """
        if grace is CapsGrace.STRICT:
            return self.cards <= duty.cards
        # No call is possible after the last trick's lead, so a duty ends with the trick before it.
        last = min(duty.trick, self.tricks - 1) * self.seats
        if duty.trick == self.tricks:
            return self.cards <= last  # shown cards gave certainty in the last lead's turn
        return self.cards < last or (self.cards == last and self.in_window)


class Certainty(NamedTuple):
    """The first moment at which some order of a seat's cards was sure, and that order."""

    moment: CapsMoment
    order: tuple[Card, ...]


def certainties(state: State, faces: Sequence[Faces]) -> dict[Seat, Certainty]:
    """Return, for each seat that had an order sure to win every trick and so had to call caps, the
    first moment at which it had one, and that order.

    Moments after a call of caps are not looked at. `faces` gives for each seat, in seat order, at
    least the faces that it has seen so far.
    """
    found: dict[Seat, Certainty] = {}
    for moment, then in moments(state):
        for seat in then.everybody:
            # The first moment counts, and a team that lost a trick has no sure order any more.
            if seat in found or not then.has_won_all(then.teams[seat]):
                continue
            # A quick no, which changes no verdict and saves most searches.
            if not opponents_keep_a_winner(then, seat, faces[seat]):
                prospect = find_order(information_of(then, seat, faces[seat]))
                if prospect.sure:
                    found[seat] = Certainty(moment, prospect.order)
    return found


def opponents_keep_a_winner(state: State, seat: Seat, faces: Faces) -> bool:
    """Tell whether the cards in `faces` show that an opponent of `seat` wins for sure the trick in
    progress or a later one, so that no order of `seat` can be sure (specs/rules.md 11.3 no. 14).

    False also where `faces` lacks a card that is needed, such as the indicator. `faces` may hold
    more than the seat has seen: the real layout is one that it must allow for.
    """
    indicator = None if state.trump_slot is None else faces.get(state.trump_slot)
    if indicator is None:
        return False
    trump = indicator.suit
    return _best_trump_is_theirs(state, seat, faces, trump) or _best_is_theirs_of_a_suit(
        state, seat, faces, trump
    )


def _best_trump_is_theirs(state: State, seat: Seat, faces: Faces, trump: Suit) -> bool:
    """Tell whether by `faces` an opponent of `seat` has the highest trump of those outside
    completed tricks: that card wins the trick to which it is played.
    """
    # Closed cards of earlier tricks count as trumps that are left: at worst a False that costs a
    # search.
    gone = {faces.get(play.slot) for play in state.earlier_plays}
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
    """Tell whether by `faces`, in some suit other than trump and the suit led now, an opponent has
    the best card, and `seat` and each of its partners have a card of that suit. False, too, where
    this proves nothing: a hand has an unknown card, an opponent leads next, or a card must be
    played for it was shown or because nobody followed the maker.

    The opponent's card wins once that suit is led, for the team must follow. The seat, which leads
    while its team wins, must lead its own card of the suit some time, and a partner who comes to
    lead can do so at once. The seat needs one card more of the suit if it may throw one off in this
    trick, and one more if a partner is the maker with hidden trump, who has fewer cards to throw
    when trumps are led.
    """
    mates, opponents = state.mates(seat), state.opponents(seat)
    hands = [[faces.get(slot) for slot in hand] for hand in state.hands]
    # Duties to play certain cards could keep a seat from throwing off others (specs/rules.md 11.3
    # no. 14).
    bound = state.unfollowed or state.shown or state.promised is not None
    theirs = not state.plays and state.leader in opponents
    if bound or theirs or any(None in hand for hand in hands):
        return False
    led = faces[state.plays[0].slot].suit if state.plays else None
    to_play = led is not None and all(play.seat != seat for play in state.plays)
    # No card is None from here on; `if card` tells type checkers so.
    thrown = to_play and all(card.suit is not led for card in hands[seat] if card)
    # Bools count 0 or 1: a card more for each that the seat may have to throw off before the suit
    # is led.
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
    """Yield each point of a hand at which some seat knows more than before, as a moment and the
    state at it.

    The points run from the end of the declaration to the last trick's lead, or to a call of caps.
    There are none before play, and none under contracts.
    """
    if isinstance(state.contract, Contract):
        return
    before: tuple[object, ...] = ()
    for then in _replay(state):
        if then.caps is not None:
            return
        # A window that has just opened: nobody has answered in it yet.
        opening = then.phase is Phase.WINDOW and then.awaiting == then.everybody
        if then.phase is Phase.TRICK or opening:
            moment = _moment(then)
            # Past the first card of the last trick nobody has a duty (ruling 71).
            if moment.cards > (moment.tricks - 1) * moment.seats:
                return
            # Knowledge only grows: equal counts mean that nobody learned anything since.
            known = (moment.cards, then.trump, len(then.faces), len(then.facts))
            if known != before:
                yield moment, then
            before = known


def caps_verdicts(state: State) -> tuple[CapsVerdict, CapsVerdict]:
    """Return the verdict on each team's caps, by team, in a hand that is over and whose cards are
    open.

    Both NONE where caps are not judged: under contracts, where the profile has no caps, and after a
    hand that is void or ended by a broken rule. A team that lost a trick after its call is judged
    for that alone, and closed cards are not needed then (RULES 15 line 3).
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
    """Return the verdict on a team's caps by the tricks that it won (RULES 13.6).

    A team that called has won every trick, which is correct, or LOST one. A team that did not call
    is WRONG if it won every trick, else NONE.
    """
    won = state.has_won_all(team)
    if state.caps is None or state.teams[state.caps.seat] != team:
        return CapsVerdict.WRONG if won else CapsVerdict.NONE
    return _correct(state) if won else CapsVerdict.LOST


def _by_knowledge(state: State) -> tuple[CapsVerdict, CapsVerdict]:
    """Return the verdict on team 0's caps and on team 1's, by what their seats could know (RULES
    13.5).
    """
    caller = None if state.caps is None else state.teams[state.caps.seat]
    if caller is not None and not state.has_won_all(caller):
        # RULES 15 line 3: who called and lost pays for that, whatever else was due. Before the call
        # the team had lost no trick, or it could not have called.
        lost, none = CapsVerdict.LOST, CapsVerdict.NONE
        return (lost, none) if caller == 0 else (none, lost)
    # All cards are open by now; `information_of` leaves out what a seat had not seen then.
    due = certainties(state, (state.faces,) * state.seats)
    return _verdict(state, Team(0), due), _verdict(state, Team(1), due)


def _verdict(state: State, team: Team, due: Mapping[Seat, Certainty]) -> CapsVerdict:
    """Return the verdict on one team's caps by what its seats could know. `due` gives for each seat
    that had to call since when it was certain.

    WRONG for a call that was not sure, for one that came too late, and for a missed call, as far as
    the profile punishes them.
    """
    profile = state.profile
    call = None if state.caps is None else _moment(_at_call(state))
    # A hand has one call at most: one by the opponents also ends a duty that is still in time.
    missed = any(
        call is None or not call.meets(each.moment, profile.caps_grace)
        for seat, each in due.items()
        if state.teams[seat] == team
    )
    if state.caps is None or state.teams[state.caps.seat] != team:
        # Ruling 68: with `caps_concealment` allowed, a missed call is forgotten once a trick was
        # lost.
        forgiven = profile.sandbag_ok and not state.has_won_all(team)
        return CapsVerdict.WRONG if missed and not forgiven else CapsVerdict.NONE
    sure = _sure_call(state, state.caps)
    if not sure or (missed and not profile.caps_late_free):
        return CapsVerdict.WRONG
    return _correct(state)


def _sure_call(state: State, caps: Caps) -> bool:
    """Tell whether a call of caps was sure when it was made: its own order where the table
    states one, else any order.
    """
    information = information_of(_at_call(state), caps.seat, state.faces)
    if state.profile.caps_order_stated:
        return judge_order(information, [card for _, card in caps.order])
    return find_order(information).sure


# Every frame of a summary asks it of the hand that is shown.
@lru_cache(maxsize=2)
def called_early(state: State) -> bool:
    """Tell whether caps were called before their order was sure to win; False where nobody
    called. The hand is over and its cards are open.
    """
    return state.caps is not None and not _sure_call(state, state.caps)


def _correct(state: State) -> CapsVerdict:
    """Return the verdict on a correct call: CORRECT_BONUS if it came before trick
    `caps_bonus_before` began, else CORRECT_NO_BONUS.
    """
    # The cards played before the deadline's trick; its lead is the next one.
    in_time = (state.profile.caps_bonus_before - 1) * state.seats
    if _moment(_at_call(state)).cards <= in_time:
        return CapsVerdict.CORRECT_BONUS
    return CapsVerdict.CORRECT_NO_BONUS


def _at_call(state: State) -> State:
    """Return the state by which a call of caps is judged: the last one before the call, or for a
    call in a window the one in which the window opened.
    """
    return next(then for then in _replay(state) if len(then.log) == state.the_caps.log_index)


def _moment(state: State) -> CapsMoment:
    """Return the moment of a state: how many cards are played in it, and whether a window is
    open.
    """
    cards = len(state.tricks) * state.seats + len(state.plays)
    return CapsMoment(cards, state.phase is Phase.WINDOW, state.seats, total_tricks(state))


def _replay(state: State) -> Iterator[State]:
    """Yield the states of play again, from the declaration on: the first one, then one after
    each action of the log. Nothing where the cards are not all dealt and sorted.
    """
    maker, trump_slot = state.maker, state.trump_slot
    if maker is None or trump_slot is None or not any(state.dealt):
        return
    # From the last laying or sorting on: what the auctions did is not replayed, for it is no
    # information.
    start = 1 + max(
        place
        for place, (_, action) in enumerate(state.log)
        if isinstance(action, LayIndicator | SortHand)
    )
    # Begun from `dealt`, the hands right after sorting.
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
        # Only contracts have the maker lead, and under them no caps are called.
        leader=state.right_of(state.dealer),
    ).with_hand(maker, tuple(slot for slot in state.dealt[maker] if slot != trump_slot))
    if may_open(then):
        then = then._replace(phase=Phase.DECLARE, awaiting=(maker,))
    yield then
    for seat, action in state.log[start:]:
        then = apply(then, seat, action).state
        yield then
