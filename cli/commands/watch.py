"""`p2p304 watch`: shows and verifies everything public at a table, and never sends a move."""

from __future__ import annotations

import secrets
from collections.abc import Coroutine
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from cli.commands.display import Screen, screen_options
from cli.commands.entering import invite_for
from cli.commands.options import argument, gather_options, option
from cli.commands.screen import beside_screen, console_for, full_screen_possible
from cli.commands.seating import (
    allow_hosts,
    met_at,
    run_command,
    seat_options,
    with_credentials,
)
from cli.errors import UserError
from cli.front.story import Story
from cli.front.writing import Writer
from cli.invite import Invite
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, transport_for
from cli.local.transcripts import surroundings, transcript_path
from cli.net.address import LOOPBACK
from cli.net.credentials import NO_CREDENTIALS
from cli.net.served_page import PageServer
from cli.page.live import LivePage
from cli.screen.watching import WatchedTable
from cli.seat.channel import SealedLine
from cli.seat.charter_text import charter_lines, game_of, term_lines
from cli.seat.sentences import narrator_for, told_in_line
from cli.seat.spectator import Spectator
from cli.store.hands import hand_name
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import home, make_parents, make_table_directory
from cli.tasks import first
from cli.tournament.folder import TournamentFolder, exchange
from cli.tournament.match_seat import match_of_number
from cli.tournament.telling import match_text
from p2p304.games import telling_of
from protocol.table.events import (
    ChatReceived,
    Event,
    HandEnded,
    HandUnfinished,
)
from protocol.wire.charter import Charter
from protocol.wire.identity import SigningKey


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """The options of `p2p304 watch`."""

    #: With --match the folder of its tournament; None: the invite is asked for.
    invite: str | None = argument(required=False)
    fingerprint: str | None = option(
        "--charter",
        metavar="FINGERPRINT",
        help="Watch only a table whose charter has this fingerprint.",
    )
    out: Path | None = option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where to put the transcripts.  [default: with the tables]",
    )
    page: bool = option(
        "--page", is_flag=True, help="Show the table live to browsers on this machine."
    )
    page_address: str | None = option(
        "--page-address",
        metavar="IP",
        help=f"Serve the page at this address, for other machines.  [default: {LOOPBACK}]",
    )
    referee: bool = option(
        "--referee",
        is_flag=True,
        help="Watch as the referee: read the challenges of players to your key.",
    )
    match: int | None = option(
        "--match",
        metavar="N",
        # A match has two bytes in the terms of its charter.
        type=click.IntRange(1, 65_535),
        help="Watch this match of a tournament: name its folder in place of the invite.",
    )


@click.command("watch")
@gather_options("wanted", WatchOptions)
@seat_options("Watch at this broker, in place of the invite's.")
@screen_options
def command(wanted: WatchOptions, options: SeatOptions, screen: Screen) -> int:
    """Watch a table: see what is public, check every message, and save transcripts for an audit.

    Any invite of the table serves; you take no seat. Ask a player for the charter's fingerprint and
    compare it with yours: if they are the same, you watch that player's table. The program asks the
    seats for messages that it missed, and sends nothing else.

    A match of a tournament needs the tournament's folder, no invite and no fingerprint. A referee
    adds --referee to read challenges, and rules with 'p2p304 tournament rule'.

    --page shows the table live in browsers on this machine, as 'p2p304 page' shows a saved hand,
    and verifies each hand that has ended. Give its address, which holds a secret, only to people
    who may look. --page-address shows it to other machines, without encryption. Ctrl-C ends it.

    \b
    Examples:
      p2p304 watch                              asks for the invite
      p2p304 watch --out games < invite.txt     saves the transcripts in a folder
      p2p304 watch --charter ABCD-EFGH-IJKL-MNOP
      p2p304 watch --match 3 cup                a match, by the cup's folder
      p2p304 watch --match 3 --referee cup      reads challenges to your key
      p2p304 watch --page                       shows it to the room in a browser
    """
    if wanted.page_address is not None and not wanted.page:
        raise UserError("--page-address needs --page: give both.")
    # Made before anything is asked, as it refuses an address that is none.
    server = PageServer(wanted.page_address or LOOPBACK) if wanted.page else None
    return run_command(_watch(wanted, with_credentials(options), screen, server), left="")


