"""A real terminal for tests: tmux, with keys sent and screens captured."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cli.store.settings import SettingsFile

TMUX = shutil.which("tmux")
needs_tmux = pytest.mark.skipif(TMUX is None, reason="tmux is not installed (apt-get install tmux)")
PROGRAM = f"{shlex.quote(sys.executable)} -P -m cli.main"
_POLL = 0.04
#: Looks at a program that has not run since the last two, of which one is at the screen.
_SELDOM = 8
#: In what a program sleeps that waits for keys and for others, or is suspended: not for a lock, and
#: not for the terminal to take what it writes.
_WAITS = ("poll", "select", "signal_stop")
_PAUSE = threading.Event()


class Terminal:
    """One tmux server with one window; `text` is what a person would see."""

    def __init__(
        self,
        place: Path,
        command: str,
        *,
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start `command` of the program in a shell, which stays afterwards; no card lies there for
        its own sake."""
        place.mkdir(parents=True, exist_ok=True)
        self._socket = str(place / "tmux")
        settings = {
            **os.environ,
            "P2P304_HOME": str(place / "home"),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            **(environment or {}),
        }
        home = Path(settings["P2P304_HOME"])
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        SettingsFile(home).keep({"pace": "0"})
        size = ["-x", f"{columns}", "-y", f"{rows}"]
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "sh", environment=settings)
        self._shell = int(self._tmux("display-message", "-p", "#{pane_pid}"))
        self.run(command)

    def _tmux(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        done = subprocess.run(
            [TMUX, "-S", self._socket, *arguments],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        return done.stdout

    def run(self, command: str) -> None:
        """Start a command of the program; the shell says when and how it ended."""
        self.type(f"clear; {PROGRAM} {command}; echo ended with $?")
        self.press("Enter")

    def shell_says(self, command: str, *, deadline: float = 120.0) -> str:
        """What the shell answers to a command of its own, on one line.

        The line as it was typed, which the terminal shows at once, is not taken for the answer.
        """
        self.type(f'clear; echo "said=$({command})="')
        self.press("Enter")
        said = re.compile(r"^said=(.*)=$", re.MULTILINE)
        found = said.search(self.until(lambda text: bool(said.search(text)), deadline=deadline))
        return found[1]

    def until_ended(self, code: int = 0) -> str:
        """The screen once the command has ended with this code."""
        return self.until_shows(f"ended with {code}\n")

    def text(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p")

    def joined(self) -> str:
        """What was and is on the screen, with wrapped lines as one."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-200")

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names: "Enter", "Right", "Escape", "C-c", "p"."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type characters as they are."""
        self._tmux("send-keys", "-l", text)

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        self._tmux("resize-window", "-x", f"{columns}", "-y", f"{rows}")

    def until(self, seen: Callable[[str], bool], *, deadline: float = 120.0) -> str:
        """The screen once `seen` says yes to it; fails with the screen after `deadline` seconds.

        It must look the same twice, while the program has waited all the time: what is seen once,
        or twice while the program is held up, may be half a frame, or one without our last key.
        """
        ends = time.monotonic() + deadline
        before: tuple[tuple[str, ...], str] | None = None
        same = 0
        while True:
            turns = _turns_of_waiting(self._shell)
            rests = bool(turns) and before is not None and turns == before[0] and same >= 2
            if turns is None:
                before, same = None, 0
            elif rests and same % _SELDOM:  # it has done nothing since: a capture is a process
                same += 1
            else:
                now = (turns, self.text())
                same = same + 1 if now == before else 1
                before = now
                if same >= 2 and seen(now[1]):
                    return now[1]
            if time.monotonic() > ends:
                shown = self.text()
                pytest.fail(f"in {deadline:g} seconds the screen did not come; it shows:\n{shown}")
            _PAUSE.wait(_POLL)

    def until_shows(self, *words: str, deadline: float = 120.0) -> str:
        """The screen once it shows all of these."""
        return self.until(lambda text: all(each in text for each in words), deadline=deadline)

    def modes(self) -> str:
        """What a program may have switched in the terminal, as tmux sees it."""
        flags = ("alternate_on", "cursor_flag", "mouse_any_flag", "mouse_sgr_flag", "wrap_flag")
        shown = " ".join(f"{flag}=#{{{flag}}}" for flag in flags)
        return self._tmux("display-message", "-p", shown).strip()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program that the shell runs."""
        children = Path(f"/proc/{self._shell}/task/{self._shell}/children")
        if not children.exists():
            pytest.skip("this system does not say which processes a process has started")
        os.kill(int(children.read_text().split()[0]), number)

    def close(self) -> None:
        """End everything in it."""
        subprocess.run(
            [str(TMUX), "-S", self._socket, "kill-server"], check=False, capture_output=True
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _turns_of_waiting(shell: int) -> tuple[str, ...] | None:
    """How often each program of a shell has had the processor; None while one of them does not
    wait for something to happen. Between two of the same nothing was read, drawn or written.

    Systems without /proc, or where it does not tell, do not know: then nothing is told apart.
    """
    turns = []
    try:
        for child in Path(f"/proc/{shell}/task/{shell}/children").read_text().split():
            thread = Path(f"/proc/{child}/task/{child}")  # the first one, which draws
            where = (thread / "wchan").read_text()
            if where != "0" and not any(each in where for each in _WAITS):
                return None
            if (
                where == "0"
                and (thread / "stat").read_text().rpartition(")")[2].split()[0] not in "ST"
            ):
                return None
            turns.append(f"{child} {(thread / 'schedstat').read_text().split()[2]}")
    except OSError:
        return ()
    return tuple(turns)
