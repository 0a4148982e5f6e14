"""The same program under other Pythons: without asserts, with msgpack in Python, 3.11 to 3.14.

`make matrix` compares each variant with the Python that runs this. Digests: vectors, saved hands,
answers, hands by seed, audits, refusals, the program's words and exit codes come out
the same, byte for byte (`tests/campaigns/matrix/digests.py`, which states nothing by
assert). Then it runs the tests: a part of them, or all with `--full`. Other Pythons are found as
`python3.12` and the like on PATH, or named: `--pythons /a/python3.12 /b/python3.13`. What is not
there is told and skipped. The exit status is 1 if anything differs or fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from tests.campaigns.frame import say

ROOT = Path(__file__).resolve().parents[3]
PLACE = ROOT / ".matrix"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TOOLS_OF_STYLE = ("mypy", "pyright", "ruff", "types-PyYAML")
PART = ("tests/crypto", "tests/rules", "tests/table", "tests/vectors", "tests/campaigns/fuzz")
SKIPPED = (
    "tests/rules/test_house.py",  # the tools of style, which are not installed here
)
SECONDS = 1_500


class Variant(NamedTuple):
    """A way to run the program: its name, its Python, what is set in its environment."""

    name: str
    python: str
    settings: dict[str, str] = {}  # noqa: RUF012 - never changed

    def run(self, *words: str, seconds: int = SECONDS) -> subprocess.CompletedProcess[str]:
        """A module of it, with these arguments."""
        return subprocess.run(
            [self.python, "-m", *words],
            cwd=ROOT, env={**os.environ, **self.settings}, capture_output=True, text=True,
            errors="replace", check=False, timeout=seconds, stdin=subprocess.DEVNULL
        )  # fmt: skip


# --- environments ---------------------------------------------------------------------------------


def version_of(python: str) -> str | None:
    """The version of a Python, such as 3.12.1; None where there is none."""
    code = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def others(named: list[str]) -> list[tuple[str, str]]:
    """Other Pythons and their versions; what is missing is told."""
    mine = ".".join(map(str, sys.version_info[:2]))
    wanted = named or [f"python{each}" for each in VERSIONS if each != mine]
    found = []
    for each in wanted:
        python = shutil.which(each)
        version = version_of(python) if python else None
        if python is None or version is None:
            say(f"skipped: there is no {each} here; name it with PYTHONS=/path/to/{each}")
        elif version.rpartition(".")[0] not in VERSIONS:
            say(f"skipped: {each} is Python {version}")
        else:
            found.append((python, version))
    return found


def environment(python: str, version: str, *, full: bool) -> str:
    """The Python of a private virtual environment with the program and the tests' tools in it."""
    place = PLACE / version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    tools: list[str] = project["optional-dependencies"]["dev"]
    if not full:
        tools = [each for each in tools if not each.startswith(TOOLS_OF_STYLE)]
    wanted = repr((project["dependencies"], tools)).encode()
    stamp = place / f"{sha256(wanted).hexdigest()[:16]}.stamp"
    inside = place / "bin" / "python"
    if not stamp.exists():
        subprocess.run([python, "-m", "venv", "--clear", str(place)], check=True)
        install = [str(inside), "-m", "pip", "install", "-qq", "--no-input"]
        subprocess.run(
            [*install, "--disable-pip-version-check", "-e", str(ROOT), *tools], check=True
        )
        stamp.touch()
    return str(inside)


def variants(named: list[str], *, full: bool) -> list[Variant]:
    """All variants; the first is what the others are compared with."""
    here = Variant("as it is", sys.executable)
    found = [
        here,
        Variant("python-O", sys.executable, {"PYTHONOPTIMIZE": "1"}),
        Variant("pure-msgpack", sys.executable, {"MSGPACK_PUREPYTHON": "1"}),
    ]
    for python, version in others(named):
        found.append(Variant(version, environment(python, version, full=full)))
    return found


# --- checks ---------------------------------------------------------------------------------------


def digests(variant: Variant) -> dict[str, Any]:
    """What `tests.campaigns.matrix.digests` tells under a variant."""
    done = variant.run("tests.campaigns.matrix.digests")
    if done.returncode:
        return {"digests": {}, "wrong": [f"digests ended with {done.returncode}: {_end(done)}"]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def differences(first: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """In what a variant differs from the first one, and from the specification's files."""
    names = {*first["digests"], *found["digests"]}
    return [
        *(f"{name}: another digest" for name in sorted(names)
          if first["digests"].get(name) != found["digests"].get(name)),
        *found["wrong"],
    ]  # fmt: skip


def is_in_force(variant: Variant, found: dict[str, Any]) -> list[str]:
    """What shows that a variant is not what its name says."""
    wrong = []
    if "PYTHONOPTIMIZE" in variant.settings and found.get("asserts") is not False:
        wrong.append("asserts are executed")
    if "MSGPACK_PUREPYTHON" in variant.settings and found.get("msgpack") != "msgpack.fallback":
        wrong.append("msgpack is not the one in Python")
    return wrong


def tests(variant: Variant, *, full: bool) -> tuple[str, list[str]]:
    """How many tests passed under a variant, and which did not."""
    words = ["pytest", "-q", "-p", "no:cacheprovider", "-n", str(os.cpu_count() or 1)]
    words += ["--dist", "loadgroup"]
    if not full:
        words += [*PART, *(f"--ignore={each}" for each in SKIPPED)]
    done = variant.run(*words)
    counts = re.findall(r"(\d+) (passed|failed|errors?|skipped)", done.stdout.strip()[-300:])
    told = ", ".join(f"{number} {word}" for number, word in counts) or f"ended {done.returncode}"
    failed = [line for line in done.stdout.split("\n") if line.startswith(("FAILED", "ERROR"))]
    if done.returncode and not failed:
        failed = [f"tests ended with {done.returncode}: {_end(done)}"]
    return told, failed


def _end(done: subprocess.CompletedProcess[str]) -> str:
    return " ".join((done.stdout + done.stderr).strip()[-400:].split())


def checked(variant: Variant, known: dict[str, Any], *, full: bool) -> bool:
    """Check one variant and tell what came of it; whether it is as it must be."""
    began = time.monotonic()
    found = digests(variant)
    counts, failed = tests(variant, full=full)
    wrong = is_in_force(variant, found) + differences(known, found) + failed
    equal = sum(known["digests"][name] == value for name, value in found["digests"].items())
    verdict = "NOT THE SAME" if wrong else "all as it must be"
    say(
        f"{variant.name:<13} {equal} of {len(known['digests'])} digests equal; tests: {counts};"
        f" {verdict}, {time.monotonic() - began:.0f} s"
    )
    say(*(f"  {each}" for each in wrong))
    return not wrong


def main() -> int:
    """Compare what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pythons", nargs="*", default=[], help="other Pythons, by name or path")
    parser.add_argument("--full", action="store_true", help="all tests, not a part of them")
    how = parser.parse_args()
    first, *rest = variants(how.pythons, full=how.full)
    part = "all" if how.full else f"{', '.join(PART)}, but no long ones and not SKIPPED"
    say(f"Python {sys.version.split()[0]} is compared with; tests: {part}")
    known = digests(first)
    say(*(f"  {first.name}: {each}" for each in known["wrong"]))
    judged = [checked(variant, known, full=how.full) for variant in rest]
    return 0 if all(judged) and not known["wrong"] else 1


if __name__ == "__main__":
    sys.exit(main())
