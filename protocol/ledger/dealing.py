"""The rounds that no player decides: shares of dealt cards, hand-overs, hands sorted for others.

A step of the game asks for disclosures; those that need messages of their own are carried out here,
one round for each run of equal ones, before anybody acts again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from p2p304.cards import Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, Remixed
from p2p304.seats import Seat
from protocol.cards.deck import Deck, ProvenShuffle, hand_over, remix_hand, share_cards
from protocol.cards.handover import HandOver
from protocol.cards.secrets import Secrets
from protocol.cards.shares import ShareBatch
from protocol.errors import ProofError
from protocol.ledger.phases import Phase
from protocol.proofs.context import MessageContext
from protocol.wire import contents

Duty = Dealt | HandedOver | Remixed
DutyContent = contents.DealShares | contents.HandOverShares | contents.SortedHands
"""What a seat publishes in a round of duties."""

_PHASES = {
    Dealt: Phase.DEALING,
    HandedOver: Phase.HANDING_OVER,
    Remixed: Phase.SORTING,
}


def merged(deck: Deck, judged: Deck, slots: Iterable[Slot]) -> Deck:
    """Return `deck` with `slots` as they are in a deck to which one seat's message was judged to
    lead."""
    changed = {slot: judged.slots[slot] for slot in slots}
    return deck._replace(
        slots=MappingProxyType({**deck.slots, **changed}),
        covers=deck.covers | judged.covers,
    )


def after_mixings(deck: Deck, mixed: Deck, mixings: Sequence[Remixed]) -> Deck:
    """Return `deck` with one seat's cards as `mixed` has them, without the slots that it
    retired."""
    gone = {slot for mixing in mixings for slot in mixing.before}
    made = [slot for mixing in mixings for slot in mixing.after if slot in mixed.slots]
    deck = merged(deck, mixed, made)
    slots = {slot: hidden for slot, hidden in deck.slots.items() if slot not in gone}
    faces = {slot: card for slot, card in deck.faces.items() if slot not in gone}
    return deck._replace(slots=MappingProxyType(slots), faces=MappingProxyType(faces))


@dataclass(frozen=True, slots=True)
class DutyRound:
    """One round of duties of one kind, as far as it has come.

    `start` is the deck at its beginning, against which every message is judged, so that the verdict
    does not depend on the order of arrival; `deck` is what the messages so far have led to.
    """

    duties: tuple[Duty, ...]
    start: Deck
    deck: Deck

    @property
    def phase(self) -> Phase:
        """The phase that the kind of these duties makes."""
        return _PHASES[type(self.duties[0])]

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """The seats that have something to publish, in seat order; perhaps nobody."""
        deck = self.start
        seats = [Seat(seat) for seat in range(len(deck.keys))]
        if self.phase is Phase.DEALING:
            return tuple(seat for seat in seats if deck.owed_shares(seat))
        return tuple(seat for seat in seats if self._of(seat))

    def take(self, content: DutyContent, context: MessageContext) -> DutyRound:
        """Judge one seat's message, of the kind of this round, and return the round with it.

        Raises MalformedMessage, or ProofError `shares.*`, `hand-over.*`, `remix.count`, `shuffle.*`
        or `deck.*`.
        """
        seat, deck = context.place.seat, self.start
        match content:
            case contents.DealShares(batch):
                owed = deck.owed_shares(seat)
                shares = ShareBatch.from_bytes(batch, cards=len(owed))
                proof_context = context.proof_context("DealShares")
                # The shares of different seats commute; judged on the deck so far they need no
                # merging, and the proof does not look at what other seats took off.
                dealt = self.deck.after_shares(seat, shares, context=proof_context)
                return replace(self, deck=dealt)
            case contents.HandOverShares(handovers):
                return self._take_handovers(handovers, context)
            case contents.SortedHands(remixes):
                return replace(self, deck=self._take_remixes(remixes, context))

    def contribute(self, context: MessageContext, secrets: Secrets) -> DutyContent:
        """Return what the seat of the context, whose `secrets` these are, publishes: no salts."""
        seat, deck = context.place.seat, self.start
        secret = secrets.hand_secret(context.place.ledger.number)
        entropy = secrets.entropy_for(context)
        if self.phase is Phase.DEALING:
            proof_context = context.proof_context("DealShares")
            shares = share_cards(deck, seat, secret, context=proof_context, entropy=entropy)
            return contents.DealShares(shares.to_bytes())
        if self.phase is Phase.HANDING_OVER:
            proof_context = context.proof_context("HandOverShares")
            messages = [
                hand_over(
                    deck,
                    duty.slot,
                    duty.reader,
                    secret,
                    context=proof_context.part(number),
                    entropy=entropy,
                ).to_bytes()
                for number, duty in enumerate(self._of(seat))
                if isinstance(duty, HandedOver)
            ]
            return contents.HandOverShares(tuple(messages))
        proof_context = context.proof_context("SortedHands")
        remixes = [
            remix_hand(
                deck, seat, duty.before, context=proof_context.part(number), entropy=entropy
            ).to_bytes()
            for number, duty in enumerate(self._of(seat))
            if isinstance(duty, Remixed)
        ]
        return contents.SortedHands(tuple(remixes))

    def _of(self, seat: Seat) -> tuple[Duty, ...]:
        """Return the hand-overs or remixes that are this seat's to make."""
        return tuple(
            duty
            for duty in self.duties
            if (duty.owner if isinstance(duty, HandedOver) else duty.seat) == seat
        )

    def _take_handovers(self, handovers: tuple[bytes, ...], context: MessageContext) -> DutyRound:
        seat = context.place.seat
        proof_context = context.proof_context("HandOverShares")
        due = [duty for duty in self._of(seat) if isinstance(duty, HandedOver)]
        if len(handovers) != len(due):
            raise ProofError("hand-over.count", f"{len(handovers)}, not {len(due)}")
        judged, slots = self.start, []
        for number, (duty, data) in enumerate(zip(due, handovers, strict=True)):
            judged = judged.after_handover(
                duty.slot,
                duty.reader,
                HandOver.from_bytes(data),
                context=proof_context.part(number),
                moves=duty.moves,
            )
            slots.append(duty.slot)
        return replace(self, deck=merged(self.deck, judged, slots))

    def _take_remixes(self, remixes: tuple[bytes, ...], context: MessageContext) -> Deck:
        mixings = [duty for duty in self._of(context.place.seat) if isinstance(duty, Remixed)]
        mixed = judge_remixes(self.start, mixings, remixes, context, kind="SortedHands")
        return after_mixings(self.deck, mixed, mixings)


