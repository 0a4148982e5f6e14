"""Every hand key that a seat has shown at a table: what tells that one key serves two decks.

A table forgets its old hands, but no key: it keeps each HandKeys message as long as it is open,
about five kilobytes for a hand of four seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from p2p304.seats import Seat
from protocol.errors import PeerFault
from protocol.ledger.evidence import KEY_REUSE, Conflict, key_points
from protocol.places import LedgerName
from protocol.wire.charter import Charter
from protocol.wire.contents import HandKeys
from protocol.wire.messages import SignedMessage

_Shown = tuple[LedgerName, bytes]


@dataclass(frozen=True, slots=True)
class KeyRegister:
    """The keys so far. Immutable."""

    shown: Mapping[tuple[Seat, bytes], _Shown] = field(default_factory=dict, repr=False)
    """In which deck, and by which envelope, a seat showed a point as one of its keys."""

    def noted(self, signed: SignedMessage, charter: Charter) -> KeyRegister:
        """The register with the keys of an accepted message, if it holds any.

        Raises PeerFault `keys.reused`: a seat that had a key in another deck convicts itself by
        the two messages.
        """
        content = signed.message.content
        if not isinstance(content, HandKeys):
            return self
        seat = signed.place.seat
        points = [(seat, point) for point in key_points(content.keys)]
        for point in points:
            earlier = self.shown.get(point)
            if earlier is not None and earlier[0] != signed.place.ledger:
                evidence = Conflict(charter, earlier[1], signed.raw)
                raise PeerFault(seat, KEY_REUSE, (evidence.to_bytes(),))
        here = (signed.place.ledger, signed.raw)
        return KeyRegister({**self.shown, **dict.fromkeys(points, here)})
