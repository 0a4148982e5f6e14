"""Another action where a seat acted in a saved hand, with honest proofs where it can have them."""

from __future__ import annotations

import re
from typing import Final

from cli.conformance.expected_verdicts import expected_verdicts
from cli.conformance.rehearsal import Rehearsal
from cli.conformance.transcript_edits import Draft, body_of
from p2p304.errors import GameError
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from protocol.encoding import Value
from protocol.errors import LocalError
from protocol.ledger.hand import HandPlay

_SEAT, _KIND, _ACTION = 4, 5, 8
"""Where a body has its seat and its kind, and the code of an Action (3.5)."""
_TRIES: Final = 12
"""How often another text is looked for."""

ANYWHERE: Final = (
    "pass", "ask", "ask-seat 3", "sort", "closed", "none", "ready", "accept", "contest", "spoilt",
    "no-trump", "double", "caps", "redeal", "bid pcc", "bid half_court", "bid full_court", "bid 5",
    "name 9D", "indicator 0", "cut 3", "marriage",
)  # fmt: skip
"""What is tried at any place."""


def other_text(text: str, own: list[str], everybody: list[str], chance: SeededRandomness) -> str:
    """Return what a seat may say instead: what it, or anybody, says elsewhere; nearly the same."""
    match chance.randbelow(8):
        case 0:
            return ANYWHERE[chance.randbelow(len(ANYWHERE))]
        case 1:
            return everybody[chance.randbelow(len(everybody))]
        case 2:
            step = (1, -1, 2, -2, 5, 10, -10)[chance.randbelow(7)]
            return re.sub("[0-9]+", lambda n: str(max(0, int(n[0]) + step)), text, count=1)
        case 3:
            return re.sub("[SHDC](?![A-Za-z_])", "SHDC"[chance.randbelow(4)], text, count=1)
        case 4:
            return re.sub(r"^play ([0-9]+)=..", r"down \1", text)
        case _:
            plays = [each for each in own if each.startswith("play")] or own
            return plays[chance.randbelow(len(plays))]


def deviation(
    base: str, draft: Draft, table: Rehearsal, chance: SeededRandomness
) -> tuple[int, tuple[Value, ...], bool]:
    """Return a record of a hand, what its seat says there instead, and whether that is proved."""
    bodies = {place: body_of(draft.records[place].payload) for place in draft.places(b"M")}
    said = {place: body for place, body in bodies.items() if body[_KIND] == _ACTION}
    plays = [place for place, body in said.items() if _text(body).startswith(("play", "down"))]
    places = plays if plays and chance.randbelow(2) else list(said)
    place = places[chance.randbelow(len(places))]
    *head, content = said[place]
    seat = draft.records[place].payload[2]
    everybody = [_text(body) for body in said.values()]
    own = [_text(body) for body in said.values() if body[_SEAT] == seat]
    text = original = _text(said[place])
    for _ in range(_TRIES):
        if text == original:
            text = other_text(original, own, everybody, chance)
    proved = honest(base, place, seat, text, table)
    assert isinstance(content, tuple)
    return place, (*head, proved or (text, *content[1:])), proved is not None


def _text(body: tuple[Value, ...]) -> str:
    content = body[-1]
    assert isinstance(content, tuple)
    return str(content[0])


def honest(
    base: str, place: int, seat: int, text: str, table: Rehearsal
) -> tuple[Value, ...] | None:
    """Return the content of the action at a record, proved by the seat; None if it cannot be.

    The rules may refuse the action, or it states what is not true.
    """
    replica = expected_verdicts(base).ledger_before(place)
    if replica is None or not isinstance(replica.machine, HandPlay):
        return None
    context = replica.context(Seat(seat))
    try:
        action = replica.machine.game.parse_action(text)
        _, content = replica.machine.decide(action, context, table.secrets[seat])
    except (GameError, LocalError):
        return None
    return (content.text, content.proofs, content.commitments, content.remixes, content.salts)
