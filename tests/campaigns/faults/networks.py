"""Brokers that lose, repeat, delay, part, censor and show different seats different things."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from p2p304.seats import FOUR_SEAT_NAMES
from tests.campaigns.faults.clockwork import WallClock, steady
from tests.campaigns.faults.hub import Censor, Frame, Weather
from tests.campaigns.faults.mortal_table import NAMES, MortalTable
from tests.campaigns.faults.results import Result

PERIOD: Final = 40.0
BEGINNING: Final = 1_003.0
"""When the bad time begins: the table is seated, the hand is not over."""

LASTS: Final = 300.0
SOON: Final = 10.0
"""Seconds until it is told for whom one waits."""

HEALS: Final = 180.0
"""Seconds after the bad time until the hand is over; in weather without an end, a whole hand."""


def parted(groups: Callable[[int], int]) -> Censor:
    """Nothing passes between the groups, in every other period."""

    def censor(frame: Frame, reader: int) -> float | None:
        apart = frame.at % (2 * PERIOD) < PERIOD and groups(frame.sender) != groups(reader)
        return None if apart else 0.0

    return censor


def cut_pair(frame: Frame, reader: int) -> float | None:
    """Two seats never hear each other; only the others, the host among them, hear both."""
    return None if {frame.sender, reader} == {1, 2} else 0.0


def away(frame: Frame, _reader: int) -> float | None:
    """Nothing at all passes for a while."""
    return None if BEGINNING <= frame.at < BEGINNING + LASTS else 0.0


def forking(frame: Frame, reader: int) -> float | None:
    """Each seat is shown another half of the frames, some of them much later and out of order."""
    shown = sha256(frame.sealed + bytes((reader,))).digest()
    if shown[0] % 2:
        return None
    return shown[1] / 16 if shown[2] % 3 == 0 else 0.0


def censored(seat: int, *, held: bool) -> Censor:
    """All frames of a seat are lost for a while, or kept back and then let through at once."""

    def censor(frame: Frame, _reader: int) -> float | None:
        if frame.sender != seat or not BEGINNING <= frame.at < BEGINNING + LASTS:
            return 0.0
        return BEGINNING + LASTS - frame.at if held else None

    return censor


WEATHERS: Final = {
    "30 % loss": Weather(loss=0.3),
    "repetition": Weather(repeat=0.5),
    "reordering": Weather(fastest=0.0, slowest=3.0),
    "loss, repetition and reordering": Weather(loss=0.3, repeat=0.3, fastest=0.0, slowest=3.0),
    "2 + 2 parted": Weather(censor=parted(lambda seat: seat % 2)),
    "1 + 3 parted": Weather(censor=parted(lambda seat: int(seat == 1))),
    "all parted": Weather(censor=parted(lambda seat: seat)),
    "two never hear each other": Weather(censor=cut_pair),
    "away for five minutes": Weather(censor=away),
    "old frames again": Weather(repeat=0.7, again=60.0),
    "different frames to different seats": Weather(censor=forking),
}


def in_weather(place: Path, seed: int, kind: str) -> Result:
    """A hand in bad weather."""
    table = MortalTable(place, seed, WEATHERS[kind])
    return Result.of(_played(table), kind, name=kind)


def censoring(place: Path, seed: int, *, held: bool) -> Result:
    """A hand in which a broker censors one seat; the others wait for it and for nobody else."""
    victim = seed % 4
    table = MortalTable(place, seed, Weather(censor=censored(victim, held=held)))
    faults = _played(table)
    kind = f"one seat {'kept back' if held else 'censored'}"
    began = time.strftime("%H:%M", time.localtime(steady(BEGINNING)))
    name = f"{FOUR_SEAT_NAMES[victim]} ({NAMES[victim]})"
    words = {f"Waiting for {name} since {began}."}
    for seat in table.seats:
        said = {each.words for each in seat.waits}
        if seat.number != victim and said != words:
            faults.append(f"{FOUR_SEAT_NAMES[seat.number]} said {said}, not {words}")
        elif seat.number != victim and seat.waits[0].at > BEGINNING + SOON:
            faults.append(f"{FOUR_SEAT_NAMES[seat.number]} said it at {seat.waits[0].at} only")
    return Result.of(faults, kind, name=kind)


CLOCKS: Final[dict[str, WallClock]] = {
    "1970": lambda now: now - 1_000.0,
    "before 1970": lambda now: now - 90_000.0,
    "2106": lambda now: 2.0**32 - 2.0 + now - 1_000.0,
    "running backwards": lambda now: steady(-now),
    "jumping": lambda now: random.Random(now).uniform(0.0, 2.0**33),
    "an hour on, an hour back": lambda now: steady(now) + 3_600.0 * (int(now) % 2),
}
"""Wall clocks: what each says at a moment of the monotonic one."""


def clock(place: Path, seed: int, kind: str) -> Result:
    """A hand under a wall clock that is wrong, in which somebody has to be waited for."""
    victim = seed % 4
    table = MortalTable(place, seed, Weather(censor=censored(victim, held=False)))
    faults = _played(table, wall=CLOCKS[kind])
    for seat in table.seats:
        for wait in seat.waits:
            if seat.number != victim and wait.seats != (victim,):
                faults.append(f"{FOUR_SEAT_NAMES[seat.number]} waited for {wait.seats}")
            if not _WORDS.fullmatch(wait.words):
                faults.append(f"{FOUR_SEAT_NAMES[seat.number]} said {wait.words}")
    if not any(seat.waits for seat in table.seats):
        faults.append("nobody had to wait")
    kind = f"clock: {kind}"
    return Result.of(faults, kind, name=kind)


_WORDS: Final = re.compile(r"Waiting for \w+ \(\w+\)( and \w+ \(\w+\))* since \d\d:\d\d\.")


def _played(table: MortalTable, *, wall: WallClock = steady) -> list[str]:
    faults = table.run(wall=wall)
    if table.ended_at > BEGINNING + LASTS + HEALS:
        faults.append(f"it took until {table.ended_at:.0f} to heal")
    return faults
