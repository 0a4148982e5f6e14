"""What a prover's secrets show: not in text, copies, errors, operation counts or broken chance."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator

import pytest

from p2p304.cards import Slot, Suit
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
from protocol.cards.deck import hand_over, remix_hand, share_cards, shuffle_deck
from protocol.cards.keys import HandSecret, draw_hand_secret, prove_keys
from protocol.cards.secrets import Secrets
from protocol.cards.statements import prove_statements, verify_statements
from protocol.entropy import Entropy
from protocol.errors import InternalFault, LocalError, MalformedMessage, ProofError, ProtocolError
from protocol.group.point import base_multiply
from protocol.group.scalar import SecretScalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.disjunction import prove_any, verify_any
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.shuffle import ShuffleSecret, shuffle_cards
from tests.bench.counting import OperationCounter
from tests.crypto.dealing import PACK_8, PACK_32, context, dealt, points_of, undealt
from tests.crypto.seeded_entropy import seeded, stuck

HERE = context(0, "shown")


def counted(work: Callable[[], object]) -> tuple[int, ...]:
    with OperationCounter() as count:
        work()
    return (count.multiplications, count.base_multiplications, count.sums, count.summed)


# --- time -----------------------------------------------------------------------------------------


def test_which_alternative_is_true_does_not_show_in_the_work() -> None:
    """A list of one and a list of seven, as the rules ask for when trumps are exhausted."""
    table = dealt("uneven", pack=PACK_32, each=8)
    faces = table.faces(0)
    missing = next(suit for suit in Suit if suit not in {face.suit for face in faces.values()})
    slot, held = next((slot, face.suit) for slot, face in faces.items())
    rest = tuple(each for each in faces if each != slot)

    def work(statement: AnyOf) -> tuple[int, ...]:
        def prove() -> None:
            prove_statements(
                table.deck, Seat(0), table.secrets[0], [statement],
                points={}, context=HERE, entropy=seeded("work")
            )  # fmt: skip

        return counted(prove)

    first = work(AnyOf((NoneOfSuit((slot,), missing), NoneOfSuit((slot, *rest), held))))
    second = work(AnyOf((NoneOfSuit((slot,), held), NoneOfSuit((slot, *rest), missing))))
    assert first == second


def powers(secrets: list[int]) -> LinearRelation[object]:
    builder: RelationBuilder[object] = RelationBuilder(SECP256K1)  # type: ignore[arg-type]
    for secret in secrets:
        key = base_multiply(SecretScalar(secret))
        builder.equation([builder.element(key)], [(builder.scalar(), GENERATOR_INDEX)])
    return builder.relation()


def test_which_branch_is_known_does_not_show_in_the_work() -> None:
    branches = [powers([5]), powers([6, 7, 8])]

    def work(known: int, witness: list[int]) -> tuple[int, ...]:
        scalars = [SecretScalar(value) for value in witness]

        def prove() -> None:
            proof = prove_any(branches, known, scalars, session=b"s", entropy=seeded("w"))
            held.append(proof)

        return counted(prove)

    held: list[bytes] = []
    assert work(0, [5]) == work(1, [6, 7, 8])
    for proof in held:
        verify_any(branches, proof, session=b"s")


# --- broken randomness ----------------------------------------------------------------------------


def test_a_source_that_repeats_itself_masks_no_cards() -> None:
    """Two cards under one mask differ by the difference of their faces, which anybody looks up."""
    table = undealt("repeats")
    cards = [table.deck.slots[Slot(place)].card for place in range(8)]
    with pytest.raises(LocalError, match="same mask twice"):
        shuffle_cards(cards, table.deck.keys[0], stuck)
    with pytest.raises(LocalError, match="same mask twice"):
        shuffle_deck(table.deck, context=HERE, entropy=stuck)
    hand = dealt("repeats")
    with pytest.raises(LocalError, match="same mask twice"):
        remix_hand(hand.deck, Seat(0), hand.hand(0), context=HERE, entropy=stuck)


def test_a_source_that_repeats_itself_makes_no_keys() -> None:
    with pytest.raises(LocalError, match="same secret twice"):
        draw_hand_secret(stuck)


# --- text, copies and errors ----------------------------------------------------------------------


def holders() -> list[object]:
    secret = SecretScalar(0x1234567890ABCDEF)
    return [
        secret,
        -secret,
        HandSecret(secret, secret),
        ShuffleSecret((1, 0), (secret, secret)),
        HedgedSource(b"label", (b"statement",), (secret.value,), 2**256, seeded("held")),
        Secrets(b"\x77" * 32),
    ]


@pytest.mark.parametrize("place", range(len(holders())))
def test_a_holder_of_secrets_is_neither_shown_nor_copied(place: int) -> None:
    holder = holders()[place]
    shown = f"{holder!r} {holder!s} {holder}"
    for value in (0x1234567890ABCDEF, int.from_bytes(b"\x77" * 8)):
        assert str(value) not in shown
        assert f"{value:x}" not in shown
    assert "\\x77" not in shown
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        if attempt is copy.copy and isinstance(holder, HandSecret | ShuffleSecret):
            continue  # a shallow copy of the dataclass holds the very same scalars
        with pytest.raises((TypeError, LocalError)):
            attempt(holder)


def spellings(value: int) -> Iterator[str]:
    data = value.to_bytes(32, "big")
    yield from (str(value), f"{value:x}", f"{value:X}", data.hex(), repr(data)[2:-1])


def failing(entropy: Entropy) -> list[tuple[HandSecret, Callable[[], object]]]:
    """Every prover with something wrong: other secrets than the deck's, or a false statement."""
    table, wrong = dealt("failing"), draw_hand_secret(seeded("wrong"))
    deck, faces = table.deck, table.faces(0)
    slots = tuple(faces)
    suit = faces[slots[0]].suit
    other = next(card for card in PACK_8 if card not in faces.values())
    undealt_table = undealt("failing")
    owing = undealt_table.deck.with_owner(Seat(1), [Slot(0)])

    points = points_of(PACK_8)

    def state(secret: HandSecret, statement: Statement) -> Callable[[], object]:
        def work() -> None:
            proofs = prove_statements(
                deck, Seat(0), secret, [statement], points=points, context=HERE, entropy=entropy
            )
            verify_statements(deck, Seat(0), [statement], proofs, points=points, context=HERE)

        return work

    right = table.secrets[0]
    return [
        (right, state(right, IsCard(slots[0], other))),
        (right, state(right, AllOfSuit(slots, Suit.HEARTS))),
        (right, state(right, NotCard(slots, faces[slots[0]]))),
        (right, state(right, NoneOfSuit(slots, suit))),
        (right, state(right, SuitsDiffer((slots[0],), slots[0]))),
        (right, state(right, AnyOf((NoneOfSuit((slots[0],), suit),) * 2))),
        (right, state(right, PointsBelow(slots, 1))),
        (wrong, state(wrong, IsCard(slots[0], faces[slots[0]]))),
        (wrong, state(wrong, NotCard(slots, other))),
        (wrong, state(wrong, NoneOfSuit(slots[:1], suit))),
        (wrong, state(wrong, PointsBelow(slots, 500))),
        (wrong, lambda: share_cards(owing, Seat(0), wrong, context=HERE, entropy=stuck)),
        (right, lambda: share_cards(deck, Seat(0), wrong, context=HERE, entropy=stuck)),
        (right, lambda: hand_over(deck, Slot(7), Seat(7), right, context=HERE, entropy=entropy)),
        (right, lambda: prove_keys(right, context=HERE, entropy=lambda n: b"")),
    ]


