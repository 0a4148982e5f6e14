"""The machine of one ledger: what its messages mean, for everybody who reads them.

A machine is public and immutable. Players, spectators and auditors run the same machines, so that
there is one code path for verdicts. It judges a message when it arrives, against the state at the
start of the round, and changes that state when the round closes, in seat order.
"""

from __future__ import annotations

from typing import Protocol, Self

from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.errors import ProofError
from protocol.ledger.events import Event
from protocol.ledger.phases import AWAITED, Phase
from protocol.proofs.context import MessageContext
from protocol.wire.contents import Content


class LedgerMachine(Protocol):
    """The public progress of one ledger."""

    @property
    def phase(self) -> Phase:
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

    def room(self, context: MessageContext) -> int:
        """Return the bytes of the largest envelope that the seat may publish in the open round.

        It follows from what is public; 0 where the round itself fixes the size.
        """
        ...

    def contribute(self, context: MessageContext, secrets: Secrets) -> Content:
        """Return what the seat of the context publishes in the open round, if nobody need
        decide."""
        ...


def check_kind(phase: Phase, content: Content) -> None:
    """Return if the phase awaits this kind of message; else raise ProofError `turn.kind`."""
    if type(content) not in AWAITED[phase]:
        raise ProofError("turn.kind", f"{type(content).__name__} while {phase.value}")
