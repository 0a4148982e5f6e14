"""Who signs and who may read: Ed25519 signatures, envelopes, sealed and padded frames, what is
sealed to one key, the table's topic.

The only module that imports `cryptography`. Signatures carry all authority (RFC 8032, checked by
one library live and offline). Sealing only keeps strangers out: whoever holds the table key can
read and write frames, so a frame proves nothing about who sent it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import sha512
from typing import Final, NoReturn

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import MAX_BYTES
from protocol.encoding import digest
from protocol.encoding import frame as framed  # a frame is what travels, here
from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage
from protocol.version import PROTOCOL_VERSION, other_version
from protocol.wire.edwards import check_public_key, montgomery

KEY_BYTES: Final = 32  # of Ed25519, X25519 and ChaCha20 alike
SIGNATURE_BYTES: Final = 64  # RFC 8032
# Few: the length of a proof would tell how many cards it is about (specs 7.1, *Size*).
FRAME_SIZES: Final = (1024, 2048, 4096, 16_384)  #: The only sizes of a sealed frame.

# The largest byte: no charter has so many seats.
#: The sender of a frame who has no seat (yet): one who asks to join, or watches.
NO_SEAT: Final = 255

# With 256 bits no two frames draw the same (see `Seal`).
SALT_BYTES: Final = 32
_TAG_BYTES: Final = 16  # Poly1305
# The u16 before the payload (specs 7.1).
_LENGTH_BYTES: Final = 2
# Version, masked seat, salt, tag, and the payload's length inside.
FRAME_OVERHEAD: Final = 1 + 1 + SALT_BYTES + _TAG_BYTES + _LENGTH_BYTES
MAX_PAYLOAD_BYTES: Final = FRAME_SIZES[-1] - FRAME_OVERHEAD
_NONCE: Final = bytes(12)  # one key seals one frame, see `Seal`


class BadSignature(MalformedMessage):
    """Raised for a signature that is not the named key's over these bytes. Anybody can cause it,
    so nobody is blamed.
    """


@dataclass(frozen=True, slots=True, repr=False)
class PublicKey:
    """A peer's Ed25519 key of 32 bytes, checked once: canonical, on the curve, of prime order.

    The constructor raises MalformedMessage `key.*` for a key that no honest seat has.
    """

    _data: bytes
    _key: Ed25519PublicKey = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Check the key; raises MalformedMessage `key.*`."""
        check_public_key(self._data)
        object.__setattr__(self, "_key", Ed25519PublicKey.from_public_bytes(self._data))

    def to_bytes(self) -> bytes:
        """Return the 32 bytes of the key."""
        return self._data

    def verify(self, signature: bytes, label: bytes, *fields: bytes) -> None:
        """Raise BadSignature unless `signature` is this key's over the labelled fields.

        Args:
            signature: 64 bytes (RFC 8032); any other bytes are refused.
            label: one of `protocol.labels`, each used for one purpose.
            fields: the signed data, hashed with their lengths, so that none runs into the next.
        """
        # Before the library: what it makes of other lengths is its own business.
        if type(signature) is not bytes or len(signature) != SIGNATURE_BYTES:
            raise BadSignature("signature.size")
        try:
            self._key.verify(signature, framed(label, *fields))
        except InvalidSignature:
            raise BadSignature("signature") from None

    def __repr__(self) -> str:
        return f"PublicKey({self._data.hex()[:16]}…)"

    def __reduce__(self) -> tuple[type[PublicKey], tuple[bytes]]:
        """Return how pickle makes the key again: from its 32 bytes, as the library's key object
        cannot be pickled.
        """
        return PublicKey, (self._data,)


