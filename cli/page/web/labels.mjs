/**
 * What hands, seats, cards and deeds are called by people.
 * @module
 */
import { filled } from './dom.mjs';

const SIGNS = { S: '♠', H: '♥', D: '♦', C: '♣' };
const CARD = /^(?:\d+=)?([2-9TJQKA])([SHDC])$/;
const LONGEST = 24; // signs of a name

/** A hand by its place, from 1, since the newest ruling that stopped one. @param {number} number from 0 @param {{after_rulings: string[]}} words */
export function called(number, words) {
  const rulings = Math.floor(number / 1_000_000);
  return filled(words.after_rulings[Math.min(rulings, 2)], (number % 1_000_000) + 1, rulings);
}

/** A nickname without what acts, hides or piles up, nor what the page says itself. @param {string} name */
export function safeName(name) {
  const plain = name.normalize('NFC').replace(/[^\p{L}\p{N}\p{P}\p{S}\p{M} ]|[♠-♧\u{1f0a0}-\u{1f0ff}()[\]{}\ufe00-\ufe0f\u034f\u115f\u1160\u2800\u3164\uffa0]/gu, '\ufffd').replace(/(\p{M}{2})\p{M}+/gu, '$1\ufffd').trim();
  const signs = [...plain];
  return (signs.length > LONGEST ? `${signs.slice(0, LONGEST - 1).join('')}…` : plain) || '?';
}

/** @param {string} name two letters */
export const cardText = ([rank, suit]) => `${rank === 'T' ? '10' : rank}${SIGNS[suit]}`;

/** What a seat did, from the text of its action. @param {string} text @param {string[]} places @param {{deeds: object, bids: object}} words */
export function deedText(text, places, words) {
  const [word, ...rest] = text.split(' ');
  if (!Object.hasOwn(words.deeds, word)) return text;
  const shown = rest.flatMap((each) => {
    const card = CARD.exec(each);
    if (card) return [cardText(`${card[1]}${card[2]}`)];
    if (word === 'ask-seat') return [places[Number(each)] ?? each];
    return Object.hasOwn(words.bids, each) ? [words.bids[each]] : word === 'bid' ? [each] : [];
  });
  return filled(words.deeds[word], shown.join(' ')).trim();
}
