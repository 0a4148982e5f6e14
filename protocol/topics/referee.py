"""Challenges, rulings, and the change that a ruling makes at a table (specs 5.8).

A ruling that stops a hand names a point of it. The hand ends there, everything behind the point is
void, and the match goes on from the consequence, or is over. This depends on the ruling and on the
history before its point alone: not on how far a seat had come, nor on the time of arrival. Play,
spectators and audits judge rulings here. The known challenges and rulings are bounded, and each is
reported once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, NamedTuple

from p2p304.game import Outcome
from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import MOST_CHALLENGES, MOST_RULINGS, RULINGS_AHEAD
from protocol.encoding import digest
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.places import EPOCH, Digest, Lane, LedgerName
from protocol.table.events import (
    ChallengeMade,
    Event,
    HandEnded,
    HandRuled,
    HandUnfinished,
    MatchEnded,
    Persist,
    RefereeBlamed,
    RulingHeard,
    Send,
)
from protocol.table.evidence import TwoRulings
from protocol.table.replica import HandReplica, as_hand
from protocol.table.rulings import MatchHand, Rulings, contradict, stops
from protocol.table.standing import Consequence, PenaltyOutcome, at_point, consequence, stop_hand
from protocol.table.table import TableState
from protocol.topics.commands import CallReferee
from protocol.topics.step import (
    SeatShown,
    SessionState,
    SessionStatus,
    SessionStep,
    StatusEvent,
    Topic,
    Watched,
    send_notice,
    signed_notice,
)
from protocol.wire.challenges import opens, read_sentence, sealed_sentence, sentence_commitment
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge, ChallengeOpening, Ruling, RulingVerdict
from protocol.wire.fields import HASH_BYTES
from protocol.wire.identity import SigningKey
from protocol.wire.messages import SignedNotice, SignedRuling

# --- at a table -----------------------------------------------------------------------------------


def before_first_hand(table: TableState, ruling: Ruling) -> int | None:
    """Return the number of the match setup before whose first hand a ruling's point lies; None if
    the point is elsewhere, or the table does not keep that setup.

    Such a ruling has the number of the first hand after the setup, no closed round, and the setup's
    root as digest.
    """
    for number, first in table.first_hands.items():
        setup = table.replicas.get(LedgerName(Lane.TABLE, number))
        # The number of the first hand, with no round closed (specs 5.8).
        before = (ruling.hand, ruling.closed) == (first, 0)
        if before and setup is not None and setup.ledger.digests[0] == ruling.digest:
            return number
    return None


def follow_rulings(
    table: TableState, rulings: Iterable[SignedRuling]
) -> Iterator[tuple[SignedRuling, TableState, tuple[Event, ...]]]:
    """Yield each of these rulings that stops a hand now, with the table after it and the events, in
    the order in which the rulings apply.

    The rulings may stand in any order: one may be about a hand that begins after another. Others
    are left out: those that stop nothing, and those whose points are not reached.
    """
    # After each one anew: what follows from it may contain the point of another.
    waiting = [*rulings]
    while waiting:
        for ruling in waiting:
            found = apply_ruling(table, ruling)
            if found is not None:
                break
        else:  # no `break`: none of them stops a hand now
            return
        waiting.remove(ruling)
        table, events = found
        yield ruling, table, events


def apply_ruling(
    table: TableState, ruling: SignedRuling
) -> tuple[TableState, tuple[Event, ...]] | None:
    """Return the table after a ruling that stops a hand, and the events; the ruling's signature was
    checked.

    None if the ruling stops nothing or is impossible, if its point is not in the table's history,
    not reached yet, or forgotten, and if another ruling stopped a hand of the same million before.
    """
    content = ruling.content
    # One ruling stops in each million of numbers (specs 5.8, no. 3).
    here = content.hand // EPOCH == len(table.rulings.signed)
    if not (here and stops(content)):
        return None
    hand = table.hand(content.hand)
    setup = before_first_hand(table, content)
    try:
        if setup is not None:
            # Without a hand: only a verdict that needs none is possible there.
            after = consequence(table.game, content, None, None)
            return _stopped_table(table, ruling, after, setup, None)
        if hand is None or not at_point(hand, content):
            return None
        # The machine as it was then: a later round must not change what "the result was there"
        # means.
        outcome = hand.past[content.closed].outcome
        after = consequence(table.game, content, hand.origin, outcome)
    # An impossible ruling stops nothing and convicts nobody.
    except ProofError:
        return None
    setup = table.setup_of(content.hand)
    # Of a hand that is kept, its match is.
    assert setup is not None
    return _stopped_table(table, ruling, after, setup, hand)


def _stopped_table(
    table: TableState,
    ruling: SignedRuling,
    after: Consequence,
    setup: int,
    hand: HandReplica | None,
) -> tuple[TableState, tuple[Event, ...]]:
    """Return the table with the consequence `after` and without the ledgers and results behind the
    ruling's point, and the events. The next match setup or deck is open there.

    `setup` is the number of the newest match setup that stays. `hand` is the hand of the point,
    None for a point before the first hand.
    """
    number = ruling.content.hand
    left = {Lane.TABLE: setup, Lane.DECK: number, Lane.HAND: number}
    if hand is None:
        # The point is before the first hand: its deck is void too.
        left |= {Lane.DECK: number - 1, Lane.HAND: number - 1}
    gone = {name: each for name, each in table.replicas.items() if name.number > left[name.lane]}
    kept = {name: each for name, each in table.replicas.items() if name not in gone}
    if hand is not None:
        cut = stop_hand(hand, ruling)
        head, outcome = cut.head, cut.machine.outcome
        kept[hand.origin.ledger] = cut
    else:
        opening = kept[LedgerName(Lane.TABLE, setup)]
        root = opening.ledger.digests[0]
        head, outcome = Digest(digest(labels.LEDGER_RULED, root, ruling.id)), None
        # A setup without luck begins no match: what follows continues its ruled root.
        if not opening.settled:
            del kept[opening.origin.ledger]
    # A redeal voids the result too; with other verdicts it counts (specs 5.8).
    if ruling.content.verdict == RulingVerdict.REDEAL:
        outcome = None
    # Results that are taken back: the hand in play is not among them, and that of the point is
    # added again where it counts.
    counted = (
        each.machine.outcome
        for each in map(as_hand, table.replicas.values())
        if each is not None and number <= each.origin.ledger.number < table.counted
    )
    taken = sum(1 for each in counted if each is not None and each.played)
    # -1 stands for no ledger of that lane.
    newest = {lane: top for lane, top in left.items() if top >= 0}
    before = table.rulings
    rulings = Rulings((*before.signed, ruling), (*before.tops, left))
    match_hands, events = _match_hands(table, number, after, hand, outcome)
    rewound = table._replace(
        replicas=kept,
        # All that was held is of voided numbers.
        waiting={},
        # Seats that came less far never saw these keys: all must judge alike (specs 5.2, step 9).
        keys=table.keys.without(
            {said.raw for each in gone.values() for said in each.ledger.messages}
        ),
        newest=newest,
        rulings=rulings,
        # Numbers go on from the next million, so that nobody signs twice for one place.
        counted=len(rulings.signed) * EPOCH,
        played=table.played - taken + (outcome is not None and outcome.played),
        match_hands=match_hands,
        match=None if after.over else after.match,
        won=after.winner,
        # Another match begins, or this one goes on.
        closed=False,
        first_hands={key: first for key, first in table.first_hands.items() if key <= setup},
        matches={key: before for key, before in table.matches.items() if key <= setup},
    )
    # The next match waits for confirmations; else a new deck continues the match.
    if after.over or after.match is None:
        rewound = rewound.open_match_setup((head,))
    else:
        rewound = rewound.open_next_of(Lane.DECK, (head,), after.match.dealer)
    void = tuple(sorted(name.number for name in gone if name.lane is Lane.HAND))
    told: list[Event] = [HandRuled(ruling, void), *events]
    if after.winner is not None:
        # Those of a match that was lost are the last ones. Any luck does: only scores are taken.
        last = match_hands[-1] if match_hands else table.game.new_match(bytes(32))
        scores = last.scores if after.match is None else after.match.scores
        told.append(MatchEnded(after.winner, scores))
    if ruling.content.verdict == RulingVerdict.END:
        # No seats: none agreed to it, the referee ended it.
        told.append(HandUnfinished(number, ()))
    return rewound, tuple(told)


def _match_hands(
    table: TableState,
    number: int,
    after: Consequence,
    hand: HandReplica | None,
    outcome: Outcome | None,
) -> tuple[tuple[MatchHand, ...], tuple[Event, ...]]:
    """Return the entries of the match up to and with the ruled hand, `number`, and the events.

    The ruled hand's entry is left out without `outcome`, its result if that counts. A penalty that
    changes the scores adds an entry. The one event is HandEnded, if the ruled hand counts and had
    not been counted before.
    """
    match_hands = tuple(each for each in table.match_hands if each.number < number)
    events: tuple[Event, ...] = ()
    if hand is None:
        return match_hands, events
    before = hand.origin.scores
    if outcome is not None:
        stood = table.game.after_hand(table.game.match_at(hand.origin.leading, before), outcome)
        match_hands = (*match_hands, MatchHand(number, outcome, before, stood.scores))
        # One that had counted was reported before the ruling came.
        if number >= table.counted:
            events = (HandEnded(number, outcome, stood.scores),)
        before = stood.scores
    # What the penalty changed stands as an entry of its own.
    if after.match is not None and after.match.scores != before:
        scores = after.match.scores
        change = tuple(new - old for new, old in zip(scores, before, strict=True))
        match_hands = (*match_hands, MatchHand(number, PenaltyOutcome(change), before, scores))
    return match_hands, events


# --- what is known of challenges and rulings ------------------------------------------------------


Said = SignedNotice[Challenge | ChallengeOpening]
#: A match by the number of its setup, a seat, and how often it had challenged there before.
ChallengePlace = tuple[int, Seat, int]


class SaidChallenge(NamedTuple):
    """A challenge and its envelope; once opened, also the opening's envelope (b"" before) and
    the sentence (None before).
    """

    content: Challenge
    raw: bytes
    opened: bytes = b""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RefereeTalk:
    """The known rulings, and the known challenges by match, seat and count. Immutable."""

    challenges: Mapping[ChallengePlace, SaidChallenge] = field(default_factory=dict)
    #: What our own challenges say, signed, until their hands have ended.
    kept_back: Mapping[ChallengePlace, Said] = field(default_factory=dict)
    rulings: tuple[SignedRuling, ...] = ()

    def with_challenge(self, table: TableState, notice: Said) -> RefereeTalk | None:
        """Return the talk with a challenge, or with the sentence of one that is opened.

        None if it does not count. A challenge: if there is no referee, it is not sealed to every
        referee, the seat has one of the same match and count, or the table does not keep the match.
        An opening: if the challenge is unknown or open already, or the sentence does not fit its
        commitment. With a challenge those of forgotten matches are dropped.
        """
        charter, seat, content = table.charter, notice.seat, notice.content
        place = (content.match, seat, content.count)
        said = self.challenges.get(place)
        if isinstance(content, ChallengeOpening):
            # The commitment stops a seat from telling another sentence afterwards.
            if said is None or said.opened or not opens(charter, seat, said.content, content):
                return None
            said = said._replace(opened=notice.raw, text=content.text)
            return replace(self, challenges={**self.challenges, place: said})
        # Every referee must be able to read it, or none is called (specs 5.8).
        if not charter.referees or len(content.sealed) != len(charter.referees):
            return None
        # A second one in its place is ignored, and blames nobody (specs 5.8, no. 1).
        if content.match not in table.first_hands or said is not None:
            return None
        # Bounded: three of each seat, as no message has a higher `count`, in the matches that the
        # table keeps.
        oldest = min(table.first_hands)
        kept = {each: said for each, said in self.challenges.items() if each[0] >= oldest}
        return replace(self, challenges={**kept, place: SaidChallenge(content, notice.raw)})

    def with_ruling(self, table: TableState, ruling: SignedRuling) -> RefereeTalk | None:
        """Return the talk with a ruling as its latest.

        None for a known ruling; for one whose hand is RULINGS_AHEAD millions or more ahead of the
        table; and, while MOST_RULINGS that stop nothing are kept, for another that stops nothing
        and contradicts none.
        """
        if any(each.id == ruling.id for each in self.rulings):
            return None
        # Bounded memory against rulings about hands that never come.
        if ruling.content.hand // EPOCH - len(table.rulings.signed) >= RULINGS_AHEAD:
            return None
        idle = sum(1 for each in self.rulings if not stops(each.content))
        convicts = any(contradict(each, ruling) for each in self.rulings)
        # One that contradicts is always kept: it is the evidence (specs 5.8, no. 8).
        if idle >= MOST_RULINGS and not stops(ruling.content) and not convicts:
            return None
        return replace(self, rulings=(*self.rulings, ruling))


def _referee_and_id(ruling: SignedRuling) -> tuple[int, bytes]:
    """Return by what rulings are sorted."""
    return ruling.referee, ruling.id


def contradiction_in(charter: Charter, talk: RefereeTalk) -> RefereeBlamed | None:
    """Return the RefereeBlamed for the latest ruling and an earlier one that contradicts it, of
    which only one can count: one referee signed both, or both stop a hand; None if there is none.

    Of several earlier ones one of the same referee is taken first. Every seat gets the pair in the
    same order. The evidence is a file if one referee signed both, b"" if two did.
    """
    pairs = (
        # The same pair in the same order at every seat, whichever arrived first.
        sorted((each, other), key=_referee_and_id)
        # The latest alone: earlier pairs were looked at when they came.
        for other in talk.rulings[-1:]
        for each in talk.rulings[:-1]
        # Rulings without consequence of two referees can both stand.
        if contradict(each, other)
        and (each.referee == other.referee or (stops(each.content) and stops(other.content)))
    )
    # False sorts first: a pair of one referee convicts, one of two does not.
    first = min(
        pairs,
        key=lambda pair: (pair[0].referee != pair[1].referee, *map(_referee_and_id, pair)),
        default=None,
    )
    if first is None:
        return None
    one, other = first
    # Two rulings of two referees convict neither (specs 5.8, no. 5). Of one referee the pair stands
    # by id, so that all seats write the same evidence.
    same = one.referee == other.referee
    evidence = TwoRulings(charter, one.raw, other.raw).to_bytes() if same else b""
    return RefereeBlamed((one, other), evidence)


# --- at our seat ----------------------------------------------------------------------------------


def match_number(table_state: TableState) -> int:
    """Return the number of the setup of the newest hand's match, in play or over; before the
    first hand, of the newest setup.
    """
    # -1 before the first hand: no setup lies before it, and the newest one is taken.
    setup = table_state.setup_of(table_state.hands_begun - 1)
    return table_state.newest[Lane.TABLE] if setup is None else setup


# --- rulings --------------------------------------------------------------------------------------


def hear_ruling(step: SessionStep, ruling: SignedRuling) -> SessionStep:
    """Store and persist a ruling, from any sender or our journal, and emit RulingHeard; change
    nothing for a ruling that is known or too far ahead (`RefereeTalk.with_ruling`).

    A ruling that stops a hand takes effect once its point is reached, now or later, and is sent on
    then; any other is sent on now. A contradiction to a known ruling stops the table with
    RefereeBlamed instead.
    """
    state = step.state
    told = REFEREE.of(state).with_ruling(state.table_state, ruling)
    if told is None:
        return step
    step = REFEREE.with_state(step, told).with_events(Persist(ruling.raw))
    blame = contradiction_in(step.own.charter, told)
    if blame is not None:
        if state.status is SessionStatus.HALTED:
            return step
        # Both, so that every seat comes to the same verdict by itself, now and at intervals (specs
        # 7.7).
        raws = tuple(each.raw for each in blame.rulings)
        step = step.after(StatusEvent.FAULT)
        step = step._replace(state=step.state._replace(repeating=raws))
        return step.with_events(blame, *map(Send, raws))
    # Passed on once; `look_at_rulings` sends one that stops when its point is reached.
    if not stops(ruling.content):
        step = step.with_events(Send(ruling.raw))
    return look_at_rulings(step.with_events(RulingHeard(ruling)))


def look_at_rulings(step: SessionStep) -> SessionStep:
    """Apply each known ruling that stops a hand and whose point we have reached: change the table,
    send the ruling, emit its events. A ruling that ends play is sent again at intervals.

    A fault in the step is dropped then: its message lies behind the point. Nothing changes once we
    have halted.
    """
    if step.state.status is SessionStatus.HALTED:
        return step
    rulings = REFEREE.of(step.state).rulings
    for ruling, table_state, events in follow_rulings(step.state.table_state, rulings):
        # `turn_told`: the turn of the voided hand is no turn any more. `moved_at`: the ruling is a
        # move, from which the next wait counts.
        state = step.state._replace(table_state=table_state, turn_told=None, moved_at=step.now)
        # No fault: what was found wrong lies behind the point and blames nobody (specs 5.8, no. 2).
        step = step._replace(state=state, fault=None).with_events(Send(ruling.raw), *events)
        if ruling.content.verdict == RulingVerdict.END:
            step = step.after(StatusEvent.RULED)
            step = step._replace(state=step.state._replace(repeating=(ruling.raw,)))
    return step


class RefereeTopic(Topic[RefereeTalk, Said | SignedRuling]):
    """Challenges and rulings."""

    name = "referee"
    messages = (Challenge, ChallengeOpening, Ruling)
    # A challenge is no ledger message, and may be about a hand that has ended: in all states but
    # HALTED. PLAYING is not listed, as it allows every command.
    commands: ClassVar = {
        CallReferee: (
            SessionStatus.RETURNING,
            SessionStatus.AGREEING,
            SessionStatus.UNFINISHED,
        )
    }

    def hear(self, step: SessionStep, message: Said | SignedRuling) -> SessionStep:
        """Store and persist a challenge or an opening of a peer, and emit ChallengeMade; change
        nothing for one that does not count (`RefereeTalk.with_challenge`). Follow a ruling from any
        sender, as `hear_ruling` does.
        """
        if isinstance(message, SignedRuling):
            return hear_ruling(step, message)
        told = self.of(step.state).with_challenge(step.state.table_state, message)
        if told is None:
            return step
        known = told.challenges[message.content.match, message.seat, message.content.count]
        made = ChallengeMade(message.seat, known.content, known.text)
        return self.with_state(step, told).with_events(Persist(message.raw), made)

    def remember(self, step: SessionStep, message: Said | SignedRuling) -> SessionStep:
        """Store a challenge or an opening from our journal, without events; change nothing for one
        that does not count. Follow a ruling, as `hear_ruling` does.

        An opening of ours stands in the journal before its challenge: it is kept, to be sent once
        the hand has ended.
        """
        if isinstance(message, SignedRuling):
            return hear_ruling(step, message)
        seat, content, talk = message.seat, message.content, self.of(step.state)
        told = talk.with_challenge(step.state.table_state, message)
        # Otherwise a restart would lose our sentence.
        if told is None and seat == step.own.seat and isinstance(content, ChallengeOpening):
            # It was put down before the challenge that it opens, to be told later.
            place = (content.match, seat, content.count)
            told = replace(talk, kept_back={**talk.kept_back, place: message})
        return step if told is None else self.with_state(step, told)

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Challenge at the present point of the newest hand with the command's text: persist the
        opening, persist and send the challenge, and emit ChallengeMade. The opening is sent once
        the hand has ended.

        Raises LocalError without a referee, before the first hand, for a fourth challenge in a
        match, and for a text that `sealed_sentence` refuses.
        """
        text = command.text
        own, state = step.own, step.state
        hand = state.table_state.hand()
        if not own.charter.referees:
            raise LocalError("the table has no referee")
        if hand is None:
            raise LocalError("no hand has begun")
        match = match_number(state.table_state)
        count = sum(1 for each in self.of(state).challenges if each[:2] == (match, own.seat))
        if count >= MOST_CHALLENGES:
            raise LocalError(f"a seat challenges {MOST_CHALLENGES} times in a match")
        # From the table's seed and the text: a restart repeats the same bytes (specs 5.8).
        # A lone surrogate, which UTF-8 does not have, is refused by `sealed_sentence` below.
        entropy = own.secrets.entropy_for_challenge(match, count, text.encode(errors="replace"))
        salt = entropy(HASH_BYTES)
        sealed = sealed_sentence(own.charter, own.seat, salt, text, entropy=entropy)
        content = Challenge(
            match,
            count,
            hand.origin.ledger.number,
            len(hand.ledger.rounds),
            hand.ledger.head,
            sentence_commitment(own.charter, own.seat, salt, text),
            sealed,
        )
        # Before the challenge: after a crash the sentence must be there to be opened.
        step, opening = signed_notice(step, ChallengeOpening(match, count, salt, text))
        step, challenge = send_notice(step.with_events(Persist(opening.raw)), content)
        told = self.of(step.state).with_challenge(state.table_state, challenge)
        # It counts: referees, match and count were looked at above.
        assert told is not None
        place = (match, own.seat, count)
        # Sent by `follow` once the hand has ended.
        told = replace(told, kept_back={**told.kept_back, place: opening})
        step = REFEREE.with_state(step, told)
        return step.with_events(ChallengeMade(own.seat, content, text))

    def act_before_blame(self, step: SessionStep) -> SessionStep:
        """Apply the rulings whose points we have reached, as `look_at_rulings` does."""
        return look_at_rulings(step)

    def follow(self, step: SessionStep) -> SessionStep:
        """Send the openings of our challenges whose hands have ended, each once, and store that
        they are open.
        """
        table_state = step.state.table_state
        for place, opening in REFEREE.of(step.state).kept_back.items():
            known = REFEREE.of(step.state).challenges.get(place)
            # None: a crash came before the challenge was signed, or its match is forgotten.
            if known is None or known.opened:
                continue
            hand = table_state.hand(known.content.hand)
            ended = step.state.status is SessionStatus.UNFINISHED
            # Never before the hand has ended: others would read the sentence (specs 5.8, no. 2).
            # None: the table keeps it no more, or a ruling made it void, so that it is over.
            if hand is None or hand.settled or ended:
                told = self.of(step.state).with_challenge(table_state, opening)
                if told is not None:
                    step = self.with_state(step, told).with_events(Send(opening.raw))
        return step

    def envelopes_to_resend(self, state: SessionState) -> tuple[bytes, ...]:
        """Return the envelopes of all rulings, and of the challenges and openings of the newest
        hand's match.
        """
        talk, match = self.of(state), match_number(state.table_state)
        said = [each for place, each in sorted(talk.challenges.items()) if place[0] == match]
        raws = [raw for each in said for raw in (each.raw, each.opened) if raw]
        return (*(each.raw for each in talk.rulings), *raws)

    def watch(self, seen: Watched, message: Said | SignedRuling) -> Watched:
        """Store a message and emit ChallengeMade for a challenge or an opening, RulingHeard for a
        ruling; for one that contradicts another, emit RefereeBlamed and stop. Change nothing for
        one that is known or does not count.

        With a referee's key the event of a challenge has its sentence at once; else that of the
        opening has it.
        """
        talk, table_state = self.of(seen), seen.table_state
        if isinstance(message, SignedRuling):
            told = talk.with_ruling(table_state, message)
            if told is None:
                return seen
            seen = self.watched_with_state(seen, told)
            contradiction = contradiction_in(table_state.charter, told)
            if contradiction is not None:
                return seen._replace(stopped=True).with_events(contradiction)
            return seen.with_events(RulingHeard(message))
        content, told = message.content, talk.with_challenge(table_state, message)
        if told is None:
            return seen
        known = told.challenges[content.match, message.seat, content.count]
        text = known.text
        # The referee reads it at once, with its own key.
        if isinstance(content, Challenge) and seen.referee is not None:
            text = _read(table_state.charter, message.seat, content, seen.referee)
        said = ChallengeMade(message.seat, known.content, text)
        return self.watched_with_state(seen, told).with_events(said)

    def watch_on(self, seen: Watched) -> Watched:
        """Apply each known ruling that stops a hand and whose point the watcher has reached, and
        emit its events.

        A fault in the result is dropped then: its message lies behind the point.
        """
        for _, table_state, told in follow_rulings(seen.table_state, self.of(seen).rulings):
            seen = seen._replace(table_state=table_state, fault=None).with_events(*told)
        return seen


def _read(charter: Charter, seat: Seat, content: Challenge, key: SigningKey) -> str:
    """Return the sentence of a challenge, opened with a referee's `key`; "" if it was sealed
    wrongly.
    """
    try:
        return read_sentence(charter, seat, content, key)
    # Sealed wrongly: nobody else could see that, and nobody is blamed.
    except MalformedMessage:
        return ""


REFEREE: Final = RefereeTopic(RefereeTalk())


class RefereeShown(SeatShown):
    """The view of challenges and rulings for our player."""

    def blamed_rulings(self) -> RefereeBlamed | None:
        """Return the RefereeBlamed for two rulings that contradict each other, also after a
        restart; None without such rulings.
        """
        return contradiction_in(self.charter, REFEREE.of(self._state))

    def referee_envelopes(self) -> tuple[bytes, ...]:
        """Return the envelopes of all rulings, and of the challenges and openings of the newest
        hand's match, for seats that lack them; empty without a referee.
        """
        return REFEREE.envelopes_to_resend(self._state) if self.charter.referees else ()
