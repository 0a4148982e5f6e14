"""What ends or disturbs the program of others at a table: full disks, strangers, many words."""

from __future__ import annotations

import asyncio
import errno
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.errors import UserError
from cli.invite import Invite
from cli.local.sitting import NewTable, SeatOptions, new_setup, new_table
from cli.local.transcripts import surroundings
from cli.net.address import BrokerAddress
from cli.net.memory import MemoryTransport
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.driver import SeatDriver
from cli.seat.sentences import TableStopped
from cli.seat.setup import JournalKind
from cli.seat.spectator import Spectator
from cli.store.disk import REAL_DISK, Disk
from cli.store.identity import IdentityStore
from cli.store.journal import Journal, JournalError
from cli.store.paths import make_table_directory, table_directory
from p2p304.cards import Slot
from p2p304.games import full_agreement, register
from p2p304.seats import Seat
from protocol.bounds import BURST, CHAT_WINDOW, MOST_IN_A_HAND, PERIOD, TOLD_AGAIN
from protocol.seat.session import Session
from protocol.seat.view import SeatView
from protocol.seat.watcher import Watcher
from protocol.table.events import ChatReceived, Event, HandStarted, WordsLeftOut
from protocol.topics.chat import ChatHeard
from protocol.topics.commands import EndUnfinished, Say
from protocol.topics.step import SessionStatus
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Chat
from protocol.wire.identity import PublicKey, Purpose, sign
from protocol.wire.terms import REFEREE, Term, referees_to_value
from tests.client.black_lady.rules import PACK, Play
from tests.client.highest_card import ENTRY, NAME
from tests.loopback import Wire, driver_on
from tests.table.bus import NAMES, Table, charter, notice, seeded, signing_key
from tests.table.tiny_game import TinyGame

# --- driver stops ---------------------------------------------------------------------------------

# A driver that has to stop: what the disk did not take is told to nobody, what convicts to all.

pytestmark = pytest.mark.timeout(240)
ALL = tuple(Seat(seat) for seat in range(4))


class FullForAMoment(Disk):
    """Has no room for the next record after `full` was set, and room again after that."""

    full = False
    failed = False

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        if self.full and not self.failed:
            self.failed = True
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(descriptor, data, at=at)


class Counting(MemoryTransport):
    """Counts the frames that are sent after the disk has failed."""

    disk: FullForAMoment
    late = 0

    async def send(self, frame: bytes) -> None:
        self.late += self.disk.failed
        await super().send(frame)


class Thinker(BotSeat):
    """Thinks for ever when the hand has begun."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, self._hear)
        self.began = asyncio.Event()
        #: What it was asked to decide on.
        self.asked: asyncio.Future[SeatView] = asyncio.get_running_loop().create_future()

    async def decide(self, session: SeatView) -> Any:
        """Think for ever about what is seen now."""
        if not self.asked.done():
            self.asked.set_result(session)
        return await asyncio.Event().wait()

    def _hear(self, event: Event, _: SeatView) -> None:
        if isinstance(event, HandStarted):
            self.began.set()


class Unwilling(Thinker):
    """Agrees to no charter."""

    async def confirm(self, _: Charter, __: tuple[PublicKey, ...] = ()) -> bool:
        """Refuse it."""
        return False


class Hasty(Thinker):
    """Plays a card that is not there, and then as a bot does."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.why: list[str] = []

    async def decide(self, session: SeatView) -> Any:
        """Choose what cannot be, once."""
        if not self.why:
            return Play(Slot(99), PACK[0])
        return session.legal_actions()[0]

    async def refused(self, reason: str) -> None:
        """Note it."""
        self.why.append(reason)


