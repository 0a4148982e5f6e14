"""The screen of a table, drawn as styled text for any size from 80 by 24: pure.

Nothing is told by colour alone: whose turn it is has a mark and a sentence, a chosen card has a
double frame, a card that cannot be played has a broken one, a card face down is hatched.
"""

from __future__ import annotations

from itertools import pairwise

from cli.sanitize import cells_of
from cli.story import bid_name
from cli.ui.canvas import Canvas, Frame, Style, wrapped
from cli.ui.cardface import FINE, ROUGH, CardLook, card_style, draw_card
from cli.ui.choices import choices
from cli.ui.covers import draw_cover
from cli.ui.desk import Desk, Mode
from cli.ui.foot import draw_foot
from cli.ui.layout import LEAST_COLUMNS, LEAST_ROWS, Layout
from cli.ui.learning import rules_now
from cli.ui.model import (
    HandCard,
    Table,
    at_its_end,
    calls_of,
    known_hand,
    last_trick,
    my_cards,
    round_table,
    taken,
)
from cli.ui.panels import overlay
from cli.ui.words import place
from p2p304.cards import Card, Suit
from p2p304.rules304.state import Caps, Phase, Play, State, Trick, partner
from p2p304.seats import Seat


def render(table: Table, desk: Desk, columns: int, rows: int) -> Frame:
    """The whole screen. Below 80 by 24 it says so, and how to go on."""
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        return _too_small(columns, rows)
    shown = at_its_end(table) if desk.mode is Mode.FINISH else table
    return _Drawing(shown, desk, Layout(columns, rows)).frame()


def _too_small(columns: int, rows: int) -> Frame:
    canvas = Canvas(max(rows, 1), max(columns, 1))
    text = (
        f"The table needs {LEAST_COLUMNS} columns and {LEAST_ROWS} rows; this terminal has"
        f" {columns} and {rows}. Make it larger, or use --plain. Nothing is lost meanwhile."
    )
    for row, line in enumerate(wrapped(text, max(columns, 1))):
        canvas.put(row, 0, line)
    return canvas.frame()


