"""Thinking: the search plays any game by its interface; reasons for a card, and reviews."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import factorial
from types import FrameType
from typing import Any

import pytest

from p2p304.bots.advice import LEVELS, Advice, Considered, Level
from p2p304.bots.play41.prior import reason as reason_at_41
from p2p304.bots.play304.prior import reason
from p2p304.bots.players import PLAYERS, RandomPlayer, player_for, search_player
from p2p304.bots.review import Asked, costliest, decisions, verdict
from p2p304.bots.search import player
from p2p304.bots.search.player import Imagination, Node, SearchPlayer
from p2p304.bots.search.worlds import Laid, NoCardLeftError, OpenWorlds
from p2p304.cards import Card, Slot, Suit, parse_card
from p2p304.game import AnyGame
from p2p304.games import GAMES, create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import PlayCard as PlayCard41
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_hand
from p2p304.statements import AllOfSuit, NoneOfSuit, NotCard, SuitsDiffer, holds, slots_of
from p2p304.view import View
from tests.client.black_lady.rules import EVERYBODY, FIRST, BlackLady, Give, Mix
from tests.client.highest_card import Highest
from tests.long import examples
from tests.rules.playouts_304 import shuffled
from tests.rules.positions_304 import POSITIONS

# --- search ---------------------------------------------------------------------------------------

# The search: it plays any game by its interface, on what a view grants, and beats chance.

BRIEF = Level(hands=40, plain=32, deals=8, nodes=200)
REGISTERED = {
    "pagat": create_game("304", "pagat"),
    "six seats": create_game("304", "six24"),
    "called partner": create_game("304", "maharashtra"),
    "41": create_game("41"),
    "400": create_game("400"),
}
ALL_GAMES: dict[str, AnyGame] = {**REGISTERED, "highest": Highest(), "black lady": BlackLady()}


def positions_of(game: AnyGame, seed: int) -> Iterator[tuple[OpenTable, Seat]]:
    """Every table of a hand of random players at which a seat has a choice."""
    chance = SeededRandomness(seed)
    table = OpenTable(game, shuffled(game, chance), chance, dealer=Seat(seed % game.seats))
    players = [player_for(game, chance.word(), "random") for _ in range(game.seats)]
    while awaited := game.contributors(table.state):
        seat = awaited[0]
        if len(game.legal_actions(table.view(seat))) > 1:
            yield table.fork(SeededRandomness(seed)), seat
        table.act(seat, players[seat].choose(table.view(seat)))


def mean_score(game: AnyGame, hands: int) -> float:
    """What a seat of this bot scores in a hand on average, among players who draw their choices."""
    total, chance = 0, SeededRandomness(9)
    for number in range(hands):
        ours = Seat(number % game.seats)
        players: list[Any] = [RandomPlayer(game, chance.word()) for _ in range(game.seats)]
        players[ours] = SearchPlayer(game, chance.word(), LEVELS["beginner"])
        deck = shuffled(game, chance)
        total += play_hand(game, Seat(0), players, deck, chance).outcome.scores[ours]
    return total / hands


@pytest.mark.parametrize(
    ("game", "hands", "least", "most"),
    [(Highest(), 60, 1.5, 4), (BlackLady(), 24, 0, 1.6)],
    ids=["most tricks win", "fewest points win"],
)
def test_it_beats_chance_whether_many_points_win_or_few(
    game: AnyGame, hands: int, least: float, most: float
) -> None:
    """By chance a seat has four tricks of three seats at the one, and seven points at the other."""
    assert least <= mean_score(game, examples(hands)) <= most


@pytest.mark.parametrize("name", ALL_GAMES)
def test_the_same_seed_and_view_give_the_same_legal_choice_and_a_reason(name: str) -> None:
    game, chosen = ALL_GAMES[name], set()
    for table, seat in [*positions_of(game, 3)][::5]:
        view = table.view(seat)
        one, other = (search_player(game, 5, BRIEF).advice(view) for _ in range(2))
        assert one == other
        assert one.reason.endswith(".")
        table.fork(SeededRandomness(0)).act(seat, one.action)
        chosen.add(type(one.action))
    assert chosen


def steps_of(decide: Callable[[], Any]) -> int:
    """How many functions of the package are called for a decision: its time, which no other program
    disturbs, and nothing that tests hang on the collector of garbage."""
    decide()  # what is kept for the next time is there now
    count = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_globals["__name__"].startswith("p2p304.")

    sys.setprofile(note)
    try:
        decide()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", ALL_GAMES)
def test_what_it_draws_and_thinks_and_how_long_depends_on_nothing_that_its_seat_has_not_seen(
    name: str,
) -> None:
    """Nobody is asked but for what the view grants."""

    class Watched(dict[Slot, Card]):
        def __missing__(self, slot: Slot) -> Card:
            raise AssertionError(f"slot {slot} was not disclosed")

    game, timed = ALL_GAMES[name], 0
    player = search_player(game, 5, BRIEF)
    for number, (table, seat) in enumerate([*positions_of(game, 4)][::6]):
        view = table.view(seat)
        watched = View(seat, view.state, Watched(view.faces), view.proved, view.scores)
        # Each number of the advice comes from the worlds that were drawn, and how often.
        assert player.advice(watched) == player.advice(view)
        if not number % 5:
            steps = [steps_of(partial(player.advice, each)) for each in (view, watched)]
            assert steps[0] == steps[1] > 0
            timed += 1
    assert timed


@pytest.mark.parametrize("name", REGISTERED)
def test_whoever_is_imagined_decides_on_what_that_seat_may_know(name: str) -> None:
    """What a prior says is the same with all cards open as with those that the seat was shown."""
    game = REGISTERED[name]
    make = GAMES[game.name].prior
    assert make is not None
    prior, asked = make(game), 0
    for seed in range(3):
        for table, seat in positions_of(game, seed):
            view = table.view(seat)
            opened = View(seat, view.state, table.open_view().faces, view.proved, view.scores)
            legal = game.legal_actions(view)
            assert prior.candidates(opened, legal) == prior.candidates(view, legal)
            done = [prior.act(each, legal, SeededRandomness(seed)) for each in (opened, view)]
            assert done[0] == done[1]
            assert sum(share for _, share in prior.candidates(view, legal)) == pytest.approx(1)
            asked += 1
    assert asked > 20


def test_it_says_what_each_choice_brought_and_how_often_the_bid_is_made() -> None:
    game = create_game("41")
    table, seat = next((t, s) for t, s in positions_of(game, 1) if t.state.tricks)
    advice = search_player(game, 1, BRIEF).advice(table.view(seat))
    assert advice.choices[0].action == advice.action
    assert advice.expected == advice.choices[0].expected
    assert advice.chance is not None
    assert 0 <= advice.chance <= 1
    assert {each.action for each in advice.choices} <= {*game.legal_actions(table.view(seat))}
    worths = [each.worth for each in advice.choices if each.visits == advice.choices[0].visits]
    assert worths == sorted(worths, reverse=True)


def test_time_that_is_up_ends_the_thought_after_every_choice_was_played() -> None:
    game = create_game("400")
    asked = []

    def more() -> bool:
        asked.append(True)
        return len(asked) < 3

    table, seat = next((t, s) for t, s in positions_of(game, 2) if t.state.tricks)
    player = player_for(game, 1, "master", more=more)
    choices = player.advice(table.view(seat)).choices
    assert len(asked) == 3
    assert {each.visits for each in choices} == {3}


def test_levels_think_more_and_more_and_others_are_refused() -> None:
    bounds = [LEVELS[name] for name in ("beginner", "club", "master")]
    assert all(
        low < high for one, other in pairwise(bounds) for low, high in zip(one, other, strict=True)
    )
    with pytest.raises(ValueError, match="'counting' does not play 304"):
        player_for(create_game("304", "pagat"), 1, "counting")
    for name in PLAYERS:
        assert player_for(create_game("41"), 1, name)


def test_nobody_decides_for_a_seat_that_is_not_awaited() -> None:
    table = OpenTable(Highest(), Highest.pack, SeededRandomness(1))
    with pytest.raises(ValueError, match="seat 0 has no legal action"):
        SearchPlayer(Highest(), 5).choose(table.view(Seat(0)))


def test_a_card_that_it_gave_away_is_somebodys_all_the_same() -> None:
    """It has seen the card, and not where its new owner put it: hands are played out even so."""
    given, decided = 0, 0
    for seed in range(12):
        deck = list(BlackLady.pack)
        chance = SeededRandomness(seed)
        chance.shuffle(deck)
        table = OpenTable(BlackLady(), deck, chance)
        for seat in EVERYBODY:
            slots = {table.face(slot): slot for slot in table.state.hands[seat]}
            given += seat == 0 and FIRST in slots
            table.act(seat, Give(slots.get(FIRST, min(slots.values()))))
        for seat in EVERYBODY:
            table.act(seat, Mix())
        while not table.game.is_over(table.state):
            seat = Seat(table.state.awaited[0])
            advice = SearchPlayer(BlackLady(), seed, BRIEF).advice(table.view(seat))
            table.act(seat, advice.action)
            for each in advice.choices:
                decided += 1
                assert each.visits >= 7, f"seed {seed}"
    assert given
    assert decided > 50


# ---------------------------------------------------------------------------- worlds


def drawn_from(game: AnyGame, view: View[Any], slots: set[Slot]) -> OpenWorlds:
    """Worlds of a view in which all of these slots are looked at."""
    worlds = OpenWorlds(game, view)
    for slot in sorted(slots - view.faces.keys()):
        worlds.learn(slot)
    return worlds


def test_worlds_respect_all_that_was_proved() -> None:
    game, facts = create_game("41"), 0
    for seed in range(6):
        for table, seat in [*positions_of(game, seed)][::4]:
            view = table.view(seat)
            live = {slot for hand in view.state.hands for slot in hand}
            worlds, chance = drawn_from(game, view, live), SeededRandomness(seed)
            world = worlds.draw(chance)
            cards = [world[slot] for slot in live]
            assert len(set(cards)) == len(cards)
            assert all(world[slot] == card for slot, card in view.faces.items())
            for fact in view.proved:
                # Of cards played since then the faces of the view tell.
                assert holds(fact, world), fact
                facts += any(slot not in view.faces for slot in slots_of(fact))
    assert facts > 20


def test_worlds_that_are_allowed_are_drawn_equally_often() -> None:
    """One seat has proved to hold no spade: what is laid narrowest first is no likelier for it."""
    game = Highest()
    table = OpenTable(game, game.pack, SeededRandomness(1))
    view = table.view(Seat(2))
    first, second = table.state.hands[0], table.state.hands[1]
    spades = [each for each in game.pack if each.suit is Suit.SPADES]
    proved = (NoneOfSuit(first[:2], Suit.SPADES), NotCard(second[:1], spades[0]))
    bound = View(view.seat, view.state, view.faces, proved)
    worlds, chance = drawn_from(game, bound, {*first, *second}), SeededRandomness(2)
    where = dict.fromkeys((*first, *second), 0)
    for _ in range(1_500):
        faces = worlds.draw(chance)
        assert all(holds(each, faces) for each in proved)
        lies = next((slot for slot in where if faces[slot] == spades[0]), None)
        if lies is not None:
            where[lies] += 1
    assert spades[0] not in view.faces.values()
    assert where[first[0]] == where[first[1]] == where[second[0]] == 0
    assert all(count > 220 for slot, count in where.items() if slot in (*first[2:], *second[1:]))


def test_statements_about_several_suits_at_once_are_respected_and_impossible_ones_noticed() -> None:
    game = Highest()
    table = OpenTable(game, game.pack, SeededRandomness(1))
    view, chance = table.view(Seat(2)), SeededRandomness(3)
    first, second = table.state.hands[0], table.state.hands[1]
    differ = SuitsDiffer(first[:2], second[0])
    bound = View(view.seat, view.state, view.faces, (differ,))
    worlds = drawn_from(game, bound, {*first, *second})
    assert all(holds(differ, worlds.draw(chance)) for _ in range(50))
    never = (AllOfSuit(first, Suit.SPADES), AllOfSuit(second, Suit.SPADES))
    with pytest.raises(NoCardLeftError):
        drawn_from(game, View(view.seat, view.state, view.faces, never), {*first, *second}).draw(
            chance
        )


@pytest.mark.parametrize(("name", "ahead"), [("pagat", False), ("41", True)])
def test_what_follows_a_choice_is_searched_where_the_prior_of_a_game_asks_for_it(
    monkeypatch: pytest.MonkeyPatch, name: str, ahead: bool
) -> None:
    game, grown, searched = REGISTERED[name], 0, 0

    class Counted(Node):
        def __init__(self) -> None:
            nonlocal grown
            grown += 1
            super().__init__()

    monkeypatch.setattr(player, "Node", Counted)
    for table, seat in positions_of(game, 2):
        if searched < 2 and type(game.legal_actions(table.view(seat))[0]).__name__ == "PlayCard":
            searched += bool(search_player(game, 5, BRIEF).advice(table.view(seat)).choices)
    assert searched == 2
    assert bool(grown) == ahead


# ---------------------------------------------------------------------------- tree and table


def test_a_tree_stays_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    game = create_game("41")
    table, seat = next((t, s) for t, s in positions_of(game, 1) if t.state.trick)
    view = table.view(seat)
    imagination = Imagination(game, view, None, None, SeededRandomness(1))
    action = game.legal_actions(view)[0]
    root, world = Node(), Laid(table.open_view().faces, dict[Slot, Card]().__getitem__)
    monkeypatch.setattr(player, "MOST_NODES", 12)
    for _ in range(40):
        assert imagination.play(world, action, root) is not None

    def size(node: Node) -> int:
        return 1 + sum(map(size, node.children.values()))

    assert imagination.nodes == size(root) - 1 == 12


def test_a_world_that_is_seen_again_is_no_new_evidence() -> None:
    """Where the cards alone decide how a hand ends, a choice counts no world twice."""
    game, few, searched = REGISTERED["pagat"], 0, 0
    for seed in range(12):
        for table, seat in positions_of(game, seed):
            view = table.view(seat)
            unseen = {*game.pack} - {*view.faces.values()}
            if view.state.phase is not Phase.TRICK or len(unseen) > 4:
                continue
            most = factorial(len(unseen))
            advice = search_player(game, 5, LEVELS["club"]).advice(view)
            searched += bool(advice.choices)
            few += any(each.visits for each in advice.choices)
            assert all(each.visits <= most for each in advice.choices), seed
    assert searched > 3
    assert few


# --- reasons --------------------------------------------------------------------------------------

# What is said of decisions: reasons for a card, and reviews of a hand by what a seat knew.

# --- reasons --------------------------------------------------------------------------------------

# What speaks for a card in words: true, by what the seat may know, and about that card.


def said(position: str, card: str) -> str:
    """What speaks for a card at a position."""
    view: Any = next(each for each in POSITIONS if each.name == position).view()
    plays = [each for each in legal_actions(view) if isinstance(each, PlayCard | PlayDown)]
    play = next(each for each in plays if view.faces[each.slot] == parse_card(card))
    return reason(view, play)


@pytest.mark.parametrize(
    ("position", "card", "why"),
    [
        (
            "ace led with jack and nine out",
            "7H",
            "It gives little away, and higher cards come out.",
        ),
        ("nine led by a strong defender", "JS", "Nobody can have a higher card of spades."),
        ("the maker's ten led while it draws trumps", "JC", "It draws trumps."),
        ("ace face down on the maker's trick", "7H", "It cuts if hearts are trumps."),
        (
            "ace on a trick that was cut",
            "7H",
            "The trick is the others', and it gives little.",
        ),
        (
            "trump on the partner's jack",
            "TH",
            "It brings 10 points to the partner's trick.",
        ),
        ("a rich trick that a low trump wins", "8C", "It cuts, and takes what lies there."),
    ],
)
def test_a_reason_tells_what_a_card_is_for(position: str, card: str, why: str) -> None:
    assert said(position, card) == why


def test_nothing_is_said_for_points_that_are_given_away() -> None:
    assert said("ace led with jack and nine out", "AH") == ""
    assert said("ace on a trick that was cut", "AH") == ""


def test_nothing_but_cards_is_told_of_and_most_of_them_are() -> None:
    told = 0
    for position in POSITIONS:
        view: Any = position.view()
        for each in legal_actions(view):
            why = reason(view, each)
            assert why == "" or (why.endswith(".") and isinstance(each, PlayCard | PlayDown))
            told += bool(why)
    assert told > 40


@pytest.mark.parametrize("name", ["400", "304"])
def test_a_player_that_searches_says_why_and_what_it_expects(name: str) -> None:
    game, chance = create_game(name), SeededRandomness(5)
    table = OpenTable(game, shuffled(game, chance), chance, checks=False)
    why = []
    while awaited := game.contributors(table.state):
        advice = player_for(game, 4, "beginner").advice(table.view(awaited[0]))
        if isinstance(advice.action, PlayCard | PlayDown | PlayCard41) and advice.choices:
            why.append(advice.reason)
        table.act(awaited[0], advice.action)
    assert all("It did best in " in each for each in why)
    assert sum(not each.startswith("It did best") for each in why) > len(why) * 2 / 3, (
        "most have words"
    )


def test_a_card_of_41_is_told_by_what_it_does_to_the_trick() -> None:
    game, chance = create_game("41"), SeededRandomness(5)
    table = OpenTable(game, shuffled(game, chance), chance, checks=False)
    told: set[str] = set()
    while awaited := game.contributors(table.state):
        view = table.view(awaited[0])
        legal = game.legal_actions(view)
        told |= {reason_at_41(view, each) for each in legal if isinstance(each, PlayCard41)}
        table.act(awaited[0], player_for(game, 4, "steady").choose(view))
    assert {
        "Nobody has a higher card of that suit.",
        "It wins the trick as it stands.",
        "It wins the trick.",
        "Your partner is winning this trick.",
        "It leaves this trick to the others.",
    } <= told


# --- review ---------------------------------------------------------------------------------------

# A hand that is over is judged by what each seat knew at the time, and by nothing else.


@pytest.mark.parametrize("name", [("304", "pagat"), ("304", "six36"), ("41", "")])
def test_a_decision_is_put_to_a_judge_as_it_was_put_to_its_seat(name: tuple[str, str]) -> None:
    game, seen, hidden = create_game(*name), 0, []
    for seed in range(3):
        chance = SeededRandomness(seed)
        table = OpenTable(game, shuffled(game, chance), chance, dealer=Seat(1), checks=False)
        players = [player_for(game, chance.word(), "steady") for _ in range(game.seats)]
        actions: list[tuple[Seat, Any]] = []
        views: list[View[Any]] = []
        while awaited := game.contributors(table.state):
            seat = awaited[0]
            views.append(table.view(seat))
            actions.append((seat, players[seat].choose(views[-1])))
            table.act(*actions[-1])
        for number, seat, asked in decisions(game, Seat(1), (), actions):
            assert actions[number][0] == seat
            if asked is None:
                hidden.append(seat)
                continue
            then = views[asked.number]
            assert (asked.view.seat, asked.done) == actions[asked.number]
            assert asked.view.state == then.state
            assert asked.view.faces.items() <= then.faces.items()
            mixed = then.faces.keys() - asked.view.faces.keys()
            assert not mixed & {slot for hand in then.state.hands for slot in hand}
            assert asked.view.proved == then.proved
            assert list(asked.legal) == list(game.legal_actions(then))
            seen += 1
    assert seen > 30
    assert name[0] == "41" or hidden, "what was bid on was mixed with other cards"


def judged(done: str, best: str, **gains: float) -> Any:
    choices = tuple(Considered(name, 9, gain, None, gain) for name, gain in gains.items())
    expected = gains.get(best)
    asked = Asked(len(done), View(Seat(0), None, {}), tuple(gains), done)
    return verdict(asked, Advice(best, "It did best.", expected, None, choices))


def test_a_decision_costs_what_the_best_was_expected_to_bring_beyond_it() -> None:
    small = judged("seven", "jack", jack=0.5, seven=0.25)
    large = judged("nine", "jack", jack=1.0, nine=-0.5, seven=0.0)
    right = judged("jack", "jack", jack=1.0, nine=-0.5)
    unknown = judged("king", "jack", jack=1.0)
    assert [each.cost for each in (small, large, right, unknown)] == [0.25, 1.5, 0.0, None]
    assert costliest([small, right, unknown, large], 3) == [large, small]
    assert costliest([small, large], 1) == [large]


def test_cards_that_nobody_was_shown_leave_out_the_decisions_made_with_them() -> None:
    game = create_game("304")
    table = OpenTable(game, game.pack, SeededRandomness(1), dealer=Seat(3), checks=False)
    first = table.state.awaiting[0]
    cut = game.legal_actions(table.view(first))[3]
    table.act(first, cut)
    assert table.state.phase is Phase.AUCTION4
    bidder = table.state.awaiting[0]
    bid = game.legal_actions(table.view(bidder))[-1]
    actions = ((first, cut), (bidder, bid))
    found = list(decisions(game, Seat(3), (), actions))
    assert [(seat, asked is None) for _, seat, asked in found] == [(first, False), (bidder, True)]
