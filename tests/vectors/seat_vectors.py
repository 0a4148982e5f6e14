"""Vectors of 304 at six and eight seats: agreements, public play, prices, matches, caps."""

from __future__ import annotations

from typing import Any, Final

from p2p304.rules304.profiles import PROFILES
from tests.vectors.collect import Collector
from tests.vectors.played_hands import Said, everybody, refuse, told
from tests.vectors.table_scores import (
    MORE,
    caps_of_more_seats,
    matches_of_more_seats,
    prices_of_more_seats,
)

SIX: Final = (0, 1, 2, 3, 4, 5)
EIGHT: Final = (*SIX, 6, 7)


def seats() -> Collector:
    """Collect all of it."""
    found = Collector("rules-seats", "304 at six and eight seats (rules 1 to 14)")
    _agreements(found)
    for name in MORE:
        _dealing(found, name)
    _auctions(found)
    _second_auctions(found)
    _windows(found)
    _whole(found)
    prices_of_more_seats(found)
    matches_of_more_seats(found)
    caps_of_more_seats(found)
    return found


# --- agreements -----------------------------------------------------------------------------------


def _agreements(found: Collector) -> None:
    for name in MORE:
        found.accept("agreement.expand", f"profile {name}", agreement=name)
    for about, text in (
        ("house rules at six seats", "six24; +bank_scoring; +external_caps_eight; +caps_strict"),
        ("and at eight", "eight32; +show_maker_discard; +pre_show; +table_chat"),
        ("cards shown in a trick too", "six36; pre_show_card = in a trick too"),
        ("all points of the pack may be bid", "tamil504; bid_max = 504"),
        ("of the other one too", "tamil904; bid_max = 904; open_after_trick1_from = 905"),
        ("five above the middle bracket", "tamil504; +step5_from_200; bracket_middle = 300"),
        ("six seats with the cards of eight", "eight32; deck = 24: 9-A"),
        ("one circuit of six seats", "six36; auction4_end = one circuit"),
        ("six36 by its parameters", "pagat; deck = 36: 6-A; deal_batches = 4 + 2; "
         "auction4_end = all others pass in a row; caps_bonus_before = 5"),
        ("four seats of another pack's profile", "six24; deck = 32: 7-A; deal_batches = 4 + 4; "
         "auction4_end = three passes in a row; opening_bid_forced = no; caps_bonus_before = 8"),
    ):  # fmt: skip
        found.accept("agreement.expand", about, agreement=text, strange=True)
    base = found.rows[0]["id"]
    for about, text in (
        ("half court at six seats", "six24; +half_court"),
        ("the same as a parameter", "six36; half_court = yes"),
        ("one call each at eight", "eight32; +alpha_bidding"),
        ("a forced opening as a house rule", "tamil504; +forced_open"),
        ("a pack that cannot be dealt so", "six24; deck = 36: 6-A"),
        ("batches of four for six seats", "six24; deal_batches = 4 + 4"),
        ("a pack of four that six would have", "pagat; deck = 24: 9-A"),
        ("another pack alone", "pagat; deck = 36: 6-A; deal_batches = 4 + 2"),
        ("three passes among six", "six36; auction4_end = three passes in a row"),
        ("all others among four", "pagat; auction4_end = all others pass in a row"),
        ("more than all points of the pack", "six24; bid_max = 305"),
        ("more than all points of 504", "tamil504; bid_max = 505"),
        ("a bonus after the last trick", "six24; caps_bonus_before = 5"),
        ("brackets the wrong way round", "tamil904; bracket_top = 580"),
        ("the lowest bid off its step", "tamil504; bid_min = 265"),
        ("asking that was not agreed", "six24; +redeal_private"),
        ("Partner Close Caps without a second auction", "eight32; pcc = yes"),
        ("double at six seats", "six36; caps_model = off; double = yes"),
        ("a called partner at six seats", "six24; partners = called card"),
    ):  # fmt: skip
        found.reject(base, about, "agreement", agreement=text)


# --- public play ----------------------------------------------------------------------------------


def _given(agreement: str, dealer: int = 0) -> dict[str, Any]:
    return {"agreement": agreement, "dealer": dealer}


