"""What a seat may do, judged with the faces that it knows; every action here stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Final

from p2p304.cards import Card, Slot
from p2p304.rules304 import actions as act
from p2p304.rules304 import bidding
from p2p304.rules304.actions import Action
from p2p304.rules304.calls import (
    caps_slots,
    marriages_of,
    why_no_caps,
    why_no_double,
    why_no_marriage,
    why_no_showing,
    why_no_showing_in_turn,
    why_no_spoilt,
)
from p2p304.rules304.count import due_at_count
from p2p304.rules304.dealing import deck_size
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.play import legal_plays
from p2p304.rules304.state import Phase, State
from p2p304.rules304.tricks import slots_due_on_cut
from p2p304.seats import Seat
from p2p304.view import View

Faces = Mapping[Slot, Card]

# Made once: these are listed at every turn of every simulated hand.
_READY: Final = act.Ready()
_SPOILT: Final = act.CallSpoilt()
_PASS: Final = act.Pass()


def legal_actions(view: View[State]) -> list[Action]:
    """Return every action that is legal for the seat of the view; empty when it is not awaited, and
    for a spectator.

    A call of caps is listed once, with the cards in the order of the hand and a hidden indicator
    last, although where the table has the order stated every order is legal. Claims out of turn,
    which some phases allow, are not listed.
    """
    state, seat = view.state, view.seat
    if seat is None or seat not in state.awaiting:
        return []
    return _CHOICES[state.phase](state, seat, view.faces)


def _cuts(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return a cut at each offset of the deck, ascending: from 0, which declines to cut, or from
    1 where a cut is required.
    """
    first = 0 if state.profile.cut_optional else 1
    return [act.Cut(offset) for offset in range(first, deck_size(state.profile))]


