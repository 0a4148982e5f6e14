"""The table as one seat sees it: an immutable value, updated by events and views.

A `Table` never holds a face that the seat's view does not grant, and of tricks before the last one
only their public points (RULES 10.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from cli.front.narrator import GoingOn, Narrator, Seen, news_of, presence_line
from cli.front.player_commands import why_no_end, wish
from cli.front.story import MatchHistory, Story, ToldAction, so_far
from cli.front.writing import Writer
from cli.sanitize import impostors, safe_name, safe_text
from cli.wording import capital, hand_label
from p2p304.cards import Card, Slot
from p2p304.game import AnyGame, Outcome
from p2p304.games import telling_of
from p2p304.seats import Seat
from p2p304.sentences import won_line
from p2p304.statements import Statement
from p2p304.telling import AnyTelling, Choice, Ended, Scene, Urgent
from p2p304.view import View
from protocol.places import LedgerName
from protocol.seat.view import SeatView, TableView
from protocol.table.events import (
    ActionTaken,
    ChatReceived,
    Contributed,
    Disclosed,
    EndProposed,
    EndUndone,
    Event,
    HandEnded,
    HandRuled,
    HandStarted,
    HandUnfinished,
    MatchEnded,
    RematchWanted,
    RoundClosed,
    TurnOpened,
    Waiting,
)
from protocol.table.rulings import MatchHand
from protocol.wire import contents
from protocol.wire.charter import Charter
from protocol.wire.contents import ANY_SEATING, Continuation

# A trick of four cards with its calls gives fewer.
#: Sentences that are kept; the oldest of them may be of the trick before, never of one earlier.
NEWS: Final = 12
# A message of more cells is cut: it may not fill the screen (specs 7.8).
CHAT_CELLS: Final = 300
WELCOME: Final = "New to {}? Press ? for the rules of this moment and the game, h for a hint."

#: Events after which a seat's view may show more.
MAY_SHOW_MORE: Final = (ActionTaken, Disclosed, HandStarted, TurnOpened, HandEnded)


class Summary(NamedTuple):
    """The result of a hand that has ended, and the file in which it can be checked."""

    number: int
    outcome: Outcome
    scores: tuple[int, ...]  #: The match's scores after it.
    state: Any  #: Of the hand at its end: the table may have gone on to the next.
    faces: Mapping[Slot, Card]  #: The cards that our seat knew at its end.
    before: tuple[int, ...] = ()  #: The match's scores before it.
    transcript: str = ""
    winner: int | None = None  #: The side that has won the match with it.


class Unfinished(NamedTuple):
    """A hand that ended without a result, by agreement of the seats `present` or, if there are
    none, by the referee; and the file in which it can be checked.
    """

    number: int
    present: tuple[Seat, ...]
    transcript: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Everything that the screen of one seat shows. `seat` is None for a spectator."""

    game: AnyGame
    telling: AnyTelling
    writer: Writer
    names: tuple[str, ...]  #: The nicknames by seat, made safe to print.
    #: Seats whose nickname looks like another's, or like a word of the program.
    doubtful: frozenset[int] = frozenset()
    seat: Seat | None
    fingerprint: str = ""  #: Of the charter; "" where there is none, as in a lesson.
    number: int = -1  #: Of the hand in play, from 0; -1 before the first.
    state: Any = None  #: Of the hand in play, as its game has it; None before the first.
    faces: Mapping[Slot, Card] = field(default_factory=dict)  #: The cards that our seat may know.
    proved: tuple[Statement, ...] = ()  #: What has been proved of hidden cards in this hand.
    choices: tuple[Choice, ...] = ()  #: What our seat, which is asked, may choose.
    # The time of its search would tell people something of the cards.
    #: What our seat, which is asked, must not miss; told where nobody else is a person.
    urgent: Urgent | None = None
    #: Seats that have contributed to the open round already; nobody sees what.
    answered: tuple[Seat, ...] = ()
    #: The others without which nothing goes on, as the ledgers stand; None if nobody looked.
    needed: frozenset[Seat] | None = None
    referees: int = 0  #: How many referees the charter names.
    #: Of the match: before the hand in play, and from its end on with it.
    scores: tuple[int, ...] = ()
    news: tuple[str, ...] = ()  #: What was told last, the newest at the end.
    rounds: int = 0  #: How many were closed since the screen came up.
    proofs: int = 0  #: How many of others were verified here since then.
    waiting: tuple[Seat, ...] = ()  #: For whom the table waits, once it takes long.
    #: With whom another player wants to end the hand unfinished, us among them.
    proposed: tuple[Seat, ...] = ()
    #: With whom we have agreed to end the hand unfinished, while nothing has gone on since.
    agreed: tuple[Seat, ...] = ()
    # One of `SeatView.open_proposals`: the others wait until this question is answered.
    #: What another player asks us to agree to: the match goes on without somebody.
    open_proposals: Continuation | None = None
    #: At which table the others go on that ended the hand without us.
    gone_on: Continuation | None = None
    #: Where bots sit for those who have left: a friend may have their seats.
    bots: tuple[Seat, ...] = ()
    # As text: the model is pure, so that its caller looks at the clock and words the time.
    since: str = ""  #: Since when, by the clock on the wall.
    link: str = ""  #: What is wrong with the connection; empty while it stands.
    lost_since: str = ""  #: Since when it is, by the clock on the wall.
    stopped: str = ""  #: Why the table stopped for good.
    #: The hand that has just ended; none once a newer one was turned to.
    summary: Summary | None = None
    #: The hand that ended here without a result; nothing follows unless that is undone.
    unfinished: Unfinished | None = None
    match: MatchHistory | None = None  #: The match that is over, until another one begins.
    match_hands: tuple[MatchHand, ...] = ()  #: The hands of the match in play that have ended.
    #: Who wants another match, and in which seating.
    wanted: Mapping[Seat, int] = field(default_factory=dict)
    #: Who said what, made safe to print: the latest, the newest at the end.
    chat: tuple[tuple[Seat, str], ...] = ()
    #: The newest words of others that nobody can have read yet: they wait for the next pause.
    unread: int = 0
    #: Where the others are, as far as was heard: hearsay.
    presence: Mapping[Seat, Seen] = field(default_factory=dict)

    @property
    def default(self) -> Choice | None:
        """The choice that Enter alone makes; None for none."""
        return next((each for each in self.choices if each.default), None)

    @property
    def may_talk(self) -> bool:
        """Whether no hand is in play: partners may not communicate during one (RULES 16)."""
        return self.state is None or self.telling.between_hands(self.state)

    @property
    def awaited_seats(self) -> tuple[Seat, ...]:
        """The seats that the hand waits for and that have not contributed yet; empty before the
        first hand.
        """
        if self.state is None:
            return ()
        awaited = self.game.contributors(self.state)
        # Contributions are closed: only that there is one is known.
        return tuple(seat for seat in awaited if seat not in self.answered)

    @property
    def could_end(self) -> tuple[Seat, ...]:
        """The seats, ours among them, that could agree to end the hand without the awaited ones:
        those that another player proposed, else all that are present. Empty if nobody is
        missing, or if they could not agree.
        """
        there = self.present()
        # A proposal of another names its seats; else those who are there could agree.
        present = self.proposed or (there if len(there) < len(self.names) else ())
        able = (
            self.seat in present
            # One alone cannot agree with anybody.
            and len(present) > 1
            and not why_no_end(self.game, self.state, present)
        )
        return present if able else ()

    def present(self) -> tuple[Seat, ...]:
        """Return all seats without those that the table was told to wait for and still needs, in
        the order of the screen.
        """
        # Awaited by the ledgers at this moment: `waiting` was told some time ago.
        gone = [seat for seat in self.waiting if self.needed is None or seat in self.needed]
        return tuple(seat for seat in round_table(self) if seat not in gone)

    def view(self) -> View[Any] | None:
        """Return the view of our seat, as the rules take it; None before the first hand."""
        if self.state is None:
            return None
        return View(self.seat, self.state, self.faces, self.proved, self.scores)

    def scene(self) -> Scene | None:
        """Return the scene of the hand as our seat sees it; None before the first hand."""
        view = self.view()
        # The scores once more: a game takes them apart, for views made elsewhere have none.
        return None if view is None else self.telling.scene(view, self.scores)


