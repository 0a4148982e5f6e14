"""Operations on the rules: texts, public play, scores, matches (rules 2 to 15)."""

from __future__ import annotations

from typing import Any

from cli.conformance.answers import Answer, Json, operation, unhex
from cli.conformance.operations.statements import statement_json
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.rules304.action_text import format_action, parse_action
from p2p304.rules304.agreement_text import format_full_agreement, parse_agreement
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.hand import Game304
from p2p304.rules304.match import new_match
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    Violation,
    ViolationKind,
    VoidKind,
    score_hand,
)
from p2p304.rules304.teams import Team
from p2p304.seats import Seat


@operation("action.parse")
def action_parse(given: Json) -> Answer:
    """`text`: the kind of action, and its text again."""
    action = parse_action(given["text"])
    return Answer({"kind": type(action).__name__, "text": format_action(action)})


@operation("agreement.expand")
def agreement_expand(given: Json) -> Answer:
    """`agreement`, one line: the full agreement of a charter; `agreement` if it is none."""
    return Answer({"full": format_full_agreement(parse_agreement(given["agreement"]))})


def disclosure_json(disclosure: Disclosure) -> Json:
    """A disclosure as the line protocol writes it."""
    match disclosure:
        case Dealt(seat, slots):
            return {"dealt": int(seat), "slots": list(map(int, slots))}
        case LaidDown(seat, slot):
            return {"laid": int(slot), "seat": int(seat)}
        case Opened(slot, card):
            return {"opened": int(slot), "card": str(card)}
        case HandedOver(slot, owner, reader):
            return {"handed": int(slot), "owner": int(owner), "reader": int(reader)}
        case Remixed(seat, before, after):
            return {
                "remixed": int(seat),
                "before": list(map(int, before)),
                "after": list(map(int, after)),
            }


@operation("rules.play")
def rules_play(given: Json) -> Answer:
    """`agreement`, `dealer`, `actions` [seat, text]: who is awaited, and what the last action
    states and discloses; a step for each action. `action.rule` if one is refused."""
    game = Game304(parse_agreement(given["agreement"]))
    step = game.start(Seat(given["dealer"]))
    steps: list[list[Any]] = []
    for seat, text in given["actions"]:
        step = game.apply(step.state, Seat(seat), game.parse_action(text))
        told = {
            "statements": [statement_json(each) for each in step.statements],
            "disclosures": [disclosure_json(each) for each in step.disclosures],
        }
        steps.append([f"{seat} {text}", told])
    state = step.state
    output: Json = {
        "phase": state.phase.name,
        "awaited": list(map(int, game.contributors(state))),
        "statements": [statement_json(each) for each in step.statements],
        "disclosures": [disclosure_json(each) for each in step.disclosures],
    }
    if game.is_over(state):
        output["scores"] = list(game.settle(state).scores)
    return Answer(output, steps)


def _bid(given: Any) -> Bid | None:
    return Contract(given) if isinstance(given, str) else given


def facts_of(given: Json) -> HandFacts:
    """What was established about a hand, as the line protocol writes it."""
    team, void, violation = given["maker_team"], given["void"], given["violation"]
    broken = None
    if violation is not None:
        false_call = violation["false_spoilt"]
        kind = ViolationKind.FALSE_SPOILT if false_call else ViolationKind.HINT
        broken = Violation(Team(violation["team"]), kind)
    first, second = given["caps"]
    return HandFacts(
        maker_team=None if team is None else Team(team),
        bid=_bid(given["bid"]),
        points=given["points"],
        tricks=given["tricks"],
        void=None if void is None else VoidKind(void),
        violation=broken,
        caps=(CapsVerdict(first), CapsVerdict(second)),
    )


@operation("score.hand")
def score(given: Json) -> Answer:
    """`agreement`, `facts` of a hand: the line of rules 13, who pays how much, the scores."""
    outcome = score_hand(parse_agreement(given["agreement"]), facts_of(given["facts"]))
    return Answer(
        {
            "line": int(outcome.line),
            "payer": None if outcome.payer is None else int(outcome.payer),
            "amount": outcome.amount,
            "scores": list(outcome.scores),
        }
    )


@operation("match.run")
def match_run(given: Json) -> Answer:
    """`agreement`, `luck`, `hands` (facts in order): dealer, scores, stocks, winner; a step for
    each hand."""
    profile = parse_agreement(given["agreement"])
    match = new_match(profile, unhex(given["luck"]))
    drawn = [[int(each.seat), str(each.card)] for row in match.draws for each in row]
    steps: list[list[Any]] = [["first dealer", int(match.dealer)], ["drawn", drawn]]
    for facts in given["hands"]:
        match = match.after(score_hand(profile, facts_of(facts)))
        steps.append(["after a hand", [int(match.dealer), list(match.stocks)]])
    return Answer(
        {
            "dealer": int(match.dealer),
            "scores": list(match.scores),
            "stocks": list(match.stocks),
            "winner": match.winner,
        },
        steps,
    )
