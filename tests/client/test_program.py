"""The program: how it starts, how it ends, and that every error is one sentence."""

from __future__ import annotations

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
from cli.commands.options import complete_profile
from cli.commands.rules import command as rules
from cli.errors import CheckFailed, ExitCode, UserError, verdict_on
from cli.local.sitting import new_table
from cli.main import COMMANDS, GONE, main
from cli.net.address import BrokerAddress
from p2p304.errors import NotationError, RulesError
from p2p304.rules304.parameters import PARAMETERS
from protocol.errors import LocalError, MalformedMessage, ProofError
from tests.forked import run_program

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
        assert command is not None
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
            assert below is not None
            yield from every_command(inner, each, below)


def test_starting_imports_neither_commands_nor_rules_nor_cryptography() -> None:
    code = "import sys, cli.main; print(*sys.modules)"
    done = subprocess.run(
        (sys.executable, "-c", code), cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "cli.errors" in loaded
    late = ("cli.commands", "p2p304.rules304", "rich", "coincurve", "cryptography", "asyncio")
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
    for words in (flood, (*PROGRAM, "rules"), (*PROGRAM, "demo", "--open-cards")):
        with subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            if words is flood:
                assert process.stdout.readline().startswith(b"xxx")
            process.stdout.close()  # before it has written anything, or amid it
            assert process.stderr.read() == b""
            assert process.wait(timeout=180) == ExitCode.OUTPUT_CLOSED == 128 + signal.SIGPIPE


def test_the_specification_that_comes_with_the_program_is_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main.main(["specs", "--path"]) == ExitCode.DONE
    place = Path(capsys.readouterr().out.strip())
    assert cli.main.main(["specs"]) == ExitCode.DONE
    first, *contents = capsys.readouterr().out.splitlines()
    assert first == str(place)
    assert contents
    assert all((place / line.split()[0]).exists() for line in contents)


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


@pytest.mark.parametrize("name", GONE)
def test_a_command_that_went_answers_with_one_sentence(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--hands", "200"]) == ExitCode.UNUSABLE
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"p2p304: '{name}' has gone")
    assert said.err.count("\n") == 1
    assert name not in COMMANDS


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
