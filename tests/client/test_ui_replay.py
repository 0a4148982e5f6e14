"""A saved hand goes forwards and backwards, with what was public then, or with all cards."""

from __future__ import annotations

import pytest

from cli.screen.desk import Mode
from cli.screen.replay import Replay, ReplayScreen, replay_of
from p2p304.rules304.actions import Pass
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import SigningKey
from tests.client.open_hands import OpenHand, empty_table, quiet


@pytest.fixture(scope="session")
def replay() -> Replay:
    return _replayed(scores=())


def _replayed(scores: tuple[int, ...], *, alone: bool = False) -> Replay:
    """A hand begun at these scores; `alone` in its file, the scores after it are not told."""
    table = empty_table(seat=None)
    hand = OpenHand(table, seed=5)
    assert not hand.steps(quiet, lambda _: False)
    events: list[Event] = [HandStarted(0, hand.state.dealer, scores)]
    events += [ActionTaken(seat, action) for seat, action in hand.state.log]
    summary = hand.table.summary
    assert summary is not None
    events.append(HandEnded(0, summary.outcome, () if alone else summary.scores))
    entries = tuple(
        SeatEntry(SigningKey(bytes([number + 1] * 32)).public, f"p{number}", bytes([number] * 32))
        for number in range(4)
    )
    charter = Charter(table=bytes(16), game="304", profile="pagat", seats=entries)
    return replay_of(table.game, charter, events)


def test_a_hand_whose_file_holds_no_more_of_the_match_has_scores_at_its_end() -> None:
    alone, whole = (_replayed((11, 11), alone=each).steps[-1].table for each in (True, False))
    assert alone.summary is not None
    assert alone.scores == whole.scores != ()
    assert alone.scene() == whole.scene()


def test_each_step_shows_what_was_public_then(replay: Replay) -> None:
    sizes = []
    for step, (table, _) in enumerate(replay.steps[:-1]):
        assert table.state is not None
        assert dict(table.faces) == dict(table.state.faces)
        assert replay.at(step, all_cards=False) == table
        sizes.append(len(table.faces))
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert sizes[-1] >= 32


def test_keys_step_and_jump_and_stop_at_the_ends(replay: Replay) -> None:
    screen = ReplayScreen(replay)
    screen.press("left")
    assert screen.step == 0
    for _ in range(5):
        screen.press("right")
    assert screen.step == 5
    screen.press("left")
    assert screen.step == 4
    screen.press("pagedown")
    state = screen.table.state
    assert state is not None
    assert len(state.tricks) == 1
    screen.press("pagedown")
    screen.press("pageup")
    state = screen.table.state
    assert state is not None
    assert len(state.tricks) == 1
    screen.press("end")
    screen.press("right")
    assert screen.step == len(replay.steps) - 1
    assert "is over" in "\n".join(screen.frame(80, 24).text())
    screen.press("home")
    assert screen.step == 0
    assert not screen.closed.is_set()
    screen.press("escape")
    assert screen.closed.is_set()


def test_a_step_that_is_typed_is_gone_to(replay: Replay) -> None:
    screen, last = ReplayScreen(replay), len(replay.steps) - 1
    for typed, step in (("17", 17), ("0", 0), ("99999", last), ("1backspace4", 4)):
        keys = [typed[0], "backspace", typed[-1]] if "b" in typed else typed
        for key in keys:
            screen.press(key)
        assert "Go to step" in screen.table.stopped
        screen.press("enter")
        assert screen.step == step
        assert f"Step {step} of {last}" in screen.table.stopped
    screen.press("9")
    screen.press("pageup")  # another key gives up what was typed
    screen.press("home")
    screen.press("enter")
    assert screen.step == 1


def test_rules_and_the_last_trick_can_be_read_on_the_way(replay: Replay) -> None:
    screen = ReplayScreen(replay)
    screen.press("?")
    assert screen.desk.mode is Mode.RULES
    screen.press("x")
    screen.press("pagedown")
    screen.press("l")
    assert screen.desk.mode is Mode.LAST_TRICK
    assert "This was the last trick" in "\n".join(screen.frame(80, 24).text())


def test_lines_tell_every_step_once_and_repeated_sentences_again(replay: Replay) -> None:
    told = list(replay.lines(all_cards=False))
    passes = sum(" passes." in line for line in told)
    last = replay.steps[-1].table.state
    assert last is not None
    assert passes == sum(isinstance(action, Pass) for _, action in last.log)
    assert len(told) > len(set(told))
    assert told[0].startswith("Hand 1: ")
    assert replay.steps[-1].table.summary is not None
    assert replay.steps[-1].table.summary.outcome.summary in told
    assert any(line.startswith("Tokens ") for line in told[-3:])


def test_lines_show_all_cards_where_that_is_wanted(replay: Replay) -> None:
    public, known = (list(replay.lines(all_cards=wanted)) for wanted in (False, True))
    assert "All cards, as the end made them public:" in known
    assert not any("All cards" in line for line in public)
    assert not any("??" in line for line in known)
    hidden = sum("plays a card face down" in line for line in public)
    assert sum("a card face down" in line for line in known) == 0 or hidden == 0
