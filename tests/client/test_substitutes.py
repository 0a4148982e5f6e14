"""The key for a substitute: there whenever somebody is waited for, and what is said of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from cli.commands.lobby import places_for
from cli.commands.opponents import Opponents
from cli.commands.seating import trust_options
from cli.front.player_commands import AnswerGoingOn, GoOn, Substitute
from cli.front.presence import Seen, Where
from cli.front.substitutes import asks, left_out_words, news_of
from cli.front.writing import Writer
from cli.invite import Invite
from cli.lines.console import Console
from cli.local.bot_processes import Bot, BotProcesses
from cli.local.continuing import accept_charter
from cli.local.sitting import SeatOptions
from cli.local.sitting import new_table as new_invites
from cli.net.address import BrokerAddress
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode
from cli.screen.input import press, settle
from cli.screen.model import Table, after_notice
from cli.screen.overlays import at_the_end
from cli.screen.preferences import PlaySettings
from cli.screen.prompts import keys_line
from cli.screen.render import render
from cli.seat.channel import SealedLine
from cli.seat.player import word_of
from cli.store.paths import make_table_directory
from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.table.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    Event,
    HandUnfinished,
    Waiting,
)
from protocol.wire import lobby
from protocol.wire.contents import Confirmation, Continuation
from tests.client.moments import MOMENTS
from tests.client.recorded_commands import RecordedCommands
from tests.loopback import Wire
from tests.table.going_on import PRESENT, goes_on, left_after, played
from tests.table.seating import charter, envelope, seeded, signing_key
from tests.table.test_continuing import back_too_late

WEST, EAST = Seat(3), Seat(1)
WORD = Continuation(1, bytes(16), 1, 0b0111, ((3, 1),), 1, bytes(32))


def playing() -> Table:
    return MOMENTS["02-auction"]().table


def waiting() -> Table:
    return after_notice(playing(), Waiting((WEST,), 0.0), clock="14:02")


@pytest.mark.parametrize(("key", "how"), [("b", Substitute.BOT), ("f", Substitute.FRIEND)])
def test_a_bot_or_a_friend_is_proposed(key: str, how: Substitute) -> None:
    desk, deed = press(Desk(), waiting(), "+")
    assert (desk.mode, deed) == (Mode.SUBSTITUTE, None)
    assert desk.notice.startswith("Go on without West, if all agree?")
    assert [words for words, _ in keys_line(waiting(), desk)] == [
        "[b] a bot",
        "[f] a friend",
        "[n] no",
    ]
    after, deed = press(desk, waiting(), key)
    assert (after.mode, deed) == (Mode.TABLE, GoOn((WEST,), how))
    assert press(desk, waiting(), "n")[1] is None
    assert press(desk, waiting(), "y")[1] is None


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
        "waiting": waiting(),
        "here again": replace(waiting(), presence={WEST: Seen(Where.HERE, 0.0)}),
        "both gone": after_notice(playing(), Waiting((EAST, WEST), 0.0), clock="14:02"),
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
    session = table.chairs[0].session.seen
    for wanted in (
        GoOn((), Substitute.BOT),
        GoOn((WEST,), Substitute.BACK),
        AnswerGoingOn(WORD, agrees=True),
        AnswerGoingOn(WORD, agrees=False),
    ):
        with pytest.raises(LocalError):
            word_of(session, wanted, seeded("nothing"))
    one, _ = sorted(session.others_awaited())[0], None
    said = word_of(session, GoOn((one,), Substitute.BOT), seeded("one"))
    assert (said.present, said.bots) == (0b1111 & ~(1 << one), ((one, 0),))
    promised = GoOn((one,), Substitute.FRIEND, table=bytes(range(len(said.table))))
    assert word_of(session, promised, seeded("two")).table == promised.table


def test_everybody_reads_who_refuses_and_that_all_agree() -> None:
    session = played(2).chairs[0].session.seen

    def said(event: Event) -> str:
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
    assert said(Waiting((), 0.0)) == ""
    given = asks(Writer(4), friend, (WEST,))
    assert given.startswith("East wants to give the seat of the bot in West to a friend: ")


def test_who_comes_back_too_late_reads_where_the_others_are_and_how_to_have_the_seat_back() -> None:
    table = back_too_late()
    west, south = (table.chairs[seat].session.seen for seat in (WEST, Seat(0)))
    went = west.gone_on_without_us()
    assert went is not None
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
    client.table = waiting()
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
    invites = new_invites(BrokerAddress.parse("mqtt://127.0.0.1:1"), "304", "pagat")
    place = make_table_directory(tmp_path / "home", invites.watch.table)
    referee, filling = signing_key(1, "referee").public, Ordered(4, lambda _: None)
    places = places_for(
        ClientSeat(PlaySettings()), Console(), filling, SeatOptions(), (), Opponents(("club",), 0.0)
    )
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

        heard = asyncio.create_task(accept_charter(line, FOUNDER, lambda _: judged.pop(0)))
        await tell()
        assert await heard == charter
        assert judged == []
