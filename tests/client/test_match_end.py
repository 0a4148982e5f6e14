"""Between hands and after the last, on the screen: talk, ends, and cards that move."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click as commands
import pytest
from click.testing import CliRunner

from cli.bounds import CARD_MOVES_FOR, MOVING_FRAME
from cli.commands.display import Screen, screen_options
from cli.commands.host import with_chat
from cli.commands.screen import invite_lines, result_lines
from cli.errors import UserError
from cli.front.player_commands import (
    MUTE,
    NOT_AGREED,
    NOT_NOW,
    offers,
    seating_words,
    seatings,
    wanted_lines,
)
from cli.front.story import deciding_hand, headline, match_rows
from cli.front.writing import Writer
from cli.local.sitting import new_setup, new_table
from cli.net.address import BrokerAddress
from cli.net.transport import LinkState, LinkStatus
from cli.screen.canvas import Frame, Ground
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Flight, Mode, PlainDeed, TableStage
from cli.screen.export import picture
from cli.screen.footer import keys_line
from cli.screen.input import click, press, settle
from cli.screen.model import Table, after_notice, after_view, ends_with_a_trick
from cli.screen.moving import LEAST, STUTTERS, Movement
from cli.screen.overlays import at_the_end
from cli.screen.preferences import Colouring, Colours, PlaySettings
from cli.screen.render import render
from cli.screen.replay import ReplayScreen
from cli.screen.watching import WatchedTable
from cli.seat.charter_text import rules_lines
from cli.seat.driver import AfterMatch
from cli.seat.setup import ENDLESS
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import FILE, SettingsFile
from p2p304.cards import Slot
from p2p304.games import agreed_game, create_game
from p2p304.rules304.agreement import format_full_agreement
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.sentences import TALK_RULE
from p2p304.view import View
from protocol.seat.session import Session
from protocol.table.events import (
    ChatReceived,
    EndProposed,
    HandEnded,
    HandUnfinished,
    MatchEnded,
    RefereeBlamed,
    RematchAgreed,
    RematchWanted,
    SecondOpinionDiffered,
    Waiting,
)
from protocol.topics.commands import EndUnfinished, Say, WantRematch
from protocol.wire.contents import ANY_SEATING, Ruling
from tests.client.highest_card import NAME
from tests.client.moments import (
    MOMENTS,
    MOMENTS_41,
    MOMENTS_OF_SEATS,
    Clock,
    OpenHand,
    Script,
    empty_table,
    hand_of_bots,
    hands,
    match_41,
    match_304,
    quiet,
)
from tests.client.test_ui_app import Person as ScreenPerson
from tests.client.test_ui_app import at_the_window
from tests.client.test_ui_render import TABLES, tables
from tests.client.text_person import FOUR, Person, RecordedCommands, Terminal, sitting
from tests.table.bus import Table as Bus
from tests.table.bus import charter

# --- match end ------------------------------------------------------------------------------------

# The end of a match: who won it, its score hand by hand, what decided it, and another one.

NAMES = ("Amara", "Banu", "Chandra", "Dilini")
SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


def ended() -> Table:
    """South's table at the end of a match of 304, its result not read yet."""
    return replace(MOMENTS["10-result"]().table, match=match_304())


def drawn(table: Table, desk: Desk, columns: int = 80, rows: int = 40) -> str:
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
    assert "again as you sit" not in drawn(watching, desk)


def test_the_end_of_a_match_comes_back_after_talk_invites_and_help() -> None:
    table = ended()
    desk = Desk(mode=Mode.MATCH, talk=True, invites=("P2P304-ABC",))
    table = replace(table, state=None)
    for key, mode in (("i", Mode.INVITES), ("f1", Mode.HELP)):
        there, deed = press(desk, table, key)
        assert (there.mode, deed) == (mode, None)
        if mode is Mode.INVITES:
            assert "P2P304-ABC" in drawn(table, there)
        assert press(there, table, "escape")[0].mode is Mode.MATCH
    writing = replace(desk, mode=Mode.TALK)
    assert press(writing, table, "escape")[0].mode is Mode.MATCH


