"""Short names of the hands of this machine, such as 88d17ccd/1: a table and the number of a hand.

The path of a transcript is too long to be read aloud, or to be copied from a terminal that breaks
it.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Final

from cli.errors import StoreError
from cli.store.paths import home, open_hand_name, table_directory, tables, transcript_name
from cli.wording import hand_label, hand_number, short_label

# A choice: 32 bits of a random id tell the tables of one machine apart, and can be typed.
SHORT: Final = 8  #: Digits of a table's id that are shown.
# At least four digits, as fewer are too short to be unique, and may be a folder's name. Fifteen: a
# short label has at most four digits, a dot and ten.
_NAME: Final = re.compile(r"([0-9a-f]{4,32})/([0-9.]{1,15})", re.IGNORECASE)
# The names of `paths.transcript_name` and `open_hand_name`; ten digits hold 32 bits.
_FILE: Final = re.compile(r"([0-9a-f]{32})-([0-9]{6,10})(?:-open)?\.p304")


def hand_name(path: Path) -> str:
    """Return what to type in a shell for a transcript: its short name if it lies in our home,
    such as 88d17ccd/1, else its path, quoted.
    """
    found = _FILE.fullmatch(path.name)
    # A transcript elsewhere, such as a friend's, has no short name here.
    if found is None or path.parent != table_directory(home(), bytes.fromhex(found[1])):
        return shlex.quote(str(path))
    return f"{found[1][:SHORT]}/{short_label(int(found[2]))}"


def hand_file(name: str) -> str:
    """Return the path of the hand with this short name, or `name` itself if it is no short name.

    An existing file with that name comes first. Raises StoreError if no hand of this machine has
    the short name, or hands of several tables have it.
    """
    meant = _NAME.fullmatch(name)
    # A file that is really there wins over a short name that looks like it.
    if meant is None or Path(name).exists():
        return name
    root, prefix = home(), meant[1].lower()
    try:
        number = hand_number(meant[2])
    # Digits and dots, but no label: then it is taken for a path.
    except ValueError:
        return name
    found = [table for table in tables(root) if table.hex().startswith(prefix)]
    # No guess: another table's hand would be audited.
    if len(found) > 1:
        raise StoreError(f"Several tables begin with {prefix}: give more of the name.")
    for table in found:
        for called in (transcript_name, open_hand_name):  # a hand that is over, or still open
            path = table_directory(root, table) / called(table, number)
            if path.exists():
                return str(path)
    raise StoreError(
        f"There is no file {name}, nor hand {hand_label(number)} of a table {prefix}:"
        " 'p2p304 tables --all' lists them."
    )


def table_names(beginning: str) -> list[str]:
    """Return the short names of this machine's tables that begin with `beginning`. Empty if the
    tables cannot be listed.
    """
    # Called while the shell completes a word: an error would be printed into the line.
    with suppress(StoreError):
        names = (table.hex()[:SHORT] for table in tables(home()))
        return [name for name in names if name.startswith(beginning)]
    return []


def hand_names(beginning: str) -> list[str]:
    """Return the short names of this machine's hands, ended or open, that begin with `beginning`,
    sorted by table and number. Empty if the tables cannot be listed.
    """
    # A set: a hand may be there open and ended.
    found: set[tuple[str, int]] = set()
    # As in `table_names`: while a word is completed nothing is printed.
    with suppress(StoreError, OSError):
        root = home()
        for table in tables(root):
            for path in table_directory(root, table).iterdir():
                if meant := _FILE.fullmatch(path.name):
                    found.add((table.hex()[:SHORT], int(meant[2])))
    names = (f"{name}/{short_label(number)}" for name, number in sorted(found))
    return [name for name in names if name.startswith(beginning)]
