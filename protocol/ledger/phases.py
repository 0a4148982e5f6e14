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
    Reseating,
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


AWAITED: Final[Mapping[Phase, tuple[type[Content], ...]]] = {
    Phase.CONFIRMING: (Confirmation, Reseating),
    Phase.DRAWING: (LuckOpening,),
    Phase.KEYING: (HandKeys,),
    Phase.SHUFFLING: (ShuffleStep,),
    Phase.DEALING: (DealShares,),
    Phase.HANDING_OVER: (HandOverShares,),
    Phase.SORTING: (SortedHands,),
    Phase.ACTING: (Action,),
    Phase.SIGNING: (ResultSignature,),
    Phase.SETTLED: (),
}
"""The kind of message that fits each phase; of two, who confirms another match chooses one."""

_IN_HAND: Final = frozenset(
    {Phase.DEALING, Phase.HANDING_OVER, Phase.SORTING, Phase.ACTING, Phase.SIGNING}
)

FIRST: Final = (Phase.CONFIRMING, Phase.KEYING, *sorted(_IN_HAND, key=lambda p: p.value))
"""Where the ledgers of the three lanes may begin; how a hand begins is the game's business."""

NEXT: Final[Mapping[Phase, frozenset[Phase]]] = {
    Phase.CONFIRMING: frozenset({Phase.DRAWING, Phase.CONFIRMING, Phase.SETTLED}),
    Phase.DRAWING: frozenset({Phase.SETTLED}),
    Phase.KEYING: frozenset({Phase.SHUFFLING}),
    Phase.SHUFFLING: frozenset({Phase.SHUFFLING, Phase.SETTLED}),
    Phase.DEALING: _IN_HAND,
    Phase.HANDING_OVER: _IN_HAND,
    Phase.SORTING: _IN_HAND,
    Phase.ACTING: _IN_HAND,
    Phase.SIGNING: frozenset({Phase.SETTLED}),
    Phase.SETTLED: frozenset(),
}
"""What may follow when the round of a phase closes. What is not listed does not happen."""


def follow(phase: Phase, after: Phase) -> Phase:
    """Return `after`, if it may follow the round of `phase`; else raises LocalError."""
    if after not in NEXT[phase]:
        raise LocalError(f"{after.name} does not follow {phase.name}")
    return after