@pytest.mark.parametrize("mode", [Mode.CHARTER, Mode.SUMMARY, Mode.FINISH, Mode.MATCH])
def test_the_rules_are_a_key_away_from_whatever_is_read_and_lead_back_to_it(mode: Mode) -> None:
    table = MOMENTS["01-charter"]().table if mode is Mode.CHARTER else ended()
    desk = Desk(mode=mode, told=("", "Rules: 304"))
    there, deed = press(desk, table, "?")
    assert (there.mode, deed) == (Mode.RULES, None)
    text = "\n".join(render(table, there, 80, 24).text())
    assert "The rules of this moment" in text
    for key in ("?", "enter", "escape"):
        assert press(there, table, key)[0] == desk
    assert press(there, table, "y") == (there, None)


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
    assert (seat.table.news, seat.table.waiting) == (before.news, ())
    await seat.tell(RematchWanted(Seat(1), 0), session)
    assert seat.table.news[-1].endswith("wants another match as you sit.")
    assert seat.desk.mode is Mode.MATCH
    assert seat.considers()
    await seat.tell(RematchAgreed(None), session)
    frame = drawn(seat.table, seat.desk, 80, 24)
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
    return Bus(create_game("304", agreement), 1).chairs[0].session


@pytest.fixture(scope="session")
def bidding() -> Session:
    """A table that talks, in an auction, our seat to speak or not."""
    made = Bus(create_game("304", TALKING), 1).begun()
    session = made.chairs[0].session

    def auction() -> bool:
        view = session.view()
        return view is not None and view.state.phase is Phase.AUCTION4

    made.run(auction)
    return session


def test_the_house_rule_is_part_of_what_all_sign_and_changes_no_rule() -> None:
    game, plain = create_game("304", TALKING), create_game("304", "pagat")
    full = format_full_agreement(game.profile)
    assert agreed_game("304", full).profile == game.profile
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
    shown = [text for text, _ in keys_line(seat.table, seat.desk)]
    assert "[/] 1 message after the hand" in shown
    view = seat.table.view()
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
    await seat.begin(lambda: at_screen.session)
    await seat.tell(RematchAgreed(0), at_screen.session)
    await seat.link(LinkStatus(LinkState.WAITING, "The broker is away.", 1.0))
    assert "away" in "\n".join(seat.frame(80, 24).text())
    await seat.refused("That is not yours.")
    assert seat.desk.notice == "That is not yours."
    assert seat.stage is not TableStage.READ
    await seat.tell(RematchAgreed(1), at_screen.session)
    assert seat.stage is TableStage.READ


async def test_an_error_stands_on_the_screen_until_it_was_read(at_screen: ScreenPerson) -> None:
    await at_screen.seat.begin(lambda: at_screen.session)
    at_screen.seat.ended(ValueError("The broker has gone for good."))
    assert at_screen.seat.table.stopped == "The broker has gone for good."
    assert at_screen.seat.desk.mode is Mode.SUMMARY
    assert not at_screen.seat.closed.is_set()


async def test_who_agrees_to_end_a_hand_is_told_who_must_agree_too(at_screen: ScreenPerson) -> None:
    commands = RecordedCommands()
    at_screen.seat.bind(commands.do)
    await at_screen.seat.begin(lambda: at_screen.session)
    await at_screen.tell(Waiting((Seat(3),), 0.0))
    for key in "ey":
        at_screen.seat.frame(80, 24)
        at_screen.seat.press(key)
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
    assert "Somebody shows another charter" in " ".join(watched.table.news)
    watched.ended(ValueError("The connection was closed."))
    assert watched.table.stopped == "The connection was closed; Ctrl-C leaves."
    watched.ended()
    assert watched.table.stopped.startswith("The connection was closed")
    assert not watched.closed.is_set()
    watched.press("c-c")
    assert watched.closed.is_set()


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


# --- ui endings -----------------------------------------------------------------------------------

# How a hand's end is shown: the trick that ended it, the summary, an end by agreement.

PRESENT = (SOUTH, EAST, NORTH)


def ended_hand() -> OpenHand:
    """A hand that ended with its last trick."""
    for hand in hands(8, empty_table()):
        while hand.state.awaiting:
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))
        if ends_with_a_trick(hand.table):
            return hand
    raise AssertionError("no hand ended with a trick")


