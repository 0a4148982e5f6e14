/**
 * Specs 7.9: codes: their text, their messages, the exchange of keys.
 * @module
 */
import { ed25519 } from '../vendor/node_modules/@noble/curves/ed25519.js';
import { hkdf } from '../vendor/node_modules/@noble/hashes/hkdf.js';
import { checkKey, checkNickname } from '../messages/charter.mjs';
import { decode } from '../messages/values.mjs';
import { Check, ascii, big, concat, equal, fail, unhex } from '../suite/bytes.mjs';
import { frame, sha256 } from '../suite/hashing.mjs';

const { Point } = ed25519;
const L = Point.Fn.ORDER;
const M = Point.fromBytes(unhex('15cfd18e385952982b6a8f8c7854963b58e34388c8e6dae891db756481a02312'));
const N = Point.fromBytes(unhex('f04f2e7eb734b2a8f8b472eaf9c3c632576ac64aea650b496a8a20ff00e583c3'));
const VERSION = 2;
const FRAME = 1024;

const numberOf = (number) => Uint8Array.of(VERSION, number >> 8, number & 255);
const derived = (key, label, ...fields) => hkdf(sha256, key, undefined, frame(label, ...fields), 32);

/** @param {string} text @param {string[]} words */
export function parseCode(text, words) {
  if (text.length > 64) fail('code');
  const [number, ...said] = text.replace(/^[ \t-]+|[ \t-]+$/g, '').toLowerCase().split(/[\s-]+/);
  if (!/^[0-9]+$/.test(number) || Number(number) < 1 || Number(number) > 999) fail('code');
  if (said.length !== 2 || !said.every((word) => words.includes(word))) fail('code');
  return { code: [Number(number), ...said].join('-'), topic: `p2p304/code-${Number(number)}` };
}

/** @param {Uint8Array} table @param {number} number @param {Uint8Array} salt */
export const hostId = (table, number, salt) =>
  sha256(frame('p2p304/v1/code-host', table, numberOf(number), salt)).slice(0, 16);

/** One side of an exchange. @param {{code: string, host: Uint8Array, joiner: Uint8Array, exchange: Uint8Array}} given */
function sideOf({ code, host, joiner, exchange }, random, atHost) {
  const id = [numberOf(parseInt(code, 10)), host, joiner, exchange];
  const pw = frame('p2p304/v1/code-password', ascii(code));
  const w = big(hkdf(sha256, pw, undefined, ascii('SPAKE2 pw'), 48)) % L;
  const [mine, other] = atHost ? [N, M] : [M, N];
  const secret = big(random) % L;
  const element = times(Point.BASE, secret).add(times(mine, w)).toBytes();
  const names = ['joiner', 'host'].map((name) => sha256(frame(`p2p304/v1/code-${name}-side`, ...id)));
  return {
    element,
    keys(received) {
      checkKey(received);
      if (equal(received, element)) fail('code');
      const Z = times(Point.fromBytes(received).subtract(times(other, w)), secret).toBytes();
      const [X, Y] = atHost ? [received, element] : [element, received];
      const K = sha256(concat(sha256(pw), ...names, X, Y, Z));
      const t = sha256(frame('p2p304/v1/code-exchange', ...id, Y, X));
      return {
        confirmation: derived(K, 'p2p304/v1/code-confirmation', t),
        sealKey: derived(K, 'p2p304/v1/code-seal', t),
      };
    },
  };
}

const times = (point, scalar) => (scalar === 0n ? Point.ZERO : point.multiply(scalar));

/** @param {object} given */
export function exchange(given, joinerRandom, hostRandom) {
  const joiner = sideOf(given, joinerRandom, false);
  const host = sideOf(given, hostRandom, true);
  return { joiner: joiner.element, host: host.element, ...joiner.keys(host.element) };
}

/** Whether a guess is right. @param {object} given */
export function judge(given, hostRandom, element, confirmation) {
  return refusing(() => {
    const keys = sideOf(given, hostRandom, true).keys(element);
    if (!equal(keys.confirmation, confirmation)) fail('code');
  });
}

function refusing(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Check) fail('code');
    throw error;
  }
}

const integer = (least, most) => (value) =>
  typeof value === 'bigint' && value >= BigInt(least) && value <= BigInt(most);
const bytes = (least, most = least) => (value) =>
  value instanceof Uint8Array && value.length >= least && value.length <= most;
const text = (most, letters = /^/) => (value) =>
  typeof value === 'string' && [...value].length <= most && letters.test(value);
const rows = (item, most) => (value) =>
  Array.isArray(value) && value.length <= most && value.every(item);
const sitting = (value) => {
  const typed = Array.isArray(value) && value.length === 2 && seat(value[0]) && text(32)(value[1]);
  if (typed) checkNickname(value[1]);
  return typed;
};

const [number, id, seat, serial] = [integer(1, 999), bytes(16), integer(0, 63), integer(0, 2 ** 32 - 1)];
const OPEN = {
  1: ['Find', number, id],
  2: ['Here', number, id, id],
  3: ['Knock', number, id, id],
  4: ['Offer', number, id, id, id, bytes(32)],
  5: ['Guess', number, id, id, id, bytes(32), bytes(32)],
  6: ['Refusal', number, id, id, bytes(0, 16), integer(1, 3), integer(0, 5)],
};
const SEALED = {
  7: ['Welcome', serial, text(200), integer(2, 64), rows(sitting, 64), rows(seat, 64)],
  8: ['Wish', serial, seat],
  9: ['Grant', id, text(2048, /^[ -~]*$/)],
};

function read(body, kinds) {
  const value = decode(body);
  const [name, ...types] = (Array.isArray(value) && kinds[value[0]]) || fail('code');
  const [, ...fields] = value;
  if (fields.length !== types.length) fail('code');
  if (!types.every((fits, at) => fits(fields[at]))) fail('code');
  return { message: name, fields };
}

/** A message in the open. @param {Uint8Array} data */
export const readOpen = (data) => refusing(() => {
  if (data.length !== FRAME || data[0] !== 0x43 || data[1] !== VERSION) fail('code');
  const end = 4 + 256 * data[2] + data[3];
  if (end > FRAME || data.subarray(end).some((byte) => byte)) fail('code');
  return read(data.subarray(4, end), OPEN);
});

/** The payload of a sealed message. @param {Uint8Array} payload */
export const readSealed = (payload) => refusing(() => {
  if (payload[0] !== 0x43) fail('code');
  return read(payload.subarray(1), SEALED);
});
