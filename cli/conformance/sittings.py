"""A seat under test: seats of ours at one table with a program in the last seat, over a broker,
through honest hands, cheats of others, restarts and catching up.

Ours hear each other at once; between them and the program frames may be lost, repeated and
overtaken. One of ours may cheat once. What the program says is judged as any seat's is.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from cli.bounds import (
    CHEAT_WATCHED_FOR,
    CONVICTS_WITHIN,
    SENT_AGAIN_WITHIN,
    SITTING_ANSWERED_FOR,
    SITTING_GRACE,
)
from cli.conformance.program import command_words, start_program
from cli.conformance.tables import Drawn, OwnTable, sign_body
from cli.conformance.trials import Mark, Trial
from cli.errors import UserError
from cli.invite import Invite
from cli.local.sitting import transport_for
from cli.local.transcripts import compute
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.tasks import stop
from p2p304.bots.play304.staged_cheat import toward_a_card_face_down
from p2p304.bots.players import random_player_for
from p2p304.games import GAMES, create_game, full_agreement
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.view import View
from protocol.errors import MalformedMessage, PeerFault
from protocol.memory_table import MemoryTable
from protocol.places import Lane, LedgerName, Place
from protocol.table.events import ConfirmationDue, Event, SeatBlamed
from protocol.table.sync import our_heads
from protocol.topics.commands import Confirm
from protocol.topics.step import SessionStatus
from protocol.wire import lobby
from protocol.wire.contents import KIND_OF, Action, Confirmation, Content, Head, Heads
from protocol.wire.identity import Purpose, Seal
from protocol.wire.invite import new_token
from protocol.wire.messages import Notice, SignedMessage, SignedNotice, open_message, room_of

# --- cheats: a message of a seat altered and signed again on its way out --------------------------

# Three points and two points of 33 bytes.
CARD, SHARE = 99, 66  #: Bytes of a masked card, and of a share of one.


@dataclass(frozen=True, slots=True)
class Cheat:
    """A cheat: how it alters the first message that offers it, and the check that must fail."""

    name: str
    #: The kind of message that it alters, the first there is; of an action with its first word.
    occasion: str
    # Any: each is written for the one kind of content that is its occasion.
    alter: Callable[[Any], Content]
    check: str
    #: Whether what was altered is told too: two messages for one place, the altered one second,
    #: and to the program alone.
    both: bool = False

    @property
    def face_down(self) -> bool:
        """Whether its occasion is a card laid face down, for which our seats play then."""
        # A hand-over, too: behind a trick the maker is handed the cards that lie face down in it.
        return self.occasion in ("Action down", "HandOverShares")

    def alter_content(self, content: Content) -> Content | None:
        """Return what the cheat says instead of `content`; None if that is not its occasion."""
        said = KIND_OF[type(content)].name
        if isinstance(content, Action):
            said += f" {content.text.split(' ')[0]}"
        return self.alter(content) if said == self.occasion else None


def _flip(data: bytes) -> bytes:
    """Return the bytes with their last bit flipped."""
    # One bit of the last byte: the encoding stays right, so that the proof is what fails.
    return data[:-1] + bytes((data[-1] ^ 1,))


def _exchange(data: bytes, size: int) -> bytes:
    """Return the data with its first two parts, of `size` bytes each, exchanged."""
    return data[size : 2 * size] + data[:size] + data[2 * size :]


def _other_face(text: str) -> str:
    """Return an action's text with its last card replaced by the seven of spades, or by the
    eight if it was that.
    """
    # Another card, and always one of the 32 cards: the proof must fail, not the notation.
    return text[:-2] + ("8S" if text.endswith("7S") else "7S")


# In the order in which a hand gives the occasions.
CHEATS: Final = (
    # Zeros have the right length, and were committed to by nobody.
    Cheat("luck that was not committed to", "LuckOpening",
          lambda c: replace(c, luck=bytes(32)), "luck.opening"),
    # 96 bytes of zeros: a proof of the right length that proves nothing.
    Cheat("keys without proof", "HandKeys", lambda c: replace(c, proof=bytes(96)), "key.proof"),
    # 5: a point begins with 2 or 3 (specs 2.1).
    Cheat("a key with a bad prefix", "HandKeys",
          lambda c: replace(c, keys=b"\x05" + c.keys[1:]), "point.prefix"),
    Cheat("two cards of a shuffle exchanged", "ShuffleStep",
          lambda c: replace(c, step=_exchange(c.step, CARD)), "shuffle.equation"),
    Cheat("a card twice in a shuffle", "ShuffleStep",
          lambda c: replace(c, step=c.step[:CARD] * 2 + c.step[2 * CARD :]), "shuffle.equation"),
    # One byte less: refused by its length, before any curve operation (attacks RS1).
    Cheat("a shuffle that is too short", "ShuffleStep",
          lambda c: replace(c, step=c.step[:-1]), "shuffle-proof.length"),
    Cheat("shares of two cards exchanged", "DealShares",
          lambda c: replace(c, batch=_exchange(c.batch, SHARE)), "shares.proof"),
    Cheat("a share too many", "DealShares",
          lambda c: replace(c, batch=c.batch[:SHARE] + c.batch), "shares.length"),
    Cheat("a salt that nobody asked for", "DealShares",
          lambda c: replace(c, salts=(bytes(32),)), "commitment.count"),
    # "dance" is no action in any game. In place of a pass, which needs no proof: the word alone is
    # wrong.
    Cheat("no action at all", "Action pass",
          lambda c: replace(c, text="dance"), "action.notation"),
    # "ready" is a word of the rules at another moment.
    Cheat("an action that the rules forbid", "Action pass",
          lambda c: replace(c, text="ready"), "action.rule"),
    Cheat("a sorted hand that is not the hand", "Action sort",
          lambda c: replace(c, remixes=(_exchange(c.remixes[0], CARD),)), "shuffle.equation"),
    Cheat("a hand that is not sorted", "Action sort",
          lambda c: replace(c, remixes=()), "remix.count"),
    Cheat("a card that is not in the slot", "Action play",
          lambda c: replace(c, text=_other_face(c.text)), "opening.proof"),
    Cheat("a card without its proof", "Action play",
          lambda c: replace(c, proofs=()), "statement.count"),
    Cheat("a face-down card without a commitment", "Action down",
          lambda c: replace(c, commitments=()), "action.commitments"),
    Cheat("not following suit, the proof broken", "Action down",
          lambda c: replace(c, proofs=(_flip(c.proofs[0]), *c.proofs[1:])), "distinction.proof"),
    Cheat("a hand-over for nobody's eyes", "HandOverShares",
          lambda c: replace(c, handovers=(_flip(c.handovers[0]), *c.handovers[1:])),
          "hand-over.proof"),
    Cheat("a better result", "ResultSignature",
          lambda c: replace(c, scores=(c.scores[0] + 1, *c.scores[1:])), "result.scores"),
    Cheat("a message of another kind", "ResultSignature", lambda _: Action("pass"), "turn.kind"),
    # Contradicting messages convict by themselves, whatever they say (attacks CH1).
    Cheat("two messages for one place", "Confirmation",
          lambda _: Confirmation(bytes(32)), "ledger.equivocation", both=True),
)  # fmt: skip

# --- what a sitting is about ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scenario:
    """One sitting: the game and its agreement, the weather, one cheat at the most, a restart."""

    suite: str
    name: str
    # Nobody cuts, and there is no second auction: few rounds before the play.
    agreement: str = "card304-alpha"
    game: str = "304"
    #: Whether frames between our seats and the program are lost, repeated and overtaken.
    stormy: bool = False
    cheat: Cheat | None = None  #: None: nobody cheats.
    # In closed rounds of the hand.
    #: When the program is killed and started again; None for never.
    restart_after: int | None = None
    catch_up: bool = False  #: Whether the program is asked for all messages, as if we had none.
    #: Whether the program hears, besides what is said, what nobody said: frames of noise, and
    #: confirmations signed by another's key.
    forgeries: bool = False
    #: How many tables may be tried until the cheat, or the restart, has an occasion.
    seeds: int = 1


# --- the table ------------------------------------------------------------------------------------

# Seat 1: seat 0 founds the table, and the program has the last.
CHEATING: Final = 1
OURS: Final = 0  #: The seat in whose name all of ours seal.

# No seat has this number: a mark in the queue of messages.
#: Reads what the cheat is about to say, when its turn has come, and may alter it.
DECIDING: Final = -1
# A choice: less waits longer for what was lost, more takes slow programs for silent ones.
HASTE: Final = 4.0  #: How much faster our clock goes, so that losses heal sooner.

# Seconds between two looks at the clock: with HASTE a second of our seats, as `Session.tick` wants.
PAUSE: Final = 0.25
# The smallest of the frames that a table may send (specs 7.1).
FRAME: Final = 1_024

# Of bad weather, between our seats and the program alone: ours hear each other at once.
LOSS, REPETITION = 100, 200  #: Of a thousand frames.
REACH: Final = 4  #: By so many later ones a frame is overtaken.


class MixedTable(MemoryTable):
    """Our seats, and all that is said to them; the program has the last one of the table.

    `run` returns when `until` holds.
    """

    def __init__(self, address: BrokerAddress, scenario: Scenario, seed: int) -> None:
        """Set up a table at the broker, at which nobody sits yet."""
        super().__init__()
        # Weather and forgeries follow the seed; keys and salts do not, as in play.
        self._chance = SeededRandomness(seed)
        self._stormy, self._cheat = scenario.stormy, scenario.cheat
        self._forgeries = scenario.forgeries
        #: The envelope with which the cheating seat has lied; None until it has.
        self.lie: bytes | None = None
        self._lied_at: Place | None = None  #: The place of the lie; None until there is one.
        #: By each true envelope of the lie's place, what our other seats hear instead.
        self._told: dict[bytes, bytes] = {}
        self.game = create_game(scenario.game, scenario.agreement)
        # New keys each time: a program may remember what it has seen.
        drawn = self._drawn = Drawn(secrets.token_hex(32), self.game.seats)
        self.theirs = Seat(self.game.seats - 1)
        ours = [Seat(seat) for seat in range(self.theirs)]
        tokens = tuple(new_token(secrets.token_bytes) for _ in drawn.keys)
        key, token = drawn.table_key, tokens[self.theirs]
        self.invite = Invite(address, drawn.table, key, self.theirs, token)
        # Players by chance: they meet more of the rules than good ones. Of different seeds, or all
        # would choose alike: by ten, as no game has more seats.
        self._players = [random_player_for(self.game, seed * 10 + seat) for seat in ours]
        # Our own registrar, so that the program sits down at a table of ours, where all others sit.
        self._registrar = lobby.Registrar(
            table=drawn.table,
            game=scenario.game,
            profile=full_agreement(scenario.game, scenario.agreement),
            tokens=tokens,
            seated={seat: drawn.entries[seat] for seat in ours},
        )
        self._seal = Seal(key, drawn.table)
        self.transport = transport_for(self.invite)  #: That of our seats, not open yet.
        self.signed: dict[Place, bytes] = {}  #: The id of what the program signed for each place.
        self.wrong: list[str] = []  #: What it did that no honest program does.
        #: How many messages and notices of its own the program has sent, repetitions included.
        self.messages = 0
        # Whoever heard a lie stops; a message behind it would accept it.
        self.after_cheat: list[str] = []  #: What it signed on a history that the cheat belongs to.
        self.answers: list[bytes] = []  #: The questions that the program's heads have answered.
        self.convicts = False  #: Whether it published the message that convicts the cheat.
        self.blamed: list[SeatBlamed] = []
        # The answer to a confirmation is an act, and acts must not happen within an event.
        self._confirming: set[int] = set()  #: Our seats that were told to confirm, until they do.
        #: Payloads for the program, in the order in which they leave; bad weather changes it.
        self._outgoing: list[bytes] = []

    def played(self, hands: int) -> bool:
        """Tell whether at least so many hands with cards played have ended at each of our seats,
        signed by everybody; False before there are sessions.
        """
        # Without a session nobody has played, however few hands are asked for.
        sessions = self.sessions
        return bool(sessions) and all(each.table_state.played >= hands for each in sessions)

    def rounds(self) -> int:
        """Return how many rounds of the first hand are closed; 0 before it has begun."""
        if not self.sessions:
            return 0
        # Any of ours: they hear each other at once.
        replica = self.sessions[0].table_state.replicas.get(LedgerName(Lane.HAND, 0))
        return 0 if replica is None else len(replica.ledger.rounds)

    def stopped(self) -> bool:
        """Tell whether all our seats but the cheating one have stopped; False before there are
        sessions.
        """
        # The session of the cheating seat stops later, or not: it accuses nobody, and hears its lie
        # only as others publish it.
        honest = [each for seat, each in enumerate(self.sessions) if seat != CHEATING]
        return bool(honest) and all(each.status is SessionStatus.HALTED for each in honest)

    async def run(self, until: Callable[[], bool], deadline: float) -> bool:
        """Play until `until` holds, and return True; return False after `deadline` seconds."""
        loop, frames = asyncio.get_running_loop(), self.transport.frames()
        ends, ticks = loop.time() + deadline, 0.0
        while not until():
            if loop.time() > ends:
                return False
            await self._go_on()
            try:
                async with asyncio.timeout(PAUSE):
                    # `anext` waits for the next frame; a frame that arrives in between is kept by
                    # the transport.
                    frame = await anext(frames)
            # A pause without a frame: the clock goes on all the same.
            except TimeoutError:
                frame = b""
            # Ticks are about silence, so that they need no more precision.
            if tick := loop.time() >= ticks:
                ticks = loop.time() + PAUSE
            await compute(self._take, frame, tick)
        # What our seats said last is still to be sent.
        await self._go_on()
        return True

    async def _go_on(self) -> None:
        """Do all that our seats can do by themselves, and send what is to be sent."""
        self.now = asyncio.get_running_loop().time() * HASTE
        # Proofs take seconds of processor: in a thread, so that the transport goes on. Tables that
        # are played at a time take turns.
        await compute(self._play_on)
        for payload in self._outgoing:
            await self._send(payload)
        self._outgoing = []

    def _take(self, frame: bytes, tick: bool) -> None:
        """Hear a frame, b"" for none, unless it is lost on its way; tell our seats the time if
        `tick`.
        """
        # Losses on the way in as well.
        if frame and not self._strikes(LOSS):
            self._hear(frame)
        for seat in range(len(self.sessions)) if tick else ():
            self.call(seat, lambda session: session.tick(now=self.now))

    def _play_on(self) -> None:
        """Deliver messages and let our seats act until nothing is left to do."""
        while self.deliver() or self._act():
            pass

    def deliver(self) -> bool:
        """Bring the oldest envelope to its reader, or decide what the cheating seat says in its
        place; return False if none is on its way.
        """
        # A cheat's message is decided on when the honest seats have heard all before it.
        if self.flying and self.flying[0][1] == DECIDING:
            self._spread(CHEATING, self._alter(self.flying.pop(0)[2]))
            return True
        return super().deliver()

    def _act(self) -> bool:
        """Let one of our seats act; return False if none has anything to do."""
        for seat, session in enumerate(self.sessions):
            # Only who plays acts: a seat that has stopped, as at the cheat, does nothing more.
            if session.status is not SessionStatus.PLAYING:
                continue
            legal = session.legal_actions()
            if legal:
                # One action at a time: another seat may have stopped by it.
                self.act(seat, self._choose(seat, legal))
                return True
            if seat in self._confirming:
                self._confirming.discard(seat)
                self.act(seat, Confirm())
                return True
        return False

    def _choose(self, seat: int, legal: Sequence[Any]) -> Any:
        """Choose for a seat of ours: by chance, or for the cheat's occasion."""
        mine: View[Any] | None = self.sessions[seat].view()
        # Whoever may act sees a hand.
        assert mine is not None
        chosen = None
        # Until the cheat has spoken, our seats play so that its occasion comes.
        if self._cheat is not None and self._cheat.face_down and self.lie is None:
            chosen = toward_a_card_face_down(
                mine, legal, self.sessions[CHEATING].view(), self.sessions[OURS].view()
            )
        return self._players[seat].choose(mine) if chosen is None else chosen

    def _strikes(self, thousandths: int) -> bool:
        """Draw whether bad weather hits a frame, so often in a thousand; never in calm weather."""
        return self._stormy and self._chance.randbelow(1_000) < thousandths

    async def _send(self, payload: bytes) -> None:
        """Send a payload to the program: lost, repeated or accompanied by noise as the scenario
        has it.
        """
        if self._strikes(LOSS):
            return
        # Noise of the size of a frame, which opens for nobody.
        if self._forgeries:
            await self.transport.send(secrets.token_bytes(FRAME))
        # The same payload in another frame, as a broker repeats and a seat sends again.
        for _ in range(2 if self._strikes(REPETITION) else 1):
            # One seat seals for all of ours: a frame proves no author (specs 7.1), and by that seat
            # `_hear` knows our echoes.
            room = room_of(payload, self.game)
            frame = self._seal.seal(payload, seat=OURS, room=room, entropy=secrets.token_bytes)
            await self.transport.send(frame)

    # --- our own seats ----------------------------------------------------------------------------

    def handle(self, seat: int, events: list[Event]) -> None:
        """Carry out the events of one of our seats: note whom it blames and that it is to
        confirm, and publish what it sends.
        """
        self.blamed += [each for each in events if isinstance(each, SeatBlamed)]
        if any(isinstance(each, ConfirmationDue) for each in events):
            # Given later, as an act of its own: acts must not happen within an event.
            self._confirming.add(seat)
        super().handle(seat, events)

    def publish(self, seat: int, envelope: bytes) -> None:
        """Tell an envelope of our seat to the others and the program; that of the cheating seat
        waits in the queue until it is decided whether it lies.
        """
        # Held back: whether an envelope becomes the lie is decided when its turn comes (`_alter`).
        if seat == CHEATING:
            if self._forgeries:
                self._forge(open_message(envelope, self._own.charter))
            # Honest seats say whether it is an occasion, once they have heard all before it.
            self.flying.append((CHEATING, DECIDING, envelope))
            return
        self._spread(seat, envelope)

    def _spread(self, seat: int, envelope: bytes) -> None:
        """Put an envelope of a seat of ours on its way to our other seats, and queue it for the
        program, in bad weather perhaps before earlier ones.
        """
        super().publish(seat, envelope)
        at = len(self._outgoing)
        if self._stormy:
            # Put before up to so many frames that were to leave earlier; the bound is never drawn.
            at = max(0, at - self._chance.randbelow(REACH + 1))
        self._outgoing.insert(at, envelope)

    def _forge(self, message: SignedMessage | SignedNotice[Any]) -> None:
        """Queue for the program what somebody without the cheating seat's key could say first:
        bytes that are no envelope, and before a Confirmation a false one signed by another seat.
        """
        # The version of an envelope (specs 3.3), then chance: a lobby message would begin with "L".
        self._outgoing.append(b"\1" + secrets.token_bytes(200))
        if isinstance(message, SignedMessage) and isinstance(message.content, Confirmation):
            # Signed by another seat's key: it must be dropped, and convict nobody (attacks CH7).
            other = replace(message, content=Confirmation(bytes(32))).to_bytes()
            self._outgoing.append(sign_body(self._own, other, CHEATING, by=OURS))

    def _alter(self, envelope: bytes) -> bytes:
        """Return what our other seats hear in place of an envelope of the cheating seat: the lie,
        if this is the occasion for it, else the same envelope.

        A cheat of two messages queues both for the program, and our seats hear the true one.
        """
        # A seat sends an envelope again when somebody lacks it: a different answer then would be
        # another lie.
        if envelope in self._told:
            return self._told[envelope]
        message, cheat = open_message(envelope, self._own.charter), self._cheat
        # One lie in a sitting, in a message of its own.
        if cheat is None or self.lie is not None or isinstance(message, SignedNotice):
            return envelope
        place, content = message.place, message.content
        altered = cheat.alter_content(content) if place.seat == CHEATING else None
        if altered is None:
            return envelope
        lie = replace(message, content=altered)
        if not self._fails_as_meant(cheat, lie):
            return envelope
        self._lied_at = place
        body = lie.to_bytes()
        self.lie = sign_body(self._own, body, CHEATING)
        if cheat.both:
            # Both are told to the program, and the lie second: it keeps the first and convicts by
            # both.
            self._outgoing += [envelope, self.lie]
        # The other seats of ours hear the truth where both are told.
        self._told[envelope] = envelope if cheat.both else self.lie
        return self._told[envelope]

    def _fails_as_meant(self, cheat: Cheat, lie: SignedMessage) -> bool:
        """Tell whether an honest seat would refuse what the cheat says with the very check that it
        is about; False if the round is not open at that seat yet.

        True without a test outside a hand, and for a cheat of two messages.
        """
        place = lie.place
        # As an honest seat stands: seat 0 is one.
        hand = self.sessions[0].table_state.replicas.get(place.ledger)
        # Outside a hand, and where two messages are told, no earlier check stands in the way.
        if place.ledger.lane is not Lane.HAND or cheat.both:
            return True
        # The round is not open at this seat yet: another check would fail first.
        if hand is None or len(hand.ledger.rounds) != place.round:
            return False
        try:
            hand.accept(lie)
        # The same check that an honest seat would name: that is the occasion.
        except PeerFault as fault:
            return fault.check == cheat.check
        return False

    def ask_for_everything(self, question: bytes) -> None:
        """Queue for the program a signed notice with this question, which says that we have no
        round of any ledger.
        """
        table_state = self.sessions[OURS].table_state
        empty = []
        for head in our_heads(table_state):
            ledger = table_state.ledger(head.ledger)
            # Heads are of ledgers that we hold.
            assert ledger is not None
            digest = bytes(ledger.digests[0])
            empty.append(replace(head, closed=0, digest=digest, present=0))
        # A serial above any that the seat uses, so that its words count.
        tag = self._own.charter.tag
        body = Notice(tag, Seat(OURS), 1 << 20, Heads(question, b"", tuple(empty))).to_bytes()
        self._outgoing.append(sign_body(self._own, body, OURS, purpose=Purpose.NOTICE))

    # --- the program ------------------------------------------------------------------------------

    def _hear(self, frame: bytes) -> None:
        """Open a frame from the broker, and take what the program says in it; our own frames are
        passed over, and one that does not open is noted as wrong.
        """
        try:
            opened = self._seal.open(frame)
        # Nobody else speaks at this topic: it is the program's mistake.
        except MalformedMessage:
            self.wrong.append("a frame that does not open")
            return
        payload = opened.payload
        if opened.sealed_by == OURS:
            return  # an echo: the transport knows only the latest of our frames
        # The lobby's messages have no charter yet, and a prefix of their own (specs 7.4).
        if payload[:1] == lobby.PREFIX:
            self._register(payload)
        # Before there is a charter nothing that is signed can be judged.
        elif self.sessions:
            self._observe(payload)

    def _register(self, payload: bytes) -> None:
        """Answer the program's claim of its seat, and begin our sessions once there is a
        charter. Other messages are passed over; a claim without a right proof is noted as wrong.
        """
        found = lobby.from_bytes(payload, seats=self.game.seats, table=self.invite.table)
        # Its Presence needs no answer, and it has no token for another seat than its own.
        if not isinstance(found, lobby.Claim) or found.seat != self.theirs:
            return
        answer = self._registrar.take(found)
        if answer is None:
            self.wrong.append("a claim that proves nothing")
            return
        self._outgoing.append(lobby.to_bytes(answer))
        charter = self._registrar.charter()
        # The registrar gives a charter once all seats have claimed; a claim that is repeated behind
        # that finds the sessions begun.
        if charter is not None and not self.sessions:
            drawn = self._drawn
            # Only here, and not in `__init__`: it needs the charter.
            self._own = OwnTable(charter, self.game, drawn.keys, drawn.secrets, drawn.referee)
            self._sessions = [self._own.session(Seat(seat)) for seat in range(self.theirs)]

    def _observe(self, payload: bytes) -> None:
        """Put a message that the program sent on its way to our seats, and note it if it is the
        program's own; one that does not open is only noted as wrong.
        """
        # Whoever finds the cheat publishes the envelope that convicts (specs 7.7): once is enough.
        self.convicts |= payload == self.lie
        try:
            message = open_message(payload, self._own.charter)
        except (MalformedMessage, PeerFault) as error:
            # Something that no honest program sends.
            self.wrong.append(f"an envelope that is wrong: {error.check}")
            return
        seat = message.seat if isinstance(message, SignedNotice) else message.place.seat
        if seat == self.theirs:
            self._note(message)
        # To all of ours, as if each had heard it itself.
        self.flying += [(self.theirs, mine, payload) for mine in range(self.theirs)]

    def _note(self, message: SignedMessage | SignedNotice[Any]) -> None:
        """Note a message that the program signed, and what is wrong with it: two for one place,
        one that accepts the lie, or one before its round was open.
        """
        self.messages += 1
        lie = self._lied_at
        if isinstance(message, SignedNotice):
            # Heads tell what a seat has accepted, without a message of its own.
            if isinstance(message.content, Heads):
                self.answers.append(message.content.answer)
                if lie and any(_holds(head, lie) for head in message.content.heads):
                    self.after_cheat.append("its heads")
            return
        place = message.place
        # The same bytes again are a repetition; others in one place convict (attacks CH1).
        if self.signed.setdefault(place, message.id) != message.id:
            self.wrong.append(f"two messages for {place}")
        if lie and place.ledger == lie.ledger and place.round > lie.round:
            self.after_cheat.append(f"its messages ({place})")
        # In calm weather, where nothing gets lost, the program cannot have heard what we have not.
        replica = self.sessions[0].table_state.replicas.get(place.ledger)
        # -1: of a ledger that has not begun not even round 0 is open.
        closed = -1 if replica is None else len(replica.ledger.rounds)
        if not self._stormy and place.round > closed:
            self.wrong.append(f"it spoke before the round was open ({place})")


