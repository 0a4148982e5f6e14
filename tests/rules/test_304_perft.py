"""Counting the ways in which a fixed hand of 304 can go on (what chess programmers call perft)."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.disclosures import Remixed
from p2p304.rules304.actions import RARE_ACTIONS, Action
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.notation import Retelling, parse_hand
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.view import View
from tests.rules.pinned import pinned

FORCED = {
    Phase.SORTING,
    Phase.INSPECT,
    Phase.SHOW_INDICATOR,
    Phase.SPOILT_INDICATOR,
    Phase.COUNT,
}
DEALS = {
    "strong": "deal S JC9CAHTD.KC8CQS7D JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S",
    "weak": "deal S KC8CQS7D.JC9CAHTD JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S",
    "all trumps": "deal W 7SJC9CAC.TCKCQC8C JS9STHKD.AS8H7H7C QDTDJHKS.9H8SADQS AHKHQHJD.9D8DTS7D",
}


class Position:
    """A hand to count from: a deal and the moves so far, told in the notation."""

    def __init__(self, row: dict[str, Any]) -> None:
        cut = "cut 0"
        text = "\n".join((f"304 {row['table']}", DEALS[row["deal"]], cut, row.get("moves", "")))
        tale = Retelling.of_record(parse_hand(text))
        self.game = Game304(tale.state.profile)
        self.state = tale.state
        self.faces = dict(tale.faces)
        self.claims = bool(row.get("claims"))

    def choices(self, state: State) -> list[Action]:
        """What the first awaited seat may do, claims and contracts left out unless asked for."""
        view = View(state.awaiting[0], state, self.faces)
        legal = legal_actions(view)
        if self.claims:
            return legal
        return [each for each in legal if not isinstance(each, RARE_ACTIONS)] or legal

    def after(self, state: State, seat: Seat, action: Action) -> State:
        """The next state; sorted hands stay in the order of the deal."""
        step = self.game.apply(state, seat, action)
        for disclosure in step.disclosures:
            if isinstance(disclosure, Remixed):
                for old, new in zip(disclosure.before, disclosure.after, strict=True):
                    self.faces[new] = self.faces[old]
        return step.state

    def count(self, depth: int, state: State | None = None) -> int:
        """How many sequences of `depth` choices there are; a hand that ends counts as one.

        What leaves no choice is done without being counted.
        """
        state = self.state if state is None else state
        while state.phase in FORCED or (state.phase is Phase.WINDOW and not self.claims):
            state = self.after(state, state.awaiting[0], self.choices(state)[0])
        if depth == 0 or not state.awaiting:
            return 1
        choices = self.choices(state)
        if depth == 1:
            return len(choices)
        seat = state.awaiting[0]
        return sum(self.count(depth - 1, self.after(state, seat, each)) for each in choices)


# --- 304 perft ------------------------------------------------------------------------------------

# The pinned numbers of legal continuations of fixed deals (perft.yaml).

ROWS = pinned("perft")
DEEPEST = 1_600
"""More continuations than so many are counted where `--long` was asked for."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['table']}-{row['deal']}")
def test_as_many_continuations_as_pinned(
    row: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    position = Position(row)
    pinned = row["counts"]
    if not request.config.getoption("--long"):
        pinned = [count for count in pinned if count <= DEEPEST]
    found = [position.count(depth) for depth in range(1, len(pinned) + 1)]
    assert found == pinned


def test_the_first_numbers_are_right_by_hand() -> None:
    """Fifteen numbers from 160 to 300, pass and ask; then what remains of them for North.

    After pass: 17 again. After ask: West names one of fifteen numbers or passes. After a bid with k
    numbers above it: k + 2, for k from 14 to 1. After 300 everybody is passed, and East chooses one
    of four indicators.
    """
    counts = ROWS[0]["counts"]
    assert counts[0] == 15 + 1 + 1
    assert counts[1] == 17 + 16 + sum(k + 2 for k in range(1, 15)) + 4
