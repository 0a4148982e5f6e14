"""The messages before the charter: seats are claimed, and the founder tells who sits where.

They travel sealed and outside envelopes, and the tokens of the invites alone authenticate them: a
claim proves its token and signs itself with the seat's key, and the founder's answers prove the
tokens to each claimant, so that whoever holds another invite can forge neither. The founder's board
is only a proposal; what counts is that every seat confirms one and the same charter under its own
signature afterwards. A founder who shows different seats different charters gets no game.

Spectators have no token: they ask a seat for what they lack, and verify all of it themselves. What
a seat's program says of its being there, before there is a charter and later, is signed with the
seat's key. Specified in specs/07-wire.md, 7.4 and 7.10.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from hashlib import sha256
from types import MappingProxyType
from typing import Annotated, Final, get_args

from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import MAX_BYTES, MAX_SEATS
from protocol.encoding import encode, frame
from protocol.errors import MalformedMessage
from protocol.wire.charter import NONCE_BYTES, Charter, SeatEntry
from protocol.wire.contents import Head, Heads
from protocol.wire.fields import KEY, NICKNAME, SEAT, TableId
from protocol.wire.identity import SIGNATURE_BYTES, PublicKey, SigningKey
from protocol.wire.schema import (
    FLAG,
    Binary,
    Integer,
    Items,
    Made,
    MessageTable,
    Record,
    Sequence,
    exactly,
    one_of,
)
from protocol.wire.terms import REFEREE, Term, read_terms

PREFIX: Final = b"L"  #: The first byte of a lobby message; an envelope begins with its version.

# HMAC-SHA256.
_PROOF_BYTES: Final = 32


# Of any length: a wrong one fails in `holds`, where it is compared.
_ANY_PROOF: Final = Binary(0, MAX_BYTES)


@dataclass(frozen=True, slots=True)
class Claim:
    """A joiner takes the seat of its invite: its entry for the charter, proved with the invite's
    token and signed with its key.
    """

    table: TableId
    seat: Annotated[Seat, SEAT, "the seat of the invite"]
    key: Annotated[PublicKey, KEY, "the claimant's public key"]
    nickname: Annotated[str, NICKNAME, "what the claimant is called"]
    nonce: Annotated[bytes, exactly(NONCE_BYTES), "drawn for this table"]
    proof: Annotated[bytes, _ANY_PROOF, "of the seat's token"]
    signature: Annotated[bytes, _ANY_PROOF, "with the claimant's key"]

    @classmethod
    def make(
        cls, *, table: bytes, seat: Seat, token: bytes, key: SigningKey, nickname: str, nonce: bytes
    ) -> Claim:
        """Return a claim, authenticated with the invite's token and signed with the claimant's key.

        Args:
            table: the table's id, 16 bytes, from the invite.
            seat: the seat of the invite.
            token: the token of the invite, 16 bytes, which never travels.
            key: the claimant's, which signs everything at the table later.
            nickname: the claimant's; the reader checks it as `check_nickname` does.
            nonce: 32 bytes drawn for this table alone.
        """
        entry = SeatEntry(key.public, nickname, nonce)
        fields = _claim_fields(table, seat, entry)
        # The proof shows the invite, the signature the key: nobody sits down under another's. It
        # covers the proof, so that no claim is put together from two.
        proof = _token_proof(token, labels.LOBBY_TOKEN, fields)
        signature = key.sign(labels.LOBBY_CLAIM, *fields, proof)
        return cls(table, seat, key.public, nickname, nonce, proof, signature)

    @property
    def entry(self) -> SeatEntry:
        """The seat's entry in the charter, if the claim is granted."""
        return SeatEntry(self.key, self.nickname, self.nonce)

    def holds(self, token: bytes) -> bool:
        """Tell whether the claim was made with the seat's `token` and signed with `key`."""
        fields = _claim_fields(self.table, self.seat, self.entry)
        # In constant time: how many bytes agree must not show.
        if not hmac.compare_digest(self.proof, _token_proof(token, labels.LOBBY_TOKEN, fields)):
            return False
        try:
            self.key.verify(self.signature, labels.LOBBY_CLAIM, *fields, self.proof)
        # Anybody can write a claim: a bad signature is an answer here, and no error.
        except MalformedMessage:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Board:
    """The seats that are claimed so far, and the charter once all are.

    `charter` is empty before that. `proofs` are the founder's, one for each seat in order; there
    are none if another seat answers a spectator.
    """

    table: TableId
    names: Annotated[
        tuple[tuple[Seat, str], ...],
        Sequence(Items((SEAT, NICKNAME)), MAX_SEATS),
        "seat and nickname of each claimed seat",
    ]
    charter: Annotated[bytes, Binary(0, MAX_BYTES), "empty until all seats are claimed"]
    proofs: Annotated[
        tuple[bytes, ...], Sequence(exactly(_PROOF_BYTES), MAX_SEATS), "of each seat's token"
    ] = ()

    @classmethod
    def of(cls, charter: Charter, tokens: tuple[bytes, ...] = ()) -> Board:
        """Return the board of a full table with its charter; `tokens` authenticate it, those of
        all seats in order, or () for none.
        """
        names = tuple((Seat(seat), entry.nickname) for seat, entry in enumerate(charter.seats))
        return cls(charter.table, names, charter.to_bytes()).with_proofs(tokens)

    def with_proofs(self, tokens: tuple[bytes, ...]) -> Board:
        """Return the same board authenticated with each of `tokens`, which are in seat order."""
        proofs = tuple(
            _token_proof(token, labels.LOBBY_BOARD, self._fields(seat))
            for seat, token in enumerate(tokens)
        )
        return replace(self, proofs=proofs)

    def holds(self, seat: Seat, token: bytes) -> bool:
        """Tell whether the board was authenticated with the `token` of `seat`; False if it has
        no proof for that seat.
        """
        if seat >= len(self.proofs):
            return False
        mine = _token_proof(token, labels.LOBBY_BOARD, self._fields(seat))
        # In constant time, as in `Claim.holds`.
        return hmac.compare_digest(self.proofs[seat], mine)

    def _fields(self, seat: int) -> tuple[bytes, ...]:
        """Return the fields that the proof for `seat` covers: table, seat, names and charter, as
        bytes.
        """
        return (self.table, bytes((seat,)), encode(self.names), self.charter)


