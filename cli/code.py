"""Table codes such as 7-zebra-lantern: reading, completing and drawing them, with the word list
of the specification (specs 7.9).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from functools import cache
from os.path import commonprefix
from typing import Final

from cli.errors import UserError
from cli.input_files import SPECS
from cli.wording import capital
from protocol.errors import MalformedMessage
from protocol.wire.code import WORDS, Code, new_words

# So a word needs no more than its beginning to be typed (specs 7.9).
TELLING: Final = 3  #: Letters that no two words begin with alike.


class CodeError(UserError):
    """The text is no code, or the code lets nobody in; one sentence says why and what to do."""


@cache
def known_words() -> tuple[str, ...]:
    """Return the 1,295 words that codes are made of, in alphabetical order."""
    lines = (SPECS / "words.txt").read_text("ascii").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


def parse_code(text: str) -> Code:
    """Return the code in `text`; raises CodeError for any other text.

    A word may be cut off after three letters, which no two words share: `7-zeb-lan` is
    `7-zebra-lantern`.
    """
    # Spaces and hyphens alike: a code is read aloud and typed as people hear it.
    number, *words = re.split(r"[\s-]+", text.strip(" \t-").lower())
    try:
        # The number first, by the protocol's own parser: one reader of codes for host and joiner.
        return Code.parse("-".join((number, *map(_whole, words))), known_words())
    # The check's name is for programs; its detail is the sentence.
    except MalformedMessage as error:
        raise CodeError(f"{capital(error.detail)}.") from error


def _whole(word: str) -> str:
    """Return the known word that a typed word stands for: the only one that begins with it, if
    it has three letters or more; else return `word` as it is.
    """
    found = [each for each in known_words() if each.startswith(word)]
    # Shorter beginnings are left as typed, and refused: a guess is lost with a wrong word (attacks
    # CO1).
    return found[0] if len(word) >= TELLING and len(found) == 1 else word


def draw_code(number: int) -> Code:
    """Return a new random code with this number, 1 to 999."""
    # From the system's source: a code that can be foreseen lets strangers in.
    return Code(number, new_words(known_words(), secrets.token_bytes))


def complete_code(text: str) -> tuple[str, Sequence[str]]:
    """Return the letters that the Tab key adds to a partly typed code, and the words to choose
    from.

    If one word is possible, its rest is added, with a hyphen unless it is the last word, and the
    words are empty. If several are, the letters are what they share beyond `text`, perhaps none.
    Both are empty if no word is possible, or a number is being typed.
    """
    *before, begun = re.split(r"[\s-]+", text.lower())
    # Only the two words are completed: before the first stands 1 part, the number, before the
    # second 2, which is as many as `WORDS`.
    if len(before) not in (1, WORDS) or not before[0].isdigit():
        return "", ()
    found = [word for word in known_words() if word.startswith(begun)]
    if len(found) == 1:
        # The next word may be typed at once; behind the last nothing follows.
        return found[0][len(begun) :] + ("-" if len(before) < WORDS else ""), ()
    # As far as all possible words agree.
    sure = commonprefix(found)[len(begun) :]  # noqa: RUF071 - letter by letter is meant
    return sure, found
