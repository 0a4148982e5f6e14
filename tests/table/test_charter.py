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
from protocol.wire.terms import Term, check_terms
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


@pytest.mark.parametrize("name", ["Amal", "ශ්‍රී", "சிவா", "Zoë", "李", "a b"])
def test_names_in_the_scripts_of_the_island_and_elsewhere_are_fine(name: str) -> None:
    check_nickname(name)


def test_a_refusal_shows_a_name_without_what_acts_on_a_terminal() -> None:
    with pytest.raises(MalformedMessage) as caught:
        check_terms((Term("\x1b[2J" + "x" * 5_000, 0),), 4)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 120


# --- what the known terms say --------------------------------------------------------------------

ID, HEAD = bytes(range(32)), bytes(range(1, 33))
KEY = charter().seats[0].key.to_bytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (CONTINUES, (ID, (3, 7, HEAD), 0b1111, 2, (5, -5), ())),
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
