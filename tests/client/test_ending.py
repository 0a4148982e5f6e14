"""Who is there, who is gone: presence, ending a hand without a player, and a substitute."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from cli.bounds import CHANGES, EARLY, RETIRED, SIGNED, SILENT_AFTER, TOGETHER, UNPROVED, WORDS
from cli.commands.lobby import places_for
from cli.commands.seating import trust_options
from cli.front.narrator import (
    GoingOn,
    Seen,
    Where,
    asks,
    awaited_words,
    left_out_words,
    lost_broker,
    news_of,
    presence_line,
)
from cli.front.player_commands import AnswerGoingOn, GoOn, Substitute, why_no_end
from cli.front.writing import Writer
from cli.invite import Invite
from cli.lines.console import Console
from cli.local.bot_processes import Bot, BotProcesses
from cli.local.sitting import new_setup, new_table
from cli.net.address import BrokerAddress
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode
from cli.screen.footer import keys_line, prompt_lines, trust_line
from cli.screen.input import press, settle
from cli.screen.model import Table, after_notice, after_presence
from cli.screen.overlays import at_the_end
from cli.screen.preferences import PlaySettings
from cli.screen.render import render
from cli.seat.bots import BotSeat
from cli.seat.channel import FrameAllowance, SealedLine
from cli.seat.player import word_of
from cli.seat.presence import Attendance, OwnPresence
from cli.seat.sentences import (
    FIRST_SHOWN,
    EndDialogue,
    missing_agreements,
    narrator_for,
    told_in_line,
)
from cli.seat.way_in import charter_there
from cli.store.paths import make_table_directory
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    EndProposed,
    EndUndone,
    Event,
    HandUnfinished,
    Waiting,
)
from protocol.topics.commands import EndUnfinished, PlayOn
from protocol.topics.step import SessionStatus
from protocol.version import PROTOCOL_VERSION
from protocol.wire import lobby
from protocol.wire.contents import Action, Chat, Confirmation, Continuation, Heads
from protocol.wire.identity import FRAME_SIZES, NO_SEAT, Purpose, Seal, SigningKey
from protocol.wire.lobby import Presence, Whereabouts
from tests.client.moments import MOMENTS, Clock, Moment, Script
from tests.client.text_person import RecordedCommands
from tests.loopback import Wire
from tests.table.bus import Table as Bus
from tests.table.bus import (
    charter,
    envelope,
    flipped,
    goes_on,
    left_after,
    notice,
    played,
    seeded,
    signing_key,
)
from tests.table.test_agreed_ends import PRESENT, abandoned, ended, one_has_not_signed
from tests.table.test_continuing import back_too_late
from tests.table.tiny_game import TinyGame

# --- presence -------------------------------------------------------------------------------------

# Who is there: told by signed words and by the broker's will, shown as hearsay, never deciding.

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
CHARTER = charter(4)
FIRST, SECOND = b"1" * 8, b"2" * 8


def word(
    state: Whereabouts,
    serial: int = 0,
    connection: bytes = FIRST,
    *,
    seat: Seat = EAST,
    key: SigningKey | None = None,
    serves: bool = False,
) -> Presence:
    """What East says."""
    presence = Presence(CHARTER.table, seat, connection, serial, state, serves)
    return presence.with_signature(key or signing_key(seat))


def heard(*words: tuple[Presence, float]) -> Attendance:
    attendance = Attendance(CHARTER, SOUTH)
    for each, now in words:
        attendance.hear(each, now)
    return attendance


def where(attendance: Attendance) -> Where | None:
    seen = attendance.states.get(EAST)
    return None if seen is None else seen.where


def test_a_seat_that_comes_and_goes_all_the_time_is_told_of_a_few_times() -> None:
    attendance = heard((word(Whereabouts.HERE), 0.0))
    both = (Whereabouts.AWAY, Whereabouts.HERE)
    told = [attendance.hear(word(both[each % 2], each + 1), each / 500) for each in range(500)]
    assert len([each for each in told if each is not None]) == CHANGES.at_once - 1
    assert attendance.hear(word(Whereabouts.DONE, 900), 1 + 1 / CHANGES.a_second) is not None
    assert where(attendance) is Where.DONE


def test_a_seat_is_here_then_silent_then_here_again() -> None:
    attendance = heard((word(Whereabouts.HERE), 0.0))
    assert where(attendance) is Where.HERE
    assert attendance.newly_silent(SILENT_AFTER - 1, connected=True) == []
    ((seat, seen),) = attendance.newly_silent(SILENT_AFTER, connected=True)
    assert (seat, seen.where, seen.since) == (EAST, Where.SILENT, 0.0)
    assert attendance.newly_silent(SILENT_AFTER + 9, connected=True) == []
    again = attendance.hear(word(Whereabouts.HERE, 1), 40.0)
    assert again.where is Where.HERE


def test_nobody_is_silent_while_we_hear_nothing_ourselves() -> None:
    attendance = heard((word(Whereabouts.HERE), 0.0))
    assert attendance.newly_silent(100.0, connected=False) == []
    assert attendance.newly_silent(100.0 + SILENT_AFTER - 1, connected=True) == []


def test_a_will_counts_for_its_own_connection_alone() -> None:
    here = (word(Whereabouts.HERE, 5), 0.0)
    will = word(Whereabouts.LOST, 0)
    assert where(heard(here, (will, 1.0))) is Where.LOST
    back = (word(Whereabouts.HERE, 1, SECOND), 2.0)
    assert where(heard(here, back, (will, 3.0))) is Where.HERE
    assert where(heard((word(Whereabouts.LOST, 0, SECOND), 0.0))) is Where.LOST
    assert where(heard(here, (word(Whereabouts.LOST, 0, SECOND), 1.0))) is Where.HERE


def test_a_goodbye_outlasts_the_will_and_ends_with_a_new_connection() -> None:
    here, bye = (word(Whereabouts.HERE, 5), 0.0), (word(Whereabouts.DONE, 6), 1.0)
    assert where(heard(here, bye, (word(Whereabouts.LOST, 0), 2.0))) is Where.DONE
    assert where(heard(here, bye, (word(Whereabouts.HERE, 4), 2.0))) is Where.DONE
    assert where(heard(here, bye, (word(Whereabouts.HERE, 0, SECOND), 2.0))) is Where.HERE


@pytest.mark.parametrize(
    "forged",
    [
        word(Whereabouts.AWAY, 9, key=SigningKey(b"\1" * 32)),
        replace(word(Whereabouts.HERE, 9), state=Whereabouts.AWAY),
        replace(word(Whereabouts.AWAY, 9), table=b"x" * 16),
        replace(word(Whereabouts.AWAY, 9), serves=True),
        word(Whereabouts.AWAY, 9, seat=SOUTH, key=signing_key(SOUTH)),
        word(Whereabouts.AWAY, 5),
    ],
    ids=["another key", "another state", "another table", "more than was said", "ours", "repeated"],
)
def test_a_word_that_is_forged_repeated_or_our_own_changes_nothing(forged: Presence) -> None:
    attendance = heard((word(Whereabouts.HERE, 5), 0.0))
    assert attendance.hear(forged, 1.0) is None
    assert where(attendance) is Where.HERE
    assert SOUTH not in attendance.states


def test_a_flood_of_words_grows_nothing() -> None:
    attendance = Attendance(CHARTER, SOUTH)
    for number in range(200):
        attendance.hear(word(Whereabouts.HERE, 0, number.to_bytes(8, "big")), float(number))
    assert len(attendance.states) == 1
    kept, forgotten = 199 - RETIRED, 198 - RETIRED
    assert attendance.hear(word(Whereabouts.AWAY, 0, kept.to_bytes(8, "big")), 200.0) is None
    assert attendance.hear(word(Whereabouts.AWAY, 0, forgotten.to_bytes(8, "big")), 200.0)


def own(*, founds: bool) -> tuple[OwnPresence, Seal, bytes]:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    founding = replace(table.founding, broker_here=True) if founds else None
    setup = new_setup(table.invites[0], "Asha", founding=founding)
    invite = setup.invite
    seal = Seal(invite.table_key, invite.table)
    return OwnPresence(setup, SigningKey(b"\2" * 32)), seal, invite.table


def test_every_word_and_the_will_have_one_size_and_say_who_runs_the_broker() -> None:
    for founds in (True, False):
        said, seal, table = own(founds=founds)
        will = said.will()
        assert len(will) == FRAME_SIZES[0]
        payloads = [seal.open(will).payload, *map(said.next_word, Whereabouts)]
        assert len({len(each) for each in payloads}) == 1
        found = [lobby.from_bytes(each, seats=4, table=table) for each in payloads]
        words = [each for each in found if isinstance(each, Presence)]
        assert [each.serial for each in words] == [0, 1, 2, 3, 4]
        assert {each.serves for each in words} == {founds}
        assert words[0].state is Whereabouts.LOST
        before = words[0].connection
        renewed = lobby.from_bytes(seal.open(said.will()).payload, seats=4, table=table)
        assert renewed.connection != before


def test_the_screen_tells_at_once_and_as_hearsay() -> None:
    table = Script(SOUTH).to_play().hand.table
    seen = Seen(Where.LOST, 0.0)
    table = after_presence(table, EAST, seen)
    assert table.news[-1] == "The broker says that the connection of East was lost."
    text = "\n".join(Moment(table, Desk()).frame().text())
    assert "link lost?" in text
    table = after_presence(table, EAST, Seen(Where.HERE, 1.0))
    assert table.news[-1] == "East is here again."
    assert "link lost?" not in "\n".join(Moment(table, Desk()).frame().text())
    waiting = replace(table, waiting=(EAST,), since="21:03")
    assert "Waiting for East, here and thinking, since 21:03" in trust_line(waiting, 200)[1]


# --- sentences of presence ------------------------------------------------------------------------


GAME = create_game("304")
ALL = tuple(map(Seat, range(4)))


def test_a_hand_ends_with_a_seat_of_every_side_and_not_without_one() -> None:
    state = OpenTable(GAME, GAME.pack, SeededRandomness(1)).state
    assert why_no_end(GAME, None, ALL) == "There is no hand to end."
    assert why_no_end(GAME, state, ALL) == ""
    assert why_no_end(GAME, state, ALL[:2]) == ""
    one = why_no_end(GAME, state, (Seat(0), Seat(2)))
    assert "East or West too: the table waits" in one
    game = TinyGame(2, target=9)
    table = OpenTable(game, game.pack, SeededRandomness(1))
    while awaited := game.contributors(table.state):
        table.act(awaited[0], game.legal_actions(table.view(awaited[0]))[0])
    assert why_no_end(game, table.state, ALL[:2]).startswith("The hand has its result")


def test_every_change_of_presence_has_its_sentence() -> None:
    here = Seen(Where.HERE, 0.0)
    told = {
        where: presence_line(Seat(1), "Banu", Seen(where, 1.0, serves=True), here)
        for where in Where
    }
    assert "here again" in told[Where.HERE]
    assert "Nothing is heard of Banu" in told[Where.SILENT]
    assert "connection of Banu was lost" in told[Where.LOST]
    for gone in (Where.AWAY, Where.DONE):
        assert "has left" in told[gone]
        assert told[gone].endswith("The broker ran in that program, and has ended with it.")
    assert presence_line(Seat(1), "Banu", here, None) == ""
    host = presence_line(Seat(0), "Amara", Seen(Where.DONE, 1.0), here)
    assert host.startswith("The host, Amara, has ended the table")


def test_who_ran_a_lost_broker_is_named_if_anybody_said_so() -> None:
    names = {Seat(0): "Amara", Seat(1): "Banu"}
    quiet = {Seat(0): Seen(Where.HERE, 0.0), Seat(1): Seen(Where.HERE, 0.0)}
    assert lost_broker(names, quiet) == ""
    runs = {**quiet, Seat(1): Seen(Where.SILENT, 0.0, serves=True)}
    assert "runs in Banu's program, which may have ended" in lost_broker(names, runs)
    left = {**quiet, Seat(1): Seen(Where.AWAY, 0.0, serves=True)}
    assert "ran in Banu's program, which has left" in lost_broker(names, left)
    assert awaited_words((Seat(0),), quiet) == "here and thinking"
    assert awaited_words((Seat(1),), left) == "left"
    assert awaited_words((Seat(0), Seat(1)), left) == ""
    assert awaited_words((Seat(3),), left) == ""


# --- ending ---------------------------------------------------------------------------------------

# Ending a hand without a player who is gone: what is told and asked, in lines and on a screen.


def told(event: Event, session: Session) -> str:
    narrator = narrator_for(session.charter, session.game, seat=session.seat, how_to_end="Type end")
    return told_in_line(narrator, event, session)


@pytest.fixture(scope="session")
def left() -> Bus:
    """Seat 3, West, is gone."""
    return abandoned()


def test_what_was_shown_is_not_agreed_to_after_the_hand_has_gone_on(left: Bus) -> None:
    bus, ending = left.twin(), EndDialogue(SOUTH)
    ending.answer("end without west", bus.chairs[0].session)
    stood = _rounds(bus)
    bus.heal()
    bus.tick()
    bus.run(lambda: _rounds(bus) > stood)
    assert ending.answer("end now", bus.chairs[0].session) == (FIRST_SHOWN, ())


def _rounds(bus: Bus) -> int:
    hand = bus.chairs[0].session.table_state.hand()
    return 0 if hand is None else len(hand.ledger.rounds)


def away(*seats: Seat) -> Table:
    """The screen of an auction in which these are waited for."""
    return after_notice(playing(), Waiting(seats, 0.0), clock="14:02")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("end without south", "Name the places"),
        ("end without nowhere", "Name the places"),
        ("end without", "That is: end, or end without"),
        ("end it", "That is: end, or end without"),
        ("end without east north west", "Nobody ends a hand alone"),
    ],
)
def test_what_cannot_be_meant_is_said(left: Bus, said: str, told: str) -> None:
    ending = EndDialogue(SOUTH)
    assert told in ending.answer(said, left.chairs[0].session).sentence
    assert ending.answer("end now", left.chairs[0].session).present == ()


def test_where_only_a_signature_is_missing_it_is_said_why_nothing_can_be_ended() -> None:
    bus = one_has_not_signed()
    session, ending = bus.chairs[0].session, EndDialogue(SOUTH)
    said = ending.answer("end", session).sentence
    assert "only a signature is missing" in said
    assert "unconfirmed by West (Devi)" in said
    assert ending.answer("end now", session) == (FIRST_SHOWN, ())
    awaited = tuple(session.awaited_others())
    line = told(Waiting(awaited, 0.0), session)
    assert line.endswith("Owed: a signature of the result.")


def test_a_proposal_of_another_goes_first_and_one_without_us_is_told_as_such(left: Bus) -> None:
    session, ending = left.chairs[0].session, EndDialogue(SOUTH)
    without = EndProposed(EAST, 0, (EAST, NORTH))
    ending.proposed(without, session)
    assert told(without, session).endswith("West (Devi), and so without you.")
    both = EndProposed(EAST, 0, (SOUTH, EAST))
    ending.proposed(both, session)
    line = told(both, session)
    assert "East (Bimal) agrees to end this hand unfinished, without North (Chitra) and" in line
    assert "Type end to agree" in line
    ending.answer("end", session)
    assert ending.answer("end now", session).present == (SOUTH, EAST)


def test_that_others_must_agree_too_is_told_once_we_have() -> None:
    table = abandoned()
    session = table.chairs[0].session
    assert missing_agreements(session) == ""
    table.act(0, EndUnfinished(PRESENT))
    assert "when East (Bimal) and North (Chitra) agree" in missing_agreements(session)
    table.act(1, EndUnfinished(PRESENT))
    table.run(lambda: not table.flying)
    assert "when North (Chitra) agree" in EndDialogue(SOUTH).answer("end", session).sentence
    table.act(0, PlayOn())
    assert missing_agreements(session) == ""


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> BotSeat:
    monkeypatch.setattr("cli.seat.bots.BOT_WAITS_FOR", 0.0)
    monkeypatch.setattr("cli.seat.bots.BOT_LOOKS_EVERY", 0.0)
    return BotSeat(1)


async def answers(bot: BotSeat, session: Session, *proposed: tuple[Seat, ...]) -> list[object]:
    """What a bot wants of the table when East proposes to end a hand with these present."""
    commands = RecordedCommands()
    bot.bind(commands.do)
    await bot.begin(lambda: session)
    for present in proposed:
        await bot.tell(EndProposed(EAST, 0, present), session)
        await errands()
    return [*commands]


async def errands() -> None:
    """Wait until nothing is done any more beside the turns."""
    await asyncio.gather(*(each for each in asyncio.all_tasks() if each.get_name() == "errand"))


async def test_a_bot_ends_no_hand_without_a_seat_that_nobody_waits_for_nor_one_that_has_ended(
    left: Bus, bot: BotSeat
) -> None:
    session, all_four = left.chairs[0].session, (SOUTH, EAST, NORTH, WEST)
    proposed = ((SOUTH, EAST), (SOUTH, WEST), (EAST, WEST), all_four, PRESENT)
    assert await answers(bot, session, *proposed) == [EndUnfinished(PRESENT)]
    assert await answers(bot, ended(left.twin()).chairs[1].session, PRESENT) == []


async def test_a_bot_that_agreed_plays_on_once_nobody_is_missing_who_was_gone(
    left: Bus, bot: BotSeat
) -> None:
    table, commands = left.twin(), RecordedCommands()
    table.act(1, EndUnfinished(PRESENT))
    session = table.chairs[1].session
    bot.bind(commands.do)
    await bot.begin(lambda: session)
    looks = asyncio.create_task(bot.leaving())
    for _ in range(20):
        await asyncio.sleep(0)
    assert commands == []
    table.heal()
    table.run(lambda: session.awaited_seats == (EAST,))
    assert session.status is SessionStatus.AGREEING
    async with asyncio.timeout(60):
        while not commands:
            await asyncio.sleep(0)
    looks.cancel()
    assert commands[0] == PlayOn()
    table.act(1, commands[0])
    table.run(table.all_played(1))


@pytest.mark.parametrize(("present", "agrees"), [((SOUTH, NORTH), False), ((SOUTH, WEST), True)])
async def test_a_bot_ends_no_hand_with_its_partner_alone_although_both_others_are_away(
    present: tuple[Seat, ...], *, agrees: bool, bot: BotSeat
) -> None:
    gone = {SOUTH, EAST, NORTH, WEST} - {*present}
    table = Bus(TinyGame(4, target=100), 3).begun()
    table.run(lambda: _rounds(table) >= 3)  # all are to sort their cards
    table.part(*gone)
    table.wait(60)
    assert {*table.hand().ledger.missing} == gone
    found = await answers(bot, table.chairs[0].session, present)
    assert found == ([EndUnfinished(present)] if agrees else [])


async def test_a_bot_agrees_although_another_seat_has_its_part_to_say_in_the_same_round(
    bot: BotSeat,
) -> None:
    table = Bus(TinyGame(4, target=100), 3).begun()
    table.run(lambda: _rounds(table) >= 3)  # all are to sort their cards
    table.part(NORTH, WEST)
    table.wait(60)
    session, commands = table.chairs[0].session, RecordedCommands()
    assert {*session.awaited_others()} == {NORTH, WEST}
    bot.bind(commands.do)
    await bot.begin(lambda: session)
    await bot.tell(EndProposed(EAST, 0, (SOUTH, EAST, WEST)), session)
    await asyncio.sleep(0)  # the bot looks, and begins to wait
    table.part(NORTH)
    table.run(lambda: {*session.awaited_others()} == {NORTH})
    await errands()
    assert commands == [EndUnfinished((SOUTH, EAST, WEST))]


# --- the screen -----------------------------------------------------------------------------------


def playing() -> Table:
    return MOMENTS["02-auction"]().table


def test_the_key_asks_first_and_only_y_agrees_to_what_was_asked() -> None:
    table = away(WEST)
    desk, deed = press(Desk(), table, "e")
    assert (desk.mode, deed) == (Mode.END, None)
    asked = "End the hand for good, without West and a result, if all agree? (y/n)"
    assert asked in " ".join(prompt_lines(table, desk, 78)[1])
    assert press(desk, table, "y")[1] == EndUnfinished(tuple(table.could_end))
    assert set(table.could_end) == {SOUTH, EAST, NORTH}
    for key in ("n", "enter", "escape"):
        after, deed = press(desk, table, key)
        assert (after.mode, deed) == (Mode.TABLE, None)
    assert press(desk, replace(table, waiting=()), "y")[1] is None
    desk, deed = press(Desk(), playing(), "e")
    assert (desk.mode, deed) == (Mode.TABLE, None)
    assert desk.notice == "Nobody is missing: the hand can go on."


def test_nobody_agrees_to_more_than_was_asked() -> None:
    agreed = replace(away(WEST), agreed=(SOUTH, EAST, NORTH))
    for before, changed, asked, deed in (
        (
            away(WEST),
            after_notice(away(WEST), EndProposed(EAST, 0, (SOUTH, EAST))),
            "That has changed meanwhile. End the hand for good, without",
            EndUnfinished((SOUTH, EAST)),
        ),
        (replace(agreed, agreed=(SOUTH, EAST)), agreed, "if East and North do", PlayOn()),
    ):
        desk, _ = press(Desk(), before, "e")
        after, nothing = press(desk, changed, "y")
        assert (after.mode, nothing) == (Mode.END, None)
        assert asked in after.notice
        assert press(after, changed, "y")[1] == deed
    desk, _ = press(Desk(), agreed, "e")
    assert "if East and North do. Play on all the same?" in desk.notice
    assert press(desk, after_notice(agreed, EndUndone(0)), "y")[1] is None


# --- substitutes ----------------------------------------------------------------------------------

# The key for a substitute: there whenever somebody is waited for, and what is said of it.

WORD = Continuation(1, bytes(16), 1, 0b0111, ((3, 1),), 1, bytes(32))


@pytest.mark.parametrize(("key", "how"), [("b", Substitute.BOT), ("f", Substitute.FRIEND)])
def test_a_bot_or_a_friend_is_proposed(key: str, how: Substitute) -> None:
    desk, deed = press(Desk(), away(WEST), "+")
    assert (desk.mode, deed) == (Mode.SUBSTITUTE, None)
    assert desk.notice.startswith("Go on without West, if all agree?")
    keys = [words for words, _ in keys_line(away(WEST), desk)]
    assert keys == ["[b] a bot", "[f] a friend", "[n] no"]
    after, deed = press(desk, away(WEST), key)
    assert (after.mode, deed) == (Mode.TABLE, GoOn((WEST,), how))
    assert press(desk, away(WEST), "n")[1] is None
    assert press(desk, away(WEST), "y")[1] is None


def another(content: Continuation = WORD) -> Continuation:
    """A proposal of the same player's for another table."""
    return replace(content, table=b"\1" * 16)


