/**
 * The table fills the page: going through a hand by buttons, keys, touch and a slider, what lies over it, sheets.
 * @module
 */
import { filled, make } from './dom.mjs';
import { called, deedText } from './labels.mjs';
import { firstCards, isSilent, seenBy, standingOf, trickOf } from './scenes.mjs';
import { resultOf, scoreOf } from './score.mjs';
import { TableDrawing } from './table.mjs';
import words from '../words.json';

const PACES = [0.5, 1, 2, 4];
const SWIPE = 40; // pixels
const ICONS = {
  first: 'M6 5h2v14H6zM20 5v14l-10-7z', trick_back: 'M12 5v14l-8-7zM21 5v14l-8-7z', back: 'M16 5v14l-9-7z',
  play: 'M7 4v16l13-8z', pause: 'M6 4h4v16H6zM14 4h4v16h-4z', on: 'M8 5v14l9-7z', trick_on: 'M12 5v14l8-7zM3 5v14l8-7z', last: 'M16 5h2v14h-2zM4 5v14l10-7z',
};
const SHEETS = { story: 's', score: 'c', rules: 'l', check: 'p' };

function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

/** The sheets that slide over the table, one at a time, and the buttons that open them. */
function makeSheets(contents) {
  const buttons = {};
  const sheets = {};
  function open(name) {
    for (const [each, sheet] of Object.entries(sheets)) {
      const wanted = each === name && sheet.hidden;
      if (!wanted && !sheet.hidden && sheet.contains(document.activeElement)) buttons[each].focus();
      sheet.hidden = !wanted;
      buttons[each].setAttribute('aria-expanded', String(wanted));
      if (wanted) sheet.querySelector('.close').focus();
    }
  }
  for (const [name, inside] of Object.entries(contents)) {
    const close = make('button', { type: 'button', class: 'close', onclick: () => open(null) }, '×');
    close.setAttribute('aria-label', words.close);
    sheets[name] = make('section', { class: 'sheet', id: `sheet-${name}`, hidden: true, 'aria-label': words[name] }, make('header', {}, make('h2', {}, words[name]), close), ...inside);
    buttons[name] = make('button', { type: 'button', class: 'tab', 'aria-expanded': 'false', onclick: () => open(name) }, words[name]);
  }
  return { open, sheets, buttons };
}

