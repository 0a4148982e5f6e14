"""From the cut to the first lead: dealing, the indicator, sorting, open or closed (RULES 4-8)."""

from __future__ import annotations

from p2p304.cards import Slot
from p2p304.disclosures import Dealt, Disclosure, LaidDown, Opened, Remixed
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import bidding
from p2p304.rules304.actions import (
    AskPartner,
    Cut,
    DemandRedeal,
    KeepClosed,
    LayIndicator,
    OpenTrump,
    Pass,
    PlaceBid,
    SortHand,
)
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.duties import exactly, face_shown, faces_shown
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Auction, Call, End, Phase, State
from p2p304.seats import Seat
from p2p304.statements import PointsBelow


def start(profile: Profile, dealer: Seat) -> Step[State]:
    """Return a hand with a shuffled deck in the slots from 0."""
    seats, teams = profile.seats, profile.teams
    first, cutter = Seat((dealer + 1) % seats), Seat((dealer - 1) % seats)
    auction = Auction(turn=first, spoken=(False,) * seats)
    nothing: tuple[tuple[Slot, ...], ...] = ((),) * seats
    state = State(
        profile, dealer, Phase.CUT, (cutter,), auction, teams, hands=nothing, dealt=nothing
    )
    if profile.max_cuts == 0:
        return deal_first(state)
    return Step(state)


def cut(state: State, seat: Seat, action: Cut) -> Step[State]:
    """Rotate the deck publicly, by the dealer's left (RULES 4)."""
    last = deck_size(state.profile) - 1
    if not 0 <= action.offset <= last:
        raise RulesError("4", f"a cut is an offset from 0 to {last}, not {action.offset}")
    if action.offset == 0 and not state.profile.cut_optional:
        raise RulesError("4", "cutting is not optional in this profile")
    return deal_first(state._replace(cut=action.offset))


def deck_size(profile: Profile) -> int:
    """Return how many cards the pack has."""
    return len(profile.deck.cards)


def batch_places(
    profile: Profile, dealer: Seat, cut: int, batch: int
) -> tuple[tuple[int, ...], ...]:
    """Return where in the deck lies what each seat gets in a batch, from the cut and the dealer
    alone."""
    seats, sizes, cards = profile.seats, profile.deal_batches.sizes, deck_size(profile)
    places: list[tuple[int, ...]] = [()] * seats
    for turn in range(seats):
        first = seats * sum(sizes[:batch]) + turn * sizes[batch] + cut
        places[(dealer + 1 + turn) % seats] = tuple(
            (first + place) % cards for place in range(sizes[batch])
        )
    return tuple(places)


def _batch(state: State, batch: int) -> tuple[tuple[Slot, ...], ...]:
    places = batch_places(state.profile, state.dealer, state.cut, batch)
    return tuple(tuple(map(Slot, each)) for each in places)


def _dealt(state: State, batch: tuple[tuple[Slot, ...], ...]) -> tuple[Disclosure, ...]:
    order = (state.right_of(state.dealer, 1 + turn) for turn in range(state.seats))
    return tuple(Dealt(seat, batch[seat]) for seat in order)


def deal_first(state: State) -> Step[State]:
    """Deal the first batch to each seat; then the first auction begins (DEAL_A)."""
    batch = _batch(state, 0)
    first = (state.right_of(state.dealer),)
    dealt = state._replace(phase=Phase.AUCTION4, awaiting=first, hands=batch)
    return Step(dealt, (), _dealt(state, batch))


def four_card_bid(state: State, seat: Seat, action: PlaceBid) -> Step[State]:
    """Name a number in the four-card auction (RULES 5.2)."""
    bidding.check_four_card_bid(state.profile, state.auction, seat, action.bid)
    return _four(state, action.bid)


def four_card_pass(state: State, seat: Seat, action: Pass) -> Step[State]:
    """End the slot of the auction without a bid (RULES 5.1)."""
    refusal = bidding.may_pass(state.profile, state.auction)
    if refusal:
        raise RulesError("5.4", refusal)
    return _four(state, None)


def ask_partner(state: State, seat: Seat, action: AskPartner) -> Step[State]:
    """Let the partner speak in this slot (RULES 5.3)."""
    refusal = bidding.may_ask(state.profile, state.auction, seat, action.mate)
    if refusal:
        raise RulesError("5.3", refusal)
    return _after_four(state, *bidding.after_ask(state.profile, state.auction, action.mate))


def _four(state: State, bid: Bid | None) -> Step[State]:
    return _after_four(state, *bidding.after_call(state.profile, state.auction, bid))


