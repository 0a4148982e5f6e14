"""Before the charter: seats are claimed, and the founder writes down who sits where.

Everything here travels sealed, and authenticates nobody but by the tokens of the invites: a claim
proves its token and signs itself with the seat's key, and the founder's answers prove the tokens to
each claimant, so that whoever holds another invite can forge neither. The founder's board is only a
proposal; what counts is that every seat confirms one and the same charter under its own signature
afterwards. A founder who shows different seats different charters gets no game.

Spectators have no token: they ask a seat for what they lack, and verify all of it themselves.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Final

from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import Value, decode, encode
from protocol.errors import MalformedMessage
from protocol.hashing import frame
from protocol.wire.charter import MAX_SEATS, NONCE_BYTES, Charter, SeatEntry, check_nickname
from protocol.wire.contents import Head, Heads
from protocol.wire.identity import PublicKey, SigningKey
from protocol.wire.messages import kind_of

PREFIX: Final = b"L"
"""The first byte of a lobby message; an envelope begins with its version."""

_CLAIM: Final = 1
_BOARD: Final = 2
_TAKEN: Final = 3
_INQUIRY: Final = 4
_PROOF_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Claim:
    """A player takes the seat of its invite."""

    table: bytes
    seat: Seat
    entry: SeatEntry
    proof: bytes
    signature: bytes

    @classmethod
    def make(
        cls, *, table: bytes, seat: Seat, token: bytes, key: SigningKey, nickname: str, nonce: bytes
    ) -> Claim:
        """Our claim, proved with the invite's token and signed with our key."""
        entry = SeatEntry(key.public, nickname, nonce)
        fields = _claim_fields(table, seat, entry)
        proof = _token_proof(token, labels.LOBBY_TOKEN, fields)
        return cls(table, seat, entry, proof, key.sign(labels.LOBBY_CLAIM, *fields, proof))

    def holds(self, token: bytes) -> bool:
        """Whether whoever made this claim has the seat's token and the key that it names."""
        fields = _claim_fields(self.table, self.seat, self.entry)
        if not hmac.compare_digest(self.proof, _token_proof(token, labels.LOBBY_TOKEN, fields)):
            return False
        try:
            self.entry.key.verify(self.signature, labels.LOBBY_CLAIM, *fields, self.proof)
        except MalformedMessage:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Board:
    """Who has claimed a seat so far, and the charter's bytes once all have, else nothing.

    `proofs` are the founder's, one for each seat; empty when another seat tells a spectator.
    """

    table: bytes
    names: tuple[tuple[Seat, str], ...]
    charter: bytes
    proofs: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, charter: Charter, tokens: tuple[bytes, ...] = ()) -> Board:
        """The board of a full table; the founder has the tokens to prove it."""
        names = tuple((Seat(seat), entry.nickname) for seat, entry in enumerate(charter.seats))
        return cls(charter.table, names, charter.to_bytes()).proved(tokens)

    def proved(self, tokens: tuple[bytes, ...]) -> Board:
        """The same with the proofs of whoever has all tokens."""
        proofs = tuple(
            _token_proof(token, labels.LOBBY_BOARD, self._fields(seat))
            for seat, token in enumerate(tokens)
        )
        return Board(self.table, self.names, self.charter, proofs)

    def holds(self, seat: Seat, token: bytes) -> bool:
        """Whether it comes from somebody who has this seat's token."""
        if seat >= len(self.proofs):
            return False
        mine = _token_proof(token, labels.LOBBY_BOARD, self._fields(seat))
        return hmac.compare_digest(self.proofs[seat], mine)

    def _fields(self, seat: int) -> tuple[bytes, ...]:
        rows: tuple[Value, ...] = tuple((int(each), name) for each, name in self.names)
        return (self.table, bytes((seat,)), encode(rows), self.charter)


class Clash(IntEnum):
    """What of a claim somebody else has already."""

    SEAT = 1
    NAME = 2
    KEY = 3


