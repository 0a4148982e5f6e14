"""The host's side of a code: takes a number, answers guesses, and gives seats away (specs 7.9)."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from cli.code import draw_code
from cli.errors import UserError
from cli.front.writing import Writer
from cli.invite import Invite
from cli.local.code_topic import ANSWERED_AFTER, free_number
from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.net.mqtt import MqttVersion
from cli.net.transport import Transport, TransportClosedError
from cli.tasks import Errands, first
from p2p304.games import agreed_game, telling_of
from p2p304.seats import Seat, place_name
from protocol.wire.code_exchange import CodeState, HostCode, LetIn, SeatRequested, WrongGuess

# A choice: time to sit down by hand; longer, a friend whose program died keeps the seat.
#: Seconds after which a seat that was given and not claimed can be given again; the first claim has
#: it.
GIVEN_FOR: Final = 60.0

# A choice: soon enough for a person who looks on.
#: Seconds after which is looked whether the code has died, and what there is to tell.
TICK: Final = 1.0


@dataclass(slots=True, kw_only=True)
class Vacancies:
    """The seats of a table that friends may take by its code, and the broker that keeps it."""

    invites: tuple[Invite, ...]  #: Those of all seats, in order.
    free: tuple[Seat, ...]  #: Those of them that friends may take.
    game: str
    profile: str  #: The charter's line about the rules, in full.
    sitting: Callable[[], Mapping[int, str]]  #: Says who has a seat already.
    credentials: Credentials
    #: Whether the broker runs in this process, so that the code is announced in the local network.
    broker_here: bool
    public: bool = False  #: Whether the broker is a public one, where a code is looked for.
    given: Callable[[Seat], None] = lambda _: None  #: Is called with each seat that is given.
    _given: dict[Seat, float] = field(default_factory=dict, init=False)

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
            if seat not in sitting and self._given.get(seat, since) <= since
        )

    def give(self, seat: Seat) -> Invite:
        """Return the invite of a seat that the caller has seen to be left, count it as given
        from now, and tell `given`.
        """
        # Counted before the invite goes out: two who ask at once get two seats.
        self._given[seat] = time.monotonic()
        self.given(seat)
        return self.invites[seat]

    def about(self) -> str:
        """Return the game, its rules and its partnerships in words, for a person who chooses a
        seat.
        """
        played = agreed_game(self.game, self.profile)
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
        self,
        vacancies: Vacancies,
        version: MqttVersion,
        say: Callable[[str], None],
        about: Iterable[str] = (),
    ) -> None:
        """Set up a code for these seats, to be kept at their broker, spoken to in this version of
        MQTT. `say` gets sentences for the host, those `about` the table behind the first code, or
        behind the sentence that there is none.
        """
        self._vacancies = vacancies
        self._version = version
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
        named = () if vacancies.broker_here or vacancies.public else vacancies.nodes
        self._added = "".join(f" --broker {node.format()}" for node in named)
        self._errands = Errands()

    async def run(self) -> None:
        """Take a number, show the code, and give seats to joiners who know it, until cancelled.

        Return only if no code can be had, after saying why. Raises UserError if the connection
        closes later.
        """
        vacancies, nearby = self._vacancies, self._nearby()
        host, port = vacancies.nodes[0].host, vacancies.nodes[0].port
        try:
            self._number, transport = await free_number(
                vacancies.nodes,
                vacancies.credentials,
                self._version,
                # Two tables of one number nearby would answer each other's friends.
                taken=frozenset() if nearby is None else frozenset(await nearby.numbers()),
            )
        except UserError as error:
            # A table without a code is still joined by invites.
            self._say(f"There is no code for this table: {error}")
            self._tell_about()
            return
        try:
            # A table at a public broker is found there: nothing is announced nearby.
            announcing: AbstractAsyncContextManager[bool] = (
                nullcontext(enter_result=False)
                if nearby is None
                else nearby.announce(self._number, host, port)
            )
            async with announcing as announced:
                # Without an announcement friends need the broker's address besides the code.
                if vacancies.broker_here and not announced:
                    self._added = f" --broker {vacancies.nodes[0].format()}"
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

    # zeroconf is imported with it: late, as it takes long.
    def _nearby(self) -> Any:
        """Return the module for announcements in the local network; None if this process runs no
        broker, or one whose address cannot be announced.
        """
        if not self._vacancies.broker_here:
            return None
        from cli.net import nearby  # its library takes long, and few tables need it

        return nearby if nearby.can_be_told(self._vacancies.nodes[0].host) else None

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
                case LetIn(exchange):
                    answers += (self._welcome(host, exchange),)
                case SeatRequested(exchange, seat) if seat in self._vacancies.left():
                    # Judged at this moment: somebody else may have taken it since the welcome.
                    answers += (host.grant(exchange, self._vacancies.give(seat).format()),)
                    taken = place_name(seat, len(self._vacancies.invites))
                    self._say(f"Somebody who has the code takes {taken}.")
                # Somebody else has the seat by now: the guest is shown the free ones again.
                case SeatRequested(exchange):
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
            await asyncio.sleep(TICK)
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
