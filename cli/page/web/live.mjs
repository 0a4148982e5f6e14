/**
 * A table while it is played: what the program that serves the page tells becomes hands and files.
 * @module
 */
import { filled, grown, unpacked } from './dom.mjs';
import { called } from './labels.mjs';
import words from '../words.json';

/**
 * Listens until nothing more comes.
 * @param {object} data of the page; grows
 * @param {{changed: () => void}} shown the hands @param {{add: Function, clear: Function}} checking the files
 */
export function showLive(data, shown, checking) {
  const told = document.getElementById('live');
  const counted = document.getElementById('verified');
  const understand = document.getElementById('understand');
  const title = understand.firstChild;
  const source = new EventSource('events');
  const say = (text, state) => {
    told.textContent = text;
    told.dataset.state = state;
  };
  const begun = { connected: false, due: false };

  /** Draws once for all that came together. */
  function changed() {
    if (begun.due) return;
    begun.due = true;
    setTimeout(() => {
      begun.due = false;
      shown.changed();
    });
  }

  function verified(counts) {
    counted.textContent = filled(words.live_verified, counts.map(([kind, count]) => filled(words.live_count, kind, count)).join(', '));
  }
  const hear = {
    verified: ({ counts }) => verified(counts),
    hand({ number, dealer, before, counts }) {
      data.hands.push({ file: null, number, dealer, before, changes: [], deeds: [], marks: [], steps: [] });
      verified(counts);
      say(filled(words.live_on, called(number, words)), 'on');
    },
    step({ now, told: sentences, deed, mark }) {
      const hand = data.hands.at(-1);
      if (!hand || hand.file !== null) return;
      if (mark) hand.marks.push(hand.steps.length);
      if (deed) hand.deeds.push(deed);
      hand.steps.push({ now, all: now, told: sentences });
      changed();
    },
    ended({ hand, file, bytes, result, article, match }) {
      const at = data.hands.findIndex((each) => each.file === null && each.number === hand.number);
      if (at >= 0) data.hands.splice(at);
      data.hands.push(hand);
      const last = data.files.find((each) => each.number === hand.file);
      if (!last) {
        data.files.push({ ...file, number: hand.file });
        checking.add(file.name, hand.file, unpacked(bytes));
      }
      understand.querySelector('.match')?.remove();
      if (match) title.after(grown(match));
      understand.append(grown(article));
      changed();
      say(filled(words.live_ended, called(hand.number, words), result || words.no_result), 'on');
    },
    over({ why }) {
      source.close();
      say(filled(words.live_over, why).trim(), 'over');
    },
  };
  source.onopen = () => {
    if (begun.connected) { // after a break all is told anew
      data.hands.length = data.files.length = 0;
      understand.replaceChildren(title);
      checking.clear();
    }
    begun.connected = true;
    say(words.live_begins, 'on');
  };
  source.onmessage = ({ data: line }) => {
    const said = JSON.parse(line);
    if (Object.hasOwn(hear, said.said)) hear[said.said](said);
  };
  source.onerror = () => say(words.live_lost, 'lost');
}
