"""Chat: each word is shown once, to a seat and to a spectator, whatever a broker repeats."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from p2p304.seats import Seat
from protocol.seat.watcher import Watcher
from protocol.table.events import ChatReceived, WordsLeftOut
from protocol.topics.chat import MOST_IN_A_HAND, NO_CHAT, TOLD_AGAIN, WINDOW, ChatHeard
from protocol.topics.commands import Say
from protocol.topics.step import BURST, PERIOD
from protocol.wire.charter import Charter
from protocol.wire.contents import Chat
from protocol.wire.identity import PublicKey
from tests.table.bus import Table, notice
from tests.table.test_driver_stops import Watching
from tests.table.tiny_game import TinyGame


def word(charter: Charter, seat: int, serial: int, text: str) -> bytes:
    return notice(charter, seat, Chat(text), serial=serial)


def heard(table: Table, seat: int) -> list[str]:
    return [each.text for each in table.chairs[seat].events if isinstance(each, ChatReceived)]


def talking() -> Table:
    return Table(TinyGame(3), 1).begun()


# --- a seat --------------------------------------------------------------------------------------


def test_a_word_is_shown_once_however_much_was_said_since() -> None:
    table, said = talking(), []
    for number in range(300):
        said.append(word(table.charter, 0, number, f"{number}"))
        table.now += PERIOD / BURST
        table.handle(1, table.sessions[1].receive(said[-1], now=table.now))
    everything = heard(table, 1)
    assert len(everything) == len(set(everything)) == MOST_IN_A_HAND
    table.now += PERIOD
    for raw in said[:MOST_IN_A_HAND]:
        table.now += PERIOD
        table.handle(1, table.sessions[1].receive(raw, now=table.now))
    assert heard(table, 1) == everything


def verifications(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The signatures that are verified from now on."""
    verify, seen = PublicKey.verify, list[bytes]()

    def counted(key: PublicKey, signature: bytes, *parts: bytes) -> None:
        seen.append(signature)
        verify(key, signature, *parts)

    monkeypatch.setattr(PublicKey, "verify", counted)
    return seen


@pytest.mark.parametrize("watches", [False, True], ids=["seat", "spectator"])
def test_words_over_the_allowance_or_heard_before_cost_no_signature(
    monkeypatch: pytest.MonkeyPatch, watches: bool
) -> None:
    table = talking()
    hears = Watcher(charter=table.charter, game=table.game) if watches else table.sessions[1]
    serials = [1 << shift for shift in range(32)]  # of every length that an integer has
    said = [word(table.charter, 0, serial, "again") for serial in serials]
    seen = verifications(monkeypatch)
    for _ in range(100):
        for raw in said:
            hears.receive(raw, now=table.now)
    # And one more, of the word by which it is told that the others are left out.
    assert len(seen) == BURST + 1
    other = word(table.charter, 2, 1, "mine")
    assert ChatReceived(Seat(2), "mine") in hears.receive(other, now=table.now)
    table.now += PERIOD
    assert ChatReceived(Seat(0), "again") in hears.receive(said[-1], now=table.now)


@pytest.mark.parametrize("watches", [False, True], ids=["seat", "spectator"])
def test_who_says_more_than_is_heard_is_named_once_a_minute_and_for_what_it_signed(
    watches: bool,
) -> None:
    table = talking()
    hears = Watcher(charter=table.charter, game=table.game) if watches else table.sessions[1]
    said = [word(table.charter, 0, serial, "again") for serial in range(200)]
    for raw in said[:BURST]:
        assert WordsLeftOut(Seat(0)) not in hears.receive(raw, now=table.now)
    forged = said[BURST][:-1] + bytes((said[BURST][-1] ^ 1,))
    assert hears.receive(forged, now=table.now) == []
    told = [
        second
        for second in range(3 * int(TOLD_AGAIN))
        for event in hears.receive(said[BURST + second], now=table.now + second)
        if event == WordsLeftOut(Seat(0))
    ]
    assert told[0] == 0
    assert len(told) > 1
    assert all(later - earlier >= TOLD_AGAIN for earlier, later in pairwise(told))


def test_words_that_are_forged_silence_nobody() -> None:
    table = talking()
    said = [word(table.charter, 0, serial, f"{serial}") for serial in range(2 * BURST)]
    for raw in said:
        forged = raw[:-1] + bytes((raw[-1] ^ 1,))
        assert table.sessions[1].receive(forged, now=table.now) == []
    for raw in said[:BURST]:
        table.handle(1, table.sessions[1].receive(raw, now=table.now))
    assert heard(table, 1) == [f"{serial}" for serial in range(BURST)]


def test_old_words_are_not_shown_again_after_a_restart() -> None:
    table = talking()
    table.act(0, Say("well played"))
    table.deliver_all()
    assert heard(table, 1) == ["well played"]
    (raw,) = (raw for seat, raw in table.sent if seat == 0 and b"well played" in raw)
    table.restart(1)
    table.now += 100 * PERIOD
    for _ in range(3):
        table.handle(1, table.sessions[1].receive(raw, now=table.now))
    assert heard(table, 1) == []


# --- a spectator ---------------------------------------------------------------------------------


async def test_a_word_that_a_broker_repeats_is_shown_to_a_spectator_once(tmp_path: Path) -> None:
    wall = Watching(tmp_path)
    charter, last = wall.charter(), "the last word"
    said = [word(charter, 0, 7, "hello"), word(charter, 0, 9, "hello")] * 100
    words = (charter, *said, word(charter, 3, 1, last))
    await wall.hears(*words, until=lambda: last in wall.texts)
    assert wall.texts == ["hello", "hello", last]


# --- the numbers ---------------------------------------------------------------------------------


def test_what_lies_below_the_window_counts_as_heard_and_what_is_kept_is_bounded() -> None:
    words: ChatHeard = NO_CHAT
    for serial in range(2, 2 * 3 * WINDOW, 2):
        words = words.note(Seat(0), serial, 0)
    assert len(words.serials[Seat(0)]) == WINDOW
    low = words.serials[Seat(0)][0]
    assert not any(words.is_new(Seat(0), serial) for serial in range(low + 1))
    assert words.is_new(Seat(0), low + 1)


def test_a_seat_says_so_many_words_in_a_hand_and_more_in_the_next() -> None:
    words = NO_CHAT
    for serial in range(MOST_IN_A_HAND):
        words = words.note(Seat(0), serial, 3)
    late = MOST_IN_A_HAND * PERIOD
    assert words.after(Seat(0), MOST_IN_A_HAND, 3, late) is None
    assert words.after(Seat(1), MOST_IN_A_HAND, 3, late) is not None
    assert words.after(Seat(0), MOST_IN_A_HAND, 4, late) is not None
