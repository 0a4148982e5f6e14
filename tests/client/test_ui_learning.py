"""What the client teaches and offers: every legal choice in words, by profile and moment."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from cli.front.assistant import duty
from cli.front.choosing import choice_lines, find_choice
from cli.front.writing import Writer
from cli.screen import panels
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Mode
from cli.screen.model import Summary, Table
from cli.screen.panels import summary_lines
from cli.screen.preferences import PlaySettings
from cli.screen.prompts import prompt_lines
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.players import RandomPlayer
from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.games import create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules41 import actions as actions41
from p2p304.rules304.actions import (
    Action,
    CallCaps,
    CallSpoilt,
    Cut,
    LayIndicator,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    Ready,
    SortHand,
)
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import judge_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    Violation,
    ViolationKind,
    VoidKind,
    score_hand,
)
from p2p304.rules304.state import Phase, State
from p2p304.rules304.teams import NORTH_SOUTH
from p2p304.rules304.telling.options import urgent
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.telling import Choice
from p2p304.view import View
from protocol.table.events import ActionTaken, Event, HandStarted
from tests.client.moments import OpenHand, Script, dealt, empty_table, hands, quiet, shuffled
from tests.long import long
from tests.table.bus import Table as Sessions

# --- options --------------------------------------------------------------------------------------

# Choices in words, bids by their value: every legal action once, and no word for two.

CARD = re.compile(r"(?<![\w-])(?:10|[2-9JQKA])[SHDC](?!\w)")
NUMBERS = (Cut, PlaceBid, actions41.Cut, actions41.PlaceBid)
"""What a number may mean."""
GAMES = (
    ("304", "pagat"),
    ("304", "championship"),
    ("304", "pagat; +half_court; +pre_show"),
    ("304", "wikipedia"),
    ("41", ""),
    ("400", ""),
)


def positions(game_name: str, agreement: str, seed: int) -> Iterator[tuple[OpenTable, Seat]]:
    """Every position of a random hand at which a seat is awaited."""
    game = create_game(game_name, agreement)
    table = shuffled(game, SeededRandomness(seed))
    players = [
        RandomPlayer304(seed + seat) if isinstance(game, Game304) else RandomPlayer(game, seed)
        for seat in range(4)
    ]
    while awaited := game.contributors(table.state):
        for seat in awaited:
            yield table, seat
        table.act(awaited[0], players[awaited[0]].choose(table.view(awaited[0])))


LETTERS = Writer(4, ascii_only=True)


def names_of(view: View[object]) -> set[str]:
    """The cards that the seat knows, as they are written."""
    return {str(card).replace("T", "10") for card in view.faces.values()}


@pytest.mark.parametrize(("game_name", "agreement"), GAMES)
@pytest.mark.parametrize("seed", [0, *long(1, 2)])
def test_every_legal_action_has_words_of_its_own_and_a_number_is_a_bid_or_a_cut(
    game_name: str, agreement: str, seed: int
) -> None:
    for table, seat in positions(game_name, agreement, seed):
        view = table.view(seat)
        legal = list(table.game.legal_actions(view))
        options = telling_of(table.game).choices(view, legal)
        text = " ".join(choice_lines(options, LETTERS, 78))
        for number in range(310):
            option = find_choice(f" {number} ", options, LETTERS)
            assert option is None or isinstance(option.action, NUMBERS), option
        labels = [LETTERS.line(each.label) for each in options]
        assert len(set(labels)) == len(options)
        for option, label in zip(options, labels, strict=True):
            assert label.removeprefix("play ") in text or isinstance(option.action, NUMBERS)
            shared = sum(each.key == option.key for each in options) > 1
            assert not shared or not option.key or find_choice(option.key, options, LETTERS) is None
            for word in (label, *option.typed, *([option.key] * bool(option.key and not shared))):
                assert find_choice(word.upper(), options, LETTERS) is option, word
            assert set(CARD.findall(label)) <= names_of(view)
        assert find_choice("nonsense", options, LETTERS) is None
        assert find_choice("-1", options, LETTERS) is None


def choices(name: str, view: View[Any], legal: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of the usual game of this name."""
    return telling_of(create_game(name)).choices(view, legal)


