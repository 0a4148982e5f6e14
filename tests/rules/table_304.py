"""A hand of 304 told in cards, for tests that play one by hand."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.cards import Slot, parse_card
from p2p304.errors import RulesError
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Phase, State
from p2p304.simulator import OpenTable
from tests.rules.scenario_table import cards, deck_of, seat


class Table:
    """A hand told in cards; `do` acts for a seat by its letter."""

    def __init__(
        self, profile: str | Profile, dealer: str, hands: dict[str, str], **more: Any
    ) -> None:
        if isinstance(profile, str):
            profile = named_profile(profile, more.get("toggles", ()), more.get("overrides"))
        self.game = Game304(profile)
        deck = deck_of(dict(hands), seat(dealer))
        offset = 0 if profile.cut_optional else 1
        deck = deck[-offset:] + deck[:-offset]
        self.table = OpenTable(self.game, deck, SeededRandomness(3), dealer=seat(dealer))
        if more.get("cut", True) and self.state.phase is Phase.CUT:
            self.table.act(self.state.awaiting[0], act.Cut(offset))

    @property
    def state(self) -> State:
        state = self.table.state
        assert isinstance(state, State)
        return state

    def contract(self, maker: str, bid: Bid, indicator: str) -> Table:
        """To the declaration: `maker` has bid and laid the indicator, all others passed."""
        who = seat(maker)
        eight = bid is Contract.PARTNER_CLOSE_CAPS
        while self.state.phase is not Phase.DECLARE:
            turn = self.state.awaiting[0]
            action = legal_actions(self.table.view(turn))[0]
            bids = act.PlaceBid(bid), act.PlaceBid(160)
            offered = legal_actions(self.table.view(turn))
            match self.state.phase:
                case Phase.AUCTION4 if turn == who and bids[eight] in offered:
                    action = bids[eight]
                case Phase.AUCTION8 if turn == who and eight:
                    action = bids[0]
                case Phase.AUCTION4 | Phase.AUCTION8:
                    action = act.Pass()
                case Phase.INDICATOR4 | Phase.INDICATOR8:
                    action = act.LayIndicator(self.slot(maker, indicator))
                case Phase.WINDOW:
                    break
            self.table.act(turn, action)
        return self

    def given(self, maker: str, bid: Bid, indicator: str) -> Table:
        """To the declaration, or without one to the window, as if `maker` had bid `bid`."""
        who = seat(maker)
        self.table.state = self.state._replace(
            phase=Phase.INDICATOR4, awaiting=(who,), maker=who, contract=bid
        )
        self.do(maker, act.LayIndicator(self.slot(maker, indicator)))
        while self.state.phase in {Phase.AUCTION8, Phase.SORTING}:
            turn = self.state.awaiting[0]
            self.table.act(turn, legal_actions(self.table.view(turn))[0])
        return self

    def closed(self, maker: str) -> Table:
        """Trump stays hidden, by declaration where there is one."""
        if self.state.phase is Phase.DECLARE:
            self.do(maker, act.KeepClosed())
        return self

    def slot(self, letter: str, name: str) -> Slot:
        card = parse_card(name)
        who = seat(letter)
        lying = () if self.state.indicator is None else (self.state.indicator,)
        held = (*self.state.hands[who], *lying)
        return next(slot for slot in held if self.table.face(slot) == card)

    def faces(self, letter: str, names: str) -> tuple[tuple[Slot, Any], ...]:
        return tuple((self.slot(letter, str(card)), card) for card in cards(names))

    def do(self, letter: str, action: act.Action) -> None:
        self.table.act(seat(letter), action)

    def ready(self, *letters: str) -> None:
        """These seats, or all that are awaited, have nothing to claim."""
        for letter in letters or ["SENW"[each] for each in self.state.awaiting]:
            self.do(letter, act.Ready())

    def play(self, letter: str, name: str) -> None:
        """The card up or down, whatever is legal, and quiet windows after it."""
        slot, legal = self.slot(letter, name), self.legal(letter)
        plays = [each for each in legal if isinstance(each, act.PlayCard | act.PlayDown)]
        self.do(letter, next(each for each in plays if each.slot == slot))
        while self.state.phase in {Phase.INSPECT, Phase.SHOW_INDICATOR}:
            who = self.state.awaiting[0]
            self.table.act(who, legal_actions(self.table.view(who))[0])

    def trick(self, leader: str, names: str) -> None:
        if self.state.phase is Phase.WINDOW:
            self.ready()
        for place, name in enumerate(names.split()):
            self.play("SENW"[(seat(leader) + place) % 4], name)

    def legal(self, letter: str) -> list[act.Action]:
        return legal_actions(self.table.view(seat(letter)))

    def refused(self, letter: str, action: act.Action) -> str:
        before = self.state
        with pytest.raises(RulesError) as caught:
            self.game.apply(before, seat(letter), action)
        assert self.state == before
        return str(caught.value)