@pytest.mark.parametrize(
    ("before", "after", "keys", "asks"),
    [
        ("bot", "waiting", "f", "Go on without West"),
        ("bot", "asked", "fn", "East wants to go on without West"),
        ("waiting", "asked", "bfn", "East wants to go on without West"),
        ("waiting", "both gone", "bf", "Go on without East and West"),
        ("waiting", "playing", "bf", "Nobody is waited for"),
        ("waiting", "here again", "bf", "Go on without West"),
        ("asked", "asked otherwise", "yn", "East wants to go on without West"),
        ("asked", "waiting", "yn", "Go on without West"),
    ],
)
def test_an_answer_to_a_question_that_has_changed_asks_again(
    before: str, after: str, keys: str, asks: str
) -> None:
    tables = {
        "playing": playing(),
        "waiting": away(WEST),
        "here again": replace(away(WEST), presence={WEST: Seen(Where.HERE, 0.0)}),
        "both gone": away(EAST, WEST),
        "bot": replace(playing(), bots=(EAST,)),
        "asked": replace(playing(), open_proposals=WORD),
        "asked otherwise": replace(playing(), open_proposals=another()),
    }
    asked, _ = press(Desk(), tables[before], "+")
    for key in keys:
        again, deed = press(asked, tables[after], key)
        assert deed is None, key
        assert again.notice.startswith("That has changed meanwhile. "), key
        assert asks in again.notice
        assert press(asked, tables[before], key)[1] is not None or key == "n"
    shown = settle(asked, tables[after])
    assert asks in shown.notice  # and the screen asks anew without a key
    assert press(asked, tables[after], "escape") == (Desk(), None)


