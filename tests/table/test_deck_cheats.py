"""Cheats with keys, shuffles, shares and hand-overs, made as well as their maker can make them.

Unlike the altered bytes of `test_cheats`, each message here is a whole one, with the best
proof that is to be had for it: for other keys, another deck, another card, another reader.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import pytest

from p2p304.cards import Slot
from p2p304.disclosures import HandedOver
from p2p304.seats import Seat
from protocol.cards.deck import Deck, ProvenShuffle, remix_hand, shuffle_deck
from protocol.cards.handover import prove_handover
from protocol.cards.keys import HandSecret, KeyStep, MaskedCard, prove_keys, table_keys
from protocol.cards.shares import prove_shares
from protocol.group.layout import join
from protocol.group.point import GENERATOR, POINT_BYTES, Point, add, multiply, subtract, sum_points
from protocol.group.scalar import ORDER, Scalar
from protocol.places import LedgerName
from protocol.proofs.context import MessageContext
from protocol.table.evidence import Prefix
from protocol.table.judge_again import replay
from protocol.wire import contents
from protocol.wire.contents import Content
from protocol.wire.messages import Message
from tests.table.bus import Table
from tests.table.cheating import CheatTable, examined
from tests.table.seating import seeded
from tests.table.tiny_game import Play, TinyGame

CHEAT = 1
IDENTITY = bytes(POINT_BYTES)
"""What no encoding of a point is; the identity has none."""


class Chance:
    """What a cheat knows when it is to speak: the table as it stands, and its own secrets."""

    def __init__(self, table: Table, message: Message) -> None:
        self.table = table
        self.message = message
        self.place = message.place
        self.occasion = MessageContext(table.charter.digest, message.place, message.previous)
        self.entropy = seeded(f"cheat {message.place}")

    @cached_property
    def machine(self) -> Any:
        """As it was when the round began."""
        replicas = self.table.sessions[CHEAT].table_state.replicas
        replica = replicas[self.place.ledger]
        before = replica.ledger.rounds[: self.place.round]
        raws = tuple(each.raw for closed in before for each in closed.messages)
        prefix = (*replica.basis, Prefix(replica.origin, raws))
        after = replay(self.table.charter, self.table.game, prefix)
        return after.replicas[self.place.ledger].machine

    @property
    def deck(self) -> Deck:
        deck: Deck = self.machine.deck
        return deck

    def secret(self, seat: int = CHEAT) -> HandSecret:
        secrets = self.table.arguments(seat)["secrets"]
        secret: HandSecret = secrets.hand_secret(self.place.ledger.number)
        return secret

    def context(self, kind: str) -> Any:
        return self.occasion.proof_context(kind)


Cheat = Callable[[Chance, Any], Content | None]


def keys_of(step: KeyStep) -> contents.HandKeys:
    return contents.HandKeys(step.to_bytes()[: 2 * POINT_BYTES], step.proof)


def key_proof(chance: Chance, secret: HandSecret) -> KeyStep:
    return prove_keys(secret, context=chance.context("HandKeys"), entropy=chance.entropy)


def rogue(chance: Chance, own: contents.HandKeys) -> Content:
    """Keys that cancel those of the others, with the proof for keys whose secrets are known."""
    others = [chance.secret(seat).keys() for seat in (0, 2)]
    mine = key_proof(chance, chance.secret())
    halves = [
        subtract(half, sum_points([each[place] for each in others]))
        for place, half in enumerate(mine.keys)
    ]
    return contents.HandKeys(join(halves), mine.proof)


def opposite(chance: Chance, own: contents.HandKeys) -> Content:
    """Minus the sum of the others' keys: nothing would be masked at all."""
    sums = [sum_points([chance.secret(seat).keys()[half] for seat in (0, 2)]) for half in (0, 1)]
    return contents.HandKeys(join([multiply(each, Scalar(-1 % ORDER)) for each in sums]), own.proof)


