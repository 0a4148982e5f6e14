"""The log for a report of a bug, `p2p304 --log FILE`: events and errors, without secrets.

It holds versions, the steps of the connection, the kinds of events at a seat, and errors with
tracebacks but without values of variables. It holds no options and arguments, because an invite may
be among them. All processes of a table write into one file.
"""

from __future__ import annotations

import fcntl
import logging
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from cli.bounds import LARGEST_LOG
from cli.errors import UserError
from cli.store.disk import REAL_DISK

# The environment, so that bots in processes of their own log into the same file.
VARIABLE: Final = "P2P304_LOG"
# Also the mark by which a file is known as ours: no other file is ever appended to.
HEADING: Final = b"p2p304 log, for a report of a bug; no key, no invite and no card is in it\n"
_log = logging.getLogger(__name__)


class LogFile(logging.Handler):
    """A logging handler that appends lines to a log of ours; an error while writing is ignored."""

    def __init__(self, path: Path) -> None:
        """Open the file at `path`, or make it.

        Raises UserError if it cannot be written, or is a file that is no log of ours.
        """
        super().__init__()
        self.path = path.absolute()
        # With the process: several write into one file.
        self.setFormatter(_Lines("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
        try:
            self._descriptor = _open(self.path)
        # Before the command runs: a log that was asked for must not be missing.
        except OSError as error:
            raise UserError(
                f"The log {path} cannot be written ({error.strerror or error}): name another file."
            ) from error

    def emit(self, record: logging.LogRecord) -> None:
        """Append one record as a line; drop it if the file has reached LARGEST_LOG bytes. An error
        is ignored, because the game goes on without a log.
        """
        with suppress(OSError):
            # Asked of the file itself, as other processes write into it as well.
            if os.fstat(self._descriptor).st_size < LARGEST_LOG:
                # "replace": whatever a record holds, logging raises nothing.
                os.write(self._descriptor, self.format(record).encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        """Close the file; later records are dropped."""
        super().close()
        # The interpreter's end must not fail for a log.
        with suppress(OSError):
            os.close(self._descriptor)


class _Lines(logging.Formatter):
    """A formatter with times in UTC and every control character made visible."""

    # In UTC: logs of players in several countries are read side by side.
    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text, with every character that is not printable written as an
        escape, but for line ends.
        """
        text = super().format(record)
        return "".join(
            # What peers wrote may be in a message: it must not act on the terminal of who reads it
            # (CL6).
            # `ascii` gives an escape in quotes, which are cut off.
            each if each == "\n" or each.isprintable() else ascii(each)[1:-1]
            for each in text
        )


def _open(path: Path) -> int:
    """Return a descriptor for appending to a log: to a new file that only we may read, with its
    heading, or to a log of ours that exists.

    Raises UserError for an existing file that is no log of ours, OSError if it cannot be opened.
    """
    try:
        # Exclusive and ours alone: nobody prepares the file, or reads along.
        descriptor = REAL_DISK.create(path)
        os.write(descriptor, HEADING)
    # A second command with the same --log goes on in the same file.
    except FileExistsError:
        descriptor = REAL_DISK.open(path, writable=True)
        # A file of the user's own was named by mistake.
        if os.read(descriptor, len(HEADING)) != HEADING:
            os.close(descriptor)
            raise UserError(
                f"{path} is no log of p2p304, so it is kept: name another file."
            ) from None
    # One `write` for a line, at the end: lines of several processes never mix.
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return descriptor


def begin(path: Path, command: str) -> None:
    """Open the log at `path`, write versions and the name of this `command` into it, and log there
    until `ended`.

    Processes that we start log there, too. Raises UserError if it cannot be written or is a file
    that is no log of ours.
    """
    # Slow to import, for this alone.
    import platform
    from importlib.metadata import distributions, version

    file = LogFile(path)
    logging.getLogger().addHandler(file)
    os.environ[VARIABLE] = str(file.path)  # so that the processes we start write into it, too
    # Only our own modules: libraries log addresses and payloads.
    logging.getLogger("cli").setLevel(logging.INFO)
    _log.info("%s begins: p2p304 %s", command, version("p2p304"))
    _log.info("Python %s on %s", platform.python_version(), platform.platform())
    # What can be at fault, too.
    installed = sorted(f"{each.name} {each.version}" for each in distributions())
    _log.info("installed: %s", ", ".join(installed))


def _file() -> LogFile | None:
    """Return the log that is open; None if there is none."""
    # Kept in the logging module, where a second call of `main` in one process finds it.
    return next((each for each in logging.getLogger().handlers if isinstance(each, LogFile)), None)


def failed(error: BaseException) -> None:
    """Log the name of an error that ends the program, with its traceback; do nothing if no log
    is open.
    """
    if _file() is not None:
        _log.error("%s", type(error).__name__, exc_info=error)


def ended(code: int) -> None:
    """Log the exit code, and close the log; do nothing if none is open."""
    # Undone wholly, as tests run the program many times in one process.
    file = _file()
    if file is not None:
        _log.info("ends with %d", code)
        logging.getLogger().removeHandler(file)
        logging.getLogger("cli").setLevel(logging.NOTSET)
        file.close()
        os.environ.pop(VARIABLE, None)