def _dealing(found: Collector, name: str) -> None:
    profile = PROFILES[name]
    count, pack = profile.seats, len(profile.deck.cards)
    for dealer in (0, count - 1):
        left = (dealer + count - 1) % count
        about = f"{name}: dealer {dealer}, the last card cut off"
        base = found.accept("rules.play", about, **_given(name, dealer), strange=True,
                            actions=[[left, f"cut {pack - 1}"]])  # fmt: skip
    refuse(found, base, f"{name}: a cut of the whole pack", "4", [[left, f"cut {pack}"]])
    refuse(found, base, f"{name}: a cut by the dealer", "3", [[dealer, "cut 1"]])


def bought(profile: str, bid: str = "") -> list[Said]:
    """Return an auction in which all pass but the first speaker, South-East."""
    agreed = PROFILES[profile.split(";")[0]]
    others = [*range(2, agreed.seats), 0]
    cut = [agreed.seats - 1, "cut 0"]
    return [cut, [1, bid or f"bid {agreed.bid_min}"], *everybody("pass", *others)]


def _auctions(found: Collector) -> None:
    cut6, cut8 = [5, "cut 0"], [7, "cut 0"]
    six24 = found.accept("rules.play", "six24: the first speaker bids 200", **_given("six24"),
                         actions=[cut6, [1, "bid 200"]])  # fmt: skip
    for about, rule, said in (
        ("the first speaker passes", "5.4", [[1, "pass"]]),
        ("190", "5.2.2", [[1, "bid 190"]]),
        ("asking", "5.3", [[1, "ask-seat 3"]]),
        ("a redeal", "5.5", [[1, "redeal 0=9S 1=9H 2=9D"]]),
        (
            "over a partner, below the other one",
            "5.2.2",
            [[1, "bid 220"], *everybody("pass", 2), [3, "bid 210"]],
        ),
        ("the second speaker of six out of turn", "3", [[1, "bid 200"], [3, "bid 210"]]),
    ):
        refuse(found, six24, f"six24: {about}", rule, [cut6, *said])
    found.accept("rules.play", "eight32: seven pass after the first bid", **_given("eight32"),
                 actions=bought("eight32"))  # fmt: skip
    eight = found.accept("rules.play", "eight32: six pass, the dealer still speaks",
                         **_given("eight32"), actions=bought("eight32")[:-1])  # fmt: skip
    refuse(found, eight, "eight32: the indicator before the last pass", "3",
           [*bought("eight32")[:-1], [1, "indicator 0"]])  # fmt: skip
    six36 = found.accept(
        "rules.play",
        "six36: the second partner is asked, and bids",
        **_given("six36"),
        actions=[cut6, [1, "ask-seat 5"], [5, "bid 160"]],
    )
    for about, said in (
        ("all pass", everybody("pass", 1, 2, 3, 4, 5, 0)),
        ("a partner goes over 160 with 200", [[1, "bid 160"], [2, "pass"], [3, "bid 200"]]),
        (
            "a partner that stands highest is passed over",
            [
                [1, "bid 160"],
                [2, "bid 170"],
                *everybody("pass", 3),
                [4, "bid 200"],
                *everybody("pass", 5, 0),
                [1, "bid 210"],
            ],
        ),
        (
            "one partner is asked while the other stands highest",
            [[1, "bid 160"], [2, "pass"], [3, "ask-seat 5"], [5, "bid 200"]],
        ),
        ("a redeal of four of six cards", [[1, "redeal 0=6S 1=6H 2=6D 3=KC"]]),
    ):
        found.accept("rules.play", f"six36: {about}", **_given("six36"), strange=True,
                     actions=[cut6, *said])  # fmt: skip
    for about, rule, said in (
        ("asking without a name", "5.3", [[1, "ask"]]),
        ("asking an opponent", "5.3", [[1, "ask-seat 2"]]),
        ("asking oneself", "5.3", [[1, "ask-seat 1"]]),
        ("asking a seat that there is not", "5.3", [[1, "ask-seat 7"]]),
        (
            "asking the partner that stands highest",
            "5.3",
            [[1, "bid 160"], [2, "pass"], [3, "ask-seat 1"]],
        ),
        ("an asked partner asks on", "5.3", [[1, "ask-seat 3"], [3, "ask-seat 5"]]),
        (
            "a partner's bid is raised below 200",
            "5.2.4",
            [[1, "bid 160"], [2, "pass"], [3, "bid 170"]],
        ),
        (
            "the other partner's too",
            "5.2.4",
            [[1, "bid 160"], *everybody("pass", 2, 3, 4), [5, "bid 190"]],
        ),
        ("the asked seat is not the one that speaks", "3", [[1, "ask-seat 3"], [5, "bid 160"]]),
        ("a redeal that counts 16", "5.5", [[1, "redeal 0=AS 1=KH 2=QD 3=6C"]]),
    ):
        refuse(found, six36, f"six36: {about}", rule, [cut6, *said])
    pair = found.accept("rules.play", "pagat: one partner is asked", **_given("pagat"),
                        actions=[[3, "cut 0"], [1, "ask"], [3, "pass"]])  # fmt: skip
    refuse(found, pair, "pagat: one partner is asked by its number", "5.3",
           [[3, "cut 0"], [1, "ask-seat 3"]])  # fmt: skip
    tamil = found.accept("rules.play", "tamil504: a partner goes over 260 with 330",
                         **_given("tamil504"),
                         actions=[cut6, [1, "bid 260"], [2, "pass"], [3, "bid 330"]])  # fmt: skip
    for about, rule, said in (
        (
            "a partner goes over 260 with 320",
            "5.2.4",
            [[1, "bid 260"], [2, "pass"], [3, "bid 320"]],
        ),
        ("510", "5.2.2", [[1, "bid 510"]]),
        ("200", "5.2.2", [[1, "bid 200"]]),
        ("asking", "5.3", [[1, "ask-seat 3"]]),
    ):
        refuse(found, tamil, f"tamil504: {about}", rule, [cut6, *said])
    tamil = found.accept("rules.play", "tamil904: a second turn begins at 590",
                         **_given("tamil904"), actions=[cut8, [1, "bid 460"],
                         *everybody("pass", 2, 3, 4, 5, 6, 7), [0, "bid 470"],
                         [1, "bid 590"]])  # fmt: skip
    refuse(found, tamil, "tamil904: a second turn with 580", "5.2.3", [cut8, [1, "bid 460"],
           *everybody("pass", 2, 3, 4, 5, 6, 7), [0, "bid 470"], [1, "bid 580"]])  # fmt: skip


