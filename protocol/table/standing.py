"""Where a match stands: the consequence of a ruling, and whether a charter goes on with it
elsewhere.

Play, audits and evidence judge a continuation alike. Source: specs 6.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from p2p304.game import AnyGame, MatchState, Outcome, PenaltyGame
from p2p304.seats import Seat, place_name
from protocol.errors import ProofError
from protocol.places import EPOCH, MOST_EPOCHS, Lane, LedgerName
from protocol.table.ledger import Ledger, LedgerPhase, Origin
from protocol.table.replica import HandReplica
from protocol.wire.charter import Charter
from protocol.wire.contents import Ruling, RulingVerdict, UnfinishedAgreement
from protocol.wire.identity import PublicKey
from protocol.wire.messages import Agreement, SignedRuling
from protocol.wire.terms import CONTINUES, Continues, HandPoint, Term


def present_in(content: UnfinishedAgreement, charter: Charter) -> tuple[Seat, ...]:
    """Return the seats of the table whose bits an agreement has in `present`, ascending."""
    return tuple(Seat(seat) for seat in range(len(charter.seats)) if content.present >> seat & 1)


class MatchStanding(NamedTuple):
    """Where the match of a table stands, for a charter that goes on with it (specs 6.5).

    `table` is the digest of that table's charter. `keys` are those of the seats that may stay,
    `kept` the terms that both charters share, `dealer` and `scores` those of the next hand.
    `ended_by` are the seats that must include all who stay; empty if all may stay.
    """

    table: bytes
    game: str
    profile: str
    kept: tuple[Term, ...]
    keys: Mapping[Seat, PublicKey]
    point: HandPoint
    dealer: Seat
    scores: tuple[int, ...]
    ended_by: tuple[Seat, ...] = ()

    def going_on(self, present: tuple[Seat, ...]) -> Continues:
        """Return the content of the term `continues`, with which the seats `present` go on with
        this match under another charter.
        """
        return Continues(self.table, self.point, present, self.dealer, self.scores)

    def terms(self, term: Continues) -> tuple[Term, ...]:
        """Return the terms of a charter that goes on with this match, sorted by name:
        `continues` with the value of `term`, and the kept terms.
        """
        terms = (Term(CONTINUES, term.to_value()), *self.kept)
        # Terms stand in the order of their names in a charter (specs 3.2).
        return tuple(sorted(terms, key=lambda each: each.name))


def check_continued(charter: Charter, game: AnyGame) -> None:
    """Check the match that the term `continues` of a charter goes on with; return if it is
    possible, or without the term.

    Raises ProofError `continuation.match` if the game refuses the term's dealer and scores,
    `continuation.sides` if a side has no seat that stays; every division into sides that is
    possible before the first card is tried.
    """
    continues = charter.continues
    if continues is None:
        return
    try:
        match = game.match_at(continues.dealer, continues.scores)
    # The game refuses scores at which no match of it can stand.
    except ValueError as error:
        raise ProofError("continuation.match", str(error)) from None
    state = game.start(match.dealer, match.scores).state
    # Under every division, since partners may not be known yet (specs 6.5).
    for sides in game.sides(state):
        for side in sides:
            if not set(side) & set(continues.present):
                raise ProofError("continuation.sides", "nobody stays of one side")


def standing_after(
    charter: Charter, hand: HandReplica | None, game: AnyGame, agreed: tuple[Agreement, ...] = ()
) -> MatchStanding | None:
    """Return where the match of a table stands after its newest hand `hand`: at the ruling that
    ended play there; as before the hand, at the point where the agreements `agreed`, in seat order,
    ended it; or by its result, although signatures may be missing. Without a hand: as the charter's
    term `continues` says.

    None if the hand has none of these, if its result or ruling ended the match or a ruling let it
    go on here, if the game refuses the hand's scores, and without a hand and the term.
    """
    table, ended_by = charter.digest, tuple[Seat, ...]()
    keys = {Seat(seat): entry.key for seat, entry in enumerate(charter.seats)}
    if hand is None:
        term = charter.continues
        if term is None:
            return None
        # No hand was played here: the match stands where the term says (specs 6.5, case 4), at the
        # older table, which is what another charter must name.
        table, ended_by = term.charter, term.present
        keys = {seat: keys[seat] for seat in term.present}
        point, dealer, scores = term.point, term.dealer, term.scores
    elif hand.ruling is not None:
        content = hand.ruling.content
        match = consequence(game, content, hand.origin, hand.machine.outcome).match
        if content.verdict != RulingVerdict.END or match is None:
            return None
        point = HandPoint(content.hand, content.closed, content.digest)
        dealer, scores = match.dealer, match.scores
    else:
        ledger, outcome = hand.ledger, hand.machine.outcome
        dealer, scores = hand.origin.leading, hand.origin.scores
        # An agreement first: an absent seat may have closed the last round behind its point.
        if agreed:
            closed = agreed[0].content.closed
            ended_by = present_in(agreed[0].content, charter)
        elif outcome is not None:
            # The point is before the round of signatures, closed or not (specs 6.5, case 2): the
            # bool takes one off where it is closed.
            closed = len(ledger.rounds) - (hand.machine.phase is not LedgerPhase.SIGNING)
            try:
                after = game.after_hand(game.match_at(dealer, scores), outcome)
            # Scores that a file states and the game refuses: no charter goes on from them.
            except ValueError:
                return None
            # No charter goes on with a match that is won.
            if after.winner is not None:
                return None
            dealer, scores = after.dealer, after.scores
        else:
            return None
        point = HandPoint(hand.origin.ledger.number, closed, ledger.digests[closed])
    game_name, profile, kept = charter.game, charter.profile, charter.kept_terms
    return MatchStanding(table, game_name, profile, kept, keys, point, dealer, scores, ended_by)


def check_change(before: MatchStanding, after: Charter) -> None:
    """Return if the charter `after` goes on with the match as `before` says it stands.

    Raises ProofError `continuation.*` for the first of these that is wrong: table, game, terms,
    seats, point, agreed, dealer, scores.
    """
    # The order of checks is normative, for the first one names the failure (specs 6.5).
    term = after.continues
    if term is None or term.charter != before.table:
        raise ProofError("continuation.table", "it goes on with another table, or with none")
    if (after.game, after.profile) != (before.game, before.profile):
        raise ProofError("continuation.game", "another game, or other rules")
    if after.kept_terms != before.kept:
        raise ProofError("continuation.terms", "it keeps not the terms of the table before")
    for seat in term.present:  # as many seats as the game has, at both tables
        if seat not in before.keys or after.seats[seat].key != before.keys[seat]:
            place = place_name(seat, len(after.seats))
            raise ProofError("continuation.seats", f"{place} stays under another key")
    if term.point != before.point:
        raise ProofError("continuation.point", "from another point")
    # A hand with a result needs no agreement.
    if before.ended_by and not set(term.present) <= set(before.ended_by):
        raise ProofError("continuation.agreed", "who stays has not ended the hand before")
    if term.dealer != before.dealer:
        now, then = (place_name(each, len(after.seats)) for each in (term.dealer, before.dealer))
        raise ProofError("continuation.dealer", f"{now}, not {then}")
    if term.scores != before.scores:
        raise ProofError("continuation.scores", f"{term.scores}, not {before.scores}")


# --- what follows from a ruling (specs/05-hand.md, 5.8) -------------------------------------------


class Consequence(NamedTuple):
    """The consequence of a ruling that stops a hand, or of a hand's result: the match after it,
    and its winner.
    """

    #: The match that goes on, or that is won by what is ruled; None if a side has lost it so.
    match: MatchState | None
    winner: int | None  #: Who has won the match, if somebody has.

    @property
    def over(self) -> bool:
        """Whether the match is over: a side has won it, or lost it by the ruling."""
        return self.match is None or self.winner is not None


@dataclass(frozen=True, slots=True)
class PenaltyOutcome:
    """The entry of a penalty among a match's hands: `scores` are the changes of the scores."""

    scores: tuple[int, ...]
    #: Instead of a sentence of the game, which made no outcome here.
    summary: str = "the referee ruled"
    # It is no hand: the one that it is for has an entry of its own, if it counts.
    played: bool = False


