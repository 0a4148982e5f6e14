/**
 * Specs 4.6 to 4.8, 5.3 and 5.4: the ledger of one hand: the game, the cards, the salts that are owed.
 * @module
 */
import { verifyShares } from '../cards/equality.mjs';
import { verifyShuffle } from '../cards/shuffle.mjs';
import { verifyHandOver, verifyStatements } from '../cards/statements.mjs';
import { ascii, concat, equal, fail, hex, u32, u8 } from '../suite/bytes.mjs';
import { decodePoint } from '../suite/group.mjs';
import { H, sha256 } from '../suite/hashing.mjs';
import { Ledger } from './ledger.mjs';

const KINDS = { dealt: 'DealShares', handed: 'HandOverShares' };

export class HandLedger extends Ledger {
  /** @param {import('../messages/charter.mjs').Charter} charter @param {import('./ledger.mjs').Origin} origin
   * @param {import('../rules/games.mjs').Game} game @param {import('./ledger.mjs').DeckLedger} deck */
  constructor(charter, origin, game, deck) {
    super(charter, origin);
    this.game = game;
    this.keys = deck.keys;
    this.slots = new Map(deck.cards.map((card, slot) => [slot, { card, locks: new Set(this.seats), owner: null }]));
    this.hand = game.hand(origin.leading, origin.scores.map(Number));
    this.covers = [];
    this.faces = new Map();
    this.commitments = new Map();
    this.owed = this.seats.map(() => []);
    this.duties = [];
    this.run = [];
    this.claimed = [];
    this.signed = false;
    this.price = null;
    for (const each of this.hand.opening) this.duties.push(each);
    this.next();
  }

  /** Whether nothing but signatures of the result is missing. */
  get over() {
    return this.settled || this.open.kind === 'ResultSignature';
  }

  due() {
    while (this.duties.length) {
      const kind = this.duties[0].dealt === undefined ? 'handed' : 'dealt';
      const end = this.duties.findIndex((each) => each[kind] === undefined);
      this.run = this.duties.splice(0, end < 0 ? this.duties.length : end);
      const seats = kind === 'dealt' ? this.dealing() : this.seats.filter((seat) => this.run.some(({ owner }) => owner === seat));
      if (seats.length) return { kind: KINDS[kind], seats };
    }
    const seats = this.hand.awaited();
    if (seats.length) return { kind: 'Action', seats };
    if (this.signed) return null;
    this.price ??= this.hand.result();
    return { kind: 'ResultSignature', seats: this.seats };
  }

  dealing() {
    for (const { dealt, slots } of this.run) for (const slot of slots) this.slots.get(slot).owner = dealt;
    return this.seats.filter((seat) => this.shared(seat).length);
  }

  /** The slots whose shares a seat owes in this round. @param {number} seat */
  shared(seat) {
    return this.run
      .flatMap(({ slots }) => slots)
      .filter((slot) => this.slots.get(slot).owner !== seat && this.slots.get(slot).locks.has(seat))
      .sort((a, b) => a - b);
  }

  /** The card in a slot under a seat alone. @param {number} seat @param {number} slot */
  under(seat, slot) {
    const entry = this.slots.get(slot) ?? fail('deck.slot');
    if (entry.owner === seat && entry.locks.size === 1 && entry.locks.has(seat)) return entry.card;
    return entry.handed?.reader === seat ? entry.handed.card : fail('deck.locks');
  }

  content(said) {
    const { kind, seat, fields } = said;
    if (kind === 'Action') this.action(said);
    else {
      if (kind === 'ResultSignature' && !same(fields[0], this.price.scores)) fail('result.scores');
      this.salts(seat, fields[1], []);
      if (kind === 'DealShares') this.shares(said);
      else if (kind === 'HandOverShares') this.handOvers(said);
    }
  }

  shares(said) {
    const slots = this.shared(said.seat);
    const cards = slots.map((slot) => this.slots.get(slot).card);
    const { points } = verifyShares(this.keys[said.seat], cards, said.fields[0], this.context(said));
    said.shares = slots.map((slot, i) => [slot, points[2 * i], points[2 * i + 1]]);
  }

  handOvers(said) {
    const mine = this.run.filter(({ owner }) => owner === said.seat);
    if (said.fields[0].length !== mine.length) fail('hand-over.count');
    const covers = [...this.covers];
    said.handed = mine.map(({ handed, reader }, i) => {
      const card = this.under(said.seat, handed);
      const message = said.fields[0][i];
      const context = this.context(said, `HandOverShares/${i}`);
      const given = verifyHandOver(card, this.keys[said.seat], this.keys[reader], covers, message, context);
      const cover = decodePoint(message.subarray(0, 33));
      covers.push(cover);
      return { slot: handed, reader, card: given, cover };
    });
  }

