"""A frame's size follows from what everybody knows: never from the cards that an action hides."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby, islice
from typing import Any, assert_never

import pytest

from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.players import RandomPlayer
from p2p304.cards import Card, Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.game import AnyGame
from p2p304.games import GAMES, PROFILES, agreed_game, full_agreement
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import AllOfSuit, AnyOf, NoneOfSuit, NotCard, PointsBelow, SuitsDiffer
from protocol.cards.commitments import Commitments
from protocol.cards.deck import ProvenShuffle
from protocol.cards.statements import Claim, Openings, ScoreProof, ScoreTable, claims_of
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.proofs.batch_dleq import equality_bytes
from protocol.proofs.context import MessageContext
from protocol.proofs.inequality import distinction_bytes
from protocol.table.events import SeatBlamed, Send
from protocol.wire.contents import Action
from protocol.wire.envelope import OVERHEAD_BYTES, Purpose
from protocol.wire.fields import HASH_BYTES
from protocol.wire.identity import FRAME_OVERHEAD, FRAME_SIZES, Seal
from protocol.wire.messages import Message, open_ledger_message, room_of
from tests.table.bus import seeded
from tests.table.cheating import resigned
from tests.table.test_agreed_ends import begun, hand_of
from tests.table.walks import WalkingTable, walked

AGREEMENTS = (
    *(("304", profile) for profile in PROFILES),
    ("304", "pagat; +redeal_private"),
    *((name, "") for name in GAMES if name != "304"),
)
NOWHERE = MessageContext(bytes(32), Place(LedgerName(Lane.HAND, 0), 0, Seat(0)), Digest(bytes(32)))


class MeasuredHand:
    """A hand with open cards whose actions are as large as they were with masked ones.

    Rounds are counted as the ledger's are: a round of shares where somebody owes some.
    """

    def __init__(self, game: AnyGame, chance: random.Random) -> None:
        self.game = game
        deck = list(game.pack)
        chance.shuffle(deck)
        dealer = Seat(chance.randrange(game.seats))
        self.table = OpenTable(game, deck, chance, dealer=dealer)
        self.commitments = Commitments()
        leading = game.start(dealer, game.new_match(bytes(32)).scores)
        self.round = _duties(leading.disclosures)

    def act(self, said: Mapping[Seat, Any]) -> None:
        """Close a round of these actions."""
        before, due = self.commitments, list[Disclosure]()
        for seat, action in said.items():
            shown = self._effects(seat, action)
            opening = [(each.slot, each.card) for each in shown if isinstance(each, Opened)]
            self.commitments = self.commitments.without_salts(seat, before.due_salts(seat, opening))
            context = MessageContext(b"", NOWHERE.place._replace(seat=seat), NOWHERE.previous)
            for each in shown:
                match each:
                    case LaidDown(layer, slot) if layer == seat:
                        self.commitments = self.commitments.with_commitment(context, slot, b"")
                    case Opened(slot, card):
                        self.commitments = self.commitments.with_salt_owed(slot, card)
                    case Remixed(mixer, slots, _) if mixer == seat:
                        self.commitments = self.commitments.without_slots(slots)
                    case _:
                        pass
            due += (e for e in shown if not (isinstance(e, Remixed) and e.seat == seat))
            self.table.act(seat, action)
        self.round += 1 + _duties(due)

    def _effects(self, seat: Seat, action: Any) -> tuple[Disclosure, ...]:
        return tuple(self.game.apply(self.table.state, seat, action).disclosures)

    def size(self, seat: Seat, action: Any) -> int:
        """The bytes of the envelope that says and proves an action."""
        step = self.game.apply(self.table.state, seat, action)
        laid, opening, remixes = 0, list[tuple[Slot, Card]](), list[bytes]()
        for each in step.disclosures:
            match each:
                case LaidDown(layer, _) if layer == seat:
                    laid += 1
                case Opened(slot, card):
                    opening.append((slot, card))
                case Remixed(mixer, before, _) if mixer == seat:
                    remixes.append(bytes(ProvenShuffle.size(len(before))))
                case _:
                    pass
        proofs = (bytes(self._proof(each)) for each in claims_of(step.statements))
        content = Action(
            self.game.format_action(action),
            tuple(proofs),
            (bytes(HASH_BYTES),) * laid,
            tuple(remixes),
            (bytes(HASH_BYTES),) * len(self.commitments.due_salts(seat, opening)),
        )
        place = NOWHERE.place._replace(round=self.round, seat=seat)
        message = Message(bytes(8), place, NOWHERE.previous, content)
        return OVERHEAD_BYTES + len(message.to_bytes())

    def _proof(self, claim: Claim) -> int:
        match claim:
            case Openings() | AllOfSuit():
                return equality_bytes(1)
            case NotCard(slots) | NoneOfSuit(slots) | SuitsDiffer(slots):
                return distinction_bytes((len(slots),))
            case AnyOf(alternatives):
                return distinction_bytes([len(each.slots) for each in alternatives])
            case PointsBelow(slots, limit):
                points = {card: self.game.points_of(card) for card in self.game.pack}
                table = ScoreTable.of(self.game.pack, points)
                return ScoreProof.size(table, cards=len(slots), limit=limit)
            case _:
                assert_never(claim)


def _duties(disclosures: Iterable[Disclosure]) -> int:
    """How many rounds of shares follow."""
    kinds = [type(each) for each in disclosures if isinstance(each, Dealt | HandedOver | Remixed)]
    return sum(1 for _ in groupby(kinds))


def played(game: AnyGame, seed: int, *, hands: int) -> Iterator[tuple[MeasuredHand, Seat, Any]]:
    """Each action that a seat might have chosen in random hands, at its moment."""
    chance = random.Random(seed)
    for _ in range(hands):
        hand = MeasuredHand(game, chance)
        player = RandomPlayer304 if game.name == "304" else lambda seed: RandomPlayer(game, seed)
        players = [player(chance.randrange(1 << 32)) for _ in range(game.seats)]
        while awaited := game.contributors(hand.table.state):
            views = {seat: hand.table.view(seat) for seat in awaited}
            for seat, view in views.items():
                yield from ((hand, seat, action) for action in game.legal_actions(view))
            hand.act({seat: players[seat].choose(view) for seat, view in views.items()})


@pytest.mark.parametrize(("name", "agreement"), AGREEMENTS, ids=lambda each: each or "plain")
def test_no_legal_action_is_larger_than_the_frame_that_the_game_states(
    name: str, agreement: str
) -> None:
    game = agreed_game(name, full_agreement(name, agreement))
    compared = small = 0
    for hand, seat, action in islice(played(game, 304, hands=50), 2_000):
        needed, frame = hand.size(seat, action) + FRAME_OVERHEAD, game.action_frame(hand.round)
        assert frame in FRAME_SIZES
        assert needed <= frame, (game.format_action(action), needed, frame)
        small += needed <= FRAME_SIZES[0]
        compared += 1
    assert compared > 500
    assert 0 < small < compared, "some action would have told by its size"


@cache
def closed() -> WalkingTable:
    return walked("pagat", 42, "closed")


@pytest.mark.xdist_group("pagat 42 closed")
def test_every_legal_action_of_a_place_makes_a_frame_of_one_size() -> None:
    """With its real statements and proofs, face up and down, following suit and not."""
    table = closed()
    seal = Seal(b"k" * 32, table.charter.table)
    seen, alone = set(), set()
    for moment in table.moments:
        if moment.state.phase not in (Phase.TRICK, Phase.INSPECT):
            continue
        sizes = set()
        for text in moment.legal:
            raw = moment.signed(moment.said(text))
            room = room_of(raw, table.game)
            frame = seal.seal(raw, seat=0, entropy=seeded("frame"), room=room)
            assert len(raw) <= room
            assert seal.open(frame).payload == raw
            sizes.add(len(frame))
            alone.add(len(raw) + FRAME_OVERHEAD <= FRAME_SIZES[0])
            seen.add((text.split(" ")[0], len(moment.hand)))
        assert sizes == {2_048}
    assert {cards for verb, cards in seen if verb == "play"} >= set(range(1, 9))
    assert {verb for verb, _ in seen} >= {"play", "down", "none"}
    assert alone == {False, True}, "no size would have told anything"


@pytest.mark.xdist_group("pagat 42 closed")
def test_every_action_has_room_for_any_and_nothing_else_needs_it() -> None:
    table = closed()
    actions = 0
    for _, raw in table.sent:
        said = raw[1] == Purpose.LEDGER and open_ledger_message(raw, table.charter).message
        is_action = isinstance(said, Message) and isinstance(said.content, Action)
        assert room_of(raw, table.game) == (2_048 - FRAME_OVERHEAD if is_action else 0)
        actions += is_action
    assert actions > 60


def test_the_first_call_alone_is_larger_where_a_redeal_is_proved_without_showing_cards() -> None:
    game = agreed_game("304", full_agreement("304", "pagat; +redeal_private"))
    calls = {
        hand.round: game.action_frame(hand.round)
        for hand, _, _ in played(game, 7, hands=2)
        if hand.table.state.phase is Phase.AUCTION4
    }
    first = min(calls)
    assert {number for number, frame in calls.items() if frame == 16_384} == {first}
    assert len(calls) > 1


def test_what_convicts_travels_in_the_frame_of_any_action() -> None:
    table = begun()
    (earlier, *_) = hand_of(table).ledger.rounds[-1].messages
    other = resigned(table.charter, earlier.message, Action("nonsense"))
    told = table.sessions[earlier.place.seat - 1].receive(other, now=table.now)
    assert any(isinstance(each, SeatBlamed) for each in told)
    sent = [each.envelope for each in told if isinstance(each, Send)]
    assert sent == [earlier.raw, other]
    room = table.game.action_frame(0) - FRAME_OVERHEAD
    assert room_of(other, table.game) == room
    assert room_of(other[:-1], table.game) == 0  # what cannot be read tells nothing by its size
