"""An information set as the vectors write it."""

from __future__ import annotations

from p2p304.rules304.caps.information import InformationSet
from tests.vectors.plain_json import Json, statement_json


def information_json(information: InformationSet) -> Json:
    """Return an information set as the line protocol writes it."""
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
