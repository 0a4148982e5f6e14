"""All of a seat's secrets at a table, expanded from one seed.

The seed is drawn once, journaled before anything is sent, and never leaves the machine. The same
seed, history and decisions give the same bytes, so a seat that restarts repeats itself instead of
contradicting itself, and a journal restored from an older copy still opens every later deal. What a
message's proofs draw depends on its whole history too: two different messages never share a draw.
"""

from __future__ import annotations

from hashlib import shake_256
from typing import Final, NoReturn

from protocol import labels
from protocol.cards.keys import HandSecret, draw_hand_secret
from protocol.cards.salted_commitment import derive_salt
from protocol.encoding import digest, frame
from protocol.entropy import Entropy
from protocol.errors import LocalError
from protocol.proofs.context import MessageContext

# 256 bits, of which everything secret at the table follows.
SEED_BYTES: Final = 32


class Secrets:
    """The secrets of one seat at one table. They never show themselves and are not pickled."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        """Take the seed, 32 uniformly random bytes, from which all secrets come; raises
        LocalError for another length.
        """
        # Exact: a bytearray could change after the check.
        if type(seed) is not bytes or len(seed) != SEED_BYTES:
            raise LocalError(f"a table's seed has {SEED_BYTES} bytes")
        self._seed = seed

    def deal_seed(self, deal: int) -> bytes:
        """Return the seed, 32 bytes, of all secrets of deal number `deal`, 0 to 2^32-1."""
        return digest(labels.DEAL_SEED, self._seed, deal.to_bytes(4, "big"))

    def hand_secret(self, deal: int) -> HandSecret:
        """Return the secret keys of deal number `deal`. Every deal, a redeal too, has its own."""
        # `expand` hashes all purposes under the label EXPANSION, so that "keys" needs none.
        return draw_hand_secret(expand(self.deal_seed(deal), b"keys"))

    def luck(self, match: int) -> bytes:
        """Return this seat's share, 32 bytes, of the luck of the match whose setup has the
        number `match`.
        """
        return digest(labels.LUCK_SHARE, self._seed, match.to_bytes(4, "big"))

    def salt(self, deal: int, context: bytes) -> bytes:
        """Return the salt, 32 bytes, of our commitment to a card of deal number `deal`.

        `context` is where the commitment is made, 32 bytes from
        `MessageContext.commitment_context`. Raises LocalError for another length.
        """
        return derive_salt(seed=self.deal_seed(deal), context=context)

    def entropy_for(self, context: MessageContext, decision: bytes = b"") -> Entropy:
        """Return the source of randomness for our message in this context.

        `decision` is what we chose there, such as an action's text, b"" for none: another decision
        in the same place draws other nonces. Equal arguments give the same bytes again.
        """
        return expand(
            # Hashed with everything before the message: a restart sends the same bytes again
            # (attacks.md, FS11), and two different messages never share a nonce.
            # Of any ledger, also of a setup: `ledger_bytes` holds the lane, too.
            self.deal_seed(context.place.ledger.number),
            b"message",
            context.charter,
            context.ledger_bytes,
            context.place.round.to_bytes(4, "big"),
            bytes(context.previous),
            decision,
        )

    def entropy_for_challenge(self, match: int, count: int, text: bytes) -> Entropy:
        """Return the source of randomness for one challenge of ours; equal arguments give the same
        bytes again.

        Args:
            match: the number of the setup of the match, 0 to 2^32-1.
            count: how many challenges we made in the match before this one.
            text: the sentence: another one in the same place draws other randomness.
        """
        # Both in four bytes, so that no other pair gives the same eight.
        place = match.to_bytes(4, "big") + count.to_bytes(4, "big")
        return expand(digest(labels.CHALLENGE_ENTROPY, self._seed, place), b"challenge", text)

    def entropy_for_reading(self, deal: int) -> Entropy:
        """Return the source of randomness that blinds multiplications when our seat reads its
        own cards of a deal; no message depends on it.
        """
        return expand(self.deal_seed(deal), b"reading")

    def __repr__(self) -> str:
        """Return "Secrets()": the seed is never shown."""
        return "Secrets()"

    def __reduce__(self) -> NoReturn:
        """Raise LocalError: secrets are not pickled."""
        # A copy in another process or on a disk would outlive the hand.
        raise LocalError("secrets are not pickled")


def expand(seed: bytes, *purpose: bytes) -> Entropy:
    """Return a repeatable source of bytes: draw number n, from 1, is SHAKE256 over `seed`, n and
    `purpose`.
    """
    drawn = 0
    # The counter stands between two framed parts, so that no purpose can imitate it.
    before, after = frame(labels.EXPANSION, seed), b"".join(map(frame, purpose))

    def draw(length: int) -> bytes:
        """Return the `length` bytes of the next draw."""
        nonlocal drawn
        drawn += 1
        return shake_256(before + frame(drawn.to_bytes(8, "big")) + after).digest(length)

    return draw
