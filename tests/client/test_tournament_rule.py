"""What a referee signs, at which point, and that it never signs two rulings for one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest

from cli.commands.tournament_rule import WantedRuling, seen, sign_once
from cli.errors import UserError
from cli.local.sitting import SeatOptions
from cli.local.transcripts import JournalOnDisk, surroundings
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of
from cli.seat.driver import SeatDriver
from cli.seat.sentences import TableStopped
from cli.store.paths import table_directory
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import sit_down, table_of
from p2p304.games import full_agreement
from p2p304.tournament.tournament import Elimination
from protocol.seat.watcher import Watcher
from protocol.table.table import TableState
from protocol.topics.referee import apply_ruling
from protocol.wire.charter import Charter
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedRuling, sign_ruling
from tests.loopback import Wire
from tests.table.bus import REFEREES, refereed, refereed_at, tell
from tests.table.championship import (
    OTHER_REFEREE,
    REFEREE,
    Championship,
    new_charter,
)


def ruling_about(
    state: TableState,
    verdict: RulingVerdict,
    against: int,
    text: str,
    *,
    hand: int | None,
    closed: int | None,
) -> Ruling:
    """What a referee says with the command, of sides in place of teams."""
    teams = ("one", "other")
    named = tuple(team for side, team in enumerate(teams) if against >> side & 1)
    word = verdict.name.lower().replace("_", "-")
    return WantedRuling(1, word, named, hand, closed, text).at(state, teams)


def test_a_ruling_is_about_the_newest_point_or_an_earlier_one_that_was_seen() -> None:
    state = refereed_at(1, 3).chairs[0].session.table_state
    penalty = RulingVerdict.PENALTY
    newest = ruling_about(state, penalty, 1, "why", hand=None, closed=None)
    assert (newest.hand, newest.closed) == (1, 3)
    earlier = ruling_about(state, penalty, 1, "", hand=0, closed=2)
    assert (earlier.hand, earlier.closed) == (0, 2)
    for hand, closed in ((1, 4), (2, None), (2, 0)):
        with pytest.raises(UserError, match="has not come to that point"):
            ruling_about(state, penalty, 1, "", hand=hand, closed=closed)


def test_before_the_first_hand_a_team_that_never_comes_can_lose(tmp_path: Path) -> None:
    table = refereed(confirmed=False)
    state = table.chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.WALK_OVER, 1, "", hand=None, closed=None)
    ruling = sign_once(state, content, REFEREES[0], tmp_path)
    assert apply_ruling(state, ruling) is not None
    redeal = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    with pytest.raises(UserError):
        sign_once(state, redeal, REFEREES[0], tmp_path / "elsewhere")


def test_what_was_signed_is_on_the_disk_and_a_second_ruling_is_refused(tmp_path: Path) -> None:
    table = refereed_at(0, 3)
    state = table.chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    ruling = sign_once(state, content, REFEREES[0], tmp_path)
    (path,) = tmp_path.glob("*.p304r")
    assert path.read_bytes() == ruling.raw
    assert sign_once(state, content, REFEREES[0], tmp_path) == ruling
    for verdict, against, closed in (
        (RulingVerdict.NO_ACTION, 0, 3),
        (RulingVerdict.PENALTY, 1, 3),
        (RulingVerdict.END, 0, 2),
    ):
        other = ruling_about(state, verdict, against, "", hand=0, closed=closed)
        with pytest.raises(UserError, match=r"convict you of ruling\.twice"):
            sign_once(state, other, REFEREES[0], tmp_path)
    tell(table, ruling)
    after = table.chairs[0].session.table_state
    assert sign_once(after, content, REFEREES[0], tmp_path) == ruling
    assert table.chairs[0].session.table_state.rulings.signed == (ruling,)


def test_a_ruling_of_another_referee_takes_no_memory_of_ours(tmp_path: Path) -> None:
    state = refereed_at(0, 3, referees=2).chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    other = ruling_about(state, RulingVerdict.END, 0, "", hand=None, closed=None)
    sign_once(state, content, REFEREES[0], tmp_path)
    sign_once(state, other, REFEREES[1], tmp_path)
    with pytest.raises(UserError, match=r"convict you of ruling\.twice"):
        sign_once(state, other, REFEREES[0], tmp_path)


def test_what_cannot_be_ruled_is_not_signed(tmp_path: Path) -> None:
    state = refereed_at(0, 3).chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.PENALTY, 0, "", hand=None, closed=None)
    with pytest.raises(UserError, match="walk-over name a team, --against"):
        sign_once(state, content, REFEREES[0], tmp_path)
    assert not [*tmp_path.iterdir()]


def watcher_at(table: Charter, referee: SigningKey) -> Watcher:
    return Watcher(charter=table, game=game_of(table), referee=referee)


class Contradicted(NamedTuple):
    """A match whose two referees have ruled against each other."""

    cup: Championship
    folder: TournamentFolder
    table: Charter
    rulings: tuple[SignedRuling, SignedRuling]


def contradicted(tmp_path: Path) -> Contradicted:
    agreed = full_agreement("304", "championship")
    system = Elimination((7,), None)
    charter = new_charter(system, profiles=(agreed,), brokers=("mqtt://127.0.0.1:1",))
    cup = Championship(2, charter).drawn()
    folder = TournamentFolder.make(tmp_path / "cup", cup.record, bytes(range(32)))
    table = table_of(cup.judged, cup.match(1))
    state = watcher_at(table, REFEREE).table_state
    one, other = (
        sign_ruling(table, ruling_about(state, verdict, 1 << side, "", hand=None, closed=None), by)
        for side, (verdict, by) in enumerate(
            ((RulingVerdict.WALK_OVER, REFEREE), (RulingVerdict.DISQUALIFIED, OTHER_REFEREE))
        )
    )
    return Contradicted(cup, folder, table, (one, other))


async def stopped_seat(found: Contradicted, root: Path, wire: Wire, *, again: bool) -> str:
    """Why the first seat stops, which others tell, or its own journal when it comes back."""
    cup, folder = found.cup, found.folder
    directory = table_directory(root, found.table.table)
    key = cup.keys[found.table.seats[0].key]
    journal, setup, _ = sit_down(folder, cup.judged, cup.match(1), root, key, SeatOptions())
    try:
        async with wire.transport() as transport, wire.transport() as theirs:
            driver = SeatDriver(
                journal=JournalOnDisk(journal),
                setup=setup,
                key=key,
                transport=transport,
                player=BotSeat(0),
                around=surroundings(directory),
                options=SeatOptions(linger=0.0),
            )
            run = asyncio.create_task(driver.run())
            line = SealedLine(setup.invite, theirs)
            while not again and not run.done():
                for each in found.rulings:
                    await line.send(each.raw)
                await asyncio.sleep(0.05)  # until it has come to hear
            with pytest.raises(TableStopped) as stopped:
                await run
    finally:
        journal.close()
    return str(stopped.value)


@pytest.mark.timeout(120)
async def test_referees_who_rule_against_each_other_are_both_told_also_to_who_comes_back(
    tmp_path: Path,
) -> None:
    found, wire = contradicted(tmp_path), Wire()
    told = await stopped_seat(found, tmp_path / "home", wire, again=False)
    assert "Referees 1 and 2 ruled against each other. Referee 1 ruled on hand 1" in told
    assert "a walk-over: North-South did not come, and have lost the match." in told
    assert "Referee 2 ruled on hand 1, round 0: East-West are disqualified" in told
    assert "a referee decides match 1 in the tournament's record" in told
    assert await stopped_seat(found, tmp_path / "home", wire, again=True) == told


@pytest.mark.timeout(60)
async def test_a_referee_learns_from_the_table_that_rulings_contradict_each_other(
    tmp_path: Path,
) -> None:
    found, wire = contradicted(tmp_path), Wire()
    invite = found.folder.invite(found.table.table)
    async with wire.transport() as transport, wire.transport() as theirs:
        looking = seen(SealedLine(invite, transport), (found.table,), OTHER_REFEREE)
        run = asyncio.create_task(looking)
        line = SealedLine(invite, theirs)
        while not run.done():
            for each in found.rulings:
                await line.send(each.raw)
            await asyncio.sleep(0.05)
        with pytest.raises(TableStopped, match="Referees 1 and 2 ruled against each other"):
            await run
