/**
 * Tournament 12 and 13: what decides each match, by each draw; what convicts.
 * @module
 */
import { decodeCharter } from '../messages/charter.mjs';
import { encode } from '../messages/values.mjs';
import { hex, unhex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { derived } from '../wire/sealing.mjs';
import { byAll, draw as drawn, inOrder, matchesOf } from './matches.mjs';
import { ownOf, racesOf, rulersOf, statesOf } from './record.mjs';

const REASONS = { 2: 'withdrawn', 3: 'disqualified' };
const OWN = -1; // before any referee: what a team says of itself, or convicts itself of
const FAR = 99;
const ABOUT = ['MatchResult', 'TournamentRuling', 'TeamWithdrawal'];
const END_NAME = 24;
/** Ends of one draw that are looked at. */
const MOST_ENDS = 8;

/** @param {import('./record.mjs').TournamentRecord} record @param {string[]} shown results that transcripts bear out */
export function judge(record, shown) {
  const draws = statesOf(record).map((state) => judgeDraw(record, state, new Set(shown)));
  const every = [...convictionsOf(record), ...draws.flatMap(({ convictions }) => convictions)];
  const found = every.map(({ check, piece }) => [check, piece.signer, hex(piece.raw)]);
  return {
    tournament: hex(record.charter.digest),
    pieces: record.ordered.map(({ kind, name }) => [kind, name]),
    draws: draws.map(({ told }) => told),
    convictions: found.sort(byAll).map(([check, key]) => [check, key]),
  };
}

function judgeDraw(record, state, shown) {
  const draw = hex(state.draw.charter.digest);
  if (!state.luck) {
    return { told: { draw, head: null, facts: [], counted: [], disputed: [], ignored: [], ended: false }, convictions: [] };
  }
  const pieces = record.of(...ABOUT);
  const about = pieces.filter(({ draw }) => draw === state.head);
  const every = decided(record.charter, state, about, shown);
  const ends = record.of('TournamentEnd').filter(({ draw }) => draw === state.head);
  const { end, twice } = endOf(record, state, about, every, ends);
  const { work, named } = end ?? { work: every, named: about };
  const others = [...ends.filter((each) => each !== end?.piece), ...pieces.filter((each) => !named.includes(each))];
  const byMatch = (found) => [...found].sort(([a], [b]) => a - b);
  return {
    told: {
      draw,
      head: state.head,
      facts: inOrder(work.facts),
      counted: byMatch(work.counted).map(([match, names]) => [match, [...names].sort()]),
      disputed: byMatch(work.disputed).map(([match, found]) => [match, found.map(({ scores }) => scores)]),
      ignored: [...new Set([...work.ignored, ...others.map(({ name }) => name)])].sort(),
      ended: end !== null,
    },
    convictions: [...every.convictions, ...twice.map((piece) => ({ check: 'end.twice', piece }))],
  };
}

// The one valid end, and what ends convict the organiser of (12.7).
function endOf(record, state, about, every, ends) {
  if (ends.length > MOST_ENDS) return { end: null, twice: ends.slice(0, 1) };
  const whole = ends.flatMap((piece) => {
    const named = about.filter(({ name }) => piece.pieces.includes(name.slice(0, END_NAME)));
    if (named.length !== piece.pieces.length) return [];
    const work = decided(record.charter, state, named, new Set());
    return work.state.matches.every(({ number }) => work.state.decided.has(number)) ? [{ piece, named, work }] : [];
  });
  const parted = (a, b) => contradicts(a.work, b.work) || contradicts(b.work, a.work);
  const first = whole.find((one, i) => whole.slice(i + 1).some((other) => !parted(one, other)));
  const valid = whole.filter(({ work }) => !contradicts(every, work));
  return { end: valid.length === 1 ? valid[0] : null, twice: first ? [first.piece] : [] };
}

// Whether the other goes past a result that decides a match here, or decides one otherwise than its two teams signed.
function contradicts(work, other) {
  const scored = ({ state }, { number }) => state.decided.get(number)?.scores;
  return other.state.matches.some((match) => {
    const found = work.agreed.get(pairOf(match.number, other.state.known(match))) ?? [];
    if (scored(work, match) && !scored(other, match)) return true;
    return found.length > 0 && !found.some(({ scores }) => scores.join() === scored(other, match)?.join());
  });
}

// --- tables (12.1) ---------------------------------------------------------------------------------

// The players of an entry as they may sit: without the reserve, then with it in each place.
const lineupsOf = ({ players, reserves: [reserve] }) =>
  reserve ? [players, ...players.map((_, at) => players.with(at, reserve))] : [players];

// The present line-up of a team among these, by what captain and reserve have signed.
function lineupOf(record, state, number, { players, reserves }) {
  const signed = record.of('LineupChange').filter(({ draw, match }) => draw === state.head && match <= number);
  const both = signed.filter((each) => each.seat === 1 && signed.some(({ id, seat }) => id === each.id && !seat));
  const mine = ({ captain, reserve, place }) =>
    captain === players[0].key && place < players.length && reserves.some(({ key }) => key === reserve);
  const [last] = both.filter(mine).sort((a, b) => byAll([b.match, b.id], [a.match, a.id]));
  return last ? 1 + last.place : 0;
}

function tableCharter(charter, state, number, race, entries, teams) {
  const two = Uint8Array.of(number >> 8, number & 255);
  const table = H('p2p304/v1/tournament-table', charter.digest, unhex(state.head), two).subarray(0, 16);
  const rows = teams[0].flatMap((_, k) =>
    teams.map(({ [k]: { key, nickname, nonce } }) => {
      return [unhex(key), nickname, H('p2p304/v1/tournament-nonce', table, unhex(key), unhex(nonce))];
    }),
  );
  const { profiles, game, system } = charter;
  const profile = profiles.length === 1 ? profiles[0] : profiles[racesOf(system.terms).indexOf(race)];
  const own = entries.flatMap(ownOf).map(({ key }) => key);
  const referees = rulersOf(charter).filter((key) => !own.includes(key));
  const terms = [['tournament', [charter.digest, number]]];
  if (referees.length) terms.unshift(['referee', referees.map(unhex)]);
  return decodeCharter(encode([2, table, game, profile, rows, terms]));
}

/** @param {import('./record.mjs').TournamentRecord} record @param {number} number @param {Uint8Array} key */
export function tableOf(record, number, key) {
  const [state] = statesOf(record);
  const about = record.of(...ABOUT).filter(({ draw }) => draw === state.head);
  const { state: found } = decided(record.charter, state, about, new Set());
  const match = found.matches[number - 1];
  const entries = found.known(match).map((team) => state.draw.entries[team - 1]);
  const teams = entries.map((entry) => lineupsOf(entry)[lineupOf(record, state, number, entry)]);
  const { digest, table } = tableCharter(record.charter, state, number, match.race, entries, teams);
  return { charter: hex(digest), key: hex(derived(key, 'p2p304/v1/tournament-key', 32, table)) };
}

// --- what there is -------------------------------------------------------------------------------

const pairOf = (match, sides) => [match, ...sides].join();
const byRank = (a, b) => byAll([a.seat, a.id], [b.seat, b.id]);

const count = (work, fact, names) => {
  work.facts.push(fact);
  work.state.tell(work.facts);
  work.counted.set(fact[0], [...(work.counted.get(fact[0]) ?? []), ...names]);
};

function decided(charter, draw, pieces, shown) {
  const { entries } = draw.draw;
  const state = matchesOf(charter.system.terms, drawn(entries.length, draw.luck));
  const teams = new Map(entries.flatMap((entry, i) => ownOf(entry).map(({ key }) => [key, i + 1])));
  const maps = { tables: new Map(), agreed: new Map(), counted: new Map(), disputed: new Map() };
  const work = { charter, draw, entries, shown, state, teams, ...maps, gaps: [], facts: [], convictions: [] };
  const results = pieces.filter((each) => each.match <= state.matches.length && gather(work, each));
  agree(work, results);
  convict(work, results);
  if (state.terms.robin) robin(work);
  else for (const match of state.matches) eliminate(work, match);
  const disputed = [...work.disputed.values()].flat().flatMap(({ names }) => names);
  const counts = new Set([...[...work.counted.values()].flat(), ...disputed]);
  work.ignored = pieces.map(({ name }) => name).filter((name) => !counts.has(name));
  return work;
}

// Notes a ruling or a withdrawal; tells whether it is a result that can be.
function gather(work, piece) {
  const { kind, match, name, id, seat, signer, teams: losers, sides, ruling } = piece;
  if (kind === 'MatchResult') return possible(work, piece);
  const gap = (more) => work.gaps.push({ match, id, names: [name], ...more });
  if (kind === 'TeamWithdrawal') {
    const team = 1 + work.entries.findIndex(({ players }) => players[0].key === piece.key);
    if (team) gap({ losers: [team], reason: 'withdrawn', seat: OWN });
    return false;
  }
  const reason = REASONS[ruling];
  const named = losers.length && Math.max(...losers, ...sides) <= work.entries.length;
  const right = named && sides.length === (reason ? 0 : 2) && (!reason || losers.length === 1);
  if (right) gap({ losers, reason, seat, own: work.teams.get(signer), sides });
  return false;
}

function possible(work, { match: number, teams, table, scores, key }) {
  const match = work.state.matches[number - 1];
  if (Math.max(...teams) > work.entries.length || !teams.includes(work.teams.get(key))) return false;
  const comes = (side, team) =>
    typeof side === 'number' ? side === team : work.state.matches[side[1] - 1].sides.some((each) => comes(each, team));
  if (!teams.every((team, i) => comes(match.sides[i], team))) return false;
  const [high, low] = [Math.max(...scores), Math.min(...scores)];
  if (high !== match.race || low >= high) return false;
  const pair = pairOf(number, teams);
  if (!work.tables.has(pair)) {
    const entries = teams.map((team) => work.entries[team - 1]);
    const [home, away] = entries.map(lineupsOf);
    const sat = home.flatMap((one) => away.map((other) => [one, other]));
    const rows = sat.map((two) => [hex(tableCharter(work.charter, work.draw, number, match.race, entries, two).digest), two.flat()]);
    work.tables.set(pair, new Map(rows));
  }
  return (work.tables.get(pair).get(table) ?? []).some((each) => each.key === key);
}

// Which results a player of each of the two teams has signed; of contrary ones that which a transcript alone bears out.
function agree(work, results) {
  const terms = ({ match, teams, table, hand, head, scores }) => [match, ...teams, table, hand, head, ...scores];
  const signed = new Map();
  for (const each of results) signed.set(terms(each).join(), [...(signed.get(terms(each).join()) ?? []), each]);
  const both = [...signed.values()].filter((alike) => new Set(alike.map(({ key }) => work.teams.get(key))).size === 2);
  for (const alike of both.sort(([a], [b]) => byAll(terms(a), terms(b)))) {
    const [{ match, teams, scores }] = alike;
    const found = work.agreed.get(pairOf(match, teams)) ?? [];
    const same = found.find((each) => each.scores.join() === scores.join()) ?? { scores, names: [] };
    same.names.push(...alike.map(({ name }) => name));
    work.agreed.set(pairOf(match, teams), [...new Set([...found, same])]);
  }
  for (const [pair, found] of work.agreed) {
    const borne = found.filter(({ names }) => names.some((name) => work.shown.has(name)));
    if (borne.length === 1) work.agreed.set(pair, borne);
  }
}

// Who signed to have lost the first match of its team, and a result of one that only its winner comes to (12.4).
function convict(work, results) {
  const won = (number, team) =>
    work.state.matches[number - 1].sides.flatMap((side) => {
      if (typeof side === 'number') return [];
      const [what, from] = side;
      const { sides } = work.state.matches[from - 1];
      const first = what === 'winner' && sides.every((each) => typeof each === 'number') && sides.includes(team);
      return [...(first ? [from] : []), ...won(from, team)];
    });
  const points = results.flatMap((each) => won(each.match, work.teams.get(each.key)).map((from) => [`${each.key} ${from}`, each]));
  const behind = new Map(points.reverse()); // the first of each stays
  for (const piece of results) {
    const { match, teams, scores, key, id, name } = piece;
    const team = work.teams.get(key);
    const other = behind.get(`${key} ${match}`);
    if (team !== teams[Number(scores[0] > scores[1])] || !other) continue;
    work.gaps.push({ match, losers: [team], reason: 'disqualified', seat: OWN, id, names: [name, other.name] });
    if (work.convictions.every((each) => each.piece.key !== key)) work.convictions.push({ check: 'result.behind', piece });
  }
}

// --- what decides a match ------------------------------------------------------------------------

const teamsOf = (sides) => sides.filter((side) => typeof side === 'number');

function eliminate(work, match) {
  const sides = work.state.known(match);
  if (byResult(work, match, sides) || work.state.decided.has(match.number)) return;
  const gaps = filling(work, match.number, sides);
  const rests = new Map(gaps.length > 1 ? teamsOf(sides).map((team) => [team, restsOn(work, match.number, team)]) : []);
  const near = ({ losers }) => Math.min(FAR, ...[...rests].filter(([team]) => !losers.includes(team)).map(([, far]) => far));
  const [first, ...more] = gaps.sort((a, b) => near(a) - near(b) || byRank(a, b));
  if (first) fill(work, match.number, sides, first);
  const alone = ({ reason, losers: [team] }) => reason && team !== first.losers[0] && rests.get(team) === FAR;
  const other = first?.reason && more.find(alone); // if the other team has left as well, nobody comes through
  if (other) fill(work, match.number, sides, other);
}

// How many matches behind a match there is a signed result that rests on it that a team came through (12.3).
function restsOn(work, number, team) {
  const won = (side) => typeof side !== 'number' && side[0] === 'winner' && side[1] === number;
  const later = work.state.matches.find(({ sides }) => sides.some(won));
  if (!later) return FAR;
  const at = later.sides.findIndex(won);
  const met = [...comers(work, later.sides[1 - at])].map((other) => (at ? [other, team] : [team, other]));
  if (met.some((sides) => work.agreed.has(pairOf(later.number, sides)))) return 0;
  const through = ({ reason, losers }) => !reason && !losers.includes(team);
  const ruled = met.some((sides) => filling(work, later.number, sides).some(through));
  return ruled ? Math.min(FAR, 1 + restsOn(work, later.number, team)) : FAR;
}

function comers(work, side) {
  if (typeof side === 'number') return new Set([side]);
  if (side[0] !== 'winner') return new Set();
  const before = work.state.matches[side[1] - 1];
  const done = work.state.decided.get(side[1]);
  if (done) return new Set(teamsOf([done.winner]));
  const sides = work.state.known(before);
  if (teamsOf(sides).length < 2) return new Set();
  const found = work.agreed.get(pairOf(before.number, sides));
  if (found) return new Set(found.map(({ scores }) => sides[Number(scores[0] < scores[1])]));
  return new Set(filling(work, before.number, sides).flatMap(({ losers }) => sides.filter((team) => !losers.includes(team))));
}

function byResult(work, { number }, sides) {
  const found = work.agreed.get(pairOf(number, sides)) ?? [];
  if (found.length === 1) count(work, [number, 'played', ...found[0].scores], found[0].names);
  else if (found.length) work.disputed.set(number, found);
  return found.length > 0;
}

// What may fill the gap where a match has no result: nothing that a referee says who plays in it, or may yet come to play.
function filling(work, number, sides) {
  const known = teamsOf(sides).length === 2;
  return work.gaps.filter(({ match, losers, reason, own, sides: meeting }) => {
    const [team] = losers;
    const here = reason ? match <= number && !work.state.left.has(team) : match === number && meeting.join() === sides.join();
    const may = own === undefined || (known && !sides.includes(own));
    return here && may && losers.every((each) => sides.includes(each));
  });
}

const fill = (work, number, sides, { losers, reason, names }) => {
  count(work, reason ? [number, reason, losers[0]] : [number, 'walk-over', ...sides.filter((each) => losers.includes(each))], names);
};

function robin(work) {
  const departures = work.gaps.filter(({ reason, own }) => reason && own === undefined);
  const leaving = new Map(departures.sort(byRank).reverse().map((each) => [each.losers[0], each])); // the lowest stays
  work.gaps = work.gaps.filter(({ reason }) => !reason);
  const open = new Map();
  for (const match of work.state.matches) {
    const { number, sides } = match;
    if (byResult(work, match, sides)) continue;
    const gaps = [...filling(work, number, sides), ...sides.filter((team) => leaving.has(team)).map((team) => leaving.get(team))];
    const [first] = gaps.sort(byRank);
    if (first && !first.reason) fill(work, number, sides, first);
    else for (const team of sides) if (!open.has(team)) open.set(team, number);
  }
  const disputed = new Set([...work.disputed.keys()].flatMap((number) => work.state.matches[number - 1].sides));
  for (const [team, gap] of leaving) if (open.has(team) && !disputed.has(team)) fill(work, open.get(team), [], gap);
}

// --- what convicts (13) --------------------------------------------------------------------------

// The check, what a piece speaks about that its signer speaks about once, and what it says about that.
const POINTS = {
  EntryList: ({ id }) => [['list.twice', '', id]],
  DrawRestart: ({ signer, before, id }) => [['restart.twice', `${signer} ${before}`, id]],
  DrawEnd: ({ follows, id }) => [['draw.twice', follows, id]],
  MatchResult: ({ signer, draw, match, teams, id }) => [['result.twice', `${signer} ${draw} ${pairOf(match, teams)}`, id]],
  TournamentRuling: ({ signer, draw, ruling, match, sides, teams, id }) => {
    return [['ruling.twice', `${signer} ${draw} ${ruling === 1 ? pairOf(match, sides) : `leaves ${teams.join()}`}`, id]];
  },
  DrawMessage: ({ draw, place, seat, said, id }) => {
    const opens = seat === draw.organiser && said.round === 1;
    const found = [['draw.equivocation', `${draw.follows} ${place}`, id]];
    return opens ? [...found, ['draw.abandoned', draw.list, draw.follows]] : found;
  },
};

function convictionsOf(record) {
  const points = new Map();
  for (const piece of record.sorted(({ name }) => [name])) {
    for (const [check, about, what] of POINTS[piece.kind]?.(piece) ?? []) {
      const point = `${check} ${about}`;
      if (!points.has(point)) points.set(point, { check, piece, said: new Set() });
      points.get(point).said.add(what);
    }
  }
  return [...points.values()].filter(({ said }) => said.size > 1);
}