def _after_four(state: State, auction: Auction, calls: tuple[Call, ...]) -> Step[State]:
    state = state._replace(auction=auction, calls=state.calls + calls)
    if not bidding.four_card_ended(state.profile, auction):
        return Step(state._replace(awaiting=(bidding.speaker(auction),)))
    if auction.top is None and state.profile.partner_called and not auction.full:
        return _all_cards(state)
    if auction.top is None:
        return Step(state._replace(phase=Phase.OVER, awaiting=(), end=End.PASSED_OUT))
    assert auction.top_seat is not None
    state = state._replace(maker=auction.top_seat, contract=auction.top)
    if auction.full:
        return Step(_to_sorting(state))
    return Step(state._replace(phase=Phase.INDICATOR4, awaiting=(auction.top_seat,)))


def _all_cards(state: State) -> Step[State]:
    """Deal the second batch when nobody undertook Half Court; numbers are bid on all cards."""
    state, dealt = _second_batch(state)
    first = state.right_of(state.dealer)
    auction = Auction(turn=first, spoken=(False,) * state.seats, full=True)
    return Step(state._replace(auction=auction, phase=Phase.AUCTION8, awaiting=(first,)), (), dealt)


def _second_batch(state: State) -> tuple[State, tuple[Disclosure, ...]]:
    batch = _batch(state, 1)
    hands = tuple(hand + more for hand, more in zip(state.hands, batch, strict=True))
    return state._replace(hands=hands), _dealt(state, batch)


def demand_redeal(state: State, seat: Seat, action: DemandRedeal) -> Step[State]:
    """Demand new cards, by showing the four cards or by a proof (RULES 5.5, statement S2)."""
    profile = state.profile
    if seat != state.right_of(state.dealer):
        raise RulesError("5.5", "only the seat at the dealer's right may demand a redeal")
    if state.auction.slots or state.auction.asked is not None:
        raise RulesError("5.5", "a redeal is demanded before bidding, passing or asking")
    hand = state.hands[seat]
    over = state._replace(phase=Phase.OVER, awaiting=(), end=End.REDEAL)
    if profile.redeal_private:
        if action.cards:
            raise RulesError("5.5", "at this table a redeal is proved without showing cards")
        return Step(over, (PointsBelow(hand, profile.redeal_below),))
    exactly(action.cards, hand, "5.5", "the cards to show")
    statements = faces_shown(state, action.cards)
    points = sum(CARD_POINTS[card] for _, card in action.cards)
    if points >= profile.redeal_below:
        raise RulesError(
            "5.5", f"these cards count {points}; a redeal needs fewer than {profile.redeal_below}"
        )
    over = over.seeing(*action.cards)
    return Step(over, statements, tuple(Opened(slot, card) for slot, card in action.cards))


def lay_first_indicator(state: State, seat: Seat, action: LayIndicator) -> Step[State]:
    """Lay one of the maker's first four (S8); then the second batch is dealt (RULES 6)."""
    state = _laid(state, seat, action.slot, "6")
    laid = (LaidDown(seat, action.slot),)
    if state.profile.partner_called:
        return Step(_to_naming(state), (), laid)
    if state.contract is Contract.HALF_COURT:
        return Step(_to_sorting(state), (), laid)
    state, dealt = _second_batch(state)
    disclosures = (*laid, *dealt)
    if not state.profile.auction8:
        return Step(_to_sorting(state), (), disclosures)
    assert state.contract is not None
    auction, calls = bidding.open_eight_card(state.profile, state.contract, seat)
    return Step(_after_eight(state, auction, calls).state, (), disclosures)


def _laid(state: State, seat: Seat, slot: Slot, rule: str) -> State:
    hand = state.hands[seat]
    if slot not in hand:
        raise RulesError(rule, "the indicator must be a card of the maker's hand")
    state = state.with_hand(seat, tuple(each for each in hand if each != slot))
    return state._replace(indicator=slot, trump_slot=slot)


def eight_card_bid(state: State, seat: Seat, action: PlaceBid) -> Step[State]:
    """Bid on eight cards (RULES 7)."""
    if state.auction.full:
        return four_card_bid(state, seat, action)
    assert state.contract is not None
    bidding.check_eight_card_bid(state.profile, state.contract, state.auction, seat, action.bid)
    return _eight(state, action.bid)


def eight_card_pass(state: State, seat: Seat, action: Pass) -> Step[State]:
    """Pass on eight cards (RULES 7)."""
    if state.auction.full:
        return four_card_pass(state, seat, action)
    return _eight(state, None)


def _eight(state: State, bid: Bid | None) -> Step[State]:
    assert state.contract is not None
    auction, calls = bidding.after_eight_card_call(
        state.profile, state.contract, state.auction, bid
    )
    return _after_eight(state, auction, calls)


