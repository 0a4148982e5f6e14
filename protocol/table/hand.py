"""One hand, from its first share to its signed result, for any game behind the interface.

The game says who acts, what must be true of hidden cards, and who learns what. This machine has
every statement proved and every disclosure carried out; it knows no rule of any game. Disclosures
that need messages (shares of dealt cards, hand-overs, hands sorted for others) are carried out in
rounds of duties, one for each run of neighbours of one kind, before anybody acts again (specs 5.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from p2p304.cards import Card, Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.errors import NotationError, RulesError
from p2p304.game import AnyGame, Outcome, Step
from p2p304.seats import Seat, Sides
from p2p304.statements import IsCard, Statement, holds, slots_of
from protocol.cards.commitments import Commitments, commit_to
from protocol.cards.deck import Deck, ProvenShuffle, hand_over, read_card, remix_hand, share_cards
from protocol.cards.handover import HandOver
from protocol.cards.secrets import Secrets
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import prove_statements, verify_statements
from protocol.entropy import Entropy
from protocol.errors import LocalError, ProofError
from protocol.proofs.context import MessageContext, ProofContext
from protocol.table.events import ActionTaken, Disclosed, Event
from protocol.table.ledger import AWAITED, LedgerPhase, Origin
from protocol.wire import contents

#: What is carried out in rounds of its own, but for the remixes that an action's message holds.
Duty = Dealt | HandedOver | Remixed

_PHASES = {
    Dealt: LedgerPhase.DEALING,
    HandedOver: LedgerPhase.HANDING_OVER,
    Remixed: LedgerPhase.SORTING,
}


def merge(deck: Deck, judged: Deck, slots: Iterable[Slot]) -> Deck:
    """Return `deck` with the cards in `slots` taken from `judged`, and as its `covers` (the points
    of all hand-overs so far) those of both.

    `judged` is another seat's result: the deck at the start of the round after that seat's message
    alone.
    """
    changed = {slot: judged.slots[slot] for slot in slots}
    return deck._replace(
        slots=MappingProxyType({**deck.slots, **changed}),
        # Every cover of the deal is kept: one that serves twice names both cards (attacks DL8).
        covers=deck.covers | judged.covers,
    )


def after_mixings(deck: Deck, mixed: Deck, mixings: Sequence[Remixed]) -> Deck:
    """Return `deck` after one seat's `mixings`: their new slots taken from `mixed`, the deck
    after that seat's message alone; their old slots and faces removed.
    """
    gone = {slot for mixing in mixings for slot in mixing.before}
    # A later mixing of the same message may have retired a slot of an earlier one.
    made = [slot for mixing in mixings for slot in mixing.after if slot in mixed.slots]
    deck = merge(deck, mixed, made)
    slots = {slot: hidden for slot, hidden in deck.slots.items() if slot not in gone}
    # Of an open card that is mixed in, too: which new slot holds it is what mixing hides.
    faces = {slot: card for slot, card in deck.faces.items() if slot not in gone}
    return deck._replace(slots=MappingProxyType(slots), faces=MappingProxyType(faces))


OfSeatT = TypeVar("OfSeatT", HandedOver, LaidDown, Remixed)


def _of_seat(
    disclosures: Iterable[Disclosure], kind: type[OfSeatT], seat: Seat
) -> tuple[OfSeatT, ...]:
    """Return the disclosures of one kind that `seat` carries out, in order: hand-overs of cards
    that it owns, cards that it lays down, or remixes of its own cards.
    """
    return tuple(
        each
        for each in disclosures
        if isinstance(each, kind)
        and (each.owner if isinstance(each, HandedOver) else each.seat) == seat
    )


def _remix(
    deck: Deck,
    mixings: Sequence[Remixed],
    proof_context: ProofContext,
    entropy: Entropy,
) -> tuple[bytes, ...]:
    """Return the encoded shuffles of a seat's own cards, each with its proof."""
    return tuple(
        remix_hand(
            deck, mixing.seat, mixing.before, context=proof_context.part(number), entropy=entropy
        ).to_bytes()
        for number, mixing in enumerate(mixings)
    )


