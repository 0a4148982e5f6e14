"""A table forgets what everybody has signed: memory stays flat, and nobody is the worse for it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from cli.invite import Invite
from cli.local.sitting import new_setup
from cli.local.transcripts import (
    HandFiles,
    missing_transcripts,
    surroundings,
    transcript_path,
)
from cli.net.address import BrokerAddress
from cli.seat.channel import SealedLine
from cli.seat.presence import LobbyResponder
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.bounds import KEPT_HANDS
from protocol.errors import PeerFault
from protocol.places import Lane, LedgerName
from protocol.seat.watcher import Watcher
from protocol.table.events import Event, FellBehind, HandEnded, MatchEnded
from protocol.table.evidence import KeyHistory, evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.table.ledger import Known, LedgerPhase
from protocol.table.table import receive
from protocol.topics.commands import Confirm
from protocol.topics.step import SessionStatus
from protocol.transcript.file import hand_transcript
from protocol.wire import lobby
from protocol.wire.contents import HandKeys
from protocol.wire.identity import KEY_BYTES
from protocol.wire.invite import TOKEN_BYTES
from protocol.wire.messages import SignedMessage, open_message
from tests.long import long
from tests.loopback import Wire
from tests.table.bus import Table, seeded, signed
from tests.table.tiny_game import TinyGame

#: Hands and decks of the kept hands, of the one in play and of the next; setups of matches.
MOST_DOCKETS = 2 * (KEPT_HANDS + 2) + 2

#: Bytes that may stay of a hand of two seats in each session: its keys, and no more.
A_HAND_MAY_LEAVE = 4_096


class Filed(Table):
    """A table whose seats keep transcripts, and send from them what another one lacks.

    Its players confirm every match. What happened is not kept: `ended` counts hands.
    """

    def __init__(self, game: AnyGame, place: Path, seed: int = 0) -> None:
        super().__init__(game, seed)
        self.place = place
        self.files = True
        self.fell: set[int] = set()
        self.matches_ended = 0
        for seat in range(game.seats):
            self.directory(seat).mkdir()

    def directory(self, seat: int) -> Path:
        return self.place / f"seat-{seat}"

    def handle(self, seat: int, events: list[Event]) -> None:
        super().handle(seat, events)
        session = self.sessions[seat]
        for event in events:
            match event:
                case HandEnded(number) if self.files:
                    HandFiles(self.directory(seat)).save(session.table_state, number)
                case MatchEnded() if seat == 0:
                    self.matches_ended += 1
                case FellBehind(late, heads):
                    self.fell.add(late)
                    for raw in HandFiles(self.directory(seat)).older(self.charter.table, heads):
                        self.publish(seat, raw)
                case _:
                    pass
        playing = session.status is SessionStatus.PLAYING
        if (
            playing
            and session.phase is LedgerPhase.CONFIRMING
            and session.seat in self.missing(seat)
        ):
            self.act(seat, Confirm())

    def missing(self, seat: int) -> tuple[Seat, ...]:
        """Who has not confirmed the newest opening, as a seat sees it."""
        table_state = self.sessions[seat].table_state
        opening = table_state.replicas.get(LedgerName(Lane.TABLE, table_state.newest[Lane.TABLE]))
        return opening.ledger.missing

    def play(self, hands: int) -> None:
        self.tick(0.0)
        self.run(self.all_played(hands), steps=200_000)

    def drop_records(self) -> None:
        """Forget what the test itself has kept."""
        self.sent.clear()
        for chair in self.chairs:
            chair.events.clear()
            chair.journal.clear()


def ledger_messages(table: Table, raws: Iterable[bytes]) -> Iterator[SignedMessage]:
    """The messages of ledgers among these envelopes."""
    for raw in raws:
        message = open_message(raw, table.charter)
        if isinstance(message, SignedMessage):
            yield message


def many_hands(place: Path, last: int) -> tuple[int, int, int, bool]:
    """What stays of a hand, the most replicas, the matches, whether old knowledge is forgotten."""
    table = Filed(TinyGame(2, target=12), place, 1)
    table.files = False
    first = KEPT_HANDS + 4
    table.play(first)
    tracemalloc.start()
    sizes = {}
    replicas = set()
    for hands in range(first + 1, last + 1):
        table.play(hands)
        table.drop_records()
        table_state = table.sessions[0].table_state
        replicas.add(len(table_state.replicas))
        if len(table_state.waiting) > 3:
            raise AssertionError(f"{len(table_state.waiting)} ledgers wait")
        if hands in (2 * first, last):
            gc.collect()
            sizes[hands] = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    forgotten = all(table.sessions[0].view(number) is None for number in range(first))
    a_hand = (sizes[last] - sizes[2 * first]) // (last - 2 * first)
    return a_hand, max(replicas), table.matches_ended, forgotten


@pytest.mark.parametrize("last", [20, *long(60)])
def test_memory_stays_flat_over_many_hands(tmp_path: Path, last: int) -> None:
    """In a process of its own: what earlier tests left running here allocates, too."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        a_hand, replicas, matches, forgotten = alone.submit(many_hands, tmp_path, last).result()
    assert matches > last // 20
    assert replicas <= MOST_DOCKETS
    # What Python allocates once counts among few hands: 7,000 to 9,600 bytes for each were seen,
    # 4,300 for each of many, and 110,000 where a hand stays.
    assert a_hand < A_HAND_MAY_LEAVE * (4 if last == 20 else 2)
    assert forgotten


