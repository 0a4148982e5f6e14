"""Addresses and credentials: no secret is shown, or goes where its owner did not mean it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cli.commands.seating import allow_hosts
from cli.errors import UserError
from cli.invite import Invite
from cli.local.sitting import (
    SeatOptions,
    credentials_for,
    move_setup,
    new_setup,
    new_table,
    take_place,
)
from cli.main import main
from cli.net.address import AddressError, BrokerAddress
from cli.net.credentials import (
    Credentials,
    CredentialsError,
    Secret,
    credentials_from_file,
)
from cli.net.link import open_link
from cli.net.transport import TransportError, Trouble
from cli.seat.setup import Setup
from tests.client.text_person import typing


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mqtt://",
        "http://broker.example.org",
        "mqtt://host:99999",
        "mqtt://host:0",
        "mqtt://host:port",
        "mqtt://ho st",
        "mqtt://host/path",
        "mqtt://host?x=1",
        "mqtt://host#x",
        "mqtt://-host",
        "mqtt://host..name",
        "ws://host/pa%74h",
        "mqtt://hôst",
        "mqtt://host\x1b[2J",
        "mqtt://[::1",
        "mqtt://" + "a" * 300,
        "a" * 195,
        "mqtt://[fe80::1%a,mqtt://b]",
        "mqtt://[fe80::1%a b]",
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        BrokerAddress.parse(text)
    assert str(caught.value).endswith(".")
    assert str(caught.value).isprintable()


def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(AddressError) as caught:
        BrokerAddress.parse("mqtts://me:hunter2@broker.example.org")
    assert "hunter2" not in str(caught.value)
    assert "password" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "exposed"),
    [
        ("mqtt://broker.example.org", True),
        ("ws://8.8.8.8", True),
        ("mqtts://broker.example.org", False),
        ("mqtt://10.0.0.1", False),
        ("mqtt://table.local", False),
        ("mqtt://[fe80::1]", False),
    ],
)
def test_plain_addresses_far_away_are_known_as_exposed(text: str, exposed: bool) -> None:
    assert BrokerAddress.parse(text).exposed is exposed


def _file(place: Path, text: str, mode: int = 0o600) -> Path:
    path = place / "credentials"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_credentials_come_from_a_file_of_our_own(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "# the broker of the club\nuser = amara\npassword = a = b # c\n\n"
        "ca=ca.crt\ncertificate = /etc/c.crt\nkey = c.key\nkey-password = k\n",
    )
    assert credentials_from_file(path) == Credentials(
        user="amara",
        password=Secret("a = b # c"),
        ca=tmp_path / "ca.crt",
        certificate=Path("/etc/c.crt"),
        key=tmp_path / "c.key",
        key_password=Secret("k"),
    )


def test_a_password_keeps_its_blanks_and_every_letter_of_its_line(tmp_path: Path) -> None:
    path = _file(tmp_path, "user =amara\r\npassword =   a\u2028b \t\r\n ca =  ca.crt \n")
    assert credentials_from_file(path) == Credentials(
        user="amara", password=Secret("  a\u2028b \t"), ca=tmp_path / "ca.crt"
    )


@pytest.mark.parametrize(
    "text",
    [
        "user",
        "user =",
        "usr = x",
        "user = a\nuser = b",
        "password = secret-word",
        "certificate = a",
        "user = " + "x" * 9_000,
    ],
)
def test_a_file_that_is_none_is_refused_without_its_content(tmp_path: Path, text: str) -> None:
    with pytest.raises(CredentialsError) as caught:
        credentials_from_file(_file(tmp_path, text))
    assert "secret-word" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match="chmod 600"):
        credentials_from_file(_file(tmp_path, "user = a\n", mode=0o644))
    with pytest.raises(CredentialsError, match="There is no file"):
        credentials_from_file(tmp_path / "missing")
    with pytest.raises(CredentialsError):
        credentials_from_file(tmp_path)


def test_a_secret_shows_nothing_of_itself() -> None:
    secret = Credentials(user="amara", password=Secret("hunter2"))
    assert "hunter2" not in f"{secret!r}{secret}{secret.password}{secret.password!r}"


def test_a_broker_at_loopback_is_known_as_reachable_on_its_machine_alone() -> None:
    for text in ("mqtt://127.0.0.1:1883", "mqtt://127.9.9.9", "mqtt://[::1]", "mqtt://localhost"):
        assert BrokerAddress.parse(text).loopback, text
    for text in ("mqtt://192.168.1.20", "mqtt://card-table.lan", "mqtt://0.0.0.0"):
        assert not BrokerAddress.parse(text).loopback, text


# --- where credentials never go -------------------------------------------------------------------


MEANT = BrokerAddress.parse("mqtts://broker.example.org")
OTHER_PORT = BrokerAddress.parse("wss://broker.example.org/mqtt")
STRANGE = BrokerAddress.parse("mqtts://collector.example.net")
pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Later", "308 For Ever"])
async def test_a_websocket_goes_nowhere_else_although_the_host_says_so(status: str) -> None:
    visitors: list[bytes] = []

    async def collect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visitors.append(await reader.read(1))
        writer.close()

    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nLocation: {elsewhere}\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async with (
        await asyncio.start_server(collect, "127.0.0.1", 0) as collector,
        await asyncio.start_server(redirect, "127.0.0.1", 0) as broker,
    ):
        elsewhere = f"ws://localhost:{collector.sockets[0].getsockname()[1]}/mqtt"
        port = broker.sockets[0].getsockname()[1]
        address = BrokerAddress.parse(f"ws://127.0.0.1:{port}/out/collector")
        with pytest.raises(TransportError) as failed:
            await open_link(address, Credentials("amara", Secret("deal304")), deadline=60)
    assert failed.value.trouble is Trouble.PROTOCOL
    assert visitors == []


def sat_down(root: Path) -> Setup:
    """A seat whose owner gave credentials for the only host of its table."""
    table = new_table(MEANT, "304", "pagat")
    wanted = new_setup(table.invites[1], "Banu", credentials=root / "credentials")
    journal, first = take_place(root, wanted)
    journal.close()
    assert first.credentials
    return first


def test_an_invite_that_moves_a_table_does_not_take_the_credentials_along(tmp_path: Path) -> None:
    first = sat_down(tmp_path)
    for nodes in ((STRANGE,), (MEANT, STRANGE)):
        invite = move_setup(first, nodes).invite
        journal, second = take_place(tmp_path, new_setup(invite, "Banu"))
        journal.close()
        assert second.invite.nodes == nodes
        assert second.credentials == ""


def test_credentials_stay_for_their_own_host_and_for_one_that_is_named(tmp_path: Path) -> None:
    first = sat_down(tmp_path)
    invite = move_setup(first, (OTHER_PORT,)).invite
    journal, second = take_place(tmp_path, new_setup(invite, "Banu"))
    journal.close()
    assert second.credentials == first.credentials
    invite = move_setup(first, (STRANGE,)).invite
    journal, third = take_place(tmp_path, new_setup(invite, "Banu"), named=(STRANGE,))
    journal.close()
    assert third.credentials == first.credentials
    again = new_setup(first.invite, "Banu", credentials=tmp_path / "others")
    journal, fourth = take_place(tmp_path, again)
    journal.close()
    assert fourth.credentials == str((tmp_path / "others").resolve())


TYPED = Credentials("amara", Secret("deal304"))


async def asked(
    answer: tuple[str, ...],
    given: Credentials,
    invite: Invite,
    *,
    login: bool = True,
    types: bool = False,
) -> tuple[str, Credentials | None]:
    """What is said and what comes of it where somebody, who `types` or not, gives this answer."""
    options = SeatOptions(credentials=given, login=login)
    console, said = typing(*answer)
    console.interactive = types
    found = await allow_hosts(options, invite.nodes, console)
    return said.getvalue(), found.credentials


async def test_what_was_typed_goes_to_no_host_before_its_name_is_agreed_to() -> None:
    invite = new_table(STRANGE, "304", "pagat", other_nodes=(MEANT,)).invites[1]
    with pytest.raises(UserError, match="nothing was sent"):
        await asked(("n",), TYPED, invite)
    with pytest.raises(UserError, match="input ended"):
        await asked((), TYPED, invite)
    said, found = await asked(("y",), TYPED, invite)
    assert "go to collector.example.net and broker.example.org." in said
    assert found is not None
    assert set(found.hosts) == {STRANGE.host, MEANT.host}


async def test_nothing_is_asked_for_hosts_that_were_named() -> None:
    invite = new_table(MEANT, "304", "pagat").invites[1]
    named = TYPED.with_hosts((MEANT,))
    assert await asked((), named, invite) == ("", named)
    assert await asked((), named, invite, login=False) == ("", named)
    assert await asked((), Credentials(), invite) == ("", Credentials())


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (TYPED, "Your user name and password go"),
        (Credentials(certificate=Path("me.crt"), key=Path("me.key")), "Your certificate goes"),
    ],
    ids=["password", "certificate"],
)
async def test_a_file_without_hosts_goes_to_the_one_host_of_an_invite_once_it_is_agreed_to(
    given: Credentials, what: str
) -> None:
    invite = new_table(STRANGE, "304", "pagat").invites[1]
    with pytest.raises(UserError, match="nothing was sent"):
        await asked(("no",), given, invite, login=False, types=True)
    said, found = await asked(("yes",), given, invite, login=False, types=True)
    assert f"{what} to collector.example.net. Do they belong there?" in said
    assert found == given.with_hosts((STRANGE,))
    with pytest.raises(CredentialsError, match=r"write 'hosts = collector\.example\.net'"):
        await asked(("yes",), given, invite, login=False)


def test_a_file_that_was_kept_goes_where_it_was_agreed_to_and_a_new_one_nowhere_else(
    tmp_path: Path,
) -> None:
    file = tmp_path / "credentials"
    file.write_text("user = amara\npassword = deal304\n")
    file.chmod(0o600)
    kept = sat_down(tmp_path)
    assert credentials_for(kept, SeatOptions()).hosts == (MEANT.host,)
    assert credentials_for(kept, SeatOptions(credentials=TYPED)).hosts == ()


def test_a_bot_shows_its_credentials_to_no_host_that_nobody_has_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    file = tmp_path / "credentials"
    file.write_text("user = amara\npassword = deal304\n")
    file.chmod(0o600)
    invite = new_table(STRANGE, "304", "pagat").invites[1]
    assert main(["bot", invite.format(), "--credentials", str(file)]) == 2
    assert "'hosts = collector.example.net'" in capsys.readouterr().err
    assert not (tmp_path / "home").exists(), "a table was kept, at which 'resume' would show them"
