"""Double, the called partner, many seats and cards shown in turn among real sessions: hands agree,
each lie is refused, and its evidence convicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from cli.commands.audit import command as audit
from p2p304.bots.players import steady_for
from p2p304.cards import Card, Slot, Suit
from p2p304.games import create_game, full_agreement
from p2p304.rules304.actions import Contract, OpenTrump, Pass, PlaceBid, ShowCard
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from protocol.places import Lane, LedgerName
from protocol.wire.contents import Action, Content
from tests.campaigns.hands.run_hands import audit_all
from tests.long import long
from tests.table.bus import charter
from tests.table.cheating import ForkableTable, Moment
from tests.table.test_same_cards import check_hand

MARRIED = "maharashtra; +marriages; +last_trick"
SHOWN = "pagat; +pre_show_in_trick"


class BotTable(ForkableTable):
    """A table at which bots play; half court is undertaken if that is asked, and trump opened where
    marriages are agreed."""

    half_court = False
    shows = False  #: Whether who is on turn shows its card first, where that is agreed.

    def __init__(self, agreement: str, seed: int) -> None:
        game = create_game("304", agreement)
        rules = full_agreement("304", agreement)
        super().__init__(game, seed, agreed=charter(game.seats, game="304", profile=rules))

    def choose(self, seat: int) -> bool:
        if seat in self.silent:
            return False
        session = self.sessions[seat]
        legal = session.legal_actions()
        if not legal:
            return False
        court = PlaceBid(Contract.HALF_COURT)
        if self.half_court and court in legal:
            self.act(seat, court)
            return True
        opening = next((each for each in legal if isinstance(each, OpenTrump)), None)
        openly = self.game.profile.marriages or "pre_show_in_trick" in self.game.profile.toggles
        if opening is not None and openly:
            self.act(seat, opening)
            return True
        shown = [each for each in legal if isinstance(each, ShowCard)]
        if self.shows and shown and session.table_state.hand().machine.state.plays:
            self.act(seat, shown[0])
            return True
        bids = [each for each in legal if isinstance(each, PlaceBid) and each.bid != court.bid]
        view = session.view()
        assert view is not None
        choice = steady_for(self.game, seat).choose(view)
        self.act(seat, bids[0] if bids and choice == Pass() and seat == 0 else choice)
        return True


@pytest.mark.parametrize("agreement", [MARRIED, *long("tamil4")])
def test_real_sessions_agree_with_open_cards_and_the_file_is_valid(agreement: str) -> None:
    table = BotTable(agreement, 1)
    check_hand(table)
    audit_all(table)


def test_a_card_that_nobody_was_dealt_leaves_the_maker_alone_at_every_seat() -> None:
    """Half court: the card that was named lies in the batch that is not dealt."""
    table = BotTable("doso_viso", 1)
    table.half_court = True
    check_hand(table)
    audit_all(table)
    name = LedgerName(Lane.HAND, 0)
    machines = [chair.session.table_state.replicas[name].machine for chair in table.chairs]
    (outcome,) = {machine.outcome for machine in machines}
    assert outcome.facts.partner is None
    assert sorted(map(abs, outcome.scores)) in ([3, 3, 3, 9], [4, 4, 4, 12])


#: Which seat is to tell the lie, of a table and the public state; None while there is none.
Who = Callable[[BotTable, Any], Seat | None]


def winner(_: BotTable, state: Any) -> Seat | None:
    """Who took the last trick, or whoever is to act before there is one."""
    last = state.tricks[-1].winner if state.tricks else None
    return last if last in state.awaiting else state.awaiting[0]


def loser(_: BotTable, state: Any) -> Seat | None:
    """Who is not known to be on the side that took the last trick."""
    taken = state.tricks[-1].winner
    side = {taken} if state.partner_secret else {taken, *state.mates(taken)}
    return next((seat for seat in state.awaiting if seat not in side), None)


def following(table: BotTable, state: Any) -> Seat | None:
    """Who must follow suit, and has another suit as well; no maker whose trump is hidden."""
    if not state.plays:
        return None
    seat: Seat = state.awaiting[0]
    moment = Moment(table, seat)
    suits = {moment.faces[slot].suit for slot in moment.hand}
    led = state.faces[state.plays[0].slot].suit
    hiding = seat == state.maker and state.trump is None
    return None if hiding or led not in suits or len(suits) < 2 else seat


def without_a_loss(table: BotTable, state: Any) -> Seat | None:
    """Who must follow suit and could call caps, so that it may show its card."""
    seat = following(table, state)
    lost = seat is not None and any(
        state.teams[trick.winner] != state.teams[seat] for trick in state.tricks
    )
    return None if lost else seat


def bound(_: BotTable, state: Any) -> Seat | None:
    """Who has shown the card that comes next."""
    seat: Seat = state.awaiting[0]
    return seat if state.promised is not None and len(state.hands[seat]) > 1 else None


@cache
def reached(agreement: str, phase: Phase, tricks: int, who: Who) -> Moment:
    """The first moment of a hand in such a phase, with so many tricks at least, for a liar."""
    table = BotTable(agreement, 2)
    table.shows = who is bound
    table.confirm()

    def state() -> Any:
        hand = table.sessions[0].table_state.hand()
        return None if hand is None else hand.machine.state

    def arrived() -> bool:
        found = state()
        if found is None or found.phase is not phase or len(found.tricks) < tricks:
            return False
        if agreement == MARRIED and found.trump is None:
            return False
        if not all(table.sessions[seat].legal_actions() for seat in found.awaiting):
            return False
        return who(table, found) is not None

    table.run(arrived)
    table.deliver_all()
    seat = who(table, state())
    assert seat is not None
    return Moment(table, seat)


def hidden_from_all(at: Moment) -> Iterator[Card]:
    """Cards that nobody has shown and the seat does not hold."""
    seen = {*at.faces.values(), *at.state.faces.values()}
    return (card for card in at.machine.game.pack if card not in seen)


def called_card_of_another(at: Moment) -> Content:
    """To play, as the called card, one that another seat holds."""
    slot = next(slot for slot in at.hand if at.faces[slot] != at.state.called)
    return at.said(f"play {slot}={at.state.called}")


def false_marriage(at: Moment) -> Content:
    """King and queen of a suit of which the table has seen neither, in the place of other cards."""
    seen = set(map(str, at.state.faces.values()))
    suit = next(each for each in "SHDC" if not seen & {f"K{each}", f"Q{each}"})
    hidden = [slot for slot in at.hand if slot not in at.state.faces]
    one, other, *_ = (slot for slot in hidden if at.faces[slot].suit.letter != suit)
    return at.said(f"marriage {one}=K{suit} {other}=Q{suit}")


def off_suit(at: Moment) -> Slot:
    """A card of another suit than the one led, of a hand that has it."""
    return next(slot for slot in at.hand if at.faces[slot].suit != led(at))


def led(at: Moment) -> Suit:
    suit: Suit = at.state.faces[at.state.plays[0].slot].suit
    return suit


def shown_as_another(at: Moment) -> Content:
    """A card that another seat holds, of the suit that is led, in the place of one's own."""
    wished = next(card for card in hidden_from_all(at) if card.suit == led(at))
    return at.said(f"show {at.hand[0]}={wished}")


