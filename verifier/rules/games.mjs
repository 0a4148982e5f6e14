/**
 * The games that a charter may name: their packs, hands and matches.
 * @module
 */
import { big, fail } from '../suite/bytes.mjs';
import { twice } from '../suite/lists.mjs';
import { agreement, isFull } from './agreements.mjs';
import { Hand } from './hand.mjs';
import { dealOf, packOf } from './pack.mjs';
import { Match, RunningMatch, firstDealer } from './scoring.mjs';
import { parseAction } from './actions.mjs';
import { FULL_PACK, TrickHand, TrickMatch, parseTrickAction } from './tricks.mjs';

/**
 * @typedef {object} Game
 * @property {number} seats
 * @property {string[]} pack as the start deck lies
 * @property {number[]} points of its cards
 * @property {(dealer: number, scores: number[]) => object} hand
 * @property {(luck: Uint8Array) => object} match with its first dealer
 * @property {(text: string) => import('./actions.mjs').Action} parse
 */

/** The game of a charter, or no verdict. @param {import('../messages/charter.mjs').Charter} charter @returns {Game} */
export function gameOf({ game, profile, seats }) {
  if (game !== '304') checkTricks(game, profile);
  const found = game === '304' ? of304(profile) : ofTricks(game, profile);
  if (seats.length !== found.seats) fail('charter.seats');
  return found;
}

function checkTricks(game, profile) {
  const sound = (game === '41' || game === '400') && HOUSE_RULES.filter((each) => profile.includes(each)).join(',') === profile;
  if (!sound) fail('charter.profile');
}

/** 304: the profile says every parameter. @param {string} profile @returns {Game} */
export function of304(profile) {
  if (!isFull(profile)) fail('charter.profile');
  const { values } = agreement(profile.split('\n')[0]);
  const { cards, points } = packOf(values);
  return {
    seats: dealOf(values).seats,
    pack: cards,
    points: cards.map((card) => points[card]),
    hand: (dealer) => new Hand(values, dealer),
    parse: parseAction,
    match(luck) {
      const match = values.partners === 'called card' ? new RunningMatch(values) : new Match(values);
      match.dealer = firstDealer(values, luck);
      return match;
    },
  };
}

const HOUSE_RULES = ['floor_12', 'target_44', 'table_chat'];

/** The house rules of 41 and 400 in their order. @param {string} text */
export function houseRules(text) {
  const named = text === '' ? [] : text.split(',');
  if (twice(named) || named.some((each) => !HOUSE_RULES.includes(each))) fail('agreement');
  return HOUSE_RULES.filter((each) => named.includes(each)).join(',');
}

/** 41 and 400: the profile names the house rules. @param {string} game @param {string} profile @returns {Game} */
export function ofTricks(game, profile) {
  const least = (scores) => (profile.includes('floor_12') && scores.some((each) => each >= 30) ? 12 : 11);
  return {
    seats: 4,
    pack: FULL_PACK,
    points: FULL_PACK.map(() => 0),
    hand: (dealer, scores) => new TrickHand(game, dealer, least(scores)),
    parse: parseTrickAction,
    match(luck) {
      const match = new TrickMatch(profile.includes('target_44') ? 44 : 41);
      match.dealer = Number(big(luck) % 4n);
      return match;
    },
  };
}
