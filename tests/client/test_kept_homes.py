"""Homes that an earlier version wrote: its tables are told, gone on with and audited."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.auditing import audit_file, check_evidence_file
from cli.commands.audit import command as audit
from cli.commands.tables import command as tables
from cli.errors import UserError
from cli.local.records import StoredTable, TableRecord, table_records
from cli.local.sitting import kept_setup
from cli.seat.driver import session_of
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import HOME_VARIABLE
from cli.tournament.folder import TournamentFolder
from p2p304.bots.players import random_player_for
from p2p304.seats import FOUR_SEAT_NAMES
from protocol.memory_table import MemoryTable
from protocol.places import EPOCH
from protocol.seat.session import Session
from protocol.table.ledger import LedgerPhase
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from tests.table.bus import NAMES

FILE = Path(__file__).with_name("kept_homes.tar.xz")
"""Homes of four invented players, as the program wrote them once. Identities, seeds and tokens in
it are made from the names of tables and belong to nobody. It is written anew for no change of the
program: it is there to be read by every later version."""

TOURNAMENT = "tournament"
"""The folder of the first player's tournament."""

MIDDLE, MATCH, ENDED, LEFT, NEXT, RULED, CHEATED = (
    *("dfe286ef", "ddce5ed8", "783c3f71", "ff448b5c", "b74149b7", "a7bb9c0b", "51523bb3"),
)
RETURNING, UNFINISHED = SessionStatus.RETURNING, SessionStatus.UNFINISHED
REDEALT = "The player at the dealer's right asked for new cards: nobody pays."
PASSED_OUT = "All seats passed: nobody pays."
HANDS = {
    MIDDLE: [],
    MATCH: [PASSED_OUT, "North-South failed 160 with 118 points: North-South pay 2 tokens."],
    ENDED: [REDEALT, REDEALT, "unfinished"],
    LEFT: ["unfinished"],
    NEXT: [PASSED_OUT],
    RULED: ["unfinished"],
    CHEATED: [],
}
"""How the audit of the hands of each table ends."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(FILE) as archive:
        archive.extractall(tmp_path, filter="tar")
    monkeypatch.setenv(HOME_VARIABLE, str(home_of(tmp_path, 0)))
    return tmp_path


def home_of(root: Path, seat: int) -> Path:
    """The home of the player in a seat."""
    return root / NAMES[seat].lower()


def records(root: Path, seat: int = 0) -> dict[str, TableRecord]:
    return {each.name: each for each in table_records(home_of(root, seat))}


def resumed(root: Path, name: str, seat: int = 0) -> Session:
    """A seat at a table, as its journal leaves it."""
    home, record = home_of(root, seat), records(root, seat)[name]
    journal, setup = kept_setup(home, record.table)
    with journal:
        charter = record.charter
        assert charter is not None
        assert setup.place(charter) == FOUR_SEAT_NAMES[seat]
        return session_of(
            charter, setup, IdentityStore(home).key(bytes), records=journal.records(),
            patience=0.0, vouched=frozenset(),
        )  # fmt: skip


class Resumed(MemoryTable):
    """Four seats that died and have come back."""

    def next_action(self, seat: int) -> object:
        session = self.sessions[seat]
        if not session.legal_actions():
            return None
        view = session.view()
        assert view is not None
        return random_player_for(session.game, seat).choose(view)


def test_who_plays_there_and_how_each_table_stands_is_told(root: Path) -> None:
    found = {name: (each.state, each.after, each.next) for name, each in records(root).items()}
    assert found == {
        MIDDLE: (StoredTable.PLAYING, None, None),
        MATCH: (StoredTable.ENDED, None, None),
        ENDED: (StoredTable.UNFINISHED, None, None),
        LEFT: (StoredTable.UNFINISHED, None, NEXT),
        NEXT: (StoredTable.PLAYING, LEFT, None),
        RULED: (StoredTable.PLAYING, None, None),
        CHEATED: (StoredTable.STOPPED, None, None),
    }
    told = CliRunner().invoke(tables, ["--all"], catch_exceptions=False).output
    for words in (*found, f"goes on with the match of {LEFT}", f"the match went on at {NEXT}"):
        assert words in told
    for seat, name in enumerate(NAMES[:4]):
        home = home_of(root, seat)
        assert IdentityStore(home).nickname == name
        assert {each.nickname for each in PeersFile(home).all()} == {*NAMES[:4]} - {name}


def test_every_journal_is_read_to_where_it_ended(root: Path) -> None:
    found = {}
    for name in records(root):
        session = resumed(root, name)
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


def test_every_hand_is_audited_and_told(root: Path) -> None:
    found: dict[str, list[str]] = {}
    for name, record in records(root).items():
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


def test_the_evidence_convicts_the_same_seat(root: Path) -> None:
    (path,) = records(root)[CHEATED].directory.glob("*.p304e")
    assert check_evidence_file(str(path)).sentence.startswith(
        "the evidence convicts East (Bimal) of ledger.equivocation; the seat's key is "
    )


def test_a_hand_in_the_middle_is_played_to_its_end_by_all_four(root: Path) -> None:
    table = Resumed([resumed(root, MIDDLE, seat) for seat in range(4)])
    before = [session.table_state.hand for session in table.sessions]
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


def test_the_record_of_an_earlier_tournament_is_refused_by_name(root: Path) -> None:
    with pytest.raises(UserError, match="is a record of an earlier version of this program"):
        _ = TournamentFolder(root / TOURNAMENT).record
