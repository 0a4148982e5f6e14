"""Where files are kept: one home directory, with a directory for each table.

No name that anybody chose ever becomes part of a path: names are made of hexadecimal digits
(specs/attacks.md, CL8). Directories are ours alone (0700) and are opened without following links.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import platformdirs

from cli.errors import StoreError
from cli.store.disk import REAL_DISK
from protocol.wire.charter import TABLE_BYTES

# For tests, for two players on one machine, and for bots' homes.
HOME_VARIABLE: Final = "P2P304_HOME"
OPEN_HAND: Final = "-open.p304"  #: How the name of a hand's file ends that waits for somebody.
# Nobody else's folder is taken for a table.
_TABLE_NAME: Final = re.compile(rf"[0-9a-f]{{{2 * TABLE_BYTES}}}")


# All that we write, and "manner", which earlier versions wrote: `tables --forget` removes nothing
# else (attacks CL26). Seats and referees have two digits at most.
#: Names of the files that we write into a table's directory and into the homes of its bots.
_OURS: Final = re.compile(
    r"identity|settings|nickname|manner|peers|journal(\.damaged(-[0-9a-f]+)?)?|output\.txt"
    r"|[0-9a-f]{32}-\d{6,10}(-open)?\.p304|evidence-(seat|referee)-\d{1,2}\.p304e"
)
# A temporary file of `write_whole`.
_UNFINISHED: Final = re.compile(r"\.\d+\.new$")


def home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the home directory: `P2P304_HOME`, or the platform's directory for data.

    Raises StoreError if the variable is not an absolute path.
    """
    named = (os.environ if environment is None else environment).get(HOME_VARIABLE, "")
    if not named:
        # XDG_DATA_HOME or ~/.local/share, Application Support, AppData. False: on Windows no folder
        # of an author lies around it.
        return platformdirs.user_data_path("p2p304", appauthor=False)
    path = Path(named)
    # A relative one would be another folder in each directory, with another identity.
    if not path.is_absolute():
        raise StoreError(f"{HOME_VARIABLE} must be an absolute path.")
    return path


def table_directory(root: Path, table: bytes) -> Path:
    """Return the directory of a table's files; raises ValueError for an id of another length."""
    if len(table) != TABLE_BYTES:
        raise ValueError(f"a table id has {TABLE_BYTES} bytes")
    return root / "tables" / table.hex()


def transcript_name(table: bytes, hand: int) -> str:
    """Return the file name of a hand's transcript: the table's id in hexadecimal, and the number.

    Raises ValueError for an id that has not 16 bytes, or a number that is negative or has more than
    32 bits.
    """
    # A number of a ledger has 32 bits (specs 3.1).
    if len(table) != TABLE_BYTES or not 0 <= hand < 1 << 32:
        raise ValueError("a transcript is named by a table id and the number of a hand")
    # Six digits, so that names sort by hand.
    return f"{table.hex()}-{hand:06d}.p304"


def open_hand_name(table: bytes, hand: int) -> str:
    """Return the file name of the transcript of a hand that is not over, such as one that waits
    for somebody. Raises ValueError for what is no id of a table or number of a hand.
    """
    return transcript_name(table, hand).removesuffix(".p304") + OPEN_HAND


def tables(root: Path) -> tuple[bytes, ...]:
    """Return the ids of the tables that have a directory in the home `root`, in increasing order;
    none without a home.

    Raises StoreError if the directory of the tables cannot be read.
    """
    place = root / "tables"
    try:
        names = sorted(
            # A link in a table's place is not followed (attacks CL2).
            entry.name
            for entry in os.scandir(place)
            if entry.is_dir(follow_symlinks=False)
        )
    # No table yet.
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(f"{place} cannot be read: {error.strerror}.") from error
    # Other folders there are the user's own.
    return tuple(bytes.fromhex(name) for name in names if _TABLE_NAME.fullmatch(name))


def strangers_in(directory: Path) -> tuple[Path, ...]:
    """Return, sorted, the files and links in a table's directory, and below it, whose names are
    none that this program writes; a link to a directory counts as a file.
    """
    files = (
        # A link counts, whatever it leads to: it is not removed with the table.
        path
        for path in sorted(directory.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    )
    return tuple(path for path in files if not _OURS.fullmatch(_UNFINISHED.sub("", path.name)))


def make_home(root: Path) -> Path:
    """Make `root` as a directory for us alone, or check that the existing one is ours and nobody
    else may write into it; return it. Raises StoreError if neither is so.
    """
    try:
        make_parents(root)
        _make_private(root)
        # `stat` follows a link: a home on another disk is usual, and its target is judged.
        about = root.stat()
    # A parent that belongs to somebody else, a full disk, or a file in its place.
    except OSError as error:
        raise StoreError(
            f"{root} cannot be made: {error.strerror}. Set {HOME_VARIABLE} to a folder that can be."
        ) from error
    if not stat.S_ISDIR(about.st_mode):
        raise StoreError(f"{root} is no directory: move it away, or set {HOME_VARIABLE}.")
    # Others may look into the home: its files are private each by itself. But nobody may write.
    if about.st_uid != os.geteuid() or about.st_mode & 0o022:
        raise StoreError(
            f"Others may write into {root}: make it yours with 'chmod 700', or set {HOME_VARIABLE}."
        )
    return root


def make_parents(path: Path) -> None:
    """Make the directories above `path` that are missing, for us alone. Raises OSError."""
    # From the top down.
    for parent in reversed(path.parents):
        parent.mkdir(mode=0o700, exist_ok=True)


def make_private_directory(path: Path) -> Path:
    """Make the directory `path` (0700), or check that the existing one is ours alone and no link;
    return it.

    Its parent must exist. Raises StoreError if it cannot be made, is a link, or is open to others.
    """
    try:
        _make_private(path)
        # `lstat`: a link would lead to where somebody else can read (attacks CL2).
        about = path.lstat()
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {error.strerror}.") from error
    if not stat.S_ISDIR(about.st_mode):
        raise StoreError(f"{path} is no directory, or a link: move it away.")
    if about.st_uid != os.geteuid() or about.st_mode & 0o077:
        raise StoreError(f"Others may look into {path}: make it yours alone with 'chmod 700'.")
    return path


def make_table_directory(root: Path, table: bytes) -> Path:
    """Make the home and a table's directory in it, and return the latter. Raises StoreError."""
    make_home(root)
    make_private_directory(root / "tables")
    return make_private_directory(table_directory(root, table))


def _make_private(path: Path) -> None:
    """Make a directory for us alone, durably; do nothing if something has the name already,
    whatever it is. Raises OSError.
    """
    try:
        path.mkdir(mode=0o700)
    # Judged by the caller, by its owner and its mode.
    except FileExistsError:
        return
    # A new directory's name must survive a loss of power, as the journal in it does.
    REAL_DISK.sync_directory(path.parent)
