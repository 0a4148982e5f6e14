"""What each person of a tournament signs: organiser, players, captains and referees.

Every function returns raw pieces for the record. Whoever calls them again says the same again.
"""

from __future__ import annotations

from p2p304.tournament.matches import Match
from p2p304.tournament.systems import RoundRobin
from protocol.errors import LocalError
from protocol.tournament.convictions import BEHIND
from protocol.tournament.draws import DrawState, by_tag, contribution, history_of, open_drawn
from protocol.tournament.judge import JudgedRecord, judge
from protocol.tournament.pieces import (
    END_NAME_BYTES,
    DrawEnd,
    DrawRestart,
    EntryList,
    LineupChange,
    MatchResult,
    RulingKind,
    TeamEntry,
    TeamWithdrawal,
    TournamentCharter,
    TournamentEnd,
    TournamentRuling,
    sign_piece,
)
from protocol.tournament.races import Hands, result_of
from protocol.tournament.record import TournamentRecord, check_listed, without
from protocol.tournament.tables import match_charter
from protocol.wire.charter import Charter
from protocol.wire.contents import HASH_BYTES
from protocol.wire.identity import PublicKey, SigningKey


def found(charter: TournamentCharter, organiser: SigningKey) -> TournamentRecord:
    """Return the record of a new tournament."""
    return TournamentRecord.start(sign_piece(charter, organiser, charter=charter))


def enter(record: TournamentRecord, entry: TeamEntry, key: SigningKey) -> bytes:
    """Sign an entry as the player, or the reserve, with this key; raises LocalError if the entry
    names no such key, or has another number of players than the tournament."""
    if len(entry.players) != record.charter.team_size:
        raise LocalError(f"a team has {record.charter.team_size} players")
    seats = [seat for seat, each in enumerate(entry.signers) if each.key == key.public]
    if not seats:
        raise LocalError("the entry does not name this key")
    return sign_piece(entry, key, charter=record.charter, seat=seats[0])


def to_sign(record: TournamentRecord, key: SigningKey) -> tuple[TeamEntry, ...]:
    """Return the entries that name this key and that it has not signed."""
    signed = {piece.id for piece in record.pieces.values() if piece.key == key.public}
    found: dict[bytes, TeamEntry] = {}
    for _, piece in sorted(record.pieces.items()):
        content = piece.content
        if isinstance(content, TeamEntry) and piece.id not in signed:
            found[piece.id] = content
    return tuple(each for each in found.values() if _names(each, key))


def _names(entry: TeamEntry, key: SigningKey) -> bool:
    return any(each.key == key.public for each in entry.signers)


def list_entries(record: TournamentRecord, organiser: SigningKey, ids: tuple[bytes, ...]) -> bytes:
    """Sign the list of the entries with these ids, in this order, after which the draw begins.

    There is one list: raises LocalError where there is another one, or an id of no entry that all
    of its players have signed and that stands; MalformedMessage `list.*` for entries that cannot
    meet.
    """
    content = EntryList(record.charter.digest, ids)
    entries = record.standing_entries
    if any(each not in entries for each in ids):
        raise LocalError(
            "an entry of the list is not here, not signed by all of its players, or withdrawn"
        )
    if any(known != content for known in record.lists.values()):
        raise LocalError("the entries are listed already")
    check_listed(tuple(entries[each] for each in ids), record.charter)
    return sign_piece(content, organiser, charter=record.charter)


def draw_on(judged: JudgedRecord, key: SigningKey) -> bytes | None:
    """Return what the owner of a key, a captain or the organiser, says next in the draw, None if
    nothing is awaited of it, or the organiser led its record to several draws.

    Nobody speaks twice for one place, whatever others have signed twice, and the organiser opens a
    share in one draw alone. When all have opened theirs it names the messages of the draw.
    """
    state, charter = judged.draw, judged.record.charter
    if state is None or state.settled or not judged.certain:
        return None
    if state.complete and key.public == charter.organiser:
        content = DrawEnd(charter.digest, state.draw.follows, state.messages)
        return sign_piece(content, key, charter=charter)
    raw = contribution(state, key)
    if raw is None:
        return None
    _, signed = open_drawn(raw, by_tag([state.draw]))
    said = (each for each in judged.record.said.values() if each.draw.follows == state.draw.follows)
    spoken = any(each.signed.place == signed.place for each in said)
    return None if spoken or _convicts_of(judged, raw) else raw


