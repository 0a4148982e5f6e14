"""The preparation of one deck: every seat's keys, then every seat's shuffle, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from p2p304.cards import Card
from p2p304.seats import Seat, seat_after
from protocol.cards import keys as masking
from protocol.cards.deck import Deck, ProvenShuffle, shuffle_deck
from protocol.cards.keys import KeyStep
from protocol.cards.secrets import Secrets
from protocol.ledger.events import Event
from protocol.ledger.machine import check_kind
from protocol.ledger.phases import Phase, follow
from protocol.proofs.context import MessageContext
from protocol.wire import contents


@dataclass(frozen=True, slots=True)
class DeckSetup:
    """The machine of a ledger of the DECK lane.

    `last` is the seat that shuffles last. `deck` is there once all keys are. That no key was used
    in an earlier deal of the table is judged where all its decks are known.
    """

    pack: tuple[Card, ...]
    seats: int
    last: Seat
    phase: Phase = Phase.KEYING
    keys: Mapping[Seat, masking.HandKeys] = field(default_factory=dict)
    deck: Deck | None = None
    shuffled: int = 0

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """Everybody makes keys; then one seat shuffles after the other, `last` the last."""
        match self.phase:
            case Phase.KEYING:
                return tuple(Seat(seat) for seat in range(self.seats))
            case Phase.SHUFFLING:
                return (seat_after(self.last, seats=self.seats, steps=self.shuffled + 1),)
            case _:
                return ()

    @property
    def needs_decision(self) -> bool:
        """Never: nobody chooses anything here."""
        return False

    def take(self, content: contents.Content, context: MessageContext) -> DeckSetup:
        """Judge a contribution and return the machine with it.

        Raises MalformedMessage, or ProofError `turn.kind`, `key.*`, `deck.*` or `shuffle.*`.
        """
        check_kind(self.phase, content)
        if isinstance(content, contents.HandKeys):
            step = KeyStep.from_bytes(content.keys + content.proof)
            proof_context = context.proof_context("HandKeys")
            masking.verify_keys(step, context=proof_context, used=frozenset())
            return replace(self, keys={**self.keys, context.place.seat: step.keys})
        assert isinstance(content, contents.ShuffleStep)  # no other kind fits here
        shuffle = ProvenShuffle.from_bytes(content.step, cards=len(self.pack))
        proof_context = context.proof_context("ShuffleStep")
        return replace(self, deck=self._deck().after_shuffle(shuffle, context=proof_context))

    def close(self) -> tuple[DeckSetup, tuple[Event, ...]]:
        """Go from keys to shuffles, from shuffle to shuffle, to the settled deck."""
        if self.phase is Phase.KEYING:
            keys = [self.keys[Seat(seat)] for seat in range(self.seats)]
            start = Deck.start(self.pack, keys)
            return replace(self, phase=follow(self.phase, Phase.SHUFFLING), deck=start), ()
        shuffled = self.shuffled + 1
        after = Phase.SETTLED if shuffled == self.seats else Phase.SHUFFLING
        return replace(self, phase=follow(self.phase, after), shuffled=shuffled), ()

    def room(self, context: MessageContext) -> int:
        """Return 0: every message has the size of its kind."""
        return 0

    def contribute(self, context: MessageContext, secrets: Secrets) -> contents.Content:
        """Return the seat's keys with their proof, or its shuffle with its argument."""
        entropy = secrets.entropy_for(context)
        if self.phase is Phase.KEYING:
            secret = secrets.hand_secret(context.place.ledger.number)
            proof_context = context.proof_context("HandKeys")
            step = masking.prove_keys(secret, context=proof_context, entropy=entropy)
            data = step.to_bytes()
            return contents.HandKeys(data[: -len(step.proof)], step.proof)
        proof_context = context.proof_context("ShuffleStep")
        shuffle = shuffle_deck(self._deck(), context=proof_context, entropy=entropy)
        return contents.ShuffleStep(shuffle.to_bytes())

    def _deck(self) -> Deck:
        assert self.deck is not None  # `close` made it of all keys
        return self.deck