def _second_auctions(found: Collector) -> None:
    for name, low in (("six36", 250), ("tamil504", 410), ("tamil904", 740)):
        before = [*bought(name), [1, "indicator 0"]]
        given = _given(name)
        base = found.accept("rules.play", f"{name}: a second auction, partners spared", **given,
                            actions=[*before, [1, "pass"], [2, f"bid {low}"]])  # fmt: skip
        found.accept("rules.play", f"{name}: the indicator is laid", **given, actions=before)
        count = PROFILES[name].seats
        found.accept("rules.play", f"{name}: all pass, and sort", **given, strange=True,
                     actions=[*before, *everybody("pass", *range(1, count), 0),
                              *everybody("sort", *range(count))])  # fmt: skip
        for about, rule, said in (
            ("too low", "7", [[1, f"bid {low - 10}"]]),
            (
                "a partner's number is raised",
                "3",
                [[1, f"bid {low}"], [2, "pass"], [3, f"bid {low + 20}"]],
            ),
            ("not above the standing one", "7", [[1, f"bid {low}"], [2, f"bid {low}"]]),
            ("asking", "3", [[1, "ask-seat 3"]]),
            ("out of turn", "3", [[2, f"bid {low}"]]),
        ):
            refuse(found, base, f"{name}: {about}", rule, [*before, *said])
        if not PROFILES[name].pcc:
            refuse(found, base, f"{name}: Partner Close Caps", "7", [*before, [1, "bid pcc"]])
    base = found.accept("rules.play", "six24: the indicator of three cards", **_given("six24"),
                        actions=[*bought("six24"), [1, "indicator 2"]])  # fmt: skip
    for about, rule, said in (
        ("a card of the next hand", "6", [1, "indicator 3"]),
        ("the card of the second batch", "6", [1, "indicator 18"]),
        ("a second auction", "3", [1, "bid 250"]),
    ):
        wrong = [*bought("six24"), said] if "card" in about else [
            *bought("six24"), [1, "indicator 2"], said]  # fmt: skip
        refuse(found, base, f"six24: {about}", rule, wrong)


