"""Which keys a player would press for an action: the way of `commands` backwards."""

from __future__ import annotations

from typing import Any

from cli.screen.choices import Asking, is_asked
from cli.screen.model import Table

ENTER = "\r"


def keys_for(table: Table, action: Any) -> str | None:
    """Return what is typed for a legal action, as a terminal sends it; None if it takes more than
    that.

    What is asked once more, as it is by default, is answered. A choice that states an order of
    cards is left out.
    """
    chosen = next((each for each in table.choices if each.action == action), None)
    if chosen is None or chosen.order:
        return None
    if chosen.slot is not None:
        keys = str(table.faces[chosen.slot]).lower()
    elif chosen.default:
        keys = ENTER
    elif chosen.key:
        keys = chosen.key
    elif chosen.numbers:
        keys = f"{chosen.numbers[0]}{ENTER}"
    else:
        return None
    return f"{keys}y" if is_asked(chosen, Asking.COSTLY) else keys
