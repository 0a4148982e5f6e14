"""Who cheats in a tournament: what is refused, and what convicts (specs/attacks.md, T)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from p2p304.tournament.tournament import Elimination
from protocol.bounds import MOST_PIECES
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.acts import draw_on, enter, list_entries, rule
from protocol.tournament.carrying import PREFIX, Carrier
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import (
    DrawEnd,
    EntryList,
    RulingKind,
    TeamEntry,
    TeamPlayer,
    TournamentRuling,
    sign_piece,
)
from protocol.tournament.races import Hands, hands_in, hands_of, together
from protocol.tournament.record import DrawMessage, TournamentRecord, convictions_in
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import PublicKey, Purpose, SigningKey, sign
from protocol.wire.terms import Term
from tests.table.bus import GAME, file_of, left_after, next_charter
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    Championship,
    new_charter,
    other_list,
    player_key,
    share_of,
)


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda ids: ids[1:], id="an entry is dropped"),
        pytest.param(lambda ids: ids[::-1], id="entries are reordered"),
    ],
)
def test_an_organiser_who_lists_other_entries_after_the_draw_is_convicted_and_changes_nothing(
    order: Callable[[list[bytes]], list[bytes]],
) -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    before = cup.judged.tournament

    cup.add(other_list(cup, order))

    (conviction,) = cup.judged.convictions
    assert (conviction.check, conviction.key) == ("list.twice", ORGANISER.public)
    assert cup.judged.tournament == before


def test_two_files_of_an_organiser_that_contradict_each_other_convict_when_they_are_united() -> (
    None
):
    one, other = Championship(4).drawn(), Championship(4).entered()
    other.add(other_list(one, lambda ids: ids[:2]))
    other.draw()
    assert judge(other.record).head is not None
    assert not convictions_in(other.record)

    both = one.record.with_pieces(*other.record.raws)
    again = other.record.with_pieces(*one.record.raws)

    assert {each.check for each in judge(both).convictions} == {"list.twice"}
    assert judge(both).tournament == judge(again).tournament


def test_an_organiser_who_gives_up_a_draw_whose_luck_it_knows_is_convicted() -> None:
    cup = Championship(3).listed()
    cup.draw()
    first = cup.state
    cup.restarted_against_the_rules(1)
    keys = player_key(0, 0), player_key(2, 0), ORGANISER
    assert [draw_on(cup.judged, key) for key in keys[:2]] == [None, None]
    cup.draw_behind(*keys)
    assert not cup.checks  # it has given up nothing yet
    cup.draw_behind(*keys)

    assert cup.checks == {"draw.abandoned"}
    assert cup.judged.head == first.head  # settled once, settled for good


def test_a_captain_who_fixes_two_shares_is_convicted_and_undoes_no_draw() -> None:
    cup = Championship(3).drawn()
    before = cup.tournament
    for seed in range(200, 220):  # among so many some have lower ids than the true one
        cup.fix(1, [seed])
        cup.record = prune(cup.record)

    assert cup.checks == {"draw.equivocation"}
    assert cup.tournament == before
    assert len(cup.record.of(DrawMessage)) < 4 * 2 + 20


def test_pieces_of_an_older_tournament_are_refused() -> None:
    old = Championship(2).drawn()
    new = Championship(2, new_charter(id=b"the next one 304")).entered()
    for raw in old.record.raws:
        with pytest.raises(MalformedMessage):
            new.record.with_pieces(raw)


def test_a_charter_with_another_race_is_another_tournament() -> None:
    cup = Championship(2).drawn()
    altered = Championship(2, new_charter(Elimination(races=(3, 1), third=1)))
    with pytest.raises(MalformedMessage, match="tournament"):
        altered.record.with_pieces(*cup.record.raws)
    with pytest.raises(MalformedMessage, match="tournament"):
        cup.record.with_pieces(altered.record.raws[0])


def test_a_key_that_plays_in_two_places_makes_a_list_that_nobody_draws_for() -> None:
    cup = Championship(3).entered()
    shared = cup.entry(2)
    twice = replace(shared, players=(shared.players[0], cup.entry(0).players[1]))
    for place, key in enumerate((player_key(2, 0), player_key(0, 1))):
        cup.add(enter(cup.record, twice, key))
        assert twice.players[place].key == key.public
    by_team = {content.team: name for name, content in cup.record.entries.items()}
    by_twice = [name for name, each in cup.record.entries.items() if each == twice]
    bad = EntryList(cup.charter.digest, (by_team["team 0"], by_team["team 1"], *by_twice))
    cup.sign(bad, ORGANISER)

    assert cup.judged.draw is None
    assert cup.judged.waits.endswith("one key plays in two places")


def test_an_entry_counts_with_the_signatures_of_all_its_players_only() -> None:
    cup = Championship(2)
    stolen = TeamEntry(
        cup.charter.digest,
        "thieves",
        (
            TeamPlayer(player_key(9, 0).public, "thief", bytes(32)),
            TeamPlayer(player_key(0, 0).public, "victim", bytes(32)),
        ),
    )
    cup.add(enter(cup.record, stolen, player_key(9, 0)))

    assert not cup.record.entries


def test_the_organisers_key_does_not_play() -> None:
    cup = Championship(2).entered()
    entry = TeamEntry(
        cup.charter.digest,
        "organisers",
        (
            TeamPlayer(ORGANISER.public, "organiser", bytes(32)),
            TeamPlayer(player_key(9, 1).public, "friend", bytes(32)),
        ),
    )
    for key in (ORGANISER, player_key(9, 1)):
        cup.add(enter(cup.record, entry, key))
    names = tuple(cup.record.entries)
    cup.add(sign_piece(EntryList(cup.charter.digest, names), ORGANISER, charter=cup.charter))

    assert cup.judged.waits.endswith("the organiser's key plays")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_ruling_under_a_key_that_the_charter_does_not_name_is_refused(seat: int) -> None:
    cup = Championship(2).drawn()
    ruling = TournamentRuling(cup.charter.digest, cup.judged.head, 1, RulingKind.DISQUALIFIED, (1,))
    stranger = SigningKey(b"?" * 32)
    with pytest.raises(LocalError):
        sign_piece(ruling, stranger, charter=cup.charter)
    body_piece = sign_piece(ruling, REFEREE, charter=cup.charter)
    forged = sign(
        stranger,
        body_piece[67:],
        purpose=Purpose.TOURNAMENT,
        seat=seat,  # type: ignore[arg-type]  # a number, as a stranger writes it
        charter=cup.charter.digest,
    ).to_bytes()
    with pytest.raises(MalformedMessage, match=r"signature|piece\.signer"):
        cup.record.with_pieces(forged)


def test_a_ruling_about_another_draw_or_a_match_that_is_not_there_counts_for_nothing() -> None:
    cup = Championship(4).drawn()
    before = cup.judged.tournament
    for draw, match, kind, teams, sides in (
        (bytes(32), 1, RulingKind.WALK_OVER, (1,), (1, 2)),
        (cup.judged.head, 9, RulingKind.WALK_OVER, (1,), (1, 2)),
        (cup.judged.head, 1, RulingKind.WALK_OVER, (7,), (1, 2)),
        (cup.judged.head, 1, RulingKind.WALK_OVER, (1,), (1,)),
        (cup.judged.head, 1, RulingKind.WITHDRAWN, (2,), (2, 1)),
    ):
        ruling = TournamentRuling(cup.charter.digest, draw, match, kind, teams, sides)
        cup.sign(ruling, REFEREE)

    assert cup.judged.tournament == before
    assert len(cup.judged.ignored) == 5


def test_a_ruling_for_a_match_that_the_team_does_not_play_counts_for_nothing() -> None:
    cup = Championship(4).drawn()
    elsewhere = cup.match(2).teams[0]
    with pytest.raises(LocalError, match="do not meet"):
        cup.ruled(1, RulingKind.WALK_OVER, elsewhere)
    cup.ruled_against_the_rules(1, RulingKind.WALK_OVER, elsewhere, by=REFEREE)

    assert cup.match(1).outcome is None
    assert len(cup.judged.ignored) == 1


def test_two_rulings_of_a_referee_about_one_point_convict_it(cup: Championship) -> None:
    one, other = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, one)
    assert cup.outcome(1)
    cup.ruled_against_the_rules(1, RulingKind.WALK_OVER, other, by=REFEREE)

    (conviction,) = cup.judged.convictions
    assert (conviction.check, conviction.key) == ("ruling.twice", REFEREE.public)


def test_two_referees_who_disagree_are_both_heard_and_the_first_named_decides() -> None:
    cup = Championship(4).drawn()
    one, other = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, one, by=OTHER_REFEREE)
    cup.ruled(1, RulingKind.WALK_OVER, other)

    assert cup.outcome(1).winner == one
    assert not cup.judged.convictions


def test_a_result_of_other_teams_or_another_table_counts_for_nothing(cup: Championship) -> None:
    first, second = cup.match(1), cup.match(2)
    cup.add(*cup.result(replace(second, number=1, race=first.race), (1, 0)))

    assert cup.match(1).outcome is None
    assert len(cup.judged.ignored) == 2


def test_a_result_that_wins_no_race_counts_for_nothing() -> None:
    cup = Championship(2).drawn()
    cup.add(*cup.result(cup.match(1), (3, 0)))

    assert cup.match(1).outcome is None
    assert len(cup.judged.ignored) == 2


def test_a_result_of_nobody_who_entered_is_refused() -> None:
    cup = Championship(2).drawn()
    cup.keys |= {key.public: key for key in [SigningKey(b"?" * 32)]}
    (raw,) = cup.result(cup.match(1), (2, 0), by=(0,))
    other = Championship(2)
    with pytest.raises(MalformedMessage, match=r"piece\.stranger"):
        other.record.with_pieces(raw)


def test_a_restart_that_names_nobody_or_leaves_too_few_is_no_draw() -> None:
    cup = Championship(2).listed()
    for absent in ((), (0,), (5,), (0, 0)):
        cup.restarted_against_the_rules(*absent)

    assert len(cup.record.draws) == 1
    assert "restart.twice" in cup.checks


def test_a_team_that_signs_without_end_makes_no_record_grow_and_loses_nothing_of_others() -> None:
    cup = Championship(2).drawn()
    cup.play(1)
    outcome = cup.match(1).outcome
    match, before = cup.match(1), len(cup.record.pieces)
    for hand in range(90):
        cup.add(*cup.result(match, (0, 2), by=(0,), hand=100 + hand))
    cup.record = prune(cup.record)

    assert cup.match(1).outcome == outcome
    assert len(cup.record.pieces) < before + 64 + 2
    assert "result.twice" in cup.checks


# --- captains who sign two things in a draw -------------------------------------------------------


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
    true = {each.id for each in state.replica.ledger.rounds[0] if each.place.seat == 0}
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


# --- what records and races refuse ----------------------------------------------------------------


def refused(data: bytes) -> str:
    with pytest.raises(MalformedMessage) as error:
        TournamentRecord.from_bytes(data)
    return error.value.check


def rows_of(record: TournamentRecord) -> tuple[Value, ...]:
    value = decode(record.to_bytes())
    assert isinstance(value, tuple)
    return value


def test_a_file_that_is_no_record_is_refused_by_what_is_wrong_with_it() -> None:
    magic, version, pieces = rows_of(Championship(2).record)
    assert isinstance(pieces, tuple)
    assert refused(encode((magic, 99, pieces))) == "record.format"
    assert refused(encode(("another file", version, pieces))) == "record.format"
    assert refused(encode((magic, version, ()))) == "record.format"
    assert refused(encode((magic, version, (*pieces, "text")))) == "record.format"
    many = encode((magic, version, (b"",) * (MOST_PIECES + 1)), max_bytes=1 << 20)
    assert refused(many) == "record.size"
    assert refused(encode((magic, version, (*pieces, b"x")))) == "envelope.size"


def test_what_is_said_in_another_form_is_not_answered() -> None:
    carrier = Carrier(Championship(2).record)
    before = carrier.record
    for payload in (
        b"",
        b"X" + encode((1, b"piece")),
        PREFIX,
        PREFIX + b"\xc1",
        PREFIX + encode((99, b"piece")),
        PREFIX + encode((1, "text")),
        PREFIX + encode((2, b"", b"")),
    ):
        assert carrier.receive(payload) == ()
    assert carrier.record is before


def test_two_players_of_one_nickname_cannot_meet() -> None:
    cup = Championship(2)
    one, other = cup.entry(0), cup.entry(1)
    twin = other.players[0]._replace(nickname=one.players[0].nickname)
    same = TeamEntry(other.tournament, other.team, (twin, *other.players[1:]))
    for team, entry in enumerate((one, same)):
        for place in range(len(entry.players)):
            cup.add(enter(cup.record, entry, player_key(team, place)))
    with pytest.raises(MalformedMessage) as error:
        list_entries(cup.record, ORGANISER, tuple(cup.record.entries))
    assert error.value.check == "list.nickname"


def test_nobody_rules_before_the_draw_about_no_team_or_without_the_charters_word() -> None:
    cup = Championship(2).listed()
    with pytest.raises(LocalError, match="no matches before the draw"):
        rule(cup.judged, REFEREE, 1, RulingKind.WALK_OVER, ("team 0",))
    cup.draw()
    with pytest.raises(LocalError, match="signs no such TournamentRuling"):
        rule(cup.judged, player_key(9, 9), 1, RulingKind.WALK_OVER, ("team 1",))
    with pytest.raises(LocalError, match="no such team"):
        rule(cup.judged, REFEREE, 1, RulingKind.WALK_OVER, ("Tigers",))


# --- races that go on at another table ------------------------------------------------------------


def counted(charter: Charter, hands: Hands) -> list[tuple[bytes, int]]:
    """The tables and numbers of the hands that count for a race that began at a table."""
    return [(each.hand.charter.table, each.hand.number) for each in hands_of(charter, hands)]


def test_a_race_goes_on_with_the_hands_of_the_table_at_which_its_match_went_on() -> None:
    before = left_after(2, hands=1)
    charter = next_charter(before)
    here, there = before.charter.table, charter.table
    one = hands_in([file_of(before, 0)], lambda _: GAME)
    ((later,),) = one.values()
    gone = replace(later, hand=replace(later.hand, charter=charter))
    other = {charter.digest: (gone,)}
    assert counted(before.charter, together([one, other])) == [(here, 0), (there, 0)]
    assert counted(before.charter, one) == [(here, 0)]
    assert counted(before.charter, other) == [(there, 0)]
    # A hand that was played where the others had left counts for nothing.
    stayed = replace(later, hand=replace(later.hand, number=1))
    assert counted(before.charter, {**other, before.charter.digest: (later, stayed)}) == [
        (here, 0),
        (there, 0),
    ]
    # Nor does a table of others, or under other rules or terms, which says that it goes on so.
    seats = charter.seats
    for more in (
        {"profile": "other rules"},
        {"seats": (*seats, SeatEntry(player_key(9, 9).public, "Erandi", bytes(32)))},
        {"terms": (*charter.terms, Term("tournament", (bytes(32), 1)))},
        {"seats": (replace(seats[0], key=player_key(9, 9).public), *seats[1:])},
    ):
        claims = replace(charter, **more)
        stranger = replace(gone, hand=replace(gone.hand, charter=claims))
        assert counted(before.charter, {**one, claims.digest: (stranger,)}) == [(here, 0)]
