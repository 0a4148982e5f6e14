"""What a referee's ruling changes: the hand ends at its point, and the match goes on from there."""

from __future__ import annotations

from itertools import product

import pytest

from p2p304.seats import Seat
from protocol.errors import ProofError
from protocol.places import EPOCH, Lane
from protocol.seat.watcher import Watcher
from protocol.table.events import HandRuled, HandUnfinished, MatchEnded, RulingHeard
from protocol.table.sync import HEADS_INTERVAL, QUESTION_BYTES
from protocol.table.table import TableState
from protocol.topics.commands import Ask
from protocol.topics.referee import consequence, ruled
from protocol.topics.step import SessionStatus
from protocol.wire.contents import RulingVerdict
from tests.long import sample
from tests.table.bus import Table
from tests.table.refereed import (
    before_match,
    played_to,
    point_of,
    refereed,
    refereed_at,
    ruled_hands,
    ruling_at,
    signed_by,
    tell,
    told,
)
from tests.table.tiny_game import TinyGame, TinyOutcome


def state(table: Table, seat: int = 0) -> TableState:
    return table.sessions[seat].table_state


def alike(table: Table) -> bool:
    """Whether all seats hold one history of what counts."""
    heads = {
        tuple(
            (name, bytes(each.head), each.origin)
            for name, each in sorted(session.table_state.replicas.items())
            if each.settled
        )
        for session in table.sessions
    }
    return len(heads) == 1


def goes_on(table: Table, hands: int = EPOCH + 1) -> None:
    """All count so many hands, and come to one history in which nobody is blamed."""
    table.run(table.all_played(hands))
    assert alike(table)
    assert not table.blamed()


def test_without_action_the_hand_goes_on_and_all_know_what_was_ruled() -> None:
    table = refereed_at(0, 3)
    tell(table, ruling_at(table, 0, 2, RulingVerdict.NO_ACTION), 0)
    table.run(table.all_played(1))
    assert [len(each) for each in told(table, RulingHeard)] == [1, 1, 1, 1]
    assert not any(ruled_hands(table))


def test_a_penalty_moves_scores_and_deal_and_what_follows_continues_them() -> None:
    table = refereed_at(1, 4)
    before = state(table).hand_of(1)
    tell(table, ruling_at(table, 1, 4, RulingVerdict.PENALTY, against=0b100))
    goes_on(table)
    after = state(table).hand_of(EPOCH)
    expected = list(before.origin.scores)
    expected[2] -= 3
    assert after.origin.scores == tuple(expected)
    assert after.origin.leading == (before.origin.leading + 1) % 4
    rows = [each for each in state(table).course if each.number == 1]
    assert [row.scores for row in rows] == [tuple(expected)]


def test_seats_that_are_further_go_back_over_hands_that_have_ended() -> None:
    table = refereed_at(2, 2)
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL), 1)
    goes_on(table)
    assert ruled_hands(table) == [[0]] * 4
    void = [each.void for each in told(table, HandRuled)[0] if isinstance(each, HandRuled)]
    assert void == [(1, 2)]
    first = state(table).hand_of(EPOCH)
    assert first.origin.scores == (0, 0, 0, 0)
    assert table.sessions[0].hands_played == 1
    assert [each.number for each in state(table).course] == [EPOCH]


def test_a_ruling_that_one_seat_hears_late_voids_what_it_has_signed_since() -> None:
    table = refereed_at(0, 3)
    ruling = ruling_at(table, 0, 3, RulingVerdict.REDEAL)
    table.weather.cut = lambda _step, _sender, reader: reader == 3
    tell(table, ruling, 0, 1, 2)
    for _ in range(200):
        table.step += 1
        if not table.deliver() and not any(table.choose(seat) for seat in (3, 0, 1, 2)):
            table.tick(1.0)
    table.heal()
    goes_on(table)
    assert ruled_hands(table) == [[0]] * 4


