"""Before the charter: seats are claimed, and the founder writes down who sits where.

Everything here travels sealed, and authenticates nobody but by the tokens of the invites: a claim
proves its token and signs itself with the seat's key. The founder's board is only a proposal; what
counts is that every seat confirms one and the same charter under its own signature afterwards. A
founder who shows different seats different charters gets no game.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Final

from p2p304.seats import Seat
from protocol import labels
from protocol.charter import NONCE_BYTES, Charter, SeatEntry, check_nickname
from protocol.encoding import Value, decode, encode
from protocol.errors import MalformedMessage
from protocol.identity import PublicKey, SigningKey

PREFIX: Final = b"L"
"""The first byte of a lobby message; an envelope begins with its version."""

_CLAIM: Final = 1
_BOARD: Final = 2
_TAKEN: Final = 3


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
        proof = _token_proof(token, fields)
        return cls(table, seat, entry, proof, key.sign(labels.LOBBY_CLAIM, *fields, proof))

    def holds(self, token: bytes) -> bool:
        """Whether whoever made this claim has the seat's token and the key that it names."""
        fields = _claim_fields(self.table, self.seat, self.entry)
        if not hmac.compare_digest(self.proof, _token_proof(token, fields)):
            return False
        try:
            self.entry.key.verify(self.signature, labels.LOBBY_CLAIM, *fields, self.proof)
        except MalformedMessage:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Board:
    """The founder's word: who has claimed a seat so far, and the charter once all have."""

    table: bytes
    names: tuple[tuple[Seat, str], ...]
    charter: Charter | None


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


LobbyMessage = Claim | Board | Taken


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
        case Board(table, names, charter):
            rows: tuple[Value, ...] = tuple((int(seat), name) for seat, name in names)
            value = (_BOARD, table, rows, charter.to_bytes() if charter else b"")
        case Taken(table, seat, nonce, clash):
            value = (_TAKEN, table, int(seat), nonce, int(clash))
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
    named = [seat for seat, _ in message.names] if isinstance(message, Board) else [message.seat]
    return message if all(0 <= seat < seats for seat in named) else None


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
        case (int(kind), bytes(table), tuple(rows), bytes(charter)) if kind == _BOARD:
            names = tuple(_row(row) for row in rows)
            return Board(table, names, Charter.from_bytes(charter) if charter else None)
        case (int(kind), bytes(table), int(seat), bytes(nonce), int(clash)) if (
            kind == _TAKEN and clash in tuple(Clash)
        ):
            return Taken(table, Seat(seat), nonce, Clash(clash))
        case _:
            return None


def _row(row: Value) -> tuple[Seat, str]:
    match row:
        case (int(seat), str(name)):
            check_nickname(name)
            return Seat(seat), name
        case _:
            raise MalformedMessage("lobby.board")


def _claim_fields(table: bytes, seat: Seat, entry: SeatEntry) -> tuple[bytes, ...]:
    return (
        table,
        bytes((seat,)),
        entry.key.to_bytes(),
        entry.nickname.encode("utf-8"),
        entry.nonce,
    )


def _token_proof(token: bytes, fields: tuple[bytes, ...]) -> bytes:
    framed = b"".join(len(each).to_bytes(4, "big") + each for each in (labels.LOBBY_TOKEN, *fields))
    return hmac.new(token, framed, sha256).digest()


class Registrar:
    """The founder's side: takes claims, answers with boards. The first good claim has the seat."""

    def __init__(self, *, table: bytes, game: str, profile: str, tokens: tuple[bytes, ...]) -> None:
        self._table = table
        self._game = game
        self._profile = profile
        self._tokens = tokens
        self._entries: dict[Seat, SeatEntry] = {}

    def take(self, claim: Claim) -> LobbyMessage | None:
        """The answer to a claim: the board, `Taken`, or nothing for a claim that proves nothing.

        A claim whose name or key another seat has gets `Taken` as well: a charter has each once.
        """
        if not claim.holds(self._tokens[claim.seat]):
            return None
        others = [each for seat, each in self._entries.items() if seat != claim.seat]
        clash = None
        if self._entries.get(claim.seat, claim.entry) != claim.entry:
            clash = Clash.SEAT
        elif any(claim.entry.key == each.key for each in others):
            clash = Clash.KEY
        elif any(claim.entry.nickname == each.nickname for each in others):
            clash = Clash.NAME
        if clash is not None:
            return Taken(self._table, claim.seat, claim.entry.nonce, clash)
        self._entries[claim.seat] = claim.entry
        return self.board()

    def board(self) -> Board:
        """Who sits where, and the charter once every seat is claimed."""
        names = tuple((seat, entry.nickname) for seat, entry in sorted(self._entries.items()))
        return Board(self._table, names, self.charter())

    def charter(self) -> Charter | None:
        """The charter, once every seat is claimed."""
        if len(self._entries) < len(self._tokens):
            return None
        seats = tuple(self._entries[Seat(seat)] for seat in range(len(self._tokens)))
        return Charter(table=self._table, game=self._game, profile=self._profile, seats=seats)
