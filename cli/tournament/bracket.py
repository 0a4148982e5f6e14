"""A tournament as text: the bracket, the matches, the standing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cli.peers import KnownPeers
from cli.sanitize import cells_of, safe_name, safe_text
from cli.seat.charter_text import referee_lines
from cli.wording import listed
from p2p304.tournament.bracket import fold
from p2p304.tournament.matches import How, LoserOf, Match, MatchStage, Side, WinnerOf
from p2p304.tournament.standing import StandingRow, Status
from p2p304.tournament.systems import Elimination
from p2p304.tournament.tournament import Tournament
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.pieces import NO_REFEREE, POWERS, TournamentCharter
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import PublicKey
from protocol.wire.referee import REFEREE
from protocol.wire.terms import KNOWN_TERMS

NARROWEST: Final = 60
LONGEST_NAME: Final = 20
LONGEST_TEAM: Final = 64
_STAGES: Final = {MatchStage.FINAL: "final", MatchStage.THIRD: "third place"}
_HOW: Final = {
    How.WALK_OVER: "walk-over",
    How.WITHDRAWN: "withdrawn",
    How.DISQUALIFIED: "disqualified",
    How.UNCONTESTED: "no opponent",
}


def left_out(judged: JudgedRecord) -> tuple[str, ...]:
    """Return the teams of the list that are out because their captains did not draw."""
    state, record = judged.draw, judged.record
    if state is None:
        return ()
    drawing = {each.team for each in state.draw.entries}
    listed = record.listed(record.lists[state.draw.listed])
    return tuple(each.team for each in listed if each.team not in drawing)


def power_lines(charter: TournamentCharter, known: KnownPeers) -> Iterator[str]:
    """Yield what a tournament lets whom do, before anything is signed in it."""
    yield from POWERS
    if charter.referees:
        yield from referee_lines(charter.referees, known)
    else:
        yield NO_REFEREE
        yield KNOWN_TERMS[REFEREE].lets


def entry_lines(record: TournamentRecord) -> Iterator[str]:
    """Yield the complete entries by number, with their players and short keys: by these the
    organiser refuses and picks them."""
    for number, entry in enumerate(record.standing_entries.values(), 1):
        players = (
            f"{safe_name(each.nickname)} ({each.key.to_bytes().hex()[:8]})"
            for each in entry.players
        )
        yield f"{number:>4}. {safe_name(entry.team, cells=32)}: {', '.join(players)}"


def disputed_lines(judged: JudgedRecord) -> Iterator[str]:
    """Yield of each match in dispute the contrary results, and who signed which."""
    for number, found in sorted(judged.disputed.items()):
        yield f"Match {number} is disputed, until a transcript of its table is in the folder:"
        for each in found:
            keys = {judged.record.pieces[name].key for name in each.names}
            who = listed(sorted(who_has(judged, key) for key in keys))
            yield safe_text(f"  {each.scores[0]}–{each.scores[1]}, signed by {who}", cells=300)


def who_has(judged: JudgedRecord, key: PublicKey) -> str:
    """Return who has a key: the organiser, a referee, or a player of a team."""
    charter = judged.record.charter
    if key == charter.organiser:
        return "the organiser"
    if key in charter.referees:
        return f"referee {charter.referees.index(key) + 1}"
    for entry in judged.record.entries.values():
        for player in entry.players:
            if player.key == key:
                return f"{player.nickname} of {entry.team}"
    return key.to_bytes().hex()[:16]


def csv_rows(tournament: Tournament | None) -> Iterator[str]:
    """Yield the standing as rows of comma-separated values, as RFC 4180 has them."""
    yield "place,team,status,decided,won,gained,lost"
    for row in () if tournament is None else tournament.standing:
        team = safe_name(row.team, cells=LONGEST_TEAM)  # no name has a quotation mark
        team = f"'{team}" if team[0] in "=+-@" else team  # a spreadsheet would compute it
        numbers = f"{row.decided},{row.won},{row.gained},{row.lost_to_others}"
        yield f'{row.place or ""},"{team}",{row.status.value},{numbers}'


def pairing_lines(judged: JudgedRecord) -> Iterator[str]:
    """Yield who meets whom now, a line to write the scores on under each match."""
    yield safe_name(judged.record.charter.name, cells=64)
    tournament = judged.tournament
    for match in () if tournament is None else tournament.pending:
        if match.ready:
            home, away = (safe_name(team, cells=LONGEST_TEAM) for team in match.teams)
            yield f"Round {match.round}, match {match.number}, to {match.race}"
            yield f"  {home} _____ : _____ {away}"


def bracket_lines(tournament: Tournament, *, width: int) -> Iterator[str]:
    """Yield the tree of an elimination after its draw, in so many cells, 60 or more.

    A team stands where it comes in; a name further right is that of the team that came through,
    with its match's number where that is open.
    """
    rounds = tournament.rounds
    column = max(width, NARROWEST) // (rounds + 1)
    tree = _tree(tournament, cells=column - 3)
    names = {
        (_line(depth, place), depth): text
        for depth, nodes in enumerate(tree)
        for place, text in enumerate(nodes)
        if text
    }
    joints = _joints(tree)
    for line in range((2 << rounds) - 1):
        told = ""
        for depth in range(rounds + 1):
            led = "─ " if joints.get((line, depth - 1)) == "├" else "  "
            cell = (led if depth else "") + names.get((line, depth), "")
            joint = joints.get((line, depth), " ")
            fill = "─" if joint in "┐┘" else " "
            told += cell + " " + fill * (column - cells_of(cell) - 2) + joint
        if told.strip():
            yield told.rstrip()


def _tree(tournament: Tournament, *, cells: int) -> list[list[str]]:
    """Return for each round, the entries first, what stands at each place of the bracket."""
    rounds, order = tournament.rounds, tournament.order
    seeds = [order[seed - 1] if seed <= len(order) else "" for seed in fold(1 << rounds)]
    tree = [[each and safe_name(each, cells=cells) for each in seeds]]
    matches = [each for each in tournament.matches if each.stage is not MatchStage.THIRD]
    # A bye is no match: the team stands in the second round at once.
    numbers = iter(matches)
    sides: list[Side] = [each or None for each in seeds]
    for _ in range(rounds):
        following: list[str] = []
        winners: list[Side] = []
        for home, away in zip(sides[::2], sides[1::2], strict=True):
            if home is None or away is None:
                came = home if away is None else away
                winners.append(came)
                following.append(safe_name(came, cells=cells) if isinstance(came, str) else "")
                continue
            match = next(numbers)
            winners.append(WinnerOf(match.number))
            outcome = match.outcome
            if outcome is None:
                following.append(f"({match.number})")
            else:
                following.append(safe_name(outcome.winner or "nobody", cells=cells))
        for place in range(0, len(tree[-1]), 2):  # who has a bye stands only where it comes in
            one, other = tree[-1][place : place + 2]
            if len(tree) == 1 and not (one and other):
                tree[-1][place : place + 2] = ["", ""]
        tree.append(following)
        sides = winners
    return tree


def _joints(tree: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    """Return by line and round the sign that joins two places to the one right of them."""
    found: dict[tuple[int, int], str] = {}
    for depth, nodes in enumerate(tree[:-1]):
        for place in range(0, len(nodes), 2):
            if nodes[place] and nodes[place + 1]:
                top, bottom = _line(depth, place), _line(depth, place + 1)
                found |= {(line, depth): "│" for line in range(top, bottom)}
                found[top, depth], found[bottom, depth] = "┐", "┘"
                found[(top + bottom) // 2, depth] = "├"
    return found


def _line(depth: int, place: int) -> int:
    """Return the line of a place: halfway between those that lead to it."""
    return place * (2 << depth) + (1 << depth) - 1


def match_lines(
    tournament: Tournament,
    *,
    width: int,
    command: Callable[[int], str],
    ruled: Callable[[Match], tuple[str, ...]] = lambda _: (),
) -> Iterator[str]:
    """Yield a line for each match by round: who plays, who waits for whom, or how it ended, then
    what was `ruled` at its table, and by which command it is audited."""
    last = 0
    for match in tournament.matches:
        if match.round != last:
            last = match.round
            yield f"Round {last} of {tournament.rounds}"
            byes = tournament.byes(last)
            if byes:
                yield from wrapped(f"without a match: {', '.join(map(team_name, byes))}", width)
        yield from wrapped(match_text(match), width)
        for each in ruled(match):
            yield from wrapped(each, width, indent=5)
        if match.outcome is not None and match.outcome.how is How.PLAYED:
            yield f"     {command(match.number)}"


def match_text(match: Match) -> str:
    """Return a match in a line: its number, sides, race, and how it stands."""
    stage = f" ({_STAGES[match.stage]})" if match.stage in _STAGES else ""
    home, away = (side_text(side) for side in match.sides)
    outcome = match.outcome
    if outcome is None:
        doing = "can be played" if match.ready else "waits"
        return f"{match.number}.{stage} {home} – {away}, to {match.race}: {doing}"
    if outcome.scores is not None:
        return f"{match.number}.{stage} {home} {outcome.scores[0]}–{outcome.scores[1]} {away}"
    won = f"{team_name(outcome.winner)} comes through" if outcome.winner else "nobody comes through"
    return f"{match.number}.{stage} {home} – {away}: {won} ({_HOW[outcome.how]})"


def side_text(side: Side) -> str:
    """Return a side of a match: its team, or whom it waits for."""
    match side:
        case WinnerOf(number):
            return f"winner of {number}"
        case LoserOf(number):
            return f"loser of {number}"
        case None:
            return "nobody"
        case str():
            return team_name(side)


def standing_lines(tournament: Tournament) -> Iterator[str]:
    """Yield the standing, a line for each team, best first."""
    elimination = isinstance(tournament.system, Elimination)
    unit = tournament.system.unit.value
    for row in tournament.standing:
        place = f"{row.place}." if row.place is not None else " -"
        told = status_text(row, elimination=elimination)
        name = team_name(row.team)
        yield (
            f"{place:>4} {name}{' ' * (LONGEST_NAME - cells_of(name))} won {row.won} of"
            f" {row.decided}, {unit} {row.gained}–{row.lost_to_others}{told}"
        )


def wrapped(text: str, width: int, *, indent: int = 2) -> Iterator[str]:
    """Yield a text in lines of at most so many cells, indented, further lines more so."""
    line = " " * indent
    for word in text.split():
        if line.strip() and cells_of(f"{line} {word}") > width:
            yield line
            line = " " * (indent + 3) + word
        else:
            line = f"{line} {word}" if line.strip() else line + word
    yield line


def status_text(row: StandingRow, *, elimination: bool) -> str:
    """Return whether a team is still in, or why not; empty where that goes without saying."""
    if row.status in (Status.WITHDRAWN, Status.DISQUALIFIED):
        return f", {row.status.value}"
    return ", still in" if elimination and row.status is Status.IN else ""


def team_name(team: str | None) -> str:
    """Return a team as it is shown."""
    return safe_name(team or "nobody", cells=LONGEST_NAME)
