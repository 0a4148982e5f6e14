/**
 * Verifying: of the page's own transcripts at once, and of files that are chosen or dropped on the page.
 * @module
 */
import { block, filled, make } from './dom.mjs';
import { called, deedText, safeName } from './labels.mjs';
import words from '../words.json';

const MOST = 256 << 20; // bytes of a file, and of what a packed one unpacks to
const UNFINISHED = 'ledger.settled';

/** What a packed file holds; throws for damaged data, or too much. @param {Blob} file */
async function inflated(file) {
  const parts = [];
  let size = 0;
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    size += value.length;
    if (size > MOST) throw new RangeError('too much');
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** @param {File} file @returns {Promise<{bytes?: Uint8Array, problem?: string}>} */
async function bytesOf(file) {
  const most = MOST >> 20;
  if (file.size > MOST) return { problem: filled(words.too_large, most) };
  let packed = false;
  try {
    const [one, two] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    packed = one === 0x1f && two === 0x8b;
    return { bytes: packed ? await inflated(file) : new Uint8Array(await file.arrayBuffer()) };
  } catch {
    return { problem: packed ? filled(words.packed, most) : words.unreadable };
  }
}

const placeText = ({ kind, number, round }) => filled(words[`place_${kind}`], called(number ?? 0, words), round);

function checksOf(checks) {
  const counts = words.results
    .map((result) => [checks.filter((each) => each.result === result).length, result])
    .filter(([count, result]) => count || ['passed', 'failed', 'not needed'].includes(result));
  const parts = [
    make('p', {}, filled(words.counts, counts.map(([count, result]) => filled(words.counted, count, result)).join(', '))),
    make('p', { class: 'keys' }, words.of_what),
  ];
  for (const kind of new Set(checks.map((each) => each.kind))) {
    const head = [words.check_name, words.check_result, words.check_meaning].map((text) => make('th', { scope: 'col' }, text));
    const rows = checks.filter((each) => each.kind === kind).map(({ name, result, count, meaning }) => {
      const said = result === 'passed' ? filled(words.times, count) : result;
      const cells = [make('th', { scope: 'row' }, make('code', {}, name)), make('td', {}, said), make('td', {}, meaning)];
      return make('tr', { class: result === 'failed' ? 'failed' : '' }, ...cells);
    });
    const table = make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows));
    parts.push(make('details', { open: rows.some((row) => row.className) }, make('summary', {}, kind), make('div', { class: 'wide' }, table)));
  }
  return parts;
}

/** What the verifier read of a hand. @param {object} hand @param {object} verdict @param {(seat: number) => string} seatText */
function handRead({ number, dealer, scores, unconfirmed, endedBy, ruled, deeds }, { places }, seatText) {
  const named = (seats) => seats.map(seatText).join(', ');
  let result = words.no_result;
  if (ruled && !scores.length) result = words.read_ruled;
  else if (endedBy?.length) result = filled(words.read_ended, named(endedBy));
  else if (scores) result = filled(words.read_scores, scores.map((each) => (each < 0 ? `−${-each}` : each ? `+${each}` : '0')).join(', '));
  if (unconfirmed?.length) result += ` ${filled(words.read_unsigned, named(unconfirmed))}`;
  const title = make('summary', {}, filled(words.read_hand, called(number, words), seatText(dealer), result));
  return make('details', {}, title, make('ol', {}, ...deeds.map(({ seat, text }) => make('li', {}, filled(words.read_deed, seatText(seat), deedText(text, places, words))))));
}

function keysOf({ fingerprint, seats, referees }, seatText) {
  if (!fingerprint) return [];
  const keys = seats.map(({ key }, seat) => make('li', {}, filled(words.key_of, seatText(seat), key)));
  keys.push(...referees.map((key, at) => make('li', {}, filled(words.referee_key, at + 1, key))));
  return [make('details', {}, make('summary', {}, filled(words.whose, fingerprint)), make('ul', {}, ...keys))];
}

/** How a file stands: valid, invalid, open (no result), or unjudged. @param {{verdict?: object}} found */
export function standing({ verdict }) {
  if (!verdict?.known) return 'unjudged';
  if (verdict.valid) return 'valid';
  return verdict.broken?.check === UNFINISHED ? 'open' : 'invalid';
}

