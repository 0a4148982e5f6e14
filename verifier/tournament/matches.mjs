/**
 * Tournament 1 to 8: systems, the draw, the matches of a bracket and of a round robin, what facts decide of them, and who
 * stands where.
 * @module
 */
import { checkName } from '../messages/charter.mjs';
import { big, fail, unhex } from '../suite/bytes.mjs';

/** @typedef {{number: number, round: number, stage: string, race: number, sides: (number | [string, number])[]}} Match
 * stage: round, third place or final; sides: teams, or winner and loser of a match */

const wrong = () => fail('tournament.rule');
/** @param {any[]} items */
export const twice = (items) => new Set(items).size !== items.length;
/** Whether it is a name (1.2). @param {string} name */
export const isName = (name) => checkName(name, 64) && !name.includes('"');

const RACE = '[1-9][0-9]?';
const UNIT = '(?:tokens|hands|matches)';
const ROBIN = `round-robin ${UNIT} race (${RACE})`;
const SYSTEM = new RegExp(`^(?:${ROBIN}|elimination ${UNIT} races ((?:${RACE} ){1,5})third (${RACE}|none))$`);

/** The system that a line of 9.2 tells. @param {string} line */
export function systemOf(line) {
  const [, race, said, third] = SYSTEM.exec(line) ?? wrong();
  if (race) return { robin: true, race: Number(race) };
  const races = said.trim().split(' ').map(Number);
  if (races.length > 1 && races.at(-1) === races.at(-2)) wrong();
  return { robin: false, races, third: third === 'none' ? null : Number(third) };
}

const departs = (how) => how === 'withdrawn' || how === 'disqualified';

/** Facts in their order (9.4). @param {any[][]} facts */
export const inOrder = (facts) => facts.toSorted(([a, how, team], [b, other, second]) => {
  return a - b || (departs(how) ? team : 0) - (departs(other) ? second : 0);
});

/** Matches, the facts about them, and what follows. */
export class State {
  /** @param {object} terms @param {number[]} order teams as they were drawn @param {Match[]} matches */
  constructor(terms, order, matches) {
    Object.assign(this, { terms, order, matches });
    this.tell([]);
  }

  /** What follows from these facts, and no others: rows of match, how it was decided, scores or teams. @param {any[][]} facts */
  tell(facts) {
    this.facts = new Map();
    this.left = new Map(); // team: {match, reason}
    this.decided = new Map();
    for (const [number, how, ...said] of facts) {
      if (!this.matches[number - 1]) wrong();
      const [told, key] = departs(how) ? [this.left, said[0]] : [this.facts, number];
      if (told.has(key) || (departs(how) && said.length !== 1)) wrong();
      told.set(key, told === this.left ? { match: number, reason: how } : [how, said]);
    }
    for (const match of this.matches) {
      const sides = this.known(match);
      const fact = this.facts.get(match.number);
      const found = fact ? this.byFact(match, sides, fact) : this.without(match, sides);
      if (found) this.decided.set(match.number, found);
    }
    for (const [team, { match }] of this.left) {
      const mine = this.matches.filter((each) => this.known(each).includes(team) && !this.facts.has(each.number));
      const may = this.terms.robin ? mine.slice(0, 1) : mine; // 7.5
      if (!may.some(({ number }) => number === match)) wrong();
    }
  }

  /** Teams, 'empty', or null while nobody knows. @param {Match} match */
  known({ sides }) {
    return sides.map((side) => {
      if (typeof side === 'number') return side;
      const [what, number] = side;
      const found = this.decided.get(number);
      if (!found) return null;
      if (what === 'winner') return found.winner ?? 'empty';
      return found.losers.length === 1 ? found.losers[0] : 'empty';
    });
  }

  byFact({ race }, sides, [how, said]) {
    if (sides.some((side) => typeof side !== 'number')) wrong();
    if (how === 'played') {
      const [low, high] = [Math.min(...said), Math.max(...said)];
      if (high !== race || low >= high) wrong();
      const [winner, loser] = said[0] > said[1] ? sides : sides.toReversed();
      return { how, winner, losers: [loser], scores: said };
    }
    if (!said.length || said.join() !== sides.filter((team) => said.includes(team)).join()) wrong();
    return { how, winner: sides.find((team) => !said.includes(team)) ?? null, losers: said };
  }

