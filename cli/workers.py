"""Worker processes that compute beside us: searches of bots, audits of files, trials.

Python computes one thing at a time: in the process of a seat a search would hold up moves, proofs
and the screen. A worker is spawned, so that it shares no memory with a seat. It is asked over a
pipe that no other process holds, and ends when that closes.
"""

from __future__ import annotations

import copyreg
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from threading import Lock
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, ParamSpec, Self, TypeVar

from cli.children import environment, import_uncollected, own_module
from cli.decision import Decision, think
from p2p304.bots.advice import Advice

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")


def _read_only(faces: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a read-only view of a dictionary: what a pickled MappingProxyType, which pickle
    cannot send as it is, becomes when it is read.
    """
    return MappingProxyType(faces)


# Views and states hold such dictionaries, and travel in questions and answers.
copyreg.pickle(MappingProxyType, lambda faces: (_read_only, (dict(faces),)))


class WorkerEnded(Exception):
    """The worker's process ended with this exit code before it answered."""

    def __init__(self, code: int) -> None:
        """Say that the process ended with the exit code `code`."""
        super().__init__(f"exit code {code}")
        self.code = code


class _Process(NamedTuple):
    """A worker's process, and our end of the pipe to it."""

    started: subprocess.Popen[bytes]
    pipe: Connection


class Worker:
    """One process that runs functions for us. It starts with the first call; leaving the context
    ends it.
    """

    #: The modules that the process imports before the first call.
    known: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self._process: _Process | None = None
        # One question at a time: answers have no names by which they could be told apart.
        self._lock = Lock()
        self.over = False  #: Whether `end` was called.

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self) -> None:
        """Start the process, if there is none, so that the first call need not wait for it; do
        nothing while a call is under way.

        Raises OSError if it cannot start.
        """
        if self._lock.acquire(blocking=False):  # while something is asked, there is one
            try:
                self._begin()
            finally:
                self._lock.release()

    def call(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Return the result of a module's function that the process calls, started first if there
        is none. Blocks, also while another thread's call is under way: call it in a thread.

        Raises the function's own error, WorkerEnded if the process ends before the answer or `end`
        was called, OSError if no process can start, and pickle's errors for arguments or results
        that cannot be sent.
        """
        # Before the lock, and before anything is sent: what cannot be pickled harms no worker.
        question = pickle.dumps((function, arguments, named))
        with self._lock:
            # Nobody wants the answer any more; 0, as no process has failed.
            if self.over:
                raise WorkerEnded(0)
            pipe = self._begin()
            try:
                # Once more: either `end` found the process that was started, or we find this.
                if self.over:
                    raise EOFError
                pipe.send_bytes(question)
                told = pipe.recv_bytes()
            # The process has ended, or was ended: half an answer is none.
            except (OSError, EOFError):
                raise WorkerEnded(self._end()) from None
        fine, found = pickle.loads(told)  # noqa: S301 - of a process of ours
        # An error of the function, raised here as if it had been called here.
        if not fine:
            raise found
        answer: T = found
        return answer

    def _begin(self) -> Connection:
        """Return our end of the pipe to the process, which is started now if there is none, or it
        has ended by itself.
        """
        if self._process is not None and self._process.started.poll() is None:
            return self._process.pipe
        self._end()
        ours, its = Pipe()
        with its:
            started = subprocess.Popen(
                own_module(__name__, str(its.fileno()), *self.known),
                pass_fds=(its.fileno(),),
                # Whatever prints there prints nowhere: a screen may be here.
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(),
                start_new_session=True,  # Ctrl-C is for us, who end it
            )
        self._process = _Process(started, ours)
        return ours

    def _end(self) -> int:
        """Close the pipe, end the process, and return its exit code; 0 without a process."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.pipe.close()
        # It may have closed its end and still run.
        process.started.terminate()
        # Waited for, so that no zombie is left.
        return process.started.wait()

    def end(self) -> None:
        """Terminate the process, whatever it computes, and wait for its end: a call under way, and
        each later one, raises WorkerEnded.
        """
        # First, as the thread of a call must know why the pipe broke.
        self.over = True
        if (process := self._process) is not None:
            process.started.terminate()  # a thread that waits for its answer reads the end
        # The lock comes free by that: the caller reads the end and gives up.
        with self._lock:
            self._end()


class Workers:
    """At most `count` worker processes, each with one call at a time; must be closed."""

    def __init__(self, count: int) -> None:
        """Allow `count` calls at the same time; a process starts when a call first needs it."""
        # Threads only wait for pipes, so Python's lock on the interpreter does not slow them.
        self._threads = ThreadPoolExecutor(count)
        self._all = tuple(Worker() for _ in range(count))
        # As many as threads: whichever thread has a call finds an idle one.
        self._idle = list(self._all)

    def submit(
        self, function: Callable[[A], T], given: A, *, lost: Callable[[A, int], T]
    ) -> Future[T]:
        """Queue a call of a module's function, first come first served; return a future of its
        result.

        If the process ends by itself, the result of this call is `lost(given, exit code)`; other
        calls are not affected.
        """
        return self._threads.submit(self._call, function, given, lost)

    def close(self) -> None:
        """Terminate all worker processes, whatever they compute, and wait for their end. Futures
        of queued calls are cancelled, and those of calls under way end with CancelledError.
        """
        for each in self._all:
            each.end()
        # What is still in the queue never begins.
        self._threads.shutdown(cancel_futures=True)

    def _call(self, function: Callable[[A], T], given: A, lost: Callable[[A, int], T]) -> T:
        """Call the function in an idle worker, and return its result; if the process ends by
        itself, return what `lost` makes of `given` and the exit code.

        Raises the function's error, and CancelledError after `close`.
        """
        # The last one back: its process is warm.
        worker = self._idle.pop()
        try:
            return worker.call(function, given)
        # Ended by us, or killed by the system: only one of them is a result.
        except WorkerEnded as end:
            if worker.over:
                raise CancelledError from None
            return lost(given, end.code)
        finally:
            self._idle.append(worker)


# Pickling fails with the last three, by what cannot be found on the other side.
#: The errors of a call where there is no process, or where it cannot import the game, as one that a
#: test made.
_NOT_THERE: Final = (
    OSError,
    WorkerEnded,
    pickle.PicklingError,
    ImportError,
    AttributeError,
    TypeError,
)


class Thinker(Worker):
    """A worker that answers Decisions; if there can be no process, it searches in this one."""

    # All that bots know: the first question does not wait for it.
    known = ("p2p304.bots.players",)

    def begin(self) -> None:
        """Start the process now, so that the first answer takes no longer than others; do
        nothing if no process can be started.
        """
        with suppress(OSError):  # else it thinks here
            super().begin()

    def ask(self, question: Decision) -> Advice:
        """Return the advice for a question, from the process, or from a search in this one if there
        is none. Blocks: call it in a thread.

        Raises ValueError if the seat of the view has nothing to decide, and WorkerEnded once `end`
        was called.
        """
        try:
            return self.call(think, question)
        # No process, or one that cannot be asked this: the same search runs here.
        except _NOT_THERE:
            # Nobody wants the answer any more: that is no missing process.
            if self.over:
                raise
            # Here, slower for everything else, rather than not at all.
            return think(question)


def _answer(question: bytes) -> bytes:
    """Call the function that a pickled question names; return pickled (True, result), or (False,
    error) if it raises or its result cannot be pickled.

    An error that cannot be pickled becomes a RuntimeError with its text.
    """
    try:
        function, arguments, named = pickle.loads(question)  # noqa: S301 - of who started us
        # Inside the `try`: a result that cannot be pickled is an error of this call.
        return pickle.dumps((True, function(*arguments, **named)))
    except Exception as error:  # noqa: BLE001 - whoever asked is told
        try:
            packed = pickle.dumps((False, error))
            # Read back once: some errors can be packed and not unpacked, as their makers take more.
            pickle.loads(packed)  # noqa: S301 - packed a line above
            return packed
        except Exception:  # noqa: BLE001 - an error that holds what cannot be sent
            return pickle.dumps((False, RuntimeError(repr(error))))


def main() -> None:
    """Answer the calls that come through the pipe whose descriptor the command line names, until
    the asking process closes it; before that import the modules that the command line names behind
    it.
    """
    number, *known = sys.argv[1:]
    for each in known:
        import_uncollected(each)
    # Our starter closed the pipe, or has died: nobody asks any more.
    with Connection(int(number)) as pipe, suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))


if __name__ == "__main__":
    # Not as `__main__`: what is pickled here names its module, such as `_read_only`.
    import_module("cli.workers").main()
