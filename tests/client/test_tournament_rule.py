"""What a referee signs, at which point, and that it never signs two rulings for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.errors import UserError
from cli.tournament.ruling import ruling_about, signed_once
from protocol.ledger.rulings import ruled
from protocol.wire.contents import RulingVerdict
from tests.table.refereed import REFEREES, refereed, refereed_at, tell


def test_a_ruling_is_about_the_newest_point_or_an_earlier_one_that_was_seen() -> None:
    state = refereed_at(1, 3).chairs[0].session.table_state
    penalty = RulingVerdict.PENALTY
    newest = ruling_about(state, penalty, 1, "why", hand=None, closed=None)
    assert (newest.hand, newest.closed) == (1, 3)
    earlier = ruling_about(state, penalty, 1, "", hand=0, closed=2)
    assert (earlier.hand, earlier.closed) == (0, 2)
    for hand, closed in ((1, 4), (2, None), (2, 0)):
        with pytest.raises(UserError, match="has not come to that point"):
            ruling_about(state, penalty, 1, "", hand=hand, closed=closed)


def test_before_the_first_hand_a_team_that_never_comes_can_lose(tmp_path: Path) -> None:
    table = refereed(confirmed=False)
    state = table.chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.WALK_OVER, 1, "", hand=None, closed=None)
    ruling = signed_once(state, content, REFEREES[0], tmp_path)
    assert ruled(state, ruling) is not None
    redeal = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    with pytest.raises(UserError):
        signed_once(state, redeal, REFEREES[0], tmp_path / "elsewhere")


def test_what_was_signed_is_on_the_disk_and_a_second_ruling_is_refused(tmp_path: Path) -> None:
    table = refereed_at(0, 3)
    state = table.chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    ruling = signed_once(state, content, REFEREES[0], tmp_path)
    (path,) = tmp_path.glob("*.p304r")
    assert path.read_bytes() == ruling.raw
    assert signed_once(state, content, REFEREES[0], tmp_path) == ruling
    for verdict, against, closed in (
        (RulingVerdict.NO_ACTION, 0, 3),
        (RulingVerdict.PENALTY, 1, 3),
        (RulingVerdict.END, 0, 2),
    ):
        other = ruling_about(state, verdict, against, "", hand=0, closed=closed)
        with pytest.raises(UserError, match=r"convict you of ruling\.twice"):
            signed_once(state, other, REFEREES[0], tmp_path)
    tell(table, ruling)
    after = table.chairs[0].session.table_state
    assert signed_once(after, content, REFEREES[0], tmp_path) == ruling
    assert table.chairs[0].session.table_state.rulings.signed == (ruling,)


def test_what_cannot_be_ruled_is_not_signed(tmp_path: Path) -> None:
    state = refereed_at(0, 3).chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.PENALTY, 0, "", hand=None, closed=None)
    with pytest.raises(UserError, match="walk-over name a team, --against"):
        signed_once(state, content, REFEREES[0], tmp_path)
    assert not [*tmp_path.iterdir()]
