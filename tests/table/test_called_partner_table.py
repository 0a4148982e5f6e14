"""Double and the called partner among real sessions: hands agree, and each lie is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from p2p304.bots.players import player_for
from p2p304.games import create_game
from p2p304.rules304.actions import OpenTrump, Pass, PlaceBid
from p2p304.rules304.bids import Contract
from p2p304.rules304.state import Phase
from protocol.places import Lane, LedgerName
from protocol.wire.contents import Action, Content
from tests.long import long, sample
from tests.table.campaign import audit_all
from tests.table.cheating import ForkableTable, Moment
from tests.table.test_same_cards import check_hand

MARRIED = "maharashtra; +marriages; +last_trick"


class BotTable(ForkableTable):
    """A table at which bots play; half court is undertaken if that is asked, and trump opened where
    marriages are agreed."""

    half_court = False

    def choose(self, seat: int) -> bool:
        if seat in self.silent:
            return False
        session = self.chairs[seat].session
        legal = session.legal_actions()
        if not legal:
            return False
        court = PlaceBid(Contract.HALF_COURT)
        if self.half_court and court in legal:
            self.act(seat, court)
            return True
        opening = next((each for each in legal if isinstance(each, OpenTrump)), None)
        if opening is not None and self.game.profile.marriages:
            self.act(seat, opening)
            return True
        bids = [each for each in legal if isinstance(each, PlaceBid) and each.bid != court.bid]
        view = session.view()
        assert view is not None
        choice = player_for(self.game, seat).choose(view)
        self.act(seat, bids[0] if bids and choice == Pass() and seat == 0 else choice)
        return True


def tabled(agreement: str, seed: int, *, half_court: bool = False) -> BotTable:
    table = BotTable(create_game("304", agreement), seed)
    table.half_court = half_court
    return table


@pytest.mark.parametrize("agreement", [MARRIED, *long("tamil4")])
def test_real_sessions_agree_with_open_cards_and_the_file_is_valid(agreement: str) -> None:
    table = tabled(agreement, 1)
    check_hand(table)
    audit_all(table)


def test_a_card_that_nobody_was_dealt_leaves_the_maker_alone_at_every_seat() -> None:
    """Half court: the card that was named lies in the batch that is not dealt."""
    table = tabled("doso_viso", 5, half_court=True)
    check_hand(table)
    audit_all(table)
    name = LedgerName(Lane.HAND, 0)
    machines = [chair.session.table_state.replicas[name].machine for chair in table.chairs]
    (outcome,) = {machine.outcome for machine in machines}
    assert outcome.facts.partner is None
    assert sorted(map(abs, outcome.scores)) in ([3, 3, 3, 9], [4, 4, 4, 12])


@cache
def reached(agreement: str, phase: Phase, tricks: int = 0) -> Moment:
    """The first moment of a hand in such a phase, with so many tricks at least."""
    table = tabled(agreement, 2)
    table.confirm()

    def state() -> Any:
        hand = table.chairs[0].session.table_state.hand
        return None if hand is None else hand.machine.state

    def arrived() -> bool:
        found = state()
        if found is None or found.phase is not phase or len(found.tricks) < tricks:
            return False
        if agreement == MARRIED and found.trump is None:
            return False
        return all(table.chairs[seat].session.legal_actions() for seat in found.awaiting)

    table.run(arrived)
    while table.deliver():
        pass
    found = state()
    winner = found.tricks[-1].winner if found.tricks else None
    return Moment(table, winner if winner in found.awaiting else found.awaiting[0])


def own_card(at: Moment) -> Content:
    return at.said(f"name {at.faces[at.hand[0]]}")


def own_indicator(at: Moment) -> Content:
    return at.said(f"name {at.faces[at.state.indicator]}")


def without_a_proof(at: Moment) -> Content:
    return Action(at.legal[0])


def card_of_no_pack(at: Moment) -> Content:
    return at.said("name 2C")


def card_not_ones_own(at: Moment) -> Content:
    """To play, as the called card, one that another seat holds."""
    slot = next(slot for slot in at.hand if at.faces[slot] != at.state.called)
    return at.said(f"play {slot}={at.state.called}")


def called_card_denied(at: Moment) -> Content:
    """To say of a card that it is another one, which nobody has seen."""
    seen = {*at.faces.values(), *at.state.faces.values()}
    other = next(card for card in at.machine.game.pack if card not in seen)
    return at.said(f"play {at.hand[0]}={other}")


def spoilt_too_early(at: Moment) -> Content:
    return at.said("spoilt")


def false_marriage(at: Moment) -> Content:
    """King and queen of a suit of which the table has seen neither, in the place of other cards."""
    seen = set(map(str, at.state.faces.values()))
    suit = next(each for each in "SHDC" if not seen & {f"K{each}", f"Q{each}"})
    hidden = [slot for slot in at.hand if slot not in at.state.faces]
    one, other, *_ = (slot for slot in hidden if at.faces[slot].suit.letter != suit)
    return at.said(f"marriage {one}=K{suit} {other}=Q{suit}")


def double_where_there_is_none(at: Moment) -> Content:
    return at.said("double")


LIES: dict[str, tuple[str, Phase, int, Callable[[Moment], Content], str]] = {
    "a maker names its own card": (
        "maharashtra", Phase.NAMING, 0, own_card, "card-distinction.proof"),
    "a maker names its indicator": (
        "maharashtra", Phase.NAMING, 0, own_indicator, "card-distinction.proof"),
    "a name without a proof": (
        "maharashtra", Phase.NAMING, 0, without_a_proof, "statement.count"),
    "a card that the pack has not": (
        "maharashtra", Phase.NAMING, 0, card_of_no_pack, "action.rule"),
    "the called card by who does not hold it": (
        "maharashtra", Phase.TRICK, 0, card_not_ones_own, "opening.proof"),
    "a card played as another": (
        "maharashtra", Phase.TRICK, 0, called_card_denied, "opening.proof"),
    "spoilt trumps while the partner is secret": (
        "maharashtra", Phase.TRICK, 0, spoilt_too_early, "action.rule"),
    "a double in a game without": (
        "maharashtra", Phase.TRICK, 0, double_where_there_is_none, "action.rule"),
    "king and queen that are others": (
        MARRIED, Phase.WINDOW, 1, false_marriage, "opening.proof"),
    "a double too early": (
        "tamil4", Phase.WINDOW, 1, double_where_there_is_none, "action.rule"),
}  # fmt: skip


SHORT = ("a maker names its own card", "the called card by who does not hold it",
         "spoilt trumps while the partner is secret", "king and queen that are others")  # fmt: skip


@pytest.mark.parametrize("name", sample(LIES, SHORT))
@pytest.mark.xdist_group("called partner")
def test_a_lie_about_sides_is_refused_by_all_at_once(name: str) -> None:
    agreement, phase, tricks, tell, check = LIES[name]
    at = reached(agreement, phase, tricks)
    told_to = (at.seat + 1 + at.occasion.place.round % 3) % 4
    assert at.check_of(tell(at), told_to=told_to) == check
