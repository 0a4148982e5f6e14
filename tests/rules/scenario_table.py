"""Plays the shared scenarios: cards face up, with what the scenarios leave out done silently."""

from __future__ import annotations

import copy
from typing import Any

from p2p304.cards import Card, Slot, parse_card
from p2p304.disclosures import Opened
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bids import Contract
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Call, End, Phase, State, Trick
from p2p304.rules304.tricks import slots_due_on_cut
from p2p304.seats import FOUR_SEAT_LETTERS, Seat
from p2p304.simulator import OpenTable


def result_of(outcome: HandOutcome) -> str:
    """How the scenarios call an end: a kind of void hand, "violation", "bid_made" or
    "bid_failed"."""
    if outcome.void is not None:
        return outcome.void.value
    if outcome.facts.violation is not None:
        return "violation"
    return "bid_made" if outcome.facts.made else "bid_failed"


TOGGLES = {
    ("caps_timing", "strict"): "caps_strict",
    ("multiples_of_5", True): "step5_from_200",
    ("external_caps", 8): "external_caps_eight",
    ("bank", True): "bank_scoring",
}
PLAYED_ON = {"P055"}
"""Where cards follow a contested call of caps that lost a trick: RULES 13.4 ends the hand there."""
NO_TOGGLE = {("caps_timing", "trick_grace")}
SILENT = {Phase.SORTING, Phase.SHOW_INDICATOR, Phase.COUNT, Phase.SPOILT_INDICATOR}
SILENT |= {Phase.SPOILT_ANSWER, Phase.CUT}


def cards(text: str | list[str]) -> list[Card]:
    return [parse_card(each) for each in (text.split() if isinstance(text, str) else text)]


def seat(letter: str) -> Seat:
    return Seat(FOUR_SEAT_LETTERS.index(letter))


def deck_of(hands: dict[str, str], dealer: Seat) -> list[Card]:
    """A deck that deals these hands; who is not named gets high cards first."""
    named = {seat(letter): cards(text) for letter, text in hands.items()}
    used = {card for hand in named.values() for card in hand}
    rest = [card for card in sorted(PACK, key=CARD_POINTS.__getitem__) if card not in used]
    for batch in range(2):
        for turn in range(4):
            hand = named.setdefault(Seat((dealer + 1 + turn) % 4), [])
            while len(hand) < 4 * (batch + 1):
                hand.append(rest.pop())
    deck: list[Card] = []
    for batch in range(2):
        for turn in range(4):
            deck += named[Seat((dealer + 1 + turn) % 4)][4 * batch : 4 * batch + 4]
    return deck


TEAM_LETTERS = ("NS", "EW")


