"""Sixteen decisions of 304, each with what no good player would do there.

A position names the hands that matter; the other cards lie as a seed has them, which nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from p2p304.cards import parse_card
from p2p304.rules304.actions import AskPartner, OpenTrump, Pass, PlaceBid, PlayCard, PlayDown
from p2p304.rules304.bids import Contract
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.view import View
from tests.rules.scenario_table import seat
from tests.rules.table_304 import Table

PROFILE = "pagat"


class Position(NamedTuple):
    """A decision: how it comes about, whose it is, and what is wrong there."""

    name: str
    table: Callable[[], Table]
    seat: Seat
    wrong: Callable[[View[Any], Any], bool]
    why: str

    def view(self) -> View[Any]:
        return self.table().table.view(self.seat)


def cards(*names: str) -> Callable[[View[Any], Any], bool]:
    """To play one of these cards, up or down."""
    meant = {parse_card(name) for text in names for name in text.split()}

    def plays(view: View[Any], action: Any) -> bool:
        return isinstance(action, PlayCard | PlayDown) and view.faces[action.slot] in meant

    return plays


def asks(_: View[Any], action: Any) -> bool:
    return isinstance(action, AskPartner)


def bids(_: View[Any], action: Any) -> bool:
    return isinstance(action, PlaceBid)


def passes(_: View[Any], action: Any) -> bool:
    return isinstance(action, Pass)


def stays_low(_: View[Any], action: Any) -> bool:
    """No bid, or one below 200."""
    bid = action.bid if isinstance(action, PlaceBid) else 0
    return not isinstance(bid, Contract) and bid < 200


def auction(hands: dict[str, str], *calls: str, dealer: str = "W") -> Callable[[], Table]:
    """An auction in which these calls were made: "pass", or a number."""

    def made() -> Table:
        table = Table(PROFILE, dealer, hands)
        for call in calls:
            turn = table.state.awaiting[0]
            table.table.act(turn, Pass() if call == "pass" else PlaceBid(int(call)))
        return table

    return made


def play(
    hands: dict[str, str],
    *tricks: str,
    maker: str,
    bid: int = 170,
    indicator: str = "7C",
    dealer: str = "W",
    opened: bool = False,
) -> Callable[[], Table]:
    """A hand in which these cards were played; a trick begins with its leader's letter."""

    def made() -> Table:
        table = Table(PROFILE, dealer, hands).contract(maker, bid, indicator)
        if opened:
            who = seat(maker)
            legal = legal_actions(table.table.view(who))
            table.table.act(who, next(each for each in legal if isinstance(each, OpenTrump)))
        else:
            table.closed(maker)
        for trick in tricks:
            leader, *names = trick.split()
            table.trick(leader, " ".join(names))
        if table.state.phase is Phase.WINDOW:
            table.ready()
        return table

    return made


CLUBS = "JC 9C AC 7C"
S, E, N, W = map(Seat, range(4))

SIDE_LEAD = "E JD 8D QD"
JACK_OUT = {"N": "AD TD 8D 7D KH QH TH AH", "W": "KD QD JS 9S AS TS KC 9H"}

