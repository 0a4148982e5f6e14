"""A host's side of a code: who may guess, how often, and what those who guessed right are told.

Bytes and times in, bytes and events out. One exchange is open at a time and is good for one guess;
five wrong ones, or ten minutes, and the code is dead. Specified in specs/07-wire.md, 7.9.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from p2p304.seats import Seat
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
from protocol.rates import Allowance, Rate
from protocol.wire.code import Code
from protocol.wire.code_keys import (
    HOST_SEAT,
    ROOM,
    ExchangeId,
    KeySide,
    confirmation,
    host_id,
    password,
    seal_of,
)
from protocol.wire.code_messages import (
    GUESSES,
    ID_BYTES,
    PREFIX,
    Find,
    Grant,
    Guess,
    Here,
    Knock,
    Offer,
    OpenMessage,
    Refusal,
    Welcome,
    Why,
    Wish,
    from_frame,
    from_payload,
    to_frame,
    to_payload,
)
from protocol.wire.identity import NO_SEAT, Seal

# Lifetime, patience and answers a second are pinned by specs 7.9.
LIFETIME: Final = 600.0  #: Seconds that a code lives.

#: Seconds that an opened exchange waits for its guess, while others are told that we are busy.
PATIENCE: Final = 5.0

#: Answers in the open, and answers under a seal that are said again: strangers ask for them.
ANSWERS: Final = Rate(20, 20)

# Wrong guesses are counted, right ones are not: whoever knows the code could open them without end.
MOST_LET_IN: Final = 32  #: Exchanges in which the code was right; the oldest gives way.


class CodeState(Enum):
    """Whether a code lets anybody in."""

    LIVING = "living"
    GUESSED_OUT = "five wrong guesses"
    EXPIRED = "ten minutes"


@dataclass(frozen=True, slots=True)
class WrongGuess:
    """An event: a joiner guessed wrong; `left` is the number of wrong guesses that the code
    still allows, and at 0 it is dead.
    """

    left: int


@dataclass(frozen=True, slots=True)
class LetIn:
    """An event: a joiner guessed right in this exchange (its id, 16 bytes), and waits for a
    Welcome.
    """

    exchange: bytes


@dataclass(frozen=True, slots=True)
class SeatRequested:
    """An event: the joiner of this exchange asks for this seat."""

    exchange: bytes
    seat: Seat


CodeEvent = WrongGuess | LetIn | SeatRequested


class CodeStep(NamedTuple):
    """The result of a frame: frames to send, and an event, if one happened."""

    answers: tuple[bytes, ...] = ()
    event: CodeEvent | None = None


NOTHING: Final = CodeStep()


@dataclass(slots=True)
class _Exchange:
    """The exchange that is open for one guess, until a time."""

    id: ExchangeId
    side: KeySide
    until: float


@dataclass(slots=True)
class _Guest:
    """A joiner who guessed right.

    `wished` is the serial of its latest request for a seat, `told` that of our latest Welcome,
    `last` the latest frame that we sent to it, and `seated` whether it has got an invite.
    """

    guess: Guess
    seal: Seal
    last: bytes = b""
    # Before the first, which may have the serial 0.
    wished: int = -1
    # The first Welcome has 1.
    told: int = 0
    seated: bool = False


class HostCode:
    """A host's state of one code. Its `repr` shows no word."""

    def __init__(self, code: Code, table: bytes, *, entropy: Entropy, now: float) -> None:
        """Begin a code that lives for LIFETIME seconds or GUESSES wrong guesses.

        Args:
            code: its number, and the words that nobody else may see.
            table: the table's id, 16 bytes.
            entropy: gives the secrets of every exchange.
            now: seconds of a clock that never goes back.
        """
        self.number = code.number
        self._password = password(code)
        # Told with the invite alone: by it the joiner checks that the host's id is of its table.
        self._salt = entropy(ID_BYTES)
        self._host = host_id(table, code.number, self._salt)
        self._entropy = entropy
        self._until = now + LIFETIME
        self._open: _Exchange | None = None
        # By the id of the exchange, the oldest first.
        self._guests: dict[bytes, _Guest] = {}
        # Said again if its answer was lost: a repeated guess must not cost a second one.
        # b"" at first: no exchange has an empty id.
        #: The latest exchange with a wrong guess, and what it was answered.
        self._refused: tuple[bytes, bytes] = (b"", b"")
        self._answers = Allowance(ANSWERS)
        self.left = GUESSES  #: Wrong guesses that are left.

    def state(self, now: float) -> CodeState:
        """Return whether the code still lets anybody in at the time `now`, and if not why."""
        if self.left == 0:
            return CodeState.GUESSED_OUT
        return CodeState.LIVING if now < self._until else CodeState.EXPIRED

    def hear(self, frame: bytes, now: float) -> CodeStep:
        """Take a frame of the topic from anybody; return the frames to send, and an event if one
        happened.

        Never raises for bytes; a frame that does not concern this code gives nothing. Unsealed
        frames of this code beyond the rate ANSWERS are ignored; answers that are repeated under a
        seal have the same rate of their own. `now` is in seconds of the clock of `__init__`.
        """
        # A slice, since a frame may be empty.
        if frame[:1] != PREFIX:
            return self._hear_sealed(frame, now)
        try:
            message = from_frame(frame)
        # Anybody can write to the topic: foreign bytes are dropped without a word.
        except MalformedMessage:
            return NOTHING
        # The rate last: frames of other codes must not use it up. It is one for all strangers, who
        # have no names.
        if message.number != self.number or not self._answers.take("in the open", now):
            return NOTHING
        match message:
            # A dead code answers, too: the joiner learns why from the refusal of its Knock.
            case Find(number, asker):
                return _answer_openly(Here(number, asker, self._host))
            case Knock() if message.host == self._host:
                return self._answer_knock(message, now)
            case Guess() if message.host == self._host:
                return self._answer_guess(message, now)
            case _:
                return NOTHING

    def welcome(
        self,
        exchange: bytes,
        *,
        game: str,
        seats: int,
        names: tuple[tuple[Seat, str], ...],
        free: tuple[Seat, ...],
    ) -> bytes:
        """Return the frame that shows the joiner of an exchange the table and its free seats, with
        a higher serial each time; its repeated requests are answered with this frame from now on.

        Raises KeyError for an exchange that is none of `let_in`.

        Args:
            exchange: one of `let_in`.
            game: the game's name in the registry.
            seats: the number of seats of the table.
            names: taken seats with their nicknames.
            free: the seats that can be had.
        """
        guest = self._guests[exchange]
        guest.told += 1
        return self._seal(guest, Welcome(guest.told, game, seats, names, free))

    def grant(self, exchange: bytes, invite: str) -> bytes:
        """Return the frame that gives the joiner of an exchange its one seat, by the text of an
        invite.

        From now on its requests for a seat, also for another one, give no event and are answered
        with this frame alone. Raises KeyError for an exchange that is none of `let_in`.
        """
        guest = self._guests[exchange]
        guest.seated = True
        return self._seal(guest, Grant(self._salt, invite))

    @property
    def let_in(self) -> tuple[bytes, ...]:
        """The ids, 16 bytes each, of the exchanges in which a joiner guessed right, the oldest
        first. Beyond MOST_LET_IN the oldest is forgotten for each new one.
        """
        return tuple(self._guests)

    # --- in the open ------------------------------------------------------------------------------

    def _answer_knock(self, knock: Knock, now: float) -> CodeStep:
        """Answer a joiner that asks for an exchange with an Offer: of a new one, open for
        PATIENCE seconds, or of its own that is open already. Refuse it while another joiner's is
        open (BUSY) or once the code is dead.
        """
        if self.state(now) is not CodeState.LIVING:
            return self._refuse(knock.joiner, Why.DEAD)
        open_ = self._open
        if open_ is not None and now < open_.until:
            # One exchange at a time: many open ones would let a stranger guess in parallel. Its own
            # joiner, which may not have got our answer, is sent the same Offer again.
            if open_.id.joiner != knock.joiner:
                return self._refuse(knock.joiner, Why.BUSY)
        else:
            exchange = ExchangeId(self.number, self._host, knock.joiner, self._entropy(ID_BYTES))
            side = KeySide(self._password, *exchange.sides, at_host=True, entropy=self._entropy)
            open_ = self._open = _Exchange(exchange, side, now + PATIENCE)
        made = open_.id
        return _answer_openly(
            Offer(made.number, made.host, made.joiner, made.exchange, open_.side.element)
        )

    def _answer_guess(self, guess: Guess, now: float) -> CodeStep:
        """Judge the one guess of the open exchange, and close it: a right guess gives LetIn and no
        frame, a wrong one is counted and gives WrongGuess with a refusal; if the code is dead, any
        guess is refused uncounted.

        A repeated wrong guess gets its refusal again, uncounted; a repeated right one our last
        frame to its joiner, if there is one. A guess of any other exchange gets nothing.
        """
        guest = self._guests.get(guess.exchange)
        # The very guess that was right: a changed one proves nothing.
        if guest is not None:  # it has not heard us
            # `last` is empty until the first Welcome.
            repeated = guest.guess == guess and guest.last
            return CodeStep((guest.last,)) if repeated else NOTHING
        # The refusal may have been lost: it is sent again, and no second guess is counted.
        if guess.exchange == self._refused[0]:
            return CodeStep((self._refused[1],))
        open_ = self._open
        if open_ is None or open_.id != ExchangeId.of(guess) or now >= open_.until:
            return NOTHING
        # Before the check: nothing that fails below may leave it open for a second guess.
        self._open = None  # one guess, right or wrong
        if self.state(now) is not CodeState.LIVING:
            return self._refuse(guess.joiner, Why.DEAD, guess.exchange)
        seal = _seal_if_right(open_, guess)
        if seal is None:
            self.left -= 1
            step = self._refuse(guess.joiner, Why.WRONG, guess.exchange)
            self._refused = (guess.exchange, step.answers[0])
            return CodeStep(step.answers, WrongGuess(self.left))
        # Whoever knows the code may use up memory, within this bound.
        if len(self._guests) >= MOST_LET_IN:
            del self._guests[next(iter(self._guests))]
        self._guests[guess.exchange] = _Guest(guess, seal)
        return CodeStep(event=LetIn(guess.exchange))

    def _refuse(self, joiner: bytes, why: Why, exchange: bytes = b"") -> CodeStep:
        """Return the step that refuses a joiner; `exchange` is empty where none was opened."""
        return _answer_openly(Refusal(self.number, self._host, joiner, exchange, why, self.left))

    # --- sealed -----------------------------------------------------------------------------------

    def _hear_sealed(self, frame: bytes, now: float) -> CodeStep:
        """Return the step for a sealed frame: SeatRequested, without a frame, for a joiner's new
        request for a seat.

        A repeated request, or any after a Grant, is answered with our last frame to that joiner, if
        there is one and the rate allows. Other bytes, and a new request once the code is dead, give
        nothing.
        """
        for exchange, guest in self._guests.items():
            wish = _read_wish(guest.seal, frame)
            # Of another joiner, or of nobody who was let in: only trying the seals tells.
            if wish is None:
                continue
            # It has not heard our answer, or others repeat it, or it wants a second seat: an invite
            # that was told cannot be taken back.
            if wish.serial <= guest.wished or guest.seated:
                return (
                    CodeStep((guest.last,))
                    if guest.last and self._answers.take("again", now)
                    else NOTHING
                )
            if self.state(now) is not CodeState.LIVING:
                return NOTHING
            guest.wished = wish.serial
            return CodeStep(event=SeatRequested(exchange, wish.seat))
        return NOTHING

    def _seal(self, guest: _Guest, message: Welcome | Grant) -> bytes:
        """Return the frame of a message sealed to a joiner, and keep the frame as the latest for
        that joiner, to be sent again.
        """
        guest.last = guest.seal.seal(
            to_payload(message), seat=HOST_SEAT, entropy=self._entropy, room=ROOM
        )
        return guest.last


def _seal_if_right(open_: _Exchange, guess: Guess) -> Seal | None:
    """Return the seal of an exchange if the guess is right; None for a wrong guess."""
    try:
        # What is no element is a wrong guess like any other: no answer tells them apart.
        key = open_.side.key(guess.element)
    except MalformedMessage:
        return None
    transcript = open_.id.transcript(open_.side.element, guess.element)
    # In constant time: how many bytes agree must not show.
    if not hmac.compare_digest(confirmation(key, transcript), guess.confirmation):
        return None
    return seal_of(key, transcript, guess.exchange)


def _read_wish(seal: Seal, frame: bytes) -> Wish | None:
    """Return a joiner's request for a seat from a sealed frame; None for any other bytes."""
    try:
        opened = seal.open(frame)
        message = from_payload(opened.payload)
    # Of another exchange, or of anybody: a frame that this seal does not open is no wish.
    except MalformedMessage:
        return None
    # A joiner seals without a seat: what we sealed ourselves comes back from the broker, too.
    return message if opened.sealed_by == NO_SEAT and isinstance(message, Wish) else None


def _answer_openly(message: OpenMessage) -> CodeStep:
    """Return the step whose one answer is this message, unsealed."""
    return CodeStep((to_frame(message),))
