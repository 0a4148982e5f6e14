"""Operations on the rules of 41 and 400 in plain JSON: texts, prices of deals,"""

from __future__ import annotations

from typing import Any

from p2p304.rules41.hand import (
    Game41,
    Outcome41,
    format_action,
    parse_action,
    score_deal,
    thrown_in,
)
from p2p304.rules41.rules import Rules41, Variant, parse_rules
from tests.vectors.plain_json import Answer, Json, Steps


def action_parse(text: str) -> Json:
    """`text` of an action: its kind, such as "PlaceBid", and its text again."""
    action = parse_action(text)
    return {"kind": type(action).__name__, "text": format_action(action)}


def agreement_expand(game: Variant, agreement: str) -> Json:
    """`agreement`, house rules between commas: the same as a charter holds them; the error
    `agreement` for a text that is none.
    """
    return {"full": parse_rules(game, agreement).parameters}


def score_hand(game: Variant, agreement: str, facts: Any) -> Json:
    """`agreement`, `facts` of a deal: what every seat gains or loses, and the team that wins the
    match at once by a made bid of 13 in 400, or null.
    """
    outcome = _outcome(parse_rules(game, agreement), facts)
    return {"scores": outcome.scores, "match_won": outcome.match_won}


def match_run(game: Variant, agreement: str, luck: bytes, hands: Any) -> Answer:
    """`agreement`, `luck`, `hands` (facts in order): the next dealer, the seats' scores, the
    winning team or null; a step for each deal.
    """
    rules = parse_rules(game, agreement)
    game41 = Game41(rules)
    match = game41.new_match(luck)
    steps: Steps = [["first dealer", match.dealer]]
    for facts in hands:
        match = game41.after_hand(match, _outcome(rules, facts))
        steps.append(["after a deal", [match.dealer, list(match.scores)]])
    output = {"dealer": match.dealer, "scores": list(match.scores), "winner": match.winner}
    return Answer(output, steps)


def _outcome(rules: Rules41, facts: Json) -> Outcome41:
    """Return the outcome of a deal from its JSON `bids` and `taken`, in seat order; thrown in
    where `taken` is null.
    """
    bids, taken = tuple(facts["bids"]), facts["taken"]
    if taken is None:
        return thrown_in(bids)
    return score_deal(rules, bids, tuple(taken))