def another_than_was_shown(at: Moment) -> Content:
    """One card was shown for this trick; another one is played."""
    other = next(slot for slot in at.hand if slot != at.state.promised)
    return at.said(f"play {other}={at.faces[other]}")


class Lie(NamedTuple):
    """What is said where, by whom, and the check that refuses it."""

    agreement: str
    phase: Phase
    tell: Callable[[Moment], Content] | str
    check: str
    tricks: int = 0
    who: Who = winner

    @property
    def moment(self) -> Moment:
        """The moment of the lie."""
        return reached(self.agreement, self.phase, self.tricks, self.who)

    @property
    def said(self) -> Content:
        """What is said there."""
        at = self.moment
        return at.said(self.tell) if isinstance(self.tell, str) else self.tell(at)


RULE, OPENING, VOID = "action.rule", "opening.proof", "distinction.proof"
CALLED = "maharashtra"
LIES = {
    "a maker names its own card": Lie(CALLED, Phase.NAMING, lambda at: (
        at.said(f"name {at.faces[at.hand[0]]}")), "card-distinction.proof"),
    "a maker names its indicator": Lie(CALLED, Phase.NAMING, lambda at: (
        at.said(f"name {at.faces[at.state.indicator]}")), "card-distinction.proof"),
    "a name without a proof": Lie(
        CALLED, Phase.NAMING, lambda at: Action(at.legal[0]), "statement.count"),
    "a card that the pack has not": Lie(CALLED, Phase.NAMING, "name 2C", RULE),
    "the called card by who does not hold it": Lie(
        CALLED, Phase.TRICK, called_card_of_another, OPENING),
    "a card played as another": Lie(CALLED, Phase.TRICK, lambda at: (
        at.said(f"play {at.hand[0]}={next(hidden_from_all(at))}")), OPENING),
    "spoilt trumps while the partner is secret": Lie(CALLED, Phase.TRICK, "spoilt", RULE),
    "a double in a game without": Lie(CALLED, Phase.TRICK, "double", RULE),
    "full court with four cards": Lie(CALLED, Phase.AUCTION4, "bid full_court", RULE),
    "a number with four cards": Lie(CALLED, Phase.AUCTION4, "bid 200", RULE),
    "half court with all cards": Lie(CALLED, Phase.AUCTION8, "bid half_court", RULE),
    "king and queen that are others": Lie(MARRIED, Phase.WINDOW, false_marriage, OPENING, 1),
    # True king and queen or not: the side that won the trick shows them, and no other.
    "a marriage by who lost the trick": Lie(MARRIED, Phase.WINDOW, lambda at: (
        Action("marriage {}=KS {}=QS".format(*at.hand))), RULE, 1, loser),
    "a double too early": Lie("tamil4", Phase.WINDOW, "double", RULE, 1),
    "a double by another than who took the fifth trick": Lie(
        "tamil4", Phase.WINDOW, "double", RULE, 5, loser),
    "an opponent is asked": Lie("six36", Phase.AUCTION4, lambda at: (
        at.said(f"ask-seat {(at.seat + 1) % 6}")), RULE),
    "one of two partners is asked without a name": Lie("six36", Phase.AUCTION4, "ask", RULE),
    "a revoke among six": Lie("six24", Phase.TRICK, lambda at: (
        at.said(f"down {off_suit(at)}")), VOID, 0, following),
    "a revoke among eight": Lie("eight32", Phase.TRICK, lambda at: (
        at.said(f"down {off_suit(at)}")), VOID, 0, following),
    "a card shown in turn that cannot be played": Lie(SHOWN, Phase.TRICK, lambda at: (
        at.said(f"show {off_suit(at)}={at.faces[off_suit(at)]}")), VOID, 0, without_a_loss),
    "a card shown in turn as another": Lie(
        SHOWN, Phase.TRICK, shown_as_another, OPENING, 0, without_a_loss),
    "another card than was shown in turn": Lie(
        SHOWN, Phase.TRICK, another_than_was_shown, RULE, 0, bound),
}  # fmt: skip


