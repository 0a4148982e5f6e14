"""A duplicate match between two bots: every deal both ways, which takes out the luck of the cards.

    python -m tests.bots.duplicate club steady --game 304 --profile pagat --deals 500 --seed 1

Every statement and disclosure is checked against the real cards. The same arguments give the same
figures, whatever machine plays them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import sqrt

import click

from p2p304.bots.players import PLAYERS, player_for
from p2p304.game import LUCK_BYTES, AnyGame
from p2p304.games import GAMES, create_game
from p2p304.randomness import SeededRandomness
from p2p304.simulator import play_hand


def gain(game: AnyGame, kinds: tuple[str, str], seed: int) -> float:
    """What the first kind scores more than the second in a deal, the mean of both ways."""
    gained = 0.0
    for way in range(2):
        chance = SeededRandomness(seed)  # the same cards, the same luck
        match = game.new_match(bytes(chance.randbelow(256) for _ in range(LUCK_BYTES)))
        deck = list(game.pack)
        chance.shuffle(deck)
        seeds = [chance.word() for _ in range(game.seats)]
        of = [kinds[(seat + way) % 2] for seat in range(game.seats)]
        players = [player_for(game, one, kind) for one, kind in zip(seeds, of, strict=True)]
        hand = play_hand(game, match.dealer, players, deck, chance, scores=match.scores)
        scores, sides = hand.outcome.scores, game.sides(hand.state)[0]
        for seat in range(game.seats):
            own = seat
            if len(scores) == len(sides):
                own = next(at for at, side in enumerate(sides) if seat in side)
            gained += (1 - 2 * ((seat + way) % 2)) * scores[own] * len(sides) / game.seats / 2
    return gained


def gains(game: AnyGame, kinds: tuple[str, str], deals: int, seed: int) -> Iterator[float]:
    """The gain of the first kind in each deal."""
    chance = SeededRandomness(seed)
    for _ in range(deals):
        yield gain(game, kinds, chance.word())


def told(values: list[float]) -> str:
    """Return the mean gain and its standard error."""
    mean = sum(values) / len(values)
    spread = sqrt(sum((each - mean) ** 2 for each in values) / max(len(values) - 1, 1))
    error = spread / sqrt(len(values))
    return f"{len(values)} deals both ways: {mean:+.3f} a hand, give or take {error:.3f}"


def main() -> None:
    """Play, and tell what the first kind gains on the second."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs=2, choices=PLAYERS)
    parser.add_argument("--game", default="304", choices=GAMES)
    parser.add_argument("--profile", default="")
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    game, values = create_game(chosen.game, chosen.profile), []
    for value in gains(game, tuple(chosen.kinds), chosen.deals, chosen.seed):
        values.append(value)
        if not len(values) % 50:
            click.echo(told(values))
    click.echo(told(values))


if __name__ == "__main__":
    main()
