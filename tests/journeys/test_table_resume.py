"""Somebody dies, or leaves: the others wait, and the table goes on where it was."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path

from cli.store.journal import Journal, JournalError, JournalLockedError
from tests.journeys.text_processes import LASTING, Room, TextProcess, played, transcripts

ENDS = ("--hands", "1", "--linger", "2")
LEFT = "You left the table; nothing is lost: 'p2p304 resume' goes on."


async def finish(people: list[TextProcess]) -> None:
    """All end with one hand played, and the same valid transcripts."""
    for person in people:
        assert await person.ended() == 0, person.errors
    kept = transcripts(people[0].home)
    assert played(people[0].home) == 1
    assert all(transcripts(person.home) == kept for person in people)


async def bots_gone(home: Path, within: float = 60.0) -> None:
    """Wait until no bot of a host that died holds its journal any more."""
    for directory in home.glob("tables/*/bot-*/tables/*"):
        async with asyncio.timeout(within):
            while True:
                try:
                    Journal.open(directory, bytes.fromhex(directory.name)).close()
                    break
                except JournalLockedError:
                    await asyncio.sleep(0.05)
                except JournalError:
                    break  # it had not begun one


async def test_a_host_killed_before_the_table_is_full_and_in_a_hand_goes_on_with_its_bots(
    room: Room,
) -> None:
    host = await room.run("south", "host", "--name", "Amara", "--bots", "2", *LASTING, *ENDS)
    (invite,) = await host.invites(1)
    await host.said("At the table: South Amara, .*Bot")
    await host.kill()
    await bots_gone(host.home)
    host = await room.run("south", "resume", *ENDS)
    await host.said("you are South")
    assert await host.invites(1) == [invite]  # it may have gone with the terminal
    await host.said(r"The code of this table: \d+-[a-z]+-[a-z]+")
    guest = await room.run("guest", "join", "--name", "Banu", *ENDS, typed=(invite,))
    await host.said("You hold")
    await host.kill()
    await guest.said("Trying again")
    await bots_gone(host.home)
    # Nobody's claim is open: the word for North changes nothing, and is told what it would risk.
    back = await room.run("south", "resume", "--vouch", "north", *ENDS)
    await back.said("the two convict you")
    await back.said("Back at the table, hand 1.")
    await guest.said("Connected again.")
    await finish([back, guest])


async def test_a_guest_killed_in_a_hand_is_waited_for_and_comes_back_in_two_ways(
    room: Room,
) -> None:
    host = await room.run("south", "host", "--name", "Amara", "--bots", "2", *LASTING, *ENDS)
    (invite,) = await host.invites(1)
    guest = await room.run("guest", "join", "--name", "Banu", *ENDS, typed=(invite,))
    await guest.said("You hold")
    guest.answers = False
    await guest.kill()
    waiting = await host.said(r"Waiting for North \(Banu\) since (\d\d:\d\d)\.")
    assert re.fullmatch(r"\d\d:\d\d", waiting[1])
    listed = await room.run("guest", "tables")
    assert await listed.ended() == 0
    (name,) = re.findall(r"go on: p2p304 resume ([0-9a-f]{8})", listed.text)
    back = await room.run("guest", "resume", name, *ENDS, answers=False)
    await back.said("Back at the table")
    await back.kill()
    again = await room.run("guest", "join", "--name", "Banu", *ENDS, typed=(invite,))
    await again.said("Back at the table")
    await finish([host, again])


async def test_the_end_of_the_input_and_signals_leave_with_one_sentence(room: Room) -> None:
    host = await room.run("south", "host", "--name", "Amara", *ENDS, answers=False)
    invites = await host.invites(3)
    people = [
        await room.run(f"p{seat}", "join", "--name", f"P{seat}", *ENDS, typed=(invite,))
        for seat, invite in enumerate(invites)
    ]
    await host.said("Play under this charter")
    host.close_input()
    assert await host.ended() == 130
    ended = "The input ended before the game: 'p2p304 resume' goes on where it was."
    assert host.errors.strip() == f"p2p304: {ended}"
    for person, number in zip(people, (signal.SIGINT, signal.SIGTERM, signal.SIGINT), strict=True):
        person.process.send_signal(number)
        assert await person.ended() == 130
        assert person.errors.strip() == LEFT