SHORT = ("a maker names its own card", "the called card by who does not hold it",
         "spoilt trumps while the partner is secret", "king and queen that are others",
         "another card than was shown in turn")  # fmt: skip


def liar(name: str) -> object:
    """One case for each lie; those told in one hand stay in one worker, which plays it once."""
    agreement = LIES[name].agreement
    marks = [pytest.mark.xdist_group(f"lies under {agreement}")]
    return pytest.param(name, marks=marks if name in SHORT else [*marks, pytest.mark.long], id=name)


@pytest.mark.parametrize("name", [liar(name) for name in LIES])
def test_a_lie_about_sides_is_refused_by_all_at_once(name: str) -> None:
    lie = LIES[name]
    at = lie.moment
    told_to = (at.seat + 1 + at.occasion.place.round % (at.state.seats - 1)) % at.state.seats
    assert at.check_of(lie.said, told_to=told_to) == lie.check


@pytest.mark.parametrize("name", [liar("a maker names its own card"), liar("a revoke among eight")])
def test_the_evidence_of_a_lie_convicts_by_the_command(name: str, tmp_path: Path) -> None:
    """What a seat keeps is all that a stranger needs: the game is the charter's."""
    lie = LIES[name]
    at = lie.moment
    file = tmp_path / "evidence.p304e"
    file.write_bytes(at.evidence_of(lie.said))
    found = CliRunner().invoke(audit, [str(file), "--json"], standalone_mode=False)
    assert found.exception is None
    (told,) = json.loads(found.output)
    assert (told["convicts"], told["seat"], told["check"]) == (True, at.seat, lie.check)
