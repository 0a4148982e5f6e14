/**
 * Specs 5.1 to 5.4: ledgers; whose message may come, whether it continues what was said, what closes a round.
 * @module
 */
import { sumKeys, verifyKeys } from '../cards/keys.mjs';
import { verifyShuffle } from '../cards/shuffle.mjs';
import { encode } from '../messages/values.mjs';
import { Check, concat, equal, fail, u32, u8 } from '../suite/bytes.mjs';
import { G } from '../suite/group.mjs';
import { H, cardPoint, suitPoint } from '../suite/hashing.mjs';

/** @typedef {{lane: number, number: number, after: Uint8Array[], leading: number, scores: bigint[]}} Origin */

export class Ledger {
  /** @param {import('../messages/charter.mjs').Charter} charter @param {Origin} origin */
  constructor(charter, origin) {
    Object.assign(this, origin);
    this.charter = charter;
    this.seats = charter.seats.map((_, seat) => seat);
    this.origin = origin;
    const { lane, number, after, leading, scores } = origin;
    this.head = H(
      'p2p304/v1/ledger-root', charter.digest, concat(u8(lane), u8(leading)), u32(number),
      encode([scores, after]),
    );
    this.heads = [this.head];
    this.round = 0;
    this.accepted = [];
    this.ruling = null;
    this.open = null; // the open round: {kind, seats}
  }

  /** What the next ledger continues: its head, and with it the ruling that ended it, if one did. */
  get continued() {
    return this.ruling ? H('p2p304/v1/ledger-ruled', this.head, this.ruling.id) : this.head;
  }

  /** Whether it has come to its end. */
  get settled() {
    return this.open === null;
  }

  /** Who has still to contribute to the open round. */
  missing() {
    return this.open ? this.open.seats.filter((seat) => !this.accepted.some((each) => each.seat === seat)) : [];
  }

  /** Opens the round that follows from what is due. */
  next() {
    this.open = this.due();
  }

  /** What convicts of a message whose place and history are right. @param {object} said */
  judge(said) {
    try {
      if (said.round < this.round || !this.open?.seats.includes(said.seat)) fail('turn.seat');
      if (said.kind !== this.open.kind && said.kind !== this.open.or) fail('turn.kind');
      this.content(said);
    } catch (error) {
      if (error instanceof Check) error.seat = said.seat;
      throw error;
    }
  }

  /** Takes a message that was judged; closes its round with it. @param {object} said */
  accept(said) {
    this.accepted.push(said);
    if (this.missing().length) return;
    const ordered = [...this.accepted].sort((a, b) => a.seat - b.seat);
    const entries = ordered.map((each) => concat(u8(each.seat), each.id));
    this.head = H('p2p304/v1/ledger-round', this.head, u32(this.round), ...entries);
    this.heads.push(this.head);
    this.round += 1;
    this.accepted = [];
    this.closed(ordered);
    this.next();
  }

  /** The context of a message's proofs (4.2). @param {object} said @param {string} [kind] @returns {import('../cards/keys.mjs').Context} */
  context(said, kind = said.kind) {
    return {
      version: 2,
      table: this.charter.digest,
      ledger: concat(u8(this.lane), u32(this.number)),
      attempt: this.number,
      round: said.round,
      seat: said.seat,
      kind,
      history: this.head,
    };
  }
}

/** After so many rounds of names that differ nobody plays here any more. */
const MOST_ROUNDS = 16;

/** The opening of a match. */
export class TableLedger extends Ledger {
  constructor(charter, origin) {
    super(charter, origin);
    this.seating = null; // what all have confirmed
    this.commitments = [];
    this.shares = [];
    this.next();
  }

  due() {
    if (this.luck || this.seating || (this.seating === null && this.round === MOST_ROUNDS)) return null;
    if (this.seating === 0) return { kind: 'LuckOpening', seats: this.seats };
    return { kind: 'Confirmation', or: this.number ? 'Reseating' : '', seats: this.seats };
  }

  content({ kind, seat, number, fields: [value] }) {
    if (kind === 'Confirmation') return;
    if (kind === 'Reseating') {
      if (value > this.seats.length - 2) fail('rematch.seating');
      return;
    }
    const right = H('p2p304/v1/luck-commitment', this.charter.digest, u32(number), u8(seat), value);
    if (!equal(right, this.commitments[seat])) fail('luck.opening');
  }

  closed(messages) {
    const values = messages.map(({ fields: [value] }) => value);
    if (this.seating === 0) {
      this.shares = values;
      return;
    }
    const [seating, ...others] = new Set(messages.map(({ kind, fields: [k] }) => (kind === 'Reseating' ? k : 0)));
    if (others.length === 0) this.seating = seating;
    this.commitments = values;
  }

  /** What names the first dealer; null unless the match is played at this table. */
  get luck() {
    return this.shares.length ? H('p2p304/v1/luck', ...this.shares) : null;
  }
}

/** The preparation of a deck. */
export class DeckLedger extends Ledger {
  constructor(charter, origin, game) {
    super(charter, origin);
    this.game = game;
    this.keys = [];
    this.tableKeys = null;
    this.cards = [];
    this.next();
  }

  due() {
    if (this.round === 0) return { kind: 'HandKeys', seats: this.seats };
    return this.round <= this.seats.length ? { kind: 'ShuffleStep', seats: [(this.leading + this.round) % this.seats.length] } : null;
  }

  content(said) {
    if (said.kind === 'HandKeys') said.keys = verifyKeys(concat(...said.fields), this.context(said));
    else {
      said.after = verifyShuffle(
        this.tableKeys, this.cards, said.fields[0], this.context(said), 'deck-shuffle',
      );
    }
  }

  closed(messages) {
    if (this.round > 1) {
      this.cards = messages[0].after;
      return;
    }
    this.keys = messages.map(({ keys }) => keys);
    this.tableKeys = sumKeys(this.keys);
    const [card, suit] = this.tableKeys;
    this.cards = this.game.pack.map((name) => [G, cardPoint(name).add(card), suitPoint(name[1]).add(suit)]);
    if (this.cards.flat().some((point) => point.is0())) fail('deck.start');
  }
}
