"""Operations on points, hashes and masked cards (specs 2, 4, 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from io import BytesIO
from types import SimpleNamespace
from typing import Any

from p2p304.cards import Card, Slot, parse_card
from p2p304.seats import Seat
from p2p304.statements import Statement
from protocol import labels
from protocol.cards import salted_commitment
from protocol.cards.deck import Deck, HiddenCard
from protocol.cards.handover import HandOver, apply_hand_over, verify_handover
from protocol.cards.keys import (
    KeyStep,
    MaskedCard,
    SeatKeys,
    cards_from_bytes,
    table_keys,
    verify_keys,
)
from protocol.cards.secrets import expand
from protocol.cards.shares import ShareBatch, verify_shares, without_share
from protocol.cards.statements import verify_statements
from protocol.encoding import digest, wide_digest
from protocol.errors import ProofError
from protocol.group import constants
from protocol.group.layout import join
from protocol.group.point import Point, add, hash_to_curve, linear_combination
from protocol.group.scalar import ORDER, Scalar
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.proofs.ciphersuite import SECP256K1, Element, Group, decode_scalar
from protocol.proofs.context import MessageContext, ProofContext
from protocol.proofs.relation import (
    ElementIndex,
    Equation,
    ImageTerm,
    LinearRelation,
    RelationTerm,
    ScalarIndex,
)
from protocol.proofs.shuffle import ShuffleProof, ShuffleStatement, verify_shuffle
from protocol.proofs.sigma import verify_batchable, verify_compact
from protocol.proofs.sponge import DuplexSponge, derive_session_id, draw_weights
from protocol.table.ledger import Origin, round_digest
from protocol.wire.identity import Envelope, Purpose
from tests.vectors.answers import READERS
from tests.vectors.plain_json import Json, statement_of

ME = Seat(0)  #: The seat under whose keys alone the cards of a statement lie.


def points(data: bytes) -> tuple[Point, ...]:
    """Return the points in `data`, where they follow one another, 33 bytes each; none for no
    bytes. What is no point raises the error of `Point.from_bytes`.
    """
    # 33 bytes are a compressed point (specs 2.1).
    return tuple(Point.from_bytes(data[at : at + 33]) for at in range(0, len(data), 33))


def context_of(given: Json) -> ProofContext:
    """Return the `ProofContext` that a JSON object describes, with `table`, `ledger` and
    `history` in hexadecimal.
    """
    # These three are bytes; the other members of a context are numbers and names.
    read: Json = {each: bytes.fromhex(given[each]) for each in ("table", "ledger", "history")}
    return ProofContext(**{**given, **read})


# What has no `from_bytes`, or another meaning in JSON than its bytes.
_READ: dict[Any, Callable[[Any], Any]] = {
    SeatKeys: lambda text: SeatKeys(*points(bytes.fromhex(text))),
    MaskedCard: lambda text: MaskedCard(*points(bytes.fromhex(text))),
    ProofContext: context_of,
    Card: parse_card,
    Statement: statement_of,
}
READERS.update(_READ)


# --- points and scalars ---------------------------------------------------------------------------


def point_decode(bytes_: Point) -> Json:
    """`bytes`: a point, and twice the point."""
    # Doubled: a program that only checks the prefix cannot answer.
    return {"doubled": add(bytes_, bytes_)}


def scalar_decode(bytes_: bytes, nonzero: bool) -> Json:
    """`bytes`, `nonzero`: a scalar, and its negative."""
    # Negated, so that the answer depends on the whole scalar.
    return {"negated": -(Scalar.nonzero_from_bytes if nonzero else Scalar.from_bytes)(bytes_)}


def point_combine(terms: Any) -> Json:
    """`terms`, pairs of scalar and point: their sum; `point.identity` if it is the identity."""
    raw = [map(bytes.fromhex, each) for each in terms]
    read = [(Scalar.from_bytes(scalar), Point.from_bytes(point)) for scalar, point in raw]
    return {"point": linear_combination(read)}


def hash_to_curve_point(message: bytes, dst: bytes) -> Json:
    """`message`, `dst`: the point."""
    return {"point": hash_to_curve(message, dst)}


def constants_card(card: Card) -> Json:
    """`card`: its two points, of the card and of its suit."""
    return {"card_point": constants.card_point(card), "suit_point": constants.suit_point(card.suit)}


def constants_generator(index: int) -> Json:
    """`index`: that generator of the shuffle."""
    # Generators are computed in a row; the last one is the one asked for.
    return {"point": constants.shuffle_generators(index + 1)[-1]}


def constants_digest(generators: int) -> Json:
    """`generators`, how many: the digest of all constants."""
    return {"digest": constants.constants_digest(generators)}


# --- hashes ---------------------------------------------------------------------------------------


def frame_hash(label: bytes, fields: tuple[bytes, ...]) -> Json:
    """`label`, `fields`: H and W of the frame."""
    return {"sha256": digest(label, *fields), "sha512": wide_digest(label, *fields)}


def sponge_session(tag: bytes) -> Json:
    """`tag`: sid(tag)."""
    return {"session": derive_session_id(tag)}


def sponge_run(session: bytes, script: Any) -> Json:
    """`session`, `script` of ["absorb", bytes], ["squeeze", length], ["scalar"], ["weights", n]:
    what was drawn."""
    sponge = DuplexSponge(session)
    drawn: list[str] = []
    for name, *arguments in script:
        match name:
            case "absorb":
                sponge.absorb(bytes.fromhex(arguments[0]))
            case "squeeze":
                drawn.append(sponge.squeeze(arguments[0]).hex())
            case "scalar":
                # 64 digits: a scalar as it is written, zeros in front included.
                drawn.append(f"{sponge.squeeze_scalar(ORDER):064x}")
            # "weights": the only word left.
            case _:
                drawn += [f"{each:064x}" for each in draw_weights(sponge, arguments[0])]
    return {"drawn": drawn}


def expand_draw(seed: bytes, purpose: tuple[bytes, ...], lengths: Any) -> Json:
    """`seed`, `purpose`, `lengths`: the draws of 2.8 in order."""
    draw = expand(seed, *purpose)
    return {"drawn": [draw(length) for length in lengths]}


def context_session(context: ProofContext, purpose: str, details: tuple[bytes, ...]) -> Json:
    """`context`, `purpose`, `details`: the session S."""
    return {"session": context.session_identifier(purpose.encode(), *details)}


def ledger_root(
    charter: bytes, lane: int, number: int, leading: Seat, scores: Any, after: tuple[bytes, ...]
) -> Json:
    """`charter` (its digest), `lane`, `number`, `leading`, `scores`, `after`: the root."""
    origin = Origin(LedgerName(Lane(lane), number), after, leading, tuple(scores))
    # `charter` is its digest here: a root binds no more of it.
    return {"root": origin.root(charter)}


def ledger_round(previous: bytes, number: int, messages: Any) -> Json:
    """`previous`, `number`, `messages` [seat, id] in the order of arrival: the head after it."""
    # Any ledger: a round's digest names the places' seats alone.
    ledger = LedgerName(Lane.HAND, 0)
    # Only place and id are read, so that no vector needs signed messages.
    placed: list[Any] = [
        SimpleNamespace(place=Place(ledger, number, Seat(seat)), id=bytes.fromhex(name))
        for seat, name in messages
    ]
    return {"head": round_digest(Digest(previous), number, placed)}


def message_id(purpose: int, body: bytes) -> Json:
    """`purpose`, `body`: the message's id."""
    # Seat and signature are no part of a message's name (attacks CH9): any will do.
    return {"id": Envelope(Purpose(purpose), Seat(0), bytes(64), body).message_id}


