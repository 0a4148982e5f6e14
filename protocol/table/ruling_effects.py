"""What a referee's ruling changes at a table: play, spectators and audits judge it here.

A ruling that stops a hand names a point of it. The hand ends there, what lies behind is void, and
the match goes on from what is ruled, or is over. It depends on the ruling and on the history before
its point alone: neither on how far anybody had come, nor on when it arrives. Specified in
specs/05-hand.md, 5.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from p2p304.game import AnyGame, MatchState, Outcome, PenaltyGame
from protocol import labels
from protocol.errors import ProofError
from protocol.hashing import digest
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName
from protocol.table.events import Event, HandEnded, HandRuled, HandUnfinished, MatchEnded
from protocol.table.ledger import Ledger, Origin
from protocol.table.machine import Phase
from protocol.table.replica import HandReplica, as_match
from protocol.table.rulings import MatchHand, stops
from protocol.table.table import TableState
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.messages import SignedRuling


class Consequence(NamedTuple):
    """What follows from a ruling that stops a hand."""

    match: MatchState | None
    """The match that goes on, or that is won by what is ruled; None if a side has lost it so."""
    winner: int | None
    """Who has won the match, if somebody has."""

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.match is None or self.winner is not None


@dataclass(frozen=True, slots=True)
class PenaltyOutcome:
    """How a hand ended, or a match went on, by a penalty: what scores became of it."""

    scores: tuple[int, ...]
    summary: str = "the referee ruled"
    played: bool = False


def consequence(
    game: AnyGame, ruling: Ruling, origin: Origin | None, outcome: Outcome | None
) -> Consequence:
    """Return what follows from a ruling about a hand with this origin, whose result was `outcome`
    at the ruling's point, None if it had none; without an origin, about a match before its first
    hand.

    Raises ProofError `ruling.verdict` for what cannot be ruled.
    """
    verdict, sides = RulingVerdict(ruling.verdict), _sides_against(ruling)
    try:
        if ruling.hand >= MOST_EPOCHS * EPOCH:
            raise ValueError("a table has had as many rulings as it can have")
        scores = origin.scores if origin is not None else game.new_match(bytes(32)).scores
        if any(side >= len(scores) for side in sides):
            raise ValueError("there is no such side")
        if verdict in (RulingVerdict.DISQUALIFIED, RulingVerdict.WALK_OVER):
            return _lost(verdict, sides, len(scores))
        if origin is None or bool(sides) is not (verdict is RulingVerdict.PENALTY):
            raise ValueError("it is about no hand, or against another number of sides")
        before = game.match_at(origin.leading, tuple(origin.scores))
        stood = before if outcome is None else game.after_hand(before, outcome)
        if verdict is RulingVerdict.REDEAL:
            return Consequence(before, None)
        if stood.winner is not None:
            raise ValueError("the match is over")
        if verdict is RulingVerdict.PENALTY:
            (side,) = sides if len(sides) == 1 else (-1,)
            if not isinstance(game, PenaltyGame):
                raise ValueError("the game knows no penalty")
            stood = game.after_penalty(stood, side, in_hand=outcome is None)
        elif verdict is not RulingVerdict.END:
            raise ValueError("it stops no hand")
        return Consequence(stood, stood.winner)
    except ValueError as error:
        raise ProofError("ruling.verdict", str(error)) from None


def _sides_against(ruling: Ruling) -> tuple[int, ...]:
    return tuple(side for side in range(64) if ruling.against >> side & 1)


def _lost(verdict: RulingVerdict, losers: tuple[int, ...], sides: int) -> Consequence:
    if not losers or (verdict is RulingVerdict.DISQUALIFIED and len(losers) > 1):
        raise ValueError("one side is disqualified, and one or several do not come")
    others = [side for side in range(sides) if side not in losers]
    return Consequence(None, others[0] if others else None)


def result_at(hand: HandReplica, closed: int) -> Outcome | None:
    """Return the result of a hand if nothing but signatures of it was missing, or nothing, after so
    many closed rounds; else None. The hand has come as far."""
    return hand.past[closed].outcome


def stopped(hand: HandReplica, ruling: SignedRuling) -> HandReplica:
    """Return a hand that has come to a ruling's point, or further, ended there."""
    closed, ledger = ruling.content.closed, hand.ledger
    cut = Ledger(ledger.name, ledger.root, ledger.rounds[:closed], contributors=())
    machine = hand.past[closed]._replace(
        phase=Phase.SETTLED, contributors=(), judged={}, duty_round=None
    )
    return hand._replace(ledger=cut, machine=machine, past=hand.past[: closed + 1], ruling=ruling)


