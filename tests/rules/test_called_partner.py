"""304 at its other tables: six and eight seats, the called partner, double."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Final

import pytest

from p2p304.bots.players import player_for
from p2p304.cards import parse_card
from p2p304.errors import RulesError
from p2p304.games import create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, Bid, Contract
from p2p304.rules304.agreement import named_profile, parse_agreement
from p2p304.rules304.bidding import four_card_bids
from p2p304.rules304.called import holder, sides
from p2p304.rules304.hand import Game304, RunningMatch
from p2p304.rules304.machine import TRANSITIONS, legal_actions
from p2p304.rules304.notation import Retelling, format_hand, parse_hand
from p2p304.rules304.play import points_of_teams
from p2p304.rules304.profile import PROFILES
from p2p304.rules304.scoring import (
    HandOutcome,
    RunningFacts,
    RunningOutcome,
    points_text,
)
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.telling.scene import known_partner, scene
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import Who
from p2p304.simulator import FalseStatement, OpenTable, play_hand, play_out
from p2p304.statements import NotCard
from p2p304.telling import Ended, Tried
from p2p304.view import View
from tests.long import long, sample
from tests.rules.playouts_304 import Table, record_hand, shuffled

# --- called partner -------------------------------------------------------------------------------

# Maharashtra (PROFILES 3.2, VARIANTS R99 to R113): a called partner, courts, a score for each.

HANDS = {
    "S": "JS 9S AS JH TS 7D 8D 7C",
    "E": "KS QS 8S 7S AH TH KH QH",
    "N": "JC 9C AC TC 9H 8H 7H KC",
    "W": "JD 9D AD TD KD QD QC 8C",
}


def dealt(*toggles: str, hands: dict[str, str] = HANDS, profile: str = "maharashtra") -> Table:
    """West has dealt: South, then East, North and West speak."""
    return Table(profile, "W", hands, toggles=toggles)


def passed(table: Table) -> Table:
    """Nobody undertakes Half Court."""
    for letter in "SENW":
        table.do(letter, act.Pass())
    return table


def chosen(table: Table, maker: str, indicator: str, card: str, *, opened: bool = True) -> Table:
    """The maker lays, names and declares, and everybody sorts."""
    while table.state.phase not in (Phase.TRICK, Phase.WINDOW):
        turn = table.state.awaiting[0]
        action: act.Action = table.legal("SENW"[turn])[0]
        match table.state.phase:
            case Phase.INDICATOR4 | Phase.INDICATOR8:
                action = act.LayIndicator(table.slot(maker, indicator))
            case Phase.NAMING:
                action = act.NameCard(parse_card(card))
            case Phase.DECLARE:
                action = act.OpenTrump(parse_card(indicator)) if opened else act.KeepClosed()
        table.table.act(turn, action)
    return table


def bought(
    bid: Bid = 200,
    card: str = "JC",
    *toggles: str,
    opened: bool = True,
    hands: dict[str, str] = HANDS,
) -> Table:
    """South has bought the hand and named a card; the others passed."""
    table = dealt(*toggles, hands=hands)
    if bid is Contract.HALF_COURT:
        table.do("S", act.PlaceBid(bid))
    else:
        passed(table).do("S", act.PlaceBid(bid))
        for letter in "ENW" if isinstance(bid, int) else "":
            table.do(letter, act.Pass())
    return chosen(table, "S", "9S", card, opened=opened)


def bids(table: Table, letter: str) -> list[Bid]:
    return [each.bid for each in table.legal(letter) if isinstance(each, act.PlaceBid)]


# --- the card that is named -------------------------------------------------------------------


def test_the_maker_proves_that_it_has_not_the_card_that_it_names() -> None:
    table = dealt()
    passed(table).do("S", act.PlaceBid(200))
    for letter in "ENW":
        table.do(letter, act.Pass())
    for letter in "SENW":
        table.do(letter, table.legal(letter)[0])
    table.do("S", act.LayIndicator(table.slot("S", "9S")))
    own = {*HANDS["S"].split()}
    named = [str(each.card) for each in table.legal("S") if isinstance(each, act.NameCard)]
    assert len(named) == 24
    assert not own & {*named}
    for mine in ("JS", "9S"):
        with pytest.raises(FalseStatement) as caught:
            table.table.fork(SeededRandomness(1)).act(Seat(0), act.NameCard(parse_card(mine)))
        slots = (*table.state.hands[0], table.state.indicator)
        assert caught.value.statement == NotCard(slots, parse_card(mine))
    assert table.refused("S", act.NameCard(parse_card("2C"))).endswith("(rule 3.2)")


def test_the_holder_knows_its_side_at_once_and_the_others_when_the_card_falls() -> None:
    table = bought()
    state = table.state
    assert state.partner_secret
    assert [state.mates(seat) for seat in state.everybody] == [()] * 4

    def partners(seat: int | None) -> list[str]:
        found = scene(table.table.view(None if seat is None else Seat(seat)), (0, 0, 0, 0))
        return ["SENW"[n] for n, place in enumerate(found.places) if "partner" in place.roles]

    assert [partners(seat) for seat in (0, 1, 2, 3, None)] == [[], [], ["S"], [], []]
    table.trick("S", "7C KH JC QC")
    assert not table.state.partner_secret
    assert table.state.mates(Seat(0)) == (Seat(2),)
    assert table.state.opponents(Seat(0)) == (Seat(1), Seat(3))
    assert [partners(seat) for seat in (0, 1, 2, 3)] == [["N"], ["W"], ["S"], ["E"]]


def test_who_may_be_with_whom_follows_from_the_record() -> None:
    before = sides(dealt().state)
    assert before == (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
    table = bought()
    assert sides(table.state) == (
        ((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)), ((0,), (1, 2, 3))
    )  # fmt: skip
    table.trick("S", "7C KH JC QC")
    assert sides(table.state) == (((0, 2), (1, 3)),)
    assert table.game.sides(table.state) == sides(table.state)


# --- courts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["SNEW", "NSEW", "WESN"])
def test_a_court_that_a_shown_card_loses_ends_with_the_window_whoever_speaks_first(
    order: str,
) -> None:
    """R106, with pre_show: all speak at once, and what one of them may say hangs on no other."""
    table = bought(Contract.FULL_COURT, "JC", "pre_show")
    table.trick("S", "7C KS TC 8C")
    assert table.state.phase is Phase.WINDOW, "East may be the partner"
    for letter in order:
        assert table.state.end is None
        shown = act.ShowCard(table.slot("N", "JC"), parse_card("JC"))
        table.do(letter, shown if letter == "N" else act.Ready())
    assert table.state.end is End.CONTRACT_LOST
    assert table.game.settle(table.state).scores == (-5, 5, -5, 5)


@pytest.mark.parametrize(
    ("order", "last"), [("NSEW", act.Ready()), ("NSEW", act.CallSpoilt()), ("SEWN", None)]
)
def test_a_court_lost_in_a_window_with_cards_still_face_down_goes_to_the_count_as_the_table_says(
    order: str, last: act.Action | None
) -> None:
    table = bought(Contract.FULL_COURT, "JC", "pre_show", opened=False)
    for letter, name in zip("SENW", ("7D", "KH", "9H", "JD"), strict=True):
        while table.state.phase is Phase.WINDOW:
            table.do("SENW"[table.state.awaiting[0]], act.Ready())
        slot = table.slot(letter, name)
        up = act.PlayCard(slot, parse_card(name))
        table.do(letter, act.PlayDown(slot) if letter in "EN" else up)
    table.do("S", act.AnnounceNone())
    table.do("S", act.ShowIndicator(parse_card("9S")))
    for letter in order:
        action: act.Action = act.Ready()
        if letter == "N":
            action = act.ShowCard(table.slot("N", "JC"), parse_card("JC"))
        elif letter == order[-1] and last is not None:
            action = last
        at = (table.state.phase, type(action))
        table.do(letter, action)
        assert table.state.phase in TRANSITIONS[at].leads_to
    assert (table.state.phase, table.state.end) == (Phase.COUNT, End.CONTRACT_LOST)


def test_under_half_court_nobody_may_hold_the_card_and_the_maker_counts_three_times() -> None:
    table = bought(Contract.HALF_COURT, "AH")  # in the second batch, which nobody gets
    assert table.state.partner_secret
    for trick in ("JS KS TC AD", "AS QS AC TD", "9S 8S 9C 9D", "JH 7S JC JD"):
        table.trick("S", trick)
    assert holder(table.state) is None
    outcome = table.finish()
    assert table.state.end is End.PLAYED
    assert outcome.facts.partner is None
    assert [abs(score) for score in outcome.scores] == [12, 4, 4, 4]


def facts(**more: Any) -> RunningFacts:
    given = {"seats": 4, "maker": Seat(0), "partner": Seat(2), "bid": 200, "target": 200}
    return RunningFacts(**(given | more))


def test_whoever_has_the_highest_score_beyond_the_goal_has_won_and_nobody_else() -> None:
    match = RunningMatch(named_profile("maharashtra"), Seat(0), (11, 12, 3, 11))
    assert match.winners == (1,)


# --- house rules ------------------------------------------------------------------------------

MARRIED = {
    "S": "JS 9S KS QS TS 7D 8D 7C",
    "E": "AS JH 8S 7S AH TH KH QH",
    "N": "JC 9C AC TC KC QC 7H 9H",
    "W": "JD 9D AD TD KD QD 8H 8C",
}


TWICE = MARRIED | {"N": "JC 9C KD QD KC QC 7H 9H", "W": "JD 9D AD TD AC TC 8H 8C"}


def married(card: str = "JC", bid: int = 200) -> Table:
    return bought(bid, card, "marriages", hands=MARRIED)


def pair(table: Table, letter: str, suit: str) -> act.DeclareMarriages:
    return act.DeclareMarriages(table.faces(letter, f"K{suit} Q{suit}"))


def test_one_key_shows_all_marriages_of_a_hand() -> None:
    table = bought(200, "JC", "marriages", hands=TWICE)
    table.trick("S", "7C JH JC 8C")
    view = table.table.view(Seat(2))
    choices = telling_of(table.game).choices(view, table.game.legal_actions(view))
    shown = [each for each in choices if isinstance(each.action, act.DeclareMarriages)]
    assert len(shown) == 3
    keyed = [each for each in shown if each.key]
    assert [(each.key, len(each.action.cards)) for each in keyed] == [("m", 4)]
    assert len({word for each in shown for word in each.typed}) == 3


def test_a_marriage_that_was_shown_is_not_shown_again() -> None:
    table = bought(200, "JC", "marriages", hands=TWICE)
    table.trick("S", "7C JH JC 8C")
    table.do("N", pair(table, "N", "D"))
    table.table.state = table.state._replace(awaiting=(Seat(2),))  # as in another window
    said = table.refused("N", pair(table, "N", "D"))
    assert said == "the marriage of each suit counts once (rule 3.2)"


def played_out(table: Table) -> RunningOutcome:
    while table.state.phase is not Phase.OVER:
        turn = "SENW"[table.state.awaiting[0]]
        calm = [each for each in table.legal(turn) if not isinstance(each, act.DeclareMarriages)]
        table.do(turn, calm[0])
    outcome = table.game.settle(table.state)
    assert isinstance(outcome, RunningOutcome)
    return outcome


def test_a_marriage_of_the_makers_side_lowers_what_it_needs_and_a_defenders_raises_it() -> None:
    """R111: without limits, and the price follows the bid."""
    table = married(bid=250)
    table.trick("S", "7C JH JC 8C")
    table.do("S", pair(table, "S", "S"))
    table.do("N", pair(table, "N", "C"))
    table.ready()
    outcome = played_out(table)
    assert outcome.facts.bid == 250
    assert outcome.facts.target == 250 - 40 - 20
    faces = {slot: table.table.face(slot) for hand in table.state.dealt for slot in hand}
    rows = telling_of(table.game).summary(
        Ended(table.state, outcome, outcome.scores, table.state.faces | faces)
    )
    (tricks,) = ("".join(map(str, row.line)) for row in rows if row.label == "Tricks")
    assert ", and needed 190: 250, 40 less for " in tricks
    assert ", 20 less for " in tricks
    assert abs(outcome.scores[0]) in (3, 4)
    table = married(bid=250)
    table.trick("S", "7D AH 9H JD")
    assert table.state.tricks[0].winner == Seat(3)
    table.do("W", pair(table, "W", "D"))
    table.ready()
    assert played_out(table).facts.target == 270


def test_the_last_trick_counts_ten_toward_the_bid_or_against_it() -> None:
    """R112."""
    table = bought(200, "JC", "last_trick")
    outcome = table.finish()
    won = table.state.tricks[-1].winner in outcome.facts.side
    assert outcome.facts.target == (190 if won else 210)
    rows = telling_of(table.game).summary(
        Ended(table.state, outcome, outcome.scores, table.state.faces)
    )
    (tricks,) = ("".join(map(str, row.line)) for row in rows if row.label == "Tricks")
    how = "190: 200, 10 less" if won else "210: 200, 10 more"
    assert tricks.endswith(f", and needed {how} for the last trick")


def test_the_game_in_short_names_the_goal_that_was_agreed() -> None:
    for agreed, goal in (("maharashtra", "11"), ("maharashtra; score_goal = 30", "30")):
        told = telling_of(create_game("304", agreed)).in_short()
        assert f"Who comes to {goal} first has won." in str(told[-1])


def test_divided_by_ten_a_result_looks_otherwise_and_is_the_same() -> None:
    plain, divided = named_profile("maharashtra"), named_profile("maharashtra", ["divide_by_ten"])
    assert [points_text(divided, each) for each in (304, 300, 7, -12)] == [
        "30.4",
        "30",
        "0.7",
        "-1.2",
    ]
    one, other = (RunningOutcome(each, facts(points=204)) for each in (plain, divided))
    assert one.scores == other.scores
    assert "204 points" in one.summary
    assert "20.4 points" in other.summary
    shown = scene(bought(200, "JC", "divide_by_ten").table.view(None), (0, 0, 0, 0))
    assert shown.contract[0] == ("20 by ", Who(Seat(0)))


def test_a_partner_that_has_sorted_its_hand_is_answered_whatever_card_it_tries() -> None:
    table = bought()
    while table.state.awaiting != (Seat(2),):
        table.first()
    view, legal = table.table.view(Seat(2)), table.legal("N")
    assert known_partner(view) == Seat(0)
    telling = telling_of(table.game)
    # It has seen the card that was called in two slots: as it was dealt, and as it lies now.
    for slot in table.state.hands[2]:
        assert telling.refusal(view, legal, Tried(slot=slot))


# --- double ---------------------------------------------------------------------------------------

# Tamil Nadu at four seats (PROFILES 3.3, VARIANTS R114 and R115): double.

DOUBLED = {
    "S": "JS 9S AS TS JH 9H JD 9D",
    "E": "KS QS 8S 7S AH TH KH QH",
    "N": "JC 9C AC TC AD TD KD QD",
    "W": "KC QC 8C 7C 8H 7H 8D 7D",
}
FIVE = ("JS KS QD 7D", "9S QS KD 8D", "AS 8S TD 7H", "TS 7S TC 8H", "JH QH 9C 7C")
DOUBLE = act.CallDouble()


def table(profile: str = "tamil4", bid: Bid = 160) -> Table:
    """South is the maker and plays open trumps, and North and it win every trick."""
    found = Table(profile, "W", DOUBLED).contract("S", bid, "JS")
    if found.state.phase is Phase.DECLARE:
        found.do("S", next(each for each in found.legal("S") if type(each).__name__ == "OpenTrump"))
    return found


def after_five(profile: str = "tamil4") -> Table:
    found = table(profile)
    for names in FIVE:
        found.trick("S", names)
    return found


def ended(found: Table) -> HandOutcome:
    outcome = found.finish()
    assert isinstance(outcome, HandOutcome)
    return outcome


def test_a_side_that_has_lost_a_trick_does_not_call() -> None:
    found = table()
    found.trick("S", "JD KS AD 7D")
    found.trick("E", "KH TD 7H JH")
    for names in ("JS 7S KD 8D", "9S 8S QD 8H", "AS QS 9C 7C"):
        found.trick("S", names)
    assert [trick.winner for trick in found.state.tricks] == [1, 0, 0, 0, 0]
    assert found.refused("S", DOUBLE).endswith("(rule 3.3)")


def test_whoever_undertook_all_tricks_already_calls_no_double() -> None:
    """R114."""
    found = table(bid=Contract.PARTNER_CLOSE_CAPS)
    assert found.state.contract is Contract.PARTNER_CLOSE_CAPS
    for names in ("JS KS 7D", "9S QS 8D", "AS 8S 7H", "TS 7S 8H", "JH QH 7C"):
        if found.state.phase is Phase.WINDOW:
            found.ready()
        for letter, name in zip("SEW", names.split(), strict=True):
            found.play(letter, name)
    assert found.refused("S", DOUBLE).endswith("(rule 3.3)")


def test_a_double_is_told_with_how_it_ended() -> None:
    found = after_five()
    found.do("S", DOUBLE)
    found.ready()
    assert "called double and won every trick" in ended(found).summary


# --- 304 seats ------------------------------------------------------------------------------------

# 304 at six and eight seats, as PROFILES 3.1 and rulings 92 to 98 have it.

#: From South-East: that seat has four hearts of six, all but the two lowest.
SIX24 = "JH9HAH.TH KHQHJS.9S ASTSKS.QS JD9DAD.TD KDQDJC.9C ACTCKC.QC"


def tale(profile: str, moves: str, deal: str = "", dealer: str = "S") -> State:
    """Return the state to which these moves lead; the deal goes from the dealer's right."""
    text = f"304 {profile}\ndeal {dealer} {deal or any_deal(profile)}\ncut 0\n{moves}\n"
    return Retelling.of_record(parse_hand(text)).state


