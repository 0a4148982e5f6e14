"""Between hands and after the last: talk, what is read and clicked, the end of a match."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.commands.host import with_chat
from cli.commands.screen import invite_lines
from cli.errors import UserError
from cli.front.match_history import deciding_hand, headline, match_rows
from cli.front.player_commands import MUTE, NOT_AGREED, NOT_NOW
from cli.front.rematch import offers, seating_words, seatings, wanted_lines
from cli.front.writing import Writer
from cli.local.sitting import new_setup, new_table
from cli.net.address import BrokerAddress
from cli.net.transport import LinkState, LinkStatus
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode, PlainDeed, TableStage
from cli.screen.input import click, press, settle
from cli.screen.model import Table, after_notice, after_view
from cli.screen.preferences import PlaySettings
from cli.screen.prompts import keys_line
from cli.screen.render import render
from cli.screen.replay import ReplayScreen
from cli.screen.watching import WatchedTable
from cli.seat.charter_text import rules_lines
from p2p304.games import (
    create_game,
)
from p2p304.rules304.agreement import format_full_agreement, parse_full_agreement
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.sentences import TALK_RULE
from protocol.seat.session import Session
from protocol.table.events import (
    ChatReceived,
    MatchEnded,
    RefereeBlamed,
    RematchAgreed,
    RematchWanted,
    SecondOpinionDiffered,
    Waiting,
)
from protocol.topics.commands import EndUnfinished, Say, WantRematch
from protocol.wire.contents import ANY_SEATING, Ruling
from tests.client.ended_matches import match_41, match_304
from tests.client.highest_card import NAME
from tests.client.moments import MOMENTS
from tests.client.recorded_commands import RecordedCommands
from tests.client.test_pace import Person as ScreenPerson
from tests.client.test_pace import at_the_window
from tests.client.text_person import FOUR, Person, Terminal, sitting
from tests.table.bus import Table as Bus
from tests.table.bus import Table as BusTable
from tests.table.bus import charter

# --- match end ------------------------------------------------------------------------------------

# The end of a match: who won it, its score hand by hand, what decided it, and another one.

NAMES = ("Amara", "Banu", "Chandra", "Dilini")
SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


def ended() -> Table:
    """South's table at the end of a match of 304, its result not read yet."""
    return replace(MOMENTS["10-result"]().table, match=match_304())


def shown(table: Table, desk: Desk, columns: int = 80, rows: int = 40) -> str:
    return "\n".join(render(table, desk, columns, rows).text())


@pytest.fixture(scope="module")
def over(highest_card: None) -> Bus:
    """A real table of three at the end of its match."""
    bus = Bus(create_game(NAME), 3).begun()
    bus.run(lambda: all(session.match_winner is not None for session in bus.sessions))
    return bus


def test_a_match_in_which_every_seat_has_a_score_is_told_seat_by_seat() -> None:
    game, history = create_game("41"), match_41()
    lines = [*match_rows(game, history, Writer(4))]
    assert lines[0].startswith("North-South win the match after 2 hands: South ")
    assert lines[1] == f"The last hand decided it: {history.hands[1].outcome.summary}"
    assert lines[2] == (
        "Bid: South made 2 of 2, East made 0 of 2, North made 1 of 2, West made 1 of 2."
    )
    assert lines[4].split() == ["Hand", "S", "E", "N", "W"]
    assert lines[5].split()[:5] == ["5", *map(str, history.hands[0].scores)]


def test_who_wants_what_is_told_and_who_has_said_nothing() -> None:
    wanted = {SOUTH: 0, EAST: ANY_SEATING, NORTH: 1}
    assert [*wanted_lines(create_game("304"), NAMES, wanted, SOUTH, Writer(4))] == [
        "You want another match as you sit.",
        "Chandra wants other partners: Amara and Dilini against Chandra and Banu.",
        "Banu wants another match, in any seats.",
        "Waiting for West; it begins when all want the same.",
    ]
    every = dict.fromkeys((SOUTH, EAST, NORTH, WEST), 0)
    first, *_ = wanted_lines(create_game("304"), NAMES, every, SOUTH, Writer(4))
    assert first == "You, Banu, Chandra and Dilini want another match as you sit."


