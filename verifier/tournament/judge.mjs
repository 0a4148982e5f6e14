/**
 * Tournament 12 and 13: which draw counts, what decides each match, what convicts.
 * @module
 */
import { decodeCharter } from '../messages/charter.mjs';
import { encode } from '../messages/values.mjs';
import { compare, hex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { derived } from '../wire/sealing.mjs';
import { draw as drawn } from './draw.mjs';
import { eliminationOf, roundRobinOf } from './matches.mjs';
import { racesOf } from './pieces.mjs';
import { stateOf } from './record.mjs';

const byText = (a, b) => (a < b ? -1 : Number(a > b));
const byAll = (a, b) => {
  const at = a.findIndex((each, i) => each !== b[i]);
  return at < 0 ? 0 : a[at] < b[at] ? -1 : 1;
};
const REASONS = { 2: 'withdrawn', 3: 'disqualified' };

/** @param {import('./record.mjs').TournamentRecord} record */
export function judge(record) {
  const state = counting(record);
  const work = state?.luck ? decided(record, state) : null;
  const ordered = record.ordered();
  return {
    tournament: hex(record.charter.digest),
    pieces: ordered.map((each) => [each.draw instanceof Uint8Array ? each.kind : each.draw ? 'DrawMessage' : each.kind, each.name]),
    draw: state ? hex(state.draw.charter.digest) : null,
    head: state?.head ? hex(state.head) : null,
    text: state ? textOf(record.charter, state, work) : null,
    counted: work ? [...work.counted].sort(([a], [b]) => a - b).map(([match, names]) => [match, [...names].sort()]) : [],
    ignored: work ? [...work.ignored].sort() : [],
    convictions: convictionsOf(record),
  };
}

function counting(record) {
  const said = [...record.said.values()];
  const states = record.draws.map((draw) => stateOf(draw, said));
  const key = ({ luck, draw }) => [Number(!luck), -draw.restarts, draw.follows];
  return states.sort((a, b) => byAll(key(a), key(b)))[0] ?? null;
}

/** The charter of the table of a match (12.2). @param {object} charter @param {object} state @param {number} number @param {number} race @param {number[]} sides */
function tableCharter(charter, state, number, race, sides) {
  const two = Uint8Array.of(number >> 8, number & 255);
  const table = H('p2p304/v1/tournament-table', charter.digest, state.head, two).subarray(0, 16);
  const teams = sides.map((team) => state.draw.entries[team - 1].players);
  const rows = teams[0].flatMap((_, k) =>
    teams.map((players) => {
      const { key, nickname, nonce } = players[k];
      return [key, nickname, H('p2p304/v1/tournament-nonce', table, key, nonce)];
    }),
  );
  const { profiles, game, system } = charter;
  const profile = profiles.length === 1 ? profiles[0] : profiles[racesOf(system.terms).indexOf(race)];
  const sitting = rows.map(([key]) => hex(key));
  const referees = charter.referees.filter((key) => !sitting.includes(hex(key)));
  const terms = [['tournament', [charter.digest, number]]];
  if (referees.length) terms.unshift(['referee', referees]);
  return decodeCharter(encode([2, table, game, profile, rows, terms]));
}

/** @param {import('./record.mjs').TournamentRecord} record @param {number} number @param {Uint8Array} key */
export function tableOf(record, number, key) {
  const state = counting(record);
  const { state: found } = decided(record, state);
  const match = found.matches[number - 1];
  const { digest, table } = tableCharter(record.charter, state, number, match.race, found.known(match));
  return { charter: hex(digest), key: hex(derived(key, 'p2p304/v1/tournament-key', 32, table)) };
}

// --- what decides a match ------------------------------------------------------------------------

class Work {
  constructor(record, state) {
    const { terms } = record.charter.system;
    const order = drawn(state.draw.entries.length, state.luck);
    Object.assign(this, { record, draw: state, terms });
    this.state = terms.robin ? roundRobinOf(terms, order) : eliminationOf(terms, order);
    this.results = new Map();
    this.rulings = new Map();
    this.counted = new Map();
    this.ignored = new Set();
    this.facts = [];
  }

  count(fact, names) {
    this.state.record(fact);
    this.facts.push(fact);
    this.counted.set(fact.number, [...(this.counted.get(fact.number) ?? []), ...names]);
  }

  ready(match) {
    return !this.state.decided.has(match.number) && this.state.known(match).every((side) => typeof side === 'number');
  }
}

const add = (map, key, item) => map.set(key, [...(map.get(key) ?? []), item]);

function decided(record, state) {
  const work = new Work(record, state);
  gather(work);
  if (work.terms.robin) robin(work);
  else elimination(work);
  const counts = new Set([...work.counted.values()].flat());
  for (const found of work.results.values()) {
    for (const { names } of found) for (const name of names) if (!counts.has(name)) work.ignored.add(name);
  }
  for (const found of work.rulings.values()) for (const { name } of found) if (!counts.has(name)) work.ignored.add(name);
  return work;
}

function gather(work) {
  const { entries } = work.draw.draw;
  const teams = new Map(entries.flatMap(({ players }, i) => players.map(({ key }) => [hex(key), i + 1])));
  const signed = new Map();
  const pieces = [...work.record.pieces.values()].sort((a, b) => byText(a.name, b.name));
  for (const each of pieces) {
    if (!['MatchResult', 'TournamentRuling'].includes(each.kind)) continue;
    const about = hex(each.draw) === hex(work.draw.head) && each.match <= work.state.matches.length;
    if (!about) work.ignored.add(each.name);
    else if (each.kind === 'TournamentRuling') {
      const named = each.teams.length && Math.max(...each.teams) <= entries.length;
      if (!named || (each.ruling !== 1 && each.teams.length > 1)) work.ignored.add(each.name);
      else add(work.rulings, each.match, { ...each, own: teams.get(hex(each.signer)) });
    } else if (!teams.has(hex(each.key))) work.ignored.add(each.name);
    else {
      const terms = [each.match, hex(each.table), each.hand, hex(each.head), ...each.scores];
      const found = signed.get(terms.join()) ?? { terms, scores: each.scores, table: hex(each.table), names: [], teams: new Set() };
      found.names.push(each.name);
      found.teams.add(teams.get(hex(each.key)));
      signed.set(terms.join(), found);
    }
  }
  for (const found of signed.values()) {
    if (found.teams.size === 2) add(work.results, found.terms[0], found);
    else for (const name of found.names) work.ignored.add(name);
  }
  for (const found of work.results.values()) found.sort((a, b) => byAll(a.terms, b.terms));
}

/** Whether a ruling may count in a match: its referee does not play there, nor may come to (12.4). */
const mayCount = (work, match, { own }) =>
  own === undefined || (work.ready(match) && !work.state.known(match).includes(own));

const rulingOrder = (a, b) => byAll([a.order, a.seat, a.name], [b.order, b.seat, b.name]);

function elimination(work) {
  const departures = [...work.rulings.keys()]
    .sort((a, b) => a - b)
    .flatMap((number) => [...work.rulings.get(number)].sort(rulingOrder))
    .filter((each) => each.ruling !== 1);
  const left = new Set();
  for (const match of work.state.matches) {
    if (work.state.decided.has(match.number)) continue;
    const results = possible(work, match);
    const good = results.filter((each) => !takenBack(work, match, each, results));
    const sides = work.state.known(match);
    const leaves = departures.find(
      (each) =>
        each.match <= match.number &&
        sides.includes(each.teams[0]) &&
        !left.has(each.teams[0]) &&
        mayCount(work, match, each),
    );
    if (good.length) countResult(work, match, good[0]);
    else if (leaves) {
      const [team] = leaves.teams;
      left.add(team);
      work.count({ number: match.number, departure: true, team, reason: REASONS[leaves.ruling] }, [leaves.name]);
    } else if (!walkOver(work, match) && results.length) countResult(work, match, results[0]);
  }
}

function robin(work) {
  for (const match of work.state.matches) {
    const results = possible(work, match);
    if (results.length) countResult(work, match, results[0]);
    else walkOver(work, match);
  }
  const departures = [...work.rulings.values()].flat().filter((each) => each.ruling !== 1).sort(rulingOrder);
  for (const each of departures) {
    if (each.own !== undefined) continue;
    const [team] = each.teams;
    const open = work.state.open(team);
    if (work.state.left.has(team) || !open.length) continue;
    work.count({ number: open[0].number, departure: true, team, reason: REASONS[each.ruling] }, [each.name]);
  }
}

const countResult = (work, { number }, { scores, names }) => work.count({ number, scores }, names);

function possible(work, match) {
  if (!work.ready(match)) return [];
  const sides = work.state.known(match);
  const found = work.results.get(match.number) ?? [];
  if (!found.length) return [];
  const table = hex(tableCharter(work.record.charter, work.draw, match.number, match.race, sides).digest);
  return found.filter(({ teams, scores, table: played }) => {
    const [high, low] = [Math.max(...scores), Math.min(...scores)];
    return sides.every((team) => teams.has(team)) && played === table && high === match.race && low < high;
  });
}

const loserOf = (work, match, { scores }) => work.state.known(match)[Number(scores[0] > scores[1])];

function takenBack(work, match, result, results) {
  const loser = loserOf(work, match, result);
  const about = work.rulings.get(match.number) ?? [];
  const ruled = about.some((each) => !each.teams.includes(loser) && mayCount(work, match, each));
  if (!ruled && results.every((each) => loserOf(work, match, each) === loser)) return false;
  const later = new Set();
  for (const { number, sides } of work.state.matches) {
    for (const side of sides) {
      if (typeof side === 'number') continue;
      const [what, from] = side;
      if (later.has(from) || (what === 'winner' && from === match.number)) later.add(number);
    }
  }
  return [...later].some((number) => (work.results.get(number) ?? []).some(({ teams }) => teams.has(loser)));
}

function walkOver(work, match) {
  if (!work.ready(match)) return false;
  const sides = work.state.known(match);
  for (const each of [...(work.rulings.get(match.number) ?? [])].sort(rulingOrder)) {
    if (each.ruling !== 1 || !mayCount(work, match, each)) continue;
    const absent = sides.filter((team) => each.teams.includes(team));
    if (new Set(each.teams).size !== absent.length) continue;
    work.count({ number: match.number, absent }, [each.name]);
    return true;
  }
  return false;
}

// --- the text (9) --------------------------------------------------------------------------------

function textOf(charter, state, work) {
  const lines = [`tournament ${charter.game} ${charter.seats}`, charter.system.line];
  for (const { team, players } of state.draw.entries) {
    lines.push(['entry', ...[team, ...players.map(({ key }) => hex(key))].map((name) => `"${name}"`)].join(' '));
  }
  if (work) {
    lines.push(`draw ${hex(state.luck)}`);
    const last = ({ departure, number }) => (work.terms.robin && departure ? 1000 : number);
    const facts = [...work.facts].sort((a, b) => last(a) - last(b)); // departures as they were recorded
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
  if (kind === 'MatchResult') return ['result.twice', `${own} ${hex(piece.table)}`];
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
    const place = `${each.draw.follows} ${each.round} ${each.seat}`;
    note(points, place, 'draw.equivocation', each.draw.charter.seats[each.seat].key, each.name, each.raw);
  }
  const mine = said.filter((each) => each.seat === each.draw.organiser);
  const abandoned = mine.find((opened) =>
    opened.round === 1 && mine.some((each) => each.round === 0 && each.draw.restarts > opened.draw.restarts),
  );
  if (abandoned) found.push({ check: 'draw.abandoned', key: hex(record.charter.organiser), raw: abandoned.raw });
  found.sort((a, b) => byText(a.check, b.check) || byText(a.key, b.key) || compare(a.raw, b.raw));
  return found.map(({ check, key }) => [check, key]);
}
