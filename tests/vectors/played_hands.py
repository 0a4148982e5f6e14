"""Hands of 304 for vectors, as files hold them."""

from __future__ import annotations

from typing import Any

from cli.conformance.tables import Draft, body_of
from protocol.encoding import decode
from protocol.places import Lane
from tests.vectors.collect import Collector

Said = list[Any]
"""A seat, and the text of its action."""


def saved_log(data: bytes) -> tuple[int, list[Said]]:
    """Return the dealer of a saved hand of 304, and what is said in it, from its file alone."""
    draft = Draft.of(data)
    origin: Any = decode(draft.records[draft.places(b"L")[-1]].payload)
    log = []
    for place in draft.places(b"M"):
        body: Any = body_of(draft.records[place].payload)
        if body[1] == Lane.HAND and body[7] and isinstance(body[7][0], str):
            log.append([body[4], body[7][0]])
    return origin[3], log


def refuse(found: Collector, base: str, about: str, rule: str, actions: list[Said]) -> None:
    """Add an action that the rules refuse where `base` goes on, and look by which rule."""
    found.reject(base, about, "action.rule", actions=actions)
    told_rule = found.rows[-1].get("rule")
    assert told_rule == rule, f"{about}: rule {told_rule}, not {rule}"
