"""What peers prove and say are values: whoever is handed one cannot change it for the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from pkgutil import iter_modules

import pytest


def dataclasses_in(room: str) -> Iterator[type]:
    """Yield the dataclasses that the modules of a room of `protocol` define."""
    for found in iter_modules(import_module(room).__path__, f"{room}."):
        for value in vars(import_module(found.name)).values():
            if isinstance(value, type) and is_dataclass(value) and value.__module__ == found.name:
                yield value


@pytest.mark.parametrize("room", ["cards", "proofs", "seat", "table"])
def test_statements_proofs_and_states_cannot_be_changed(room: str) -> None:
    found = list(dataclasses_in(f"protocol.{room}"))
    assert found
    assert [each for each in found if not each.__dataclass_params__.frozen] == []  # type: ignore[attr-defined]
