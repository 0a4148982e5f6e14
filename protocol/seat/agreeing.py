"""The part of a turn that ends a hand without an end, by agreement, or goes on after all (5.6)."""

from __future__ import annotations

from dataclasses import replace

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.ledger.agreement import (
    agreement_of_all,
    agreement_to_end,
    can_end,
    ends_here,
    goes_on,
    is_over,
    names,
    present_in,
    proposes,
    with_agreement,
)
from protocol.ledger.events import EndProposed, EndUndone, Event, HandUnfinished, Persist, Send
from protocol.seat.status import OwnSeat, SessionStatus, State, StatusEvent, stand
from protocol.wire import contents
from protocol.wire.contents import NoticeContent, UnfinishedAgreement
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Agreement, Notice, table_tag


class Agreeing:
    """The state a turn works on and its events so far, and all that agreements do to them."""

    def __init__(self, own: OwnSeat, state: State, now: float) -> None:
        self.own = own
        self.now = now
        self.state = state
        self.events: list[Event] = []

    def agree(self, present: tuple[Seat, ...]) -> None:
        """We agree to end the hand where it stands, and sign nothing more in it."""
        hand = self.state.table_state.hand
        if hand is None or hand.settled or self.own.seat not in present:
            raise LocalError("there is no hand to end, or others would end it")
        content = agreement_to_end(hand, present)
        if not can_end(hand, content):
            raise LocalError("too few agree: a seat of every side does, and not to a result")
        said = {each.content for each in self.state.agreements if each.seat == self.own.seat}
        if content not in said:  # signed once, so that all write the same file
            self.note_agreement(Agreement(self.own.seat, content, self._tell(content)))
        elif self.state.standing is not SessionStatus.AGREEING:  # once more, after we went on
            self._wait_for_others(self.state.agreements)

    def back_to_play(self, *, undone: int | None = None) -> None:
        """We go on with a hand that we agreed to end, or that had ended; which is told, if it is
        not our player's choice."""
        behind = self.state.gossip.question is not None
        self._stand(StatusEvent.WENT_ON_BEHIND if behind else StatusEvent.WENT_ON)
        self.state = replace(self.state, repeating=())
        if undone is not None:
            self.events.append(EndUndone(undone))

    def agree_again(self) -> None:
        """The hand has moved since we agreed to end it: what was under way has come. If that was
        its result, there is nothing to end; if those who were to agree went on, we do, too."""
        hand = self.state.table_state.hand
        if hand is None or self.state.standing is not SessionStatus.AGREEING:
            return
        said = [each for each in self.state.agreements if each.seat == self.own.seat][-1].content
        present = present_in(said, self.own.charter)
        if is_over(hand, said):
            self.back_to_play()
        elif names(hand, said) and not ends_here(hand, said):
            if goes_on(hand, said) or not can_end(hand, agreement_to_end(hand, present)):
                self.back_to_play(undone=said.hand)
            else:
                self.agree(present)

    def note_agreement(self, agreement: Agreement) -> None:
        """A seat agrees to end a hand unfinished, ours or another."""
        kept = with_agreement(self.state.agreements, agreement, lasting=self._lasting())
        if kept == self.state.agreements:
            return
        ours = agreement.seat == self.own.seat
        self.state = replace(self.state, agreements=kept)
        if ours and self.state.standing is not SessionStatus.UNFINISHED:
            self._wait_for_others(kept)
        elif not ours:
            present = present_in(agreement.content, self.own.charter)
            told = self.state.proposals.after(agreement.seat, agreement.raw, self.now)
            if told is not None and proposes(self.state.table_state.hand, agreement, present):
                self.state = replace(self.state, proposals=told)
                self.events.append(EndProposed(agreement.seat, agreement.content.hand, present))
        self.look_at_agreements()

    def learn_own(self, content: UnfinishedAgreement, raw: bytes) -> bool:
        """Note what we agreed to of this hand as others tell it again: our journal may be an older
        copy. Whether it was new to us."""
        hand, known = self.state.table_state.hand, self.state.agreements
        said = {each.content for each in known if each.seat == self.own.seat}
        if hand is None or content in said or not can_end(hand, content):
            return False
        self.events.append(Persist(raw))
        self.note_agreement(Agreement(self.own.seat, content, raw))
        return True

    def _lasting(self) -> tuple[Agreement, ...]:
        """What ends the hand, and what we said about it ourselves, which nobody tells us again."""
        hand, known = self.state.table_state.hand, self.state.agreements
        if hand is None:
            return ()
        ours = (each for each in known if each.seat == self.own.seat and names(hand, each.content))
        return (*agreement_of_all(hand, known), *ours)

    def _wait_for_others(self, kept: tuple[Agreement, ...]) -> None:
        repeating = tuple(each.raw for each in kept if each.seat == self.own.seat)
        self._stand(StatusEvent.AGREED)
        self.state = replace(self.state, agreements=kept, repeating=repeating)

    def look_at_agreements(self) -> None:
        """Stop if all who are named have ended the hand; go on if they went on with it."""
        hand = self.state.table_state.hand
        agreed = () if hand is None else agreement_of_all(hand, self.state.agreements)
        raws = tuple(each.raw for each in agreed)
        stopped = self.state.standing is SessionStatus.UNFINISHED
        if not agreed:
            if stopped and hand is not None:
                self.back_to_play(undone=hand.origin.ledger.number)
            return
        if self.state.standing is SessionStatus.HALTED or (
            stopped and raws == self.state.repeating
        ):
            return
        if not stopped:
            self._stand(StatusEvent.ALL_AGREED)
        self.state = replace(self.state, repeating=raws)
        self.events += [Persist(each.raw) for each in agreed if each.seat != self.own.seat]
        self.events += [Send(raw) for raw in raws]
        present = tuple(each.seat for each in agreed)
        self.events.append(HandUnfinished(agreed[0].content.hand, present))

    def _tell(self, content: NoticeContent) -> bytes:
        own, charter = self.own, self.own.charter.digest
        notice = Notice(table_tag(charter), own.seat, self.state.serial, content)
        self.state = replace(self.state, serial=self.state.serial + 1)
        envelope = sign(
            own.key,
            notice.to_bytes(),
            purpose=Purpose.NOTICE,
            seat=own.seat,
            charter=charter,
        )
        if not isinstance(content, contents.Heads):  # a serial serves for one word
            self.events.append(Persist(envelope.to_bytes()))
        self.events.append(Send(envelope.to_bytes()))
        return envelope.to_bytes()

    def _stand(self, cause: StatusEvent) -> None:
        self.state = replace(self.state, standing=stand(self.state.standing, cause))
