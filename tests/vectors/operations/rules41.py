"""Operations on the rules of 41 and 400 in plain JSON: texts, prices of deals, matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from p2p304.rules41.actions import format_action, parse_action
from p2p304.rules41.match import Outcome41, after_deal, new_match, score_deal, thrown_in
from p2p304.rules41.rules import Rules41, Variant, parse_rules
from tests.vectors.plain_json import Answer, Json, Steps


def action_parse(given: Json) -> Answer:
    """`text` of an action: its kind, such as "PlaceBid", and its text again."""
    action = parse_action(given["text"])
    return Answer({"kind": type(action).__name__, "text": format_action(action)})


def agreement_expand(given: Json) -> Answer:
    """`agreement`, house rules between commas: the same as a charter holds them; the error
    `agreement` for a text that is none.
    """
    return Answer({"full": _rules(given).parameters})


def score(given: Json) -> Answer:
    """`agreement`, `facts` of a deal: what every seat gains or loses, and the team that wins the
    match at once by a made bid of 13 in 400, or null.
    """
    outcome = _outcome(_rules(given), given["facts"])
    return Answer({"scores": list(outcome.scores), "match_won": outcome.match_won})


def match_run(given: Json) -> Answer:
    """`agreement`, `luck`, `hands` (facts in order): the next dealer, the seats' scores, the
    winning team or null; a step for each deal.
    """
    rules = _rules(given)
    match = new_match(bytes.fromhex(given["luck"]))
    steps: Steps = [["first dealer", match.dealer]]
    for facts in given["hands"]:
        match = after_deal(rules, match, _outcome(rules, facts))
        steps.append(["after a deal", [match.dealer, list(match.scores)]])
    output = {"dealer": match.dealer, "scores": list(match.scores), "winner": match.winner}
    return Answer(output, steps)


def _rules(given: Json) -> Rules41:
    """Return the rules of the game in the JSON field `game`, "41" or "400", with the house rules
    in the field `agreement`.
    """
    return parse_rules(Variant(given["game"]), given["agreement"])


def _outcome(rules: Rules41, facts: Json) -> Outcome41:
    """Return the outcome of a deal from its JSON `bids` and `taken`, in seat order; thrown in
    where `taken` is null.
    """
    bids, taken = tuple(facts["bids"]), facts["taken"]
    return thrown_in(bids) if taken is None else score_deal(rules, bids, tuple(taken))


OPERATIONS: Final[Mapping[str, Callable[[Json], Answer]]] = {
    "action.parse": action_parse,
    "agreement.expand": agreement_expand,
    "score.hand": score,
    "match.run": match_run,
}
