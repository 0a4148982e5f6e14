"""The table's masked deck: which card lies masked under whose keys, and every step that changes it.

A `Deck` is an immutable value that all seats share. Each step has a function that makes its
message (the actor's side) and a method that judges the message and gives the next deck
(everybody's side, the auditor's included). Cards, positions and keys come from the deck; a message
holds only what is new. Which seat may do what and when is the rules' and the session's business.

`read_card` and what follows it are one seat's alone, with its own secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from p2p304.cards import Card, Slot
from p2p304.seats import Seat, place_name
from protocol import labels
from protocol.cards.handover import HandOver, apply_hand_over, prove_handover, verify_handover
from protocol.cards.keys import (
    CARD_BYTES,
    HandSecret,
    MaskedCard,
    SeatKeys,
    cards_from_bytes,
    cards_to_bytes,
    start_deck,
    table_keys,
)
from protocol.cards.shares import ShareBatch, prove_shares, verify_shares, without_share
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, InternalFault, LocalError, ProofError
from protocol.group.constants import card_point, suit_point
from protocol.group.point import Point, add, blinded_multiply
from protocol.group.scalar import SecretScalar
from protocol.proofs.context import ProofContext
from protocol.proofs.shuffle import (
    ShuffleProof,
    ShuffleStatement,
    prove_shuffle,
    shuffle_cards,
    verify_shuffle,
)


class HiddenCard(NamedTuple):
    """A slot of the deck: the card as it is masked now, and the seats whose keys still mask it."""

    card: MaskedCard
    locks: frozenset[Seat]
    owner: Seat | None = None  #: The seat it was dealt to, or None while it lies in the deck.
    #: The same card under the keys of each seat that it was handed over to. Pairs and no
    #: dictionary, which could be changed.
    handed: tuple[tuple[Seat, MaskedCard], ...] = ()

    def under(self, seat: Seat) -> MaskedCard | None:
        """Return the card masked under the keys of `seat` alone; None if others' keys mask it,
        too, and it was not handed over to `seat`.
        """
        # The keys of all other seats are off the card: only this seat's still mask it.
        if self.locks == {seat}:
            return self.card
        return dict(self.handed).get(seat)


@dataclass(frozen=True, slots=True)
class ProvenShuffle:
    """The message of a shuffle: the cards as they lie afterwards, and the proof."""

    cards: tuple[MaskedCard, ...]
    proof: ShuffleProof

    def to_bytes(self) -> bytes:
        """Return the cards, 99 bytes each, then the proof."""
        return cards_to_bytes(self.cards) + self.proof.to_bytes()

    @staticmethod
    def size(cards: int) -> int:
        """Return the number of bytes of a shuffle of `cards` cards."""
        return cards * CARD_BYTES + ShuffleProof.size(cards)

    @classmethod
    def from_bytes(cls, data: bytes, *, cards: int) -> ProvenShuffle:
        """Return the shuffle of `cards` cards that `data` encodes.

        Raises `MalformedMessage` with `shuffle-proof.length`, `point.*` or `scalar.*`.
        """
        split = cards * CARD_BYTES
        # The argument first: the length of its rest is the length of the whole, and is judged
        # before any point is decoded.
        proof = ShuffleProof.from_bytes(data[split:], cards=cards)
        return cls(cards_from_bytes(data[:split], count=cards), proof)


class Deck(NamedTuple):
    """All cards of one deal, as everybody sees them. Immutable.

    `keys` are the seats' keys in seat order; `slots` has the masked card of each slot, `faces` the
    card of each slot that everybody knows; `covers` holds the point R of every hand-over of this
    deal, encoded (specs/04-cards.md, 4.7).
    """

    pack: tuple[Card, ...]
    keys: tuple[SeatKeys, ...]
    slots: Mapping[Slot, HiddenCard]
    faces: Mapping[Slot, Card]
    covers: frozenset[bytes]
    #: Whether what its seats signed is taken without its proofs: for counting many finished hands,
    #: whose proofs all seats judged before they signed the result.
    trusted: bool = False

    def __repr__(self) -> str:  # without the masked cards, which fill pages
        """Return a text with the pack, the keys and the faces."""
        return f"Deck(pack={self.pack!r}, keys={self.keys!r}, faces={self.faces!r})"

    @classmethod
    def start(cls, pack: Sequence[Card], keys: Sequence[SeatKeys]) -> Deck:
        """Return the deck before the first shuffle: the pack, each card masked with the public
        randomness 1 under all seats' keys.

        Slot i is the i-th card of `pack`; `keys` are verified, in seat order. Raises `ProofError`
        `key.sum` or `deck.start` if keys cancel, `LocalError` for a pack with a card twice.
        """
        everyone = frozenset(Seat(seat) for seat in range(len(keys)))
        slots = {
            Slot(place): HiddenCard(card, everyone)
            for place, card in enumerate(start_deck(pack, table_keys(keys)))
        }
        return cls(
            tuple(pack), tuple(keys), MappingProxyType(slots), MappingProxyType({}), frozenset()
        )

    def hidden_card(self, slot: Slot) -> HiddenCard:
        """Return what lies in `slot`: the masked card, whose keys mask it, and its owner. Raises
        `ProofError` `deck.slot` where there is no such slot.
        """
        if slot not in self.slots:
            raise ProofError("deck.slot", str(slot))
        return self.slots[slot]

    def under(self, seat: Seat, slots: Iterable[Slot]) -> tuple[MaskedCard, ...]:
        """Return the cards in `slots`, in order, each masked under the keys of `seat` alone.

        Raises `ProofError` with `deck.slot` for no slot, `deck.locks` for a card that other keys
        mask, too.
        """
        cards = []
        for slot in slots:
            card = self.hidden_card(slot).under(seat)
            if card is None:
                # 0: the seat by its number, counted from 1 as people read it.
                place = place_name(seat, 0)
                raise ProofError("deck.locks", f"slot {slot} is not under {place} alone")
            cards.append(card)
        return tuple(cards)

    def after_shuffle(self, step: ProvenShuffle, *, context: ProofContext) -> Deck:
        """Verify one seat's shuffle of the whole pack and return the deck after it.

        `context` is that of the message with the shuffle. Raises `ProofError` with `deck.dealt` (a
        card has an owner already), `deck.shuffle-count` or `shuffle.*`.
        """
        # `trusted` is not looked at: a trusted table carries no shuffle of the pack out
        # (`DeckSetup`).
        statement = _statement(*self._masked_pack(), step.cards)
        verify_shuffle(statement, step.proof, context=context, purpose=labels.DECK_SHUFFLE_PURPOSE)
        # Under all seats' keys still, as every card was before.
        return self._with(
            {
                Slot(place): self.slots[Slot(place)]._replace(card=card)
                for place, card in enumerate(step.cards)
            }
        )

    def with_owner(self, seat: Seat, slots: Sequence[Slot]) -> Deck:
        """Return the deck with `slots` owned by `seat`, for which all other seats now owe shares.

        Raises `ProofError` with `deck.slot` for no slot or `deck.dealt` for one that has an owner.
        """
        changed = {}
        for slot in slots:
            hidden = self.hidden_card(slot)
            if hidden.owner is not None:
                raise ProofError("deck.dealt", f"slot {slot} has an owner")
            changed[slot] = hidden._replace(owner=seat)
        return self._with(changed)

    def owed_shares(self, seat: Seat) -> tuple[Slot, ...]:
        """Return the dealt slots of others that the keys of `seat` still mask, ascending; empty
        if none.
        """
        return tuple(
            # One order at all seats: a batch of shares names no slots.
            sorted(
                slot
                for slot, hidden in self.slots.items()
                if hidden.owner is not None and hidden.owner != seat and seat in hidden.locks
            )
        )

    def after_shares(self, seat: Seat, batch: ShareBatch, *, context: ProofContext) -> Deck:
        """Verify the shares of `seat` for all slots of `owed_shares`, in that order, and return the
        deck without its mask on them. A `trusted` deck takes them unverified.

        Any order of seats leads to the same deck. Raises `ProofError` with `shares.none` if the
        seat owes nothing, and with `shares.*` for a wrong batch.
        """
        slots = self.owed_shares(seat)
        if not slots:
            raise ProofError("shares.none", "this seat owes no share")
        # Which cards are shared follows from the state, never from the message: nobody can ask for
        # a share of a point of its choice (attacks.md, SH9, DL11).
        hidden = [self.slots[slot] for slot in slots]
        if not self.trusted:
            verify_shares([each.card for each in hidden], batch, self.keys[seat], context=context)
        return self._with(
            {
                # Shares are subtracted, so that any order of the seats gives one card.
                slot: each._replace(card=without_share(each.card, share), locks=each.locks - {seat})
                for slot, each, share in zip(slots, hidden, batch.shares, strict=True)
            }
        )

    def after_handover(
        self,
        slot: Slot,
        reader: Seat,
        message: HandOver,
        *,
        context: ProofContext,
        moves: bool = False,
    ) -> Deck:
        """Verify a hand-over of the card in `slot` by its owner (a `trusted` deck takes it
        unverified), and return the deck in which `reader`, too, has the card under its own keys
        alone.

        Owner and reader can open the card and state things about it from now on. With `moves` the
        reader becomes the owner. Raises `ProofError` with `deck.slot`, `deck.locks`, `deck.handed`
        (the reader has the card already) or `hand-over.*`.
        """
        owner = self._owner(slot)
        (card,) = self.under(owner, (slot,))
        hidden = self.hidden_card(slot)
        # A second hand-over of a card to one reader would need a second cover, and gains nothing.
        if hidden.under(reader) is not None:
            raise ProofError("deck.handed", f"slot {slot} is readable by seat {reader} already")
        if not self.trusted:
            verify_handover(
                card,
                self.keys[owner],
                self.keys[reader],
                message,
                context=context,
                covers=self.covers,
            )
        given = apply_hand_over(card, message)
        if moves:
            # The former owner has seen the card and can still make statements about it.
            kept = (*hidden.handed, (owner, card))
            changed = HiddenCard(given, frozenset({reader}), reader, kept)
        else:
            changed = hidden._replace(handed=(*hidden.handed, (reader, given)))
        return self._with({slot: changed})._replace(
            # One cover for two cards would show the difference of their faces (attacks.md, DL8).
            covers=self.covers | {message.cover.to_bytes()},
        )

    def after_remix(
        self,
        seat: Seat,
        before: Sequence[Slot],
        after: Sequence[Slot],
        step: ProvenShuffle,
        *,
        context: ProofContext,
    ) -> Deck:
        """Verify that `seat` mixed its own cards from the slots `before` into the new slots
        `after`, and return the deck after it, without the old slots and their faces. A `trusted`
        deck takes the mix without its proof.

        Raises `ProofError` with `deck.*` or `shuffle.*` for a wrong message, and `LocalError`
        unless `after` are as many slots, each new to this deal.
        """
        statement = _statement(*self._own_cards(seat, before), step.cards)
        new = set(after) - set(self.slots)
        # The rules give the new slots: a wrong number is our own defect, not the peer's.
        if not len(new) == len(after) == len(before):
            raise LocalError("a remix takes as many new slots as it retires")
        if not self.trusted:
            purpose = labels.HAND_SHUFFLE_PURPOSE
            verify_shuffle(statement, step.proof, context=context, purpose=purpose)
        alone = frozenset({seat})
        kept = {slot: hidden for slot, hidden in self.slots.items() if slot not in before}
        mixed = {
            slot: HiddenCard(card, alone, seat)
            for slot, card in zip(after, step.cards, strict=True)
        }
        # Which new slot holds a known card is what mixing hides.
        faces = {slot: face for slot, face in self.faces.items() if slot not in before}
        return self._replace(slots=MappingProxyType(kept | mixed), faces=MappingProxyType(faces))

    def with_face(self, slot: Slot, card: Card) -> Deck:
        """Return the deck with `card` known as the face of `slot`, after its opening was verified.

        Unchanged if it is known already. Raises `ProofError` `deck.slot` for no slot;
        `InternalFault` with `deck.face` for a slot that shows another card or `deck.twice` for a
        card that lies open elsewhere, which only a defect of our own checks can cause.
        """
        # For the error alone, where there is no such slot.
        self.hidden_card(slot)
        known = self.faces.get(slot)
        if known == card:
            return self
        # The opening proof shows one card only: another face there means that our own check is
        # broken.
        if known is not None:
            raise InternalFault("deck.face", f"slot {slot} shows {known}, not {card}")
        if card in self.faces.values():
            raise InternalFault("deck.twice", f"{card} lies open already")
        return self._replace(faces=MappingProxyType({**self.faces, slot: card}))

    def _with(self, changed: Mapping[Slot, HiddenCard]) -> Deck:
        """Return the deck with these slots replaced or added."""
        return self._replace(slots=MappingProxyType({**self.slots, **changed}))

    def _owner(self, slot: Slot) -> Seat:
        """Return the seat that a slot was dealt to; raises `ProofError` with `deck.slot` for no
        such slot, or `deck.locks` for one that was dealt to nobody.
        """
        owner = self.hidden_card(slot).owner
        if owner is None:
            raise ProofError("deck.locks", f"slot {slot} was dealt to nobody")
        return owner

    def _masked_pack(self) -> tuple[SeatKeys, tuple[MaskedCard, ...]]:
        """Return the sums of all seats' keys, and the whole pack masked under them; raises
        `ProofError` with `deck.dealt` once a card has an owner.
        """
        # A shuffle after dealing would exchange cards that their owners have seen.
        if any(hidden.owner is not None for hidden in self.slots.values()):
            raise ProofError("deck.dealt", "cards have been dealt already")
        cards = tuple(self.slots[Slot(place)].card for place in range(len(self.pack)))
        return table_keys(self.keys), cards

    def _own_cards(
        self, seat: Seat, slots: Sequence[Slot]
    ) -> tuple[SeatKeys, tuple[MaskedCard, ...]]:
        """Return the keys of `seat`, and its own cards in `slots`, masked under these keys alone;
        raises `ProofError` with `deck.*`.
        """
        # A slot twice would put one card into the hand two times.
        if not slots or len(set(slots)) != len(slots):
            raise ProofError("deck.remix", "a remix takes some slots, each once")
        taken = self.under(seat, slots)
        # Under its keys alone a seat also holds cards handed over to it, which it must not mix in.
        if any(self.hidden_card(slot).owner != seat for slot in slots):
            raise ProofError("deck.remix", "a remix takes one's own cards")
        return self.keys[seat], taken


def _statement(
    keys: SeatKeys, before: Sequence[MaskedCard], after: Sequence[MaskedCard]
) -> ShuffleStatement:
    """Return the statement that `after` are the cards `before`, remasked under `keys` and
    permuted; raises `ProofError` with `deck.shuffle-count`.
    """
    if len(before) != len(after):
        raise ProofError("deck.shuffle-count", f"{len(after)} cards of {len(before)}")
    return ShuffleStatement(tuple(keys), tuple(before), tuple(after))


def _proven_shuffle(
    keys: SeatKeys,
    before: tuple[MaskedCard, ...],
    purpose: bytes,
    context: ProofContext,
    entropy: Entropy,
) -> ProvenShuffle:
    """Shuffle cards that are masked under `keys`, and return the message with its proof."""
    after, secret = shuffle_cards(before, keys, entropy)
    cards = tuple(MaskedCard(*card) for card in after)
    statement = _statement(keys, before, cards)
    proof = prove_shuffle(statement, secret, context=context, purpose=purpose, entropy=entropy)
    return ProvenShuffle(cards, proof)


def shuffle_deck(deck: Deck, *, context: ProofContext, entropy: Entropy) -> ProvenShuffle:
    """Shuffle the whole pack, of which no card was dealt, and return the message: the cards
    afterwards, with the proof.

    `context` is that of the message; order, masks and nonces come from `entropy`, and the order is
    not kept. Raises `ProofError` with `deck.dealt`.
    """
    return _proven_shuffle(*deck._masked_pack(), labels.DECK_SHUFFLE_PURPOSE, context, entropy)


def remix_hand(
    deck: Deck,
    seat: Seat,
    before: Sequence[Slot],
    *,
    context: ProofContext,
    entropy: Entropy,
) -> ProvenShuffle:
    """Mix the cards of `seat` in the slots `before` into a uniform order, and return the message
    with its proof.

    The order owes nothing to the faces: a sorted hand would show ranks by places. Raises
    `ProofError` with `deck.slot` or `deck.locks` for a card that is not under the seat's keys
    alone, and with `deck.remix` for no slots, one twice, or one of another owner.
    """
    keys, cards = deck._own_cards(seat, before)
    return _proven_shuffle(keys, cards, labels.HAND_SHUFFLE_PURPOSE, context, entropy)


def share_cards(
    deck: Deck, seat: Seat, secret: HandSecret, *, context: ProofContext, entropy: Entropy
) -> ShareBatch:
    """Return the shares of every slot for which `seat` owes one, in the order of `owed_shares`,
    with their proof.

    Raises `LocalError` if the seat owes none, or if `secret` is not that of its keys.
    """
    # A share under another key would convict an honest seat; better to stop here.
    secret.check_keys(deck.keys[seat])
    slots = deck.owed_shares(seat)
    if not slots:
        raise LocalError("this seat owes no share")
    cards = [deck.slots[slot].card for slot in slots]
    return prove_shares(cards, secret, context=context, entropy=entropy)


def hand_over(
    deck: Deck,
    slot: Slot,
    reader: Seat,
    secret: HandSecret,
    *,
    context: ProofContext,
    entropy: Entropy,
) -> HandOver:
    """Return the owner's message that lets `reader`, and nobody else, read the card in `slot`.

    Raises `ProofError` with `deck.slot` for no slot, `deck.locks` for a card that was dealt to
    nobody or is not under its owner's keys alone, and `LocalError` if `secret` is not that of these
    keys.
    """
    owner = deck._owner(slot)
    secret.check_keys(deck.keys[owner])
    (card,) = deck.under(owner, (slot,))
    return prove_handover(card, secret, deck.keys[reader], context=context, entropy=entropy)


def read_card(deck: Deck, slot: Slot, seat: Seat, secret: HandSecret, *, entropy: Entropy) -> Card:
    """Return the face of `slot`, whose card is masked under the keys of `seat` alone; `secret` is
    behind these keys, `entropy` blinds the multiplications.

    Raises `ProofError` with `deck.slot` or `deck.locks`; `InternalFault` with `deck.not-a-card` or
    `deck.halves` (card and suit half disagree), which after verified shuffles only a defect of our
    own checks can cause.
    """
    (card,) = deck.under(seat, (slot,))
    face = _uncover(card.card, card.mask, secret.card, entropy)
    # The pack is small: comparing each card is faster than keeping a table.
    found = next((each for each in deck.pack if card_point(each) == face), None)
    if found is None:
        raise InternalFault("deck.not-a-card")
    # The suit half is what later proofs speak of; it must fit the card that was read (attacks.md,
    # DL5).
    if suit_point(found.suit) != _uncover(card.suit, card.mask, secret.suit, entropy):
        raise InternalFault("deck.halves")
    return found


def check_each_card_once(deck: Deck, faces: Mapping[Slot, Card]) -> None:
    """Raise `InternalFault` with `deck.twice` if `faces`, the cards that a seat knows, have one
    card in two slots of the deck: our own checks have let that pass.
    """
    known = [card for slot, card in faces.items() if slot in deck.slots]
    if len(set(known)) != len(known):
        raise InternalFault("deck.twice", "this seat sees a card in two slots")


def _uncover(half: Point, mask: Point, secret: SecretScalar, entropy: Entropy) -> Point:
    """Return the point under a masked half of a card: `half - secret · mask`. `entropy` blinds the
    multiplication.

    Raises `InternalFault` `deck.not-a-card` if the point is the identity.
    """
    # Adding -x·A subtracts the mask, with one blinded multiplication.
    # Made anew for the type checker alone, to which `-secret` is any Scalar.
    opposite = SecretScalar((-secret).value)
    try:
        return add(half, blinded_multiply(mask, opposite, entropy))
    except IdentityPoint:
        # Every card of a proved deck is a point, so an identity here is a defect of ours.
        raise InternalFault("deck.not-a-card") from None