def _holds(head: Head, place: Place) -> bool:
    """Tell whether whoever is at `head` has accepted what was said at a place."""
    # In the round of the place the bits tell whose messages are there.
    there = head.closed == place.round and bool(head.present >> place.seat & 1)
    return place.ledger == head.ledger and (head.closed > place.round or there)


# --- the program in its seat ----------------------------------------------------------------------

# The program's own folder: it keeps its journal there between two starts.
HOME: Final = "P2P304_CONFORMANCE_HOME"

# Characters of its error stream that a trial shows.
_TOLD: Final = 200

#: Tables that are tried for a cheat. The rarest one has its occasion at three of four, for the
#: program's seat may open trump before: one run in four thousand millions finds none.
_TABLES: Final = 16


def scenarios(*, sample: bool) -> Iterator[Scenario]:
    """Yield the scenarios of all suites, or fewer of them if `sample`."""
    # A game without profiles has one table, by its usual agreement.
    tables = [(game, name) for game in GAMES for name in GAMES[game].profiles or ("",)]
    for game, name in tables[:1] if sample else tables:
        yield Scenario("honest", f"a hand under {name or game}", name, game)
    yield Scenario("network", "frames lost, repeated, out of order", stormy=True)
    yield Scenario("network", "noise, and messages signed by another's key", forgeries=True)
    # By its fifth round a hand has begun. Six tables, as a hand that is passed out ends before.
    yield Scenario("restart", "killed during the hand", restart_after=5, seeds=6)
    if not sample:
        # In the twentieth round, with messages that get lost as well; under pagat, whose cut and
        # second auction make a hand longer.
        late = Scenario("restart", "killed later, in bad weather", "pagat", restart_after=20)
        yield replace(late, stormy=True, seeds=6)
    yield Scenario("catch-up", "heads are answered with what is lacking", catch_up=True)
    for place, cheat in enumerate(CHEATS):
        # Three of different kinds: keys, a shuffle, shares.
        if not sample or place in (1, 3, 6):
            # Under pagat, whose hands have every kind of message that a cheat alters.
            yield Scenario("cheats", cheat.name, "pagat", cheat=cheat, seeds=_TABLES)


