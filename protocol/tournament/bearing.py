"""Whether a result is what its table played: the race, counted from the hands of transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from p2p304.errors import GameError
from p2p304.game import AnyGame, MatchState
from p2p304.tournament.matches import Match
from p2p304.tournament.systems import Unit
from protocol.audit.results import FinishedHand, NotSigned, finished_hands
from protocol.errors import MalformedMessage
from protocol.tournament.draws import DrawState
from protocol.tournament.pieces import MatchResult, TournamentCharter
from protocol.tournament.tables import match_charter
from protocol.wire.charter import Charter

GameOf = Callable[[Charter], AnyGame]


@dataclass(frozen=True, slots=True)
class RaceHand:
    """A hand that came to a result, and how its match stood after it."""

    hand: FinishedHand
    after: MatchState


Hands = Mapping[bytes, tuple[RaceHand, ...]]
"""The hands of tables in their order, by the digests of the tables' charters."""


def hands_in(transcripts: Iterable[bytes], game_of: GameOf) -> Hands:
    """Return all hands with a result that these files hold, each once.

    Raises NotSigned for a file that is no transcript, and whatever `game_of` raises.
    """
    found: dict[bytes, dict[int, RaceHand]] = {}
    for data in transcripts:
        for hand, game in finished_hands(data, game_of):
            try:
                after = game.after_hand(game.match_at(hand.dealer, hand.before), hand.outcome)
            except (GameError, ValueError) as error:
                raise NotSigned(f"no match stands so ({error})") from None
            table = found.setdefault(hand.charter.digest, {})
            known = table.get(hand.number)
            if known is None or hand.signed:  # the same hand, perhaps before the last signatures
                table[hand.number] = RaceHand(hand, after)
    return {
        table: tuple(each for _, each in sorted(hands.items())) for table, hands in found.items()
    }


def hands_of(charter: Charter, hands: Hands) -> tuple[RaceHand, ...]:
    """Return the hands of a match in their order: those of its table, and of tables that went on
    with it, as far as each went on."""
    mine = hands.get(charter.digest, ())
    for _, others in sorted(hands.items()):
        continues = others[0].hand.charter.continues
        if continues is None or continues.charter != charter.digest:
            continue
        point = continues.point
        counted = tuple(
            each
            for each in mine
            if each.hand.number < point.hand or each.hand.played == point.digest
        )
        if _goes_on(charter, others[0].hand.charter):
            return (*counted, *hands_of(others[0].hand.charter, hands))
    return mine


def _goes_on(before: Charter, after: Charter) -> bool:
    """Tell whether another table plays on by the same rules, those who stay under their keys."""
    term = after.continues
    if term is None or (before.game, before.profile) != (after.game, after.profile):
        return False
    if len(before.seats) != len(after.seats):
        return False
    return all(before.seats[seat].key == after.seats[seat].key for seat in term.present)


def race_of(unit: Unit, race: int, hands: Iterable[RaceHand]) -> tuple[int, tuple[int, int]] | None:
    """Return with which of these hands, counted from 0, the race was won, and the scores; None if
    it was not.

    Tokens are those of the match as its game counts them, which ends with the race. A hand is won
    by the side whose score it changed for the better.
    """
    scores = [0, 0]
    for at, each in enumerate(hands):
        match unit:
            case Unit.TOKENS:
                if len(each.after.scores) != len(scores):
                    return None
                scores = list(each.after.scores)
            case Unit.HANDS:
                changes = tuple(each.hand.outcome.scores)
                if len(changes) == len(scores) and changes[0] != changes[1]:
                    scores[changes[1] > changes[0]] += 1
            case Unit.MATCHES:
                if each.after.winner in {0, 1}:
                    scores[each.after.winner] += 1
        if max(scores) >= race:
            return (at, (scores[0], scores[1])) if max(scores) == race else None
    return None


def result_of(
    charter: TournamentCharter, state: DrawState, match: Match, hands: Hands
) -> tuple[FinishedHand, tuple[int, int]] | None:
    """Return the last hand of a match and its scores, None while the race goes on."""
    table = match_charter(charter, state, match)
    played = hands_of(table, hands)
    found = race_of(charter.unit, match.race, played)
    if found is None:
        return None
    at, scores = found
    return played[at].hand, scores


def check_result(
    charter: TournamentCharter, state: DrawState, match: Match, result: MatchResult, hands: Hands
) -> None:
    """Return if the hands of transcripts bear a result out.

    Raises MalformedMessage: `result.missing` where no transcript of its table is there,
    `result.race` where the hands do not end the race, `result.hand` where another hand ends it, and
    `result.counted` for other scores than those played.
    """
    table = match_charter(charter, state, match)
    if not hands_of(table, hands):
        raise MalformedMessage("result.missing", "no transcript of its table is there")
    found = result_of(charter, state, match, hands)
    if found is None:
        raise MalformedMessage("result.race", "its transcripts do not end the race")
    hand, scores = found
    if (result.hand, result.head) != (hand.number, bytes(hand.played)):
        raise MalformedMessage("result.hand", f"the race ends with hand {hand.number} as played")
    if result.scores != scores:
        raise MalformedMessage("result.counted", f"{scores[0]}-{scores[1]} was played")
