"""Whole hands and matches of 304 as text, in cards, short enough for a bug report.

    304 pagat
    deal S JC9CAHTD.KC8CQS7D JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S
    cut 0
    E160 N- W- S- E*9C
    E- N- W- S- Eclosed
    EAH N8H WJH SQH
    W9H SKH E~9C N7H

A bid may be shortened as the profile allows ("E60" is E160 in pagat); it is written in full. The
deal goes from the dealer's right, the batches parted by a dot. There is no dot in what an audit
writes: nobody can know which cards of a hand came first, but that the indicator did. A call is a
seat's letter with a bid, "-" (pass), "?" (ask) or "redeal"; "*" lays the indicator, "~" plays face
down, "+" after a card claims a hand of trumps. "caps", "spoilt" and "show" stand for what is said
in a window between cards; with "!" it was said while a card was awaited. What the rules leave no
choice about is not written.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Final

from p2p304.cards import Card, parse_card
from p2p304.entry import CardNotation
from p2p304.errors import NotationError, ProfileError
from p2p304.rules304.actions import Action, LayIndicator
from p2p304.rules304.agreement import format_agreement, parse_agreement, place_of
from p2p304.rules304.moves import CARD, format_move, parse_move
from p2p304.rules304.profile import Profile
from p2p304.rules304.retelling import HandRecord, Retelling, moves_of
from p2p304.rules304.state import State
from p2p304.seats import Seat, seat_letters

LONGEST: Final = 1_000_000
"""How many characters a text may have."""


def replay_hand(record: HandRecord) -> State:
    """Play a record again and return the state that it leads to, hands in the order of the deal.

    Raises NotationError, which names the move, where the rules forbid what the record tells.
    """
    return Retelling.of_record(record).state


def format_hand(record: HandRecord) -> str:
    """Return the canonical text of a hand; ends with a line break."""
    profile = record.profile
    lines = [f"304 {format_agreement(profile)}"]
    seats, first = profile.seats, profile.deal_batches.sizes[0]
    hands = (record.hands[(record.dealer + 1 + turn) % seats] for turn in range(seats))
    dot = "." if record.parted else ""
    dealt = " ".join(
        "".join(map(str, hand[:first])) + dot + "".join(map(str, hand[first:])) for hand in hands
    )
    lines += [f"deal {seat_letters(seats)[record.dealer]} {dealt}", f"cut {record.cut}"]
    row: list[str] = []
    plays = 0
    for move in record.moves:
        row.append(format_move(move, seats))
        if move.is_play:
            plays += 1
        if move.ends_row or (move.is_play and plays % seats == 0):
            lines.append(" ".join(row))
            row = []
    if row:
        lines.append(" ".join(row))
    return "\n".join(lines) + "\n"


def parse_hand(text: str, *, position: int = 0) -> HandRecord:
    """Return the hand that format_hand wrote as the text; white space is free.

    The moves are checked against the rules. `position` is where the text stands in a longer one.
    Raises NotationError, with the place, for anything that is no hand.
    """
    if len(text) > LONGEST:
        raise NotationError(f"a text has at most {LONGEST} characters", position)
    head, *_ = text.split("\n", 1)
    if not head.startswith("304 "):
        raise NotationError('a hand begins with "304" and a profile, such as "304 pagat"', position)
    try:
        profile = parse_agreement(head[4:])
    except ProfileError as error:
        raise NotationError(str(error), position + 4 + place_of(head[4:], error)) from error
    words = [(m.group(), position + m.start()) for m in re.finditer(r"\S+", text)]
    words = [word for word in words if word[1] >= position + len(head)]
    seats, end = profile.seats, position + len(text)
    dealer, hands, parted = _deal(profile, words[: 2 + seats], end)
    cut = _cut(words[2 + seats : 4 + seats], len(profile.deck.cards), end)
    moves = [(parse_move(word, at, profile=profile), at) for word, at in words[4 + seats :]]
    record = HandRecord(profile, dealer, cut, hands, tuple(move for move, _ in moves), parted)
    Retelling.of_record(record, places=[at for _, at in moves])
    return record


def _deal(
    profile: Profile, words: list[tuple[str, int]], end: int
) -> tuple[Seat, tuple[tuple[Card, ...], ...], bool]:
    seats, letters = profile.seats, seat_letters(profile.seats)
    first, second = profile.deal_batches.sizes
    if len(words) < 2 + seats or words[0][0] != "deal":
        at = words[0][1] if words else end
        raise NotationError(f'"deal", the dealer\'s letter and {seats} hands are expected', at)
    letter, at = words[1]
    if letter not in letters:
        known = f"{', '.join(letters[:-1])} or {letters[-1]}"
        raise NotationError(f"{letter[:12]!a} is no seat; write {known}", at)
    dealer = Seat(letters.index(letter))
    hands: list[tuple[Card, ...]] = [()] * seats
    form = re.compile(rf"(?:{CARD}){{{first}}}\.?(?:{CARD}){{{second}}}")
    seen: set[Card] = set()
    parted = "." in words[2][0]
    for turn, (word, at) in enumerate(words[2:]):
        if not form.fullmatch(word):
            raise NotationError(f"a hand is {first} cards, a dot and {second} more", at)
        if ("." in word) != parted:
            raise NotationError(f"all hands have a dot after {first} cards, or none has", at)
        names = word.replace(".", "")
        hand = tuple(parse_card(names[i : i + 2], at) for i in range(0, len(names), 2))
        for card in hand:
            if card not in profile.deck.card_set:
                raise NotationError(f"{card} is not in the pack of 304", at)
            if card in seen:
                raise NotationError(f"{card} is dealt twice", at)
            seen.add(card)
        hands[(dealer + 1 + turn) % seats] = hand
    return dealer, tuple(hands), parted


def _cut(words: list[tuple[str, int]], cards: int, end: int) -> int:
    if len(words) < 2 or words[0][0] != "cut":
        raise NotationError('"cut" and its offset are expected', words[0][1] if words else end)
    text, at = words[1]
    if not re.fullmatch(r"0|[1-9][0-9]?", text) or int(text) >= cards:
        raise NotationError(f"a cut is a number from 0 to {cards - 1}", at)
    return int(text)


def public_text(state: State) -> str | None:
    """Return the text of a hand whose end opened all its cards; None where some stayed closed.

    That includes a first indicator that was taken up again and mixed with the hand. Nobody can know
    which cards of another seat came first; the maker's indicator did.
    """
    faces = state.faces
    laid = [action.slot for _, action in state.log if isinstance(action, LayIndicator)]
    told = [*laid, *chain(*state.dealt)]
    cards = state.profile.deal_batches.cards
    if any(len(hand) != cards for hand in state.dealt) or not faces.keys() >= set(told):
        return None
    hands = tuple(
        tuple(
            sorted((faces[slot] for slot in hand), key=lambda card: (card != faces[laid[0]], card))
        )
        for hand in state.dealt
    )
    moves = moves_of(state, faces.__getitem__)
    return format_hand(
        HandRecord(state.profile, state.dealer, state.cut, hands, moves, parted=False)
    )


def actions_told(text: str, position: int) -> tuple[Seat, tuple[tuple[Seat, Action], ...]]:
    """Return the dealer and the actions of the hand that the text tells.

    Raises as parse_hand does.
    """
    state = replay_hand(parse_hand(text, position=position))
    return state.dealer, state.log


NOTATION: Final = CardNotation(public_text, actions_told)
"""How the registry reads and writes hands of 304."""
