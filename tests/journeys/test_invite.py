"""Invites, keys and credentials: what is kept, shown, refused, and never told to strangers."""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import os
import stat
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.commands.entering import invite_for
from cli.commands.seating import allow_hosts
from cli.errors import UserError
from cli.invite import Invite, InviteError, qr_code
from cli.lines.console import Console
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
from cli.net.credentials import Credentials, CredentialsError, Secret, credentials_from_file
from cli.net.link import open_link
from cli.peers import Familiarity, Peer
from cli.seat.setup import Setup
from cli.store.identity import KEY_FILE, PEERS_FILE, IdentityError, IdentityStore, PeersFile
from p2p304.seats import Seat
from protocol.bounds import LONGEST_INVITE
from protocol.wire.identity import PublicKey, SigningKey
from protocol.wire.invite import TOKEN_BYTES, new_token
from tests.client.text_person import typing
from tests.journeys.failing_disk import FullDisk

# --- invite ---------------------------------------------------------------------------------------

# Invites: one string a seat, which a typing error never burns and a guess never opens.

BROKER = BrokerAddress.parse("mqtts://broker.example.org:8884")


def _random(size: int, salt: int = 0) -> bytes:
    return bytes(zlib.crc32(bytes((salt, place))) & 0xFF for place in range(size))


def _invite(seat: int | None = 2, broker: BrokerAddress = BROKER) -> Invite:
    token = None if seat is None else _random(TOKEN_BYTES, 3)
    return Invite(
        broker, _random(16, 1), _random(32, 2), None if seat is None else Seat(seat), token
    )


TEXT = _invite().format()


@given(
    table=st.binary(min_size=16, max_size=16),
    seat=st.none() | st.integers(min_value=0, max_value=63).map(Seat),
    url=st.sampled_from(
        [
            "mqtt://127.0.0.1:1",
            "mqtt://[::1]",
            "mqtts://a.b",
            "wss://a.b/c/d",
            "ws://localhost:9001",
        ]
    ),
)
def test_what_is_written_is_read_back(table: bytes, seat: Seat | None, url: str) -> None:
    token = None if seat is None else os.urandom(TOKEN_BYTES)
    invite = Invite(BrokerAddress.parse(url), table, os.urandom(32), seat, token)
    assert Invite.parse(invite.format()) == invite


def test_case_spaces_line_breaks_and_likenesses_do_not_matter() -> None:
    folded = "\n".join(TEXT[place : place + 40] for place in range(0, len(TEXT), 40))
    spoken = TEXT[7:].replace("0", "O").replace("1", "l")
    assert Invite.parse(f"  {folded.lower()}\n") == _invite()
    assert Invite.parse(f"P2P304-{spoken}") == _invite()


def test_every_single_wrong_character_is_noticed() -> None:
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    for place in range(7, len(TEXT)):
        for digit in digits:
            if digit != TEXT[place]:
                with pytest.raises(InviteError):
                    Invite.parse(TEXT[:place] + digit + TEXT[place + 1 :])


def test_every_swap_of_neighbours_and_every_cut_is_noticed() -> None:
    for place in range(7, len(TEXT) - 1):
        if TEXT[place] != TEXT[place + 1]:
            swapped = TEXT[:place] + TEXT[place + 1] + TEXT[place] + TEXT[place + 2 :]
            with pytest.raises(InviteError):
                Invite.parse(swapped)
    for end in range(len(TEXT)):
        with pytest.raises(InviteError):
            Invite.parse(TEXT[:end])
    for more in ("0", "00", TEXT[7:], "P2P304"):
        with pytest.raises(InviteError):
            Invite.parse(TEXT + more)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no invite: paste the line that the host sent you."),
        ("hello", "This is no invite: one begins with P2P304-."),
        ("P2P304-", "This is no invite: one begins with P2P304-."),
        (TEXT[:60], "cut off or a character is missing"),
        (TEXT[:9] + "?" + TEXT[10:], "Character 3 after P2P304- is none that an invite has"),
        (TEXT[:-1] + ("0" if TEXT[-1] != "0" else "1"), "mistyped"),
        ("P2P304-G" + TEXT[8:], "mistyped at its beginning"),
        ("A" * (LONGEST_INVITE + 1), "too long for an invite"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InviteError) as caught:
        Invite.parse(text)
    said = str(caught.value)
    assert sentence in said
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize(
    "weak", [bytes(32), b"\x07" * 32, b"ab" * 16, b"correct horse battery staple 304"]
)
def test_a_key_that_was_not_drawn_at_random_is_refused(weak: bytes) -> None:
    with pytest.raises(InviteError, match="not drawn at random"):
        Invite(BROKER, _random(16), weak)
    with pytest.raises(InviteError, match="not drawn at random"):
        Invite(BROKER, _random(16), _random(32), Seat(0), bytes(TOKEN_BYTES))


