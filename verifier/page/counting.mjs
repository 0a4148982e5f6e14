/**
 * Specs 6.2: an audit that counts what passed each check, and keeps what was done at the table.
 * @module
 */
import { Auditor } from '../files/audit.mjs';
import { HandLedger } from '../files/hand.mjs';
import { DeckLedger } from '../files/ledger.mjs';
import { openEnvelope } from '../messages/envelope.mjs';
import { Check } from '../suite/bytes.mjs';
import { CHECKS } from './checks.mjs';
import { stepsOf } from './scenes.mjs';

const POINTED = 'HandKeys ShuffleStep remix DealShares handed unlike suits either';
const SHUFFLED = 'ShuffleStep remix';
const DIFFERENT = 'unlike suits either';

/** What a check is about, so that it has passed as often as there is such a thing; by the longest beginning of its name. */
const ABOUT = {
  'transcript.format': 'beginning',
  'transcript.origin': 'origin',
  'transcript.incomplete': 'file',
  'transcript.after-end': 'file',
  'transcript.digest': 'file',
  'transcript.missing': 'hand',
  transcript: 'record',
  'ledger.settled': 'ledger',
  'ledger.head': 'ledger',
  'ledger.after': 'origin',
  ledger: 'placed',
  agreement: 'agreed',
  ruling: 'ruled',
  'hand-over': 'handed',
  'remix.count': 'remix',
  'statement.count': 'Action',
  action: 'Action',
  'commitment.count': 'message',
  'commitment.opening': 'salt',
  'envelope.other': 'body',
  envelope: 'envelope',
  signature: 'envelope',
  'key.proof': 'HandKeys',
  'key.generator': 'HandKeys',
  'key.halves': 'HandKeys',
  'key.sum': 'deck',
  key: 'charter',
  'keys.reused': 'HandKeys',
  charter: 'charter',
  continuation: 'continuation',
  'turn.seat': 'placed',
  'turn.kind': 'message',
  'rematch.seating': 'Reseating',
  match: 'lineage',
  'luck.opening': 'LuckOpening',
  'result.scores': 'ResultSignature',
  'result.signatures': 'hand',
  encoding: 'body',
  'schema.ascii': 'Action',
  schema: 'body',
  point: POINTED,
  scalar: `${POINTED} card suit sum`,
  shuffle: SHUFFLED,
  shares: 'DealShares',
  'opening.length': 'card suit',
  'opening.proof': 'card',
  'suit-opening': 'suit',
  'distinction.length': DIFFERENT,
  'card-distinction': 'unlike',
  distinction: 'suits either',
  alternatives: 'either',
  score: 'sum',
  'second-opinion': 'hand',
};

/** @param {string} check */
function aboutOf(check) {
  const found = Object.keys(ABOUT).filter((each) => check.startsWith(each));
  return ABOUT[found.sort((a, b) => b.length - a.length)[0]].split(' ');
}

/** @param {object} claim a statement that an action needs */
function kindOf(claim) {
  if (claim.is !== undefined) return 'card';
  if (claim.all) return 'suit';
  if (claim.below) return 'sum';
  if (claim.any) return 'either';
  return claim.none && claim.card ? 'unlike' : 'suits';
}

/** How many remixes, hand-overs and salts a message holds. @param {object} said */
function partsOf({ kind, fields }) {
  if (kind === 'Action') return { remix: fields[3].length, salt: fields[4].length };
  if (kind === 'SortedHands') return { remix: fields[0].length, salt: fields[1].length };
  if (kind === 'HandOverShares') return { handed: fields[0].length, salt: fields[1].length };
  return kind === 'DealShares' || kind === 'ResultSignature' ? { salt: fields[1].length } : {};
}

export class CountingAuditor extends Auditor {
  constructor() {
    super();
    this.counts = { beginning: 1 };
    this.played = []; // of each hand: who did what
    this.moments = []; // of the open hand: its state at the beginning and after each action
    this.named = null; // the charter as it was read, whose game may be unknown
    this.finished = false;
    this.judged = false; // whether the message at hand has come as far as its ledger
  }

  /** @param {string} name @param {number} [times] */
  count(name, times = 1) {
    this.counts[name] = (this.counts[name] ?? 0) + times;
  }

  read(letter, payload) {
    const read = super.read(letter, payload);
    if (letter === 'C') this.named ??= read;
    this.count('record');
    return read;
  }

  record(letter, payload) {
    const first = !this.charter;
    try {
      super.record(letter, payload);
    } finally {
      if (first && this.charter) this.count('charter');
    }
    if (letter === 'C' && this.charter.continues) this.count('continuation');
    if (letter === 'Z') {
      this.count('file');
      this.finished = true;
    }
  }

