/**
 * Rules 3, 4, 7 and 8: one hand, from the cut to its result. Who may do what; what it states and discloses.
 * @module
 */
import { fail } from '../suite/bytes.mjs';
import * as auction from './auction.mjs';
import * as called from './called.mjs';
import * as calls from './calls.mjs';
import * as count from './count.mjs';
import { dealOf, packOf } from './pack.mjs';
import * as play from './play.mjs';
import { price } from './result.mjs';
import { pointOf } from './points.mjs';

/**
 * @typedef {object} Told
 * @property {object[]} statements what must be true (conformance 1)
 * @property {object[]} disclosures who learns what
 */

/** By phase and kind of action: who does it. */
const ACTIONS = {
  CUT: { Cut: cut },
  AUCTION4: {
    PlaceBid: auction.bid, Pass: auction.pass, AskPartner: auction.ask, DemandRedeal: auction.redeal,
  },
  INDICATOR4: { LayIndicator: auction.layIndicator },
  AUCTION8: { PlaceBid: auction.bid8, Pass: auction.pass8 },
  SORTING: { SortHand: sort },
  INDICATOR8: { LayIndicator: layIndicator8 },
  DECLARE: { OpenTrump: openTrump, KeepClosed: (hand) => hand.openWindow(false) },
  WINDOW: {
    Ready: calls.ready, ShowCard: calls.show, CallCaps: calls.caps, CallSpoilt: calls.spoilt,
    CallDouble: calls.double, DeclareMarriages: calls.marry,
  },
  TRICK: {
    ShowCard: calls.showInTurn,
    PlayCard: play.playUp, PlayDown: play.playDown, OpenTrump: openTrump, CallCaps: calls.capsNow,
    CallSpoilt: calls.spoiltNow,
  },
  INSPECT: { AnnounceNone: play.announceNone, AnnounceCut: play.announceCut },
  SHOW_INDICATOR: { ShowIndicator: play.showIndicator },
  CAPS_RESPONSE: { AcceptCaps: calls.accept, ContestCaps: calls.contest },
  SPOILT_INDICATOR: { ShowIndicator: calls.showForSpoilt },
  SPOILT_ANSWER: { DenyTrump: calls.deny, ShowTrump: calls.showTrump },
  COUNT: { OpenCards: count.open, OpenHandedOver: count.openHandedOver },
  OVER: {},
};

/** The same where a card is called. */
const CALLED = {
  AUCTION4: { PlaceBid: called.bid, Pass: called.pass },
  INDICATOR4: { LayIndicator: called.layIndicator },
  AUCTION8: { PlaceBid: auction.bid, Pass: auction.pass },
  INDICATOR8: { LayIndicator: called.layIndicator },
  NAMING: { NameCard: called.name },
};

/** What may be done out of turn. */
const ANYBODY = {
  TRICK: ['CallCaps', 'CallSpoilt', 'OpenTrump'],
  COUNT: ['OpenHandedOver'],
};

export class Hand {
  /** @param {Record<string, string>} values of the agreement @param {number} dealer */
  constructor(values, dealer) {
    this.values = values;
    this.pack = packOf(values);
    Object.assign(this, { sizes: dealOf(values), called: values.partners === 'called card' });
    this.seats = this.sizes.seats;
    this.everybody = Array.from({ length: this.seats }, (_, seat) => seat);
    const each = () => this.everybody.map(() => []);
    this.dealer = dealer;
    this.offset = 0;
    this.phase = 'CUT';
    this.said = {}; // what the awaited have said, where several are
    this.first = each();
    this.hands = each();
    this.dealt = each();
    this.known = {}; // slot: card, seen by everybody
    this.seen = {}; // card: slot
    this.auction = auction.start(this);
    this.auction8 = null;
    this.maker = null;
    this.bid = null;
    this.indicator = null;
    this.onTable = false;
    this.trumpOpen = false;
    this.named = null; // the card that is called
    this.partner = null; // who holds it, once that is known
    this.marriages = [];
    this.double = null; // the team that called it
    this.leader = this.right(dealer);
    this.trick = [];
    this.tricks = [];
    this.unfollowed = []; // suits that the maker led and nobody followed
    this.handed = []; // slots that the maker inspected
    this.shown = each();
    this.ahead = null; // the card that is shown in turn
    this.window = null;
    this.windows = 0; // before trick 1
    this.capsShown = false;
    this.call = null;
    this.contested = false;
    this.conceded = false;
    this.capsLost = false;
    this.spoilt = null;
    this.void = null;
    this.violation = null;
    this.facts = [];
    this.points = [];
    this.statements = [];
    this.disclosures = [];
    if (values.max_cuts === '0') {
      this.phase = 'AUCTION4';
      this.deal(0);
    }
    /** What is disclosed at its start: the first cards of a hand that nobody cuts. */
    this.opening = this.disclosures;
  }

