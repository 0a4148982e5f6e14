"""Real sessions on a bus in memory that can drop, repeat, reorder and cut, by seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import sha256, sha512
from typing import Any, Self, TypeVar

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from spake2 import ed25519_basic as curve

from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol import labels
from protocol.cards.secrets import Secrets
from protocol.encoding import frame
from protocol.encoding import frame as framed
from protocol.errors import MalformedMessage, PeerFault, ProofError
from protocol.memory_table import MemoryTable
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.proofs.context import MessageContext
from protocol.seat.session import Session
from protocol.seat.watcher import Watcher
from protocol.table.events import (
    Event,
    HandEnded,
    HandRuled,
    MatchEnded,
    Persist,
    RefereeBlamed,
    SeatBlamed,
)
from protocol.table.hand import HandPlay
from protocol.table.ledger import LedgerPhase, Origin
from protocol.table.replica import LedgerReplica
from protocol.table.setups import DeckSetup, MatchSetup
from protocol.table.standing import MatchStanding
from protocol.table.table import TableState
from protocol.topics.commands import EndUnfinished
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import Report, audit_bytes
from protocol.transcript.file import hand_transcript, write_transcript
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Action, Content, Heads, NoticeContent, Ruling, RulingVerdict
from protocol.wire.identity import VERSION, Envelope, Purpose, SigningKey, derive_key, sign
from protocol.wire.messages import (
    Message,
    Notice,
    SignedMessage,
    SignedRuling,
    open_ledger_message,
    open_message,
    sign_ruling,
)
from protocol.wire.terms import (
    CONTINUES,
    REFEREE,
    TOURNAMENT,
    Continues,
    Term,
    TournamentMatch,
    referees_to_value,
)
from tests.crypto.seeded_entropy import seeded as seeded
from tests.table.tiny_game import TinyGame

Told = TypeVar("Told", bound=Event)


@dataclass
class Weather:
    """Chances of loss and repetition, and how many messages one may overtake."""

    loss: float = 0.0
    repeat: float = 0.0
    reorder: int = 0
    #: Whether the way from sender to reader is cut at this step.
    cut: Callable[[int, int, int], bool] = lambda step, sender, reader: False


@dataclass
class Chair:
    """One seat: its session, its journal, and all its events so far."""

    session: Session
    journal: list[bytes] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class Table(MemoryTable):
    """Sessions of all seats, the messages on their way, and players who choose by seed."""

    def __init__(
        self,
        game: AnyGame,
        seed: int = 0,
        weather: Weather | None = None,
        *,
        agreed: Charter | None = None,
    ) -> None:
        self.game = game
        self.seed = seed
        self.chance = random.Random(seed)
        self.weather = weather or Weather()
        self.charter: Charter = agreed or charter(game.seats, game=game.name)
        super().__init__()
        self.step = 0
        self.chairs = [Chair(self.new_session(seat)) for seat in range(game.seats)]

    def twin(self) -> Self:
        """Another table that stands where this one does, and goes on by itself: what sessions hold
        is replaced and never changed. A table that many tests begin with is played once."""
        other = copy(self)
        other.chance, other.weather = copy(self.chance), copy(self.weather)
        other.sent, other.flying = list(self.sent), list(self.flying)
        other.chairs = [
            Chair(copy(chair.session), list(chair.journal), list(chair.events))
            for chair in self.chairs
        ]
        return other

    @property
    def sessions(self) -> list[Session]:
        return [chair.session for chair in self.chairs]

    def key(self, seat: int) -> SigningKey:
        return signing_key(seat)

    def arguments(self, seat: int) -> dict[str, Any]:
        return {
            "charter": self.charter,
            "game": self.game,
            "seat": Seat(seat),
            "key": self.key(seat),
            "secrets": Secrets(seeded(f"seed {self.seed} {seat}")(32)),
        }

    def new_session(self, seat: int) -> Session:
        return Session(**self.arguments(seat))

    def restart(self, seat: int, records: int | None = None) -> None:
        """The seat dies and comes back with its journal, or with the first `records` of it."""
        chair = self.chairs[seat]
        kept = chair.journal[:records] if records is not None else list(chair.journal)
        entropy = seeded(f"restart {seat} {self.step}")
        session = Session(**self.arguments(seat)).resume(kept, entropy=entropy)
        self.chairs[seat] = Chair(session, kept)
        self.handle(seat, session.tick(now=self.now))

    def handle(self, seat: int, events: list[Event]) -> None:
        chair = self.chairs[seat]
        chair.events += events
        chair.journal += [event.record for event in events if isinstance(event, Persist)]
        super().handle(seat, events)

    def publish(self, seat: int, envelope: bytes) -> None:
        self.sent.append((seat, envelope))
        for reader in range(len(self.chairs)):
            if reader == seat or self.weather.cut(self.step, seat, reader):
                continue
            if self.chance.random() < self.weather.loss:
                continue
            copies = 2 if self.chance.random() < self.weather.repeat else 1
            self.flying += [(seat, reader, envelope)] * copies

    def deliver(self) -> bool:
        """Bring one message to its reader, if one is on its way."""
        if not self.flying:
            return False
        reach = min(len(self.flying), self.weather.reorder + 1)
        self.flying.insert(0, self.flying.pop(self.chance.randrange(reach)))
        return super().deliver()

    def choose(self, seat: int) -> bool:
        """Let the seat's player act at random, if it can."""
        session = self.chairs[seat].session
        if session.status is not SessionStatus.PLAYING:
            return False
        actions = session.legal_actions()
        if not actions:
            return False
        self.act(seat, self.chance.choice(list(actions)))
        return True

    def tick(self, seconds: float = 6.0) -> None:
        """Time passes for everybody."""
        self.now += seconds
        for seat in range(len(self.chairs)):
            self.call(seat, lambda session: session.tick(now=self.now))

    def run(self, until: Callable[[], bool], *, steps: int = 20_000) -> None:
        """Deliver and play until `until`; time passes whenever nothing else can happen."""
        for _ in range(steps):
            if until():
                return
            self.step += 1
            if self.deliver():
                continue
            seats = list(range(len(self.chairs)))
            self.chance.shuffle(seats)
            if not any(self.choose(seat) for seat in seats):
                self.tick()
        raise AssertionError(f"nothing came of {steps} steps; status {self.statuses()}")

    def begun(self) -> Self:
        """This table, whose seats have confirmed its charter."""
        self.confirm()
        return self

    def played(self, hands: int = 1) -> Self:
        """This table once all have confirmed its charter and counted so many hands."""
        self.confirm()
        self.run(self.all_played(hands))
        return self

    def wait(self, seconds: float) -> None:
        """Play on until so much time has passed."""
        until = self.now + seconds
        self.run(lambda: self.now > until)

    def settle(self, rounds: int = 4) -> None:
        """Let everything arrive, and time pass, so many times."""
        for _ in range(rounds):
            self.deliver_all()
            self.tick()

    def part(self, *seats: int, hearing: bool = False) -> None:
        """Let nothing pass from these seats, nor to them unless they are `hearing`; what was on its
        way is lost."""
        self.weather.cut = lambda step, sender, reader: (
            sender in seats or (reader in seats and not hearing)
        )
        self.flying.clear()

    def heal(self) -> None:
        """Let everything pass again."""
        self.weather.cut = Weather().cut

    def heard(self, seat: int, kind: type[Told]) -> list[Told]:
        """The events of a kind of a seat."""
        return [each for each in self.chairs[seat].events if isinstance(each, kind)]

    def watched(self) -> tuple[Watcher, list[Event]]:
        """Who has heard all that was said here, and what that told."""
        watcher = Watcher(charter=self.charter, game=self.game)
        return watcher, [event for _, raw in self.sent for event in watcher.receive(raw)]

    def hand(self, seat: int = 0) -> LedgerReplica[Any]:
        """The hand in play, or the last one, as a seat has it."""
        hand = self.sessions[seat].table_state.hand()
        assert hand is not None
        return hand

    def replica(self, lane: Lane, number: int = 0, seat: int = 0) -> Any:
        """A ledger as a seat has it."""
        return self.sessions[seat].table_state.replicas[LedgerName(lane, number)]

    def statuses(self) -> list[str]:
        return [chair.session.status.name for chair in self.chairs]

    def hands(self, seat: int) -> list[HandEnded]:
        return self.heard(seat, HandEnded)

    def all_played(self, hands: int) -> Callable[[], bool]:
        return lambda: all(chair.session.table_state.counted >= hands for chair in self.chairs)

    def blamed(self) -> list[SeatBlamed]:
        return [each for seat in range(len(self.chairs)) for each in self.heard(seat, SeatBlamed)]

    def matches(self, seat: int) -> list[MatchEnded]:
        return self.heard(seat, MatchEnded)


