/**
 * Specs 3.3: envelopes, signatures, ids.
 * @module
 */
import { ed25519 } from '../vendor/node_modules/@noble/curves/ed25519.js';
import { sha512 } from '../vendor/node_modules/@noble/hashes/sha2.js';
import { Check, big, concat, equal, fail, hex, u8 } from '../suite/bytes.mjs';
import { H, frame } from '../suite/hashing.mjs';
import { decodeBody } from './bodies.mjs';

const { Point } = ed25519;
/** Keys that are asked about many times, with tables of their multiples, by their text. */
const known = new Map();
const MOST = 256;

function keyOf(bytes) {
  const name = hex(bytes);
  let key = known.get(name);
  if (!key) {
    if (known.size >= MOST) known.clear();
    key = Point.fromBytes(bytes, false).precompute(6);
    known.set(name, key);
  }
  return key;
}

/** @param {Uint8Array} signature @param {Uint8Array} message @param {Uint8Array} key */
export function signatureHolds(signature, message, key) {
  if (signature.length !== 64) return false;
  const [first, second] = [signature.subarray(0, 32), signature.subarray(32)];
  try {
    const a = keyOf(key);
    const s = Point.BASE.multiplyUnsafe(little(second)); // below the order, or it throws
    if (a.isSmallOrder()) return false;
    const k = little(sha512(concat(first, key, message))) % Point.Fn.ORDER;
    return equal(s.subtract(a.multiplyUnsafe(k)).toBytes(), first); // no cofactor: specs 3.3
  } catch {
    return false;
  }
}

const little = (bytes) => big(Uint8Array.from(bytes).reverse());

/** @param {number} purpose @param {Uint8Array} body */
export const messageId = (purpose, body) => H('p2p304/v1/message-id', u8(purpose), body);

/** The parts of an envelope that has one of these purposes. @param {Uint8Array} raw @param {number[]} purposes */
export function partsOf(raw, purposes) {
  if (raw.length < 68 || raw.length > 16067) fail('envelope.size');
  if (raw[0] !== 1) fail('envelope.version');
  const [, purpose, seat] = raw;
  if (!purposes.includes(purpose)) fail('envelope.purpose');
  return { purpose, seat, body: raw.subarray(67) };
}

/** @param {Uint8Array} raw @param {Uint8Array} charter its digest @param {Uint8Array} key */
export function checkSignature(raw, charter, key) {
  const message = frame('p2p304/v1/signature', raw.subarray(0, 3), charter, raw.subarray(67));
  if (!signatureHolds(raw.subarray(3, 67), message, key)) fail('signature');
}

const RULING = 4;

/** The message in an envelope, or the ruling, where either is wanted or just one of them. What a seat is to be blamed
 * for carries the seat. @param {Uint8Array} raw @param {import('./charter.mjs').Charter} charter
 * @param {'message' | 'ruling' | 'either'} [wanted] */
export function openEnvelope(raw, charter, wanted = 'message') {
  const { purpose, seat, body } = partsOf(raw, [1, 2, RULING]);
  const ruling = purpose === RULING;
  const keys = ruling ? charter.referees : charter.seats.map(({ key }) => key);
  if (seat >= keys.length) fail('envelope.seat');
  checkSignature(raw, charter.digest, keys[seat]);
  if (wanted !== 'either' && ruling !== (wanted === 'ruling')) fail('envelope.purpose');
  let found;
  try {
    found = decodeBody(purpose, body);
  } catch (error) {
    if (error instanceof Check && !ruling) error.seat = seat;
    throw error;
  }
  if (found.seat !== seat) fail('envelope.other_seat');
  if (!equal(found.table, charter.tag)) fail('envelope.other_table');
  return { ...found, purpose, id: messageId(purpose, body) };
}
