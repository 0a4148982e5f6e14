"""Vectors of 304 with double, with a called partner, and with cards shown in turn."""

from __future__ import annotations

from typing import Any, Final

from p2p304.rules304.action_text import format_action
from tests.vectors.action_examples import OTHERS
from tests.vectors.collect import Collector
from tests.vectors.played_hands import Said, everybody, refuse, told
from tests.vectors.table_scores import CALLED, matches_of_called, prices_of_called

ALL: Final = (0, 1, 2, 3)


def called() -> Collector:
    """Collect all of it."""
    about = "304 with double, a called partner, cards shown in turn (rules 10, 14, 15, 17, 18)"
    found = Collector("rules-called", about)
    _texts(found)
    _agreements(found)
    _double(found)
    _courts(found)
    _numbers(found)
    _marriages(found)
    _shown_in_turn(found)
    prices_of_called(found)
    matches_of_called(found)
    _sets_of_parameters(found)
    return found


def _texts(found: Collector) -> None:
    for action in OTHERS:
        found.accept("action.parse", type(action).__name__, text=format_action(action))
    base = found.accept("action.parse", "written well, though no rule allows it", strange=True,
                        text="marriage 0=7S 1=QS 2=KS")  # fmt: skip
    found.accept("action.parse", "a marriage of nothing", strange=True, text="marriage")
    for text in (
        "ask-seat", "ask-seat S", "ask-seat 03", "ask 3", "name", "name C9", "name 9C 9D",
        "name 4=9C", "double 1", "doubles", "bid full court", "bid fullcourt", "bid FULL_COURT",
        "marriage KS QS", "marriage 64=KS,66=QS", "marriages 64=KS 66=QS",
    ):  # fmt: skip
        found.reject(base, f"no action: {text!a}", "action.notation", text=text)


def _agreements(found: Collector) -> None:
    for name in ("tamil4", *CALLED):
        found.accept("agreement.expand", f"profile {name}", agreement=name)
    for about, text in (
        ("half court beside double", "tamil4; +half_court; +forced_open; +pre_show"),
        ("double by its parameters", "pagat; caps_model = off; double = yes"),
        ("all house rules of a called partner",
         "maharashtra; +divide_by_ten; +last_trick; +marriages; +pre_show; +table_chat"),
        ("the goal and the price of a court",
         "maharashtra; score_goal = 21; tokens_full_court = 6 / 9; tokens_half_court = 5 / 7"),
        ("steps of five, nobody cuts", "doso_viso; +step5_from_200; cut_by = nobody; max_cuts = 0"),
        ("a house rule that a profile forbids, as it is anyway", "doso_viso; marriages = no"),
        ("a called partner by its parameters", "pagat; partners = called card; ask_partner = no; "
         "redeal_below = 0; auction8 = no; pcc = no; caps_model = off"),
    ):  # fmt: skip
        found.accept("agreement.expand", about, agreement=text, strange=True)
    base = found.rows[-1]["id"]
    for about, text in (
        ("double beside caps", "pagat; double = yes"),
        ("caps beside double", "tamil4; caps_model = epistemic"),
        ("one call each", "tamil4; +alpha_bidding"),
        ("a house rule about caps", "tamil4; +caps_strict"),
        ("a marriage between teams", "tamil4; +marriages"),
        ("the last trick between teams", "pagat; last_trick = yes"),
        ("a goal between teams", "pagat; score_goal = 11"),
        ("Full Court between teams", "pagat; tokens_full_court = 4 / 5"),
        ("asking nobody knows whom", "maharashtra; ask_partner = yes"),
        ("a second auction", "maharashtra; auction8 = yes"),
        ("Half Court as a house rule", "maharashtra; +half_court"),
        ("a forced opening", "maharashtra; +forced_open"),
        ("the same as a parameter", "doso_viso; opening_bid_forced = yes"),
        ("a redeal", "doso_viso; redeal_below = 15"),
        ("caps", "maharashtra; caps_model = outcome"),
        ("double", "maharashtra; double = yes"),
        ("tokens", "maharashtra; tokens_start = 11"),
        ("a bank", "doso_viso; +bank_scoring"),
        ("what may be bid over a partner", "maharashtra; partner_overbid4 = never"),
        ("one call each, by a called partner", "maharashtra; +alpha_bidding"),
        ("marriages that the profile forbids", "doso_viso; +marriages"),
        ("the last trick that the profile forbids", "doso_viso; last_trick = yes"),
        ("no goal", "maharashtra; score_goal = 0"),
    ):
        found.reject(base, about, "agreement", agreement=text)


