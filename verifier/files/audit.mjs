/**
 * Specs 6.2: the audit of a transcript, front to back, up to the first check that fails.
 * @module
 */
import { checkContinued, goesOn } from './change.mjs';
import { decodeCharter } from '../messages/charter.mjs';
import { openEnvelope } from '../messages/envelope.mjs';
import { decode } from '../messages/values.mjs';
import { gameOf } from '../rules/games.mjs';
import { equal, fail, hex } from '../suite/bytes.mjs';
import { HandLedger } from './hand.mjs';
import { DeckLedger, TableLedger } from './ledger.mjs';
import { recordsOf } from './records.mjs';
import { END, REDEAL, checkPoint, consequence } from './ruling.mjs';

const TABLE = 0;
const DECK = 1;

/** @param {Uint8Array} data @param {(done: number) => void} [progress] is told of bytes @returns {Auditor} of a valid file */
export function audit(data, progress = () => {}) {
  const auditor = new Auditor();
  for (const { letter, payload, at } of recordsOf(data)) {
    progress(at);
    auditor.record(letter, payload);
  }
  return auditor;
}

/** Keys of seats by deck. */
export class Keys {
  constructor() {
    this.decks = new Map();
  }

  /** Whether a HandKeys has a key that its seat has in another deck. @param {object} said */
  reused(said) {
    const [keys] = said.fields;
    let found = false;
    for (const half of [keys.subarray(0, 33), keys.subarray(33)]) {
      const name = `${said.seat} ${hex(half)}`;
      if (this.decks.has(name) && this.decks.get(name) !== said.number) found = true;
      this.decks.set(name, said.number);
    }
    return found;
  }
}

export class Auditor {
  constructor() {
    this.charter = null;
    this.game = null;
    this.ledger = null;
    this.table = null;
    this.deck = null;
    this.last = null;
    this.match = null;
    this.over = false; // whether the last hand was the last one of its match
    this.whole = false; // whether all hands of the match are in the file
    this.keys = new Keys();
    this.agreed = [];
    this.ended = false;
    this.hands = [];
    this.ends = null; // the last hand, and who ended it unfinished
    this.ruled = null; // what followed from the ruling that ended the open hand
  }

  /** @param {string} letter @param {Uint8Array} payload */
  record(letter, payload) {
    const read = this.read(letter, payload);
    const { ledger } = this;
    const order = (holds) => holds || fail('transcript.order');
    order((letter === 'C') === (this.charter === null));
    if (letter === 'C') {
      this.game = gameOf(read);
      this.charter = read;
      checkContinued(read, this.game);
    } else if (letter === 'L') {
      order(!ledger && !this.ended);
      this.begin(read);
    } else if (letter === 'M') {
      order(ledger && !this.agreed.length && !ledger.ruling);
      this.message(payload);
    } else if (letter === 'R') {
      order(ledger && !this.agreed.length && !ledger.ruling);
      this.ruling(payload);
    } else if (letter === 'U') {
      order(ledger && !ledger.ruling);
      this.agreement(payload);
    } else if (letter === 'E') {
      order(ledger);
      this.end(payload);
    } else {
      order(!ledger);
      if (!this.last) fail('transcript.missing');
    }
  }

  read(letter, payload) {
    if (letter === 'C') return decodeCharter(payload);
    if (letter === 'L') return originOf(payload);
    if ('MRUZ'.includes(letter) || (letter === 'E' && payload.length === 32)) return payload;
    return fail('transcript.record');
  }

  // --- L ---

  begin(origin) {
    if (origin.leading >= this.charter.seats.length) fail('match.dealer');
    if (this.last && !this.last.settled) fail('ledger.settled');
    if (origin.lane === TABLE) this.beginTable(origin);
    else if (origin.lane === DECK) this.beginDeck(origin);
    else this.beginHand(origin);
  }

  beginTable(origin) {
    const { number, after, leading, scores } = origin;
    if (leading !== 0 || scores.length) fail('match.dealer');
    if (after.length !== (number === 0 ? 0 : 1)) fail('ledger.after');
    if (this.table) {
      if (number !== this.due(this.table) || !this.over) fail('transcript.order');
      if (!equal(after[0], this.last.continued)) fail('ledger.after');
    }
    this.ledger = new TableLedger(this.charter, origin);
  }

