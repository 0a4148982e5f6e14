"""Changes one operator, number or decision of the protocol at a time; some test must notice.

    python -m tests.campaigns.mutants.run_mutants --count 60 --seed 7

cosmic-ray finds what can be changed in the proofs, cards, wire, ledger and tournament rooms. A
seeded sample of it is tried, each change in a copy of the tree, against the tests that import its
module first and then against those that are about its room. What no test notices is a survivor: it
stands in `survivors.md` with the reason, or the status is 1. A run that was cut short is gone on
with by `--first`.
"""

from __future__ import annotations

import argparse
import ast
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from importlib.util import cache_from_source
from itertools import islice
from multiprocessing import Queue, get_context
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import mutate_code, use_mutation

from tests.campaigns.mutants.fork import ROOT, failing, import_what_is_not_ours

PAGE: Final = Path(__file__).with_name("survivors.md")
ROOMS: Final = ("proofs", "cards", "wire", "ledger", "tournament")
CRYPTO: Final = "tests/crypto --deselect tests/crypto/test_shuffle_statistics.py"
TABLE: Final = "tests/table --deselect tests/table/test_forgetting.py"
HANDS: Final = "tests/table/test_recorded_hands.py tests/table/test_session.py"
LIES: Final = "tests/table/test_lies.py tests/table/test_cheats.py tests/table/test_deck_cheats.py"
VECTORS: Final = " ".join(
    f"tests/vectors/test_{name}.py" for name in ("specification", "audited_names", "vectors")
)


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
        "tests/campaigns/fuzz",
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
"""What is run for a change in each room after the tests of its module, the quickest first, until
something fails."""

UNCHANGED: Final = {"name", "string", "newline", "endmarker"}
"""Half of what a file consists of, and nothing that an operator changes."""

NEAR: Final = ("crypto", "table")
"""Rooms of the tests that a module may have for itself."""


class Mutant(NamedTuple):
    """One change: the module, cosmic-ray's operator, which of its places, and where that is."""

    path: str
    operator: str
    occurrence: int
    position: tuple[int, int]


class Verdict(NamedTuple):
    """What became of a mutant: what noticed it, or None, and the lines before and after.

    `cpu` is what it took, in seconds of the processor.
    """

    mutant: Mutant
    noticed: str | None
    line: int
    before: str
    after: str
    cpu: float

    def told(self) -> str:
        """The mutant as the page names it."""
        return f"`{self.mutant.path}`: `{self.before}` → `{self.after}`"


def mutants(rooms: Collection[str] = ROOMS) -> list[Mutant]:
    """Return all that can be changed in the rooms."""
    operators = {name: plugins.get_operator(name) for name in sorted(plugins.operator_names())}
    found = []
    for room in rooms:
        for path in sorted((ROOT / "protocol" / room).rglob("*.py")):
            every = ast_nodes(get_ast_from_path(path))
            nodes = [each for each in every if each.type not in UNCHANGED]
            inside = path.relative_to(ROOT).as_posix()
            for name, kind in operators.items():
                if kind.arguments():
                    continue  # it would need to be told what to put in place
                places = [p for node in nodes for p in kind().mutation_positions(node)]
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


def sample(
    seed: int, count: int, rooms: Collection[str] = ROOMS, first: int = 0
) -> Iterator[Mutant]:
    """Return so many mutants from the first on, each of another place.

    The same seed, tree and rooms give the same ones.
    """
    every = mutants(rooms)
    Random(seed).shuffle(every)
    places = {(each.path, each.position): each for each in every}
    return islice(filter(is_real, places.values()), first, first + count)


_passing: set[str] = set()
"""Tests that pass without a change, as those are known to that have noticed one."""
_failing: set[str] = set()
"""Tests that fail without any change."""
_noticing: Counter[str] = Counter()
"""How many changes the tests of a file have noticed."""


def stages(path: str) -> tuple[str, ...]:
    """Return the tests for a change of a module, the narrowest first, as pytest's arguments.

    Those come first that import the module: of files those that have noticed most, and then those
    that import the least of ours.
    """
    files = " ".join(sorted(_near(path), key=lambda each: -_noticing[each]))
    own = (f"-m quick {files}", f"-m 'not quick' {files}") if files else ()
    return (*own, *STAGES[path.split("/")[1]])


