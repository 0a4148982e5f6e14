"""The lowest line: whom the table waits for, or what has been agreed and proved so far."""

from __future__ import annotations

from cli.sanitize import cells_of
from cli.screen.canvas import Style
from cli.screen.cardface import FINE, ROUGH
from cli.screen.ending import owed
from cli.screen.model import Table
from p2p304.seats import Seat
from p2p304.telling import counted


def trust_line(table: Table, cells: int = 80) -> tuple[Style, str]:
    """Return what has been agreed and proved so far, and what the table waits for, as short as
    needed."""
    if table.link:
        return Style.WARNING, table.link
    waits = bool(table.waiting)
    versions = [_in_full(table)]
    if waits:
        initials = ", ".join(_initial(table, seat) for seat in table.waiting)
        versions += [
            _short(table, table.writer.seats_named(table.waiting)),
            _short(table, initials),
        ]
        versions.append(_short(table, initials, charter=False))
    line = next((each for each in versions if cells_of(each) <= cells), versions[-1])
    return (Style.WARNING if waits else Style.TRUST), line


def _initial(table: Table, seat: Seat) -> str:
    """Return the first letter of a place with a name, the number of another one."""
    name = table.writer.seat(seat)
    return name.rpartition(" ")[2] if " " in name else name[0]


def _in_full(table: Table) -> str:
    parts = []
    if table.waiting:
        due = owed(table.game, table.state)
        what = f" ({due})" if due else ""
        names = table.writer.seats_named(table.waiting)
        parts.append(f"Waiting for {names} since {table.since}{what}")
    if table.fingerprint:
        parts.append(f"Charter {table.fingerprint[:9]}")
    if table.rounds:
        parts.append(f"{counted(table.rounds, 'round')} agreed")
        parts.append(f"{counted(table.proofs, 'proof')} verified")
    return ", ".join(parts)


def _short(table: Table, names: str, *, charter: bool = True) -> str:
    parts = [f"Waiting for {names} since {table.since}"]
    if table.fingerprint and charter:
        parts.append(f"charter {table.fingerprint[:9]}")
    if table.rounds:
        parts += [counted(table.rounds, "round"), counted(table.proofs, "proof")]
    return f" {(ROUGH if table.writer.ascii_only else FINE).dot} ".join(parts)