def luck_commit(charter: bytes, number: int, seat: int, luck: bytes) -> Json:
    """`charter`, `number`, `seat`, `luck`: the commitment of a Confirmation."""
    fields = charter, number.to_bytes(4, "big"), bytes((seat,)), luck
    return {"commitment": digest(labels.LUCK_COMMITMENT, *fields)}


def luck_combine(shares: tuple[bytes, ...]) -> Json:
    """`shares`, by seat: the match's luck."""
    return {"luck": digest(labels.LUCK, *shares)}


def commitment_context(
    charter: bytes, lane: int, number: int, round_: int, seat: Seat, slot: Slot
) -> Json:
    """`charter`, `lane`, `number`, `round`, `seat`, `slot`: the context of a commitment."""
    place = Place(LedgerName(Lane(lane), number), round_, seat)
    # The digest before a message does not enter the context: a salt must come back after a crash
    # (CM4).
    return {"context": MessageContext(charter, place, Digest(bytes(32))).commitment_context(slot)}


def commitment_commit(context: bytes, salt: bytes, value: bytes) -> Json:
    """`context`, `salt`, `value`: the commitment."""
    line = salted_commitment.opening_line(context=context, salt=salt, value=value)
    return {"commitment": sha256(line.encode("ascii")).digest()}


def commitment_verify(commitment: bytes, context: bytes, salt: bytes, value: bytes) -> Json:
    """`commitment`, `context`, `salt`, `value`: accepted or not."""
    salted_commitment.verify_opening(commitment, context=context, salt=salt, value=value)
    return {}


def commitment_salt(seed: bytes, context: bytes) -> Json:
    """`seed` of the deal, `context`: the salt of 2.8."""
    return {"salt": salted_commitment.derive_salt(seed=seed, context=context)}


# --- masked cards and their proofs ----------------------------------------------------------------


