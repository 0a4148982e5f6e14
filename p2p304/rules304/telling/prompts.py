"""What a player of 304 may do now, or for whom the table waits, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from p2p304.cards import Slot
from p2p304.rules304.actions import Cut, OpenTrump, PlaceBid, PlayDown, ShowCard
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.telling.counts import own_words
from p2p304.rules304.telling.sentences import in_slot
from p2p304.seats import Seat
from p2p304.sentences import Line, Who, joined, listed, say
from p2p304.telling import Choice
from p2p304.view import View

_UNCOUNTED: Final = (End.PASSED_OUT, End.REDEAL, End.SPOILT, End.VIOLATION)
_DOING: Final[Mapping[Phase, tuple[str, str]]] = {
    Phase.CUT: ("may cut the pack", ""),
    Phase.AUCTION4: ("is to bid", ""),
    Phase.AUCTION8: ("is to bid, with eight cards", ""),
    Phase.INDICATOR4: ("chooses trump", ""),
    Phase.INDICATOR8: ("chooses trump anew", ""),
    Phase.NAMING: ("names the partner's card", ""),
    Phase.DECLARE: ("decides on open or closed trump", ""),
    Phase.WINDOW: ("has yet to go on", "have yet to go on"),
    Phase.TRICK: ("is to play", ""),
    Phase.INSPECT: ("looks at the face-down cards", ""),
    Phase.SHOW_INDICATOR: ("shows the indicator", ""),
    Phase.CAPS_RESPONSE: ("answers the call of caps", "answer the call of caps"),
    Phase.SPOILT_INDICATOR: ("shows the indicator", ""),
    Phase.SPOILT_ANSWER: ("answers the call of spoilt trumps", "answer the call of spoilt trumps"),
    Phase.SORTING: ("sorts the hand", "sort their hands"),
    Phase.COUNT: ("opens cards for the count", "open cards for the count"),
}
"""What one seat does in a phase, and what several do."""


def waiting(state: State, others: tuple[Seat, ...]) -> Line:
    """Return what the table waits for, while `others`, or nobody, are to act."""
    if state.phase in (Phase.COUNT, Phase.OVER):
        over = state.end in _UNCOUNTED
        return say("The hand is over." if over else "The cards are being opened and counted.")
    if not others:
        dealing = state.phase < Phase.DECLARE
        return say("The cards are being dealt." if dealing else "One moment: all have answered.")
    first = state.phase is Phase.INDICATOR8 and state.auction.full
    phase = Phase.INDICATOR4 if first else state.phase  # with all cards, and none was laid before
    one, several = _DOING.get(phase, ("is awaited", "are awaited"))
    verb = own_words(one if len(others) == 1 else several or "are awaited", state.profile)
    return say(listed([say(Who(seat)) for seat in others]), f" {verb}.")


def prompt(view: View[State], choices: tuple[Choice, ...]) -> Line:
    """Return what the view's seat, which is to act, may do now."""
    state = view.state
    match state.phase:
        case Phase.CUT:
            last = max(each.action.offset for each in choices if isinstance(each.action, Cut))
            return say(
                f"Your turn: Enter leaves the pack as it is; or a number from 1 to {last} cuts it."
            )
        case Phase.AUCTION4 | Phase.AUCTION8:
            return say("Your turn to bid", _bids(choices), _others(choices), ".")
        case Phase.INDICATOR4 | Phase.INDICATOR8:
            return say("You are the maker: choose the card to lay face down; its suit is trump.")
        case Phase.NAMING:
            return say("You are the maker: name the card whose holder is your partner, such as js.")
        case Phase.DECLARE:
            return _declare(choices)
        case Phase.WINDOW if any(each.idle for each in choices):
            return say("Everybody can see that nothing is left to claim: the table goes on.")
        case Phase.WINDOW:
            keys = {each.key: each for each in choices if not each.default and each.key}
            shows = [key for key, each in keys.items() if isinstance(each.action, ShowCard)]
            claims = sorted(set(keys) - set(shows))
            only = f"{' and '.join(claims)} only if you claim something; " if claims else ""
            show = "".join(f"{key} shows a card that you play next; " for key in shows)
            return say(f"Press Enter to go on ({only}{show}? explains).")
        case Phase.TRICK:
            return _play(view, choices)
        case Phase.INSPECT:
            return _inspect(view, choices)
        case Phase.CAPS_RESPONSE:
            assert state.caps is not None
            return say(Who(state.caps.seat), " claims every trick", _others(choices), ".")
        case _:
            default = next((each for each in choices if each.default), None)
            if default is not None:
                return say("Enter: ", default.label, ".")
            return say("Your turn", _others(choices), ".")