# --- seating --------------------------------------------------------------------------------------

# A table of any number of seats with fixed keys, and signed messages by hand.

NAMES = ("Amal", "Bimal", "Chitra", "Devi", "Erandi", "Farah", "Gihan", "Hashini")


@lru_cache(maxsize=64)
def signing_key(seat: int, table: str = "a") -> SigningKey:
    return SigningKey(sha256(f"{table}{seat}".encode()).digest())


@lru_cache(maxsize=64)
def charter(seats: int = 4, table: str = "a", game: str = "tiny", profile: str = "") -> Charter:
    return Charter(
        table=sha256(table.encode()).digest()[:16],
        game=game,
        profile=profile,
        seats=tuple(
            SeatEntry(
                signing_key(seat, table).public,
                NAMES[seat],
                sha256(f"nonce {table} {seat}".encode()).digest(),
            )
            for seat in range(seats)
        ),
    )


def named(agreed: Charter, *names: str) -> Charter:
    """The same charter with these nicknames."""
    seats = zip(agreed.seats, names, strict=True)
    return replace(agreed, seats=tuple(replace(each, nickname=name) for each, name in seats))


def notice(
    agreed: Charter,
    seat: int,
    content: NoticeContent,
    *,
    serial: int = 99,
    key: SigningKey | None = None,
) -> bytes:
    """What a seat may sign whenever it likes, or what another key signs in its name."""
    body = Notice(agreed.tag, Seat(seat), serial, content).to_bytes()
    return notice_of(agreed, seat, body, key=key)