def judge_remixes(
    start: Deck,
    mixings: Sequence[Remixed],
    remixes: tuple[bytes, ...],
    *,
    context: ProofContext,
) -> Deck:
    """Judge one seat's remixes, and return the deck after them.

    Raises ProofError `remix.count`, `deck.*` or `shuffle.*`, or MalformedMessage.

    Args:
        start: the deck when the round opened.
        mixings: the mixings that the game asks of the seat, in order.
        remixes: one encoded shuffle with its proof for each mixing, from the seat's message.
        context: the message's, to which the proofs are bound.
    """
    # The count comes before any proof (specs 5.4).
    if len(remixes) != len(mixings):
        raise ProofError("remix.count", f"{len(remixes)}, not {len(mixings)}")
    mixed = start
    for number, (mixing, data) in enumerate(zip(mixings, remixes, strict=True)):
        step = ProvenShuffle.from_bytes(data, cards=len(mixing.before))
        part = context.part(number)
        mixed = mixed.after_remix(mixing.seat, mixing.before, mixing.after, step, context=part)
    return mixed


Opening = tuple[Slot, Card]


@dataclass(frozen=True, slots=True)
class Judged:
    """A contribution of the open round that was judged right; it takes effect when the round
    closes.
    """

    context: MessageContext
    #: Opened slots of its seat whose salts the message holds, which were due.
    paid: tuple[Opening, ...] = ()
    # The next four are of an action: all set, or all None in a round without actions.
    action: Any = None
    #: What the action leads to from the state at the start of the round.
    step: Step[Any] | None = None
    #: Its message, whose commitments are taken over when the round closes.
    content: contents.Action | None = None
    mixed: Deck | None = None  #: The round's first deck after the seat's remixes, if it has any.


@dataclass(frozen=True, slots=True)
class ProvedStatement:
    """A proved statement, which is checked again once the cards are open."""

    round: int
    seat: Seat
    statement: Statement