def test_what_was_answered_counts_for_that_and_nothing_else() -> None:
    table = played(2)
    session = table.chairs[0].session.snapshot
    for wanted in (
        GoOn((), Substitute.BOT),
        GoOn((WEST,), Substitute.BACK),
        AnswerGoingOn(WORD, agrees=True),
        AnswerGoingOn(WORD, agrees=False),
    ):
        with pytest.raises(LocalError):
            word_of(session, wanted, seeded("nothing"))
    one = sorted(session.awaited_others())[0]
    said = word_of(session, GoOn((one,), Substitute.BOT), seeded("one"))
    assert (said.present, said.bots) == (0b1111 & ~(1 << one), ((one, 0),))
    promised = GoOn((one,), Substitute.FRIEND, table=bytes(range(len(said.table))))
    assert word_of(session, promised, seeded("two")).table == promised.table


def test_everybody_reads_who_refuses_and_that_all_agree() -> None:
    session = played(2).chairs[0].session.snapshot

    def said(event: GoingOn) -> str:
        return news_of(Writer(4), event, session)

    gone = said(ContinuationRefused(WEST, WORD))
    assert gone == "West is back: the hand goes on, and nothing comes of the proposal."
    other = said(ContinuationRefused(Seat(2), WORD))
    assert other == "North does not want to go on at another table."
    assert "once the bot sits there" in said(ContinuationAgreed(WORD))
    friend = replace(WORD, bots=())
    assert "East invites a friend" in said(ContinuationAgreed(friend))
    assert "a friend of East's" in said(ContinuationProposed(EAST, friend))
    assert said(ContinuationProposed(Seat(2), friend)) == "North agrees to go on without West."
    assert said(ContinuationReady(charter())) == "Here is the charter of the new table."
    given = asks(Writer(4), friend, (WEST,))
    assert given.startswith("East wants to give the seat of the bot in West to a friend: ")


