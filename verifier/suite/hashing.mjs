/**
 * Specs 2.2 to 2.5: frames, hashes, constants on the curve, the sponge.
 * @module
 */
import { secp256k1_hasher } from '../vendor/node_modules/@noble/curves/secp256k1.js';
import { sha256, sha512 } from '../vendor/node_modules/@noble/hashes/sha2.js';
import { shake128, shake256 } from '../vendor/node_modules/@noble/hashes/sha3.js';
import { ascii, concat, hex, little, u32, u64 } from './bytes.mjs';
import { mod } from './group.mjs';

const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;

/** @param {Uint8Array | string} text */
const labelled = (text) => (typeof text === 'string' ? ascii(text) : text);

/** @param {Uint8Array | string} label @param {...Uint8Array} fields */
export const frame = (label, ...fields) =>
  concat(...[labelled(label), ...fields].flatMap((each) => [u64(each.length), each]));

/** @param {Uint8Array | string} label @param {...Uint8Array} fields */
export const H = (label, ...fields) => sha256(frame(label, ...fields));

/** @param {Uint8Array | string} label @param {...Uint8Array} fields */
export const W = (label, ...fields) => sha512(frame(label, ...fields));

export { sha256, shake256 };

/** @param {Uint8Array} message @param {Uint8Array} dst */
export const hashToCurve = (message, dst) => secp256k1_hasher.hashToCurve(message, { DST: dst });

const named = new Map();

/**
 * A constant of specs 2.4: CARD, SUIT, SCORE or SHUFFLE, of a message.
 * @param {string} kind @param {Uint8Array} message
 */
export function constant(kind, message) {
  const key = kind + hex(message);
  if (!named.has(key)) {
    const dst = ascii(`P2P304-V01-${kind}-with-secp256k1_XMD:SHA-256_SSWU_RO_`);
    named.set(key, hashToCurve(message, dst));
  }
  return named.get(key);
}

/** @param {string} card */
export const cardPoint = (card) => constant('CARD', ascii(card));
/** @param {string} suit */
export const suitPoint = (suit) => constant('SUIT', ascii(suit));
/** @param {number} i */
export const generator = (i) => constant('SHUFFLE', u32(i));
export const chainBase = () => constant('SHUFFLE', ascii('chain base'));
export const onePoint = () => constant('SCORE', ascii('one point'));

/** The duplex sponge of specs 2.5, over SHAKE128. */
export class Sponge {
  /** @param {Uint8Array} session 32 bytes */
  constructor(session) {
    this.state = shake128.create().update(concat(session, new Uint8Array(136)));
    this.open = null;
  }

  /** @param {Uint8Array} bytes */
  absorb(bytes) {
    if (!bytes.length) return;
    this.state.update(bytes);
    this.open = null;
  }

  /** @param {number} length */
  squeeze(length) {
    if (!length) return new Uint8Array(0);
    this.open ??= this.state.clone();
    return this.open.xof(length);
  }

  scalar() {
    return mod(little(this.squeeze(48)));
  }

  /** @param {number} count */
  weights(count) {
    const drawn = this.squeeze(16 * count);
    return Array.from({ length: count }, (_, i) => {
      const a = little(drawn.subarray(16 * i, 16 * i + 8)) + 1n;
      const b = little(drawn.subarray(16 * i + 8, 16 * i + 16));
      return mod(a + b * LAMBDA);
    });
  }
}

/** @param {Uint8Array} tag */
export function sid(tag) {
  const sponge = new Sponge(ascii('irtf-cfrg-fiat-shamir/session-id'));
  sponge.absorb(tag);
  return sponge.squeeze(32);
}
