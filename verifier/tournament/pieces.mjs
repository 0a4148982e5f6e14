/**
 * Tournament 10: the pieces of a record.
 * @module
 */
import { binary, int, list, record, text } from '../messages/bodies.mjs';
import { checkKey, checkName, checkNickname } from '../messages/charter.mjs';
import { messageId, signatureHolds } from '../messages/envelope.mjs';
import { decode } from '../messages/values.mjs';
import { Check, fail, hex, unhex } from '../suite/bytes.mjs';
import { H, frame } from '../suite/hashing.mjs';
import { systemOf } from './matches.mjs';

// Hashes and keys are compared, so they are read as text.
const hash = (value) => hex(binary(32)(value));
const key = (value) => {
  checkKey(binary(32)(value));
  return hex(value);
};
const nickname = (value) => {
  checkNickname(text(32)(value));
  return value;
};
const system = (value) => {
  const line = text(200)(value);
  try {
    return { line, terms: systemOf(line) };
  } catch (error) {
    if (error instanceof Check) fail('tournament.system');
    throw error;
  }
};
// An array of named fields, in this order.
const fields = (shape) => {
  const read = record(...Object.values(shape));
  const names = Object.keys(shape);
  return (value) => Object.fromEntries(read(value).map((each, i) => [names[i], each]));
};
const player = fields({ key, nickname, nonce: hash });
const team = int(1, 32);
const scores = record(int(0, 99), int(0, 99));
const about = { tournament: hash, draw: hash, match: int(1, 496) };

const PIECES = {
  1: ['TournamentCharter', {
    version: int(0, 255), id: binary(16), name: text(64), dates: text(200), game: text(32), seats: int(4, 8), system,
    profiles: list(text(8000), 6), organiser: key, referees: list(key, 8), brokers: list(text(200), 8),
  }],
  2: ['TeamEntry', {
    tournament: hash, team: text(64), players: list(player, 4), serial: int(0, 255), reserves: list(player, 1), proof: binary(0, 32),
  }],
  3: ['EntryList', { tournament: hash, entries: list(hash, 32) }],
  4: ['DrawRestart', { tournament: hash, before: hash, absent: list(int(0, 31), 32) }],
  5: ['MatchResult', { ...about, teams: record(team, team), table: hash, hand: int(0, 2 ** 32 - 1), head: hash, scores, key }],
  6: ['TournamentRuling', { ...about, ruling: int(1, 3), teams: list(team, 2), sides: list(team, 2) }],
  7: ['DrawEnd', { tournament: hash, follows: hash, messages: list(hash, 66) }],
  8: ['TournamentEnd', { tournament: hash, draw: hash, pieces: list((value) => hex(binary(12)(value)), 992) }],
  9: ['TeamWithdrawal', { ...about, key }],
  10: ['LineupChange', { ...about, place: int(0, 3), captain: key, reserve: key }],
};

/** @param {any[]} items */
export const twice = (items) => new Set(items).size !== items.length;
/** Whether it is a name (1.2). @param {string} name */
export const isName = (name) => checkName(name, 64) && !name.includes('"');
const named = (name) => isName(name) || fail('tournament.name');
const harmless = (told) => [...told].every((letter) => letter !== '"' && checkName(`x${letter}x`, 3));

/** The different races of a system, ascending. @param {object} terms */
export function racesOf(terms) {
  const races = terms.robin ? [terms.race] : [...terms.races, ...(terms.third === null ? [] : [terms.third])];
  return [...new Set(races)].sort((a, b) => a - b);
}

function checkCharter(found) {
  if (found.version !== 2) fail('tournament.version');
  named(found.name);
  if (!/^[0-9a-z][0-9a-z-]{0,31}$/.test(found.game)) fail('tournament.game');
  if (![4, 6, 8].includes(found.seats)) fail('tournament.seats');
  if (![1, racesOf(found.system.terms).length].includes(found.profiles.length)) fail('tournament.profiles');
  if (twice(found.referees)) fail('tournament.referees');
  if (![found.dates, ...found.brokers].every(harmless)) fail('tournament.letters');
}

/** Who signs an entry. @param {object} entry */
export const ownOf = ({ players, reserves }) => [...players, ...reserves];

function checkEntry(entry) {
  const { team, players, proof } = entry;
  named(team);
  if (!players.length) fail('entry.players');
  if (twice(ownOf(entry).map((each) => each.key))) fail('entry.key');
  if (![0, 32].includes(proof.length)) fail('entry.proof');
}

/** Whose rulings count: the organiser's, where no referee is named. @param {object} charter */
export const rulersOf = ({ referees, organiser }) => (referees.length ? referees : [organiser]);

const SIGNERS = {
  TeamEntry: (found) => ownOf(found).map((each) => each.key),
  LineupChange: ({ captain, reserve }) => [captain, reserve],
  DrawRestart: (_, charter) => rulersOf(charter),
  TournamentRuling: (_, charter) => rulersOf(charter),
  MatchResult: (found) => [found.key],
  TeamWithdrawal: (found) => [found.key],
};
const signersOf = (found, charter) => SIGNERS[found.kind]?.(found, charter) ?? [charter.organiser];

/** A piece that somebody of this tournament signed; the charter itself, where there is none yet.
 * @param {Uint8Array} raw @param {object | null} charter */
export function openPiece(raw, charter) {
  if (raw.length < 68 || raw.length > 16067) fail('envelope.size');
  if (raw[0] !== 1) fail('envelope.version');
  if (raw[1] !== 3) fail('envelope.purpose');
  const body = raw.subarray(67);
  const value = decode(body);
  const row = Array.isArray(value) && typeof value[0] === 'bigint' ? PIECES[value[0].toString()] : undefined;
  if (!row) fail('schema.kind');
  const found = { ...fields(row[1])(value.slice(1)), kind: row[0], code: Number(value[0]) };
  if (found.code === 1) {
    checkCharter(found);
    found.digest = H('p2p304/v1/tournament', body);
  } else if (charter === null) fail('piece.charter');
  if (found.code === 2) checkEntry(found);
  const whole = charter ?? found;
  if ((found.code === 1 ? hex(found.digest) : found.tournament) !== hex(whole.digest)) fail('piece.tournament');
  const seat = raw[2];
  const signer = signersOf(found, whole)[seat] ?? fail('piece.signer');
  const message = frame('p2p304/v1/signature', raw.subarray(0, 3), whole.digest, body);
  if (!signatureHolds(raw.subarray(3, 67), message, unhex(signer))) fail('signature');
  const id = messageId(3, body);
  const name = Uint8Array.from(id);
  name[0] ^= seat;
  return { ...found, signer, seat, id: hex(id), name: hex(name), raw };
}
