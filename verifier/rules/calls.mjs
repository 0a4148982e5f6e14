/**
 * Rules 9, 11 and 12: windows, calls of caps, spoilt trumps.
 * @module
 */
import * as count from './count.mjs';
import { SUITS } from './pack.mjs';
import * as play from './play.mjs';

export function ready(hand, seat) {
  speak(hand, seat, null);
}

/** Whether a seat may show a card between tricks, whatever it holds. */
const mayShow = (hand, seat) =>
  hand.values.pre_show_card !== 'no' && !hand.aside.includes(seat) && (seat !== hand.maker || hand.trumpOpen);

export function show(hand, seat, { faces: [{ slot, card }] }) {
  hand.need(mayShow(hand, seat) && !hand.window.middle);
  hand.need(hand.hands[seat].includes(slot) && hand.known[slot] === undefined);
  hand.face(slot, card);
  hand.shown[seat].push(slot);
  hand.window.shown = true;
  speak(hand, seat, null);
}

/** Rules 10, showing in turn: the seat on turn shows what it will play. */
export function showInTurn(hand, seat, { faces: [{ slot, card }] }) {
  hand.need(hand.values.pre_show_card === 'in a trick too');
  hand.need(seat !== hand.maker || hand.trumpOpen);
  hand.need(!hand.shown[seat].some((each) => hand.hands[seat].includes(each)));
  mayCall(hand, seat);
  hand.need(hand.hands[seat].includes(slot) && hand.known[slot] === undefined);
  hand.face(slot, card);
  play.statedOfShown(hand, seat, slot, card);
  hand.shown[seat].push(slot);
  const led = hand.trick.length ? hand.known[hand.trick[0].slot][1] : card[1];
  hand.ahead = { seat, slot, down: card[1] !== led && !hand.trumpOpen };
  hand.openWindow(true);
}

/** Rules 17. */
export function double(hand, seat) {
  hand.need(hand.yes('double') && !hand.contract && hand.tricks.length === 5 && !hand.window.middle);
  hand.need(seat === hand.tricks[4].winner && hand.tricks.every(({ winner }) => winner % 2 === seat % 2));
  hand.double = seat % 2;
  hand.doubler = seat;
  speak(hand, seat, null);
}

const KING_AND_QUEEN = SUITS.map((suit) => [`K${suit}`, `Q${suit}`]);

/** Rules 18, no. 7. */
export function marry(hand, seat, { faces }) {
  hand.need(mayMarry(hand, seat) && faces.length);
  const named = KING_AND_QUEEN.filter(([king]) => faces.some(({ card }) => card === king));
  hand.need(faces.map(({ card }) => card).join() === named.flat().join());
  for (const { slot, card } of faces) {
    hand.need(hand.hands[seat].includes(slot));
    hand.need(!hand.marriages.some(({ suit }) => suit === card[1]));
  }
  for (const { slot, card } of faces) {
    if (hand.known[slot] === undefined) hand.face(slot, card);
    else hand.need(hand.known[slot] === card);
  }
  for (const [king] of named) hand.marriages.push({ seat, suit: king[1] });
  hand.window.shown = true;
  speak(hand, seat, null);
}

/** Whether a seat may show king and queen in a window, whatever it holds. */
function mayMarry(hand, seat) {
  if (!hand.yes('marriages') || hand.contract || hand.trump === null || !hand.trumpOpen) return false;
  if (!hand.tricks.length || hand.trick.length) return false;
  const { winner } = hand.tricks.at(-1);
  return seat === winner || hand.partners(winner).includes(seat);
}

/** Whether somebody could claim something in a window between tricks. */
export const claims = (hand) =>
  maySpoil(hand) || hand.everybody.some((seat) => mayMarry(hand, seat) || mayShow(hand, seat));

export function caps(hand, seat, action) {
  speak(hand, seat, { kind: 'caps', order: called(hand, seat, action) });
}

export function capsNow(hand, seat, action) {
  hand.point('now');
  counts(hand, seat, called(hand, seat, action));
}

function mayCall(hand, seat) {
  hand.need(hand.values.caps_model !== 'off' && !hand.contract && hand.call === null);
  hand.need(hand.tricks.every(({ winner }) => winner % 2 === seat % 2));
  hand.need(hand.tricks.length < hand.cards - 1 || !hand.trick.length);
}

