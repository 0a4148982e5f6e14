"""What a player is told of claims that hold a seat after a restart, and of an older journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.errors import UserError
from cli.local.transcripts import HandFiles, transcript_path
from cli.returning import BEHIND, parse_vouched_seats
from cli.screen.desk import Desk
from cli.screen.model import after_notice, new_table
from cli.screen.render import render
from cli.seat import bots as botseat
from cli.seat.bots import BotSeat
from p2p304.games import create_game, register
from p2p304.seats import Seat
from protocol.seat.session import Session
from protocol.table.events import ClaimsOpen, JournalBehind
from tests.client.highest_card import ENTRY, NAME
from tests.client.highest_card.rules import Highest
from tests.client.text_person import sitting
from tests.table.boasting import LIAR, US, in_a_hand
from tests.table.bus import Table
from tests.table.seating import charter

FOUR = charter(4, game="304")


def held() -> Session:
    """The session of a seat that a boast holds after its restart."""
    table = in_a_hand(game=Highest())
    table.boasts = True
    table.restart(US)
    table.run(lambda: bool(table.chairs[US].session.open_claims()))
    session: Session = table.chairs[US].session
    return session


async def test_whose_claim_holds_the_seat_is_told_in_lines_and_on_the_screen(
    tmp_path: Path,
) -> None:
    session, person = held(), sitting(tmp_path)
    event = ClaimsOpen(session.open_claims())
    with register(NAME, ENTRY):
        await person.seat.begin(lambda: session)
        await person.seat.tell(event, session)
        await person.seat.tell(JournalBehind(session.seat), session)
    person.end()
    said = " ".join(person.said().split())
    assert f"seat {LIAR + 1}" in said
    assert f"resume --vouch 'seat {LIAR + 1}'" in said
    assert "You sign nothing until they come" in said
    assert BEHIND in said
    screen = new_table(create_game("304", "pagat"), FOUR, Seat(0), scores=(11, 11))
    for news, words in ((event, "--vouch north"), (JournalBehind(Seat(0)), "older copy")):
        lines = " ".join(render(after_notice(screen, news), Desk(), 80, 24).text())
        assert words in " ".join(lines.split())
    lines = render(after_notice(screen, event), Desk(), 80, 24).text()
    assert "North claims to have" in " ".join(lines)


def test_seats_are_vouched_against_by_their_place_or_nickname() -> None:
    nickname = FOUR.seats[3].nickname
    assert parse_vouched_seats(FOUR, ["North", nickname.upper()], Seat(0)) == {Seat(2), Seat(3)}
    assert parse_vouched_seats(FOUR, [], Seat(0)) == frozenset()
    for wrong in ("South", "somebody", ""):
        with pytest.raises(UserError, match="takes one of"):
            parse_vouched_seats(FOUR, [wrong], Seat(0))


async def test_a_bot_that_a_claim_holds_leaves_with_a_sentence_and_signs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, bot = held(), BotSeat(1)
    monkeypatch.setattr(botseat, "LOOK_INTERVAL", 0.0)
    monkeypatch.setattr(botseat, "HELD_FOR", 0.0)
    await bot.begin(lambda: session)
    with pytest.raises(UserError, match="A bot does not decide this"):
        await bot.leaving()


def test_a_transcript_of_a_hand_that_the_journal_lacks_shows_that_it_is_older(
    tmp_path: Path,
) -> None:
    table: Table = in_a_hand(Table)
    table.run(table.all_played(1))
    session, files = table.chairs[US].session, HandFiles(tmp_path)
    assert not files.save_missing(session)
    assert not files.save_missing(session)
    transcript_path(tmp_path, session.charter, 3).write_bytes(b"of later")
    assert files.save_missing(session)
