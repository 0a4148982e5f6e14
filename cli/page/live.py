"""A table as a live page tells it: what happened becomes words for the page's script.

Each is one line of JSON. While a hand goes on the page is given the steps that are public, as they
were public then; when it has ended it gets the whole hand and its transcript, as in a saved page.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

from cli.page.articles import hand_article, match_article
from cli.page.document import hand_data, page, page_words
from cli.page.recorded import PageHand, hands_of, sentences_of, shown_at
from cli.page.scenes import Plain, difference
from cli.page.table import file_name, table_under
from cli.screen.replay import Recorder, Step
from cli.seat.charter_text import game_of
from p2p304.game import AnyGame
from protocol.ledger.events import ActionTaken, Event, HandStarted
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope
from protocol.wire.kinds import kind_of
from protocol.wire.messages import decode_body

MOST_TRANSCRIPT: Final = 8 << 20
"""Bytes of a transcript that a live page is given; a hand of any game here has far fewer."""
MOST_HANDS: Final = 256
"""Hands of a match that a live page tells of together."""


class Publish(Protocol):
    """Takes a line for all readers; a chapter is where one can begin to read."""

    def __call__(self, event: bytes, *, chapter: bool = False) -> None:
        """Publish it."""


class LivePage:
    """Tells one table, under its charter."""

    def __init__(self, charter: Charter, publish: Publish) -> None:
        self._charter = charter
        self._table = table_under(charter)
        self._game: AnyGame = game_of(charter)
        self._publish = publish
        self._recorder = Recorder(self._game, charter)
        self._events: list[Event] = []
        self._before: Plain = {}
        self._steps = 0
        self._hand = -1
        self._files = 0
        self._verified: Counter[str] = Counter()
        self._told: deque[PageHand] = deque(maxlen=MOST_HANDS)
        """The hands that have ended, without what only they need."""

    def document(self) -> bytes:
        """Return the page."""
        return page(self._table, live=True)

    def accepted(self, raw: bytes) -> None:
        """Count a message of the ledger that was verified."""
        self._verified[kind_of(decode_body(Envelope.from_bytes(raw)).content).name] += 1
        self._say("verified", counts=sorted(self._verified.items()))

    def tell(self, event: Event) -> None:
        """Tell what happened at the table."""
        if isinstance(event, HandStarted):
            self._begin(event)
        if self._hand < 0:
            return
        self._events.append(event)
        step = self._recorder.hear(event)
        if step is not None:
            self._stepped(step, event)

    def over(self, why: str = "") -> None:
        """Tell that nothing more will come."""
        self._say("over", why=why)

    async def ended(self, path: Path) -> None:
        """Give the page the hand that has ended, and its transcript."""
        events, number = tuple(self._events), self._files
        self._files += 1
        for whole in await asyncio.to_thread(self._whole, events, number, path):
            self._say("ended", **whole)

    def _begin(self, event: HandStarted) -> None:
        if event.number != self._hand:
            self._events = []
        self._hand, self._before, self._steps = event.number, {}, 0
        started = {"number": event.number, "dealer": event.dealer, "before": [*event.scores]}
        self._say("hand", chapter=True, counts=sorted(self._verified.items()), **started)

    def _stepped(self, step: Step, event: Event) -> None:
        now = shown_at(step, step.table.faces)
        deed: Sequence[Any] | None = None
        if isinstance(event, ActionTaken):
            deed = (event.seat, self._game.format_action(event.action))
        self._say(
            "step",
            now=difference(self._before, now),
            told=sentences_of(step, step.done, step.table.faces),
            deed=deed,
            mark=self._steps > 0 and now["tricks"] > self._before["tricks"],
        )
        self._before, self._steps = now, self._steps + 1

    def _whole(self, events: Sequence[Event], number: int, path: Path) -> list[dict[str, Any]]:
        data = path.read_bytes()
        if len(data) > MOST_TRANSCRIPT:
            return []
        file = {"name": file_name(str(path)), "size": len(data)}
        return [
            {
                "hand": hand_data(hand, number),
                "result": hand.result,
                **self._articles(hand),
                "file": file,
                "bytes": b64encode(data).decode(),
            }
            for hand in hands_of(self._game, self._charter, events)
        ]

    def _articles(self, hand: PageHand) -> dict[str, Any]:
        """Return what a saved page tells of a hand, and of the match so far."""
        words, table = page_words(), self._table
        self._told.append(replace(hand, steps=(), story=(), summary=(), auctions=(), tricks=()))
        whole = len(self._told) > 1
        return {
            "article": hand_article(hand, [seat.place for seat in table.seats], words),
            "match": match_article(self._told, table.scored, table.sides, words) if whole else None,
        }

    def _say(self, said: str, *, chapter: bool = False, **what: Any) -> None:
        line = json.dumps({"said": said, **what}, ensure_ascii=True, separators=(",", ":"))
        self._publish(line.encode(), chapter=chapter)
