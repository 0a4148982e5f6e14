"""A player of any game, which searches: worlds are drawn, hands imagined, the best choice made.

Every world is played for every choice that is still in the race, so that luck does not decide
between choices; one that does clearly worse drops out, and the others get its hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any, Final

from p2p304.bots.advice import Advice, Considered
from p2p304.bots.levels import CLUB, Level, More
from p2p304.bots.search.interface import Payoff, Playout, Prior
from p2p304.bots.search.tree import Imagination, Node
from p2p304.bots.search.worlds import Laid, NoCardLeftError, OpenWorlds
from p2p304.game import AnyGame
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.view import View

_FIRST_LOOK: Final = 8
"""Worlds in which every choice is played before one may drop out."""
_LAST_LOOK: Final = 40
"""Worlds after which choices that were worth the same in every one are not told apart any more."""
_CLEARLY: Final = 2.6
"""Standard errors by which a choice is behind when it drops out."""
_DOUBT: Final = 0.3
"""How much two choices are taken to differ in one more world, as a share of all that was at stake:
what is rare may not have come up yet."""
_IN_VAIN: Final = 60
"""Draws without a new world after which there is none any more."""
_MOST_CHOICES: Final = 60
"""Choices that are compared; of more, so many are drawn."""


class SearchPlayer:
    """Plays any game from its view alone; the same seed and view give the same choice.

    With `more` it thinks on until that says no, or until its level's hands are played.
    """

    __slots__ = ("_game", "_level", "_more", "_playout", "_prior", "_seed")

    def __init__(
        self,
        game: AnyGame,
        seed: int,
        level: Level = CLUB,
        *,
        prior: Prior | None = None,
        playout: Playout | None = None,
        more: More | None = None,
    ) -> None:
        self._game = game
        self._seed = seed
        self._level = level
        self._prior = prior
        self._playout = playout
        self._more = more

    def choose(self, view: View[Any]) -> Any:
        """Return a legal action of the view's seat. Raises ValueError when it has none."""
        return self.advice(view).action

    def advice(self, view: View[Any]) -> Advice:
        """Advise what the player would do, and why. Raises ValueError without an action."""
        legal = list(self._game.legal_actions(view))
        if view.seat is None or not legal:
            raise ValueError(f"seat {view.seat} has no legal action")
        if len(legal) == 1:
            return Advice(legal[0], "The rules leave no other choice.")
        chance = self._chance(view, legal)
        prior = self._prior
        likely: dict[Any, float] = {}
        if prior is not None:
            decided = prior.decide(view, legal, self._level, chance, self._more)
            if decided is not None:
                return decided
            if not self._level.hands:
                told = prior.act(view, legal, chance)
                return Advice(told, prior.why(view, told) or "Nothing speaks for more than this.")
            likely = dict(prior.candidates(view, legal))
            legal = [*likely]
        chance.shuffle(legal)
        legal.sort(key=lambda each: -likely.get(each, 0.0))  # of two that do as well, the first
        del legal[_MOST_CHOICES:]
        if len(legal) == 1:
            return Advice(legal[0], "Nothing else is worth a thought.")
        return self._searched(view, view.seat, legal, chance)

    def _chance(self, view: View[Any], legal: Sequence[Any]) -> SeededRandomness:
        """Return randomness that the seed and the view determine, other than at any other
        decision."""
        number = self._seed
        cards = sorted((int(slot), str(card)) for slot, card in view.faces.items())
        told = (*map(self._game.format_action, legal), str(view.seat), str(cards))
        for text in told:
            for byte in text.encode():
                number = (number * 0x100000001B3 ^ byte) & (1 << 64) - 1
        return SeededRandomness(number)

    def _searched(
        self, view: View[Any], seat: Seat, legal: Sequence[Any], chance: SeededRandomness
    ) -> Advice:
        imagination = Imagination(self._game, view, self._prior, self._playout, chance)
        race = _Race(seat, legal)
        self._run(race, imagination, self._worlds(view, chance))
        found = race.standing()
        if not any(each.visits for each in found):
            return Advice(legal[0], "Nothing that could be imagined tells one choice from another.")
        best = found[0]
        why = self._prior.why(view, best.action) if self._prior is not None else ""
        said = f"It did best in {best.visits} imagined hands."
        told = f"{why} {said}" if why else said
        return Advice(best.action, told, best.expected, best.chance, found)

    @property
    def _ahead(self) -> bool:
        return self._prior is None or self._prior.ahead

    def _run(self, race: _Race, imagination: Imagination, worlds: Iterator[Laid]) -> None:
        trees = [Node() if self._ahead else None for _ in race.choices]
        left = self._level.plain if self._playout is None else self._level.hands
        lap = 0
        while left > 0 and len(race.running) > 1:
            world = next(worlds, None)
            if world is None:
                return
            for choice in race.running:
                ending = imagination.play(world, race.choices[choice], trees[choice])
                race.note(choice, ending)
            left -= len(race.running)
            lap += 1
            if lap >= _FIRST_LOOK and not lap % (_FIRST_LOOK // 2):
                race.drop()
            if self._more is not None and not self._more():
                return

    def _worlds(self, view: View[Any], chance: SeededRandomness) -> Iterator[Laid]:
        """Yield worlds, as long as there are any; where nothing but the cards decides how a hand
        ends, each of them once, for to see it again tells nothing."""
        source, seen, vain = OpenWorlds(self._game, view), set[Any](), 0
        once = self._playout is not None and not self._ahead
        while vain < _IN_VAIN:
            vain += 1
            try:
                world = source.draw(chance)
            except NoCardLeftError:
                continue
            if once and source.told(world) in seen:
                continue
            vain = 0
            yield world
            seen.add(source.told(world))  # now that a hand has looked at all of its cards


class _Race:
    """How the choices have done so far, world by world."""

    def __init__(self, seat: Seat, choices: Sequence[Any]) -> None:
        self._seat = seat
        self.choices = choices
        self.running = list(range(len(choices)))
        """The choices that are still in the race."""
        self._worths: list[list[float | None]] = [[] for _ in choices]
        self._low, self._high = float("inf"), float("-inf")
        self._scores = [0.0] * len(choices)
        self._made = [[0, 0] for _ in choices]

    def note(self, choice: int, ending: Payoff | None) -> None:
        """Note how a choice did in the next world."""
        if ending is None:
            self._worths[choice].append(None)
            return
        worth = ending.worth[self._seat]
        self._worths[choice].append(worth)
        self._low, self._high = min(self._low, worth), max(self._high, worth)
        self._scores[choice] += ending.scores[self._seat]
        if ending.made is not None:
            self._made[choice][0] += 1
            self._made[choice][1] += ending.made

    def _mean(self, choice: int) -> float:
        worths = [each for each in self._worths[choice] if each is not None]
        return sum(worths) / len(worths) if worths else float("-inf")

    def drop(self) -> None:
        """Take out of the race what is clearly worse than the best in the same worlds."""
        best = max(self.running, key=self._mean)
        self.running = [each for each in self.running if each == best or self._near(each, best)]

    def _near(self, choice: int, best: int) -> bool:
        pairs = zip(self._worths[choice], self._worths[best], strict=True)
        behind = [high - low for low, high in pairs if low is not None and high is not None]
        count = len(behind)
        if count < _FIRST_LOOK:
            return True
        mean = sum(behind) / count
        doubt = (_DOUBT * (self._high - self._low)) ** 2
        spread = sqrt((sum((each - mean) ** 2 for each in behind) + doubt) / count)
        if count >= _LAST_LOOK and not any(behind):
            return False  # one is as good as the other
        return mean <= _CLEARLY * spread / sqrt(count)

    def standing(self) -> tuple[Considered, ...]:
        """Return the choices, those still in the race first, the best of them at the top."""
        order = sorted(
            range(len(self.choices)),
            key=lambda each: (each not in self.running, -self._mean(each)),
        )
        return tuple(self._considered(each) for each in order)

    def _considered(self, choice: int) -> Considered:
        visits = sum(each is not None for each in self._worths[choice])
        count, made = self._made[choice]
        return Considered(
            self.choices[choice],
            visits,
            self._scores[choice] / visits if visits else 0.0,
            made / count if count else None,
            self._mean(choice),
        )