def consequence(
    game: AnyGame, ruling: Ruling, origin: Origin | None, outcome: Outcome | None
) -> Consequence:
    """Return the consequence of a ruling that stops a hand. A redeal gives the match before the
    hand; an end of play the match after its result, or before the hand without one; a penalty the
    same with the penalty; a disqualification or a walk-over no match, but its winner.

    `origin` is that of the ruling's hand, None for a point before the first hand. `outcome` is the
    hand's result at the ruling's point, None if it had none.

    Raises ProofError `ruling.verdict` for an impossible ruling, also for one that stops no hand
    (specs 5.8, no. 1).
    """
    verdict = RulingVerdict(ruling.verdict)
    # A bit for each side, by the places in the scores; the field has 64 (specs 5.8).
    sides = tuple(side for side in range(64) if ruling.against >> side & 1)
    try:
        # Numbers have 32 bits: at most a thousand rulings that stop (specs 5.8, no. 1).
        if ruling.hand >= MOST_EPOCHS * EPOCH:
            raise ValueError("a table has had as many rulings as it can have")
        # Luck does not matter: only the number of sides is looked at.
        scores = origin.scores if origin is not None else game.new_match(bytes(32)).scores
        if any(side >= len(scores) for side in sides):
            raise ValueError("there is no such side")
        # These need no scores: they are possible where no hand was dealt.
        if verdict in (RulingVerdict.DISQUALIFIED, RulingVerdict.WALK_OVER):
            return _loss(verdict, sides, len(scores))
        # A penalty is against a side, the verdicts below are against nobody.
        if origin is None or bool(sides) is not (verdict is RulingVerdict.PENALTY):
            raise ValueError("it is about no hand, or against another number of sides")
        before = game.match_at(origin.leading, origin.scores)
        # A result that lacked signatures alone counts (specs 5.8).
        stood = before if outcome is None else game.after_hand(before, outcome)
        # Before the winner is looked at: a redeal takes a won hand back.
        if verdict is RulingVerdict.REDEAL:
            return Consequence(before, None)
        if stood.winner is not None:
            raise ValueError("the match is over")
        if verdict is RulingVerdict.PENALTY:
            # -1: no side, which the game refuses with ValueError.
            (side,) = sides if len(sides) == 1 else (-1,)
            if not isinstance(game, PenaltyGame):
                raise ValueError("the game knows no penalty")
            stood = game.after_penalty(stood, side, in_hand=outcome is None)
        elif verdict is not RulingVerdict.END:
            raise ValueError("it stops no hand")
        return Consequence(stood, stood.winner)
    # The game's refusals and those above alike: the ruling is impossible.
    except ValueError as error:
        raise ProofError("ruling.verdict", str(error)) from None


