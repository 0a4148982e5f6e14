/**
 * Verifying: of the page's own transcripts, or of a file that is chosen or dropped on the page.
 * @module
 */
import { block, filled, make, unpacked } from './dom.mjs';
import { called } from './labels.mjs';
import { disagreement, strangers } from './scenes.mjs';
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

/** What the verifier read of a hand. @param {object} hand @param {(seat: number) => string} seatText */
function handRead({ number, dealer, scores, unconfirmed, endedBy, ruled, deeds }, seatText) {
  const named = (seats) => seats.map(seatText).join(', ');
  let result = words.no_result;
  if (ruled && !scores.length) result = words.read_ruled;
  else if (endedBy?.length) result = filled(words.read_ended, named(endedBy));
  else if (scores) result = filled(words.read_scores, scores.map((each) => (each < 0 ? `−${-each}` : each ? `+${each}` : '0')).join(', '));
  if (unconfirmed?.length) result += ` ${filled(words.read_unsigned, named(unconfirmed))}`;
  const title = make('summary', {}, filled(words.read_hand, called(number, words), seatText(dealer), result));
  return make('details', {}, title, make('ol', {}, ...deeds.map(({ seat, text }) => make('li', {}, filled(words.read_deed, seatText(seat), text)))));
}

function keysOf({ fingerprint, seats }, seatText) {
  if (!fingerprint) return [];
  const keys = seats.map(({ key }, seat) => make('li', {}, filled(words.key_of, seatText(seat), key)));
  return [make('details', {}, make('summary', {}, filled(words.whose, fingerprint)), make('ul', {}, ...keys))];
}

function evidenceTold({ valid, evidence: { check, seat, meaning } }, seatText) {
  const who = seat === null ? words.referee : seatText(seat);
  const said = valid ? filled(words.evidence_convicts, who, check) : filled(words.evidence_nobody, check);
  const parts = [make('p', { class: valid ? 'verdict' : 'verdict failed' }, said)];
  if (meaning) parts.push(make('p', {}, filled(words.should_hold, meaning)));
  return parts;
}

/** What a verdict says. @param {object} verdict @param {number} seconds @param {string[]} places of the page, where it is its own file */
function told(verdict, seconds, places) {
  const { broken, seats, checks, hands } = verdict;
  const seatText = (seat) => `${places[seat] ?? filled(words.seat_numbered, seat + 1)} (\u2068${seats[seat]?.nickname ?? '?'}\u2069)`;
  if (verdict.evidence) return [...evidenceTold(verdict, seatText), ...keysOf(verdict, seatText)];
  const parts = [];
  if (!broken) {
    const { one, many } = words.hands_of;
    const count = hands.length === 1 ? one : filled(many, hands.length);
    parts.push(make('p', { class: 'verdict' }, filled(words.valid, count, seconds.toFixed(1))));
  } else if (broken.check === UNFINISHED) parts.push(make('p', { class: 'verdict' }, words.open_file));
  else if (broken.check === 'transcript.format') return [make('p', { class: 'verdict failed' }, words.not_a_file)];
  else {
    parts.push(make('p', { class: 'verdict failed' }, filled(words.invalid, broken.check, placeText(broken.place))));
    const row = checks.find(({ name }) => name === broken.check);
    if (row) parts.push(make('p', {}, filled(words.should_hold, row.meaning)));
    const whom = broken.seat === null ? words.convicts_nobody : filled(words.convicts, seatText(broken.seat));
    parts.push(make('p', {}, whom));
  }
  return [...parts, ...hands.map((hand) => handRead(hand, seatText)), ...keysOf(verdict, seatText), ...checksOf(checks)];
}

/** Runs the verifier in a worker, one at a time. */
class Verifier {
  constructor() {
    this.source = URL.createObjectURL(new Blob([block('worker')], { type: 'text/javascript' }));
    this.worker = null;
  }

  stop() {
    this.worker?.terminate();
    this.worker = null;
  }

  /** @param {Uint8Array} bytes @param {(done: number) => void} progress @param {(said: object) => void} ended */
  run(bytes, progress, ended) {
    this.stop();
    const worker = new Worker(this.source);
    this.worker = worker;
    worker.onmessage = ({ data }) => {
      if (worker !== this.worker) return;
      if (data.done !== undefined) return void progress(data.done);
      this.stop();
      ended(data);
    };
    worker.onerror = (event) => {
      this.stop();
      ended({ defect: event.message ?? '' });
    };
    worker.postMessage(bytes.buffer.byteLength === bytes.length ? bytes.buffer : bytes.slice().buffer);
  }
}

