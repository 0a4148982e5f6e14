"""What all honest seats write alike, where a seat signs its messages more than once."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from cli.commands.audit import command as audit
from p2p304.seats import Seat
from protocol.topics.commands import EndUnfinished
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import contents_of, hand_transcript
from protocol.wire.authenticate import open_message
from protocol.wire.contents import UnfinishedAgreement
from protocol.wire.envelope import Envelope
from protocol.wire.messages import Notice
from tests.table.bus import Table
from tests.table.resigning import signed_again
from tests.table.seating import notice
from tests.table.tiny_game import TinyGame

SIGNER, MISLED = 1, 2
SAVED = Path(__file__).resolve().parents[2] / "specs" / "vectors" / "hands"


class TwiceSigned(Table):
    """What seat 1 signs reaches seat 2 under another good signature."""

    def publish(self, seat: int, envelope: bytes) -> None:
        before = len(self.flying)
        super().publish(seat, envelope)
        if seat == SIGNER:
            self.flying[before:] = [
                (sender, reader, self.other(raw) if reader == MISLED else raw)
                for sender, reader, raw in self.flying[before:]
            ]

    def other(self, raw: bytes) -> bytes:
        made, said = Envelope.from_bytes(raw), open_message(raw, self.charter)
        if isinstance(said, Notice) and isinstance(said.content, UnfinishedAgreement):
            raw = notice(self.charter, SIGNER, said.content, serial=said.serial + 7)
            made = Envelope.from_bytes(raw)
        return signed_again(made, self.charter).to_bytes()


def files(table: Table) -> list[bytes]:
    sessions = [chair.session for chair in table.chairs]
    return [hand_transcript(each.table_state, 0, each.agreed_end()) for each in sessions]


def test_files_differ_in_signatures_and_in_nothing_else() -> None:
    table = TwiceSigned(TinyGame(3, target=100), 5).played()
    mine, _, other = found = files(table)
    assert mine != other
    assert len({contents_of(each) for each in found}) == 1
    assert not table.blamed()
    for each in found:
        report = audit_bytes(each, lambda _: table.game)
        assert report.valid
        assert report.contents == contents_of(mine)
    heads = {chair.session.table_state.hand.ledger.head for chair in table.chairs}  # type: ignore[union-attr]
    assert len(heads) == 1


def test_files_of_a_hand_that_was_ended_have_the_same_contents() -> None:
    table = TwiceSigned(TinyGame(3, target=100), 5).begun()
    table.run(lambda: table.sessions[0].table_state.hand is not None)
    table.deliver_all()
    for seat in range(3):
        if table.sessions[seat].status is not SessionStatus.UNFINISHED:
            table.act(seat, EndUnfinished((Seat(0), Seat(1), Seat(2))))
    table.run(lambda: {each.session.status for each in table.chairs} == {SessionStatus.UNFINISHED})
    found = files(table)
    assert len(set(found)) > 1
    assert len({contents_of(each) for each in found}) == 1


def test_an_audit_tells_the_contents() -> None:
    saved = SAVED / "closed.p304"
    told = CliRunner().invoke(audit, [str(saved), "--json"])
    (found,) = json.loads(told.output)
    assert found["contents"] == contents_of(saved.read_bytes()).hex()
