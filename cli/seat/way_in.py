"""The way in: from who may sit at a table to its charter (specs 7.4, 7.9, 7.11).

Whoever has a table's code is given an invite by its host; whoever has an invite claims its seat;
the founder answers, and the charter is there once every seat is claimed. A seat that was at the
table before, and comes back when the others went on, asks the seats of the next table for its
charter. Hosts, friends, bots and substitutes all come so, and all of it is one exchange: a question
is repeated until it is answered, since a broker may lose anything. At a rematch, and in a
tournament, nothing is left to exchange: everybody computes the charter.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from cli.bounds import (
    ANSWERED_AFTER,
    CLAIM_INTERVAL,
    CLAIMER_KEEPS,
    CODE_TICK,
    FOUND_WITHIN,
    GIVEN_FOR,
    GUEST_ASKS_EVERY,
    LET_IN_WITHIN,
    LISTENED_FOR,
    NUMBERS_TRIED,
    OTHERS_WITHIN,
    PROBED_AGAIN,
    SEATED_WITHIN,
    UNANSWERED,
)
from cli.code import CodeError, draw_code
from cli.errors import UserError
from cli.front.writing import Writer
from cli.invite import Invite
from cli.net.address import BrokerAddress
from cli.net.transport import Transport, TransportClosedError, TransportError, Trouble
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of, unreadable
from cli.seat.setup import Executor, Founding, Setup
from cli.tasks import Errands, first
from p2p304.games import agreed_game, telling_of
from p2p304.seats import Seat, place_name
from protocol.bounds import MAX_SEATS
from protocol.errors import MalformedMessage
from protocol.group.constants import constants_digest
from protocol.version import PROTOCOL_VERSION
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.code import LARGEST_NUMBER, Code
from protocol.wire.code_exchange import (
    CodeState,
    HostCode,
    JoinerCode,
    JoinerStage,
    LetIn,
    SeatRequested,
    WrongGuess,
)
from protocol.wire.code_messages import (
    ID_BYTES,
    PREFIX,
    Find,
    Here,
    Refusal,
    Welcome,
    Why,
    from_frame,
    to_frame,
)
from protocol.wire.identity import FRAME_SIZES, SigningKey
from protocol.wire.invite import InviteFields
from protocol.wire.messages import open_envelope

T = TypeVar("T")


async def _nothing(*_: object) -> None:
    """Do nothing: whoever only answers asks nothing."""


async def answered(
    frames: AsyncIterator[bytes],
    hear: Callable[[bytes], Awaitable[T | None]],
    ask: Callable[[], Awaitable[None]] = _nothing,
    *,
    every: float,
    within: float | None = None,
) -> T:
    """Ask, and again `every` so many seconds, until `hear` returns an answer to one of the frames;
    return that answer.

    Raises TransportClosedError when the frames end, TimeoutError after `within` seconds (None: wait
    for ever), and what `ask` and `hear` raise.
    """
    clock, due = asyncio.get_running_loop().time, 0.0
    async with asyncio.timeout(within):
        while True:
            # One deadline for the interval, however many frames come in it.
            if clock() >= due:
                due = clock() + every
                await ask()
            try:
                # Cancelling `anext` loses nothing: a frame is taken only when it is returned.
                async with asyncio.timeout_at(due):
                    frame = await anext(frames)
            except TimeoutError:
                continue
            except StopAsyncIteration:
                raise TransportClosedError("The connection to the broker was closed.") from None
            if (answer := await hear(frame)) is not None:
                return answer


# --- the topic of a code --------------------------------------------------------------------------

#: Makes the transport to the topic of a code's number at one broker, not open yet.
Connect = Callable[[int], Transport]


_SHORT: Final = 99  #: Numbers of one or two digits are tried first: a code is said aloud.


def may_be_of_a_code(frame: bytes) -> bool:
    """Return whether a frame may be one of a code, open or sealed, by its length and first byte."""
    # The first byte tells open messages from sealed frames (specs 7.9).
    return len(frame) in FRAME_SIZES and frame[0] in (PREFIX[0], PROTOCOL_VERSION)


async def free_number(
    connect: Connect,
    *,
    taken: Collection[int] = (),
    below: Callable[[int], int] = secrets.randbelow,
) -> tuple[int, Transport]:
    """Return a number for which no host at the broker answers, and the open transport to its topic.

    It is none of those `taken` by tables in the local network, unless all are. `below(n)` draws a
    number below n. Raises TransportError, and UserError if every tried number is in use.
    """
    for tried in range(NUMBERS_TRIED):
        # Short numbers first, which are easier to say; long ones in the second half.
        most = _SHORT if 2 * tried < NUMBERS_TRIED else LARGEST_NUMBER
        numbers = [each for each in range(1, most + 1) if each not in taken]
        # If every number is taken, draw any: the words keep tables apart.
        number = numbers[below(len(numbers))] if numbers else 1 + below(most)
        transport = connect(number)
        await transport.open()
        async with AsyncExitStack() as stack:
            # Cancelled, too: the caller has no transport to close yet. A second: nothing that is
            # queued still matters.
            stack.push_async_callback(transport.close, deadline=1.0)
            if await _is_silent(transport, number):
                stack.pop_all()
                return number, transport
    raise UserError("Every code that was tried is in use already: send the long invites.")


async def _is_silent(transport: Transport, number: int) -> bool:
    """Ask for the number twice; return whether nobody answers for it, nor asks for it,
    meanwhile. Raises TransportClosedError if the connection is closed.
    """
    question = to_frame(Find(number, secrets.token_bytes(ID_BYTES)))

    async def hear(frame: bytes) -> bool | None:
        """Return True for a frame that speaks of the number; None for junk of strangers."""
        with suppress(MalformedMessage):
            message = from_frame(frame)
            # Another Find: somebody draws the same number at this moment.
            if isinstance(message, Find | Here) and message.number == number:
                return True
        return None

    # Silence is what a free number sounds like.
    with suppress(TimeoutError):
        await answered(
            transport.frames(),
            hear,
            lambda: transport.send(question),
            every=PROBED_AGAIN,
            within=LISTENED_FOR,
        )
        return False
    return True


# --- a host with a code: takes a number, answers guesses, and gives seats away --------------------


@dataclass(slots=True, kw_only=True)
class Vacancies:
    """The seats of a table that friends may take by its code, and the broker that keeps it."""

    invites: tuple[Invite, ...]  #: Those of all seats, in order.
    free: tuple[Seat, ...]  #: Those of them that friends may take.
    founding: Founding
    sitting: Callable[[], Mapping[int, str]]  #: Says who has a seat already.
    connect: Connect
    #: Returns the module by which the code is announced in the local network; None if it is not.
    nearby: Callable[[], Any] = lambda: None
    public: bool = False  #: Whether the broker is a public one, where a code is looked for.
    #: Is awaited beside the code with each seat that is given.
    once_given: Callable[[Seat], Coroutine[Any, Any, None]] = _nothing
    #: When each seat was given last, by the monotonic clock.
    given: dict[Seat, float] = field(default_factory=dict, init=False)

    @property
    def nodes(self) -> tuple[BrokerAddress, ...]:
        """The addresses of the table's broker: all invites name the same."""
        return self.invites[0].nodes

    # A seat given and not claimed within the minute is free again.
    def left(self) -> tuple[Seat, ...]:
        """Return the seats that can be given away now: free at first, not claimed, and not given in
        the last `GIVEN_FOR` seconds.
        """
        since, sitting = time.monotonic() - GIVEN_FOR, self.sitting()
        return tuple(
            seat
            for seat in self.free
            # The default says: never given, so long ago enough.
            if seat not in sitting and self.given.get(seat, since) <= since
        )

    def give(self, seat: Seat) -> Invite:
        """Return the invite of a seat that the caller has seen to be left, and count it as given
        from now.
        """
        # Counted before the invite goes out: two who ask at once get two seats.
        self.given[seat] = time.monotonic()
        return self.invites[seat]

    def about(self) -> str:
        """Return the game, its rules and its partnerships in words, for a person who chooses a
        seat.
        """
        played = agreed_game(self.founding.game, self.founding.profile)
        sides = [Writer(played.seats).sentence(side) for side in telling_of(played).sides()]
        said = f"{telling_of(played).title}."
        # Alone each, or all together: then there is nothing to say of partners.
        if 1 < len(sides) < played.seats:
            # Two a side: partners have opposite seats.
            paired = played.seats == 2 * len(sides)
            opposite = " Partners sit opposite each other." if paired else ""
            said += f"{opposite} Together: {'; '.join(sides)}."
        return said


