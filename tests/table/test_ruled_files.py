"""Files of hands that a referee ended, and of those that follow."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from click.testing import CliRunner

from cli.commands.audit import command as audit
from cli.seat.charter_text import game_of
from p2p304.seats import Seat
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName
from protocol.table.events import HandRuled
from protocol.table.standing import stop_hand
from protocol.topics.commands import EndUnfinished
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import Report, audit_bytes
from protocol.transcript.file import contents_of, hand_transcript, write_transcript
from protocol.wire.contents import Ruling, RulingVerdict, UnfinishedAgreement
from protocol.wire.envelope import Envelope
from protocol.wire.messages import Notice, open_message, sign_ruling
from protocol.wire.referee import REFEREE, referees_to_value
from protocol.wire.terms import Term
from tests.table.bus import Table
from tests.table.colluders import Colluders
from tests.table.refereed import GAME, REFEREES, refereed_at, ruling_at, tell
from tests.table.resigning import signed_again
from tests.table.seating import charter, notice
from tests.table.test_evidence import ELSEWHERE
from tests.table.tiny_game import TinyGame
from tests.vectors.hands import SAVED_HANDS


@cache
def ruled_table(verdict: RulingVerdict, against: int = 0, rounds: int = 3) -> Table:
    """A table whose second hand a referee stopped, and the hand after it. It stays as it is."""
    table = refereed_at(1, rounds)
    tell(table, ruling_at(table, 1, rounds, verdict, against=against))
    if verdict in (RulingVerdict.DISQUALIFIED, RulingVerdict.WALK_OVER):
        table.deliver_all()
        table.confirm()
    if verdict is not RulingVerdict.END:
        table.run(table.all_played(EPOCH + 1))
    return table


@cache
def ruled_too_late() -> bytes:
    """The file of a hand whose number no ruling could lead beyond, and that a referee stopped."""
    number = MOST_EPOCHS * EPOCH
    like = SAVED_HANDS["ruled"].table_of().charter
    table = Colluders(game_of(like))
    referee = Term(REFEREE, referees_to_value((REFEREES[0].public,)))
    table.charter = replace(like, seats=charter().seats, terms=(referee,))
    table.opening(number, (ELSEWHERE,))
    scores = table.game.new_match(bytes(32)).scores
    hand = table.hand(table.deck(number, 1, ELSEWHERE), 2, scores, ELSEWHERE)
    closed, head = len(hand.ledger.rounds), bytes(hand.ledger.head)
    content = Ruling(number, closed, head, int(RulingVerdict.REDEAL), 0, "so ruled")
    table.written[-1] = stop_hand(hand, sign_ruling(table.charter, content, REFEREES[0]))
    return table.file()


def report_of(data: bytes) -> Report:
    return audit_bytes(data, lambda _: GAME)


def whole_file(table: Table, *hands: int, setups: tuple[int, ...] = (0,)) -> bytes:
    """One file of several hands, each with its deck, with the setup of each match."""
    state = table.sessions[0].table_state
    names = [LedgerName(Lane.TABLE, setups[0])]
    for number in hands:
        names += [
            LedgerName(Lane.TABLE, each) for each in setups[1:] if state.first_hands[each] == number
        ]
        names += [LedgerName(Lane.DECK, number), LedgerName(Lane.HAND, number)]
    return b"".join(write_transcript(table.charter, [state.replicas[name] for name in names]))


def test_a_match_with_a_ruling_in_it_is_one_valid_file_whose_scores_continue() -> None:
    for verdict, against in ((RulingVerdict.REDEAL, 0), (RulingVerdict.PENALTY, 0b10)):
        report = report_of(whole_file(ruled_table(verdict, against), 0, 1, EPOCH))
        assert report.valid, report.broken
        assert report.passed["match.scores"] == 3


def test_a_penalty_left_out_breaks_the_scores_of_what_follows() -> None:
    table = ruled_table(RulingVerdict.PENALTY, 0b10)
    redealt = ruled_table(RulingVerdict.REDEAL)
    state, other = table.sessions[0].table_state, redealt.sessions[0].table_state
    names = [LedgerName(Lane.TABLE, 0)]
    names += [LedgerName(lane, number) for number in (0, 1) for lane in (Lane.DECK, Lane.HAND)]
    after = [LedgerName(Lane.DECK, EPOCH), LedgerName(Lane.HAND, EPOCH)]
    replicas = [other.replicas[name] for name in names] + [state.replicas[name] for name in after]
    report = report_of(b"".join(write_transcript(table.charter, replicas)))
    assert report.broken is not None
    assert report.broken.check == "ledger.after"


def test_a_match_that_a_referee_ended_is_over_and_another_may_follow_in_the_file() -> None:
    table = ruled_table(RulingVerdict.DISQUALIFIED, 0b1)
    report = report_of(whole_file(table, 0, 1, EPOCH, setups=(0, EPOCH)))
    assert report.valid, report.broken
    assert [each.number for each in report.hands] == [0, 1, EPOCH]


def test_nothing_but_another_match_follows_in_the_file_once_one_is_over() -> None:
    lost = whole_file(ruled_table(RulingVerdict.DISQUALIFIED, 0b1), 0, 1, EPOCH)
    table = Table(TinyGame(4, target=1), 3).played().played(2)
    for data, game in ((lost, GAME), (whole_file(table, 0, 1), table.game)):
        report = audit_bytes(data, lambda _, game=game: game)
        assert report.broken is not None
        assert report.broken.check == "transcript.order"


def test_a_hand_whose_result_was_there_counts_as_it_was_ruled() -> None:
    table = refereed_at(1, 1)
    state = table.sessions[0].table_state
    hand = state.hand_of(0)
    end = len(hand.ledger.rounds)
    scores = tuple(hand.machine.outcome.scores if hand.machine.outcome else ())
    tell(table, ruling_at(table, 0, end, RulingVerdict.PENALTY, against=1))
    table.run(table.all_played(EPOCH + 1))
    after = table.sessions[1].table_state.hand_of(EPOCH)
    assert after.origin.scores == (scores[0] - 3, *scores[1:])
    assert after.origin.leading == (hand.origin.leading + 1) % 4
    report = report_of(whole_file(table, 0, EPOCH))
    assert report.valid, report.broken
    assert report.hands[0].outcome is not None
    assert [type(each) for each in table.chairs[0].events].count(HandRuled) == 1


def test_a_hand_that_a_referee_ends_leaves_a_valid_file_after_which_nothing_follows() -> None:
    table = ruled_table(RulingVerdict.END)
    report = report_of(hand_transcript(table.sessions[0].table_state, 1))
    assert report.valid, report.broken
    assert report.standing is not None
    assert report.standing.point.hand == 1
    assert report.standing == table.sessions[0].table_state.standing()


def test_a_ruling_beyond_the_thousandth_cannot_be() -> None:
    report = audit_bytes(ruled_too_late(), game_of)
    assert report.broken is not None
    assert report.broken.check == "ruling.verdict"


# --- x --------------------------------------------------------------------------------------------


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
