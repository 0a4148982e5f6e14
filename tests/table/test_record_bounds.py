"""A tournament's record stays bounded, readable and in step, whatever anybody signs or repeats."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, islice, permutations
from typing import Any

import pytest

from protocol.encoding import encode
from protocol.errors import MalformedMessage
from protocol.tournament.acts import end
from protocol.tournament.carrying import (
    MOST_EARLY,
    MOST_ENTERED,
    MOST_NAMES,
    MOST_SENT,
    PIECE,
    PREFIX,
    Carrier,
)
from protocol.tournament.judge import MOST_ENDS, judge, prune
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
from protocol.tournament.record import (
    MOST_ENTRIES,
    CaptainsDraw,
    TournamentRecord,
    draw_of,
)
from protocol.wire.identity import SigningKey
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    Championship,
    invented,
    player_key,
    stranger_entries,
)


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


def test_files_of_many_invented_lists_push_out_no_standing_that_was_here() -> None:
    cup = Championship(4).drawn()
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


def test_two_players_who_sign_one_score_without_end_fill_no_record() -> None:
    cup = Championship(4).drawn()
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


def test_results_that_say_the_same_push_out_none_that_the_end_names() -> None:
    cup = Championship(4).drawn()
    match = cup.match(1)
    cup.add(*cup.result(match, (1, 0), hand=500))
    cup.play_all(1)
    cup.add(end(cup.judged, ORGANISER))
    for hand in range(70):  # the lowest count before those of the end, which has other terms
        signed = cup.result(match, (1, 0), hand=hand)
        cup.record = prune(cup.record.with_pieces(*signed), cup.record)
    assert len(cup.record.pieces) < 250
    assert cup.judged.ended


def test_ends_without_end_are_none() -> None:
    cup = Championship(4).drawn()
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