@pytest.mark.parametrize(
    "case",
    sample(
        product([RulingVerdict.REDEAL, RulingVerdict.PENALTY], [True, False]),
        [(RulingVerdict.REDEAL, False), (RulingVerdict.PENALTY, True)],
    ),
    ids=lambda case: f"{case[0].name}, {'before' if case[1] else 'behind'} its point",
)
def test_all_come_to_one_history_whenever_the_ruling_arrives(
    case: tuple[RulingVerdict, bool],
) -> None:
    verdict, early = case
    ahead = refereed_at(1, 3)
    against = 1 if verdict is RulingVerdict.PENALTY else 0
    ruling = ruling_at(ahead, 1, 3, verdict, against=against)
    table = refereed()
    if early:
        tell(table, ruling, 0)
        table.run(lambda: all(state(table, seat).rulings.signed for seat in range(4)))
    else:
        played_to(table, 1, 6)
        tell(table, ruling, 3)
    goes_on(table)
    assert ruled_hands(table) == [[1]] * 4
    head = state(table).hand_of(1)
    assert len(head.ledger.rounds) == 3


def test_a_seat_that_comes_back_learns_of_a_ruling_and_goes_on() -> None:
    table = refereed_at(0, 3)
    records = len(table.chairs[2].journal)
    ruling = ruling_at(table, 0, 2, RulingVerdict.REDEAL)
    tell(table, ruling, 0, 1, 3)
    table.run(lambda: state(table).hand_of(EPOCH) is not None)
    table.restart(2, records)
    goes_on(table)
    table.restart(2)
    goes_on(table, EPOCH + 2)


def test_who_is_disqualified_has_lost_the_match_at_the_table() -> None:
    table = refereed_at(1, 2)
    tell(table, ruling_at(table, 1, 1, RulingVerdict.DISQUALIFIED, against=0b0001), 0)
    table.deliver_all()
    for seat in range(4):
        ended = [each for each in told(table, MatchEnded)[seat] if isinstance(each, MatchEnded)]
        assert [each.winner for each in ended] == [1]
        assert table.sessions[seat].matches_over == 1
    table.confirm()
    goes_on(table)
    first = state(table).hand_of(EPOCH)
    assert first.origin.scores == (0, 0, 0, 0)


@pytest.mark.parametrize(("absent", "won"), [(0b0111, 3), (0b1111, None)])
def test_a_side_that_never_comes_loses_before_a_hand_was_dealt(absent: int, won: int) -> None:
    table = refereed(confirmed=False)
    tell(table, before_match(table, RulingVerdict.WALK_OVER, absent), 1)
    table.deliver_all()
    assert {(each.won, each.matches_over) for each in table.sessions} == {(won, 1)}


def test_a_hand_that_a_referee_ends_is_unfinished_and_nothing_more_is_played() -> None:
    table = refereed_at(0, 4)
    tell(table, ruling_at(table, 0, 4, RulingVerdict.END), 2)
    table.deliver_all()
    sent = len(table.sent)
    for _ in range(3):
        table.tick()
        table.deliver_all()
    assert {session.status for session in table.sessions} == {SessionStatus.UNFINISHED}
    assert len(table.sent) > sent  # the ruling, for who lacks it
    standing = state(table).standing()
    assert (standing.point.hand, standing.point.closed) == (0, 4)
    table.restart(1)
    assert table.sessions[1].status is SessionStatus.UNFINISHED
    _, events = table.watched()
    assert HandUnfinished(0, ()) in events


def test_a_seat_that_lost_its_journal_comes_back_behind_two_rulings() -> None:
    table = refereed_at(0, 3)
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL), 0)
    played_to(table, EPOCH, 2)
    tell(table, ruling_at(table, EPOCH, 2, RulingVerdict.REDEAL), 0)
    played_to(table, 2 * EPOCH, 2)
    table.restart(3, 0)
    goes_on(table, 2 * EPOCH + 1)


def test_what_cannot_be_ruled_changes_nothing() -> None:
    table = refereed_at(0, 3)
    for verdict, against in (
        (RulingVerdict.NO_ACTION, 0),
        (RulingVerdict.PENALTY, 0),
        (RulingVerdict.PENALTY, 0b11),
        (RulingVerdict.PENALTY, 1 << 4),
        (RulingVerdict.REDEAL, 1),
        (RulingVerdict.END, 1),
        (RulingVerdict.DISQUALIFIED, 0),
        (RulingVerdict.DISQUALIFIED, 0b11),
        (RulingVerdict.DISQUALIFIED, 1 << 60),
        (RulingVerdict.WALK_OVER, 0),
    ):
        ruling = signed_by(table.charter, point_of(table, 0, 3, verdict, against))
        assert ruled(state(table), ruling) is None, (verdict, against)
    early = before_match(table, RulingVerdict.REDEAL, 0)
    assert ruled(state(table), early) is None


