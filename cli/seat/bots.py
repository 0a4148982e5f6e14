"""A bot in a seat: it decides from its view alone, in a thread or a worker process, and sends its
action at a moment that reveals nothing of its cards, and not too soon.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from math import ceil
from typing import Any, Protocol

from cli.bounds import BOT_LOOKS_EVERY, BOT_WAITS_FOR, HELD_FOR, MAKING
from cli.decision import Decision, think
from cli.errors import UserError
from cli.front.assistant import duty
from cli.front.narrator import RISK, Seen
from cli.front.player_commands import AnswerGoingOn, CarryOut
from cli.net.transport import LinkStatus
from cli.seat.charter_text import nobody_to_ask
from cli.seat.sentences import narrator_for, told_in_line, why_not
from cli.seat.setup import Executor
from cli.tasks import Errands, first, happens, never
from p2p304.bots.advice import Advice
from p2p304.games import telling_of
from p2p304.seats import Seat
from protocol.errors import InternalFault
from protocol.seat.view import SeatView
from protocol.table.events import (
    ActionTaken,
    ClaimsOpen,
    ContinuationProposed,
    EndProposed,
    Event,
)
from protocol.topics.commands import EndUnfinished, PlayOn, WantRematch
from protocol.topics.substitute import seats_of
from protocol.wire.charter import Charter
from protocol.wire.contents import ANY_SEATING, Continuation
from protocol.wire.identity import PublicKey


class Pace:
    """The least seconds between two actions at the table, whosever the earlier is; they may
    change.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        """Set the least seconds; the first action does not wait."""
        self._seconds = seconds
        # Of the loop's clock: long ago, so that the first action does not wait.
        self._moved = 0.0
        self._changed = asyncio.Event()

    @property
    def seconds(self) -> float:
        """The seconds that an action is shown before the next."""
        return self._seconds

    def change(self, seconds: float) -> None:
        """Set the seconds, also for an action that waits already."""
        self._seconds = seconds
        self._changed.set()

    def moved(self) -> None:
        """Note that a seat has acted now."""
        self._moved = asyncio.get_running_loop().time()

    async def pause(self) -> None:
        """Wait until the pace's seconds have passed since the action that `moved` noted last,
        also if they change meanwhile.
        """
        loop = asyncio.get_running_loop()
        # Again after a change of pace: the wait may now be shorter or over.
        while (left := self._moved + self._seconds - loop.time()) > 0:
            self._changed.clear()
            await happens(self._changed, within=left)


class AnswerMoment:
    """The seconds from a question to its answer, however soon the answer is made; 0 for at once.

    A bot's thinking time depends on its cards, and the size of its proofs too. The answer is sent
    this many seconds after the question, or on a slow machine after two or three times as many.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        *,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Set the moment. `clock` returns seconds, by default the event loop's; `sleep` waits."""
        self.seconds = seconds
        # Asked for at each call: a loop need not run yet.
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep
        self._began: float | None = None

    def asked(self, *, told: bool = False) -> None:
        """Start the count for a question. With `told` everybody at the table knows the only
        answer, and it is sent at once.
        """
        # A forced answer held back would tell nothing and cost time.
        self._began = None if told or not self.seconds else self._clock()

    async def near(self) -> None:
        """Wait until the answer has to be begun: `MAKING` seconds, or a quarter of the moment if
        that is less, before the moment, or before its next multiple if it has passed.

        Return at once if nothing was asked, if `asked` was given `told`, or if the moment is 0.
        """
        # No more than a quarter of a short moment.
        await self._before(min(MAKING, self.seconds / 4))

    async def come(self) -> None:
        """Wait until the moment, at which the finished answer may be sent, and forget the
        question. Return at once if nothing was asked, or what was asked with `told`.
        """
        await self._before(0.0)
        self._began = None

    async def _before(self, margin: float) -> None:
        """Wait until `margin` seconds before the next multiple of the moment, counted from the
        question; without one return at once.
        """
        if self._began is not None:
            passed = self._clock() - self._began
            # A late answer waits for the next multiple: its delay tells only how many, not how
            # long. Rounded: a quotient a hair above 1 would wait for a whole further multiple.
            times = max(1, ceil(round(passed / self.seconds, 9)))
            await self._sleep(max(0.0, times * self.seconds - margin - passed))


