"""`p2p304 tables`: lists the tables of this machine, and how to go on with each."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import click

from cli.commands.options import complete_table, declared, gather_options, json_option, option
from cli.commands.shell import echo
from cli.errors import UserError
from cli.local.bot_processes import homes_at, own_bots
from cli.local.records import StoredTable, TableRecord, forget_table, match_result, table_records
from cli.net.address import format_nodes
from cli.sanitize import ERROR_CELLS, safe_name, safe_text
from cli.screen.canvas import wrap
from cli.seat.charter_text import game_of
from cli.store.hands import hand_name
from cli.store.paths import home
from p2p304.games import telling_of
from p2p304.seats import place_name
from p2p304.sentences import count_words
from protocol.wire.charter import Charter

# With the five spaces before it a line has 80.
WIDTH: Final = 75  #: Cells of a line of names, beside what it is set in by.


DAY: Final = 86_400  #: Seconds.


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesOptions:
    """The options of `p2p304 tables`."""

    everything: bool = option("--all", is_flag=True, help="Finished and watched ones, too.")
    forget: str | None = option(
        "--forget",
        metavar="TABLE",
        shell_complete=complete_table,
        help="Remove a table from this machine, for good.",
    )
    forget_bots: bool = option(
        "--forget-bots",
        is_flag=True,
        help="Remove the tables of you and your own bots that are over, or not used for --days.",
    )
    days: int = option(
        "--days",
        type=click.IntRange(min=0),
        # Chosen: fewer days would take tables that are still wanted, more leave files for longer.
        default=7,
        show_default=True,
        help="Days that --forget-bots keeps an unfinished table.",
    )
    yes: bool = option("--yes", is_flag=True, help="Remove without a question.")
    as_json: bool = declared(json_option)


def last_use(record: TableRecord) -> str:
    """Return the day and time when a table was used last, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(record.last_use))


def of_bots(record: TableRecord) -> bool:
    """Return whether every other seat of the table was a bot of this machine; False without a
    charter, or if we only watched.
    """
    charter, setup = record.charter, record.setup
    # Nobody knows who sat there: it may be people, whose tables are kept.
    if charter is None or setup is None:
        return False
    # Also true if no seat but ours is left: then no person waits there.
    others = set(range(len(charter.seats))) - {setup.seat}
    return others <= own_bots(record.directory, charter)


def tables_with_bots_of(record: TableRecord, others: Iterable[TableRecord]) -> list[str]:
    """Return the names of resumable tables among `others` whose bots keep their files in this
    table's folder.
    """
    # A match that went on left its bots' files in the first table's folder (attacks CL26).
    return [
        each.name
        for each in others
        if each.table != record.table and each.state.resumable and each.charter is not None
        # A bot's home is a folder in its table's.
        if record.directory
        in (place.parent for place in homes_at(each.directory, each.charter).values())
    ]


@click.command("tables")
@gather_options("wishes", TablesOptions)
def command(wishes: TablesOptions) -> None:
    """List the tables on this machine, the latest first: who plays, how they stand, how to go on.

    --forget removes a table and its transcripts for good: nobody can resume it here. It removes
    nothing if the folder of the table holds other files.

    \b
    Examples:
      p2p304 tables                what can be gone on with
      p2p304 tables --all          finished and watched ones, too
      p2p304 tables --all --json   for a program
      p2p304 tables --forget 3f2a  removes the table named so, after a question
      p2p304 tables --forget-bots  removes old tables of you and your bots
    """
    # Negative, as the latest comes first; the id breaks ties, so that the order is fixed.
    found = sorted(table_records(home()), key=lambda each: (-each.last_use, each.table))
    everything, forget, as_json = wishes.everything, wishes.forget, wishes.as_json
    if forget is not None:
        # Of all tables, shown or not: --forget also takes a finished one.
        named = [each for each in found if each.table.hex().startswith(forget.lower())]
        _forget(named, forget, found, sure=wishes.yes)
        return
    if wishes.forget_bots:
        _forget_bots(found, wishes)
        return
    if as_json:
        click.echo(json.dumps([_as_json(each) for each in found]))
        return
    # STOPPED is none of them: its player should see that a seat broke the protocol there.
    over = (StoredTable.ENDED, StoredTable.UNFINISHED, StoredTable.WATCHED)
    shown = [each for each in found if everything or each.state not in over]
    if not shown:
        more = f"; {len(found)} finished or watched, see --all" if found else ""
        echo(f"No table to go on with{more}. 'p2p304 host' makes one.")
    for each in shown:
        for line in _lines(each):
            echo(line)


