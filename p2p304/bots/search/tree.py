"""Hands that are imagined for one decision: a tree of what each seat may do, shared by all worlds.

One tree for all worlds (Cowling, Powley, Whitehouse: "Information Set Monte Carlo Tree Search",
IEEE TCIAIG 4, 2012, section IV-B), seen by one observer, the seat that decides: what others do is
in it as that seat sees it, and an action counts as available only in the worlds that allow it. A
tree for each observer would tell apart what only the others know; nearly every action of a card
game is open, and one tree learns from each hand for all. Which action is tried is chosen as in
"PUCT" (Rosin, AMAI 61, 2011), with the shares of the game's prior.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, Final

from p2p304.bots.search.interface import Payoff, Playout, Prior
from p2p304.bots.search.worlds import Laid, NoCardLeftError
from p2p304.bots.search.worth import Lead
from p2p304.disclosures import Opened, Remixed
from p2p304.errors import RulesError
from p2p304.game import AnyGame, Step
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.view import View

MOST_NODES: Final = 20_000
"""Nodes of one tree; hands that leave a full one are played out from its edge."""
_LONGEST_HAND: Final = 2_000
"""Actions after which a hand that is played out is given up."""
_EXPLORES: Final = 0.7
"""How much a share counts beside what was found out."""


class Node:
    """What is known of one sequence of actions."""

    __slots__ = ("available", "children", "total", "visits")

    def __init__(self) -> None:
        self.children: dict[Any, Node] = {}
        self.visits = 0
        self.available = 0
        """How often it could have been chosen."""
        self.total = 0.0
        """What it was worth to the seat that chose it, added up."""


class Imagination:
    """Plays imagined hands from one view, and remembers in trees how they went."""

    def __init__(
        self,
        game: AnyGame,
        view: View[Any],
        prior: Prior | None,
        playout: Playout | None,
        chance: SeededRandomness,
    ) -> None:
        self._game = game
        self._view = view
        self._prior = prior
        self._playout = playout
        self._chance = chance
        self._lead = Lead(game)
        self._first: dict[Any, Step[Any]] = {}
        """What each choice of the view's seat leads to, which is the same in all worlds."""
        self._low = self._high = 0.0
        self.nodes = 0
        """Nodes in all trees together."""

    def play(self, world: Laid, action: Any, root: Node | None) -> Payoff | None:
        """Return how the hand ends in a world after the view's seat chose `action`; None where
        what was imagined cannot be.

        `root` is the tree of what comes after that action; without one all is played out.
        """
        view, game = self._view, self._game
        assert view.seat is not None
        faces = world.copied()
        path: list[tuple[Node, Seat]] = []
        try:
            first = self._first.get(action)
            if first is None:
                first = self._first[action] = game.apply(view.state, view.seat, action)
            state = self._seen(faces, first)
            node = root
            while node is not None and not game.is_over(state):
                actor = game.contributors(state)[0]
                node, action, grown = self._chosen(node, View(actor, state, faces))
                path.append((node, actor))
                state = self._after(faces, state, actor, action)
                if grown:
                    break
            ending = self._played_out(state, faces)
        except (RulesError, NoCardLeftError):
            return None
        if ending is not None:
            self._remember(path, ending)
        return ending

    def _choices(self, view: View[Any]) -> Sequence[tuple[Any, float]]:
        """Return what the seat of a view may choose, and the share of each."""
        legal = self._game.legal_actions(view)
        if not legal:
            raise NoCardLeftError
        if self._prior is None:
            return [(each, 1 / len(legal)) for each in legal]
        return self._prior.candidates(view, legal)

    def _chosen(self, node: Node, view: View[Any]) -> tuple[Node, Any, bool]:
        """Return the child to go on to, its action, and whether it is a new one."""
        choices = self._choices(view)
        actor = view.seat
        assert actor is not None
        spread = self._high - self._low or 1.0
        visited = [child for each, _ in choices if (child := node.children.get(each)) is not None]
        seen = sum(child.visits for child in visited)
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
            urge = mean / spread + _EXPLORES * share * sqrt(available + 1) / (1 + visits)
            if urge > most:
                best, found, most = each, child, urge
        if found is not None:
            return found, best, False
        child = Node()
        child.available = 1
        if self.nodes < MOST_NODES:
            self.nodes += 1
            node.children[best] = child
        return child, best, len(choices) > 1

    def _remember(self, path: Iterable[tuple[Node, Seat]], ending: Payoff) -> None:
        self._low = min(self._low, *ending.worth)
        self._high = max(self._high, *ending.worth)
        for node, actor in path:
            node.visits += 1
            node.total += ending.worth[actor]

    def _played_out(self, state: Any, faces: Any) -> Payoff | None:
        """Return how the hand ends when everybody plays on without a thought."""
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
            actor = game.contributors(state)[0]
            view = View(actor, state, faces)
            legal = game.legal_actions(view)
            if not legal:
                return None
            if prior is None or len(legal) == 1:
                action = legal[chance.randbelow(len(legal))]
            else:
                action = prior.act(view, legal, chance)
            state = self._after(faces, state, actor, action)
        return None

    def _after(self, faces: Any, state: Any, seat: Seat, action: Any) -> Any:
        """Return the state after an action, whose cards are opened and mixed in `faces`."""
        return self._seen(faces, self._game.apply(state, seat, action))

    def _seen(self, faces: Any, step: Step[Any]) -> Any:
        """Return the state of a step, whose cards are opened and mixed in `faces`."""
        for each in step.disclosures:
            match each:
                case Opened(slot, card):
                    faces[slot] = card
                case Remixed(_, before, after):
                    cards = [faces[slot] for slot in before]
                    self._chance.shuffle(cards)
                    faces.update(zip(after, cards, strict=True))
                case _:
                    continue
        return step.state
