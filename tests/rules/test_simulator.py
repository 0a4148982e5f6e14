"""The simulator: what it refuses and lets each seat know; and the source of chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import permutations
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from p2p304 import simulator
from p2p304.bots.players import RandomPlayer
from p2p304.cards import Card, Slot, Suit, parse_card
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.game import Step
from p2p304.games import GAMES, create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Contract
from p2p304.rules304.state import State
from p2p304.seats import Seat, Sides
from p2p304.simulator import FalseStatement, GameDefect, OpenTable, play_hand
from p2p304.statements import IsCard, NoneOfSuit, NotCard, PointsBelow, Statement
from p2p304.view import Knowledge, View
from tests.rules.playouts_304 import shuffled

PACK = tuple(parse_card(name) for name in ["AS", "KS", "AH", "KH", "AD", "KD", "AC", "KC"])
SOUTH, EAST, NORTH = Seat(0), Seat(1), Seat(2)


class Scripted(NamedTuple):
    """An action that says itself what it needs and what it shows."""

    disclosures: tuple[Disclosure, ...] = ()
    statements: tuple[Statement, ...] = ()


class ScriptedGame:
    """Three seats and eight cards, of which each seat has two; whatever is asked for happens."""

    name = "scripted"
    seats = 3
    pack = PACK
    started: tuple[Disclosure, ...] = tuple(
        Dealt(Seat(seat), (Slot(2 * seat), Slot(2 * seat + 1))) for seat in range(3)
    )

    def points_of(self, card: Card) -> int:
        return int(card.rank)

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[int]:
        return Step(0, disclosures=self.started)

    def contributors(self, state: int) -> tuple[Seat, ...]:
        return ()

    def apply(self, state: int, seat: Seat, action: Scripted) -> Step[int]:
        return Step(state + 1, action.statements, action.disclosures)

    def legal_actions(self, view: View[int]) -> tuple[Scripted, ...]:
        return ()

    def sides(self, state: int) -> tuple[Sides, ...]:
        raise NotImplementedError

    def is_over(self, state: int) -> bool:
        return True

    def settle(self, state: int) -> Any:
        raise NotImplementedError

    def format_action(self, action: Scripted) -> str:
        raise NotImplementedError

    def parse_action(self, text: str) -> Scripted:
        raise NotImplementedError

    def new_match(self, luck: bytes) -> Any:
        raise NotImplementedError

    def after_hand(self, match: Any, outcome: Any) -> Any:
        raise NotImplementedError

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> Any:
        raise NotImplementedError


def table(*, checks: bool = True) -> OpenTable:
    """South holds AS KS, East AH KH, North AD KD; AC and KC remain in the deck."""
    return OpenTable(ScriptedGame(), PACK, SeededRandomness(1), checks=checks)


def knows(open_table: OpenTable, seat: Seat | None) -> dict[int, str]:
    return {slot: str(card) for slot, card in open_table.view(seat).faces.items()}


def slots(*numbers: int) -> tuple[Slot, ...]:
    return tuple(map(Slot, numbers))


@pytest.mark.parametrize("checks", [True, False])
def test_each_seat_knows_what_was_disclosed_to_it_and_nothing_else(checks: bool) -> None:
    a_table = table(checks=checks)
    assert knows(a_table, SOUTH) == {0: "AS", 1: "KS"}
    assert knows(a_table, EAST) == {2: "AH", 3: "KH"}
    assert knows(a_table, None) == {}
    a_table.act(EAST, Scripted((LaidDown(EAST, Slot(2)),)))
    assert knows(a_table, SOUTH) == {0: "AS", 1: "KS"}
    a_table.act(SOUTH, Scripted((HandedOver(Slot(2), EAST, SOUTH),)))
    assert knows(a_table, SOUTH) == {0: "AS", 1: "KS", 2: "AH"}
    assert knows(a_table, NORTH) == {4: "AD", 5: "KD"}
    a_table.act(NORTH, Scripted((Opened(Slot(4), parse_card("AD")),)))
    assert knows(a_table, SOUTH) == {0: "AS", 1: "KS", 2: "AH", 4: "AD"}
    assert knows(a_table, None) == {4: "AD"}


@pytest.mark.parametrize("checks", [True, False])
def test_remixed_cards_are_the_same_cards_and_their_owner_alone_knows_where(checks: bool) -> None:
    places = set()
    for seed in range(20):
        a_table = OpenTable(ScriptedGame(), PACK, SeededRandomness(seed), checks=checks)
        a_table.act(SOUTH, Scripted((Remixed(SOUTH, slots(0, 1), slots(8, 9)),)))
        mixed = {slot: name for slot, name in knows(a_table, SOUTH).items() if slot > 7}
        assert sorted(mixed.values()) == ["AS", "KS"]
        assert mixed == {8: str(a_table.face(Slot(8))), 9: str(a_table.face(Slot(9)))}
        assert knows(a_table, EAST) == {2: "AH", 3: "KH"}
        assert knows(a_table, None) == {}
        places.add(mixed[8])
    assert places == {"AS", "KS"}, "the order is the injected source's"


def test_a_view_that_was_given_does_not_change_later() -> None:
    a_table = table()
    view = a_table.view(None)
    a_table.act(SOUTH, Scripted((Opened(Slot(0), parse_card("AS")),)))
    assert dict(view.faces) == {}
    assert view.state == 0
    with pytest.raises(TypeError):
        view.faces[Slot(1)] = parse_card("KS")  # type: ignore[index]


FALSE_ACTIONS = [
    Scripted(statements=(IsCard(Slot(0), parse_card("KS")),)),
    Scripted(statements=(IsCard(Slot(0), parse_card("AS")), NoneOfSuit(slots(0), Suit.SPADES))),
    Scripted(
        statements=(NotCard(slots(1), parse_card("AS")), NotCard(slots(0, 1), parse_card("AS")))
    ),
    Scripted(statements=(PointsBelow(slots(0, 1), 27),)),
    Scripted((Opened(Slot(0), parse_card("KS")),)),
    Scripted((Opened(Slot(1), parse_card("KS")), Opened(Slot(0), parse_card("AH")))),
]


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("action", FALSE_ACTIONS)
def test_a_false_statement_or_face_is_refused_and_changes_nothing(
    action: Scripted, checks: bool
) -> None:
    a_table = table(checks=checks)
    before = [knows(a_table, seat) for seat in (SOUTH, EAST, NORTH, None)]
    with pytest.raises(FalseStatement, match="seat 0 states what the cards contradict") as caught:
        a_table.act(SOUTH, action)
    expected = action.statements[-1] if action.statements else None
    assert caught.value.statement == (expected or IsCard(Slot(0), action.disclosures[-1].card))  # type: ignore[union-attr]
    assert caught.value.seat == SOUTH
    assert a_table.state == 0
    assert [knows(a_table, seat) for seat in (SOUTH, EAST, NORTH, None)] == before
    assert tuple(a_table.disclosures) == ScriptedGame.started


@pytest.mark.parametrize("checks", [True, False])
def test_a_true_statement_stands(checks: bool) -> None:
    a_table = table(checks=checks)
    true = (
        NotCard(slots(0, 1), parse_card("AH")),
        NoneOfSuit(slots(0, 1), Suit.HEARTS),
        PointsBelow(slots(0, 1), 28),
    )
    step = a_table.act(SOUTH, Scripted(statements=true))
    assert step.statements == true
    assert a_table.state == 1


DEFECTS = {
    "deals slot 0 a second time": Scripted((Dealt(EAST, slots(0)),)),
    "slot 99 does not exist": Scripted((Dealt(EAST, slots(99)),)),
    "slot 2 is not this seat's": Scripted((LaidDown(SOUTH, Slot(2)),)),
    "slot 6 is not this seat's": Scripted((Remixed(SOUTH, slots(6), slots(8)),)),
    "does not lie face down": Scripted((HandedOver(Slot(2), EAST, SOUTH),)),
    "slot 0 is not this seat's": Scripted(
        (LaidDown(SOUTH, Slot(0)), HandedOver(Slot(0), EAST, NORTH))
    ),
    "the slot lies face down": Scripted(
        (LaidDown(SOUTH, Slot(0)), HandedOver(Slot(0), SOUTH, EAST, moves=True))
    ),
    r"Remixed.*slot 0 is not this seat's": Scripted(
        (HandedOver(Slot(0), SOUTH, EAST, moves=True), Remixed(SOUTH, slots(0), slots(8)))
    ),
    "its reader has seen it": Scripted(
        (
            HandedOver(Slot(0), SOUTH, EAST, moves=True),
            HandedOver(Slot(0), EAST, SOUTH, moves=True),
        )
    ),
    "it is seat 0 that acts": Scripted((Remixed(EAST, slots(2), slots(8)),)),
    "loses cards": Scripted((Remixed(SOUTH, slots(0, 1), slots(8)),)),
    r"after=\(8, 8\)\) loses cards": Scripted((Remixed(SOUTH, slots(0, 1), slots(8, 8)),)),
    "uses slot 7 a second time": Scripted((Remixed(SOUTH, slots(0, 1), slots(8, 7)),)),
    "or no more": Scripted((Remixed(SOUTH, slots(0), slots(8)), LaidDown(SOUTH, Slot(0)))),
    "it has not seen 2": Scripted(statements=(NoneOfSuit(slots(0, 2), Suit.CLUBS),)),
    "it has not seen 3": Scripted(statements=(NotCard(slots(0, 3), parse_card("AH")),)),
    "slot 50 does not exist": Scripted(statements=(NoneOfSuit(slots(50), Suit.CLUBS),)),
}


@pytest.mark.parametrize(("says", "action"), DEFECTS.items())
def test_a_game_that_asks_for_what_cannot_be_is_defective(says: str, action: Scripted) -> None:
    with pytest.raises(GameDefect, match=says):
        table().act(SOUTH, action)


@pytest.mark.parametrize(
    ("reader", "learns", "says"),
    [(EAST, SOUTH, "showed seat 1 more"), (SOUTH, EAST, "did not show seat 0")],
)
def test_knowledge_that_learns_too_much_or_too_little_is_noticed(
    monkeypatch: pytest.MonkeyPatch, reader: Seat, learns: Seat, says: str
) -> None:
    def confused(seat: Seat | None) -> Knowledge:
        return Knowledge(learns if seat == reader else seat)

    monkeypatch.setattr(simulator, "Knowledge", confused)
    with pytest.raises(GameDefect, match=says):
        table()


class HastyGame(ScriptedGame):
    """Two seats act at once, and the first to do so ends the hand."""

    def contributors(self, state: int) -> tuple[Seat, ...]:
        return (SOUTH, EAST)

    def is_over(self, state: int) -> bool:
        return state > 0


def test_a_round_that_ends_before_all_have_acted_is_a_defect() -> None:
    hasty = OpenTable(HastyGame(), PACK, SeededRandomness(1))
    with pytest.raises(GameDefect, match=r"seat 0 acted, and \[1\] of its round"):
        hasty.act(SOUTH, Scripted())


def test_cards_that_a_step_brings_are_mixed_by_a_later_action() -> None:
    passed = HandedOver(Slot(2), EAST, SOUTH, moves=True)
    mixed = Remixed(SOUTH, slots(0, 2), slots(8, 9))
    with pytest.raises(GameDefect, match="its cards arrive after this action"):
        table().act(SOUTH, Scripted((passed, mixed)))
    a_table = table()
    a_table.act(SOUTH, Scripted((passed,)))
    a_table.act(SOUTH, Scripted((mixed,)))


@pytest.mark.parametrize("deck", [PACK[:-1], (*PACK[:-1], PACK[0]), (*PACK, PACK[0])])
def test_a_deck_that_is_not_the_pack_is_refused(deck: tuple[Card, ...]) -> None:
    with pytest.raises(ValueError, match="each card of scripted's pack once"):
        OpenTable(ScriptedGame(), deck, SeededRandomness(1))


def test_a_fork_goes_its_own_way() -> None:
    a_table = table()
    fork = a_table.fork(SeededRandomness(2))
    fork.act(SOUTH, Scripted((Opened(Slot(0), parse_card("AS")),)))
    fork.act(SOUTH, Scripted((Remixed(SOUTH, slots(0, 1), slots(8, 9)),)))
    assert (a_table.state, fork.state) == (0, 2)
    assert knows(a_table, None) == {}
    assert knows(fork, None) == {0: "AS"}
    a_table.act(SOUTH, Scripted((Remixed(SOUTH, slots(0, 1), slots(8, 9)),)))
    with pytest.raises(GameDefect, match="or no more"):
        a_table.act(SOUTH, Scripted((LaidDown(SOUTH, Slot(0)),)))


def test_a_played_hand_replays_from_its_record() -> None:
    game = create_game("41")
    players = [RandomPlayer(game, seat) for seat in range(4)]
    deck = shuffled(game, SeededRandomness(8))
    hand = play_hand(game, Seat(2), players, deck, SeededRandomness(9))
    again = OpenTable(game, hand.deck, SeededRandomness(9), dealer=hand.dealer)
    for seat, action in hand.actions:
        again.act(seat, action)
    assert again.state == hand.state
    assert game.settle(again.state) == hand.outcome


def test_a_random_player_without_a_choice_says_so() -> None:
    game = create_game("41")
    a_table = OpenTable(game, game.pack, SeededRandomness(1))
    with pytest.raises(ValueError, match="seat 0 has no legal action"):
        RandomPlayer(game, 3).choose(a_table.view(SOUTH))


# --- immutable ------------------------------------------------------------------------------------

# States and views cannot be written to: what one hand shows never leaks into another.

CARD = parse_card("JC")
HANDS = 6


def mutable(value: Any, where: str) -> Iterator[str]:
    """The places in a value that could be written to."""
    match value:
        case None | int() | str() | bytes():
            return
        case Contract():
            return
        case tuple() | frozenset():
            for place, each in enumerate(value):
                yield from mutable(each, f"{where}[{place}]")
        case MappingProxyType():
            for key, each in value.items():
                yield from mutable((key, each), f"{where}[{key}]")
        case _ if is_dataclass(value) and type(value).__dataclass_params__.frozen:  # type: ignore[attr-defined]  # typeshed hides it
            for each in fields(value):
                yield from mutable(getattr(value, each.name), f"{where}.{each.name}")
        case _ if type(value).__module__ != "builtins" and hasattr(type(value), "__members__"):
            return
        case _:
            yield f"{where}: {type(value).__name__}"


@pytest.mark.parametrize("name", GAMES)
def test_no_part_of_a_state_or_of_a_view_can_be_written_to(name: str) -> None:
    game = create_game(name, "pagat" if name == "304" else "")
    for seed in range(HANDS):
        chance = SeededRandomness(seed)
        table, player = OpenTable(game, shuffled(game, chance), chance), RandomPlayer(game, seed)
        while game.contributors(table.state):
            seat = game.contributors(table.state)[0]
            assert [*mutable(table.state, "state")] == []
            view = table.view(seat)
            assert [*mutable(view.faces, "faces")] == []
            table.act(seat, player.choose(view))
        assert [*mutable(table.state, "state")] == []


def test_what_is_written_to_one_hand_is_in_no_other() -> None:
    game = create_game("304", "pagat")
    before = game.start(Seat(0)).state
    after = before.with_faces((Slot(31), CARD))
    for faces in (before.faces, after.faces):
        with pytest.raises(TypeError):
            faces[Slot(30)] = CARD
    assert after.faces == {31: CARD}
    fresh = game.start(Seat(0)).state
    assert isinstance(fresh, State)
    assert fresh.faces == {}


def test_the_faces_of_a_view_are_read_only_whatever_it_was_made_of() -> None:
    faces = {Slot(3): CARD}
    view = View(Seat(0), None, faces)
    with pytest.raises(TypeError):
        view.faces[Slot(4)] = CARD  # type: ignore[index]  # that is the point
    faces[Slot(4)] = CARD
    assert view.faces == faces


# --- chance ---------------------------------------------------------------------------------------

# The reproducible source of chance.


def test_the_words_are_those_of_splitmix64() -> None:
    source = SeededRandomness(1234567)
    assert [source.word() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("bound", [0, -1, 2**64])
def test_a_bound_without_numbers_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="no bound"):
        SeededRandomness(1).randbelow(bound)


@pytest.mark.parametrize("bound", [1, 2, 3, 52, 2**63 + 1, 2**64 - 1])
def test_numbers_stay_below_their_bound(bound: int) -> None:
    source = SeededRandomness(9)
    drawn = [source.randbelow(bound) for _ in range(500)]
    assert min(drawn) >= 0
    assert max(drawn) < bound
    assert max(drawn) >= bound * 3 // 4


def test_numbers_of_a_bound_that_rejects_many_words_are_uniform() -> None:
    source, bound = SeededRandomness(3), 3 << 62
    # Four words fall on every three numbers: without rejection one residue comes twice as often.
    residues = [source.randbelow(bound) % 3 for _ in range(3000)]
    assert all(900 < residues.count(each) < 1100 for each in range(3))


def test_every_order_is_equally_likely() -> None:
    source = SeededRandomness(6)
    counts = dict.fromkeys(permutations("abcd"), 0)
    for _ in range(24 * 200):
        items = list("abcd")
        source.shuffle(items)
        counts[tuple(items)] += 1
    # 23 degrees of freedom: 49.7 is exceeded once in a thousand sources.
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 49.7
