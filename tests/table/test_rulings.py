"""What a referee's ruling changes: the hand ends at its point, and the match goes on from there;
and rulings that nobody may make, that come twice, late, elsewhere or about nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from cli.local.transcripts import HandFiles, transcript_path
from p2p304.seats import Seat
from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from protocol.errors import ProofError
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName, Place
from protocol.seat.watcher import Watcher
from protocol.table.events import (
    HandRuled,
    HandUnfinished,
    MatchEnded,
    RulingHeard,
    SeatBlamed,
)
from protocol.table.evidence import TwoRulings, evidence_from_bytes, key_points
from protocol.table.judge_again import Conviction, check_evidence
from protocol.table.ledger import Origin
from protocol.table.standing import consequence
from protocol.table.sync import HEADS_INTERVAL, QUESTION_BYTES
from protocol.table.table import TableState
from protocol.topics.commands import Ask, EndUnfinished
from protocol.topics.referee import MOST_RULINGS, apply_ruling
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.wire.charter import Charter
from protocol.wire.contents import HandKeys, ResultSignature, Ruling, RulingVerdict
from protocol.wire.envelope import Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.messages import (
    Message,
    RefereeWord,
    SignedMessage,
    open_table_message,
    table_tag,
)
from tests.long import sample
from tests.table.bus import (
    GAME,
    REFEREES,
    Table,
    before_match,
    blamed_referees,
    played_to,
    point_of,
    refereed,
    refereed_at,
    refereed_charter,
    refused,
    ruled_hands,
    ruling_at,
    seeded,
    signed_by,
    signing_key,
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
    rows = [each for each in state(table).match_hands if each.number == 1]
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
    assert [each.number for each in state(table).match_hands] == [EPOCH]


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
    assert {(each.match_winner, each.matches_over) for each in table.sessions} == {(won, 1)}


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
        assert apply_ruling(state(table), ruling) is None, (verdict, against)
    early = before_match(table, RulingVerdict.REDEAL, 0)
    assert apply_ruling(state(table), early) is None


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


# --- ruled ends -----------------------------------------------------------------------------------


ALL = tuple(map(Seat, range(4)))
"""Who is to agree."""


def agreed(table: Table, *seats: int) -> Table:
    """The table once these seats have agreed, with all, to end the hand in play."""
    for seat in seats:
        table.act(seat, EndUnfinished(ALL))
    table.deliver_all()
    return table


def statuses(table: Table) -> set[SessionStatus]:
    return {session.status for session in table.sessions}


@pytest.mark.parametrize("seats", [(0, 1, 2), ALL], ids=["three agreed", "all agreed"])
def test_a_match_lost_before_its_first_hand_leaves_nobody_in_the_hand_that_was_to_end(
    seats: tuple[int, ...],
) -> None:
    table = agreed(refereed_at(0, 3), *seats)
    tell(table, before_match(table, RulingVerdict.DISQUALIFIED, 0b01))
    table.deliver_all()
    assert statuses(table) == {SessionStatus.PLAYING}
    table.confirm()
    table.run(table.all_played(EPOCH + 1))


@pytest.mark.parametrize("hand", [0, 1], ids=["the hand before it", "the hand that had ended"])
def test_a_ruling_about_a_hand_that_had_ended_is_no_end_taken_back(
    hand: int, tmp_path: Path
) -> None:
    table = agreed(refereed_at(1, 3), *ALL)
    assert statuses(table) == {SessionStatus.UNFINISHED}
    before = len(table.chairs[0].events)
    tell(table, ruling_at(table, hand, 2, RulingVerdict.REDEAL))
    assert statuses(table) == {SessionStatus.PLAYING}
    session, files = table.sessions[0], HandFiles(tmp_path)
    for event in table.chairs[0].events[before:]:
        files.keep(event, session)
    saved = transcript_path(tmp_path, session.charter, hand)
    report = audit_bytes(saved.read_bytes(), lambda _: GAME)
    assert report.valid
    assert report.hands[-1].ruling is not None
    table.run(table.all_played(EPOCH + 1))


def test_what_is_wrong_behind_a_rulings_point_blames_nobody_whenever_it_came() -> None:
    table = refereed_at(0, 4)
    later = played_to(table.twin(), 0, 5)
    hand = later.sessions[0].table_state.hand_of(0)
    closing = hand.ledger.rounds[4].messages
    watches = next(seat for seat in ALL if seat not in {each.place.seat for each in closing})
    cheat = Seat((watches + 1) % 4)
    place = Place(hand.origin.ledger, 5, cheat)
    content = ResultSignature((0, 0, 0, 0), ())
    tag = table_tag(table.charter.digest)
    body = Message(tag, place, hand.ledger.digest_after(5), content).to_bytes()
    wrong = sign(
        signing_key(cheat), body, purpose=Purpose.LEDGER, seat=cheat, charter=table.charter.digest
    ).to_bytes()
    ruling = ruling_at(later, 0, 5, RulingVerdict.REDEAL)
    watcher, _ = table.watched()
    heard = []
    for raw in (ruling.raw, wrong, *(each.raw for each in closing)):
        table.call(watches, lambda session, raw=raw: session.receive(raw, now=table.now))
        heard += watcher.receive(raw)
    assert ruled_hands(table)[watches] == [0]
    assert not table.blamed()
    assert table.sessions[watches].status is SessionStatus.PLAYING
    assert any(isinstance(each, HandRuled) for each in heard)
    assert not any(isinstance(each, SeatBlamed) for each in heard)


def test_no_ruling_leads_to_numbers_that_there_are_not() -> None:
    last = Origin(LedgerName(Lane.HAND, (MOST_EPOCHS + 1) * EPOCH - 1), (), Seat(0))
    assert last.root(bytes(32))
    for hand, possible in ((MOST_EPOCHS * EPOCH - 1, True), (MOST_EPOCHS * EPOCH, False)):
        ruling = Ruling(hand, 0, bytes(32), RulingVerdict.WALK_OVER, 0b1, "so ruled")
        if possible:
            assert consequence(GAME, ruling, None, None).over
        else:
            assert refused(consequence, GAME, ruling, None, None) == "ruling.verdict"


class OldKeys(Secrets):
    """Secrets that have the keys of an earlier deal for the first one after a ruling."""

    __slots__ = ()

    def hand_secret(self, deal: int) -> HandSecret:
        return super().hand_secret(deal - EPOCH + 1 if deal >= EPOCH else deal)


class TableWithOldKeys(Table):
    """A table whose last seat uses keys again."""

    def arguments(self, seat: int) -> dict[str, Any]:
        given = super().arguments(seat)
        secrets = OldKeys if seat == max(ALL) else Secrets
        return {**given, "secrets": secrets(seeded(f"seed {self.seed} {seat}")(32))}


def test_a_key_of_a_deck_that_a_ruling_made_void_convicts_nobody_whoever_had_seen_it() -> None:
    table = TableWithOldKeys(GAME, 3, agreed=refereed_charter()).begun()
    played_to(table, 0, 3)
    keys = [each for _, each in table.sent if is_keys(table, each, deck=1)]
    assert keys
    tell(table, ruling_at(table, 0, 2, RulingVerdict.REDEAL))
    table.run(table.all_played(EPOCH + 1))
    again = [each for _, each in table.sent if is_keys(table, each, deck=EPOCH)]
    assert keys_in(table, keys[-1]) & {key for each in again for key in keys_in(table, each)}
    assert not table.blamed()


def is_keys(table: Table, raw: bytes, *, deck: int) -> bool:
    """Whether a message holds the last seat's keys of a deck."""
    said = open_table_message(raw, table.charter)
    if not isinstance(said, SignedMessage) or said.place.seat != max(ALL):
        return False
    return said.place.ledger == LedgerName(Lane.DECK, deck) and not said.place.round


