"""What holds for all tests."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Where compiled modules are not kept, hundreds of processes compile the program anew, and every
# worker the tests: minutes in all.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A busy machine may stop a test anywhere, for seconds: how long an example takes says nothing. What
# is drawn follows the test's name, so that a run finds what the run before it found.
settings.register_profile(
    "tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")

# What tests import from beside them asserts as well. Rewritten, such an assert tells what was
# compared, and is still there under `python -O`.
for path in Path(__file__).parent.glob("*/[!_]*.py"):
    if not path.stem.startswith("test_"):  # those are rewritten anyway
        pytest.register_assert_rewrite(f"tests.{path.parent.name}.{path.stem}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Ask for what `make test` has no time for."""
    parser.addoption("--long", action="store_true", help="run what is marked as long, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked as long, unless it was asked for."""
    if config.getoption("--long"):
        return
    left_out = [each for each in items if each.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [each for each in items if not each.get_closest_marker("long")]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their length: what they hold may differ between workers."""
    return f"{argname}-of-{len(val)}" if isinstance(val, bytes | bytearray) else None


def pytest_configure() -> None:
    """Children hear Ctrl-C also when whoever started the tests in the background had it ignored."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
