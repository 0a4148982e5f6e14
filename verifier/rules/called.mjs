/**
 * Rules 18: a partner by a called card; who may be on whose side.
 * @module
 */
import * as auction from './auction.mjs';
import * as count from './count.mjs';

// --- Half Court: with four cards each seat has one word ---

export function bid(hand, seat, { bid: named }) {
  hand.need(named === 'half_court');
  hand.maker = hand.auction.by = seat;
  hand.bid = hand.auction.bid = named;
  hand.auction.said.push({ seat, bid: named, by: null });
  hand.phase = 'INDICATOR4';
}

export function pass(hand, seat) {
  hand.auction.said.push({ seat, bid: null, by: null });
  hand.auction.used += 1;
  hand.auction.turn = hand.right(hand.auction.turn);
  if (hand.auction.used < hand.seats) return;
  hand.deal(1);
  hand.auction = auction.start(hand);
  hand.phase = 'AUCTION8';
}

// --- the card that is named ---

export function layIndicator(hand, seat, { number }) {
  hand.layIndicator(seat, number);
  hand.phase = 'NAMING';
}

export function name(hand, seat, { card }) {
  hand.need(hand.pack.cards.includes(card));
  hand.statements.push({ none: [...hand.hands[seat], hand.indicator], card });
  hand.named = card;
  if (hand.bid === 'half_court') hand.toSorting();
  else hand.declare();
}

/** After an action: a court that everybody knows to be lost is over, but for a window in which some have still to speak. */
export function follow(hand) {
  if (hand.phase === 'COUNT' || hand.phase === 'OVER') return;
  if (!hand.contract || hand.partner === null) return;
  if (hand.phase === 'WINDOW' && Object.keys(hand.said).length) return;
  if (hand.tricks.some(({ winner }) => hand.sideOf(winner) !== hand.sideOf(hand.maker))) count.begin(hand);
}

// --- sides ---

/** The divisions into sides that the record leaves open. @param {import('./hand.mjs').Hand} hand @returns {number[][][]} */
export function sidesOf(hand) {
  const { everybody, maker } = hand;
  const against = (some) => [some, everybody.filter((seat) => !some.includes(seat))];
  if (!hand.called) return [against(everybody.filter((seat) => seat % 2 === 0))];
  if (maker === null) return everybody.slice(1).map((mate) => against([0, mate]));
  if (hand.partner !== null) return [against([maker, hand.partner])];
  return everybody.map((mate) => against(mate === maker ? [maker] : [maker, mate]));
}