def test_who_comes_back_too_late_reads_where_the_others_are_and_how_to_have_the_seat_back() -> None:
    table = back_too_late()
    west, south = (table.chairs[seat].session.snapshot for seat in (WEST, Seat(0)))
    went = west.gone_on_without_us()
    late = ContinuationRefused(WEST, went)
    told = news_of(Writer(4), late, west)
    assert told.startswith("The others go on at a new table, where a bot of South's has your seat.")
    assert "'p2p304 join' and the code" in told
    assert news_of(Writer(4), late, south).startswith(
        "West is back, and too late: at that table + and f"
    )
    ended = replace(after_notice(playing(), HandUnfinished(0, PRESENT)), gone_on=went)
    lines = "\n".join(render(ended, at_the_end(Desk(), ended), 80, 24).text())
    assert "ask them for a code" in lines
    assert "Nothing more is played" not in lines
    friend = left_out_words(Writer(4), replace(went, bots=()))
    assert "South invites a friend in your place" in friend


async def test_the_screen_hands_the_word_on_and_shows_an_invite_whole() -> None:
    client, commands = ClientSeat(PlaySettings()), RecordedCommands()
    client.bind(commands.do)
    client.table = away(WEST)
    for key in ("+", "b"):
        client.frame(80, 24)
        client.press(key)
    await asyncio.sleep(0)
    assert commands == [GoOn((WEST,), Substitute.BOT)]
    invite = "P2P304-" + "0123456789ABCDEFGHJK" * 8
    parts = tuple(invite[at : at + 40] for at in range(0, len(invite), 40))
    client.show(("The invite for West:", *parts))
    shown = "\n".join(client.frame(80, 24).text())
    assert all(part in shown for part in parts)
    assert "The invites of this table" in shown
    client.press("enter")
    client.press("f1")
    assert "  Keys" in "\n".join(client.frame(80, 24).text())


