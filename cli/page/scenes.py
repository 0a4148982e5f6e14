"""Scenes as plain data for a page, and the difference from one scene to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cli.front.writing import Writer
from p2p304.cards import Card
from p2p304.telling import Lying, Scene

Plain = Mapping[str, Any]
"""What a scene shows, by the name of the thing; values are such as JSON has."""


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
    for seat, place in enumerate(scene.places):
        beside = place.beside
        shown |= {
            f"cards {seat}": [*map(card_name, place.cards)],
            f"roles {seat}": [*place.roles],
            f"calls {seat}": [*place.calls],
            f"leading {seat}": place.leading,
            f"beside {seat}": None if beside is None else [beside.label, card_name(beside.card)],
        }
    return shown


def _lay(cards: Sequence[Lying]) -> list[list[Any]]:
    """Return cards on the table as lists for JSON."""
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
