"""Vectors of tournaments' records: files of pieces, and what follows from them."""

from __future__ import annotations

from dataclasses import replace

from p2p304.tournament.tournament import RoundRobin
from protocol.tournament.acts import (
    answer_calls,
    call_reserve,
    draw_on,
    end,
    enter,
    list_entries,
    withdraw,
)
from protocol.tournament.pieces import (
    DrawEnd,
    EntryList,
    RulingKind,
    TeamWithdrawal,
    TournamentRuling,
)
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    Championship,
    invented,
    latest_draw,
    new_charter,
    other_list,
    player_key,
    signed_by_another,
)
from tests.vectors.collect import Collector

READ = "tournament.record"


def record() -> Collector:
    """Records that hold, from the charter to the champion, and files that are none."""
    found = Collector("record", "records of tournaments, and what follows from them (10 to 13)")
    _growing(found)
    _decided(found)
    _contradicted(found)
    _tables(found)
    _faults(found)
    _playing_referees(found)
    _reserves(found)
    return found


def _read(found: Collector, about: str, cup: Championship, *, strange: bool = False) -> str:
    return found.accept(READ, about, strange=strange, record=cup.record.to_bytes().hex())


def _growing(found: Collector) -> None:
    cup = Championship(3)
    _read(found, "a charter alone", cup)
    cup.entered()
    _read(found, "three entries", cup)
    cup.listed()
    _read(found, "a list", cup)
    cup.draw(absent={1})
    _read(found, "two of three captains have confirmed", cup)
    cup.draw_each(player_key(1, 0), ORGANISER)
    cup.draw(absent={1})
    _read(found, "one captain keeps its share back", cup)
    late = draw_on(cup.judged, player_key(1, 0))
    assert late is not None
    cup.restarted("team 1")
    _read(found, "the draw is made again without a team", cup)
    again = cup.copy()
    again.draw(absent={1})
    _read(found, "a draw of two after one of three was given up", again)
    late_cup = cup.copy()
    late_cup.add(late)
    _read(found, "a late share makes nothing of the restart", late_cup, strange=True)
    late_cup.draw()
    _read(found, "a late share finishes the first draw", late_cup, strange=True)
    cup.draw_each(player_key(0, 0), player_key(2, 0), ORGANISER)
    cup.add(late)
    _read(found, "a late share comes when the organiser has confirmed again", cup, strange=True)
    opened = Championship(3)
    opened.record = again.record.with_pieces(late)
    _read(found, "a late share comes when the draw of two has ended", opened, strange=True)
    entry = cup.entry(7)
    alone = Championship(2)
    alone.add(enter(alone.record, entry, player_key(7, 1)))
    _read(found, "an entry that one of two players has signed", alone)


def _decided(found: Collector) -> None:
    cup = Championship(5).drawn()
    cup.play_all(304)
    _read(found, "five teams to a champion", cup)
    cup = Championship(4).drawn()
    cup.add(*cup.result(cup.match(1), (1, 0), by=(0,)))
    _read(found, "a result that one team has signed", cup)
    cup.add(*cup.result(cup.match(1), (1, 0), by=(3,)))
    _read(found, "the other player of the other team signs it", cup)
    cup.ruled(1, RulingKind.WALK_OVER, cup.match(1).teams[0])
    cup.ruled(2, RulingKind.WALK_OVER, *cup.match(2).teams)
    _read(found, "a ruling against a result, and one against both teams", cup)
    cup = Championship(4).drawn()
    one, other = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, one, by=OTHER_REFEREE)
    cup.ruled(1, RulingKind.WALK_OVER, other)
    cup.ruled(2, RulingKind.DISQUALIFIED, cup.match(2).teams[1])
    _read(found, "two referees disagree, and a team is disqualified", cup)
    _ruled(found)
    _organiser_rules(found)
    cup = Championship(4, new_charter(RoundRobin(race=2))).drawn()
    cup.play(1)
    cup.ruled(1, RulingKind.WITHDRAWN, "team 2")
    cup.ruled(1, RulingKind.WITHDRAWN, "team 0")
    _read(found, "two leave a round robin one after the other", cup)
    early, later = Championship(4).drawn(), Championship(4).drawn()
    later.play(1)
    later.play(2)
    early.add(*later.result(later.match(4), (2, 1)))
    _read(found, "a final that is played before anybody knows by whom", early, strange=True)


