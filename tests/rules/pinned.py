"""The YAML files that tests of the rules are pinned by, each read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

# The reader in C takes a tenth of the time, of every worker; not every build of PyYAML has it.
_READER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def pinned(name: str) -> Any:
    """Return what a file of this folder holds. Nobody may change it: all tests share it."""
    text = (Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=_READER)


def scenarios() -> list[dict[str, Any]]:
    """Return the shared scenarios of all games."""
    found: list[dict[str, Any]] = pinned("scenarios/public")["scenarios"]
    return found