@pytest.mark.parametrize("name", ["304", "41", "400"])
def test_the_last_trick_of_every_game_lies_there_until_enter_then_comes_the_summary(
    name: str,
) -> None:
    table = ended_hand().table
    if name != "304":
        table = hand_of_bots(name, "", 4, seat=SOUTH, dealer=WEST, scores=(11, 11, 11, 11))[-1]
    assert ends_with_a_trick(table)
    desk = at_the_end(Desk(), table)
    assert desk.mode is Mode.FINISH
    for shown in (table, replace(table, number=1, state=None, faces={})):
        text = drawn(shown, desk, rows=24)
        for each in table.telling.last_trick(View(SOUTH, table.state, table.faces)):
            assert table.writer.card(each.card) in text
        assert "wins" in text
    assert "This trick ended the hand." in drawn(table, desk, rows=24)
    for key in ("l", "x", "9"):
        assert press(desk, table, key)[0].mode is Mode.FINISH
    desk, deed = press(desk, table, "enter")
    assert (desk.mode, deed) == (Mode.SUMMARY, None)
    desk, deed = press(desk, table, "enter")
    assert (desk.mode, deed) == (Mode.TABLE, PlainDeed.CLOSE)


def test_a_hand_that_was_ended_shows_by_whom_and_what_comes_next() -> None:
    table = ended_hand().table
    view = OpenHand(replace(table, summary=None, state=None), seed=9).open.view(SOUTH)
    table = after_view(table, table.number + 1, view)
    table = after_notice(table, Waiting((WEST,), 0.0), clock="23:07")
    table = after_notice(table, EndProposed(EAST, 1, PRESENT))
    table = after_notice(table, HandUnfinished(1, PRESENT), transcript="000001.p304")
    desk = at_the_end(Desk(), table)
    assert desk.mode is Mode.SUMMARY
    shown = drawn(table, desk, rows=24)
    assert "Hand 2 was ended unfinished" in shown
    assert "South, East and North agreed to end the hand where it stood, without West." in shown
    assert "Nothing more is played at this table." in shown
    assert "p2p304 audit 000001.p304" in shown
    assert "Hand 1 is over" not in shown
    assert "Waiting for" not in shown
    for mode in (Mode.SUMMARY, Mode.TABLE):
        assert ("[e] end", "key e") not in keys_line(table, Desk(mode=mode))


def test_the_shell_tells_how_the_last_hand_and_the_match_ended() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    session = bus.chairs[0].session
    after = AfterMatch(ENDLESS)
    assert [*result_lines(after.endings, session)] == []
    outcome = MOMENTS["10-result"]().table.summary
    for number in (0, 1):
        after.hear(HandEnded(number, outcome.outcome, (12, 10)), session)
    after.hear(MatchEnded(1, (0, 22)), session)
    assert [*result_lines(after.endings, session)] == [
        "Hand 2:",
        outcome.outcome.summary,
        "The score now: North-South 12, East-West 10.",
        "East-West win the match: North-South 0, East-West 22.",
    ]
    after.hear(HandUnfinished(2, PRESENT), session)
    hand, ended = result_lines(after.endings, session)
    assert hand == "Hand 3:"
    assert "agreed to end the hand here, unfinished" in ended


async def test_the_trick_that_ends_a_hand_goes_by_itself_after_the_set_time_and_no_result() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    session = bus.chairs[0].session
    hours = map(float, range(0, 1 << 20, 3_600))
    seat = ClientSeat(PlaySettings(agree=True, go_on=True), clock=lambda: next(hours))
    await seat.begin(lambda: session)
    seat.table = ended_hand().table
    outcome = seat.table.summary.outcome
    await seat.tell(HandEnded(0, outcome, (22, 0)), session)
    await seat.tell(MatchEnded(0, (22, 0)), session)
    assert seat.desk.mode is Mode.FINISH
    while seat.desk.mode is Mode.FINISH:
        await asyncio.sleep(0)
    seat.ended()
    for _ in range(100):
        await asyncio.sleep(0)
    assert seat.desk.mode is Mode.SUMMARY
    assert not seat.closed.is_set()
    assert "win the match" in "\n".join(seat.frame(80, 24).text())
    seat.press("enter")
    assert seat.desk.mode is Mode.MATCH
    seat.press("enter")
    assert seat.closed.is_set()


# --- ui screens -----------------------------------------------------------------------------------

# Screens of decisive moments, compared with the captures that were accepted.
#
# When a screen changes on purpose, look at it and accept it:
#
#     P2P304_ACCEPT_SCREENS=1 pytest tests/client/test_match_end.py

SCREENS = Path(__file__).resolve().parents[2] / "specs" / "screens"
EVERY = {**MOMENTS, **MOMENTS_41, **MOMENTS_OF_SEATS}
SHOWN = "06-inspection"  #: What the first page shows.

ACCEPTING = os.environ.get("P2P304_ACCEPT_SCREENS") == "1"


