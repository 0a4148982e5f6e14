"""Audits of hands, one after the other, and of archives that grow, on all cores."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import mean, median
from typing import Final

from tests.bench.figures import Curve, Figure, Part, Tell, TimeBox
from tests.bench.hand import WITH_SIGNATURES, TimedTable, audit_ms, audit_of
from tests.bench.machine import cores

GOAL: Final = 1.58
"""Times the counted operations and signatures: 0.1 s where these take 0.0633 s."""


def audit_part(*, quick: bool, tell: Tell) -> Part:
    """Measure audits of hands, one after the other and on all cores, and of archives that grow."""
    distinct = 4 if quick else 12
    sizes: tuple[int, ...] = (10, 30, 100) if quick else (10, 100, 1_000)
    tell(f"{distinct} hands to audit")
    files = played_transcripts(distinct)
    with tempfile.TemporaryDirectory(prefix="p2p304-bench-") as folder:
        paths = [Path(folder) / f"{number}.p304" for number in range(len(files))]
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
        audits = [audit_of(path) for path in paths]
        walls: list[float] = []
        box = TimeBox()
        for size in sizes:
            if walls and walls[-1] * size / sizes[len(walls) - 1] > box.left:
                break
            walls.append(_archive_seconds(paths, size, Path(folder), tell))
    late = [f"an archive of {size:,} hands is left out: no time" for size in sizes[len(walls) :]]
    sizes = sizes[: len(walls)]
    workers = cores()
    one = mean(each.cpu for each in audits) / workers
    figures = (
        Figure.of(
            "audit of a hand, one core", "ms", [each.cpu for each in audits],
            floor=median(each.floor for each in audits), floor_is=WITH_SIGNATURES,
        ),
        Figure.of(
            "audit of a hand / its counted work", "", [each.cpu / each.floor for each in audits],
            goal=GOAL,
        ),
        Figure.single("transcript of a hand, median", "kB", median(map(len, files)) / 1_000),
        *[
            Figure.single(
                f"archive of {size:,} hands, {workers} cores", "s", wall,
                floor=size * one / 1_000,
                floor_is="hands, each at its time on one core, spread over the cores",
            )
            for size, wall in zip(sizes, walls, strict=True)
        ],
        Figure.single("archive rate, all cores", "hands/s", sizes[-1] / walls[-1]),
    )  # fmt: skip
    curve = Curve(
        "archives",
        "hands in the archive",
        "milliseconds to audit a hand",
        {
            f"measured, {workers} cores": tuple(
                (float(size), 1_000 * wall / size) for size, wall in zip(sizes, walls, strict=True)
            ),
            "a hand on one core / cores": tuple((float(size), one) for size in sizes),
        },
        bars=True,
    )
    notes = (
        *late,
        f"archives hold copies of {len(files)} different hands, each audited anew",
        f"time a hand in the archive of {sizes[-1]:,} is"
        f" {(walls[-1] / sizes[-1]) / (walls[0] / sizes[0]):.2f} times that in the archive of"
        f" {sizes[0]}, which pays for the start of the workers",
    )
    return Part("audit", "Audits", figures, (curve,), notes)


def played_transcripts(hands: int) -> list[bytes]:
    """Play so many deals to their end, and return their transcripts."""
    table = TimedTable()
    found: dict[int, bytes] = {}
    while len(found) < hands:
        table.play(len(table.ended) + 1)
        number = table.ended[-1].number
        transcript = table.transcript(number)
        if transcript is not None:
            found[number] = transcript
    return list(found.values())


def _archive_seconds(paths: Sequence[Path], size: int, folder: Path, tell: Tell) -> float:
    """Return how long it takes by the clock to audit an archive, the workers' start included."""
    tell(f"an archive of {size:,} hands")
    archive = folder / f"archive-{size}"
    archive.mkdir()
    for number in range(size):
        shutil.copyfile(paths[number % len(paths)], archive / f"{number}.p304")
    names = sorted(str(path) for path in archive.iterdir())
    begun = time.perf_counter()
    with ProcessPoolExecutor(cores()) as pool:
        list(pool.map(audit_ms, names, chunksize=max(1, min(16, size // cores() // 4))))
    seconds = time.perf_counter() - begun
    shutil.rmtree(archive)
    return seconds
