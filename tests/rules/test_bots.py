"""Players of every game: decisions from views alone, legal under every agreement, and good ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from p2p304.bots.advice import THUMB, Level
from p2p304.bots.play41.prior import Playout41, chance_to_win, ending_of, tricks_in
from p2p304.bots.play304.bidding import four_card_points, valuation
from p2p304.bots.play304.staged_cheat import MAKER, suits_of, toward_a_card_face_down
from p2p304.bots.players import (
    RandomPlayer,
    RandomPlayer304,
    player_for,
    random_player_for,
    search_player,
    steady_for,
)
from p2p304.bots.search.player import SearchPlayer
from p2p304.bots.search.worlds import OpenWorlds
from p2p304.cards import Card, Slot, Suit, parse_card
from p2p304.errors import ProfileError
from p2p304.game import AnyGame
from p2p304.games import GAMES, create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import DealPhase, Game41, Outcome41
from p2p304.rules41.rules import Variant, parse_rules
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import RARE_ACTIONS, Contract
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.profile import FOUR_SEATS, PAGAT, TOGGLES, CapsModel, Profile
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, Player, play_out
from p2p304.statements import AnyOf, IsCard, NoneOfSuit, PointsBelow, holds
from p2p304.view import View
from tests.long import examples, sample
from tests.rules.playouts_304 import cards, play_match, shuffled
from tests.rules.test_called_partner import after_five

# --- bots -----------------------------------------------------------------------------------------

# Players of 304: decisions from views alone, legal under every agreement, and good ones.

SEATS = 4

BRIEF = THUMB._replace(deals=2, nodes=200)
GAME = Game304(PAGAT)
ALL_SEATS = tuple(map(Seat, range(SEATS)))


def by_thumb(seed: int, profile: Profile = PAGAT) -> SearchPlayer:
    """A player by rules of thumb."""
    return search_player(Game304(profile), seed, BRIEF)


def decisions(
    seed: int, profile: Profile = PAGAT, *, competent: int = SEATS
) -> Iterator[tuple[OpenTable, Seat]]:
    """Every table of one hand, before the action of the seat that comes with it."""
    table = OpenTable(
        Game304(profile),
        shuffled(GAME, SeededRandomness(seed)),
        SeededRandomness(seed),
        dealer=Seat(seed % SEATS),
    )
    players: list[Any] = [by_thumb(seed, profile) for _ in range(competent)]
    players += [RandomPlayer304(seed + seat) for seat in range(SEATS - competent)]
    while table.state.awaiting:
        seat = table.state.awaiting[0]
        yield table, seat
        table.act(seat, players[seat].choose(table.view(seat)))


def agreements() -> list[tuple[str, tuple[str, ...]]]:
    """Each profile with nothing, with each house rule, and with all that it bears at once."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for name in FOUR_SEATS:
        found.append((name, ()))
        together: tuple[str, ...] = ()
        for toggle in TOGGLES:
            for wanted in ((toggle,), (*together, toggle)):
                try:
                    named_profile(name, wanted)
                except ProfileError:
                    continue
                if (name, wanted) not in found:
                    found.append((name, wanted))
                if wanted == (*together, toggle):
                    together = wanted
    return found