def copied(chance: Chance, own: contents.HandKeys) -> Content:
    """Another seat's keys and the proof that it published for them."""
    theirs = MessageContext(chance.occasion.charter, chance.place._replace(seat=Seat(0)),
                      chance.message.previous)  # fmt: skip
    step = prove_keys(
        chance.secret(0), context=theirs.proof_context("HandKeys"), entropy=chance.entropy
    )
    return keys_of(step)


def public_key(chance: Chance, own: contents.HandKeys) -> Content:
    """A key whose secret everybody knows to be 1."""
    return contents.HandKeys(join([GENERATOR]) + own.keys[POINT_BYTES:], own.proof)


def one_key(chance: Chance, own: contents.HandKeys) -> Content:
    """One key for both halves, under which card minus suit shows."""
    return contents.HandKeys(own.keys[:POINT_BYTES] * 2, own.proof)


def no_key(chance: Chance, own: contents.HandKeys) -> Content:
    return contents.HandKeys(IDENTITY + own.keys[POINT_BYTES:], own.proof)


def shuffled(chance: Chance, before: list[MaskedCard], deck: Deck) -> ProvenShuffle:
    """A good shuffle of some other cards than the deck's."""
    other = deck._replace(
        slots={slot: hidden._replace(card=before[slot]) for slot, hidden in deck.slots.items()},
    )
    return shuffle_deck(other, context=chance.context("ShuffleStep"), entropy=chance.entropy)


def cards_of(deck: Deck) -> list[MaskedCard]:
    return [deck.slots[Slot(place)].card for place in range(len(deck.pack))]


def older_deck(chance: Chance, own: contents.ShuffleStep) -> Content | None:
    """The ordered pack is shuffled, and the shuffle of the seat before is lost."""
    start = Deck.start(chance.deck.pack, chance.deck.keys)
    if cards_of(start) == cards_of(chance.deck):
        return None
    return contents.ShuffleStep(shuffled(chance, cards_of(start), chance.deck).to_bytes())


def card_doubled(chance: Chance, own: contents.ShuffleStep) -> Content:
    """A deck in which the best card lies twice, shuffled well."""
    cards = cards_of(chance.deck)
    return contents.ShuffleStep(
        shuffled(chance, [cards[0], cards[0], *cards[2:]], chance.deck).to_bytes()
    )


def card_exchanged(chance: Chance, own: contents.ShuffleStep) -> Content:
    """One masked card plus a point: another card, or none."""
    step = ProvenShuffle.from_bytes(own.step, cards=len(chance.deck.pack))
    first, *rest = step.cards
    other = first._replace(card=add(first.card, GENERATOR))
    return contents.ShuffleStep(replace(step, cards=(other, *rest)).to_bytes())


def halves_exchanged(chance: Chance, own: contents.ShuffleStep) -> Content:
    """The suit of each card with the face of its neighbour."""
    step = ProvenShuffle.from_bytes(own.step, cards=len(chance.deck.pack))
    moved = [*step.cards[1:], step.cards[0]]
    cards = tuple(
        each._replace(suit=other.suit) for each, other in zip(step.cards, moved, strict=True)
    )
    return contents.ShuffleStep(replace(step, cards=cards).to_bytes())


def mask_taken_off(chance: Chance, own: contents.ShuffleStep) -> Content:
    """A card whose mask is the identity would lie open."""
    return contents.ShuffleStep(IDENTITY + own.step[POINT_BYTES:])


def share_of_another_card(chance: Chance, own: contents.DealShares) -> Content:
    """The shares of other cards of the deck, proved well."""
    deck = chance.machine.duty_round.start
    slots = deck.owed_shares(Seat(CHEAT))
    others = [slot for slot in deck.slots if slot not in slots][: len(slots)]
    cards = [deck.slots[slot].card for slot in (*others, *slots)][: len(slots)]
    batch = prove_shares(
        cards, chance.secret(), context=chance.context("DealShares"), entropy=chance.entropy
    )
    return replace(own, batch=batch.to_bytes())


