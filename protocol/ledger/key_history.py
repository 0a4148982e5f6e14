"""Every hand key that the seats have shown: what tells that one key serves two decks.

Tables and audits forget old hands, but no key, unless a ruling makes its deck void: they keep each
HandKeys message as long as they are open, about five kilobytes for a hand of four seats. The
messages are the evidence if a key comes again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from protocol.errors import PeerFault
from protocol.ledger.evidence import KEY_REUSE, Conflict, key_points, reuses_key
from protocol.wire.authenticate import open_ledger_message
from protocol.wire.charter import Charter
from protocol.wire.contents import HandKeys
from protocol.wire.messages import SignedMessage


@dataclass(frozen=True, slots=True)
class KeyHistory:
    """The keys so far. Immutable.

    The layers hold twice as many keys each as the one after them at least, so that one message more
    copies few keys on the average, and a key is looked for in few places.
    """

    layers: tuple[Mapping[bytes, bytes], ...] = field(default=(), repr=False)
    """Envelopes by what they show: the seat in one byte, then the point."""
    messages: int = 0
    """How many messages are kept."""

    def noted(self, signed: SignedMessage, charter: Charter) -> KeyHistory:
        """Return the history with the keys of an accepted message, if it holds any.

        Raises PeerFault `keys.reused` for a key that its seat showed in another deck, with the two
        messages as evidence.
        """
        content = signed.message.content
        if not isinstance(content, HandKeys):
            return self
        seat = signed.place.seat
        points = [bytes((seat,)) + point for point in key_points(content.keys)]
        for point in points:
            earlier = self._message_with(point)
            if earlier is not None and reuses_key(open_ledger_message(earlier, charter), signed):
                evidence = Conflict(charter, earlier, signed.raw)
                raise PeerFault(seat, KEY_REUSE, (evidence.to_bytes(),))
        newest = {each: signed.raw for each in points if self._message_with(each) is None}
        if not newest:
            return self
        layers = self.layers
        while layers and len(layers[-1]) < 2 * len(newest):
            newest = {**layers[-1], **newest}
            layers = layers[:-1]
        return KeyHistory((*layers, newest), self.messages + 1)

    def without(self, raws: Collection[bytes]) -> KeyHistory:
        """Return the history without the keys of these messages, which count no more."""
        layers = ({k: raw for k, raw in each.items() if raw not in raws} for each in self.layers)
        kept = tuple(each for each in layers if each)
        return KeyHistory(kept, len({raw for each in kept for raw in each.values()}))

    def _message_with(self, point: bytes) -> bytes | None:
        return next((layer[point] for layer in self.layers if point in layer), None)