def test_sizes_below_128_random_bits_are_refused() -> None:
    for size in (0, 15, 16, 31, 33):
        with pytest.raises(InviteError):
            Invite(BROKER, _random(16), _random(size))
    for size in (0, 8, 15, 17):
        with pytest.raises(InviteError):
            Invite(BROKER, _random(16), _random(32), Seat(0), _random(size))
    assert len(new_token(os.urandom)) * 8 >= 128


def test_a_seat_and_its_token_belong_together() -> None:
    for seat, token in ((Seat(0), None), (None, _random(16)), (Seat(64), _random(16))):
        with pytest.raises(InviteError):
            Invite(BROKER, _random(16), _random(32), seat, token)


def test_an_invite_shows_neither_key_nor_token() -> None:
    invite = _invite()
    shown = repr(invite) + str(invite)
    for secret in (invite.table_key, invite.token):
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown


async def test_an_invite_comes_from_the_argument_or_from_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    invite = _invite()
    text = invite.format()
    reader, writer = os.pipe()
    console = Console(descriptor=reader, output=io.StringIO())
    assert await invite_for(text, console) == invite
    assert "history" in capsys.readouterr().err
    os.write(writer, f"{text[:60]}\n{text[60:]}\n{text}\n".encode())
    assert await invite_for(None, console) == invite  # a mail program broke its line
    assert await invite_for("-", console) == invite
    os.close(writer)


def test_the_qr_code_fits_a_screen_of_80_by_24() -> None:
    for url in ("mqtt://192.168.100.200:18830", "mqtts://broker.some-company.example.com"):
        lines = qr_code(_invite(broker=BrokerAddress.parse(url)).format()).splitlines()
        assert len(lines) <= 23
        assert {len(line) for line in lines} == {len(lines[0])}
        assert len(lines[0]) <= 80


@pytest.mark.parametrize(
    ("text", "scheme_host_port_path"),
    [
        ("broker.example.org", ("mqtts", "broker.example.org", 8883, "")),
        ("127.0.0.1", ("mqtt", "127.0.0.1", 1883, "")),
        ("localhost:1999", ("mqtt", "localhost", 1999, "")),
        ("192.168.1.2", ("mqtt", "192.168.1.2", 1883, "")),
        ("mqtt://broker.example.org", ("mqtt", "broker.example.org", 1883, "")),
        ("[::1]:1884", ("mqtt", "::1", 1884, "")),
        ("wss://broker.example.org", ("wss", "broker.example.org", 443, "/mqtt")),
        ("ws://localhost:8080/a/b", ("ws", "localhost", 8080, "/a/b")),
        ("MQTTS://Broker.Example.org/", ("mqtts", "broker.example.org", 8883, "")),
    ],
)
def test_addresses_are_encrypted_unless_near_or_told_otherwise(
    text: str, scheme_host_port_path: tuple[str, str, int, str]
) -> None:
    address = BrokerAddress.parse(text)
    shown = (address.scheme.value, address.host, address.port, address.path)
    assert shown == scheme_host_port_path
    assert BrokerAddress.parse(address.format()) == address


# --- identity store -------------------------------------------------------------------------------

# Our key and the people we know: made once, kept, and a new key behind an old name told.


def _key(number: int) -> PublicKey:
    return SigningKey(bytes([number]) * 32).public


def _no_entropy(_size: int) -> bytes:
    raise AssertionError("a key was drawn again")


def test_the_key_is_made_at_first_use_and_stays(tmp_path: Path) -> None:
    root = tmp_path / "home"
    made = IdentityStore(root).key(os.urandom)
    again = IdentityStore(root).key(_no_entropy)
    assert again.public == made.public
    assert again.revealed_seed() == made.revealed_seed()
    assert [path.name for path in root.iterdir()] == [KEY_FILE]
    if os.name == "posix":
        assert stat.S_IMODE((root / KEY_FILE).stat().st_mode) == 0o600


def test_a_damaged_key_is_refused_and_never_replaced(tmp_path: Path) -> None:
    IdentityStore(tmp_path).key(os.urandom)
    path = tmp_path / KEY_FILE
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        path.write_bytes(damaged)
        with pytest.raises(IdentityError, match="damaged or of another version"):
            IdentityStore(tmp_path).key(_no_entropy)
        assert path.read_bytes() == damaged
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(IdentityError):
            IdentityStore(tmp_path).key(_no_entropy)


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_a_key_that_others_can_read_or_a_link_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "home"
    IdentityStore(root).key(os.urandom)
    (root / KEY_FILE).chmod(0o640)
    with pytest.raises(IdentityError, match="chmod 600"):
        IdentityStore(root).key(_no_entropy)
    (root / KEY_FILE).chmod(0o600)
    (root / KEY_FILE).rename(tmp_path / "moved")
    (root / KEY_FILE).symlink_to(tmp_path / "moved")
    with pytest.raises(IdentityError):
        IdentityStore(root).key(_no_entropy)


