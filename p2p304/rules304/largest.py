"""Of what may be done next, what takes most to say and to prove, judged by what everybody sees.

A hidden card counts as one that nobody has seen. Statements depend on a card's suit alone, and on
which slots are hidden, so that one card of each suit, in one hidden slot, stands for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.rules304 import actions as act
from p2p304.rules304 import bidding
from p2p304.rules304.actions import Action, Face
from p2p304.rules304.bids import Bid, bid_text
from p2p304.rules304.calls import (
    caps_slots,
    why_no_caps,
    why_no_double,
    why_no_showing,
    why_no_showing_in_turn,
    why_no_spoilt,
)
from p2p304.rules304.count import due_at_count
from p2p304.rules304.dealing import deck_size
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.play import first_lead_banned
from p2p304.rules304.state import Phase, State
from p2p304.rules304.tricks import due_on_cut
from p2p304.seats import Seat


def largest_actions(state: State, seat: Seat) -> Iterable[Action]:
    """Return the actions of the game interface; those that the rules forbid are among them."""
    return _CANDIDATES[state.phase](state, seat)


def _unseen(state: State, first: Suit | None = None) -> list[Card]:
    """Return the cards that nobody has seen, those of `first` before the others, then the
    cheapest."""
    seen = set(state.faces.values())
    unseen = [card for card in state.profile.deck.cards if card not in seen]
    return sorted(unseen, key=lambda card: (card.suit != first, CARD_POINTS[card]))


def _of_each_suit(state: State) -> list[Card]:
    """Return an unseen card of every suit that has one."""
    return list({card.suit: card for card in _unseen(state)}.values())


def _faces(state: State, slots: tuple[Slot, ...], first: Suit | None = None) -> tuple[Face, ...]:
    """Return each of these slots with its face, or with an unseen card; no more slots than
    cards."""
    unseen = iter(_unseen(state, first))
    return tuple((slot, state.faces.get(slot) or next(unseen)) for slot in slots)


def _auction4(state: State, seat: Seat) -> Iterator[Action]:
    yield act.Pass()
    asked = bidding.whom_to_ask(state.profile, state.auction, seat)
    yield from map(act.AskPartner, asked[-1:])
    yield from _longest_bid(bidding.four_card_bids(state.profile, state.auction, seat))
    yield act.DemandRedeal(() if state.profile.redeal_private else _faces(state, state.hands[seat]))


def _auction8(state: State, seat: Seat) -> Iterator[Action]:
    if state.auction.full:
        yield from _auction4(state, seat)
        return
    assert state.contract is not None
    yield act.Pass()
    bids = bidding.eight_card_bids(state.profile, state.contract, state.auction, seat)
    yield from _longest_bid(bids)


def _longest_bid(bids: tuple[Bid, ...]) -> Iterator[Action]:
    yield from map(act.PlaceBid, sorted(bids, key=lambda bid: len(bid_text(bid)))[-1:])


def _claims(state: State, seat: Seat) -> Iterator[Action]:
    if why_no_caps(state, seat) is None:
        slots = caps_slots(state, seat) if state.profile.caps_expose else ()
        yield act.CallCaps(_faces(state, slots))
    if why_no_spoilt(state) is None:
        yield act.CallSpoilt()


def _window(state: State, seat: Seat) -> Iterator[Action]:
    yield act.Ready()
    yield from _claims(state, seat)
    hidden = [slot for slot in state.hands[seat] if slot not in state.faces]
    if hidden and why_no_showing(state, seat) is None:
        yield act.ShowCard(max(hidden), _unseen(state)[0])
    if why_no_double(state, seat) is None:
        yield act.CallDouble()
    if state.profile.marriages:
        yield act.DeclareMarriages(_most_marriages(state, seat))


def _most_marriages(state: State, seat: Seat) -> tuple[Face, ...]:
    """Return as many kings and queens of one suit as the hand may hold, those seen first."""
    own = {state.faces[slot]: slot for slot in state.hands[seat] if slot in state.faces}
    hidden = sorted(slot for slot in state.hands[seat] if slot not in state.faces)
    seen = {*state.faces.values()} - {*own}
    done = {suit for _, suit in state.marriages}
    pairs = ((Card(suit, Rank.KING), Card(suit, Rank.QUEEN)) for suit in Suit if suit not in done)
    found: list[tuple[Face, Face]] = []
    for king, queen in sorted(pairs, key=lambda pair: -len({*pair} & {*own})):
        needed = [card for card in (king, queen) if card not in own]
        if len(needed) <= len(hidden) and not seen & {king, queen}:
            slots = {**own, **{card: hidden.pop() for card in needed}}
            found.append(((slots[king], king), (slots[queen], queen)))
    return tuple(face for pair in sorted(found, key=lambda pair: pair[0][1].suit) for face in pair)


def _trick(state: State, seat: Seat) -> Iterator[Action]:
    hand = state.hands[seat]
    hidden = [slot for slot in hand if slot not in state.faces]
    waivers = (False, True) if first_lead_banned(state, seat) else (False,)
    if hidden and why_no_showing_in_turn(state, seat) is None:
        yield from (act.ShowCard(max(hidden), card) for card in _of_each_suit(state))
    indicator = state.indicator if seat == state.maker else None
    slots = [slot for slot in hand if slot in state.faces]
    slots += [max(hidden)] if hidden else []
    slots += [] if indicator is None else [indicator]
    unseen = _of_each_suit(state)
    for slot in slots:
        if state.plays and state.trump is None:
            yield act.PlayDown(slot)
        face = state.faces.get(slot)
        for card in unseen if face is None else [face]:
            yield from (act.PlayCard(slot, card, waiver) for waiver in waivers)
    if indicator is not None:
        yield act.OpenTrump(state.faces.get(indicator) or _unseen(state)[0])
    yield from _claims(state, seat)


def _inspect(state: State, seat: Seat) -> Iterator[Action]:
    yield act.AnnounceNone()
    due = due_on_cut(state)
    for suit in Suit:
        # The indicator, which comes last, and the first of the others are of this suit.
        faces = dict(_faces(state, tuple(reversed(due)), suit))
        yield act.AnnounceCut(tuple((slot, faces[slot]) for slot in due))


def _spoilt_answer(state: State, seat: Seat) -> Iterator[Action]:
    assert state.trump_slot is not None
    yield act.DenyTrump()
    hidden = [slot for slot in state.dealt[seat] if slot not in state.faces]
    trump = state.faces[state.trump_slot].suit
    yield from (act.ShowTrump(max(hidden), card) for card in _unseen(state, trump)[:1] if hidden)


_CANDIDATES: Final[Mapping[Phase, Callable[[State, Seat], Iterable[Action]]]] = {
    Phase.CUT: lambda state, _: [act.Cut(deck_size(state.profile) - 1)],
    Phase.AUCTION4: _auction4,
    Phase.INDICATOR4: lambda state, seat: [act.LayIndicator(max(state.hands[seat]))],
    Phase.AUCTION8: _auction8,
    Phase.SORTING: lambda *_: [act.SortHand()],
    Phase.INDICATOR8: lambda state, seat: [act.LayIndicator(max(state.hands[seat]))],
    Phase.NAMING: lambda state, _: [act.NameCard(state.profile.deck.cards[0])],
    Phase.DECLARE: lambda state, _: [act.KeepClosed(), act.OpenTrump(_unseen(state)[0])],
    Phase.WINDOW: _window,
    Phase.TRICK: _trick,
    Phase.INSPECT: _inspect,
    Phase.SHOW_INDICATOR: lambda state, _: [act.ShowIndicator(_unseen(state)[0])],
    Phase.CAPS_RESPONSE: lambda *_: [act.AcceptCaps(), act.ContestCaps()],
    Phase.SPOILT_INDICATOR: lambda state, _: [act.ShowIndicator(_unseen(state)[0])],
    Phase.SPOILT_ANSWER: _spoilt_answer,
    Phase.COUNT: lambda state, seat: [act.OpenCards(_faces(state, due_at_count(state, seat)))],
    Phase.OVER: lambda *_: [],
}