class CodeKeeper:
    """Keeps a table's code until it is cancelled. `say` is called with sentences for the host."""

    def __init__(
        self, vacancies: Vacancies, say: Callable[[str], None], about: Iterable[str] = ()
    ) -> None:
        """Set up a code for these seats. `say` gets sentences for the host, those `about` the table
        behind the first code, or behind the sentence that there is none.
        """
        self._vacancies = vacancies
        self._say = say
        self._about = [*about]  # used up: they are told once, though codes come anew
        #: What is said of the code now: the code and how friends use it, or that it is dead.
        self.told: tuple[str, ...] = ()
        self._number = 0  #: 0 until one is taken; numbers count from 1.
        self._host: HostCode | None = None
        #: The state of the present code that the host knows.
        self._told: CodeState = CodeState.LIVING
        # What friends add to `join`: all nodes of a cluster, so that they find the code while one
        # of them is away. A public or local broker is found by the number of the code alone.
        here = vacancies.founding.broker_here
        named = () if here or vacancies.public else vacancies.nodes
        self._added = "".join(f" --broker {node.format()}" for node in named)
        self._errands = Errands()

    async def run(self) -> None:
        """Take a number, show the code, and give seats to joiners who know it, until cancelled.

        Return only if no code can be had, after saying why. Raises UserError if the connection
        closes later.
        """
        vacancies, nearby = self._vacancies, self._vacancies.nearby()
        node = vacancies.nodes[0]
        try:
            # Two tables of one number nearby would answer each other's friends.
            taken = frozenset() if nearby is None else frozenset(await nearby.numbers())
            self._number, transport = await free_number(vacancies.connect, taken=taken)
        except (UserError, TransportClosedError) as error:
            # A table without a code is still joined by invites.
            self._say(f"There is no code for this table: {error}")
            self._tell_about()
            return
        try:
            # A table at a public broker is found there: nothing is announced nearby.
            announcing: AbstractAsyncContextManager[bool] = (
                nullcontext(enter_result=False)
                if nearby is None
                else nearby.announce(self._number, node.host, node.port)
            )
            async with announcing as announced:
                # Without an announcement friends need the broker's address besides the code.
                if vacancies.founding.broker_here and not announced:
                    self._added = f" --broker {node.format()}"
                self.renew()
                # Errands send the answers; their errors end the keeper.
                await first(self._serve(transport), self._watch(), self._errands.run())
        finally:
            # A second: whatever is not sent by then is not needed.
            await transport.close(deadline=1.0)

    def renew(self) -> None:
        """Make a new code with the same number, and say it to the host; the one before is dead.
        Does nothing before there is a number.
        """
        # Taking a number takes a second; the host may type c before.
        if not self._number:
            return
        code = draw_code(self._number)
        self._host = HostCode(
            # New randomness: words of the old code say nothing of the new (specs 7.9).
            code,
            self._vacancies.invites[0].table,
            entropy=secrets.token_bytes,
            now=time.monotonic(),
        )
        self._told = CodeState.LIVING
        self.told = (
            f"The code of this table: {code.format()}",
            f"Friends type 'p2p304 join{self._added}' and then the code, within ten minutes.",
        )
        for each in self.told:
            self._say(each)
        self._tell_about()

    def _tell_about(self) -> None:
        """Say the lines about the table, once."""
        while self._about:
            self._say(self._about.pop(0))

    async def _serve(self, transport: Transport) -> None:
        """Answer what joiners send, each message at a fixed time after its arrival, and give
        seats to those let in; raise UserError once the connection is closed.
        """
        loop = asyncio.get_running_loop()
        async for frame in transport.frames():
            # Counted from the arrival: how long the answer takes to compute tells nothing (specs
            # 7.9).
            host, at = self._host, loop.time() + ANSWERED_AFTER
            # `run` has made the first code before.
            assert host is not None
            # In a thread: the answer needs arithmetic that takes milliseconds.
            answers, event = await asyncio.to_thread(host.hear, frame, time.monotonic())
            if host is not self._host:  # there is a new code meanwhile: this one gives nothing
                continue
            match event:
                # At none left `_watch` tells of the code's death.
                case WrongGuess(left) if left:
                    self._say(f"Somebody typed a wrong code; after {left} more the code is dead.")
                case SeatRequested(exchange, seat) if seat in self._vacancies.left():
                    # Judged at this moment: somebody else may have taken it since the welcome.
                    answers += (host.grant(exchange, self._vacancies.give(seat).format()),)
                    taken = place_name(seat, len(self._vacancies.invites))
                    self._say(f"Somebody who has the code takes {taken}.")
                    self._errands.start(self._vacancies.once_given(seat))
                # If somebody else has the wanted seat by now, the free ones are shown again.
                case LetIn(exchange) | SeatRequested(exchange):
                    answers += (self._welcome(host, exchange),)
            if answers:
                # In a task of its own: the wait must not hold up others who knock.
                self._errands.start(_answer(transport, answers, at))
        raise UserError("The connection to the broker was closed.")

    def _welcome(self, host: HostCode, exchange: bytes) -> bytes:
        """Return the Welcome for the guest of this `exchange`: the game, who sits, and the free
        seats.

        The free seats begin with another one for each guest, or all would want the same.
        """
        vacancies, free = self._vacancies, self._vacancies.left()
        # Guests in the order of their coming, each with another seat first; 1 if none is free.
        first = host.let_in.index(exchange) % max(1, len(free))
        return host.welcome(
            exchange,
            game=vacancies.about(),
            seats=len(vacancies.invites),
            names=tuple((Seat(seat), name) for seat, name in sorted(vacancies.sitting().items())),
            free=free[first:] + free[:first],
        )

    async def _watch(self) -> NoReturn:
        """Look for ever whether the present code is dead, and say so once for each code."""
        while True:
            await asyncio.sleep(CODE_TICK)
            # `run` has made the first code before.
            assert self._host is not None
            state = self._host.state(time.monotonic())
            # Once for each state.
            if state is not self._told:
                # Never LIVING, which is no death: `renew` has noted that of a new code.
                self._told, self.told = state, (_DEATHS[state],)
                self._say(_DEATHS[state])


