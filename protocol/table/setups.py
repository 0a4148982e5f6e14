"""The machines of the setups: of a match, by charter and luck; of a deck, by keys and shuffles.

All confirm the charter and draw the luck that names the first dealer. For another match at the same
table all confirm again, each naming a seating (specs 5.7). A deck takes every seat's keys, then
every seat's shuffle, one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from p2p304.cards import Card
from p2p304.seats import Seat, seat_after
from protocol import labels
from protocol.bounds import SEATING_ROUNDS
from protocol.cards import keys as masking  # `keys` is a field of DeckSetup
from protocol.cards.deck import Deck, ProvenShuffle, shuffle_deck
from protocol.cards.keys import KeyStep
from protocol.cards.secrets import Secrets
from protocol.encoding import digest
from protocol.errors import ProofError
from protocol.proofs.context import MessageContext
from protocol.table.events import Event, RematchAgreed
from protocol.table.ledger import LedgerPhase
from protocol.wire.contents import (
    Confirmation,
    Content,
    HandKeys,
    LuckOpening,
    Reseating,
    ShuffleStep,
)


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The machine of a ledger of the TABLE lane. Immutable.

    When it is settled, `luck` (32 bytes) is set and `seating` is 0 if the match is played here;
    `seating` alone is set, above 0, if all play it at another table; neither if no match follows.
    """

    seats: int
    #: Whether a match was played before, so that other seatings may be named.
    another: bool = False
    phase: LedgerPhase = LedgerPhase.CONFIRMING
    #: The seatings that were confirmed in the open round.
    named: Mapping[Seat, int] = field(default_factory=dict)
    differed: int = 0  #: Rounds in which they were not the same.
    seating: int | None = None  #: What all have confirmed.
    #: Those to luck, of each seat's latest Confirmation.
    commitments: Mapping[Seat, bytes] = field(default_factory=dict)
    #: The luck that the seats have opened.
    shares: Mapping[Seat, bytes] = field(default_factory=dict)
    luck: bytes | None = None

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """All seats, until the setup is settled."""
        if self.phase is LedgerPhase.SETTLED:
            return ()
        return tuple(Seat(seat) for seat in range(self.seats))

    def take(self, content: Content, context: MessageContext) -> MatchSetup:
        """Judge a Confirmation, a Reseating or a LuckOpening, and return the machine with it.

        Raises ProofError `turn.kind` (a Reseating in TABLE 0), `rematch.seating` or `luck.opening`.
        """
        seat = context.place.seat
        if isinstance(content, Confirmation):
            made = {**self.commitments, seat: content.luck_commitment}
            # A Confirmation names the present seating, 0 (specs 5.7).
            return replace(self, commitments=made, named={**self.named, seat: 0})
        if isinstance(content, Reseating):
            if not self.another:
                # `turn.kind`, not a name of its own: in TABLE 0 a Reseating is another kind (specs
                # 5.4).
                raise ProofError("turn.kind", "no match was played here before")
            # n-2: with more, seats would sit as now, or not be seats.
            if content.seating > self.seats - 2:
                raise ProofError("rematch.seating")
            return replace(self, named={**self.named, seat: content.seating})
        assert isinstance(content, LuckOpening)  # no other kind fits here
        # The commitment stops whoever opens last from choosing the dealer (CM5).
        if luck_commitment(context, content.luck) != self.commitments[seat]:
            raise ProofError("luck.opening")
        return replace(self, shares={**self.shares, seat: content.luck})

    def close(self) -> tuple[MatchSetup, tuple[Event, ...]]:
        """Return the setup after its complete round, and the events (specs 5.7).

        After confirmations: if all named one seating, the setup goes on to draw luck (seating 0) or
        ends, since all go on at another table. If not, another round of confirmations opens; after
        `SEATING_ROUNDS` of them the setup ends without a match. RematchAgreed tells the seating, or
        None at that end; not in TABLE 0. After luck it ends, with its `luck` of 32 bytes.
        """
        if self.phase is LedgerPhase.DRAWING:
            # In seat order: the luck is a hash over all shares (specs 5.3).
            shares = [self.shares[Seat(seat)] for seat in range(self.seats)]
            luck = digest(labels.LUCK, *shares)
            return replace(self, phase=LedgerPhase.SETTLED, luck=luck), ()
        # All named the same exactly if one value is left.
        seating, *others = {*self.named.values()}
        if others:
            differed = self.differed + 1
            # A bound, so that nobody makes rounds without end (CH27).
            failed = differed == SEATING_ROUNDS
            phase = LedgerPhase.SETTLED if failed else LedgerPhase.CONFIRMING
            # Never in TABLE 0, where nobody can name another seating than 0.
            told = (RematchAgreed(None),) if failed else ()
            # The next round's commitments replace these: the luck is that of the last
            # confirmations.
            return replace(self, phase=phase, differed=differed, named={}), told
        phase = LedgerPhase.SETTLED if seating else LedgerPhase.DRAWING
        agreed = (RematchAgreed(seating),) if self.another else ()
        return replace(self, phase=phase, seating=seating), agreed

    def contribute(self, context: MessageContext, secrets: Secrets) -> Content:
        """Return the Confirmation of the present seating, with our commitment to luck; after the
        confirmations the LuckOpening. Both come from `secrets`.
        """
        # From the seed: a restart commits to, and opens, the same luck.
        luck = secrets.luck(context.place.ledger.number)
        if self.phase is LedgerPhase.CONFIRMING:
            return Confirmation(luck_commitment(context, luck))
        return LuckOpening(luck)