def _sets_of_parameters(found: Collector) -> None:
    """What sets the same parameters as house rules do, one by one and all."""
    one_call = "reentry_rule = never; ask_again_later = no; auction4_end = one circuit"
    for about, text in (
        ("two house rules that set one parameter", "pagat; +pre_show_in_trick; +pre_show"),
        ("some of what a forbidden house rule sets", f"tamil4; {one_call}; pcc = no"),
    ):
        found.accept("agreement.expand", about, agreement=text, strange=True)
    base = found.rows[-1]["id"]
    for about, text in (
        ("all of what it sets", f"tamil4; {one_call}; pcc = no; auction8 = no"),
        ("two house rules and what they set",
         "pagat; +pre_show; +pre_show_in_trick; pre_show_card = in a trick too"),
    ):  # fmt: skip
        found.reject(base, about, "agreement", agreement=text)


# --- double ---------------------------------------------------------------------------------------

SPADES: Final = "KSQS8S7S.AHTHKHQH JC9CACTC.ADTDKDQD KCQC8C7C.8H7H8D9D JS9SASTS.JH9HJD7D"
"""From East: South, the dealer, has four spades and two jacks."""
OPENED: Final = "E- N- W- S160 E- N- W- S*JS S- E- N- W- Sopen "
FIVE: Final = (
    "EKS NQD W8D SJS S9S EQS NKD W7C SAS E8S NTD W7H STS E7S NTC W8H SJH EQH N9C W8C "
)  # fmt: skip
LEFT: Final = "SJD EKH NAD W9D S9H EAH NAC WQC S7D ETH NJC WKC"
LOST: Final = "S7D EKH NAD W9D WKC SJD EAH NJC NAC WQC S9H ETH"


def _double(found: Collector) -> None:
    def play(moves: str, agreement: str = "tamil4") -> list[Said]:
        return told(agreement, SPADES, OPENED + moves)

    given: dict[str, Any] = {"agreement": "tamil4", "dealer": 0}
    five = play(FIVE)
    base = found.accept("rules.play", "double, and the others are ready", **given,
                        actions=[*five, [0, "double"], *everybody("ready", 1, 2, 3)])  # fmt: skip
    for about, rule, actions in (
        ("by the partner of the seat that took the fifth", "3.3", [*five, [2, "double"]]),
        ("by an opponent", "3.3", [*five, [1, "double"]]),
        ("after the fourth trick", "3.3", [*play(FIVE.rpartition("SJH")[0]), [0, "double"]]),
        ("after the sixth", "3.3", [*play(FIVE + "SJD EKH NAD W9D"), [0, "double"]]),
        ("at the lead", "3", [*five, *everybody("ready", *ALL), [0, "double"]]),
        ("twice", "3", [*five, [0, "double"], [0, "double"]]),
        ("before play", "3", [*told("tamil4", SPADES, OPENED)[:-1], [0, "double"]]),
        ("caps, which there are not", "13", [*five, [0, "caps"]]),
    ):
        refuse(found, base, f"double: {about}", rule, actions)
    last = play(FIVE + "Sdouble " + LEFT)
    whole = found.accept("rules.play", "double won", **given, actions=last)
    refuse(found, whole, "double: after the end", "3", [*last, [0, "double"]])
    found.accept("rules.play", "double lost: it costs what the bid brings", strange=True, **given,
                 actions=play(FIVE + "Sdouble " + LOST))  # fmt: skip
    found.accept("rules.play", "the same without it", **given, actions=play(FIVE + LOST))
    pagat = {"agreement": "pagat", "dealer": 0}
    base = found.accept("rules.play", "pagat: five tricks", **pagat, actions=play(FIVE, "pagat"))
    refuse(found, base, "pagat: double", "3.3", [*play(FIVE, "pagat"), [0, "double"]])


