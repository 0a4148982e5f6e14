"""Wrong messages of masked cards by the thousand, each refused by the check that should refuse it.

A bad encoding is named as such in every position, before anything is computed; a message of
another length, type, kind, hand, seat, slot, batch, reader or statement never passes; and what
decodes fails in its own proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count, pairwise
from typing import Any

import pytest

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
)
from protocol.cards.deck import (
    Deck,
    ProvenShuffle,
    hand_over,
    remix_hand,
    share_cards,
    shuffle_deck,
)
from protocol.cards.handover import HandOver
from protocol.cards.keys import KeyStep, SeatKeys, prove_keys, verify_keys
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import prove_statements, verify_statements
from protocol.errors import MalformedMessage, ProofError
from protocol.group.point import GENERATOR, Point, add
from protocol.group.scalar import ORDER, Scalar
from protocol.proofs.context import ProofContext
from tests.crypto.dealing import (
    PACK_8,
    PACK_32,
    Dealt,
    context,
    dealt,
    other_contexts,
    points_of,
    undealt,
)
from tests.long import examples

# --- card messages --------------------------------------------------------------------------------

# One honest message of masked cards of each kind: its bytes, its fields, and who judges it.

PRIME = 2**256 - 2**32 - 977
POINT, SCALAR, PLACE = 33, 32, 2
HERE = context(0, "mutated")
POINTS = points_of(PACK_8)


@dataclass(frozen=True)
class Message:
    """One honest message: its bytes, the widths of its fields, how it is decoded and accepted."""

    name: str
    data: bytes
    fields: tuple[int, ...]
    decode: Callable[[bytes], object]
    accept: Callable[..., object]

    def judge(self, data: bytes, where: ProofContext) -> object:
        return self.accept(self.decode(data), context=where)

    def __post_init__(self) -> None:
        assert sum(self.fields) == len(self.data)

    def spans(self) -> Iterator[tuple[int, int]]:
        start = 0
        for width in self.fields:
            yield start, start + width
            start += width


def layout(points: int, scalars: int) -> tuple[int, ...]:
    return (POINT,) * points + (SCALAR,) * scalars


def shuffle_layout(cards: int) -> tuple[int, ...]:
    return layout(3 * cards + 2 * cards + 4, 3 + cards)


def key_message(seed: str) -> Message:
    table = undealt(seed)
    step = prove_keys(table.secrets[0], context=HERE, entropy=table.entropy)
    accept = partial(verify_keys, used=frozenset())
    return Message("keys", step.to_bytes(), layout(2, 3), KeyStep.from_bytes, accept)


def shuffle_message(seed: str, pack: Sequence[Card] = PACK_8) -> Message:
    table, cards = undealt(seed, pack=pack), len(pack)
    decode = partial(ProvenShuffle.from_bytes, cards=cards)
    data = table.shuffled(HERE).to_bytes()
    return Message("shuffle", data, shuffle_layout(cards), decode, table.deck.after_shuffle)


def share_message(seed: str) -> Message:
    table = undealt(seed)
    deck = table.deck.with_owner(Seat(1), [Slot(place) for place in range(4)])
    batch = share_cards(deck, Seat(0), table.secrets[0], context=HERE, entropy=table.entropy)
    decode, accept = partial(ShareBatch.from_bytes, cards=4), partial(deck.after_shares, Seat(0))
    return Message("shares", batch.to_bytes(), layout(8, 3), decode, accept)


def handover_message(seed: str) -> Message:
    table = dealt(seed)
    slot, secret = table.hand(0)[1], table.secrets[0]
    message = hand_over(table.deck, slot, Seat(1), secret, context=HERE, entropy=table.entropy)
    accept = partial(table.deck.after_handover, slot, Seat(1))
    return Message("hand-over", message.to_bytes(), layout(3, 4), HandOver.from_bytes, accept)


def remix_message(seed: str) -> Message:
    table = dealt(seed)
    before, after = table.hand(0), [Slot(40 + place) for place in range(4)]
    step = remix_hand(table.deck, Seat(0), before, context=HERE, entropy=table.entropy)
    decode = partial(ProvenShuffle.from_bytes, cards=4)
    accept = partial(table.deck.after_remix, Seat(0), before, after)
    return Message("remix", step.to_bytes(), shuffle_layout(4), decode, accept)


def alone(proof: bytes) -> list[bytes]:
    return [proof]


def statement_message(
    name: str, state: Callable[[Dealt], tuple[Statement, tuple[int, ...]]], seed: str
) -> Message:
    table = dealt(seed)
    statement, fields = state(table)
    (proof,) = prove_statements(
        table.deck, Seat(0), table.secrets[0], [statement],
        points=POINTS, context=HERE, entropy=table.entropy
    )  # fmt: skip
    accept = partial(verify_statements, table.deck, Seat(0), [statement], points=POINTS)
    return Message(name, proof, fields, alone, accept)


def split(table: Dealt) -> tuple[Suit, tuple[Slot, ...], tuple[Slot, ...]]:
    """A suit in the hand, the slots that hold it, and those that do not."""
    faces = table.faces(0)
    suit = next(iter(faces.values())).suit
    of = tuple(slot for slot, face in faces.items() if face.suit == suit)
    return suit, of, tuple(slot for slot in faces if slot not in of)


def opening(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    slot, face = next(iter(table.faces(0).items()))
    return IsCard(slot, face), layout(0, 2)


def suit_opening(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    suit, of, _ = split(table)
    return AllOfSuit(of, suit), layout(0, 2)


def not_this_card(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    slot, *others = table.hand(0)
    named = table.faces(0)[slot]
    return NotCard(tuple(others), named), layout(2 * len(others), 1 + 2 * len(others))


def none_of_suit(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    suit, _, others = split(table)
    return NoneOfSuit(others, suit), layout(2 * len(others), 1 + 2 * len(others))


def suits_differ(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    _, of, others = split(table)
    return SuitsDiffer(others, of[0]), layout(2 * len(others), 1 + 2 * len(others))


def any_of(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    suit, of, others = split(table)
    slots = len(of) + len(others)
    either = AnyOf((NoneOfSuit(of, suit), NoneOfSuit(others, suit)))
    return either, layout(2 * slots, 2 + 2 * slots)


def points_below(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    slots = table.hand(0)[:2]
    # Two cards of jacks (30) and nines (20) count 40, 50 or 60.
    return PointsBelow(slots, 61), (*shuffle_layout(8), PLACE, PLACE, *layout(0, 2 + 3 * 2))


STATEMENTS: dict[str, Callable[[Dealt], tuple[Statement, tuple[int, ...]]]] = {
    "opening": opening,
    "suit opening": suit_opening,
    "not this card": not_this_card,
    "none of suit": none_of_suit,
    "suits differ": suits_differ,
    "any of": any_of,
    "points below": points_below,
}
MAKERS: dict[str, Callable[[str], Message]] = {
    "keys": key_message,
    "shuffle": shuffle_message,
    "shares": share_message,
    "hand-over": handover_message,
    "remix": remix_message,
    **{name: partial(statement_message, name, state) for name, state in STATEMENTS.items()},
}


# --- mutations ------------------------------------------------------------------------------------

#: What was done, the message, and the checks of which one must refuse it.
Case = tuple[str, object, frozenset[str]]

LENGTH = {
    "keys": {"key-step.length"},
    "shuffle": {"shuffle-proof.length"},
    "shares": {"shares.length"},
    "hand-over": {"hand-over.length"},
    "remix": {"shuffle-proof.length"},
    "opening": {"opening.length"},
    "suit opening": {"opening.length"},
    "not this card": {"distinction.length"},
    "none of suit": {"distinction.length"},
    "suits differ": {"distinction.length"},
    "any of": {"distinction.length"},
    "points below": {"score.length"},
}
TYPE = {name: {check.replace(".length", ".type") for check in LENGTH[name]} for name in LENGTH}
PROOF = {
    "keys": {"key.proof", "key.halves", "key.generator"},
    "shuffle": {"shuffle.equation"},
    "shares": {"shares.proof"},
    "hand-over": {"hand-over.proof"},
    "remix": {"shuffle.equation"},
    "opening": {"opening.proof"},
    "suit opening": {"suit-opening.proof"},
    "not this card": {"card-distinction.proof"},
    "none of suit": {"distinction.proof"},
    "suits differ": {"distinction.proof"},
    "any of": {"alternatives.proof"},
    "points below": {"shuffle.equation", "score.rows", "score.sum", "score.places"},
}
DECODING = {"point.prefix", "point.curve", "scalar.range", "score.place"}
KINDS = tuple(MAKERS)


@cache
def message_of(name: str) -> Message:
    return MAKERS[name](f"mutated {name}")


def refusal(message: Message, data: object, where: ProofContext = HERE) -> str:
    """The name of the check that refuses the message; "" if it passes."""
    return named(message.judge, data, where)


def named(judge: Callable[..., object], *given: object) -> str:
    try:
        judge(*given)
    except (MalformedMessage, ProofError) as error:
        return error.check
    return ""


def wrong_refusals(message: Message, cases: Iterator[Case]) -> list[tuple[str, str]]:
    """Cases that pass, or that another check refuses than should."""
    found = []
    for what, data, checks in cases:
        if data == message.data:
            continue
        check = refusal(message, data)
        if check not in checks:
            found.append((what, check))
    return found


def with_field(message: Message, span: tuple[int, int], value: bytes) -> bytes:
    return message.data[: span[0]] + value + message.data[span[1] :]


def fields(message: Message, width: int) -> list[tuple[int, int]]:
    return [span for span in message.spans() if span[1] - span[0] == width]


# --- the classes of mutations ---------------------------------------------------------------------

BAD_PREFIXES = (0, 1, 4, 5, 6, 7, 8, 0x0A, 0x20, 0x7F, 0x80, 0x82, 0x83, 0xFE, 0xFF)
NO_POINTS = (0, 5, PRIME, PRIME + 1, PRIME + 5, 2**256 - 1)
NO_SCALARS = (ORDER, ORDER + 1, ORDER + 2**64, 2**256 - 1)


def bad_encodings(message: Message) -> Iterator[Case]:
    """Every class of bad encoding in every position of a point and of a scalar."""
    for span in fields(message, POINT):
        x = message.data[span[0] + 1 : span[1]]
        for prefix in BAD_PREFIXES:
            bad = with_field(message, span, bytes([prefix]) + x)
            yield f"prefix {prefix} at {span[0]}", bad, frozenset({"point.prefix"})
        yield (
            f"identity at {span[0]}",
            with_field(message, span, bytes(POINT)),
            frozenset({"point.prefix"}),
        )
        for number in NO_POINTS:
            for sign in (b"\2", b"\3"):
                bad = with_field(message, span, sign + number.to_bytes(32, "big"))
                yield f"x {number:#x} at {span[0]}", bad, frozenset({"point.curve"})
    for span in fields(message, SCALAR):
        for number in NO_SCALARS:
            bad = with_field(message, span, number.to_bytes(SCALAR, "big"))
            yield f"scalar {number:#x} at {span[0]}", bad, frozenset({"scalar.range"})
    for span in fields(message, PLACE):
        for number in (8, 2**16 - 1):
            bad = with_field(message, span, number.to_bytes(PLACE, "big"))
            yield f"place {number} at {span[0]}", bad, frozenset({"score.place"})


def shapes(message: Message) -> Iterator[Case]:
    """Dropped, doubled, cut and lengthened fields and messages; and what is not bytes."""
    name, data = message.name, message.data
    length = frozenset(LENGTH[name])
    for start, end in message.spans():
        field = data[start:end]
        for value in (b"", field + field, field[1:], field[:-1], b"\0" + field, field + b"\0"):
            yield f"{len(value)} bytes at {start}", data[:start] + value + data[end:], length
        yield f"cut at {start}", data[:start], length
        yield f"cut after {start}", data[: start + 1], length
    for tail in (b"\0", b"\xff", bytes(32), bytes(33), data):
        yield f"{len(tail)} bytes more", data + tail, length
    kind = frozenset(TYPE[name])
    yield "a bytearray", bytearray(data), kind
    yield "a memoryview", memoryview(data), kind
    yield "text", data.decode("latin-1"), kind


def other_values(message: Message) -> Iterator[Case]:
    """Good encodings of other points and scalars, exchanges and copies."""
    wrong = frozenset(PROOF[message.name])
    for span in fields(message, POINT):
        point = Point.from_bytes(message.data[span[0] : span[1]])
        for what, other in (
            ("opposite", bytes([message.data[span[0]] ^ 1]) + point.to_bytes()[1:]),
            ("plus G", add(point, GENERATOR).to_bytes()),
            ("doubled", add(point, point).to_bytes()),
            ("G", GENERATOR.to_bytes()),
        ):
            yield f"{what} at {span[0]}", with_field(message, span, other), wrong
    for span in fields(message, SCALAR):
        value = int.from_bytes(message.data[span[0] : span[1]], "big")
        for other_value in (0, 1, value + 1, value - 1, -value, 2 * value, ORDER - 1):
            other = (other_value % ORDER).to_bytes(SCALAR, "big")
            yield f"scalar {other_value:#x} at {span[0]}", with_field(message, span, other), wrong
    for span in fields(message, PLACE):
        for place in (0, 7):
            changed = with_field(message, span, place.to_bytes(PLACE, "big"))
            yield f"place {place} at {span[0]}", changed, wrong
    for width in (POINT, SCALAR):
        spans = fields(message, width)
        for left, right in (*pairwise(spans), *zip(spans, spans[2:], strict=False)):
            one, other = message.data[slice(*left)], message.data[slice(*right)]
            moved = with_field(message, left, other)
            yield f"copied to {left[0]}", moved, wrong
            yield f"copied to {right[0]}", with_field(message, right, one), wrong
            swapped = moved[: right[0]] + one + moved[right[1] :]
            yield f"exchanged at {left[0]}", swapped, wrong


@cache
def another(name: str, length: int) -> bytes:
    """A message of the kind from another hand, as long as this one."""
    hands = (MAKERS[name](f"other {name} {number}").data for number in count())
    return next(data for data in hands if len(data) == length)


def splices(message: Message) -> Iterator[Case]:
    """Each field of another hand's message in this one; and all backwards."""
    wrong = frozenset(PROOF[message.name])
    other = another(message.name, len(message.data))
    for span in message.spans():
        yield f"spliced at {span[0]}", with_field(message, span, other[slice(*span)]), wrong
    yield "backwards", message.data[::-1], wrong | DECODING


