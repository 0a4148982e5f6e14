"""The rounds that no player decides: shares of dealt cards, hand-overs, hands sorted for others.

A step of the game asks for disclosures; those that need messages of their own are carried out here,
one round for each run of equal ones, before anybody acts again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from p2p304.disclosures import Dealt, Disclosure, HandedOver, Remixed
from p2p304.seats import Seat
from p2p304.slots import Slot
from protocol import contents
from protocol.deck import Deck, HiddenCard, ShuffleStep, hand_over, remix_hand, share_cards
from protocol.errors import LocalError, ProofError
from protocol.expansion import Secrets
from protocol.handover import HandOver
from protocol.occasion import Occasion
from protocol.phases import Phase
from protocol.shares import ShareBatch

Duty = Dealt | HandedOver | Remixed

_PHASES = {
    Dealt: Phase.DEALING,
    HandedOver: Phase.HANDING_OVER,
    Remixed: Phase.SORTING,
}


@dataclass(frozen=True, slots=True)
class Cards:
    """The masked deck, and the owners' own versions of the cards that they handed over.

    A card that was handed over is masked under its reader's keys in `deck`; its owner still holds
    it under its own keys and may have to open it later.
    """

    deck: Deck
    lent: Mapping[Slot, HiddenCard] = field(default_factory=dict)

    def as_held_by(self, seat: Seat) -> Deck:
        """The deck in which every card that `seat` can open is masked under its keys alone."""
        own = {slot: hidden for slot, hidden in self.lent.items() if hidden.owner == seat}
        if not own:
            return self.deck
        return replace(self.deck, slots={**self.deck.slots, **own})

    def with_slots(self, judged: Deck, slots: Sequence[Slot]) -> Cards:
        """With `slots` as they are in a deck that one seat's message was judged to lead to."""
        changed = {slot: judged.slots[slot] for slot in slots}
        deck = replace(
            self.deck,
            slots={**self.deck.slots, **changed},
            covers=self.deck.covers | judged.covers,
        )
        return replace(self, deck=deck)

    def after_mixings(self, mixed: Deck, mixings: Sequence[Remixed]) -> Cards:
        """With one seat's cards as `mixed` has them, and without the slots that it retired."""
        gone = {slot for mixing in mixings for slot in mixing.before}
        made = [slot for mixing in mixings for slot in mixing.after if slot in mixed.slots]
        cards = self.with_slots(mixed, made)
        left = {slot: hidden for slot, hidden in cards.deck.slots.items() if slot not in gone}
        faces = {slot: card for slot, card in cards.deck.faces.items() if slot not in gone}
        return replace(cards, deck=replace(cards.deck, slots=left, faces=faces))


