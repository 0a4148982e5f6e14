"""The table as one seat sees it: grown from events and views, pure, and with nothing of its own.

A `Table` never holds a face that the seat's view does not grant, and nothing of a trick earlier
than the last one but what the count of public points tells (RULES 10.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from cli.claims import BEHIND_IN_SHORT, claims_in_short
from cli.sanitize import impostors, safe_name, safe_text
from cli.story import bid_name
from cli.ui.ending import why_no_end
from cli.ui.talk import between_hands
from cli.ui.words import Voice, place, places, sentences, trick_points
from p2p304.cards import Card
from p2p304.rules304.actions import (
    Action,
    CallCaps,
    CallSpoilt,
    PlayCard,
    PlayDown,
    Ready,
)
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import SEATS, State, Trick
from p2p304.rules304.teams import TEAM_NAMES, team_of
from p2p304.seats import Seat
from p2p304.slots import Slot
from p2p304.view import View
from protocol.charter import Charter
from protocol.events import (
    ChatReceived,
    ClaimsOpen,
    EndProposed,
    EndUndone,
    Event,
    HandEnded,
    HandUnfinished,
    JournalBehind,
    MatchEnded,
    RoundClosed,
    SeatBlamed,
    SeatSuspected,
    SecondOpinionDiffered,
    SessionStopped,
    Waiting,
)

NEWS: Final = 12
"""Sentences that are kept; the oldest of them may be of the trick before, never of one earlier."""
CHAT_CELLS: Final = 300
_ORDER: Final = {card: number for number, card in enumerate(PACK)}


class Summary(NamedTuple):
    """A hand that has ended, and where it can be looked at."""

    number: int
    outcome: HandOutcome
    scores: tuple[int, ...]
    state: State
    transcript: str = ""
    winner: int | None = None
    """The team that has won the match with it."""


class Unfinished(NamedTuple):
    """A hand that those present ended where it stood, and where it can be looked at."""

    number: int
    present: tuple[Seat, ...]
    transcript: str = ""


class HandCard(NamedTuple):
    """One of the cards of our hand."""

    slot: Slot
    card: Card
    points: int
    is_indicator: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Everything that the screen of one seat shows. `seat` is None for a spectator."""

    game: Game304
    names: tuple[str, ...]
    doubtful: frozenset[int] = frozenset()
    """Seats whose nickname looks like another's, or like a word of the program."""
    seat: Seat | None
    fingerprint: str = ""
    ascii_only: bool = False
    number: int = -1
    state: State | None = None
    faces: Mapping[Slot, Card] = field(default_factory=dict)
    legal: tuple[Action, ...] = ()
    answered: tuple[Seat, ...] = ()
    """Seats that have contributed to the open round already; nobody sees what."""
    needed: frozenset[Seat] | None = None
    """The others without which nothing goes on, as the ledgers stand; None if nobody looked."""
    scores: tuple[int, ...] = ()
    news: tuple[str, ...] = ()
    rounds: int = 0
    proofs: int = 0
    waiting: tuple[Seat, ...] = ()
    proposed: tuple[Seat, ...] = ()
    """With whom another player wants to end the hand unfinished, us among them."""
    agreed: tuple[Seat, ...] = ()
    """With whom we have agreed to end the hand unfinished, while nothing has gone on since."""
    since: str = ""
    """Since when, by the clock on the wall."""
    link: str = ""
    """What is wrong with the connection; empty while it stands."""
    lost_since: str = ""
    """Since when it is, by the clock on the wall."""
    stopped: str = ""
    """Why the table stopped for good."""
    summary: Summary | None = None
    """The hand that has just ended; none once a newer one was turned to."""
    unfinished: Unfinished | None = None
    chat: tuple[tuple[Seat, str], ...] = ()

    @property
    def voice(self) -> Voice:
        """How this table tells cards."""
        return Voice(self.faces, self.ascii_only)

    @property
    def bottom(self) -> Seat:
        """The seat at the lower edge: ours, or South's for a spectator."""
        return Seat(0) if self.seat is None else self.seat

    @property
    def my_turn(self) -> bool:
        """Whether our seat is awaited and has a choice."""
        return bool(self.legal)

    @property
    def may_talk(self) -> bool:
        """Whether no hand is being played: partners may not communicate during one (RULES 16)."""
        return between_hands(self.state)

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """The seats that the table waits for."""
        if self.state is None:
            return ()
        return tuple(seat for seat in self.state.awaiting if seat not in self.answered)

    @property
    def could_end(self) -> tuple[Seat, ...]:
        """Who could agree to end the hand without those who are waited for; us among them."""
        there = self.present()
        present = self.proposed or (there if len(there) < len(self.names) else ())
        able = (
            self.seat in present
            and len(present) > 1
            and not why_no_end(self.game, self.state, present)
        )
        return present if able else ()

    def present(self) -> tuple[Seat, ...]:
        """All without whom the hand does not have to wait now."""
        gone = [seat for seat in self.waiting if self.needed is None or seat in self.needed]
        return tuple(seat for seat in round_table(self) if seat not in gone)

    def view(self) -> View[State] | None:
        """What our seat may know of the hand, for the rules to judge with."""
        return None if self.state is None else View(self.seat, self.state, self.faces)


