"""The table of a match: everybody computes its charter, so that nobody has to be asked or invited
(specs/tournament.md, 12.1)."""

from __future__ import annotations

from itertools import product

from p2p304.seats import Seat
from p2p304.tournament.matches import Match
from protocol import labels
from protocol.encoding import digest
from protocol.errors import LocalError
from protocol.tournament.draws import DrawState
from protocol.tournament.pieces import TeamEntry, TeamPlayer
from protocol.wire.charter import TABLE_BYTES, Charter, SeatEntry
from protocol.wire.identity import derive_key
from protocol.wire.referee import REFEREE, TOURNAMENT, TournamentMatch, referees_to_value
from protocol.wire.terms import Term


def match_charter(state: DrawState, match: Match) -> Charter:
    """Return the charter of the table of a match whose two teams are known, in their present
    line-ups; raises LocalError while a side is not known, or nothing is drawn."""
    return match_charters(state, match)[0]


def match_charters(state: DrawState, match: Match) -> tuple[Charter, ...]:
    """Return the charters of all tables at which a match may be played: that of the present
    line-ups, then those in which a reserve sits in another place, or in none. Raises LocalError as
    `match_charter`."""
    if state.luck is None or not match.known:
        raise LocalError("a match has no table before both of its teams are known")
    charter, number = state.draw.cup, match.number.to_bytes(2, "big")
    # With the head of the draw: a match of a drawn-again tournament has another table.
    table = digest(labels.TOURNAMENT_TABLE, charter.digest, state.head, number)[:TABLE_BYTES]
    entries = {each.team: each for each in state.draw.entries}
    own = {each.key for team in match.teams for each in entries[team].signers}
    # Nobody rules at a table at which its own team plays (12.1).
    referees = tuple(key for key in charter.rulers if key not in own)
    tables = []
    for sides in product(*(_lineups(state, entries[team], match) for team in match.teams)):
        seats = tuple(
            SeatEntry(
                player.key,
                player.nickname,
                digest(labels.TOURNAMENT_NONCE, table, player.key.to_bytes(), player.nonce),
            )
            # One of each team in turn, so that partners sit opposite: seat 2k + s (12.1).
            for pair in zip(*sides, strict=True)
            for player in pair
        )
        # Without a referee the table has no such term: nobody rules there.
        terms = (Term(REFEREE, referees_to_value(referees)),) if referees else ()
        here = Term(TOURNAMENT, TournamentMatch(charter.digest, match.number).to_value())
        profile = charter.profile(match.race)
        tables.append(Charter(table, charter.game, profile, seats, (*terms, here)))
    return tuple(tables)


def _lineups(state: DrawState, entry: TeamEntry, match: Match) -> list[tuple[TeamPlayer, ...]]:
    """Return the players of a team in each way in which they may sit in a match, the present
    line-up first.
    """
    own = entry.players
    found = [
        own,
        *((*own[:at], each, *own[at + 1 :]) for each in entry.reserves for at in range(len(own))),
    ]
    now = 0
    for change in state.lineups:
        if change.captain == own[0].key and change.match <= match.number:
            # The last one that applies; they are in the order of matches, then ids (12.1).
            now = 1 + change.place
    return [found.pop(now), *found]


def seat_at(charter: Charter, key: bytes) -> Seat | None:
    """Return the seat of this public key at a table, None if it has none."""
    found = (Seat(seat) for seat, each in enumerate(charter.seats) if each.key.to_bytes() == key)
    return next(found, None)


def match_key(tournament_key: bytes, table: bytes) -> bytes:
    """Return the key under which the table of a match is sealed: who has that of the tournament
    can watch."""
    return derive_key(tournament_key, labels.TOURNAMENT_KEY, table)
