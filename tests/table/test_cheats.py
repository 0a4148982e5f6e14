"""Cheats with keys, shuffles, shares and cards: all stop, name the cheat, and a stranger agrees."""

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
from protocol.cards.secrets import Secrets
from protocol.cards.shares import prove_shares
from protocol.errors import MalformedMessage, ProofError
from protocol.group.layout import join
from protocol.group.point import GENERATOR, POINT_BYTES, Point, add, multiply, subtract, sum_points
from protocol.group.scalar import ORDER, Scalar
from protocol.places import Lane, LedgerName
from protocol.proofs.context import MessageContext
from protocol.table.events import SeatBlamed
from protocol.table.evidence import Conflict, Fault, Prefix, evidence_from_bytes
from protocol.table.judge_again import check_evidence, replay
from protocol.wire import contents
from protocol.wire.contents import Action, Content
from protocol.wire.messages import Message, Notice, open_message
from tests.table.bus import Table, flipped, seeded
from tests.table.cheating import Alter, CheatTable, examined, resigned
from tests.table.tiny_game import Play, TinyGame

# --- cheats ---------------------------------------------------------------------------------------

# Cheating seats: every honest seat stops at the cheat, names it alike, and a stranger agrees.
#
# A cheat here is a real session whose messages are altered and signed again on their way out. After
# each one: all honest seats blame the cheat by the same check, the evidence convicts the same seat
# of the same check before a checker who has nothing but the evidence and the game, and no honest
# seat is ever blamed.

CHEAT = 1


class SmallTable(CheatTable):
    """Three seats of the small game, the second of which cheats."""

    def __init__(self, seed: int, alter: Alter, *, told_to: int | None = None) -> None:
        super().__init__(TinyGame(3, target=100), seed, alter, cheat=CHEAT, told_to=told_to)


def convicted(table: SmallTable) -> str:
    """The check by which everybody, a stranger included, convicts the cheat and nobody else."""
    return examined(table, CHEAT, table.place)


def caught(alter: Alter, *, seeds: range = range(12)) -> str:
    """The check that catches the alteration in the first seed in which there is one to make.

    In every other seed the bus carries it to one honest seat alone.
    """
    for seed in seeds:
        table = SmallTable(seed, alter, told_to=(0, None, 2, None)[seed % 4]).begun()
        table.run(lambda table=table: table.stopped() or table.all_played(2)())  # type: ignore[misc]
        if table.alter is None:
            assert table.stopped()
            return convicted(table)
    raise AssertionError("the cheat never had an occasion")


Change = Callable[[Any], Any]  #: What becomes of a field; nothing where it offers no occasion.


def altered(kind: type[Any], word: str = "", **fields: Change) -> Alter:
    """The same content with other fields, and of actions one that begins with a word."""

    def alter(content: Any, _: Message) -> Content | None:
        if not isinstance(content, kind) or not getattr(content, "text", "").startswith(word):
            return None
        found = {name: change(getattr(content, name)) for name, change in fields.items()}
        return None if None in found.values() else replace(content, **found)

    return alter


def without(_: Any) -> tuple[()]:
    return ()


def exchanged(size: int) -> Change:
    """The first two parts of this size in each other's place."""
    return lambda data: data[size : 2 * size] + data[:size] + data[2 * size :]


def first(change: Change) -> Change:
    """The first of several changed, if there are some."""
    return lambda many: (change(many[0]), *many[1:]) if many else None


def another_card(text: str) -> str | None:
    """The play of another card than the one that lies there, unless it lies face down."""
    return None if "down" in text else text[:-2] + ("7H" if text[-2:] != "7H" else "8H")


