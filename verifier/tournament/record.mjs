/**
 * Tournament 10 and 11: records and their draws.
 * @module
 */
import { TableLedger } from '../files/ledger.mjs';
import { decodeCharter } from '../messages/charter.mjs';
import { openEnvelope } from '../messages/envelope.mjs';
import { decode, encode } from '../messages/values.mjs';
import { Check, compare, equal, fail, hex, unhex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { openPiece } from './pieces.mjs';

const MOST_BYTES = 8_000_000;
const MOST_PIECES = 16_384;
const MOST_ENTRIES = 1024;
const MOST_DRAWS = 1024;
const FEWEST = 2;
const OF_PLAYERS = ['MatchResult', 'TeamWithdrawal', 'LineupChange'];
const signersOf = ({ players, reserves }) => [...players, ...reserves].map(({ key }) => hex(key));

const byText = (a, b) => (a < b ? -1 : Number(a > b));
/** The order of two lists, by the first in which they differ. */
export const byAll = (a, b) => {
  const at = a.findIndex((each, i) => each !== b[i]);
  return at < 0 ? 0 : a[at] < b[at] ? -1 : 1;
};

export class TournamentRecord {
  /** @param {object} charter */
  constructor(charter) {
    this.charter = charter;
    this.pieces = new Map([[charter.name, charter]]);
    this.said = new Map();
  }

  /** Takes pieces in any order. @param {Uint8Array[]} raws */
  take(raws) {
    const drawn = [];
    const results = [];
    let entered = 0;
    for (const raw of raws) {
      if (raw.length < 2 || raw.length > 16067) fail('envelope.size');
      if (raw[1] === 1) drawn.push(raw);
      else {
        const piece = openPiece(raw, this.charter);
        if (OF_PLAYERS.includes(piece.kind)) results.push(piece);
        else {
          this.keep(piece);
          entered += Number(piece.kind === 'TeamEntry');
          if (entered > MOST_ENTRIES && this.of('TeamEntry').length > MOST_ENTRIES) fail('record.size');
        }
      }
    }
    const players = new Set(this.of('TeamEntry').flatMap((each) => signersOf(each)));
    for (const piece of results) {
      if (!players.has(hex(piece.signer))) fail('piece.stranger');
      this.keep(piece);
    }
    this.draws = this.allDraws();
    for (const raw of drawn) {
      const said = this.openDrawn(raw);
      const known = this.said.get(said.name);
      if (!known || compare(raw, known.raw) < 0) this.said.set(said.name, said);
    }
    if (this.pieces.size + this.said.size > MOST_PIECES) fail('record.size');
  }

  keep(piece) {
    const known = this.pieces.get(piece.name);
    if (!known || compare(piece.raw, known.raw) < 0) this.pieces.set(piece.name, piece);
  }

  /** The pieces of a kind by id. @param {string} kind */
  of(kind) {
    return [...this.pieces.values()]
      .filter((each) => each.kind === kind)
      .sort((a, b) => byText(a.id, b.id) || byText(a.name, b.name));
  }

  /** All in their one order. */
  ordered() {
    const pieces = [...this.pieces.values()].sort((a, b) => a.code - b.code || byText(a.name, b.name));
    return [...pieces, ...[...this.said.values()].sort((a, b) => byText(a.name, b.name))];
  }

  /** Entries that all of their players have signed, by id. */
  entries() {
    const found = new Map();
    for (const piece of this.of('TeamEntry')) {
      const entry = found.get(piece.id) ?? { ...piece, signed: new Set() };
      entry.signed.add(piece.seat);
      found.set(piece.id, entry);
    }
    return new Map([...found].filter(([, each]) => each.signed.size === signersOf(each).length));
  }

  /** The entries of a list. @param {object} piece */
  listed(piece) {
    const known = this.entries();
    const entries = piece.entries.map((id) => known.get(hex(id)) ?? fail('list.missing'));
    if (entries.length < FEWEST) fail('list.entries');
    const players = entries.flatMap(({ players: own, reserves }) => [...own, ...reserves]);
    const keys = players.map((each) => hex(each.key));
    const twice = (items) => new Set(items).size !== items.length;
    if (twice(keys)) fail('list.key');
    if (keys.includes(hex(this.charter.organiser))) fail('list.organiser');
    if (twice(players.map((each) => each.nickname))) fail('list.nickname');
    const sized = entries.every((each) => each.players.length === this.charter.seats / 2);
    if (!sized || twice(entries.map((each) => each.team))) fail('list.entries');
    return entries;
  }

  allDraws() {
    const restarts = new Map();
    for (const piece of this.of('DrawRestart')) {
      const before = hex(piece.before);
      if (!restarts.has(before)) restarts.set(before, []);
      restarts.get(before).push(piece);
    }
    const waiting = [];
    const seen = new Set();
    for (const piece of this.of('EntryList')) {
      if (seen.has(piece.id) || waiting.length === MOST_DRAWS) continue;
      seen.add(piece.id);
      try {
        waiting.push(drawOf(this.charter, piece.id, this.listed(piece), []));
      } catch (error) {
        if (!(error instanceof Check)) throw error;
      }
    }
    const made = [];
    while (waiting.length) {
      const draw = waiting.shift();
      made.push(draw);
      const done = new Set();
      for (const piece of restarts.get(draw.follows) ?? []) {
        if (done.has(piece.id) || made.length + waiting.length === MOST_DRAWS) continue;
        done.add(piece.id);
        const gone = new Set(piece.absent);
        if (!gone.size || gone.size !== piece.absent.length || Math.max(...gone) >= draw.entries.length) continue;
        const left = draw.entries.filter((_, place) => !gone.has(place));
        if (left.length >= FEWEST) waiting.push(drawOf(this.charter, piece.id, left, [...draw.before, draw.follows]));
      }
    }
    return made;
  }

  openDrawn(raw) {
    if (raw.length < 68) fail('envelope.size');
    if (raw[0] !== 1) fail('envelope.version');
    const tag = tagIn(raw.subarray(67));
    const draw = (tag && this.draws.find(({ charter }) => equal(charter.tag, tag))) ?? fail('piece.draw');
    const found = openEnvelope(raw, draw.charter);
    const kind = ['Confirmation', 'LuckOpening'][found.round];
    if (found.number !== 0 || found.kind !== kind) fail('piece.draw');
    return { ...found, draw, raw, name: hex(found.id) };
  }
}

// The tag of the table that a message's body begins with.
function tagIn(body) {
  try {
    const value = decode(body);
    return Array.isArray(value) && value[0] instanceof Uint8Array ? value[0] : null;
  } catch (error) {
    if (error instanceof Check) return null;
    throw error;
  }
}

/** @param {Uint8Array} data */
export function readRecord(data) {
  const value = decode(data, MOST_BYTES);
  if (Array.isArray(value) && value[0] === 'p2p304 tournament' && [1n, 2n].includes(value[1])) fail('record.version');
  const shaped = Array.isArray(value) && value.length === 3 && value[0] === 'p2p304 tournament' && value[1] === 3n;
  if (!shaped || !Array.isArray(value[2]) || !value[2].length) fail('record.format');
  const [, , raws] = value;
  if (raws.length > MOST_PIECES) fail('record.size');
  if (!raws.every((each) => each instanceof Uint8Array)) fail('record.format');
  const charter = openPiece(raws[0], null);
  const record = new TournamentRecord(charter);
  record.take(raws.slice(1));
  const ordered = record.ordered();
  if (ordered.length !== raws.length || ordered.some((each, i) => !equal(each.raw, raws[i]))) fail('record.order');
  return record;
}

/** The draw of these entries (11.1). @param {object} charter @param {string} follows @param {object[]} entries @param {string[]} before */
function drawOf(charter, follows, entries, before) {
  const table = H('p2p304/v1/tournament-draw', charter.digest, unhex(follows)).subarray(0, 16);
  const nonce = (key) => H('p2p304/v1/tournament-nonce', table, key);
  const rows = entries.map(({ players: [{ key }] }, i) => [key, `captain ${i + 1}`, nonce(key)]);
  rows.push([charter.organiser, 'organiser', nonce(charter.organiser)]);
  const bytes = encode([2, table, 'tournament-draw', hex(charter.digest), rows, []]);
  return { follows, entries, before, charter: decodeCharter(bytes), organiser: entries.length };
}

const fresh = (draw) => new TableLedger(draw.charter, { lane: 0, number: 0, after: [], leading: 0, scores: [] });

// Those that fit and are right; the round closes if all of them are.
function follow(ledger, messages) {
  const { round, head } = ledger;
  for (const each of messages) {
    if (ledger.round !== round || each.round !== round || !equal(each.previous, head)) continue;
    if (!ledger.missing().includes(each.seat)) continue;
    try {
      ledger.judge(each);
    } catch (error) {
      if (error instanceof Check) continue;
      throw error;
    }
    ledger.accept(each);
  }
  return ledger;
}

/** How far a draw has come by messages of it; of several for one place the lowest is looked at (11.6).
 * @param {object} draw @param {object[]} messages */
function stateOf(draw, messages) {
  const lowest = new Map();
  for (const each of messages) {
    const place = `${each.round} ${each.seat} ${hex(each.previous)}`;
    if (!lowest.has(place) || each.name < lowest.get(place).name) lowest.set(place, each);
  }
  const ledger = fresh(draw);
  const said = [...lowest.values()].sort((a, b) => byText(a.name, b.name));
  follow(ledger, said);
  if (ledger.round === 1) follow(ledger, said);
  const all = ledger.round === 1 && ledger.missing().every((seat) => seat === draw.organiser);
  return { draw, all: all || ledger.settled, complete: ledger.settled, head: ledger.head, luck: null, ledger };
}

/** The draws that have ended, and of a list without any the one that is to be finished (11.4 to 11.6).
 * @param {TournamentRecord} record */
export function statesOf(record) {
  const said = [...record.said.values()];
  const of = ({ follows }) => said.filter((each) => each.draw.follows === follows);
  const open = (list) => {
    const draws = record.draws.filter(({ before, follows }) => (before[0] ?? follows) === list.follows);
    const states = draws.filter((each) => of(each).length).map((each) => stateOf(each, of(each)));
    const rank = ({ complete, draw }) => [Number(complete), draw.before.length];
    const [first] = states.filter(({ all }) => all).sort((a, b) => byAll(rank(b), rank(a)));
    if (first) return first;
    const restarts = record.of('DrawRestart').sort((a, b) => byAll([a.seat, a.id], [b.seat, b.id]));
    let last = list;
    for (;;) {
      const next = restarts.map(({ id }) => draws.find((each) => each.follows === id && each.before.at(-1) === last.follows));
      const after = next.find((each) => each);
      if (!after) return stateOf(last, of(last));
      last = after;
    }
  };
  const found = record.draws
    .filter(({ before }) => !before.length)
    .flatMap((list) => {
      const ended = record.of('DrawEnd').flatMap((end) => {
        const draw = record.draws.find((each) => each.follows === hex(end.follows));
        if (!draw || [...draw.before, draw.follows][0] !== list.follows) return [];
        const names = end.messages.map(hex);
        const named = of(draw).filter(({ name }) => names.includes(name));
        const state = stateOf(draw, named);
        const whole = state.complete && named.length === 2 * (draw.organiser + 1);
        const alike = whole && named.map(({ name }) => name).sort().join() === names.join();
        return alike ? [{ ...state, luck: state.ledger.luck }] : [];
      });
      return ended.length ? ended : [open(list)];
    });
  return found.sort((a, b) => byAll([Number(!a.luck), a.draw.follows], [Number(!b.luck), b.draw.follows]));
}