  clone() {
    const { values, pack, points, facts, ...rest } = this;
    return Object.assign(Object.create(Hand.prototype), structuredClone(rest), { values, pack, points, facts });
  }

  /** @param {string} name */
  yes(name) {
    return this.values[name] === 'yes';
  }

  /** @param {string} name */
  number(name) {
    return Number(this.values[name]);
  }

  get contract() {
    return typeof this.bid === 'string';
  }

  /** The suit of trump, if everybody knows it. */
  get trump() {
    const face = this.known[this.indicator];
    return face === undefined ? null : face[1];
  }

  /** The partners whose cards are laid aside. */
  get aside() {
    return this.contract && !this.called ? this.partners(this.maker) : [];
  }

  get canOpen() {
    return this.yes('open_trump') && (this.called || this.bid !== 'half_court') && !this.capsShown;
  }

  /** Whether exhausted trumps bind a maker. */
  get binding() {
    return this.yes('exhausted_trumps') && (this.called || !this.contract);
  }

  /** Cards of a seat at the start. */
  get cards() {
    return this.bid === 'half_court' ? this.sizes.first : this.sizes.cards;
  }

  // --- seats ---

  /** @param {number} seat */
  right(seat) {
    return (seat + 1) % this.seats;
  }

  /** A team, or the maker's side (0) and the other one. @param {number} seat */
  sideOf(seat) {
    if (!this.called) return seat % 2;
    return seat === this.maker || seat === this.partner ? 0 : 1;
  }

  /** Who is known to play together with a seat. @param {number} seat */
  partners(seat) {
    if (this.called && this.partner === null) return [];
    return this.everybody.filter((each) => each !== seat && this.sideOf(each) === this.sideOf(seat));
  }

  /** @param {number} seat */
  opponents(seat) {
    return this.everybody.filter((each) => this.sideOf(each) !== this.sideOf(seat));
  }

  /** Every division into sides that the record allows. */
  sides() {
    return called.sidesOf(this);
  }

  /** @returns {number[]} the seats that are awaited, ascending */
  awaited() {
    const open = this.everybody.filter((seat) => !(seat in this.said));
    switch (this.phase) {
      case 'CUT': return [(this.dealer + this.seats - 1) % this.seats];
      case 'AUCTION4': return [auction.speaker(this)];
      case 'AUCTION8': return [this.auction8 ? this.auction8.turn : this.auction.turn];
      case 'SORTING':
      case 'WINDOW': return open;
      case 'TRICK': return [play.turn(this)];
      case 'CAPS_RESPONSE': return open.filter((seat) => this.sideOf(seat) !== this.sideOf(this.call.seat));
      case 'SPOILT_ANSWER': return open.filter((seat) => this.spoilt.asked.includes(seat));
      case 'COUNT': return this.everybody.filter((seat) => count.due(this, seat).length);
      case 'OVER': return [];
      default: return [this.maker];
    }
  }

  /** Whether an action stands; what it states and discloses. @param {number} seat @param {import('./actions.mjs').Action} action @returns {Told} */
  act(seat, action) {
    this.statements = [];
    this.disclosures = [];
    const does = ((this.called && CALLED[this.phase]) || ACTIONS[this.phase])[action.kind];
    this.need(does);
    this.need(this.awaited().includes(seat) || ANYBODY[this.phase]?.includes(action.kind));
    does(this, seat, action);
    if (this.called) called.follow(this);
    const { statements, disclosures } = this;
    this.facts = [...this.facts, ...statements.filter((each) => each.is === undefined)];
    return { statements, disclosures };
  }

  /** What it comes to, once it is over. */
  result() {
    return price(this);
  }

  // --- what actions are made of ---

  need(holds) {
    if (!holds) fail('action.rule');
  }

  /** IsCard and Opened. @param {number} slot @param {string} card */
  face(slot, card) {
    if (this.known[slot] !== undefined) this.need(this.known[slot] === card);
    else {
      this.need(this.pack.cards.includes(card) && this.seen[card] === undefined);
      this.statements.push({ is: slot, card });
      this.known[slot] = card;
      this.seen[card] = slot;
      if (card === this.named) this.partner = this.everybody.find((seat) => this.dealt[seat].includes(slot));
    }
    this.disclosures.push({ opened: slot, card });
  }

