"""Operations on the rules of 304 in plain JSON: texts, public play, scores, matches, caps.

The vectors of the rules hold their inputs and answers. Errors are those of the rules.
"""

from __future__ import annotations

from typing import Any

from p2p304.cards import Slot, parse_card
from p2p304.rules304 import scoring
from p2p304.rules304.actions import Bid, Contract, format_action, parse_action
from p2p304.rules304.agreement import format_full_agreement, parse_agreement
from p2p304.rules304.caps.information import InformationSet, PlayRules
from p2p304.rules304.caps.search import find_order, judge_order
from p2p304.rules304.hand import new_match
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    RunningFacts,
    RunningOutcome,
    Violation,
    ViolationKind,
    VoidKind,
)
from p2p304.rules304.state import Play
from p2p304.rules304.teams import Team
from p2p304.seats import Seat
from tests.vectors.plain_json import Answer, Json, Steps, statement_of, suit_of


def action_parse(text: str) -> Json:
    """`text` of an action: its kind, such as "PlaceBid", and its text again."""
    action = parse_action(text)
    return {"kind": type(action).__name__, "text": format_action(action)}


def agreement_expand(agreement: str) -> Json:
    """`agreement`, one line: the text that a charter holds, with every parameter; the error
    `agreement` for a line that is no agreement.
    """
    return {"full": format_full_agreement(parse_agreement(agreement))}


def _bid(given: Any) -> Bid | None:
    """Return a bid from JSON: a number as it is, a text as the contract of that name, None for
    None.
    """
    return Contract(given) if isinstance(given, str) else given


def facts_of(profile: Profile, given: Json) -> HandFacts:
    """Return the facts of a hand from their JSON object, as vectors write it; raises ValueError for
    facts that no hand can have.
    """
    team, void, violation = given["maker_team"], given["void"], given["violation"]
    broken = None
    if violation is not None:
        false_call = violation["false_spoilt"]
        # All others cost the same (RULES 15 line 2): a hint stands for them.
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
        # Most vectors leave it out: few profiles have a double.
        double=None if given.get("double") is None else Team(given["double"]),
        all_points=profile.deck.points,
        all_tricks=profile.deal_batches.cards,
    )


def running_facts_of(profile: Profile, given: Json) -> RunningFacts:
    """Return the facts of a hand with a called partner from their JSON object, as vectors write
    it; raises ValueError for a void kind or a contract that does not exist.
    """
    bid, void, offender = _bid(given["bid"]), given["void"], given["offender"]
    partner, maker = given["partner"], given["maker"]
    half = bid is Contract.HALF_COURT
    return RunningFacts(
        seats=profile.seats,
        maker=None if maker is None else Seat(maker),
        partner=None if partner is None else Seat(partner),
        bid=bid,
        points=given["points"],
        tricks=given["tricks"],
        # Half Court is played with the first cards alone.
        all_tricks=profile.deal_batches.sizes[0] if half else profile.deal_batches.cards,
        target=given["target"],
        void=None if void is None else VoidKind(void),
        offender=None if offender is None else Seat(offender),
    )


def score_hand(agreement: str, facts: Any) -> Json:
    """`agreement`, `facts` of a hand: the line of rules 13, the paying team or null, how many
    tokens it pays, and the scores; with a called partner the scores alone.
    """
    profile = parse_agreement(agreement)
    if profile.partner_called:
        return {"scores": RunningOutcome(profile, running_facts_of(profile, facts)).scores}
    outcome = scoring.score_hand(profile, facts_of(profile, facts))
    told: Json = {"payer": outcome.payer, "amount": outcome.amount, "scores": outcome.scores}
    # An IntEnum as its plain number, which is the line of RULES 15.
    return {"line": int(outcome.line), **told}


def match_run(agreement: str, luck: bytes, hands: Any) -> Answer:
    """`agreement`, `luck`, `hands` (facts in order): the next dealer, scores, stocks and winner,
    or with a called partner the next dealer, scores and winners, ascending; a step for each
    hand.
    """
    profile = parse_agreement(agreement)
    if profile.partner_called:
        return _running_match(profile, luck, hands)
    match = new_match(profile, luck)
    drawn = [[each.seat, str(each.card)] for row in match.draws for each in row]
    steps: Steps = [["first dealer", match.dealer], ["drawn", drawn]]
    for facts in hands:
        match = match.after(scoring.score_hand(profile, facts_of(profile, facts)))
        steps.append(["after a hand", [match.dealer, list(match.stocks)]])
    return Answer(
        {
            "dealer": match.dealer,
            "scores": list(match.scores),
            "stocks": list(match.stocks),
            "winner": match.winner,
        },
        steps,
    )


def _running_match(profile: Profile, luck: bytes, hands: Any) -> Answer:
    """Return the answer of `match_run` for a game with a called partner: the last dealer, scores
    and winners, and a step for each hand.
    """
    match = new_match(profile, luck)
    steps: Steps = [["first dealer", match.dealer]]
    for facts in hands:
        match = match.after(RunningOutcome(profile, running_facts_of(profile, facts)))
        steps.append(["after a hand", [match.dealer, list(match.scores)]])
    told = {"dealer": match.dealer, "scores": list(match.scores)}
    return Answer({**told, "winners": list(match.winners)}, steps)


def information_of(given: Json) -> InformationSet:
    """Return an information set from its JSON object; raises ValueError for one that no hand leads
    to.
    """
    indicator, trump = given["indicator"], given["trump"]
    faces: dict[str, Any] = given["faces"]
    return InformationSet(
        seat=Seat(given["seat"]),
        maker=Seat(given["maker"]),
        # Vectors name them as the fields are named: who renames one changes vectors.
        rules=PlayRules(**given["rules"]),
        leader=Seat(given["leader"]),
        plays=tuple(Play(Seat(s), Slot(slot), down) for s, slot, down in given["plays"]),
        hands=tuple(tuple(map(Slot, hand)) for hand in given["hands"]),
        indicator=None if indicator is None else Slot(indicator),
        trump=None if trump is None else suit_of(trump),
        hidden=tuple(map(Slot, given["hidden"])),
        # Keys of JSON objects are texts.
        faces={Slot(int(slot)): parse_card(card) for slot, card in faces.items()},
        unseen=frozenset(parse_card(card) for card in given["unseen"]),
        facts=tuple(statement_of(each) for each in given["facts"]),
        unfollowed=frozenset(suit_of(each) for each in given["unfollowed"]),
        unbeaten=given["unbeaten"],
    )


def caps_judge(information: Any, order: Any) -> Json:
    """`information` of a seat, `order` of its cards or null: "sure" if that order is sure to win
    every trick, or for null if any order is; else "not sure".
    """
    known = information_of(information)
    if order is None:
        sure = find_order(known).sure
    else:
        sure = judge_order(known, [parse_card(each) for each in order])
    return {"verdict": "sure" if sure else "not sure"}
