"""Cheating seats: every honest seat stops at the cheat, names it alike, and a stranger agrees.

A cheat here is a real session whose messages are altered and signed again on their way out. After
each one: all honest seats blame the cheat by the same check, the evidence convicts the same seat of
the same check before a checker who has nothing but the evidence and the game, and no honest seat is
ever blamed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.cards.keys import prove_keys
from protocol.cards.secrets import Secrets
from protocol.errors import MalformedMessage, ProofError
from protocol.places import Lane
from protocol.proofs.context import MessageContext
from protocol.table.events import SeatBlamed
from protocol.table.evidence import Conflict, Fault, evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.wire import contents
from protocol.wire.contents import Action, Content
from protocol.wire.messages import Message, Notice, open_message
from tests.table.bus import Table
from tests.table.cheating import Alter, examined, resigned
from tests.table.cheating import CheatTable as CheatingTable
from tests.table.seating import flipped, seeded
from tests.table.tiny_game import TinyGame

CHEAT = 1


class CheatTable(CheatingTable):
    """Three seats of the small game, the second of which cheats."""

    def __init__(self, seed: int, alter: Alter, *, told_to: int | None = None) -> None:
        super().__init__(TinyGame(3, target=100), seed, alter, cheat=CHEAT, told_to=told_to)


def convicted(table: CheatTable) -> str:
    """The check by which everybody, a stranger included, convicts the cheat and nobody else."""
    return examined(table, CHEAT, table.place)


def caught(alter: Alter, *, seeds: range = range(12)) -> str:
    """The check that catches the alteration in the first seed in which there is one to make.

    In every other seed the bus carries it to one honest seat alone.
    """
    for seed in seeds:
        table = CheatTable(seed, alter, told_to=(0, None, 2, None)[seed % 4]).begun()
        table.run(lambda table=table: table.stopped() or table.all_played(2)())  # type: ignore[misc]
        if table.alter is None:
            assert table.stopped()
            return convicted(table)
    raise AssertionError("the cheat never had an occasion")


Change = Callable[[Any], Any]
"""What becomes of a field; nothing where it offers no occasion."""


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

    table = CheatTable(2, again)
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


class Forking(CheatTable):
    """The bus shows what was said and what was altered, each to whom it likes."""

    def __init__(self, seed: int, alter: Alter, shown: Callable[..., Any]) -> None:
        self.shown = shown
        super().__init__(seed, lambda content, message: None)
        self.other: Alter | None = alter

    def publish(self, seat: int, envelope: bytes) -> None:
        message = open_message(envelope, self.charter)
        if seat == CHEAT and self.other is not None and not isinstance(message, Notice):
            lie = self.other(message.message.content, message.message)
            if lie is not None:
                self.other = None
                self.flying += self.shown(envelope, resigned(self.charter, message.message, lie))
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
    table = CheatTable(0, CHEATS[name][0]).begun()
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
            evidence,
            prefix=(*evidence.prefix[:-1], replace(hand, messages=hand.messages[:-1])),
        ),
        replace(evidence, prefix=(*evidence.prefix[:-1], replace(hand, origin=wrong_dealer))),
        replace(
            evidence,
            prefix=(*evidence.prefix[:-1], replace(hand, messages=hand.messages[::-1])),
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