# --- called partners ------------------------------------------------------------------------------

HANDS: Final = "KSQS8S7S.AHTHKHQH JC9CACTC.9H8H7HKC JD9DADTD.KDQDQC8C JS9SASTS.JH7D8D7C"
"""From East; South buys each of these hands."""
CUT: Final = [3, "cut 0"]
GIVEN: Final[dict[str, Any]] = {"agreement": "maharashtra", "dealer": 0}
HALF: Final = [CUT, [1, "bid half_court"]]
NAMED: Final = [*HALF, [1, "indicator 0"], [1, "name 9D"]]
SMALL: Final = [*NAMED, *everybody("sort", *ALL), [1, "closed"]]
"""Half Court of East: it lies its first card, names a card, keeps trump closed, and leads."""
BOTH: Final = [CUT, *everybody("pass", 1, 2, 3, 0)]
"""Nobody undertakes Half Court: eight cards, and numbers."""
BOUGHT: Final = [*BOTH, [1, "bid 200"], *everybody("pass", 2, 3, 0), *everybody("sort", *ALL)]
LAID: Final = [*BOUGHT, [1, "indicator 71"]]


def _courts(found: Collector) -> None:
    base = found.accept("rules.play", "Half Court: the first who bids it", **GIVEN, actions=HALF)
    found.accept("rules.play", "three have passed", **GIVEN, actions=BOTH[:-1])
    for about, rule, actions in (
        ("a number with four cards", "3.2", [CUT, [1, "bid 160"]]),
        ("Full Court with four cards", "3.2", [CUT, [1, "bid full_court"]]),
        ("Partner Close Caps", "3.2", [CUT, [1, "bid pcc"]]),
        ("asking", "5.3", [CUT, [1, "ask"]]),
        ("asking a seat", "5.3", [CUT, [1, "ask-seat 3"]]),
        ("a redeal", "5.5", [CUT, [1, "redeal 0=7C 1=7D 2=7H 3=7S"]]),
        ("a second Half Court", "3", [*HALF, [2, "bid half_court"]]),
        ("with eight cards", "3.2", [*BOTH, [1, "bid half_court"]]),
        ("a card of the second batch as indicator", "6", [*HALF, [1, "indicator 16"]]),
    ):
        refuse(found, base, f"Half Court: {about}", rule, actions)
    found.accept("rules.play", "Half Court: the card is named before sorting", **GIVEN,
                 actions=NAMED[:-1])  # fmt: skip
    base = found.accept("rules.play", "Half Court: NotCard of all four cards", **GIVEN,
                        actions=NAMED)  # fmt: skip
    for about, rule, said in (
        ("by another seat", "3", [2, "name 9D"]),
        ("a card that the pack has not", "3.2", [1, "name 2C"]),
        ("sorting first", "3", [1, "sort"]),
        ("nothing named", "3", [1, "pass"]),
    ):
        refuse(found, base, f"naming: {about}", rule, [*NAMED[:-1], said])
    refuse(found, base, "naming: twice", "3", [*NAMED, [1, "name JD"]])
    base = found.accept("rules.play", "Half Court: no window before the first lead", **GIVEN,
                        actions=SMALL)  # fmt: skip
    for about, rule, said in (
        ("by the maker, who does not lead here", "3", []),
        ("spoilt trumps", "12", [1, "spoilt"]),
        ("caps", "13", [1, "caps"]),
        ("ready, in no window", "3", [2, "ready"]),
        ("a lead by another seat", "3", [2, "play 96=9S"]),
    ):
        if said:
            refuse(found, base, f"Half Court: {about}", rule, [*SMALL, said])
    for about, moves in (
        (
            "made by a maker whose card was not dealt",
            "E- N- W- Shalf S*9S SwithAH Sopen "
            "EKS N9C W9D SJS SAS EQS NTC WTD S9S E8S NAC WAD STS E7S NJC WJD",
        ),
        (
            "lost by such a maker, played to the last card",
            "Ehalf E*KS EwithAH Eopen "
            "EKS N9C W9D SJS SAS EQS NTC WTD S9S E8S NAC WAD STS E7S NJC WJD",
        ),
        (
            "made with a partner, whose card falls at once",
            "E- N- W- Shalf S*9S SwithJC Sopen "
            "EKS NJC W9D SJS SAS EQS N9C WTD S9S E8S NAC WAD STS E7S NTC WJD",
        ),
    ):
        found.accept(
            "rules.play",
            f"Half Court {about}",
            strange=True,
            **GIVEN,
            actions=told("maharashtra", HANDS, moves),
        )
    full = "E- N- W- S- E- N- W- Sfull S*9S SwithJC Sopen "
    found.accept(
        "rules.play",
        "Full Court ends where the card falls after a lost trick",
        strange=True,
        **GIVEN,
        actions=told("maharashtra", HANDS, full + "EAH N8H WJD SJH S7D EKS N7H WQD E8S NJC"),
    )
    base = found.accept("rules.play", "Full Court ends the auction", **GIVEN,
                        actions=[*BOTH, [1, "bid 300"], [2, "bid full_court"]])  # fmt: skip
    for about, rule, actions in (
        ("a number above it", "3", [*BOTH, [1, "bid full_court"], [2, "bid 300"]]),
        ("once more", "3", [*BOTH, [1, "bid full_court"], [2, "bid full_court"]]),
        ("the indicator before sorting", "3", [*BOTH, [1, "bid full_court"], [1, "indicator 0"]]),
    ):
        refuse(found, base, f"Full Court: {about}", rule, actions)


