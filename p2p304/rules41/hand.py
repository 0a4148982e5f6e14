"""41 and 400: what a player may choose and how it is written; one deal as a state machine over
slots: cut, sorting, bids, thirteen tricks; matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from typing import Final, NamedTuple, TypeVar, assert_never

from p2p304.cards import Card, Rank, Slot, Suit, parse_face, parse_number
from p2p304.disclosures import Dealt, Disclosure, Opened, Remixed
from p2p304.errors import NotationError, RulesError
from p2p304.game import LUCK_BYTES, Step
from p2p304.rules41.rules import HIGHEST_BID, Rules41, Variant, parse_rules
from p2p304.seats import FOUR_SEAT_NAMES, OPPOSITE, PAIR_NAMES, Seat, Sides, place_name, seat_after
from p2p304.statements import IsCard, NoneOfSuit, Statement
from p2p304.view import View


@dataclass(frozen=True, slots=True)
class Cut:
    """Rotate the deck so that position `offset` comes first; 0 declines to cut."""

    offset: int


@dataclass(frozen=True, slots=True)
class SortHand:
    """Mix the hand in private, so that no slot tells when its card was dealt."""


@dataclass(frozen=True, slots=True)
class PlaceBid:
    """Promise to take `tricks` tricks."""

    tricks: int


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play the slot, and say which card it is."""

    slot: Slot
    card: Card


Action = Cut | SortHand | PlaceBid | PlayCard


def format_action(action: Action) -> str:
    """Return an action as canonical text: "cut 17", "sort", "bid 5" or "play 61=9C"."""
    match action:
        case Cut(offset):
            return f"cut {offset}"
        case SortHand():
            return "sort"
        case PlaceBid(tricks):
            return f"bid {tricks}"
        case PlayCard(slot, card):
            return f"play {slot}={card}"
        case _:
            assert_never(action)


def parse_action(text: str) -> Action:
    """Return the action that `format_action` writes as `text`; raises NotationError for any
    other text.
    """
    verb, space, rest = text.partition(" ")
    match verb, space:
        case "sort", "":
            return SortHand()
        case "cut", " ":
            # 4 and 5 are the places behind the verb and its space.
            return Cut(parse_number(rest, 4))
        case "bid", " ":
            return PlaceBid(parse_number(rest, 4))
        case "play", " ":
            return PlayCard(*parse_face(rest, 5))
        case _:
            raise NotationError(
                # Cut short and escaped, as all texts here: they come from strangers, and a terminal
                # shows them.
                f"{text[:40]!a} is no action; write such as cut 0, sort, bid 5, play 61=9C"
            )


# Both games are for four players alone.
SEATS: Final = 4


@dataclass(frozen=True, slots=True)
class Outcome41:
    """How a deal ended: bids, tricks taken and the change of each seat's score, in seat order.

    `match_won` is the team (0 or 1) that made a bid of 13 in 400, which wins the match at once.
    """

    bids: tuple[int, ...]
    tricks_taken: tuple[int, ...]
    scores: tuple[int, ...]
    thrown_in: bool = False
    match_won: int | None = None

    @property
    def played(self) -> bool:
        """Whether cards were played: False for a deal that was thrown in."""
        return not self.thrown_in

    @property
    def summary(self) -> str:
        """The outcome in one sentence: "South bid 5, took 6: +5; ...", or that the deal was
        thrown in.
        """
        if self.thrown_in:
            return f"The bids {', '.join(map(str, self.bids))} are too low: thrown in, no score."
        told = (
            f"{name} bid {bid}, took {took}: {score:+d}"
            for name, bid, took, score in zip(
                FOUR_SEAT_NAMES, self.bids, self.tricks_taken, self.scores, strict=True
            )
        )
        won = self.match_won
        more = "" if won is None else f"; {PAIR_NAMES[won]} win the match at once"
        return f"{'; '.join(told)}{more}."