def test_who_waits_for_another_match_does_not_leave_by_a_stray_enter() -> None:
    table, desk = replace(ended(), wanted={SOUTH: 0, EAST: 1}), Desk(mode=Mode.MATCH)
    assert press(desk, table, "enter") == (desk, None)
    assert press(desk, table, "escape")[1] is PlainDeed.CLOSE
    assert press(desk, table, "1")[1] == WantRematch(1)
    assert settle(desk, replace(table, match=None)).mode is Mode.TABLE
    watching = replace(table, seat=None)
    assert press(desk, watching, "r") == (desk, None)
    assert "again as you sit" not in shown(watching, desk)


def test_the_end_of_a_match_comes_back_after_talk_invites_and_help() -> None:
    table = ended()
    desk = Desk(mode=Mode.MATCH, talk=True, invites=("P2P304-ABC",))
    table = replace(table, state=None)
    for key, mode in (("i", Mode.INVITES), ("f1", Mode.HELP)):
        there, deed = press(desk, table, key)
        assert (there.mode, deed) == (mode, None)
        if mode is Mode.INVITES:
            assert "P2P304-ABC" in shown(table, there)
        assert press(there, table, "escape")[0].mode is Mode.MATCH
    writing = replace(desk, mode=Mode.TALK)
    assert press(writing, table, "escape")[0].mode is Mode.MATCH


def test_a_founder_s_invites_are_those_of_seats_without_a_bot_and_one_to_watch(
    tmp_path: Path,
) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat")
    founder = new_setup(table.invites[0], "Amara", founding=table.founding)
    (tmp_path / "bot-1").mkdir()
    text = [*invite_lines(founder, tmp_path)]
    assert table.watch.format() in text
    assert [each.format() in text for each in table.invites] == [False, False, True, True]
    others = [*invite_lines(new_setup(table.invites[2], "Chandra"), tmp_path)]
    assert table.watch.format() in others
    assert not any(each.format() in others for each in table.invites)


async def test_what_others_want_is_told_on_the_screen(over: Bus) -> None:
    seat = ClientSeat(PlaySettings(agree=True))
    session = over.sessions[2]
    await seat.begin(lambda: session)
    before = seat.table
    await seat.tell(RematchWanted(Seat(1), ANY_SEATING), session)  # a bot's: nobody need know
    await seat.tell(Waiting((Seat(0), Seat(1)), 0.0), session)
    assert before is not None
    assert seat.table is not None
    assert (seat.table.news, seat.table.waiting) == (before.news, ())
    await seat.tell(RematchWanted(Seat(1), 0), session)
    assert seat.table.news[-1].endswith("wants another match as you sit.")
    assert seat.desk.mode is Mode.MATCH
    assert seat.considers()
    await seat.tell(RematchAgreed(None), session)
    frame = shown(seat.table, seat.desk, 80, 24)
    assert "so often that no other match" in frame
    assert press(seat.desk, seat.table, "r")[1] is None
    assert not seat.considers()


@pytest.fixture
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    there = Terminal(tmp_path)
    leaving = asyncio.create_task(there.seat.leaving())
    yield there
    there.hang_up()
    async with asyncio.timeout(300):
        await leaving


async def test_at_the_end_of_a_match_whoever_types_is_offered_another_one(
    over: Bus, terminal: Terminal
) -> None:
    session = over.chairs[0].session
    await terminal.seat.begin(lambda: session)
    (won,) = [each for each in over.chairs[0].events if isinstance(each, MatchEnded)]
    await terminal.seat.tell(won, session)
    said = await terminal.said("quit       leave")
    assert "Another match, with the same people? Type\n  rematch    " in said
    await terminal.seat.tell(RematchWanted(EAST, 0), session)
    await terminal.said("want")
    terminal.type("what?")
    await terminal.said("It is not your turn; help shows what you can look at.")
    terminal.type("rematch 9")
    await terminal.said("That is: rematch, or rematch and a number that was listed.")
    assert terminal.commands == []
    terminal.type("rematch")
    async with asyncio.timeout(300):
        while not terminal.commands:
            await asyncio.sleep(0.005)
    assert terminal.commands == [WantRematch(0)]
    await terminal.seat.tell(RematchAgreed(None), session)
    await terminal.said("You all named different seats so often")


