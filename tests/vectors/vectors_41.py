"""Vectors of 41 and 400: what the file of the category holds, and audits of saved deals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from cli.conformance.tables import Draft, body_of, sign_body
from cli.conformance.trials import AUDIT
from p2p304.rules41.actions import PlayCard, format_action
from protocol.encoding import Value
from protocol.places import Lane, LedgerName
from tests.vectors.collect import Collector, File
from tests.vectors.hands import SAVED_HANDS, SavedHand

GAMES: Final = ("41", "400")


def games() -> Collector:
    """All of it: what needs no keys first."""
    found = Collector.answered("rules-41", until=AUDIT)
    for saved in (each for each in SAVED_HANDS.values() if each.game in GAMES):
        name, data = f"hands/{saved.name}.p304", saved.transcript()
        base = found.accept(AUDIT, saved.about, transcript=File(name, data))
        for about, expect, changed in _faults(saved, data):
            given = File(name, data, changed)
            found.reject(base, f"{saved.name}: {about}", expect, transcript=given)
    return found


def _off_suit(saved: SavedHand) -> tuple[str, str]:
    """The first card of the last deal that does not follow suit, as it is played, and the next of
    its suit that is played."""
    replica = saved.rehearsed().table_state.replicas[LedgerName(Lane.HAND, saved.hands - 1)]
    plays = [
        (trick.plays[0], play) for trick in replica.machine.state.tricks for play in trick.plays
    ]
    at = next(n for n, (lead, play) in enumerate(plays) if play.card.suit != lead.card.suit)
    card = plays[at][1].card
    later = next(play.card for _, play in plays[at + 1 :] if play.card.suit == card.suit)
    return format_action(PlayCard(plays[at][1].slot, card)), str(later)


def _faults(saved: SavedHand, whole: bytes) -> Iterator[tuple[str, str, bytes]]:
    """A seat says something else in one message of the last deal, and signs it."""
    draft, table = Draft.of(whole), saved.rehearsed()

    def instead(word: str, change: Callable[[tuple[Any, ...]], tuple[Value, ...]]) -> bytes:
        """The file with the content of one message changed: the last that begins with a word."""
        for place in reversed(draft.places(b"M")):
            raw = draft.records[place].payload
            *head, content = body_of(raw)
            assert isinstance(content, tuple)
            first = content[0] if content else None
            if isinstance(first, str) and first.startswith(word):
                body = (*head, change(content))
                return draft.with_record(place, sign_body(table, body, raw[2])).to_bytes()
        raise AssertionError(f"nobody says {word}")

    yield "a bid of fourteen", "action.rule", instead("bid", lambda said: ("bid 14", *said[1:]))
    yield "a pass for a bid", "action.notation", instead("bid", lambda said: ("pass", *said[1:]))
    text, later = _off_suit(saved)
    other = text[:-2] + later
    yield (
        "a card that another slot holds",
        "opening.proof",
        instead(text, lambda said: (other, *said[1:])),
    )
    yield (
        "no proof that the suit led is not held",
        "statement.count",
        instead(text, lambda said: (said[0], said[1][:1], *said[2:])),
    )

    def flipped(said: tuple[Any, ...]) -> tuple[Value, ...]:
        card, lack = said[1]
        return (said[0], (card, lack[:-1] + bytes((lack[-1] ^ 1,))), *said[2:])

    yield "a wrong proof that the suit led is not held", "distinction.proof", instead(text, flipped)


CATEGORIES = (games,)
