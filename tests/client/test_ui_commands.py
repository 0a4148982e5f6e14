"""Keys, words and clicks become actions, legal ones; what the client teaches fits the moment."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from cli.front.assistant import duty
from cli.front.writing import Writer, choice_lines, find_choice
from cli.screen import overlays
from cli.screen.app import ENTER
from cli.screen.canvas import Style
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import (
    KEYS,
    NEVER,
    PASTED,
    Act,
    Asking,
    Deed,
    Desk,
    Mode,
    PlainDeed,
    is_asked,
)
from cli.screen.footer import keys_line, prompt_lines, waiting_words
from cli.screen.input import click, press, settle
from cli.screen.layout import LEAST_COLUMNS
from cli.screen.model import Summary, Table, new_table
from cli.screen.overlays import help_lines, summary_lines
from cli.screen.preferences import PlaySettings
from cli.screen.render import render
from p2p304.bots.players import RandomPlayer, RandomPlayer304
from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.games import GAMES, create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules41 import hand as hand41
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceNone,
    CallCaps,
    CallSpoilt,
    Contract,
    Cut,
    LayIndicator,
    NameCard,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    Ready,
    ShowCard,
    SortHand,
)
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.search import judge_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    Violation,
    ViolationKind,
    VoidKind,
    score_hand,
)
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import NORTH_SOUTH
from p2p304.rules304.telling.options import urgent
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.telling import Choice
from p2p304.view import View
from protocol.seat.session import Session
from protocol.table.events import ActionTaken, Event, HandStarted
from protocol.topics.commands import CallReferee, Say
from tests.client.moments import (
    MOMENTS,
    OpenHand,
    Script,
    dealt,
    empty_table,
    first,
    hand_of_bots,
    hands,
    legal_at,
    offering,
    quiet,
    shuffled,
)
from tests.long import long
from tests.screen_keys import keys_for
from tests.table.bus import Table as Sessions
from tests.table.bus import charter
from tests.table.test_called_partner_table import BotTable

# --- ui commands ----------------------------------------------------------------------------------

# Keys, typed words and clicks become the game's action, and only ever a legal one.

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


def typed(table: Table, *keys: str, desk: Desk | None = None) -> tuple[Desk, Deed | None]:
    """What comes of keys, one after another; the deed must come with the last one."""
    desk, deed = desk or Desk(), None
    for key in keys:
        assert deed is None
        desk, deed = press(desk, table, key)
    return desk, deed


def auction() -> Table:
    return Script(SOUTH).do(Cut(0)).hand.table


def trick() -> Table:
    return Script(NORTH).to_play().ready().play("JC", "9C").hand.table


def second(seat: Seat) -> Script:
    return Script(seat).second_trick()


def bid_on() -> Table:
    return Script(SOUTH).do(Cut(0), PlaceBid(160), Pass(), PlaceBid(200), Pass()).hand.table


def laid() -> Script:
    return Script(SOUTH).do(Cut(0), PlaceBid(160), Pass(), Pass(), Pass()).lay("9H")


def caps_table() -> Table:
    script = second(SOUTH).play("KS", "QS", "~TD", "7S")
    return script.do(AnnounceNone()).hand.table


def named(action: object) -> str:
    """A kind of action with its card, if it has one."""
    return " ".join((type(action).__name__, str(getattr(action, "card", ""))))


# --- what is chosen, and what is refused ----------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "keys", "action"),
    [
        (auction, ["6", "0", "enter"], PlaceBid(160)),
        (trick, ["Q", "C"], "PlayCard QC"),
        (trick, ["right", "right", "left", "enter"], "PlayCard KC"),
        (lambda: second(NORTH).play("KS", "QS").hand.table, ["1", "0", "d"], "PlayDown "),
        (lambda: second(NORTH).play("KS", "QS").hand.table, ["t", "d"], "PlayDown "),
    ],
)
def test_keys_choose(make: Callable[[], Table], keys: list[str], action: object) -> None:
    deed = typed(make(), *keys)[1]
    assert isinstance(deed, Act)
    assert (named(deed.action) if isinstance(action, str) else deed.action) == action


@pytest.mark.parametrize(
    ("make", "keys", "asks", "action"),
    [
        (auction, "170", "Bid 170?", PlaceBid(170)),
        (auction, "90", "Bid 190?", PlaceBid(190)),
        (auction, "250", "Bid 250? It cannot be undone. (y/n)", PlaceBid(250)),
        (lambda: laid().hand.table, "g", "", PlaceBid(Contract.PARTNER_CLOSE_CAPS)),
        (caps_table, "s", "", CallSpoilt()),
    ],
)
def test_what_is_worth_more_than_the_least_is_asked_about_first(
    make: Callable[[], Table], keys: str, asks: str, action: object
) -> None:
    table = make()
    desk, deed = typed(table, *keys, *["enter"] * keys.isdecimal())
    assert (desk.mode, deed) == (Mode.CONFIRM, None)
    assert desk.notice.startswith(asks)
    for no in ("n", "escape"):
        assert press(desk, table, no)[1] is None
    assert press(desk, table, "y")[1] == Act(action)
    assert press(replace(desk, named_at=NEVER), table, "enter")[1] == Act(action)


@pytest.mark.parametrize(
    ("make", "keys", "said"),
    [
        (auction, "65", ["65 is too low", "5.2.2"]),
        (lambda: Script(EAST).do(Cut(0), PlaceBid(160)).hand.table, "155",
         ["155 is too low; the standing bid is 160"]),
        (bid_on, "180", ["rule 5.2", "bid 210 to 300, pass"]),
        (bid_on, "a", ["the partner holds the standing bid (rule 5.3, asking the partner)"]),
        (auction, "n", ["You cannot ask for new cards now: you hold 91 points, and fewer than 15"
                        " are needed (rule 5.5, new cards). Allowed: bid 160 to 300, pass, ask"]),
        (auction, "g", ["You cannot go alone (Partner Close Caps or Half Court) now: Partner Close"
                        " Caps is an eight-card bid only (rule 5.2, bids with four cards)."]),
        (auction, "o", ["You can open trump only as the maker, before the first lead (rule 8, o"]),
        (auction, "y", ["You can concede the rest only when your opponents have called caps"]),
        *((auction, key, ["Allowed: bid 160 to 300"]) for key in "ngokcsyv"),
        *((caps_table, key, ["rule "]) for key in "pgnoyv"),
        (trick, "jd", ["must follow it (rule 9", "Q♣ K♣"]),
        (lambda: second(SOUTH).hand.table, "9h", ["rule 9.3"]),
        (trick, "js", ["not in your hand"]),
        *((lambda: Script(WEST).to_play().ready().play("JC").hand.table, keys, ["not your turn"])
          for keys in ("p", "8c", "c")),
        *((trick, keys, [f'Nothing to choose now begins with "{keys}". Allowed: '])
          for keys in ("kx", "x", "9z", "1j", "10x", "kk")),
        (lambda: Script(EAST).to_play().ready().play("JC", "9C", "QC", "8C").hand.table, "c",
         ["team that has lost a trick cannot call caps (rule 13.4, caps)"]),
        (auction, "h", ["No hints here: other people play."]),
        (auction, "l", ["No trick"]),
        (lambda: OpenHand(empty_table(), dealer=EAST).table, "p",
         ["Allowed: cut at 1 to 31, leave the pack uncut."]),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_is_refused_in_english_with_its_rule(
    make: Callable[[], Table], keys: str, said: list[str]
) -> None:
    desk, deed = typed(make(), *keys, *["enter"] * keys.isdecimal())
    assert (deed, desk.typed) == (None, "")
    for words in said:
        assert words in desk.notice.replace("K♣ Q♣", "Q♣ K♣")


# --- bids -----------------------------------------------------------------------------------------


def test_what_is_asked_about_is_what_costs_everything_or_nothing() -> None:
    assert click(Desk(), auction(), "number 170")[0].mode is Mode.CONFIRM
    bold = Desk(settings=PlaySettings(asking=Asking.NOTHING))
    assert typed(auction(), *"250", "enter", desk=bold)[1] == Act(PlaceBid(250))
    offered = auction().choices
    legal = {each.action for each in offered}
    careful = {each.action for each in offered if is_asked(each, Asking.ALL)}
    usual = {each.action for each in offered if is_asked(each, Asking.COSTLY)}
    assert careful == legal  # to pass cannot be undone either
    assert usual == {each for each in legal if isinstance(each, PlaceBid)} - {PlaceBid(160)}
    dear = offering(auction(), AcceptCaps(), PlaceBid(Contract.HALF_COURT)).choices
    assert all(is_asked(each, Asking.COSTLY) for each in dear)
    assert not any(is_asked(each, Asking.NOTHING) for each in offered)


# --- cards ----------------------------------------------------------------------------------------


def test_a_click_on_a_card_plays_it() -> None:
    assert isinstance(click(Desk(), trick(), f"card {trick().choices[0].slot}")[1], Act)
    assert click(Desk(), trick(), "key l")[0].mode is Mode.TABLE


# --- what is pasted, and nonsense -----------------------------------------------------------------


def test_a_paste_decides_nothing_and_is_typed_only_where_it_is_words_or_figures() -> None:
    desk, deed = typed(auction(), PASTED + "pizza at eight?")
    assert (deed, desk.typed) == (None, "")
    assert "not taken for keys" in desk.notice
    desk, deed = typed(auction(), PASTED + "170\n")
    assert (deed, desk.typed) == (None, "170")
    assert typed(auction(), "enter", "y", desk=desk)[1] == Act(PlaceBid(170))
    for text in ("qc", "p", "\r", "1234"):
        desk, deed = typed(trick(), PASTED + text)
        assert (deed, desk.typed) == (None, "")
    asked = Desk(mode=Mode.LEAVE, notice="Leave? (y/n)")
    assert press(asked, auction(), PASTED + "y") == (asked, None)
    talking = Desk(mode=Mode.TALK, typed="so: ", talk=True)
    assert press(talking, empty_table(), PASTED + "hi\x1b\n there")[0].typed == "so: hi there"


# --- claims ---------------------------------------------------------------------------------------


def test_a_click_on_enter_counts_also_right_after_a_card_was_typed() -> None:
    table = caps_table()
    asked = replace(typed(table, "c", *"jhah10h9s7d")[0], named_at=100.0)
    assert press(asked, table, "enter", now=100.5)[1] is None
    assert isinstance(click(asked, table, "key enter")[1], Act)


def test_an_answer_is_given_to_the_choice_that_was_asked_about_and_to_no_other() -> None:
    """The table changes between question and answer, and no event has put the question away."""
    table, costly = caps_table(), auction()
    order, _ = typed(table, "c")
    asked, _ = typed(table, "c", *"jhah10h9s7d")
    asked = replace(asked, named_at=NEVER)  # a while ago
    bid, _ = typed(costly, *"250", "enter")
    for desk, at, late in ((order, table, "caps"), (asked, table, "caps"), (bid, costly, "bid")):
        for other in (replace(at, number=at.number + 1), replace(at, choices=())):
            for key in ("y", "enter", "a"):
                if key == "a" and desk.mode is not Mode.ORDER:
                    continue
                after, deed = press(desk, other, key)
                assert (after.mode, after.pending, deed) == (Mode.TABLE, None, None)
                assert after.notice.startswith("Too late to ")
                assert late in after.notice
            assert press(desk, other, "escape")[0].mode is Mode.TABLE
            if other.choices and desk.mode is Mode.CONFIRM:
                assert press(desk, other, "n")[0].notice == "Nothing was done."


def test_a_referee_is_not_called_in_another_hand_than_the_one_that_was_meant() -> None:
    table = replace(auction(), referees=1)
    desk, _ = typed(table, *"@they talk")
    later = replace(table, number=table.number + 1)
    again, deed = press(desk, later, "enter")
    assert (again.mode, again.typed, deed) == (Mode.CHALLENGE, "they talk", None)
    assert "Another hand has begun" in prompt_lines(later, again, 80)[1][1]
    assert press(again, later, "enter")[1] == CallReferee("they talk")
    assert press(desk, table, "enter")[1] == CallReferee("they talk")


# --- settings of play, and reading ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "wishes"),
    [
        ("01-charter", {"y": PlainDeed.AGREE, "n": PlainDeed.REFUSE, "x": None}),
        ("10-result", {"x": None, "enter": PlainDeed.CLOSE, "c-c": PlainDeed.LEAVE}),
    ],
)
def test_what_is_read_is_answered_by_its_own_keys(
    moment: str, wishes: dict[str, PlainDeed | None]
) -> None:
    shown = MOMENTS[moment]()
    for key, wish in wishes.items():
        assert press(shown.desk, shown.table, key)[1] is wish


def test_leaving_is_asked_about_in_a_hand_and_a_second_ctrl_c_leaves_at_once() -> None:
    desk, deed = typed(auction(), "escape")
    assert (desk.mode, deed) == (Mode.LEAVE, None)
    assert press(desk, auction(), "y")[1] is PlainDeed.LEAVE
    for mode in set(Mode) - {Mode.LEAVE, Mode.LESSON}:
        asked, deed = press(Desk(mode=mode, typed="half a word"), auction(), "c-c")
        assert (asked.mode, asked.notice, deed) == (Mode.LEAVE, desk.notice, None)
        assert press(asked, auction(), "c-c")[1] is PlainDeed.LEAVE
        assert press(asked, auction(), "n") == (Desk(), None)
    stopped = replace(auction(), stopped="Play stopped.")
    assert press(Desk(), stopped, "c-c")[1] is PlainDeed.LEAVE


def test_the_table_of_keys_has_one_meaning_for_each_key_and_is_the_help() -> None:
    for name in GAMES:
        table = new_table(create_game(name), charter(4, game=name), SOUTH)
        keys = [each.key for each in (*KEYS, *table.telling.keys)]
        assert len(set(keys)) == len(keys)
        text = "\n".join(help_lines(table))
        for each in (*KEYS, *table.telling.keys):
            assert each.words in text


# --- whatever is pressed --------------------------------------------------------------------------

NOISE = [*"0123456789apnogkcsyvl?h/!jqtdwx_ ", "enter", "escape", "left", "right", "backspace"]
NOISE += ["up", "down", "tab", "f1", "pageup", "pagedown", "\u202e", "é"]


@pytest.mark.parametrize("seed", range(4))
def test_random_keys_never_bring_an_action_that_is_not_legal(seed: int) -> None:
    chance = SeededRandomness(seed)
    (hand,) = hands(1, empty_table())
    desk, acts = Desk(settings=PlaySettings(hints=True), talk=True), 0
    for _ in range(4_000):
        if not hand.state.awaiting:
            break
        seat = hand.state.awaiting[0]
        if seat != SOUTH:
            hand.act(quiet(hand.table, hand.legal(seat), hand.chance))
            desk = settle(desk, hand.table)
            continue
        desk, deed = press(desk, hand.table, NOISE[chance.randbelow(len(NOISE))])
        if isinstance(deed, Act):
            acts += 1
            if isinstance(deed.action, CallCaps):
                assert any(isinstance(each, CallCaps) for each in legal_at(hand.table))
            else:
                assert deed.action in legal_at(hand.table)
            hand.act(deed.action, SOUTH)
            desk = settle(desk, hand.table)
        assert prompt_lines(hand.table, desk, 80)[0] in Style
    assert acts


def test_every_legal_action_but_a_call_of_caps_has_keys_and_enter_alone_claims_nothing() -> None:
    checked = 0
    for hand in hands(12, empty_table()):
        while hand.state.awaiting:
            seat = hand.state.awaiting[0]
            default = hand.table.default
            if default is not None and len(hand.table.choices) > 1:
                assert default.action in (Ready(), Cut(0))
            for action in legal_at(hand.table):
                keys = keys_for(hand.table, action)
                if isinstance(action, CallCaps):
                    continue
                assert keys is not None, action
                names = ["enter" if key == ENTER else key for key in keys]
                desk, deed = typed(hand.table, *names)
                if desk.mode is Mode.CONFIRM:
                    deed = press(desk, hand.table, "y")[1]
                assert deed == Act(action), (action, keys, desk.notice)
                checked += 1
            hand.act(quiet(hand.table, hand.legal(seat), hand.chance))
    assert checked > 500


# --- prompts --------------------------------------------------------------------------------------


def test_who_waits_reads_what_for() -> None:
    table = Script(EAST).hand.table
    dealing = table.state._replace(awaiting=(), phase=Phase.AUCTION4)
    assert waiting_words(replace(table, state=dealing, choices=())) == "The cards are being dealt."
    counting = table.state._replace(awaiting=(EAST,), phase=Phase.COUNT)
    assert "opened and counted" in waiting_words(replace(table, state=counting, choices=()))
    passed = table.state._replace(awaiting=(), phase=Phase.OVER, end=End.PASSED_OUT)
    assert waiting_words(replace(table, state=passed, choices=())) == "The hand is over."
    assert "looking on" in press(Desk(), empty_table(seat=None), "right")[0].notice


@pytest.mark.parametrize("phase", [Phase.WINDOW, Phase.TRICK])
def test_a_key_goes_through_the_cards_that_may_be_shown_and_others_are_played(phase: Phase) -> None:
    """Where that is agreed: between tricks, and at one's turn; the card alone stands for playing
    it."""
    agreed = "pagat; +pre_show_in_trick"
    hand = hand_of_bots("304", agreed, 2, seat=Seat(0), dealer=Seat(3), scores=(11, 11))
    table = first(hand, lambda each: each.state.phase is phase and any(
        isinstance(choice.action, ShowCard) for choice in each.choices))  # fmt: skip
    shows = [each for each in table.choices if isinstance(each.action, ShowCard)]
    desk = Desk(settings=PlaySettings(asking=Asking.NOTHING))
    for each in shows[:3]:
        desk, done = press(desk, table, "w")
        assert done is None
        assert desk.cursor == each
        assert press(desk, table, "enter")[1] == Act(each.action)
        assert keys_line(table, desk)[0][0] == f"[Enter] {table.writer.line(each.label)}"
    assert ("[w] show a card", "key w") in keys_line(table, desk)
    if phase is Phase.WINDOW:
        assert "w shows a card that you play next" in " ".join(prompt_lines(table, desk, 400)[1])
        return
    played, done = press(Desk(settings=PlaySettings(asking=Asking.NOTHING)), table, "right")
    action = press(played, table, "enter")[1]
    assert isinstance(action, Act)
    assert isinstance(action.action, PlayCard)


def test_the_latest_news_that_lack_their_beginning_begin_with_dots() -> None:
    long = " ".join(f"word{number}" for number in range(30))
    table = replace(second(SOUTH).hand.table, news=("Lost.", long, "North takes trick 1."))
    text = render(table, Desk(), 80, 24).text()
    assert "North takes trick 1." in text[19]
    assert text[18].startswith("... ")
    assert text[18].rstrip().endswith("word29")
    assert "Lost." not in text[18]


# --- orders of cards ------------------------------------------------------------------------------


def after(desk: Desk, table: Table, *keys: str) -> Desk:
    for key in keys:
        desk, deed = press(desk, table, key)
        assert deed is None, "an order is asked about before it is said"
    return desk


def picked(desk: Desk, table: Table) -> str:
    return " ".join(str(table.faces[slot]) for slot in desk.picked)


def test_a_card_is_typed_and_what_is_none_is_said() -> None:
    table = Played().to_the_window().hand.table
    desk, _ = press(Desk(), table, "c")
    assert desk.mode is Mode.ORDER
    assert after(desk, table, "j").typed == "j"
    assert picked(after(desk, table, "j", "c"), table) == "JC"
    assert after(desk, table, "j", "x").notice == 'No card begins with "jx".'
    assert after(desk, table, "j", "backspace").typed == ""
    again = after(desk, table, "j", "c", "j", "c")
    assert again.notice == "That card is not in your hand, or chosen."
    assert picked(again, table) == "JC"
    assert after(desk, table, "7", "s").notice == "That card is not in your hand, or chosen."
    assert after(desk, table, "f5") == desk


@pytest.mark.parametrize("mode", Mode, ids=str)
def test_what_is_asked_in_any_mode_fits_the_smallest_screen(mode: Mode) -> None:
    table = second(SOUTH).hand.table
    for desk in (Desk(mode=mode), Desk(mode=mode, typed="w" * 200)):
        for each in (table, replace(table, choices=())):
            lines = prompt_lines(each, desk, LEAST_COLUMNS)[1]
            assert len(lines) <= 2
            assert max(map(len, lines)) <= LEAST_COLUMNS


def test_words_behind_a_refused_slash_are_no_commands_up_to_enter() -> None:
    desk, deed = typed(auction(), *"/ask me, partner! 160 p")
    assert (desk.mode, desk.typed, deed) == (Mode.UNHEARD, "", None)
    assert "not agreed" in desk.notice
    assert "Enter goes back" in desk.notice
    for key in ("enter", "escape"):
        after, deed = press(desk, auction(), key)
        assert (after, deed) == (Desk(), None)
    assert typed(auction(), "p", desk=after)[1] == Act(Pass())


def test_an_enter_behind_a_typed_card_confirms_it_and_answers_nothing_else() -> None:
    table = trick()
    desk, deed = typed(table, "q", "c")
    assert isinstance(deed, Act)
    assert window().default is not None
    for later in (replace(table, choices=()), window()):
        assert press(desk, later, "enter", now=0.9) == (replace(desk, named_at=NEVER), None)
    assert press(desk, window(), "enter", now=60.0)[1] == Act(Ready())
    after, _ = press(desk, window(), "?", now=0.5)
    assert press(after, window(), "enter", now=0.6)[0].mode is Mode.TABLE
    refused, _ = typed(table, "j", "s")
    assert press(refused, table, "enter")[0].notice == refused.notice != ""


def test_typing_keeps_its_focus_while_a_hand_begins_and_the_words_wait_for_its_end() -> None:
    table = empty_table(house=("table_chat",))
    hand = replace(auction(), game=table.game, telling=table.telling)
    talking, _ = typed(table, *"/well pl", desk=Desk(talk=True))
    begun = settle(talking, hand)
    assert (begun.mode, begun.typed) == (Mode.TALK, "well pl")
    assert prompt_lines(hand, begun, 80)[1][1].startswith("It is your turn: Enter keeps it")
    desk, deed = typed(hand, *"ayed 160 p", desk=begun)
    assert (desk.mode, deed) == (Mode.TALK, None)
    kept, deed = press(desk, hand, "enter")
    assert (kept.mode, kept.kept, deed) == (Mode.TABLE, "well played 160 p", None)
    again, _ = press(kept, table, "/")
    assert (again.mode, again.typed, again.kept) == (Mode.TALK, "well played 160 p", "")
    assert press(again, table, "enter")[1] == Say("well played 160 p")
    assert press(desk, hand, "escape")[0].kept == ""


def window() -> Table:
    return Script(WEST).to_play().hand.table


# --- options --------------------------------------------------------------------------------------

# Choices in words, bids by their value: every legal action once, and no word for two.

CARD = re.compile(r"(?<![\w-])(?:10|[2-9JQKA])[SHDC](?!\w)")
NUMBERS = (Cut, PlaceBid, hand41.Cut, hand41.PlaceBid)  #: What a number may mean.
TAUGHT = (
    ("304", "pagat"),
    ("304", "championship"),
    ("304", "pagat; +half_court; +pre_show"),
    ("304", "wikipedia"),
    ("41", ""),
    ("400", ""),
)


def positions(game_name: str, agreement: str, seed: int) -> Iterator[tuple[OpenTable, Seat]]:
    """Every position of a random hand at which a seat is awaited."""
    game = create_game(game_name, agreement)
    table = shuffled(game, SeededRandomness(seed))
    players = [
        RandomPlayer304(seed + seat) if isinstance(game, Game304) else RandomPlayer(game, seed)
        for seat in range(4)
    ]
    while awaited := game.contributors(table.state):
        for seat in awaited:
            yield table, seat
        table.act(awaited[0], players[awaited[0]].choose(table.view(awaited[0])))


LETTERS = Writer(4, ascii_only=True)


@pytest.mark.parametrize(("game_name", "agreement"), TAUGHT)
@pytest.mark.parametrize("seed", [0, *long(1, 2)])
def test_every_legal_action_has_words_of_its_own_and_a_number_is_a_bid_or_a_cut(
    game_name: str, agreement: str, seed: int
) -> None:
    for table, seat in positions(game_name, agreement, seed):
        view = table.view(seat)
        legal = list(table.game.legal_actions(view))
        options = telling_of(table.game).choices(view, legal)
        text = " ".join(choice_lines(options, LETTERS, 78))
        for number in range(310):
            option = find_choice(f" {number} ", options, LETTERS)
            assert option is None or isinstance(option.action, NUMBERS), option
        labels = [LETTERS.line(each.label) for each in options]
        assert len(set(labels)) == len(options)
        for option, label in zip(options, labels, strict=True):
            assert label.removeprefix("play ") in text or isinstance(option.action, NUMBERS)
            shared = sum(each.key == option.key for each in options) > 1
            assert not shared or not option.key or find_choice(option.key, options, LETTERS) is None
            for word in (label, *option.typed, *([option.key] * bool(option.key and not shared))):
                assert find_choice(word.upper(), options, LETTERS) is option, word
            known = {str(card).replace("T", "10") for card in view.faces.values()}
            assert set(CARD.findall(label)) <= known
        assert find_choice("nonsense", options, LETTERS) is None
        assert find_choice("-1", options, LETTERS) is None


def choices(name: str, view: View[Any], legal: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of the usual game of this name."""
    return telling_of(create_game(name)).choices(view, legal)


