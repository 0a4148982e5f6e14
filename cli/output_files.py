"""Files that users name for results: checked before long work begins, and never half written."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from cli.errors import UserError
from cli.store.paths import make_parents

# Never through a link in the file's place; binary, or Windows would write other bytes.
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def prepare_file(path: Path, *, replace: bool = False) -> None:
    """Make the folder of `path`, and raise UserError if `write_file` could not write the file
    there.

    No file is left behind. An existing file stays as it is, and is refused unless `replace`; a link
    is always refused. A pipe or a device must only be writable.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = _mode(path)
        # A pipe or device, such as /dev/stdout, is written as it is: nothing can be put beside it.
        if _is_stream(mode):
            if not os.access(path, os.W_OK):
                raise UserError(f"{path} cannot be written: name another file.")
            return
        # Another file is never overwritten; a link counts as a file here (attacks CL22).
        if mode and not (replace and stat.S_ISREG(mode) and os.access(path, os.W_OK)):
            raise UserError(f"{path} is there already: name another file.")
        # Tried with a file of no bytes: permissions, a full disk and a long name show here.
        place, descriptor = _temporary_file(path)
        os.close(descriptor)
        place.unlink()
    # Whatever the system refuses is told now, before hours of work.
    except OSError as error:
        raise _unwritten(path, error) from error


def write_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write `data` to a file, wholly or not at all; raises UserError if that fails, or if the file
    exists and not `replace`.

    Never writes through a link. A pipe or a device is written to directly, so perhaps in part.
    """
    try:
        if _is_stream(_mode(path)):
            _write_stream(path, data)
            return
        # Beside it and renamed: nobody ever sees half a file, even after a crash.
        place, descriptor = _temporary_file(path)
        made = [place]
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            # Takes the name first, since `replace` below would overwrite another's file; a hard
            # link would fail instead, but not every disk has them.
            if not replace:
                os.close(_create(path))
                # From here on the empty file is ours, too, and goes if the rename fails.
                made.append(path)
            place.replace(path)
        # BaseException: Ctrl-C, too, leaves no rest.
        except BaseException:
            for each in made:
                with suppress(OSError):  # what failed is told, not that its rest is still there
                    each.unlink()
            raise
    # Somebody was faster between the check and now (attacks CL22).
    except FileExistsError:
        raise UserError(f"{path} is there already: name another file.") from None
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> UserError:
    """Return, without raising it, the UserError that the file cannot be written, with the
    system's reason.
    """
    return UserError(f"{path} cannot be written: {error.strerror or error}.")


def _mode(path: Path) -> int:
    """Return the file type and mode of `path`, of a link itself; 0 if there is no such file."""
    try:
        # Of a link itself: whoever placed it would choose where we write (attacks CL22).
        return path.lstat().st_mode
    # Nothing there: 0 is the mode of no file.
    except FileNotFoundError:
        return 0


def _is_stream(mode: int) -> bool:
    """Return whether a file mode is that of a pipe, a device or a socket."""
    # Not a block device: as a file that is there already it is refused.
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def _write_stream(path: Path, data: bytes) -> None:
    """Write `data` to a pipe or a device, directly; raises FileExistsError if an ordinary file
    has taken its place.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | _NO_FOLLOW), "wb") as file:
        if not _is_stream(os.fstat(file.fileno()).st_mode):  # a file took its place
            raise FileExistsError
        file.write(data)


def _temporary_file(path: Path) -> tuple[Path, int]:
    """Create a file with an unused name in the folder of `path`; return its path and a
    descriptor for writing.
    """
    # A drawn name, so that nobody can have put a link there.
    place = path.with_name(f".p2p304-{secrets.token_hex(8)}.new")
    return place, _create(place)


def _create(path: Path) -> int:
    """Create a file, and return its descriptor for writing; raises FileExistsError if the name
    is taken, also by a link.
    """
    # O_EXCL takes no existing name, not even a dangling link; the umask decides who may read.
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o666)


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