class ScenarioTable:
    """One scenario's hand; `game` and `table` are the real ones."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        options = scenario.get("options", {}).items()
        toggles = [TOGGLES[item] for item in options if item not in NO_TOGGLE]
        self.plays_on = scenario.get("id") in PLAYED_ON
        self.game = Game304(named_profile(scenario["profile"], toggles))
        dealer = seat(scenario["dealer"])
        deck = deck_of(scenario.get("hands", {}), dealer)
        self.table = OpenTable(self.game, deck, SeededRandomness(1), dealer=dealer)
        self.forced: list[Call] = []
        self.more_plays = False
        self.last: Trick | None = None
        self.opened_from = 0
        self.counted_from: int | None = None
        self.silence()
        if "setup" in scenario:
            self._set_up(scenario["setup"])

    @property
    def state(self) -> State:
        state = self.table.state
        assert isinstance(state, State)
        return state

    def slot_of(self, card: Card) -> Slot:
        """The live slot of a card, a dealt one before one of the deck."""
        faces = self.table.open_view().faces
        return max(slot for slot, face in faces.items() if face == card)

    def act(self, who: Seat, action: act.Action) -> None:
        before = self.state
        if (
            before.phase is Phase.TRICK
            and not before.plays
            and not isinstance(action, act.CallCaps)
        ):
            self.opened_from = len(self.table.disclosures)
        if before.phase is Phase.COUNT and self.counted_from is None:
            self.counted_from = len(self.table.disclosures)
        self.table.act(who, action)
        self.forced += [call for call in self.state.calls[len(before.calls) :] if call.forced]
        if len(self.state.tricks) > len(before.tricks):
            self.last = self.state.tricks[-1]

    def silence(self) -> None:
        """Everything that the scenarios do not speak of."""
        while self.state.phase in SILENT:
            who = self.state.awaiting[0]
            action = self.game.legal_actions(self.table.view(who))[0]
            self.act(who, action)

    def ready(self) -> None:
        """Close the windows, so that the next card can be played."""
        while self.state.phase is Phase.WINDOW:
            self.act(self.state.awaiting[0], act.Ready())
        while self.state.phase is Phase.CAPS_RESPONSE:
            answer = act.ContestCaps() if self.more_plays else act.AcceptCaps()
            self.act(self.state.awaiting[0], answer)
        self.silence()
        if self.state.phase is Phase.WINDOW:
            self.ready()

    def _set_up(self, setup: dict[str, Any]) -> None:
        maker = seat(setup["maker"])
        self.table.state = self.state._replace(
            phase=Phase.INDICATOR4, awaiting=(maker,), maker=maker, contract=setup["bid"]
        )
        card = parse_card(setup["indicator"])
        self.act(maker, act.LayIndicator(self.slot_of(card)))
        while self.state.phase is Phase.AUCTION8:
            self.act(self.state.awaiting[0], act.Pass())
        self.forced = []
        self.silence()
        if self.state.phase is Phase.DECLARE:
            self.act(maker, act.OpenTrump(card) if setup["mode"] == "open" else act.KeepClosed())

    def step(self, text: str) -> None:
        """One string of steps."""
        for each in (part.strip() for part in text.split(";")):
            if each.startswith("T "):
                self._trick(each.split()[1:])
            else:
                self.do(each)

    def _trick(self, words: list[str]) -> None:
        who = seat(words[0])
        for word in words[1:]:
            if word != "-":
                verb = "play_down" if word.startswith("~") else "play"
                self.do(f"{FOUR_SEAT_LETTERS[who]} {verb} {word.lstrip('~')}")
            who = Seat((who + 1) % 4)

    def do(self, text: str) -> None:
        """One action, silent steps before and after it."""
        letter, verb, *rest = text.split()
        who = seat(letter)
        if self.plays_on and self.state.phase is Phase.OVER and self.state.end is End.CAPS_LOST:
            return  # the result is the same
        if self.forced and verb == "pass" and self.forced[0].seat == who:
            self.forced.pop(0)
            return
        if verb not in {"caps", "spoilt"}:
            self.ready()
        action = self.action(who, verb, rest)
        if self.state.phase is Phase.WINDOW:
            for each in self.state.awaiting:
                if each != who:
                    self.act(each, act.Ready())
        self.act(who, action)
        self.silence()

    def action(self, who: Seat, verb: str, rest: list[str]) -> act.Action:
        hand = self.state.hands[who]
        match verb:
            case "bid":
                pcc = rest[0] == "pcc"
                return act.PlaceBid(Contract.PARTNER_CLOSE_CAPS if pcc else int(rest[0]))
            case "pass":
                return act.Pass()
            case "ask_partner":
                return act.AskPartner()
            case "redeal":
                return act.DemandRedeal(tuple((slot, self.table.face(slot)) for slot in hand))
            case "indicator":
                return act.LayIndicator(self.slot_of(parse_card(rest[0])))
            case "open":
                slot = self.state.trump_slot
                return act.OpenTrump(PACK[0] if slot is None else self.table.face(slot))
            case "closed":
                return act.KeepClosed()
            case "play":
                card = parse_card(rest[0])
                return act.PlayCard(self.slot_of(card), card)
            case "play_down":
                return act.PlayDown(self.slot_of(parse_card(rest[0])))
            case "announce" if rest == ["none"]:
                return act.AnnounceNone()
            case "announce":
                due = slots_due_on_cut(self.state)
                return act.AnnounceCut(tuple((slot, self.table.face(slot)) for slot in due))
            case "caps":
                order = cards(rest)
                return act.CallCaps(tuple((self.slot_of(card), card) for card in order))
            case "spoilt":
                return act.CallSpoilt()
            case "cut":
                return act.Cut(int(rest[0]))
            case _:
                raise ValueError(f"unknown action {verb}")

    def fork(self) -> ScenarioTable:
        """A copy on which something may be tried."""
        other = copy.copy(self)
        other.table = self.table.fork(SeededRandomness(1))
        other.forced = [*self.forced]
        return other

    def shown_to_all(self) -> set[Card]:
        """Face-down cards and the indicator that were opened since the last trick began."""
        up = {play.slot for play in self.last.plays if not play.down} if self.last else set()
        return {
            each.card
            for each in self.table.disclosures[self.opened_from : self.counted_from]
            if isinstance(each, Opened) and each.slot not in up
        }
