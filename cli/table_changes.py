"""Sentences about matches that went on at another table, from the audits of several files (specs
6.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.errors import UserError
from cli.output_files import write_file
from cli.seat.charter_text import seat_name
from cli.store.hands import SHORT
from cli.wording import hand_label
from protocol.transcript.auditor import Report
from protocol.transcript.change import Change, changes, forks
from protocol.wire.charter import Charter


@dataclass(frozen=True, slots=True)
class ToldChange:
    """One sentence about a change of tables, or about a seat that played at two; `wrong` if a check
    failed, whose name is `check` ("" for none).

    It `convicts` a seat if there is evidence. `table` is a table's id in hexadecimal: of the one at
    which the match goes on, or of the second that a seat played at.
    """

    sentence: str
    check: str = ""
    wrong: bool = False
    convicts: bool = False
    table: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the change as a JSON object."""
        return {
            "change": self.table,
            "valid": not self.wrong,
            # "" is null in JSON.
            "check": self.check or None,
            "convicts": self.convicts,
            "sentence": self.sentence,
        }


def told_changes(reports: Sequence[Report], *, save: str | None = None) -> Iterator[ToldChange]:
    """Yield a sentence for each table that goes on with another one's match, whether it does as the
    match stood there; then one for each seat that is convicted because it played at two tables.

    With `save` the evidence against such a seat is written to a new file beside it, named after it
    with "-fork-" and a number; if that fails, the sentence says so.
    """
    for change in changes(reports):
        yield _tell(change, reports)
    # Numbered, as several seats may have played at two tables.
    for number, (fork, conviction) in enumerate(forks(reports), 1):
        saved = "--save-evidence FILE saves the evidence"
        if save is not None:
            whole = Path(save)
            # A name of its own: the files' own evidence is saved under numbers without "-fork".
            place = whole.with_name(f"{whole.stem}-fork-{number}{whole.suffix}")
            try:
                write_file(place, fork.to_bytes())
                saved = f"the evidence is saved in {place}"
            # The verdict stands, whatever the disk says.
            except UserError as error:
                saved = f"the evidence was not saved: {error}"
        who = seat_name(fork.charter, conviction.seat)
        yield ToldChange(
            f"{who} played at {_name(fork.charter)} and at {_name(fork.other)}, of which an honest"
            f" seat plays at one: this convicts of {conviction.check}; {saved}",
            conviction.check,
            wrong=True,
            convicts=True,
            table=fork.other.table.hex(),
        )


def _tell(change: Change, reports: Sequence[Report]) -> ToldChange:
    """Return the sentence for one change of tables: the table before is not among the files, a
    check fails (`wrong`), or the match goes on as it stood.

    `reports` are all audits, to which the change refers by index.
    """
    charter = reports[change.after].charter
    # A change is found by the charter that names the table before.
    assert charter is not None
    term = charter.continues
    # A change goes from a table to one that continues it.
    assert term is not None
    name, table = _name(charter), charter.table.hex()
    # Not wrong: the files do not hold what it would be judged by (attacks GO8).
    if change.before is None:
        return ToldChange(
            f"{name} goes on with the match of another table, whose hand"
            f" {hand_label(term.point.hand)} is not among these files: give both",
            table=table,
        )
    before = reports[change.before].charter
    # The file before was audited, or it would not be named.
    assert before is not None
    if change.broken:
        return ToldChange(
            f"{name} does not go on with the match of {_name(before)} as it stood there:"
            f" {change.broken} fails: {change.detail}",
            change.broken,
            wrong=True,
            table=table,
        )
    stayed = ", ".join(seat_name(charter, seat) for seat in term.present)
    # The charter names the founder's bots: everybody should see who plays twice.
    bots = "".join(
        f"; {seat_name(charter, seat)} is a bot of {seat_name(charter, by)}"
        for seat, by in term.bots
    )
    return ToldChange(
        f"{name} goes on with the match of {_name(before)}: as it stood there; {stayed} stayed"
        f"{bots}",
        table=table,
    )


def _name(charter: Charter) -> str:
    """Return "table " and the beginning of the table's id in hexadecimal."""
    return f"table {charter.table.hex()[:SHORT]}"