def in_a_hand() -> tuple[View[Any], Slot, Slot]:
    """The view of a seat with eight cards of 304, and the slots of two of them, a ten second."""
    table, seat = next(
        (table, seat)
        for table, seat in positions("304", "pagat", 1)
        if len(table.state.hands[seat]) == 8
        and any(table.face(slot).rank is Rank.TEN for slot in table.state.hands[seat])
    )
    slots = table.state.hands[seat]
    ten = next(slot for slot in slots if table.face(slot).rank is Rank.TEN)
    return table.view(seat), next(slot for slot in slots if slot != ten), ten


def test_only_duties_without_a_choice_are_done_without_a_question() -> None:
    view, one, _ = in_a_hand()

    def done(*legal: Any) -> Any:
        found = duty(choices("304", view, legal))
        return None if found is None else found.action

    assert done(SortHand()) == SortHand()
    assert done(PlayCard(one, view.faces[one])) is None
    assert done(LayIndicator(one)) is None
    assert done(Ready(), CallSpoilt()) is None
    assert done() is None
    for name in ("41", "400"):
        for table, seat in positions(name, "", 1):
            here = table.view(seat)
            offered = choices(name, here, table.game.legal_actions(here))
            sorts = table.game.format_action(offered[0].action).startswith("sort")
            assert (duty(offered) is not None) is sorts