def luck_commitment(context: MessageContext, luck: bytes) -> bytes:
    """Return the commitment, 32 bytes, to `luck` (32 bytes), the share of luck of the context's
    seat in its match setup (specs 5.3).
    """
    name, _, seat = context.place
    # Seat and table are bound in: a copied commitment opens at no other seat (CM3).
    return digest(
        labels.LUCK_COMMITMENT,
        context.charter,
        name.number.to_bytes(4, "big"),
        bytes((seat,)),
        luck,
    )


@dataclass(frozen=True, slots=True)
class DeckSetup:
    """The machine of a ledger of the DECK lane.

    `last` is the seat that shuffles last, `shuffled` the number of closed shuffles. `deck` is set
    once all keys are there. The table, which knows all its decks, judges whether a key was used in
    another one.
    """

    pack: tuple[Card, ...]
    seats: int
    last: Seat
    #: Whether keys and shuffles are taken as they were signed, without their proofs: for
    #: example where only the signed results of a file are read, since proofs take most of the time.
    trusted: bool = False
    phase: LedgerPhase = LedgerPhase.KEYING
    keys: Mapping[Seat, masking.SeatKeys] = field(default_factory=dict)
    deck: Deck | None = None
    shuffled: int = 0

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """All seats while keys are made; then one seat at a time shuffles, from the seat after
        `last` round to `last`; none once the deck is settled.
        """
        match self.phase:
            case LedgerPhase.KEYING:
                return tuple(Seat(seat) for seat in range(self.seats))
            case LedgerPhase.SHUFFLING:
                # The order last+1, last+2, ..., last (specs 5.3).
                return (seat_after(self.last, seats=self.seats, steps=self.shuffled + 1),)
            case _:
                return ()

    def take(self, content: Content, context: MessageContext) -> DeckSetup:
        """Judge a seat's HandKeys or ShuffleStep, and return the machine with it; with `trusted` no
        proof is verified, and a shuffle changes nothing.

        Raises MalformedMessage, or ProofError `key.*`, `deck.*` or `shuffle.*`.
        """
        if isinstance(content, HandKeys):
            # A KeyStep is the keys, then the proof; both fields have fixed lengths.
            step = KeyStep.from_bytes(content.keys + content.proof)
            if not self.trusted:
                proof_context = context.proof_context("HandKeys")
                # `used` is empty: the table compares the keys of all its decks (`KeyHistory`).
                masking.verify_keys(step, context=proof_context, used=frozenset())
            return replace(self, keys={**self.keys, context.place.seat: step.keys})
        assert isinstance(content, ShuffleStep)  # no other kind fits here
        # Not carried out: nothing is read of the cards, and no proof about them is verified.
        if self.trusted:
            return self
        shuffle = ProvenShuffle.from_bytes(content.step, cards=len(self.pack))
        proof_context = context.proof_context("ShuffleStep")
        assert self.deck is not None  # `close` made it of all keys
        return replace(self, deck=self.deck.after_shuffle(shuffle, context=proof_context))

    def close(self) -> tuple[DeckSetup, tuple[Event, ...]]:
        """Return the setup after its complete round, without events: from keys to the first
        shuffle, from shuffle to shuffle, to settled.

        Raises ProofError `key.sum` or `deck.start` if the keys of all seats cancel.
        """
        if self.phase is LedgerPhase.KEYING:
            keys = [self.keys[Seat(seat)] for seat in range(self.seats)]
            # The first deck is computed, never read from a message (G13); keys that cancel fail
            # here.
            start = Deck.start(self.pack, keys)._replace(trusted=self.trusted)
            return replace(self, phase=LedgerPhase.SHUFFLING, deck=start), ()
        shuffled = self.shuffled + 1
        phase = LedgerPhase.SETTLED if shuffled == self.seats else LedgerPhase.SHUFFLING
        return replace(self, phase=phase, shuffled=shuffled), ()

    def contribute(self, context: MessageContext, secrets: Secrets) -> Content:
        """Return the seat's HandKeys with the proof that it knows their secrets; once all keys
        are there its ShuffleStep: the deck after its shuffle, with the proof.
        """
        entropy = secrets.entropy_for(context)
        if self.phase is LedgerPhase.KEYING:
            secret = secrets.hand_secret(context.place.ledger.number)
            proof_context = context.proof_context("HandKeys")
            step = masking.prove_keys(secret, context=proof_context, entropy=entropy)
            data = step.to_bytes()
            # The bytes of a KeyStep are the keys, then the proof.
            return HandKeys(data[: -len(step.proof)], step.proof)
        proof_context = context.proof_context("ShuffleStep")
        assert self.deck is not None  # as in `take`
        shuffle = shuffle_deck(self.deck, context=proof_context, entropy=entropy)
        return ShuffleStep(shuffle.to_bytes())