class SigningKey:
    """A private Ed25519 key. It never shows itself and cannot be pickled."""

    __slots__ = ("_key", "_seed", "public")
    public: PublicKey

    def __init__(self, seed: bytes) -> None:
        """Derive the key from its 32-byte seed (RFC 8032 section 5.1.5).

        Raises LocalError for other lengths.
        """
        # Exact: a bytearray could change after the check.
        if type(seed) is not bytes or len(seed) != KEY_BYTES:
            raise LocalError(f"a signing key's seed has {KEY_BYTES} bytes")
        self._seed = seed
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, label: bytes, *fields: bytes) -> bytes:
        """Return the signature, 64 bytes, over fields under a label, as `PublicKey.verify` checks
        it.

        Ed25519 (RFC 8032) draws nothing: equal inputs give equal signatures.
        """
        return self._key.sign(framed(label, *fields))

    def open_sealed(self, sealed: bytes, label: bytes, *fields: bytes) -> bytes:
        """Return the payload that `seal_to` sealed to this key under the same label and fields.

        Raises MalformedMessage `challenge.sealed` for any other bytes.
        """
        public, box = sealed[:KEY_BYTES], sealed[KEY_BYTES:]
        # The scalar of the Ed25519 key (RFC 8032 section 5.1.5), which X25519 clamps alike.
        own = X25519PrivateKey.from_private_bytes(sha512(self._seed).digest()[:KEY_BYTES])
        try:
            shared = own.exchange(X25519PublicKey.from_public_bytes(public))
            cipher = _sealing_cipher(shared, public, self.public, label, fields)
            return cipher.decrypt(_NONCE, box, framed(label, *fields))
        # One answer to all: which step failed must not show.
        except (InvalidTag, ValueError):  # ValueError: a point of low order
            raise MalformedMessage("challenge.sealed") from None

    def revealed_seed(self) -> bytes:
        """Return the key's secret seed, 32 bytes, for the identity store and nothing else."""
        return self._seed

    def __repr__(self) -> str:
        return f"SigningKey(public={self.public!r})"

    def __reduce__(self) -> NoReturn:
        """Raise LocalError: a signing key is not pickled."""
        # A pickle would carry the seed into a file, or to another process.
        raise LocalError("a signing key is not pickled")


def derive_key(secret: bytes, label: bytes, *fields: bytes, length: int = KEY_BYTES) -> bytes:
    """Return a key of `length` bytes, derived from a uniform secret for one labelled purpose.

    HKDF-SHA256 (RFC 5869) without a salt; `label` and `fields` are its info, each with its length.
    """
    # No salt: `info` tells the purposes apart (specs 7.1).
    return HKDF(SHA256(), length, salt=None, info=framed(label, *fields)).derive(secret)


def seal_to(
    reader: PublicKey, payload: bytes, label: bytes, *fields: bytes, entropy: Entropy
) -> bytes:
    """Return `payload` sealed so that only the owner of the key `reader` can open it, under the
    same label and fields; 48 bytes longer than the payload.

    X25519 (RFC 7748) between a key drawn for this payload and the reader's Ed25519 key, taken to
    the Montgomery curve, HKDF-SHA256, ChaCha20-Poly1305. It proves nothing about the sender. Raises
    LocalError for a source that gives too few bytes.
    """
    drawn = entropy(KEY_BYTES)
    if len(drawn) != KEY_BYTES:
        raise LocalError(f"entropy gave {len(drawn)} bytes for {KEY_BYTES}")
    own = X25519PrivateKey.from_private_bytes(drawn)
    public = own.public_key().public_bytes_raw()
    shared = own.exchange(X25519PublicKey.from_public_bytes(montgomery(reader.to_bytes())))
    cipher = _sealing_cipher(shared, public, reader, label, fields)
    # A nonce of zeros: the cipher's key comes from `drawn`, and seals this payload alone.
    return public + cipher.encrypt(_NONCE, payload, framed(label, *fields))