@dataclass(frozen=True, slots=True)
class Taken:
    """The founder's word to a claimant, named by its nonce: somebody else was there first."""

    table: bytes
    seat: Seat
    nonce: bytes
    clash: Clash
    proof: bytes = b""

    def proved(self, token: bytes) -> Taken:
        """The same with the proof of whoever has the seat's token."""
        return Taken(self.table, self.seat, self.nonce, self.clash, self._proof(token))

    def holds(self, token: bytes) -> bool:
        """Whether it comes from somebody who has the seat's token."""
        return hmac.compare_digest(self.proof, self._proof(token))

    def _proof(self, token: bytes) -> bytes:
        fields = (self.table, bytes((self.seat, self.clash)), self.nonce)
        return _token_proof(token, labels.LOBBY_TAKEN, fields)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A spectator asks the seat `asked` for what it lacks beyond `heads`.

    `knows_charter` is false while it needs the charter as well. It proves nothing and is answered
    with public messages alone, at a bounded rate.
    """

    table: bytes
    asked: Seat
    knows_charter: bool
    heads: tuple[Head, ...] = ()


LobbyMessage = Claim | Board | Taken | Inquiry


def to_bytes(message: LobbyMessage) -> bytes:
    """The message as it is sealed and sent."""
    value: Value
    match message:
        case Claim(table, seat, entry, proof, signature):
            value = (
                _CLAIM,
                table,
                int(seat),
                entry.key.to_bytes(),
                entry.nickname,
                entry.nonce,
                proof,
                signature,
            )
        case Board(table, names, charter, proofs):
            rows: tuple[Value, ...] = tuple((int(seat), name) for seat, name in names)
            value = (_BOARD, table, rows, charter, proofs)
        case Taken(table, seat, nonce, clash, proof):
            value = (_TAKEN, table, int(seat), nonce, int(clash), proof)
        case Inquiry(table, asked, known, heads):
            content = Heads(b"", b"", heads)
            fields = kind_of(content).record.to_value(content)
            value = (_INQUIRY, table, int(asked), int(known), fields)
    return PREFIX + encode(value)


def from_bytes(data: bytes, *, seats: int, table: bytes) -> LobbyMessage | None:
    """The message in an opened frame; None for one that is not of this lobby or malformed."""
    if data[:1] != PREFIX:
        return None
    try:
        message = _parsed(decode(data[1:]))
    except MalformedMessage:
        return None
    if message is None or message.table != table:
        return None
    return message if all(0 <= seat < seats for seat in _named(message)) else None


def _named(message: LobbyMessage) -> tuple[Seat, ...]:
    match message:
        case Board(_, names):
            return tuple(seat for seat, _ in names)
        case Inquiry(_, asked):
            return (asked,)
        case Claim() | Taken():
            return (message.seat,)


def _parsed(value: Value) -> LobbyMessage | None:
    match value:
        case (
            int(kind),
            bytes(table),
            int(seat),
            bytes(key),
            str(name),
            bytes(nonce),
            bytes(proof),
            bytes(signature),
        ) if kind == _CLAIM and len(nonce) == NONCE_BYTES:
            check_nickname(name)
            entry = SeatEntry(PublicKey(key), name, nonce)
            return Claim(table, Seat(seat), entry, proof, signature)
        case (int(kind), bytes(table), tuple(rows), bytes(charter), tuple(proofs)) if (
            kind == _BOARD and max(len(rows), len(proofs)) <= MAX_SEATS
        ):
            names = tuple(_row(row) for row in rows)
            return Board(table, names, charter, tuple(_proof(each) for each in proofs))
        case (int(kind), bytes(table), int(seat), bytes(nonce), int(clash), bytes(proof)) if (
            kind == _TAKEN and clash in tuple(Clash)
        ):
            return Taken(table, Seat(seat), nonce, Clash(clash), proof)
        case (int(kind), bytes(table), int(asked), int(known), tuple(fields)) if (
            kind == _INQUIRY and known in (0, 1)
        ):
            heads = kind_of(Heads(b"", b"", ())).record.from_value(fields)
            return Inquiry(table, Seat(asked), bool(known), heads.heads)
        case _:
            return None


def _row(row: Value) -> tuple[Seat, str]:
    match row:
        case (int(seat), str(name)):
            check_nickname(name)
            return Seat(seat), name
        case _:
            raise MalformedMessage("lobby.board")


def _proof(value: Value) -> bytes:
    if type(value) is not bytes or len(value) != _PROOF_BYTES:
        raise MalformedMessage("lobby.proof")
    return value


def _claim_fields(table: bytes, seat: Seat, entry: SeatEntry) -> tuple[bytes, ...]:
    return (
        table,
        bytes((seat,)),
        entry.key.to_bytes(),
        entry.nickname.encode("utf-8"),
        entry.nonce,
    )


def _token_proof(token: bytes, label: bytes, fields: tuple[bytes, ...]) -> bytes:
    return hmac.new(token, frame(label, *fields), sha256).digest()


class Registrar:
    """The founder's side: takes claims, answers with boards. The first good claim has the seat."""

    def __init__(self, *, table: bytes, game: str, profile: str, tokens: tuple[bytes, ...]) -> None:
        self._table = table
        self._game = game
        self._profile = profile
        self._tokens = tokens
        self._entries: dict[Seat, SeatEntry] = {}

    @classmethod
    def of(cls, charter: Charter, tokens: tuple[bytes, ...]) -> Registrar:
        """The registrar of a full table."""
        registrar = cls(
            table=charter.table, game=charter.game, profile=charter.profile, tokens=tokens
        )
        registrar._entries = {Seat(seat): entry for seat, entry in enumerate(charter.seats)}
        return registrar

    def take(self, claim: Claim) -> Board | Taken | None:
        """The answer to a claim: the board, `Taken`, or nothing for a claim that proves nothing.

        A claim whose name or key another seat has gets `Taken` as well: a charter has each once.
        """
        if claim.seat >= len(self._tokens) or not claim.holds(self._tokens[claim.seat]):
            return None
        others = [each for seat, each in self._entries.items() if seat != claim.seat]
        earlier = self._entries.get(claim.seat, claim.entry)
        # Whoever has the seat may change its name for as long as nobody has seen a charter.
        renamed = earlier.key == claim.entry.key and self.charter() is None
        clash = None
        if earlier != claim.entry and not renamed:
            clash = Clash.SEAT
        elif any(claim.entry.key == each.key for each in others):
            clash = Clash.KEY
        elif any(claim.entry.nickname == each.nickname for each in others):
            clash = Clash.NAME
        elif any(claim.entry.nonce == each.nonce for each in others):
            return None  # nobody draws another's nonce by chance, and a charter has each once
        if clash is not None:
            taken = Taken(self._table, claim.seat, claim.entry.nonce, clash)
            return taken.proved(self._tokens[claim.seat])
        self._entries[claim.seat] = claim.entry
        return self.board()

    def board(self) -> Board:
        """Who sits where, and the charter once every seat is claimed."""
        charter = self.charter()
        if charter is not None:
            return Board.of(charter, self._tokens)
        names = tuple((seat, entry.nickname) for seat, entry in sorted(self._entries.items()))
        return Board(self._table, names, b"").proved(self._tokens)

    def charter(self) -> Charter | None:
        """The charter, once every seat is claimed."""
        if len(self._entries) < len(self._tokens):
            return None
        seats = tuple(self._entries[Seat(seat)] for seat in range(len(self._tokens)))
        return Charter(table=self._table, game=self._game, profile=self._profile, seats=seats)