def keys_in(table: Table, raw: bytes) -> set[bytes]:
    said = open_table_message(raw, table.charter)
    assert isinstance(said, SignedMessage)
    assert isinstance(said.message.content, HandKeys)
    return set(key_points(said.message.content.keys))


# --- rulings that nobody may make -----------------------------------------------------------------


REDEAL = RulingVerdict.REDEAL


def receive(table: Table, raw: bytes) -> None:
    for seat in range(len(table.chairs)):
        table.call(seat, lambda session: session.receive(raw, now=table.now))


def untouched(table: Table) -> bool:
    """Whether nobody heard a ruling, and the hand goes on to its end."""
    table.run(table.all_played(1))
    heard = any(told(table, RulingHeard)) or any(told(table, HandRuled))
    return not heard and not table.blamed() and not blamed_referees(table)


def word(
    key: SigningKey,
    *,
    at: Charter,
    about: Charter | None = None,
    number: int = 0,
    purpose: Purpose = Purpose.RULING,
    change: Callable[[bytes], bytes] = bytes,
) -> bytes:
    """What a key signs as a referee's word about a point of the usual table."""
    content = point_of(refereed_at(0, 3), 0, 3, REDEAL)
    body = RefereeWord(table_tag((about or at).digest), min(number, 7), content).to_bytes()
    seat = Seat(number)
    return sign(key, change(body), purpose=purpose, seat=seat, charter=at.digest).to_bytes()


