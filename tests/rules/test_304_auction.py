"""Both auctions against a second telling of RULES 5 and 7, written from the text alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest

from p2p304.rules304 import actions as act
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.bids import Contract
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.long import examples
from tests.rules.playouts_304 import deal, new_table

PCC = Contract.PARTNER_CLOSE_CAPS
AUCTIONS = examples(100)


@dataclass(frozen=True)
class Rules:
    """What RULES 5 and 7 leave to the profile, read off PROFILES 1.2 and 1.3."""

    again: str = "200+"
    over_partner: str = "200+"
    asked_may_pass: bool = True
    forced: bool = False
    circuit: bool = False
    eight: str = "above"
    step_high: int = 10


COLUMNS = {
    "pagat": Rules(),
    "card304": Rules(again="first 200", over_partner="first 200", eight="equal"),
    "card304-alpha": Rules(again="never", over_partner="first 200", circuit=True, eight="off"),
    "wikipedia": Rules(again="never", over_partner="never", circuit=True, eight="equal"),
    "championship": Rules(asked_may_pass=False, forced=True),
}


@dataclass
class FourCards:
    """The four-card auction as RULES 5 tells it."""

    rules: Rules
    turn: int
    top: int = 0
    top_seat: int = -1
    spoken: set[int] = field(default_factory=set)
    quiet: int = 0
    used: int = 0
    asked: bool = False

    def numbers(self, s: int) -> set[int]:
        return {n for n in range(1, 400) if self.legal(n, s)}

    def legal(self, n: int, s: int) -> bool:
        step = 10 if n <= 200 else self.rules.step_high
        if n % step or not 160 <= n <= 300 or n <= self.top or self.top_seat == s:
            return False
        limits = []
        if s in self.spoken:
            limits.append(self.rules.again)
        if self.top_seat == (s + 2) % 4:
            limits.append(self.rules.over_partner)
        for limit in limits:
            if limit == "never" or n < 200 or (limit == "first 200" and self.top >= 200):
                return False
        return True

    @property
    def speaker(self) -> int:
        return (self.turn + 2) % 4 if self.asked else self.turn

    def may_ask(self) -> bool:
        mate = (self.turn + 2) % 4
        if self.asked or self.top_seat == mate:
            return False
        if self.rules.again == "never" and mate in self.spoken:
            return False
        return self.rules.asked_may_pass or bool(self.numbers(mate))

    def may_pass(self) -> bool:
        if self.asked and not self.rules.asked_may_pass:
            return False
        return not (self.rules.forced and self.used == 0)

    @property
    def ended(self) -> bool:
        if not self.top:
            return self.quiet == 4
        return self.quiet == 3 or (self.rules.circuit and self.used == 4)

    def ask(self) -> None:
        self.asked = True
        if not self.numbers(self.speaker):
            self.call(0)

    def call(self, n: int) -> None:
        who = self.speaker
        self.spoken |= {self.turn, who}
        if n:
            self.top, self.top_seat, self.quiet = n, who, 0
        else:
            self.quiet += 1
        self.used += 1
        self.asked = False
        self.turn = (self.turn + 1) % 4
        while not self.ended:
            if self.turn != self.top_seat:
                if self.numbers(self.turn):
                    return
                self.spoken.add(self.turn)
                self.quiet += 1
                self.used += 1
            self.turn = (self.turn + 1) % 4


def offered(table: OpenTable) -> tuple[list[act.Action], set[int], bool]:
    """What the library offers: everything, the numbers, and Partner Close Caps."""
    legal = legal_actions(table.view(table.state.awaiting[0]))
    bids = [each.bid for each in legal if isinstance(each, act.PlaceBid)]
    return legal, {bid for bid in bids if isinstance(bid, int)}, PCC in bids


def choose(chance: Random, numbers: set[int]) -> int:
    """A number, rather a low one, so that auctions last."""
    return sorted(numbers)[min(chance.randrange(len(numbers)) for _ in range(4))]


@pytest.mark.parametrize("toggle", ["", "step5_from_200"])
@pytest.mark.parametrize("name", COLUMNS)
def test_auctions_go_as_the_text_tells(name: str, toggle: str) -> None:
    rules = COLUMNS[name]
    if toggle:
        rules = Rules(**{**rules.__dict__, "step_high": 5})
    game = Game304(profile_named(name, [toggle] if toggle else []))
    ends = set()
    for seed in range(AUCTIONS):
        chance = Random(seed)
        dealer = chance.randrange(4)
        table = new_table(game, deal(chance), seed, Seat(dealer))
        if table.state.phase is Phase.CUT:
            assert table.state.awaiting == ((dealer + 3) % 4,)
            table.act(table.state.awaiting[0], act.Cut(0))
        told = FourCards(rules, (dealer + 1) % 4)
        while not told.ended:
            assert table.state.phase is Phase.AUCTION4
            assert table.state.awaiting == (told.speaker,)
            legal, numbers, pcc = offered(table)
            assert numbers == told.numbers(told.speaker)
            assert not pcc
            assert (act.AskPartner() in legal) == told.may_ask()
            assert (act.Pass() in legal) == told.may_pass()
            first = told.used == 0 and not told.asked
            assert first or not any(isinstance(each, act.DemandRedeal) for each in legal)
            speaker = Seat(told.speaker)
            kind = chance.choice(["bid", "pass", "ask", "pass"])
            if kind == "ask" and told.may_ask():
                table.act(speaker, act.AskPartner())
                told.ask()
            elif kind == "pass" and told.may_pass():
                table.act(speaker, act.Pass())
                told.call(0)
            else:
                number = choose(chance, numbers)
                table.act(speaker, act.PlaceBid(number))
                told.call(number)
        if not told.top:
            assert table.state.phase is Phase.OVER
            ends.add("passed out")
            continue
        assert (table.state.maker, table.state.contract) == (told.top_seat, told.top)
        ends.add("bid")
        ends.add(eight_cards(table, rules, told, chance))
    assert ends >= {"bid"} | ({"passed out"} if not rules.forced else set())
    assert len(ends) >= (2 if rules.eight == "off" else 4), ends


def eight_cards(table: OpenTable, rules: Rules, four: FourCards, chance: Random) -> str:
    """The eight-card auction as RULES 7 tells it; how it ended, in a word."""
    maker = Seat(four.top_seat)
    assert table.state.phase is Phase.INDICATOR4
    table.act(maker, act.LayIndicator(table.state.hands[maker][0]))
    if rules.eight == "off":
        assert table.state.phase is Phase.SORTING
        return "no second auction"
    least = max(250, four.top if rules.eight == "equal" else four.top + 1)
    top, top_seat, closed = 0, -1, False
    for s in ((maker + turn) % 4 for turn in range(4)):
        steps = [n for n in range(250, 301) if n % (rules.step_high if n > 200 else 10) == 0]
        numbers = {n for n in steps if n >= least and n > top}
        if closed or top_seat == (s + 2) % 4:
            continue  # it must pass, and is passed
        assert table.state.phase is Phase.AUCTION8
        assert table.state.awaiting == (s,)
        legal, found, pcc = offered(table)
        assert (found, pcc) == (numbers, True)
        assert act.Pass() in legal
        assert act.AskPartner() not in legal
        match chance.choice(["bid", "pass", "pass", "pcc"]):
            case "bid" if numbers:
                top, top_seat = choose(chance, numbers), s
                table.act(Seat(s), act.PlaceBid(top))
            case "pcc":
                top, top_seat, closed = 1000, s, True
                table.act(Seat(s), act.PlaceBid(PCC))
            case _:
                table.act(Seat(s), act.Pass())
    assert table.state.phase is Phase.SORTING
    if not top:
        assert (table.state.maker, table.state.contract) == (four.top_seat, four.top)
        assert table.state.indicator is not None
        return "four cards stand"
    assert (table.state.maker, table.state.contract) == (top_seat, PCC if closed else top)
    assert table.state.indicator is None
    return "pcc" if closed else "eight cards"
