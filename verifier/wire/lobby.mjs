/**
 * Specs 7.4: messages of the lobby.
 * @module
 */
import { hmac } from '../vendor/node_modules/@noble/hashes/hmac.js';
import { headsOf } from '../messages/bodies.mjs';
import { checkKey, checkNickname } from '../messages/charter.mjs';
import { signatureHolds } from '../messages/envelope.mjs';
import { decode, encode } from '../messages/values.mjs';
import { Check, ascii, concat, equal, fail, u32, u8 } from '../suite/bytes.mjs';
import { frame, sha256 } from '../suite/hashing.mjs';

const isBytes = (value, size) => value instanceof Uint8Array && (size === undefined || value.length === size);
const isNumber = (value) => typeof value === 'bigint';
const holds = (token, label, proof, ...fields) =>
  equal(hmac(sha256, token, frame(label, ...fields)), proof);

function claim(value, { token, fits }) {
  const [, table, seat, key, nickname, nonce, proof, signature] = value;
  const typed = isBytes(key) && typeof nickname === 'string' && isBytes(nonce, 32);
  if (!typed || !isBytes(proof) || !isBytes(signature)) fail('lobby');
  checkKey(key);
  checkNickname(nickname);
  const fields = [table, u8(fits(seat)), key, ascii(nickname), nonce];
  const signed = signatureHolds(signature, frame('p2p304/v1/lobby-claim', ...fields, proof), key);
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

function presence(value, { fits, key }) {
  const [, table, seat, connection, serial, state, serves, signature] = value;
  if (!isBytes(connection, 8) || !isNumber(serial) || serial < 0n || serial > 0xffffffffn) fail('lobby');
  if (!isNumber(state) || state < 1n || state > 4n || (serves !== 0n && serves !== 1n)) fail('lobby');
  if (!isBytes(signature, 64)) fail('lobby');
  const where = concat(u8(fits(seat)), u8(Number(state)), u8(Number(serves)));
  const signed = frame('p2p304/v1/lobby-presence', table, where, connection, u32(Number(serial)));
  return {
    message: 'Presence',
    seat: Number(seat),
    state: Number(state),
    serves: serves === 1n,
    proved: signatureHolds(signature, signed, key),
  };
}

const LOBBY = { 1: [8, claim], 2: [5, board], 3: [6, taken], 4: [5, inquiry], 5: [8, presence] };

/** @param {{payload: Uint8Array, table: Uint8Array, seats: number, seat: number, token: Uint8Array,
 *   key: Uint8Array}} given */
export function readLobby({ payload, table, seats, seat, token, key }) {
  const fits = (each) => (isNumber(each) && each >= 0n && each < BigInt(seats) ? Number(each) : fail('lobby'));
  try {
    if (payload[0] !== 0x4c) fail('lobby');
    const value = decode(payload.subarray(1));
    const [length, read] = (Array.isArray(value) && LOBBY[value[0]]) || fail('lobby');
    if (value.length !== length || !isBytes(value[1]) || !equal(value[1], table)) fail('lobby');
    return read(value, { token, seat, fits, key });
  } catch (error) {
    if (error instanceof Check) fail('lobby');
    throw error;
  }
}
