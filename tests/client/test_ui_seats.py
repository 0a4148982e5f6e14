"""The full screen has room for 2 to 8 seats: nothing overlaps, and nothing is cut off."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cli.front.writing import Writer
from cli.screen.desk import Desk
from cli.screen.model import Table
from cli.screen.render import render
from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import Who, say
from p2p304.telling import Beside, Count, HeldCard, Lying, Scene, ScenePlace
from p2p304.view import View
from tests.client.highest_card.rules import Highest, State
from tests.client.highest_card.telling import TellingHighest

PACK = [Card(suit, rank) for rank in Rank for suit in Suit]
SIZES = [(80, 24), (100, 30), (140, 45)]
BACKS = 8
seats_and_sizes = pytest.mark.parametrize(
    ("seats", "columns", "rows"),
    [(seats, *size) for seats in range(2, 9) for size in SIZES],
)


class SoMany(Highest):
    """As many seats as a scene needs; nothing is played."""

    def __init__(self, seats: int) -> None:
        self.seats = seats

    def contributors(self, state: State) -> tuple[Seat, ...]:
        return (Seat(1),)


class Drawn(TellingHighest):
    """Tells one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def scene(self, view: View[State], scores: tuple[int, ...]) -> Scene:
        return self._scene


def scene_of(seats: int) -> Scene:
    """A trick that is complete, and everything that a seat can have beside it."""
    every = [Seat(seat) for seat in range(seats)]
    return Scene(
        contract=(say("170 by ", Who(Seat(1))),),
        counts=(Count("Score", tuple((say(Who(seat)), "12") for seat in every)),),
        places=tuple(
            ScenePlace(
                (None,) * BACKS,
                ("dealer", "bid 4 took 2") if seat % 2 else ("maker",),
                ("pass", f"1{seat}0"),
                beside=Beside("indicator", None) if seat else None,
            )
            for seat in every
        ),
        hand=tuple(HeldCard(Slot(place), PACK[-place - 1], "10") for place in range(8)),
        lying=tuple(
            Lying(seat, Slot(40 + seat), PACK[seat], down=False, note="led", wins=seat == 1)
            for seat in every
        ),
    )


def table_of(scene: Scene) -> Table:
    """South's table with this scene."""
    seats = len(scene.places)
    return Table(
        game=SoMany(seats),
        telling=Drawn(scene),
        writer=Writer(seats),
        names=tuple(f"Longish{seat}" for seat in range(seats)),
        seat=Seat(0),
        number=0,
        state=State(Seat(0), Seat(1), ((),) * seats),
        scores=(0,) * seats,
    )


@seats_and_sizes
def test_every_seat_its_backs_and_its_card_stand_on_the_frame(
    seats: int, columns: int, rows: int
) -> None:
    scene = scene_of(seats)
    table = table_of(scene)
    text = "\n".join(render(table, Desk(), columns, rows).text())
    for seat in range(seats):
        called, letters = table.writer.seat(seat), seat_letters(seats)[seat]
        whole = f"{called[:1].upper()}{called[1:]} Longish{seat}"
        assert whole in text or f" {letters} Longish{seat} (" in text
    for card in (*scene.lying, *scene.hand):
        # A large card has its face in two corners; where many sit, those that lie are written.
        drawn = columns >= 140 and (seats < 5 or card in scene.hand)
        assert text.count(table.writer.card(card.card)) == 1 + drawn, card
    written = text.count("▒▒x8") + text.count(" ".join(["▒▒"] * BACKS))
    drawn_backs = re.findall(rf"(?:┌─?){{{BACKS - 1}}}┌───┐", text)
    assert (written, len(drawn_backs)) == ((0, seats - 1) if columns >= 140 else (seats - 1, 0))
    assert text.count("indicator ▒▒") == seats - 1
    assert text.count("led") == seats


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("calling", [True, False])
def test_where_the_seats_are_a_list_each_stands_once_with_what_it_said_or_played(
    seats: int, calling: bool
) -> None:
    scene = scene_of(seats)
    if calling:
        scene = scene._replace(lying=(), middle=(say("170 by ", Who(Seat(1))),))
    table = replace(table_of(scene), names=tuple(f"Ann{seat}" for seat in range(seats)))
    lines = render(table, Desk(), 60, 20).text()
    names = "\n".join(line for line in lines[3:] if "Ann" in line)
    for seat in range(seats):
        assert names.count(f"Ann{seat}") == 1
        assert names.count(f"1{seat}0" if calling else table.writer.card(PACK[seat])) >= 1
    (own,) = (line.rstrip() for line in lines if "Ann0" in line)
    assert own.endswith("100" if calling else f"{table.writer.card(PACK[0])} led")
    watching = replace(table, seat=None)
    shown = "\n".join(render(watching, Desk(), 60, 20).text()[3:])
    assert all(shown.count(f"Ann{seat}") == 1 for seat in range(seats))


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("count", [8, 13])
def test_hands_that_lie_open_show_whole_cards_and_how_many_more(seats: int, count: int) -> None:
    cards = tuple(card for card in PACK if card.rank is not Rank.TEN)[-count:]
    scene = scene_of(seats)
    places = tuple(place._replace(cards=cards, beside=None) for place in scene.places)
    open_hands = scene._replace(hand=(), lying=(), places=places)
    table = replace(table_of(open_hands), seat=None)
    text = "\n".join(render(table, Desk(), 80, 24).text())
    names = [table.writer.card(card) for card in cards]
    shown = sum(text.count(name) for name in names)
    hidden = sum(map(int, re.findall(r"\+(\d+)", text)))
    assert shown + hidden == seats * count
    if seats < 5:
        assert not hidden
