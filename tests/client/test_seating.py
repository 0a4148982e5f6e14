"""What whoever sits down is asked and tells its bots, and how the program ends then."""

from __future__ import annotations

import asyncio
import io
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.code import CodeError, parse_code
from cli.commands.entering import ENTRY, entry_for
from cli.commands.seating import (
    LEFT,
    accepts_referees,
    bot_options,
    run_seat,
    run_until_ended,
    with_credentials,
)
from cli.errors import ExitCode, StoreError, UserError
from cli.invite import Invite, InviteError
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, new_setup, new_table
from cli.net.address import BrokerAddress
from cli.net.credentials import CredentialsError
from cli.seat.sentences import InputGone, SeatLeft
from cli.seat.setup import Founding, Orders, Setup
from protocol.encoding import decode, encode
from protocol.wire.code import Code
from protocol.wire.identity import SigningKey
from tests.client.text_person import typing

BROKER = BrokerAddress.parse("mqtt://broker.example.org")
STRANGE = BrokerAddress.parse("mqtt://collector.example.net")
TABLE = new_table(BROKER, "304", "pagat")
INVITE = TABLE.invites[1]


# --- the end --------------------------------------------------------------------------------------


Work = Callable[[], Coroutine[None, None, None]]


async def leave() -> None:
    raise SeatLeft("You left: come back any time.")


async def no_input() -> None:
    raise InputGone


async def interrupted() -> None:
    raise KeyboardInterrupt


async def terminated() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(60)


async def finish() -> None:
    """Do nothing."""


@pytest.mark.parametrize(
    ("work", "code", "said"),
    [
        (finish, ExitCode.DONE, ""),
        (leave, ExitCode.DONE, "You left: come back any time.\n"),
        (
            no_input,
            ExitCode.INTERRUPTED,
            "p2p304: The input ended before the game: 'p2p304 resume'",
        ),
        (interrupted, ExitCode.INTERRUPTED, f"\n{LEFT}\n"),
        (terminated, ExitCode.INTERRUPTED, f"\n{LEFT}\n"),
    ],
)
def test_whoever_leaves_a_table_is_told_how_to_come_back_and_the_code_says_why(
    capsys: pytest.CaptureFixture[str], work: Work, code: ExitCode, said: str
) -> None:
    assert run_seat(work()) is code
    assert capsys.readouterr().err.startswith(said)
    if work in (interrupted, terminated):
        assert run_until_ended(work()) is ExitCode.INTERRUPTED
        assert capsys.readouterr().err == "\n"


# --- credentials ----------------------------------------------------------------------------------


def test_bots_are_told_of_a_file_and_of_the_brokers_for_which_it_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "broker.txt"
    told = bot_options(SeatOptions(credentials_file=file), (BROKER, STRANGE))
    assert told[-6:] == (
        *("--credentials", str(file)),
        *("--broker", BROKER.format()),
        *("--broker", STRANGE.format()),
    )
    told = bot_options(SeatOptions(hands=3), (BROKER,))
    assert told[-2:] == ("--hands", "3")


def test_user_and_password_are_asked_for_and_the_password_is_not_shown() -> None:
    found: list[SeatOptions] = []
    ask = click.Command("ask", callback=lambda: found.append(with_credentials(WANTED)))
    done = CliRunner().invoke(ask, input="amara\ndeal304\n")
    assert done.exit_code == 0, done.output
    assert "deal304" not in done.output
    (options,) = found
    assert options.credentials is not None
    assert options.credentials.user == "amara"
    assert options.credentials.password is not None
    assert options.credentials.password.reveal() == "deal304"


WANTED = SeatOptions(login=True)


@pytest.mark.parametrize(
    ("written", "said"),
    [(b"user = \xff\n", "is no UTF-8 text"), (None, "is not a regular file")],
    ids=["bytes", "pipe"],
)
def test_what_is_no_text_holds_no_credentials(
    tmp_path: Path, written: bytes | None, said: str
) -> None:
    file = tmp_path / "broker.txt"
    if written is None:
        os.mkfifo(file, 0o600)
    else:
        file.touch(mode=0o600)
        file.write_bytes(written)
    with pytest.raises(CredentialsError, match=said):
        with_credentials(SeatOptions(credentials_file=file))


