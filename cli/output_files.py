"""Files that users name for results: checked before long work begins, never over another file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from cli.errors import UserError
from cli.store.paths import make_parents


def prepare_file(path: Path) -> None:
    """Make the folder of `path`, and raise UserError if `write_file` could not write the file
    there. No file is left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Permissions, a full disk and a long name show here, before hours of work.
        os.close(_create(path))
        path.unlink()
    except OSError as error:
        raise _unwritten(path, error) from error


def write_file(path: Path, data: bytes) -> None:
    """Write `data` to a new file; raises UserError if that fails, which leaves no file behind, or
    if something is there.
    """
    try:
        with os.fdopen(_create(path), "wb") as file:
            try:
                file.write(data)
                # Here, where a full disk is met by the handler below.
                file.flush()
            # BaseException: Ctrl-C, too, leaves no rest.
            except BaseException:
                with suppress(OSError):  # what failed is told, not that its rest is still there
                    path.unlink()
                raise
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> UserError:
    """Return, without raising it, the UserError that the file cannot be written, with the
    system's reason.
    """
    # A file may also stand where a folder above it is to be made.
    if isinstance(error, FileExistsError) and os.path.lexists(path):
        return UserError(f"{path} is there already: name another file.")
    return UserError(f"{path} cannot be written: {error.strerror or error}.")


def _create(path: Path) -> int:
    """Create a file, and return its descriptor for writing; raises FileExistsError if the name
    is taken, also by a link.
    """
    # O_EXCL takes no existing name, not even a dangling link: whoever placed one would choose where
    # we write (attacks CL22). The umask decides who may read.
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)


def new_private_folder(folder: Path) -> Path:
    """Make a folder that only we may read, or take an empty one as it is, and return its absolute
    path.

    Raises UserError if it cannot be made, and for a folder with anything in it, which our files
    would mix with.
    """
    place = folder.absolute()
    try:
        make_parents(place)
        # 0700: a demo's folder holds the keys of its bots.
        place.mkdir(mode=0o700, exist_ok=True)
        # `exist_ok`: an empty folder that the user made is good.
        taken = next(place.iterdir(), None)
    # The folder is a file, is on a full disk, or belongs to somebody else.
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}") from error
    if taken is not None:
        raise UserError(f"{folder} is not empty: name a new folder, nothing there is overwritten.")
    return place