_DEATHS: Final = {
    CodeState.GUESSED_OUT: (
        "The code is dead after five wrong guesses: a stranger may be guessing. Type c for a new"
        " one."
    ),
    CodeState.EXPIRED: "The code is dead after ten minutes: type c for a new one.",
}


async def _answer(transport: Transport, answers: Sequence[bytes], at: float) -> None:
    """Send answers at the time `at` of the event loop's clock, or at once if that is past; a
    closed connection is no error.
    """
    # Not below 0: an answer that took longer to compute goes out at once.
    await asyncio.sleep(max(0.0, at - asyncio.get_running_loop().time()))
    # The keeper may end while an answer waits for its moment.
    with suppress(TransportClosedError):
        for answer in answers:
            await transport.send(answer)


# --- a joiner with a code: finds the host, guesses once, chooses a seat, gets an invite -----------


Choose = Callable[[Welcome], Awaitable[Seat]]


class NotLetIn(CodeError):
    """The host with this number did not let us in; another table may have the number too."""


class WrongCode(NotLetIn):
    """A host has the number, and the words are wrong."""


class NobodyThere(CodeError):
    """No host answers for the code's number."""


class _Door(NamedTuple):
    """A connection to a broker at which a host has the code's number."""

    transport: Transport
    joiner: JoinerCode