def _numbers(found: Collector) -> None:
    base = found.accept("rules.play", "numbers begin anew with eight cards", **GIVEN,
                        actions=[*BOTH, [1, "bid 160"], [2, "pass"], [3, "bid 170"]])  # fmt: skip
    for about, rule, said in (
        (
            "a second turn below 200",
            "5.2.3",
            [[1, "bid 160"], [2, "bid 170"], *everybody("pass", 3, 0), [1, "bid 180"]],
        ),
        ("below the lowest", "5.2.2", [[1, "bid 150"]]),
        ("the same number", "5.2.2", [[1, "bid 160"], [2, "bid 160"]]),
        ("asking", "3", [[1, "ask"]]),
        ("out of turn", "3", [[2, "bid 160"]]),
    ):
        refuse(found, base, f"numbers: {about}", rule, [*BOTH, *said])
    found.accept("rules.play", "all pass twice", strange=True, **GIVEN,
                 actions=[*BOTH, *everybody("pass", 1, 2, 3, 0)])  # fmt: skip
    found.accept("rules.play", "bought for 200, and sorted", **GIVEN, actions=BOUGHT)
    base = found.accept("rules.play", "NotCard of seven sorted cards and the indicator", **GIVEN,
                        actions=[*LAID, [1, "name JH"]])  # fmt: skip
    for about, rule, said in (
        ("a slot of the first batch, sorted away", "7", [*BOUGHT, [1, "indicator 0"]]),
        ("another seat's card", "7", [*BOUGHT, [1, "indicator 96"]]),
        ("open before a card is named", "3", [*LAID, [1, "open JC"]]),
        ("a card that the pack has not", "3.2", [*LAID, [1, "name 6H"]]),
        ("by the seat that may hold it", "3", [*LAID, [3, "name JH"]]),
    ):
        refuse(found, base, f"the indicator and the name: {about}", rule, said)
    bought = "E- N- W- S- E- N- W- S200 E- N- W- S*9S SwithJC Sopen "
    led = told("maharashtra", HANDS, bought)
    base = found.accept("rules.play", "no window while the partner is secret", **GIVEN, actions=led)
    refuse(found, base, "spoilt trumps before the card has been seen", "3.2", [*led, [1, "spoilt"]])
    refuse(found, base, "a claim where no window is", "3", [*led, [1, "ready"]])
    known = told("maharashtra", HANDS, bought + "EKH N9H W8C SJH SJS E7S NJC WJD")
    base = found.accept("rules.play", "the card falls: sides are known, a window opens", **GIVEN,
                        actions=known)  # fmt: skip
    refuse(found, base, "a lead before that window is over", "3", [*known, [0, "play 32=9S"]])
    refuse(found, base, "a double", "3.3", [*known, [0, "double"]])
    for about, seat in (("by a defender", 1), ("by the maker's side", 2)):
        others = [each for each in ALL if each != seat]
        asked = [*known, [seat, "spoilt"], *everybody("ready", *others)]
        found.accept("rules.play", f"spoilt trumps {about}", strange=True, **GIVEN, actions=asked)
    whole = told("maharashtra; +last_trick; +divide_by_ten", HANDS, bought
                 + "EKH N9H W8C SJH SJS E7S NJC WJD SAS E8S N9C W9D STS EQS NAC WAD "
                 "S9S EKS NTC WTD S8D EQH N8H WQD WKD S7D ETH N7H WQC S7C EAH NKC")  # fmt: skip
    found.accept(
        "rules.play",
        "a whole hand of a called partner, with the last trick",
        strange=True,
        agreement="maharashtra; +last_trick; +divide_by_ten",
        dealer=0,
        actions=whole,
    )