class Clash(IntEnum):
    """The part of a claim that somebody else has already."""

    # The numbers are those of the wire (specs 7.4).
    SEAT = 1
    NAME = 2
    KEY = 3


@dataclass(frozen=True, slots=True)
class Taken:
    """The founder's answer to the claim with this nonce: its seat, name or key is somebody
    else's already.
    """

    table: TableId
    seat: Annotated[Seat, SEAT, "the seat of the claim"]
    # Of any length: the claimant compares it with its own.
    nonce: Annotated[bytes, Binary(0, MAX_BYTES), "that of the claim"]
    clash: Annotated[Clash, one_of(Clash), "1 the seat, 2 the name, 3 the key"]
    # Empty until `with_proof`: it is made over the other fields.
    proof: Annotated[bytes, _ANY_PROOF, "of the seat's token"] = b""

    def with_proof(self, token: bytes) -> Taken:
        """Return the same answer authenticated with the seat's `token`."""
        return replace(self, proof=self._proof(token))

    def holds(self, token: bytes) -> bool:
        """Tell whether the answer was authenticated with the seat's `token`, 16 bytes."""
        # In constant time, as in `Claim.holds`.
        return hmac.compare_digest(self.proof, self._proof(token))

    def _proof(self, token: bytes) -> bytes:
        """Return the proof of the seat's `token` over this answer, 32 bytes."""
        fields = (self.table, bytes((self.seat, self.clash)), self.nonce)
        return _token_proof(token, labels.LOBBY_TAKEN, fields)


def _heads(said: Heads) -> tuple[Head, ...]:
    """Return the heads in `said`, the field `heads` of an Inquiry; raises MalformedMessage
    `lobby` if its question or its answer is not empty.
    """
    # Those fields are for seats; a spectator's inquiry has one encoding.
    if said.question or said.answer:
        raise MalformedMessage("lobby", "an inquiry neither asks nor answers in its heads")
    return said.heads


