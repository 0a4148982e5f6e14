"""How many proofs of others a closed round brought: what the trust line counts."""

from __future__ import annotations

from p2p304.seats import Seat
from protocol.places import LedgerName
from protocol.seat.public import TableView
from protocol.wire import contents


def proofs_of(table: TableView, ledger: LedgerName, number: int, *, own: Seat | None) -> int:
    """Count the proofs in the messages of all but `own` in round `number` (from 1) of a ledger.

    All of them were verified before the round closed, or it would not have.
    """
    return sum(proofs_in(content) for seat, content in table.said_in(ledger, number) if seat != own)


def proofs_in(content: contents.Content) -> int:
    """Count the proofs that one message carries."""
    match content:
        case contents.HandKeys() | contents.ShuffleStep() | contents.DealShares():
            return 1
        case contents.HandOverShares(handovers):
            return len(handovers)
        case contents.SortedHands(remixes):
            return len(remixes)
        case contents.Action(_, proofs, _, remixes):
            return len(proofs) + len(remixes)
        case _:
            return 0
