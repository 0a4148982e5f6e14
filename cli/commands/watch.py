"""`p2p304 watch`: sees all that is public at a table, verifies it, and cannot speak."""

from __future__ import annotations

from pathlib import Path

import click

from cli.auditing import seat_name
from cli.commands.seating import (
    VERSIONS,
    broker_options,
    credentials_for,
    invite_for,
    run_until_ended,
)
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.sanitize import safe_text
from cli.store.identity import KnownPeers
from cli.store.paths import home, make_table_directory
from cli.table.charter_text import charter_lines
from cli.table.console import Console
from cli.table.line import SealedLine
from cli.table.livestory import LiveStory
from cli.table.sitting import transport_for
from cli.table.spectator import Spectator
from cli.table.textseat import waiting_line
from protocol.charter import Charter
from protocol.events import ChatReceived, Event, HandEnded, Waiting


@click.command("watch")
@click.argument("invite", required=False)
@click.option(
    "--charter", "fingerprint", metavar="FINGERPRINT", help="Watch under this charter alone."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to put the transcripts.  [default: with the tables]",
)
@broker_options
@click.option("--hands", type=click.IntRange(min=1), help="Stop after so many hands.")
@click.option("--matches", type=click.IntRange(min=1), default=1, show_default=True)
def command(
    invite: str | None,
    fingerprint: str | None,
    out: Path | None,
    credentials: Path | None,
    login: bool,
    mqtt: str,
    hands: int | None,
    matches: int,
) -> int:
    """Watch a table: see what is public, check every message yourself, save what can be audited.

    Any invite of the table serves, and no seat is taken. Ask a player for the charter's fingerprint
    and compare it: it tells that you watch the table that they play at. What you missed is asked of
    the seats; nothing else is ever sent.

    \b
    Examples:
      p2p304 watch                              asks for the invite
      p2p304 watch --out games < invite.txt     saves the transcripts in a folder
      p2p304 watch --charter ABCD-EFGH-IJKL-MNOP
    """
    given = credentials_for(credentials, login=login)
    wanted = fingerprint.upper() if fingerprint is not None else None
    return run_until_ended(_watch(invite, wanted, out, given, mqtt, hands, matches))


async def _watch(
    argument: str | None,
    fingerprint: str | None,
    out: Path | None,
    credentials: Credentials | None,
    mqtt: str,
    hands: int | None,
    matches: int,
) -> None:
    root, console = home(), Console()
    invite = (await invite_for(argument, console)).to_watch()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        directory = out
    else:
        directory = make_table_directory(root, invite.table)
    watching = _Watching(console, KnownPeers(root))
    transport = transport_for(invite, credentials or NO_CREDENTIALS, VERSIONS[mqtt])
    async with transport:
        console.say(f"Watching at {invite.broker.format()}; Ctrl-C ends it.")
        spectator = Spectator(
            line=SealedLine(invite, transport),
            directory=directory,
            tell=watching.tell,
            show=watching.show,
            fingerprint=fingerprint,
            hands=hands,
            matches=matches,
        )
        await spectator.run()
    for path in spectator.files:
        console.say(f"The transcript: {path}")


class _Watching:
    """Tells a spectator the public story."""

    def __init__(self, console: Console, known: KnownPeers) -> None:
        self._console = console
        self._known = known
        self._story: LiveStory | None = None
        self._charter: Charter | None = None

    async def show(self, charter: Charter) -> None:
        """Show the charter; another one is a warning."""
        if self._charter is not None:
            self._console.say(
                f"!! Somebody shows another charter for this table, {charter.fingerprint}."
                f" You watch {self._charter.fingerprint}: ask a player which one is theirs,"
                " and use --charter."
            )
            return
        self._charter = charter
        for line in charter_lines(charter, None, self._known, ascii_only=self._console.ascii_only):
            self._console.say(line)

    async def tell(self, event: Event, spectator: Spectator) -> None:
        """Tell what happened."""
        if self._story is None:
            self._story = LiveStory(spectator, ascii_only=self._console.ascii_only)
        for line in self._story.tell(event, spectator):
            self._console.say(line)
        charter = spectator.proceedings.charter
        match event:
            case HandEnded():
                self._console.say("Every message of this hand has been verified here.")
            case Waiting(seats, since):
                self._console.say(waiting_line(charter, seats, since))
            case ChatReceived(seat, text):
                self._console.say(f"{seat_name(charter, seat)} says: {safe_text(text)}")
            case _:
                pass
