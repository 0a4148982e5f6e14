"""A tournament in memory: people with keys, and everything that they sign."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Self

from p2p304.seats import Seat
from p2p304.tournament.tournament import Elimination, Match, MatchOutcome, System, Tournament
from protocol.cards.secrets import Secrets
from protocol.errors import MalformedMessage
from protocol.tournament.acts import (
    answer_calls,
    call_reserve,
    draw_on,
    enter,
    list_entries,
    new_record,
    restart,
    rule,
)
from protocol.tournament.judge import JudgedRecord, judge
from protocol.tournament.pieces import (
    DrawRestart,
    EntryList,
    MatchResult,
    PieceContent,
    RulingKind,
    TeamEntry,
    TeamPlayer,
    TournamentCharter,
    TournamentRuling,
    open_piece,
    sign_piece,
)
from protocol.tournament.record import (
    DrawMessage,
    DrawState,
    TournamentRecord,
    contribution,
    match_charters,
    state_of,
)
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey, SigningKey
from protocol.wire.messages import Message

ORGANISER = SigningKey(b"O" * 32)
REFEREE = SigningKey(b"R" * 32)
OTHER_REFEREE = SigningKey(b"r" * 32)
RESERVE = 9  #: The place of a team's reserve.


def player_key(team: int, place: int) -> SigningKey:
    """Return the key of a player of the team with that number, from 0."""
    return SigningKey(bytes((team, place)) * 16)


SMALL = Elimination(races=(2, 1), third=1)


def new_charter(system: System = SMALL, **more: object) -> TournamentCharter:
    """Return a charter of a small tournament of 304."""
    charter = TournamentCharter(
        version=PROTOCOL_VERSION,
        id=b"a tournament 304",
        name="Cup of the Lions",
        dates="every Friday at eight",
        game="304",
        seats=4,
        system=system,
        profiles=("rules",),
        organiser=ORGANISER.public,
        referees=(REFEREE.public, OTHER_REFEREE.public),
        brokers=("broker.example:8883",),
    )
    return replace(charter, **more)  # type: ignore[arg-type]  # fields by their names


class Championship:
    """Everybody of one tournament, honest as long as nobody is told otherwise."""

    def __init__(
        self, teams: int, charter: TournamentCharter | None = None, *, reserves: bool = False
    ) -> None:
        self.charter = charter or new_charter()
        #: The places of those of each team who sign its entry.
        self.places = [*range(self.charter.team_size), *([RESERVE] if reserves else [])]
        self.teams = teams
        #: Whose keys choose between the draws of an organiser who led its record to several.
        self.mine: tuple[PublicKey, ...] = ()
        self.record = new_record(self.charter, ORGANISER)
        self.keys = {
            player_key(team, place).public: player_key(team, place)
            for team in range(teams)
            for place in self.places
        }

    @property
    def judged(self) -> JudgedRecord:
        return judge(self.record, *self.mine)

    @property
    def state(self) -> DrawState:
        """The draw that counts, as far as it has come."""
        state = self.judged.draw
        assert state is not None
        return state

    @property
    def tournament(self) -> Tournament:
        """Its matches, once there was a draw."""
        tournament = self.judged.tournament
        assert tournament is not None
        return tournament

    @property
    def checks(self) -> set[str]:
        """By what anybody is convicted."""
        return {each.check for each in self.judged.convictions}

    def copy(self) -> Self:
        """The same people with the same record, who go on by themselves."""
        return copy(self)

    def add(self, *raws: bytes) -> None:
        self.record = self.record.with_pieces(*raws)

    def unite(self, record: TournamentRecord) -> None:
        """Add all pieces of another record."""
        self.add(*record.raws)

    def sign(self, content: PieceContent, *keys: SigningKey) -> None:
        """Put into the record what these keys sign, though a program might hold it back."""
        self.add(*(sign_piece(content, key, charter=self.charter) for key in keys))

    def entry(self, team: int) -> TeamEntry:
        players = tuple(
            TeamPlayer(
                player_key(team, place).public, f"player {team} {place}", bytes((team, place)) * 16
            )
            for place in self.places
        )
        size = self.charter.team_size
        return TeamEntry(
            self.charter.digest, f"team {team}", players[:size], reserves=players[size:]
        )

    def entered(self) -> Self:
        for team in range(self.teams):
            entry = self.entry(team)
            for place in self.places:
                self.add(enter(self.record, entry, player_key(team, place)))
        return self

    def listed(self) -> Self:
        """Let the organiser list all teams, which enter if none has."""
        if not self.record.entries:
            self.entered()
        by_team = {entry.team: name for name, entry in self.record.entries.items()}
        ids = tuple(by_team[f"team {team}"] for team in range(self.teams))
        self.add(list_entries(self.record, ORGANISER, ids))
        return self

    def fix(self, team: int, seeds: Iterable[int]) -> None:
        """Put into the record what a captain may sign in the first round of the draw beside what
        its program would: a share for each seed."""
        state = Championship(self.teams, self.charter).listed().state
        secrets = (bytes((seed,)) * 32 for seed in seeds)
        self.add(*(share_of(state, player_key(team, 0), secret) for secret in secrets))

    def draw_each(self, *keys: SigningKey) -> None:
        """Let each of these say what is due in the draw, one after the other."""
        for key in keys:
            raw = draw_on(self.judged, key)
            assert raw is not None
            self.add(raw)

    def draw_behind(self, *keys: SigningKey) -> None:
        """Let each of these say what is due in the draw that most restarts lead to, whichever
        counts."""
        for key in keys:
            raw = contribution(latest_draw(self.record), key)
            assert raw is not None
            self.add(raw)

    def draw(self, *, absent: Iterable[int] = ()) -> None:
        """Let everybody draw as far as it goes; captains of `absent` teams say nothing."""
        people = [player_key(team, 0) for team in range(self.teams) if team not in absent]
        self.draw_by(*people, ORGANISER)

    def draw_by(self, *keys: SigningKey) -> None:
        """Let these draw as far as it goes."""
        while True:
            judged = self.judged
            said = [raw for key in keys if (raw := draw_on(judged, key)) is not None]
            if not said:
                return
            self.add(*said)

    def drawn(self) -> Self:
        self.listed()
        self.draw()
        return self

    def called(self, team: int, place: int = 1) -> None:
        """Let a reserve sit in the place of a player, by its captain and itself."""
        captain, reserve = player_key(team, 0), player_key(team, RESERVE)
        self.add(call_reserve(self.judged, captain, f"player {team} {place}"))
        self.add(*answer_calls(self.judged, reserve))
        assert not answer_calls(self.judged, reserve)

    # matches

    def match(self, number: int) -> Match:
        return self.tournament.matches[number - 1]

    def table(self, number: int) -> Charter:
        """The charter of the table of a match, of its present line-ups."""
        return match_charters(self.state, self.match(number))[0]

    def outcome(self, number: int) -> MatchOutcome:
        """How a match was decided."""
        outcome = self.match(number).outcome
        assert outcome is not None
        return outcome

    def result(
        self,
        match: Match,
        scores: tuple[int, int],
        *,
        by: Iterable[int] = (0, 1),
        hand: int = 3,
        lineups: int = 0,
    ) -> tuple[bytes, ...]:
        """Return the result of a match, signed by the first players of its sides, by its present
        line-ups or others."""
        state = self.state
        table = match_charters(state, match)[lineups]
        keys = [self.keys[table.seats[side].key] for side in by]
        names = [entry.team for entry in state.draw.entries]
        teams = (names.index(match.teams[0]) + 1, names.index(match.teams[1]) + 1)
        return tuple(
            sign_piece(
                MatchResult(
                    self.charter.digest, state.head, match.number, teams, table.digest, hand,
                    bytes((match.number,)) * 32, scores, key.public
                ),
                key,
                charter=self.charter
            )
            for key in keys
        )  # fmt: skip

    def play(self, number: int, winner: str | None = None) -> None:
        """Play a match to the race; the upper side wins if nobody else is named."""
        match = self.match(number)
        home = winner in {None, match.sides[0]}
        self.add(*self.result(match, (match.race, 0) if home else (0, match.race)))

    def play_all(self, seed: int = 0) -> None:
        chance = random.Random(seed)
        while ready := [each for each in self.tournament.pending_matches if each.ready]:
            for each in ready:
                self.play(each.number, chance.choice(each.teams))

    def ruled(self, number: int, kind: RulingKind, *teams: str, by: SigningKey = REFEREE) -> None:
        self.add(rule(self.judged, by, number, kind, teams))

    def ruled_against_the_rules(
        self, number: int, kind: RulingKind, *teams: str, by: SigningKey
    ) -> None:
        """Put into the record what a referee signs whom its program does not hold back."""
        state = self.state
        names = [entry.team for entry in state.draw.entries]
        numbers = tuple(sorted(names.index(team) + 1 for team in teams))
        meeting = self.match(number).teams if kind is RulingKind.WALK_OVER else ()
        sides = tuple(names.index(team) + 1 for team in meeting)
        content = TournamentRuling(self.charter.digest, state.head, number, kind, numbers, sides)
        self.sign(content, by)

    def restarted(self, *teams: str) -> None:
        self.add(restart(self.judged, REFEREE, teams))

    def restarted_against_the_rules(self, *absent: int, by: SigningKey = REFEREE) -> None:
        """Put into the record a restart of the first draw without the teams of these places."""
        (follows,) = self.record.lists
        self.sign(DrawRestart(self.charter.digest, follows, absent), by)


def stranger_entries(cup: Championship, count: int) -> list[bytes]:
    """Entries that somebody signs under keys that cost nothing, for so many teams."""
    entries = []
    for number in range(count):
        key = SigningKey((10**6 + number // 8).to_bytes(4, "big") * 8)
        players = tuple(
            TeamPlayer(each.public, f"x{place}", bytes(32))
            for place, each in enumerate((key, player_key(99, 0)))
        )
        entry = TeamEntry(cup.charter.digest, f"stranger {number}", players)
        entries.append(sign_piece(entry, key, charter=cup.charter))
    return entries


def share_of(state: DrawState, key: SigningKey, secret: bytes) -> bytes:
    """Return what a captain, or the organiser, may sign in the open round of a draw beside what its
    own program would sign: another share for each secret, of 32 bytes."""
    charter = state.draw.charter
    seat = Seat(next(at for at, each in enumerate(charter.seats) if each.key == key.public))
    context = state.replica.context(seat)
    content = state.replica.machine.contribute(context, Secrets(secret))
    message = Message(charter.tag, context.place, context.previous, content)
    return message.signed(key, charter=charter.digest).raw


def latest_draw(record: TournamentRecord) -> DrawState:
    """Return how far the draw has come that most restarts lead to."""
    draw = max(record.draws, key=lambda each: len(each.before))
    return state_of(
        draw, [e.content for e in record.of(DrawMessage) if e.content.draw.follows == draw.follows]
    )


def signed_by_another(cup: Championship, raw: bytes, key: SigningKey) -> bytes:
    """Return the same terms of a result, which anybody may read, under somebody else's key."""
    content = open_piece(raw, cup.charter).content
    assert isinstance(content, MatchResult)
    return sign_piece(replace(content, key=key.public), key, charter=cup.charter)


