"""Vectors of masked cards and of statements: relations, keys, shuffles, shares, proofs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import permutations
from typing import Any

from cli.conformance.tables import seeded_entropy
from cli.conformance.trials import Vector, vectors_in
from p2p304.cards import Card, parse_card
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.statements import Statement
from protocol import labels
from protocol.cards.deck import Deck
from protocol.cards.handover import prove_handover
from protocol.cards.keys import (
    HandSecret,
    MaskedCard,
    SeatKeys,
    draw_hand_secret,
    prove_keys,
    start_deck,
    table_keys,
)
from protocol.cards.shares import prove_shares
from protocol.cards.statements import prove_statements
from protocol.group.constants import card_point, suit_point
from protocol.group.layout import join
from protocol.group.point import add, base_multiply, multiply, negate
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.context import ProofContext
from protocol.proofs.relation import GENERATOR_INDEX, RelationBuilder
from protocol.proofs.shuffle import (
    Ciphertext,
    ShuffleSecret,
    ShuffleStatement,
    prove_shuffle,
    remask,
    shuffle_cards,
)
from protocol.proofs.sigma import BATCHABLE, COMPACT, prove_relation
from tests.vectors import sigma_secp256k1
from tests.vectors.answers import written
from tests.vectors.collect import VECTORS, Collector
from tests.vectors.operations.cards import ME, own_deck
from tests.vectors.plain_json import statement_json, statement_of

# --- own hand -------------------------------------------------------------------------------------

# A hand of masked cards under one seat's keys, for vectors: everything about it is known.

CONTEXT = ProofContext(
    version=1,
    table=bytes(range(32)),
    ledger=b"\2\0\0\0\0",
    attempt=0,
    round=17,
    seat=2,
    kind="Action",
    history=b"\x11" * 32,
)


def context_json(context: ProofContext) -> dict[str, Any]:
    """A context as the line protocol writes it."""
    return written(asdict(context))


def masked(card: Card, secret: HandSecret, mask: Scalar) -> MaskedCard:
    """The card under these keys."""
    keys = secret.keys()
    return MaskedCard(
        base_multiply(mask),
        add(card_point(card), multiply(keys.card, mask)),
        add(suit_point(card.suit), multiply(keys.suit, mask)),
    )


class OwnHand:
    """Cards named in a text such as "9C JS", one a slot, under the keys of one seat."""

    def __init__(
        self, name: str, faces: str, *, secret: HandSecret | None = None, pack: Sequence[Card] = ()
    ) -> None:
        self.draw = seeded_entropy(name)
        self.secret = secret or draw_hand_secret(self.draw)
        self.faces = [parse_card(each) for each in faces.split()]
        self.pack = tuple(pack) or PACK
        self.cards = [masked(card, self.secret, secret_scalar(self.draw)) for card in self.faces]

    def deck(self) -> Deck:
        """The hand as a deck of cards under its own keys alone."""
        return own_deck(self.pack, self.secret.keys(), self.cards)

    def proofs(self, *statements: Statement) -> tuple[bytes, ...]:
        """The proofs of an action that states all this."""
        return prove_statements(
            self.deck(),
            ME,
            self.secret,
            statements,
            points=CARD_POINTS,
            context=CONTEXT,
            entropy=self.draw,
        )

    def question(self, *statements: Statement) -> dict[str, Any]:
        """The members of a `statement.verify` that must be accepted."""
        return {
            "context": context_json(CONTEXT),
            "keys": join(self.secret.keys()).hex(),
            "cards": [join(card).hex() for card in self.cards],
            "statements": [statement_json(each) for each in statements],
            "proofs": [proof.hex() for proof in self.proofs(*statements)],
            "pack": [str(card) for card in self.pack],
            "points": [CARD_POINTS[card] for card in self.pack],
        }


def small_secret(card: int, suit: int) -> HandSecret:
    """Keys of small secrets: legal, and foolish."""
    return HandSecret(SecretScalar(card), SecretScalar(suit))


# --- card vectors ---------------------------------------------------------------------------------

# Vectors of proofs about masked cards: relations, keys, shuffles, shares, hand-overs.

ROOM = {"round": 3, "kind": "ShuffleStep"}


def sigma() -> Collector:
    """Proofs of linear relations."""
    found = Collector("sigma", "linear relations, compact and batchable proofs (2.6)")
    for name, relation, witness in sigma_secp256k1.cases():
        for flavor, tag in (("compact", COMPACT), ("batchable", BATCHABLE)):
            proof = prove_relation(
                relation,
                witness,
                session=name.encode(),
                entropy=seeded_entropy(name + flavor),
                flavor=tag,
            )
            given = {
                "relation": relation.to_bytes().hex(),
                "session": name.encode().hex(),
                "flavor": flavor,
                "proof": proof.hex(),
            }
            found.accept("sigma.verify", f"{name}, {flavor}", **given)
            found.faults()
    for about, key, session in (
        ("the witness 1", 1, b"p2p304"),
        ("the witness n - 1", ORDER - 1, b"p2p304"),
        ("a session of one byte", 7, b"\0"),
        ("a session of a thousand bytes", 7, b"s" * 1000),
        ("a session that looks like a tag", 7, b"x-CMPT-with-sigma-proofs_Shake128_secp256k1"),
    ):
        build = RelationBuilder(SECP256K1)
        point = base_multiply(Scalar(key)) if key > 1 else SECP256K1.generator
        build.equation([build.element(point)], [(build.scalar(), GENERATOR_INDEX)])
        relation = build.relation()
        witness = [SecretScalar(key)]
        proof = prove_relation(relation, witness, session=session, entropy=seeded_entropy(about))
        found.accept("sigma.verify", about, strange=True, flavor="compact", proof=proof.hex(),
                     relation=relation.to_bytes().hex(), session=session.hex())  # fmt: skip
    return found


def keys() -> Collector:
    """Possession of keys, and their sums."""
    found = Collector("keys", "possession of keys, the table's keys (4.1, 4.3)")
    context = replace(CONTEXT, ledger=b"\1\0\0\0\0", round=0, kind="HandKeys")
    place = context_json(context)
    draw = seeded_entropy("key vectors")
    secrets = [draw_hand_secret(draw) for _ in range(4)]
    for seat, secret in enumerate(secrets):
        step = prove_keys(secret, context=context, entropy=draw).to_bytes()
        found.accept("keys.verify", f"keys, no. {seat}", context=place, step=step.hex())
    for about, secret in (
        ("secrets 2 and 3", small_secret(2, 3)),
        ("secrets n - 1 and n - 2", small_secret(ORDER - 1, ORDER - 2)),
        ("two opposite keys", small_secret(7, ORDER - 7)),
        ("a known multiple", small_secret(5, 10)),
    ):
        step = prove_keys(secret, context=context, entropy=draw).to_bytes()
        found.accept("keys.verify", about, strange=True, context=place, step=step.hex())
    found.faults()
    four = [join(secret.keys()).hex() for secret in secrets]
    found.accept("keys.sum", "four seats", keys=four)
    found.accept("keys.sum", "two seats", keys=four[:2])
    found.accept("keys.sum", "one seat", keys=four[:1], strange=True)
    mine = secrets[0].keys()
    opposite = join((negate(mine.card), negate(mine.suit))).hex()
    found.accept("keys.sum", "partners with opposite keys", strange=True,
                 keys=[four[0], four[1], opposite, four[3]])  # fmt: skip
    found.accept("keys.sum", "partners with equal keys", strange=True,
                 keys=[four[0], four[1], four[0], four[3]])  # fmt: skip
    found.faults()
    return found


class _Pack:
    """A small pack under the table's keys of two seats, and who shuffles it."""

    def __init__(self, name: str, cards: int) -> None:
        self.draw = seeded_entropy(name)
        self.secrets = [draw_hand_secret(self.draw) for _ in range(2)]
        self.keys = table_keys([each.keys() for each in self.secrets])
        self.before = start_deck(PACK[:cards], self.keys)

    def question(
        self,
        after: Sequence[Ciphertext],
        secret: ShuffleSecret,
        *,
        keys: SeatKeys | None = None,
        before: Sequence[Ciphertext] = (),
        purpose: bytes = labels.DECK_SHUFFLE_PURPOSE,
    ) -> dict[str, Any]:
        taken, under = tuple(before) or self.before, keys or self.keys
        context = replace(CONTEXT, **ROOM)  # type: ignore[arg-type]
        proof = prove_shuffle(
            ShuffleStatement(tuple(under), tuple(taken), tuple(after)),
            secret,
            context=context,
            purpose=purpose,
            entropy=self.draw,
        )
        return {
            "context": context_json(context),
            "purpose": purpose.decode(),
            "keys": join(under).hex(),
            "before": b"".join(join(card) for card in taken).hex(),
            "step": (b"".join(join(card) for card in after) + proof.to_bytes()).hex(),
        }

    def moved(self, permutation: Sequence[int], masks: Sequence[int]) -> dict[str, Any]:
        """The question of a shuffle of our choice."""
        chosen = tuple(SecretScalar(mask) for mask in masks)
        after = tuple(
            remask(self.before[origin], self.keys, mask)
            for origin, mask in zip(permutation, chosen, strict=True)
        )
        return self.question(after, ShuffleSecret(tuple(permutation), chosen))

    def shuffled(self) -> dict[str, Any]:
        """The question of an honest shuffle."""
        after, secret = shuffle_cards(self.before, self.keys, self.draw)
        return self.question(after, secret)


