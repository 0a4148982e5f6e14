/**
 * Rules 11.3, no. 5 and 6: the worlds that a seat cannot exclude, by trump and by what statements leave open.
 * @module
 */
import { bit, possible, suitNumber } from './layouts.mjs';

/**
 * @typedef {object} World
 * @property {number} trump its suit
 * @property {number} unseen bits of the cards that may lie in unknown slots
 * @property {number[]} known bits of the known cards in hand: of the partner, the next opponent, the one before
 * @property {number[][]} rooms unknown cards in hand, likewise
 * @property {number[]} rest rooms of unknown cards elsewhere, the indicator on the table among them
 * @property {number} own bits of the seat's hand
 * @property {{holder: number, place: number} | null} table the indicator on the table: whose (-1 the seat's), which card (-1 unknown)
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
  const world = {
    trump,
    unseen: unseen.reduce((bits, card) => (bits | (1 << bit(card))) >>> 0, 0),
    known: [0, 0, 0],
    rooms: [0, 1, 2].map(() => new Array(16).fill(0)),
    rest: new Array(16).fill(0),
    own: 0,
    table: null,
    plays: [],
  };
  const holderOf = (each) => [-1, 1, 0, 2][(each - seat + 4) % 4];
  let void_ = false;
  const lay = (rooms, slot) => {
    const suits = suitsOf(slot);
    if (!suits) void_ = true;
    rooms[suits] += 1;
  };
  hands.forEach((slots, each) => {
    const holder = holderOf(each);
    for (const slot of slots) {
      const card = faces[slot] && 1 << bit(faces[slot]);
      if (holder < 0) world.own = (world.own | card) >>> 0;
      else if (faces[slot]) world.known[holder] = (world.known[holder] | card) >>> 0;
      else lay(world.rooms[holder], slot);
    }
  });
  if (table) {
    const face = faces[indicator];
    world.table = { holder: holderOf(maker), place: face ? bit(face) : -1 };
    if (!face) lay(world.rest, indicator);
  }
  for (const slot of hidden) lay(world.rest, slot);
  const loose = new Array(16).fill(0);
  world.plays = plays.map(([each, slot, down]) => {
    const face = faces[slot];
    if (!face) lay(loose, slot);
    return {
      holder: holderOf(each), place: face ? bit(face) : -1, suits: suitsOf(slot), down,
      indicator: slot === indicator,
    };
  });
  if (void_) return null;
  const others = [world.rest, world.rooms[0], loose].reduce((sum, rooms) => sum.map((n, i) => n + rooms[i]));
  return possible(world.unseen, others, world.rooms.slice(1), [[], []]) ? world : null;
}
