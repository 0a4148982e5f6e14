"""Vectors of 41 and 400: texts, public play, prices, matches, audits of saved deals."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from cli.conformance.hands import SAVED_HANDS, SavedHand
from cli.conformance.rehearsal import seeded
from cli.conformance.transcript_edits import Draft, body_of, signed
from p2p304.rules41.actions import PlayCard, format_action
from p2p304.rules41.hand import State
from protocol.encoding import Value
from protocol.places import Lane, LedgerName
from tests.vectors.collect import Collector, File

GAMES = ("41", "400")
DEALS = tuple(each for each in SAVED_HANDS.values() if each.game in GAMES)
Said = list[Any]
_RULES = ("floor_12", "target_44", "table_chat")
_AGREEMENTS = tuple(
    ",".join(each) for count in range(4) for each in itertools.combinations(_RULES, count)
)


def games() -> Collector:
    """All of it: what needs no keys first."""
    found = Collector("rules-41", "41 and 400: texts, public play, prices, matches (rules-41)")
    _texts(found)
    for game in GAMES:
        _auctions(found, game)
    for saved in DEALS:
        _play(found, saved)
    for game in GAMES:
        _prices(found, game)
        _matches(found, game)
    _audits(found)
    return found


def _texts(found: Collector) -> None:
    base = ""
    for text in ("cut 0", "cut 51", "sort", "bid 1", "bid 13", "play 61=9C", "play 0=2H"):
        base = found.accept("action.parse", f"41: {text}", game="41", text=text)
    for text in ("cut 9999", "bid 0", "bid 9999", "play 9999=AS"):
        found.accept("action.parse", f"written well: {text}", game="400", text=text, strange=True)
    for text in (
        *("", "pass", "ready", "ask", "closed", "caps", "spoilt", "down 61", "indicator 4"),
        *("sort 1", "cut", "cut 07", "cut -1", "cut 10000", "bid", "bid 05", "bid pcc", "Bid 5"),
        *("play", "play 61", "play 61=", "play 61=9c", "play 61=10C", "play 061=9C"),
        *("play 61=9C all-trumps", "play 61 =9C", "play 61=9C 62=8C", "open 9C", "bid 5 "),
    ):
        found.reject(base, f"no action of 41: {text!a}", "action.notation", text=text)
    for game in GAMES:
        for agreement in _AGREEMENTS:
            base = found.accept(
                "agreement.expand",
                f"{game} with {agreement or 'no house rule'}",
                game=game,
                agreement=agreement,
            )
        about = f"{game}: house rules in another order"
        found.accept(
            "agreement.expand", about, game=game, agreement="target_44,floor_12", strange=True
        )
        for agreement in (
            *("pagat", "floor_13", "pre_show", "floor_12,floor_12", "floor_12,", ",target_44"),
            *("floor_12, target_44", "floor_12;target_44", "+floor_12", "target_44 = yes"),
        ):
            about = f"{game}: no agreement {agreement!a}"
            found.reject(base, about, "agreement", agreement=agreement)


def _sorted(dealer: int, cut: int = 5) -> list[Said]:
    """The cut and all sorted: the bids are next."""
    return [[(dealer + 3) % 4, f"cut {cut}"], *([seat, "sort"] for seat in range(4))]


def _said(dealer: int, bids: tuple[int, ...]) -> list[Said]:
    return [
        *_sorted(dealer),
        *([(dealer + 1 + place) % 4, f"bid {bid}"] for place, bid in enumerate(bids)),
    ]


def _auctions(found: Collector, game: str) -> None:
    least = 1 if game == "41" else 2
    plain: dict[str, Any] = {"game": game, "agreement": ""}
    for dealer in range(4):
        for cut in (0, 51):
            given = {**plain, "dealer": dealer, "actions": [[(dealer + 3) % 4, f"cut {cut}"]]}
            about = f"{game}: dealer {dealer}, cut {cut}"
            found.accept("rules.play", about, **given, strange=cut == 51)
    plain["dealer"] = 2
    found.accept("rules.play", f"{game}: nothing yet", **plain, actions=[], strange=True)
    found.accept("rules.play", f"{game}: one has sorted", **plain, actions=_sorted(2)[:2])
    found.accept("rules.play", f"{game}: three have sorted", **plain, actions=_sorted(2)[:4])
    for bids in ((2, 3, 2, 3), (2, 3, 3, 3), (2, 2, 2, 5), (3, 3, 3, least), (13, 2, 2, 2),
                 (least, least, least, 7), (2, 2, 2, 4), (12, 8, 6, 4)):  # fmt: skip
        found.accept("rules.play", f"{game}: the bids {bids}", **plain, actions=_said(2, bids))
    for scores, bids in (
        ((30, 0, 0, 0), (2, 3, 3, 3)),
        ((0, 0, 0, 30), (3, 3, 3, 3)),
        ((29, 29, 29, 29), (2, 3, 3, 3)),
        ((-30, 31, -5, 40), (2, 2, 3, 4)),
    ):
        for agreement in ("floor_12", "target_44"):
            found.accept("rules.play", f"{game}: {agreement}, the bids {bids} at {scores}",
                         game=game, agreement=agreement, dealer=2, scores=list(scores),
                         actions=_said(2, bids), strange=True)  # fmt: skip
    base = found.accept("rules.play", f"{game}: two have bid", **plain, actions=_said(2, (3, 3)))
    sorting, bidding, begun = _sorted(2)[:2], _said(2, (3, 3)), _said(2, (3, 3, 3, 3))
    for about, actions in (
        ("a cut of 52", [[1, "cut 52"]]),
        ("a cut by the dealer's right", [[3, "cut 5"]]),
        ("a second cut", [*sorting, [1, "cut 6"]]),
        ("a hand sorted before the cut", [[0, "sort"]]),
        ("a hand sorted twice", [*sorting, [0, "sort"]]),
        ("a bid before all have sorted", [*sorting, [3, "bid 3"]]),
        ("a bid below the lowest", [*bidding, [1, f"bid {least - 1}"]]),
        ("a bid above thirteen", [*bidding, [1, "bid 14"]]),
        ("a bid out of turn", [*bidding, [2, "bid 3"]]),
        ("a second bid of a seat", [*bidding, [3, "bid 4"]]),
        ("a card before the bids", [*bidding, [1, "play 60=AS"]]),
        ("a fifth bid", [*begun, [3, "bid 3"]]),
        ("a card after the deal is thrown in", [*_said(2, (2, 2, 2, 2)), [3, "play 91=AS"]]),
        ("a lead by another seat than the dealer's right", [*begun, [0, "play 52=AS"]]),
        ("a card out of another hand", [*begun, [3, "play 52=AS"]]),
    ):  # fmt: skip
        found.reject(base, f"{game}: {about}", "action.rule", actions=actions)
    for text in ("pass", "bid pcc", "redeal"):
        actions = [*bidding, [1, text]]
        found.reject(base, f"{game}: {text} for a bid", "action.notation", actions=actions)


def _log_of(saved: SavedHand) -> tuple[int, tuple[int, ...], list[Said], State]:
    """The last deal of a file: dealer, scores before it, what was said, and its end."""
    replica = saved.rehearsed().table_state.replicas[LedgerName(Lane.HAND, saved.hands - 1)]
    machine = replica.machine
    state: State = machine.state
    left = [(state.dealer + 3) % 4, f"cut {state.cut}"]
    log = [left, *([seat, "sort"] for seat in range(4))]
    log += [[(state.dealer + 1 + n) % 4, f"bid {bid}"] for n, bid in enumerate(state.bids)]
    for trick in state.tricks:
        for seat, slot, card in trick.plays:
            log.append([int(seat), format_action(PlayCard(slot, card))])
    return int(state.dealer), tuple(map(int, replica.origin.scores)), log, state


def _play(found: Collector, saved: SavedHand) -> None:
    dealer, scores, log, state = _log_of(saved)
    given: dict[str, Any] = {
        "game": saved.game,
        "agreement": saved.agreement,
        "dealer": dealer,
        "scores": list(scores),
    }
    whole = found.accept("rules.play", f"{saved.name}: the whole deal", **given, actions=log)
    lacking, off = _lacking(log)
    marks = sorted({1, 5, 6, 8, 9, 10, 12, 13, 14, 17, 30, 57, 59, 60, lacking, off})
    for mark in marks:
        about = f"{saved.name}: {mark} actions"
        found.accept("rules.play", about, **given, actions=log[:mark])
    first, before = log[9], log[:10]
    slot = int(str(first[1]).partition("=")[0].removeprefix("play "))
    follower = log[10][0]
    other = str(log[10][1])
    for about, actions in (
        ("a card by a seat that is not on turn", [*before, [(follower + 1) % 4, log[11][1]]]),
        ("a card that has been played, out of another slot", [
            *before, [follower, f"{other.partition('=')[0]}={str(first[1])[-2:]}"]]),
        ("a slot that was played before", [*log[:13], *_again(log, 13, slot, first[0])]),
        ("one more card", [*log, [log[-1][0], log[-1][1]]]),
        ("a suit that the seat has shown to lack", [
            *log[: off - 1], _wrong_suit(log, lacking, off)]),
    ):  # fmt: skip
        found.reject(whole, f"{saved.name}: {about}", "action.rule", actions=actions)
    assert state.tricks


def _again(log: list[Said], at: int, slot: int, seat: int) -> list[Said]:
    """What is said from `at` on until `seat` is on turn, which then plays that slot once more."""
    said = []
    while log[at][0] != seat:
        said.append(log[at])
        at += 1
    return [*said, [seat, f"play {slot}={str(log[at][1])[-2:]}"]]


def _tricks(log: list[Said]) -> Iterator[tuple[int, Said, str]]:
    """The number of actions after each card, the card, and the suit that was led."""
    for at in range(9, len(log)):
        yield at + 1, log[at], str(log[at - (at - 9) % 4][1])[-1]


def _lacking(log: list[Said]) -> tuple[int, int]:
    """After how many actions a seat first shows to lack a suit, and after how many it plays next
    without it in its hand."""
    for at, (seat, text), led in _tricks(log):
        if text[-1] != led:
            later = next(a for a, (other, _), _ in _tricks(log) if a > at and other == seat)
            return at, later
    raise AssertionError("in every deal somebody lacks a suit")


def _wrong_suit(log: list[Said], lacking: int, off: int) -> Said:
    """The card of the later action, said to be of the suit that its seat has shown to lack."""
    led = next(led for at, _, led in _tricks(log) if at == lacking)
    seat, text = log[off - 1]
    played = {str(each[1])[-2:] for each in log[9 : off - 1]}
    card = next(rank + led for rank in "23456789TJQKA" if rank + led not in played)
    return [seat, f"{text.partition('=')[0]}={card}"]


def _prices(found: Collector, game: str) -> None:
    least = 1 if game == "41" else 2
    for bid in range(least, 14):
        for taken in (bid, bid - 1):
            rest = 13 - taken
            facts = {"bids": [bid, least, least, least], "taken": [taken, rest, 0, 0]}
            edge = "just made" if taken == bid else "one trick short"
            found.accept("score.hand", f"{game}: {bid} {edge}", game=game, agreement="",
                         facts=facts)  # fmt: skip
    for about, facts in (
        ("tricks beyond the bid", {"bids": [3, 4, 5, 2], "taken": [5, 4, 1, 3]}),
        ("thrown in", {"bids": [2, 3, 2, 3], "taken": None}),
        ("thirteen by a seat of the other team", {"bids": [2, 13, 2, 2], "taken": [0, 13, 0, 0]}),
    ):
        found.accept("score.hand", f"{game}: {about}", game=game, agreement="", facts=facts,
                     strange=True)  # fmt: skip


def _deal(bids: tuple[int, ...], taken: tuple[int, ...]) -> dict[str, Any]:
    return {"bids": list(bids), "taken": list(taken)}


def _matches(found: Collector, game: str) -> None:
    for last in range(4):
        luck = (bytes(31) + bytes((last,))).hex()
        found.accept("match.run", f"{game}: luck {last}", game=game, agreement="", luck=luck,
                     hands=[])  # fmt: skip
    luck = seeded(f"luck of {game}")(32).hex()
    thrown = {"bids": [2, 2, 2, 2], "taken": None}
    high = _deal((7, 3, 3, 3), (7, 2, 3, 1))
    equal = _deal((4, 4, 2, 2), (4, 4, 2, 2))
    low = _deal((7, 3, 3, 3), (7, 2, 2, 2))
    for about, hands in (
        ("a deal thrown in moves the dealer", [thrown]),
        ("two deals", [high, low]),
        ("41 and a partner above nothing", [high, high, high]),
        ("44, one partner after the other", [high] * 4),
        ("41 with a partner below nothing", [low, low, low]),
        ("both teams in the same deal, equal", [equal] * 11),
        ("both teams in the same deal, the higher", [*[equal] * 10,
         _deal((4, 4, 3, 2), (4, 4, 3, 2))]),
        ("thirteen at once", [low, _deal((2, 13, 2, 2), (0, 13, 0, 0))]),
    ):  # fmt: skip
        for agreement in ("", "target_44"):
            stop = 3 if not agreement else 4
            hands = hands[: stop if hands[0] is high else len(hands)]
            found.accept("match.run", f"{game} {agreement}: {about}", game=game, luck=luck,
                         agreement=agreement, hands=hands, strange="equal" in about)  # fmt: skip
    base = found.accept("match.run", f"{game}: a match that is just won", game=game, agreement="",
                        luck=luck, hands=[high] * 3)  # fmt: skip
    found.reject(base, f"{game}: a deal after the end", "action.rule", hands=[high] * 4)


def _audits(found: Collector) -> None:
    for saved in DEALS:
        name, data = f"hands/{saved.name}.p304", saved.transcript()
        base = found.accept("transcript.audit", saved.about, transcript=File(name, data))
        for about, expect, changed in _faults(saved, data):
            given = File(name, data, changed)
            found.reject(base, f"{saved.name}: {about}", expect, transcript=given)


def _faults(saved: SavedHand, whole: bytes) -> Iterator[tuple[str, str, bytes]]:
    """A seat says something else in one message of the last deal, and signs it."""
    draft, table = Draft.of(whole), saved.rehearsed()
    _, _, log, _ = _log_of(saved)

    def instead(word: str, change: Callable[[tuple[Any, ...]], tuple[Value, ...]]) -> bytes:
        """The file with the content of one message changed: the last that begins with a word."""
        for place in reversed(draft.places(b"M")):
            raw = draft.records[place].payload
            *head, content = body_of(raw)
            assert isinstance(content, tuple)
            first = content[0] if content else None
            if isinstance(first, str) and first.startswith(word):
                body = (*head, change(content))
                return draft.with_record(place, signed(table, body, raw[2])).to_bytes()
        raise AssertionError(f"nobody says {word}")

    yield "a bid of fourteen", "action.rule", instead("bid", lambda said: ("bid 14", *said[1:]))
    yield "a pass for a bid", "action.notation", instead("bid", lambda said: ("pass", *said[1:]))
    lacking, _ = _lacking(log)
    text = str(log[lacking - 1][1])
    later = next(str(each) for _, each in log[lacking:] if str(each)[-1] == text[-1])
    other = text[:-2] + later[-2:]
    yield (
        "a card that another slot holds",
        "opening.proof",
        instead(text, lambda said: (other, *said[1:])),
    )
    yield (
        "no proof that the suit led is not held",
        "statement.count",
        instead(text, lambda said: (said[0], said[1][:1], *said[2:])),
    )

    def flipped(said: tuple[Any, ...]) -> tuple[Value, ...]:
        card, lack = said[1]
        return (said[0], (card, lack[:-1] + bytes((lack[-1] ^ 1,))), *said[2:])

    yield "a wrong proof that the suit led is not held", "distinction.proof", instead(text, flipped)


CATEGORIES = (games,)