@pytest.mark.parametrize("name", EVERY)
def test_a_decisive_moment_looks_as_it_was_accepted(name: str) -> None:
    text = "\n".join(line.rstrip() for line in EVERY[name]().frame().text()) + "\n"
    path = SCREENS / f"{name}.txt"
    if ACCEPTING:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    accepted = path.read_text("utf-8") if path.exists() else ""
    assert text == accepted, f"look at it:\n{text}\nthen accept it as the head of this file says"


def test_the_picture_of_the_first_page_is_the_screen() -> None:
    moment = EVERY[SHOWN]()
    settings = replace(moment.desk.settings, filled=True)
    shown = moment._replace(desk=replace(moment.desk, settings=settings))
    colouring = Colouring(colours=Colours.TRUE)
    title = "A hand of 304 in a terminal"
    drawn = picture(shown.frame(), 80, title=title, colouring=colouring)
    path = SCREENS / f"{SHOWN}.svg"
    if ACCEPTING:
        path.write_text(drawn, "utf-8")
    assert path.read_text("utf-8") == drawn, "look at the screen, and accept it"
    page = (SCREENS.parents[1] / "README.md").read_text("utf-8")
    assert f'<img src="specs/screens/{SHOWN}.svg"' in page


def test_no_capture_is_left_over() -> None:
    assert {path.stem for path in SCREENS.glob("*.txt")} == set(EVERY)


# --- ui movement ----------------------------------------------------------------------------------

# A card moves into the trick: once, to its place, and only where that costs nobody anything.

ONE, TWO, THREE = map(Slot, range(3))
ENVIRONMENT = ("NO_MOTION", "REDUCE_MOTION", "ACCESSIBLE", "NO_COLOR", "SSH_CONNECTION", "SSH_TTY")


def flown(
    clock: Clock, movement: Movement, lying: tuple[Slot, ...], *, frame: float = MOVING_FRAME
) -> list[Flight]:
    """The frames of a flight, one after the other, until none is left."""
    frames = []
    while (flight := movement.look(lying)) is not None:
        frames.append(flight)
        clock.now += frame
    return frames


def test_a_card_that_was_played_moves_once_and_comes_to_an_end() -> None:
    clock = Clock()
    movement = Movement(clock)
    assert movement.look((ONE,)) is None  # it lay there when the screen came up
    frames = flown(clock, movement, (ONE, TWO))
    assert {flight.slot for flight in frames} == {TWO}
    ways = [flight.way for flight in frames]
    assert ways[0] == 0.0
    assert ways == sorted({*ways})
    assert ways[-1] < 1.0
    assert clock.now - 100.0 <= CARD_MOVES_FOR + MOVING_FRAME
    assert flown(clock, movement, (ONE, TWO)) == []
    assert {flight.slot for flight in flown(clock, movement, (THREE,))} == {THREE}
    assert movement.on


def test_a_line_too_slow_for_it_sees_few_cards_stutter_and_no_more() -> None:
    clock = Clock()
    movement = Movement(clock)
    assert movement.look(()) is None
    tricks = [(Slot(number),) for number in range(20)]
    for trick, frame in zip(tricks, (2 * CARD_MOVES_FOR, MOVING_FRAME) * 3, strict=False):
        flown(clock, movement, trick, frame=frame)
        assert movement.on, "one that stutters among others that do not is an accident"
    for trick in tricks[-STUTTERS:]:
        assert movement.on
        assert len(flown(clock, movement, trick, frame=2 * CARD_MOVES_FOR)) < LEAST
    assert not movement.on


async def test_frames_are_asked_for_until_the_card_has_come_and_never_without_a_movement() -> None:
    script = Script(SOUTH).to_play().ready()
    before, after = script.hand.table, script.play("KS").hand.table
    for on in (True, False):
        clock, arrived, drawn = Clock(), asyncio.Event(), 0
        movement = Movement(clock)
        movement.on = on

        def redraw() -> None:
            nonlocal drawn
            drawn += 1
            clock.now += MOVING_FRAME  # noqa: B023 - called within this turn of the loop alone
            if movement.over(Desk(), after, redraw).flight is None:  # noqa: B023 - the same
                arrived.set()  # noqa: B023 - the same

        assert movement.over(Desk(), before, redraw).flight is None
        moves = movement.over(Desk(), after, redraw).flight is not None
        assert moves is on
        if on:
            async with asyncio.timeout(60):
                await arrived.wait()
            assert LEAST <= drawn <= CARD_MOVES_FOR / MOVING_FRAME + 2
        assert movement.over(Desk(mode=Mode.RULES), before, redraw).flight is None
    assert drawn == 0


