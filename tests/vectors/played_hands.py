"""Hands of 304 for vectors: as they are told in cards, and as files hold them."""

from __future__ import annotations

from typing import Any

from cli.conformance.transcript_edits import Draft, body_of
from p2p304.rules304.action_text import format_action
from p2p304.rules304.notation import parse_hand
from p2p304.rules304.retelling import Retelling
from p2p304.rules304.state import State
from protocol.encoding import decode
from protocol.places import Lane
from tests.vectors.collect import Collector

Said = list[Any]
"""A seat, and the text of its action."""


def log_of(state: State) -> list[Said]:
    """Return what was said in a hand."""
    return [[int(seat), format_action(action)] for seat, action in state.log]


def told(agreement: str, deal: str, moves: str, dealer: str = "S") -> list[Said]:
    """Return what is said in a hand that is written in cards, from the dealer's right."""
    text = f"304 {agreement}\ndeal {dealer} {deal}\ncut 0\n{moves}\n"
    return log_of(Retelling.of_record(parse_hand(text)).state)


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


def everybody(word: str, *seats: int) -> list[Said]:
    """Return what these seats say: the same."""
    return [[seat, word] for seat in seats]


def refuse(found: Collector, base: str, about: str, rule: str, actions: list[Said]) -> None:
    """Add an action that the rules refuse where `base` goes on, and look by which rule."""
    found.reject(base, about, "action.rule", actions=actions)
    told_rule = found.rows[-1].get("rule")
    assert told_rule == rule, f"{about}: rule {told_rule}, not {rule}"