async def invite_by(code: Code, places: Sequence[Connect], choose: Choose) -> Invite:
    """Return the invite behind a code, from the first host that accepts the guess; hosts are tried
    in the order in which they answered.

    A place is a broker; `choose` lets the player choose a free seat. Raises TransportError if no
    broker can be reached, NobodyThere, NotLetIn if every host refuses the code or falls silent, or
    CodeError from a host that accepted it.
    """
    async with AsyncExitStack() as stack:
        doors, failed = await _find(code, places, stack)
        if not doors:
            # A broker that answered, without a host, is not among the failed.
            if len(failed) == len(places):
                # Every broker failed: the first reason is as good as any.
                raise failed[0]
            # Somebody was reached and nobody answered: the code may be wrong, or the host is gone.
            raise NobodyThere(f"No table answers to the number {code.number}.")
        wrong: NotLetIn | None = None
        for door in doors:
            try:
                # In the order of their answers: the fastest host is probably the right one.
                return await _through(door, choose)
            except NotLetIn as error:  # a stranger who answers first must not keep us here
                wrong = wrong or error
        # There was a door, and each that does not return leaves its error.
        assert wrong is not None
        raise wrong


async def _find(
    code: Code, places: Sequence[Connect], stack: AsyncExitStack
) -> tuple[list[_Door], list[TransportError]]:
    """Return connections to brokers at which a host answers, the fastest first, and the errors of
    brokers that could not be reached. A broker without a host is in neither.

    The `stack` closes the connections.
    """
    doors: list[_Door] = []
    failed: list[TransportError] = []
    came = asyncio.Event()

    async def look(connect: Connect) -> None:
        """Connect to a place; note a door if a host answers there, or the error if the broker
        cannot be reached.
        """
        transport = connect(code.number)
        try:
            await transport.open(deadline=FOUND_WITHIN)
        except TransportError as error:
            # One of several brokers: the others may have the host.
            failed.append(error)
            return
        # Registered at once: every connection is closed, whether a host answers or not.
        # A second each: nothing more is expected.
        stack.push_async_callback(transport.close, deadline=1.0)
        door = _Door(transport, JoinerCode(code, entropy=secrets.token_bytes))
        # No door: no host answers here, or the broker has gone.
        with suppress(TimeoutError, TransportClosedError):
            await _until(door, lambda heard: isinstance(heard, Here), within=FOUND_WITHIN)
            doors.append(door)
            came.set()

    async def look_everywhere() -> None:
        """Look at all places at the same time: a broker that hangs costs nothing."""
        async with asyncio.TaskGroup() as group:
            for connect in places:
                group.create_task(look(connect))

    async def enough() -> None:
        """Wait for the first host, and a little longer for others if there are several places."""
        await came.wait()
        if len(places) > 1:
            # The same number may live at several brokers, and only one host knows the words.
            await asyncio.sleep(OTHERS_WITHIN)

    await first(look_everywhere(), enough())
    return doors, failed