@dataclass(frozen=True, slots=True)
class Match41:
    """Where a match stands: the next dealer, each seat's score, and the team that has won, or None.

    Scores belong to seats; team 0 is seats 0 and 2, team 1 seats 1 and 3.
    """

    dealer: Seat
    scores: tuple[int, ...] = (0,) * SEATS
    winner: int | None = None


def score_deal(rules: Rules41, bids: tuple[int, ...], taken: tuple[int, ...]) -> Outcome41:
    """Return the outcome of a deal that was played; `bids` and `taken` are in seat order.

    A seat that took its bid or more gains the bid's value, another loses it; in 400 a made bid of
    13 wins the match at once (PROFILES 4.8, 4.9).
    """
    made = tuple(took >= bid for bid, took in zip(bids, taken, strict=True))
    values = tuple(map(rules.value, bids))
    won = None
    if rules.variant is Variant.LEBANESE:
        # The seat's pair. Never two: one seat took all thirteen tricks.
        won = next(
            (seat % 2 for seat in range(SEATS) if made[seat] and bids[seat] == HIGHEST_BID), None
        )
    scores = tuple(value if kept else -value for value, kept in zip(values, made, strict=True))
    return Outcome41(bids, taken, scores, match_won=won)


def thrown_in(bids: tuple[int, ...]) -> Outcome41:
    """Return the outcome of a deal whose bids, in seat order, stay below the floor: no score
    (PROFILES 4.5).
    """
    return Outcome41(bids, (0,) * SEATS, (0,) * SEATS, thrown_in=True)


def new_match(luck: bytes) -> Match41:
    """Return a match before its first deal, whose dealer follows from `luck` (PROFILES 4.2).

    Raises ValueError for fewer than 32 bytes.
    """
    if len(luck) < LUCK_BYTES:
        raise ValueError(f"a match needs {LUCK_BYTES} bytes of luck, not {len(luck)}")
    # Four divides 2**256: the dealer is exactly uniform.
    return Match41(Seat(int.from_bytes(luck, "big") % SEATS))


def winning_team(rules: Rules41, scores: tuple[int, ...]) -> int | None:
    """Return the team, 0 or 1, that wins with these four scores, or None while the match goes on.

    A team qualifies when one partner has the target and the other more than nothing; when both do,
    the higher total wins, and equal totals need another deal (PROFILES 4.10).
    """
    pairs = (scores[0::2], scores[1::2])
    # PROFILES 4.10: a partner at or below 0 holds the team back.
    there = [max(pair) >= rules.target and min(pair) > 0 for pair in pairs]
    totals = [sum(pair) for pair in pairs]
    if all(there):
        return None if totals[0] == totals[1] else totals.index(max(totals))
    return there.index(True) if any(there) else None


ItemT = TypeVar("ItemT")

# From the ace down: the public order from which shuffling starts.
PACK: Final = tuple(Card(suit, rank) for suit in Suit for rank in reversed(Rank))
ALL_SEATS: Final = tuple(map(Seat, range(SEATS)))
TRUMPS: Final = Suit.HEARTS
HAND_SIZE: Final = len(PACK) // SEATS
# PROFILES 4.2: one card each, then six rounds of two, which makes thirteen.
DEAL_ROUNDS: Final = (1, 2, 2, 2, 2, 2, 2)


class DealPhase(Enum):
    """What is going on in a deal."""

    CUTTING = "cutting"
    SORTING = "sorting"
    BIDDING = "bidding"
    PLAYING = "playing"
    THROWN_IN = "thrown in"
    PLAYED = "played"