# A named tuple, since every message replaces it: a dataclass takes several times as long.
class HandPlay(NamedTuple):
    """The machine of a ledger of the HAND lane: a hand from its first share to its signed result
    (specs 5.3). Immutable.
    """

    game: AnyGame
    deal: int
    dealer: Seat
    state: Any
    deck: Deck
    points: Mapping[Card, int]  #: What the game's cards count.
    phase: LedgerPhase
    contributors: tuple[Seat, ...]
    duties: tuple[Duty, ...] = ()  #: Those that have no round yet, in order.
    #: Those of the open round, all of one kind; () in a round of actions or signatures.
    open_duties: tuple[Duty, ...] = ()
    #: The deck after the messages so far of a round of duties; `deck` is that of its start.
    open_deck: Deck | None = None
    #: Those to the cards that lie face down, and the salts that are owed for opened ones.
    commitments: Commitments = Commitments()
    #: The contributions to the open round so far, which `close` applies.
    judged: Mapping[Seat, Judged] = MappingProxyType({})
    #: Every face that was ever opened, of retired slots too, for `second_opinion`.
    faces: Mapping[Slot, Card] = MappingProxyType({})
    #: What was proved so far, in order, for `second_opinion`.
    facts: tuple[ProvedStatement, ...] = ()
    #: The same for the players, without the openings (`IsCard`), proved as their cards open.
    proved_statements: tuple[Statement, ...] = ()
    outcome: Outcome | None = None  #: How the hand ended, once the game says that it has.
    #: What the game said of sides after no round, after the first, and so on: an agreement to end
    #: the hand at one of these points needs a seat of every side.
    sides: tuple[tuple[Sides, ...], ...] = ()

    @classmethod
    def start(cls, game: AnyGame, origin: Origin, deck: Deck) -> HandPlay:
        """Return the hand of this origin, with a shuffled deck and its first round open."""
        # Of the public state alone: no seat knows a card yet.
        step: Step[Any] = game.start(origin.leading, origin.scores)
        points = {card: game.points_of(card) for card in game.pack}
        duties = tuple(each for each in step.disclosures if isinstance(each, Duty))
        machine = cls(
            # SETTLED for the moment: `_open_round` sets the first phase.
            game, origin.ledger.number, origin.leading, step.state, deck, points,
            LedgerPhase.SETTLED, (), duties, sides=(game.sides(step.state),),
        )  # fmt: skip
        return machine._open_round()

    # --- judging ----------------------------------------------------------------------------------

    def take(self, content: contents.Content, context: MessageContext) -> HandPlay:
        """Judge a contribution and return the machine with it, not yet applied (`close` applies the
        round).

        Raises MalformedMessage, or ProofError with the failed check: `action.notation`,
        `action.rule`, `action.commitments`, `statement.count`, `remix.count`,
        `hand-over.count`, `commitment.*`, `result.scores`, `deck.*`, or one of the proofs.
        """
        if isinstance(content, contents.Action):
            judged = self._judge_action(content, context)
            return self._replace(judged={**self.judged, context.place.seat: judged})
        # No other kind fits a phase of this lane.
        assert isinstance(
            content,
            contents.DealShares
            | contents.HandOverShares
            | contents.SortedHands
            | contents.ResultSignature,
        )
        if isinstance(content, contents.ResultSignature) and (
            self.outcome is None or self.outcome.scores != content.scores
        ):
            raise ProofError("result.scores")
        seat, deck = context.place.seat, self.open_deck
        proof_context = context.proof_context(type(content).__name__)
        # Salts behind a result, and before shares and hand-overs (specs 5.4): exactly those that
        # the seat owes for opened cards.
        self.commitments.verify(seat, content.salts)
        # Hand-overs and remixes are judged against `deck`, the deck when the round opened, shares
        # against `open_deck`: so the verdict does not depend on the order of arrival.
        match content:
            case contents.DealShares(batch):
                assert deck is not None  # which is why the phase awaits this kind, and those below
                shares = ShareBatch.from_bytes(batch, cards=len(self.deck.owed_shares(seat)))
                # The shares of different seats commute; judged on the deck so far they need no
                # merging, and the proof does not look at what other seats took off.
                deck = deck.after_shares(seat, shares, context=proof_context)
            case contents.HandOverShares(handovers):
                assert deck is not None
                due = _of_seat(self.open_duties, HandedOver, seat)
                # The count comes before any proof (specs 5.4).
                if len(handovers) != len(due):
                    raise ProofError("hand-over.count", f"{len(handovers)}, not {len(due)}")
                handed = self.deck
                for number, (duty, data) in enumerate(zip(due, handovers, strict=True)):
                    # Each on the one before: one cover for two hand-overs names both cards (attacks
                    # DL8).
                    handed = handed.after_handover(
                        duty.slot,
                        duty.reader,
                        HandOver.from_bytes(data),
                        context=proof_context.part(number),
                        moves=duty.moves,
                    )
                # Only this seat's slots: `handed` lacks what other seats of the round sent.
                deck = merge(deck, handed, [duty.slot for duty in due])
            case contents.SortedHands(remixes):
                assert deck is not None
                mixings = _of_seat(self.open_duties, Remixed, seat)
                mixed = judge_remixes(self.deck, mixings, remixes, context=proof_context)
                # Judged on the deck at the start, then merged by slot.
                deck = after_mixings(deck, mixed, mixings)
            case contents.ResultSignature():
                pass
        judged = Judged(context, self.commitments.due_salts(seat))
        return self._replace(open_deck=deck, judged={**self.judged, seat: judged})

    def _judge_action(self, content: contents.Action, context: MessageContext) -> Judged:
        """Judge an action: its text, the rules, its proofs, commitments, remixes and salts, in this
        order; of a trusted deck no proofs.

        Raises ProofError or MalformedMessage, whose `check` names the first that failed; LocalError
        if the game opens a face that no statement of the action proves and that was not opened
        before.
        """
        seat = context.place.seat
        try:
            # The text, the rules, the proofs, commitments, remixes, salts: the order of specs 5.4.
            action = self.game.parse_action(content.text)
            # One spelling for each action: two would give one action two message ids.
            if self.game.format_action(action) != content.text:
                raise ProofError("action.notation", "not the canonical text")
            step = self.game.apply(self.state, seat, action)
        # The game's two errors are verdicts; any other one is a defect of ours and passes through
        # (specs 5.4).
        except NotationError as error:
            raise ProofError("action.notation", str(error)) from None
        except RulesError as error:
            raise ProofError("action.rule", error.rule) from None
        proved = {each.slot: each.card for each in step.statements if isinstance(each, IsCard)}
        faces = {**self.faces, **proved}
        opening = [(each.slot, each.card) for each in step.disclosures if isinstance(each, Opened)]
        for slot, card in opening:
            # Our own game's defect, no peer's fault: a face that nobody proved must not open.
            if faces.get(slot) != card:
                raise LocalError(f"the game opens slot {slot} without a statement")
        # Proofs without a statement are judged too: their number is wrong (`statement.count`).
        # None of a trusted deck: its shuffles are not carried out, so its slots hold other cards.
        proof_context = context.proof_context("Action")
        if (step.statements or content.proofs) and not self.deck.trusted:
            verify_statements(
                self.deck,
                seat,
                step.statements,
                content.proofs,
                points=self.points,
                context=proof_context,
            )
        if len(content.commitments) != len(_of_seat(step.disclosures, LaidDown, seat)):
            raise ProofError("action.commitments")
        mixings = _of_seat(step.disclosures, Remixed, seat)
        mixed = judge_remixes(self.deck, mixings, content.remixes, context=proof_context)
        # With what this action opens: its salts are due in the same message.
        self.commitments.verify(seat, content.salts, opening)
        paid = self.commitments.due_salts(seat, opening)
        return Judged(context, paid, action, step, content, mixed)

    # --- going on ---------------------------------------------------------------------------------

    def close(self) -> tuple[HandPlay, tuple[Event, ...]]:
        """Apply the contributions of the complete round in seat order; return the machine and the
        events.

        The machine is in its next round, or settled after the signatures.
        """
        machine, events = self, list[Event]()
        # Seat order, not order of arrival: all seats must come to the same state (specs 5.2).
        for seat in sorted(self.judged):
            judged = self.judged[seat]
            if judged.paid:
                paid = machine.commitments.without_salts(seat, judged.paid)
                machine = machine._replace(commitments=paid)
            if judged.content is not None and judged.step is not None:
                # Content and step by themselves: here their types exclude None.
                machine, more = machine._apply(judged, judged.content, judged.step, self.state)
                events += more
        # A round is of duties or of actions, never both: neither deck overwrites the other.
        deck = machine.deck if self.open_deck is None else self.open_deck
        events += [Disclosed(duty) for duty in self.open_duties]
        if self.phase is LedgerPhase.SIGNING:
            # No sides: a settled hand cannot be ended by agreement (attacks CH17).
            settled = machine._replace(phase=LedgerPhase.SETTLED, contributors=(), judged={})
            return settled, tuple(events)
        # Before the next round opens: an agreement is judged by the sides at its own point (specs
        # 5.6).
        sides = (*machine.sides, self.game.sides(machine.state))
        machine = machine._replace(deck=deck, sides=sides)._open_round()
        return machine, tuple(events)

    def _apply(
        self, judged: Judged, content: contents.Action, step: Step[Any], start: Any
    ) -> tuple[HandPlay, list[Event]]:
        """Return the hand after one judged action of the round, and its events; `self` has the
        actions of lower seats already.

        `step` is the action's result from `start`, the state when the round opened. Raises
        LocalError if the action must prove something else after the other actions.
        """
        context = judged.context
        seat = context.place.seat
        proved = step.statements
        # By identity: states are values, and another object means that others acted before it in
        # the same round. Games need not compare their states.
        if self.state is not start:
            step = self.game.apply(self.state, seat, judged.action)
        # The proofs were judged against the start of the round; they must prove the same now.
        if step.statements != proved:
            raise LocalError("what an action must prove depends on others of its round")
        deck, commitments, faces = self.deck, self.commitments, self.faces
        # One for each card that the seat lays down, in order: their number was judged.
        laid = iter(content.commitments)
        for each in step.disclosures:
            match each:
                # The order of disclosures is normative (specs 5.3).
                case LaidDown(owner, slot) if owner == seat:
                    commitments = commitments.with_commitment(context, slot, next(laid))
                case Opened(slot, card):
                    deck = deck.with_face(slot, card)
                    commitments = commitments.with_salt_owed(slot, card)
                    faces = {**faces, slot: card}
                # The actor's own remixes follow below; the rest become duties.
                case _:
                    pass
        mixings = _of_seat(step.disclosures, Remixed, seat)
        if mixings:
            # An action that was judged has its deck; `or` is for the type alone.
            deck = after_mixings(deck, judged.mixed or deck, mixings)
            # A sorted card lies in another slot: the commitments to the old ones can never be
            # opened.
            commitments = commitments.without_slots(
                [slot for mixing in mixings for slot in mixing.before]
            )
        facts = [ProvedStatement(context.place.round, seat, each) for each in proved]
        hidden = [each for each in proved if not isinstance(each, IsCard)]
        # The actor's own remixes are done: its message held them.
        duties = (each for each in step.disclosures if isinstance(each, Duty))
        later = [each for each in duties if each not in mixings]
        machine = self._replace(
            state=step.state,
            deck=deck,
            commitments=commitments,
            faces=faces,
            duties=(*self.duties, *later),
            facts=(*self.facts, *facts),
            proved_statements=(*self.proved_statements, *hidden),
        )
        # Duties are told once they are carried out (`close`).
        shown = [Disclosed(each) for each in step.disclosures if each not in later]
        return machine, [ActionTaken(seat, judged.action, step), *shown]

    def _open_round(self) -> HandPlay:
        """Return the machine with its next round open: of duties while some are owed, of signatures
        once the game is over, else of actions.

        Duties that no seat owes a message for are passed over. Raises LocalError if nobody
        contributes to the round.
        """
        duties, deck, outcome = self.duties, self.deck, self.outcome
        run: tuple[Duty, ...] = ()
        owing = set[Seat]()
        # A run for which nobody owes anything is passed over (specs 5.3).
        while duties and not owing:
            # Only neighbours of one kind share a round: the order of duties is normative (specs
            # 5.3).
            run = tuple(next(groupby(duties, type))[1])
            duties = duties[len(run) :]
            for duty in run:
                if isinstance(duty, Dealt):
                    deck = deck.with_owner(duty.seat, duty.slots)
                else:
                    owing.add(duty.owner if isinstance(duty, HandedOver) else duty.seat)
            if isinstance(run[0], Dealt):
                # By the deck, not the duties: a seat that reads a card owes no share of it (attacks
                # SH10).
                owing = {
                    seat for seat in map(Seat, range(self.game.seats)) if deck.owed_shares(seat)
                }
        if owing:
            # Not reached without a run: nobody owes anything before the first.
            phase, contributors = _PHASES[type(next(iter(run)))], tuple(sorted(owing))
        elif self.game.is_over(self.state):
            phase, outcome = LedgerPhase.SIGNING, self.game.settle(self.state)
            contributors = tuple(Seat(seat) for seat in range(self.game.seats))
        else:
            phase, contributors = LedgerPhase.ACTING, tuple(self.game.contributors(self.state))
        # Such a game would wait for ever.
        if not contributors:
            raise LocalError("the game awaits nobody and is not over")
        return self._replace(
            phase=phase,
            contributors=contributors,
            duties=duties,
            open_duties=run if owing else (),
            open_deck=deck if owing else None,
            deck=deck,
            outcome=outcome,
            judged={},
        )

    # --- our own seat -----------------------------------------------------------------------------

    def contribute(self, context: MessageContext, secrets: Secrets) -> contents.Content:
        """Return our message for the open round, with the salts that we owe: shares, hand-overs,
        sorted hands, or our signature under the result.

        Raises LocalError in a round of actions.
        """
        # Salts come from the seed, so that a crash loses none (attacks CM4).
        salts = self.commitments.salts(context.place.seat, self.deal, secrets)
        # The outcome is there in this phase; its test is for the type alone.
        if self.phase is LedgerPhase.SIGNING and self.outcome is not None:
            return contents.ResultSignature(self.outcome.scores, salts)
        if not self.open_duties:
            raise LocalError("no round of duties is open")
        seat, deck = context.place.seat, self.deck
        # One secret for each deal: two deals under one key make old shares an oracle (attacks G12).
        secret, entropy = secrets.hand_secret(self.deal), secrets.entropy_for(context)
        proof_context = context.proof_context(AWAITED[self.phase][0].__name__)
        if self.phase is LedgerPhase.DEALING:
            shares = share_cards(deck, seat, secret, context=proof_context, entropy=entropy)
            return contents.DealShares(shares.to_bytes(), salts)
        if self.phase is LedgerPhase.HANDING_OVER:
            handovers = tuple(
                hand_over(
                    deck,
                    duty.slot,
                    duty.reader,
                    secret,
                    # Its number in the message is bound in: no proof serves for another card of it.
                    context=proof_context.part(number),
                    entropy=entropy,
                ).to_bytes()
                for number, duty in enumerate(_of_seat(self.open_duties, HandedOver, seat))
            )
            return contents.HandOverShares(handovers, salts)
        mixings = _of_seat(self.open_duties, Remixed, seat)
        return contents.SortedHands(_remix(deck, mixings, proof_context, entropy), salts)

    def decide(self, action: Any, context: MessageContext, secrets: Secrets) -> contents.Action:
        """Return our message of the action with its proofs.

        The action is not applied yet: the message is judged first, like any other. Raises
        RulesError if the rules forbid the action, LocalError if one of its statements is false. A
        false opening (IsCard, AllOfSuit) raises nothing here, since proving one reads no card: its
        proof fails when the message is judged.
        """
        seat = context.place.seat
        step: Step[Any] = self.game.apply(self.state, seat, action)
        text = self.game.format_action(action)
        secret = secrets.hand_secret(self.deal)
        # The action is bound in: one stream for two actions at one place would show the secret
        # (attacks FS9).
        entropy = secrets.entropy_for(context, text.encode("ascii"))
        proof_context = context.proof_context("Action")
        proofs = prove_statements(
            self.deck,
            seat,
            secret,
            step.statements,
            points=self.points,
            context=proof_context,
            entropy=entropy,
        )
        # A stream of its own: reading a card must not shift the proofs' randomness.
        reading = secrets.entropy_for_reading(self.deal)
        commitments = tuple(
            commit_to(
                read_card(self.deck, laid.slot, seat, secret, entropy=reading),
                laid.slot,
                context,
                secrets,
            )
            for laid in _of_seat(step.disclosures, LaidDown, seat)
        )
        mixings = _of_seat(step.disclosures, Remixed, seat)
        remixes = _remix(self.deck, mixings, proof_context, entropy)
        opening = [(each.slot, each.card) for each in step.disclosures if isinstance(each, Opened)]
        salts = self.commitments.salts(seat, self.deal, secrets, opening)
        return contents.Action(text, proofs, commitments, remixes, salts)

    # --- looking again ----------------------------------------------------------------------------

    def second_opinion(self) -> tuple[ProvedStatement, ...]:
        """Return the proved statements whose cards are all open now and contradict them; empty
        unless a verifier is broken.
        """
        return tuple(
            fact
            for fact in self.facts
            if all(slot in self.faces for slot in slots_of(fact.statement))
            and not holds(fact.statement, self.faces, points=self.points)
        )
