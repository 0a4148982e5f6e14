"""The program: how it starts, how it ends, and that every error is one sentence."""

from __future__ import annotations

import gzip
import hashlib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import cli.main
from cli.commands.entering import entry_for
from cli.commands.options import complete_profile
from cli.commands.rules import command as rules
from cli.errors import CheckFailed, ExitCode, UserError, verdict_on
from cli.invite import InviteVersionError
from cli.local.sitting import new_table
from cli.main import main
from cli.net.address import BrokerAddress
from cli.store.journal import Journal
from cli.store.paths import make_table_directory
from p2p304.errors import NotationError, RulesError
from p2p304.rules304.agreement import PARAMETERS
from protocol.cards.secrets import expand
from protocol.errors import LocalError, MalformedMessage, ProofError
from tests.client.text_person import typing
from tests.forked import run_program
from tests.vectors.rehearsal import SAVED_HANDS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-P", "-m", "cli.main")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return run_program(*arguments, variables={**os.environ, **environment})


def started(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, with no input unless it is given."""
    given = {"stdin": subprocess.DEVNULL} if "input" not in more else {}
    settings = {"cwd": ROOT, "capture_output": True, "text": True, "timeout": 180}
    return subprocess.run(words, **{**settings, **given, **more})


def test_no_word_of_a_help_is_broken_at_its_hyphens(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--help"]) == 0
    told = capsys.readouterr().out
    assert "--page-address shows" in " ".join(told.split())
    assert not [line for line in told.splitlines() if line.endswith("-")]


def test_help_of_every_command_teaches_with_two_examples_in_80_cells() -> None:
    context = click.Context(cli.main.program)
    texts = [*every_command(click.Context(click.Group()), "p2p304", cli.main.program)]
    for name, home in cli.main.COMMANDS.items():
        command = cli.main.program.get_command(context, name)
        assert command.name == name
        if not isinstance(command, click.Group):
            text = command.get_help(click.Context(command, info_name=f"p2p304 {name}"))
            assert text.count(f"p2p304 {name}") >= 3, text
        assert home.summary[0].isupper()
        assert home.summary.endswith(".")
        assert f"{name} " in texts[0]
        assert home.summary in texts[0]
    lines = {line for text in texts for line in text.splitlines()}
    assert len(lines) > 300
    assert sorted(line for line in lines if len(line) > 80) == []


def every_command(context: click.Context, name: str, command: click.Command) -> Iterator[str]:
    """The help of a command and of all below it."""
    inner = click.Context(command, info_name=name, parent=context)
    yield command.get_help(inner)
    if isinstance(command, click.Group):
        for each in command.list_commands(inner):
            below = command.get_command(inner, each)
            yield from every_command(inner, each, below)


def test_starting_imports_neither_commands_nor_rules_nor_cryptography() -> None:
    code = "import sys, cli.main; print(*sys.modules)"
    done = subprocess.run(
        (sys.executable, "-c", code), cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "cli.errors" in loaded
    late = ("cli.commands", "p2p304.rules304", "coincurve", "cryptography", "asyncio")
    assert [name for name in loaded if name.startswith(late)] == []


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (UserError("the invite is too short"), ExitCode.UNUSABLE, "the invite is too short"),
        (CheckFailed("shuffle 3 is no shuffle"), ExitCode.CHECK_FAILED, "shuffle 3 is no shuffle"),
        (RulesError("9.3", "no trump may be led"), 2, "no trump may be led (rule 9.3)"),
        (NotationError("1X is no card", 4), 2, "1X is no card (at character 5)"),
        (MalformedMessage("point.prefix", "04"), 2, "point.prefix: 04"),
        (ProofError("shuffle.equation"), ExitCode.CHECK_FAILED, "shuffle.equation"),
        (LocalError("the session is over"), 2, "the session is over"),
        (FileNotFoundError(2, "No such file", "a.hand"), 2, "There is no file a.hand."),
        (TimeoutError(), 2, "TimeoutError"),
    ],
)
def test_every_foreseen_error_is_one_sentence_and_a_code(
    error: Exception, code: int, sentence: str
) -> None:
    assert verdict_on(error) == (sentence, code)


def test_an_unforeseen_error_is_no_verdict() -> None:
    assert verdict_on(KeyError("slot")) is None


UNSEEN = "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (RulesError("5.2", "that bid is too low"), 2, "p2p304: that bid is too low (rule 5.2)\n"),
        (
            FileNotFoundError(2, "No such file", "a\x1b[2J\u202e.hand"),
            ExitCode.UNUSABLE,
            f"p2p304: There is no file a{UNSEEN}[2J{UNSEEN}.hand.\n",
        ),
        (click.exceptions.Exit(1), ExitCode.CHECK_FAILED, ""),
        (KeyError("slot 9"), ExitCode.DEFECT, "please report the lines above\n"),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED, "\np2p304: interrupted\n"),
        (EOFError(), 2, "p2p304: the input ended before the question was answered\n"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_command_ends_with_its_sentence_and_code(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(rules, "callback", fail)
    assert main(["rules"]) == code
    told = capsys.readouterr().err
    if isinstance(error, KeyError):
        assert "KeyError: 'slot 9'" in told
        assert told.endswith(said)
    else:
        assert told.lstrip("\n") == said.lstrip("\n")


FLOOD = """
import sys
from cli.commands.rules import command
from cli.main import main
command.callback = lambda **_: [print("x" * 1000) for _ in iter(int, 1)]
sys.exit(main(["rules"]))
"""


def test_a_reader_who_leaves_ends_the_program_quietly() -> None:
    flood = (sys.executable, "-c", FLOOD)
    for words in (flood, (*PROGRAM, "rules")):
        with subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            if words is flood:
                assert process.stdout.readline().startswith(b"xxx")
            process.stdout.close()  # before it has written anything, or amid it
            assert process.stderr.read() == b""
            assert process.wait(timeout=180) == ExitCode.OUTPUT_CLOSED == 128 + signal.SIGPIPE


def test_the_specification_that_comes_with_the_program_is_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main.main(["specs"]) == ExitCode.DONE
    place = Path(capsys.readouterr().out.strip())
    assert (place / "README.md").is_file()
    assert (place / "vectors").is_dir()


def test_the_shell_completes_commands_and_profiles() -> None:
    done = run(_P2P304_COMPLETE="bash_complete", COMP_WORDS="p2p304 ru", COMP_CWORD="1")
    assert "plain,rules" in done.stdout
    context = click.Context(cli.main.program)
    parameter = click.Argument(["profile"])
    found = complete_profile(context, parameter, "card")
    assert [item.value for item in found] == ["card304", "card304-alpha"]


def test_two_profiles_are_compared_in_what_differs_and_nothing_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    assert main(["rules", "pagat", "card304"]) == ExitCode.DONE
    said = capsys.readouterr().out
    names = {line.split()[0] for line in said.splitlines() if line.strip()}
    assert names >= {"reentry_rule", "partner_overbid4", "auction8_vs_four"}
    assert not names & {"bid_min", "pcc", "caps_model"}
    assert said.rstrip().endswith(f"3 of {len(PARAMETERS)} parameters differ.")
    assert main(["rules", "pagat", "pagat"]) == ExitCode.DONE
    same = f"pagat and pagat agree in all {len(PARAMETERS)} parameters.\n"
    assert capsys.readouterr().out == same


def test_closed_streams_are_told_in_a_sentence_and_an_invite_from_a_pipe_claims_nothing(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "P2P304_HOME": str(tmp_path / "home")}

    def closed(arguments: str, streams: str, **more: Any) -> subprocess.CompletedProcess[str]:
        command = f"exec {shlex.quote(sys.executable)} -P -m cli.main {arguments} {streams}"
        return started("sh", "-c", command, env=environment, start_new_session=True, **more)

    without_input = closed("join --name Banu", "<&-")
    assert without_input.returncode == ExitCode.UNUSABLE
    assert without_input.stderr == "p2p304: The input ended before the question was answered.\n"
    without_output = closed("tables", ">&-")
    assert without_output.returncode == ExitCode.OUTPUT_CLOSED
    assert without_output.stderr == "p2p304: there is no output to write to: it is closed\n"
    assert closed("tables", ">&- 2>&-").returncode == ExitCode.OUTPUT_CLOSED
    invite = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1"), "304", "pagat").invites[1]
    done = closed("join --name Banu", "", input=invite.format())
    assert done.returncode == ExitCode.UNUSABLE
    assert "there is no terminal for your answers" in done.stderr
    assert not (tmp_path / "home" / "tables").exists()


# --- refused commands -----------------------------------------------------------------------------

# What a command cannot do it says in one sentence, with the documented exit code, and does not.

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
        ("audit --evidence junk.p304", "junk.p304"),
        ("audit --evidence folder", "folder: not a regular file"),
        ("audit - -", "give - once"),
        ("audit passed-out.p304 --save-evidence there.txt", "is there already"),
        ("page", "Name a transcript"),
        ("page --empty passed-out.p304", "name no files"),
        ("replay deal.txt --text", "is a hand as text already"),
        ("replay deal.txt --export x.txt", "is a hand as text already"),
        ("replay junk.p304", "junk.p304 is no saved hand"),
        ("replay passed-out.p304 --export x.svg --step 9999", "there is no step 9999"),
        ("replay passed-out.p304 --export x.doc", ".doc is none"),
        ("replay passed-out.p304 --export x", "it has none"),
        ("replay passed-out.p304 --export there.txt", "there.txt"),
        ("review junk.p304", "junk.p304 is no saved hand"),
        ("review passed-out.p304 --hand 9", "holds 1 hand"),
        ("review passed-out.p304 --seat Nobody", "There is no one seat 'Nobody'"),
        ("rules 41 pagat", "no profiles to compare"),
        ("rules nonsense", "no profile 'nonsense'"),
        ("demo --credentials there.txt", "name it with --broker"),
        ("demo --broker mqtt://127.0.0.1 --credentials open.txt", "Other people may read open.txt"),
        ("host --game 41 --profile pagat", "41 has house rules only, no profiles"),
        ("host --broker http://127.0.0.1", "begins with mqtts://, mqtt://, wss:// or ws://"),
        ("resume", "There is no unfinished table"),
        ("host --broker mqtt://127.0.0.1 --lan any", "either --broker, or --lan"),
        ("host --lan --broker mqtts://broker.example.org", "either --broker, or --lan"),
        ("host --lan --bots 3 --broker mqtt://127.0.0.1", "either --broker, or --lan"),
        ("host --public --port 5", "Give --public alone"),
        ("stats --player Nobody passed-out.p304", "Nobody here is called Nobody"),
        ("tables --forget 12345678", "No table on this machine begins"),
        ("identity --forget Nobody", "Nobody you know is called"),
        ("watch --page-address 127.0.0.1", "give both"),
        ("watch --page --page-address 0.0.0.0", "name one of this machine"),
        ("hepl", "there is no command 'hepl'; did you mean 'help'? 'p2p304 --help' lists"),
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
        ("tournament status cup --json --pairings", "One at a time: --csv"),
        ("tournament status cup --json --csv", "One at a time: --csv"),
        ("tournament draw cup --refuse 1 --offline", "add --list"),
        ("tournament draw cup --list --offline", "draw cup' running while they enter"),
        ("tournament enter cup --team Lions --with ab=Ben --offline", "'ab' is no key"),
        ("tournament enter cup --team Lions --offline", "No entry of a team Lions"),
        ("tournament enter cup --team Lions --reserve ab=Ben --offline", "The captain alone"),
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


# --- another version ------------------------------------------------------------------------------

# Invites of a version that was never released: refused, with a sentence that says so.

SAID = "of version 1 of the protocol, which was never released"
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def old_invite(text: str) -> str:
    digits = text.removeprefix("P2P304-")
    number = int("".join(f"{DIGITS.index(each):05b}" for each in digits), 2)
    spare = 5 * len(digits) % 8
    data = (number >> spare).to_bytes(5 * len(digits) // 8, "big")
    body = b"\1" + data[1:-5]
    whole = body + hashlib.sha256(b"p2p304 invite 1" + body).digest()[:5]
    bits = "".join(f"{byte:08b}" for byte in whole) + "0" * (-8 * len(whole) % 5)
    return "P2P304-" + "".join(DIGITS[int(bits[at : at + 5], 2)] for at in range(0, len(bits), 5))


@pytest.mark.parametrize("broken", [4, 60, None])
async def test_join_says_so_of_one_in_small_letters_and_in_pieces(broken: int | None) -> None:
    """Also of one that is broken where nothing tells yet that it is an invite."""
    invite = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat").invites[1]
    text = old_invite(invite.format()).lower()
    console, _ = typing(text[:broken], text[broken:] if broken else "")
    for argument in (None, text):
        with pytest.raises(InviteVersionError, match=SAID):
            await entry_for(argument, console)
