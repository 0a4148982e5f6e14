"""How the program ends: the exit codes, and one sentence for everything that can go wrong."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from p2p304.errors import GameError
from protocol.errors import ProofError, ProtocolError


class ExitCode(IntEnum):
    """The exit codes of `p2p304`."""

    DONE = 0
    #: Something was examined and found wrong: an invalid transcript, a false proof.
    CHECK_FAILED = 1
    # 2 is also what click says of a wrong command line.
    #: What was asked for cannot be done: wrong usage, unreadable input, an unreachable broker.
    UNUSABLE = 2
    # sysexits.h, so that a supervisor can tell a crash from a refusal.
    DEFECT = 70  #: A defect of the program itself (EX_SOFTWARE of sysexits).
    INTERRUPTED = 130  #: Ctrl-C (128 + SIGINT).
    # So a shell reports a process that SIGPIPE has ended: `p2p304 ... | head` is no error.
    OUTPUT_CLOSED = 141  #: Whoever read the output has gone (128 + SIGPIPE).


class _Sentence(Exception):
    """An error that is one sentence for the user, with the name of a failed check, if one
    failed.
    """

    def __init__(self, sentence: str = "", *, check: str | None = None) -> None:
        super().__init__(sentence)
        self.check = check  #: The name of the check that failed, for programs; None if it was none.


class UserError(_Sentence):
    """What the user asked for cannot be done: one sentence that says so, and what to do instead."""


class StoreError(UserError):
    """Something on this machine cannot be read, made or written; one sentence says what to do."""


class CheckFailed(_Sentence):
    """Something was examined and found wrong: one sentence that names the first failed check."""


class OutputClosed(Exception):
    """The reader of the standard output has gone: nothing more can be printed."""


class ProgramEnd(NamedTuple):
    """How the program ends: a sentence to print, still unescaped, and the exit code."""

    sentence: str
    code: ExitCode


def verdict_on(error: Exception) -> ProgramEnd | None:
    """Return the sentence and the exit code by which `error` ends the program: CHECK_FAILED for
    failed checks and proofs, UNUSABLE for UserError, GameError, other ProtocolErrors and
    OSError; None for any other error, which is a defect of ours.
    """
    match error:
        # In this order: ProofError is also a ProtocolError.
        case CheckFailed() | ProofError():
            return ProgramEnd(str(error), ExitCode.CHECK_FAILED)
        case UserError() | GameError() | ProtocolError():
            return ProgramEnd(str(error), ExitCode.UNUSABLE)
        # A mistyped name: a whole sentence, in place of the system's "No such file or directory".
        case FileNotFoundError() if error.filename is not None:
            return ProgramEnd(f"There is no file {error.filename}.", ExitCode.UNUSABLE)
        case OSError():
            # An OSError made without an errno has no strerror, and one without text only its type.
            reason = error.strerror or str(error) or type(error).__name__
            place = f"{error.filename}: " if error.filename is not None else ""
            return ProgramEnd(f"{place}{reason}", ExitCode.UNUSABLE)
        # Whatever is not listed is a defect: its traceback is printed.
        case _:
            return None
