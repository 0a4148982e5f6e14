"""Decisive moments of scripted hands, and of hands of bots, as the screens that a player reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple

from cli.front.story import MatchHistory, ToldAction
from cli.front.writing import Writer
from cli.net.transport import LinkState, LinkStatus, Trouble
from cli.screen.canvas import Frame
from cli.screen.clientseat import after_status
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.learning import Classroom
from cli.screen.model import Table, after_action, after_notice, after_view
from cli.screen.overlays import at_the_end
from cli.screen.preferences import PlaySettings
from cli.screen.render import render
from p2p304.bots.players import steady_for
from p2p304.cards import Card, parse_card
from p2p304.games import GAMES, create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import Outcome41, score_deal
from p2p304.rules41.rules import Variant, parse_rules
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceNone,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    Cut,
    DemandRedeal,
    KeepClosed,
    LayIndicator,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    SortHand,
    height,
)
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.profile import PROFILES
from p2p304.rules304.scoring import CapsVerdict, HandFacts, HandOutcome, VoidKind, score_hand
from p2p304.rules304.state import Phase, State
from p2p304.rules304.teams import Team
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.table.events import ChatReceived, HandEnded
from protocol.table.rulings import MatchHand

# --- open hands -----------------------------------------------------------------------------------

# Hands with open cards, seen through the model of one seat, for tests of the screen.

NAMES = ("Asha", "Banu", "Chandra", "Dilini", "Erandi", "Farah", "Gihan", "Hashini")
SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
Policy = Callable[[Table, tuple[Action, ...], SeededRandomness], Action]


class Clock:
    """Time that passes when a test says so, or somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now += seconds


def shuffled(game: Any, chance: SeededRandomness, **more: Any) -> OpenTable:
    """A hand of the whole pack, shuffled."""
    deck = list(game.pack)
    chance.shuffle(deck)
    return OpenTable(game, deck, chance, **more)


def table_of_game(
    game: Any,
    seat: Seat | None,
    *,
    names: Sequence[str] = NAMES,
    ascii_only: bool = False,
    **more: Any,
) -> Table:
    """A table of any game at which nothing has happened."""
    table = Table(
        game=game,
        telling=telling_of(game),
        writer=Writer(game.seats, ascii_only=ascii_only),
        names=tuple(names)[: game.seats],
        seat=seat,
        fingerprint="K3QD-77XA-P0QR-51ZZ",
        scores=tuple(game.new_match(bytes(32)).scores),
    )
    return replace(table, **more)


def empty_table(
    profile: str = "pagat", house: tuple[str, ...] = (), *, seat: Seat | None = SOUTH, **more: Any
) -> Table:
    """A table of 304 at which nothing has happened."""
    return table_of_game(Game304(named_profile(profile, house)), seat, **more)


class OpenHand:
    """A hand that goes on by `act`; `table` is what its seat's screen knows."""

    def __init__(
        self, table: Table, *, seed: int = 1, dealer: Seat = WEST, deck: Sequence[Card] = ()
    ) -> None:
        self.chance = SeededRandomness(seed)
        cards = list(deck) or list(table.game.pack)
        if not deck:
            self.chance.shuffle(cards)
        self.open = OpenTable(table.game, cards, self.chance, dealer=dealer)
        self.table = table
        self._look()

    @property
    def state(self) -> State:
        state: State = self.open.state
        return state

    def act(self, action: Action, seat: Seat | None = None) -> None:
        """Let the awaited seat (or `seat`) do it."""
        actor = self.state.awaiting[0] if seat is None else seat
        before = self.state
        self.open.act(actor, action)
        self._look(ToldAction(before, actor, action, self.state))

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """What a seat may do now."""
        return tuple(legal_actions(self.open.view(seat)))

    def _look(self, done: ToldAction | None = None) -> None:
        view = self.open.view(self.table.seat)
        choices = self.table.telling.choices(view, legal_actions(view))
        self.table = after_view(self.table, 0, view, choices)
        if done is not None:
            self.table = after_action(self.table, done)
        if self.state.phase.name == "OVER" and self.table.summary is None:
            outcome = self.table.game.settle(self.state)
            start = self.table.scores
            scores = tuple(one + two for one, two in zip(start, outcome.scores, strict=True))
            ended = HandEnded(0, outcome, scores)
            self.table = after_notice(self.table, ended, transcript="88d17ccd/1")

    def steps(self, policy: Policy, until: Callable[[OpenHand], bool]) -> bool:
        """Play on by `policy` until something is so; whether it came before the hand ended."""
        while not until(self):
            if not self.state.awaiting:
                return False
            seat = self.state.awaiting[0]
            self.act(policy(self.table, self.legal(seat), self.chance))
        return True


