"""Rulings about hands that were to end without a result, and what lies behind a ruling's point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.seat.transcripts import HandFiles, transcript_path
from p2p304.seats import Seat
from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from protocol.errors import ProofError
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName, Place
from protocol.table.events import EndUndone, HandRuled, SeatBlamed
from protocol.table.evidence import key_points
from protocol.table.ledger import Origin
from protocol.topics.commands import EndUnfinished
from protocol.topics.referee import consequence
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.wire.authenticate import open_said
from protocol.wire.contents import HandKeys, ResultSignature, Ruling, RulingVerdict
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Message, SignedMessage, table_tag
from tests.table.bus import Table
from tests.table.refereed import (
    GAME,
    before_match,
    played_to,
    refereed_at,
    refereed_charter,
    ruled_hands,
    ruling_at,
    tell,
    told,
)
from tests.table.seating import seeded, signing_key

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


def test_those_who_agreed_to_end_a_hand_play_on_from_a_ruling_about_one_before_it() -> None:
    table = agreed(refereed_at(1, 3), 0, 1, 2)
    tell(table, ruling_at(table, 0, 2, RulingVerdict.REDEAL))
    table.run(table.all_played(EPOCH + 1))
    assert not any(told(table, EndUndone))


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
            with pytest.raises(ProofError, match=r"ruling\.verdict"):
                consequence(GAME, ruling, None, None)


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
    said = open_said(raw, table.charter)
    if not isinstance(said, SignedMessage) or said.place.seat != max(ALL):
        return False
    return said.place.ledger == LedgerName(Lane.DECK, deck) and not said.place.round


def keys_in(table: Table, raw: bytes) -> set[bytes]:
    said = open_said(raw, table.charter)
    assert isinstance(said, SignedMessage)
    assert isinstance(said.message.content, HandKeys)
    return set(key_points(said.message.content.keys))