async def _through(door: _Door, choose: Choose) -> Invite:
    """Guess, let the player choose a seat, and return its invite.

    Raises NotLetIn if the host refuses the guess or falls silent before, CodeError if it falls
    silent later or has no free seat.
    """
    try:
        heard = await _until(door, _is_verdict, within=LET_IN_WITHIN)
        # Again with each new Welcome: somebody else took the seat that was chosen.
        while True:
            match heard:
                case Refusal():
                    raise _why_not(heard)
                case InviteFields():
                    return Invite.of(heard)
                # Nothing free: a wish would be refused for ever.
                case Welcome(free=()):
                    raise CodeError("Every seat of this table is taken: ask the host.")
                case Welcome():
                    # The player chooses while the code lives; then the host answers within seconds.
                    door.joiner.wish(await choose(heard))
                    heard = await _until(door, _is_verdict, within=SEATED_WITHIN)
                case _:
                    # `_is_verdict` lets nothing else through.
                    raise AssertionError(heard)
    except (TimeoutError, TransportClosedError):
        stage = door.joiner.stage
        # After letting us in, the host is the right one: no other is tried.
        kind = CodeError if stage is JoinerStage.LET_IN else NotLetIn
        raise kind(_SILENCES[stage]) from None


def _is_verdict(heard: object) -> bool:
    """Return whether a message decides on our guess or our wish for a seat: a Welcome, an
    invite, or a refusal that does not just say "busy".
    """
    # Somebody else's guess is being answered: ours waits its turn.
    busy = isinstance(heard, Refusal) and heard.why is Why.BUSY
    return isinstance(heard, Welcome | InviteFields | Refusal) and not busy


