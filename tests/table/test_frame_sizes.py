"""A frame's size follows from what everybody knows: never from the cards that an action hides."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.random_player import RandomPlayer
from p2p304.game import AnyGame
from p2p304.games import agreed_game, full_agreement
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.proofs.context import MessageContext
from protocol.table.events import SeatBlamed, Send
from protocol.table.frame_bound import PublicHand, as_large, room_of
from protocol.table.sync import lacked_by, sent_again
from protocol.table.table import TableState
from protocol.transcript.file import hand_transcript, lacked_in
from protocol.wire.authenticate import open_ledger_message
from protocol.wire.contents import Action, Head, Heads
from protocol.wire.envelope import OVERHEAD_BYTES, Purpose
from protocol.wire.identity import FRAME_SIZES, MAX_PAYLOAD_BYTES, Seal
from protocol.wire.messages import Message, SignedMessage, table_tag
from tests.table.bus import Table
from tests.table.cheating import resigned
from tests.table.seating import notice, notice_of, seeded
from tests.table.test_agreed_ends import begun, hand_of
from tests.table.tiny_game import TinyGame
from tests.table.walks import WalkingTable, walked

AGREEMENTS = (
    ("304", "pagat"),
    ("304", "pagat; +redeal_private"),
    ("304", "wikipedia"),
    ("304", "card304"),
    ("304", "card304-alpha"),
    ("304", "championship"),
    ("41", ""),
    ("400", ""),
)
NOWHERE = MessageContext(bytes(32), Place(LedgerName(Lane.HAND, 0), 0, Seat(0)), Digest(bytes(32)))


def size_of(payload_bytes: int) -> int:
    return next(size for size in FRAME_SIZES if payload_bytes + 52 <= size)


def envelope_bytes(occasion: MessageContext, content: Action) -> int:
    message = Message(table_tag(occasion.charter), occasion.place, occasion.previous, content)
    return OVERHEAD_BYTES + len(message.to_bytes())


class Hands:
    """Hands with open cards, and beside each the same hand as the public has it."""

    def __init__(self, game: AnyGame, seed: int) -> None:
        self.game = game
        self.chance = random.Random(seed)

    def moments(self, hands: int) -> Iterator[tuple[PublicHand, Seat, tuple[Any, ...]]]:
        """Each place where a seat was to act, and all that it may do there."""
        for _ in range(hands):
            deck = list(self.game.pack)
            self.chance.shuffle(deck)
            dealer = Seat(self.chance.randrange(4))
            table = OpenTable(self.game, deck, self.chance, dealer=dealer)
            yield from self._played(table, PublicHand(self.game, table.state))

    def _player(self) -> Any:
        seed = self.chance.randrange(1 << 32)
        is_304 = self.game.name == "304"
        return RandomPlayer304(seed) if is_304 else RandomPlayer(self.game, seed)

    def _played(
        self, table: OpenTable, public: PublicHand
    ) -> Iterator[tuple[PublicHand, Seat, tuple[Any, ...]]]:
        players = [self._player() for _ in range(self.game.seats)]
        while awaited := self.game.contributors(table.state):
            said = []
            for seat in awaited:  # each by the state at the start of the round
                view = table.view(seat)
                yield public, seat, tuple(self.game.legal_actions(view))
                said.append((seat, players[seat].choose(view)))
            for seat, action in said:
                table.act(seat, action)
            contents = [(seat, Action(self.game.format_action(each))) for seat, each in said]
            public = public.after(
                Message(b"", replace_seat(seat), NOWHERE.previous, each) for seat, each in contents
            )
            assert public.state == table.state


def replace_seat(seat: Seat) -> Place:
    return NOWHERE.place._replace(seat=seat)


@pytest.mark.parametrize(("name", "agreement"), AGREEMENTS, ids=lambda each: each or "plain")
def test_no_legal_action_is_larger_than_the_largest_that_is_public(
    name: str, agreement: str
) -> None:
    game = agreed_game(name, full_agreement(name, agreement))
    sizes: set[tuple[int, int]] = set()
    compared = 0
    for public, seat, legal in Hands(game, 304).moments(5):
        occasion = replace(NOWHERE, place=replace_seat(seat))
        room = public.room(occasion)
        assert legal
        for action in legal:
            said = as_large(game, public.state, seat, public.commitments, action)
            needed = envelope_bytes(occasion, said)
            assert needed <= room, (game.format_action(action), needed, room)
            sizes.add((size_of(needed), size_of(room)))
            compared += 1
    assert compared > 1_000
    assert any(needed < frame for needed, frame in sizes), "some action would have told by its size"


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
        room = moment.machine.room(moment.occasion)
        if moment.state.phase not in (Phase.TRICK, Phase.INSPECT):
            continue
        sizes = set()
        for text in moment.legal:
            raw = moment.signed(moment.said(text))
            frame = seal.seal(raw, seat=0, entropy=seeded("frame"), room=room)
            assert len(raw) <= room
            assert seal.open(frame).payload == raw
            sizes.add(len(frame))
            alone.add((moment.state.phase, len(moment.hand), size_of(len(raw)), len(frame)))
            seen.add((text.split(" ")[0], len(moment.hand)))
        assert sizes == {size_of(room)}
    assert {cards for verb, cards in seen if verb == "play"} >= set(range(1, 9))
    assert {verb for verb, _ in seen} >= {"play", "down", "none"}
    assert any(small < whole for _, _, small, whole in alone), "no size told anything before"


def lacked_everything(table_state: TableState) -> list[tuple[SignedMessage, int]]:
    """All that was ever said, with the room in which it would be sent again."""
    replicas = (table_state.replicas[name] for name in sorted(table_state.replicas))
    messages = [
        each for replica in replicas for closed in replica.ledger.rounds for each in closed.messages
    ]
    rooms = (each.room for each in sent_again(table_state, messages))
    return list(zip(messages, rooms, strict=True))


@pytest.mark.xdist_group("pagat 42 closed")
def test_a_hand_that_was_forgotten_is_sent_again_with_the_same_rooms() -> None:
    table = closed()
    table_state = table.sessions[0].table_state
    whole = hand_transcript(table_state, 0)
    kept = {each.raw: room for each, room in lacked_everything(table_state)}
    heads: tuple[Head, ...] = ()
    found: dict[bytes, int] = {}
    while True:
        more = lacked_in(iter((whole,)), heads, table.game)
        if not set(more) - set(found.items()):
            break
        found.update(more)
        last = [open_ledger_message(raw, table.charter).place for raw, _ in more]
        tops = {place.ledger: place.round for place in last}
        before = {head.ledger: head for head in heads}
        for name, closed_rounds in tops.items():
            before[name] = Head(int(name.lane), name.number, closed_rounds, bytes(32), 0)
        heads = tuple(before.values())
    assert found == {raw: kept[raw] for raw in found}
    assert len(found) > 100


def test_a_returning_seat_is_answered_with_the_rooms_of_the_places() -> None:
    table = Table(TinyGame(3, target=100), 3).played()
    session = table.sessions[1]
    raw = notice(table.charter, 0, Heads(b"q" * 16, b"", ()))
    told = session.receive(raw, now=table.now + 100)
    rooms = {each.envelope: each.room for each in told if isinstance(each, Send)}
    lacked = lacked_by(session.table_state, ())
    first = {
        event.envelope: event.room
        for chair in table.chairs
        for event in reversed(chair.events)
        if isinstance(event, Send)
    }
    assert any(rooms[each.raw] for each in lacked)
    assert {each.raw: rooms[each.raw] for each in lacked} == {
        each.raw: first[each.raw] for each in lacked
    }


@pytest.mark.xdist_group("pagat 42 closed")
def test_what_nobody_can_place_travels_in_the_largest_frame() -> None:
    table = closed()
    raw = next(raw for _, raw in table.sent if raw[1] == Purpose.LEDGER)
    signed = open_ledger_message(raw, table.charter)
    (again,) = sent_again(TableState.begin(table.charter, table.game), [signed])
    assert again.room == room_of(raw) == MAX_PAYLOAD_BYTES
    assert room_of(notice_of(table.charter, 0, b"\1")) == 0


def test_what_convicts_travels_in_the_largest_frame_the_first_time_too() -> None:
    table = begun()
    (earlier, *_) = hand_of(table).ledger.rounds[-1].messages
    other = resigned(table.charter, earlier.message, Action("nonsense"))
    told = table.sessions[earlier.place.seat - 1].receive(other, now=table.now)
    assert any(isinstance(each, SeatBlamed) for each in told)
    sent = {each.envelope: each.room for each in told if isinstance(each, Send)}
    assert sent == dict.fromkeys((earlier.raw, other), MAX_PAYLOAD_BYTES)