def parse_relation(suite: Group[Element], data: bytes) -> LinearRelation[Element]:
    """Return the linear relation in `data`: its equations, then its elements, of which the
    generator, the first, is left out.

    Only vectors write relations so.
    """
    left = BytesIO(data)

    def number() -> int:
        """Read the next number: four bytes, little-endian."""
        # As the draft of the sigma protocols has it.
        return int.from_bytes(left.read(4), "little")

    def coefficient() -> int:
        """Read the next scalar of the suite from `data`."""
        return decode_scalar(suite, left.read(suite.scalar_bytes))

    equations = []
    for _ in range(number()):
        image = tuple(ImageTerm(ElementIndex(number()), coefficient()) for _ in range(number()))
        terms = tuple(
            RelationTerm(ScalarIndex(number()), ElementIndex(number()), coefficient())
            for _ in range(number())
        )
        equations.append(Equation(image, terms))
    # What is left behind the equations are the elements.
    elements = map(suite.decode, iter(lambda: left.read(suite.element_bytes), b""))
    # Element 0 is the generator, which no relation carries.
    return LinearRelation(suite, (suite.generator, *elements), tuple(equations))


def sigma_verify(relation: bytes, session: bytes, flavor: str, proof: bytes) -> Json:
    """`relation` serialized, `session`, `flavor` ("compact", "batchable"), `proof`."""
    verify = verify_batchable if flavor == "batchable" else verify_compact
    verify(parse_relation(SECP256K1, relation), proof, session=session)
    return {}


def keys_verify(context: ProofContext, step: KeyStep) -> Json:
    """`context`, `step` (keys and proof of a HandKeys)."""
    # No key was used before: reuse is judged by the table, not by the proof.
    verify_keys(step, context=context, used=frozenset())
    return {}


def keys_sum(keys: tuple[SeatKeys, ...]) -> Json:
    """`keys` of all seats: the table's keys."""
    return {"keys": join(table_keys(keys))}


def shuffle_verify(
    context: ProofContext, purpose: str, keys: SeatKeys, before: bytes, step: bytes
) -> Json:
    """`context`, `purpose`, `keys`, `before` (masked cards), `step` (cards after, argument)."""
    statement, proof = shuffle_of(keys, before, step)
    verify_shuffle(statement, proof, context=context, purpose=purpose.encode())
    # The cards after the step, 99 bytes each, without the argument; a digest keeps a vector short.
    return {"after": sha256(step[: len(before) // 99 * 99]).digest()}


def shuffle_of(keys: SeatKeys, before: bytes, step: bytes) -> tuple[ShuffleStatement, ShuffleProof]:
    """Return the statement of a shuffle (keys, masked cards before and after), and its proof.

    `step` holds as many masked cards as `before`, then the proof.
    """
    # A masked card has three points of 33 bytes.
    count = len(before) // 99
    # The cards first, then the argument (specs 3.5.4).
    proof = ShuffleProof.from_bytes(step[count * 99 :], cards=count)
    after = cards_from_bytes(step[: count * 99], count=count)
    return ShuffleStatement(tuple(keys), cards_from_bytes(before, count=count), after), proof


def shuffle_length(cards: int) -> Json:
    """`cards`: how many bytes a step for so many cards takes."""
    # Nothing to shuffle: neither a proof nor a length.
    if cards < 1:
        raise ProofError("shuffle.count")
    # A card is 99 bytes.
    return {"bytes": cards * 99 + ShuffleProof.size(cards)}


def shares_verify(
    context: ProofContext, keys: SeatKeys, cards: tuple[MaskedCard, ...], batch: bytes
) -> Json:
    """`context`, `keys` of the sharer, `cards`, `batch`: the cards without these shares."""
    read = ShareBatch.from_bytes(batch, cards=len(cards))
    verify_shares(cards, read, keys, context=context)
    return {"cards": [join(without_share(*each)) for each in zip(cards, read.shares, strict=True)]}


def hand_over_verify(
    context: ProofContext,
    card: MaskedCard,
    owner: SeatKeys,
    reader: SeatKeys,
    covers: tuple[bytes, ...],
    message: HandOver,
) -> Json:
    """`context`, `card`, `owner`, `reader` (keys), `covers` (every R seen), `message`: the card
    under the reader's keys."""
    seen = frozenset(covers)
    verify_handover(card, owner, reader, message, context=context, covers=seen)
    return {"card": join(apply_hand_over(card, message))}


def own_deck(pack: tuple[Card, ...], keys: SeatKeys, cards: Sequence[MaskedCard]) -> Deck:
    """Return a deck whose slot i holds cards[i], all under one seat's keys alone."""
    # The other seats' shares are given already.
    slots = {Slot(place): HiddenCard(card, frozenset({ME}), ME) for place, card in enumerate(cards)}
    return Deck(pack, (keys,), slots, {}, frozenset())


def statement_verify(
    context: ProofContext,
    keys: SeatKeys,
    cards: tuple[MaskedCard, ...],
    statements: tuple[Statement, ...],
    proofs: tuple[bytes, ...],
    pack: tuple[Card, ...],
    points: Any,
) -> Json:
    """`context`, `keys` of the one seat, `cards` (slot i holds cards[i], under it alone),
    `statements`, `proofs`, `pack` and `points` of its cards: accepted or not."""
    deck = own_deck(pack, keys, cards)
    worth = dict(zip(pack, points, strict=True))
    # The points of cards are the game's; statements about "fewer than" need them.
    verify_statements(deck, ME, statements, proofs, points=worth, context=context)
    return {"claims": len(proofs)}