def test_errors_and_logs_show_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for secret, work in failing(seeded("errors")):
        with pytest.raises((ProtocolError, InternalFault, IndexError)) as caught:
            work()
        error = caught.value
        text = "".join(traceback.format_exception(error)) + repr(error.args) + caplog.text
        for each in (secret.card.value, secret.suit.value):
            assert not [spelling for spelling in spellings(each) if spelling in text]


# --- statements that are true of nothing ----------------------------------------------------------


def test_no_cards_count_fewer_points_than_a_limit_only_if_it_is_above_zero() -> None:
    table = dealt("nothing")
    for limit in (0, -1):
        false = PointsBelow((), limit)
        with pytest.raises(LocalError):
            prove_statements(
                table.deck, Seat(0), table.secrets[0], [false],
                points=points_of(PACK_8), context=HERE, entropy=table.entropy
            )  # fmt: skip
        for proofs in ((), (b"",), (bytes(96),), (bytes(2000),)):
            with pytest.raises((ProofError, MalformedMessage)):
                verify_statements(
                    table.deck, Seat(0), [false], proofs, points=points_of(PACK_8), context=HERE
                )


def test_an_alternative_of_none_is_never_accepted() -> None:
    table = dealt("nothing")
    for proofs in ((), (b"",), (bytes(32),)):
        with pytest.raises((ProofError, MalformedMessage, LocalError)):
            verify_statements(table.deck, Seat(0), [AnyOf(())], proofs, points={}, context=HERE)
