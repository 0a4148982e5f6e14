"""What the end of an imagined hand of 304 is worth, played out from a state of its rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from p2p304.bots.play304.imagined_table import PlayedOut
from p2p304.bots.play304.own_hand import play_out
from p2p304.bots.play304.scenes import ImaginedCards, PlayoutStage, stage_of
from p2p304.bots.search.interface import Payoff
from p2p304.cards import Card, Slot
from p2p304.rules304.actions import Contract
from p2p304.rules304.hand import Game304
from p2p304.rules304.profile import CapsModel
from p2p304.rules304.scoring import LONE, price_of
from p2p304.rules304.state import End, Phase, State
from p2p304.view import View

# Choices: steeper, and a near miss in a playout counts as a miss; flatter, and it counts as made.
_SLOPE: Final = 40.0
#: Points around the bid over which making it becomes likely, in the last trick, and how much wider
#: that is for each trick before it: the more a playout has to guess, the less its margin tells.
_SLOPE_PER_TRICK: Final = 40.0
#: The points of the pack for which the numbers above are meant; those of other packs are scaled.
_SCALE: Final = 304
#: What a point is worth beside the bid: so little that all 304 weigh less than a sixth of it.
_SMALL: Final = 1 / 2_000


def worth(state: State, ending: PlayedOut) -> float:
    """Return how good an ending is for the maker's team: from 0 to about 1 by how many points it
    has above or below the bid; under a contract 2 if it won every trick, else 1 less a half for
    each lost one.
    """
    # One lost trick fails it, so the first costs three times as much as the next. Fewer lost ones
    # are better all the same: a playout is a guess.
    if isinstance(state.contract, Contract):
        return 1.0 - ending.lost / 2 if ending.lost else 2.0
    # Playouts begin once a bid stands.
    assert state.contract is not None
    profile = state.profile
    slope = _SLOPE + _SLOPE_PER_TRICK * (profile.deal_batches.cards - 1 - len(state.tricks))
    scale = _SCALE / profile.deck.points
    # Not a step at the bid: a playout's points are a guess, so a near miss is worth something.
    likely = 0.5 + (ending.points - state.contract) * scale / slope
    return min(max(likely, 0.0), 1.0) + ending.points * scale * _SMALL


def made(state: State, ending: PlayedOut) -> bool:
    """Tell whether the maker's team made its bid in the playout that came to `ending`: as many
    points as it bid or more; under a contract no lost trick.
    """
    if isinstance(state.contract, Contract):
        # A contract is made by taking every trick, whatever the points (RULES 14).
        return not ending.lost
    # Playouts begin once a bid stands.
    assert state.contract is not None
    return ending.points >= state.contract


#: How often a side that wins all tricks is certain of it, and calls caps, before the bonus ends. A
#: guess: at 0 nothing would be risked for the last trick.
CALLED_IN_TIME: Final = 0.5
#: States of which is kept what playouts need: choices of one decision are played from the same. A
#: choice, for most decisions have fewer.
_STAGES: Final = 32


def caps_worth(state: State, ending: PlayedOut) -> float:
    """Return the bonus to expect for caps when a hand comes to `ending`, as a share of the tokens
    between a made and a failed bid: positive if the maker's team won all tricks, negative if its
    opponents did.

    0 where each side took a trick, where in `state` it is too late for the bonus, in games without
    caps, and where a contract is played.
    """
    profile, contract = state.profile, state.contract
    if isinstance(contract, Contract) or contract is None or profile.caps_model is CapsModel.OFF:
        return 0.0
    # From the first card of this trick on a call earns no bonus (RULES 13.3).
    if len(state.tricks) + 1 >= profile.caps_bonus_before:
        return 0.0
    # 1 for the maker's team, -1 for its opponents, 0 if each side took a trick.
    swept = int(not ending.lost) - int(ending.lost == profile.deal_batches.cards)
    price = price_of(profile, contract)
    return CALLED_IN_TIME * swept * profile.caps_bonus / (price.made + price.failed)


class Playout304:
    """Plays imagined hands of 304 to their end, from a trick or from a window before a card."""

    def __init__(self, game: Game304) -> None:
        """Prepare playouts of hands of `game`."""
        self._called = game.profile.partner_called
        self._root: State | None = None
        #: Of the last states, by their identity: each keeps its state, which so remains itself.
        self._stages: dict[int, PlayoutStage] = {}

    def __call__(
        self, view: View[State], state: State, faces: Mapping[Slot, Card]
    ) -> Payoff | None:
        """Return the payoff of a hand played out from `state`, with the card of every slot in
        `faces`: how good its end is for each seat, the tokens that it brings, and whether the bid
        was made.

        None outside tricks and windows, in a window in which somebody has claimed or shown
        something, and at any end of the hand but that of its last trick: there the rules must go
        on.
        """
        root, contract = view.state, state.contract
        if contract is None or state.trump_slot is None:
            return None
        # Another decision: the time that it takes must not depend on those before it.
        if root is not self._root:
            self._root = root
            self._stages.clear()
        # By identity, which is cheap; the stage holds the state, so that its id is not given to
        # another.
        stage = self._stages.get(id(state))
        if stage is None:
            # Dropped all at once: a decision has few states, and old ones do not come back.
            if len(self._stages) >= _STAGES:
                self._stages.clear()
            stage = self._stages[id(state)] = stage_of(state)
        scene = stage.scene(ImaginedCards(faces))
        if state.phase in (Phase.TRICK, Phase.WINDOW) and not state.pending:
            end = play_out(scene)
        elif state.phase in (Phase.COUNT, Phase.OVER) and state.end is End.PLAYED:
            end = PlayedOut(scene.points, scene.lost)
        else:
            return None
        # By the state of the decision, not by `state`: all its choices are measured alike.
        value, kept = worth(root, end) + caps_worth(root, end), made(root, end)
        price = price_of(state.profile, contract)
        tokens = float(price.made if kept else -price.failed)
        # Side 0, the maker's, gains what side 1 loses.
        signs = [1 - 2 * side for side in scene.side]
        if self._called and signs.count(1) == 1:  # a maker who called a card of its own plays alone
            signs[scene.maker] = LONE
        worths = tuple(sign * value for sign in signs)
        return Payoff(worths, tuple(sign * tokens for sign in signs), kept)
