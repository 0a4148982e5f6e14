/**
 * Rules 11.1, 11.2 and 13: the verdicts about caps, the facts of a hand, its price.
 * @module
 */
import { isSure } from './caps.mjs';
import { informationOf } from './points.mjs';
import { scoreCalled, scoreHand } from './scoring.mjs';

/** @param {import('./hand.mjs').Hand} hand that is over */
export function price(hand) {
  if (hand.called) {
    const facts = factsOfCalled(hand);
    return { ...scoreCalled(hand.values, facts), facts };
  }
  const facts = factsOf(hand);
  return { ...scoreHand(hand.values, facts), facts };
}

/** Rules 18, no. 8. */
function factsOfCalled(hand) {
  const { maker, partner, bid, values } = hand;
  if (hand.void) return { void: hand.void };
  const side = (seat) => seat === maker || seat === partner;
  const won = hand.tricks.filter(({ winner }) => side(winner));
  const slots = won.flatMap(({ plays }) => plays.map(({ slot }) => slot));
  let target = bid;
  for (const { seat, suit } of hand.marriages) {
    target += (side(seat) ? -1 : 1) * (suit === hand.trump ? 40 : 20);
  }
  if (values.last_trick === 'yes' && hand.tricks.length) target += side(hand.tricks.at(-1).winner) ? -10 : 10;
  return {
    maker, partner, bid,
    points: slots.reduce((sum, slot) => sum + (hand.pack.points[hand.known[slot]] ?? 0), 0),
    tricks: won.length,
    target: hand.contract ? 0 : target,
    void: null,
    offender: hand.violation ? hand.violation.seat : null,
  };
}

function factsOf(hand) {
  const team = hand.maker === null ? null : hand.maker % 2;
  const won = hand.tricks.filter(({ winner }) => winner % 2 === team);
  let slots = won.flatMap(({ plays }) => plays.map(({ slot }) => slot));
  let tricks = won.length;
  if (hand.conceded && hand.call.seat % 2 === team) {
    slots = slots.concat(hand.trick.map(({ slot }) => slot), ...hand.hands);
    if (hand.onTable) slots.push(hand.indicator);
    tricks += hand.cards - hand.tricks.length;
  }
  return {
    maker_team: team,
    bid: hand.bid,
    points: slots.reduce((sum, slot) => sum + (hand.pack.points[hand.known[slot]] ?? 0), 0),
    tricks,
    void: hand.void,
    violation: hand.violation,
    double: hand.double,
    caps: hand.void || hand.violation ? ['none', 'none'] : [0, 1].map((each) => verdict(hand, each)),
  };
}

function verdict(hand, team) {
  const model = hand.values.caps_model;
  if (model === 'off' || hand.contract) return 'none';
  const { call } = hand;
  const called = call !== null && call.seat % 2 === team;
  const beaten = hand.tricks.some(({ winner }) => winner % 2 !== team);
  if (called && hand.capsLost) return 'lost';
  if (model === 'outcome') {
    if (called) return early(hand) ? 'correct' : 'correct_late';
    return !beaten && (hand.tricks.length === hand.cards) ? 'wrong' : 'none';
  }
  if (called) {
    const point = hand.points[call.point];
    const order = call.order && call.order.map((slot) => hand.known[slot]);
    if (!isSure(informationOf(hand, point, call.seat), order)) return 'wrong';
    if (!hand.yes('caps_late_free') && ranOut(hand, team, call)) return 'wrong';
    return early(hand) ? 'correct' : 'correct_late';
  }
  if (hand.values.caps_concealment === 'allowed' && beaten) return 'none';
  if (hand.capsLost && hand.contested) return 'none'; // The call that lost is the price; not all cards are open.
  return ranOut(hand, team, null) ? 'wrong' : 'none';
}

const early = (hand) => {
  const before = hand.number('caps_bonus_before');
  return hand.call.tricks < before - 1 || (hand.call.tricks === before - 1 && hand.call.cards === 0);
};

/** Whether a duty of a member of the team had run out before a call, or by the end. */
function ranOut(hand, team, call) {
  const last = call ? hand.points[call.point] : null;
  const points = call ? hand.points.slice(0, call.point) : hand.points;
  const end = last ?? { kind: 'end', tricks: hand.tricks.length, trick: hand.trick, window: hand.windows };
  return points.some(
    (point) => binds(hand, point) && expired(hand, point, end)
      && hand.everybody.filter((seat) => seat % 2 === team).some((seat) => isSure(informationOf(hand, point, seat), null)),
  );
}

// A duty can begin here: not after the first card of the last trick.
const binds = (hand, point) => point.tricks < hand.cards - 1 || !point.trick.length;

/** Whether the time for a duty that began at a point is over at a later one. */
function expired(hand, point, end) {
  const cards = (each) => hand.seats * each.tricks + each.trick.length;
  if (hand.values.caps_grace === 'next card') {
    return cards(point) < cards(end) || earlier(point, end);
  }
  // The trick after which a window closes its time; windows belong to the trick before them.
  const due = point.trick.length || point.kind === 'lead' || point.middle ? point.tricks + 1 : point.tricks;
  if (due >= hand.cards) return cards(end) > cards(point);
  if (end.kind === 'end') return due <= end.tricks;
  const now = end.trick.length || end.middle ? end.tricks + 0.5 : end.tricks;
  return due < now || earlier(point, end);
}

// Another window before trick 1 follows when trump is opened at the lead.
const earlier = (point, end) => !end.tricks && !point.trick.length && !end.trick.length && point.window < end.window;