def _organiser_rules(found: Collector) -> None:
    cup = Championship(3, new_charter(referees=())).drawn()
    cup.ruled(1, RulingKind.WALK_OVER, cup.match(1).teams[0], by=ORGANISER)
    _read(found, "no referee is named, and the organiser rules", cup, strange=True)


def _ruled(found: Collector) -> None:
    cup = Championship(4).drawn()
    through, absent = cup.match(1).teams
    late = cup.result(cup.match(1), (0, 1))
    cup.ruled(1, RulingKind.WALK_OVER, absent, by=OTHER_REFEREE)
    cup.play(2)
    cup.play(4, through)
    _read(found, "a final is played by a team that a ruling let through", cup)
    for kind in RulingKind:
        cup.ruled_against_the_rules(1, kind, through, by=REFEREE)
    _read(found, "the referee who is named first rules against it afterwards", cup, strange=True)
    ended = cup.copy()
    cup.add(*late)
    _read(found, "both teams show late who has won the match", cup, strange=True)
    again = Championship(4).drawn()
    again.ruled(1, RulingKind.WALK_OVER, absent)
    again.play(2)
    again.ruled(4, RulingKind.WALK_OVER, through)
    again.add(*late)
    _read(found, "a walk-over of a final to which another team comes", again, strange=True)
    again.ruled(4, RulingKind.WALK_OVER, absent)
    _read(found, "the same referee rules on the final that is played", again)
    ended.play(3)
    ended.add(end(ended.judged, ORGANISER))
    _read(found, "the organiser ends it", ended)
    ended.add(*late)
    _read(found, "a result is shown that the end goes past", ended, strange=True)
    twice = ended.copy()
    twice.play(4, absent)
    twice.add(end(twice.judged, ORGANISER))
    _read(found, "the organiser ends it again, by that result", twice, strange=True)
    twice.add(*twice.result(replace(twice.match(4), outcome=None), (1, 2), hand=9))
    _read(found, "a contrary result is shown after the end", twice, strange=True)
    other = Championship(4).drawn()
    other.play_all(2)
    ended.unite(other.record)
    ended.add(end(other.judged, ORGANISER))
    _read(found, "the organiser ends another history of it, too", ended, strange=True)
    one, two = Championship(2).drawn(), Championship(2).drawn()
    for each, by, absent in ((one, REFEREE, 0), (two, OTHER_REFEREE, 1)):
        each.ruled(1, RulingKind.WALK_OVER, each.match(1).teams[absent], by=by)
        each.add(end(each.judged, ORGANISER))
    one.unite(two.record)
    _read(found, "the organiser ends it by either of two rulings", one, strange=True)
    cup = Championship(8).drawn()
    through, absent = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, absent, by=OTHER_REFEREE)
    cup.play(2)
    beaten = next(team for team in cup.match(2).teams if team not in cup.match(5).teams)
    cup.ruled(5, RulingKind.WALK_OVER, cup.match(5).teams[1], by=OTHER_REFEREE)
    for number in (3, 4, 6):
        cup.play(number)
    cup.play(8, through)
    _read(found, "two rulings let a team through to a final that it wins", cup)
    cup.add(*cup.result(replace(cup.match(5), sides=(absent, beaten), outcome=None), (1, 0)))
    cup.ruled_against_the_rules(1, RulingKind.WALK_OVER, through, by=REFEREE)
    _read(found, "a referee and two losers sign against it", cup, strange=True)
    cup = Championship(4).drawn()
    out, through = cup.match(1).teams
    cup.ruled(1, RulingKind.WALK_OVER, out, through, by=OTHER_REFEREE)
    cup.play(2)
    won = cup.match(2).outcome
    cup.ruled_against_the_rules(1, RulingKind.DISQUALIFIED, out, by=REFEREE)
    cup.ruled_against_the_rules(4, RulingKind.WALK_OVER, won.winner or "", by=REFEREE)  # type: ignore[union-attr]  # played
    _read(found, "a walk-over behind which nothing is signed", cup, strange=True)
    cup = Championship(3).entered()
    cup.add(withdraw(cup.judged, player_key(0, 0)))
    cup.add(list_entries(cup.record, ORGANISER, tuple(cup.record.standing_entries)))
    cup.draw()
    _read(found, "a captain withdraws its entry before the list", cup)
    cup = Championship(4).drawn()
    cup.add(withdraw(cup.judged, player_key(0, 0)))
    _read(found, "a captain withdraws its team", cup)
    key = player_key(0, 1)
    content = TeamWithdrawal(cup.charter.digest, cup.judged.head or b"", 2, key.public)
    cup.sign(content, key)
    _read(found, "who is no captain withdraws a team", cup, strange=True)