def any_deal(profile: str) -> str:
    agreed = parse_agreement(profile)
    pack = list(map(str, agreed.deck.cards))
    Random(profile).shuffle(pack)
    first, second = agreed.deal_batches.sizes
    hands = (pack[at : at + first + second] for at in range(0, len(pack), first + second))
    return " ".join("".join(hand[:first]) + "." + "".join(hand[first:]) for hand in hands)


def numbers(state: State, seat: int) -> list[int]:
    bids = four_card_bids(state.profile, state.auction, Seat(seat))
    return [bid for bid in bids if isinstance(bid, int)]


@pytest.mark.parametrize("name", PROFILES)
def test_every_card_is_dealt_once_and_each_batch_goes_round(name: str) -> None:
    profile = PROFILES[name]
    record = parse_hand(f"304 {name}\ndeal S {any_deal(name)}\ncut {5 * profile.max_cuts}\n")
    assert sorted(record.deck()) == sorted(profile.deck.cards)
    assert parse_hand(format_hand(record)) == record
    hands = Retelling.of_record(record)
    first = profile.deal_batches.sizes[0]
    for seat in range(profile.seats):
        held = [hands.faces[slot] for slot in hands.state.hands[seat]]
        assert held == list(record.hands[seat][:first])


# ------------------------------------------------------------------ auctions


