"""Players of 304: decisions from views alone, legal under every agreement, and good ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from p2p304.bots.levels import THUMB
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.players import search_player
from p2p304.bots.search.player import SearchPlayer
from p2p304.bots.search.worlds import OpenWorlds
from p2p304.cards import Card, Slot, Suit, parse_card
from p2p304.errors import ProfileError
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import RARE_ACTIONS, PlayCard, PlayDown
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import FOUR_SEATS, PAGAT
from p2p304.rules304.state import Phase, State
from p2p304.rules304.toggles import TOGGLES
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, Player
from p2p304.statements import AnyOf, IsCard, NoneOfSuit, PointsBelow, holds
from p2p304.view import View
from tests.long import examples
from tests.rules.open_matches import play_match

SEATS = 4

BRIEF = THUMB._replace(deals=2, nodes=200)
GAME = Game304(PAGAT)
ALL_SEATS = tuple(map(Seat, range(SEATS)))


def by_thumb(seed: int, profile: Profile = PAGAT) -> SearchPlayer:
    """A player by rules of thumb."""
    return search_player(Game304(profile), seed, BRIEF)


def shuffled(seed: int) -> list[Card]:
    deck = list(GAME.pack)
    SeededRandomness(seed).shuffle(deck)
    return deck


def decisions(
    seed: int, profile: Profile = PAGAT, *, competent: int = SEATS
) -> Iterator[tuple[OpenTable, Seat]]:
    """Every table of one hand, before the action of the seat that comes with it."""
    table = OpenTable(
        Game304(profile), shuffled(seed), SeededRandomness(seed), dealer=Seat(seed % SEATS)
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
            if isinstance(advice.action, PlayCard | PlayDown) and named:
                assert view.faces[advice.action.slot] in named
            seen.add(type(advice.action))
    assert len(seen) > 6


def test_nobody_decides_for_a_seat_that_is_not_awaited() -> None:
    table = OpenTable(GAME, shuffled(1), SeededRandomness(1))
    waiting = next(seat for seat in ALL_SEATS if seat not in table.state.awaiting)
    for player in (by_thumb(1), RandomPlayer304(1)):
        with pytest.raises(ValueError, match="no legal action"):
            player.choose(table.view(waiting))