SPARSE = max(3, 11 // examples(1))  #: Bytes from one flipped bit of a long message to the next.


def flips(message: Message) -> Iterator[Case]:
    """Every bit of a short message, one bit of every byte, or of some bytes, of a longer one."""
    wrong = frozenset(PROOF[message.name] | DECODING)
    short = len(message.data) <= 230
    for place in range(0, len(message.data), 1 if len(message.data) < 500 else SPARSE):
        for bit in range(8) if short else (place % 8,):
            flipped = bytearray(message.data)
            flipped[place] ^= 1 << bit
            yield f"bit {bit} of byte {place}", bytes(flipped), wrong


CLASSES: dict[str, Callable[[Message], Iterator[Case]]] = {
    "bad encodings": bad_encodings,
    "shapes": shapes,
    "other values": other_values,
    "splices": splices,
    "flips": flips,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mutation", CLASSES)
def test_each_mutation_is_refused_by_its_own_check(mutation: str, kind: str) -> None:
    message = message_of(kind)
    assert refusal(message, message.data) == ""
    cases = list(CLASSES[mutation](message))
    assert len(cases) >= len(message.fields)
    assert wrong_refusals(message, iter(cases)) == []


def test_a_sample_of_mutations_of_the_full_deck() -> None:
    message = shuffle_message("mutated 32", PACK_32)
    assert refusal(message, message.data) == ""
    classes = [make for name, make in CLASSES.items() if name != "splices"]
    cases = [case for make in classes for case in make(message)]
    assert len(cases) > 8_000
    sample = cases[:: len(cases) // 300]
    assert wrong_refusals(message, iter(sample)) == []


# --- replays --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Station:
    """One place where a message of a kind is awaited: the honest one, and how it is taken."""

    name: str
    data: bytes
    decode: Callable[[bytes], object]
    accept: Callable[[Any], object]

    def judge(self, data: bytes) -> None:
        self.accept(self.decode(data))


def keys_stations(table: Dealt, tag: str) -> Iterator[Station]:
    def accept(keys: SeatKeys, where: ProofContext, step: KeyStep) -> None:
        verify_keys(step, context=where, used=frozenset())
        # Other keys at another deal are no replay; the same proof for them would be.
        if step.keys != keys:
            raise ProofError("test.other-keys")

    for seat in (0, 1):
        where, keys = context(seat, "keys"), table.deck.keys[seat]
        step = prove_keys(table.secrets[seat], context=where, entropy=table.entropy)
        taken = partial(accept, keys, where)
        yield Station(f"{tag} seat {seat}", step.to_bytes(), KeyStep.from_bytes, taken)


def shuffle_stations(table: Dealt, tag: str) -> Iterator[Station]:
    deck, decode = Deck.start(PACK_8, table.deck.keys), partial(ProvenShuffle.from_bytes, cards=8)
    for seat in (0, 1):  # the second shuffles what the first left
        where = context(seat, "shuffle")
        step = shuffle_deck(deck, context=where, entropy=table.entropy)
        accept = partial(deck.after_shuffle, context=where)
        yield Station(f"{tag} seat {seat}", step.to_bytes(), decode, accept)
        deck = deck.after_shuffle(step, context=where)


def share_stations(table: Dealt, tag: str) -> Iterator[Station]:
    deck, decode = Deck.start(PACK_8, table.deck.keys), partial(ShareBatch.from_bytes, cards=2)
    step = shuffle_deck(deck, context=HERE, entropy=table.entropy)
    deck = deck.after_shuffle(step, context=HERE)
    for batch in (0, 1):  # two cards to each seat, then two more
        for seat in (0, 1):
            first = 4 * batch + 2 * seat
            deck = deck.with_owner(Seat(seat), [Slot(first), Slot(first + 1)])
        for seat in map(Seat, (0, 1)):
            where, secret = context(seat, "shares"), table.secrets[seat]
            message = share_cards(deck, seat, secret, context=where, entropy=table.entropy)
            accept = partial(deck.after_shares, seat, context=where)
            yield Station(f"{tag} batch {batch} seat {seat}", message.to_bytes(), decode, accept)
            deck = deck.after_shares(seat, message, context=where)


def handover_stations(table: Dealt, tag: str) -> Iterator[Station]:
    for owner in (0, 1):
        for slot in table.hand(owner)[:2]:
            reader, where = Seat(1 - owner), context(owner, "hand-over")
            message = hand_over(
                table.deck, slot, reader, table.secrets[owner], context=where, entropy=table.entropy
            )
            accept = partial(table.deck.after_handover, slot, reader, context=where)
            name = f"{tag} owner {owner} slot {slot}"
            yield Station(name, message.to_bytes(), HandOver.from_bytes, accept)


def remix_stations(table: Dealt, tag: str) -> Iterator[Station]:
    after, decode = [Slot(70), Slot(71), Slot(72)], partial(ProvenShuffle.from_bytes, cards=3)
    for seat in map(Seat, (0, 1)):
        for part in (slice(0, 3), slice(1, 4)):
            before, where = table.hand(seat)[part], context(seat, "remix")
            step = remix_hand(table.deck, seat, before, context=where, entropy=table.entropy)
            accept = partial(table.deck.after_remix, seat, before, after, context=where)
            yield Station(f"{tag} seat {seat} from {before[0]}", step.to_bytes(), decode, accept)


def statements_of(faces: dict[Slot, Card]) -> dict[str, list[Statement]]:
    """Statements with proofs of one length for each kind, true of a hand."""
    slots = tuple(faces)
    first, second = slots[:2]
    absent = [
        (slot, suit) for slot in slots for suit in {c.suit for c in PACK_8} - {faces[slot].suit}
    ]
    differing = [(a, b) for a in slots for b in slots if faces[a].suit != faces[b].suit]
    return {
        "one of a half": [
            IsCard(first, faces[first]),
            IsCard(second, faces[second]),
            AllOfSuit((first,), faces[first].suit),
            AllOfSuit((second,), faces[second].suit),
        ],
        "one difference": [
            *[NoneOfSuit((slot,), suit) for slot, suit in absent[:4]],
            *[NotCard((slot,), faces[other]) for slot, other in pairwise(slots)],
            *[SuitsDiffer((a,), b) for a, b in differing[:4]],
        ],
        "alternatives": [
            AnyOf((NoneOfSuit((slot,), suit), NoneOfSuit((other,), faces[other].suit)))
            for (slot, suit), other in zip(absent[:4], slots, strict=False)
        ],
    }


def statement_stations(group: str, table: Dealt, tag: str) -> Iterator[Station]:
    points = points_of(PACK_8)
    for seat in map(Seat, (0, 1)):
        for number, statement in enumerate(statements_of(table.faces(seat))[group]):
            told, where = (table.deck, seat), context(seat, "action")
            (proof,) = prove_statements(
                *told, table.secrets[seat], [statement],
                points=points, context=where, entropy=table.entropy
            )  # fmt: skip
            accept = partial(verify_statements, *told, [statement], points=points, context=where)
            yield Station(f"{tag} seat {seat} statement {number}", proof, alone, accept)


STATIONS: dict[str, Callable[[Dealt, str], Iterator[Station]]] = {
    "keys": keys_stations,
    "shuffle": shuffle_stations,
    "shares": share_stations,
    "hand-over": handover_stations,
    "remix": remix_stations,
    **{
        group: partial(statement_stations, group)
        for group in ("one of a half", "one difference", "alternatives")
    },
}


@cache
def stations(kind: str) -> tuple[Station, ...]:
    tables = [dealt(f"replay {number}") for number in (1, 2)]
    return tuple(
        station
        for number, table in enumerate(tables)
        for station in STATIONS[kind](table, f"deal {number}")
    )


@pytest.mark.parametrize("kind", STATIONS)
def test_a_message_passes_at_its_own_station_alone(kind: str) -> None:
    """Other deals, seats, slots, batches, readers and statements, with the same place in context.

    The stations of two deals have equal contexts: what refuses is the state, not the context.
    """
    wrong = [
        (message.name, station.name)
        for message in stations(kind)
        for station in stations(kind)
        if bool(named(station.judge, message.data)) == (message is station)
    ]
    assert wrong == []
    assert len({station.data for station in stations(kind)}) == len(stations(kind)) >= 4


def test_no_message_passes_for_one_of_another_kind() -> None:
    wrong = [
        (sent, awaited)
        for sent in KINDS
        for awaited in KINDS
        if sent != awaited and not refusal(message_of(awaited), message_of(sent).data)
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_holds_in_its_own_context_alone(kind: str) -> None:
    """Another version, table, ledger, deal attempt, round, seat, kind or history."""
    message = message_of(kind)
    refused = [refusal(message, message.data, where) for where in other_contexts(HERE)]
    assert len(refused) == 8
    assert set(refused) <= PROOF[kind]


def test_proofs_of_one_length_are_not_exchanged_between_kinds() -> None:
    """Possession, shares and openings: scalars of the same number under the same keys."""
    table = undealt("one length")
    deck = table.deck.with_owner(Seat(1), [Slot(0)])
    step = prove_keys(table.secrets[0], context=HERE, entropy=table.entropy)
    batch = share_cards(deck, Seat(0), table.secrets[0], context=HERE, entropy=table.entropy)
    assert len(step.proof) == len(batch.proof)
    with pytest.raises(ProofError, match=r"key\.proof"):
        verify_keys(KeyStep(step.keys, batch.proof), context=HERE, used=frozenset())
    with pytest.raises(ProofError, match=r"shares\.proof"):
        deck.after_shares(Seat(0), ShareBatch(batch.shares, step.proof), context=HERE)


def test_a_scalar_that_is_not_reduced_is_no_scalar_of_any_message() -> None:
    """Malleability: the same number in another spelling, for the few that have one."""
    for kind in KINDS:
        message = message_of(kind)
        for span in fields(message, SCALAR):
            small = with_field(message, span, Scalar(7).to_bytes())
            large = with_field(message, span, (7 + ORDER).to_bytes(SCALAR, "big"))
            assert refusal(message, small) in PROOF[kind]
            assert refusal(message, large) == "scalar.range"