def shuffle() -> Collector:
    """The shuffle argument."""
    found = Collector("shuffle", "the shuffle argument (4.4)")
    whole = _Pack("shuffle vectors, 32", 32)
    found.accept("shuffle.verify", "a whole pack", **whole.shuffled())
    pack = _Pack("shuffle vectors, 4", 4)
    found.accept("shuffle.verify", "four cards", **pack.shuffled())
    for cards in (1, 2, 3, 8):
        small = _Pack(f"shuffle vectors, {cards}", cards)
        about = f"{cards} cards"
        found.accept("shuffle.verify", about, strange=cards == 1, **small.shuffled())
    masks = [int.from_bytes(pack.draw(32), "big") % ORDER for _ in range(4)]
    for order in permutations(range(4)):
        about = f"permutation {''.join(map(str, order))}"
        stays = sum(order[place] == place for place in range(4))
        turned = sorted(order[1:]) == list(order[1:]) or order == (3, 2, 1, 0)
        question = pack.moved(order, masks)
        found.accept("shuffle.verify", about, strange=stays > 0 or turned, **question)
    for about, chosen in (
        ("identity and no masks: nothing changes", [0, 0, 0, 0]),
        ("all masks alike", [5, 5, 5, 5]),
        ("masks 1, 2, 3, n - 2", [1, 2, 3, ORDER - 2]),
        ("one mask alone", [0, 0, 9, 0]),
    ):
        question = pack.moved((0, 1, 2, 3), chosen)
        found.accept("shuffle.verify", about, strange=True, **question)
    own = OwnHand("shuffle vectors, own hand", "9C JS 7D TH AH 8S QC")
    mine = tuple(own.cards)
    after, secret = shuffle_cards(mine, own.secret.keys(), own.draw)
    question = pack.question(after, secret, keys=own.secret.keys(), before=mine,
                             purpose=labels.HAND_SHUFFLE_PURPOSE)  # fmt: skip
    found.accept("shuffle.verify", "a hand of seven under its own keys", **question)
    found.faults()
    for cards in (1, 4, 7, 32, 52):
        found.accept("shuffle.length", f"{cards} cards", cards=cards)
    return found


