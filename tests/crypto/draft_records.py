"""The vectors of the IRTF's drafts, as their authors wrote them, and of RFC 9380 (J.8.1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "drafts"


def records(name: str) -> list[dict[str, Any]]:
    """Return the records of one vector file."""
    loaded: list[dict[str, Any]] = json.loads((FOLDER / name).read_text())
    return loaded
