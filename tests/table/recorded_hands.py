"""Hands that were recorded once: whose turn it was, what was chosen, and what became of it.

All that a seat draws comes from a seed, so that a hand which is played again through the doors of
sessions must give the same bytes.

    python -m tests.table.recorded_hands            plays all again, and compares
    python -m tests.table.recorded_hands 4 7        plays the tables with these seeds again
    python -m tests.table.recorded_hands --write 95 records other hands at a table, or at all

Hands are recorded anew for a change of protocol alone, and it says so.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import click

from p2p304.bots.players import random_player_for, steady_for
from p2p304.game import AnyGame
from p2p304.games import agreed_game, full_agreement
from p2p304.seats import Seat
from protocol.cards.secrets import SEED_BYTES, Secrets
from protocol.memory_table import MemoryTable
from protocol.places import EPOCH, Lane
from protocol.seat.session import Session
from protocol.table.events import ContinuationReady, Event, Persist, RematchAgreed
from protocol.topics.commands import Confirm, EndUnfinished, VoteContinuation, WantRematch
from protocol.transcript.file import hand_transcript
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Continuation, Ruling, RulingVerdict
from protocol.wire.messages import Agreement, sign_ruling
from protocol.wire.rematch import next_charter
from protocol.wire.terms import (
    CONTINUES,
    REFEREE,
    TOURNAMENT,
    Term,
    TournamentMatch,
    referees_to_value,
)
from tests.remembered import remember_points, remember_signatures
from tests.table.bus import charter, seeded, signing_key

FILE: Final = Path(__file__).with_name("recorded_hands.json")
TABLES: Final = 84  #: Tables of one hand, but for each fifth, which plays two: a hundred hands.

KINDS: Final = (
    ("304", "pagat"),
    ("304", "card304"),
    ("304", "card304-alpha"),
    ("304", "wikipedia"),
    ("304", "championship"),
    ("304", "pagat; +caps_hidden_call; +pre_show; +redeal_private"),
    ("41", ""),
    ("400", ""),
    ("41", "floor_12"),
)
#: The profiles of 304 that are not among the kinds: a table of one hand each.
OTHERS: Final = (
    *("six24", "six36", "tamil504", "eight32", "tamil904"),
    *("tamil4", "maharashtra", "doso_viso"),
)
SHORT: Final = "pagat; tokens_start = 1"  #: Matches of few hands.
#: What else becomes of a table than hands that are played to their ends, and what is played.
STORIES: Final = {
    "an ended hand": "pagat",
    "a ruling": "pagat",
    "a continuation": "wikipedia",
    "a rematch": SHORT,
}
ALL_BUT_ONE: Final = (0, 1, 2)  #: Who goes on without the last seat.
ROUNDS: Final = 12  #: After so many of a hand it is ended, or ruled on.


@dataclass(frozen=True)
class Recorded:
    """One table: its seed, what is played, who chose what, and what every seat then had."""

    seed: int
    game: str
    agreement: str
    hands: int
    #: Seat and choice, in their order; `referee` rules, a seat is `gone`, at `next` all sit down at
    #: another table.
    actions: tuple[str, ...]
    #: Of each hand, SHA-256 of the transcript as the seats write it, all of them alike.
    transcripts: tuple[str, ...]
    #: SHA-256 of all that each seat published, sorted by bytes, one seat after the other.
    published: str


class RecordingTable(MemoryTable):
    """Sessions that hear each other at once, and whose choices are written down."""

    def __init__(
        self, name: str, game: str, agreement: str, *, people: str = "", refereed: bool = False
    ) -> None:
        """Let `people`, who have the same keys everywhere, sit down at the table called `name`."""
        full = full_agreement(game, agreement)
        self.game: AnyGame = agreed_game(game, full)
        self.name = name
        people = people or name
        agreed = charter(self.game.seats, table=people, game=game, profile=full)
        agreed = replace(agreed, table=sha256(name.encode()).digest()[:16])
        self.referee = signing_key(0, f"{name} referee")
        if refereed:
            match = TournamentMatch(sha256(self.name.encode()).digest(), 1)
            keys = referees_to_value((self.referee.public,))
            terms = (Term(REFEREE, keys), Term(TOURNAMENT, match.to_value()))
            agreed = replace(agreed, terms=terms)
        self.newcomer = signing_key(len(ALL_BUT_ONE), f"{name} newcomer")
        known = [signing_key(seat, people) for seat in range(self.game.seats)]
        self.keys: Final = {key.public: key for key in (*known, self.newcomer)}
        super().__init__()
        self.actions: list[str] = []
        self._known: list[str] = []
        #: That of the table at which the match goes on, or the next one is played.
        self.following: Charter | None = None
        self._sit_down(agreed, name)

    def _sit_down(self, agreed: Charter, name: str) -> None:
        self.charter = agreed
        #: What the secrets of the seats follow from.
        self.seeds = [seeded(f"{name} {seat}")(SEED_BYTES) for seat in range(self.game.seats)]
        self.gone: tuple[int, ...] = ()  #: Seats that neither speak nor hear any more.
        self.journals: list[list[bytes]] = [[] for _ in agreed.seats]
        self._sessions = [
            Session(
                charter=agreed,
                game=self.game,
                seat=Seat(seat),
                key=self.keys[entry.key],
                secrets=Secrets(self.seeds[seat]),
            )
            for seat, entry in enumerate(agreed.seats)
        ]

    def publish(self, seat: int, envelope: bytes) -> None:
        super().publish(seat, envelope)
        self.flying = [each for each in self.flying if not {*each[:2]} & {*self.gone}]

    def handle(self, seat: int, events: list[Event]) -> None:
        for event in events:
            match event:
                case Persist(record):
                    self.journals[seat].append(record)
                case ContinuationReady(agreed):
                    self.following = agreed
                case RematchAgreed(seating) if seating:
                    self.following = next_charter(self.charter, self._head, seating)
        super().handle(seat, events)

    @property
    def _head(self) -> bytes:
        hand = self.sessions[0].table_state.hand()
        return bytes(hand.ledger.head)

    @property
    def rounds(self) -> int:
        """Rounds of the hand in play that every seat has closed."""
        hands = [session.table_state.hand() for session in self.sessions]
        return min(-1 if hand is None else len(hand.ledger.rounds) for hand in hands)

    def choose(self, who: int | str, choice: str = "") -> None:
        """Let a seat choose, the referee rule or all go to the next table, then deliver what comes
        of it."""
        self.actions.append(f"{who} {choice}".strip())
        if who == "next":
            assert self.following is not None
            self._known += self._digests()
            self._sit_down(self.following, f"{self.name} {self.following.table.hex()}")
        elif who == "gone":
            self.gone = (int(choice),)
        elif who == "referee":
            ruling = self._ruled(*map(int, choice.split()))
            for seat in range(self.game.seats):
                self.call(seat, lambda session: session.receive(ruling, now=self.now))
        else:
            self.act(int(who), self._chosen(int(who), choice))
        self.deliver_all()

    def _chosen(self, seat: int, choice: str) -> Any:
        match choice.split():
            case ["confirm"]:
                return Confirm()
            case ["end"]:
                return EndUnfinished(tuple(map(Seat, ALL_BUT_ONE)))
            case ["want", seating]:
                return WantRematch(int(seating))
            case ["vote", *charter_too]:
                return VoteContinuation(self._vote(seat, bool(charter_too)))
            case _:
                return self.game.parse_action(choice)

    def _ruled(self, hand: int, rounds: int, verdict: int, against: int) -> bytes:
        found = self.sessions[0].table_state.hand(hand)
        head = bytes(found.ledger.digests[rounds])
        content = Ruling(hand, rounds, head, verdict, against, "so ruled")
        return sign_ruling(self.charter, content, self.referee).raw

    def _vote(self, seat: int, charter_too: bool) -> Continuation:
        """What a seat says that goes on without the last one, whose seat a bot of seat 0 takes."""
        table, gone = sha256(f"{self.name} next".encode()).digest()[:16], len(ALL_BUT_ONE)
        nonces = [
            sha256(f"{self.name} next {each}".encode()).digest() for each in range(self.game.seats)
        ]
        hand = self.sessions[seat].table_state.hand()
        begun = hand.origin.ledger.number + 1
        content = Continuation(begun, table, 0, 0b111, ((gone, 0),), 1, nonces[seat])
        if not charter_too:
            return content
        found = self.sessions[seat].going_on()
        stands = found[1].going_on(tuple(map(Seat, ALL_BUT_ONE)))
        term = stands._replace(bots=((Seat(gone), Seat(0)),))
        keys = [entry.key for entry in self.charter.seats]
        keys[gone] = self.newcomer.public
        seats = tuple(
            SeatEntry(key, entry.nickname, nonce)
            for key, entry, nonce in zip(keys, self.charter.seats, nonces, strict=True)
        )
        terms = (Term(CONTINUES, term.to_value()),)
        agreed = replace(self.charter, table=table, seats=seats, terms=terms)
        return replace(content, charter=agreed.to_bytes())

    def counted(self) -> int:
        """Hands that every seat has counted."""
        return min(session.table_state.counted for session in self.sessions)

    def transcripts(self) -> tuple[str, ...]:
        """The digest of each hand's transcript, which must be that of every seat."""
        return (*self._known, *self._digests())

    def ended_hands(self) -> list[int]:
        """The hands of the table at which all sit that were counted or ended."""
        session = self.sessions[0]
        ended = [each.content.hand for each in session.agreed_end()[:1]]
        return sorted(
            number
            for lane, number in session.table_state.replicas
            if lane is Lane.HAND and (number < self.counted() or number in ended)
        )

    def transcript(self, seat: int, hand: int) -> bytes:
        """A hand's transcript as a seat writes it."""
        return hand_transcript(self.sessions[seat].table_state, hand, self.agreed(seat, hand))

    def agreed(self, seat: int, hand: int) -> tuple[Agreement, ...]:
        """What those present signed who ended a hand, as a seat has it."""
        return tuple(each for each in self.sessions[seat].agreed_end() if each.content.hand == hand)

    def _digests(self) -> list[str]:
        found = []
        for hand in self.ended_hands():
            (one,) = {
                sha256(self.transcript(seat, hand)).hexdigest()
                for seat, session in enumerate(self.sessions)
                if bool(session.agreed_end()) == bool(self.sessions[0].agreed_end())
            }
            found.append(one)
        return found

    def published(self) -> str:
        """The digest of all that was published."""
        hasher = sha256()
        for _, raw in sorted(self.sent):
            hasher.update(raw)
        return hasher.hexdigest()