/** The slots of a call, in their order; none if no cards are shown. */
function called(hand, seat, { faces }) {
  mayCall(hand, seat);
  if (!hand.yes('caps_expose')) {
    hand.need(!faces.length);
    return null;
  }
  const own = [...hand.hands[seat]];
  if (seat === hand.maker && hand.onTable) own.push(hand.indicator);
  const slots = faces.map(({ slot }) => slot);
  if (hand.yes('caps_order_stated')) {
    hand.need(slots.length === own.length && own.every((slot) => slots.includes(slot)));
  } else hand.need(slots.length === own.length && own.every((slot, i) => slots[i] === slot));
  for (const { slot, card } of faces) {
    if (hand.known[slot] === undefined) hand.face(slot, card);
    else hand.need(hand.known[slot] === card);
  }
  hand.capsShown = true;
  if (hand.window) hand.window.shown = true;
  return hand.yes('caps_order_stated') ? slots : null;
}

export function spoilt(hand, seat) {
  mayBeSpoilt(hand);
  speak(hand, seat, { kind: 'spoilt' });
}

export function spoiltNow(hand, seat) {
  mayBeSpoilt(hand);
  beginSpoilt(hand, seat);
}

const maySpoil = (hand) =>
  hand.yes('spoilt_trumps') && hand.bid !== 'half_court' && (!hand.called || hand.partner !== null);

function mayBeSpoilt(hand) {
  hand.need(maySpoil(hand));
}

function speak(hand, seat, call) {
  hand.said[seat] = true;
  if (call) hand.window.calls[seat] = call;
  if (hand.awaited().length) return;
  const { calls, middle, shown } = hand.window;
  const start = hand.trick.length ? hand.trick[0].seat : hand.leader;
  const turns = hand.everybody.map((i) => (start + i) % hand.seats);
  const first = (kind) => turns.find((each) => calls[each]?.kind === kind);
  hand.said = {};
  hand.phase = 'TRICK';
  if (first('spoilt') !== undefined) beginSpoilt(hand, first('spoilt'));
  else if (first('caps') !== undefined) counts(hand, first('caps'), calls[first('caps')].order);
  else if (shown && !middle) hand.point('lead');
}

// --- caps ---

function counts(hand, seat, order) {
  const point = hand.points.findLastIndex(({ kind }) => kind === 'window' || kind === 'now');
  hand.call = { seat, order, point, tricks: hand.tricks.length, cards: hand.trick.length };
  if (!hand.yes('caps_expose')) return;
  hand.phase = 'CAPS_RESPONSE';
  hand.said = {};
}

export function accept(hand, seat) {
  respond(hand, seat, 'accept');
}

export function contest(hand, seat) {
  respond(hand, seat, 'contest');
}

function respond(hand, seat, word) {
  hand.said[seat] = word;
  if (hand.awaited().length) return;
  const conceded = Object.values(hand.said).every((each) => each === 'accept');
  hand.said = {};
  if (conceded) {
    hand.conceded = true;
    count.begin(hand);
  } else {
    hand.contested = true;
    hand.phase = 'TRICK';
  }
}

// --- spoilt trumps ---

function beginSpoilt(hand, seat) {
  hand.spoilt = { caller: seat, asked: [] };
  hand.said = {};
  if (hand.trump === null) hand.phase = 'SPOILT_INDICATOR';
  else askDefenders(hand);
}

export function showForSpoilt(hand, seat, { card }) {
  hand.face(hand.indicator, card);
  askDefenders(hand);
}

const found = (hand) =>
  hand.opponents(hand.maker).some((seat) => hand.dealt[seat].some((slot) => hand.known[slot]?.[1] === hand.trump));

function askDefenders(hand) {
  if (!found(hand)) {
    hand.spoilt.asked = hand.opponents(hand.maker).filter((seat) =>
      hand.dealt[seat].some((slot) => hand.known[slot] === undefined),
    );
    hand.phase = 'SPOILT_ANSWER';
  }
  if (!hand.spoilt.asked.length) judge(hand);
}

export function deny(hand, seat) {
  hand.none(hand.dealt[seat], hand.trump);
  answered(hand, seat);
}

export function showTrump(hand, seat, { faces: [{ slot, card }] }) {
  hand.need(hand.dealt[seat].includes(slot) && card[1] === hand.trump);
  hand.face(slot, card);
  answered(hand, seat);
}

function answered(hand, seat) {
  hand.said[seat] = true;
  if (!hand.awaited().length) judge(hand);
}

function judge(hand) {
  if (found(hand)) hand.violation = { team: hand.sideOf(hand.spoilt.caller), seat: hand.spoilt.caller, false_spoilt: true };
  else hand.void = 'spoilt';
  hand.over();
}