def test_steps_of_five_begin_above_the_middle_bracket() -> None:
    state = tale("tamil504; +step5_from_200", "")
    offered = numbers(state, 1)
    assert [n for n in offered if n % 10] == list(range(335, 500, 10)), "ruling 92"


def test_an_asked_mate_that_can_only_pass_has_passed() -> None:
    rule = "six36; reentry_rule = 200 and up, while nobody has reached 200"
    state = tale(rule, "SE160 NE200 N?SE")
    assert [(call.seat, call.forced) for call in state.calls[2:]] == [(1, True)]
    assert state.auction.turn == 4


def test_asking_is_listed_once_for_each_mate_and_has_a_text() -> None:
    told = Retelling.of_record(parse_hand(f"304 six36\ndeal S {any_deal('six36')}\ncut 0\n"))
    legal = legal_actions(View(Seat(1), told.state, told.faces))
    assert [each for each in legal if isinstance(each, act.AskPartner)] == [
        act.AskPartner(Seat(3)),
        act.AskPartner(Seat(5)),
    ]
    game = Game304(PROFILES["six36"])
    assert game.format_action(act.AskPartner(Seat(3))) == "ask-seat 3"
    assert game.parse_action("ask-seat 3") == act.AskPartner(Seat(3))
    assert game.format_action(act.AskPartner()) == "ask"