def restart(judged: JudgedRecord, referee: SigningKey, teams: tuple[str, ...]) -> bytes:
    """Rule that the draw is made again without these teams, whose captains did not draw.

    Raises LocalError for teams that the draw does not wait for and whose captains have not signed
    two things for one place of it, where too few would be left, where there is nothing to restart,
    and for who has restarted it otherwise.
    """
    state = judged.draw
    if state is None or state.luck is not None:
        raise LocalError("there is no draw to restart")
    awaited = {
        state.draw.entries[seat].team for seat in state.missing if seat < state.draw.organiser
    }
    awaited |= _of_two_minds(judged.record, state)
    if not teams or not awaited.issuperset(teams):
        raise LocalError("the draw does not wait for them")
    absent = tuple(place for place, entry in enumerate(state.draw.entries) if entry.team in teams)
    if without(state.draw.entries, absent) is None:
        raise LocalError("too few teams would be left")
    charter = judged.record.charter
    content = DrawRestart(charter.digest, state.draw.follows, absent)
    return _once(
        judged, sign_piece(content, referee, charter=charter, seat=_referee(charter, referee))
    )


def sign_result(judged: JudgedRecord, match: Match, key: SigningKey, hands: Hands) -> bytes | None:
    """Sign the result that the hands of a match's table have, None while the race goes on, and for
    whom it would convict."""
    assert judged.draw is not None
    won = result_of(judged.record.charter, judged.draw, match, hands)
    if won is None or all(each.key != key.public for each in won.table.seats):
        return None
    last = (won.last.number, bytes(won.last.played))
    raw = _signed(judged, match, key, won.table, last, won.scores)
    return None if _convicts_of(judged, raw) else raw


def lost_before(judged: JudgedRecord, match: Match, key: SigningKey) -> bool:
    """Tell whether `key` would convict itself by signing this result.

    That is so if it signed that its team lost a match whose winner alone comes to this one.
    """
    assert judged.draw is not None
    table = match_charter(judged.record.charter, judged.draw, match)
    raw = _signed(judged, match, key, table, (0, bytes(HASH_BYTES)), (match.race, 0))
    return BEHIND in _convicts_of(judged, raw)


def _signed(
    judged: JudgedRecord,
    match: Match,
    key: SigningKey,
    table: Charter,
    last: tuple[int, bytes],
    scores: tuple[int, int],
) -> bytes:
    """Return a signed result; `last` are the number and the head of the last hand."""
    charter, state = judged.record.charter, judged.draw
    assert state is not None
    names = [entry.team for entry in state.draw.entries]
    content = MatchResult(
        tournament=charter.digest,
        draw=state.head,
        match=match.number,
        teams=(names.index(match.teams[0]) + 1, names.index(match.teams[1]) + 1),
        table=table.digest,
        hand=last[0],
        head=last[1],
        scores=scores,
        key=key.public,
    )
    return sign_piece(content, key, charter=charter)


def _convicts_of(judged: JudgedRecord, raw: bytes) -> set[str]:
    """Return of what a piece would convict anybody, beside what the record holds already."""
    known = {(each.check, each.key) for each in judged.convictions}
    after = judge(judged.record.with_piece(raw))
    return {each.check for each in after.convictions if (each.check, each.key) not in known}


def _once(judged: JudgedRecord, raw: bytes) -> bytes:
    """Return a piece, unless it would convict its signer: then raise LocalError."""
    if convicts := _convicts_of(judged, raw):
        raise LocalError(
            f"it would convict you ({min(convicts)}): you have signed otherwise before"
        )
    return raw


def rule(
    judged: JudgedRecord, referee: SigningKey, match: int, kind: RulingKind, teams: tuple[str, ...]
) -> bytes:
    """Rule about a match; `teams` are those that did not come, or the one that leaves.

    Raises LocalError for a key that is no referee's, or that plays in this match (in a round robin
    of which a team leaves: in any), for teams that have not entered, before the draw is settled,
    and where it has ruled otherwise on this already.
    """
    state, tournament, charter = judged.draw, judged.tournament, judged.record.charter
    if state is None or judged.head is None or tournament is None:
        raise LocalError("there are no matches before the draw")
    names = [entry.team for entry in state.draw.entries]
    if not teams or any(team not in names for team in teams):
        raise LocalError("there is no such team")
    _check_apart(judged, referee, match, kind)
    content = TournamentRuling(
        tournament=charter.digest,
        draw=judged.head,
        match=match,
        kind=kind,
        teams=tuple(sorted(names.index(team) + 1 for team in teams)),
    )
    return _once(
        judged, sign_piece(content, referee, charter=charter, seat=_referee(charter, referee))
    )


def withdraw(judged: JudgedRecord, captain: SigningKey) -> bytes:
    """Withdraw a team, as its captain: before the list its entries, later from its first match that
    is not decided. Raises LocalError for another key, for a team that has no such match, and while
    the draw goes on."""
    charter, key = judged.record.charter, captain.public
    head, number = charter.digest, 1
    if judged.record.lists:
        _, number = _next_match(judged, captain, "withdrawn")
        head = judged.head or b""
    elif all(each.players[0].key != key for each in judged.record.standing_entries.values()):
        raise LocalError("a team is withdrawn by its captain")
    return sign_piece(TeamWithdrawal(charter.digest, head, number, key), captain, charter=charter)


