"""Takes the defences of `specs/attacks.md` out one by one; a test of the row has to notice.

`make attacks` tries all; `python -m tests.table.run_attacks RU SH4` those of some sections or rows.
Each is planted in a private copy of the tree. The exit status is 1 if one is not noticed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tests.crypto.run_mutants import copy_of_the_tree, planted, say, write
from tests.table.defences import Defence
from tests.table.defences_of_rules import DEFENCES

PAGE = Path(__file__).parents[2] / "specs" / "attacks.md"
SECONDS = 240
BROKEN = re.compile(r"^E\s+(NameError|ImportError|UnboundLocalError|IndentationError)", re.M)
"""By which a tree shows that it fails whatever the tests look for."""


def tests_of(row: str) -> list[str]:
    """The tests that a row of the page names."""
    line = next(each for each in PAGE.read_text("utf-8").splitlines()
                if each.startswith(f"| {row} |"))  # fmt: skip
    return re.findall(r"`(tests/[^`]+)`", line)


def cases_of(defence: Defence) -> list[str]:
    """Those tests of its row that should notice, by their names."""
    return [each for each in tests_of(defence.row) if defence.case in each]


def run(tree: Path, tests: Sequence[str], seconds: int = SECONDS) -> tuple[int, str]:
    """The exit status and output of tests in a tree; 124 if they took too long."""
    options = ("-x", "-q", "--no-header", "-p", "no:cacheprovider")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True,
            check=False, timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 124, "took too long"
    return done.returncode, done.stdout


def judge(tree: Path, defence: Defence) -> str:
    """What is wrong with the fate of a tree without this defence; "" if a test noticed it."""
    path = tree / defence.path
    honest = path.read_text(encoding="utf-8")
    try:
        write(path, planted(honest, defence.mutant))
    except ValueError as error:
        return str(error)
    try:
        status, output = run(tree, cases_of(defence))
    finally:
        write(path, honest)
    if BROKEN.search(output):
        return "is broken"
    # A hand that goes on for ever because nobody stops it has been noticed as well.
    return "" if status in (1, 2, 124) else f"NOT NOTICED (status {status})"


def main() -> int:
    """Judges the defences and prints those whose absence nobody notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", help="sections or rows; all if none is named")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    options = parser.parse_args()
    chosen = [each for each in DEFENCES
              if not options.rows
              or {each.row, each.row.rstrip("0123456789")} & set(options.rows)]  # fmt: skip
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="p2p304-attacks-") as folder:
        trees: Queue[Path] = Queue()
        for job in range(options.jobs):
            trees.put(copy_of_the_tree(Path(folder) / str(job)))
        first = trees.get()
        status, output = run(
            first, sorted({test for each in chosen for test in cases_of(each)}), 8 * SECONDS
        )
        trees.put(first)
        if status != 0:
            say(f"the tests fail with every defence in place:\n{output[-3000:]}")
            return 1

        def one(defence: Defence) -> str:
            tree = trees.get()
            try:
                fate = judge(tree, defence)
            finally:
                trees.put(tree)
            if fate:
                say(f"{fate}: {defence.row}: {defence.path}: {defence.original.strip()[:70]!r}")
            return fate

        with ThreadPoolExecutor(options.jobs) as pool:
            fates = list(pool.map(one, chosen))
    bad = sum(1 for fate in fates if fate)
    say(f"{len(chosen)} defences, {bad} not noticed, {time.monotonic() - started:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
