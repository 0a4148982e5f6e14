"""Changes one operator, number or decision of the protocol at a time; some test must notice.

    python -m tests.mutants.run_mutants --count 60 --seed 7

cosmic-ray finds what can be changed in the proofs, cards, wire, ledger and tournament rooms. A
seeded sample of it is tried, each change in a copy of the tree and against the tests that are about
its room. What no test notices is a survivor: it stands in `survivors.md` with the reason, or the
status is 1.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice
from multiprocessing import Queue, get_context
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import mutate_code, use_mutation
from cosmic_ray.testing import run_tests
from cosmic_ray.work_item import TestOutcome

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = Path(__file__).with_name("survivors.md")
ROOMS: Final = ("proofs", "cards", "wire", "ledger", "tournament")
PYTEST: Final = f"{sys.executable} -m pytest -x -q -p no:cacheprovider"
CRYPTO: Final = "tests/crypto --deselect tests/crypto/test_shuffle_statistics.py"
TABLE: Final = "tests/table --deselect tests/table/test_forgetting.py"
HANDS: Final = "tests/table/test_recorded_hands.py tests/table/test_session.py"
LIES: Final = "tests/table/test_lies.py tests/table/test_cheats.py tests/table/test_deck_cheats.py"
VECTORS: Final = "tests/vectors/test_vectors.py tests/vectors/test_audited_names.py"


def _of_tables(*names: str) -> str:
    return " ".join(f"tests/table/test_{name}.py" for name in names)


STAGES: Final = {
    "proofs": (f"-m quick {CRYPTO}", CRYPTO, VECTORS),
    "cards": (f"-m quick {CRYPTO}", CRYPTO, HANDS, VECTORS, LIES),
    "wire": (
        _of_tables("encoding", "envelope", "messages", "charter", "contents", "identity", "words"),
        "tests/journeys/test_invite.py tests/table/test_lobby_strangers.py",
        VECTORS,
        HANDS,
        TABLE,
        "tests/fuzz",
    ),
    "ledger": (_of_tables("ledger", "tiny_game", "evidence"), HANDS, LIES, VECTORS, TABLE),
    "tournament": (
        _of_tables(
            "tournament_cheats",
            "contradicted_draws",
            "tournament_record",
            "records_united",
            "record_bounds",
            "tournament_results",
        ),
        VECTORS,
        "tests/client/test_tournament_commands.py tests/client/test_match_seat.py",
        "tests/journeys/test_tournament_draw.py tests/journeys/test_tournament_play.py",
    ),
}
"""What is run for a change in each room, the quickest first, until something fails."""

WITHIN: Final = 900.0
"""Seconds for a stage; a change that makes it last longer is noticed."""


class Mutant(NamedTuple):
    """One change: the module, cosmic-ray's operator, which of its places, and where that is."""

    path: str
    operator: str
    occurrence: int
    position: tuple[int, int]


class Verdict(NamedTuple):
    """What became of a mutant: the stage that noticed it, and the lines before and after."""

    mutant: Mutant
    stage: int | None
    line: int
    before: str
    after: str

    def told(self) -> str:
        """The mutant as the page names it."""
        return f"`{self.mutant.path}`: `{self.before}` → `{self.after}`"


def mutants() -> list[Mutant]:
    """Return all that can be changed in the rooms."""
    found = []
    for room in ROOMS:
        for path in sorted((ROOT / "protocol" / room).rglob("*.py")):
            tree = get_ast_from_path(path)
            for name in sorted(plugins.operator_names()):
                kind = plugins.get_operator(name)
                if kind.arguments():
                    continue  # it would need to be told what to put in place
                places = [p for node in ast_nodes(tree) for p in kind().mutation_positions(node)]
                inside = path.relative_to(ROOT).as_posix()
                found += [Mutant(inside, name, at, each[0]) for at, each in enumerate(places)]
    return found


def is_real(mutant: Mutant) -> bool:
    """Whether a change is of more than annotations, which nothing executes."""
    code = (ROOT / mutant.path).read_text("utf-8")
    changed = mutate_code(code, plugins.get_operator(mutant.operator)(), mutant.occurrence)
    if changed is None:
        return False
    try:
        return _executed(code) != _executed(changed)
    except SyntaxError:
        return False