  action(said) {
    const { seat, fields: [text, proofs, commitments, remixes, salts] } = said;
    said.action = this.game.parse(text);
    const { statements, disclosures } = this.hand.clone().act(seat, said.action);
    const hand = {
      keys: this.keys[seat], at: (slot) => this.under(seat, slot), pack: this.game.pack, points: this.game.points,
    };
    verifyStatements(statements, proofs, hand, this.context(said));
    const laid = disclosures.filter((each) => each.laid !== undefined);
    if (laid.length !== commitments.length) fail('action.commitments');
    said.laid = laid.map(({ laid: slot }, i) => [slot, { seat, value: commitments[i], context: this.laidAt(said, slot) }]);
    const mixed = disclosures.filter((each) => each.remixed !== undefined);
    if (mixed.length !== remixes.length) fail('remix.count');
    said.mixed = mixed.map(({ before, after }, i) => {
      const step = remixes[i];
      const keys = this.keys[seat];
      const context = this.context(said, `Action/${i}`);
      const cards = before.map((slot) => this.under(seat, slot));
      return { before, after, cards: verifyShuffle(keys, cards, step, context, 'hand-shuffle') };
    });
    const opened = disclosures.filter((each) => each.opened !== undefined && !this.faces.has(each.opened));
    this.salts(seat, salts, opened);
  }

  laidAt({ round, seat }, slot) {
    return H(
      'p2p304/v1/commitment-context', this.charter.digest, concat(u8(this.lane), u32(this.number)),
      u32(round), u8(seat), u32(slot),
    );
  }

  // The salts of a seat's commitments whose cards were opened, and of those that its action opens.
  salts(seat, salts, opened) {
    const owed = [...this.owed[seat]];
    for (const { opened: slot, card } of opened) {
      const commitment = this.commitments.get(slot);
      if (commitment?.seat === seat) owed.push({ ...commitment, card });
    }
    if (owed.length !== salts.length) fail('commitment.count');
    owed.forEach(({ context, value, card }, i) => {
      const line = `p2p304/v1/card-commitment:${hex(context)}:${hex(salts[i])}:${hex(ascii(card))}`;
      if (!equal(sha256(ascii(line)), value)) fail('commitment.opening');
    });
  }

  closed(messages) {
    for (const said of messages) this.owed[said.seat] = [];
    for (const said of messages) {
      for (const [slot, card, suit] of said.shares ?? []) {
        const entry = this.slots.get(slot);
        entry.card = [entry.card[0], entry.card[1].subtract(card), entry.card[2].subtract(suit)];
        entry.locks.delete(said.seat);
      }
      for (const { slot, reader, card, cover } of said.handed ?? []) {
        this.slots.get(slot).handed = { reader, card };
        this.covers.push(cover);
      }
      if (said.kind === 'Action') this.effects(said);
      if (said.kind === 'ResultSignature') this.signed = true;
    }
  }

  effects(said) {
    const { statements, disclosures } = this.hand.act(said.seat, said.action);
    this.claimed.push(...statements);
    for (const each of disclosures) {
      if (each.laid !== undefined) this.commitments.set(...said.laid.find(([slot]) => slot === each.laid));
      else if (each.opened !== undefined) this.opens(said, each);
      else if (each.remixed === undefined) this.duties.push(each);
    }
    for (const { before, after, cards } of said.mixed) {
      for (const slot of before) {
        this.slots.delete(slot);
        this.commitments.delete(slot);
      }
      after.forEach((slot, i) => {
        this.slots.set(slot, { card: cards[i], locks: new Set([said.seat]), owner: said.seat });
      });
    }
  }

  opens(said, { opened: slot, card }) {
    if (this.faces.has(slot)) return;
    this.faces.set(slot, card);
    const commitment = this.commitments.get(slot);
    if (commitment && commitment.seat !== said.seat) this.owed[commitment.seat].push({ ...commitment, card });
  }

  /** Whether with the cards open every claim about opened slots is true (second-opinion). */
  borneOut() {
    const suit = (slot) => this.faces.get(slot)?.[1];
    const holds = (each) => {
      if (each.any) return each.any.some(holds);
      const wrong = (slots, test) => slots.some((slot) => suit(slot) !== undefined && !test(suit(slot)));
      if (each.none && each.card) return each.none.every((slot) => this.faces.get(slot) !== each.card);
      if (each.none) return !wrong(each.none, (of) => of !== each.suit);
      if (each.all) return !wrong(each.all, (of) => of === each.suit);
      if (each.differ) return suit(each.other) === undefined || !wrong(each.differ, (of) => of !== suit(each.other));
      return each.is === undefined || this.faces.get(each.is) === each.card;
    };
    return this.claimed.every(holds);
  }
}

const same = (a, b) => a.length === b.length && a.every((each, i) => each === b[i]);
