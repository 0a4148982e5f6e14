"""Hands of any game as text: written from what is public, read back by the rules, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from p2p304.bots.players import RandomPlayer
from p2p304.errors import NotationError
from p2p304.games import create_game, full_agreement
from p2p304.hand_text import LONGEST, ToldHand, format_hand, read_hands
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import LayIndicator
from p2p304.rules304.hand import Game304
from p2p304.rules304.profiles import FOUR_SEATS
from p2p304.seats import Seat
from p2p304.simulator import play_hand
from tests.long import examples
from tests.rules.open_matches import play_match, shuffled
from tests.rules.playouts_304 import Style, new_table, play_wildly

HAND = """41 floor_12
dealer W 0 0 0 0
N cut 30
S sort
E sort
N sort
W sort
S bid 12
E bid 8
result unfinished
"""


def hands_of_41() -> Iterator[tuple[str, tuple[int, ...], ToldHand]]:
    for seed in range(4):
        game, house = create_game("41", "floor_12"), "floor_12"
        players = [RandomPlayer(game, seed + seat) for seat in range(4)]
        chance, scores = SeededRandomness(seed), (31, 12, 5, 8)
        hand = play_hand(game, Seat(seed), players, shuffled(game, chance), chance, scores=scores)
        told = ToldHand(game, Seat(seed), scores, hand.actions, hand.outcome)
        yield house, scores, told


def same(one: ToldHand, other: ToldHand) -> bool:
    return one[1:] == other[1:] and one.game.name == other.game.name


def test_hands_of_41_come_back_with_their_scores_and_result() -> None:
    texts, told = [], []
    for agreed, scores, hand in hands_of_41():
        text = format_hand(hand.game, agreed, hand.dealer, scores, hand.actions)
        assert text.isascii()
        (again,) = read_hands(text)
        assert same(again, hand)
        texts.append(text)
        told.append(hand)
    every = [*read_hands("\r\n".join("\n".join(texts).split("\n")))]
    assert all(map(same, every, told))
    assert len(every) == len(told)


def test_matches_of_400_come_back_hand_by_hand() -> None:
    game = create_game("400")
    players = [RandomPlayer(game, seat) for seat in range(4)]
    played = play_match(game, players, SeededRandomness(5), most_hands=4)
    text = "\n".join(format_hand(game, "", h.dealer, (), h.actions) for h in played.hands)
    assert [each.outcome for each in read_hands(text)] == [each.outcome for each in played.hands]


def test_a_hand_of_304_is_in_cards_if_its_end_opened_all_and_else_in_actions() -> None:
    kinds = set()
    for seed in range(examples(24)):
        chance = Random(seed)
        name = chance.choice(list(FOUR_SEATS))
        game = Game304(FOUR_SEATS[name])
        table = new_table(game, shuffled(game, chance), seed, Seat(seed % 4))
        play_wildly(table, chance, Style(30, 5, 100), lambda *_: None)
        state: Any = table.state
        agreed = full_agreement("304", name)
        text = format_hand(game, agreed, state.dealer, (11, 11), state.log)
        (again,) = read_hands(text)
        assert again.outcome == game.settle(state)
        laid = [each for _, each in state.log if isinstance(each, LayIndicator)]
        in_cards = text.split()[2] == "deal"
        assert in_cards == (len(state.faces) == 32 and len(laid) == 1)
        # In cards nobody can know which slot a card of a mixed hand lies in, but all else is so.
        assert [seat for seat, _ in again.actions] == [seat for seat, _ in state.log]
        assert in_cards or again.actions == state.log
        kinds.add(in_cards)
    assert kinds == {False, True}


def test_a_hand_that_is_not_over_is_told_as_far_as_it_got() -> None:
    (hand,) = read_hands(HAND)
    assert hand.outcome is None
    assert format_hand(hand.game, "floor_12", hand.dealer, hand.scores, hand.actions) == HAND


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ("41 floor_12", "chess", "a hand begins with the name of a game: 304, 41, 400", 1),
        ("41 floor_12", "result", "a hand begins with the name of a game", 1),
        ("floor_12", "floor_13", "floor_13", 1),
        ("dealer W", "deal W", '"dealer", a seat and the scores before the hand', 2),
        ("dealer W", "dealer X", "'X' is no seat; write one of S, E, N, W", 2),
        ("W 0 0 0", "W 0 0", "a match has no 3 scores here", 2),
        ("N cut 30", "E cut 30", "the rules forbid this: ", 3),
        ("E sort", "E sort 1", "", 5),
        ("N sort", "nobody", "'nobody' is no seat", 6),
        ("unfinished", "1 -1", "by the rules this is 'result unfinished', not 'result 1 -1'", 10),
    ],
)
def test_what_the_rules_do_not_give_is_refused_with_its_place(
    old: str, new: str, said: str, line: int
) -> None:
    for before in ("", HAND + "\n"):
        text = before + HAND.replace(old, new, 1)
        with pytest.raises(NotationError) as caught:
            list(read_hands(text))
        assert said in caught.value.args[0]
        at = text.count("\n", 0, caught.value.position) + 1
        assert at == line + before.count("\n")


def test_text_without_hands_or_without_end() -> None:
    assert not [*read_hands(" \n\r\n")]
    with pytest.raises(NotationError, match=f"at most {LONGEST} characters"):
        list(read_hands(" " * (LONGEST + 1)))
    for alone in ("304", "304 pagat", "result", "304 pagat\nresult 1 -1", "41\nresult 0 0"):
        with pytest.raises(NotationError):
            list(read_hands(alone))