#: The one kind of action of each phase, and the phases that it can lead to.
NEXT: Final[Mapping[tuple[DealPhase, type[Action]], tuple[DealPhase, ...]]] = {
    (DealPhase.CUTTING, Cut): (DealPhase.SORTING,),
    (DealPhase.SORTING, SortHand): (DealPhase.SORTING, DealPhase.BIDDING),
    (DealPhase.BIDDING, PlaceBid): (DealPhase.BIDDING, DealPhase.THROWN_IN, DealPhase.PLAYING),
    (DealPhase.PLAYING, PlayCard): (DealPhase.PLAYING, DealPhase.PLAYED),
}
#: The section that an action breaks in another phase, or out of turn.
ACTION_RULE: Final[Mapping[type[Action], str]] = {
    Cut: "PROFILES 4.2",
    # No rule of the game but one of privacy: cards in a hand show nobody when they were dealt.
    SortHand: "RULES 0.2",
    PlaceBid: "PROFILES 4.3",
    PlayCard: "PROFILES 4.7",
}


class PlayedCard(NamedTuple):
    """A card that lies face up in a trick."""

    seat: Seat
    slot: Slot
    card: Card


class TakenTrick(NamedTuple):
    """A trick that has been taken."""

    plays: tuple[PlayedCard, ...]
    winner: Seat


@dataclass(frozen=True, slots=True)
class DealState:
    """The public state of a deal. `hands` and `voids` are in seat order.

    `awaiting` holds the seats whose action is awaited, `bids` the bids in the order of speaking,
    from dealer's right, `hands` the slots that each seat has not played, `voids` the suits that
    each seat is proved not to hold.
    """

    dealer: Seat
    floor: int  #: The least sum of the bids' values with which the deal is played.
    phase: DealPhase
    awaiting: tuple[Seat, ...]
    cut: int = 0  #: The place in the shuffled deck at which dealing begins.
    bids: tuple[int, ...] = ()
    hands: tuple[tuple[Slot, ...], ...] = ((),) * SEATS
    voids: tuple[frozenset[Suit], ...] = (frozenset(),) * SEATS
    #: The trick in progress, in order of play; empty between tricks.
    trick: tuple[PlayedCard, ...] = ()
    tricks: tuple[TakenTrick, ...] = ()  #: The complete tricks.

    @property
    def bid_of(self) -> tuple[int, ...]:
        """The bid of each seat, in seat order; all must have bid."""
        # Bids stand in the order of speaking, from dealer's right (PROFILES 4.3).
        return tuple(self.bids[(seat - self.dealer - 1) % SEATS] for seat in range(SEATS))

    @property
    def tricks_taken(self) -> tuple[int, ...]:
        """The number of tricks that each seat has taken, in seat order."""
        winners = [trick.winner for trick in self.tricks]
        return tuple(winners.count(Seat(seat)) for seat in range(SEATS))


def deal_positions(place: int) -> tuple[int, ...]:
    """Return the 13 places in the cut deck, from 0, of the cards dealt to seat `place`, counted
    from dealer's right as 0 (PROFILES 4.2).

    Cards go round one by one first, then six times in pairs.
    """
    positions: list[int] = []
    top = 0
    for count in DEAL_ROUNDS:
        positions.extend(range(top + place * count, top + (place + 1) * count))
        top += SEATS * count
    return tuple(positions)


_POSITIONS: Final = tuple(deal_positions(place) for place in range(SEATS))


def trick_winner(plays: Sequence[PlayedCard]) -> Seat:
    """Return the seat that wins a trick of these plays, which are in order: with the highest
    heart, else the highest card of the suit led.
    """
    led = plays[0].card.suit
    suit = TRUMPS if any(play.card.suit == TRUMPS for play in plays) else led
    # Ranks are numbered as in play here: the ace, 14, is highest.
    return max((play for play in plays if play.card.suit == suit), key=lambda p: p.card.rank).seat