class Ordered(BotProcesses):
    """Keeps the bots that are to be started, and starts none."""

    started: tuple[Bot, ...] = ()

    async def start(self, *bots: Bot) -> None:
        self.started += bots


async def test_a_bot_that_comes_as_a_substitute_accepts_the_referees_that_we_accept(
    tmp_path: Path,
) -> None:
    invites = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1"), "304", "pagat")
    place = make_table_directory(tmp_path / "home", invites.watch.table)
    referee, filling = signing_key(1, "referee").public, Ordered(lambda _: None)
    places = places_for(ClientSeat(PlaySettings()), Console(), filling.start)
    await places.bot(invites.invites[WEST], place, frozenset({referee}))
    (bot,) = filling.started
    assert " ".join(trust_options([referee])) in " ".join(bot.arguments)


# --- finding the next table -----------------------------------------------------------------------


FOUNDER, OTHER = Seat(0), Seat(1)


async def test_a_charter_at_the_next_table_counts_once_its_founder_has_signed_under_it() -> None:
    charter = goes_on(left_after(2)).charter
    broker = BrokerAddress.parse("mqtt://127.0.0.1:1883")
    invite = Invite(broker, charter.table, bytes(range(32)), Seat(2), bytes(range(16)))
    wire = Wire()
    async with wire.transport() as ours, wire.transport() as theirs:
        line, there = SealedLine(invite, ours), SealedLine(invite, theirs)
        name = LedgerName(Lane.TABLE, 0)
        words = [
            envelope(charter, name, 0, seat, Confirmation(bytes(32)), previous=bytes(32)).to_bytes()
            for seat in (OTHER, FOUNDER)
        ]
        board = lobby.to_bytes(lobby.Board.of(charter))
        judged: list[bool] = [False, True, True]

        async def tell() -> None:
            # Not right; right and unsigned; signed by another; signed by the founder.
            for payload in (board, words[1], board, words[0], board, words[1]):
                await there.send(payload)

        heard = asyncio.create_task(
            charter_there(line, seats=(OTHER,), founder=FOUNDER, right=lambda _: judged.pop(0))
        )
        await tell()
        assert await heard == charter
        assert judged == []