def test_the_first_hand_after_a_ruling_is_played_with_cards_that_nobody_has_seen() -> None:
    table = refereed_at(0, 3)
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL))
    played_to(table, EPOCH, 2)
    old, new = state(table).deck_of(0), state(table).deck_of(EPOCH)
    assert old is not None
    assert new is not None
    said = [
        {each.raw for closed in deck.ledger.rounds for each in closed.messages}
        for deck in (old, new)
    ]
    assert not said[0] & said[1]
    assert table.sessions[0].seat == Seat(0)


class NoPenalties(TinyGame):
    """The same game, in which no referee may fine anybody."""

    after_penalty = None


@pytest.mark.parametrize(
    ("verdict", "against"), [(RulingVerdict.PENALTY, 1), (RulingVerdict.NO_ACTION, 0)]
)
def test_what_a_game_does_not_know_cannot_be_ruled(verdict: RulingVerdict, against: int) -> None:
    table = played_to(refereed(), 0, 3)
    hand = state(table).hand_of(0)
    point = point_of(table, 0, 3, verdict, against)
    with pytest.raises(ProofError, match=r"stops no hand|knows no penalty"):
        consequence(NoPenalties(4, target=100), point, hand.origin, None)


def test_a_match_that_its_last_hand_decides_cannot_be_fined() -> None:
    game = TinyGame(4, target=1)
    table = played_to(refereed(game=game), 0, 3)
    hand = state(table).hand_of(0)
    won = TinyOutcome((3, 0, 0, 0), "won")
    point = point_of(table, 0, 3, RulingVerdict.PENALTY, 1)
    with pytest.raises(ProofError, match="the match is over"):
        consequence(game, point, hand.origin, won)


def test_after_a_ruling_who_has_not_told_of_it_may_lack_it() -> None:
    table = played_to(refereed(), 0, 3)
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL), 0)
    session = table.sessions[0]
    assert session.lacking_end() == (1, 2, 3)
    table.run(table.all_played(EPOCH + 1))
    table.deliver_all()
    table.now += HEADS_INTERVAL
    table.act(0, Ask(bytes(QUESTION_BYTES)))
    table.deliver_all()
    assert session.lacking_end() == ()


def test_rulings_that_come_before_what_they_rest_on_are_carried_out_and_read_back() -> None:
    table = refereed(confirmed=False)
    first = before_match(table, RulingVerdict.WALK_OVER, 0b0111)
    ahead = table.twin()
    tell(ahead, first, 0)
    ahead.deliver_all()
    second = before_match(ahead, RulingVerdict.WALK_OVER, 0b1011, setup=EPOCH)
    for seat in range(4):
        tell(table, second, seat)
        tell(table, first, seat)
    assert ruled_hands(table) == [[0, EPOCH]] * 4
    watcher = Watcher(charter=table.charter, game=table.game)
    events = [*watcher.receive(second.raw), *watcher.receive(first.raw)]
    carried_out = [each.ruling for each in events if isinstance(each, HandRuled)]
    assert [each.content for each in carried_out] == [first.content, second.content]
    table.confirm()
    table.run(lambda: all(state(table, seat).newest[Lane.DECK] >= 2 * EPOCH for seat in range(4)))
    for seat in range(4):
        table.restart(seat)
    assert {session.matches_over for session in table.sessions} == {2}


@pytest.mark.parametrize("point", [4, 5])
def test_a_seat_comes_back_that_took_what_lies_behind_a_ruling_with_what_led_to_it(
    point: int,
) -> None:
    table = refereed_at(1, 2)
    later = played_to(table.twin(), 1, 6)
    said = later.sent[len(table.sent) :]
    table.restart(3)
    tell(table, ruling_at(later, 1, point, RulingVerdict.REDEAL), 3)
    for _, raw in reversed(said):  # held until what comes before it is here
        table.call(3, lambda session, raw=raw: session.receive(raw, now=table.now))
    assert ruled_hands(table)[3] == [1]
    before = state(table, 3)
    table.restart(3)
    assert state(table, 3).rulings == before.rulings
    assert state(table, 3).newest == before.newest