def new_table(
    game: AnyGame,
    charter: Charter,
    seat: Seat | None,
    *,
    scores: tuple[int, ...] = (),
    ascii_only: bool = False,
) -> Table:
    """Return a table without events; the charter's names are made safe to print. `seat` is ours,
    None for a spectator; `scores` are those of the match, those of a new match if it is empty.
    """
    raw = [entry.nickname for entry in charter.seats]
    # Judged on raw names: made safe, two different ones may look the same.
    alike = impostors(raw)
    term = charter.continues
    return Table(
        game=game,
        telling=telling_of(game),
        writer=Writer(game.seats, ascii_only=ascii_only),
        names=tuple(safe_name(name, ascii_only=ascii_only) for name in raw),
        doubtful=frozenset(number for number, name in enumerate(raw) if name in alike),
        seat=seat,
        fingerprint=charter.fingerprint,
        referees=len(charter.referees),
        # The keys of the pairs are the seats; the values are who seated the bots. A spectator is
        # shown none: it cannot give a seat back.
        bots=tuple(dict(term.bots)) if term is not None and seat is not None else (),
        # The match's seed decides the first dealer, not the scores.
        scores=scores or tuple(game.new_match(bytes(32)).scores),
    )


def after_view(
    table: Table, number: int, view: View[Any], choices: tuple[Choice, ...] = ()
) -> Table:
    """Return the table with this view of hand `number` and these choices; no seat has answered
    yet. At a new hand the news begin anew with its dealer. While a hand is in play only unread
    chat is kept.
    """
    if number != table.number:
        # News of the hand before are dropped: the screen shows no older tricks (RULES 10.3).
        dealer = table.writer.seat(view.state.dealer)
        table = replace(table, news=(f"Hand {hand_label(number)}: {dealer} deals.",))
    # The newest: whoever writes words of its own sees the chat, and has read what came before.
    # `if`, because [-0:] would be all.
    unread = table.chat[-table.unread :] if table.unread else ()
    return replace(
        table,
        number=number,
        state=view.state,
        faces=view.faces,
        proved=view.proved,
        choices=choices,
        # A new view begins a new round: nobody has contributed to it.
        answered=(),
        # What cannot have been read is not lost because a hand began.
        chat=table.chat if table.telling.between_hands(view.state) else unread,
    )


