"""What a page tells of a hand: steps, story, auctions, tricks and result, from audited events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from cli.front.story import HandStory, Told
from cli.front.writing import Writer
from cli.page.scenes import Plain, difference, plain_scene
from cli.screen.replay import Replay, Step, replay_of
from p2p304.game import AnyGame
from p2p304.telling import AnyTelling, Ended, Lying
from p2p304.view import View
from protocol.ledger.events import ActionTaken, Event, HandEnded, HandStarted, HandUnfinished
from protocol.wire.charter import Charter

UNFINISHED: Final = "Ended unfinished, by agreement of {}."
Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageHand:
    """One hand as a page tells it."""

    number: int
    dealer: int
    before: tuple[int, ...]
    """The match's scores before it."""
    scores: tuple[int, ...]
    """The match's scores after it, where the file tells them."""
    changes: tuple[int, ...]
    """What the result changes; empty for a hand without one."""
    result: str
    story: tuple[str, ...]
    summary: tuple[tuple[str, str], ...]
    auctions: tuple[tuple[Cells, ...], ...]
    """Of each auction what every seat said, in its order."""
    tricks: tuple[tuple[tuple[str, bool], ...], ...]
    """Of each trick what every seat played, and whether it won."""
    counted: tuple[tuple[str, tuple[str, ...], tuple[tuple[int, ...], ...]], ...]
    """What is counted trick by trick: its word, whose the numbers are, and the numbers; those at
    the end follow, where they differ."""
    deeds: tuple[tuple[int, str], ...]
    """Who did what, as the game writes it."""
    steps: tuple[Plain, ...]
    """Each step as it differs from the one before."""
    marks: tuple[int, ...]
    """The steps with which a trick was complete."""


def hands_of(game: AnyGame, charter: Charter, events: Iterable[Event]) -> tuple[PageHand, ...]:
    """Return the hands of an audited file, in their order."""
    found: list[list[Event]] = []
    for event in events:
        if isinstance(event, HandStarted):
            found.append([])
        if found:
            found[-1].append(event)
    return tuple(_hand(game, charter, each) for each in found)


def _hand(game: AnyGame, charter: Charter, events: Sequence[Event]) -> PageHand:
    start = events[0]
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
            result = UNFINISHED.format(writer.seats_named(each.present))
    story = HandStory(game, writer)
    heard = (end if end is not None and isinstance(each, HandEnded) else each for each in events)
    lines = [line for event in heard for line in story.hear(event)]
    public = [shown_at(each, each.table.faces) for each in replay.steps]
    every = [shown_at(each, replay.faces) for each in replay.steps]
    return PageHand(
        number=start.number,
        dealer=start.dealer,
        before=tuple(start.scores),
        scores=() if end is None else tuple(end.scores),
        changes=() if end is None else tuple(end.outcome.scores),
        result=result,
        story=tuple(lines[1 : -1 if end is not None else None]),
        summary=_summary(replay, telling, end, writer),
        auctions=tuple(_auctions(public, game.seats)),
        tricks=tuple(_tricks(replay, telling, writer, game.seats)),
        counted=tuple(_counted(every)),
        deeds=tuple(
            (each.seat, game.format_action(each.action))
            for each in events
            if isinstance(each, ActionTaken)
        ),
        steps=tuple(_steps(replay, public, every)),
        marks=tuple(
            number
            for number, (before, after) in enumerate(pairwise(public), 1)
            if after["tricks"] > before["tricks"]
        ),
    )


def shown_at(step: Step, faces: Any) -> Plain:
    """Return the scene of a step with the faces that are known."""
    table = step.table
    view = View(None, table.state, faces)
    moment = tuple(map(table.writer.sentence, table.telling.moment(view)))
    return plain_scene(table.telling.scene(view, table.scores), moment, table.writer)


