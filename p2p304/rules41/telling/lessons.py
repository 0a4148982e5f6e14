"""The rules of each moment of 41 and 400, and the games in short."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from p2p304.rules41.hand import Phase, State
from p2p304.rules41.rules import HIGHEST_BID, TOGGLES, Rules41, Variant
from p2p304.sentences import Line, Part, Who, say
from p2p304.view import View

_VALUES: Final = {
    Variant.SYRIAN: "A bid of 1 to 6 is worth its number, 7 to 13 twice its number.",
    Variant.LEBANESE: (
        "A bid of 2 to 4 is worth its number, 5 to 8 twice, 9 to 12 three times. Whoever bids 13"
        " and takes all wins the match for the team at once, and otherwise loses 52."
    ),
}


def moment(rules: Rules41, view: View[State] | None) -> tuple[Line, ...]:
    """Return the rules of this very moment, from the reader's side."""
    if view is None:
        return (say("The cards are being shuffled by all seats, so that nobody knows any."),)
    return tuple(_now(rules, view))


def in_short(rules: Rules41) -> tuple[Line, ...]:
    """Return the whole game in a few paragraphs, and the house rules that are in force."""
    floor, target = rules.floor(()), rules.target
    paragraphs = (
        f"{rules.variant.value} in short: four players, partners across the table, 13 cards each"
        " of a full pack. Everything goes round to the right, counter-clockwise.",
        "Hearts are always trump. From high to low: A K Q J 10 9 8 7 6 5 4 3 2.",
        "Beginning at the dealer's right everybody says once how many tricks that seat alone"
        f" will take, {rules.lowest_bid} to {HIGHEST_BID}; nobody passes. {_VALUES[rules.variant]}",
        f"The four values must sum to {floor} or more, else the cards are thrown in without a"
        " score and the next dealer deals.",
        "The seat at the dealer's right leads. Whoever can must follow the suit led; who cannot"
        " plays any card. The highest heart wins the trick, else the highest card of the suit"
        " led, and the winner leads next.",
        "A seat that takes as many tricks as it bid, or more, gains the value of its bid; with"
        " fewer it loses that value. Tricks beyond the bid count nothing.",
        f"A team wins the match when one partner has {target} or more and the other more than 0;"
        " if both teams are there, the higher sum wins, and equal sums play on.",
        *(f"House rule: {TOGGLES[name]}." for name in rules.parameters.split(",") if name),
    )
    return tuple(map(say, paragraphs))


def _now(rules: Rules41, view: View[State]) -> Iterator[Line]:
    state = view.state
    mine = view.seat in state.awaiting
    who: Part = "You" if mine or not state.awaiting else Who(state.awaiting[0])
    match state.phase:
        case Phase.CUTTING:
            left = ", left of the dealer, may cut the shuffled pack: at a number"
            yield say(who, left, " from 1 to 51, or not at all.")
        case Phase.SORTING:
            yield say(
                "Every seat mixes its own hand anew, unseen: nobody can tell later when a card"
                " was dealt. Nothing is decided by it."
            )
        case Phase.BIDDING:
            said = sum(map(rules.value, state.bids))
            yield say(who, " bid" if mine else " bids", " once, for one seat.")
            yield say(
                f"The bids so far are worth {said}; all four must come to {state.floor}, or the"
                " cards are thrown in."
            )
        case Phase.PLAYING if not state.trick:
            yield say(who, " lead" if mine else " leads", " any card.")
        case Phase.PLAYING:
            suit = state.trick[0].card.suit
            yield say("Who has ", suit, " follows the suit led, others play any card.")
        case Phase.THROWN_IN | Phase.PLAYED:
            yield say("The deal is over; the dealer's right deals the next one.")
        case _:
            assert_never(state.phase)
