"""The two sides of a code: an exchange of keys under its words, a host who grants one guess at a
time, and a joiner who makes one.

SPAKE2 over Ed25519: whoever listens learns nothing of the words; whoever takes part learns whether
one guess was right. All that follows is bound to everything that was said in the exchange. Bytes
and times in, bytes and events out. The only module that imports `spake2`; specs/07-wire.md, 7.9,
says for others what that computes.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, Self

from spake2 import SPAKE2_A, SPAKE2_B
from spake2.spake2 import SPAKEError

from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import ANSWERS, CODE_LIFETIME, GUESS_WITHIN, GUESSES, MOST_LET_IN
from protocol.encoding import digest, frame
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
from protocol.rates import Allowance
from protocol.version import PROTOCOL_VERSION
from protocol.wire.code import Code
from protocol.wire.code_messages import (
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
from protocol.wire.edwards import check_public_key
from protocol.wire.identity import NO_SEAT, Seal, derive_key
from protocol.wire.invite import InviteFields

HOST_SEAT: Final = 0  #: Whose sealing key the host takes; who joins has no seat yet.

# A frame of 2,048 bytes (specs 7.9) less the overhead of sealing, 52.
#: Every sealed message of a code is as large as one of so many bytes: its size tells nothing.
ROOM: Final = 1_996

# The letters by which the library names the sides of an element.
_JOINER: Final = b"A"
_HOST: Final = b"B"


class ExchangeId(NamedTuple):
    """An exchange: the code's number, and three ids of 16 bytes: the host's, the joiner's, and
    the one that the host drew for this guess. An Offer and a Guess begin with these fields.
    """

    number: int
    host: bytes
    joiner: bytes
    exchange: bytes

    @classmethod
    def of(cls, message: Offer | Guess) -> Self:
        """Return the exchange that a message names."""
        return cls(message.number, message.host, message.joiner, message.exchange)

    @property
    def fields(self) -> tuple[bytes, ...]:
        """The exchange as fields of a hash: number, host, joiner and exchange, each as bytes."""
        return (_number(self.number), *self[1:])

    @property
    def sides(self) -> tuple[bytes, bytes]:
        """The names of joiner and host, in this order, in the exchange of keys."""
        # The joiner is the library's side A, the host its side B.
        return (
            frame(labels.CODE_JOINER_SIDE, *self.fields),
            frame(labels.CODE_HOST_SIDE, *self.fields),
        )

    def transcript(self, host_element: bytes, joiner_element: bytes) -> bytes:
        """Return a digest of the exchange and both elements, 32 bytes, equal on both sides if
        nobody interfered.
        """
        fields = (*self.fields, host_element, joiner_element)
        return digest(labels.CODE_EXCHANGE, *fields)


class KeySide:
    """One side of an exchange of keys under a password: `element` is to be sent, and `key` takes
    the other side's.
    """

    __slots__ = ("_exchange", "_other", "element")
    element: bytes

    def __init__(
        self, password: bytes, joiner: bytes, host: bytes, *, at_host: bool, entropy: Entropy
    ) -> None:
        """Begin an exchange of keys under `password`; `at_host` says whether ours is the host's
        side.

        `joiner` and `host` are the names of the sides (`ExchangeId.sides`). `element` is what to
        send.
        """
        made = SPAKE2_B if at_host else SPAKE2_A
        self._exchange = made(password, idA=joiner, idB=host, entropy_f=entropy)
        self._other = _JOINER if at_host else _HOST
        # The library puts the side's letter in front; both sides know it.
        self.element = bytes(self._exchange.start()[1:])

    def key(self, element: bytes) -> bytes:
        """Return the shared key, 32 bytes, from the other side's element; equal on both sides if
        their passwords are.

        Call it once: the library takes no second element. Raises MalformedMessage `code` for bytes
        that are no element, and for our own element.
        """
        try:
            # A point of small order would make the key guessable without the password.
            check_public_key(element)  # canonical, on the curve, of prime order
            return bytes(self._exchange.finish(self._other + element))
        except (MalformedMessage, SPAKEError) as error:
            raise MalformedMessage("code", "the element is none") from error


def host_id(table: bytes, number: int, salt: bytes) -> bytes:
    """Return the 16-byte id under which a table's host meets those who type a code: a hash of the
    table's id, the code's number and `salt`.

    Who is given `salt` and the table's id later can check the id.
    """
    # Salted: the table's id must not be recognised by who has it from an invite.
    return digest(labels.CODE_HOST, table, _number(number), salt)[:ID_BYTES]


def password(code: Code) -> bytes:
    """Return the password of the exchange of keys, as bytes: the code's text under a label."""
    return frame(labels.CODE_PASSWORD, code.format().encode("ascii"))


