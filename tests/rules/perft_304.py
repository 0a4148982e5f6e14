"""Counting the ways in which a fixed hand of 304 can go on (what chess programmers call perft)."""

from __future__ import annotations

from typing import Any

from p2p304.disclosures import Remixed
from p2p304.rules304.actions import RARE_ACTIONS, Action
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.notation import Retelling, parse_hand
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.view import View

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
