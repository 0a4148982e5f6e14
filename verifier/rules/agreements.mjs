/**
 * Rules 14: agreements. The tables are those of the page (tables.mjs).
 * @module
 */
import { fail } from '../suite/bytes.mjs';
import { twice } from '../suite/lists.mjs';
import { dealOf, packOf } from './pack.mjs';
import { TABLES } from './tables.mjs';

const LONGEST = 2000;
const DEALS = [
  '32: 7-A in 4 + 4', '32: 7-A in 3 + 1', '24: 9-A in 3 + 1', '36: 6-A in 4 + 2',
  '36: 7-A, 3 high in 4 + 2', '40: 7-A, 2 and 3 high in 3 + 2',
];

/** White space of Unicode, U+001C to U+001F included. */
const WHITE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const AROUND = new RegExp(`^${WHITE}+|${WHITE}+$`, 'g');
const BETWEEN = new RegExp(`${WHITE}+`);
const trimmed = (text) => text.replace(AROUND, '');

function arises(name, values) {
  const when = TABLES.needs[name];
  return !when || when.split(', or ').some((each) => holds(each, values));
}

function holds(when, values) {
  if (when === 'a reentry_rule') return values.reentry_rule !== 'never';
  const [, parameter, how] = /^([a-z0-9_]+) (.*)$/.exec(when);
  const value = values[parameter];
  if (how === 'on' || how === 'off') return value === (how === 'on' ? 'yes' : 'no');
  if (how.startsWith('not ')) return value !== how.slice(4);
  if (how.startsWith('above ')) return Number(value) > Number(how.slice(6));
  return value === how;
}

// The bounds of the numbers that follow the pack and the deal (rules 14), by its points and a seat's cards.
const BOUNDS = {
  bid_min: (points) => [10, points - 4],
  bid_max: (points) => [10, points],
  auction8_min: (points) => [10, points],
  bracket_middle: (points) => [10, points],
  bracket_top: (points) => [10, points],
  open_after_trick1_from: (points) => [10, points + 1],
  caps_bonus_before: (points, cards) => [1, cards],
};

// A value as the parameter writes it; fails if it cannot have it.
function checked(name, said) {
  const to = TABLES.settable[name];
  const range = /^(\d+) to (\d+)$/.exec(to);
  if (range) {
    if (!/^\d{1,5}$/.test(said)) fail('agreement');
    const number = Number(said);
    const fits = name in BOUNDS || (number >= range[1] && number <= range[2]);
    return fits ? String(number) : fail('agreement');
  }
  if (to.includes('made / failed')) {
    const pair = /^(\d{1,4}) \/ (\d{1,4})$/.exec(said);
    return pair ? `${Number(pair[1])} / ${Number(pair[2])}` : fail('agreement');
  }
  if (to.startsWith('none, or pairs')) {
    if (said === 'none' || said === '') return 'none';
    const pairs = said.split(BETWEEN).map((each) => /^(\d{1,4})=(\d{1,4})$/.exec(each));
    if (pairs.some((pair) => !pair)) fail('agreement');
    return pairs.map(([, a, b]) => `${Number(a)}=${Number(b)}`).join(' ');
  }
  const choices = to === 'yes, no' ? ['yes', 'no'] : to.split('; ');
  return choices.includes(said) ? said : fail('agreement');
}

const NUMBERS = { 3: 'three', 4: 'four' };

// What cannot be set and follows from the pack, the deal and the partners.
function followDeck(values) {
  const { first, cards } = dealOf(values);
  values.rank_points = TABLES.ranks[values.deck];
  values.indicator_from = `first ${NUMBERS[first]} cards`;
  if (values.partners === 'called card') values.indicator_from = `all cards; Half Court: ${values.indicator_from}`;
  values.indicator_may_be_played = `to cut another's non-trump lead; trick ${cards}`;
  values.caps_last_call = `trick ${cards}'s first card`;
}

