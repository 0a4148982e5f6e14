"""The hand keys of a transcript, in little room: what tells that one key serves two decks.

An audit forgets every hand that it has judged, but no key. Of a deck it keeps the raw HandKeys
messages, which are the evidence if a key comes again, and where each point was shown.
"""

from __future__ import annotations

from typing import Final

from p2p304.seats import Seat
from protocol.errors import LocalError, PeerFault
from protocol.ledger.evidence import KEY_REUSE, Conflict, key_points, reuses_key
from protocol.wire.authenticate import open_ledger_message
from protocol.wire.charter import Charter
from protocol.wire.contents import HandKeys
from protocol.wire.messages import SignedMessage

MOST_MESSAGES: Final = 200_000
"""So many HandKeys messages are kept, 50,000 decks of four seats: what stays below 300 MB."""


class ShownKeys:
    """The keys so far; belongs to one audit."""

    def __init__(self) -> None:
        self._shown: dict[Seat, dict[bytes, bytes]] = {}
        self._messages = 0

    def fork(self) -> ShownKeys:
        """The same keys; both go on by themselves."""
        other = ShownKeys()
        other._shown = {seat: dict(points) for seat, points in self._shown.items()}
        other._messages = self._messages
        return other

    def note(self, signed: SignedMessage, charter: Charter) -> None:
        """Keep the keys of a message of this charter, if it holds any.

        Raises PeerFault `keys.reused` for a key that its seat showed in another deck, with the two
        messages as evidence; LocalError for more than MOST_MESSAGES.
        """
        content = signed.message.content
        if not isinstance(content, HandKeys):
            return
        if self._messages == MOST_MESSAGES:
            raise LocalError(
                f"the file holds more than {MOST_MESSAGES // len(charter.seats):,} decks:"
                " audit its hands in several files"
            )
        self._messages += 1
        seat = signed.place.seat
        shown = self._shown.setdefault(seat, {})
        for point in key_points(content.keys):
            raw = shown.setdefault(point, signed.raw)
            if raw is not signed.raw and reuses_key(open_ledger_message(raw, charter), signed):
                evidence = Conflict(charter, raw, signed.raw)
                raise PeerFault(seat, KEY_REUSE, (evidence.to_bytes(),))
