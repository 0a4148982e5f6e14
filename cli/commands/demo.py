"""`p2p304 demo`: bots, each in its own process, play over a broker; their files are compared and
audited.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from cli.auditing import FileAudit, audit_file
from cli.bounds import BOTS_LINGER, SECONDS_A_HAND
from cli.commands.options import RuleOptions, declared, gather_options, json_option, option
from cli.commands.seating import credentials_option
from cli.commands.shell import Paragraphs, next_steps
from cli.errors import CheckFailed, ExitCode, UserError
from cli.local.bot_processes import AT_ONCE, Bot, BotProcesses, drawn_setup, name_of
from cli.local.sitting import FOUNDER, NewTable, new_table
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import credentials_from_file
from cli.output_files import new_private_folder
from cli.store.disk import REAL_DISK, write_whole
from cli.store.paths import table_directory, transcript_name
from p2p304.games import agreement, create_game, telling_of
from p2p304.seats import seat_names
from p2p304.sentences import count_words
from protocol.cards.secrets import SEED_BYTES, expand
from protocol.errors import MalformedMessage
from protocol.transcript.file import contents_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions(RuleOptions):
    """The options of `p2p304 demo`."""

    hands: int = option(
        "--hands",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Stop after this many hands, or when the match is decided.",
    )
    whole: bool = option("--match", is_flag=True, help="Play a whole match, however long it is.")
    seed: int | None = option(
        "--seed",
        # As many as `play --seed` takes.
        type=click.IntRange(0, (1 << 64) - 1),
        default=None,
        help="A number that gives the same cards and decisions each time.  [default: chance]",
    )
    out: Path | None = option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        default=None,
        help="A new or empty folder for the transcripts of every hand.  [default: a temporary one]",
    )
    broker: str | None = option(
        "--broker",
        metavar="URL",
        help="The broker at which the bots meet.  [default: one that the demo runs]",
    )
    credentials_file: Path | None = declared(credentials_option)
    plain: bool = option(
        "--plain", is_flag=True, help="No frames and colours: lines of text alone."
    )
    as_json: bool = declared(json_option)


@click.command("demo")
@gather_options("wishes", DemoOptions)
def command(wishes: DemoOptions) -> int:
    """Watch bots, each in a process of its own, play over MQTT and trust nobody.

    Every card is masked, every move is proved. At the end the transcripts of all seats are compared
    and audited, as you could do it yourself with `p2p304 audit`.

    \b
    Examples:
      p2p304 demo                          one hand
      p2p304 demo --match                  a whole match, which takes minutes
      p2p304 demo --hands 2 --seed 7       two hands, the same ones every time
      p2p304 demo --profile championship --house half_court
      p2p304 demo --game 41                another game
      p2p304 demo --out games --json       for a program
      p2p304 demo --broker mqtts://broker.example.org --credentials broker.txt
    """
    agreed = agreement(wishes.game, wishes.profile, wishes.house)
    # Made for its errors alone: rules that do not fit together are told before anything starts.
    create_game(wishes.game, agreed)
    address = None if wishes.broker is None else BrokerAddress.parse(wishes.broker)
    if wishes.credentials_file is not None:
        if address is None:
            raise UserError("--credentials are for a broker: name it with --broker.")
        # Read for its errors alone; the bots read the file themselves.
        credentials_from_file(wishes.credentials_file)
    place = (
        Path(tempfile.mkdtemp(prefix="p2p304-demo-"))
        if wishes.out is None
        else new_private_folder(wishes.out)
    )
    screen = Paragraphs(shutil.get_terminal_size().columns)
    tell: Callable[[str], None] = (
        # Not even sentences: --json promises one object on the standard output.
        (lambda _: None) if wishes.as_json else click.echo if wishes.plain else screen.sentence
    )
    found = asyncio.run(_demonstrate(wishes, agreed, address, place, tell))
    if wishes.as_json:
        click.echo(json.dumps(found))
    else:
        valid = "valid" if found["audits_valid"] else "INVALID"
        more = found["deals"] - found["hands"]
        refused = f" and {count_words(more, 'deal')} without play" if more else ""
        screen.line("")
        screen.line(
            f"{count_words(found['hands'], 'hand')}{refused}; the seats' transcripts:"
            f" {found['transcripts_alike']}; audits: {valid}.",
            bold=not wishes.plain,
        )
        screen.line("Check it yourself, or play with bots:")
        for step in next_steps(found["files"][0]):
            screen.line(step)
    if not (found["transcripts_equal"] and found["audits_valid"]):
        raise CheckFailed("The seats do not hold the same valid transcripts.")
    return ExitCode.DONE


async def _demonstrate(
    wishes: DemoOptions,
    agreed: str,
    address: BrokerAddress | None,
    place: Path,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Play the demo's hands with bots in processes, audit them, and return how the seats' files
    compare, as `_compare` does.

    `agreed` is the charter's line about the rules. Without an `address` a broker runs here. The
    bots' homes and copies of the transcripts go to `place`; `tell` gets the lines to print.
    """
    seed, name = wishes.seed, wishes.game
    # `expand` takes a secret of fixed size: 32 bytes.
    entropy = secrets.token_bytes if seed is None else expand(seed.to_bytes(32, "big"), b"demo")
    game = create_game(name, agreed)
    # A secret for each bot, drawn in the order of seats, so that one seed fixes them all.
    chance = [entropy(SEED_BYTES) for _ in range(game.seats)]
    # Each bot has a home of its own, as if it sat at another machine.
    homes = tuple(place / each.lower().replace(" ", "-") for each in seat_names(game.seats))
    async with AsyncExitStack() as stack:
        # A broker of others is named by the user; else one of our own ends with this block.
        if address is None:
            own = await stack.enter_async_context(EmbeddedBroker())
            address = own.address
        table = new_table(address, name, agreed, entropy)
        title, where = telling_of(game).title, address.format()
        tell(f"{title}: {game.seats} processes at {where}, and no dealer.")
        options: tuple[str, ...] = (*AT_ONCE, "--linger", f"{BOTS_LINGER:g}")
        if wishes.credentials_file is not None:
            # Absolute: the bots' processes have other working directories.
            file = str(wishes.credentials_file.resolve())
            # --broker, though the invite names it: the file's password is meant for it (MQ25).
            options += ("--credentials", file, "--broker", address.format())
        if not wishes.whole:
            options += ("--hands", f"{wishes.hands}")
        bots = BotProcesses()
        stack.push_async_callback(bots.end)
        for seat, invite in enumerate(table.invites):
            first, called = seat == FOUNDER, name_of(seat)
            founding = table.founding if first else None
            setup = drawn_setup(invite, homes[seat], called, chance[seat], founding)
            # Seats have different seeds, or all bots would think alike. One of them tells.
            told = ("--seed", f"{seat + 1}", *options, *(("--tell",) if first else ()))
            await bots.start(Bot(setup, homes[seat], told, heard=first))
        async for line in bots.lines():
            tell(line)
        # Their output has ended: what is left takes no longer than a hand.
        await bots.finished(SECONDS_A_HAND)
    # Auditing takes seconds of processor: in a thread, as Ctrl-C must still be heard.
    return await asyncio.to_thread(_compare, table, homes, place)


