"""Scenes as plain data for a page, and what differs from one to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cli.front.writing import Writer
from p2p304.cards import Card
from p2p304.telling import Scene

Plain = Mapping[str, Any]
"""What a scene shows, by the name of the thing; values are such as JSON has."""
LEARNT: Final = "moment"
"""The name under which the rules of the moment stand in a scene."""


def plain_scene(scene: Scene, moment: tuple[str, ...], writer: Writer) -> Plain:
    """Return a scene of the public record; `moment` are the rules of the moment, in sentences."""
    write = writer.line
    shown: dict[str, Any] = {
        "contract": [*map(write, scene.contract)],
        "counts": [
            [each.word, [[write(side), value] for side, value in each.values]]
            for each in scene.counts
        ],
        "middle": [*map(write, scene.middle)],
        "tricks": scene.tricks,
        "lying": [
            [each.seat, card_name(each.card), each.down, each.note, each.wins]
            for each in scene.lying
        ],
        LEARNT: [*moment],
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


def difference(before: Plain, after: Plain) -> Plain:
    """Return what of a scene is not as it was before; all scenes of a hand have the same names."""
    return {name: value for name, value in after.items() if before.get(name, ...) != value}


def card_name(card: Card | None) -> str | None:
    """Return a card's rank and suit as two letters, None for a back."""
    return None if card is None else str(card)