class Held(Thinker):
    """Plays at once what it may, and lets nothing of it leave before it is told to."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.ready, self.let, self.spoken = (asyncio.Event() for _ in range(3))

    async def decide(self, session: SeatView) -> Any:
        """Choose the first that is allowed."""
        return session.legal_actions()[0]

    async def made(self) -> None:
        """Hold it back."""
        self.ready.set()
        await self.let.wait()

    def _hear(self, event: Event, _: SeatView) -> None:
        if isinstance(event, ChatReceived):
            self.spoken.set()


class Sitting(NamedTuple):
    """A seat: its driver, how it speaks, who plays, and the task that runs it."""

    driver: SeatDriver
    transport: MemoryTransport
    player: Any
    run: asyncio.Task[None]

    @property
    def session(self) -> Session:
        assert self.driver.session is not None
        return self.driver.session


OF_304, SMALL = ("304", "pagat"), (NAME, "")


@asynccontextmanager
async def seated(
    root: Path,
    *players: type[Thinker],
    game: tuple[str, str] = OF_304,
    wire: Wire | None = None,
    disk: Disk = REAL_DISK,
) -> AsyncIterator[tuple[NewTable, list[Sitting]]]:
    """A table whose seats run inside, each under a folder of its number; the first has the disk."""
    wire, seats = wire or Wire(), list[Sitting]()
    with register(NAME, ENTRY):
        table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), *game)
        async with AsyncExitStack() as stack:
            for seat, (invite, make) in enumerate(zip(table.invites, players, strict=True)):
                home = root / str(seat)
                founding = table.founding if seat == 0 else None
                setup = new_setup(invite, f"Player {seat}", founding=founding)
                directory = make_table_directory(home, invite.table)
                journal = Journal.create(directory, invite.table, disk=REAL_DISK if seat else disk)
                stack.enter_context(journal).append(JournalKind.SETUP, setup.to_bytes())
                transport = wire.transport()
                await stack.enter_async_context(transport)
                player, options = make(seat), SeatOptions(hands=1, linger=10.0)
                driver = driver_on(transport, home, journal, setup, player, options)
                run = asyncio.create_task(driver.run())
                seats.append(Sitting(driver, transport, player, run))
            yield table, seats
            for each in seats:
                each.run.cancel()
            await asyncio.gather(*(each.run for each in seats), return_exceptions=True)


async def test_a_choice_is_made_and_on_the_disk_and_then_waits_for_its_moment(
    tmp_path: Path,
) -> None:
    async with seated(tmp_path, Held, Held, Held, game=SMALL) as (_, (own, other, third)):
        for each in (other, third):
            each.player.let.set()
        await own.player.ready.wait()
        made, heard = own.session.hand(), other.session.hand()
        assert heard is not None
        # Its card may be the last one of the round.
        assert 0 not in made.missing or made.closed > heard.closed
        await third.driver.do(Say("what left before this was heard before it"))
        await other.player.spoken.wait()
        assert 0 in awaited(other.session)
        own.player.let.set()
        while 0 in awaited(other.session):
            await asyncio.sleep(0.001)


def awaited(session: Session) -> tuple[Seat, ...]:
    hand = session.hand()
    return hand.missing


async def test_who_does_not_agree_and_who_is_cut_off_end_with_their_sentences(
    tmp_path: Path,
) -> None:
    players = (Thinker, Unwilling, Thinker, Thinker)
    async with seated(tmp_path, *players) as (_, seats):
        with pytest.raises(UserError, match="You did not agree to the charter"):
            await seats[1].run
        await seats[2].transport.close()
        with pytest.raises(UserError, match="The connection was closed: 'p2p304 resume' goes on"):
            await seats[2].run


async def test_a_choice_that_cannot_be_is_refused_with_its_reason_and_asked_for_again(
    tmp_path: Path,
) -> None:
    async with seated(tmp_path, Hasty, Hasty, Hasty, game=SMALL) as (_, seats):
        while not all(each.player.why for each in seats):
            assert not any(each.run.done() for each in seats)
            await asyncio.sleep(0.01)
    assert [len(each.player.why) for each in seats] == [1, 1, 1]


async def test_what_a_full_disk_did_not_take_is_told_to_nobody(tmp_path: Path) -> None:
    disk = FullForAMoment()
    async with seated(tmp_path, *[Thinker] * 4, disk=disk) as (_, seats):
        transport = seats[0].transport
        transport.__class__ = Counting
        transport.disk = disk
        await seats[0].player.began.wait()
        disk.full = True
        with suppress(JournalError):  # unless the shares that were due failed first
            await seats[0].driver.do(EndUnfinished(ALL))
        done, _ = await asyncio.wait({seats[0].run}, timeout=60)
    assert disk.failed
    assert transport.late == 0
    assert done
    assert isinstance(seats[0].run.exception(), JournalError)


async def test_a_player_decides_on_the_table_as_it_was_when_its_turn_came(tmp_path: Path) -> None:
    async with seated(tmp_path, *[Thinker] * 4) as (_, seats):
        thinking = {each.player.asked: each for each in seats}
        done, _ = await asyncio.wait(thinking, return_when=asyncio.FIRST_COMPLETED)
        asked = done.pop()
        seat, seen = thinking[asked], asked.result()
        assert (actions := seen.legal_actions())
        await seat.driver.do(EndUnfinished(ALL))  # from now on it may do nothing else
        assert not seat.session.legal_actions()
        assert seen.legal_actions() == actions


async def test_what_convicts_a_seat_reaches_those_who_missed_it_at_first(tmp_path: Path) -> None:
    narrow = False
    wire = Wire(lambda _, receiver: int(receiver == 0 or not narrow))
    async with seated(tmp_path, *[Thinker] * 4, wire=wire) as (table, seats):
        for each in seats:
            await each.player.began.wait()
        session = seats[0].session
        key = IdentityStore(tmp_path / "3").key(secrets.token_bytes)
        junk = sign(
            key, b"junk", purpose=Purpose.LEDGER, seat=Seat(3), charter=session.charter.digest
        )
        narrow = True
        async with wire.transport() as stranger:
            await SealedLine(table.watch, stranger).send(junk.to_bytes())
            while session.status is not SessionStatus.HALTED:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)  # what seat 0 says first is lost
            narrow = False
            await asyncio.wait([each.run for each in seats[:3]], timeout=60)
    for seat, each in enumerate(seats[:3]):
        assert not each.run.cancelled()
        assert isinstance(each.run.exception(), TableStopped)
        directory = table_directory(tmp_path / str(seat), table.watch.table)
        assert (directory / "evidence-seat-3.p304e").exists()


# --- lobby strangers ------------------------------------------------------------------------------

# Claimants and strangers who try to end the program of others at a table.

ADDRESS = BrokerAddress.parse("mqtt://127.0.0.1:1883")
TABLE = charter().table
TOKENS = tuple(seeded(f"token {seat}")(16) for seat in range(4))


def claim(seat: int, nonce: bytes, *, key: int | None = None, name: str = "") -> lobby.Claim:
    return lobby.Claim.make(
        table=TABLE,
        seat=Seat(seat),
        token=TOKENS[seat],
        key=signing_key(seat if key is None else key),
        nickname=name or NAMES[seat],
        nonce=nonce,
    )


def registered(*terms: Term) -> lobby.Registrar:
    return lobby.Registrar(table=TABLE, game="304", profile="pagat", tokens=TOKENS, terms=terms)


def test_a_claim_with_anothers_nonce_neither_takes_a_seat_nor_ends_the_host() -> None:
    registrar = registered()
    nonces = [seeded(f"nonce {seat}")(32) for seat in range(4)]
    for seat in range(3):
        assert isinstance(registrar.take(claim(seat, nonces[seat])), lobby.Board)
    assert registrar.take(claim(3, nonces[1])) is None
    assert registrar.charter() is None
    assert isinstance(registrar.take(claim(3, nonces[3])), lobby.Board)
    assert registrar.charter() is not None


class Watching:
    """A spectator on a wire, and a stranger with the same invite who tells it charters."""

    def __init__(self, directory: Path) -> None:
        wire = Wire()
        table = new_table(ADDRESS, "304", "pagat", seeded("table"))
        self.invite: Invite = table.watch
        self.shown: list[Charter] = []
        self.texts: list[str] = []
        self.mine, self.other = wire.transport(), wire.transport()
        self.stranger = SealedLine(self.invite, self.other)
        self.spectator = Spectator(
            line=SealedLine(self.invite, self.mine),
            around=surroundings(directory),
            tell=self._tell,
            show=self._show,
        )

    async def _tell(self, event: Event, spectator: Spectator) -> None:
        if isinstance(event, ChatReceived):
            self.texts.append(event.text)

    async def _show(self, told: Charter) -> None:
        self.shown.append(told)

    def charter(self, *, seats: int = 4, game: str = "304") -> Charter:
        entries = tuple(
            SeatEntry(signing_key(seat).public, NAMES[seat], bytes([seat]) * 32)
            for seat in range(seats)
        )
        profile = full_agreement("304")
        return Charter(table=self.invite.table, game=game, profile=profile, seats=entries)

    async def hears(self, *told: Charter | bytes, until: Callable[[], bool]) -> None:
        """Tell it these charters and words, and let it watch until something is so or it ends."""
        await self.mine.open()
        await self.other.open()
        for each in told:
            board = isinstance(each, Charter) and lobby.to_bytes(lobby.Board.of(each))
            await self.stranger.send(board or each)
        running = asyncio.create_task(self.spectator.run())
        while not until() and not running.done():
            await asyncio.wait({running}, timeout=0.01)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_a_charter_that_nobody_can_play_does_not_end_a_spectator(tmp_path: Path) -> None:
    watching = Watching(tmp_path)
    good = watching.charter()
    other = replace(good, seats=(*good.seats[:3], replace(good.seats[3], nickname="Erandi")))
    bad = [watching.charter(game="chess"), watching.charter(seats=3)]
    worse = (replace(each, profile="x") for each in bad)
    await watching.hears(*bad, good, *worse, other, until=lambda: other in watching.shown)
    assert watching.shown == [good, other]


async def test_a_table_whose_game_is_not_known_is_told_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patience in ("SPECTATOR_TICK", "SPECTATOR_ASKS_EVERY"):
        monkeypatch.setattr(f"cli.seat.spectator.{patience}", 0.01)
    watching = Watching(tmp_path)
    with pytest.raises(UserError, match="does not know the game or the rules"):
        await watching.hears(watching.charter(game="chess"), until=lambda: False)


def taken(answer: object) -> lobby.Clash:
    """What somebody else has already, as the founder answers a claim."""
    assert isinstance(answer, lobby.Taken)
    assert answer.holds(TOKENS[answer.seat])
    assert not answer.holds(bytes(16))
    again = lobby.from_bytes(lobby.to_bytes(answer), seats=4, table=TABLE)
    assert again == answer
    return answer.clash


def test_each_clash_of_a_claim_is_answered_by_its_name() -> None:
    registrar = registered()
    mine, others = seeded("first")(32), seeded("second")(32)
    first = claim(0, mine, name="Amara")
    assert isinstance(registrar.take(first), lobby.Board)
    assert isinstance(registrar.take(first), lobby.Board), "said again by a broker"
    for wrong, clash in (
        (claim(1, others, key=0, name="Banu"), lobby.Clash.KEY),
        (claim(1, others, name="Amara"), lobby.Clash.NAME),
        (claim(0, mine, key=1, name="Banu"), lobby.Clash.SEAT),
    ):
        assert taken(registrar.take(wrong)) is clash
    board = registrar.take(claim(0, mine, name="Amala"))
    assert isinstance(board, lobby.Board)
    assert board.names == ((Seat(0), "Amala"),)
    assert board.holds(Seat(0), TOKENS[0])
    assert not board.holds(Seat(0), TOKENS[1])
    assert not board.holds(Seat(9), TOKENS[0])


def test_a_referee_of_the_table_gets_no_seat_at_it() -> None:
    registrar = registered(Term(REFEREE, referees_to_value((signing_key(2).public,))))
    for seat in range(4):
        answer = registrar.take(claim(seat, seeded(f"nonce {seat}")(32)))
        assert isinstance(answer, lobby.Board) is (seat != 2)
    assert taken(answer := registrar.take(claim(2, seeded("again")(32)))) is lobby.Clash.KEY
    assert answer is not None
    assert registrar.charter() is None


def test_a_claim_without_its_token_or_of_no_seat_is_not_answered() -> None:
    registrar = registered()
    good = claim(1, seeded("nonce")(32))
    assert registrar.take(replace(good, proof=bytes(32))) is None
    assert registrar.take(replace(good, signature=bytes(64))) is None
    assert registrar.take(replace(good, seat=Seat(4))) is None
    assert registrar.board().names == ()


def test_a_board_that_names_a_seat_which_the_table_has_not_is_none() -> None:
    board = lobby.Board(TABLE, ((Seat(3), "Devi"),), b"")
    assert lobby.from_bytes(lobby.to_bytes(board), seats=4, table=TABLE) == board
    assert lobby.from_bytes(lobby.to_bytes(board), seats=3, table=TABLE) is None


# --- words ----------------------------------------------------------------------------------------

# Chat: each word is shown once, to a seat and to a spectator, whatever a broker repeats.


def word(charter: Charter, seat: int, serial: int, text: str) -> bytes:
    return notice(charter, seat, Chat(text), serial=serial)


def heard(table: Table, seat: int) -> list[str]:
    return [each.text for each in table.chairs[seat].events if isinstance(each, ChatReceived)]


def talking() -> Table:
    return Table(TinyGame(3), 1).begun()


# --- a seat --------------------------------------------------------------------------------------


def test_a_word_is_shown_once_however_much_was_said_since() -> None:
    table, said = talking(), []
    for number in range(300):
        said.append(word(table.charter, 0, number, f"{number}"))
        table.now += PERIOD / BURST
        table.handle(1, table.sessions[1].receive(said[-1], now=table.now))
    everything = heard(table, 1)
    assert len(everything) == len(set(everything)) == MOST_IN_A_HAND
    table.now += PERIOD
    for raw in said[:MOST_IN_A_HAND]:
        table.now += PERIOD
        table.handle(1, table.sessions[1].receive(raw, now=table.now))
    assert heard(table, 1) == everything


def verifications(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The signatures that are verified from now on."""
    verify, seen = PublicKey.verify, list[bytes]()

    def counted(key: PublicKey, signature: bytes, *parts: bytes) -> None:
        seen.append(signature)
        verify(key, signature, *parts)

    monkeypatch.setattr(PublicKey, "verify", counted)
    return seen


