"""The saved hands that conformance starts from: small tables that together do most of what can be.

Written to `specs/vectors/hands/` by `make vectors`; a rehearsal gives the same bytes again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from cli.conformance.tables import SAVED, saved_hand
from p2p304.seats import Seat
from protocol.places import EPOCH
from protocol.seat.session import Session
from protocol.wire.contents import RulingVerdict
from tests.vectors.rehearsal import Choose, Rehearsal, always, rather

PRESENT: Final = (Seat(0), Seat(1), Seat(2))
"""Who ends a hand unfinished."""


@dataclass(frozen=True, slots=True)
class SavedHand:
    """A table that is played again at will: its name, what it plays, how its seats decide."""

    name: str
    agreement: str
    about: str
    choose: Callable[[], dict[int, Choose]] = dict
    hands: int = 1
    game: str = "304"
    ended_after: int | None = None
    """Closed rounds after which all but the last seat end the hand unfinished."""
    ruled_after: int | None = None
    """Closed rounds of the first hand after which the referee fines the first side."""
    continues: str = ""
    """The name of the saved hand that was ended so, with whose match this one goes on."""

    def table_of(self) -> Rehearsal:
        """Return the table before its first hand, for its charter and its keys."""
        return Rehearsal(
            SAVED[self.name][0],
            self.game,
            self.agreement,
            choose=self.choose(),
            before=_rehearsed(self.continues) if self.continues else None,
            present=PRESENT if self.continues else (),
            refereed=self.ruled_after is not None,
        )

    def rehearsed(self) -> Rehearsal:
        """Return the table after its last hand, which is played once and kept."""
        return _rehearsed(self.name)

    def kept(self) -> bytes:
        """Return the file as it lies beside the specification."""
        return saved_hand(self.name)

    def transcript(self) -> bytes:
        """Return the file."""
        table = self.rehearsed()
        if self.ruled_after is not None:
            return table.match_transcript((0, EPOCH))
        return table.match_transcript(range(self.hands)) if self.hands > 1 else table.transcript()


def _all(*words: str) -> Callable[[], dict[int, Choose]]:
    return lambda: {seat: always(*words) for seat in range(4)}


def _rather(seats: int, *words: str) -> Callable[[], dict[int, Choose]]:
    """Return what a table does that does each of these once, whoever may."""
    return lambda: dict.fromkeys(range(seats), rather(*words))


def _bids(*hands: str) -> Callable[[], dict[int, Choose]]:
    """Return every seat bids this in the first hand, that in the second; and plays its last
    card."""

    def choose(session: Session, legal: tuple[Any, ...]) -> Any:
        said = hands[session.table_state.counted]
        written = {session.game.format_action(each): each for each in legal}
        return written.get(said, written.get("cut 17", legal[-1]))

    return lambda: dict.fromkeys(range(4), choose)


SAVED_HANDS: Final = {
    each.name: each
    for each in (
        SavedHand(
            "closed",
            "pagat",
            "closed trump: cards face down, hand-overs, inspections, a cut, a count",
        ),
        SavedHand("passed-out", "wikipedia", "four passes"),
        SavedHand(
            "redeal",
            "pagat; +redeal_private",
            "a redeal whose few points are proved without showing a card",
            _all("redeal", "pass"),
        ),
        SavedHand(
            "spoilt",
            "card304-alpha",
            "no cut, one circuit; a false call of spoilt trumps, both defenders answer",
        ),
        SavedHand(
            "eight-card",
            "card304",
            "an eight-card bid takes the indicator back; open trump",
        ),
        SavedHand(
            "two-hands",
            "wikipedia",
            "two hands of one match in one file",
            _all("pass"),
            hands=2,
        ),
        SavedHand(
            "unfinished",
            "wikipedia",
            "a hand that three seats ended after two passes, without the fourth",
            _all("pass"),
            ended_after=4,
        ),
        SavedHand(
            "continued",
            "wikipedia",
            "the hand after it, dealt again at another table, with a bot for the fourth",
            _all("pass"),
            continues="unfinished",
        ),
        SavedHand(
            "ruled",
            "wikipedia",
            "a hand that a referee stopped after two passes, with a penalty, and the hand after it",
            _all("pass"),
            ruled_after=4,
        ),
        SavedHand(
            "deal-of-41",
            "floor_12",
            "a deal of 41: four bids of 3, thirteen tricks, seats that show once what they lack",
            _bids("bid 3"),
            game="41",
        ),
        SavedHand(
            "deals-of-400",
            "target_44",
            "two deals of 400 in one file: one thrown in, one played",
            _bids("bid 2", "bid 5"),
            hands=2,
            game="400",
        ),
        SavedHand(
            "six24",
            "six24",
            "six seats, four cards each: a forced opening",
        ),
        SavedHand(
            "eight32",
            "eight32",
            "eight seats, four cards each",
        ),
        SavedHand(
            "six36",
            "six36",
            "a partner is asked by its number; Partner Close Caps, which both partners sit out",
            _rather(6, "ask-seat", "bid 160", "bid pcc"),
        ),
        SavedHand(
            "tamil504",
            "tamil504; pre_show_card = in a trick too",
            "threes on top, six seats; cards are shown in turn",
            _rather(6, "show", "show"),
        ),
        SavedHand(
            "tamil904",
            "tamil904",
            "twos and threes on top, eight seats, forty cards",
        ),
        SavedHand(
            "tamil4",
            "tamil4",
            "four seats without caps; double",
            _rather(4, "bid 200", "double"),
        ),
        SavedHand(
            "maharashtra",
            "maharashtra; +marriages; +last_trick",
            "a called partner; a score for each seat",
            _rather(4, "pass", "pass", "pass", "pass", "marriage"),
        ),
        SavedHand(
            "doso_viso",
            "doso_viso",
            "Half Court: four cards, a maker who names a card that it has not",
            _rather(4, "bid half_court"),
        ),
    )
}

TABLES: Final = tuple(name for name, (_, weight) in SAVED.items() if not weight)
"""The hands of the profiles of 304 beside the five for four seats, each called by its profile."""


@cache
def _rehearsed(name: str) -> Rehearsal:
    saved = SAVED_HANDS[name]
    if saved.ended_after is not None:
        return saved.table_of().end_unfinished(saved.ended_after, PRESENT)
    table = saved.table_of()
    if saved.ruled_after is not None:
        table.rule(0, saved.ruled_after, RulingVerdict.PENALTY, against=1)
        table.play(EPOCH + 1)
        return table
    table.play(saved.hands)
    return table
