"""What a screen shows: what the view grants, whole at every size, whatever texts and colours."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from wcwidth import wcswidth, wcwidth

from cli.front.writing import Writer
from cli.net.transport import LinkState, LinkStatus, Trouble
from cli.sanitize import cells_of, safe_name, safe_text
from cli.screen import render as drawing
from cli.screen.canvas import (
    SMALL,
    Align,
    Canvas,
    CardLook,
    CardSize,
    Frame,
    Ground,
    Style,
    Theme,
    draw_card,
)
from cli.screen.clientseat import after_status
from cli.screen.desk import Desk, Mode
from cli.screen.export import look_of
from cli.screen.footer import chat_lines, trust_line
from cli.screen.layout import LEAST_COLUMNS, Layout
from cli.screen.model import Table, after_notice, after_view, new_table, with_sentence
from cli.screen.preferences import Colouring, Colours, Palette, PlaySettings, filled_palette
from cli.screen.render import render
from p2p304.bots.players import random_player_for
from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.games import create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Cut
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import Who, say
from p2p304.telling import Count, HeldCard, Lying, Scene, ScenePlace, SideCard
from p2p304.view import View
from protocol.table.events import (
    ChatReceived,
    SeatBlamed,
    SeatSuspected,
    SessionStopped,
    WordsLeftOut,
)
from tests.bench.hand import agreements
from tests.client.highest_card import Highest, State, TellingHighest
from tests.client.moments import (
    MOMENTS,
    OpenHand,
    empty_table,
    hands,
    quiet,
    shuffled,
    table_of_game,
)
from tests.long import sample
from tests.table.bus import charter, named

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
SIZES = [(80, 24), (81, 25), (100, 30), (111, 31), (112, 24), (120, 40), (150, 50), (240, 70)]
HOSTILE = (
    "\x1b[2J\x1b[31mred\x07",
    "\u202eesrever\u2066\u2069",
    "a\u200b\u200d\ufeffb\u2060",
    "Z" + "\u0301" * 60,
    "👩‍👩‍👧‍👦🃏🂡" * 3,
    "名前" * 10,
    "\u0b95\u0bcd\u200d\u0bb7" * 4,
    "♠J ♥9",
)
TABLES = tuple(agreements())


def sane(frame: Frame, columns: int, rows: int) -> None:
    assert len(frame.lines) == rows
    for line in frame.text():
        assert cells_of(line) == columns
        assert all(char.isprintable() or char in "\u200c\u200d" for char in line), repr(line)


def test_every_line_fills_the_screen_exactly() -> None:
    for make in MOMENTS.values():
        moment = make()
        for columns, rows in SIZES:
            sane(render(moment.table, moment.desk, columns, rows), columns, rows)


@pytest.mark.parametrize(("columns", "rows"), [(59, 20), (60, 19), (20, 5), (1, 1)])
def test_a_terminal_that_is_too_small_is_told_what_it_needs(columns: int, rows: int) -> None:
    frame = render(empty_table(), Desk(), columns, rows)
    assert len(frame.lines) == rows
    if columns > 40:
        assert "60 columns and 20 rows" in " ".join(frame.text())


def test_letters_alone_draw_the_whole_table() -> None:
    for make in MOMENTS.values():
        moment = make()
        desk = replace(moment.desk, told=("",))
        news = tuple(line for line in moment.table.news if line.isascii())
        table = replace(moment.table, writer=Writer(4, ascii_only=True), news=news)
        desk = replace(desk, notice=desk.notice if desk.notice.isascii() else "")
        for line in render(table, desk, 80, 24).text():
            assert set(line) <= set(string.printable), line


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_words_cannot_break_the_layout(hostile: str) -> None:
    name, words = safe_name(hostile), safe_text(hostile)
    for seat in (SOUTH, EAST, None):
        table = empty_table(seat=seat, names=(name,) * 4)
        hand = OpenHand(with_sentence(after_notice(table, ChatReceived(EAST, hostile)), words))
        for step in range(45):
            if not hand.state.awaiting:
                break
            for columns, rows in ((80, 24), (120, 40)) if step % 5 == 0 else ():
                desk = Desk(notice=words, told=(words,) * 40)
                for mode in (Mode.TABLE, Mode.CHARTER, Mode.TALK)[: 1 if step else 3]:
                    sane(render(hand.table, replace(desk, mode=mode), columns, rows), columns, rows)
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))


# --- what the model grants ------------------------------------------------------------------------


CARD = re.compile(r"(?<![\w])(10|[7-9JQKA])([♠♥♦♣])")


def shown_cards(table: Table, desk: Desk) -> set[str]:
    lines = render(table, desk, 80, 24).text()
    return {"".join(found) for line in lines for found in CARD.findall(line)}


@pytest.mark.parametrize("seat", [SOUTH, EAST, None])
def test_no_screen_shows_a_face_that_the_view_does_not_grant(seat: Seat | None) -> None:
    for hand in hands(2, empty_table(seat=seat)):
        while hand.state.awaiting:
            known = {*map(Writer(4).card, hand.open.view(seat).faces.values())}
            known |= {*map(Writer(4).card, hand.state.faces.values())}
            for mode in (Mode.TABLE, Mode.RULES, Mode.LAST_TRICK):
                assert shown_cards(hand.table, Desk(mode=mode)) <= known
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))


def test_nothing_of_a_trick_before_the_last_is_shown_again() -> None:
    seen = 0
    for hand in hands(3, empty_table(seat=None)):
        while hand.state.awaiting:
            state = hand.state
            if len(state.tricks) >= 2 and state.caps is None and not state.end:
                old = {
                    Writer(4).card(state.faces[play.slot])
                    for trick in state.tricks[:-1]
                    for play in trick.plays
                    if play.slot in state.faces
                }
                for mode in (Mode.TABLE, Mode.LAST_TRICK, Mode.RULES):
                    assert not old & shown_cards(hand.table, Desk(mode=mode))
                seen += 1
            hand.act(quiet(hand.table, hand.legal(state.awaiting[0]), hand.chance))
    assert seen > 25


# --- events ---------------------------------------------------------------------------------------


def test_blame_and_stops_stay_on_the_screen() -> None:
    blamed = after_notice(empty_table(), SeatBlamed(EAST, "action.rule", b""))
    assert "East broke the protocol (action.rule)" in blamed.stopped
    suspected = after_notice(empty_table(), SeatSuspected(WEST, "x"))
    assert "A message of West fails a check" in suspected.stopped
    flooded = after_notice(empty_table(), WordsLeftOut(WEST))
    assert flooded.news[-1] == "West writes more messages than fit here: the rest is not shown."
    assert "signs nothing more" in after_notice(empty_table(), SessionStopped("x")).stopped


def test_chat_is_made_safe_and_is_gone_when_the_hand_begins_unless_it_is_unread() -> None:
    table = after_notice(empty_table(), ChatReceived(EAST, "\x1b[2Jhi\u202e there"))
    assert table.chat[-1][1].isprintable()
    assert "\x1b" not in table.chat[-1][1]
    assert table.may_talk
    hand = OpenHand(table)
    assert hand.table.chat
    hand.act(Cut(0))
    assert hand.table.chat
    assert not hand.table.may_talk
    read = OpenHand(replace(table, unread=0))
    read.act(Cut(0))
    assert not read.table.chat


# --- the lowest lines -----------------------------------------------------------------------------


def test_a_lost_link_is_tried_again_and_the_news_tell_why_once() -> None:
    why = "Nothing listens at mqtt://127.0.0.1:38879: check the port, and whether it runs."
    table = after_status(empty_table(), LinkStatus(LinkState.DISCONNECTED, "gone"), "23:07")
    for clock in ("23:07", "23:09"):
        waiting = LinkStatus(LinkState.WAITING, why, 1.0, Trouble.UNREACHABLE)
        table = after_status(table, waiting, clock)
        line = trust_line(table, 80)[1]
        assert line == "Connection lost since 23:07; trying again (the broker does not answer)."
        assert cells_of(line) <= 80
    assert table.news.count(why) == 1
    again = after_status(table, LinkStatus(LinkState.CONNECTED, "Connected."), "23:10")
    assert (again.link, again.lost_since, again.news[-1]) == ("", "", "Connected again.")
    refused = LinkStatus(LinkState.WAITING, "No.", 1.0, Trouble.CREDENTIALS)
    assert "the broker refuses" in after_status(empty_table(), refused, "23:07").link
    unheard = after_status(empty_table(), LinkStatus(LinkState.UNHEARD, "?"), "12 Mar 23:07").link
    assert cells_of(unheard) <= 80


def test_the_last_three_messages_are_shown_and_what_is_cut_says_so() -> None:
    table = empty_table()
    for seat, text in ((EAST, "one"), (NORTH, "two"), (WEST, "three"), (SOUTH, "four")):
        table = after_notice(table, ChatReceived(seat, text))
    lines = chat_lines(table, Desk(), Layout(80, 24))
    assert lines == (
        f"North ({table.names[2]}) says: two",
        f"West ({table.names[3]}) says: three",
        "You say: four",
    )
    for seat in (EAST, NORTH, WEST):
        table = after_notice(table, ChatReceived(seat, "word " * 40))
    lines = chat_lines(table, Desk(), Layout(80, 24))
    assert len(lines) <= 4
    assert all(cells_of(each) <= 80 for each in lines)
    assert [each.endswith("...") for each in lines] == [True, True, False, True]
    assert len(chat_lines(table, Desk(mode=Mode.SUMMARY), Layout(80, 40))) == 9
    assert chat_lines(table, Desk(mode=Mode.CHARTER), Layout(80, 24)) == ()


# --- cards that grow with the terminal ------------------------------------------------------------


GROWING = ((80, 24), (140, 45), (200, 60))


def cells(frame: Frame, *grounds: Ground) -> int:
    spans = (span for line in frame.lines for span in line)
    return sum(len(span.text) for span in spans if span.ground in grounds)


@pytest.mark.parametrize(("game", "profile"), TABLES, ids=["-".join(each) for each in TABLES])
def test_cards_are_larger_where_there_is_room(game: str, profile: str) -> None:
    table = next(
        table
        for table in tables(game, profile, 1)
        if table.seat is not None and (scene := table.scene()) and scene.hand and scene.lying
    )
    for filled in (False, True):
        desk = Desk(settings=PlaySettings(filled=filled))
        frames = [render(table, desk, *size) for size in GROWING]
        # Cards of the hand, with their notes, as far as they can be clicked.
        hits = [next(h for h in each.hits if h.target.startswith("card ")) for each in frames]
        heights, widths = [each.rows for each in hits], [each.columns for each in hits]
        assert list(heights) == sorted({*heights}), heights
        assert list(widths) == sorted({*widths}), widths
    shown = [cells(frame, Ground.CARD, Ground.CHOSEN, Ground.COVERED) for frame in frames]
    assert shown == sorted({*shown})


# --- colours --------------------------------------------------------------------------------------


DECORATION = {Style.EDGE}  #: Rims and what backs are made of: nothing is written in it.
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
    canvas = Canvas(size.rows, size.columns, filled=True)
    text = None if card is None else Writer(4).card(card)
    draw_card(canvas, 0, 0, card, text, look=look, size=size)
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
        settings = replace(moment.desk.settings, filled=True)
        filled = render(moment.table, replace(moment.desk, settings=settings), 80, 24)
        missing = [word for word in words(framed) if word not in words(filled)]
        assert not missing
        grounds = {span.ground for line in framed.lines for span in line}
        assert grounds <= {Ground.SHEET, Ground.CHOSEN}


# --- places for two to eight seats ----------------------------------------------------------------


PACK = [Card(suit, rank) for rank in Rank for suit in Suit]
SEATED_SIZES = [(80, 24), (100, 30), (140, 45)]
BACKS = 8
seats_and_sizes = pytest.mark.parametrize(
    ("seats", "columns", "rows"),
    [(seats, *size) for seats in range(2, 9) for size in SEATED_SIZES],
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
                side_card=SideCard("indicator", None) if seat else None,
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
def test_whom_the_table_awaits_is_told_apart_where_there_is_little_room(seats: int) -> None:
    waiting = tuple(map(Seat, range(1, seats)))
    table = replace(table_of(scene_of(seats)), waiting=waiting, since="21:03")
    assert ", ".join(seat_letters(seats)[1:]) in trust_line(table, 40)[1]


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("count", [8, 13])
def test_hands_that_lie_open_show_whole_cards_and_how_many_more(seats: int, count: int) -> None:
    cards = tuple(card for card in PACK if card.rank is not Rank.TEN)[-count:]
    scene = scene_of(seats)
    places = tuple(place._replace(cards=cards, side_card=None) for place in scene.places)
    open_hands = scene._replace(hand=(), lying=(), places=places)
    table = replace(table_of(open_hands), seat=None)
    text = "\n".join(render(table, Desk(), 80, 24).text())
    names = [table.writer.card(card) for card in cards]
    shown = sum(text.count(name) for name in names)
    hidden = sum(map(int, re.findall(r"\+(\d+)", text)))
    assert shown + hidden == seats * count
    if seats < 5:
        assert not hidden


# --- nothing lies over anything else --------------------------------------------------------------


LOOKS = [*product(((60, 20), (80, 24), (100, 30), (140, 45), (200, 60)), (False, True))]
PLAYERS = ("Asha", "Banumathi", "Chandrasekaran", "Dilini", "Eshan", "Fathima", "Gayan", "Hiruni")


class WatchedCanvas(Canvas):
    """A sheet that notes what is put on what stands there already; a card may lie on a card."""

    def __init__(self, rows: int, columns: int, **how: bool) -> None:
        super().__init__(rows, columns, **how)
        self.written: dict[tuple[int, int], tuple[str, bool]] = {}
        self.over: list[str] = []
        self.cards = False

    def put(
        self,
        row: int,
        column: int,
        text: str,
        style: Style = Style.PLAIN,
        *,
        align: Align = Align.LEFT,
        **how: Any,
    ) -> int:
        end = super().put(row, column, text, style, align=align, **how)
        cells = {Align.LEFT: 0, Align.MIDDLE: cells_of(text) // 2, Align.RIGHT: cells_of(text)}
        place = column if align is Align.LEFT else max(0, column - cells[align])
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

    def sheet(rows: int, columns: int, **how: bool) -> WatchedCanvas:
        sheets.append(WatchedCanvas(rows, columns, **how))
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
    open_table = shuffled(game, SeededRandomness(seed), dealer=Seat(seed % game.seats))
    players = [random_player_for(game, seed * 10 + seat) for seat in range(game.seats)]
    readers = (Seat(seed % game.seats), None)
    telling = telling_of(game)
    while True:
        for reader in readers:
            table = table_of_game(game, reader, names=PLAYERS)
            view = open_table.view(reader)
            legal = game.legal_actions(view) if reader is not None else ()
            yield after_view(table, 0, view, telling.choices(view, legal))
        if game.is_over(open_table.state):
            return
        seat = game.contributors(open_table.state)[0]
        open_table.act(seat, players[seat].choose(open_table.view(seat)))


@pytest.mark.parametrize("seed", sample(range(1, 9), [1]))
@pytest.mark.parametrize(("game", "profile"), TABLES, ids=["-".join(each) for each in TABLES])
def test_no_text_is_written_over_another_and_cards_of_a_trick_lie_on_the_lit_middle(
    game: str, profile: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lit, named = 0, profile in ("maharashtra", "doso_viso")  # a card in the rules of the moment
    with watched(monkeypatch) as sheets:
        for number, table in enumerate(tables(game, profile, seed)):
            # Every size, with and without colours, comes at steps of every kind in some game.
            looks = [LOOKS[(3 * (number // 2) + TABLES.index((game, profile))) % len(LOOKS)]]
            for (columns, rows), filled in LOOKS if seed > 1 else looks:
                desk = Desk(settings=PlaySettings(filled=filled))
                frame = drawing.render(table, desk, columns, rows)
                sheet = sheets.pop()
                shown = "\n".join(frame.text())
                assert not sheet.over, f"seed {seed}, step {number}: {sheet.over[:3]}\n{shown}"
                if filled and columns > LEAST_COLUMNS and not named:
                    lit += lit_cards(table, frame)
    assert lit or named


def lit_cards(table: Table, frame: Frame) -> int:
    """How many cards of the trick that the player sees are drawn or written; beside each the middle
    is lit, and a seat's name may follow."""
    scene = table.scene()
    grounds = [[span.ground for span in line for _ in range(wcswidth(span.text))]
               for line in frame.lines]  # fmt: skip
    shown = table.seat is not None and scene is not None and not scene.middle
    cards = [card.card for card in scene.lying if card.card is not None] if shown else []
    for written in map(table.writer.card, cards):
        (row, column), *_ = (
            (row, wcswidth(line[: line.index(written)]))
            for row, line in enumerate(frame.text())
            if written in line and Ground.LIT in grounds[row]
        )
        on = (Ground.CARD, Ground.CHOSEN)
        before = next(each for each in reversed(grounds[row][:column]) if each not in on)
        after = next(each for each in grounds[row][column:] if each not in on)
        assert Ground.LIT in (before, after), "\n".join((written, *frame.text()))
    return len(cards)


