"""The hands of a page: story in words and as HTML, and scenes as plain data, from the events of an
audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final

from cli.front.story import HandStory
from cli.front.writing import Writer
from cli.page.tree import Node, element
from cli.screen.replay import Replay, ReplayStep, replay_of
from cli.wording import hand_label
from p2p304.cards import Card, Slot
from p2p304.game import AnyGame
from p2p304.telling import AnyTelling, Ended, Lying, Scene
from p2p304.view import View
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted, HandUnfinished
from protocol.wire.charter import Charter

#: What a scene shows, by the name of the thing; values are such as JSON has.
Plain = Mapping[str, Any]


def plain_scene(scene: Scene, last: Sequence[Lying], writer: Writer) -> Plain:
    """Return a scene of the public record as plain data; `last` is the last complete trick."""
    write = writer.line
    shown: dict[str, Any] = {
        "contract": [*map(write, scene.contract)],
        "counts": [
            [each.word, [[write(side), value] for side, value in each.values]]
            for each in scene.counts
        ],
        "middle": [*map(write, scene.middle)],
        "tricks": scene.tricks,
        "lying": _lay(scene.lying),
        "last": _lay(last),
    }
    # Flat names, and no list of seats: `difference` then tells of one seat what has changed there.
    for seat, place in enumerate(scene.places):
        side = place.side_card
        shown |= {
            f"cards {seat}": [*map(card_name, place.cards)],
            f"roles {seat}": [*place.roles],
            f"calls {seat}": [*place.calls],
            f"leading {seat}": place.leading,
            f"beside {seat}": None if side is None else [side.label, card_name(side.card)],
        }
    return shown


def _lay(cards: Sequence[Lying]) -> list[list[Any]]:
    """Return cards on the table as lists for JSON: seat, card, whether it lies face down, its
    note, and whether it wins.
    """
    return [[each.seat, card_name(each.card), each.down, each.note, each.wins] for each in cards]


def difference(before: Plain, after: Plain) -> Plain:
    """Return the entries of `after` that differ from `before`; all scenes of a hand have the
    same keys.
    """
    # `...` is no value of a scene, so that a new entry with None differs as well.
    return {name: value for name, value in after.items() if before.get(name, ...) != value}


def card_name(card: Card | None) -> str | None:
    """Return a card's rank and suit as two letters, such as "JH"; None for a card face down."""
    return None if card is None else str(card)


UNFINISHED: Final = "Ended unfinished, by agreement of {}."


@dataclass(frozen=True, slots=True)
class PageHand:
    """One hand of a page: its number, dealer, result, story, steps and words."""

    number: int
    dealer: int
    before: tuple[int, ...]  #: The match's scores before it.
    result: str  #: Empty for an open hand.
    story: tuple[str, ...]
    #: Rows of the result, each a label and a line; none for an open hand.
    summary: tuple[tuple[str, str], ...]
    deeds: tuple[tuple[int, str], ...]  #: Who did what, as the game writes it.
    steps: tuple[Plain, ...]  #: Each step as it differs from the one before.
    #: Of each step what is told of it, and the rules of the moment where they are others.
    words: tuple[tuple[str, Sequence[str] | None], ...]


def hands_of(game: AnyGame, charter: Charter, events: Iterable[Event]) -> tuple[PageHand, ...]:
    """Return the hands in the events of a file or of one hand, in the order in which they begin;
    what stands before the first is left out.
    """
    found: list[list[Event]] = []
    for event in events:
        if isinstance(event, HandStarted):
            found.append([])
        # What stands before the first hand (the charter, the draw of luck) is told elsewhere.
        if found:
            found[-1].append(event)
    return tuple(_hand(game, charter, each) for each in found)


def _hand(game: AnyGame, charter: Charter, events: Sequence[Event]) -> PageHand:
    """Return a page's hand, made from the events of that hand; the first is its `HandStarted`.
    An open hand has no result ("") and no summary.
    """
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
    # The last counts: another end by agreement may have taken the place of the first.
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


def scene_at(step: ReplayStep, faces: Mapping[Slot, Card]) -> Plain:
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
    """Yield for each step its sentence, and the rules of the moment; None in place of rules that
    are the same as at the step before.
    """
    before: Sequence[str] = ()
    for step in replay.steps:
        moment = moment_of(step)
        # None: the same rules as before, told once.
        yield sentence_of(step), None if moment == before else moment
        before = moment


def sentence_of(step: ReplayStep) -> str:
    """Return what a step did, in sentences; "" if nothing is told of it, and for a deal its
    news.
    """
    table = step.table
    # A step without an action is the deal: its news is the sentence.
    if step.done is None:
        return table.news[-1]
    return " ".join(map(table.writer.sentence, table.telling.tell(*step.done, table.faces)))


def moment_of(step: ReplayStep) -> list[str]:
    """Return the rules of the game that matter right after a step, as a spectator reads them:
    one text each.
    """
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


Words = Mapping[str, Any]


def hand_article(hand: PageHand, words: Words) -> Node:
    """Return the element that tells one hand: its result, its summary and its story.

    `words` are the sentences of `page_words`.
    """
    return element("article", *_article_parts(hand, words))


def _article_parts(hand: PageHand, words: Words) -> Iterator[Node]:
    """Yield the elements inside a hand's article: its number, its result, the rows of its
    summary if there is one, and its story.
    """
    yield element("h4", words["hand"].format(hand_label(hand.number)))
    # A hand without a result: those present have ended it, or it is still open.
    yield element("p", hand.result or words["no_result"], class_="result")
    if hand.summary:
        rows = [(element("dt", label), element("dd", line)) for label, line in hand.summary]
        yield element("dl", *(cell for row in rows for cell in row))
    yield element("ol", *(element("li", line) for line in hand.story))
