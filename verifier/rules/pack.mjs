/**
 * Rules 1: the pack of 304, in the order in which the start deck lies.
 * @module
 */
export const SUITS = ['S', 'H', 'D', 'C'];
const RANKS = [...'J9ATKQ87'];
const COUNT = { J: 30, 9: 20, A: 11, T: 10, K: 3, Q: 2, 8: 0, 7: 0 };

export const PACK = SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit));
/** Points of a card by its name. */
export const POINTS = Object.fromEntries(PACK.map((card) => [card, COUNT[card[0]]]));
/** Places in the pack by name: within a suit the lower is the higher card. */
export const PLACE = Object.fromEntries(PACK.map((card, place) => [card, place]));

/** @param {string} card @param {string} other of the same suit */
export const beats = (card, other) => PLACE[card] < PLACE[other];
