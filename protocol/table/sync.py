"""Heads: telling each other how far one has come, and which messages to send again (specs 7.6).

Heads are sent when nothing has moved for a while, when a message continues another history, and
after a restart. Then they hold a question that an answer must name, so that a broker cannot pass
off old heads as answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from p2p304.seats import Seat
from protocol.bounds import MAX_RESENT
from protocol.places import EPOCH, Lane, LedgerName
from protocol.table.events import HeadClaim
from protocol.table.table import TableState
from protocol.wire.contents import Head, Heads
from protocol.wire.messages import SignedMessage

# Too many to guess: a broker cannot prepare an answer.
QUESTION_BYTES: Final = 16

# Before hand 0, for a seat that has named none.
_NOWHERE: Final = (-1, 0)


@dataclass(frozen=True, slots=True)
class Gossip:
    """The state of heads: when we last sent and answered them, and the answers after a restart.
    Immutable.

    `question` is None if we need no answers. `answers` are the heads of the seats that answered the
    question. `told_at` and `answered_at` are seconds of the caller's clock. `reached` is for each
    seat the furthest hand and closed rounds that it ever named. `vouched` are the seats whose
    claims our player disregards.
    """

    question: bytes | None = None
    answers: Mapping[Seat, tuple[Head, ...]] = field(default_factory=dict)
    told_at: float | None = None
    answered_at: Mapping[Seat, float] = field(default_factory=dict)
    reached: Mapping[Seat, tuple[int, int]] = field(default_factory=dict)
    vouched: frozenset[Seat] = frozenset()
    #: Of each seat that told heads, that of the newest opening of a match that it has.
    openings: Mapping[Seat, bytes] = field(default_factory=dict)
    #: How many rulings that stopped a hand each seat has carried out, as far as it has told.
    heard_rulings: Mapping[Seat, int] = field(default_factory=dict)

    def with_heads_received(self, seat: Seat, notice: Heads) -> Gossip:
        """Return the state after the heads of `seat`: the furthest hand and the most rulings
        that it ever named, the newest setup that it names now, and, if the notice names our
        question, its heads as an answer.
        """
        told = [(head.number, head.closed) for head in notice.heads if head.lane == Lane.HAND]
        # Never back: heads may arrive in another order than they were sent.
        furthest = max([*told, self.reached.get(seat, _NOWHERE)])
        # A ledger in the million that follows a ruling shows that the seat has it (specs 5.8, no.
        # 7).
        # Of no heads 0: the seat has carried out no ruling that we know of.
        newest = max((head.number // EPOCH for head in notice.heads), default=0)
        rulings = {**self.heard_rulings, seat: max(newest, self.heard_rulings.get(seat, 0))}
        tables = [(head.number, head.digest) for head in notice.heads if head.lane == Lane.TABLE]
        # The digest of the opening with the highest number; b"", which no opening has, without one.
        _, opening = max(tables, default=(0, b""))
        gossip = replace(
            self,
            reached={**self.reached, seat: furthest},
            openings={**self.openings, seat: opening},
            heard_rulings=rulings,
        )
        # Old heads cannot pass for an answer: the question was drawn for this restart (specs 7.6).
        if self.question is None or notice.answer != self.question:
            return gossip
        return replace(gossip, answers={**self.answers, seat: notice.heads})

    def seats_without_end(self, table_state: TableState, me: Seat) -> tuple[Seat, ...]:
        """Return the other seats that, by their heads, may lack the end of play, in seat order;
        `me` is our seat.

        If some lack a ruling, only these. Else the end is the last counted hand with all its
        signatures, or, if no match follows here, the last confirmations. Empty if no hand was
        counted and a match may follow.
        """
        others = [Seat(seat) for seat in range(len(table_state.charter.seats)) if seat != me]
        heard = len(table_state.rulings.signed)
        behind = tuple(seat for seat in others if self.heard_rulings.get(seat, 0) < heard)
        # A ruling first: who lacks it has another course of hands altogether (specs 5.8, no. 10).
        if behind:
            return behind
        setup = table_state.match_setup()
        # No hand follows here: the end is the head of the last TABLE (specs 5.6, leaving).
        if setup is not None and table_state.closed:
            head = setup.ledger.head
            return tuple(seat for seat in others if self.openings.get(seat) != head)
        # The last hand that counts, not one that is in play. None right after a ruling, too:
        # `counted` is then the first number of the next million.
        last = table_state.counted - 1
        replica = table_state.replicas.get(LedgerName(Lane.HAND, last)) if last >= 0 else None
        if replica is None:
            return ()
        end = (last, len(replica.ledger.rounds))
        return tuple(seat for seat in others if self.reached.get(seat, _NOWHERE) < end)

    def returned(self, table_state: TableState, me: Seat) -> bool:
        """Return whether we may sign again after a restart: every other seat has answered, and
        no claim is open but of the vouched seats. `me` is our seat.
        """
        others = {Seat(seat) for seat in range(len(table_state.charter.seats))} - {me}
        open_now = {claim.seat for claim in self.open_claims(table_state, me)}
        # A signature before that might contradict one that the journal lost (specs 7.5).
        return set(self.answers) == others and open_now <= self.vouched

    def open_claims(self, table_state: TableState, me: Seat) -> tuple[HeadClaim, ...]:
        """Return the open claims in the answers after a restart, the first of each seat, in seat
        order (specs 7.5).

        `me` is our seat: in an open round only our own message counts. A claim ends when the
        messages that it names are here. Time does not end it: anybody can make a claim, and nobody
        is convicted by it.
        """
        found = (
            next((head for head in heads if _knows_more(table_state, head, me)), None)
            for heads in self.answers.values()
        )
        named = zip(self.answers, found, strict=True)
        return tuple(sorted(HeadClaim(seat, head) for seat, head in named if head is not None))


def our_heads(table_state: TableState) -> tuple[Head, ...]:
    """Return our heads of the newest two ledgers of each lane, without forgotten ones."""
    names = [
        LedgerName(lane, number)
        for lane, newest in table_state.newest.items()
        # Two of each lane: a seat may lack the end of the ledger before the newest.
        for number in (newest - 1, newest)
        if number >= 0
    ]
    known = [name for name in sorted(names) if not table_state.forgotten(name)]
    return tuple(table_state.replicas[name].ledger.heads() for name in known)


def unplaced_messages(table_state: TableState, seat: Seat) -> tuple[SignedMessage, ...]:
    """Return the messages of `seat` that are held for later rounds or belong to another history,
    oldest first in each ledger, at most MAX_RESENT.

    A seat whose journal was restored from an older copy may have signed them; it must learn of them
    before it signs again.
    """
    ledgers = [table_state.replicas[name].ledger for name in sorted(table_state.replicas)]
    ledgers += [table_state.waiting[name] for name in sorted(table_state.waiting)]
    # Bounded: one question must not buy a flood.
    return tuple(each for ledger in ledgers for each in ledger.early(seat))[:MAX_RESENT]


def heads_of(kept: tuple[SignedMessage, ...], seat: Seat) -> tuple[Head, ...]:
    """Return a head for each ledger of the messages `kept`, all of `seat`, oldest first in each
    ledger: it names the last one there, by its round, previous digest and seat (specs 7.6).
    """
    # Of each ledger the last one stays, which is the newest.
    newest = {each.place.ledger: each for each in kept}
    return tuple(
        # `int`: a field takes no IntEnum.
        Head(int(name.lane), name.number, each.place.round, each.previous, 1 << seat)
        for name, each in newest.items()
    )


def messages_for(table_state: TableState, heads: tuple[Head, ...]) -> tuple[SignedMessage, ...]:
    """Return the messages that we have and a peer with these heads lacks, at most MAX_RESENT: of
    each ledger that the heads name the rest, then of each lane the whole ledger after the newest
    one named, ledger 0 if none is.
    """
    newest = _newest_named(heads)
    lacked: list[SignedMessage] = []
    for head in heads:
        ledger = table_state.ledger(head.ledger)
        if ledger is not None:
            lacked += ledger.messages_after(head)
    for name in sorted(table_state.replicas):
        # A peer that closes its newest ledger opens the next one, and would have to ask again.
        if name.number == newest[name.lane] + 1:
            lacked += table_state.replicas[name].ledger.messages
    return tuple(lacked[:MAX_RESENT])


def _newest_named(heads: tuple[Head, ...]) -> dict[Lane, int]:
    """Return the number of the newest ledger of each lane that these heads name; -1 for a lane that
    no head names, of which the peer lacks ledger 0 first.
    """
    newest = dict.fromkeys(Lane, -1)
    for head in heads:
        newest[head.ledger.lane] = max(head.number, newest[head.ledger.lane])
    return newest


def far_behind(table_state: TableState, heads: tuple[Head, ...]) -> bool:
    """Return whether we have forgotten, in some lane, the newest ledger that these heads of a
    peer name or the one after it, so that the peer may lack messages of it. Void ledgers do not
    count; in a lane that no head names it is about ledger 0.
    """
    return any(
        number >= 0 and table_state.forgotten(LedgerName(lane, number))
        for lane, named in _newest_named(heads).items()
        # It may lack the rest of the ledger that it names, and all of the next one.
        for number in (named, named + 1)
        if not table_state.rulings.voids(LedgerName(lane, number))
    )


def lacked_rulings(table_state: TableState, heads: tuple[Head, ...]) -> tuple[bytes, ...]:
    """Return the envelopes of the rulings that stopped a hand and that a peer with these heads
    may lack.
    """
    # The million of the highest number tells how many rulings the seat has.
    newest = max((head.number for head in heads), default=0)
    return tuple(each.raw for each in table_state.rulings.signed[newest // EPOCH :])


def lacks_any(table_state: TableState, heads: tuple[Head, ...]) -> bool:
    """Return whether a peer with these heads claims messages that we lack, or has another history.

    Heads of ledgers that we have forgotten, and of hands that a ruling stopped, do not count.
    """
    for head in heads:
        # Neither can be caught up with, and neither must stop us from signing.
        if table_state.forgotten(head.ledger) or table_state.rulings.stop_of(head.ledger):
            continue
        ledger = table_state.ledger(head.ledger)
        # A ledger beyond those that we hold messages for, or one that has begun there and not here.
        if ledger is None or (not ledger.digests and (head.closed or head.present)):
            return True
        if ledger.digests and ledger.lacks(head):
            return True
    return False


def _knows_more(table_state: TableState, head: Head, me: Seat) -> bool:
    """Return whether the peer at `head` may have a message of our seat `me` that we lack.

    True if the head names more closed rounds than we have, or our message in the open round where
    we have none. False for a forgotten ledger, and for a hand that a ruling stopped.
    """
    ours = bool(head.present >> me & 1)
    if table_state.forgotten(head.ledger) or table_state.rulings.stop_of(head.ledger):
        return False
    ledger = table_state.ledger(head.ledger)
    # We have no round of it: any closed one may hold a message of ours.
    if ledger is None or not ledger.digests:
        return bool(head.closed) or ours
    # Fewer rounds, also other ones, hold nothing that we lack.
    if head.closed != len(ledger.rounds):
        return head.closed > len(ledger.rounds)
    # In the open round others' messages can wait; one of ours that we lack must be known before we
    # sign.
    return ours and all(each.place.seat != me for each in ledger.accepted)
