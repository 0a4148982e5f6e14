"""Choices in words, bids by their value: every legal action once, and no word for two."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from cli.table.options import Option, caps_in_order, chosen, forced, listed, options_for
from cli.table.situation import last_trick, situation
from p2p304.bots.random304 import RandomPlayer304
from p2p304.bots.random_player import RandomPlayer
from p2p304.cards import parse_card
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41 import actions as actions41
from p2p304.rules304.actions import (
    AskPartner,
    CallCaps,
    CallSpoilt,
    Cut,
    LayIndicator,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    SortHand,
)
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.slots import Slot
from p2p304.view import View

CARD = re.compile(r"(?<![\w-])(?:10|[2-9JQKA])[SHDC](?!\w)")
NUMBERS = (Cut, PlaceBid, actions41.Cut, actions41.PlaceBid)
"""What a number may mean."""
GAMES = (
    ("304", "pagat"),
    ("304", "championship"),
    ("304", "pagat; +half_court; +pre_show"),
    ("304", "wikipedia"),
    ("41", ""),
    ("400", ""),
)


def positions(game_name: str, agreement: str, seed: int) -> Iterator[tuple[OpenTable, Seat]]:
    """Every position of a random hand at which a seat is awaited."""
    game, chance = create_game(game_name, agreement), SeededRandomness(seed)
    deck = list(game.pack)
    chance.shuffle(deck)
    table = OpenTable(game, deck, chance)
    players = [
        RandomPlayer304(seed + seat) if isinstance(game, Game304) else RandomPlayer(game, seed)
        for seat in range(4)
    ]
    while awaited := game.contributors(table.state):
        for seat in awaited:
            yield table, seat
        table.act(awaited[0], players[awaited[0]].choose(table.view(awaited[0])))


def names_of(view: View[object]) -> set[str]:
    """The cards that the seat knows, as they are written."""
    return {str(card).replace("T", "10") for card in view.faces.values()}


@pytest.mark.parametrize(("game_name", "agreement"), GAMES)
@pytest.mark.parametrize("seed", range(6))
def test_every_legal_action_has_words_of_its_own_and_a_number_is_a_bid_or_a_cut(
    game_name: str, agreement: str, seed: int
) -> None:
    for table, seat in positions(game_name, agreement, seed):
        view = table.view(seat)
        legal = list(table.game.legal_actions(view))
        options = options_for(table.game, view, legal, ascii_only=True)
        assert len(options) == len(legal)
        assert all(each.action in legal for each in options)
        text = " ".join(listed(options, 78))
        for number in range(310):
            option = chosen(f" {number} ", options)
            assert option is None or isinstance(option.action, NUMBERS), option
        assert len({each.label for each in options}) == len(options)
        for option in options:
            assert option.label in text or isinstance(option.action, NUMBERS)
            assert option.words
            for word in option.words:
                assert chosen(word.upper(), options) is option, word
            assert set(CARD.findall(option.label)) <= names_of(view)
        assert chosen("nonsense", options) is None
        assert chosen("-1", options) is None


@pytest.mark.parametrize(("game_name", "agreement"), GAMES)
@pytest.mark.parametrize("seed", range(6))
def test_a_situation_shows_the_view_and_no_trick_before_the_last(
    game_name: str, agreement: str, seed: int
) -> None:
    for table, seat in positions(game_name, agreement, seed):
        view = table.view(seat)
        state = view.state
        shown = set(CARD.findall("\n".join(situation(table.game, view, ascii_only=True))))
        lying = [play.slot for play in getattr(state, "plays", getattr(state, "trick", ()))]
        mine = [*state.hands[seat], getattr(state, "indicator", None)]
        caps = getattr(state, "caps", None)
        faces = [view.faces[slot] for slot in (*lying, *mine) if slot in view.faces]
        faces += [card for _, card in caps.order] if caps is not None else []
        assert shown <= {str(card).replace("T", "10") for card in faces}
        last = set(CARD.findall(last_trick(view, ascii_only=True)))
        before = state.tricks[-1].plays if state.tricks else ()
        faces = [view.faces[play.slot] for play in before if play.slot in view.faces]
        assert last == {str(card).replace("T", "10") for card in faces}


def test_a_hand_is_sorted_by_suit_in_the_games_own_order() -> None:
    game = create_game("304", "pagat")
    table, seat = next(
        (table, seat)
        for table, seat in positions("304", "pagat", 1)
        if len(table.state.hands[seat]) == 8
    )
    line = situation(game, table.view(seat))[-1]
    cards = [table.view(seat).faces[slot] for slot in table.state.hands[seat]]
    suits = re.findall(r"[♠♥♦♣]", line)
    assert suits == [sign for sign in "♠♥♦♣" if sign in suits]
    order = ["J", "9", "A", "10", "K", "Q", "8", "7"]
    for group in re.findall(r"[♠♥♦♣] ([^♠♥♦♣(]+)", line):
        places = [order.index(rank) for rank in group.split()]
        assert places == sorted(places)
    points = sum(game.points_of(card) for card in cards)
    assert f"({points} points)" in line


def option_named(word: str, options: tuple[Option, ...]) -> object:
    found = chosen(word, options)
    return None if found is None else found.action


def test_shorthand_of_habit_is_understood() -> None:
    game = create_game("304", "pagat")
    faces = {Slot(1): parse_card("9C"), Slot(2): parse_card("TH")}
    view: View[object] = View(Seat(0), None, faces)
    plays = (PlayCard(Slot(1), faces[Slot(1)]), PlayDown(Slot(2)))
    options = options_for(game, view, plays)
    assert option_named("9c", options) == plays[0]
    assert option_named("10H", options) == plays[1]
    assert option_named("th", options) == plays[1]
    assert option_named("~th", options) == plays[1]
    assert option_named("9d", options) is None
    bids = (Pass(), PlaceBid(160), PlaceBid(170))
    options = options_for(game, view, bids)
    assert option_named("170", options) == bids[2]
    assert option_named("bid 170", options) == bids[2]
    assert option_named("70", options) == bids[2]
    assert option_named("p", options) == bids[0]
    assert option_named("2", options) is None
    window = (Ready(), CallCaps(()), CallSpoilt())
    options = options_for(game, view, window)
    assert option_named("", options) == window[0]
    assert option_named("caps", options) == window[1]
    indicator = (LayIndicator(Slot(1)),)
    assert option_named("9C", options_for(game, view, indicator)) == indicator[0]
    cuts = tuple(map(Cut, range(32)))
    options = options_for(game, view, cuts)
    assert option_named("17", options) == cuts[17]
    assert option_named("", options) == cuts[0]


def test_bids_of_41_and_400_are_typed_as_themselves() -> None:
    for name, lowest in (("41", 1), ("400", 2)):
        for table, seat in positions(name, "", 3):
            view = table.view(seat)
            options = options_for(table.game, view, table.game.legal_actions(view))
            if options[0].label.startswith("bid"):
                said = [option_named(f"{number}", options) for number in range(lowest, 14)]
                assert said == [actions41.PlaceBid(number) for number in range(lowest, 14)]
                assert option_named(f"{lowest - 1}", options) is None
                break


def test_only_duties_without_a_choice_are_done_without_a_question() -> None:
    nine = PlayCard(Slot(1), parse_card("9C"))
    assert forced((SortHand(),)) == SortHand()
    assert forced((Ready(),)) == Ready()
    assert forced((nine,)) is None
    assert forced((LayIndicator(Slot(1)),)) is None
    assert forced((Ready(), CallSpoilt())) is None
    assert forced(()) is None


def test_a_call_of_caps_takes_the_order_that_is_typed() -> None:
    slots = {name: Slot(place) for place, name in enumerate(("JH", "9H", "TS"))}
    call = CallCaps(tuple((slot, parse_card(name)) for name, slot in slots.items()))
    ordered = caps_in_order("10s, jh 9h", call)
    assert isinstance(ordered, CallCaps)
    assert [str(card) for _, card in ordered.order] == ["TS", "JH", "9H"]
    assert dict(ordered.order) == dict(call.order)
    for text, said in (
        ("jh 9h", "TS is missing"),
        ("jh 9h ts as", "AS is not yours"),
        ("jh 9h ts ts", "named twice"),
        ("jh 9x ts", "is no card"),
        ("", "missing"),
    ):
        refused = caps_in_order(text, call)
        assert isinstance(refused, str)
        assert said in refused


def test_twelve_at_a_bid_is_no_bid_of_250_and_what_is_listed_can_be_typed() -> None:
    game = create_game("304", "pagat")
    view: View[object] = View(Seat(0), None, {Slot(1): parse_card("TH")})
    bids = (*map(PlaceBid, range(160, 310, 10)), Pass(), AskPartner())
    options = options_for(game, view, bids)
    assert all(option_named(said, options) is None for said in ("1", "12", "16", "305"))
    assert option_named("250", options) == PlaceBid(250)
    assert [*listed(options, 78)] == ["  bid 160 ... 300   pass   a: ask your partner"]
    card = options_for(game, view, (PlayCard(Slot(1), parse_card("TH")),))
    assert [*listed(card, 78)] == ["  10♥"]
    assert option_named("10♥", card) == card[0].action
