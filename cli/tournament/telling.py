"""A tournament in words: powers, entries, bracket, matches, standing, and who is convicted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cli.peers import KnownPeers
from cli.sanitize import ERROR_CELLS, LIST_CELLS, cells_of, safe_name, safe_text
from cli.seat.charter_text import referee_lines
from cli.wording import capital, join_names
from p2p304.tournament.tournament import (
    Awaited,
    Elimination,
    How,
    Match,
    MatchStage,
    Side,
    Tournament,
)
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import NO_REFEREE, POWERS, TeamEntry, TournamentCharter
from protocol.tournament.record import MEANINGS, TournamentRecord
from protocol.wire.identity import PublicKey
from protocol.wire.terms import KNOWN_TERMS, REFEREE

NARROWEST: Final = 60  # narrower, the names in a bracket of five rounds would have no room
LONGEST_NAME: Final = 20  #: Cells of a team in a line, a choice: a longer name is cut.
TEAM_CELLS: Final = 32  #: Cells of a team in a sentence: half of what a name may have.
#: Cells of a team on paper and in a table for others: as many as a name has characters.
LONGEST_TEAM: Final = 64
_STAGES: Final = {MatchStage.FINAL: " (final)", MatchStage.THIRD: " (third place)"}


def power_lines(charter: TournamentCharter, known: KnownPeers) -> Iterator[str]:
    """Yield what a tournament lets organiser, players and referees do, told before one signs."""
    yield from POWERS
    if charter.referees:
        yield from referee_lines(charter.referees, known)
    else:
        yield NO_REFEREE
        yield KNOWN_TERMS[REFEREE].lets  # a referee's powers: the organiser has them then


def entry_lines(record: TournamentRecord) -> Iterator[str]:
    """Yield a line for each entry that stands, with the number that --refuse and --only take."""
    for number, entry in enumerate(record.standing_entries.values(), 1):
        yield f"{number:>4}. {entry_text(entry)}"


def entry_text(entry: TeamEntry) -> str:
    """Return an entry in a line."""
    people = (*((each, "") for each in entry.players), *((e, "reserve ") for e in entry.reserves))
    # Eight digits of each key, a choice: players with one nickname can be told apart.
    names = (f"{as_}{safe_name(e.nickname)} ({e.key.to_bytes().hex()[:8]})" for e, as_ in people)
    return f"{team_name(entry.team, TEAM_CELLS)}: {', '.join(names)}"


def conviction_lines(judged: JudgedRecord) -> Iterator[str]:
    """Yield a line for each conviction: who, of what, and the check; not made safe to print."""
    # As it is: JSON holds it so, and who prints lines cuts them to their width.
    for each in judged.convictions:
        yield f"{who_has(judged, each.key)}: {MEANINGS[each.check]} ({each.check})"


def who_has(judged: JudgedRecord, key: PublicKey) -> str:
    """Return who has a key, such as "referee 1" or "Ana of Lions"; not made safe to print."""
    charter = judged.record.charter
    if key == charter.organiser:
        return "the organiser"
    if key in charter.referees:
        return f"referee {charter.referees.index(key) + 1}"
    # Every entry, replaced and withdrawn ones, too: whoever was convicted may stand in one of them.
    owners = (
        f"{player.nickname} of {entry.team}"
        for entry in judged.record.entries.values()
        for player in entry.signers
        if player.key == key
    )
    # A key in no entry has no name: 16 of its 64 digits, a choice, stand for it.
    return next(owners, key.to_bytes().hex()[:16])


def _convictions(judged: JudgedRecord) -> list[str]:
    """Return the lines of convictions, safe to print."""
    return [safe_text(f"Convicted: {each}", cells=ERROR_CELLS) for each in conviction_lines(judged)]


def _changes(judged: JudgedRecord) -> Iterator[str]:
    """Yield lines on absent captains, what is waited for, disputes, and reserves who sit in."""
    state, record = judged.draw, judged.record
    drawing = () if state is None else state.draw.entries
    listed = () if state is None else record.listed_entries(record.lists[state.draw.list_id])
    for entry in listed:
        if entry.team not in {each.team for each in drawing}:
            yield f"Out, for its captain did not draw: {team_name(entry.team, TEAM_CELLS)}"
    if judged.waits:
        yield safe_text(f"{capital(judged.waits)}.", cells=LIST_CELLS)
    for number, found in sorted(judged.disputed_results.items()):
        yield f"Match {number} is disputed, until a transcript of its table is in the folder:"
        for each in found:
            keys = {record.pieces[name].key for name in each.names}
            who = join_names(sorted(who_has(judged, key) for key in keys))
            scores = "–".join(map(str, each.scores))
            yield safe_text(f"  {scores}, signed by {who}", cells=ERROR_CELLS)
    for change in () if state is None else state.lineups:
        entry = next(each for each in drawing if each.captain == change.captain)
        # An entry has one reserve at most (10.5).
        player, reserve = entry.players[change.place], entry.reserves[0]
        yield (
            f"{team_name(entry.team)}: {safe_name(reserve.nickname)} sits in for"
            f" {safe_name(player.nickname)} from match {change.match} on"
        )


def news(judged: JudgedRecord, said: set[str]) -> Iterator[str]:
    """Yield the lines about a record that are not in `said` yet, and add them to it."""
    entries = () if judged.record.lists else judged.record.standing_entries.values()
    told = [*_convictions(judged), *(f"Entered: {entry_text(each)}" for each in entries)]
    told += [*_changes(judged), *map(match_text, judged.matches)]
    for line in told:
        if line not in said:
            said.add(line)
            yield line


def status_lines(judged: JudgedRecord, *, width: int) -> Iterator[str]:
    """Yield everything that `status` shows of a tournament, by each draw of its record."""
    charter = judged.record.charter
    dates = f", {safe_text(charter.dates)}" if charter.dates else ""
    yield f"{team_name(charter.name, LONGEST_TEAM)}{dates}"
    yield from _convictions(judged)
    if judged.forks:
        yield "The organiser led its record to several draws; what follows from each:"
    for number, draw in enumerate((judged, *judged.forks), 1):
        if judged.forks:
            # The first is `judged` itself, the draw that our keys chose if it is certain.
            ours = ", in which you took part" if judged.certain and number == 1 else ""
            yield f"--- Draw {number}{ours} ---"
        yield from _changes(draw)
        tournament = draw.tournament
        # Not drawn yet: the entries, as long as they are not listed.
        if tournament is None or draw.head is None:
            if not draw.record.lists:
                yield "Entries"
                none = "  none that all of its players have signed"
                yield from [*entry_lines(draw.record)] or [none]
            continue
        if isinstance(tournament.system, Elimination):
            yield "Bracket"
            yield from bracket_lines(tournament, width=width)
        for each in range(1, tournament.rounds + 1):
            yield f"Round {each} of {tournament.rounds}"
            if byes := tournament.byes(each):
                yield f"  without a match: {', '.join(map(team_name, byes))}"
            yield from (f"  {match_text(one)}" for one in draw.matches if one.round == each)
        yield "Standing"
        yield from standing_lines(tournament)
        if tournament.champion is not None:
            yield f"The champion: {team_name(tournament.champion, TEAM_CELLS)}."
        if draw.ended:
            yield "The organiser has ended it: what is shown later changes nothing."


def csv_rows(judged: JudgedRecord) -> Iterator[str]:
    """Yield the standing as rows of comma-separated values (RFC 4180), with a heading."""
    yield "place,team,status,decided,won,gained,lost"
    for row in () if judged.tournament is None else judged.tournament.standing:
        team = team_name(row.team, LONGEST_TEAM)  # no name has a quotation mark
        # A spreadsheet would compute it; a safe name is never empty.
        team = f"'{team}" if team[0] in "=+-@" else team
        numbers = f"{row.decided},{row.won},{row.gained},{row.lost_to_others}"
        # An empty field where a team has no place.
        yield f'{row.place or ""},"{team}",{row.status.value},{numbers}'


def pairing_lines(judged: JudgedRecord) -> Iterator[str]:
    """Yield lines to print on paper: the matches that can be played now, with room for scores."""
    yield team_name(judged.record.charter.name, LONGEST_TEAM)
    for match in judged.matches:
        if match.ready:
            home, away = (team_name(team, LONGEST_TEAM) for team in match.teams)
            yield f"Round {match.round}, match {match.number}, to {match.race}"
            yield f"  {home} _____ : _____ {away}"


def bracket_lines(tournament: Tournament, *, width: int) -> Iterator[str]:
    """Yield the bracket of a drawn elimination: right of two sides their winner, or the match."""
    # The plan says from which match a side comes; a match that was played names the team alone.
    planned = tournament.system.schedule(tournament.order)
    # One more than rounds: the champion's name stands behind the final.
    column = max(width, NARROWEST) // (tournament.rounds + 1)

    def leading_to(side: Side, depth: int) -> Iterator[str]:
        """Yield the lines that lead to a side; a team stands in the column `depth`."""
        if not isinstance(side, Awaited):
            yield " " * (column * depth) + team_name(side, column - 1)
            return
        match, (upper, lower) = tournament.matches[side.match - 1], planned[side.match - 1].sides
        ended = match.outcome  # nobody comes through where both teams lost by a walk-over
        won = f"({match.number})" if ended is None else team_name(ended.winner, column - 1)
        yield from leading_to(upper, match.round - 1)
        yield " " * (column * match.round) + won
        yield from leading_to(lower, match.round - 1)

    yield from leading_to(Awaited(len(planned)), tournament.rounds)


def match_text(match: Match) -> str:
    """Return a match in a line: number, sides and race, or how it ended."""
    (home, away), outcome = map(team_name, match.sides), match.outcome
    told = f"{match.number}.{_STAGES.get(match.stage, '')} {home}"
    if outcome is None:
        doing = "can be played" if match.ready else "waits"
        return f"{told} – {away}, to {match.race}: {doing}"
    if outcome.scores is not None:
        return f"{told} {outcome.scores[0]}–{outcome.scores[1]} {away}"
    # "uncontested" is a word of the rules; this says what happened.
    how = "no opponent" if outcome.how is How.UNCONTESTED else outcome.how.value
    return f"{told} – {away}: {team_name(outcome.winner)} comes through ({how})"


def standing_lines(tournament: Tournament) -> Iterator[str]:
    """Yield a line for each team of the standing, best first."""
    unit = tournament.system.unit.value
    for row in tournament.standing:
        place, name = " -" if row.place is None else f"{row.place}.", team_name(row.team)
        name += " " * (LONGEST_NAME - cells_of(name))
        told = f", {row.status.value}" if row.team in tournament.departures else ""
        scores = f"{row.gained}–{row.lost_to_others}"
        yield f"{place:>4} {name} won {row.won} of {row.decided}, {unit} {scores}{told}"


def team_name(side: Side, cells: int = LONGEST_NAME) -> str:
    """Return a side as text, safe and short: its team, "nobody", or such as "winner of 3"."""
    if isinstance(side, Awaited):
        return f"{'loser' if side.loser else 'winner'} of {side.match}"
    return safe_name(side or "nobody", cells=cells)
