"""How substitutes come to the table at which a match goes on: a bot is started, a friend is sent a
code or an invite, which are shown again until the friend sits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from cli.commands.lobby import KEYS, HostLobby, game_in_words
from cli.commands.meeting_at import code_place
from cli.commands.screen import announcer
from cli.invite import Invite
from cli.lines.console import Console
from cli.lines.textseat import TextSeat
from cli.screen.clientseat import ClientSeat
from cli.seat.bot_processes import Bot, BotProcesses, bot_home
from cli.seat.codes import TableSeats
from cli.seat.moving import Places, Vacancies
from cli.seat.options import SeatOptions
from p2p304.seats import place_name

INVITING: Final = "The invite for {}: send it by a way that you trust; white space does not matter."
SHORT_LINE: Final = 40
"""Characters of an invite in a line of the screen."""


def places_for(
    player: TextSeat | ClientSeat,
    console: Console,
    filling: BotProcesses,
    options: SeatOptions,
    told: tuple[str, ...],
) -> Places:
    """Return how substitutes come: bots as those of the table, `told` their options; friends by a
    code, or by an invite."""

    async def bot(invite: Invite, directory: Path) -> None:
        assert invite.seat is not None
        await filling.start(Bot(invite, bot_home(directory, invite.seat), told))

    @asynccontextmanager
    async def friends(vacancies: Vacancies) -> AsyncIterator[None]:
        def show() -> None:
            if isinstance(player, ClientSeat):
                player.show((*lobby.code, *_lines(vacancies)))
                return
            for line in lobby.code:
                console.say(line)
            for line in _lines(vacancies, whole=True):
                console.say(line)

        lobby = HostLobby(console, player, show)
        show()
        announcer(player, console)(KEYS if isinstance(player, TextSeat) else ON_SCREEN)
        place = code_place(
            vacancies.invites[0].nodes,
            vacancies.credentials,
            options,
            broker_here=vacancies.broker_here,
            public=False,
        )
        kept = [each.seat for each in vacancies.invites if each.seat not in vacancies.free]
        seats = TableSeats(
            vacancies.invites,
            game_in_words(vacancies.game, vacancies.profile),
            kept=[seat for seat in kept if seat is not None],
            sitting=vacancies.sitting,
        )
        lobby.open(place, seats)
        try:
            yield
        finally:
            await lobby.close()

    return Places(bot, friends)


ON_SCREEN: Final = "i shows the code and the invite again, c makes a new code."


def _lines(vacancies: Vacancies, *, whole: bool = False) -> tuple[str, ...]:
    """Return the long invites as lines: `whole`, or in pieces that fit a screen."""
    lines: list[str] = []
    for seat in vacancies.free:
        text = vacancies.invites[seat].format()
        lines.append(INVITING.format(place_name(seat, len(vacancies.invites))))
        step = len(text) if whole else SHORT_LINE
        lines += [text[at : at + step] for at in range(0, len(text), step)]
    return tuple(lines)
