"""The parts of the benchmark that need no other process: cards, hands and audits."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from cli.auditing import audit_file
from cli.bench.cards import SIZES, shuffle_rounds
from cli.bench.counting import OperationCounter
from cli.bench.figures import Curve, Figure, Part, Tell, TimeBox
from cli.bench.floors import OperationCosts, SignatureCosts
from cli.bench.hand import NAMES, Quartet
from cli.bench.machine import cores
from cli.bench.statements import statement_timings
from cli.children import isolated_workers
from protocol.audit.transcript import hand_transcript
from protocol.places import Lane, LedgerName
from protocol.wire.authenticate import open_message
from protocol.wire.identity import Seal
from protocol.wire.messages import Notice

PROFILE: Final = "pagat"
OPERATIONS: Final = "counted group operations at their cost here"
WITH_SIGNATURES: Final = "counted group operations and signatures at their cost here"
CPU_GOAL_S: Final = 0.25
BYTES_GOAL_KB: Final = 60.0
AUDIT_GOAL_MS: Final = 150.0


def cards_part(*, quick: bool, tell: Tell) -> Part:
    """Measure shuffles of all sizes, and every kind of message about cards, made and judged."""
    rounds = 5 if quick else 21
    figures = []
    for count in (32,) if quick else SIZES:
        tell(f"shuffles of {count} cards")
        rows = shuffle_rounds(count, rounds=rounds)
        made = [row.remask_ms + row.prove_ms for row in rows]
        figures += [
            Figure.of(
                f"shuffle of {count} cards, made",
                "ms",
                made,
                floor=median(row.prove_ops_ms for row in rows),
                floor_is=OPERATIONS,
            ),
            Figure.of(
                f"shuffle of {count} cards, judged",
                "ms",
                [row.verify_ms for row in rows],
                floor=median(row.verify_ops_ms for row in rows),
                floor_is=OPERATIONS,
            ),
            Figure.single(f"shuffle of {count} cards, sent", "bytes", rows[0].step_bytes),
        ]
    tell("statements")
    costs = OperationCosts.measured()
    for name, each in statement_timings(rounds=rounds).items():
        figures += [
            Figure.of(f"{name}, {what}", "ms", values, floor=costs.of(count), floor_is=OPERATIONS)
            for what, values, count in (
                ("made", each.made, each.make_ops),
                ("judged", each.judged, each.judge_ops),
            )
        ]
    notes = (
        "one operation in microseconds: "
        + ", ".join(
            f"{name.replace('_', ' ')} {getattr(costs, name):.2f}" for name in costs.__slots__
        ),
    )
    return Part("cards", "Shuffles and statements, one thread", tuple(figures), notes=notes)


class _Hand(NamedTuple):
    """One deal of the quartet."""

    played: bool
    """whether a card was played: a deal may be passed out or refused"""
    cpu: float
    floor: float
    messages: int
    kilobytes: float


def hand_part(*, quick: bool, tell: Tell) -> Part:
    """Measure whole hands among four sessions in one process, hand by hand, everything proved."""
    deals = 6 if quick else 40
    tell(f"{deals} whole hands")
    quartet = Quartet(PROFILE)
    hands = [_one_hand(quartet, number) for number in range(deals)]
    played = [each for each in hands if each.played] or hands
    kinds, octets = _kinds(quartet)
    seal = Seal(secrets.token_bytes(32), quartet.charter.table)
    sealed = sum(
        len(seal.seal(raw, seat=0, entropy=secrets.token_bytes)) for _, raw in quartet.sent
    )
    figures = (
        Figure.of(
            "processor time a seat", "s", [each.cpu for each in played],
            floor=median(each.floor for each in played), floor_is=WITH_SIGNATURES, goal=CPU_GOAL_S,
        ),
        Figure.of("messages", "", [each.messages for each in played]),
        Figure.of("bytes", "kB", [each.kilobytes for each in played], goal=BYTES_GOAL_KB),
        Figure.single(
            "bytes, mean of all deals", "kB", _mean([each.kilobytes for each in hands]),
            goal=BYTES_GOAL_KB,
        ),
        Figure.single("sealed and padded, mean of all deals", "kB", sealed / deals / 1_000),
        *[
            Figure.single(f"{name}, mean of all deals", "kB", octets[name] / deals / 1_000)
            for name, _ in octets.most_common()
        ],
    )  # fmt: skip
    notes = (
        f"{deals} deals of 304 under {PROFILE} by bots, {len(played)} of them played: the others"
        " were passed out or refused; what bots think is not in the times",
        "messages, mean of all deals: "
        + ", ".join(f"{name} {number / deals:.1f}" for name, number in kinds.most_common()),
    )
    title = "A hand that is played, four sessions in one process"
    return Part("hand", title, figures, notes=notes)


def _one_hand(quartet: Quartet, number: int) -> _Hand:
    played = quartet.sessions[0].table_state.played
    cpu, sent = sum(quartet.spent), len(quartet.sent)
    with OperationCounter() as count:
        quartet.play(number + 1)
    operations, signatures = OperationCosts.measured(), SignatureCosts.measured()
    new = quartet.sent[sent:]
    signed_ms = len(new) * (signatures.sign + (len(NAMES) - 1) * signatures.check) / 1_000
    return _Hand(
        quartet.sessions[0].table_state.played > played,
        (sum(quartet.spent) - cpu) / len(NAMES),
        (operations.of(count) + signed_ms) / 1_000 / len(NAMES),
        len(new),
        sum(map(len, new)) / 1_000,
    )


def _kinds(quartet: Quartet) -> tuple[Counter[str], Counter[str]]:
    """Return how many messages of each kind, and their bytes before sealing."""
    kinds: Counter[str] = Counter()
    octets: Counter[str] = Counter()
    for _, raw in quartet.sent:
        message = open_message(raw, quartet.charter)
        content = message.content if isinstance(message, Notice) else message.message.content
        kinds[type(content).__name__] += 1
        octets[type(content).__name__] += len(raw)
    return kinds, octets


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
        audit_ms(str(paths[0]))
        times = [audit_ms(str(path)) for path in paths]
        floor = _audit_floor_ms(paths)
        walls: list[float] = []
        box = TimeBox()
        for size in sizes:
            if walls and walls[-1] * size / sizes[len(walls) - 1] > box.left:
                break
            walls.append(_archive_seconds(paths, size, Path(folder), tell))
    late = [f"an archive of {size:,} hands is left out: no time" for size in sizes[len(walls) :]]
    sizes = sizes[: len(walls)]
    rates = [size / wall for size, wall in zip(sizes, walls, strict=True)]
    workers = cores()
    figures = (
        Figure.of(
            "audit of a hand, one core", "ms", times,
            floor=floor, floor_is=WITH_SIGNATURES, goal=AUDIT_GOAL_MS,
        ),
        Figure.single("transcript of a hand, median", "kB", median(map(len, files)) / 1_000),
        *[
            Figure.single(
                f"archive of {size:,} hands, {workers} cores", "s", wall,
                floor=size * _mean(times) / 1_000 / workers,
                floor_is="hands, each at its time on one core, spread over the cores",
            )
            for size, wall in zip(sizes, walls, strict=True)
        ],
        Figure.single("archive rate, all cores", "hands/s", rates[-1]),
    )  # fmt: skip
    curve = Curve(
        "archives",
        "hands in the archive",
        "milliseconds to audit a hand",
        {
            f"measured, {workers} cores": tuple(
                (float(size), 1_000 * wall / size) for size, wall in zip(sizes, walls, strict=True)
            ),
            "a hand on one core / cores": tuple(
                (float(size), _mean(times) / workers) for size in sizes
            ),
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
    """Play so many hands among four sessions, and return their transcripts."""
    quartet = Quartet(PROFILE)
    found: dict[int, bytes] = {}
    while len(found) < hands:
        quartet.play(len(quartet.ended) + 1)
        table_state = quartet.sessions[0].table_state
        number = quartet.ended[-1].number
        if all(LedgerName(lane, number) in table_state.replicas for lane in (Lane.DECK, Lane.HAND)):
            found[number] = hand_transcript(table_state, number)
    return list(found.values())


def audit_ms(path: str) -> float:
    """Return milliseconds of processor time of one audit.

    Raises RuntimeError if it finds a fault.
    """
    begun = time.process_time()
    if not audit_file(path).valid:
        raise RuntimeError("an honest hand is audited as invalid")
    return 1_000 * (time.process_time() - begun)


def _audit_floor_ms(paths: Sequence[Path]) -> float:
    """Return the median of what the counted operations and signatures of an audit take."""
    operations, signatures = OperationCosts.measured(), SignatureCosts.measured()
    floors = []
    for path in paths:
        with OperationCounter() as count:
            audit = audit_file(str(path))
        assert audit.report is not None
        checks = audit.report.passed["signature"]
        floors.append(operations.of(count) + checks * signatures.check / 1_000)
    return median(floors)


def _archive_seconds(paths: Sequence[Path], size: int, folder: Path, tell: Tell) -> float:
    """Return seconds by the clock to audit an archive of so many hands, the workers' start
    included."""
    tell(f"an archive of {size:,} hands")
    archive = folder / f"archive-{size}"
    archive.mkdir()
    for number in range(size):
        shutil.copyfile(paths[number % len(paths)], archive / f"{number}.p304")
    names = sorted(str(path) for path in archive.iterdir())
    begun = time.perf_counter()
    with isolated_workers(), ProcessPoolExecutor(cores()) as pool:
        list(pool.map(audit_ms, names, chunksize=max(1, min(16, size // cores() // 4))))
    seconds = time.perf_counter() - begun
    shutil.rmtree(archive)
    return seconds


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
