"""A table as a live page: each event becomes a line of JSON for the page's script.

During a hand the page gets the public steps, each as it was public then. At its end it gets the
whole hand and its transcript, as a saved page has them.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from cli.bounds import MOST_TRANSCRIPT
from cli.local.transcripts import compute
from cli.page.document import hand_data, page, page_words
from cli.page.recorded import (
    Plain,
    difference,
    hand_article,
    hands_of,
    moment_of,
    scene_at,
    sentence_of,
)
from cli.page.table import file_name, table_under
from cli.screen.replay import Recorder, ReplayStep
from cli.seat.charter_text import game_of
from p2p304.game import AnyGame
from protocol.table.events import ActionTaken, Event, HandStarted
from protocol.wire.charter import Charter


class Publish(Protocol):
    """A function that sends a line to all readers of a live page."""

    def __call__(self, event: bytes, *, chapter: bool = False) -> None:
        """Send a line to all readers; with `chapter` it begins a chapter. Of a history that is
        too long the oldest chapters are dropped, never the last; new readers begin at the oldest
        line left.
        """


class LivePage:
    """The live page of one table, under its charter."""

    def __init__(self, charter: Charter, publish: Publish) -> None:
        """Set up the page of a table; `publish` is called with each line."""
        self._charter = charter
        self._table = table_under(charter)
        self._game: AnyGame = game_of(charter)
        self._publish = publish
        self._recorder = Recorder(self._game, charter)
        self._events: list[Event] = []
        self._before: Plain = {}
        # No hand yet: a spectator may have come in the middle of one.
        self._hand = -1
        self._files = 0
        self._verified = 0

    def document(self) -> bytes:
        """Return the HTML file of the page."""
        return page(self._table, live=True)

    def accepted(self, _: bytes) -> None:
        """Count one more verified message of the ledgers, whatever it says, and publish the
        count.
        """
        # The count is of whole messages; what they say is told by events.
        self._verified += 1
        self._say("verified", count=self._verified)

    def tell(self, event: Event) -> None:
        """Publish what an event of the table adds to the page: that a hand begins, or a step in
        it; nothing for other events, nor before the first start of a hand.
        """
        if isinstance(event, HandStarted):
            self._begin(event)
        # Until a hand begins there is no scene that a page could draw on.
        if self._hand < 0:
            return
        self._events.append(event)
        step = self._recorder.hear(event)
        if step is not None:
            self._stepped(step, event)

    def over(self, why: str = "") -> None:
        """Publish that no event follows, and why, if `why` is not empty."""
        self._say("over", why=why)

    async def ended(self, path: Path) -> None:
        """Publish the whole hand that has ended, and its transcript at `path`; nothing if the
        transcript is too large, or the hand's start was not seen. Raises OSError if it cannot be
        read.
        """
        # Which file of the page it is, counted from 0. A copy: the next hand may begin meanwhile.
        events, number = tuple(self._events), self._files
        # A file that is too large leaves a gap: the script finds files by number, not by place.
        self._files += 1
        # In a thread: telling a whole hand must not hold up the table.
        for whole in await compute(self._whole, events, number, path):
            self._say("ended", **whole)

    def _begin(self, event: HandStarted) -> None:
        """Publish that a hand begins: its number, its dealer and the scores before it. The
        events of the hand before are forgotten, unless the same hand goes on.
        """
        # The same number: the hand goes on, and what was told of it stays.
        if event.number != self._hand:
            self._events = []
        # Empty, so that the first step of a hand is told whole.
        self._hand, self._before = event.number, {}
        started = {"number": event.number, "dealer": event.dealer, "before": [*event.scores]}
        # A chapter: whoever begins to read here needs nothing before it.
        self._say("hand", chapter=True, count=self._verified, **started)

    def _stepped(self, step: ReplayStep, event: Event) -> None:
        """Publish a step: what changed in the scene, its words, and the action if it is one."""
        # With the faces that were public then: a live page never shows more (attacks CL18).
        now = scene_at(step, step.table.faces)
        deed: Sequence[Any] | None = None
        if isinstance(event, ActionTaken):
            deed = (event.seat, self._game.format_action(event.action))
        self._say(
            "step",
            now=difference(self._before, now),
            words=(sentence_of(step), moment_of(step)),
            deed=deed,
        )
        self._before = now

    def _whole(self, events: Sequence[Event], number: int, path: Path) -> list[dict[str, Any]]:
        """Return the hand that ended and its transcript at `path` as data for the script, in a
        list; empty if the file is too large, or the hand's start was not seen.

        `number` is that of the file on the page. Raises OSError.
        """
        # The hand stays as it was followed; only its file is not offered.
        if path.stat().st_size > MOST_TRANSCRIPT:
            return []
        data = path.read_bytes()
        file = {"name": file_name(str(path)), "size": len(data)}
        return [
            {
                # Scenes are for games that the verifier cannot replay; else it draws them itself.
                "hand": hand_data(hand, number, scenes=not self._table.judged),
                "result": hand.result,
                "article": hand_article(hand, page_words()),
                "file": file,
                "bytes": b64encode(data).decode(),
            }
            for hand in hands_of(self._game, self._charter, events)
        ]

    def _say(self, said: str, *, chapter: bool = False, **what: Any) -> None:
        """Publish one line of JSON: `said` is its kind, `what` its other entries. Whoever begins
        to read at a `chapter` needs nothing before it.
        """
        # ASCII on one line, as an event of the stream ends with a line's end.
        line = json.dumps({"said": said, **what}, ensure_ascii=True, separators=(",", ":"))
        self._publish(line.encode(), chapter=chapter)
