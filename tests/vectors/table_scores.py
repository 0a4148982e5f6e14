"""Vectors of prices, matches and caps at tables beside those of the five profiles."""

from __future__ import annotations

from typing import Any, Final

from cli.conformance.rehearsal import seeded
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.profiles import PROFILES
from tests.rules.caps_positions import random_position
from tests.vectors.collect import Collector
from tests.vectors.information import information_json

MORE: Final = tuple(name for name, profile in PROFILES.items() if profile.seats > 4)
CALLED: Final = ("maharashtra", "doso_viso")


# --- more seats ---------------------------------------------------------------------------


def _team_facts(**changed: Any) -> dict[str, Any]:
    return {
        "maker_team": 1,
        "bid": 200,
        "points": 200,
        "tricks": 2,
        "void": None,
        "violation": None,
        "caps": ["none", "none"],
        **changed,
    }


def prices_of_more_seats(found: Collector) -> None:
    for name, bids in (
        ("six24", (200, 250)),
        ("eight32", (240, 300)),
        ("six36", (190, 200, 250)),
        ("tamil504", (320, 330, 400, 410)),
        ("tamil904", (580, 590, 730, 740)),
    ):
        for bid in bids:
            for points in (bid, bid - 1):
                edge = "just made" if points == bid else "one point short"
                found.accept(
                    "score.hand",
                    f"{name}: {bid} {edge}",
                    agreement=name,
                    facts=_team_facts(bid=bid, points=points),
                )
        found.accept(
            "score.hand",
            f"{name}: a violation before any bid",
            agreement=name,
            strange=True,
            facts=_team_facts(
                maker_team=None,
                bid=None,
                points=0,
                tricks=0,
                violation={"team": 0, "false_spoilt": False},
            ),
        )
    for tricks in (6, 5):
        found.accept(
            "score.hand",
            f"six36: Partner Close Caps, {tricks} tricks",
            strange=True,
            agreement="six36",
            facts=_team_facts(bid="pcc", points=0, tricks=tricks),
        )
    found.accept(
        "score.hand",
        "tamil504: caps",
        agreement="tamil504",
        facts=_team_facts(bid=410, points=504, tricks=6, caps=["none", "correct"]),
    )


def matches_of_more_seats(found: Collector) -> None:
    for name in MORE:
        for last in range(PROFILES[name].seats):
            luck = (bytes(31) + bytes((last,))).hex()
            found.accept("match.run", f"{name}: luck {last}", agreement=name, luck=luck, hands=[])
    drawn = "tamil904; first_dealer = highest drawn card"
    for last in range(3):
        found.accept(
            "match.run",
            f"cards drawn by eight, luck {last}",
            agreement=drawn,
            luck=seeded(f"luck of eight {last}")(32).hex(),
            hands=[],
            strange=True,
        )
    void = _team_facts(maker_team=None, bid=None, points=0, tricks=0)
    luck = "05" * 32
    for about, hands in (
        ("the deal passes round six seats", [_team_facts()] * 4),
        ("a redeal keeps the dealer", [{**void, "void": "redeal"}]),
        ("six passes do not", [{**void, "void": "passed_out"}]),
    ):
        found.accept(
            "match.run", f"six36: {about}", agreement="six36", luck=luck, hands=hands, strange=True
        )
    short = {"agreement": "six24; tokens_start = 1", "luck": luck}
    base = found.accept(
        "match.run", "six24: a match that is just won", **short, hands=[_team_facts()]
    )
    found.reject(
        base, "six24: a hand after the end", "action.rule", hands=[_team_facts(), _team_facts()]
    )


def caps_of_more_seats(found: Collector) -> None:
    for name in MORE:
        agreed = PROFILES[name]
        for seed in range(10):
            information = random_position(seed, 9, (2, 3), agreed.deck, agreed.seats)
            prospect = find_order(information)
            given = information_json(information)
            about = f"{name}: position {seed}"
            found.accept("caps.judge", f"{about}, some order", information=given, order=None)
            if prospect.order:
                order = [str(card) for card in prospect.order]
                for way, cards in (("the order found", order), ("reversed", order[::-1])):
                    found.accept(
                        "caps.judge",
                        f"{about}, {way}",
                        order=cards,
                        information=given,
                        strange=way == "reversed" and len(order) > 1,
                    )