MARRIED: Final = "ASJH8S7S.AHTHKHQH JC9CACTC.KCQC7H9H JD9DADTD.KDQD8H8C JS9SKSQS.TS7D8D7C"


def _marriages(found: Collector) -> None:
    agreement = "maharashtra; +marriages"
    given = {"agreement": agreement, "dealer": 0}
    bought = "E- N- W- S- E- N- W- S250 E- N- W- S*9S SwithJC Sopen "

    def play(moves: str, rules: str = agreement) -> list[Said]:
        return told(rules, MARRIED, bought + moves)

    first = play("EKH N7H W8H STS SJS E7S NJC WTD")
    # South holds king and queen of spades, North those of clubs; both are one side now.
    _pair(found, given, first)


def _pair(found: Collector, given: dict[str, Any], before: list[Said]) -> None:
    south, north = "marriage 34=KS 35=QS", "marriage 100=KC 101=QC"
    base = found.accept("rules.play", "both of a side show king and queen", **given,
                        actions=[*before, [0, south], [2, north]])  # fmt: skip
    for about, rule, said in (
        ("queen before king", "3.2", [[0, "marriage 35=QS 34=KS"]]),
        ("nothing", "3.2", [[0, "marriage"]]),
        ("king and queen of two suits", "3.2", [[0, "marriage 34=KS 35=QH"]]),
        ("a king alone", "3.2", [[0, "marriage 34=KS"]]),
        ("another seat's slots", "S1", [[0, north]]),
        ("by a defender", "3.2", [[3, "marriage 132=KD 133=QD"]]),
        ("the same suit twice in a window", "3.2", [[0, f"{south} 34=KS 35=QS"]]),
        ("suits in another order", "3.2", [[2, "marriage 100=KC 101=QC 102=KD 103=QD"]]),
    ):
        refuse(found, base, f"a marriage: {about}", rule, [*before, *said])
    again = [*before, [0, south], *everybody("ready", 1, 2, 3)]
    found.accept("rules.play", "a marriage of trumps", **given, actions=again)


# --- cards shown in turn --------------------------------------------------------------------------

IN_TURN: Final = "pagat; pre_show_card = in a trick too"
DEAL: Final = "JS9SASTS.KSJH9HAH QSKH8D7D.JCQD8C7C 8STHQHJD.9DADTDKD 7S8H7H9C.ACTCKCQC"
EAST: Final = "E160 N- W- S- E*JS E- N- W- S- Eopen "
CERTAIN: Final = "JS9SASTS.KSJH8D7D QS8SKDQD.ADKCQC9H JD9DTDTH.JC9CACTC 7SAHKHQH.8H7H8C7C"
PLAYED: Final = (
    "EJS NQS WJC S7S E9S N8S W9C S7C EAS NKC WAC S8C ETS NQC WTC S7H "
    "E8D NQD WJD S8H W9D SQH E7D NKD "
)


