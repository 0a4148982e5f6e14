"""However the client ends, the terminal is as before, and the hand goes on."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.journeys.terminals import Terminal, needs_tmux

pytestmark = [pytest.mark.timeout(400), needs_tmux]

PLAY = "play --seed 13 --set 'tokens_start = 2' --name P"
BROKEN = """\
import sys
import cli.screen.seatscreen as seatscreen
from cli.main import main
drawn = seatscreen.render
def render(table, desk, columns, rows):
    if desk.typed == "1":
        raise ZeroDivisionError("a planted fault")
    return drawn(table, desk, columns, rows)
seatscreen.render = render
sys.exit(main(sys.argv[1:]))
"""


def modes(terminal: Terminal) -> str:
    """What a program may have switched in the terminal, as tmux sees it."""
    flags = ("alternate_on", "cursor_flag", "mouse_any_flag", "mouse_sgr_flag", "wrap_flag")
    shown = " ".join(f"{flag}=#{{{flag}}}" for flag in flags)
    return terminal._tmux("display-message", "-p", shown).strip()


def check_terminal(terminal: Terminal, before: str) -> None:
    """All modes are as before, and lines are edited and echoed."""
    assert modes(terminal) == before
    wanted = "-e icanon -e echo -e isig -e icrnl"
    assert terminal.shell_says(f"stty -a | tr ' ' '\\n' | grep -cx {wanted}") == "4"


def test_a_broken_frame_ends_the_screen_and_not_the_terminal(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(BROKEN)
    terminal = Terminal(tmp_path, "--version")
    try:
        terminal.until_ended()
        before = modes(terminal)
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(broken))} {PLAY}"
        terminal.type(f"clear; {command}; echo ended with $?")
        terminal.press("Enter")
        terminal.until_shows("Your turn to bid")
        assert modes(terminal) != before
        terminal.type("1")
        terminal.until_ended(70)
        said = terminal.joined()
        assert "Nothing is lost: 'p2p304 resume' goes on." in said
        assert "a planted fault" in said
        assert "please report the lines above" in said
        check_terminal(terminal, before)
        terminal.run("resume")
        terminal.until_shows("You are back at the table.", "Your turn to bid")
        terminal.press("C-c", "C-c")
        terminal.until_ended()
        check_terminal(terminal, before)
    finally:
        terminal.close()


def test_a_killed_client_goes_on_in_the_same_terminal_and_cleans_it(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "--version")
    try:
        terminal.until_ended()
        before = modes(terminal)
        terminal.type("clear; PS1='now: ' exec bash --norc")  # interactive, it restores the modes
        terminal.press("Enter")
        terminal.until(lambda text: text.startswith("now:"))
        terminal.run(PLAY)
        terminal.until_shows("Your turn to bid")
        shell = int(terminal._tmux("display-message", "-p", "#{pane_pid}"))
        os.kill(_child(shell), signal.SIGKILL)
        terminal.until_shows("ended with 137")
        terminal.run("resume")
        terminal.until_shows("You are back at the table.", "Your turn to bid")
        terminal.type("60")
        terminal.press("Enter")
        terminal.until(lambda text: "160" in text.partition("Your turn")[0])  # it stays as a call
        terminal.press("C-c", "C-c")
        terminal.until_ended()
        check_terminal(terminal, before)
    finally:
        terminal.close()


def _child(process: int) -> int:
    children = Path(f"/proc/{process}/task/{process}/children")
    if not children.exists():
        pytest.skip("this system does not say which processes a process has started")
    return int(children.read_text().split()[0])