def at_point(hand: HandReplica, ruling: Ruling) -> bool:
    """Tell whether a hand has come to a ruling's point by the history that it names."""
    ledger = hand.ledger
    return (
        hand.origin.ledger == LedgerName(Lane.HAND, ruling.hand)
        and ruling.closed <= len(ledger.rounds)
        and ledger.digest_after(ruling.closed) == ruling.digest
    )


# --- at a table -----------------------------------------------------------------------------------


def before_first_hand(table: TableState, ruling: Ruling) -> int | None:
    """Return the number of the setup of the match that a ruling names before its first hand, by the
    root of that setup; None if it names none."""
    for number, first in table.first_hands.items():
        setup = table.replica(LedgerName(Lane.TABLE, number))
        before = (ruling.hand, ruling.closed) == (first, 0)
        if before and setup is not None and setup.ledger.root == ruling.digest:
            return number
    return None


def gone_on(
    table: TableState, rulings: Iterable[SignedRuling]
) -> Iterator[tuple[SignedRuling, TableState, tuple[Event, ...]]]:
    """Yield each of these rulings that stops a hand now, the table after it, and what it tells.

    They may have come in any order: one may be about what follows from another.
    """
    waiting = [*rulings]
    while waiting:
        for ruling in waiting:
            found = ruled(table, ruling)
            if found is not None:
                break
        else:
            return
        waiting.remove(ruling)
        table, events = found
        yield ruling, table, events


def ruled(table: TableState, ruling: SignedRuling) -> tuple[TableState, tuple[Event, ...]] | None:
    """Return the table after a ruling that stops a hand, and what is to be told of it.

    None for one whose point is not in the table's history, or not yet, or not any more; and for
    what cannot be ruled.
    """
    content = ruling.content
    here = content.hand // EPOCH == len(table.rulings.signed)
    if not (here and stops(content) and ruling.referee < len(table.charter.referees)):
        return None
    hand = table.hand_of(content.hand)
    setup = before_first_hand(table, content)
    try:
        if setup is not None:
            after = consequence(table.game, content, None, None)
            return _stopped_table(table, ruling, after, setup, None)
        if hand is None or not at_point(hand, content):
            return None
        outcome = result_at(hand, content.closed)
        after = consequence(table.game, content, hand.origin, outcome)
    except ProofError:
        return None
    setups = [number for number, first in table.first_hands.items() if first <= content.hand]
    return _stopped_table(table, ruling, after, max(setups), hand)