  /** IsCard and Opened of just these slots. @param {number[]} slots @param {{slot: number, card: string}[]} faces */
  faces(slots, faces) {
    this.need(slots.length === faces.length && slots.every((slot, i) => faces[i].slot === slot));
    for (const { slot, card } of faces) this.face(slot, card);
  }

  /** Those of the slots that nobody knows; refused if a known one fails. */
  reduced(slots, right) {
    this.need(slots.every((slot) => this.known[slot] === undefined || right(this.known[slot][1])));
    return slots.filter((slot) => this.known[slot] === undefined);
  }

  none(slots, suit) {
    const hidden = this.reduced(slots, (each) => each !== suit);
    if (hidden.length) this.statements.push({ none: hidden, suit });
  }

  all(slots, suit) {
    const hidden = this.reduced(slots, (each) => each === suit);
    if (hidden.length) this.statements.push({ all: hidden, suit });
  }

  /** That slots of the maker's knowledge are no trumps. @param {number[]} slots */
  offTrump(slots) {
    if (this.trump !== null) {
      this.none(slots, this.trump);
      return;
    }
    for (const slot of slots) {
      if (this.known[slot] !== undefined) this.none([this.indicator], this.known[slot][1]);
    }
    const hidden = slots.filter((slot) => this.known[slot] === undefined);
    if (hidden.length) this.statements.push({ differ: hidden, other: this.indicator });
  }

  deal(batch) {
    const { first, second, size } = this.sizes;
    const [start, each] = batch === 0 ? [0, first] : [first * this.seats, second];
    for (let turn = 0; turn < this.seats; turn++) {
      const seat = (this.dealer + 1 + turn) % this.seats;
      const slots = Array.from({ length: each }, (_, i) => (start + each * turn + this.offset + i) % size);
      if (batch === 0) this.first[seat] = slots;
      this.hands[seat].push(...slots);
      this.disclosures.push({ dealt: seat, slots });
    }
  }

  /** Sorting is next. */
  toSorting() {
    this.phase = 'SORTING';
    this.said = {};
  }

  layIndicator(seat, slot) {
    this.need(this.hands[seat].includes(slot));
    this.hands[seat] = this.hands[seat].filter((each) => each !== slot);
    this.indicator = slot;
    this.onTable = true;
    this.disclosures.push({ laid: slot, seat });
  }

  /** Open or closed is next. */
  declare() {
    if (this.contract && !this.called) this.leader = this.maker;
    if (this.canOpen) this.phase = 'DECLARE';
    else this.openWindow(false);
  }

  openWindow(middle) {
    this.said = {};
    this.phase = 'TRICK';
    if (this.called && !middle && !calls.claims(this)) return;
    this.phase = 'WINDOW';
    this.window = { middle, calls: {}, shown: false };
    if (!middle && !this.tricks.length) this.windows += 1;
    this.point('window');
  }

  /** Keeps what may have to be judged of caps later. @param {string} kind */
  point(kind) {
    if (this.values.caps_model === 'epistemic' && !this.contract) {
      this.points = [...this.points, pointOf(this, kind)];
    }
  }

  takeIndicator() {
    if (this.onTable) this.hands[this.maker].push(this.indicator);
    this.onTable = false;
    this.trumpOpen = true;
  }

  over() {
    this.phase = 'OVER';
    this.said = {};
  }
}

function cut(hand, seat, { number }) {
  hand.need(number < hand.sizes.size && (number > 0 || hand.yes('cut_optional')));
  hand.offset = number;
  hand.phase = 'AUCTION4';
  hand.deal(0);
}

function sort(hand, seat) {
  const before = hand.hands[seat];
  const after = before.map((_, i) => hand.sizes.size * (1 + seat) + i);
  hand.disclosures.push({ remixed: seat, before, after });
  hand.hands[seat] = after;
  hand.dealt[seat] = seat === hand.maker && hand.indicator !== null ? [...after, hand.indicator] : [...after];
  hand.said[seat] = true;
  if (hand.awaited().length) return;
  hand.said = {};
  if (hand.indicator === null) hand.phase = 'INDICATOR8';
  else hand.declare();
}

function layIndicator8(hand, seat, { number }) {
  hand.layIndicator(seat, number);
  hand.declare();
}

// In the declaration, or until the first card is led.
function openTrump(hand, seat, { card }) {
  const early = !hand.tricks.length && !hand.trick.length;
  hand.need(seat === hand.maker && hand.canOpen && early && !hand.trumpOpen);
  hand.face(hand.indicator, card);
  hand.takeIndicator();
  hand.openWindow(false);
}
