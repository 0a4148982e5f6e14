"""How the player is called: a bell, the window's title, a notification where the terminal has one.

Pure: what is to be written to a terminal is returned as text. Which notification a terminal has is
told by the names that it gives itself in the environment, for there is no way to ask it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

IDLE: Final = 5.0
"""Seconds without a key after which the player is called: who has just pressed one looks on."""
SAVE_TITLE: Final = "\x1b[22;0t"
RESTORE_TITLE: Final = "\x1b[23;0t"
"""XTerm's stack of titles, which most terminals have and the others ignore."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """What the player wants to be called by."""

    bell: bool = True
    title: bool = True
    notify: bool = True


class Notification(Enum):
    """The sequences for a notification that terminals know."""

    OSC_9 = "a text alone: iTerm2, kitty, Warp"
    OSC_777 = "a title and a text: WezTerm, Ghostty, foot, rxvt-unicode, VTE with Fedora's patch"


_BY_PROGRAM: Final = {
    "iTerm.app": Notification.OSC_9,
    "WarpTerminal": Notification.OSC_9,
    "WezTerm": Notification.OSC_777,
    "ghostty": Notification.OSC_777,
}
"""By TERM_PROGRAM."""
_BY_TERM: Final = (
    ("xterm-kitty", Notification.OSC_9),
    ("xterm-ghostty", Notification.OSC_777),
    ("foot", Notification.OSC_777),
    ("rxvt-unicode", Notification.OSC_777),
)
"""By how TERM begins."""
_QUIET_VTE: Final = 4600
"""From this version on VTE ignores the sequence that it does not know without printing it."""


def notification_of(environment: Mapping[str, str]) -> Notification | None:
    """Return the notification that the terminal has; None where it has none, or is not known."""
    if environment.get("TMUX") or environment.get("STY"):
        return None  # what lies around this terminal is not known, and would be told as it
    program = environment.get("TERM_PROGRAM", "")
    if program in _BY_PROGRAM:
        return _BY_PROGRAM[program]
    if environment.get("LC_TERMINAL") == "iTerm2":  # the one name that ssh carries over
        return Notification.OSC_9
    term = environment.get("TERM", "")
    for begins, found in _BY_TERM:
        if term.startswith(begins):
            return found
    version = environment.get("VTE_VERSION", "")
    if version.isascii() and version.isdecimal() and int(version[:9]) >= _QUIET_VTE:
        return Notification.OSC_777
    return None


def notified(kind: Notification, title: str, text: str) -> str:
    """Return what makes the terminal show a notification."""
    title, text = _clean(title), _clean(text)
    if kind is Notification.OSC_9:
        return f"\x1b]9;{title}: {text}\x07"
    return f"\x1b]777;notify;{title};{text}\x07"


def _clean(text: str) -> str:
    """Return the text without what would end or part the sequence."""
    return "".join(char for char in text if char.isprintable()).replace(";", ",")
