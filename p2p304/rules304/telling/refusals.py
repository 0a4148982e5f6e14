"""Why something is not possible in a hand of 304: the reason, and the rule that gives it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from p2p304.cards import Slot
from p2p304.errors import RulesError
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action
from p2p304.rules304.bids import Contract
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.state import Phase, State
from p2p304.rules304.telling.counts import own_words
from p2p304.rules304.telling.options import ALONE, COMMANDS, Command
from p2p304.sentences import Line, say
from p2p304.telling import Tried
from p2p304.view import View

_NOT_ITS_PHASE: Final = "3"
_TITLES: Final = {
    "S1": "one's own unplayed cards",
    "0": "what has been proved",
    "1": "the cards",
    "3": "whose turn it is",
    "4": "the cut",
    "5": "the four-card auction",
    "5.2": "bids with four cards",
    "5.3": "asking the partner",
    "5.4": "passing",
    "5.5": "new cards",
    "6": "the indicator",
    "7": "bids with eight cards",
    "8": "open and closed trump, the first lead",
    "9": "playing cards",
    "9.1": "play with open trump",
    "9.2": "following suit",
    "9.3": "the maker with hidden trump",
    "9.4": "the last trick",
    "10": "the end of a trick",
    "11": "high bids and exhausted trumps",
    "11.2": "exhausted trumps",
    "12": "spoilt trumps",
    "13": "caps",
    "14.2": "Partner Close Caps",
    "15": "the count",
    "16": "talk and violations",
    "3.2": "a called partner",
    "3.3": "double",
}
"""What the numbered rules are about, for whoever has no rule book at hand."""


def rule_named(rule: str) -> str:
    """Return the rule with what it is about: "rule 9.2, following suit"."""
    number = rule
    while number and number not in _TITLES:
        number = number.rpartition(".")[0]
    return f"rule {rule}, {_TITLES[number]}" if number else f"rule {rule}"


def refusal(game: Game304, view: View[State], legal: Sequence[Action], tried: Tried) -> Line:
    """Return why what was tried is not possible now, without a full stop."""
    if not legal:
        return say("It is not your turn")
    if tried.slot is not None:
        return _card(game, view, tried.slot)
    if tried.number is not None:
        bid = act.PlaceBid(game.profile.number_meant(tried.number))
        return _told(game, _fault(game, view, bid))
    command = _command(tried.word)
    if command is None:
        return say("This is not possible now")
    fault = _fault_of(game, view, command)
    if fault is None or fault.rule == _NOT_ITS_PHASE:
        only = f"You can {command.words} only {command.when}"
        return _told(game, _Fault(command.rule, only))
    return say(own_words(f"You cannot {command.words} now: {fault.told}", game.profile))


class _Fault(NamedTuple):
    rule: str
    reason: str

    @property
    def told(self) -> str:
        """The reason with its rule."""
        return f"{self.reason} ({rule_named(self.rule)})"


def _told(game: Game304, fault: _Fault | None) -> Line:
    reason = "this is not possible now" if fault is None else fault.told
    return say(own_words(f"{reason[:1].upper()}{reason[1:]}", game.profile))


def _command(word: str) -> Command | None:
    alone = {word for words in ALONE.values() for word in words}
    for each in COMMANDS:
        if word == each.key or word in each.typed or (each.means is Contract and word in alone):
            return each
    return None


def _card(game: Game304, view: View[State], slot: Slot) -> Line:
    state = view.state
    if state.phase in (Phase.INDICATOR4, Phase.INDICATOR8):
        return _told(game, _fault(game, view, act.LayIndicator(slot)))
    card = view.faces[slot]
    if state.phase is Phase.NAMING and view.seat == state.maker:
        return say("You hold ", card, ": name a card that is not in your hand")
    if state.phase is not Phase.TRICK:
        return say("No card is played now")
    contested = state.caps is not None and state.caps.contested is True
    hidden = bool(state.plays) and state.trump is None and not contested
    if hidden and card.suit != state.faces[state.plays[0].slot].suit:
        return _told(game, _fault(game, view, act.PlayDown(slot)))
    return _told(game, _fault(game, view, act.PlayCard(slot, card)))


def _fault(game: Game304, view: View[State], action: Action) -> _Fault | None:
    """Return the rule that forbids an action, and why; None if none is known."""
    if view.seat is None:
        return None
    # What our own cards contradict is told by the same rules, as if the cards were seen.
    hidden = {slot: face for slot, face in view.faces.items() if slot not in view.state.faces}
    try:
        game.apply(view.state.seeing(*hidden.items()), view.seat, action)
    except RulesError as error:
        return _Fault(error.rule, str(error.args[0]))
    return None


def _fault_of(game: Game304, view: View[State], command: Command) -> _Fault | None:
    if command.means is act.DemandRedeal:
        return _no_redeal(game, view)
    half_court = view.state.phase is Phase.AUCTION4 and game.profile.half_court
    alone = Contract.HALF_COURT if half_court else Contract.PARTNER_CLOSE_CAPS
    if game.profile.partner_called:
        alone = Contract.FULL_COURT if view.state.auction.full else Contract.HALF_COURT
    examples: dict[object, Action] = {
        act.Pass: act.Pass(),
        act.AskPartner: act.AskPartner(),
        Contract: act.PlaceBid(alone),
        act.OpenTrump: act.OpenTrump(next(iter(CARD_POINTS))),
        act.KeepClosed: act.KeepClosed(),
        act.CallDouble: act.CallDouble(),
        act.ShowCard: act.ShowCard(Slot(0), next(iter(CARD_POINTS))),
        act.DeclareMarriages: act.DeclareMarriages(()),
        act.CallSpoilt: act.CallSpoilt(),
        act.CallCaps: act.CallCaps(()),
        act.AcceptCaps: act.AcceptCaps(),
        act.ContestCaps: act.ContestCaps(),
    }
    return _fault(game, view, examples[command.means])


def _no_redeal(game: Game304, view: View[State]) -> _Fault | None:
    """Return why new cards cannot be asked for; how many points are too many is hidden."""
    profile, seat = game.profile, view.seat
    assert seat is not None
    held = tuple((s, view.faces[s]) for s in view.state.hands[seat] if s in view.faces)
    fault = _fault(game, view, act.DemandRedeal(() if profile.redeal_private else held))
    if view.state.phase is not Phase.AUCTION4 or (fault is not None and fault.rule != "5.5"):
        return fault
    if not profile.redeal_below:
        return _Fault("5.5", "new cards are not part of this profile")
    points = sum(CARD_POINTS[card] for _, card in held)
    if points < profile.redeal_below:
        return fault
    needed = f"fewer than {profile.redeal_below} are needed"
    if fault is None or "count" in fault.reason:
        return _Fault("5.5", f"you hold {points} points, and {needed}")
    return fault
