"""One side of a password-authenticated key exchange: SPAKE2 over Ed25519. Imports `spake2` alone.

Whoever listens learns nothing of the password; whoever takes part learns whether one guess was
right. What the library computes is written down in specs/07-wire.md, 7.9, for others.
"""

from __future__ import annotations

from typing import Final

from spake2 import SPAKE2_A, SPAKE2_B
from spake2.spake2 import SPAKEError

from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
from protocol.wire.edwards import check_public_key

_JOINER: Final = b"A"
_HOST: Final = b"B"


class KeySide:
    """Our side of one exchange: it has one element to send, and takes one."""

    __slots__ = ("_exchange", "_other", "element")
    element: bytes

    def __init__(
        self, password: bytes, joiner: bytes, host: bytes, *, at_host: bool, entropy: Entropy
    ) -> None:
        """Begin an exchange between `joiner` and `host`, as each names the other."""
        made = SPAKE2_B if at_host else SPAKE2_A
        self._exchange = made(password, idA=joiner, idB=host, entropy_f=entropy)
        self._other = _JOINER if at_host else _HOST
        self.element = bytes(self._exchange.start()[1:])

    def key(self, element: bytes) -> bytes:
        """Return the 32 bytes that both have if they gave one password.

        Raises MalformedMessage `code` for an element that is none, or our own sent back. It is
        asked once.
        """
        try:
            check_public_key(element)  # canonical, on the curve, of prime order
            return bytes(self._exchange.finish(self._other + element))
        except (MalformedMessage, SPAKEError) as error:
            raise MalformedMessage("code", "the element is none") from error
