"""From the cut to the first lead: dealing, the indicator, sorting, open or closed (RULES 4-8)."""

from __future__ import annotations

from p2p304.cards import Card, Slot
from p2p304.disclosures import Dealt, Disclosure, LaidDown, Opened, Remixed
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import actions as act
from p2p304.rules304 import bidding
from p2p304.rules304.actions import Bid, Contract
from p2p304.rules304.duties import exactly, face_statement, face_statements
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Auction, Call, End, Phase, State
from p2p304.seats import Seat
from p2p304.statements import PointsBelow


def start(profile: Profile, dealer: Seat) -> Step[State]:
    """Return the step that begins a hand with the shuffled deck in the slots 0 to N-1, N being the
    cards of the pack.

    The dealer's left is to cut; where nobody cuts, the first cards are dealt at once.
    """
    seats, teams = profile.seats, profile.teams
    # Seats are numbered to the right: dealer's right speaks first, dealer's left cuts.
    first, cutter = Seat((dealer + 1) % seats), Seat((dealer - 1) % seats)
    auction = Auction(turn=first, spoken=(False,) * seats)
    nothing: tuple[tuple[Slot, ...], ...] = ((),) * seats
    state = State(
        profile, dealer, Phase.CUT, (cutter,), auction, teams, hands=nothing, dealt=nothing
    )
    if profile.max_cuts == 0:
        return deal_first(state)
    return Step(state)


def cut(state: State, seat: Seat, action: act.Cut) -> Step[State]:
    """Return the step after `seat` cut the deck: dealing begins at slot `action.offset`; 0 declines
    to cut.

    Raises RulesError for an offset outside 0 to N-1, N being the cards of the pack, and for 0 where
    a cut is required (RULES 4).
    """
    last = deck_size(state.profile) - 1
    if not 0 <= action.offset <= last:
        raise RulesError("4", f"a cut is an offset from 0 to {last}, not {action.offset}")
    if action.offset == 0 and not state.profile.cut_optional:
        raise RulesError("4", "cutting is not optional in this profile")
    return deal_first(state._replace(cut=action.offset))


def deck_size(profile: Profile) -> int:
    """Return the number of cards in the profile's pack."""
    return len(profile.deck.cards)


def batch_places(
    profile: Profile, dealer: Seat, cut: int, batch: int
) -> tuple[tuple[int, ...], ...]:
    """Return, for each seat in seat order, the places in the deck of the cards that it gets in one
    batch.

    Places count from 0 before the cut. `batch` is 0 for the cards before the indicator, 1 for those
    after it; `cut` is the offset at which dealing begins, at the dealer's right (RULES 4).
    """
    seats, sizes, cards = profile.seats, profile.deal_batches.sizes, deck_size(profile)
    places: list[tuple[int, ...]] = [()] * seats
    for turn in range(seats):
        # specs/rules.md 1: batch after batch, each dealt round the table from the dealer's right.
        first = seats * sum(sizes[:batch]) + turn * sizes[batch] + cut
        places[(dealer + 1 + turn) % seats] = tuple(
            (first + place) % cards for place in range(sizes[batch])
        )
    return tuple(places)


def _deal(state: State, batch: int) -> tuple[State, tuple[Disclosure, ...]]:
    """Return the state with batch 0 or 1 of cards added to the hands, and a Dealt for each seat,
    from the dealer's right on.
    """
    places = batch_places(state.profile, state.dealer, state.cut, batch)
    slots = [tuple(map(Slot, each)) for each in places]
    hands = tuple(hand + more for hand, more in zip(state.hands, slots, strict=True))
    order = (state.right_of(state.dealer, 1 + turn) for turn in range(state.seats))
    return state._replace(hands=hands), tuple(Dealt(seat, slots[seat]) for seat in order)


def deal_first(state: State) -> Step[State]:
    """Return the step that deals the first batch and begins the first auction (RULES 3, DEAL_A)."""
    state, dealt = _deal(state, 0)
    first = state.right_of(state.dealer)
    return Step(state._replace(phase=Phase.AUCTION4, awaiting=(first,)), (), dealt)


def place_bid(state: State, seat: Seat, action: act.PlaceBid) -> Step[State]:
    """Return the step after `seat` bid in an auction; raises RulesError for a bid that is not legal
    (RULES 5.2 and 7).
    """
    profile, auction = state.profile, state.auction
    # The eight-card auction begins with the four-card bid. Where a card is called numbers are bid
    # with all cards, by the rules of the four-card auction.
    if state.contract is None:
        bidding.check_four_card_bid(profile, auction, seat, action.bid)
    else:
        bidding.check_eight_card_bid(profile, state.contract, auction, seat, action.bid)
    return _called(state, action.bid)