def _as_heads(heads: tuple[Head, ...]) -> Heads:
    """Return `heads` as an Inquiry encodes them: a `Heads` with empty question and answer."""
    return Heads(b"", b"", heads)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A spectator asks the seat `asked` for the messages that it lacks beyond `heads`.

    `knows_charter` is false while it lacks the charter, too. An inquiry proves nothing and is
    answered with public messages alone, at a bounded rate.
    """

    table: TableId
    asked: Annotated[Seat, SEAT, "who is to answer"]
    knows_charter: Annotated[bool, FLAG, "0 or 1"]
    heads: Annotated[
        tuple[Head, ...],
        Made(Record.declare(Heads), _heads, _as_heads),
        "a Heads with empty question and answer",
    ] = ()


# --- being there: signed with the seat's key, and never evidence ----------------------------------
#
# Bound to a table and to one connection to the broker. What is heard is hearsay: a broker can hold
# it back, or repeat it.

# Drawn for each connection: enough to tell a seat's few connections apart.
CONNECTION_BYTES: Final = 8
MAX_SERIAL: Final = (1 << 32) - 1


class Whereabouts(IntEnum):
    """The state of a seat's program: here, leaving for a while, leaving for good, or with its
    connection lost.
    """

    # The numbers are those of the wire (specs 7.10).
    HERE = 1
    AWAY = 2  #: It leaves, and may come back.
    DONE = 3  #: It leaves, having played as much as it was to play.
    LOST = 4  #: Its connection was lost: said by the broker, to which this was given when it began.


@dataclass(frozen=True, slots=True)
class Presence:
    """A seat's program says that it is here or leaves, and whether it runs the broker.

    `connection` is drawn for each connection to the broker; of one connection the highest `serial`
    is the latest.
    """

    table: TableId
    seat: Annotated[Seat, SEAT, "the seat that says it"]
    connection: Annotated[
        bytes, exactly(CONNECTION_BYTES), "drawn for each connection to the broker"
    ]
    serial: Annotated[int, Integer(0, MAX_SERIAL), "rises from each to the next of them"]
    state: Annotated[
        Whereabouts,
        one_of(Whereabouts),
        "1 here, 2 leaves, 3 leaves and is done, 4 the connection was lost",
    ]
    serves: Annotated[bool, FLAG, "1 if it runs the broker"]
    # Empty until `with_signature`: it is made over the other fields.
    signature: Annotated[bytes, exactly(SIGNATURE_BYTES), "with the seat's key"] = b""

    def with_signature(self, key: SigningKey) -> Presence:
        """Return the same presence signed with the seat's `key`."""
        return replace(self, signature=key.sign(labels.LOBBY_PRESENCE, *self._fields()))

    def holds(self, key: PublicKey) -> bool:
        """Tell whether the seat's `key` signed this presence."""
        try:
            key.verify(self.signature, labels.LOBBY_PRESENCE, *self._fields())
        # Anybody can write one: a bad signature is an answer here, and no error.
        except MalformedMessage:
            return False
        return True

    def _fields(self) -> tuple[bytes, ...]:
        """Return the fields that the signature covers, as bytes: table; seat, state and `serves`
        together; connection; serial number.
        """
        # `serves` is a bool, and a byte of 0 or 1.
        where = bytes((self.seat, self.state, self.serves))
        return self.table, where, self.connection, self.serial.to_bytes(4, "big")


# --- all messages of the lobby --------------------------------------------------------------------

# Their order is their codes on the wire, from 1 (specs 7.4): a new one goes behind the last.
LobbyMessage = Claim | Board | Taken | Inquiry | Presence

MESSAGES: Final = MessageTable[LobbyMessage](*get_args(LobbyMessage))


def to_bytes(message: LobbyMessage) -> bytes:
    """Return a lobby message as the payload of a frame."""
    return PREFIX + MESSAGES.to_bytes(message)


def from_bytes(data: bytes, *, seats: int, table: bytes) -> LobbyMessage | None:
    """Return the lobby message in the payload of a frame; None for bytes that are none, or are of
    another table.

    Its author is not checked: for that all but an Inquiry have a method `holds`.

    Args:
        data: any bytes.
        seats: the number of seats; a message that names a higher one gives None.
        table: the table's id, 16 bytes.
    """
    # A slice, since a payload may be empty.
    if data[:1] != PREFIX:
        return None
    try:
        message = MESSAGES.from_bytes(data[1:])
    # Foreign bytes: whoever has the table key can seal anything.
    except MalformedMessage:
        return None
    if message.table != table or any(seat >= seats for seat in _named_seats(message)):
        return None
    return message


def _named_seats(message: LobbyMessage) -> tuple[Seat, ...]:
    """Return the seats that a message names: of a Board those of its names, of an Inquiry the
    seat asked, else the message's own.
    """
    match message:
        case Board(_, names):
            return tuple(seat for seat, _ in names)
        case Inquiry(_, asked):
            return (asked,)
        case _:
            return (message.seat,)


def _claim_fields(table: bytes, seat: Seat, entry: SeatEntry) -> tuple[bytes, ...]:
    """Return the fields that a claim's proof and signature cover: table, seat, key, nickname and
    nonce, as bytes.
    """
    return (
        table,
        bytes((seat,)),
        entry.key.to_bytes(),
        entry.nickname.encode("utf-8"),
        entry.nonce,
    )


