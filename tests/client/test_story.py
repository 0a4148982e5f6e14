"""A hand as a story: what is told is what happened, and no more than the teller may know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from cli.front.story import HandStory as Telling
from cli.front.story import StopNotice
from cli.front.writing import Writer, card_text
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.game import Step
from p2p304.games import telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.count import points_of_teams
from p2p304.rules304.hand import Game304
from p2p304.rules304.notation import parse_hand
from p2p304.rules304.pack import PACK
from p2p304.rules304.profile import Profile
from p2p304.rules304.retelling import Retelling
from p2p304.rules304.state import End, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_out
from protocol.table.events import ActionTaken, HandStarted, HandUnfinished, Waiting

CARD = re.compile(r"(?<!\w)(?:10|[7-9JQKA])[SHDC](?!\w)")
PROFILES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")
HANDS = [(profile, seed) for profile in PROFILES for seed in range(12)]


class Told(NamedTuple):
    """One line of the story, and the table right after the action that it tells."""

    line: str
    table: OpenTable


def story(profile: str, seed: int, *, open_cards: bool) -> Iterator[Told]:
    """A random hand, told line by line by one who sees all cards, or as a spectator."""
    game, chance = Game304(profile_named(profile)), SeededRandomness(seed)
    players = [RandomPlayer304(seed + seat) for seat in range(4)]
    deck = list(game.pack)
    chance.shuffle(deck)
    table = OpenTable(game, deck, chance)
    telling, writer = telling_of(game), Writer(4, ascii_only=True)
    while awaited := game.contributors(table.state):
        before: State = table.state
        action = players[awaited[0]].choose(table.view(awaited[0]))
        table.act(awaited[0], action)
        faces = table.open_view().faces if open_cards else table.view(None).faces
        for line in telling.retold(before, awaited[0], action, table.state, faces):
            yield Told(writer.sentence(line), table)


@pytest.mark.parametrize(("profile", "seed"), HANDS)
def test_with_open_cards_every_trick_is_told_and_the_points_add_up(profile: str, seed: int) -> None:
    told = list(story(profile, seed, open_cards=True))
    state: State = told[-1].table.state
    tricks = [each.line for each in told if each.line.startswith("Trick ")]
    assert [line.split(":")[0] for line in tricks] == [
        f"Trick {number}" for number in range(1, len(state.tricks) + 1)
    ]
    assert not any("??" in each.line for each in told)
    worth = sum(int(line.rsplit(" ", 2)[1]) for line in tricks)
    assert worth == sum(points_of_teams(state)) or state.end is not End.PLAYED
    if state.end is End.PLAYED and len(state.tricks) == 8 and isinstance(state.contract, int):
        assert worth == 304
        cards = [card for line in tricks for card in CARD.findall(line.split(".")[0])]
        assert sorted(cards) == sorted(card_text(card, ascii_only=True) for card in PACK)


@pytest.mark.parametrize(("profile", "seed"), HANDS)
def test_a_spectator_is_told_no_card_that_is_not_public(profile: str, seed: int) -> None:
    for told in story(profile, seed, open_cards=False):
        public = {card_text(card, ascii_only=True) for card in told.table.view(None).faces.values()}
        assert set(CARD.findall(told.line)) <= public, told.line


def test_these_hands_have_face_down_cards_cuts_and_hidden_cards() -> None:
    lines = [
        told.line for profile, seed in HANDS for told in story(profile, seed, open_cards=False)
    ]
    told = "\n".join(lines)
    for part in ("[??]", " cuts, ", "keeps trump closed", "opens trump: "):
        assert part in told, part


@pytest.mark.parametrize(("bid", "dealt"), [("Ehalf E*9C", False), ("E160 N- W- S- E*9C", True)])
def test_the_second_batch_is_told_of_where_it_is_dealt(bid: str, dealt: bool) -> None:
    record = parse_hand(
        "304 pagat; +half_court\n"
        "deal S JC9CAHTD.KC8CQS7D JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S\n"
        f"cut 0\n{bid}\n"
    )
    tale = Retelling.of_record(record)
    game = Game304(record.profile)
    state = game.start(record.dealer).state
    told: list[str] = []
    for seat, action in tale.state.log:
        after = game.apply(state, seat, action).state
        lines = telling_of(game).retold(state, seat, action, after, tale.faces)
        told += map(Writer(4).sentence, lines)
        state = after
    assert ("Everybody gets the second four cards." in told) is dealt


class CountingGame(Game304):
    """304 that keeps what was applied."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(profile)
        self.applied: list[Action] = []

    def apply(self, state: State, seat: Seat, action: Action) -> Step[State]:
        self.applied.append(action)
        return super().apply(state, seat, action)


def test_a_hand_that_is_told_at_its_end_is_played_once_and_shows_what_was_opened() -> None:
    game = CountingGame(profile_named("pagat"))
    deck, chance = list(game.pack), SeededRandomness(4)
    chance.shuffle(deck)
    table = OpenTable(game, deck, chance)
    played = play_out(table, [RandomPlayer304(4 + seat) for seat in range(4)])
    game.applied.clear()
    teller = Telling(game, Writer(4, ascii_only=True))
    assert [*teller.hear(HandStarted(0, Seat(0)))] == ["Hand 1, dealt by South"]
    for seat, action in played:
        assert [*teller.hear(ActionTaken(seat, action))] == []
    assert game.applied == [action for _, action in played]
    told = "\n".join(teller.hear(HandUnfinished(0, ())))
    known = {card_text(card, ascii_only=True) for card in table.view(None).faces.values()}
    assert len(known) == 32
    assert set(CARD.findall(told)) == known


def test_a_friend_is_told_once_that_somebody_may_have_stopped_after_a_hand() -> None:
    notice = StopNotice()
    waiting = Waiting((Seat(1),), 0.0)
    first_hand = (HandStarted(0, Seat(0)), waiting)
    assert [notice.hear(each, {}) for each in first_hand] == ["", ""]
    assert notice.hear(HandStarted(1, Seat(3)), {}) == ""
    assert notice.hear(ActionTaken(Seat(2), None), {}) == ""
    assert notice.hear(Waiting((), 0.0), {}) == notice.hear(Waiting((Seat(2),), 0.0), {}) == ""
    assert "'p2p304 resume' goes on" in notice.hear(waiting, {})
    assert notice.hear(waiting, {}) == ""
    for event in (HandStarted(2, Seat(2)), ActionTaken(Seat(1), None), waiting):
        assert notice.hear(event, {}) == ""  # who waits over a move has not stopped
