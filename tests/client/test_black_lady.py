"""A game in which cards change hands, in one folder: simulated, played, told, watched, audited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cli.commands.replay import command as replay
from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import PlaySettings
from p2p304.bots.players import RandomPlayer
from p2p304.disclosures import HandedOver, Remixed
from p2p304.games import register
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import FalseStatement, OpenTable, play_hand
from p2p304.statements import IsCard, NotCard
from tests.campaigns.hands.run_hands import audit_all
from tests.client.black_lady import ENTRY, NAME
from tests.client.black_lady.rules import (
    EVERYBODY,
    FIRST,
    PACK,
    BlackLady,
    Deny,
    Give,
    Mix,
    Play,
    right_of,
)
from tests.client.test_ui_app import SHOWN, play_a_hand
from tests.table.bus import Table
from tests.table.test_same_cards import check_hand

GAME = BlackLady()


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with register(NAME, ENTRY):
        yield


def table(seed: int) -> OpenTable:
    deck = list(PACK)
    chance = SeededRandomness(seed)
    chance.shuffle(deck)
    return OpenTable(GAME, deck, chance, dealer=Seat(seed % GAME.seats))


def given_and_mixed(seed: int, given: int = 0) -> OpenTable:
    """A table at which everybody gave its card number `given` and mixed its hand."""
    found = table(seed)
    for seat in EVERYBODY:
        found.act(seat, Give(found.state.hands[seat][given]))
    for seat in EVERYBODY:
        found.act(seat, Mix())
    return found


def test_a_thousand_hands_hold_with_open_cards() -> None:
    players = [RandomPlayer(GAME, 7 + seat) for seat in EVERYBODY]
    for seed in range(1000):
        deck = list(PACK)
        SeededRandomness(seed).shuffle(deck)

        def same(_: OpenTable, __: Seat, action: Any) -> None:
            assert GAME.parse_action(GAME.format_action(action)) == action

        played = play_hand(GAME, Seat(seed % 3), players, deck, SeededRandomness(seed), watch=same)
        assert sum(played.outcome.scores) == 7, seed


def test_a_card_that_was_given_is_known_to_two_until_it_is_mixed_and_then_to_one() -> None:
    found = table(3)
    gifts = [found.state.hands[seat][0] for seat in EVERYBODY]
    for seat, slot in zip(EVERYBODY, gifts, strict=True):
        found.act(seat, Give(slot))
    moves = [each for each in found.disclosures if isinstance(each, HandedOver)]
    assert [(each.slot, each.owner, each.reader, each.moves) for each in moves] == [
        (slot, seat, right_of(seat), True) for seat, slot in zip(EVERYBODY, gifts, strict=True)
    ]
    for seat, slot in zip(EVERYBODY, gifts, strict=True):
        assert slot in found.state.hands[right_of(seat)]
        assert slot not in found.state.hands[seat]
        assert [slot in found.view(each).faces for each in EVERYBODY] == [
            each in (seat, right_of(seat)) for each in EVERYBODY
        ]
    for seat in EVERYBODY:
        found.act(seat, Mix())
    assert sum(isinstance(each, Remixed) for each in found.disclosures) == 3
    for seat in EVERYBODY:
        own = found.state.hands[seat]
        assert [[slot in found.view(each).faces for slot in own] for each in EVERYBODY] == [
            [each == seat] * 4 for each in EVERYBODY
        ]


def test_who_has_the_first_card_leads_it_and_nobody_else() -> None:
    found = given_and_mixed(5)
    cards = {
        seat: {found.face(slot): slot for slot in found.state.hands[seat]} for seat in EVERYBODY
    }
    (holder,) = (seat for seat in EVERYBODY if FIRST in cards[seat])
    with pytest.raises(FalseStatement) as caught:
        found.act(holder, Deny())
    assert caught.value.statement == NotCard(found.state.hands[holder], FIRST)
    other = right_of(holder)
    slot = found.state.hands[other][0]
    with pytest.raises(FalseStatement) as caught:
        found.act(other, Play(slot, FIRST))
    assert caught.value.statement == IsCard(slot, FIRST)


def test_real_sessions_play_it_and_anybody_audits_it() -> None:
    bus = Table(GAME, seed=1)
    check_hand(bus)
    audit_all(bus)


async def test_it_is_played_on_the_full_screen_and_its_file_tells_the_hand(tmp_path: Path) -> None:
    seat = ClientSeat(PlaySettings(hints=True), SHOWN)
    await play_a_hand(tmp_path, seat, name=NAME)
    (file,) = tmp_path.glob("0/**/*.p304")
    done = CliRunner().invoke(replay, [str(file), "--plain"], catch_exceptions=False)
    told = done.output
    assert told.count(" gives ") == 3
    assert told.count(" leads ") == 4
    assert "Trick 4: " in told