def call_reserve(judged: JudgedRecord, captain: SigningKey, player: str) -> bytes:
    """Let the reserve of a team sit in the place of the player with this nickname, as its captain,
    from its first match that is not decided on; it counts once the reserve has signed, too.

    Raises LocalError for another key, for a team without a reserve or such a player, where no match
    is left, and for another change of the same match.
    """
    entry, number = _next_match(judged, captain, "changed")
    places = [at for at, each in enumerate(entry.players) if each.nickname == player]
    if not entry.reserves or not places:
        raise LocalError("the team has no reserve, or no such player")
    charter, key = judged.record.charter, entry.players[0].key
    reserve = entry.reserves[0].key
    content = LineupChange(charter.digest, judged.head or b"", number, places[0], key, reserve)
    said = (each.content for each in judged.record.pieces.values() if each.key == key)
    changes = (each for each in said if isinstance(each, LineupChange) and each.match == number)
    if any(each != content for each in changes):
        raise LocalError(f"the line-up of match {number} is changed already")
    return sign_piece(content, captain, charter=charter)


def calls(judged: JudgedRecord, reserve: PublicKey) -> tuple[LineupChange, ...]:
    """Return the changes by which a captain calls this reserve, and that it has not signed."""
    found = {
        (each.id, each.key): each.content
        for each in judged.record.pieces.values()
        if isinstance(each.content, LineupChange) and each.content.draw == judged.head
    }
    return tuple(
        content
        for (name, _), content in sorted(found.items(), key=lambda each: each[0][0])
        if content.reserve == reserve and (name, reserve) not in found
    )


def answer_call(judged: JudgedRecord, call: LineupChange, reserve: SigningKey) -> bytes:
    """Sign, as the reserve, that one sits from a match on; raises LocalError for another key."""
    return sign_piece(call, reserve, charter=judged.record.charter, seat=1)


def _next_match(judged: JudgedRecord, captain: SigningKey, what: str) -> tuple[TeamEntry, int]:
    """Return the entry of a captain and the first match of its team that is not decided."""
    state, tournament = judged.draw, judged.tournament
    if state is None or judged.head is None or tournament is None:
        raise LocalError("there are no matches before the draw")
    captains = {each.players[0].key: each for each in state.draw.entries}
    entry = captains.get(captain.public)
    if entry is None:
        raise LocalError(f"a team is {what} by its captain")
    number = next((each.number for each in tournament.pending if entry.team in each.teams), None)
    if number is None:
        raise LocalError("no match of the team is left")
    return entry, number


def end(judged: JudgedRecord, organiser: SigningKey) -> bytes:
    """Sign that every match is decided, and by which pieces; raises LocalError where that is not
    so, and where the organiser has ended it otherwise."""
    if judged.head is None or judged.tournament is None or not judged.tournament.finished:
        raise LocalError("not every match is decided")
    content = TournamentEnd(
        judged.record.charter.digest,
        judged.head,
        tuple(sorted(name[:END_NAME_BYTES] for name in judged.deciding)),
    )
    return _once(judged, sign_piece(content, organiser, charter=judged.record.charter))


def _referee(charter: TournamentCharter, key: SigningKey) -> int:
    if key.public not in charter.rulers:
        raise LocalError("the charter does not name this key as a referee's")
    return charter.rulers.index(key.public)


def _check_apart(judged: JudgedRecord, referee: SigningKey, match: int, kind: RulingKind) -> None:
    """Return if a referee plays in none of the matches on which it rules: nothing would follow."""
    assert judged.draw is not None
    assert judged.tournament is not None
    mine = {
        entry.team
        for entry in judged.draw.draw.entries
        for player in entry.signers
        if player.key == referee.public
    }
    departs = kind is not RulingKind.WALK_OVER
    if mine and departs and isinstance(judged.tournament.system, RoundRobin):
        raise LocalError("you play in this round robin: another referee rules on who leaves it")
    for each in judged.tournament.matches:
        if each.number == match and mine.intersection(each.teams):
            raise LocalError("you play in this match: another referee rules on it")


def _of_two_minds(record: TournamentRecord, state: DrawState) -> set[str]:
    """Return the teams whose captains have signed two messages for one place of a draw."""
    table = state.draw.charter.table
    signed = [each.signed for each in record.said.values() if each.draw.charter.table == table]
    places = [history_of(each) for each in signed]
    twice = {each.place.seat for each in signed if places.count(history_of(each)) > 1}
    return {state.draw.entries[seat].team for seat in twice if seat < state.draw.organiser}