  begin(origin) {
    super.begin(origin);
    this.count('origin');
    this.watch(this.ledger);
    if (this.ledger instanceof HandLedger) {
      const { number, leading: dealer } = origin;
      this.played.push({ number, dealer, before: origin.scores.map(Number), deeds: [], steps: [] });
      this.moments = [];
      this.moment(origin.scores.map(Number));
    }
  }

  /** Keeps how a hand stands. @param {number[]} scores of the match */
  moment(scores) {
    const { hand, faces } = this.ledger;
    this.moments.push({ hand: hand.clone(), scores, open: [...faces] });
  }

  /** Counts what a ledger judges and takes. @param {import('../files/ledger.mjs').Ledger} ledger */
  watch(ledger) {
    const { judge, accept, closed, effects } = ledger;
    ledger.judge = (said) => {
      this.judged = true;
      this.count('envelope');
      this.count('body');
      try {
        judge.call(ledger, said);
      } catch (error) {
        if (error.check !== 'turn.seat') this.count('placed');
        throw error;
      }
      this.count('placed');
    };
    ledger.accept = (said) => {
      this.count('message');
      this.count(said.kind);
      for (const [name, times] of Object.entries(partsOf(said))) this.count(name, times);
      accept.call(ledger, said);
    };
    ledger.closed = (messages) => {
      const known = ledger.claimed?.length;
      closed.call(ledger, messages);
      for (const claim of ledger.claimed?.slice(known) ?? []) this.count(kindOf(claim));
    };
    ledger.effects = (said) => {
      effects.call(ledger, said);
      this.played.at(-1).deeds.push({ seat: said.seat, text: said.fields[0] });
      this.moment(ledger.scores.map(Number));
    };
  }

  message(raw) {
    this.judged = false;
    try {
      super.message(raw);
    } catch (error) {
      if (!this.judged) this.opened(raw);
      throw error;
    }
  }

  agreement(raw) {
    try {
      super.agreement(raw);
    } catch (error) {
      this.opened(raw);
      throw error;
    }
    this.count('envelope');
    this.count('body');
    this.count('agreed');
  }

  ruling(raw) {
    try {
      super.ruling(raw);
    } catch (error) {
      this.opened(raw, 'ruling');
      throw error;
    }
    this.count('envelope');
    this.count('body');
    this.count('ruled');
  }

  /** Counts how far an envelope comes that is refused. @param {Uint8Array} raw @param {'message' | 'ruling'} [wanted] */
  opened(raw, wanted = 'message') {
    try {
      openEnvelope(raw, this.charter, wanted);
    } catch (error) {
      if (error instanceof Check && error.seat !== undefined) this.count('envelope');
      return;
    }
    this.count('envelope');
    this.count('body');
  }

  end(head) {
    const { ledger } = this;
    super.end(head);
    if (ledger instanceof HandLedger) return;
    this.count('ledger');
    if (ledger instanceof DeckLedger) this.count('deck');
  }

  endHand(ledger) {
    this.count('ledger');
    super.endHand(ledger);
    this.count('hand');
    if (this.whole) this.count('lineage');
    const { scores, unconfirmed } = this.hands.at(-1);
    const ruled = Boolean(ledger.ruling);
    const { endedBy } = this.ends;
    const after = scores.length ? this.match.scores : [];
    if (after.length) this.moment(after);
    this.shown();
    const { void: reason } = ledger.hand;
    Object.assign(this.played.at(-1), { scores, unconfirmed, endedBy, ruled, after, void: reason });
  }

  /** Shows the newest hand as far as it was replayed. */
  shown() {
    if (this.moments.length) this.played.at(-1).steps = stepsOf(this.moments);
    this.moments = [];
  }

  /** How often each check was passed. @returns {Map<string, number>} */
  passed() {
    const found = new Map(CHECKS.map(([check]) => [check, 0]));
    for (const check of found.keys()) {
      found.set(check, aboutOf(check).reduce((sum, name) => sum + (this.counts[name] ?? 0), 0));
    }
    const over = this.played.filter((each) => each.scores);
    const unsigned = over.filter((each) => each.unconfirmed.length || !each.scores.length).length;
    found.set('result.signatures', found.get('result.signatures') - unsigned);
    const stopped = over.filter((each) => each.endedBy.length || each.ruled).length;
    found.set('ledger.settled', found.get('ledger.settled') - stopped);
    return found;
  }

  /** What became of each check: its name, kind, meaning, result and count. @param {string | null} broken */
  results(broken) {
    const passed = this.passed();
    const unknown = this.counts.hand ? ['match.dealer', 'match.scores', 'result.signatures'] : [];
    return CHECKS.map(([name, kind, meaning]) => {
      const count = passed.get(name);
      let result = unknown.includes(name) ? 'not known' : 'not needed';
      if (name === broken) result = 'failed';
      else if (count) result = 'passed';
      else if (broken) result = 'not reached';
      return { name, kind, meaning, result, count: result === 'passed' ? count : 0 };
    });
  }
}
