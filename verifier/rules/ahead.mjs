/**
 * Rules 11.3, no. 13: going through the cards of a prefix as if the seat won every trick.
 * @module
 */
import { counts, suitAt } from './layouts.mjs';
import { beaten, room, waysToBeat } from './opponents.mjs';

/**
 * Whether the rest of a prefix breaks, or null where the next trick has to be played.
 * @param {import('./search.mjs').Search} search @param {object} state in which the seat leads @returns {boolean | null}
 */
export function countAhead(search, state) {
  const { trump, prefix, rules, maker, partners, opponents } = search;
  if (opponents.some((holder) => state.kept[holder].length)) return null;
  if (state.hidden && rules.opens_after_first && search.firstTrick(state)) return null;
  const asked = !(partners.includes(maker) && (state.hidden || search.exhausted));
  let now = state;
  let numbers = [0, 0, 0, 0];
  for (let at = state.at; at < prefix.length; at++) {
    const place = prefix[at];
    const suit = suitAt(place);
    if (maker === 0 && search.exhausted && suit === trump) return null;
    const next = search.ownPlay(now, place, []);
    if (next === null) return true;
    const can = (holder, extra) =>
      waysToBeat(trump, now, holder, numbers, suit, place).some((way) =>
        room(now, { [holder]: [(held) => extra(way, held)] }),
      );
    const over = partners.filter((holder) => can(holder, (way, held) => way.test(held)));
    if (opponents.some((holder) => beaten(trump, now, holder, suit, place))) return over.length ? null : true;
    if (over.length) {
      if (at + 1 === prefix.length) {
        search.partnerLed = true;
        return false;
      }
      if (asked && over.length === 1 && stuck(next, prefix[at + 1], numbers, over[0], can)) return true;
      return null;
    }
    numbers = numbers.with(suit, numbers[suit] + 1);
    now = { ...next, left: now.left - 1, led: search.counted(now.led, opponents, suit) };
  }
  return false;
}

// Whether a partner, having won, can lead a suit of which the seat has cards, but not the next one.
function stuck(state, next, numbers, holder, can) {
  const known = counts(state.known[holder]);
  return [0, 1, 2, 3].some((suit) => {
    if (suit === suitAt(next) || !state.own[suit]) return false;
    return can(holder, (way, held) => {
      const spare = held[suit] + known[suit] - numbers[suit] - (way.suit === suit ? 1 : 0);
      return spare > 0 && way.test(held, 1 << suit);
    });
  });
}