def ground(frame: Frame) -> list[tuple[int, int]]:
    """Rows and columns of all cells of faces and backs."""
    cells = []
    for row, line in enumerate(frame.lines):
        column = 0
        for span in line:
            if span.ground in (Ground.CARD, Ground.CHOSEN, Ground.COVERED):
                cells += [(row, column + each) for each in range(len(span.text))]
            column += len(span.text)
    return cells


@pytest.mark.parametrize(("game", "profile"), TABLES, ids=["-".join(each) for each in TABLES])
def test_on_its_way_a_card_stays_on_the_screen_and_ends_where_it_lies_without(
    game: str, profile: str
) -> None:
    lying = (each for each in tables(game, profile, 1) if (scene := each.scene()) and scene.lying)
    # Six plays, as a player and a spectator see them; each game begins with another size.
    for number, table in enumerate(islice(lying, 12), 2 * TABLES.index((game, profile))):
        columns, rows = ((60, 20), (80, 24), (140, 45), (200, 60))[number // 2 % 4]
        slot = table.scene().lying[-1].slot
        desk = Desk(settings=PlaySettings(filled=True))
        still = render(table, desk, columns, rows)
        for way in (0.0, 0.3, 0.8):
            frame = render(table, replace(desk, flight=Flight(slot, way)), columns, rows)
            assert len(frame.lines) == rows
            assert {len(line) for line in frame.text()} == {columns}
            assert ground(frame)
        there = render(table, replace(desk, flight=Flight(slot, 1.0)), columns, rows)
        assert {*ground(there)} >= {*ground(still)}
    assert next(lying)


@pytest.mark.parametrize(
    ("changed", "settings", "moves"),
    [
        ({}, {}, True),
        *(({variable: "1"}, {}, False) for variable in ENVIRONMENT),
        *(({variable: "1"}, {"colours": "true"}, False) for variable in ENVIRONMENT),
        ({"COLORTERM": ""}, {}, False),
        ({}, {"movement": "no"}, False),
        ({}, {"plain": "yes"}, False),
        ({}, {"plain": "yes", "movement": "yes"}, False),
        ({}, {"colours": "16"}, False),
        ({}, {"ascii": "yes"}, False),
        ({"SSH_TTY": "/dev/pts/1"}, {"movement": "yes"}, True),
    ],
)
def test_settings_and_environment_decide_together(
    changed: dict[str, str],
    settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    moves: bool,
) -> None:
    for variable in ENVIRONMENT:
        monkeypatch.delenv(variable, raising=False)
    for name, value in {"COLORTERM": "truecolor", HOME_VARIABLE: str(tmp_path), **changed}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / FILE).unlink(missing_ok=True)
    SettingsFile(tmp_path).keep(settings)
    seen: list[Screen] = []
    command = commands.command(screen_options(lambda screen: seen.append(screen)))
    CliRunner(charset="utf-8").invoke(command, [], catch_exceptions=False)
    assert seen[0].play_settings.moves is moves


# --- ui shown -------------------------------------------------------------------------------------

# Whoever sits at the screen sees what happened before proofs are made that others wait for.


def beginning() -> Session:
    table = Bus(create_game("304", "pagat"), 1)
    table.confirm()
    return table.chairs[0].session


async def test_what_was_told_is_drawn_before_work_goes_on() -> None:
    session, seat = beginning(), ClientSeat(PlaySettings(agree=True))
    await seat.begin(lambda: session)
    await asyncio.wait_for(seat.shown(), timeout=0.001)  # nothing is to be drawn
    frames: list[str] = []

    def draw() -> None:
        frames.append("\n".join(seat.frame(80, 24).text()))

    seat.changed = lambda: asyncio.get_running_loop().call_soon(draw)  # type: ignore[assignment]
    await seat.tell(Waiting((Seat(1),), 0.0), session)
    assert not frames
    await seat.shown()
    assert "East" in frames[-1]
    assert "waiting" in frames[-1].lower()


async def test_what_was_said_before_there_was_a_screen_is_among_its_first_news() -> None:
    session, seat = beginning(), ClientSeat(PlaySettings(agree=True))
    seat.announce("In the auction Amara is bold.")
    await seat.begin(lambda: session)
    assert "In the auction Amara is bold." in "\n".join(seat.frame(80, 24).text())
    await seat.begin(lambda: session)
    assert "Amara is bold" not in "\n".join(seat.frame(80, 24).text())
