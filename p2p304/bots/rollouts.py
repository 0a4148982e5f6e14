"""A player of any game: imagines the hidden cards, plays the hand out at random, and counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from p2p304.bots.advice import Advice
from p2p304.bots.thinking import STEADY, Thinking
from p2p304.cards import Card
from p2p304.disclosures import Opened, Remixed
from p2p304.errors import RulesError
from p2p304.game import AnyGame, Outcome
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.slots import Slot
from p2p304.view import View

MOST_PLAYOUTS: Final = 2_000
"""Hands that are played out for one decision at most, whatever there is to choose from."""
_LONGEST_HAND: Final = 2_000
"""Actions after which a hand that is played out is given up."""
_LONGEST_MATCH: Final = 100


class RolloutPlayer:
    """Chooses what ends best on average when everybody plays on at random.

    Knows nothing of a game but its interface: which cards may lie where is drawn from those that it
    has not seen, whatever has been proved of them; whether many points are good or bad shows in who
    wins a match. The same seed and the same views give the same choices.
    """

    __slots__ = ("_chance", "_game", "_thinking")

    def __init__(self, game: AnyGame, seed: int, thinking: Thinking = STEADY) -> None:
        self._game = game
        self._chance = SeededRandomness(seed)
        self._thinking = thinking

    def choose(self, view: View[Any]) -> Any:
        """Return a legal action of the view's seat. Raises ValueError when it has none."""
        return self.advice(view).action

    def advice(self, view: View[Any]) -> Advice:
        """Advise what the player would do, and why. Raises ValueError without an action."""
        asked = _Asked(view.faces)
        legal = list(self._game.legal_actions(View(view.seat, view.state, asked)))
        if view.seat is None or not legal:
            raise ValueError(f"seat {view.seat} has no legal action")
        if len(legal) == 1:
            return Advice(legal[0], "The rules leave no other choice.")
        self._chance.shuffle(legal)
        legal = legal[:MOST_PLAYOUTS]
        times = max(1, min(self._thinking.layouts, MOST_PLAYOUTS // len(legal)))
        held = {view.faces[slot] for slot in asked.slots}
        ends = [
            [end for _ in range(times) if (end := self._played_out(view, held, each)) is not None]
            for each in legal
        ]
        sign = _direction(self._game, (outcome for each in ends for outcome, _ in each))
        worth = [
            sum(sign * ahead for _, ahead in each) / len(each) if each else float("-inf")
            for each in ends
        ]
        best = max(range(len(legal)), key=worth.__getitem__)
        said = f"It ended best in {times} imagined ends of the hand for each choice."
        return Advice(legal[best], said)

    def _played_out(
        self, view: View[Any], held: set[Card], first: Any
    ) -> tuple[Outcome, float] | None:
        """Return how the hand ends after `first` with cards imagined, and by how much the seat's
        side leads then; None where what was imagined cannot be."""
        game, chance, seat = self._game, self._chance, view.seat
        assert seat is not None
        known = set(view.faces.values())
        unseen = [card for card in game.pack if card not in known]
        chance.shuffle(unseen)
        # Where a card is now that another seat mixed into its hand is not known, though it was
        # seen: such cards come last.
        gone = [card for card in game.pack if card in known and card not in held]
        chance.shuffle(gone)
        faces = _Imagined(view.faces, [*gone, *unseen])
        state, actor, action = view.state, seat, first
        try:
            for _ in range(_LONGEST_HAND):
                step = game.apply(state, actor, action)
                state = step.state
                self._disclose(faces, step.disclosures)
                if game.is_over(state):
                    outcome = game.settle(state)
                    return outcome, _ahead(game, state, outcome, seat)
                actor = game.contributors(state)[0]
                legal = game.legal_actions(View(actor, state, faces))
                if not legal:
                    return None
                action = legal[chance.randbelow(len(legal))]
        except (RulesError, _NoCardLeftError):
            return None
        return None

    def _disclose(self, faces: _Imagined, disclosures: Iterable[Any]) -> None:
        for each in disclosures:
            match each:
                case Opened(slot, card):
                    faces[slot] = card
                case Remixed(_, before, after):
                    cards = [faces[slot] for slot in before]
                    self._chance.shuffle(cards)
                    faces.update(zip(after, cards, strict=True))


class _NoCardLeftError(Exception):
    """More cards are asked for than there are."""


class _Asked(dict[Slot, Card]):
    """Faces, and the slots of those that were asked for: cards that the seat could act with."""

    def __init__(self, faces: Mapping[Slot, Card]) -> None:
        super().__init__(faces)
        self.slots: list[Slot] = []

    def __getitem__(self, slot: Slot) -> Card:
        card = super().__getitem__(slot)
        self.slots.append(slot)
        return card


class _Imagined(dict[Slot, Card]):
    """Faces of all slots; those that the seat has not seen are drawn as they are asked for."""

    def __init__(self, faces: Mapping[Slot, Card], left: list[Card]) -> None:
        super().__init__(faces)
        self._left = left

    def __missing__(self, slot: Slot) -> Card:
        if not self._left:
            raise _NoCardLeftError
        card = self[slot] = self._left.pop()
        return card

    def __contains__(self, slot: object) -> bool:
        return True

    def get(self, slot: Slot, default: Any = None) -> Any:  # noqa: ARG002 - there is a card in each
        """Return the card of a slot."""
        return self[slot]


def _ahead(game: AnyGame, state: Any, outcome: Outcome, seat: Seat) -> float:
    """Return how much more the seat's side has scored than the others on average."""
    scores = outcome.scores
    sides = game.sides(state)[0]
    mine = seat
    if len(scores) == len(sides):
        mine = Seat(next(at for at, side in enumerate(sides) if seat in side))
    others = [score for at, score in enumerate(scores) if at != mine]
    return scores[mine] - sum(others) / len(others) if others else float(scores[mine])


def _direction(game: AnyGame, outcomes: Iterable[Outcome]) -> int:
    """Return 1 if more points are better and -1 if fewer are: by who wins a match in which a hand's
    outcome comes again and again."""
    for outcome in outcomes:
        scores = outcome.scores
        match = game.new_match(bytes(32))
        for _ in range(_LONGEST_MATCH):
            match = game.after_hand(match, outcome)
            if match.winner is not None:
                break
        else:
            continue
        won = scores[match.winner]
        if min(scores) < won == max(scores):
            return 1
        if min(scores) == won < max(scores):
            return -1
    return 1
