"""Optional terms of a charter: one order, no name twice, and none that we could not keep."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.encoding import MAX_DEPTH, Value, decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.wire.charter import Charter
from protocol.wire.terms import KNOWN_TERMS, KnownTerms, Term, check_terms, terms_from
from tests.table.seating import charter

NAMES = ("bots", "bots-level", "cup", "\ufffd", "\U00010000")
KNOWN: KnownTerms = {name: lambda _, __: True for name in NAMES}


def refused(value: Value, known: KnownTerms = KNOWN) -> str:
    with pytest.raises(MalformedMessage) as caught:
        check_terms(terms_from(value), 4, known)
    return caught.value.check


def with_terms(value: Value) -> bytes:
    row = decode(charter().to_bytes())
    assert isinstance(row, tuple)
    return encode((*row[:5], value))


def test_few_names_are_known_and_every_other_term_is_refused() -> None:
    assert set(KNOWN_TERMS) == {"continues", "referee", "tournament"}
    assert charter().terms == ()
    for value in ((("bots", 1),), (("a", 1), ("b", (1, (2, b""), "c")))):
        with pytest.raises(MalformedMessage) as caught:
            Charter.from_bytes(with_terms(value))
        assert caught.value.check == "charter.term"
        with pytest.raises(MalformedMessage) as caught:
            replace(charter(), terms=terms_from(value))
        assert caught.value.check == "charter.term"


def test_known_terms_hold_any_value_of_the_encoding() -> None:
    nested: Value = 0
    for _ in range(MAX_DEPTH - 3):
        nested = (nested, b"")
    for value in (0, -1, 2**64 - 1, b"\0\xff", "text", (), (1, (b"2", "3")), nested):
        read = terms_from((("cup", value),))
        assert read == (Term("cup", value),)
        check_terms(read, 4, KNOWN)
        with pytest.raises(MalformedMessage, match=r"charter\.term: 'cup'"):  # whole, it encodes
            Charter.from_bytes(with_terms((("cup", value),)))
    with pytest.raises(LocalError):
        with_terms((("cup", (nested,)),))


def test_terms_stand_by_the_bytes_of_their_names_and_once_each() -> None:
    check_terms(terms_from(tuple((name, 0) for name in NAMES)), 4, KNOWN)
    for one, other in ((0, 1), (1, 2), (3, 4)):
        assert refused(((NAMES[other], 0), (NAMES[one], 0))) == "charter.term_order"
    assert refused((("cup", 0), ("cup", 0))) == "charter.term_order"
    assert refused((("cup", 0), ("cup", 1))) == "charter.term_order"
    assert refused((("bots", 0), ("cup", 0), ("bots", 0))) == "charter.term_order"


def test_an_unknown_name_or_value_among_known_ones_is_refused() -> None:
    assert refused((("bots", 0), ("bots2", 0), ("cup", 0))) == "charter.term"
    assert refused((("", 0),)) == "charter.term"

    def is_even(value: Value, seats: int) -> None:
        if not isinstance(value, int) or value % 2 or not seats:
            raise MalformedMessage("charter.term")

    even: KnownTerms = {"cup": is_even}
    check_terms(terms_from((("cup", 2),)), 4, even)
    for value in (1, "2", ()):
        assert refused((("cup", value),), even) == "charter.term"


def test_what_is_no_list_of_names_and_values_has_the_wrong_shape() -> None:
    for value in (0, b"", "", ("cup",), (("cup",),), (("cup", 1, 2),), ((b"cup", 1),), (((), 1),)):
        with pytest.raises(MalformedMessage) as caught:
            Charter.from_bytes(with_terms(value))
        assert caught.value.check == "charter.shape"


def test_a_refusal_shows_a_name_without_what_acts_on_a_terminal() -> None:
    with pytest.raises(MalformedMessage) as caught:
        check_terms((Term("\x1b[2J" + "x" * 5_000, 0),), 4)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 120
