/**
 * Specs 3.1: the one encoding of values. A value is a bigint, bytes, a string or an array.
 * @module
 */
import { ascii, big, concat, fail, u8, unhex } from '../suite/bytes.mjs';

const MAX_BYTES = 16000;
const UNSIGNED = { 0xcc: [1, 0x80n], 0xcd: [2, 1n << 8n], 0xce: [4, 1n << 16n], 0xcf: [8, 1n << 32n] };
const SIGNED = { 0xd0: [1, -0x20n], 0xd1: [2, -(1n << 7n)], 0xd2: [4, -(1n << 15n)], 0xd3: [8, -(1n << 31n)] };
const TEXT = { 0xd9: [1, 32], 0xda: [2, 1 << 8], 0xdb: [4, 65536] };
const BYTES = { 0xc4: [1, 0], 0xc5: [2, 1 << 8], 0xc6: [4, 65536] };
const ARRAY = { 0xdc: [2, 16], 0xdd: [4, 65536] };

// One head: {kind, value or length, after}.
function head(data, at) {
  const first = data[at];
  const number = (size) => {
    if (data.length - at - 1 < size) fail('encoding.truncated');
    return big(data.subarray(at + 1, at + 1 + size));
  };
  if (first <= 0x7f) return { kind: 'int', value: BigInt(first), after: at + 1 };
  if (first >= 0xe0) return { kind: 'int', value: BigInt(first) - 256n, after: at + 1 };
  if (first >= 0xa0 && first <= 0xbf) return { kind: 'text', length: first & 31, after: at + 1 };
  if (first >= 0x90 && first <= 0x9f) return { kind: 'array', length: first & 15, after: at + 1 };
  if (first in UNSIGNED) {
    const [size, least] = UNSIGNED[first];
    const value = number(size);
    if (value < least) fail('encoding.canonical');
    return { kind: 'int', value, after: at + 1 + size };
  }
  if (first in SIGNED) {
    const [size, bound] = SIGNED[first];
    const value = BigInt.asIntN(8 * size, number(size));
    if (value >= bound) fail('encoding.canonical');
    return { kind: 'int', value, after: at + 1 + size };
  }
  for (const [forms, kind] of [[BYTES, 'bytes'], [TEXT, 'text'], [ARRAY, 'array']]) {
    if (first in forms) {
      const [size, least] = forms[first];
      const length = Number(number(size));
      if (length < least) fail('encoding.canonical');
      return { kind, length, after: at + 1 + size };
    }
  }
  return fail('encoding.type');
}

/** @param {Uint8Array} data @param {number} [most] */
export function decode(data, most = MAX_BYTES) {
  if (data.length > most) fail('encoding.size');
  const texts = [];
  const read = (at, depth) => {
    if (at >= data.length) fail('encoding.truncated');
    const found = head(data, at);
    if (found.kind === 'int') return [found.value, found.after];
    if (found.length > data.length - found.after) fail('encoding.truncated');
    if (found.kind === 'array') {
      if (depth >= 6) fail('encoding.depth');
      const items = [];
      let next = found.after;
      for (let i = 0; i < found.length; i++) {
        const [item, after] = read(next, depth + 1);
        items.push(item);
        next = after;
      }
      return [items, next];
    }
    const end = found.after + found.length;
    const bytes = data.slice(found.after, end);
    if (found.kind === 'bytes') return [bytes, end];
    texts.push(bytes);
    let text = '';
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      text = null;
    }
    return [text, end];
  };
  const [value, end] = read(0, 0);
  if (end !== data.length) fail('encoding.trailing');
  for (const bytes of texts) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      if (text.includes('\0')) fail('encoding.text');
    } catch {
      fail('encoding.text');
    }
  }
  return value;
}

const sized = (forms, length) => {
  for (const [first, [size]] of Object.entries(forms)) {
    if (length < 2 ** (8 * size)) {
      const text = length.toString(16).padStart(2 * size, '0');
      return concat(u8(Number(first)), unhex(text));
    }
  }
  throw new Error('too long');
};

/** @param {bigint | number | string | Uint8Array | object[]} value @returns {Uint8Array} */
export function encode(value) {
  if (typeof value === 'number') return encode(BigInt(value));
  if (typeof value === 'bigint') {
    if (value >= 0n && value <= 0x7fn) return u8(Number(value));
    if (value < 0n && value >= -32n) return u8(Number(value + 256n));
    const forms = value >= 0n ? UNSIGNED : SIGNED;
    for (const [first, [size]] of Object.entries(forms)) {
      const bits = BigInt(8 * size);
      const fits = value >= 0n ? value < 1n << bits : value >= -(1n << (bits - 1n));
      if (fits) {
        const text = BigInt.asUintN(8 * size, value).toString(16).padStart(2 * size, '0');
        return concat(u8(Number(first)), unhex(text));
      }
    }
    throw new Error('too large');
  }
  if (typeof value === 'string') {
    const bytes = ascii(value);
    return concat(bytes.length < 32 ? u8(0xa0 + bytes.length) : sized(TEXT, bytes.length), bytes);
  }
  if (value instanceof Uint8Array) return concat(sized(BYTES, value.length), value);
  const start = value.length < 16 ? u8(0x90 + value.length) : sized(ARRAY, value.length);
  return concat(start, ...value.map(encode));
}

