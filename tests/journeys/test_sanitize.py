"""Text of others on our terminal: nothing acts, hides, piles up or passes for somebody else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from cli.sanitize import REPLACEMENT, cells_of, impostors, safe_name, safe_text, skeleton


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]52;c;QUJD\x07", "�]52;c;QUJD�"),
        ("\x1b]8;;http://x\x1b\\click\x1b]8;;\x1b\\", "�]8;;http://x�\\click�]8;;�\\"),
        ("\x9b2Jgone", "�2Jgone"),
        ("West\rEast", "West�East"),
        ("two\nlines", "two�lines"),
        ("a\x7fb\x00c", "a�b�c"),
        ("x\u202egnp.exe", "x�gnp.exe"),
        ("\u2066in\u2069", "�in�"),
        ("ze\u200bro", "ze�ro"),
        ("w\u2060j\ufeff", "w�j�"),
        ("tag\U000e0041", "tag�"),
        ("fill\u3164er\u2800", "fill�er�"),
        ("nb\u00a0sp", "nb�sp"),
        ("private\ue000", "private�"),
        ("o\u0301\u0302\u0303\u0304", "ó\u0302\u0303�"),
        ("\u0301first", "�first"),
        ("a\ufe0f", "a�"),
        ("a\u200db", "a�b"),
        ("ර\u0dda\u0dca\u0dca\u200dර", "ර\u0dda\u0dca��ර"),
    ],
)
def test_what_a_terminal_would_obey_or_hide_becomes_a_visible_sign(
    hostile: str, shown: str
) -> None:
    assert safe_text(hostile) == shown


@pytest.mark.parametrize(
    "honest",
    ["Amara", "ක්‍රීඩාව", "தமிழ்ச்செல்வன்", "Ποσειδών", "Åse", "李小龍", "👩 mahjong", "a.b-c_d 1+1=2"],
)
def test_names_of_honest_people_pass_unchanged(honest: str) -> None:
    assert safe_text(honest) == unicodedata.normalize("NFC", honest)


def test_ascii_screens_get_ascii() -> None:
    assert safe_text("Åse ♠ long", cells=8, ascii_only=True) == "?se ? l."


def test_a_name_holds_no_suit_and_nobody_is_nameless() -> None:
    assert safe_name("♠West♥") == f"{REPLACEMENT}West{REPLACEMENT}"
    assert safe_name("   ") == "?"
    assert safe_name("") == "?"
    assert safe_name("🂡ace") == f"{REPLACEMENT}ace"


@given(st.text(max_size=300), st.integers(min_value=1, max_value=40), st.booleans())
def test_any_text_is_safe_and_fits(text: str, cells: int, ascii_only: bool) -> None:
    shown = safe_text(text, cells=cells, ascii_only=ascii_only)
    assert cells_of(shown) <= cells
    for char in shown:
        category = unicodedata.category(char)
        assert category[0] in "LMNPS" or char == " " or char in "\u200c\u200d"
        assert category[0] == "M" or char in "\u200c\u200d" or wcwidth(char) >= 1
    assert not ascii_only or shown.isascii()
    once = safe_text(text)
    assert safe_text(once) == once


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("West", "Wеst"),
        ("Paul", "Раul"),
        ("Paul", "PauI"),
        ("Paul", "pau1"),
        ("modern", "modem"),
        ("Zoë", "zoe"),
        ("Ａｌｉ", "ali"),
        ("a b", "ab"),
        ("Amara", "Amara\u200b"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    assert impostors([one, other, "Kumari"]) == impostors([one]) | impostors([other]) | {one, other}


def test_words_of_the_program_and_empty_names_are_impostors() -> None:
    listed = ["You", "Sуstem:", "WEST", "N", "—", "Kumari", "Ruwan"]
    assert impostors(listed) == {"You", "Sуstem:", "WEST", "N", "—"}


def test_no_name_says_in_brackets_what_the_program_says() -> None:
    for name in ("Zed (partner)", "Zed （you）", "Zed [maker]"):
        assert not set(safe_name(name)) & set("()[]（）")
    assert safe_name("Zed (you)", ascii_only=True) == "Zed ?you?"


def test_lengths_are_counted_in_cells_and_what_is_longer_ends_with_an_ellipsis() -> None:
    assert safe_text("李小龍李小龍", cells=7) == "李小龍…"
    assert safe_text("李小龍", cells=6) == "李小龍"
    assert safe_text("a" * 1_000_000, cells=10) == "a" * 9 + "…"
    assert safe_text("o\u0301" * 5, cells=5) == "ó" * 5
    assert safe_text("කාකාකා", cells=6) == "කාකාකා"
    assert safe_text("කාකාකා", cells=5) == "කාකා…"
    assert safe_text("ක්‍රක්‍ර", cells=2) == "ක්…"