# ------------------------------------------------------------------ play


OPENED = "SE200 NE- N- NW- SW- S- SE*JH SEopen "


def test_caps_are_over_with_the_first_card_of_the_last_trick() -> None:
    moves = OPENED + (
        "SEJH NEQH NQS NWTD SWKD SQC SE9H NEKH NKS NWAD SWQD SKC SEAH NE9S NTS NW9D SWJC STC SETH"
    )
    state = tale("six24", moves, SIX24)
    with pytest.raises(RulesError, match="the last trick has begun"):
        Game304(state.profile).apply(state, Seat(3), act.CallCaps(()))


def test_seats_are_points_of_the_compass_in_playing_order() -> None:
    assert seat_letters(4) == ("S", "E", "N", "W")
    assert seat_letters(6) == ("S", "SE", "NE", "N", "NW", "SW")
    assert seat_letters(8) == ("S", "SE", "E", "NE", "N", "NW", "W", "SW")
    assert seat_letters(3) == ("1", "2", "3")
    state = tale("six36", "SE160")
    with pytest.raises(RulesError, match=r"South is not to act .*; it is for North-East"):
        Game304(state.profile).apply(state, Seat(0), act.PlaceBid(170))


# --- 304 seats played -----------------------------------------------------------------------------

# Hands under what other profiles have, played at random with open cards.
#
# The simulator checks every statement against the cards, and of every disclosure that those learn
# who should, and nobody else anything.

