/**
 * Tournament 12 and 13: what decides each match, by each draw; what convicts.
 * @module
 */
import { decodeCharter } from '../messages/charter.mjs';
import { encode } from '../messages/values.mjs';
import { compare, hex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { derived } from '../wire/sealing.mjs';
import { draw as drawn } from './draw.mjs';
import { eliminationOf, roundRobinOf } from './matches.mjs';
import { racesOf, rulersOf } from './pieces.mjs';
import { byAll, statesOf } from './record.mjs';

const byText = (a, b) => (a < b ? -1 : Number(a > b));
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
  const found = [...convictionsOf(record), ...draws.flatMap(({ convictions }) => convictions)];
  found.sort((a, b) => byText(a.check, b.check) || byText(a.key, b.key) || compare(a.raw, b.raw));
  return {
    tournament: hex(record.charter.digest),
    pieces: record.ordered().map((each) => [each.draw instanceof Uint8Array ? each.kind : each.draw ? 'DrawMessage' : each.kind, each.name]),
    draws: draws.map(({ told }) => told),
    convictions: found.map(({ check, key }) => [check, key]),
  };
}

function judgeDraw(record, state, shown) {
  const told = { draw: hex(state.draw.charter.digest), head: null, text: textOf(record.charter, state, null) };
  if (!state.luck) {
    return { told: { ...told, counted: [], disputed: [], ignored: [], ended: false }, convictions: [] };
  }
  const pieces = [...record.pieces.values()].filter(({ kind }) => ABOUT.includes(kind)).sort((a, b) => byText(a.name, b.name));
  const about = pieces.filter((each) => hex(each.draw) === hex(state.head));
  const every = decided(record.charter, state, about, shown);
  const { end, twice } = endOf(record, state, about, every);
  const work = end?.work ?? every;
  const named = end?.named ?? about;
  const ends = record.of('TournamentEnd').filter(({ draw, raw }) => hex(draw) === hex(state.head) && raw !== end?.raw);
  const ignored = new Set([...work.ignored, ...ends.map(({ name }) => name), ...pieces.filter((each) => !named.includes(each)).map(({ name }) => name)]);
  return {
    told: {
      ...told,
      head: hex(state.head),
      text: textOf(record.charter, state, work),
      counted: [...work.counted].sort(([a], [b]) => a - b).map(([match, names]) => [match, [...names].sort()]),
      disputed: [...work.disputed].sort(([a], [b]) => a - b).map(([match, found]) => [match, found.map(({ scores }) => scores)]),
      ignored: [...ignored].sort(),
      ended: end !== null,
    },
    convictions: [...every.convictions, ...twice],
  };
}

// The one valid end, and what ends convict the organiser of (12.7).
function endOf(record, state, about, every) {
  const ends = record.of('TournamentEnd').filter(({ draw }) => hex(draw) === hex(state.head));
  const convicted = ({ raw, signer }) => [{ check: 'end.twice', key: hex(signer), raw }];
  if (ends.length > MOST_ENDS) return { end: null, twice: convicted(ends[0]) };
  const whole = ends.flatMap(({ pieces, raw, signer }) => {
    const wanted = new Set(pieces.map(hex));
    const named = about.filter(({ name }) => wanted.has(name.slice(0, END_NAME)));
    if (named.length !== pieces.length) return [];
    const work = decided(record.charter, state, named, new Set());
    return work.state.matches.every(({ number }) => work.state.decided.has(number)) ? [{ raw, signer, named, work }] : [];
  });
  const parted = (a, b) => contradicts(a.work, b.work) || contradicts(b.work, a.work);
  const first = whole.find((one, i) => whole.slice(i + 1).some((other) => !parted(one, other)));
  const valid = whole.filter(({ work }) => !contradicts(every, work));
  return { end: valid.length === 1 ? valid[0] : null, twice: first ? convicted(first) : [] };
}

// Whether the other goes past a result that decides a match here, or decides one otherwise than its two teams signed.
function contradicts(work, other) {
  return other.state.matches.some((match) => {
    const found = agreedIn(work, match.number, other.state.known(match));
    const scored = ({ state }) => state.facts.get(match.number)?.scores;
    if (scored(work) && !scored(other)) return true;
    return found.length > 0 && !found.some(({ scores }) => scores.join() === scored(other)?.join());
  });
}

