"""Vectors of the rules: texts, public play, score, matches, caps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cli.conformance.hands import SAVED_HANDS, TABLES
from cli.conformance.rehearsal import seeded
from p2p304.rules304.action_text import format_action
from p2p304.rules304.caps.information import InformationSet
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.operations import information_of
from p2p304.rules304.profiles import FOUR_SEATS
from p2p304.rules304.toggles import FORBIDDEN, TOGGLES
from protocol.places import Lane, LedgerName
from tests.rules.caps_positions import end_position, random_position
from tests.vectors.action_examples import EXAMPLES
from tests.vectors.collect import Collector
from tests.vectors.information import information_json

CALLED_ONLY = ("marriages", "last_trick", "divide_by_ten")
"""House rules for tables where a card is called."""
OF_PAGAT = tuple(name for name in TOGGLES if name not in CALLED_ONLY)


def notation() -> Collector:
    """Texts of actions and agreements."""
    found = Collector("notation", "texts of actions, agreements (rules 14, 15)")
    for action in EXAMPLES:
        text = format_action(action)
        found.accept("action.parse", type(action).__name__, text=text)
    for text in ("cut 0", "cut 9999", "down 0", "play 9999=7S", "bid 1", "count 0=7S 1=7H 2=7D"):
        found.accept("action.parse", "written well, though rarely legal", text=text, strange=True)
    base = found.rows[0]["id"]
    for text in (
        "", " ", "cut", "cut ", "cut  7", " cut 7", "cut 7 ", "cut 07", "cut +7", "cut -1",
        "cut 7.0", "cut 10000", "cut seven", "Cut 7", "CUT 7", "cut 7 7", "cut\t7", "bid",
        "bid 0160", "bid 160.", "bid PCC", "bid half court", "pass 1", "pass ", "passes", "ask 2",
        "play", "play 40", "play 40=", "play =9C", "play 40=9c", "play 40=C9", "play 40=10C",
        "play 40=1C", "play 40 =9C", "play 40= 9C", "play 40=9C 41=9C", "play 040=9C",
        "play 40=9C all-trump", "play 40=9C all-trumps ", "play 40=9C all-trumps x", "down",
        "down 4 5", "down 4=9C", "indicator", "indicator x", "open", "open 9", "open 9CC",
        "show-indicator", "trumps 1=9C", "trump 1 9C", "caps 1=9C  2=9D", "caps 1=9C,2=9D",
        "one-trump", "count-for 41", "dance", "ready now", "no trump", "closed.", "sort 1",
    ):  # fmt: skip
        found.reject(base, f"no action: {text!a}", "action.notation", text=text)
    for name in FOUR_SEATS:
        found.accept("agreement.expand", f"profile {name}", agreement=name)
    for name in OF_PAGAT:
        profile = "pagat"
        found.accept("agreement.expand", f"{profile} with {name}", agreement=f"{profile}; +{name}")
    short = found.rows[-1]["id"]
    assert FORBIDDEN
    for about, text in (
        ("single parameters", "pagat; bid_max = 250; caps_grace = next card"),
        ("parameters in any order", "pagat; caps_grace = next card; bid_max = 250"),
        ("all at once", "wikipedia; +bank_scoring; +pre_show; tokens_start = 3"),
        ("free white space", "pagat;+bank_scoring ;  bid_max=250"),
    ):
        found.accept("agreement.expand", about, agreement=text, strange=True)
    for about, text in (
        ("no profile", ""), ("an unknown profile", "paget"), ("an unknown house rule",
        "pagat; +free_beer"), ("a house rule twice", "pagat; +pre_show; +pre_show"),
        ("an unknown parameter", "pagat; luck = 3"), ("a parameter twice",
        "pagat; bid_max = 250; bid_max = 250"), ("a value of another kind",
        "pagat; bid_max = yes"), ("a value out of range", "pagat; bid_max = 305"),
        ("a choice that does not exist", "pagat; caps_grace = never"),
        ("a house rule that the profile forbids", "championship; +half_court"),
        ("a house rule about what cannot arise", "card304-alpha; +caps_strict"),
        ("a contradiction", "pagat; bid_min = 300; bid_max = 200"),
        ("no assignment", "pagat; bid_max"), ("a minus", "pagat; bid_max = -250"),
    ):  # fmt: skip
        found.reject(short, about, "agreement", agreement=text)
    return found


def rules() -> Collector:
    """Public play: what every action states and discloses."""
    found = Collector("rules", "the state machine in public: statements, disclosures (rules 3-13)")
    for saved in _HANDS_OF_304:
        table = saved.rehearsed()
        replica = table.table_state.replicas[LedgerName(Lane.HAND, 0)]
        log = [[int(seat), format_action(each)] for seat, each in replica.machine.state.log]
        dealer = int(replica.machine.dealer)
        given: dict[str, Any] = {"agreement": saved.agreement, "dealer": dealer}
        whole = found.accept("rules.play", f"{saved.name}: the whole hand", **given, actions=log)
        marks = sorted({1, 2, 4, 6, 8, 9, 13, 14, 15, 16, 17, 18, 19, 20, 24, 29, 40, len(log) - 1})
        for mark in marks:
            if mark < len(log):
                found.accept("rules.play", f"{saved.name}: {mark} actions", **given,
                             actions=log[:mark])  # fmt: skip
        _wrong_plays(found, whole, saved.name, log)
    for dealer in range(4):
        found.accept("rules.play", f"dealer {dealer}, no cut", agreement="pagat", dealer=dealer,
                     actions=[[(dealer + 3) % 4, "cut 0"]], strange=True)  # fmt: skip
        found.accept("rules.play", f"dealer {dealer}, cut 31", agreement="pagat", dealer=dealer,
                     actions=[[(dealer + 3) % 4, "cut 31"]], strange=True)  # fmt: skip
    for toggle in OF_PAGAT:
        found.accept("rules.play", f"an auction with {toggle}", agreement=f"pagat; +{toggle}",
                     dealer=0, actions=[[3, "cut 5"], [1, "bid 160"]], strange=True)  # fmt: skip
    for about, said in (
        ("the highest bid at once", [[1, "bid 300"]]),
        ("a partner asked passes", [[1, "ask"], [3, "pass"]]),
        ("asking round", [[1, "ask"], [3, "bid 160"], [2, "ask"], [0, "bid 170"]]),
        ("a redeal of nothing", [[1, "redeal 5=7C 6=7D 7=7H 8=7S"]]),
        ("four passes", [[1, "pass"], [2, "pass"], [3, "pass"], [0, "pass"]]),
        ("an indicator after one bid", [[1, "bid 160"], [2, "pass"], [3, "pass"], [0, "pass"],
         [1, "indicator 8"]]),
    ):  # fmt: skip
        found.accept("rules.play", about, agreement="pagat", dealer=0, strange=True,
                     actions=[[3, "cut 5"], *said])  # fmt: skip
    base = found.accept("rules.play", "an auction begins", agreement="pagat", dealer=0,
                        actions=[[3, "cut 5"], [1, "bid 160"]])  # fmt: skip
    for about, rule, said in (
        ("a bid below the lowest", "5.2.2", [1, "bid 150"]),
        ("a bid of no step", "5.2.1", [1, "bid 165"]),
        ("a bid above the highest", "5.2.2", [1, "bid 310"]),
        ("Partner Close Caps with four cards", "5.2", [1, "bid pcc"]),
        ("half court that was not agreed", "5.2", [1, "bid half_court"]),
        ("out of turn", "3", [2, "bid 160"]),
        ("a second cut", "3", [3, "cut 6"]),
        ("a card before play", "3", [1, "play 5=9C"]),
        ("a redeal without cards", "5.5", [1, "redeal"]),
        ("a redeal with a card twice", "S1", [1, "redeal 5=7C 6=7C 7=7H 8=7S"]),
        ("a redeal with other slots", "5.5", [1, "redeal 0=7C 6=7D 7=7H 8=7S"]),
        ("a redeal that counts 15", "5.5", [1, "redeal 5=AC 6=KD 7=8H 8=8S"[:24] + "8=KS"]),
    ):
        if rule == "5.5" and "counts" in about:
            said = [1, "redeal 5=AC 6=QD 7=QH 8=8S"]
        found.reject(base, about, "action.rule", actions=[[3, "cut 5"], said])
    found.reject(base, "a cut of 32", "action.rule", actions=[[3, "cut 32"]])
    found.reject(base, "a cut by the dealer's right", "action.rule", actions=[[1, "cut 5"]])
    found.reject(base, "the standing bid again", "action.rule",
                 actions=[[3, "cut 5"], [1, "bid 160"], [2, "bid 160"]])  # fmt: skip
    found.reject(base, "over the partner below 200", "action.rule",
                 actions=[[3, "cut 5"], [1, "bid 160"], [2, "pass"], [3, "bid 170"]])  # fmt: skip
    _calls_of_caps(found)
    return found


def _calls_of_caps(found: Collector) -> None:
    """Which cards a call of caps names, in which order, and what comes of it (rules 11)."""
    pack = ["JH", "9H", "AH", "TH", "KH", "QH", "8H"]
    held = [f"{slot}={card}" for slot, card in zip(range(64, 71), pack, strict=True)] + ["0=JC"]
    begun = [[3, "cut 0"], [1, "bid 160"], *([seat, "pass"] for seat in (2, 3, 0)),
             [1, "indicator 0"], *([seat, "pass"] for seat in (1, 2, 3, 0)),
             *([seat, "sort"] for seat in range(4)), [1, "closed"]]  # fmt: skip
    whole, back = " ".join(["caps", *held]), " ".join(["caps", *held[::-1]])
    stated, unstated = "pagat", "pagat; caps_order_stated = no"
    hidden = "pagat; +caps_hidden_call"

    def accept(about: str, agreement: str, *then: list[Any]) -> str:
        return found.accept("rules.play", f"caps: {about}", agreement=agreement, dealer=0,
                            strange=True, actions=[*begun, *then])  # fmt: skip

    def reject(base: str, about: str, *then: list[Any]) -> None:
        found.reject(base, about, "action.rule", actions=[*begun, *then])

    base = accept("the order that is stated", stated, [1, back])
    reject(base, "caps with a card left out", [1, " ".join(["caps", *held[1:]])])
    reject(base, "caps with a card twice", [1, " ".join(["caps", *held[:-1], held[0]])])
    reject(base, "caps without the hidden indicator", [1, " ".join(["caps", *held[:-1]])])
    reject(base, "caps without cards where they are shown", [1, "caps"])
    base = accept("no order is stated, the hand's own, the indicator last", unstated, [1, whole])
    reject(base, "caps in another order than the hand's, where none is stated", [1, back])
    ready = [[seat, "ready"] for seat in (0, 2, 3)]
    asked = accept("the opponents answer", stated, [1, whole], *ready)
    reject(asked, "the partner answers caps", [1, whole], *ready, [3, "accept"])
    called = [[1, "caps"], *ready]
    base = accept("without cards nobody answers", hidden, *called)
    reject(base, "cards of a call that shows none", [1, whole])
    lost = [[1, "play 64=7H"], [2, "play 96=JH"], [3, "play 128=8H"], [0, "play 32=9H"]]
    accept("without cards a lost trick ends nothing", hidden, *called, *lost)
    won = [[1, "play 64=JH"], [2, "play 96=7H"], [3, "play 128=8H"], [0, "play 32=9H"]]
    base = accept("without cards a won trick", hidden, *called, *won)
    reject(base, "caps once more by the partner", *called, *won, [3, "caps"])
    reject(base, "caps once more by the caller", *called, *won, [1, "caps"])


_HANDS_OF_304 = [
    each
    for each in SAVED_HANDS.values()
    if each.game == "304"
    and not each.continues
    and each.ruled_after is None
    and each.name not in TABLES
]
_BY_ANYBODY = ("sort", "ready", "count", "count-for", "no-trump", "one-trump", "spoilt", "caps")


def _wrong_plays(found: Collector, whole: str, name: str, log: list[list[Any]]) -> None:
    """The hand with its last action replaced by one that the rules refuse."""
    seen: set[str] = set()
    for place, (seat, text) in enumerate(log):
        word = text.split(" ")[0]
        if word in seen or word in ("cut",):
            continue
        seen.add(word)
        before = log[:place]
        for about, wrong in (
            ("by another seat", [(seat + 1) % 4, text]),
            ("something else altogether", [seat, "count 0=7S"]),
        ):
            if word in _BY_ANYBODY and about == "by another seat":
                continue
            if word == "count":
                continue
            found.reject(whole, f"{name}: {word}, {about}", "action.rule",
                         actions=[*before, wrong])  # fmt: skip


def _facts(**changed: Any) -> dict[str, Any]:
    return {"maker_team": 0, "bid": 180, "points": 200, "tricks": 5, "void": None,
            "violation": None, "caps": ["none", "none"], **changed}  # fmt: skip


def score() -> Collector:
    """What a hand costs."""
    found = Collector("score", "prices of hands (rules 13)")
    for name in FOUR_SEATS:
        for bid in (160, 190, 200, 240, 250, 300):
            for points in (bid, bid - 1):
                edge = "just made" if points == bid else "one point short"
                found.accept("score.hand", f"{name}: {bid} {edge}", agreement=name,
                             facts=_facts(bid=bid, points=points))  # fmt: skip
    for void in ("passed_out", "redeal", "spoilt", "misdeal"):
        found.accept("score.hand", f"void: {void}", agreement="pagat",
                     facts=_facts(maker_team=None, bid=None, points=0, tricks=0, void=void),
                     strange=void == "misdeal")  # fmt: skip
    for team in (0, 1):
        for false_spoilt in (True, False):
            for name in ("pagat", "championship"):
                found.accept("score.hand", f"{name}: team {team} broke a rule", agreement=name,
                             facts=_facts(violation={"team": team,
                                                     "false_spoilt": false_spoilt}))  # fmt: skip
    found.accept("score.hand", "a violation before any bid", agreement="pagat", strange=True,
                 facts=_facts(maker_team=None, bid=None, points=0, tricks=0,
                              violation={"team": 1, "false_spoilt": False}))  # fmt: skip
    for agreement in ("pagat", "pagat; +external_caps_eight", "championship"):
        for about, facts in (
            ("caps in time", _facts(points=304, tricks=8, caps=["correct", "none"])),
            ("caps too late for the bonus", _facts(points=304, tricks=8,
             caps=["correct_late", "none"])),
            ("external caps in time", _facts(points=0, tricks=0, caps=["none", "correct"])),
            ("caps lost, bid made", _facts(caps=["lost", "none"])),
            ("caps lost, bid of 250 failed", _facts(bid=250, points=100, caps=["lost", "none"])),
            ("wrong caps, bid made", _facts(caps=["wrong", "none"])),
            ("wrong caps, bid failed", _facts(bid=250, points=100, caps=["wrong", "none"])),
            ("defenders' wrong caps", _facts(caps=["none", "wrong"])),
            ("both teams wrong", _facts(caps=["wrong", "wrong"])),
        ):  # fmt: skip
            found.accept("score.hand", f"{agreement}: {about}", agreement=agreement, facts=facts,
                         strange="both" in about or "250" in about)  # fmt: skip
    for tricks in (8, 7):
        found.accept("score.hand", f"Partner Close Caps, {tricks} tricks", agreement="pagat",
                     facts=_facts(bid="pcc", points=0, tricks=tricks), strange=True)  # fmt: skip
    for tricks in (4, 3):
        found.accept("score.hand", f"half court, {tricks} tricks", agreement="pagat; +half_court",
                     facts=_facts(bid="half_court", points=0, tricks=tricks),
                     strange=True)  # fmt: skip
    found.accept("score.hand", "304 points without caps", agreement="pagat", strange=True,
                 facts=_facts(points=304, tricks=8))  # fmt: skip
    found.accept("score.hand", "a bank", agreement="pagat; +bank_scoring", facts=_facts())
    return found


def match() -> Collector:
    """Matches: the first dealer, tokens, the deal that passes."""
    found = Collector("match", "matches: luck, dealer, tokens (rules 2, 13)")
    for last in range(8):
        luck = (bytes(31) + bytes((last,))).hex()
        found.accept("match.run", f"luck {last}", agreement="pagat", luck=luck, hands=[],
                     strange=last == 0)  # fmt: skip
        found.accept("match.run", f"cards drawn, luck {last}", agreement="championship",
                     luck=seeded(f"luck {last}")(32).hex(), hands=[])  # fmt: skip
    found.accept("match.run", "cards drawn with no luck: ties to the end", agreement="championship",
                 luck="00" * 32, hands=[], strange=True)  # fmt: skip
    void = _facts(maker_team=None, bid=None, points=0, tricks=0)
    lost = _facts(bid=300, points=0)
    for agreement in ("pagat", "championship", "pagat; +bank_scoring", "pagat; tokens_start = 1"):
        luck = "05" * 32
        for about, hands, strange in (
            ("one hand made", [_facts()], False),
            ("a redeal keeps the dealer", [{**void, "void": "redeal"}], False),
            ("four passes do not", [{**void, "void": "passed_out"}], False),
            ("spoilt trumps keep it", [{**void, "void": "spoilt"}], True),
            ("lost and lost again", [lost, lost][: 1 if "= 1" in agreement else 2], True),
        ):
            hands = hands if "= 1" not in agreement or len(hands) == 1 else hands[:1]
            found.accept("match.run", f"{agreement}: {about}", agreement=agreement, luck=luck,
                         hands=hands, strange=strange)  # fmt: skip
    short = {"agreement": "pagat; tokens_start = 1", "luck": "05" * 32}
    base = found.accept("match.run", "a match that is just won", **short, hands=[_facts()])
    found.reject(base, "a hand after the end", "action.rule", hands=[_facts(), _facts()])
    return found


def caps() -> Collector:
    """Sure orders."""
    found = Collector("caps", "whether an order of cards is sure (rules 11.1)")
    for seed in range(48):
        information = random_position(seed)
        prospect = find_order(information)
        given = information_json(information)
        found.accept("caps.judge", f"some order, position {seed}", information=given, order=None)
        if prospect.order and seed % 2 == 0:
            _orders(found, f"position {seed}", information, [str(c) for c in prospect.order])
    for number, given in enumerate(json.loads(HARDEST.read_text("ascii"))):
        name = f"a position that costs a search much, {number}"
        found.accept("caps.judge", f"{name}: some order", information=given, order=None)
        information = information_of(given)
        order = find_order(information).order or information.own_cards()
        _orders(found, name, information, [str(card) for card in order])
    example = end_position("S", "9H 8H 7H 7C", unseen="TH KS QS 8S 7S 8D 7D TD KD QD AD 9D",
                           counts={"E": 4, "N": 4, "W": 4}, leader="S", trump="C")  # fmt: skip
    for order in (["9H", "8H", "7H", "7C"], ["7C", "9H", "8H", "7H"], ["7H", "8H", "9H", "7C"]):
        found.accept("caps.judge", f"one heart unseen: {' '.join(order)}", strange=True,
                     information=information_json(example), order=order)  # fmt: skip
    return found


HARDEST = Path(__file__).parent / "hardest_caps.json"
"""Positions that `make caps` and climbs before it found: not sure, and then sure."""


def _orders(found: Collector, name: str, information: InformationSet, order: list[str]) -> None:
    for about, cards in (("the order found", order), ("the same reversed", order[::-1])):
        strange = about != "the order found" and len(order) > 1
        found.accept("caps.judge", f"{name}: {about}", order=cards, strange=strange,
                     information=information_json(information))  # fmt: skip


CATEGORIES = (notation, rules, score, match, caps)