def _loss(verdict: RulingVerdict, losers: tuple[int, ...], sides: int) -> Consequence:
    """Return the consequence of a match that the sides `losers` lost by a disqualification or a
    walk-over, `verdict`: the first other one of the `sides` sides has won; nobody if all lost.

    Raises ValueError for no loser, and for several of a disqualification.
    """
    if not losers or (verdict is RulingVerdict.DISQUALIFIED and len(losers) > 1):
        raise ValueError("one side is disqualified, and one or several do not come")
    # The first of the others wins, in the order of the scores (specs 5.8).
    others = [side for side in range(sides) if side not in losers]
    return Consequence(None, others[0] if others else None)


def stop_hand(hand: HandReplica, ruling: SignedRuling) -> HandReplica:
    """Return a hand cut off at the point of a ruling, which it has reached: settled, without
    later rounds, messages and results.
    """
    closed, ledger = ruling.content.closed, hand.ledger
    # No held messages either: all behind the point are void (specs 5.8, no. 2).
    digests = ledger.digests[: closed + 1]
    cut = Ledger(ledger.name, digests, ledger.rounds[:closed], contributors=())
    # Nothing of the open round stays, neither what was judged in it nor the duties that it was for.
    machine = hand.past[closed]._replace(
        phase=LedgerPhase.SETTLED, contributors=(), judged={}, open_duties=(), open_deck=None
    )
    # One machine more than rounds: the first is that before round 0.
    return hand._replace(ledger=cut, machine=machine, past=hand.past[: closed + 1], ruling=ruling)


def at_point(hand: HandReplica, ruling: Ruling) -> bool:
    """Return whether `hand` is the ruling's hand, has closed at least the ruling's count of
    rounds, and had the ruling's digest after these.
    """
    ledger = hand.ledger
    return (
        hand.origin.ledger == LedgerName(Lane.HAND, ruling.hand)
        and ruling.closed <= len(ledger.rounds)
        and ledger.digests[ruling.closed] == ruling.digest
    )
