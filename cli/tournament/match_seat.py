"""A seat at the table of a match: its charter, journal and transcripts, and its signed result.

Nobody invites or claims: everybody computes the charter, and whose key has a seat sits down.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from cli.errors import UserError
from cli.local.rematch import agreed_journal
from cli.local.sitting import SeatOptions, new_setup
from cli.local.transcripts import replaceable
from cli.net.credentials import Credentials
from cli.seat.charter_text import game_of
from cli.seat.setup import Setup, charter_in, kept_charter
from cli.store.disk import REAL_DISK, write_whole
from cli.store.journal import FILE_NAME, Journal
from cli.store.paths import OPEN_HAND, make_private_directory, table_directory
from cli.tournament.exchange import exchange
from cli.tournament.folder import TournamentFolder, match_folder
from p2p304.tournament.matches import How, Match
from p2p304.tournament.systems import Unit
from protocol.seat.view import TableView
from protocol.tournament.acts import sign_result
from protocol.tournament.draws import match_charters, seat_at
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import MatchResult
from protocol.tournament.races import Hands, hands_in, result_of, together
from protocol.transcript.results import NotSigned
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.identity import PublicKey, SigningKey
from protocol.wire.invite import new_token
from protocol.wire.messages import SignedRuling

_LOST = frozenset({RulingVerdict.DISQUALIFIED, RulingVerdict.WALK_OVER})
"""The verdicts by which a side loses the whole match."""


def team_with(judged: JudgedRecord, key: PublicKey) -> str | None:
    """Return the team whose entry has this key as a player's or the reserve's; None if no team
    of the draw has it.
    """
    entries = () if judged.draw is None else judged.draw.draw.entries
    owners = ((each.team, player.key) for each in entries for player in each.signers)
    return next((team for team, owner in owners if owner == key), None)


def match_of_number(judged: JudgedRecord, number: int) -> Match:
    """Return the match with this number; raises UserError if there is none."""
    matches = () if judged.tournament is None else judged.tournament.matches
    for match in matches:
        if match.number == number:
            return match
    raise UserError("There is no such match: 'p2p304 tournament status' shows all.")


async def known_match(folder: TournamentFolder, number: int, given: Credentials) -> Match:
    """Return the match with this number; raises UserError if there is none. Where its sides are
    not known here, others are asked first, if there is a broker.
    """
    judged = folder.judged_record
    matches = () if judged.tournament is None else judged.tournament.matches
    if folder.nodes and not any(each.number == number and each.known for each in matches):
        # Done at once: it ends as soon as nobody has anything new.
        judged = await exchange(folder, done=lambda _: True, credentials=given)
    return match_of_number(judged, number)


def tables_of(judged: JudgedRecord, match: Match) -> tuple[Charter, ...]:
    """Return the charters under which a match may be played, that of the present line-ups first.

    There are none before both teams are known.
    """
    return () if judged.draw is None or not match.known else match_charters(judged.draw, match)


def moves(judged: JudgedRecord, now: JudgedRecord, match: Match) -> bool:
    """Tell whether the record `now` has other present line-ups for a match than `judged`; False
    if it is of another draw.
    """
    # Another draw of the organiser must not move a seat from its table.
    # Neither is empty: under one head the draw is the same, and a seat sits at the match.
    return now.head == judged.head and tables_of(now, match)[0] != tables_of(judged, match)[0]


def calls_off(judged: JudgedRecord, now: JudgedRecord, match: Match) -> bool:
    """Tell whether by the record `now` a match is decided without play, such as by a walk-over;
    False if it is of another draw than `judged`.
    """
    if now.head != judged.head or now.tournament is None:
        return False
    # Matches are numbered from 1, in their order.
    outcome = now.tournament.matches[match.number - 1].outcome
    return outcome is not None and outcome.how is not How.PLAYED


def table_of(judged: JudgedRecord, match: Match, root: Path | None = None) -> Charter:
    """Return the charter of a match's table: by the present line-ups, or, if a hand was begun in
    the home `root`, that in the journal there.
    """
    now, *others = tables_of(judged, match)
    # One charter alone, or no hand begun: nothing to choose.
    if root is None or not others or not any(table_directory(root, now.table).glob("*.p304")):
        return now
    # Without a journal nothing tells under which charter those hands were begun.
    return _kept_charter(root, now.table) or now


def _kept_charter(root: Path, table: bytes) -> Charter | None:
    """Return the charter in the journal of a table in the home `root`; None if there is none."""
    directory = table_directory(root, table)
    if not (directory / FILE_NAME).exists():
        return None
    with Journal.open(directory, table) as journal:
        data = charter_in(journal.records())[0]
    return None if data is None else kept_charter(data)


def sit_down(
    folder: TournamentFolder,
    judged: JudgedRecord,
    match: Match,
    root: Path,
    key: SigningKey,
    options: SeatOptions,
) -> tuple[Journal, Setup, SeatOptions]:
    """Return the open journal of our seat at a match's table, its setup, and `options` with which
    it leaves once the race ends.

    A journal of other line-ups is put aside under another name, if no hand was begun there.
    """
    table = table_of(judged, match, root)
    directory = table_directory(root, table.table)
    kept = _kept_charter(root, table.table)
    # Another than the kept one only while no hand was begun: else `table_of` returns that.
    if kept is not None and kept != table:
        journal = directory / FILE_NAME
        # Put aside, not deleted: it holds our signature under the other charter.
        journal.rename(journal.with_name(f"{FILE_NAME}-{kept.digest.hex()[:8]}"))
    seat = seat_at(table, key.public.to_bytes())
    assert seat is not None  # the caller looked for our key at this table
    entry = table.seats[seat]
    # Nobody claims this seat: the token is only a field of the invite.
    invite = replace(folder.invite(table.table), seat=seat, token=new_token(secrets.token_bytes))
    setup = new_setup(invite, entry.nickname, credentials=options.credentials_file)
    # Computed by everybody from the entry (12.1), never drawn here.
    wanted = replace(setup, nonce=entry.nonce)
    return *agreed_journal(root, wanted, table), race_options(options, judged, match, directory)


def ending_ruling(table: TableView) -> SignedRuling | None:
    """Return the newest ruling at a table if it ended play of the match; else None."""
    rulings = table.referee_rulings()
    ends = {*_LOST, RulingVerdict.END}
    # The newest alone: behind one that ended play no hand is begun that another could stop.
    return rulings[-1] if rulings and rulings[-1].content.verdict in ends else None


def match_lost_by_ruling(table: TableView) -> bool:
    """Tell whether a ruling at a table made a side lose the match."""
    ruling = ending_ruling(table)
    return ruling is not None and ruling.content.verdict in _LOST


def race_options(
    options: SeatOptions, judged: JudgedRecord, match: Match, directory: Path
) -> SeatOptions:
    """Return `options` for a seat that leaves when its match is won, or lost by a ruling.

    A race for tokens is played as one match of the game, which ends by itself; for other races the
    seat counts the transcripts in `directory`, the table's.
    """
    state = judged.draw
    assert state is not None  # there is a match
    if state.draw.cup.system.unit is Unit.TOKENS:
        return replace(options, hands=None, matches=1, race=match_lost_by_ruling)
    counted: dict[tuple[str, int], Hands] = {}

    def won(table: TableView) -> bool:
        """Tell whether the transcripts in `directory` show that the race is won, or whether a
        ruling made a side lose the match.
        """
        if match_lost_by_ruling(table):
            return True
        # Reading proofs is costly: a file is counted again only after it has changed.
        stamps = {(each.name, each.stat().st_mtime_ns): each for each in _files(directory)}
        for stamp, each in stamps.items():
            if stamp not in counted:
                counted[stamp] = _hands_of(each)
        played = together(counted[each] for each in stamps)
        return result_of(state, match, played) is not None

    return replace(options, hands=None, matches=None, race=won)


def _files(directory: Path) -> list[Path]:
    """Return the transcripts in a folder but those of open hands."""
    return [each for each in sorted(directory.glob("*.p304")) if not each.name.endswith(OPEN_HAND)]


def _hands_of(file: Path) -> Hands:
    """Return the hands in a transcript; none, without an error, if the file is no transcript or
    cannot be read.
    """
    try:
        return hands_in([file.read_bytes()], game_of)
    # Anybody may have put a file into the folder: it must not stop a player.
    except (NotSigned, UserError, OSError):
        return {}


def keep_transcripts(folder: TournamentFolder, match: Match, *directories: Path) -> None:
    """Copy the transcripts of a match's tables, but those of open hands, into its folder in the
    tournament's; a file there is replaced if we wrote it, else left alone.
    """
    place = make_private_directory(match_folder(folder, match))
    for directory in directories:
        for file in _files(directory):
            copy, data = place / file.name, file.read_bytes()
            # A file that no program of ours wrote is left alone: the folder is the user's.
            if replaceable(copy) and not (copy.exists() and copy.read_bytes() == data):
                write_whole(REAL_DISK, copy, data, replace=True)


def signed_results(
    folder: TournamentFolder, judged: JudgedRecord, *keys: SigningKey
) -> list[bytes]:
    """Return signed pieces with the results that transcripts in the folder show: for each match,
    one by each of these keys whose team plays it and which has signed none for it; writes nothing.

    A key that did not sit at the table, or would convict itself, signs none.
    """
    found = []
    for match in () if judged.tournament is None else judged.tournament.matches:
        place = match_folder(folder, match)
        if not match.known or not place.is_dir():
            continue
        mine = [
            key
            for key in keys
            if team_with(judged, key.public) in match.teams and not signed_by(judged, match, key)
        ]
        if mine:
            played = together(map(_hands_of, _files(place)))
            raws = (sign_result(judged, match, key, played) for key in mine)
            found += [raw for raw in raws if raw is not None]
    return found


def signed_by(judged: JudgedRecord, match: Match, key: SigningKey) -> bool:
    """Tell whether a key has signed a result for a match, at any table between its two teams."""
    tables = {each.digest for each in tables_of(judged, match)}
    results = judged.record.of(MatchResult)
    return any(each.key == key.public and each.content.table in tables for each in results)
