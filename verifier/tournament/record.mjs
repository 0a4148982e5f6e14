/**
 * Tournament 10 and 11: pieces, their records, and the draws in them.
 * @module
 */
import { TableLedger } from '../files/ledger.mjs';
import { binary, int, list, record, text } from '../messages/bodies.mjs';
import { checkKey, checkName, checkNickname, decodeCharter } from '../messages/charter.mjs';
import { messageId, openEnvelope, signatureHolds } from '../messages/envelope.mjs';
import { decode, encode } from '../messages/values.mjs';
import { Check, compare, equal, fail, hex, unhex } from '../suite/bytes.mjs';
import { H, frame } from '../suite/hashing.mjs';
import { byAll, isName, systemOf, twice } from './matches.mjs';

const MOST_BYTES = 8_000_000;
const MOST_PIECES = 16_384;
const MOST_ENTRIES = 1024;
const MOST_DRAWS = 1024;
const FEWEST = 2;
const LEDGER = 1;
const OF_PLAYERS = ['MatchResult', 'TeamWithdrawal', 'LineupChange'];
const LAST = 11; // messages of draws, behind all kinds of 10.3

// What a check refuses is nothing, and every other error is one.
const orNothing = (work) => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Check) return null;
    throw error;
  }
};

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
  return { line, terms: orNothing(() => systemOf(line)) ?? fail('tournament.system') };
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

/** A set of pieces by name. */
export class TournamentRecord {
  /** @param {object} charter @param {Uint8Array[]} raws other pieces, in any order */
  constructor(charter, raws) {
    this.charter = charter;
    this.pieces = new Map([[charter.name, charter]]);
    const entered = new Set();
    for (const raw of raws.filter((each) => each[1] !== LEDGER)) {
      const piece = openPiece(raw, charter);
      this.keep(piece);
      if (piece.kind === 'TeamEntry') entered.add(piece.name);
      if (entered.size > MOST_ENTRIES) fail('record.size');
    }
    const players = new Set(this.of('TeamEntry').flatMap((each) => ownOf(each).map(({ key }) => key)));
    if (this.of(...OF_PLAYERS).some(({ signer }) => !players.has(signer))) fail('piece.stranger');
    this.draws = this.allDraws();
    for (const raw of raws.filter((each) => each[1] === LEDGER)) this.keep(this.openDrawn(raw));
  }

  keep(piece) {
    const known = this.pieces.get(piece.name);
    if (!known || compare(piece.raw, known.raw) < 0) this.pieces.set(piece.name, piece);
  }

  /** The pieces of kinds by name. @param {...string} kinds */
  of(...kinds) {
    return this.sorted(({ name }) => [name]).filter(({ kind }) => kinds.includes(kind));
  }

  /** All pieces in an order. @param {(piece: object) => any[]} order */
  sorted(order) {
    return [...this.pieces.values()].sort((a, b) => byAll(order(a), order(b)));
  }

  /** Entries that all of their players have signed, by id. */
  entries() {
    const found = new Map(this.of('TeamEntry').map((each) => [each.id, { ...each, signed: 0 }]));
    for (const { id } of this.of('TeamEntry')) found.get(id).signed += 1;
    return new Map([...found].filter(([, each]) => each.signed === ownOf(each).length));
  }

  /** The entries of a list. @param {object} piece */
  listed(piece) {
    const known = this.entries();
    const entries = piece.entries.map((id) => known.get(id) ?? fail('list.missing'));
    if (entries.length < FEWEST) fail('list.entries');
    const players = entries.flatMap(ownOf);
    const keys = players.map(({ key }) => key);
    if (twice(keys)) fail('list.key');
    if (keys.includes(this.charter.organiser)) fail('list.organiser');
    if (twice(players.map(({ nickname }) => nickname))) fail('list.nickname');
    const sized = entries.every((each) => each.players.length === this.charter.seats / 2);
    if (!sized || twice(entries.map(({ team }) => team))) fail('list.entries');
    return entries;
  }

  allDraws() {
    const restarts = new Map();
    for (const { id, before, absent } of this.of('DrawRestart').sort((a, b) => byAll([a.id], [b.id]))) {
      restarts.set(before, (restarts.get(before) ?? new Map()).set(id, absent));
    }
    const lists = this.of('EntryList').map((piece) => [piece.id, orNothing(() => this.listed(piece))]);
    const held = lists.filter(([, entries]) => entries).slice(0, MOST_DRAWS);
    const made = held.map(([id, entries]) => drawOf(this.charter, id, entries, []));
    for (const draw of made) {
      for (const [id, absent] of restarts.get(draw.follows) ?? []) {
        const left = draw.entries.filter((_, place) => !absent.includes(place));
        const right = absent.length && left.length + absent.length === draw.entries.length;
        if (!right || left.length < FEWEST || made.length === MOST_DRAWS) continue;
        made.push(drawOf(this.charter, id, left, [...draw.before, draw.follows]));
      }
    }
    return made;
  }

