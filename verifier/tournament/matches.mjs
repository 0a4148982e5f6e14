/**
 * Tournament 1 to 8: systems, the draw, the matches of a bracket and of a round robin, what facts decide of them, and who
 * stands where.
 * @module
 */
import { checkName } from '../messages/charter.mjs';
import { big, fail, unhex } from '../suite/bytes.mjs';
import { sortedBy, twice } from '../suite/lists.mjs';

/** A match. Its sides are teams, `['winner', number]` or `['loser', number]` of an earlier one, or null if nobody comes.
 * @typedef {{number: number, round: number, stage: string, race: number, sides: any[], outcome?: Outcome | null}} Match
 * @typedef {{how: string, winner: number | null, losers: number[], scores?: number[]}} Outcome */

/** Whether it is a name (1.2). @param {string} name */
export const isName = (name) => checkName(name, 64) && !name.includes('"');

/** Whether these entries, teams and players, can meet (1.1, 1.3, 1.4). @param {number} seats @param {string[][]} entries */
export function canMeet(seats, entries) {
  const sized = entries.length >= 2 && entries.length <= 32 && entries.every((each) => each.length === 1 + seats / 2);
  return sized && !twice(entries.map(([team]) => team)) && !twice(entries.flatMap(([, ...players]) => players));
}

const wrong = () => fail('tournament.rule');

const RACE = '[1-9][0-9]?';
const UNIT = '(?:tokens|hands|matches)';
const ROBIN = `round-robin ${UNIT} race (${RACE})`;
const SYSTEM = new RegExp(`^(?:${ROBIN}|elimination ${UNIT} races ((?:${RACE} ){1,5})third (${RACE}|none))$`);

/** The system that a line of 9.2 tells, with its different races, ascending. @param {string} line @param {string} [check] */
export function systemOf(line, check = 'tournament.rule') {
  const [, race, said, last] = SYSTEM.exec(line) ?? fail(check);
  const races = (race ?? said.trim()).split(' ').map(Number);
  if (races.length > 1 && races.at(-1) === races.at(-2)) fail(check);
  const third = Number(last) || null;
  const lengths = [...new Set(third ? [...races, third] : races)].sort((a, b) => a - b);
  const schedule = (order) => (race ? robin(races[0], order) : elimination(races, third, order));
  return { robin: race !== undefined, lengths, schedule };
}

function elimination(races, third, order) {
  const rounds = Math.ceil(Math.log2(order.length));
  let bracket = [1];
  while (bracket.length < 2 ** rounds) {
    const many = 2 * bracket.length + 1;
    bracket = bracket.flatMap((seed, at) => (at % 2 ? [many - seed, seed] : [seed, many - seed]));
  }
  const matches = [];
  const add = (round, stage, race, sides) => matches.push({ number: matches.length + 1, round, stage, race, sides });
  let places = bracket.map((seed) => order[seed - 1] ?? null);
  for (let round = 1; round <= rounds; round++) {
    const final = round === rounds;
    if (final && third && order.length >= 4) {
      add(round, 'third place', third, places.map(([, number]) => ['loser', number]));
    }
    const race = races[Math.min(rounds - round, races.length - 1)];
    const pairs = places.flatMap((side, at) => (at % 2 ? [] : [[side, places[at + 1]]]));
    places = pairs.map((sides) => {
      return sides.includes(null) ? (sides[0] ?? sides[1]) : ['winner', add(round, final ? 'final' : 'round', race, sides)];
    });
  }
  return matches;
}

function robin(race, order) {
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
      if (!sides.includes(undefined)) matches.push({ number: matches.length + 1, round, stage: 'round', race, sides });
    }
  }
  return matches;
}

/** The numbers of the entries as they are drawn. @param {number} entries @param {Uint8Array} luck */
export function draw(entries, luck) {
  if (entries < 2 || entries > 32 || luck.length < 32 || luck.length > 1024) wrong();
  const whole = 1n << BigInt(8 * luck.length);
  const left = Array.from({ length: entries }, (_, i) => i + 1);
  const orders = left.reduce((product, i) => product * BigInt(i), 1n);
  let x = big(luck);
  if (x >= whole - (whole % orders)) wrong();
  const order = [];
  while (left.length) {
    const many = BigInt(left.length);
    order.push(...left.splice(Number(x % many), 1));
    x /= many;
  }
  return order;
}

// --- what facts decide (6, 7) --------------------------------------------------------------------

/** Whether it says that a team has left. @param {string} how */
export const departs = (how) => how === 'withdrawn' || how === 'disqualified';

/** Whether a match can end so (6.3). @param {number} race @param {number[]} scores */
export const wins = (race, scores) => Math.max(...scores) === race && Math.min(...scores) < race;

/** Whether it is a team. @param {any} side */
export const isTeam = (side) => typeof side === 'number';

/** The matches with sides and outcomes that follow from facts, and who has left: rows of match, how it was decided, and
 * scores or teams. @param {object} terms @param {Match[]} schedule @param {any[][]} facts */
