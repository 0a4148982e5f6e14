"""A seat of ours with one thing broken, as `conformance sit` is one that is whole.

python -m tests.vectors.broken_seat NAME --hands N
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from cli.main import main


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _no_shuffle() -> None:
    from protocol import deck

    deck.verify_shuffle = _nothing  # type: ignore[assignment]


def _no_shares() -> None:
    from protocol import deck

    deck.verify_shares = _nothing  # type: ignore[assignment]


def _no_keys() -> None:
    from protocol import masking

    masking.verify_keys = _nothing  # type: ignore[assignment]


def _no_luck() -> None:
    """Whatever opens, opens."""
    from protocol import opening

    take = opening.OpeningCourse.take

    def credulous(self: Any, content: Any, occasion: Any) -> Any:
        from dataclasses import replace

        from protocol.contents import LuckOpening

        if isinstance(content, LuckOpening):
            return replace(self, shares={**self.shares, occasion.place.seat: content.luck})
        return take(self, content, occasion)

    opening.OpeningCourse.take = credulous  # type: ignore[method-assign]


def _no_salts() -> None:
    from protocol.commitments import Commitments

    Commitments.verify = _nothing  # type: ignore[method-assign, assignment]


def _forgetful() -> None:
    """A journal that keeps nothing: after a restart it signs everything anew, from new secrets."""
    from cli.table import driver
    from protocol.expansion import Secrets

    driver.SeatDriver._persist = _nothing  # type: ignore[method-assign, assignment]
    import secrets

    def fresh(seed: bytes) -> Secrets:
        return Secrets(secrets.token_bytes(32))

    driver.Secrets = fresh  # type: ignore[attr-defined, assignment, misc]


def _deaf() -> None:
    """Heads are never answered."""
    from protocol.turn import Turn

    Turn.hear_heads = _nothing  # type: ignore[method-assign, assignment]


def _mute_about_cheats() -> None:
    """What convicts is kept to oneself."""
    from protocol import session

    session.Send = lambda *_: session.SeatSuspected(0, "")  # type: ignore[attr-defined, assignment, misc]


def _wrong_shares() -> None:
    """Its own shares are made for another place."""
    from protocol import dealing

    share = dealing.share_cards

    def other(deck: Any, seat: Any, secret: Any, *, context: Any, entropy: Any) -> Any:
        return share(deck, seat, secret, context=context.part(9), entropy=entropy)

    dealing.share_cards = other


def _wrong_score() -> None:
    """Its results are better than they are."""
    from dataclasses import replace

    from protocol.playing import HandCourse

    contribute = HandCourse.contribute

    def better(self: Any, occasion: Any, secrets: Any) -> Any:
        content = contribute(self, occasion, secrets)
        if hasattr(content, "scores"):
            first, *rest = content.scores
            return replace(content, scores=(first + 1, *rest))
        return content

    HandCourse.contribute = better  # type: ignore[method-assign]


BREAKAGES: dict[str, tuple[Callable[[], None], str]] = {
    "shuffles are not verified": (_no_shuffle, "two cards of a shuffle exchanged"),
    "shares are not verified": (_no_shares, "shares of two cards exchanged"),
    "keys are taken without proof": (_no_keys, "keys without proof"),
    "luck is not bound": (_no_luck, "luck that was not committed to"),
    "salts are not looked at": (_no_salts, "a salt that nobody asked for"),
    "nothing is journaled": (_forgetful, "killed during the hand"),
    "heads are not answered": (_deaf, "heads are answered with what is lacking"),
    "what convicts is not told": (_mute_about_cheats, "keys without proof"),
    "its own shares are wrong": (_wrong_shares, "a hand under pagat"),
    "its own results are wrong": (_wrong_score, "a hand under pagat"),
}
"""What is broken, and the sitting that must show it."""


if __name__ == "__main__":
    BREAKAGES[sys.argv[1]][0]()
    sys.exit(main(["conformance", "sit", *sys.argv[2:]]))