async def test_what_has_arrived_goes_to_the_session_in_one_call() -> None:
    async def lobby_word(_payload: bytes) -> None:
        pytest.fail("none was sent")

    wire = Wire()
    broker = BrokerAddress.parse("mqtt://127.0.0.1:1883")
    invite = Invite(broker, AGREED.table, bytes(range(32)), OTHER, bytes(range(16)))
    async with wire.transport() as ours, wire.transport() as theirs:
        line, there = SealedLine(invite, ours), SealedLine(invite, theirs)
        sent = [move(number) for number in range(3)]
        for each in sent:
            await there.send(each)
        assert await anext(line.batches(lobby_word)) == sent


# --- frame allowance ------------------------------------------------------------------------------

# What is read of a seat that talks without end, and of frames that others seal in its name.

SEAL = Seal(bytes(32), bytes(16))
SALTS = count()
FLOOD = 3_400  #: Frames that come in a second.
FLOODER = 2
MIXED = 17  #: Frames of the flood that come before each of the table.
AGREED = charter(3)


def sealed(payload: bytes, seat: int) -> bytes:
    return SEAL.seal(payload, seat=seat, entropy=lambda size: next(SALTS).to_bytes(size, "big"))


@cache
def move(number: int, seat: int = FLOODER) -> bytes:
    """A message of the ledger that nobody has a place for."""
    name = LedgerName(Lane.HAND, 9)
    return envelope(AGREED, name, number, seat, Action("x"), previous=bytes(32)).to_bytes()