def _contradicted(found: Collector) -> None:
    cup = Championship(3).drawn()
    cup.add(other_list(cup, lambda ids: ids[1:]))
    _read(found, "an entry is dropped after the draw", cup, strange=True)
    cup.unite(invented(cup).record)
    _read(found, "the organiser draws another list of teams that are its own", cup, strange=True)
    cup = Championship(3).drawn()
    cup.fix(1, range(200, 206))
    _read(found, "a captain fixes seven shares of a finished draw", cup, strange=True)
    _fixed_twice(found)
    cup = Championship(3).drawn()
    cup.restarted_against_the_rules(1)
    keys = (player_key(0, 0), player_key(2, 0), ORGANISER)
    cup.draw_behind(*keys)
    _read(found, "the organiser confirms behind a draw whose luck it knows", cup, strange=True)
    cup.draw_behind(*keys)
    state = latest_draw(cup.record)
    content = DrawEnd(cup.charter.digest, state.draw.follows, state.messages)
    cup.sign(content, ORGANISER)
    _read(found, "the organiser ends both draws", cup, strange=True)
    cup = Championship(4).drawn()
    match = cup.match(1)
    one, other_one = cup.result(match, (1, 0)), cup.result(match, (0, 1), hand=4)
    cup.add(*one, *other_one)
    cup.ruled(1, RulingKind.WALK_OVER, match.teams[0])
    _read(found, "two results of one match", cup, strange=True)
    for about, raws in (("one", one), ("the other one", other_one)):
        shown = [name.hex() for name, each in cup.record.pieces.items() if each.raw in raws]
        found.accept(READ, f"a transcript of {about} is shown", strange=True,
                     record=cup.record.to_bytes().hex(), shown=shown)  # fmt: skip
    cup = Championship(4).drawn()
    signed = cup.result(cup.match(1), (1, 0))
    cup.add(*signed)
    apart = next(team for team in range(4) if f"team {team}" not in cup.match(1).teams)
    cup.add(signed_by_another(cup, signed[0], player_key(apart, 1)))
    _read(found, "a player of a third team signs a result, too", cup, strange=True)
    cup = Championship(2).entered()
    entry = cup.entry(1)
    twice = replace(entry, players=(entry.players[0], cup.entry(0).players[1]))
    for key in (player_key(1, 0), player_key(0, 1)):
        cup.add(enter(cup.record, twice, key))
    listed = [name for name, each in cup.record.entries.items() if each != entry]
    cup.sign(EntryList(cup.charter.digest, tuple(listed)), ORGANISER)
    _read(found, "a list in which one key plays for two teams", cup, strange=True)
    cup = Championship(2).drawn()
    absent, head = RulingKind.WALK_OVER, cup.judged.head
    for draw, number, kind, teams, sides in (
        (bytes(32), 1, absent, (1,), (1, 2)), (head, 9, absent, (1,), (1, 2)),
        (head, 1, absent, (7,), (1, 2)), (head, 1, absent, (), (1, 2)),
        (head, 1, absent, (1,), ()), (head, 1, RulingKind.WITHDRAWN, (1,), (1, 2)),
    ):  # fmt: skip
        ruled = TournamentRuling(cup.charter.digest, draw, number, kind, teams, sides)
        cup.sign(ruled, REFEREE)
    _read(found, "rulings that count for nothing", cup, strange=True)


def _reserves(found: Collector) -> None:
    """Reserves and line-ups (12.1)."""
    cup = Championship(3, reserves=True).entered()
    alone, last = cup.copy(), cup.record.raws[-1]
    alone.record = cup.record.only(
        name for name, each in cup.record.pieces.items() if each.raw != last
    )
    _read(found, "an entry that one of two players and a reserve have not signed", alone)
    cup.listed()
    cup.draw()
    match = cup.match(1)
    entry = next(each for each in cup.state.draw.entries if each.team == match.teams[0])
    captain = cup.keys[entry.players[0].key]
    cup.add(call_reserve(cup.judged, captain, entry.players[1].nickname))
    _read(found, "a captain calls its reserve", cup)
    cup.add(*answer_calls(cup.judged, cup.keys[entry.reserves[0].key]))
    _read(found, "the reserve sits in a match", cup)
    for lineups, by in ((0, (2, 1)), (1, (0, 1)), (8, (2, 3))):
        played = cup.copy()
        played.add(*played.result(match, (1, 0), by=by, lineups=lineups))
        _read(found, f"a result of line-ups {lineups}", played)
    signed = cup.result(match, (1, 0), by=(0, 1))
    cup.add(signed[1], signed_by_another(cup, signed[0], cup.keys[entry.players[1].key]))
    _read(found, "who does not sit signs a result", cup, strange=True)
    played = cup.copy()
    played.add(signed[0])
    played.add(*played.result(match, (0, 1), lineups=3))
    _read(found, "contrary results of two line-ups", played, strange=True)


