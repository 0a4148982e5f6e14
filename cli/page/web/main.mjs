/**
 * The script of a page: has its files verified at once, shows what the verifier found, and the maker's words apart.
 * @module
 */
import { showChecking, standing } from './checking.mjs';
import { block, filled, unpacked } from './dom.mjs';
import { safeName } from './labels.mjs';
import { showLive } from './live.mjs';
import { showTable } from './stepping.mjs';
import { shownHands } from './scenes.mjs';
import words from '../words.json';

const data = JSON.parse(block('data'));
const told = { hands: data.hands, open: null };
const found = []; // of each file of the page

/** The hands that there are to be seen, in their order. */
function hands() {
  const shown = found.flatMap((each, file) => {
    const ours = told.hands.filter((hand) => hand.file === file);
    const theirs = each.verdict?.known ? null : data.seats;
    const seats = theirs ?? each.verdict.seats.map(({ nickname }, seat) => [each.verdict.places[seat], safeName(nickname)]);
    return shownHands(ours, each.verdict ?? null).map((hand) => ({ ...hand, seats }));
  });
  const { open } = told;
  if (!open || shown.some(({ number }) => number === open.number)) return shown;
  return [...shown, ...shownHands([open], null).map((hand) => ({ ...hand, seats: data.seats }))];
}

/** What the page says of all its files together. @returns {[string, ...string[]]} a standing, and what goes with it */
function state() {
  const total = Math.max(data.files.length, found.length);
  const each = found.map(standing);
  const first = found.find((one) => standing(one) === 'invalid');
  if (first) return ['invalid', first.verdict.broken?.check ?? ''];
  if (new Set(found.flatMap(({ verdict }) => verdict?.fingerprint ?? [])).size > 1) return ['invalid', words.several_tables];
  if (!total) return ['waiting'];
  if (found.length < total) return ['running', found.length + 1, total];
  return [['unjudged', 'open', 'valid'].find((one) => each.includes(one))];
}

function titled() {
  const { verdict } = found.find((each) => each.verdict?.game) ?? {};
  if (!verdict) return '';
  return verdict.profile ? filled(words.title_of, verdict.game, safeName(verdict.profile.split('\n')[0].replaceAll('_', ' '))) : verdict.game;
}

const pageless = !data.files.length && !data.live;
const table = pageless ? null : showTable();
const changed = () => table?.changed(hands(), state(), titled(), found.map(({ verdict }) => verdict));
const checking = showChecking(document.getElementById('checking'), (one, file) => {
  found[file] = one;
  changed();
});
const judge = (files) => checking.own(files, found);
if (data.live) {
  changed();
  showLive(told, changed, judge);
} else if (!pageless) {
  changed();
  judge(data.files.map(({ name }, number) => ({ name, bytes: unpacked(block(`file${number}`)) })));
}