POSITIONS = (
    Position(
        "ace led with jack and nine out",
        play({"S": "AH 7H QD 8D KS 7S TC 8C", "E": f"{CLUBS} JD AS 8H TD"}, maker="E"),
        S,
        cards("AH TC"),
        "the jack or the nine takes it, and ten points or eleven with it",
    ),
    Position(
        "ten led with jack and nine out",
        play({"S": "TD 8D KH 7H QS 8S KC 8C", "E": f"{CLUBS} JD AS 8H AD"}, maker="E"),
        S,
        cards("TD"),
        "the jack or the nine takes it, and ten points with it",
    ),
    Position(
        "nines led with the jacks out",
        play({"S": "KH 9S QH 9H TC 8D KC TD", "E": f"{CLUBS} JD AS 8H AD"}, maker="E"),
        S,
        cards("9S 9H"),
        "the jack takes it, and twenty points with it",
    ),
    Position(
        "nine led by a strong defender",
        play({"S": "KD TC JS KC 9H 9D 8C QD", "E": f"{CLUBS} JD AS 8H AD"}, maker="E"),
        S,
        cards("9H 9D"),
        "the jack takes it, and twenty points with it; a jack of its own wins first",
    ),
    Position(
        "the maker's ace led with jack and nine out",
        play({"S": f"{CLUBS} AH 8H QD 7S"}, maker="S"),
        S,
        cards("AH"),
        "a low card finds out as much for nothing",
    ),
    Position(
        "the maker's ten led while it draws trumps",
        play({"S": f"{CLUBS} 8C TH 8H QD"}, maker="S", opened=True),
        S,
        cards("TH"),
        "jack, nine and ace of trumps are led first",
    ),
    Position(
        "jack face down on the maker's trick",
        play(
            {"E": f"{CLUBS} JD 9D 8H 7H", "S": "JH KS 8S 7S QS TC 8C QC", **JACK_OUT},
            SIDE_LEAD,
            maker="E",
            dealer="S",
        ),
        S,
        cards("JH"),
        "the maker's jack stands, and thirty points go to it",
    ),
    Position(
        "ace face down on the maker's trick",
        play(
            {
                "E": f"{CLUBS} JD 9D 8H KS",
                "S": "AH 7H 8S 7S QS TC 8C QC",
                "N": "AD TD 8D 7D KH QH TH JH",
                "W": "KD QD JS 9S AS TS KC 9H",
            },
            SIDE_LEAD,
            maker="E",
            dealer="S",
        ),
        S,
        cards("AH TC"),
        "should hearts or clubs be trumps, a low one cuts as well; else ten points go to the maker",
    ),
    Position(
        "ace on a trick that was cut",
        play(
            {
                "E": "8H QH 8S 7S QS KS KC QC",
                "N": "KH TH JS TS AD 8D KD QD",
                "W": f"{CLUBS} JD 9D TD 9S",
                "S": "AH 7H 9H JH AS 7D TC 8C",
            },
            "E 8H KH 7C",
            maker="W",
            dealer="S",
            opened=True,
        ),
        S,
        cards("AH 9H JH"),
        "a trump has taken the trick, and the seven follows as well",
    ),
    Position(
        "trump on the partner's jack",
        play(
            {
                "E": "8D QD 7D 7S QS KS KH QH",
                "N": f"{CLUBS} JD 9D TD 8S",
                "W": "KD AD JS TS AS JH 9H 9S",
                "S": "TC 8C TH 7H AH KC QC 8H",
            },
            "E 8D JD KD",
            maker="N",
            dealer="S",
            opened=True,
        ),
        S,
        cards("TC 8C KC QC"),
        "the trick is won, and an ace or ten goes to it",
    ),
    Position(
        "a rich trick that a low trump wins",
        play(
            {
                "E": "JD QD 8S 7S QS KS KH QH",
                "N": f"{CLUBS} 7D 9D TD JH",
                "W": "KD AD JS 8H AS 8D 9H 9S",
                "S": "TC 8C TH 7H AH KC QC TS",
            },
            "E JD 7D KD",
            maker="N",
            dealer="S",
            opened=True,
        ),
        S,
        cards("TH 7H AH TS"),
        "the eight of trumps wins thirty points and more",
    ),
    Position(
        "asks with nothing",
        auction({"S": "AD 9H 8D QC"}),
        S,
        asks,
        "an ask says that the hand is strong",
    ),
    Position(
        "four jacks and no more than the least",
        auction({"S": "JH JD JS JC"}),
        S,
        stays_low,
        "they promise far more than 160",
    ),
    Position(
        "jack, nine and ace, and a pass",
        auction({"S": "JH 9H AH JS"}),
        S,
        passes,
        "such a hand makes 200 and more",
    ),
    Position(
        "a bid over 170 on nothing",
        auction({"S": "JD AD QD 8H", "E": "JC QC 7D KH"}, "170"),
        E,
        bids,
        "it takes no 180",
    ),
    Position(
        "a bid over the partner's 180",
        auction({"S": "JD 9D AD JH", "N": "9C TC 7D 8H"}, "180", "pass"),
        N,
        bids,
        "the partner holds the better hand",
    ),
)
