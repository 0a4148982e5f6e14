"""A joiner's side of a code: one guess, and the choice of a seat if it was right.

Bytes in, bytes and events out; whoever drives it repeats what `asking_frame` says until that
changes, for the broker may lose anything. Specified in specs/07-wire.md, 7.9.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from p2p304.seats import Seat
from protocol.entropy import Entropy
from protocol.errors import MalformedMessage
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
    ID_BYTES,
    PREFIX,
    Find,
    Grant,
    Guess,
    Here,
    Knock,
    Offer,
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
from protocol.wire.invite import InviteFields


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
        self._asking = to_frame(
            Guess(
                exchange.number,
                exchange.host,
                exchange.joiner,
                exchange.exchange,
                side.element,
                confirmation(key, transcript),
            )
        )

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
