"""Hands under what other profiles have, played at random with open cards.

The simulator checks every statement against the cards, and of every disclosure that those learn
who should, and nobody else anything.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest

from p2p304.bots.players import player_for
from p2p304.games import create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, CallCaps, CallSpoilt, DemandRedeal, PlaceBid, ShowCard
from p2p304.rules304.bids import Contract
from p2p304.rules304.called import holder
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.count import points_of_teams
from p2p304.rules304.notation import Retelling, format_hand, parse_hand
from p2p304.rules304.running import RunningOutcome
from p2p304.rules304.state import End, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_hand, play_out
from p2p304.telling import Ended
from p2p304.view import View
from tests.long import long, sample
from tests.rules.open_matches import shuffled
from tests.rules.records_304 import record_hand

LUCK = bytes(32)
SHOWING = "pagat; pre_show_card = in a trick too"
CALLED = "maharashtra; +marriages; +last_trick; +divide_by_ten; +pre_show"
NAMES: Final = (
    *("six24", "eight32", "six36", "tamil504", "tamil904", "tamil4"),
    *("maharashtra", CALLED, "doso_viso", SHOWING),
)
RARE: Final = (CallCaps, CallSpoilt, DemandRedeal)


class Wild:
    """Chooses a kind of action first; contracts and what ends a hand are rare."""

    def __init__(self, seed: int) -> None:
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[State]) -> Action:
        actions = legal_actions(view)
        calm = [each for each in actions if not self._is_rare(each) or self._one_in(40)]
        kinds = list(dict.fromkeys(map(type, calm or actions)))
        kind = kinds[self._chance.randbelow(len(kinds))]
        fitting = [each for each in calm or actions if type(each) is kind]
        return fitting[self._chance.randbelow(len(fitting))]

    def _is_rare(self, action: Action) -> bool:
        contract = isinstance(action, PlaceBid) and isinstance(action.bid, Contract)
        return contract or isinstance(action, RARE)

    def _one_in(self, times: int) -> bool:
        return self._chance.randbelow(times) == 0


class Watch:
    """Looks at every step of a hand."""

    def __init__(self, name: str) -> None:
        self.game = create_game("304", name)
        self.telling = telling_of(self.game)
        self.seen: Counter[Any] = Counter()

    def __call__(self, table: OpenTable, seat: Seat, action: Any) -> None:
        game, state = self.game, table.state
        assert game.parse_action(game.format_action(action)) == action
        in_turn = isinstance(action, ShowCard) and state.promised is not None
        self.seen[type(action), in_turn] += 1
        awaited = state.awaiting
        if awaited:
            view = table.view(awaited[-1])
            legal = game.legal_actions(view)
            choices = self.telling.choices(view, legal)
            self.telling.prompt(view, choices)
            self.telling.waiting(state, awaited)
            self.telling.scene(view, game.new_match(LUCK).scores)
            self.telling.moment(view)

    def hand(self, dealer: Seat, chance: SeededRandomness) -> None:
        """Play a hand to its end."""
        game = self.game
        deck = shuffled(game, chance)
        table = OpenTable(game, deck, chance, dealer=dealer)
        play_out(table, [Wild(chance.word()) for _ in range(game.seats)], watch=self)
        state = table.state
        outcome = game.settle(state)
        assert sum(outcome.scores) == 0
        assert outcome.summary.isascii()
        faces = {slot: table.face(slot) for hand in state.dealt for slot in hand}
        self.telling.summary(Ended(state, outcome, outcome.scores, faces))
        if isinstance(outcome, RunningOutcome):
            lone = outcome.facts.partner is None
            assert outcome.facts.bid is None or lone is (holder(state) is None)
            assert outcome.facts.bid in (None, Contract.HALF_COURT) or not lone
        elif state.end is End.PLAYED and not isinstance(state.contract, Contract):
            assert sum(points_of_teams(state)) == state.profile.deck.points
        text = format_hand(record_hand(state, deck, table.face))
        told = Retelling.of_record(parse_hand(text)).state
        assert (told.end, told.contract, len(told.tricks)) == (
            state.end,
            state.contract,
            len(state.tricks),
        )
        self.seen[state.end] += 1


@pytest.mark.parametrize(
    "case",
    [*((name, 6) for name in NAMES), *long(*((name, 1_000) for name in NAMES))],
    ids=str,
)
def test_hands_are_played_to_their_end_and_told_again(case: tuple[str, int]) -> None:
    name, hands = case
    watch = Watch(name)
    chance = SeededRandomness(hands)
    for number in range(hands):
        watch.hand(Seat(number % watch.game.seats), chance)
    assert watch.seen[End.PLAYED] >= hands // 8, watch.seen
    assert (watch.seen[ShowCard, True] > 0) == (name == SHOWING)


@pytest.mark.parametrize("name", sample(NAMES, ["eight32", SHOWING]))
def test_every_table_gets_players_that_end_a_hand(name: str) -> None:
    game = create_game("304", name)
    chance = SeededRandomness(1)
    deck = shuffled(game, chance)
    players = [player_for(game, seed, "beginner") for seed in range(game.seats)]
    assert play_hand(game, Seat(1), players, deck, chance).state.end is not None
