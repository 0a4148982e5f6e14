/**
 * Tournament 8: who stands where, and what is told of a tournament.
 * @module
 */
import { fail, unhex } from '../suite/bytes.mjs';
import { byAll, draw, matchesOf, systemOf } from './matches.mjs';
import { isName, twice } from './pieces.mjs';

/** @param {{seats: number, system: string, entries: string[][], luck: string, facts: any[][]}} given the facts with their
 * match, how it was decided, and scores or teams */
export function toldOf({ seats, system, entries, luck, facts }) {
  const terms = systemOf(system);
  const sized = entries.length >= 2 && entries.length <= 32 && entries.every((each) => each.length === 1 + seats / 2);
  const unique = !twice(entries.map(([team]) => team)) && !twice(entries.flatMap(([, ...players]) => players));
  const right = [4, 6, 8].includes(seats) && sized && unique && entries.flat().every(isName);
  if (!right || (!luck && facts.length)) fail('tournament.rule');
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
