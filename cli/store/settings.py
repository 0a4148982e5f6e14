"""The player's settings for every table: a file of lines `name = value`, also edited by hand.

A line that is not understood is reported in one sentence, counts for nothing, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from cli.bounds import LARGEST_SETTINGS, LONGEST_PACE
from cli.errors import StoreError
from cli.sanitize import safe_text
from cli.store.disk import REAL_DISK, Disk, read_whole, write_whole
from cli.store.paths import make_home
from protocol.bounds import MAX_NAME
from protocol.errors import MalformedMessage
from protocol.wire.charter import check_nickname

FILE: Final = "settings"
NICKNAME: Final = "nickname"
# Spaces as people write them; names have small letters and hyphens.
_LINE: Final = re.compile(r"\s*([a-z-]+)\s*=\s*(.*?)\s*")
# Cut, at a number that is a choice: a line of the file is a person's text, perhaps another file's
# (attacks CL6).
_CELLS: Final = 40


def _is_pace(text: str) -> bool:
    """Return whether the text is a number of seconds from 0 to LONGEST_PACE, with at most three
    decimals.
    """
    # ASCII: `\d` also takes digits of other scripts.
    fits = re.fullmatch(r"\d{1,2}(\.\d{1,3})?", text, re.ASCII)
    return fits is not None and float(text) <= LONGEST_PACE


def checked_nickname(name: str) -> str:
    """Return the name; raises StoreError if no charter may hold it (specs 3.2)."""
    try:
        check_nickname(name)
    # In words of a person: the check names a field of the charter.
    except MalformedMessage as error:
        raise StoreError(
            f"A nickname has 1 to {MAX_NAME} visible characters and no space at its ends."
        ) from error
    return name


def _is_nickname(text: str) -> bool:
    """Return whether a charter may hold the text as a nickname."""
    try:
        checked_nickname(text)
    except StoreError:
        return False
    return True


class Setting(NamedTuple):
    """One setting: its name, its possible values, its usual value, and a sentence about its
    effect.
    """

    name: str
    values: tuple[str, ...]  #: What it may be; nothing where `fits` tells.
    usual: str  #: What it is where nothing is set.
    words: str
    #: Tells whether a value is possible; None where `values` lists them.
    fits: Callable[[str], bool] | None = None
    kind: str = ""  #: What it may be, in words, where `fits` tells.

    def takes(self, value: str) -> bool:
        """Return whether `value` is possible."""
        return value in self.values if self.fits is None else self.fits(value)

    @property
    def possible(self) -> str:
        """The possible values in words."""
        return self.kind or f"{', '.join(self.values[:-1])} or {self.values[-1]}"


# Two words, and not true/false, for who edits by hand.
_SWITCH: Final = ("yes", "no")
# In brackets: the key that changes it at a table.
SETTINGS: Final = {
    each.name: each
    for each in (
        # Also told by `identity`; kept here so that one command shows all.
        Setting(
            NICKNAME,
            (),
            "",
            "what others call you",
            _is_nickname,
            f"up to {MAX_NAME} characters",
        ),
        Setting("ask", ("more", "all", "nothing"), "more", "what is asked once more (!)"),
        Setting(
            "pace",
            (),
            "1",
            "seconds a card lies before a bot plays (< >)",
            _is_pace,
            f"0 to {LONGEST_PACE:g}",
        ),
        Setting("go-on", ("auto", *_SWITCH), "auto", "windows close by themselves (=)"),
        Setting("forced", _SWITCH, "no", "a card that is the only one plays itself"),
        Setting("mute", _SWITCH, "no", "neither show nor write chat"),
        Setting("bell", _SWITCH, "yes", "ring when your turn comes"),
        Setting("title", _SWITCH, "yes", "say so in the window's title"),
        Setting("notify", _SWITCH, "yes", "and by a notification, where one is known"),
        Setting(
            "colours",
            ("auto", "none", "16", "256", "true"),
            "auto",
            "how many; true has a felt",
        ),
        Setting("theme", ("auto", "dark", "light"), "auto", "auto: by COLORFGBG, or dark (%)"),
        Setting("suits", ("two", "four"), "two", "four: blue diamonds, green clubs (*)"),
        Setting("movement", ("auto", *_SWITCH), "auto", "a card moves into the trick"),
        Setting("ascii", _SWITCH, "no", "letters instead of suit signs"),
        Setting("plain", _SWITCH, "no", "lines of text, for screen readers"),
    )
}


class SettingsFile:
    """The settings file of this machine's user, in the directory `root`."""

    def __init__(self, root: Path, *, disk: Disk = REAL_DISK) -> None:
        self.path = root / FILE
        self._root = root
        self._disk = disk

    def read(self) -> tuple[dict[str, str], str]:
        """Return the settings that are set, by name, and a sentence about lines that are not
        understood, or "". For a file that cannot be read the sentence says so, and nothing is
        set.
        """
        try:
            lines = self._lines()
        except StoreError as error:
            # A file that cannot be read must not keep anybody from playing.
            return {}, f"{error} Nothing that is set there counts until then."
        found: dict[str, str] = {}
        sentence = ""
        for number, line in enumerate(lines, 1):
            match = _LINE.fullmatch(line)
            setting = None if match is None else SETTINGS.get(match[1])
            if match is not None and setting is not None and setting.takes(match[2]):
                found[setting.name] = match[2]
            # The first strange one in words: a file of another program has thousands.
            elif line.strip() and not line.lstrip().startswith("#") and not sentence:
                # ASCII alone: the sentence is printed before it is known what the terminal shows.
                shown = safe_text(line.strip(), cells=_CELLS, ascii_only=True)
                sentence = (
                    f"Line {number} of {self.path}, '{shown}', sets nothing: 'p2p304 settings'"
                    " lists what can be set."
                )
        return found, sentence

    def keep(self, changes: Mapping[str, str | None]) -> None:
        """Set the named settings, or remove those whose value is None; other lines stay as they
        are.

        Raises StoreError for an impossible value, and if the file cannot be read or written: then
        it is unchanged. Raises KeyError to set an unknown name.
        """
        # All are checked before any is written.
        for name, value in changes.items():
            if value is not None:
                find_setting(name, value)
        lines = [
            line
            for line in self._lines()
            # Every line of that name, should it be there twice; comments and others stay.
            if (match := _LINE.fullmatch(line)) is None or match[1] not in changes
        ]
        lines += [f"{name} = {value}" for name, value in changes.items() if value is not None]
        make_home(self._root)
        data = "".join(f"{line}\n" for line in lines).encode()
        if len(data) > LARGEST_SETTINGS:  # it could not be read again
            raise StoreError(
                f"{self.path} is too large: take lines out of it that are no settings."
            )
        try:
            write_whole(self._disk, self.path, data, replace=True)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}.") from error

    def _lines(self) -> list[str]:
        """Return the lines of the file; empty if there is no file. Raises StoreError for one
        that is no text, too large, open to others' writing, or unreadable.
        """
        try:
            # Not secret: a file that others may read is fine, one that others may write is not.
            data = read_whole(self._disk, self.path, limit=LARGEST_SETTINGS, secret=False)
            # Not `splitlines`, which also parts at signs that a value may hold.
            return data.decode("utf-8").removesuffix("\n").split("\n")
        # Nothing was ever set.
        except FileNotFoundError:
            return []
        # A binary file in its place: it is neither read nor replaced.
        except UnicodeDecodeError as error:
            raise StoreError(f"{self.path} is no text: mend it or move it away.") from error
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror}.") from error


def find_setting(name: str, value: str) -> Setting:
    """Return the setting called `name`; raises StoreError if it cannot be `value`, KeyError if
    there is none.
    """
    setting = SETTINGS[name]
    if not setting.takes(value):
        shown = safe_text(value, cells=_CELLS)
        raise StoreError(f"'{name}' may be {setting.possible}, not '{shown}'.")
    return setting
