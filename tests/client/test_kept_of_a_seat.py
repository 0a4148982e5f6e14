"""What a machine keeps and tells of a seat: its charter, keys and peers, and who we are."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import cli.store.identity
from cli.conformance.tables import Draft
from cli.errors import UserError
from cli.local.bot_processes import Bot, BotProcesses, bot_home
from cli.local.sitting import new_table
from cli.net.address import BrokerAddress
from cli.peers import fingerprint
from cli.seat.charter_text import seat_name
from cli.store.identity import KEY_FILE, NICKNAME_FILE, IdentityError, IdentityStore, PeersFile
from cli.store.paths import make_private_directory
from p2p304.seats import Seat
from protocol.wire.charter import MAX_NAME, Charter
from protocol.wire.identity import PublicKey, SigningKey
from tests.journeys.running_brokers import free_port
from tests.table.seating import signing_key
from tests.vectors.hands import SAVED_HANDS

CONTINUED = Charter.from_bytes(Draft.of(SAVED_HANDS["continued"].kept()).records[0].payload)
SEED = bytes(range(32))
Program = Callable[..., str]


# --- the charter ----------------------------------------------------------------------------------


def test_a_seat_is_named_as_far_as_it_is_known() -> None:
    assert seat_name(CONTINUED, None) == "nobody"
    assert seat_name(None, Seat(2)) == "seat 3"
    assert seat_name(CONTINUED, Seat(1)) == "East (Banu)"
    assert "(" not in seat_name(CONTINUED, Seat(7))


# --- keys and names -------------------------------------------------------------------------------


def test_a_key_is_copied_to_a_home_that_has_none_and_never_over_one(tmp_path: Path) -> None:
    ours, bots = tmp_path / "ours", make_private_directory(tmp_path / "bot")
    key = IdentityStore(ours).key(lambda _: SEED).public
    IdentityStore(ours).copy_key(bots)
    assert IdentityStore(bots).public_key == key
    other = make_private_directory(tmp_path / "other")
    theirs = IdentityStore(other).key(lambda _: bytes(32)).public
    IdentityStore(ours).copy_key(other)
    assert IdentityStore(other).public_key == theirs
    with pytest.raises(IdentityError, match="cannot be written"):
        IdentityStore(ours).copy_key(tmp_path / "nowhere")


@pytest.mark.parametrize("file", [KEY_FILE, NICKNAME_FILE])
def test_what_cannot_be_read_is_told_by_its_path(tmp_path: Path, file: str) -> None:
    store = IdentityStore(tmp_path)
    (tmp_path / file).mkdir()
    with pytest.raises(IdentityError, match=f"{file} cannot be read"):
        _ = store.public_key if file == KEY_FILE else store.nickname
    (tmp_path / file).rmdir()
    (tmp_path / file).touch(mode=0o600)
    (tmp_path / file).write_bytes(b"\xff" * 9)
    with pytest.raises(IdentityError, match=r"is no text|is damaged"):
        _ = store.public_key if file == KEY_FILE else store.nickname


def test_peers_have_names_of_a_size_and_the_oldest_without_one_of_ours_is_forgotten_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers = PeersFile(tmp_path)
    for name, petname in (("", None), ("n" * (MAX_NAME + 1), None), ("Banu", "p" * 99)):
        with pytest.raises(IdentityError, match="A name has 1 to"):
            peers.remember(signing_key(1).public, name, petname)
    monkeypatch.setattr(cli.store.identity, "MOST_PEERS", 2)
    for seat, (name, petname) in enumerate((("Amara", "Mum"), ("Banu", None), ("Chandra", None))):
        peers.remember(signing_key(seat).public, name, petname)
    assert [each.name for each in peers.all()] == ["Mum", "Chandra"]


# --- bots -----------------------------------------------------------------------------------------


async def test_why_a_bot_ended_is_told_by_its_seat_and_a_table_that_does_not_end_too(
    tmp_path: Path,
) -> None:
    nowhere = BrokerAddress.parse(f"mqtt://127.0.0.1:{free_port()}")
    invite = new_table(nowhere, "304", "pagat").invites[1]
    bots = BotProcesses(4)
    await bots.start(Bot(invite, bot_home(tmp_path, Seat(1)), ()))
    try:
        with pytest.raises(UserError, match="The table did not end within 0 seconds"):
            await bots.finished(0.0)
        bots.pace(2.0)
        with pytest.raises(UserError, match=r"The bot in seat East ended: .*127\.0\.0\.1"):
            await bots.finished(120.0)
    finally:
        await bots.end()


# --- p2p304 identity ------------------------------------------------------------------------------


def key(name: str) -> PublicKey:
    return SigningKey(sha256(name.encode()).digest()).public


def test_the_key_stays_and_the_nickname_is_kept(root: Path, program: Program) -> None:
    first = json.loads(program("identity", "--json"))
    assert first["nickname"] is None
    assert first["known"] == []
    second = json.loads(program("identity", "--json", "--nickname", "Amara"))
    assert second["key"] == first["key"]
    told = program("identity")
    assert f"Your fingerprint: {first['fingerprint']}" in told
    assert "Your nickname:    Amara" in told


@pytest.mark.parametrize("name", ["", " x", "x" * 33, "a\x1b[2Jb", "a\u202eb"])
def test_a_nickname_that_no_charter_takes_is_refused(
    root: Path, program: Program, name: str
) -> None:
    said = program("identity", "--nickname", name, code=2)
    assert "A nickname has 1 to 32 visible characters" in said


def test_people_are_called_and_forgotten_by_name_or_fingerprint(
    root: Path, program: Program
) -> None:
    peers = PeersFile(root)
    for name in ("Banu", "Chandra"):
        peers.remember(key(name), name)
    peers.remember(key("another"), "Banu")
    short = fingerprint(key("Chandra"))[:9].lower()
    known = json.loads(program("identity", "--json", "--call", short, "Auntie"))["known"]
    assert [each["petname"] for each in known] == [None, "Auntie", None]
    assert "Several players are called 'Banu'" in program("identity", "--forget", "Banu", code=2)
    assert "Chandra" not in program("identity", "--forget", "Auntie")
    assert [peer.key for peer in peers.all()] == [key("Banu"), key("another")]
