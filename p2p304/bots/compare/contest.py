"""Contests: one pair of players against another over many matches of 304, and who won how often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from p2p304.bots.play304.thinking import STEADY, Thinking
from p2p304.bots.players import random_player_for, steady_for
from p2p304.game import LUCK_BYTES, AnyGame, Outcome
from p2p304.randomness import SeededRandomness
from p2p304.rules304.count import points_of_teams
from p2p304.rules304.scoring import CapsVerdict, HandOutcome
from p2p304.rules304.state import End
from p2p304.simulator import PlayedHand, Player, play_hand

SIDES: Final = 2
HOME, AWAY = 0, 1
"""The two pairs of a contest; they change places after every match."""

_COUNTED: Final = frozenset({End.PLAYED, End.CONCEDED, End.CAPS_LOST})

MakePlayer = Callable[[int], Player]
"""A player from a seed."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What one pair did in a contest."""

    matches: int = 0
    """Matches won."""
    bids_made: int = 0
    bids_failed: int = 0
    points: int = 0
    """Points taken in hands that were played out."""
    tokens: int = 0
    """Tokens, or points of the match's score, gained less those that were lost."""
    caps_correct: int = 0
    caps_wrong: int = 0
    """Caps called wrongly, or not called where they had to be."""
    caps_lost: int = 0
    """Caps called and a trick lost."""
    violations: int = 0
    """Hands that ended because this pair broke a rule (a false call of spoilt trumps)."""


@dataclass(frozen=True, slots=True)
class ContestResult:
    """A contest between a home pair and an away pair."""

    hands: int
    voids: int
    """Hands without a score: passed out, redealt, spoilt."""
    matches: int
    """Matches played to their end; the last may have been cut short and then does not count."""
    pairs: tuple[Tally, Tally]

    @property
    def match_win_rate(self) -> float:
        """The share of finished matches that the home pair won; 0 without any."""
        return self.pairs[HOME].matches / self.matches if self.matches else 0.0

    @property
    def bids_made(self) -> int:
        """Bids that the home pair made."""
        return self.pairs[HOME].bids_made

    @property
    def bids_failed(self) -> int:
        """Bids that the home pair failed to make."""
        return self.pairs[HOME].bids_failed


def contest(
    game: AnyGame,
    hands: int,
    seed: int,
    *,
    home: MakePlayer | None = None,
    away: MakePlayer | None = None,
    thinking: Thinking = STEADY,
    checks: bool = True,
    progress: Callable[[ContestResult], None] | None = None,
) -> ContestResult:
    """Play matches until `hands` hands are over, the pairs changing places after each match.

    At more than four seats a pair is every other seat. The home pair are steady players with
    `thinking`, unless `home` makes others; the away pair are random ones, unless
    `away` does. `progress` is told of the standing after every hand. The same arguments give
    the same result. `checks` as in `p2p304.simulator`.
    """
    best = home or (lambda number: steady_for(game, number, thinking))
    makers: tuple[MakePlayer, MakePlayer] = (
        best,
        away or (lambda number: random_player_for(game, number)),
    )
    chance = SeededRandomness(seed)
    result = ContestResult(0, 0, 0, (Tally(), Tally()))
    turn = 0
    while result.hands < hands:
        side_of = [(seat + turn) % SIDES for seat in range(game.seats)]
        players = [makers[side](chance.word()) for side in side_of]
        result = _match(game, players, side_of, chance, result, hands, checks, progress)
        turn += 1
    return result


def _match(
    game: AnyGame,
    players: Sequence[Player],
    side_of: Sequence[int],
    chance: SeededRandomness,
    result: ContestResult,
    hands: int,
    checks: bool,
    progress: Callable[[ContestResult], None] | None,
) -> ContestResult:
    match = game.new_match(bytes(chance.randbelow(256) for _ in range(LUCK_BYTES)))
    while match.winner is None:
        if result.hands >= hands:
            return result
        deck = list(game.pack)
        chance.shuffle(deck)
        table: AnyGame = game
        hand = play_hand(
            table, match.dealer, players, deck, chance, scores=match.scores, checks=checks
        )
        outcome = hand.outcome
        match = game.after_hand(match, outcome)
        if isinstance(outcome, HandOutcome):
            result = _after_hand(result, hand, outcome, side_of)
        else:
            result = _scored(result, outcome, side_of)
        if match.winner is not None:
            winner = side_of[match.winner]
            pairs = list(result.pairs)
            pairs[winner] = replace(pairs[winner], matches=pairs[winner].matches + 1)
            result = replace(result, matches=result.matches + 1, pairs=(pairs[0], pairs[1]))
        if progress is not None:
            progress(result)
    return result


def _scored(result: ContestResult, outcome: Outcome, side_of: Sequence[int]) -> ContestResult:
    """Count a hand of which no more is known here than what it brought each side, or each seat."""
    home, away = (
        replace(
            tally,
            tokens=tally.tokens
            + sum(score for seat, score in enumerate(outcome.scores) if side_of[seat] == side),
        )
        for side, tally in enumerate(result.pairs)
    )
    voids = result.voids + (not outcome.played)
    return replace(result, hands=result.hands + 1, voids=voids, pairs=(home, away))


def _after_hand(
    result: ContestResult, hand: PlayedHand, outcome: HandOutcome, side_of: Sequence[int]
) -> ContestResult:
    facts, state = outcome.facts, hand.state
    tallies = [result.pairs[side_of[team]] for team in range(SIDES)]
    for team, tally in enumerate(tallies):
        makes = facts.maker_team == team
        caps = facts.caps[team]
        played = facts.void is None and facts.violation is None
        taken = 0
        if played and state.end in _COUNTED:
            taken = points_of_teams(state)[team]
        tallies[team] = replace(
            tally,
            bids_made=tally.bids_made + (played and makes and facts.made),
            bids_failed=tally.bids_failed + (played and makes and not facts.made),
            points=tally.points + taken,
            tokens=tally.tokens + outcome.scores[team],
            caps_correct=tally.caps_correct
            + (caps in (CapsVerdict.CORRECT_BONUS, CapsVerdict.CORRECT_NO_BONUS)),
            caps_wrong=tally.caps_wrong + (caps is CapsVerdict.WRONG),
            caps_lost=tally.caps_lost + (caps is CapsVerdict.LOST),
            violations=tally.violations
            + (facts.violation is not None and facts.violation.team == team),
        )
    pairs = [tallies[0], tallies[1]]
    if side_of[0] == AWAY:
        pairs.reverse()
    return replace(
        result,
        hands=result.hands + 1,
        voids=result.voids + (facts.void is not None),
        pairs=(pairs[0], pairs[1]),
    )