def notice_of(agreed: Charter, seat: int, body: bytes, *, key: SigningKey | None = None) -> bytes:
    """A body signed as a notice of a seat, by its own key or another."""
    return sign(
        key or signing_key(seat),
        body,
        purpose=Purpose.NOTICE,
        seat=Seat(seat),
        charter=agreed.digest,
    ).to_bytes()


def envelope(
    agreed: Charter,
    name: LedgerName,
    number: int,
    seat: int,
    content: Content,
    *,
    previous: bytes,
    key: SigningKey | None = None,
) -> Envelope:
    message = Message(agreed.tag, Place(name, number, Seat(seat)), Digest(previous), content)
    return sign(
        key or signing_key(seat),
        message.to_bytes(),
        purpose=Purpose.LEDGER,
        seat=Seat(seat),
        charter=agreed.digest,
    )


def signed(
    agreed: Charter, name: LedgerName, number: int, seat: int, content: Content, *, previous: bytes
) -> SignedMessage:
    sealed = envelope(agreed, name, number, seat, content, previous=previous)
    return open_ledger_message(sealed.to_bytes(), agreed)


def refused(make: Callable[..., object], *given: Any, **named: Any) -> str:
    """The check by which what is given is refused."""
    with pytest.raises((MalformedMessage, ProofError, PeerFault)) as caught:
        make(*given, **named)
    return caught.value.check


def flipped(data: bytes, place: int = -1, bits: int = 1) -> bytes:
    """The bytes with some bits of one of them changed."""
    changed = bytearray(data)
    changed[place] ^= bits
    return bytes(changed)


