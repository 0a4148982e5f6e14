"""Which player sits at a table, by the name of its level; one of them chooses by chance alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from p2p304.bots.advice import BEGINNER, LEVELS, THUMB, Advice, Adviser, Level, More
from p2p304.bots.search.player import SearchPlayer
from p2p304.game import AnyGame
from p2p304.games import GAMES
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import RARE_ACTIONS, Action, PlaceBid, height
from p2p304.rules304.hand import Game304
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.state import State
from p2p304.view import View

# Choices: seldom enough that most hands are played to the end.
CLAIMS: Final = 400  #: One decision in so many considers claims beside everything else.
HIGH_BIDS: Final = 20  #: One decision in so many considers high bids.
_RARE: Final = frozenset(RARE_ACTIONS)
# The low half of a word of 64 bits.
_LOW: Final = (1 << 32) - 1


# --- a player who chooses any legal action: first a kind, then one of that kind -------------------


class RandomPlayer:
    """Plays any game by chance; the same seed and the same views give the same choices.

    First a kind of action is drawn (bid, pass, card), then an action of that kind, each equally
    likely.
    """

    __slots__ = ("_chance", "_game")

    def __init__(self, game: AnyGame, seed: int) -> None:
        """Prepare to play `game`, with all choices drawn from `seed`."""
        self._game = game
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[Any]) -> Any:
        """Return a random legal action of the view's seat. Raises ValueError when it has none."""
        actions: Sequence[Any] = self._game.legal_actions(view)
        if not actions:
            raise ValueError(f"seat {view.seat} has no legal action")
        if len(actions) == 1:
            return actions[0]
        # A dictionary keeps the order of the actions, which a set of classes does not.
        kinds = list(dict.fromkeys(map(type, actions)))
        # Else one pass among twenty bids would be drawn once in twenty-one times.
        if len(kinds) > 1:
            kind = kinds[self._chance.randbelow(len(kinds))]
            actions = [each for each in actions if type(each) is kind]
        return actions[self._chance.randbelow(len(actions))]

    def advice(self, view: View[Any]) -> Advice:
        """Return a random legal action as advice. Raises ValueError when the view's seat has
        none.
        """
        return Advice(self.choose(view), "One choice is as good as another here.")


class RandomPlayer304(RandomPlayer):
    """Plays 304 by chance: where bids are legal it draws a kind of call, then one of that kind,
    else any legal action; claims and high bids are rare.
    """

    __slots__ = ()

    def __init__(self, seed: int) -> None:
        """Draw all choices from the number `seed`; equal seeds and views give equal choices."""
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[State]) -> Action:
        """Return a random legal action of the view's seat. Where there is another choice, claims
        take part in about one draw in 400, high bids in about one in 20. Raises ValueError when
        the seat has no legal action.
        """
        actions = legal_actions(view)
        count = len(actions)
        if count <= 1:
            if not actions:
                raise ValueError(f"seat {view.seat} has no legal action")
            return actions[0]
        chance = self._chance.word()  # one draw for everything: there are thousands of decisions
        if chance % CLAIMS:
            while count and type(actions[count - 1]) in _RARE:
                count -= 1  # claims come last, and legal_actions gives a list of our own
            # None where all are claims: something must be chosen.
            del actions[count or len(actions) :]
            if count == 1:
                return actions[0]
        # The low bits have decided about claims; the choices below use others, so that they are
        # independent.
        chance >>= 16
        if type(actions[-1]) is not PlaceBid:
            # A product instead of a remainder: as uniform as 32 bits allow, and faster.
            return actions[(chance & _LOW) * len(actions) >> 32]
        # Again, for a redeal stands before the bids, where the loop above did not come to it.
        seldom = (PlaceBid, *RARE_ACTIONS) if chance % CLAIMS else PlaceBid
        others = [each for each in actions if not isinstance(each, seldom)]
        bids = [each for each in actions if isinstance(each, PlaceBid)]
        if chance % HIGH_BIDS:
            high = view.state.profile.bracket_middle
            # bids * False is empty: with no low bid and another call to make, no bid; else the high
            # ones.
            bids = [each for each in bids if height(each.bid) < high] or bids * (not others)
        # A kind of call first, then one of the kind: there are many numbers and one pass.
        kinds = [[each] for each in others] + ([bids] if bids else [])
        kind = kinds[(chance & _LOW) * len(kinds) >> 32]
        # Other bits than those that chose the kind, so that the two draws differ.
        return kind[(chance >> 8 & _LOW) * len(kind) >> 32]


RANDOM: Final = "random"
STEADY: Final = "steady"  #: Plays by rules of thumb.
PLAYERS: Final = (*LEVELS, STEADY, RANDOM)  #: Everybody who can be seated.


def player_for(
    game: AnyGame, seed: int, level: str = "club", *, more: More | None = None
) -> Adviser:
    """Return a player of this level for `game`; the same seed gives the same player.

    Raises ValueError for a level that is none of PLAYERS.

    Args:
        level: a name in PLAYERS: of LEVELS, "steady" or "random".
        more: asked between imagined hands; once it returns False, a searching player decides. None
            lets it search as long as its level does.
    """
    if level == RANDOM:
        return random_player_for(game, seed)
    if level == STEADY:
        return steady_for(game, seed)
    if level not in LEVELS:
        # Named are the levels that search; the two others were answered above. Cut and in ASCII, as
        # a level comes from wherever a caller has it.
        raise ValueError(f"{level[:40]!a} does not play {game.name}; there are {', '.join(LEVELS)}")
    return search_player(game, seed, LEVELS[level], more=more)


def search_player(
    game: AnyGame, seed: int, level: Level, *, more: More | None = None
) -> SearchPlayer:
    """Return a player that searches within the bounds of `level`, with the rules of thumb and the
    playout that the registry has for the game. The same seed gives the same player.

    `more` is asked between imagined hands; once it returns False, the player decides. None lets it
    search as long as its level does.
    """
    # A game need not be in the registry, and its entry need not bring either.
    entry = GAMES.get(game.name)
    prior = entry.prior(game) if entry is not None and entry.prior is not None else None
    playout = entry.playout(game) if entry is not None and entry.playout is not None else None
    return SearchPlayer(game, seed, level, prior=prior, playout=playout, more=more)


def steady_for(game: AnyGame, seed: int) -> SearchPlayer:
    """Return a player that decides by the game's rules of thumb alone; where the game has none,
    one that searches as a beginner does. The same seed gives the same player.
    """
    entry = GAMES.get(game.name)
    known = entry is not None and entry.prior is not None
    # THUMB imagines no hands: without rules of thumb it could tell no action from another.
    return search_player(game, seed, THUMB if known else BEGINNER)


def random_player_for(game: AnyGame, seed: int) -> RandomPlayer:
    """Return a player that draws its choices by chance from `seed`; in 304 it claims and bids
    high so rarely that most hands are played to the end.
    """
    return RandomPlayer304(seed) if isinstance(game, Game304) else RandomPlayer(game, seed)