/** Takes the page's window. @returns {{changed: (hands: object[], state: string[], title: string, verdicts: object[]) => void}} */
export function showTable() {
  const byId = (id) => document.getElementById(id);
  const body = document.body;
  const heading = document.querySelector('h1');
  const apart = byId('words');
  const [understand, agreed, check, live, counted] = ['understand', 'agreed', 'check', 'live', 'verified'].map(byId);
  const at = { hand: 0, step: 0, timer: null, begun: false };
  let hands = [];
  let standing = ['running'];

  const felt = make('div', { id: 'felt' });
  const drawing = new TableDrawing(felt, words);
  const told = make('p', { class: 'told', role: 'status', 'aria-live': 'polite' });
  const place = make('p', { class: 'place' });
  const mark = make('button', { type: 'button', id: 'trust' });
  const which = make('select', { onchange: () => { pause(); turn(Number(which.value)); } });
  which.setAttribute('aria-label', words.hand_choice);
  const eyes = make('select', { id: 'eyes', onchange: () => draw() });
  eyes.setAttribute('aria-label', words.eyes);
  const pace = make('select', { id: 'pace' }, ...PACES.map((each) => make('option', { value: String(each), selected: each === 1 }, filled(words.pace_of, each))));
  const colours = make('select', { id: 'colours', onchange: () => { body.dataset.suits = colours.value; } }, ...Object.entries(words.colours_of).map(([value, text]) => make('option', { value }, text)));
  const slider = make('input', { type: 'range', min: '0', step: '1', oninput: () => { pause(); go(Number(slider.value)); } });
  slider.setAttribute('aria-label', words.slider);
  const ticks = make('div', { class: 'marks', 'aria-hidden': 'true' });

  // The maker's words stand in sheets, each under the sentence that says whose they are.
  const whose = () => apart.querySelector('.mark').cloneNode(true);
  const [moment, now, read, score] = [make('div', {}), make('p', {}), make('div', {}), make('div', { id: 'score' })];
  const theirs = (...parts) => make('div', { class: 'theirs' }, make('h3', {}, words.words), whose(), ...parts);
  const { open, sheets, buttons: tabs } = makeSheets({
    story: [theirs(make('h4', {}, words.at_this_step), now, understand)],
    score: [score],
    rules: [read, theirs(make('h4', {}, words.moment), moment, agreed)],
    check: [...(counted ? [counted] : []), check, make('p', { class: 'keys' }, words.keys), make('p', { class: 'controls' }, make('label', {}, `${words.pace} `, pace), make('label', {}, `${words.colours} `, colours))],
  });
  mark.onclick = () => open('check');

  const last = () => hands[at.hand].steps.length - 1;
  const marks = () => hands[at.hand].marks;
  /** The next step at which there is something to see, one way or the other. */
  function next(way) {
    let step = at.step + way;
    while (step > 0 && step < last() && isSilent(hands[at.hand], step)) step += way;
    return step;
  }
  const moves = {
    first: () => 0,
    trick_back: () => marks().filter((each) => each < at.step).at(-1) ?? 0,
    back: () => next(-1),
    on: () => next(1),
    trick_on: () => marks().find((each) => each > at.step) ?? last(),
    last,
  };
  function button(name, work) {
    const made = make('button', { type: 'button', class: `go ${name}`, title: words[name], onclick: work }, icon(name));
    made.setAttribute('aria-label', words[name]);
    return made;
  }
  const buttons = {};
  for (const name of Object.keys(moves)) buttons[name] = button(name, () => { pause(); go(moves[name]()); });
  const play = button('play', () => (at.timer === null ? start() : pause()));

  function look(view) {
    eyes.selectedIndex = view;
    draw();
  }
  function go(step) {
    at.step = Math.min(Math.max(step, 0), last());
    draw();
  }
  function turn(hand, step = firstCards(hands[hand])) {
    at.hand = hand;
    which.value = String(hand);
    const { seats } = hands[hand];
    const views = [['all', words.eyes_all], ['now', words.eyes_now], ...seats.map(([seat], number) => [String(number), filled(words.eyes_of, seat)])];
    const chosen = Math.max(eyes.selectedIndex, 0);
    eyes.replaceChildren(...views.map(([value, text]) => make('option', { value }, text)));
    eyes.selectedIndex = Math.min(chosen, views.length - 1);
    slider.max = String(last());
    ticks.replaceChildren(...marks().map((each, number) => {
      const tick = make('span', {}, String(number + 1));
      tick.style.left = `${(100 * each) / Math.max(1, last())}%`;
      return tick;
    }));
    score.replaceChildren(...(hands[hand].judged ? [] : [make('p', { class: 'mark' }, words.badge_more.unjudged)]), ...scoreOf(hands.filter(({ judged }) => judged === hands[hand].judged), hands[hand]));
    stateShown();
    go(step);
  }
  function playing(on) {
    play.replaceChildren(icon(on ? 'pause' : 'play'));
    play.title = words[on ? 'pause' : 'play'];
    play.setAttribute('aria-label', play.title);
  }
  function pause() {
    clearInterval(at.timer);
    at.timer = null;
    playing(false);
  }
  function start() {
    if (at.step === last()) go(0);
    playing(true);
    at.timer = setInterval(() => {
      go(next(1));
      if (at.step === last()) pause();
    }, 1000 * Number(pace.value));
  }
  function draw() {
    const hand = hands[at.hand];
    const step = hand.steps[at.step];
    const view = eyes.value;
    const shown = step[view] ?? seenBy(step, Number(view));
    const scene = marks().includes(at.step) && !shown.lying.length ? { ...shown, lying: shown.last } : shown;
    const [did, deed] = hand.deeds[at.step - 1] ?? [null];
    const places = hand.seats.map(([seat]) => seat);
    const ended = at.step === last() && at.step > hand.deeds.length;
    drawing.draw(scene, hand.seats, { near: /^\d/.test(view) ? Number(view) : 0, lit: ended ? null : did, lines: ended ? resultOf(hand) : null });
    told.textContent = did === null || ended
      ? ended ? resultOf(hand)[0] : filled(words.begins, places[hand.dealer], called(hand.number, words))
      : filled(words.did, places[did], deedText(deed, places, words)).replace(/^./, (letter) => letter.toUpperCase());
    const said = hand.words[at.step];
    now.textContent = said?.told ?? '';
    moment.replaceChildren(...(said?.moment ?? []).map((text) => make('p', {}, text)));
    slider.value = String(at.step);
    const trick = trickOf(scene);
    const number = filled(words.step_of, at.step, last());
    place.textContent = [...(trick ? [filled(words.trick_number, trick)] : []), number].join('\n');
    slider.setAttribute('aria-valuetext', place.textContent);
    for (const name of ['first', 'trick_back', 'back']) buttons[name].disabled = at.step === 0;
    for (const name of ['on', 'trick_on', 'last']) buttons[name].disabled = at.step === last();
    felt.dataset.step = String(at.step);
  }

  const keys = {
    ArrowRight: moves.on, ArrowLeft: moves.back, PageUp: moves.trick_back, PageDown: moves.trick_on, Home: moves.first, End: moves.last,
  };
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || ['SELECT', 'TEXTAREA'].includes(target.tagName)) return;
    if (target.tagName === 'INPUT' && target !== slider) return;
    const sheet = Object.keys(SHEETS).find((name) => SHEETS[name] === key);
    if (key === 'Escape') open(null);
    else if (sheet) open(sheet);
    else if (!hands.length || target.closest('.sheet')) return;
    else if (Object.hasOwn(keys, key)) {
      pause();
      go(keys[key]());
    } else if (key === ' ' && (target === body || target === slider)) play.click();
    else if (key === 'a') look(eyes.value === 'all' ? 1 : 0);
    else if (key === 'e') look((eyes.selectedIndex + 1) % eyes.length);
    else if (key === 'f') {
      colours.selectedIndex = 1 - colours.selectedIndex;
      body.dataset.suits = colours.value;
    }
    else return;
    event.preventDefault();
  });
  let from = null;
  felt.addEventListener('pointerdown', (event) => { from = event.pointerType === 'mouse' ? null : event.clientX; });
  felt.addEventListener('pointerup', (event) => {
    const way = from === null ? 0 : event.clientX - from;
    from = null;
    if (Math.abs(way) < SWIPE || !hands.length) return;
    pause();
    go(next(way < 0 ? 1 : -1));
  });

  const controls = make('div', { class: 'controls', hidden: true }, ...Object.values(buttons).slice(0, 3), play, ...Object.values(buttons).slice(3));
  const line = make('div', { class: 'slider', hidden: true }, slider, ticks);
  const menu = make('nav', { class: 'tabs', 'aria-label': words.menu }, ...Object.values(tabs));
  const empty = make('p', { class: 'empty' }, words.verdict_first);
  heading.textContent = words.title;
  const bar = document.querySelector('header');
  bar.append(...(live ? [live] : []), which, mark);
  body.classList.add('table-page');
  body.querySelector('main').replaceChildren(felt, empty, make('div', { class: 'dock' }, make('div', { class: 'says' }, told, place), line, controls, make('div', { class: 'foot' }, eyes, menu)), ...Object.values(sheets));

  function stateShown() {
    const [state, ...more] = standingOf(hands[at.hand], standing);
    mark.replaceChildren(make('b', {}, words.badges[state]), make('span', {}, ` ${filled(words.badge_more[state], ...more)}`));
    mark.className = state;
    body.dataset.state = state;
    empty.textContent = ['running', 'waiting'].includes(state) ? words.verdict_first : words.not_shown;
  }
  return {
    changed(given, state, title, found) {
      const newest = at.begun && at.hand === hands.length - 1 && at.step === last() && given.at(-1)?.judged === false;
      const before = hands[at.hand];
      hands = given;
      standing = state;
      stateShown();
      if (title) document.title = heading.textContent = title;
      read.replaceChildren(...found.slice(0, 1).filter((each) => each?.profile).map(({ profile }) => make('details', {}, make('summary', {}, words.agreed), make('ul', { class: 'profile' }, ...profile.split('\n').map((text) => make('li', {}, text))))));
      which.replaceChildren(...hands.map((hand, number) => make('option', { value: String(number) }, filled(words.hand, called(hand.number, words)))));
      which.hidden = hands.length < 2;
      controls.hidden = line.hidden = eyes.hidden = felt.hidden = !hands.length;
      empty.hidden = hands.length > 0;
      if (!hands.length) return;
      if (!at.begun) {
        at.begun = true;
        turn(given.at(-1).judged ? 0 : given.length - 1);
        return;
      }
      const hand = newest ? hands.length - 1 : Math.max(0, hands.findIndex(({ number }) => number === before?.number));
      turn(hand, newest && at.timer === null ? hands[hand].steps.length - 1 : Math.min(at.step, hands[hand].steps.length - 1));
    },
  };
}