/** The sentence of a verdict, and what explains it. @returns {[string, ...string[]]} */
function sentences({ verdict, problem, defect, seconds }, seatText) {
  if (problem) return [problem];
  if (defect !== undefined) return [filled(words.defect, defect)];
  const { broken, evidence, checks, hands, referees } = verdict;
  if (evidence) {
    if (!verdict.known) return [words.unknown_evidence];
    const who = evidence.seat === null ? filled(words.referee, evidence.referee + 1, referees[evidence.referee]) : seatText(evidence.seat);
    const said = verdict.valid ? filled(words.evidence_convicts, who, evidence.check) : filled(words.evidence_nobody, evidence.check);
    return [said, ...(evidence.meaning ? [filled(words.should_hold, evidence.meaning)] : [])];
  }
  if (!verdict.known) return [filled(words.unknown_game, safeName(verdict.game))];
  if (!broken) return [filled(words.valid, hands.length === 1 ? words.hands_of.one : filled(words.hands_of.many, hands.length), seconds.toFixed(1))];
  if (broken.check === UNFINISHED) return [words.open_file];
  if (broken.check === 'transcript.format') return [words.not_a_file];
  const row = checks.find(({ name }) => name === broken.check);
  const whom = broken.seat === null ? words.convicts_nobody : filled(words.convicts, seatText(broken.seat));
  return [filled(words.invalid, broken.check, placeText(broken.place)), ...(row ? [filled(words.should_hold, row.meaning)] : []), whom];
}

/** What is found in a file, as elements. */
function told(found) {
  const { name, verdict } = found;
  const seatText = (seat) => filled(words.seat_is, verdict.places[seat], `\u2068${safeName(verdict.seats[seat]?.nickname ?? '')}\u2069`);
  const [first, ...rest] = sentences(found, seatText);
  const look = standing(found) === 'invalid' ? 'verdict failed' : 'verdict';
  const parts = [make('h3', {}, make('bdi', {}, filled(words.file, name))), make('p', { class: look }, first), ...rest.map((each) => make('p', {}, each))];
  if (!verdict) return parts;
  const hands = (verdict.hands ?? []).map((hand) => handRead(hand, verdict, seatText));
  return [...parts, ...hands, ...keysOf(verdict, seatText), ...(verdict.known && verdict.checks ? checksOf(verdict.checks) : [])];
}

const RANKS = ['invalid', 'unjudged', 'open', 'valid'];

/** Several files: how many there are of each standing, and each by itself, the failed first. @param {object[]} found @param {number} total */
function summed(found, total) {
  if (total === 1) return found.length ? told(found[0]) : [];
  const counts = RANKS.flatMap((each) => {
    const count = found.filter((one) => standing(one) === each).length;
    return count ? [filled(words.totals[each], count)] : [];
  });
  const sorted = [...found].sort((one, other) => RANKS.indexOf(standing(one)) - RANKS.indexOf(standing(other)));
  const items = sorted.map((each) => {
    const failed = standing(each) === 'invalid';
    const title = make('summary', { class: failed ? 'failed' : '' }, make('bdi', {}, each.name), `: ${words.badges[standing(each)]}`);
    const item = make('details', { ontoggle: () => item.childElementCount > 1 || item.append(...told(each)) }, title);
    return item;
  });
  return [make('p', { class: 'verdict', id: 'total' }, filled(words.total, found.length, total, counts.join(', ') || '–')), ...items];
}

/** Runs the verifier in a worker, file by file, and shows what it finds. */
class Pane {
  /** @param {string} id */
  constructor(id) {
    this.source = URL.createObjectURL(new Blob([block('worker')], { type: 'text/javascript' }));
    this.turn = 0; // whose files are judged: who is given others forgets the ones before
    this.shown = make('div', { role: 'status', id });
    this.bar = make('progress', { hidden: true, max: 1, value: 0 });
    this.bar.setAttribute('aria-label', words.progress);
    this.stop = make('button', { type: 'button', class: 'stop', hidden: true, onclick: () => { this.halt(); this.shown.replaceChildren(make('p', {}, words.stopped)); } }, words.stop);
    this.element = make('div', {}, this.bar, this.stop, this.shown);
  }

