"""The record of a tournament: united in any order, drawn by all, decided by what both signed."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, islice, permutations
from typing import Any

import pytest

from p2p304.tournament.tournament import How
from protocol.bounds import MOST_ENDS, MOST_ENTERED, MOST_ENTRIES, MOST_NAMES, MOST_SENT
from protocol.encoding import encode
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.acts import draw_on, end, enter, list_entries
from protocol.tournament.carrying import MOST_EARLY, PIECE, PREFIX, Carrier
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import (
    DrawRestart,
    EntryList,
    MatchResult,
    PieceContent,
    RulingKind,
    TeamEntry,
    TeamPlayer,
    TeamWithdrawal,
    TournamentEnd,
    TournamentRuling,
    open_piece,
    sign_piece,
)
from protocol.tournament.record import CaptainsDraw, DrawMessage, TournamentRecord, draw_of
from protocol.wire.identity import SigningKey
from protocol.wire.terms import Term
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    Championship,
    invented,
    new_charter,
    player_key,
    shuffled,
    stranger_entries,
)


@pytest.mark.parametrize("teams", [2, 5, 32])
def test_captains_draw_and_their_results_name_a_champion(teams: int) -> None:
    cup = Championship(teams).drawn()
    cup.play_all(teams)

    judged = cup.judged
    assert judged.tournament.champion is not None
    assert judged.tournament.finished
    assert not judged.ignored
    assert not judged.convictions


def test_a_record_gathered_in_any_order_is_the_same_file_and_the_same_standing() -> None:
    cup = Championship(5).drawn()
    cup.play(1)
    cup.ruled(2, RulingKind.WALK_OVER, cup.match(2).teams[0])

    for seed in range(4):
        other = shuffled(cup.record, seed)
        assert other.to_bytes() == cup.record.to_bytes()
    again = TournamentRecord.from_bytes(cup.record.to_bytes())
    assert judge(again).tournament == cup.judged.tournament


def test_two_carriers_come_to_one_record(cup: Championship) -> None:
    cup.play(1)
    one, other = Carrier(TournamentRecord.start(cup.record.raws[0])), Carrier(cup.record)

    for _ in range(10):
        for payload in other.receive(one.hello()):
            one.receive(payload)

    assert one.record == cup.record


def test_who_has_just_come_is_answered_by_who_has_the_same(cup: Championship) -> None:
    here, newcomer = Carrier(cup.record), Carrier(cup.record)

    (answer,) = here.receive(newcomer.hello(asks=True))

    assert answer == here.hello()
    assert newcomer.receive(answer) == ()  # and that goes on nowhere


def test_pieces_that_come_before_what_they_rest_on_wait_for_it(cup: Championship) -> None:
    cup.play(1)
    holder, newcomer = Carrier(cup.record), Carrier(TournamentRecord.start(cup.record.raws[0]))
    for payload in reversed(holder.receive(newcomer.hello())):
        newcomer.receive(payload)

    assert newcomer.record == cup.record


def test_a_piece_that_is_here_already_changes_nothing_and_wakes_nobody(cup: Championship) -> None:
    cup.play(1)
    carrier, whole = Carrier(cup.record), Carrier(TournamentRecord.start(cup.record.raws[0]))
    payloads = [each for _ in range(3) for each in carrier.receive(whole.hello())]
    assert len(payloads) > len(cup.record.pieces) // 2

    for payload in payloads:
        carrier.receive(payload)
    assert carrier.record is cup.record  # what waits for a change compares records so
    assert cup.record.with_pieces(*carrier.record.raws) is cup.record


def test_a_draw_goes_on_without_a_captain_who_never_came() -> None:
    cup = Championship(4).listed()
    cup.draw(absent={2})
    assert (
        cup.judged.waits
        == "the draw waits for team 2, the organiser to confirm the list of entries"
    )

    cup.restarted("team 2")
    cup.draw(absent={2})

    assert {entry.team for entry in cup.tournament.entries} == {"team 0", "team 1", "team 3"}
    assert cup.tournament.luck is not None


def test_who_quits_a_draw_does_not_know_its_luck_because_the_organiser_opens_last() -> None:
    cup = Championship(3).listed()
    cup.draw(absent={1})
    cup.draw_each(player_key(1, 0), ORGANISER)
    cup.draw(absent={1})  # captains 0 and 2 have opened, captain 1 keeps its share back

    assert draw_on(cup.judged, ORGANISER) is None
    assert cup.state.rounds
    cup.restarted("team 1")
    cup.draw(absent={1})

    assert cup.state.luck is not None
    opened = {
        (len(said.draw.before), bytes(said.signed.content.luck))  # type: ignore[union-attr]  # of the second round
        for said in (each.content for each in cup.record.of(DrawMessage))
        if said.signed.place.round
    }
    assert len({luck for _, luck in opened}) == len(opened) == 2 + 3  # no share serves twice


def test_a_share_that_comes_late_finishes_the_draw_that_it_belongs_to() -> None:
    """Nobody can be thrown out by a restart once all captains have opened."""
    cup = Championship(3).listed()
    cup.draw(absent={1})
    cup.draw_each(player_key(1, 0), ORGANISER)
    cup.draw(absent={1})
    late = draw_on(cup.judged, player_key(1, 0))
    assert late is not None
    cup.restarted("team 1")

    cup.add(late)
    assert draw_on(cup.judged, player_key(0, 0)) is None
    cup.draw()

    assert len(cup.tournament.entries) == 3
    assert cup.tournament.luck is not None
    assert not cup.judged.convictions


def test_results_count_before_they_can_be_placed_and_without_the_organiser() -> None:
    cup = Championship(4).drawn()
    later = Championship(4).drawn()
    later.play(1)
    later.play(2)
    final = later.result(later.match(4), (2, 1))

    cup.add(*final)
    assert cup.judged.ignored
    cup.play(1)
    cup.play(2)

    assert cup.match(4).outcome is not None
    assert not cup.judged.ignored


def test_a_result_needs_a_player_of_each_team() -> None:
    cup = Championship(2).drawn()
    match = cup.match(1)
    cup.add(*cup.result(match, (2, 0), by=(0, 2)))  # two players of one team

    assert cup.match(1).outcome is None
    assert len(cup.judged.ignored) == 2


def test_a_ruling_lets_a_team_through_whose_opponents_never_come(cup: Championship) -> None:
    present, absent = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, absent)

    assert (cup.outcome(1).how, cup.outcome(1).winner) == (How.WALK_OVER, present)


def test_who_withdraws_or_is_disqualified_loses_all_that_it_has_not_played() -> None:
    cup = Championship(4).drawn()
    cup.play(1)
    cup.ruled(4, RulingKind.DISQUALIFIED, cup.outcome(1).winner)
    cup.play(2)

    assert cup.outcome(4).how is How.DISQUALIFIED
    assert cup.outcome(4).winner == cup.outcome(2).winner


def test_a_ruling_changes_nothing_that_both_teams_have_signed(cup: Championship) -> None:
    cup.play(1)
    before = cup.match(1).outcome
    cup.ruled(1, RulingKind.WALK_OVER, cup.match(1).teams[0])

    assert cup.match(1).outcome == before
    assert len(cup.judged.ignored) == 1


@pytest.mark.parametrize(
    "bend",
    [
        pytest.param(lambda data: data[:-1], id="cut"),
        pytest.param(lambda data: data + b"\0", id="more"),
        pytest.param(lambda data: b"p2p304 transcript 1\n" + data, id="another-file"),
        pytest.param(lambda data: data[:300] + bytes((data[300] ^ 1,)) + data[301:], id="a-bit"),
        pytest.param(lambda _: b"", id="empty"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(bend) -> None:  # type: ignore[no-untyped-def]  # bytes to bytes
    data = Championship(2).drawn().record.to_bytes()
    with pytest.raises(MalformedMessage) as refused:
        TournamentRecord.from_bytes(bend(data))
    assert "\n" not in str(refused.value)


def test_no_bit_of_a_file_can_be_another_and_no_end_of_it_be_missing() -> None:
    cup = Championship(2, reserves=True).drawn()
    cup.play_all(1)
    cup.add(end(cup.judged, ORGANISER))
    data, chance = cup.record.to_bytes(), random.Random(304)
    bits = (chance.randrange(8 * len(data)) for _ in range(400))
    flipped = (
        data[: bit // 8] + bytes((data[bit // 8] ^ 1 << bit % 8,)) + data[bit // 8 + 1 :]
        for bit in bits
    )
    cut = (data[:size] for size in range(0, len(data), 37))
    for broken in (*flipped, *cut):
        with pytest.raises(MalformedMessage):
            TournamentRecord.from_bytes(broken)


def test_pieces_of_a_file_stand_in_one_order() -> None:
    from protocol.encoding import encode
    from protocol.tournament.record import FORMAT, MAGIC

    raws = Championship(2).drawn().record.raws
    turned = encode((MAGIC, FORMAT, (raws[0], raws[2], raws[1], *raws[3:])), max_bytes=100_000)
    with pytest.raises(MalformedMessage, match=r"record\.order"):
        TournamentRecord.from_bytes(turned)


def test_nobody_signs_for_somebody_else() -> None:
    cup = Championship(2).entered()
    with pytest.raises(LocalError):
        cup.ruled(1, RulingKind.WALK_OVER, "team 0")
    of_another = Championship(2, new_charter(id=b"the next one 304"))
    with pytest.raises(LocalError, match="of another tournament"):
        sign_piece(of_another.entry(0), player_key(0, 0), charter=cup.charter)
    alone = replace(cup.entry(0), players=cup.entry(0).players[:1])
    with pytest.raises(LocalError, match="2 players"):
        enter(cup.record, alone, player_key(0, 0))
    with pytest.raises(LocalError, match="signs no such TeamEntry"):
        enter(cup.record, cup.entry(0), player_key(1, 0))


def test_the_table_of_a_match_is_under_the_referees_of_the_charter(cup: Championship) -> None:
    for number in (1, 2):
        assert cup.table(number).terms == (
            Term("referee", tuple(key.to_bytes() for key in cup.charter.referees)),
            Term("tournament", (cup.charter.digest, number)),
        )


def test_an_organiser_lists_once_and_only_entries_that_are_there() -> None:
    cup = Championship(3)
    assert draw_on(cup.judged, ORGANISER) is None
    cup.entered()
    ids = tuple(cup.record.entries)
    with pytest.raises(LocalError, match="not here"):
        list_entries(cup.record, ORGANISER, (*ids, bytes(32)))
    raw = list_entries(cup.record, ORGANISER, ids)
    cup.add(raw)
    assert list_entries(cup.record, ORGANISER, ids) == raw
    with pytest.raises(LocalError, match="listed already"):
        list_entries(cup.record, ORGANISER, ids[1:])


def test_a_draw_is_restarted_while_it_waits_and_with_two_teams_at_least() -> None:
    cup = Championship(2).entered()
    with pytest.raises(LocalError, match="no draw to restart"):
        cup.restarted("team 0")
    cup.listed()
    with pytest.raises(LocalError, match="too few"):
        cup.restarted("team 0")
    cup.draw()
    with pytest.raises(LocalError, match="no draw to restart"):
        cup.restarted("team 0")


# --- what anybody signs or repeats fills no record ------------------------------------------------


def rulings(cup: Championship, by: SigningKey, count: int) -> list[bytes]:
    """Rulings about a draw that there never was."""
    about = (1, RulingKind.WALK_OVER, (1,), (1, 2))
    draws = (number.to_bytes(32, "big") for number in range(count))
    made = (TournamentRuling(cup.charter.digest, draw, *about) for draw in draws)
    return [sign_piece(each, by, charter=cup.charter) for each in made]


def result_of(cup: Championship, number: int, key: SigningKey) -> MatchResult:
    """A result of a match of a draw that there never was, at another table for each number."""
    table = number.to_bytes(32, "big")
    terms = (cup.charter.digest, bytes(32), 1, (1, 2), table, 0, bytes(32), (1, 0))
    return MatchResult(*terms, key.public)


def payload(raw: bytes) -> bytes:
    """What carries a piece."""
    return PREFIX + encode((PIECE, raw), max_bytes=20_000)


def read_back(record: TournamentRecord) -> TournamentRecord:
    return TournamentRecord.from_bytes(record.to_bytes())


def test_what_strangers_enter_goes_when_the_list_is_there_and_keeps_nobody_out() -> None:
    cup = Championship(2)
    flood = stranger_entries(cup, MOST_ENTERED)
    cup.add(*flood)
    cup.entered()
    carrier = Carrier(cup.record)
    late = stranger_entries(cup, MOST_ENTERED + 1)[-1]
    carrier.receive(payload(late))
    assert carrier.record is cup.record  # too many already, and nobody has listed this one

    cup.listed()
    carrier.receive(payload(cup.record.pieces[next(iter(cup.record.lists))].raw))
    assert len(carrier.record.pieces) == len(("charter", "list")) + 2 * 2
    listed = carrier.record
    carrier.receive(payload(late))
    assert carrier.record is listed
    cup.record = listed
    cup.draw()
    cup.play(1)
    assert cup.tournament.champion == cup.match(1).teams[0]


@pytest.mark.parametrize("count", [9, 40])
def test_a_referee_who_restarts_without_end_leaves_a_file_that_reads_back(count: int) -> None:
    cup = Championship(8).listed()
    cup.draw(absent={7})
    absent = [(place, other) for place in range(7) for other in range(place + 1, 8)]
    for gone in [(place,) for place in range(8)] + absent[: count - 8]:
        cup.restarted_against_the_rules(*gone)
    cup.draw_behind(player_key(0, 0))

    cup.record = prune(cup.record)

    assert read_back(cup.record) == cup.record
    assert sum(isinstance(each.content, DrawRestart) for each in cup.record.pieces.values()) <= 32
    assert cup.checks == {"restart.twice"}


def test_restarts_of_draws_that_there_never_were_fill_nothing() -> None:
    cup = Championship(2).drawn()
    before = cup.judged
    for number in range(60):
        restart = DrawRestart(cup.charter.digest, number.to_bytes(32, "big"), (0,))
        cup.sign(restart, REFEREE)

    cup.record = prune(cup.record)

    assert len(cup.record.pieces) <= len(before.record.pieces) + 32
    assert cup.judged.tournament == before.tournament


def test_records_of_more_names_than_a_payload_holds_come_to_one() -> None:
    cup = Championship(2)
    said = [*rulings(cup, REFEREE, 800), *rulings(cup, OTHER_REFEREE, 800)]
    assert len(said) > MOST_NAMES
    one = Carrier(cup.record.with_pieces(*said[:-MOST_SENT]))
    other = Carrier(cup.record.with_pieces(*said[MOST_SENT:]))
    for _ in range(3):
        for asks, answers in ((one, other), (other, one)):
            for payload in answers.receive(asks.hello()):
                asks.receive(payload)

    assert one.record == other.record == cup.record.with_pieces(*said)
    assert len(one.hello()) < 16_000


def test_what_comes_too_early_waits_up_to_a_bound_and_the_oldest_goes_first() -> None:
    cup = Championship(2)
    early = [
        sign_piece(result_of(cup, number, key), key, charter=cup.charter)
        for number in range(MOST_EARLY + 4)
        for key in [player_key(number % 2, number // 2 % 2)]
    ]
    carrier = Carrier(cup.record)
    for raw in early:
        carrier.receive(payload(raw))
    assert carrier.record is cup.record

    cup.entered()
    for raw in cup.record.raws:
        carrier.receive(payload(raw))

    assert carrier.record == cup.record.with_pieces(*early[4:])


def of_one_slot(cup: Championship, kind: str, count: int) -> list[bytes]:
    """Return different pieces of one kind by one signer, which lead to nothing."""
    tournament, key = cup.charter.digest, player_key(0, 0)
    numbers = [number.to_bytes(32, "big") for number in range(count)]
    stranger = player_key(99, 0)
    teams = ((TeamPlayer(stranger.public, "x", each),) for each in numbers)
    pieces: dict[str, tuple[SigningKey, list[PieceContent]]] = {
        "entries": (stranger, [TeamEntry(tournament, "strangers", each) for each in teams]),
        "lists": (
            ORGANISER,
            [EntryList(tournament, ids) for ids in [*permutations(cup.record.entries)][:count]],
        ),
        "restarts": (REFEREE, [DrawRestart(tournament, each, (0,)) for each in numbers]),
        "results": (key, [result_of(cup, number, key) for number in range(count)]),
    }
    signer, contents = pieces[kind]
    return [sign_piece(each, signer, charter=cup.charter) for each in contents]


@pytest.mark.parametrize(
    ("kind", "most"),
    [("entries", 8), ("lists", 8), ("restarts", 32), ("results", 64), ("rulings", 1_024)],
)
def test_a_record_keeps_so_many_pieces_of_one_signer_and_no_more(kind: str, most: int) -> None:
    cup = Championship(4).entered()
    before = len(cup.record.pieces)
    one_more = most + 1
    if kind == "rulings":
        *pieces, last = rulings(cup, REFEREE, one_more)
    else:
        *pieces, last = of_one_slot(cup, kind, one_more)
    cup.add(*pieces)
    assert prune(cup.record) == cup.record
    cup.add(last)
    assert len(prune(cup.record).pieces) == before + most


def test_a_piece_that_is_repeated_changes_nothing() -> None:
    cup = Championship(2).drawn()
    cup.play(1)
    carrier = Carrier(cup.record)
    for raw in cup.record.raws:
        carrier.receive(payload(raw))

    assert carrier.record is cup.record


def test_what_rests_on_an_entry_that_is_not_kept_is_not_kept() -> None:
    cup = Championship(2).entered()
    entry = cup.record.with_pieces(stranger_entries(cup, 1)[0]).of(TeamEntry)
    (stranger,) = [each for each in entry if each.content.team == "stranger 0"]
    key = SigningKey((10**6).to_bytes(4, "big") * 8)
    withdrawn = TeamWithdrawal(cup.charter.digest, cup.charter.digest, 1, key.public)
    cup.add(stranger.raw, sign_piece(withdrawn, key, charter=cup.charter))
    cup.listed()

    kept = prune(cup.record)
    assert len(kept.of(TeamEntry)) == 2 * 2
    assert kept.of(TeamWithdrawal) == []
    assert TournamentRecord.from_bytes(kept.to_bytes()) == kept


def test_a_record_of_more_entries_than_a_tournament_can_need_is_refused() -> None:
    cup = Championship(2)
    flood = stranger_entries(cup, MOST_ENTRIES + 1)
    assert len(cup.record.with_pieces(*flood[1:]).pieces) == MOST_ENTRIES + 1
    with pytest.raises(MalformedMessage, match=r"record\.size"):
        cup.record.with_pieces(*flood)


def test_entries_are_looked_up_once_however_many_lists_name_them() -> None:
    cup = Championship(4).entered()
    digest = cup.charter.digest
    lists = [
        sign_piece(EntryList(digest, ids), ORGANISER, charter=cup.charter)
        for ids in permutations(cup.record.entries)
    ]
    record = cup.record.with_pieces(*lists)
    assert len(record.draws) == len(lists)
    assert record.entries is record.entries


def test_of_restarts_without_end_so_many_draws_are_made_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cup = Championship(5).listed()
    again = cup.copy()
    for gone in permutations(range(5), 2):
        again.restarted_against_the_rules(*gone)
    restarts = again.record.raws[1:]
    every = again.record.draws
    assert len(every) == 1 + 5 * 4
    made = list[bytes]()

    def counted(*given: Any) -> CaptainsDraw:
        made.append(given[1])
        return draw_of(*given)

    monkeypatch.setattr("protocol.tournament.record.draw_of", counted)
    monkeypatch.setattr("protocol.tournament.record.MOST_DRAWS", 4)
    assert cup.record.with_pieces(*restarts).draws == every[:4]
    assert made == [each.follows for each in every[:4]]


def test_a_record_of_more_draws_than_are_looked_at_is_judged_and_pruned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Messages of a draw are here that lists of lower ids have pushed out."""
    monkeypatch.setattr("protocol.tournament.record.MOST_DRAWS", 4)
    cup = Championship(4).drawn()
    lists = (EntryList(cup.charter.digest, ids) for ids in permutations(cup.record.entries))
    cup.add(*(sign_piece(each, ORGANISER, charter=cup.charter) for each in lists))
    assert len(cup.record.draws) == 4
    assert cup.judged.head is None
    assert read_back(prune(cup.record)) == prune(cup.record)