class Game41:
    """41 or 400 under agreed rules, behind the game interface; `Game` documents each method."""

    # Alike under all rules, so that they need no game.
    format_action = staticmethod(format_action)
    parse_action = staticmethod(parse_action)
    new_match = staticmethod(new_match)

    seats = SEATS  #: Four, partners opposite.
    pack = PACK  #: The 52 cards, suit by suit, from the ace down.

    def __init__(self, rules: Rules41) -> None:
        """Make the game that is played under `rules`."""
        self.rules = rules
        self.name = rules.variant.value  #: The name in the registry: "41" or "400".

    def points_of(self, card: Card) -> int:
        """Return 0 for every card: only tricks count."""
        return 0

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[DealState]:
        """Return the step that begins a deal: nothing is dealt yet, and the seat at the dealer's
        left is to cut. The seats' `scores` decide only the floor, the least sum of the bids'
        values with which the deal is played.
        """
        # PROFILES 4.2: the dealer's left cuts.
        left = seat_after(dealer, seats=SEATS, steps=-1)
        return Step(DealState(dealer, self.rules.floor(scores), DealPhase.CUTTING, (left,)))

    def contributors(self, state: DealState) -> tuple[Seat, ...]:
        """Return the seats whose action is awaited: one, or those that have yet to sort; empty
        when the deal is over.
        """
        return state.awaiting

    def apply(self, state: DealState, seat: Seat, action: Action) -> Step[DealState]:
        """Return the step that `action` by `seat` leads to.

        Raises RulesError, naming the section, for an action out of its phase or turn, or one that
        is forbidden by what is seen.
        """
        if (state.phase, type(action)) not in NEXT:
            raise RulesError(
                ACTION_RULE[type(action)],
                f"{format_action(action)!r} has no place while the phase is {state.phase.value}",
            )
        if seat not in state.awaiting:
            # `place_name` for the one that acts: its number need not be that of a seat.
            names = " and ".join(FOUR_SEAT_NAMES[each] for each in state.awaiting)
            raise RulesError(
                ACTION_RULE[type(action)],
                f"it is the turn of {names}, not of {place_name(seat, SEATS)}",
            )
        match action:
            case Cut(offset):
                return _cut_and_deal(state, offset)
            case SortHand():
                return _sort(state, seat)
            case PlaceBid(tricks):
                return self._bid(state, seat, tricks)
            case PlayCard(slot, card):
                return _play(state, seat, slot, card)
            case _:
                assert_never(action)

    def _bid(self, state: DealState, seat: Seat, tricks: int) -> Step[DealState]:
        """Return the step after `seat` bid `tricks`.

        After the fourth bid play begins, or the deal is thrown in if the bids are worth less than
        the floor. Raises RulesError for a number outside the variant's range.
        """
        if not self.rules.lowest_bid <= tricks <= HIGHEST_BID:
            raise RulesError(
                "PROFILES 4.3",
                f"a bid of {self.name} is {self.rules.lowest_bid} to {HIGHEST_BID}, not {tricks}",
            )
        bids = (*state.bids, tricks)
        right = (seat_after(seat, seats=SEATS),)
        if len(bids) < SEATS:
            return Step(replace(state, bids=bids, awaiting=right))
        stands = sum(map(self.rules.value, bids)) >= state.floor
        if not stands:
            return Step(replace(state, bids=bids, awaiting=(), phase=DealPhase.THROWN_IN))
        # The dealer bids last, so the next seat to the right is the first speaker, who leads.
        return Step(replace(state, bids=bids, awaiting=right, phase=DealPhase.PLAYING))

    def legal_actions(self, view: View[DealState]) -> Sequence[Action]:
        """Return every action that is legal for the view's seat: the 52 cuts, the sorting, every
        bid, or the cards of the suit led (at a lead, and for a seat without it, all its cards).
        Empty when the seat is not awaited, and for a spectator.
        """
        state, seat = view.state, view.seat
        if seat is None or seat not in state.awaiting:
            return ()
        if state.phase is DealPhase.CUTTING:
            return tuple(map(Cut, range(len(PACK))))
        if state.phase is DealPhase.SORTING:
            return (SortHand(),)
        if state.phase is DealPhase.BIDDING:
            return tuple(map(PlaceBid, range(self.rules.lowest_bid, HIGHEST_BID + 1)))
        # All have a face by now: the bids came after the shares of the cards.
        cards = tuple(PlayCard(slot, view.faces[slot]) for slot in state.hands[seat])
        if not state.trick:
            return cards
        led = state.trick[0].card.suit
        # PROFILES 4.7: a seat without the suit led may play any card.
        return tuple(play for play in cards if play.card.suit == led) or cards

    def sides(self, state: DealState) -> tuple[Sides, ...]:
        """Return the one division into sides: two pairs, who sit opposite each other."""
        return (OPPOSITE,)

    def action_frame(self, round_: int) -> int:
        """Return the size in bytes to which every action of ledger round `round_` is framed:
        4,096 for round 2, in which hands of 13 cards are sorted, else 2,048.
        """
        # One size for all actions of a round, so that it tells nothing of the cards.
        # Round 0 is the deal, round 1 the cut, round 2 the sorting (specs/07-wire.md, 7.1).
        return 4_096 if round_ == 2 else 2_048

    def is_over(self, state: DealState) -> bool:
        """Tell whether the deal was thrown in or played to the end."""
        return not state.awaiting

    def settle(self, state: DealState) -> Outcome41:
        """Return what each seat bid, took and scores in a deal that is over; raises RulesError
        for a deal that is not.
        """
        match state.phase:
            case DealPhase.THROWN_IN:
                return thrown_in(state.bid_of)
            case DealPhase.PLAYED:
                return score_deal(self.rules, state.bid_of, state.tricks_taken)
            case DealPhase.CUTTING | DealPhase.SORTING | DealPhase.BIDDING | DealPhase.PLAYING:
                raise RulesError("PROFILES 4.11", "the deal is not over yet")
            case _:
                assert_never(state.phase)

    def after_hand(self, match: Match41, outcome: Outcome41) -> Match41:
        """Return the match after a deal that ended with `outcome`: scores added, the deal passed
        to the right, thrown in or played, and the winner if there is one (PROFILES 4.2, 4.10).

        Raises RulesError for a match that was won before.
        """
        if match.winner is not None:
            won = PAIR_NAMES[match.winner]
            raise RulesError("PROFILES 4.10", f"the match is over; {won} have won")
        scores = tuple(a + b for a, b in zip(match.scores, outcome.scores, strict=True))
        winner = outcome.match_won
        # PROFILES 4.9: a made bid of 13 in 400 wins whatever the scores are.
        if winner is None:
            winner = winning_team(self.rules, scores)
        return Match41(seat_after(match.dealer, seats=SEATS), scores, winner)

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> Match41:
        """Return a match at these four scores whose next hand `dealer` deals; raises ValueError
        for another number of scores, and for scores at which it is over.
        """
        if len(scores) != SEATS or winning_team(self.rules, scores) is not None:
            raise ValueError(f"no match goes on at {scores}")
        return Match41(dealer, scores)