class _Sitting:
    """The program in its seat, started, killed and started again, at a table of ours."""

    def __init__(self, command: str, mixed: MixedTable, home: Path, deadline: float) -> None:
        """Keep what a sitting needs, without starting the program: its command, which is to play
        one hand, the table `mixed`, its folder `home`, and the seconds that each wait may take.

        Raises UserError for a command without words.
        """
        # One hand, since a sitting is about one hand.
        self._command = [*command_words(command), "--hands", "1"]
        self._mixed, self._deadline = mixed, deadline
        self._home, self._said = home, home / "stderr.txt"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the program, and write its seat's invite to its input, which is then closed.
        Raises UserError if it cannot be started.
        """
        # The folder of its journal: a program that is started again must find it.
        given = {**os.environ, HOME: str(self._home)}
        # What it says is read from the broker, not from its output. Appended, as a program may be
        # started twice.
        with self._said.open("ab") as said:
            self._process = start_program(
                self._command, stdout=subprocess.DEVNULL, stderr=said, env=given
            )
        # Closed behind it: the program may read to the end of its input. A pipe was asked for.
        assert self._process.stdin is not None
        # It may have ended without reading, which is noticed soon.
        with suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(f"{self._mixed.invite.format()}\n".encode())

    @property
    def status(self) -> int | None:
        """The exit status of the program, also after we killed it; None while it runs and before
        its start.
        """
        return None if self._process is None else self._process.poll()

    # Killed without a word: the seat must come back from its journal.
    def kill(self) -> None:
        """Kill the program, and wait until it has ended; do nothing before its start."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def complaint(self) -> str:
        """Return a clause for a trial's detail: the last characters that the program wrote to
        its error stream, quoted, and its exit status if it has ended; or that it said nothing.
        """
        # The end of what it wrote is what matters; quoted, as it is a stranger's text.
        said = self._said.read_text("utf-8", "replace").strip()[-_TOLD:]
        ended = "" if self.status is None else f" (ended with {self.status})"
        return f"it said {said!a}{ended}" if said or ended else "it said nothing"

    async def run(self, until: Callable[[], bool]) -> bool:
        """Let our seats play until `until()` is true, the deadline passes, or some seconds have
        gone since the program ended; return whether `until()` is true then.
        """
        loop = asyncio.get_running_loop()
        # The moment at which it was found to have ended: a list, for `over` to fill.
        gone: list[float] = []

        # Its last messages may still be on the way.
        def over() -> bool:
            """Return whether to stop: `until` holds, or the program ended some seconds ago."""
            if not gone and self.status is not None:
                gone.append(loop.time())
            return until() or bool(gone and loop.time() >= gone[0] + SITTING_GRACE)

        # Not its result: `over` holds also where the program ended without what was waited for.
        await self._mixed.run(over, self._deadline)
        return until()

    def problems(self) -> list[str]:
        """Return what the table noted as wrong with the program, and each check of which our
        seats blame its seat; empty for nothing.
        """
        mixed = self._mixed
        # All of ours see the same, so that one name is enough.
        blamed = {each.check for each in mixed.blamed if each.seat == mixed.theirs}
        return [*sorted(set(mixed.wrong)), *(f"it is blamed: {e}" for e in sorted(blamed))]

    async def played(self, scenario: Scenario) -> list[str] | None:
        """Play a scenario at this table, and return sentences of what the program did wrong, empty
        for nothing.

        None if nothing was wrong, but what the scenario tries had no occasion at this table:
        another table must be tried.
        """
        mixed, after = self._mixed, scenario.restart_after
        # Before anything else: without a charter there is no table to judge.
        if not await self.run(lambda: bool(mixed.sessions)):
            return [f"it never took its seat: {self.complaint()}"]
        if scenario.cheat is not None:
            return await self.play_cheat(scenario.cheat)
        if after is not None:
            if not await self.run(lambda: mixed.rounds() >= after or mixed.played(1)):
                return [f"the hand did not begin; {self.complaint()}"]
            if mixed.rounds() < after:
                return self.problems() or None  # a hand that was passed out
            self.kill()
            self.start()
        if scenario.catch_up:
            return await self.caught_up()
        # Blame ends the hand as well: there is nothing left to wait for.
        done = await self.run(lambda: mixed.played(1) or bool(mixed.blamed))
        problems = self.problems()
        if not done:
            problems.append(f"the hand did not end; {mixed.rounds()} rounds are closed")
        elif not problems:
            await mixed.run(
                lambda: self.status is not None, SITTING_ANSWERED_FOR
            )  # we go on answering it
            if self.status != 0:
                problems.append("it did not end by itself with status 0")
        return [*problems, self.complaint()] if problems else []

    async def play_cheat(self, cheat: Cheat) -> list[str] | None:
        """Play until our seats have stopped at the cheat or the hand ends, then watch the program
        for some seconds; return sentences of what was wrong, empty for nothing.

        It must publish the message that convicts and not accept the cheat, and our own seats must
        find the right check. None if nobody cheated and nothing was wrong.
        """
        mixed = self._mixed
        ended = await self.run(lambda: mixed.stopped() or mixed.played(1))
        # Neither a cheat nor a result: something is wrong, and we say what.
        # Not ended, no lie and still running: a slow hand without an occasion, which comes below.
        if not ended and (mixed.lie is not None or self.status is not None):
            what = "the hand did not go on" if mixed.lie is None else "nobody stopped"
            return [*self.problems(), f"{what}; {self.complaint()}"]
        # The cheat had no occasion in this hand: another table may have it.
        if mixed.lie is None:
            return self.problems() or None
        # Its result is asked below. A time of its own: `self.run` would wait as long as for a hand.
        await mixed.run(lambda: mixed.convicts, CONVICTS_WITHIN)
        # Drawn, so that only an answer to this question counts.
        question = secrets.token_bytes(16)
        # As if we had nothing, so that its heads tell how far it went.
        mixed.ask_for_everything(question)
        # Its own end, or an answer that was made after the lie.
        await mixed.run(
            lambda: self.status is not None or question in mixed.answers, CHEAT_WATCHED_FOR
        )
        problems = self.problems()
        checks = {each.check for each in mixed.blamed if each.seat == CHEATING}
        # Our own seats must find what the cheat is about: else the trial means nothing.
        if checks != {cheat.check}:
            problems.append(f"our own seats found {sorted(checks)}, not {cheat.check}")
        if not mixed.convicts:
            problems.append("it did not publish the message that convicts")
        if mixed.after_cheat and not cheat.both:  # of two, it rightly holds the first
            problems.append(f"it accepted the cheat, as {mixed.after_cheat[0]} show")
        return problems

    async def caught_up(self) -> list[str]:
        """From the third round ask the program for its heads as if we had no message, and return
        sentences of what was wrong: it must answer, and send messages again; empty for nothing.
        """
        # By its third round there is something to be lacking.
        if not await self.run(lambda: self._mixed.rounds() >= 3):
            return [f"the hand did not begin; {self.complaint()}"]
        question, before = secrets.token_bytes(16), self._mixed.messages
        self._mixed.ask_for_everything(question)
        answered = await self.run(lambda: question in self._mixed.answers)
        # Four messages are enough: the rest comes the same way.
        again = await self._mixed.run(lambda: self._mixed.messages >= before + 4, SENT_AGAIN_WITHIN)
        problems = self.problems()
        if not answered:
            problems.append("it did not answer a question about heads")
        elif not again:
            problems.append("it did not send again what we said we lack")
        return problems