  beginDeck(origin) {
    const { number, after, leading, scores } = origin;
    const { deck, last, table, match } = this;
    if (!table) fail('transcript.missing');
    if (scores.length) fail('match.scores');
    if (after.length !== 1) fail('ledger.after');
    if (deck) {
      if (number !== this.due(deck)) fail('transcript.order');
      const ruled = last?.ruling;
      if (ruled && this.over) fail('transcript.order');
      const again = ruled && table.after.length && equal(table.after[0], last.continued);
      const before = again ? table.head : last?.continued;
      if (!equal(after[0], ruled ? before : deck.head)) fail('ledger.after');
      if (ruled && this.whole && leading !== match.dealer) fail('match.dealer');
      if (last && !ruled && leading !== (last.leading + 1) % this.game.seats) fail('match.dealer');
    } else if (number === 0) {
      if (match.winner !== null) fail('transcript.order');
      if (!equal(after[0], table.head)) fail('ledger.after');
      if (leading !== match.dealer) fail('match.dealer');
    }
    this.ledger = new DeckLedger(this.charter, origin, this.game);
  }

  beginHand(origin) {
    const { number, after, leading, scores } = origin;
    const { deck, last, table, match } = this;
    if (!table || deck?.number !== number) fail('transcript.missing');
    if (after.length !== 2 || !equal(after[1], deck.head)) fail('ledger.after');
    const continues = equal(after[0], table.head);
    if (last) {
      if (number !== this.due(last) || this.over) fail('transcript.order');
      const later = continues && table.position > last.position;
      if (!equal(after[0], last.continued) && !later) fail('ledger.after');
    } else if (table.number === 0 && continues !== (number === 0)) fail('ledger.after');
    if (scores.length !== match.scores.length) fail('match.scores');
    if (!last && !continues) this.whole = false;
    if (this.whole) {
      if (leading !== match.dealer) fail('match.dealer');
      if (scores.some((each, i) => each !== BigInt(match.scores[i]))) fail('match.scores');
    } else match.resume(leading, scores.map(Number));
    this.ledger = new HandLedger(this.charter, origin, this.game, deck);
  }

  /** The number after another of its lane: those of the next million come after a ruling. @param {object} before */
  due(before) {
    const { last } = this;
    const rulings = last ? Math.floor(last.number / 1_000_000) + (last.ruling ? 1 : 0) : 0;
    return Math.max(before.number + 1, rulings * 1_000_000);
  }

  // --- M ---

  message(raw) {
    const said = openEnvelope(raw, this.charter);
    const { ledger } = this;
    if (said.purpose !== 1) fail('envelope.purpose');
    if (said.lane !== ledger.lane || said.number !== ledger.number) fail('ledger.place');
    const place = 64 * said.round + said.seat;
    if (place <= (ledger.place ?? -1)) fail('ledger.place');
    ledger.place = place;
    if (said.kind === 'HandKeys' && this.keys.reused(said)) fail('keys.reused', said.seat);
    if (said.round > ledger.round) fail('ledger.place');
    if (!equal(said.previous, ledger.heads[said.round])) fail('ledger.digest');
    ledger.judge(said);
    ledger.accept(said);
  }

  // --- R ---

  ruling(raw) {
    const said = openEnvelope(raw, this.charter, 'ruling');
    const { ledger } = this;
    checkPoint(said, ledger);
    const [, , , verdict] = said.fields;
    const match = consequence(said, ledger, this.game);
    const counts = ledger.over && verdict !== REDEAL;
    const unconfirmed = counts && !ledger.settled ? ledger.seats : [];
    this.ruled = { match, ended: verdict === END, scores: counts ? ledger.price.scores : [], unconfirmed };
    ledger.ruling = said;
    ledger.open = null;
  }

  // --- U ---