class PlayedTable(RecordingTable):
    """A table at which bots choose what nobody has chosen before."""

    def __init__(
        self,
        seed: int,
        game: str,
        agreement: str,
        *,
        name: str = "recorded",
        people: str = "",
        refereed: bool = False,
    ) -> None:
        name = f"{name} {seed}"
        super().__init__(name, game, agreement, people=people, refereed=refereed)
        make = steady_for if seed % 2 else random_player_for
        self._players: list[Any] = [
            make(self.game, self.game.seats * seed + seat) for seat in range(self.game.seats)
        ]
        self._chance = random.Random(seed)
        self.all_choose("confirm")

    def all_choose(self, choice: str, seats: Iterable[int] | None = None) -> None:
        """Let all seats choose the same, or those named."""
        for seat in range(self.game.seats) if seats is None else seats:
            self.choose(seat, choice)

    def play_until(self, enough: Callable[[], bool]) -> None:
        """Let bots play until it is enough."""
        while not enough():
            ready = [seat for seat, each in enumerate(self.sessions) if each.legal_actions()]
            seat = self._chance.choice(ready)
            chosen = self._players[seat].choose(self.sessions[seat].view())
            self.choose(seat, self.game.format_action(chosen))

    def play_hands(self, hands: int) -> None:
        """Play until so many hands are counted."""
        self.play_until(lambda: self.counted() >= hands)

    def play_match(self) -> None:
        """Play until a match is over."""
        self.play_until(lambda: all(each.match_winner is not None for each in self.sessions))

    def play_rounds(self) -> None:
        """Play until a hand is so far that it can be ended, or ruled on."""
        self.play_until(lambda: self.rounds >= ROUNDS)

    def left(self) -> None:
        """Let all but the last seat end the hand, and agree to another table."""
        self.play_rounds()
        self.choose("gone", str(len(ALL_BUT_ONE)))
        self.all_choose("vote", ALL_BUT_ONE)
        self.choose(0, "vote charter")

    def sit_down_anew(self) -> None:
        """Let all sit down at the next table."""
        self.choose("next")
        self.all_choose("confirm")

    def ruled(self, verdict: RulingVerdict = RulingVerdict.PENALTY) -> None:
        """Let the referee rule on the first hand."""
        self.play_rounds()
        self.choose("referee", f"0 {ROUNDS} {verdict.value} 1")


