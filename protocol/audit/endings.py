"""How a hand of a file ended: with its result, by agreement of those present, or by a ruling."""

from __future__ import annotations

from collections.abc import Iterable

from p2p304.game import AnyGame
from p2p304.seats import Seat, place_name
from protocol.audit.report import AuditedHand, HandResult
from protocol.errors import ProofError
from protocol.ledger.agreement import (
    FEWEST,
    ends_here,
    lacks_only_signatures,
    present_in,
    sides_missing,
)
from protocol.ledger.lanes import AnyReplica, HandReplica, as_hand
from protocol.ledger.phases import Phase
from protocol.ledger.ruling_effects import Consequence, at_point, consequence, stopped
from protocol.ledger.rulings import stops
from protocol.wire.contents import RulingVerdict
from protocol.wire.messages import Agreement, SignedRuling


def places_named(seats: Iterable[Seat], replica: AnyReplica) -> str:
    """Return what the seats of a table are called."""
    count = len(replica.charter.seats)
    return ", ".join(place_name(seat, count) for seat in seats)


def check_agreement(
    replica: AnyReplica, agreement: Agreement, before: tuple[Agreement, ...]
) -> None:
    """Return if an agreement ends this ledger where it stands, behind those `before` it.

    Raises ProofError `agreement.hand` or `agreement.seats`.
    """
    content = agreement.content
    same = all(each.content == content for each in before)
    if not (same and ends_here(replica, content)):
        raise ProofError("agreement.hand", "an agreement about something else")
    if lacks_only_signatures(replica, content.closed):
        raise ProofError("agreement.hand", "the hand has a result, only signatures are missing")
    if before and agreement.seat <= before[-1].seat:
        raise ProofError("agreement.seats", "agreements stand by seat, once each")


def check_all_agreed(hand: HandReplica, agreed: tuple[Agreement, ...]) -> None:
    """Return if all who were to agree did, a seat of every side among them.

    Raises ProofError `agreement.seats` or `agreement.sides`.
    """
    present = present_in(agreed[0].content, hand.charter)
    if len(present) < FEWEST or present != tuple(each.seat for each in agreed):
        raise ProofError("agreement.seats", "not those who were to agree")
    if side := sides_missing(hand, present, len(hand.ledger.rounds)):
        raise ProofError("agreement.sides", f"nobody of {places_named(side, hand)}")


def ended_by(
    replica: AnyReplica, ruling: SignedRuling, game: AnyGame
) -> tuple[HandReplica, Consequence]:
    """Return the hand as a ruling ends it where it stands, and what follows from that.

    Raises ProofError `ruling.point` or `ruling.verdict`.
    """
    hand, content = as_hand(replica), ruling.content
    here = hand is not None and at_point(hand, content)
    if hand is None or not here or content.closed != len(hand.ledger.rounds):
        raise ProofError("ruling.point", "a ruling about something else")
    if hand.ledger.accepted:
        raise ProofError("ruling.point", "messages behind what was ruled")
    if not stops(content):
        raise ProofError("ruling.verdict", "it stops no hand")
    after = consequence(game, content, hand.origin, hand.machine.outcome)
    return stopped(hand, ruling), after


def audited_hand(
    replica: HandReplica,
    agreed: tuple[Agreement, ...],
    results: dict[HandResult, HandResult],
) -> AuditedHand:
    """Return what is reported of a hand that has ended; equal `results` of many are kept once."""
    machine, ruling = replica.machine, replica.ruling
    outcome = machine.outcome
    missing = replica.ledger.missing if not replica.settled else ()
    if ruling is not None:
        if ruling.content.verdict == RulingVerdict.REDEAL:
            outcome = None
        signing = replica.past[-1].phase is Phase.SIGNING
        missing = tuple(map(Seat, range(len(replica.charter.seats)))) if signing else ()
    result = HandResult.of(outcome) if outcome is not None else None
    if result is not None:
        result = results.setdefault(result, result)
    return AuditedHand(
        replica.origin.ledger.number,
        machine.dealer,
        result,
        missing if result is not None else (),
        tuple(each.seat for each in agreed),
        ruling,
    )
