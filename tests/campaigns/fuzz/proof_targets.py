"""Proofs and masked cards as bytes: every layout that a peer fills, and what verifies it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from cli.conformance.operations.cards import parse_relation
from cli.conformance.vectors import DEFAULT, vectors_in
from p2p304.cards import Card
from p2p304.rules304.hand import Game304
from p2p304.rules304.profiles import PROFILES
from protocol.cards.deck import ProvenShuffle
from protocol.cards.handover import HandOver
from protocol.cards.keys import KeyStep, cards_from_bytes, cards_to_bytes
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import ScoreProof, ScoreTable
from protocol.errors import MalformedMessage, ProofError
from protocol.group.point import Point
from protocol.group.scalar import Scalar
from protocol.proofs.batch_dleq import equality_bytes
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.inequality import DistinctionProof
from protocol.proofs.shuffle import ShuffleProof
from protocol.proofs.sigma import verify_batchable, verify_compact
from tests.campaigns.fuzz.target import Target, demand

Decoder = Callable[[bytes], bytes]
"""Reads bytes and writes what it read."""

HALF_OF_A_POINT = 33


@cache
def _table() -> ScoreTable:
    pack: tuple[Card, ...] = tuple(Game304(PROFILES["pagat"]).pack[:6])
    return ScoreTable(pack, tuple(10 * place for place in range(6)))


def _decoders() -> dict[str, tuple[Decoder, int]]:
    """Every layout with the length that its bytes must have."""
    branches = sum(1 for total in _table().sums(2) if total < 30)
    score = 6 * 99 + ShuffleProof.size(6) + 2 * 2 + equality_bytes(1)
    score += branches * 2 * 32
    return {
        "point": (lambda data: Point.from_bytes(data).to_bytes(), 33),
        "scalar": (lambda data: Scalar.nonzero_from_bytes(data).to_bytes(), 32),
        "key step": (lambda data: KeyStep.from_bytes(data).to_bytes(), 162),
        "cards": (lambda data: cards_to_bytes(cards_from_bytes(data, count=4)), 4 * 99),
        "shuffle": (
            lambda data: ProvenShuffle.from_bytes(data, cards=2).to_bytes(),
            2 * 99 + ShuffleProof.size(2),
        ),
        "shares": (lambda data: ShareBatch.from_bytes(data, cards=3).to_bytes(), 3 * 66 + 96),
        "hand-over": (lambda data: HandOver.from_bytes(data).to_bytes(), 227),
        "distinction": (
            lambda data: DistinctionProof.from_bytes(data, counts=(2, 1)).to_bytes(),
            6 * 33 + (2 + 6) * 32,
        ),
        "score": (
            lambda data: ScoreProof.from_bytes(data, table=_table(), cards=2, limit=30).to_bytes(),
            score,
        ),
    }


DECODERS = _decoders()
_NAMES = tuple(DECODERS)
_POINT = Point.from_bytes(
    bytes.fromhex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
).to_bytes()


def check_proofs(data: bytes) -> None:
    """A layout is read and written back in the same bytes, or refused by name."""
    if len(data) < 3:
        return
    read, length = DECODERS[_NAMES[data[0] % len(_NAMES)]]
    body = data[2:]
    match data[1] % 3:
        case 0:  # as they are
            pass
        case 1:  # of the right length, else most is refused for its length alone
            body = (body + bytes(length))[:length]
        case _:  # of the right length, and good points where they are not spelt out
            filling = (_POINT * (length // HALF_OF_A_POINT + 1))[len(body) % HALF_OF_A_POINT :]
            body = (body[:length] + filling)[:length]
    try:
        written = read(body)
    except MalformedMessage as error:
        demand("." in error.check, f"refused by {error.check}")
        return
    demand(written == body, "a layout is written as it was read")


def _proof_seeds() -> list[bytes]:
    found = []
    for number, (_, length) in enumerate(DECODERS.values()):
        whole = (_POINT * (length // HALF_OF_A_POINT + 1))[:length]
        found += [bytes((number, 0)) + whole, bytes((number, 2)) + whole[:66]]
    members = (("keys", "step", 2), ("hand-over", "message", 6), ("shares", "batch", 5))
    for category, name, number in members:
        for each in vectors_in(DEFAULT, (category,)):
            if isinstance(each.input.get(name), str) and each.expect is None:
                found.append(bytes((number, 0)) + bytes.fromhex(each.input[name]))
    return found


# --- the general engine ---------------------------------------------------------------------------


@cache
def _statements() -> tuple[dict[str, Any], ...]:
    """The accepted proofs of the vectors over small relations."""
    found = [each.input for each in vectors_in(DEFAULT, ("sigma",)) if each.expect is None]
    return tuple(sorted(found, key=lambda each: len(each["relation"]))[:6])


@cache
def _relation(number: int) -> Any:
    return parse_relation(SECP256K1, bytes.fromhex(_statements()[number]["relation"]))


def check_sigma(data: bytes) -> None:
    """No bytes but the known proof are a proof, and the others are refused by name."""
    if not data:
        return
    number = data[0] % len(_statements())
    known = _statements()[number]
    proof, session = bytes.fromhex(known["proof"]), bytes.fromhex(known["session"])
    changed = _changed(proof, data[1:])
    verify = verify_batchable if known["flavor"] == "batchable" else verify_compact
    try:
        verify(_relation(number), changed, session=session)
    except ProofError as error:
        demand(error.check.startswith("sigma."), f"refused by {error.check}")
        demand(changed != proof, "the known proof is a proof")
        return
    demand(changed == proof, "nothing else is")


def _changed(proof: bytes, how: bytes) -> bytes:
    """The proof with some bytes of it replaced: place, length, and what to put there."""
    if len(how) < 2:
        return proof
    at, length = how[0] * len(proof) // 256, how[1] % 34
    return proof[:at] + how[2:] + proof[at + length :]


def _sigma_seeds() -> list[bytes]:
    return [bytes((number, 0, 32)) + bytes(32) for number in range(6)] + [b"\x00", b"\x01\x80\x00"]


TARGETS = (
    Target("proofs", check_proofs, _proof_seeds, 1_400),
    Target("sigma", check_sigma, _sigma_seeds, 256),
)
