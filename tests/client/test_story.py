"""A hand as a story: what happened, and no more than the teller may know; scores, and a scroll."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

from cli.front.story import StopNotice
from cli.front.writing import Writer, card_text
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Summary, Table
from cli.screen.overlays import bound_scroll
from cli.screen.panels import overlay, story_lines
from cli.screen.render import render
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.games import telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.count import points_of_teams
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.state import End, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.table.events import ActionTaken, HandStarted, Waiting
from tests.client.ended_matches import match_41, match_304
from tests.client.moments import MOMENTS
from tests.client.open_hands import OpenHand, empty_table, quiet, shuffled
from tests.client.test_ui_render import tables

CARD = re.compile(r"(?<!\w)(?:10|[7-9JQKA])[SHDC](?!\w)")
PROFILES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")
HANDS = [(profile, seed) for profile in PROFILES for seed in range(12)]


class Told(NamedTuple):
    """One line of the story, and the table right after the action that it tells."""

    line: str
    table: OpenTable


def story(profile: str, seed: int, *, open_cards: bool) -> Iterator[Told]:
    """A random hand, told line by line by one who sees all cards, or as a spectator."""
    game = Game304(named_profile(profile))
    players = [RandomPlayer304(seed + seat) for seat in range(4)]
    table = shuffled(game, SeededRandomness(seed))
    telling, writer = telling_of(game), Writer(4, ascii_only=True)
    while awaited := game.contributors(table.state):
        before: State = table.state
        action = players[awaited[0]].choose(table.view(awaited[0]))
        table.act(awaited[0], action)
        faces = table.open_view().faces if open_cards else table.view(None).faces
        for line in telling.retold(before, awaited[0], action, table.state, faces):
            yield Told(writer.sentence(line), table)


@pytest.mark.parametrize(("profile", "seed"), HANDS)
def test_with_open_cards_every_trick_is_told_and_the_points_add_up(profile: str, seed: int) -> None:
    told = list(story(profile, seed, open_cards=True))
    state: State = told[-1].table.state
    tricks = [each.line for each in told if each.line.startswith("Trick ")]
    assert [line.split(":")[0] for line in tricks] == [
        f"Trick {number}" for number in range(1, len(state.tricks) + 1)
    ]
    assert not any("??" in each.line for each in told)
    worth = sum(int(line.rsplit(" ", 2)[1]) for line in tricks)
    assert worth == sum(points_of_teams(state)) or state.end is not End.PLAYED
    if state.end is End.PLAYED and len(state.tricks) == 8 and isinstance(state.contract, int):
        assert worth == 304
        cards = [card for line in tricks for card in CARD.findall(line.split(".")[0])]
        assert sorted(cards) == sorted(card_text(card, ascii_only=True) for card in PACK)


@pytest.mark.parametrize(("profile", "seed"), HANDS)
def test_a_spectator_is_told_no_card_that_is_not_public(profile: str, seed: int) -> None:
    for told in story(profile, seed, open_cards=False):
        public = {card_text(card, ascii_only=True) for card in told.table.view(None).faces.values()}
        assert set(CARD.findall(told.line)) <= public, told.line


def test_a_friend_is_told_once_that_somebody_may_have_stopped_after_a_hand() -> None:
    notice = StopNotice()
    waiting = Waiting((Seat(1),), 0.0)
    first_hand = (HandStarted(0, Seat(0)), waiting)
    assert [notice.hear(each, {}) for each in first_hand] == ["", ""]
    assert notice.hear(HandStarted(1, Seat(3)), {}) == ""
    assert notice.hear(ActionTaken(Seat(2), None), {}) == ""
    assert notice.hear(Waiting((), 0.0), {}) == notice.hear(Waiting((Seat(2),), 0.0), {}) == ""
    assert "'p2p304 resume' goes on" in notice.hear(waiting, {})
    assert notice.hear(waiting, {}) == ""
    for event in (HandStarted(2, Seat(2)), ActionTaken(Seat(1), None), waiting):
        assert notice.hear(event, {}) == ""  # who waits over a move has not stopped


# --- on the screen --------------------------------------------------------------------------------


SIZES = ((60, 20), (80, 24), (140, 45))


def opened(table: Table, *keys: str, size: tuple[int, int] = (80, 24)) -> Desk:
    """The desk after keys, each pressed when the frame before it was seen."""
    desk = Desk()
    for key in keys:
        desk = bound_scroll(press(desk, table, key)[0], table, *size)
    return desk


def shown(table: Table, desk: Desk, size: tuple[int, int] = (80, 24)) -> str:
    return "\n".join(render(table, desk, *size).text())


def test_the_score_sheet_tells_every_hand_of_the_match_in_play() -> None:
    for table, history in (
        (MOMENTS["05-face-down"]().table, match_304()),
        (next(tables("41", "", 1)), match_41()),
    ):
        playing = replace(table, match_hands=history.hands)
        desk = opened(playing, "#")
        assert desk.mode is Mode.SCORES
        panel = overlay(playing, desk)
        assert panel is not None
        heading, *rows = panel.lines
        assert heading.split()[0] == "Hand"
        for hand, row in zip(history.hands, rows, strict=True):
            assert row.split()[1 : 1 + len(hand.scores)] == [str(each) for each in hand.scores]
            assert row.endswith(hand.outcome.summary)
        assert opened(playing, "#", "#").mode is opened(playing, "#", "enter").mode is Mode.TABLE


def test_a_hand_whose_last_trick_lies_there_is_not_in_the_scores_yet() -> None:
    *_, last = hands = match_304().hands
    table = replace(MOMENTS["05-face-down"]().table, match_hands=hands)
    summary = Summary(
        last.number, last.outcome, last.scores, table.state, table.faces, last.before
    )  # fmt: skip
    finished = replace(table, number=last.number, summary=summary)
    lies = shown(finished, Desk(mode=Mode.FINISH), (200, 60))
    read = shown(replace(finished, summary=None), Desk(), (200, 60))
    row = f"{last.number + 1:>4}  {last.scores[0]:>11}"
    assert row in read
    assert row not in lies


@pytest.mark.parametrize("size", SIZES[:2])
def test_the_story_stays_where_the_reader_put_it(size: tuple[int, int]) -> None:
    steps = [table for table in tables("304", "pagat", 1) if table.seat is not None]
    begun = next(
        number
        for number, table in enumerate(steps)
        if opened(table, '"', size=size).page >= 3
    )  # fmt: skip
    desk = opened(steps[begun], '"', "up", "up", "up", size=size)
    first = desk.page
    for table in steps[begun:]:
        desk = bound_scroll(desk, table, *size)
        assert desk.page == first
        assert not desk.follows
    assert opened(steps[-1], '"', size=size).page > first
    back = bound_scroll(press(desk, steps[-1], "pagedown")[0], steps[-1], *size)
    for _ in range(20):
        back = bound_scroll(press(back, steps[-1], "pagedown")[0], steps[-1], *size)
    assert back.follows


def test_the_story_tells_no_card_of_a_trick_before_the_last_one() -> None:
    hand = OpenHand(empty_table(seat=Seat(0)))
    checked = 0
    while hand.state.awaiting:
        first = hand.state.awaiting[0]
        hand.act(quiet(hand.table, hand.legal(first), hand.chance))
        table, view = hand.table, hand.table.view()
        scene = table.scene()
        if scene is None or view is None or scene.tricks < 2:
            continue
        lies = (card.card for card in (*scene.lying, *table.telling.last_trick(view)))
        seen = {*lies, *(each.card for each in scene.hand)}
        played = {table.writer.card(card) for card in table.faces.values() if card not in seen}
        words = " ".join(story_lines(table)).replace(".", " ").replace(",", " ").split()
        assert not played & {*words}
        checked += bool(played)
    assert checked