#: The seed of the table that has a referee.
RULED: Final = TABLES + len(OTHERS) + [*STORIES].index("a ruling")


def record(seed: int, game: str, agreement: str, hands: int) -> Recorded:
    """Play hands that nobody has played before, half of them with the best bots."""
    table = PlayedTable(seed, game, agreement)
    table.play_hands(hands)
    return _recorded(table, seed, game, agreement)


def record_story(seed: int, story: str) -> Recorded:
    """Play what is called so."""
    table = PlayedTable(seed, "304", STORIES[story], refereed=seed == RULED)
    match story:
        case "an ended hand":
            table.play_rounds()
            table.all_choose("end", ALL_BUT_ONE)
        case "a ruling":
            table.ruled()
            table.play_hands(EPOCH + 1)
        case "a continuation":
            table.left()
            table.sit_down_anew()
            table.play_hands(1)
        case "a rematch":
            table.play_match()
            table.all_choose("want 0")
            table.play_match()
            table.all_choose("want 1")
            table.sit_down_anew()
            table.play_hands(1)
    return _recorded(table, seed, "304", STORIES[story])


def play_again(recorded: Recorded) -> Recorded:
    """Play a recorded table again, by its seed and its actions; what comes of it is recorded."""
    table = RecordingTable(
        f"recorded {recorded.seed}",
        recorded.game,
        recorded.agreement,
        refereed=recorded.seed == RULED,
    )
    for action in recorded.actions:
        who, _, choice = action.partition(" ")
        table.choose(who, choice)
    return _recorded(table, recorded.seed, recorded.game, recorded.agreement)


