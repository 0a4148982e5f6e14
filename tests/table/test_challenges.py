"""Calling the referee: what the others see, what the referee reads, and how often."""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError, MalformedMessage
from protocol.seat.watcher import Watcher
from protocol.table.events import ChallengeMade, SeatBlamed
from protocol.table.table import KEPT_HANDS
from protocol.topics.commands import CallReferee
from protocol.wire.challenges import read_sentence, sealed_sentence, sentence_commitment
from protocol.wire.contents import (
    MOST_CHALLENGES,
    SEALED_BYTES,
    SENTENCE_BYTES,
    Challenge,
    ChallengeOpening,
)
from protocol.wire.envelope import Purpose
from protocol.wire.messages import Notice, open_message, table_tag
from tests.table.bus import Table
from tests.table.refereed import (
    GAME,
    REFEREES,
    played_to,
    refereed,
    refereed_at,
    refereed_charter,
    told,
)
from tests.table.seating import notice, notice_of, seeded, signing_key
from tests.table.tiny_game import TinyGame

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
