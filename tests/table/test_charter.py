"""The charter: one digest for one agreement, and no roster that an honest table could not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import Charter, check_nickname
from tests.table.seating import charter, flipped, refused, signing_key

ROW: tuple[Any, ...] = decode(charter().to_bytes())  # type: ignore[assignment]
"""The fields of a charter."""


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_a_charter_round_trips_for_any_number_of_seats(seats: int) -> None:
    agreed = charter(seats, profile="pagat\nminimum=160")
    assert Charter.from_bytes(agreed.to_bytes()) == agreed
    assert Charter.from_bytes(agreed.to_bytes()).digest == agreed.digest


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


def test_every_single_byte_mutation_is_refused_or_another_charter() -> None:
    agreed = charter(3)
    raw = agreed.to_bytes()
    for place in range(len(raw)):
        changed = flipped(raw, place)
        try:
            other = Charter.from_bytes(changed)
        except MalformedMessage:
            continue
        assert other.digest != agreed.digest


def test_the_fingerprint_is_short_and_sayable() -> None:
    text = charter().fingerprint
    assert len(text) == 19
    assert text.count("-") == 3
    assert text.replace("-", "").isalnum()


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


def test_what_was_never_released_is_told_so_with_what_to_do() -> None:
    said = {}
    for version in (1, 3):
        with pytest.raises(MalformedMessage) as caught:
            Charter.from_bytes(encode((version, *ROW[1:])))
        said[version] = caught.value.detail
    assert "never released" in said[1]
    assert "begin a new table" in said[1]
    assert "never released" not in said[3]
    assert "use the p2p304 that wrote it" in said[3]


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


def test_a_charter_names_the_key_of_each_seat_and_of_no_other() -> None:
    agreed = charter()
    assert agreed.key_of(Seat(2)) == agreed.seats[2].key
    assert agreed.key_of(Seat(4)) is None
