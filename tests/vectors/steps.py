"""The values on the way to an answer, as vectors tell them: what the specification's tables say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, Final

from p2p304.cards import Card, Slot
from p2p304.statements import AllOfSuit, AnyOf, NoneOfSuit, NotCard, PointsBelow, SuitsDiffer
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
from protocol.proofs.shuffle import ShuffleProof, ShuffleStatement
from protocol.proofs.sigma import COMPACT, session_tag
from protocol.proofs.sponge import DuplexSponge, derive_session_id, draw_weights
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope
from protocol.wire.identity import Seal, derive_key
from protocol.wire.rematch import next_charter
from tests.vectors.operations.cards import context_of, parse_relation, points, shuffle_of
from tests.vectors.operations.messages import key_side
from tests.vectors.plain_json import Json, Steps, statement_of

_Lists = list[list[tuple[tuple[Point, ...], tuple[Point, Point]]]]


def unhex(text: str) -> bytes:
    """The bytes that hexadecimal stands for."""
    return bytes.fromhex(text)


def keys_of(text: str) -> SeatKeys:
    """A seat's two keys."""
    return SeatKeys(*points(unhex(text)))


def card_of(text: str) -> MaskedCard:
    """One masked card."""
    return MaskedCard(*points(unhex(text)))


# --- hashes ---------------------------------------------------------------------------------------


def _frame(given: Json) -> Steps:
    fields = [unhex(each) for each in given["fields"]]
    return [["frame", frame(unhex(given["label"]), *fields).hex()]]


def _hash_to_curve(given: Json) -> Steps:
    message, dst = unhex(given["message"]), unhex(given["dst"])
    first, second = hash_to_field(message, dst, 2)
    return [
        ["uniform bytes", expand_message(message, dst, 96).hex()],
        ["u0", f"{first:064x}"],
        ["u1", f"{second:064x}"],
        ["Q0.x", f"{map_to_curve(first)[0]:064x}"],
        ["Q1.x", f"{map_to_curve(second)[0]:064x}"],
    ]


def _root(given: Json) -> Steps:
    after = tuple(unhex(each) for each in given["after"])
    return [["scores and after", encode((tuple(given["scores"]), after)).hex()]]


def _commitment(given: Json) -> Steps:
    parts = {name: unhex(given[name]) for name in ("context", "salt", "value")}
    return [["line", salted_commitment.opening_line(**parts)]]


# --- proofs ---------------------------------------------------------------------------------------


def relation_steps(relation: LinearRelation[Point], session: bytes, proof: bytes) -> Steps:
    """Return the values on the way to a compact proof's challenge."""
    steps: Steps = [
        ["session", session.hex()],
        ["relation", relation.to_bytes().hex()],
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
        ["commitments", commitments.hex()],
        ["challenge", f"{sponge.squeeze_scalar(ORDER):064x}"],
    ]


def _session(session: bytes, flavor: bytes) -> bytes:
    return derive_session_id(session_tag(session, flavor, SECP256K1.ciphersuite))


def any_steps(relations: Sequence[LinearRelation[Point]], session: bytes, proof: bytes) -> Steps:
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
        ["session", session.hex()],
        ["relations, SHA-256", sha256(statement).hexdigest()],
        ["session identifier", tag.hex()],
        ["commitments", commitments.hex()],
        ["sum of challenges", f"{sponge.squeeze_scalar(ORDER):064x}"],
    ]


def _sigma(given: Json) -> Steps:
    if given["flavor"] == "batchable":
        return []
    relation = parse_relation(SECP256K1, unhex(given["relation"]))
    return relation_steps(relation, unhex(given["session"]), unhex(given["proof"]))


def _keys(given: Json) -> Steps:
    step = KeyStep.from_bytes(unhex(given["step"]))
    build = RelationBuilder(SECP256K1)
    for key in step.keys:
        build.equation([build.element(key)], [(build.scalar(), GENERATOR_INDEX)])
    session = context_of(given["context"]).session_identifier(labels.KEY_PURPOSE)
    return relation_steps(build.relation(), session, step.proof)


def _shuffle(given: Json) -> Steps:
    keys, before = keys_of(given["keys"]), unhex(given["before"])
    statement, proof = shuffle_of(keys, before, unhex(given["step"]))
    context, purpose = context_of(given["context"]), given["purpose"].encode()
    return _shuffle_steps(statement, proof, context.session_identifier(purpose))


def _shuffle_steps(statement: ShuffleStatement, proof: ShuffleProof, session: bytes) -> Steps:
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
        ["session", session.hex()],
        ["statement, SHA-256", sha256(text).hexdigest()],
        ["u_0", f"{weights[0]:064x}"],
        ["product of u", f"{product:064x}"],
        ["sum of u_j c_j", image.to_bytes().hex()],
        ["v_0", f"{links[0]:064x}"],
        ["v_total", f"{total:064x}"],
        ["v_last", f"{last:064x}"],
        ["g_2", f"{half:064x}"],
        ["z", f"{challenge:064x}"],
    ]


