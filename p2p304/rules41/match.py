"""What a deal of 41 or 400 is worth, and how a match goes on and ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from p2p304.errors import RulesError
from p2p304.game import LUCK_BYTES
from p2p304.rules41.rules import HIGHEST_BID, Rules41, Variant
from p2p304.seats import FOUR_SEAT_NAMES, PAIR_NAMES, Seat, seat_after

# Both games are for four players alone.
SEATS: Final = 4


@dataclass(frozen=True, slots=True)
class Outcome41:
    """How a deal ended: bids, tricks taken and the change of each seat's score, in seat order.

    `match_won` is the team (0 or 1) that made a bid of 13 in 400, which wins the match at once.
    """

    bids: tuple[int, ...]
    tricks_taken: tuple[int, ...]
    scores: tuple[int, ...]
    thrown_in: bool = False
    match_won: int | None = None

    @property
    def played(self) -> bool:
        """Whether cards were played: False for a deal that was thrown in."""
        return not self.thrown_in

    @property
    def summary(self) -> str:
        """The outcome in one sentence: "South bid 5, took 6: +5; ...", or that the deal was
        thrown in.
        """
        if self.thrown_in:
            return f"The bids {', '.join(map(str, self.bids))} are too low: thrown in, no score."
        told = (
            f"{name} bid {bid}, took {took}: {score:+d}"
            for name, bid, took, score in zip(
                FOUR_SEAT_NAMES, self.bids, self.tricks_taken, self.scores, strict=True
            )
        )
        won = self.match_won
        more = "" if won is None else f"; {PAIR_NAMES[won]} win the match at once"
        return f"{'; '.join(told)}{more}."


@dataclass(frozen=True, slots=True)
class Match41:
    """Where a match stands: the next dealer, each seat's score, and the team that has won, or None.

    Scores belong to seats; team 0 is seats 0 and 2, team 1 seats 1 and 3.
    """

    dealer: Seat
    scores: tuple[int, ...] = (0,) * SEATS
    winner: int | None = None


def score_deal(rules: Rules41, bids: tuple[int, ...], taken: tuple[int, ...]) -> Outcome41:
    """Return the outcome of a deal that was played; `bids` and `taken` are in seat order.

    A seat that took its bid or more gains the bid's value, another loses it; in 400 a made bid of
    13 wins the match at once (PROFILES 4.8, 4.9).
    """
    made = tuple(took >= bid for bid, took in zip(bids, taken, strict=True))
    values = tuple(map(rules.value, bids))
    won = None
    if rules.variant is Variant.LEBANESE:
        # The seat's pair. Never two: one seat took all thirteen tricks.
        won = next(
            (seat % 2 for seat in range(SEATS) if made[seat] and bids[seat] == HIGHEST_BID), None
        )
    scores = tuple(value if kept else -value for value, kept in zip(values, made, strict=True))
    return Outcome41(bids, taken, scores, match_won=won)


def thrown_in(bids: tuple[int, ...]) -> Outcome41:
    """Return the outcome of a deal whose bids, in seat order, stay below the floor: no score
    (PROFILES 4.5).
    """
    return Outcome41(bids, (0,) * SEATS, (0,) * SEATS, thrown_in=True)


def new_match(luck: bytes) -> Match41:
    """Return a match before its first deal, whose dealer follows from `luck` (PROFILES 4.2).

    Raises ValueError for fewer than 32 bytes.
    """
    if len(luck) < LUCK_BYTES:
        raise ValueError(f"a match needs {LUCK_BYTES} bytes of luck, not {len(luck)}")
    # Four divides 2**256: the dealer is exactly uniform.
    return Match41(Seat(int.from_bytes(luck, "big") % SEATS))


def match_at(rules: Rules41, dealer: Seat, scores: tuple[int, ...]) -> Match41:
    """Return a match at these four scores whose next hand `dealer` deals.

    Raises ValueError for another number of scores, and for scores at which the match is over.
    """
    if len(scores) != SEATS or winning_team(rules, scores) is not None:
        raise ValueError(f"no match goes on at {scores}")
    return Match41(dealer, scores)


def after_deal(rules: Rules41, match: Match41, outcome: Outcome41) -> Match41:
    """Return the match after a deal that ended with `outcome`: scores added, the deal passed to the
    right, thrown in or played, and the winner if there is one (PROFILES 4.2, 4.10).

    Raises RulesError for a match that was won before.
    """
    if match.winner is not None:
        raise RulesError("PROFILES 4.10", f"the match is over; {PAIR_NAMES[match.winner]} have won")
    scores = tuple(a + b for a, b in zip(match.scores, outcome.scores, strict=True))
    # PROFILES 4.9: a made bid of 13 in 400 wins whatever the scores are, so it comes before them.
    winner = outcome.match_won if outcome.match_won is not None else winning_team(rules, scores)
    return replace(
        match, dealer=seat_after(match.dealer, seats=SEATS), scores=scores, winner=winner
    )


def winning_team(rules: Rules41, scores: tuple[int, ...]) -> int | None:
    """Return the team, 0 or 1, that wins with these four scores, or None while the match goes on.

    A team qualifies when one partner has the target and the other more than nothing; when both do,
    the higher total wins, and equal totals need another deal (PROFILES 4.10).
    """
    pairs = (scores[0::2], scores[1::2])
    # PROFILES 4.10: a partner at or below 0 holds the team back.
    there = [max(pair) >= rules.target and min(pair) > 0 for pair in pairs]
    totals = [sum(pair) for pair in pairs]
    if all(there):
        return None if totals[0] == totals[1] else totals.index(max(totals))
    return there.index(True) if any(there) else None
