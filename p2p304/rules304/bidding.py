"""The two auctions (RULES 5 and 7): who may call what, and when an auction is over.

Pure functions over Auction values; what follows an auction is told in `dealing`.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache

from p2p304.errors import RulesError
from p2p304.rules304.actions import Bid, Contract, bid_text, height
from p2p304.rules304.profile import Auction4End, Auction8VsFour, FurtherBids, Profile
from p2p304.rules304.state import Auction, Call
from p2p304.rules304.teams import others_of
from p2p304.seats import Seat


# By five numbers, not by the profile, all of whose fields a cache would hash at each bid.
@cache
def _numbers(least: int, most: int, low: int, high: int, middle: int) -> tuple[int, ...]:
    """Return every number that may be bid from `least` to `most`, ascending: multiples of `low`
    up to `middle`, and multiples of `high` above it.
    """
    return tuple(n for n in range(least, most + 1) if n % (low if n <= middle else high) == 0)


def _numbers_from(profile: Profile, floor: int) -> tuple[int, ...]:
    """Return every number of at least `floor` that may be bid under `profile`, ascending."""
    numbers = _numbers(
        profile.bid_min,
        profile.bid_max,
        profile.bid_step_low,
        profile.bid_step_high,
        profile.bracket_middle,
    )
    return numbers[bisect_left(numbers, floor) :]


def _mates(profile: Profile, seat: Seat) -> tuple[Seat, ...]:
    """Return the partners of `seat` as far as they are known while bidding lasts; none in a game
    in which the maker calls a partner by a card.
    """
    return others_of(profile.teams, seat, with_it=True)


def _lowest(profile: Profile, auction: Auction) -> tuple[int, str]:
    """Return one more than the height of the standing bid, or `bid_min` where nobody has bid,
    with the reason as a clause: (171, "the standing bid is 170"). Steps between bids are not
    looked at.
    """
    if auction.top is None:
        return profile.bid_min, f"{profile.bid_min} is the lowest bid"
    return height(auction.top) + 1, f"the standing bid is {bid_text(auction.top)}"


def _four_card_limit(profile: Profile, auction: Auction, seat: Seat) -> tuple[int, str, str] | None:
    """Return the lower limit of the numbers that `seat` may bid, the clause of RULES 5.2 that sets
    it, and the reason: (200, "5.2.3", "a seat that has spoken bids 200 or more").

    None where the seat may not bid at all. Steps are not looked at: the limit over 170 is 171.
    """
    top, middle = auction.top, profile.bracket_middle
    (floor, why), rule = _lowest(profile, auction), "5.2.2"
    # RULES 5.2 no. 3 and 4: one kind of limit twice, for a seat that speaks again and over a
    # partner.
    # The middle of the bracket is the "200" of the rules' names; greater packs have another.
    far = top is not None and height(top) >= middle
    over_partner = auction.top_seat in _mates(profile, seat)
    for holds, allowed, number, who in (
        (auction.spoken[seat], profile.reentry_rule, "5.2.3", "a seat that has spoken"),
        (over_partner, profile.partner_overbid4, "5.2.4", "over a partner's bid one"),
    ):
        if holds:
            never = allowed is FurtherBids.NEVER
            if never or (far and allowed is FurtherBids.FROM_200_IF_FIRST):
                return None
            if floor < middle:
                floor, rule, why = middle, number, f"{who} bids {middle} or more"
    # RULES 5.2 no. 5: nobody raises their own standing bid.
    if auction.top_seat == seat:
        return None
    return floor, rule, why


def four_card_bids(profile: Profile, auction: Auction, seat: Seat) -> tuple[Bid, ...]:
    """Return every bid that `seat` may name in the four-card auction, lowest first (RULES 5.2).

    Empty where the seat can only pass. Whether it is the seat's turn is not asked.
    """
    # With four cards Half Court is all that can be undertaken, and ends the auction (PROFILES 3.2).
    if profile.partner_called and not auction.full:
        return (Contract.HALF_COURT,)
    limit = _four_card_limit(profile, auction, seat)
    if limit is None:
        return ()
    numbers = _numbers_from(profile, limit[0])
    # Set only where the maker calls a card: then Full Court stands above the numbers.
    if auction.full:
        return (*numbers, Contract.FULL_COURT)
    return (*numbers, Contract.HALF_COURT) if profile.half_court else numbers


def check_four_card_bid(profile: Profile, auction: Auction, seat: Seat, bid: Bid) -> None:
    """Raise RulesError with the reason unless `seat` may name `bid` in the four-card auction; it
    names the clause of RULES 5.2, or PROFILES 3.2 where a card is called. Whether it is the
    seat's turn is not asked.
    """
    if profile.partner_called:
        # PROFILES 3.2: with four cards Half Court alone, with all cards anything else.
        if auction.full and bid is Contract.HALF_COURT:
            raise RulesError("3.2", "half court is undertaken with four cards")
        if not auction.full and bid is not Contract.HALF_COURT:
            raise RulesError("3.2", "with four cards one undertakes half court, or passes")
    elif bid is Contract.FULL_COURT:
        raise RulesError("5.2", "full court is bid where the maker calls a card")
    elif bid is Contract.HALF_COURT and not profile.half_court:
        raise RulesError("5.2", "half court is not agreed at this table")
    if bid is Contract.PARTNER_CLOSE_CAPS:
        raise RulesError("5.2", "Partner Close Caps is an eight-card bid only")
    # Here and below some tests stand that the limit implies: each names its own clause.
    if auction.top_seat == seat:
        raise RulesError("5.2.5", "nobody raises their own standing bid")
    limit = _four_card_limit(profile, auction, seat)
    if limit is None:
        if auction.spoken[seat]:
            raise RulesError("5.2.3", "a seat that has spoken may not bid again here")
        raise RulesError("5.2.4", "nobody may bid over a partner's standing bid here")
    # Half Court stands above every number, so no floor excludes it.
    if isinstance(bid, Contract):
        return
    floor, rule, why = limit
    if bid < profile.bid_min:
        raise RulesError("5.2.2", f"{bid} is too low; {_lowest(profile, auction)[1]}")
    if bid > profile.bid_max:
        raise RulesError("5.2.2", f"{bid} is too high; {profile.bid_max} is the highest bid")
    if not profile.on_step(bid):
        step = profile.step_at(bid)
        raise RulesError("5.2.1", f"{bid} is no multiple of {step}, as bids must be here")
    if bid < floor:
        raise RulesError(rule, f"{bid} is too low; {why}")


def may_ask(
    profile: Profile, auction: Auction, seat: Seat, named: Seat | None = None
) -> str | None:
    """Return why `seat` may not ask a partner to speak in its place, as a clause, or None if it may
    (RULES 5.3).

    `named` is the partner that is asked: None where the seat has just one, required where it has
    several.
    """
    if not profile.ask_partner:
        return "asking the partner is not part of this profile"
    if auction.asked is not None:
        return "an asked partner must bid or pass and may not ask back"
    mates = _mates(profile, seat)
    # One question has one text: an only partner is not named, one of several is.
    if (named is None) != (len(mates) == 1):
        return "a seat names whom it asks exactly where it has several partners"
    mate = mates[0] if named is None else named
    if mate not in mates:
        return "only a partner can be asked"
    if auction.top_seat == mate:
        return "the partner holds the standing bid"
    if profile.single_call and auction.spoken[mate]:
        return "the partner has had its one call"
    if not profile.asked_partner_may_pass and not four_card_bids(profile, auction, mate):
        return "the partner would have to bid and has no legal bid"
    if not profile.ask_again_later and auction.spoken[seat]:
        return "nobody may ask again here"
    return None


def may_pass(profile: Profile, auction: Auction) -> str | None:
    """Return why the seat to speak may not pass, as a clause, or None if it may (RULES 5.3 and
    5.4).
    """
    if auction.asked is not None and not profile.asked_partner_may_pass:
        return "an asked partner must bid here"
    if profile.opening_bid_forced and not auction.slots:
        must = "the first speaker must bid"
        return f"{must} or have the partner bid" if profile.ask_partner else must
    return None


def speaker(auction: Auction) -> Seat:
    """Return the seat that is to call now: the partner that was asked, if one was, else the seat
    whose turn it is.
    """
    return auction.turn if auction.asked is None else auction.asked


def whom_to_ask(profile: Profile, auction: Auction, seat: Seat) -> tuple[Seat | None, ...]:
    """Return the values of AskPartner.mate that are legal for `seat` now: (None,) for the one
    partner of a table of four, else each partner by its seat; empty where it may ask nobody.
    """
    mates = _mates(profile, seat)
    named = (None,) if len(mates) == 1 else mates
    return tuple(each for each in named if may_ask(profile, auction, seat, each) is None)


def after_ask(
    profile: Profile, auction: Auction, named: Seat | None
) -> tuple[Auction, tuple[Call, ...]]:
    """Return the auction after the seat on turn asked a partner to speak, and the calls that
    followed at once.

    `named` is the partner, None for the only one. There are no calls where the partner has a legal
    bid. Else the partner has passed at once, and so has each seat after it that has no legal bid.
    """
    mate = _mates(profile, auction.turn)[0] if named is None else named
    asked = auction._replace(asked=mate)
    if four_card_bids(profile, asked, mate):
        return asked, ()
    return after_call(profile, None, asked, None, forced=True)


def auction_ended(profile: Profile, four: Bid | None, auction: Auction) -> bool:
    """Tell whether the auction is over: with eight cards (over the four-card bid `four`) once every
    seat has had its one turn; with four cards (RULES 5.4) once everybody passed, a contract was
    bid, all others passed after a bid, or the one circuit of the profile is complete.
    """
    if four is not None:
        return auction.slots >= auction.seats
    if auction.top is None:
        return auction.quiet >= auction.seats
    # Nothing outbids a contract here: Half Court is the highest four-card bid, Full Court of all.
    if isinstance(auction.top, Contract) or auction.quiet >= auction.seats - 1:
        return True
    return profile.auction4_end is Auction4End.ONE_CIRCUIT and auction.slots >= auction.seats


def after_call(
    profile: Profile, four: Bid | None, auction: Auction, bid: Bid | None, *, forced: bool = False
) -> tuple[Auction, tuple[Call, ...]]:
    """Return the auction after its speaker bid `bid`, or passed (None), and the calls made.

    `four` is the standing four-card bid in the eight-card auction, None in the four-card auction.
    The first call is the speaker's; then come the passes of next seats that have no legal bid. The
    auction has then either ended (`auction_ended`) or waits for a seat that has a choice. `forced`
    marks the speaker's own call as one made for it, without a choice. Whether the call is legal is
    not asked.
    """
    asked_by = None if auction.asked is None else auction.turn
    call = Call(speaker(auction), bid, asked_by, forced)
    return _pass_on(profile, four, _slot_ended(auction, bid), [call])


def open_eight_card(profile: Profile, four: Bid, maker: Seat) -> tuple[Auction, tuple[Call, ...]]:
    """Return the eight-card auction as it begins with the four-card maker to speak, and the passes
    made in it already.

    There are such passes only where the maker has no legal bid: its own, and those of next seats
    that have none.
    """
    return _pass_on(profile, four, Auction(turn=maker, spoken=(False,) * profile.seats), [])


def _slot_ended(auction: Auction, bid: Bid | None) -> Auction:
    """Return the auction with the next seat on turn, after its speaker bid `bid` or passed."""
    seat = speaker(auction)
    # An answer uses up the turn of the seat that asked and of the one that answered (RULES 5.3).
    had = (auction.turn, seat)
    return auction._replace(
        turn=auction.right_of(auction.turn),
        asked=None,
        spoken=tuple(each or place in had for place, each in enumerate(auction.spoken)),
        slots=auction.slots + 1,
        quiet=0 if bid is not None else auction.quiet + 1,
        top=auction.top if bid is None else bid,
        top_seat=auction.top_seat if bid is None else seat,
    )


def _pass_on(
    profile: Profile, four: Bid | None, auction: Auction, calls: list[Call]
) -> tuple[Auction, tuple[Call, ...]]:
    """Pass for one seat after the other until a seat has a legal bid or the auction has ended;
    append these passes to `calls`, and return the auction and all calls. The holder of the standing
    bid is skipped.
    """
    while not auction_ended(profile, four, auction):
        turn = auction.turn
        # Skipped without a pass: it adds nothing to the quiet turns (RULES 5.4).
        if turn == auction.top_seat:
            auction = auction._replace(turn=auction.right_of(turn))
            continue
        if four is None:
            bids = four_card_bids(profile, auction, turn)
        else:
            bids = eight_card_bids(profile, four, auction, turn)
        if bids:
            break
        # A pass that is made for the seat counts like one that it makes (RULES 5.4).
        calls.append(Call(turn, None, None, forced=True))
        auction = _slot_ended(auction, None)
    return auction, tuple(calls)


def eight_card_bids(profile: Profile, four: Bid, auction: Auction, seat: Seat) -> tuple[Bid, ...]:
    """Return every bid that `seat` may name in the eight-card auction, lowest first (RULES 7).

    `four` is the standing four-card bid. Empty where the seat can only pass.
    """
    # Nothing is bid over a partner (RULES 7 no. 4), nor over the highest bid that there is.
    if auction.top_seat in _mates(profile, seat) or auction.top is Contract.PARTNER_CLOSE_CAPS:
        return ()
    numbers = _numbers_from(profile, _eight_card_floor(profile, four, auction))
    return (*numbers, Contract.PARTNER_CLOSE_CAPS) if profile.pcc else numbers


def _eight_card_floor(profile: Profile, four: Bid, auction: Auction) -> int:
    """Return the lower limit of the numbers that may be bid with eight cards: `auction8_min`, more
    if the four-card bid `four` or the standing eight-card bid demands it (RULES 7 no. 1 to 3).

    Steps are not looked at: the limit over 220 is 221.
    """
    # A bool counts 0 or 1: one more than the four-card bid where it must be exceeded.
    above = height(four) + (profile.auction8_vs_four is Auction8VsFour.ABOVE)
    standing = 0 if auction.top is None else height(auction.top) + 1
    return max(profile.auction8_min, above, standing)


def check_eight_card_bid(
    profile: Profile, four: Bid, auction: Auction, seat: Seat, bid: Bid
) -> None:
    """Raise RulesError, naming the clause of RULES 7 and the reason, unless `seat` may name `bid`
    over the four-card bid `four` in the eight-card auction.
    """
    if bid in (Contract.HALF_COURT, Contract.FULL_COURT):
        raise RulesError("7", f"{bid_text(bid)} is no eight-card bid")
    if auction.top_seat in _mates(profile, seat):
        # No test of one's own standing bid, as with four cards: here each seat speaks once.
        raise RulesError("7.4", "the partner holds the standing eight-card bid")
    if bid is Contract.PARTNER_CLOSE_CAPS:
        if not profile.pcc:
            raise RulesError("7", "Partner Close Caps is not part of this profile")
        # It stands above every number, so no floor excludes it.
        return
    # All three contracts were refused or accepted above.
    assert not isinstance(bid, Contract)
    if bid > profile.bid_max:
        raise RulesError("7.1", f"{bid} is too high; {profile.bid_max} is the highest number")
    floor = _eight_card_floor(profile, four, auction)
    if bid < floor:
        # RULES 7 as a whole, since its nos. 1 to 3 each set a floor.
        numbers = _numbers_from(profile, floor)
        least = f"is {numbers[0]} or more" if numbers else "with a number is not possible"
        raise RulesError("7", f"{bid} is too low; an eight-card bid here {least}")
    if not profile.on_step(bid):
        raise RulesError("7.1", f"{bid} is no multiple of {profile.step_at(bid)}")
