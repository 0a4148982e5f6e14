"""What a seat leaves in its home: known files, readable by nobody else, and nothing besides."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

KNOWN_FILES: Final = re.compile(r"identity|nickname|peers\.json|journal|[0-9a-f]{32}-\d{6}\.p304")


def left_behind(home: Path) -> Iterator[str]:
    """A sentence for each file that nobody asked for or that others may read."""
    for path in (home, *sorted(home.rglob("*"))):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_dir():
            if mode != 0o700:
                yield f"{path} may be looked into: {mode:o}"
        elif mode != 0o600:
            yield f"{path} may be read: {mode:o}"
        elif not KNOWN_FILES.fullmatch(path.name):
            yield f"{path} was left behind"
