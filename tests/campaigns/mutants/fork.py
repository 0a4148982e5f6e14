"""Runs tests in a process forked from this one, which has imported what is not ours.

So a run costs no start of Python and of pytest, and what it may take is counted in seconds of the
processor: on a busy machine nothing is noticed for being slow.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

ROOT: Final = Path(__file__).resolve().parents[3]
IMPORTED: Final = (
    *("_hypothesis_pytestplugin", "pytest_asyncio", "pytest_timeout", "xdist.plugin"),
    *(
        "hypothesis",
        "hypothesis.strategies",
        "hypothesis.stateful",
        "msgpack",
        "coincurve",
        "click",
    ),
    *("cryptography.hazmat.primitives.asymmetric.ed25519", "asyncio", "concurrent.futures"),
    *("cryptography.hazmat.primitives.ciphers.aead", "cryptography.hazmat.primitives.kdf.hkdf"),
)
"""What tests import and is not ours."""

MOST: Final = 120.0
"""Seconds of the processor for one test, or for finding the tests: several times what any takes."""

_PASSED: Final = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
_NAMED: Final = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_ENDLESS: Final = "FAILED %s - it takes more than %g seconds of the processor\n"


class _Limit:
    """Ends a run in which a test takes too much of the processor, and says which it was."""

    def __init__(self, said: int) -> None:
        """`said` is the descriptor of what a run says, which pytest does not capture."""
        self._said = said
        self._running = ""
        signal.signal(signal.SIGPROF, self._end)
        signal.setitimer(signal.ITIMER_PROF, MOST)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._running = nodeid
        signal.setitimer(signal.ITIMER_PROF, MOST)

    def _end(self, *_: Any) -> None:
        os.write(self._said, (_ENDLESS % (self._running, MOST)).encode())
        os._exit(pytest.ExitCode.TESTS_FAILED)


def import_what_is_not_ours() -> None:
    """Import it once, for all that is forked from here."""
    for name in IMPORTED:
        importlib.import_module(name)


def failing(arguments: str, place: Path) -> str | None:
    """Run tests in a copy of the tree, and return the first that fails; None if all pass.

    That is "" where a run ends without naming one. `arguments` are pytest's; a selection that holds
    no test passes. Raises RuntimeError for arguments that pytest does not understand.
    """
    sys.stdout.flush()
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            _run(shlex.split(arguments), place, said.fileno())
        status = os.waitpid(child, 0)[1]
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what its tests have left behind
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(status)
    if code in _PASSED:
        return None
    if code == pytest.ExitCode.USAGE_ERROR and "while loading conftest" not in text:
        raise RuntimeError(f"pytest {arguments}: {text[-2_000:]}")
    named = _NAMED.search(text)
    return named[1] if named else ""


def _run(arguments: list[str], place: Path, said: int) -> NoReturn:
    """Run tests in this process, which was forked for it, and end it."""
    code = int(pytest.ExitCode.INTERNAL_ERROR)
    try:
        os.setsid()
        for stream in (1, 2):
            os.dup2(said, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = sys.__stdout__ = os.fdopen(1, "w", closefd=False)
        sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, closefd=False)
        (place / "tmp").mkdir(exist_ok=True)
        os.environ |= {
            "PYTHONPATH": str(place),
            "TMPDIR": str(place / "tmp"),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(place / ".hypothesis"),
        }
        tempfile.tempdir = None
        os.chdir(place)
        sys.path[:] = [str(place), *(each for each in sys.path if Path(each).resolve() != ROOT)]
        for name in [each for each in sys.modules if each.partition(".")[0] == "tests"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *arguments], [_Limit(said)]))
        sys.stdout.flush()
    finally:
        os._exit(code)
