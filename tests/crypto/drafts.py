"""The IRTF drafts' vector files, which live beside the repository and not in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("IRTF_SIGMA_VECTORS", ROOT.parent / "shared/vectors/irtf-sigma"))

MISSING = f"the drafts' vectors are not at {FOLDER} (set IRTF_SIGMA_VECTORS)"


def records(name: str) -> list[dict[str, Any]]:
    """The records of one vector file, none if the folder is missing."""
    path = FOLDER / name
    if not path.exists():
        return []
    loaded: list[dict[str, Any]] = json.loads(path.read_text())
    return loaded
