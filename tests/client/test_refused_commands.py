"""What a command cannot do it says in one sentence, with the documented exit code, and does not."""

from __future__ import annotations

import gzip
import shlex
from pathlib import Path

import pytest

from cli.errors import ExitCode
from cli.local.sitting import new_table
from cli.main import main
from cli.net.address import BrokerAddress
from cli.store.journal import Journal
from cli.store.paths import make_table_directory
from protocol.cards.secrets import expand
from tests.vectors.hands import SAVED_HANDS

HAND = "passed-out"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to work in, with saved hands, and a home where nothing was ever kept."""
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{HAND}.p304").write_bytes(SAVED_HANDS[HAND].kept())
    (tmp_path / "junk.p304").write_bytes(b"no transcript of anything")
    cut = SAVED_HANDS[HAND].kept()
    (tmp_path / "cut.p304").write_bytes(cut[: len(cut) // 2])
    (tmp_path / "cut.p304.gz").write_bytes(gzip.compress(cut)[:-1])
    (tmp_path / "there.txt").write_text("mine\n")
    (tmp_path / "open.txt").touch(mode=0o644)
    (tmp_path / "folder").mkdir()
    (tmp_path / "deal.txt").write_text("41 \ndealer S\nE cut 7\nresult unfinished\n")
    (tmp_path / "wrong.txt").write_text("41 \ndealer S\nE cut 99\nresult unfinished\n")
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit code of the command, and the one line that it says."""
    code = main(arguments)
    out, err = capsys.readouterr()
    said = err.strip()
    assert out == ""
    assert said.startswith("p2p304: "), said
    assert "\n" not in said
    return code, said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("audit", "Name a transcript"),
        ("audit hand.p304 --evidence x.p304e", "either transcripts or --evidence"),
        ("audit --evidence x.p304e --explain", "no other option than --json"),
        ("audit --evidence junk.p304", "junk.p304"),
        ("audit passed-out.p304 --text --json", "--text prints the hands alone"),
        ("audit passed-out.p304 --text --explain", "--text prints the hands alone"),
        ("audit - -", "give - once"),
        ("audit passed-out.p304 --save-evidence there.txt", "is there already"),
        ("page", "Name a transcript"),
        ("page --empty passed-out.p304", "name no files"),
        ("replay deal.txt --text", "is a hand as text already"),
        ("replay deal.txt --export x.txt", "is a hand as text already"),
        ("replay junk.p304", "cannot be replayed"),
        ("replay passed-out.p304 --export x.svg --step 9999", "there is no step 9999"),
        ("replay passed-out.p304 --export x.doc", ".doc is none"),
        ("replay passed-out.p304 --export x.gif", ".gif is none"),
        ("replay passed-out.p304 --export x", "it has none"),
        ("replay passed-out.p304 --export there.txt", "there.txt"),
        ("review junk.p304", "cannot be reviewed"),
        ("review passed-out.p304 --hand 9", "holds 1 hand"),
        ("review passed-out.p304 --seat Nobody", "There is no one seat 'Nobody'"),
        ("rules 41 pagat", "no profiles to compare"),
        ("rules pagat 41", "no profiles to compare"),
        ("rules nonsense", "no profile 'nonsense'"),
        ("demo --credentials there.txt", "name it with --broker"),
        ("demo --broker mqtt://127.0.0.1 --credentials open.txt", "Other people may read open.txt"),
        ("audit --evidence folder", "folder is not a regular file"),
        ("host --profile pagt", "there is no profile 'pagt'"),
        ("host --house half_cort", "there is no house rule 'half_cort'"),
        ("host --game 41 --profile pagat", "41 has house rules only, no profiles"),
        ("host --broker http://127.0.0.1", "begins with mqtts://, mqtt://, wss:// or ws://"),
        ("resume", "There is no unfinished table"),
        ("host --broker mqtt://127.0.0.1 --lan any", "either --broker, or --lan"),
        ("host --lan --broker mqtts://broker.example.org", "either --broker, or --lan"),
        ("host --lan --bots 3 --broker mqtt://127.0.0.1", "either --broker, or --lan"),
        ("host --public --port 5", "Give --public alone"),
        ("host --bots 9", "can take 3 seats at this table, not 9"),
        ("stats --player Nobody passed-out.p304", "Nobody here is called Nobody"),
        ("tables --forget 12345678", "No table on this machine begins"),
        ("identity --forget Nobody", "Nobody you know is called"),
        ("watch --page-address 127.0.0.1", "give both"),
        ("watch --page --page-address 0.0.0.0", "name one of this machine"),
        ("nonsense", "'p2p304 --help' lists the commands"),
        ("hepl", "there is no command 'hepl'; did you mean 'help'? 'p2p304 --help' lists"),
        ("rulse", "did you mean 'rules'? 'p2p304 --help' lists the commands"),
        ("play --hnads 3", "did you mean '--hands'? 'p2p304 play --help' lists"),
        ("play --set 'tokensstart = 3'", "can be set; did you mean tokens_start or "),
        ("zzzz", "there is no command 'zzzz'; 'p2p304 --help' lists the commands"),
        (
            "rules pagt",
            "p2p304: there is no profile 'pagt'; did you mean 'pagat'? there are pagat, card304,",
        ),
        ("rules pagat --house half_cort", "'half_cort'; did you mean 'half_court'?"),
        ("play --profile six42", "no profile 'six42'; did you mean 'six24'? there are "),
        ("rules championship --house half_court", "which forbids it"),
        ("rules pagat wikipedia card304", "unexpected extra argument"),
        ("rules --nonsense", "there is no option '--nonsense'; 'p2p304 rules --help' lists"),
        ("help zzzz", "there is no command 'zzzz'; 'p2p304 --help' lists the commands"),
        ("rules pagat 400", "400 has no profiles to compare: 'p2p304 rules 400' tells it."),
        ("conformance summary nowhere.json", "'conformance summary' has gone: each report tells"),
        ("host --bots 7", "p2p304: Bots can take 3 seats at this table, not 7."),
        ("host --bots -1", "-1 is less than 0; 'p2p304 host --help' lists the options"),
        ("host --bots", "requires an argument; 'p2p304"),
        ("bot --think nan", "'nan' is not a number"),
        ("conformance seat nothing --deadline inf", "'inf' is not a number"),
        ("replay cut.p304.gz", "cut.p304.gz: its compressed data is cut short"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    place: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    before = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    code, told = refused(capsys, *shlex.split(arguments))
    assert code == 2
    assert said in told
    after = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    assert after == before, "nothing was written"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("replay cut.p304", "is not valid (transcript.incomplete)"),
        ("review wrong.txt", "is no hand by the rules"),
        ("audit cut.p304", ""),
    ],
)
def test_what_was_examined_and_is_wrong_ends_with_1(
    place: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    assert main(arguments.split()) == 1
    told = capsys.readouterr()
    assert said in told.err + told.out


@pytest.fixture
def cup(place: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of a tournament that nobody has entered, at its organiser's."""
    assert main(["tournament", "new", "cup", "--name", "Cup", "--dates", "Friday"]) == 0
    capsys.readouterr()
    return place


NEW = "tournament new other --name Cup --dates Friday"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("tournament new cup --name Cup --dates Friday", "is not empty"),
        (f"{NEW} --round-robin 10 --races 7", "A round robin has one race"),
        (f"{NEW} --races many", "Races are numbers"),
        (f"{NEW} --third much", "Races are numbers"),
        (f"{NEW} --game 41", "invalid value for '--game': '41' is not '304'"),
        (f"{NEW} --profile maharashtra", "between two teams at a table"),
        (f"{NEW} --profile pagat --unit tokens", "Tokens are raced for"),
        (f"{NEW} --referee 12ab", "'12ab' is no key"),
        ("tournament status cup --text --page x.html", "One at a time: --text"),
        ("tournament draw cup --refuse Lions --offline", "add --list"),
        ("tournament draw cup --list --offline", "draw cup' running while they enter"),
        ("tournament enter cup --team Lions --with ab=Ben --offline", "is no player"),
        ("tournament enter cup --team Lions --offline", "No entry of a team Lions"),
    ],
)
def test_what_a_tournament_cannot_be_is_said_in_one_sentence(
    cup: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    record = (cup / "cup" / "tournament.p304t").read_bytes()
    code, told = refused(capsys, *arguments.split())
    assert code == 2
    assert said in told
    assert (cup / "cup" / "tournament.p304t").read_bytes() == record


def test_a_page_goes_to_a_file_or_to_the_output_and_tells_a_hand_that_was_not_played_to_its_end(
    place: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (place / "unfinished.p304").write_bytes(SAVED_HANDS["unfinished"].kept())
    assert main(["page", "unfinished.p304", "--output", "-"]) == 0
    page = capsysbinary.readouterr().out
    assert page.startswith(b"<!DOCTYPE html>")
    assert b"Ended unfinished, by agreement of South, East and North." in page
    assert main(["page", "unfinished.p304", "--output", "x.html"]) == 0
    assert (place / "x.html").read_bytes() == page


def test_the_seed_of_a_table_that_was_played_at_is_refused_whatever_the_game(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = expand((5).to_bytes(32, "big"), b"play")
    address = BrokerAddress.parse("mqtt://127.0.0.1:1883")
    table = new_table(address, "41", "", chance).invites[0].table
    Journal.create(make_table_directory(place / "home", table), table).close()
    code, said = refused(capsys, "play", "--plain", "--seed", "5", "--game", "41")
    assert code == ExitCode.UNUSABLE
    assert "take another seed" in said
    assert f"'p2p304 resume {table.hex()[:8]}'" in said