class _Drawing:
    def __init__(self, table: Table, desk: Desk, layout: Layout) -> None:
        self.table = table
        self.desk = desk
        self.layout = layout
        self.rows, self.panel = layout.rows, layout.panel
        self.width, self.left, self.middle = layout.width, layout.left, layout.middle
        self.foot, self.hand, self.top = layout.foot, layout.hand, layout.top
        self.gap, self.airy = layout.gap, layout.airy
        self.canvas = Canvas(layout.rows, layout.columns)
        self.glyphs = ROUGH if table.ascii_only else FINE

    def frame(self) -> Frame:
        self._title()
        state = self.table.state
        covered = overlay(self.table, self.desk)
        if covered is None and state is not None:
            self._others(state)
            self._middle(state)
        if state is not None and self.table.seat is not None:
            self._own(state)
        elif state is not None and covered is None:
            self._seat_label(state, self.table.bottom, self.hand, self.left + 2)
            self._backs(state, self.table.bottom, self.hand + 1, self.middle)
        if covered is not None:
            draw_cover(self.canvas, self.layout, self.table, self.desk)
        draw_foot(self.canvas, self.layout, self.table, self.desk)
        if self.panel and self.desk.mode is not Mode.CHARTER:
            self._side()
        return self.canvas.frame()

    # --- title and foot ---------------------------------------------------------------------------

    def _title(self) -> None:
        table, state, put = self.table, self.table.state, self.canvas.put
        profile = table.game.profile
        dot = f" {self.glyphs.dot} "
        parts = ["304 " + " + ".join((profile.name, *profile.toggles))]
        if state is not None:
            parts.append(f"hand {table.number + 1}")
            if state.contract is not None and state.maker is not None:
                parts.append(_contract(state))
                parts.append(self._trump_words(state))
            if state.caps is not None:
                parts.append(_caps_words(state.caps))
        if cells_of(dot.join(parts)) > self.width:
            parts[0] = f"304 {profile.name}"
        put(0, self.left, dot.join(parts), Style.TITLE, room=self.width)
        put(1, self.left, self._counts(), room=self.width)
        put(2, self.left, self.glyphs.across * self.width, Style.FAINT)

    def _trump_words(self, state: State) -> str:
        if state.trump is not None:
            return f"trump {_suit_word(state.trump)}"
        return "trump hidden" if state.trump_slot is not None else "trump not chosen"

    def _counts(self) -> str:
        table, state = self.table, self.table.state
        unit = "Gained" if table.game.profile.race is not None else "Tokens"
        parts = [(unit, [str(each) for each in table.scores])]
        if state is not None and state.tricks:
            both = taken(state)
            hidden = [f" +{each.hidden} hidden" if each.hidden else "" for each in both]
            parts.append(("Tricks", [str(each.tricks) for each in both]))
            points = [f"{each.points}{more}" for each, more in zip(both, hidden, strict=True)]
            parts.append(("Points", points))
        line = "   ".join(f"{word} N-S {own}, E-W {other}" for word, (own, other) in parts)
        if cells_of(line) <= self.width:
            return line
        *_, (word, (own, other)) = parts
        cut = line.rindex(word)
        return f"{line[:cut].rstrip()}  {word} {own}, {other}".replace("   ", "  ")

    def _side(self) -> None:
        column = self.left + self.width + 2
        room = 36
        canvas = self.canvas
        canvas.put(0, column, "The rules of the moment", Style.TITLE, room=room)
        row = 2
        for paragraph in rules_now(self.table.state, self.table.seat, self.table.faces):
            for line in wrapped(paragraph, room):
                if row >= self.rows - 1:
                    return
                canvas.put(row, column, line, room=room)
                row += 1
            row += 1

    # --- the seats --------------------------------------------------------------------------------

    def _roles(self, state: State, seat: Seat) -> str:
        roles = []
        if seat == self.table.seat:
            roles.append("you")
        elif self.table.seat is not None and seat == partner(self.table.seat):
            roles.append("partner")
        if seat == state.dealer:
            roles.append("dealer")
        if seat == state.maker:
            roles.append("maker")
        return ", ".join(roles)

    def _label(self, state: State, seat: Seat) -> str:
        roles = self._roles(state, seat)
        doubt = "?" if seat in self.table.doubtful else ""
        return f"{place(seat)} {self.table.names[seat]}{doubt}" + (f" ({roles})" if roles else "")

    def _seat_label(self, state: State, seat: Seat, row: int, column: int, room: int = 60) -> None:
        turn = seat in self.table.awaited
        mark = f"{self.glyphs.turn} " if turn else "  "
        style = Style.TURN if turn else Style.STRONG
        self.canvas.put(row, column, mark + self._label(state, seat), style, room=room)

    def _others(self, state: State) -> None:
        _, right, upper, left = round_table(self.table)
        label = f"  {self._label(state, upper)}"
        column = max(self.left, self.middle - cells_of(label) // 2)
        self._seat_label(state, upper, self.top, column)
        self._backs(state, upper, self.top + 1, self.middle)
        row = self._side_row()
        self._side_seat(state, left, row, self.left)
        self._side_seat(state, right, row, self.left + self.width - 24)

    def _side_row(self) -> int:
        return self._spot_of(1)[0] - 1

    def _side_seat(self, state: State, seat: Seat, row: int, column: int) -> None:
        turn = seat in self.table.awaited
        mark = f"{self.glyphs.turn} " if turn else "  "
        style = Style.TURN if turn else Style.STRONG
        name = f"{place(seat)} {self.table.names[seat]}" + "?" * (seat in self.table.doubtful)
        self.canvas.put(row, column, mark + name, style, room=24)
        roles = self._roles(state, seat)
        self.canvas.put(row + 1, column + 2, f"({roles})" if roles else "", room=22)
        self._backs(state, seat, row + 2, column + 12, room=22, first=column + 2)

    def _backs(
        self, state: State, seat: Seat, row: int, middle: int, *, room: int = 50, first: int = -1
    ) -> None:
        """The unplayed cards of another seat: faces that are known, then backs."""
        hand = known_hand(self.table, seat)
        lies = state.indicator is not None and seat == state.maker
        texts = [self._short(card) for card in hand]
        length = sum(cells_of(each) + 1 for each in texts) + (14 if lies else 0)
        if length > room:
            backs = hand.count(None)
            texts = [*texts[: len(hand) - backs], *([f"{self._back(2)}x{backs}"] if backs else [])]
            length = sum(cells_of(each) + 1 for each in texts) + (14 if lies else 0)
        column = first if first >= 0 else middle - length // 2
        end = column + room
        for card, text in zip((*hand, None), texts, strict=False):
            style = Style.BACK if card is None else card_style(card)
            column = self.canvas.put(row, column, text, style, room=end - column) + 1
        if lies:
            below = first >= 0
            spot = (row + 1, first) if below else (row, column + 1)
            lie = self.table.faces.get(state.indicator) if state.indicator is not None else None
            text = f"indicator {self._short(lie)}"
            self.canvas.put(spot[0], spot[1], text, Style.BACK, room=22)

    def _back(self, cells: int) -> str:
        return self.glyphs.hatch * cells

    def _short(self, card: Card | None) -> str:
        return self._back(2) if card is None else self.table.voice.card(card)

    # --- the middle: the trick, or the auction ----------------------------------------------------

    def _spot_of(self, position: int) -> tuple[int, int]:
        """The upper left corner of the card that lies before the seat at this position."""
        row = self.top + 2 + self.airy
        aside = 11 + min(2 * self.gap, (self.width - LEAST_COLUMNS) // 2)
        return {
            0: (row + 4 + 2 * self.gap, self.middle - 2),
            1: (row + 2 + self.gap, self.middle + aside),
            2: (row, self.middle - 2),
            3: (row + 2 + self.gap, self.middle - aside - 4),
        }[position]

    def _middle(self, state: State) -> None:
        if state.phase in (Phase.CUT, Phase.AUCTION4, Phase.AUCTION8):
            self._auction(state)
            return
        trick = self._shown_trick(state)
        plays = state.plays if trick is None else trick.plays
        for place_in_trick, play in enumerate(plays):
            position = (play.seat - self.table.bottom) % 4
            won = trick is not None and play.seat == trick.winner
            row, column = self._spot_of(position)
            self._played(row, column, play, won=won)
            words = "wins" if won else "led" if place_in_trick == 0 else ""
            if position == 1:
                self.canvas.right(row + 1, column - 1, words, Style.FAINT)
            else:
                self.canvas.put(row + 1, column + 6, words, Style.FAINT)

    def _shown_trick(self, state: State) -> Trick | None:
        """The latest trick, where it is asked for, or lies there until everybody goes on."""
        if self.desk.mode in (Mode.LAST_TRICK, Mode.FINISH):
            return last_trick(self.table)
        lying = not state.plays and state.phase is not Phase.TRICK
        return last_trick(self.table) if lying else None

    def _auction(self, state: State) -> None:
        for position, seat in enumerate(round_table(self.table)):
            row, column = self._spot_of(position)
            calls = calls_of(state, seat)
            stands = seat == state.auction.top_seat
            style = Style.STRONG if stands else Style.PLAIN
            for number, call in enumerate(calls[-2:]):
                self.canvas.centred(row + number, column + 2, call, style)
        row, _ = self._spot_of(1)
        bid, bidder = state.auction.top, state.auction.top_seat
        if state.phase is Phase.CUT:
            words = "the pack is shuffled"
        elif bid is None or bidder is None:
            stands = state.contract is not None and state.maker is not None
            words = f"{_contract(state)} stands" if stands else "no bid yet"
        else:
            words = f"{bid_name(bid)} by {place(bidder)}"
        if state.phase is Phase.AUCTION8:
            self.canvas.centred(row, self.middle, "with eight cards", Style.FAINT)
        self.canvas.centred(row + 1, self.middle, words, Style.STRONG)

    def _played(self, row: int, column: int, play: Play, *, won: bool) -> None:
        face = self.table.faces.get(play.slot)
        public = self.table.state is not None and play.slot in self.table.state.faces
        look = CardLook(hatched=play.down and not public, chosen=won)
        self._card(row, column, face, look)

    # --- cards ------------------------------------------------------------------------------------

    def _card(self, row: int, column: int, card: Card | None, look: CardLook) -> None:
        text = None if card is None else self.table.voice.card(card)
        draw_card(self.canvas, self.glyphs, row, column, text, card, look)

    def _own(self, state: State) -> None:
        assert self.table.seat is not None
        self._seat_label(state, self.table.seat, self.hand, self.left, self.width)
        cards = my_cards(self.table)
        playable = {each.slot for each in choices(self.table) if each.slot is not None}
        if self.desk.mode is Mode.CAPS:
            playable = {each.slot for each in cards if each.slot not in self.desk.picked}
        gaps = sum(1 for one, two in pairwise(cards) if _parted(one, two))
        length = 6 * len(cards) + 2 * gaps
        column = self.left + max(0, (self.width - length) // 2)
        before: HandCard | None = None
        for each in cards:
            column += 2 if before is not None and _parted(before, each) else 0
            chosen = each.slot == self.desk.cursor
            barred = bool(playable) and each.slot not in playable
            row = self.hand + 1
            look = CardLook(hatched=each.is_indicator, chosen=chosen, barred=barred)
            self._card(row, column, each.card, look)
            self._under(row + 3, column, each, chosen=chosen)
            self.canvas.hit(row, column, f"card {each.slot}", rows=4, columns=5)
            column += 6
            before = each

    def _under(self, row: int, column: int, card: HandCard, *, chosen: bool) -> None:
        text, style = f"{card.points}", Style.FAINT
        if self.desk.mode is Mode.CAPS and card.slot in self.desk.picked:
            text, style = f"{self.desk.picked.index(card.slot) + 1}.", Style.STRONG
        elif chosen:
            text, style = f"^{card.points}^", Style.STRONG
        elif card.is_indicator:
            text = "trump"
        self.canvas.centred(row, column + 2, text, style)


def _parted(one: HandCard, two: HandCard) -> bool:
    return one.card.suit != two.card.suit or two.is_indicator


def _contract(state: State) -> str:
    """The bid that stands, and whose it is."""
    assert state.contract is not None
    assert state.maker is not None
    return f"{bid_name(state.contract)} by {place(state.maker)}"


def _caps_words(caps: Caps) -> str:
    """Who called caps, and what the opponents answered: it stands until the hand is over."""
    answer = {None: "", True: ", contested", False: ", conceded"}[caps.contested]
    return f"caps by {place(caps.seat)}{answer}"


def _suit_word(suit: Suit) -> str:
    return suit.name.lower()