@pytest.mark.parametrize("watches", [False, True], ids=["seat", "spectator"])
def test_words_over_the_allowance_or_heard_before_cost_no_signature(
    monkeypatch: pytest.MonkeyPatch, watches: bool
) -> None:
    table = talking()
    hears = Watcher(charter=table.charter, game=table.game) if watches else table.sessions[1]
    serials = [1 << shift for shift in range(32)]  # of every length that an integer has
    said = [word(table.charter, 0, serial, "again") for serial in serials]
    seen = verifications(monkeypatch)
    for _ in range(100):
        for raw in said:
            hears.receive(raw, now=table.now)
    # And one more, of the word by which it is told that the others are left out.
    assert len(seen) == BURST + 1
    other = word(table.charter, 2, 1, "mine")
    assert ChatReceived(Seat(2), "mine") in hears.receive(other, now=table.now)
    table.now += PERIOD
    assert ChatReceived(Seat(0), "again") in hears.receive(said[-1], now=table.now)


@pytest.mark.parametrize("watches", [False, True], ids=["seat", "spectator"])
def test_who_says_more_than_is_heard_is_named_once_a_minute_and_for_what_it_signed(
    watches: bool,
) -> None:
    table = talking()
    hears = Watcher(charter=table.charter, game=table.game) if watches else table.sessions[1]
    said = [word(table.charter, 0, serial, "again") for serial in range(200)]
    for raw in said[:BURST]:
        assert WordsLeftOut(Seat(0)) not in hears.receive(raw, now=table.now)
    forged = said[BURST][:-1] + bytes((said[BURST][-1] ^ 1,))
    assert hears.receive(forged, now=table.now) == []
    told = [
        second
        for second in range(3 * int(TOLD_AGAIN))
        for event in hears.receive(said[BURST + second], now=table.now + second)
        if event == WordsLeftOut(Seat(0))
    ]
    assert told[0] == 0
    assert len(told) > 1
    assert all(later - earlier >= TOLD_AGAIN for earlier, later in pairwise(told))