def pass_turn(state: State, seat: Seat, action: act.Pass) -> Step[State]:
    """Return the step after `seat` passed in an auction; raises RulesError where it must bid (RULES
    5.4). Over a four-card bid it always may pass (RULES 7).
    """
    refusal = bidding.may_pass(state.profile, state.auction) if state.contract is None else None
    if refusal:
        raise RulesError("5.4", refusal)
    return _called(state, None)


def _called(state: State, bid: Bid | None) -> Step[State]:
    """Return the step after a legal bid, or a pass (None), in either auction."""
    called = bidding.after_call(state.profile, state.contract, state.auction, bid)
    after = _after_four if state.contract is None else _after_eight
    return after(state, *called)


def ask_partner(state: State, seat: Seat, action: act.AskPartner) -> Step[State]:
    """Return the step after `seat` asked a partner to speak in its turn: the partner is to call,
    or has passed at once if it has no legal bid. Raises RulesError where the seat may not ask
    (RULES 5.3).
    """
    refusal = bidding.may_ask(state.profile, state.auction, seat, action.mate)
    if refusal:
        raise RulesError("5.3", refusal)
    return _after_four(state, *bidding.after_ask(state.profile, state.auction, action.mate))


def _after_four(state: State, auction: Auction, calls: tuple[Call, ...]) -> Step[State]:
    """Return the step to `auction`, the state of the bidding after the new `calls`.

    Next comes another call; or, once the auction is over, the second batch with an auction of all
    cards, the maker's indicator, sorting, or the end of a hand that all passed.
    """
    state = state._replace(auction=auction, calls=state.calls + calls)
    if not bidding.auction_ended(state.profile, None, auction):
        return Step(state._replace(awaiting=(bidding.speaker(auction),)))
    # Nobody undertook Half Court: here that is no passed-out hand, but the way to bidding numbers.
    if auction.top is None and state.profile.partner_called and not auction.full:
        # PROFILES 3.2: the second batch, and an auction with all cards.
        state, dealt = _deal(state, 1)
        first = state.right_of(state.dealer)
        auction = Auction(turn=first, spoken=(False,) * state.seats, full=True)
        state = state._replace(auction=auction, phase=Phase.AUCTION8, awaiting=(first,))
        return Step(state, (), dealt)
    if auction.top is None:
        return Step(state._replace(phase=Phase.OVER, awaiting=(), end=End.PASSED_OUT))
    # A standing bid has its bidder.
    assert auction.top_seat is not None
    state = state._replace(maker=auction.top_seat, contract=auction.top)
    # With all cards the indicator is laid after the sorting (specs/rules.md 18 no. 2).
    if auction.full:
        return Step(_begin_sorting(state))
    return Step(state._replace(phase=Phase.INDICATOR4, awaiting=(auction.top_seat,)))


def demand_redeal(state: State, seat: Seat, action: act.DemandRedeal) -> Step[State]:
    """Return the step after the dealer's right refused four weak cards: the hand is over (RULES
    5.5).

    The cards are shown; or the step states that they count fewer than `redeal_below` points (S2),
    which is proved without showing them. Raises RulesError for another seat, after a bid, a pass or
    a question to a partner, for shown cards that count too much or are not those of the hand, and
    for cards shown where the profile hides them.
    """
    profile = state.profile
    if seat != state.right_of(state.dealer):
        raise RulesError("5.5", "only the seat at the dealer's right may demand a redeal")
    # Asking uses no slot of the auction yet, but it is a first action, too (RULES 5.5).
    if state.auction.slots or state.auction.asked is not None:
        raise RulesError("5.5", "a redeal is demanded before bidding, passing or asking")
    hand = state.hands[seat]
    over = state._replace(phase=Phase.OVER, awaiting=(), end=End.REDEAL)
    if profile.redeal_private:
        if action.cards:
            raise RulesError("5.5", "at this table a redeal is proved without showing cards")
        return Step(over, (PointsBelow(hand, profile.redeal_below),))
    exactly(action.cards, hand, "5.5", "the cards to show")
    statements = face_statements(state, action.cards)
    # After the faces: whether they are the true ones is stated, what they count is plain.
    points = sum(CARD_POINTS[card] for _, card in action.cards)
    if points >= profile.redeal_below:
        raise RulesError(
            "5.5", f"these cards count {points}; a redeal needs fewer than {profile.redeal_below}"
        )
    over = over.with_faces(*action.cards)
    return Step(over, statements, tuple(Opened(slot, card) for slot, card in action.cards))


