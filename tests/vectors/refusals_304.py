"""Vectors of what the rules of 304 refuse, beside what they allow at the same place, and of
hands whose end is a verdict on caps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from cli.conformance.hands import SAVED_HANDS
from p2p304.rules304.action_text import format_action
from protocol.ledger.hand import HandPlay
from protocol.places import Lane, LedgerName
from tests.vectors.collect import Collector

Said = list[Any]
EVERYBODY: Final = (0, 1, 2, 3)
CUT: Final = [3, "cut 0"]
"""South deals: East has the slots 0 to 3 and 16 to 19, speaks first and leads."""


def everybody(word: str, *others: int) -> list[Said]:
    """Return what the named seats say, or all: the same."""
    return [[seat, word] for seat in others or EVERYBODY]


def bid_and_won(bid: str = "bid 160") -> list[Said]:
    """Return an auction in which nobody goes over the bid of East."""
    return [CUT, [1, bid], *everybody("pass", 2, 3, 0)]


EIGHT: Final = [*bid_and_won(), [1, "indicator 0"]]
"""Eight cards in every hand, the second auction begins."""
SORTED: Final = [*EIGHT, *everybody("pass", 1, 2, 3, 0), *everybody("sort")]
CLOSED: Final = [*SORTED, [1, "closed"]]
"""The window before the first trick, trump hidden."""
TRICK: Final = [*CLOSED, *everybody("ready")]
OPEN: Final = [*SORTED, [1, "open JC"], *everybody("ready")]
"""The first lead, trump open: clubs."""
HEARTS: Final = [f"{slot}={card}" for slot, card in zip(
    range(64, 71), ("JH", "9H", "AH", "TH", "KH", "QH", "8H"), strict=True)]  # fmt: skip
CAPS: Final = " ".join(["caps", *HEARTS, "0=JC"])
CALLED: Final = [*CLOSED, [1, CAPS], *everybody("ready", 0, 2, 3)]
CONTESTED: Final = [*CALLED, [0, "contest"], [2, "accept"]]
INSPECT: Final = [*TRICK, [1, "play 64=7H"], [2, "down 96"], [3, "play 128=8H"], [0, "play 32=9H"]]
"""North has laid a card face down; East is to look at it."""


def refusals() -> Collector:
    """Collect what is refused, by what it is about."""
    found = Collector(
        "refusals", "304: what the rules refuse, place by place; caps at a hand's end"
    )
    for about, agreement, before, then, wrong in PLACES:
        base = found.accept("rules.play", f"{about}: {then[-1][1]}", agreement=agreement, dealer=0,
                            strange=agreement != "pagat" or len(then) > 1,
                            actions=[*before, *then])  # fmt: skip
        for what, rule, said in wrong:
            found.reject(base, f"{about}: {what}", "action.rule", actions=[*before, *said])
            told = found.rows[-1].get("rule")
            assert told == rule, f"{about}: {what}: rule {told}, not {rule}"
    _counts(found)
    _judged(found)
    return found


Wrong = tuple[str, str, list[Said]]
"""What it is, the rule that refuses it, and what is said."""

PLACES: Final[tuple[tuple[str, str, list[Said], list[Said], tuple[Wrong, ...]], ...]] = (
    ("a four-card auction", "pagat", [CUT], [[1, "bid 160"], [2, "bid 170"]], (
        ("a seat that has spoken bids below 200", "5.2.3", [
            [1, "bid 160"], [2, "bid 170"], [3, "pass"], [0, "pass"], [1, "bid 180"]]),
        ("an eight-card contract", "5.2", [[1, "bid 160"], [2, "bid pcc"]]),
        ("asking while the partner stands highest", "5.3", [
            [1, "bid 160"], [2, "pass"], [3, "ask"]]),
        ("asking back", "5.3", [[1, "ask"], [3, "ask"]]),
        ("a redeal by the second speaker", "5.5", [
            [1, "pass"], [2, "redeal 4=7C 5=7D 6=7H 7=7S"]]),
        ("a redeal by an asked partner", "5.5", [
            [1, "ask"], [3, "redeal 8=7C 9=7D 10=7H 11=7S"]]),
        ("a redeal with cards in another order", "5.5", [[1, "redeal 1=7D 0=7C 2=7H 3=7S"]]),
        ("a card that no pack of four has", "1", [[1, "redeal 0=2C 1=7D 2=7H 3=7S"]]),
        ("the indicator before the auction's end", "3", [[1, "indicator 0"]]),
    )),
    ("a forced opening", "championship", [CUT], [[1, "bid 160"]], (
        ("the first speaker passes", "5.4", [[1, "pass"]]),
        ("an asked partner passes", "5.4", [[1, "ask"], [3, "pass"]]),
    )),
    ("half court", "pagat; +half_court", [CUT], [[1, "bid 160"], [2, "bid half_court"]], (
        ("a number after it", "3", [[1, "bid half_court"], [2, "bid 300"]]),
        ("half court with eight cards", "7", [
            *everybody("pass", 1, 2, 3), [0, "bid 160"], *everybody("pass", 1, 2, 3),
            [0, "indicator 12"], [0, "bid half_court"]]),
        ("caps in it", "14.2", [[1, "bid half_court"], [1, "indicator 0"], *everybody("sort"),
            [1, "caps"]]),
        ("trump opened in it", "3", [[1, "bid half_court"], [1, "indicator 0"],
            *everybody("sort"), [1, "open JC"]]),
        ("spoilt trumps in it", "12", [[1, "bid half_court"], [1, "indicator 0"],
            *everybody("sort"), [1, "spoilt"]]),
    )),
    ("a redeal without showing", "pagat; +redeal_private", [CUT], [[1, "redeal"]], (
        ("cards are shown", "5.5", [[1, "redeal 0=7C 1=7D 2=7H 3=7S"]]),
    )),
    ("the indicator", "pagat", bid_and_won(), [[1, "indicator 3"]], (
        ("a card of another hand", "6", [[1, "indicator 4"]]),
        ("a card that is not dealt yet", "6", [[1, "indicator 16"]]),
        ("by another seat", "3", [[2, "indicator 4"]]),
        ("a bid after the auction", "3", [[2, "bid 170"]]),
    )),
    ("an eight-card auction", "pagat", EIGHT, [[1, "pass"], [2, "bid 250"]], (
        ("below 250", "7", [[1, "pass"], [2, "bid 240"]]),
        ("above the highest", "7.1", [[1, "pass"], [2, "bid 310"]]),
        ("no multiple of the step", "7.1", [[1, "pass"], [2, "bid 255"]]),
        ("what the other team has bid", "7", [[1, "pass"], [2, "bid 250"], [3, "bid 250"]]),
        ("asking the partner", "3", [[1, "ask"]]),
        ("out of turn", "3", [[2, "bid 250"]]),
    )),
    ("eight cards after 250", "pagat", [*bid_and_won("bid 250"), [1, "indicator 0"]],
     [[1, "pass"], [2, "bid 260"]], (
        ("the four-card bid once more", "7", [[1, "pass"], [2, "bid 250"]]),
    )),
    ("no Partner Close Caps", "pagat; pcc = no", EIGHT, [[1, "bid 250"]], (
        ("Partner Close Caps", "7", [[1, "bid pcc"]]),
    )),
    ("Partner Close Caps", "pagat", [*EIGHT, [1, "bid pcc"], *everybody("sort"),
     [1, "indicator 64"], [1, "closed"]], everybody("ready"), (
        ("a call of caps", "14.2", [[1, "caps"]]),
        ("a lead by the partner", "3", [*everybody("ready"), [3, "play 128=JS"]]),
        ("the partner follows", "3", [*everybody("ready"), [1, "play 65=JS"], [2, "play 96=7S"],
            [3, "play 128=8S"]]),
    )),
    ("open or closed", "pagat", SORTED, [[1, "open JC"]], (
        ("by another seat", "3", [[2, "open JC"]]),
        ("a card that the pack has not", "1", [[1, "open 2C"]]),
        ("a lead before it", "3", [[1, "play 64=JH"]]),
        ("a window before it", "3", [[1, "ready"]]),
    )),
    ("the first window", "pagat", CLOSED, everybody("ready"), (
        ("a seat speaks twice", "3", [[0, "ready"], [0, "ready"]]),
        ("a card is led in it", "3", [[1, "play 64=JH"]]),
        ("a card is shown, which was not agreed", "8", [[2, "show 96=JH"]]),
        ("an answer to no call", "3", [[2, "accept"]]),
        ("a denial of no call", "3", [[2, "no-trump"]]),
    )),
    ("no caps", "card304-alpha", [[1, "bid 160"], *everybody("pass", 2, 3, 0), [1, "indicator 0"],
     *everybody("sort")], everybody("ready"), (
        ("a call of caps", "13", [[1, "caps"]]),
        ("trump opened", "3", [[1, "open JC"]]),
    )),
    ("no spoilt trumps", "pagat; spoilt_trumps = no", CLOSED, everybody("ready"), (
        ("a call of them", "12", [[2, "spoilt"]]),
    )),
    ("showing", "pagat; +pre_show", CLOSED, [[2, "show 96=JH"], *everybody("ready", 0, 1, 3)], (
        ("by a maker with hidden trump", "8", [[1, "show 64=JH"]]),
        ("another seat's card", "S1", [[2, "show 128=JH"]]),
        ("a card that another one has shown", "S1", [[2, "show 96=JH"], [3, "show 128=JH"]]),
        ("a lead, with the shown card kept back", "9", [
            [2, "show 96=7H"], *everybody("ready", 0, 1, 3), [1, "play 64=8H"],
            [2, "play 97=9H"]]),
    )),
    ("a card seen before", "pagat; +pre_show", [*CLOSED, [2, "show 96=JS"],
     *everybody("ready", 0, 1, 3), [1, "play 64=7H"], [2, "play 97=8H"], [3, "play 128=9H"],
     [0, "play 32=TH"]], [[2, "ready"]], (
        ("is shown again", "8", [[2, "show 96=JS"]]),
    )),
    ("the first lead", "pagat", TRICK, [[1, "play 64=7H"]], (
        ("by another seat", "3", [[2, "play 96=7H"]]),
        ("face down", "9", [[1, "down 64"]]),
        ("another seat's card", "S1", [[1, "play 96=7H"]]),
        ("a slot of the deck that was sorted away", "S1", [[1, "play 16=7H"]]),
        ("a card that the pack has not", "1", [[1, "play 64=2H"]]),
        ("the indicator", "9.3", [[1, "play 0=JC"]]),
        ("all trumps, where trump may be opened", "8", [[1, "play 64=7H all-trumps"]]),
        ("trump opened by another seat", "8", [[2, "open JC"]]),
    )),
    ("following", "pagat", [*TRICK, [1, "play 64=7H"]], [[2, "down 96"]], (
        ("off the suit face up, trump hidden", "9.2", [[2, "play 96=JS"]]),
        ("the card that was led", "S1", [[2, "play 96=7H"]]),
        ("trump opened after the lead", "8", [[1, "open JC"]]),
        ("all trumps by a seat that does not lead", "8", [[2, "play 96=8H all-trumps"]]),
        ("another maker's indicator", "S1", [[2, "play 0=8H"]]),
        ("in another order", "3", [[3, "play 128=8H"]]),
        ("a claim in the middle by saying ready", "3", [[2, "ready"]]),
    )),
    ("trump open", "pagat", [*OPEN, [1, "play 64=7H"]], [[2, "play 96=JS"]], (
        ("a card face down", "9.1", [[2, "down 96"]]),
        ("the shown indicator's face in another slot", "S1", [[2, "play 96=JC"]]),
        ("the indicator as another card", "S1", [
            [2, "play 96=8H"], [3, "play 128=9H"], [0, "play 32=TH"], *everybody("ready"),
            [3, "play 129=AH"], [0, "play 33=KH"], [1, "play 0=QH"]]),
    )),
    ("a trump that nobody followed", "pagat; +pre_show", [*OPEN, [1, "play 64=9C"],
     [2, "play 96=7S"], [3, "play 128=7H"], [0, "play 32=7D"], *everybody("ready")],
     [[1, "play 65=8C"]], (
        ("another suit, with an open trump in the hand", "11.2", [[1, "play 65=AS"]]),
    )),
    ("a shown card of the suit that is led", "pagat; +pre_show", [*SORTED, [1, "open JC"],
     [3, "show 128=8H"], *everybody("ready", 0, 1, 2), [1, "play 64=7H"], [2, "play 96=9H"]],
     [[3, "play 128=8H"]], (
        ("a seat that is seen to hold it does not follow", "9", [[3, "play 129=AH"]]),
        ("nor plays another suit", "9", [[3, "play 129=AS"]]),
    )),
    ("an inspection", "pagat", INSPECT, [[1, "none"]], (
        ("by another seat", "3", [[2, "none"]]),
        ("a cut without the indicator", "10.2", [[1, "trump 96=9C"]]),
        ("a cut with a card that is not trump", "10.2", [[1, "trump 96=9S 0=JC"]]),
        ("a cut that names a card face up", "10.2", [[1, "trump 128=8H 0=JC"]]),
        ("a cut with a card twice", "S1", [[1, "trump 96=JC 0=JC"]]),
        ("the next lead before it", "3", [[0, "play 33=AH"]]),
    )),
    ("the indicator in the trick", "pagat", [*TRICK, [1, "play 64=7H"], [2, "play 96=8H"],
     [3, "play 128=9H"], [0, "play 32=TH"], *everybody("ready"), [3, "play 129=AS"],
     [0, "play 33=7S"], [1, "down 0"], [2, "play 97=8S"]], [[1, "trump 0=JC"]], (
        ("no cut is announced", "10.2", [[1, "none"]]),
        ("the indicator is of the suit led", "10.2", [[1, "trump 0=JS 97=8S"]]),
    )),
    ("the second trick", "pagat", [*TRICK, [1, "play 64=7H"], [2, "play 96=8H"],
     [3, "play 128=9H"], [0, "play 32=TH"]], everybody("ready"), (
        ("caps by a team that has lost a trick", "13.4", [[0, "caps"]]),
        ("a card of the first trick", "S1", [*everybody("ready"), [3, "play 128=9H"]]),
        ("the indicator follows suit", "9.3", [*everybody("ready"), [3, "play 129=JC"],
            [0, "play 33=7C"], [1, "play 0=8C"]]),
    )),
    ("trick 1 of a bid of 250", "pagat", [*bid_and_won("bid 250"), [1, "indicator 0"],
     *everybody("pass", 1, 2, 3, 0), *everybody("sort"), [1, "closed"], *everybody("ready"),
     [1, "play 64=7H"], [2, "play 96=8H"], [3, "play 128=9H"], [0, "play 32=TH"]],
     [[1, "show-indicator JC"]], (
        ("by another seat", "3", [[2, "show-indicator JC"]]),
        ("a card that has been played", "S1", [[1, "show-indicator 9H"]]),
        ("a window first", "3", [[1, "ready"]]),
    )),
    ("an answer to caps", "pagat", CALLED, [[0, "contest"], [2, "accept"]], (
        ("by the caller", "3", [[1, "accept"]]),
        ("twice", "3", [[0, "contest"], [0, "accept"]]),
        ("a card instead", "3", [[0, "play 32=7H"]]),
        ("a second call", "3", [[3, CAPS]]),
    )),
    ("contested caps", "pagat", CONTESTED, [[1, "play 64=JH"]], (
        ("another card than the order's first", "13.4", [[1, "play 65=9H"]]),
        ("a card face down", "13.4", [[1, "play 64=JH"], [2, "down 96"]]),
        ("the first card as another one", "S1", [[1, "play 64=9H"]]),
        ("caps once more", "13.4", [[3, "caps"]]),
    )),
    ("spoilt trumps are called", "pagat", [*CLOSED, [2, "spoilt"], *everybody("ready", 0, 1, 3)],
     [[1, "show-indicator JC"], [0, "no-trump"], [2, "no-trump"]], (
        ("the indicator by another seat", "3", [[2, "show-indicator JC"]]),
        ("the maker's partner answers", "3", [[1, "show-indicator JC"], [3, "no-trump"]]),
        ("a card that was not dealt to the seat", "12", [
            [1, "show-indicator JC"], [0, "one-trump 64=9C"]]),
        ("a card of another suit", "12", [[1, "show-indicator JC"], [0, "one-trump 32=9H"]]),
        ("the indicator's own face", "S1", [[1, "show-indicator JC"], [0, "one-trump 32=JC"]]),
        ("an answer twice", "3", [
            [1, "show-indicator JC"], [0, "no-trump"], [0, "no-trump"]]),
        ("a lead", "3", [[1, "play 64=JH"]]),
    )),
)  # fmt: skip


def _counts(found: Collector) -> None:
    """Collect what is refused when cards are opened at a hand's end, from a saved hand."""
    saved = SAVED_HANDS["closed"]
    machine = saved.rehearsed().table_state.replicas[LedgerName(Lane.HAND, 0)].machine
    assert isinstance(machine, HandPlay)
    log = [[int(seat), format_action(each)] for seat, each in machine.state.log]
    place = next(at for at, (_, text) in enumerate(log) if text.startswith("count"))
    before, (seat, text) = log[:place], log[place]
    base = found.accept("rules.play", "the count: the first opens its cards",
                        agreement=saved.agreement, dealer=int(machine.dealer),
                        actions=log[: place + 1])  # fmt: skip
    word, first, *more = text.split(" ")
    slot, card = first.split("=")
    seen = next(str(face) for face in machine.state.faces.values())
    other = next(each for each in EVERYBODY if each != seat)
    for about, said in (
        ("nothing is opened", [seat, word]),
        ("a card is left out", [seat, " ".join([word, *more])]),
        ("a card twice", [seat, " ".join([word, first, first, *more])]),
        ("a slot of the deck that nobody played", [seat, f"{word} 0={card}"]),
        ("a card that has been seen", [seat, " ".join([word, f"{slot}={seen}", *more])]),
        ("another seat opens them", [other, text]),
        ("another seat than the maker opens them for it", [other, f"count-for {first}"]),
        ("ready", [seat, "ready"]),
    ):
        found.reject(base, f"the count: {about}", "action.rule", actions=[*before, said])


JUDGED: Final = Path(__file__).parent / "judged_caps.json"
"""Hands of bots in which a verdict on caps is a part of the price."""


def _judged(found: Collector) -> None:
    for given in json.loads(JUDGED.read_text("ascii")):
        about = f"caps at a hand's end: {given.pop('about')}"
        found.accept("rules.play", about, strange=True, **given)


CATEGORIES = (refusals,)
