"""A person in lines, through a pipe: what it is asked, told, and never shown."""

from __future__ import annotations

import asyncio
import io
import os
import re
import termios
import time
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.bounds import CLAIM_WINDOW, LONGEST_LINE
from cli.clock import on_the_wall
from cli.front.assistant import by_itself
from cli.front.narrator import Seen, Where
from cli.front.player_commands import PLAY_ON, AnswerGoingOn, GoOn, Substitute
from cli.front.story import so_far
from cli.front.writing import Writer
from cli.lines.console import Console, InputEnded
from cli.local.bot_processes import bot_home
from cli.net.transport import LinkState, LinkStatus
from cli.peers import fingerprint
from cli.sanitize import RESERVED_NAMES
from cli.screen.preferences import PlaySettings
from cli.seat.driver import Turns
from cli.seat.sentences import FIRST_SHOWN, NOBODY
from cli.store.identity import IdentityStore, PeersFile
from cli.tasks import stop
from p2p304.cards import Slot
from p2p304.games import create_game, full_agreement
from p2p304.rules304.actions import CallCaps, PlaceBid, PlayCard, PlayDown, Ready
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.sentences import say
from p2p304.telling import Choice
from protocol.seat.session import Session
from protocol.table.events import (
    ChallengeMade,
    ChatReceived,
    ContinuationProposed,
    ContinuationRefused,
    EndProposed,
    EndUndone,
    RematchWanted,
    SeatSuspected,
    SecondOpinionDiffered,
    TurnOpened,
    Waiting,
    WordsLeftOut,
)
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, VoteContinuation
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge, Continuation
from tests.client.highest_card import NAME
from tests.client.test_ui_app import at_the_window
from tests.client.text_person import Paper, Person, brought_to, first_choice, seat_at
from tests.table.bus import Table, charter, named, refereed_charter, signing_key

# --- console --------------------------------------------------------------------------------------

# A person's lines, from a pipe or a file, however they arrive.


def console_on(descriptor: int) -> tuple[Console, io.StringIO]:
    output = io.StringIO()
    return Console(descriptor=descriptor, output=output), output


async def test_lines_come_whole_however_they_were_written() -> None:
    reader, writer = os.pipe()
    console, _ = console_on(reader)
    os.write(writer, b"fir")
    waiting = asyncio.create_task(console.line())
    await asyncio.sleep(0)
    os.write(writer, "st\r\nzwei é\nlast".encode())
    os.close(writer)
    assert await waiting == "first"
    assert await console.line() == "zwei é"
    assert await console.line() == "last"
    with pytest.raises(InputEnded):
        await console.line()


def test_a_terminal_gets_lines_that_are_broken_between_words() -> None:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 20))
    with os.fdopen(theirs, "w", encoding="utf-8") as output:
        console = Console(descriptor=theirs, output=output)
        console.say("  Waiting for all of them; a wordthatislongerthanaline stays whole.")
        console.say("short  and  wide")
        console.prompt("Really all of these tricks? [y/n]")
        shown = ""
        while not shown.endswith("[y/n] "):
            shown += os.read(ours, 4_096).decode()
    os.close(ours)
    assert shown.replace("\r", "").split("\n") == [
        "  Waiting for all of",
        "  them; a",
        "  wordthatislongerthanaline",
        "  stays whole.",
        "short  and  wide",
        "Really all of these",
        "tricks? [y/n] ",
    ]


async def test_what_was_typed_before_a_question_is_taken_away_and_what_is_unfinished() -> None:
    ours, theirs = os.openpty()
    console, _ = console_on(theirs)
    first = asyncio.create_task(console.line())
    os.write(ours, b"one\ntwo\nthree\n")
    async with asyncio.timeout(300):
        assert await first == "one"
        typed = console.typed_before()
        while len(typed) < 2:
            await asyncio.sleep(0.005)
            typed += console.typed_before()
    assert typed == ["two", "three"]
    os.write(ours, b"unfinished")
    echoed = b""
    while not echoed.endswith(b"unfinished"):  # then it lies there
        echoed += os.read(ours, 4_096)
    console.forget_unfinished()
    os.write(ours, b"answer\n")
    async with asyncio.timeout(300):
        assert await console.line() == "answer"
    os.close(ours)


