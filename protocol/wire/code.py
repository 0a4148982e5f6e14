"""A table's code as text: a number and two words, such as `7-zebra-lantern`.

The number says where host and joiner meet, and is no secret; the words are the password of their
key exchange. Which words there are, specs/words.txt says; whoever can read files brings them.
Specified in specs/07-wire.md, 7.9.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, Self

from protocol.bounds import LONGEST_CODE
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage

# Three digits are dictated easily; the words are what must not be guessed.
LARGEST_NUMBER: Final = 999

# 20.7 bits, against five guesses (specs/decisions/050).
WORDS: Final = 2
_TOPIC: Final = "p2p304/code-{}"
_BETWEEN: Final = re.compile(r"[\s-]+")


@dataclass(frozen=True, slots=True)
class Code:
    """A table's code. Its `repr` shows the number and no word."""

    number: int
    words: tuple[str, ...] = field(repr=False)

    def format(self) -> str:
        """Return the code as players pass it on: "7-zebra-lantern"."""
        return "-".join((f"{self.number}", *self.words))

    @classmethod
    def parse(cls, text: str, known: Sequence[str]) -> Self:
        """Return the code that a person typed; case does not matter, blanks serve as hyphens.

        Raises MalformedMessage `code`, whose detail tells the person what is wrong, for a text that
        is no code, and for a word that is not in `known`.
        """
        if len(text) > LONGEST_CODE:
            raise _code_error("this is too long for a code: type the code alone")
        # As people type and dictate it.
        parts = _BETWEEN.split(text.strip(" \t-").lower())
        number, words = parts[0], tuple(parts[1:])
        # isascii first: digits of other scripts pass isdigit().
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= LARGEST_NUMBER):
            raise _code_error("a code begins with a number, such as 7-zebra-lantern")
        if len(words) != WORDS:
            raise _code_error("a code is a number and two words, such as 7-zebra-lantern")
        for place, word in enumerate(words, start=1):
            # A slip is caught here, before it costs one of five guesses.
            if word not in known:
                which = {1: "first", 2: "second"}[place]
                near = next(iter(get_close_matches(word, known, 1)), None)
                what = "compare it" if near is None else f"the nearest is {near}"
                raise _code_error(f"the {which} word is none that a code has: {what}")
        return cls(int(number), words)


def topic_of(number: int) -> str:
    """Return the topic at which host and joiner of codes with this number meet."""
    return _TOPIC.format(number)


def new_words(known: Sequence[str], entropy: Entropy) -> tuple[str, ...]:
    """Return two words drawn from `known` independently, so that they may be the same, each with
    16 bytes of `entropy`.
    """
    # 16 bytes: what a remainder favours is below 2⁻¹⁰⁰.
    return tuple(known[int.from_bytes(entropy(16), "big") % len(known)] for _ in range(WORDS))


def looks_like_code(text: str) -> bool:
    """Tell whether a typed text begins with a digit, after any blanks, as codes do and invites
    do not.
    """
    # A slice, since the text may be empty.
    # Digits of other scripts, too: `parse` says what is wrong with them.
    return text.strip()[:1].isdigit()


def _code_error(detail: str) -> MalformedMessage:
    """Return the error for a text that is no code, with `detail` for the person who typed it."""
    return MalformedMessage("code", detail)
