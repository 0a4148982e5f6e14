"""Runs the fuzz targets under atheris, and tells how often, how fast, how far, and what broke.

`make fuzz` runs each target a million times or five minutes long, whichever comes first; `python -m
tests.campaigns.fuzz.run_fuzz --runs N --seconds S notation text` some of them. What was found worth
trying is kept in `.fuzz/NAME/corpus` for the next time, what broke in `.fuzz/NAME/`. The exit
status is 1 if anything broke.
"""

from __future__ import annotations

import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tests.campaigns.frame import asked, say
from tests.campaigns.fuzz.target import Target

ROOT = Path(__file__).resolve().parents[3]
PLACE = ROOT / ".fuzz"
SLOWEST = 10  #: Seconds after which one input is a finding; most take well under a millisecond.
MEGABYTES = 1_024  #: Of memory, after which the last input is a finding.


class Outcome(NamedTuple):
    """What came of fuzzing one target."""

    name: str
    runs: int
    seconds: int
    coverage: int
    corpus: int
    found: tuple[str, ...]

    def row(self) -> str:
        """The line of the table."""
        speed = self.runs / max(self.seconds, 1)
        said = " ".join(self.found) or "none"
        figures = f"{self.runs:>10,} {self.seconds:>8} {speed:>9,.0f} {self.coverage:>9,}"
        return f"{self.name:<12}{figures} {self.corpus:>7,}  {said}"


HEAD = "target            runs  seconds     per s  coverage  corpus  findings"


def fuzz(target: Target, runs: int, seconds: int, seed: int) -> Outcome:
    """Fuzz one target in a process of its own, because libFuzzer ends the process it is in."""
    name, modules = target.name, ",".join(target.plain)
    place = PLACE / name
    corpus = place / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    before = _broken(place)
    done = subprocess.run(
        [
            sys.executable, "-m", "tests.campaigns.fuzz.run_fuzz",
            "--inside", name, modules, str(corpus),
            f"-runs={runs}", f"-max_total_time={seconds}", f"-seed={seed}",
            f"-timeout={SLOWEST}", f"-rss_limit_mb={MEGABYTES}", f"-artifact_prefix={place}/",
            "-print_final_stats=1",
        ],
        cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
    )  # fmt: skip
    (place / "log").write_text(done.stderr, "utf-8")
    found = _broken(place) - before
    if done.returncode and not found:
        found = {f"exit status {done.returncode}, see {place}/log"}
    return Outcome(
        name,
        runs=_last(r"stat::number_of_executed_units:\s+(\d+)", done.stderr),
        seconds=_last(r"Done \d+ runs in (\d+) second", done.stderr),
        coverage=_last(r"cov: (\d+)", done.stderr),
        corpus=len(list(corpus.iterdir())),
        found=tuple(sorted(found)),
    )


def _broken(place: Path) -> set[str]:
    kinds = ("crash-", "timeout-", "oom-", "slow-unit-")
    return {path.name for path in place.iterdir() if path.name.startswith(kinds)}


def _last(pattern: str, text: str) -> int:
    numbers = re.findall(pattern, text)
    return int(numbers[-1]) if numbers else 0


def inside(name: str, modules: str, arguments: list[str]) -> None:
    """Be the fuzzer of one target; does not return."""
    import atheris  # type: ignore[import-untyped]  # needs the extra `fuzz`, which only this process does

    packages, excluded = ["p2p304", "protocol", "cli"], modules.split(",") if modules else []
    with atheris.instrument_imports(packages, excluded, enable_loader_override=False):
        from tests.campaigns.fuzz.targets import TARGETS  # imported under instruments
    target = TARGETS[name]
    corpus = Path(arguments[0])
    for seed in target.seeds():
        (corpus / sha256(seed).hexdigest()[:40]).write_bytes(seed)
    atheris.Setup([name, *arguments, f"-max_len={target.longest}"], target.check)
    atheris.Fuzz()


def main() -> int:
    """Fuzz what the command line names, one target after the other."""
    from tests.campaigns.fuzz.targets import TARGETS  # not before the fuzzer's instruments

    chosen = asked(
        __doc__,
        TARGETS,
        runs=(1_000_000, "of each target at the most"),
        seconds=(300, "for each target at the most"),
        seed=(304, "of the inputs"),
    )
    say(HEAD)
    broken = 0
    for name in chosen.parts:
        outcome = fuzz(TARGETS[name], chosen.runs, chosen.seconds, chosen.seed)
        say(outcome.row())
        broken += len(outcome.found)
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3], sys.argv[4:])
    sys.exit(main())
