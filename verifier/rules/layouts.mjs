/**
 * Rules 11.3: which layouts of unseen cards there can be. A set of cards is four numbers, one for each suit, the
 * highest rank its lowest bit; hands hold unknown cards in rooms, counted by the suits that they may be of.
 * @module
 */
import { RANKS, SUITS } from './pack.mjs';

/** @typedef {number[]} Cards */

/** The place of a card: 16 places a suit. @param {string} card */
export const placeOf = (card) => 16 * SUITS.indexOf(card[1]) + RANKS.indexOf(card[0]);
/** @param {number} place */
export const suitAt = (place) => place >> 4;
/** @param {string} suit */
export const suitNumber = (suit) => SUITS.indexOf(suit);

/** @type {Cards} */
export const NONE = [0, 0, 0, 0];
/** @param {Cards} cards @param {number} place */
export const has = (cards, place) => ((cards[place >> 4] >> (place & 15)) & 1) === 1;
/** @param {Cards} cards @param {number} place @returns {Cards} */
export const plus = (cards, place) => cards.with(place >> 4, cards[place >> 4] | (1 << (place & 15)));
/** @param {Cards} cards @param {number} place @returns {Cards} */
export const minus = (cards, place) => cards.with(place >> 4, cards[place >> 4] & ~(1 << (place & 15)));
/** Whether there is a card that is higher, of the same suit. @param {Cards} cards @param {number} place */
export const hasAbove = (cards, place) => (cards[place >> 4] & ((1 << (place & 15)) - 1)) !== 0;
/** @param {Cards} cards */
export const isEmpty = (cards) => !(cards[0] | cards[1] | cards[2] | cards[3]);

const POPCOUNT = Uint8Array.from({ length: 1 << RANKS.length }, (_, n) => n.toString(2).replaceAll('0', '').length);
/** @param {Cards} cards */
export const counts = (cards) => cards.map((suit) => POPCOUNT[suit]);

/** @param {number[]} rooms */
export const total = (rooms) => rooms.reduce((sum, each) => sum + each, 0);

/** The rooms without a suit; null if one is left with none. @param {number[]} rooms @param {number} suits */
export function without(rooms, suits) {
  const out = new Array(16).fill(0);
  for (let mask = 1; mask < 16; mask++) {
    if (!rooms[mask]) continue;
    const left = mask & ~suits;
    if (!left) return null;
    out[left] += rooms[mask];
  }
  return out;
}

/** Sets of suits, and of each the masks of rooms that may hold one of its suits. */
const SETS = Array.from({ length: 15 }, (_, i) => i + 1);
const MEMBERS = SETS.map((set) => [0, 1, 2, 3].filter((suit) => set & (1 << suit)));
const MASKS = SETS.map((set) => SETS.filter((mask) => mask & set));

/** Hall's condition: whether cards, by suit, fit into as many rooms. */
function fits(cards, rooms) {
  for (let i = 0; i < 15; i++) {
    let need = 0;
    for (const suit of MEMBERS[i]) need += cards[suit];
    if (need === 0) continue;
    for (const mask of MASKS[i]) {
      need -= rooms[mask];
      if (need <= 0) break;
    }
    if (need > 0) return false;
  }
  return true;
}

/** @param {number[]} a @param {number[]} b */
export function added(a, b) {
  const out = a.slice();
  for (let i = 0; i < out.length; i++) out[i] += b[i];
  return out;
}

/** Each way in which the rooms of a hand can hold cards of the suits, of those that there are. */
function* shares(rooms, cards) {
  const most = total(rooms);
  const left = [0, 0, 0, 0];
  for (left[0] = Math.min(most, cards[0]); left[0] >= 0; left[0]--) {
    for (left[1] = Math.min(most - left[0], cards[1]); left[1] >= 0; left[1]--) {
      for (left[2] = Math.min(most - left[0] - left[1], cards[2]); left[2] >= 0; left[2]--) {
        left[3] = most - left[0] - left[1] - left[2];
        if (left[3] <= cards[3] && fits(left, rooms)) yield left;
      }
    }
  }
}

/**
 * Whether there is a layout in which some hands are such.
 * @param {Cards} unseen the unseen cards
 * @param {number[]} others the rooms of which nothing is asked
 * @param {{rooms: number[], tests: ((held: number[]) => boolean)[]}[]} asked hands, and what their unknown cards, by
 *   suit, must be
 */
export function possible(unseen, others, asked) {
  const lay = (left, at) => {
    if (at === asked.length) return fits(left, others);
    const { rooms, tests } = asked[at];
    for (const held of shares(rooms, left)) {
      if (!tests.every((test) => test(held))) continue;
      if (lay(left.map((each, suit) => each - held[suit]), at + 1)) return true;
    }
    return false;
  };
  return lay(counts(unseen), 0);
}