def _cut_and_deal(state: DealState, offset: int) -> Step[DealState]:
    """Return the step that cuts the deck and deals all four hands; raises RulesError for an
    offset outside 0 to 51.
    """
    if not 0 <= offset < len(PACK):
        raise RulesError(
            "PROFILES 4.2", f"a cut lies between 0 and {len(PACK) - 1}, not at {offset}"
        )
    hands: list[tuple[Slot, ...]] = [()] * SEATS
    dealt: list[Disclosure] = []
    for place, positions in enumerate(_POSITIONS):
        # Places count from the dealer's right.
        seat = seat_after(state.dealer, seats=SEATS, steps=place + 1)
        hands[seat] = tuple(Slot((each + offset) % len(PACK)) for each in positions)
        dealt.append(Dealt(seat, hands[seat]))
    after = replace(
        state, phase=DealPhase.SORTING, awaiting=ALL_SEATS, cut=offset, hands=tuple(hands)
    )
    return Step(after, disclosures=tuple(dealt))


def _sort(state: DealState, seat: Seat) -> Step[DealState]:
    """Return the step after `seat` mixed its hand into 13 new slots, which begin at 52 + 13 *
    seat. After the last of the four seats bidding begins, at the dealer's right.
    """
    # Mixed, so that a card in a hand shows nobody when it was dealt (RULES 0.2).
    before = state.hands[seat]
    # Disjoint from the deck's slots and from other seats' (specs/rules-41.md, 1).
    first = len(PACK) + seat * HAND_SIZE
    after = tuple(map(Slot, range(first, first + HAND_SIZE)))
    state = replace(
        state,
        hands=_with(state.hands, seat, after),
        awaiting=tuple(each for each in state.awaiting if each != seat),
    )
    if not state.awaiting:
        right = seat_after(state.dealer, seats=SEATS)
        state = replace(state, phase=DealPhase.BIDDING, awaiting=(right,))
    return Step(state, disclosures=(Remixed(seat, before, after),))