def _fixed_twice(found: Collector) -> None:
    """Captains who sign several confirmations: what has ended stands."""
    cup = Championship(6).listed()
    captains = [player_key(team, 0) for team in range(6)]
    cup.draw_each(*captains, ORGANISER, *captains[1:])
    parted = cup.copy()
    parted.fix(0, range(100, 104))
    _read(found, "a captain fixes five shares, and the others have opened theirs", parted,
          strange=True)  # fmt: skip
    cup.draw()
    for team in range(5):
        cup.fix(team, range(100 + team * 8, 105 + team * 8))
    _read(found, "five captains fix six shares each of a draw that has ended", cup, strange=True)


def _playing_referees(found: Collector) -> None:
    """Rulings of a referee who plays, which count in no match of its own (12.6)."""
    referee, own = player_key(0, 1), "team 0"
    referees = (referee.public, REFEREE.public)

    def ruled(cup: Championship, number: int, kind: RulingKind, team: str) -> None:
        cup.ruled_against_the_rules(number, kind, team, by=referee)

    for about, system in (
        ("an elimination", new_charter().system),
        ("a round robin", RoundRobin(race=2)),
    ):
        cup = Championship(4, new_charter(system, referees=referees)).drawn()
        tournament = cup.judged.tournament
        known = [each for each in tournament.matches if each.ready]
        mine = next(each for each in known if own in each.teams)
        other = next(each for each in known if own not in each.teams)
        against = next(team for team in mine.teams if team != own)
        ruled(cup, mine.number, RulingKind.WALK_OVER, against)
        ruled(cup, mine.number, RulingKind.DISQUALIFIED, against)
        ruled(cup, mine.number, RulingKind.WITHDRAWN, own)
        _read(found, f"the referee of {about} rules on a match that it plays", cup, strange=True)
        ruled(cup, other.number, RulingKind.WALK_OVER, other.teams[0])
        _read(found, f"the referee of {about} rules on a match of others, too", cup, strange=True)
        cup.ruled(mine.number, RulingKind.WALK_OVER, own)
        _read(found, f"another referee of {about} rules on its match", cup, strange=True)
    cup = Championship(4, new_charter(referees=referees)).drawn()
    semifinals = [cup.match(1), cup.match(2)]
    mine, other = sorted(semifinals, key=lambda each: own not in each.teams)
    against = next(team for team in mine.teams if team != own)
    cup.play(other.number)
    ruled(cup, other.number, RulingKind.DISQUALIFIED, other.teams[0])
    _read(found, "a referee rules on whom its team may yet meet", cup, strange=True)
    final = cup.copy()
    final.play(mine.number, own)
    _read(found, "its team does meet it", final, strange=True)
    cup.play(mine.number, against)
    _read(found, "its team does not meet it", cup, strange=True)
    cup = Championship(4, new_charter(referees=referees)).drawn()
    cup.play(other.number)
    later = cup.copy()
    later.play(mine.number, own)
    played_on = later.result(later.match(4), (2, 0))
    cup.play(mine.number, against)
    ruled(cup, mine.number, RulingKind.WALK_OVER, against)
    cup.add(*played_on)
    _read(found, "a referee rules its own team through, and plays on", cup, strange=True)


def _tables(found: Collector) -> None:
    for teams in (2, 5):
        _table(found, f"the first match of {teams} teams", Championship(teams).drawn())
    cup = Championship(3, reserves=True).drawn()
    for entry in cup.state.draw.entries:
        if entry.team in cup.match(1).teams:
            cup.called(int(entry.team.removeprefix("team ")))
            _table(found, f"the reserve of {entry.team} sits in a match", cup)


def _table(found: Collector, about: str, cup: Championship) -> None:
    record = cup.record.to_bytes().hex()
    found.accept("tournament.table", about, record=record, match=1, key="07" * 32)


def _faults(found: Collector) -> None:
    cup = Championship(2).drawn()
    cup.play(1)
    _read(found, "two teams to a champion", cup)
    found.faults()


CATEGORIES = (record,)
