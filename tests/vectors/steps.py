"""The values on the way to an answer, as vectors tell them: what the specification's tables say."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from p2p304.cards import Card, Slot
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
)
from protocol import labels
from protocol.cards import salted_commitment
from protocol.cards.handover import HandOver
from protocol.cards.keys import KeyStep, MaskedCard, SeatKeys
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import Claim, Openings, claims_of
from protocol.encoding import digest, encode, frame
from protocol.errors import IdentityPoint
from protocol.group.constants import card_point, suit_point
from protocol.group.layout import join
from protocol.group.point import Point, combine_reduced, expand_message, hash_to_field, map_to_curve
from protocol.group.scalar import ORDER
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.context import ProofContext
from protocol.proofs.disjunction import DISJUNCTION
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import COMPACT, session_tag
from protocol.proofs.sponge import DuplexSponge, derive_session_id, draw_weights
from protocol.wire.charter import Charter
from protocol.wire.identity import Envelope, Seal, derive_key
from protocol.wire.rematch import next_charter
from tests.vectors.answers import operations_of
from tests.vectors.operations.cards import parse_relation, shuffle_of
from tests.vectors.operations.messages import key_side
from tests.vectors.plain_json import Steps

_Lists = list[list[tuple[tuple[Point, ...], tuple[Point, Point]]]]


# --- hashes ---------------------------------------------------------------------------------------


def frame_hash(label: bytes, fields: tuple[bytes, ...]) -> Steps:
    return [["frame", frame(label, *fields)]]


def hash_to_curve_point(message: bytes, dst: bytes) -> Steps:
    first, second = hash_to_field(message, dst, 2)
    return [
        ["uniform bytes", expand_message(message, dst, 96).hex()],
        ["u0", f"{first:064x}"],
        ["u1", f"{second:064x}"],
        ["Q0.x", f"{map_to_curve(first)[0]:064x}"],
        ["Q1.x", f"{map_to_curve(second)[0]:064x}"],
    ]


def ledger_root(scores: Any, after: tuple[bytes, ...]) -> Steps:
    return [["scores and after", encode((tuple(scores), after))]]


def commitment_commit(context: bytes, salt: bytes, value: bytes) -> Steps:
    return [["line", salted_commitment.opening_line(context=context, salt=salt, value=value)]]


# --- proofs ---------------------------------------------------------------------------------------


def _relation_steps(relation: LinearRelation[Point], session: bytes, proof: bytes) -> Steps:
    """Return the values on the way to a compact proof's challenge."""
    steps: Steps = [
        ["session", session],
        ["relation", relation],
        ["session identifier", _session(session, COMPACT).hex()],
    ]
    scalars = [int.from_bytes(proof[at : at + 32], "big") for at in range(0, len(proof), 32)]
    try:
        found = relation.simulated_commitment(scalars[1:], scalars[0])
    except (IdentityPoint, IndexError):
        return steps
    commitments = b"".join(b"" if each is None else each.to_bytes() for each in found)
    sponge = DuplexSponge(_session(session, COMPACT))
    sponge.absorb(relation.to_bytes())
    sponge.absorb(commitments)
    return [
        *steps,
        ["commitments", commitments],
        ["challenge", f"{sponge.squeeze_scalar(ORDER):064x}"],
    ]


def _session(session: bytes, flavor: bytes) -> bytes:
    return derive_session_id(session_tag(session, flavor, SECP256K1.ciphersuite))


def _any_steps(relations: Sequence[LinearRelation[Point]], session: bytes, proof: bytes) -> Steps:
    """Return the values on the way to a disjunction's sum of challenges."""
    tag = _session(session, DISJUNCTION)
    statement = len(relations).to_bytes(4, "little")
    statement += b"".join(each.to_bytes() for each in relations)
    sponge = DuplexSponge(tag)
    sponge.absorb(statement)
    at = 0
    commitments = b""
    for each in relations:
        width = 32 * (1 + each.num_scalars)
        part = proof[at : at + width]
        at += width
        scalars = [int.from_bytes(part[p : p + 32], "big") for p in range(0, len(part), 32)]
        found = each.simulated_commitment(scalars[1:], scalars[0])
        commitments += b"".join(b"" if c is None else c.to_bytes() for c in found)
    sponge.absorb(commitments)
    return [
        ["session", session],
        ["relations, SHA-256", sha256(statement).digest()],
        ["session identifier", tag],
        ["commitments", commitments],
        ["sum of challenges", f"{sponge.squeeze_scalar(ORDER):064x}"],
    ]