// The players of an entry as they may sit: without the reserve, then with it in each place.
const lineupsOf = ({ players, reserves: [reserve] }) =>
  reserve ? [players, ...players.map((_, at) => players.with(at, reserve))] : [players];

// The present line-up of a team among these, by what captain and reserve have signed.
function lineupOf(record, state, number, { players, reserves }) {
  const signed = record.of('LineupChange').filter((each) => hex(each.draw) === hex(state.head) && each.match <= number);
  const both = signed.filter((each) => each.seat === 1 && signed.some(({ id, seat }) => id === each.id && !seat));
  const mine = ({ captain, reserve, place }) =>
    hex(captain) === hex(players[0].key) && place < players.length && reserves.some(({ key }) => hex(key) === hex(reserve));
  const [last] = both.filter(mine).sort((a, b) => byAll([b.match, b.id], [a.match, a.id]));
  return last ? 1 + last.place : 0;
}

/** The charter of the table of a match (12.1). @param {object} charter @param {object} state @param {number} number @param {number} race @param {object[]} entries of both sides @param {object[][]} teams who sits for each */
function tableCharter(charter, state, number, race, entries, teams) {
  const two = Uint8Array.of(number >> 8, number & 255);
  const table = H('p2p304/v1/tournament-table', charter.digest, state.head, two).subarray(0, 16);
  const rows = teams[0].flatMap((_, k) =>
    teams.map((players) => {
      const { key, nickname, nonce } = players[k];
      return [key, nickname, H('p2p304/v1/tournament-nonce', table, key, nonce)];
    }),
  );
  const { profiles, game, system } = charter;
  const profile = profiles.length === 1 ? profiles[0] : profiles[racesOf(system.terms).indexOf(race)];
  const own = entries.flatMap(({ players, reserves }) => [...players, ...reserves]).map(({ key }) => hex(key));
  const referees = rulersOf(charter).filter((key) => !own.includes(hex(key)));
  const terms = [['tournament', [charter.digest, number]]];
  if (referees.length) terms.unshift(['referee', referees]);
  return decodeCharter(encode([2, table, game, profile, rows, terms]));
}

/** @param {import('./record.mjs').TournamentRecord} record @param {number} number @param {Uint8Array} key */
export function tableOf(record, number, key) {
  const [state] = statesOf(record);
  const about = [...record.pieces.values()].filter((each) => ABOUT.includes(each.kind) && hex(each.draw) === hex(state.head));
  const { state: found } = decided(record.charter, state, about, new Set());
  const match = found.matches[number - 1];
  const entries = found.known(match).map((team) => state.draw.entries[team - 1]);
  const teams = entries.map((entry) => lineupsOf(entry)[lineupOf(record, state, number, entry)]);
  const { digest, table } = tableCharter(record.charter, state, number, match.race, entries, teams);
  return { charter: hex(digest), key: hex(derived(key, 'p2p304/v1/tournament-key', 32, table)) };
}

// --- what there is -------------------------------------------------------------------------------

const pairOf = (match, sides) => [match, ...sides].join();
const add = (map, key, item) => map.set(key, [...(map.get(key) ?? []), item]);
const byRank = (a, b) => byAll([a.seat, a.id], [b.seat, b.id]);

class Work {
  constructor(charter, draw, shown) {
    const { terms } = charter.system;
    const order = drawn(draw.draw.entries.length, draw.luck);
    Object.assign(this, { charter, draw, shown, terms });
    this.plan = terms.robin ? roundRobinOf(terms, order) : eliminationOf(terms, order);
    this.state = terms.robin ? roundRobinOf(terms, order) : eliminationOf(terms, order);
    const own = ({ players, reserves }) => [...players, ...reserves];
    this.teams = new Map(draw.draw.entries.flatMap((entry, i) => own(entry).map(({ key }) => [hex(key), i + 1])));
    this.tables = new Map();
    this.captains = new Map(draw.draw.entries.map(({ players }, i) => [hex(players[0].key), i + 1]));
    this.agreed = new Map();
    this.walkOvers = new Map();
    this.departures = [];
    this.facts = [];
    this.counted = new Map();
    this.disputed = new Map();
    this.convictions = [];
  }

  count(fact, names) {
    this.facts.push(fact);
    this.state.tell(this.facts);
    this.counted.set(fact.number, [...(this.counted.get(fact.number) ?? []), ...names]);
  }
}

