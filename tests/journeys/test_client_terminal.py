"""The client in a real terminal: played by what is read on it, and left clean however it ends."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.journeys.table_players import Reader
from tests.journeys.terminals import Terminal, needs_tmux

pytestmark = [pytest.mark.timeout(400), needs_tmux]
SEEDS = (17, 10, 12)
"""Matches that bring inspection soon, for a player who plays the first legal card."""

SHORT = "--name P"
PLAY = f"play --seed 13 --set 'tokens_start = 2' {SHORT}"
AT_ONCE = "--set 'tokens_start = 1' --level steady --think 0"
"""Short matches of bots that take no time to think, and do the same again."""

READ = {
    "auction": r"Your turn to bid\..*You may bid 160, 170 ... 300",
    "indicator": r"160 by South.*trump not chosen.*You are the maker",
    "face down": r"trump hidden.*▒▒▒",
    "inspection": r"You alone look at the face-down cards: .{0,80}[♠♥♦♣].*announce",
    "result": r"Tokens\s+North-South \d+, East-West \d+.*p2p304 audit",
}
"""What a player must be able to read at the decisive moments, in its order."""

BROKEN = """\
import sys
import cli.screen.clientseat as clientseat
from cli.main import main
drawn = clientseat.render
def render(table, desk, columns, rows):
    if desk.typed == "1":
        raise ZeroDivisionError("a planted fault")
    return drawn(table, desk, columns, rows)
clientseat.render = render
sys.exit(main(sys.argv[1:]))
"""


def test_a_match_is_played_by_keys_at_80_by_24(tmp_path: Path) -> None:
    moments: dict[str, str] = {}
    for seed in SEEDS:
        command = f"play --seed {seed} {SHORT} {AT_ONCE}"
        with Terminal(tmp_path / f"{seed}", command) as terminal:
            reader = Reader(terminal)
            reader.play_match()
            moments = {**reader.moments, **moments}
            terminal.press("Enter")
            shell = terminal.until_ended()
            assert "win the match after " in shell  # the screen that showed it has gone
            assert "The score now: " in shell
        if {*READ} <= {*moments}:
            break
    for name, wanted in READ.items():
        assert re.search(wanted, moments.get(name, ""), re.DOTALL), (name, moments.get(name))
    for text in moments.values():
        assert all(len(line) <= 80 for line in text.split("\n"))
        assert "Charter " in text


def check_terminal(terminal: Terminal, before: str) -> None:
    """All modes are as before, lines are edited and echoed, and nothing of the table is left."""
    assert terminal.modes() == before
    wanted = "-e icanon -e echo -e isig -e icrnl"
    assert terminal.shell_says(f"stty -a | tr ' ' '\\n' | grep -cx {wanted}") == "4"


def test_a_terminal_is_resized_suspended_left_and_come_back_to(tmp_path: Path) -> None:
    with Terminal(tmp_path, "--version") as terminal:
        terminal.until_ended()
        before = terminal.modes()
        terminal.run(PLAY)
        first = terminal.until_shows("Your turn to bid")
        terminal.resize(120, 40)
        terminal.until_shows("The rules of the moment", "Your turn to bid")
        terminal.resize(60, 15)
        terminal.until_shows("needs 60 columns")
        terminal.resize(80, 24)
        terminal.until_shows("Your turn to bid")
        terminal.press("C-z")
        assert "Your turn" not in terminal.until_shows("Stopped")
        check_terminal(terminal, before)
        terminal.type("fg")
        terminal.press("Enter")
        terminal.until_shows("Your turn to bid", "Charter ")
        terminal.press("C-c")
        terminal.until_shows("Leave? 'p2p304 resume' brings you back. (y/n)")
        terminal.press("C-c")
        text = terminal.until_shows("You left the table; nothing is lost: 'p2p304 resume'")
        assert "▒▒" not in text
        assert "Traceback" not in text
        check_terminal(terminal, before)
        terminal.run("resume")
        again = terminal.until_shows("You are back at the table.", "Your turn to bid")
        cards = re.compile(r"│\s?(\S+)│")
        assert cards.findall(again) == cards.findall(first)
        terminal.type("60")
        terminal.press("Enter")
        terminal.until(lambda text: "160" in text.partition("Your turn")[0])  # it stays as a call
        terminal.press("C-c", "C-c")
        terminal.until_ended()


def test_a_broken_frame_or_a_signal_ends_the_screen_and_not_the_terminal(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(BROKEN)
    with Terminal(tmp_path, "--version") as terminal:
        terminal.until_ended()
        before = terminal.modes()
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(broken))} {PLAY}"
        terminal.type(f"clear; {command}; echo ended with $?")
        terminal.press("Enter")
        terminal.until_shows("Your turn to bid")
        assert terminal.modes() != before
        terminal.type("1")
        terminal.until_ended(70)
        said = terminal.joined()
        assert "Nothing is lost: 'p2p304 resume' goes on." in said
        assert "a planted fault" in said
        assert "please report the lines above" in said
        check_terminal(terminal, before)
        terminal.run("resume")
        terminal.until_shows("You are back at the table.", "Your turn to bid")
        terminal.signal(signal.SIGTERM)
        text = terminal.until_ended(130)
        assert "resume" in text
        assert "▒▒" not in text
        assert "Traceback" not in text
        check_terminal(terminal, before)


def test_a_killed_client_goes_on_in_the_same_terminal_and_cleans_it(tmp_path: Path) -> None:
    with Terminal(tmp_path, "--version") as terminal:
        terminal.until_ended()
        before = terminal.modes()
        terminal.type("clear; PS1='now: ' exec bash --norc")  # interactive, it restores the modes
        terminal.press("Enter")
        terminal.until(lambda text: text.startswith("now:"))
        terminal.run(PLAY)
        terminal.until_shows("Your turn to bid")
        terminal.signal(signal.SIGKILL)
        terminal.until_shows("ended with 137")
        terminal.run("resume")
        terminal.until_shows("You are back at the table.", "Your turn to bid")
        terminal.press("C-c", "C-c")
        terminal.until_ended()
        check_terminal(terminal, before)