  agreement(raw) {
    const said = openEnvelope(raw, this.charter);
    const { ledger, agreed } = this;
    if (said.purpose !== 2) fail('envelope.purpose');
    if (said.kind !== 'UnfinishedAgreement') fail('agreement.hand');
    const [number, closed, digest, present] = said.fields;
    const [first] = agreed;
    const one = (value, at) => value === first.fields[at];
    if (first && !(one(number, 0) && one(closed, 1) && equal(digest, first.fields[2]) && one(present, 3))) {
      fail('agreement.hand');
    }
    const here = ledger.lane === 2 && number === ledger.number && closed === ledger.round
      && equal(digest, ledger.head) && !ledger.accepted.length;
    if (!here || present >= 2 ** this.charter.seats.length || ledger.over) fail('agreement.hand');
    if (first && said.seat <= agreed.at(-1).seat) fail('agreement.seats');
    agreed.push(said);
  }

  // --- E ---

  end(head) {
    const { ledger, agreed } = this;
    if (!equal(head, ledger.head)) fail('ledger.head');
    if (agreed.length) {
      const seats = agreed.reduce((bits, each) => bits | (1 << each.seat), 0);
      if (seats !== agreed[0].fields[3] || agreed.length < 2) fail('agreement.seats');
      const signed = (side) => side.some((seat) => seats & (1 << seat));
      if (!ledger.hand.sides().every((sides) => sides.every(signed))) fail('agreement.sides');
      this.ended = true;
    } else if (!ledger.settled && !(ledger.lane === 2 && ledger.over)) fail('ledger.settled');
    ledger.position = this.position = (this.position ?? 0) + 1;
    if (ledger.lane === TABLE) this.endTable(ledger);
    else if (ledger.lane === DECK) this.deck = ledger;
    else this.endHand(ledger);
    this.ledger = null;
    this.agreed = [];
  }

  endTable(ledger) {
    if (!ledger.luck) fail('ledger.settled');
    this.table = ledger;
    this.match = this.game.match(ledger.luck);
    const { continues } = this.charter;
    if (continues && ledger.number === 0) this.match.resume(continues.dealer, continues.scores.map(Number));
    this.whole = true;
    this.over = false;
  }

  endHand(ledger) {
    if (!ledger.borneOut()) fail('second-opinion');
    this.last = ledger;
    const { number, leading: dealer } = ledger;
    const agreedBy = this.agreed.map(({ seat }) => seat);
    if (ledger.ruling) {
      const { match, ended, scores, unconfirmed } = this.ruled;
      this.hands.push({ number, dealer, scores, unconfirmed });
      this.ends = { ledger, endedBy: [], ruled: this.ruled };
      this.over = match === null || match.winner !== null;
      this.match = match ?? this.match;
      this.ended = ended;
      return;
    }
    const told = this.ended
      ? { scores: [], unconfirmed: [] }
      : { scores: ledger.price.scores, unconfirmed: ledger.missing() };
    this.hands.push({ number, dealer, ...told });
    this.ends = { ledger, endedBy: agreedBy };
    if (this.ended) return;
    const stood = this.game.match(new Uint8Array(32));
    stood.resume(dealer, ledger.scores.map(Number));
    this.over = !goesOn(stood);
    if (this.over) return;
    stood.hand(ledger.price, ledger.hand.void);
    this.match = stood;
    this.over = stood.winner !== null;
  }

  /** What is told of a valid file. */
  told() {
    return { valid: true, hands: this.hands };
  }
}

function originOf(payload) {
  const value = decode(payload);
  const wrong = () => fail('transcript.origin');
  if (!Array.isArray(value) || value.length !== 5) wrong();
  const [lane, number, after, leading, scores] = value;
  if (![lane, number, leading].every((each) => typeof each === 'bigint')) wrong();
  if (!Array.isArray(after) || !Array.isArray(scores)) wrong();
  if (lane < 0n || lane > 2n || number < 0n || number >= 1n << 32n || leading < 0n || leading > 63n) wrong();
  if (after.length > 2 || !after.every((each) => each instanceof Uint8Array && each.length === 32)) wrong();
  if (!scores.every((each) => typeof each === 'bigint')) wrong();
  return { lane: Number(lane), number: Number(number), after, leading: Number(leading), scores };
}
