/**
 * A table while it is played: what the program that serves the page tells becomes hands and files.
 * @module
 */
import { filled, grown, unpacked } from './dom.mjs';
import { called } from './labels.mjs';
import words from '../words.json';

/**
 * Listens until nothing more comes.
 * @param {{hands: object[], open: object | null}} told by whoever serves the page; grows
 * @param {() => void} changed is called when there is something new @param {(files: object[]) => void} judge files, `{name, bytes}`
 */
export function showLive(told, changed, judge) {
  const [state, counted, understand] = ['live', 'verified', 'understand'].map((id) => document.getElementById(id));
  const title = understand.firstChild;
  const source = new EventSource('events');
  const files = [];
  let connected = false;
  const say = (text, now) => {
    state.textContent = text;
    state.dataset.state = now;
  };
  const verified = (count) => { counted.textContent = filled(words.live_verified, count); };
  const hear = {
    verified: ({ count }) => verified(count),
    hand({ number, dealer, before, count }) {
      told.open = { number, dealer, before, deeds: [], steps: [], words: [] };
      verified(count);
      say(filled(words.live_on, called(number, words)), 'on');
    },
    step({ now, words: said, deed }) {
      if (!told.open) return;
      if (deed) told.open.deeds.push(deed);
      told.open.steps.push({ now, all: now });
      told.open.words.push(said);
      changed();
    },
    ended({ hand, file, bytes, article }) {
      told.hands.push(hand);
      understand.append(grown(article));
      say(filled(words.live_ended, called(hand.number, words)), 'on');
      if (files.some((each) => each.number === hand.file)) return;
      files.push({ name: file.name, number: hand.file, bytes: unpacked(bytes) });
      judge(files);
    },
    over({ why }) {
      source.close();
      say(filled(words.live_over, why).trim(), 'over');
    },
  };
  source.onopen = () => {
    if (connected) { // after a break all is told anew
      told.hands.length = files.length = 0;
      understand.replaceChildren(title);
    }
    connected = true;
    say(words.live_begins, 'on');
  };
  source.onmessage = ({ data: line }) => {
    const said = JSON.parse(line);
    if (Object.hasOwn(hear, said.said)) hear[said.said](said);
  };
  source.onerror = () => say(words.live_lost, 'lost');
}
