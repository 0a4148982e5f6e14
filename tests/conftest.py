"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.cases import cases
from tests.forked import FORKS

# Thousands of tests are collected, and nothing of them is garbage; see pytest_collection_finish.
gc.disable()

# Where compiled modules are not kept, hundreds of processes compile the program anew, and every
# worker the tests: minutes in all.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Codes are told to this machine alone, and looked for nowhere else.
os.environ["P2P304_NEARBY"] = "127.0.0.1"

# A busy machine may stop a test anywhere, for seconds: how long an example takes says nothing. What
# is drawn follows the test's name, so that a run finds what the run before it found.
settings.register_profile(
    "tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")

# What tests import from beside them asserts as well. Rewritten, such an assert tells what was
# compared, and is still there under `python -O`.
for path in Path(__file__).parent.glob("*/**/[!_]*.py"):
    if not path.stem.startswith("test_"):  # those are rewritten anyway
        place = path.relative_to(Path(__file__).parents[1]).with_suffix("")
        pytest.register_assert_rewrite(".".join(place.parts))


#: The rooms whose tests `make quick` runs, but for those that start processes, and for these:
QUICK = ("client", "crypto", "rules", "table")

#: Files of whole hands, matches and campaigns: more than a second or two of one core each.
LASTING = {
    "client": """
        audit_command black_lady commands_tables ending match_end story
        rematch_tables rulings_told tournament_commands ui_app ui_commands
    """,
    "crypto": """
        mutations shuffle_statistics sigma
    """,
    "rules": """
        304_machine 304_matrix 41 bots called_partner caps notation search
    """,
    "table": """
        agreed_ends attacks called_partner_table cheats codes continuing forgetting
        internal_faults ledger lies phases recorded_hands rematch rulings same_cards
        session tournament_record tournament_results
    """,
}

#: Names in a module that show that its tests start processes or terminals.
PROCESSES = {
    *("ProcessPoolExecutor", "multiprocessing", "psutil", "pty", "run_program", "subprocess")
}


#: Rooms and files whose tests wait most of their time for other processes.
WAITING = (
    *("journeys", "matrix", "verifier"),
    *("test_conformance.py", "test_program.py", "test_seats.py"),
)

#: Files that take a quarter of a minute or more, which begin first, so that none is the last.
LONGEST = (
    *("test_guides", "test_tournament_play", "test_tables"),
    *("test_client_terminal", "test_rematch_tables"),
    *("test_vectors", "test_faults", "test_conformance", "test_sweep"),
)

#: Rooms and files whose tests share nothing that would have to be made for each worker again.
APART = ("journeys", "faults", "test_seats.py")


@cache
def room_of(path: Path) -> str:
    """Return the folder of tests/ that a file stands in."""
    return path.relative_to(Path(__file__).parent).parts[0]


@cache
def is_lasting(path: Path) -> bool:
    """Whether a file plays whole hands, matches or campaigns."""
    return path.stem.removeprefix("test_") in LASTING.get(room_of(path), "").split()


def ordered(items: list[pytest.Item]) -> list[pytest.Item]:
    """Let what takes longest begin first, so that no worker is left with it at the end."""

    def lasting(item: pytest.Item) -> int:
        return 2 * (item.path.stem in LONGEST) + is_lasting(item.path)

    return sorted(items, key=lasting, reverse=True)


@cache
def is_quick(path: Path, module: object) -> bool:
    """Whether `make quick` runs a file's tests: nothing but this process, for a short while."""
    if room_of(path) not in QUICK or is_lasting(path):
        return False
    return not PROCESSES & set(vars(module))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Ask for what `make test` has no time for."""
    parser.addoption("--long", action="store_true", help="run what is marked as long, too")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no file of whole hands for `make quick`, which runs none of its tests."""
    left_out = config.option.markexpr == "quick" and collection_path.suffix == ".py"
    return True if left_out and is_lasting(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is quick, leave out what is long unless it was asked for, and order the rest."""
    for item in items:
        if is_quick(item.path, getattr(item, "module", None)):
            item.add_marker("quick")
    left_out = [each for each in items if each.get_closest_marker("long")]
    if left_out and not config.getoption("--long"):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [each for each in items if not each.get_closest_marker("long")]
    if hasattr(
        config, "workerinput"
    ):  # one of several workers, which share the tests in their order
        items[:] = ordered(items)


def pytest_collection_finish() -> None:
    """Look for garbage less often, and never among thousands of tests: a tenth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell which case of a loop failed."""
    report = yield
    if report.failed and call.excinfo is not None and (told := "\n".join(cases(call.excinfo))):
        report.sections.append(("Cases", told))
    return report


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which not every run has
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all tests of a file to one worker, which makes what they share once, in our order.

    Of two workers, the second takes tests that wait for other processes, as long as there are some,
    and the first takes others: so the cores are never idle, nor are all of them waited for.
    """
    from xdist.scheduler import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            scope: str = super()._split_scope(nodeid)
            file = nodeid.partition("::")[0]
            alone = scope != nodeid or not {*APART}.isdisjoint(file.split("/"))
            return scope if alone else file

        def _assign_work_unit(self, node: Any) -> None:
            waits = int(node.gateway.id.removeprefix("gw")) % 2 == 1
            fitting = (each for each in self.workqueue if waiting(each) == waits)
            self.workqueue.move_to_end(next(fitting, next(iter(self.workqueue))), last=False)
            super()._assign_work_unit(node)

    if config.option.dist != "loadgroup":
        return None
    config.option.loadscopereorder = False
    return ByFile(config, log)


@cache
def waiting(scope: str) -> bool:
    """Whether the tests of a scope wait for other processes."""
    return not {*WAITING}.isdisjoint(scope.partition("::")[0].split("/"))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their length: what they hold may differ between workers."""
    return f"{argname}-of-{len(val)}" if isinstance(val, bytes | bytearray) else None


def pytest_configure(config: pytest.Config) -> None:
    """Let children hear Ctrl-C also where whoever started the tests had it ignored.

    Libraries remember what they computed, programs are forked, and no constants of the program's
    source are among the values that are drawn, but for a whole run.
    """
    shares_out = bool(getattr(config.option, "numprocesses", None))  # and runs no test itself
    if not config.getoption("--long") and not shares_out:
        from tests.remembered import remember_points, remember_signatures

        # What else a worker has imported must not decide what is drawn; to parse it takes time.
        vars(providers).update(_get_local_constants=providers.Constants)
        remember_points()
        remember_signatures()
        os.environ.setdefault(FORKS, "1")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
