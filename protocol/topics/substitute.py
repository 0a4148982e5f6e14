"""Going on with a match at another table, without a seat that left for good (specs 6.5, 7.11).

All that go on agree to the same before a hand is ended for it. A seat that hears that others would
go on without it objects, and no honest seat goes on then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from p2p304.seats import Seat
from protocol.bounds import HEADS_INTERVAL
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.table.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    Persist,
    Send,
)
from protocol.table.standing import MatchStanding, check_change, check_continued
from protocol.topics.commands import VoteContinuation
from protocol.topics.ending import EndingShown, agree, agreed_end, agreement_to_end, can_end
from protocol.topics.step import (
    OwnSeat,
    SessionState,
    SessionStatus,
    SessionStep,
    Topic,
    send_notice,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import Continuation
from protocol.wire.messages import SignedNotice

Vote = SignedNotice[Continuation]  #: For or against going on at another table.


@dataclass(frozen=True, slots=True)
class Votes:
    """The latest vote of each seat, and how far the going on has come: when our vote was last
    sent, on which table all agreed, whether its charter came. Immutable and bounded.
    """

    said: Mapping[Seat, Vote] = field(default_factory=dict)
    told_at: float | None = None  #: When ours was last sent.
    #: The id of the table of which it was told that all agree; b"", which no table has, before.
    agreed: bytes = b""
    ready: bool = False  #: Whether its charter was told.
    #: Whether we may have sat down there, also before a restart: to play on here, or to go on at a
    #: third table, could convict us.
    moved: bool = False

    def after(self, vote: Vote) -> Votes | None:
        """Return the votes with one more; None if its serial is not above that of the seat's
        last vote.
        """
        before = self.said.get(vote.seat)
        # An old vote that is sent again changes nothing (GO11).
        if before is not None and vote.serial <= before.serial:
            return None
        return replace(self, said={**self.said, vote.seat: vote})

    def of(self, seat: Seat) -> Continuation | None:
        """Return the latest Continuation of a seat; None if it has sent none."""
        found = self.said.get(seat)
        return None if found is None else found.content

    def excluded_but_present(self, content: Continuation) -> tuple[Seat, ...]:
        """Return the seats whose latest votes refuse the table of `content` and that `content`
        leaves out, in seat order.
        """
        return tuple(
            # One in `present` that refuses does not object: it only does not agree.
            each
            for each in self.seats_that_refuse(content)
            if not content.present >> each & 1
        )

    def without_refused_proposal(self, content: Continuation) -> Votes:
        """Return the votes with `agreed` 0 in every vote for the table of `content`, because a seat
        that it leaves out objects.

        Later votes of that seat, which may be about other tables, do not undo this.
        """
        refused = {
            seat: replace(vote, content=replace(vote.content, agreed=0))
            for seat, vote in self.said.items()
            if vote.content.table == content.table
        }
        return replace(self, said={**self.said, **refused})

    def seats_that_agree(self, content: Continuation) -> tuple[Seat, ...]:
        """Return the seats in `content.present` whose latest votes agree to the same as
        `content` (`same_as`), in seat order.
        """
        return tuple(
            seat
            for seat, vote in sorted(self.said.items())
            if vote.content.agreed and vote.content.same_as(content) and content.present >> seat & 1
        )

    def seats_that_refuse(self, content: Continuation) -> tuple[Seat, ...]:
        """Return the seats whose latest votes refuse the table of `content`, in seat order."""
        return tuple(
            seat
            for seat, vote in sorted(self.said.items())
            # By the table alone: an objector need not know founder or bots.
            if not vote.content.agreed and vote.content.table == content.table
        )


# That of an objection, which gives no nonce for a charter (specs 7.11, no. 3).
NO_NONCE: Final = bytes(32)


def seats_of(content: Continuation) -> tuple[Seat, ...]:
    """Return the seats that `content` lets go on: the bits of `present`, ascending; also bits
    beyond the table's seats.
    """
    # 64: the bits of the field, whatever the table's seats; who calls compares them.
    return tuple(Seat(seat) for seat in range(64) if content.present >> seat & 1)


def _say(step: SessionStep, content: Continuation) -> SessionStep:
    """Persist and send `content` as our latest vote, and store it; change nothing if it is our
    vote already.
    """
    before, own = SUBSTITUTE.of(step.state), step.own.seat
    # Already sent; `tick` repeats it.
    if before.of(own) == content:
        return step
    step, vote = send_notice(step, content)
    votes = before.after(vote)
    assert votes is not None  # our serials rise
    return SUBSTITUTE.with_state(step, replace(votes, told_at=step.now))


def _refusal(content: Continuation) -> Continuation:
    """Return the vote against the table of `content`: `agreed` 0, a nonce of zeros, no charter."""
    # Zeros: an objector draws nothing and gives no nonce for a charter (specs 7.11, no. 3).
    return replace(content, agreed=0, nonce=NO_NONCE, charter=b"")


def _take_back(step: SessionStep, content: Continuation) -> SessionStep:
    """Withdraw everybody's vote for the table of `content`, because a seat that it leaves out
    objects: store them all as refusals; if we had agreed, persist and send our refusal first.

    Change nothing once all have agreed: the objection came too late.
    """
    votes, ours = SUBSTITUTE.of(step.state), SUBSTITUTE.of(step.state).of(step.own.seat)
    # They may have begun to play there.
    if votes.agreed == content.table:
        return step
    if ours is not None and ours.agreed and ours.table == content.table:
        step = _say(step, _refusal(ours))
    return SUBSTITUTE.with_state(step, SUBSTITUTE.of(step.state).without_refused_proposal(content))


def _same(one: Continuation | None, other: Continuation) -> bool:
    """Tell whether two Continuations are the same (specs 7.11) and both agree, or both refuse."""
    return one is not None and one.same_as(other) and one.agreed == other.agreed


def _yields(charter: Charter, own: Seat, content: Continuation) -> bool:
    """Return whether a bot plays our seat `own` and the seat that seated the bot goes on in
    `content`, so that we do not object.
    """
    term = charter.continues
    # A bot that keeps a seat for its player does not object (specs 7.11, no. 3).
    by = {} if term is None else dict(term.bots)
    return own in by and by[own] in seats_of(content)


def _agreed_by_all(step: SessionStep) -> Continuation | None:
    """Return our latest vote if all in its `present`, we included, agree to the same and nobody
    refuses its table; else None.

    None also for a vote about an earlier hand than the newest. Refusals of other seats no longer
    count once `look_at_votes` has stored that all agreed.
    """
    votes = SUBSTITUTE.of(step.state)
    ours = votes.of(step.own.seat)
    # A vote about an earlier hand counts for nothing (specs 7.11, no. 1).
    if ours is None or not ours.agreed or ours.hands != step.state.table_state.hands_begun:
        return None
    # Once they have, a seat that comes back too late does not hold them up.
    free = votes.agreed == ours.table or not votes.seats_that_refuse(ours)
    return ours if free and votes.seats_that_agree(ours) == seats_of(ours) else None


def look_at_votes(step: SessionStep) -> SessionStep:
    """Carry out our vote once all in its `present` agree to the same; before that, change nothing.

    While the hand is in play, sign our agreement to end it, and wait until all have. Once it has
    ended, persist the others' votes and emit ContinuationAgreed; then, with a right charter from
    the founder, emit ContinuationReady. Each is emitted once for a session.
    """
    ours = _agreed_by_all(step)
    if ours is None:
        return step
    hand, present = step.state.table_state.hand(), seats_of(ours)
    # The match stands nowhere while the hand is in play: end it first.
    if _standing(step) is None:
        if hand is None or step.state.status in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
            return step
        if not can_end(hand, agreement_to_end(hand, present)):
            return step
        # Only once all agree: nobody gives up a hand for a table that does not come (specs 7.11,
        # no. 4).
        step = agree(step, present)
        if _standing(step) is None:
            return step  # not all have signed that it ends
    votes = SUBSTITUTE.of(step.state)
    if votes.agreed != ours.table:
        step = SUBSTITUTE.with_state(step, replace(votes, agreed=ours.table))
        # Kept, so that a restart knows that all agreed, and an objection stays too late.
        kept = (votes.said[seat].raw for seat in present if seat != step.own.seat)
        step = step.with_events(*map(Persist, kept), ContinuationAgreed(ours))
    return _read_charter(step, ours)


def _read_charter(step: SessionStep, ours: Continuation) -> SessionStep:
    """Emit ContinuationReady, once, if the founder's vote has a charter that is as all agreed; else
    change nothing.

    With it, persist the founder's vote, and store that our seat may have signed at the other table
    (`moved`), so that it signs nothing more here.
    """
    votes = SUBSTITUTE.of(step.state)
    charter = None if votes.ready else _right_charter(step, ours)
    if charter is None:
        return step
    # `moved` from now on: we may sign there, and must not sign here (specs 7.11, no. 7).
    step = SUBSTITUTE.with_state(step, replace(votes, ready=True, moved=True))
    # Our own notice is in the journal already.
    if ours.founder != step.own.seat:
        step = step.with_events(Persist(votes.said[Seat(ours.founder)].raw))
    return step.with_events(ContinuationReady(charter))


def _right_charter(step: SessionStep, ours: Continuation) -> Charter | None:
    """Return the charter in the founder's vote if it is as all agreed in `ours`; else None."""
    standing = _standing(step)
    if standing is None:
        return None
    founder = SUBSTITUTE.of(step.state).said[Seat(ours.founder)]  # who goes on, and has agreed
    return read_charter(step.own, step.state, founder.content, standing)