def test_words_that_are_forged_silence_nobody() -> None:
    table = talking()
    said = [word(table.charter, 0, serial, f"{serial}") for serial in range(2 * BURST)]
    for raw in said:
        forged = raw[:-1] + bytes((raw[-1] ^ 1,))
        assert table.sessions[1].receive(forged, now=table.now) == []
    for raw in said[:BURST]:
        table.handle(1, table.sessions[1].receive(raw, now=table.now))
    assert heard(table, 1) == [f"{serial}" for serial in range(BURST)]


def test_old_words_are_not_shown_again_after_a_restart() -> None:
    table = talking()
    table.act(0, Say("well played"))
    table.deliver_all()
    assert heard(table, 1) == ["well played"]
    (raw,) = (raw for seat, raw in table.sent if seat == 0 and b"well played" in raw)
    table.restart(1)
    table.now += 100 * PERIOD
    for _ in range(3):
        table.handle(1, table.sessions[1].receive(raw, now=table.now))
    assert heard(table, 1) == []


# --- a spectator ---------------------------------------------------------------------------------


async def test_a_word_that_a_broker_repeats_is_shown_to_a_spectator_once(tmp_path: Path) -> None:
    wall = Watching(tmp_path)
    charter, last = wall.charter(), "the last word"
    said = [word(charter, 0, 7, "hello"), word(charter, 0, 9, "hello")] * 100
    words = (charter, *said, word(charter, 3, 1, last))
    await wall.hears(*words, until=lambda: last in wall.texts)
    assert wall.texts == ["hello", "hello", last]


# --- the numbers ---------------------------------------------------------------------------------


def test_what_lies_below_the_window_counts_as_heard_and_what_is_kept_is_bounded() -> None:
    words = ChatHeard()
    for serial in range(2, 2 * 3 * CHAT_WINDOW, 2):
        words = words.note(Seat(0), serial, 0)
    assert len(words.serials[Seat(0)]) == CHAT_WINDOW
    low = words.serials[Seat(0)][0]
    assert not any(words.is_new(Seat(0), serial) for serial in range(low + 1))
    assert words.is_new(Seat(0), low + 1)


def test_a_seat_says_so_many_words_in_a_hand_and_more_in_the_next() -> None:
    words = ChatHeard()
    for serial in range(MOST_IN_A_HAND):
        words = words.note(Seat(0), serial, 3)
    late = MOST_IN_A_HAND * PERIOD
    assert words.after(Seat(0), MOST_IN_A_HAND, 3, late) is None
    assert words.after(Seat(1), MOST_IN_A_HAND, 3, late) is not None
    assert words.after(Seat(0), MOST_IN_A_HAND, 4, late) is not None