class Thinks(Protocol):
    """The search of a bot, which runs while its seat does other work."""

    def begin(self) -> None:
        """Start whatever the search needs, such as a worker process. Never waits."""
        ...

    def ask(self, question: Decision) -> Advice:
        """Return the advice for a question. Blocks; raises ValueError if the seat has nothing to
        decide.
        """
        ...


Listener = Callable[[Event, SeatView], None]
#: Answers for the bot as `SeatPlayer.confirm` does.
Agree = Callable[[Charter, tuple[PublicKey, ...]], Awaitable[bool]]
#: Waits until whoever started the bot has gone.
UntilGone = Callable[[], Coroutine[Any, Any, None]]


class BotSeat:
    """A player that decides by itself; `listeners` are called with every event.

    The bot leaves once `until_gone` returns. With `again` it agrees to another match, in any seat,
    when the others want one. `level` is the name of its strength. `thinker` searches for it;
    without one it searches itself, through `work`, off the event loop. Its actions are sent at the
    `moment` and no faster than the `pace`.
    """

    # Nobody waits at a screen, so that the driver makes the next deck's proofs at once.
    feels_delay = False

    def __init__(
        self,
        seed: int,
        *listeners: Listener,
        until_gone: UntilGone | None = None,
        level: str = "steady",
        thinker: Thinks | None = None,
        work: Executor = asyncio.to_thread,
        moment: AnswerMoment | None = None,
        pace: Pace | None = None,
        again: bool = False,
        agree: Agree | None = None,
    ) -> None:
        """Set up a bot; `seed` is given to its searches, `agree` decides about charters, the
        rest is told at the class. Without `until_gone` it never leaves, without `moment` and
        `pace` it acts at once.
        """
        self._seed = seed
        self._level = level
        self._thinker = thinker
        self._work = work
        self._moment = moment or AnswerMoment()
        self._pace = pace or Pace()
        #: The action that passes the latest window, such as `Ready`: it starts no pause, since it
        #: moves no card. None before a window, and without a pace.
        self._gone_on: Any = None
        self._until_gone = until_gone
        self._again = again
        self._agree = agree
        self._listeners = listeners
        #: Returns the table as the seat may know it now; None before there is one.
        self._look: Callable[[], SeatView] | None = None
        self._errands = Errands()
        self._carry_out: CarryOut | None = None

    def bind(self, carry_out: CarryOut) -> None:
        """Set the function that carries out the bot's commands (see SeatPlayer.bind)."""
        self._carry_out = carry_out

    async def lobby(self, names: dict[int, str], seats: int) -> None:  # noqa: ARG002 - for people
        """Start the search's process while others sit down."""
        self._get_ready()

    async def confirm(self, charter: Charter, unnamed: tuple[PublicKey, ...] = ()) -> bool:
        """Return what `agree` decides about the charter; without it True.

        Without `agree` it raises UserError for a charter with unnamed referees.
        """
        # A charter is a promise: only who started the bot can give it for terms that need one.
        if self._agree is not None:
            return await self._agree(charter, unnamed)
        if unnamed:
            raise nobody_to_ask(unnamed)
        # Nobody is asked: whoever started the bot, such as its host, wants it at this table.
        return True

    async def begin(self, look: Callable[[], SeatView]) -> None:
        """Start the search's process, and keep `look`, which returns the table as the seat may know
        it.
        """
        self._get_ready()
        self._look = look

    def _get_ready(self) -> None:
        """Start the search's process, if there is one."""
        if self._thinker is not None:
            self._thinker.begin()

    async def tell(self, event: Event, session: SeatView) -> None:
        """Call the listeners, and note a move for the pace. In the background consider a proposal
        to go on elsewhere, or to end the hand with the bot among those who agree.
        """
        for listener in self._listeners:
            listener(event, session)
        # Going on through a window moves no card: nobody needs time to see it.
        if isinstance(event, ActionTaken) and event.action != self._gone_on:
            self._pace.moved()
        if self._carry_out is None or self._look is None:
            return
        if isinstance(event, EndProposed) and session.seat in event.present:
            # `look` and `carry_out` are taken now: the bot may sit at another table when it
            # answers.
            self._errands.start(self._consider(event.present, self._look, self._carry_out))
        if isinstance(event, ContinuationProposed):
            self._errands.start(self._consider(event.content, self._look, self._carry_out))

    async def _consider(
        self,
        proposed: tuple[Seat, ...] | Continuation,
        look: Callable[[], SeatView],
        carry_out: CarryOut,
    ) -> None:
        """Wait `BOT_WAITS_FOR` seconds; then agree to end the hand, or to go on elsewhere, if the
        proposal leaves out a seat, the open round is the same, and it awaits every seat that is
        left out. Else do nothing; a refusal is ignored.

        A proposal to give a bot's seat back to a player is agreed to although the table moves.
        `look` and `carry_out` are those of the proposal's table: the match may go on at another one
        meanwhile.
        """
        # If the round closes during the wait, or the seat says something, it was not gone.
        before = _moment(look())
        await asyncio.sleep(BOT_WAITS_FOR)
        session = look()
        present = seats_of(proposed) if isinstance(proposed, Continuation) else proposed
        gone = set(range(len(session.charter.seats))) - set(present)
        # A bot's seat is given back to its player, who is here: no need for the table to stand
        # still.
        elsewhere = isinstance(proposed, Continuation)
        # `gone and`, here and below: where nobody is left out, the empty set would pass.
        back = elsewhere and gone and gone <= {*session.substituted_seats()}
        after = _moment(session)
        # Not the awaited seats, the last of the three: others may have said their part meanwhile.
        if after[:2] != before[:2] and not back:
            return
        # Not by `elsewhere`, which tells the type checker nothing.
        if isinstance(proposed, Continuation):
            # Only seats that the ledgers await: a proposal may name a seat that has done its part.
            if back or (gone and gone <= {*session.awaited_others()}):
                with suppress(InternalFault):  # by `refused`: the hand has moved by now
                    await carry_out(AnswerGoingOn(proposed, agrees=True))
            return
        # -1: no hand is in play (see `_moment`).
        if before[0] < 0 or why_not(session, present):
            return
        # Awaited before the wait and after it: such a seat has said nothing meanwhile.
        if gone and gone <= {*before[2]} & {*after[2]}:
            with suppress(InternalFault):  # by `refused`: the hand has moved by now
                await carry_out(EndUnfinished(present))

    async def shown(self) -> None:
        """Return at once: a bot looks at no screen."""

    async def link(self, status: LinkStatus) -> None:
        """Do nothing: the transport reconnects by itself."""

    async def presence(self, seat: Seat, seen: Seen) -> None:
        """Do nothing: a bot waits for a silent seat in any case."""

    async def decide(self, session: SeatView) -> Any:
        """Return the action that the search chooses from the seat's view, once the pace and the
        answer's moment allow to make its proofs.
        """
        view = session.view()
        # Whoever decides has a view.
        assert view is not None
        choices = telling_of(session.game).choices(view, session.legal_actions())
        seconds = self._moment.seconds
        question = Decision(session.game, view, self._seed, self._level, seconds)
        ask = think if self._thinker is None else self._thinker.ask
        # Where nothing is decided everybody sees that; before the deal there is nothing to hide.
        told = not view.faces or duty(choices) is not None or any(each.idle for each in choices)
        # Counted from here: thinking and proving depend on the hidden cards (attacks PR9).
        self._moment.asked(told=told)
        # Off the event loop: a search takes longer than a heartbeat of the connection.
        chosen = (await self._work(ask, question)).action
        if self._pace.seconds:
            # Only a pace asks whether a move was one to look at (see `tell`).
            goes_on = next((each for each in choices if each.window), None)
            self._gone_on = None if goes_on is None else goes_on.action
            # What decides nothing, such as closing a window, covers no card that others look at.
            if duty(choices) is None:
                await self._pace.pause()
        # Proofs are begun before the moment, so that their length does not delay it.
        await self._moment.near()
        return chosen

    async def made(self) -> None:
        """Wait for the moment at which the finished action may be sent."""
        await self._moment.come()

    async def refused(self, reason: str) -> None:
        """Raise InternalFault: a bot chooses among legal actions, and would repeat a refused one
        for ever.
        """
        raise InternalFault("bot", f"it chose what the rules refuse: {reason}")

    def considers(self) -> bool:
        """Return whether the bot plays another match if the others want one."""
        return self._again

    async def leaving(self) -> None:
        """Return when `until_gone` returns; without it never.

        Meanwhile run what the bot does beside its moves: another match, answers to proposals, play
        after an agreed end where the hand waits for the bot, and for no seat that was missing.
        Raises UserError after a claim of other seats was open for HELD_FOR seconds: a bot never
        signs while one is open (specs 7.5).
        """
        gone = self._until_gone() if self._until_gone else never()
        # Errands are awaited here so that an error in one ends the driver.
        await first(gone, self._look_on(), self._errands.run())

    async def _look_on(self) -> None:
        """Watch the table for ever. Raise UserError once claims of other seats were open for
        HELD_FOR seconds without a break. Play on, although an end of the hand was agreed to, once
        the hand has waited BOT_WAITS_FOR seconds without a break for the bot, and for no seat that
        was missing then: the others may have changed their minds, and it would wait for ever.
        After a match outside a tournament wish another, in any seats, if the bot plays another.
        """
        held = waited = 0.0
        while True:
            await asyncio.sleep(BOT_LOOKS_EVERY)
            look, carry_out = self._look, self._carry_out
            if look is None or carry_out is None:
                continue
            session = look()
            claims, awaited = session.open_claims(), session.awaited_seats
            # Without a break: a claim that is answered in time starts the count anew.
            held = held + BOT_LOOKS_EVERY if claims else 0.0
            if claims and held >= HELD_FOR:
                said = told_in_line(narrator_for(session.charter, session.game), ClaimsOpen(claims))
                # Left and not answered: signing while a claim is open could contradict what was
                # signed before.
                raise UserError(f"A bot does not decide this, and has left. {RISK} {said}")
            # We agreed to an end, and the hand waits for us and for nobody who was gone.
            present = {*session.present_at_agreed_end()}
            could = session.seat in awaited and present.issuperset(awaited)
            # Seats that come back for a moment only do not count.
            waited = waited + BOT_LOOKS_EVERY if could else 0.0
            if could and waited >= BOT_WAITS_FOR:
                with suppress(InternalFault):  # by `refused`: the hand has ended by now
                    await carry_out(PlayOn())
            # A tournament says who plays whom next.
            over = session.match_winner is not None and session.charter.tournament is None
            if self._again and over and session.seat not in session.rematch_wishes():
                # Refused while claims of a restart are open: asked again at the next look.
                with suppress(InternalFault):
                    await carry_out(WantRematch(ANY_SEATING))


def _moment(session: SeatView) -> tuple[int, int, tuple[Seat, ...]]:
    """Return the number of the hand, the number of its closed rounds, and the awaited seats; -1,
    0 and () while no hand is in play.
    """
    hand = session.hand()
    if hand is None or hand.settled:
        # A number that no hand has: there is nothing to end.
        return -1, 0, ()
    return hand.number, hand.closed, hand.missing