# --- ui learning ----------------------------------------------------------------------------------

# What the client teaches fits the profile and the moment, and caps where hints are allowed.

SEATS = (SOUTH, EAST, NORTH, WEST)


def rules_now(
    state: State | None, seat: Seat | None, faces: Mapping[Slot, Card] | None = None
) -> tuple[str, ...]:
    """The rules of the moment, as one seat reads them."""
    table = replace(empty_table(seat=seat), state=state, faces=faces or {})
    return overlays.rules_now(table)


def test_missed_caps_and_violations_are_told_with_their_reason() -> None:
    table = Script(SOUTH).to_play().hand.table
    state: State = table.state
    profile = state.profile

    def told(**facts: Any) -> str:
        found = HandFacts(maker_team=NORTH_SOUTH, bid=210, **facts)
        outcome = score_hand(profile, found)
        return "\n".join(summary_lines(table, Summary(0, outcome, (11, 11), state, table.faces)))

    missed = told(points=304, tricks=8, caps=(CapsVerdict.WRONG, CapsVerdict.NONE))
    assert "certain to win every trick, and nobody called" in missed
    assert told(points=16, tricks=1, caps=(CapsVerdict.LOST, CapsVerdict.NONE)).startswith(
        "North-South called Caps and lost a trick: North-South pay 5 tokens, and the bid brings"
    )
    broken = told(violation=Violation(NORTH_SOUTH, ViolationKind.FALSE_SPOILT))
    assert "Violation North-South: a false call of spoilt trumps" in broken
    void = told(void=VoidKind.SPOILT)
    assert "nobody pays" in void
    assert "Points" not in void