def frame_with(key: bytes, table: bytes, inner: bytes, *, seat: int, salt: bytes) -> bytes:
    """A frame that whoever has the table key can make: sealed, with whatever it holds (3.7)."""
    version = bytes((PROTOCOL_VERSION, seat))
    seat_key = derive_key(key, labels.SEAL_SEAT_KEY, table, bytes((seat,)))
    cipher = ChaCha20Poly1305(derive_key(seat_key, labels.SEAL_FRAME_KEY, salt))
    hint = derive_key(key, labels.SEAL_SEAT_HINT, table, salt, length=1)[0]
    sealed = cipher.encrypt(bytes(12), inner, framed(labels.SEAL_ASSOCIATED, version, table))
    return bytes((PROTOCOL_VERSION, seat ^ hint)) + salt + sealed


# --- colluders ------------------------------------------------------------------------------------

# Four seats that write whatever ledgers they please together, every signature and proof good.


class Colluders:
    """Writes one ledger after the other; in hands everybody passes, or does what is cheapest."""

    def __init__(self, game: AnyGame, *, texts: Sequence[str] = ("cut 0", "pass")) -> None:
        self.game = game
        self.texts = texts
        self.charter = charter(game.seats, game=game.name)
        self.secrets = [Secrets(seeded(f"collusion {seat}")(32)) for seat in range(game.seats)]
        self.written: list[LedgerReplica[Any]] = []

    def file(self) -> bytes:
        return b"".join(write_transcript(self.charter, self.written))

    def opening(self, number: int = 0, after: tuple[bytes, ...] = ()) -> LedgerReplica[MatchSetup]:
        return self._written(Origin(LedgerName(Lane.TABLE, number), after, Seat(0)))

    def deck(self, number: int, leading: int, after: bytes) -> LedgerReplica[DeckSetup]:
        return self._written(Origin(LedgerName(Lane.DECK, number), (after,), Seat(leading)))

    def hand(
        self,
        deck: LedgerReplica[DeckSetup],
        leading: int,
        scores: tuple[int, ...],
        after: bytes,
        *,
        unsigned: Sequence[int] = (),
    ) -> LedgerReplica[HandPlay]:
        name = LedgerName(Lane.HAND, deck.origin.ledger.number)
        origin = Origin(name, (after, deck.ledger.head), Seat(leading), scores)
        return self._written(origin, deck, unsigned=unsigned)

    def _written(
        self, origin: Origin, *before: LedgerReplica[DeckSetup], unsigned: Sequence[int] = ()
    ) -> LedgerReplica[Any]:
        known = {each.origin.ledger: each for each in before}
        table = TableState(self.charter, self.game, known).begin_ledger(origin)
        replica: LedgerReplica[Any] = table.replicas[origin.ledger]
        while not replica.settled:
            for seat in replica.ledger.missing:
                if replica.machine.phase is not LedgerPhase.SIGNING or seat not in unsigned:
                    replica = replica.accept(self._said(replica, seat))
            if not replica.complete:
                break
            try:
                replica, _ = replica.close()
            except ProofError:
                break  # what closes it, no honest reader can do either
        self.written.append(replica)
        return replica

    def _said(self, replica: LedgerReplica[Any], seat: Seat) -> SignedMessage:
        occasion = replica.context(seat)
        if replica.machine.phase is LedgerPhase.ACTING:
            content: Any = self._action(replica.machine, occasion)
        else:
            content = replica.machine.contribute(occasion, self.secrets[seat])
        tag = self.charter.tag
        message = Message(tag, occasion.place, occasion.previous, content)
        return message.signed(signing_key(seat), charter=self.charter.digest)

    def _action(self, machine: HandPlay, occasion: MessageContext) -> Action:
        seat = occasion.place.seat
        for text in self.texts:
            try:
                action = self.game.parse_action(text)
                return machine.decide(action, occasion, self.secrets[seat])
            except GameError:
                continue
        raise AssertionError(f"none of {self.texts} is possible")


