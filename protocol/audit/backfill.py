"""What a peer lacks of hands that a table has forgotten, found in the transcripts of those hands.

A seat that lost its journal, or came back with an old copy, and a spectator who comes late, need
messages of hands that nobody has in memory any more. The transcripts have them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from p2p304.game import AnyGame
from protocol.audit.transcript import LedgerBegins, Said, TranscriptReader
from protocol.ledger.frame_bound import FrameSizes
from protocol.places import Lane, LedgerName
from protocol.wire.contents import MAX_RESENT, Head
from protocol.wire.envelope import Envelope
from protocol.wire.messages import Message, decode_body

NEEDED: Final = 2
"""Transcripts that are looked into for one answer: of the hand that a peer is in, and the next."""


def hands_wanted(heads: tuple[Head, ...]) -> tuple[int, ...]:
    """Return the hands whose transcripts have what a peer with these heads lacks first."""
    newest = max((head.number for head in heads if head.lane == Lane.HAND), default=-1)
    return tuple(number for number in range(newest, newest + NEEDED) if number >= 0)


def lacked_in(
    transcripts: Iterator[bytes], heads: tuple[Head, ...], game: AnyGame
) -> tuple[tuple[bytes, int], ...]:
    """Return the envelopes in these whole files that a peer lacks, each with the room of its frame.

    The oldest come first, at most MAX_RESENT. Nothing is verified: the peer does that. Raises
    MalformedMessage for a file that is no transcript.

    Args:
        transcripts: of `hands_wanted(heads)`, in this order.
        heads: how far the peer says that it has come.
        game: the charter's, for the sizes of the frames.
    """
    told = {head.ledger: head for head in heads}
    found: dict[bytes, int] = {}
    for data in transcripts:
        reader = TranscriptReader()
        head: Head | None = None
        sizes: FrameSizes | None = None
        for entry in reader.feed(data):
            match entry:
                case LedgerBegins(origin):
                    head = told.get(LedgerName(*origin.ledger))
                    sizes = FrameSizes(game, origin)
                case Said(raw) if sizes is not None:
                    body = decode_body(Envelope.from_bytes(raw))
                    if not isinstance(body, Message):
                        continue
                    sizes.follow(body)
                    if head is None or _lacks(head, body):
                        found[raw] = sizes.room(body)
                case _:
                    pass
        reader.finish()
    return tuple(found.items())[:MAX_RESENT]


def _lacks(head: Head, body: Message) -> bool:
    if body.place.round < head.closed:
        return False
    return body.place.round > head.closed or not head.present >> body.place.seat & 1
