"""A hand once more, of any game: as a story, on the screen, as text, as a picture, audited."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from cli.auditing import audit_file, read_saved_hands
from cli.commands.audit import command as audit
from cli.commands.replay import command as replay_command
from cli.commands.review import command as review
from cli.decision import Decision
from cli.errors import CheckFailed, ExitCode, UserError
from cli.front.assistant import NOTHING, UNSEEN, Thoughts, hands_in
from cli.front.narrator import Seen, Where
from cli.front.story import Story
from cli.front.writing import Writer
from cli.local.bot_processes import fill_order
from cli.main import main
from cli.screen.canvas import Canvas, Style
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode
from cli.screen.export import HIGH, WIDE, picture
from cli.screen.input import press
from cli.screen.model import Summary, Table
from cli.screen.overlays import bound_scroll, overlay, story_lines
from cli.screen.preferences import Colouring, PlaySettings
from cli.screen.render import render
from cli.screen.replay import Replay, ReplayScreen, replay_of
from cli.screen.watching import WatchedTable
from cli.store.identity import IdentityStore
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import SettingsFile
from p2p304.bots.advice import Advice
from p2p304.bots.players import RandomPlayer, RandomPlayer304
from p2p304.games import create_game, telling_of
from p2p304.hand_text import LONGEST
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import DealPhase, PlaceBid
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.play import points_of_teams
from p2p304.rules304.state import End, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_out
from p2p304.telling import Ended, SummaryRow
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted
from tests.client.highest_card import NAME, Highest, TellingHighest
from tests.client.moments import (
    MOMENTS,
    OpenHand,
    empty_table,
    match_41,
    match_304,
    quiet,
    shuffled,
)
from tests.client.test_ui_app import SHOWN, play_a_hand
from tests.client.test_ui_render import tables
from tests.client.text_person import brought_to, sitting
from tests.table.bus import Table as Bus
from tests.table.bus import charter
from tests.vectors.rehearsal import SAVED_HANDS

# --- story ----------------------------------------------------------------------------------------

# A hand once more: as a story, on the screen, as text and as a picture.

# --- replay ---------------------------------------------------------------------------------------

# A saved hand once more: on the screen, as text, as a picture, and with what was costly in it.


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
    done = replayed(saved, "--text")
    assert done.exception is None
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
def test_a_name_of_a_file_acts_in_no_export(tmp_path: Path, name: bytes) -> None:
    strange = tmp_path / os.fsdecode(name + b".p304")
    strange.write_bytes(HAND.read_bytes())
    place = tmp_path / "hand.svg"
    assert main(["replay", str(strange), "--export", str(place)]) == 0
    title = ElementTree.fromstring(place.read_text("utf-8")).find(f"{SVG}title")
    assert "\N{REPLACEMENT CHARACTER}" in (title.text or "")


# --- what was costly ------------------------------------------------------------------------------


def reviewed(file: Path, *more: str) -> Result:
    arguments = [str(file), "--level", "beginner", *more]
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
    game, _, events = read_saved_hands(HAND)
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
    game, charter, events = read_saved_hands(HAND)
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
    _, charter, _ = read_saved_hands(HAND)
    everybodys = reviewed(HAND).stdout
    assert everybodys.startswith("All seats together")
    monkeypatch.setattr(IdentityStore, "public_key", charter.seats[3].key)
    assert reviewed(HAND).stdout.startswith("West chose")
    assert reviewed(HAND, "--seat", "all").stdout == everybodys


# --- story ----------------------------------------------------------------------------------------

# A hand as a story: what happened, and no more than the teller may know; scores, and a scroll.

CARD = re.compile(r"(?<!\w)(?:10|[7-9JQKA])[SHDC](?!\w)")
PROFILES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")
HANDS = [(profile, seed) for profile in PROFILES for seed in range(12)]


def story(profile: str, seed: int, *, open_cards: bool) -> Iterator[tuple[str, OpenTable]]:
    """A random hand, told by one who sees all cards, or as a spectator: each line, and the table
    right after the action that it tells."""
    game = Game304(named_profile(profile))
    players = [RandomPlayer304(seed + seat) for seat in range(4)]
    table = shuffled(game, SeededRandomness(seed))
    telling, writer = telling_of(game), Writer(4, ascii_only=True)
    while awaited := game.contributors(table.state):
        before: State = table.state
        action = players[awaited[0]].choose(table.view(awaited[0]))
        table.act(awaited[0], action)
        faces = table.open_view().faces if open_cards else table.view(None).faces
        for line in telling.retell(before, awaited[0], action, table.state, faces):
            yield writer.sentence(line), table


@pytest.mark.parametrize(("profile", "seed"), HANDS)
def test_with_open_cards_every_trick_is_told_and_the_points_add_up(profile: str, seed: int) -> None:
    told, tables = zip(*story(profile, seed, open_cards=True), strict=True)
    state: State = tables[-1].state
    tricks = [line for line in told if line.startswith("Trick ")]
    assert [line.split(":")[0] for line in tricks] == [
        f"Trick {number}" for number in range(1, len(state.tricks) + 1)
    ]
    assert not any("??" in line for line in told)
    worth = sum(int(line.rsplit(" ", 2)[1]) for line in tricks)
    assert worth == sum(points_of_teams(state)) or state.end is not End.PLAYED
    if state.end is End.PLAYED and len(state.tricks) == 8 and isinstance(state.contract, int):
        assert worth == 304
        cards = [card for line in tricks for card in CARD.findall(line.split(".")[0])]
        assert sorted(cards) == sorted(map(Writer(4, ascii_only=True).card, PACK))


@pytest.mark.parametrize(("profile", "seed"), HANDS)
def test_a_spectator_is_told_no_card_that_is_not_public(profile: str, seed: int) -> None:
    for line, table in story(profile, seed, open_cards=False):
        public = {*map(Writer(4, ascii_only=True).card, table.view(None).faces.values())}
        assert set(CARD.findall(line)) <= public, line


def test_a_friend_is_told_once_that_somebody_may_have_stopped_after_a_hand() -> None:
    game, first = create_game("304", "pagat"), Seat(1)
    story = Story(game, Writer(4))
    assert story.stop_notice([first], {}) == ""
    for number, acts in enumerate((False, False, True)):
        story.start(HandStarted(number, Seat(0)))
        if acts:
            story.carry_out(ActionTaken(first, None, step=game.start(Seat(0))))
        told = [story.stop_notice([first], {}) for _ in range(2)]
        # Told once a hand; not in a first one, and not of who waits over a move.
        assert [bool(each) for each in told] == [number == 1, False]
    story.start(HandStarted(3, Seat(0)))
    assert story.stop_notice([first], {first: Seen(Where.AWAY, 0.0)}) == ""
    assert "'p2p304 resume' goes on" in story.stop_notice([Seat(2)], {})


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


# --- one folder -----------------------------------------------------------------------------------

# Games in one folder: played, watched, replayed and audited by themselves; and 41 and 400.

# --- one folder -----------------------------------------------------------------------------------

# A game in one folder is played, watched, replayed and audited without a line elsewhere.

TRICKS = [f"Trick {number}" for number in (1, 2, 3, 4)]


pytestmark = pytest.mark.usefixtures("highest_card")


def heads(lines: list[str]) -> list[str]:
    """Which tricks are told, in order."""
    return [line.partition(":")[0] for line in lines if re.match(r"Trick \d+:", line)]


def whole(table: Table | None, text: str) -> bool:
    """Whether every seat, and every card that is known, is on the screen."""
    scene = table.scene()
    if scene is None:
        return True
    cards = [table.writer.card(each.card) for each in (*scene.lying, *scene.hand)]
    return all(each in text for each in (*table.names, *cards))


async def test_it_is_played_on_the_full_screen_and_its_file_is_replayed_and_audited(
    tmp_path: Path,
) -> None:
    seat = ClientSeat(PlaySettings(hints=True), SHOWN)
    fingers = await play_a_hand(tmp_path, seat, name=NAME)
    assert {Mode.CHARTER, Mode.TABLE, Mode.FINISH, Mode.SUMMARY} <= fingers.modes
    # The program may be left out of collections; what a hand leaves behind may not.
    assert gc.get_freeze_count() <= max(fingers.never_collected) == fingers.never_collected[0]
    (file,) = tmp_path.glob("0/**/*.p304")
    told: list[str] = []
    assert audit_file(str(file), tell=told.append).valid
    assert heads(told) == TRICKS
    done = CliRunner().invoke(replay_command, [str(file), "--plain"], catch_exceptions=False)
    lines = done.output.splitlines()
    assert heads(lines) == TRICKS
    assert sum(" leads " in line for line in lines) == len(TRICKS)
    everything = CliRunner().invoke(replay_command, [str(file), "--plain", "--all-cards"])
    assert "All cards, as the end made them public:" in everything.output


async def test_its_hint_its_rules_and_its_cards_are_on_a_seats_screen() -> None:
    session = brought_to(Bus(Highest(), 1), lambda _: True).chairs[0].session
    seat = ClientSeat(PlaySettings(agree=True, hints=True))
    await seat.begin(lambda: session)
    asked = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.choices:
        await asyncio.sleep(0)
    for columns, rows in ((80, 24), (140, 45)):
        assert whole(seat.table, "\n".join(seat.frame(columns, rows).text()))
    seat.desk, _ = press(seat.desk, seat.table, "?")
    assert "Any card may be played" in "\n".join(seat.frame(80, 24).text())
    seat.press("enter")
    seat.press("h")
    while "A bot would play" not in seat.desk.notice:
        await asyncio.sleep(0.001)
    for key in ("right", "enter"):
        seat.press(key)
    assert await asked in session.legal_actions()


async def test_what_its_summary_tells_is_found_in_a_thread_before_a_frame_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []
    summary = TellingHighest.summary

    def told(telling: TellingHighest, ended: Ended) -> tuple[SummaryRow, ...]:
        asked.append(threading.current_thread() is threading.main_thread())
        return summary(telling, ended)

    monkeypatch.setattr(TellingHighest, "summary", told)
    bus = Bus(Highest(), 2).played()
    seat, watched = ClientSeat(PlaySettings(agree=True)), WatchedTable()
    await seat.begin(lambda: bus.sessions[0])
    await watched.show(bus.game, bus.charter)
    (ended,) = bus.hands(0)
    watcher, events = bus.watched()
    for tell in (
        seat.tell(ended, bus.sessions[0]),
        *(watched.tell(each, watcher) for each in events),
    ):
        await tell
    assert asked == [False, False]
    watched.press("enter")
    assert "Hand 1 is over" in "\n".join(watched.frame(80, 24).text())
    assert all(asked[2:])


# --- other games ----------------------------------------------------------------------------------

# 41 and 400 for people: lines of text by themselves, rules, hints, and any number of sides.


@pytest.fixture(scope="session")
def table() -> Bus:
    """A table of 400 in which our seat South is about to bid."""
    return brought_to(Bus(create_game("400"), 1), lambda state: state.phase is DealPhase.BIDDING)


async def test_rules_hint_and_last_trick_answer_at_a_table_of_400(
    table: Bus, tmp_path: Path
) -> None:
    session = table.chairs[0].session
    alone = sitting(tmp_path, alone=True)
    await alone.seat.begin(lambda: session)
    alone.type("?", "h", "last", "table", "who", "3", "y")
    assert await alone.seat.decide(session) == PlaceBid(3)
    alone.end()
    for words in (
        *("You bid once", "400 in short", "A bot would bid ", "These cards are worth about"),
        "No trick has been taken yet.",
    ):
        assert words in alone.words()


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6, 7, 8])
def test_bots_take_the_seats_of_the_other_side_first(seats: int) -> None:
    order = fill_order(seats)
    assert sorted(order) == list(range(1, seats))
    assert [seat % 2 for seat in order] == sorted((seat % 2 for seat in order), reverse=True)


def test_a_hand_in_the_middle_of_a_match_is_told_by_the_scores_that_it_began_with() -> None:
    game, scores, chance = create_game("41", "floor_12"), (31, 12), SeededRandomness(11)
    open_table = OpenTable(game, game.pack, chance, scores=scores)
    players = [RandomPlayer(game, seat) for seat in range(4)]
    played = play_out(open_table, players)
    story = Story(game, Writer(4))
    assert [*story.tell(HandStarted(6, Seat(0), scores), {})]
    told = [story.carry_out(ActionTaken(*each))[0] for each in played]
    assert told[-1].after == open_table.state
