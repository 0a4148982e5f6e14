"""Every action of 304 in a player's words: the same ones on the screen and in lines of text."""

from __future__ import annotations

from cli.story import bid_name
from cli.ui.words import SUIT_NAMES, Voice
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceCut,
    AnnounceNone,
    AskPartner,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    Cut,
    DemandRedeal,
    DenyTrump,
    KeepClosed,
    LayIndicator,
    OpenCards,
    OpenHandedOver,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    ShowCard,
    ShowIndicator,
    ShowTrump,
    SortHand,
)


def phrase(action: Action, voice: Voice) -> str:
    """What a player who does this would say, without a capital: "bid 160", "play 9♥ face down"."""
    match action:
        case Cut(offset):
            return f"cut at {offset}" if offset else "do not cut"
        case PlaceBid(bid):
            return f"bid {bid_name(bid)}"
        case Pass():
            return "pass"
        case AskPartner():
            return "ask your partner"
        case DemandRedeal(cards):
            return "demand new cards" + (" and show your four" if cards else "")
        case LayIndicator(slot):
            return f"lay {voice.slot(slot)}: trump is {SUIT_NAMES[voice.faces[slot].suit]}"
        case SortHand():
            return "sort your hand"
        case OpenTrump(card):
            return f"open trump: show {voice.card(card)}"
        case KeepClosed():
            return "keep trump closed"
        case PlayCard(_, card, all_trumps):
            return f"play {voice.card(card)}" + (", all trumps" if all_trumps else "")
        case PlayDown(slot):
            return f"play {voice.slot(slot)} face down"
        case AnnounceNone():
            return "announce no trump"
        case AnnounceCut(cards):
            shown = " ".join(voice.card(card) for _, card in cards)
            return "announce the cut" + (f" and show {shown}" if shown else "")
        case ShowIndicator(card):
            return f"show the indicator, {voice.card(card)}"
        case Ready():
            return "go on; nothing to claim"
        case ShowCard(_, card):
            return f"show {voice.card(card)} now, and play it next"
        case CallCaps():
            return "call caps"
        case AcceptCaps():
            return "concede the rest"
        case ContestCaps():
            return "have the caps played"
        case CallSpoilt():
            return "call spoilt trumps"
        case DenyTrump():
            return "answer: no trump was dealt to you"
        case ShowTrump(_, card):
            return f"show {voice.card(card)}, a trump dealt to you"
        case OpenCards() | OpenHandedOver():
            return "open what the count needs"