def legal_at(table: Table) -> tuple[Action, ...]:
    """The actions that the table's own seat may choose from."""
    return tuple(each.action for each in table.choices)


def offering(table: Table, *actions: Action) -> Table:
    """The same table with these actions as the only ones to choose from."""
    view = table.view()
    return replace(table, choices=table.telling.choices(view, actions))


def quiet(_: Table, legal: tuple[Action, ...], chance: SeededRandomness) -> Action:
    """A random choice without claims and high bids."""
    calm = [each for each in legal if not _is_loud(each)] or list(legal)
    kinds = list(dict.fromkeys(map(type, calm)))
    kind = kinds[chance.randbelow(len(kinds))]
    chosen = [each for each in calm if type(each) is kind]
    return chosen[chance.randbelow(len(chosen))]


def _is_loud(action: Action) -> bool:
    high = isinstance(action, PlaceBid) and height(action.bid) >= 200
    return high or isinstance(action, CallCaps | CallSpoilt | DemandRedeal)


def hands(count: int, table: Table) -> Iterator[OpenHand]:
    """So many hands at their beginning, with other cards and dealers."""
    for seed in range(count):
        yield OpenHand(replace(table), seed=seed, dealer=Seat(seed % 4))


def cards(text: str) -> list[Card]:
    """Cards from text, such as "9C 10H"."""
    return [parse_card(each) for each in text.split()]


def dealt(table: Table, hands_text: Sequence[str], *, dealer: Seat) -> list[Card]:
    """The deck, not cut, that deals these eight cards to South, East, North and West in order."""
    hands_cards = [cards(each) for each in hands_text]
    order = [Seat((dealer + 1 + turn) % 4) for turn in range(4)]
    first = [card for seat in order for card in hands_cards[seat][:4]]
    second = [card for seat in order for card in hands_cards[seat][4:]]
    assert set(first + second) == set(table.game.pack)
    return first + second


# --- moments of bots ------------------------------------------------------------------------------

# Hands that bots play with open cards, as the tables that one player sees before its choices.


@cache
def hand_of_bots(
    name: str, agreed: str, seed: int, *, seat: Seat, dealer: Seat, scores: tuple[int, ...]
) -> tuple[Table, ...]:
    """The table of one seat whenever something was done, and at the end."""
    game = create_game(name, agreed)
    table = table_of_game(game, seat, scores=scores, rounds=41, proofs=128)
    here = shuffled(game, SeededRandomness(seed), dealer=dealer, scores=scores)
    players = [steady_for(game, each) for each in range(game.seats)]
    found: list[Table] = []
    while awaited := game.contributors(here.state):
        actor, before = awaited[0], here.state
        view = here.view(seat)
        table = after_view(table, 0, view, table.telling.choices(view, game.legal_actions(view)))
        found.append(table)
        action = players[actor].choose(here.view(actor))
        here.act(actor, action)
        table = after_action(
            after_view(table, 0, here.view(seat)), ToldAction(before, actor, action, here.state)
        )
    outcome: Any = game.settle(here.state)
    after = tuple(old + new for old, new in zip(scores, outcome.scores, strict=True))
    ended = HandEnded(0, outcome, after)
    return (*found, after_notice(table, ended, transcript="7f5b6c79/1"))


def first(tables: tuple[Table, ...], wanted: Callable[[Table], bool]) -> Table:
    """The first that is wanted, of those at which the player has a choice."""
    return next(table for table in tables if table.choices and wanted(table))


def _six(seed: int = 1) -> tuple[Table, ...]:
    return hand_of_bots("304", "six24", seed, seat=Seat(0), dealer=Seat(5), scores=(9, 13))


def _called(seed: int = 7) -> tuple[Table, ...]:
    return hand_of_bots(
        "304", "maharashtra", seed, seat=Seat(0), dealer=Seat(3), scores=(4, -1, 7, 2)
    )


