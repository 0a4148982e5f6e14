"""What the rules state about hidden cards, and what proves it: one small table.

    IsCard       the card half opens to the card           one batch proof for all of an action
    AllOfSuit    the suit half opens to the suit           one batch proof for all slots
    NotCard      the card half differs from the card       `protocol.proofs.inequality`, one list
    NoneOfSuit   the suit half differs from the suit       `protocol.proofs.inequality`, one list
    SuitsDiffer  the suit halves of two cards differ       `protocol.proofs.inequality`, one list
    AnyOf        one of several of the last two            `protocol.proofs.inequality`, many lists
    PointsBelow  the cards' rows add up to a low sum       `protocol.cards.points_bound`

Every slot that a statement names must be masked under the prover's keys alone. The verifier takes
slots, cards, keys and suits from its own state: a proof is bytes with nothing else in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from p2p304.cards import Card, Slot, Suit
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
    holds,
)
from protocol import labels
from protocol.cards.deck import Deck
from protocol.cards.keys import HandSecret
from protocol.cards.points_bound import (
    ScoreProof,
    ScoreTable,
    prove_score_below,
    verify_score_below,
)
from protocol.cards.reading import read_card
from protocol.entropy import Entropy
from protocol.errors import LocalError, ProofError
from protocol.group.constants import card_point, suit_point
from protocol.group.layout import LayoutReader
from protocol.group.scalar import SCALAR_BYTES
from protocol.proofs.batch_dleq import (
    BatchEquality,
    equality_bytes,
    prove_equality,
    verify_equality,
)
from protocol.proofs.context import ProofContext
from protocol.proofs.inequality import (
    Comparison,
    DistinctionProof,
    prove_distinction,
    verify_distinction,
)


@dataclass(frozen=True, slots=True)
class Openings:
    """All `IsCard` of one action, which one proof shows together."""

    slots: tuple[Slot, ...]
    cards: tuple[Card, ...]


Claim = Openings | AllOfSuit | NotCard | NoneOfSuit | SuitsDiffer | AnyOf | PointsBelow
"""What one proof shows."""


def claims_of(statements: Sequence[Statement]) -> tuple[Claim, ...]:
    """Return what must be proved for the statements of one action: openings first, together.

    Claims that are true of no cards at all need no proof and are left out.
    """
    openings = [each for each in statements if isinstance(each, IsCard)]
    claims: list[Claim] = []
    if openings:
        claims.append(
            Openings(tuple(each.slot for each in openings), tuple(each.card for each in openings))
        )
    claims += [each for each in statements if not isinstance(each, IsCard) and _needed(each)]
    return tuple(claims)


def prove_statements(
    deck: Deck,
    seat: Seat,
    secret: HandSecret,
    statements: Sequence[Statement],
    *,
    points: Mapping[Card, int],
    context: ProofContext,
    entropy: Entropy,
) -> tuple[bytes, ...]:
    """Prove the statements: one proof for each of `claims_of(statements)`, in order.

    `points` are the game's, for PointsBelow alone. Raises `LocalError` for a statement that is
    false, `ProofError` with `deck.*` for one about cards that are not under the seat's keys alone.
    """
    return tuple(
        _prove(deck, seat, secret, claim, points, context.part(number), entropy)
        for number, claim in enumerate(claims_of(statements))
    )


def verify_statements(
    deck: Deck,
    seat: Seat,
    statements: Sequence[Statement],
    proofs: Sequence[bytes],
    *,
    points: Mapping[Card, int],
    context: ProofContext,
) -> None:
    """Verify that `seat` has proved all statements.

    Raises `MalformedMessage` for bytes that are no proof, and `ProofError` with
    `statement.count`, `deck.*`, `opening.proof`, `suit-opening.proof`,
    `card-distinction.proof`, `distinction.proof`, `alternatives.proof`, `score.*` or `shuffle.*`.

    Args:
        deck: as it lay when the action was chosen, before any of its disclosures.
        proofs: in the order of `claims_of(statements)`.
        points: what the game says a card counts, for PointsBelow alone.
        context: the message that the proofs came in.
    """
    claims = claims_of(statements)
    if len(proofs) != len(claims):
        raise ProofError("statement.count", f"{len(proofs)} proofs for {len(claims)} claims")
    for number, (claim, proof) in enumerate(zip(claims, proofs, strict=True)):
        _verify(deck, seat, claim, proof, points, context.part(number))


def _needed(statement: Claim | IsCard) -> bool:
    """Tell whether anything is left to prove: not if the statement speaks of no slots."""
    match statement:
        case AnyOf(alternatives):
            return all(alternative.slots for alternative in alternatives)
        case IsCard():
            return True
        case PointsBelow(slots, limit):  # no cards count 0 points, which is not below 0
            return bool(slots) or limit <= 0
        case _:
            return bool(statement.slots)


def _prove(
    deck: Deck,
    seat: Seat,
    secret: HandSecret,
    claim: Claim,
    points: Mapping[Card, int],
    context: ProofContext,
    entropy: Entropy,
) -> bytes:
    match claim:
        case Openings(slots, cards):
            return prove_equality(
                _openings(deck, seat, slots, cards),
                (secret.card,),
                session=context.session_identifier(labels.OPENING_PURPOSE),
                entropy=entropy,
            )
        case AllOfSuit(slots, suit):
            return prove_equality(
                _suit_openings(deck, seat, slots, suit),
                (secret.suit,),
                session=context.session_identifier(labels.SUIT_OPENING_PURPOSE),
                entropy=entropy,
            )
        case NotCard(slots, card):
            return prove_distinction(
                (_card_comparisons(deck, seat, slots, card),),
                0,
                deck.keys[seat].card,
                secret.card,
                session=context.session_identifier(labels.CARD_DISTINCTION_PURPOSE),
                entropy=entropy,
            ).to_bytes()
        case NoneOfSuit() | SuitsDiffer():
            return prove_distinction(
                (_comparisons(deck, seat, claim),),
                0,
                deck.keys[seat].suit,
                secret.suit,
                session=context.session_identifier(labels.DISTINCTION_PURPOSE),
                entropy=entropy,
            ).to_bytes()
        case AnyOf(alternatives):
            return prove_distinction(
                [_comparisons(deck, seat, each) for each in alternatives],
                _true_alternative(deck, seat, secret, alternatives, entropy),
                deck.keys[seat].suit,
                secret.suit,
                session=context.session_identifier(labels.ALTERNATIVES_PURPOSE),
                entropy=entropy,
            ).to_bytes()
        case PointsBelow(slots, limit):
            return prove_score_below(
                ScoreTable.of(deck.pack, points),
                deck.under(seat, slots),
                [read_card(deck, slot, seat, secret, entropy=entropy) for slot in slots],
                limit,
                secret,
                context=context,
                entropy=entropy,
            ).to_bytes()
        case _:
            assert_never(claim)


def _verify(
    deck: Deck,
    seat: Seat,
    claim: Claim,
    proof: bytes,
    points: Mapping[Card, int],
    context: ProofContext,
) -> None:
    match claim:
        case Openings(slots, cards):
            verify_equality(
                _openings(deck, seat, slots, cards),
                _equality_proof(proof),
                session=context.session_identifier(labels.OPENING_PURPOSE),
                check="opening.proof",
            )
        case AllOfSuit(slots, suit):
            verify_equality(
                _suit_openings(deck, seat, slots, suit),
                _equality_proof(proof),
                session=context.session_identifier(labels.SUIT_OPENING_PURPOSE),
                check="suit-opening.proof",
            )
        case NotCard(slots, card):
            comparisons = _card_comparisons(deck, seat, slots, card)
            verify_distinction(
                (comparisons,),
                deck.keys[seat].card,
                DistinctionProof.from_bytes(proof, counts=(len(comparisons),)),
                session=context.session_identifier(labels.CARD_DISTINCTION_PURPOSE),
                check="card-distinction.proof",
            )
        case NoneOfSuit() | SuitsDiffer():
            comparisons = _comparisons(deck, seat, claim)
            verify_distinction(
                (comparisons,),
                deck.keys[seat].suit,
                DistinctionProof.from_bytes(proof, counts=(len(comparisons),)),
                session=context.session_identifier(labels.DISTINCTION_PURPOSE),
                check="distinction.proof",
            )
        case AnyOf(alternatives):
            lists = [_comparisons(deck, seat, each) for each in alternatives]
            verify_distinction(
                lists,
                deck.keys[seat].suit,
                DistinctionProof.from_bytes(proof, counts=[len(each) for each in lists]),
                session=context.session_identifier(labels.ALTERNATIVES_PURPOSE),
                check="alternatives.proof",
            )
        case PointsBelow(slots, limit):
            table = ScoreTable.of(deck.pack, points)
            hidden = deck.under(seat, slots)
            verify_score_below(
                table,
                hidden,
                limit,
                deck.keys[seat],
                ScoreProof.from_bytes(proof, table=table, cards=len(hidden), limit=limit),
                context=context,
            )
        case _:
            assert_never(claim)


def _equality_proof(proof: bytes) -> bytes:
    """Return the proof of an opening, its scalars checked: the engine's own bytes."""
    count = equality_bytes(1) // SCALAR_BYTES
    LayoutReader("opening", proof, points=0, scalars=count).scalars(count)
    return proof