/** @param {HTMLElement} root @param {object} data of the page @returns {{add: Function, clear: Function}} for files that come later */
export function showChecking(root, data) {
  const verifier = new Verifier();
  const shown = make('div', { role: 'status', id: 'verdict' });
  const bar = make('progress', { hidden: true });
  bar.setAttribute('aria-label', words.progress);
  const stop = make('button', { type: 'button', id: 'stop', hidden: true, onclick: () => { turn += 1; verifier.stop(); idle(); say(words.stopped); } }, words.stop);
  const trust = document.getElementById('trust');
  let verified = data.files.map(() => null);
  let turn = 0; // whose files are judged: who is given others forgets the ones before

  const say = (...parts) => shown.replaceChildren(...parts.map((each) => (typeof each === 'string' ? make('p', {}, each) : each)));
  function idle() {
    bar.hidden = stop.hidden = true;
  }
  /** Shows what is found in a file below what was found `before`, and gives it. */
  function verify(name, bytes, places, before = []) {
    const began = performance.now();
    bar.hidden = stop.hidden = false;
    bar.max = Math.max(1, bytes.length);
    bar.value = 0;
    shown.dataset.state = 'running';
    say(...before, filled(words.verifying, name));
    return new Promise((resolve) => {
      verifier.run(bytes, (done) => { bar.value = done; }, ({ verdict, defect }) => {
        idle();
        const parts = defect !== undefined ? [filled(words.defect, defect)] : told(verdict, (performance.now() - began) / 1000, places);
        const found = titled(name, ...parts);
        say(...before, found);
        shown.dataset.check = verdict?.broken?.check ?? verdict?.evidence?.check ?? '';
        shown.dataset.state = defect !== undefined ? 'defect' : verdict.valid ? 'valid' : 'invalid';
        resolve({ verdict, found });
      });
    });
  }
  const titled = (name, ...parts) => make('div', {}, make('h3', {}, make('bdi', {}, filled(words.file, name))), ...parts);
  function compared(number, verdict) {
    if (!verdict) return;
    verified[number] = verdict;
    const hands = data.hands.filter(({ file }) => file === number);
    const wrong = verdict.valid ? strangers(data, verdict) ?? disagreement(hands, verdict.hands) : null;
    if (!verdict.valid || wrong) {
      trust.className = 'mark bad';
      const what = wrong ? filled(words[wrong[0]], ...wrong.slice(1)) : verdict.broken.check;
      trust.textContent = filled(words.differs, what);
    } else if (verified.every((each) => each?.valid)) {
      trust.className = 'mark good';
      trust.textContent = words.recomputed;
    }
  }
  async function given(files) {
    const mine = ++turn;
    const found = [];
    for (const file of files) {
      const { bytes, problem } = await bytesOf(file);
      if (mine !== turn) return;
      if (bytes) found.push((await verify(file.name, bytes, [], [...found])).found);
      else {
        found.push(titled(file.name, make('p', {}, problem)));
        say(...found);
        shown.dataset.state = 'unread';
      }
    }
  }
  async function verifyOwn(name, number, bytes, places) {
    turn += 1;
    compared(number, (await verify(name, bytes, places)).verdict);
  }

  function row(name, number, bytes) {
    const places = data.seats.map(([place]) => place);
    const check = make('button', { type: 'button', class: 'verify', onclick: () => verifyOwn(name, number, bytes(), places) }, words.verify);
    const save = make('button', { type: 'button', class: 'save', onclick: () => {
      const link = make('a', { href: URL.createObjectURL(new Blob([bytes()])), download: name });
      link.click();
      URL.revokeObjectURL(link.href);
    } }, words.save);
    return make('div', { class: 'controls' }, check, save, make('bdi', {}, name));
  }
  const own = make('div', {}, ...data.files.map(({ name }, number) => row(name, number, () => unpacked(block(`file${number}`)))));
  const chosen = make('input', { type: 'file', multiple: true, onchange: () => given([...chosen.files]) });
  root.append(own, make('p', {}, make('label', {}, words.choose, ' ', chosen)), bar, stop, shown);
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
    given([...event.dataTransfer.files]);
  });
  return {
    add(name, number, bytes) {
      own.append(row(name, number, () => bytes));
      verified[number] = null;
      if (trust.className === 'mark good') {
        trust.className = 'mark';
        trust.textContent = words.unverified;
      }
    },
    clear() {
      own.replaceChildren();
      verified = [];
    },
  };
}
