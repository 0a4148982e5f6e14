"""Why something cannot be done: the rule that forbids it, and what is allowed instead."""

from __future__ import annotations

from typing import Final, NamedTuple

from cli.ui.choices import Choice, Key, choices
from cli.ui.model import Table, my_cards
from cli.ui.rulenames import rule_named
from p2p304.errors import RulesError
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AskPartner,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    DemandRedeal,
    KeepClosed,
    LayIndicator,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
)
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.rules304.state import Phase, State
from p2p304.slots import Slot


def why_not(table: Table, action: Action) -> str:
    """The sentence for an action that is not legal now: why, by which rule, and what is."""
    fault = _fault(table, action)
    reason = "This is not possible now" if fault is None else _capital(fault.told)
    return _joined(reason if table.legal else "It is not your turn", allowed(table))


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


class _Fault(NamedTuple):
    rule: str
    reason: str

    @property
    def told(self) -> str:
        """The reason with its rule."""
        return f"{self.reason} ({rule_named(self.rule)})"


def _fault(table: Table, action: Action) -> _Fault | None:
    """The rule that forbids an action, and why; None if none is known."""
    state, seat = table.state, table.seat
    if state is None or seat is None or not table.legal:
        return None
    try:
        # What our own cards contradict is told by the same rules, as if the cards were seen.
        table.game.apply(_as_we_see_it(table, state), seat, action)
    except RulesError as error:
        return _Fault(error.rule, str(error.args[0]))
    return None


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
    words += _range(bids)
    words += others[: most - len(words)]
    return ", ".join(words)


def _range(bids: list[Choice]) -> list[str]:
    numbers = [each.action.bid for each in bids if isinstance(each.action, PlaceBid)]
    if len(bids) < 3 or any(isinstance(number, Contract) for number in numbers[:-1]):
        return [each.words for each in bids]
    if isinstance(numbers[-1], Contract):
        return [*_range(bids[:-1]), bids[-1].words]
    return [f"bid {numbers[0]} to {numbers[-1]}"]


def _capital(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _joined(reason: str, may: str) -> str:
    return f"{reason}. Allowed: {may}." if may else f"{reason}."


def why_not_key(table: Table, key: Key) -> str:
    """Why a key does nothing now."""
    if not table.legal:
        return not_now(table)
    fault = _fault_of_key(table, key)
    if fault is None or fault.rule == _NOT_ITS_PHASE:
        only = _Fault(key.rule, f"You can {key.words} only {key.when}")
        return _joined(only.told, allowed(table))
    return _joined(f"You cannot {key.words} now: {fault.told}", allowed(table))


_NOT_ITS_PHASE: Final = "3"


def _fault_of_key(table: Table, key: Key) -> _Fault | None:
    state = table.state
    assert state is not None
    if key.means is DemandRedeal:
        return _no_redeal(table, state)
    half_court = state.phase is Phase.AUCTION4 and table.game.profile.half_court
    alone = Contract.HALF_COURT if half_court else Contract.PARTNER_CLOSE_CAPS
    examples: dict[object, Action] = {
        Pass: Pass(),
        AskPartner: AskPartner(),
        Contract: PlaceBid(alone),
        OpenTrump: OpenTrump(PACK[0]),
        KeepClosed: KeepClosed(),
        CallSpoilt: CallSpoilt(),
        CallCaps: CallCaps(()),
        AcceptCaps: AcceptCaps(),
        ContestCaps: ContestCaps(),
    }
    return _fault(table, examples[key.means])


def _no_redeal(table: Table, state: State) -> _Fault | None:
    """Why new cards cannot be asked for; how many points are too many depends on hidden cards."""
    profile = table.game.profile
    cards = tuple((each.slot, each.card) for each in my_cards(table))
    fault = _fault(table, DemandRedeal(() if profile.redeal_private else cards))
    if state.phase is not Phase.AUCTION4 or (fault is not None and fault.rule != "5.5"):
        return fault
    if not profile.redeal_below:
        return _Fault("5.5", "new cards are not part of this profile")
    points = sum(CARD_POINTS[card] for _, card in cards)
    if points < profile.redeal_below:
        return fault
    needed = f"fewer than {profile.redeal_below} are needed"
    if fault is None or "count" in fault.reason:
        return _Fault("5.5", f"you hold {points} points, and {needed}")
    return fault


def not_now(table: Table) -> str:
    """Why nothing can be done now."""
    if table.seat is None:
        return "You are looking on: nothing is yours to do."
    return "It is not your turn." if table.summary is None else "The hand is over."
