/**
 * Tournament 10 and 11: records and their draws.
 * @module
 */
import { TableLedger } from '../files/ledger.mjs';
import { decodeCharter } from '../messages/charter.mjs';
import { openEnvelope } from '../messages/envelope.mjs';
import { decode, encode } from '../messages/values.mjs';
import { Check, compare, concat, equal, fail, hex, u32, u8, unhex } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';
import { openPiece } from './pieces.mjs';

const MOST_BYTES = 8_000_000;
const MOST_PIECES = 16_384;
const MOST_ENTRIES = 1024;
const MOST_DRAWS = 1024;
const MOST_READINGS = 4096;
const MOST_HEADS = 4;
const FEWEST = 2;

const byText = (a, b) => (a < b ? -1 : Number(a > b));

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
        if (piece.kind === 'MatchResult') results.push(piece);
        else {
          this.keep(piece);
          entered += Number(piece.kind === 'TeamEntry');
          if (entered > MOST_ENTRIES && this.of('TeamEntry').length > MOST_ENTRIES) fail('record.size');
        }
      }
    }
    const players = new Set(this.of('TeamEntry').flatMap((each) => each.players.map((one) => hex(one.key))));
    for (const piece of results) {
      if (!players.has(hex(piece.key))) fail('piece.stranger');
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
    return new Map([...found].filter(([, each]) => each.signed.size === each.players.length));
  }

  /** The entries of a list. @param {object} piece */
  listed(piece) {
    const known = this.entries();
    const entries = piece.entries.map((id) => known.get(hex(id)) ?? fail('list.missing'));
    if (entries.length < FEWEST) fail('list.entries');
    const players = entries.flatMap((each) => each.players);
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
        waiting.push(drawOf(this.charter, piece.id, this.listed(piece), 0));
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
        if (left.length >= FEWEST) waiting.push(drawOf(this.charter, piece.id, left, draw.restarts + 1));
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
  const shaped = Array.isArray(value) && value.length === 3 && value[0] === 'p2p304 tournament' && value[1] === 1n;
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

/** The draw of these entries (11.1). @param {object} charter @param {string} follows @param {object[]} entries @param {number} restarts */
function drawOf(charter, follows, entries, restarts) {
  const table = H('p2p304/v1/tournament-draw', charter.digest, unhex(follows)).subarray(0, 16);
  const nonce = (key) => H('p2p304/v1/tournament-nonce', table, key);
  const rows = entries.map(({ players: [{ key }] }, i) => [key, `captain ${i + 1}`, nonce(key)]);
  rows.push([charter.organiser, 'organiser', nonce(charter.organiser)]);
  const bytes = encode([2, table, 'tournament-draw', hex(charter.digest), rows, []]);
  return { follows, entries, restarts, charter: decodeCharter(bytes), organiser: entries.length };
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

/** How far a draw has come: openings name the confirmations that they follow (11.6).
 * @param {object} draw @param {object[]} said */
export function stateOf(draw, said) {
  const mine = said.filter((each) => each.draw === draw).sort((a, b) => byText(a.name, b.name));
  const seats = draw.charter.seats.map((_, seat) => mine.filter((each) => each.round === 0 && each.seat === seat));
  const named = new Map();
  for (const each of mine) {
    if (each.round === 1) named.set(hex(each.previous), [...(named.get(hex(each.previous)) ?? []), each]);
  }
  const many = (openings) => new Set(openings.map(({ seat }) => seat)).size;
  const heads = [...named].sort(([a, one], [b, other]) => many(other) - many(one) || byText(a, b)).slice(0, MOST_HEADS);
  const root = fresh(draw).head;
  for (const [previous, openings] of seats.every((found) => found.length) ? heads : []) {
    for (const chosen of choices(seats.map((found) => fixing(draw, found, openings)))) {
      const ids = chosen.map((each) => concat(u8(each.seat), each.id));
      if (hex(H('p2p304/v1/ledger-round', root, u32(0), ...ids)) !== previous) continue;
      const ledger = follow(fresh(draw), chosen);
      if (ledger.round === 1) follow(ledger, openings);
      return stateFrom(draw, ledger);
    }
  }
  return stateFrom(draw, follow(fresh(draw), seats.flatMap((found) => found.slice(0, 1))));
}

// Narrows to what commits to a share that was shown under this head (11.6).
function fixing(draw, found, openings) {
  const fixed = openings
    .filter(({ seat }) => seat === found[0].seat)
    .map(({ seat, fields: [luck] }) => hex(H('p2p304/v1/luck-commitment', draw.charter.digest, u32(0), u8(seat), luck)));
  const fitting = found.filter(({ fields: [commitment] }) => fixed.includes(hex(commitment)));
  return fitting.length ? fitting : found;
}

function* choices(rows) {
  const many = rows.reduce((product, found) => product * found.length, 1);
  for (let number = 0; many <= MOST_READINGS && number < many; number++) {
    let left = number;
    yield rows.map((found) => {
      const each = found[left % found.length];
      left = Math.floor(left / found.length);
      return each;
    });
  }
}

const stateFrom = (draw, ledger) => ({
  draw, head: ledger.settled ? ledger.head : null, luck: ledger.settled ? ledger.luck : null,
});
