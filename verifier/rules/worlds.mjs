/**
 * Rules 11.3, no. 5 and 6: the worlds that a seat cannot exclude, by trump and by what statements leave open.
 * @module
 */
import { NONE, added, placeOf, plus, possible, suitNumber } from './layouts.mjs';

/**
 * Holders are counted from the seat that is asked about, 0, to the right: its partners are even, its opponents odd.
 * @typedef {object} World
 * @property {number} trump its suit
 * @property {import('./layouts.mjs').Cards} unseen the cards that may lie in unknown slots
 * @property {import('./layouts.mjs').Cards[]} known by holder the known cards in hand
 * @property {number[][]} rooms by holder the unknown cards in hand
 * @property {number[]} rest rooms of unknown cards elsewhere, the indicator on the table among them
 * @property {import('./layouts.mjs').Cards} own the seat's hand
 * @property {{holder: number, place: number} | null} table the indicator on the table: whose, which card (-1 unknown)
 * @property {{holder: number, place: number, suits: number, down: boolean, indicator: boolean}[]} plays of the open trick
 */

/** Facts by which alternative of each AnyOf is supposed. */
function alternatives(facts) {
  let found = [[]];
  for (const fact of facts) {
    const ways = fact.any ?? [fact];
    found = found.flatMap((each) => ways.map((way) => [...each, way]));
  }
  return found;
}

/** @param {object} information @returns {World[]} */
export function worldsOf(information) {
  const { trump } = information;
  const suits = trump === null ? [0, 1, 2, 3] : [suitNumber(trump)];
  const seen = new Set();
  return alternatives(information.facts).flatMap((facts) =>
    suits.flatMap((suit) => {
      const world = worldOf(information, facts, suit);
      const name = JSON.stringify(world);
      if (!world || seen.has(name)) return [];
      seen.add(name);
      return [world];
    }),
  );
}

function worldOf(information, facts, trump) {
  const { seat, maker, hands, faces, indicator, hidden, plays, unseen } = information;
  const table = indicator !== null && !plays.some(([, slot]) => slot === indicator);
  const suitsOf = (slot) => {
    let suits = slot === indicator ? 1 << trump : 15;
    for (const { none, all, differ, other, suit } of facts) {
      if (none?.includes(slot)) suits &= ~(1 << suitNumber(suit));
      if (all?.includes(slot)) suits &= 1 << suitNumber(suit);
      if (differ?.includes(slot)) suits &= ~(1 << (faces[other] ? suitNumber(faces[other][1]) : trump));
      if (differ && other === slot) {
        for (const each of differ) if (faces[each]) suits &= ~(1 << suitNumber(faces[each][1]));
      }
    }
    return suits;
  };
  if (indicator !== null && faces[indicator] && suitNumber(faces[indicator][1]) !== trump) return null;
  for (const slot of Object.keys(faces).map(Number)) {
    if (!(suitsOf(slot) & (1 << suitNumber(faces[slot][1])))) return null;
  }
  const seats = hands.length;
  const world = {
    trump,
    unseen: unseen.map(placeOf).reduce(plus, NONE),
    known: hands.map(() => NONE),
    rooms: hands.map(() => new Array(16).fill(0)),
    rest: new Array(16).fill(0),
    own: NONE,
    table: null,
    plays: [],
  };
  const holderOf = (each) => (each - seat + seats) % seats;
  let void_ = false;
  const lay = (rooms, slot) => {
    const suits = suitsOf(slot);
    if (!suits) void_ = true;
    rooms[suits] += 1;
  };
  hands.forEach((slots, each) => {
    const holder = holderOf(each);
    for (const slot of slots) {
      if (holder === 0) world.own = plus(world.own, placeOf(faces[slot]));
      else if (faces[slot]) world.known[holder] = plus(world.known[holder], placeOf(faces[slot]));
      else lay(world.rooms[holder], slot);
    }
  });
  if (table) {
    const face = faces[indicator];
    world.table = { holder: holderOf(maker), place: face ? placeOf(face) : -1 };
    if (!face) lay(world.rest, indicator);
  }
  for (const slot of hidden) lay(world.rest, slot);
  const loose = new Array(16).fill(0);
  world.plays = plays.map(([each, slot, down]) => {
    const face = faces[slot];
    if (!face) lay(loose, slot);
    return {
      holder: holderOf(each), place: face ? placeOf(face) : -1, suits: suitsOf(slot), down,
      indicator: slot === indicator,
    };
  });
  if (void_) return null;
  const all = [world.rest, loose, ...world.rooms].reduce(added);
  return possible(world.unseen, all, []) ? world : null;
}