  openDrawn(raw) {
    if (raw.length < 68) fail('envelope.size');
    if (raw[0] !== 1) fail('envelope.version');
    const value = orNothing(() => decode(raw.subarray(67)));
    const tag = Array.isArray(value) && value[0] instanceof Uint8Array ? value[0] : null;
    const draw = (tag && this.draws.find(({ charter }) => equal(charter.tag, tag))) ?? fail('piece.draw');
    const said = openEnvelope(raw, draw.charter);
    const { round, number, seat } = said;
    if (number !== 0 || said.kind !== ['Confirmation', 'LuckOpening'][round]) fail('piece.draw');
    const place = `${round} ${seat} ${hex(said.previous)}`; // and the history that it continues
    const id = hex(said.id);
    return { kind: 'DrawMessage', code: LAST, id, name: id, signer: hex(draw.charter.seats[seat].key), seat, raw, draw, said, place };
  }
}

/** @param {Uint8Array} data */
export function readRecord(data) {
  const value = decode(data, MOST_BYTES);
  const [magic, format, raws] = Array.isArray(value) ? value : [];
  if (magic === 'p2p304 tournament' && [1n, 2n, 3n].includes(format)) fail('record.version');
  const shaped = magic === 'p2p304 tournament' && format === 4n && value.length === 3;
  if (!shaped || !Array.isArray(raws) || !raws.length) fail('record.format');
  if (raws.length > MOST_PIECES) fail('record.size');
  if (!raws.every((each) => each instanceof Uint8Array)) fail('record.format');
  const record = new TournamentRecord(openPiece(raws[0], null), raws.slice(1));
  record.ordered = record.sorted(({ code, name }) => [code, name]);
  const alike = record.ordered.length === raws.length && record.ordered.every((each, i) => equal(each.raw, raws[i]));
  return alike ? record : fail('record.order');
}

/** The draw of these entries (11.1). @param {object} charter @param {string} follows @param {object[]} entries @param {string[]} before */
function drawOf(charter, follows, entries, before) {
  const table = H('p2p304/v1/tournament-draw', charter.digest, unhex(follows)).subarray(0, 16);
  const captains = entries.map(({ players: [{ key }] }, i) => [key, `captain ${i + 1}`]);
  const rows = [...captains, [charter.organiser, 'organiser']].map(([key, name]) => {
    return [unhex(key), name, H('p2p304/v1/tournament-nonce', table, unhex(key))];
  });
  const bytes = encode([2, table, 'tournament-draw', hex(charter.digest), rows, []]);
  return { follows, entries, before, list: [...before, follows][0], charter: decodeCharter(bytes), organiser: entries.length };
}

// Those that fit and are right; the round closes if all of them are.
function follow(ledger, messages) {
  const { round, head } = ledger;
  for (const { said } of messages) {
    if (ledger.round !== round || said.round !== round || !equal(said.previous, head)) continue;
    if (ledger.missing().includes(said.seat) && orNothing(() => ledger.judge(said)) !== null) ledger.accept(said);
  }
}

/** How far a draw has come by messages of it by id; of several for one place the lowest is looked at (11.6).
 * @param {object} draw @param {object[]} messages */
function stateOf(draw, messages) {
  const lowest = new Map([...messages].reverse().map((each) => [each.place, each]));
  const said = messages.filter((each) => lowest.get(each.place) === each);
  const ledger = new TableLedger(draw.charter, { lane: 0, number: 0, after: [], leading: 0, scores: [] });
  follow(ledger, said);
  if (ledger.round === 1) follow(ledger, said);
  const all = ledger.round === 1 && ledger.missing().every((seat) => seat === draw.organiser);
  return { draw, all: all || ledger.settled, complete: ledger.settled, head: hex(ledger.head), luck: null, ledger };
}

/** The draws that have ended, and of a list without any the one that is to be finished (11.4 to 11.6).
 * @param {TournamentRecord} record */
export function statesOf(record) {
  const said = record.of('DrawMessage');
  const of = ({ follows }) => said.filter((each) => each.draw.follows === follows);
  const open = (draws) => {
    const states = draws.filter((each) => of(each).length).map((each) => stateOf(each, of(each)));
    const rank = ({ complete, draw }) => [Number(complete), draw.before.length];
    const [first] = states.filter(({ all }) => all).sort((a, b) => byAll(rank(b), rank(a)));
    if (first) return first;
    const restarts = record.of('DrawRestart').sort((a, b) => byAll([a.seat, a.id], [b.seat, b.id]));
    const after = (draw) => {
      const next = restarts.map(({ id }) => draws.find((each) => each.follows === id && each.before.at(-1) === draw.follows));
      return next.find((each) => each);
    };
    let [last] = draws;
    while (after(last)) last = after(last);
    return stateOf(last, of(last));
  };
  const found = record.of('EntryList').flatMap(({ id }) => {
    const draws = record.draws.filter(({ list }) => list === id);
    const ended = record.of('DrawEnd').flatMap(({ follows, messages }) => {
      const draw = draws.find((each) => each.follows === follows);
      if (!draw) return [];
      const named = of(draw).filter(({ name }) => messages.includes(name));
      const state = stateOf(draw, named);
      const whole = state.complete && named.length === 2 * (draw.organiser + 1);
      return whole && named.map(({ name }) => name).join() === messages.join() ? [{ ...state, luck: state.ledger.luck }] : [];
    });
    return ended.length || !draws.length ? ended : [open(draws)];
  });
  return found.sort((a, b) => byAll([Number(!a.luck), a.draw.follows], [Number(!b.luck), b.draw.follows]));
}
