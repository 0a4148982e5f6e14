"""Reading the records of proof vectors: relations and witnesses from bytes."""

from __future__ import annotations

from typing import Any

from protocol.errors import MalformedMessage, ProofError
from protocol.proofs.ciphersuite import SECP256K1, Element, Group, decode_scalar
from protocol.proofs.relation import (
    ElementIndex,
    Equation,
    ImageTerm,
    LinearRelation,
    RelationTerm,
    ScalarIndex,
)
from protocol.proofs.sigma import verify_batchable, verify_compact
from tests.crypto.p256 import Value


def parse_relation(suite: Group[Element], data: bytes) -> LinearRelation[Element]:
    """The inverse of the relation's serialization, which only vectors need."""
    position = 0

    def number() -> int:
        nonlocal position
        position += 4
        return int.from_bytes(data[position - 4 : position], "little")

    def coefficient() -> int:
        nonlocal position
        position += suite.scalar_bytes
        return decode_scalar(suite, data[position - suite.scalar_bytes : position])

    equations = []
    largest = 0
    for _ in range(number()):
        image = tuple(ImageTerm(ElementIndex(number()), coefficient()) for _ in range(number()))
        terms = tuple(
            RelationTerm(ScalarIndex(number()), ElementIndex(number()), coefficient())
            for _ in range(number())
        )
        largest = max([largest, *(t.element for t in image), *(t.element for t in terms)])
        equations.append(Equation(image, terms))
    width = suite.element_bytes
    assert len(data) - position == largest * width
    elements = [
        suite.decode(data[start : start + width]) for start in range(position, len(data), width)
    ]
    return LinearRelation(suite, (suite.generator, *elements), tuple(equations))


def scalars(suite: Group[Element], data: bytes) -> list[Value]:
    width = suite.scalar_bytes
    return [
        Value(decode_scalar(suite, data[start : start + width]))
        for start in range(0, len(data), width)
    ]


def verify_record(record: dict[str, Any]) -> None:
    """Accept a record of our own vectors or raise `ProofError` with the failing check."""
    try:
        relation = parse_relation(SECP256K1, bytes.fromhex(record["instance"]))
    except MalformedMessage as error:
        raise ProofError(error.check) from error
    verify = verify_compact if record["flavor"] == "compact" else verify_batchable
    session = record["session"].encode()
    verify(relation, bytes.fromhex(record["proof"]), session=session)
