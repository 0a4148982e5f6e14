/**
 * The games that a charter may name: their packs, hands and matches.
 * @module
 */
import { big, fail } from '../suite/bytes.mjs';
import { agreement, isFull } from './agreements.mjs';
import { Hand } from './hand.mjs';
import { PACK, POINTS } from './pack.mjs';
import { Match, firstDealer } from './scoring.mjs';
import { FULL_PACK, TrickHand, TrickMatch } from './tricks.mjs';

/**
 * @typedef {object} Game
 * @property {string[]} pack as the start deck lies
 * @property {number[]} points of its cards
 * @property {(dealer: number, scores: number[]) => object} hand
 * @property {(luck: Uint8Array) => object} match with its first dealer
 */

/** The game of a charter, or no verdict. @param {import('../messages/charter.mjs').Charter} charter @returns {Game} */
export function gameOf({ game, profile, seats }) {
  const found = game === '304' ? of304(profile) : ofTricks(game, profile);
  if (seats.length !== 4) fail('charter.seats');
  return found;
}

function of304(profile) {
  if (!isFull(profile)) fail('charter.profile');
  const { values } = agreement(profile.split('\n')[0]);
  return {
    pack: PACK,
    points: PACK.map((card) => POINTS[card]),
    hand: (dealer) => new Hand(values, dealer),
    match(luck) {
      const match = new Match(values);
      match.dealer = firstDealer(values, luck);
      return match;
    },
  };
}

const HOUSE_RULES = ['', 'floor_12', 'target_44', 'floor_12,target_44'];

// 41 and 400: the profile names the house rules.
function ofTricks(game, profile) {
  if ((game !== '41' && game !== '400') || !HOUSE_RULES.includes(profile)) fail('charter.profile');
  const least = (scores) => (profile.includes('floor_12') && scores.some((each) => each >= 30) ? 12 : 11);
  return {
    pack: FULL_PACK,
    points: FULL_PACK.map(() => 0),
    hand: (dealer, scores) => new TrickHand(game, dealer, least(scores)),
    match(luck) {
      const match = new TrickMatch(profile.includes('target_44') ? 44 : 41);
      match.dealer = Number(big(luck) % 4n);
      return match;
    },
  };
}
