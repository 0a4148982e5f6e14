"""Why what was typed at a line terminal is no choice: the rule that forbids it, what is allowed."""

from __future__ import annotations

from typing import Any, Final

from cli.sanitize import safe_text
from cli.ui.choices import KEYS
from cli.ui.model import Table, new_table, viewed
from cli.ui.refusals import allowed, why_not_bid, why_not_card, why_not_key
from p2p304.cards import Card, parse_card
from p2p304.errors import NotationError
from p2p304.rules304 import actions
from p2p304.rules304.bids import Contract
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase
from protocol.session import Session

_MEANT: Final[dict[str, type[Any]]] = {
    **dict.fromkeys(("p", "pass", "-"), actions.Pass),
    **dict.fromkeys(("a", "ask"), actions.AskPartner),
    **dict.fromkeys(("n", "redeal"), actions.DemandRedeal),
    **dict.fromkeys(("o", "open"), actions.OpenTrump),
    **dict.fromkeys(("k", "closed", "keep"), actions.KeepClosed),
    **dict.fromkeys(("c", "caps"), actions.CallCaps),
    **dict.fromkeys(("s", "spoilt"), actions.CallSpoilt),
    **dict.fromkeys(("y", "accept", "concede"), actions.AcceptCaps),
    **dict.fromkeys(("v", "contest"), actions.ContestCaps),
    **dict.fromkeys(("g", "pcc", "half", "half court"), Contract),
}
"""What the words of `options` mean where the game does not offer it."""


def why_none(said: str, session: Session, *, ascii_only: bool = False) -> str:
    """The sentence for `said`, which names none of the choices of the moment, or several."""
    text = " ".join(said.lower().split())
    shown = safe_text(said, cells=40, ascii_only=ascii_only)
    table = _table(session, ascii_only=ascii_only)
    if table is None:
        return f"'{shown}' is none of your choices; table shows them."
    for key in KEYS:
        if key.means is _MEANT.get(text):
            return why_not_key(table, key)
    card = _card(text.removeprefix("show ").strip("~+"))
    if card is not None:
        slot = next((slot for slot in _held(table) if table.faces.get(slot) == card), None)
        if slot is None:
            return f"{table.voice.card(card)} is not in your hand. Allowed: {allowed(table)}."
        return why_not_card(table, slot)
    number = text.removeprefix("bid ")
    bidding = table.state is not None and table.state.phase in (Phase.AUCTION4, Phase.AUCTION8)
    if bidding and number.isascii() and number.isdecimal():
        return why_not_bid(table, table.game.profile.number_meant(int(number[:6])))
    return f"'{shown}' is none of your choices. Allowed: {allowed(table)}."


def _table(session: Session, *, ascii_only: bool) -> Table | None:
    """The table as the screen has it; None where there is no hand, or no hand of 304."""
    hand, view = session.proceedings.hand, session.view()
    if hand is None or view is None or not isinstance(session.game, Game304):
        return None
    empty = new_table(session.game, session.charter, session.seat, ascii_only=ascii_only)
    return viewed(empty, hand.origin.ledger.number, view, tuple(session.legal_actions()))


def _held(table: Table) -> tuple[Any, ...]:
    state, seat = table.state, table.seat
    if state is None or seat is None:
        return ()
    return (*state.hands[seat], *([] if state.indicator is None else [state.indicator]))


def _card(text: str) -> Card | None:
    try:
        return parse_card(text)
    except NotationError:
        return None