def _executed(code: str) -> str:
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.dump(tree)


def sample(seed: int, count: int) -> Iterator[Mutant]:
    """Return so many mutants, each of another place; the same seed and tree give the same ones."""
    every = mutants()
    Random(seed).shuffle(every)
    places = {(each.path, each.position): each for each in every}
    return islice(filter(is_real, places.values()), count)


def copy_of(place: Path) -> Path:
    """Copy what is in the clone and the working tree into a folder of its own."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


def settle_in(places: Queue[str]) -> None:
    """Work in a copy of one's own, whose packages come before the installed ones."""
    place = places.get()
    os.chdir(place)
    os.environ["PYTHONPATH"] = place
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{place}/.hypothesis"


_passing: set[str] = set()
_failing: set[str] = set()


def tried(mutant: Mutant) -> Verdict:
    """Make the change here, and run stage after stage until a test fails that passes without it."""
    while True:
        verdict, failed = _run_stages(mutant)
        if not failed or failed in _passing:
            return verdict
        outcome, _ = run_tests(f"{PYTEST} {shlex.quote(failed)}", WITHIN)
        if outcome is TestOutcome.SURVIVED:
            _passing.add(failed)
            return verdict
        _failing.add(failed)


def _run_stages(mutant: Mutant) -> tuple[Verdict, str]:
    operator = plugins.get_operator(mutant.operator)()
    without = " ".join(f"--deselect {shlex.quote(each)}" for each in sorted(_failing))
    with use_mutation(Path(mutant.path), operator, mutant.occurrence) as (old, new):
        line, before, after = _difference(old, new)
        for number, stage in enumerate(STAGES[mutant.path.split("/")[1]], 1):
            outcome, said = run_tests(f"{PYTEST} {stage} {without}", WITHIN)
            if outcome is not TestOutcome.SURVIVED:
                failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
                return Verdict(mutant, number, line, before, after), "".join(failed[:1])
    return Verdict(mutant, None, line, before, after), ""


def _difference(old: str, new: str) -> tuple[int, str, str]:
    pairs = zip(old.split("\n"), new.split("\n"), strict=False)
    for number, (before, after) in enumerate(pairs, 1):
        if before != after:
            return number, before.strip(), after.strip()
    return 0, "", ""


def say(text: str) -> None:
    """A line of the report, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Try as many mutants as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="mutants to try")
    parser.add_argument("--seed", type=int, default=304)
    parser.add_argument("--seconds", type=float, default=7_200, help="then no mutant is begun")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    begun = time.monotonic()
    place = Path(tempfile.mkdtemp(prefix="p2p304-mutants-"))
    context = get_context("spawn")
    places: Queue[str] = context.Queue()
    for number in range(chosen.jobs):
        places.put(str(copy_of(place / f"{number}")))
    verdicts: list[Verdict] = []
    try:
        with ProcessPoolExecutor(chosen.jobs, context, settle_in, (places,)) as pool:
            drawn = sample(chosen.seed, chosen.count)
            kept = [each for each in drawn if each.path.split("/")[1] in chosen.rooms]
            waiting = [pool.submit(tried, each) for each in kept]
            for done in as_completed(waiting):
                if done.cancelled():
                    continue
                verdicts.append(done.result())
                stage = verdicts[-1].stage
                fate = "SURVIVED" if stage is None else f"noticed in stage {stage}"
                say(f"{len(verdicts):>4} {fate}, line {verdicts[-1].line}: {verdicts[-1].told()}")
                if time.monotonic() - begun > chosen.seconds:
                    for each in waiting:
                        each.cancel()
    finally:
        shutil.rmtree(place)
    page = PAGE.read_text("utf-8")
    survivors = [each for each in verdicts if each.stage is None]
    unknown = [each for each in survivors if each.told() not in page]
    say(
        f"seed {chosen.seed}: {len(verdicts)} mutants in {time.monotonic() - begun:.0f} s;"
        f" {len(verdicts) - len(survivors)} noticed, {len(survivors)} survivors,"
        f" {len(unknown)} of them without a reason in {PAGE.relative_to(ROOT)}"
    )
    for each in unknown:
        say(f"  {each.told()}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
