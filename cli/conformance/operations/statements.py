"""Statements about hidden cards of one seat, and their proofs (specs 4.9 to 4.11)."""

from __future__ import annotations

from typing import Any

from cli.conformance.answers import operation, unhex
from cli.conformance.operations.cards import (
    Steps,
    any_steps,
    card_of,
    equality_steps,
    keys_of,
    relation_steps,
)
from cli.conformance.operations.hashes import context_of
from p2p304.cards import Card, Slot, parse_card
from p2p304.plain_json import Answer, Json, statement_of
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    SuitsDiffer,
)
from protocol import labels
from protocol.cards.deck import Deck, HiddenCard
from protocol.cards.keys import MaskedCard
from protocol.cards.statements import Claim, Openings, claims_of, verify_statements
from protocol.group.constants import card_point, suit_point
from protocol.group.point import Point
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.context import ProofContext
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder

ME = Seat(0)
_Lists = list[list[tuple[tuple[Point, ...], tuple[Point, Point]]]]


@operation("statement.verify")
def statement_verify(given: Json) -> Answer:
    """`context`, `keys` of the one seat, `cards` (slot i holds cards[i], under it alone),
    `statements`, `proofs`, `pack` and `points` of its cards: accepted or not."""
    context, keys = context_of(given["context"]), keys_of(given["keys"])
    cards = [card_of(each) for each in given["cards"]]
    pack = tuple(parse_card(each) for each in given["pack"])
    statements = [statement_of(each) for each in given["statements"]]
    proofs = [unhex(each) for each in given["proofs"]]
    slots = {Slot(place): HiddenCard(card, frozenset({ME}), ME) for place, card in enumerate(cards)}
    deck = Deck(pack, (keys,), slots, {}, frozenset())
    verify_statements(
        deck,
        ME,
        statements,
        proofs,
        points=dict(zip(pack, given["points"], strict=True)),
        context=context,
    )
    steps: Steps = []
    for number, claim in enumerate(claims_of(statements)):
        place = context.part(number)
        if isinstance(claim, PointsBelow):
            steps += _score_steps(claim, given["points"], proofs[number], place)
        else:
            steps += _claim_steps(claim, cards, tuple(keys), proofs[number], place)
    return Answer({"claims": len(proofs)}, steps)


def _claim_steps(
    claim: Claim,
    cards: list[MaskedCard],
    keys: tuple[Point, ...],
    proof: bytes,
    context: ProofContext,
) -> Steps:
    match claim:
        case Openings(slots, faces):
            return _opening_steps(cards, keys[0], slots, faces, proof, context)
        case AllOfSuit(slots, suit):
            hidden = [cards[slot] for slot in slots]
            return equality_steps(
                (keys[1],),
                [(each.mask,) for each in hidden],
                ([(each.suit, suit_point(suit)) for each in hidden],),
                context.session_identifier(labels.SUIT_OPENING_PURPOSE),
                proof,
            )
        case NotCard(slots, face):
            lists = [_others(cards, slots, face)]
            session = context.session_identifier(labels.CARD_DISTINCTION_PURPOSE)
            (relation,), rest = _relations(lists, keys[0], proof)
            return relation_steps(relation, session, rest)
        case NoneOfSuit() | SuitsDiffer():
            lists = [_comparisons(cards, claim)]
            session = context.session_identifier(labels.DISTINCTION_PURPOSE)
            (relation,), rest = _relations(lists, keys[1], proof)
            return relation_steps(relation, session, rest)
        case AnyOf(alternatives):
            lists = [_comparisons(cards, each) for each in alternatives]
            session = context.session_identifier(labels.ALTERNATIVES_PURPOSE)
            relations, rest = _relations(lists, keys[1], proof)
            return any_steps(relations, session, rest)
        case PointsBelow():
            raise ValueError("points have steps of their own")


def _score_steps(
    claim: PointsBelow, points: list[int], proof: bytes, context: ProofContext
) -> Steps:
    sums: list[set[int]] = [{0}, *(set() for _ in claim.slots)]
    for value in points:
        for count in range(len(claim.slots), 0, -1):
            sums[count] |= {each + value for each in sums[count - 1]}
    begin = 99 * len(points)
    split = begin + 98 * len(points) + 228
    argument, places = proof[begin:split], proof[split : split + 2 * len(claim.slots)]
    rows = context.session_identifier(labels.SCORE_ROWS_PURPOSE, argument, places)
    return [
        ["session of the shuffle", context.session_identifier(labels.SCORE_SHUFFLE_PURPOSE).hex()],
        ["places", places.hex()],
        ["session of the rows", rows.hex()],
        ["below", sorted(each for each in sums[-1] if each < claim.limit)],
        ["session of the sum", context.session_identifier(labels.SCORE_SUM_PURPOSE).hex()],
    ]


def _opening_steps(
    cards: list[MaskedCard],
    key: Point,
    slots: tuple[Slot, ...],
    faces: tuple[Card, ...],
    proof: bytes,
    context: ProofContext,
) -> Steps:
    hidden = [cards[slot] for slot in slots]
    return equality_steps(
        (key,),
        [(each.mask,) for each in hidden],
        ([(card.card, card_point(face)) for card, face in zip(hidden, faces, strict=True)],),
        context.session_identifier(labels.OPENING_PURPOSE),
        proof,
    )


def _others(cards: list[MaskedCard], slots: tuple[Slot, ...], face: Card) -> Any:
    point = card_point(face)
    return [((cards[slot].mask,), (cards[slot].card, point)) for slot in slots]


def _comparisons(cards: list[MaskedCard], claim: NoneOfSuit | SuitsDiffer) -> Any:
    hidden = [cards[slot] for slot in claim.slots]
    if isinstance(claim, NoneOfSuit):
        return [((each.mask,), (each.suit, suit_point(claim.suit))) for each in hidden]
    other = cards[claim.other]
    return [((each.mask, other.mask), (each.suit, other.suit)) for each in hidden]


def _relations(
    lists: _Lists, key: Point, proof: bytes
) -> tuple[list[LinearRelation[Point]], bytes]:
    """Return the relations of 4.10, and what follows the points in the proof."""
    at = 0

    def point() -> Point:
        nonlocal at
        at += 33
        return Point.from_bytes(proof[at - 33 : at])

    relations = []
    for comparisons in lists:
        build = RelationBuilder(SECP256K1)
        holder = build.element(key)
        for masks, (first, second) in comparisons:
            blind, product = build.scalar(), build.scalar()
            scaled, difference = build.element(point()), build.element(point())
            values = build.element(first), build.element(second)
            hidden = [build.element(mask) for mask in masks]
            build.equation([scaled], [(product, GENERATOR_INDEX)])
            build.equation([scaled], [(blind, holder)])
            signed = zip(hidden, (-1, 1), strict=False)
            build.equation(
                [difference],
                [
                    (blind, values[0]),
                    (blind, values[1], -1),
                    *[(product, mask, sign) for mask, sign in signed],
                ],
            )
        relations.append(build.relation())
    return relations, proof[at:]
