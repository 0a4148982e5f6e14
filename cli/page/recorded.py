"""The hands of a page: story in words, and scenes, from the events of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final

from cli.front.story import HandStory
from cli.front.writing import Writer
from cli.page.scenes import Plain, difference, plain_scene
from cli.screen.replay import Replay, ReplayStep, replay_of
from p2p304.game import AnyGame
from p2p304.telling import AnyTelling, Ended
from p2p304.view import View
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted, HandUnfinished
from protocol.wire.charter import Charter

UNFINISHED: Final = "Ended unfinished, by agreement of {}."


@dataclass(frozen=True, slots=True)
class PageHand:
    """One hand of a page: its title, result, steps and words."""

    number: int
    dealer: int
    before: tuple[int, ...]
    """The match's scores before it."""
    result: str
    story: tuple[str, ...]
    summary: tuple[tuple[str, str], ...]
    deeds: tuple[tuple[int, str], ...]
    """Who did what, as the game writes it."""
    steps: tuple[Plain, ...]
    """Each step as it differs from the one before."""
    words: tuple[tuple[str, Sequence[str] | None], ...]
    """Of each step what is told of it, and the rules of the moment where they are others."""


def hands_of(game: AnyGame, charter: Charter, events: Iterable[Event]) -> tuple[PageHand, ...]:
    """Return the hands of an audited file, in order."""
    found: list[list[Event]] = []
    for event in events:
        if isinstance(event, HandStarted):
            found.append([])
        # What stands before the first hand (the charter, the draw of luck) is told elsewhere.
        if found:
            found[-1].append(event)
    return tuple(_hand(game, charter, each) for each in found)


def _hand(game: AnyGame, charter: Charter, events: Sequence[Event]) -> PageHand:
    """Return a page's hand, made from the events of that hand; the first is its `HandStarted`."""
    start = events[0]
    # `hands_of` begins each list with the start of its hand.
    assert isinstance(start, HandStarted)
    writer = Writer(game.seats)
    replay = replay_of(game, charter, events)
    telling = replay.steps[0].table.telling
    end = next((each for each in events if isinstance(each, HandEnded)), None)
    told = replay.steps[-1].table.summary
    if end is not None and told is not None:
        end = replace(end, scores=told.scores)  # a file may hold no more of its match
    result = "" if end is None else end.outcome.summary
    for each in events:
        if isinstance(each, HandUnfinished):
            result = UNFINISHED.format(writer.join_seats(each.present))
    story = HandStory(game, writer)
    # The corrected end in place of the file's.
    heard = (end if end is not None and isinstance(each, HandEnded) else each for each in events)
    lines = [line for event in heard for line in story.hear(event)]
    # Twice: as it was public then, and with all that the end opened.
    public = [scene_at(each, each.table.faces) for each in replay.steps]
    every = [scene_at(each, replay.faces) for each in replay.steps]
    return PageHand(
        number=start.number,
        dealer=start.dealer,
        before=tuple(start.scores),
        result=result,
        # Without the heading, the result and its rows, which the page has in places of their own.
        story=tuple(takewhile(lambda line: line != result, lines[1:])),
        summary=_summary(replay, telling, end, writer),
        deeds=tuple(
            (each.seat, game.format_action(each.action))
            for each in events
            if isinstance(each, ActionTaken)
        ),
        steps=tuple(_steps(public, every)),
        words=tuple(_words(replay)),
    )


def scene_at(step: ReplayStep, faces: Any) -> Plain:
    """Return the scene of a step as plain data, drawn with these known faces."""
    table = step.table
    # None: what a spectator may see.
    view = View(None, table.state, faces)
    last = table.telling.last_trick(view)
    return plain_scene(table.telling.scene(view, table.scores), last, table.writer)


# Differences, as a hand of forty whole scenes would be most of the page.
def _steps(public: Sequence[Plain], every: Sequence[Plain]) -> Iterable[Plain]:
    """Yield for each step how its scenes differ from those of the step before.

    `now` is from `public`, the scene with the cards that were public then, `all` from `every`, the
    scene with all cards that became public by the end.
    """
    before: tuple[Plain, Plain] = ({}, {})
    for now, whole in zip(public, every, strict=True):
        yield {"now": difference(before[0], now), "all": difference(before[1], whole)}
        before = (now, whole)


def _words(replay: Replay) -> Iterable[tuple[str, Sequence[str] | None]]:
    """Yield for each step its sentence, and the rules of the moment if they changed."""
    before: Sequence[str] = ()
    for step in replay.steps:
        moment = moment_of(step)
        # None: the same rules as before, told once.
        yield sentence_of(step), None if moment == before else moment
        before = moment


def sentence_of(step: ReplayStep) -> str:
    """Return the sentence of a step, "" for a step without one."""
    table = step.table
    # A step without an action is the deal: its news is the sentence.
    if step.done is None:
        return table.news[-1]
    return " ".join(map(table.writer.sentence, table.telling.tell(*step.done, table.faces)))


def moment_of(step: ReplayStep) -> list[str]:
    """Return the rules that apply after a step, one text each."""
    table = step.table
    return [*map(table.writer.sentence, table.telling.moment(View(None, table.state, table.faces)))]


def _summary(
    replay: Replay, telling: AnyTelling, end: HandEnded | None, writer: Writer
) -> tuple[tuple[str, str], ...]:
    """Return the rows of the hand's result, each a label and a line; empty without an end."""
    if end is None:
        return ()
    state = replay.steps[-1].table.state
    rows = telling.summary(Ended(state, end.outcome, tuple(end.scores), replay.faces))
    return tuple((row.label, writer.sentence(row.line)) for row in rows)
