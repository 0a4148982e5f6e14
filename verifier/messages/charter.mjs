/**
 * Specs 3.2: charters and public keys.
 * @module
 */
import { ed25519 } from '../vendor/node_modules/@noble/curves/ed25519.js';
import { ascii, big, compare, fail, hex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { decode } from './values.mjs';

/** @typedef {{table: Uint8Array, game: string, profile: string, digest: Uint8Array, tag: Uint8Array,
 *   seats: {key: Uint8Array, nickname: string, nonce: Uint8Array}[]}} Charter */

const PRIME = 2n ** 255n - 19n;
const FORBIDDEN = [
  [0, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x61c, 0x61c], [0x180e, 0x180e], [0x200b, 0x200b],
  [0x200e, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0xd800, 0xdfff], [0xfeff, 0xfeff],
  [0xfff0, 0xfffb], [0xe0000, 0xe0fff],
];
const SPACES = /^[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$/u;

/** Whether an honest seat can have this key. @param {Uint8Array} bytes */
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
  if (point.is0() || !point.isTorsionFree()) fail('key.order');
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

/** @param {string} name */
export function checkNickname(name) {
  if (!checkName(name, 32)) fail('charter.nickname');
}

const isBytes = (value) => value instanceof Uint8Array;

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
  if (names.length) fail('charter.term'); // no name is known
  for (const seat of seats) {
    checkNickname(seat.nickname);
    if (seat.nonce.length !== 32) fail('charter.nonce');
  }
  const twice = (items) => new Set(items).size !== items.length;
  if (twice(seats.map((seat) => hex(seat.key)))) fail('charter.duplicate_key');
  if (twice(seats.map((seat) => seat.nickname))) fail('charter.duplicate_nickname');
  if (twice(seats.map((seat) => hex(seat.nonce)))) fail('charter.duplicate_nonce');
  const digest = H('p2p304/v1/charter', data);
  return { table, game, profile, seats, digest, tag: digest.subarray(0, 8) };
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

