"""Seats at the table of a match, over a wire, when a referee stops the hand that they play."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from cli.commands.screen import result_lines
from cli.commands.tournament_new import Terms
from cli.local.sitting import SeatOptions
from cli.local.transcripts import JournalOnDisk, surroundings
from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import PlaySettings
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.driver import SeatDriver
from cli.store.identity import IdentityStore
from cli.store.paths import table_directory
from cli.tournament.bots import Wanted, enter_teams, home_of
from cli.tournament.match_seat import sit_down, table_of
from cli.tournament.referee import ruling_about
from p2p304.games import agreed_game, full_agreement
from p2p304.tournament.systems import Elimination, Unit
from protocol.places import EPOCH
from protocol.seat.view import SeatView
from protocol.table.events import Event, HandRuled
from protocol.wire.contents import RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import sign_ruling
from tests.client.text_person import sitting
from tests.loopback import Wire
from tests.table.championship import REFEREE as CUP_REFEREE
from tests.table.championship import Championship, new_charter
from tests.table.refereed import tell
from tests.table.test_tournament_results import MatchTable

pytestmark = pytest.mark.timeout(120)
TERMS = Terms("304", None, (), "4", "none", None, None)
REFEREE = SigningKey(b"R" * 32)


class Late(BotSeat):
    """Answers at the moment at which it hears that the hand was stopped."""

    def __init__(self, seed: int, asked: asyncio.Queue[tuple[int, SeatDriver]]) -> None:
        super().__init__(seed, self._hear)
        self.driver: SeatDriver
        self.refusals: list[str] = []
        self._asked = asked
        self._ruled = asyncio.Event()

    async def decide(self, session: SeatView) -> Any:
        """Wait for a ruling, and do then what was allowed before."""
        hand = session.hand()
        assert hand is not None
        action = session.legal_actions()[0]
        await self._asked.put((hand.number, self.driver))
        await self._ruled.wait()
        return action

    async def refused(self, reason: str) -> None:
        """Note that it was refused what it was asked for."""
        self.refusals.append(reason)

    def _hear(self, event: Event, _: SeatView) -> None:
        if isinstance(event, HandRuled):
            self._ruled.set()


async def test_what_was_due_of_a_hand_that_a_referee_stops_is_asked_no_more(tmp_path: Path) -> None:
    def charter(key: Any) -> Any:
        return TERMS.charter("Cup", key, (REFEREE.public,), ("mqtt://127.0.0.1:1",))

    folder, wire = enter_teams(Wanted(2, tmp_path), charter), Wire()
    match = (judged := folder.judged).tournament.matches[0]  # type: ignore[union-attr]  # drawn
    table = table_of(judged, match)
    asked: asyncio.Queue[tuple[int, SeatDriver]] = asyncio.Queue()
    async with AsyncExitStack() as stack:
        players = []
        for team, place in ((1, 1), (2, 1), (1, 2), (2, 2)):
            home = home_of(tmp_path, team, place)
            key = IdentityStore(home).key(secrets.token_bytes)
            journal, setup, options = sit_down(folder, judged, match, home, key, SeatOptions())
            stack.enter_context(journal)
            directory = table_directory(home, table.table)
            player = Late(team, asked)
            player.driver = SeatDriver(
                journal=JournalOnDisk(journal),
                setup=setup,
                key=key,
                transport=await stack.enter_async_context(wire.transport()),
                player=player,
                around=surroundings(directory),
                options=options,
            )
            players.append(player)
        runs = [asyncio.create_task(each.driver.run()) for each in players]
        number, driver = await asked.get()
        assert number == 0
        assert driver.session is not None
        state, redeal = driver.session.table_state, RulingVerdict.REDEAL
        content = ruling_about(state, redeal, 0, "", hand=None, closed=None)
        stranger = await stack.enter_async_context(wire.transport())
        line = SealedLine(folder.invite(table.table), stranger)
        await line.send(sign_ruling(table, content, REFEREE).raw)
        while number != EPOCH:
            number, _ = await asked.get()
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
    assert not any(player.refusals for player in players)


async def test_a_walk_over_before_the_first_hand_is_told_to_its_end(tmp_path: Path) -> None:
    rules = full_agreement("304", "championship")
    system = Elimination((4,), None, Unit.TOKENS)
    cup = Championship(2, new_charter(system, brokers=(), profiles=(rules,))).drawn()
    charter = table_of(cup.judged, cup.match(1))
    table = MatchTable(cup, charter, agreed_game("304", rules))
    session = table.chairs[0].session
    point = ruling_about(
        session.table_state, RulingVerdict.WALK_OVER, 2, "", hand=None, closed=None
    )
    tell(table, sign_ruling(charter, point, CUP_REFEREE))
    screen, person = ClientSeat(PlaySettings()), sitting(tmp_path)
    await screen.begin(lambda: session.seen)
    await person.seat.begin(lambda: session.seen)
    for event in table.chairs[0].events:
        await screen.tell(event, session.seen)
        await person.seat.tell(event, session.seen)
    assert "East-West did not come" in "\n".join(screen.frame(80, 24).text())
    screen.press("enter")
    assert "North-South win the match: " in "\n".join(screen.frame(80, 24).text())
    assert "North-South win the match" in "\n".join(result_lines(screen, session.seen))
    assert "North-South win the match" in person.said()
    assert "Hand  North-South" not in person.said()
