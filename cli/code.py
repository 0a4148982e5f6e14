"""The codes of tables as the program reads and draws them: with the words of the specification."""

from __future__ import annotations

import secrets
from functools import cache

from cli.errors import UserError
from cli.specification import SPECS
from protocol.errors import MalformedMessage
from protocol.wire.code import Code, new_words


class CodeError(UserError):
    """The text is no code, or it lets nobody in; one sentence says why and what to do."""


@cache
def known_words() -> tuple[str, ...]:
    """Return the words of which codes are made, in the order of the alphabet."""
    lines = (SPECS / "words.txt").read_text("ascii").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


def parse_code(text: str) -> Code:
    """Return the code in `text`; raises CodeError with one sentence."""
    try:
        return Code.parse(text, known_words())
    except MalformedMessage as error:
        raise CodeError(f"{error.detail[:1].upper()}{error.detail[1:]}.") from error


def draw_code(number: int) -> Code:
    """Return a new code of this number."""
    return Code(number, new_words(known_words(), secrets.token_bytes))


def completions(text: str) -> tuple[str, ...]:
    """Return what the last word of a code that is being typed may become; nothing for a number."""
    *before, begun = text.lower().replace(" ", "-").split("-")
    if len(before) not in (1, 2) or not before[0].isdigit():
        return ()
    ending = "-" if len(before) == 1 else ""
    return tuple(word + ending for word in known_words() if word.startswith(begun))
