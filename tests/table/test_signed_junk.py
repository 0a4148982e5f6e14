"""What a seat can send under its own good signature, and what a file can hold.

Nothing but events comes out of a session's `receive`, nobody but the sender is blamed, and a
stranger confirms it; nothing but a verdict comes out of an audit or a check of evidence.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from p2p304.rules304 import action_text
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from protocol.audit.auditor import Auditor
from protocol.audit.transcript import MAGIC
from protocol.encoding import decode, encode
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.ledger.events import SeatBlamed, SeatSuspected, SessionStopped
from protocol.ledger.evidence import (
    Conflict,
    Fault,
    Prefix,
    evidence_from_bytes,
)
from protocol.ledger.judge_again import check_evidence
from protocol.places import Lane, LedgerName
from protocol.seat.status import SessionStatus
from protocol.wire.charter import Charter
from protocol.wire.contents import Action, HandKeys
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.evidence_file import MAX_EVIDENCE_BYTES
from tests.long import examples
from tests.table.colluders import Colluders
from tests.table.seating import charter, signed, signing_key
from tests.table.tamper import Tamperer, file_of, rows_of
from tests.table.test_same_cards import SteadyTable

GAME = Game304(profile_named("pagat", ()))
VICTIM = 0
RECORD = 5 + 32
"""The length of the last record of a transcript."""
VERBS = (
    *action_text._WORDS,
    *("cut", "bid", "redeal", "indicator", "open", "play", "down", "trump", "show-indicator"),
    *("show", "caps", "one-trump", "count", "count-for"),
)


class Forger:
    """Makes of a seat's message others that are signed as well, by seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.other = Tamperer([], [], [], seed)._other

    def forged(self, raw: bytes, agreed: Charter) -> bytes | None:
        envelope = Envelope.from_bytes(raw)
        purpose = self.chance.choice((envelope.purpose, envelope.purpose, Purpose.NOTICE))
        try:
            body = encode(self._body(decode(envelope.body)))
            key = signing_key(envelope.seat)
            forged = sign(key, body, purpose=purpose, seat=envelope.seat, charter=agreed.digest)
        except LocalError:
            return None
        return forged.to_bytes()

    def _body(self, value: Any) -> Any:
        chance = self.chance
        rows = list(value)
        match chance.randrange(5):
            case 0:
                return self.other(value)
            case 1:  # an action, whatever is awaited
                if len(rows) == 8:
                    lists = [
                        tuple(self._bytes() for _ in range(chance.randrange(3))) for _ in "1234"
                    ]
                    rows[1], rows[5], rows[7] = 2, 8, (self._text(), *lists)
            case 2:  # anything at all in one place
                rows[chance.randrange(len(rows))] = self._value()
            case 3:  # fields of other sizes
                fields = list(rows[-1]) if type(rows[-1]) is tuple else []
                for place, field in enumerate(fields):
                    if type(field) is bytes and chance.random() < 0.5:
                        fields[place] = field[: chance.randrange(len(field) + 1)] + self._bytes()
                    elif type(field) is tuple:
                        fields[place] = chance.choice((field[:-1], field + field, field[::-1]))
                rows[-1] = tuple(fields)
            case _:  # far rounds and ledgers
                rows[2:4] = chance.choice((0, 1, 2, 2**32 - 1)), chance.choice((0, 7, 8, 4095))
        return tuple(rows)

    def junk(self) -> bytes:
        """The encoding of some array or other."""
        return encode((self.chance.randrange(3), *(self._value(1) for _ in range(4))))

    def _text(self) -> str:
        chance = self.chance
        words = [chance.choice(VERBS)]
        for _ in range(chance.choice((0, 1, 1, 4, 8))):
            card = chance.choice("789TJQKA") + chance.choice("SHDC")
            slot = chance.randrange(80)
            words.append(chance.choice((card, f"{slot}", f"{slot}={card}", "170", "all-trumps")))
        return " ".join(words)

    def _bytes(self) -> bytes:
        return self.chance.randbytes(self.chance.choice((0, 1, 32, 33, 64, 99, 160, 400)))

    def _value(self, depth: int = 0) -> Any:
        match self.chance.randrange(4 if depth < 3 else 3):
            case 0:
                return self.chance.choice((0, 1, -1, 2**31, 2**32, 2**63, 2**64 - 1))
            case 1:
                return self._bytes()
            case 2:
                return self._text()
            case _:
                return tuple(self._value(depth + 1) for _ in range(self.chance.randrange(4)))