CHEATS: dict[str, tuple[Alter, str]] = {
    "luck that is not what was committed to": (
        altered(contents.LuckOpening, luck=lambda _: bytes(32)), "luck.opening"),
    "keys without proof": (altered(contents.HandKeys, proof=lambda _: bytes(96)), "key.proof"),
    "keys with a bad prefix": (
        altered(contents.HandKeys, keys=lambda keys: b"\x05" + keys[1:]), "point.prefix"),
    "keys swapped": (altered(contents.HandKeys, keys=exchanged(33)), "key.proof"),
    "a shuffle with two cards exchanged after its argument": (
        altered(contents.ShuffleStep, step=exchanged(99)), "shuffle."),
    "a shuffle with a card twice": (
        altered(contents.ShuffleStep, step=lambda step: step[:99] + step[:99] + step[198:]),
        "shuffle."),
    "a shuffle that is too short": (
        altered(contents.ShuffleStep, step=lambda step: step[:-1]), "shuffle-proof.length"),
    "shares of two cards exchanged": (
        altered(contents.DealShares, batch=exchanged(66)), "shares.proof"),
    "a share too many": (
        altered(contents.DealShares, batch=lambda batch: batch[:66] + batch), "shares.length"),
    "a salt that nobody asked for": (
        altered(contents.DealShares, salts=lambda _: (bytes(32),)), "commitment.count"),
    "a sorted hand that is not the hand": (
        altered(Action, "sort", remixes=first(exchanged(99))), "shuffle."),
    "a hand that is not sorted": (altered(Action, "sort", remixes=without), "remix.count"),
    "another action than the rules allow": (
        altered(Action, "sort", text=lambda _: "pass"), "action.rule"),
    "no action at all": (altered(Action, "sort", text=lambda _: "dance"), "action.notation"),
    "an action that is not in canonical form": (
        altered(Action, "play", text=lambda text: text.replace("play ", "play 0")),
        "action.notation"),
    "a card that is not in the slot": (altered(Action, "play", text=another_card), ""),
    "a play without its proof": (
        altered(Action, "play", proofs=lambda proofs: proofs[:-1]), "statement.count"),
    "a play with a proof too many": (
        altered(Action, "play", proofs=lambda proofs: (*proofs, b"more")), "statement.count"),
    "not following suit, with the proof broken": (
        altered(Action, "play", proofs=lambda proofs: (
            (proofs[0], flipped(proofs[1])) if len(proofs) == 2 else None)),
        "distinction.proof"),
    "a card laid down without a commitment": (
        altered(Action, "play", commitments=lambda made: () if made else None),
        "action.commitments"),
    "a salt that opens another commitment than the one that was made": (
        altered(Action, "open", salts=first(lambda _: bytes(32))), "commitment.opening"),
    "a hand-over for somebody else's eyes": (
        altered(contents.HandOverShares, handovers=first(flipped)), "hand-over.proof"),
    "a hand-over too few": (
        altered(contents.HandOverShares, handovers=without), "hand-over.count"),
    "a better result": (
        altered(contents.ResultSignature, scores=lambda scores: (*scores[:-1], scores[-1] + 1)),
        "result.scores"),
    "a message of another kind": (
        lambda said, _: Action("pass") if isinstance(said, contents.ResultSignature) else None,
        "turn.kind"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_caught_by_all_and_by_a_stranger(name: str) -> None:
    alter, expected = CHEATS[name]
    check = caught(alter)
    assert check.startswith(expected), check


def test_a_key_used_in_two_decks_convicts_by_the_two_messages_alone() -> None:
    """The keys of the first deck again in the second, with a good proof made for the second."""
    secrets: list[Secrets] = []

    def again(content: Content, message: Message) -> Content | None:
        if not isinstance(content, contents.HandKeys) or message.place.ledger.number == 0:
            return None
        occasion = MessageContext(table.charter.digest, message.place, message.previous)
        step = prove_keys(
            secrets[0].hand_secret(0),
            context=occasion.proof_context("HandKeys"),
            entropy=seeded("again"),
        )
        return contents.HandKeys(step.to_bytes()[:66], step.proof)

    table = SmallTable(2, again)
    secrets.append(table.arguments(CHEAT)["secrets"])
    table.confirm()
    table.run(table.stopped)
    assert convicted(table) == "keys.reused"
    blame = next(each for each in table.chairs[0].events if isinstance(each, SeatBlamed))
    assert isinstance(evidence_from_bytes(blame.evidence), Conflict)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [contents.HandKeys, contents.DealShares, Action])
def test_two_versions_for_two_peers_convict_whoever_told_them(
    seed: int, kind: type[Content]
) -> None:
    """The bus helps: one peer sees one version, the other another. Neither blames its peer."""

    keys = kind is contents.HandKeys
    changed = {"proof": lambda _: bytes(96)} if keys else {"salts": lambda _: (bytes(32),)}

    def both(envelope: bytes, lie: bytes) -> list[tuple[int, int, bytes]]:
        # Both are shown to both in the end, the lie last: only a pair convicts then.
        return [(CHEAT, reader, raw) for reader in (0, 2) for raw in (envelope, lie)]

    table = Forking(seed, altered(kind, **changed), both).begun()
    table.run(table.stopped)
    assert convicted(table) == "ledger.equivocation"


class Forking(SmallTable):
    """The bus shows what was said and what was altered, each to whom it likes."""

    def __init__(self, seed: int, alter: Alter, shown: Callable[..., Any]) -> None:
        self.shown = shown
        super().__init__(seed, lambda content, message: None)
        self.other: Alter | None = alter

    def publish(self, seat: int, envelope: bytes) -> None:
        message = open_message(envelope, self.charter)
        if seat == CHEAT and self.other is not None and not isinstance(message, Notice):
            lie = self.other(message.content, message)
            if lie is not None:
                self.other = None
                self.flying += self.shown(envelope, resigned(self.charter, message, lie))
                return
        super().publish(seat, envelope)


def test_a_fork_that_the_broker_upholds_convicts_the_forker_when_peers_meet() -> None:
    """Each peer gets a valid version of its own; the difference shows in the next digests."""

    other = altered(contents.Confirmation, luck_commitment=lambda _: b"other" + bytes(27))
    table = Forking(1, other, lambda one, lie: [(CHEAT, 0, one), (CHEAT, 2, lie)]).begun()
    table.run(table.stopped)
    assert convicted(table) == "ledger.equivocation"


# --- evidence that does not hold -----------------------------------------------------------------


def fault_of(name: str) -> tuple[Fault, Any]:
    table = SmallTable(0, CHEATS[name][0]).begun()
    table.run(table.stopped)
    blame = next(each for each in table.chairs[0].events if isinstance(each, SeatBlamed))
    evidence = evidence_from_bytes(blame.evidence)
    assert isinstance(evidence, Fault)
    return evidence, table.game


def test_an_accuser_cannot_make_evidence_up() -> None:
    evidence, game = fault_of("a better result")
    hand = evidence.prefix[-1]
    honest = hand.messages[-1]
    wrong_dealer = replace(hand.origin, leading=Seat((hand.origin.leading + 1) % 3))
    forgeries = [
        replace(evidence, check="shuffle.equation"),
        replace(evidence, message=honest),
        replace(evidence, message=flipped(evidence.message)),
        replace(evidence, prefix=()),
        replace(evidence, prefix=evidence.prefix[:1]),
        replace(evidence, prefix=evidence.prefix[1:]),
        replace(evidence, prefix=evidence.prefix[::-1]),
        replace(
            evidence, prefix=(*evidence.prefix[:-1], replace(hand, messages=hand.messages[:-1]))
        ),
        replace(evidence, prefix=(*evidence.prefix[:-1], replace(hand, origin=wrong_dealer))),
        replace(
            evidence, prefix=(*evidence.prefix[:-1], replace(hand, messages=hand.messages[::-1]))
        ),
    ]
    assert check_evidence(evidence, game) == (CHEAT, "result.scores")
    for forged in forgeries:
        with pytest.raises((ProofError, MalformedMessage)):
            check_evidence(forged, game)


def test_an_honest_message_is_not_judged_by_another_deck() -> None:
    """Even if all seats had signed another deck of the same number: the hand names its own."""
    table, other = (Table(TinyGame(3, target=100), seed) for seed in (1, 2))
    for each in (table, other):
        each.played()
    hand = table.replica(Lane.HAND).prefix()
    deck = other.replica(Lane.DECK).prefix()
    start = replace(hand, messages=())
    evidence = Fault(table.charter, "shares.proof", (deck, start), hand.messages[0])
    with pytest.raises(ProofError, match="another deck"):
        check_evidence(evidence, table.game)


# --- deck cheats ----------------------------------------------------------------------------------

# Cheats with keys, shuffles, shares and hand-overs, made as well as their maker can make them.
#
# Unlike the altered bytes above, each message here is a whole one, with the best
# proof that is to be had for it: for other keys, another deck, another card, another reader.

IDENTITY = bytes(POINT_BYTES)  #: What no encoding of a point is; the identity has none.


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
        raws = tuple(each.raw for closed in before for each in closed)
        deck = [] if replica.deck is None else [replica.deck.prefix()]
        prefix = (*deck, Prefix(replica.origin, raws))
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
        slots={slot: hidden._replace(card=before[slot]) for slot, hidden in deck.slots.items()}
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
    deck = chance.machine.deck
    slots = deck.owed_shares(Seat(CHEAT))
    others = [slot for slot in deck.slots if slot not in slots][: len(slots)]
    cards = [deck.slots[slot].card for slot in (*others, *slots)][: len(slots)]
    batch = prove_shares(
        cards, chance.secret(), context=chance.context("DealShares"), entropy=chance.entropy
    )
    return replace(own, batch=batch.to_bytes())


def share_under_another_key(chance: Chance, own: contents.DealShares) -> Content:
    """Right cards, and a secret that is not that of the seat's keys."""
    deck = chance.machine.deck
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
    deck = chance.machine.deck
    duty = next(
        each for each in chance.machine.open_duties
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


DECK_CHEATS: dict[str, tuple[type[Any], Cheat, str]] = {
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


SEED = 1  #: Of a table at which the cheat hands two of its cards over in the first hand.


class CoveringTable(CheatTable):
    """Players who lay a card face down wherever they may."""

    def choose(self, seat: int) -> bool:
        actions = self.sessions[seat].legal_actions()
        down = [each for each in actions if isinstance(each, Play) and each.card is None]
        if down and seat not in self.silent:
            self.act(seat, down[0])
            return True
        return super().choose(seat)


def caught_at_deck(kind: type[Any], cheat: Cheat) -> str:
    """The check that catches the cheat; the bus carries its message to one honest seat alone."""

    def alter(content: Content, message: Message) -> Content | None:
        return cheat(Chance(table, message), content) if isinstance(content, kind) else None

    table = CoveringTable(TinyGame(3, target=100), SEED, alter, cheat=CHEAT, told_to=2).begun()
    table.run(table.stopped, steps=2_000)
    return examined(table, CHEAT, table.place)


@pytest.mark.parametrize("name", DECK_CHEATS)
def test_the_best_proof_of_a_cheat_is_none(name: str) -> None:
    kind, cheat, expected = DECK_CHEATS[name]
    assert caught_at_deck(kind, cheat) == expected


def test_one_cover_for_two_hand_overs_is_refused_at_the_second() -> None:
    covers: dict[LedgerName, bytes] = {}

    def again(chance: Chance, own: contents.HandOverShares) -> Content | None:
        first = covers.setdefault(chance.place.ledger, own.handovers[0][:POINT_BYTES])
        if own.handovers[0].startswith(first):
            return None
        return replace(own, handovers=(first + own.handovers[0][POINT_BYTES:], *own.handovers[1:]))

    assert caught_at_deck(contents.HandOverShares, again) == "hand-over.reused"
