/**
 * Tournament 10 and 11: pieces, their records, and the draws in them.
 * @module
 */
import { TableLedger } from '../files/ledger.mjs';
import { binary, int, kindOf, list, record, text } from '../messages/bodies.mjs';
import { checkKey, checkNickname, decodeCharter } from '../messages/charter.mjs';
import { checkSignature, messageId, openEnvelope, partsOf } from '../messages/envelope.mjs';
import { decode, encode } from '../messages/values.mjs';
import { equal, fail, hex, orNothing, unhex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { grouped, sortedBy, twice } from '../suite/lists.mjs';
import { canMeet, isName, systemOf } from './matches.mjs';

const MOST_BYTES = 8_000_000;
const MOST_PIECES = 16_384;
const MOST_ENTRIES = 1024;
const MOST_DRAWS = 1024;
const LEDGER = 1;
const OF_PLAYERS = ['MatchResult', 'TeamWithdrawal', 'LineupChange'];
const LAST = 11; // messages of draws, behind all kinds of 10.3

const named = (name) => isName(name) || fail('tournament.name');

function checkCharter({ version, name, game, seats, system, profiles, referees, dates, brokers }) {
  if (version !== 2) fail('tournament.version');
  named(name);
  if (!/^[0-9a-z][0-9a-z-]{0,31}$/.test(game)) fail('tournament.game');
  if (![4, 6, 8].includes(seats)) fail('tournament.seats');
  if (![1, system.lengths.length].includes(profiles.length)) fail('tournament.profiles');
  if (twice(referees)) fail('tournament.referees');
  if (![...[dates, ...brokers].join('')].every((letter) => isName(`x${letter}x`))) fail('tournament.letters');
}

function checkEntry(entry) {
  named(entry.team);
  if (!entry.players.length) fail('entry.players');
  if (twice(keysOf(entry))) fail('entry.key');
  if (![0, 32].includes(entry.proof.length)) fail('entry.proof');
}

const ownOf = ({ players, reserves }) => [...players, ...reserves];
/** The keys of those who sign an entry. @param {object} entry */
export const keysOf = (entry) => ownOf(entry).map(({ key }) => key);

/** Whose rulings count: the organiser's, where no referee is named. @param {object} charter */
export const rulersOf = ({ referees, organiser }) => (referees.length ? referees : [organiser]);

// Hashes and keys are compared, so they are read as text.
const bytes = (size) => (value) => hex(binary(size)(value));
const hash = bytes(32);
const key = (value) => hex(checkKey(binary(32)(value)));
const nickname = (value) => checkNickname(text(32)(value));
const system = (value) => systemOf(text(200)(value), 'tournament.system');
// An array of named fields, in this order.
const fields = (shape) => {
  const read = record(...Object.values(shape));
  const names = Object.keys(shape);
  return (value) => Object.fromEntries(read(value).map((each, i) => [names[i], each]));
};
const player = fields({ key, nickname, nonce: hash });
const team = int(1, 32);
const scores = record(int(0, 99), int(0, 99));
const tournament = { tournament: hash };
const about = { ...tournament, draw: hash, match: int(1, 496) };

const organiser = (charter) => [charter.organiser];
const itself = (_, found) => [found.key];
const pair = (_, found) => [found.captain, found.reserve];

// By code: the kind, who signs it, its fields, what must be true of them.
const PIECES = {
  1: ['TournamentCharter', organiser, fields({
    version: int(0, 255), id: binary(16), name: text(64), dates: text(200), game: text(32), seats: int(4, 8), system,
    profiles: list(text(8000), 6), organiser: key, referees: list(key, 8), brokers: list(text(200), 8),
  }), checkCharter],
  2: ['TeamEntry', (_, found) => keysOf(found), fields({
    ...tournament, team: text(64), players: list(player, 4), serial: int(0, 255), reserves: list(player, 1),
    proof: binary(0, 32),
  }), checkEntry],
  3: ['EntryList', organiser, fields({ ...tournament, entries: list(hash, 32) })],
  4: ['DrawRestart', rulersOf, fields({ ...tournament, before: hash, absent: list(int(0, 31), 32) })],
  5: ['MatchResult', itself, fields({
    ...about, teams: record(team, team), table: hash, hand: int(0, 2 ** 32 - 1), head: hash, scores, key,
  })],
  6: ['TournamentRuling', rulersOf, fields({ ...about, ruling: int(1, 3), teams: list(team, 2), sides: list(team, 2) })],
  7: ['DrawEnd', organiser, fields({ ...tournament, follows: hash, messages: list(hash, 66) })],
  8: ['TournamentEnd', organiser, fields({ ...tournament, draw: hash, pieces: list(bytes(12), 992) })],
  9: ['TeamWithdrawal', itself, fields({ ...about, key })],
  10: ['LineupChange', pair, fields({ ...about, place: int(0, 3), captain: key, reserve: key })],
};

// A piece that somebody of this tournament signed; the charter itself, where there is none yet.
function openPiece(raw, charter) {
  const { seat, body } = partsOf(raw, [3]);
  const value = decode(body);
  const [code, ...rest] = Array.isArray(value) ? value : [];
  const [kind, signers, read, check] = kindOf(PIECES, code);
  const found = { ...read(rest), kind, code: Number(code) };
  if (kind === 'TournamentCharter') found.tournament = hex(H('p2p304/v1/tournament', body));
  else if (charter === null) fail('piece.charter');
  check?.(found);
  const whole = charter ?? found;
  if (found.tournament !== whole.tournament) fail('piece.tournament');
  const signer = signers(whole, found)[seat] ?? fail('piece.signer');
  checkSignature(raw, unhex(whole.tournament), unhex(signer));
  const id = messageId(3, body);
  const name = Uint8Array.from(id);
  name[0] ^= seat;
  return { ...found, signer, seat, id: hex(id), name: hex(name), raw };
}

// --- the record (10) -------------------------------------------------------------------------------

/** @param {Uint8Array} data @returns {TournamentRecord} */
export function readRecord(data) {
  const value = decode(data, MOST_BYTES);
  const [magic, format, raws] = Array.isArray(value) ? value : [];
  if (magic === 'p2p304 tournament' && [1n, 2n, 3n].includes(format)) fail('record.version');
  const shaped = magic === 'p2p304 tournament' && format === 4n && value.length === 3;
  if (!shaped || !Array.isArray(raws) || !raws.length) fail('record.format');
  if (raws.length > MOST_PIECES) fail('record.size');
  if (!raws.every((each) => each instanceof Uint8Array)) fail('record.format');
  const record = new TournamentRecord(raws);
  const alike = record.pieces.length === raws.length && record.pieces.every(({ raw }, i) => equal(raw, raws[i]));
  return alike ? record : fail('record.order');
}

// A file with two pieces of one name, which counts once, is refused for its order.
const onceEach = (pieces) =>
  sortedBy([...new Map(pieces.map((each) => [each.name, each])).values()], ({ code, name }) => [code, name]);

/** Pieces in their one order. */
export class TournamentRecord {
  /** @param {Uint8Array[]} raws that of the charter first */
  constructor([first, ...raws]) {
    this.charter = openPiece(first, null);
    const opened = [this.charter];
    const entered = new Set();
    for (const raw of raws.filter((each) => each[1] !== LEDGER)) {
      const piece = openPiece(raw, this.charter);
      opened.push(piece);
      if (piece.kind === 'TeamEntry') entered.add(piece.name);
      if (entered.size > MOST_ENTRIES) fail('record.size');
    }
    this.pieces = onceEach(opened);
    const players = new Set(this.of('TeamEntry').flatMap(keysOf));
    if (this.of(...OF_PLAYERS).some(({ signer }) => !players.has(signer))) fail('piece.stranger');
    this.draws = drawsOf(this);
    const said = raws.filter((each) => each[1] === LEDGER).map((raw) => openDrawn(raw, this.draws));
    this.pieces = onceEach([...this.pieces, ...said]);
  }

  /** The pieces of kinds. @param {...string} kinds */
  of(...kinds) {
    return this.pieces.filter(({ kind }) => kinds.includes(kind));
  }
}

// --- draws (11) ------------------------------------------------------------------------------------

function drawsOf(record) {
  const signed = [...grouped(record.of('TeamEntry'), ({ id }) => id).values()];
  const whole = new Map(signed.filter((each) => each.length === ownOf(each[0]).length).map(([each]) => [each.id, each]));
  const restarts = new Map(sortedBy(record.of('DrawRestart'), ({ id, seat }) => [id, -seat]).map((each) => [each.id, each]));
  const after = grouped(restarts.values(), ({ before }) => before);
  const draws = [];
  const make = (...given) => draws.length < MOST_DRAWS && draws.push(drawOf(record.charter, ...given));
  for (const { id, entries } of record.of('EntryList')) {
    const listed = entries.map((each) => whole.get(each));
    if (listed.every(Boolean) && fit(record.charter, listed)) make(id, listed, []);
  }
  for (const { follows, entries, before } of draws) { // grows while it is walked
    for (const { id, absent, seat } of after.get(follows) ?? []) {
      const left = entries.filter((_, place) => !absent.includes(place));
      const right = absent.length && left.length + absent.length === entries.length; // all are there, none twice
      if (right && left.length >= 2) make(id, left, [...before, follows], seat);
    }
  }
  return draws;
}

// Whether these teams can meet in this tournament (10.6).
function fit({ seats, organiser }, entries) {
  const people = entries.flatMap(ownOf);
  const unique = !twice([organiser, ...people.map(({ key }) => key)]) && !twice(people.map(({ nickname }) => nickname));
  return unique && canMeet(seats, entries.map(({ team, players }) => [team, ...players.map(({ key }) => key)]));
}

/** The charter of a table of a draw or a match (11.1, 12.1). @param {Uint8Array} table */
export function charterOf(table, game, profile, players, terms) {
  const rows = players.map(({ key, nickname, nonce }) => {
    const own = nonce === undefined ? [] : [unhex(nonce)];
    return [unhex(key), nickname, H('p2p304/v1/tournament-nonce', table, unhex(key), ...own)];
  });
  return decodeCharter(encode([2, table, game, profile, rows, terms]));
}

// The draw of these entries behind a list, or a restart of the referee in a seat (11.1).
function drawOf(charter, follows, entries, before, seat = 0) {
  const table = H('p2p304/v1/tournament-draw', unhex(charter.tournament), unhex(follows)).subarray(0, 16);
  const captains = entries.map(({ players: [{ key }] }, i) => ({ key, nickname: `captain ${i + 1}` }));
  const seats = [...captains, { key: charter.organiser, nickname: 'organiser' }];
  const made = charterOf(table, 'tournament-draw', charter.tournament, seats, []);
  return { follows, seat, entries, before, list: [...before, follows][0], charter: made, organiser: entries.length };
}

function openDrawn(raw, draws) {
  const { body } = partsOf(raw, [LEDGER]);
  const value = orNothing(() => decode(body));
  const tag = Array.isArray(value) && value[0] instanceof Uint8Array ? value[0] : null;
  const draw = (tag && draws.find(({ charter }) => equal(charter.tag, tag))) ?? fail('piece.draw');
  const said = openEnvelope(raw, draw.charter);
  const { round, number, seat } = said;
  if (number !== 0 || said.kind !== ['Confirmation', 'LuckOpening'][round]) fail('piece.draw');
  const place = `${round} ${seat} ${hex(said.previous)}`; // and the history that it continues
  const id = hex(said.id);
  return { kind: 'DrawMessage', code: LAST, id, name: id, signer: hex(draw.charter.seats[seat].key), raw, draw, said, place };
}

// How far a draw has come by messages of it; if those that end it are named, by these alone.
function stateOf(draw, messages, named) {
  const told = named ? messages.filter(({ id }) => named.includes(id)) : messages;
  const lowest = [...grouped(told, ({ place }) => place).values()].map(([each]) => each); // 11.6
  const ledger = new TableLedger(draw.charter, { lane: 0, number: 0, after: [], leading: 0, scores: [] });
  const taken = [];
  for (const round of [0, 1]) {
    for (const { id, said } of lowest.filter((each) => each.said.round === round)) {
      const awaited = ledger.round === round && ledger.missing().includes(said.seat) && equal(said.previous, ledger.head);
      if (!awaited || orNothing(() => ledger.judge(said)) === null) continue;
      ledger.accept(said);
      taken.push(id);
    }
  }
  const all = ledger.round > 0 && ledger.missing().every((seat) => seat === draw.organiser);
  const luck = ledger.settled && taken.sort().join() === named?.join() ? ledger.luck : null;
  return { draw, all, complete: ledger.settled, head: hex(ledger.head), luck };
}

/** The draws that have ended, and of a list without any the one that is to be finished (11.4 to 11.6).
 * @param {TournamentRecord} record */
export function statesOf(record) {
  const said = grouped(record.of('DrawMessage'), ({ draw }) => draw);
  const state = (draw, named) => stateOf(draw, said.get(draw) ?? [], named);
  const open = (draws) => {
    const opened = draws.map((draw) => state(draw)).filter(({ all }) => all);
    if (opened.length) return sortedBy(opened, ({ complete, draw }) => [!complete, -draw.before.length])[0];
    const behind = (draw) => draws.filter(({ before }) => before.at(-1) === draw.follows);
    const next = (draw) => sortedBy(behind(draw), ({ seat, follows }) => [seat, follows])[0];
    let [last] = draws;
    while (next(last)) last = next(last);
    return state(last);
  };
  const found = record.of('EntryList').flatMap(({ id }) => {
    const draws = record.draws.filter(({ list }) => list === id);
    const ended = record.of('DrawEnd').flatMap(({ follows, messages }) => {
      return draws.filter((each) => each.follows === follows).map((draw) => state(draw, messages)).filter(({ luck }) => luck);
    });
    return ended.length || !draws.length ? ended : [open(draws)];
  });
  return sortedBy(found, ({ luck, draw }) => [!luck, draw.follows]);
}