class ForgingTable(SteadyTable):
    """Before each message that the victim gets, it gets forgeries of it, each by itself."""

    def __init__(self, seed: int, forgeries: int) -> None:
        super().__init__(GAME, seed)
        self.forger = Forger(seed)
        self.forgeries = forgeries
        self.found: Counter[str] = Counter()

    def choose(self, seat: int) -> bool:
        session = self.sessions[seat]
        actions = list(session.legal_actions()) if session.status is SessionStatus.PLAYING else []
        bids = [each for each in actions if type(each).__name__ == "PlaceBid"]
        if bids and not self.found["bid"]:  # else all pass, and nothing is played
            self.found["bid"] += 1
            self.act(seat, bids[0])
            return True
        return super().choose(seat)

    def deliver(self) -> bool:
        if self.flying and self.flying[0][1] == VICTIM:
            for _ in range(self.forgeries):
                self.offer(self.flying[0][2])
        return super().deliver()

    def offer(self, raw: bytes) -> None:
        session = self.sessions[VICTIM]
        forged = self.forger.forged(raw, self.charter)
        if forged is None or forged == raw:
            return
        before = session._state
        events = session.receive(forged, now=self.now)
        events += session.tick(now=self.now + 10)
        session._current = before
        self.found["tried"] += 1
        for event in events:
            assert not isinstance(event, SeatSuspected | SessionStopped)
            if isinstance(event, SeatBlamed):
                self.found[event.check] += 1
                assert event.seat == Envelope.from_bytes(raw).seat
                if self.found[event.check] == 1:
                    evidence = evidence_from_bytes(event.evidence)
                    assert check_evidence(evidence, self.game) == (event.seat, event.check)


def test_nothing_but_events_comes_of_what_a_seat_can_sign() -> None:
    table = ForgingTable(2, forgeries=2).played()
    assert table.found["tried"] > 150
    assert len(table.found) > 8


def transcript() -> bytes:
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(0, match.dealer, opening.ledger.head)
    table.hand(deck, match.dealer, match.scores, opening.ledger.head)
    return table.file()


def test_nothing_but_a_verdict_comes_of_a_file() -> None:
    chance = random.Random(5)
    good, forger = transcript(), Forger(5)
    verdicts = Counter[str]()
    for number in range(examples(150)):
        changed = bytearray(good)
        for _ in range(chance.choice((1, 2, 30))):
            changed[chance.randrange(len(MAGIC), len(changed))] = chance.randrange(256)
        body = bytes(changed[: chance.choice((len(changed), chance.randrange(len(changed))))])
        if number % 3 == 0:
            body = chance.randbytes(chance.randrange(200))
        if number % 3 == 1:
            rows = rows_of(good)
            place = chance.randrange(len(rows))
            junk = chance.choice((chance.randbytes(chance.randrange(80)), forger.junk()))
            rows[place] = (chance.choice((rows[place][0], b"L", b"E", b"Z")), junk)
            body = file_of(rows)[:-RECORD]
        digest = sha256(body).digest()
        data = body + chance.choice((b"", b"Z\0\0\0\x20" + digest))
        auditor = Auditor(lambda _: GAME)
        pieces = chance.choice((1, 7, 1000, len(data) or 1))
        try:
            for start in range(0, min(len(data), 200 * pieces), pieces):
                for _ in auditor.feed(data[start : start + pieces]):
                    pass
            report = auditor.finish()
        except MalformedMessage as error:
            if error.check != "transcript.format":
                raise
            verdicts[error.check] += 1
            continue
        assert not report.valid
        assert report.broken is not None
        verdicts[report.broken.check] += 1
    assert len(verdicts) > 8


