"""A person in a seat, on a line terminal or through a pipe: the game told, choices by number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from cli.auditing import seat_name
from cli.net.transport import LinkState, Status
from cli.sanitize import safe_name, safe_text
from cli.store.identity import KnownPeers
from cli.table.acquaintance import own_bots, remember_others
from cli.table.charter_text import charter_lines
from cli.table.console import Console, InputEnded
from cli.table.ending import Ending, agreed, ended
from cli.table.livestory import LiveStory
from cli.table.options import (
    GRAVE,
    Option,
    caps_in_order,
    chosen,
    forced,
    listed,
    options_for,
    span,
)
from cli.table.situation import hand_line, last_trick, place, situation
from cli.table.waiting import waiting_line
from cli.ui.learning import hint, lesson
from cli.ui.talk import LONGEST, why_no_talk
from p2p304.rules304.actions import CallCaps, Ready
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from p2p304.view import View
from protocol.charter import Charter
from protocol.events import (
    ChatReceived,
    EndProposed,
    Event,
    HandEnded,
    HandUnfinished,
    SeatSuspected,
    SecondOpinionDiffered,
    Waiting,
)
from protocol.session import Session

WIDTH: Final = 78

HELP: Final = """\
Type the number of a choice, or the choice itself: a card as 9c or 10h, a bid as 170, p to pass,
Enter to go on where nothing is to be claimed. At any time:
  ?     this help, and your choices     hand   your cards
  table who, what and where we are      last   the last trick, never an earlier one
  who   who sits where                  quit   leave; 'p2p304 resume' goes on
  rules what holds now; 304 in short    hint   what a bot would do, where bots alone play
  end   end the hand unfinished, when a player is gone for good and all others agree
  say   words to all, between hands and where the charter allows it: say well played
