"""Which phase may follow which: the hand of 304 as a table, to be read beside RULES 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceCut,
    AnnounceNone,
    AskPartner,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    Cut,
    DemandRedeal,
    DenyTrump,
    KeepClosed,
    LayIndicator,
    OpenCards,
    OpenHandedOver,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    ShowCard,
    ShowIndicator,
    ShowTrump,
    SortHand,
)
from p2p304.rules304.state import Phase

_ENDED: Final = frozenset({Phase.COUNT, Phase.OVER})
_ADJUDICATION: Final = frozenset({Phase.SPOILT_INDICATOR, Phase.SPOILT_ANSWER, Phase.OVER})
_WINDOW_CLOSES: Final = frozenset({Phase.TRICK, Phase.CAPS_RESPONSE}) | _ADJUDICATION

NEXT: Final[Mapping[tuple[Phase, type[Action]], frozenset[Phase]]] = {
    (Phase.CUT, Cut): frozenset({Phase.AUCTION4}),
    (Phase.AUCTION4, PlaceBid): frozenset({Phase.AUCTION4, Phase.INDICATOR4}),
    (Phase.AUCTION4, Pass): frozenset({Phase.AUCTION4, Phase.INDICATOR4, Phase.OVER}),
    (Phase.AUCTION4, AskPartner): frozenset({Phase.AUCTION4, Phase.INDICATOR4, Phase.OVER}),
    (Phase.AUCTION4, DemandRedeal): frozenset({Phase.OVER}),
    (Phase.INDICATOR4, LayIndicator): frozenset({Phase.AUCTION8, Phase.SORTING}),
    (Phase.AUCTION8, PlaceBid): frozenset({Phase.AUCTION8, Phase.SORTING}),
    (Phase.AUCTION8, Pass): frozenset({Phase.AUCTION8, Phase.SORTING}),
    (Phase.SORTING, SortHand): frozenset(
        {Phase.SORTING, Phase.INDICATOR8, Phase.DECLARE, Phase.WINDOW}
    ),
    (Phase.INDICATOR8, LayIndicator): frozenset({Phase.DECLARE, Phase.WINDOW}),
    (Phase.DECLARE, OpenTrump): frozenset({Phase.WINDOW}),
    (Phase.DECLARE, KeepClosed): frozenset({Phase.WINDOW}),
    (Phase.WINDOW, Ready): frozenset({Phase.WINDOW}) | _WINDOW_CLOSES,
    (Phase.WINDOW, ShowCard): frozenset({Phase.WINDOW}) | _WINDOW_CLOSES,
    (Phase.WINDOW, CallCaps): frozenset({Phase.WINDOW}) | _WINDOW_CLOSES,
    (Phase.WINDOW, CallSpoilt): frozenset({Phase.WINDOW}) | _ADJUDICATION,
    (Phase.TRICK, PlayCard): frozenset(
        {Phase.TRICK, Phase.WINDOW, Phase.INSPECT, Phase.SHOW_INDICATOR}
    )
    | _ENDED,
    (Phase.TRICK, PlayDown): frozenset({Phase.TRICK, Phase.WINDOW, Phase.INSPECT}),
    (Phase.TRICK, OpenTrump): frozenset({Phase.WINDOW}),
    (Phase.TRICK, CallCaps): frozenset({Phase.TRICK, Phase.CAPS_RESPONSE}),
    (Phase.TRICK, CallSpoilt): _ADJUDICATION,
    (Phase.INSPECT, AnnounceNone): frozenset({Phase.WINDOW, Phase.SHOW_INDICATOR}) | _ENDED,
    (Phase.INSPECT, AnnounceCut): frozenset({Phase.WINDOW}) | _ENDED,
    (Phase.SHOW_INDICATOR, ShowIndicator): frozenset({Phase.WINDOW}),
    (Phase.CAPS_RESPONSE, AcceptCaps): frozenset({Phase.CAPS_RESPONSE, Phase.TRICK}) | _ENDED,
    (Phase.CAPS_RESPONSE, ContestCaps): frozenset({Phase.CAPS_RESPONSE, Phase.TRICK}),
    (Phase.SPOILT_INDICATOR, ShowIndicator): frozenset({Phase.SPOILT_ANSWER, Phase.OVER}),
    (Phase.SPOILT_ANSWER, DenyTrump): frozenset({Phase.SPOILT_ANSWER, Phase.OVER}),
    (Phase.SPOILT_ANSWER, ShowTrump): frozenset({Phase.SPOILT_ANSWER, Phase.OVER}),
    (Phase.COUNT, OpenCards): _ENDED,
    (Phase.COUNT, OpenHandedOver): _ENDED,
}
"""For a phase and an action in it, every phase that the action can lead to."""