# --- refereed -------------------------------------------------------------------------------------

# Tables in memory whose charter names referees, and what the referees rule there.

GAME = TinyGame(4, target=100)
REFEREES = tuple(signing_key(number, "referee") for number in range(2))
MATCH = TournamentMatch(bytes(range(32)), 3)


def refereed_charter(seats: int = 4, *, table: str = "refereed", referees: int = 1) -> Charter:
    """A charter of the usual seats whose table is under so many referees."""
    terms = (
        Term(REFEREE, referees_to_value(tuple(key.public for key in REFEREES[:referees]))),
        Term(TOURNAMENT, MATCH.to_value()),
    )
    fresh = charter(seats)
    return replace(fresh, table=charter(seats, table).table, terms=terms)


def refereed(
    seed: int = 3,
    *,
    game: TinyGame = GAME,
    weather: Weather | None = None,
    referees: int = 1,
    confirmed: bool = True,
) -> Table:
    """A table under referees whose seats have confirmed its charter."""
    agreed = refereed_charter(game.seats, referees=referees)
    table = Table(game, seed, weather, agreed=agreed)
    if confirmed:
        table.confirm()
    return table


def refereed_at(hand: int, rounds: int, *, referees: int = 1) -> Table:
    """The usual table under referees, after so many rounds of a hand."""
    return _refereed_at(hand, rounds, referees).twin()


@cache
def _refereed_at(hand: int, rounds: int, referees: int) -> Table:
    return played_to(refereed(referees=referees), hand, rounds)


def played_to(table: Table, hand: int, rounds: int) -> Table:
    """The table once all have closed so many rounds of a hand, and nothing is on its way."""
    table.run(lambda: all(closed_rounds(table, seat, hand) >= rounds for seat in range(4)))
    table.deliver_all()
    return table


def ruling_at(
    table: Table,
    hand: int,
    closed: int,
    verdict: RulingVerdict,
    *,
    against: int = 0,
    seat: int = 0,
    text: str = "so ruled",
    by: int = 0,
) -> SignedRuling:
    """What a referee signs of a point of a hand, as a seat has its history."""
    return signed_by(table.charter, point_of(table, hand, closed, verdict, against, seat, text), by)


def point_of(
    table: Table,
    hand: int,
    closed: int,
    verdict: RulingVerdict,
    against: int = 0,
    seat: int = 0,
    text: str = "so ruled",
) -> Ruling:
    """A ruling of a point of a hand, not signed."""
    found = table.sessions[seat].table_state.hand(hand)
    digest = bytes(found.ledger.digests[closed])
    return Ruling(hand, closed, digest, int(verdict), against, text)


def before_match(
    table: Table, verdict: RulingVerdict, against: int, *, setup: int = 0, by: int = 0
) -> SignedRuling:
    """What a referee signs of a match before its first hand."""
    table_state = table.sessions[0].table_state
    replica = table_state.replicas.get(LedgerName(Lane.TABLE, setup))
    content = Ruling(
        table_state.first_hands[setup],
        0,
        bytes(replica.ledger.digests[0]),
        int(verdict),
        against,
        "so ruled",
    )
    return signed_by(table.charter, content, by)


def signed_by(
    agreed: Charter, content: Ruling, by: int = 0, key: SigningKey | None = None
) -> SignedRuling:
    """A ruling as a referee of the charter signs it."""
    return sign_ruling(agreed, content, key or REFEREES[by])


def tell(table: Table, ruling: SignedRuling, *seats: int) -> None:
    """Bring a ruling to these seats, or to all."""
    for seat in seats or range(len(table.chairs)):
        table.call(seat, lambda session: session.receive(ruling.raw, now=table.now))


def told(table: Table, kind: type[Event]) -> list[list[Event]]:
    """The events of a kind of each seat."""
    return [[each for each in chair.events if isinstance(each, kind)] for chair in table.chairs]


