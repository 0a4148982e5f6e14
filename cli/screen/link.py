"""What the screen says while the connection is not as it should be."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cli.net.transport import LinkState, Status, Trouble
from cli.sanitize import safe_text
from cli.screen.model import Table, told

_SILENT: Final = (Trouble.UNREACHABLE, Trouble.TIMEOUT, Trouble.LOST, None)


def after_status(table: Table, status: Status, clock: str) -> Table:
    """Return the table after a change of the connection, at this time by the clock on the wall.

    One line says since when it is lost, and that it is tried again; the news tell why, once.
    """
    if status.state in (LinkState.CONNECTED, LinkState.CLOSED):
        fine = replace(table, link="", lost_since="")
        back = table.link and status.state is LinkState.CONNECTED
        return told(fine, "Connected again.") if back else fine
    since = table.lost_since or clock
    after = replace(table, lost_since=since, link=_line(status, since))
    if status.state is LinkState.DISCONNECTED:
        return after
    why = safe_text(status.sentence, ascii_only=table.writer.ascii_only)
    return after if why in after.news else told(after, why)


def _line(status: Status, since: str) -> str:
    if status.state is LinkState.UNHEARD:
        return f"Nobody may hear us since {since}: what we send does not come back."
    lost = f"Connection lost since {since}; trying again"
    if status.state is LinkState.DISCONNECTED:
        return f"{lost}."
    silent = status.trouble in _SILENT
    return f"{lost} ({'the broker does not answer' if silent else 'the broker refuses'})."
