"""Blunders of a partner at 304: what nobody who sits opposite forgives, by what a seat knows.

    python -m tests.bots.blunders club steady --decisions 1000 --seed 1

Each is defined by the seat's own cards, by what lies open and by who was seen to lack a suit. Of
hands of one kind of bot in all seats so many decisions of a card are looked at, those among several
cards; the same seed gives the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from p2p304.bots.play304.prior import AskedSeat, Play, beats, winning_card
from p2p304.bots.players import PLAYERS, player_for
from p2p304.cards import Card, Rank, Suit
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, Contract, PlayDown
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.pack import CARD_POINTS, STRENGTH
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View
from tests.campaigns.frame import asked, say

#: Ranks that are given away: a nine counts 20, an ace 11, a ten 10.
DEAR: Final = (Rank.NINE, Rank.ACE, Rank.TEN)


def cuts_a_won_trick(asked: AskedSeat) -> bool:
    """Tell whether the last to play puts a trump, which it did not have to, on a plain trick that
    its partner wins."""
    if not asked.state.plays or len(asked.state.plays) != asked.state.seats - 1:
        return False
    card, best = asked.card, winning_card(asked)
    if best is None or not asked.ours(best[0]):
        return False
    if card.suit is not asked.trump or best[1].suit is card.suit:
        return False
    return any(each.suit is not card.suit for each in others(asked))


def throws_points_away(asked: AskedSeat) -> bool:
    """Tell whether a nine, ten or ace goes to a trick that an opponent wins, where nobody of the
    seat's side plays behind it and a card of fewer points would have lost the trick as well."""
    card = asked.card
    if not asked.state.plays or card.rank not in DEAR:
        return False
    best = winning_card(asked)
    if best is None or asked.ours(best[0]):
        return False
    played = {play.seat for play in asked.state.plays} | {asked.seat}
    if any(mate not in played for mate in asked.state.mates(asked.seat)):
        return False
    if isinstance(asked.action, PlayDown) and asked.trump is None:
        # Face down it may cut, and so may no card of another suit instead.
        return any(_cheaper(each, card) and each.suit is card.suit for each in others(asked))
    if beats(asked, card, best[1]):
        return False
    return any(_cheaper(each, card) and not beats(asked, each, best[1]) for each in others(asked))


def others(asked: AskedSeat) -> list[Card]:
    """The cards that the seat could legally play instead; empty where it has no choice."""
    plays = (each for each in legal_actions(asked.view) if isinstance(each, Play))
    return [asked.view.faces[each.slot] for each in plays if each != asked.action]


def leads_points_under_a_higher_card(asked: AskedSeat) -> bool:
    """Tell whether a nine, ten or ace is led while a higher card of its suit is out, with a card
    without points that may be led."""
    card = asked.card
    if asked.state.plays or card.rank not in DEAR:
        return False
    higher = any(
        each.suit is card.suit and STRENGTH[each.rank] > STRENGTH[card.rank]
        for each in asked.unseen_cards
    )
    return higher and any(not CARD_POINTS[each] for each in others(asked))


def draws_the_partners_trumps(asked: AskedSeat) -> bool:
    """Tell whether an open trump is led, with another suit to lead, where every opponent was seen
    to lack trumps and the partner was not, with a trump out."""
    card, state = asked.card, asked.state
    if state.plays or card.suit is not asked.trump or state.trump is None:
        return False
    lack = lacking(state, card.suit)
    foes = {seat for seat in state.everybody if not asked.ours(seat)}
    if not foes <= lack or {*state.mates(asked.seat)} <= lack:
        return False
    out = any(each.suit is card.suit for each in asked.unseen_cards)
    return out and any(each.suit is not card.suit for each in others(asked))


def lacking(state: State, suit: Suit) -> set[Seat]:
    """Return the seats that were seen not to follow a suit."""
    found = set()
    for trick in state.tricks:
        led = state.faces[trick.plays[0].slot].suit
        for play in trick.plays:
            face = state.faces.get(play.slot)
            if led is suit and (play.down or face is None or face.suit is not led):
                found.add(play.seat)
    return found


def _cheaper(card: Card, than: Card) -> bool:
    return CARD_POINTS[card] < CARD_POINTS[than]


BLUNDERS: Final[Mapping[str, Callable[[AskedSeat], bool]]] = {
    "cuts a trick that is won already": cuts_a_won_trick,
    "throws a nine, ten or ace on the opponents' trick": throws_points_away,
    "leads a nine, ten or ace under a higher card": leads_points_under_a_higher_card,
    "draws out the partner's trumps": draws_the_partners_trumps,
}


def blunders(view: View[State], action: Action) -> Iterator[str]:
    """Yield the names of the blunders that a card of the view's seat is."""
    if view.seat is None or isinstance(view.state.contract, Contract):
        return
    assert isinstance(action, Play)
    asked = AskedSeat(view, view.seat, action)
    yield from (name for name, is_one in BLUNDERS.items() if is_one(asked))


def decisions(kind: str, seed: int) -> Iterator[tuple[View[State], Action]]:
    """Yield every decision among several cards in hands of one kind of bot, without end."""
    game, chance = create_game("304", "pagat"), SeededRandomness(seed)
    while True:
        deck = list(game.pack)
        chance.shuffle(deck)
        players = [player_for(game, chance.word(), kind) for _ in range(game.seats)]
        table = OpenTable(game, deck, chance, dealer=Seat(chance.randbelow(4)), checks=False)
        while table.state.awaiting:
            seat = table.state.awaiting[0]
            view = table.view(seat)
            action = players[seat].choose(view)
            cards = {each.slot for each in legal_actions(view) if isinstance(each, Play)}
            if len(cards) > 1 and isinstance(action, Play):
                yield view, action
            table.act(seat, action)


def counted(kind: str, most: int, seed: int) -> Counter[str]:
    """Return how many of so many decisions are which blunder."""
    found = Counter(dict.fromkeys(BLUNDERS, 0))
    for number, decision in enumerate(decisions(kind, seed)):
        if number == most:
            break
        found.update(blunders(*decision))
    return found


def main() -> None:
    """Count, and tell."""
    chosen = asked(__doc__, PLAYERS, decisions=(1_000, "of each kind"), seed=(1, "of the hands"))
    for kind in chosen.parts:
        say(f"{kind}, of {chosen.decisions} decisions:")
        for name, count in counted(kind, chosen.decisions, chosen.seed).items():
            say(f"  {count:3} {name}")


if __name__ == "__main__":
    main()