def _played(audit: FileAudit) -> bool:
    """Return whether a card was played in the hand of this file, so that it is no refused deal."""
    hands = audit.report.hands if audit.report is not None else []
    return any(hand.outcome is not None and hand.outcome.played for hand in hands)


def _compare(table: NewTable, homes: tuple[Path, ...], place: Path) -> dict[str, Any]:
    """Copy the transcripts in the `homes` of all seats to `place`, compare those of each hand,
    audit one of each hand, and return the JSON object that `demo --json` prints.
    """
    files: list[str] = []
    alike, valid = "identical", True
    number = played = 0
    identifier = table.watch.table
    # From hand 0 on, until no seat has a file of that number.
    while True:
        name = transcript_name(identifier, number)
        kept = [table_directory(home, identifier) / name for home in homes]
        there = [path for path in kept if path.exists()]
        if not there:
            break
        contents = {path.read_bytes() for path in there}
        # All must have every hand; signatures at the end of a file may differ (attacks CH9).
        try:
            equal = len(there) == len(homes) and len({*map(contents_of, contents)}) == 1
        except MalformedMessage:  # what is no transcript equals none
            equal = False
        if not equal:
            alike = "different"
        elif len(contents) > 1 and alike == "identical":
            alike = "but for signatures"
        # For people, who count hands from 1.
        # The first seat's file stands for all, which were compared above.
        copy = place / f"hand-{number + 1}.p304"
        # `replace=False`: the folder was empty, so a file there is not ours.
        write_whole(REAL_DISK, copy, there[0].read_bytes(), replace=False)
        audit = audit_file(str(copy))
        valid = valid and audit.valid
        # True counts as 1.
        played += _played(audit)
        files.append(str(copy))
        number += 1
    return {
        "hands": played,
        "deals": number,
        # Without a single file nothing was compared, and that is no success.
        "transcripts_equal": alike != "different" and number > 0,
        "transcripts_alike": alike if number > 0 else "different",
        "audits_valid": valid and number > 0,
        "files": files,
        "python": sys.version.split()[0],
    }
