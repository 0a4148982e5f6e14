"""Times of what happens at a seat, a JSON line each, for measurements across processes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, Final

from p2p304.disclosures import Dealt
from protocol.ledger.events import Disclosed, Event, HandEnded, HandStarted, RoundClosed
from protocol.places import Lane
from protocol.seat.seat_view import SeatView


class Marks:
    """Listens at one seat. Times are of the machine's monotonic clock, the same in all processes.

    "seated" is when all have confirmed the charter; "dealt" when this seat sees its first cards of
    a hand; "started" and "ended" are the hand's, the latter with the processor's time and the
    megabytes of memory of this process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._hand = -1
        self._dealt = -1

    def __call__(self, event: Event, session: SeatView) -> None:
        """Note the event, if it is one of those."""
        match event:
            case RoundClosed(ledger, 0, _) if ledger.lane is Lane.TABLE:
                self._note("seated", ledger.number)
            case HandStarted(number, _):
                self._hand = number
                self._note("started", number)
            case Disclosed(Dealt(seat, _)) if seat == session.seat and self._dealt < self._hand:
                self._dealt = self._hand
                self._note("dealt", self._hand)
            case HandEnded(number, _, _):
                self._note("ended", number, cpu=time.process_time(), memory=resident_mb())
            case _:
                pass

    def _note(self, what: str, number: int, **more: Any) -> None:
        line = json.dumps({"what": what, "number": number, "at": time.monotonic(), **more})
        with self._path.open("a", encoding="ascii") as file:
            file.write(line + "\n")


def read_marks(path: Path) -> dict[tuple[str, int], float]:
    """Return the times in a file of marks: (what, number) to seconds."""
    return {(each["what"], each["number"]): float(each["at"]) for each in _lines(path)}


def read_memory(path: Path) -> dict[int, float]:
    """Return the megabytes of the process at the end of each hand, where the system tells them."""
    return {
        each["number"]: float(each["memory"])
        for each in _lines(path)
        if each["what"] == "ended" and each["memory"] is not None
    }


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4_096


def resident_mb() -> float | None:
    """Return the megabytes of this process in memory; None without Linux's /proc."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE / 1e6
    except OSError:
        return None
