/**
 * Tournament 4 to 7: the matches of a bracket and of a round robin, and what facts decide of them.
 * @module
 */
import { fail } from '../suite/bytes.mjs';

/**
 * @typedef {object} Match
 * @property {number} number
 * @property {number} round
 * @property {string} stage round, third place or final
 * @property {number} race
 * @property {(number | [string, number])[]} sides teams, or winner and loser of a match
 */

const wrong = () => fail('tournament.rule');

/** Matches, the facts about them, and what follows. */
export class State {
  /** @param {object} terms @param {number[]} order teams as they were drawn @param {Match[]} matches @param {number[]} byes */
  constructor(terms, order, matches, byes) {
    Object.assign(this, { terms, order, matches, byes });
    this.facts = new Map();
    this.left = new Map(); // team: {match, reason}
    this.lost = new Map(); // round robin: what departures decided
    this.decided = new Map();
    this.resolve();
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

  resolve() {
    this.decided = new Map();
    for (const match of this.matches) {
      const sides = this.known(match);
      const found = this.byFact(match, sides) ?? this.lost.get(match.number) ?? this.alone(match, sides);
      if (found) this.decided.set(match.number, this.terms.vanish && sides.some((team) => this.left.has(team)) ? VOID : found);
    }
  }

  byFact({ number }, sides) {
    const fact = this.facts.get(number);
    if (fact?.scores) {
      const at = fact.scores[0] > fact.scores[1] ? 0 : 1;
      return { how: 'played', winner: sides[at], losers: [sides[1 - at]], scores: fact.scores };
    }
    if (!fact?.absent) return null;
    const there = sides.filter((team) => !fact.absent.includes(team));
    return { how: 'walk-over', winner: there[0] ?? null, losers: fact.absent };
  }

  // Elimination: a side that is empty or has left.
  alone({ number }, sides) {
    if (this.terms.robin || sides.includes(null)) return null;
    const gone = sides.filter((team) => team !== 'empty' && this.left.get(team)?.match <= number);
    const there = sides.filter((team) => team !== 'empty' && !gone.includes(team));
    if (there.length === 2) return null;
    const how = gone.length ? this.left.get(gone[0]).reason : 'uncontested';
    return { how, winner: there[0] ?? null, losers: gone };
  }

  /** @param {object} fact */
  record(fact) {
    const match = this.matches[fact.number - 1] ?? wrong();
    if (this.facts.has(fact.number)) wrong();
    const sides = this.known(match);
    if (fact.departure) this.departs(fact);
    else {
      if (this.decided.has(fact.number) || sides.some((side) => typeof side !== 'number')) wrong();
      if (fact.scores) {
        const [low, high] = [Math.min(...fact.scores), Math.max(...fact.scores)];
        if (high !== match.race || low >= high) wrong();
      } else {
        const places = fact.absent.map((team) => sides.indexOf(team));
        if (places.includes(-1) || (places.length === 2 && places[0] >= places[1])) wrong();
      }
    }
    this.facts.set(fact.number, fact);
    this.resolve();
  }

  // A departure of an elimination may have been recorded before its match was decided without play (7.5, 7.8).
  departs(fact) {
    const { number, team, reason } = fact;
    const open = this.open(team);
    const mine = this.known(this.matches[number - 1]).includes(team);
    if (this.left.has(team) || !mine || (this.terms.robin && open[0]?.number !== number)) wrong();
    this.left.set(team, { match: number, reason });
    if (!this.terms.robin) return;
    for (const each of open) {
      const [winner] = this.known(each).filter((other) => other !== team);
      this.lost.set(each.number, { how: reason, winner, losers: [team] });
    }
  }

  /** The matches of a team that are not decided. @param {number} team */
  open(team) {
    return this.matches.filter((each) => !this.decided.has(each.number) && this.known(each).includes(team));
  }
}

const VOID = { how: 'void', winner: null, losers: [] };

/** @param {object} terms @param {number[]} order */
export function eliminationOf(terms, order) {
  const rounds = Math.ceil(Math.log2(order.length));
  let bracket = [1];
  while (bracket.length < 2 ** rounds) {
    const many = 2 * bracket.length + 1;
    bracket = bracket.flatMap((seed, at) => (at % 2 ? [many - seed, seed] : [seed, many - seed]));
  }
  let places = bracket.map((seed) => order[seed - 1] ?? null);
  const matches = [];
  const byes = order.filter((_, i) => i < 2 ** rounds - order.length);
  for (let round = 1; round <= rounds; round++) {
    const final = round === rounds;
    if (final && terms.third !== null && order.length >= 4) {
      const sides = places.map((side) => ['loser', side[1]]);
      matches.push({ number: matches.length + 1, round, stage: 'third place', race: terms.third, sides });
    }
    const next = [];
    for (let at = 0; at < places.length; at += 2) {
      const sides = places.slice(at, at + 2);
      if (sides.includes(null)) {
        next.push(sides.find((side) => side !== null));
        continue;
      }
      const number = matches.length + 1;
      const race = terms.races[Math.min(rounds - round, terms.races.length - 1)];
      matches.push({ number, round, stage: final ? 'final' : 'round', race, sides });
      next.push(['winner', number]);
    }
    places = next;
  }
  return new State(terms, order, matches, byes);
}

/** @param {object} terms @param {number[]} order */
export function roundRobinOf(terms, order) {
  const many = order.length + (order.length % 2);
  const matches = [];
  const byes = [];
  for (let round = 1; round < many; round++) {
    const turn = (((round - 1) * many) / 2) % (many - 1);
    const pairs = [round % 2 ? [turn + 1, many] : [many, turn + 1]];
    for (let k = 1; k < many / 2; k++) {
      pairs.push([((turn + k) % (many - 1)) + 1, ((turn - k + many - 1) % (many - 1)) + 1]);
    }
    for (const pair of pairs) {
      const sides = pair.map((number) => order[number - 1]);
      if (sides.includes(undefined)) {
        if (round === 1) byes.push(sides.find((side) => side !== undefined));
      } else matches.push({ number: matches.length + 1, round, stage: 'round', race: terms.race, sides });
    }
  }
  return new State(terms, order, matches, byes);
}