def bold(_: Table, legal: tuple[Action, ...], chance: SeededRandomness) -> Action:
    """A random choice of a kind, claims and high bids among them."""
    kinds = list(dict.fromkeys(map(type, legal)))
    if len(kinds) > 1 and chance.randbelow(8) and Ready in kinds:
        return Ready()
    kind = kinds[chance.randbelow(len(kinds))]
    chosen = [each for each in legal if type(each) is kind]
    return chosen[chance.randbelow(len(chosen))]


#: Phases in which somebody acts and others do not, so that they must read something else.
_FOR_WHOM_IT_IS = frozenset(
    {
        Phase.CUT,
        Phase.INDICATOR4,
        Phase.INDICATOR8,
        Phase.DECLARE,
        Phase.INSPECT,
        Phase.SHOW_INDICATOR,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.COUNT,
    }
)


def test_every_phase_has_its_rules_for_the_seat_to_act_and_for_the_others() -> None:
    met: set[tuple[Phase, bool]] = set()
    for number, hand in enumerate(hands(40, empty_table())):
        policy = bold if number % 4 else quiet
        for _ in range(400):
            state = hand.state
            told = {seat: rules_now(state, seat, hand.open.view(seat).faces) for seat in SEATS}
            assert all(told.values())
            assert rules_now(state, None)
            met |= {(state.phase, seat in state.awaiting) for seat in SEATS}
            if state.phase in _FOR_WHOM_IT_IS:
                acting = {told[seat] for seat in SEATS if seat in state.awaiting}
                others = {told[seat] for seat in SEATS if seat not in state.awaiting}
                assert not acting & others, state.phase
            if not state.awaiting:
                break
            hand.act(policy(hand.table, hand.legal(state.awaiting[0]), hand.chance))
    named = {Phase.NAMING}  # only where a card is called: test_called_partner_screen
    assert {phase for phase, _ in met} == set(Phase) - named
    assert {(phase, mine) for phase in _FOR_WHOM_IT_IS for mine in (True, False)} <= met


