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
from protocol.bounds import AGREEMENTS_KEPT
from protocol.errors import LocalError, ProofError
from protocol.places import Lane, LedgerName
from protocol.table.events import EndProposed, EndUndone, HandUnfinished, Persist, Send
from protocol.table.ledger import LedgerPhase
from protocol.table.replica import AnyReplica, HandReplica
from protocol.table.standing import present_in
from protocol.topics.commands import EndUnfinished, PlayOn
from protocol.topics.step import (
    SeatShown,
    SessionState,
    SessionStatus,
    SessionStep,
    StatusEvent,
    Topic,
    Watched,
    WatchedShown,
    send_notice,
)
from protocol.wire.contents import UnfinishedAgreement
from protocol.wire.messages import Agreement, SignedMessage

FEWEST: Final = 2  #: Seats that can end a hand: nobody does alone.


def agreement_to_end(hand: HandReplica, present: Iterable[Seat]) -> UnfinishedAgreement:
    """Return the unsigned agreement that the seats `present` end the hand after its closed
    rounds.
    """
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
    """Return the known agreements with `said` as the last; of each seat at most the AGREEMENTS_KEPT
    latest stay, and the lasting ones.

    Unchanged if an agreement of the same seat and content is known.

    Args:
        known: in the order of arrival.
        said: the new one, validly signed; it may be about any hand.
        lasting: the known ones that are never dropped. Otherwise a seat that has ended a hand
            with others could undo that for some of them, by signing a few more agreements.
    """
    # Without the envelope: another serial of the same agreement changes nothing.
    if any((each.seat, each.content) == (said.seat, said.content) for each in known):
        return known
    others = tuple(each for each in known if each.seat != said.seat)
    same = tuple(each for each in known if each.seat == said.seat)
    # One place is left for the new one.
    recent = same[1 - AGREEMENTS_KEPT :]
    kept = tuple(each for each in same if each in recent or each in lasting)
    return (*others, *kept, said)


def agreement_of_all(hand: HandReplica, agreements: Iterable[Agreement]) -> tuple[Agreement, ...]:
    """Return the agreements that end `hand`, one of each seat in their `present`, in seat order;
    empty if none do.

    They do if all these seats have signed the same, it can end the hand (`can_end`), and these
    seats did not go on afterwards (`goes_on`). Of several ends the one with the fewest closed
    rounds counts, then the one with the lowest `present`, so that all seats write the same file.
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
    """Return whether an agreement can end this hand (specs 5.6, no. 1): its point is in the
    hand's history, the hand waits for more than signatures there, and the agreement names two or
    more seats, one of every side.
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
    """Return the seats of the first side without a seat in `present`; empty if every side has one.

    While partners are not known the game names several divisions into sides: every one after
    `closed` rounds must pass. For more rounds than are closed the present divisions count.
    """
    known = hand.machine.sides
    # Every division: partners may not be known yet (specs 5.6). `min`: what a peer proposes may be
    # about rounds that have not reached us.
    for sides in known[min(closed, len(known) - 1)]:
        for side in sides:
            if not set(side) & set(present):
                return side
    return ()


def goes_on(hand: HandReplica, content: UnfinishedAgreement) -> bool:
    """Return whether the seats in `content.present` went on from the agreement's point, so that the
    agreement is void (specs 5.6, no. 2).

    They did if the round that was open there is closed with messages of these seats alone, or if
    one of them signed in a later round. Messages of other seats do not count.
    """
    ledger, closed = hand.ledger, content.closed
    # The round of the point is open: nobody has gone on.
    if len(ledger.rounds) <= closed:
        return False
    present = set(present_in(content, hand.charter))
    closing = {each.place.seat for each in ledger.rounds[closed]}
    later = {each.place.seat for round_ in ledger.rounds[closed + 1 :] for each in round_}
    # The open round counts: a signature there is in a round after the point.
    later |= {each.place.seat for each in ledger.accepted}
    # Both ways make it void (specs 5.6, no. 2).
    return closing <= present or not later.isdisjoint(present)


