"""The files of a match in its tournament's folder: whose they are, and what counts of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.errors import UserError
from cli.local.sitting import SeatOptions
from cli.store.paths import OPEN_HAND, table_directory
from cli.tournament.auditing import audit_tournament
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import (
    calls_off,
    keep_transcripts,
    moves,
    race_options,
    signed_results,
    sit_down,
    table_of,
)
from cli.tournament.telling import rulings
from p2p304.games import full_agreement
from p2p304.tournament.tournament import Elimination, Unit
from protocol.tournament.acts import answer_call, call_reserve, calls
from protocol.tournament.pieces import RulingKind
from protocol.transcript.file import hand_transcript
from protocol.wire.contents import RulingVerdict
from protocol.wire.messages import sign_ruling
from tests.table.bus import played_to, point_of, refereed, refereed_at, ruling_at, tell
from tests.table.championship import (
    REFEREE,
    RESERVE,
    Championship,
    invented,
    new_charter,
    player_key,
)
from tests.table.test_tournament_results import MatchTable

JUNK = b"nobody's transcript"


@pytest.fixture
def cup() -> Championship:
    found = Championship(2, new_charter(Elimination((1,), None, Unit.HANDS), brokers=()))
    return found.drawn()


@pytest.fixture
def folder(tmp_path: Path, cup: Championship) -> TournamentFolder:
    return TournamentFolder.make(tmp_path / "cup", cup.record, bytes(range(32)))


def test_another_draw_of_the_organiser_moves_nobody_from_a_table() -> None:
    cup = Championship(2, reserves=True).drawn()
    judged, match = cup.judged, cup.match(1)
    fork = invented(cup)
    fork.ruled(1, RulingKind.WALK_OVER, fork.match(1).teams[0])
    assert fork.judged.head != judged.head
    assert not moves(judged, fork.judged, match)
    assert not calls_off(judged, fork.judged, match)

    cup.add(call_reserve(cup.judged, player_key(0, 0), "player 0 1"))
    assert not moves(judged, cup.judged, match)
    (call,) = calls(cup.judged, player_key(0, RESERVE).public)
    cup.add(answer_call(cup.judged, call, player_key(0, RESERVE)))
    assert moves(judged, cup.judged, match)
    assert not calls_off(judged, cup.judged, match)
    cup.ruled(1, RulingKind.WALK_OVER, match.teams[0])
    assert calls_off(judged, cup.judged, match)


def test_what_is_no_transcript_ends_no_race_and_gives_no_result(
    tmp_path: Path, cup: Championship, folder: TournamentFolder
) -> None:
    match = cup.match(1)
    table = tmp_path / "table"
    table.mkdir()
    for name in ("hand.p304", f"hand{OPEN_HAND}"):
        (table / name).write_bytes(JUNK)
    won = race_options(SeatOptions(), cup.judged, match, table).goal.race
    assert won is not None
    assert not won(refereed().chairs[0].session.snapshot)
    folder.place_of(match).mkdir()
    (folder.place_of(match) / "hand.p304").write_bytes(JUNK)
    assert signed_results(folder, cup.judged, player_key(0, 0)) == ()


@pytest.mark.parametrize("unit", list(Unit))
def test_a_seat_leaves_the_table_of_a_match_that_is_lost_by_a_ruling_whatever_is_raced_for(
    tmp_path: Path, unit: Unit
) -> None:
    cup = Championship(2, new_charter(Elimination((1,), None, unit), brokers=())).drawn()
    goal = race_options(SeatOptions(), cup.judged, cup.match(1), tmp_path).goal
    table = refereed_at(0, 3)
    session = table.chairs[0].session
    assert not goal.reached(session.snapshot)
    tell(table, ruling_at(table, 0, 3, RulingVerdict.DISQUALIFIED, against=1))
    assert goal.reached(session.snapshot)


def test_files_of_others_are_not_written_over_and_open_hands_not_copied(
    tmp_path: Path, cup: Championship, folder: TournamentFolder
) -> None:
    match = cup.match(1)
    table = tmp_path / "table"
    table.mkdir()
    for name in ("one.p304", "two.p304", f"two{OPEN_HAND}"):
        (table / name).write_bytes(b"ours")
    keep_transcripts(folder, match)
    (folder.place_of(match) / "one.p304").write_bytes(JUNK)
    keep_transcripts(folder, match, table)
    kept = {each.name: each.read_bytes() for each in folder.place_of(match).iterdir()}
    assert kept == {"one.p304": JUNK, "two.p304": b"ours"}


def test_a_tournament_without_a_broker_says_so(cup: Championship, folder: TournamentFolder) -> None:
    for table in (None, table_of(cup.judged, cup.match(1)).table):
        with pytest.raises(UserError, match="names no broker"):
            folder.invite(table)


def test_what_was_ruled_at_a_table_is_told_from_the_files_of_its_match(tmp_path: Path) -> None:
    rules = full_agreement("304", "championship")
    system = Elimination((1,), None, Unit.HANDS)
    cup = Championship(2, new_charter(system, brokers=(), profiles=(rules,))).drawn()
    folder = TournamentFolder.make(tmp_path / "cup", cup.record, bytes(range(32)))
    match = cup.match(1)
    place = folder.place_of(match)
    assert rulings(place, cup.judged, match) == ()
    table = MatchTable(cup, table_of(cup.judged, match))
    table.confirm()
    played_to(table, 0, 3)
    place.mkdir()
    point = point_of(table, 0, 2, RulingVerdict.NO_ACTION, text="")
    (place / "ruling-0-2.p304r").write_bytes(sign_ruling(table.charter, point, REFEREE).raw)
    point = point_of(table, 0, 3, RulingVerdict.PENALTY, against=2, text="Heard it.")
    tell(table, sign_ruling(table.charter, point, REFEREE))
    for seat in (0, 1):  # who plays keeps what was played, the referee what it signed
        file = hand_transcript(table.chairs[seat].session.table_state, 0)
        (place / f"{seat}.p304").write_bytes(file)
    (place / "other.p304").write_bytes(JUNK)
    loser = match.teams[1]
    assert rulings(place, cup.judged, match) == (
        "The referee ruled on hand 1, round 2: no action; the hand goes on.",
        f"The referee ruled on hand 1, round 3: a penalty of three tokens against {loser}."
        ' The referee says: "Heard it."',
    )


def test_an_audit_names_the_file_of_a_match_that_is_broken_and_its_check(tmp_path: Path) -> None:
    rules = full_agreement("304", "championship")
    system = Elimination((1,), None, Unit.HANDS)
    cup = Championship(2, new_charter(system, brokers=(), profiles=(rules,))).drawn()
    match = cup.match(1)
    table = MatchTable(cup, table_of(cup.judged, match))
    table.confirm()
    played_to(table, 0, 3)
    cup.play(1)
    file = tmp_path / "hand.p304"
    file.write_bytes(hand_transcript(table.chairs[0].session.table_state, 0))
    broken, of_match = audit_tournament(cup.judged, (str(file),)).wrong  # of no game that we know
    assert broken.startswith(f"{file}: ")
    assert " failed at " in broken
    assert of_match == f"match 1: its transcript does not hold: {file} (result.missing)"
    (missing,) = audit_tournament(cup.judged, ()).wrong
    assert missing == "match 1: no transcript of its table is there (result.missing)"


def test_a_reserve_begins_no_match_anew_that_was_begun_and_waits_for_nothing_else(
    tmp_path: Path,
) -> None:
    charter = new_charter(brokers=("mqtt://127.0.0.1:1",))
    cup = Championship(2, charter, reserves=True).drawn()
    folder = TournamentFolder.make(tmp_path / "cup", cup.record, bytes(range(32)))
    match, root, captain = cup.match(1), tmp_path / "home", player_key(0, 0)
    before = table_of(cup.judged, match, root)
    sitting = folder, cup.judged, match, root, captain, SeatOptions()
    journal, setup, _ = sit_down(*sitting)
    journal.close()
    hand = table_directory(root, before.table) / f"hand{OPEN_HAND}"

    cup.add(call_reserve(cup.judged, captain, "player 0 1"))
    (call,) = calls(cup.judged, player_key(0, RESERVE).public)
    cup.add(answer_call(cup.judged, call, player_key(0, RESERVE)))
    now = table_of(cup.judged, match)
    assert now != before
    hand.write_bytes(b"")
    assert table_of(cup.judged, match, root) == before
    hand.unlink()
    assert table_of(cup.judged, match, root) == now
    journal, kept, _ = sit_down(folder, cup.judged, *sitting[2:])
    journal.close()
    assert kept.nonce == setup.nonce
    hand.write_bytes(b"")
    assert table_of(cup.judged, match, root) == now
