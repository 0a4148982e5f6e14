"""Who is there: told by signed words and by the broker's will, shown as hearsay, never deciding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cli.front.player_commands import (
    why_no_end,
)
from cli.front.presence import Seen, Where, awaited_words, lost_broker, presence_line
from cli.local.sitting import new_setup, new_table
from cli.net.address import BrokerAddress
from cli.screen.desk import Desk
from cli.screen.footer import trust_line
from cli.screen.ledgers import after_presence
from cli.seat.presence import RETIRED, SILENT_AFTER, Attendance, OwnPresence
from cli.seat.rates import CHANGES
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.wire import lobby
from protocol.wire.identity import FRAME_SIZES, Seal, SigningKey
from protocol.wire.presence import Presence, Whereabouts
from tests.client.moments import Moment, Script
from tests.table.seating import charter, signing_key
from tests.table.tiny_game import TinyGame

SOUTH, EAST, WEST = Seat(0), Seat(1), Seat(3)
CHARTER = charter(4)
FIRST, SECOND = b"1" * 8, b"2" * 8


def word(state: Whereabouts, serial: int = 0, connection: bytes = FIRST, **more: Any) -> Presence:
    """What East says."""
    said: dict[str, Any] = {"seat": EAST, "key": signing_key(EAST), "serves": False, **more}
    return Presence.make(
        table=CHARTER.table, connection=connection, serial=serial, state=state, **said
    )


def heard(*words: tuple[Presence, float]) -> Attendance:
    attendance = Attendance(CHARTER, SOUTH)
    for each, now in words:
        attendance.hear(each, now)
    return attendance


def where(attendance: Attendance) -> Where | None:
    seen = attendance.seen.get(EAST)
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
    assert attendance.passed(SILENT_AFTER - 1, connected=True) == []
    ((seat, seen),) = attendance.passed(SILENT_AFTER, connected=True)
    assert (seat, seen.where, seen.since) == (EAST, Where.SILENT, 0.0)
    assert attendance.passed(SILENT_AFTER + 9, connected=True) == []
    again = attendance.hear(word(Whereabouts.HERE, 1), 40.0)
    assert again is not None
    assert again.where is Where.HERE


def test_nobody_is_silent_while_we_hear_nothing_ourselves() -> None:
    attendance = heard((word(Whereabouts.HERE), 0.0))
    assert attendance.passed(100.0, connected=False) == []
    assert attendance.passed(100.0 + SILENT_AFTER - 1, connected=True) == []


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
    assert SOUTH not in attendance.seen


def test_a_flood_of_words_grows_nothing() -> None:
    attendance = Attendance(CHARTER, SOUTH)
    for number in range(200):
        attendance.hear(word(Whereabouts.HERE, 0, number.to_bytes(8, "big")), float(number))
    assert len(attendance.seen) == 1
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
        payloads = [seal.open(will).payload, *map(said.said, Whereabouts)]
        assert len({len(each) for each in payloads}) == 1
        found = [lobby.from_bytes(each, seats=4, table=table) for each in payloads]
        words = [each for each in found if isinstance(each, Presence)]
        assert [each.serial for each in words] == [0, 1, 2, 3, 4]
        assert {each.serves for each in words} == {founds}
        assert words[0].state is Whereabouts.LOST
        before = words[0].connection
        renewed = lobby.from_bytes(seal.open(said.will()).payload, seats=4, table=table)
        assert isinstance(renewed, Presence)
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


def state_of(name: str = "304") -> object:
    game = create_game(name)
    return OpenTable(game, game.pack, SeededRandomness(1)).state


def ended() -> tuple[TinyGame, object]:
    """A game that is over, by the first action of each seat."""
    game = TinyGame(2, target=9)
    table = OpenTable(game, game.pack, SeededRandomness(1))
    while awaited := game.contributors(table.state):
        table.act(awaited[0], game.legal_actions(table.view(awaited[0]))[0])
    return game, table.state


def test_a_hand_ends_with_a_seat_of_every_side_and_not_without_one() -> None:
    state = state_of()
    assert why_no_end(GAME, None, ALL) == "There is no hand to end."
    assert why_no_end(GAME, state, ALL) == ""
    assert why_no_end(GAME, state, ALL[:2]) == ""
    one = why_no_end(GAME, state, (Seat(0), Seat(2)))
    assert "East or West too: the table waits" in one
    game, over = ended()
    assert why_no_end(game, over, ALL[:2]).startswith("The hand has its result")


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