def proposes(hand: HandReplica | None, said: Agreement, present: tuple[Seat, ...]) -> bool:
    """Return whether a peer's agreement asks our player to end a hand: `present`, the seats that it
    names, has the peer and another seat, and the agreement may still end the hand.

    `hand` is the newest, None before the first. True also for a hand that we have not reached;
    False for one that is over.
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
    """Return whether the agreement's hand is over: a hand before `hand`, the newest one, or
    `hand` itself if it is settled.
    """
    # `settled` adds one: then the newest hand is over too.
    return content.hand < hand.origin.ledger.number + hand.settled


def ends_here(replica: AnyReplica, content: UnfinishedAgreement) -> bool:
    """Return whether the agreement's point is the present one of this hand: after the closed
    rounds, with no message of the open round here.
    """
    ledger = replica.ledger
    here = is_about(replica, content) and content.closed == len(ledger.rounds)
    # A file of such a hand holds no message of the open round (specs 6.1).
    return here and not ledger.accepted


def is_about(hand: AnyReplica, content: UnfinishedAgreement) -> bool:
    """Return whether an agreement is about this hand, which is not settled, at a point of its
    history so far, and names no seat beyond the table's.
    """
    ledger = hand.ledger
    return (
        hand.origin.ledger.lane is Lane.HAND
        # A bit beyond the seats names nobody at this table.
        and content.present < 1 << len(hand.charter.seats)
        and content.hand == hand.origin.ledger.number
        and not hand.settled
        and content.closed <= len(ledger.rounds)
        and content.digest == ledger.digests[content.closed]
    )


# --- at our seat ----------------------------------------------------------------------------------


def agree(step: SessionStep, present: tuple[Seat, ...]) -> SessionStep:
    """Sign, persist and send an agreement that the seats `present` end the newest hand at this
    point; set the status to AGREEING, or stop if it was the last one needed.

    If our seat has signed the same agreement before, nothing is signed. Raises LocalError without a
    hand in play, if our seat is not in `present`, or if the agreement is not possible (`can_end`).
    """
    hand = step.state.table_state.hand()
    if hand is None or hand.settled or step.own.seat not in present:
        raise LocalError("there is no hand to end, or others would end it")
    content = agreement_to_end(hand, present)
    # Two partners end nothing by themselves (CH16), and no result is taken back (CH17).
    if not can_end(hand, content):
        raise LocalError("too few agree: a seat of every side does, and not to a result")
    before = {each.content for each in ENDING.of(step.state) if each.seat == step.own.seat}
    if content not in before:  # signed once, so that all write the same file
        return note_agreement(*send_notice(step, content))
    if step.state.status is not SessionStatus.AGREEING:  # once more, after we went on
        return _wait_for_others(step)
    return step


def back_to_play(step: SessionStep, *, undone: int | None = None) -> SessionStep:
    """Leave the status AGREEING or UNFINISHED for PLAYING, or for RETURNING before all seats have
    answered after a restart; agreements are no longer sent again.

    Emit EndUndone for the hand with the number `undone`; nothing if it is None.
    """
    # A seat that agreed while it returned has not caught up yet: it still may not sign.
    behind = step.state.gossip.question is not None
    step = step.after(StatusEvent.WENT_ON_BEHIND if behind else StatusEvent.WENT_ON)
    step = step._replace(state=step.state._replace(repeating=()))
    return step if undone is None else step.with_events(EndUndone(undone))


def agree_again(step: SessionStep) -> SessionStep:
    """While AGREEING, follow a hand that moved past the point of our latest agreement (specs 5.6,
    no. 5): sign the agreement anew at the present point.

    Go back to play instead if the hand is over or a ruling stopped it, and with EndUndone if the
    seats of the agreement went on or can no longer end the hand. Nothing changes in another status,
    or at the point of our agreement.
    """
    hand = step.state.table_state.hand()
    if step.state.status is not SessionStatus.AGREEING:
        return step
    # While AGREEING there is one: the status follows from it.
    ours = [each.content for each in ENDING.of(step.state) if each.seat == step.own.seat][-1]
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
    """Store an agreement to end a hand, of any seat, and stop if it ends the newest hand; a known
    one changes nothing.

    For a peer's agreement that `proposes` something to our player, emit EndProposed, unless the
    same came before or the seat sends too many. For one of our own seat set the status to AGREEING,
    unless it is UNFINISHED.
    """
    state, known, own = step.state, ENDING.of(step.state), step.own.seat
    hand, content = state.table_state.hand(), agreement.content
    # Never dropped: those that end the newest hand, and those of our seat about it.
    lasting: tuple[Agreement, ...] = ()
    if hand is not None:
        ours = (each for each in known if each.seat == own and is_about(hand, each.content))
        lasting = (*agreement_of_all(hand, known), *ours)
    kept = with_agreement(known, agreement, lasting=lasting)
    # Known already: a broker may repeat it.
    if kept == known:
        return step
    step = ENDING.with_state(step, kept)
    if agreement.seat != own:
        present = present_in(content, step.own.charter)
        proposals = state.proposals.after(agreement.seat, agreement.raw, step.now)
        # The agreement is kept all the same, also of a seat that sends too many: it may still
        # complete an end.
        if proposals is not None and proposes(hand, agreement, present):
            step = step._replace(state=step.state._replace(proposals=proposals))
            step = step.with_events(EndProposed(agreement.seat, content.hand, present))
    # Signed now, from the journal, or shown by others: it binds us alike (specs 5.6, no. 10).
    elif state.status is not SessionStatus.UNFINISHED:
        step = _wait_for_others(step)
    return look_at_agreements(step)


def _wait_for_others(step: SessionStep) -> SessionStep:
    """Set the status to AGREEING; all known agreements of our seat are sent again at intervals
    from now on.
    """
    known, seat = ENDING.of(step.state), step.own.seat
    repeating = tuple(each.raw for each in known if each.seat == seat)
    step = step.after(StatusEvent.AGREED)
    return step._replace(state=step.state._replace(repeating=repeating))


def look_at_agreements(step: SessionStep) -> SessionStep:
    """Stop once agreements end the newest hand: set the status to UNFINISHED, persist those of
    other seats, send all, emit HandUnfinished; for the same end once.

    If the agreements that ended it became void, go back to play, with EndUndone unless a ruling
    stopped the hand or made it void. Nothing changes once we have halted or a ruling has ended
    play.
    """
    status, known = step.state.status, ENDING.of(step.state)
    # A ruling ended play: no agreement has an effect (specs 5.8, no. 2).
    if step.state.table_state.rulings.ended:
        return step
    agreed = agreed_end(step.state)
    raws = tuple(each.raw for each in agreed)
    stopped = status is SessionStatus.UNFINISHED
    if not agreed:
        if not stopped:
            return step
        # `repeating` holds the agreements of the end that we had reported.
        was = (each.content.hand for each in known if each.raw in step.state.repeating)
        ended = next(was, None)
        ruled = ended is None or _ruled_on(step, ended)
        return back_to_play(step, undone=None if ruled else ended)
    # The same end again: it is reported once.
    if status is SessionStatus.HALTED or (stopped and raws == step.state.repeating):
        return step
    if not stopped:
        step = step.after(StatusEvent.ALL_AGREED)
    # Sent again every 5 seconds: nobody misses a message that nobody repeats (specs 5.6).
    step = step._replace(state=step.state._replace(repeating=raws))
    return step.with_events(
        # Ours was put down when we signed it.
        *(Persist(each.raw) for each in agreed if each.seat != step.own.seat),
        # Of all seats: one that missed an agreement gets it from anybody.
        *(Send(raw) for raw in raws),
        HandUnfinished(agreed[0].content.hand, tuple(each.seat for each in agreed)),
    )


def _ruled_on(step: SessionStep, number: int) -> bool:
    """Return whether a ruling stopped the hand with this `number`, or made it void."""
    rulings, name = step.state.table_state.rulings, LedgerName(Lane.HAND, number)
    return rulings.voids(name) or rulings.stop_of(name) is not None


def agreed_end(state: SessionState | Watched) -> tuple[Agreement, ...]:
    """Return the agreements that end the newest hand, one of each seat in their `present`, in
    seat order; empty if none do.
    """
    hand, known = state.table_state.hand(), ENDING.of(state)
    return () if hand is None else agreement_of_all(hand, known)


class EndingTopic(Topic[tuple[Agreement, ...], Agreement]):
    """Ending a hand by agreement; the state is the latest agreements of each seat."""

    name = "ending"
    messages = (UnfinishedAgreement,)
    # An agreement is no ledger message, so that a returning seat may agree (specs 7.6). While
    # AGREEING a player may name other seats.
    commands: ClassVar = {
        EndUnfinished: (SessionStatus.RETURNING, SessionStatus.AGREEING),
        PlayOn: (SessionStatus.AGREEING,),
    }

    def hear(self, step: SessionStep, message: Agreement) -> SessionStep:
        """Store a peer's agreement, and act on it as `note_agreement` does."""
        return note_agreement(step, message)

    def hear_own(self, step: SessionStep, message: Agreement) -> SessionStep | None:
        """Store and persist an agreement of our own key that others sent us, and act on it as
        `note_agreement` does.

        Return None, which changes nothing, if it is known or cannot end the newest hand.
        """
        content = message.content
        hand, known = step.state.table_state.hand(), ENDING.of(step.state)
        before = {each.content for each in known if each.seat == step.own.seat}
        # Only one that is possible: an older one of ours would stop us for nothing (CH21).
        if hand is None or content in before or not can_end(hand, content):
            return None
        return note_agreement(step.with_events(Persist(message.raw)), message)

    def remember(self, step: SessionStep, message: Agreement) -> SessionStep:
        """Store an agreement from our journal, and act on it as `note_agreement` does."""
        return note_agreement(step, message)

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Carry out EndUnfinished by signing an agreement of its seats (`agree`), PlayOn by
        going back to play.
        """
        if isinstance(command, EndUnfinished):
            return agree(step, command.present)
        # While PLAYING it raises: there is nothing to go back to, and `CHANGES` has no such change.
        return back_to_play(step)

    def act_after_message(
        self, step: SessionStep, signed: SignedMessage, *, ours: bool
    ) -> SessionStep:
        """Go back to play, with EndUndone, if our own message was accepted while AGREEING; then
        stop or go on as `look_at_agreements` does.
        """
        if ours and step.state.status is SessionStatus.AGREEING:
            # We agreed, and signed on later: a journal tells it in this order.
            step = back_to_play(step, undone=signed.place.ledger.number)
        return look_at_agreements(step)

    def follow(self, step: SessionStep) -> SessionStep:
        """Sign anew if the hand has moved past our agreement (`agree_again`); then stop or go on
        as `look_at_agreements` does.
        """
        return look_at_agreements(agree_again(step))

    def watch(self, seen: Watched, message: Agreement) -> Watched:
        """Store an agreement of a seat, without an event; a known one changes nothing."""
        said = with_agreement(self.of(seen), message, lasting=agreed_end(seen))
        return self.watched_with_state(seen, said)

    def watch_on(self, seen: Watched) -> Watched:
        """Emit HandUnfinished once known agreements end the newest hand, and once more for each
        other end that takes its place.
        """
        # Each time anew: a later message may make the end void, or another end may come first.
        agreed = agreed_end(seen)
        if not agreed or agreed == seen.ended:
            return seen
        # Any of them: all have one content.
        told = HandUnfinished(agreed[0].content.hand, tuple(each.seat for each in agreed))
        return seen._replace(ended=agreed).with_events(told)


ENDING: Final = EndingTopic(())


class EndingShown(SeatShown):
    """The view of agreements for our player."""

    def sides_missing(self, present: Iterable[Seat]) -> tuple[Seat, ...]:
        """Return the seats of the first side without a seat in `present`, at the present point
        of the newest hand; empty if every side has one, and without a hand.
        """
        hand = self.table_state.hand()
        return () if hand is None else sides_missing(hand, {*present}, len(hand.ledger.rounds))

    def agreed_end(self) -> tuple[Agreement, ...]:
        """Return the agreements that ended the newest hand, in seat order, for its transcript;
        empty unless the session stopped by them.
        """
        state = self._state
        return agreed_end(state) if state.status is SessionStatus.UNFINISHED else ()

    def present_at_agreed_end(self) -> tuple[Seat, ...]:
        """Return the seats that our latest agreement names, ours among them, while the status is
        AGREEING; else empty.
        """
        # "Agreed" by us: the others may still have to.
        return present_in(ours, self.charter) if (ours := self._agreed_end_of_ours()) else ()

    def yet_to_agree(self) -> tuple[Seat, ...]:
        """Return the seats that our latest agreement names and that have not signed the same,
        while the status is AGREEING; else empty.
        """
        ours, known = self._agreed_end_of_ours(), ENDING.of(self._state)
        there = {each.seat for each in known if each.content == ours}
        return tuple(seat for seat in self.present_at_agreed_end() if seat not in there)

    def _agreed_end_of_ours(self) -> UnfinishedAgreement | None:
        """Return our latest agreement while the status is AGREEING; else None."""
        known = ENDING.of(self._state) if self.status is SessionStatus.AGREEING else ()
        return next((each.content for each in reversed(known) if each.seat == self.seat), None)


class EndingWatched(WatchedShown):
    """The view of agreements for a watcher."""

    def agreed_end(self) -> tuple[Agreement, ...]:
        """Return the agreements that end the newest hand, in seat order, for its transcript;
        empty if none do.
        """
        return agreed_end(self._state)


# --- agreements in a file -------------------------------------------------------------------------


def place_names(seats: Iterable[Seat], replica: AnyReplica) -> str:
    """Return the place names of these seats with commas: "South, East"."""
    count = len(replica.charter.seats)
    return ", ".join(place_name(seat, count) for seat in seats)


def check_agreement(
    replica: AnyReplica, agreement: Agreement, before: tuple[Agreement, ...]
) -> None:
    """Check one agreement of a file: it has the same content as those `before` it and a higher
    seat, and ends the ledger `replica` at its present point.

    Raises ProofError `agreement.hand`, also for a hand that lacks signatures alone, or
    `agreement.seats`.
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
    """Check all agreements of a file, at least one: their signers are exactly the seats in their
    `present`, in seat order, two or more, with one of every side.

    Raises ProofError `agreement.seats` or `agreement.sides`.
    """
    present = present_in(agreed[0].content, hand.charter)
    if len(present) < FEWEST or present != tuple(each.seat for each in agreed):
        raise ProofError("agreement.seats", "not those who were to agree")
    if side := sides_missing(hand, present, len(hand.ledger.rounds)):
        raise ProofError("agreement.sides", f"nobody of {place_names(side, hand)}")