async def _where(
    wanted: WatchOptions, options: SeatOptions, console: Console, key: SigningKey | None
) -> tuple[Invite, str, SeatOptions]:
    """Return an invite to watch, the expected fingerprint of the charter ("" for any), and the
    options with credentials that may be shown there. `key` is ours if we watch as the referee.

    The invite is given or asked for, or that of a tournament's match; without --charter the match
    tells the fingerprint, too, unless a reserve may sit in. Raises UserError for a match without
    its folder, one that is over or has no table yet, and if our key is no referee of it.
    """
    # Fingerprints are shown in capitals.
    fingerprint = (wanted.fingerprint or "").upper()
    if wanted.match is None:
        # A player's invite may be pasted: its token is dropped, and a spectator claims no seat.
        invite = (await invite_for(wanted.invite, console)).to_watch()
        invite, options = await met_at(invite, options, console)
        return invite, fingerprint, options
    if wanted.invite is None:
        raise UserError("Name the tournament's folder: 'p2p304 watch --match 3 cup'.")
    folder = TournamentFolder(Path(wanted.invite))
    options = await allow_hosts(options, folder.nodes, console)
    judged = folder.judged_record
    if folder.nodes and not any(e.number == wanted.match and e.known for e in judged.matches):
        # Others may know its sides. Done at once: it ends as soon as nobody has anything new.
        given = options.credentials
        judged = await exchange(folder, done=lambda _: True, credentials=given)
    match = match_of_number(judged, wanted.match)
    if match.outcome is not None:
        raise UserError(
            f"Match {match_text(match)}. It is over: 'p2p304 tournament status' tells where its"
            " hands are."
        )
    if not match.known:
        raise UserError(
            f"Match {match.number} has no table yet: 'p2p304 tournament status' shows who waits for"
            " whom."
        )
    # Several, where a reserve may sit in: then it is the same table under another charter.
    table, *others = judged.tables(match)
    if key is not None and key.public not in table.referees:
        raise UserError("Your key is none of this table's referees: watch without --referee.")
    invite = folder.invite(table.table)
    # Where a reserve may sit in, the charter is not known before the table shows it.
    agreed = "" if others else table.fingerprint
    console.say(f"Match {match_text(match)}.")
    if options.brokers:
        invite = invite.at(options.brokers)
    return invite, fingerprint or agreed, options


def _referee_key(wanted: WatchOptions) -> SigningKey | None:
    """Return the key to which players seal challenges; None without --referee.

    It is ours, made if there is none; for a tournament's match the referee's key in its folder,
    which is the organiser's where no referee is named.
    """
    if not wanted.referee:
        return None
    # Drawn if there is none: a referee tells its key before it watches.
    own = IdentityStore(home()).key(secrets.token_bytes)
    if wanted.match is None or wanted.invite is None:
        return own
    # The organiser's key rules where its tournament names no referee.
    return TournamentFolder(Path(wanted.invite)).referee or own


async def _watch(
    wanted: WatchOptions, options: SeatOptions, screen: Screen, server: PageServer | None
) -> None:
    """Watch a table in lines, on the screen or on a page; print which transcripts were saved."""
    root, console = home(), console_for(screen)
    key = _referee_key(wanted)
    invite, fingerprint, options = await _where(wanted, options, console, key)
    out = wanted.out
    if out is not None:
        directory = out.absolute()
        # A file's name, so that its folder is made.
        make_parents(directory / "transcripts")
    else:
        directory = make_table_directory(root, invite.table)
    known = PeersFile(root)
    transport = transport_for(invite, options.credentials or NO_CREDENTIALS)
    # The broker is left and the page closed, however it ends.
    async with transport, server or nullcontext():
        console.say(f"Watching at {invite.where}; Ctrl-C ends it.")
        if server is not None:
            console.say(f"The address of the page: {server.url}")
        looks_on = partial(
            Spectator,
            line=SealedLine(invite, transport),
            around=surroundings(directory),
            # None: any charter of this table is shown, and a second one warned of.
            fingerprint=fingerprint or None,
            goal=options.goal,
            referee=key,
        )
        # A page and a full screen would both show the table; with a page lines are enough.
        if full_screen_possible() and not screen.plain and server is None:
            table = WatchedTable(
                play_settings=screen.play_settings,
                transcript=lambda charter, number: hand_name(
                    transcript_path(directory, charter, number)
                ),
                invites=("For other spectators:", invite.format()),
                terms=partial(term_lines, known=known),
            )
            spectator = looks_on(
                tell=lambda event, seen: table.tell(event, seen.watcher),
                show=lambda charter: table.show(game_of(charter), charter),
            )
            # Closing the screen ends the watching, and the other way round.
            work: Coroutine[Any, Any, object] = first(spectator.run(), table.closed.wait())
            broken = "The screen broke: 'p2p304 watch --plain' tells the table in lines."
            await beside_screen(work, table, screen, broken=broken)
        else:
            lines = _Watching(console, known, server)
            spectator = looks_on(tell=lines.tell, show=lines.show, accepted=lines.accepted)
            await lines.run(spectator)
    for path in spectator.transcripts:
        console.say(f"The transcript: {path}")
    if spectator.transcripts:
        console.say(f"Anyone can check it: p2p304 audit {hand_name(spectator.transcripts[-1])}")


