"""What a player of 304 thinks of its cards before it imagines anything: by rules of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.bots.play304.imagined_table import POINTS, Imagined, ImaginedTable
from p2p304.bots.play304.own_hand import RANKS_DOWN, choice_by_own_hand
from p2p304.bots.play304.scenes import any_scene
from p2p304.cards import Rank
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.bits import ABOVE, BIT, SUIT_BITS, bits
from p2p304.rules304.pack import EVERY_RANK
from p2p304.rules304.state import State
from p2p304.view import View

Play = PlayCard | PlayDown

_TOLD: Final = 3.0
_OTHER: Final = 1.0
"""How often a good player chooses what the rules of thumb tell, and something else: in
proportion."""
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
    given = _given_away(view, table, sum(cards)) if table.led else _exposed(sum(cards), out)
    kept = [
        (play, _TOLD if card == told else _OTHER)
        for play, card in zip(plays, cards, strict=True)
        if not card & given
    ]
    total = sum(weight for _, weight in kept)
    return [(play, weight / total) for play, weight in kept]


def _given_away(view: View[State], table: ImaginedTable, cards: int) -> int:
    """Return the cards with points that would go to the others' trick for nothing, where nobody of
    one's own plays behind: one that counts less loses it as well, and cuts if it is trumps."""
    lying, turn = view.state.plays, table.turn
    behind = table.full - table.count - 1
    if not table.led or len(table.behind[turn][table.count]) < behind:
        return 0
    if any(play.down for play in lying) or table.side[table.winner] == table.side[turn]:
        return 0
    knows = not table.hidden or turn == table.maker
    beats = table.trumps if knows and not table.best & table.trumps else 0
    beats |= ABOVE[table.best]
    found = 0
    for suits in (sum(SUIT_BITS),) if knows else SUIT_BITS:
        lost = [*bits(cards & suits & ~beats)]
        least = min((POINTS[card] for card in lost), default=0)
        found |= sum(card for card in lost if card & _POINTS and POINTS[card] > least)
    return found


def _exposed(cards: int, out: int) -> int:
    """Return the leads of points that a higher card may take, where one without points may be
    led."""
    if all(POINTS[card] for card in bits(cards)):
        return 0
    return sum(card for card in bits(cards & _DEAR) if out & ABOVE[card])


def _as_known(view: View[State]) -> Imagined:
    """Return a scene for a seat that decides on what it may know: where it does not know who holds
    the card that was called, it takes nobody for the maker's partner."""
    state, scene, seat = view.state, any_scene(view), view.seat
    if state.called is None or not state.partner_secret or seat is None:
        return scene
    if any(view.faces.get(slot) == state.called for slot in (*state.dealt[seat], *state.faces)):
        return scene
    return scene._replace(side=tuple(int(each != scene.maker) for each in state.everybody))
