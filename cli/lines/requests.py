"""Commands that a person may type at a line terminal at any time: rules, cards, a hint, talk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from textwrap import wrap
from typing import Any, Final

from cli.bounds import LONGEST_MESSAGE
from cli.front.assistant import hint
from cli.front.narrator import BACK, HOW, NOBODY_MISSING, asks, missing_words
from cli.front.player_commands import (
    PLAY_ON,
    AnswerGoingOn,
    CarryOut,
    GoOn,
    PlayerCommand,
    Substitute,
    offers,
    wanted_lines,
    why_no_talk,
)
from cli.front.story import NO_SCORE, folded_rows, score_words
from cli.front.writing import NO_HINTS, Writer, hand_line, last_trick, pace_words, situation
from cli.lines.console import Console
from cli.local.bot_processes import pace_in
from cli.sanitize import safe_name, safe_text
from cli.screen.model import proofs_of
from cli.screen.preferences import PlaySettings, ScreenTexts
from cli.seat.sentences import EndDialogue, missing_agreements
from cli.tasks import Errands
from cli.wording import hand_label
from cli.workers import Thinker
from p2p304.games import telling_of
from p2p304.seats import Seat, seat_names
from p2p304.telling import AnyTelling
from p2p304.view import View
from protocol.seat.view import SeatView
from protocol.table.events import RoundClosed
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, Say, WantRematch
from protocol.topics.step import SessionStatus
from protocol.wire.contents import Continuation

# For terminals of 80 columns, with room for the cursor.
WIDTH: Final = 78

#: What can be typed in every game.
_ANY_TIME: Final = (
    ("?", "the rules of the moment"),
    ("hand", "your cards"),
    ("h", "a hint, where bots alone play"),
    ("last", "the last trick, never an earlier one"),
    ("table", "where the hand stands"),
    ("score", "the score of the match, hand by hand"),
    ("who", "who sits where, what was verified"),
    ("rematch", "another match, once one is over"),
    ("invites", "the invites of this table"),
    (
        "end",
        "end the hand unfinished, when somebody is gone for good and all sides agree",
    ),
    ("substitute bot, substitute friend", "replace a player who is gone for good, if all agree"),
    (
        "substitute back",
        "give a bot's seat back to the player, if all agree; this hand is dealt again",
    ),
    ("play on", "play on, although you agreed to end the hand, while not all have"),
    ("pace", "how many seconds a card lies there before a bot of yours plays the next: pace 1.5"),
    ("say", "words to all, between hands and where that was agreed: say well played"),
    ("challenge", "call the referee, where there is one: challenge they spoke of their cards"),
    ("help", "this help"),
    ("quit", "leave; 'p2p304 resume' goes on"),
)


def help_lines(telling: AnyTelling | None, seats: int) -> Iterator[str]:
    """Yield the help: commands for any time, the keys of the game if `telling` is given, and the
    names of the seats if there are any (`seats` is their number).
    """
    yield "Type what is listed, or what stands before its colon; Enter does what needs no choice."
    yield "A card is typed as 9c or 10h, a number by its value. At any time:"
    for word, does in _ANY_TIME:
        # Meanings begin in cell twelve, where `_help` lets further lines begin.
        yield f"  {word:<8}  {does}"
    if telling is not None and telling.keys:
        yield "In this game:"
        for key in telling.keys:
            typed = next((word for word in key.typed if word), key.key)
            yield f"  {typed:<8}  {key.words}: {key.when}"
    if seats:
        names = ", ".join(seat_names(seats))
        yield f"Seats go round to the right: {names}. A card in brackets lies face down."


# The words behind "substitute".
_SUBSTITUTES: Final = {"bot": Substitute.BOT, "friend": Substitute.FRIEND}
_ANSWERS: Final = {"yes": True, "no": False}
TO_ANSWER: Final = "Type substitute yes to agree, or substitute no."
# Their answers are long, and move the choices off the screen.
#: Requests after whose answer the choices are listed again.
SHOWN_ANEW: Final = ("?", "rules", "help", "table")


class Requests:
    """The commands of one seat at a line terminal."""

    _carry_out: CarryOut  #: Set by `bind`, before anything else.
    # Set where a table begins, as everything that is told of a session needs one.
    _writer: Writer
    _names: tuple[str, ...]  #: The players' nicknames by seat, made safe to print.

    def __init__(
        self,
        console: Console,
        play_settings: PlaySettings,
        around: ScreenTexts,
        *,
        seat: Seat,
    ) -> None:
        """Set up the commands."""
        self._around = around
        #: Answers what is asked for while friends are waited for, and says whether that was it.
        self.before: Callable[[str], bool] | None = None
        self._thinker = Thinker()
        self._console = console
        self._seat = seat
        #: What the player has set, with what it has changed since.
        self.play_settings = play_settings
        #: Told by the player how fast our bots shall play.
        self.paced: Callable[[float], None] = lambda _: None
        self._ascii = console.ascii_only
        self._left = asyncio.Event()
        self._look: Callable[[], SeatView] | None = None
        self._ending = EndDialogue(seat)
        self._errands = Errands()
        self._could_go_without: tuple[Seat, ...] = ()
        #: For whom the table waits, and what is proposed to us, as it was told last.
        self._asked_to_go_on: Continuation | None = None
        self._rounds = 0
        #: What `_so_far` prints: closed rounds, and proofs of other seats in them.
        self._proofs = 0

    def bind(self, carry_out: CarryOut) -> None:
        """Set the function that carries out a player's command at the session (see
        SeatPlayer.bind).
        """
        self._carry_out = carry_out

    async def _request(self, said: str) -> bool:
        """Carry out a typed command, after offering it to `before`; return False if `said` is
        none, or needs a table while there is none.
        """
        session = None if self._look is None else self._look()
        # What the lobby asks for comes first: there may be no table yet.
        if self.before is not None and self.before(said):
            return True
        # None before a hand and for a spectator.
        view = session.view() if session is not None else None
        # In any letter case, and with any spaces.
        match " ".join(said.lower().split()):
            case "help":
                self._help(session)
            case "?" | "rules":
                self._teach(session, view)
            case "quit" | "leave":
                self._left.set()
            case "who" if session is not None:
                self._print(self._who(session))
            case "say":
                self._say("Type say and your words.")
            case words if words.startswith("say ") and session is not None:
                # From the words as they were typed: `words` is in small letters.
                self._talk(session, said.strip()[len("say") :].strip())
            # A slice, here and below: nothing may have been typed.
            case words if words.split()[:1] == ["challenge"] and session is not None:
                self._challenge(session, said.strip()[len("challenge") :].strip())
            case words if words.split()[:1] == ["end"] and session is not None:
                self._end(words, session)
            # Every word that begins so: the dialogue tells what is wrong with the rest.
            case words if words.split()[:1] == ["substitute"] and session is not None:
                self._substitute(words.split()[1:], session)
            case "play on" if session is not None:
                if session.status is SessionStatus.AGREEING:
                    self._bring(PlayOn())
                    self._lay_out([PLAY_ON])
                else:
                    self._say("You have not agreed to end the hand: it goes on.")
            case words if (pace := pace_in(words)) is not None:
                before, self.play_settings = (
                    self.play_settings,
                    replace(self.play_settings, pace=pace),
                )
                self.paced(pace)
                self._say(pace_words(pace))
                # In a thread, since the settings file is on a disk that may be slow.
                if why := await asyncio.to_thread(self._around.keep, before, self.play_settings):
                    self._say(why)
            case words if words.split()[:1] == ["rematch"] and session is not None:
                self._want_rematch(words, session)
            case "invite" | "invites":
                self._print(self._around.invites())
            case "h" | "hint" if session is not None:
                await self._give_hint(session)
            case "score" if session is not None:
                rows = folded_rows(
                    session.game, session.table_state.match_hands, self._writer, WIDTH
                )
                self._lay_out([*rows] or [NO_SCORE])
            # Before the three that need a hand.
            case "hand" | "last" | "table" if view is None or session is None:
                self._say("There is no hand yet.")
            # For the type alone, here and in the next two: the case above has taken the rest.
            case "hand" if session is not None and view is not None:
                self._say(hand_line(session.game, view, self._writer))
            case "last" if session is not None and view is not None:
                self._lay_out([last_trick(session.game, view, self._writer)])
            case "table" if session is not None and view is not None:
                scores = self._scores(session)
                self._lay_out(situation(session.game, view, scores, self._writer))
                self._lay_out(self._so_far(session))
            case _:
                return False
        return True

    def _help(self, session: SeatView | None) -> None:
        """Print the help, with the keys and the seats of the game if there is a session."""
        telling = None if session is None else telling_of(session.game)
        seats = 0 if session is None else session.game.seats
        # Twelve: further lines stand under the meaning, not under the word.
        self._lay_out(help_lines(telling, seats), indent=12)

    def _teach(self, session: SeatView | None, view: View[Any] | None) -> None:
        """Print the rules of the moment and the game in short; without a session the help."""
        if session is None:
            self._help(None)
            return
        telling, writer = telling_of(session.game), self._writer
        # An empty line between the two; `wrap` gives none for it, so `or` adds one.
        for line in (*telling.moment(view), (), *telling.in_short()):
            self._print(wrap(writer.sentence(line), WIDTH) or [""])
        self._say("Type help for what else can be typed.")

    async def _give_hint(self, session: SeatView) -> None:
        """Print a hint for the choice that is due, or why there is none: the settings allow none
        because people play, or it is not the player's turn.
        """
        view = session.view()
        # Hints would help one player against people: only a table of bots gives them.
        if not self.play_settings.hints:
            self._say(NO_HINTS)
        elif view is None or not session.legal_actions():
            self._say("It is not your turn.")
        else:
            # A search takes a second or more, and the table goes on meanwhile.
            found = await asyncio.to_thread(
                hint, session.game, view, self._writer, self._thinker.ask
            )
            self._lay_out([found])

    # --- to the others ----------------------------------------------------------------------------

    def _why_no_talk(self, session: SeatView) -> str | None:
        """Return the sentence on why chat is not possible now (never agreed, muted by the
        player, or a hand is in play); None if it is possible.
        """
        view = session.view()
        state = None if view is None else view.state
        # The rules forbid talk during a hand; the front end refuses before the session would.
        return why_no_talk(telling_of(session.game), state, mute=self.play_settings.mute)

    def _talk(self, session: SeatView, words: str) -> None:
        """Send a line of chat, cut to `LONGEST_MESSAGE` characters, and print it as said by us; or
        print why chat is not possible now.
        """
        why = self._why_no_talk(session)
        if why is not None:
            self._say(why)
            return
        # Cut and not refused: what was typed is shown, so that its author sees what was sent.
        said = words[:LONGEST_MESSAGE]
        self._bring(Say(said))
        self._say(f"You say: {safe_text(said, ascii_only=self._ascii)}")

    def _challenge(self, session: SeatView, words: str) -> None:
        """Send the referee a sentence, which others can read after the hand (specs 5.8); print
        what is wrong if that is not possible.
        """
        # Said before anything is typed in vain.
        if not session.charter.referees:
            self._say("This table has no referee.")
        elif not words:
            self._say("Type challenge and a sentence for the referee.")
        else:
            # What was said is shown once the session has made it (`ChallengeMade`).
            self._bring(CallReferee(words))

    def _want_rematch(self, command: str, session: SeatView) -> None:
        """Ask for another match: seated as now, or in the seating with the typed number; print
        what is wrong if that is not possible.
        """
        # Typed alone, "rematch" means the present seats; "r" is the key of a full screen.
        keys = {
            key if key != "r" else "": seating
            for key, seating, _ in offers(session.game, self._names)
        }
        number = command.removeprefix("rematch").strip()
        if session.charter.tournament is not None:
            self._say("In a tournament no other match follows at this table.")
        elif session.match_winner is None:
            self._say("The match is not over: then 'rematch' plays another one.")
        elif number not in keys:
            self._say("That is: rematch, or rematch and a number that was listed.")
        else:
            wanted = WantRematch(keys[number])
            self._bring(wanted, lambda now: self._wanted_lines(now.rematch_wishes(), now))

    def _wanted_lines(self, wanted: Mapping[Seat, int], session: SeatView) -> Iterator[str]:
        """Yield lines on which seating each seat wants."""
        return wanted_lines(session.game, self._names, wanted, self._seat, self._writer)

    def _end(self, command: str, session: SeatView) -> None:
        """Carry out a typed "end": print with whom the hand would be ended, or why it cannot be;
        after that "end now" agrees to end it with the seats that were shown.
        """
        # It remembers the seats that it has shown: "end now" counts for those alone (attacks CH32).
        answer = self._ending.answer(command, session)
        if answer.sentence:
            self._lay_out([answer.sentence])
        if answer.present:
            self._bring(EndUnfinished(answer.present), lambda now: [missing_agreements(now)])

    def _substitute(self, words: list[str], session: SeatView) -> None:
        """Propose a bot or a friend for the missing seats, or to give back the seats that bots took
        over; answer such a proposal, or take back our own agreement (specs 7.11).

        `words` are those after "substitute", and count for what was printed last. If they fit
        nothing, or it has changed since, print what can be proposed or answered now.
        """
        said, told = " ".join(words), self._asked_to_go_on
        # As they were shown: nobody agrees to what changed since (attacks CH32).
        asked, gone = session.open_proposals(), self._could_go_without
        wanted: GoOn | AnswerGoingOn | None = None
        if said == "back" and session.substituted_seats():
            wanted = GoOn(session.substituted_seats(), Substitute.BACK)
        # Only while every seat that was named is waited for: else the question has changed.
        elif said in _SUBSTITUTES and gone and session.awaited_others().issuperset(gone):
            wanted = GoOn(gone, _SUBSTITUTES[said])
        # The proposal that was shown is still open; not `==`, as each seat that agrees to it signs
        # a copy of its own.
        elif said in _ANSWERS and told is not None and any(map(told.same_as, asked)):
            wanted = AnswerGoingOn(told, _ANSWERS[said])
        # Taking one's own word back.
        elif said == "no" and not asked and (ours := session.continuation()) is not None:
            wanted = AnswerGoingOn(ours, agrees=False)
        if wanted is None:
            # Nothing fits any more: the question of now is printed, which the next word answers.
            self._tell_going_on(session)
            return
        self._bring(wanted, lambda now: [missing_words(self._writer, now.yet_to_go_on())])

    def _tell_going_on(self, session: SeatView) -> None:
        """Print which proposal to go on can be made or answered now, and remember it for the
        next word.
        """
        asked, gone = session.open_proposals(), tuple(sorted(session.awaited_others()))
        # The first alone: one word answers one proposal.
        self._asked_to_go_on, self._could_go_without = asked[0] if asked else None, gone
        if asked:
            self._lay_out([asks(self._writer, asked[0], session.substituted_seats()), TO_ANSWER])
        elif gone:
            waiting = f"Waiting for {self._writer.join_seats(gone)}."
            self._lay_out([f"{waiting} To go on without: {HOW}"])
        else:
            self._lay_out([BACK if session.substituted_seats() else NOBODY_MISSING])

    def _bring(
        self, wanted: PlayerCommand, told: Callable[[SeatView], Iterable[str]] = lambda _: ()
    ) -> None:
        """Start to carry out a command at the table; then print the lines that `told` returns of
        the session as it is known then.
        """
        # An errand: it waits for the disk, and the player types on.
        self._errands.start(self._brought(wanted, told))

    async def _brought(
        self, wanted: PlayerCommand, told: Callable[[SeatView], Iterable[str]]
    ) -> None:
        """Carry out a command, see `_bring`."""
        await self._carry_out(wanted)
        # Commands are for a table.
        assert self._look is not None
        # Looked at anew: others may have said what they want while ours was written.
        self._lay_out(told(self._look()))

    # --- lines ------------------------------------------------------------------------------------

    def _count(self, event: RoundClosed, session: SeatView) -> None:
        """Add a closed round and the proofs of other seats in it to the counts that `_so_far`
        prints.
        """
        self._rounds += 1
        # Our own proofs are not counted: nobody verifies itself.
        self._proofs += proofs_of(session, event.ledger, event.round, own=session.seat)

    def _who(self, session: SeatView) -> Iterator[str]:
        """Yield a line for each seat with its nickname, then the lines of `_so_far`."""
        for seat, name in enumerate(self._names):
            mine = " (you)" if seat == self._seat else ""
            # Five cells: South and North; at other tables names are longer, and shift their line.
            yield f"{self._writer.seat(seat):>5}  {name}{mine}"
        yield from self._so_far(session)

    def _so_far(self, session: SeatView) -> Iterator[str]:
        """Yield lines on the hand and its dealer, the scores, the charter's fingerprint with the
        session's status, and the counts of rounds and proofs; each only if there is something to
        say.
        """
        hand, scores = session.hand(), session.scores
        if hand is not None:
            # Four cells: "Hand 12  " is as wide as the labels below.
            yield f"Hand {hand_label(hand.number):<4} dealt by {self._writer.seat(hand.dealer)}"
        if scores is not None:
            # Nine cells, as wide as the labels of the other lines.
            word = telling_of(session.game).score_unit
            yield f"{word:<9} {score_words(session.game, scores, self._writer)}"
        yield f"Charter   {session.charter.fingerprint}; {session.status.value}"
        if self._rounds:
            yield f"Verified  {self._rounds} rounds agreed, {self._proofs} proofs of the others"

    @staticmethod
    def _scores(session: SeatView) -> tuple[int, ...]:
        """Return the scores of the match; if it has none yet, those with which a match of the
        game begins.
        """
        # Any seed: it decides the first dealer, not the scores.
        return session.scores or tuple(session.game.new_match(bytes(32)).scores)

    # A nickname is a stranger's text (attacks CL6).
    def _name(self, nickname: str) -> str:
        """Return a player's nickname, made safe to print."""
        return safe_name(nickname, ascii_only=self._ascii)

    def _lay_out(self, lines: Iterable[str], *, indent: int = 10) -> None:
        """Print lines, wrapped to WIDTH; further lines of each have an indent."""
        for line in lines:
            # Ten: further lines stand under the text behind a label.
            # An empty line prints nothing: `wrap` gives no part of it.
            self._print(wrap(line, WIDTH, subsequent_indent=" " * indent))

    def _print(self, lines: Iterable[str]) -> None:
        """Print lines as they are."""
        for line in lines:
            self._say(line)

    def _say(self, text: str = "") -> None:
        """Print one line."""
        self._console.say(text)
