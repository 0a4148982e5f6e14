"""Hands of 304 walked to their end once, with every moment at which somebody had a choice."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from p2p304.game import AnyGame
from p2p304.games import create_game
from p2p304.rules304.actions import PlayCard
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from protocol.topics.step import SessionStatus
from tests.table.cheating import ForkableTable, Moment

#: What the players of a style would rather do than anything else, the first first.
STYLES: dict[str, tuple[str, ...]] = {
    "closed": ("KeepClosed", "Pass", "Ready", "PlayDown", "AnnounceNone"),
    "open": ("OpenTrump", "Pass", "Ready"),
    "cut": ("KeepClosed", "Pass", "Ready", "PlayDown", "AnnounceCut"),
    "spoilt": ("KeepClosed", "CallSpoilt", "Pass"),
    "overbid": ("KeepClosed", "Pass", "Ready", "PlayDown"),
    "passing": ("Pass",),
    "drive": ("OpenTrump", "Pass", "Ready"),
    "alone": ("KeepClosed", "Pass", "Ready", "PlayDown"),
}

HASTY = ("CallCaps", "CallSpoilt", "DemandRedeal", "AskPartner")


class WalkingTable(ForkableTable):
    """Players of one style; before each choice the table is kept as it is."""

    def __init__(self, game: AnyGame, seed: int, style: str) -> None:
        self.style = style
        self.moments: list[Moment] = []
        super().__init__(game, seed)

    def arguments(self, seat: int) -> dict[str, Any]:
        return {**super().arguments(seat), "patience": 1e9}  # no work on a deck nobody waits for

    def choose(self, seat: int) -> bool:
        session = self.sessions[seat]
        if seat in self.silent or session.status is not SessionStatus.PLAYING:
            return False
        actions = sorted(session.legal_actions(), key=session.game.format_action)
        if not actions:
            return False
        self.moments.append(Moment(self.twin(), Seat(seat)))
        self.act(seat, self.chosen(seat, actions))
        return True

    def chosen(self, seat: int, actions: list[Any]) -> Any:
        """One of the style's own actions, else one of those that let a hand go on."""
        view = self.sessions[seat].view()
        bids = {self.game.format_action(each): each for each in actions}
        unbid = view.state.phase is Phase.AUCTION4 and view.state.auction.top is None
        if unbid and self.style != "passing":
            return bids["bid 160"]
        eight = {"overbid": "bid 250", "alone": "bid pcc"}.get(self.style)
        if view.state.phase is Phase.AUCTION8 and view.state.maker != seat and eight in bids:
            return bids[eight]
        if self.style == "drive" and view.state.phase is Phase.TRICK and not view.state.plays:
            played = [each for each in actions if isinstance(each, PlayCard)]
            actions = [each for each in played if each.card.suit == view.state.trump] or played
        kinds = [type(each).__name__ for each in actions]
        for kind in STYLES[self.style]:
            if kind in kinds:
                which = [each for each in actions if type(each).__name__ == kind]
                return self.chance.choice(which)
        calm = [each for each in actions if type(each).__name__ not in HASTY] or actions
        return self.chance.choice(calm)


@lru_cache(maxsize=8)
def walked(profile: str, seed: int, style: str) -> WalkingTable:
    """A table after its first hand; `moments` are all those at which a seat had a choice."""
    table = WalkingTable(create_game("304", profile), seed, style).played()
    assert not table.blamed()
    return table


def walk(profile: str, seed: int, style: str) -> tuple[Moment, ...]:
    """Every moment of one hand at which a seat had a choice, in order."""
    return tuple(walked(profile, seed, style).moments)
