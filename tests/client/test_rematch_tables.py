"""Another match with real drivers: at the same table, and in other seats at the next one."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from shutil import copytree

import pytest

from cli.front.player_commands import CarryOut
from cli.local.records import StoredTable, table_records
from cli.local.rematch import agreed_journal, next_bots, next_setup
from cli.local.sitting import SeatOptions, keep_setup, kept_setup, new_setup, new_table
from cli.local.transcripts import JournalOnDisk, surroundings
from cli.net.address import BrokerAddress
from cli.seat.bots import BotSeat
from cli.seat.driver import SeatDriver
from cli.seat.setup import Setup, charter_in
from cli.store.identity import IdentityStore
from cli.store.journal import Journal
from cli.store.paths import make_private_directory, table_directory
from p2p304.seats import Seat
from protocol.seat.view import SeatView
from protocol.table.events import Event, MatchEnded
from protocol.topics.commands import WantRematch
from protocol.wire.rematch import moved_seats
from tests.client.highest_card import NAME
from tests.loopback import Wire

pytestmark = pytest.mark.timeout(240)
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
            assert self._wants is not None
            self._errands.start(self._wants(WantRematch(self._seating)))

    def considers(self) -> bool:
        return self._seating is not None and self._look is not None and self._look().won is not None


async def drive(
    stack: AsyncExitStack, root: Path, journal: Journal, setup: Setup, player: BotSeat, wire: Wire
) -> SeatDriver:
    stack.enter_context(journal)
    return SeatDriver(
        journal=JournalOnDisk(journal),
        setup=setup,
        key=IdentityStore(root).key(CHANCE),
        transport=await stack.enter_async_context(wire.transport()),
        player=player,
        around=surroundings(table_directory(root, setup.invite.table)),
        options=SeatOptions(matches=1, linger=0.0),
    )


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
        assert agreed[0] is not None
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
        assert founding is not None
        for each in invites:
            assert each.seat is not None
            assert founding.tokens[each.seat] == each.token
        await asyncio.gather(*(each.run() for each in following))
        for driver in following:
            assert driver.session is not None
            assert driver.session.matches_over == 1
            assert driver.next_table is None
    for seat in range(SEATS):
        states = [each.state for each in table_records(tmp_path / str(seat))]
        assert states == [StoredTable.ENDED] * 2


def test_a_seat_that_died_on_its_way_to_the_next_table_comes_there_all_the_same(
    moved: tuple[Path, list[SeatDriver]],
) -> None:
    homes, (driver, *_) = moved
    assert driver.next_table is not None
    setup, charter = next_setup(driver.setup, *driver.next_table, CHANCE)
    root = homes / "0"
    journal, kept = agreed_journal(root, setup, charter)
    journal.close()
    other, _ = next_setup(driver.setup, *driver.next_table, CHANCE)
    assert other.seed != setup.seed  # drawn anew, and never used
    journal, again = agreed_journal(root, other, charter)
    journal.close()
    assert again == kept == setup
    journal, resumed = kept_setup(root, charter.table)
    assert (resumed, charter_in(journal.records())) == (setup, (charter.to_bytes(), True))
    journal.close()


def test_bots_go_on_with_their_keys_in_homes_of_the_next_table(
    moved: tuple[Path, list[SeatDriver]],
) -> None:
    homes, (driver, *_) = moved
    assert driver.next_table is not None
    charter, _, seating = driver.next_table
    root = homes / "0"
    before = table_directory(root, charter.table)
    for seat in range(1, SEATS):
        home = make_private_directory(before / f"bot-{seat}")
        IdentityStore(homes / str(seat)).copy_key(home)
    setup, there = next_setup(driver.setup, *driver.next_table, CHANCE)
    bots = next_bots(
        root, driver.setup, setup, there, seating, (Seat(1), Seat(2)), ("--again",), CHANCE
    )
    assert sorted(bot.invite.seat or 0 for bot in bots) == [1, 2]
    for bot in bots:
        assert bot.invite.seat is not None
        entry = there.seats[bot.invite.seat]
        assert IdentityStore(bot.home).public_key == entry.key
        assert (bot.options, bot.name) == (("--again",), entry.nickname)
        journal, kept = kept_setup(bot.home, there.table)
        assert charter_in(journal.records()) == (there.to_bytes(), True)
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