async def _until(door: _Door, wanted: Callable[[object], bool], *, within: float) -> object:
    """Send the message that is due, again and again, until one is heard for which `wanted` returns
    True; return that one.

    Raises TimeoutError after `within` seconds, and TransportClosedError when the connection is
    closed.
    """
    clock = asyncio.get_running_loop().time

    async def ask() -> None:
        """Send the message that is due: the stage says which."""
        if (frame := door.joiner.asking_frame()) is not None:
            await door.transport.send(frame)

    async def hear(frame: bytes) -> object | None:
        """Return what a frame says if it is wanted; answer at once where the exchange goes on."""
        before, at = door.joiner.stage, clock() + ANSWERED_AFTER
        # In a thread: a guess takes arithmetic of milliseconds.
        heard = await asyncio.to_thread(door.joiner.hear, frame)
        if wanted(heard):
            return heard
        if door.joiner.stage is not before:
            # Our answer goes out at a fixed time, too, so that computing tells nothing.
            await asyncio.sleep(max(0.0, at - clock()))
            await ask()
        return None

    return await answered(door.transport.frames(), hear, ask, every=GUEST_ASKS_EVERY, within=within)


def _why_not(refusal: Refusal) -> CodeError:
    """Return the error for a host's refusal: a dead code or a wrong one."""
    # Guessed out or too old: for the friend it is the same.
    if refusal.why is Why.DEAD or not refusal.left:
        return NotLetIn(
            "This code is dead, after ten minutes or five wrong guesses: ask the host for a new"
            " one."
        )
    more = "one more wrong one" if refusal.left == 1 else f"{refusal.left} more wrong ones"
    return WrongCode(f"This code is not right; {more}, and the host must make a new one.")


_SILENCES: Final = {
    JoinerStage.KNOCKING: (
        "Somebody else keeps trying this code: try again, or ask the host for a new one."
    ),
    JoinerStage.GUESSING: "The host fell silent: type the code once more, or ask for a new one.",
    JoinerStage.LET_IN: "The host fell silent, or the code is dead by now: ask for a new one.",
}

# --- from invites to the charter ------------------------------------------------------------------


# One worker thread makes them while others sit down: nobody waits for them at the first shuffle.
GENERATORS: Final = 32  #: As many as a shuffle of the pack of 304 takes.

TellNames = Callable[[dict[int, str], int], Awaitable[None]]
Keep = Callable[[Charter], Awaitable[None]]


class NameTaken(UserError):
    """Another seat of the table has our nickname."""


class SeatTaken(UserError):
    """Another player claimed our seat first, or our own key sits or rules at the table already."""