  halt() {
    this.turn += 1;
    this.worker?.terminate();
    this.bar.hidden = this.stop.hidden = true;
  }

  /** @param {Uint8Array} bytes @param {(done: number) => void} progress @returns {Promise<{verdict?: object, defect?: string}>} */
  judged(bytes, progress) {
    return new Promise((resolve) => {
      const worker = new Worker(this.source);
      this.worker = worker;
      const ended = (said) => { worker.terminate(); resolve(said); };
      worker.onmessage = ({ data }) => (data.done === undefined ? ended(data) : progress(data.done));
      worker.onerror = (event) => ended({ defect: event.message ?? '' });
      worker.postMessage(bytes.buffer.byteLength === bytes.length ? bytes.buffer : bytes.slice().buffer);
    });
  }

  /** Judges files one after the other. @param {{name: string, read: () => Promise<{bytes?: Uint8Array, problem?: string}>}[]} files
   * @param {(found: object, number: number) => void} [tell] is given each as it is judged @param {object[]} [known] what was found before */
  async verify(files, tell = () => {}, known = []) {
    this.halt();
    const mine = this.turn;
    const { dataset } = this.shown;
    const all = [];
    dataset.state = 'running';
    this.bar.hidden = this.stop.hidden = false;
    for (const [number, { name, read }] of files.entries()) {
      if (known[number]) {
        all.push(known[number]);
        continue;
      }
      this.shown.replaceChildren(...summed(all, files.length), make('p', {}, filled(words.verifying, name)));
      const { bytes, problem } = await read();
      if (mine !== this.turn) return;
      this.bar.value = number / files.length;
      const began = performance.now();
      const said = bytes ? await this.judged(bytes, (done) => { this.bar.value = (number + done / Math.max(1, bytes.length)) / files.length; }) : { problem };
      if (mine !== this.turn) return;
      all.push({ name, ...said, seconds: (performance.now() - began) / 1000 });
      tell(all.at(-1), number);
    }
    this.bar.hidden = this.stop.hidden = true;
    this.shown.replaceChildren(...summed(all, files.length));
    const checks = all.map(({ verdict }) => verdict?.broken?.check ?? verdict?.evidence?.check ?? '');
    dataset.check = checks.find(Boolean) ?? '';
    dataset.state = all.length === 1 && all[0].defect !== undefined ? 'defect' : all.length === 1 && all[0].problem ? 'unread' : RANKS.find((each) => all.some((one) => standing(one) === each)) ?? '';
  }
}

/** @param {HTMLElement} root @param {(found: object, number: number) => void} tell is given what is found in a file of the page
 * @returns {{own: (files: object[], known?: object[]) => Promise<void>}} verifies the page's own files, `{name, bytes}`, but for those of which it is known what was found */
export function showChecking(root, tell) {
  const [mine, theirs] = [new Pane('verdict'), new Pane('given')];
  const rows = make('div', {});
  const given = (files) => theirs.verify([...files].map((file) => ({ name: file.name, read: () => bytesOf(file) })));
  const chosen = make('input', { type: 'file', multiple: true, onchange: () => given(chosen.files) });
  root.append(mine.element, rows, make('p', {}, make('label', {}, words.choose, ' ', chosen)), theirs.element);
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dropping');
  });
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) document.body.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    given(event.dataTransfer.files);
  });
  function own(files, known) {
    const all = files.map(({ name, bytes }) => ({ name, read: async () => ({ bytes: bytes.slice() }) }));
    const again = make('button', { type: 'button', class: 'verify', onclick: () => mine.verify(all, tell) }, words.verify);
    const saves = files.map(({ name, bytes }) => make('button', { type: 'button', class: 'save', onclick: () => {
      const link = make('a', { href: URL.createObjectURL(new Blob([bytes])), download: name });
      link.click();
      URL.revokeObjectURL(link.href);
    } }, words.save, ' ', make('bdi', {}, name)));
    rows.replaceChildren(make('div', { class: 'controls' }, again, ...saves));
    return mine.verify(all, tell, known);
  }
  return { own };
}