def lay_first_indicator(state: State, seat: Seat, action: act.LayIndicator) -> Step[State]:
    """Return the step after the maker laid one of its first cards as the indicator (RULES 6, S8);
    raises RulesError for a slot outside its hand.

    Next come, as the bid and the profile say, the second batch and the eight-card auction, or
    sorting, or the naming of a card.
    """
    state = _lay_indicator(state, seat, action.slot, "6")
    # Before the second batch is dealt: nobody may read a card of it until the indicator lies (U5).
    laid = (LaidDown(seat, action.slot),)
    # Where a card is called only Half Court has its indicator laid from the first cards, and it has
    # no second batch.
    if state.profile.partner_called:
        return Step(_to_naming(state), (), laid)
    # Half Court is played with the first cards alone: no second batch (PROFILES 2).
    if state.contract is Contract.HALF_COURT:
        return Step(_begin_sorting(state), (), laid)
    state, dealt = _deal(state, 1)
    disclosures = (*laid, *dealt)
    if not state.profile.auction8:
        return Step(_begin_sorting(state), (), disclosures)
    auction, calls = bidding.open_eight_card(state.profile, state.the_contract, seat)
    # Calls need no statement and show nothing: of their step the state is all there is.
    return Step(_after_eight(state, auction, calls).state, (), disclosures)


def _lay_indicator(state: State, seat: Seat, slot: Slot, rule: str) -> State:
    """Return the state with `slot` moved from the hand of `seat` to the table as indicator.

    Raises RulesError, naming `rule`, for a slot that is not in the hand.
    """
    hand = state.hands[seat]
    if slot not in hand:
        raise RulesError(rule, "the indicator must be a card of the maker's hand")
    state = state.with_hand(seat, tuple(each for each in hand if each != slot))
    return state._replace(indicator=slot, trump_slot=slot)


def _after_eight(state: State, auction: Auction, calls: tuple[Call, ...]) -> Step[State]:
    """Return the step to `auction`, the state of the eight-card bidding after the new `calls`:
    another call is awaited, or all hands are sorted.

    If anybody bid in it, the four-card maker takes its indicator back before the sorting, and the
    highest bidder is the maker.
    """
    state = state._replace(auction=auction, calls=state.calls + calls)
    if not bidding.auction_ended(state.profile, state.contract, auction):
        return Step(state._replace(phase=Phase.AUCTION8, awaiting=(auction.turn,)))
    if auction.top is None:
        return Step(_begin_sorting(state))
    # The four-card maker laid its indicator before this auction began. It goes to the end of the
    # hand; the sorting that follows makes it untraceable (U2).
    maker = state.the_maker
    state = state.with_hand(maker, (*state.hands[maker], state.the_indicator))
    state = state._replace(indicator=None, trump_slot=None)
    return Step(_begin_sorting(state._replace(maker=auction.top_seat, contract=auction.top)))


def _begin_sorting(state: State) -> State:
    """Return the state in which every seat is to sort its hand."""
    return state._replace(phase=Phase.SORTING, awaiting=state.everybody)


def sort_hand(state: State, seat: Seat, action: act.SortHand) -> Step[State]:
    """Return the step after `seat` mixed its hand into new slots, so that no slot shows in which
    batch its card was dealt (U1 and U2).

    The slots of seat s begin at N * (1 + s), N being the cards of the pack. After the last seat
    comes the laying of an indicator where none lies, else the declaration, or the first window
    where the maker may not open trump.
    """
    before = state.hands[seat]
    # Disjoint from the deck's slots and from those of other seats: no slot is ever used twice.
    first = deck_size(state.profile) * (1 + seat)
    after = tuple(Slot(first + place) for place in range(len(before)))
    state = state.with_hand(seat, after).without_awaited(seat)
    mixed = (Remixed(seat, before, after),)
    if state.awaiting:
        return Step(state, (), mixed)
    maker = state.the_maker
    # It was taken back after an eight-card bid: the new maker lays one of its sorted hand.
    if state.indicator is None:
        state = state._replace(phase=Phase.INDICATOR8, awaiting=(maker,), dealt=state.hands)
        return Step(state, (), mixed)
    # The indicator was dealt to the maker, too, though it is not sorted: where it lies is public.
    dealt = state.with_hand(maker, (*state.hands[maker], state.indicator)).hands
    return Step(_to_declare(state._replace(dealt=dealt)), (), mixed)


