"""Tables and files of a version that was never released: refused, with a sentence that says so."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.commands.audit import command as audit
from cli.commands.entering import entry_for
from cli.commands.replay import command as replay
from cli.commands.tables import command as tables
from cli.errors import StoreError, UserError
from cli.invite import InviteVersionError
from cli.local.records import StoredTable, table_records, table_to_resume
from cli.local.sitting import kept_setup, new_setup, new_table
from cli.net.address import BrokerAddress
from cli.seat.setup import JournalKind
from cli.store.journal import Journal
from cli.store.paths import home, make_table_directory
from protocol.encoding import decode, encode
from tests.client.text_person import typing
from tests.vectors.hands import SAVED_HANDS

SAID = "of version 1 of the protocol, which was never released"
TODO = "begin a new table"
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def old_charter(data: bytes) -> bytes:
    """The same charter as the program before would have written it."""
    value = decode(data)
    assert isinstance(value, tuple)
    return encode((1, *value[1:5]))


def old_invite(text: str) -> str:
    digits = text.removeprefix("P2P304-")
    number = int("".join(f"{DIGITS.index(each):05b}" for each in digits), 2)
    spare = 5 * len(digits) % 8
    data = (number >> spare).to_bytes(5 * len(digits) // 8, "big")
    body = b"\1" + data[1:-5]
    whole = body + hashlib.sha256(b"p2p304 invite 1" + body).digest()[:5]
    bits = "".join(f"{byte:08b}" for byte in whole) + "0" * (-8 * len(whole) % 5)
    return "P2P304-" + "".join(DIGITS[int(bits[at : at + 5], 2)] for at in range(0, len(bits), 5))


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    whole = SAVED_HANDS["passed-out"].kept()
    start = len(b"p2p304 transcript 1\n")
    length = int.from_bytes(whole[start + 1 : start + 5], "big")
    agreed = old_charter(whole[start + 5 : start + 5 + length])
    path = tmp_path / "old.p304"
    path.write_bytes(
        whole[:start] + b"C" + len(agreed).to_bytes(4, "big") + agreed + whole[start + 5 + length :]
    )
    return path


def told(result: Result) -> str:
    """All that a user reads, an error that the program would print in its one place too."""
    return result.output + (str(result.exception) if result.exception is not None else "")


def test_audit_and_replay_say_that_a_transcript_is_of_it(transcript: Path) -> None:
    done = CliRunner().invoke(audit, [str(transcript), "--jobs", "1"], standalone_mode=False)
    assert SAID in done.output
    assert TODO in done.output
    assert "valid" not in done.output, "nothing was judged"
    assert done.return_value == 2
    shown = CliRunner().invoke(replay, [str(transcript), "--plain"], standalone_mode=False)
    assert isinstance(shown.exception, UserError)
    assert SAID in str(shown.exception)


@pytest.mark.parametrize("broken", [4, 60, None])
async def test_join_says_so_of_one_in_small_letters_and_in_pieces(broken: int | None) -> None:
    """Also of one that is broken where nothing tells yet that it is an invite."""
    invite = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat").invites[1]
    text = old_invite(invite.format()).lower()
    console, _ = typing(text[:broken], text[broken:] if broken else "")
    for argument in (None, text):
        with pytest.raises(InviteVersionError, match=SAID):
            await entry_for(argument, console)


def test_resume_and_tables_say_that_a_table_is_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    root = home()
    invite = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat").invites[1]
    setup = new_setup(invite, "Banu")
    value = decode(setup.to_bytes())
    assert isinstance(value, tuple)
    with Journal.create(make_table_directory(root, invite.table), invite.table) as journal:
        journal.append(JournalKind.SETUP, encode((old_invite(invite.format()), *value[1:])))
    (record,) = table_records(root)
    assert record.state is StoredTable.UNREADABLE
    assert SAID in record.detail
    with pytest.raises(UserError, match=SAID):
        table_to_resume(root, None)
    with pytest.raises(StoreError, match=SAID):
        kept_setup(root, table_to_resume(root, record.name))
    assert SAID in " ".join(told(CliRunner().invoke(tables)).split())
