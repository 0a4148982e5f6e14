"""Files that a conspiracy of all seats can write, every signature and proof good.

The auditor has a verdict on each of them and nothing escapes it; what a file does not hold is not
reported as checked.
"""

from __future__ import annotations

import random
from typing import Any

from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from protocol.group.scalar import SecretScalar
from protocol.seat.watcher import Watcher
from protocol.table.events import SeatSuspected
from protocol.table.replica import LedgerReplica
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.report import Report, results
from tests.table.colluders import Colluders

GAME = Game304(profile_named("pagat", ()))
START = GAME.new_match(bytes(32)).scores
ELSEWHERE = b"e" * 32


def audited(table: Colluders) -> Report:
    return audit_bytes(table.file(), lambda _: GAME)


def broken(table: Colluders) -> str:
    report = audited(table)
    assert not report.valid
    assert report.broken is not None
    return report.broken.check


def whole_hand(**choices: Any) -> tuple[Colluders, LedgerReplica[Any], LedgerReplica[Any], Any]:
    """The first hand of a match: the seats, its deck, itself, and the match after it."""
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(0, match.dealer, opening.ledger.head)
    hand = table.hand(deck, match.dealer, match.scores, opening.ledger.head, **choices)
    outcome: Any = hand.machine.outcome
    return table, deck, hand, GAME.after_hand(match, outcome)


def in_mid_match(
    scores: tuple[int, ...] = START,
) -> tuple[Colluders, LedgerReplica[Any], LedgerReplica[Any]]:
    """A hand in the middle of a match: the seats, the opening, and the hand."""
    table = Colluders(GAME)
    opening = table.opening()
    return table, opening, table.hand(table.deck(4, 1, ELSEWHERE), 2, scores, ELSEWHERE)


def test_a_first_deck_after_a_hand_in_mid_match_is_refused_by_name() -> None:
    table, opening, _ = in_mid_match()
    table.deck(0, 1, opening.ledger.head)
    assert broken(table) == "transcript.order"


def test_the_first_hand_of_a_first_match_is_hand_0() -> None:
    table = Colluders(GAME)
    opening = table.opening()
    assert opening.machine.luck is not None
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(3, 1, ELSEWHERE)
    table.hand(deck, match.dealer, match.scores, opening.ledger.head)
    assert broken(table) == "ledger.after"


def test_scores_of_another_shape_are_refused_in_mid_match_too() -> None:
    for scores in ((), (1,), (*START, 5)):
        table, *_ = in_mid_match(scores)
        assert broken(table) == "match.scores"


def test_another_match_follows_no_hand_in_mid_match_that_ended_none() -> None:
    table, _, hand = in_mid_match()
    table.opening(1, (hand.ledger.head,))
    assert broken(table) == "transcript.order"


def test_what_a_lone_hand_does_not_tell_is_not_reported_as_checked() -> None:
    table, *_ = in_mid_match()
    report = audited(table)
    assert report.valid
    found = results(report)
    assert (found["match.dealer"], found["match.scores"]) == ("not known", "not known")
    assert found["result.signatures"] == "passed"
    whole, *_ = whole_hand()
    found = results(audited(whole))
    assert (found["match.dealer"], found["match.scores"]) == ("passed", "passed")


def test_missing_signatures_are_never_reported_as_checked() -> None:
    table, *_ = whole_hand(unsigned=(1, 3))
    report = audited(table)
    assert report.valid
    assert [hand.unconfirmed for hand in report.hands] == [(1, 3)]
    assert results(report)["result.signatures"] == "not known"


def test_nothing_follows_a_hand_without_all_its_signatures() -> None:
    table, deck, hand, match = whole_hand(unsigned=(2,))
    dealt = hand.origin.leading
    after = table.deck(1, (dealt + 1) % 4, deck.ledger.head)
    table.hand(after, match.dealer, match.scores, hand.ledger.head)
    assert broken(table) == "ledger.settled"


class Opposite(Secrets):
    """Secrets whose keys are the negatives of another seat's."""

    __slots__ = ("_other",)

    def __init__(self, other: Secrets) -> None:
        super().__init__(bytes(32))
        self._other = other

    def hand_secret(self, deal: int) -> HandSecret:
        card, suit = (-each for each in _halves(self._other.hand_secret(deal)))
        return HandSecret(SecretScalar(card.value), SecretScalar(suit.value))


def _halves(secret: HandSecret) -> tuple[SecretScalar, SecretScalar]:
    return secret.card, secret.suit


def test_keys_that_cancel_are_nobodys_crash() -> None:
    table = Colluders(GAME)
    table.secrets[2:] = [Opposite(each) for each in table.secrets[:2]]
    opening = table.opening()
    assert opening.machine.luck is not None
    dealer = GAME.new_match(opening.machine.luck).dealer
    deck = table.deck(0, dealer, opening.ledger.head)
    assert broken(table) == "key.sum"
    watcher = Watcher(charter=table.charter, game=GAME)
    messages = [each for closed in opening.ledger.rounds for each in closed.messages]
    events = [
        event for each in (*messages, *deck.ledger.accepted) for event in watcher.receive(each.raw)
    ]
    assert [event for event in events if isinstance(event, SeatSuspected)] == [
        SeatSuspected(Seat(3), "key.sum")
    ]


def test_no_order_of_ledgers_escapes_the_auditor() -> None:
    chance = random.Random(3)
    table, *_ = whole_hand()
    first = list(table.written)
    later = Colluders(GAME)
    opening = later.opening(1, (ELSEWHERE,))
    deck = later.deck(1, 2, ELSEWHERE)
    later.hand(deck, 1, START, opening.ledger.head)
    pool = [*first, *later.written]
    found = set()
    for _ in range(40):
        table.written = [chance.choice(pool) for _ in range(chance.randrange(1, 8))]
        report = audited(table)
        found.add(report.broken and report.broken.check)
    assert {"transcript.missing", "transcript.order", "ledger.after"} <= found