def test_a_line_of_the_charter_that_is_broken_goes_on_as_far_in_as_it_begins() -> None:
    words = "Compare it aloud: where it differs, somebody was shown other seats or other rules."
    charter = ("The charter: who plays, by which rules.", f"   {words} {words}", words)
    for columns, rows in ((60, 20), (80, 24), (100, 30)):
        desk = Desk(mode=Mode.CHARTER, told=("", *charter))
        lines = render(empty_table(), desk, columns, rows).text()
        first = next(row for row, line in enumerate(lines) if "Compare" in line)
        plain = next(
            row for row, line in enumerate(lines) if row > first and line.startswith("  Compare")
        )
        broken = [line.rstrip() for line in lines[first:plain]]
        assert len(broken) > 1
        assert all(line.startswith("     ") and line[5] != " " for line in broken), broken
        assert " ".join(line.strip() for line in broken) == f"{words} {words}"


def test_names_of_a_charter_are_made_safe_and_impostors_marked() -> None:
    names = ("West", "\u2066evil", "ok", "Z" + "\u0301" * 20)
    harmless = [name.replace("\u2066", "") for name in names]
    agreed = named(charter(4, game="304", profile="pagat"), *harmless)
    table = new_table(empty_table().game, agreed, SOUTH)
    assert table.doubtful == {0}
    assert all(name.isprintable() for name in table.names)
    assert table.names[3].count("\u0301") <= 2
    assert table.fingerprint == agreed.fingerprint


def test_marks_stay_with_their_letter_and_controls_are_refused() -> None:
    canvas = Canvas(1, 4)
    canvas.put(0, 0, "e\u0301x")
    assert canvas.frame().text() == ("e\u0301x  ",)
    with pytest.raises(ValueError, match=r"U\+001B"):
        canvas.put(0, 0, "\x1b")
