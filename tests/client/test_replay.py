"""A saved hand once more: on the screen, as text, as a picture, and with what was costly in it."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from cli.auditing import read_saved
from cli.commands.audit import command as audit
from cli.commands.replay import command as replay_command
from cli.commands.review import command as review
from cli.decision import Decision
from cli.errors import CheckFailed, ExitCode, UserError
from cli.front.thoughts import NOTHING, UNSEEN, Thoughts, hands_in
from cli.front.writing import Writer
from cli.main import main
from cli.screen.canvas import Canvas, Style
from cli.screen.export import HIGH, WIDE, picture
from cli.screen.preferences import Colouring
from cli.screen.replay import Replay, ReplayScreen, replay_of
from cli.store.identity import IdentityStore
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import SettingsFile
from p2p304.bots.advice import Advice
from p2p304.hand_text import LONGEST
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted
from tests.client.open_hands import OpenHand, empty_table, quiet
from tests.table.seating import charter
from tests.vectors.hands import SAVED_HANDS


@pytest.fixture(scope="session")
def replay() -> Replay:
    return replay_begun_at(())


def replay_begun_at(scores: tuple[int, ...], *, alone: bool = False) -> Replay:
    """A hand begun at these scores; `alone` in its file, the scores after it are not told."""
    table = empty_table(seat=None)
    hand = OpenHand(table, seed=5)
    assert not hand.steps(quiet, lambda _: False)
    events: list[Event] = [HandStarted(0, hand.state.dealer, scores)]
    events += [ActionTaken(seat, action) for seat, action in hand.state.log]
    summary = hand.table.summary
    assert summary is not None
    events.append(HandEnded(0, summary.outcome, () if alone else summary.scores))
    return replay_of(table.game, charter(4, game="304", profile="pagat"), events)


def test_a_hand_whose_file_holds_no_more_of_the_match_has_scores_at_its_end() -> None:
    alone, whole = (replay_begun_at((11, 11), alone=each).steps[-1].table for each in (True, False))
    assert alone.summary is not None
    assert alone.scores == whole.scores != ()
    assert alone.scene() == whole.scene()


def test_keys_step_and_jump_and_stop_at_the_ends(replay: Replay) -> None:
    screen = ReplayScreen(replay)
    for key, step in (("left", 0), *(("right", at) for at in range(1, 6)), ("left", 4)):
        screen.press(key)
        assert screen.step == step
    for keys in (("pagedown",), ("pagedown", "pageup")):
        for key in keys:
            screen.press(key)
        state = screen.table.state
        assert state is not None
        assert len(state.tricks) == 1
    for key in ("end", "right"):
        screen.press(key)
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


# --- as text --------------------------------------------------------------------------------------


@pytest.fixture(params=["closed", "spoilt", "two-hands", "unfinished"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "hand.p304"
    path.write_bytes(SAVED_HANDS[request.param].kept())
    return path


def replayed(file: Path, *more: str) -> Result:
    return CliRunner().invoke(replay_command, [str(file), *more], standalone_mode=False)


def test_a_saved_hand_is_printed_as_text_and_the_rules_give_the_same(saved: Path) -> None:
    done = CliRunner().invoke(audit, [str(saved), "--text"], standalone_mode=False)
    assert done.exception is None
    assert done.stdout == replayed(saved, "--text").stdout
    assert f"{saved}: valid" in done.stderr
    text = saved.with_suffix(".txt")
    text.write_text(done.stdout)
    told = replayed(text).stdout.splitlines()
    assert told[-1] == f"{done.stdout.count('result ')} hand: by the rules it is so.".replace(
        "2 hand:", "2 hands:"
    )
    explained = CliRunner().invoke(audit, [str(saved), "--explain"], standalone_mode=False).stdout
    story = [line for line in told[:-1] if line not in explained.splitlines()]
    assert not story, "the text tells what the transcript does"


def test_a_result_that_the_rules_do_not_give_is_a_failed_check(tmp_path: Path) -> None:
    path = tmp_path / "hand.p304"
    path.write_bytes(SAVED_HANDS["closed"].kept())
    text = tmp_path / "hand.txt"
    text.write_text(replayed(path, "--text").stdout.replace("result 1 -1", "result 2 -2"))
    failed = replayed(text).exception
    assert isinstance(failed, CheckFailed)
    assert str(failed).endswith("by the rules this is 'result 1 -1', not 'result 2 -2'.")
    assert f"{text}, line 14: " in str(failed)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b"304 pagat\xc3\xa4", "more than ASCII"),
        (b"304 pagat\n" + b" " * LONGEST, "too long for hands as text"),
    ],
)
def test_what_is_no_text_is_told_in_a_sentence(tmp_path: Path, held: bytes, said: str) -> None:
    text = tmp_path / "hand.txt"
    text.write_bytes(held)
    error = replayed(text).exception
    assert isinstance(error, UserError)
    assert said in str(error)


@pytest.mark.parametrize("name", ["empty.p304", "missing.p304"])
def test_no_transcript_is_told_alike_by_whatever_reads_it(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.p304").touch()
    path = str(tmp_path / name)
    codes, said = [], []
    for command in ("audit", "replay", "review"):
        codes.append(main([command, path]))
        told = capsys.readouterr()
        text = (told.out + told.err).removeprefix("p2p304: ").removeprefix(f"{path}: ")
        said.append(text.removeprefix("not judged: ").strip().removesuffix("."))
    assert codes == [ExitCode.UNUSABLE] * 3
    assert len({*said}) == 1, said


# --- as a picture ---------------------------------------------------------------------------------


HAND = Path(__file__).parents[2] / "specs" / "vectors" / "hands" / "closed.p304"
SVG = "{http://www.w3.org/2000/svg}"


def exported(place: Path, *options: str) -> bytes:
    done = CliRunner().invoke(replay_command, [str(HAND), "--export", str(place), *options])
    assert done.exit_code == 0, done.output
    return place.read_bytes()


def test_a_picture_shows_the_moment_and_no_keys_and_names_nothing_outside(tmp_path: Path) -> None:
    first = exported(tmp_path / "first.svg", "--step", "0").decode()
    later = exported(tmp_path / "later.svg", "--step", "40").decode()
    assert exported(tmp_path / "end.svg").decode() not in (first, later)
    root = ElementTree.fromstring(later)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"304,", "West"} <= {*words}
    assert not [each for each in words if (each or "").startswith("[")], "no keys"
    assert "http" not in later.replace("http://www.w3.org/2000/svg", "")
    assert root.find(f"{SVG}title") is not None
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.attrib["x"]) < 80 * WIDE + 24
        assert int(text.attrib["textLength"]) % WIDE == 0


def test_words_of_others_are_escaped_in_a_picture() -> None:
    canvas = Canvas(1, 30)
    canvas.put(0, 0, "<script>&'\"", Style.PLAIN)
    drawn = picture(canvas.frame(), 30, title="<b>", colouring=Colouring())
    assert "<script>" not in drawn
    root = ElementTree.fromstring(drawn)
    assert root.attrib["height"] == f"{HIGH + 24}"
    assert "".join(text.text or "" for text in root.iter(f"{SVG}text")) == "<script>&'\""


def test_lines_are_those_that_are_printed(tmp_path: Path) -> None:
    printed = CliRunner().invoke(replay_command, [str(HAND), "--plain"]).stdout
    assert exported(tmp_path / "hand.txt").decode() == printed


@pytest.mark.parametrize("name", [b"a\x1b]2;own\x07\x00"[:-1], b"caf\xe9\r\n"])
@pytest.mark.parametrize("kind", ["svg", "txt"])
def test_a_name_of_a_file_acts_in_no_export(tmp_path: Path, name: bytes, kind: str) -> None:
    strange = tmp_path / os.fsdecode(name + b".p304")
    strange.write_bytes(HAND.read_bytes())
    place = tmp_path / f"hand.{kind}"
    assert main(["replay", str(strange), "--export", str(place)]) == 0
    text = place.read_text("utf-8")
    if kind == "svg":
        title = ElementTree.fromstring(text).find(f"{SVG}title")
        assert title is not None
        assert "\N{REPLACEMENT CHARACTER}" in (title.text or "")


# --- what was costly ------------------------------------------------------------------------------


def reviewed(file: Path, *more: str) -> Result:
    arguments = [str(file), "--level", "beginner", "--jobs", "1", *more]
    return CliRunner().invoke(review, arguments, standalone_mode=False)


def test_the_costliest_decisions_are_told_with_what_was_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    SettingsFile(tmp_path).keep({"ascii": "yes"})
    done = reviewed(HAND, "--json")
    assert done.exception is None, done.exception
    told = json.loads(done.stdout)
    assert told["judged"] > 40
    assert told["hidden"] > 10
    costs = [each["cost"] for each in told["costliest"]]
    assert 0 < len(costs) <= 3
    assert costs == sorted(costs, reverse=True)
    assert all(each["done"] != each["better"] for each in told["costliest"])
    lines = reviewed(HAND).stdout
    assert "by what the seat could know then (tokens)" in lines
    assert all(each["seat"] in lines for each in told["costliest"])
    assert max(map(len, lines.splitlines())) <= 80
    assert lines.isascii()


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


def test_a_text_of_a_hand_is_reviewed_as_its_transcript_is(tmp_path: Path) -> None:
    text = tmp_path / "hand.txt"
    done = CliRunner().invoke(replay_command, [str(HAND), "--text"], standalone_mode=False)
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
    everybodys = reviewed(HAND).stdout
    assert everybodys.startswith("All seats together")
    monkeypatch.setattr(IdentityStore, "public_key", charter.seats[3].key)
    assert reviewed(HAND).stdout.startswith("West chose")
    assert reviewed(HAND, "--seat", "all").stdout == everybodys