def judge_remixes(
    start: Deck,
    mixings: Sequence[Remixed],
    remixes: tuple[bytes, ...],
    context: MessageContext,
    *,
    kind: str,
) -> Deck:
    """Judge one seat's mixings, and return the deck after them, from the deck at the round's start.

    Raises ProofError `remix.count`, `deck.*` or `shuffle.*`, or MalformedMessage.

    Args:
        start: as the cards lay when the round opened.
        mixings: what the game says that the seat mixes, in order.
        remixes: what its message says of each.
        context: of that message.
        kind: its name, "Action" or "SortedHands", to which the proofs are bound.
    """
    if len(remixes) != len(mixings):
        raise ProofError("remix.count", f"{len(remixes)}, not {len(mixings)}")
    mixed = start
    for number, (mixing, data) in enumerate(zip(mixings, remixes, strict=True)):
        step = ProvenShuffle.from_bytes(data, cards=len(mixing.before))
        part = context.proof_context(kind).part(number)
        mixed = mixed.after_remix(mixing.seat, mixing.before, mixing.after, step, context=part)
    return mixed


def duties_in(disclosures: Sequence[Disclosure], actor: Seat | None) -> tuple[Duty, ...]:
    """Return the disclosures that need rounds of their own; the actor mixes in its own message."""
    return tuple(
        each
        for each in disclosures
        if isinstance(each, Dealt | HandedOver)
        or (isinstance(each, Remixed) and each.seat != actor)
    )


def next_round(
    duties: tuple[Duty, ...], deck: Deck
) -> tuple[DutyRound | None, tuple[Duty, ...], Deck]:
    """Return the round of the first run of equal duties, the duties after it, and the deck.

    The round is None when there are no duties.
    """
    if not duties:
        return None, (), deck
    kind = type(duties[0])
    count = next(
        (place for place, duty in enumerate(duties) if type(duty) is not kind), len(duties)
    )
    run, rest = duties[:count], duties[count:]
    for duty in run:
        if isinstance(duty, Dealt):
            deck = deck.dealt(duty.seat, duty.slots)
    return DutyRound(run, deck, deck), rest, deck