def _forget_bots(found: list[TableRecord], wishes: TablesOptions) -> None:
    """Remove the tables with our bots alone that are over or stopped, or not used for --days; ask
    first, unless `--yes` is given.

    One stays if bots of a resumable table that stays keep their files in its folder. One that
    cannot be removed is told, and stays.
    """
    before = time.time() - wishes.days * DAY
    # STOPPED: a seat broke the protocol, so nothing goes on there.
    over = (StoredTable.ENDED, StoredTable.UNFINISHED, StoredTable.STOPPED)
    old = [
        each
        for each in found
        if of_bots(each)
        and (each.state in over or (each.state.resumable and each.last_use < before))
    ]
    # Two steps: a table that goes may itself be the one that kept another alive.
    staying = [each for each in found if each not in old]
    old = [each for each in old if not tables_with_bots_of(each, staying)]
    if not old:
        click.echo("No old table of bots is here: nothing was removed.")
        return
    hands = sum(len(each.transcripts) for each in old)
    those = count_words(len(old), "table")
    said = f"{those} of you and your bots, with {count_words(hands, 'transcript')}"
    click.echo(f"{said}, would be removed for good: {', '.join(each.name for each in old)}.")
    if not wishes.yes and not click.confirm("Remove them?"):
        click.echo("Nothing was removed.")
        return
    gone = 0
    for each in old:
        try:
            # Something else lies in its folder, or it is open now: the others still go.
            forget_table(each)
        # Told, and the next one is tried.
        except UserError as error:
            click.echo(f"{each.name} is kept: {error}")
        else:
            gone += 1
    click.echo(f"Removed {count_words(gone, 'table')}.")


def _forget(found: list[TableRecord], prefix: str, every: list[TableRecord], *, sure: bool) -> None:
    """Ask, unless `sure`, and remove the one table in `found`; `every` are all tables here.
    Raises UserError for none or several, and where another table's bots live in it.
    """
    # Exactly one: a beginning that fits several removes none.
    if len(found) != 1:
        # Cut below, whatever was pasted.
        problem = "Several tables begin" if found else "No table on this machine begins"
        raise UserError(f"{problem} with '{safe_text(prefix, cells=40)}': nothing was removed.")
    (record,) = found
    if there := tables_with_bots_of(record, every):
        raise UserError(
            f"The bots of table {there[0]} live in table {record.name}: forget that one first."
        )
    hands = len(record.transcripts)
    click.echo(f"Table {record.name}, {record.state.value}, is in {record.directory}.")
    kept = count_words(hands, "transcript")
    click.echo(
        f"Its journal, what its bots keep, and {kept} would be removed for good; copy first what"
        " you want to keep."
    )
    if record.state.resumable:
        click.echo("The table is unfinished: the other players would wait for you in vain.")
    # --yes is for scripts.
    if sure or click.confirm("Remove it?"):
        forget_table(record)
        click.echo("Removed.")
    else:
        click.echo("Nothing was removed.")


def _lines(record: TableRecord) -> Iterator[str]:
    """Yield the lines of one table in the list for people."""
    result = match_result(record)
    yield f"{record.name}  {record.state.value}, {last_use(record)}"
    if result:
        yield f"   {result}"
    setup, charter = record.setup, record.charter
    if setup is not None:
        yield f"   you are {setup.place(charter)}, {setup.meeting_place}"
    if charter is not None:
        bots = own_bots(record.directory, charter)
        names = ", ".join(
            f"{place_name(seat, len(charter.seats))} {safe_name(entry.nickname)}"
            f"{' (bot)' if seat in bots else ''}"
            for seat, entry in enumerate(charter.seats)
        )
        # The charter's fingerprint, for comparing with others by telephone.
        first, *rest = wrap(
            f"{_game_words(charter)}: {names}; charter {charter.fingerprint}", WIDTH
        )
        yield f"   {first}"
        yield from (f"     {line}" for line in rest)
    if record.detail:
        yield f"   {safe_text(record.detail, cells=ERROR_CELLS)}"
    if record.after is not None:
        yield f"   goes on with the match of {record.after}"
    if record.next is not None:
        yield f"   the match went on at {record.next}"
    files = record.transcripts
    if files:
        yield f"   {count_words(len(files), 'hand')} in {record.directory}"
        yield f"   check the last: p2p304 audit {hand_name(files[-1])}"
    for path in record.open_hands:
        yield f"   an unfinished hand; see for whom it waits: p2p304 audit {hand_name(path)}"
    if record.state.resumable:
        yield f"   go on: p2p304 resume {record.name}"


def _game_words(charter: Charter) -> str:
    """Return the game of a charter in the game's own words, or as the charter names it if this
    program does not know it.
    """
    try:
        return telling_of(game_of(charter)).title
    # A game of a newer version or another program, whose name is a stranger's text.
    except UserError:
        return safe_text(charter.game)


def _as_json(record: TableRecord) -> dict[str, Any]:
    """Return one table as the JSON object that `tables --json` prints."""
    setup, charter = record.setup, record.charter
    return {
        "table": record.table.hex(),
        # The name, as the value is a text for people.
        "state": record.state.name.lower(),
        "seat": None if setup is None else setup.seat,
        "broker": None if setup is None else format_nodes(setup.invite.nodes),
        "game": None if charter is None else charter.game,
        # As they were signed: JSON escapes what a terminal would obey.
        "players": [] if charter is None else [entry.nickname for entry in charter.seats],
        "charter": None if charter is None else charter.fingerprint,
        "after": record.after,
        "next": record.next,
        "transcripts": [str(path) for path in record.transcripts],
        "open_hands": [str(path) for path in record.open_hands],
        "resume": f"p2p304 resume {record.name}" if record.state.resumable else None,
        "detail": record.detail,
        # In UTC, unlike the list for people: programs compare it.
        "used": datetime.fromtimestamp(record.last_use, UTC).isoformat(timespec="seconds"),
        # Without a result None, and no empty text, which is for people.
        "result": match_result(record) or None,
        "bots": [] if charter is None else sorted(own_bots(record.directory, charter)),
    }