def test_go_on_leading_trumps_is_said_of_trumps_alone() -> None:
    script = Script(SOUTH).second_trick()
    state, faces = script.hand.state, script.hand.table.faces

    def told(*unfollowed: Suit, **changes: object) -> str:
        led = state._replace(unfollowed=unfollowed, **changes)  # type: ignore[arg-type]
        return " ".join(rules_now(led, SOUTH, faces))

    assert "nobody followed" not in told(Suit.CLUBS)
    assert "nobody followed" not in told(Suit.CLUBS, trump=Suit.HEARTS)
    assert "You led trump, hearts, and nobody followed" in told(Suit.CLUBS, Suit.HEARTS)
    assert "You led trump, hearts, and nobody followed" in told(Suit.HEARTS, trump=Suit.HEARTS)
    unknown = " ".join(rules_now(state._replace(unfollowed=(Suit.CLUBS,)), SOUTH))
    assert "if that is trump" in unknown


# --- caps -----------------------------------------------------------------------------------------


#: South holds every trump but the lowest, and the highest club.
HANDS = (
    "JH 9H AH TH  KH QH 8H JC",
    "JS AS TS QS  7H 9C AC TC",
    "JD 9D AD TD  8S KS KC QC",
    "9S 7S 8D 8C  7C KD QD 7D",
)


