"""The charter: one digest for one agreement, and no roster that an honest table could not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from protocol.encoding import Value, decode, encode
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import Charter, check_nickname
from protocol.wire.continues import CONTINUES
from protocol.wire.referee import (
    REFEREE,
    TOURNAMENT,
)
from protocol.wire.terms import KNOWN_TERMS, KnownTerm, KnownTerms, Term, check_terms, terms_from
from tests.table.seating import charter, refused, signing_key

ROW: tuple[Any, ...] = decode(charter().to_bytes())  # type: ignore[assignment]
"""The fields of a charter."""


def test_everything_that_was_agreed_changes_the_digest() -> None:
    agreed = charter()
    first = agreed.seats[0]
    others = [
        replace(agreed, table=b"z" * 16),
        replace(agreed, game="other"),
        replace(agreed, profile="other"),
        replace(agreed, seats=(agreed.seats[1], first, *agreed.seats[2:])),
        replace(agreed, seats=(replace(first, nickname="Zoe"), *agreed.seats[1:])),
        replace(agreed, seats=(replace(first, nonce=b"z" * 32), *agreed.seats[1:])),
        replace(agreed, seats=(replace(first, key=signing_key(9).public), *agreed.seats[1:])),
    ]
    assert len({each.digest for each in (agreed, *others)}) == len(others) + 1
    assert len({each.fingerprint for each in (agreed, *others)}) == len(others) + 1


def test_one_key_name_or_nonce_in_two_seats_is_refused() -> None:
    agreed = charter()
    first, second, *rest = agreed.seats
    for changed, check in (
        (replace(second, key=first.key), "charter.duplicate_key"),
        (replace(second, nickname=first.nickname), "charter.duplicate_nickname"),
        (replace(second, nonce=first.nonce), "charter.duplicate_nonce"),
    ):
        assert refused(replace, agreed, seats=(first, changed, *rest)) == check


def test_a_key_of_low_order_is_refused() -> None:
    bad = ((1).to_bytes(32, "little"), "Zoe", b"z" * 32)
    data = encode((*ROW[:4], (bad, *ROW[4][1:]), ()))
    assert refused(Charter.from_bytes, data) == "key.order"


def test_another_version_is_refused_by_name() -> None:
    for version in (0, 1, PROTOCOL_VERSION + 1):
        for data in (encode((version, *ROW[1:])), encode((version, *ROW[1:5])), encode((version,))):
            assert refused(Charter.from_bytes, data) == "charter.version"


def test_a_version_that_is_no_integer_is_no_version() -> None:
    for version in ("2", b"\2", (2,)):
        data = encode((version, *ROW[1:]))
        assert refused(Charter.from_bytes, data) == "charter.shape"


def test_shapes_sizes_and_counts_are_checked() -> None:
    for data in (encode(()), encode(ROW[:5]), encode((*ROW, 1)), encode(5), encode((*ROW[:5], 1))):
        assert refused(Charter.from_bytes, data) == "charter.shape"
    agreed = charter()
    assert refused(replace, agreed, seats=agreed.seats[:1]) == "charter.seats"
    assert refused(replace, agreed, table=b"short") == "charter.table"
    for game in ("", "304\x01", "304\x7f", "３０４"):
        assert refused(replace, agreed, game=game) == "charter.game"
    assert refused(replace, agreed, profile="x" * 8_001) == "charter.profile"
    short = replace(agreed.seats[0], nonce=b"")
    assert refused(replace, agreed, seats=(short, *agreed.seats[1:])) == "charter.nonce"


HOSTILE = ["", " Amal", "Amal ", "a" * 33, "a\x1b]52;c;x", "\x9b2J", "a\rb", "\u202eabc", "\u2066a"]
HOSTILE += ["a\u200bb", "a\u00adb", "\ufeffa", "a\U000e0041", "tab\t", "a\u2028b", "\x7f"]


RANGES = "\0\x1f\x7f\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028\u202e\u2060\u206f"
RANGES += "\ud800\udfff\ufeff\ufff0\ufffb\U000e0000\U000e0fff"
BESIDE = (
    "!~\xa1\xac\xae\u061b\u061d\u180d\u180f\u200c\u200d\u2010\u2027\u2070\ud7ff\ue000\ufefe\uff00"
)
BESIDE += "\uffef\ufffc\U000dffff\U000e1000"


def test_characters_are_refused_to_the_ends_of_their_ranges_and_no_further() -> None:
    for each in RANGES:
        assert refused(check_nickname, f"a{each}b") == "charter.nickname"
    for each in BESIDE:
        check_nickname(f"a{each}b")


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_nickname_that_could_act_on_a_screen_is_refused(name: str) -> None:
    assert refused(check_nickname, name) == "charter.nickname"


@pytest.mark.parametrize("name", ["Amal", "ශ්‍රී", "சிவா", "Zoë", "李", "a b"])
def test_names_in_the_scripts_of_the_island_and_elsewhere_are_fine(name: str) -> None:
    check_nickname(name)


# --- charter terms --------------------------------------------------------------------------------


NAMES = ("bots", "bots-level", "cup", "\ufffd", "\U00010000")
KNOWN: KnownTerms = {name: KnownTerm(lambda _, __: True) for name in NAMES}


def refused_among(value: Value, known: KnownTerms = KNOWN) -> str:
    return refused(check_terms, terms_from(value), 4, known)


def with_terms(value: Value) -> bytes:
    row: Any = decode(charter().to_bytes())
    return encode((*row[:5], value))


def test_few_names_are_known_and_every_other_term_is_refused() -> None:
    assert set(KNOWN_TERMS) == {"continues", "referee", "tournament"}
    assert charter().terms == ()
    for value in ((("bots", 1),), (("a", 1), ("b", (1, (2, b""), "c")))):
        assert refused(Charter.from_bytes, with_terms(value)) == "charter.term"
        assert refused(replace, charter(), terms=terms_from(value)) == "charter.term"


def test_terms_stand_by_the_bytes_of_their_names_and_once_each() -> None:
    check_terms(terms_from(tuple((name, 0) for name in NAMES)), 4, KNOWN)
    for one, other in ((0, 1), (1, 2), (3, 4)):
        assert refused_among(((NAMES[other], 0), (NAMES[one], 0))) == "charter.term_order"
    assert refused_among((("cup", 0), ("cup", 0))) == "charter.term_order"
    assert refused_among((("cup", 0), ("cup", 1))) == "charter.term_order"
    assert refused_among((("bots", 0), ("cup", 0), ("bots", 0))) == "charter.term_order"


def test_an_unknown_name_or_value_among_known_ones_is_refused() -> None:
    assert refused_among((("bots", 0), ("bots2", 0), ("cup", 0))) == "charter.term"
    assert refused_among((("", 0),)) == "charter.term"

    def is_even(value: Value, seats: int) -> None:
        if not isinstance(value, int) or value % 2 or not seats:
            raise MalformedMessage("charter.term")

    even: KnownTerms = {"cup": KnownTerm(is_even)}
    check_terms(terms_from((("cup", 2),)), 4, even)
    for value in (1, "2", ()):
        assert refused_among((("cup", value),), even) == "charter.term"


def test_what_is_no_list_of_names_and_values_has_the_wrong_shape() -> None:
    for value in (0, b"", "", ("cup",), (("cup",),), (("cup", 1, 2),), ((b"cup", 1),), (((), 1),)):
        assert refused(Charter.from_bytes, with_terms(value)) == "charter.shape"


def test_a_refusal_shows_a_name_without_what_acts_on_a_terminal() -> None:
    with pytest.raises(MalformedMessage) as caught:
        check_terms((Term("\x1b[2J" + "x" * 5_000, 0),), 4)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 120


# --- what the known terms say --------------------------------------------------------------------

ID, HEAD = bytes(range(32)), bytes(range(1, 33))
POINT = (3, 7, HEAD)
GOOD = (ID, POINT, 0b0111, 2, (5, -5), ((3, 0),))
KEY = charter().seats[0].key.to_bytes()


def changed(place: int, value: Value) -> Value:
    """The value of `continues` with something else in one place."""
    return (*GOOD[:place], value, *GOOD[place + 1 :])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (CONTINUES, 1),
        (CONTINUES, GOOD[:3]),
        (CONTINUES, (*GOOD[:5], 1)),
        (CONTINUES, changed(0, ID[:31])),
        (CONTINUES, changed(1, (3, 7, HEAD[:5]))),
        (CONTINUES, changed(1, (3, 7))),
        (CONTINUES, changed(1, (-1, 7, HEAD))),
        (CONTINUES, changed(1, (3, 5_000, HEAD))),
        (CONTINUES, changed(2, 0b1111)),
        (CONTINUES, changed(2, 0b0001)),
        (CONTINUES, changed(2, -2)),
        (CONTINUES, changed(3, 4)),
        (CONTINUES, changed(4, (1 << 40, 0))),
        (CONTINUES, changed(4, (0,) * 65)),
        (CONTINUES, changed(5, ((3,),))),
        (CONTINUES, changed(5, ((3, 0), (3, 1)))),
        (CONTINUES, changed(5, ((1, 0),))),
        (CONTINUES, changed(5, ((3, 3),))),
        (TOURNAMENT, (ID[:31], 1)),
        (TOURNAMENT, (ID, 0)),
        (TOURNAMENT, ID),
        (REFEREE, ()),
        (REFEREE, KEY),
        (REFEREE, (KEY, KEY)),
        (REFEREE, (KEY, 1)),
        (REFEREE, (bytes(32),)),
        (REFEREE, tuple(bytes((number,)) * 32 for number in range(9))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_term_that_says_what_cannot_be_is_refused_by_its_name(name: str, value: Value) -> None:
    with pytest.raises(MalformedMessage, match=name) as caught:
        check_terms((Term(name, value),), 4)
    assert caught.value.check == "charter.term"