def after_action(table: Table, done: ToldAction) -> Table:
    """Return the table with the sentences of an action, as far as its faces are known.

    An action that leads to a trick drops all news before it.
    """
    lines = table.telling.tell(*done, table.faces)
    # Sentences of the trick before go when the next is led (RULES 10.3).
    news = () if table.telling.led(done.before, done.after) else table.news
    return replace(table, news=(*news, *map(table.writer.sentence, lines))[-NEWS:])


def with_sentence(table: Table, sentence: str) -> Table:
    """Return the table with one more sentence among the news, of which the newest NEWS are kept."""
    return replace(table, news=(*table.news, sentence)[-NEWS:])


def after_notice(table: Table, event: Event, *, clock: str = "", transcript: str = "") -> Table:
    """Return the table after an event that is no action: with what it changes, such as a result,
    a wait, chat or an agreement, or with its sentence among the news. `clock` is the local time
    since when a wait lasts, `transcript` the name of the file of a hand that ended.
    """
    match event:
        case RoundClosed():
            # A closed round answers every wait.
            return replace(table, rounds=table.rounds + 1, waiting=(), since="")
        case Waiting() if table.match is not None:
            return table  # whether there is another one is asked, not waited for
        # Nothing of bots, which want a match in any seats: they go along with the people.
        case RematchWanted(seat, seating) if seat != table.seat and seating != ANY_SEATING:
            return with_sentence(
                table, f"{table.names[seat]} wants {wish(table.game, table.names, seating)}."
            )
        case Waiting(seats, _):
            return replace(table, waiting=seats, since=clock if seats else "")
        case HandEnded(number, outcome, scores):
            # A hand that ends has begun, with a state.
            assert table.state is not None
            faces, before = table.faces, table.scores
            ended = Summary(number, outcome, scores, table.state, faces, before, transcript)
            # The result is no news: its summary tells it, after the last trick was looked at.
            return replace(table, scores=scores, summary=ended, choices=(), agreed=(), proposed=())
        case MatchEnded(winner, scores):
            # `and`: without a summary it stays None.
            summary = table.summary and table.summary._replace(winner=winner)
            win = table if summary else with_sentence(table, won_words(table, winner, scores))
            # Any luck: it decides the first dealer, no score.
            start = tuple(table.game.new_match(bytes(32)).scores)
            # A next match starts anew; the summary keeps the old scores.
            return replace(win, summary=summary, scores=start if summary else scores)
        case EndUndone():
            # The hand goes on after all: every trace of its end is taken back.
            table = replace(table, agreed=(), proposed=(), stopped="", unfinished=None)
        case HandRuled():
            # A ruling replaces the result, so its summary goes. Nor is the table stopped any more,
            # unless the ruling's own notice stops it.
            table = replace(table, waiting=(), since="", proposed=(), summary=None, choices=())
            table = replace(table, agreed=(), stopped="", unfinished=None)
        case HandUnfinished(number, present):
            table = replace(table, waiting=(), since="", proposed=(), summary=None, choices=())
            table = replace(table, agreed=(), unfinished=Unfinished(number, present, transcript))
        case ChatReceived(seat, text):
            line = safe_text(text, cells=CHAT_CELLS, ascii_only=table.writer.ascii_only)
            # Own words are read; a spectator has no pause to read in. No more than are kept: chat
            # has the bound of the news.
            unread = 0 if table.seat in (None, seat) else min(table.unread + 1, NEWS)
            return replace(table, chat=(*table.chat, (seat, line))[-NEWS:], unread=unread)
    # `writer.seat` names no players: nicknames stand beside the seats on the screen.
    narrator = Narrator(
        game=table.game,
        writer=table.writer,
        called=table.writer.seat,
        seat=table.seat,
        how_to_end="Press e",
    )
    # One agreement at most is told with an event; `notice` takes several.
    notice = narrator.notice(event, agreed=(table.agreed,) if table.agreed else ())
    if notice is None:
        return table
    if isinstance(event, HandUnfinished):
        return replace(table, stopped=notice.brief)
    if notice.stops:
        # A short notice is shown in one line, with its full text among the news.
        after = with_sentence(table, notice.text) if notice.short else table
        return replace(after, stopped=notice.brief, choices=())
    table = with_sentence(table, notice.brief)
    # Only what concerns us: a proposal that names neither us nor a missing seat asks nothing.
    if isinstance(event, EndProposed) and table.seat in event.present:
        return replace(table, proposed=event.present) if absent(table, event.present) else table
    return table


