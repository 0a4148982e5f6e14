/**
 * Specs 3.2: charters and public keys.
 * @module
 */
import { ed25519 } from '../vendor/node_modules/@noble/curves/ed25519.js';
import { ascii, big, compare, fail, hex, orNothing } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { twice } from '../suite/lists.mjs';
import { decode, encode } from './values.mjs';

/** @typedef {{table: Uint8Array, game: string, profile: string, digest: Uint8Array, tag: Uint8Array,
 *   continues: Continues | null, referees: Uint8Array[], kept: Uint8Array, seats: {key: Uint8Array, nickname: string, nonce: Uint8Array}[]}} Charter */

/** @typedef {{charter: Uint8Array, point: {hand: number, closed: number, digest: Uint8Array}, present: number[],
 *   dealer: number, scores: bigint[], bots: {seat: number, by: number}[]}} Continues */

const PRIME = 2n ** 255n - 19n;
const FORBIDDEN = [
  [0, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x61c, 0x61c], [0x180e, 0x180e], [0x200b, 0x200b],
  [0x200e, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0xd800, 0xdfff], [0xfeff, 0xfeff],
  [0xfff0, 0xfffb], [0xe0000, 0xe0fff],
];
const SPACES = /^[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$/u;

/** The key, if an honest seat can have it. @param {Uint8Array} bytes */
export function checkKey(bytes) {
  if (bytes.length !== 32) fail('key.size');
  const number = big(Uint8Array.from(bytes).reverse());
  const y = number & ((1n << 255n) - 1n);
  if (y >= PRIME) fail('key.canonical');
  const positive = Uint8Array.from(bytes);
  positive[31] &= 0x7f;
  let point;
  try {
    point = ed25519.Point.fromBytes(positive);
  } catch {
    fail('key.curve');
  }
  if (number >> 255n && point.toAffine().x === 0n) fail('key.canonical');
  return point.is0() || !point.isTorsionFree() ? fail('key.order') : bytes;
}

/** Whether a name may be shown: its length, its ends, its letters. @param {string} name @param {number} most */
export function checkName(name, most) {
  const letters = [...name];
  if (letters.length < 1 || letters.length > most) return false;
  if (SPACES.test(letters[0]) || SPACES.test(letters.at(-1))) return false;
  return !letters.some((letter) => {
    const code = letter.codePointAt(0);
    return FORBIDDEN.some(([first, last]) => code >= first && code <= last);
  });
}

/** The nickname, if it may be shown. @param {string} name */
export const checkNickname = (name) => (checkName(name, 32) ? name : fail('charter.nickname'));

const isBytes = (value) => value instanceof Uint8Array;

const isInt = (value, least, most) => typeof value === 'bigint' && value >= least && value <= most;
const isDigest = (value) => isBytes(value) && value.length === 32;

/** Specs 6.5: the term by which a table goes on with a match. @param {any} value @param {number} seats @returns {Continues} */
function continuesOf(value, seats) {
  const check = (holds) => holds || fail('charter.term');
  check(Array.isArray(value) && value.length === 6);
  const [charter, point, bits, dealer, scores, rows] = value;
  check(Array.isArray(point) && point.length === 3 && Array.isArray(scores) && Array.isArray(rows));
  const [hand, closed, digest] = point;
  check(isDigest(charter) && isDigest(digest));
  check(isInt(hand, 0n, 2n ** 32n - 1n) && isInt(closed, 0n, 4096n));
  check(isInt(bits, 0n, 2n ** BigInt(seats) - 2n));
  const every = Array.from({ length: seats }, (_, seat) => seat);
  const present = every.filter((seat) => (bits >> BigInt(seat)) & 1n);
  check(present.length >= 2);
  check(isInt(dealer, 0n, BigInt(seats - 1)) && scores.length <= 64);
  check(scores.every((each) => isInt(each, -(2n ** 31n), 2n ** 31n)));
  check(rows.every((row) => Array.isArray(row) && row.length === 2 && row.every((each) => isInt(each, 0n, 63n))));
  const bots = rows.map((row) => ({ seat: Number(row[0]), by: Number(row[1]) }));
  check(bots.every(({ seat }, i) => i === 0 || bots[i - 1].seat < seat));
  check(bots.every(({ seat, by }) => seat < seats && !present.includes(seat) && present.includes(by)));
  return {
    charter, point: { hand: Number(hand), closed: Number(closed), digest }, present, dealer: Number(dealer), scores, bots,
  };
}

/** Specs 5.8: who may rule. @param {any} value @returns {Uint8Array[]} */
function refereesOf(value) {
  const check = (holds) => holds || fail('charter.term');
  check(Array.isArray(value) && value.length >= 1 && value.length <= 8 && value.every(isBytes));
  check(!twice(value.map(hex)));
  for (const key of value) check(orNothing(() => checkKey(key)) !== null);
  return value;
}

// Which match of a tournament is played at the table.
function checkTournament(value) {
  const shaped = Array.isArray(value) && value.length === 2 && isDigest(value[0]);
  if (!shaped || !isInt(value[1], 1n, 65535n)) fail('charter.term');
}

/** @param {Uint8Array} data @returns {Charter} */
export function decodeCharter(data) {
  const value = decode(data);
  if (!Array.isArray(value)) fail('charter.shape');
  if (typeof value[0] !== 'bigint') fail('charter.shape');
  if (value[0] !== 2n) fail('charter.version');
  const [, table, game, profile, rows, terms] = value;
  const shaped = value.length === 6 && isBytes(table) && Array.isArray(rows) && Array.isArray(terms);
  if (!shaped || typeof game !== 'string' || typeof profile !== 'string') fail('charter.shape');
  for (const term of terms) {
    if (!Array.isArray(term) || term.length !== 2 || typeof term[0] !== 'string') fail('charter.shape');
  }
  const seats = rows.map((row) => {
    if (!Array.isArray(row) || row.length !== 3) fail('charter.shape');
    const [key, nickname, nonce] = row;
    if (!isBytes(key) || typeof nickname !== 'string' || !isBytes(nonce)) fail('charter.shape');
    checkKey(key);
    return { key, nickname, nonce };
  });
  if (table.length !== 16) fail('charter.table');
  if (seats.length < 2 || seats.length > 64) fail('charter.seats');
  if (!/^[ -~]{1,32}$/.test(game)) fail('charter.game');
  if ([...profile].length > 8000) fail('charter.profile');
  const names = terms.map(([name]) => ascii(name));
  for (let i = 1; i < names.length; i++) {
    if (compare(names[i - 1], names[i]) >= 0) fail('charter.term_order');
  }
  let continues = null;
  let referees = [];
  for (const [name, term] of terms) {
    if (name === 'continues') continues = continuesOf(term, seats.length);
    else if (name === 'referee') referees = refereesOf(term);
    else if (name === 'tournament') checkTournament(term);
    else fail('charter.term');
  }
  for (const seat of seats) {
    checkNickname(seat.nickname);
    if (seat.nonce.length !== 32) fail('charter.nonce');
  }
  if (twice(seats.map((seat) => hex(seat.key)))) fail('charter.duplicate_key');
  if (twice([...seats.map((seat) => hex(seat.key)), ...referees.map(hex)])) fail('charter.duplicate_key');
  if (twice(seats.map((seat) => seat.nickname))) fail('charter.duplicate_nickname');
  if (twice(seats.map((seat) => hex(seat.nonce)))) fail('charter.duplicate_nonce');
  const digest = H('p2p304/v1/charter', data);
  // What a table that goes on with this one's match keeps byte for byte (6.5).
  const kept = encode(terms.filter(([name]) => name !== 'continues'));
  return { table, game, profile, seats, continues, referees, kept, digest, tag: digest.subarray(0, 8) };
}

/** @param {Uint8Array} digest */
export function fingerprint(digest) {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  let number = big(digest.subarray(0, 10));
  let text = '';
  for (let i = 0; i < 16; i++) {
    text = digits[Number(number & 31n)] + text;
    number >>= 5n;
  }
  return text.match(/..../g).join('-');
}