def in_a_hand() -> tuple[View[Any], Slot, Slot]:
    """The view of a seat with eight cards of 304, and the slots of two of them, a ten second."""
    table, seat = next(
        (table, seat)
        for table, seat in positions("304", "pagat", 1)
        if len(table.state.hands[seat]) == 8
        and any(table.face(slot).rank is Rank.TEN for slot in table.state.hands[seat])
    )
    slots = table.state.hands[seat]
    ten = next(slot for slot in slots if table.face(slot).rank is Rank.TEN)
    return table.view(seat), next(slot for slot in slots if slot != ten), ten


def test_only_duties_without_a_choice_are_done_without_a_question() -> None:
    view, one, _ = in_a_hand()

    def done(*legal: Any) -> Any:
        found = duty(choices("304", view, legal))
        return None if found is None else found.action

    assert done(SortHand()) == SortHand()
    assert done(PlayCard(one, view.faces[one])) is None
    assert done(LayIndicator(one)) is None
    assert done(Ready(), CallSpoilt()) is None
    assert done() is None
    for name in ("41", "400"):
        for table, seat in positions(name, "", 1):
            here = table.view(seat)
            offered = choices(name, here, table.game.legal_actions(here))
            sorts = table.game.format_action(offered[0].action).startswith("sort")
            assert (duty(offered) is not None) is sorts


# --- ui learning ----------------------------------------------------------------------------------

# What the client teaches fits the profile and the moment, and caps where hints are allowed.

SEATS = SOUTH, EAST, NORTH, WEST = tuple(map(Seat, range(4)))


def rules_now(
    state: State | None, seat: Seat | None, faces: Mapping[Slot, Card] | None = None
) -> tuple[str, ...]:
    """The rules of the moment, as one seat reads them."""
    table = replace(empty_table(seat=seat), state=state, faces=faces or {})
    return panels.rules_now(table)


def test_missed_caps_and_violations_are_told_with_their_reason() -> None:
    table = Script(SOUTH).to_play().hand.table
    state: State = table.state
    profile = state.profile

    def told(**facts: Any) -> str:
        found = HandFacts(maker_team=NORTH_SOUTH, bid=210, **facts)
        outcome = score_hand(profile, found)
        return "\n".join(summary_lines(table, Summary(0, outcome, (11, 11), state, table.faces)))

    missed = told(points=304, tricks=8, caps=(CapsVerdict.WRONG, CapsVerdict.NONE))
    assert "certain to win every trick, and nobody called" in missed
    assert told(points=16, tricks=1, caps=(CapsVerdict.LOST, CapsVerdict.NONE)).startswith(
        "North-South called Caps and lost a trick: North-South pay 5 tokens, and the bid brings"
    )
    broken = told(violation=Violation(NORTH_SOUTH, ViolationKind.FALSE_SPOILT))
    assert "Violation North-South: a false call of spoilt trumps" in broken
    void = told(void=VoidKind.SPOILT)
    assert "nobody pays" in void
    assert "Points" not in void


def bold(_: Table, legal: tuple[Action, ...], chance: SeededRandomness) -> Action:
    """A random choice of a kind, claims and high bids among them."""
    kinds = list(dict.fromkeys(map(type, legal)))
    if len(kinds) > 1 and chance.randbelow(8) and Ready in kinds:
        return Ready()
    kind = kinds[chance.randbelow(len(kinds))]
    chosen = [each for each in legal if type(each) is kind]
    return chosen[chance.randbelow(len(chosen))]