def _stopped_table(
    table: TableState,
    ruling: SignedRuling,
    after: Consequence,
    setup: int,
    hand: HandReplica | None,
) -> tuple[TableState, tuple[Event, ...]]:
    """Return the table without what lies behind the ruling's point, and with what follows it."""
    number = ruling.content.hand
    left = {Lane.TABLE: setup, Lane.DECK: number, Lane.HAND: number}
    if hand is None:
        left |= {Lane.DECK: number - 1, Lane.HAND: number - 1}
    kept = {name: each for name, each in table.replicas.items() if name.number <= left[name.lane]}
    void = tuple(
        each.origin.ledger.number
        for each in map(table.hand_of, _numbers(table))
        if each is not None and each.origin.ledger.number > left[Lane.HAND]
    )
    if hand is not None:
        cut = stopped(hand, ruling)
        head, outcome = bytes(cut.head), cut.machine.outcome
        kept[hand.origin.ledger] = cut
    else:
        opening = as_match(kept[LedgerName(Lane.TABLE, setup)])
        assert opening is not None
        root = opening.ledger.digest_after(0)
        head, outcome = digest(labels.LEDGER_RULED, root, ruling.id), None
        if not opening.settled:
            del kept[opening.origin.ledger]
    counts = outcome is not None and ruling.content.verdict != RulingVerdict.REDEAL
    newest = {lane: top for lane, top in left.items() if top >= 0}
    rulings = table.rulings.after(ruling, left)
    course, events = _course(table, ruling, after, hand, outcome)
    rewound = table._replace(
        replicas=kept,
        waiting={},
        keys=table.keys.without(_void_messages(table, left[Lane.DECK])),
        newest=newest,
        rulings=rulings,
        counted=rulings.next_number,
        played=table.played - _voided(table, number, counts=counts),
        course=course,
        match=None if after.over else after.match,
        won=after.winner,
        first_hands={key: first for key, first in table.first_hands.items() if key <= setup},
        matches={key: before for key, before in table.matches.items() if key <= setup},
    )
    if after.over or after.match is None:
        rewound = rewound.open_match_setup((head,))
    else:
        rewound = rewound.open_deck((head,), after.match.dealer)
    told: list[Event] = [HandRuled(ruling, void), *events]
    if after.winner is not None:
        told.append(MatchEnded(after.winner, _final_scores(table.game, after, course)))
    if ruling.content.verdict == RulingVerdict.END:
        told.append(HandUnfinished(number, ()))
    return rewound, tuple(told)


def _void_messages(table: TableState, last: int) -> frozenset[bytes]:
    """Return what was said in decks after the `last` one that a ruling leaves.

    Who had come less far knows nothing of them, and is to convict of the same.
    """
    ledgers = (
        each.ledger
        for name, each in table.replicas.items()
        if name.lane is Lane.DECK and name.number > last
    )
    messages = ((each.accepted, *(done.messages for done in each.rounds)) for each in ledgers)
    return frozenset(said.raw for rounds in messages for some in rounds for said in some)


def _numbers(table: TableState) -> tuple[int, ...]:
    return tuple(name.number for name in sorted(table.replicas) if name.lane is Lane.HAND)


def _voided(table: TableState, number: int, *, counts: bool) -> int:
    """Return in how many counted hands cards were played that count no more; whether that of
    `number` still `counts`."""
    found = 0
    for each in _numbers(table):
        hand = table.hand_of(each)
        assert hand is not None
        gone = each > number or (each == number and not counts)
        if gone and each < table.counted and hand.ruling is None:
            found += bool(hand.machine.outcome is not None and hand.machine.outcome.played)
    return found


def _course(
    table: TableState,
    ruling: SignedRuling,
    after: Consequence,
    hand: HandReplica | None,
    outcome: Outcome | None,
) -> tuple[tuple[MatchHand, ...], tuple[Event, ...]]:
    """Return the hands of the match that count, with what the ruling changed; and the result that
    counts by the ruling's point, if it had not before."""
    number = ruling.content.hand
    course = tuple(each for each in table.course if each.number < number)
    events: tuple[Event, ...] = ()
    if hand is None:
        return course, events
    before = tuple(hand.origin.scores)
    if outcome is not None and ruling.content.verdict != RulingVerdict.REDEAL:
        stood = table.game.after_hand(table.game.match_at(hand.origin.leading, before), outcome)
        course = (*course, MatchHand(number, outcome, before, tuple(stood.scores)))
        if number >= table.counted:
            events = (HandEnded(number, outcome, tuple(stood.scores)),)
        before = tuple(stood.scores)
    if after.match is not None and tuple(after.match.scores) != before:
        scores = tuple(after.match.scores)
        change = tuple(new - old for new, old in zip(scores, before, strict=True))
        course = (*course, MatchHand(number, PenaltyOutcome(change), before, scores))
    return course, events


def _final_scores(
    game: AnyGame, after: Consequence, course: tuple[MatchHand, ...]
) -> tuple[int, ...]:
    """Return the scores with which a match is over; those of its beginning where no hand counts."""
    if after.match is not None:
        return tuple(after.match.scores)
    return course[-1].scores if course else tuple(game.new_match(bytes(32)).scores)
