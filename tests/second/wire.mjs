// Specs 7.1, 7.3 and 7.4: topics, sealed frames, invites, the lobby.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { checkKey, checkNickname, decode, encode, headsOf } from './encoding.mjs';
import { Check, ascii, concat, equal, fail, frame, hex, sha256, u8 } from './suite.mjs';

const VERSION = 2;
const SIZES = [1024, 2048, 4096, 16384];
export const NOBODY = 255;

const derived = (key, label, length, ...fields) =>
  new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), frame(ascii(label), ...fields), length));

export const topic = (key, table) =>
  `p2p304/${hex(derived(key, 'p2p304/v1/topic', 16, table))}`;

function keyAndData(key, table, seat, salt) {
  const seatKey = derived(key, 'p2p304/v1/seal-seat-key', 32, table, u8(seat));
  return {
    frameKey: derived(seatKey, 'p2p304/v1/seal-frame-key', 32, salt),
    associated: frame(ascii('p2p304/v1/seal-associated-data'), concat(u8(VERSION), u8(seat)), table),
  };
}

const hintOf = (key, table, salt) => derived(key, 'p2p304/v1/seal-seat-hint', 1, table, salt)[0];
const options = { authTagLength: 16 };

export function seal(key, table, seat, salt, payload, room = 0) {
  const by = seat ?? NOBODY;
  const size = SIZES.find((each) => each >= Math.max(payload.length, room) + 52);
  const padded = new Uint8Array(size - 50);
  padded.set([payload.length >> 8, payload.length & 255]);
  padded.set(payload, 2);
  const { frameKey, associated } = keyAndData(key, table, by, salt);
  const cipher = createCipheriv('chacha20-poly1305', frameKey, new Uint8Array(12), options);
  cipher.setAAD(associated, { plaintextLength: padded.length });
  const sealed = concat(cipher.update(padded), cipher.final(), cipher.getAuthTag());
  return concat(u8(VERSION), u8(by ^ hintOf(key, table, salt)), salt, sealed);
}

export function open(key, table, data) {
  if (!SIZES.includes(data.length)) fail('seal.size');
  if (data[0] !== VERSION) fail('seal.version');
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
  const payload = padded.slice(2, 2 + length);
  const rest = padded.subarray(2 + length);
  if (payload.length !== length || !equal(rest, new Uint8Array(rest.length))) fail('seal.padding');
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
  if (data.length < 8 || data[0] !== VERSION) fail('invite');
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

// --- the lobby ------------------------------------------------------------------------------------

const isBytes = (value, size) => value instanceof Uint8Array && (size === undefined || value.length === size);
const isNumber = (value) => typeof value === 'bigint';
const holds = (token, label, proof, ...fields) =>
  equal(createHmac('sha256', token).update(frame(ascii(label), ...fields)).digest(), proof);

function claim(value, { token, fits }) {
  const [, table, seat, key, nickname, nonce, proof, signature] = value;
  const typed = isBytes(key) && typeof nickname === 'string' && isBytes(nonce, 32);
  if (!typed || !isBytes(proof) || !isBytes(signature)) fail('lobby');
  checkKey(key);
  checkNickname(nickname);
  const fields = [table, u8(fits(seat)), key, ascii(nickname), nonce];
  let signed = false;
  try {
    const message = frame(ascii('p2p304/v1/lobby-claim'), ...fields, proof);
    signed = ed25519.verify(signature, message, key, { zip215: false });
  } catch {
    signed = false;
  }
  const proved = signed && holds(token, 'p2p304/v1/lobby-token', proof, ...fields);
  return { message: 'Claim', seat: Number(seat), proved };
}

function board(value, { token, seat, fits }) {
  const [, table, names, charter, proofs] = value;
  if (!Array.isArray(names) || !isBytes(charter) || !Array.isArray(proofs)) fail('lobby');
  if (Math.max(names.length, proofs.length) > 64) fail('lobby');
  for (const row of names) {
    if (!Array.isArray(row) || row.length !== 2 || typeof row[1] !== 'string') fail('lobby');
    checkNickname(row[1]);
  }
  if (!proofs.every((proof) => isBytes(proof, 32))) fail('lobby');
  const seats = names.map(([each]) => fits(each));
  const fields = [table, u8(seat), encode(names), charter];
  const proved = seat < proofs.length && holds(token, 'p2p304/v1/lobby-board', proofs[seat], ...fields);
  return { message: 'Board', seats, charter: charter.length > 0, proved };
}

function taken(value, { token, fits }) {
  const [, table, seat, nonce, clash, proof] = value;
  if (!isBytes(nonce) || !isNumber(clash) || clash < 1n || clash > 3n || !isBytes(proof)) fail('lobby');
  const place = u8(fits(seat));
  const proved = holds(
    token, 'p2p304/v1/lobby-taken', proof, table, concat(place, u8(Number(clash))), nonce,
  );
  return { message: 'Taken', seat: Number(seat), clash: Number(clash), proved };
}

function inquiry(value, { fits }) {
  const [, , asked, known, heads] = value;
  if (known !== 0n && known !== 1n) fail('lobby');
  const [question, answer] = headsOf(heads);
  if (question.length || answer.length) fail('lobby');
  return { message: 'Inquiry', seat: fits(asked), knows_charter: known === 1n, proved: null };
}

const LOBBY = { 1: [8, claim], 2: [5, board], 3: [6, taken], 4: [5, inquiry] };

export function readLobby({ payload, table, seats, seat, token }) {
  const fits = (each) => (isNumber(each) && each >= 0n && each < BigInt(seats) ? Number(each) : fail('lobby'));
  try {
    if (payload[0] !== 0x4c) fail('lobby');
    const value = decode(payload.subarray(1));
    const [length, read] = (Array.isArray(value) && LOBBY[value[0]]) || fail('lobby');
    if (value.length !== length || !isBytes(value[1]) || !equal(value[1], table)) fail('lobby');
    return read(value, { token, seat, fits });
  } catch (error) {
    if (error instanceof Check) fail('lobby');
    throw error;
  }
}
