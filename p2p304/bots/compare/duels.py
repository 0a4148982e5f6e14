"""Duels: one kind of player against another over matches of any game, deal by deal.

A deal is all that its number decides: cards, chance and what each seat's player draws from. Played
both ways, the kinds change seats and nothing else differs, so that the luck of the cards falls out
of what is counted, and a kind against itself gains nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from p2p304.bots.compare.contest import SIDES
from p2p304.bots.compare.intervals import LEAST, Interval, deviations, mean_of, share_of
from p2p304.bots.players import COUNTING, PLAYERS, player_for
from p2p304.errors import ProfileError
from p2p304.game import LUCK_BYTES, AnyGame, MatchState
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import Game41
from p2p304.rules304.hand import Game304
from p2p304.simulator import Player, play_hand

ONE, OTHER = 0, 1
"""The two kinds of player of a duel."""
LONGEST: Final = 1_000
"""Deals after which a match that nobody wins is given up and not counted."""
_EVEN: Final = 0.5

KINDS: Final = PLAYERS
"""What the kinds are called."""

MakePlayer = Callable[[AnyGame, int], Player]
"""A player of a game from a seed."""


class Deal(NamedTuple):
    """A deal of a match, played once or both ways."""

    match: int
    number: int
    """Which deal of the match, from 0."""
    gained: float
    """What the first kind gained on the other, for each hand: tokens in 304, else by how much its
    side scored more."""
    hands: int
    """How often it was played: once, or both ways."""
    ended: bool
    won: bool | None
    """Whether the first kind won the match, if the deal ended it."""


def kind_called(name: str, game: AnyGame) -> MakePlayer:
    """Return what makes players of one of KINDS. Raises ProfileError where `game` has none."""
    if name == COUNTING and not isinstance(game, Game41):
        raise ProfileError("only 41 and 400 have a player that counts")
    return lambda game, seed: player_for(game, seed, name)


def chance_of(seed: int, match: int, number: int = -1) -> SeededRandomness:
    """Return the chance of one deal of a match, or of what precedes its first deal."""
    chance = SeededRandomness(seed)
    for part in (match, number):
        chance = SeededRandomness(chance.word() + part)
    return chance


def new_match(game: AnyGame, seed: int, match: int) -> MatchState:
    """Return a match before its first deal; its number and the seed decide who deals."""
    chance = chance_of(seed, match)
    return game.new_match(bytes(chance.randbelow(256) for _ in range(LUCK_BYTES)))


def play_deal(
    game: AnyGame,
    kinds: tuple[MakePlayer, MakePlayer],
    seed: int,
    state: MatchState,
    *,
    match: int,
    number: int,
    both: bool,
) -> tuple[Deal, MatchState]:
    """Play one deal at a match's `state`, and with `both` the other way as well.

    The match goes on with the first way, in which the kinds have changed seats since the match
    before. Return the deal and where the match stands then.
    """
    after, gains = state, []
    for way in range(1 + both):
        chance = chance_of(seed, match, number)
        deck = list(game.pack)
        chance.shuffle(deck)
        kind_of = [(seat + match + way) % SIDES for seat in range(game.seats)]
        players = [kinds[kind](game, chance.word()) for kind in kind_of]
        hand = play_hand(
            game, state.dealer, players, deck, chance, scores=state.scores, checks=False
        )
        gains.append(_gained(game, hand.outcome.scores, kind_of))
        if not way:
            after = game.after_hand(state, hand.outcome)
    won = None if after.winner is None else (after.winner + match) % SIDES == ONE
    ended = won is not None or number + 1 >= LONGEST
    gained = sum(gains) / len(gains)
    return Deal(match, number, gained, len(gains), ended, won), after


def _gained(game: AnyGame, scores: Sequence[int], kind_of: Sequence[int]) -> float:
    """Return what the first kind gained; `scores` are those of teams or of seats."""
    sums, counts = [0.0, 0.0], [0, 0]
    for place, score in enumerate(scores):
        sums[kind_of[place]] += score
        counts[kind_of[place]] += 1
    ahead = sums[ONE] / counts[ONE] - sums[OTHER] / counts[OTHER]
    # What one side pays in tokens the other one receives: the difference counts it twice.
    return ahead * len(scores) / 2 / (2 if isinstance(game, Game304) else 1)


@dataclass(slots=True)
class Duel:
    """How a duel stands. Deals may come in any order; they count in that of their matches.

    `looked` says that it may be stopped for what it shows, which the intervals then allow for.
    """

    hands: int
    """How many are played at most."""
    looked: bool = False
    done: int = 0
    gains: list[float] = field(default_factory=list)
    matches: int = 0
    won: int = 0
    _waiting: dict[tuple[int, int], Deal] = field(default_factory=dict)
    _next: tuple[int, int] = (0, 0)

    def add(self, deal: Deal, enough: Callable[[Duel], bool] = lambda _: False) -> bool:
        """Count a deal as soon as all before it are there; return whether the duel is over.

        It is over after so many hands, or at the first deal, in their order, after which it is
        `enough`: whatever plays them, and in which order, the result is the same.
        """
        self._waiting[deal.match, deal.number] = deal
        while (counted := self._waiting.pop(self._next, None)) is not None:
            self._count(counted)
            if self.done >= self.hands or enough(self):
                return True
        return False

    def _count(self, deal: Deal) -> None:
        self.done += deal.hands
        self.gains.append(deal.gained)
        self.matches += deal.won is not None
        self.won += deal.won is True
        self._next = (deal.match + 1, 0) if deal.ended else (deal.match, deal.number + 1)

    @property
    def gained(self) -> float | None:
        """What the first kind gained a hand, on average; None before the first deal."""
        return sum(self.gains) / len(self.gains) if self.gains else None

    @property
    def rate(self) -> float | None:
        """The share of ended matches that the first kind won; None before the first."""
        return self.won / self.matches if self.matches else None

    @property
    def gain_within(self) -> Interval | None:
        """Between which bounds the gain lies with 95 %; None before the second deal."""
        return mean_of(self.gains, self._within) if self.done else None

    @property
    def rate_within(self) -> Interval | None:
        """Between which bounds the share of matches lies with 95 %; None before the first."""
        return share_of(self.won, self.matches, self._within) if self.done else None

    @property
    def _within(self) -> float:
        return deviations(self.done, max(self.hands, self.done) if self.looked else None)


def enough_by(what: str, width: float | None) -> Callable[[Duel], bool]:
    """Return when a duel has shown enough: its interval excludes a draw, or is narrow.

    `what` is "hands" for the gain or "matches" for the share of matches; `width` is how far the
    bounds may lie from the middle, None if only a draw is to be excluded.
    """

    def enough(duel: Duel) -> bool:
        by_hands = what == "hands"
        if (len(duel.gains) if by_hands else duel.matches) < LEAST:
            return False
        found = duel.gain_within if by_hands else duel.rate_within
        assert found is not None
        narrow = width is not None and found.half_width <= width
        return narrow or found.excludes(0.0 if by_hands else _EVEN)

    return enough
