"""The place of a proof: every field counts, and no field can be mistaken for another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.encoding import digest
from protocol.errors import LocalError
from tests.crypto.dealing import context, other_contexts

HERE = context(2, "Action", 9)


def test_every_field_gives_another_identifier() -> None:
    places = [HERE, *other_contexts(HERE), HERE.part(0), HERE.part(1), HERE.part(1).part(1)]
    identifiers = {place.session_identifier(b"purpose") for place in places}
    identifiers |= {
        HERE.session_identifier(b"other"),
        HERE.session_identifier(b"purpose", b""),
        HERE.session_identifier(b"purpose", b"detail"),
        HERE.session_identifier(b"purpose", b"detail", b""),
    }
    assert len(identifiers) == len(places) + 4
    assert {len(each) for each in identifiers} == {32}


def test_a_byte_moved_between_fields_gives_another_identifier() -> None:
    left = replace(HERE, table=b"ab", ledger=b"c")
    right = replace(HERE, table=b"a", ledger=b"bc")
    assert left.session_identifier(b"x") != right.session_identifier(b"x")
    assert HERE.session_identifier(b"xy", b"z") != HERE.session_identifier(b"x", b"yz")


def test_the_identifier_is_as_specified() -> None:
    """The digest of all fields in order, numbers as four bytes, behind its label."""
    four = [number.to_bytes(4, "big") for number in (HERE.version, HERE.attempt, 9, 2)]
    assert HERE.session_identifier(b"purpose", b"detail") == digest(
        b"p2p304/v1/proof-context",
        four[0],
        HERE.table,
        HERE.ledger,
        four[1],
        four[2],
        four[3],
        b"Action",
        HERE.history,
        b"purpose",
        b"detail",
    )


@pytest.mark.parametrize("field", ["version", "attempt", "round", "seat"])
@pytest.mark.parametrize("number", [-1, 2**32, True, 1.0, "1", None])
def test_a_number_that_does_not_fit_is_refused(field: str, number: object) -> None:
    with pytest.raises(LocalError):
        replace(HERE, **{field: number})  # type: ignore[arg-type]
    assert replace(HERE, **{field: 2**32 - 1}) != HERE  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["table", "ledger", "history"])
@pytest.mark.parametrize("data", ["text", bytearray(4), None, 4])
def test_an_identifier_that_is_not_bytes_is_refused(field: str, data: object) -> None:
    with pytest.raises(LocalError):
        replace(HERE, **{field: data})  # type: ignore[arg-type]