def sigma_verify(relation: bytes, session: bytes, flavor: str, proof: bytes) -> Steps:
    if flavor == "batchable":
        return []
    return _relation_steps(parse_relation(SECP256K1, relation), session, proof)


def keys_verify(context: ProofContext, step: KeyStep) -> Steps:
    build = RelationBuilder(SECP256K1)
    for key in step.keys:
        build.equation([build.element(key)], [(build.scalar(), GENERATOR_INDEX)])
    session = context.session_identifier(labels.KEY_PURPOSE)
    return _relation_steps(build.relation(), session, step.proof)


def shuffle_verify(
    context: ProofContext, purpose: str, keys: SeatKeys, before: bytes, step: bytes
) -> Steps:
    statement, proof = shuffle_of(keys, before, step)
    session = context.session_identifier(purpose.encode())
    count = len(statement.before)
    text = frame(
        labels.SHUFFLE_ARGUMENT,
        join(statement.keys),
        b"".join(join(card) for card in statement.before),
        b"".join(join(card) for card in statement.after),
    )
    sponge = DuplexSponge(session)
    sponge.absorb(text + join(proof.commitments))
    weights = draw_weights(sponge, count)
    sponge.absorb(join(proof.chain))
    *links, total, last = draw_weights(sponge, count + 2)
    (half,) = draw_weights(sponge, 1)
    sponge.absorb(join(proof.announcements))
    (challenge,) = draw_weights(sponge, 1)
    product = 1
    for weight in weights:
        product = product * weight % ORDER
    image = combine_reduced(zip(weights, proof.commitments, strict=True))
    return [
        ["session", session],
        ["statement, SHA-256", sha256(text).digest()],
        ["u_0", f"{weights[0]:064x}"],
        ["product of u", f"{product:064x}"],
        ["sum of u_j c_j", image],
        ["v_0", f"{links[0]:064x}"],
        ["v_total", f"{total:064x}"],
        ["v_last", f"{last:064x}"],
        ["g_2", f"{half:064x}"],
        ["z", f"{challenge:064x}"],
    ]


def _equality_steps(
    keys: Sequence[Point],
    bases: Sequence[Sequence[Point]],
    images: Sequence[Sequence[Sequence[Point]]],
    session: bytes,
    proof: bytes,
) -> Steps:
    """Return the values on the way to the challenge of a batch of equal secrets (4.5)."""
    bound = digest(
        labels.BATCH_EQUALITY,
        session,
        join(keys),
        *[join(each) for row in (bases, *images) for each in row],
    )
    weights = draw_weights(DuplexSponge(bound), len(bases))
    build = RelationBuilder(SECP256K1)
    base = build.element(_weighted(bases, weights))
    for key, row in zip(keys, images, strict=True):
        secret = build.scalar()
        build.equation([build.element(key)], [(secret, GENERATOR_INDEX)])
        build.equation([build.element(_weighted(row, weights))], [(secret, base)])
    steps = _relation_steps(build.relation(), bound, proof)[1:]
    head: Steps = [
        ["session", session],
        ["bound", bound],
        ["weight_0", f"{weights[0]:064x}"],
    ]
    return [*head, *steps]


def _weighted(row: Sequence[Sequence[Point]], weights: Sequence[int]) -> Point:
    terms = []
    for difference, weight in zip(row, weights, strict=True):
        terms += list(zip((weight, ORDER - weight), difference, strict=False))
    return combine_reduced(terms)


def shares_verify(
    context: ProofContext, keys: SeatKeys, cards: tuple[MaskedCard, ...], batch: bytes
) -> Steps:
    read = ShareBatch.from_bytes(batch, cards=len(cards))
    return _equality_steps(
        tuple(keys),
        [(card.mask,) for card in cards],
        ([(each.card,) for each in read.shares], [(each.suit,) for each in read.shares]),
        context.session_identifier(labels.SHARE_PURPOSE),
        read.proof,
    )


def hand_over_verify(
    context: ProofContext, card: MaskedCard, owner: SeatKeys, reader: SeatKeys, message: HandOver
) -> Steps:
    build = RelationBuilder(SECP256K1)
    cover, first, second = build.scalar(), build.scalar(), build.scalar()
    mask = build.element(card.mask)
    build.equation([build.element(message.cover)], [(cover, GENERATOR_INDEX)])
    for secret, share, mine, theirs in (
        (first, message.card_share, owner.card, reader.card),
        (second, message.suit_share, owner.suit, reader.suit),
    ):
        build.equation([build.element(mine)], [(secret, GENERATOR_INDEX)])
        build.equation([build.element(share)], [(secret, mask), (cover, build.element(theirs))])
    session = context.session_identifier(labels.HANDOVER_PURPOSE)
    return _relation_steps(build.relation(), session, message.proof)


