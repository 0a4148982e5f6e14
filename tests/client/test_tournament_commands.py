"""A tournament from the command line: made, entered, drawn, shown, audited, from files alone."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest

from cli.errors import ExitCode, UserError
from cli.local.sitting import transport_for
from cli.main import main
from cli.net.credentials import Credentials, CredentialsError
from cli.sanitize import cells_of
from cli.store.identity import IdentityStore
from cli.tournament.folder import TournamentFolder, read_record
from cli.tournament.match_seat import match_of_number, table_of
from cli.tournament.telling import bracket_lines, match_text, status_lines
from p2p304.tournament.tournament import Elimination
from protocol.bounds import MOST_ENTRIES
from protocol.tournament.acts import new_record
from protocol.tournament.pieces import EntryList, sign_piece
from protocol.tournament.record import TournamentRecord
from tests.table.championship import Championship, new_charter, stranger_entries


@dataclass
class Person:
    """Somebody with a home and a folder of the tournament."""

    home: Path
    folder: Path
    environment: pytest.MonkeyPatch
    output: pytest.CaptureFixture[str]

    def says(self, *words: str, code: int = 0) -> str:
        """Run a command of `p2p304 tournament` as this person; return all that it said."""
        self.environment.setenv("P2P304_HOME", str(self.home))
        command, *rest = words
        assert main(["tournament", command, str(self.folder), *rest]) == code
        said = self.output.readouterr()
        return said.out + said.err

    @property
    def key(self) -> str:
        self.environment.setenv("P2P304_HOME", str(self.home))
        assert main(["identity", "--json"]) == 0
        return str(json.loads(self.output.readouterr().out)["key"])

    @property
    def record(self) -> str:
        return str(self.folder / "tournament.p304t")


@pytest.fixture
def people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, Person]:
    """Seven people: an organiser, who is the referee too, two teams, a reserve and a guest."""
    names = ("olga", "ana", "ben", "chandra", "devi", "dora", "rita")
    for name in names:
        (tmp_path / name).mkdir()
    return {
        name: Person(tmp_path / name, tmp_path / name / "cup", monkeypatch, capsys)
        for name in names
    }


def drawn(people: dict[str, Person], reserve: str = "") -> None:
    """Two teams enter and draw, the first with a reserve if one is named; files go from one to the
    other by hand."""
    olga = people["olga"]
    told = olga.says("new", "--name", "Cup of the Lions", "--dates", "Friday at eight")
    assert "The organiser says which entries take part" in told
    assert "No referee is named: the organiser rules." in told
    invited = ("--invitation", str(olga.folder / "invitation"))
    for captain, mate, team in (("ana", "ben", "Lions"), ("chandra", "devi", "Bears")):
        named = ["--with", f"{people[mate].key}={mate}"]
        signers = [captain, mate]
        if reserve and captain == "ana":
            named += ["--reserve", f"{people[reserve].key}={reserve}"]
            signers.insert(1, reserve)
        told = people[captain].says("enter", *invited, "--team", team, "--name", captain, *named)
        assert f"waits for the signature of {mate}" in told
        for before, each in pairwise(signers):
            told = people[each].says(
                "enter", *invited, "--team", team, "--take", people[before].record
            )
        assert f"{team} has entered" in told
    records = [people[each].record for each in ("ben", "devi")]
    takes = [word for each in records for word in ("--take", each)]
    assert "waits for" in olga.says("draw", "--list", *takes)
    for turn in ("ana", "chandra", "olga", "ana", "chandra", "olga"):
        others = [people[each].record for each in ("olga", "ana", "chandra") if each != turn]
        takes = [word for each in others for word in ("--take", each)]
        told = people[turn].says("draw", *takes)
    assert "All have drawn" in told


def test_a_reserve_signs_the_entry_and_sits_in_once_captain_and_reserve_have_signed(
    people: dict[str, Person],
) -> None:
    olga, ana, ben, dora = people["olga"], people["ana"], people["ben"], people["dora"]
    drawn(people, reserve="dora")
    match = match_of_number(TournamentFolder(olga.folder).judged_record, 1)
    assert "No captain calls you" in dora.says("reserve", "--take", ana.record, code=2)
    assert "Nothing is signed: " in ben.says(
        "reserve", "--for", "ben", "--take", ana.record, code=2
    )
    takes = ("--take", olga.record)
    assert "no such player" in ana.says("reserve", "--for", "chandra", *takes, code=2)
    assert "once the reserve has signed" in ana.says("reserve", "--for", "ben")
    assert "sits in for" not in ana.says("status")
    assert "You sit in" in dora.says("reserve", "--take", ana.record)
    told = ana.says("status", "--take", dora.record)
    assert "Lions: dora sits in for ben from match 1 on" in told
    judged = TournamentFolder(ana.folder).judged_record
    names = {each.nickname for each in table_of(judged, match).seats}
    assert names == {"ana", "dora", "chandra", "devi"}
    assert judged.team_of(IdentityStore(dora.home).key(bytes).public) == "Lions"


def test_a_team_enters_by_the_word_of_its_invitation(
    people: dict[str, Person],
) -> None:
    olga, ana, ben = people["olga"], people["ana"], people["ben"]
    told = olga.says("new", "--name", "Cup", "--words", "3")
    assert str(olga.folder / "invitations" / "1") in told
    (olga.folder / "invitations" / "3").unlink()  # it was moved to whom it is for
    words = TournamentFolder(olga.folder).words
    invited = ("--invitation", str(olga.folder / "invitations" / "2"), "--team", "Lions")
    ana.says("enter", *invited, "--name", "ana", "--with", f"{ben.key}=ben")
    plain = ("--invitation", str(olga.folder / "invitation"), "--team", "Lions")
    assert "This invitation has no word" in ben.says("enter", *plain, "--with", "k=n", code=2)
    assert "Lions has entered" in ben.says("enter", *plain, "--take", ana.record)
    assert TournamentFolder(ana.folder).invitation.word == words[1]
    told = olga.says("status", "--take", ben.record)
    assert re.search(r"1\. Lions: ana \(\w{8}\), ben \(\w{8}\)\n", told)


def test_two_teams_enter_and_draw_and_everybody_computes_one_text(
    people: dict[str, Person],
) -> None:
    drawn(people)
    texts = {
        json.loads(people[each].says("status", "--json", "--take", people["olga"].record))["text"]
        for each in ("olga", "ana", "chandra")
    }
    (text,) = texts
    assert text.startswith("tournament 304 4\nelimination tokens races 10 7 third 7\n")
    assert "\ndraw " in text
    told = people["olga"].says("audit")
    assert "valid so far: no result that counts has been signed yet\n" in told


@pytest.mark.parametrize("command", ["draw", "play", "status", "audit"])
def test_a_folder_of_no_tournament_is_told_as_it_is(
    people: dict[str, Person], command: str
) -> None:
    olga = people["olga"]
    told = olga.says(command, code=2)
    assert "is no folder of a tournament: 'p2p304 tournament new' makes one" in told
    assert not olga.folder.exists()


def test_a_captain_corrects_its_entry_which_its_partner_then_signs_alone(
    people: dict[str, Person],
) -> None:
    olga, ana, ben = people["olga"], people["ana"], people["ben"]
    olga.says("new", "--name", "Cup")
    invited = ("--invitation", str(olga.folder / "invitation"), "--team", "Lions")
    named = (*invited, "--with", f"{ben.key}=Ben")
    ana.says("enter", *named, "--name", "Anna")
    told = ana.says("enter", *named, "--name", "Ana")
    assert "This corrects your entry" in told
    assert "What a player of each of the two teams signs decides their match" in told
    for _ in ("once", "the same again"):
        assert "Lions has entered" in ben.says("enter", *invited, "--take", ana.record)
    told = olga.says("draw", "--list", "--take", ben.record, code=2)
    assert "2 to 32 teams may enter, not 1." in told


def test_a_team_that_never_comes_loses_in_the_record_as_the_referee_rules_once(
    people: dict[str, Person],
) -> None:
    drawn(people)
    olga = people["olga"]
    assert "none of this tournament's referees" in people["ana"].says(
        "rule", "1", "walk-over", "--against", "Bears", code=2
    )
    assert "The teams of this match are" in olga.says(
        "rule", "1", "walk-over", "--against", "Tigers", code=2
    )
    for _ in ("once", "the same again"):
        told = olga.says("rule", "1", "walk-over", "--against", "Bears")
        assert "Lions comes through (walk-over)." in told
    assert "would convict you" in olga.says("rule", "1", "walk-over", "--against", "Lions", code=2)
    told = people["ana"].says("status", "--take", olga.record)
    assert "The champion: Lions." in told
    assert "the champion is Lions" in people["ana"].says("audit")


def test_a_team_that_is_disqualified_or_withdraws_loses_what_it_has_not_played(
    people: dict[str, Person],
) -> None:
    drawn(people)
    olga = people["olga"]
    assert "Name the team that loses" in olga.says("rule", "1", "withdrawn", code=2)
    told = olga.says("rule", "1", "disqualified", "--against", "Lions")
    assert "Bears comes through (disqualified)." in told
    told = olga.says("rule", "1", "withdrawn", "--against", "Bears")
    assert "nobody comes through" in told
    assert "Match 1 is decided" in olga.says("rule", "1", "redeal", code=2)
    assert "no such match" in olga.says("rule", "2", "redeal", code=2)


def test_a_match_is_watched_by_the_folder_of_its_tournament(people: dict[str, Person]) -> None:
    drawn(people)
    ana = people["ana"]
    takes = ("--take", people["olga"].record)
    ana.says("status", "--offline", *takes)
    assert main(["watch", "--match", "1", "--referee", str(ana.folder)]) == ExitCode.UNUSABLE
    assert "Your key is none of this table's referees" in ana.output.readouterr().err
    for words, why in (
        (("--match", "2", str(ana.folder)), "There is no such match"),
        (("--match", "1"), "Name the tournament's folder"),
        (("--match", "1", str(ana.home)), "is no folder of a tournament"),
        (("--match", "1", str(ana.folder)), "names no broker"),
        (("--match", "1", "--referee", str(people["olga"].folder)), "names no broker"),
    ):
        assert main(["watch", *words]) == ExitCode.UNUSABLE
        assert why in ana.output.readouterr().err


def test_who_does_not_play_follows_a_tournament_by_its_invitation(
    people: dict[str, Person],
) -> None:
    drawn(people)
    referee = people["rita"]
    invited = ("--invitation", str(people["olga"].folder / "invitation"))
    told = referee.says("status", *invited, "--take", people["olga"].record, "--offline")
    assert "1. (final) " in told
    assert "1. (final) " in referee.says("status", "--offline")


def test_an_audit_names_a_file_that_contradicts_this_one(people: dict[str, Person]) -> None:
    drawn(people)
    olga = people["olga"]
    record = TournamentRecord.from_bytes(Path(olga.record).read_bytes())
    (known,) = record.lists.values()
    key = TournamentFolder(olga.folder).organiser
    other = EntryList(known.tournament, known.entries[::-1])
    forked = record.with_pieces(sign_piece(other, key, charter=record.charter))
    file = olga.home / "forked.p304t"
    file.write_bytes(forked.to_bytes())

    told = people["ana"].says("audit", "--take", str(file), "--take", olga.record, code=1)
    assert "invalid: the organiser: the organiser signed two lists of entries" in told
    assert "invalid: the organiser: the organiser signed two lists" in told


def test_a_captain_who_is_absent_is_left_out_by_the_referee_alone(
    people: dict[str, Person],
) -> None:
    drawn(people)
    told = people["ana"].says("draw", "--absent", "Bears", "--take", people["olga"].record, code=2)
    assert "The draw is not made again: there is no draw to restart." in told


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"p2p304 transcript 1\n", id="a transcript"),
        pytest.param(bytes(range(256)) * 40, id="noise"),
        pytest.param(b"\x93\xb1p2p304 tournament\x04\x91\xc4\x01\x1b", id="a piece of nothing"),
    ],
)
def test_a_record_that_is_none_is_refused_in_one_sentence(
    people: dict[str, Person], tmp_path: Path, data: bytes
) -> None:
    file = tmp_path / "hostile.p304t"
    file.write_bytes(data)
    people["olga"].says("new", "--name", "Cup")
    told = people["olga"].says("status", "--take", str(file), code=2)
    assert told.count("\n") == 1
    assert "is no record of a tournament" in told


def test_a_folder_whose_record_is_broken_is_mended_by_anybodys_copy(
    people: dict[str, Person],
) -> None:
    drawn(people)
    ana = people["ana"]
    whole = Path(ana.record).read_bytes()
    Path(ana.record).write_bytes(whole[:900])
    told = ana.says("status", code=2)
    assert "is no record of a tournament" in told
    assert "Put the copy of anybody who takes part in its place." in told
    Path(ana.record).write_bytes(Path(people["olga"].record).read_bytes())
    assert "to 10: can be played" in ana.says("status")


def test_a_record_is_read_again_when_its_file_has_changed_and_only_then(tmp_path: Path) -> None:
    cup = Championship(2).drawn()
    mine = TournamentFolder.make(tmp_path / "cup", cup.record, bytes(32))
    another_process = TournamentFolder(mine.path)
    before = mine.record
    assert mine.record is before
    cup.play(1)
    another_process.unite(cup.record)
    assert mine.record == cup.record != before
    (mine.path / "tournament.p304t").write_bytes(b"broken")
    with pytest.raises(UserError, match="no record of a tournament"):
        _ = mine.record


def test_the_help_names_the_rules_that_a_tournament_is_played_by_unless_others_are_named(
    people: dict[str, Person],
) -> None:
    olga = people["olga"]
    told = " ".join(olga.says("new", "--help").split())
    assert "[default: championship; pagat in a round robin]" in told
    olga.says("new", "--name", "Cup")
    profiles = TournamentFolder(olga.folder).record.charter.profiles
    assert profiles
    assert all(each.startswith("championship") for each in profiles)


def test_a_bracket_fits_sixty_columns_and_names_every_match_that_is_open() -> None:
    cup = Championship(20).drawn()
    cup.play(1)
    tournament = cup.judged.tournament
    lines = [*bracket_lines(tournament, width=60)]
    told = "\n".join(lines)
    for match in tournament.pending_matches:
        assert (f"({match.number})" in told) is (match.number != 19)  # the one for third place
    for entry in tournament.entries:
        assert entry.team in told
    assert all(cells_of(line) <= 60 for line in lines)
    shown = [*status_lines(cup.judged, width=60)]
    at = shown.index("Bracket") + 1
    assert shown[at : at + len(lines)] == lines


def test_the_rounds_of_a_bracket_are_columns_whatever_room_the_names_take() -> None:
    tournament = Championship(20).drawn().judged.tournament
    for width in range(60, 90):
        column = width // (tournament.rounds + 1)
        for line in bracket_lines(tournament, width=width):
            assert (len(line) - len(line.lstrip())) % column == 0, line


@pytest.mark.parametrize("width", [60, 80])
def test_what_draw_and_status_say_breaks_between_words_at_any_width(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cup = Championship(8, new_charter(Elimination((10, 7, 5), 7), brokers=()))
    cup.entered()
    cup.listed()
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", str(width))
    TournamentFolder.make(tmp_path / "waits", cup.record, bytes(range(32)))
    cup.draw()
    while ready := [each for each in cup.judged.tournament.pending_matches if each.ready]:  # type: ignore[union-attr]  # drawn
        cup.play(ready[0].number)
    TournamentFolder.make(tmp_path / "over", cup.record, bytes(range(32)))
    monkeypatch.chdir(tmp_path)

    def told(*words: str) -> str:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        main(["tournament", *words])
        return capsys.readouterr().out

    waits = told("draw", "waits", "--offline")
    assert " ".join(waits.split()).startswith("The draw waits for team 0, team 1, team 2, ")
    for text in (waits, told("status", "waits", "--offline"), told("status", "over", "--offline")):
        assert text.count("\n") > 1
        assert [line for line in text.splitlines() if cells_of(line) > width] == []


def test_the_status_of_a_tournament_tells_its_matches_and_its_standing() -> None:
    cup = Championship(5).drawn()
    cup.play(1)
    tournament = cup.judged.tournament
    told = "\n".join(status_lines(cup.judged, width=96))
    for match in tournament.matches:
        assert match_text(match) in told
    for row in tournament.standing:
        assert f"{row.won} of {row.decided}" in told


def test_a_password_goes_to_no_broker_that_its_owner_has_not_named(tmp_path: Path) -> None:
    cup = Championship(2, new_charter(brokers=("mqtts://broker.example.org",)))
    folder = TournamentFolder.make(tmp_path / "cup", cup.record, bytes(range(32)))
    mine = Credentials(user="amara", hosts=("other.example.org",))
    with pytest.raises(CredentialsError, match=re.escape("broker.example.org")):
        transport_for(folder.invite(), mine)
    transport_for(folder.invite(), mine.with_hosts(folder.nodes))


def test_a_file_without_hosts_goes_to_no_broker_of_an_organiser_unasked(
    people: dict[str, Person], tmp_path: Path
) -> None:
    olga, file = people["olga"], tmp_path / "broker.txt"
    file.write_text("user = amara\npassword = deal304\n")
    file.chmod(0o600)
    olga.says("new", "--name", "Cup", "--dates", "now", "--broker", "mqtts://broker.example.org")
    for command in (("play",), ("rule", "1", "no-action"), ("status",)):
        told = olga.says(*command, "--credentials", str(file), code=2)
        assert "'hosts = broker.example.org'" in told, command


def test_records_that_hold_too_much_together_are_told_in_one_sentence(
    people: dict[str, Person], tmp_path: Path
) -> None:
    olga = people["olga"]
    olga.says("new", "--name", "Cup of the Lions")
    cup = Championship(2)
    cup.record = read_record(Path(olga.record))
    cup.charter = cup.record.charter
    flood = stranger_entries(cup, MOST_ENTRIES + 100)
    for name, half in (("one", flood[:600]), ("two", flood[600:])):
        (tmp_path / name).write_bytes(cup.record.with_pieces(*half).to_bytes())

    taking = ("--offline", "--take", str(tmp_path / "one"), "--take", str(tmp_path / "two"))
    told = olga.says("status", *taking, code=2)

    assert "hold too much together" in told
    assert told.count("\n") == 1


def test_two_charters_of_one_tournament_convict_the_organiser_by_both_files(
    people: dict[str, Person], tmp_path: Path
) -> None:
    drawn(people)
    organiser = TournamentFolder(people["olga"].folder).organiser
    mine = read_record(Path(people["ana"].record))
    longer = replace(mine.charter, system=Elimination(races=(9, 7)))
    (tmp_path / "other").write_bytes(new_record(longer, organiser).to_bytes())

    told = people["ana"].says("audit", "--take", str(tmp_path / "other"), code=2)

    assert "signed two charters of one tournament: both files convict it" in told
    assert read_record(Path(people["ana"].record)) == mine
