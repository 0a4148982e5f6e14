/**
 * Rules 11.3, no. 9 to 11: what the cards of an opponent, which are not gone through, can have been.
 * @module
 */
import { added, counts, hasAbove, possible, suitAt } from './layouts.mjs';

/** Sets of suits. */
const SETS = Array.from({ length: 16 }, (_, set) => [0, 1, 2, 3].filter((suit) => set & (1 << suit)));
const sumOf = (numbers, set) => SETS[set].reduce((sum, suit) => sum + numbers[suit], 0);

/** That an opponent held more cards of a suit than were led in it: it followed. @param {number} suit @param {number[]} led */
export const followed = (suit, led) => ({ least: suit, led });

/** Whether some set of suits, a suit among them, was held in no more cards than were led in it. */
const spent = (held, led, suit, allowed) =>
  SETS.some((_, set) => set & (1 << suit) && (set & allowed) === set && sumOf(held, set) <= sumOf(led, set));

/**
 * That an opponent had none left of a suit when so many were led. A maker's indicator that it took up later
 * was not in its hand then.
 * @param {object} state @param {number} holder @param {number} suit @param {number[]} led
 */
export function outOf(state, holder, suit, led) {
  const known = counts(state.known[holder]);
  return (held) => spent(held.map((n, each) => n + known[each]), led, suit, 15);
}

// The tests that what was supposed of an opponent makes.
function supposed(state, holder) {
  if (!state.kept[holder].length) return [];
  const known = counts(state.known[holder]);
  return state.kept[holder].map((each) =>
    each.out === undefined
      ? (held) => held[each.least] + known[each.least] > each.led[each.least]
      : (held) => spent(held.map((n, suit) => n + known[suit]), each.led, each.out, 15),
  );
}

/**
 * Whether there is a layout, in which perhaps a hand is such besides.
 * @param {object} state @param {Record<number, ((held: number[]) => boolean)[]>} [wanted] tests by holder
 */
export function room(state, wanted = {}) {
  let others = state.rest;
  const asked = [];
  for (let holder = 1; holder < state.rooms.length; holder++) {
    const tests = holder % 2 ? supposed(state, holder) : [];
    if (wanted[holder]) tests.push(...wanted[holder]);
    if (tests.length) asked.push({ rooms: state.rooms[holder], tests });
    else others = added(others, state.rooms[holder]);
  }
  return possible(state.unseen, others, asked);
}

/**
 * The ways in which a hand, whose cards are not imagined, can have beaten the best card of a trick: tests of
 * its unknown cards by suit. Each takes the suits that it must not have given away.
 * @param {number} trump @param {object} state @param {number} holder @param {number[]} numbers cards led by suit
 * @param {number} led the suit @param {number} best
 */
export function waysToBeat(trump, state, holder, numbers, led, best) {
  const known = counts(state.known[holder]);
  const cut = suitAt(best) === trump; // the best card is a trump
  const overKnown = hasAbove(state.known[holder], best);
  const overUnseen = hasAbove(state.unseen, best);
  const has = (held, suit) => held[suit] + known[suit] > numbers[suit];
  const over = (held, suit) => overKnown || (overUnseen && held[suit] > 0);
  const table = state.table?.holder === holder ? state.table : null;
  const taken = state.taken?.holder === holder && numbers[trump] === state.taken.led ? state.taken : null;
  const spare = table ?? taken; // an indicator that is there however many trumps were led
  const spareOver = spare && (!cut || (spare.place >= 0 ? suitAt(spare.place) === suitAt(best) && spare.place < best : overUnseen));
  const last = state.left === 1;
  const all = (held) => held.map((n, suit) => n + known[suit]);
  const ways = [];
  if (led === suitAt(best) && !(table && last)) {
    ways.push({ suit: led, test: (held) => has(held, led) && over(held, led) });
  }
  if (led === trump) {
    if (spareOver && (taken || last)) ways.push({ suit: led, test: () => true });
    return ways;
  }
  if (!table) {
    const test = (held, keeps = 0) =>
      has(held, trump) && (!cut || over(held, trump)) && spent(all(held), numbers, led, 15 & ~(1 << trump) & ~keeps);
    ways.push({ suit: trump, test });
  }
  if (spareOver) {
    const hand = (held) => all(held).map((n, suit) => (taken && suit === trump ? n - 1 : n));
    ways.push({ suit: trump, test: (held, keeps = 0) => spent(hand(held), numbers, led, 15 & ~keeps) });
  }
  return ways;
}

/**
 * Whether an opponent whose card is not imagined can have beaten the best card of a trick.
 * @param {number} trump @param {object} state @param {number} holder @param {number} led the suit @param {number} best
 */
export const beaten = (trump, state, holder, led, best) =>
  waysToBeat(trump, state, holder, state.led[holder], led, best).some(({ test }) =>
    room(state, { [holder]: [(held) => test(held)] }),
  );