def invented(cup: Championship, teams: int = 2) -> Championship:
    """Return what an organiser makes alone: a second list, of teams that are all its own, and their
    draw, to be united with the record."""
    other = Championship(teams, cup.charter)
    for team in range(teams):
        players = tuple(
            TeamPlayer(player_key(100 + team, place).public, f"nobody {team} {place}", bytes(32))
            for place in range(cup.charter.team_size)
        )
        entry = TeamEntry(cup.charter.digest, f"team {team}", players)
        for place in range(cup.charter.team_size):
            key = player_key(100 + team, place)
            other.keys[key.public] = key
            other.add(enter(other.record, entry, key))
    other.add(list_entries(other.record, ORGANISER, tuple(other.record.entries)))
    other.draw_by(*(player_key(100 + team, 0) for team in range(teams)), ORGANISER)
    return other


def other_list(championship: Championship, order: Callable[[list[bytes]], list[bytes]]) -> bytes:
    """Return another list of the same entries that the organiser signs against the rules."""
    (known,) = championship.record.lists.values()
    content = EntryList(championship.charter.digest, tuple(order([*known.entries])))
    return sign_piece(content, ORGANISER, charter=championship.charter)


def shuffled(record: TournamentRecord, seed: int) -> TournamentRecord:
    """Return the same record, gathered piece by piece in another order, by several people."""
    return gathered(record.raws, 3, random.Random(seed))


def gathered(raws: Sequence[bytes], people: int, chance: random.Random) -> TournamentRecord:
    """The record of a charter and pieces that came to several people in any order, some of them to
    several; what rests on a piece that is not here is refused, and comes again to anybody."""
    records = [TournamentRecord.start(raws[0])] * people
    waiting = [
        (raw, place)
        for raw in raws[1:]
        for place in chance.sample(range(people), chance.randint(1, people))
    ]
    while waiting:
        chance.shuffle(waiting)
        later = []
        for raw, place in waiting:
            if chance.random() < 0.05:
                records[place] = records[place].with_pieces(*records[chance.randrange(people)].raws)
            try:
                records[place] = records[place].with_pieces(raw)
            except MalformedMessage:
                later.append((raw, chance.randrange(people)))
        waiting = later
    chance.shuffle(records)
    united = records[0]
    for each in records[1:]:
        one, other = (each, united) if chance.random() < 0.5 else (united, each)
        united = one.with_pieces(*other.raws)
    return united
