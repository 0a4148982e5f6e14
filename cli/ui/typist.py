"""Which keys a player would press for an action: the way of `commands` backwards."""

from __future__ import annotations

from cli.ui.choices import choices, default_choice
from cli.ui.model import Table
from p2p304.rules304.actions import Action, Cut, PlaceBid

ENTER = "\r"


def keys_for(table: Table, action: Action) -> str | None:
    """What is typed for a legal action, as a terminal sends it; None if it takes more than that.

    A call of caps opens the choice of its order and is left out.
    """
    options = choices(table)
    chosen = next((each for each in options if each.action == action), None)
    if chosen is None:
        return None
    match action:
        case PlaceBid(int() as number):
            return f"{number}{ENTER}"
        case Cut(offset) if offset:
            return f"{offset}{ENTER}"
        case _ if chosen.slot is not None:
            return str(table.faces[chosen.slot]).lower()
        case _ if chosen.key:
            return chosen.key
        case _ if chosen == default_choice(options):
            return ENTER
        case _:
            return None
