"""What is going on in a ledger, which message each phase awaits, and what may follow: a table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from protocol.errors import LocalError
from protocol.wire.contents import (
    Action,
    Confirmation,
    Content,
    DealShares,
    HandKeys,
    HandOverShares,
    LuckOpening,
    ResultSignature,
    ShuffleStep,
    SortedHands,
)


class Phase(Enum):
    """What is going on. A ledger is in one phase for one round."""

    CONFIRMING = "confirming the charter"
    DRAWING = "drawing luck"
    KEYING = "making keys"
    SHUFFLING = "shuffling"
    DEALING = "dealing"
    HANDING_OVER = "handing over"
    SORTING = "sorting"
    ACTING = "acting"
    SIGNING = "signing the result"
    SETTLED = "settled"


AWAITED: Final[Mapping[Phase, type[Content] | None]] = {
    Phase.CONFIRMING: Confirmation,
    Phase.DRAWING: LuckOpening,
    Phase.KEYING: HandKeys,
    Phase.SHUFFLING: ShuffleStep,
    Phase.DEALING: DealShares,
    Phase.HANDING_OVER: HandOverShares,
    Phase.SORTING: SortedHands,
    Phase.ACTING: Action,
    Phase.SIGNING: ResultSignature,
    Phase.SETTLED: None,
}
"""The one kind of message that fits each phase."""

_IN_HAND: Final = frozenset(
    {Phase.DEALING, Phase.HANDING_OVER, Phase.SORTING, Phase.ACTING, Phase.SIGNING}
)

FIRST: Final = (Phase.CONFIRMING, Phase.KEYING, *sorted(_IN_HAND, key=lambda p: p.value))
"""Where the ledgers of the three lanes may begin; how a hand begins is the game's business."""

NEXT: Final[Mapping[tuple[Phase, type[Content]], frozenset[Phase]]] = {
    (Phase.CONFIRMING, Confirmation): frozenset({Phase.DRAWING}),
    (Phase.DRAWING, LuckOpening): frozenset({Phase.SETTLED}),
    (Phase.KEYING, HandKeys): frozenset({Phase.SHUFFLING}),
    (Phase.SHUFFLING, ShuffleStep): frozenset({Phase.SHUFFLING, Phase.SETTLED}),
    (Phase.DEALING, DealShares): _IN_HAND,
    (Phase.HANDING_OVER, HandOverShares): _IN_HAND,
    (Phase.SORTING, SortedHands): _IN_HAND,
    (Phase.ACTING, Action): _IN_HAND,
    (Phase.SIGNING, ResultSignature): frozenset({Phase.SETTLED}),
}
"""What may follow when the round of a phase closes. What is not listed does not happen."""


def follow(phase: Phase, after: Phase) -> Phase:
    """Return `after`, if it may follow the round of `phase`; else raises LocalError."""
    awaited = AWAITED[phase]
    if awaited is None or after not in NEXT[phase, awaited]:
        raise LocalError(f"{after.name} does not follow {phase.name}")
    return after