HERE, ELSEWHERE = refereed_charter(), refereed_charter(table="elsewhere")
NO_RULINGS: dict[str, Callable[[], list[bytes]]] = {
    "by a key that the charter does not name": lambda: [
        word(key, at=HERE, number=number)
        for key in (signing_key(0), signing_key(9, "stranger"), REFEREES[1])
        for number in (0, 1, 7, 255)
    ],
    "for another table": lambda: [
        word(REFEREES[0], at=ELSEWHERE),
        word(REFEREES[0], at=HERE, about=ELSEWHERE),
    ],
    "signed as a message or a notice": lambda: [
        word(REFEREES[0], at=HERE, purpose=purpose)
        for purpose in (Purpose.LEDGER, Purpose.NOTICE, Purpose.TOURNAMENT)
    ],
    "of bytes that are none": lambda: [
        word(REFEREES[0], at=HERE, change=change)
        for change in (lambda _: b"\xc0", lambda body: body + b"\0", lambda body: body[:-1])
    ],
}


@pytest.mark.parametrize("name", NO_RULINGS)
def test_what_no_referee_of_the_table_has_signed_rules_nothing(name: str) -> None:
    table = refereed_at(0, 3)
    for raw in NO_RULINGS[name]():
        receive(table, raw)
    assert untouched(table)


def test_a_table_without_the_term_has_no_referee() -> None:
    table = Table(GAME, 3).begun()
    played_to(table, 0, 3)
    for key in (REFEREES[0], signing_key(0)):
        receive(table, word(key, at=table.charter))
    receive(table, ruling_at(refereed_at(0, 3), 0, 3, REDEAL).raw)
    assert untouched(table)


def test_a_ruling_for_a_point_that_never_existed_stops_nothing() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, REDEAL)
    tell(table, signed_by(table.charter, replace(content, digest=bytes(32))))
    table.run(table.all_played(2))
    assert not any(ruled_hands(table))
    assert not table.blamed()


def test_a_ruling_about_hands_that_no_ruling_led_to_is_not_even_kept() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, REDEAL)
    for number in range(2, 40):
        tell(table, signed_by(table.charter, replace(content, hand=number * EPOCH)), 0)
    assert not any(told(table, RulingHeard))


def test_a_ruling_that_was_carried_out_does_nothing_when_it_comes_again() -> None:
    table = refereed_at(0, 3)
    ruling = ruling_at(table, 0, 3, REDEAL)
    tell(table, ruling)
    played_to(table, EPOCH, 3)
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 1))
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 2))
    assert ruled_hands(table) == [[0]] * 4
    assert not blamed_referees(table)


@pytest.mark.parametrize("first", [0, 1], ids=["the one first", "the other first"])
@pytest.mark.parametrize(
    ("closed", "verdict"),
    [(3, RulingVerdict.NO_ACTION), (3, RulingVerdict.END), (1, REDEAL)],
    ids=["the same point, no action", "the same point, another end", "another point"],
)
def test_two_rulings_convict_the_referee_at_every_seat_in_any_order(
    closed: int, verdict: RulingVerdict, first: int
) -> None:
    table = refereed_at(0, 3)
    pair = (ruling_at(table, 0, 3, REDEAL), ruling_at(table, 0, closed, verdict))
    tell(table, pair[first], 0, 1)
    tell(table, pair[1 - first], 2, 3)
    for _ in range(4):
        table.deliver_all()
        table.tick()
    assert {session.status for session in table.sessions} == {SessionStatus.HALTED}
    blames = blamed_referees(table)
    assert len(blames) == 4
    assert len({each.evidence for each in blames}) == 1
    evidence = evidence_from_bytes(blames[0].evidence)
    assert check_evidence(evidence, GAME) == Conviction(Seat(0), "ruling.twice")
    assert not table.blamed()
    table.restart(1)
    assert table.sessions[1].status is SessionStatus.HALTED