export function playOut(terms, schedule, facts) {
  const told = new Map();
  const left = new Map();
  for (const [number, how, ...said] of facts) {
    const [into, key] = departs(how) ? [left, said[0]] : [told, number];
    if (!schedule[number - 1] || into.has(key) || (departs(how) && said.length !== 1)) wrong();
    into.set(key, { number, how, said });
  }
  const matches = [];
  for (const match of schedule) {
    const sides = match.sides.map((side) => resolved(side, matches));
    matches.push({ ...match, sides, outcome: outcomeOf(match, sides, told.get(match.number), left) });
  }
  for (const [team, { number }] of left) {
    const mine = matches.filter((each) => each.sides.includes(team) && !told.has(each.number));
    const may = terms.robin ? mine.slice(0, 1) : mine; // 7.5
    if (!may.some((each) => each.number === number)) wrong();
  }
  return { matches, left };
}

function resolved(side, matches) {
  const outcome = Array.isArray(side) ? matches[side[1] - 1].outcome : null;
  if (!outcome) return side;
  if (side[0] === 'winner') return outcome.winner;
  return outcome.losers.length === 1 ? outcome.losers[0] : null;
}

// By its fact, else because a side is empty or has left.
function outcomeOf({ number, race }, sides, fact, left) {
  if (fact && !sides.every(isTeam)) wrong();
  if (fact?.how === 'played') {
    if (!wins(race, fact.said)) wrong();
    const [winner, loser] = fact.said[0] > fact.said[1] ? sides : sides.toReversed();
    return { how: 'played', winner, losers: [loser], scores: fact.said };
  }
  const losers = sides.filter((team) => (fact ? fact.said.includes(team) : left.get(team)?.number <= number));
  if (fact && (!losers.length || losers.join() !== fact.said.join())) wrong();
  if (!fact && (sides.some(Array.isArray) || (!losers.length && !sides.includes(null)))) return null;
  const how = fact?.how ?? left.get(losers[0])?.how ?? 'uncontested';
  return { how, winner: sides.find((team) => isTeam(team) && !losers.includes(team)) ?? null, losers };
}

// --- who stands where (8) ------------------------------------------------------------------------

/** @param {{seats: number, system: string, entries: string[][], luck: string, facts: any[][]}} given the facts with their
 * match, how it was decided, and scores or teams */
export function toldOf({ seats, system, entries, luck, facts }) {
  const terms = systemOf(system);
  const right = [4, 6, 8].includes(seats) && canMeet(seats, entries) && entries.flat().every(isName);
  if (!right || (!luck && facts.length)) wrong();
  if (!luck) {
    const standing = entries.map((_, i) => [i + 1, 'in', null, 0, 0, 0, 0]);
    return { matches: [], byes: [], standing, champion: null };
  }
  const order = draw(entries.length, unhex(luck));
  const { matches, left } = playOut(terms, terms.schedule(order), facts);
  const rows = order.map((team) => rowOf(team, matches, left));
  const standing = (terms.robin ? robinRows : eliminationRows)(rows, matches);
  return {
    matches: matches.map(({ number, round, stage, race, sides, outcome }) => [
      number, round, stage, race, sides, outcome?.how ?? null, outcome?.winner ?? null, outcome?.losers ?? [],
    ]),
    byes: order.filter((team) => !matches.some(({ round, sides }) => round === 1 && sides.includes(team))),
    standing: standing.map((row) => [row.team, row.status, row.place, row.played, row.won, row.own, row.others]),
    champion: standing[0].place === 1 && matches.every(({ outcome }) => outcome) ? standing[0].team : null,
  };
}

// A row without a place.
function rowOf(team, matches, left) {
  const mine = matches.filter(({ sides }) => sides.includes(team));
  const decided = mine.filter(({ outcome }) => outcome && outcome.how !== 'uncontested');
  const scores = decided.map(({ sides, outcome }) => {
    const told = outcome.scores ?? [0, 0];
    return sides[0] === team ? told : told.toReversed();
  });
  const [own, others] = [0, 1].map((at) => scores.reduce((sum, each) => sum + each[at], 0));
  const won = decided.filter(({ outcome }) => outcome.winner === team).length;
  const status = left.get(team)?.how ?? (mine.every(({ outcome }) => outcome) ? 'done' : 'in');
  return { team, status, place: null, played: decided.length, won, own, others, last: mine.at(-1) };
}

function eliminationRows(rows, matches) {
  const ends = { final: 2, 'third place': 4 };
  const rounds = matches.at(-1).round;
  const third = matches.some(({ stage }) => stage === 'third place');
  for (const row of rows) {
    const { outcome, round, stage } = row.last;
    const lost = ends[stage] ?? (third && round === rounds - 1 ? 4 : 2 ** (rounds - round) + 1);
    row.next = lost - Number(outcome?.winner === row.team && stage in ends); // the place if it loses its next match
    row.barred = row.status === 'disqualified';
    if (outcome && !row.barred) row.place = row.next;
  }
  return sortedBy(rows, ({ barred, next, last }) => [barred, next, Boolean(last.outcome), last.stage === 'third place']);
}

function robinRows(rows, matches) {
  const gone = ({ status }) => departs(status);
  const against = (row) => {
    const level = rows.filter((each) => each.won === row.won && gone(each) === gone(row)).map(({ team }) => team);
    const mine = matches.filter(({ outcome }) => outcome?.winner === row.team);
    return mine.filter(({ sides }) => sides.every((team) => level.includes(team))).length;
  };
  const ranked = sortedBy(rows, (row) => [gone(row), -row.won, -against(row), row.others - row.own]);
  return ranked.map((row, i) => ({ ...row, place: gone(row) ? null : i + 1 }));
}