def _after_eight(state: State, auction: Auction, calls: tuple[Call, ...]) -> Step[State]:
    state = state._replace(auction=auction, calls=state.calls + calls)
    if not bidding.eight_card_ended(auction):
        return Step(state._replace(phase=Phase.AUCTION8, awaiting=(auction.turn,)))
    if auction.top is None:
        return Step(_to_sorting(state))
    assert state.maker is not None
    assert state.indicator is not None
    state = state.with_hand(state.maker, (*state.hands[state.maker], state.indicator))
    state = state._replace(indicator=None, trump_slot=None)
    return Step(_to_sorting(state._replace(maker=auction.top_seat, contract=auction.top)))


def _to_sorting(state: State) -> State:
    return state._replace(phase=Phase.SORTING, awaiting=state.everybody)


def sort_hand(state: State, seat: Seat, action: SortHand) -> Step[State]:
    """Mix the closed hand into slots that tell nothing about the deal (U1 and U2)."""
    before = state.hands[seat]
    first = deck_size(state.profile) * (1 + seat)
    after = tuple(Slot(first + place) for place in range(len(before)))
    state = state.with_hand(seat, after).no_longer_awaiting(seat)
    mixed = (Remixed(seat, before, after),)
    if state.awaiting:
        return Step(state, (), mixed)
    maker = state.maker
    assert maker is not None
    if state.indicator is None:
        state = state._replace(phase=Phase.INDICATOR8, awaiting=(maker,), dealt=state.hands)
        return Step(state, (), mixed)
    dealt = state.with_hand(maker, (*state.hands[maker], state.indicator)).hands
    return Step(_to_declare(state._replace(dealt=dealt)), (), mixed)


def lay_second_indicator(state: State, seat: Seat, action: LayIndicator) -> Step[State]:
    """Lay any of the eight cards of the highest eight-card bidder (RULES 7, REINDICATOR)."""
    state = _laid(state, seat, action.slot, "7")
    after = _to_naming(state) if state.profile.partner_called else _to_declare(state)
    return Step(after, (), (LaidDown(seat, action.slot),))


def _to_naming(state: State) -> State:
    assert state.maker is not None
    return state._replace(phase=Phase.NAMING, awaiting=(state.maker,))


def after_naming(state: State) -> State:
    """Return what follows once a card was named: under Half Court hands are not sorted yet."""
    return _to_declare(state) if any(state.dealt) else _to_sorting(state)


def _to_declare(state: State) -> State:
    maker = state.maker
    assert maker is not None
    leader = maker if state.alone else state.right_of(state.dealer)
    state = state._replace(leader=leader)
    if not may_open(state):
        return state._replace(phase=Phase.WINDOW, awaiting=state.everybody)
    return state._replace(phase=Phase.DECLARE, awaiting=(maker,))


def may_open(state: State) -> bool:
    """Tell whether the maker may show the indicator before the first lead (RULES 8).

    A call of caps that showed cards is judged, and played out, with trump as it was (ruling 65).
    """
    return (
        state.profile.open_trump
        and not (state.alone and state.contract is Contract.HALF_COURT)
        and state.trump is None
        and not state.tricks
        and not state.plays
        and (state.caps is None or not state.profile.caps_expose)
    )


def open_trump(state: State, seat: Seat, action: OpenTrump) -> Step[State]:
    """Show the indicator and take it up, until the first card is led (RULES 8, ruling 35)."""
    if seat != state.maker:
        raise RulesError("8", "only the trump maker opens trump")
    if not may_open(state):
        raise RulesError("8", "trump can be opened before the first card is led, not now")
    slot = state.indicator
    assert slot is not None
    statements = face_shown(state, slot, action.card)
    state = indicator_taken_up(state.seeing((slot, action.card)))
    state = state._replace(phase=Phase.WINDOW, awaiting=state.everybody)
    return Step(state, statements, (Opened(slot, action.card),))


def keep_closed(state: State, seat: Seat, action: KeepClosed) -> Step[State]:
    """Keep trump hidden (RULES 8)."""
    return Step(state._replace(phase=Phase.WINDOW, awaiting=state.everybody))


def indicator_taken_up(state: State) -> State:
    """Return the state with trump open: an unplayed indicator joins the maker's hand (U3)."""
    assert state.trump_slot is not None
    assert state.maker is not None
    trump = state.faces[state.trump_slot].suit
    if state.indicator is None:
        return state._replace(trump=trump)
    state = state.with_hand(state.maker, (*state.hands[state.maker], state.indicator))
    return state._replace(trump=trump, indicator=None)
