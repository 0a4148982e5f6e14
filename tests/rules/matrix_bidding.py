"""Auctions in which the parameters of PROFILES 1.2 and 1.3 can be seen; see matrix_situations."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement

from p2p304.cards import Card, Suit
from p2p304.rules304.actions import Action, AskPartner, DemandRedeal, Pass, PlaceBid
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.choices import Auction4End, FurtherBids
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import RANK_POINTS, Pack
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from tests.rules.table_304 import Table

DEAL = {
    "E": "JC 9C AH TD KC 8C QS 7D",
    "N": "JS 9S TH KD AS 8H 7H QC",
    "W": "AC TC JH KS 9H 8S AD QD",
    "S": "7C KH QH JD 9D 8D TS 7S",
}


def bids(table: Table, letter: str) -> list[Bid]:
    return [each.bid for each in table.legal(letter) if isinstance(each, PlaceBid)]


def lowest(table: Table, letter: str) -> int | None:
    """The lowest number that the seat may bid now; None if it is not its turn to bid."""
    numbers = [bid for bid in bids(table, letter) if isinstance(bid, int)]
    return min(numbers, default=None)


def said(profile: Profile, calls: str, hands: dict[str, str] | None = None) -> Table:
    """South deals; the calls are letter and number, "-" for a pass, "?" for asking."""
    table = Table(profile, "S", DEAL if hands is None else hands)
    for call in calls.split():
        letter, rest = call[0], call[1:]
        if "SENW".index(letter) not in table.state.awaiting:
            assert rest == "-", "a seat without a legal number is passed"
            continue
        action: Action = Pass() if rest == "-" else AskPartner()
        table.do(letter, PlaceBid(int(rest)) if rest.isdigit() else action)
    return table


def opening_numbers(profile: Profile) -> tuple[int, ...]:
    return tuple(bid for bid in bids(said(profile, ""), "E") if isinstance(bid, int))


def reentry(profile: Profile) -> tuple[int | None, ...]:
    open_ended = replace(profile, auction4_end=Auction4End.THREE_PASSES)
    low = said(open_ended, "E160 N170 W- S-")
    return (lowest(low, "E"), lowest(said(open_ended, "E160 N200 W- S-"), "E"))


def asks_again(profile: Profile) -> bool:
    many = replace(
        profile, reentry_rule=FurtherBids.FROM_200, auction4_end=Auction4End.THREE_PASSES
    )
    return AskPartner() in said(many, "E? W160 N170 W- S-").legal("E")


def end_of_auction(profile: Profile) -> tuple[str, int]:
    state = said(profile, "E160 N170 W180 S-").state
    return state.phase.name, len(state.calls)


def rejectable(profile: Profile) -> tuple[int, ...]:
    """The totals of four cards, up to 30, that the dealer's right may reject."""
    found = {}
    for ranks in combinations_with_replacement(Pack.SEVEN_UP.ranks, 4):
        total = sum(RANK_POINTS[rank] for rank in ranks)
        if total <= 30:
            suits = zip(ranks, Suit, strict=True)
            found[total] = " ".join(str(Card(suit, rank)) for rank, suit in suits)
    return tuple(
        total
        for total, hand in sorted(found.items())
        if any(isinstance(x, DemandRedeal) for x in said(profile, "", {"E": hand}).legal("E"))
    )


def rejecting(profile: Profile) -> int:
    """How many cards the dealer's right shows when it rejects them."""
    table = said(profile, "", {"E": "7S 8S 7H 8H"})
    return next(len(each.cards) for each in table.legal("E") if isinstance(each, DemandRedeal))


def shorthand(profile: Profile) -> str:
    meant = {number: profile.number_meant(number) for number in range(1, 160)}
    return " ".join(f"{key}={value}" for key, value in meant.items() if key != value)


def eight_card(profile: Profile, four: int) -> Table | None:
    """East, the four-card maker, speaks first with eight cards; None where nobody does."""
    table = Table(profile, "S", DEAL)
    while table.state.phase is Phase.AUCTION4:
        turn = table.state.awaiting[0]
        table.table.act(turn, PlaceBid(four) if turn == 1 else Pass())
    first = next(slot for slot in table.state.hands[1])
    table.do("E", next(each for each in table.legal("E") if getattr(each, "slot", 0) == first))
    return table if table.state.phase is Phase.AUCTION8 else None


def eight_card_lowest(profile: Profile, four: int) -> int | None:
    table = eight_card(profile, four)
    return None if table is None else lowest(table, "E")


def pcc_offered(profile: Profile) -> bool:
    table = eight_card(profile, 160)
    return table is not None and Contract.PARTNER_CLOSE_CAPS in bids(table, "E")


def start_of_hand(profile: Profile) -> tuple[str, tuple[int, ...]]:
    state = Game304(profile).start(Seat(0)).state
    return state.phase.name, state.awaiting
