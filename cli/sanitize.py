"""Text from others, made safe to print: no character can act on the terminal, hide, or pile up.

Every nickname, chat line, table name and error text that came from elsewhere goes through here
before a terminal sees it. Listed kinds of characters pass; every other one becomes one visible
sign. Lengths are in terminal cells. Source: specs/attacks.md, CL6 and CL7; Unicode 15, general
categories (UAX 44) and normalisation (UAX 15).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from wcwidth import wcwidth

# One visible sign for whatever was taken out, so that the reader sees that something was there.
REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
ELLIPSIS: Final = "…"
MOST_MARKS: Final = 2  #: Combining marks that one letter may carry; more is Zalgo.

# Names in lists; the charter shows them in full.
NAME_CELLS: Final = 16
# Two and a half lines of 80 columns: longer texts are cut unless a caller says otherwise.
LINE_CELLS: Final = 200
# A choice, as is the next: room for what others may have put into an error, and no flood.
ERROR_CELLS: Final = 300
# For a sentence that may list many teams.
LIST_CELLS: Final = 600

# Zero-width joiners, which Sinhala needs and which hide between other letters.
_JOINERS: Final = frozenset("\u200c\u200d")
# Unicode: class 9 is the virama.
#: The combining class of the signs that join letters of Sinhala, Tamil and their relatives.
_VIRAMA_CLASS: Final = 9

# Letters or marks by their category, but nothing to see: two names could look the same.
_INVISIBLE: Final = frozenset(
    "\u034f"  # combining grapheme joiner
    "\u115f\u1160\u3164\uffa0"  # Hangul fillers
    "\u17b4\u17b5"  # Khmer inherent vowels
    "\u2800"  # empty braille cell
).union(
    map(chr, range(0x180B, 0x1810)),  # Mongolian variation selectors
    map(chr, range(0xFE00, 0xFE10)),  # variation selectors
    map(chr, range(0xE0100, 0xE01F0)),  # more variation selectors
)
# Signs of suits and playing cards: a name must not look like cards on the table.
_SUITS: Final = frozenset("♠♡♢♣♤♥♦♧") | frozenset(map(chr, range(0x1F0A0, 0x1F100)))
# The program writes remarks in brackets, such as (bot): no name may look like one.
_BRACKETS: Final = frozenset(
    "()[]{}\uff08\uff09\ufe59\ufe5a\u207d\u207e\u208d\u208e\u2768\u2769\u276a\u276b"
)

#: Letters of other scripts, and digits and signs, by the Latin letter that they look like.
_LOOKALIKES: Final = str.maketrans(
    # Cyrillic, Greek, then signs and digits; compared only, never shown.
    "абвгдеикмнорстухіјѕԁԛԝһӏ" + "αβεηικνορτυχϲ" + "ıi|!1ℓ0" + "ɑɡ",
    "a6brdenkmhopctyxljsdqwhl" + "abenlkvoptuxc" + "llllllo" + "ag",
)

#: Names that the program itself uses; compared by `skeleton`.
RESERVED_NAMES: Final = frozenset(
    {"you", "me", "system", "server", "host", "dealer", "broker", "p2p304", "nobody", "everyone"}
    # Words and places by which the screen speaks: a name like them could pass for the program.
    | {"south", "east", "north", "west", "s", "e", "n", "w"}
    | {"southeast", "northeast", "northwest", "southwest"}
)


def safe_text(text: str, *, cells: int = LINE_CELLS, ascii_only: bool = False) -> str:
    """Return `text` on one line of at most `cells` cells, cut with an ellipsis if it is longer, so
    that no character acts on a terminal.

    Controls, bidirectional and zero-width characters, unassigned characters, invisible fillers and
    marks beyond two on a letter each become one replacement sign. With `ascii_only` that is `?`,
    and so becomes every character outside ASCII.
    """
    sign = "?" if ascii_only else REPLACEMENT
    # Lengths first: normalising costs time, and a later cut would drop the rest anyway.
    # A cell shows one letter with at most two marks and a joiner between them: four characters;
    # 16 more for cut ends.
    longest = 4 * cells + 16
    # NFC, so that a letter and its marks count as the terminal draws them.
    kept = unicodedata.normalize("NFC", text[:longest])
    shown: list[str] = []
    marks = 0
    for index, char in enumerate(kept):
        if unicodedata.category(char).startswith("M") and char not in _INVISIBLE:
            marks += 1
            # A mark with nothing before it would sit on our own text.
            harmless = shown != [] and marks <= MOST_MARKS
        else:
            # A joiner does not end the run of marks: "letter, mark, joiner, mark" piles up as well.
            marks = 0 if char not in _JOINERS else marks
            harmless = _is_harmless(char) or _joins_letters(shown, kept, index)
        # Also signs that terminals show well: whoever asked for letters may have a font without.
        if ascii_only and not char.isascii():
            harmless = False
        shown.append(char if harmless else sign)
    # The ellipsis also where the cut came before normalising.
    return _cut_words(
        "".join(shown), cells, "." if ascii_only else ELLIPSIS, longer=len(text) > longest
    )


def safe_name(name: str, *, cells: int = NAME_CELLS, ascii_only: bool = False) -> str:
    """Return a nickname as it is shown beside a seat: as `safe_text` gives it, without spaces at
    the ends; `?` if nothing is left.

    Suit signs and brackets become replacement signs, too, because the program itself writes cards,
    "(you)" and "(maker)".
    """
    # Eight characters a cell: no more than could be shown, before costly work.
    plain = "".join(
        REPLACEMENT if char in _SUITS | _BRACKETS else char for char in name[: 8 * cells]
    )
    # "?" for nothing at all: a seat must have a name that can be seen.
    return safe_text(plain, cells=cells, ascii_only=ascii_only).strip() or "?"


def skeleton(name: str) -> str:
    """Return a form of a name that is the same for names that look alike; for comparing, never for
    showing.

    Compatibility forms, case and look-alike letters of other scripts become plain small letters;
    marks, spaces and most signs are left out. Empty if no letter or digit is in it.
    """
    # Cut, as normalising costs time; a nickname has at most 32 characters.
    # NFKD and casefold: full-width, bold and small letters become plain ones.
    folded = unicodedata.normalize("NFKD", name[:256]).casefold()
    letters = "".join(
        # Letters and digits, and the two signs that pass for l.
        char
        for char in folded
        if unicodedata.category(char)[0] in "LN" or char in "|!"
    )
    # Two letters that read as one in many fonts.
    return letters.translate(_LOOKALIKES).replace("rn", "m").replace("vv", "w")


def impostors(names: Iterable[str]) -> frozenset[str]:
    """Return those of `names` that look like another one of them (both are returned) or like a
    word of the program, and those without any letter or digit.
    """
    listed = tuple(names)
    reserved = {skeleton(name) for name in RESERVED_NAMES}
    shapes = [skeleton(name) for name in listed]
    return frozenset(
        name
        for name, shape in zip(listed, shapes, strict=True)
        # Without a shape there is nothing to tell it by: it counts as doubtful.
        if not shape or shape in reserved or shapes.count(shape) > 1
    )


def cells_of(text: str) -> int:
    """Return the largest number of terminal cells that a safe text can take.

    A vowel sign of Sinhala or Tamil that stands beside its letter (category Mc) takes a cell of its
    own in terminals that ask the C library (tmux, xterm), and none in others.
    """
    if text.isascii():  # most of a screen, and much cheaper
        return len(text)
    # A spacing mark takes a cell in some terminals: counted, so that no line is longer than told.
    beside = unicodedata.category
    return sum(1 if beside(char) == "Mc" else max(wcwidth(char), 0) for char in text)


def is_uncertain(char: str) -> bool:
    """Return whether terminals differ in the cells of a text with this character.

    These are the marks of `is_beside` and the joiners, which may merge two letters into one cell.
    """
    return char in _JOINERS or is_beside(char)


def is_beside(char: str) -> bool:
    """Return whether `char` is a mark that stands beside its letter, in a cell of its own or in
    none.
    """
    return unicodedata.category(char) == "Mc"


def _is_harmless(char: str) -> bool:
    """Return whether a character may be shown as it is: a space, or a visible letter, number,
    punctuation or symbol. Marks and joiners are not; they are judged apart.
    """
    if char == " ":
        return True
    # Width below 1 is a control or a sign of no width: it would act, or hide.
    if char in _INVISIBLE or wcwidth(char) < 1:
        return False
    # Letters, numbers, punctuation and symbols; all else (controls, formats, unassigned) is
    # replaced.
    return unicodedata.category(char)[0] in "LNPS"


def _joins_letters(shown: Sequence[str], text: str, index: int) -> bool:
    """Return whether `text` has, at `index`, a joiner that may be shown: behind a virama, the
    last of `shown`, and before a letter of a script without case, as in Sinhala.
    """
    return (
        # Elsewhere a joiner is invisible, and "a" with one would be another name than "a".
        text[index] in _JOINERS
        and 0 < index < len(text) - 1
        and unicodedata.combining(shown[-1]) == _VIRAMA_CLASS
        # Letters without case, as those of Sinhala are.
        and unicodedata.category(text[index + 1]) == "Lo"
    )


def _cut_words(text: str, cells: int, ellipsis: str, *, longer: bool) -> str:
    """Return the text if it fits into `cells` cells and is not `longer`; else its beginning that
    fits with an ellipsis behind it.

    `longer` says that the text was cut already. Words may be cut in the middle.
    """
    if not longer and cells_of(text) <= cells:
        return text
    room = cells - cells_of(ellipsis)
    end = 0
    for char in text:
        room -= cells_of(char)
        if room < 0:
            break
        end += 1
    # A joiner whose second letter is cut off joins nothing, and would be hidden.
    return text[:end].rstrip("".join(_JOINERS)) + ellipsis
