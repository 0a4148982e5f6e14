"""The screen of a table drawn as styled text, for any size from 60 by 20: pure.

No meaning is by colour alone: the seat on turn has a mark and a sentence, a chosen card a double
frame, a card that cannot be played a broken one, a card face down is hatched. In true colour, cards
are filled and lie on a felt, and their edges show what frames show elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Final

from cli.front.narrator import Where
from cli.sanitize import cells_of, safe_text
from cli.screen.canvas import (
    SUIT_STYLES,
    Align,
    Canvas,
    CardLook,
    CardSize,
    Frame,
    Ground,
    Hit,
    Style,
    draw_card,
    wrap,
)
from cli.screen.desk import Desk, Mode
from cli.screen.footer import draw_foot
from cli.screen.layout import LEAST_COLUMNS, LEAST_ROWS, SIDE, TOP, Layout, Spot
from cli.screen.model import Table, at_its_end, round_table
from cli.screen.overlays import PARTIAL, draw_beside_table, draw_cover, overlay
from cli.wording import capital, hand_label
from p2p304.cards import Card
from p2p304.seats import Seat, seat_letters
from p2p304.telling import Choice, Lying, Scene, ScenePlace

# A choice of looks, as `_SIDE_CARD` and `_GLOW`.
_SUITS: Final = 2  #: Cells more between two suits.
# The rim and a ten, the longest face.
_INDEX: Final = 4  #: Cells of a filled card that show its face, where another lies on it.
_SIDE_CARD: Final = 14  #: Cells for a card that lies before a seat, with what it is.
_GLOW: Final = 3  #: Cells around the trick that are lit with it.
# These two are choices, against the room for names.
_LAID: Final = 16  #: Cells at the end of a line for what lies before a seat, or what it has said.
_LAID_IN_HALVES: Final = 11  #: The same where two lines stand beside each other.


def render(table: Table, desk: Desk, columns: int, rows: int, *, keys: bool = True) -> Frame:
    """Draw the whole screen; without `keys` it has no line of keys, for pictures.

    Below 60 by 20 the frame says that it is too small, and how to go on.
    """
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        return _too_small(columns, rows)
    canvas = Canvas(rows, columns, ascii_only=table.writer.ascii_only, filled=desk.settings.filled)
    layout = Layout(columns, rows, len(table.names))
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
    settings = desk.settings
    return canvas.frame()._replace(theme=settings.theme, four_colours=settings.four_colours)


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


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The drawing of one frame's title and table onto a canvas."""

    table: Table
    desk: Desk
    layout: Layout
    canvas: Canvas

    def draw(self) -> None:
        """Draw everything but the lines below the table."""
        layout, scene = self.layout, self.table.scene()
        # First the ground, then everything on it.
        if self.canvas.filled:
            self._lay_felt()
        self._title(scene)
        covered = overlay(self.table, self.desk)
        # What is covered is not drawn: it would show through at the edges.
        seen = scene if covered is None else None
        moving = None
        if seen is not None and layout.compact:
            self._list(seen)
        elif seen is not None:
            if self.canvas.filled:
                self._light()
            self._others(seen)
            moving = self._middle(seen)
        # Our own cards stay visible below overlays that explain them.
        if scene is not None and self.table.seat is not None:
            self._own(scene, self.table.seat)
        # A spectator sees the lower seat like the others.
        elif seen is not None and not layout.compact:
            bottom = round_table(self.table)[0]
            # As wide as the smallest screen.
            text = self._label_text(seen, bottom, LEAST_COLUMNS - 2)
            # Two cells in, a choice: a player's own name begins at the edge.
            self._label(bottom, layout.hand, layout.left + 2, text, middle=layout.above_hand)
            self._hand(seen.places[bottom], layout.hand + 1, layout.middle)
        # Last of the table: it moves over everything.
        if moving is not None:
            self._on_its_way(*moving)
        if covered is not None:
            draw_cover(self.canvas, layout, self.table, self.desk)
        if layout.panel and (covered is None or self.desk.mode in PARTIAL):
            draw_beside_table(self.canvas, layout, self.table, scene)

    def _lay_felt(self) -> None:
        """Colour the ground of the table down to the footer, up to the column of rules beside it
        or else the screen's right edge.
        """
        layout = self.layout
        # A column beside the table lies on the plain sheet, with one blank of it before. From the
        # row above TOP to the foot's first: both have rules on screens without a felt.
        end = layout.left + layout.width + 1 if layout.panel else layout.columns
        self.canvas.paint(TOP - 1, 0, Ground.FELT, rows=layout.foot - TOP + 2, columns=end)

    def _title(self, scene: Scene | None) -> None:
        """Draw the line of game, hand and contract above the table, shortened to fit, and below
        it the counts, of which the last lack the names of their sides if the line is too long.
        """
        table, write = self.table, self.table.writer
        left, width = self.layout.left, self.layout.width
        dot = f" {self.canvas.glyphs.dot} "
        parts = [table.telling.title]
        if scene is not None:
            parts += [f"hand {hand_label(table.number)}", *map(write.line, scene.contract)]
        if cells_of(dot.join(parts)) > width:
            # Too long: the house rules go first ("304, pagat rules, with ..."), then all of the
            # rules, then the contract from its end.
            parts[0] = parts[0].partition(", with ")[0]
        if cells_of(dot.join(parts)) > width:
            parts[0] = table.game.name
        while cells_of(dot.join(parts)) > width and len(parts) > 1:
            parts.pop()
        self.canvas.put(0, left, dot.join(parts), Style.TITLE, room=width)
        counts = () if scene is None else scene.counts
        # Fewer sides are named until the line fits; a count without its sides is still one.
        for named, gap in product(range(len(counts), -1, -1), ("   ", "  ")):
            told = [
                f"{count.word} "
                + ", ".join(
                    f"{write.line(side)} {value}" if place < named else value
                    for side, value in count.values
                )
                for place, count in enumerate(counts)
            ]
            line = gap.join(told)
            if cells_of(line) <= width:
                break
        # If nothing fits it is the shortest, which is cut at the edge.
        self.canvas.put(1, left, line, room=width)
        if not self.canvas.filled:  # the felt has an edge of its own
            self.canvas.put(2, left, self.canvas.glyphs.across * width, Style.FAINT)

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
        place = self.table.writer.seat(seat)
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

    def _label(
        self,
        seat: Seat,
        row: int,
        column: int,
        text: str,
        *,
        room: int = LEAST_COLUMNS,
        middle: int | None = None,
        style: Style = Style.STRONG,
    ) -> None:
        """Draw the text of a seat's label in at most `room` cells, marked if the hand waits for the
        seat; centred on `middle` if that is given, but not left of `column`.
        """
        turn = seat in self.table.awaited_seats
        text = (f"{self.canvas.glyphs.turn} " if turn else "  ") + text
        if middle is not None:
            column = max(column, middle - cells_of(text) // 2)
        end = self.canvas.put(row, column, text, Style.TURN if turn else style, room=room)
        if turn and self.canvas.filled:
            # One cell behind a name, too, as the mark leaves one before it; not in a list.
            behind = int(style is Style.STRONG)
            self.canvas.paint(row, column, Ground.AWAITED, columns=end - column + behind)

    def _others(self, scene: Scene) -> None:
        """Draw the other seats: names, roles, unplayed cards and the card beside them."""
        seats = round_table(self.table)
        for spot in self.layout.around.others:
            seat = seats[spot.step]
            place = scene.places[seat]
            if spot.centred:
                # Two cells for the mark. Not beyond the spot's left edge: a neighbour sits there.
                text = self._label_text(scene, seat, spot.room - 2)
                self._label(seat, spot.row, spot.left, text, room=spot.room, middle=spot.middle)
                # Fifty cells are enough for a hand; more would reach the seats at the sides.
                self._hand(place, spot.row + 1, spot.middle, room=min(50, spot.room))
                continue
            # At a side a name has little room: roles have a row of their own.
            name = self._label_text(scene, seat, 0, roles=False)
            self._label(seat, spot.row, spot.left, name, room=spot.room)
            roles, room = self._roles(scene, seat), spot.room - 2
            text = f"({', '.join(roles)})" if roles else ""
            self.canvas.put(spot.row + 1, spot.left + 2, text, room=room)
            # Below name and roles, and below the name's first letter.
            self._hand(place, spot.row + 2, 0, room=room, first=spot.left + 2)

    # Fifty cells are enough for a hand.
    def _hand(
        self, place: ScenePlace, row: int, middle: int, *, room: int = 50, first: int = -1
    ) -> None:
        """Draw the unplayed cards of another seat: known faces first, then backs; behind or below
        them the card that lies beside the hand, such as the indicator.

        They begin in column `first`; if it is negative, they are centred on `middle`. They overlap
        on screens with room for that. Of cards that need more than `room` cells the hidden ones are
        drawn as a number.
        """
        hand, side, fan = place.cards, place.side_card, self.layout.fan
        #: Where the card beside the hand lies.
        spot = None
        if fan is not None and hand:
            spot = self._fanned(place, fan, row, middle, room=room, first=first)
        if spot is None:
            texts = [self._face(card) for card in hand]
            extra = _SIDE_CARD if side is not None else 0
            length = sum(cells_of(each) + 1 for each in texts) + extra
            # Too long: one back with the number of hidden cards.
            if length > room:
                known, backs = len(hand) - hand.count(None), hand.count(None)
                # Known faces come first in `hand`.
                texts[known:] = [f"{self.canvas.hidden}x{backs}"] if backs else []
                length = sum(cells_of(each) + 1 for each in texts) + extra
            column = start = first if first >= 0 else middle - min(length, room) // 2
            end = column + room
            # At the sides there is a second row below; at the top there is not.
            drawn = self.layout.around.card is not None
            at_side = first >= 0 and drawn
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
                column = self._tile(row, column, text, card, end - column) + 1
            # `column` has a blank already; one more where the screen draws cards.
            spot = (row + 1, first) if at_side else (row, column + drawn)
        if side is not None:
            row, column = spot
            # What a seat at the side has, without its two blanks.
            room, label = SIDE - 2, f"{side.label} "
            # In a frame nothing of it stands out.
            filled = self.canvas.filled
            self.canvas.put(row, column, label, Style.FAINT if filled else Style.BACK, room=room)
            taken, style = cells_of(label), None if filled else Style.BACK
            face = self._face(side.card)
            self._tile(row, column + taken, face, side.card, room - taken, style)

    def _fanned(
        self, place: ScenePlace, size: CardSize, row: int, middle: int, *, room: int, first: int
    ) -> tuple[int, int] | None:
        """Draw a seat's cards overlapping, and return where the card beside them goes; draw nothing
        and return None if not every face would stay visible in `room` cells.

        They begin in column `first`; if it is negative, they are centred on `middle`.
        """
        # Framed, a small card has its face at the lower right, where no other may lie on it.
        face = _INDEX if self.canvas.filled else size.columns
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
            return None
        start = column = first if first >= 0 else middle - (length + extra) // 2
        for card, step in zip(place.cards, steps, strict=True):
            draw_card(self.canvas, row, column, card, self._face(card), size=size)
            column += step
        return (row + size.rows, start) if first >= 0 else (row + 1, start + length + 1)

    def _tile(
        self,
        row: int,
        column: int,
        text: str,
        card: Card | None,
        room: int,
        style: Style | None = None,
    ) -> int:
        """Write `text` for a card in at most `room` cells, by default in the style of its suit or
        back, with the ground of a card if cards are filled; return the column after it.
        """
        style = style or (Style.BACK if card is None else SUIT_STYLES[card.suit])
        if not self.canvas.filled:
            return self.canvas.put(row, column, text, style, room=room)
        # Nothing but weave: a hidden card, in the colour of its edge.
        if style is Style.BACK and not text.strip(self.canvas.glyphs.weave):
            style = Style.EDGE
        ground = Ground.COVERED if card is None else Ground.CARD
        return self.canvas.put(row, column, text, style, room=room, ground=ground)

    def _face(self, card: Card | None) -> str:
        """Return a card's face as text; for None the text of a hidden card."""
        # Two cells, as most faces; only tens have three.
        return self.canvas.hidden if card is None else self.table.writer.card(card)

    # --- the middle: the trick, or the auction ----------------------------------------------------

    def _middle(self, scene: Scene) -> tuple[Spot, Lying] | None:
        """Draw what lies in the middle: the auction, the trick in progress or, where the desk
        shows it, the last trick. A card in flight is not drawn but returned with its place.
        """
        mode, around, moving = self.desk.visible_mode, self.layout.around, None
        # The trick that ended the hand is shown like a last trick.
        last = mode in (Mode.LAST_TRICK, Mode.FINISH)
        if scene.middle and not last:
            self._auction(scene)
            return None
        lying = scene.lying
        view = self.table.view()
        if last and view is not None:
            lying = self.table.telling.last_trick(view)
        seats = round_table(self.table)
        for card in lying:
            spot = around.laid[seats.index(card.seat)]
            if around.card is None:
                end = self._written(spot.row, spot.left, card, self._face(card.card), spot.room)
                # A word such as "wins"; a longer one is cut, so that it reaches no other cards.
                self.canvas.put(spot.row, end + 1, card.note, Style.FAINT, room=6)
                continue
            # A card in flight is drawn above all others, at the end.
            if self.desk.flight is not None and self.desk.flight.slot == card.slot:
                moving = spot, card
                continue
            # The winning card has the frame of a chosen one: it is seen without colours, too.
            look, face = CardLook(hatched=card.down, chosen=card.wins), self._face(card.card)
            row, left, size = spot.row, spot.left, around.card
            draw_card(self.canvas, row, left, card.card, face, look=look, size=size)
            # The card's note, to the left or right of it.
            before, after = left - 1, left + size.columns + 1
            column, align = (before, Align.RIGHT) if spot.words_before else (after, Align.LEFT)
            self.canvas.put(row + 1, column, card.note, Style.FAINT, align=align)
        return moving

    def _light(self) -> None:
        """On a felt, lighten the middle of the table, where a trick lies."""
        layout = self.layout
        others, laid, card = layout.around.others, layout.around.laid, layout.around.card
        sides = [spot.left for spot in others if not spot.centred]
        # Only the middle is lit: it ends before the names at the sides.
        at_left = [column + SIDE for column in sides if column < layout.middle]
        at_right = [column for column in sides if column > layout.middle]
        ends = [spot.left + (spot.room if card is None else card.columns) for spot in laid]
        left = max([*at_left, min(spot.left for spot in laid) - _GLOW])
        right = min([*at_right, max(ends) + _GLOW])
        top = min(spot.row for spot in laid)
        # Without drawn cards a card is one row of text.
        low = max(spot.row for spot in laid) + (1 if card is None else card.rows)
        self.canvas.paint(top, left, Ground.LIT, rows=low - top, columns=right - left)
        # Several seats at the top lie closer to the trick.
        if [spot.centred for spot in others].count(True) > 1:
            # Above the seats at the sides it is as wide as what lies before those at the top.
            nearest = min((spot.row for spot in others if not spot.centred), default=low)
            wide = min(spot.left for spot in laid) - _GLOW
            columns = max(ends) + _GLOW - wide
            self.canvas.paint(top, wide, Ground.LIT, rows=nearest - top, columns=columns)

    def _auction(self, scene: Scene) -> None:
        """Draw the last two calls before each seat, one where cards are written as text; in the
        middle the call that stands, with at most one line above it.
        """
        put, write, around = self.canvas.put, self.table.writer, self.layout.around
        for seat, spot in zip(round_table(self.table), around.laid, strict=True):
            place = scene.places[seat]
            style = Style.STRONG if place.leading else Style.PLAIN
            # One row for calls in small layouts.
            calls = place.calls[-1:] if around.card is None else place.calls[-2:]
            for number, call in enumerate(calls):
                if spot.centred and around.card is not None:
                    # `left` is a card's left edge.
                    middle = spot.left + around.card.columns // 2
                    put(spot.row + number, middle, call, style, align=Align.MIDDLE)
                else:
                    put(spot.row + number, spot.left, call, style, room=spot.room)
        stands, *more = map(write.line, scene.middle)
        middle = self.layout.middle
        # One more line: there is no room for a second.
        for line in more[:1]:
            put(around.centre, middle, line, Style.FAINT, align=Align.MIDDLE)
        put(around.centre + 1, middle, stands, Style.STRONG, align=Align.MIDDLE)

    def _on_its_way(self, spot: Spot, card: Lying) -> None:
        """Draw a card on its way from its player to its place in the trick."""
        size, flight = self.layout.around.card, self.desk.flight
        # Cards move only where they are drawn.
        assert size is not None
        assert flight is not None
        row, column = self._comes_from(spot, size)
        # Rounded to whole cells.
        row += round((spot.row - row) * flight.way)
        column += round((spot.left - column) * flight.way)
        look = CardLook(hatched=card.down)
        draw_card(self.canvas, row, column, card.card, self._face(card.card), look=look, size=size)

    def _comes_from(self, spot: Spot, size: CardSize) -> tuple[int, int]:
        """Return the row and column at which a card on its way to `spot` starts: near the name
        or hand of the seat that played it.
        """
        if spot.step == 0:
            # From the middle of our own hand.
            return self.layout.hand - size.rows // 2, self.layout.middle - size.columns // 2
        seat = next(each for each in self.layout.around.others if each.step == spot.step)
        if seat.centred:
            return seat.row, seat.middle - size.columns // 2
        # From the middle of the seat's place towards the table.
        inner = SIDE // 2
        at_left = seat.left < self.layout.middle
        return seat.row, seat.left + inner if at_left else seat.left + SIDE - inner - size.columns

    def _written(self, row: int, column: int, card: Lying, face: str, room: int) -> int:
        """Write a card of the trick as text, in brackets if it lies face down, in at most `room`
        cells; return the column after it.
        """
        return self._tile(row, column, f"[{face}]" if card.down else face, card.card, room)

    # --- our own cards ----------------------------------------------------------------------------

    def _own(self, scene: Scene, seat: Seat) -> None:
        """Draw our hand with its name, and make each card clickable. Cards that cannot be chosen
        now are barred; below each card stands its note, or its place in the order that is
        picked.
        """
        layout, desk, cards = self.layout, self.desk, scene.hand
        # The name's row; the cards begin below it.
        hand = layout.hand
        # In the list our last call or card ends this row (`_list`).
        room = layout.width - (_LAID if layout.compact else 0)
        name = self._label_text(scene, seat, room - 2)
        self._label(seat, hand, layout.left, name, room=room, middle=layout.above_hand)
        playable = {each.slot for each in self.table.choices if each.slot is not None}
        if desk.mode is Mode.ORDER and desk.pending is not None:
            playable = set(desk.pending.order) - set(desk.picked)
        cursor = desk.cursor.slot if isinstance(desk.cursor, Choice) else desk.cursor
        parted = [
            False,
            # A gap between suits, and before a card that lies apart.
            *(one.card.suit != two.card.suit or two.apart for one, two in pairwise(cards)),
        ]
        gaps = sum(parted)
        rows, columns = layout.card
        # As far apart as they fit: cards of a long hand overlap.
        room = (layout.width - columns - _SUITS * gaps) // max(1, len(cards) - 1)
        step = min(columns + 1, room)
        # The last card has a blank behind it, too, like all others.
        length = step * (len(cards) - 1) + columns + 1 + _SUITS * gaps
        column = layout.left + max(0, (layout.width - length) // 2)
        # Not strict: `parted` begins with False even if there is no card.
        for each, apart in zip(cards, parted, strict=False):
            column += _SUITS if apart else 0
            chosen = each.slot == cursor
            # Only while cards can be played: at another's turn none is barred.
            barred = bool(playable) and each.slot not in playable
            look = CardLook(hatched=each.apart, chosen=chosen, barred=barred)
            face = self._face(each.card)
            draw_card(self.canvas, hand + 1, column, each.card, face, look=look, size=layout.card)
            text, style = each.note, Style.FAINT
            if desk.mode is Mode.ORDER and each.slot in desk.picked:
                text, style = f"{desk.picked.index(each.slot) + 1}.", Style.STRONG
            # Carets, too: no card is shown as chosen by colours alone.
            elif chosen:
                text, style = f"^{each.note}^", Style.STRONG
            below, middle = hand + 1 + rows, column + columns // 2
            self.canvas.put(below, middle, text, style, align=Align.MIDDLE)
            # One row more than the card: its note is clicked as well.
            hit = Hit(hand + 1, column, rows + 1, columns, f"card {each.slot}")
            self.canvas.hits.append(hit)
            column += step

    # --- the seats as a list, where there is no room for a table ----------------------------------

    def _list(self, scene: Scene) -> None:
        """Draw the other seats, for a spectator all, as lines from our right in the order of play;
        each ends with its last call or card.

        If the lines do not fit, two stand beside each other. Our own last call or card ends the
        line with our name, above our cards.
        """
        layout, (first, *others) = self.layout, round_table(self.table)
        # A spectator sees all seats in the list, a player's own cards lie below it.
        order = others if self.table.seat is not None else [*others, first]
        # `bool`: a line in the middle takes one row.
        lines = layout.hand - TOP - bool(scene.middle)
        columns = 1 if len(order) <= lines else 2
        # Rounded up: Python's floor division of a negative.
        per = -(-len(order) // columns)
        width = layout.width // columns
        laid = _LAID if columns == 1 else _LAID_IN_HALVES
        for number, seat in enumerate(order):
            row, left = TOP + number % per, layout.left + number // per * width
            # Two cells for the mark, and a blank before what lies there.
            room = width - laid - 3
            text = self._list_seat(scene, seat, room)
            self._label(seat, row, left, text, room=room + 2, style=Style.PLAIN)
            self._said(scene, seat, row, left + width - laid, laid)
        if self.table.seat is not None:
            self._said(scene, first, layout.hand, layout.left + layout.width - _LAID, _LAID)
        # One line: there is no middle to write more in.
        for line in map(self.table.writer.line, scene.middle[:1]):
            self.canvas.put(TOP + per, layout.middle, line, Style.STRONG, align=Align.MIDDLE)

    def _list_seat(self, scene: Scene, seat: Seat, room: int) -> str:
        """Return a seat's entry in the list, in `room` cells: name, roles, and for other seats
        its cards.
        """
        place = scene.places[seat]
        # Known cards first; the rest as one back with a number.
        known = [self._face(card) for card in place.cards if card is not None]
        backs = place.cards.count(None)
        cards = [*known, *([f"{self.canvas.hidden}x{backs}"] if backs else [])]
        held = "" if seat == self.table.seat else " ".join(cards)
        if held and place.side_card is not None:
            # The indicator's card too, if its label leaves the name some room.
            longer = f"{held} {place.side_card.label} {self._face(place.side_card.card)}"
            least = cells_of(self._label_text(scene, seat, 0))
            held = longer if least + 1 + cells_of(longer) <= room else held
        left = room - cells_of(held) - bool(held)
        name = self._label_text(scene, seat, left)
        # Below four cells a cut name would say nothing.
        if 4 <= left < cells_of(name):
            name = safe_text(name, cells=left, ascii_only=self.table.writer.ascii_only)
        return f"{name} {held}".rstrip()

    def _said(self, scene: Scene, seat: Seat, row: int, column: int, laid: int) -> None:
        """Write the last call of a seat while calls are made, else the cards that lie before it, at
        most `laid` columns wide.
        """
        place = scene.places[seat]
        if scene.middle and place.calls:
            style = Style.STRONG if place.leading else Style.PLAIN
            # One cell less: a blank before the line beside it.
            self.canvas.put(row, column, place.calls[-1], style, room=laid - 1)
        # While something is said in the middle nothing lies there.
        for card in () if scene.middle else scene.lying:
            if card.seat == seat:
                end = self._written(row, column, card, self.table.writer.card(card.card), laid - 1)
                # A blank before the note, and one behind it.
                room = column + laid - end - 2
                self.canvas.put(row, end + 1, card.note, Style.FAINT, room=room)
