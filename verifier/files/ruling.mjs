/**
 * Specs 5.8: what follows from a ruling that stops a hand.
 * @module
 */
import { equal, fail } from '../suite/bytes.mjs';
import { goesOn } from './change.mjs';

export const REDEAL = 1;
export const PENALTY = 2;
export const END = 3;
const [DISQUALIFIED, WALK_OVER] = [4, 5];
const MOST_HANDS = 1_000_000_000; // of a thousand rulings

/** Fails unless a ruling is about a ledger as it stands. @param {object} said @param {import('./ledger.mjs').Ledger} ledger */
export function checkPoint(said, ledger) {
  const [number, closed, head] = said.fields;
  const here = ledger.lane === 2 && number === ledger.number && closed === ledger.round && equal(head, ledger.head);
  if (!here || ledger.accepted.length) fail('ruling.point');
}

/** The match that goes on, or is won; null if a side has lost it. @param {object} said
 * @param {import('./hand.mjs').HandLedger} ledger @param {import('../rules/games.mjs').Game} game */
export function consequence(said, ledger, game) {
  const possible = (holds) => holds || fail('ruling.verdict');
  const [number, , , verdict] = said.fields;
  possible(number < MOST_HANDS);
  const bits = said.raw[4];
  const sides = [...bits.toString(2)].reverse().flatMap((bit, side) => (bit === '1' ? [side] : []));
  possible(sides.every((side) => side < ledger.scores.length));
  if (verdict === DISQUALIFIED || verdict === WALK_OVER) {
    possible(sides.length === 1 || (verdict === WALK_OVER && sides.length));
    return null;
  }
  possible(verdict !== 0 && sides.length === (verdict === PENALTY ? 1 : 0));
  const match = game.match(new Uint8Array(32));
  possible(match.scores.length === ledger.scores.length);
  match.resume(ledger.leading, ledger.scores.map(Number));
  possible(goesOn(match));
  if (verdict === REDEAL) return match;
  if (ledger.over) match.hand(ledger.price, ledger.hand.void);
  possible(match.winner === null);
  if (verdict === PENALTY) {
    possible(match.penalty);
    match.penalty(sides[0], !ledger.over);
  }
  return match;
}

/** Whether no referee may have signed both. @param {object} one @param {object} other */
export function contradict(one, other) {
  if (equal(one.id, other.id)) return false;
  const [[hand, closed, , verdict], [number, rounds, , second]] = [one.fields, other.fields];
  const million = (each) => Math.floor(each / 1_000_000);
  if (hand === number && closed === rounds) return true;
  return verdict !== 0 && second !== 0 && million(hand) === million(number);
}