function decided(charter, draw, pieces, shown) {
  const work = new Work(charter, draw, shown);
  const results = pieces.filter((each) => each.match <= work.plan.matches.length && gather(work, each));
  agree(work, results);
  convict(work, results);
  if (work.terms.robin) robin(work);
  else for (const match of work.state.matches) eliminate(work, match);
  const used = [...work.counted.values()].flat();
  const disputed = [...work.disputed.values()].flat().flatMap(({ names }) => names);
  const counts = new Set([...used, ...disputed]);
  work.ignored = pieces.map(({ name }) => name).filter((name) => !counts.has(name));
  return work;
}

// Notes a ruling or a withdrawal; tells whether it is a result that can be.
function gather(work, piece) {
  const { kind, match, name, id, seat, teams } = piece;
  if (kind === 'MatchResult') return possible(work, piece);
  if (kind === 'TeamWithdrawal') {
    const team = work.captains.get(hex(piece.key));
    if (team) work.departures.push({ match, losers: [team], reason: 'withdrawn', seat: OWN, id, names: [name] });
    return false;
  }
  const named = teams.length && Math.max(...teams) <= work.draw.draw.entries.length;
  if (!named || (piece.ruling !== 1 && teams.length > 1)) return false;
  const gap = { match, losers: teams, reason: REASONS[piece.ruling], seat, id, names: [name], own: work.teams.get(hex(piece.signer)) };
  if (gap.reason) work.departures.push(gap);
  else add(work.walkOvers, match, gap);
  return false;
}

function possible(work, { match: number, teams, table, scores, key }) {
  const match = work.plan.matches[number - 1];
  if (Math.max(...teams) > work.draw.draw.entries.length || !teams.includes(work.teams.get(hex(key)))) return false;
  const comes = (side, team) =>
    typeof side === 'number' ? side === team : work.plan.matches[side[1] - 1].sides.some((each) => comes(each, team));
  if (teams[0] === teams[1] || !teams.every((team, i) => comes(match.sides[i], team))) return false;
  const [high, low] = [Math.max(...scores), Math.min(...scores)];
  if (high !== match.race || low >= high) return false;
  const pair = pairOf(number, teams);
  if (!work.tables.has(pair)) {
    const entries = teams.map((team) => work.draw.draw.entries[team - 1]);
    const [home, away] = entries.map(lineupsOf);
    const sat = home.flatMap((one) => away.map((other) => [one, other]));
    const rows = sat.map((two) => [hex(tableCharter(work.charter, work.draw, number, match.race, entries, two).digest), two.flat()]);
    work.tables.set(pair, new Map(rows));
  }
  const seats = work.tables.get(pair).get(hex(table)) ?? [];
  return seats.some((each) => hex(each.key) === hex(key));
}

function agree(work, results) {
  const signed = new Map();
  for (const { match, teams, table, hand, head, scores, key, name } of results) {
    const terms = [match, ...teams, hex(table), hand, hex(head), ...scores];
    const found = signed.get(terms.join()) ?? { terms, pair: pairOf(match, teams), scores, names: [], by: new Set() };
    found.names.push(name);
    found.by.add(work.teams.get(hex(key)));
    signed.set(terms.join(), found);
  }
  for (const { pair, scores, names, by } of [...signed.values()].sort((a, b) => byAll(a.terms, b.terms))) {
    if (by.size !== 2) continue;
    const same = (work.agreed.get(pair) ?? []).find((each) => each.scores.join() === scores.join());
    if (same) same.names.push(...names);
    else add(work.agreed, pair, { scores, names: [...names] });
  }
}

// Who signed to have lost the first match of its team, and a result of one that only its winner comes to (12.4).
function convict(work, results) {
  const before = function* (number, team) {
    for (const side of work.plan.matches[number - 1].sides) {
      if (typeof side === 'number') continue;
      const [what, from] = side;
      const { sides } = work.plan.matches[from - 1];
      if (what === 'winner' && sides.every((each) => typeof each === 'number') && sides.includes(team)) yield from;
      yield* before(from, team);
    }
  };
  const behind = new Map();
  for (const each of results) {
    for (const number of before(each.match, work.teams.get(hex(each.key)))) {
      const point = `${hex(each.key)} ${number}`;
      if (!behind.has(point)) behind.set(point, each);
    }
  }
  const told = new Set();
  for (const { match, teams, scores, key, id, name, raw } of results) {
    const team = work.teams.get(hex(key));
    const other = behind.get(`${hex(key)} ${match}`);
    if (team !== teams[Number(scores[0] > scores[1])] || !other) continue;
    work.departures.push({ match, losers: [team], reason: 'disqualified', seat: OWN, id, names: [name, other.name] });
    if (!told.has(hex(key))) work.convictions.push({ check: 'result.behind', key: hex(key), raw });
    told.add(hex(key));
  }
}