SORTED: Final = [*bought("six24"), [1, "indicator 0"], *everybody("sort", *SIX)]
CLOSED: Final = [*SORTED, [1, "closed"]]
ORDER: Final = "48=9C 49=AC 50=TC 0=JH"
CALLED: Final = [*CLOSED, [1, f"caps {ORDER}"], *everybody("ready", 0, 2, 3, 4, 5)]
CUT: Final = [*CLOSED, *everybody("ready", *SIX), [1, "play 48=9C"], [2, "play 72=QC"],
              [3, "down 96"], [4, "down 120"], [5, "play 144=JC"], [0, "down 24"]]  # fmt: skip
"""Three of six have laid a card face down, two of them opponents of the maker."""


def _windows(found: Collector) -> None:
    given = _given("six24")
    base = found.accept("rules.play", "six24: five of six are ready", **given,
                        actions=[*CLOSED, *everybody("ready", *SIX[:5])])  # fmt: skip
    for about, rule, said in (
        (
            "a lead before the last of six is ready",
            "3",
            [*everybody("ready", *SIX[:5]), [1, "play 48=9C"]],
        ),
        ("a seventh seat", "3", [[6, "ready"]]),
        ("caps of three of four cards", "13.4", [[1, "caps 48=9H 49=AH 50=TH"]]),
        ("caps with a card that no pack of six has", "1", [[1, "caps 48=8H 49=AH 50=TH 0=JH"]]),
        ("a card is shown, which was not agreed", "8", [[2, "show 72=JH"]]),
    ):
        refuse(found, base, f"six24: {about}", rule, [*CLOSED, *said])
    for about, said in (
        ("two opponents have answered", [[0, "accept"], [4, "accept"]]),
        ("one of three contests", [[0, "accept"], [2, "contest"], [4, "accept"]]),
        ("all three concede", everybody("accept", 0, 2, 4)),
    ):
        base = found.accept("rules.play", f"six24, caps: {about}", **given, strange=True,
                            actions=[*CALLED, *said])  # fmt: skip
    for about, rule, said in (
        ("a partner of the caller answers", "3", [[3, "accept"]]),
        ("an opponent answers twice", "3", [[2, "accept"], [2, "accept"]]),
        (
            "the next card before the third answer",
            "3",
            [[0, "accept"], [2, "contest"], [1, "play 48=9C"]],
        ),
    ):
        refuse(found, base, f"six24, caps: {about}", rule, [*CALLED, *said])
    wrong = [*CALLED, [0, "accept"], [2, "contest"], [4, "accept"]]
    base = found.accept("rules.play", "six24, contested: the order's first card", **given,
                        actions=[*wrong, [1, "play 48=9C"]])  # fmt: skip
    for about, rule, said in (
        ("its second", "13.4", [[1, "play 49=AC"]]),
        (
            "a card face down by the fourth seat",
            "13.4",
            [[1, "play 48=9C"], [2, "play 72=QC"], [3, "play 96=KC"], [4, "down 120"]],
        ),
    ):
        refuse(found, base, f"six24, contested: {about}", rule, [*wrong, *said])
    found.accept("rules.play", "six24: three cards face down, none of them of the maker's", **given,
                 actions=CUT)  # fmt: skip
    found.accept(
        "rules.play", "six24: none of them is a trump", **given, actions=[*CUT, [1, "none"]]
    )
    base = found.accept("rules.play", "six24: one of three is a trump", **given,
                        actions=[*CUT, [1, "trump 96=9H 120=AS 24=KS 0=JH"]])  # fmt: skip
    for about, rule, said in (
        ("a card of the three is left out", "10.2", [1, "trump 96=9H 120=AS 0=JH"]),
        ("in another order", "10.2", [1, "trump 120=AS 96=9H 24=KS 0=JH"]),
        ("no trump among them", "10.2", [1, "trump 96=9S 120=AS 24=KS 0=JH"]),
        ("by the partner", "3", [3, "none"]),
    ):
        refuse(found, base, f"six24, inspection: {about}", rule, [*CUT, said])
    spoilt = [*CLOSED, [2, "spoilt"], *everybody("ready", 0, 1, 3, 4, 5), [1, "show-indicator JH"]]
    base = found.accept("rules.play", "six24: all three defenders deny a trump", **given,
                        actions=[*spoilt, *everybody("no-trump", 0, 2, 4)])  # fmt: skip
    found.accept(
        "rules.play",
        "six24: the third shows one",
        **given,
        strange=True,
        actions=[*spoilt, *everybody("no-trump", 0, 2), [4, "one-trump 120=9H"]],
    )
    for about, rule, said in (
        ("a partner of the maker answers", "3", [5, "no-trump"]),
        ("a card of another suit", "12", [4, "one-trump 120=9S"]),
        ("another defender's card", "12", [4, "one-trump 72=9H"]),
    ):
        refuse(found, base, f"six24, spoilt trumps: {about}", rule, [*spoilt, said])
    pcc = [*bought("six36"), [1, "indicator 0"], [1, "bid pcc"], *everybody("sort", *SIX),
           [1, "indicator 72"], [1, "closed"], *everybody("ready", *SIX)]  # fmt: skip
    played = [[1, "play 73=JS"], [2, "play 108=7S"], [4, "play 180=8S"], [0, "play 36=9S"]]
    base = found.accept("rules.play", "six36: both partners sit out Partner Close Caps",
                        **_given("six36"), actions=[*pcc, *played])  # fmt: skip
    for about, rule, said in (
        ("the first partner follows", "3", [*played[:2], [3, "play 144=8S"]]),
        ("the second leads", "3", [[5, "play 216=JS"]]),
        ("the next lead is an opponent's", "3", [*played, [2, "play 109=8H"]]),
        ("a call of caps", "14.2", [[1, "caps"]]),
    ):
        wrong = [*pcc[:-6], *said] if "caps" in about else [*pcc, *said]
        refuse(found, base, f"six36, Partner Close Caps: {about}", rule, wrong)


