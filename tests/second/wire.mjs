// Specs 7.1 and 7.3: topics, sealed frames, invites.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { ascii, concat, equal, fail, frame, hex, sha256, u8 } from './suite.mjs';

const SIZES = [1024, 4096, 16384];
export const NOBODY = 255;

const derived = (key, label, length, ...fields) =>
  new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), frame(ascii(label), ...fields), length));

export const topic = (key, table) =>
  `p2p304/${hex(derived(key, 'p2p304/v1/topic', 16, table))}`;

function keyAndData(key, table, seat, salt) {
  const seatKey = derived(key, 'p2p304/v1/seal-seat-key', 32, table, u8(seat));
  return {
    frameKey: derived(seatKey, 'p2p304/v1/seal-frame-key', 32, salt),
    associated: frame(ascii('p2p304/v1/seal-associated-data'), concat(u8(1), u8(seat)), table),
  };
}

const hintOf = (key, table, salt) => derived(key, 'p2p304/v1/seal-seat-hint', 1, table, salt)[0];
const options = { authTagLength: 16 };

export function seal(key, table, seat, salt, payload) {
  const by = seat ?? NOBODY;
  const size = SIZES.find((each) => each >= payload.length + 52);
  const padded = new Uint8Array(size - 50);
  padded.set([payload.length >> 8, payload.length & 255]);
  padded.set(payload, 2);
  const { frameKey, associated } = keyAndData(key, table, by, salt);
  const cipher = createCipheriv('chacha20-poly1305', frameKey, new Uint8Array(12), options);
  cipher.setAAD(associated, { plaintextLength: padded.length });
  const sealed = concat(cipher.update(padded), cipher.final(), cipher.getAuthTag());
  return concat(u8(1), u8(by ^ hintOf(key, table, salt)), salt, sealed);
}

export function open(key, table, data) {
  if (!SIZES.includes(data.length)) fail('seal.size');
  if (data[0] !== 1) fail('seal.version');
  const salt = data.subarray(2, 34);
  const seat = data[1] ^ hintOf(key, table, salt);
  const { frameKey, associated } = keyAndData(key, table, seat, salt);
  const cipher = createDecipheriv('chacha20-poly1305', frameKey, new Uint8Array(12), options);
  cipher.setAAD(associated, { plaintextLength: data.length - 50 });
  cipher.setAuthTag(data.subarray(-16));
  let padded;
  try {
    padded = concat(cipher.update(data.subarray(34, -16)), cipher.final());
  } catch {
    fail('seal.tag');
  }
  const length = 256 * padded[0] + padded[1];
  const least = SIZES.find((each) => each >= length + 52);
  const payload = padded.slice(2, 2 + length);
  const rest = padded.subarray(2 + length);
  if (least !== data.length || !equal(rest, new Uint8Array(rest.length))) fail('seal.padding');
  return { payload, seat: seat === NOBODY ? null : seat };
}

// --- invites --------------------------------------------------------------------------------------

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PORTS = { mqtt: 1883, mqtts: 8883, ws: 80, wss: 443 };
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?|\[[0-9a-f:.]+\])$/;

function digitsOf(text) {
  let bits = 0;
  let held = 0;
  const bytes = [];
  for (const letter of text) {
    const digit = DIGITS.indexOf(letter);
    if (digit < 0) fail('invite');
    held = (held << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(held >> bits);
      held &= (1 << bits) - 1;
    }
  }
  if (held || bits >= 5) fail('invite');
  return Uint8Array.from(bytes);
}

function node(text) {
  const found = /^(mqtts?|wss?):\/\/([^:/?#@[\]]+|\[[^\]]+\])(?::(\d{1,5}))?(\/[A-Za-z0-9._~/-]*)?$/.exec(text);
  if (!found) return fail('invite');
  const [, scheme, host, port, path] = found;
  if (!HOST.test(host) || (port && (Number(port) < 1 || Number(port) > 65535))) fail('invite');
  const web = scheme.startsWith('ws');
  if (!web && path && path !== '/') fail('invite');
  const own = web && path && path !== '/' ? path : web && '/mqtt';
  return [scheme, host, port ? Number(port) : PORTS[scheme], own || ''].join(' ');
}

export function parseInvite(text) {
  const letters = text.toUpperCase().replace(/[\s-]/g, '');
  if (!letters.startsWith('P2P304')) fail('invite');
  const data = digitsOf(letters.slice(6).replaceAll('O', '0').replace(/[IL]/g, '1'));
  if (data.length < 8 || data[0] !== 1) fail('invite');
  const [, seat, length] = data;
  const watch = seat === 255;
  if (!watch && seat > 63) fail('invite');
  const start = 3 + 16 + 32 + (watch ? 0 : 16);
  const end = start + length;
  if (data.length !== end + 5) fail('invite');
  const sum = sha256(concat(ascii('p2p304 invite 1'), data.subarray(0, end)));
  if (!equal(sum.subarray(0, 5), data.subarray(end))) fail('invite');
  const address = Buffer.from(data.subarray(start, end)).toString('latin1');
  const nodes = address.split(',').map(node);
  if (nodes.length > 4 || new Set(nodes).size !== nodes.length) fail('invite');
  return {
    address,
    table: hex(data.subarray(3, 19)),
    table_key: hex(data.subarray(19, 51)),
    seat: watch ? null : seat,
    token: watch ? null : hex(data.subarray(51, 67)),
  };
}
