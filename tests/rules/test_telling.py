"""What every game tells of itself: choices for all that is legal, and no card that is hidden."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from p2p304.cards import Card, parse_card
from p2p304.games import GAMES, agreement, create_game, telling_of
from p2p304.rules41.hand import ALL_SEATS, DealPhase
from p2p304.rules304.actions import CallDouble, CallSpoilt, Contract, NameCard
from p2p304.rules304.caps.search import find_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.telling.options import COMMANDS, reasons
from p2p304.rules304.telling.scene import known_partner
from p2p304.seats import Seat, seat_after
from p2p304.sentences import Line, Who, count_words, join_items, join_parts, say, won_line
from p2p304.simulator import OpenTable
from p2p304.telling import AnyTelling, Ended, Scene, Tried
from p2p304.view import View
from tests.rules import test_called_partner as called
from tests.rules.caps_positions import end_position, random_position
from tests.rules.playouts_304 import Table, shuffled
from tests.rules.test_41 import table_at
from tests.rules.test_caps import CALLED_AND_LOST, CALLED_LATE, NEVER_CALLED, ended, under

TABLES = [
    *(("304", name) for name in ("pagat", "championship", "card304", "tamil4", "maharashtra")),
    ("304", "maharashtra; +marriages; +divide_by_ten"),
    ("304", "six36"),
    ("41", ""),
    ("400", ""),
]
every_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: "-".join(table).strip("-"))


def hands(name: str, parameters: str, count: int = 3) -> Iterator[OpenTable]:
    """Tables at the start of a hand, each with cards and choices of its own seed."""
    game = create_game(name, parameters)
    for seed in range(count):
        luck = random.Random(seed)
        yield OpenTable(game, shuffled(game, luck), luck, dealer=Seat(seed % game.seats))


def played(
    name: str, parameters: str, *, numbers: bool = False, count: int = 3
) -> Iterator[tuple[OpenTable, Seat, Any]]:
    """Each table before each action of a hand played at random, and the action; where only
    `numbers` are bid, nobody undertakes all tricks."""
    for number, table in enumerate(hands(name, parameters, count)):
        luck = random.Random(number)
        while not table.game.is_over(table.state):
            seat = table.game.contributors(table.state)[0]
            legal = [
                each
                for each in table.game.legal_actions(table.view(seat))
                if not numbers or not isinstance(getattr(each, "bid", 0), Contract)
            ]
            action = luck.choice(legal) if luck.random() < 0.8 else legal[0]
            yield table, seat, action
            table.act(seat, action)


def cards_in(*lines: Line) -> set[Card]:
    return {part for line in lines for part in line if isinstance(part, Card)}


def cards_of(scene: Scene) -> set[Card]:
    """Every face that a scene shows, in whatever place."""
    shown = [card for place in scene.places for card in place.cards]
    shown += [place.side_card.card for place in scene.places if place.side_card is not None]
    shown += [each.card for each in scene.hand] + [each.card for each in scene.lying]
    return {card for card in shown if card is not None} | cards_in(*scene.contract, *scene.middle)


def named(view: View[Any]) -> set[Card]:
    """The card that the maker named aloud, where one is; who holds it is not told."""
    called = getattr(view.state, "called", None)
    return set() if called is None else {called}


def lines_of(telling: AnyTelling, view: View[Any]) -> tuple[Line, ...]:
    return (*telling.moment(view), telling.waiting_line(view.state, (Seat(0),)))


@every_table
def test_every_legal_action_is_one_choice_and_nothing_else_is(table: tuple[str, str]) -> None:
    for here, seat, _ in played(*table):
        view = here.view(seat)
        legal = here.game.legal_actions(view)
        choices = telling_of(here.game).choices(view, legal)
        assert sorted(map(repr, legal)) == sorted(repr(each.action) for each in choices)


@every_table
def test_what_is_typed_or_pressed_names_one_choice(table: tuple[str, str]) -> None:
    for here, seat, _ in played(*table):
        view = here.view(seat)
        choices = telling_of(here.game).choices(view, here.game.legal_actions(view))
        for names in (
            [word for each in choices for word in each.typed],
            [number for each in choices for number in each.numbers],
        ):
            assert len(names) == len(set(names))
        keys = [each.key for each in choices if each.key]
        kinds = {(each.key, type(each.action)) for each in choices if each.key}
        assert len(kinds) == len(set(keys)), "a key is for one kind of action"
        assert sum(each.default for each in choices) <= 1
        for each in choices:
            ways = (each.typed, each.numbers, each.key, each.slot is not None, each.default)
            assert any(ways) or each.duty, each


@every_table
def test_a_seat_is_told_no_card_that_its_view_does_not_grant(table: tuple[str, str]) -> None:
    for here, actor, _ in played(*table):
        telling = telling_of(here.game)
        for seat in (actor, Seat((actor + 1) % here.game.seats), None):
            view = here.view(seat)
            known = set(view.faces.values()) | named(view)
            match = here.game.new_match(bytes(32))
            assert cards_of(telling.scene(view, tuple(match.scores))) <= known
            assert cards_in(*lines_of(telling, view)) <= known
            choices = telling.choices(view, here.game.legal_actions(view))
            asked = {each.action.card for each in choices if isinstance(each.action, NameCard)}
            assert cards_in(*(each.label for each in choices)) <= known | asked
            if choices:
                assert cards_in(telling.prompt(view, choices)) <= known


@every_table
def test_a_hand_is_told_card_by_card_and_trick_by_trick(table: tuple[str, str]) -> None:
    for here in hands(*table, count=4):
        telling, luck = telling_of(here.game), random.Random(5)
        plays = tricks = 0
        while not here.game.is_over(here.state):
            seat = here.game.contributors(here.state)[0]
            view = here.view(seat)
            choices = telling.choices(view, here.game.legal_actions(view))
            chosen = luck.choice(choices)
            before = here.state
            here.act(seat, chosen.action)
            faces = here.view(seat).faces
            lines = telling.tell(before, seat, chosen.action, here.state, faces)
            story = telling.retell(before, seat, chosen.action, here.state, faces)
            if chosen.plays:
                plays += 1
                assert lines[0][0] == Who(seat)
            after = telling.scene(here.view(seat), telling_scores(here)).tricks
            if after > tricks:
                assert telling.trick_line(here.state, faces) in story
                assert len(telling.last_trick(here.view(seat))) > 1
            tricks = after
        outcome = here.game.settle(here.state)
        ended = Ended(here.state, outcome, telling_scores(here), here.view(None).faces)
        assert all(row.label and row.line for row in telling.summary(ended))
        assert plays >= tricks


def telling_scores(table: OpenTable) -> tuple[int, ...]:
    return tuple(table.game.new_match(bytes(32)).scores)


@every_table
def test_what_is_not_possible_is_refused_with_a_reason(table: tuple[str, str]) -> None:
    for here, seat, _ in played(*table):
        telling, view = telling_of(here.game), here.view(seat)
        legal = here.game.legal_actions(view)
        choices = telling.choices(view, legal)
        slots = {each.slot for each in choices}
        tries = [Tried(word=key.key) for key in telling.keys]
        tries = [each for each in tries if all(choice.key != each.word for choice in choices)]
        held = telling.hand(view)
        tries += [Tried(slot=each.slot) for each in held if each.slot not in slots]
        for tried in tries:
            reason = "".join(
                part for part in telling.refusal(view, legal, tried) if isinstance(part, str)
            )
            assert len(reason) > 10
            assert not reason.endswith(".")
        idle = here.view(Seat((seat + 1) % here.game.seats))
        if idle.seat not in here.game.contributors(here.state):
            assert telling.refusal(idle, (), Tried(number=3)) == say("It is not your turn")


@every_table
def test_sides_and_winners_have_names(table: tuple[str, str]) -> None:
    game = create_game(*table)
    telling = telling_of(game)
    sides = len(telling.sides())
    assert sides == len(game.new_match(bytes(32)).scores)
    best = [tuple(int(side == winner) for side in range(sides)) for winner in (0, 1)]
    assert telling.winners(0, best[0]) != telling.winners(1, best[1])
    assert telling.title.startswith(game.name)
    assert len({key.key for key in telling.keys}) == len(telling.keys)
    assert telling.in_short()


@every_table
def test_every_house_rule_and_parameter_is_told_with_its_value(table: tuple[str, str]) -> None:
    name, parameters = table
    entry = GAMES[name]
    telling = telling_of(create_game(name, parameters))
    told = {each.name: each for each in telling.parameters}
    assert len(told) == len(telling.parameters)
    assert all(each.section and each.value and each.meaning for each in telling.parameters)
    house = next(iter(entry.house_rules))
    agreed = agreement(name, parameters or None, [house])
    with_house = telling_of(create_game(name, agreed))
    assert house.replace("_", " ") in with_house.title or any(
        house in str(line) for line in with_house.agreement_lines
    )
    assert with_house.score_unit


def test_what_differs_from_the_named_profile_is_agreed_in_a_line() -> None:
    plain = telling_of(create_game("304", "pagat"))
    other = telling_of(create_game("304", agreement("304", "pagat", (), ["tokens_start = 3"])))
    assert plain.agreement_lines == ()
    (line,) = other.agreement_lines
    assert "tokens_start is 3" in "".join(map(str, line))


@every_table
def test_a_lead_is_told_from_a_card_that_follows_and_owed_names_no_move(
    table: tuple[str, str],
) -> None:
    for here in hands(*table, count=2):
        telling, luck, leads, owed = telling_of(here.game), random.Random(3), 0, set()
        while not here.game.is_over(here.state):
            seat = here.game.contributors(here.state)[0]
            view, before = here.view(seat), here.state
            options = telling.choices(view, here.game.legal_actions(view))
            calm = [each for each in options if not each.costly] or options
            chosen = luck.choice(calm)
            owed.add(telling.owed_words(here.state))
            here.act(seat, chosen.action)
            leads += telling.led(before, here.state)
        tricks = telling.scene(here.view(None), telling_scores(here)).tricks
        assert tricks <= leads <= tricks + 1
        assert owed <= {"", "the cards that still lie face down"}
        assert telling.between_hands(here.state)


def test_one_seat_wins_and_several_win() -> None:
    assert won_line(say(Who(Seat(2)))) == (Who(Seat(2)), " wins the match.")
    assert won_line(say("North-South")) == ("North-South", " win the match.")


def test_lines_are_put_together_from_parts() -> None:
    card, who = parse_card("9H"), Who(Seat(1))
    assert say("a", "", say(card, who), "b") == ("a", card, who, "b")
    assert join_parts(["a", say(card)], ", ") == ("a", ", ", card)
    assert join_items(["A"]) == ("A",)
    assert join_items(["A", "B", who]) == ("A", ", ", "B", " and ", who)
    assert [count_words(1, "card"), count_words(0, "card")] == ["1 card", "0 cards"]


def in_words(line: Line) -> str:
    return "".join(map(str, line))


@pytest.mark.parametrize(
    ("agreed", "found"),
    [("pagat", "pagnokcsyv"), ("card304-alpha", "pans"), ("six24", "pokcsyv"),
     ("six36", "pagnokcsyv"), ("tamil504", "pokcsyv"), ("tamil4", "pagnokds"),
     ("maharashtra", "pgoks"), ("maharashtra; +marriages", "pgokms"),
     ("pagat; +pre_show", "pagnokcwsyv")],
)  # fmt: skip
def test_help_lists_the_keys_of_what_can_arise_under_the_agreement(agreed: str, found: str) -> None:
    keys = {each.key: each.words for each in telling_of(create_game("304", agreed)).keys}
    assert "".join(keys) == found
    alone = {"pagat": "go alone (Partner Close Caps)", "maharashtra":
             "undertake all tricks (Half Court or Full Court)"}  # fmt: skip
    assert keys.get("g") == alone.get(agreed, keys.get("g"))


def test_at_six_seats_the_sides_are_told_as_their_reader_has_them() -> None:
    (table, *_) = hands("304", "six24")
    told = {
        seat: [in_words(side) for side, _ in
               telling_of(table.game).scene(table.view(seat), (5, 17)).counts[0].values]
        for seat in (Seat(0), Seat(1), Seat(4), None)
    }  # fmt: skip
    ours, both = ["us", "them"], ["S-NE-NW", "SE-N-SW"]
    assert told == {0: ours, 1: ours[::-1], 4: ours, None: both}


@pytest.mark.parametrize("profile", ["six24", "six36", "eight32", "tamil504", "tamil904"])
def test_six_and_eight_seats_are_told_of_several_partners_and_defenders(profile: str) -> None:
    said: set[str] = set()
    tried = [Tried(word=word) for word in ("p", "a", "g", "n", "o", "k", "c", "s", "pcc", "half")]
    tried += [Tried(number=number) for number in (150, 160, 250, 260, 410, 420, 740, 741, 750)]
    for table, seat, _ in played("304", profile):
        telling, view = telling_of(table.game), table.view(seat)
        legal = table.game.legal_actions(view)
        said |= set(map(in_words, (*telling.moment(view), *telling.in_short())))
        said |= {in_words(telling.refusal(view, legal, each)) for each in tried}
        said |= {in_words(choice.label) for choice in telling.choices(view, legal)}
    told = "\n".join(said)
    assert not re.findall(r"\ban (?:[^aeio]|one)|\ba (?:eight|[aeio])", told)
    assert not re.findall(r"the two defenders|(?:the|your) partner\b", told, re.IGNORECASE)
    defenders = {6: "three", 8: "four"}[len(table.state.hands)]
    assert f"the {defenders} defenders" in told or not table.state.profile.spoilt_trumps


def test_what_the_makers_side_undertook_is_counted_by_sides_for_whoever_knows_them() -> None:
    by_sides = {"Points": 0, "Tricks": 0}
    apart = 0
    for numbers in (True, False):
        for table, *_ in played("304", "maharashtra", numbers=numbers, count=12):
            state = table.state
            if not state.tricks or state.called is None:
                continue
            word, other = ("Points", "Tricks") if isinstance(state.contract, int) else (
                "Tricks", "Points"
            )  # fmt: skip
            for reader in (*state.everybody, None):
                view = table.view(reader)
                counts = telling_of(table.game).scene(view, (0,) * 4).counts
                found = {each.word: each.values for each in counts}
                assert len(found[other]) == 4
                if state.partner_secret and known_partner(view) is None:
                    apart += len(found[word]) == 4
                    continue
                (side, worth), (others, _) = found[word]
                assert {*in_words(side).split("-"), *in_words(others).split("-")} == {*"SENW"}
                needed = state.contract if word == "Points" else len(state.dealt[0])
                assert worth.endswith(f" of {needed}")
                by_sides[word] += 1
    assert all(by_sides.values())
    assert apart


def story(profile: str) -> Iterator[tuple[OpenTable, list[str]]]:
    """Hands played at random, each with what a story tells of it."""
    told: list[str] = []
    last: OpenTable | None = None
    for table, seat, action in played("304", profile):
        if last is not None and table is not last:
            yield last, told
            told = []
        last, telling = table, telling_of(table.game)
        faces = table.open_view().faces
        after = table.game.apply(table.state, seat, action).state
        told += map(in_words, telling.retell(table.state, seat, action, after, faces))
    if last is not None:
        yield last, told


@pytest.mark.parametrize(
    ("profile", "more"), [("six24", "one more card"), ("six36", "two more cards"),
                          ("pagat", "the second four cards")]
)  # fmt: skip
def test_a_story_tells_that_cards_are_dealt_whatever_the_maker_laid_down(
    profile: str, more: str
) -> None:
    full = 0
    for table, told in story(profile):
        dealt = len(table.state.dealt[0]) == table.game.profile.deal_batches.cards
        assert told.count(f"Everybody gets {more}.") == dealt
        full += dealt
    assert full


# --- told moments ---------------------------------------------------------------------------------

# What the games say at moments that few hands come to: courts, marriages, double, caps, no bid.


def words(*lines: Line) -> str:
    """Lines as plain text, seats by their letters."""
    parts = (
        "SENW"[part.seat] if isinstance(part, Who) else str(part) for line in lines for part in line
    )
    return "".join(parts)


def telling(table: Table) -> AnyTelling:
    return telling_of(table.game)


def rows(
    found: AnyTelling, state: Any, outcome: Any, scores: tuple[int, ...] = ()
) -> dict[str, str]:
    """A summary by its labels."""
    told = found.summary(Ended(state, outcome, scores, getattr(state, "faces", {})))
    assert len({row.label for row in told}) == len(told)
    return {row.label: words(row.line) for row in told}


# --- a called partner -----------------------------------------------------------------------------


def test_marriages_are_counted_beside_the_points_and_their_worth_is_told() -> None:
    table = called.married()
    table.trick("S", "7C JH JC 8C")
    before = telling(table).scene(table.table.view(Seat(0)), (0, 0, 0, 0))
    assert "Marriages" not in [count.word for count in before.counts]
    shown = called.pair(table, "S", "S")
    state = table.state
    table.do("S", shown)
    said = telling(table).tell(state, Seat(0), shown, table.state, table.state.faces)
    assert words(*said) == "S shows KS QS: a marriage."
    scene = telling(table).scene(table.table.view(Seat(1)), (0, 0, 0, 0))
    (count,) = [count for count in scene.counts if count.word == "Marriages"]
    assert [worth for _, worth in count.values] == ["40"]


def test_all_who_have_the_highest_score_have_won_together() -> None:
    found = telling_of(called.dealt().game)
    assert found.winning_seats(1, (3, 12, 12, -5)) == (Seat(1), Seat(2))
    assert words(found.winners(1, (3, 12, 12, -5))) == "E and N"


# --- double, and caps by their verdict ------------------------------------------------------------


def test_a_double_is_told_when_it_is_called_while_it_stands_and_at_the_end() -> None:
    table = called.after_five()
    state = table.state
    table.do("S", CallDouble())
    said = telling(table).tell(state, Seat(0), CallDouble(), table.state, table.state.faces)
    assert words(*said) == "S calls double: all eight tricks, for a token more."
    table.ready()
    scene = telling(table).scene(table.table.view(None), (5, 5))
    assert "double by S" in [words(each) for each in scene.contract]
    outcome = called.ended(table)
    assert rows(telling(table), table.state, outcome)["Double"].endswith(": won every trick")


@pytest.mark.parametrize(
    ("scenario", "profile", "said"),
    [
        (CALLED_AND_LOST, "pagat", "called, and trick"),
        (CALLED_LATE, "pagat", "called after the time for it had run out"),
        (NEVER_CALLED, "pagat", "an order was certain to win every trick, and nobody called"),
        (NEVER_CALLED, "championship", "all tricks were won without a call"),
    ],
)
def test_what_was_judged_of_caps_is_told_with_the_reason(
    scenario: str, profile: str, said: str
) -> None:
    state = under(ended(scenario), name=profile)
    game = Game304(state.profile)
    assert said in rows(telling_of(game), state, game.settle(state))["Caps"]


def test_the_reasons_of_a_certain_order_name_what_is_out_and_never_an_own_card() -> None:
    positions = (random_position(seed, 5) for seed in range(3_000))
    sure = (each for each in positions if find_order(each).sure)
    kinds = set()
    for position in islice(sure, 60):
        order = find_order(position).order
        told = [words(line) for line in reasons(position, order)]
        assert told[-1].startswith("Every way in which the cards that you cannot see may lie")
        for line in told[:-1]:
            if "trumps that are out" in line:
                named = line.partition("out, ")[2].partition(", ")[0]
                assert not {str(card) for card in order} & set(named.split())
                kinds.add("cut")
            elif "No trump is out" in line:
                kinds.add("no trump")
            elif "Trump is hidden" in line:
                assert position.trump is None
                kinds.add("hidden")
            elif "higher than" in line:
                kinds.add("higher")
    assert kinds >= {"no trump", "higher"}, kinds


def test_where_the_order_is_trumps_alone_nothing_is_said_of_cutting() -> None:
    position = end_position("S", "JC 9C", unseen="AC TC 7S 8S 7D 8D", leader="S",
                            counts={"E": 2, "N": 2, "W": 2})  # fmt: skip
    found = find_order(position)
    assert found.sure
    assert "cut" not in words(*reasons(position, found.order))


# --- 41 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", DealPhase)
def test_at_every_phase_of_41_the_table_says_what_it_waits_for_and_what_the_rules_are(
    phase: DealPhase,
) -> None:
    table = table_at(phase)
    found, state = telling_of(table.game), table.state
    over = phase in (DealPhase.THROWN_IN, DealPhase.PLAYED)
    nobody = "The deal is over." if over else "One moment: all have answered."
    assert words(found.waiting_line(state, ())) == nobody
    if not over:
        said = words(found.waiting_line(state, ALL_SEATS[1:]))
        assert said.startswith("E, N and W")
    for seat in (*ALL_SEATS, None):
        assert found.moment(table.view(seat))
    assert found.moment(None)
    assert found.ended_on_trick(state) is (phase is DealPhase.PLAYED)


def test_a_deal_that_is_thrown_in_has_bids_and_nothing_else_to_tell() -> None:
    table = table_at(DealPhase.THROWN_IN)
    found = telling_of(table.game)
    outcome = table.game.settle(table.state)
    assert list(rows(found, table.state, outcome)) == ["Bids"]
    assert list(rows(found, table.state, outcome, (1, 2, 3, 4))) == ["Bids", "Score"]
    last = table_at(DealPhase.BIDDING)
    while len(last.state.bids) < 4:
        seat, before = last.game.contributors(last.state)[0], last.state
        action = last.game.legal_actions(last.view(seat))[0]
        last.act(seat, action)
    assert words(*found.tell(before, seat, action, last.state, {})).endswith(": thrown in.")


def test_what_cannot_be_chosen_at_41_is_refused_by_the_rule_of_its_moment() -> None:
    def refused(phase: DealPhase, tried: Tried, *, turn: bool = True) -> str:
        table = table_at(phase)
        seat = table.game.contributors(table.state)[0]
        view: View[Any] = table.view(seat)
        legal = table.game.legal_actions(view) if turn else ()
        return words(telling_of(table.game).refusal(view, legal, tried))

    assert refused(DealPhase.CUTTING, Tried(number=99)).startswith("A cut lies between")
    assert "(rule" in refused(DealPhase.BIDDING, Tried(number=14))
    assert refused(DealPhase.BIDDING, Tried(word="x")) == "This is not possible now"
    assert refused(DealPhase.BIDDING, Tried(number=5), turn=False) == "It is not your turn"


def test_the_auction_of_41_is_told_in_the_order_of_speaking() -> None:
    table = table_at(DealPhase.PLAYING)
    dealer, telling = table.state.dealer, telling_of(table.game)
    speakers = [say(Who(seat_after(dealer, seats=4, steps=place))) for place in range(1, 5)]
    history = telling.scene(table.view(None), (0,) * 4).history
    assert [line[:1] for line in history] == speakers


def test_house_rules_of_41_are_told_where_they_are_agreed() -> None:
    found = telling_of(create_game("41", "floor_12"))
    assert len(found.agreement_lines) == 1
    assert "floor_12" in words(*found.agreement_lines)
    assert {each.value for each in found.parameters} == {"yes", "no"}


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "seat"),
    [
        (called.dealt, 0),
        (lambda: called.passed(called.dealt()), 0),
        (called.bought, 0),
        (called.married, 0),
        (called.after_five, 1),
        (lambda: Table("pagat", "W", called.DOUBLED), 0),
    ],
    ids=["half-court", "numbers", "lead", "marriages", "double", "pagat"],
)
def test_a_command_that_does_not_fit_its_moment_is_refused_by_a_rule(
    table: Callable[[], Table], seat: int
) -> None:
    found = table()
    view = found.table.view(Seat(seat))
    legal = found.game.legal_actions(view)
    offered = {type(each) for each in legal}
    for command in COMMANDS:
        if command.means in offered or command.means is Contract:
            continue
        said = words(telling(found).refusal(view, legal, Tried(word=command.key)))
        assert said.endswith(")"), said
        assert "rule" in said
    nothing = telling(found).refusal(view, legal, Tried(word="abracadabra"))
    assert words(nothing) == "This is not possible now"


def test_a_number_or_a_card_at_the_wrong_moment_is_refused() -> None:
    table = called.bought()
    view = table.table.view(Seat(0))
    legal = table.game.legal_actions(view)
    assert "(rule" in words(telling(table).refusal(view, legal, Tried(number=170)))
    cutting: Any = create_game("304", "pagat")
    state = cutting.start(Seat(0)).state
    view = View(cutting.contributors(state)[0], state, {})
    legal = cutting.legal_actions(view)
    said = words(telling_of(cutting).refusal(view, legal, Tried(number=99)))
    assert "cut" in said
    assert "31" in said
    bidding = called.passed(called.dealt())
    view = bidding.table.view(Seat(0))
    slot = bidding.slot("S", "9S")
    legal = bidding.game.legal_actions(view)
    assert words(telling(bidding).refusal(view, legal, Tried(slot=slot))) == "No card is played now"


def test_a_hand_ends_on_its_last_card_or_on_what_was_said_after_a_trick() -> None:
    table = called.after_five()
    called.ended(table)
    assert telling(table).ended_on_trick(table.state)
    assert not telling(table).ended_on_trick(called.passed(called.passed(called.dealt())).state)
    state = ended(CALLED_LATE)
    after_claim = state._replace(log=(*state.log, (Seat(0), CallSpoilt())))
    assert not telling_of(Game304(state.profile)).ended_on_trick(after_claim)
