/**
 * Specs 3.4 and 3.5: the schema of bodies.
 * @module
 */
import { fail } from '../suite/bytes.mjs';
import { decode } from './values.mjs';

const isBytes = (value) => value instanceof Uint8Array;

export const int = (least, most) => (value) => {
  if (typeof value !== 'bigint') fail('schema.type');
  if (value < BigInt(least) || value > BigInt(most)) fail('schema.range');
  return Number(value);
};
export const binary = (least, most = least) => (value) => {
  if (!isBytes(value)) fail('schema.type');
  if (value.length < least || value.length > most) fail('schema.size');
  return value;
};
export const text = (most, asciiOnly = false) => (value) => {
  if (typeof value !== 'string') fail('schema.type');
  if ([...value].length > most) fail('schema.size');
  if (asciiOnly && !/^[ -~]*$/.test(value)) fail('schema.ascii');
  return value;
};
export const list = (item, most) => (value) => {
  if (!Array.isArray(value)) fail('schema.type');
  if (value.length > most) fail('schema.size');
  return value.map(item);
};
export const record = (...fields) => (value) => {
  if (!Array.isArray(value)) fail('schema.type');
  if (value.length !== fields.length) fail('schema.fields');
  return fields.map((field, i) => field(value[i]));
};
const hash = binary(32);
const salts = list(hash, 256);
const present = int(0, (1n << 64n) - 1n);
const remixes = list(binary(1, 15000), 4);

const LEDGER = {
  1: ['Confirmation', 0, record(hash)],
  2: ['LuckOpening', 0, record(hash)],
  3: ['HandKeys', 1, record(binary(66), binary(96))],
  4: ['ShuffleStep', 1, record(binary(1, 15000))],
  5: ['DealShares', 2, record(binary(1, 15000), salts)],
  6: ['HandOverShares', 2, record(list(binary(1, 1024), 256), salts)],
  7: ['SortedHands', 2, record(remixes, salts)],
  8: ['Action', 2, record(text(400, true), list(binary(0, 15000), 64), salts, remixes, salts)],
  9: ['ResultSignature', 2, record(list(int(-(2 ** 31), 2 ** 31), 64), salts)],
  10: ['Reseating', 0, record(int(1, 62))],
};
const HEAD = record(int(0, 2), int(0, 2 ** 32 - 1), int(0, 4096), hash, present);
const NOTICES = {
  1: ['Heads', record(binary(0, 16), binary(0, 16), list(HEAD, 16))],
  2: ['UnfinishedAgreement', record(int(0, 2 ** 32 - 1), int(0, 4096), hash, present)],
  3: ['Chat', record(text(500))],
  4: ['Rematch', record(hash, int(0, 64))],
  5: [
    'Continuation',
    record(
      int(0, 2 ** 32 - 1), binary(16), int(0, 63), present, list(record(int(0, 63), int(0, 63)), 64), int(0, 1), hash,
      binary(0, 15000),
    ),
  ],
  6: [
    'Challenge',
    record(int(0, 2 ** 32 - 1), int(0, 2), int(0, 2 ** 32 - 1), int(0, 4096), hash, hash, list(binary(336), 8)),
  ],
  7: ['ChallengeOpening', record(int(0, 2 ** 32 - 1), int(0, 2), hash, text(254))],
};
const RULINGS = {
  1: ['Ruling', record(int(0, 2 ** 32 - 1), int(0, 4096), hash, int(0, 5), present, text(200))],
};
/** The content of Heads. @param {object[]} value */
export const headsOf = (value) => NOTICES[1][1](value);
/** The row of a table of kinds by their codes. @param {object} table @param {any} code */
export const kindOf = (table, code) =>
  (typeof code === 'bigint' && table[code.toString()]) || fail('schema.kind');

/** @param {number} purpose @param {Uint8Array} body */
export function decodeBody(purpose, body) {
  const value = decode(body);
  if (!Array.isArray(value)) fail('schema.type');
  if (purpose === 2) {
    if (value.length !== 5) fail('schema.fields');
    const table = binary(8)(value[0]);
    const seat = int(0, 63)(value[1]);
    const serial = int(0, 2 ** 32 - 1)(value[2]);
    const [kind, fields] = kindOf(NOTICES, value[3]);
    return { kind, table, seat, serial, fields: fields(value[4]), raw: value[4] };
  }
  if (purpose === 4) {
    if (value.length !== 4) fail('schema.fields');
    const table = binary(8)(value[0]);
    const referee = int(0, 7)(value[1]);
    const [kind, fields] = kindOf(RULINGS, value[2]);
    return { kind, table, seat: referee, referee, fields: fields(value[3]), raw: value[3] };
  }
  if (value.length !== 8) fail('schema.fields');
  const lane = int(0, 2)(value[1]);
  const number = int(0, 2 ** 32 - 1)(value[2]);
  const round = int(0, 4095)(value[3]);
  const seat = int(0, 63)(value[4]);
  const [kind, home, fields] = kindOf(LEDGER, value[5]);
  if (home !== lane) fail('schema.lane');
  const table = binary(8)(value[0]);
  const previous = hash(value[6]);
  return { kind, table, lane, number, round, seat, previous, fields: fields(value[7]), raw: value[7] };
}