async def sit_down(
    setup: Setup,
    key: SigningKey,
    line: SealedLine,
    *,
    tell: TellNames,
    keep: Keep,
    work: Executor,
) -> tuple[Charter, list[bytes]]:
    """Take our seat, as the founder or by a claim; return the charter once every seat is claimed,
    and the messages of the game that came before it.

    `tell` is called with the names of the seats claimed so far and the number of all seats; with
    none and 0 if no founder answers. `keep` writes the charter to the disk before it is sent or
    confirmed. `work` prepares the first shuffle meanwhile. Raises as `claim_seat` does.
    """
    invite, founding = setup.invite, setup.founding
    # An invite to watch has no token; the caller has refused it.
    assert invite.token is not None
    claim = lobby.Claim.make(
        table=invite.table,
        seat=setup.seat,
        token=invite.token,
        key=key,
        nickname=setup.nickname,
        nonce=setup.nonce,
    )
    # At the founder none can come: it makes the charter.
    early: list[bytes] = []
    if founding is None:
        sitting = claim_seat(claim, invite.token, line, early=early, tell=tell, keep=keep)
    else:
        registrar = lobby.Registrar(
            table=invite.table,
            game=founding.game,
            profile=founding.profile,
            tokens=founding.tokens,
        )
        # The founder has the first claim: nobody else can take its seat. It hears no board of its
        # own: at first it is shown alone.
        registrar.take(claim)
        await tell({setup.seat: setup.nickname}, len(founding.tokens))
        sitting = register_claims(registrar, line, tell=tell, keep=keep)
    # In the wait for others, since the first shuffle needs the points that this makes and caches;
    # the digest itself is dropped.
    charter, _ = await asyncio.gather(sitting, work(constants_digest, GENERATORS))
    return charter, early


async def register_claims(
    registrar: lobby.Registrar, line: SealedLine, *, tell: TellNames = _nothing, keep: Keep
) -> Charter:
    """As the founder answer the claims at a table and tell the names, until every seat is claimed;
    return the charter, which `keep` has taken before the last answer is sent.

    A claim to which the registrar has no answer changes nothing. Raises TransportError once the
    connection is closed.
    """
    # A board has a proof for each seat, claimed or not.
    seats, table = len(registrar.board().proofs), line.invite.table
    if (whole := registrar.charter()) is not None:  # every seat was given before anybody claimed
        await keep(whole)
        return whole

    async def hear(payload: bytes) -> Charter | None:
        """Answer a claim; return the charter if it was the last one."""
        claim = lobby.from_bytes(payload, seats=seats, table=table)
        answer = registrar.take(claim) if isinstance(claim, lobby.Claim) else None
        if answer is None:
            return None
        charter = registrar.charter()
        if charter is not None:
            await keep(charter)  # before anybody hears of it: there is never a second one
        # After `keep`: after a crash the founder must not make a second charter.
        await line.send(lobby.to_bytes(answer))
        await tell(dict(registrar.board().names), seats)
        return charter

    return await _charter(line, hear)


async def claim_seat(
    claim: lobby.Claim,
    token: bytes,
    line: SealedLine,
    *,
    early: list[bytes],
    tell: TellNames,
    keep: Keep,
) -> Charter:
    """Claim a seat every `CLAIM_INTERVAL` seconds until a charter comes that has the claim, give it
    to `keep` and return it; add messages of the game to `early`, CLAIMER_KEEPS at most.

    The names of each board are told; once `UNANSWERED` claims in a row had no answer, that no
    founder answers. Raises NameTaken if another seat has our nickname, SeatTaken if another player
    has our seat or our key has another place at the table, TransportError if the connection is
    closed, UserError if this program cannot play by the charter.
    """
    unanswered = 0  #: How many of our claims in a row had no answer of the founder's.

    async def ask() -> None:
        """Send the claim; tell if nobody answers."""
        nonlocal unanswered
        if unanswered == UNANSWERED:
            await tell({}, 0)
        unanswered += 1
        await line.send(lobby.to_bytes(claim))

    async def hear(payload: bytes) -> Charter | None:
        """Read the founder's board, and return the charter if it has ours; keep a message of the
        game, ignore others. Raises NameTaken or SeatTaken if the founder refuses our claim.
        """
        nonlocal unanswered
        # A seat that already has the charter may play before ours has come.
        if payload[:1] != lobby.PREFIX:
            early.extend([payload] if len(early) < CLAIMER_KEEPS else [])
            return None
        # Before the charter only the founder knows how many seats there are.
        match lobby.from_bytes(payload, seats=MAX_SEATS, table=claim.table):
            # Anybody with the table key can send a board; our token's proof is the founder's alone.
            case lobby.Board() as board if board.holds(claim.seat, token):
                unanswered = 0
                await tell(dict(board.names), len(board.proofs))
                charter = charter_on(board)
                # A charter with another key or name in our seat is not ours to sign (specs 7.4). A
                # slice: the charter may have fewer seats.
                if charter is None or charter.seats[claim.seat :][:1] != (claim.entry,):
                    return None
                # On the disk before it is confirmed: what we sign must survive a crash.
                await keep(charter)
                return charter
            # Only for the claim that we sent, and only from one who knows our token (specs 7.4).
            case lobby.Taken(_, seat, nonce, clash) as taken if (seat, nonce) == (
                claim.seat,
                claim.entry.nonce,
            ) and taken.holds(token):
                # Two classes: after a taken name `join` asks for another one; the seat stays free.
                raise (NameTaken if clash is lobby.Clash.NAME else SeatTaken)(_CLASHES[clash])
            case _:
                return None

    return await _charter(line, hear, ask)


