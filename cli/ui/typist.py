"""Which keys a player would press for an action: the way of `commands` backwards."""

from __future__ import annotations

from cli.ui.choices import Asking, choices, default_choice, is_asked
from cli.ui.model import Table
from p2p304.rules304.actions import Action, Cut, PlaceBid

ENTER = "\r"


def keys_for(table: Table, action: Action) -> str | None:
    """What is typed for a legal action, as a terminal sends it; None if it takes more than that.

    What is asked once more, as it is by default, is answered. A call of caps opens the choice of
    its order and is left out.
    """
    keys = _keys_for(table, action)
    asked = keys is not None and is_asked(action, table.legal, Asking.COSTLY)
    return f"{keys}y" if asked else keys


def _keys_for(table: Table, action: Action) -> str | None:
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
