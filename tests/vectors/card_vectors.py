"""Vectors of masked cards and of statements: relations, keys, shuffles, shares, proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from cli.conformance.tables import seeded_entropy
from p2p304.cards import Card, Slot, parse_card
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.statements import Statement
from protocol import labels
from protocol.cards.deck import Deck, HiddenCard
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
from protocol.proofs.sigma import prove_batchable, prove_compact
from tests.vectors import sigma_secp256k1
from tests.vectors.collect import Collector
from tests.vectors.operations.cards import ME
from tests.vectors.plain_json import Json, statement_json, statement_of

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
    return {
        "version": context.version,
        "table": context.table.hex(),
        "ledger": context.ledger.hex(),
        "attempt": context.attempt,
        "round": context.round,
        "seat": context.seat,
        "kind": context.kind,
        "history": context.history.hex(),
    }


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
        slots = {
            Slot(place): HiddenCard(card, frozenset({ME}), ME)
            for place, card in enumerate(self.cards)
        }
        return Deck(self.pack, (self.secret.keys(),), slots, {}, frozenset())

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
        for flavor, prove in (("compact", prove_compact), ("batchable", prove_batchable)):
            proof = prove(
                relation, witness, session=name.encode(), entropy=seeded_entropy(name + flavor)
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
        proof = prove_compact(relation, witness, session=session, entropy=seeded_entropy(about))
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

# Vectors of statements about hidden cards: what an action proves, seven kinds of it.

OP = "statement.verify"
SMALL_PACK = PACK[:8]


def said(text: str) -> list[Json]:
    """Statements as the line protocol writes them: "is 0 9C; none 1 2 H" and the like, with slots
    before the card, the suit, the other slot or the limit."""
    return [_said(each) for each in text.split("; ") if each]


def _said(text: str) -> Json:
    word, *middle, last = text.split()
    if word == "any":
        return {"any": [_said(each) for each in text.removeprefix("any ").split(" | ")]}
    slots = [int(each) for each in middle]
    match word:
        case "is":
            return {"is": slots[0], "card": last}
        case "not":
            return {"none": slots, "card": last}
        case "none" | "all":
            return {word: slots, "suit": last}
        case "differ":
            return {"differ": slots, "other": int(last)}
        case _:
            return {"below": slots, "limit": int(last)}


def question(hand: OwnHand, text: str) -> dict[str, Any]:
    """What is asked about these statements on a hand, with their proofs."""
    return hand.question(*map(statement_of, said(text)))


def _kind(
    category: str,
    about: str,
    faces: str,
    *rows: tuple[str, str] | tuple[str, str, bool],
    name: str,
    small: tuple[str, str] | None = None,
) -> Collector:
    """The vectors of one kind of statement: what is true of a hand, whether it looks wrong, and of
    a card under keys of small secrets; then the faults."""
    found, hand = Collector(category, about), OwnHand(name, faces)
    for told, text, *strange in rows:
        found.accept(OP, told, strange=bool(strange), **question(hand, text))
    if small is not None:
        card, text = small
        hand = OwnHand(f"{name}, small", card, secret=small_secret(2, 3))
        found.accept(OP, "secrets 2 and 3", strange=True, **question(hand, text))
    found.faults()
    return found


def opening() -> Collector:
    """Faces shown to everybody."""
    return _kind(
        "opening",
        "openings: slots hold these cards (4.9)",
        "9C JS 7D TH",
        ("one card", "is 0 9C"),
        ("two cards, one proof", "is 1 JS; is 3 TH"),
        ("every card", "is 0 9C; is 1 JS; is 2 7D; is 3 TH"),
        ("every card, from the last", "is 3 TH; is 2 7D; is 1 JS; is 0 9C", True),
        ("a card twice", "is 0 9C; is 0 9C", True),
        ("nothing at all", "", True),
        ("an opening and a statement: two proofs, openings first", "none 1 H; is 0 9C"),
        name="opening vectors",
        small=("JC", "is 0 JC"),
    )


def suit_opening() -> Collector:
    """Cards shown to be of one suit."""
    return _kind(
        "suit-opening",
        "all of suit: slots hold cards of this suit (4.9)",
        "9C JC 7C TH",
        ("two clubs", "all 0 1 C"),
        ("three clubs", "all 0 1 2 C"),
        ("one heart", "all 3 H"),
        ("no cards need no proof", "all S", True),
        ("a slot twice", "all 0 0 C", True),
        name="suit vectors",
    )


def not_card() -> Collector:
    """A card that a hand does not hold."""
    return _kind(
        "not-card",
        "not this card (4.9, 4.10)",
        "9C JS 7D TC",
        ("no jack of clubs among three cards", "not 0 1 2 JC"),
        ("no JC in 0", "not 0 JC"),
        ("no 9C in 1 2 3", "not 1 2 3 9C"),
        ("no AH in 0 1 2 3", "not 0 1 2 3 AH"),
        ("no 7H in 2", "not 2 7H"),
        (
            "an opening, a card and a suit: three proofs, openings first",
            "not 1 2 TC; none 1 H; is 0 9C",
        ),
        ("no cards need no proof", "not 9C", True),
        ("a slot twice", "not 0 0 JC", True),
        ("a card of no pack of 304", "not 0 2C", True),
        name="not card vectors",
        small=("JC", "not 0 9C"),
    )


def none_of_suit() -> Collector:
    """Not following suit."""
    return _kind(
        "none-of-suit",
        "none of suit (4.9, 4.10)",
        "9C JS 7D TC",
        ("no hearts in three cards", "none 0 1 2 H"),
        ("no H in 0", "none 0 H"),
        ("no C in 1 2", "none 1 2 C"),
        ("no H in 0 1 2 3", "none 0 1 2 3 H"),
        ("no S in 2", "none 2 S"),
        ("no cards need no proof", "none H", True),
        ("a slot twice", "none 0 0 H", True),
        name="none vectors",
        small=("JC", "none 0 H"),
    )


def suits_differ() -> Collector:
    """Cards of other suits than the indicator."""
    return _kind(
        "suits-differ",
        "suits differ (4.9, 4.10)",
        "9C JS 7D TC",
        ("two cards are not of the indicator's suit", "differ 1 2 0"),
        ("one card", "differ 1 3"),
        ("three cards", "differ 0 2 3 1"),
        ("no cards need no proof", "differ 0", True),
        ("a slot twice", "differ 1 1 0", True),
        name="differ vectors",
    )


def any_of() -> Collector:
    """One of several lists, without saying which."""
    return _kind(
        "any-of",
        "any of several lists (4.9, 4.10)",
        "9C JS 7D TC",
        ("both are true", "any none 0 H | none 1 2 H"),
        ("the first is true", "any none 0 H | none 1 2 D"),
        ("the second is true", "any none 0 C | none 1 2 H"),
        ("three, one true", "any none 0 C | none 1 S | none 2 H"),
        ("comparisons of both kinds", "any none 0 C | differ 1 2 3"),
        ("one alternative alone", "any none 0 H", True),
        ("the same alternative twice", "any none 0 H | none 0 H", True),
        ("an empty alternative is true", "any none H | none 0 C", True),
        name="any vectors",
    )


def points_below() -> Collector:
    """Few points, without showing a card."""
    found = Collector("points-below", "points below a limit (4.11)")
    whole = "four cards of a whole pack, as in a redeal"
    for about, faces, text, *strange in (
        ("three cards of a pack of eight, 2 points below 15", "7S 8S QS", "below 0 1 2 15"),
        ("one card, 0 below 1", "7S", "below 0 1"),
        ("one card, 0 below 400", "8S", "below 0 400", True),
        ("just below: 5 below 6", "KS QS", "below 0 1 6", True),
        ("no cards count fewer than 1", "7S", "below 1", True),
        (whole, "7S 8D QH KC", "below 0 1 2 3 15"),
    ):
        pack = PACK if about is whole else SMALL_PACK
        hand = OwnHand(f"points vectors {faces}", str(faces), pack=pack)
        found.accept(OP, str(about), strange=bool(strange), **question(hand, str(text)))
    found.faults()
    return found


STATEMENT_CATEGORIES = (
    opening,
    suit_opening,
    not_card,
    none_of_suit,
    suits_differ,
    any_of,
    points_below,
)