@cache
def flooding_word(number: int) -> bytes:
    return notice(AGREED, FLOODER, Chat(f"{number}"), serial=number)


@cache
def question(number: int) -> bytes:
    return notice(AGREED, FLOODER, Heads(number.to_bytes(16, "big"), b"", ()), serial=number)


@cache
def forged(number: int) -> bytes:
    """A move that the seat it names has not signed."""
    return flipped(move(number, number % 3), -1, 1)


# --- a whole hand --------------------------------------------------------------------------------


class FloodedTable(Bus):
    """A table whose frames come among 3,400 others a second, each through what its reader admits.

    Time is the flood's: it passes by its frames alone, and by the table's own waiting.
    """

    def __init__(self, flood: list[bytes], repeats: Callable[[bytes], bool]) -> None:
        super().__init__(TinyGame(3, target=100), 1, agreed=AGREED)
        self._flood = [sealed(payload, payload[2]) for payload in flood]
        self._repeats = repeats
        self._poured = 0
        self.read = 0  #: Frames of the flood that one seat has read.
        self.waits = 0  #: How often nothing more could happen before time had passed.
        self._doors = [FrameAllowance(SEAL, lambda: self.now) for _ in range(3)]
        for door in self._doors:
            door.begin(AGREED)

    def pour(self, frames: int) -> None:
        for _ in range(frames if self._flood else 0):
            self.now += 1 / FLOOD
            frame = self._flood[self._poured % len(self._flood)]
            self._poured += 1
            for reader, door in enumerate(self._doors):
                if door.admits(frame):
                    self.read += reader == 0
                    self._hear(reader, SEAL.open(frame).payload)

    def _hear(self, reader: int, raw: bytes) -> None:
        self.call(reader, lambda session: session.receive(raw, now=self.now))

    def publish(self, seat: int, envelope: bytes) -> None:
        super().publish(seat, envelope)
        if self._repeats(envelope):
            self._flood += [sealed(envelope, seat) for _ in range(4)]

    def deliver(self) -> bool:
        self.pour(MIXED)
        if not self.flying:
            return False
        sender, reader, raw = self.flying.pop(0)
        if self._doors[reader].admits(sealed(raw, sender)):
            self._hear(reader, raw)
        return True

    def tick(self, seconds: float = 6.0) -> None:
        self.waits += 1
        super().tick(seconds)


def nothing(_envelope: bytes) -> bool:
    return False


def moves(raw: bytes) -> bool:
    return raw[1] == Purpose.LEDGER


