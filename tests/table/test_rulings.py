"""What a referee's ruling changes: the hand ends at its point, and the match goes on from there;
and rulings that nobody may make, that come twice, late, elsewhere or about nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cli.commands.audit import command as audit
from cli.local.transcripts import HandFiles, transcript_path
from cli.seat.charter_text import game_of
from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import HEADS_INTERVAL, KEPT_HANDS, MOST_CHALLENGES, MOST_RULINGS
from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from protocol.encoding import digest
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName, Place
from protocol.seat.watcher import Watcher
from protocol.table.events import (
    ChallengeMade,
    HandRuled,
    HandUnfinished,
    MatchEnded,
    RulingHeard,
    SeatBlamed,
)
from protocol.table.evidence import TwoRulings, evidence_from_bytes, key_points
from protocol.table.judge_again import Conviction, check_evidence
from protocol.table.ledger import Origin
from protocol.table.standing import consequence, stop_hand
from protocol.table.sync import QUESTION_BYTES
from protocol.table.table import TableState
from protocol.topics.commands import Ask, CallReferee, EndUnfinished
from protocol.topics.referee import apply_ruling
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import Report, audit_bytes
from protocol.transcript.file import contents_of, hand_transcript, write_transcript
from protocol.wire.challenges import read_sentence, sealed_sentence, sentence_commitment
from protocol.wire.charter import Charter
from protocol.wire.contents import (
    SEALED_BYTES,
    SENTENCE_BYTES,
    Challenge,
    ChallengeOpening,
    HandKeys,
    ResultSignature,
    Ruling,
    RulingVerdict,
    UnfinishedAgreement,
)
from protocol.wire.identity import Envelope, Purpose, SigningKey, sign
from protocol.wire.messages import (
    Message,
    Notice,
    RefereeWord,
    SignedMessage,
    open_message,
    open_table_message,
    sign_ruling,
)
from protocol.wire.terms import REFEREE, Term, referees_to_value
from tests.long import sample
from tests.table.bus import (
    GAME,
    REFEREES,
    Colluders,
    Table,
    before_match,
    blamed_referees,
    charter,
    notice,
    notice_of,
    played_to,
    point_of,
    refereed,
    refereed_at,
    refereed_charter,
    refused,
    ruled_hands,
    ruling_at,
    seeded,
    signed_again,
    signed_by,
    signing_key,
    tell,
    told,
)
from tests.table.test_attacks import ELSEWHERE
from tests.table.tiny_game import TinyGame, TinyOutcome
from tests.vectors.rehearsal import SAVED_HANDS


@pytest.fixture
def table() -> Table:
    """The usual table under a referee, three rounds after its first hand began."""
    return refereed_at(0, 3)


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


def test_without_action_the_hand_goes_on_and_all_know_what_was_ruled(table: Table) -> None:
    tell(table, ruling_at(table, 0, 2, RulingVerdict.NO_ACTION), 0)
    table.run(table.all_played(1))
    assert [len(each) for each in told(table, RulingHeard)] == [1, 1, 1, 1]
    assert not any(ruled_hands(table))


def test_a_penalty_moves_scores_and_deal_and_what_follows_continues_them() -> None:
    table = refereed_at(1, 4)
    before = state(table).hand(1)
    tell(table, ruling_at(table, 1, 4, RulingVerdict.PENALTY, against=0b100))
    goes_on(table)
    after = state(table).hand(EPOCH)
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
    assert [each.void for each in told(table, HandRuled)[0]] == [(1, 2)]
    first = state(table).hand(EPOCH)
    assert first.origin.scores == (0, 0, 0, 0)
    assert table.sessions[0].table_state.played == 1
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
    head = state(table).hand(1)
    assert len(head.ledger.rounds) == 3


def test_a_seat_that_comes_back_learns_of_a_ruling_and_goes_on(table: Table) -> None:
    records = len(table.chairs[2].journal)
    ruling = ruling_at(table, 0, 2, RulingVerdict.REDEAL)
    tell(table, ruling, 0, 1, 3)
    table.run(lambda: state(table).hand(EPOCH) is not None)
    table.restart(2, records)
    goes_on(table)
    table.restart(2)
    goes_on(table, EPOCH + 2)


def test_who_is_disqualified_has_lost_the_match_at_the_table() -> None:
    table = refereed_at(1, 2)
    ruling = ruling_at(table, 1, 1, RulingVerdict.DISQUALIFIED, against=0b0001)
    tell(table, ruling, 0)
    table.deliver_all()
    # From it the table of other seats would follow (specs 5.7, no. 5, and 5.8, no. 4).
    at_point = state(table).hand(1).ledger.head
    ruled = digest(labels.LEDGER_RULED, at_point, ruling.id)
    assert state(table).match_over == ruled
    for seat in range(4):
        assert [each.winner for each in told(table, MatchEnded)[seat]] == [1]
        assert table.sessions[seat].matches_over == 1
    table.confirm()
    goes_on(table)
    first = state(table).hand(EPOCH)
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
    assert set(table.statuses()) == {"UNFINISHED"}
    assert len(table.sent) > sent  # the ruling, for who lacks it
    standing = state(table).standing()
    assert (standing.point.hand, standing.point.closed) == (0, 4)
    table.restart(1)
    assert table.sessions[1].status is SessionStatus.UNFINISHED
    _, events = table.watched()
    assert HandUnfinished(0, ()) in events


def test_what_cannot_be_ruled_changes_nothing(table: Table) -> None:
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
    said = [{each.raw for closed in deck.ledger.rounds for each in closed} for deck in (old, new)]
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
    hand = state(table).hand(0)
    point = point_of(table, 0, 3, verdict, against)
    with pytest.raises(ProofError, match=r"stops no hand|knows no penalty"):
        consequence(NoPenalties(4, target=100), point, hand.origin, None)


def test_a_match_that_its_last_hand_decides_cannot_be_fined() -> None:
    game = TinyGame(4, target=1)
    table = played_to(refereed(game=game), 0, 3)
    hand = state(table).hand(0)
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


ALL = tuple(map(Seat, range(4)))  #: Who is to agree.


def agreed(table: Table, *seats: int) -> Table:
    """The table once these seats have agreed, with all, to end the hand in play."""
    for seat in seats:
        table.act(seat, EndUnfinished(ALL))
    table.deliver_all()
    return table


@pytest.mark.parametrize("seats", [(0, 1, 2), ALL], ids=["three agreed", "all agreed"])
def test_a_match_lost_before_its_first_hand_leaves_nobody_in_the_hand_that_was_to_end(
    seats: tuple[int, ...],
) -> None:
    table = agreed(refereed_at(0, 3), *seats)
    tell(table, before_match(table, RulingVerdict.DISQUALIFIED, 0b01))
    table.deliver_all()
    assert set(table.statuses()) == {"PLAYING"}
    table.confirm()
    table.run(table.all_played(EPOCH + 1))


@pytest.mark.parametrize("hand", [0, 1], ids=["the hand before it", "the hand that had ended"])
def test_a_ruling_about_a_hand_that_had_ended_is_no_end_taken_back(
    hand: int, tmp_path: Path
) -> None:
    table = agreed(refereed_at(1, 3), *ALL)
    assert set(table.statuses()) == {"UNFINISHED"}
    before = len(table.chairs[0].events)
    tell(table, ruling_at(table, hand, 2, RulingVerdict.REDEAL))
    assert set(table.statuses()) == {"PLAYING"}
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
    hand = later.sessions[0].table_state.hand(0)
    closing = hand.ledger.rounds[4]
    watches = next(seat for seat in ALL if seat not in {each.place.seat for each in closing})
    cheat = Seat((watches + 1) % 4)
    place = Place(hand.origin.ledger, 5, cheat)
    content = ResultSignature((0, 0, 0, 0), ())
    tag = table.charter.tag
    message = Message(tag, place, hand.ledger.digests[5], content)
    wrong = message.signed(signing_key(cheat), charter=table.charter.digest).raw
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
    assert isinstance(said.content, HandKeys)
    return set(key_points(said.content.keys))


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
    body = RefereeWord((about or at).tag, min(number, 7), content).to_bytes()
    seat = Seat(number)
    return sign(key, change(body), purpose=purpose, seat=seat, charter=at.digest).to_bytes()


HERE, OTHER_TABLE = refereed_charter(), refereed_charter(table="elsewhere")
NO_RULINGS: dict[str, Callable[[], list[bytes]]] = {
    "by a key that the charter does not name": lambda: [
        word(key, at=HERE, number=number)
        for key in (signing_key(0), signing_key(9, "stranger"), REFEREES[1])
        for number in (0, 1, 7, 255)
    ],
    "for another table": lambda: [
        word(REFEREES[0], at=OTHER_TABLE),
        word(REFEREES[0], at=HERE, about=OTHER_TABLE),
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


def test_a_ruling_for_a_point_that_never_existed_stops_nothing(table: Table) -> None:
    content = point_of(table, 0, 3, REDEAL)
    tell(table, signed_by(table.charter, replace(content, digest=bytes(32))))
    table.run(table.all_played(2))
    assert not any(ruled_hands(table))
    assert not table.blamed()


def test_a_ruling_about_hands_that_no_ruling_led_to_is_not_even_kept(table: Table) -> None:
    content = point_of(table, 0, 3, REDEAL)
    for number in range(2, 40):
        tell(table, signed_by(table.charter, replace(content, hand=number * EPOCH)), 0)
    assert not any(told(table, RulingHeard))


def test_a_ruling_that_was_carried_out_does_nothing_when_it_comes_again(table: Table) -> None:
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
    table.settle()
    assert set(table.statuses()) == {"HALTED"}
    blames = blamed_referees(table)
    assert len(blames) == 4
    assert len({each.evidence for each in blames}) == 1
    evidence = evidence_from_bytes(blames[0].evidence)
    assert check_evidence(evidence, GAME) == Conviction(Seat(0), "ruling.twice")
    assert not table.blamed()
    table.restart(1)
    assert table.sessions[1].status is SessionStatus.HALTED


def test_two_rulings_that_one_referee_may_sign_convict_nobody(table: Table) -> None:
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
    table.settle()
    assert set(table.statuses()) == {"HALTED"}
    assert {each.evidence for each in blamed_referees(table)} == {b""}
    evidence = TwoRulings(table.charter, one.raw, other.raw)
    assert refused(check_evidence, evidence, GAME) == "evidence.rulings"


def test_a_referee_that_never_ends_ruling_fills_neither_memory_nor_journal(table: Table) -> None:
    before = len(table.chairs[0].journal)
    content = point_of(table, 0, 3, RulingVerdict.NO_ACTION)
    for closed in range(4, 4 + 2 * MOST_RULINGS):
        tell(table, signed_by(table.charter, replace(content, closed=closed)), 0)
    assert len(table.chairs[0].journal) == before + MOST_RULINGS
    tell(table, ruling_at(table, 0, 3, REDEAL), 0)
    table.run(lambda: all(ruled_hands(table)))


def test_a_referee_that_has_ruled_without_end_is_convicted_by_one_ruling_more(table: Table) -> None:
    content = point_of(table, 0, 3, RulingVerdict.NO_ACTION)
    for closed in range(4, 4 + MOST_RULINGS):
        tell(table, signed_by(table.charter, replace(content, closed=closed)), 0)
    tell(table, signed_by(table.charter, replace(content, closed=4, text="so not")), 0)
    (blame,) = blamed_referees(table)
    evidence = evidence_from_bytes(blame.evidence)
    assert check_evidence(evidence, GAME) == Conviction(Seat(0), "ruling.twice")


def test_what_a_seat_signs_behind_a_ruling_blames_nobody_and_counts_for_nothing() -> None:
    ahead = refereed_at(0, 6)
    hand = ahead.sessions[0].table_state.hand(0)
    behind = [each.raw for closed in hand.ledger.rounds[3:] for each in closed]
    table = refereed()
    played_to(table, 0, 3)
    tell(table, ruling_at(table, 0, 3, REDEAL))
    played_to(table, EPOCH, 2)
    for raw in behind:
        receive(table, raw)
    table.run(table.all_played(EPOCH + 1))
    assert not table.blamed()


def test_who_watches_comes_to_the_same_and_sees_a_referee_rule_twice(table: Table) -> None:
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
    assert mine.hand(EPOCH) is not None
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


# --- challenges -----------------------------------------------------------------------------------

# Calling the referee: what the others see, what the referee reads, and how often.

SAID = "They spoke of their cards, in whispers: පොඩ්ඩක් බලන්න."


def challenged(seat: int) -> Table:
    """The usual table once this seat has called the referee."""
    table = refereed_at(0, 3)
    table.act(seat, CallReferee(SAID))
    table.deliver_all()
    return table


def made(table: Table, seat: int) -> list[tuple[int, str | None]]:
    """Who challenged, and what it said, as far as a seat knows."""
    return [(each.seat, each.text) for each in told(table, ChallengeMade)[seat]]


def notices(table: Table) -> list[Notice]:
    """All challenges and openings that were ever sent, each once."""
    found = (open_message(raw, table.charter) for _, raw in table.sent if raw[1] == Purpose.NOTICE)
    kinds = (Challenge, ChallengeOpening)
    kept = [each for each in found if isinstance(each, Notice) and isinstance(each.content, kinds)]
    return [each for place, each in enumerate(kept) if each not in kept[:place]]


def test_the_others_see_only_that_a_seat_challenges_until_the_hand_has_ended() -> None:
    table = challenged(1)
    assert [made(table, seat) for seat in (0, 2, 3)] == [[(1, None)]] * 3
    assert made(table, 1) == [(1, SAID)]
    assert not any(SAID.encode() in raw for _, raw in table.sent)
    table.run(table.all_played(1))
    table.deliver_all()
    assert [made(table, seat) for seat in (0, 2, 3)] == [[(1, None), (1, SAID)]] * 3


def test_the_referee_reads_it_at_once_and_who_watches_without_the_key_does_not() -> None:
    table = refereed_at(0, 3, referees=2)
    table.act(1, CallReferee(SAID))
    challenge = challenge_of(table, 1, 0)
    texts = []
    for key in (*REFEREES, None):
        watcher = Watcher(charter=table.charter, game=GAME, referee=key)
        events = [event for _, raw in table.sent for event in watcher.receive(raw)]
        texts += [each.text for each in events if isinstance(each, ChallengeMade)]
    assert texts == [SAID, SAID, None]
    with pytest.raises(MalformedMessage, match="sealed"):
        read_sentence(table.charter, Seat(1), challenge, signing_key(9))


def test_every_sentence_has_one_size_and_none_is_longer() -> None:
    charter = refereed_charter(referees=2)
    for text in ("x", SAID, "a" * SENTENCE_BYTES):
        sealed = sealed_sentence(charter, Seat(0), bytes(32), text, entropy=seeded(text))
        assert [len(each) for each in sealed] == [SEALED_BYTES, SEALED_BYTES]
    for wrong in ("", "a" * (SENTENCE_BYTES + 1), "\ud800", "a\0b"):
        with pytest.raises(LocalError):
            sealed_sentence(charter, Seat(0), bytes(32), wrong, entropy=seeded("x"))


def test_a_challenge_too_many_is_refused_and_convicts_who_signs_it_all_the_same() -> None:
    table = refereed_at(0, 3)
    for _ in range(MOST_CHALLENGES):
        table.act(2, CallReferee(SAID))
    with pytest.raises(LocalError, match="3 times"):
        table.act(2, CallReferee(SAID))
    table.deliver_all()
    assert len(made(table, 0)) == MOST_CHALLENGES
    value = challenge_of(table, 2)
    own = Notice(table.charter.tag, Seat(2), 99, value).to_bytes()
    body = own.replace(bytes((0x97, 0, 2)), bytes((0x97, 0, 3)), 1)
    assert body != own
    raw = notice_of(table.charter, 2, body)
    table.call(0, lambda session: session.receive(raw, now=table.now))
    (blame,) = told(table, SeatBlamed)[0]
    assert (blame.seat, blame.check) == (2, "schema.range")


def challenge_of(table: Table, seat: int, count: int = 2) -> Challenge:
    """The challenge of a seat with that count, as it was sent."""
    for each in notices(table):
        content = each.content
        if isinstance(content, Challenge) and (each.seat, content.count) == (seat, count):
            return content
    raise AssertionError("it has not challenged so")


def test_a_second_challenge_in_one_place_and_one_of_a_stranger_are_not_heard() -> None:
    table = challenged(2)
    first = challenge_of(table, 2, 0)

    def told_again(content: Challenge, *, seat: int = 2, by: int = 2) -> None:
        raw = notice(table.charter, seat, content, key=signing_key(by))
        table.call(0, lambda session: session.receive(raw, now=table.now))

    told_again(replace(first, commitment=bytes(32)))
    told_again(replace(first, count=1, sealed=()))
    told_again(replace(first, count=1, match=7))
    told_again(replace(first, count=1), by=3)
    told_again(replace(first, count=1), seat=9, by=3)
    assert made(table, 0) == [(2, None)]
    assert not table.blamed()


def test_what_is_told_later_must_be_what_the_referee_has_read() -> None:
    table = challenged(2)
    for salt, text in ((bytes(32), SAID), (bytes(32), "x"), (bytes(32), "")):
        raw = notice(table.charter, 2, ChallengeOpening(0, 0, salt, text))
        table.call(0, lambda session, raw=raw: session.receive(raw, now=table.now))
    assert made(table, 0) == [(2, None)]


def test_a_sentence_that_its_author_is_not_bound_to_is_not_read() -> None:
    charter = refereed_charter()
    salt = bytes(range(32))
    sealed = sealed_sentence(charter, Seat(1), salt, SAID, entropy=seeded("a"))
    right = sentence_commitment(charter, Seat(1), salt, SAID)
    content = Challenge(0, 0, 0, 3, bytes(32), right, sealed)
    assert read_sentence(charter, Seat(1), content, REFEREES[0]) == SAID
    flipped = sealed[0][:-1] + bytes((sealed[0][-1] ^ 1,))
    low = bytes(32) + sealed[0][32:]
    for seat, wrong in (
        (0, content),
        (1, replace(content, commitment=bytes(32))),
        (1, replace(content, sealed=(flipped,))),
        (1, replace(content, sealed=(low,))),
        (1, replace(content, sealed=())),
    ):
        with pytest.raises(MalformedMessage, match="sealed"):
            read_sentence(charter, Seat(seat), wrong, REFEREES[0])


def test_a_table_without_a_referee_and_a_table_without_a_hand_have_no_challenge() -> None:
    with pytest.raises(LocalError, match="no referee"):
        Table(GAME, 3).act(0, CallReferee(SAID))
    with pytest.raises(LocalError, match="no hand"):
        refereed(confirmed=False).act(0, CallReferee(SAID))


def test_after_a_restart_it_is_still_told_once_the_hand_has_ended() -> None:
    table = challenged(1)
    table.restart(1)
    table.restart(3)
    assert (3, None) not in made(table, 0)
    table.run(table.all_played(1))
    table.deliver_all()
    assert (1, SAID) in made(table, 0)
    assert (1, SAID) in made(table, 3)


def test_a_referee_that_was_sent_something_else_reads_nothing() -> None:
    table = played_to(refereed(), 0, 3)
    table.act(1, CallReferee(SAID))
    challenge = challenge_of(table, 1, 0)
    junk = replace(challenge, count=1, sealed=(bytes(SEALED_BYTES),))
    watcher = Watcher(charter=table.charter, game=GAME, referee=REFEREES[0])
    (event,) = [
        each
        for raw in (*(raw for _, raw in table.sent), notice(table.charter, 1, junk))
        for each in watcher.receive(raw)
        if isinstance(each, ChallengeMade) and each.content.count == 1
    ]
    assert event.text == ""


def test_a_challenge_of_a_forgotten_match_is_heard_no_more_however_often_it_is_repeated() -> None:
    table = refereed(game=TinyGame(2, target=1))
    table.run(lambda: table.sessions[1].hand(0) is not None)
    table.act(1, CallReferee(SAID))
    (raw,) = table.sessions[1].referee_envelopes()
    for hands in range(1, KEPT_HANDS + 3):  # each hand is a match
        table.run(table.all_played(hands))
        table.confirm()
    watcher = Watcher(charter=table.charter, game=table.game)
    for _, sent in table.sent:
        watcher.receive(sent)
    for hears in (table.sessions[0].receive, watcher.receive):
        assert [hears(raw, now=table.now) for _ in range(3)] == [[], [], []]


# --- ruled files ----------------------------------------------------------------------------------

# Files of hands that a referee ended, and of those that follow.


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
        assert report.broken.check == "transcript.order"


def test_a_hand_whose_result_was_there_counts_as_it_was_ruled() -> None:
    table = refereed_at(1, 1)
    state = table.sessions[0].table_state
    hand = state.hand(0)
    end = len(hand.ledger.rounds)
    scores = tuple(hand.machine.outcome.scores if hand.machine.outcome else ())
    tell(table, ruling_at(table, 0, end, RulingVerdict.PENALTY, against=1))
    table.run(table.all_played(EPOCH + 1))
    after = table.sessions[1].table_state.hand(EPOCH)
    assert after.origin.scores == (scores[0] - 3, *scores[1:])
    assert after.origin.leading == (hand.origin.leading + 1) % 4
    report = report_of(whole_file(table, 0, EPOCH))
    assert report.valid, report.broken
    assert report.hands[0].outcome is not None
    assert [type(each) for each in table.chairs[0].events].count(HandRuled) == 1


@pytest.mark.parametrize("early", [True, False], ids=["unsigned", "signed"])
@pytest.mark.parametrize("verdict", [RulingVerdict.PENALTY, RulingVerdict.REDEAL])
def test_a_hand_is_among_those_played_once_whether_its_ruling_or_its_signatures_came_first(
    verdict: RulingVerdict, early: bool
) -> None:
    ended = refereed_at(1, 1)
    result_there = len(state(ended).hand(0).ledger.rounds) - 1
    against = 1 if verdict is RulingVerdict.PENALTY else 0
    ruling = ruling_at(ended, 0, result_there, verdict, against=against)
    table = refereed() if early else ended
    tell(table, ruling)
    table.run(lambda: all(state(table, seat).rulings.signed for seat in range(4)))
    played = 1 if verdict is RulingVerdict.PENALTY else 0
    assert [each.table_state.played for each in table.sessions] == [played] * 4
    goes_on(table)
    assert [each.table_state.played for each in table.sessions] == [played + 1] * 4


def test_a_hand_that_a_referee_ends_leaves_a_valid_file_after_which_nothing_follows() -> None:
    table = ruled_table(RulingVerdict.END)
    report = report_of(hand_transcript(table.sessions[0].table_state, 1))
    assert report.valid, report.broken
    assert report.standing.point.hand == 1
    assert report.standing == table.sessions[0].table_state.standing()


def test_a_ruling_beyond_the_thousandth_cannot_be() -> None:
    report = audit_bytes(ruled_too_late(), game_of)
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
    heads = {chair.session.table_state.hand().ledger.head for chair in table.chairs}  # type: ignore[union-attr]
    assert len(heads) == 1


def test_files_of_a_hand_that_was_ended_have_the_same_contents() -> None:
    table = TwiceSigned(TinyGame(3, target=100), 5).begun()
    table.run(lambda: table.sessions[0].table_state.hand() is not None)
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
