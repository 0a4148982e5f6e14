"""How much memory a process has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4_096


def resident_mb(process: int | None = None) -> float | None:
    """Return the megabytes of a process, or of this one, in memory; None without Linux's /proc."""
    path = Path("/proc") / ("self" if process is None else f"{process}") / "statm"
    try:
        return int(path.read_text("ascii").split()[1]) * _PAGE / 1e6
    except OSError:
        return None