def _declare(options: tuple[Choice, ...]) -> Line:
    shown = next((each.action.card for each in options if isinstance(each.action, OpenTrump)), None)
    if shown is None:
        return say("You are the maker", _others(options), ".")
    keep = "You are the maker. k: keep trump hidden. o: show "
    return say(keep, shown, " and play with open trump.")


def _play(view: View[State], options: tuple[Choice, ...]) -> Line:
    state = view.state
    cards = [each for each in options if each.plays]
    slots = tuple(each.slot for each in cards if each.slot is not None)
    shown = joined(in_slot(slot, view.faces) for slot in slots)
    caps = state.caps
    stated = caps is not None and caps.contested is True and caps.seat == view.seat
    if stated and state.profile.caps_order_stated and len(slots) == 1:
        return say("Your turn. Caps: your stated order says ", shown, " now.")
    if not state.plays:
        return say("Your turn to lead: ", shown, ".")
    led = state.faces[state.plays[0].slot].suit
    if any(isinstance(each.action, PlayDown) for each in cards):
        return say("Your turn: ", led, " led, you have none; ", _face_down(view, slots), ".")
    follows = any(view.faces[slot].suit == led for slot in slots)
    how = " led, follow with " if follows else " led, you have none; play "
    return say("Your turn: ", led, how, shown, ".")


def _face_down(view: View[State], slots: tuple[Slot, ...]) -> Line:
    """Return what a card face down does: the maker knows, and the others can only hope."""
    state = view.state
    thrown = joined(in_slot(slot, view.faces) for slot in slots if slot != state.indicator)
    if state.indicator not in slots:
        made = view.seat == state.maker
        return say("discard" if made else "play", " one face down: ", thrown)
    cut = say("cut with your indicator ", in_slot(state.indicator, view.faces))
    return say("discard ", thrown, ", or ", cut) if thrown else cut


def _inspect(view: View[State], options: tuple[Choice, ...]) -> Line:
    lie_down = [
        say(Who(play.seat), " ", view.faces[play.slot])
        for play in view.state.plays
        if play.down and play.slot in view.faces
    ]
    act = options[0].label if options else say("announce")
    if not lie_down:
        return say("All cards of the trick are face up. Enter: ", act, ".")
    cards = joined(lie_down, ", ")
    return say("You alone look at the face-down cards: ", cards, ". Enter: ", act, ".")


def _bids(options: tuple[Choice, ...]) -> Line:
    numbers = [
        each.action.bid
        for each in options
        if isinstance(each.action, PlaceBid) and isinstance(each.action.bid, int)
    ]
    if not numbers:
        return ()
    if len(numbers) == 1:
        return say(f". You may bid {numbers[0]}")
    return say(f". You may bid {numbers[0]}, {numbers[1]} ... {numbers[-1]} (type it, Enter)")


def _others(options: tuple[Choice, ...]) -> Line:
    alike: dict[str, list[Line]] = {}
    for each in options:
        if each.key:
            alike.setdefault(each.key, []).append(each.label)
    named = [say(f"{key}: ", joined(labels, " or ")) for key, labels in alike.items()]
    return say("; ", joined(named, ", ")) if named else ()