# --- whole hands ----------------------------------------------------------------------------------

SIX24: Final = "JH9HAH.TH KHQHJS.9S ASTSKS.QS JD9DAD.TD KDQDJC.9C ACTCKC.QC"
OPENED: Final = "SE200 NE- N- NW- SW- S- SE*JH SEopen "
TRICKS: Final = (
    "SEJH NEQH NQS NWTD SWKD SQC", "SE9H NEKH NKS NWAD SWQD SKC",
    "SEAH NE9S NTS NW9D SWJC STC", "SETH NEJS NAS NWJD SW9C SAC",
)  # fmt: skip
SIX36: Final = "JS9SASTS.KSQS 8S7S6SJH.9HAH THKHQH8H.7H6H JD9DADTD.KDQD 8D7D6DJC.9CAC TCKCQC8C.7C6C"


def _whole(found: Collector) -> None:
    for about, agreement, deal, moves in (
        ("caps that nobody called", "six24", SIX24, OPENED + " ".join(TRICKS)),
        ("caps conceded at once", "six24", SIX24,
         OPENED + "SEcaps:JH9HAHTH Saccept NEaccept NWaccept"),
        ("caps in time for the bonus", "six24; +caps_late_free", SIX24,
         OPENED + " ".join(TRICKS[:2]) + " SEcaps:AHTH Saccept NEaccept NWaccept"),
        ("caps too late for it", "six24; +caps_late_free", SIX24,
         OPENED + " ".join(TRICKS[:3]) + " SEcaps:TH Saccept NEaccept NWaccept"),
        ("caps too late", "six24", SIX24,
         OPENED + " ".join(TRICKS[:2]) + " SEcaps:AHTH Saccept NEaccept NWaccept"),
        ("caps in an order that is not sure", "six24", SIX24,
         OPENED + "SEcaps:THAH9HJH Saccept NEaccept NWaccept"),
        ("Partner Close Caps made", "six36", SIX36,
         "SE160 NE- N- NW- SW- S- SE*JS SEpcc SE*JS SEopen SEJS NE8S NWQD S6C "
         "SE9S NE7S NWKD S7C SEAS NE6S NWTD S8C SETS NEJH NWAD SQC SEKS NE9H NW9D SKC "
         "SEQS NEAH NWJD STC"),
        ("a false call of spoilt trumps", "six36", SIX36,
         "SE160 NE- N- NW- SW- S- SE*JS SE- NE- N- NW- SW- S- SEopen Nspoilt NEtrump8S"),
    ):  # fmt: skip
        found.accept("rules.play", f"{agreement}: {about}", **_given(agreement), strange=True,
                     actions=told(agreement, deal, moves))  # fmt: skip


CATEGORIES = (seats,)