def table_of(session: SeatView, *, ascii_only: bool) -> Table:
    """Return the screen's table of a session. Of a resumed one it has the view of the present
    hand, and as news what happened before; before the first hand it is empty.
    """
    # Without a match in play `new_table` takes the scores of a new one.
    hand, view, scores = session.hand(), session.view(), session.scores or ()
    table = new_table(
        session.game, session.charter, session.seat, scores=scores, ascii_only=ascii_only
    )
    # No hand is in play before the first deal.
    if hand is None or view is None:
        return table
    number = hand.number
    hands, won = session.table_state.match_hands, session.match_winner
    # None while a match is in play, or if none of its hands is known.
    over = None if won is None or not hands else MatchHistory(hands, won, hands[-1].scores)
    table = replace(table, number=number, state=view.state, match=over)
    # News of what happened before we came back, for the last rows alone.
    news = (*so_far(session, table.writer), "You are back at the table.")
    return replace(after_view(table, number, view), news=news[-NEWS:])


def as_it_stands(table: Table, known: TableView, awaited: Iterable[Seat]) -> Table:
    """Return the table with what is known now: the seats that have contributed to the open
    round, the awaited seats, the match's hands; for a player also rematch wishes and proposals
    to go on elsewhere.

    `awaited` are for a player the other seats that are awaited, for a spectator all.
    """
    # -1: no hand has begun.
    hand = known.hand(table.number) if table.number >= 0 else None
    answered = () if hand is None else hand.answered
    stands = replace(
        # Taken anew each time: a proposal or wish may have been withdrawn.
        table,
        answered=answered,
        needed=frozenset(awaited),
        match_hands=known.table_state.match_hands,
        wanted={},
    )
    # A spectator, or a seat that has not confirmed the charter, is asked nothing.
    if not isinstance(known, SeatView) or not known.spoken:
        return stands
    asked, before = known.open_proposals(), table.open_proposals
    # The question on the screen stays the same while its proposal stands, whoever else asks.
    kept = (each for each in asked if before is not None and each.same_as(before))
    return replace(
        stands,
        wanted=known.rematch_wishes(),
        open_proposals=next(kept, asked[0] if asked else None),
        gone_on=known.gone_on_without_us(),
    )


