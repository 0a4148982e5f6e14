"""Nothing on the screen is written over anything else, whatever the game, the hand and the size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from wcwidth import wcwidth

from cli.front.writing import Writer
from cli.screen import render as drawing
from cli.screen.canvas import Canvas, Style
from cli.screen.cardface import draw_card
from cli.screen.desk import Desk
from cli.screen.model import Table, viewed
from p2p304.bots.players import random_player_for
from p2p304.games import create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.long import sample

TABLES = (
    ("304", "pagat"), ("304", "championship"), ("304", "card304"), ("304", "card304-alpha"),
    ("304", "wikipedia"), ("304", "six24"), ("304", "six36"), ("304", "eight32"),
    ("304", "tamil4"), ("304", "tamil504"), ("304", "tamil904"), ("304", "maharashtra"),
    ("304", "doso_viso"), ("41", ""), ("400", ""),
)  # fmt: skip
SIZES = ((60, 20), (80, 24), (100, 30), (140, 45), (200, 60))
NAMES = ("Asha", "Banumathi", "Chandrasekaran", "Dilini", "Eshan", "Fathima", "Gayan", "Hiruni")


class WatchedCanvas(Canvas):
    """A sheet that notes what is put on what stands there already; a card may lie on a card."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns)
        self.written: dict[tuple[int, int], tuple[str, bool]] = {}
        self.over: list[str] = []
        self.cards = False

    def put(
        self, row: int, column: int, text: str, style: Style = Style.PLAIN, *, room: int = 10_000
    ) -> int:
        end = super().put(row, column, text, style, room=room)
        place = column
        for char in text:
            for _ in range(wcwidth(char)):
                if not 0 <= row < self.rows or place >= end:
                    break
                there, card = self.written.get((row, place), (" ", False))
                if there != " " and not (card and self.cards):
                    self.over.append(f"{text!r} over {there!r} in row {row}, column {place}")
                self.written[row, place] = (char, self.cards)
                place += 1
        return end

    def blank(self, row: int, column: int, rows: int, columns: int) -> None:
        super().blank(row, column, rows, columns)
        for each in range(row, row + rows):
            for place in range(column, column + columns):
                self.written.pop((each, place), None)


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[WatchedCanvas]]:
    """Have every frame drawn on a watched sheet."""
    sheets: list[WatchedCanvas] = []

    def sheet(rows: int, columns: int) -> WatchedCanvas:
        sheets.append(WatchedCanvas(rows, columns))
        return sheets[-1]

    def drawn(canvas: WatchedCanvas, *args: object, **how: object) -> None:
        canvas.cards = True
        draw_card(canvas, *args, **how)  # type: ignore[arg-type]
        canvas.cards = False

    with monkeypatch.context() as patch:
        patch.setattr(drawing, "Canvas", sheet)
        patch.setattr(drawing, "draw_card", drawn)
        yield sheets


def tables(game_name: str, profile: str, seed: int) -> Iterator[Table]:
    """The screen of a seat, and of a spectator, at every step of a random hand."""
    game = create_game(game_name, profile)
    chance = SeededRandomness(seed)
    pack = list(game.pack)
    chance.shuffle(pack)
    open_table = OpenTable(game, pack, chance, dealer=Seat(seed % game.seats))
    players = [random_player_for(game, seed * 10 + seat) for seat in range(game.seats)]
    readers = (Seat(seed % game.seats), None)
    telling = telling_of(game)
    while True:
        for reader in readers:
            table = Table(
                game=game,
                telling=telling,
                writer=Writer(game.seats),
                names=NAMES[: game.seats],
                seat=reader,
                fingerprint="K3QD-77XA-P0QR-51ZZ",
                scores=tuple(game.new_match(bytes(32)).scores),
            )
            view = open_table.view(reader)
            legal = game.legal_actions(view) if reader is not None else ()
            yield viewed(table, 0, view, telling.choices(view, legal))
        if game.is_over(open_table.state):
            return
        seat = game.contributors(open_table.state)[0]
        open_table.act(seat, players[seat].choose(open_table.view(seat)))


@pytest.mark.parametrize("seed", sample(range(1, 9), [1]))
@pytest.mark.parametrize(("game", "profile"), TABLES, ids=["-".join(each) for each in TABLES])
def test_no_text_is_written_over_another(
    game: str, profile: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = 0
    with watched(monkeypatch) as sheets:
        for number, table in enumerate(tables(game, profile, seed)):
            sizes = SIZES if seed > 1 else (SIZES[number // 2 % len(SIZES)],)
            for (columns, rows), filled in product(sizes, (False, True)):
                frame = drawing.render(table, Desk(filled=filled), columns, rows)
                sheet = sheets.pop()
                shown = "\n".join(frame.text())
                assert not sheet.over, f"seed {seed}, step {number}: {sheet.over[:3]}\n{shown}"
                drawn += 1
    assert drawn


@pytest.mark.parametrize("profile", ["six24", "six36", "eight32", "tamil904"])
def test_the_smallest_screen_tells_how_many_cards_each_seat_has(profile: str) -> None:
    told = 0
    for table in tables("304", profile, 1):
        scene = table.scene()
        assert scene is not None
        places = enumerate(scene.places)
        held = [place.cards.count(None) for seat, place in places if seat != table.seat]
        shown = "\n".join(drawing.render(table, Desk(), 60, 20).text())
        counts = [int(count) for count in re.findall(r"▒▒x([0-9]+)", shown)]
        assert sorted(counts) == sorted(filter(None, held)), shown
        told += len(counts)
    assert told
