/**
 * Going through a hand: buttons, keys, touch, a slider with the tricks marked, play at a pace.
 * @module
 */
import { filled, make } from './dom.mjs';
import { scenesOf, seenBy } from './scenes.mjs';
import { drawCounts, drawTable } from './table.mjs';
import words from '../words.json';

const PACES = [0.5, 1, 2, 4];
const SWIPE = 40; // pixels

/**
 * Shows the hands; `changed` of what it returns is called when there are others, or more steps of one.
 * Who looks at the newest step then sees the one that is new.
 * @param {HTMLElement} root @param {{hands: object[], seats: [string, string, boolean][]}} data
 */
export function showHands(root, { hands, seats }) {
  let scenes = [];
  const at = { hand: 0, step: 0, timer: null };
  const counts = make('div', { class: 'counts' });
  const table = make('div', { class: 'table' });
  const told = make('p', { class: 'told', role: 'status', 'aria-live': 'polite' });
  const lesson = make('div', { class: 'lesson', hidden: true });
  const place = make('p', {});

  const last = () => scenes[at.hand].length - 1;
  const marks = () => hands[at.hand].marks;
  const earlier = () => marks().filter((mark) => mark < at.step).at(-1) ?? 0;
  const later = () => marks().find((mark) => mark > at.step) ?? last();
  /** The next step at which there is something to see, one way or the other. */
  function next(way) {
    let step = at.step + way;
    while (step > 0 && step < last() && scenes[at.hand][step].silent) step += way;
    return step;
  }
  const moves = {
    first: () => 0, trick_back: earlier, back: () => next(-1), on: () => next(1), trick_on: later, last,
  };

  const button = (name, work) => make('button', { type: 'button', onclick: work }, words[name]);
  const buttons = {};
  for (const name of Object.keys(moves)) buttons[name] = button(name, () => { pause(); go(moves[name]()); });
  const play = button('play', () => (at.timer === null ? start() : pause()));
  const pace = make('select', { id: 'pace' }, ...PACES.map((each) => make('option', { value: String(each), selected: each === 1 }, filled(words.pace_of, each))));
  const views = [['now', words.eyes_now], ...seats.map(([seat], number) => [String(number), filled(words.eyes_of, seat)]), ['all', words.eyes_all]];
  const eyes = make('select', { id: 'eyes', onchange: () => draw() }, ...views.map(([value, text]) => make('option', { value }, text)));
  const learn = make('button', { type: 'button', 'aria-expanded': 'false', onclick: () => teach() }, words.lesson);
  const slider = make('input', { type: 'range', min: '0', step: '1', oninput: () => { pause(); go(Number(slider.value)); } });
  slider.setAttribute('aria-label', words.slider);
  const ticks = make('div', { class: 'marks', 'aria-hidden': 'true' });
  const which = make('select', { onchange: () => { pause(); turn(Number(which.value)); } });

  function look(view) {
    eyes.selectedIndex = view;
    draw();
  }
  function teach() {
    lesson.hidden = !lesson.hidden;
    learn.setAttribute('aria-expanded', String(!lesson.hidden));
  }
  function go(step) {
    at.step = Math.min(Math.max(step, 0), last());
    draw();
  }
  function turn(hand, step = 0) {
    at.hand = hand;
    slider.max = String(last());
    ticks.replaceChildren(...marks().map((mark, number) => {
      const tick = make('span', {}, String(number + 1));
      tick.style.left = `${(100 * mark) / Math.max(1, last())}%`;
      return tick;
    }));
    go(step);
  }
  function pause() {
    clearInterval(at.timer);
    at.timer = null;
    play.textContent = words.play;
  }
  function start() {
    if (at.step === last()) go(0);
    play.textContent = words.pause;
    at.timer = setInterval(() => {
      go(next(1));
      if (at.step === last()) pause();
    }, 1000 * Number(pace.value));
  }
  function draw() {
    const step = scenes[at.hand][at.step];
    const [view, seat] = [eyes.value, Number(eyes.value)];
    const scene = step[view] ?? seenBy(step, seat);
    const [did, deed] = hands[at.hand].deeds[at.step - 1] ?? [];
    drawCounts(counts, scene);
    drawTable(table, scene, seats);
    const sentences = (view === 'all' || did === seat ? step.retold : step.told).join(' ');
    told.textContent = sentences || (deed ? filled(words.silent, seats[did][0], deed) : '');
    lesson.replaceChildren(...scene.moment.map((text) => make('p', {}, text)));
    slider.value = String(at.step);
    const number = filled(words.step_of, at.step, last());
    place.textContent = scene.tricks ? `${number}. ${filled(words.trick_number, scene.tricks)}.` : `${number}.`;
    slider.setAttribute('aria-valuetext', place.textContent);
    for (const name of ['first', 'trick_back', 'back']) buttons[name].disabled = at.step === 0;
    for (const name of ['on', 'trick_on', 'last']) buttons[name].disabled = at.step === last();
    root.dataset.step = String(at.step);
  }

  const keys = {
    ArrowRight: moves.on, ArrowLeft: moves.back, PageUp: moves.trick_back, PageDown: moves.trick_on, Home: moves.first, End: moves.last,
  };
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || ['SELECT', 'TEXTAREA'].includes(target.tagName)) return;
    if (target.tagName === 'INPUT' && target !== slider) return;
    if (Object.hasOwn(keys, key)) {
      pause();
      go(keys[key]());
    } else if (key === ' ' && (target === document.body || target === slider)) play.click();
    else if (key === 'a') look(eyes.value === 'all' ? 0 : views.length - 1);
    else if (key === 'e') look((eyes.selectedIndex + 1) % views.length);
    else if (key === 'l') teach();
    else return;
    event.preventDefault();
  });
  let from = null;
  table.addEventListener('pointerdown', (event) => { from = event.pointerType === 'mouse' ? null : event.clientX; });
  table.addEventListener('pointerup', (event) => {
    const way = from === null ? 0 : event.clientX - from;
    from = null;
    if (Math.abs(way) < SWIPE) return;
    pause();
    go(next(way < 0 ? 1 : -1));
  });

  const choice = make('label', {}, `${words.hand_choice} `, which);
  const { first, trick_back: trickBack, back, on, trick_on: trickOn } = buttons;
  root.append(
    choice,
    make('div', { class: 'controls' }, first, trickBack, back, play, on, trickOn, buttons.last),
    make('div', { class: 'slider' }, slider, ticks),
    place, told, counts, table,
    make('div', { class: 'controls' }, make('label', {}, `${words.eyes} `, eyes), make('label', {}, `${words.pace} `, pace), learn),
    lesson, make('p', { class: 'keys' }, words.keys),
  );
  function changed() {
    const newest = !scenes.length || (at.hand === scenes.length - 1 && at.step === last());
    scenes = hands.map(({ steps }) => scenesOf(steps));
    which.replaceChildren(...hands.map((hand, number) => make('option', { value: String(number) }, filled(words.hand, hand.number + 1))));
    choice.hidden = hands.length < 2;
    root.hidden = !hands.length;
    if (!hands.length) return;
    const hand = newest ? hands.length - 1 : Math.min(at.hand, hands.length - 1);
    which.value = String(hand);
    turn(hand, newest && at.timer === null ? scenes[hand].length - 1 : at.step);
  }
  changed();
  if (hands.length) turn(0);
  which.value = '0';
  return { changed };
}