def test_signs_that_an_output_cannot_show_become_question_marks() -> None:
    raw = io.BytesIO()
    output = io.TextIOWrapper(raw, encoding="ascii")
    console = Console(descriptor=0, output=output)
    assert console.ascii_only
    console.say("9♣ by Zoë")
    assert raw.getvalue() == b"9? by Zo?\n"


async def test_a_line_without_end_is_cut_and_bad_bytes_are_replaced() -> None:
    reader, writer = os.pipe()
    console, _ = console_on(reader)
    os.write(writer, b"x" * (LONGEST_LINE + 1) + b"\n\xff\xfe\n")
    os.close(writer)
    assert await console.line() == "x" * LONGEST_LINE
    assert await console.line() == "\N{REPLACEMENT CHARACTER}" * 2


# --- turns ----------------------------------------------------------------------------------------

# A player is asked while a decision is due: no longer, and not for another one.

TURNS = [TurnOpened(Seat(0)) for _ in range(3)]


class Play:
    """Turns with a player that answers when the test says so."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.turns = Turns(self.lock)
        self.asked: list[asyncio.Future[str]] = []
        self.saw: list[TurnOpened | None] = []
        self.made: list[str] = []
        self.told: list[str] = []
        self.refuses = ""
        self.follows: TurnOpened | None = None
        self.due: TurnOpened | None = None

    def look(self) -> TurnOpened | None:
        assert self.lock.locked()
        return self.due

    async def ask(self, seen: TurnOpened | None) -> str:
        self.saw.append(seen)
        self.asked.append(asyncio.get_running_loop().create_future())
        return await self.asked[-1]

    async def make(self, choice: str) -> str:
        assert self.lock.locked()
        self.made.append(choice)
        if not self.refuses:
            self.note(self.follows)
        return self.refuses

    def note(self, due: TurnOpened | None) -> None:
        self.due = due
        self.turns.show(due)

    async def refused(self, why: str) -> None:
        self.told.append(why)
        self.refuses = ""

    async def show(self, due: TurnOpened | None) -> None:
        async with self.lock:
            self.note(due)
        await settled()

    async def answer(self, text: str) -> None:
        self.asked[-1].set_result(text)
        await settled()


async def settled() -> None:
    """Let everything happen that waits for nobody."""
    for _ in range(30):
        await asyncio.sleep(0)


@pytest.fixture
async def play() -> AsyncIterator[Play]:
    there = Play()
    going = asyncio.create_task(there.turns.play(there.look, there.ask, there.make, there.refused))
    await settled()
    yield there
    await stop(going)


async def test_nobody_is_asked_before_a_decision_is_due(play: Play) -> None:
    assert play.asked == []
    await play.show(TURNS[0])
    assert len(play.asked) == 1
    await play.answer("a card")
    assert play.made == ["a card"]
    assert len(play.asked) == 1


async def test_the_decision_that_follows_is_asked_for_once(play: Play) -> None:
    play.follows = TURNS[1]
    await play.show(TURNS[0])
    await play.answer("a card")
    assert len(play.asked) == 2
    await play.show(TURNS[1])  # told again, and the same one
    assert len(play.asked) == 2


async def test_a_question_goes_with_its_decision(play: Play) -> None:
    await play.show(TURNS[0])
    await play.show(None)
    assert play.asked[0].cancelled()
    assert play.made == []
    await play.show(TURNS[1])
    await play.show(TURNS[2])
    assert [each.cancelled() for each in play.asked] == [True, True, False]
    assert [id(each) for each in play.saw] == [id(each) for each in TURNS]


async def test_an_answer_to_what_was_withdrawn_meanwhile_is_dropped(play: Play) -> None:
    await play.show(TURNS[0])
    async with play.lock:
        await play.answer("too late")
        play.note(None)
    await settled()
    assert play.made == []


async def test_what_is_refused_is_told_and_asked_again(play: Play) -> None:
    await play.show(TURNS[0])
    play.refuses = "not that card"
    await play.answer("a card")
    assert play.told == ["not that card"]
    assert len(play.asked) == 2
    await play.answer("another")
    assert play.made == ["a card", "another"]


# --- textseat -------------------------------------------------------------------------------------

# A person in a seat, through a pipe: what it is asked, told, and never shown.

#: Names that a charter may hold: marks piled up, another direction, cards, a homoglyph.
HOSTILE = ("Z\u0301\u0301\u0301\u0301", "\u05d0\u05d1 West", "\U0001f0a1♠ dealer", "Аmara")


@pytest.fixture(scope="session")
def table() -> Table:
    """A table of 304 in its first trick, our seat South about to play."""
    made = Table(create_game("304", "pagat"), 1)
    return brought_to(made, lambda state: state.phase is Phase.TRICK, PlaceBid(160))


@pytest.fixture
def session(table: Table) -> Session:
    return table.chairs[0].session


async def test_who_comes_back_is_told_the_trick_that_lies_there(
    session: Session, person: Person
) -> None:
    told = so_far(session, Writer(4))
    await person.seat.begin(lambda: session)
    assert told
    assert person.said().endswith("".join(f"{line}\n" for line in told))


async def test_what_was_said_at_one_table_is_nothing_at_the_next(
    session: Session, person: Person
) -> None:
    lost, here = Seen(Where.LOST, 0.0), Seen(Where.HERE, 0.0)
    await person.seat.begin(lambda: session)
    await person.seat.tell(EndProposed(Seat(1), 0, (Seat(0), Seat(1))), session)
    assert "Type end to agree, too" in person.said()
    for seen in (lost, here, lost):
        await person.seat.presence(Seat(3), seen)
    await person.seat.begin(lambda: session)
    await person.seat.presence(Seat(3), here)
    assert person.said().count("is here again") == 1
    assert await person.asks("end") == []
    assert NOBODY[:40] in person.said()
    assert "This ends the hand" not in person.said()


async def test_what_is_irreversible_is_asked_twice(session: Session, person: Person) -> None:
    call = next(each for each in session.legal_actions() if isinstance(each, CallCaps))
    names = [str(card) for _, card in call.order]
    await person.seat.begin(lambda: session)
    person.type("caps", "9h", "caps", *[" ".join(names), "n"])
    person.type("caps", " ".join(reversed(names)).lower(), "y")
    chosen = await person.seat.decide(session)
    assert isinstance(chosen, CallCaps)
    assert [str(card) for _, card in chosen.order] == names[::-1]
    said = person.said()
    assert "Name each of your 8 cards once" in said
    assert said.count("Nothing was done.") == 2
    assert said.count("It cannot be taken back") == 2


async def test_help_hand_table_last_and_who_are_there_at_every_question(
    session: Session, person: Person
) -> None:
    await person.seat.begin(lambda: session)
    await person.asks("?", "help", "hand", "table", "last", "who", "h")
    said = person.said()
    for words in ("304 in short", "Type what is listed", "No trick has been taken yet."):
        assert words in said
    assert re.search(r"South +Amal \(you\)", said)
    assert said.count("Hand 1    dealt by ") == 3
    assert said.count("Tokens    North-South 11, East-West 11") == 3
    assert "No hints here: other people play." in said


async def test_a_refusal_names_the_rule_and_what_is_allowed(
    session: Session, person: Person
) -> None:
    view = session.view()
    legal = session.legal_actions()
    mine = {slot: str(card) for slot, card in view.faces.items() if slot in view.state.hands[0]}
    playable = {action.slot for action in legal if isinstance(action, PlayCard)}
    elsewhere = next(str(card) for card in session.game.pack if card not in view.faces.values())
    await person.seat.begin(lambda: session)
    forbidden = [name for slot, name in mine.items() if slot not in playable]
    person.type("", *forbidden, elsewhere, "p", "accept", "qqq", *first_choice(session))
    await person.seat.decide(session)
    said = person.words()
    assert "Enter alone chooses nothing here. Allowed: " in said
    assert said.count("(rule ") >= len(forbidden) + 1
    assert "is not in your hand. Allowed: " in said
    assert "'qqq' is none of your choices. Allowed: " in said


async def test_what_is_told_while_a_question_stands_does_not_stand_on_its_line() -> None:
    output = Paper()
    console = Console(descriptor=0, output=output)
    console.interactive = True
    console.prompt("Your choice, such as 9c:")
    console.say("West is back.")
    console.withdraw()
    console.say("South plays.")
    told = "Your choice, such as 9c: \nWest is back.\nYour choice, such as 9c: \nSouth plays.\n"
    assert output.getvalue() == told


async def test_only_what_the_view_grants_is_shown(session: Session, person: Person) -> None:
    await person.seat.begin(lambda: session)
    await person.asks("?", "hand", "table", "last")
    view = session.view()
    known = {str(card).replace("T", "10") for card in view.faces.values()}
    signs = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
    found = re.findall(r"(10|[2-9JQKA])([♠♥♦♣])", person.said())
    assert found
    assert {f"{rank}{signs[suit]}" for rank, suit in found} <= known


async def test_what_is_typed_before_a_question_asks_but_does_not_answer(
    session: Session, tmp_path: Path
) -> None:
    early = ["end now", *first_choice(session)]

    class Hasty(Console):
        """Somebody types just before a question."""

        def typed_before(self) -> list[str]:
            return [early.pop(0) for _ in tuple(early)]

    reader, writer = os.pipe()
    output = Paper()
    console = Hasty(descriptor=reader, output=output)
    hasty = Person(seat_at(console, tmp_path, PlaySettings()), writer, output)
    await hasty.seat.begin(lambda: session)
    hasty.type("nonsense", *first_choice(session))
    assert await hasty.seat.decide(session) in session.legal_actions()
    hasty.end()
    assert FIRST_SHOWN.split(":")[0] in hasty.said()
    assert "'nonsense' is none of your choices" in hasty.said()


@pytest.mark.parametrize("typed", ["quit", None])
async def test_quit_and_the_end_of_the_input_leave_the_table(
    session: Session, person: Person, typed: str | None
) -> None:
    await person.seat.begin(lambda: session)
    leaving = asyncio.create_task(person.seat.leaving())
    deciding = asyncio.create_task(person.seat.decide(session))
    await asyncio.sleep(0)
    assert not leaving.done()
    if typed is None:
        person.end()
    else:
        person.type(typed)
    await asyncio.wait_for(leaving, 60)
    assert not deciding.done()
    deciding.cancel()


def hostile_charter() -> Charter:
    return named(charter(4, game="304", profile=full_agreement("304")), *HOSTILE)


async def test_hostile_names_act_on_no_screen(person: Person) -> None:
    person.type("y")
    assert await person.seat.confirm(hostile_charter())
    await person.seat.lobby(dict(enumerate(HOSTILE)), 4)
    said = person.said()
    for char in said:
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Co", "Cs"), char
    assert "\u0301\u0301\u0301" not in said
    assert "♠ dealer" not in said


async def test_names_that_look_like_words_of_the_program_are_pointed_out(person: Person) -> None:
    assert "dealer" in RESERVED_NAMES
    agreed = named(hostile_charter(), HOSTILE[0], "dealer", *HOSTILE[2:])
    person.type("n")
    assert not await person.seat.confirm(agreed)
    assert "!! dealer looks like another name, or like a word of the program." in person.said()


async def test_a_known_name_with_another_key_is_told_loudly(person: Person, tmp_path: Path) -> None:
    known = PeersFile(tmp_path / "h")
    known.remember(signing_key(9).public, "Bimal")
    known.remember(signing_key(2).public, "Chitra", "Auntie")
    agreed = charter(4, game="304", profile=full_agreement("304"))
    person.type("what", "y")
    assert await person.seat.confirm(agreed)
    said = person.said()
    assert "Bimal (NOT THE ONE YOU KNOW)" in said
    assert f"!!    Bimal   {fingerprint(signing_key(9).public)}" in said
    assert "(known to you as Auntie)" in said
    assert "Devi (new to you)" in said
    assert "Amal (you)" in said
    assert agreed.fingerprint in said
    assert "Type y or n." in said
    assert {peer.nickname for peer in known.all()} == {"Bimal", "Chitra", "Devi"}


async def test_bots_of_this_machine_are_neither_remembered_nor_warned_of(
    person: Person, tmp_path: Path
) -> None:
    known = PeersFile(tmp_path / "h")
    known.remember(signing_key(8).public, "Bimal")  # under both names others were known before
    known.remember(signing_key(9).public, "Chitra")
    agreed = charter(4, game="304", profile=full_agreement("304", "pagat"))
    here = tmp_path / agreed.table.hex()
    own = IdentityStore(bot_home(here, Seat(1))).key(lambda size: bytes([7]) * size)
    IdentityStore(bot_home(here, Seat(2))).key(lambda size: bytes([9]) * size)
    seats = list(agreed.seats)
    seats[1] = replace(seats[1], key=own.public)
    person.type("y")
    assert await person.seat.confirm(replace(agreed, seats=tuple(seats)))
    said = person.said()
    assert "Bimal (a bot on this machine)" in said
    assert "Chitra (NOT THE ONE YOU KNOW)" in said  # somebody else sits where a bot of ours was
    keys = {peer.key for peer in known.all()}
    assert keys == {signing_key(each).public for each in (2, 3, 8, 9)}


async def test_waiting_suspicion_and_the_link_are_told(session: Session, person: Person) -> None:
    await person.seat.begin(lambda: session)
    since, clocks = time.monotonic() - 3600, [on_the_wall(time.monotonic() - 3600)]
    for event in (
        Waiting((Seat(3),), since),
        Waiting((Seat(1), Seat(2), Seat(3)), since),
        ChatReceived(Seat(1), "hello\x1b]52;c;x\x07"),
        SeatSuspected(Seat(2), "ledger.fork"),
    ):
        await person.seat.tell(event, session)
    lost, back = (
        LinkStatus(LinkState.WAITING, "The broker is away.", 1.0),
        LinkStatus(LinkState.CONNECTED, "Connected."),
    )
    for status in (back, lost, lost, back):
        await person.seat.link(status)
    said = person.said()
    clocks.append(on_the_wall(since))  # another minute, or day, may have begun meanwhile
    assert any(f"Waiting for West (Devi) since {clock}." in said for clock in clocks)
    assert re.search(r"Waiting for East \(\w+\), North \(\w+\) and West \(Devi\) since", said)
    assert "hello" not in said  # nobody agreed to talk, and a hand is being played
    assert "\x1b" not in said
    assert "nobody is accused" in said
    assert said.count("The broker is away.") == 1
    assert said.count("Connected again.") == 1


async def test_what_cannot_be_asked_for_now_is_answered_and_nothing_is_done(
    session: Session, person: Person
) -> None:
    await person.seat.begin(lambda: session)
    challenges = ("challenge", "challenge they talk", "play on", "rematch", "rematch 9")
    others = ("substitute", "substitute nonsense", "pace 3", "say")
    assert await person.asks(*challenges, *others) == []
    said = person.said()
    assert said.count("This table has no referee.") == 2
    assert "You have not agreed to end the hand: it goes on." in said
    assert said.count("The match is not over: then 'rematch' plays another one.") == 2
    assert said.count("Nobody is waited for: the hand can go on.") == 2
    assert "Each card lies there for 3 s before a bot of yours plays the next." in said
    assert "Type say and your words." in said


async def test_a_challenge_at_a_table_with_a_referee_goes_out_with_its_words(
    person: Person,
) -> None:
    refereed = Table(create_game("304", "pagat"), 1, agreed=refereed_charter())
    await person.seat.begin(lambda: refereed.chairs[0].session)
    made = await person.asks("challenge", "challenge They talk of their cards")
    assert "Type challenge and a sentence for the referee." in person.said()
    assert made == [CallReferee("They talk of their cards")]


# --- between turns --------------------------------------------------------------------------------


EAST, NORTH, WEST = map(Seat, range(1, 4))
WORD = Continuation(1, bytes(16), 1, 0b011, ((2, 1),), 1, bytes(32))


@pytest.fixture(scope="module")
def fresh(highest_card: None) -> Table:
    """A table of three before its first hand."""
    return Table(create_game(NAME), 3)


def begun() -> Table:
    """A table of three in a hand."""
    table = Table(create_game(NAME), 3).begun()
    table.run(lambda: all(session.hand() is not None for session in table.sessions))
    return table


async def test_whoever_waits_alone_before_the_table_is_told_that_the_host_may_be_away(
    person: Person,
) -> None:
    await person.seat.lobby({}, 3)
    await person.seat.presence(EAST, Seen(Where.AWAY, 0.0))
    assert person.said() == "Nobody answers yet: the host may be away. Waiting; Ctrl-C leaves.\n"


async def test_what_happens_beside_the_game_is_told(fresh: Table, person: Person) -> None:
    session = fresh.chairs[0].session
    await person.seat.begin(lambda: session)
    challenge = Challenge(0, 0, 3, 9, bytes(32), bytes(32), ())
    for event in (
        Waiting((EAST,), 0.0),
        SecondOpinionDiffered(EAST, 3, "no heart"),
        EndUndone(0),
        ChallengeMade(EAST, challenge, "they\x1b talk"),
        ContinuationProposed(EAST, WORD),
        ContinuationRefused(NORTH, WORD),
        RematchWanted(EAST, 0),
        WordsLeftOut(NORTH),
    ):
        await person.seat.tell(event, session)
    await person.seat.refused("that is\x1b not yours")
    said = person.words()
    assert "To go on without:" not in said  # no hand has begun that could be gone on with
    assert "no heart is false: a defect of p2p304, report it." in said
    assert "Seat 3 (Chitra) writes more messages than fit here: the rest is not shown." in said
    assert "Seat 2 (Bimal) challenges before the referee" in said
    assert "Type substitute yes to agree, or substitute no." in said
    assert "That cannot be: that is" in said
    assert "\x1b" not in said
    assert "another match" not in said  # nobody is there who could answer


@pytest.mark.parametrize(("word", "by"), [("bot", Substitute.BOT), ("friend", Substitute.FRIEND)])
async def test_a_substitute_is_for_those_of_whom_it_was_told_that_they_are_waited_for(
    highest_card: None, person: Person, word: str, by: Substitute
) -> None:
    """North, who is to play, and East say nothing."""
    table = begun()
    table.run(lambda: not table.flying)
    session = table.chairs[0].session
    (first, *_) = there = tuple(sorted(session.awaited_others()))
    await person.seat.begin(lambda: session)
    await person.seat.tell(Waiting((first,), 0.0), session)
    assert await person.asks(f"substitute {word}") == [GoOn((first,), by)]
    gone = next(Seat(seat) for seat in range(1, 3) if seat not in there)
    await person.seat.tell(Waiting((gone,), 0.0), session)
    assert await person.asks(f"substitute {word}") == []
    assert f"Waiting for {Writer(3).join_seats(there)}." in person.said()
    assert await person.asks(f"substitute {word}") == [GoOn(there, by)]


async def test_yes_and_no_are_for_the_proposal_that_was_told_and_for_no_other(
    person: Person,
) -> None:
    playing = at_the_window()
    playing.part(WEST)
    session = playing.chairs[0].session
    await person.seat.begin(lambda: session)
    assert await person.asks("substitute yes", "substitute no") == []
    for table, said in ((bytes(16), [True]), (b"\1" * 16, [])):
        begun = Continuation(1, table, 1, 0b0111, ((WEST, EAST),), 1, bytes(32))
        playing.act(EAST, VoteContinuation(begun))
        playing.run(lambda: not playing.flying)
        await person.seat.tell(ContinuationProposed(EAST, begun), session)
        answers = await person.asks("substitute yes")
        assert [each.agrees for each in answers if isinstance(each, AnswerGoingOn)] == said
    assert person.words().count("East wants to go on without West: a bot of East's sits down") == 3
    assert await person.asks("substitute no") == [AnswerGoingOn(begun, agrees=False)]


async def test_before_the_table_help_is_all_there_is_and_a_hint_needs_a_turn(
    fresh: Table, person: Person
) -> None:
    await person.asks("?", "who")
    assert "help" in person.said()
    assert person.said().count("Type y or n.") == 1  # who plays is not known yet


async def test_whoever_agreed_to_end_a_hand_may_play_on(highest_card: None, person: Person) -> None:
    table = begun()
    table.act(0, EndUnfinished((Seat(0), EAST, NORTH)))
    await person.seat.begin(lambda: table.chairs[0].session)
    assert await person.asks("play  ON") == [PlayOn()]
    assert " ".join(PLAY_ON.split()) in person.words()


async def test_windows_close_and_forced_cards_are_played_by_themselves() -> None:
    window = Choice(Ready(), say("go on"), window=True)
    card = Choice(PlayDown(Slot(3)), say("play it"), plays=True)
    call = Choice(CallCaps(()), say("call caps"))
    idle = window._replace(idle=True)
    assert by_itself((window,), pace=2.0, go_on=True, forced=False) == (2.0, window)
    assert by_itself((window,), pace=2.0, go_on=False, forced=True) is None
    assert by_itself((idle, call), pace=2.0, go_on=False, forced=False) == (2.0, idle)
    assert by_itself((window,), pace=0.0, go_on=None, forced=False) == (CLAIM_WINDOW, window)
    strict = window._replace(forfeits=True)
    assert by_itself((strict, call), pace=0.0, go_on=None, forced=False) is None
    assert by_itself((strict, call), pace=0.0, go_on=True, forced=False) == (CLAIM_WINDOW, strict)
    assert by_itself((card,), pace=0.0, go_on=True, forced=False) is None
    found = by_itself((card, call), pace=0.0, go_on=False, forced=True)
    assert 0.8 <= found[0] <= 3
    assert found[1] == card
