"""Plants every mutant in a private copy of the tree and tells which no test notices.

`make mutants` runs all; `python tests/crypto/run_mutants.py shuffle deck` those of some files, and
`--jobs N` so many at a time. The exit status is 1 if one survives or does not apply any more.
The copy holds everything the tests read (specs too), and is green before any mutant is planted.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tests.crypto.mutants import CORE, TESTS, Mutant  # noqa: E402
from tests.crypto.mutants_of_cards import CARDS  # noqa: E402
from tests.crypto.test_card_verifier_mutants import MUTANTS  # noqa: E402

BROKEN = ("E   NameError", "E   ImportError", "E   UnboundLocalError", "E   IndentationError")
"""Errors by which a mutant shows that it is none: it would fail whatever the tests do."""

SECONDS = 600
"""For the tests of one mutant. One that takes longer has not been noticed, as far as we know."""


def all_mutants() -> list[Mutant]:
    """Our own list, and that of the card verifier."""
    found = [*CORE, *CARDS]
    for each in MUTANTS:
        file, reason = Path(each.path).stem, each.name.split(": ", 1)[1]
        tests = tuple(Path(test).stem for test in each.tests)
        found.append(Mutant(file, each.old, each.new, reason, tests, everywhere=True))
    return found


def paths_of(mutant: Mutant) -> list[str]:
    """Paths of the tests that should notice, each once."""
    names = dict.fromkeys((*mutant.tests, *TESTS.get(mutant.file, ())))
    return [f"tests/crypto/{name}.py" for name in names]


def copy_of_the_tree(folder: Path) -> Path:
    """A copy of all that the tests of this layer read."""
    junk = shutil.ignore_patterns("__pycache__", ".*_cache", "*.pyc")
    for part in ("p2p304", "protocol", "cli", "specs", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=junk)
    for file in ("pyproject.toml", "README.md", "Makefile"):
        shutil.copy(ROOT / file, folder)
    return folder


def run(tree: Path, tests: Sequence[str], seconds: int = SECONDS) -> tuple[int, str]:
    """The exit status and output of the tests in a tree; 124 if they took too long."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree),
        # The drafts' vectors lie beside the repository, and the copy does not.
        "IRTF_SIGMA_VECTORS": os.environ.get(
            "IRTF_SIGMA_VECTORS", str(ROOT.parent / "shared/vectors/irtf-sigma")
        ),
    }
    options = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=tree, env=environment, capture_output=True, text=True, check=False,
            timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 124, "took too long"
    return done.returncode, done.stdout


def planted(honest: str, mutant: Mutant) -> str:
    """The file's text with the mutant in it; raises ValueError if it does not apply."""
    if mutant.original not in honest or mutant.original == mutant.replacement:
        raise ValueError("does not apply")
    count = -1 if mutant.everywhere else 1
    text = honest.replace(mutant.original, mutant.replacement, count)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise ValueError(f"does not parse: {error}") from None
    return text


def write(path: Path, text: str) -> None:
    """Writes a module and forgets its compiled form, which is found by second and size alone."""
    path.write_text(text, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def judge(tree: Path, mutant: Mutant) -> str:
    """What is wrong with the mutant's fate; "" if a test noticed it."""
    path = tree / "protocol" / f"{mutant.file}.py"
    honest = path.read_text(encoding="utf-8")
    try:
        write(path, planted(honest, mutant))
    except ValueError as error:
        return str(error)
    try:
        status, output = run(tree, paths_of(mutant))
    finally:
        write(path, honest)
    if any(error in output for error in BROKEN):
        return "is broken"
    if status == 124:
        return "TOOK TOO LONG"
    # 1: a test failed; 2: one failed while it was collected, where proofs are made already;
    # below 0: the library stopped the process.
    return "" if status in (1, 2) or status < 0 else f"SURVIVED (status {status})"


def say(line: str) -> None:
    """One line for the person who waits."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Judges the mutants and prints those that survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="modules of protocol/; all if none is named")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    options = parser.parse_args()
    names = dict.fromkeys(each.file for each in all_mutants())
    unknown = set(options.files) - set(names)
    if unknown:
        parser.error(f"no mutants of {', '.join(sorted(unknown))}; there are of {', '.join(names)}")
    mutants = [each for each in all_mutants() if not options.files or each.file in options.files]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="p2p304-mutants-") as folder:
        trees: Queue[Path] = Queue()
        for job in range(options.jobs):
            trees.put(copy_of_the_tree(Path(folder) / str(job)))
        everything = sorted({test for mutant in mutants for test in paths_of(mutant)})
        first = trees.get()
        status, output = run(first, everything, 4 * SECONDS)
        trees.put(first)
        if status != 0:
            say(f"the tests fail without any mutant:\n{output[-3000:]}")
            return 1
        say(f"{len(everything)} test modules are green without a mutant; {len(mutants)} mutants")

        def one(mutant: Mutant) -> str:
            tree = trees.get()
            try:
                fate = judge(tree, mutant)
            finally:
                trees.put(tree)
            if fate:
                say(f"{fate}: {mutant.file}: {mutant.reason}: {mutant.original.strip()[:70]!r}")
            return fate

        with ThreadPoolExecutor(options.jobs) as pool:
            fates = list(pool.map(one, mutants))
    bad = sum(1 for fate in fates if fate)
    say(f"{len(mutants)} mutants, {bad} not noticed, {time.monotonic() - started:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
