"""Changes one operator, number or decision of the protocol at a time; some test must notice.

    python -m tests.campaigns.mutants.run_mutants --count 60 --seed 7

cosmic-ray finds what can be changed in the proofs, cards, wire, table and tournament rooms. A
seeded sample of it is tried, each change in a copy of the tree, against the tests that import its
module first and then against those that are about its room. What no test notices is a survivor: it
stands in `survivors.md` with the reason, or the status is 1. A run that was cut short is gone on
with by `--first`.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.util import cache_from_source
from itertools import islice
from multiprocessing import Queue
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import mutate_code, use_mutation

from tests.campaigns.frame import asked, say
from tests.campaigns.mutants.stages import STAGES

ROOT: Final = Path(__file__).resolve().parents[3]
PAGE: Final = Path(__file__).with_name("survivors.md")
#: What a copy of the tree does without.
LEFT_BEHIND: Final = (".git", ".venv", ".*_cache", ".fuzz", ".matrix", "__pycache__", "build")


#: Half of what a file consists of, and nothing that an operator changes.
UNCHANGED: Final = {"name", "string", "newline", "endmarker"}

#: Seconds of the processor for one stage: more than any takes that comes to an end.
MOST: Final = 1_200


class Mutant(NamedTuple):
    """One change: the module, cosmic-ray's operator, which of its places, and where that is."""

    path: str
    operator: str
    occurrence: int
    position: tuple[int, int]


class Verdict(NamedTuple):
    """What became of a mutant: the test that noticed it, or None, and its line before and after."""

    mutant: Mutant
    noticed: str | None
    line: int
    before: str
    after: str

    def told(self) -> str:
        """The mutant as the page names it."""
        return f"`{self.mutant.path}`: `{self.before}` → `{self.after}`"


def mutants(rooms: Collection[str]) -> list[Mutant]:
    """Return all that can be changed in the rooms."""
    operators = {name: plugins.get_operator(name) for name in sorted(plugins.operator_names())}
    found = []
    for path in sorted(each for room in rooms for each in (ROOT / "protocol" / room).rglob("*.py")):
        nodes = [each for each in ast_nodes(get_ast_from_path(path)) if each.type not in UNCHANGED]
        inside = path.relative_to(ROOT).as_posix()
        for name, kind in operators.items():
            if kind.arguments():
                continue  # it would need to be told what to put in place
            places = [place for node in nodes for place in kind().mutation_positions(node)]
            found += [Mutant(inside, name, at, each[0]) for at, each in enumerate(places)]
    return found


def is_real(mutant: Mutant) -> bool:
    """Whether a change is of more than annotations, which nothing executes."""
    code = (ROOT / mutant.path).read_text("utf-8")
    changed = mutate_code(code, plugins.get_operator(mutant.operator)(), mutant.occurrence)
    try:
        return changed is not None and _executed(code) != _executed(changed)
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


def sample(seed: int, count: int, rooms: Collection[str], first: int = 0) -> Iterator[Mutant]:
    """Return so many mutants from the first on, each of another place.

    The same seed, tree and rooms give the same ones.
    """
    every = mutants(rooms)
    Random(seed).shuffle(every)
    places = {(each.path, each.position): each for each in every}
    return islice(filter(is_real, places.values()), first, first + count)


def stages(path: str) -> tuple[str, ...]:
    """Return the tests for a change of a module, as pytest's arguments: those that name it, the
    shortest files first, and then those of its room."""
    module = re.compile(rf"\b{re.escape(path.removesuffix('.py').replace('/', '.'))}\b")
    files = [each for room in ("crypto", "table") for each in Path("tests", room).glob("test_*.py")]
    texts = {each.as_posix(): each.read_text("utf-8") for each in files}
    near = " ".join(sorted(filter(lambda each: module.search(texts[each]), texts),
                           key=lambda each: (len(texts[each]), each)))  # fmt: skip
    own = (f"-m quick {near}", f"-m 'not quick' {near}") if near else ()
    return (*own, *STAGES[path.split("/")[1]])


