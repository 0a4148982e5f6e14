"""Deaths of one seat at every durable write and every publish of a hand, in virtual time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tests.campaigns.faults.allowance import allowed
from tests.campaigns.faults.hub import Weather
from tests.campaigns.faults.mortal_table import MortalTable
from tests.campaigns.faults.plans import Act, Death, Step, deaths_at
from tests.campaigns.faults.results import Piece, Result

SPREAD: Final = Weather(slowest=0.15)
"""A broker over which messages come one by one, so that each is written by itself."""


@dataclass
class DiesEverywhere:
    """A plan: dies at every death that there is in a piece of all of them, each once."""

    piece: Piece
    decided: set[tuple[Step, Death]] = field(default_factory=set)
    died: Counter[str] = field(default_factory=Counter)

    def __call__(self, step: Step) -> Death | None:
        """The next death at this step that was not decided upon yet."""
        # Notices differ from life to life: one of them stands for all between two records.
        for death in deaths_at(step):
            if (step, death) in self.decided:
                continue
            self.decided.add((step, death))
            if self.piece.holds(f"{step}: {death}") and allowed():
                self.died[_kind(step, death)] += 1
                return death
        return None


def _kind(step: Step, death: Death) -> str:
    what = "publish" if step.act is Act.SEND else step.act.value
    return f"{what}: {death}"


def one_hand(place: Path, seed: int, seat: int, piece: Piece) -> Result:
    """A hand in which one seat dies so often."""
    return _hand(place, seed, (seat,), piece, SPREAD)


def all_seats(place: Path, seed: int, piece: Piece, *, lossy: bool) -> Result:
    """A hand in which every seat dies now and then, over a good broker or one that loses much."""
    weather = Weather(loss=0.2, repeat=0.2, slowest=1.0) if lossy else SPREAD
    return _hand(place, seed, (0, 1, 2, 3), piece, weather)


def _hand(
    place: Path, seed: int, mortal: tuple[int, ...], piece: Piece, weather: Weather
) -> Result:
    table = MortalTable(place, seed, weather)
    plans: list[DiesEverywhere] = []
    for seat in mortal:
        plan = DiesEverywhere(replace(piece, salt=f"{piece.salt} {seat}"))
        plans.append(plan)
        table.under(plan, seat)

    faults = table.run(together=len(mortal) > 1)
    kinds = sum((plan.died for plan in plans), Counter[str]())
    came = sum(len(each.machine.deaths) for each in table.seats)
    if came != kinds.total():
        faults.append(f"{kinds.total()} deaths were due, {came} came")
    return Result.of(faults, kinds)
