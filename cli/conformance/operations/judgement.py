"""Whether an order of cards is sure (rules 11.1)."""

from __future__ import annotations

from typing import Any

from cli.conformance.answers import Answer, Json, operation
from cli.conformance.operations.statements import statement_json, statement_of, suit_of
from p2p304.cards import parse_card
from p2p304.rules304.information import InformationSet, PlayedSlot, PlayRules
from p2p304.rules304.sure import find_order, judge_order
from p2p304.seats import Seat
from p2p304.slots import Slot


def information_json(information: InformationSet) -> Json:
    """An information set as the line protocol writes it."""
    indicator, trump = information.indicator, information.trump
    return {
        "seat": int(information.seat),
        "maker": int(information.maker),
        "rules": dict(information.rules._asdict()),
        "leader": int(information.leader),
        "plays": [[int(each.seat), int(each.slot), each.down] for each in information.plays],
        "hands": [list(map(int, hand)) for hand in information.hands],
        "indicator": None if indicator is None else int(indicator),
        "trump": None if trump is None else trump.letter,
        "hidden": list(map(int, information.hidden)),
        "faces": {str(slot): str(card) for slot, card in sorted(information.faces.items())},
        "unseen": [str(card) for card in sorted(information.unseen)],
        "facts": [statement_json(each) for each in information.facts],
        "unfollowed": [suit.letter for suit in sorted(information.unfollowed)],
        "unbeaten": information.unbeaten,
    }


def information_of(given: Json) -> InformationSet:
    """The inverse of `information_json`."""
    indicator, trump = given["indicator"], given["trump"]
    faces: dict[str, Any] = given["faces"]
    return InformationSet(
        seat=Seat(given["seat"]),
        maker=Seat(given["maker"]),
        rules=PlayRules(**given["rules"]),
        leader=Seat(given["leader"]),
        plays=tuple(PlayedSlot(Seat(s), Slot(slot), down) for s, slot, down in given["plays"]),
        hands=tuple(tuple(map(Slot, hand)) for hand in given["hands"]),
        indicator=None if indicator is None else Slot(indicator),
        trump=None if trump is None else suit_of(trump),
        hidden=tuple(map(Slot, given["hidden"])),
        faces={Slot(int(slot)): parse_card(card) for slot, card in faces.items()},
        unseen=frozenset(parse_card(card) for card in given["unseen"]),
        facts=tuple(statement_of(each) for each in given["facts"]),
        unfollowed=frozenset(suit_of(each) for each in given["unfollowed"]),
        unbeaten=given["unbeaten"],
    )


@operation("caps.judge")
def caps_judge(given: Json) -> Answer:
    """`information` of a seat, `order` of its cards or null: whether that order, or some order,
    is sure."""
    information = information_of(given["information"])
    if given["order"] is None:
        sure = find_order(information).sure
    else:
        sure = judge_order(information, [parse_card(each) for each in given["order"]])
    return Answer({"verdict": "sure" if sure else "not sure"})
