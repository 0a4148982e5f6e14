/**
 * Rules 9, 11 and 12: windows, calls of caps, spoilt trumps.
 * @module
 */
import * as count from './count.mjs';

const OTHERS = (seat) => [0, 1, 2, 3].filter((each) => each % 2 !== seat % 2);

export function ready(hand, seat) {
  speak(hand, seat, null);
}

export function show(hand, seat, { faces: [{ slot, card }] }) {
  hand.need(hand.yes('pre_show_card') && !hand.window.middle && seat !== hand.aside);
  hand.need(seat !== hand.maker || hand.trumpOpen);
  hand.need(hand.hands[seat].includes(slot) && hand.known[slot] === undefined);
  hand.face(slot, card);
  hand.shown[seat].push(slot);
  hand.window.shown = true;
  speak(hand, seat, null);
}

export function caps(hand, seat, action) {
  speak(hand, seat, { kind: 'caps', order: called(hand, seat, action) });
}

export function capsNow(hand, seat, action) {
  hand.point('now');
  counts(hand, seat, called(hand, seat, action));
}

/** The slots of a call, in their order; none if no cards are shown. */
function called(hand, seat, { faces }) {
  hand.need(hand.values.caps_model !== 'off' && !hand.contract && hand.call === null);
  hand.need(hand.tricks.every(({ winner }) => winner % 2 === seat % 2));
  hand.need(hand.tricks.length < hand.cards - 1 || !hand.trick.length);
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

function mayBeSpoilt(hand) {
  hand.need(hand.yes('spoilt_trumps') && hand.bid !== 'half_court');
}

function speak(hand, seat, call) {
  hand.said[seat] = true;
  if (call) hand.window.calls[seat] = call;
  if (hand.awaited().length) return;
  const { calls, middle, shown } = hand.window;
  const start = hand.trick.length ? hand.trick[0].seat : hand.leader;
  const turns = [0, 1, 2, 3].map((i) => (start + i) % 4);
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
  OTHERS(hand.maker).some((seat) => hand.dealt[seat].some((slot) => hand.known[slot]?.[1] === hand.trump));

function askDefenders(hand) {
  if (!found(hand)) {
    hand.spoilt.asked = OTHERS(hand.maker).filter((seat) =>
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
  if (found(hand)) hand.violation = { team: hand.spoilt.caller % 2, false_spoilt: true };
  else hand.void = 'spoilt';
  hand.over();
}
