"""Talk: between hands, where the charter allows it, refused in a sentence everywhere else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from cli.commands.host import with_chat
from cli.errors import UserError
from cli.front.player_commands import MUTE, NOT_AGREED, NOT_NOW
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Mode
from cli.screen.model import after_view
from cli.screen.preferences import PlaySettings
from cli.screen.prompts import keys_line
from cli.seat.charter_text import rules_lines
from p2p304.games import (
    create_game,
    register,
)
from p2p304.rules304.agreement import format_full_agreement, parse_full_agreement
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.sentences import TALK_RULE
from protocol.seat.session import Session
from protocol.table.events import ChatReceived
from protocol.topics.commands import Say
from tests.client.highest_card import ENTRY, NAME
from tests.client.moments import MOMENTS
from tests.client.recorded_commands import RecordedCommands
from tests.client.text_person import FOUR, Person, sitting
from tests.table.bus import Table

TALKING = f"pagat; +{TALK_RULE}"
EAST = Seat(1)


def before_the_first_hand(agreement: str) -> Session:
    return Table(create_game("304", agreement), 1).chairs[0].session


@pytest.fixture(scope="session")
def bidding() -> Session:
    """A table that talks, in an auction, our seat to speak or not."""
    made = Table(create_game("304", TALKING), 1).begun()
    session = made.chairs[0].session

    def auction() -> bool:
        view = session.view()
        return view is not None and view.state.phase is Phase.AUCTION4

    made.run(auction)
    return session


def test_the_house_rule_is_part_of_what_all_sign_and_changes_no_rule() -> None:
    game, plain = create_game("304", TALKING), create_game("304", "pagat")
    assert isinstance(game, Game304)
    assert isinstance(plain, Game304)
    full = format_full_agreement(game.profile)
    assert parse_full_agreement(full) == game.profile
    assert full.split("\n")[1:] == format_full_agreement(plain.profile).split("\n")[1:]
    told = "\n".join(rules_lines(replace(FOUR, profile=full)))
    assert "Between hands the players may write to each other" in told


async def test_words_go_to_the_table_between_hands(person: Person) -> None:
    session = before_the_first_hand(TALKING)
    await person.seat.begin(lambda: session)
    said = await person.asks("say Well played\x1b[2J, all!", "say")
    assert said == [Say("Well played\x1b[2J, all!")]  # who hears it makes it safe for itself
    assert "You say: Well played" in person.said()
    assert "Type say and your words." in person.said()
    await person.seat.tell(ChatReceived(EAST, "thanks\x1b]52;c;x\x07"), session)
    assert "says: thanks" in person.said()
    assert "\x1b" not in person.said()


@pytest.mark.parametrize(
    ("agreed", "mute", "said"),
    [("pagat", False, NOT_AGREED), (TALKING, True, MUTE), (None, False, NOT_NOW)],
    ids=["not agreed", "mute", "in a hand"],
)
async def test_talk_is_refused_and_not_heard_where_it_may_not_be(
    agreed: str | None, mute: bool, said: str, bidding: Session, tmp_path: Path
) -> None:
    person = sitting(tmp_path, mute=mute)
    session = before_the_first_hand(agreed) if agreed else bidding
    await person.seat.begin(lambda: session)
    assert await person.asks("say I have the nine") == []
    assert " ".join(said.split()) in person.words()
    await person.seat.tell(ChatReceived(EAST, "psst"), session)
    assert "psst" not in person.said()
    person.end()


@pytest.mark.parametrize(
    ("agreement", "mute", "heard"),
    [(TALKING, False, True), (TALKING, True, False), ("pagat", False, False)],
    ids=["agreed", "mute", "not agreed"],
)
async def test_the_full_screen_talks_where_it_was_agreed(
    agreement: str, *, mute: bool, heard: bool
) -> None:
    session = before_the_first_hand(agreement)
    seat = ClientSeat(PlaySettings(agree=True, mute=mute))
    commands = RecordedCommands()
    seat.bind(commands.do)
    await seat.begin(lambda: session)
    await seat.tell(ChatReceived(EAST, "psst"), session)
    for key in ("/", *"hi", "enter"):
        seat.press(key)
    await asyncio.sleep(0)
    assert commands.words == (["hi"] if heard else [])
    assert ("psst" in "\n".join(seat.frame(80, 24).text())) is heard
    notices = []
    for key in ("escape", "n", "/"):  # whatever was typed is put away, and the table not left
        seat.press(key)
        notices.append(seat.desk.notice)
    assert notices[-1].startswith("" if heard else MUTE if mute else NOT_AGREED)
    assert (notices[-1] == "") is heard


async def test_what_comes_during_a_hand_waits_unread_for_the_next_pause(bidding: Session) -> None:
    seat = ClientSeat(PlaySettings(agree=True))
    await seat.begin(lambda: bidding)
    seat.desk = replace(seat.desk, talk=True)
    await seat.tell(ChatReceived(EAST, "psst"), bidding)
    assert "psst" not in "\n".join(seat.frame(80, 24).text())
    assert seat.table is not None
    shown = [text for text, _ in keys_line(seat.table, seat.desk)]
    assert "[/] 1 message after the hand" in shown
    view = seat.table.view()
    assert view is not None
    table = after_view(seat.table, 7, view)
    assert [text for _, text in table.chat] == ["psst"]
    result = replace(MOMENTS["10-result"]().table, chat=table.chat, unread=table.unread)
    seat.table, seat.desk = result, replace(seat.desk, mode=Mode.SUMMARY)
    assert "psst" in "\n".join(seat.frame(80, 24).text())
    seat.press("x")
    assert seat.table.unread == 0


def test_a_game_without_talk_is_hosted_without_it() -> None:
    with register(NAME, ENTRY), pytest.raises(UserError, match=f"There is no --chat in {NAME}"):
        with_chat(NAME, (), chat=True)
