"""The client in a real terminal, played by what can be read on it, to the end of a match."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.table_players import Reader
from tests.journeys.terminals import Terminal, needs_tmux

pytestmark = [pytest.mark.timeout(400)]
ROOT = Path(__file__).resolve().parents[2]
SEEDS = (17, 10, 12)
"""Matches that bring inspection soon, for a player who plays the first legal card."""

PLAY = (sys.executable, "-P", "-m", "cli.main", "play")
SHORT = "--set 'tokens_start = 1' --name P --pace 0"
AT_ONCE = "--level steady --think 0"
"""Bots that take no time to think, and do the same again."""


def played(tmp_path: Path, *, columns: int, rows: int, mouse: bool) -> dict[str, str]:
    """What is read in matches, as many as it takes to have met every decisive moment."""
    wanted = {"auction", "indicator", "face down", "inspection", "result"}
    moments: dict[str, str] = {}
    for seed in SEEDS:
        command = f"play --seed {seed} {SHORT} {AT_ONCE}"
        terminal = Terminal(tmp_path / f"{seed}", command, columns=columns, rows=rows)
        try:
            reader = Reader(terminal, mouse=mouse)
            reader.play_match()
            moments = {**reader.moments, **moments}
            if mouse:
                reader.click_words(terminal.text(), "[Esc]")
            else:
                terminal.press("Enter")
            shell = terminal.until_ended()
            assert "win the match after " in shell  # the screen that showed it has gone
            assert "The score now: " in shell
        finally:
            terminal.close()
        if wanted <= set(moments):
            break
    assert wanted <= set(moments), f"met only {sorted(moments)} in the matches {SEEDS}"
    return moments


def check(moments: dict[str, str]) -> None:
    """What a player must be able to read at the decisive moments."""
    auction = moments["auction"]
    assert "Your turn to bid." in auction
    assert "You may bid 160, 170 ... 300" in auction
    assert re.search(r"▶ South P \(you", auction)
    indicator = moments["indicator"]
    assert "You are the maker" in indicator
    assert "160 by South" in indicator
    assert "trump not chosen" in indicator
    assert "▒▒▒" in moments["face down"]
    assert "trump hidden" in moments["face down"]
    inspection = moments["inspection"]
    assert re.search(r"(?s)You alone look at the face-down cards: .{0,80}[♠♥♦♣]", inspection)
    assert "announce" in inspection
    result = moments["result"]
    assert "win the match" in result
    assert re.search(r"Tokens\s+North-South \d+, East-West \d+", result)
    assert "p2p304 audit" in result


@needs_tmux
def test_keyboard_at_80_by_24(tmp_path: Path) -> None:
    moments = played(tmp_path, columns=80, rows=24, mouse=False)
    check(moments)
    for text in moments.values():
        assert all(len(line) <= 80 for line in text.split("\n"))
        assert "Charter " in text


@needs_tmux
@pytest.mark.long
def test_mouse_at_120_by_40(tmp_path: Path) -> None:
    moments = played(tmp_path, columns=120, rows=40, mouse=True)
    check(moments)
    assert "The rules of the moment" in moments["auction"]
    assert "60 means 160" in moments["auction"]


@needs_tmux
def test_ctrl_c_leaves_a_clean_terminal_and_a_game_that_goes_on(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, f"play --seed 13 {SHORT}")
    try:
        first = terminal.until_shows("Your turn to bid")
        terminal.press("C-c")
        terminal.until_shows("Leave? 'p2p304 resume' brings you back. (y/n)")
        terminal.press("C-c")
        text = terminal.until_ended()
        assert "p2p304 resume" in text
        assert "▒▒" not in text
        assert "Traceback" not in text
        assert terminal.shell_says("stty -a | grep -c '[ ]icanon'") == "1"
        terminal.run("resume")
        again = terminal.until_shows("Your turn to bid")
        assert "You are back at the table." in again
        cards = re.compile(r"│\s?(\S+)│")
        assert cards.findall(again) == cards.findall(first)
        terminal.press("p")  # whatever was bid before
        terminal.until(lambda now: "You are back at the table." not in now)
        terminal.press("C-c", "C-c")
        terminal.until_ended()
    finally:
        terminal.close()


@needs_tmux
@pytest.mark.parametrize(
    ("command", "asked"), [("host", "Your nickname"), ("join", "The code, or the invite:")]
)
def test_who_leaves_before_there_is_a_table_is_not_told_of_one(
    command: str, asked: str, tmp_path: Path
) -> None:
    terminal = Terminal(tmp_path, command)
    try:
        terminal.until_shows(asked)
        terminal.press("C-c")
        text = terminal.until_ended(130)
        assert "p2p304: interrupted" in text
        assert "resume" not in text
        assert "Traceback" not in text
    finally:
        terminal.close()


@needs_tmux
def test_ctrl_z_suspends_with_a_clean_terminal_and_fg_draws_it_anew(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, f"play --seed 13 {SHORT}")
    try:
        terminal.until_shows("Your turn to bid")
        terminal.press("C-z")
        text = terminal.until_shows("Stopped")
        assert "Your turn" not in text
        assert terminal.shell_says("stty -a | grep -c '[ ]icanon'") == "1"
        terminal.type("fg")
        terminal.press("Enter")
        terminal.until_shows("Your turn to bid", "Charter ")
        terminal.press("C-c", "C-c")
        text = terminal.until_shows("p2p304 resume")
        assert "Traceback" not in text
    finally:
        terminal.close()


@needs_tmux
def test_a_resized_terminal_is_drawn_anew_and_a_small_one_says_so(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, f"play --seed 13 {SHORT}")
    try:
        terminal.until_shows("Your turn to bid")
        terminal.resize(120, 40)
        terminal.until_shows("The rules of the moment", "Your turn to bid")
        terminal.resize(60, 15)
        terminal.until_shows("needs 60 columns")
        terminal.resize(80, 24)
        terminal.until_shows("Your turn to bid")
        terminal.press("C-c", "C-c")
        terminal.until_ended()
    finally:
        terminal.close()


@needs_tmux
def test_a_terminated_client_leaves_a_clean_terminal(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, f"play --seed 13 {SHORT}")
    try:
        terminal.until_shows("Your turn to bid")
        shell = terminal._tmux("display-message", "-p", "#{pane_pid}").strip()
        child = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0]
        os.kill(int(child), signal.SIGTERM)
        text = terminal.until_ended(130)
        assert "resume" in text
        assert "▒▒" not in text
        assert "Traceback" not in text
    finally:
        terminal.close()


@pytest.mark.long  # four people do, in `test_table_text`, and one in `test_textseat` calls caps
def test_plain_through_a_pipe_to_the_end_of_a_match(tmp_path: Path) -> None:
    wanted = (
        "bid 160",
        "trump is ",
        "keep trump closed",
        "trump hidden; your indicator is",
        "[face down]",
        "You claim that your team wins every",
        "win the match",
        "p2p304 audit",
    )
    met: set[str] = set()
    for seed in sorted(SEEDS):  # all of it is met in the match of the first one
        text = plain_match(tmp_path / f"{seed}", seed)
        assert "\x1b" not in text
        assert "win the match" in text
        met |= {words for words in wanted if words in text}
        if met == set(wanted):
            return
    pytest.fail(f"never met {sorted(set(wanted) - met)} in the matches {SEEDS}")


def plain_match(place: Path, seed: int) -> str:
    """A match through a pipe, answered line by line from what was read; all that was said."""
    process = subprocess.Popen(
        [*PLAY, "--plain", "--seed", f"{seed}", "--set", "tokens_start = 2", "--name", "P"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "P2P304_HOME": str(place / "home"), "PYTHONIOENCODING": "utf-8"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    said: list[str] = []
    options = hand = ""
    for line in process.stdout:
        said.append(line)
        if line.startswith("You hold"):
            hand = line
        elif line.startswith("  "):
            options += line
        elif line.startswith(("Your choice", "Order:", "Really")):
            looked = any(each.startswith("Trick") and "[" in each for each in said)
            print(_plain_answer(line, options, hand, looked), file=process.stdin, flush=True)
            options = ""
    assert process.wait(120) == 0
    return "".join(said)


def _plain_answer(question: str, options: str, hand: str, looked: bool) -> str:
    """What a reader of lines types: the lowest bid, caps once something was inspected, and else
    the first choice of everything."""
    if question.startswith("Really"):
        return "y"
    if question.startswith("Order"):
        suits = re.findall(r"([♠♥♦♣])((?: (?:10|[7-9JQKA]))+)", hand)
        letters = dict(zip("♠♥♦♣", "shdc", strict=True))
        return " ".join(f"{rank}{letters[suit]}" for suit, ranks in suits for rank in ranks.split())
    for words, answer in (("bid 160", "160"), (" pass", "pass"), ("keep trump closed", "k")):
        if words in options:
            return answer
    if "go on" in options:
        return "caps" if looked and "call caps" in options else ""
    example = re.search(r"such as (.+):", question)
    assert example is not None
    return "" if example[1] == "Enter" else example[1]
