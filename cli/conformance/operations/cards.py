"""Operations on masked cards: proofs, keys, shuffles, shares, hand-overs (specs 2.6, 4.1 to 4.7).

The steps restate the specification's tables, beside the code that judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from cli.conformance.answers import operation, unhex
from cli.conformance.operations.hashes import context_of
from p2p304.plain_json import Answer, Json
from protocol import labels
from protocol.cards.handover import HandOver, handed_over, verify_handover
from protocol.cards.keys import (
    HandKeys,
    KeyStep,
    MaskedCard,
    cards_from_bytes,
    table_keys,
    verify_keys,
)
from protocol.cards.shares import ShareBatch, verify_shares, without_share
from protocol.errors import IdentityPoint, ProofError
from protocol.group.layout import join
from protocol.group.point import Point, combine_reduced
from protocol.group.scalar import ORDER
from protocol.hashing import digest, frame
from protocol.proofs.ciphersuite import SECP256K1, decode_scalar
from protocol.proofs.disjunction import DISJUNCTION
from protocol.proofs.relation import (
    GENERATOR_INDEX,
    ElementIndex,
    Equation,
    ImageTerm,
    LinearRelation,
    RelationBuilder,
    ScalarIndex,
    Term,
)
from protocol.proofs.shuffle import ShuffleProof, ShuffleStatement, verify_shuffle
from protocol.proofs.sigma import COMPACT, session_tag, verify_batchable, verify_compact
from protocol.proofs.sponge import DuplexSponge, derive_session_id
from protocol.proofs.weights import draw_weights

Steps = list[list[Any]]


def points(data: bytes) -> tuple[Point, ...]:
    """Return the points that lie side by side in hexadecimal."""
    return tuple(Point.from_bytes(data[at : at + 33]) for at in range(0, len(data), 33))


def keys_of(text: str) -> HandKeys:
    """Return a seat's two keys, from hexadecimal."""
    return HandKeys(*points(unhex(text)))


def card_of(text: str) -> MaskedCard:
    """Return one masked card, from hexadecimal."""
    return MaskedCard(*points(unhex(text)))


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


def parse_relation(data: bytes) -> LinearRelation[Point]:
    """Parse a relation's serialization, which vectors alone need."""
    place = 0

    def number() -> int:
        nonlocal place
        place += 4
        return int.from_bytes(data[place - 4 : place], "little")

    def coefficient() -> int:
        nonlocal place
        place += 32
        return decode_scalar(SECP256K1, data[place - 32 : place])

    equations = []
    for _ in range(number()):
        image = tuple(ImageTerm(ElementIndex(number()), coefficient()) for _ in range(number()))
        terms = tuple(
            Term(ScalarIndex(number()), ElementIndex(number()), coefficient())
            for _ in range(number())
        )
        equations.append(Equation(image, terms))
    elements = (SECP256K1.generator, *points(data[place:]))
    return LinearRelation(SECP256K1, elements, tuple(equations))


@operation("sigma.verify")
def sigma_verify(given: Json) -> Answer:
    """`relation` serialized, `session`, `flavor` ("compact", "batchable"), `proof`."""
    relation, session = parse_relation(unhex(given["relation"])), unhex(given["session"])
    proof = unhex(given["proof"])
    if given["flavor"] == "batchable":
        verify_batchable(relation, proof, session=session)
        return Answer({})
    verify_compact(relation, proof, session=session)
    return Answer({}, relation_steps(relation, session, proof))


@operation("keys.verify")
def keys_verify(given: Json) -> Answer:
    """`context`, `step` (keys and proof of a HandKeys)."""
    context = context_of(given["context"])
    step = KeyStep.from_bytes(unhex(given["step"]))
    verify_keys(step, context=context, used=frozenset())
    build = RelationBuilder(SECP256K1)
    for key in step.keys:
        build.equation([build.element(key)], [(build.scalar(), GENERATOR_INDEX)])
    session = context.session_identifier(labels.KEY_PURPOSE)
    return Answer({}, relation_steps(build.relation(), session, step.proof))


@operation("keys.sum")
def keys_sum(given: Json) -> Answer:
    """`keys` of all seats: the table's keys."""
    return Answer({"keys": join(table_keys([keys_of(each) for each in given["keys"]])).hex()})


@operation("shuffle.verify")
def shuffle_verify(given: Json) -> Answer:
    """`context`, `purpose`, `keys`, `before` (masked cards), `step` (cards after, argument)."""
    before = unhex(given["before"])
    count = len(before) // 99
    step = unhex(given["step"])
    proof = ShuffleProof.from_bytes(step[count * 99 :], cards=count)
    after = cards_from_bytes(step[: count * 99], count=count)
    statement = ShuffleStatement(
        tuple(keys_of(given["keys"])), cards_from_bytes(before, count=count), after
    )
    context, purpose = context_of(given["context"]), given["purpose"].encode()
    verify_shuffle(statement, proof, context=context, purpose=purpose)
    return Answer({"after": sha256(step[: count * 99]).hexdigest()}, _shuffle_steps(
        statement, proof, context.session_identifier(purpose)
    ))  # fmt: skip


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


@operation("shares.verify")
def shares_verify(given: Json) -> Answer:
    """`context`, `keys` of the sharer, `cards`, `batch`: the cards without these shares."""
    context, keys = context_of(given["context"]), keys_of(given["keys"])
    cards = [card_of(each) for each in given["cards"]]
    batch = ShareBatch.from_bytes(unhex(given["batch"]), cards=len(cards))
    verify_shares(cards, batch, keys, context=context)
    left = [without_share(*pair) for pair in zip(cards, batch.shares, strict=True)]
    steps = equality_steps(
        tuple(keys),
        [(card.mask,) for card in cards],
        ([(each.card,) for each in batch.shares], [(each.suit,) for each in batch.shares]),
        context.session_identifier(labels.SHARE_PURPOSE),
        batch.proof,
    )
    return Answer({"cards": [join(card).hex() for card in left]}, steps)


@operation("hand-over.verify")
def handover_verify(given: Json) -> Answer:
    """`context`, `card`, `owner`, `reader` (keys), `covers` (every R seen), `message`: the card
    under the reader's keys."""
    context, card = context_of(given["context"]), card_of(given["card"])
    owner, reader = keys_of(given["owner"]), keys_of(given["reader"])
    message = HandOver.from_bytes(unhex(given["message"]))
    covers = frozenset(unhex(each) for each in given["covers"])
    verify_handover(card, owner, reader, message, context=context, covers=covers)
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
    return Answer(
        {"card": join(handed_over(card, message)).hex()},
        relation_steps(build.relation(), session, message.proof),
    )


@operation("shuffle.length")
def shuffle_length(given: Json) -> Answer:
    """`cards`: how many bytes a step for so many cards takes."""
    if given["cards"] < 1:
        raise ProofError("shuffle.count")
    return Answer({"bytes": given["cards"] * 99 + ShuffleProof.size(given["cards"])})
