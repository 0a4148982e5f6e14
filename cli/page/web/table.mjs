/**
 * A scene as elements: seats, cards, the middle. It reads as text, too.
 * @module
 */
import { filled, make } from './dom.mjs';
import words from '../words.json';

const SIGNS = { S: '♠', H: '♥', D: '♦', C: '♣' };
const LETTERS = /^(?:north|south)?-?(?:east|west)?$/i;

/** @param {string | null} name two letters, or null for a back @param {string} [more] classes */
export function card(name, more = '') {
  if (name === null) return make('span', { class: `card back ${more}`, role: 'img', 'aria-label': words.unseen });
  const [rank, suit] = name;
  const said = filled(words.card_name, words.ranks[rank], words.suits[suit]);
  const red = suit === 'H' || suit === 'D' ? 'red' : '';
  return make('span', { class: `card ${red} ${more}`, role: 'img', 'aria-label': said }, `${rank === 'T' ? '10' : rank}${SIGNS[suit]}`);
}

/** @param {string[]} place "North-East" @returns {string} where it lies in the grid, or "" */
function areaOf(place) {
  return place && LETTERS.test(place) ? place.split('-').map((word) => word[0].toLowerCase()).join('') : '';
}

function seatOf(scene, seat, [place, name, doubtful]) {
  const of = (what) => scene[`${what} ${seat}`];
  const roles = [...of('roles')];
  const title = make('h3', {}, `${place} `, make('bdi', {}, name), doubtful ? ' ?' : '', roles.length ? ` (${roles.join(', ')})` : '');
  const held = of('cards');
  const list = make('ul', { 'aria-label': words.holds });
  for (const each of held.filter((one) => one !== null)) list.append(make('li', {}, card(each)));
  const backs = held.filter((one) => one === null).length;
  if (backs) {
    const said = backs === 1 ? words.one_back : filled(words.backs, backs);
    const item = make('li', {}, make('span', { class: 'hidden' }, said));
    for (let at = 0; at < backs; at++) item.append(make('span', { class: 'card back', 'aria-hidden': 'true' }));
    list.append(item);
  }
  const section = make('section', { class: `seat at-${areaOf(place)}`, 'aria-label': filled(words.seat_is, place, name) }, title);
  const calls = of('calls');
  if (calls.length && scene.middle.length) {
    const stands = of('leading');
    const said = `${words.calls}: ${calls.join(', ')}${stands ? ` – ${words.stands}` : ''}`;
    section.append(make('p', { class: stands ? 'leading' : '' }, said));
  }
  section.append(held.length ? list : make('p', { class: 'hidden' }, words.nothing_left));
  const beside = of('beside');
  if (beside) section.append(make('p', {}, `${beside[0]} `, card(beside[1], 'down')));
  return section;
}

function middleOf(scene, seats) {
  const middle = make('section', { class: 'middle', 'aria-label': words.in_the_middle });
  for (const line of scene.middle) middle.append(make('p', {}, line));
  const lying = make('ol', { class: 'lying' });
  for (const [seat, face, down, note, wins] of scene.lying) {
    const said = [seats[seat][0], note, down ? words.face_down : ''].filter(Boolean).join(', ');
    lying.append(make('li', {}, card(face, `${down ? 'down' : ''} ${wins ? 'wins' : ''}`), make('span', {}, said)));
  }
  if (scene.lying.length) middle.append(lying);
  return middle;
}

/** @param {HTMLElement} root is filled @param {object} scene @param {[string, string, boolean][]} seats */
export function drawTable(root, scene, seats) {
  const placed = seats.every(([place]) => areaOf(place));
  root.className = placed ? 'table' : 'table numbered';
  const all = seats.map((each, seat) => seatOf(scene, seat, each));
  root.replaceChildren(middleOf(scene, seats), ...all);
}

/** What is played for and what is counted. @param {HTMLElement} root @param {object} scene */
export function drawCounts(root, scene) {
  const counts = scene.counts.map(([word, values]) => `${word}: ${values.map(([side, value]) => `${side} ${value}`).join(', ')}`);
  root.replaceChildren(...[...scene.contract, ...counts].map((text) => make('span', {}, text)));
}