class Played:
    """The hand from South's screen, with its events."""

    def __init__(self, seat: Seat = SOUTH) -> None:
        table = empty_table(seat=seat)
        self.hand = OpenHand(table, deck=dealt(table, HANDS, dealer=WEST), dealer=WEST)
        self.scores = table.scores
        self.events: list[Event] = [HandStarted(0, WEST, self.scores)]

    def do(self, *actions: Action) -> Played:
        for each in actions:
            seat = self.hand.state.awaiting[0]
            self.hand.act(each)
            self.events.append(ActionTaken(seat, each))
        return self

    def to_the_window(self) -> Played:
        """South has 160 in hearts, opens trump, and the window before its lead is open."""
        self.do(Cut(0), PlaceBid(160), Pass(), Pass(), Pass())
        slots = self.hand.state.hands[SOUTH]
        jack = parse_card("JH")
        lay = next(slot for slot in slots if self.hand.open.face(slot) == jack)
        self.do(LayIndicator(lay), *[Pass()] * 4)
        while self.hand.state.phase is Phase.SORTING:
            self.do(SortHand())
        return self.do(OpenTrump(jack))

    def silently_to_the_end(self) -> Played:
        """Nobody claims anything, and everybody plays its first card."""
        while self.hand.state.awaiting:
            legal = self.hand.legal(self.hand.state.awaiting[0])
            quiet = [each for each in legal if isinstance(each, Ready)]
            self.do((quiet or list(legal))[0])
        return self