async def sit(command: str, scenario: Scenario, *, deadline: float, first: bool = False) -> Trial:
    """Try a scenario at one table after another until its occasion comes or something is wrong, and
    return the trial; UNSUPPORTED if no table gave the occasion.

    With `first`, raises UserError in place of returning a failure if the program never takes its
    seat.
    """
    named = scenario.suite, scenario.name
    # Tables are tried until the occasion comes (see `_TABLES`).
    for seed in range(scenario.seeds):
        async with EmbeddedBroker() as broker:
            mixed = MixedTable(broker.address, scenario, seed)
            # The program's home goes with the table: nothing of it is kept.
            with tempfile.TemporaryDirectory(prefix="p2p304-seat-") as home:
                sitting = _Sitting(command, mixed, Path(home), deadline)
                try:
                    async with mixed.transport:
                        sitting.start()
                        problems = await sitting.played(scenario)
                # Behind an error, too: no process may be left.
                finally:
                    sitting.kill()
        # The first sitting decides whether the program can be tried at all.
        if first and problems and not mixed.sessions:
            raise UserError(f"{command!a} cannot be tried: {problems[0]}")
        if problems is not None:
            return Trial(*named, Mark.FAILED if problems else Mark.PASSED, "; ".join(problems))
    return Trial(*named, Mark.UNSUPPORTED, "it had no occasion")


async def try_seat(
    command: str, *, sample: bool, deadline: float, tables: int = 1
) -> AsyncIterator[Trial]:
    """Yield the trial of every scenario, or of fewer if `sample`, in their order, with the program
    in the last seat; at most `tables` are played at a time.

    Raises UserError if the program does not take its seat in the first scenario. A caller that
    stops early ends all sittings.
    """
    # For its error alone, before any sitting: a command that cannot be split.
    command_words(command)
    room = asyncio.Semaphore(tables)

    async def sit_down(scenario: Scenario, *, first: bool) -> Trial:
        """Try one scenario, as soon as fewer than `tables` others are being tried."""
        async with room:
            return await sit(command, scenario, deadline=deadline, first=first)

    # No group: it would wrap what the first raises, and what ends this may not wait for the others.
    every = enumerate(scenarios(sample=sample))
    tasks = [asyncio.create_task(sit_down(each, first=at == 0)) for at, each in every]
    try:
        for task in tasks:
            # A caller that stops in the middle ends all sittings.
            yield await task
    finally:
        await stop(*tasks)
