/**
 * Rules 11.1 and 11.3: whether an order of a seat's cards, or some order of them, is sure.
 * @module
 */
import { placeOf, suitAt } from './layouts.mjs';
import { Search } from './search.mjs';
import { worldsOf } from './worlds.mjs';

/**
 * @param {object} information of a seat (conformance 1)
 * @param {string[] | null} order of all its cards, or null for any
 * @returns {boolean}
 */
export function isSure(information, order) {
  if (!information.unbeaten) return false;
  const { seat, maker, rules, hands, faces, plays, indicator } = information;
  const own = hands[seat].map((slot) => placeOf(faces[slot]));
  const mine = indicator !== null && maker === seat && !plays.some(([, slot]) => slot === indicator);
  if (mine) own.push(placeOf(faces[indicator]));
  const worlds = worldsOf(information);
  const test = (prefix) => {
    let led = false;
    for (const world of worlds) {
      const search = new Search(world, information, prefix);
      if (search.breaks()) return null;
      led ||= search.partnerLed;
    }
    return { led };
  };
  if (order) return test(order.map(placeOf)) !== null;

  // The cards of the others, and those of the trick: what parts own cards of a suit.
  const others = new Set(information.unseen.map(placeOf));
  const there = [...hands.flatMap((slots, each) => (each === seat ? [] : slots)), ...plays.map(([, slot]) => slot)];
  if (indicator !== null && !mine) there.push(indicator);
  for (const slot of there) if (faces[slot] !== undefined) others.add(placeOf(faces[slot]));
  const shown = mine ? placeOf(faces[indicator]) : null;
  const parted = (high, low) => {
    for (let place = high + 1; place < low; place++) if (others.has(place)) return true;
    return false;
  };
  // Of own cards that nobody else's part, the highest alone is tried.
  const candidates = (left) =>
    left.filter((place) => {
      if (place === shown) return true;
      return !left.some((each) => each !== shown && each < place && suitAt(each) === suitAt(place) && !parted(each, place));
    });
  const early = plays.length > 0 || (rules.opens_after_first && indicator !== null && rules.cards === own.length);
  const last = (prefix) => {
    const place = prefix.at(-1);
    return maker === seat && rules.exhausted ? place : -1;
  };
  const failed = new Set();
  const search = (prefix, left) => {
    if (!left.length) return true;
    for (const place of candidates(left)) {
      const longer = [...prefix, place];
      const name = `${[...longer].sort((a, b) => a - b)}/${early ? longer[0] : ''}/${last(longer)}`;
      if (failed.has(name)) continue;
      const found = test(longer);
      if (!found) continue;
      if (search(longer, left.filter((each) => each !== place))) return true;
      if (!found.led) failed.add(name);
    }
    return false;
  };
  return search([], own);
}

