"""What the cards that players of 304 choose give away, by what perfect play would have taken.

Judged with open cards, which no player sees: a good player gives something away, and a card drawn
at random much more. The best that a bot can do is not to give away what it could have known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from p2p304.bots.play304.scenes import stage_of
from p2p304.game import AnyGame
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.bits import BIT
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, Player
from tests.rules.double_dummy_304 import OutOfPositionsError, Solver

MOST_POSITIONS: Final = 300_000
"""Positions between tricks that one search may look at; a longer one is left out."""


class PlayJudged(NamedTuple):
    """One card of one player, judged with hindsight."""

    player: str
    trick: int
    """From 1."""
    leads: bool
    given: int
    """Points fewer for its side than the best card would have taken."""
    drawn: float
    """The same for a card drawn at random."""


def judged_plays(
    game: AnyGame,
    players: Mapping[str, Callable[[int], Player]],
    hands: int,
    seed: int,
    *,
    first_trick: int = 1,
    most: int = MOST_POSITIONS,
    after_hand: Callable[[], None] = lambda: None,
) -> Iterator[PlayJudged]:
    """Yield what each of `players` would play wherever there is a choice from `first_trick` on.

    The first of them sits on every seat and plays; the others are asked at the same positions. A
    player is made from a seed. Hands are of random deals, those bid for all tricks are left out,
    and so are decisions whose search is longer than `most`. `after_hand` is told of every hand.
    """
    chance = SeededRandomness(seed)
    for _ in range(hands):
        deck = list(game.pack)
        chance.shuffle(deck)
        made = {name: make(chance.word()) for name, make in players.items()}
        dealer = Seat(chance.randbelow(game.seats))
        mix = SeededRandomness(chance.word())
        yield from _hand(
            OpenTable(game, deck, mix, dealer=dealer, checks=False), made, first_trick, most
        )
        after_hand()


def _hand(
    table: OpenTable, players: Mapping[str, Player], first_trick: int, most: int
) -> Iterator[PlayJudged]:
    plays, solver = next(iter(players.values())), None
    while awaited := table.state.awaiting:
        seat, state = awaited[0], table.state
        view = table.view(seat)
        action = plays.choose(view)
        if _is_judged(state, action) and state.trick_number >= first_trick:
            cards = {slot: BIT[card] for slot, card in table.open_view().faces.items()}
            scene = stage_of(state).scene(cards)
            solver = solver or Solver(scene, most)
            try:
                values = solver.values(scene)
            except OutOfPositionsError:
                values = {}
            sign = -1 if scene.side[seat] else 1
            taken = {card: sign * value for card, value in values.items()}
            if len(taken) > 1:
                best = max(taken.values())
                drawn = best - sum(taken.values()) / len(taken)
                for name, player in players.items():
                    chosen = action if player is plays else player.choose(view)
                    if isinstance(chosen, PlayCard | PlayDown):
                        given = best - taken[cards[chosen.slot]]
                        yield PlayJudged(name, state.trick_number, not state.plays, given, drawn)
        table.act(seat, action)


def _is_judged(state: State, action: object) -> bool:
    played = state.phase is Phase.TRICK and isinstance(action, PlayCard | PlayDown)
    return played and isinstance(state.contract, int) and state.caps is None


class Given(NamedTuple):
    """What one player gave away in one trick, or in all."""

    decisions: int
    given: float
    """Points of a decision, in the mean."""
    drawn: float
    leads: int
    given_leading: float
    """The same of leads alone; 0 without any."""


def given_away(plays: Iterable[PlayJudged]) -> dict[str, dict[int, Given]]:
    """Return for each player what it gave away by trick; trick 0 stands for all of them."""
    sorted_out: dict[str, dict[int, list[PlayJudged]]] = {}
    for play in plays:
        tricks = sorted_out.setdefault(play.player, {})
        for trick in (0, play.trick):
            tricks.setdefault(trick, []).append(play)
    return {
        player: {trick: _mean(some) for trick, some in sorted(tricks.items())}
        for player, tricks in sorted_out.items()
    }


def _mean(plays: list[PlayJudged]) -> Given:
    leads = [play.given for play in plays if play.leads]
    return Given(
        len(plays),
        sum(play.given for play in plays) / len(plays),
        sum(play.drawn for play in plays) / len(plays),
        len(leads),
        sum(leads) / len(leads) if leads else 0.0,
    )
