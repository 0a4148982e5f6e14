"""The sentence of a challenge: sealed to the referees of a charter, opened to all by its author.

It travels in one size, whatever it says. Its author is bound to it by a hash commitment, so that
what is told to all later is what the referees have read.
"""

from __future__ import annotations

from typing import Final

from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import digest
from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage
from protocol.wire.charter import Charter
from protocol.wire.contents import SENTENCE_BYTES, Challenge, ChallengeOpening
from protocol.wire.fields import HASH_BYTES
from protocol.wire.identity import SigningKey, seal_to

# The u16 before the sentence in the sealed payload (specs 5.8).
_LENGTH_BYTES: Final = 2


def sentence_commitment(charter: Charter, seat: Seat, salt: bytes, text: str) -> bytes:
    """Return the commitment, 32 bytes, of a seat of this charter to the sentence `text`; `salt`
    (32 bytes) hides the sentence.
    """
    said = text.encode()
    return digest(labels.CHALLENGE_COMMITMENT, charter.digest, bytes((seat,)), salt, said)


def sealed_sentence(
    charter: Charter, seat: Seat, salt: bytes, text: str, *, entropy: Entropy
) -> tuple[bytes, ...]:
    """Return the sentence with its salt, sealed to each referee of the charter, in the charter's
    order; () without a referee.

    Each is SEALED_BYTES long, whatever it says. Raises LocalError for a text that is not 1 to 254
    bytes of UTF-8, or has a NUL.

    Args:
        charter: the table's.
        seat: the author's.
        salt: 32 random bytes, as in the commitment (`sentence_commitment`).
        text: the sentence.
        entropy: gives a new key for each referee.
    """
    try:
        said = text.encode()
    # A lone surrogate, which Python strings may hold and UTF-8 does not.
    except UnicodeEncodeError:
        raise LocalError("a challenge says text") from None
    # NUL: no text on the wire has one (specs 3.1), so that the sentence could not be opened later.
    if not 0 < len(said) <= SENTENCE_BYTES or "\0" in text:
        raise LocalError(f"a challenge says 1 to {SENTENCE_BYTES} bytes")
    # One size for all sentences: the length would tell as much as a word (attacks.md, RF14).
    padding = bytes(SENTENCE_BYTES - len(said))
    payload = salt + len(said).to_bytes(_LENGTH_BYTES, "big") + said + padding
    bound = _bound_fields(charter, seat, sentence_commitment(charter, seat, salt, text))
    return tuple(
        seal_to(key, payload, labels.CHALLENGE, *bound, entropy=entropy) for key in charter.referees
    )


def read_sentence(charter: Charter, seat: Seat, challenge: Challenge, key: SigningKey) -> str:
    """Return the sentence of a challenge of `seat`, opened with the `key` of a referee.

    Raises MalformedMessage `challenge.sealed` if `key` is no referee's or opens nothing, or if the
    content is no text or not the sentence that the author committed to.
    """
    if key.public not in charter.referees or len(challenge.sealed) != len(charter.referees):
        raise MalformedMessage("challenge.sealed", "not for this key")
    sealed = challenge.sealed[charter.referees.index(key.public)]
    bound = _bound_fields(charter, seat, challenge.commitment)
    payload = key.open_sealed(sealed, labels.CHALLENGE, *bound)
    salt, rest = payload[:HASH_BYTES], payload[HASH_BYTES:]
    # The author's own bytes: the length may be a lie, which the slices below survive.
    length = int.from_bytes(rest[:_LENGTH_BYTES], "big")
    said, padding = rest[_LENGTH_BYTES:][:length], rest[_LENGTH_BYTES:][length:]
    try:
        text = said.decode()
    except UnicodeDecodeError:
        raise MalformedMessage("challenge.sealed", "no text") from None
    # Padding that is not zero could carry a second sentence.
    if len(said) != length or any(padding):
        raise MalformedMessage("challenge.sealed", "another length")
    # The referee reads only what its author will have to show to all (attacks.md, RF15). Match and
    # count are 0: `opens` looks at salt and text alone.
    if not opens(charter, seat, challenge, ChallengeOpening(0, 0, salt, text)):
        raise MalformedMessage("challenge.sealed", "its author is bound to another sentence")
    return text


def opens(charter: Charter, seat: Seat, challenge: Challenge, opening: ChallengeOpening) -> bool:
    """Tell whether the salt and text of `opening` are those to which the challenge of `seat` is
    committed; False for a text that is empty or longer than SENTENCE_BYTES. That both name the
    same challenge (`match`, `count`) is not checked.
    """
    # A longer text has no room in what was sealed: no referee can have read it.
    if not 0 < len(opening.text.encode()) <= SENTENCE_BYTES:
        return False
    found = sentence_commitment(charter, seat, opening.salt, opening.text)
    return found == challenge.commitment


def _bound_fields(charter: Charter, seat: Seat, commitment: bytes) -> tuple[bytes, ...]:
    """Return the fields to which a sealed sentence is bound: the charter's digest, the seat in
    one byte, the commitment.
    """
    return charter.digest, bytes((seat,)), commitment
