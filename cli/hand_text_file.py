"""Files of hands in text notation: checked by the rules and retold in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cli.errors import CheckFailed, UserError
from cli.front.story import HandStory
from cli.front.writing import Writer
from cli.input_files import InputFile
from p2p304.errors import NotationError
from p2p304.games import GAMES
from p2p304.hand_text import LONGEST, ToldHand, read_hands
from p2p304.sentences import count_words
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted, HandUnfinished

# A game's name, at most 32 characters as in a charter, as the first line of a hand has it; bytes,
# since a file may be no text at all.
_HEAD: Final = re.compile(rb"\s*([0-9A-Za-z_-]{1,32})[ \r\n]")


def hand_text(file: str) -> str | None:
    """Return the text of a file that begins with the name of a game; None for any other file, and
    for an empty one.

    Raises UserError for such a text that is too long or not ASCII, OSError for a file that cannot
    be read.
    """
    held = b""
    for piece in InputFile(file):
        # Kept whole, to be read as one text; a transcript fails the match at its first piece.
        held += piece
        head = _HEAD.match(held)
        # The first piece, 64 KiB of a file, holds the whole first line of any hand as text.
        if head is None or head[1].decode() not in GAMES:
            return None
        # Judged while it is read: a hostile file is not taken into memory (attacks CL9).
        if len(held) > LONGEST:
            raise UserError(f"{file} is too long for hands as text, at most {LONGEST} characters.")
    # The notation is ASCII, so that no two letters look alike.
    if not held.isascii():
        raise UserError(f"{file} is no hand as text: it holds more than ASCII.")
    return held.decode() if held else None


def told_hands(file: str, text: str, *, ascii_only: bool) -> Iterator[str]:
    """Yield, in lines, the story of each hand in `text`, then one line that all of them follow the
    rules.

    Raises CheckFailed, which names `file` and the line's number, where a line cannot be read or
    breaks the rules; hands before it may have been yielded.
    """
    # For a blank text, which has no hand.
    number = 0
    try:
        for number, hand in enumerate(read_hands(text), 1):
            story = HandStory(hand.game, Writer(hand.game.seats, ascii_only=ascii_only))
            # Events count hands from 0, people from 1.
            for event in _events(number - 1, hand):
                yield from story.hear(event)
    except NotationError as error:
        # An error tells its place in characters; people count lines from 1.
        line = text.count("\n", 0, error.position) + 1
        raise CheckFailed(f"{file}, line {line}: {error.args[0]}.") from None
    yield f"{count_words(number, 'hand')}: by the rules it is so."


def _events(number: int, hand: ToldHand) -> Iterator[Event]:
    """Yield a hand as the events of a table: its start, its actions, and its end, or that it is
    unfinished; `number` counts from 0.
    """
    # The same events as at a table, so that the same sentences tell them.
    yield HandStarted(number, hand.dealer, hand.scores)
    yield from (ActionTaken(seat, action) for seat, action in hand.actions)
    if hand.outcome is None:
        yield HandUnfinished(number, ())
    else:
        # No scores of a match: a text ends with its hand.
        yield HandEnded(number, hand.outcome, ())