def _shown_in_turn(found: Collector) -> None:
    given = {"agreement": IN_TURN, "dealer": 0}
    before = told(IN_TURN, DEAL, EAST + "EJS NQS")
    shown = told(IN_TURN, DEAL, EAST + "EJS NQS Wshow!8S")
    slot = shown[-1][1].partition(" ")[2].partition("=")[0]
    base = found.accept("rules.play", "the third seat shows what it will play", **given,
                        actions=shown)  # fmt: skip
    quiet = [*shown, *everybody("ready", *ALL)]
    found.accept("rules.play", "the window is over, in the middle of the trick", **given,
                 actions=quiet)  # fmt: skip
    found.accept("rules.play", "the card that was shown is played", **given,
                 actions=[*quiet, [3, f"play {slot}=8S"]])  # fmt: skip
    other = next(each for each in range(128, 136) if each != int(slot))
    for about, rule, actions in (
        ("by a seat that is not on turn", "3", [*before, [0, "show 32=7S"]]),
        ("another card is played then", "9", [*quiet, [3, f"play {other}=TH"]]),
        ("another card is shown then", "8", [*quiet, [3, f"show {other}=TH"]]),
        ("a card shown in the window of another one's", "8", [*shown, [0, "show 32=7S"]]),
        ("the card that was led", "S1", [*before, [3, f"show {slot}=JS"]]),
        ("another seat's card", "S1", [*before, [3, "show 32=8S"]]),
        ("the next card before the window is over", "3", [*shown, [3, f"play {slot}=8S"]]),
    ):
        refuse(found, base, f"shown in turn: {about}", rule, actions)
    found.accept("rules.play", "off the suit: none of the rest is of it", strange=True, **given,
                 actions=[*before, [3, f"show {other}=TH"]])  # fmt: skip
    found.accept("rules.play", "a lead is shown", strange=True, **given,
                 actions=told(IN_TURN, DEAL, EAST + "Eshow!9S"))  # fmt: skip
    for agreement in ("pagat", "pagat; +pre_show"):
        logs = told(agreement, DEAL, EAST + "EJS NQS")
        base = found.accept("rules.play", f"{agreement}: two cards", agreement=agreement, dealer=0,
                            actions=logs)  # fmt: skip
        refuse(
            found, base, f"{agreement}: a card shown in turn", "8", [*logs, [3, f"show {slot}=8S"]]
        )
    closed = "E160 N- W- S- E*JS E- N- W- S- Eclosed "
    hidden = [*told(IN_TURN, DEAL, closed + "EJH NKH WTH S8H"), *everybody("ready", *ALL)]
    base = found.accept("rules.play", "trump is hidden", **given, actions=hidden)
    refuse(
        found,
        base,
        "shown in turn: by a maker with hidden trump",
        "8",
        [*hidden, [1, "show 64=9S"]],
    )
    lost = [*told(IN_TURN, DEAL, EAST + "E9H NKH WQH S8H"), *everybody("ready", *ALL)]
    base = found.accept("rules.play", "a team has lost a trick", **given, actions=lost)
    missed = told(IN_TURN, DEAL, EAST + "E9H NKH WQH S8H EKS NQS W8S S7S EJS")
    refuse(
        found,
        base,
        "shown in turn: by a team that has lost a trick",
        "13.4",
        [*missed, [2, "show 96=7D"]],
    )
    sure = f"{IN_TURN}; exhausted_trumps = no"
    for about, moves in (
        ("caps that a shown lead made sure", "Wshow!TD Ecaps:KSJH Naccept Saccept"),
        ("caps that nobody called then", "Wshow!TD WTD SKH EKS NAD EJH N9H WTH SAH"),
        ("no card is shown, no order is sure", "WTD SKH EKS NAD EJH N9H WTH SAH"),
    ):
        found.accept("rules.play", about, agreement=sure, dealer=0, strange=True,
                     actions=told(sure, CERTAIN, EAST + PLAYED + moves))  # fmt: skip


CATEGORIES = (called,)