def _openings(
    deck: Deck, seat: Seat, slots: Sequence[Slot], cards: Sequence[Card]
) -> BatchEquality:
    """Return the equations `B_card - CARD = x_card·A` for each slot and its card."""
    hidden = deck.under(seat, slots)
    return BatchEquality(
        keys=(deck.keys[seat].card,),
        bases=tuple((each.mask,) for each in hidden),
        images=(
            tuple((each.card, card_point(card)) for each, card in zip(hidden, cards, strict=True)),
        ),
    )


def _suit_openings(deck: Deck, seat: Seat, slots: Sequence[Slot], suit: Suit) -> BatchEquality:
    """Return the equations `B_suit - SUIT = x_suit·A` for each slot."""
    hidden = deck.under(seat, slots)
    return BatchEquality(
        keys=(deck.keys[seat].suit,),
        bases=tuple((each.mask,) for each in hidden),
        images=(tuple((each.suit, suit_point(suit)) for each in hidden),),
    )


def _card_comparisons(
    deck: Deck, seat: Seat, slots: Sequence[Slot], card: Card
) -> tuple[Comparison, ...]:
    """Return what must differ from what: each card half from the card."""
    point = card_point(card)
    return tuple(Comparison((c.mask,), (c.card, point)) for c in deck.under(seat, slots))


def _comparisons(
    deck: Deck, seat: Seat, statement: NoneOfSuit | SuitsDiffer
) -> tuple[Comparison, ...]:
    """Return what must differ from what: each suit half from the suit, or from another card's."""
    hidden = deck.under(seat, statement.slots)
    match statement:
        case NoneOfSuit(_, suit):
            return tuple(Comparison((c.mask,), (c.suit, suit_point(suit))) for c in hidden)
        case SuitsDiffer(_, other_slot):
            (other,) = deck.under(seat, (other_slot,))
            return tuple(Comparison((c.mask, other.mask), (c.suit, other.suit)) for c in hidden)
        case _:
            assert_never(statement)


def _true_alternative(
    deck: Deck,
    seat: Seat,
    secret: HandSecret,
    alternatives: Sequence[NoneOfSuit | SuitsDiffer],
    entropy: Entropy,
) -> int:
    slots = {slot for each in alternatives for slot in each.slots}
    slots |= {each.other for each in alternatives if isinstance(each, SuitsDiffer)}
    faces = {slot: read_card(deck, slot, seat, secret, entropy=entropy) for slot in slots}
    for number, each in enumerate(alternatives):
        if holds(each, faces):
            return number
    raise LocalError("none of the alternatives is true")