def test_the_last_hands_are_there_and_earlier_ones_are_not(tmp_path: Path) -> None:
    table = Filed(TinyGame(2, target=6), tmp_path, 2)
    table.play(8)
    table_state = table.sessions[0].table_state
    for number in range(8 - KEPT_HANDS, 8):
        kept = transcript_path(table.directory(0), table_state.charter, number)
        assert hand_transcript(table_state, number) == kept.read_bytes()
    for number in range(8 - KEPT_HANDS):
        assert table_state.forgotten(LedgerName(Lane.HAND, number))
        with pytest.raises(KeyError):
            hand_transcript(table_state, number)
    for path in table.directory(0).iterdir():
        path.unlink()
    assert missing_transcripts(table.directory(0), table_state) == list(range(8 - KEPT_HANDS, 8))
    assert not table_state.forgotten(LedgerName(Lane.HAND, 9))


def test_a_seat_that_lost_its_journal_many_hands_ago_comes_back(tmp_path: Path) -> None:
    table = Filed(TinyGame(3, target=3), tmp_path, 3)
    table.play(KEPT_HANDS + 2)
    assert table.matches_ended > 1
    table.restart(1, 0)
    assert table.sessions[1].table_state.counted == 0
    table.play(KEPT_HANDS + 3)
    assert table.fell == {1}
    assert not table.blamed()
    heads = [
        chair.session.table_state.replicas[LedgerName(Lane.HAND, KEPT_HANDS + 2)].ledger.head
        for chair in table.chairs
    ]
    assert len(set(heads)) == 1


async def test_a_spectator_who_comes_late_gets_the_first_hand_from_its_transcript(
    tmp_path: Path,
) -> None:
    table = Filed(TinyGame(2, target=100), tmp_path, 7)
    table.play(KEPT_HANDS + 2)
    charter, seat, draw = table.charter, Seat(0), seeded("invite")
    address = BrokerAddress.parse("mqtt://127.0.0.1:1883")
    invite = Invite(address, charter.table, draw(KEY_BYTES), seat, draw(TOKEN_BYTES))
    wire = Wire()
    async with wire.transport() as ours, wire.transport() as theirs:
        keeper = LobbyResponder(
            setup=new_setup(invite, "Amal"),
            charter=charter,
            line=SealedLine(invite, ours),
            around=surroundings(table.directory(0)),
        )
        inquiry = lobby.Inquiry(charter.table, seat, knows_charter=True)
        await keeper.hear(lobby.to_bytes(inquiry), table.sessions[0])
        frames = theirs.frames()
        spectator = SealedLine(replace(invite, seat=None, token=None), theirs)
    # The line has closed, and gives what it had brought.
    got = [spectator.open(frame) async for frame in frames]
    watcher = Watcher(charter=charter, game=table.game)
    events = [event for raw in got if raw is not None for event in watcher.receive(raw)]
    assert [each.number for each in events if isinstance(each, HandEnded)] == [0]


def test_words_about_a_forgotten_hand_are_known_and_convict_nobody(tmp_path: Path) -> None:
    table = Filed(TinyGame(2, target=100), tmp_path, 5)
    table.play(1)
    first = [raw for _, raw in table.sent]
    table.play(KEPT_HANDS + 2)
    session = table.sessions[0]
    table_state = session.table_state
    forgotten = 0
    for message in ledger_messages(table, first):
        if table_state.forgotten(message.place.ledger):
            forgotten += 1
            received = receive(table_state, message)
            assert isinstance(received.offered, Known)
            assert received.table_state is table_state
            assert session.receive(message.raw, now=table.now) == []
    assert forgotten > 20
    assert not table.blamed()


def test_a_key_is_remembered_when_its_hand_is_not(tmp_path: Path) -> None:
    table = Filed(TinyGame(2, target=100), tmp_path, 6)
    table.play(KEPT_HANDS + 2)
    table_state = table.sessions[0].table_state
    first = LedgerName(Lane.DECK, 0)
    assert table_state.forgotten(first)
    old = next(
        message
        for message in ledger_messages(table, [raw for _, raw in table.sent])
        if message.place.ledger == first
        and message.place.seat == 1
        and isinstance(message.content, HandKeys)
    )
    again = signed(table.charter, LedgerName(Lane.DECK, 7), 0, 1, old.content, previous=bytes(32))
    with pytest.raises(PeerFault) as caught:
        table_state.keys.note(again, table.charter)
    assert (caught.value.seat, caught.value.check) == (1, "keys.reused")
    conviction = check_evidence(evidence_from_bytes(caught.value.evidence[0]), table.game)
    assert conviction == (1, "keys.reused")
    history = KeyHistory().note(old, table.charter)
    assert history.note(old, table.charter) == history
