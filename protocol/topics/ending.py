"""Ending a hand by agreement of the seats present, when a seat has left for good (specs 5.6).

An agreement ends the hand when every seat that it names has signed the same one, with a seat of
every side among them, for a point at which more than signatures was missing. It depends on that
point and those seats alone: no other seat can undo it, and one of them does by going on. A clock
never ends a hand, because a broker could forge silence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, ClassVar, Final

from p2p304.seats import Seat, place_name
from protocol.errors import LocalError, ProofError
from protocol.places import Lane, LedgerName
from protocol.table.events import (
    EndProposed,
    EndUndone,
    HandUnfinished,
    Persist,
    Send,
)
from protocol.table.ledger import LedgerPhase
from protocol.table.replica import (
    AnyReplica,
    HandReplica,
)
from protocol.table.standing import (
    present_in,
)
from protocol.topics.commands import EndUnfinished, PlayOn
from protocol.topics.step import SessionState, SessionStatus, SessionStep, StatusEvent, send_notice
from protocol.topics.topic import SeatShown, Topic, Watched, WatchedShown, Word
from protocol.wire.contents import UnfinishedAgreement
from protocol.wire.messages import (
    Agreement,
    Notice,
    SignedMessage,
)

FEWEST: Final = 2
"""Seats that can end a hand: nobody does alone."""
# A bound on memory: a seat can sign agreements without end (specs 5.6, no. 9).
MOST_KEPT: Final = 4
"""How many agreements of one seat are kept: it may have named other seats before."""


def agreement_to_end(hand: HandReplica, present: Iterable[Seat]) -> UnfinishedAgreement:
    """Return the agreement of the seats `present` to end the hand at its present point."""
    return UnfinishedAgreement(
        hand=hand.origin.ledger.number,
        closed=len(hand.ledger.rounds),
        digest=hand.ledger.head,
        # A set: a seat that is named twice has one bit.
        present=sum(1 << seat for seat in set(present)),
    )


def with_agreement(
    known: tuple[Agreement, ...], said: Agreement, *, lasting: Collection[Agreement] = ()
) -> tuple[Agreement, ...]:
    """Return the known agreements with one more: of each seat the MOST_KEPT latest, each once.

    Unchanged if the seat's same agreement is known.

    Args:
        known: in the order of arrival.
        said: the new one, validly signed; it may be about any hand.
        lasting: the known ones that are never dropped. Otherwise a seat that has ended a hand
            with others could undo that for some of them, by signing a few more agreements.
    """
    # Without the envelope: another serial of the same agreement changes nothing.
    if any(each[:2] == said[:2] for each in known):
        return known
    others = tuple(each for each in known if each.seat != said.seat)
    same = tuple(each for each in known if each.seat == said.seat)
    # One place is left for the new one.
    recent = same[1 - MOST_KEPT :]
    kept = tuple(each for each in same if each in recent or each in lasting)
    return (*others, *kept, said)


def agreement_of_all(hand: HandReplica, agreements: Iterable[Agreement]) -> tuple[Agreement, ...]:
    """Return the agreements that end `hand`, one of each seat that they name, in seat order; else
    empty.

    Of several ends it is the one with the fewest closed rounds, then the lowest `present`, so that
    all seats write the same file.
    """
    known = tuple(agreements)
    contents = {each.content for each in known}
    # The order decides between several ends, at every seat alike (specs 5.6, no. 3).
    for content in sorted(contents, key=lambda each: (each.closed, each.present)):
        found = {each.seat: each for each in known if each.content == content}
        present = present_in(content, hand.charter)
        if set(present) <= set(found) and can_end(hand, content) and not goes_on(hand, content):
            return tuple(found[seat] for seat in present)
    return ()


def can_end(hand: HandReplica, content: UnfinishedAgreement) -> bool:
    """Return whether an agreement is possible for this hand (specs 5.6, no. 1).

    The hand has reached its point with the same history and waits for more than signatures there;
    it names at least two seats, with one of every side.
    """
    if not is_about(hand, content) or lacks_only_signatures(hand, content.closed):
        return False
    present = present_in(content, hand.charter)
    return len(present) >= FEWEST and not sides_missing(hand, present, content.closed)


def lacks_only_signatures(hand: AnyReplica, closed: int) -> bool:
    """Return whether the hand has closed exactly `closed` rounds and now awaits signatures of
    its result.
    """
    return hand.machine.phase is LedgerPhase.SIGNING and closed == len(hand.ledger.rounds)


def sides_missing(hand: HandReplica, present: Collection[Seat], closed: int) -> tuple[Seat, ...]:
    """Return the seats of the first side that has no seat in `present`; empty if every side has
    one.

    Every division into sides that the game names after `closed` rounds is tried; for a point that
    is not reached yet, the divisions of now.
    """
    known = hand.machine.sides
    # Every division: partners may not be known yet (specs 5.6).
    for sides in known[min(closed, len(known) - 1)]:
        for side in sides:
            if not set(side) & set(present):
                return tuple(side)
    return ()


def goes_on(hand: HandReplica, content: UnfinishedAgreement) -> bool:
    """Return whether the seats that an agreement names have gone on from its point (specs 5.6, no.
    2).

    They closed its round by themselves, or one of them signed in a later one. Signatures of other
    seats count for nothing, so that a seat that is gone undoes no agreement, and the order of
    arrival does not matter. Otherwise two seats could keep an early agreement back while they play,
    and take back all that came after it.
    """
    ledger, closed = hand.ledger, content.closed
    # The round of the point is open: nobody has gone on.
    if len(ledger.rounds) <= closed:
        return False
    present = set(present_in(content, hand.charter))
    closing = {each.place.seat for each in ledger.rounds[closed].messages}
    later = {each.place.seat for round_ in ledger.rounds[closed + 1 :] for each in round_.messages}
    # The open round counts: a signature there is in a round after the point.
    later |= {each.place.seat for each in ledger.accepted}
    # Both ways make it void (specs 5.6, no. 2).
    return closing <= present or not later.isdisjoint(present)


def proposes(hand: HandReplica | None, said: Agreement, present: tuple[Seat, ...]) -> bool:
    """Return whether an agreement asks our player to end a hand: its seat and at least one other
    would end it, and it may still end.

    `hand` is the newest. The agreement may be about a hand that we have not reached, or be an old
    one that a broker repeats.
    """
    # Nobody ends a hand for others only.
    if said.seat not in present or len(present) < FEWEST:
        return False
    if hand is None or said.content.hand != hand.origin.ledger.number:
        # A later hand may be asked about before its messages arrive; an old one is over.
        return hand is None or not hand_is_over(hand, said.content)
    closed = said.content.closed
    return not (
        hand.settled or lacks_only_signatures(hand, closed) or sides_missing(hand, present, closed)
    )


def hand_is_over(hand: HandReplica, content: UnfinishedAgreement) -> bool:
    """Return whether the hand that an agreement is about is over: it came before `hand`, the
    newest, or it is `hand` and settled.
    """
    # `settled` adds one: then the newest hand is over too.
    return content.hand < hand.origin.ledger.number + hand.settled


def ends_here(replica: AnyReplica, content: UnfinishedAgreement) -> bool:
    """Return whether an agreement names exactly the present end of this hand: its closed rounds,
    with no message of the open one.
    """
    ledger = replica.ledger
    here = is_about(replica, content) and content.closed == len(ledger.rounds)
    # A file of such a hand holds no message of the open round (specs 6.1).
    return here and not ledger.accepted


def is_about(hand: AnyReplica, content: UnfinishedAgreement) -> bool:
    """Return whether an agreement is about this hand, not settled, at a point of its history."""
    ledger = hand.ledger
    return (
        hand.origin.ledger.lane is Lane.HAND
        # A bit beyond the seats names nobody at this table.
        and content.present < 1 << len(hand.charter.seats)
        and content.hand == hand.origin.ledger.number
        and not hand.settled
        and content.closed <= len(ledger.rounds)
        and content.digest == ledger.digest_after(content.closed)
    )


# --- at our seat ----------------------------------------------------------------------------------


def agree(step: SessionStep, present: tuple[Seat, ...]) -> SessionStep:
    """Sign an agreement of the seats `present` to end the newest hand at this point, and wait for
    the others.

    The same agreement is not signed twice. Raises LocalError if there is no such hand, our seat is
    not in `present`, or the agreement is not possible (`can_end`).
    """
    hand = step.state.table_state.hand
    if hand is None or hand.settled or step.own.seat not in present:
        raise LocalError("there is no hand to end, or others would end it")
    content = agreement_to_end(hand, present)
    # Two partners end nothing by themselves (CH16), and no result is taken back (CH17).
    if not can_end(hand, content):
        raise LocalError("too few agree: a seat of every side does, and not to a result")
    before = {each.content for each in _known_agreements(step) if each.seat == step.own.seat}
    if content not in before:  # signed once, so that all write the same file
        step, raw = send_notice(step, content)
        return note_agreement(step, Agreement(step.own.seat, content, raw))
    if step.state.status is not SessionStatus.AGREEING:  # once more, after we went on
        return _wait_for_others(step)
    return step


def back_to_play(step: SessionStep, *, undone: int | None = None) -> SessionStep:
    """Return to the status before an agreement: playing, or catching up after a restart.

    Emit EndUndone for the hand with the number `undone`; nothing if it is None, since our player
    knows.
    """
    # A seat that agreed while it returned has not caught up yet: it still may not sign.
    behind = step.state.gossip.question is not None
    step = step.after(StatusEvent.WENT_ON_BEHIND if behind else StatusEvent.WENT_ON)
    step = step.with_state(step.state._replace(repeating=()))
    return step if undone is None else step.with_events(EndUndone(undone))


def agree_again(step: SessionStep) -> SessionStep:
    """Agree once more if the hand has moved past the point of our agreement (specs 5.6, no. 5).

    If it moved to its result, nothing can be ended. If the seats of the agreement went on, so do
    we.
    """
    hand = step.state.table_state.hand
    if step.state.status is not SessionStatus.AGREEING:
        return step
    # While AGREEING there is one: the status follows from it.
    ours = [each.content for each in _known_agreements(step) if each.seat == step.own.seat][-1]
    present = present_in(ours, step.own.charter)
    # No EndUndone: the result, or the ruling, was reported already.
    if hand is None or _ruled_on(step, ours.hand) or hand_is_over(hand, ours):
        return back_to_play(step)
    # Still at the point of our agreement: wait for the others.
    if not is_about(hand, ours) or ends_here(hand, ours):
        return step
    if goes_on(hand, ours) or not can_end(hand, agreement_to_end(hand, present)):
        return back_to_play(step, undone=ours.hand)
    return agree(step, present)


def note_agreement(step: SessionStep, agreement: Agreement) -> SessionStep:
    """Store an agreement to end a hand, and stop if the hand has ended by it.

    A peer's may be a proposal to our player; after one of our own seat we wait for the others. A
    known agreement changes nothing.
    """
    state, known = step.state, _known_agreements(step)
    kept = with_agreement(known, agreement, lasting=_lasting_agreements(step))
    # Known already: a broker may repeat it.
    if kept == known:
        return step
    step = ENDING.said(step, kept)
    if agreement.seat != step.own.seat:
        step = _with_proposal(step, agreement)
    # Signed now, from the journal, or shown by others: it binds us alike (specs 5.6, no. 10).
    elif state.status is not SessionStatus.UNFINISHED:
        step = _wait_for_others(step)
    return look_at_agreements(step)


def _with_proposal(step: SessionStep, agreement: Agreement) -> SessionStep:
    """Emit EndProposed for a peer's agreement that asks something of our player, unless it came
    before.
    """
    present = present_in(agreement.content, step.own.charter)
    proposals = step.state.proposals.after(agreement.seat, agreement.raw, step.now)
    # The agreement is kept all the same: it may still complete an end.
    if proposals is None or not proposes(step.state.table_state.hand, agreement, present):
        return step
    step = step.with_state(step.state._replace(proposals=proposals))
    return step.with_events(EndProposed(agreement.seat, agreement.content.hand, present))


def _lasting_agreements(step: SessionStep) -> tuple[Agreement, ...]:
    """Return the agreements that end the hand, and our own about it, which nobody sends us
    again.
    """
    hand, known = step.state.table_state.hand, _known_agreements(step)
    if hand is None:
        return ()
    ours = (each for each in known if each.seat == step.own.seat and is_about(hand, each.content))
    return (*agreement_of_all(hand, known), *ours)


def _wait_for_others(step: SessionStep) -> SessionStep:
    """Set the status to AGREEING, and send our agreements again at intervals."""
    known, seat = _known_agreements(step), step.own.seat
    repeating = tuple(each.raw for each in known if each.seat == seat)
    step = step.after(StatusEvent.AGREED)
    return step.with_state(step.state._replace(repeating=repeating))


def look_at_agreements(step: SessionStep) -> SessionStep:
    """Stop if the hand has ended by agreement, and emit HandUnfinished once; go on if the
    agreements that ended it became void.
    """
    hand, status = step.state.table_state.hand, step.state.status
    if not _known_agreements(step) and status is not SessionStatus.UNFINISHED:
        return step
    # A ruling ended play: no agreement has an effect (specs 5.8, no. 2).
    if step.state.table_state.rulings.ended:
        return step
    agreed = () if hand is None else agreement_of_all(hand, _known_agreements(step))
    raws = tuple(each.raw for each in agreed)
    stopped = status is SessionStatus.UNFINISHED
    if not agreed:
        return _end_undone(step) if stopped else step
    # The same end again: it is reported once.
    if status is SessionStatus.HALTED or (stopped and raws == step.state.repeating):
        return step
    if not stopped:
        step = step.after(StatusEvent.ALL_AGREED)
    # Sent again every 5 seconds: nobody misses a message that nobody repeats (specs 5.6).
    step = step.with_state(step.state._replace(repeating=raws))
    return step.with_events(
        # Ours was put down when we signed it.
        *(Persist(each.raw) for each in agreed if each.seat != step.own.seat),
        # Of all seats: one that missed an agreement gets it from anybody.
        *(Send(raw) for raw in raws),
        HandUnfinished(agreed[0].content.hand, tuple(each.seat for each in agreed)),
    )


def _end_undone(step: SessionStep) -> SessionStep:
    """Go on with a hand whose end by agreement became void.

    Emit EndUndone, unless a ruling is the cause, which was reported already.
    """
    said, repeating = _known_agreements(step), step.state.repeating
    # `repeating` holds the agreements of the end that we had reported.
    ended = next((each.content.hand for each in said if each.raw in repeating), None)
    ruled = ended is None or _ruled_on(step, ended)
    return back_to_play(step, undone=None if ruled else ended)


def _ruled_on(step: SessionStep, number: int) -> bool:
    """Return whether a ruling stopped the hand with this `number`, or made it void."""
    rulings, name = step.state.table_state.rulings, LedgerName(Lane.HAND, number)
    return rulings.voids(name) or rulings.stop_of(name) is not None


def _known_agreements(step: SessionStep) -> tuple[Agreement, ...]:
    """Return the agreements that are known at our seat."""
    return ENDING.of(step.state)


def agreed_end(state: SessionState | Watched) -> tuple[Agreement, ...]:
    """Return the agreements that end the newest hand, one of each seat that they name; empty for
    none.
    """
    hand, known = state.table_state.hand, ENDING.of(state)
    return () if hand is None else agreement_of_all(hand, known)


class EndingTopic(Topic[tuple[Agreement, ...]]):
    """Ending a hand by agreement; the state is the latest agreements of each seat."""

    name = "ending"
    messages = (UnfinishedAgreement,)
    commands: ClassVar = {
        EndUnfinished: (SessionStatus.RETURNING, SessionStatus.AGREEING),
        PlayOn: (SessionStatus.AGREEING,),
    }

    def hear(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Store a peer's agreement, and follow it as `note_agreement` does."""
        return note_agreement(step, _agreement(message, raw))

    def hear_own(self, step: SessionStep, message: Notice, raw: bytes) -> SessionStep | None:
        """Store an agreement of ours that others send again, which an older journal may lack.

        Return None if it is known, or not possible for the newest hand.
        """
        content = message.content
        # The session passes only what `messages` lists; so it does in the assertions below.
        assert isinstance(content, UnfinishedAgreement)
        hand, known = step.state.table_state.hand, _known_agreements(step)
        before = {each.content for each in known if each.seat == step.own.seat}
        # Only one that is possible: an older one of ours would stop us for nothing (CH21).
        if hand is None or content in before or not can_end(hand, content):
            return None
        return note_agreement(
            step.with_events(Persist(raw)), Agreement(step.own.seat, content, raw)
        )

    def remember(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Store an agreement from our journal, and follow it as `note_agreement` does."""
        return note_agreement(step, _agreement(message, raw))

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Carry out EndUnfinished, by signing an agreement, or PlayOn."""
        if isinstance(command, EndUnfinished):
            return agree(step, command.present)
        return back_to_play(step)

    def heard(self, step: SessionStep, signed: SignedMessage, *, ours: bool) -> SessionStep:
        """Go back to play if we signed on after an agreement of ours; then stop or go on, as the
        agreements say.
        """
        if ours and step.state.status is SessionStatus.AGREEING:
            # We agreed, and signed on later: a journal tells it in this order.
            step = back_to_play(step, undone=signed.place.ledger.number)
        return look_at_agreements(step)

    def follow(self, step: SessionStep) -> SessionStep:
        """Sign a new agreement if the hand has moved past ours; then stop if the hand has ended,
        or go on.
        """
        return look_at_agreements(agree_again(step))

    def watch(self, seen: Watched, message: Word, raw: bytes) -> Watched:
        """Store an agreement of a seat."""
        said = with_agreement(self.of(seen), _agreement(message, raw), lasting=agreed_end(seen))
        return self.watched(seen, said)

    def watch_on(self, seen: Watched) -> Watched:
        """Emit HandUnfinished once agreements end the newest hand at a point that the watcher
        has reached; again if another end takes its place.
        """
        # Each time anew: a later message may make the end void, or another end may come first.
        agreed = agreed_end(seen)
        if not agreed or agreed == seen.ended:
            return seen
        told = HandUnfinished(agreed[0].content.hand, tuple(each.seat for each in agreed))
        return seen._replace(ended=agreed).with_events(told)


def _agreement(message: Word, raw: bytes) -> Agreement:
    """Return the agreement in a notice and its envelope."""
    # Agreements are notices; only a Ruling is not.
    assert isinstance(message, Notice)
    assert isinstance(message.content, UnfinishedAgreement)
    return Agreement(message.seat, message.content, raw)


ENDING: Final = EndingTopic(())


class EndingShown(SeatShown):
    """The view of agreements for our player."""

    def sides_missing(self, present: Iterable[Seat]) -> tuple[Seat, ...]:
        """Return the seats of the first side without a seat in `present`, if the newest hand
        ended now; empty if every side has one, or without a hand.
        """
        hand = self._public.hand
        return () if hand is None else sides_missing(hand, {*present}, len(hand.ledger.rounds))

    def agreed_end(self) -> tuple[Agreement, ...]:
        """Return the agreements that ended the newest hand for us, for its transcript; empty
        while it has not ended so.
        """
        state = self._state
        return agreed_end(state) if state.status is SessionStatus.UNFINISHED else ()

    def present_at_agreed_end(self) -> tuple[Seat, ...]:
        """Return the seats that our own agreement names, while we wait for theirs; else empty."""
        return present_in(ours, self.charter) if (ours := self._agreed_end_of_ours()) else ()

    def yet_to_agree(self) -> tuple[Seat, ...]:
        """Return the seats that have not signed the agreement that we signed, while we wait;
        else empty.
        """
        ours, known = self._agreed_end_of_ours(), ENDING.of(self._state)
        there = {each.seat for each in known if each.content == ours}
        return tuple(seat for seat in self.present_at_agreed_end() if seat not in there)

    def _agreed_end_of_ours(self) -> UnfinishedAgreement | None:
        """Return our latest agreement while we wait for the others'; else None."""
        known = ENDING.of(self._state) if self.status is SessionStatus.AGREEING else ()
        return next((each.content for each in reversed(known) if each.seat == self.seat), None)


class EndingWatched(WatchedShown):
    """The view of agreements for a watcher."""

    def agreed_end(self) -> tuple[Agreement, ...]:
        """Return the agreements that end the newest hand, for its transcript; empty for none."""
        return agreed_end(self._seen)


# --- agreements in a file -------------------------------------------------------------------------


def place_names(seats: Iterable[Seat], replica: AnyReplica) -> str:
    """Return the place names of these seats with commas: "South, East"."""
    count = len(replica.charter.seats)
    return ", ".join(place_name(seat, count) for seat in seats)


def check_agreement(
    replica: AnyReplica, agreement: Agreement, before: tuple[Agreement, ...]
) -> None:
    """Return if an agreement in a file says what those `before` it say, by a higher seat, and ends
    this ledger at its present point.

    Raises ProofError `agreement.hand` or `agreement.seats`.
    """
    content = agreement.content
    # One end, one content: of another one nothing follows.
    same = all(each.content == content for each in before)
    if not (same and ends_here(replica, content)):
        raise ProofError("agreement.hand", "an agreement about something else")
    if lacks_only_signatures(replica, content.closed):
        raise ProofError("agreement.hand", "the hand has a result, only signatures are missing")
    # One order, so that all seats write the same file (specs 6.1).
    if before and agreement.seat <= before[-1].seat:
        raise ProofError("agreement.seats", "agreements stand by seat, once each")


def check_all_agreed(hand: HandReplica, agreed: tuple[Agreement, ...]) -> None:
    """Return if every seat that the agreements name signed one, with a seat of every side.

    Raises ProofError `agreement.seats` or `agreement.sides`.
    """
    present = present_in(agreed[0].content, hand.charter)
    if len(present) < FEWEST or present != tuple(each.seat for each in agreed):
        raise ProofError("agreement.seats", "not those who were to agree")
    if side := sides_missing(hand, present, len(hand.ledger.rounds)):
        raise ProofError("agreement.sides", f"nobody of {place_names(side, hand)}")
