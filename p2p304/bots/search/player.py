"""A player of any game, which searches: worlds are drawn, hands imagined, the best choice made.

Every world is played for every choice that is still in the race, so that luck does not decide
between choices; one that does clearly worse drops out, and the others get its hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Any, Final

from p2p304.bots.advice import CLUB, Advice, Considered, Level, More
from p2p304.bots.search.interface import Payoff, Playout, Prior
from p2p304.bots.search.worlds import Laid, NoCardLeftError, OpenWorlds
from p2p304.disclosures import Opened, Remixed
from p2p304.errors import RulesError
from p2p304.game import LUCK_BYTES, AnyGame, Outcome, Step
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.view import View

# --- what the end of a hand is worth where a game brings no prior: how far a side is ahead --------

# A match that such hands do not decide tells nothing; a draw may repeat for ever. A choice: a
# match that is decided ends well before.
_LONGEST_MATCH: Final = 100
#: Outcomes that are looked at for whether many points are good or bad. A choice: each may cost a
#: match of `_LONGEST_MATCH` hands, and after so many that show nothing the next hardly will.
_ASKED: Final = 50


class Lead:
    """Judges endings of any game by how far a side is ahead, from the game interface alone.

    Whether high scores are good follows from who wins a match in which one outcome is repeated;
    until an outcome shows it, they count as good.
    """

    __slots__ = ("_asked", "_game", "_sign")

    def __init__(self, game: AnyGame) -> None:
        """Prepare to judge hands of `game`."""
        self._game = game
        self._sign = 0
        self._asked = 0

    def judge(self, state: Any, outcome: Outcome) -> Payoff:
        """Return the payoff of a hand that ended with `outcome`: its worth to each seat is its
        side's change of score less the average of the other sides, the sign turned where low scores
        win.

        `state` is the hand's last.
        """
        if not self._sign and self._asked < _ASKED:
            self._asked += 1
            self._sign = direction(self._game, outcome)
        scores = outcome.scores
        # Of a hand that is over one division is left.
        sides = self._game.sides(state)[0]
        total, sign = sum(scores), self._sign or 1
        own = [*map(float, scores)]
        # Scores by side; else each seat has its own, as in 41.
        if len(scores) == len(sides):
            seats = range(self._game.seats)
            own = [own[at] for seat in seats for at, side in enumerate(sides) if seat in side]
        # A game of one side alone has nobody to compare with, and nothing to divide by.
        others = max(1, len(scores) - 1)
        worth = tuple(sign * (score - (total - score) / others) for score in own)
        return Payoff(worth, tuple(own))


def direction(game: AnyGame, outcome: Outcome) -> int:
    """Return 1 if high scores win a match of `game`, -1 if low scores do: a match is played in
    which every hand ends with `outcome`.

    0 where that does not show: all scores are equal, nobody has won after 100 hands, or the
    winner's score is neither the highest nor the lowest.
    """
    scores = outcome.scores
    # A draw says nothing of who is better.
    if min(scores) == max(scores):
        return 0
    # Any luck does: who deals does not matter here.
    match = game.new_match(bytes(LUCK_BYTES))
    for _ in range(_LONGEST_MATCH):
        match = game.after_hand(match, outcome)
        if match.winner is not None:
            # The number of a side. In 41 the sides that win are pairs, and scores are by seat: the
            # seat of this number is of that pair.
            won = scores[match.winner]
            # 0 if it has neither the most nor the least, which says nothing.
            return int(won == max(scores)) - int(won == min(scores))
    return 0


# Hands that are imagined for one decision: a tree of what each seat may do, shared by all worlds.
#
# One tree for all worlds (Cowling, Powley, Whitehouse: "Information Set Monte Carlo Tree Search",
# IEEE TCIAIG 4, 2012, section IV-B), seen by one observer, the seat that decides: what others do is
# in it as that seat sees it, and an action counts as available only in the worlds that allow it. A
# tree for each observer would tell apart what only the others know; nearly every action of a card
# game is open, and one tree learns from each hand for all. Which action is tried is chosen as in
# "PUCT" (Rosin, AMAI 61, 2011), with the shares of the game's prior.

#: Nodes of one tree; hands that leave a full one are played out from its edge. A choice: more look
#: further ahead in long searches, and take more memory.
MOST_NODES: Final = 20_000
# Several times what a hand takes here (304: hundreds): only a game that goes in circles needs more.
_LONGEST_HAND: Final = 2_000  #: Actions after which a hand that is played out is given up.
#: How much a share counts beside what was found out. A choice: with more the search tries what it
#: has seldom tried, with less it stays with what did well.
_EXPLORES: Final = 0.7


class Node:
    """The results of one sequence of actions in the tree of imagined hands."""

    __slots__ = ("available", "children", "total", "visits")

    def __init__(self) -> None:
        """Begin without visits and without children."""
        self.children: dict[Any, Node] = {}
        self.visits = 0
        self.available = 0  #: How often it could have been chosen.
        self.total = 0.0  #: What it was worth to the seat that chose it, added up.


class Imagination:
    """Plays imagined hands from one view, and keeps their results in trees."""

    def __init__(
        self,
        game: AnyGame,
        view: View[Any],
        prior: Prior | None,
        playout: Playout | None,
        chance: SeededRandomness,
    ) -> None:
        """Prepare to imagine hands of `game` from `view`. Without a prior choices are drawn by
        chance; without a playout the rules play hands out.
        """
        self._game = game
        self._view = view
        self._prior = prior
        self._playout = playout
        self._chance = chance
        self._lead = Lead(game)
        #: What each choice of the view's seat leads to, which is the same in all worlds.
        self._first: dict[Any, Step[Any]] = {}
        # From 0, not from the first worth: so no mean is larger than the spread that divides it.
        self._low = self._high = 0.0
        self.nodes = 0  #: Nodes in all trees together.

    def play(self, world: Laid, action: Any, root: Node | None) -> Payoff | None:
        """Return the payoff of a hand in `world` after the view's seat chose `action`; None where
        the world turns out to be impossible, or the hand does not end.

        `root` is the tree of what follows that action: the hand chooses in it, makes it grow, is
        played out from there, and leaves its result in it. None plays the hand out at once.
        """
        view, game = self._view, self._game
        # `SearchPlayer.advice` has refused a spectator's view.
        assert view.seat is not None
        faces = world.copy()
        path: list[tuple[Node, Seat]] = []
        try:
            first = self._first.get(action)
            if first is None:
                first = self._first[action] = game.apply(view.state, view.seat, action)
            state = self._see(faces, first)
            node = root
            while node is not None and not game.is_over(state):
                # Of a round that several contribute to any order gives the same state, so the first
                # goes first.
                actor = game.contributors(state)[0]
                node, action, grown = self._choose(node, View(actor, state, faces))
                path.append((node, actor))
                state = self._see(faces, game.apply(state, actor, action))
                # One new node a hand: what follows it is played out (the expansion step of the
                # paper).
                if grown:
                    break
            ending = self._play_out(state, faces)
        # The cards laid so far contradict what a hand does with them: the world, not the choice, is
        # wrong.
        except (RulesError, NoCardLeftError):
            return None
        if ending is not None:
            self._remember(path, ending)
        return ending

    def _choose(self, node: Node, view: View[Any]) -> tuple[Node, Any, bool]:
        """Return the child of `node` to go on with, the action that leads to it, and whether the
        child is new.

        The action is the one with the highest upper bound by PUCT: mean worth so far, plus more for
        a high share and few visits. A new child is not kept in a full tree, and is not called new
        where there was no choice. Raises NoCardLeftError where the seat has no legal action, as in
        an impossible world.
        """
        legal = self._game.legal_actions(view)
        if not legal:
            raise NoCardLeftError
        if self._prior is None:
            choices: Sequence[tuple[Any, float]] = [(each, 1 / len(legal)) for each in legal]
        else:
            choices = self._prior.candidates(view, legal)
        actor = view.seat
        # Only seats that are to act choose in imagined hands.
        assert actor is not None
        # Worths have any unit: divided by all that was at stake, a share of the prior weighs the
        # same in all games. While nothing was at stake, 1 divides zeros.
        spread = self._high - self._low or 1.0
        visited = [child for each, _ in choices if (child := node.children.get(each)) is not None]
        seen = sum(child.visits for child in visited)
        # An action not tried yet is taken to be as good as the others were on average.
        usual = sum(child.total for child in visited) / seen if seen else 0.0
        best, found, most = choices[0][0], None, float("-inf")
        for each, share in choices:
            child = node.children.get(each)
            visits = 0
            mean = usual
            available = seen
            if child is not None:
                child.available += 1
                visits, available = child.visits, child.available
                mean = child.total / visits if visits else usual
            # One more than `available`, so that shares count from the first choice on.
            urge = mean / spread + _EXPLORES * share * sqrt(available + 1) / (1 + visits)
            if urge > most:
                best, found, most = each, child, urge
        if found is not None:
            return found, best, False
        child = Node()
        child.available = 1
        # Memory has a bound; beyond it hands still count for the nodes there are.
        if self.nodes < MOST_NODES:
            self.nodes += 1
            node.children[best] = child
        # A forced action is no new thing to learn: the hand goes on in the tree behind it.
        return child, best, len(choices) > 1

    def _remember(self, path: Iterable[tuple[Node, Seat]], ending: Payoff) -> None:
        """Add the ending's worth to every node on the path: to each the worth for the seat that
        chose there.
        """
        self._low = min(self._low, *ending.worth)
        self._high = max(self._high, *ending.worth)
        for node, actor in path:
            node.visits += 1
            node.total += ending.worth[actor]

    def _play_out(self, state: Any, faces: Laid) -> Payoff | None:
        """Return the payoff of a hand that all seats play on from `state`: by the playout where it
        can, else by rules of thumb, or by chance without any.

        `faces` has the card of every slot, and is changed for cards that are opened and mixed. None
        where the hand does not end, or a seat has no legal action.
        """
        game, chance, prior = self._game, self._chance, self._prior
        for _ in range(_LONGEST_HAND):
            if self._playout is not None:
                ending = self._playout(self._view, state, faces)
                if ending is not None:
                    return ending
            if game.is_over(state):
                outcome = game.settle(state)
                if prior is None:
                    return self._lead.judge(state, outcome)
                return prior.judge(self._view, state, outcome)
            # As in `play`: any order of a round gives the same state.
            actor = game.contributors(state)[0]
            view = View(actor, state, faces)
            legal = game.legal_actions(view)
            # A world in which a seat can do nothing is impossible.
            if not legal:
                return None
            if prior is None or len(legal) == 1:
                action = legal[chance.randbelow(len(legal))]
            else:
                action = prior.act(view, legal, chance)
            state = self._see(faces, game.apply(state, actor, action))
        return None

    def _see(self, faces: Laid, step: Step[Any]) -> Any:
        """Return the state of a step. `faces`, which has the card of every slot, is changed for
        cards that the step opens and mixes.
        """
        for each in step.disclosures:
            match each:
                case Opened(slot, card):
                    faces[slot] = card
                case Remixed(_, before, after):
                    # Nobody sees which new slot holds which card: each imagined hand draws that.
                    cards = [faces[slot] for slot in before]
                    self._chance.shuffle(cards)
                    faces.update(zip(after, cards, strict=True))
                case _:
                    continue
        return step.state


# These numbers are choices. Smaller ones drop choices sooner: that leaves more hands to the others,
# and drops a good one by bad luck more often.
_FIRST_LOOK: Final = 8  #: Worlds in which every choice is played before one may drop out.
#: Worlds after which choices that were worth the same in every one are not told apart any more.
_LAST_LOOK: Final = 40
#: Standard errors by which a choice is behind when it drops out: of normal differences a look drops
#: one in two hundred that is as good as the best.
_CLEARLY: Final = 2.6
#: How much two choices are taken to differ in one more world, as a share of all that was at stake:
#: what is rare may not have come up yet.
_DOUBT: Final = 0.3
_IN_VAIN: Final = 60  #: Draws without a new world after which there is none any more.
_MOST_CHOICES: Final = 60  #: Choices that are compared; of more, so many are drawn.


class SearchPlayer:
    """Plays any game by searching imagined hands; the same seed and view give the same choice,
    as long as no `more` ends a thought.
    """

    __slots__ = ("_ahead", "_game", "_level", "_more", "_playout", "_prior", "_seed")

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
        """Prepare to play `game` within the bounds of `level`; all chance is drawn from `seed`.

        Args:
            prior: the game's rules of thumb; None weighs all actions alike.
            playout: plays hands out fast; None lets the rules do it.
            more: asked between imagined hands; once it returns False, the player decides.
        """
        self._game = game
        self._seed = seed
        self._level = level
        self._prior = prior
        self._playout = playout
        self._more = more
        #: Whether imagined hands also explore what follows the first choice, in a tree for each.
        self._ahead = prior is None or prior.ahead

    def choose(self, view: View[Any]) -> Any:
        """Return a legal action of the view's seat. Raises ValueError when it has none."""
        return self.advice(view).action

    def advice(self, view: View[Any]) -> Advice:
        """Return the action that the player would take, why, and the choices that it compared; none
        where it decided without imagined hands, as when one action is legal or the rules of thumb
        decide.

        Raises ValueError for a spectator's view, and when the seat has no legal action.
        """
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
        # Shuffled first, and the sort is stable: equally likely actions come in a random order.
        legal.sort(key=lambda each: -likely.get(each, 0.0))  # of two that do as well, the first
        # A game with hundreds of actions would give each too few hands to be compared.
        del legal[_MOST_CHOICES:]
        if len(legal) == 1:
            return Advice(legal[0], "Nothing else is worth a thought.")
        return self._search(view, view.seat, legal, chance)

    def _chance(self, view: View[Any], legal: Sequence[Any]) -> SeededRandomness:
        """Return a source of chance made from the player's seed, the seat, the cards that it has
        seen and its legal actions: equal for equal decisions, and different for others.
        """
        number = self._seed
        # By slot: the order in which the cards were seen must not change the decision.
        cards = sorted((int(slot), str(card)) for slot, card in view.faces.items())
        told = (*map(self._game.format_action, legal), str(view.seat), str(cards))
        for text in told:
            for byte in text.encode():
                # FNV-1 with 64 bits, begun from the seed: only to spread, for nobody gains by a
                # collision.
                number = (number * 0x100000001B3 ^ byte) & (1 << 64) - 1
        return SeededRandomness(number)

    def _search(
        self, view: View[Any], seat: Seat, legal: Sequence[Any], chance: SeededRandomness
    ) -> Advice:
        """Return the action of `legal` that did best in imagined hands, as advice with the
        results of all; the first one where no hand could be imagined.
        """
        imagination = Imagination(self._game, view, self._prior, self._playout, chance)
        race = _Race(seat, legal)
        self._run(race, imagination, self._worlds(view, chance))
        found = race.standing()
        # The first is the likeliest by rules of thumb.
        if not any(each.visits for each in found):
            return Advice(legal[0], "Nothing that could be imagined tells one choice from another.")
        best = found[0]
        why = self._prior.why(view, best.action) if self._prior is not None else ""
        said = f"It did best in {best.visits} imagined hands."
        told = f"{why} {said}" if why else said
        return Advice(best.action, told, best.expected, best.chance, found)

    def _run(self, race: _Race, imagination: Imagination, worlds: Iterator[Laid]) -> None:
        """Play all choices that are in the race in one world after the other, by `imagination`,
        until one choice is left or the level's hands, the worlds or the time are used up.
        """
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
            # Looking more often would drop choices by bad luck: each look is a chance to err.
            if lap >= _FIRST_LOOK and not lap % (_FIRST_LOOK // 2):
                race.drop()
            if self._more is not None and not self._more():
                return

    def _worlds(self, view: View[Any], chance: SeededRandomness) -> Iterator[Laid]:
        """Yield worlds that fit the view, until sixty draws in a row bring none.

        Where cards alone decide how a hand ends, each world comes once: a second time would tell
        nothing, and counts as none.
        """
        source, seen, vain = OpenWorlds(self._game, view), set[Any](), 0
        once = self._playout is not None and not self._ahead
        while vain < _IN_VAIN:
            vain += 1
            try:
                world = source.draw(chance)
            # No layout was found in this draw; after many such draws in a row there is no new
            # world.
            except NoCardLeftError:
                continue
            if once and source.visible_cards(world) in seen:
                continue
            vain = 0
            yield world
            # After the hands: cards are laid as they are looked at, so before them the world is not
            # told apart.
            seen.add(source.visible_cards(world))  # now that a hand has looked at all of its cards


class _Race:
    """The results of all choices, world by world. A choice drops out that is clearly worse than
    the best, or was worth the same in every world.
    """

    def __init__(self, seat: Seat, choices: Sequence[Any]) -> None:
        """Begin with all choices in the race; of each payoff the part of `seat` counts."""
        self._seat = seat
        self.choices = choices
        self.running = list(range(len(choices)))  #: The choices that are still in the race.
        #: What each choice brought, world by world; None where the world was impossible.
        self._endings: list[list[Payoff | None]] = [[] for _ in choices]
        # From the first worth on, unlike in `Imagination`: what was at stake between endings alone.
        self._low, self._high = float("inf"), float("-inf")

    def note(self, choice: int, ending: Payoff | None) -> None:
        """Record what a choice brought in the next world; `ending` is None where that world was
        impossible.
        """
        # Also None has its place: choices are compared world by world.
        self._endings[choice].append(ending)
        if ending is not None:
            worth = ending.worth[self._seat]
            self._low, self._high = min(self._low, worth), max(self._high, worth)

    def _mean(self, choice: int) -> float:
        """Return the mean worth of a choice over its worlds; minus infinity where it has no
        result.
        """
        worths = [each.worth[self._seat] for each in self._endings[choice] if each is not None]
        return sum(worths) / len(worths) if worths else float("-inf")

    def drop(self) -> None:
        """Take out of the race each choice that in the same worlds is clearly worse than the
        best one, or was worth the same in every one of 40 or more.
        """
        best = max(self.running, key=self._mean)
        self.running = [each for each in self.running if each == best or self._near(each, best)]

    def _near(self, choice: int, best: int) -> bool:
        """Tell whether a choice stays in the race beside `best`: in the worlds of both it is
        behind by no more than a few standard errors, or there are fewer than eight such worlds.
        False where both were worth the same in every one of 40 or more.
        """
        seat, pairs = self._seat, zip(self._endings[choice], self._endings[best], strict=True)
        behind = [high.worth[seat] - low.worth[seat] for low, high in pairs if low and high]
        count = len(behind)
        if count < _FIRST_LOOK:
            return True
        mean = sum(behind) / count
        # As if one more world had gone the other way: without it, a few equal results would look
        # certain.
        doubt = (_DOUBT * (self._high - self._low)) ** 2
        spread = sqrt((sum((each - mean) ** 2 for each in behind) + doubt) / count)
        if count >= _LAST_LOOK and not any(behind):
            return False  # one is as good as the other
        return mean <= _CLEARLY * spread / sqrt(count)

    def standing(self) -> tuple[Considered, ...]:
        """Return the results of all choices, the best first: those still in the race by mean
        worth, then those that dropped out.
        """
        order = sorted(
            range(len(self.choices)),
            # A dropped choice has fewer worlds; its mean must not lift it above one that ran to the
            # end.
            key=lambda each: (each not in self.running, -self._mean(each)),
        )
        return tuple(self._consider(each) for each in order)

    def _consider(self, choice: int) -> Considered:
        """Return a choice with its number of worlds, mean score, share of bids made (None
        without a bid) and mean worth.
        """
        endings = [each for each in self._endings[choice] if each is not None]
        scores = [each.scores[self._seat] for each in endings]
        # Of hands in which a bid stood, whether it was made.
        made = [each.made for each in endings if each.made is not None]
        return Considered(
            self.choices[choice],
            visits=len(endings),
            expected=sum(scores) / len(scores) if scores else 0.0,
            chance=sum(made) / len(made) if made else None,
            worth=self._mean(choice),
        )