_FOR_WHOM_IT_IS = frozenset(
    {
        Phase.CUT,
        Phase.INDICATOR4,
        Phase.INDICATOR8,
        Phase.DECLARE,
        Phase.INSPECT,
        Phase.SHOW_INDICATOR,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.COUNT,
    }
)
"""Phases in which somebody acts and others do not, so that they must read something else."""


def test_every_phase_has_its_rules_for_the_seat_to_act_and_for_the_others() -> None:
    met: set[tuple[Phase, bool]] = set()
    for number, hand in enumerate(hands(40, empty_table())):
        policy = bold if number % 4 else quiet
        for _ in range(400):
            state = hand.state
            told = {seat: rules_now(state, seat, hand.open.view(seat).faces) for seat in SEATS}
            assert all(told.values())
            assert rules_now(state, None)
            met |= {(state.phase, seat in state.awaiting) for seat in SEATS}
            if state.phase in _FOR_WHOM_IT_IS:
                acting = {told[seat] for seat in SEATS if seat in state.awaiting}
                others = {told[seat] for seat in SEATS if seat not in state.awaiting}
                assert not acting & others, state.phase
            if not state.awaiting:
                break
            hand.act(policy(hand.table, hand.legal(state.awaiting[0]), hand.chance))
    named = {Phase.NAMING}  # only where a card is called: test_called_partner_screen
    assert {phase for phase, _ in met} == set(Phase) - named
    assert {(phase, mine) for phase in _FOR_WHOM_IT_IS for mine in (True, False)} <= met


def test_go_on_leading_trumps_is_said_of_trumps_alone() -> None:
    script = Script(SOUTH).second_trick()
    state, faces = script.hand.state, script.hand.table.faces

    def told(*unfollowed: Suit, **changes: object) -> str:
        led = state._replace(unfollowed=unfollowed, **changes)  # type: ignore[arg-type]
        return " ".join(rules_now(led, SOUTH, faces))

    assert "nobody followed" not in told(Suit.CLUBS)
    assert "nobody followed" not in told(Suit.CLUBS, trump=Suit.HEARTS)
    assert "You led trump, hearts, and nobody followed" in told(Suit.CLUBS, Suit.HEARTS)
    assert "You led trump, hearts, and nobody followed" in told(Suit.HEARTS, trump=Suit.HEARTS)
    unknown = " ".join(rules_now(state._replace(unfollowed=(Suit.CLUBS,)), SOUTH))
    assert "if that is trump" in unknown


# --- caps -----------------------------------------------------------------------------------------


SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
HANDS = (
    "JH 9H AH TH  KH QH 8H JC",
    "JS AS TS QS  7H 9C AC TC",
    "JD 9D AD TD  8S KS KC QC",
    "9S 7S 8D 8C  7C KD QD 7D",
)
"""South holds every trump but the lowest, and the highest club."""


class Played:
    """The hand from South's screen, with its events."""

    def __init__(self, seat: Seat = SOUTH) -> None:
        table = empty_table(seat=seat)
        self.hand = OpenHand(table, deck=dealt(table, HANDS, dealer=WEST), dealer=WEST)
        self.scores = table.scores
        self.events: list[Event] = [HandStarted(0, WEST, self.scores)]

    def do(self, *actions: Action) -> Played:
        for each in actions:
            seat = self.hand.state.awaiting[0]
            self.hand.act(each)
            self.events.append(ActionTaken(seat, each))
        return self

    def to_the_window(self) -> Played:
        """South has 160 in hearts, opens trump, and the window before its lead is open."""
        self.do(Cut(0), PlaceBid(160), Pass(), Pass(), Pass())
        slots = self.hand.state.hands[SOUTH]
        jack = parse_card("JH")
        lay = next(slot for slot in slots if self.hand.open.face(slot) == jack)
        self.do(LayIndicator(lay), *[Pass()] * 4)
        while self.hand.state.phase is Phase.SORTING:
            self.do(SortHand())
        return self.do(OpenTrump(jack))

    def silently_to_the_end(self) -> Played:
        """Nobody claims anything, and everybody plays its first card."""
        while self.hand.state.awaiting:
            legal = self.hand.legal(self.hand.state.awaiting[0])
            quiet = [each for each in legal if isinstance(each, Ready)]
            self.do((quiet or list(legal))[0])
        return self