def _bids(table: Table) -> bool:
    auction = table.state.auction
    return auction.top is not None and any(choice.numbers for choice in table.choices)


def _faces_down(table: Table) -> bool:
    state = table.state
    return state.phase is Phase.TRICK and any(play.down for play in state.plays)


def _shown(table: Table, columns: int = 80, rows: int = 24) -> Moment:
    desk, _ = press(Desk(settings=HINTS), table, "right")
    return Moment(table, desk, columns, rows)


def _auction_of_six() -> Moment:
    return Moment(first(_six(), _bids), Desk(settings=HINTS, typed="22"))


def _down_among_six(columns: int = 80, rows: int = 24) -> Moment:
    return _shown(first(_six(), _faces_down), columns, rows)


def _called_card_falls(columns: int = 80, rows: int = 24) -> Moment:
    def fallen(table: Table) -> bool:
        return table.state.phase is Phase.TRICK and not table.state.partner_secret

    return _shown(first(_called(), fallen), columns, rows)


def _end(tables: tuple[Table, ...]) -> Moment:
    return Moment(tables[-1], at_the_end(Desk(), tables[-1]))._replace(desk=Desk(mode=Mode.SUMMARY))


#: Every moment by the name of its capture in specs/screens.
HINTS: Final = PlaySettings(hints=True)

MOMENTS_OF_SEATS: Final[Mapping[str, Callable[[], Moment]]] = {
    "21-auction-of-six": _auction_of_six,
    "22-face-down-among-six": _down_among_six,
    "23-face-down-among-six-large": lambda: _down_among_six(120, 36),
    "24-result-of-six": lambda: _end(_six()),
    "25-auction-with-a-called-partner": lambda: Moment(
        first(_called(), _bids), Desk(settings=HINTS, typed="2")
    ),
    "26-face-down-with-a-secret-partner": lambda: _shown(first(_called(), _faces_down)),
    "27-called-card-falls": _called_card_falls,
    "28-called-card-falls-large": lambda: _called_card_falls(120, 36),
    "29-result-with-a-called-partner": lambda: _end(_called()),
}


# --- moments --------------------------------------------------------------------------------------

# Decisive moments of one scripted hand, each as the screen that a player then reads.