def share_under_another_key(chance: Chance, own: contents.DealShares) -> Content:
    """Right cards, and a secret that is not that of the seat's keys."""
    deck = chance.machine.duty_round.start
    cards = [deck.slots[slot].card for slot in deck.owed_shares(Seat(CHEAT))]
    secret = chance.table.arguments(CHEAT)["secrets"].hand_secret(99)
    batch = prove_shares(
        cards, secret, context=chance.context("DealShares"), entropy=chance.entropy
    )
    return replace(own, batch=batch.to_bytes())


def share_of_nothing(chance: Chance, own: contents.DealShares) -> Content:
    return replace(own, batch=IDENTITY + own.batch[POINT_BYTES:])


def share_beside(chance: Chance, own: contents.DealShares) -> Content:
    first = add(Point.from_bytes(own.batch[:POINT_BYTES]), GENERATOR)
    return replace(own, batch=first.to_bytes() + own.batch[POINT_BYTES:])


def sorted_under_all_keys(chance: Chance, own: contents.Action) -> Content | None:
    """The own cards remasked for the table's keys: nobody could ever open them alone."""
    if own.text != "sort":
        return None
    deck = chance.deck
    keys = list(deck.keys)
    keys[CHEAT] = table_keys(deck.keys)
    return remixed(chance, own, deck._replace(keys=tuple(keys)), mine(chance))


def mine(chance: Chance) -> tuple[Slot, ...]:
    hands: tuple[tuple[Slot, ...], ...] = chance.machine.state.hands
    return hands[CHEAT]


def sorted_with_a_card_twice(chance: Chance, own: contents.Action) -> Content | None:
    if own.text != "sort":
        return None
    first, second, *_ = mine(chance)
    slots = dict(chance.deck.slots)
    slots[second] = slots[first]
    return remixed(chance, own, chance.deck._replace(slots=slots), mine(chance))


def remixed(
    chance: Chance, own: contents.Action, deck: Deck, slots: tuple[Slot, ...]
) -> contents.Action:
    context = chance.context("Action").part(0)
    step = remix_hand(deck, Seat(CHEAT), slots, context=context, entropy=chance.entropy)
    return replace(own, remixes=(step.to_bytes(),))


def handed(chance: Chance, own: contents.HandOverShares, change: str) -> Content | None:
    """A hand-over proved well, of another card or to another reader."""
    deck = chance.machine.duty_round.start
    duty = next(
        each for each in chance.machine.duty_round.duties
        if isinstance(each, HandedOver) and each.owner == CHEAT
    )  # fmt: skip
    slot, reader = duty.slot, duty.reader
    if change == "card":
        others = [each for each in mine(chance) if each != slot]
        if not others:
            return None
        slot = others[0]
    else:
        reader = next(Seat(seat) for seat in range(3) if seat not in (CHEAT, reader))
    message = prove_handover(
        deck.slots[slot].card,
        chance.secret(),
        deck.keys[reader],
        context=chance.context("HandOverShares").part(0),
        entropy=chance.entropy,
    )
    return replace(own, handovers=(message.to_bytes(), *own.handovers[1:]))


def handed_beside(chance: Chance, own: contents.HandOverShares) -> Content:
    first = own.handovers[0]
    share = add(Point.from_bytes(first[POINT_BYTES : 2 * POINT_BYTES]), GENERATOR)
    other = first[:POINT_BYTES] + share.to_bytes() + first[2 * POINT_BYTES :]
    return replace(own, handovers=(other, *own.handovers[1:]))


def handed_under_nothing(chance: Chance, own: contents.HandOverShares) -> Content:
    """Without a cover the share would be readable by everybody."""
    first = own.handovers[0]
    return replace(own, handovers=(IDENTITY + first[POINT_BYTES:], *own.handovers[1:]))


