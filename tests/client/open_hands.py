"""Hands with open cards, seen through the model of one seat, for tests of the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from cli.front.story import ToldAction
from cli.front.writing import Writer
from cli.screen.model import Table, after_action, after_notice, after_view
from p2p304.cards import Card, parse_card
from p2p304.games import telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, CallCaps, CallSpoilt, DemandRedeal, PlaceBid
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bids import height
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.table.events import HandEnded

NAMES = ("Asha", "Banu", "Chandra", "Dilini", "Erandi", "Farah", "Gihan", "Hashini")
SOUTH, WEST = Seat(0), Seat(3)
Policy = Callable[[Table, tuple[Action, ...], SeededRandomness], Action]


class Clock:
    """Time that passes when a test says so, or somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now += seconds


def shuffled(game: Any, chance: SeededRandomness, **more: Any) -> OpenTable:
    """A hand of the whole pack, shuffled."""
    deck = list(game.pack)
    chance.shuffle(deck)
    return OpenTable(game, deck, chance, **more)


def table_of_game(
    game: Any,
    seat: Seat | None,
    *,
    names: Sequence[str] = NAMES,
    ascii_only: bool = False,
    **more: Any,
) -> Table:
    """A table of any game at which nothing has happened."""
    table = Table(
        game=game,
        telling=telling_of(game),
        writer=Writer(game.seats, ascii_only=ascii_only),
        names=tuple(names)[: game.seats],
        seat=seat,
        fingerprint="K3QD-77XA-P0QR-51ZZ",
        scores=tuple(game.new_match(bytes(32)).scores),
    )
    return replace(table, **more)


def empty_table(
    profile: str = "pagat",
    house: tuple[str, ...] = (),
    *,
    seat: Seat | None = SOUTH,
    **more: Any,
) -> Table:
    """A table of 304 at which nothing has happened."""
    return table_of_game(Game304(named_profile(profile, house)), seat, **more)


class OpenHand:
    """A hand that goes on by `act`; `table` is what its seat's screen knows."""

    def __init__(
        self, table: Table, *, seed: int = 1, dealer: Seat = WEST, deck: Sequence[Card] = ()
    ) -> None:
        self.chance = SeededRandomness(seed)
        cards = list(deck) or list(table.game.pack)
        if not deck:
            self.chance.shuffle(cards)
        self.open = OpenTable(table.game, cards, self.chance, dealer=dealer)
        self.table = table
        self._look()

    @property
    def state(self) -> State:
        state: State = self.open.state
        return state

    def act(self, action: Action, seat: Seat | None = None) -> None:
        """Let the awaited seat (or `seat`) do it."""
        actor = self.state.awaiting[0] if seat is None else seat
        before = self.state
        self.open.act(actor, action)
        self._look(ToldAction(before, actor, action, self.state))

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """What a seat may do now."""
        return tuple(legal_actions(self.open.view(seat)))

    def _look(self, done: ToldAction | None = None) -> None:
        view = self.open.view(self.table.seat)
        choices = self.table.telling.choices(view, legal_actions(view))
        self.table = after_view(self.table, 0, view, choices)
        if done is not None:
            self.table = after_action(self.table, done)
        if self.state.phase.name == "OVER" and self.table.summary is None:
            outcome = self.table.game.settle(self.state)
            start = self.table.scores
            scores = tuple(one + two for one, two in zip(start, outcome.scores, strict=True))
            ended = HandEnded(0, outcome, scores)
            self.table = after_notice(self.table, ended, transcript="88d17ccd/1")

    def steps(self, policy: Policy, until: Callable[[OpenHand], bool]) -> bool:
        """Play on by `policy` until something is so; whether it came before the hand ended."""
        while not until(self):
            if not self.state.awaiting:
                return False
            seat = self.state.awaiting[0]
            self.act(policy(self.table, self.legal(seat), self.chance))
        return True


def legal_at(table: Table) -> tuple[Action, ...]:
    """The actions that the table's own seat may choose from."""
    return tuple(each.action for each in table.choices)


def offering(table: Table, *actions: Action) -> Table:
    """The same table with these actions as the only ones to choose from."""
    view = table.view()
    assert view is not None
    return replace(table, choices=table.telling.choices(view, actions))


def quiet(_: Table, legal: tuple[Action, ...], chance: SeededRandomness) -> Action:
    """A random choice without claims and high bids."""
    calm = [each for each in legal if not _is_loud(each)] or list(legal)
    kinds = list(dict.fromkeys(map(type, calm)))
    kind = kinds[chance.randbelow(len(kinds))]
    chosen = [each for each in calm if type(each) is kind]
    return chosen[chance.randbelow(len(chosen))]


def _is_loud(action: Action) -> bool:
    high = isinstance(action, PlaceBid) and height(action.bid) >= 200
    return high or isinstance(action, CallCaps | CallSpoilt | DemandRedeal)


def hands(count: int, table: Table) -> Iterator[OpenHand]:
    """So many hands at their beginning, with other cards and dealers."""
    for seed in range(count):
        yield OpenHand(replace(table), seed=seed, dealer=Seat(seed % 4))


def cards(text: str) -> list[Card]:
    """Cards from text, such as "9C 10H"."""
    return [parse_card(each) for each in text.split()]


def dealt(table: Table, hands_text: Sequence[str], *, dealer: Seat) -> list[Card]:
    """The deck, not cut, that deals these eight cards to South, East, North and West in order."""
    hands_cards = [cards(each) for each in hands_text]
    order = [Seat((dealer + 1 + turn) % 4) for turn in range(4)]
    first = [card for seat in order for card in hands_cards[seat][:4]]
    second = [card for seat in order for card in hands_cards[seat][4:]]
    assert set(first + second) == set(table.game.pack)
    return first + second
