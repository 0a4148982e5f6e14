"""A person's seat on a line terminal or through a pipe: events are printed, choices typed."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from cli.bounds import MOST_UNREAD
from cli.front.assistant import by_itself, urgent_claim
from cli.front.narrator import (
    ACCEPTS,
    HOW,
    Seen,
    left_out_words,
    lost_broker,
    news_of,
    presence_line,
)
from cli.front.player_commands import NO_REMATCH, NOT_NOW, offers
from cli.front.story import MatchHistory, Story, decided_rows, folded_rows, so_far
from cli.front.writing import (
    Writer,
    choice_lines,
    find_choice,
    in_due_order,
    key_of,
    read_order,
    situation,
    why_none,
)
from cli.lines.console import Console, InputEnded
from cli.lines.requests import SHOWN_ANEW, TO_ANSWER, WIDTH, Requests
from cli.net.transport import LinkState, LinkStatus
from cli.sanitize import safe_text
from cli.screen.desk import is_asked
from cli.screen.preferences import NOTHING_AROUND, PlaySettings, ScreenTexts
from cli.seat.charter_text import nobody_to_ask, seat_name
from cli.seat.sentences import EndDialogue, narrator_for, told_in_line
from cli.seat.setup import ENDLESS, Goal
from cli.store.hands import hand_name
from cli.tasks import first, never
from cli.wording import hand_label
from p2p304.games import telling_of
from p2p304.seats import Seat, place_name
from p2p304.telling import Choice, Urgent
from p2p304.view import View
from protocol.seat.view import SeatView
from protocol.table.events import (
    ChatReceived,
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    EndProposed,
    Event,
    HandEnded,
    HandStarted,
    HandUnfinished,
    MatchEnded,
    RefereeBlamed,
    RematchAgreed,
    RematchWanted,
    RoundClosed,
    SeatBlamed,
    SessionStopped,
    Waiting,
)
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey

HOW_TO_ASK: Final = "Type ? for the rules of the moment, help for what else can be typed."


class TextSeat(Requests):
    """A player at a console."""

    # A person notices delays: proofs for the next deck wait for a pause.
    feels_delay = True

    def __init__(
        self,
        console: Console,
        play_settings: PlaySettings,
        around: ScreenTexts = NOTHING_AROUND,
        *,
        seat: Seat,
        goal: Goal = ENDLESS,
    ) -> None:
        """Set up a player; a hand that begins after the `goal` is not printed."""
        super().__init__(console, play_settings, around, seat=seat)
        #: Whether the player left because the input ended: a script without more lines, for which
        #: the exit code differs from a player's own leaving.
        self.input_ended = False
        self._idle: asyncio.Task[None] | None = None  #: Reads what is typed while nothing is asked.
        self._goal = goal
        #: Whether a hand was dealt that we do not play, so that nothing more is told.
        self._enough = False
        self._story: Story | None = None
        self._lobby: dict[int, str] | None = None  #: Who has sat down, as it was told last.
        self._broken = False  #: Whether the connection is lost, as it was told.
        # With a bound, since others decide how much they write (attacks MQ26).
        #: What others said, until it may be read.
        self._unread: deque[str] = deque(maxlen=MOST_UNREAD)
        self._presence: dict[Seat, Seen] = {}  #: What was heard last of each other seat.
        #: What must not be missed in the choice that is asked for.
        self._urgent: Urgent | None = None

    # --- told -------------------------------------------------------------------------------------

    async def lobby(self, names: dict[int, str], seats: int) -> None:
        """Print the claimed seats with their nicknames or, without `names`, that the host does
        not answer; nothing if `names` are those told last. From then on commands can be typed.
        """
        if names == self._lobby:
            return
        self._lobby = names
        # So that quit and help work before the table begins.
        self._listen_idly()
        if not names:
            self._say("Nobody answers yet: the host may be away. Waiting; Ctrl-C leaves.")
            return
        sitting = ", ".join(
            f"{place_name(seat, seats)} {self._name(name)}" for seat, name in sorted(names.items())
        )
        self._say(f"At the table: {sitting}.")

    async def begin(self, look: Callable[[], SeatView]) -> None:
        """Begin at the table of the session that `look` returns; print how it stands if a hand
        was begun.
        """
        session = look()
        self._look, self._ending = look, EndDialogue(session.seat)
        self._writer = Writer(session.game.seats, ascii_only=self._ascii)
        self._names = tuple(self._name(entry.nickname) for entry in session.charter.seats)
        self._narrator = narrator_for(
            session.charter,
            session.game,
            seat=self._seat,
            how_to_end="Type end",
            ascii_only=self._ascii,
        )
        self._could_go_without, self._asked_to_go_on = (), None
        self._presence = {}  # which was of the seats of the table before, if there was one
        hand = session.hand()
        self._story = Story(
            session.game,
            self._writer,
            # In the middle of a hand the story begins at its state.
            None if hand is None else hand.state,
        )
        self._listen_idly()
        if hand is not None:
            self._say(f"Back at the table, hand {hand_label(hand.number)}.")
            self._print((*self._who(session), *so_far(session, self._writer)))

    async def tell(self, event: Event, session: SeatView) -> None:
        """Print what an event says to the player, and the transcript's path after a hand; chat that
        comes during a hand is printed after it.

        Nothing more is printed once a hand begins beyond the goal.
        """
        # `begin` comes before any event.
        assert self._story is not None
        if isinstance(event, HandStarted) and self._goal.reached(session):
            self._enough = True  # it is dealt, and we do not play it
        if self._enough:
            return
        # The next hand may have begun by now: it is the one that ended whose cards are told.
        view = session.view(event.number if isinstance(event, HandEnded) else None)
        self._print(self._story.tell(event, {} if view is None else view.faces))
        if isinstance(event, MatchEnded):
            self._tell_match(
                MatchHistory(session.table_state.match_hands, event.winner, event.scores), session
            )
        match event:
            case HandEnded(number):
                if path := self._around.transcript(session, number):
                    self._say(f"The transcript: {path}")
                    self._say(f"Anyone can check it: p2p304 audit {hand_name(Path(path))}")
            case RoundClosed():
                self._count(event, session)
                # The hand goes on: nobody is missing, so a typed "substitute" has nobody to mean.
                self._could_go_without = ()
            case Waiting(seats) if seats and session.match_winner is None:
                self._tell_notice(event, session)
                # Before the first hand nobody can be replaced: the charter waits for all.
                if session.table_state.hands_begun:
                    self._say(f"To go on without: {HOW}")
                    # Another set of seats than was shown: an answer to the old question must not
                    # count (attacks CH32).
                    other = self._could_go_without not in ((), seats)
                    self._could_go_without = () if other else seats
                self._lay_out([self._story.stop_notice(seats, self._presence)])
            case ChatReceived():
                # What comes during a hand is kept for the pause, as the rules forbid talk (rules
                # 16).
                # For any other reason, muted or never agreed on, it is dropped.
                if self._why_no_talk(session) in (None, NOT_NOW):
                    self._unread.append(told_in_line(self._narrator, event))
            # Whether there is another match is asked, not waited for; where the table stops, the
            # seat ends with that, and tells why.
            case Waiting() | SeatBlamed() | SessionStopped() | RefereeBlamed():
                pass
            case EndProposed():
                self._tell_notice(event, session)
                self._ending.proposed(event, session)
            case RematchAgreed(None):
                self._lay_out([NO_REMATCH])
            # Only to who could answer; a pipe asks for no rematch.
            case RematchWanted(seat, seating) if self.considers():
                self._lay_out(self._wanted_lines({seat: seating}, session))
            case ContinuationProposed():
                self._lay_out([news_of(self._writer, event, session)])
                self._say(TO_ANSWER)
                told = self._asked_to_go_on
                # Two proposals at once: neither is meant by a bare yes, until one is shown alone.
                other = told is not None and not told.same_as(event.content)
                self._asked_to_go_on = None if other else event.content
            case ContinuationRefused() | ContinuationAgreed() | ContinuationReady():
                self._lay_out([news_of(self._writer, event, session)])
            case HandUnfinished(number):
                self._tell_notice(event, session)
                # The others went on at another table while this seat was away.
                if went := session.gone_on_without_us():
                    self._lay_out([left_out_words(self._writer, went)])
                self._say(f"The transcript: {self._around.transcript(session, number)}")
            case _:
                self._tell_notice(event, session)
        if self._unread and self._why_no_talk(session) is None:
            # What came during a hand has waited for this pause.
            self._lay_out(self._unread)
            self._unread.clear()

    def _tell_notice(self, event: Event, session: SeatView) -> None:
        """Print the notice of an event, if it has one."""
        self._lay_out([told_in_line(self._narrator, event, session)])

    def _tell_match(self, history: MatchHistory, session: SeatView) -> None:
        """Print the result of a match and, if a person can answer, how another one begins."""
        self._say()
        self._lay_out(decided_rows(session.game, history, self._writer))
        self._print(folded_rows(session.game, history.hands, self._writer, WIDTH))
        if self.considers():
            self._say()
            self._say("Another match, with the same people? Type")
            for key, _, words in offers(session.game, self._names):
                command = "rematch" if key == "r" else f"rematch {key}"
                # As wide as "quit" and its blanks below.
                self._lay_out([f"  {command:<11}{words}"])
            self._say("  quit       leave")

    def considers(self) -> bool:
        """Return whether the player can ask for another match: at a terminal whose input is
        open, not in a tournament, and before leaving.
        """
        # Nobody types any more: the seat ends with the match.
        alive = self._console.interactive and not self.input_ended
        again = self._look is None or self._look().charter.tournament is None
        return alive and again and not self._left.is_set()

    async def shown(self) -> None:
        """Return at once: every event is printed already."""

    async def link(self, status: LinkStatus) -> None:
        """Print once that the connection is lost or nobody may hear us, and once that it is
        there again.
        """
        if status.state is LinkState.CONNECTED:
            # Only if the loss was told.
            if self._broken:
                self._say("Connected again.")
            self._broken = False
        # Told once, however often it is tried again. Not at DISCONNECTED, as on the screen: WAITING
        # follows at once, with the same reason.
        elif status.state in (LinkState.WAITING, LinkState.UNHEARD) and not self._broken:
            self._broken = True
            again = " Trying again." if status.state is LinkState.WAITING else ""
            # A broker's own words are in it (attacks CL6): four lines of them at most.
            self._say(f"{safe_text(status.sentence, cells=300)}{again}")
            if self._look is not None:
                charter = self._look().charter
                # Only seats of which something was heard can have said that they run the broker.
                named = {seat: seat_name(charter, seat) for seat in self._presence}
                whose = lost_broker(named, self._presence)
                self._lay_out([whose])

    async def presence(self, seat: Seat, seen: Seen) -> None:
        """Note the presence of another seat; at a table print the change, if it is one that
        `presence_line` has a sentence for.
        """
        before = self._presence.get(seat)
        self._presence[seat] = seen
        if self._look is not None:
            line = presence_line(seat, seat_name(self._look().charter, seat), seen, before)
            self._lay_out([line])

    # --- asked ------------------------------------------------------------------------------------

    async def confirm(self, charter: Charter, unnamed: tuple[PublicKey, ...] = ()) -> bool:
        """Print the charter, ask whether to play under it, then whether its `unnamed` referees, if
        any, may rule; return whether all was answered with yes, and if so store the others' keys.

        At a table with our own bots alone the settings may agree unasked. Raises UserError if there
        are unnamed referees and nobody types.
        """
        # In a thread: the bots' folders are on a disk.
        self._print(await asyncio.to_thread(self._around.charter_text, charter))
        # A power that its player cannot accept is not accepted silently (attacks RF24).
        if unnamed and not self._console.interactive:
            raise nobody_to_ask(unnamed)
        # `agree` was set for the first charter of the match (see `player_for`). In a later one a
        # friend may have a bot's seat, and the player must agree to play with that friend.
        only_ours = charter.continues is None or self._around.only_ours(charter)
        # Alone with its own bots nobody has to be asked.
        if self.play_settings.agree and not unnamed and only_ours:
            self._say(HOW_TO_ASK)
            return True
        agreed = await self._yes("Play under this charter? [y/n]")
        # Asked by itself, so that it is not accepted along with the rules (attacks RF24).
        if agreed and unnamed:
            self._lay_out(self._around.referees(unnamed))
            agreed = await self._yes(f"{ACCEPTS} [y/n]")
        if agreed:
            # Only now: a player who said no has not met anybody.
            await asyncio.to_thread(self._around.agreed, charter)
            self._say(f"Agreed. {HOW_TO_ASK}")
        return agreed

    async def decide(self, session: SeatView) -> Any:
        """Ask until the player makes a choice, and return its action. The only choice, if it is the
        default and no play, is returned unasked.

        A choice that the settings make by itself (see `by_itself`) is returned if nobody types in
        its time, unless there is something that must be claimed now.
        """
        view = session.view()
        # Only a seat in a hand is asked to decide.
        assert view is not None
        telling, hints = telling_of(session.game), self.play_settings.hints
        choices = telling.choices(view, session.legal_actions())
        # Wider than `duty` of the full screen: a window alone, or a step that is demanded, goes at
        # once, too. There it waits to be seen; in lines all is printed, and nothing else is left.
        if len(choices) == 1 and choices[0].default and not choices[0].plays:
            return choices[0].action
        # A search for what must be claimed now; told only where hints are.
        self._urgent = await urgent_claim(telling, view, told=hints)
        choices = in_due_order(choices, self._urgent)
        self._show(session, view, choices)
        while True:
            # Asked anew each time: what was typed may have changed the pace.
            kept = self.play_settings
            # `auto`, None, is no here: a typed line cannot hold a window that is about to close, as
            # a key on the full screen can.
            go_on = bool(kept.go_on)
            unasked = by_itself(choices, pace=kept.pace, go_on=go_on, forced=kept.forced)
            # What must not be missed is never decided by a clock.
            unasked = None if self._urgent is not None else unasked
            moment = None if unasked is None else unasked[0]
            said = await self._ask_within(
                f"Your choice, such as {key_of(choices[0])}:", within=moment
            )
            # The time is over, and nobody typed.
            if said is None:
                # Only an unasked choice sets the time that has passed.
                assert unasked is not None
                return unasked[1].action
            choice = find_choice(said, choices, self._writer)
            if choice is None:
                await self._answer(said, session, view, choices)
            else:
                action = await self._settle(choice, session, view)
                # Taken back, or typed wrong: asked once more.
                if action is not None:
                    return action
                self._say("Nothing was done.")

    async def made(self) -> None:
        """Return at once: a person's action may be sent at any moment."""

    async def refused(self, reason: str) -> None:
        """Print why a choice is not allowed."""
        # The rules' reason may quote what was typed, at any length: four lines of it at most.
        self._say(f"That cannot be: {safe_text(reason, cells=300)}")

    async def leaving(self) -> None:
        """Return when the player leaves, or the input ends; raise what an errand raised."""
        # Whichever comes first: a failed errand ends the seat with its error.
        await first(self._left.wait(), self._errands.run())

    async def _settle(self, choice: Choice, session: SeatView, view: View[Any]) -> Any | None:
        """Ask for the order of a choice's cards, and whether to make it if the settings or a
        claim that is due call for that; return its action, or None if the player took it back or
        mistyped.
        """
        action, writer, urgent = choice.action, self._writer, self._urgent
        label = writer.line(choice.label)
        # Closing the window now would lose what has to be claimed.
        if choice.window and urgent is not None:
            sure = await self._yes(f"{writer.sentence(urgent.skipped)}. Do so? [y/n]")
            return action if sure else None
        if choice.order:
            self._lay_out(map(writer.sentence, choice.claim))
            self._say("In which order are your cards to be played? All of them, such as: jh 9h as")
            # Only the order that is certain is offered without typing.
            due = urgent is not None and choice.order == urgent.order
            if due:
                self._say("Enter alone states the order that is certain.")
            said = await self._ask("Order:")
            typed = read_order(said, choice, view, writer)
            order = choice.order if due and not said.strip() else typed
            # A sentence about the mistake, in place of an order.
            if isinstance(order, str):
                self._say(order)
                return None
            action = telling_of(session.game).order_action(choice, order, view)
            label += f" with {writer.cards(view.faces[slot] for slot in order)}"
        # By the player's setting: plays that cost much, all, or none.
        if not is_asked(choice, self.play_settings.asking):
            return action
        sure = await self._yes(f"Really {label}? It cannot be taken back. [y/n]")
        return action if sure else None

    async def _answer(
        self, said: str, session: SeatView, view: View[Any], choices: tuple[Choice, ...]
    ) -> None:
        """Answer a line that is no choice: carry out a command, or explain the mistake. After a
        request among SHOWN_ANEW the choices are listed again.
        """
        if not await self._request(said):
            why = why_none(said, telling_of(session.game), view, choices, self._writer)
            self._lay_out([why])
        elif said.strip().lower() in SHOWN_ANEW:
            self._list(choices)

    # --- questions, one at a time: what is typed answers the one that is asked, or asks itself ----

    async def _yes(self, question: str) -> bool:
        """Ask a question until it is answered, and return True for y or yes, False for n or no;
        other lines are carried out as commands.
        """
        while True:
            said = await self._ask(question)
            if said.strip().lower() in ("y", "yes"):
                return True
            if said.strip().lower() in ("n", "no"):
                return False
            if not await self._request(said):
                self._console.say("Type y or n.")

    async def _ask(self, question: str) -> str:
        """Ask a question and return the next line, whatever it is."""
        said = await self._ask_within(question, within=None)
        # Without `within` a line always comes.
        assert said is not None
        return said

    async def _ask_within(self, question: str, *, within: float | None) -> str | None:
        """Ask a question and return the next line; None after `within` seconds without one, which
        None makes endless. Lines typed before the question never answer it: they are carried out as
        commands or dropped.

        At the end of the input it leaves the table, and never returns.
        """
        # One reader at a time: the idle one would take the answer.
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        # What was typed ahead asks for something, or is dropped: it never answers this question.
        for said in self._console.typed_before():
            await self._request(said)  # what asks for nothing answers no later question either
        self._console.prompt(question)
        try:
            async with asyncio.timeout(within):
                return await self._console.line()
        # The time of a window or of a forced card is over.
        except TimeoutError:
            # Half a line that was typed too late must not begin the next answer.
            self._console.forget_unfinished()
            return None
        except asyncio.CancelledError:
            self._console.forget_unfinished()  # it would answer the question that comes next
            raise
        except InputEnded:
            self._end_of_input()
            # The seat is left by `leaving`; the question itself has no answer.
            await never()
        finally:
            self._console.withdraw()
            # However it ended, commands can be typed again.
            self._listen_idly()

    def _end_of_input(self) -> None:
        """Leave the table, because no more lines can come."""
        self.input_ended = True
        self._left.set()

    def _listen_idly(self) -> None:
        """Start a task that carries out what is typed while no question is open; do nothing if
        it runs already, the player has left, or the input is a pipe, whose lines wait for
        questions.
        """
        # Lines of a pipe wait: they are answers in their order.
        if self._console.interactive and self._idle is None and not self._left.is_set():
            self._idle = self._errands.start(self._answer_idly())

    async def _answer_idly(self) -> None:
        """Carry out each typed line as a command, and answer one that is no command that it is
        not the player's turn; at the end of the input leave the table.
        """
        try:
            while True:
                said = await self._console.line()
                if said.strip() and not await self._request(said):
                    self._console.say("It is not your turn; help shows what you can look at.")
        # Ctrl-D while no question is open: the player leaves.
        except InputEnded:
            self._end_of_input()

    # --- lines ------------------------------------------------------------------------------------

    def _show(self, session: SeatView, view: View[Any], choices: tuple[Choice, ...]) -> None:
        """Print the situation (not in a window, where it has just been shown), what must not be
        missed, and the choices.
        """
        # In a window the table is as it was: the situation was just shown.
        if not choices[0].window:
            self._say()
            self._lay_out(situation(session.game, view, self._scores(session), self._writer))
        if self._urgent is not None:
            self._lay_out(map(self._writer.sentence, self._urgent.lines))
        self._list(choices)

    def _list(self, choices: tuple[Choice, ...]) -> None:
        """Print the choices."""
        # `choice_lines` does not count the three blanks before an item; one cell stays free.
        self._print(choice_lines(choices, self._writer, WIDTH - 4))