@dataclass(frozen=True, slots=True)
class DutyRound:
    """One round of duties of one kind, as far as it has come.

    `start` are the cards at its beginning, against which every message is judged, so that the
    verdict does not depend on the order of arrival.
    """

    duties: tuple[Duty, ...]
    start: Cards
    cards: Cards

    @property
    def phase(self) -> Phase:
        """The phase that the kind of these duties makes."""
        return _PHASES[type(self.duties[0])]

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """The seats that have something to publish, in seat order; perhaps nobody."""
        deck = self.start.deck
        seats = [Seat(seat) for seat in range(len(deck.keys))]
        if self.phase is Phase.DEALING:
            return tuple(seat for seat in seats if deck.owed_shares(seat))
        return tuple(seat for seat in seats if self._of(seat))

    def take(self, content: contents.Content, occasion: Occasion) -> DutyRound:
        """The round with one seat's message judged. Raises MalformedMessage or ProofError."""
        seat, deck = occasion.place.seat, self.start.deck
        match content:
            case contents.DealShares(batch):
                owed = deck.owed_shares(seat)
                shares = ShareBatch.from_bytes(batch, cards=len(owed))
                context = occasion.proof_context("DealShares")
                # The shares of different seats commute; judged on the deck so far they need no
                # merging, and the proof does not look at what other seats took off.
                dealt = self.cards.deck.after_shares(seat, shares, context=context)
                return replace(self, cards=replace(self.cards, deck=dealt))
            case contents.HandOverShares(handovers):
                return self._take_handovers(handovers, occasion)
            case contents.SortedHands(remixes):
                return replace(self, cards=self._take_remixes(remixes, occasion))
            case _:
                raise LocalError("no message of a round of duties")

    def contribute(self, occasion: Occasion, secrets: Secrets) -> contents.Content:
        """What the seat of the occasion publishes, without salts."""
        seat, deck = occasion.place.seat, self.start.deck
        secret = secrets.hand_secret(occasion.place.ledger.number)
        entropy = secrets.entropy_for(occasion)
        if self.phase is Phase.DEALING:
            context = occasion.proof_context("DealShares")
            shares = share_cards(deck, seat, secret, context=context, entropy=entropy)
            return contents.DealShares(shares.to_bytes())
        if self.phase is Phase.HANDING_OVER:
            context = occasion.proof_context("HandOverShares")
            messages = [
                hand_over(
                    deck,
                    duty.slot,
                    duty.reader,
                    secret,
                    context=context.part(number),
                    entropy=entropy,
                ).to_bytes()
                for number, duty in enumerate(self._of(seat))
                if isinstance(duty, HandedOver)
            ]
            return contents.HandOverShares(tuple(messages))
        context = occasion.proof_context("SortedHands")
        remixes = [
            remix_hand(
                deck, seat, duty.before, context=context.part(number), entropy=entropy
            ).to_bytes()
            for number, duty in enumerate(self._of(seat))
            if isinstance(duty, Remixed)
        ]
        return contents.SortedHands(tuple(remixes))

    def _of(self, seat: Seat) -> tuple[Duty, ...]:
        """The hand-overs or remixes that are this seat's to make."""
        return tuple(
            duty
            for duty in self.duties
            if (duty.owner if isinstance(duty, HandedOver) else duty.seat) == seat
        )

    def _take_handovers(self, handovers: tuple[bytes, ...], occasion: Occasion) -> DutyRound:
        seat = occasion.place.seat
        context = occasion.proof_context("HandOverShares")
        due = self._of(seat)
        if len(handovers) != len(due):
            raise ProofError("hand-over.count", f"{len(handovers)}, not {len(due)}")
        judged, slots = self.start.deck, []
        for number, (duty, data) in enumerate(zip(due, handovers, strict=True)):
            if not isinstance(duty, HandedOver):
                raise LocalError("a round of duties is of one kind")
            judged = judged.after_handover(
                duty.slot, duty.reader, HandOver.from_bytes(data), context=context.part(number)
            )
            slots.append(duty.slot)
        own = {slot: self.start.deck.slots[slot] for slot in slots}
        cards = self.cards.with_slots(judged, slots)
        return replace(self, cards=replace(cards, lent={**cards.lent, **own}))

    def _take_remixes(self, remixes: tuple[bytes, ...], occasion: Occasion) -> Cards:
        mixings = [duty for duty in self._of(occasion.place.seat) if isinstance(duty, Remixed)]
        mixed = judge_remixes(self.start.deck, mixings, remixes, occasion, kind="SortedHands")
        return self.cards.after_mixings(mixed, mixings)


def judge_remixes(
    start: Deck,
    mixings: Sequence[Remixed],
    remixes: tuple[bytes, ...],
    occasion: Occasion,
    *,
    kind: str,
) -> Deck:
    """The deck after one seat's mixings, from the deck at the start of the round.

    Raises ProofError `remix.count`, `deck.*` or `shuffle.*`, or MalformedMessage.
    """
    if len(remixes) != len(mixings):
        raise ProofError("remix.count", f"{len(remixes)}, not {len(mixings)}")
    context = occasion.proof_context(kind)
    mixed = start
    for number, (mixing, data) in enumerate(zip(mixings, remixes, strict=True)):
        step = ShuffleStep.from_bytes(data, cards=len(mixing.before))
        mixed = mixed.after_remix(
            mixing.seat, mixing.before, mixing.after, step, context=context.part(number)
        )
    return mixed


def duties_in(disclosures: Sequence[Disclosure], actor: Seat | None) -> tuple[Duty, ...]:
    """The disclosures that need rounds of their own; the actor mixes in its own message."""
    return tuple(
        each
        for each in disclosures
        if isinstance(each, Dealt | HandedOver)
        or (isinstance(each, Remixed) and each.seat != actor)
    )


def next_round(
    duties: tuple[Duty, ...], cards: Cards
) -> tuple[DutyRound | None, tuple[Duty, ...], Cards]:
    """The round of the first run of equal duties, the duties after it, and the cards.

    The round is None when there are no duties, or when nobody owes anything for the first run; its
    duties are done then.
    """
    if not duties:
        return None, (), cards
    kind = type(duties[0])
    count = next(
        (place for place, duty in enumerate(duties) if type(duty) is not kind), len(duties)
    )
    run, rest = duties[:count], duties[count:]
    deck = cards.deck
    for duty in run:
        if isinstance(duty, Dealt):
            deck = deck.dealt(duty.seat, duty.slots)
    cards = replace(cards, deck=deck)
    return DutyRound(run, cards, cards), rest, cards
