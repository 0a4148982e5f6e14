"""The screen's table updated by events: contributions, awaited seats, proofs, the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from cli.clock import on_the_wall
from cli.front.narrator import Seen, lost_broker, news_of, presence_line
from cli.front.story import MatchHistory, StopNotice, Story, so_far
from cli.net.transport import LinkState, LinkStatus, Trouble
from cli.sanitize import safe_text
from cli.screen.model import (
    NEWS,
    Table,
    after_action,
    after_notice,
    after_view,
    new_table,
    with_sentence,
)
from cli.wording import capital
from p2p304.seats import Seat
from p2p304.telling import Ended
from protocol.places import LedgerName
from protocol.seat.view import SeatView, TableView
from protocol.table.events import (
    ActionTaken,
    Contributed,
    Disclosed,
    Event,
    HandEnded,
    HandStarted,
    MatchEnded,
    RoundClosed,
    TurnOpened,
    Waiting,
)
from protocol.wire import contents

WELCOME: Final = "New to {}? Press ? for the rules of this moment and the game, h for a hint."

#: Events after which a seat's view may show more.
MAY_SHOW_MORE: Final = (ActionTaken, Disclosed, HandStarted, TurnOpened, HandEnded)


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
    table = replace(table, number=number, state=view.state, match=match_of(session))
    # News of what happened before we came back, for the last rows alone.
    news = (*so_far(session, table.writer), "You are back at the table.")
    return replace(after_view(table, number, view), news=news[-NEWS:])


def match_of(known: TableView) -> MatchHistory | None:
    """Return the history of the match that is over; None while a match is in play, or if none of
    its hands is known.
    """
    hands = known.table_state.match_hands
    if known.match_winner is None or not hands:
        return None
    return MatchHistory(hands, known.match_winner, hands[-1].scores)


def as_it_stands(table: Table, known: TableView, awaited: Iterable[Seat]) -> Table:
    """Return the table with what is known now: the seats that have contributed to the open
    round, the awaited seats, the match's hands; for a player also rematch wishes and proposals
    to go on elsewhere.

    `awaited` are for a player the other seats that are awaited, for a spectator all.
    """
    # -1: no hand has begun.
    hand = known.hand(table.number) if table.number >= 0 else None
    answered = () if hand is None else hand.answered_seats
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
    table: Table, event: Event, story: Story, known: TableView, *, transcript: str = ""
) -> Table:
    """Return the table after an event, for a player or a spectator: proofs are counted, actions and
    notices told.

    The `story` follows the events; `known` is the table as it is known now; `transcript` names the
    file of a hand that has ended.
    """
    match event:
        case RoundClosed(ledger, number, _):
            # Our own proofs are not counted: nobody verified them for us here.
            made = proofs_of(known, ledger, number, own=table.seat)
            table = replace(table, proofs=table.proofs + made)
        case HandStarted():
            story.start(event.dealer, event.scores)
            # The event's, since a ruling may have changed them; without any those shown stay.
            scores = tuple(event.scores) or table.scores
            table = replace(table, match=None, scores=scores)
        case MatchEnded(winner, scores):
            table = replace(
                table, match=MatchHistory(known.table_state.match_hands, winner, scores)
            )
        # After a resumption the story may begin in the middle of a hand.
        case ActionTaken() if story.state is not None:
            table = after_action(table, story.carry_out(event)[0])
        case _:
            pass
    clock = on_the_wall(event.since) if isinstance(event, Waiting) else ""
    return after_notice(table, event, clock=clock, transcript=transcript)


def with_news(
    table: Table, event: Event, known: TableView, notice: StopNotice, *, welcome: bool
) -> Table:
    """Return the table with the sentence of an event about going on elsewhere among the news; other
    events have none here (see `after_event`). `notice` adds one if a seat may have stopped playing.

    With `welcome` the table's hand 0 adds a sentence about rules and hints.
    """
    # Once at a table: the numbers of hands go on through its later matches.
    if isinstance(event, HandStarted) and event.number == 0 and welcome:
        table = with_sentence(table, WELCOME.format(table.game.name))
    if words := news_of(table.writer, event, known):
        table = with_sentence(table, words)
    # Told every event: it follows who has acted in the hand.
    stopped = notice.hear(event, table.presence)
    return with_sentence(table, stopped) if stopped else table


async def sum_up(table: Table, event: Event) -> None:
    """If the event is a `HandEnded`, compute the hand's summary in a thread and cache it for the
    frames; do nothing for other events.

    It may take a search, for which no frame may wait.
    """
    if isinstance(event, HandEnded):
        ended = Ended(table.state, event.outcome, event.scores, table.faces)
        # Called for its cache: the frames ask for the same summary.
        await asyncio.to_thread(table.telling.summary, ended)


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
            # All others carry no proof.
            case _:
                pass
    return made


# Of these the broker has said nothing; of all others it has given a refusal.
# None: a state that tells no trouble, as before the first attempt.
_SILENT: Final = (Trouble.UNREACHABLE, Trouble.TIMEOUT, Trouble.LOST, None)


def after_status(table: Table, status: LinkStatus, clock: str) -> Table:
    """Return the table after a change of the connection at the local time `clock`.

    While it is lost, `link` tells since when, and the news tell each reason once; "Connected
    again." follows. A closed connection takes `link` away without a word.
    """
    if status.state in (LinkState.CONNECTED, LinkState.CLOSED):
        fine = replace(table, link="", lost_since="")
        back = table.link and status.state is LinkState.CONNECTED
        return with_sentence(fine, "Connected again.") if back else fine
    # Since the first loss: attempts in between do not start it anew.
    since = table.lost_since or clock
    after = replace(table, lost_since=since, link=_line(status, since))
    # If the others are gone as well, it is the broker and not our line.
    if status.state is LinkState.DISCONNECTED:
        named = {seat: table.writer.seat(seat) for seat in table.presence}
        whose = lost_broker(named, table.presence)
        return with_sentence(after, whose) if whose else after
    why = safe_text(status.sentence, ascii_only=table.writer.ascii_only)
    # Each attempt gives the same reason: it is told once.
    return after if why in after.news else with_sentence(after, why)


def _line(status: LinkStatus, since: str) -> str:
    """Return the line that replaces the trust line while the connection is lost or unheard,
    `since` a local time.
    """
    if status.state is LinkState.UNHEARD:
        return f"Perhaps nobody hears us since {since}: what we send does not come back."
    lost = f"Connection lost since {since}; trying again"
    # Just ended: the reasons below are of attempts to come back, and none has failed yet.
    if status.state is LinkState.DISCONNECTED:
        return f"{lost}."
    silent = status.trouble in _SILENT
    return f"{lost} ({'the broker does not answer' if silent else 'the broker refuses'})."
