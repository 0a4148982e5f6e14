"""The tables whose hands conformance starts from, with all their keys: their transcripts, taken
apart and signed again, and hands that are played on at them, honestly or with lies.

Every key, seed and nonce follows from the name of the table. Never for play: whoever knows the name
knows all secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

from cli.bounds import LONGEST_LEDGER
from cli.input_files import SPECS
from cli.local.bot_processes import name_of
from p2p304.bots.players import random_player_for
from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.games import GAMES, agreed_game, full_agreement
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.view import View
from protocol.cards.deck import read_card
from protocol.cards.secrets import SEED_BYTES, Secrets, expand
from protocol.encoding import Value, decode, encode
from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage, PeerFault, ProofError
from protocol.places import Digest, Lane, LedgerName
from protocol.proofs.context import MessageContext
from protocol.seat.session import Session
from protocol.table.hand import HandPlay
from protocol.table.ledger import LedgerPhase, Origin
from protocol.table.replica import AnyReplica
from protocol.table.table import TableState
from protocol.transcript.file import MAGIC, TranscriptReader
from protocol.wire.charter import NONCE_BYTES, TABLE_BYTES, Charter, SeatEntry
from protocol.wire.contents import Action
from protocol.wire.identity import Envelope, Purpose, SigningKey, sign
from protocol.wire.messages import Message, open_ledger_message
from protocol.wire.terms import (
    CONTINUES,
    REFEREE,
    TOURNAMENT,
    TOURNAMENT_BYTES,
    Continues,
    HandPoint,
    Term,
    TournamentMatch,
    referees_to_value,
)

# The saved hands are published with the vectors.
HANDS: Final = SPECS / "vectors" / "hands"

#: Each saved hand: the name of its table, and how often a mutation begins with it, for long ones
#: take long. Those with 0, of the other profiles of 304, are mutated in turns of their own.
SAVED: Final = {
    # The first word is the name from which all keys of that table follow; its number, if any, is a
    # draw in which chance plays what the hand is kept for.
    "closed": ("rehearsal pagat 39", 3),
    "passed-out": ("rehearsal wikipedia 12", 6),
    "redeal": ("rehearsal pagat 15", 3),
    "spoilt": ("rehearsal card304-alpha 7", 3),
    "eight-card": ("rehearsal card304 0", 2),
    "two-hands": ("rehearsal two hands", 1),
    "unfinished": ("rehearsal unfinished", 2),
    "continued": ("rehearsal continued", 1),
    "ruled": ("rehearsal ruled", 2),
    "deal-of-41": ("rehearsal 41", 1),
    "deals-of-400": ("rehearsal 400", 1),
    "six24": ("rehearsal six24 3", 0),
    "eight32": ("rehearsal eight32 4", 0),
    "six36": ("rehearsal six36 1", 0),
    "tamil504": ("rehearsal tamil504 2", 0),
    "tamil904": ("rehearsal tamil904 3", 0),
    "tamil4": ("rehearsal tamil4 15", 0),
    "maharashtra": ("rehearsal maharashtra 2", 0),
    "doso_viso": ("rehearsal doso_viso 2", 0),
}
#: The hands that go on with another one's match, under the keys of those who stay.
BEFORE: Final = {"continued": "unfinished"}
#: A hand at each table of the registry, of a match that was begun elsewhere, under a referee; at
#: 41 and 400 under their usual agreements.
AROUND: Final = {
    f"at {profile or game}": (game, profile)
    for game, entry in GAMES.items()
    for profile in entry.profiles or ("",)
}


def seeded_entropy(name: str) -> Entropy:
    """Return a source of bytes that follow from `name` alone: the same sequence of them for each
    source of that name.
    """
    # A name is padded and cut to what `expand` takes.
    return expand(name.encode("utf-8").ljust(32, b"\0")[:64], b"p2p304 conformance")


class Drawn:
    """All that is drawn for the table of a name and so many seats, in this order."""

    def __init__(self, name: str, seats: int) -> None:
        """Draw the keys of the table, of its seats and of its referee, with all nonces, secrets
        and the tournament's id; equal names give equal ones.
        """
        # In this order: a change of it would change every file that is kept.
        self.draw = seeded_entropy(name)
        # 32 bytes: a key.
        self.table_key = self.draw(32)
        self.table = self.draw(TABLE_BYTES)
        self.keys = [SigningKey(self.draw(32)) for _ in range(seats)]
        self.nonces = [self.draw(NONCE_BYTES) for _ in range(seats)]
        self.secrets = [Secrets(self.draw(SEED_BYTES)) for _ in range(seats)]
        # The referee and the tournament have sources of their own, so that the draws above stay as
        # they are in the files.
        self.referee = SigningKey(seeded_entropy(f"referee of {name}")(32))
        tournament = seeded_entropy(f"tournament of {name}")(TOURNAMENT_BYTES)
        match = TournamentMatch(tournament, 1)
        keys = referees_to_value((self.referee.public,))
        #: The terms by which it is a match of a tournament, under its referee.
        self.refereed = (Term(REFEREE, keys), Term(TOURNAMENT, match.to_value()))

    @property
    def entries(self) -> tuple[SeatEntry, ...]:
        """The charter's entries of all seats, made of `keys` as they are now."""
        # Made anew: whoever goes on from another table puts in the keys of those who stay.
        rows = enumerate(zip(self.keys, self.nonces, strict=True))
        return tuple(SeatEntry(key.public, name_of(seat), nonce) for seat, (key, nonce) in rows)

    def charter(self, game: str, profile: str, terms: tuple[Term, ...]) -> Charter:
        """Return a charter for the drawn table, with the seats' `keys` as they are now, and this
        game, agreement and terms.
        """
        seats, table = self.entries, self.table
        return Charter(table=table, game=game, profile=profile, seats=seats, terms=terms)


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table all of whose keys are ours."""

    charter: Charter
    game: AnyGame
    keys: list[SigningKey]
    secrets: list[Secrets]
    referee: SigningKey

    def session(self, seat: Seat) -> Session:
        """Return a new session for a seat, with its key and secrets; it has no messages yet."""
        key, drawn = self.keys[seat], self.secrets[seat]
        return Session(charter=self.charter, game=self.game, seat=seat, key=key, secrets=drawn)


@cache
def table_of(name: str) -> OwnTable:
    """Return the table, with all keys, at which the hand `name` of `SAVED` or `AROUND` is
    played; made once for each name.
    """
    if name in AROUND:
        return _around(name, *AROUND[name])
    # Only the charter is needed: its keys are known from the name.
    charter = next(TranscriptReader().feed((HANDS / f"{name}.p304").read_bytes())).content
    # The first record of a transcript.
    assert isinstance(charter, Charter)
    drawn = Drawn(SAVED[name][0], len(charter.seats))
    # Those who stay keep their keys (specs 6.5).
    before = table_of(BEFORE[name]).keys if name in BEFORE else []
    # By public key, so that a seat finds its own wherever it sits.
    found = {each.public: each for each in (*before, *drawn.keys)}
    keys = [found[each.key] for each in charter.seats]
    game = agreed_game(charter.game, charter.profile)
    return OwnTable(charter, game, keys, drawn.secrets, drawn.referee)


def _around(name: str, game: str, profile: str) -> OwnTable:
    """Return a refereed table of a game and profile, whose charter goes on with the match of an
    invented table; all seats stayed but the last, which is new.
    """
    agreed = full_agreement(game, profile)
    rules = agreed_game(game, agreed)
    drawn = Drawn(f"rehearsal {name}", rules.seats)
    elsewhere = seeded_entropy(f"the table before rehearsal {name}")
    # Hand 1, round 3 of a table that never was, and seat 1 as the dealer below: any would do.
    point, present = HandPoint(1, 3, elsewhere(32)), tuple(map(Seat, range(rules.seats - 1)))
    # Luck of zeros: only the scores of a new match are wanted.
    scores = tuple(rules.new_match(bytes(32)).scores)
    term = Continues(elsewhere(32), point, present, Seat(1), scores)
    charter = drawn.charter(game, agreed, (Term(CONTINUES, term.to_value()), *drawn.refereed))
    return OwnTable(charter, rules, drawn.keys, drawn.secrets, drawn.referee)


# --- a transcript taken apart ---------------------------------------------------------------------

# A letter and a length of four bytes (specs 6.1).
_HEAD: Final = 5


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """One record: its letter and its payload."""

    letter: bytes
    payload: bytes

    def to_bytes(self) -> bytes:
        """Return the record as it lies in the file: letter, length, payload."""
        return self.letter + len(self.payload).to_bytes(4, "big") + self.payload


@dataclass(frozen=True, slots=True)
class Draft:
    """The records of a transcript, without its last one."""

    records: tuple[DraftRecord, ...]

    @classmethod
    def of(cls, data: bytes) -> Draft:
        """Return the records of a valid, uncompressed transcript, without the last, which is its
        digest.
        """
        place, records = len(MAGIC), []
        while place < len(data):
            length = int.from_bytes(data[place + 1 : place + _HEAD], "big")
            payload = data[place + _HEAD : place + _HEAD + length]
            records.append(DraftRecord(data[place : place + 1], payload))
            place += _HEAD + length
        # The last record is the digest of all others, which is made anew.
        return cls(tuple(records[:-1]))

    def to_bytes(self) -> bytes:
        """Return the bytes of a transcript with these records, and behind them the digest that
        is right for them.
        """
        body = MAGIC + b"".join(each.to_bytes() for each in self.records)
        # Z is the digest; a changed file has a right one, so that what was changed is what fails.
        return body + DraftRecord(b"Z", sha256(body).digest()).to_bytes()

    def places(self, letter: bytes) -> list[int]:
        """Return the indices of the records with this letter."""
        return [place for place, each in enumerate(self.records) if each.letter == letter]

    def with_record(self, place: int, payload: bytes, letter: bytes | None = None) -> Draft:
        """Return a copy with the record at `place` replaced by one with this payload; it keeps
        its letter if `letter` is None.
        """
        record = DraftRecord(letter or self.records[place].letter, payload)
        return Draft((*self.records[:place], record, *self.records[place + 1 :]))

    def without(self, first: int, last: int | None = None) -> Draft:
        """Return a copy without the records from `first` to before `last`; without the one at
        `first` if `last` is None.
        """
        # `last` lies behind `first`, so that it is never 0.
        return Draft((*self.records[:first], *self.records[last or first + 1 :]))

    def insert(self, place: int, *records: DraftRecord) -> Draft:
        """Return a copy with `records` put in before the record that is now at `place`."""
        return Draft((*self.records[:place], *records, *self.records[place:]))

    def swap(self, one: int, other: int) -> Draft:
        """Return a copy with the records at two places exchanged."""
        records = list(self.records)
        records[one], records[other] = records[other], records[one]
        return Draft(tuple(records))


def body_of(raw: bytes) -> tuple[Value, ...]:
    """Return the decoded body of the envelope `raw`, which must be an array; no signature is
    checked.
    """
    value = decode(Envelope.from_bytes(raw).body)
    # A sound body is an array (specs 3.4).
    assert isinstance(value, tuple)
    return value


def sign_body(
    table: OwnTable,
    body: bytes | tuple[Value, ...],
    seat: int,
    *,
    # By another: a message under a key that is not its seat's.
    by: int | None = None,
    purpose: Purpose = Purpose.LEDGER,
    charter: Charter | None = None,
) -> bytes:
    """Return the bytes of an envelope that says it is from `seat`, with this body, signed by that
    seat's key, or by that of seat `by` if given; a ruling always by the referee's.

    It is made for `charter`, or for the table's own if None.
    """
    data = body if isinstance(body, bytes) else encode(body)
    key = table.referee if purpose is Purpose.RULING else table.keys[seat if by is None else by]
    agreed = charter or table.charter
    return sign(key, data, purpose=purpose, seat=Seat(seat), charter=agreed.digest).to_bytes()


def encode_value(value: Value) -> bytes:
    """Return the encoding of a value; that of an empty array if the value cannot be encoded."""
    try:
        return encode(value)
    # What cannot be encoded becomes an empty array: the file is written, and an auditor must refuse
    # it.
    except LocalError:
        return encode(())


# --- hands that are played on ---------------------------------------------------------------------


# Actions of all games, right somewhere and wrong here.
#: What is tried at any place.
ANYWHERE: Final = (
    "pass", "ask", "ask-seat 3", "sort", "closed", "none", "ready", "accept", "contest", "spoilt",
    "no-trump", "double", "caps", "redeal", "bid pcc", "bid half_court", "bid full_court", "bid 5",
    "bid 2", "bid 13", "bid 160", "bid 200", "bid 250", "name 9D", "indicator 0", "indicator 4",
    "cut 3", "cut 32", "marriage", "play 60=2H", "down 40", "open 9C", "count 40=9C", "show 9C",
)  # fmt: skip

#: Parts of what a seat says, and what may stand in their place.
_NEAR: Final = (
    # Numbers, suits, ranks and a play face down: near what was said, so that one check fails.
    ("[0-9]+", ["0", "1", "4", "7", "10", "17", "31", "160", "250"]),
    # A suit's letter ends its word, as in 9C.
    ("[SHDC](?![A-Za-z_])", [*"SHDC"]),
    ("[2-9TJQKA](?=[SHDC])", [*"23456789TJQKA"]),
    ("^play ([0-9]+)=..", [r"down \1"]),
)

#: What the seat of a view does, of what the rules allow it.
Choose = Callable[[View[Any], Sequence[Any]], Any]


class Onward:
    """Plays a ledger on from where a replica of it stands, with the keys of all seats.

    `records` are the messages since then, `replica` is how it stands now.
    """

    def __init__(
        self,
        table: OwnTable,
        replica: AnyReplica,
        chance: SeededRandomness,
        spoil: Callable[[Value], Value] = lambda value: value,
        choose: Choose | None = None,
    ) -> None:
        """Begin where `replica` stands, without playing.

        `choose` picks a seat's action among the legal ones, at random if None. `spoil` falsifies
        the content of a liar's message where the seat has no action to choose.
        """
        self.replica: AnyReplica = replica
        self.records: list[DraftRecord] = []
        self.lies: list[str] = []  #: What was said in place of the truth.
        self._table, self._chance, self._spoil = table, chance, spoil
        self._choose = choose or (lambda _, legal: self._one_of(legal))

    def play(self, rounds: int = LONGEST_LEDGER, *, liars: int = 0) -> None:
        """Play up to `rounds` more rounds, fewer if the ledger is settled before; append their
        messages to `records`.

        In the last of the rounds up to `liars` seats, drawn, say something false. A round that is
        refused ends it: its messages are in `records`, but `replica` stands before it.
        """
        # What a lie raises ends the ledger: it is written down as it stood.
        with suppress(PeerFault, ProofError, MalformedMessage):
            # `left` counts down, so that only the last round has liars.
            for left in reversed(range(rounds)):
                if self.replica.settled:
                    return
                missing = self.replica.ledger.missing
                # Drawn with repetition: fewer liars than asked for, now and then.
                lying = {self._one_of(missing) for _ in range(0 if left else liars)}
                # All of a round at once, judged on the state at its beginning.
                said = [self._say(seat, lies=seat in lying) for seat in missing]
                # Before they are accepted: what convicts is written down, too.
                self.records += (DraftRecord(b"M", each) for each in said)
                replica = self.replica
                for each in said:
                    replica = replica.accept(open_ledger_message(each, replica.charter))
                # The events of the round are of no use here.
                self.replica = replica.close()[0]

    def _one_of(self, items: Sequence[Any]) -> Any:
        """Draw one of the items."""
        return items[self._chance.randbelow(len(items))]

    def _say(self, seat: Seat, *, lies: bool) -> bytes:
        """Return the signed envelope of a seat's message in this round: its action if it is to act,
        else what the protocol has it contribute.

        With `lies` it is falsified, and noted in `self.lies`.
        """
        machine, context = self.replica.machine, self.replica.context(seat)
        tag, at = self.replica.charter.tag, (context.place, context.previous)
        # Only there a seat decides something; elsewhere the machine computes what is due.
        if isinstance(machine, HandPlay) and machine.phase is LedgerPhase.ACTING:
            body = Message(tag, *at, self._action(machine, context, lies=lies)).to_bytes()
        else:
            content = machine.contribute(context, self._table.secrets[seat])
            body = Message(tag, *at, content).to_bytes()
            if lies:
                # The content is the last part of a body.
                parts: Any = decode(body)
                self.lies.append("something else")
                # Only the content: with another place or kind the message would be for another
                # check.
                body = encode_value((*parts[:-1], self._spoil(parts[-1])))
        return sign_body(self._table, body, seat, charter=self.replica.charter)

    def _action(self, machine: HandPlay, context: MessageContext, *, lies: bool) -> Action:
        """Return the action that the seat chooses, with its proofs.

        With `lies` return another action instead: with right proofs if it has any, else with those
        of the chosen one; and note it in `self.lies`.
        """
        game, secrets = machine.game, self._table.secrets[context.place.seat]
        view = self._view(machine, context.place.seat)
        legal = game.legal_actions(view)
        honest = machine.decide(self._choose(view, legal), context, secrets)
        if not lies:
            return honest
        # Another action, and its proofs for the true one.
        text = self._other(honest.text, [game.format_action(each) for each in legal])
        try:
            content = machine.decide(game.parse_action(text), context, secrets)
        except (GameError, LocalError):  # against the rules, or no true statement
            self.lies.append("another action")
            return replace(honest, text=text)
        self.lies.append("another action, proved")
        return content

    def _other(self, text: str, options: Sequence[str]) -> str:
        """Return an action's text to say in place of the true `text`: drawn among the legal
        `options`, among `ANYWHERE`, or `text` with one part replaced. It may come out the same.
        """
        # Each alternative of the same weight: legal, of any moment, or a small change.
        part, instead = self._one_of((("^.*$", options), ("^.*$", ANYWHERE), *_NEAR))
        # One place: two changes would hide which check failed.
        return re.sub(part, self._one_of(instead), text, count=1)

    def _view(self, machine: HandPlay, seat: Seat) -> View[Any]:
        """Return the view of a seat of the hand: what is public, and the cards that its own keys
        can read.
        """
        secrets = self._table.secrets[seat]
        secret = secrets.hand_secret(machine.deal)
        reading = secrets.entropy_for_reading(machine.deal)
        faces = dict(machine.faces)
        # What this seat can read with its own key, and no more.
        for slot in machine.deck.slots:
            with suppress(ProofError):  # it is not this seat's to read
                faces[slot] = read_card(machine.deck, slot, seat, secret, entropy=reading)
        scores = self.replica.origin.scores
        return View(seat, machine.state, faces, machine.proved_statements, scores)


def begin_hand(
    table: OwnTable,
    charter: Charter,
    leading: Seat,
    chance: SeededRandomness,
    *,
    # None: no hand is played, only what comes before it.
    scores: tuple[int, ...] | None = None,
    choose: Choose | None = None,
) -> list[DraftRecord]:
    """Play a table from its charter honestly, with the keys of `table`, and return all records: the
    charter, then the table's and the deck's first ledgers.

    With `scores`, a hand is played behind them that begins with these scores. `leading` leads deck
    and hand; `choose` picks actions, by chance if None.
    """
    records = [DraftRecord(b"C", charter.to_bytes())]
    after: tuple[Digest, ...] = ()
    state = TableState(charter, table.game)
    # Lanes in the order in which ledgers follow one another.
    for lane in Lane if scores is not None else (Lane.TABLE, Lane.DECK):
        # Only a hand begins with scores (specs 5.1).
        begins = scores or () if lane is Lane.HAND else ()
        # The luck has no leading seat; a hand is led by its dealer.
        origin = Origin(LedgerName(lane, 0), after, leading if lane else Seat(0), begins)
        state = state.begin_ledger(origin)
        onward = Onward(table, state.replicas[origin.ledger], chance, choose=choose)
        onward.play()
        replica = onward.replica
        state = state.with_replica(replica)
        after = (*after, Digest(replica.ledger.head))
        records.append(DraftRecord(b"L", encode(origin.to_value())))
        records += [*onward.records, DraftRecord(b"E", after[-1])]
    return records


@cache
def saved_hand(name: str) -> bytes:
    """Return the bytes of the transcript `name`: read from the specification's folder if it is
    of `SAVED`; else, of `AROUND`, played by random players, with the same bytes on every
    machine.
    """
    # A saved hand of the specification, or one that is made for the registry's tables.
    if name not in AROUND:
        return (HANDS / f"{name}.p304").read_bytes()
    table, draw = table_of(name), seeded_entropy(f"the hand {name}")
    term = table.charter.continues
    # The tables of the registry all go on with a match.
    assert term is not None
    # Drawn with the same entropy as the table, so that the hand is the same for everybody.
    chance = SeededRandomness(int.from_bytes(draw(8), "big"))
    players = [random_player_for(table.game, chance.word()) for _ in table.keys]

    def choose(view: View[Any], _: Sequence[Any]) -> Any:
        """Return the action that the random player of the view's seat chooses."""
        # The view is of the seat that decides.
        assert view.seat is not None
        return players[view.seat].choose(view)

    dealer, scores = term.dealer, term.scores
    records = begin_hand(table, table.charter, dealer, chance, scores=scores, choose=choose)
    return Draft(tuple(records)).to_bytes()
