"""A seat at the table of a match: who sits there is known, so that nobody invites or claims.

Everybody computes the charter of the table; whose key has a seat there signs under it at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cli.invite import Invite
from cli.net.address import parse_nodes
from cli.seat.charter_text import game_of
from cli.seat.options import SeatOptions
from cli.seat.setup import Setup
from cli.seat.sitting import new_setup
from cli.store.disk import REAL_DISK, write_whole
from cli.store.paths import make_private_directory
from cli.tournament.folder import TournamentFolder
from p2p304.tournament.matches import Match
from p2p304.tournament.systems import Unit
from p2p304.tournament.tournament import Tournament
from protocol.entropy import Entropy
from protocol.seat.public import TableView
from protocol.tournament.bearing import Hands, RaceHand, hands_in, result_of
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import MatchResult
from protocol.tournament.signing import sign_result
from protocol.tournament.tables import match_charter, match_key, seat_at
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey, SigningKey
from protocol.wire.invite import new_token


def team_with(tournament: Tournament, key: PublicKey) -> str | None:
    """Return the team in which the owner of a key plays, None for nobody's."""
    wanted = key.to_bytes().hex()
    return next((each.team for each in tournament.entries if wanted in each.players), None)


def next_match(tournament: Tournament, team: str) -> Match | None:
    """Return the first match of a team that is not decided, None if there is none: ready, or
    waiting for its other side."""
    return next(
        (each for each in tournament.matches if each.outcome is None and team in each.teams), None
    )


def table_of(judged: JudgedRecord, match: Match) -> Charter:
    """Return the charter of a match's table; raises LocalError before both teams are known."""
    assert judged.draw is not None
    return match_charter(judged.record.charter, judged.draw, match)


def seat_setup(
    folder: TournamentFolder,
    table: Charter,
    key: PublicKey,
    entropy: Entropy,
    *,
    credentials: Path | None = None,
) -> Setup:
    """Return our part of a match's table, which has a seat for our key."""
    seat = seat_at(table, key.to_bytes())
    assert seat is not None
    entry = table.seats[seat]
    nodes = [node for text in folder.record.charter.brokers for node in parse_nodes(text)]
    sealed = match_key(folder.key, table.table)
    invite = Invite(nodes[0], table.table, sealed, seat, new_token(entropy), tuple(nodes[1:]))
    setup = new_setup(invite, entry.nickname, credentials=credentials, entropy=entropy)
    return replace(setup, nonce=entry.nonce)


def race_options(
    options: SeatOptions, judged: JudgedRecord, match: Match, directory: Path
) -> SeatOptions:
    """Return the options of a seat that leaves when the race of its match is won.

    A race for tokens is one match of the game. What else a race counts is counted in the
    transcripts in `directory`, the table's.
    """
    charter, state = judged.record.charter, judged.draw
    assert state is not None
    if charter.unit is Unit.TOKENS:
        return replace(options, hands=None, matches=1)
    counted: dict[tuple[str, int], Hands] = {}

    def won(_: TableView) -> bool:
        files = sorted(directory.glob("*.p304"))
        stamps = {(each.name, each.stat().st_mtime_ns): each for each in files}
        for stamp, each in stamps.items():
            if stamp not in counted:
                counted[stamp] = hands_in([each.read_bytes()], game_of)
        played = _together(counted[each] for each in stamps)
        return result_of(charter, state, match, played) is not None

    return replace(options, hands=None, matches=None, race=won)


def _together(files: Iterable[Hands]) -> Hands:
    found: dict[bytes, dict[int, RaceHand]] = {}
    for hands in files:
        for table, each in hands.items():
            found.setdefault(table, {}).update((one.hand.number, one) for one in each)
    return {table: tuple(each[at] for at in sorted(each)) for table, each in found.items()}


def match_folder(folder: TournamentFolder, match: Match) -> Path:
    """Return the folder of a match's transcripts in that of its tournament."""
    return folder.path / f"match-{match.number:03d}"


def keep_transcripts(folder: TournamentFolder, match: Match, *directories: Path) -> None:
    """Copy the transcripts of a match's tables into the folder of the tournament."""
    place = make_private_directory(match_folder(folder, match))
    for directory in directories:
        for file in sorted(directory.glob("*.p304")):
            copy, data = place / file.name, file.read_bytes()
            if not copy.exists() or copy.read_bytes() != data:
                write_whole(REAL_DISK, copy, data, replace=True)


def signed_results(
    folder: TournamentFolder, judged: JudgedRecord, *keys: SigningKey
) -> list[bytes]:
    """Return the results of our matches that these keys have not signed, as far as transcripts in
    the folder bear them out."""
    tournament = judged.tournament
    if tournament is None or judged.head is None:
        return []
    found = []
    for key in keys:
        team = team_with(tournament, key.public)
        for match in tournament.matches:
            place = match_folder(folder, match)
            if team not in match.teams or not place.is_dir() or signed_by(judged, match, key):
                continue
            played = hands_in((each.read_bytes() for each in sorted(place.glob("*.p304"))), game_of)
            raw = sign_result(judged, match, key, played)
            found += [] if raw is None else [raw]
    return found


def signed_by(judged: JudgedRecord, match: Match, key: SigningKey) -> bool:
    """Tell whether the owner of a key has signed the result of a match."""
    return any(
        piece.key == key.public
        and isinstance(piece.content, MatchResult)
        and piece.content.match == match.number
        for piece in judged.record.pieces.values()
    )