Seats go round counter-clockwise: South, East, North, West. A card in brackets lies face down.
To call caps, type caps; you are then asked for the order in which your cards are to be played."""


class TextSeat:
    """Plays as the lines of a console say. `directory` is where transcripts are."""

    feels_delay = True

    def __init__(
        self,
        console: Console,
        *,
        seat: Seat,
        known: KnownPeers,
        directory: Path,
        alone: bool = False,
        mute: bool = False,
    ) -> None:
        """`alone` says that nobody else at the table is a person: then hints are given, and the
        charter needs no question. Whoever is `mute` neither writes to others nor reads them."""
        self.talker: Callable[[str], Coroutine[Any, Any, None]] | None = None
        """Brings words to the table."""
        self._mute = mute
        self._console = console
        self._alone = alone
        self._errands: set[asyncio.Task[None]] = set()
        self._seat = seat
        self._known = known
        self._directory = directory
        self._ascii = console.ascii_only
        self._left = asyncio.Event()
        self._session: Session | None = None
        self._story: LiveStory | None = None
        self._lobby: dict[int, str] | None = None
        self._idle: asyncio.Task[None] | None = None
        self._broken = False
        self._ending = Ending(seat)
        self.ender: Callable[[tuple[Seat, ...]], Coroutine[Any, Any, None]] | None = None
        """Agrees to end the hand with those who are present."""

    # --- told -------------------------------------------------------------------------------------

    async def lobby(self, names: dict[int, str]) -> None:
        """Say who sits, whenever that changes."""
        if names == self._lobby:
            return
        self._lobby = names
        self._listen_idly()
        if not names:
            self._say("Nobody answers yet: the host may be away. Waiting; Ctrl-C leaves.")
            return
        sitting = ", ".join(f"{place(seat)} {self._name(name)}" for seat, name in names.items())
        self._say(f"At the table: {sitting}.")

    async def begin(self, session: Session) -> None:
        """Show a table that we come back to."""
        self._session = session
        self._story = LiveStory(session, ascii_only=self._ascii)
        self._listen_idly()
        if session.proceedings.hand is not None:
            self._say(
                f"Back at the table, hand {session.proceedings.hand.origin.ledger.number + 1}."
            )
            for line in self._who(session):
                self._say(line)

    async def tell(self, event: Event, session: Session) -> None:
        """Tell what happened."""
        assert self._story is not None
        for line in self._story.tell(event, session):
            self._say(line)
        match event:
            case HandEnded(number):
                path = self._story.transcript(self._directory, session, number)
                self._say(f"The transcript: {path}")
                self._say(f"Anyone can check it: p2p304 audit {path}")
            case Waiting(seats, since) if seats:
                self._say(waiting_line(session.charter, seats, since))
            case ChatReceived(seat, text) if self._why_no_talk(session) is None:
                who = seat_name(session.charter, seat)
                self._say(f"{who} says: {safe_text(text, ascii_only=self._ascii)}")
            case SeatSuspected(seat, reason):
                who = seat_name(session.charter, seat)
                self._say(f"Something of {who} does not fit ({reason}); nobody is accused.")
            case SecondOpinionDiffered(_, _, statement):
                self._say(
                    f"With the cards open, {statement} is false: a defect of p2p304, report it."
                )
            case EndProposed():
                self._say(self._ending.proposed(event, session.charter))
            case HandUnfinished(number):
                self._say(ended(event, session.charter))
                path = self._story.transcript(self._directory, session, number)
                self._say(f"The transcript: {path}")
            case _:
                pass

    async def shown(self) -> None:
        """What was told is printed already."""

    async def link(self, status: Status) -> None:
        """Say when the connection breaks, and when it is there again."""
        if status.state is LinkState.CONNECTED:
            if self._broken:
                self._say("Connected again.")
            self._broken = False
        elif status.state in (LinkState.WAITING, LinkState.UNHEARD) and not self._broken:
            self._broken = True
            again = "; trying again" if status.state is LinkState.WAITING else ""
            self._say(f"{safe_text(status.sentence, cells=300)}{again}")

    # --- asked ------------------------------------------------------------------------------------

    async def confirm(self, charter: Charter) -> bool:
        """Show the charter and ask whether to play."""
        bots = await asyncio.to_thread(own_bots, self._directory, charter)
        for line in charter_lines(
            charter, self._seat, self._known, bots=bots, ascii_only=self._ascii
        ):
            self._say(line)
        if self._alone:
            self._say("Type ? for help whenever you are asked.")
            return True
        agreed = await self._yes("Play under this charter? [y/n]")
        if agreed:
            remember = partial(remember_others, self._known, charter, self._seat, bots=bots)
            await asyncio.to_thread(remember)
            self._say("Agreed. Type ? for help whenever you are asked.")
        return agreed

    async def decide(self, session: Session) -> Any:
        """The player's choice; duties without a choice are done without a question."""
        view = session.view()
        assert view is not None
        legal = session.legal_actions()
        due = forced(legal)
        if due is not None:
            return due
        options = options_for(session.game, view, legal, ascii_only=self._ascii)
        self._show(session, options)
        while True:
            said = await self._ask(f"Your choice [{span(options)}]:")
            option = chosen(said, options)
            if option is None:
                self._answer(said, options)
            elif isinstance(option.action, GRAVE):
                action = await self._grave(option)
                if action is not None:
                    return action
                self._say("Not called.")
            else:
                return option.action

    async def refused(self, reason: str) -> None:
        """Say why a choice cannot be."""
        self._say(f"That cannot be: {safe_text(reason, cells=300)}")

    async def leaving(self) -> None:
        """Returns when the input ends, or when the player quits."""
        await self._left.wait()
        if self._idle is not None:
            self._idle.cancel()

    async def _grave(self, option: Option) -> Any | None:
        """The action that ends or bends a hand, if the player is sure."""
        action = option.action
        if isinstance(action, CallCaps) and action.order:
            self._say("In which order are your cards to be played? All of them, such as: jh 9h as")
            ordered = caps_in_order(await self._ask("Order:"), action)
            if isinstance(ordered, str):
                self._say(ordered)
                return None
            action = ordered
            self._say(f"You claim every trick: {' '.join(str(card) for _, card in action.order)}.")
        sure = await self._yes(f"Really {option.label}? It cannot be taken back. [y/n]")
        return action if sure else None

    def _answer(self, said: str, options: tuple[Option, ...]) -> None:
        """What was typed chooses nothing: a request to see something, or a mistake."""
        if not self._request(said):
            self._say(f"{safe_text(said, cells=40)!r} is none of your choices; ? shows them.")
        elif said.strip() in ("?", "table"):
            self._list(options)

    def _request(self, said: str) -> bool:
        """Show what is asked for; False for what asks for nothing."""
        session = self._session
        view = session.view() if session is not None else None
        match said.strip().lower():
            case "?" | "help":
                self._say(HELP)
            case "quit" | "leave":
                self._left.set()
            case "who" if session is not None:
                for line in self._who(session):
                    self._say(line)
            case "rules" if session is not None and isinstance(session.game, Game304):
                for paragraph in lesson(None if view is None else view.state, self._seat):
                    for line in wrap(paragraph, WIDTH) or [""]:
                        self._say(line)
            case "say":
                self._say("Type say and your words.")
            case words if words.startswith("say ") and session is not None:
                self._talk(session, said.strip()[4:].strip())
            case words if words.split()[:1] == ["end"] and session is not None:
                self._end(words, session)
            case "hint" if session is not None:
                self._give_hint(session)
            case "hand" | "last" | "table" if view is None or session is None:
                self._say("There is no hand yet.")
            case "hand" if session is not None and view is not None:
                self._say(hand_line(session.game, view, ascii_only=self._ascii))
            case "last" if view is not None:
                self._say(last_trick(view, ascii_only=self._ascii))
            case "table" if session is not None and view is not None:
                self._lay_out(situation(session.game, view, ascii_only=self._ascii))
            case _:
                return False
        return True

    def _give_hint(self, session: Session) -> None:
        """Start to think about a hint, where nobody else is a person."""
        view = session.view()
        if not self._alone or not isinstance(session.game, Game304):
            self._say("No hints here: other people play.")
        elif view is None or not session.legal_actions():
            self._say("It is not your turn.")
        else:
            self._errand(self._hint(view, session.game))

    def _errand(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something while the player goes on."""
        task = asyncio.create_task(work, name="text seat: errand")
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    def _why_no_talk(self, session: Session) -> str | None:
        view = session.view()
        state = None if view is None else view.state
        return why_no_talk(session.game, state, mute=self._mute)

    def _talk(self, session: Session, words: str) -> None:
        """Write to the others, where that was agreed, and between hands."""
        why = self._why_no_talk(session)
        if why is not None or self.talker is None:
            self._say(why or "There is nobody to hear it yet.")
            return
        said = words[:LONGEST]
        self._errand(self.talker(said))
        self._say(f"You say: {safe_text(said, ascii_only=self._ascii)}")

    def _end(self, command: str, session: Session) -> None:
        answer = self._ending.asked(command, session)
        if answer.sentence:
            self._lay_out([answer.sentence])
        if answer.present and self.ender is not None:
            self._errand(self._agree(answer.present, session))

    async def _agree(self, present: tuple[Seat, ...], session: Session) -> None:
        assert self.ender is not None
        await self.ender(present)
        if sentence := agreed(session):
            self._say(sentence)

    async def _hint(self, view: View[Any], game: Game304) -> None:
        advice = await asyncio.to_thread(hint, view)
        (option,) = options_for(game, view, [advice.action], ascii_only=self._ascii)
        self._say(f"A bot would: {option.label}. {advice.reason}")

    # --- lines ------------------------------------------------------------------------------------

    def _show(self, session: Session, options: tuple[Option, ...]) -> None:
        view = session.view()
        assert view is not None
        if not isinstance(options[0].action, Ready):
            self._say()
            self._lay_out(situation(session.game, view, ascii_only=self._ascii))
        self._list(options)

    def _list(self, options: tuple[Option, ...]) -> None:
        for line in listed(options, WIDTH - 4):
            self._say(line)

    def _who(self, session: Session) -> Iterator[str]:
        for seat, entry in enumerate(session.charter.seats):
            mine = " (you)" if seat == self._seat else ""
            title = place(seat, len(session.charter.seats))
            yield f"{title:>5}  {self._name(entry.nickname)}{mine}"
        yield f"Charter {session.charter.fingerprint}; {session.standing.value}."

    def _name(self, nickname: str) -> str:
        return safe_name(nickname, ascii_only=self._ascii)

    def _lay_out(self, lines: Iterable[str]) -> None:
        for line in lines:
            for part in wrap(line, WIDTH, subsequent_indent=" " * 10, drop_whitespace=True):
                self._say(part)

    def _say(self, text: str = "") -> None:
        self._console.say(text)

    async def _yes(self, question: str) -> bool:
        while True:
            said = await self._ask(question)
            if said.strip().lower() in ("y", "yes"):
                return True
            if said.strip().lower() in ("n", "no"):
                return False
            if not self._request(said):
                self._say("Type y or n.")

    async def _ask(self, question: str) -> str:
        """The line that answers a question; for ever, once there are no more lines."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        for said in self._console.typed_before():
            self._request(said)  # what asks for nothing answers no later question either
        self._console.prompt(question)
        try:
            return await self._console.line()
        except InputEnded:
            self._left.set()
            await asyncio.Event().wait()
            raise
        finally:
            self._listen_idly()

    def _listen_idly(self) -> None:
        """Answer what somebody types while nothing is asked; a pipe's lines wait for questions."""
        if self._console.interactive and self._idle is None and not self._left.is_set():
            self._idle = asyncio.create_task(self._answer_idly(), name="text seat: idle")

    async def _answer_idly(self) -> None:
        try:
            while True:
                said = await self._console.line()
                if said.strip() and not self._request(said):
                    self._say("It is not your turn; ? shows what you can look at.")
        except InputEnded:
            self._left.set()
