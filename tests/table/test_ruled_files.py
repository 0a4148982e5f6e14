"""Files of hands that a referee ended, and of those that follow."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from cli.seat.charter_text import game_of
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName
from protocol.table.events import HandRuled
from protocol.topics.referee import stopped
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript, write_transcript
from protocol.transcript.report import Report
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.messages import sign_ruling
from protocol.wire.referee import REFEREE, referees_to_value
from protocol.wire.terms import Term
from tests.table.bus import Table
from tests.table.colluders import Colluders
from tests.table.refereed import GAME, REFEREES, refereed_at, ruling_at, tell
from tests.table.seating import charter
from tests.table.test_files_of_colluders import ELSEWHERE
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
    table.written[-1] = stopped(hand, sign_ruling(table.charter, content, REFEREES[0]))
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