  // A side that is empty or has left.
  without({ number }, sides) {
    if (sides.includes(null)) return null;
    const losers = sides.filter((team) => this.left.get(team)?.match <= number);
    const there = sides.filter((team) => team !== 'empty' && !losers.includes(team));
    if (there.length === 2) return null;
    return { how: this.left.get(losers[0])?.reason ?? 'uncontested', winner: there[0] ?? null, losers };
  }
}

/** The order of two lists, by the first in which they differ. */
export const byAll = (a, b) => {
  const at = a.findIndex((each, i) => each !== b[i]);
  return at < 0 ? 0 : a[at] < b[at] ? -1 : 1;
};

/** The matches of a system, for teams as they were drawn. @param {object} terms @param {number[]} order */
export const matchesOf = (terms, order) => (terms.robin ? roundRobinOf : eliminationOf)(terms, order);

function eliminationOf(terms, order) {
  const rounds = Math.ceil(Math.log2(order.length));
  let bracket = [1];
  while (bracket.length < 2 ** rounds) {
    const many = 2 * bracket.length + 1;
    bracket = bracket.flatMap((seed, at) => (at % 2 ? [many - seed, seed] : [seed, many - seed]));
  }
  let places = bracket.map((seed) => order[seed - 1] ?? null);
  const matches = [];
  for (let round = 1; round <= rounds; round++) {
    const add = (stage, race, sides) => matches.push({ number: matches.length + 1, round, stage, race, sides });
    const final = round === rounds;
    if (final && terms.third !== null && order.length >= 4) {
      add('third place', terms.third, places.map(([, semi]) => ['loser', semi]));
    }
    const race = terms.races[Math.min(rounds - round, terms.races.length - 1)];
    const pairs = places.flatMap((side, at) => (at % 2 ? [] : [[side, places[at + 1]]]));
    places = pairs.map((sides) => {
      if (sides.includes(null)) return sides.find((side) => side !== null);
      return ['winner', add(final ? 'final' : 'round', race, sides)];
    });
  }
  return new State(terms, order, matches);
}

function roundRobinOf(terms, order) {
  const many = order.length + (order.length % 2);
  const matches = [];
  for (let round = 1; round < many; round++) {
    const turn = (((round - 1) * many) / 2) % (many - 1);
    const pairs = [round % 2 ? [turn + 1, many] : [many, turn + 1]];
    for (let k = 1; k < many / 2; k++) {
      pairs.push([((turn + k) % (many - 1)) + 1, ((turn - k + many - 1) % (many - 1)) + 1]);
    }
    for (const pair of pairs) {
      const sides = pair.map((number) => order[number - 1]);
      if (!sides.includes(undefined)) matches.push({ number: matches.length + 1, round, stage: 'round', race: terms.race, sides });
    }
  }
  return new State(terms, order, matches);
}

/** The numbers of the entries as they are drawn. @param {number} entries @param {Uint8Array} luck */
export function draw(entries, luck) {
  if (entries < 2 || entries > 32 || luck.length < 32 || luck.length > 1024) wrong();
  const whole = 1n << BigInt(8 * luck.length);
  let orders = 1n;
  for (let i = 2n; i <= BigInt(entries); i++) orders *= i;
  let x = big(luck);
  if (x >= whole - (whole % orders)) wrong();
  x %= orders;
  const left = Array.from({ length: entries }, (_, i) => i + 1);
  const order = [];
  while (left.length) {
    const many = BigInt(left.length);
    order.push(...left.splice(Number(x % many), 1));
    x /= many;
  }
  return order;
}

// --- who stands where (8) ---------------------------------------------------------------------------

/** @param {{seats: number, system: string, entries: string[][], luck: string, facts: any[][]}} given the facts with their
 * match, how it was decided, and scores or teams */