def _recorded(table: RecordingTable, seed: int, game: str, agreement: str) -> Recorded:
    transcripts, actions = table.transcripts(), tuple(table.actions)
    hands, published = len(transcripts), table.published()
    return Recorded(seed, game, agreement, hands, actions, transcripts, published)


def recorded_hands() -> tuple[Recorded, ...]:
    """All recorded tables, in their order."""
    rows = json.loads(FILE.read_text())
    lists = ("actions", "transcripts")
    return tuple(Recorded(**row | {name: tuple(row[name]) for name in lists}) for row in rows)


def record_anew(seed: int) -> Recorded:
    """Play the table with a seed as nobody has played it before."""
    other = seed - TABLES
    if other >= len(OTHERS):
        return record_story(seed, [*STORIES][other - len(OTHERS)])
    if other >= 0:
        return record(seed, "304", OTHERS[other], 1)
    game, agreement = KINDS[seed % len(KINDS)]
    return record(seed, game, agreement, 2 if seed % 5 == 4 else 1)


def main() -> int:
    """Play tables again, and tell which give other bytes; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="*", type=int, help="of the tables; all if none is named")
    parser.add_argument("--write", action="store_true", help="record other hands there")
    chosen = parser.parse_args()
    known = {each.seed: each for each in recorded_hands()} if FILE.exists() else {}
    if chosen.write:
        seeds = chosen.seeds or range(TABLES + len(OTHERS) + len(STORIES))
        known |= {seed: record_anew(seed) for seed in seeds}
        rows = [json.dumps(asdict(known[seed])) for seed in sorted(known)]
        FILE.write_text("[\n" + ",\n".join(rows) + "\n]\n")
        return 0
    remember_points()
    remember_signatures()
    tables = [known[seed] for seed in chosen.seeds or known]
    differ = 0
    for each in tables:
        same = play_again(each) == each
        differ += not same
        told = f"{each.seed} {each.game} {each.agreement}".strip()
        click.echo(f"{told}: {'the same' if same else 'OTHER'} bytes")
    click.echo(
        f"{len(tables)} tables, {sum(each.hands for each in tables)} hands,"
        f" {sum(len(each.actions) for each in tables)} choices: {differ} give other bytes"
        f" ({time.process_time():.0f} s of the processor)"
    )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