def confirmation(key: bytes, transcript: bytes) -> bytes:
    """Return 32 bytes that prove possession of the exchange's `key` without showing it, bound to
    its `transcript`.
    """
    return derive_key(key, labels.CODE_CONFIRMATION, transcript)


def seal_of(key: bytes, transcript: bytes, exchange: bytes) -> Seal:
    """Return the seal of all later messages of an exchange: its key comes from the shared key,
    its table id is `exchange`.
    """
    return Seal(derive_key(key, labels.CODE_SEAL, transcript), exchange)


def _number(number: int) -> bytes:
    """Return the protocol's version in one byte, then the code's number in two, big-endian."""
    # With the version: programs of two versions derive no key and no id in common.
    return bytes((PROTOCOL_VERSION,)) + number.to_bytes(2, "big")


# --- a host: who may guess, how often, and what those who guessed right are told ------------------
#
# One exchange is open at a time and is good for one guess; five wrong ones, or ten minutes, and the
# code is dead.


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
        """Begin a code that lives for CODE_LIFETIME seconds or GUESSES wrong guesses.

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
        self._until = now + CODE_LIFETIME
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
        GUESS_WITHIN seconds, or of its own that is open already. Refuse it while another joiner's
        is open (BUSY) or once the code is dead.
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
            open_ = self._open = _Exchange(exchange, side, now + GUESS_WITHIN)
        return _answer_openly(Offer(*open_.id, open_.side.element))

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


# --- a joiner: one guess, and the choice of a seat if it was right --------------------------------
#
# Whoever drives it repeats what `asking_frame` says until that changes, for the broker may lose
# anything.


class JoinerStage(Enum):
    """How far a joiner has come; the value says it in words."""

    FINDING = "asks who has the number"
    KNOCKING = "asks for an exchange"
    GUESSING = "has guessed"
    LET_IN = "guessed right, and may choose a seat"
    SEATED = "has an invite"
    REFUSED = "was refused"


# In the others nothing that is heard changes anything.
_LIVE: Final = (JoinerStage.FINDING, JoinerStage.KNOCKING, JoinerStage.GUESSING, JoinerStage.LET_IN)

#: What is heard that changes something: of an invite, its fields.
JoinerEvent = Here | Refusal | Welcome | InviteFields


class JoinerCode:
    """A joiner's state of one guess at a code. A second guess needs another object, and another
    typing.
    """

    def __init__(self, code: Code, *, entropy: Entropy) -> None:
        """Begin to look for the host of `code`; `entropy` gives the joiner's id and secrets."""
        self.stage = JoinerStage.FINDING
        self._code = code
        self._entropy = entropy
        self._joiner = entropy(ID_BYTES)
        # No host has an empty id, so no message is for us before a Here.
        self._host = b""
        self._exchange: ExchangeId | None = None
        self._seal: Seal | None = None
        # That of our latest Wish; ours begin at 1.
        self._serial = 0
        # That of the newest Welcome; -1 before the first, whose serial may be 0.
        self._told = -1
        self._asking: bytes | None = to_frame(Find(code.number, self._joiner))

    def asking_frame(self) -> bytes | None:
        """Return the frame that the joiner has to repeat until this method returns another; None
        if there is nothing to ask: after a Welcome until `wish`, and once refused or seated.
        """
        return self._asking

    def hear(self, frame: bytes) -> JoinerEvent | None:
        """Take a frame of the topic from anybody, and go on to the next stage if it fits; return
        what it tells the joiner: a Here, Refusal or Welcome, or the fields of an invite; else None.

        Never raises for bytes. An Offer is answered by `asking_frame` and not returned; a Refusal
        because the host is busy is returned each time, and the stage stays. Nothing is heard once
        the joiner is seated or refused.
        """
        if self.stage not in _LIVE:
            return None
        try:
            # A slice, since a frame may be empty.
            return self._hear_open(frame) if frame[:1] == PREFIX else self._hear_sealed(frame)
        # Anybody can write to the topic: foreign bytes change nothing.
        except MalformedMessage:
            return None

    def wish(self, seat: Seat) -> None:
        """Ask for a seat: `asking_frame` returns the request from now on, with a higher serial
        for each call, until another Welcome, after which it has to be made anew. Call it only
        after a Welcome.
        """
        # Made with the guess, without which nobody is let in.
        assert self._seal is not None
        self._serial += 1
        payload = to_payload(Wish(self._serial, seat))
        self._asking = self._seal.seal(payload, seat=NO_SEAT, entropy=self._entropy, room=ROOM)

    # --- in the open ------------------------------------------------------------------------------

    def _hear_open(self, frame: bytes) -> JoinerEvent | None:
        """Take an unsealed message, and go on to the next stage if it fits; return a Here with
        which we begin to knock, or a Refusal that `_read_refusal` lets pass; else None, also for an
        Offer, which is answered with our guess.

        Raises MalformedMessage `code` for bytes that are no message, or an offer whose element is
        none.
        """
        message = from_frame(frame)
        finding = self.stage is JoinerStage.FINDING
        # The answer to our own question alone: those to other joiners stand at the topic, too.
        asked = (self._code.number, self._joiner)
        match message:
            case Here(number, asker, host) if finding and (number, asker) == asked:
                self.stage, self._host = JoinerStage.KNOCKING, host
                self._asking = to_frame(Knock(number, host, self._joiner))
                return message
            # While we knock alone: an offer is answered once, with our one guess.
            case Offer() if self.stage is JoinerStage.KNOCKING and self._is_mine(message):
                self._guess(message)
                return None
            case Refusal() if self._is_mine(message):
                return self._read_refusal(message)
            case _:
                return None

    def _is_mine(self, message: Offer | Refusal) -> bool:
        """Tell whether a message names our code's number, our host and this joiner."""
        mine = (self._code.number, self._host, self._joiner)
        return (message.number, message.host, message.joiner) == mine

    def _guess(self, offer: Offer) -> None:
        """Answer a host's offer with our one guess, which `asking_frame` returns from now on; the
        stage becomes GUESSING.

        A host without the code learns only whether its own guess at the words was right. Raises
        MalformedMessage `code` for an offer whose element is none.
        """
        exchange = ExchangeId.of(offer)
        side = KeySide(password(self._code), *exchange.sides, at_host=False, entropy=self._entropy)
        key = side.key(offer.element)
        transcript = exchange.transcript(offer.element, side.element)
        self._exchange, self._seal = exchange, seal_of(key, transcript, offer.exchange)
        self.stage = JoinerStage.GUESSING
        self._asking = to_frame(Guess(*exchange, side.element, confirmation(key, transcript)))

    def _read_refusal(self, refusal: Refusal) -> Refusal | None:
        """Return a refusal that concerns us, else None.

        Before our guess: that the host is busy, which changes nothing, or that the code is dead.
        After it: that the guess in this very exchange was wrong or the code is dead. All but busy
        set the stage to REFUSED, with nothing more to ask.
        """
        # Anybody can send a refusal: this one only means to wait.
        if self.stage is JoinerStage.KNOCKING and refusal.why is Why.BUSY:
            return refusal  # asked again
        knocked = self.stage is JoinerStage.KNOCKING and refusal.why is Why.DEAD
        # Once guessed, only an answer to this very exchange ends the attempt.
        ours = b"" if self._exchange is None else self._exchange.exchange
        guessed = self.stage is JoinerStage.GUESSING and refusal.why is not Why.BUSY
        if not knocked and not (guessed and refusal.exchange == ours):
            return None
        self.stage, self._asking = JoinerStage.REFUSED, None
        return refusal

    # --- sealed -----------------------------------------------------------------------------------

    def _hear_sealed(self, frame: bytes) -> JoinerEvent | None:
        """Take a sealed frame of the host. A Welcome that is newer than the last one is returned,
        sets the stage to LET_IN, and ends a request for a seat; a Grant after one gives the fields
        of our invite, and SEATED. All else gives None, as does every frame before our guess.

        Raises MalformedMessage, once we have guessed, for bytes that are no sealed message of the
        exchange, and for a Grant whose text is no invite.
        """
        if self._seal is None:
            return None
        opened = self._seal.open(frame)
        if opened.sealed_by != HOST_SEAT:
            return None  # our own words, sent back
        match from_payload(opened.payload):
            # An older one that comes late would show seats that are taken by now.
            case Welcome() as welcome if welcome.serial > self._told:
                self.stage, self._told, self._asking = JoinerStage.LET_IN, welcome.serial, None
                return welcome
            case Grant(salt, invite) if self.stage is JoinerStage.LET_IN:
                return self._grant(salt, invite)
            case _:
                return None

    def _grant(self, salt: bytes, text: str) -> InviteFields | None:
        """Return the fields of the invite `text`, and set the stage to SEATED; None, in the same
        stage, if it is for another table than the host's id shows with `salt`. Raises
        MalformedMessage `invite*` for a text that is no invite.
        """
        fields = InviteFields.parse(text)
        # Whoever relays an exchange cannot exchange the table.
        if host_id(fields.table, self._code.number, salt) != self._host:
            return None  # an invite to another table than the one that was joined
        self.stage, self._asking = JoinerStage.SEATED, None
        return fields