def test_the_call_that_is_due_is_told_with_a_sure_order_and_the_reason() -> None:
    played = Played().to_the_window()
    view = played.hand.open.view(SOUTH)
    due = urgent(view)
    assert due is not None
    order = [view.faces[slot] for slot in due.order]
    assert judge_order(information_of(view.state, SOUTH, view.faces), order)
    writer = played.hand.table.writer
    told = " ".join(writer.sentence(line) for line in due.lines)
    assert "certain to win every trick" in told
    assert "Wrong Caps" in told
    assert "Nothing that is still out is higher in its suit than" in told
    assert "The trumps that are out, 7♥, fall on yours first." in told
    assert writer.cards(order) in writer.sentence(due.brief)


class Watched:
    """What a seat looks at of a session: the hand of a test, at a table where none has begun."""

    def __init__(self, played: Played) -> None:
        self._hand = played.hand
        self._table = Sessions(create_game("304", "pagat"), 1).chairs[SOUTH].session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def view(self, _: int | None = None) -> Any:
        return self._hand.open.view(SOUTH)

    def legal_actions(self) -> tuple[Action, ...]:
        return self._hand.legal(SOUTH)

    def awaited_others(self) -> frozenset[Seat]:
        return frozenset()

    def hand(self, _: int | None = None) -> None:
        return None


async def asked(played: Played, *keys: str, hints: bool = True) -> tuple[Any, ClientSeat]:
    """What South chooses by these keys, pressed once it is asked, or None; and its screen, whose
    player is never too quick for what it shows."""
    hours = map(float, range(0, 1 << 30, 3_600))
    seat = ClientSeat(PlaySettings(hints=hints, agree=hints), clock=lambda: next(hours))
    session: Any = Watched(played)
    await seat.begin(lambda: session)
    await seat.tell(played.events[0], session)
    decision = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.choices:
        await asyncio.sleep(0)
    seat.frame(80, 24)
    for key in keys:
        seat.press(key)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    if decision.done():
        return decision.result(), seat
    seen = seat.table, seat.desk
    decision.cancel()
    await asyncio.wait({decision})
    seat.table, seat.desk = seen
    return None, seat


async def test_the_table_warns_where_hints_are_allowed_and_going_on_is_asked_about() -> None:
    played = Played().to_the_window()
    chosen, seat = await asked(played)
    assert chosen is None
    assert seat.table is not None
    _, lines = prompt_lines(seat.table, seat.desk, 80)
    assert lines[0].startswith("Call caps now (c): ")
    assert any("Caps are due" in line for line in panels.rules_now(seat.table))
    chosen, seat = await asked(played, "enter")
    assert (chosen, seat.desk.mode) == (None, Mode.CONFIRM)
    assert "Wrong Caps" in seat.desk.notice
    assert (await asked(played, "enter", "y"))[0] == Ready()


async def test_enter_takes_card_after_card_in_the_order_that_is_certain() -> None:
    played = Played().to_the_window()
    call, _ = await asked(played, "c", *["enter"] * 7, "y")
    assert isinstance(call, CallCaps)
    view = played.hand.open.view(SOUTH)
    information = information_of(view.state, SOUTH, view.faces)
    assert judge_order(information, [card for _, card in call.order])


def test_the_result_says_which_order_was_certain_since_when() -> None:
    table = Played().to_the_window().silently_to_the_end().hand.table
    assert table.summary is not None
    said = "\n".join(summary_lines(table, table.summary))
    assert "an order was certain to win every trick, and nobody called: " in said
    assert "of South were certain before the first lead" in said
