"""What a peer lacks of hands that a table has forgotten, found in the transcripts of those hands.

A seat that lost its journal, or came back with an old copy, and a spectator who comes late, need
messages of hands that nobody has in memory any more. The transcripts have them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from protocol.contents import Head, Lane, LedgerName
from protocol.envelope import Envelope
from protocol.gossip import MAX_RESENT
from protocol.messages import Message, decode_body
from protocol.transcript import LedgerBegins, Said, TranscriptReader

NEEDED: Final = 2
"""Transcripts that are looked into for one answer: of the hand that a peer is in, and the next."""


def hands_wanted(heads: tuple[Head, ...]) -> tuple[int, ...]:
    """The hands whose transcripts have what a peer with these heads lacks first."""
    newest = max((head.number for head in heads if head.lane == Lane.HAND), default=-1)
    return tuple(number for number in range(newest, newest + NEEDED) if number >= 0)


def lacked_in(transcripts: Iterator[bytes], heads: tuple[Head, ...]) -> tuple[bytes, ...]:
    """The envelopes in these whole files that a peer lacks, oldest first, at most MAX_RESENT.

    Raises MalformedMessage for a file that is no transcript.
    """
    told = {head.ledger: head for head in heads}
    found: dict[bytes, None] = {}
    for data in transcripts:
        reader = TranscriptReader()
        head: Head | None = None
        for entry in reader.feed(data):
            match entry:
                case LedgerBegins(origin):
                    head = told.get(LedgerName(*origin.ledger))
                case Said(raw) if head is None or _lacks(head, raw):
                    found[raw] = None
                case _:
                    pass
        reader.finish()
    return tuple(found)[:MAX_RESENT]


def _lacks(head: Head, raw: bytes) -> bool:
    body = decode_body(Envelope.from_bytes(raw))
    if not isinstance(body, Message) or body.place.round < head.closed:
        return False
    return body.place.round > head.closed or not head.present >> body.place.seat & 1
