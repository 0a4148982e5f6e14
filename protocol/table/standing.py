"""Going on with the match of another table: where it stands there, and whether a charter says so.

Play, audits and evidence judge a continuation alike. Specified in specs/06-files.md, 6.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from p2p304.game import AnyGame, MatchState
from p2p304.seats import Seat, place_name
from protocol.errors import ProofError
from protocol.table.ledger import LedgerPhase
from protocol.table.replica import HandReplica
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict, UnfinishedAgreement
from protocol.wire.continues import CONTINUES, Continues, HandPoint
from protocol.wire.identity import PublicKey
from protocol.wire.messages import Agreement
from protocol.wire.terms import Term


def present_in(content: UnfinishedAgreement, charter: Charter) -> tuple[Seat, ...]:
    """Return the seats of the table that an agreement names."""
    return tuple(Seat(seat) for seat in range(len(charter.seats)) if content.present >> seat & 1)


class MatchStanding(NamedTuple):
    """Where the match of a table stands, for whoever goes on with it at another one.

    `keys` are those of the seats that may stay, `kept` the terms that both tables have, and
    `ended_by` who ended the newest hand unfinished: nobody, if it has a result.
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
        """Return the term of a charter by which `present` stay and go on."""
        return Continues(self.table, self.point, present, self.dealer, self.scores)

    def terms(self, term: Continues) -> tuple[Term, ...]:
        """Return all terms of a charter that goes on so."""
        terms = (Term(CONTINUES, term.to_value()), *self.kept)
        return tuple(sorted(terms, key=lambda each: each.name))


def first_match(charter: Charter, game: AnyGame, number: int, luck: bytes) -> MatchState:
    """Return the match whose setup has that number at a table: the first may be another table's."""
    continues = charter.continues
    if continues is None or number:
        return game.new_match(luck)
    return game.match_at(continues.dealer, continues.scores)


def check_continued(charter: Charter, game: AnyGame) -> None:
    """Return if a charter goes on with no match, or with one that the game can go on with.

    Raises ProofError `continuation.match` or `continuation.sides`.
    """
    continues = charter.continues
    if continues is None:
        return
    try:
        match = game.match_at(continues.dealer, continues.scores)
    except ValueError as error:
        raise ProofError("continuation.match", str(error)) from None
    state = game.start(match.dealer, tuple(match.scores)).state
    for sides in game.sides(state):
        for side in sides:
            if not set(side) & set(continues.present):
                raise ProofError("continuation.sides", "nobody stays of one side")


def standing_after(
    hand: HandReplica, game: AnyGame, agreed: tuple[Agreement, ...] = ()
) -> MatchStanding | None:
    """Return where the match stands after its newest hand, which `agreed` may have ended.

    None while the hand is in play, and where the match is over.

    Args:
        hand: as far as its rounds are closed.
        agreed: what those present signed who ended it unfinished, in the order of seats; else
            nothing.
    """
    charter, ledger, origin = hand.charter, hand.ledger, hand.origin
    outcome = hand.machine.outcome
    ended_by: tuple[Seat, ...] = ()
    dealer, scores = origin.leading, tuple(origin.scores)
    if agreed:
        closed = agreed[0].content.closed
        ended_by = present_in(agreed[0].content, charter)
    elif outcome is not None:
        closed = len(ledger.rounds) - (hand.machine.phase is not LedgerPhase.SIGNING)
        try:
            after = game.after_hand(game.match_at(dealer, scores), outcome)
        except ValueError:
            return None
        if after.winner is not None:
            return None
        dealer, scores = after.dealer, tuple(after.scores)
    else:
        return None
    point = HandPoint(origin.ledger.number, closed, bytes(ledger.digest_after(closed)))
    keys = {Seat(seat): entry.key for seat, entry in enumerate(charter.seats)}
    return MatchStanding(
        charter.digest,
        charter.game,
        charter.profile,
        charter.kept_terms,
        keys,
        point,
        dealer,
        scores,
        ended_by,
    )


def standing_ruled(hand: HandReplica, match: MatchState | None) -> MatchStanding | None:
    """Return where the match stands once a referee has ended what is played at its table; None
    where it goes on there, or is over."""
    ruling = hand.ruling
    if ruling is None or ruling.content.verdict != RulingVerdict.END or match is None:
        return None
    charter, content = hand.charter, ruling.content
    point = HandPoint(content.hand, content.closed, content.digest)
    keys = {Seat(seat): entry.key for seat, entry in enumerate(charter.seats)}
    scores = tuple(match.scores)
    return MatchStanding(
        charter.digest,
        charter.game,
        charter.profile,
        charter.kept_terms,
        keys,
        point,
        match.dealer,
        scores,
    )


def standing_before(charter: Charter) -> MatchStanding | None:
    """Return where the match stands at a table that goes on with one and has dealt no hand."""
    term = charter.continues
    if term is None:
        return None
    keys = {seat: charter.seats[seat].key for seat in term.present}
    return MatchStanding(
        term.charter,
        charter.game,
        charter.profile,
        charter.kept_terms,
        keys,
        term.point,
        term.dealer,
        tuple(term.scores),
        term.present,
    )


def check_change(before: MatchStanding, after: Charter) -> None:
    """Return if a table of this charter goes on with the match just as it stands.

    Raises ProofError `continuation.*`, for the first that does not hold of table, game, terms,
    seats, point, agreed, dealer and scores.
    """
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
    if before.ended_by and not set(term.present) <= set(before.ended_by):
        raise ProofError("continuation.agreed", "who stays has not ended the hand before")
    if term.dealer != before.dealer:
        now, then = (place_name(each, len(after.seats)) for each in (term.dealer, before.dealer))
        raise ProofError("continuation.dealer", f"{now}, not {then}")
    if term.scores != before.scores:
        raise ProofError("continuation.scores", f"{term.scores}, not {before.scores}")
