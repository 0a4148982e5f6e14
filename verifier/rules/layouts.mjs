/**
 * Rules 11.3: which layouts of unseen cards there can be. Cards are bits, eight to a suit, the highest
 * of a suit its lowest bit; hands hold unknown cards in rooms, counted by the suits that they may be of.
 * @module
 */
import { PLACE, SUITS } from './pack.mjs';

/** @param {string} card */
export const bit = (card) => PLACE[card];
/** @param {number} place */
export const suitAt = (place) => place >> 3;
/** @param {string} suit */
export const suitNumber = (suit) => SUITS.indexOf(suit);

const POPCOUNT = Uint8Array.from({ length: 256 }, (_, n) => n.toString(2).replaceAll('0', '').length);
/** @param {number} cards @param {number} suit */
export const inSuit = (cards, suit) => (cards >>> (8 * suit)) & 255;
/** @param {number} cards */
export const counts = (cards) => [0, 1, 2, 3].map((suit) => POPCOUNT[inSuit(cards, suit)]);
/** @param {number} cards */
export const size = (cards) => counts(cards).reduce((sum, each) => sum + each, 0);
/** The cards of the suit of a place that are higher. @param {number} place */
export const higher = (place) => (((1 << (place & 7)) - 1) << (8 * suitAt(place))) >>> 0;

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

const sum = (a, b) => a.map((each, i) => each + b[i]);

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
 * Whether there is a layout in which the two opponents' hands are such.
 * @param {number} unseen the unseen cards
 * @param {number[]} others all rooms but the opponents'
 * @param {number[][]} rooms the opponents'
 * @param {(((held: number[]) => boolean)[])[]} wanted of each opponent: what its unknown cards, by suit, must be
 */
export function possible(unseen, others, rooms, wanted) {
  const cards = counts(unseen);
  const [first, second] = wanted;
  const right = (tests, held) => tests.every((test) => test(held));
  if (!first.length && !second.length) return fits(cards, sum(sum(others, rooms[0]), rooms[1]));
  if (!first.length || !second.length) {
    const at = first.length ? 0 : 1;
    const rest = sum(others, rooms[1 - at]);
    for (const held of shares(rooms[at], cards)) {
      if (!right(wanted[at], held)) continue;
      if (fits([cards[0] - held[0], cards[1] - held[1], cards[2] - held[2], cards[3] - held[3]], rest)) return true;
    }
    return false;
  }
  for (const held of shares(rooms[0], cards)) {
    if (!right(first, held)) continue;
    const left = cards.map((each, i) => each - held[i]);
    for (const also of shares(rooms[1], left)) {
      if (right(second, also) && fits(left.map((each, i) => each - also[i]), others)) return true;
    }
  }
  return false;
}
