"""The screen of a table drawn as styled text, for any size from 60 by 20: pure.

No meaning is by colour alone: the seat on turn has a mark and a sentence, a chosen card a double
frame, a card that cannot be played a broken one, a card face down is hatched. In true colour, cards
are filled and lie on a felt, and their edges show what frames show elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from typing import Final

from cli.front.narrator import Where
from cli.sanitize import cells_of, safe_text
from cli.screen.canvas import Canvas, Frame, Ground, Style, wrap
from cli.screen.cardface import FINE, ROUGH, CardLook, CardSize, card_style, draw_card
from cli.screen.desk import Desk, Mode, slot_at
from cli.screen.footer import draw_foot
from cli.screen.layout import LEAST_COLUMNS, LEAST_ROWS, SIDE, TOP, Around, Layout, Spot, around
from cli.screen.model import Table, at_its_end, round_table
from cli.screen.overlays import LAID, PARTIAL, draw_beside_table, draw_cover, draw_list, overlay
from cli.wording import capital, hand_label
from p2p304.cards import Card
from p2p304.seats import Seat, seat_letters
from p2p304.telling import Count, Lying, Scene, ScenePlace, SideCard

# A choice of looks, as `_SIDE_CARD` and `_GLOW`.
_SUITS: Final = 2  #: Cells more between two suits.
# The rim and a ten, the longest face.
_INDEX: Final = 4  #: Cells of a filled card that show its face, where another lies on it.
_SIDE_CARD: Final = 14  #: Cells for a card that lies before a seat, with what it is.
_GLOW: Final = 3  #: Cells around the trick that are lit with it.


def render(table: Table, desk: Desk, columns: int, rows: int, *, keys: bool = True) -> Frame:
    """Draw the whole screen; without `keys` it has no line of keys, for pictures.

    Below 60 by 20 the frame says that it is too small, and how to go on.
    """
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        return _too_small(columns, rows)
    canvas, layout = Canvas(rows, columns), Layout(columns, rows)
    shown, mode = table, desk.visible_mode
    # An ended hand is drawn until its result was read: the next may have begun before.
    if table.summary is not None and mode in (Mode.FINISH, Mode.SUMMARY, Mode.MATCH):
        shown = at_its_end(table)
        # The last trick shows the scores before the hand, the result those after it.
        if mode is not Mode.FINISH:
            shown = replace(shown, scores=table.summary.scores, match_hands=table.match_hands)
    # The foot speaks of the table now, even while an older hand is drawn above it.
    _Drawing(shown, desk, layout, canvas).draw()
    draw_foot(canvas, layout, table, desk, keys=keys)
    return canvas.frame()._replace(theme=desk.theme, four_colours=desk.four_colours)


def _too_small(columns: int, rows: int) -> Frame:
    """Return a frame that tells the size that the table needs."""
    # At least one cell: a terminal may report none.
    canvas = Canvas(max(rows, 1), max(columns, 1))
    text = (
        f"The table needs {LEAST_COLUMNS} columns and {LEAST_ROWS} rows; this terminal has"
        f" {columns} and {rows}. Make it larger, or use --plain. Nothing is lost meanwhile."
    )
    for row, line in enumerate(wrap(text, max(columns, 1))):
        canvas.put(row, 0, line)
    return canvas.frame()


class _Drawing:
    """The drawing of one frame's title and table onto a canvas."""

    def __init__(self, table: Table, desk: Desk, layout: Layout, canvas: Canvas) -> None:
        """Prepare a drawing of the table; nothing is drawn before `draw`."""
        self.table = table
        self.desk = desk
        self.layout = layout
        self.width, self.left, self.middle = layout.width, layout.left, layout.middle
        self.canvas = canvas
        self.glyphs = ROUGH if table.writer.ascii_only else FINE
        self.back = (
            self.glyphs.weave if desk.filled else self.glyphs.hatch
        )  #: A hidden card's cell.
        self.write = table.writer
        self.around: Around = around(len(table.names), layout)
        #: A card that is on its way, and where it goes.
        self.moving: tuple[Spot, Lying] | None = None

    def draw(self) -> None:
        """Draw everything but the lines below the table."""
        scene = self.table.scene()
        # First the ground, then everything on it.
        if self.desk.filled:
            self._lay_felt()
        self._title(scene)
        # What is covered is not drawn: it would show through at the edges.
        covered = overlay(self.table, self.desk)
        if scene is not None and covered is None and self.layout.compact:
            draw_list(
                self.canvas,
                self.layout,
                self.table,
                scene,
                self._list_seat,
                filled=self.desk.filled,
            )
        elif scene is not None and covered is None:
            self._light()
            self._others(scene)
            self._middle(scene)
        # Our own cards stay visible below overlays that explain them.
        if scene is not None and self.table.seat is not None:
            self._own(scene)
        # A spectator sees the lower seat like the others.
        elif scene is not None and covered is None and not self.layout.compact:
            hand = self.layout.hand
            # Two cells in, a choice: a player's own name begins at the edge.
            self._label(scene, self.table.bottom, hand, self._own_column(scene, self.left + 2))
            place = scene.places[self.table.bottom]
            self._backs(place, hand + 1, self.middle)
        # Last of the table: it moves over everything.
        if self.moving is not None and self.desk.flight is not None:
            self._on_its_way(*self.moving, self.desk.flight.way)
        if covered is not None:
            draw_cover(self.canvas, self.layout, self.table, self.desk)
        if self.layout.panel and (covered is None or self.desk.mode in PARTIAL):
            draw_beside_table(self.canvas, self.layout, self.table, scene)

    def _lay_felt(self) -> None:
        """Colour the ground of the table down to the footer, up to the column of rules beside it
        or else the screen's right edge.
        """
        layout = self.layout
        # A column beside the table lies on the plain sheet, with one blank of it before. From the
        # row above TOP to the foot's first: both have rules on screens without a felt.
        end = layout.left + layout.width + 1 if layout.panel else layout.columns
        self.canvas.paint(TOP - 1, 0, Ground.FELT, rows=layout.foot - TOP + 2, columns=end)

    # --- title ------------------------------------------------------------------------------------

    def _title(self, scene: Scene | None) -> None:
        """Draw the line of game, hand and contract above the table, shortened to fit, and the
        counts below it.
        """
        table, put = self.table, self.canvas.put
        dot = f" {self.glyphs.dot} "
        parts = [table.telling.title]
        if scene is not None:
            parts += [f"hand {hand_label(table.number)}", *map(self.write.line, scene.contract)]
        if cells_of(dot.join(parts)) > self.width:
            # Too long: the house rules go first ("304, pagat rules, with ..."), then all of the
            # rules, then the contract from its end.
            parts[0] = parts[0].partition(", with ")[0]
        if cells_of(dot.join(parts)) > self.width:
            parts[0] = table.game.name
        while cells_of(dot.join(parts)) > self.width and len(parts) > 1:
            parts.pop()
        put(0, self.left, dot.join(parts), Style.TITLE, room=self.width)
        counts = self._counts(() if scene is None else scene.counts)
        put(1, self.left, counts, room=self.width)
        if not self.desk.filled:  # the felt has an edge of its own
            put(2, self.left, self.glyphs.across * self.width, Style.FAINT)

    def _counts(self, counts: tuple[Count, ...]) -> str:
        """Return the counts in a line; if it is too long, the last counts lack the names of
        their sides.
        """
        line = ""
        # Fewer sides are named until the line fits; a count without its sides is still one.
        for named, gap in product(range(len(counts), -1, -1), ("   ", "  ")):
            told = [
                f"{count.word} "
                + ", ".join(
                    f"{self.write.line(side)} {value}" if place < named else value
                    for side, value in count.values
                )
                for place, count in enumerate(counts)
            ]
            line = gap.join(told)
            if cells_of(line) <= self.width:
                break
        # If nothing fits it is the shortest, which is cut at the edge.
        return line

    # --- the seats --------------------------------------------------------------------------------

    def _roles(self, scene: Scene, seat: Seat) -> tuple[str, ...]:
        """Return what stands behind a seat's name: "you", its presence if it is not here, its
        roles.
        """
        own = ("you",) if seat == self.table.seat else ()
        seen = self.table.presence.get(seat)
        # A question mark: presence is hearsay (specs 7.10).
        heard = () if seen is None or seen.where is Where.HERE else (f"{seen.where.value}?",)
        return (*own, *heard, *scene.places[seat].roles)

    def _label_text(self, scene: Scene, seat: Seat, room: int, *, roles: bool = True) -> str:
        """Return a seat's place and nickname, with "?" for a nickname that looks like another or
        like a word of the program, and with as many of its `roles`, the first ones, as fit into
        `room` cells; without `roles` whatever the room.

        To keep a role, or to fit at all, the place is abbreviated ("NW Anna"); the abbreviated name
        comes back even if it is too wide.
        """
        place = self.write.seat(seat)
        letters = seat_letters(self.table.game.seats)[seat]
        doubt = "?" if seat in self.table.doubtful else ""
        whole = f"{capital(place)} {self.table.names[seat]}{doubt}"
        if not roles:
            return whole
        known = self._roles(scene, seat)
        # Numbers of seats have no shorter form. `whole` begins with the place, capital or not.
        brief = whole if letters.isdecimal() else f"{letters}{whole[len(place) :]}"
        # Roles go from the end: the first matter most.
        for count in range(len(known), 0, -1):
            for name in (whole, brief):
                text = f"{name} ({', '.join(known[:count])})"
                if cells_of(text) <= room:
                    return text
        return whole if cells_of(whole) <= room else brief

    def _list_seat(self, scene: Scene, seat: Seat, room: int) -> str:
        """Return a seat's entry in the list, in `room` cells: name, roles, and for other seats
        its cards.
        """
        place = scene.places[seat]
        # Known cards first; the rest as one back with a number.
        # A back has two cells, as most faces; only tens have three.
        known = [self._short(card) for card in place.cards if card is not None]
        backs = place.cards.count(None)
        cards = [*known, *([f"{self.back * 2}x{backs}"] if backs else [])]
        held = "" if seat == self.table.seat else " ".join(cards)
        if held and place.side_card is not None:
            # The indicator's card too, if its label leaves the name some room.
            longer = f"{held} {place.side_card.label} {self._short(place.side_card.card)}"
            least = cells_of(self._label_text(scene, seat, 0))
            held = longer if least + 1 + cells_of(longer) <= room else held
        left = room - cells_of(held) - bool(held)
        name = self._label_text(scene, seat, left)
        # Below four cells a cut name would say nothing.
        if 4 <= left < cells_of(name):
            name = safe_text(name, cells=left, ascii_only=self.write.ascii_only)
        return f"{name} {held}".rstrip()

    # By default as wide as the smallest screen.
    def _label(
        self, scene: Scene, seat: Seat, row: int, column: int, room: int = 60, *, roles: bool = True
    ) -> None:
        """Draw a seat's name and roles in at most `room` cells, marked if it is the seat's turn;
        without `roles` the name alone.
        """
        turn = seat in self.table.awaited_seats
        mark = f"{self.glyphs.turn} " if turn else "  "
        style = Style.TURN if turn else Style.STRONG
        # Without the two cells of the mark.
        text = self._label_text(scene, seat, room - 2, roles=roles)
        end = self.canvas.put(row, column, mark + text, style, room=room)
        if turn and self.desk.filled:
            # One cell behind the name, too, as the mark leaves one before it.
            self.canvas.paint(row, column, Ground.AWAITED, columns=end - column + 1)

    def _others(self, scene: Scene) -> None:
        """Draw the other seats: names, roles, unplayed cards and the card beside them."""
        seats = round_table(self.table)
        for spot in self.around.others:
            seat = seats[spot.step]
            place = scene.places[seat]
            if spot.centred:
                # Two blanks for the mark, as `_label` writes it.
                label = f"  {self._label_text(scene, seat, spot.room - 2)}"
                # Not beyond the spot's left edge: a neighbour sits there.
                column = max(spot.left, spot.middle - cells_of(label) // 2)
                self._label(scene, seat, spot.row, column, spot.room)
                # Fifty cells are enough for a hand; more would reach the seats at the sides.
                self._backs(place, spot.row + 1, spot.middle, room=min(50, spot.room))
                continue
            # At a side a name has little room: roles have a row of their own.
            self._label(scene, seat, spot.row, spot.left, spot.room, roles=False)
            roles, room = self._roles(scene, seat), spot.room - 2
            text = f"({', '.join(roles)})" if roles else ""
            self.canvas.put(spot.row + 1, spot.left + 2, text, room=room)
            # Below name and roles, and below the name's first letter.
            self._backs(place, spot.row + 2, 0, room=spot.room - 2, first=spot.left + 2)

    # Fifty cells are enough for a hand.
    def _backs(
        self, place: ScenePlace, row: int, middle: int, *, room: int = 50, first: int = -1
    ) -> None:
        """Draw the unplayed cards of another seat: known faces first, then backs; behind or below
        them the card that lies beside the hand.

        They begin in column `first`; if it is negative, they are centred on `middle`. Of cards that
        need more than `room` cells the hidden ones are drawn as a number.
        """
        hand, side = place.cards, place.side_card
        if self._fanned(place, row, middle, room=room, first=first):
            return
        texts = [self._short(card) for card in hand]
        extra = _SIDE_CARD if side is not None else 0
        length = sum(cells_of(each) + 1 for each in texts) + extra
        # Too long: one back with the number of hidden cards.
        if length > room:
            backs = hand.count(None)
            # Known faces come first in `hand`.
            texts = [*texts[: len(hand) - backs], *([f"{self.back * 2}x{backs}"] if backs else [])]
            length = sum(cells_of(each) + 1 for each in texts) + extra
        column = start = first if first >= 0 else middle - min(length, room) // 2
        end = column + room
        # At the sides there is a second row below; at the top there is not.
        at_side = first >= 0 and self.around.card is not None
        # One more turn, without a card, for the text that counts backs.
        for left, (card, text) in enumerate(zip((*hand, None), texts, strict=False)):
            # What does not fit any more is counted.
            more = f"+{len(texts) - left}" if len(texts) - left > 1 else ""
            needed = cells_of(text) + (0 if at_side or not more else 1 + len(more))
            if column + needed > end and at_side:
                row, column = row + 1, start
            elif column + needed > end:
                self.canvas.put(row, column, more or text, Style.BACK, room=end - column)
                break
            style = Style.BACK if card is None else card_style(card)
            column = self._tile(row, column, text, card, style, end - column) + 1
        if side is not None:
            # `column` has a blank already; one more where the screen draws cards.
            spot = (row + 1, first) if at_side else (row, column + (self.around.card is not None))
            self._draw_side_card(*spot, side)

    def _fanned(self, place: ScenePlace, row: int, middle: int, *, room: int, first: int) -> bool:
        """Draw a seat's cards overlapping, and the card beside them, and return True; draw nothing
        and return False without cards, on screens too small for it, or if not every face would stay
        visible in `room` cells.

        They begin in column `first`; if it is negative, they are centred on `middle`.
        """
        size = self.around.fan
        # No room to draw other hands, or nothing left in this one.
        if size is None or not place.cards:
            return False
        # Framed, a small card has its face at the lower right, where no other may lie on it.
        face = _INDEX if self.desk.filled else size.columns
        # At a side the card lies below the hand, and needs no columns.
        extra = 0 if first >= 0 or place.side_card is None else _SIDE_CARD
        # Backs may overlap more than faces, whose index must be seen.
        for back in (2, 1):
            steps = [face if card is not None else back for card in place.cards]
            length = sum(steps[:-1]) + size.columns
            if length + extra <= room:
                break
        # No size fits: the caller writes them in a line.
        else:
            return False
        start = column = first if first >= 0 else middle - (length + extra) // 2
        for card, step in zip(place.cards, steps, strict=True):
            self._card(row, column, card, CardLook(), size)
            column += step
        if place.side_card is not None:
            below = (row + size.rows, start) if first >= 0 else (row + 1, start + length + 1)
            self._draw_side_card(*below, place.side_card)
        return True

    # By default what a seat at the side has, SIDE, without its two blanks.
    def _draw_side_card(self, row: int, column: int, side: SideCard, room: int = 22) -> None:
        """Write the label and the face of a card that lies beside a hand, such as the indicator,
        in at most `room` cells.
        """
        filled, card, label = self.desk.filled, side.card, f"{side.label} "
        self.canvas.put(row, column, label, Style.FAINT if filled else Style.BACK, room=room)
        taken = cells_of(label)
        style = Style.BACK if card is None or not filled else card_style(card)
        self._tile(row, column + taken, self._short(card), card, style, room - taken)

    def _tile(
        self, row: int, column: int, text: str, card: Card | None, style: Style, room: int
    ) -> int:
        """Write `text` for a card in at most `room` cells, with the ground of a card if cards
        are filled; return the column after it.
        """
        # Nothing but weave: a hidden card, in the colour of its edge.
        if self.desk.filled and style is Style.BACK and not text.strip(self.glyphs.weave):
            style = Style.EDGE
        end = self.canvas.put(row, column, text, style, room=room)
        if self.desk.filled:
            ground = Ground.COVERED if card is None else Ground.CARD
            self.canvas.paint(row, column, ground, columns=end - column)
        return end

    def _short(self, card: Card | None) -> str:
        """Return a card's face as text; for None the text of a hidden card."""
        # Two cells, as most faces; only tens have three.
        return self.back * 2 if card is None else self.write.card(card)

    # --- the middle: the trick, or the auction ----------------------------------------------------

    def _middle(self, scene: Scene) -> None:
        """Draw what lies in the middle: the auction, the trick in progress or, where the desk
        shows it, the last trick. A card in flight is not drawn but kept in `moving`, for `draw`.
        """
        mode = self.desk.visible_mode
        # The trick that ended the hand is shown like a last trick.
        last = mode in (Mode.LAST_TRICK, Mode.FINISH)
        if scene.middle and not last:
            self._auction(scene)
            return
        lying = scene.lying
        view = self.table.view()
        if last and view is not None:
            lying = self.table.telling.last_trick(view)
        seats = round_table(self.table)
        for card in lying:
            spot = self.around.laid[seats.index(card.seat)]
            if self.around.card is None:
                self._small(spot, card)
                continue
            # A card in flight is drawn above all others, at the end.
            if self.desk.flight is not None and self.desk.flight.slot == card.slot:
                self.moving = spot, card
                continue
            # The winning card has the frame of a chosen one: it is seen without colours, too.
            look = CardLook(hatched=card.down, chosen=card.wins)
            self._card(spot.row, spot.left, card.card, look, self.around.card)
            # The card's note, to the left or right of it.
            if spot.words_before:
                self.canvas.right(spot.row + 1, spot.left - 1, card.note, Style.FAINT)
            else:
                after = spot.left + self.around.card.columns + 1
                self.canvas.put(spot.row + 1, after, card.note, Style.FAINT)

    def _light(self) -> None:
        """On a felt, lighten the middle of the table, where a trick lies."""
        if not self.desk.filled:
            return
        laid, card = self.around.laid, self.around.card
        sides = [spot.left for spot in self.around.others if not spot.centred]
        # Only the middle is lit: it ends before the names at the sides.
        at_left = [column + SIDE for column in sides if column < self.middle]
        at_right = [column for column in sides if column > self.middle]
        ends = [spot.left + (spot.room if card is None else card.columns) for spot in laid]
        left = max([*at_left, min(spot.left for spot in laid) - _GLOW])
        right = min([*at_right, max(ends) + _GLOW])
        top = min(spot.row for spot in laid)
        # Without drawn cards a card is one row of text.
        low = max(spot.row for spot in laid) + (1 if card is None else card.rows)
        self.canvas.paint(top, left, Ground.LIT, rows=low - top, columns=right - left)
        # Several seats at the top lie closer to the trick.
        if [spot.centred for spot in self.around.others].count(True) > 1:
            # Above the seats at the sides it is as wide as what lies before those at the top.
            nearest = min(
                (spot.row for spot in self.around.others if not spot.centred), default=low
            )
            wide = min(spot.left for spot in laid) - _GLOW
            columns = max(ends) + _GLOW - wide
            self.canvas.paint(top, wide, Ground.LIT, rows=nearest - top, columns=columns)

    def _auction(self, scene: Scene) -> None:
        """Draw the last two calls before each seat, one where cards are written as text; in the
        middle the call that stands, with at most one line above it.
        """
        seats = round_table(self.table)
        for step, spot in enumerate(self.around.laid):
            place = scene.places[seats[step]]
            style = Style.STRONG if place.leading else Style.PLAIN
            # One row for calls in small layouts.
            calls = place.calls[-1:] if self.around.card is None else place.calls[-2:]
            for number, call in enumerate(calls):
                if spot.centred:
                    # `left` is a card's left edge: the middle of a small card is two cells from it.
                    self.canvas.centred(spot.row + number, spot.left + 2, call, style)
                else:
                    self.canvas.put(spot.row + number, spot.left, call, style, room=spot.room)
        row = self.around.centre
        stands, *more = map(self.write.line, scene.middle)
        # One more line: there is no room for a second.
        for line in more[:1]:
            self.canvas.centred(row, self.middle, line, Style.FAINT)
        self.canvas.centred(row + 1, self.middle, stands, Style.STRONG)

    def _on_its_way(self, spot: Spot, card: Lying, way: float) -> None:
        """Draw a card on its way from its player, where `way` is 0, to its place in the trick,
        where it is 1.
        """
        size = self.around.card
        # Cards move only where they are drawn.
        assert size is not None
        row, column = self._comes_from(spot, size)
        # Rounded to whole cells.
        row += round((spot.row - row) * way)
        column += round((spot.left - column) * way)
        self._card(row, column, card.card, CardLook(hatched=card.down), size)

    def _comes_from(self, spot: Spot, size: CardSize) -> tuple[int, int]:
        """Return the row and column at which a card on its way to `spot` starts: near the name
        or hand of the seat that played it.
        """
        if spot.step == 0:
            # From the middle of our own hand.
            return self.layout.hand - size.rows // 2, self.middle - size.columns // 2
        seat = next(each for each in self.around.others if each.step == spot.step)
        if seat.centred:
            return seat.row, seat.middle - size.columns // 2
        # From the middle of the seat's place towards the table.
        inner = SIDE // 2
        at_left = seat.left < self.middle
        return seat.row, seat.left + inner if at_left else seat.left + SIDE - inner - size.columns

    def _small(self, spot: Spot, card: Lying) -> None:
        """Write a card of the trick as text with its note, in brackets if it lies face down."""
        face = self._short(card.card)
        text = f"[{face}]" if card.down else face
        style = Style.BACK if card.card is None else card_style(card.card)
        end = self._tile(spot.row, spot.left, text, card.card, style, spot.room)
        # A word such as "wins"; a longer one is cut, so that it reaches no other cards.
        self.canvas.put(spot.row, end + 1, card.note, Style.FAINT, room=6)

    # --- cards ------------------------------------------------------------------------------------

    def _card(
        self, row: int, column: int, card: Card | None, look: CardLook, size: CardSize
    ) -> None:
        """Draw a card, framed or filled as the desk says."""
        text, filled = None if card is None else self.write.card(card), self.desk.filled
        draw_card(self.canvas, self.glyphs, row, column, text, card, look, size=size, filled=filled)

    def _own(self, scene: Scene) -> None:
        """Draw our hand with its name, and make each card clickable. Cards that cannot be chosen
        now are barred; below each card stands its note, or its place in the order that is
        picked.
        """
        # A spectator has no hand; the caller has looked.
        assert self.table.seat is not None
        # The name's row; the cards begin below it.
        hand = self.layout.hand
        # In the list our last call or card ends this row (`draw_list`).
        room = self.width - (LAID if self.layout.compact else 0)
        self._label(scene, self.table.seat, hand, self._own_column(scene, self.left), room)
        cards = scene.hand
        playable = {each.slot for each in self.table.choices if each.slot is not None}
        if self.desk.mode is Mode.ORDER and self.desk.pending is not None:
            playable = set(self.desk.pending.order) - set(self.desk.picked)
        parted = [
            False,
            # A gap between suits, and before a card that lies apart.
            *(one.card.suit != two.card.suit or two.apart for one, two in pairwise(cards)),
        ]
        gaps = sum(parted)
        rows, columns = self.layout.card
        # As far apart as they fit: cards of a long hand overlap.
        room = (self.width - columns - _SUITS * gaps) // max(1, len(cards) - 1)
        step = min(columns + 1, room)
        # The last card has a blank behind it, too, like all others.
        length = step * (len(cards) - 1) + columns + 1 + _SUITS * gaps
        column = self.left + max(0, (self.width - length) // 2)
        # Not strict: `parted` begins with False even if there is no card.
        for each, apart in zip(cards, parted, strict=False):
            column += _SUITS if apart else 0
            chosen = each.slot == slot_at(self.desk.cursor)
            # Only while cards can be played: at another's turn none is barred.
            barred = bool(playable) and each.slot not in playable
            look = CardLook(hatched=each.apart, chosen=chosen, barred=barred)
            self._card(hand + 1, column, each.card, look, self.layout.card)
            text, style = each.note, Style.FAINT
            if self.desk.mode is Mode.ORDER and each.slot in self.desk.picked:
                text, style = f"{self.desk.picked.index(each.slot) + 1}.", Style.STRONG
            # Carets, too: no card is shown as chosen by colours alone.
            elif chosen:
                text, style = f"^{each.note}^", Style.STRONG
            self.canvas.centred(hand + 1 + rows, column + columns // 2, text, style)
            target = f"card {each.slot}"
            # One row more than the card: its note is clicked as well.
            self.canvas.hit(hand + 1, column, target, rows=rows + 1, columns=columns)
            column += step

    def _own_column(self, scene: Scene, least: int) -> int:
        """Return the column of the name at the lower edge: centred where other hands are drawn,
        but not left of `least`; else `least`.
        """
        if self.layout.fan is None:
            return least
        # Two blanks for the mark, as `_label` writes it.
        label = f"  {self._label_text(scene, self.table.bottom, self.width - 2)}"
        return max(least, self.middle - cells_of(label) // 2)
