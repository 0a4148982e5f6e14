"""What a seat can send under its own good signature, and what a file can hold.

Nothing but events comes out of a session's `receive`, nobody but the sender is blamed, and a
stranger confirms it; nothing but a verdict comes out of an audit or a check of evidence.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from protocol.errors import MalformedMessage, ProofError
from protocol.places import Lane, LedgerName
from protocol.table.evidence import (
    Conflict,
    Fault,
    Prefix,
    evidence_from_bytes,
)
from protocol.table.judge_again import check_evidence
from protocol.wire.contents import Action
from protocol.wire.envelope import Purpose, sign
from tests.table.colluders import Colluders
from tests.table.seating import charter, refused, signed, signing_key

GAME = Game304(profile_named("pagat", ()))


def test_a_body_that_does_not_decode_makes_no_conflict() -> None:
    agreed = charter(game="304")
    name = LedgerName(Lane.HAND, 0)
    good = signed(agreed, name, 0, 2, Action("pass"), previous=bytes(32)).raw
    digest = agreed.digest
    bad = sign(signing_key(2), b"\xc1", purpose=Purpose.LEDGER, seat=Seat(2), charter=digest)
    for pair in ((good, bad.to_bytes()), (bad.to_bytes(), good)):
        assert refused(check_evidence, Conflict(agreed, *pair), GAME) == "evidence.conflict"


def test_no_prefix_convicts_a_seat_of_an_honest_message() -> None:
    """Open rounds, contributions left out or of later rounds, other origins, other checks."""
    chance = random.Random(11)
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(0, match.dealer, opening.ledger.head)
    hand = table.hand(deck, match.dealer, match.scores, opening.ledger.head)
    for _ in range(30):
        replica: Any = chance.choice((opening, deck, hand))
        rounds = replica.ledger.rounds
        number = chance.randrange(len(rounds))
        accused = chance.choice(rounds[number].messages)
        before = [each.raw for closed in rounds[:number] for each in closed.messages]
        others = [each.raw for each in rounds[number].messages if each is not accused]
        before += chance.sample(others, chance.randrange(len(others) + 1))
        if chance.random() < 0.3 and before:
            del before[chance.randrange(len(before))]
        if chance.random() < 0.2:
            before += [each.raw for closed in rounds[number + 1 :] for each in closed.messages]
        origin = replica.origin
        if chance.random() < 0.3:
            origin = replace(origin, leading=Seat((origin.leading + 1) % 4))
        elif chance.random() < 0.3:
            origin = replace(origin, scores=(0, 22))
        prefix = Prefix(origin, tuple(before))
        basis = (deck.prefix(),) if replica is hand else ()
        for check in chance.sample(("turn.seat", "turn.kind", "action.rule", "shares.proof"), 1):
            fault = Fault(table.charter, check, (*basis, prefix), accused.raw)
            with pytest.raises((ProofError, MalformedMessage)) as refused:
                check_evidence(evidence_from_bytes(fault.to_bytes()), GAME)
            assert str(refused.value).startswith("evidence.")