def test_processes_that_make_the_key_at_once_end_with_one(tmp_path: Path) -> None:
    root, fork = tmp_path / "home", multiprocessing.get_context("fork")
    all_have_drawn, keys = fork.Barrier(4), fork.SimpleQueue()

    def entropy(size: int) -> bytes:
        all_have_drawn.wait(timeout=300)
        return os.urandom(size)

    def make() -> None:
        keys.put(IdentityStore(root).key(entropy).public.to_bytes())

    makers = [fork.Process(target=make) for _ in range(4)]
    for each in makers:
        each.start()
    for each in makers:
        each.join()
        assert each.exitcode == 0
    assert {keys.get() for _ in makers} == {IdentityStore(root).key(_no_entropy).public.to_bytes()}


def test_a_full_disk_is_reported_and_leaves_everything_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(IdentityError, match="No space left"):
        IdentityStore(tmp_path, disk=FullDisk()).key(os.urandom)
    assert list(tmp_path.iterdir()) == []
    PeersFile(tmp_path).remember(_key(1), "Amara")
    with pytest.raises(IdentityError, match="No space left"):
        PeersFile(tmp_path, disk=FullDisk()).remember(_key(2), "Kumari")
    assert PeersFile(tmp_path).all() == (Peer(_key(1), "Amara"),)


def test_peers_are_recognised_by_their_key_and_never_by_their_name(tmp_path: Path) -> None:
    peers = PeersFile(tmp_path)
    assert peers.recognise(_key(1), "Amara").familiarity is Familiarity.NEW
    peers.remember(_key(1), "Amara")
    peers.remember(_key(2), "Ruwan", "Cousin")
    peers = PeersFile(tmp_path)
    assert peers.recognise(_key(1), "Amara").familiarity is Familiarity.KNOWN
    assert peers.recognise(_key(1), "Nobody").familiarity is Familiarity.RENAMED
    assert peers.recognise(_key(2), "Cousin").familiarity is Familiarity.KNOWN
    assert peers.recognise(_key(3), "Kumari").familiarity is Familiarity.NEW


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b'{"version": 2, "peers": []}',
        b'{"version": 1, "peers": [["00", "a", null]]}',
        b'{"version": 1, "peers": [["zz", "a", null]]}',
        b'{"version": 1, "peers": [1]}',
        b'{"version": 1, "peers": [], "more": 1}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_damaged_list_of_peers_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / PEERS_FILE
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(IdentityError, match="damaged"):
        PeersFile(tmp_path).all()
    assert path.read_bytes() == content


def test_petnames_stay_when_nicknames_change(tmp_path: Path) -> None:
    peers = PeersFile(tmp_path)
    peers.remember(_key(1), "Amara", "Cousin")
    peers.remember(_key(1), "Amara II")
    assert peers.all() == (Peer(_key(1), "Amara II", "Cousin"),)
    assert peers.all()[0].name == "Cousin"
    assert peers.forget(_key(1))
    assert not peers.forget(_key(1))
    assert peers.all() == ()


# --- credentials ----------------------------------------------------------------------------------

# Addresses and credentials: no secret is shown, or goes where its owner did not mean it.


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
STRANGE = BrokerAddress.parse("mqtts://collector.example.net")
pytestmark = pytest.mark.timeout(240)


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
        with pytest.raises(ConnectionError):
            await open_link(address, Credentials("amara", Secret("deal304")))
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
    invite = move_setup(first, (BrokerAddress.parse("wss://broker.example.org/mqtt"),)).invite
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
    _file(tmp_path, "user = amara\npassword = deal304\n")
    kept = sat_down(tmp_path)
    assert credentials_for(kept, SeatOptions()).hosts == (MEANT.host,)
    assert credentials_for(kept, SeatOptions(credentials=TYPED)).hosts == ()


def test_a_bot_shows_its_credentials_to_no_host_that_nobody_has_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    file = _file(tmp_path, "user = amara\npassword = deal304\n")
    invite = new_table(STRANGE, "304", "pagat").invites[1]
    assert main(["bot", invite.format(), "--credentials", str(file)]) == 2
    assert "'hosts = collector.example.net'" in capsys.readouterr().err
    assert not (tmp_path / "home").exists(), "a table was kept, at which 'resume' would show them"
