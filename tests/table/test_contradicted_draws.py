"""Captains who sign two things in a draw: what has ended stands, and nobody else says anything
twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from protocol.errors import LocalError
from protocol.tournament.acts import draw_on
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import DrawEnd
from protocol.tournament.record import DrawMessage, TournamentRecord
from protocol.wire.identity import PublicKey
from tests.table.championship import ORGANISER, Championship, other_list, player_key, share_of


def say(cup: Championship, *teams: int) -> list[bool]:
    """Let captains say what is due, the organiser as team 99; tell who had something to say."""
    said = []
    for team in teams:
        raw = draw_on(cup.judged, ORGANISER if team == 99 else player_key(team, 0))
        said.append(raw is not None)
        if raw is not None:
            cup.add(raw)
    return said


def convicted(cup: Championship) -> set[PublicKey]:
    return {each.key for each in cup.judged.convictions}


def test_a_captain_who_fixes_many_shares_makes_nobody_open_twice() -> None:
    cup = Championship(3).listed()
    say(cup, 0, 1, 2, 99)
    assert say(cup, 1, 2) == [True, True]
    cup.fix(0, range(20))  # some have lower ids than the one that all have followed

    assert say(cup, 1, 2, 99) == [False, False, False]
    assert convicted(cup) == {player_key(0, 0).public}


def test_a_referee_leaves_out_a_captain_who_parted_the_others_by_two_shares() -> None:
    cup = Championship(4).listed()
    say(cup, 0, 1, 2, 3, 99)
    say(cup, 0, 1)
    cup.fix(0, range(9))

    cup.restarted("team 0")
    cup.draw(absent={0})

    assert cup.judged.head is not None
    assert [entry.team for entry in cup.tournament.entries] == ["team 1", "team 2", "team 3"]


def test_who_has_opened_its_share_is_not_left_out() -> None:
    cup = Championship(4).listed()
    say(cup, 0, 1, 2, 3, 99)
    say(cup, 0, 1)
    with pytest.raises(LocalError):
        cup.restarted("team 1")


@pytest.mark.parametrize(("captains", "shares"), [(5, 8), (8, 1)])
def test_captains_who_fix_many_shares_undo_no_draw_that_has_ended(
    captains: int, shares: int
) -> None:
    cup = Championship(8).drawn()
    settled, before = cup.judged.tournament, cup.record
    for team in range(captains):
        cup.fix(team, range(60 + team * 8, 60 + team * 8 + shares))

    assert cup.judged.tournament == settled
    assert judge(TournamentRecord.from_bytes(cup.record.to_bytes())).tournament == settled
    assert judge(prune(cup.record)).tournament == settled
    assert len(prune(cup.record, before).of(DrawMessage)) <= 2 * 2 * 9 + 8
    assert convicted(cup) == {player_key(team, 0).public for team in range(captains)}


def others(cup: Championship) -> Iterator[bytes]:
    """Add other shares of captain 0, one after the other, and yield their ids."""
    for secret in range(40):
        before = cup.record.pieces.keys()
        cup.fix(0, [secret])
        yield from cup.record.pieces.keys() - before


def test_an_organiser_ends_a_draw_with_no_other_messages_than_all_have_followed() -> None:
    """Who fixes another share once it knows those of the others finds nobody who follows it."""
    cup = Championship(3).listed()
    say(cup, 0, 1, 2, 99)
    say(cup, 1, 2)
    say(cup, 0, 99)
    state = cup.judged.draw
    assert state.rounds == 2
    true = {each.id for each in state.replica.ledger.rounds[0].messages if each.place.seat == 0}
    mine = next(name for name in others(cup) if name > max(true))
    named = tuple(sorted({*state.messages} - true | {mine}))
    content = DrawEnd(cup.charter.digest, state.draw.follows, named)

    cup.sign(content, ORGANISER)
    more = DrawEnd(cup.charter.digest, state.draw.follows, tuple(sorted({*named, *true})))
    cup.sign(more, ORGANISER)

    assert cup.judged.head is None
    true_end = DrawEnd(cup.charter.digest, state.draw.follows, state.messages)
    cup.sign(true_end, ORGANISER)
    assert cup.judged.head == state.head
    assert cup.checks == {"draw.equivocation", "draw.twice"}


def test_a_captain_with_nothing_but_its_identity_says_the_same_again() -> None:
    cup, again = Championship(3).listed(), Championship(3).listed()
    for each in (cup, again):  # the second one has lost its folder, and has the list again
        say(each, 0, 1, 2, 99)
    assert cup.record == again.record
    say(cup, 1)
    first = [e.content for e in cup.record.of(DrawMessage) if e.content.signed.place.round]
    say(again, 1)
    assert {each.signed.raw for each in first} <= {*again.record.raws}
    assert not cup.record.with_pieces(*again.record.raws).lists.keys() ^ cup.record.lists.keys()
    assert not judge(cup.record.with_pieces(*again.record.raws)).convictions


def test_who_opens_its_share_behind_two_histories_of_a_cheat_is_not_convicted() -> None:
    cup = Championship(3).listed()
    cheat = player_key(1, 0)
    say(cup, 0, 2)
    histories = []
    for secret in (1, 2):
        other = Championship(3).listed()
        other.add(*cup.record.raws[1:])
        other.fix(1, [secret])
        say(other, 99)
        assert say(other, 0) == [True]  # the second time from its identity alone
        histories.append(other.record)
    cup.add(*histories[0].with_pieces(*histories[1].raws).raws[1:])
    assert convicted(cup) == {cheat.public}


def test_a_share_that_a_captain_did_not_fix_opens_nothing() -> None:
    cup = Championship(3).listed()
    say(cup, 0, 1, 2, 99)
    state = cup.state
    cup.add(share_of(state, player_key(0, 0), b"?" * 32))

    assert say(cup, 1, 2, 99) == [True, True, False]
    state = cup.judged.draw
    assert {0} < {*state.missing}


def test_where_two_lists_may_be_meant_a_captain_who_has_drawn_in_neither_says_nothing() -> None:
    cup = Championship(3).listed()
    captain = player_key(0, 0)
    assert draw_on(judge(cup.record, captain.public), captain) is not None
    cup.add(other_list(cup, lambda ids: ids[::-1]))

    assert draw_on(judge(cup.record, captain.public), captain) is None