def _sealing_cipher(
    shared: bytes, public: bytes, reader: PublicKey, label: bytes, fields: tuple[bytes, ...]
) -> ChaCha20Poly1305:
    """Return the cipher of one sealed payload, its key derived from the shared secret and both
    keys.
    """
    # Both keys too: several public keys give one shared secret (RFC 7748 section 7).
    return ChaCha20Poly1305(derive_key(shared, label, public, reader.to_bytes(), *fields))


# --- envelopes ------------------------------------------------------------------------------------
#
# Version, purpose, seat, signature, body. The signature covers version, purpose, seat, the
# charter's digest and the raw body, and is checked before the decoder sees a byte. A message's id
# is a hash of its body alone: Ed25519 signatures are not unique, so two good signatures on one body
# are one message.

# Of the envelope's layout; the protocol's own is in the charter, whose digest is signed.
VERSION: Final = 1
# Version, purpose and seat, a byte each.
_HEADER_BYTES: Final = 3
OVERHEAD_BYTES: Final = _HEADER_BYTES + SIGNATURE_BYTES
MAX_ENVELOPE_BYTES: Final = OVERHEAD_BYTES + MAX_BYTES


class Purpose(IntEnum):
    """What a signature is for. A body signed for one purpose is nothing under another."""

    # The numbers are those of the wire (specs 3.3).
    LEDGER = 1  #: A seat's contribution to a round of a ledger: at most one for each place.

    #: Talk beside the ledgers: heads, chat, an agreement to stop. Never evidence of a fork.
    NOTICE = 2

    TOURNAMENT = 3  #: A piece of a tournament's record, which no table takes.

    #: What a referee of the charter rules: the seat of its envelope is the referee's number.
    RULING = 4


#: What is signed at a table.
AT_TABLES: Final = frozenset({Purpose.LEDGER, Purpose.NOTICE, Purpose.RULING})


@dataclass(frozen=True, slots=True)
class Envelope:
    """A body with its signature, which is not checked yet; the body is not decoded."""

    purpose: Purpose
    seat: Seat
    signature: bytes
    body: bytes

    def to_bytes(self) -> bytes:
        """Return the envelope's bytes: version, purpose, seat, signature, body."""
        return bytes((VERSION, self.purpose, self.seat)) + self.signature + self.body

    @staticmethod
    def from_bytes(raw: bytes, purposes: Collection[Purpose] = AT_TABLES) -> Envelope:
        """Return the envelope that `raw` encodes; its purpose must be one of `purposes`.

        Raises MalformedMessage `envelope.size`, `envelope.version` or `envelope.purpose`, which
        blames nobody; LocalError for an object that is not `bytes`.
        """
        # Exact types: a bytearray could change after its signature was checked.
        if type(raw) is not bytes:
            raise LocalError(f"an envelope is bytes, not {type(raw).__name__}")
        # Strictly more: an envelope has a body.
        if not OVERHEAD_BYTES < len(raw) <= MAX_ENVELOPE_BYTES:
            raise MalformedMessage("envelope.size", f"{len(raw)} bytes")
        if raw[0] != VERSION:
            raise MalformedMessage("envelope.version", f"{raw[0]}, ours is {VERSION}")
        if raw[1] not in purposes:
            raise MalformedMessage("envelope.purpose", str(raw[1]))
        return Envelope(
            purpose=Purpose(raw[1]),
            seat=Seat(raw[2]),
            signature=raw[_HEADER_BYTES:OVERHEAD_BYTES],
            body=raw[OVERHEAD_BYTES:],
        )

    def verify(self, key: PublicKey, *, charter: bytes) -> None:
        """Raise BadSignature unless `key` signed this envelope for the charter of this digest, 32
        bytes.

        The charter is under the signature, so that not even a malformed body can be carried to
        another table and cost its signer there.
        """
        header = bytes((VERSION, self.purpose, self.seat))
        key.verify(self.signature, labels.SIGNATURE, header, charter, self.body)

    @property
    def message_id(self) -> bytes:
        """The message's id, 32 bytes: a digest of purpose and body, whatever the signature."""
        # Without the signature: two good ones on one body must not be two messages (attacks.md,
        # CH9).
        return digest(labels.MESSAGE_ID, bytes((self.purpose,)), self.body)


