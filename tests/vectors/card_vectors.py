"""Vectors of proofs about masked cards: relations, keys, shuffles, shares, hand-overs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from cli.conformance.tables import seeded
from p2p304.cards import parse_card
from p2p304.rules304.pack import PACK
from protocol import labels
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
from protocol.entropy import Entropy
from protocol.group.constants import card_point
from protocol.group.layout import join
from protocol.group.point import Point, add, base_multiply, negate
from protocol.group.scalar import ORDER, Scalar, SecretScalar
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
from tests.vectors.own_hand import (
    CONTEXT,
    OTHER_CONTEXTS,
    OwnHand,
    context_json,
    masked,
    small_secret,
)

ROOM = {"round": 3, "kind": "ShuffleStep"}


def flipped(data: bytes, at: int) -> str:
    """With the lowest bit of one byte changed."""
    changed = bytearray(data)
    changed[at] ^= 1
    return changed.hex()


def lifted(data: bytes, at: int) -> str:
    """With the scalar at `at` made too large."""
    value = int.from_bytes(data[at : at + 32], "big") + ORDER
    whole = value if value < 2**256 else ORDER
    return (data[:at] + whole.to_bytes(32, "big") + data[at + 32 :]).hex()


def contexts(found: Collector, base: str, context: ProofContext, expect: str) -> None:
    """The same proof at every other place: one field of the context changed."""
    for about, changed in OTHER_CONTEXTS:
        given = {**context_json(context), **changed}
        found.reject(base, f"another {about}", expect, context=given)


def sigma() -> Collector:
    """Proofs of linear relations."""
    found = Collector("sigma", "linear relations, compact and batchable proofs (2.6)")
    for name, relation, witness in sigma_secp256k1.cases():
        for flavor, prove in (("compact", prove_compact), ("batchable", prove_batchable)):
            proof = prove(relation, witness, session=name.encode(), entropy=seeded(name + flavor))
            given = {
                "relation": relation.to_bytes().hex(),
                "session": name.encode().hex(),
                "flavor": flavor,
                "proof": proof.hex(),
            }
            base = found.accept("sigma.verify", f"{name}, {flavor}", **given)
            wrong = "sigma.challenge" if flavor == "compact" else "sigma.response"
            found.reject(base, "a byte more", "sigma.length", proof=given["proof"] + "00")
            found.reject(base, "a byte less", "sigma.length", proof=given["proof"][:-2])
            found.reject(base, "no proof", "sigma.length", proof="")
            found.reject(base, "the last response", wrong, proof=flipped(proof, -1))
            last = len(proof) - 32
            found.reject(base, "a response not reduced", "sigma.scalar", proof=lifted(proof, last))
            found.reject(base, "another session", wrong, session=given["session"] + "00")
            tail = relation.to_bytes()
            opposite = negate(Point.from_bytes(tail[-33:])).to_bytes()
            found.reject(base, "the last element negated", wrong,
                         relation=(tail[:-33] + opposite).hex())  # fmt: skip
            if flavor == "batchable":
                found.reject(base, "a commitment negated", wrong, proof=flipped(proof, 0))
                found.reject(base, "a commitment with prefix 04", "sigma.point",
                             proof=(b"\4" + proof[1:]).hex())  # fmt: skip
                found.reject(base, "a commitment the identity", "sigma.point",
                             proof=(bytes(33) + proof[33:]).hex())  # fmt: skip
            else:
                found.reject(base, "the challenge", wrong, proof=flipped(proof, 31))
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
        proof = prove_compact(relation, witness, session=session, entropy=seeded(about))
        found.accept("sigma.verify", about, strange=True, flavor="compact", proof=proof.hex(),
                     relation=relation.to_bytes().hex(), session=session.hex())  # fmt: skip
    return found


def keys() -> Collector:
    """Possession of keys, and their sums."""
    found = Collector("keys", "possession of keys, the table's keys (4.1, 4.3)")
    context = replace(CONTEXT, ledger=b"\1\0\0\0\0", round=0, kind="HandKeys")
    place = context_json(context)
    draw = seeded("key vectors")
    secrets = [draw_hand_secret(draw) for _ in range(4)]
    steps = []
    for seat, secret in enumerate(secrets):
        step = prove_keys(secret, context=context, entropy=draw).to_bytes()
        steps.append(step)
        found.accept("keys.verify", f"keys, no. {seat}", context=place, step=step.hex())
    for about, secret in (
        ("secrets 2 and 3", small_secret(2, 3)),
        ("secrets n - 1 and n - 2", small_secret(ORDER - 1, ORDER - 2)),
        ("two opposite keys", small_secret(7, ORDER - 7)),
        ("a known multiple", small_secret(5, 10)),
    ):
        step = prove_keys(secret, context=context, entropy=draw).to_bytes()
        found.accept("keys.verify", about, strange=True, context=place, step=step.hex())
    first, step = found.rows[0]["id"], steps[0]
    generator = base_multiply(Scalar(1)).to_bytes()
    for about, expect, data in (
        ("a byte less", "key-step.length", step[:-1].hex()),
        ("a byte more", "key-step.length", step.hex() + "00"),
        ("nothing", "key-step.length", ""),
        ("without a proof", "key-step.length", step[:66].hex()),
        ("a proof of zeros", "key.proof", (step[:66] + bytes(96)).hex()),
        ("another seat's proof", "key.proof", (step[:66] + steps[1][66:]).hex()),
        ("another seat's keys", "key.proof", (steps[1][:66] + step[66:]).hex()),
        ("the keys exchanged", "key.proof", (step[33:66] + step[:33] + step[66:]).hex()),
        ("the challenge", "key.proof", flipped(step, 97)),
        ("a response", "key.proof", flipped(step, -1)),
        ("a response not reduced", "scalar.range", lifted(step, 130)),
        ("prefix 05", "point.prefix", "05" + step.hex()[2:]),
        ("an identity", "point.prefix", "00" * 33 + step.hex()[66:]),
        ("x on no point", "point.curve", f"02{5:064x}" + step.hex()[66:]),
        ("the generator as card key", "key.generator", (generator + step[33:]).hex()),
        ("the generator as suit key", "key.generator",
         (step[:33] + generator + step[66:]).hex()),
        ("one key for both halves", "key.halves", (step[:33] * 2 + step[66:]).hex()),
        ("a rogue key, the others' taken off", "key.proof", _rogue(secrets, step).hex()),
    ):  # fmt: skip
        found.reject(first, about, expect, step=data)
    contexts(found, first, context, "key.proof")
    four = [join(secret.keys()).hex() for secret in secrets]
    summed = found.accept("keys.sum", "four seats", keys=four)
    found.accept("keys.sum", "two seats", keys=four[:2])
    found.accept("keys.sum", "one seat", keys=four[:1], strange=True)
    mine = secrets[0].keys()
    opposite = join((negate(mine.card), negate(mine.suit))).hex()
    found.accept("keys.sum", "partners with opposite keys", strange=True,
                 keys=[four[0], four[1], opposite, four[3]])  # fmt: skip
    found.accept("keys.sum", "partners with equal keys", strange=True,
                 keys=[four[0], four[1], four[0], four[3]])  # fmt: skip
    found.reject(summed, "keys that cancel", "key.sum", keys=[four[0], opposite])
    half = join((negate(mine.card), mine.suit)).hex()
    found.reject(summed, "card keys that cancel", "key.sum", keys=[four[0], half])
    half = join((mine.card, negate(mine.suit))).hex()
    found.reject(summed, "suit keys that cancel", "key.sum", keys=[four[0], half])
    return found


def _rogue(secrets: Sequence[HandSecret], step: bytes) -> bytes:
    others = table_keys([secret.keys() for secret in secrets[1:]])
    return join([add(base_multiply(Scalar(9)), negate(key)) for key in others]) + step[66:]


class _Pack:
    """A small pack under the table's keys of two seats, and who shuffles it."""

    def __init__(self, name: str, cards: int) -> None:
        self.draw = seeded(name)
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
        draw: Entropy | None = None,
    ) -> dict[str, Any]:
        taken, under = tuple(before) or self.before, keys or self.keys
        context = replace(CONTEXT, **ROOM)  # type: ignore[arg-type]
        proof = prove_shuffle(
            ShuffleStatement(tuple(under), tuple(taken), tuple(after)),
            secret,
            context=context,
            purpose=purpose,
            entropy=draw or self.draw,
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
    given = pack.shuffled()
    base = found.accept("shuffle.verify", "four cards", **given)
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
    hand = found.accept("shuffle.verify", "a hand of seven under its own keys", **question)
    found.reject(hand, "a hand's shuffle as a deck's", "shuffle.equation", purpose="deck-shuffle")
    step = bytes.fromhex(given["step"])
    for about, expect, data in _wrong_steps(step, pack):
        found.reject(base, about, expect, step=data)
    before = bytes.fromhex(given["before"])
    found.reject(base, "another deck before", "shuffle.equation",
                 before=(before[99:] + before[:99]).hex())  # fmt: skip
    keyed = bytes.fromhex(given["keys"])
    found.reject(base, "the keys exchanged", "shuffle.equation",
                 keys=(keyed[33:] + keyed[:33]).hex())  # fmt: skip
    found.reject(base, "one seat's keys", "shuffle.equation",
                 keys=join(pack.secrets[0].keys()).hex())  # fmt: skip
    found.reject(base, "a deck's shuffle as a hand's", "shuffle.equation", purpose="hand-shuffle")
    contexts(found, base, replace(CONTEXT, **ROOM), "shuffle.equation")  # type: ignore[arg-type]
    for cards in (1, 4, 7, 32, 52):
        found.accept("shuffle.length", f"{cards} cards", cards=cards)
    return found


def _wrong_steps(step: bytes, pack: _Pack) -> Iterator[tuple[str, str, str]]:
    count, cards = 4, 396
    proof = step[cards:]
    wrong = "shuffle.equation"
    yield "two cards exchanged", wrong, (step[99:198] + step[:99] + step[198:]).hex()
    yield "a card twice", wrong, (step[:99] * 2 + step[198:]).hex()
    twice = remask(pack.before[0], pack.keys, Scalar(3))
    yield "a card twice, remasked", wrong, (step[:99] + join(twice) + step[198:]).hex()
    card = MaskedCard(*[Point.from_bytes(step[at : at + 33]) for at in (0, 33, 66)])
    moved = card._replace(card=add(card.card, base_multiply(Scalar(1))))
    yield "G added to a card half", wrong, (join(moved) + step[99:]).hex()
    moved = card._replace(suit=add(card.suit, base_multiply(Scalar(1))))
    yield "G added to a suit half", wrong, (join(moved) + step[99:]).hex()
    moved = card._replace(mask=add(card.mask, base_multiply(Scalar(1))))
    yield "G added to a mask", wrong, (join(moved) + step[99:]).hex()
    other = parse_card("7C")
    moved = card._replace(card=add(card.card, card_point(other)))
    yield "a card's point added", wrong, (join(moved) + step[99:]).hex()
    halves = step[:66] + step[165:198] + step[99:165] + step[66:99] + step[198:]
    yield "suit halves exchanged between cards", wrong, halves.hex()
    names = [*[f"c_{i}" for i in range(count)], *[f"k_{i}" for i in range(count)],
             "T_matrix", "T_chain", "T_mask", "T_halves"]  # fmt: skip
    for place, name in enumerate(names):
        at = 33 * place
        opposite = negate(Point.from_bytes(proof[at : at + 33])).to_bytes()
        yield f"{name} negated", wrong, (step[: cards + at] + opposite
                                         + proof[at + 33 :]).hex()  # fmt: skip
    points = 33 * len(names)
    for place, name in enumerate(("s_matrix", "s_chain", "s_mask", *[f"s_{i}" for i in range(4)])):
        at = cards + points + 32 * place
        yield f"{name} changed", wrong, flipped(step, at + 31)
        yield f"{name} not reduced", "scalar.range", lifted(step, at)
    yield "commitments exchanged", wrong, (step[:cards] + proof[33:66] + proof[:33]
                                           + proof[66:]).hex()  # fmt: skip
    first = Point.from_bytes(proof[:33])
    pair = join((first, negate(first)))
    yield "commitments that add up to the identity", wrong, (
        step[:cards] + pair * 2 + proof[33 * 4 :]).hex()  # fmt: skip
    yield "a byte less", "shuffle-proof.length", step[:-1].hex()
    yield "a byte more", "shuffle-proof.length", step.hex() + "00"
    yield "the cards alone", "shuffle-proof.length", step[:cards].hex()
    yield "nothing", "shuffle-proof.length", ""
    yield "a card too few", "shuffle-proof.length", step[99:].hex()
    yield "a mask the identity", "point.prefix", (bytes(33) + step[33:]).hex()
    yield "a half with prefix 04", "point.prefix", (step[:33] + b"\4" + step[34:]).hex()
    yield "a commitment on no curve", "point.curve", (
        step[:cards] + b"\2" + (5).to_bytes(32, "big") + proof[33:]).hex()  # fmt: skip
    yield "an announcement the identity", "point.prefix", (
        step[: cards + 33 * 8] + bytes(33) + proof[33 * 9 :]).hex()  # fmt: skip


def shares() -> Collector:
    """Batches of decryption shares."""
    found = Collector("shares", "decryption shares and their batch proof (4.5, 4.6)")
    context = replace(CONTEXT, round=1, kind="DealShares")
    draw = seeded("share vectors")
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
    given = question(3)
    base = found.accept("shares.verify", "from which the faults are made", **given)
    data = bytes.fromhex(given["batch"])
    card = Point.from_bytes(data[:33])
    plus = add(card, base_multiply(Scalar(1))).to_bytes()
    for about, expect, batch in (
        ("shares of two cards exchanged", "shares.proof", data[66:132] + data[:66] + data[132:]),
        ("halves exchanged", "shares.proof", data[33:66] + data[:33] + data[66:]),
        ("G added to a share", "shares.proof", plus + data[33:]),
        ("a share negated", "shares.proof", negate(card).to_bytes() + data[33:]),
        ("the first share for the second too", "shares.proof", data[:66] * 2 + data[132:]),
        ("a share too few", "shares.length", data[66:]),
        ("a share too many", "shares.length", data[:66] + data),
        ("a byte more", "shares.length", data + b"\0"),
        ("nothing", "shares.length", b""),
        ("a share the identity", "point.prefix", bytes(33) + data[33:]),
        ("a share on no curve", "point.curve", b"\2" + (5).to_bytes(32, "big") + data[33:]),
        ("the challenge", "shares.proof", bytes.fromhex(flipped(data, 198 + 31))),
        ("a response", "shares.proof", bytes.fromhex(flipped(data, -1))),
        ("a response not reduced", "scalar.range", bytes.fromhex(lifted(data, 198 + 32))),
        ("a proof of zeros", "shares.proof", data[:198] + bytes(96)),
    ):
        found.reject(base, about, expect, batch=batch.hex())
    found.reject(base, "another card", "shares.proof",
                 cards=[*given["cards"][:2], join(cards[5]).hex()])  # fmt: skip
    found.reject(base, "cards in another order", "shares.proof", cards=given["cards"][::-1])
    found.reject(base, "another seat's keys", "shares.proof", keys=join(other.keys()).hex())
    contexts(found, base, context, "shares.proof")
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

    given = question(hand.cards[0], reader.keys())
    base = found.accept("hand-over.verify", "to another seat", **given)
    found.accept("hand-over.verify", "another card", **question(hand.cards[1], reader.keys()))
    mine = hand.secret.keys()
    found.accept("hand-over.verify", "to oneself", strange=True, **question(hand.cards[0], mine))
    opposite = SeatKeys(negate(mine.card), negate(mine.suit))
    found.accept("hand-over.verify", "to a seat with opposite keys", strange=True,
                 **question(hand.cards[0], opposite))  # fmt: skip
    small = masked(hand.faces[0], hand.secret, Scalar(1))
    found.accept("hand-over.verify", "a card with mask 1", strange=True,
                 **question(small, reader.keys()))  # fmt: skip
    data = bytes.fromhex(given["message"])
    other = bytes.fromhex(question(hand.cards[1], reader.keys())["message"])
    plus = add(Point.from_bytes(data[33:66]), base_multiply(Scalar(1))).to_bytes()
    for about, expect, message in (
        ("another card's message", "hand-over.proof", other),
        ("another R", "hand-over.proof", other[:33] + data[33:]),
        (
            "R negated",
            "hand-over.proof",
            negate(Point.from_bytes(data[:33])).to_bytes() + data[33:],
        ),
        ("G added to the card's share", "hand-over.proof", data[:33] + plus + data[66:]),
        (
            "the halves exchanged",
            "hand-over.proof",
            data[:33] + data[66:99] + data[33:66] + data[99:],
        ),
        ("the challenge", "hand-over.proof", bytes.fromhex(flipped(data, 99 + 31))),
        ("the last response", "hand-over.proof", bytes.fromhex(flipped(data, -1))),
        ("a response not reduced", "scalar.range", bytes.fromhex(lifted(data, 131))),
        ("R the identity", "point.prefix", bytes(33) + data[33:]),
        (
            "a share on no curve",
            "point.curve",
            data[:33] + b"\2" + (5).to_bytes(32, "big") + data[66:],
        ),
        ("a byte less", "hand-over.length", data[:-1]),
        ("a byte more", "hand-over.length", data + b"\0"),
        ("nothing", "hand-over.length", b""),
        ("without its proof", "hand-over.length", data[:99]),
    ):
        found.reject(base, about, expect, message=message.hex())
    found.reject(base, "an R that was seen", "hand-over.reused", covers=[data[:33].hex()])
    found.reject(base, "another card", "hand-over.proof", card=join(hand.cards[1]).hex())
    found.reject(base, "another owner", "hand-over.proof", owner=join(reader.keys()).hex())
    found.reject(base, "another reader", "hand-over.proof", reader=given["owner"])
    contexts(found, base, context, "hand-over.proof")
    return found


CATEGORIES = (sigma, keys, shuffle, shares, hand_over)
