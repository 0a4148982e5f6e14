"""What a player of 304 thinks of its cards before it imagines anything: by rules of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.bots.play304.imagined_table import Imagined, ImaginedTable
from p2p304.bots.play304.own_hand import RANKS_DOWN, choice_by_own_hand
from p2p304.bots.play304.scenes import any_scene
from p2p304.cards import Rank
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.bits import ABOVE, BIT, SUIT_BITS
from p2p304.rules304.pack import EVERY_RANK
from p2p304.rules304.state import State
from p2p304.view import View

Play = PlayCard | PlayDown

_TOLD: Final = 3.0
_OTHER: Final = 1.0
_EXPOSED: Final = 0.25
"""How often a good player chooses what the rules of thumb tell, something else, and a lead of
points that a higher card may take: in proportion."""
_TOP: Final = sum(RANKS_DOWN[EVERY_RANK.index(rank)] for rank in (Rank.JACK, Rank.NINE))
_DEAR: Final = sum(RANKS_DOWN[EVERY_RANK.index(rank)] for rank in (Rank.NINE, Rank.ACE, Rank.TEN))
_POINTS: Final = _DEAR | RANKS_DOWN[EVERY_RANK.index(Rank.JACK)]
"""The cards that count ten or more."""


def told_card(view: View[State], plays: Sequence[Play]) -> Play:
    """Return the card that rules of thumb tell the view's seat to play, of several."""
    return max(shares(view, plays), key=lambda each: each[1])[0]


def shares(view: View[State], plays: Sequence[Play]) -> list[tuple[Play, float]]:
    """Return the cards that are worth a thought, each with how often a good player would choose it.

    Nothing is looked at but what the seat may know.
    """
    if len(plays) == 1:
        return [(plays[0], 1.0)]
    table = ImaginedTable(_as_known(view))
    seat = table.turn
    cards = [BIT[view.faces[each.slot]] for each in plays]
    told = choice_by_own_hand(table, sum(cards))
    out = table.unseen & ~(table.hands[seat] | table.known[seat])
    given = _given_away(view, table, sum(cards))
    weights = []
    for card in cards:
        weight = _OTHER
        if card == told:
            weight = _TOLD
        elif not table.led and card & _DEAR and out & ABOVE[card] & _TOP:
            weight = _EXPOSED
        weights.append(weight)
    weighed = zip(plays, weights, cards, strict=True)
    kept = [(play, weight) for play, weight, card in weighed if not card & given]
    total = sum(weight for _, weight in kept)
    return [(play, weight / total) for play, weight in kept]


def _given_away(view: View[State], table: ImaginedTable, cards: int) -> int:
    """Return the cards that the last to play would give to the others' trick for nothing: points,
    where a cheap card of the suit does, and cuts if it is trumps, just as well."""
    lying = view.state.plays
    if not table.led or table.count < table.full - 1 or any(play.down for play in lying):
        return 0
    if table.side[table.winner] == table.side[table.turn]:
        return 0
    knows = not table.hidden or table.turn == table.maker
    beats = table.trumps if knows and not table.best & table.trumps else 0
    beats |= ABOVE[table.best]
    lost, found = cards & ~beats, 0
    for suit in SUIT_BITS:
        mine = lost & suit
        if mine & ~_POINTS:
            found |= mine & _POINTS
    return found


def _as_known(view: View[State]) -> Imagined:
    """Return a scene for a seat that decides on what it may know: where it does not know who holds
    the card that was called, it takes nobody for the maker's partner."""
    state, scene, seat = view.state, any_scene(view), view.seat
    if state.called is None or not state.partner_secret or seat is None:
        return scene
    if any(view.faces.get(slot) == state.called for slot in (*state.dealt[seat], *state.faces)):
        return scene
    return scene._replace(side=tuple(int(each != scene.maker) for each in state.everybody))
