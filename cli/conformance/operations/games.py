"""The operations that games bring, found through the registry."""

from __future__ import annotations

from cli.conformance.answers import operation
from p2p304.games import GAMES

for _entry in GAMES.values():
    for _name, _operation in _entry.operations().items():
        operation(_name)(_operation)
