// Specs 3: values, charters, envelopes, bodies. A value is a bigint, bytes, a string or an array.
import { ed25519 } from '@noble/curves/ed25519.js';
import { Check, H, ascii, big, concat, equal, fail, frame, hex, u8 } from './suite.mjs';

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
      return concat(u8(Number(first)), Buffer.from(text, 'hex'));
    }
  }
  throw new Error('too long');
};

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
        return concat(u8(Number(first)), Buffer.from(text, 'hex'));
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

// --- charters -------------------------------------------------------------------------------------

const PRIME = 2n ** 255n - 19n;
const FORBIDDEN = [
  [0, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x61c, 0x61c], [0x180e, 0x180e], [0x200b, 0x200b],
  [0x200e, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0xd800, 0xdfff], [0xfeff, 0xfeff],
  [0xfff0, 0xfffb], [0xe0000, 0xe0fff],
];
const SPACES = /^[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$/u;

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

export function checkNickname(name) {
  const letters = [...name];
  if (letters.length < 1 || letters.length > 32) fail('charter.nickname');
  if (SPACES.test(letters[0]) || SPACES.test(letters.at(-1))) fail('charter.nickname');
  for (const letter of letters) {
    const code = letter.codePointAt(0);
    if (FORBIDDEN.some(([a, b]) => code >= a && code <= b)) fail('charter.nickname');
  }
}

const isBytes = (value) => value instanceof Uint8Array;

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
  const names = terms.map(([name]) => Buffer.from(name));
  for (let i = 1; i < names.length; i++) {
    if (Buffer.compare(names[i - 1], names[i]) >= 0) fail('charter.term_order');
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

// --- bodies ---------------------------------------------------------------------------------------

const int = (least, most) => (value) => {
  if (typeof value !== 'bigint') fail('schema.type');
  if (value < BigInt(least) || value > BigInt(most)) fail('schema.range');
  return Number(value);
};
const binary = (least, most = least) => (value) => {
  if (!isBytes(value)) fail('schema.type');
  if (value.length < least || value.length > most) fail('schema.size');
  return value;
};
const text = (most, asciiOnly = false) => (value) => {
  if (typeof value !== 'string') fail('schema.type');
  if ([...value].length > most) fail('schema.size');
  if (asciiOnly && !/^[ -~]*$/.test(value)) fail('schema.ascii');
  return value;
};
const list = (item, most) => (value) => {
  if (!Array.isArray(value)) fail('schema.type');
  if (value.length > most) fail('schema.size');
  return value.map(item);
};
const record = (...fields) => (value) => {
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
};
const HEAD = record(int(0, 2), int(0, 2 ** 32 - 1), int(0, 4096), hash, present);
const NOTICES = {
  1: ['Heads', record(binary(0, 16), binary(0, 16), list(HEAD, 16))],
  2: ['UnfinishedAgreement', record(int(0, 2 ** 32 - 1), int(0, 4096), hash, present)],
  3: ['Chat', record(text(500))],
};
export const headsOf = (value) => NOTICES[1][1](value);
const kindOf = (table, code) =>
  (typeof code === 'bigint' && table[code.toString()]) || fail('schema.kind');

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

// --- envelopes ------------------------------------------------------------------------------------

const verified = new Map();
function signatureHolds(signature, message, key) {
  const name = hex(H('memo', signature, message, key));
  if (!verified.has(name)) {
    let good = false;
    try {
      good = ed25519.verify(signature, message, key, { zip215: false });
    } catch {
      good = false;
    }
    verified.set(name, good);
  }
  return verified.get(name);
}

export const messageId = (purpose, body) => H('p2p304/v1/message-id', u8(purpose), body);

// The message in an envelope. What its signer is to be blamed for carries the seat.
export function openEnvelope(raw, charter) {
  if (raw.length < 68 || raw.length > 16067) fail('envelope.size');
  if (raw[0] !== 1) fail('envelope.version');
  const [, purpose, seat] = raw;
  if (purpose !== 1 && purpose !== 2) fail('envelope.purpose');
  if (seat >= charter.seats.length) fail('envelope.seat');
  const body = raw.subarray(67);
  const message = frame(ascii('p2p304/v1/signature'), raw.subarray(0, 3), charter.digest, body);
  if (!signatureHolds(raw.subarray(3, 67), message, charter.seats[seat].key)) fail('signature');
  let found;
  try {
    found = decodeBody(purpose, body);
  } catch (error) {
    if (error instanceof Check) error.seat = seat;
    throw error;
  }
  if (found.seat !== seat) fail('envelope.other_seat');
  if (!equal(found.table, charter.tag)) fail('envelope.other_table');
  return { ...found, purpose, id: messageId(purpose, body) };
}
