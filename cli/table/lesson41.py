"""The rules of 41 and 400 in a player's words: those of the moment, and the game in short."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cli.table.situation import place
from p2p304.rules41.hand import Phase, State
from p2p304.rules41.rules import HIGHEST_BID, TOGGLES, Rules41, Variant
from p2p304.seats import Seat

_VALUES: Final = {
    Variant.SYRIAN: "A bid of 1 to 6 is worth its number, 7 to 13 twice its number.",
    Variant.LEBANESE: (
        "A bid of 2 to 4 is worth its number, 5 to 8 twice, 9 to 12 three times. Whoever bids 13"
        " and takes all wins the match for the team at once, and otherwise loses 52."
    ),
}


def lesson41(rules: Rules41, state: State | None, seat: Seat | None) -> tuple[str, ...]:
    """The rules of this very moment, and then the game in short; `seat` is the reader's."""
    now = () if state is None else tuple(_now(rules, state, seat))
    return (*now, "", *in_short(rules)) if now else in_short(rules)


def in_short(rules: Rules41) -> tuple[str, ...]:
    """The whole game in a few paragraphs, and the house rules that are in force."""
    floor = rules.floor(())
    target = rules.target
    return (
        f"{rules.variant.value} in short: four players, partners across the table, 13 cards each"
        " of a full pack. Everything goes round to the right, counter-clockwise.",
        "Hearts are always trump. From high to low: A K Q J 10 9 8 7 6 5 4 3 2.",
        f"Beginning at the dealer's right everybody says once how many tricks that seat alone"
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


def _now(rules: Rules41, state: State, seat: Seat | None) -> Iterator[str]:
    mine = seat in state.awaiting
    match state.phase:
        case Phase.CUTTING:
            who = "You, left of the dealer," if mine else f"{place(state.awaiting[0])}"
            yield f"{who} may cut the shuffled pack: at a number from 1 to 51, or not at all."
        case Phase.SORTING:
            yield "Every seat sorts its hand, unseen by the others. Nothing is decided by it."
        case Phase.BIDDING:
            said = sum(map(rules.value, state.bids))
            yield f"{'You bid' if mine else place(state.awaiting[0]) + ' bids'} once, for one seat."
            yield (
                f"The bids so far are worth {said}; all four must come to {state.floor}, or the"
                " cards are thrown in."
            )
        case Phase.PLAYING if not state.trick:
            yield f"{'You lead' if mine else place(state.awaiting[0]) + ' leads'} any card."
        case Phase.PLAYING:
            suit = state.trick[0].card.suit.name.lower()
            yield f"{suit.capitalize()} are led: who has {suit} follows, others play any card."
        case Phase.THROWN_IN | Phase.PLAYED:
            yield "The deal is over; the dealer's right deals the next one."
