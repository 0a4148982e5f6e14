"""Calling the referee, and files of hands that a referee ended."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.commands.audit import command as audit
from cli.seat.charter_text import game_of
from p2p304.seats import Seat
from protocol.errors import LocalError, MalformedMessage
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName
from protocol.seat.watcher import Watcher
from protocol.table.events import ChallengeMade, HandRuled, SeatBlamed
from protocol.table.standing import stop_hand
from protocol.table.table import KEPT_HANDS
from protocol.topics.commands import CallReferee, EndUnfinished
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import Report, audit_bytes
from protocol.transcript.file import contents_of, hand_transcript, write_transcript
from protocol.wire.challenges import read_sentence, sealed_sentence, sentence_commitment
from protocol.wire.contents import (
    MOST_CHALLENGES,
    SEALED_BYTES,
    SENTENCE_BYTES,
    Challenge,
    ChallengeOpening,
    Ruling,
    RulingVerdict,
    UnfinishedAgreement,
)
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.messages import Notice, open_message, sign_ruling, table_tag
from protocol.wire.referee import REFEREE, referees_to_value
from protocol.wire.terms import Term
from tests.table.bus import (
    GAME,
    REFEREES,
    Colluders,
    Table,
    charter,
    notice,
    notice_of,
    played_to,
    refereed,
    refereed_at,
    refereed_charter,
    ruling_at,
    seeded,
    signing_key,
    tell,
    told,
)
from tests.table.resigning import signed_again
from tests.table.test_evidence import ELSEWHERE
from tests.table.tiny_game import TinyGame
from tests.vectors.hands import SAVED_HANDS

# --- challenges -----------------------------------------------------------------------------------

# Calling the referee: what the others see, what the referee reads, and how often.

SAID = "They spoke of their cards, in whispers: පොඩ්ඩක් බලන්න."


def made(table: Table, seat: int) -> list[tuple[int, str | None]]:
    """Who challenged, and what it said, as far as a seat knows."""
    events = told(table, ChallengeMade)[seat]
    return [(each.seat, each.text) for each in events if isinstance(each, ChallengeMade)]


def notices(table: Table) -> list[Notice]:
    """All challenges and openings that were ever sent, each once."""
    found = (open_message(raw, table.charter) for _, raw in table.sent if raw[1] == Purpose.NOTICE)
    kinds = (Challenge, ChallengeOpening)
    kept = [each for each in found if isinstance(each, Notice) and isinstance(each.content, kinds)]
    return [each for place, each in enumerate(kept) if each not in kept[:place]]


def test_the_others_see_only_that_a_seat_challenges_until_the_hand_has_ended() -> None:
    table = refereed_at(0, 3)
    table.act(1, CallReferee(SAID))
    table.deliver_all()
    assert [made(table, seat) for seat in (0, 2, 3)] == [[(1, None)]] * 3
    assert made(table, 1) == [(1, SAID)]
    assert not any(SAID.encode() in raw for _, raw in table.sent)
    table.run(table.all_played(1))
    table.deliver_all()
    assert [made(table, seat) for seat in (0, 2, 3)] == [[(1, None), (1, SAID)]] * 3


def test_the_referee_reads_it_at_once_and_who_watches_without_the_key_does_not() -> None:
    table = refereed_at(0, 3, referees=2)
    table.act(1, CallReferee(SAID))
    (challenge,) = [each.content for each in notices(table)]
    assert isinstance(challenge, Challenge)
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
    own = Notice(table_tag(table.charter.digest), Seat(2), 99, value).to_bytes()
    body = own.replace(bytes((0x97, 0, 2)), bytes((0x97, 0, 3)), 1)
    assert body != own
    raw = notice_of(table.charter, 2, body)
    table.call(0, lambda session: session.receive(raw, now=table.now))
    (blame,) = told(table, SeatBlamed)[0]
    assert isinstance(blame, SeatBlamed)
    assert (blame.seat, blame.check) == (2, "schema.range")


def challenge_of(table: Table, seat: int, count: int = 2) -> Challenge:
    """The challenge of a seat with that count, as it was sent."""
    for each in notices(table):
        content = each.content
        if isinstance(content, Challenge) and (each.seat, content.count) == (seat, count):
            return content
    raise AssertionError("it has not challenged so")


def test_a_second_challenge_in_one_place_and_one_of_a_stranger_are_not_heard() -> None:
    table = refereed_at(0, 3)
    table.act(2, CallReferee(SAID))
    table.deliver_all()
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
    table = refereed_at(0, 3)
    table.act(2, CallReferee(SAID))
    table.deliver_all()
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
    table = refereed_at(0, 3)
    table.act(1, CallReferee(SAID))
    table.deliver_all()
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
    (challenge,) = [each.content for each in notices(table)]
    assert isinstance(challenge, Challenge)
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