def test_two_rulings_that_one_referee_may_sign_convict_nobody() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, REDEAL)
    idle = signed_by(table.charter, point_of(table, 0, 2, RulingVerdict.NO_ACTION))
    later = signed_by(table.charter, replace(content, hand=EPOCH))
    ruling = signed_by(table.charter, content)
    for other in (ruling, idle, later):
        evidence = TwoRulings(table.charter, ruling.raw, other.raw)
        assert evidence_from_bytes(evidence.to_bytes()) == evidence
        assert refused(check_evidence, evidence, GAME) == "evidence.rulings"
    tell(table, idle)
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 1))
    assert not blamed_referees(table)


def test_two_referees_who_rule_against_each_other_stop_the_table_and_neither_is_convicted() -> None:
    table = refereed_at(0, 3, referees=2)
    one = ruling_at(table, 0, 3, REDEAL)
    other = ruling_at(table, 0, 2, RulingVerdict.PENALTY, against=1, by=1)
    tell(table, one, 0, 1)
    tell(table, other, 2, 3)
    for _ in range(4):
        table.deliver_all()
        table.tick()
    assert {session.status for session in table.sessions} == {SessionStatus.HALTED}
    assert {each.evidence for each in blamed_referees(table)} == {b""}
    assert (
        refused(check_evidence, TwoRulings(table.charter, one.raw, other.raw), GAME)
        == "evidence.rulings"
    )


def test_a_referee_that_never_ends_ruling_fills_neither_memory_nor_journal() -> None:
    table = refereed_at(0, 3)
    before = len(table.chairs[0].journal)
    content = point_of(table, 0, 3, RulingVerdict.NO_ACTION)
    for closed in range(4, 4 + 2 * MOST_RULINGS):
        tell(table, signed_by(table.charter, replace(content, closed=closed)), 0)
    assert len(table.chairs[0].journal) == before + MOST_RULINGS
    tell(table, ruling_at(table, 0, 3, REDEAL), 0)
    table.run(lambda: all(ruled_hands(table)))


def test_a_referee_that_has_ruled_without_end_is_convicted_by_one_ruling_more() -> None:
    table = refereed_at(0, 3)
    content = point_of(table, 0, 3, RulingVerdict.NO_ACTION)
    for closed in range(4, 4 + MOST_RULINGS):
        tell(table, signed_by(table.charter, replace(content, closed=closed)), 0)
    tell(table, signed_by(table.charter, replace(content, closed=4, text="so not")), 0)
    (blame,) = blamed_referees(table)
    evidence = evidence_from_bytes(blame.evidence)
    assert check_evidence(evidence, GAME) == Conviction(Seat(0), "ruling.twice")


def test_what_a_seat_signs_behind_a_ruling_blames_nobody_and_counts_for_nothing() -> None:
    ahead = refereed_at(0, 6)
    hand = ahead.sessions[0].table_state.hand_of(0)
    behind = [each.raw for closed in hand.ledger.rounds[3:] for each in closed.messages]
    table = refereed()
    played_to(table, 0, 3)
    tell(table, ruling_at(table, 0, 3, REDEAL))
    played_to(table, EPOCH, 2)
    for raw in behind:
        receive(table, raw)
    table.run(table.all_played(EPOCH + 1))
    assert not table.blamed()


def test_who_watches_comes_to_the_same_and_sees_a_referee_rule_twice() -> None:
    table = refereed_at(0, 3)
    watcher = Watcher(charter=table.charter, game=GAME)
    ruling = ruling_at(table, 0, 2, REDEAL)
    told_first = watcher.receive(ruling.raw)
    assert [type(each) for each in told_first] == [RulingHeard]
    for _, raw in table.sent:
        watcher.receive(raw)
    assert watcher.table_state.rulings.signed == (ruling,)
    start = len(table.sent)
    tell(table, ruling)
    table.run(table.all_played(EPOCH + 1))
    for _, raw in table.sent[start:]:
        watcher.receive(raw)
    mine, theirs = watcher.table_state, table.sessions[0].table_state
    assert mine.counted == theirs.counted
    assert mine.hand_of(EPOCH) is not None
    other = ruling_at(table, 0, 1, REDEAL)
    (blame,) = watcher.receive(other.raw)
    assert type(blame).__name__ == "RefereeBlamed"
    assert watcher.halted


def test_after_a_ruling_who_has_not_told_of_it_may_lack_it() -> None:
    table = played_to(refereed(), 0, 3)
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL), 0)
    session = table.sessions[0]
    assert session.seats_without_end() == (1, 2, 3)
    table.run(table.all_played(EPOCH + 1))
    table.deliver_all()
    table.now += HEADS_INTERVAL
    table.act(0, Ask(bytes(QUESTION_BYTES)))
    table.deliver_all()
    assert session.seats_without_end() == ()