def failing(arguments: str, path: str) -> str | None:
    """Run tests of a module here, and return the first that fails: "" if none is named, None if all
    pass."""
    Path(cache_from_source(path)).unlink(missing_ok=True)  # of the same second and length, perhaps
    tests = f"-m pytest -x -q -p no:cacheprovider {arguments}"
    run = subprocess.run(
        f"ulimit -t {MOST}; exec {shlex.quote(sys.executable)} {tests}",
        shell=True,
        env={**os.environ, "PYTHONPATH": os.getcwd(), "TMPDIR": os.getcwd()},  # noqa: PTH109
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if run.returncode in (0, 5):  # all have passed, or there was none
        return None
    if run.returncode == 4 and "while loading conftest" not in run.stderr:
        raise RuntimeError(f"pytest {arguments}: {run.stderr[-2_000:]}")
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", run.stdout, re.MULTILINE)
    return named[1] if named else ""


def settle_in(places: Queue[str]) -> None:
    """Work in a copy of one's own."""
    os.chdir(places.get())


def tried(mutant: Mutant) -> Verdict:
    """Make the change here, and run stage after stage until a test fails that passes without it."""
    path, operator = Path(mutant.path), plugins.get_operator(mutant.operator)()
    without = ""
    while True:
        old = path.read_text("utf-8")
        with use_mutation(path, operator, mutant.occurrence):
            new = path.read_text("utf-8")
            runs = (failing(each + without, mutant.path) for each in stages(mutant.path))
            failed = next((each for each in runs if each is not None), None)
        if not failed or failing(shlex.quote(failed), mutant.path) is None:
            pairs = zip(old.split("\n"), new.split("\n"), strict=False)
            differ = (number for number, (one, other) in enumerate(pairs) if one != other)
            line = next(differ, 0)
            texts = (text.split("\n")[line].strip() for text in (old, new))
            return Verdict(mutant, failed, line + 1, *texts)
        without += f" --deselect {shlex.quote(failed)}"


def main() -> int:
    """Try as many mutants as the command line says."""
    chosen = asked(
        __doc__,
        STAGES,
        count=(300, "mutants to try"),
        first=(0, "the number of the first of them"),
        seed=(304, "of the sample"),
        seconds=(7_200.0, "then no mutant is begun"),
        jobs=(os.cpu_count() or 1, "mutants at a time"),
    )
    begun, verdicts = time.monotonic(), list[Verdict]()
    places: Queue[str] = Queue()
    with tempfile.TemporaryDirectory(prefix="p2p304-mutants-") as place:
        for number in range(chosen.jobs):
            copy = shutil.copytree(
                ROOT, Path(place, f"{number}"), ignore=shutil.ignore_patterns(*LEFT_BEHIND)
            )
            places.put(str(copy))
        with ProcessPoolExecutor(chosen.jobs, None, settle_in, (places,)) as pool:
            kept = sample(chosen.seed, chosen.count, chosen.parts, chosen.first)
            waiting = [pool.submit(tried, each) for each in kept]
            for done in as_completed(waiting):
                if done.cancelled():
                    continue
                verdicts.append(done.result())
                by = verdicts[-1].noticed
                fate = "SURVIVED" if by is None else f"noticed by {by or 'a run that ended'}"
                say(f"{len(verdicts):>4} line {verdicts[-1].line}: {verdicts[-1].told()}: {fate}")
                if time.monotonic() - begun > chosen.seconds:
                    for each in waiting:
                        each.cancel()
    survivors = [each for each in verdicts if each.noticed is None]
    unknown = [each for each in survivors if each.told() not in PAGE.read_text("utf-8")]
    say(
        f"seed {chosen.seed}: {len(verdicts)} mutants in {time.monotonic() - begun:.0f} s;"
        f" {len(verdicts) - len(survivors)} noticed, {len(survivors)} survivors,"
        f" {len(unknown)} of them without a reason in {PAGE.relative_to(ROOT)}"
    )
    say(*(f"  {verdict.told()}" for verdict in unknown))
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
