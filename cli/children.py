"""Child processes of the program, started so that they import installed modules alone.

`python -m` and `python -c` look for every module in the current directory first, and variables such
as PYTHONPATH name more places: a file called random.py in a folder of downloads would run with a
seat's invite on its standard input.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Final

# A list of what passes: a variable of a later Python may name places to import from.
#: Variables that decide how Python runs and name no place to import from; PYTHONNOUSERSITE even
#: takes one away.
_HARMLESS: Final = frozenset(
    (
        "PYTHONASYNCIODEBUG",
        "PYTHONDEVMODE",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONIOENCODING",
        "PYTHONNOUSERSITE",
        "PYTHONOPTIMIZE",
        "PYTHONUNBUFFERED",
        "PYTHONUTF8",
    )
)
# The same as -P, for the processes that a child starts in its turn.
_SAFE: Final = "PYTHONSAFEPATH"


def own_module(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the words of a command that runs one of our modules with these arguments, importing
    nothing from the current directory; start it with `environment()`.
    """
    # -P: not from the current directory. -s, where we run so: not from the user's own packages.
    flags = ("-P", "-s") if sys.flags.no_user_site else ("-P",)
    return (sys.executable, *flags, "-m", module, *arguments)


def own_program(*arguments: str) -> tuple[str, ...]:
    """Return the command line of `p2p304` with these arguments; use it with `environment()`."""
    return own_module("cli.main", *arguments)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of this process for a child: without variables of Python that could
    change what it imports, with PYTHONSAFEPATH, and with `more` set.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") or name in _HARMLESS
    }
    return {**kept, _SAFE: "1", **more}


def import_uncollected(module: str) -> ModuleType:
    """Import a module and return it; all objects that exist then are left out of later garbage
    collections.

    Imported code is never garbage; looking through it takes a sixth of the time of a start.
    """
    # A collection during imports finds nothing, for modules stay.
    collects = gc.isenabled()
    gc.disable()
    try:
        return import_module(module)
    finally:
        # `freeze` moves all that lives now out of the collector's sight.
        gc.freeze()
        # A caller may have switched it off.
        if collects:
            gc.enable()