def lay_second_indicator(state: State, seat: Seat, action: act.LayIndicator) -> Step[State]:
    """Return the step after the highest bidder laid a card of its whole hand as the indicator;
    raises RulesError for a slot outside its hand (RULES 7, REINDICATOR).

    Next comes the naming of a card where a partner is called; else the declaration, or the first
    window where the maker may not open trump.
    """
    state = _lay_indicator(state, seat, action.slot, "7")
    after = _to_naming(state) if state.profile.partner_called else _to_declare(state)
    return Step(after, (), (LaidDown(seat, action.slot),))


def _to_naming(state: State) -> State:
    """Return the state in which the maker is to name the card whose holder is its partner."""
    return state._replace(phase=Phase.NAMING, awaiting=(state.the_maker,))


def after_naming(state: State) -> State:
    """Return the state after the maker named a card: the sorting follows where hands are not
    sorted yet, as under Half Court; else the declaration, or the first window where the maker
    may not open trump.
    """
    # `dealt` is filled when hands are sorted.
    return _to_declare(state) if any(state.dealt) else _begin_sorting(state)


def _to_declare(state: State) -> State:
    """Return the state in which the first leader is fixed and the maker is to declare trump open
    or closed; or, where it has no choice, in which the first window is open.
    """
    maker = state.the_maker
    # Who plays a contract alone leads to trick 1 (RULES 8, ruling 34).
    leader = maker if state.alone else state.right_of(state.dealer)
    state = state._replace(leader=leader)
    if not may_open(state):
        return state._replace(phase=Phase.WINDOW, awaiting=state.everybody)
    return state._replace(phase=Phase.DECLARE, awaiting=(maker,))


def may_open(state: State) -> bool:
    """Tell whether the maker may show its indicator: while trump is hidden, until the first card is
    led (RULES 8).

    False where the profile does not let trump be opened, under Half Court played alone, and after a
    call of caps that showed cards: it is judged with trump as it was (ruling 65).
    """
    # Who plays Half Court alone keeps trump closed for trick 1 (PROFILES 2).
    return (
        state.profile.open_trump
        and not (state.alone and state.contract is Contract.HALF_COURT)
        and state.trump is None
        and not state.tricks
        and not state.plays
        and (state.caps is None or not state.profile.caps_expose)
    )


def open_trump(state: State, seat: Seat, action: act.OpenTrump) -> Step[State]:
    """Return the step after the maker showed its indicator and took it into its hand; a window
    opens.

    Raises RulesError for another seat, where trump may not be opened (`may_open`), and for a card
    that is not in the pack, or that was seen elsewhere (RULES 8, ruling 35).
    """
    if seat != state.maker:
        raise RulesError("8", "only the trump maker opens trump")
    if not may_open(state):
        raise RulesError("8", "trump can be opened before the first card is led, not now")
    return indicator_shown(state, action.card)


def indicator_shown(state: State, card: Card) -> Step[State]:
    """Return the step after the maker showed its indicator, which is `card`, and took it into its
    hand: trump is open, and a window begins.

    Raises RulesError for a card that is not in the pack, or that was seen elsewhere.
    """
    # While trump is hidden, the indicator lies on the table.
    slot = state.the_indicator
    statements = face_statement(state, slot, card)
    state = take_up_indicator(state.with_faces((slot, card)))
    state = state._replace(phase=Phase.WINDOW, awaiting=state.everybody)
    return Step(state, statements, (Opened(slot, card),))


def keep_closed(state: State, seat: Seat, action: act.KeepClosed) -> Step[State]:
    """Return the step after the maker left trump hidden; the first window opens (RULES 8)."""
    return Step(state._replace(phase=Phase.WINDOW, awaiting=state.everybody))


def take_up_indicator(state: State) -> State:
    """Return the state with trump open: the indicator, whose face must be public, goes back to
    the maker's hand unless it was played (U3).
    """
    trump, maker = state.shown_trump, state.the_maker
    if state.indicator is None:
        return state._replace(trump=trump)
    state = state.with_hand(maker, (*state.hands[maker], state.indicator))
    return state._replace(trump=trump, indicator=None)
