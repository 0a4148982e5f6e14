"""Tables of real drivers without a broker: seats anywhere, in memory, and another match."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from cli.commands.bot import BotsHere
from cli.front.player_commands import CarryOut
from cli.local.bot_processes import Bot, bot_home
from cli.local.continuing import next_bots, next_setup
from cli.local.records import StoredTable, table_records
from cli.local.sitting import (
    SeatOptions,
    agreed_journal,
    keep_setup,
    kept_setup,
    new_setup,
    new_table,
)
from cli.net.address import BrokerAddress
from cli.net.memory import NOWHERE, MemoryBroker
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.net.packets import LEVEL_3_1_1
from cli.net.transport import Transport
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of
from cli.seat.driver import SeatDriver, session_of
from cli.seat.setup import Founding, JournalKind, PlayOptions, Setup, Surroundings, charter_in
from cli.store.identity import IdentityStore
from cli.store.journal import Journal
from cli.store.paths import make_private_directory, table_directory
from p2p304.seats import Seat
from protocol.seat.session import Session
from protocol.seat.view import SeatView, TableView
from protocol.table.events import Event, HandEnded, MatchEnded, RefereeBlamed, SeatBlamed
from protocol.table.table import TableState
from protocol.topics.commands import WantRematch
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire import lobby
from protocol.wire.contents import Action, Head
from protocol.wire.identity import FRAME_SIZES, KEY_BYTES, Envelope, Purpose, Seal, SigningKey
from protocol.wire.messages import Agreement, Message, decode_body
from protocol.wire.rematch import moved_seats
from tests.client.highest_card import NAME
from tests.loopback import Wire, driver_on

# --- memory table ---------------------------------------------------------------------------------

# Tables in the memory of one process: frames from seat to seat, the broker that is opened to
# friends, and bots that fail there.

TOPIC = "p2p304/0123456789abcdef"
SMALL, LARGE = FRAME_SIZES[0], FRAME_SIZES[-1]


def memory() -> MemoryBroker:
    return MemoryBroker(largest_frame=LARGE)


async def heard(transport: Transport) -> bytes:
    async with asyncio.timeout(60):
        return await anext(transport.frames())


async def test_a_frame_comes_to_all_others_of_its_table_and_to_nobody_else() -> None:
    async with (
        memory() as broker,
        broker.transport(TOPIC) as ours,
        broker.transport(TOPIC) as theirs,
        broker.transport(f"{TOPIC}/other") as stranger,
    ):
        await ours.send(b"first")
        await theirs.send(b"second")
        assert await heard(theirs) == b"first"
        assert await heard(ours) == b"second"
        await stranger.close()
        assert [frame async for frame in stranger.frames()] == []


async def test_a_frame_that_a_seat_does_not_admit_or_whose_test_fails_is_dropped_there() -> None:
    def fails(frame: bytes) -> bool:
        raise RuntimeError(frame)

    async with memory() as broker, broker.transport(TOPIC) as ours:
        async with broker.transport(TOPIC) as strict, broker.transport(TOPIC) as broken:
            strict.admit(lambda frame: frame == b"fine")
            broken.admit(fails)
            await ours.send(b"junk")
            await ours.send(b"fine")
            assert await heard(strict) == b"fine"
        assert [frame async for frame in strict.frames()] == []
        assert [frame async for frame in broken.frames()] == []


async def test_a_broker_that_is_opened_gets_all_frames_and_gives_those_of_friends() -> None:
    async with memory() as broker, broker.transport(TOPIC) as ours:
        address = await broker.open()
        assert await broker.open() == address
        assert address.loopback
        options = MqttOptions((address,), TOPIC, levels=(LEVEL_3_1_1,))
        async with MqttTransport(options) as friend, broker.transport(TOPIC) as late:
            await ours.send(b"o" * SMALL)
            assert await heard(friend) == b"o" * SMALL
            assert await heard(late) == b"o" * SMALL
            await friend.send(b"f" * LARGE)
            assert await heard(ours) == await heard(late) == b"f" * LARGE
            await late.send(b"l" * SMALL)
            assert await heard(friend) == await heard(ours) == b"l" * SMALL


async def test_a_seat_in_memory_admits_what_its_table_sealed_and_no_junk_of_the_broker() -> None:
    invite = new_table(NOWHERE, "304", "pagat").invites[1]
    payload = lobby.to_bytes(lobby.Inquiry(invite.table, Seat(0), knows_charter=False))
    async with memory() as broker, broker.transport(invite.topic) as ours:
        line = SealedLine(invite, ours)
        address = await broker.open()
        options = MqttOptions((address,), invite.topic, levels=(LEVEL_3_1_1,))
        async with MqttTransport(options) as friend:
            await friend.send(b"j" * SMALL)
            await SealedLine(invite, friend).send(payload)
            assert line.open(await heard(ours)) == payload


async def test_a_table_that_begins_after_the_broker_was_opened_meets_there_as_well() -> None:
    async with memory() as broker:
        address = await broker.open()
        options = MqttOptions((address,), TOPIC, levels=(LEVEL_3_1_1,))
        async with broker.transport(TOPIC) as ours, MqttTransport(options) as friend:
            await ours.send(b"o" * SMALL)
            assert await heard(friend) == b"o" * SMALL


async def test_a_bot_that_fails_is_told_and_takes_nobody_along(tmp_path: Path) -> None:
    table = new_table(NOWHERE, "304", "pagat")
    told: asyncio.Queue[str] = asyncio.Queue()
    async with memory() as broker, AsyncExitStack() as stack:
        bots = BotsHere(told.put_nowait, broker)
        stack.push_async_callback(bots.end)
        homes = [bot_home(tmp_path, Seat(seat)) for seat in (1, 2)]
        homes[0].mkdir(mode=0o700)
        (homes[0] / "identity").mkdir()
        sitting = [
            Bot(new_setup(table.invites[at + 1], "Bot"), home) for at, home in enumerate(homes)
        ]
        async with broker.transport(table.watch.topic) as ours:
            await bots.start(*sitting)
            async with asyncio.timeout(60):
                assert (await told.get()).startswith("A bot of yours, Bot, ended: ")
            assert await heard(ours)  # the other one claims its seat
        assert told.empty()


def test_a_setup_tells_whether_its_table_was_opened_to_others() -> None:
    table = new_table(NOWHERE, "304", "pagat")
    founding = Founding("304", "pagat", (bytes(16),) * 4, broker_here=True, in_memory=True)
    setup = Setup(table.invites[0], "Amara", bytes(32), bytes(32), founding=founding)
    assert Setup.from_bytes(setup.to_bytes()) == setup
    assert setup.meeting_place == "in this program alone"


# --- seat anywhere --------------------------------------------------------------------------------

# A table of seats that have no disk, thread or clock of their own: all is given to them.


class Memory:
    """A journal in a list that is written a turn of the loop later, and the hands of a seat."""

    fresh = True

    def __init__(self) -> None:
        self.kept: list[tuple[int, bytes]] = []
        self.hands: dict[int, bytes] = {}
        self.transcripts: tuple[Path, ...] = ()

    async def records(self, *, shown: bool = False) -> Iterable[tuple[int, bytes]]:
        await asyncio.sleep(0)
        return tuple(self.kept)

    async def append(self, kind: int, *payloads: bytes) -> None:
        await asyncio.sleep(0)
        self.kept.extend((kind, each) for each in payloads)

    def keep(self, event: Event, session: Session) -> None:
        if isinstance(event, HandEnded):
            self.save(session.table_state, event.number)

    def save(
        self, table_state: TableState, number: int, agreed: tuple[Agreement, ...] = ()
    ) -> None:
        self.hands[number] = hand_transcript(table_state, number, agreed)

    def save_open(self, session: Session) -> None:
        raise AssertionError("every hand is played to its end")

    def save_missing(self, session: Session) -> bool:
        return False

    def older(self, table: bytes, heads: tuple[Head, ...]) -> tuple[bytes, ...]:
        return ()

    def why_stopped(self, table: TableView, blame: SeatBlamed | RefereeBlamed) -> str:
        raise AssertionError(blame)


async def at_once(call: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """The executor of a place without threads."""
    return call(*arguments, **named)


async def test_a_table_is_played_by_seats_that_are_given_all_they_need() -> None:
    frames: list[bytes] = []

    def carry(frame: bytes, _: int) -> int:
        frames.append(frame)
        return 1

    wire, clock = Wire(carry), count(1_000)
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), NAME, "")
    kept = [Memory() for _ in table.invites]
    keys = [SigningKey(bytes([seat + 1]) * KEY_BYTES) for seat, _ in enumerate(kept)]
    async with AsyncExitStack() as stack:
        drivers = []
        for seat, (invite, memory) in enumerate(zip(table.invites, kept, strict=True)):
            founding = table.founding if seat == 0 else None
            drivers.append(
                SeatDriver(
                    journal=memory,
                    around=Surroundings(memory, lambda: next(clock), at_once),
                    setup=new_setup(invite, f"Player {seat}", founding=founding),
                    key=keys[seat],
                    transport=await stack.enter_async_context(wire.transport()),
                    player=BotSeat(seat, work=at_once),
                    options=PlayOptions(hands=1, linger=0.0),
                )
            )
        await asyncio.gather(*(each.run() for each in drivers))
    charter = next(payload for kind, payload in kept[0].kept if kind == JournalKind.CHARTER)
    assert all((JournalKind.CHARTER, charter) in each.kept for each in kept)
    (hand,) = {each.hands[0] for each in kept}
    assert audit_bytes(hand, game_of).valid
    seal, actions = Seal(table.watch.table_key, table.watch.table), 0
    for frame in frames:
        raw = seal.open(frame).payload
        if raw[:1] == lobby.PREFIX or raw[1] != Purpose.LEDGER:
            continue
        said = decode_body(Envelope.from_bytes(raw))
        if isinstance(said, Message) and isinstance(said.content, Action):
            assert len(frame) == 4_096  # as its game states, though each is smaller
            actions += 1
    assert actions > 4 * 3
    for driver, memory, key in zip(drivers, kept, keys, strict=True):
        again = session_of(
            driver.session.charter, driver.setup, key, records=memory.kept,
            patience=0.0, vouched=frozenset()
        )  # fmt: skip
        assert hand_transcript(again.table_state, 0) == hand


# --- rematch tables -------------------------------------------------------------------------------

# Another match with real drivers: at the same table, and in other seats at the next one.

SEATS = 3
CHANCE = secrets.token_bytes


pytestmark = pytest.mark.usefixtures("highest_card")


class Wishing(BotSeat):
    """Plays like a bot, and wants one more match in a seating when the first is over."""

    def __init__(self, seed: int, seating: int) -> None:
        super().__init__(seed)
        self._seating: int | None = seating
        self._wants: CarryOut | None = None

    def bind(self, carry_out: CarryOut) -> None:
        super().bind(carry_out)
        self._wants = carry_out

    async def tell(self, event: Event, session: SeatView) -> None:
        await super().tell(event, session)
        if isinstance(event, MatchEnded) and self._seating is not None:
            self._errands.start(self._wants(WantRematch(self._seating)))

    def considers(self) -> bool:
        return (
            self._seating is not None
            and self._look is not None
            and self._look().match_winner is not None
        )


async def drive(
    stack: AsyncExitStack, root: Path, journal: Journal, setup: Setup, player: BotSeat, wire: Wire
) -> SeatDriver:
    stack.enter_context(journal)
    transport = await stack.enter_async_context(wire.transport())
    return driver_on(transport, root, journal, setup, player, SeatOptions(linger=0.0))


async def played_at(place: Path, players: Sequence[BotSeat], wire: Wire) -> list[SeatDriver]:
    """Play at a new table, with homes of the seats in a place."""
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), NAME, "")
    async with AsyncExitStack() as stack:
        drivers = []
        for seat, player in enumerate(players):
            founding = table.founding if seat == 0 else None
            setup = new_setup(table.invites[seat], f"Player {seat}", founding=founding)
            root = place / str(seat)
            drivers.append(await drive(stack, root, keep_setup(root, setup), setup, player, wire))
        await asyncio.gather(*(each.run() for each in drivers))
    return drivers


@pytest.fixture(scope="module")
def moved(
    highest_card: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[SeatDriver]]:
    """The homes of all after a match, and their drivers, when all want to go on elsewhere."""
    homes = tmp_path_factory.mktemp("moved")
    players = [Wishing(0, 1), *(BotSeat(seat, again=True) for seat in range(1, SEATS))]
    return homes, asyncio.run(played_at(homes, players, Wire()))


async def test_all_go_on_at_another_table_in_other_seats_and_play_a_match_there(
    moved: tuple[Path, list[SeatDriver]], tmp_path: Path
) -> None:
    homes, drivers = moved
    for seat in range(SEATS):
        copytree(homes / str(seat), tmp_path / str(seat))
    async with AsyncExitStack() as stack:
        agreed = [driver.next_table for driver in drivers]
        assert len({*agreed}) == 1
        charter, after, seating = agreed[0]
        assert seating == 1
        wire, following = Wire(), []
        for old, driver in enumerate(drivers):
            root = tmp_path / str(old)
            setup, charter_there = next_setup(driver.setup, charter, after, seating, CHANCE)
            assert moved_seats(SEATS, 1)[setup.seat] == old
            assert charter_there.seats[setup.seat].key == IdentityStore(root).public_key
            journal, setup = agreed_journal(root, setup, charter_there)
            following.append(await drive(stack, root, journal, setup, BotSeat(old), wire))
        invites = [driver.setup.invite for driver in following]
        assert len({(each.table, each.table_key) for each in invites}) == 1
        assert invites[0].table != drivers[0].setup.invite.table
        founding = following[0].setup.founding
        for each in invites:
            assert founding.tokens[each.seat] == each.token
        await asyncio.gather(*(each.run() for each in following))
        for driver in following:
            assert driver.session.matches_over == 1
            assert driver.next_table is None
    for seat in range(SEATS):
        states = [each.state for each in table_records(tmp_path / str(seat))]
        assert states == [StoredTable.ENDED] * 2


def test_a_seat_that_died_on_its_way_to_the_next_table_comes_there_all_the_same(
    moved: tuple[Path, list[SeatDriver]],
) -> None:
    homes, (driver, *_) = moved
    setup, charter = next_setup(driver.setup, *driver.next_table, CHANCE)
    root = homes / "0"
    journal, kept = agreed_journal(root, setup, charter)
    journal.close()
    other, _ = next_setup(driver.setup, *driver.next_table, CHANCE)
    assert other.seed != setup.seed  # drawn anew, and never used
    journal, again = agreed_journal(root, other, charter)
    journal.close()
    assert again == kept
    entry = charter.seats[kept.seat]
    assert (kept.seed, kept.nickname, kept.nonce) == (setup.seed, entry.nickname, entry.nonce)
    journal, resumed = kept_setup(root, charter.table)
    assert (resumed, charter_in(journal.records())) == (kept, (charter, True))
    journal.close()


def test_bots_go_on_with_their_keys_in_homes_of_the_next_table(
    moved: tuple[Path, list[SeatDriver]],
) -> None:
    homes, (driver, *_) = moved
    charter, _, seating = driver.next_table
    root = homes / "0"
    before = table_directory(root, charter.table)
    for seat in range(1, SEATS):
        home = make_private_directory(before / f"bot-{seat}")
        IdentityStore(homes / str(seat)).copy_key(home)
    setup, there = next_setup(driver.setup, *driver.next_table, CHANCE)
    bots = next_bots(root, charter, setup, there, seating, CHANCE)
    assert sorted(bot.setup.seat for bot in bots) == [*range(1, SEATS)]
    for bot in bots:
        entry = there.seats[bot.setup.seat]
        assert IdentityStore(bot.home).public_key == entry.key
        assert bot.setup.nickname == entry.nickname
        journal, kept = kept_setup(bot.home, there.table)
        assert charter_in(journal.records()) == (there, True)
        assert (kept.nonce, kept.founding) == (entry.nonce, None)
        journal.close()


async def test_another_match_as_they_sit_is_played_at_the_table(tmp_path: Path) -> None:
    drivers = await played_at(tmp_path, [Once(seat) for seat in range(SEATS)], Wire())
    assert {driver.next_table for driver in drivers} == {None}
    assert [driver.session and driver.session.matches_over for driver in drivers] == [2] * SEATS


class Once(Wishing):
    """Wants one more match as all sit, and no third."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, 0)

    async def tell(self, event: Event, session: SeatView) -> None:
        if isinstance(event, MatchEnded) and session.matches_over == 2:
            self._seating = None
        await super().tell(event, session)
