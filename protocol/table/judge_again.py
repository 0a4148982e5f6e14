"""Judging evidence from bytes: the same replicas and machines as in play, without a seat.

Only the charter, the game and the messages are trusted. A wrong origin gives a root that no message
of the seats continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.errors import InternalFault, LocalError, MalformedMessage, PeerFault, ProofError
from protocol.group.doubting import plain_arithmetic
from protocol.places import Lane
from protocol.table.evidence import (
    EQUIVOCATION,
    RULED_TWICE,
    Conflict,
    Evidence,
    Fault,
    Fork,
    KeyHistory,
    Prefix,
    TwoRulings,
    check_conflict,
    check_fork,
    check_rulings,
    evidence_from_bytes,
)
from protocol.table.ledger import Fits
from protocol.table.table import TableState, receive
from protocol.wire.charter import Charter
from protocol.wire.messages import open_ledger_message


class Conviction(NamedTuple):
    """The number of the convicted seat, or of the referee if `referee`, and the check that
    convicts.
    """

    seat: Seat
    check: str

    @property
    def referee(self) -> bool:
        """Whether a referee is convicted."""
        # The one check that convicts a referee.
        return self.check == RULED_TWICE


def replay(charter: Charter, game: AnyGame, prefixes: Iterable[Prefix]) -> TableState:
    """Return the table after these ledgers, each judged message by message.

    Raises ProofError `evidence.prefix` if a message is wrong or does not fit, or a ledger cannot
    begin so; `key.sum` or `deck.start` if keys cancel; MalformedMessage if a message is not signed
    by its seat.

    Args:
        charter: the table's, under which all messages were signed.
        game: the charter's game.
        prefixes: the ledgers in order, each deck before its hand; messages by round and seat.
    """
    # `stated`: ledgers begin where the file says, for the rest of the match is not in it.
    table = TableState(charter, game, stated=True)
    for origin, messages in ((each.origin, each.messages) for each in prefixes):
        name, number = origin.ledger, origin.ledger.number
        if not 0 <= origin.leading < game.seats:
            raise ProofError("evidence.prefix", "no such seat")
        if name.lane is Lane.HAND:
            prepared = table.deck_of(number)
            if prepared is None or not prepared.settled:
                raise ProofError("evidence.prefix", "a hand without its deck")
            # Only the deck is compared: a wrong origin gives a root that no message continues.
            if origin.after[1:] != (prepared.ledger.head,):
                raise ProofError("evidence.prefix", "a hand with another deck")
        # Keys of several decks are not compared: two that are the same are evidence of their own.
        table = table._replace(keys=KeyHistory()).begin_ledger(origin)
        for raw in messages:
            try:
                signed = open_ledger_message(raw, charter)
                # Every message is of its ledger (specs 6.4, fault, step 4).
                if signed.place.ledger != name:
                    raise ProofError("evidence.prefix", "a message of another ledger")
                received = receive(table, signed)
            except PeerFault as fault:
                # Without evidence keys cancel: that takes all seats together, and its own name,
                # `key.sum` or `deck.start`, blames nobody.
                check = "evidence.prefix" if fault.evidence else fault.check
                raise ProofError(check, fault.check) from None
            # One that stands twice is Known, and does not fit either.
            if not isinstance(received.offered, Fits):
                raise ProofError("evidence.prefix", f"the message at {signed.place} does not fit")
            table = received.table_state
    return table


def check_evidence(evidence: Evidence, game: AnyGame) -> Conviction:
    """Check evidence without trusting its accuser; return the conviction.

    Raises MalformedMessage; ProofError `charter.seats` if the game has another number of seats than
    the charter, `evidence.*` if the evidence convicts nobody, or of another check than it states,
    `key.sum` or `deck.start` if keys cancel in its prefix; LocalError for another game than the
    charter's; InternalFault like `confirm`.

    Args:
        evidence: as `evidence_from_bytes` read it; all of it may be invented.
        game: the charter's, as `p2p304.games.agreed_game` makes it.
    """
    charter = evidence.charter
    if game.name != charter.game:
        raise LocalError("evidence is judged by the game that its charter names")
    # Before anything is replayed: the charter may be invented.
    if game.seats != len(charter.seats):
        raise ProofError("charter.seats")
    if isinstance(evidence, Conflict):
        return Conviction(*check_conflict(evidence))
    if isinstance(evidence, Fork):
        return Conviction(*check_fork(evidence))
    if isinstance(evidence, TwoRulings):
        number, check = check_rulings(evidence)
        return Conviction(Seat(number), check)
    found = _fault(evidence, charter, game)
    # A false name would accuse a cheat of something else (`evidence.check`).
    if found.check != evidence.check:
        raise ProofError("evidence.check", f"{found.check}, not {evidence.check}")
    # A library that lies convicts nobody (G5).
    confirm(evidence, game)
    return found


def confirm(evidence: Evidence, game: AnyGame) -> None:
    """Judge a fault again without the curve library's arithmetic, before anybody is blamed; return
    if the verdict is the same.

    Raises InternalFault if it differs: the library is broken, or an earlier computation was, and
    nobody is to blame. Takes a second for a hand of four seats. Other evidence, and a fault without
    a prefix, is not judged again.
    """
    # Signatures and decoding alone: no point is computed.
    if not isinstance(evidence, Fault) or not evidence.prefix:
        return
    try:
        with plain_arithmetic() as ask_nothing:
            # The prefix is replayed with the library's products, which is ten times as fast: one
            # that was wrong would fail the proof that it is in. The message itself is judged after
            # `ask_nothing`, without the library.
            found = _fault(evidence, evidence.charter, game, then=ask_nothing)
    # All three say that plain arithmetic does not find the fault; ValueError is raised where a
    # product of the library lies on no curve.
    except (MalformedMessage, ProofError, ValueError) as error:
        raise InternalFault("curve library", f"{evidence.check} is in doubt: {error}") from error
    if found.check != evidence.check:
        raise InternalFault("curve library", f"it finds {evidence.check}, not {found.check}")


def confirmed_evidence(fault: PeerFault, game: AnyGame) -> Evidence | None:
    """Return the evidence of a fault once it was judged again, like `confirm`; None for a fault
    without evidence, which could convince no stranger.
    """
    if not fault.evidence:
        return None
    found = evidence_from_bytes(fault.evidence[0])
    # Once more by plain arithmetic: a broken library blames nobody (attacks G5).
    confirm(found, game)
    return found


def _fault(
    fault: Fault, charter: Charter, game: AnyGame, then: Callable[[], None] = lambda: None
) -> Conviction:
    """Replay a fault's prefix, judge its message and return the conviction; call `then` between the
    two.

    Raises MalformedMessage, or ProofError `evidence.*`, if the fault convicts nobody; ProofError
    `key.sum` or `deck.start` if keys cancel in the prefix. A body that does not decode convicts
    without its prefix.
    """
    try:
        signed = open_ledger_message(fault.message, charter)
    except PeerFault as malformed:
        # A malformed body convicts without any history (specs 6.4, fault, step 2).
        return Conviction(Seat(malformed.seat), malformed.check)
    table = replay(charter, game, fault.prefix)
    # The last ledger of the file has to be that of the message (step 5). A slice, as there may be
    # none.
    if [*table.replicas][-1:] != [signed.place.ledger]:
        raise ProofError("evidence.fault", "the message's own ledger is missing")
    then()
    try:
        received = receive(table, signed)
    except PeerFault as wrong:
        # Two messages for one place are a conflict, another kind of evidence.
        if wrong.check == EQUIVOCATION:
            raise ProofError(
                "evidence.fault", "the message does not continue this history"
            ) from None
        # Without evidence keys cancel, and nobody alone is to blame.
        if wrong.evidence:
            return Conviction(Seat(wrong.seat), wrong.check)
    else:
        if not isinstance(received.offered, Fits):
            raise ProofError("evidence.fault", "the message does not continue this history")
    raise ProofError("evidence.fault", "nothing is wrong with the message")
