"""A disk that is full, read-only or broken at every write of a hand, in virtual time."""

from __future__ import annotations

import errno
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.campaigns.faults.allowance import allowed
from tests.campaigns.faults.kills import SPREAD
from tests.campaigns.faults.mortal_table import MortalTable
from tests.campaigns.faults.plans import Act, Failure, Step
from tests.campaigns.faults.results import Piece, Result

FAILURES: Final = {
    Act.CREATE: (Failure(errno.ENOSPC), Failure(errno.EROFS), Failure(errno.EACCES)),
    Act.WRITE: (
        Failure(errno.ENOSPC),
        Failure(errno.ENOSPC, share=0.5),
        Failure(errno.EDQUOT),
        Failure(errno.EROFS),
        Failure(errno.EIO),
        Failure(errno.EIO, share=0.5),
    ),
    Act.SYNC: (Failure(errno.EIO), Failure(errno.ENOSPC)),
    Act.RENAME: (Failure(errno.EROFS), Failure(errno.ENOSPC), Failure(errno.EACCES)),
    Act.SYNC_DIRECTORY: (Failure(errno.EIO),),
    Act.OPEN: (Failure(errno.EROFS), Failure(errno.EACCES)),
}

CHANGING: Final = frozenset({Act.CREATE, Act.WRITE, Act.RENAME, Act.TRUNCATE})
"""What does not work either while a disk is full or read-only."""

SAYS: Final = {
    errno.ENOSPC: re.compile(r"disk is full|[Nn]o space left"),
    errno.EDQUOT: re.compile(r"disk is full|quota"),
    errno.EROFS: re.compile(r"[Rr]ead-only"),
    errno.EACCES: re.compile(r"[Pp]ermission"),
    errno.EIO: re.compile(r"[Ii]nput/output error"),
}
WHAT_TO_DO: Final = re.compile(r"make room|check the disk|mend the disk")


@dataclass
class FailsEverywhere:
    """A plan: every failure that there is in a piece of all of them, each once; a disk that is full
    or read-only stays so until it is mended."""

    piece: Piece
    decided: set[tuple[Step, Failure]] = field(default_factory=set)
    failed: Counter[str] = field(default_factory=Counter)
    happened: list[Failure] = field(default_factory=list)
    stays: Failure | None = None

    def __call__(self, step: Step) -> Failure | None:
        """The failure of this step, if any."""
        if self.stays is not None:
            return self.stays if step.act in CHANGING else None
        for failure in FAILURES.get(step.act, ()):
            if (step, failure) in self.decided:
                continue
            self.decided.add((step, failure))
            if self.piece.holds(f"{step}: {failure}") and allowed():
                self.failed[f"{step.act.value} {step.what}: {failure}"] += 1
                self.happened.append(failure)
                if failure.number != errno.EIO:
                    self.stays = failure
                return failure
        return None

    def mend(self) -> None:
        """There is room, and one may write."""
        self.stays = None


def one_hand(place: Path, seed: int, seat: int, piece: Piece) -> Result:
    """A hand in which one seat's disk fails so often."""
    table = MortalTable(place, seed, SPREAD)
    plan = FailsEverywhere(piece)
    table.under(plan, seat)
    mortal = table.seats[seat]
    mortal.retries = 1_000_000
    mortal.mended = plan.mend

    faults = table.run()
    if len(mortal.sentences) != len(plan.happened):
        faults.append(
            f"{len(plan.happened)} failures and {len(mortal.sentences)} sentences:"
            f" {sorted(set(mortal.sentences))}"
        )
    for failure, said in zip(plan.happened, mortal.sentences, strict=False):
        if not SAYS[failure.number].search(said) or not WHAT_TO_DO.search(said):
            faults.append(f"after {failure} it said: {said}")
    return Result.of(faults, plan.failed)