def new_table(
    game: Game304,
    charter: Charter,
    seat: Seat | None,
    *,
    scores: tuple[int, ...] = (),
    ascii_only: bool = False,
) -> Table:
    """A table at which nothing has happened yet; the charter's names are made safe here."""
    raw = [entry.nickname for entry in charter.seats]
    false = impostors(raw)
    return Table(
        game=game,
        names=tuple(safe_name(name, ascii_only=ascii_only) for name in raw),
        doubtful=frozenset(number for number, name in enumerate(raw) if name in false),
        seat=seat,
        fingerprint=charter.fingerprint,
        ascii_only=ascii_only,
        scores=scores or tuple(game.new_match(bytes(32)).scores),
    )


def viewed(table: Table, number: int, view: View[State], legal: tuple[Action, ...] = ()) -> Table:
    """After a look at hand `number`: what was done since the last look has become news."""
    before, after = table.state, view.state
    news = table.news
    faces = {**view.faces, **after.faces}
    if before is None or number != table.number:
        news = (f"Hand {number + 1}: {place(after.dealer)} deals.",)
        before = table.game.start(after.dealer, table.scores).state
    if after.log[: len(before.log)] == before.log:
        voice = Voice(faces, table.ascii_only)
        for seat, action in after.log[len(before.log) :]:
            step = table.game.apply(before, seat, action)
            if step.state.plays and not before.plays:
                news = ()  # what lies before this lead is not told again
            news = (*news, *sentences(before, seat, action, step.state, voice))[-NEWS:]
            before = step.state
    return replace(
        table,
        number=number,
        state=after,
        faces=faces,
        legal=legal,
        answered=(),
        news=news[-NEWS:],
        chat=table.chat if between_hands(after) else (),
    )


def told(table: Table, sentence: str) -> Table:
    """With one more sentence in the news."""
    return replace(table, news=(*table.news, sentence)[-NEWS:])


def heard(table: Table, event: Event, *, clock: str = "", transcript: str = "") -> Table:
    """After an event that is no move of the hand; `clock` is the wall's time of what it tells."""
    match event:
        case RoundClosed():
            return replace(table, rounds=table.rounds + 1, waiting=(), since="")
        case Waiting(seats, _):
            return replace(table, waiting=seats, since=clock if seats else "")
        case HandEnded(number, outcome, scores):
            assert table.state is not None
            ended = Summary(number, outcome, scores, table.state, transcript)
            left = replace(table, scores=scores, summary=ended, legal=(), agreed=(), proposed=())
            return told(left, outcome.summary)
        case MatchEnded(winner, scores):
            summary = table.summary and table.summary._replace(winner=winner)
            win = told(table, f"{TEAM_NAMES[winner]} win the match.")
            start = tuple(table.game.new_match(bytes(32)).scores)
            return replace(win, summary=summary, scores=start if summary else scores)
        case EndProposed(seat, _, present):
            return _proposed(table, seat, present)
        case EndUndone():
            back = replace(table, agreed=(), proposed=(), stopped="", unfinished=None)
            return told(back, "The hand goes on: who was to agree to its end has played on.")
        case HandUnfinished(number, present):
            why = f"{places(present)} ended the hand unfinished."
            ended_here = Unfinished(number, present, transcript)
            left = replace(
                table, waiting=(), since="", proposed=(), agreed=(), summary=None, legal=()
            )
            return replace(left, stopped=why, unfinished=ended_here)
        case ChatReceived(seat, text):
            line = safe_text(text, cells=CHAT_CELLS, ascii_only=table.ascii_only)
            return replace(table, chat=(*table.chat, (seat, line))[-NEWS:])
        case SeatBlamed(seat, check, _):
            why = f"{place(seat)} broke the protocol ({check}); the proof is saved. Play stopped."
            return replace(table, stopped=why, legal=())
        case ClaimsOpen(claims):
            return told(table, claims_in_short(claims))
        case JournalBehind():
            return told(table, BEHIND_IN_SHORT)
        case SeatSuspected(seat, reason):
            return told(table, f"Something of {place(seat)}'s does not fit: {reason}.")
        case SessionStopped(reason):
            return replace(table, stopped=f"This seat signs nothing more: {reason}.", legal=())
        case SecondOpinionDiffered(_, _, statement):
            return told(table, f"A defect of p2p304: {statement} was proved and is false.")
        case _:
            return table


