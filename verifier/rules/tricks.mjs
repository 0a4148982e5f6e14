/**
 * 41 and 400: one deal, from the cut to the scores of its seats.
 * @module
 */
import { fail } from '../suite/bytes.mjs';
import { parseAction } from './actions.mjs';

const SEATS = [0, 1, 2, 3];
const RANKS = [...'AKQJT98765432'];
const LEAST = { 41: 1, 400: 2 };

/** The pack as the start deck lies. */
export const FULL_PACK = ['S', 'H', 'D', 'C'].flatMap((suit) => RANKS.map((rank) => rank + suit));

const KINDS = ['Cut', 'SortHand', 'PlaceBid', 'PlayCard'];

/** Cuts, sorting, numbers and cards: of the texts of 304 no others. @param {string} text */
export function parseTrickAction(text) {
  const action = parseAction(text);
  if (!KINDS.includes(action.kind) || action.all || typeof action.bid === 'string') fail('action.notation');
  return action;
}

/** What a bid is worth. @param {string} game @param {number} bid */
export function worth(game, bid) {
  if (game === '41') return bid < 7 ? bid : 2 * bid;
  if (bid === 13) return 52;
  return bid < 5 ? bid : bid < 9 ? 2 * bid : 3 * bid;
}

export class TrickHand {
  /** @param {string} game @param {number} dealer @param {number} floor the least sum of the bids' values */
  constructor(game, dealer, floor) {
    Object.assign(this, { game, dealer, floor });
    this.phase = 'CUTTING';
    this.opening = [];
    this.hands = [[], [], [], []];
    this.sorted = [];
    this.bids = [null, null, null, null];
    this.taken = [0, 0, 0, 0];
    this.tricks = [];
    this.known = {};
    this.seen = {};
    this.lacks = [[], [], [], []]; // suits of which a seat has shown that it has none
    this.trick = [];
    this.turn = (dealer + 1) % 4;
  }

  /** Every division into sides. */
  sides() {
    return [[[0, 2], [1, 3]]];
  }

  /** Why nothing is scored, if so. */
  get void() {
    return this.phase === 'THROWN_IN' ? 'thrown_in' : null;
  }

  clone() {
    return Object.assign(Object.create(TrickHand.prototype), structuredClone({ ...this }));
  }

  awaited() {
    if (this.phase === 'CUTTING') return [(this.dealer + 3) % 4];
    if (this.phase === 'SORTING') return SEATS.filter((seat) => !this.sorted.includes(seat));
    return this.phase === 'BIDDING' || this.phase === 'PLAYING' ? [this.turn] : [];
  }

  /** @param {number} seat @param {import('./actions.mjs').Action} action */
  act(seat, action) {
    const does = { CUTTING: ['Cut', 'cut'], SORTING: ['SortHand', 'sort'], BIDDING: ['PlaceBid', 'bid'], PLAYING: ['PlayCard', 'play'] };
    const [kind, name] = does[this.phase] ?? [];
    if (action.kind !== kind || !this.awaited().includes(seat)) fail('action.rule');
    return this[name](seat, action);
  }

  cut(seat, { number }) {
    if (number >= 52) fail('action.rule');
    this.phase = 'SORTING';
    const disclosures = [];
    for (let turn = 0; turn < 4; turn++) {
      const places = [turn];
      for (let round = 0; round < 6; round++) places.push(4 + 8 * round + 2 * turn, 5 + 8 * round + 2 * turn);
      const dealt = (this.dealer + 1 + turn) % 4;
      this.hands[dealt] = places.map((place) => (place + number) % 52);
      disclosures.push({ dealt, slots: this.hands[dealt] });
    }
    return { statements: [], disclosures };
  }

  sort(seat) {
    const before = this.hands[seat];
    const after = before.map((_, i) => 52 + 13 * seat + i);
    this.hands[seat] = after;
    this.sorted.push(seat);
    if (this.sorted.length === 4) this.phase = 'BIDDING';
    return { statements: [], disclosures: [{ remixed: seat, before, after }] };
  }

  bid(seat, { bid }) {
    if (bid < LEAST[this.game] || bid > 13) fail('action.rule');
    this.bids[seat] = bid;
    this.turn = (seat + 1) % 4;
    if (!this.bids.includes(null)) {
      const sum = this.bids.reduce((all, each) => all + worth(this.game, each), 0);
      this.phase = sum < this.floor ? 'THROWN_IN' : 'PLAYING';
    }
    return { statements: [], disclosures: [] };
  }

  play(seat, { faces: [{ slot, card }] }) {
    const own = this.hands[seat];
    const held = own.includes(slot) && this.seen[card] === undefined && !this.lacks[seat].includes(card[1]);
    if (!held) fail('action.rule');
    const statements = [{ is: slot, card }];
    const led = this.trick.length ? this.trick[0].card[1] : card[1];
    const rest = own.filter((each) => each !== slot);
    if (card[1] !== led && !this.lacks[seat].includes(led)) {
      if (rest.length) statements.push({ none: rest, suit: led });
      this.lacks[seat].push(led);
    }
    this.hands[seat] = rest;
    this.known[slot] = card;
    this.seen[card] = slot;
    this.trick.push({ seat, slot, card });
    this.turn = (seat + 1) % 4;
    if (this.trick.length === 4) this.finish(led);
    return { statements, disclosures: [{ opened: slot, card }] };
  }

  finish(led) {
    const power = ({ card }) => (card[1] === 'H' ? 200 : card[1] === led ? 100 : 0) - RANKS.indexOf(card[0]);
    const best = this.trick.reduce((a, b) => (power(b) > power(a) ? b : a));
    this.taken[best.seat] += 1;
    this.turn = best.seat;
    this.tricks.push({ plays: this.trick, winner: best.seat });
    this.trick = [];
    if (!this.hands[best.seat].length) this.phase = 'PLAYED';
  }

  /** What each seat gains or loses. */
  result() {
    return priceOf(this.game, this.bids, this.void ? null : this.taken);
  }
}

/** What a deal is worth to each seat, and which team wins by it outright.
 * @param {string} game @param {number[]} bids @param {number[] | null} taken */
export function priceOf(game, bids, taken) {
  if (taken === null) return { scores: [0, 0, 0, 0], outright: null };
  const made = SEATS.map((seat) => taken[seat] >= bids[seat]);
  const scores = SEATS.map((seat) => (made[seat] ? worth(game, bids[seat]) : -worth(game, bids[seat])));
  const all = game === '400' ? SEATS.find((seat) => bids[seat] === 13 && made[seat]) : undefined;
  return { scores, outright: all === undefined ? null : all % 2 };
}

/** A match of 41 or 400. */
export class TrickMatch {
  /** @param {number} target */
  constructor(target) {
    this.target = target;
    this.scores = [0, 0, 0, 0];
    this.dealer = 0;
    this.outright = null;
  }

  get winner() {
    if (this.outright !== null) return this.outright;
    const { scores } = this;
    const there = [0, 1].filter((team) => {
      const [one, other] = [scores[team], scores[team + 2]];
      return (one >= this.target && other > 0) || (other >= this.target && one > 0);
    });
    if (there.length < 2) return there[0] ?? null;
    const [north, east] = [scores[0] + scores[2], scores[1] + scores[3]];
    return north === east ? null : north > east ? 0 : 1;
  }

  resume(dealer, scores) {
    this.dealer = dealer;
    this.scores = scores;
  }

  hand({ scores, outright }) {
    this.scores = this.scores.map((each, seat) => each + scores[seat]);
    this.outright = outright;
    this.dealer = (this.dealer + 1) % 4;
  }
}