def test_a_body_that_does_not_decode_makes_no_conflict() -> None:
    agreed = charter(game="304")
    name = LedgerName(Lane.HAND, 0)
    good = signed(agreed, name, 0, 2, Action("pass"), previous=bytes(32)).raw
    digest = agreed.digest
    bad = sign(signing_key(2), b"\xc1", purpose=Purpose.LEDGER, seat=Seat(2), charter=digest)
    for pair in ((good, bad.to_bytes()), (bad.to_bytes(), good)):
        with pytest.raises(ProofError) as refused:
            check_evidence(Conflict(agreed, *pair), GAME)
        assert refused.value.check == "evidence.conflict"


def test_nothing_but_a_verdict_comes_of_evidence() -> None:
    agreed = charter(game="304")
    deck = LedgerName(Lane.DECK, 0)
    keys = signed(agreed, deck, 0, 1, HandKeys(bytes(66), bytes(96)), previous=bytes(32)).raw
    table = Colluders(GAME)
    opening = table.opening()
    rows = [each.raw for closed in opening.ledger.rounds for each in closed.messages]
    forger = Forger(9)
    made = 0
    for number in range(examples(200)):
        chance = forger.chance
        origin: tuple[Any, ...] = (
            chance.choice((0, 1, 2)),
            chance.choice((0, 1)),
            chance.choice(((), (bytes(32),), (bytes(32),) * 2, (b"x",), (bytes(32),) * 900)),
            chance.choice((0, 3, 4, 63)),
            chance.choice(((), (0,), (2**63,) * 4, (0,) * 20_000)),
            tuple(rows[: chance.randrange(len(rows) + 1)]),
        )
        value: Any = ("p2p304 evidence", 1, 2, agreed.to_bytes(), "x\x1b[2J", (origin,) * 2, keys)
        if number % 2:
            value = forger.other(value)
        data = encode(value, max_bytes=MAX_EVIDENCE_BYTES)
        try:
            check_evidence(evidence_from_bytes(data), GAME)
        except (MalformedMessage, ProofError):
            made += 1
        except LocalError as error:  # the charter was changed to one of another game
            if "its charter names" not in str(error):
                raise
    assert made > examples(150)


def test_no_prefix_convicts_a_seat_of_an_honest_message() -> None:
    """Open rounds, contributions left out or of later rounds, other origins, other checks."""
    chance = random.Random(11)
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(0, match.dealer, opening.ledger.head)
    hand = table.hand(deck, match.dealer, match.scores, opening.ledger.head)
    for _ in range(30):
        replica: Any = chance.choice((opening, deck, hand))
        rounds = replica.ledger.rounds
        number = chance.randrange(len(rounds))
        accused = chance.choice(rounds[number].messages)
        before = [each.raw for closed in rounds[:number] for each in closed.messages]
        others = [each.raw for each in rounds[number].messages if each is not accused]
        before += chance.sample(others, chance.randrange(len(others) + 1))
        if chance.random() < 0.3 and before:
            del before[chance.randrange(len(before))]
        if chance.random() < 0.2:
            before += [each.raw for closed in rounds[number + 1 :] for each in closed.messages]
        origin = replica.origin
        if chance.random() < 0.3:
            origin = replace(origin, leading=Seat((origin.leading + 1) % 4))
        elif chance.random() < 0.3:
            origin = replace(origin, scores=(0, 22))
        prefix = Prefix(origin, tuple(before))
        basis = (deck.prefix(),) if replica is hand else ()
        for check in chance.sample(("turn.seat", "turn.kind", "action.rule", "shares.proof"), 1):
            fault = Fault(table.charter, check, (*basis, prefix), accused.raw)
            with pytest.raises((ProofError, MalformedMessage)) as refused:
                check_evidence(evidence_from_bytes(fault.to_bytes()), GAME)
            assert str(refused.value).startswith("evidence.")
