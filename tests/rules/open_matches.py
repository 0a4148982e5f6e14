"""Whole matches with open cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from p2p304.cards import Card
from p2p304.game import LUCK_BYTES, AnyGame, MatchState
from p2p304.randomness import Randomness
from p2p304.simulator import PlayedHand, Player, Watcher, play_hand


def shuffled(game: AnyGame, chance: Randomness) -> list[Card]:
    """The game's pack in an order of chance."""
    deck = list(game.pack)
    chance.shuffle(deck)
    return deck


class PlayedMatch(NamedTuple):
    """A match: all its hands, and where it stands after the last one."""

    hands: tuple[PlayedHand, ...]
    match: MatchState


def play_match(
    game: AnyGame,
    players: Sequence[Player],
    chance: Randomness,
    *,
    most_hands: int,
    checks: bool = True,
    watch: Watcher | None = None,
) -> PlayedMatch:
    """Play a match until a side has won or `most_hands` hands are over.

    The match that is returned has a winner unless `most_hands` were over first. Raises as
    `play_hand` does.

    Args:
        players, checks, watch: as for `play_hand`, the same in every hand.
        chance: decides the first dealer, every shuffle and every mixing of cards.
        most_hands: 0 or more; those in which nobody bids count, too.
    """
    match = game.new_match(bytes(chance.randbelow(256) for _ in range(LUCK_BYTES)))
    hands: list[PlayedHand] = []
    while match.winner is None and len(hands) < most_hands:
        deck = shuffled(game, chance)
        hand = play_hand(
            game,
            match.dealer,
            players,
            deck,
            chance,
            scores=match.scores,
            checks=checks,
            watch=watch,
        )
        match = game.after_hand(match, hand.outcome)
        hands.append(hand)
    return PlayedMatch(tuple(hands), match)