def test_the_call_that_is_due_is_told_with_a_sure_order_and_the_reason() -> None:
    played = Played().to_the_window()
    view = played.hand.open.view(SOUTH)
    due = urgent(view)
    order = [view.faces[slot] for slot in due.order]
    assert judge_order(information_of(view.state, SOUTH, view.faces), order)
    writer = played.hand.table.writer
    told = " ".join(writer.sentence(line) for line in due.lines)
    assert "certain to win every trick" in told
    assert "Wrong Caps" in told
    assert "Nothing that is still out is higher in its suit than" in told
    assert "The trumps that are out, 7♥, fall on yours first." in told
    assert writer.cards(order) in writer.sentence(due.brief)


class Watched:
    """What a seat looks at of a session: the hand of a test, at a table where none has begun."""

    def __init__(self, played: Played) -> None:
        self._hand = played.hand
        self._table = Sessions(create_game("304", "pagat"), 1).chairs[SOUTH].session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def view(self, _: int | None = None) -> Any:
        return self._hand.open.view(SOUTH)

    def legal_actions(self) -> tuple[Action, ...]:
        return self._hand.legal(SOUTH)

    def awaited_others(self) -> frozenset[Seat]:
        return frozenset()

    def hand(self, _: int | None = None) -> None:
        return None


