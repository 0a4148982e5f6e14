"""A seat at the table of a match: its charter, journal and transcripts, and its signed result."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from cli.errors import UserError
from cli.local.sitting import SeatOptions, agreed_journal, new_setup
from cli.local.transcripts import replaceable
from cli.seat.charter_text import game_of
from cli.seat.setup import Setup, charter_in
from cli.store.disk import REAL_DISK, write_whole
from cli.store.journal import FILE_NAME, Journal
from cli.store.paths import OPEN_HAND, make_private_directory, table_directory
from cli.tournament.folder import TournamentFolder
from p2p304.tournament.tournament import How, Match, Unit
from protocol.seat.view import TableView
from protocol.tournament.acts import sign_result
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import MatchResult
from protocol.tournament.races import Hands, hands_in, result_of, together
from protocol.tournament.record import seat_at
from protocol.transcript.results import NotSigned
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.identity import SigningKey
from protocol.wire.invite import new_token

_LOST = frozenset({RulingVerdict.DISQUALIFIED, RulingVerdict.WALK_OVER})  # a whole match is lost


def match_of_number(judged: JudgedRecord, number: int) -> Match:
    """Return the match with this number; raises UserError if there is none."""
    if not 1 <= number <= len(judged.matches):
        raise UserError("There is no such match: 'p2p304 tournament status' shows all.")
    return judged.matches[number - 1]


def leaves(judged: JudgedRecord, now: JudgedRecord, match: Match, *, begun: bool) -> bool:
    """Tell whether by the record `now` a seat leaves the table of a match: it is decided without
    play or, before a hand is `begun`, moves to a table of other line-ups."""
    if now.head != judged.head:  # another draw of the organiser must not move a seat from its table
        return False
    outcome = now.matches[match.number - 1].outcome
    if outcome is not None:
        return outcome.how is not How.PLAYED
    return not begun and now.tables(match)[0] != judged.tables(match)[0]


def table_of(judged: JudgedRecord, match: Match, root: Path | None = None) -> Charter:
    """Return the charter of a match's table; that of the journal if a hand was begun in `root`."""
    now = judged.tables(match)[0]
    if root is None or not any(table_directory(root, now.table).glob("*.p304")):
        return now
    # Without a journal nothing tells under which charter those hands were begun.
    return _kept_charter(root, now.table) or now


def _kept_charter(root: Path, table: bytes) -> Charter | None:
    """Return the charter in the journal of a table in the home `root`, if there is one."""
    directory = table_directory(root, table)
    if not (directory / FILE_NAME).exists():
        return None
    with Journal.open(directory, table) as journal:
        return charter_in(journal.records())[0]


def sit_down(
    folder: TournamentFolder,
    judged: JudgedRecord,
    match: Match,
    root: Path,
    key: SigningKey,
    options: SeatOptions,
) -> tuple[Journal, Setup, SeatOptions]:
    """Return our journal and setup at a match's table, and `options` that end with the race."""
    table = table_of(judged, match, root)
    directory = table_directory(root, table.table)
    kept = _kept_charter(root, table.table)
    # Of other line-ups, and no hand was begun: else `table_of` returns the kept one.
    if kept is not None and kept != table:
        journal = directory / FILE_NAME
        # Put aside, not deleted: it holds our signature under the other charter, which names it, so
        # that none that is put aside later replaces it.
        journal.rename(journal.with_name(f"{FILE_NAME}-{kept.digest.hex()[:8]}"))
    seat = seat_at(table, key.public.to_bytes())
    assert seat is not None  # the caller looked for our key at this table
    # Nobody claims this seat: the token is only a field of the invite.
    invite = replace(folder.invite(table.table), seat=seat, token=new_token(secrets.token_bytes))
    # Its nonce is the charter's, which everybody computes from the entry (12.1).
    setup = new_setup(invite, table.seats[seat].nickname, credentials=options.credentials_file)
    return *agreed_journal(root, setup, table), race_options(options, judged, match, directory)


def race_options(
    options: SeatOptions, judged: JudgedRecord, match: Match, directory: Path
) -> SeatOptions:
    """Return `options` for a seat that leaves when its match is won, or lost by a ruling."""
    # A race for tokens is one match of the game; for others the transcripts are counted.
    by_itself = judged.record.charter.system.unit is Unit.TOKENS

    def over(table: TableView) -> bool:
        """Tell whether a ruling made a side lose the match, or the transcripts show its end."""
        # The newest alone: behind one that ended play no hand is begun that another could stop.
        newest = table.table_state.rulings.signed[-1:]
        if any(each.content.verdict in _LOST for each in newest):
            return True
        return not by_itself and result_of(judged, match, _hands_below(directory)) is not None

    # `hands=None`: a number of hands in the options must not end it before the race does.
    return replace(options, hands=None, matches=1 if by_itself else None, race=over)


def _files(directory: Path) -> list[Path]:
    """Return the transcripts in a folder but those of open hands, which prove no result yet."""
    return [each for each in sorted(directory.glob("*.p304")) if not each.name.endswith(OPEN_HAND)]


def _hands_below(directory: Path) -> Hands:
    """Return the hands in the transcripts of a folder, of which those of open hands are none."""
    return together(_hands_of(each, each.stat().st_mtime_ns) for each in _files(directory))


# Reading proofs is costly: a file is read again only after it changed. 1,024 is a choice.
@lru_cache(maxsize=1_024)
def _hands_of(file: Path, _changed: int) -> Hands:
    """Return the hands in a transcript; none, without an error, in any other file."""
    try:
        return hands_in([file.read_bytes()], game_of)
    # Anybody may have put a file into the folder: it must not stop a player.
    except (NotSigned, UserError, OSError):
        return {}


def keep_transcripts(folder: TournamentFolder, match: Match, *directories: Path) -> None:
    """Copy the transcripts of a match's tables, but those of open hands, into its folder."""
    place = make_private_directory(folder.place_of(match))
    for file in (each for directory in directories for each in _files(directory)):
        copy, data = place / file.name, file.read_bytes()
        # A file that no program of ours wrote is left alone: the folder is the user's.
        if replaceable(copy) and not (copy.exists() and copy.read_bytes() == data):
            write_whole(REAL_DISK, copy, data, replace=True)


def signed_results(
    folder: TournamentFolder, judged: JudgedRecord, *keys: SigningKey
) -> tuple[bytes, ...]:
    """Return signed results that our transcripts show, of each key that has signed none so far."""
    raws = [
        # None of who did not sit at the table, or would convict itself.
        sign_result(judged, match, key, _hands_below(folder.place_of(match)))
        for match in judged.matches
        for key in keys
        # Before both sides are known it has no table, and nobody a seat there.
        if match.known and judged.team_of(key.public) in match.teams
        if not signed_by(judged, match, key)
    ]
    return tuple(raw for raw in raws if raw is not None)


def signed_by(judged: JudgedRecord, match: Match, key: SigningKey) -> bool:
    """Tell whether a key has signed a result for a match, at any table between its two teams."""
    tables = {each.digest for each in judged.tables(match)}
    results = judged.record.of(MatchResult)
    return any(each.key == key.public and each.content.table in tables for each in results)
