"""Decisions of 304, each with what no good player would do there.

A position names the hands that matter; the other cards lie as a seed has them, which nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from p2p304.cards import parse_card
from p2p304.rules304.actions import OpenTrump, PlayCard, PlayDown
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.view import View
from tests.rules.playouts_304 import Table, seat

PROFILE = "pagat"


class Position(NamedTuple):
    """A decision: how it comes about, whose it is, and what is wrong there."""

    name: str
    table: Callable[[], Table]
    seat: Seat
    wrong: Callable[[View[Any], Any], bool]

    def view(self) -> View[Any]:
        return self.table().table.view(self.seat)


def cards(*names: str) -> Callable[[View[Any], Any], bool]:
    """To play one of these cards, up or down."""
    meant = {parse_card(name) for text in names for name in text.split()}

    def plays(view: View[Any], action: Any) -> bool:
        return isinstance(action, PlayCard | PlayDown) and view.faces[action.slot] in meant

    return plays


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

POSITIONS = (
    Position(
        "ace led with jack and nine out",
        play({"S": "AH 7H QD 8D KS 7S TC 8C", "E": f"{CLUBS} JD AS 8H TD"}, maker="E"),
        S,
        cards("AH TC"),
    ),
    Position(
        "nines led with the jacks out",
        play({"S": "KH 9S QH 9H TC 8D KC TD", "E": f"{CLUBS} JD AS 8H AD"}, maker="E"),
        S,
        cards("9S 9H"),
    ),
    Position(
        "nine led by a strong defender",
        play({"S": "KD TC JS KC 9H 9D 8C QD", "E": f"{CLUBS} JD AS 8H AD"}, maker="E"),
        S,
        cards("9H 9D"),
    ),
    Position(
        "the maker's ten led while it draws trumps",
        play({"S": f"{CLUBS} 8C TH 8H QD"}, maker="S", opened=True),
        S,
        cards("TH"),
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
    ),
)
