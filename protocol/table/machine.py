"""The machine of one ledger: its phases, which messages each awaits, and what may follow.

A machine is public and immutable. Players, spectators and auditors run the same machines, so that
there is one code path for verdicts. It judges a message when it arrives, against the state at the
start of the round, and changes that state when the round closes, in seat order.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, Protocol, Self

from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.errors import LocalError, ProofError
from protocol.proofs.context import MessageContext
from protocol.table.events import Event
from protocol.wire.contents import (
    Action,
    Confirmation,
    Content,
    DealShares,
    HandKeys,
    HandOverShares,
    LuckOpening,
    Reseating,
    ResultSignature,
    ShuffleStep,
    SortedHands,
)


class LedgerPhase(Enum):
    """What is going on. A ledger is in one phase for one round."""

    CONFIRMING = "confirming the charter"
    DRAWING = "drawing luck"
    KEYING = "making keys"
    SHUFFLING = "shuffling"
    DEALING = "dealing"
    HANDING_OVER = "handing over"
    SORTING = "sorting"
    ACTING = "acting"
    SIGNING = "signing the result"
    SETTLED = "settled"


AWAITED: Final[Mapping[LedgerPhase, tuple[type[Content], ...]]] = {
    LedgerPhase.CONFIRMING: (Confirmation, Reseating),
    LedgerPhase.DRAWING: (LuckOpening,),
    LedgerPhase.KEYING: (HandKeys,),
    LedgerPhase.SHUFFLING: (ShuffleStep,),
    LedgerPhase.DEALING: (DealShares,),
    LedgerPhase.HANDING_OVER: (HandOverShares,),
    LedgerPhase.SORTING: (SortedHands,),
    LedgerPhase.ACTING: (Action,),
    LedgerPhase.SIGNING: (ResultSignature,),
    LedgerPhase.SETTLED: (),
}
"""The kind of message that fits each phase; of two, who confirms another match chooses one."""

_IN_HAND: Final = frozenset(
    {
        LedgerPhase.DEALING,
        LedgerPhase.HANDING_OVER,
        LedgerPhase.SORTING,
        LedgerPhase.ACTING,
        LedgerPhase.SIGNING,
    }
)

FIRST: Final = (
    LedgerPhase.CONFIRMING,
    LedgerPhase.KEYING,
    *sorted(_IN_HAND, key=lambda p: p.value),
)
"""Where the ledgers of the three lanes may begin; how a hand begins is the game's business."""

NEXT: Final[Mapping[LedgerPhase, frozenset[LedgerPhase]]] = {
    LedgerPhase.CONFIRMING: frozenset(
        {LedgerPhase.DRAWING, LedgerPhase.CONFIRMING, LedgerPhase.SETTLED}
    ),
    LedgerPhase.DRAWING: frozenset({LedgerPhase.SETTLED}),
    LedgerPhase.KEYING: frozenset({LedgerPhase.SHUFFLING}),
    LedgerPhase.SHUFFLING: frozenset({LedgerPhase.SHUFFLING, LedgerPhase.SETTLED}),
    LedgerPhase.DEALING: _IN_HAND,
    LedgerPhase.HANDING_OVER: _IN_HAND,
    LedgerPhase.SORTING: _IN_HAND,
    LedgerPhase.ACTING: _IN_HAND,
    LedgerPhase.SIGNING: frozenset({LedgerPhase.SETTLED}),
    LedgerPhase.SETTLED: frozenset(),
}
"""What may follow when the round of a phase closes. What is not listed does not happen."""


def follow(phase: LedgerPhase, after: LedgerPhase) -> LedgerPhase:
    """Return `after`, if it may follow the round of `phase`; else raises LocalError."""
    if after not in NEXT[phase]:
        raise LocalError(f"{after.name} does not follow {phase.name}")
    return after


class LedgerMachine(Protocol):
    """The public progress of one ledger."""

    @property
    def phase(self) -> LedgerPhase:
        """What is going on in the open round."""
        ...

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """Who contributes to the open round, in seat order; nobody when it is settled."""
        ...

    @property
    def needs_decision(self) -> bool:
        """Whether a contribution to the open round needs a person's decision."""
        ...

    def take(self, content: Content, context: MessageContext) -> Self:
        """Return the machine with one contribution judged and noted.

        Raises ProofError or MalformedMessage, whose `check` names what failed.
        """
        ...

    def close(self) -> tuple[Self, tuple[Event, ...]]:
        """Return the machine in its next round, and what its players did and saw, as events.

        Every contribution is there.
        """
        ...

    def contribute(self, context: MessageContext, secrets: Secrets) -> Content:
        """Return what the seat of the context publishes in the open round, if nobody need
        decide."""
        ...


def check_kind(phase: LedgerPhase, content: Content) -> None:
    """Return if the phase awaits this kind of message; else raise ProofError `turn.kind`."""
    if type(content) not in AWAITED[phase]:
        raise ProofError("turn.kind", f"{type(content).__name__} while {phase.value}")