def test_the_deciding_hand_is_the_one_that_brought_the_winners_most() -> None:
    game, history = create_game("304"), match_304()
    assert deciding_hand(game, history._replace(hands=history.hands[:4])) == history.hands[2]
    assert deciding_hand(game, history._replace(hands=history.hands[1:2])) is None
    told = headline(game, history._replace(hands=()), Writer(4))
    assert told == "East-West win the match: North-South 0, East-West 22."


def test_partners_change_where_there_are_any_and_never_to_the_same_ones() -> None:
    assert seatings(create_game("304")) == (1, 2)
    assert seatings(create_game("41")) == (1, 2)
    assert seatings(create_game("304", "six36")) == (1, 2, 3, 4)
    assert seatings(create_game("304", "maharashtra")) == ()
    assert [seating_words(create_game("304"), NAMES, seating) for seating in (0, 1, 2)] == [
        "Amara and Chandra against Banu and Dilini",
        "Amara and Dilini against Chandra and Banu",
        "Amara and Banu against Dilini and Chandra",
    ]
    assert [key for key, _, _ in offers(create_game("304"), NAMES)] == ["r", "1", "2"]


# --- talk -----------------------------------------------------------------------------------------

# Talk: between hands, where the charter allows it, refused in a sentence everywhere else.

TALKING = f"pagat; +{TALK_RULE}"


def before_the_first_hand(agreement: str) -> Session:
    return BusTable(create_game("304", agreement), 1).chairs[0].session


@pytest.fixture(scope="session")
def bidding() -> Session:
    """A table that talks, in an auction, our seat to speak or not."""
    made = BusTable(create_game("304", TALKING), 1).begun()
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


def test_a_game_without_talk_is_hosted_without_it(highest_card: None) -> None:
    with pytest.raises(UserError, match=f"There is no --chat in {NAME}"):
        with_chat(NAME, (), chat=True)


# --- ui between -----------------------------------------------------------------------------------

# The screens between two moves: what is read, written and clicked there, and what comes late.


def auction() -> Table:
    return MOMENTS["02-auction"]().table


# --- keys -----------------------------------------------------------------------------------------


def test_what_is_written_loses_its_last_letter_and_takes_no_other_key() -> None:
    desk = Desk(mode=Mode.TALK, talk=True, typed="hallo")
    assert press(desk, auction(), "backspace")[0].typed == "hall"
    assert press(desk, auction(), "left") == (desk, None)
    challenge = Desk(mode=Mode.CHALLENGE)
    assert keys_line(auction(), challenge)[0] == ("[Enter] send it", "key enter")


# --- what happens ---------------------------------------------------------------------------------


def test_news_of_a_referee_and_of_a_defect_are_told() -> None:
    ruled = [SimpleNamespace(referee=0, content=Ruling(0, 3, bytes(32), 1, 0, "")) for _ in "12"]
    blame: Any = RefereeBlamed((ruled[0], ruled[1]), b"")  # type: ignore[arg-type]
    table = after_notice(auction(), blame)
    assert table.stopped.startswith("Referee 1 ruled twice where a referee rules once")
    assert table.choices == ()
    table = after_notice(auction(), SecondOpinionDiffered(EAST, 3, "no heart"))
    assert "With the cards open, no heart is false" in table.news[-1]


# --- the screen of a seat -------------------------------------------------------------------------


@pytest.fixture
def at_screen() -> ScreenPerson:
    return ScreenPerson(at_the_window())


async def test_a_click_is_the_same_as_its_key_and_none_before_the_table(
    at_screen: ScreenPerson,
) -> None:
    at_screen.seat.click("key ?")
    assert at_screen.seat.desk.mode is Desk().mode
    await at_screen.seat.begin(lambda: at_screen.session)
    at_screen.seat.frame(80, 24)
    at_screen.seat.click("key ?")
    assert at_screen.seat.desk.mode is Mode.RULES


