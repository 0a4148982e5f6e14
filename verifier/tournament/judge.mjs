/**
 * Tournament 12 and 13: what decides each match, by each draw; what convicts.
 * @module
 */
import { hex, unhex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { grouped, sortedBy } from '../suite/lists.mjs';
import { derived } from '../wire/sealing.mjs';
import { departs, draw as drawn, isTeam, playOut, wins } from './matches.mjs';
import { charterOf, keysOf, rulersOf, statesOf } from './record.mjs';

const RULINGS = { 1: 'walk-over', 2: 'withdrawn', 3: 'disqualified' };
const OWN = -1; // before any referee: what a team says of itself, or convicts itself of
const ABOUT = ['MatchResult', 'TournamentRuling', 'TeamWithdrawal'];
const MOST_ENDS = 8; // of one draw that are looked at

/** @param {import('./record.mjs').TournamentRecord} record @param {string[]} shown results that transcripts bear out */
export function judge(record, shown) {
  const draws = statesOf(record).map((state) => judgeDraw(record, state, new Set(shown)));
  const convictions = [...convictionsOf(record), ...draws.flatMap((each) => each.convictions)];
  return {
    tournament: record.charter.tournament,
    pieces: record.pieces.map(({ kind, name }) => [kind, name]),
    draws: draws.map(({ told }) => told),
    convictions: sortedBy(convictions, (each) => each),
  };
}

function judgeDraw(record, state, shown) {
  const draw = hex(state.draw.charter.digest);
  const nothing = { draw, head: null, facts: [], counted: [], disputed: [], ignored: [], ended: false };
  if (!state.luck) return { told: nothing, convictions: [] };
  const pieces = record.of(...ABOUT);
  const now = decide(record, state, pieces, shown);
  const ends = record.of('TournamentEnd').filter((each) => each.draw === state.head);
  const { end, twice } = endOf(record, state, now, ends);
  const { decided, disputed, matches } = end?.work ?? now;
  const counted = [...grouped(decided, ({ fact: [match] }) => match)];
  const used = new Set([end?.piece.name, ...namesOf(decided), ...namesOf(disputed.flatMap(({ found }) => found))]);
  const open = disputed.filter(({ match }) => !matches[match - 1].outcome); // not where a team had left before
  return {
    told: {
      draw,
      head: state.head,
      facts: sortedBy(decided.map(({ fact }) => fact), ([match, how, team]) => [match, departs(how) ? team : 0]), // 9.4
      counted: sortedBy(counted, ([match]) => [match]).map(([match, found]) => [match, namesOf(found).sort()]),
      disputed: open.map(({ match, found }) => [match, found.map(({ scores }) => scores)]),
      ignored: [...pieces, ...ends].map(({ name }) => name).filter((name) => !used.has(name)).sort(),
      ended: end !== null,
    },
    convictions: twice ? [...now.convictions, ['end.twice', record.charter.organiser]] : now.convictions,
  };
}

const namesOf = (found) => found.flatMap(({ names }) => names);

// The one valid end, and whether ends convict the organiser (12.7).
function endOf(record, state, now, ends) {
  if (ends.length > MOST_ENDS) return { end: null, twice: true };
  const about = record.of(...ABOUT).filter(({ draw }) => draw === state.head);
  const whole = ends.flatMap((piece) => {
    const named = about.filter(({ name }) => piece.pieces.some((start) => name.startsWith(start)));
    const work = decide(record, state, named);
    const all = named.length === piece.pieces.length && work.matches.every(({ outcome }) => outcome);
    return all ? [{ piece, work }] : [];
  });
  const parted = (one, other) => contradicts(one.work, other.work) || contradicts(other.work, one.work);
  const twice = whole.some((one, i) => whole.slice(i + 1).some((other) => !parted(one, other)));
  const valid = whole.filter(({ work }) => !contradicts(now, work));
  return { end: valid.length === 1 ? valid[0] : null, twice };
}

// Whether the other goes past a result that decides a match here, or decides one otherwise than its two teams signed.
const contradicts = (work, other) => other.matches.some(({ number, sides, outcome }) => {
  const past = work.matches[number - 1].outcome?.scores && !outcome?.scores;
  return past || work.agreed.get(pairOf(number, sides))?.every(({ scores }) => scores.join() !== outcome?.scores?.join());
});

// --- tables (12.1) ---------------------------------------------------------------------------------

// The players of an entry as they may sit.
const lineupsOf = ({ players, reserves }) =>
  [players, ...reserves.flatMap((reserve) => players.map((_, at) => players.with(at, reserve)))];

// Who sits by what captain and reserve have signed.
function lineupOf(record, head, number, { players, reserves: [reserve] }) {
  const here = record.of('LineupChange').filter(({ draw, match }) => draw === head && match <= number);
  const mine = here.filter(({ captain, place }) => captain === players[0].key && place < players.length);
  const signed = sortedBy(mine.filter((each) => each.reserve === reserve?.key), ({ match, id }) => [match, id]);
  const last = signed.findLast(({ id }, i) => signed[i - 1]?.id === id); // by both
  return last ? players.with(last.place, reserve) : players;
}

function tableCharter({ charter, state, entries, plan }, number, teams, lineups) {
  const tournament = unhex(charter.tournament);
  const two = Uint8Array.of(number >> 8, number & 255);
  const table = H('p2p304/v1/tournament-table', tournament, unhex(state.head), two).subarray(0, 16);
  const seats = lineups[0].flatMap((_, k) => lineups.map((players) => players[k]));
  const { profiles, game, system } = charter;
  const profile = profiles[system.lengths.indexOf(plan[number - 1].race)] ?? profiles[0];
  const own = teams.flatMap((team) => keysOf(entries[team - 1]));
  const referees = rulersOf(charter).filter((key) => !own.includes(key));
  const terms = [['tournament', [tournament, number]]];
  if (referees.length) terms.unshift(['referee', referees.map(unhex)]);
  return charterOf(table, game, profile, seats, terms);
}

/** @param {import('./record.mjs').TournamentRecord} record @param {number} number @param {Uint8Array} key */
export function tableOf(record, number, key) {
  const [state] = statesOf(record);
  const work = decide(record, state, record.of(...ABOUT));
  const teams = work.matches[number - 1].sides;
  const lineups = teams.map((team) => lineupOf(record, state.head, number, work.entries[team - 1]));
  const { digest, table } = tableCharter(work, number, teams, lineups);
  return { charter: hex(digest), key: hex(derived(key, 'p2p304/v1/tournament-key', 32, table)) };
}

// --- what there is -------------------------------------------------------------------------------

const pairOf = (match, sides) => [match, ...sides].join();

const settle = (work) => Object.assign(work, playOut(work.system, work.plan, work.decided.map(({ fact }) => fact)));

// What pieces decide by a draw that has ended.
function decide({ charter, charter: { system } }, state, pieces, shown = new Set()) {
  const { entries } = state.draw;
  const plan = system.schedule(drawn(entries.length, state.luck));
  const teams = new Map(entries.flatMap((entry, i) => keysOf(entry).map((key) => [key, i + 1])));
  const here = pieces.filter(({ draw, match }) => draw === state.head && match <= plan.length);
  const work = { charter, system, state, entries, plan, teams, decided: [], disputed: [] };
  const said = here.filter((each) => each.kind === 'MatchResult' && each.teams.includes(teams.get(each.key)));
  const met = [...grouped(said, (each) => pairOf(each.match, each.teams))];
  const results = met.map(([pair, each]) => [pair, possible(work, each)]);
  const agreed = results.map(([pair, each]) => [pair, agreedOf(teams, each, shown)]);
  work.agreed = new Map(agreed.filter(([, found]) => found.length));
  const behind = behindOf(work, sortedBy(results.flatMap(([, each]) => each), ({ name }) => [name]));
  work.convictions = [...new Set(behind.map(({ key }) => key))].map((key) => ['result.behind', key]);
  work.gaps = [...here.flatMap((each) => gapOf(work, each)), ...behind];
  (system.robin ? robin : elimination)(settle(work));
  return settle(work);
}

// The gap that a withdrawal or a ruling may fill.
function gapOf({ entries, teams }, { kind, match, signer, seat, id, name, ruling, teams: losers, sides }) {
  if (kind === 'TeamWithdrawal') {
    const team = 1 + entries.findIndex(({ players }) => players[0].key === signer);
    return team ? [{ match, how: 'withdrawn', losers: [team], rank: [OWN, id, name], names: [name] }] : [];
  }
  if (kind !== 'TournamentRuling') return [];
  const how = RULINGS[ruling];
  const named = losers.length && Math.max(...losers, ...sides) <= entries.length;
  const alone = departs(how) ? losers.length === 1 && !sides.length : sides.length === 2;
  return named && alone ? [{ match, how, losers, sides, rank: [seat, id, name], names: [name], own: teams.get(signer) }] : [];
}

// Those of the results of a match between two teams that can be (12.2).
function possible(work, results) {
  const { plan, entries } = work;
  const [{ match, teams }] = results;
  const { sides, race } = plan[match - 1];
  const comes = (side, team) => (isTeam(side) ? side === team : plan[side[1] - 1].sides.some((each) => comes(each, team)));
  if (Math.max(...teams) > entries.length || !teams.every((team, i) => comes(sides[i], team))) return [];
  const [home, away] = teams.map((team) => lineupsOf(entries[team - 1]));
  const sat = home.flatMap((one) => away.map((other) => [one, other]));
  const keys = new Map(sat.map((two) => [hex(tableCharter(work, match, teams, two).digest), two.flat().map(({ key }) => key)]));
  return results.filter(({ table, scores, key }) => wins(race, scores) && keys.get(table)?.includes(key));
}

// Those of them that a player of each team has signed; of contrary ones that which a transcript alone bears out.
function agreedOf(teams, results, shown) {
  const terms = ({ table, hand, head, scores }) => [table, hand, head, ...scores];
  const alike = [...grouped(sortedBy(results, terms), (each) => terms(each).join()).values()];
  const both = alike.filter((signed) => new Set(signed.map(({ key }) => teams.get(key))).size === 2).flat();
  const same = [...grouped(both, ({ scores }) => scores.join()).values()];
  const found = same.map((every) => ({ scores: every[0].scores, names: every.map(({ name }) => name) }));
  const borne = found.filter(({ names }) => names.some((name) => shown.has(name)));
  return borne.length === 1 ? borne : found;
}

// Who signed to have lost the first match of its team, and a result of one to which only the winner comes (12.4).
function behindOf({ plan, teams }, results) {
  return [...grouped(results, ({ key }) => key)].flatMap(([key, signed]) => {
    const team = teams.get(key);
    const { number: first, sides } = plan.find((each) => each.sides.includes(team));
    const after = new Set([first]);
    const won = ([what, from]) => after.has(from) && (what === 'winner' || from !== first);
    for (const each of sides.every(isTeam) ? plan : []) {
      if (each.sides.some((side) => !isTeam(side) && won(side))) after.add(each.number);
    }
    const other = signed.find(({ match }) => match !== first && after.has(match));
    const lost = ({ match, scores, ...each }) => match === first && team === each.teams[Number(scores[0] > scores[1])];
    return (other ? signed.filter(lost) : []).map(({ id, name }) => {
      return { key, match: first, how: 'disqualified', losers: [team], rank: [OWN, id, name], names: [name, other.name] };
    });
  });
}

// --- what decides a match ------------------------------------------------------------------------

function elimination(work) {
  for (const { number } of work.plan) {
    const { sides, outcome } = settle(work).matches[number - 1];
    if (byResult(work, number, sides) || outcome) continue;
    const rests = new Map(sides.filter(isTeam).map((team) => [team, restsOn(work, number, team)]));
    const near = ({ losers }) => Math.min(...[...rests].filter(([team]) => !losers.includes(team)).map(([, far]) => far));
    const [first, ...more] = sortedBy(fillers(work, number, sides), (each) => [near(each), ...each.rank]);
    if (first) fill(work, number, sides, first);
    const alone = ({ how, losers: [team] }) => departs(how) && team !== first.losers[0] && rests.get(team) === Infinity;
    const other = first && departs(first.how) && more.find(alone); // if the other team has left as well, nobody comes through
    if (other) fill(work, number, sides, other);
  }
}

// How many matches behind a match there is a signed result that rests on it that a team came through (12.3).
function restsOn(work, number, team) {
  const won = (side) => Array.isArray(side) && side[0] === 'winner' && side[1] === number;
  const later = work.matches.find(({ sides }) => sides.some(won));
  if (!later) return Infinity;
  const at = later.sides.findIndex(won);
  const met = comers(work, later.sides[1 - at]).map((other) => (at ? [other, team] : [team, other]));
  if (met.some((sides) => work.agreed.has(pairOf(later.number, sides)))) return 0;
  const through = ({ how, losers }) => !departs(how) && !losers.includes(team);
  const ruled = met.some((sides) => fillers(work, later.number, sides).some(through));
  return ruled ? 1 + restsOn(work, later.number, team) : Infinity;
}

// Who may come to a side by what is signed; nobody if nothing says so.
function comers(work, side) {
  if (!Array.isArray(side)) return [side].filter(isTeam);
  const { number, sides } = work.matches[side[1] - 1];
  if (side[0] !== 'winner' || !sides.every(isTeam)) return [];
  const found = work.agreed.get(pairOf(number, sides));
  if (found) return found.map(({ scores }) => sides[Number(scores[0] < scores[1])]);
  return fillers(work, number, sides).flatMap(({ losers }) => sides.filter((team) => !losers.includes(team)));
}

function byResult(work, match, sides) {
  const found = work.agreed.get(pairOf(match, sides));
  if (found?.length === 1) work.decided.push({ fact: [match, 'played', ...found[0].scores], names: found[0].names });
  else if (found) work.disputed.push({ match, found });
  return found !== undefined;
}

// What may fill the gap where a match has no result: nothing that a referee says who plays in it, or may yet come to play.
function fillers(work, number, sides) {
  return work.gaps.filter(({ match, how, losers, own, sides: meeting }) => {
    const here = departs(how) ? match <= number && !work.left.has(losers[0]) : pairOf(match, meeting) === pairOf(number, sides);
    const may = own === undefined || (sides.every(isTeam) && !sides.includes(own));
    return here && may && losers.every((each) => sides.includes(each));
  });
}

const fill = (work, number, sides, { how, losers, names }) => {
  work.decided.push({ fact: [number, how, ...sides.filter((each) => losers.includes(each))], names });
};

function robin(work) {
  const byRank = (gaps) => sortedBy(gaps, ({ rank }) => rank);
  const out = byRank(work.gaps.filter(({ how, own }) => departs(how) && own === undefined));
  const leaving = new Map(out.reverse().map((each) => [each.losers[0], each])); // of one team the first
  work.gaps = work.gaps.filter(({ how }) => !departs(how));
  const open = new Map();
  for (const { number, sides } of work.plan) {
    if (byResult(work, number, sides)) continue;
    const [first] = byRank([...fillers(work, number, sides), ...sides.flatMap((team) => leaving.get(team) ?? [])]);
    if (first && !departs(first.how)) fill(work, number, sides, first);
    else for (const team of sides) if (!open.has(team)) open.set(team, number);
  }
  const disputed = new Set(work.disputed.flatMap(({ match }) => work.plan[match - 1].sides));
  for (const [team, gap] of leaving) {
    if (open.has(team) && !disputed.has(team)) fill(work, open.get(team), [team], gap);
  }
}

// --- what convicts (13) --------------------------------------------------------------------------

// The check, what a piece speaks about that its signer speaks about once, and, if not its id, what it says about that.
const POINTS = {
  EntryList: () => [['list.twice']],
  DrawRestart: ({ before }) => [['restart.twice', before]],
  DrawEnd: ({ follows }) => [['draw.twice', follows]],
  MatchResult: ({ draw, match, teams }) => [['result.twice', [draw, match, teams]]],
  TournamentRuling: ({ draw, ruling, match, sides, teams }) => {
    return [['ruling.twice', ruling === 1 ? [draw, match, sides] : [draw, 'leaves', teams]]];
  },
  DrawMessage: ({ draw, place, said }) => {
    const opens = said.seat === draw.organiser && said.round === 1;
    const once = [['draw.equivocation', [draw.follows, place]]];
    return opens ? [...once, ['draw.abandoned', draw.list, draw.follows]] : once;
  },
};

function convictionsOf(record) {
  const points = record.pieces.flatMap((piece) => {
    const { kind, signer, id } = piece;
    return (POINTS[kind]?.(piece) ?? []).map(([check, about, what = id]) => ({ said: [check, signer], about, what }));
  });
  const alike = [...grouped(points, ({ said, about }) => [said, about].join()).values()];
  return alike.filter((each) => new Set(each.map(({ what }) => what)).size > 1).map(([{ said }]) => said);
}
