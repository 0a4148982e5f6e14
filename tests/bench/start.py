"""From the shell to the first cards: `p2p304 play` in a terminal, as whoever calls it sees it.

The whole program runs as it is, with a home of its own and a terminal of 80 columns that nobody
types into; what it writes there says how far it is.
"""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pyte

from cli.children import environment, own_program
from cli.errors import UserError
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import SettingsFile
from tests.bench.figures import MINUTES, Figure, Part, Tell

GOAL_S: Final = 1.2
DEADLINE: Final = 60.0
SEED: Final = "1"  #: Chance that lets a bot cut the pack: nobody types here.
ENDING: Final = 20.0
SIZE: Final = {"COLUMNS": "80", "LINES": "24"}
#: What appears on the terminal, and how many different ones of it there must be.
STAGES: Final = (
    ("the bots are told where to sit", re.compile("bots (?:are )?sit"), 1),
    ("the table is on the screen: all have sat down", re.compile("Charter [A-Z2-7]{4}-"), 1),
    ("the pack is cut: all have shuffled", re.compile("cuts? the pack"), 1),
    ("the first four cards are seen", re.compile("(?:10|[7-9JQKA])[♠♥♦♣]"), 4),
)


def start_once(program: Sequence[str] = ()) -> dict[str, float]:
    """Return seconds from the start of the program to each of the stages.

    Raises UserError if it does not come. `program` is the command to be measured, `play` of this
    program by default.
    """
    screen = pyte.Screen(*map(int, SIZE.values()))
    ours, theirs = pty.openpty()
    with tempfile.TemporaryDirectory(prefix="p2p304-start-") as place:
        SettingsFile(Path(place)).keep({"pace": "0"})
        variables = environment(**{HOME_VARIABLE: place}, TERM="xterm", PYTHONUTF8="1", **SIZE)
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
            os.close(ours)  # it would wait for whoever reads what it still writes
            process.terminate()
            process.wait(ENDING)


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
            missing = next(title for title, *_ in STAGES if title not in found)
            raise UserError(f"After {now:.0f} s not yet: {missing}.")
        output.feed(heard)
        seen = "\n".join(screen.display)
        for number, (_, pattern, times) in enumerate(STAGES, 1):
            if len({*pattern.findall(seen)}) >= times:
                for title, *_ in STAGES[:number]:  # one that was over between two looks, too
                    found.setdefault(title, now)
    return found


def start_part(*, quick: bool, tell: Tell) -> Part:
    """Measure starts of `play`, as many as there is time for."""
    ends, found = time.monotonic() + 60.0 * MINUTES, list[dict[str, float]]()
    for number in range(3 if quick else 11):
        if found and time.monotonic() > ends:
            break
        tell(f"start {number + 1}")
        found.append(start_once())
    figures = []
    for title, *_ in STAGES:
        goal = GOAL_S if title == STAGES[-1][0] else None
        figures.append(Figure.of(title, "s", [each[title] for each in found], goal=goal))
    title = "From the shell to the first cards: 'play' with three bots"
    return Part("start", title, tuple(figures))
