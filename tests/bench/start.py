"""From the shell to the first cards: `p2p304 play` in a terminal, as whoever calls it sees it.

The whole program runs as it is, with a home of its own and a terminal of 80 columns that nobody
types into; what it writes there says how far it is.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyte

from cli.children import environment, own_program
from cli.errors import UserError
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import SettingsFile
from tests.bench.figures import Figure, Part, Tell, TimeBox

GOAL_S: Final = 1.2
RUNS: Final = 11
QUICK_RUNS: Final = 3
DEADLINE: Final = 60.0
SEED: Final = "1"
"""Chance that lets a bot cut the pack: nobody types here."""
ENDING: Final = 20.0
_COLUMNS, _ROWS = 80, 24
_TERMINAL: Final = {
    "TERM": "xterm",
    "PYTHONUTF8": "1",
    "COLUMNS": f"{_COLUMNS}",
    "LINES": f"{_ROWS}",
}


class Stage(NamedTuple):
    """Something that appears on the terminal."""

    name: str
    title: str
    pattern: re.Pattern[str]
    times: int = 1
    """How many different ones of it there must be."""


STAGES: Final = (
    Stage("bots_s", "the bots are told where to sit", re.compile("bots (?:are )?sit")),
    Stage(
        "screen_s",
        "the table is on the screen: all have sat down",
        re.compile("Charter [A-Z2-7]{4}-"),
    ),
    Stage("cut_s", "the pack is cut: all have shuffled", re.compile("cuts? the pack")),
    Stage("cards_s", "the first four cards are seen", re.compile("(?:10|[7-9JQKA])[♠♥♦♣]"), 4),
)


def start_once(program: Sequence[str] = ()) -> dict[str, float]:
    """Return seconds from the start of the program to each stage.

    Raises UserError if it does not come. `program` is the command to be measured, `play` of this
    program by default.
    """
    try:
        import pty  # no such thing on Windows
    except ImportError:
        raise UserError("The start needs a system with pseudo-terminals.") from None
    screen = pyte.Screen(_COLUMNS, _ROWS)
    ours, theirs = pty.openpty()
    with tempfile.TemporaryDirectory(prefix="p2p304-start-") as place:
        SettingsFile(Path(place)).keep({"pace": "0"})
        variables = environment(**{HOME_VARIABLE: place}, **_TERMINAL)
        begun = time.monotonic()
        process = subprocess.Popen(
            program or own_program("play", "--nickname", "Player", "--seed", SEED),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=variables,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            return _watched(ours, screen, begun)
        finally:
            process.send_signal(signal.SIGTERM)
            _drain(ours, process)
            os.close(ours)


def _watched(terminal: int, screen: Any, begun: float) -> dict[str, float]:
    output, found = pyte.ByteStream(screen), dict[str, float]()
    while len(found) < len(STAGES):
        left = begun + DEADLINE - time.monotonic()
        ready, _, _ = select.select([terminal], [], [], max(0.0, left))
        try:
            heard = os.read(terminal, 65_536) if ready else b""
        except OSError:  # the other end is closed
            heard = b""
        now = time.monotonic() - begun
        if not heard:
            missing = next(each for each in STAGES if each.name not in found)
            raise UserError(f"After {now:.0f} s not yet: {missing.title}.")
        output.feed(heard)
        seen = "\n".join(screen.display)
        for number, stage in enumerate(STAGES):
            if len({*stage.pattern.findall(seen)}) >= stage.times:
                for passed in STAGES[: number + 1]:  # one that was over between two looks, too
                    found.setdefault(passed.name, now)
    return found


def _drain(terminal: int, process: subprocess.Popen[bytes]) -> None:
    """Read what it still writes, which it would wait for, until it has ended."""
    until = time.monotonic() + ENDING
    while process.poll() is None and time.monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], 0.05)
        with suppress(OSError):
            if ready:
                os.read(terminal, 65_536)
    if process.poll() is None:
        process.kill()
    process.wait()


def start_part(*, quick: bool, tell: Tell) -> Part:
    """Measure starts of `play`, as many as there is time for."""
    box, found = TimeBox(), list[dict[str, float]]()
    for number in range(QUICK_RUNS if quick else RUNS):
        if found and box.left < 0:
            break
        tell(f"start {number + 1}")
        found.append(start_once())
    figures = []
    for stage in STAGES:
        goal = GOAL_S if stage is STAGES[-1] else None
        figures.append(Figure.of(stage.title, "s", [each[stage.name] for each in found], goal=goal))
    title = "From the shell to the first cards: 'play' with three bots"
    return Part("start", title, tuple(figures))