def shares() -> Collector:
    """Batches of decryption shares."""
    found = Collector("shares", "decryption shares and their batch proof (4.5, 4.6)")
    context = replace(CONTEXT, round=1, kind="DealShares")
    draw = seeded_entropy("share vectors")
    mine, other = draw_hand_secret(draw), draw_hand_secret(draw)
    keys = table_keys([mine.keys(), other.keys()])
    deck = start_deck(PACK[:12], keys)
    after, _ = shuffle_cards(deck, keys, draw)
    cards = [MaskedCard(*card) for card in after]

    def question(count: int, secret: HandSecret = mine) -> dict[str, Any]:
        batch = prove_shares(cards[:count], secret, context=context, entropy=draw)
        return {
            "context": context_json(context),
            "keys": join(secret.keys()).hex(),
            "cards": [join(card).hex() for card in cards[:count]],
            "batch": batch.to_bytes().hex(),
        }

    for count in (12, 1, 2, 3):
        found.accept("shares.verify", f"{count} cards", strange=count == 1, **question(count))
    found.accept(
        "shares.verify", "secrets 2 and 3", strange=True, **question(2, small_secret(2, 3))
    )
    found.accept("shares.verify", "from which the faults are made", **question(3))
    found.faults()
    return found


def hand_over() -> Collector:
    """Hand-overs of face-down cards."""
    found = Collector("hand-over", "hand-overs (4.7)")
    context = replace(CONTEXT, kind="HandOverShares/0")
    hand = OwnHand("hand-over vectors", "9C JS")
    draw = hand.draw
    reader = draw_hand_secret(draw)

    def question(card: MaskedCard, to: SeatKeys) -> dict[str, Any]:
        message = prove_handover(card, hand.secret, to, context=context, entropy=draw)
        return {
            "context": context_json(context),
            "card": join(card).hex(),
            "owner": join(hand.secret.keys()).hex(),
            "reader": join(to).hex(),
            "covers": [],
            "message": message.to_bytes().hex(),
        }

    first = question(hand.cards[0], reader.keys())
    found.accept("hand-over.verify", "to another seat", **first)
    found.accept("hand-over.verify", "another card", **question(hand.cards[1], reader.keys()))
    mine = hand.secret.keys()
    found.accept("hand-over.verify", "to oneself", strange=True, **question(hand.cards[0], mine))
    opposite = SeatKeys(negate(mine.card), negate(mine.suit))
    found.accept("hand-over.verify", "to a seat with opposite keys", strange=True,
                 **question(hand.cards[0], opposite))  # fmt: skip
    small = masked(hand.faces[0], hand.secret, Scalar(1))
    found.accept("hand-over.verify", "a card with mask 1", strange=True,
                 **question(small, reader.keys()))  # fmt: skip
    found.faults()
    return found


