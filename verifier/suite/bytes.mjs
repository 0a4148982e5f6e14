/**
 * Bytes: lengths, order, hexadecimal, text, base64; and the one error by which something is refused.
 * @module
 */

/** What is refused, by the name of the first check that fails (specs 6.3). */
export class Check extends Error {
  /** @param {string} check @param {number} [seat] whom it convicts */
  constructor(check, seat) {
    super(check);
    this.check = check;
    this.seat = seat;
  }
}

/** @param {string} check @param {number} [seat] @returns {never} */
export const fail = (check, seat) => {
  throw new Check(check, seat);
};

/** What a check refuses is null, and every other error is one. @template T @param {() => T} work @returns {T | null} */
export function orNothing(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Check) return null;
    throw error;
  }
}

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** @param {string} text */
export function unhex(text) {
  const out = new Uint8Array(text.length >> 1);
  for (let i = 0; i < out.length; i++) out[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}

/** @param {string} text */
export const ascii = (text) => new TextEncoder().encode(text);

/** @param {...Uint8Array} parts */
export function concat(...parts) {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** @param {Uint8Array} a @param {Uint8Array} b */
export function compare(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** @param {Uint8Array} a @param {Uint8Array} b */
export const equal = (a, b) => a.length === b.length && compare(a, b) === 0;

/** @param {number} n */
export const u8 = (n) => Uint8Array.of(n);

/** @param {number} n big-endian */
export const u32 = (n) => Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n);

/** @param {number} n little-endian */
export const u32le = (n) => Uint8Array.of(n, n >>> 8, n >>> 16, n >>> 24);

/** @param {number} n */
export const u64 = (n) => concat(u32(Math.floor(n / 2 ** 32)), u32(n % 2 ** 32));

/** @param {Uint8Array} bytes big-endian */
export const big = (bytes) => BigInt('0x' + (hex(bytes) || '0'));

/** @param {Uint8Array} bytes little-endian */
export const little = (bytes) => big(Uint8Array.from(bytes).reverse());

/** @param {string} text base64 */
export function unbase64(text) {
  const letters = atob(text);
  const out = new Uint8Array(letters.length);
  for (let i = 0; i < out.length; i++) out[i] = letters.charCodeAt(i);
  return out;
}
