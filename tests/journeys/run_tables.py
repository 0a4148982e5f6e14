"""Plays every game and profile of the registry, with open cards and among real processes.

`make tables` takes most of a day of one core, most of it for whole matches. For each table it

- plays deals with open cards (`tests.bots.duplicate`): every statement and disclosure is checked;
- measures a hand (`tests.bench.hand`);
- plays a match of bots in processes over a broker (`p2p304 demo`), compares all seats' files, has
  them audited by `p2p304 audit` and by the verifier in JavaScript, and tells a hand as a story.

    python -m tests.journeys.run_tables --parts open match --tables six24 41 --deals 20

The same seed deals the same cards. Ends with status 1 if anything failed, and with 2 if nothing
did, but a bound left a part or a match unfinished. A profile that the verifier in JavaScript does
not know is told, and no failure.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from protocol.errors import MalformedMessage
from protocol.transcript.file import contents_of
from tests.bench.hand import agreements
from tests.campaigns.frame import say

TOP: Final = Path(__file__).parents[2]
PROGRAM: Final = (str(Path(sys.executable).parent / "p2p304"),)
VERIFIER: Final = TOP / "verifier" / "node.mjs"
UNKNOWN: Final = ("charter.game fails", "charter.profile fails")
"""What the verifier says of a game or of rules that it does not know."""
PARTS: Final = ("open", "bench", "match")
GRACE: Final = 60.0
"""Seconds for a demonstration that was interrupted to end its processes."""


class Row(NamedTuple):
    """What became of one part at one table."""

    text: str
    failed: bool = False
    bound: bool = False
    """Whether a bound ended it early."""
    story: tuple[str, ...] = ()
    """A hand of it, told."""


class Table(NamedTuple):
    """A game under a profile; "" where the game has none."""

    game: str
    profile: str

    @property
    def name(self) -> str:
        """The profile, or the game that has none."""
        return self.profile or self.game

    @property
    def options(self) -> tuple[str, ...]:
        """What asks the program for it."""
        return "--game", self.game, *(("--profile", self.profile) if self.profile else ())


def run(*arguments: str, seconds: float) -> tuple[int | None, str, str]:
    """Return status, output and errors of a command; no status if it had to be interrupted."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        status: int | None = None
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        texts = []
        for each in (out, err):
            each.seek(0)
            texts.append(each.read())
        return status, texts[0], texts[1]


def with_open_cards(table: Table, deals: int, seed: int, seconds: float) -> Row:
    """Play so many hands with open cards."""
    status, out, err = run(
        *(sys.executable, "-m", "tests.bots.duplicate", "steady", "random", *table.options),
        *("--deals", f"{deals}", "--seed", f"{seed}"),
        seconds=seconds,
    )
    if status is None:
        return Row("not finished in the time", bound=True)
    if status:
        return Row(f"FAILED with {status}: {err.strip()[-600:]}", failed=True)
    return Row(f"{out.splitlines()[-1]}; all checks passed")


def measured(table: Table, seconds: float) -> Row:
    """Measure one hand."""
    status, out, err = run(
        sys.executable, "-m", "tests.bench.hand", table.game, table.profile, seconds=seconds
    )
    if status is None:
        return Row("not finished in the time", bound=True)
    if status:
        return Row(f"FAILED with {status}: {err.strip()[-600:]}", failed=True)
    found = json.loads(out)
    return Row(
        f"{found['seats']} seats, {found['cpu_s_per_seat']:.2f} s a seat,"
        f" {found['messages']} messages, transcript {found['transcript_bytes'] / 1000:.0f} kB,"
        f" audit {found['audit_ms']:.0f} ms"
    )


class Compared(NamedTuple):
    """The seats' files of a match, hand by hand."""

    files: tuple[Path, ...]
    """One seat's file of each hand that all seats have."""
    identical: int
    """Hands of which all files are the same bytes."""
    missing: int
    """Hands of which a seat has no file."""
    different: int
    """Hands of which files differ in more than the signatures under the result."""


def alike(data: bytes) -> bytes:
    """Return what the files of honest seats have alike; the file itself if it is none."""
    try:
        return contents_of(data)
    except MalformedMessage:
        return data