async def test_the_seat_hears_of_refusals_the_link_and_of_another_match(
    at_screen: ScreenPerson,
) -> None:
    seat = at_screen.seat
    await seat.link(LinkStatus(LinkState.WAITING, "The broker is away.", 1.0))
    await seat.tell(RematchAgreed(0), at_screen.session)  # before it began: it is looked at now
    assert seat.table is not None
    await seat.link(LinkStatus(LinkState.WAITING, "The broker is away.", 1.0))
    assert "away" in "\n".join(seat.frame(80, 24).text())
    await seat.refused("That is not yours.")
    assert seat.desk.notice == "That is not yours."
    assert seat.state.stage is not TableStage.READ
    await seat.tell(RematchAgreed(1), at_screen.session)
    assert seat.state.stage is TableStage.READ


async def test_an_error_stands_on_the_screen_until_it_was_read(at_screen: ScreenPerson) -> None:
    await at_screen.seat.begin(lambda: at_screen.session)
    at_screen.seat.ended(ValueError("The broker has gone for good."))
    assert at_screen.seat.table is not None
    assert at_screen.seat.table.stopped == "The broker has gone for good."
    assert at_screen.seat.desk.mode is Mode.SUMMARY
    assert not at_screen.seat.state.closed


async def test_who_agrees_to_end_a_hand_is_told_who_must_agree_too(at_screen: ScreenPerson) -> None:
    commands = RecordedCommands()
    at_screen.seat.bind(commands.do)
    await at_screen.seat.begin(lambda: at_screen.session)
    await at_screen.tell(Waiting((Seat(3),), 0.0))
    for key in "ey":
        at_screen.seat.frame(80, 24)
        at_screen.seat.press(key)
    assert at_screen.seat.table is not None
    assert any("You agree to end the hand" in line for line in at_screen.seat.table.news)
    await asyncio.sleep(0)
    assert commands == [EndUnfinished((SOUTH, EAST, Seat(2)))]


# --- the other screens ----------------------------------------------------------------------------


async def test_a_spectator_clicks_leaves_and_is_told_the_end() -> None:
    watched = WatchedTable()
    watched.click("key ?")
    watched.press("?")
    watched.ended()
    assert (watched.table, watched.desk.mode) == (None, Mode.TABLE)
    await watched.show(create_game("304"), charter(game="304"))
    assert watched.title() == "p2p304: looking on"
    assert watched.calls() == ""
    watched.click("key ?")
    assert watched.desk.mode is Mode.RULES
    await watched.show(create_game("304"), charter(table="another", game="304"))
    assert watched.table is not None
    assert "Somebody shows another charter" in " ".join(watched.table.news)
    watched.ended(ValueError("The connection was closed."))
    assert watched.table.stopped == "The connection was closed; Ctrl-C leaves."
    watched.ended()
    assert watched.table.stopped.startswith("The connection was closed")
    assert not watched.closed
    watched.press("c-c")
    assert watched.closed


def test_a_replay_takes_clicks_on_its_keys() -> None:
    table = auction()
    replay: Any = SimpleNamespace(
        steps=[SimpleNamespace(table=table)] * 3,
        at=lambda _step, all_cards: table,
        trick_after=lambda step: step,
        trick_before=lambda step: step,
    )
    screen = ReplayScreen(replay)
    assert (screen.title(), screen.calls()) == ("p2p304 replay", "")
    screen.click("key right")
    screen.click("card 3")
    assert screen.step == 1


def test_a_card_that_is_in_the_order_already_is_picked_no_second_time() -> None:
    moment = MOMENTS["08-caps-order"]()
    picked = moment.desk.picked or moment.desk.pending.order[:1]  # type: ignore[union-attr]
    desk = replace(moment.desk, mode=Mode.ORDER, picked=picked)
    assert click(desk, moment.table, f"card {int(picked[0])}") == (desk, None)