# --- statements -----------------------------------------------------------------------------------


def statement_verify(
    context: ProofContext,
    keys: SeatKeys,
    cards: tuple[MaskedCard, ...],
    statements: tuple[Statement, ...],
    proofs: tuple[bytes, ...],
    points: Any,
) -> Steps:
    steps: Steps = []
    for number, claim in enumerate(claims_of(statements)):
        place = context.part(number)
        if isinstance(claim, PointsBelow):
            steps += _score_steps(claim, points, proofs[number], place)
        else:
            steps += _claim_steps(claim, cards, tuple(keys), proofs[number], place)
    return steps


def _claim_steps(
    claim: Claim,
    cards: Sequence[MaskedCard],
    keys: tuple[Point, ...],
    proof: bytes,
    context: ProofContext,
) -> Steps:
    match claim:
        case Openings(slots, faces):
            return _opening_steps(cards, keys[0], slots, faces, proof, context)
        case AllOfSuit(slots, suit):
            hidden = [cards[slot] for slot in slots]
            return _equality_steps(
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
            return _relation_steps(relation, session, rest)
        case NoneOfSuit() | SuitsDiffer():
            lists = [_comparisons(cards, claim)]
            session = context.session_identifier(labels.DISTINCTION_PURPOSE)
            (relation,), rest = _relations(lists, keys[1], proof)
            return _relation_steps(relation, session, rest)
        case AnyOf(alternatives):
            lists = [_comparisons(cards, each) for each in alternatives]
            session = context.session_identifier(labels.ALTERNATIVES_PURPOSE)
            relations, rest = _relations(lists, keys[1], proof)
            return _any_steps(relations, session, rest)
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
        ["places", places],
        ["session of the rows", rows],
        ["below", sorted(each for each in sums[-1] if each < claim.limit)],
        ["session of the sum", context.session_identifier(labels.SCORE_SUM_PURPOSE).hex()],
    ]


def _opening_steps(
    cards: Sequence[MaskedCard],
    key: Point,
    slots: tuple[Slot, ...],
    faces: tuple[Card, ...],
    proof: bytes,
    context: ProofContext,
) -> Steps:
    hidden = [cards[slot] for slot in slots]
    return _equality_steps(
        (key,),
        [(each.mask,) for each in hidden],
        ([(card.card, card_point(face)) for card, face in zip(hidden, faces, strict=True)],),
        context.session_identifier(labels.OPENING_PURPOSE),
        proof,
    )


def _others(cards: Sequence[MaskedCard], slots: tuple[Slot, ...], face: Card) -> Any:
    point = card_point(face)
    return [((cards[slot].mask,), (cards[slot].card, point)) for slot in slots]


def _comparisons(cards: Sequence[MaskedCard], claim: NoneOfSuit | SuitsDiffer) -> Any:
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


# --- messages -------------------------------------------------------------------------------------


def envelope_open(charter: Charter, envelope: bytes) -> Steps:
    """What a signature covers (specs 3.3)."""
    body = Envelope.from_bytes(envelope).body
    signed = frame(labels.SIGNATURE, envelope[:3], charter.digest, body)
    return [["what is signed, SHA-256", sha256(signed).digest()]]


def seal_seal(table_key: bytes, table: bytes, seat: int, salt: bytes) -> Steps:
    seat_key = derive_key(table_key, labels.SEAL_SEAT_KEY, table, bytes((seat,)))
    hint = derive_key(table_key, labels.SEAL_SEAT_HINT, table, salt, length=1)
    frame_key = derive_key(seat_key, labels.SEAL_FRAME_KEY, salt)
    return [["hint", hint], ["seat key", seat_key], ["frame key", frame_key]]


def seal_open(table_key: bytes, table: bytes, frame: bytes) -> Steps:
    return seal_seal(table_key, table, Seal(table_key, table).open(frame).sealed_by, frame[2:34])


def code_exchange(
    code: str, host: bytes, joiner: bytes, exchange: bytes, joiner_random: bytes, host_random: bytes
) -> Steps:
    ids = host, joiner, exchange
    named, joining = key_side(code, ids, joiner_random, at_host=False)
    _, hosting = key_side(code, ids, host_random, at_host=True)
    transcript = named.transcript(hosting.element, joining.element)
    return [["transcript", transcript], ["key", joining.key(hosting.element)]]


def rematch_charter(charter: Charter, after: bytes, seating: Any) -> Steps:
    return [["table", next_charter(charter, after, seating).table]]


#: The values on the way to the answer of a question that is accepted, by its operation.
STEPS: Final = operations_of(sys.modules[__name__], "Steps")
