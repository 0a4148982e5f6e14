"""The client in a real terminal: played by what is read on it, and left clean however it ends."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.journeys.terminals import Terminal, needs_tmux

pytestmark = [pytest.mark.timeout(400), needs_tmux]
SHORT = "--name P"
PLAY = f"play --seed 13 --set 'tokens_start = 2' {SHORT}"
#: Short matches of bots that take no time to think, and do the same again.
AT_ONCE = "--set 'tokens_start = 1' --level steady --think 0"

#: Words of a prompt, and the keys that answer it; Enter answers every other one.
ASKED = (
    ("leaves the pack as it is", ("Enter",)),
    ("Your turn to bid", ("1", "6", "0", "Enter")),
    ("choose the card to lay", ("Right", "Enter")),
    ("You are the maker. k", ("k",)),
    ("claims every trick", ("v",)),
    ("It cannot be undone", ("y",)),
    ("Your turn", ("Right", "Enter")),
)
ASKING = ("Your turn", "You are the maker", "Enter", "claims every", "(y/n)", "You alone look")

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


def lines_of(text: str) -> list[str]:
    return text.rstrip().split("\n")


def prompt_of(text: str) -> str:
    """The two lines above the keys."""
    return " ".join(line[:82].strip() for line in lines_of(text)[-4:-2])


def asks_anew(before: str, text: str) -> bool:
    """Whether there is a new question. What goes on by itself is none: the last line counts
    proofs, and marks tell who has answered."""
    old, new = (
        [line.replace("▶", " ").rstrip() for line in lines_of(each)[:-1]] for each in (before, text)
    )
    choosing = re.search(r"\^\d+\^|> \w*_", text)  # between two keys of ours
    return old != new and not choosing and any(each in prompt_of(text) for each in ASKING)


def play_match(terminal: Terminal) -> None:
    """Play by what is read, to the end of the match."""
    text = ""
    for _ in range(400):
        text = terminal.until(partial(asks_anew, text))
        prompt = prompt_of(text)
        if "Another match" in prompt:
            return
        assert all(len(line) <= 80 for line in text.split("\n"))
        keys = next((keys for words, keys in ASKED if words in prompt), ("Enter",))
        terminal.press(*(("p",) if "1" in keys and "[160]" not in text else keys))
    pytest.fail(f"the match did not end; the screen shows:\n{text}")


def test_a_match_is_played_by_keys_at_80_by_24(tmp_path: Path) -> None:
    with Terminal(tmp_path, f"play --seed 17 {SHORT} {AT_ONCE}") as terminal:
        play_match(terminal)
        terminal.press("Enter")
        shell = terminal.until_ended()
        assert "win the match after " in shell  # the screen that showed it has gone
        assert "The score now: " in shell


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