// --- what decides a match ------------------------------------------------------------------------

const teamsOf = (sides) => sides.filter((side) => typeof side === 'number');

function eliminate(work, match) {
  const sides = work.state.known(match);
  if (byResult(work, match, sides) || work.state.decided.has(match.number)) return;
  const gaps = filling(work, match.number, sides);
  const rests = new Map(gaps.length > 1 ? teamsOf(sides).map((team) => [team, restsOn(work, match.number, team)]) : []);
  const near = ({ losers }) => Math.min(FAR, ...teamsOf(sides).filter((team) => !losers.includes(team)).map((team) => rests.get(team) ?? FAR));
  const [first, ...more] = gaps.sort((a, b) => near(a) - near(b) || byRank(a, b));
  if (first) fill(work, match.number, sides, first);
  const alone = ({ reason, losers: [team] }) => reason && team !== first.losers[0] && rests.get(team) === FAR;
  const other = first?.reason && more.find(alone); // if the other team has left as well, nobody comes through
  if (other) fill(work, match.number, sides, other);
}

// How many matches behind a match there is a signed result that rests on it that a team came through (12.3).
function restsOn(work, number, team) {
  const later = work.state.matches.find(({ sides }) => sides.some((side) => typeof side !== 'number' && side.join() === `winner,${number}`));
  if (!later) return FAR;
  const at = later.sides.findIndex((side) => typeof side !== 'number' && side[1] === number);
  for (const other of [...comers(work, later.sides[1 - at])].sort((a, b) => a - b)) {
    const sides = at ? [other, team] : [team, other];
    if (work.agreed.has(pairOf(later.number, sides))) return 0;
  }
  for (const other of comers(work, later.sides[1 - at])) {
    const gaps = filling(work, later.number, at ? [other, team] : [team, other]);
    if (gaps.some(({ reason, losers }) => !reason && !losers.includes(team))) return Math.min(FAR, 1 + restsOn(work, later.number, team));
  }
  return FAR;
}

function comers(work, side) {
  if (typeof side === 'number') return new Set([side]);
  if (side[0] !== 'winner') return new Set();
  const before = work.state.matches[side[1] - 1];
  const done = work.state.decided.get(side[1]);
  if (done) return new Set(teamsOf([done.winner]));
  const sides = work.state.known(before);
  if (teamsOf(sides).length < 2) return new Set();
  const found = agreedIn(work, before.number, sides);
  if (found.length) return new Set(found.map(({ scores }) => sides[Number(scores[0] < scores[1])]));
  return new Set(filling(work, before.number, sides).flatMap(({ losers }) => sides.filter((team) => !losers.includes(team))));
}

function byResult(work, match, sides) {
  const found = teamsOf(sides).length === 2 ? agreedIn(work, match.number, sides) : [];
  if (found.length === 1) work.count({ number: match.number, scores: found[0].scores }, found[0].names);
  else if (found.length) work.disputed.set(match.number, found);
  return found.length > 0;
}

function agreedIn(work, number, sides) {
  const found = work.agreed.get(pairOf(number, sides)) ?? [];
  const borne = found.filter(({ names }) => names.some((name) => work.shown.has(name)));
  return borne.length === 1 ? borne : found;
}

// What may fill the gap where a match has no result.
function filling(work, number, sides) {
  const known = teamsOf(sides).length === 2;
  const gone = new Set(work.facts.filter(({ departure }) => departure).map(({ team }) => team));
  const leaving = work.departures.filter(({ match, losers: [team] }) => match <= number && !gone.has(team));
  return [...(known ? (work.walkOvers.get(number) ?? []) : []), ...leaving].filter(
    ({ losers, own }) => losers.every((team) => sides.includes(team)) && (own === undefined || (known && !sides.includes(own))),
  );
}