LUCK = bytes(32)
SHOWING = "pagat; pre_show_card = in a trick too"
CALLED = "maharashtra; +marriages; +last_trick; +divide_by_ten; +pre_show"
NAMES: Final = (
    *("six24", "eight32", "six36", "tamil504", "tamil904", "tamil4"),
    *("maharashtra", CALLED, "doso_viso", SHOWING),
)
RARE: Final = (act.CallCaps, act.CallSpoilt, act.DemandRedeal)


class Wild:
    """Chooses a kind of action first; contracts and what ends a hand are rare."""

    def __init__(self, seed: int) -> None:
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[State]) -> Action:
        actions = legal_actions(view)
        calm = [each for each in actions if not self._is_rare(each) or self._one_in(40)]
        kinds = list(dict.fromkeys(map(type, calm or actions)))
        kind = kinds[self._chance.randbelow(len(kinds))]
        fitting = [each for each in calm or actions if type(each) is kind]
        return fitting[self._chance.randbelow(len(fitting))]

    def _is_rare(self, action: Action) -> bool:
        contract = isinstance(action, act.PlaceBid) and isinstance(action.bid, Contract)
        return contract or isinstance(action, RARE)

    def _one_in(self, times: int) -> bool:
        return self._chance.randbelow(times) == 0