async def asked(played: Played, *keys: str, hints: bool = True) -> tuple[Any, ClientSeat]:
    """What South chooses by these keys, pressed once it is asked, or None; and its screen, whose
    player is never too quick for what it shows."""
    hours = map(float, range(0, 1 << 30, 3_600))
    seat = ClientSeat(PlaySettings(hints=hints, agree=hints), clock=lambda: next(hours))
    session: Any = Watched(played)
    await seat.begin(lambda: session)
    await seat.tell(played.events[0], session)
    decision = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.choices:
        await asyncio.sleep(0)
    seat.frame(80, 24)
    for key in keys:
        seat.press(key)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    if decision.done():
        return decision.result(), seat
    seen = seat.table, seat.desk
    decision.cancel()
    await asyncio.wait({decision})
    seat.table, seat.desk = seen
    return None, seat


async def test_the_table_warns_where_hints_are_allowed_and_going_on_is_asked_about() -> None:
    played = Played().to_the_window()
    chosen, seat = await asked(played)
    assert chosen is None
    _, lines = prompt_lines(seat.table, seat.desk, 80)
    assert lines[0].startswith("Call caps now (c): ")
    assert any("Caps are due" in line for line in overlays.rules_now(seat.table))
    chosen, seat = await asked(played, "enter")
    assert (chosen, seat.desk.mode) == (None, Mode.CONFIRM)
    assert "Wrong Caps" in seat.desk.notice
    assert (await asked(played, "enter", "y"))[0] == Ready()


async def test_enter_takes_card_after_card_in_the_order_that_is_certain() -> None:
    played = Played().to_the_window()
    call, _ = await asked(played, "c", *["enter"] * 7, "y")
    assert isinstance(call, CallCaps)
    view = played.hand.open.view(SOUTH)
    information = information_of(view.state, SOUTH, view.faces)
    assert judge_order(information, [card for _, card in call.order])


def test_the_result_says_which_order_was_certain_since_when() -> None:
    table = Played().to_the_window().silently_to_the_end().hand.table
    said = "\n".join(summary_lines(table, table.summary))
    assert "an order was certain to win every trick, and nobody called: " in said
    assert "of South were certain before the first lead" in said


# --- the called partner ---------------------------------------------------------------------------


def at_naming(seed: int = 2) -> tuple[BotTable, Session]:
    """A table whose maker is to name a card, and the maker's session."""
    table = BotTable("maharashtra", seed)
    run_to(table.begun(), Phase.NAMING)
    return table, table.sessions[table.hand().machine.state.maker]


def run_to(table: BotTable, phase: Phase) -> None:
    def there() -> bool:
        hand = table.sessions[0].table_state.hand()
        return hand is not None and hand.machine.state.phase is phase and not table.flying

    table.run(there)


async def asked_to_name(
    session: Session, **play_settings: bool
) -> tuple[ClientSeat, asyncio.Task[Any]]:
    """The maker's screen, once it is asked."""
    seat = ClientSeat(PlaySettings(agree=True, hints=True))
    await seat.begin(lambda: session)
    decision = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.choices:
        await asyncio.sleep(0)
    return seat, decision


async def named_by_typing(session: Session, keys: str) -> object:
    """What the maker's screen does with these keys."""
    seat, decision = await asked_to_name(session)
    for columns, rows in ((80, 24), (140, 45)):
        text = "\n".join(seat.frame(columns, rows).text())
        assert "name the card whose holder is your partner" in " ".join(text.split())
    seat.press("?")
    assert "a card that is not in your hand" in "\n".join(seat.frame(80, 24).text())
    for key in ("enter", *keys.split()):
        seat.press(key)
    return await decision


async def test_the_maker_types_the_card_or_picks_it_with_arrows() -> None:
    _, session = at_naming()
    legal = [each for each in session.legal_actions() if isinstance(each, NameCard)]
    for rank in "ajk":  # of which the first and the last are keys of the game at other times
        wanted = next(each for each in legal if str(each.card).lower().startswith(rank))
        assert await named_by_typing(session, " ".join(str(wanted.card).lower())) == wanted
    assert await named_by_typing(session, "right right enter") in legal


def test_every_seat_is_told_what_it_may_know_of_the_sides() -> None:
    table, session = at_naming()
    named = next(each for each in session.legal_actions() if isinstance(each, NameCard))
    before = session.view()
    table.act(session.seat, named)
    run_to(table, Phase.TRICK)
    telling = telling_of(table.game)
    (line,) = telling.retell(before.state, session.seat, named, table.hand().machine.state, {})
    assert "J♠: whoever holds it is the maker's partner" in Writer(4).sentence(line)
    knowing = []
    for seat, each in enumerate(table.sessions):
        view = each.view()
        scene = telling.scene(view, (0, 0, 0, 0))
        words = [part for line in scene.contract for part in line]
        assert "partner: who holds " in words
        assert named.card in words
        assert [(count.word, len(count.values)) for count in scene.counts][:1] == [("Score", 4)]
        if any("partner" in place.roles for place in scene.places):
            knowing.append(seat)
            assert "partner" in scene.places[session.seat].roles
    assert len(knowing) == 1
    assert knowing != [session.seat]