def settled_list(
    cup: Championship, ids: tuple[bytes, ...], entries: list[bytes]
) -> TournamentRecord:
    """A list that an organiser signs of invented teams, with their draw, made alone."""
    content = EntryList(cup.charter.digest, ids)
    raw = sign_piece(content, ORGANISER, charter=cup.charter)
    own = Championship(0, cup.charter)
    own.add(*entries, raw)
    own.draw_by(*(player_key(100 + team, 0) for team in range(len(entries))), ORGANISER)
    return own.record


def test_files_of_many_invented_lists_push_out_no_standing_that_was_here(cup: Championship) -> None:
    cup.play_all(1)
    me = player_key(0, 0).public
    champion = judge(cup.record, me).tournament.champion
    made = invented(cup, 6)
    entries = [each.raw for each in made.record.of(TeamEntry)]
    honest = min(cup.record.lists)
    signed = (
        (ids, sign_piece(EntryList(cup.charter.digest, ids), ORGANISER, charter=cup.charter))
        for size in (2, 3, 4)
        for ids in permutations(made.record.entries, size)
    )
    # Standings are told in the order of their lists: these come before the honest one.
    lower = (ids for ids, raw in signed if open_piece(raw, cup.charter).id < honest)
    lists = [*islice(lower, 12)]
    assert len(lists) == 12
    evil = [settled_list(cup, ids, entries) for ids in lists]
    record = cup.record
    for one in (evil[:9], evil[3:], evil):
        whole = one[0]
        for other in one[1:]:
            whole = whole.with_pieces(*other.raws)
        record = prune(record.with_pieces(*whole.raws), record)
    judged = judge(record, me)
    assert len(judged.forks) >= 7
    assert judged.certain
    assert judged.tournament.champion == champion


