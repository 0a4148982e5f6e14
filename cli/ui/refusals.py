"""Why something cannot be done: the rule that forbids it, and what is allowed instead."""

from __future__ import annotations

from cli.ui.choices import Choice, Key, choices
from cli.ui.model import Table
from p2p304.errors import RulesError
from p2p304.rules304.actions import (
    Action,
    AskPartner,
    CallCaps,
    CallSpoilt,
    KeepClosed,
    LayIndicator,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
)
from p2p304.rules304.bids import Bid
from p2p304.rules304.state import Phase, State
from p2p304.slots import Slot


def why_not(table: Table, action: Action) -> str:
    """The sentence for an action that is not legal now: why, by which rule, and what is."""
    return _joined(_reason(table, action), allowed(table))


def why_not_card(table: Table, slot: Slot) -> str:
    """The sentence for a card that cannot be chosen now."""
    state = table.state
    if state is None or not table.legal:
        return _joined("It is not your turn", "")
    if state.phase in (Phase.INDICATOR4, Phase.INDICATOR8):
        return why_not(table, LayIndicator(slot))
    if state.phase is not Phase.TRICK:
        return _joined("No card is played now", allowed(table))
    card = table.faces[slot]
    contested = state.caps is not None and state.caps.contested is True
    hidden = bool(state.plays) and state.trump is None and not contested
    if hidden and card.suit != state.faces[state.plays[0].slot].suit:
        return why_not(table, PlayDown(slot))
    return why_not(table, PlayCard(slot, card))


def why_not_bid(table: Table, bid: Bid) -> str:
    """The sentence for a bid that cannot be made now."""
    return why_not(table, PlaceBid(bid))


def _reason(table: Table, action: Action) -> str:
    state, seat = table.state, table.seat
    if state is None or seat is None or not table.legal:
        return "It is not your turn"
    try:
        # What our own cards contradict is told by the same rules, as if the cards were seen.
        table.game.apply(_as_we_see_it(table, state), seat, action)
    except RulesError as error:
        sentence = str(error.args[0])
        return f"{sentence[0].upper()}{sentence[1:]} (rule {error.rule})"
    return "This is not possible now"


def _as_we_see_it(table: Table, state: State) -> State:
    faces = {slot: face for slot, face in table.faces.items() if slot not in state.faces}
    return state.seeing(*faces.items())


def allowed(table: Table, most: int = 8) -> str:
    """What may be done now, in a few words."""
    options = choices(table)
    bids = [each for each in options if isinstance(each.action, PlaceBid)]
    cards = [each for each in options if each.slot is not None]
    others = [each.words for each in options if each not in bids and each not in cards]
    words: list[str] = []
    if cards:
        words.append(table.voice.cards(tuple(each.slot for each in cards if each.slot is not None)))
    words += [each.words for each in _ends(bids)]
    words += others[: most - len(words)]
    return ", ".join(words)


def _ends(bids: list[Choice]) -> list[Choice]:
    return bids if len(bids) <= 2 else [bids[0], bids[-1]]


def _joined(reason: str, may: str) -> str:
    return f"{reason}. Allowed: {may}." if may else f"{reason}."


def why_not_key(table: Table, key: Key) -> str:
    """Why a key does nothing now."""
    if not table.legal:
        return not_now(table)
    examples: dict[object, Action] = {
        Pass: Pass(),
        AskPartner: AskPartner(),
        KeepClosed: KeepClosed(),
        CallSpoilt: CallSpoilt(),
        CallCaps: CallCaps(()),
    }
    example = examples.get(key.means)
    if example is not None:
        return why_not(table, example)
    return f"You cannot {key.words} now. Allowed: {allowed(table)}."


def not_now(table: Table) -> str:
    """Why nothing can be done now."""
    return "It is not your turn." if table.summary is None else "The hand is over."