def read_charter(
    own: OwnSeat, state: SessionState, told: Continuation, standing: MatchStanding
) -> Charter | None:
    """Return the charter in the founder's Continuation `told`, which goes on with the match of
    `standing`.

    None if it has no charter yet, or one that is not as all agreed: other seats, keys, nicknames,
    nonces, bots or table, or another point of the match.
    """
    try:
        charter = Charter.from_bytes(told.charter)
        # By our own ledgers, not by the founder's word (GO1).
        check_change(standing, charter)
        # Before the game sees it: it takes one number of seats.
        if len(charter.seats) != len(own.charter.seats):
            return None
        check_continued(charter, state.table_state.game)
    # No charter yet, or a wrong one: both are waited out, and blame nobody.
    except (MalformedMessage, ProofError):
        return None
    term = charter.continues
    # `check_change` refuses a charter without it.
    assert term is not None
    # Those that may stay have their keys there; a substitute is seated anew.
    stay = [seat for seat in seats_of(told) if seat in standing.keys]
    nonces = {seat: vote.content.nonce for seat, vote in SUBSTITUTE.of(state).said.items()}
    right = (
        charter.table == told.table
        and list(term.present) == stay
        and term.bots == told.bots
        and all(
            charter.seats[seat].key == own.charter.seats[seat].key
            and charter.seats[seat].nickname == own.charter.seats[seat].nickname
            # Each seat's own nonce: no old charter fits again.
            and charter.seats[seat].nonce == nonces.get(seat)
            for seat in seats_of(told)
        )
    )
    return charter if right else None


