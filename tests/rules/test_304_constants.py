"""The rows of the matrix that have one value in every column, each seen under every profile.

`shuffle_model` is the protocol's, `trick_review` and `table_talk` are the screen's and the
players': the rules have no state that could tell.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from p2p304.cards import Slot, parse_card
from p2p304.disclosures import HandedOver, Opened
from p2p304.errors import RulesError
from p2p304.rules304.actions import (
    AskPartner,
    CallCaps,
    CallSpoilt,
    DemandRedeal,
    LayIndicator,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    SortHand,
)
from p2p304.rules304.bidding import check_four_card_bid
from p2p304.rules304.bids import Contract
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.match import Match, new_match
from p2p304.rules304.parameters import PARAMETERS
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import FOUR_SEATS
from p2p304.rules304.state import End, Phase
from p2p304.seats import Seat
from tests.rules.matrix_bidding import DEAL, bids, said
from tests.rules.matrix_situations import (
    ALL_CLUBS,
    ONE_LOSER,
    WINNERS_OUT,
    closed,
    lead_out,
    open_play,
)
from tests.rules.out_of_turn import calls_out_of_turn
from tests.rules.table_304 import Table

WEAK = {"E": "7S 8S 7H 8H", "N": "7D 8D 7C 8C"}
VOID = {
    "S": "JH 9H AH TH KH QH 7S 8S",
    "E": "JC 9C KC AD TD KS QS 8D",
    "N": "TC AC QC JS 9S AS JD 9D",
    "W": "8H 7H 8C 7C KD QD 7D TS",
}
"""South leads hearts; East, the maker under hidden clubs, and North have none."""


def after(table: Table) -> Match:
    """The match after the hand at `table`, which South dealt."""
    match = new_match(table.game.profile, bytes(32))
    assert match.dealer == 0 or match.draws
    outcome = table.game.settle(table.state)
    return Match(match.profile, Seat(0), match.stocks).after(outcome)


def eight(profile: Profile, calls: str) -> Table:
    """East is the four-card maker at 160; then the eight-card calls, as in `said`."""
    table = said(profile, "E160 N- W- S-")
    table.do("E", LayIndicator(table.slot("E", "JC")))
    for call in calls.split():
        bid = {"pcc": Contract.PARTNER_CLOSE_CAPS}.get(call[1:])
        action = Pass() if call[1:] == "-" else PlaceBid(bid or int(call[1:]))
        table.do(call[0], action)
    return table


def rank_points(profile: Profile) -> None:
    game = said(profile, "").game
    points = {card.rank.letter: game.points_of(card) for card in game.pack}
    assert points == {"J": 30, "9": 20, "A": 11, "T": 10, "K": 3, "Q": 2, "8": 0, "7": 0}


def turn_direction(profile: Profile) -> None:
    table = closed(profile, "S", DEAL, "E", "9C")
    table.trick("E", "AH 8H JH QH")
    assert [play.seat for play in table.state.tricks[0].plays] == [1, 2, 3, 0]


def dealer_rotation(profile: Profile) -> None:
    table = closed(profile, "W", ONE_LOSER, "S", "JC")
    table.do("N", CallSpoilt())
    while table.state.awaiting:
        table.table.act(turn := table.state.awaiting[0], _first(table, turn))
    assert after(table).dealer == 1


def _first(table: Table, seat: Seat) -> object:
    return legal_actions(table.table.view(seat))[0]


def first_speaker(profile: Profile) -> None:
    for dealer, first in zip("SENW", (1, 2, 3, 0), strict=True):
        assert Table(profile, dealer, DEAL).state.awaiting == (first,)


def self_overbid(profile: Profile) -> None:
    table = said(profile, "E160 N- W-")
    with pytest.raises(RulesError, match="nobody raises their own standing bid"):
        check_four_card_bid(profile, table.state.auction, Seat(1), 200)
    table.do("S", Pass())
    assert table.state.phase is Phase.INDICATOR4


def ask_spends_both_turns(profile: Profile) -> None:
    assert said(profile, "E? W160").state.auction.spoken == (False, True, False, True)


def all_pass(profile: Profile) -> None:
    table = said(profile, "E- N- W- S-")
    assert (table.state.phase, table.state.end) == (Phase.OVER, End.PASSED_OUT)
    match = after(table)
    assert (match.dealer, match.stocks) == (1, (profile.tokens_start,) * 2)


def redeal_seat(profile: Profile) -> None:
    table = said(profile, "", WEAK)
    assert any(isinstance(each, DemandRedeal) for each in table.legal("E"))
    table = said(profile, "", {"E": "JC JD JH JS", **{"N": WEAK["N"]}})
    table.do("E", PlaceBid(160))
    assert not any(isinstance(each, DemandRedeal) for each in table.legal("N"))
    weak = DemandRedeal(tuple((s, table.table.face(s)) for s in table.state.hands[2]))
    assert "only the seat at the dealer's right" in table.refused("N", weak)


def redeal_deadline(profile: Profile) -> None:
    table = said(profile, "", WEAK)
    rejecting = next(each for each in table.legal("E") if isinstance(each, DemandRedeal))
    for call in (PlaceBid(160), AskPartner()):
        table = said(profile, "", WEAK)
        table.do("E", call)
        assert table.refused("E", rejecting).endswith(("(rule 3)", "(rule 5.5)"))


def redeal_dealer(profile: Profile) -> None:
    table = said(profile, "", WEAK)
    table.do("E", next(each for each in table.legal("E") if isinstance(each, DemandRedeal)))
    assert table.state.end is End.REDEAL
    match = after(table)
    assert (match.dealer, match.stocks) == (0, (profile.tokens_start,) * 2)


def indicator_from(profile: Profile) -> None:
    table = said(profile, "E160 N- W- S-")
    assert table.legal("E") == [LayIndicator(slot) for slot in table.state.hands[1]]
    assert len(table.state.hands[1]) == 4
    assert "a card of the maker's hand" in table.refused("E", LayIndicator(Slot(31)))


def auction8_order(profile: Profile) -> None:
    table = eight(profile, "")
    order = []
    while table.state.phase is Phase.AUCTION8:
        order.append(table.state.awaiting[0])
        table.table.act(order[-1], Pass())
    assert order == [1, 2, 3, 0]


def auction8_calls(profile: Profile) -> None:
    table = eight(profile, "E250 N260 W270 S280")
    assert table.state.phase is Phase.SORTING
    assert table.state.maker == 0


def auction8_ask(profile: Profile) -> None:
    assert AskPartner() not in eight(profile, "").legal("E")
    assert '"ask" is not possible' in eight(profile, "").refused("E", AskPartner())


def auction8_partner(profile: Profile) -> None:
    table = eight(profile, "E250 N-")
    assert table.state.awaiting == (0,), "West, East's partner, was passed"
    assert table.state.calls[-1].forced
    assert bids(eight(profile, "E250 N260"), "W")[0] == 270, "overtaken, a partner is free"


def indicator_return(profile: Profile) -> None:
    table = eight(profile, "E- N250 W-")
    assert (table.state.indicator, table.state.trump_slot) == (None, None)
    assert [len(hand) for hand in table.state.hands] == [8] * 4
    for seat in range(4):
        table.table.act(Seat(seat), SortHand())
    assert table.state.phase is Phase.INDICATOR8
    assert table.state.awaiting == (2,)
    assert parse_card("JC") in {table.table.face(slot) for slot in table.state.hands[1]}


def first_leader(profile: Profile) -> None:
    for maker, card in (("S", "7C"), ("E", "JC"), ("N", "JS"), ("W", "AC")):
        table = closed(profile, "S", DEAL, maker, card)
        table.ready()
        assert table.state.awaiting == (1,)


def pcc_leader(profile: Profile) -> None:
    table = eight(profile, "E- N- Wpcc")
    while table.state.phase is not Phase.TRICK:
        turn = table.state.awaiting[0]
        table.table.act(turn, _first(table, turn))
    assert table.state.awaiting == (3,)


def void_face_down(profile: Profile) -> None:
    table = closed(profile, "W", VOID, "E", "KC")
    table.ready()
    table.play("S", "JH")
    table.play("E", "8D")
    plays = [each for each in table.legal("N") if isinstance(each, PlayCard | PlayDown)]
    assert plays == [PlayDown(slot) for slot in table.state.hands[2]]
    up = PlayCard(table.slot("N", "TC"), parse_card("TC"))
    assert "a seat that cannot follow plays face down" in table.refused("N", up)


def maker_may_discard_trump(profile: Profile) -> None:
    table = closed(profile, "W", VOID, "E", "KC")
    table.ready()
    table.play("S", "JH")
    down = {table.table.face(x.slot) for x in table.legal("E") if isinstance(x, PlayDown)}
    assert {str(card) for card in down} == {"KC", "AD", "TD", "KS", "QS", "8D"}


def indicator_may_be_played(profile: Profile) -> None:
    table = closed(profile, "W", {**VOID, "S": "TC 9H AH TH KH QH 7S 8S"} | {
        "N": "JH AC QC JS 9S AS JD 9D", "E": "KC AD TD KS QS 8D 8H 7H",
        "W": "JC 9C 8C 7C KD QD 7D TS"}, "E", "KC")  # fmt: skip
    table.ready()
    table.play("S", "TC")
    down = {str(table.table.face(x.slot)) for x in table.legal("E") if isinstance(x, PlayDown)}
    assert down == {"AD", "TD", "KS", "QS", "8D", "8H", "7H"}, "no answer to a trump lead"
    lead = PlayCard(table.slot("E", "KC"), parse_card("KC"))
    assert "does not follow suit before the last trick" in table.refused("E", lead)


def inspection_by(profile: Profile) -> None:
    table = closed(profile, "W", VOID, "E", "KC")
    table.ready()
    table.play("S", "JH")
    table.play("E", "8D")
    table.play("N", "JS")
    assert not any(isinstance(each, HandedOver) for each in table.table.disclosures)
    down = table.state.plays[-1].slot
    table.play("W", "7H")
    handed = [each for each in table.table.disclosures if isinstance(each, HandedOver)]
    assert handed == [HandedOver(down, Seat(2), Seat(1))]


def reveal_if_no_cut(profile: Profile) -> None:
    table = closed(profile, "W", VOID, "E", "KC")
    table.trick("S", "JH 8D JS 7H")
    assert not table.state.tricks[-1].cut
    opened = {each.slot for each in table.table.disclosures if isinstance(each, Opened)}
    assert opened == {play.slot for play in table.state.tricks[-1].plays if not play.down}


def exhausted_binds_hidden_indicator(profile: Profile) -> None:
    hands = {
        "E": "JC 9C AC TC KC JS 7S 7H",
        "N": "QC 9S AS TS JH 9H JD 9D",
        "W": "8C KS QS AH TH KH AD TD",
        "S": "8S QH 8H KD QD 8D 7D 7C",
    }
    table = Table(profile, "N", hands).given("E", 200, "JC").closed("E")
    table.trick("W", "KS 8S JS TS")
    for trick in ("9C QC 8C 7C", "AC 9D TD 7D", "TC JD AD 8D", "KC 9S QS QD"):
        table.trick("E", trick)
    table.ready()
    plays = {str(each.card) for each in table.legal("E") if isinstance(each, PlayCard)}
    assert plays == {"7S", "7H"}


def spoilt_callers(profile: Profile) -> None:
    table = closed(profile, "W", ALL_CLUBS, "S", "JC")
    for letter in "SENW":
        assert CallSpoilt() in table.legal(letter)
    spoilt_dealer(profile)


def spoilt_dealer(profile: Profile) -> None:
    table = closed(profile, "S", {**ALL_CLUBS, "E": ALL_CLUBS["S"], "S": ALL_CLUBS["E"]}, "E", "JC")
    table.do("W", CallSpoilt())
    while table.state.awaiting:
        table.table.act(turn := table.state.awaiting[0], _first(table, turn))
    assert table.state.end is End.SPOILT
    assert after(table).dealer == 0
    assert after(table).stocks == (profile.tokens_start,) * 2


def last_tricks(profile: Profile) -> Table:
    """Seven tricks are over; South is to lead JS to the eighth."""
    table = open_play(profile, ONE_LOSER)
    lead_out(table, WINNERS_OUT, 8)
    return table


def spoilt_deadline(profile: Profile) -> None:
    table = last_tricks(profile)
    table.ready()
    for letter, name in zip("SEN", ("JS", "AS", "9S"), strict=True):
        table.play(letter, name)
    assert CallSpoilt() in table.legal("W")
    assert CallSpoilt() in calls_out_of_turn(table.table.view(Seat(2)))
    table.play("W", "8S")
    assert table.state.phase in {Phase.COUNT, Phase.OVER}
    for letter in "SENW":
        assert '"spoilt" is not possible' in table.refused(letter, CallSpoilt())


def caps_last_call(profile: Profile) -> None:
    table = last_tricks(profile)
    assert any(isinstance(each, CallCaps) for each in table.legal("S"))
    table.ready()
    assert any(isinstance(each, CallCaps) for each in table.legal("S"))
    table.play("S", "JS")
    call = CallCaps(table.faces("N", "9S") if profile.caps_expose else ())
    if table.state.phase is Phase.TRICK:
        assert "the last trick has begun" in table.refused("N", call)


SEEN: dict[str, Callable[[Profile], None]] = {
    each.__name__: each
    for each in (
        rank_points,
        turn_direction,
        dealer_rotation,
        first_speaker,
        self_overbid,
        ask_spends_both_turns,
        all_pass,
        redeal_seat,
        redeal_deadline,
        redeal_dealer,
        indicator_from,
        auction8_order,
        auction8_calls,
        auction8_ask,
        auction8_partner,
        indicator_return,
        first_leader,
        pcc_leader,
        void_face_down,
        maker_may_discard_trump,
        indicator_may_be_played,
        inspection_by,
        reveal_if_no_cut,
        exhausted_binds_hidden_indicator,
        spoilt_callers,
        spoilt_deadline,
        spoilt_dealer,
        caps_last_call,
    )
}
ELSEWHERE = {
    "shuffle_model",
    "trick_review",
    "table_talk",
    "caps_counts_partner_as",  # shared scenario P094 and the brute force of test_caps_oracle
}


def test_every_constant_is_seen_here_or_elsewhere() -> None:
    fixed = {each.name for each in PARAMETERS if each.fixed is not None}
    assert fixed == SEEN.keys() | ELSEWHERE


@pytest.mark.parametrize("profile", FOUR_SEATS.values(), ids=lambda profile: profile.name)
def test_the_constants_hold(profile: Profile) -> None:
    for name, seen in SEEN.items():
        (parameter,) = (each for each in PARAMETERS if each.name == name)
        if parameter.applies_to(profile):
            seen(profile)
        else:
            assert profile.caps_model is CapsModel.OFF or name != "caps_last_call"