@pytest.mark.parametrize(
    ("kind", "repeats"),
    [(flooding_word, nothing), (forged, nothing), (question, nothing), (None, moves)],
    ids=["words", "forged moves", "questions", "moves again"],
)
def test_a_hand_comes_to_its_end_beside_a_flood_without_a_wait(
    kind: Callable[[int], bytes] | None, repeats: Callable[[bytes], bool]
) -> None:
    flood = [] if kind is None else [kind(number) for number in range(FLOOD)]
    table = FloodedTable(flood, repeats)
    table.pour(FLOOD)
    table.played()
    assert table.waits == 0
    assert not table.blamed()
    most = 3 * UNPROVED.a_second + SIGNED.a_second
    at_once = 3 * UNPROVED.at_once + SIGNED.at_once
    assert 0 < table.read <= at_once + table.now * most


# --- what is read --------------------------------------------------------------------------------


def reading() -> tuple[FrameAllowance, Clock]:
    """What is read at an agreed table, and its time."""
    clock = Clock()
    allowance = FrameAllowance(SEAL, clock)
    allowance.begin(AGREED)
    return allowance, clock


def admitted_of(payload: Callable[[int], bytes]) -> int:
    """How many frames of a second's flood are read."""
    allowance, clock = reading()
    found = 0
    for sent in range(FLOOD):
        clock.now = sent / FLOOD
        found += allowance.admits(sealed(payload(sent), FLOODER))
    return found


def test_of_words_and_of_what_nobody_signed_little_is_read() -> None:
    assert admitted_of(flooding_word) <= WORDS.at_once + WORDS.a_second
    assert admitted_of(forged) <= 3 * (UNPROVED.at_once + UNPROVED.a_second)


def test_of_what_a_seat_signs_so_much_is_read_and_of_the_others_all() -> None:
    allowance, clock = reading()
    rate, found = SIGNED, 0
    for sent in range(2 * FLOOD):
        clock.now = sent / FLOOD
        found += allowance.admits(sealed(move(sent % 4_096), FLOODER))
        if sent % 100 == 0:
            assert allowance.admits(sealed(move(sent % 4_096, 0), 0)), sent
    assert rate.at_once < found
    assert found <= rate.at_once + UNPROVED.at_once + 2 * (rate.a_second + UNPROVED.a_second)


@pytest.mark.parametrize("known", [False, True], ids=["before the charter", "with a charter"])
@pytest.mark.parametrize("lobbies", [False, True], ids=["envelopes", "lobby"])
def test_seats_that_no_table_has_bring_a_flood_nothing(*, known: bool, lobbies: bool) -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    if known:
        allowance.begin(AGREED)
    read = 0
    for number in range(24 * 256):
        seat = number % 256
        raw = bytearray(forged(number % FLOOD))
        raw[2] = seat
        asked = lobby.to_bytes(lobby.Inquiry(bytes(16), Seat(seat % 8), False))
        read += allowance.admits(sealed(asked if lobbies else bytes(raw), seat))
    assert read <= TOGETHER.at_once


def test_what_a_seat_signed_long_ago_said_again_mutes_none_of_its_new_questions() -> None:
    door, clock = reading()
    old = [sealed(question(number), FLOODER) for number in range(1_500)]
    for number in range(3_000):  # 300 a second, each again after five
        clock.now = number / 300
        door.admits(old[number % len(old)])
        if not number % 30:
            assert door.admits(sealed(question(10_000 + number), FLOODER)), number


def test_who_falls_silent_is_read_again() -> None:
    allowance, clock = reading()
    numbers = count()
    while allowance.admits(sealed(flooding_word(next(numbers)), FLOODER)):
        pass
    clock.now += 1.0
    read = sum(allowance.admits(sealed(flooding_word(next(numbers)), FLOODER)) for _ in range(100))
    assert read == WORDS.a_second


def test_before_there_is_a_charter_each_sealer_has_its_own_allowance() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    for number in range(2 * EARLY.at_once):
        assert allowance.admits(sealed(flooding_word(number), FLOODER)) == (number < EARLY.at_once)
    assert allowance.admits(sealed(move(1), FLOODER))
    assert allowance.admits(sealed(flooding_word(1), 0))
    asked = lobby.to_bytes(lobby.Inquiry(bytes(16), Seat(0), False))
    assert allowance.admits(sealed(asked, NO_SEAT))


def test_what_cannot_be_a_frame_is_never_read() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    sound = sealed(flooding_word(1), 1)
    assert allowance.admits(sound)
    for junk in (b"", sound[:-1], sound + b"0", bytes((PROTOCOL_VERSION + 1,)) + sound[1:]):
        assert not allowance.admits(junk)
    assert not allowance.admits(sealed(b"a word", 1))


def test_a_stranger_who_repeats_the_beginning_of_a_frame_mutes_nobody() -> None:
    allowance = FrameAllowance(SEAL, lambda: 0.0)
    heard = sealed(flooding_word(1), 2)
    junk = heard[:34] + bytes(len(heard) - 34)
    assert SEAL.sealed_by(junk) == 2
    for _ in range(2 * EARLY.at_once):
        assert not allowance.admits(junk)
    assert allowance.admits(heard)
