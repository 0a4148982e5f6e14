/**
 * Specs 7.1: topics and sealed frames.
 * @module
 */
import { chacha20poly1305 } from '../vendor/node_modules/@noble/ciphers/chacha.js';
import { hkdf } from '../vendor/node_modules/@noble/hashes/hkdf.js';
import { concat, fail, hex, u8 } from '../suite/bytes.mjs';
import { frame, sha256 } from '../suite/hashing.mjs';

const VERSION = 2;
const SIZES = [1024, 2048, 4096, 16384];
const NONCE = new Uint8Array(12);
export const NOBODY = 255;

export const derived = (key, label, length, ...fields) =>
  hkdf(sha256, key, undefined, frame(label, ...fields), length);

/** @param {Uint8Array} key of the table @param {Uint8Array} table */
export const topic = (key, table) => `p2p304/${hex(derived(key, 'p2p304/v1/topic', 16, table))}`;

function cipherOf(key, table, seat, salt) {
  const seatKey = derived(key, 'p2p304/v1/seal-seat-key', 32, table, u8(seat));
  const frameKey = derived(seatKey, 'p2p304/v1/seal-frame-key', 32, salt);
  const associated = frame('p2p304/v1/seal-associated-data', concat(u8(VERSION), u8(seat)), table);
  return chacha20poly1305(frameKey, NONCE, associated);
}

const hintOf = (key, table, salt) => derived(key, 'p2p304/v1/seal-seat-hint', 1, table, salt)[0];

/** @param {Uint8Array} key @param {Uint8Array} table @param {number} seat @param {Uint8Array} salt @param {Uint8Array} payload @param {number} room */
export function seal(key, table, seat, salt, payload, room = 0) {
  const size = SIZES.find((each) => each >= Math.max(payload.length, room) + 52);
  const padded = new Uint8Array(size - 50);
  padded.set([payload.length >> 8, payload.length & 255]);
  padded.set(payload, 2);
  const sealed = cipherOf(key, table, seat, salt).encrypt(padded);
  return concat(u8(VERSION), u8(seat ^ hintOf(key, table, salt)), salt, sealed);
}

/** @param {Uint8Array} key @param {Uint8Array} table @param {Uint8Array} data */
export function open(key, table, data) {
  if (!SIZES.includes(data.length)) fail('seal.size');
  if (data[0] !== VERSION) fail('seal.version');
  const salt = data.subarray(2, 34);
  const seat = data[1] ^ hintOf(key, table, salt);
  let padded;
  try {
    padded = cipherOf(key, table, seat, salt).decrypt(data.subarray(34));
  } catch {
    fail('seal.tag');
  }
  const length = 256 * padded[0] + padded[1];
  const payload = padded.slice(2, 2 + length);
  if (payload.length !== length || padded.subarray(2 + length).some((byte) => byte)) fail('seal.padding');
  return { payload, seat };
}
