/**
 * How hands and other ledgers are called by people, also after a referee's ruling.
 * @module
 */
import { filled } from './dom.mjs';

/** By its place, from 1, since the newest ruling that stopped a hand. @param {number} number from 0 @param {{after_rulings: string[]}} words */
export function called(number, words) {
  const rulings = Math.floor(number / 1_000_000);
  return filled(words.after_rulings[Math.min(rulings, 2)], (number % 1_000_000) + 1, rulings);
}
