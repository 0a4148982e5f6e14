"""A word for each team, which the organiser gives away with an invitation.

Whoever knows a word enters with a proof of it, which is good for that entry alone; the organiser's
copy takes no other entries from the others. Words follow from the organiser's key, so that nobody
has to keep them. Specified in specs/tournament.md, 10.5.
"""

from __future__ import annotations

import re
from base64 import b32encode
from dataclasses import replace
from typing import Final

from p2p304.tournament.entries import MOST
from protocol import labels
from protocol.encoding import digest
from protocol.errors import LocalError
from protocol.tournament.pieces import PIECES, TeamEntry, TournamentCharter
from protocol.wire.identity import SigningKey

_BYTES: Final = 10
_FORM: Final = re.compile("[a-z2-7]{16}")


def word_of(charter: TournamentCharter, organiser: SigningKey, number: int) -> str:
    """Return the word of the team with this number, from 1, 16 letters and digits."""
    signed = organiser.sign(labels.TOURNAMENT_WORDS, charter.digest, bytes((number,)))
    return b32encode(digest(labels.TOURNAMENT_WORD, signed)[:_BYTES]).decode().lower()


def words_of(charter: TournamentCharter, organiser: SigningKey) -> tuple[str, ...]:
    """Return the words of as many teams as may enter, that of the first team first."""
    return tuple(word_of(charter, organiser, number) for number in range(1, MOST + 1))


def prove(entry: TeamEntry, word: str) -> TeamEntry:
    """Return an entry that shows that who made it knows a word; raises LocalError for what is
    none."""
    if _FORM.fullmatch(word) is None:
        raise LocalError("a word has 16 of the characters a-z and 2-7")
    return replace(entry, proof=_proof(entry, word))


def proved_by(entry: TeamEntry, words: tuple[str, ...]) -> int | None:
    """Return the number, from 1, of the word that an entry shows, None if it shows none."""
    shown = (number for number, word in enumerate(words, 1) if _proof(entry, word) == entry.proof)
    return next(shown, None)


def _proof(entry: TeamEntry, word: str) -> bytes:
    body = PIECES.to_bytes(replace(entry, proof=b""))
    return digest(labels.TOURNAMENT_PROOF, word.encode(), body)
