"""What people and files say in letters: text for a terminal, invites, addresses, notation."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from wcwidth import wcswidth, wcwidth

from cli.conformance.trials import DEFAULT, vectors_in
from cli.errors import StoreError
from cli.invite import Invite, InviteError
from cli.net.address import AddressError, BrokerAddress
from cli.sanitize import cells_of, impostors, safe_name, safe_text, skeleton
from cli.seat.setup import Founding, Setup
from p2p304.cards import parse_card
from p2p304.errors import GameError, NotationError, ProfileError, TournamentError
from p2p304.games import agreed_game
from p2p304.hand_text import read_hands
from p2p304.rules41 import hand as hand41
from p2p304.rules41.rules import Variant, parse_rules
from p2p304.rules304.actions import format_action, parse_action
from p2p304.rules304.agreement import (
    format_agreement,
    format_full_agreement,
    parse_agreement,
)
from p2p304.rules304.notation import Retelling, format_hand, parse_hand
from p2p304.rules304.profile import Profile
from p2p304.tournament.tournament import parse_system
from tests.campaigns.fuzz.target import Target, as_text, demand, text_of
from tests.rules.test_notation import EXAMPLE

# --- text on a terminal ---------------------------------------------------------------------------

SUITS = set("♠♡♢♣♤♥♦♧") | set(map(chr, range(0x1F0A0, 0x1F100)))
JOINERS = "\u200c\u200d"
ESCAPES = ("\x1b[31m", "\x1b]8;;x\x1b\\", "\u202egnp", "\u2066a\u2069", "a\u0301\u0302\u0303\u0304")
NAMES = ("Amara", "ක්‍රීඩාව", "தமிழ்ச்செல்வன்", "李小龍", "👩‍👩‍👧 x", "ze\u200bro", "🂡ace", "ﬁn ①")


def check_text(data: bytes) -> None:
    """What is printed obeys nothing, hides nothing, piles nothing up, and fits."""
    cells = 1 + data[0] % 60 if data else 1
    ascii_only = bool(data and data[0] >= 128)
    text = text_of(data[1:])
    shown = safe_text(text, cells=cells, ascii_only=ascii_only)
    _check_shown(shown, cells, ascii_only)
    demand(safe_text(shown, cells=cells, ascii_only=ascii_only) == shown, "safe text stays")
    name = safe_name(text, cells=cells, ascii_only=ascii_only)
    _check_shown(name, max(cells, 1), ascii_only)
    demand(name != "" and name == name.strip(), "nobody is nameless")
    demand(not set(name) & SUITS, "a name holds no suit")
    shape = skeleton(text)
    demand(skeleton(text) == shape, "one skeleton")
    if len(data) % 8 == 0:  # it looks at every reserved name
        demand(impostors([text]) <= {text}, "only who is named")


def _check_shown(shown: str, cells: int, ascii_only: bool) -> None:
    demand(cells_of(shown) <= cells, "it fits")
    demand(wcswidth(shown) <= cells, "it fits as a terminal joins it")
    demand(not ascii_only or (shown.isascii() and shown.isprintable()), "plain ASCII")
    marks = 0
    for place, char in enumerate(shown):
        kind = unicodedata.category(char)
        marks = marks + 1 if kind[0] == "M" else 0 if char not in JOINERS else marks
        demand(marks <= 2, "at most two marks on a letter")
        if char in JOINERS:
            between = 0 < place < len(shown) - 1
            demand(between and unicodedata.combining(shown[place - 1]) == 9, "joiners join")
        elif kind[0] != "M":
            demand(char == " " or kind[0] in "LNPS", f"U+{ord(char):04X} is not printed")
            demand(char == " " or wcwidth(char) >= 1, f"U+{ord(char):04X} has no width")


def _texts() -> list[bytes]:
    return [bytes((39,)) + as_text(each) for each in (*ESCAPES, *NAMES, " ".join(NAMES))]


# --- invites, addresses and other lines -----------------------------------------------------------


def check_invite(data: bytes) -> None:
    """An invite is read to what it says, and written as everybody writes it; else one sentence."""
    text = text_of(data)
    try:
        invite = Invite.parse(text)
    except InviteError as error:
        _check_sentence(error)
    else:
        demand(Invite.parse(invite.format()) == invite, "an invite is read as it was written")
        demand(Invite.parse(f" {invite.format().lower()}\n") == invite, "case does not matter")
        demand(repr(invite.table_key) not in repr(invite), "repr shows no key")


def check_address(data: bytes) -> None:
    """An address is read to what it says; an invite can carry it; else one sentence."""
    text = text_of(data)
    try:
        address = BrokerAddress.parse(text)
    except AddressError as error:
        _check_sentence(error)
        return
    demand(BrokerAddress.parse(address.format()) == address, "an address is read as it was written")
    demand("@" not in address.format(), "no password in an address")
    key = bytes(range(32))
    invite = Invite(address, key[:16], key, None, None)
    demand(Invite.parse(invite.format()) == invite, "an invite carries any address")


def check_lines(data: bytes) -> None:
    """A setup, a journal's first record, is read to what it says, or refused."""
    try:
        setup = Setup.from_bytes(data)
    except StoreError as error:
        _check_sentence(error)
        return
    demand(Setup.from_bytes(setup.to_bytes()) == setup, "a setup is read as it was written")
    demand(setup.seed.hex() not in repr(setup), "repr shows no seed")


