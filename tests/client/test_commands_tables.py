"""What a machine keeps of tables and seats: `p2p304 tables`, `resume`, charters, keys, peers."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import tarfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import cli.store.identity
from cli.auditing import audit_file, check_evidence_file
from cli.commands.audit import command as audit
from cli.commands.options import HandFile
from cli.commands.tables import DAY, command
from cli.conformance.tables import Draft
from cli.errors import StoreError, UserError
from cli.local.bot_processes import Bot, BotProcesses, bot_home
from cli.local.records import StoredTable, TableRecord, forget_table, table_records, table_to_resume
from cli.local.sitting import NewTable, keep_setup, kept_setup, new_setup, new_table, take_place
from cli.main import main, program
from cli.net.address import BrokerAddress
from cli.peers import fingerprint
from cli.seat.charter_text import seat_name
from cli.seat.driver import session_of
from cli.seat.setup import JournalKind, Setup
from cli.store.hands import hand_file, hand_name, hand_names
from cli.store.identity import KEY_FILE, NICKNAME_FILE, IdentityError, IdentityStore, PeersFile
from cli.store.journal import FILE_NAME, Journal
from cli.store.paths import (
    HOME_VARIABLE,
    make_private_directory,
    make_table_directory,
    table_directory,
    transcript_name,
)
from cli.tournament.folder import TournamentFolder
from p2p304.bots.players import random_player_for
from p2p304.games import full_agreement
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from protocol.bounds import MAX_NAME
from protocol.memory_table import MemoryTable
from protocol.places import EPOCH
from protocol.seat.session import Session
from protocol.table.ledger import LedgerPhase
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import PublicKey, SigningKey
from protocol.wire.terms import CONTINUES, Continues, HandPoint, Term
from tests.journeys.running_brokers import free_port
from tests.table.bus import NAMES, charter, named, signing_key
from tests.vectors.rehearsal import SAVED_HANDS

# --- commands tables ------------------------------------------------------------------------------

# `p2p304 tables` and what `resume` chooses: every state of a table; bots' ones forgotten.

SAVED = Path(__file__).resolve().parents[2] / "specs" / "vectors" / "hands"
Program = Callable[..., str]
ADDRESS = BrokerAddress.parse("mqtt://127.0.0.1:1883")


FOUR = ("Amara", "B\u0301\u0301\u0301\u0301", "Chandra", "Dilini")


def charter_of(table: NewTable) -> Charter:
    agreed = named(charter(4, game="304", profile="pagat"), *FOUR)
    return replace(agreed, table=table.watch.table)


def make_table(root: Path, *records: tuple[JournalKind, bytes]) -> NewTable:
    table = new_table(ADDRESS, "304", "pagat")
    with keep_setup(root, new_setup(table.invites[1], "Banu")) as journal:
        for kind, payload in records:
            journal.append(kind, payload or charter_of(table).to_bytes())
    return table


CHARTER = (JournalKind.CHARTER, b"")


def damaged_copy(journal: Path) -> Path:
    """Where a damaged journal is copied to."""
    return journal.with_name(f"journal.damaged-{sha256(journal.read_bytes()).hexdigest()[:8]}")


def test_a_damaged_journal_is_told_with_what_is_lost_and_where_its_copy_is(
    root: Path, program: Program
) -> None:
    whole = make_table(root, CHARTER).watch.table
    table = make_table(root, CHARTER, (JournalKind.CONFIRMED, b"x")).watch.table
    journal = make_table_directory(root, table) / "journal"
    data = bytearray(journal.read_bytes())
    data[80] ^= 1
    journal.write_bytes(data)
    later = journal.stat().st_mtime + 60
    os.utime(journal, (later, later))
    name, copy = table.hex()[:8], damaged_copy(journal)
    said = program("resume", "--plain", code=2)
    for part in (f"Table {name}", "is damaged at byte 49 of", "is lost", whole.hex()[:8], name):
        assert part in said
    for _ in range(2):
        assert f"is in {copy}." in program("resume", "--plain", name, code=2)
    assert copy.read_bytes() == data
    assert copy.stat().st_mode & 0o777 == 0o600
    data[81] ^= 1
    journal.write_bytes(data)
    program("resume", "--plain", name, code=2)
    assert damaged_copy(journal).read_bytes() == data
    assert damaged_copy(journal) != copy
    assert journal.read_bytes() == data
    forget_table(next(each for each in table_records(root) if each.table == table))


def test_an_address_that_never_answered_is_not_kept_and_nothing_vouched_for_without_a_charter(
    root: Path, program: Program
) -> None:
    table = make_table(root, CHARTER).watch.table
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        wrong = f"mqtt://127.0.0.1:{nobody.getsockname()[1]}"
        said = program("resume", "--plain", table.hex()[:8], "--broker", wrong, code=2)
    assert wrong.partition("//")[2] in said
    journal, setup = kept_setup(root, table)
    journal.close()
    assert setup.invite.nodes == (ADDRESS,)
    table = make_table(root).watch.table
    said = program("resume", "--plain", table.hex()[:8], "--vouch", "Amara", code=2)
    assert "This table has no charter yet, so nothing was signed: leave --vouch out." in said


def test_resume_takes_the_only_unfinished_table_or_the_one_that_is_named(root: Path) -> None:
    with pytest.raises(UserError, match="There is no unfinished table"):
        table_to_resume(root, None)
    ended = make_table(root, CHARTER, (JournalKind.ENDED, b"x")).watch.table
    first = make_table(root, CHARTER).watch.table
    assert table_to_resume(root, None) == first
    # A crash came before our seat was kept at the next table: the one before leads there again.
    begun = new_table(ADDRESS, "304", "pagat")
    there = make_table_directory(root, begun.watch.table)
    with Journal.create(there, begun.watch.table) as journal:
        journal.append(JournalKind.CHARTER, charter_of(begun).to_bytes())
    assert table_to_resume(root, None, guess=False) == first
    second = make_table(root, CHARTER).watch.table
    for used_last in (first, second):
        for table in (first, second):
            moment = 2_000 if table == used_last else 1_000
            os.utime(make_table_directory(root, table) / "journal", (moment, moment))
        assert table_to_resume(root, None) == used_last
        with pytest.raises(UserError, match="several tables, so name one"):
            table_to_resume(root, None, guess=False)
    with pytest.raises(UserError, match="There are several tables"):
        table_to_resume(root, "")
    for table in (ended, first, second):
        assert table_to_resume(root, table.hex()) == table
        assert table_to_resume(root, table.hex()[:8].upper()) == table
    with pytest.raises(UserError, match="There is no table that begins with 'xyz'"):
        table_to_resume(root, "xyz")
    wrong = first.hex()[:8] + ("0" if first.hex()[8] != "0" else "1")
    with pytest.raises(UserError, match="There is no table that begins with"):
        table_to_resume(root, wrong)


def test_the_list_says_who_plays_and_how_to_go_on(root: Path, program: Program) -> None:
    assert "No table to go on with. 'p2p304 host' makes one." in program("tables")
    table = make_table(root, CHARTER, (JournalKind.CONFIRMED, b"x")).watch.table
    ended = make_table(root, CHARTER, (JournalKind.ENDED, b"x")).watch.table
    transcript = make_table_directory(root, ended) / transcript_name(ended, 0)
    transcript.write_bytes(b"x")
    told = program("tables")
    assert f"go on: p2p304 resume {table.hex()[:8]}" in told
    assert "you are East, at mqtt://127.0.0.1" in told
    assert "South Amara" in told
    assert "\u0301\u0301\u0301" not in told
    assert ended.hex()[:8] not in told
    told = program("tables", "--all")
    assert f"{ended.hex()[:8]}  finished" in told
    assert f"1 hand in {transcript.parent}\n" in told
    assert f"check the last: p2p304 audit {ended.hex()[:8]}/1" in told
    rows = {row["table"]: row for row in json.loads(program("tables", "--json"))}
    assert rows[ended.hex()]["transcripts"] == [str(transcript)]
    assert rows[ended.hex()]["resume"] is None
    assert rows[table.hex()]["resume"] == f"p2p304 resume {table.hex()[:8]}"
    assert rows[table.hex()]["seat"] == 1


def test_an_invite_used_again_is_the_same_seat_with_the_same_secrets(root: Path) -> None:
    table = new_table(ADDRESS, "304", "pagat")

    def taken(seat: int, name: str, *kept: bytes) -> Setup:
        journal, setup = take_place(root, new_setup(table.invites[seat], name))
        with journal:
            journal.append(JournalKind.CHARTER, *kept)
        return setup

    first, second = taken(1, "Banu"), taken(1, "Bahar")
    assert (second.nonce, second.seed) == (first.nonce, first.seed)
    assert second.nickname == "Bahar"
    third = taken(2, "Bahar", charter_of(table).to_bytes())
    assert third.seat == 2
    with pytest.raises(UserError, match="You have another seat at this table already"):
        taken(1, "Bahar")
    assert taken(2, "Other") == third


def test_a_hand_of_this_machine_has_a_short_name(
    root: Path, tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table(root, CHARTER).watch.table
    path = make_table_directory(root, table) / transcript_name(table, 1)
    path.write_bytes((SAVED / "redeal.p304").read_bytes())
    name = f"{table.hex()[:8]}/2"
    assert hand_name(path) == name
    assert hand_file(name) == hand_file(f"{table.hex().upper()}/2") == str(path)
    assert f"{path}: valid" in program("audit", name)
    assert "demands new cards" in program("replay", "--plain", name)
    assert "nor hand 1 of a table" in program("audit", f"{table.hex()[:8]}/1", code=2)
    monkeypatch.chdir(tmp_path)
    Path(table.hex()[:8]).mkdir()
    Path(name).write_bytes(b"")
    assert hand_file(name) == name  # a file that is called so wins
    assert hand_file("hand.p304") == "hand.p304"
    assert hand_name(tmp_path / "my hands" / path.name) == f"'{tmp_path}/my hands/{path.name}'"


def test_a_table_is_forgotten_after_a_question(root: Path) -> None:
    kept, gone = (make_table(root, CHARTER).watch.table for _ in range(2))
    name = gone.hex()[:8]
    runner = CliRunner()
    refused = runner.invoke(command, ["--forget", name], input="n\n")
    assert "0 transcripts would be removed for good" in refused.output
    assert "Nothing was removed." in refused.output
    assert {each.table for each in table_records(root)} == {kept, gone}
    assert "Removed." in runner.invoke(command, ["--forget", name], input="y\n").output
    assert [each.table for each in table_records(root)] == [kept]
    assert main(["tables", "--forget", name]) == 2
    looked_at = next(table_records(root))
    with kept_setup(root, kept)[0]:
        held = runner.invoke(command, ["--forget", kept.hex()], input="y\n")
        with pytest.raises(UserError, match="is open in another"):  # since it was looked at
            forget_table(looked_at)
    assert isinstance(held.exception, UserError)
    assert [each.table for each in table_records(root)] == [kept]


# --- tables of bots -------------------------------------------------------------------------------


TABLE_NAMES = ("Player", "Amara", "Banu", "Chandra")


def a_table(root: Path, *, bots: int = 3, days: float = 0.0, ended: bool = True) -> str:
    """A table of so many bots of ours, used so many days ago; the beginning of its name."""
    table = new_table(ADDRESS, "304", "pagat")
    name = table.watch.table
    with keep_setup(root, new_setup(table.invites[0], "Player")) as journal:
        directory = table_directory(root, name)
        keys = [SigningKey(secrets.token_bytes(32)).public for _ in TABLE_NAMES]
        for seat in range(1, 1 + bots):
            home = make_private_directory(bot_home(directory, Seat(seat)))
            keys[seat] = IdentityStore(home).key(secrets.token_bytes).public
        entries = (
            SeatEntry(key, nickname, secrets.token_bytes(32))
            for key, nickname in zip(keys, TABLE_NAMES, strict=True)
        )
        agreed = Charter(name, "304", full_agreement("304"), tuple(entries))
        journal.append(JournalKind.CHARTER, agreed.to_bytes())
        journal.append(JournalKind.CONFIRMED, b"")
        if ended:
            journal.append(JournalKind.ENDED, b"")
    shutil.copy(SAVED / "closed.p304", directory / transcript_name(name, 0))
    file = directory / FILE_NAME
    used = file.stat().st_mtime - days * DAY
    os.utime(file, (used, used))
    return name.hex()[:8]


def told(*options: str, typed: str = "") -> str:
    done = CliRunner().invoke(command, [*options], input=typed)
    assert done.exit_code == 0, done.output
    return done.output


def test_old_tables_of_bots_are_forgotten_in_one_command_and_no_other(root: Path) -> None:
    ended, old = a_table(root), a_table(root, days=30, ended=False)
    playing, people = a_table(root, ended=False), a_table(root, bots=2, days=99)
    asked = told("--forget-bots", typed="n\n")
    assert ended in asked
    assert old in asked
    assert playing not in asked
    assert people not in asked
    assert "Nothing was removed." in asked
    assert len([*table_records(root)]) == 4
    assert "Removed 2 tables." in told("--forget-bots", "--yes")
    assert {each.name for each in table_records(root)} == {playing, people}
    assert "nothing was removed" in told("--forget-bots", "--yes")
    assert "Removed 1 table." in told("--forget-bots", "--yes", "--days", "0")
    assert {each.name for each in table_records(root)} == {people}


def test_a_table_with_a_file_of_the_user_is_kept_when_bots_are_forgotten(root: Path) -> None:
    kept, gone = a_table(root), a_table(root)
    record = next(each for each in table_records(root) if each.name == kept)
    mine = record.directory / "notes.txt"
    mine.write_text("mine")
    text = told("--forget-bots", "--yes")
    assert f"{kept} is kept" in text
    assert "Removed 1 table." in text
    assert gone not in {each.name for each in table_records(root)}
    assert mine.read_text() == "mine"


def test_a_table_in_which_bots_of_another_one_live_is_kept(root: Path) -> None:
    before = a_table(root)
    (old,) = table_records(root)
    after = goes_on(root, old.charter)
    assert "nothing was removed" in told("--forget-bots", "--yes")
    refused = CliRunner().invoke(command, ["--forget", before, "--yes"])
    assert isinstance(refused.exception, UserError)
    assert after in str(refused.exception)
    assert {each.name for each in table_records(root)} == {before, after}
    assert "Removed 2 tables." in told("--forget-bots", "--yes", "--days", "0")


def test_a_table_in_which_a_bot_is_playing_is_kept(root: Path) -> None:
    name = a_table(root)
    (record,) = table_records(root)
    table = new_table(ADDRESS, "304", "pagat")
    home = bot_home(record.directory, Seat(1))
    with keep_setup(home, new_setup(table.invites[1], "Bot")):  # as while it plays elsewhere
        assert f"{name} is kept: A bot" in told("--forget-bots", "--yes")
    assert "Removed 1 table." in told("--forget-bots", "--yes")


def goes_on(root: Path, old: Charter) -> str:
    """A table in play that goes on with the match of another, with bots that stayed."""
    table = new_table(ADDRESS, "304", "pagat")
    name = table.watch.table
    term = Continues(
        old.digest, HandPoint(0, 1, bytes(32)), tuple(map(Seat, (0, 1, 2))), Seat(0), (11, 11)
    )
    entries = (replace(each, nonce=secrets.token_bytes(32)) for each in old.seats)
    charter = replace(
        old, table=name, seats=tuple(entries), terms=(Term(CONTINUES, term.to_value()),)
    )
    with keep_setup(root, new_setup(table.invites[0], "Player")) as journal:
        journal.append(JournalKind.CHARTER, charter.to_bytes())
        journal.append(JournalKind.CONFIRMED, b"")
    return name.hex()[:8]


# --- kept of a seat -------------------------------------------------------------------------------

# What a machine keeps and tells of a seat: its charter, keys and peers, and who we are.

CONTINUED = Charter.from_bytes(Draft.of(SAVED_HANDS["continued"].kept()).records[0].payload)


# --- the charter ----------------------------------------------------------------------------------


def test_a_seat_is_named_as_far_as_it_is_known() -> None:
    assert seat_name(CONTINUED, None) == "nobody"
    assert seat_name(None, Seat(2)) == "seat 3"
    assert seat_name(CONTINUED, Seat(1)) == "East (Banu)"
    assert "(" not in seat_name(CONTINUED, Seat(7))


# --- keys and names -------------------------------------------------------------------------------


def test_a_key_is_copied_to_a_home_that_has_none_and_never_over_one(tmp_path: Path) -> None:
    ours, bots = tmp_path / "ours", make_private_directory(tmp_path / "bot")
    key = IdentityStore(ours).key(lambda _: bytes(range(32))).public
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
    if file == NICKNAME_FILE:
        assert store.nickname is None
    else:
        with pytest.raises(IdentityError, match="is damaged"):
            _ = store.public_key


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
    bots = BotProcesses()
    await bots.start(Bot(new_setup(invite, "Bot"), bot_home(tmp_path, Seat(1))))
    try:
        with pytest.raises(UserError, match="The table did not end within 0 seconds"):
            await bots.finished(0.0)
        bots.pace(2.0)
        with pytest.raises(UserError, match=r"A bot of yours, Bot, ended: .*127\.0\.0\.1"):
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
    program("settings", "nickname", "Amara")
    second = json.loads(program("identity", "--json"))
    assert second["key"] == first["key"]
    told = program("identity")
    assert f"Your fingerprint: {first['fingerprint']}" in told
    assert "Your nickname:    Amara" in told


@pytest.mark.parametrize("name", ["", " x", "x" * 33, "a\x1b[2Jb", "a\u202eb"])
def test_a_nickname_that_no_charter_takes_is_refused(
    root: Path, program: Program, name: str
) -> None:
    with pytest.raises(StoreError, match="A nickname has 1 to 32 visible characters"):
        IdentityStore(root).set_nickname(name)
    assert "nickname" in program("settings", "nickname", name, code=2)


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


# --- kept homes -----------------------------------------------------------------------------------

# Homes that an earlier version wrote: its tables are told, gone on with and audited.

#: Homes of four invented players, as the program wrote them once. Identities, seeds and tokens in
#: it are made from the names of tables and belong to nobody. It is written anew for no change of
#: the program: it is there to be read by every later version.
FILE = Path(__file__).with_name("kept_homes.tar.xz")


MIDDLE, MATCH, ENDED, LEFT, NEXT, RULED, CHEATED = (
    *("dfe286ef", "ddce5ed8", "783c3f71", "ff448b5c", "b74149b7", "a7bb9c0b", "51523bb3"),
)
RETURNING, UNFINISHED = SessionStatus.RETURNING, SessionStatus.UNFINISHED
REDEALT = "The player at the dealer's right asked for new cards: nobody pays."
PASSED_OUT = "All seats passed: nobody pays."
#: How the audit of the hands of each table ends.
HANDS = {
    MIDDLE: [],
    MATCH: [PASSED_OUT, "North-South failed 160 with 118 points: North-South pay 2 tokens."],
    ENDED: [REDEALT, REDEALT, "unfinished"],
    LEFT: ["unfinished"],
    NEXT: [PASSED_OUT],
    RULED: ["unfinished"],
    CHEATED: [],
}


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(FILE) as archive:
        archive.extractall(tmp_path, filter="tar")
    monkeypatch.setenv(HOME_VARIABLE, str(home_of(tmp_path, 0)))
    return tmp_path


def home_of(homes: Path, seat: int) -> Path:
    """The home of the player in a seat."""
    return homes / NAMES[seat].lower()


def records(homes: Path, seat: int = 0) -> dict[str, TableRecord]:
    return {each.name: each for each in table_records(home_of(homes, seat))}


def resumed(homes: Path, name: str, seat: int = 0) -> Session:
    """A seat at a table, as its journal leaves it."""
    home, record = home_of(homes, seat), records(homes, seat)[name]
    journal, setup = kept_setup(home, record.table)
    with journal:
        charter = record.charter
        assert setup.place(charter) == FOUR_SEAT_NAMES[seat]
        return session_of(
            charter, setup, IdentityStore(home).key(bytes), records=journal.records(),
            patience=0.0, vouched=frozenset()
        )  # fmt: skip


class Resumed(MemoryTable):
    """Four seats that died and have come back."""

    def next_action(self, seat: int) -> object:
        session = self.sessions[seat]
        if not session.legal_actions():
            return None
        view = session.view()
        return random_player_for(session.game, seat).choose(view)


def test_who_plays_there_and_how_each_table_stands_is_told(homes: Path) -> None:
    found = {name: (each.state, each.after, each.next) for name, each in records(homes).items()}
    assert found == {
        MIDDLE: (StoredTable.PLAYING, None, None),
        MATCH: (StoredTable.ENDED, None, None),
        ENDED: (StoredTable.UNFINISHED, None, None),
        LEFT: (StoredTable.UNFINISHED, None, NEXT),
        NEXT: (StoredTable.PLAYING, LEFT, None),
        RULED: (StoredTable.PLAYING, None, None),
        CHEATED: (StoredTable.STOPPED, None, None),
    }
    told = CliRunner().invoke(command, ["--all"], catch_exceptions=False).output
    for words in (*found, f"goes on with the match of {LEFT}", f"the match went on at {NEXT}"):
        assert words in told
    for seat, name in enumerate(NAMES[:4]):
        home = home_of(homes, seat)
        assert IdentityStore(home).nickname == name
        assert {each.nickname for each in PeersFile(home).all()} == {*NAMES[:4]} - {name}


def test_every_journal_is_read_to_where_it_ended(homes: Path) -> None:
    found = {}
    for name in records(homes):
        session = resumed(homes, name)
        found[name] = (
            session.status,
            session.table_state.counted,
            session.phase,
            session.match_winner,
        )
    assert found == {
        MIDDLE: (RETURNING, 0, LedgerPhase.ACTING, None),
        MATCH: (RETURNING, 2, LedgerPhase.CONFIRMING, 1),
        ENDED: (UNFINISHED, 2, LedgerPhase.ACTING, None),
        LEFT: (UNFINISHED, 0, LedgerPhase.ACTING, None),
        NEXT: (RETURNING, 1, LedgerPhase.ACTING, None),
        RULED: (RETURNING, EPOCH, LedgerPhase.ACTING, None),
        CHEATED: (RETURNING, 0, LedgerPhase.ACTING, None),
    }


def test_every_hand_is_audited_and_told(homes: Path) -> None:
    found: dict[str, list[str]] = {}
    for name, record in records(homes).items():
        told = found.setdefault(name, [])
        for path in record.transcripts:
            (hand,) = audit_file(str(path)).as_json()["hands"]
            told.append(hand["summary"])
            assert (hand["ended_by"] == [0, 1, 2]) == (hand["summary"] == "unfinished") or (
                hand["ruling"]["verdict"] == "penalty"
            )
            explained = CliRunner().invoke(audit, ["--explain", str(path)], catch_exceptions=False)
            assert explained.exit_code == 0
            assert "valid" in explained.output
    assert found == HANDS


def test_the_evidence_convicts_the_same_seat(homes: Path) -> None:
    (path,) = records(homes)[CHEATED].directory.glob("*.p304e")
    assert check_evidence_file(str(path)).sentence.startswith(
        "the evidence convicts East (Bimal) of ledger.equivocation; the seat's key is "
    )


def test_a_hand_in_the_middle_is_played_to_its_end_by_all_four(homes: Path) -> None:
    table = Resumed([resumed(homes, MIDDLE, seat) for seat in range(4)])
    before = [session.table_state.hand() for session in table.sessions]
    assert min(0 if each is None else len(each.ledger.rounds) for each in before) == 30
    for seat in range(4):
        table.call(seat, lambda session: session.tick(now=table.now))
    table.deliver_all()
    assert {session.status for session in table.sessions} == {SessionStatus.PLAYING}
    table.play(1)
    (file,) = {hand_transcript(each.table_state, 0) for each in table.sessions}
    report = audit_bytes(file, lambda _: table.sessions[0].game)
    assert report.valid
    assert report.hands[0].outcome is not None


def test_the_record_of_an_earlier_tournament_is_refused_by_name(homes: Path) -> None:
    with pytest.raises(UserError, match="is a record of an earlier version of this program"):
        _ = TournamentFolder(homes / "tournament").record


# --- names completed ------------------------------------------------------------------------------


def completed(*words: str) -> list[str]:
    """What the program offers for the last word."""
    *before, last = words
    found = ShellComplete(program, {}, "p2p304", "_P2P304_COMPLETE")
    return [item.value for item in found.get_completions([*before], last)]


@pytest.mark.parametrize("command", ["audit", "replay", "stats"])
def test_names_of_hands_are_completed(root: Path, command: str) -> None:
    name = a_table(root)
    directory = next((root / "tables").glob(f"{name}*"))
    hand = directory / transcript_name(bytes.fromhex(directory.name), 0)
    shutil.copy(hand, directory / transcript_name(bytes.fromhex(directory.name), 11))
    assert completed(command, name[:2]) == [f"{name}/1", f"{name}/12"]
    assert completed(command, f"{name}/") == [f"{name}/1", f"{name}/12"]
    assert completed(command, f"{name}/12") == [f"{name}/12"]
    assert [item.type for item in HandFile().shell_complete(None, None, "some/file")] == ["file"]  # type: ignore[arg-type]


def test_where_there_is_no_table_nothing_is_offered_and_nothing_fails(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completed("resume", "") == []
    assert hand_names("88d17ccd/") == []
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "file"))
    assert completed("resume", "") == []
