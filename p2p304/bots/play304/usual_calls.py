"""What seats usually call in the first auction of 304, and so what their calls tell of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from p2p304.bots.play304.promise import best_trump, support
from p2p304.bots.tables import likely304 as learned
from p2p304.rules304 import bidding
from p2p304.rules304.bids import Contract
from p2p304.rules304.pack import DealBatches, Deck
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Auction, Call
from p2p304.seats import Seat

_WIDTH: Final = 10
"""Points of a bucket."""
_ENDS: Final = 8
"""Buckets on either side of what is bid."""

Said = int | str | None
"""A bid, ASK or a pass (None)."""
ASK: Final = "ask"


class Heard(NamedTuple):
    """A call, and what stood when it was made."""

    seat: Seat
    situation: str
    floor: int
    """The lowest number that was open to the seat; 0 where none was."""
    said: Said


def fits(profile: Profile) -> bool:
    """Tell whether four cards of this profile's pack can be judged by what was learned."""
    return (profile.deck, profile.deal_batches) == (Deck.SEVEN_UP, DealBatches.FOUR_FOUR) and (
        not profile.partner_called
    )


def situation_of(profile: Profile, auction: Auction, seat: Seat) -> tuple[str, int]:
    """Return the situation in which `seat` is to call, and the lowest number open to it, or 0."""
    numbers = bidding.four_card_bids(profile, auction, seat)
    floor = next((bid for bid in numbers if not isinstance(bid, Contract)), 0)
    if auction.asked is not None:
        return "asked", floor
    if auction.top_seat is not None:
        ours = profile.teams[auction.top_seat] == profile.teams[seat]
        return "partner stands" if ours else "opponent stands", floor
    return ("nobody stands" if auction.quiet < 2 else "two passed"), floor


def bids_usually(situation: str, points: float, bid: int) -> float:
    """Return how likely a seat makes a bid whose cards promise so many points."""
    place = int((points - bid) // _WIDTH) + _ENDS
    return learned.BIDS[situation][min(max(place, 0), 2 * _ENDS - 1)]


def asks_usually(situation: str, cards: int) -> float:
    """Return how likely a seat asks that does not bid, by what it holds for a partner."""
    place = int(support(cards) // _WIDTH) + len(learned.ASKS[situation]) // 2
    return learned.ASKS[situation][min(max(place, 0), len(learned.ASKS[situation]) - 1)]


def likely(profile: Profile, heard: Heard, cards: int) -> float:
    """Return how likely a seat with these four cards says what was heard."""
    if not heard.floor:
        return 1.0
    points = best_trump(cards).points
    if isinstance(heard.said, int):
        return bids_usually(heard.situation, points, heard.said)
    rest = 1.0 - bids_usually(heard.situation, points, heard.floor)
    if heard.situation == "asked" or not profile.ask_partner:
        return rest
    asks = asks_usually(heard.situation, cards)
    return rest * (asks if heard.said == ASK else 1.0 - asks)


def heard_in(profile: Profile, dealer: Seat, calls: Sequence[Call], now: Auction) -> list[Heard]:
    """Return what the seats said of their own choice in the first auction, in order."""
    first = Seat((dealer + 1) % profile.seats)
    auction = Auction(turn=first, spoken=(False,) * profile.seats)
    found = []
    for call in calls:
        if call.forced and call.asked_by is None:
            continue
        if call.asked_by is not None:
            situation, floor = situation_of(profile, auction, call.asked_by)
            found.append(Heard(call.asked_by, situation, floor, ASK))
            auction = auction._replace(asked=call.seat)
        if bidding.may_pass(profile, auction) is None and not call.forced:
            situation, floor = situation_of(profile, auction, call.seat)
            said = None if isinstance(call.said, Contract) else call.said
            found.append(Heard(call.seat, situation, floor, said))
        auction, _ = bidding.after_call(profile, auction, call.said, forced=call.forced)
        if bidding.four_card_ended(profile, auction):
            break
    if now.asked is not None and now == auction._replace(asked=now.asked):
        situation, floor = situation_of(profile, auction, now.turn)
        found.append(Heard(now.turn, situation, floor, ASK))
    return found