def sign(key: SigningKey, body: bytes, *, purpose: Purpose, seat: Seat, charter: bytes) -> Envelope:
    """Return `body`, signed by `key`, in an envelope.

    Raises LocalError for an empty body or one of more than MAX_BYTES.

    Args:
        body: an encoded message, notice, ruling or piece of a tournament's record.
        purpose: which of these it is, so that none can be taken for another.
        seat: the signer's seat, or a referee's number.
        charter: the digest of the charter, 32 bytes; of a tournament's, for a piece of its record.
    """
    if not 0 < len(body) <= MAX_BYTES:
        raise LocalError(f"a body has 1 to {MAX_BYTES} bytes, not {len(body)}")
    header = bytes((VERSION, purpose, seat))
    signature = key.sign(labels.SIGNATURE, header, charter, body)
    return Envelope(purpose=purpose, seat=seat, signature=signature, body=body)


# --- frames ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenedFrame:
    """The payload of a frame, and the seat whose sealing key it was sealed with (255 for none),
    which proves nothing.
    """

    payload: bytes
    sealed_by: int


class Seal:
    """Seals and opens the frames of one table. Holds the table key; never shows it.

    A 96-bit random nonce is too short for the many frames of one long-lived key, so, as
    XChaCha20-Poly1305 does with its longer nonce, every frame has a key of its own:
    `HKDF(seat key, 32 random bytes)` with an all-zero nonce, where
    `seat key = HKDF(table key, table, seat)`. Two frames meet in one key with probability 2^-128
    after 2^64 frames; restarts and several writers change nothing about it.
    The sender's seat is masked by a byte that also depends on the 32 random bytes: the broker sees
    version, random bytes and one of few sizes.
    """

    __slots__ = ("_key", "_seat_keys", "_table", "topic")
    topic: str

    def __init__(self, table_key: bytes, table: bytes) -> None:
        """Take the table's secret key, 32 bytes, and its id; raises LocalError for a key of
        another length.
        """
        # Exact: a bytearray could change after the check.
        if type(table_key) is not bytes or len(table_key) != KEY_BYTES:
            raise LocalError(f"a table key has {KEY_BYTES} bytes")
        self._key = table_key
        # Of any length: it is hashed with its length, and is no secret.
        self._table = table
        # Kept, so that a frame costs one HKDF less; a seat is a byte, so there are 256 at the most.
        self._seat_keys: dict[int, bytes] = {}
        # 128 bits, which nobody guesses.
        self.topic = "p2p304/" + derive_key(table_key, labels.TOPIC, table, length=16).hex()

    def seal(self, payload: bytes, *, seat: int, entropy: Entropy, room: int = 0) -> bytes:
        """Return a frame with `payload` that only holders of the table key can open.

        Raises LocalError for a payload or room above MAX_PAYLOAD_BYTES, a seat outside 0 to 255,
        and a source that gives too few bytes.

        Args:
            payload: an envelope or a lobby message.
            seat: of the sender, 0 to 254, or NO_SEAT; it is hidden from the broker.
            entropy: gives 32 bytes, from which the key of this one frame comes.
            room: the least number of bytes that the frame has room for, so that its size does not
                show the payload's: it is the smallest of FRAME_SIZES that holds both.
        """
        if not 0 <= seat <= NO_SEAT:
            raise LocalError("a sealing seat is 0 to 255")
        size = _frame_size(max(len(payload), room))
        salt = entropy(SALT_BYTES)
        if len(salt) != SALT_BYTES:
            raise LocalError(f"entropy gave {len(salt)} bytes for {SALT_BYTES}")
        padding = bytes(size - FRAME_OVERHEAD - len(payload))
        padded = len(payload).to_bytes(_LENGTH_BYTES, "big") + payload + padding
        sealed = self._cipher(seat, salt).encrypt(_NONCE, padded, self._associated_data(seat))
        # The broker must not see who sends (attacks.md, PR4); readers find the seat with one
        # operation.
        return bytes((PROTOCOL_VERSION, seat ^ self._hint(salt))) + salt + sealed

    def sealed_by(self, sealed: bytes) -> int:
        """Return the seat that an unopened frame of one of FRAME_SIZES names as its sender.

        It proves nothing: whoever has the table key may name any seat.
        """
        # `bytes`: `framed` takes nothing else, whatever the transport hands over.
        return sealed[1] ^ self._hint(bytes(sealed[2 : 2 + SALT_BYTES]))

    def open(self, sealed: bytes) -> OpenedFrame:
        """Return the payload of a frame, and the seat that it names, after one decryption at most.

        Raises MalformedMessage `seal.size`, `seal.version`, `seal.tag` or `seal.padding`, which
        blames nobody: drop such bytes.
        """
        # First of all: it costs nothing, and a flood is dropped by it (attacks.md, MQ7).
        if len(sealed) not in FRAME_SIZES:
            raise MalformedMessage("seal.size", f"{len(sealed)} bytes")
        if sealed[0] != PROTOCOL_VERSION:
            raise other_version(sealed[0], check="seal.version")
        salt, seat = bytes(sealed[2 : 2 + SALT_BYTES]), self.sealed_by(sealed)
        try:
            padded = self._cipher(seat, salt).decrypt(
                _NONCE, bytes(sealed[2 + SALT_BYTES :]), self._associated_data(seat)
            )
        except InvalidTag:
            raise MalformedMessage("seal.tag") from None
        length = int.from_bytes(padded[:_LENGTH_BYTES], "big")
        payload = padded[_LENGTH_BYTES : _LENGTH_BYTES + length]
        # Padding that speaks is nobody's honest one. A frame may be larger than its payload needs.
        if len(payload) != length or any(padded[_LENGTH_BYTES + length :]):
            raise MalformedMessage("seal.padding")
        return OpenedFrame(payload=payload, sealed_by=seat)

    def _cipher(self, seat: int, salt: bytes) -> ChaCha20Poly1305:
        """Return the cipher of one frame of a seat; its key comes from the seat's key and the
        frame's salt.
        """
        seat_key = self._seat_keys.get(seat)
        if seat_key is None:
            seat_key = derive_key(self._key, labels.SEAL_SEAT_KEY, self._table, bytes((seat,)))
            self._seat_keys[seat] = seat_key
        return ChaCha20Poly1305(derive_key(seat_key, labels.SEAL_FRAME_KEY, salt))

    def _hint(self, salt: bytes) -> int:
        """Return the byte that masks the sender's seat in a frame with this salt."""
        return derive_key(self._key, labels.SEAL_SEAT_HINT, self._table, salt, length=1)[0]

    def _associated_data(self, seat: int) -> bytes:
        """Return the data that a frame authenticates beside its payload: version, seat, table."""
        return framed(labels.SEAL_ASSOCIATED, bytes((PROTOCOL_VERSION, seat)), self._table)

    def __repr__(self) -> str:
        return f"Seal(topic={self.topic!r})"

    def __reduce__(self) -> NoReturn:
        """Raise LocalError: a seal, which holds the table key, is not pickled."""
        raise LocalError("a seal is not pickled")


def _frame_size(payload_bytes: int) -> int:
    """Return the smallest frame size that holds a payload of `payload_bytes` bytes; raises
    LocalError if it is above MAX_PAYLOAD_BYTES.
    """
    for size in FRAME_SIZES:
        if payload_bytes + FRAME_OVERHEAD <= size:
            return size
    raise LocalError(f"a payload has at most {MAX_PAYLOAD_BYTES} bytes, not {payload_bytes}")