async def test_whether_a_referee_is_accepted_is_asked_at_a_terminal_alone() -> None:
    unnamed = (SigningKey(bytes(range(32))).public,)
    console, _ = typing("y")
    with pytest.raises(UserError, match="--trust-referee"):
        await accepts_referees(console, unnamed)
    for said, accepted in (("y", True), ("no", False)):
        console, shown = typing(said)
        console.interactive = True
        assert await accepts_referees(console, unnamed) is accepted
        assert "[y/n]" in shown.getvalue()


# --- codes and invites ----------------------------------------------------------------------------


async def entered(argument: str | None, *lines: str) -> tuple[Invite | Code, str]:
    """What comes of it where somebody types a line at each question, and what was said."""
    ours, theirs = os.openpty()
    said = io.StringIO()
    console = Console(descriptor=theirs, output=said)
    try:
        async with asyncio.timeout(300):
            task = asyncio.create_task(entry_for(argument, console))
            for number, line in enumerate(lines, 1):
                while said.getvalue().count(ENTRY) < number:
                    await asyncio.sleep(0.005)
                os.write(ours, f"{line}\n".encode())
            return await task, said.getvalue()
    finally:
        os.close(ours)  # which ends the thread that reads


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("7-zebra-nonsense", CodeError, "is none that a code has"),
        (INVITE.format()[:-9], InviteError, "he invite"),
        ("hello", InviteError, "neither a code, such as 7-zebra-lantern, nor an invite"),
        ("", InviteError, "Type the code that the host said, or paste the invite"),
    ],
)
async def test_a_mistake_in_a_pipe_ends_with_its_sentence(
    text: str, error: type[UserError], said: str
) -> None:
    console, _ = typing(text)
    with pytest.raises(error, match=said):
        await entry_for(None, console)


async def test_whoever_types_is_asked_again_after_a_mistake_even_in_the_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.commands.entering.NEXT_LINE", 0.05)
    found, said = await entered("7-zebra-nonsense", "hello", "7-zebra-lantern")
    assert found == parse_code("7-zebra-lantern")
    assert "is none that a code has" in said
    assert "This is neither a code" in said


# --- what is kept of a seat -----------------------------------------------------------------------


def test_a_setup_that_was_changed_is_told_as_another_versions() -> None:
    whole = new_setup(INVITE, "Banu")
    row = decode(whole.to_bytes())
    assert isinstance(row, tuple)
    assert Setup.from_bytes(encode(row)) == whole
    invite, name, nonce, seed, path, _ = row
    for changed in (
        (invite, name, b"short", seed, path, ()),
        (invite, name, nonce, b"short", path, ()),
        (invite, name, nonce, seed, path, ("304", "pagat", (b"short",), 1)),
        (invite, name, nonce, seed, path, ("304", "pagat", (), 3)),
        (invite, name, nonce, seed, path, ("304",)),
        ("P2P304-nothing", name, nonce, seed, path, ()),
        (invite, name),
    ):
        with pytest.raises(StoreError, match="another version of p2p304"):
            Setup.from_bytes(encode(changed))


def test_a_setup_knows_its_place_as_far_as_the_number_of_seats_is_known() -> None:
    guest = new_setup(INVITE, "Banu")
    assert guest.place(None) == "seat 2"
    watching: Invite = TABLE.watch
    with pytest.raises(InviteError, match="use 'p2p304 watch'"):
        _ = new_setup(watching, "Banu").seat


# --- orders ---------------------------------------------------------------------------------------

# The line that a starter of bots writes is read to what it says, or refused in a sentence.

FOUNDING = Founding("304", "pagat", (b"a" * 16, b"b" * 16))


@pytest.mark.parametrize("founding", [None, FOUNDING], ids=["none", "founder"])
@pytest.mark.parametrize("seed", [None, bytes(range(32))], ids=["chance", "seed"])
def test_orders_are_read_as_they_were_written(
    founding: Founding | None, seed: bytes | None
) -> None:
    orders = Orders(founding, seed)
    assert Orders.parse(orders.format()) == orders
    assert "000102" not in repr(orders)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        '{"founding": null}',
        '{"founding": null, "seed": ""}',
        '{"founding": null, "seed": "00"}',
        '{"founding": null, "seed": "zz"}',
        '{"founding": 3, "seed": null}',
        '{"founding": {"game": "304", "profile": "pagat", "tokens": [7]}, "seed": null}',
    ],
)
def test_what_is_no_orders_is_refused(line: str) -> None:
    with pytest.raises(UserError, match="no orders"):
        Orders.parse(line)