def _steps(replay: Replay, public: Sequence[Plain], every: Sequence[Plain]) -> Iterable[Plain]:
    """Yield the steps as a page holds them.

    `now` and `all` are what differs from the scenes of the step before, with what was public then
    and with all cards that became public; `told` and `retold` the sentences.
    """
    before: tuple[Plain, Plain] = ({}, {})
    for step, now, whole in zip(replay.steps, public, every, strict=True):
        told = sentences_of(step, step.done, step.table.faces)
        retold = sentences_of(step, step.done, replay.faces)
        yield {
            "now": difference(before[0], now),
            "all": difference(before[1], whole),
            "told": told,
        } | ({"retold": retold} if retold != told else {})
        before = (now, whole)


def sentences_of(step: Step, done: Told | None, faces: Any) -> list[str]:
    """Return what is told of a step."""
    table = step.table
    if done is None:
        return [table.news[-1]]
    return [*map(table.writer.sentence, table.telling.told(*done, faces))]


def _summary(
    replay: Replay, telling: AnyTelling, end: HandEnded | None, writer: Writer
) -> tuple[tuple[str, str], ...]:
    if end is None:
        return ()
    state = replay.steps[-1].table.state
    rows = telling.summary(Ended(state, end.outcome, tuple(end.scores), replay.faces))
    return tuple((row.label, writer.sentence(row.line)) for row in rows)


def _auctions(scenes: Sequence[Plain], seats: int) -> Iterable[tuple[Cells, ...]]:
    """Yield what was said in each auction: calls grow until another auction begins."""
    last: tuple[Cells, ...] = ((),) * seats
    for scene in scenes:
        now = tuple(tuple(scene[f"calls {seat}"]) for seat in range(seats))
        if not all(_goes_on(one, other) for one, other in zip(last, now, strict=True)):
            yield last
        last = now
    if any(last):
        yield last


def _goes_on(before: Cells, after: Cells) -> bool:
    """Tell whether calls go on; "asks" becomes "asked" once the partner has answered."""
    return len(after) >= len(before) and before[:-1] == after[: len(before)][:-1]


def _tricks(
    replay: Replay, telling: AnyTelling, writer: Writer, seats: int
) -> Iterable[tuple[tuple[str, bool], ...]]:
    done = 0
    for step in replay.steps:
        view = View(None, step.table.state, replay.faces)
        tricks = telling.scene(view, step.table.scores).tricks
        if tricks > done:
            done = tricks
            cells = [("", False)] * seats
            for lies in telling.last_trick(view):
                cells[lies.seat] = (_laid(lies, writer), lies.wins)
            yield tuple(cells)


def _laid(card: Lying, writer: Writer) -> str:
    face = writer.card(card.card)
    return f"{face} ({card.note})" if card.note == "led" else face


def _counted(
    scenes: Sequence[Plain],
) -> Iterable[tuple[str, tuple[str, ...], tuple[tuple[int, ...], ...]]]:
    """Yield what is counted at the end of each trick, where all of it are numbers.

    The end of the hand follows where more is known then: hidden cards are counted last.
    """
    ends = [after for before, after in pairwise(scenes) if after["tricks"] > before["tricks"]]
    words = [word for word, _ in ends[0]["counts"]] if ends else []
    for word in words:
        *rows, last = [dict(map(tuple, each["counts"])).get(word) for each in (*ends, scenes[-1])]
        values = [_numbers(row) for row in rows]
        if any(each is None for each in values) or len({*map(str, values)}) == 1:
            continue
        at_end = _numbers(last)
        if at_end != values[-1]:
            values.append(at_end)
        sides = tuple(side for side, _ in rows[0] or ())
        yield word, sides, tuple(each for each in values if each is not None)


def _numbers(row: Any) -> tuple[int, ...] | None:
    texts = [] if row is None else [value.split(" ")[0] for _, value in row]
    if not texts or not all(each.lstrip("-").isdigit() for each in texts):
        return None
    return tuple(map(int, texts))