# --- called partners ---------------------------------------------------------------------------


def _called_facts(**changed: Any) -> dict[str, Any]:
    return {
        "maker": 0,
        "partner": 2,
        "bid": 200,
        "points": 200,
        "tricks": 5,
        "target": 200,
        "void": None,
        "offender": None,
        **changed,
    }


def _doubled(**changed: Any) -> dict[str, Any]:
    return {
        "maker_team": 0,
        "bid": 200,
        "points": 200,
        "tricks": 5,
        "void": None,
        "violation": None,
        "caps": ["none", "none"],
        **changed,
    }


def prices_of_called(found: Collector) -> None:
    for about, facts in (
        ("double won", _doubled(points=304, tricks=8, double=0)),
        ("double lost, the bid made", _doubled(points=250, tricks=7, double=0)),
        ("double and the bid lost", _doubled(points=190, tricks=6, double=0)),
        ("the defenders' double won", _doubled(points=0, tricks=0, double=1)),
        ("the defenders' double lost, the bid failed", _doubled(points=100, tricks=3, double=1)),
        ("both of the defenders' lost", _doubled(tricks=3, double=1)),
        ("nothing is left to pay", _doubled(bid=160, points=160, tricks=6, double=0)),
        (
            "a violation knows no double",
            _doubled(double=0, violation={"team": 1, "false_spoilt": True}),
        ),
    ):
        found.accept(
            "score.hand", f"tamil4: {about}", agreement="tamil4", facts=facts, strange=True
        )
    for about, facts in (
        ("200 just made", _called_facts()),
        ("one point short", _called_facts(points=199)),
        ("under 200", _called_facts(bid=160, target=160)),
        ("made by a marriage", _called_facts(bid=250, target=190)),
        ("failed by a marriage of the others", _called_facts(bid=250, points=260, target=270)),
        ("Full Court", _called_facts(bid="full_court", points=0, tricks=8, target=0)),
        ("Full Court failed", _called_facts(bid="full_court", points=0, tricks=7, target=0)),
        ("Half Court", _called_facts(bid="half_court", points=0, tricks=4, target=0)),
        (
            "Half Court alone",
            _called_facts(bid="half_court", partner=None, points=0, tricks=4, target=0),
        ),
        (
            "alone and failed",
            _called_facts(bid="half_court", partner=None, points=0, tricks=3, target=0),
        ),
        ("a false call by a defender", _called_facts(points=0, tricks=1, offender=1, target=0)),
        ("a false call by the partner", _called_facts(points=0, tricks=1, offender=2, target=0)),
        (
            "passed out",
            _called_facts(
                maker=None, partner=None, bid=None, points=0, tricks=0, target=0, void="passed_out"
            ),
        ),
        ("spoilt", _called_facts(points=0, tricks=1, target=0, void="spoilt")),
    ):
        found.accept(
            "score.hand",
            f"maharashtra: {about}",
            agreement="maharashtra",
            facts=facts,
            strange=facts["bid"] != 200,
        )


def matches_of_called(found: Collector) -> None:
    for name in CALLED:
        for last in range(4):
            luck = seeded(f"luck of {name} {last}")(32).hex()
            found.accept("match.run", f"{name}: luck {last}", agreement=name, luck=luck, hands=[])
    given: dict[str, Any] = {"agreement": "maharashtra; score_goal = 4", "luck": "05" * 32}
    full = _called_facts(bid="full_court", points=0, tricks=8, target=0)
    void = _called_facts(maker=None, partner=None, bid=None, points=0, tricks=0, target=0)
    for about, hands in (
        ("scores by seat, below nothing too", [_called_facts(), _called_facts(maker=1, partner=2)]),
        ("spoilt trumps keep the dealer", [{**_called_facts(), "void": "spoilt", "points": 0}]),
        ("passed out, the deal passes", [{**void, "void": "passed_out"}]),
        ("two have won together", [full]),
        ("one of them alone, two hands on", [_called_facts(), _called_facts(maker=0, partner=1)]),
    ):
        found.accept("match.run", f"maharashtra: {about}", **given, hands=hands, strange=True)
    base = found.accept("match.run", "maharashtra: a match that is just won", **given, hands=[full])
    found.reject(base, "maharashtra: a hand after the end", "action.rule", hands=[full, full])