def _token_proof(token: bytes, label: bytes, fields: tuple[bytes, ...]) -> bytes:
    """Return the HMAC-SHA256, 32 bytes, of labelled fields under a seat's token."""
    return hmac.new(token, frame(label, *fields), sha256).digest()


# --- the founder: claims are judged in the order of specs/07-wire.md, 7.4 -------------------------


class Registrar:
    """The claimed seats of one table, and its charter. The first good claim gets the seat."""

    def __init__(
        self,
        *,
        table: bytes,
        game: str,
        profile: str,
        tokens: tuple[bytes, ...],
        terms: tuple[Term, ...] = (),
        seated: Mapping[Seat, SeatEntry] = MappingProxyType({}),
    ) -> None:
        """Wait for a claim of every seat that is not in `seated`.

        Raises MalformedMessage `charter.term_order` or `charter.term` for wrong terms.

        Args:
            table: the table's id, 16 bytes.
            game: the game's name in the registry.
            profile: the text with all its parameters, from `p2p304.games.full_agreement`.
            tokens: of the seats' invites, in seat order: as many as there are seats.
            terms: the charter's optional agreements.
            seated: seats that are taken already, with their entries.
        """
        self._table = table
        self._game = game
        self._profile = profile
        self._tokens = tokens
        self._terms = terms
        # Out of the terms: claims are judged by the referees' keys before there is a charter.
        self._referees = read_terms(terms, len(tokens)).get(REFEREE, ())
        self._entries: dict[Seat, SeatEntry] = dict(seated)

    @classmethod
    def of(cls, charter: Charter, tokens: tuple[bytes, ...]) -> Registrar:
        """Return the registrar of a table whose charter is made: all seats are claimed, and a
        claim is granted only if it is the same again. `tokens` are those of its invites, in seat
        order.
        """
        return cls(
            table=charter.table,
            game=charter.game,
            profile=charter.profile,
            tokens=tokens,
            terms=charter.terms,
            seated={Seat(seat): entry for seat, entry in enumerate(charter.seats)},
        )

    def take(self, claim: Claim) -> Board | Taken | None:
        """Judge a claim: if it is granted, store it and return the board; if not, return `Taken`
        with the first of seat, key and name that is another's. A referee's key counts as another's.

        A granted claim that comes again is granted again. The key that has a seat may claim it with
        another name until all seats are claimed. Returns None for a claim without the seat's token,
        and for one with another seat's nonce.
        """
        # No answer: a stranger learns nothing, not even that the seat is free.
        if claim.seat >= len(self._tokens) or not claim.holds(self._tokens[claim.seat]):
            return None
        # A repeated claim of the same seat must not clash with itself.
        others = [each for seat, each in self._entries.items() if seat != claim.seat]
        # Of a free seat the claim itself, which is then no other one.
        earlier = self._entries.get(claim.seat, claim.entry)
        # Whoever has the seat may change its name for as long as nobody has seen a charter.
        renamed = earlier.key == claim.entry.key and self.charter() is None
        clash = None
        if earlier != claim.entry and not renamed:
            clash = Clash.SEAT
        # A charter with one key twice, or with a referee in a seat, is none (attacks.md, GO19).
        elif claim.entry.key in {*self._referees, *(each.key for each in others)}:
            clash = Clash.KEY
        elif any(claim.entry.nickname == each.nickname for each in others):
            clash = Clash.NAME
        elif any(claim.entry.nonce == each.nonce for each in others):
            return None  # nobody draws another's nonce by chance, and a charter has each once
        if clash is not None:
            taken = Taken(self._table, claim.seat, claim.entry.nonce, clash)
            return taken.with_proof(self._tokens[claim.seat])
        self._entries[claim.seat] = claim.entry
        return self.board()

    def board(self) -> Board:
        """Return the board of the claims so far, authenticated for every seat's token, with the
        charter once every seat is claimed. Raises as `charter` does.
        """
        charter = self.charter()
        if charter is not None:
            return Board.of(charter, self._tokens)
        # By seat: claims come in any order.
        names = tuple((seat, entry.nickname) for seat, entry in sorted(self._entries.items()))
        return Board(self._table, names, b"").with_proofs(self._tokens)

    def charter(self) -> Charter | None:
        """Return the charter; None until every seat is claimed.

        Raises MalformedMessage `charter.*` if the table's id, game, profile or terms, which the
        host chose, are wrong.
        """
        if len(self._entries) < len(self._tokens):
            return None
        seats = tuple(self._entries[Seat(seat)] for seat in range(len(self._tokens)))
        return Charter(
            table=self._table,
            game=self._game,
            profile=self._profile,
            seats=seats,
            terms=self._terms,
        )
