"""400 at real terminals in lines of text: what is typed is heard, and the hand is played."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import pytest

from tests.journeys.terminals import Terminal, needs_tmux

pytestmark = [pytest.mark.timeout(300)]
CHOICE = re.compile(r"Your choice, such as (.+): ?$")
LOOK = threading.Event()
"""Never set: a look at a terminal is a process, and another one a tenth of a second later."""
BOTS = "--bots 2 --level steady --think 0"
HAND = ("--plain", "--hands", "1", "--linger", "6")


class LineTypist:
    """Answers at one terminal as the last line asks; `bids` counts what was bid."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.bids = 0
        self._answered = ""

    def answer(self) -> bool:
        """Answer the question at the end of the screen, unless it has been answered.

        False once the program has ended.
        """
        text = self.terminal.text().rstrip("\n").rstrip()
        last = text.split("\n")[-1]
        choice = CHOICE.search(last)
        if text == self._answered or (choice is None and "[y/n]" not in last):
            return "ended with" not in text
        said = "y"
        if choice is not None:
            bidding = "bid 2 ... 13" in text.split("\n")[-2]
            self.bids += bidding
            said = "4" if bidding else "" if choice[1] == "Enter" else choice[1]
        self._answered = text
        self.terminal.type(said)
        self.terminal.press("Enter")
        return True


@needs_tmux
def test_people_at_terminals_play_400_in_lines(tmp_path: Path) -> None:
    ends = " ".join((*HAND, "--pace 0"))
    terminals = [
        Terminal(tmp_path / "host", f"host --game 400 --invites --name P {BOTS} {ends}", rows=50)
    ]
    try:
        host = terminals[0]
        host.until_shows("Waiting for ")
        invite = re.search(r"P2P304-[0-9A-Z]+", host.joined())
        assert invite is not None
        terminals.append(Terminal(tmp_path / "guest", f"join --name Q {ends}", rows=50))
        guest = terminals[1]
        guest.until_shows("the invite:")
        guest.type(invite[0][:-1])
        guest.press("Enter")
        guest.press("Enter")
        guest.until_shows("the invite:", "The invite is")
        guest.type(invite[0])
        guest.press("Enter")
        people = [LineTypist(each) for each in terminals]
        ends_at = time.monotonic() + 240
        going = people
        while going := [each for each in going if each.answer()]:
            LOOK.wait(0.1)
            assert time.monotonic() < ends_at, guest.joined() + host.joined()
        for each in people:
            assert each.bids
            text = each.terminal.until_ended()
            assert "The score now: South " in text
    finally:
        for terminal in terminals:
            terminal.close()
