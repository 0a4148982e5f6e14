/**
 * Rules 11.3, no. 13: going through the cards of a prefix as if the seat won every trick.
 * @module
 */
import { counts, possible, suitAt } from './layouts.mjs';
import { beaten, waysToBeat } from './opponents.mjs';

const ME = -1;
const PARTNER = 0;

/**
 * Whether the rest of a prefix breaks, or null where the next trick has to be played.
 * @param {import('./search.mjs').Search} search @param {object} state in which the seat leads @returns {boolean | null}
 */
export function countAhead(search, state) {
  const { trump, prefix, rules, maker } = search;
  if (state.kept[0].length || state.kept[1].length) return null;
  if (state.hidden && rules.opens_after_first && search.firstTrick(state)) return null;
  const asked = !(maker === PARTNER && (state.hidden || search.exhausted));
  let now = state;
  let numbers = [0, 0, 0, 0];
  for (let at = state.at; at < prefix.length; at++) {
    const place = prefix[at];
    const suit = suitAt(place);
    if (maker === ME && search.exhausted && suit === trump) return null;
    const next = search.ownPlay(now, place, []);
    if (next === null) return true;
    const partner = waysToBeat(trump, now, PARTNER, numbers, suit, place);
    const can = (extra) => partner.some((way) => partnerCan(now, (held) => extra(way, held)));
    const partnerBeats = can((way, held) => way.test(held));
    const lost = [1, 2].some((holder) => beaten(trump, now, holder, suit, place));
    if (lost) return partnerBeats ? null : true;
    if (partnerBeats) {
      if (at + 1 === prefix.length) {
        search.partnerLed = true;
        return false;
      }
      if (asked && stuck(next, prefix[at + 1], numbers, can)) return true;
      return null;
    }
    numbers = numbers.with(suit, numbers[suit] + 1);
    now = { ...next, left: now.left - 1, led: now.led.map((each) => each.with(suit, each[suit] + 1)) };
  }
  return false;
}

// Whether the partner, having won, can lead a suit of which the seat has cards, but not the next one.
function stuck(state, next, numbers, can) {
  const known = counts(state.known[PARTNER]);
  return [0, 1, 2, 3].some((suit) => {
    if (suit === suitAt(next) || !((state.own >>> (8 * suit)) & 255)) return false;
    return can((way, held) => {
      const spare = held[suit] + known[suit] - numbers[suit] - (way.suit === suit ? 1 : 0);
      return spare > 0 && way.test(held, 1 << suit);
    });
  });
}

function partnerCan(state, test) {
  const others = state.rest.map((n, mask) => n + state.rooms[1][mask] + state.rooms[2][mask]);
  return possible(state.unseen, others, [state.rooms[PARTNER], new Array(16).fill(0)], [[test], []]);
}
