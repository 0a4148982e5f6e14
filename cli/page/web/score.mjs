/**
 * The score of a match and of a hand, its auctions and its tricks, from the scenes that are shown.
 * @module
 */
import { filled, make } from './dom.mjs';
import { called, cardText, deedText } from './labels.mjs';
import { plot } from './plot.mjs';
import { auctionsOf, countedOf, tricksOf } from './scenes.mjs';
import words from '../words.json';

const signed = (number) => (number < 0 ? `−${-number}` : number ? `+${number}` : '0');
const sidesOf = ({ steps }) => steps[0].now.counts[0][1].map(([side]) => side);

function grid(title, heads, rows) {
  const head = make('tr', {}, ...heads.map((each) => make('th', { scope: 'col' }, each)));
  const lines = rows.map(([first, ...cells]) => make('tr', {}, make('th', { scope: 'row' }, first), ...cells.map((each) => make('td', {}, each))));
  return make('div', { class: 'wide', role: 'region', tabIndex: 0, 'aria-label': title }, make('table', {}, make('caption', {}, title), make('thead', {}, head), make('tbody', {}, ...lines)));
}

/** What a hand came to, line by line. @param {object} hand */
export function resultOf(hand) {
  const { now } = hand.steps.at(-1);
  const named = (seats) => seats.map((seat) => hand.seats[seat][0]).join(', ');
  const lines = [words.voids[hand.void] ?? '', now.contract.slice(0, 2).join(', ')];
  for (const [word, values] of now.counts.slice(1)) lines.push(`${word}: ${values.map(([side, value]) => `${side} ${value}`).join(', ')}`);
  if (hand.ruled) lines.push(words.read_ruled);
  else if (hand.endedBy.length) lines.push(filled(words.read_ended, named(hand.endedBy)));
  else if (!hand.after.length) lines.push(words.no_result);
  if (hand.after.length) {
    const [word, values] = now.counts[0];
    lines.push(`${word}: ${values.map(([side], at) => `${side} ${hand.after[at]} (${signed(hand.after[at] - hand.before[at])})`).join(', ')}`);
  }
  if (hand.unconfirmed.length) lines.push(filled(words.read_unsigned, named(hand.unconfirmed)));
  return lines.filter(Boolean).map((line) => line[0].toUpperCase() + line.slice(1).replace(/(?<=[A-Z])-(?=[A-Z])/g, '\u2011'));
}

function figure(title, sides, rows) {
  return make('figure', {}, plot(title, sides, rows), make('figcaption', {}, title));
}

function matchOf(hands) {
  const told = hands.filter(({ after }) => after.length);
  const sides = sidesOf(hands[0]);
  const rows = hands.map((hand) => [called(hand.number, words), hand.steps.at(-1).now.contract[0] ?? '', ...sides.map((_, at) => String(hand.after[at] ?? ''))]);
  const parts = [make('h3', {}, words.hands_title), grid(words.hands_title, [words.score_hand, words.score_contract, ...sides], rows)];
  if (told.length > 1) parts.push(figure(filled(words.plot_match, told[0].steps[0].now.counts[0][0]), sides, [told[0].before, ...told.map(({ after }) => after)]));
  return parts;
}

function handOf(hand) {
  const places = hand.seats.map(([place]) => place);
  const parts = [make('h3', {}, filled(words.dealt_by, called(hand.number, words), places[hand.dealer])), make('div', { class: 'result' }, ...resultOf(hand).map((line) => make('p', {}, line)))];
  for (const { word, sides, rows } of countedOf(hand)) {
    const title = filled(rows.length === hand.marks.length + 1 ? words.plot_tricks : words.plot_tricks_and_end, word);
    parts.push(figure(title, sides, rows));
  }
  const auctions = auctionsOf(hand, places.length);
  auctions.forEach((calls, at) => {
    const title = auctions.length < 2 ? words.auction : filled(words.auctions[Math.min(at, 2)], at + 1);
    parts.push(grid(title, [words.seat, ...Array.from({ length: Math.max(...calls.map((each) => each.length)) }, (_, call) => String(call + 1))], calls.map((said, seat) => [places[seat], ...said])));
  });
  if (hand.marks.length) {
    const rows = tricksOf(hand).map((lying, at) => [String(at + 1), ...places.map((_, seat) => {
      const [, card, down, , wins] = lying.find((each) => each[0] === seat) ?? [];
      const notes = [wins ? words.wins : '', lying[0]?.[0] === seat ? words.led : '', down ? words.face_down : ''].filter(Boolean).join(', ');
      return card === undefined ? '' : `${card === null ? '?' : cardText(card)}${notes ? ` (${notes})` : ''}`;
    })]);
    parts.push(grid(words.tricks, [words.trick, ...places], rows));
  }
  const deeds = hand.deeds.map(([seat, text]) => make('li', {}, filled(words.read_deed, places[seat], deedText(text, places, words))));
  return [...parts, make('details', {}, make('summary', {}, words.deeds_title), make('ol', {}, ...deeds))];
}

/** @param {object[]} hands that are shown @param {object} hand the one that is looked at @returns {HTMLElement[]} */
export const scoreOf = (hands, hand) => [...(hands.length > 1 ? matchOf(hands) : []), ...handOf(hand)];