def charter_on(board: lobby.Board) -> Charter | None:
    """Return the charter on a board; None for none. Raises UserError for a charter that this
    program cannot read or play by.
    """
    if not board.charter:
        return None
    try:
        charter = Charter.from_bytes(board.charter)
    except MalformedMessage as error:
        raise unreadable(error) from error
    # Not a check of the charter's own: its decoder knows no games.
    if game_of(charter).seats != len(charter.seats):
        raise UserError("The host's charter has another number of seats than its game.")
    return charter


_CLASHES: Final = {
    lobby.Clash.SEAT: "This seat is taken: somebody used the invite before; ask for a new one.",
    lobby.Clash.NAME: "Somebody at this table has your nickname: join with another --nickname.",
    lobby.Clash.KEY: "Your own key sits or rules at this table already, and one key has one place.",
}


async def charter_there(
    line: SealedLine,
    *,
    seats: tuple[Seat, ...],
    founder: Seat,
    right: Callable[[Charter], bool],
) -> Charter:
    """Ask `seats` in turn for the charter of a table at which our match went on, until one sends
    one that is `right` and under which the `founder` signed an envelope; return it.

    Raises TransportError once the connection is closed.
    """
    told: Charter | None = None
    # Lost questions are asked again, of the next seat: one may be gone.
    asked = cycle(seats)

    async def ask() -> None:
        """Ask the next seat for the charter, which is what we lack."""
        inquiry = lobby.Inquiry(line.invite.table, next(asked), knows_charter=False)
        await line.send(lobby.to_bytes(inquiry))

    async def hear(payload: bytes) -> Charter | None:
        """Note a charter that is right; return it at the founder's signature under it."""
        nonlocal told
        # Anybody with the old table's key can send a board (attacks GO17): what does not decode is
        # passed over, and a charter counts only once the founder signed under it (specs 7.11).
        with suppress(MalformedMessage):
            if payload[:1] != lobby.PREFIX:
                signed = told is not None and open_envelope(payload, told).seat == founder
                return told if signed else None
            # As many seats as any table has: `right` judges the charter.
            board = lobby.from_bytes(payload, seats=MAX_SEATS, table=line.invite.table)
            if isinstance(board, lobby.Board) and board.charter:
                charter = Charter.from_bytes(board.charter)
                # A later right charter replaces an earlier one that nobody signed.
                told = charter if right(charter) else told
        return None

    return await _charter(line, hear, ask)


async def _charter(
    line: SealedLine,
    hear: Callable[[bytes], Awaitable[Charter | None]],
    ask: Callable[[], Awaitable[None]] = _nothing,
) -> Charter:
    """Return the charter to which `hear` comes by the payloads at a table, asking meanwhile.
    Raises TransportError once the connection is closed.
    """

    async def opened(frame: bytes) -> Charter | None:
        """Hear the payload of a frame; nothing of a stranger's."""
        payload = line.open(frame)
        return None if payload is None else await hear(payload)

    try:
        return await answered(line.transport.frames(), opened, ask, every=CLAIM_INTERVAL)
    except TransportClosedError:
        closed = "The connection was closed before everybody sat down."
        raise TransportError(Trouble.LOST, closed) from None
