"""Sign what each person of a tournament has to sign, as raw pieces for its record; LocalError where
nothing of the kind can be signed now, or by this key, or where it would convict its signer."""

from __future__ import annotations

from collections.abc import Callable

from p2p304.tournament.tournament import Match, RoundRobin
from protocol.errors import LocalError
from protocol.tournament import pieces
from protocol.tournament import record as records
from protocol.tournament.judge import JudgedRecord, judge
from protocol.tournament.pieces import Piece, PieceContent, RulingKind, TeamEntry, sign_piece
from protocol.tournament.races import Hands, WonRace, result_of
from protocol.tournament.record import DrawMessage, DrawState, TournamentRecord
from protocol.wire.fields import HASH_BYTES
from protocol.wire.identity import SigningKey


def new_record(charter: pieces.TournamentCharter, organiser: SigningKey) -> TournamentRecord:
    """Return the record of a new tournament: its charter, signed by the organiser."""
    return TournamentRecord.start(sign_piece(charter, organiser, charter=charter))


def enter(record: TournamentRecord, entry: TeamEntry, key: SigningKey) -> bytes:
    """Sign an entry as one of its players, or its reserve."""
    if len(entry.players) != record.charter.team_size:
        raise LocalError(f"a team has {record.charter.team_size} players")
    return sign_piece(entry, key, charter=record.charter)


def list_entries(record: TournamentRecord, organiser: SigningKey, ids: tuple[bytes, ...]) -> bytes:
    """Sign the list of these entries; raises MalformedMessage `list.*` if they cannot meet."""
    entries = record.standing_entries
    if not entries.keys() >= {*ids}:
        said = "an entry of the list is not here, not signed by all of its players, or withdrawn"
        raise LocalError(said)
    # The same list again is the same piece, and convicts nobody.
    if any(known.entries != ids for known in record.lists.values()):
        raise LocalError("the entries are listed already")
    records.check_listed(tuple(entries[each] for each in ids), record.charter)
    return _signed(record, organiser, pieces.EntryList, ids)


def draw_on(judged: JudgedRecord, key: SigningKey) -> bytes | None:
    """Return what this key has to say next in the open draw, if anything that is safe."""
    state = judged.draw
    # To speak in the wrong one of two draws helps a dishonest organiser (11.7).
    if state is None or state.luck is not None or not judged.certain:
        return None
    raw = records.contribution(state, key)
    if state.rounds == len(records.KINDS) and key.public == judged.record.charter.organiser:
        raw = _signed(judged.record, key, pieces.DrawEnd, state.draw.follows, state.messages)
    # Never a second message for a place, nor another end, whatever others have signed (11.6); nor
    # behind another head, where a second message would convict nobody.
    mine = (e for e in _draw_messages(judged.record, state) if e.key == key.public)
    spoken = any(each.content.signed.place.round == state.rounds for each in mine)
    return None if raw is None or spoken or _convicts_of(judged, raw) else raw


def restart(judged: JudgedRecord, referee: SigningKey, teams: tuple[str, ...]) -> bytes:
    """Sign, as a referee, that the draw is made again without these teams (11.5)."""
    state = judged.draw
    if state is None or state.luck is not None:
        raise LocalError("there is no draw to restart")
    places = [each.content.history for each in _draw_messages(judged.record, state)]
    # One who signed two messages for a place is left out like one who is silent (11.5).
    twice = {place.seat for place, _ in places if places.count((place, _)) > 1}
    names = [each.team for each in state.draw.entries]
    # Nobody leaves the organiser out: it has no team, and no draw settles without it (11.4).
    awaited = {names[seat] for seat in {*state.missing, *twice} - {state.draw.organiser}}
    if not teams or not awaited.issuperset(teams):
        raise LocalError(f"the draw waits for {', '.join(sorted(awaited)) or 'no team'}")
    absent = tuple(place for place, team in enumerate(names) if team in teams)
    if not records.without(state.draw.entries, absent):
        raise LocalError("too few teams would be left")
    return _once(judged, referee, pieces.DrawRestart, state.draw.follows, absent)


def _draw_messages(record: TournamentRecord, state: DrawState) -> list[Piece[DrawMessage]]:
    """Return the messages of the draw of this state."""
    return [e for e in record.of(DrawMessage) if e.content.draw.follows == state.draw.follows]


def sign_result(judged: JudgedRecord, match: Match, key: SigningKey, hands: Hands) -> bytes | None:
    """Sign the result that these hands show, if there is one that this key can safely sign."""
    won = result_of(judged, match, hands)
    # Only who sat at that table signs its result (12.2).
    if won is None or all(each.key != key.public for each in won.table.seats):
        return None
    raw = _sign(judged, match, key, won)
    # A program must not convict its own player; a person is asked elsewhere.
    return None if _convicts_of(judged, raw) else raw


def lost_before(judged: JudgedRecord, match: Match, key: SigningKey) -> bool:
    """Tell whether any result of this match would convict `key` of `result.behind` (12.4)."""
    table = judged.tables(match)[0]
    # Any result serves: only what it would convict of is asked.
    won = WonRace(table, 0, bytes(HASH_BYTES), (match.race, 0))
    return records.BEHIND in _convicts_of(judged, _sign(judged, match, key, won))


def _sign(judged: JudgedRecord, match: Match, key: SigningKey, won: WonRace) -> bytes:
    """Sign how a race ended, as the result of a match."""
    about = (judged.head, match.number, _numbers(judged, match.teams))
    how = (won.table.digest, won.hand, won.head, won.scores, key.public)
    return _signed(judged.record, key, pieces.MatchResult, *about, *how)