def compared(place: Path, seats: int) -> Compared:
    """Compare the files that so many seats have below `place`, each in a folder of its own."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(place.glob("*/tables/*/*.p304")):
        found[path.name].append(path)
    whole = [paths for _, paths in sorted(found.items()) if len(paths) == seats]
    contents = [{path.read_bytes() for path in paths} for paths in whole]
    return Compared(
        tuple(paths[0] for paths in whole),
        sum(len(each) == 1 for each in contents),
        len(found) - len(whole),
        sum(len(each) > 1 and len({*map(alike, each)}) > 1 for each in contents),
    )


def audited(files: Sequence[Path]) -> tuple[str, bool, list[str]]:
    """What `p2p304 audit` says of all files, whether any is invalid, and a hand's story."""
    names = [str(path) for path in files]
    status, out, err = run(*PROGRAM, "audit", "--json", "--jobs", "1", *names, seconds=3_600)
    try:
        found = json.loads(out)
    except json.JSONDecodeError:
        return f"audit ended with {status}: {err.strip()[-300:]}", True, []
    valid = sum(each["valid"] for each in found)
    broken = Counter(each["broken"]["check"] for each in found if each.get("broken"))
    text = f"{valid} of {len(files)} valid" + "".join(f", {k} x{v}" for k, v in broken.items())
    stories = []
    for name, each in zip(names, found, strict=True):
        _, told, _ = run(*PROGRAM, "audit", "--explain", name, seconds=600)
        story = told.split("\ncontents:")[0].splitlines()
        summary = each["hands"][0]["summary"] if each.get("hands") else None
        if summary not in story:
            return f"{text}; {name} is told without its end, {summary!r}", True, story
        stories.append(story)
        if any(line.startswith("Trick ") for line in story):
            break
    return text, status != 0 or valid != len(files), stories[-1]


def verified(files: Sequence[Path]) -> tuple[str, bool]:
    """What the verifier in JavaScript says of all files, and whether that is a failure."""
    node = shutil.which("node")
    if node is None:
        return "no node here", False
    names = [str(path) for path in files]
    _, out, err = run(node, str(VERIFIER), "check", *names, seconds=3_600)
    said = Counter(line.rsplit('": ', 1)[-1] for line in out.splitlines())
    if said["valid"] == len(files):
        return f"node: {len(files)} valid", False
    told = ", ".join(f"{what} x{count}" for what, count in said.items()) or err.strip()[-300:]
    if said and set(said) <= set(UNKNOWN):
        return f"node does not know it ({told})", False
    return f"node: {told}", True


def with_processes(table: Table, hands: int, seed: int, seconds: float) -> Row:
    """Play a match among processes, and have a hand of it told."""
    place = Path(tempfile.mkdtemp(prefix="p2p304-tables-"))
    status, _, err = run(
        *(*PROGRAM, "demo", *table.options, "--seed", f"{seed}", "--hands", f"{hands}"),
        *("--json", "--out", str(place / "table")),
        seconds=seconds,
    )
    homes = [path for path in (place / "table").glob("*") if path.is_dir()]
    found = compared(place / "table", len(homes))
    text, invalid, story = audited(found.files) if found.files else ("no hand", False, [])
    other, refused = verified(found.files) if found.files else ("", False)
    played = len(found.files)
    cut = status is None or played >= hands
    failed = bool(status) or invalid or refused or found.different > 0
    failed = failed or (status is not None and (found.missing > 0 or not played))
    how = "cut short by a bound" if cut else "whole match"
    told = f"{how}: {played} hands by {len(homes)} processes, {found.identical} identical"
    told += f", {found.different} DIFFERENT" * (found.different > 0)
    told += f", {found.missing} not with all seats" * (found.missing > 0)
    told += f"; audit: {text}; {other}" + f"; {err.strip()[-600:]}" * bool(status)
    if failed:
        told += f"; kept in {place}"
    else:
        shutil.rmtree(place)
    return Row(("FAILED: " if failed else "") + told, failed, cut, story=tuple(story))


def main() -> int:
    """Play what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--tables", nargs="+", default=(), help="these profiles and games alone")
    parser.add_argument("--deals", type=int, default=1_000, help="hands with open cards")
    parser.add_argument("--hands", type=int, default=150, help="the most of a match")
    parser.add_argument("--match-seconds", type=float, default=7_200, help="the most of a match")
    parser.add_argument("--seconds", type=float, default=86_400, help="then all ends")
    parser.add_argument("--seed", type=int, default=304)
    chosen = parser.parse_args()
    tables = [table for each in agreements() if (table := Table(*each))]
    if chosen.tables:
        if unknown := {*chosen.tables} - {table.name for table in tables}:
            parser.error(f"no such tables: {', '.join(sorted(unknown))}")
        tables = [table for table in tables if table.name in chosen.tables]
    end = time.monotonic() + chosen.seconds
    rows: list[Row] = []

    def made(part: str, table: Table) -> Row:
        left = end - time.monotonic()
        if left <= 0:
            return Row("not begun: the time was up", bound=True)
        if part == "open":
            return with_open_cards(table, chosen.deals, chosen.seed, left)
        if part == "bench":
            return measured(table, left)
        most = min(left, chosen.match_seconds)
        return with_processes(table, chosen.hands, chosen.seed, most)

    for part in chosen.parts:
        for table in tables:
            begun = time.monotonic()
            row = made(part, table)
            rows.append(row)
            say(f"{part:5} {table.name:14} {row.text}; {time.monotonic() - begun:,.0f} s")
            for line in row.story:
                say(f"      | {line}")
    failed, cut = sum(row.failed for row in rows), sum(row.bound for row in rows)
    say(f"{len(rows)} rows: {failed} failed, {cut} cut short by a bound")
    return 1 if failed else 2 if cut else 0


if __name__ == "__main__":
    sys.exit(main())
