"""Tamil Nadu at four seats (PROFILES 3.3, VARIANTS R114 and R115): double."""

from __future__ import annotations

from p2p304.rules304.actions import CallDouble
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Phase
from tests.rules.table_304 import Table

HANDS = {
    "S": "JS 9S AS TS JH 9H JD 9D",
    "E": "KS QS 8S 7S AH TH KH QH",
    "N": "JC 9C AC TC AD TD KD QD",
    "W": "KC QC 8C 7C 8H 7H 8D 7D",
}
FIVE = ("JS KS QD 7D", "9S QS KD 8D", "AS 8S TD 7H", "TS 7S TC 8H", "JH QH 9C 7C")
DOUBLE = CallDouble()


def table(profile: str = "tamil4", bid: Bid = 160) -> Table:
    """South is the maker and plays open trumps, and North and it win every trick."""
    found = Table(profile, "W", HANDS).contract("S", bid, "JS")
    if found.state.phase is Phase.DECLARE:
        found.do("S", next(each for each in found.legal("S") if type(each).__name__ == "OpenTrump"))
    return found


def after_five(profile: str = "tamil4") -> Table:
    found = table(profile)
    for names in FIVE:
        found.trick("S", names)
    return found


def ended(found: Table) -> HandOutcome:
    while found.state.phase is not Phase.OVER:
        turn = "SENW"[found.state.awaiting[0]]
        found.do(turn, found.legal(turn)[0])
    outcome = found.game.settle(found.state)
    assert isinstance(outcome, HandOutcome)
    return outcome


def test_a_side_that_has_lost_a_trick_does_not_call() -> None:
    found = table()
    found.trick("S", "JD KS AD 7D")
    found.trick("E", "KH TD 7H JH")
    for names in ("JS 7S KD 8D", "9S 8S QD 8H", "AS QS 9C 7C"):
        found.trick("S", names)
    assert [trick.winner for trick in found.state.tricks] == [1, 0, 0, 0, 0]
    assert found.refused("S", DOUBLE).endswith("(rule 3.3)")


def test_whoever_undertook_all_tricks_already_calls_no_double() -> None:
    """R114."""
    found = table(bid=Contract.PARTNER_CLOSE_CAPS)
    assert found.state.contract is Contract.PARTNER_CLOSE_CAPS
    for names in ("JS KS 7D", "9S QS 8D", "AS 8S 7H", "TS 7S 8H", "JH QH 7C"):
        if found.state.phase is Phase.WINDOW:
            found.ready()
        for letter, name in zip("SEW", names.split(), strict=True):
            found.play(letter, name)
    assert found.refused("S", DOUBLE).endswith("(rule 3.3)")


def test_a_double_is_told_with_how_it_ended() -> None:
    found = after_five()
    found.do("S", DOUBLE)
    found.ready()
    assert "called double and won every trick" in ended(found).summary
