"""The commands of a tournament at every stage of it: what they do, and what comes too early, too
late, or from somebody else; and whose the files of a match are."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from cli.errors import ExitCode, UserError
from cli.local.sitting import SeatOptions
from cli.main import main
from cli.store.identity import IdentityStore
from cli.store.paths import OPEN_HAND, table_directory
from cli.tournament.folder import INVITATION, TournamentFolder, audit_tournament
from cli.tournament.match_seat import (
    keep_transcripts,
    leaves,
    race_options,
    signed_results,
    sit_down,
    table_of,
)
from cli.tournament.telling import match_text
from p2p304.games import full_agreement
from p2p304.tournament.tournament import Elimination, RoundRobin, Unit
from protocol.encoding import encode
from protocol.tournament.acts import answer_calls, call_reserve, enter
from protocol.tournament.pieces import RulingKind, TeamEntry, TeamPlayer, TournamentCharter
from protocol.tournament.record import TournamentRecord
from protocol.transcript.file import hand_transcript
from protocol.wire.contents import RulingVerdict
from tests.journeys.running_brokers import free_port
from tests.table.bus import played_to, refereed, refereed_at, ruling_at, tell
from tests.table.championship import (
    RESERVE,
    Championship,
    invented,
    new_charter,
    other_list,
    player_key,
)
from tests.table.test_tournament_results import MatchTable

SAVED = Path(__file__).parents[2] / "specs" / "vectors" / "hands"
KEY = bytes(range(32))
ORGANISER, REFEREE = b"O" * 32, b"R" * 32


@cache
def at(stage: str) -> TournamentRecord:
    """The record of a tournament at a stage, with dates that only one of them has."""
    everybody = RoundRobin(race=1, unit=Unit.HANDS)
    more = {"system": everybody} if stage == "round robin" else {}
    cup = Championship(2, new_charter(brokers=(), dates="", **more))
    steps: dict[str, Callable[[], object]] = {
        "entered": cup.entered,
        "listed": cup.listed,
        "drawn": cup.draw,
        "ruled": lambda: cup.ruled(1, RulingKind.WITHDRAWN, "team 1"),
    }
    last = "drawn" if stage in ("round robin", "convicted") else stage
    for name, step in steps.items() if stage != "new" else ():
        step()
        if name == last:
            break
    if stage == "convicted":
        cup.add(other_list(cup, lambda ids: ids[::-1]))
    return cup.record


class Place:
    """A home, and the folder of a tournament at a stage."""

    def __init__(self, path: Path, output: pytest.CaptureFixture[str]) -> None:
        self.home = path / "home"
        self.folder = path / "cup"
        self._output = output

    def made(self, stage: str) -> TournamentFolder:
        return self.keeps(at(stage))

    def keeps(self, record: TournamentRecord) -> TournamentFolder:
        return TournamentFolder.make(self.folder, record, KEY)

    def of_player(self, team: int, number: int) -> None:
        """Let the home be that of a player."""
        IdentityStore(self.home).key(lambda _: bytes((team, number)) * 16)

    def says(self, *words: str, code: int = 0) -> str:
        """What a command of a tournament says of the folder."""
        command, *rest = words
        offline = () if command in ("audit", "rule") else ("--offline",)
        assert main(["tournament", command, str(self.folder), *rest, *offline]) == code
        said = self._output.readouterr()
        return said.out + said.err


@pytest.fixture
def place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Place:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    return Place(tmp_path, capsys)


@pytest.mark.parametrize(
    ("stage", "words", "said"),
    [
        ("entered", "draw --list", "The organiser lists the entries, on the machine that made"),
        ("listed", "enter --team Lions --with ab=Ben", "The entries are listed already"),
        ("drawn", "draw --absent Tigers", "there is no draw to restart"),
    ],
)
def test_what_comes_from_somebody_else_or_too_late_is_refused(
    place: Place, stage: str, words: str, said: str
) -> None:
    place.made(stage)
    if "--absent" in words:
        IdentityStore(place.home).key(lambda _: REFEREE)
    told = place.says(*words.split(), code=2)
    assert told.count("\n") == 1
    assert said in told


def test_an_organiser_may_refuse_only_who_entered_and_lists_once(place: Place) -> None:
    cup = Championship(3, new_charter(brokers=()))
    cup.entered()
    folder = place.keeps(cup.record)
    folder.keep_organiser(ORGANISER)
    told = place.says("draw", "--list", "--refuse", "4", code=2)
    assert "No entry has the number 4" in told
    for number, entry in enumerate(folder.record.standing_entries.values(), 1):
        assert f"{number}. {entry.team}: {entry.players[0].nickname} (" in told
    first, *_, last = folder.record.standing_entries
    place.says("draw", "--list", "--only", "1", "--only", "3")
    ((listed, content),) = folder.record.lists.items()
    assert content.entries == (first, last)
    place.says("draw", "--list")
    assert [*folder.record.lists] == [listed]


def test_who_waits_for_the_list_is_told_who_has_entered(place: Place) -> None:
    place.made("entered")
    told = place.says("draw")
    assert told.startswith("Entered: team 0: player 0 0 (3b6a27bc), player 0 1 (f4dc087b)\n")
    assert told.endswith("The organiser has not listed the entries.\n")


def test_who_has_not_all_entries_is_told_how_many_are_here(place: Place) -> None:
    cup = Championship(3, new_charter(brokers=()))
    cup.entered()
    cup.listed()
    lacking = cup.entry(2)
    names = [name for name, each in cup.record.pieces.items() if each.content != lacking]
    place.keeps(cup.record.only(names))
    told = "list of entries waits for others: 2 of 3 entries are here"
    for words in ("status", "draw"):
        assert told in place.says(*words.split())
    assert f"so far the {told}" in place.says("audit", code=1)


def test_the_same_entry_can_be_made_again_and_two_of_one_name_cannot_be_signed(
    place: Place,
) -> None:
    folder = place.made("new")
    place.of_player(5, 0)
    cup = Championship(2, folder.record.charter)
    ours = cup.entry(5).players
    team = ("--team", "Lions", "--name", "Ana", "--with")
    named = f"{ours[1].key.to_bytes().hex()}=Ben"
    for _ in ("once", "the same again"):
        assert "Lions waits for the signature of Ben" in place.says("enter", *team, named)
    assert len(folder.record.pieces) == 2
    for mate in (f"{named}{'n' * 80}", named[:-3], f"{named}\x1b[2J"):
        told = place.says("enter", "--team", "Tigers", "--with", mate, code=2)
        assert "A nickname has 1 to 32 visible characters" in told
    told = place.says("enter", *team[:2], "--name", "Ana ", "--with", named, code=2)
    assert "A nickname has 1 to 32 visible characters" in told
    told = place.says("enter", "--team", "T" * 65, "--with", named, code=2)
    assert "No such entry" in told
    third = f"{Championship(1).entry(6).players[0].key.to_bytes().hex()}=Chandra"
    told = place.says("enter", "--team", "Tigers", "--with", named, "--with", third, code=2)
    assert "This cannot be signed: a team has 2 players." in told
    assert len(folder.record.pieces) == 2


def test_a_player_whom_two_entries_of_one_name_name_signs_neither(place: Place) -> None:
    folder = place.made("new")
    place.of_player(5, 1)
    cup = Championship(2, folder.record.charter)
    captain, mate = cup.entry(5).players
    for called in ("Ana", "Anna"):
        players = (TeamPlayer(captain.key, called, captain.nonce), mate)
        entry = TeamEntry(folder.record.charter.digest, "Lions", players)
        folder.add(enter(folder.record, entry, player_key(5, 0)))
    told = place.says("enter", "--team", "Lions", code=2)
    assert "Several entries of that team name you" in told


def test_the_status_is_told_to_programs_before_the_draw_and_after_it(place: Place) -> None:
    place.made("listed")
    told = json.loads(place.says("status", "--json"))
    assert told["waits"]
    place.folder = place.folder.with_name("drawn")
    place.made("drawn")
    told = json.loads(place.says("status", "--json"))
    assert told["waits"] is None
    assert told["name"] == "Cup of the Lions"


def test_the_status_names_who_was_convicted_and_who_withdrew(place: Place) -> None:
    place.made("convicted")
    told = place.says("status", code=1)
    assert "--- Draw 2 ---" in told
    assert "Convicted: the organiser: the organiser signed two lists" in told
    place.folder = place.folder.with_name("ruled")
    place.made("ruled")
    told = place.says("status")
    assert "team 1" in told
    assert ", withdrawn" in told
    assert "tournament audit" not in told
    assert "The champion: team 0." in told


def test_a_round_robin_has_no_bracket(place: Place) -> None:
    place.made("round robin")
    told = place.says("status")
    assert "Standing" in told
    assert "(final)" not in told
    assert "Bracket" not in told
    assert "Round 1 of 1" in told


def test_the_status_before_the_draw_lists_who_has_entered(place: Place) -> None:
    place.made("entered")
    assert "1. team 0: player 0 0 (3b6a27bc)" in place.says("status")


def test_an_invitation_to_another_tournament_or_to_none_is_refused(
    place: Place, tmp_path: Path
) -> None:
    place.made("entered")
    other = Championship(2, new_charter(brokers=(), id=bytes(16)))
    invited = TournamentFolder.make(tmp_path / "other", other.record, KEY).path / INVITATION
    told = place.says("status", "--invitation", str(invited), code=2)
    assert "is of another tournament: name another folder" in told
    named = ("p2p304 tournament invitation", 1, KEY, other.record.raws[0])
    for data in (b"noise", b"\x90", encode((*named, 7)), encode((*named, "word", "word"))):
        (tmp_path / "wrong").write_bytes(data)
        told = place.says("status", "--invitation", str(tmp_path / "wrong"), code=2)
        assert "is no invitation to a tournament" in told
    told = place.says("status", "--take", str(tmp_path / "other"), code=2)
    assert "The records are of different tournaments." in told
    told = place.says("status", "--take", str(tmp_path / "nothing"), code=2)
    assert "is no file" in told


def test_a_tournament_with_referees_of_its_own_is_not_ruled_by_its_organiser(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    key = Championship(2).entry(5).players[0].key.to_bytes().hex()
    assert main(["tournament", "new", str(place.folder), "--name", "C", "--referee", key]) == 0
    assert "only referee" not in capsys.readouterr().out
    assert [each.to_bytes().hex() for each in charter_in(place).referees] == [key]


def charter_in(place: Place) -> TournamentCharter:
    return TournamentFolder(place.folder).record.charter


def test_a_round_robin_is_made_with_one_race(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--name", "Club", "--round-robin", "3", "--unit", "hands")
    assert main(["tournament", "new", str(place.folder), *words]) == 0
    assert charter_in(place).system == RoundRobin(race=3, unit=Unit.HANDS)
    long = "n" * 80
    assert main(["tournament", "new", str(place.folder) + "2", "--name", long]) == 2
    assert "No such tournament" in capsys.readouterr().err


def test_a_player_stays_with_the_draw_that_its_captain_drew_and_both_are_shown(
    place: Place,
) -> None:
    cup = Championship(2, new_charter(brokers=(), dates=""))
    cup.drawn()
    cup.play(1)
    cup.mine = (player_key(0, 0).public,)
    cup.record = cup.record.with_pieces(*invented(cup).record.raws)
    place.of_player(0, 1)
    place.keeps(cup.record)
    told = place.says("status", code=1)
    assert "--- Draw 1, in which you took part ---" in told
    assert told.index(" 2–0 ") < told.index("--- Draw 2 ---")
    assert "list.twice" in place.says("audit", code=1)
    found = json.loads(place.says("status", "--json", code=1))
    assert found["champion"] == cup.match(1).teams[0]
    assert [each["champion"] for each in found["forks"]] == [None]


def test_who_took_part_in_neither_of_two_draws_signs_in_none(place: Place) -> None:
    cup = Championship(2, new_charter(brokers=(), dates=""))
    cup.drawn()
    cup.record = cup.record.with_pieces(*invented(cup).record.raws)
    IdentityStore(place.home).key(lambda _: REFEREE)
    place.keeps(cup.record)
    told = place.says("withdraw", code=2)
    assert "signed two lists or two draws" in told
    assert "Nothing is signed" in told


def test_a_captain_withdraws_its_team_and_the_organiser_ends_the_tournament(place: Place) -> None:
    folder = place.made("drawn")
    folder.keep_organiser(ORGANISER)
    assert "not every match is decided" in place.says("status", "--end", code=2)
    assert "a team is withdrawn by its captain" in place.says("withdraw", code=2)
    (place.home / "identity").unlink()
    place.of_player(0, 0)
    assert "Your team has withdrawn." in place.says("withdraw")
    told = place.says("status", "--end")
    assert "team 1 comes through (withdrawn)" in told
    assert "The organiser has ended it" in told
    assert "no match of the team is left" in place.says("withdraw", code=2)


def test_a_referee_is_asked_before_a_ruling_that_changes_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = Championship(2, new_charter(brokers=(), dates="")).drawn()
    cup.play(1)
    IdentityStore(place.home).key(lambda _: REFEREE)
    folder = place.keeps(cup.record)
    words = ("rule", "1", "walk-over", "--against", cup.match(1).teams[0])
    monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    told = place.says(*words, code=ExitCode.INTERRUPTED)
    assert "nothing follows from it" in told
    assert "It changes nothing. Do you sign it all the same?" in told
    assert folder.record == cup.record
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    told = " ".join(place.says(*words).split())
    stands = match_text(cup.match(1))
    assert f"In the record, and nothing follows from it so far: {stands}." in told


def test_a_referee_rules_in_the_record_while_the_broker_is_away_but_not_on_a_hand(
    place: Place,
) -> None:
    where = (f"mqtt://127.0.0.1:{free_port()}",)
    cup = Championship(2, new_charter(brokers=where, dates="")).drawn()
    IdentityStore(place.home).key(lambda _: REFEREE)
    place.keeps(cup.record)
    assert "p2p304: Nothing listens at " in place.says("rule", "1", "redeal", code=2)
    told = place.says("rule", "1", "walk-over", "--against", cup.match(1).teams[0])
    assert f"{cup.match(1).teams[1]} comes through (walk-over)." in told


def test_contrary_results_are_told_with_who_signed_them(place: Place) -> None:
    cup = Championship(2, new_charter(brokers=(), dates="")).drawn()
    cup.add(*cup.result(cup.match(1), (2, 0)), *cup.result(cup.match(1), (0, 2), hand=4))
    place.keeps(cup.record)
    told = place.says("status", code=1)
    assert "Match 1 is disputed" in told
    assert "0–2, signed by player 0 0 of team 0 and player 1 0 of team 1" in told
    assert "result.twice" in place.says("audit", code=1)


def test_the_standing_is_a_table_and_open_matches_are_to_be_pinned_up(place: Place) -> None:
    place.made("drawn")
    rows = place.says("status", "--csv").splitlines()
    assert rows[0] == "place,team,status,decided,won,gained,lost"
    assert sorted(rows[1:]) == [f',"team {number}",in,0,0,0,0' for number in (0, 1)]
    told = place.says("status", "--pairings")
    assert "Round 1, match 1, to 2" in told
    assert " _____ : _____ team " in told


@pytest.mark.parametrize("words", [("--races", "3", "2"), ("--races", "3 2"), ("--races=3 2",)])
def test_races_are_one_word_or_several_and_given_once(
    place: Place, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    made = ("tournament", "new", str(place.folder), "--name", "Cup", *words, "--third", "none")
    assert main([*made]) == 0
    assert charter_in(place).system == Elimination(races=(3, 2), third=None)
    assert main([*made, "--races", "4"]) == 2
    assert "Give --races once" in capsys.readouterr().err


def test_a_tournament_is_made_by_a_file_and_what_is_said_goes_before_it(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(
        'name = "Cup"\nraces = [5, 4]\nthird = "none"\nbrokers = ["mqtt://a.example"]\n'
    )
    made = ("tournament", "new", str(place.folder), "--file", str(file), "--name", "Other cup")
    assert main([*made]) == 0
    charter = charter_in(place)
    assert (charter.name, charter.brokers) == ("Other cup", ("mqtt://a.example",))
    assert charter.system == Elimination(races=(5, 4), third=None)
    assert charter.rulers == (charter.organiser,)
    file.write_text('nam = "Cup"\n')
    assert main([*made]) == 2
    assert "there is no 'nam'; known: brokers, dates" in capsys.readouterr().err
    assert main(["tournament", "new", str(tmp_path / "asked")]) == 2
    assert "Give the tournament a name" in capsys.readouterr().err


def test_a_team_whose_captain_did_not_draw_is_told_to_be_out(place: Place) -> None:
    cup = Championship(3, new_charter(brokers=()))
    cup.entered()
    cup.listed()
    cup.draw(absent=(1,))
    cup.restarted("team 1")
    cup.draw(absent=(1,))
    place.keeps(cup.record)
    for command in ("draw", "status"):
        said = place.says(command)
        assert "Out, for its captain did not draw: team 1\n" in said
        assert ("All have drawn" in said) is (command == "draw")


def test_an_audit_without_the_transcripts_names_what_is_missing(
    place: Place,
) -> None:
    cup = Championship(3, new_charter(Elimination((1,), None, Unit.HANDS), brokers=())).drawn()
    cup.play(1)
    cup.play(2)
    place.keeps(cup.record)
    told = place.says("audit", code=1)
    assert "invalid: match 1: no transcript of its table is there (result.missing)" in told
    assert "Copy the folders match-001 and so on of anybody who played there" in told
    told = json.loads(place.says("audit", "--json", code=1))
    assert told["lacking"] == [1, 2]
    assert [each.split(":")[0] for each in told["wrong"]] == ["match 1", "match 2"]


def test_an_audit_before_any_result_judges_the_files_and_says_that_they_count_for_nothing(
    place: Place,
) -> None:
    cup = Championship(3, new_charter(brokers=())).drawn()
    cup.add(*cup.result(cup.match(1), (1, 0), by=(0,)))
    file = place.keeps(cup.record).path / "match-001" / "match-1.p304"
    file.parent.mkdir()
    transcript = (SAVED / "ruled.p304").read_bytes()
    file.write_bytes(transcript)
    told = place.says("audit")
    assert "in 1 file judged; results borne out: none" in told
    assert "0 hands" not in told
    so_far = "valid so far: no result that counts has been signed yet"
    assert f"{so_far}; files judged that count for nothing so far: 1" in told
    file.write_bytes(transcript[:-7])
    assert "invalid: " in place.says("audit", code=1)


# --- the files of a match -------------------------------------------------------------------------


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
    assert not leaves(judged, fork.judged, match, begun=False)

    cup.add(call_reserve(cup.judged, player_key(0, 0), "player 0 1"))
    assert not leaves(judged, cup.judged, match, begun=False)
    cup.add(*answer_calls(cup.judged, player_key(0, RESERVE)))
    assert leaves(judged, cup.judged, match, begun=False)
    assert not leaves(judged, cup.judged, match, begun=True)
    cup.ruled(1, RulingKind.WALK_OVER, match.teams[0])
    assert leaves(judged, cup.judged, match, begun=True)


def test_what_is_no_transcript_ends_no_race_and_gives_no_result(
    tmp_path: Path, cup: Championship, folder: TournamentFolder
) -> None:
    match = cup.match(1)
    table = tmp_path / "table"
    table.mkdir()
    for name in ("hand.p304", f"hand{OPEN_HAND}"):
        (table / name).write_bytes(JUNK)
    won = race_options(SeatOptions(), cup.judged, match, table).goal.race
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
    cup.add(*answer_calls(cup.judged, player_key(0, RESERVE)))
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