def ruled_hands(table: Table) -> list[list[int]]:
    """The hands that each seat saw ended by a ruling."""
    return [[each.ruling.content.hand for each in some] for some in told(table, HandRuled)]


def blamed_referees(table: Table) -> list[RefereeBlamed]:
    """What each seat that stopped has against a referee."""
    return [
        each
        for events in told(table, RefereeBlamed)
        for each in events
        if isinstance(each, RefereeBlamed)
    ]


# --- going on -------------------------------------------------------------------------------------

# Tables that go on with the match of another one, in memory: with a new key for who left.

PRESENT = tuple(map(Seat, (0, 1, 2)))
GONE = 3


class NextTable(Table):
    """The table after another, whose seats stay under their keys but for `others`."""

    def __init__(self, agreed: Charter, others: dict[int, SigningKey], seed: int = 0) -> None:
        self.others = others
        super().__init__(GAME, seed, agreed=agreed)

    def key(self, seat: int) -> SigningKey:
        return self.others.get(seat, signing_key(seat))


@cache
def left_after(rounds: int, *, hands: int = 0, seed: int = 3) -> Table:
    """A table where those present ended a hand after so many rounds of it, without the last
    seat. It stays as it is."""
    table = played(rounds, hands=hands, seed=seed)
    for seat in PRESENT:
        table.act(seat, EndUnfinished(PRESENT))
    table.run(lambda: not table.flying)
    return table


def played(rounds: int, *, hands: int = 0, seed: int = 3) -> Table:
    """A table after so many whole hands and so many rounds of the next one."""
    return _played(rounds, hands, seed).twin()


@cache
def _played(rounds: int, hands: int, seed: int) -> Table:
    table = Table(GAME, seed).begun()
    table.run(lambda: all(closed_rounds(table, seat, hands) >= rounds for seat in range(4)))
    table.run(lambda: not table.flying)
    return table


def closed_rounds(table: Table, seat: int, hand: int) -> int:
    """How many rounds a seat has closed of a hand; -1 before it."""
    found = table.sessions[seat].table_state.hand(hand)
    return -1 if found is None else len(found.ledger.rounds)


def standing_of(table: Table, seat: int = 0) -> MatchStanding:
    """Where the match stands for a seat."""
    session = table.sessions[seat]
    found = session.table_state.standing(session.agreed_end())
    assert found is not None
    return found


def next_charter(
    before: Table,
    term: Continues | None = None,
    *,
    name: str = "next",
    others: dict[int, SigningKey] | None = None,
) -> Charter:
    """A charter that goes on with the match of a table, as it stands unless a term is given."""
    if term is None:
        stands = standing_of(before).going_on(PRESENT)
        term = stands._replace(bots=((Seat(GONE), Seat(0)),))
    keys = {GONE: newcomer(name)} if others is None else others
    fresh = charter(4, table=name)
    seats = tuple(
        SeatEntry(
            keys[seat].public if seat in keys else entry.key,
            entry.nickname,
            sha256(f"{name} {seat}".encode()).digest(),
        )
        for seat, entry in enumerate(before.charter.seats)
    )
    terms = (Term(CONTINUES, term.to_value()), *before.charter.kept_terms)
    return replace(fresh, profile=before.charter.profile, seats=seats, terms=terms)


def newcomer(name: str = "next") -> SigningKey:
    """The key of who takes the place of the seat that left."""
    return signing_key(GONE, f"newcomer {name}")


def goes_on(before: Table, name: str = "next", term: Continues | None = None) -> NextTable:
    """The next table, before anybody has confirmed its charter."""
    return NextTable(next_charter(before, term, name=name), {GONE: newcomer(name)})


@cache
def gone_on(before: Table, name: str = "next", term: Continues | None = None) -> NextTable:
    """The next table after a hand. It stays as it is."""
    return goes_on(before, name, term).played()