CHEATS: dict[str, tuple[type[Any], Cheat, str]] = {
    "a rogue key": (contents.HandKeys, rogue, "key.proof"),
    "keys that cancel all others": (contents.HandKeys, opposite, "key.proof"),
    "another seat's keys with their proof": (contents.HandKeys, copied, "key.proof"),
    "the generator as a key": (contents.HandKeys, public_key, "key.generator"),
    "one key for both halves": (contents.HandKeys, one_key, "key.halves"),
    "no key at all": (contents.HandKeys, no_key, "point.prefix"),
    "a shuffle of an older deck": (contents.ShuffleStep, older_deck, "shuffle.equation"),
    "a shuffle of a deck with a card twice": (
        contents.ShuffleStep, card_doubled, "shuffle.equation"),
    "a masked card plus a point": (contents.ShuffleStep, card_exchanged, "shuffle.equation"),
    "suits moved from card to card": (contents.ShuffleStep, halves_exchanged, "shuffle.equation"),
    "a card without its mask": (contents.ShuffleStep, mask_taken_off, "point.prefix"),
    "shares of other cards": (contents.DealShares, share_of_another_card, "shares.proof"),
    "shares under another key": (contents.DealShares, share_under_another_key, "shares.proof"),
    "a share that is the identity": (contents.DealShares, share_of_nothing, "point.prefix"),
    "a share plus a point": (contents.DealShares, share_beside, "shares.proof"),
    "a hand sorted under all keys": (contents.Action, sorted_under_all_keys, "shuffle.equation"),
    "a sorted hand with a card twice": (
        contents.Action, sorted_with_a_card_twice, "shuffle.equation"),
    "the hand-over of another card": (
        contents.HandOverShares, lambda chance, own: handed(chance, own, "card"),
        "hand-over.proof"),
    "a hand-over to another reader": (
        contents.HandOverShares, lambda chance, own: handed(chance, own, "reader"),
        "hand-over.proof"),
    "a hand-over plus a point": (contents.HandOverShares, handed_beside, "hand-over.proof"),
    "a hand-over without a cover": (
        contents.HandOverShares, handed_under_nothing, "point.prefix"),
}  # fmt: skip


SEED = 1
"""Of a table at which the cheat hands two of its cards over in the first hand."""


class CoveringTable(CheatTable):
    """Players who lay a card face down wherever they may."""

    def choose(self, seat: int) -> bool:
        actions = self.sessions[seat].legal_actions()
        down = [each for each in actions if isinstance(each, Play) and each.card is None]
        if down and seat not in self.silent:
            self.act(seat, down[0])
            return True
        return super().choose(seat)


def caught(kind: type[Any], cheat: Cheat) -> str:
    """The check that catches the cheat; the bus carries its message to one honest seat alone."""

    def alter(content: Content, message: Message) -> Content | None:
        return cheat(Chance(table, message), content) if isinstance(content, kind) else None

    table = CoveringTable(TinyGame(3, target=100), SEED, alter, cheat=CHEAT, told_to=2).begun()
    table.run(table.stopped, steps=2_000)
    return examined(table, CHEAT, table.place)


@pytest.mark.parametrize("name", CHEATS)
def test_the_best_proof_of_a_cheat_is_none(name: str) -> None:
    kind, cheat, expected = CHEATS[name]
    assert caught(kind, cheat) == expected


def test_one_cover_for_two_hand_overs_is_refused_at_the_second() -> None:
    covers: dict[LedgerName, bytes] = {}

    def again(chance: Chance, own: contents.HandOverShares) -> Content | None:
        first = covers.setdefault(chance.place.ledger, own.handovers[0][:POINT_BYTES])
        if own.handovers[0].startswith(first):
            return None
        return replace(own, handovers=(first + own.handovers[0][POINT_BYTES:], *own.handovers[1:]))

    assert caught(contents.HandOverShares, again) == "hand-over.reused"
