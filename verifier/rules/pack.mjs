/**
 * Rules 1: packs of 304, in the order in which the start deck lies.
 * @module
 */
export const SUITS = ['S', 'H', 'D', 'C'];
/** The ranks of all packs, high to low: the rows of rules 14 agree on their order. */
export const RANKS = [...'23J9ATKQ876'];

/** @typedef {{cards: string[], points: Record<string, number>}} Pack */

/** The pack of an agreement. @param {Record<string, string>} values @returns {Pack} */
export function packOf(values) {
  const rows = values.rank_points.split(' ').map((row) => row.split(':'));
  const cards = SUITS.flatMap((suit) => rows.map(([rank]) => rank + suit));
  const counts = Object.fromEntries(rows);
  return { cards, points: Object.fromEntries(cards.map((card) => [card, Number(counts[card[0]])])) };
}

/** How cards are dealt: seats, cards in the first batch and in the second. @param {Record<string, string>} values */
export function dealOf(values) {
  const [first, second] = values.deal_batches.split(' + ').map(Number);
  const size = parseInt(values.deck, 10);
  return { size, first, second, cards: first + second, seats: size / (first + second) };
}

/** @param {string} card @param {string} other of the same suit */
export const beats = (card, other) => RANKS.indexOf(card[0]) < RANKS.indexOf(other[0]);
