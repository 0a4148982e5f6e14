/**
 * Tournament 10: the pieces of a record.
 * @module
 */
import { binary, int, list, record, text } from '../messages/bodies.mjs';
import { checkKey, checkName, checkNickname } from '../messages/charter.mjs';
import { messageId, signatureHolds } from '../messages/envelope.mjs';
import { decode } from '../messages/values.mjs';
import { Check, equal, fail, hex } from '../suite/bytes.mjs';
import { H, frame } from '../suite/hashing.mjs';
import { systemOf } from './text.mjs';

const hash = binary(32);
const key = (value) => {
  const bytes = hash(value);
  checkKey(bytes);
  return bytes;
};
const nickname = (value) => {
  const name = text(32)(value);
  checkNickname(name);
  return name;
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
const player = (value) => {
  const [own, name, nonce] = record(key, nickname, hash)(value);
  return { key: own, nickname: name, nonce };
};

const PIECES = {
  1: {
    kind: 'TournamentCharter',
    names: ['version', 'id', 'name', 'dates', 'game', 'seats', 'system', 'profiles', 'organiser', 'referees', 'brokers'],
    read: record(
      int(0, 255), binary(16), text(64), text(200), text(32), int(4, 8), system, list(text(8000), 6), key, list(key, 8),
      list(text(200), 8),
    ),
  },
  2: {
    kind: 'TeamEntry',
    names: ['tournament', 'team', 'players', 'serial', 'reserves', 'proof'],
    read: record(hash, text(64), list(player, 4), int(0, 255), list(player, 1), binary(0, 32)),
  },
  3: { kind: 'EntryList', names: ['tournament', 'entries'], read: record(hash, list(hash, 32)) },
  4: { kind: 'DrawRestart', names: ['tournament', 'before', 'absent'], read: record(hash, hash, list(int(0, 31), 32)) },
  5: {
    kind: 'MatchResult',
    names: ['tournament', 'draw', 'match', 'teams', 'table', 'hand', 'head', 'scores', 'key'],
    read: record(
      hash, hash, int(1, 496), record(int(1, 32), int(1, 32)), hash, int(0, 2 ** 32 - 1), hash,
      record(int(0, 99), int(0, 99)), key,
    ),
  },
  6: {
    kind: 'TournamentRuling',
    names: ['tournament', 'draw', 'match', 'ruling', 'teams'],
    read: record(hash, hash, int(1, 496), int(1, 3), list(int(1, 32), 2)),
  },
  7: { kind: 'DrawEnd', names: ['tournament', 'follows', 'messages'], read: record(hash, hash, list(hash, 66)) },
  8: { kind: 'TournamentEnd', names: ['tournament', 'draw', 'pieces'], read: record(hash, hash, list(binary(12), 992)) },
  10: {
    kind: 'LineupChange',
    names: ['tournament', 'draw', 'match', 'place', 'captain', 'reserve'],
    read: record(hash, hash, int(1, 496), int(0, 3), key, key),
  },
  9: { kind: 'TeamWithdrawal', names: ['tournament', 'draw', 'match', 'key'], read: record(hash, hash, int(1, 496), key) },
};

const twice = (keys) => new Set(keys.map(hex)).size !== keys.length;
const named = (name) => (checkName(name, 64) && !name.includes('"')) || fail('tournament.name');
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

function checkEntry({ team, players, reserves, proof }) {
  named(team);
  if (!players.length) fail('entry.players');
  if (twice([...players, ...reserves].map((each) => each.key))) fail('entry.key');
  if (![0, 32].includes(proof.length)) fail('entry.proof');
}

/** Whose rulings count: the organiser's, where no referee is named. @param {object} charter */
export const rulersOf = ({ referees, organiser }) => (referees.length ? referees : [organiser]);

const signersOf = (found, charter) => {
  switch (found.kind) {
    case 'TeamEntry':
      return [...found.players, ...found.reserves].map((each) => each.key);
    case 'LineupChange':
      return [found.captain, found.reserve];
    case 'DrawRestart':
    case 'TournamentRuling':
      return rulersOf(charter);
    case 'MatchResult':
    case 'TeamWithdrawal':
      return [found.key];
    default:
      return [charter.organiser];
  }
};

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
  const fields = row.read(value.slice(1));
  const found = Object.fromEntries(row.names.map((name, i) => [name, fields[i]]));
  found.kind = row.kind;
  found.code = Number(value[0]);
  if (found.code === 1) {
    checkCharter(found);
    found.digest = H('p2p304/v1/tournament', body);
  } else if (charter === null) fail('piece.charter');
  if (found.code === 2) checkEntry(found);
  const whole = charter ?? found;
  if (!equal(found.code === 1 ? found.digest : found.tournament, whole.digest)) fail('piece.tournament');
  const seat = raw[2];
  const signer = signersOf(found, whole)[seat] ?? fail('piece.signer');
  const message = frame('p2p304/v1/signature', raw.subarray(0, 3), whole.digest, body);
  if (!signatureHolds(raw.subarray(3, 67), message, signer)) fail('signature');
  const id = messageId(3, body);
  const name = Uint8Array.from(id);
  name[0] ^= seat;
  return { ...found, signer, seat, id: hex(id), name: hex(name), raw };
}