def turned_to_newest(table: Table) -> Table:
    """Without the summary of a hand that is not the newest any more."""
    old = table.summary is not None and table.summary.number != table.number
    return replace(table, summary=None) if old else table


def at_its_end(table: Table) -> Table:
    """The table as the hand of the summary left it, although the next may have begun."""
    ended = table.summary
    if ended is None or ended.number == table.number:
        return table
    faces = dict(ended.state.faces)
    return replace(table, number=ended.number, state=ended.state, faces=faces, legal=())


def ends_with_a_trick(table: Table) -> bool:
    """Whether the hand of the summary ended with a trick at which nobody could look yet."""
    if table.summary is None or not table.summary.state.tricks:
        return False
    for _, action in reversed(table.summary.state.log):
        if isinstance(action, PlayCard | PlayDown):
            return True
        if isinstance(action, Ready | CallCaps | CallSpoilt):
            return False
    return False


def _proposed(table: Table, seat: Seat, present: tuple[Seat, ...]) -> Table:
    gone = places(tuple(each for each in round_table(table) if each not in present))
    if not gone:
        return told(table, f"{place(seat)} agrees to end this hand, although nobody is gone.")
    if table.seat not in present:
        return told(table, f"{place(seat)} agrees to end this hand without {gone}.")
    ask = "" if table.agreed == present else " Press e to agree."
    said = f"{place(seat)} agrees to end this hand without {gone}.{ask}"
    return replace(told(table, said), proposed=present)


# --- what the screen asks ---------------------------------------------------------------------


def known_hand(table: Table, seat: Seat) -> tuple[Card | None, ...]:
    """The unplayed cards of a seat as far as we know them, sorted, then None for each back."""
    assert table.state is not None
    faces = [table.faces.get(slot) for slot in table.state.hands[seat]]
    known = sorted((face for face in faces if face is not None), key=_ORDER.__getitem__)
    return (*known, *[None] * faces.count(None))


def my_cards(table: Table) -> tuple[HandCard, ...]:
    """Our hand by suits and in the game's order, our indicator on the table at the end."""
    state, seat = table.state, table.seat
    if state is None or seat is None:
        return ()
    slots = [slot for slot in state.hands[seat] if slot in table.faces]
    cards = [HandCard(s, table.faces[s], CARD_POINTS[table.faces[s]], False) for s in slots]
    cards.sort(key=lambda each: _ORDER[each.card])
    lies = state.indicator
    if lies is not None and seat == state.maker and lies in table.faces:
        face = table.faces[lies]
        cards.append(HandCard(lies, face, CARD_POINTS[face], True))
    return tuple(cards)


def last_trick(table: Table) -> Trick | None:
    """The latest trick that is complete, the only one that may be shown again."""
    return table.state.tricks[-1] if table.state is not None and table.state.tricks else None


class Taken(NamedTuple):
    """What a team has taken: tricks, points of public cards, and cards that are not public."""

    tricks: int
    points: int
    hidden: int


def taken(state: State) -> tuple[Taken, Taken]:
    """What either team has taken so far, with public cards alone."""
    teams = [Taken(0, 0, 0), Taken(0, 0, 0)]
    for trick in state.tricks:
        points, hidden = trick_points(trick, state)
        team = team_of(trick.winner)
        so_far = teams[team]
        teams[team] = Taken(so_far.tricks + 1, so_far.points + points, so_far.hidden + hidden)
    return teams[0], teams[1]


def calls_of(state: State, seat: Seat) -> tuple[str, ...]:
    """What a seat has said in the auction in progress, or the last one, in order."""
    slots = state.auction.slots
    words = []
    for call in state.calls[len(state.calls) - slots :]:
        if call.seat == seat:
            words.append("pass" if call.said is None else bid_name(call.said))
        elif call.asked_by == seat:
            words.append("asked")
    if state.auction.asked is not None and state.auction.turn == seat:
        words.append("asks")
    return tuple(words)


def round_table(table: Table) -> tuple[Seat, ...]:
    """The seats as they sit: lower edge, right, upper edge, left; play runs in this order."""
    return tuple(Seat((table.bottom + step) % SEATS) for step in range(SEATS))