@cache
def _near(path: str) -> tuple[str, ...]:
    """Return the files of tests that import a module, those first that import the least of ours."""
    module = path.removesuffix(".py").replace("/", ".")
    tests = [each for room in NEAR for each in sorted((ROOT / "tests" / room).glob("test_*.py"))]
    near = [each for each in tests if module in _imported(each)]
    near.sort(key=lambda each: len(_imported(each)))
    return tuple(each.relative_to(ROOT).as_posix() for each in near)


@cache
def _imported(path: Path) -> frozenset[str]:
    """Return the names of ours that a file imports: modules, and what it takes out of them."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    ours = ("p2p304", "protocol", "cli")
    return frozenset(each for each in found if each.partition(".")[0] in ours)


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
    """Work in a copy of one's own."""
    os.chdir(places.get())
    import_what_is_not_ours()


def tried(mutant: Mutant) -> Verdict:
    """Make the change here, and run stage after stage until a test fails that passes without it."""
    before = _processor()
    while True:
        verdict = _run_stages(mutant)
        failed = verdict.noticed
        if failed and failed not in _passing:
            if failing(shlex.quote(failed), Path.cwd()) is not None:
                _failing.add(failed)
                continue
            _passing.add(failed)
        _noticing.update([failed.partition("::")[0]] if failed else [])
        return verdict._replace(cpu=_processor() - before)


def _run_stages(mutant: Mutant) -> Verdict:
    operator = plugins.get_operator(mutant.operator)()
    without = " ".join(f"--deselect {shlex.quote(each)}" for each in sorted(_failing))
    with use_mutation(Path(mutant.path), operator, mutant.occurrence) as (old, new):
        line, before, after = _difference(old, new)
        failed = None
        for stage in stages(mutant.path):
            _forget(mutant.path)
            failed = failing(f"{stage} {without}", Path.cwd())
            if failed is not None:
                break
    _forget(mutant.path)
    return Verdict(mutant, failed, line, before, after, 0.0)


def _forget(path: str) -> None:
    """Have a module compiled anew: another of the same second and length may lie there."""
    Path(cache_from_source(path)).unlink(missing_ok=True)


def _processor() -> float:
    """Return the seconds of the processor that were taken here, and by what was forked."""
    return sum(os.times()[:4])


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


def _tell(number: int, verdict: Verdict) -> None:
    by = verdict.noticed
    fate = "SURVIVED" if by is None else f"noticed by {by or 'a run that ended'}"
    say(f"{number:>4} line {verdict.line}: {verdict.told()}: {fate} ({verdict.cpu:.1f} s)")


def main() -> int:
    """Try as many mutants as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="mutants to try")
    parser.add_argument("--first", type=int, default=0, help="the number of the first of them")
    parser.add_argument("--seed", type=int, default=304)
    parser.add_argument("--seconds", type=float, default=7_200, help="then no mutant is begun")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS, help="of these alone")
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
            kept = sample(chosen.seed, chosen.count, chosen.rooms, chosen.first)
            waiting = [pool.submit(tried, each) for each in kept]
            for done in as_completed(waiting):
                if done.cancelled():
                    continue
                verdicts.append(done.result())
                _tell(len(verdicts), verdicts[-1])
                if time.monotonic() - begun > chosen.seconds:
                    for each in waiting:
                        each.cancel()
    finally:
        shutil.rmtree(place)
    page = PAGE.read_text("utf-8")
    survivors = [each for each in verdicts if each.noticed is None]
    unknown = [each for each in survivors if each.told() not in page]
    say(
        f"seed {chosen.seed}: {len(verdicts)} mutants in {time.monotonic() - begun:.0f} s,"
        f" {sum(each.cpu for each in verdicts):.0f} s of the processor;"
        f" {len(verdicts) - len(survivors)} noticed, {len(survivors)} survivors,"
        f" {len(unknown)} of them without a reason in {PAGE.relative_to(ROOT)}"
    )
    for each in unknown:
        say(f"  {each.told()}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
