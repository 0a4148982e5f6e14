"""Decisive moments of one scripted hand, each as the screen that a player then reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from cli.net.transport import LinkState, LinkStatus, Trouble
from cli.screen.canvas import Frame
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.learning import Classroom
from cli.screen.ledgers import after_status
from cli.screen.model import Table, after_notice
from cli.screen.render import render
from p2p304.cards import parse_card
from p2p304.games import GAMES, create_game
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceNone,
    CallCaps,
    ContestCaps,
    Cut,
    KeepClosed,
    LayIndicator,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    SortHand,
)
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from protocol.table.events import ChatReceived
from tests.client.ended_matches import match_304
from tests.client.open_hands import OpenHand, dealt, empty_table

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
HANDS: Final = (
    "JH 9H AH JC  TH 9S KS 7D",
    "JS AS TS QS  KH 9C AC TC",
    "JD 9D AD TD  QH 8H KC QC",
    "8S 7S 7H 8C  7C KD QD 8D",
)
CHARTER: Final = (
    "Rules: 304, pagat rules",
    "The charter's fingerprint, the same on every screen: K3QD-77XA-P0QR-51ZZ",
    "South  Asha (you)   UIA5 PK7D BSJS QXQN",
    " East  Banu (known to you as Banu)   P7SW CYVL XJJ7 REKH",
    "North  Chandra (new to you)   IC2K X2H2 TYJ4 WBBQ",
    " West  Dilini (new to you)   EZEP 4GCD SDFR 2VKH",
)


class Moment(NamedTuple):
    """What is shown, and on how large a screen."""

    table: Table
    desk: Desk
    columns: int = 80
    rows: int = 24

    def frame(self) -> Frame:
        """The screen."""
        return render(self.table, self.desk, self.columns, self.rows)


class Script:
    """The hand, told in cards; `seat` is whose screen it is."""

    def __init__(self, seat: Seat, *, ascii_only: bool = False) -> None:
        table = replace(empty_table(seat=seat, ascii_only=ascii_only), rounds=41, proofs=128)
        self.hand = OpenHand(table, deck=dealt(table, HANDS, dealer=WEST), dealer=WEST)

    def do(self, *actions: Action) -> Script:
        for each in actions:
            self.hand.act(each)
        return self

    def play(self, *names: str) -> Script:
        """Cards, up or (with ~) down, by whoever is awaited."""
        for name in names:
            seat = self.hand.state.awaiting[0]
            card = parse_card(name.lstrip("~"))
            slots = [*self.hand.state.hands[seat], self.hand.state.indicator]
            slot = next(s for s in slots if s is not None and self.hand.open.face(s) == card)
            self.hand.act(PlayDown(slot) if name[0] == "~" else PlayCard(slot, card))
        return self

    def ready(self) -> Script:
        """Everybody goes on."""
        while self.hand.state.phase is Phase.WINDOW:
            self.hand.act(Ready())
        return self

    def lay(self, name: str) -> Script:
        """The maker lays an indicator."""
        seat = self.hand.state.awaiting[0]
        card = parse_card(name)
        slots = self.hand.state.hands[seat]
        return self.do(LayIndicator(next(s for s in slots if self.hand.open.face(s) == card)))

    def to_play(self) -> Script:
        """From the cut to the window before trick 1: South has 170, hearts, closed."""
        self.do(Cut(0), PlaceBid(160), Pass(), PlaceBid(200), Pass(), PlaceBid(210))
        self.do(Pass(), Pass(), Pass()).lay("9H").do(*[Pass()] * 4)
        while self.hand.state.phase is Phase.SORTING:
            self.do(SortHand())
        return self.do(KeepClosed())

    def second_trick(self) -> Script:
        """To the lead of trick 2, with trumps not looked at."""
        return self.to_play().ready().play("JC", "9C", "QC", "8C").ready()

    def caps(self) -> Script:
        """South calls caps with an order of its own."""
        names = ["JH", "AH", "TH", "9S", "7D", "9H"]
        faces = {self.hand.open.face(s): s for s in [*self.hand.state.hands[SOUTH]]}
        lies = self.hand.state.indicator
        assert lies is not None
        faces[self.hand.open.face(lies)] = lies
        order = tuple((faces[parse_card(name)], parse_card(name)) for name in names)
        self.hand.act(CallCaps(order), SOUTH)
        return self.ready()

    def shown(self, desk: Desk | None = None, columns: int = 80, rows: int = 24) -> Moment:
        return Moment(self.hand.table, desk or Desk(hints=True), columns, rows)


def _two_tricks(seat: Seat) -> Script:
    return Script(seat).second_trick().play("KS", "QS", "~TD", "7S")


def _laying() -> Script:
    return Script(SOUTH).do(Cut(0), PlaceBid(160), Pass(), Pass(), Pass())


def _auction() -> Moment:
    script = Script(SOUTH).do(Cut(0), PlaceBid(160), Pass(), PlaceBid(200), Pass())
    return script.shown(Desk(hints=True, typed="21"))


def _indicator() -> Moment:
    table = _laying().hand.table
    desk, _ = press(Desk(hints=True), table, "right")
    return Moment(table, desk)


def _face_down(*, ascii_only: bool = False) -> Moment:
    script = Script(NORTH, ascii_only=ascii_only).second_trick()
    return script.play("KS", "QS").shown(Desk())


def _caps_order() -> Moment:
    script = _two_tricks(SOUTH).do(AnnounceNone())
    table, desk = script.hand.table, Desk(hints=True)
    for key in ("c", "j", "h", "a", "h"):
        desk, _ = press(desk, table, key)
    return Moment(table, desk)


def _result() -> Moment:
    script = _two_tricks(SOUTH).do(AnnounceNone()).caps()
    script.do(ContestCaps(), AcceptCaps())
    while script.hand.state.awaiting:
        seat = script.hand.state.awaiting[0]
        script.do(script.hand.legal(seat)[0])
    return script.shown(Desk(mode=Mode.SUMMARY))


def _contested() -> Moment:
    script = _two_tricks(EAST).do(AnnounceNone()).caps().do(ContestCaps(), AcceptCaps())
    table = script.hand.table
    return Moment(replace(table, news=table.news[-1:]), Desk())


def _three_waited_for() -> Moment:
    script = Script(SOUTH).to_play()
    table = replace(script.hand.table, waiting=(EAST, NORTH, WEST), since="23:07", rounds=126)
    return Moment(table, Desk())


def _lost_link() -> Moment:
    table = _two_tricks(SOUTH).hand.table
    why = (
        "Nothing listens at mqtt://127.0.0.1:38879: check the port, and whether the broker is"
        " running."
    )
    status = LinkStatus(LinkState.WAITING, why, 2.0, Trouble.UNREACHABLE)
    return Moment(after_status(table, status, "23:07"), Desk())


def _talk() -> Moment:
    moment = _result()
    words = ("well played, partner", "that was " + "a very " * 22 + "long call", "another one?")
    table = moment.table
    for seat, text in zip((EAST, WEST, SOUTH), words, strict=True):
        table = after_notice(table, ChatReceived(seat, text))
    return Moment(table, replace(moment.desk, talk=True))


def _match() -> Moment:
    table = replace(_result().table, match=match_304(), summary=None)
    return Moment(table, Desk(mode=Mode.MATCH))


def _another() -> Moment:
    table, desk = _match()[:2]
    return Moment(replace(table, wanted={SOUTH: 0, EAST: 0, WEST: 1}), desk)


def _sized(moment: Callable[[], Moment], columns: int, rows: int) -> Callable[[], Moment]:
    return lambda: moment()._replace(columns=columns, rows=rows)


def _lesson() -> Moment:
    hand = GAMES["304"].first_hand()
    assert hand is not None
    room = Classroom(create_game("304", hand.parameters), hand)
    cut = next(each for each in hand.moves if each.lesson and "cut" in each.lesson.title)
    while room.move is not cut:
        room.act(room.due())
    room.ask()
    assert cut.lesson is not None
    title, pages, _ = cut.lesson
    return Moment(room.table, Desk(mode=Mode.LESSON, lesson=(title, pages[0]), hints=True))


_MADE: Final[Mapping[str, Callable[[], Moment]]] = {
    "01-charter": lambda: Moment(empty_table(), Desk(mode=Mode.CHARTER, charter=CHARTER)),
    "02-auction": _auction,
    "03-indicator": _indicator,
    "04-eight-cards": lambda: _laying().lay("9H").shown(),
    "05-face-down": _face_down,
    "06-inspection": lambda: _two_tricks(SOUTH).shown(),
    "07-window": lambda: _two_tricks(EAST).do(AnnounceNone()).shown(Desk()),
    "08-caps-order": _caps_order,
    "09-caps-answer": lambda: _two_tricks(EAST).do(AnnounceNone()).caps().shown(Desk()),
    "10-result": _result,
    "11-large": lambda: (
        Script(SOUTH).second_trick().play("KS", "QS", "~TD").shown(columns=120, rows=40)
    ),
    "12-letters": lambda: _face_down(ascii_only=True),
    "13-contested": _contested,
    "14-three-waited-for": _three_waited_for,
    "15-lost-link": _lost_link,
    "16-talk": _talk,
    "31-end-of-a-match": _match,
    "32-another-match-wanted": _another,
    "40-compact-auction": _sized(_auction, 60, 20),
    "41-compact-trick": _sized(_face_down, 60, 20),
    "42-compact-caps-order": _sized(_caps_order, 60, 20),
    "43-compact-result": _sized(_result, 60, 20),
    "44-beside-the-table": _sized(_face_down, 140, 45),
    "45-rules-on-a-large-screen": lambda: _two_tricks(SOUTH).shown(Desk(mode=Mode.RULES), 200, 50),
    "46-result-on-a-large-screen": _sized(_result, 200, 50),
    "47-lesson": _lesson,
    "48-compact-lesson": _sized(_lesson, 60, 20),
    "49-lesson-on-a-large-screen": _sized(_lesson, 140, 45),
}
MOMENTS: Final[Mapping[str, Callable[[], Moment]]] = {
    name: cache(make) for name, make in _MADE.items()
}
"""Every moment by the name of its capture in specs/screens; the last two show other screens."""
