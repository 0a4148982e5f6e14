"""Places that users name for results: asked for before the long work, and nothing lost there."""

from __future__ import annotations

import os
from pathlib import Path

from cli.errors import UserError
from cli.store.paths import make_parents


def prepare_file(path: Path) -> None:
    """Make the folder of a file, and see that the file can be written; raises UserError.

    What the file holds stays as it is, and a file that was not there is not left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a pipe or a device: opening it may wait
            if not os.access(path, os.W_OK):
                raise UserError(f"{path} cannot be written: name another file.")
            return
        new = not path.exists()
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error


def prepare_new_file(path: Path) -> None:
    """Make sure that there is no such file yet, and that it can be written; raises UserError.

    A pipe or a device holds nothing that could be lost.
    """
    if path.is_symlink() or path.is_file():
        raise UserError(f"{path} is there already: name another file.")
    prepare_file(path)


def new_private_folder(folder: Path) -> Path:
    """Make a folder for us alone, or take an empty one, and return its absolute path.

    Raises UserError for one with anything in it: it would be mixed with what we write.
    """
    place = folder.absolute()
    try:
        make_parents(place)
        place.mkdir(mode=0o700, exist_ok=True)
        taken = next(place.iterdir(), None)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}") from error
    if taken is not None:
        raise UserError(f"{folder} is not empty: name a new folder, nothing there is overwritten.")
    return place


def prepare_folder(folder: Path) -> None:
    """Make a folder, and see that files can be written into it; raises UserError."""
    prepare_file(folder / f".writable-{os.getpid()}")