function fill(work, number, sides, { losers, reason, names }) {
  const [team] = losers;
  if (reason) work.count({ number, departure: true, team, reason }, names);
  else work.count({ number, absent: sides.filter((each) => losers.includes(each)) }, names);
}

function robin(work) {
  const leaving = new Map();
  for (const each of work.departures.filter(({ own }) => own === undefined).sort(byRank)) {
    if (!leaving.has(each.losers[0])) leaving.set(each.losers[0], each);
  }
  work.departures = [];
  const open = new Map();
  for (const match of work.state.matches) {
    if (byResult(work, match, match.sides)) continue;
    const gaps = [...filling(work, match.number, match.sides), ...match.sides.filter((team) => leaving.has(team)).map((team) => leaving.get(team))];
    const [first] = gaps.sort(byRank);
    if (first && !first.reason) fill(work, match.number, match.sides, first);
    else for (const team of match.sides) if (!open.has(team)) open.set(team, match.number);
  }
  const disputed = new Set([...work.disputed.keys()].flatMap((number) => work.state.matches[number - 1].sides));
  for (const [team, gap] of leaving) {
    if (open.has(team) && !disputed.has(team)) fill(work, open.get(team), [], gap);
  }
}

// --- the text (9) --------------------------------------------------------------------------------

function textOf(charter, state, work) {
  const lines = [`tournament ${charter.game} ${charter.seats}`, charter.system.line];
  for (const { team, players } of state.draw.entries) {
    lines.push(['entry', ...[team, ...players.map(({ key }) => hex(key))].map((name) => `"${name}"`)].join(' '));
  }
  if (work) {
    lines.push(`draw ${hex(state.luck)}`);
    const place = ({ number, departure, team }) => number * 100 + (departure ? team : 0);
    const facts = [...work.facts].sort((a, b) => place(a) - place(b));
    lines.push(...facts.map((fact) => `${fact.number} ${factText(fact)}`));
  }
  return [...lines, ''];
}

function factText({ scores, absent, reason, team }) {
  if (scores) return scores.join('-');
  return absent ? ['absent', ...absent].join(' ') : `${reason} ${team}`;
}

// --- what convicts (13) --------------------------------------------------------------------------

function pointOf(piece) {
  const { kind, signer } = piece;
  const own = hex(signer);
  if (kind === 'EntryList') return ['list.twice', ''];
  if (kind === 'DrawRestart') return ['restart.twice', `${own} ${hex(piece.before)}`];
  if (kind === 'DrawEnd') return ['draw.twice', hex(piece.follows)];
  if (kind === 'MatchResult') return ['result.twice', `${own} ${hex(piece.draw)} ${pairOf(piece.match, piece.teams)}`];
  if (kind !== 'TournamentRuling') return null;
  const about = piece.ruling === 1 ? piece.match : `leaves ${piece.teams.join()}`;
  return ['ruling.twice', `${own} ${hex(piece.draw)} ${about}`];
}

function convictionsOf(record) {
  const found = [];
  const note = (points, point, check, signer, id, raw) => {
    const earlier = points.get(point);
    if (!earlier) points.set(point, { id, raw, told: false });
    else if (earlier.id !== id && !earlier.told) {
      earlier.told = true;
      found.push({ check, key: hex(signer), raw: earlier.raw });
    }
  };
  const points = new Map();
  for (const piece of [...record.pieces.values()].sort((a, b) => byText(a.name, b.name))) {
    const point = pointOf(piece);
    if (point) note(points, point.join(' '), point[0], piece.signer, piece.id, piece.raw);
  }
  const said = [...record.said.values()].sort((a, b) => byText(a.name, b.name));
  for (const each of said) {
    const place = `${each.draw.follows} ${each.round} ${each.seat} ${hex(each.previous)}`;
    note(points, place, 'draw.equivocation', each.draw.charter.seats[each.seat].key, each.name, each.raw);
  }
  const opened = said.filter((each) => each.seat === each.draw.organiser && each.round === 1);
  const listOf = ({ draw }) => [...draw.before, draw.follows][0];
  const earlier = new Map();
  for (const each of opened) {
    const first = earlier.get(listOf(each)) ?? each;
    earlier.set(listOf(each), first);
    if (first.draw.follows === each.draw.follows) continue;
    found.push({ check: 'draw.abandoned', key: hex(record.charter.organiser), raw: first.raw });
    break;
  }
  return found;
}