def after_event(
    table: Table,
    event: Event,
    story: Story,
    known: TableView,
    *,
    clock: Callable[[float], str],
    transcript: str = "",
    welcome: bool = False,
) -> Table:
    """Return the table after an event, for a player or a spectator: proofs are counted, actions and
    notices told.

    The `story` follows the events; `known` is the table as it is known now; `clock` writes a moment
    of the monotonic clock; `transcript` names the file of a hand that has ended. A player is also
    told of going on elsewhere and of seats that may have stopped playing, and with `welcome` of
    rules and hints at the table's first hand.
    """
    since = ""
    match event:
        case RoundClosed(ledger, number, _):
            # Our own proofs are not counted: nobody verified them for us here.
            made = proofs_of(known, ledger, number, own=table.seat)
            table = replace(table, proofs=table.proofs + made)
        case HandStarted(number):
            story.start(event)
            # The event's, since a ruling may have changed them; without any those shown stay.
            scores = tuple(event.scores) or table.scores
            table = replace(table, match=None, scores=scores)
            # Once at a table: the numbers of hands go on through its later matches.
            if welcome and number == 0:
                table = with_sentence(table, WELCOME.format(table.game.name))
        case MatchEnded(winner, scores):
            history = MatchHistory(known.table_state.match_hands, winner, scores)
            table = replace(table, match=history)
        # After a resumption the story may begin in the middle of a hand.
        case ActionTaken() if story.state is not None:
            return after_action(table, story.carry_out(event)[0])
        case Waiting(seats):
            since = clock(event.since)
            if seats and table.seat is not None:
                stopped = story.stop_notice(seats, table.presence)
                table = with_sentence(table, stopped) if stopped else table
        case _ if isinstance(event, GoingOn) and table.seat is not None:
            return with_sentence(table, news_of(table.writer, event, known))
    return after_notice(table, event, clock=since, transcript=transcript)


def sum_up(table: Table, event: HandEnded) -> None:
    """Compute the summary of the hand that ended, and have it cached for the frames, which ask for
    the same.

    It may take a search, for which no frame may wait: this is called in a thread.
    """
    table.telling.summary(Ended(table.state, event.outcome, event.scores, table.faces))


def after_presence(table: Table, seat: Seat, seen: Seen) -> Table:
    """Return the table with a seat's new presence, and with the sentence of `presence_line`
    about it, if there is one.
    """
    name = table.writer.seat(seat)
    line = presence_line(seat, capital(name), seen, table.presence.get(seat))
    after = replace(table, presence={**table.presence, seat: seen})
    return with_sentence(after, line) if line else after


def after_contribution(table: Table, event: Event) -> Table:
    """Return the table without the event's seat among the seats waited for, once that seat owes
    nothing more; unchanged for other events.
    """
    # A seat may owe several contributions: it is awaited until all came.
    if not isinstance(event, Contributed) or event.seat in (table.needed or ()):
        return table
    waiting = tuple(seat for seat in table.waiting if seat != event.seat)
    return replace(table, waiting=waiting, since=table.since if waiting else "")


def proofs_of(table: TableView, ledger: LedgerName, number: int, *, own: Seat | None) -> int:
    """Return how many proofs are in the messages of round `number` (from 1), without those of
    `own`.

    All were verified before the round closed.
    """
    made = 0
    for seat, content in table.contents_of_round(ledger, number):
        match content:
            case _ if seat == own:
                pass
            # Each of these messages carries one proof for the whole.
            case contents.HandKeys() | contents.ShuffleStep() | contents.DealShares():
                made += 1
            case contents.HandOverShares(handovers):
                made += len(handovers)
            case contents.SortedHands(remixes):
                made += len(remixes)
            case contents.Action(_, proofs, _, remixes):
                made += len(proofs) + len(remixes)
    return made


def won_words(table: Table, winner: int, scores: tuple[int, ...]) -> str:
    """Return the sentence that a side has won the match."""
    return table.writer.sentence(won_line(table.telling.winners(winner, scores)))


def at_its_end(table: Table) -> Table:
    """Return the table as the hand of the summary left it, with the scores before that hand;
    unchanged without a summary.

    The next hand may have begun; the gain of the hand is shown with its summary.
    """
    ended = table.summary
    if ended is None:
        return table
    left = replace(table, number=ended.number, state=ended.state, scores=ended.before)
    before = tuple(each for each in table.match_hands if each.number < ended.number)
    return replace(left, faces=ended.faces, choices=(), match_hands=before)


def ends_with_a_trick(table: Table) -> bool:
    """Return whether there is a summary whose hand ended with a trick that nobody could look at
    yet.
    """
    return table.summary is not None and table.telling.ended_on_trick(table.summary.state)


def absent(table: Table, present: Iterable[Seat]) -> tuple[Seat, ...]:
    """Return the seats that are not `present`, in the order of the screen."""
    # In the order of the screen, so that sentences name seats as the eye finds them.
    there = set(present)
    return tuple(each for each in round_table(table) if each not in there)


def round_table(table: Table) -> tuple[Seat, ...]:
    """Return all seats: the lower edge first, ours or seat 0 for a spectator, then to the right in
    the order of play.
    """
    seats, bottom = len(table.names), table.seat or Seat(0)
    return tuple(Seat((bottom + step) % seats) for step in range(seats))