def _auction4(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the calls of the four-card auction that are legal: pass, questions to a partner, at
    the first turn of all the demand of a redeal for cards that are weak by `faces`, then bids
    from the lowest.
    """
    profile, auction = state.profile, state.auction
    actions: list[Action] = []
    if bidding.may_pass(profile, auction) is None:
        actions.append(_PASS)
    # A partner that was asked must bid or pass (RULES 5.3).
    if auction.asked is None:
        actions += map(act.AskPartner, bidding.whom_to_ask(profile, auction, seat))
        # The first turn is that of the dealer's right, which alone may demand one (RULES 5.5).
        if not auction.slots:
            hand = state.hands[seat]
            if sum(CARD_POINTS[faces[slot]] for slot in hand) < profile.redeal_below:
                # A proof shows no card; a showing shows all of them in the order of the hand.
                shown = () if profile.redeal_private else tuple((s, faces[s]) for s in hand)
                actions.append(act.DemandRedeal(shown))
    actions += [act.PlaceBid(bid) for bid in bidding.four_card_bids(profile, auction, seat)]
    return actions


def _indicator(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return an action for each card of the hand that lays it as the indicator."""
    return [act.LayIndicator(slot) for slot in state.hands[seat]]


def _auction8(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the calls of the auction with all cards that are legal: pass, then bids from the
    lowest.

    In a game with a called card it is the first auction in which numbers are bid, with the same
    calls as the four-card auction of other games.
    """
    if state.auction.full:
        return _auction4(state, seat, faces)
    # The eight-card auction begins with the four-card bid.
    assert state.contract is not None
    bids = bidding.eight_card_bids(state.profile, state.contract, state.auction, seat)
    # Over a four-card bid anybody may pass (RULES 7).
    return [_PASS, *(act.PlaceBid(bid) for bid in bids)]


def _naming(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return an action for each card of the pack that by `faces` the maker does not hold, naming
    its holder as partner.
    """
    # A card is named once the indicator lies on the table.
    assert state.indicator is not None
    own = {faces[slot] for slot in (*state.hands[seat], state.indicator)}
    return [act.NameCard(card) for card in state.profile.deck.cards if card not in own]


def _declare(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the maker's two choices before the first lead: trump kept closed, or opened.
    `faces` has the indicator's card.
    """
    # Trump is declared while the indicator lies on the table.
    assert state.indicator is not None
    return [act.KeepClosed(), act.OpenTrump(faces[state.indicator])]


def _claims(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the calls of caps and of spoilt trumps that the rules allow `seat` now, true or
    not; empty if neither is allowed. `faces` has the seat's cards, which caps may show.
    """
    claims: list[Action] = []
    if why_no_caps(state, seat) is None:
        slots = caps_slots(state, seat) if state.profile.caps_expose else ()
        # A list in between is quicker than a generator, at every window of a simulated hand.
        claims.append(act.CallCaps(tuple([(slot, faces[slot]) for slot in slots])))
    # The same for every seat: anybody may call spoilt trumps (RULES 12).
    if why_no_spoilt(state) is None:
        claims.append(_SPOILT)
    return claims


def _window(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return what `seat` may do in the open window: ready, claims, cards that it may show,
    double, then marriages. `faces` has the seat's cards.
    """
    actions: list[Action] = [_READY, *_claims(state, seat, faces)]
    if why_no_showing(state, seat) is None:
        hidden = (slot for slot in state.hands[seat] if slot not in state.faces)
        actions += [act.ShowCard(slot, faces[slot]) for slot in hidden]
    if why_no_double(state, seat) is None:
        actions.append(act.CallDouble())
    if why_no_marriage(state, seat) is None:
        actions += _marriages(state, seat, faces)
    return actions


def _marriages(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return a declaration of each non-empty choice among the pairs of king and queen that by
    `faces` are in the hand and whose suit is not counted yet, larger choices first.
    """
    shown = {suit for _, suit in state.marriages}
    own = marriages_of(faces, state.hands[seat])
    # `marriages_of` lists king, queen, king, queen: two faces are one marriage.
    pairs = [own[place : place + 2] for place in range(0, len(own), 2)]
    pairs = [pair for pair in pairs if pair[0][1].suit not in shown]
    return [
        act.DeclareMarriages(tuple(face for pair in some for face in pair))
        # Larger choices first: the first of them, all pairs, is what a single key offers.
        for count in range(len(pairs), 0, -1)
        for some in combinations(pairs, count)
    ]


def _trick(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return what the seat on turn may do by its own cards, which `faces` has: its legal plays,
    then claims, then cards that it may show before its play.
    """
    plays = legal_plays(state, seat, faces)
    shows: list[Action] = []
    if why_no_showing_in_turn(state, seat) is None:
        # All of them: who may open trump shows nothing. The test is for type checkers.
        slots = (each.slot for each in plays if isinstance(each, act.PlayCard | act.PlayDown))
        shows = [act.ShowCard(slot, faces[slot]) for slot in slots if slot not in state.faces]
    return [*plays, *_claims(state, seat, faces), *shows]


def _inspect(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the one true announcement of the maker after a trick: no trump, or a cut with the
    cards that it shows. `faces` has all cards of the trick, and the indicator's.
    """
    slot = state.trump_slot
    # Tricks are inspected while trump is hidden, by an indicator that was laid.
    assert slot is not None
    trump = faces[slot].suit
    led = state.faces[state.plays[0].slot].suit
    # On a trump lead no card cuts: the suit that was led wins by rank alone (RULES 10.3).
    cut = trump != led and any(faces[play.slot].suit == trump for play in state.plays)
    if not cut:
        return [act.AnnounceNone()]
    return [act.AnnounceCut(tuple((each, faces[each]) for each in slots_due_on_cut(state)))]


def _show_indicator(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the one action that is legal here: the maker shows its indicator, whose card
    `faces` has.
    """
    # The indicator was laid before play began.
    assert state.trump_slot is not None
    return [act.ShowIndicator(faces[state.trump_slot])]


def _spoilt_answer(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return an action for each trump that was dealt to the seat, which shows it; if there is
    none, the statement that there is none. `faces` has all cards dealt to the seat, and the
    indicator's.
    """
    # The indicator was laid before play began.
    assert state.trump_slot is not None
    trump = faces[state.trump_slot].suit
    dealt = state.dealt[seat]
    trumps = [slot for slot in dealt if faces[slot].suit == trump]
    # A seat that has a trump cannot prove that it has none, so there is never both.
    return [act.ShowTrump(slot, faces[slot]) for slot in trumps] or [act.DenyTrump()]


def _count(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the one action that opens all cards that the seat must open at the count; `faces`
    has them.
    """
    return [act.OpenCards(tuple((slot, faces[slot]) for slot in due_at_count(state, seat)))]


_CHOICES: Final[Mapping[Phase, Callable[[State, Seat, Faces], list[Action]]]] = {
    Phase.CUT: _cuts,
    Phase.AUCTION4: _auction4,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _auction8,
    Phase.SORTING: lambda *_: [act.SortHand()],
    Phase.INDICATOR8: _indicator,
    Phase.NAMING: _naming,
    Phase.DECLARE: _declare,
    Phase.WINDOW: _window,
    Phase.TRICK: _trick,
    Phase.INSPECT: _inspect,
    Phase.SHOW_INDICATOR: _show_indicator,
    Phase.CAPS_RESPONSE: lambda *_: [act.AcceptCaps(), act.ContestCaps()],
    Phase.SPOILT_INDICATOR: _show_indicator,
    Phase.SPOILT_ANSWER: _spoilt_answer,
    Phase.COUNT: _count,
    Phase.OVER: lambda *_: [],
}