export function toldOf({ seats, system, entries, luck, facts }) {
  const terms = systemOf(system);
  const sized = entries.length >= 2 && entries.length <= 32 && entries.every((each) => each.length === 1 + seats / 2);
  const unique = !twice(entries.map(([team]) => team)) && !twice(entries.flatMap(([, ...players]) => players));
  const right = [4, 6, 8].includes(seats) && sized && unique && entries.flat().every(isName);
  if (!right || (!luck && facts.length)) wrong();
  if (!luck) {
    const standing = entries.map((_, i) => [i + 1, 'in', null, 0, 0, 0, 0]);
    return { matches: [], byes: [], standing, champion: null };
  }
  const state = matchesOf(terms, draw(entries.length, unhex(luck)));
  state.tell(facts);
  const matches = state.matches.map((each) => {
    const found = state.decided.get(each.number);
    const known = state.known(each);
    const sides = each.sides.map((side, i) => (known[i] === null ? side : known[i] === 'empty' ? null : known[i]));
    return [
      each.number, each.round, each.stage, each.race, sides, found?.how ?? null, found?.winner ?? null,
      found ? [...found.losers] : [],
    ];
  });
  const rows = (terms.robin ? robin : knockout)(state);
  const over = state.matches.every(({ number }) => state.decided.has(number));
  const first = rows.find((row) => row.place === 1);
  return {
    matches,
    byes: state.order.filter((team) => !matches.some(([, round, , , sides]) => round === 1 && sides.includes(team))),
    standing: rows.map((row) => [row.team, row.status, row.place, row.played, row.won, row.own, row.others]),
    champion: over && first ? first.team : null,
  };
}

// What every row has: status and sums.
function rowOf(state, team) {
  const row = { team, played: 0, won: 0, own: 0, others: 0, place: null };
  for (const match of state.matches) {
    const found = state.decided.get(match.number);
    const at = state.known(match).indexOf(team);
    if (!found || at < 0 || found.how === 'uncontested') continue;
    row.played += 1;
    if (found.winner === team) row.won += 1;
    const scores = found.scores ?? [0, 0];
    row.own += scores[at];
    row.others += scores[1 - at];
  }
  const open = state.matches.some((each) => !state.decided.has(each.number) && state.known(each).includes(team));
  row.status = state.left.get(team)?.reason ?? (open ? 'in' : 'done');
  return row;
}

function knockout(state) {
  const rounds = state.matches.at(-1).round;
  const third = state.matches.some(({ stage }) => stage === 'third place');
  const ends = { final: 2, 'third place': 4 };
  const lostIn = ({ round, stage }) => ends[stage] ?? (third && round === rounds - 1 ? 4 : 2 ** (rounds - round) + 1);
  const rows = state.order.map((team, drawn) => {
    const row = rowOf(state, team);
    const last = state.matches.findLast((each) => state.known(each).includes(team));
    const found = state.decided.get(last.number);
    const next = lostIn(last) - Number(found?.winner === team && last.stage !== 'round');
    if (found && row.status !== 'disqualified') row.place = next;
    return { ...row, drawn, next, open: !found, bronze: last.stage === 'third place' };
  });
  return sorted(rows, (row) => [row.status === 'disqualified', row.next, !row.open, row.bronze, row.drawn].map(Number));
}

const sorted = (rows, key) => rows.toSorted((a, b) => byAll(key(a), key(b)));

function robin(state) {
  const rows = state.order.map((team, drawn) => ({ ...rowOf(state, team), drawn }));
  const here = ranked(state, rows.filter(({ team }) => !state.left.has(team)));
  for (const [i, row] of here.entries()) row.place = i + 1;
  return [...here, ...ranked(state, rows.filter(({ team }) => state.left.has(team)))];
}

function ranked(state, rows) {
  const beaten = (row, other) =>
    [...state.decided.values()].some(({ winner, losers }) => winner === row.team && losers.includes(other.team));
  const against = (row) => rows.filter((other) => other.won === row.won && beaten(row, other)).length;
  return sorted(rows, (row) => [-row.won, -against(row), row.others - row.own, row.drawn]);
}
