"""Tables by date with their results, and those of bots forgotten in one command."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.commands.resume import name_in
from cli.commands.tables import DAY, command
from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.seat.bot_processes import bot_home, homes_at
from cli.seat.records import match_result, table_records, table_to_resume
from cli.seat.setup import Kept
from cli.seat.sitting import keep_setup, new_setup, new_table, take_place
from cli.store.identity import IdentityStore
from cli.store.journal import FILE_NAME
from cli.store.paths import make_private_directory, table_directory, transcript_name
from p2p304.games import full_agreement
from p2p304.seats import Seat
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.continues import CONTINUES, Continues, HandPoint
from protocol.wire.identity import SigningKey
from protocol.wire.terms import Term

HAND = Path(__file__).parents[2] / "specs" / "vectors" / "hands" / "closed.p304"
ADDRESS = BrokerAddress.parse("mqtt://127.0.0.1:1883")
NAMES = ("Player", "Amara", "Banu", "Chandra")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def a_table(root: Path, *, bots: int = 3, days: float = 0.0, ended: bool = True) -> str:
    """A table of so many bots of ours, used so many days ago; the beginning of its name."""
    table = new_table(ADDRESS, "304", "pagat")
    name = table.watch.table
    with keep_setup(root, new_setup(table.invites[0], "Player")) as journal:
        directory = table_directory(root, name)
        keys = [SigningKey(secrets.token_bytes(32)).public for _ in NAMES]
        for seat in range(1, 1 + bots):
            home = make_private_directory(bot_home(directory, Seat(seat)))
            keys[seat] = IdentityStore(home).key(secrets.token_bytes).public
        entries = (
            SeatEntry(key, nickname, secrets.token_bytes(32))
            for key, nickname in zip(keys, NAMES, strict=True)
        )
        charter = Charter(name, "304", full_agreement("304"), tuple(entries))
        journal.append(Kept.CHARTER, charter.to_bytes())
        journal.append(Kept.CONFIRMED, b"")
        if ended:
            journal.append(Kept.ENDED, b"")
    shutil.copy(HAND, directory / transcript_name(name, 0))
    file = directory / FILE_NAME
    used = file.stat().st_mtime - days * DAY
    os.utime(file, (used, used))
    return name.hex()[:8]


def test_a_bot_whose_table_is_resumed_keeps_its_name() -> None:
    table = new_table(ADDRESS, "304", "pagat")
    keys = [SigningKey(bytes([seat]) * 32).public for seat in range(4)]
    entries = tuple(
        SeatEntry(key, name, bytes([seat]) * 32)
        for seat, (key, name) in enumerate(zip(keys, NAMES, strict=True))
    )
    charter = Charter(table.watch.table, "304", full_agreement("304"), entries)
    assert [name_in(charter, Seat(seat)) for seat in (1, 2)] == ["Amara", "Banu"]
    begun = [name_in(None, Seat(seat)) for seat in (1, 2)]
    assert begun == ["Bot Amara", "Bot Banu"]


def told(*options: str, typed: str = "") -> str:
    done = CliRunner().invoke(command, [*options], input=typed)
    assert done.exit_code == 0, done.output
    return done.output


def test_tables_stand_by_date_with_their_people_and_results(root: Path) -> None:
    old, new, middle = (a_table(root, days=days) for days in (9, 0, 4))
    text = told("--all")
    assert text.index(new) < text.index(middle) < text.index(old)
    assert "East Amara (bot)" in text
    (first, *_) = json.loads(told("--all", "--json"))
    record = next(each for each in table_records(root) if each.name == new)
    assert first["table"].startswith(new)
    assert first["result"] == match_result(record) != ""
    assert first["bots"] == [1, 2, 3]
    assert match_result(record) in text


def test_a_file_that_is_no_transcript_has_no_result_and_breaks_no_list(root: Path) -> None:
    name = a_table(root)
    (record,) = table_records(root)
    for wrong in (b"", b"nonsense", HAND.read_bytes()[:-9], b"\0" * 4_096):
        record.transcripts[0].write_bytes(wrong)
        assert match_result(record) == ""
        assert name in told("--all")


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
    assert old.charter is not None
    after = goes_on(root, old.charter)
    assert "nothing was removed" in told("--forget-bots", "--yes")
    refused = CliRunner().invoke(command, ["--forget", before, "--yes"])
    assert isinstance(refused.exception, UserError)
    assert after in str(refused.exception)
    assert {each.name for each in table_records(root)} == {before, after}
    assert "Removed 2 tables." in told("--forget-bots", "--yes", "--days", "0")


def test_resuming_a_table_goes_on_where_its_match_went_on_with_the_bots_that_stayed(
    root: Path,
) -> None:
    before = a_table(root, ended=False)
    (old,) = table_records(root)
    assert old.charter is not None
    after = goes_on(root, old.charter)
    for prefix in (before, after, None):
        table = table_to_resume(root, prefix)
        assert table.hex().startswith(after)
    (new,) = (each for each in table_records(root) if each.name == after)
    assert new.charter is not None
    homes = homes_at(new.directory, new.charter)
    assert homes == {Seat(seat): bot_home(old.directory, Seat(seat)) for seat in (1, 2, 3)}
    for seat, home in homes.items():  # as each went on by itself, and is started by the host again
        told = new_table(ADDRESS, "304", "pagat").invites[seat]
        with keep_setup(home, new_setup(replace(told, table=new.table), NAMES[seat])) as journal:
            journal.append(Kept.CHARTER, new.charter.to_bytes())
        other = replace(told, table=new.table, token=bytes(range(16)))
        journal, setup = take_place(home, new_setup(other, NAMES[seat]))
        journal.close()
        assert setup.invite.seat == seat
    stranger = replace(new.charter.seats[3], key=SigningKey(bytes(range(32))).public)
    charter = replace(new.charter, seats=(*new.charter.seats[:3], stranger))
    assert set(homes_at(new.directory, charter)) == {Seat(1), Seat(2)}


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
        journal.append(Kept.CHARTER, charter.to_bytes())
        journal.append(Kept.CONFIRMED, b"")
    return name.hex()[:8]