def _play(state: DealState, seat: Seat, slot: Slot, card: Card) -> Step[DealState]:
    """Return the step after `seat` played `card` from `slot`; the fourth card also gives the trick
    to its winner. The step states the card's face, and at the first card that does not follow a
    suit led that the rest of the hand has none of that suit.

    Raises RulesError for a slot outside the hand, for a card of a suit that the seat was proved to
    lack, and for a card that was played before.
    """
    hand = state.hands[seat]
    if slot not in hand:
        raise RulesError("PROFILES 4.7", f"slot {slot} is no card of this seat's hand")
    # It has proved to hold none: the same card cannot be there, and no proof is asked for again.
    if card.suit in state.voids[seat]:
        raise RulesError(
            "PROFILES 4.7",
            f"{FOUR_SEAT_NAMES[seat]} has shown to hold no {card.suit.name.lower()}",
        )
    played = (play for trick in state.tricks for play in trick.plays)
    # A card seen before cannot be here; refused on the spot, without asking for a proof.
    if any(play.card == card for play in chain(state.trick, played)):
        raise RulesError("PROFILES 4.7", f"{card} has been played before")
    rest = tuple(each for each in hand if each != slot)
    statements: tuple[Statement, ...] = (IsCard(slot, card),)
    voids = state.voids
    # Chained: the card is not of the suit led, and no void in that suit has been proved before.
    if state.trick and card.suit != (led := state.trick[0].card.suit) not in voids[seat]:
        # The card itself is seen not to follow. A void once proved stays: nobody draws cards.
        statements = (*statements, NoneOfSuit(rest, led)) if rest else statements
        voids = _with(voids, seat, voids[seat] | {led})
    after = replace(
        state,
        hands=_with(state.hands, seat, rest),
        voids=voids,
        trick=(*state.trick, PlayedCard(seat, slot, card)),
        awaiting=(seat_after(seat, seats=SEATS),),
    )
    if len(after.trick) == SEATS:
        after = _take_trick(after)
    return Step(after, statements, (Opened(slot, card),))


def _take_trick(state: DealState) -> DealState:
    """Return the state after the trick of four cards went to its winner, who leads next; after
    the thirteenth trick the deal is over.
    """
    winner = trick_winner(state.trick)
    tricks = (*state.tricks, TakenTrick(state.trick, winner))
    if len(tricks) == HAND_SIZE:
        return replace(state, trick=(), tricks=tricks, awaiting=(), phase=DealPhase.PLAYED)
    return replace(state, trick=(), tricks=tricks, awaiting=(winner,))


def _with(items: tuple[ItemT, ...], seat: Seat, item: ItemT) -> tuple[ItemT, ...]:
    """Return `items`, which has one item for each seat, with the item of `seat` replaced by
    `item`.
    """
    return (*items[:seat], item, *items[seat + 1 :])


# --- 41 and 400 in the registry: house rules are all there is to agree on -------------------------


def create(variant: Variant, parameters: str) -> Game41:
    """Return the game of the `variant`, 41 or 400, with the house rules that `parameters` names,
    with commas between them, in any order; "" names none.

    Raises ProfileError for an unknown house rule, and for one named twice.
    """
    return Game41(parse_rules(variant, parameters))