def _numbers(judged: JudgedRecord, teams: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of these teams' entries; raises LocalError for none, or strangers."""
    names = [entry.team for entry in judged.entries]
    if not teams or any(team not in names for team in teams):
        raise LocalError("there is no such team")
    return tuple(names.index(team) + 1 for team in teams)


def _convicts_of(judged: JudgedRecord, raw: bytes) -> set[str]:
    """Return the checks by which this piece would convict anybody anew."""
    known = {(each.check, each.key) for each in judged.convictions}
    after = judge(judged.record.with_pieces(raw))
    return {each.check for each in after.convictions if (each.check, each.key) not in known}


def _once(
    judged: JudgedRecord, key: SigningKey, kind: Callable[..., PieceContent], *fields: object
) -> bytes:
    """Sign a piece, unless it would convict its signer: then raise LocalError."""
    raw = _signed(judged.record, key, kind, *fields)
    if convicts := _convicts_of(judged, raw):
        named = ", ".join(sorted(convicts))
        raise LocalError(f"it would convict you ({named}): you have signed otherwise before")
    return raw


def _signed(
    record: TournamentRecord, key: SigningKey, kind: Callable[..., PieceContent], *fields: object
) -> bytes:
    """Sign a piece of this kind, with these fields behind the tournament's digest."""
    return sign_piece(kind(record.charter.digest, *fields), key, charter=record.charter)


def rule(
    judged: JudgedRecord, referee: SigningKey, match: int, kind: RulingKind, teams: tuple[str, ...]
) -> bytes:
    """Sign, as a referee, a ruling about a match: `teams` did not come, or one of them leaves."""
    if judged.head is None:
        raise LocalError("there are no matches before the draw")
    # Sorted, since two rulings of one meaning would convict.
    numbers = tuple(sorted(_numbers(judged, teams)))
    mine, departs = judged.team_of(referee.public), kind is not RulingKind.WALK_OVER
    # Everybody meets everybody: it would rule about its own match (12.6).
    if mine and departs and isinstance(judged.record.charter.system, RoundRobin):
        raise LocalError("you play in this round robin: another referee rules on who leaves it")
    here = judged.matches[match - 1]
    if mine in here.teams:
        raise LocalError("you play in this match: another referee rules on it")
    if not departs and not (here.known and {*teams} <= {*here.teams}):
        raise LocalError("these teams do not meet in it, as far as it is known who does")
    # A walk-over names both teams, so that it does not count if others come to meet (12.3).
    sides = () if departs else _numbers(judged, here.teams)
    return _once(judged, referee, pieces.TournamentRuling, judged.head, match, kind, numbers, sides)


def withdraw(judged: JudgedRecord, captain: SigningKey) -> bytes:
    """Sign, as its captain, that a team withdraws: its entries, or what it has not played."""
    record, key = judged.record, captain.public
    # Before the list the tournament's digest stands in place of the head, with match 1 (10.5).
    head, number = record.charter.digest, 1
    if record.lists:
        _, head, number = _next_match(judged, captain, "withdrawn")
    elif all(each.captain != key for each in record.standing_entries.values()):
        raise LocalError("a team is withdrawn by its captain")
    return _signed(record, captain, pieces.TeamWithdrawal, head, number, key)


def call_reserve(judged: JudgedRecord, captain: SigningKey, player: str) -> bytes:
    """Sign, as the captain, that from its next match on the reserve sits in for this player."""
    entry, head, number = _next_match(judged, captain, "changed")
    names = [each.nickname for each in entry.players]
    if not entry.reserves or player not in names:
        raise LocalError("the team has no reserve, or no such player")
    record, place = judged.record, names.index(player)
    keys = (entry.captain, entry.reserves[0].key)  # an entry has one reserve at the most (10.3)
    content = pieces.LineupChange(record.charter.digest, head, number, place, *keys)
    said = [e.content for e in judged.record.of(pieces.LineupChange) if e.key == entry.captain]
    # Two changes of one match would leave open who sits.
    if any(each.match == number and each != content for each in said):
        raise LocalError(f"the line-up of match {number} is changed already")
    return sign_piece(content, captain, charter=record.charter)


def answer_calls(judged: JudgedRecord, reserve: SigningKey) -> tuple[bytes, ...]:
    """Sign, as the reserve, the changes of the line-up that call it and that it has not signed."""
    record, key = judged.record, reserve.public
    changes = [each for each in record.of(pieces.LineupChange) if each.content.reserve == key]
    signed = {each.id for each in changes if each.key == key}
    found = {e.id: e.content for e in changes if e.content.draw == judged.head}
    unsigned = (found[name] for name in sorted(found.keys() - signed))
    return tuple(sign_piece(each, reserve, charter=record.charter) for each in unsigned)


def _next_match(
    judged: JudgedRecord, captain: SigningKey, what: str
) -> tuple[TeamEntry, bytes, int]:
    """Return a captain's entry, the head of the draw and the team's first undecided match."""
    if (head := judged.head) is None:
        raise LocalError("there are no matches before the draw")
    entry = {each.captain: each for each in judged.entries}.get(captain.public)
    if entry is None:
        raise LocalError(f"a team is {what} by its captain")
    match = judged.next_match(entry.team)
    if match is None:
        raise LocalError("no match of the team is left")
    return entry, head, match.number


def end(judged: JudgedRecord, organiser: SigningKey) -> bytes:
    """Sign, as the organiser, that every match is decided, and by which pieces."""
    if judged.head is None or judged.tournament is None or not judged.tournament.finished:
        raise LocalError("not every match is decided")
    # Sorted, so that the same end is the same piece: two would convict.
    names = tuple(sorted(name[: pieces.END_NAME_BYTES] for name in judged.deciding))
    return _once(judged, organiser, pieces.TournamentEnd, judged.head, names)