def file_of(table: Table, hand: int, seat: int = 0) -> bytes:
    """The transcript of a hand as a seat writes it."""
    session = table.sessions[seat]
    agreed = session.agreed_end()
    ended = bool(agreed) and agreed[0].content.hand == hand
    return hand_transcript(session.table_state, hand, agreed if ended else ())


def report_of(table: Table, hand: int, seat: int = 0) -> Report:
    """Its audit."""
    return audit_bytes(file_of(table, hand, seat), lambda _: GAME)


# --- boasting -------------------------------------------------------------------------------------

# A peer that says it has come further than it has, among real sessions.

LIAR = 2
US = 1


class Boasting(Table):
    """Seat 2 says in all its answers that it has come to round 4,096 of the hand."""

    boasts = False
    more = 0  #: How many rounds fewer it says each time, so that no two claims are alike.

    def publish(self, seat: int, envelope: bytes) -> None:
        said = open_message(envelope, self.charter)
        if not (self.boasts and seat == LIAR and isinstance(said, Notice)
                and isinstance(said.content, Heads) and said.content.answer):  # fmt: skip
            super().publish(seat, envelope)
            return
        heads = tuple(
            replace(head, closed=4096 - self.more) if head.lane == Lane.HAND else head
            for head in said.content.heads
        )
        self.more += 1
        lie = replace(said, content=replace(said.content, heads=heads))
        super().publish(seat, notice_of(self.charter, LIAR, lie.to_bytes()))

    def restart_vouching(self, seat: int, vouched: frozenset[Seat]) -> None:
        chair = self.chairs[seat]
        session = Session(**self.arguments(seat)).resume(
            chair.journal, entropy=seeded("vouch"), vouched=vouched
        )
        self.chairs[seat] = Chair(session, list(chair.journal))
        self.handle(seat, session.tick(now=self.now))


def in_a_hand(kind: type[Table] = Boasting, game: AnyGame | None = None) -> Any:
    table = kind(TinyGame(3, target=100) if game is None else game, 4).begun()
    table.run(lambda: len(hand_of(table).rounds) > 3)
    return table


def hand_of(table: Table) -> Any:
    hand = table.sessions[0].table_state.hand()
    return hand.ledger if hand is not None else type("None", (), {"rounds": ()})


# --- resigning ------------------------------------------------------------------------------------

# Signatures that only the owner of a key can make: under another nonce, with a chosen R.

NONCE = 12_345
TORSION = curve.xform_affine_to_extended((0, curve.Q - 1))  #: The point of order two.


def times(number: int, point: Any = curve.Base.XYTZ) -> Any:
    """So many times a point, the base if none is given."""
    return curve.scalarmult_element_safe_slow(point, number)


def encoded(point: Any) -> bytes:
    """The 32 bytes of a point."""
    return bytes(curve.encodepoint(curve.xform_extended_to_affine(point)))


def decoded(data: bytes) -> Any:
    """The point of 32 bytes."""
    return curve.xform_affine_to_extended(curve.decodepoint(data))


def signature_with(key: SigningKey, r_bytes: bytes, nonce: int, text: bytes) -> tuple[bytes, int]:
    """The signature that belongs to this R by the equation, S = r + H(R, A, M) a, and its
    challenge."""
    seed = sha512(key.revealed_seed()).digest()
    secret = int.from_bytes(seed[:32], "little") & (1 << 254) - 8 | 1 << 254
    hashed = sha512(r_bytes + key.public.to_bytes() + text).digest()
    challenge = int.from_bytes(hashed, "little") % curve.L
    response = (nonce + challenge * secret) % curve.L
    return r_bytes + response.to_bytes(32, "little"), challenge


def signed_again(made: Envelope, agreed: Charter) -> Envelope:
    """The envelope with a second good signature of its body, under another nonce."""
    header = bytes((VERSION, made.purpose, made.seat))
    text = frame(labels.SIGNATURE, header, agreed.digest, made.body)
    signature, _ = signature_with(signing_key(made.seat), encoded(times(NONCE)), NONCE, text)
    return replace(made, signature=signature)
