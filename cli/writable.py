"""Whether a file can be written, asked before the long work whose result it is to hold."""

from __future__ import annotations

import os
from pathlib import Path

from cli.errors import UserError


def prepare_file(path: Path) -> None:
    """Make the folder of a file, and see that the file can be written; raises UserError.

    What the file holds stays as it is, and a file that was not there is not left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a pipe or a device: opening it may wait
            if not os.access(path, os.W_OK):
                raise UserError(f"{path} cannot be written: name another file")
            return
        new = not path.exists()
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error


def prepare_folder(folder: Path) -> None:
    """Make a folder, and see that files can be written into it; raises UserError."""
    prepare_file(folder / f".writable-{os.getpid()}")
