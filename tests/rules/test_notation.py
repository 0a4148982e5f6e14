"""Hands of any game as text: written from what is public, read back, and refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from p2p304.bots.players import RandomPlayer
from p2p304.errors import NotationError
from p2p304.games import create_game, full_agreement
from p2p304.hand_text import LONGEST, ToldHand, read_hands
from p2p304.hand_text import format_hand as format_any_hand
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, LayIndicator, parse_action
from p2p304.rules304.hand import Game304, settle
from p2p304.rules304.notation import (
    HandRecord,
    Retelling,
    format_hand,
    format_move,
    parse_hand,
    parse_move,
)
from p2p304.rules304.profile import FOUR_SEATS, TOGGLES
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import play_hand
from tests.long import examples
from tests.rules.playouts_304 import (
    Style,
    agreed,
    deal,
    new_table,
    play_match,
    play_wildly,
    record_hand,
    shuffled,
)

# --- notation -------------------------------------------------------------------------------------

# Notation: hands, matches, moves, bids and agreements as text, and what is no such text.

HANDS = examples(50)
EXAMPLE = """304 pagat
deal S JC9CAHTD.KC8CQS7D JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S
cut 0
E160 N- W- S- E*9C
E- N- W- S- Eclosed
EAH N8H WJH SQH
W9H SKH E~9C N7H
"""


@cache
def played(seed: int) -> tuple[HandRecord, tuple[Action, ...]]:
    """A wild hand under a random agreement, whole or as far as it got."""
    chance = Random(seed)
    toggles = chance.sample(sorted(TOGGLES), chance.randrange(5))
    profile = agreed(chance.choice(list(FOUR_SEATS)), toggles, {})
    deck = deal(chance)
    table = new_table(Game304(profile), deck, seed, Seat(chance.randrange(4)))
    stop = chance.choice((500, chance.randrange(1, 70)))
    partial: list[HandRecord] = []

    def visit(*_: object) -> None:
        if len(table.state.log) >= stop and not partial and table.state.phase is not Phase.CUT:
            partial.append(record_hand(table.state, deck, table.face))

    style = Style(chance.choice((10, 300)), chance.choice((3, 30)), chance.choice((50, 500)))
    play_wildly(table, chance, style, visit)
    record = partial[0] if partial else record_hand(table.state, deck, table.face)
    return record, tuple(action for _, action in table.state.log)


@pytest.mark.parametrize("seed", range(0, HANDS, 10))
def test_hands_come_back_from_their_text(seed: int) -> None:
    records = [played(each)[0] for each in range(seed, seed + 10)]
    for record in records:
        text = format_hand(record)
        assert text.isascii()
        assert parse_hand(text) == record
        assert parse_hand(" ".join(text.split(" ")).replace("\n", "\r\n")) == record


def test_a_record_replays_to_the_same_result() -> None:
    seen: Counter[object] = Counter()
    for seed in range(HANDS):
        chance = Random(seed)
        profile = agreed(chance.choice(list(FOUR_SEATS)), [], {})
        deck = deal(chance)
        table = new_table(Game304(profile), deck, seed, Seat(chance.randrange(4)))
        play_wildly(table, chance, Style(30, 5, 100), lambda *_: None)
        again = Retelling.of_record(
            parse_hand(format_hand(record_hand(table.state, deck, table.face)))
        ).state
        assert again.phase is Phase.OVER
        assert settle(again, judge_caps=False) == settle(table.state, judge_caps=False)
        seen[again.end] += 1
    assert len(seen) >= 6, f"too few kinds of end: {seen}"


def test_the_example_of_the_module_is_read_and_written() -> None:
    assert format_hand(parse_hand(EXAMPLE)) == EXAMPLE
    state = Retelling.of_record(parse_hand(EXAMPLE)).state
    assert state.trump is not None
    assert len(state.tricks) == 2


def test_without_dots_nobody_says_which_cards_came_first() -> None:
    undotted = EXAMPLE.replace(".", "").replace("JC9CAHTD", "9CJCAHTD")
    record = parse_hand(undotted)
    assert format_hand(record) == undotted
    assert (
        Retelling.of_record(record).state.trump
        == Retelling.of_record(parse_hand(EXAMPLE)).state.trump
    )
    with pytest.raises(NotationError, match="all hands have a dot after 4 cards, or none has"):
        parse_hand(EXAMPLE.replace(".", "", 1))


def test_a_hand_that_is_not_dealt_has_no_record() -> None:
    table = new_table(Game304(FOUR_SEATS["pagat"]), deal(Random(1)), 1, Seat(0))
    with pytest.raises(ValueError, match="a hand is told from its deal on"):
        record_hand(table.state, deal(Random(1)), table.face)


def test_moves_come_back_from_their_words() -> None:
    verbs = set()
    for seed in range(HANDS):
        for move in played(seed)[0].moves:
            assert parse_move(format_move(move, 4), profile=FOUR_SEATS["pagat"]) == move
            verbs.add(move.verb)
    assert len(verbs) >= 15, verbs


def test_every_verb_has_a_word_of_its_own() -> None:
    words = "S160 Epcc Whalf N- S? Eredeal W*9C Nopen Sclosed E9C W9C+ N~9C Sshow9C Ecaps"
    words += " Wcaps:9C8H Nshow!9C Wfull SwithJS Edouble Nmarriage:KSQSKHQH"
    words += " Ncaps! Scaps!:JD Eaccept Wcontest Nspoilt Sspoilt! Etrump7C"
    moves = [parse_move(word, profile=FOUR_SEATS["pagat"]) for word in words.split()]
    assert [format_move(move, 4) for move in moves] == words.split()


# --------------------------------------------------------------------------------------- shorthand


def test_a_hand_may_be_written_with_shorthand_and_is_told_in_full() -> None:
    short = EXAMPLE.replace("E160", "E60")
    assert parse_hand(short) == parse_hand(EXAMPLE)
    assert "E160" in format_hand(parse_hand(short))
    refused = short.replace("304 pagat", "304 championship").replace("N- W- S- E*", "N- W- S- E*")
    with pytest.raises(NotationError, match="60 is too low; 160 is the lowest bid"):
        parse_hand(refused)


# ------------------------------------------------------------------------------------ what is none


@pytest.mark.parametrize(
    ("change", "says", "place"),
    [
        (("304 pagat", "305 pagat"), 'a hand begins with "304" and a profile', 0),
        (("pagat", "whist"), "there is no profile 'whist'; there are pagat", 4),
        (("pagat", "\U000e0001" * 79), "no profile '" + r"\U000e0001" * 5, 4),
        (("pagat", "pagat; +half_cort"), "there is no house rule 'half_cort'", 11),
        (("pagat", "pagat; +half_court;  bid_maxx = 3"), "no parameter 'bid_maxx'", 25),
        (("pagat", "pagat; bid_max = lots"), "bid_max is a number", 11),
        (("pagat", "pagat; +half_court; +half_court"), "is named twice", 24),
        (("pagat", "championship; +half_court"), "half_court contradicts championship", 18),
        (("deal S", "deal X"), "'X' is no seat; write S, E, N or W", 15),
        (("deal S", "dale S"), '"deal", the dealer\'s letter and 4 hands', 10),
        (("9CAH", "9CXH"), "a hand is 4 cards, a dot and 4 more", 17),
        (("JS9S", "JS7S"), "7S is dealt twice", 71),
        (("JC9C", "2C9C"), "2C is not in the pack of 304", 17),
        (("cut 0", "cut 32"), "a cut is a number from 0 to 31", 93),
        (("E160", "E155"), "155 is too low; 160 is the lowest bid (rule 5.2.2)", 95),
        (("E160", "E165"), "165 is no multiple of 10, as bids must be here (rule 5.2.1)", 95),
        (
            ("E160", "N160"),
            "North is not to act in the four-card auction; it is for East (rule 3)",
            95,
        ),
        (("N- W-", "Nfoo W-"), "'Nfoo' is no move of 304", 100),
        (("N- W-", "X- W-"), "'X-' is no move; it begins with S, E, N or W", 100),
        (("E*9C", "E*KC"), "KC is not one of this seat's cards", 109),
        (("EAH", "EKC"), "there must be no clubs here, but there is 9C (rule 0.1)", 134),
        (("WJH SQH", "WAD SQH"), "a seat that cannot follow plays face down (rule 9.2)", 142),
        (("E~9C", "E9C"), "a seat that cannot follow plays face down", 158),
        (("E~9C", "E~JC"), "JC must not have the suit of 9C (rule 0.1)", 158),
        (("SKH E", "S~9D E"), "there must be no hearts here, but there is KH (rule 0.1)", 154),
        (("N7H", "Nopen"), "only the trump maker opens trump", 163),
    ],
)
def test_a_hand_that_is_none_is_told_why_and_where(
    change: tuple[str, str], says: str, place: int
) -> None:
    assert change[0] in EXAMPLE
    with pytest.raises(NotationError) as caught:
        parse_hand(EXAMPLE.replace(*change, 1))
    assert says in str(caught.value)
    assert len(str(caught.value)) < 700
    assert caught.value.position == place


def test_a_text_that_is_too_long_is_not_read() -> None:
    with pytest.raises(NotationError, match="at most 1000000 characters"):
        parse_hand("304 pagat\n" + " " * 1_000_000)
    with pytest.raises(NotationError, match="at most 400 characters"):
        parse_action("caps" + " 40=9C" * 70)


@pytest.mark.parametrize(
    ("text", "says", "place"),
    [
        ("ready x", "nothing stands behind this action", 6),
        ("bid PCC", "'PCC' is no whole number from 0 to 9999", 4),
        ("reddy", "'reddy' is no action of 304", 0),
    ],
)
def test_an_action_that_is_none_is_told_in_its_own_words(text: str, says: str, place: int) -> None:
    with pytest.raises(NotationError, match=re.escape(says)) as caught:
        parse_action(text)
    assert caught.value.position == place


def test_a_hand_is_told_in_cards_also_where_other_cards_are_due() -> None:
    text = (
        "304 pagat\n"
        "deal S JC9CAHTD.KC8CQS7D JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S\n"
        "cut 0\nE160 N- W- S- E*9C\nE- N- W- S- Eclosed\nWcaps:JH\n"
    )
    with pytest.raises(NotationError, match=r"rule 13\.4") as caught:
        parse_hand(text)
    assert "slot" not in str(caught.value)
    assert re.search(r"a call of caps shows are( [2-9TJQKA][SHDC])+ \(", str(caught.value))


# --- hand text ------------------------------------------------------------------------------------

# Hands of any game as text: written from what is public, read back by the rules, and refused.

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
    for house, scores, hand in hands_of_41():
        text = format_any_hand(hand.game, house, hand.dealer, scores, hand.actions)
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
    text = "\n".join(format_any_hand(game, "", h.dealer, (), h.actions) for h in played.hands)
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
        text = format_any_hand(game, agreed, state.dealer, (11, 11), state.log)
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
    assert format_any_hand(hand.game, "floor_12", hand.dealer, hand.scores, hand.actions) == HAND


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