def equality_steps(
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
    steps = relation_steps(build.relation(), bound, proof)[1:]
    head: Steps = [
        ["session", session.hex()],
        ["bound", bound.hex()],
        ["weight_0", f"{weights[0]:064x}"],
    ]
    return [*head, *steps]


def _weighted(row: Sequence[Sequence[Point]], weights: Sequence[int]) -> Point:
    terms = []
    for difference, weight in zip(row, weights, strict=True):
        terms += list(zip((weight, ORDER - weight), difference, strict=False))
    return combine_reduced(terms)


def _shares(given: Json) -> Steps:
    cards = [card_of(each) for each in given["cards"]]
    batch = ShareBatch.from_bytes(unhex(given["batch"]), cards=len(cards))
    return equality_steps(
        tuple(keys_of(given["keys"])),
        [(card.mask,) for card in cards],
        ([(each.card,) for each in batch.shares], [(each.suit,) for each in batch.shares]),
        context_of(given["context"]).session_identifier(labels.SHARE_PURPOSE),
        batch.proof,
    )


def _handover(given: Json) -> Steps:
    card, message = card_of(given["card"]), HandOver.from_bytes(unhex(given["message"]))
    owner, reader = keys_of(given["owner"]), keys_of(given["reader"])
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
    session = context_of(given["context"]).session_identifier(labels.HANDOVER_PURPOSE)
    return relation_steps(build.relation(), session, message.proof)


# --- statements -----------------------------------------------------------------------------------


def _statements(given: Json) -> Steps:
    context, keys = context_of(given["context"]), keys_of(given["keys"])
    cards = [card_of(each) for each in given["cards"]]
    proofs = [unhex(each) for each in given["proofs"]]
    steps: Steps = []
    claims = claims_of([statement_of(each) for each in given["statements"]])
    for number, claim in enumerate(claims):
        place = context.part(number)
        if isinstance(claim, PointsBelow):
            steps += _score_steps(claim, given["points"], proofs[number], place)
        else:
            steps += _claim_steps(claim, cards, tuple(keys), proofs[number], place)
    return steps


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


# --- messages -------------------------------------------------------------------------------------


def _signed(given: Json) -> Steps:
    """What a signature covers (specs 3.3)."""
    raw, charter = unhex(given["envelope"]), Charter.from_bytes(unhex(given["charter"]))
    body = frame(labels.SIGNATURE, raw[:3], charter.digest, Envelope.from_bytes(raw).body)
    return [["what is signed, SHA-256", sha256(body).hexdigest()]]


def _sealed(given: Json) -> Steps:
    return _seal_steps(given, given["seat"], unhex(given["salt"]))


def _opened(given: Json) -> Steps:
    raw = unhex(given["frame"])
    opened = Seal(unhex(given["table_key"]), unhex(given["table"])).open(raw)
    return _seal_steps(given, opened.sealed_by, raw[2:34])


def _seal_steps(given: Json, seat: int, salt: bytes) -> Steps:
    table_key, table = unhex(given["table_key"]), unhex(given["table"])
    seat_key = derive_key(table_key, labels.SEAL_SEAT_KEY, table, bytes((seat,)))
    hint = derive_key(table_key, labels.SEAL_SEAT_HINT, table, salt, length=1)
    return [
        ["hint", hint.hex()],
        ["seat key", seat_key.hex()],
        ["frame key", derive_key(seat_key, labels.SEAL_FRAME_KEY, salt).hex()],
    ]


def _exchange(given: Json) -> Steps:
    host, joiner, exchange = (unhex(given[name]) for name in ("host", "joiner", "exchange"))
    ids, drawn = (host, joiner, exchange), unhex(given["joiner_random"])
    named, joining = key_side(given["code"], ids, drawn, at_host=False)
    _, hosting = key_side(given["code"], ids, unhex(given["host_random"]), at_host=True)
    transcript = named.transcript(hosting.element, joining.element)
    return [["transcript", transcript.hex()], ["key", joining.key(hosting.element).hex()]]


def _rematch(given: Json) -> Steps:
    charter, after = Charter.from_bytes(unhex(given["charter"])), unhex(given["after"])
    return [["table", next_charter(charter, after, given["seating"]).table.hex()]]


STEPS: Final[dict[str, Callable[[Json], Steps]]] = {
    "frame.hash": _frame,
    "hash-to-curve.point": _hash_to_curve,
    "ledger.root": _root,
    "commitment.commit": _commitment,
    "sigma.verify": _sigma,
    "keys.verify": _keys,
    "shuffle.verify": _shuffle,
    "shares.verify": _shares,
    "hand-over.verify": _handover,
    "statement.verify": _statements,
    "envelope.open": _signed,
    "seal.seal": _sealed,
    "seal.open": _opened,
    "code.exchange": _exchange,
    "rematch.charter": _rematch,
}
"""The values on the way to the answer of a question that is accepted, by its operation."""
