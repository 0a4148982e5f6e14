"""Signing a piece of a tournament's record, and opening one: whose it is to sign what.

Specified in specs/tournament.md, 10.
"""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.seats import Seat
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.pieces import (
    ORGANISER,
    PIECES,
    DrawEnd,
    DrawRestart,
    EntryList,
    LineupChange,
    MatchResult,
    PieceContent,
    TeamEntry,
    TeamWithdrawal,
    TournamentCharter,
    TournamentEnd,
    TournamentRuling,
)
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import PublicKey, SigningKey


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece whose signature was checked: who signed what. `id` is alike for all who signed it."""

    content: PieceContent
    key: PublicKey
    seat: Seat
    id: bytes
    raw: bytes

    @property
    def name(self) -> bytes:
        """32 bytes that name what was signed and by whom, whatever the signature."""
        return bytes((self.id[0] ^ self.seat,)) + self.id[1:]


def sign_piece(
    content: PieceContent, key: SigningKey, *, charter: TournamentCharter, seat: int = ORGANISER
) -> bytes:
    """Return the raw piece, signed with `key` as whoever `seat` names.

    Raises LocalError where `seat` is not that key's, or the content is of another tournament.
    """
    if not isinstance(content, TournamentCharter) and content.tournament != charter.digest:
        raise LocalError("the piece is of another tournament")
    signed = sign(
        key,
        PIECES.to_bytes(content),
        purpose=Purpose.TOURNAMENT,
        seat=Seat(seat),
        charter=charter.digest,
    )
    if signer_of(content, signed.seat, charter) != key.public:
        raise LocalError(f"it is not for this key to sign {type(content).__name__}")
    return signed.to_bytes()


def open_charter(raw: bytes) -> Piece:
    """Return the charter in a raw piece.

    Raises MalformedMessage for anything else.
    """
    envelope, content = _decoded(raw)
    if not isinstance(content, TournamentCharter):
        raise MalformedMessage("piece.charter", "a record begins with its charter")
    return _verified(envelope, content, content, raw)


def open_piece(raw: bytes, charter: TournamentCharter) -> Piece:
    """Return the piece in `raw`, which somebody signed in the tournament of this charter.

    Raises MalformedMessage; whoever may have made such bytes is not held to them.
    """
    envelope, content = _decoded(raw)
    if isinstance(content, TournamentCharter):
        if content != charter:
            raise MalformedMessage("piece.tournament", "the charter of another tournament")
    elif content.tournament != charter.digest:
        raise MalformedMessage("piece.tournament", "a piece of another tournament")
    return _verified(envelope, content, charter, raw)


def signer_of(content: PieceContent, seat: Seat, charter: TournamentCharter) -> PublicKey | None:
    """Return the key of who signs such a piece at that seat, None where nobody does."""
    match content:
        case TournamentCharter() | EntryList() | DrawEnd() | TournamentEnd():
            signers: tuple[PublicKey, ...] = (charter.organiser,)
        case TeamEntry():
            signers = tuple(each.key for each in content.signers)
        case DrawRestart() | TournamentRuling():
            signers = charter.rulers
        case MatchResult() | TeamWithdrawal():
            signers = (content.key,)
        case LineupChange():
            signers = (content.captain, content.reserve)
    return signers[seat] if seat < len(signers) else None


def _decoded(raw: bytes) -> tuple[Envelope, PieceContent]:
    envelope = Envelope.from_bytes(raw, (Purpose.TOURNAMENT,))
    return envelope, PIECES.from_bytes(envelope.body)


def _verified(
    envelope: Envelope, content: PieceContent, charter: TournamentCharter, raw: bytes
) -> Piece:
    key = signer_of(content, envelope.seat, charter)
    if key is None:
        raise MalformedMessage("piece.signer", "nobody of this tournament signs so")
    envelope.verify(key, charter=charter.digest)
    return Piece(content, key, envelope.seat, envelope.message_id, raw)
