"""Processes that judge files side by side: one that the system ends takes one file with it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Final

from cli.auditing import FileAudit, audit_file
from cli.children import environment, own_module

_Process = subprocess.Popen[bytes]
_ENDED: Final = (
    "the process that read it was ended by {} (out of memory?): try it once more, with fewer --jobs"
)


class Judges:
    """At most so many processes, each with a file in hand; to be closed, whatever happens."""

    def __init__(self, processes: int) -> None:
        self._threads = ThreadPoolExecutor(processes)
        self._lock = Lock()
        self._all: set[_Process] = set()
        self._idle: list[_Process] = []
        self._closed = False

    def judge(self, files: Sequence[str]) -> list[Future[FileAudit]]:
        """Have the files judged, the first ones first."""
        return [self._threads.submit(self._judged, each) for each in files]

    def close(self) -> None:
        """End all processes at once, whatever they do."""
        with self._lock:
            self._closed = True
            for process in self._all:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in tuple(self._all):
            self._ended(process)

    def _judged(self, file: str) -> FileAudit:
        process = self._taken()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(file, process.stdin)
            process.stdin.flush()
            audit: FileAudit = pickle.load(process.stdout)  # noqa: S301 - of a process of ours
        except (OSError, EOFError, pickle.UnpicklingError):
            return FileAudit(file, None, unreadable=_reason(self._ended(process)))
        with self._lock:
            self._idle.append(process)
        return audit

    def _taken(self) -> _Process:
        with self._lock:
            if self._closed:
                raise InterruptedError
            while self._idle:
                process = self._idle.pop()
                if process.poll() is None:
                    return process
            process = subprocess.Popen(
                own_module("cli.judges"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment(),
                start_new_session=True,  # Ctrl-C is for us, who end it
            )
            self._all.add(process)
            return process

    def _ended(self, process: _Process) -> int:
        """Return the exit code of a process that is done with."""
        code = process.wait()
        with self._lock:
            self._all.discard(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return code


def _reason(code: int) -> str:
    """Return why there is no audit.

    Raises RuntimeError where the process ended by a fault of ours.
    """
    if code >= 0:
        raise RuntimeError(f"a process that judges files ended with exit code {code}")
    try:
        return _ENDED.format(signal.Signals(-code).name)
    except ValueError:  # one of the signals that have no name
        return _ENDED.format(f"signal {-code}")


def _serve() -> None:
    """Judge each file that is asked for, until nobody asks any more."""
    while True:
        try:
            file = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the process that started us
        except EOFError:
            return
        pickle.dump(audit_file(file), sys.stdout.buffer)
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        _serve()
    except BrokenPipeError:  # whoever asked is gone
        os._exit(0)
