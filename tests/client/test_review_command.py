"""`p2p304 review`: the costliest decisions of a hand, from a transcript or a text."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.commands.replay import command as replay
from cli.commands.replay import read_saved
from cli.commands.review import command as review
from cli.errors import CheckFailed, UserError
from cli.front.assistant import expectation
from cli.front.thoughts import NOTHING, UNSEEN, Thoughts, hands_in
from cli.front.writing import Writer
from cli.screen.replay import ReplayScreen, replay_of
from cli.store.identity import IdentityStore
from cli.thinker import Decision
from p2p304.bots.advice import Advice

HAND = Path("specs/vectors/hands/closed.p304")


def reviewed(file: Path, *more: str) -> Result:
    arguments = [str(file), "--level", "beginner", "--jobs", "1", *more]
    return CliRunner().invoke(review, arguments, standalone_mode=False)


def test_the_costliest_decisions_are_told_with_what_was_better() -> None:
    done = reviewed(HAND, "--json")
    assert done.exception is None, done.exception
    told = json.loads(done.stdout)
    assert told["judged"] > 40
    assert told["hidden"] > 10
    costs = [each["cost"] for each in told["costliest"]]
    assert 0 < len(costs) <= 3
    assert costs == sorted(costs, reverse=True)
    assert all(each["done"] != each["better"] for each in told["costliest"])
    lines = reviewed(HAND, "--ascii").stdout
    assert "by what the seat could know then (tokens)" in lines
    assert all(each["seat"] in lines for each in told["costliest"])
    assert max(map(len, lines.splitlines())) <= 80
    assert lines.isascii()


def test_a_text_of_a_hand_is_reviewed_as_its_transcript_is(tmp_path: Path) -> None:
    text = tmp_path / "hand.txt"
    done = CliRunner().invoke(replay, [str(HAND), "--text"], standalone_mode=False)
    text.write_text(done.stdout)
    one, other = (
        json.loads(reviewed(file, "--seat", seat, "--json").stdout)
        for file, seat in ((HAND, "west"), (text, "4"))
    )
    assert (one["judged"], one["hidden"]) == (other["judged"], other["hidden"])
    assert one["judged"] > 10
    assert {each["seat"] for each in (*one["costliest"], *other["costliest"])} <= {"West"}


def test_who_played_a_hand_is_told_its_own_decisions_unless_it_asks_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, charter, _ = read_saved(HAND)
    everybodys = reviewed(HAND, "--ascii").stdout
    assert everybodys.startswith("All seats together")
    monkeypatch.setattr(IdentityStore, "public_key", charter.seats[3].key)
    assert reviewed(HAND, "--ascii").stdout.startswith("West chose")
    assert reviewed(HAND, "--ascii", "--seat", "all").stdout == everybodys


def test_a_seat_whose_name_begins_those_of_others_is_meant_by_all_of_it() -> None:
    six = HAND.with_name("six24.p304")
    done = reviewed(six, "--seat", "south", "--json")
    assert {each["seat"] for each in json.loads(done.stdout)["costliest"]} <= {"South"}
    assert json.loads(done.stdout)["judged"] > 0
    assert "no one seat 'south-'" in str(reviewed(six, "--seat", "south-").exception)


@pytest.mark.parametrize("seat", ["0", "5", "Q", "", "North-East"])
def test_a_seat_that_is_not_there_is_refused(seat: str) -> None:
    failed = reviewed(HAND, "--seat", seat).exception
    assert isinstance(failed, UserError)
    assert "South, East, North, West" in str(failed)


def test_what_is_no_valid_hand_is_not_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "broken.p304"
    path.write_bytes(HAND.read_bytes()[:-1])
    assert isinstance(reviewed(path).exception, CheckFailed)
    assert "holds 1 hand" in str(reviewed(HAND, "--hand", "2").exception)


def test_a_hint_says_what_is_expected_unless_its_reason_has_said_so() -> None:
    silent = Advice("bid", "The hand is good.", 0.4, 0.75)
    said = expectation(silent, "tokens")
    assert said == " Expected: +0.40 tokens, the bid is made in 75%."
    assert expectation(silent._replace(reason="It made +0.40, in 75%."), "tokens") == ""
    assert expectation(Advice("bid", "Nothing else."), "tokens") == ""


def test_a_replay_tells_what_a_master_thought_of_each_decision_that_the_file_shows() -> None:
    game, _, events = read_saved(HAND)
    asked: list[Decision] = []

    def ask(decision: Decision) -> Advice:
        asked.append(decision)
        return Advice(decision.game.legal_actions(decision.view)[0], "JH is best.", 0.25)

    thoughts = Thoughts(game, hands_in(events), Writer(4, ascii_only=True), ask)
    shown = [thoughts.at(step) for step in range(120)]
    told = [each for each in shown if each not in (NOTHING, UNSEEN)]
    assert len(asked) > len(told) > 20
    count = len(asked)
    assert UNSEEN in shown
    assert NOTHING in shown
    assert all(each.level == "master" for each in asked)
    assert all("'s place a master would " in each for each in told)
    assert told[0].endswith("JH is best. Expected: +0.25 tokens.")
    assert [thoughts.at(step) for step in range(120)] == shown
    assert len(asked) == count, "each is thought about once"


def test_lines_leave_out_windows_that_a_master_leaves_alone_and_tell_once_what_is_hidden() -> None:
    game, charter, events = read_saved(HAND)

    def ask(decision: Decision) -> Advice:
        return Advice(decision.game.legal_actions(decision.view)[0], "It did best.")

    thoughts = Thoughts(game, hands_in(events), Writer(4, ascii_only=True), ask)
    replayed = replay_of(game, charter, events, ascii_only=True)
    lines = [*replayed.lines(all_cards=False, thoughts=thoughts)]
    told = [each for each in lines if each.startswith("  (")]
    hidden = [place for place, each in enumerate(told) if UNSEEN in each]
    assert hidden
    assert all(later - earlier > 1 for earlier, later in pairwise(hidden))
    assert not [each for each in told if "go on" in each]
    assert len(told) > 20
    assert len(lines) - len(told) == len([*replayed.lines(all_cards=False)])


async def test_a_key_of_a_replay_shows_the_thought_of_the_step_and_of_no_other() -> None:
    game, charter, events = read_saved(HAND)
    advice = Advice(None, "It did best.")

    def ask(decision: Decision) -> Advice:
        return advice._replace(action=decision.game.legal_actions(decision.view)[0])

    def make() -> Thoughts:
        return Thoughts(game, hands_in(events), Writer(4, ascii_only=True), ask)

    drawn = asyncio.Event()
    screen = ReplayScreen(replay_of(game, charter, events, ascii_only=True), make)
    screen.press("end")
    for _ in range(30):
        screen.press("left")
    wanted = make().at(screen.step)
    screen.press("m")
    assert "thinks" in screen.table.stopped
    screen.changed = drawn.set
    await drawn.wait()
    assert screen.table.stopped == wanted
    screen.press("left")
    assert "Arrows" in screen.table.stopped