class Watch:
    """Looks at every step of a hand."""

    def __init__(self, name: str) -> None:
        self.game = create_game("304", name)
        self.telling = telling_of(self.game)
        self.seen: Counter[Any] = Counter()

    def __call__(self, table: OpenTable, seat: Seat, action: Any) -> None:
        game, state = self.game, table.state
        assert game.parse_action(game.format_action(action)) == action
        in_turn = isinstance(action, act.ShowCard) and state.promised is not None
        self.seen[type(action), in_turn] += 1
        awaited = state.awaiting
        if awaited:
            view = table.view(awaited[-1])
            legal = game.legal_actions(view)
            choices = self.telling.choices(view, legal)
            self.telling.prompt(view, choices)
            self.telling.waiting_line(state, awaited)
            self.telling.scene(view, game.new_match(LUCK).scores)
            self.telling.moment(view)

    def hand(self, dealer: Seat, chance: SeededRandomness) -> None:
        """Play a hand to its end."""
        game = self.game
        deck = shuffled(game, chance)
        table = OpenTable(game, deck, chance, dealer=dealer)
        play_out(table, [Wild(chance.word()) for _ in range(game.seats)], watch=self)
        state = table.state
        outcome = game.settle(state)
        assert sum(outcome.scores) == 0
        assert outcome.summary.isascii()
        faces = {slot: table.face(slot) for hand in state.dealt for slot in hand}
        self.telling.summary(Ended(state, outcome, outcome.scores, faces))
        if isinstance(outcome, RunningOutcome):
            lone = outcome.facts.partner is None
            assert outcome.facts.bid is None or lone is (holder(state) is None)
            assert outcome.facts.bid in (None, Contract.HALF_COURT) or not lone
        elif state.end is End.PLAYED and not isinstance(state.contract, Contract):
            assert sum(points_of_teams(state)) == state.profile.deck.points
        text = format_hand(record_hand(state, deck, table.face))
        told = Retelling.of_record(parse_hand(text)).state
        assert (told.end, told.contract, len(told.tricks)) == (
            state.end,
            state.contract,
            len(state.tricks),
        )
        self.seen[state.end] += 1


@pytest.mark.parametrize(
    "case",
    [*((name, 6) for name in NAMES), *long(*((name, 1_000) for name in NAMES))],
    ids=str,
)
def test_hands_are_played_to_their_end_and_told_again(case: tuple[str, int]) -> None:
    name, hands = case
    watch = Watch(name)
    chance = SeededRandomness(hands)
    for number in range(hands):
        watch.hand(Seat(number % watch.game.seats), chance)
    assert watch.seen[End.PLAYED] >= hands // 8, watch.seen
    assert (watch.seen[act.ShowCard, True] > 0) == (name == SHOWING)


@pytest.mark.parametrize("name", sample(NAMES, ["eight32", SHOWING]))
def test_every_table_gets_players_that_end_a_hand(name: str) -> None:
    game = create_game("304", name)
    chance = SeededRandomness(1)
    deck = shuffled(game, chance)
    players = [player_for(game, seed, "beginner") for seed in range(game.seats)]
    assert play_hand(game, Seat(1), players, deck, chance).state.end is not None
