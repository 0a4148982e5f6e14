"""Deaths of one seat at every durable write and every publish of a hand, in virtual time."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.clockwork import run_virtual
from tests.faults.machine import Act, Death, Step, deaths_at, disks_of
from tests.faults.mortal_table import MortalTable
from tests.faults.results import Result


@dataclass
class DiesEverywhere:
    """A plan: dies at a share of all deaths that there are, each at most once, `most` at most."""

    chance: random.Random
    share: float
    most: int
    decided: set[tuple[Step, Death]] = field(default_factory=set)
    died: Counter[str] = field(default_factory=Counter)

    def __call__(self, step: Step) -> Death | None:
        """The next death at this step that was not decided upon yet."""
        # Notices differ from life to life: one of them stands for all between two records.
        for death in deaths_at(step):
            if (step, death) in self.decided:
                continue
            self.decided.add((step, death))
            if self.chance.random() < self.share and self.died.total() < self.most:
                self.died[_kind(step, death)] += 1
                return death
        return None


def _kind(step: Step, death: Death) -> str:
    what = "publish" if step.act is Act.SEND else step.act.value
    return f"{what}: {death}"


def one_hand(place: Path, seed: int, seat: int, share: float, most: int) -> Result:
    """A hand in which one seat dies so often."""
    table = MortalTable(place, seed)
    plan = DiesEverywhere(random.Random(f"kills {seed} {seat}"), share, most)
    table.under(plan, seat)

    async def play() -> None:
        with disks_of(*(each.machine for each in table.seats)):
            await table.play()

    run_virtual(play, seed=seed)
    faults = table.faults()
    died = plan.died.total()
    if len(table.seats[seat].machine.deaths) != died:
        faults.append(f"{died} deaths were due, {len(table.seats[seat].machine.deaths)} came")
    return Result(died, 0 if faults else died, faults, plan.died)