def _standing(step: SessionStep) -> MatchStanding | None:
    """Return where the match stands after the newest hand, ended by agreements or with a result;
    None while the hand is in play, and if there is no match to go on with.
    """
    return step.state.table_state.standing(agreed_end(step.state))


class SubstituteTopic(Topic[Votes, Vote]):
    """Going on at another table; the state is the latest Continuation of each seat."""

    name = "substitute"
    messages = (Continuation,)
    # A vote is no ledger message; it is also about a hand that has ended. PLAYING is not listed, as
    # it allows every command.
    commands: ClassVar = {
        VoteContinuation: (
            SessionStatus.RETURNING,
            SessionStatus.AGREEING,
            SessionStatus.UNFINISHED,
        )
    }

    def hear(self, step: SessionStep, message: Vote) -> SessionStep:
        """Store a peer's vote and answer it, then carry out what all agree to (`look_at_votes`).

        A new vote to go on with us emits ContinuationProposed, unless we voted the same; a new
        refusal emits ContinuationRefused. A vote to go on without us is refused by us at once,
        unless a bot plays our seat whose owner goes on. If a seat that a vote leaves out refuses
        its table, all votes for that table become refusals.

        A vote with an old serial, or beyond BURST in PERIOD seconds, is dropped; one about another
        hand than the newest is stored without an answer.
        """
        # First: what all had agreed to before a restart is stored, so that this vote undoes it not.
        step = look_at_votes(step)
        content, state = message.content, step.state
        votes = SUBSTITUTE.of(state).after(message)
        proposals = state.proposals.after(message.seat, message.raw, step.now)
        # An old word that was sent again (GO11), or one of a seat that asks the player too often.
        if votes is None or proposals is None:
            return step
        # Repeated every five seconds, and told to the player once.
        new = not _same(SUBSTITUTE.of(state).of(message.seat), content)
        step = step._replace(state=state._replace(proposals=proposals))
        step = SUBSTITUTE.with_state(step, votes)
        # Kept, but about another hand: it asks nothing now.
        if content.hands != state.table_state.hands_begun:
            return look_at_votes(step)
        own = step.own.seat
        # Before our own answer: with an objection nobody agrees any more.
        if votes.excluded_but_present(content):
            step = _take_back(step, content)
        if not content.agreed:
            step = step.with_events(ContinuationRefused(message.seat, content)) if new else step
        elif own not in seats_of(content):
            # Without asking the player: to be there is to object (specs 7.11, no. 3).
            if not _yields(step.own.charter, own, content):
                step = _say(step, _refusal(content))
                step = step.with_events(ContinuationRefused(own, content))
        elif new and not _same(SUBSTITUTE.of(state).of(own), content):
            step = step.with_events(ContinuationProposed(message.seat, content))
        return look_at_votes(step)

    def remember(self, step: SessionStep, message: Vote) -> SessionStep:
        """Store a vote from our journal, unless a later one of its seat is stored; if now all
        agree and the founder's charter is right, store that our seat may have signed at the
        other table. Nothing is sent or emitted.
        """
        # `or`: None for a vote that is not newer, which changes nothing.
        votes = SUBSTITUTE.of(step.state).after(message) or SUBSTITUTE.of(step.state)
        step = SUBSTITUTE.with_state(step, votes)
        ours = _agreed_by_all(step)
        # Only with the charter here we may have signed at the other table.
        if ours is None or _right_charter(step, ours) is None:
            return step
        # `ready` stays False: after a restart our player is told the charter again.
        return SUBSTITUTE.with_state(step, replace(votes, agreed=ours.table, moved=True))

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Persist, send and store our player's vote, then act as `look_at_votes` does.

        Raises LocalError for a vote about another hand than the newest, for this table's id,
        without our seat or the founder in `present`, or with a seat that the table lacks; once we
        may have signed elsewhere, for any other table; and for agreeing where a seat that is left
        out has refused, or no match can go on.
        """
        content = command.content
        seats, own = len(step.own.charter.seats), step.own.seat
        present = seats_of(content)
        hand = step.state.table_state.hand()
        if content.hands != step.state.table_state.hands_begun:
            raise LocalError("another hand has begun")
        votes = SUBSTITUTE.of(step.state)
        if votes.moved and content.table != votes.agreed:
            raise LocalError("the match goes on at another table already")
        if content.table == step.own.charter.table:
            raise LocalError("the match goes on at a new table")
        # In this order: `present` has our seat, so it has a last one.
        if own not in present or content.founder not in present or present[-1] >= seats:
            raise LocalError("who goes on is at the table")
        # Refused here already: no honest seat would go on with us.
        if content.agreed and votes.agreed != content.table and votes.excluded_but_present(content):
            raise LocalError("a seat that would be left out is there")
        if content.agreed and _standing(step) is None:
            if hand is None or hand.settled:
                raise LocalError("there is no match to go on with")
            if not can_end(hand, agreement_to_end(hand, present)):
                raise LocalError("a seat of every side goes on, or none does")
        return look_at_votes(_say(step, content))

    def settle(self, step: SessionStep) -> SessionStep:
        """Act on the votes once all that go on agree, as `look_at_votes` does."""
        return look_at_votes(step)

    def tick(self, step: SessionStep) -> SessionStep:
        """Send our vote again every HEADS_INTERVAL seconds; nothing if we have none since the
        newest hand began.
        """
        votes = SUBSTITUTE.of(step.state)
        ours = votes.said.get(step.own.seat)
        if ours is None or ours.content.hands != step.state.table_state.hands_begun:
            return step
        # Every 5 seconds (specs 7.11, no. 2).
        if votes.told_at is not None and step.now - votes.told_at < HEADS_INTERVAL:
            return step
        step = SUBSTITUTE.with_state(step, replace(votes, told_at=step.now))
        return step.with_events(Send(ours.raw))

    def leaves(self, state: SessionState) -> str:
        """Return "the match goes on at another table" if our seat may have signed there; else
        "".
        """
        return "the match goes on at another table" if self.of(state).moved else ""


SUBSTITUTE: Final = SubstituteTopic(Votes())


class SubstituteShown(EndingShown):
    """The view of going on at another table for our player."""

    def continuation(self) -> Continuation | None:
        """Return our latest vote, for or against; None if we have none about the newest hand."""
        ours = SUBSTITUTE.of(self._state).of(self.seat)
        current = ours is not None and ours.hands == self.table_state.hands_begun
        return ours if current else None

    def open_proposals(self) -> tuple[Continuation, ...]:
        """Return the proposals to go on elsewhere that await our answer, each once: made since
        the newest hand began, with our seat, refused by no seat, and not agreed to by us.
        """
        votes, ours = SUBSTITUTE.of(self._state), self.continuation()
        begun = self.table_state.hands_begun
        asked: list[Continuation] = []
        for seat, vote in sorted(votes.said.items()):
            content = vote.content
            current = seat != self.seat and content.agreed and content.hands == begun
            said = ours is not None and ours.agreed and ours.same_as(content)
            with_us = self.seat in seats_of(content)
            new = not any(each.same_as(content) for each in asked)
            # Once somebody refuses, no answer of ours could make all agree.
            if new and current and with_us and not said and not votes.seats_that_refuse(content):
                asked.append(content)
        return tuple(asked)

    def gone_on_without_us(self) -> Continuation | None:
        """Return a vote whose `present` is exactly the seats that ended the newest hand by
        agreement, if our seat is none of them; else None.
        """
        present = tuple(each.seat for each in self.agreed_end())
        if not present or self.seat in present:
            return None
        # Agreed or not: once we have objected, votes for that table are stored as refusals.
        said = (each.content for each in SUBSTITUTE.of(self._state).said.values())
        return next((each for each in said if seats_of(each) == present), None)

    def substituted_seats(self) -> tuple[Seat, ...]:
        """Return the seats that bots play here for players who left, ascending, from the
        charter's term `continues`; empty without that term.
        """
        term = self.charter.continues
        return () if term is None else tuple(seat for seat, _ in term.bots)

    def nonces(self) -> dict[Seat, bytes]:
        """Return the nonces for the next charter, 32 bytes each: those in the latest votes of
        the seats in `present` of our own vote, by seat. Seats without a vote are left out; empty
        without a vote of ours.
        """
        ours, votes = self.continuation(), SUBSTITUTE.of(self._state)
        if ours is None:
            return {}
        said = ((seat, votes.of(seat)) for seat in seats_of(ours))
        return {seat: content.nonce for seat, content in said if content is not None}

    def yet_to_go_on(self) -> tuple[Seat, ...]:
        """Return the seats in our vote that have not agreed to the same; empty if our vote does
        not agree, or there is none.
        """
        ours = self.continuation()
        if ours is None or not ours.agreed:
            return ()
        there = SUBSTITUTE.of(self._state).seats_that_agree(ours)
        return tuple(seat for seat in seats_of(ours) if seat not in there)

    def going_on(self) -> tuple[Continuation, MatchStanding] | None:
        """Return our vote and where the match stands, once all agreed to the vote and the hand
        has ended; None before.
        """
        ours, votes = self.continuation(), SUBSTITUTE.of(self._state)
        if ours is None or votes.agreed != ours.table:
            return None
        standing = self.table_state.standing(self.agreed_end())
        return None if standing is None else (ours, standing)

    def goes_on_under(self, charter: Charter) -> bool:
        """Return whether a charter, from any sender, goes on with the match as all agreed; False
        before all have agreed.
        """
        found = self.going_on()
        if found is None:
            return False
        # As if the founder's vote had brought it: whoever sends it, it is judged alike.
        told = replace(found[0], charter=charter.to_bytes())
        return read_charter(self._own, self._state, told, found[1]) is not None