function consistent(values, set) {
  const number = (name) => Number(values[name]);
  const yes = (name) => values[name] === 'yes';
  const refuse = (wrong) => wrong && fail('agreement');
  const { cards, points: counts } = packOf(values);
  const points = cards.reduce((sum, card) => sum + counts[card], 0);
  for (const [name, bounds] of Object.entries(BOUNDS)) {
    const [least, most] = bounds(points, dealOf(values).cards);
    refuse(number(name) < least || number(name) > most);
  }
  const [least, most] = [number('bid_min'), number('bid_max')];
  refuse(least > most);
  refuse(least % number(least <= number('bracket_middle') ? 'bid_step_low' : 'bid_step_high'));
  refuse(number('bracket_middle') > number('bracket_top'));
  const four = dealOf(values).seats === 4;
  refuse(values.auction4_end === (four ? 'all others pass in a row' : 'three passes in a row'));
  refuse(!four && (yes('half_court') || ['half_court', 'alpha_bidding', 'forced_open'].some((rule) => set.has(rule))));
  refuse(yes('double') && (values.caps_model !== 'off' || !four));
  if (values.partners === 'called card') {
    const without = ['ask_partner', 'auction8', 'half_court', 'opening_bid_forced', 'double'];
    refuse(!four || without.some(yes) || number('redeal_below') > 0 || values.caps_model !== 'off');
  }
  refuse(yes('pcc') && !yes('auction8'));
  refuse((values.cut_by === 'nobody') !== (number('max_cuts') === 0));
  refuse(yes('caps_order_stated') && !yes('caps_expose'));
  if (values.caps_model === 'outcome') {
    refuse(yes('caps_expose') || values.caps_concealment !== 'allowed');
  }
  const pairs = values.bid_shorthand === 'none' ? [] : values.bid_shorthand.split(' ');
  const read = pairs.map((pair) => pair.split('=').map(Number));
  refuse(twice(read.map(([said]) => said)));
  refuse(read.some(([said, meant]) => said >= least || meant < least || meant > most));
}

/** All parameters of an agreement, and its full text. @param {string} text @returns {{values: Record<string, string>, full: string}} */
export function agreement(text) {
  const { order, profiles, settable, rules, forbidden } = TABLES;
  if ([...text].length > LONGEST) fail('agreement');
  const [name, ...parts] = text.split(';').map(trimmed);
  if (!Object.hasOwn(profiles, name)) fail('agreement');
  const toggles = new Set();
  const singles = new Map();
  for (const part of parts) {
    if (part.startsWith('+')) {
      if (toggles.has(part.slice(1)) || !Object.hasOwn(rules, part.slice(1))) fail('agreement');
      toggles.add(part.slice(1));
      continue;
    }
    const at = part.indexOf('=');
    const key = trimmed(part.slice(0, at));
    if (at < 0 || singles.has(key) || !Object.hasOwn(settable, key)) fail('agreement');
    singles.set(key, trimmed(part.slice(at + 1)));
  }
  const chosen = Object.keys(rules).filter((rule) => toggles.has(rule));
  const plain = { ...profiles[name] };
  for (const rule of chosen) for (const [key, value] of rules[rule]) plain[key] = value;
  const set = new Set(chosen.flatMap((rule) => rules[rule].map(([key]) => key)));
  const values = { ...plain };
  for (const [key, said] of singles) {
    if (set.has(key)) fail('agreement');
    values[key] = checked(key, said);
  }
  if (!DEALS.includes(`${values.deck} in ${values.deal_batches}`)) fail('agreement');
  followDeck(values);
  consistent(values, toggles);
  for (const rule of forbidden[name] ?? []) {
    if (rules[rule].every(([key, value]) => values[key] === value)) fail('agreement');
  }
  if (![...set, ...singles.keys()].every((key) => arises(key, values))) fail('agreement');
  const differing = Object.keys(settable).filter((key) => values[key] !== plain[key]);
  const head = [name, ...chosen.map((rule) => `+${rule}`), ...differing.map((key) => `${key} = ${values[key]}`)];
  const rows = order
    .map((key) => [key, arises(key, values) ? values[key] : 'n/a'])
    .filter(([key, value]) => value !== TABLES.unsaid[key])
    .map(([key, value]) => `${key} = ${value}`);
  return { values, full: [head.join('; '), ...rows].join('\n') };
}

// Whether this is the full text of the agreement that its first line names.
export function isFull(text) {
  try {
    return agreement(text.split('\n')[0]).full === text;
  } catch {
    return false;
  }
}