def _check_sentence(error: Exception) -> None:
    said = str(error)
    demand(said != "" and "\n" not in said, "one sentence")
    demand(len(said) < 500, "a sentence of some length")


def _invites() -> list[bytes]:
    found = [each.input["text"] for each in vectors_in(DEFAULT, ("invite",))]
    return [as_text(each) for each in found]


def _addresses() -> list[bytes]:
    said = ("localhost", "mqtts://broker.example", "ws://10.0.0.1:8080/a", "wss://[::1]:9001/mqtt")
    more = ("mqtt://[fe80::1%25eth0]:1883", "mqtt://user:x@h", "h" * 195, "mqtts://h:65535/")
    return [as_text(each) for each in (*said, *more)]


def _lines() -> list[bytes]:
    invite = text_of(_invites()[0])
    setup = Setup(Invite.parse(invite), "Amara", bytes(32), bytes(32))
    founding = Founding("304", "pagat", (bytes(16),) * 4, broker_here=True)
    path = replace(setup, credentials="/home/amara/broker.txt")
    return [each.to_bytes() for each in (setup, path, replace(setup, founding=founding))]


# --- notation -------------------------------------------------------------------------------------


def _check_refusal(error: GameError, text: str) -> None:
    demand("\n" not in str(error) and len(str(error)) < 700, "one sentence")
    at = error.position if isinstance(error, NotationError) else 0
    demand(0 <= at <= len(text), "the place is in the text")


def _reads(
    parse: Callable[[str], Any], write: Callable[[Any], str], *, exact: bool = False
) -> Callable[[str], None]:
    """A check that what is read is read again as it is written, and what is not has a place."""

    def check(text: str) -> None:
        try:
            value = parse(text)
        except (NotationError, ProfileError, TournamentError) as error:
            _check_refusal(error, text)
            return
        written = write(value)
        demand(parse(written) == value, "what is written is read again")
        demand(not exact or written == text, "only the canonical text is read")

    return check


def _hand(text: str) -> None:
    _reads(parse_hand, format_hand)(text)
    try:
        Retelling.of_record(parse_hand(text))
    except NotationError:
        return


def _rules(text: str) -> None:
    for variant in Variant:
        try:
            rules = parse_rules(variant, text)
        except GameError as error:
            demand("\n" not in str(error), "one sentence")
            continue
        demand(parse_rules(variant, rules.parameters) == rules, "rules are read as written")


def _hands(text: str) -> None:
    try:
        for hand in read_hands(text):
            demand(hand.scores == () or len(hand.scores) in (2, 4), "the scores of a match")
    except NotationError as error:
        _check_refusal(error, text)


def _agreed_profile(text: str) -> Profile:
    profile: Profile = agreed_game("304", text).profile
    return profile


GRAMMARS: dict[str, Callable[[str], None]] = {
    "hand": _hand,
    "action": _reads(parse_action, format_action, exact=True),
    "action of 41": _reads(hand41.parse_action, hand41.format_action, exact=True),
    "card": _reads(parse_card, str),
    "agreement": _reads(parse_agreement, format_agreement),
    "whole agreement": _reads(_agreed_profile, format_full_agreement, exact=True),
    "rules of 41": _rules,
    "hands": _hands,
    "system": _reads(parse_system, lambda system: system.line, exact=True),
}


def check_notation(data: bytes) -> None:
    """Text of every grammar is read to what it says, or refused with the place."""
    if data:
        [*GRAMMARS.values()][data[0] % len(GRAMMARS)](text_of(data[1:]))


def in_grammar(name: str, text: str) -> bytes:
    """The bytes by which `check_notation` reads this text as of that grammar."""
    return bytes(([*GRAMMARS].index(name),)) + as_text(text)


SYSTEMS = (
    "elimination tokens races 10 7 third 7",
    "elimination hands races 7 third none",
    "round-robin matches race 1 ties wins draw walk-over full leavers vanish",
)


def _notations() -> list[bytes]:
    said = [
        ("hand", EXAMPLE),
        ("hand", EXAMPLE[:110]),
        ("hands", f"{EXAMPLE}\n{EXAMPLE}"),
        ("card", "9C"),
    ]
    said += [("action of 41", "play 61=9C"), ("action of 41", "bid 5")]
    said += [("rules of 41", "floor_12,target_44"), *(("system", line) for line in SYSTEMS)]
    for each in vectors_in(DEFAULT, ("notation",)):
        if each.op == "action.parse":
            said.append(("action", each.input["text"]))
            continue
        agreed = each.input["agreement"]
        said.append(("agreement", agreed))
        if each.expect is None:
            said.append(("whole agreement", format_full_agreement(parse_agreement(agreed))))
    return [in_grammar(name, text) for name, text in said]


TARGETS = (
    Target("text", check_text, _texts, 256),
    Target("invite", check_invite, _invites, 512),
    Target("address", check_address, _addresses, 256),
    Target("lines", check_lines, _lines, 512),
    Target("notation", check_notation, _notations, 1_024),
)