class _Watching:
    """A spectator's front end in lines, and on a live page if it serves one."""

    def __init__(self, console: Console, known: PeersFile, server: PageServer | None) -> None:
        """Set up; `known` are the peers whose keys this machine has seen, `server` serves the
        page.
        """
        self._console = console
        self._known = known
        self._server = server
        self._page: LivePage | None = None
        self._story: Story | None = None
        self._charter: Charter | None = None

    async def show(self, charter: Charter) -> None:
        """Print the charter, and show its table on the page; at a later call only warn that
        somebody shows another one.
        """
        # Anybody with the invite can make a charter: only a player can say which is theirs (attacks
        # ID3).
        if self._charter is not None:
            self._console.say(
                f"!! Somebody shows another charter for this table, {charter.fingerprint}."
                f" You watch {self._charter.fingerprint}: ask a player which one is theirs,"
                " and use --charter."
            )
            return
        self._charter = charter
        self._console.say(
            *charter_lines(charter, None, self._known, ascii_only=self._console.ascii_only)
        )
        if self._server is not None:
            self._page = LivePage(charter, self._server.publish)
            self._server.page = self._page.document()

    def accepted(self, raw: bytes) -> None:
        """Count one verified message on the page; in lines the end of a hand says that everything
        was verified.
        """
        if self._page is not None:
            self._page.accepted(raw)

    async def run(self, spectator: Spectator) -> None:
        """Run the spectator until the wanted hands are over; at the end the page says that nothing
        follows, with the error if one ended it. Raises UserError if the connection ends, a seat or
        a referee is convicted, or the charter cannot be read.
        """
        why = ""
        try:
            await spectator.run()
        except UserError as error:
            # Told on the page as well: its readers see no terminal.
            why = str(error)
            raise
        finally:
            if self._page is not None:
                self._page.over(why)

    async def tell(self, event: Event, spectator: Spectator) -> None:
        """Print the sentences of an event, chat only where the rules allow it, and publish it on
        the page; after a hand also its transcript, which the page verifies.
        """
        watcher, letters = spectator.watcher, self._console.ascii_only
        if self._story is None:
            # Spectators may come in the middle of a hand: the story begins at its state.
            hand = watcher.hand()
            writer = Writer(watcher.game.seats, ascii_only=letters)
            self._story = Story(watcher.game, writer, None if hand is None else hand.state)
        # The next hand may have begun by now: it is the one that ended whose cards are told.
        hand = watcher.hand(event.number if isinstance(event, HandEnded) else None)
        self._console.say(*self._story.tell(event, {} if hand is None else hand.faces))
        # At a table whose rules allow no chat what others write is not told.
        talk = not isinstance(event, ChatReceived) or telling_of(watcher.game).talk_agreed
        # Made here: there is no charter yet when this front end is set up.
        narrator = narrator_for(watcher.charter, watcher.game, ascii_only=letters)
        if talk and (line := told_in_line(narrator, event)):
            self._console.say(line)
        match event:
            case HandUnfinished():
                self._console.say(
                    "If the match goes on at another table, ask a player for its invite."
                )
            case HandEnded():
                self._console.say("Every message of this hand has been verified here.")
            case _:
                pass
        if self._page is not None:
            self._page.tell(event)
            if isinstance(event, HandEnded | HandUnfinished):
                # The file is whole now, so its page can verify it.
                await self._page.ended(spectator.transcripts[-1])
