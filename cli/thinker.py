"""A process of our own in which bots and hints think, so that nothing else waits meanwhile.

Thought is computation, and Python computes one thing at a time: in the process of a seat it would
hold up moves, proofs and the screen. A thinker is asked one question after the other over a pipe
that nobody else holds; its end tells the process that it is not needed any more.
"""

from __future__ import annotations

import io
import pickle
import struct
import subprocess
import sys
from contextlib import suppress
from threading import Lock
from types import MappingProxyType
from typing import Any, BinaryIO, Final, Self

from cli.children import environment, imported, own_module
from cli.decision import Decision, answered
from p2p304.bots.advice import Advice

_LENGTH: Final = struct.Struct(">I")
_KNOWN: Final = "p2p304.bots.players"
"""What bots know, read by who needs it."""


class Thinker:
    """Asks a process that begins with the first question, or is told to before, so that the first
    answer takes no longer than others; where there can be none, thinks here.

    As a context it ends the process.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self) -> None:
        """Begin the process, which reads what bots know, if there is none yet. Never waits: while
        something is asked, there is one."""
        if self._lock.acquire(blocking=False):
            try:
                with suppress(OSError):  # else it thinks here
                    self._begun()
            finally:
                self._lock.release()

    def ask(self, question: Decision) -> Advice:
        """Return what the player would do. Blocks: to be called in a thread.

        Raises ValueError as `answered` does.
        """
        with self._lock:
            try:
                found = self._asked(_packed(question))
            except (OSError, EOFError, pickle.PicklingError, AttributeError, TypeError):
                self._ended()  # such as a game of a test, which nobody can import
                return answered(question)
        if isinstance(found, ValueError):
            raise found
        if found is None:
            return answered(question)
        advice: Advice = found
        return advice

    def _begun(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                own_module(__name__),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
                start_new_session=True,  # Ctrl-C is the seat's alone
            )
        return self._process

    def _asked(self, packed: bytes) -> Any:
        process = self._begun()
        assert process.stdin is not None
        assert process.stdout is not None
        _send(process.stdin, packed)
        return _loaded(_received(process.stdout))

    def _ended(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        process.terminate()
        process.wait()

    def end(self) -> None:
        """End the process, whatever it thinks about; the next question begins another one."""
        process = self._process
        if process is not None:
            process.terminate()  # a thread that waits for its answer reads the end
        with self._lock:
            self._ended()


class _Packer(pickle.Pickler):
    """Packs read-only mappings, too, of which views and states are made."""

    def reducer_override(self, given: Any) -> Any:
        """Return how a value is made again, where pickle does not know it by itself."""
        return (_read_only, (dict(given),)) if type(given) is MappingProxyType else NotImplemented


def _read_only(faces: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(faces)


def _packed(value: object) -> bytes:
    buffer = io.BytesIO()
    _Packer(buffer).dump(value)
    return buffer.getvalue()


def _loaded(packed: bytes) -> Any:
    return pickle.loads(packed)  # noqa: S301 - from our own process, over a pipe of ours alone


def _send(pipe: BinaryIO | Any, packed: bytes) -> None:
    pipe.write(_LENGTH.pack(len(packed)) + packed)
    pipe.flush()


def _received(pipe: BinaryIO | Any) -> bytes:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    packed: bytes = pipe.read(length)
    if len(packed) < length:
        raise EOFError
    return packed


def main() -> None:
    """Answer questions until nobody asks any more."""
    imported(_KNOWN)
    with suppress(EOFError, BrokenPipeError):
        while True:
            packed = _received(sys.stdin.buffer)
            answer: Advice | ValueError | None
            try:
                answer = answered(_loaded(packed))
            except ValueError as error:
                answer = error
            except (ImportError, AttributeError):
                answer = None  # what was asked about cannot be imported here
            _send(sys.stdout.buffer, _packed(answer))


if __name__ == "__main__":
    main()
