"""What the benchmark stands on beside the program: libraries that playing does not need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cli.errors import UserError


def library(name: str) -> Any:
    """Return the library of this name.

    Raises UserError where the extra `bench` is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UserError(
            f"This needs {name}, which playing does not: \"pip install 'p2p304[bench]'\" brings it."
        ) from None