@pytest.mark.parametrize("name", FOUR_SEATS)
def test_players_never_fail_under_any_agreement(name: str) -> None:
    borne = [each for each in enumerate(agreements()) if each[1][0] == name]
    for number, (profile, toggles) in borne[:: max(1, 5 // examples(1))]:
        game = Game304(named_profile(profile, toggles))
        players: list[Player] = [
            by_thumb(number, game.profile),
            RandomPlayer304(number),
            by_thumb(number + 1, game.profile),
            RandomPlayer304(number + 1),
        ]
        match = play_match(game, players, SeededRandomness(number), most_hands=2)
        assert match.hands, toggles


def test_a_decision_depends_on_nothing_but_the_view_and_the_seed() -> None:
    checked = 0
    for seed in range(6):
        for table, seat in decisions(seed):
            view = table.view(seat)
            if table.state.phase is not Phase.TRICK:
                continue
            player = by_thumb(7)
            chosen = player.choose(view)
            for other in (player, by_thumb(7)):
                assert other.choose(View(seat, view.state, view.faces)) == chosen
            checked += 1
    assert checked > 100


def test_a_player_looks_at_no_face_that_its_view_does_not_hold() -> None:
    class Watched(dict[Any, Card]):
        def __missing__(self, slot: Any) -> Card:
            raise AssertionError(f"slot {slot} was not disclosed")

    for seed in range(8):
        for table, seat in decisions(seed, competent=2):
            view = table.view(seat)
            watched = View(seat, view.state, Watched(view.faces))
            action = by_thumb(seed).choose(watched)
            assert action in table.game.legal_actions(view) or isinstance(action, RARE_ACTIONS)


def layout_of(view: View[State], chance: SeededRandomness) -> dict[Slot, Card]:
    """A card for every slot whose card the view's seat has not seen."""
    state, worlds = view.state, OpenWorlds(GAME, view)
    slots = [slot for hand in state.hands for slot in hand]
    slots += [play.slot for trick in state.tricks for play in trick.plays]
    slots += [play.slot for play in state.plays]
    slots += [] if state.indicator is None else [state.indicator]
    hidden = [slot for slot in slots if slot not in view.faces]
    for slot in hidden:
        worlds.learn(slot)
    world = worlds.draw(chance)
    return {slot: world[slot] for slot in hidden}


def test_every_layout_fits_what_has_been_stated() -> None:
    drawn = 0
    for seed in range(12):
        for table, seat in decisions(seed, competent=0):
            state: State = table.state
            if state.phase not in (Phase.TRICK, Phase.WINDOW, Phase.DECLARE):
                continue
            view = table.view(seat)
            layout = layout_of(view, SeededRandomness(seed))
            assert not set(layout.values()) & set(view.faces.values())
            assert len(set(layout.values())) == len(layout)
            faces = {**view.faces, **layout}
            for fact in state.facts:
                assert not isinstance(fact, IsCard | PointsBelow)
                assert holds(fact, faces), fact
            drawn += 1
    assert drawn > 200


def test_layouts_respect_facts_with_alternatives() -> None:
    """Such as a maker states that leads another suit after one that nobody followed (S7)."""
    checked = 0
    for seed in range(30):
        for table, seat in decisions(seed, competent=0):
            state: State = table.state
            if state.phase is not Phase.TRICK or state.trump is not None or seat == state.maker:
                continue
            assert state.maker is not None
            assert state.trump_slot is not None
            hand, laid = state.hands[state.maker], (state.trump_slot,)
            doubt = AnyOf((NoneOfSuit(hand, Suit.CLUBS), NoneOfSuit(laid, Suit.CLUBS)))
            true = {slot: table.face(slot) for slot in (*hand, *laid)}
            if not holds(doubt, true):
                continue
            view, chance = table.view(seat), SeededRandomness(seed)
            doubtful = View(seat, state, view.faces, (*view.proved, doubt))
            for _ in range(5):
                assert holds(doubt, {**view.faces, **layout_of(doubtful, chance)})
                checked += 1
    assert checked > 100


def test_reasons_are_sentences_about_known_cards() -> None:
    seen = set()
    for seed in range(4):
        for table, seat in decisions(seed):
            view = table.view(seat)
            advice = by_thumb(seed).advice(view)
            reason = advice.reason
            assert reason[0].isupper() or reason[0].isdigit()
            assert reason.endswith(".")
            assert "\n" not in reason
            named = {parse_card(each) for each in re.findall(r"\b[2-9TJQKA][SHDC]\b", reason)}
            assert named <= set(view.faces.values())
            if isinstance(advice.action, act.PlayCard | act.PlayDown) and named:
                assert view.faces[advice.action.slot] in named
            seen.add(type(advice.action))
    assert len(seen) > 6


def test_nobody_decides_for_a_seat_that_is_not_awaited() -> None:
    table = OpenTable(GAME, shuffled(GAME, SeededRandomness(1)), SeededRandomness(1))
    waiting = next(seat for seat in ALL_SEATS if seat not in table.state.awaiting)
    for player in (by_thumb(1), RandomPlayer304(1)):
        with pytest.raises(ValueError, match="no legal action"):
            player.choose(table.view(waiting))


# --- bots judgement -------------------------------------------------------------------------------

# What a competent player of 304 thinks of cards: bids, indicators, claims.

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
QUICK = THUMB._replace(deals=8, nodes=500)
CARELESS = THUMB._replace(deals=4, nodes=0)


def dealt(*hands: str, profile: str = "pagat", **overrides: object) -> OpenTable:
    """South deals; `hands` are East's, North's, West's and South's, the first batch first.

    What is missing is filled up from the rest of the pack. The pack is not cut.
    `overrides` are parameters of the profile.
    """
    given = [*map(cards, hands)] + [[] for _ in range(4 - len(hands))]
    rest = [card for card in PACK if not any(card in hand for hand in given)]
    SeededRandomness(1).shuffle(rest)
    for hand in given:
        while len(hand) < 8:
            hand.append(rest.pop())
    deck = [card for batch in (0, 4) for hand in given for card in hand[batch : batch + 4]]
    game = Game304(named_profile(profile, (), overrides))
    table = OpenTable(game, deck, SeededRandomness(1), dealer=SOUTH)
    if table.state.phase is Phase.CUT:
        table.act(WEST, act.Cut(0))
    return table


def choice(table: OpenTable, seat: Seat, level: Level = QUICK) -> Any:
    return search_player(table.game, 1, level).choose(table.view(seat))


def until(table: OpenTable, phase: Phase, *silent: Seat) -> State:
    """Let competent players act until `phase`; the silent seats claim nothing."""
    while table.state.phase is not phase:
        seat = table.state.awaiting[0]
        table.act(seat, choice(table, seat, CARELESS if seat in silent else QUICK))
    state: State = table.state
    return state


# ---------------------------------------------------------------------------- bidding


def test_better_cards_promise_more_points() -> None:
    hands = ["7S 8S KH QD", "JS 8S KH QD", "JS 9S KH QD", "JS 9S AS QD", "JS 9S AS JD"]
    values = [valuation(cards(hand)).points for hand in hands]
    assert values == sorted(set(values))
    assert valuation(cards("JS 9S KH QD")).trump is Suit.SPADES
    assert four_card_points(cards("JS 9S KH QD"), Suit.SPADES) > 180


def test_a_strong_hand_bids_and_a_weak_one_does_not() -> None:
    assert isinstance(choice(dealt("JS 9S AS JH"), EAST), act.PlaceBid)
    weak = dealt("7S 9H AD QC")
    assert choice(weak, EAST) == act.AskPartner()
    weak.act(EAST, act.AskPartner())
    assert isinstance(choice(weak, WEST), act.PlaceBid | act.Pass)


def test_cards_below_fifteen_points_are_thrown_in() -> None:
    action = choice(dealt("7S 8H KD QC"), EAST)
    assert isinstance(action, act.DemandRedeal)


def test_a_forced_opening_is_the_lowest_bid_or_the_partners() -> None:
    table = dealt("7S TH KD AC", "8S", "7H KH QH TS", profile="championship")
    assert choice(table, EAST) == act.AskPartner()
    table.act(EAST, act.AskPartner())
    assert choice(table, WEST) == act.PlaceBid(160)


def test_the_partners_bid_is_left_alone_without_a_great_hand() -> None:
    table = dealt("7S AH KD QC", "8S 8H 7C 7D", "JH 9D AC 8C")
    table.act(EAST, act.PlaceBid(160))
    table.act(NORTH, act.Pass())
    assert choice(table, WEST) == act.Pass()


def test_the_indicator_is_of_the_best_suit_and_spares_the_jack() -> None:
    table = dealt("JS 9S AS QD")
    table.act(EAST, act.PlaceBid(160))
    for seat in (NORTH, WEST, SOUTH):
        table.act(seat, act.Pass())
    action = choice(table, EAST)
    assert isinstance(action, act.LayIndicator)
    face = table.face(action.slot)
    assert face.suit is Suit.SPADES
    assert face != parse_card("JS")


def test_partner_close_caps_need_all_but_certainty() -> None:
    certain = dealt("JS 9S AS TS KS JH 9H JD")
    likely = dealt("JS 9S AS QS 9H AH AD KD")
    for table, wanted in ((certain, True), (likely, False)):
        table.act(EAST, act.PlaceBid(160))
        for seat in (NORTH, WEST, SOUTH):
            table.act(seat, act.Pass())
        table.act(EAST, choice(table, EAST))
        action = choice(table, EAST)
        assert (action == act.PlaceBid(Contract.PARTNER_CLOSE_CAPS)) == wanted


# ---------------------------------------------------------------------------- claims

SEVEN_TRUMPS = "JS 9S AS TS KS QS 8S JH"
WHOLE_SUIT = "JS 9S AS TS KS QS 8S 7S"


def test_certain_caps_are_called_in_a_sure_order() -> None:
    table = dealt(SEVEN_TRUMPS, "7S", pcc=False)
    state = until(table, Phase.DECLARE)
    assert state.maker == EAST
    state = until(table, Phase.CAPS_RESPONSE)
    assert state.caps.seat == EAST
    assert len(state.caps.order) == 8


def test_caps_that_are_certain_from_here_are_conceded_and_others_contested() -> None:
    table = dealt(SEVEN_TRUMPS, "7S", pcc=False)
    until(table, Phase.CAPS_RESPONSE)
    assert choice(table, NORTH) == act.AcceptCaps()
    assert choice(table, NORTH, CARELESS) == act.ContestCaps()
    bold = dealt("JS 7S 8H KD 8D 8C 7C QC", "9S AS")
    until(bold, Phase.WINDOW)
    seat = bold.state.awaiting[0]
    bold.act(seat, next(a for a in bold.game.legal_actions(bold.view(seat)) if _is_caps(a)))
    while bold.state.phase is Phase.WINDOW:
        bold.act(bold.state.awaiting[0], act.Ready())
    assert choice(bold, bold.state.awaiting[0]) == act.ContestCaps()


def test_a_maker_whose_indicator_is_hidden_answers_caps_of_the_other_side() -> None:
    table = dealt("JS 7S 8H KD 8D 8C 7C QC", profile="wikipedia")
    until(table, Phase.AUCTION8)
    table.act(table.state.awaiting[0], act.PlaceBid(250))
    until(table, Phase.DECLARE)
    table.act(table.state.awaiting[0], act.KeepClosed())
    state = until(table, Phase.WINDOW, EAST, NORTH, WEST, SOUTH)
    assert state.maker is not None
    assert state.trump_slot is not None
    assert state.trump_slot >= len(PACK), "the hand was sorted before the indicator was laid"
    caller = next(seat for seat in state.opponents(state.maker) if seat in state.awaiting)
    table.act(caller, next(a for a in table.game.legal_actions(table.view(caller)) if _is_caps(a)))
    while table.state.phase is Phase.WINDOW:
        table.act(table.state.awaiting[0], act.Ready())
    while state.maker not in table.state.awaiting:
        table.act(table.state.awaiting[0], act.ContestCaps())
    assert choice(table, state.maker) == act.ContestCaps()


def _is_caps(action: object) -> bool:
    return isinstance(action, act.CallCaps)


def test_caps_are_not_called_where_nothing_is_certain() -> None:
    table = dealt("JS 7S 8H KD 8D 8C 7C QC")
    until(table, Phase.WINDOW)
    for seat in table.state.awaiting:
        assert choice(table, seat) == act.Ready()


def spoilt_table(*, opened: bool) -> OpenTable:
    """East has all spades; South, West and North do not know that before a spade is led."""
    table = dealt(WHOLE_SUIT)
    until(table, Phase.DECLARE)
    slot = table.state.trump_slot
    table.act(EAST, act.OpenTrump(table.face(slot)) if opened else act.KeepClosed())
    return table


def test_defenders_call_spoilt_trumps_as_soon_as_they_know() -> None:
    table = spoilt_table(opened=True)
    for seat in (NORTH, SOUTH):
        assert choice(table, seat, CARELESS) == act.Ready(), "the other defender may hold trumps"
    state = until(table, Phase.TRICK, EAST, WEST, NORTH, SOUTH)
    assert state.awaiting == (EAST,)
    spade = next(slot for slot in state.hands[EAST] if table.face(slot) not in state.faces.values())
    table.act(EAST, act.PlayCard(spade, table.face(spade)))
    until(table, Phase.WINDOW, EAST, WEST, NORTH, SOUTH)
    for seat in (NORTH, SOUTH):
        assert choice(table, seat, CARELESS) == act.CallSpoilt()
    for seat in (EAST, WEST):
        assert choice(table, seat, CARELESS) == act.Ready(), "the maker's team is winning"


def test_nobody_calls_spoilt_trumps_on_a_guess() -> None:
    table = spoilt_table(opened=False)
    for seat in table.state.awaiting:
        assert choice(table, seat, CARELESS) != act.CallSpoilt()


# --- bots called ----------------------------------------------------------------------------------

# The player for called partners: it plays to the end, bids what it makes, and keeps its secret.

CALLED = create_game("304", "maharashtra")


def test_it_names_the_best_card_that_it_lacks() -> None:
    table = OpenTable(CALLED, shuffled(CALLED, SeededRandomness(2)), SeededRandomness(2))
    player = steady_for(CALLED, 1)
    named = None
    while named is None:
        seat = table.state.awaiting[0]
        action = player.choose(table.view(seat))
        named = action.card if isinstance(action, act.NameCard) else None
        table.act(seat, action)
    assert named not in {table.face(slot) for slot in table.state.dealt[table.state.maker]}


def test_the_player_of_tamil_nadu_calls_double_when_nothing_beats_its_cards() -> None:
    found = after_five()
    assert steady_for(found.table.game, 1).choose(found.table.view(Seat(0))) == act.CallDouble()
    advice = steady_for(found.table.game, 1).advice(found.table.view(Seat(0)))
    assert advice.reason == "No card that is left beats any of yours."
    assert steady_for(found.table.game, 1).choose(found.table.view(Seat(2))) == act.Ready()


# --- bots staged cheat ----------------------------------------------------------------------------

# Seats that play so that one of them comes to lay a card face down, where lies are looked for.

CHEAT = Seat(1)
SEEDS = range(12)


def played(seed: int) -> list[tuple[Seat, Any, bool]]:
    """What each seat did in a hand, and whether it was its own choice."""
    game, chance = create_game("304", "pagat"), SeededRandomness(seed)
    table = OpenTable(game, shuffled(game, chance), chance)
    others = [random_player_for(game, seed * 10 + seat) for seat in range(4)]
    done: list[tuple[Seat, Any, bool]] = []
    while awaited := game.contributors(table.state):
        seat = awaited[0]
        view = table.view(seat)
        legal = game.legal_actions(view)
        mine = toward_a_card_face_down(view, legal, table.view(CHEAT), table.view(MAKER))
        assert mine is None or mine in legal
        done.append((seat, mine or others[seat].choose(view), mine is not None))
        table.act(seat, done[-1][1])
    return done


def test_the_maker_outbids_all_keeps_trump_hidden_and_the_cheat_lays_a_card_down() -> None:
    hands = [played(seed) for seed in SEEDS]
    chosen = [[(seat, did) for seat, did, own in hand if own] for hand in hands]
    laid = [hand for hand in chosen if any(isinstance(did, act.PlayDown) for _, did in hand)]
    assert len(laid) >= len(SEEDS) // 2
    for hand in laid:
        assert {seat for seat, did in hand if isinstance(did, act.PlaceBid)} == {MAKER}
        assert any(isinstance(did, act.KeepClosed) for _, did in hand)
        assert any(isinstance(did, act.Pass) for _, did in hand)


def test_where_a_hand_has_not_begun_for_one_of_them_nothing_is_chosen() -> None:
    game = create_game("304", "pagat")
    table = OpenTable(game, game.pack, SeededRandomness(1))
    seat = game.contributors(table.state)[0]
    view = table.view(seat)
    legal = game.legal_actions(view)
    assert toward_a_card_face_down(view, legal, None, view) is None
    assert toward_a_card_face_down(view, legal, view, None) is None
    assert suits_of(table.view(None)) == frozenset()


# --- bots of all games ----------------------------------------------------------------------------

# Every game has a player that beats chance, and whose matches end.

LONGEST = 150  #: Hands in which every match has ended.

TABLES = [(name, profile) for name in GAMES for profile in GAMES[name].profiles or ("",)]
#: Of each sort of game one; bots end matches of all of them among others who draw their choices.
KEPT = [
    *(("41", ""), ("400", "")),
    *(("304", name) for name in ("championship", "six24", "maharashtra", "doso_viso")),
]


def bot(game: AnyGame, seed: int) -> Player:
    """The best bot of a game; where it imagines deals, few of them."""
    return steady_for(game, seed)


def agreed(name: str, profile: str) -> AnyGame:
    """A game under a profile; a short match of 304, without caps where they are long to judge."""
    game = create_game(name, profile)
    if not isinstance(game, Game304) or game.profile.partner_called:
        return game
    judged = game.profile.caps_model is CapsModel.EPISTEMIC
    return create_game(name, f"{profile}; tokens_start = 3{'; caps_model = off' * judged}")


def against_chance(game: AnyGame, seed: int) -> bool:
    """Whether bots in every other seat win a match against players who draw their choices."""
    chance = SeededRandomness(seed)
    good = [(seat + seed) % 2 == 0 for seat in range(game.seats)]
    players = [
        bot(game, chance.word()) if each else random_player_for(game, chance.word())
        for each in good
    ]
    played = play_match(game, players, chance, most_hands=LONGEST, checks=False)
    winner = played.match.winner
    assert winner is not None, f"seed {seed}: nobody has won after {LONGEST} hands"
    (sides, *_) = game.sides(game.start(Seat(0)).state)
    return good[sides[winner][0] if len(sides) > winner else winner]


def test_bots_beat_players_who_draw_their_choices_in_every_game() -> None:
    won = {table: against_chance(agreed(*table), seed) for seed, table in enumerate(TABLES)}
    assert sum(won.values()) >= 0.75 * len(TABLES), won


@pytest.mark.long
@pytest.mark.parametrize(("name", "profile"), TABLES)
def test_bots_win_most_matches_against_chance(name: str, profile: str) -> None:
    game = agreed(name, profile)
    won = sum(against_chance(game, seed) for seed in range(16))
    assert won >= 11, f"bots won {won} of 16 matches"


@pytest.mark.parametrize("table", sample(TABLES, KEPT), ids="-".join)
def test_a_match_among_bots_alone_ends(table: tuple[str, str]) -> None:
    game, chance = agreed(*table), SeededRandomness(4)
    players = [bot(game, chance.word()) for _ in range(game.seats)]
    played = play_match(game, players, chance, most_hands=LONGEST, checks=False)
    assert played.match.winner is not None


# --- bots 41 --------------------------------------------------------------------------------------

# The bot of 41 and 400: it bids what it can take, so that scores rise and matches end.

GAMES_41 = {each.value: Game41(parse_rules(each, "")) for each in Variant}
#: Deals that no match of these seeds needs; those of random bids need all and do not end.
LONGEST_41 = 60


@pytest.mark.parametrize("name", GAMES_41)
def test_scores_rise_and_matches_end_within_200_deals(name: str) -> None:
    game = GAMES_41[name]
    players = [steady_for(game, 1) for _ in range(4)]
    deals: list[Outcome41] = []
    seed = 0
    while len(deals) < 200:
        seed += 1
        match = play_match(
            game, players, SeededRandomness(seed), most_hands=LONGEST_41, checks=seed == 1
        )
        assert match.match.winner is not None, seed
        assert sum(match.match.scores) > 0, seed
        deals += [game.settle(hand.state) for hand in match.hands]
    played = [each for each in deals if each.played]
    kept = sum(
        took >= bid
        for each in played
        for bid, took in zip(each.bids, each.tricks_taken, strict=True)
    )
    assert len(played) > 0.8 * len(deals)
    assert kept > 0.65 * 4 * len(played)
    for seat in range(4):
        assert sum(each.scores[seat] for each in played) > 0


def _hand(text: str) -> float:
    return tricks_in(cards(text))


def test_high_cards_long_trumps_and_short_suits_are_worth_tricks() -> None:
    poor = _hand("2S 3S 4S 5S 2D 3D 4D 2C 3C 4C 5C 2H 3H")
    assert poor < 1
    assert _hand("AS 3S 4S 5S 2D 3D 4D 2C 3C 4C 5C 2H 3H") > poor + 0.8
    assert _hand("AH KH QH JH 9H 8H 7H 6H 5H AS KS AD AC") > 9
    assert _hand("2S 3S 4S 5S 6S 7S 2D 3D 4D 5D 6D 2H 3H") > poor + 0.4


@pytest.mark.parametrize("name", GAMES_41)
def test_a_fast_playout_ends_as_the_rules_end_it_with_players_who_count(name: str) -> None:
    """From every bid and every card of a deal: the same choices, so the same tricks and scores."""
    game, compared = GAMES_41[name], 0
    playout = Playout41(game)
    for seed in range(4):
        chance = SeededRandomness(seed)
        table = OpenTable(game, shuffled(game, chance), chance, dealer=Seat(seed), checks=False)
        wild = RandomPlayer(game, seed)
        counting = [steady_for(game, 1)] * 4
        while awaited := game.contributors(table.state):
            view = table.view(awaited[0])
            found = playout(view, table.state, table.open_view().faces)
            if table.state.phase in (DealPhase.CUTTING, DealPhase.SORTING):
                assert found is None
            else:
                other = table.fork(SeededRandomness(0))
                play_out(other, counting)
                outcome = game.settle(other.state)
                assert found == ending_of(game.rules, view, outcome)
                compared += 1
            bids = table.state.phase is DealPhase.BIDDING and seed
            table.act(awaited[0], (counting[0] if bids else wild).choose(view))
    assert compared > 120


def test_a_deal_is_worth_more_to_who_comes_nearer_to_the_target_with_a_partner_above_zero() -> None:
    rules = parse_rules(Variant.SYRIAN, "")
    assert chance_to_win(rules, (0, 0, 0, 0)) == pytest.approx(0.5)
    assert chance_to_win(rules, (41, 0, 1, 0)) == 1
    assert chance_to_win(rules, (12, 41, 12, 5)) == 0
    assert chance_to_win(rules, (38, 20, 5, 20)) > chance_to_win(rules, (38, 20, -5, 20)) > 0.5
    assert chance_to_win(rules, (30, 10, 10, 10)) > chance_to_win(rules, (20, 10, 10, 10)) > 0.5
    both = chance_to_win(rules, (20, 7, 11, 3)) + chance_to_win(rules, (7, 20, 3, 11))
    assert both == pytest.approx(1)


def test_a_bid_looks_at_the_score_of_the_match() -> None:
    """Who wins the match with the next bid has the deal played; who will hardly win it lets the
    bids fall short of the floor, so that the cards are dealt again."""
    game = GAMES_41["41"]
    sums = []
    for scores in ((0, 10, 43, 10), (6, 39, 2, 30)):
        bids = 0
        for seed in (10, 15, 16):
            deck = shuffled(game, SeededRandomness(seed))
            table = OpenTable(game, deck, SeededRandomness(3), dealer=Seat(3), scores=scores)
            while table.state.phase is not DealPhase.BIDDING:
                seat = table.state.awaiting[0]
                table.act(seat, game.legal_actions(table.view(seat))[0])
            bids += player_for(game, 1, "beginner").choose(table.view(Seat(0))).tricks
        sums.append(bids)
    assert sums[0] > sums[1]
