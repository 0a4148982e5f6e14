"""`p2p304 tables`: what tables there are on this machine, and how to go on with each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import click

from cli.commands.options import json_option
from cli.errors import UserError
from cli.net.address import format_nodes
from cli.sanitize import safe_name, safe_text
from cli.screen.canvas import wrapped
from cli.seat.records import StoredTable, TableRecord, forget_table, table_records
from cli.store.hands import hand_name
from cli.store.paths import home
from p2p304.seats import place_name

WIDTH: Final = 75
"""Cells of a line of names, beside what it is set in by."""


@click.command("tables")
@click.option("--all", "everything", is_flag=True, help="Finished and watched ones, too.")
@click.option("--forget", metavar="TABLE", help="Remove a table from this machine, for good.")
@json_option
def command(everything: bool, forget: str | None, as_json: bool) -> None:
    """List the tables on this machine: who plays, how they stand, how to go on.

    A table that is forgotten cannot be gone on with, and its transcripts go with it.

    \b
    Examples:
      p2p304 tables                what can be gone on with
      p2p304 tables --all          finished and watched ones, too
      p2p304 tables --all --json   for a program
      p2p304 tables --forget 3f2a  removes the table named so, after a question
    """
    found = list(table_records(home()))
    if forget is not None:
        _forget([each for each in found if each.table.hex().startswith(forget.lower())], forget)
        return
    if as_json:
        click.echo(json.dumps([_as_json(each) for each in found]))
        return
    over = (StoredTable.ENDED, StoredTable.UNFINISHED, StoredTable.WATCHED)
    shown = [each for each in found if everything or each.state not in over]
    if not shown:
        more = f"; {len(found)} finished or watched, see --all" if found else ""
        click.echo(f"No table to go on with{more}. 'p2p304 host' makes one.")
    for each in shown:
        for line in _lines(each):
            click.echo(line)


def _forget(found: list[TableRecord], prefix: str) -> None:
    if len(found) != 1:
        problem = "Several tables begin" if found else "No table on this machine begins"
        raise UserError(f"{problem} with '{safe_text(prefix, cells=40)}': nothing was removed.")
    (record,) = found
    hands = len(record.transcripts)
    click.echo(f"Table {record.name}, {record.state.value}, is in {record.directory}.")
    kept = f"{hands} {'transcript' if hands == 1 else 'transcripts'}"
    click.echo(
        f"Its journal, what its bots keep, and {kept} would be removed for good; copy first what"
        " you want to keep."
    )
    if record.state.resumable:
        click.echo("The others would wait for you in vain.")
    if click.confirm("Remove it?"):
        forget_table(record)
        click.echo("Removed.")
    else:
        click.echo("Nothing was removed.")


def _lines(record: TableRecord) -> Iterator[str]:
    yield f"{record.name}  {record.state.value}"
    setup, charter = record.setup, record.charter
    if setup is not None:
        yield f"   you are {setup.place(charter)}, at {setup.invite.where}"
    if charter is not None:
        names = ", ".join(
            f"{place_name(seat, len(charter.seats))} {safe_name(entry.nickname)}"
            for seat, entry in enumerate(charter.seats)
        )
        first, *rest = wrapped(f"{charter.game}: {names}; charter {charter.fingerprint}", WIDTH)
        yield f"   {first}"
        yield from (f"     {line}" for line in rest)
    if record.detail:
        yield f"   {safe_text(record.detail, cells=300)}"
    files = record.transcripts
    if files:
        yield f"   {len(files)} {'hand' if len(files) == 1 else 'hands'} in {record.directory}"
        yield f"   check the last: p2p304 audit {hand_name(files[-1])}"
    for path in record.open_hands:
        yield f"   a hand is not over; whom it waited for: p2p304 audit {hand_name(path)}"
    if record.state.resumable:
        yield f"   go on: p2p304 resume {record.name}"


def _as_json(record: TableRecord) -> dict[str, Any]:
    setup, charter = record.setup, record.charter
    return {
        "table": record.table.hex(),
        "state": record.state.name.lower(),
        "seat": None if setup is None else int(setup.seat),
        "broker": None if setup is None else format_nodes(setup.invite.nodes),
        "game": None if charter is None else charter.game,
        "players": [] if charter is None else [entry.nickname for entry in charter.seats],
        "charter": None if charter is None else charter.fingerprint,
        "transcripts": [str(path) for path in record.transcripts],
        "open_hands": [str(path) for path in record.open_hands],
        "resume": f"p2p304 resume {record.name}" if record.state.resumable else None,
        "detail": record.detail,
    }