def test_two_players_who_sign_one_score_without_end_fill_no_record(cup: Championship) -> None:
    signed = [open_piece(raw, cup.charter).content for raw in cup.result(cup.match(1), (1, 0))]
    for content in signed:
        flood = (replace(content, hand=hand) for hand in range(600))
        key = cup.keys[content.key]
        cup.add(*(sign_piece(each, key, charter=cup.charter) for each in flood))
    outcome = cup.match(1).outcome
    kept = prune(cup.record, cup.record)
    assert len(kept.pieces) < 250
    decided = judge(kept).tournament
    assert decided.matches[0].outcome == outcome
    cup.play_all(1)
    cup.add(end(cup.judged, ORGANISER))
    assert cup.judged.ended


def test_results_that_say_the_same_push_out_none_that_the_end_names(cup: Championship) -> None:
    match = cup.match(1)
    cup.add(*cup.result(match, (1, 0), hand=500))
    cup.play_all(1)
    cup.add(end(cup.judged, ORGANISER))
    for hand in range(70):  # the lowest count before those of the end, which has other terms
        signed = cup.result(match, (1, 0), hand=hand)
        cup.record = prune(cup.record.with_pieces(*signed), cup.record)
    assert len(cup.record.pieces) < 250
    assert cup.judged.ended


def test_ends_without_end_are_none(cup: Championship) -> None:
    cup.play_all(1)
    honest = end(cup.judged, ORGANISER)
    named = sorted(name[:12] for names in cup.judged.counted.values() for name in names)
    terms = cup.charter.digest, cup.judged.head or b""
    contents = (TournamentEnd(*terms, pair) for pair in combinations(named, 2))
    others = [sign_piece(each, ORGANISER, charter=cup.charter) for each in contents]
    cup.add(honest, *others[: MOST_ENDS - 1])
    assert cup.judged.ended
    cup.add(others[MOST_ENDS])
    assert not cup.judged.ended
    assert "end.twice" in cup.checks
    cup.add(*others)
    kept = judge(prune(cup.record))
    assert not kept.ended
    assert "end.twice" in {each.check for each in kept.convictions}