CATEGORIES = (sigma, keys, shuffle, shares, hand_over)


# --- statement vectors ----------------------------------------------------------------------------

# Vectors of statements about hidden cards: what an action proves, seven kinds of it. What is stated
# stands in the file of each kind alone; the hands and the proofs are made here.

OP = "statement.verify"
SMALL = "secrets 2 and 3"  #: About a statement of one card under keys of small secrets.
#: Of each kind of statement the name and the cards of its hand, and the card of `SMALL`.
HANDS = {
    "opening": ("opening vectors", "9C JS 7D TH", "JC"),
    "suit-opening": ("suit vectors", "9C JC 7C TH", ""),
    "not-card": ("not card vectors", "9C JS 7D TC", "JC"),
    "none-of-suit": ("none vectors", "9C JS 7D TC", "JC"),
    "suits-differ": ("differ vectors", "9C JS 7D TC", ""),
    "any-of": ("any vectors", "9C JS 7D TC", ""),
}


def _stated(category: str, hands: Callable[[Vector], OwnHand]) -> Collector:
    """What the file of a category states of hands, proved again; then the faults."""
    found = Collector.begun(category)
    for each in vectors_in(VECTORS, (category,)):
        if each.expect is None:
            question = hands(each).question(*map(statement_of, each.input["statements"]))
            found.accept(OP, each.about, strange=each.strange, **question)
    found.faults()
    return found


def kind_of_statement(category: str) -> Collector:
    """A kind of statement: all but the last of one hand, whose draws go on."""
    name, faces, card = HANDS[category]
    hand = OwnHand(name, faces)
    small = OwnHand(f"{name}, small", card, secret=small_secret(2, 3))
    return _stated(category, lambda asked: small if asked.about == SMALL else hand)


def points_below() -> Collector:
    """Few points, without showing a card."""
    every = iter(("7S 8S QS", "7S", "8S", "KS QS", "7S", "7S 8D QH KC"))

    def hand(asked: Vector) -> OwnHand:
        faces, pack = next(every), PACK[: len(asked.input["pack"])]
        return OwnHand(f"points vectors {faces}", faces, pack=pack)

    return _stated("points-below", hand)


STATEMENT_CATEGORIES = (*(partial(kind_of_statement, each) for each in HANDS), points_below)
