"""Colours: each is read on its ground, suits are told apart, and nothing is told by them alone.

Contrast is counted as WCAG 2.2 does.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import pytest

from cli.front.writing import Writer
from cli.screen.canvas import Canvas, Frame, Ground, Style
from cli.screen.cardface import FINE, SMALL, CardLook, CardSize, draw_card
from cli.screen.export import look_of
from cli.screen.palette import Palette, Theme, filled_palette
from cli.screen.preferences import Colouring, Colours
from cli.screen.render import render
from p2p304.cards import Card, Rank, Suit
from tests.client.moments import MOMENTS

DECORATION = {Style.EDGE}
"""Rims and what backs are made of: nothing is written in it."""
ON_CARDS = {Ground.CARD, Ground.BARRED, Ground.CHOSEN}
LEAST = 4.5
TERMINAL = {"COLORTERM": "truecolor"}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
              for part in parts]  # fmt: skip
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, two: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(two)))
    return (lighter + 0.05) / (darker + 0.05)


def filled_palettes() -> list[Palette]:
    return [
        filled_palette(theme, four_colours=four_colours)
        for theme in Theme
        for four_colours in (False, True)
    ]


def test_all_that_is_written_can_be_read_on_every_ground() -> None:
    for palette in filled_palettes():
        for (style, ground), words in palette.items():
            look = look_of(words)
            if style not in DECORATION | ({Style.BACK} if ground in ON_CARDS else set()):
                least = 3.0 if style is Style.BACK else LEAST
                assert contrast(look.colour, look.ground) >= least, (style, ground, words)


def test_whose_turn_it_is_and_the_cards_stand_out_from_the_felt() -> None:
    for palette in filled_palettes():
        grounds = {ground: look_of(palette[Style.PLAIN, ground]).ground for ground in Ground}
        felt = grounds[Ground.FELT]
        assert len({*grounds.values()}) == len(Ground)
        for ground in (Ground.CARD, Ground.COVERED, Ground.AWAITED):
            assert contrast(grounds[ground], felt) > contrast(grounds[Ground.LIT], felt)


@pytest.mark.parametrize(
    ("colours", "environment", "letters", "filled"),
    [
        (Colours.AUTOMATIC, TERMINAL, False, True),
        (Colours.AUTOMATIC, {"COLORTERM": "24bit"}, False, True),
        (Colours.AUTOMATIC, {}, False, False),
        (Colours.AUTOMATIC, {**TERMINAL, "NO_COLOR": "1"}, False, False),
        (Colours.AUTOMATIC, TERMINAL, True, False),
        (Colours.SIXTEEN, TERMINAL, False, False),
        (Colours.NONE, TERMINAL, False, False),
        (Colours.MANY, TERMINAL, False, False),
        (Colours.TRUE, {}, False, True),
        (Colours.TRUE, {}, True, False),
    ],
)
def test_cards_are_filled_where_there_is_true_colour_and_signs_for_it(
    colours: Colours, environment: dict[str, str], *, letters: bool, filled: bool
) -> None:
    colouring = Colouring(colours=colours, letters=letters)
    assert colouring.filled(environment) is filled
    has_grounds = any("bg:" in words for words in colouring.palette(environment).values())
    assert has_grounds is filled


def drawn(card: Card | None, look: CardLook, size: CardSize = SMALL) -> Frame:
    canvas = Canvas(size.rows, size.columns)
    text = None if card is None else Writer(4).card(card)
    draw_card(canvas, FINE, 0, 0, text, card, look, size=size, filled=True)
    return canvas.frame()


@pytest.mark.parametrize("size", [SMALL, CardSize(5, 7), CardSize(7, 9), CardSize(9, 11)])
def test_how_a_filled_card_lies_shows_without_colour_too(size: CardSize) -> None:
    card = Card(Suit.HEARTS, Rank.TEN)
    looks = [CardLook(), CardLook(hatched=True), CardLook(chosen=True), CardLook(barred=True)]
    frames = [drawn(card, look, size) for look in looks] + [drawn(None, CardLook(), size)]
    for one, two in combinations(frames, 2):
        assert one.text() != two.text()
    for frame in frames[:-1]:
        assert frame.text()[0].strip("▏║┊ ") == "10♥"


def test_a_filled_table_says_the_same_as_a_framed_one() -> None:
    def words(frame: Frame) -> list[str]:
        return sorted(re.findall("[A-Za-z0-9]{2,}", " ".join(frame.text())))

    for make in MOMENTS.values():
        moment = make()
        framed = render(moment.table, moment.desk, 80, 24)
        filled = render(moment.table, replace(moment.desk, filled=True), 80, 24)
        missing = [word for word in words(framed) if word not in words(filled)]
        assert not missing
        grounds = {span.ground for line in framed.lines for span in line}
        assert grounds <= {Ground.SHEET, Ground.CHOSEN}