HANDS: Final = (
    "JH 9H AH JC  TH 9S KS 7D",
    "JS AS TS QS  KH 9C AC TC",
    "JD 9D AD TD  QH 8H KC QC",
    "8S 7S 7H 8C  7C KD QD 8D",
)
CHARTER: Final = (
    "The charter of this table",
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
        faces[self.hand.open.face(lies)] = lies
        order = tuple((faces[parse_card(name)], parse_card(name)) for name in names)
        self.hand.act(CallCaps(order), SOUTH)
        return self.ready()

    def shown(self, desk: Desk | None = None, columns: int = 80, rows: int = 24) -> Moment:
        return Moment(self.hand.table, desk or Desk(settings=HINTS), columns, rows)


def _two_tricks(seat: Seat) -> Script:
    return Script(seat).second_trick().play("KS", "QS", "~TD", "7S")


def _laying() -> Script:
    return Script(SOUTH).do(Cut(0), PlaceBid(160), Pass(), Pass(), Pass())


def _auction() -> Moment:
    script = Script(SOUTH).do(Cut(0), PlaceBid(160), Pass(), PlaceBid(200), Pass())
    return script.shown(Desk(settings=HINTS, typed="21"))


def _indicator() -> Moment:
    table = _laying().hand.table
    desk, _ = press(Desk(settings=HINTS), table, "right")
    return Moment(table, desk)


def _face_down(*, ascii_only: bool = False) -> Moment:
    script = Script(NORTH, ascii_only=ascii_only).second_trick()
    return script.play("KS", "QS").shown(Desk())


def _caps_order() -> Moment:
    script = _two_tricks(SOUTH).do(AnnounceNone())
    table, desk = script.hand.table, Desk(settings=HINTS)
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
    room = Classroom(create_game("304", hand.parameters), hand)
    cut = next(each for each in hand.moves if each.lesson and "cut" in each.lesson.title)
    while room.move is not cut:
        room.act(room.next_action())
    room.ask()
    title, pages, _ = cut.lesson
    return Moment(room.table, Desk(mode=Mode.LESSON, told=(title, pages[0]), settings=HINTS))


_MADE: Final[Mapping[str, Callable[[], Moment]]] = {
    "01-charter": lambda: Moment(empty_table(), Desk(mode=Mode.CHARTER, told=CHARTER)),
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
#: Every moment by the name of its capture in specs/screens; the last two show other screens.
MOMENTS: Final[Mapping[str, Callable[[], Moment]]] = {
    name: cache(make) for name, make in _MADE.items()
}


# --- moments 41 -----------------------------------------------------------------------------------

# Decisive moments of a deal of 41, each as the screen that a player then reads.


def _deal() -> tuple[Table, ...]:
    """South's table whenever something was done in a deal of bots, and at the end."""
    return hand_of_bots("41", "", 8, seat=SOUTH, dealer=WEST, scores=(12, 7, -3, 20))


def _first(wanted: Callable[[Table], bool]) -> Table:
    return first(_deal(), wanted)


def _auction_41() -> Moment:
    table = _first(lambda each: any(choice.typed == ("bid 3",) for choice in each.choices))
    return Moment(table, Desk(settings=HINTS, typed="3"))


def _trick() -> Moment:
    table = _first(lambda each: len(each.state.tricks) >= 4 and len(each.state.trick) == 3)
    desk, _ = press(Desk(settings=HINTS), table, "right")
    return Moment(table, desk)


def _finish() -> Moment:
    *_, table = _deal()
    return Moment(table, at_the_end(Desk(), table))


def _result_41() -> Moment:
    return _finish()._replace(desk=Desk(mode=Mode.SUMMARY))


#: Every moment by the name of its capture in specs/screens.
MOMENTS_41: Final[Mapping[str, Callable[[], Moment]]] = {
    "17-auction-of-41": _auction_41,
    "18-trick-of-41": _trick,
    "19-last-trick-of-41": _finish,
    "20-result-of-41": _result_41,
}


# --- matches that are over ------------------------------------------------------------------------


PAGAT = PROFILES["pagat"]


def bid(maker: int, value: int, points: int) -> HandOutcome:
    """A hand of 304 that was decided by its bid."""
    team = Team(maker % 2)
    facts = HandFacts(maker=Seat(maker), maker_team=team, bid=value, points=points, tricks=4)
    return score_hand(PAGAT, facts)


def caps(maker: int, value: int) -> HandOutcome:
    """A hand of 304 whose maker's team took all tricks and called caps in time."""
    verdicts = [CapsVerdict.NONE, CapsVerdict.NONE]
    verdicts[maker % 2] = CapsVerdict.CORRECT_BONUS
    facts = HandFacts(
        maker=Seat(maker),
        maker_team=Team(maker % 2),
        bid=value,
        points=304,
        tricks=8,
        caps=(verdicts[0], verdicts[1]),
    )
    return score_hand(PAGAT, facts)


PASSED_OUT = score_hand(PAGAT, HandFacts(void=VoidKind.PASSED_OUT))


def match_304() -> MatchHistory:
    """A short match of 304 that East and West won."""
    outcomes = (bid(0, 160, 171), PASSED_OUT, bid(2, 200, 150), bid(1, 160, 190), caps(3, 250))
    scores = ((12, 10), (12, 10), (9, 13), (8, 14), (0, 22))
    rows = enumerate(zip(outcomes, ((11, 11), *scores[:-1]), scores, strict=True))
    hands = (MatchHand(number, *row) for number, row in rows)
    return MatchHistory(tuple(hands), 1, scores[-1])


def match_41() -> MatchHistory:
    """A match of 41 that North and South won."""
    rules = parse_rules(Variant("41"), "")
    deals: tuple[Outcome41, ...] = (
        score_deal(rules, (5, 3, 4, 2), (5, 2, 4, 2)),
        score_deal(rules, (9, 2, 3, 2), (9, 1, 2, 1)),
    )
    scores = tuple(create_game("41").new_match(bytes(32)).scores)
    hands = []
    for number, deal in enumerate(deals, start=4):
        before, scores = scores, tuple(map(sum, zip(scores, deal.scores, strict=True)))
        hands.append(MatchHand(number, deal, before, scores))
    return MatchHistory(tuple(hands), 0, scores)
