/**
 * Specs 6.4: evidence that a stranger can check.
 * @module
 */
import { decodeCharter } from '../messages/charter.mjs';
import { openEnvelope } from '../messages/envelope.mjs';
import { decode } from '../messages/values.mjs';
import { Check, equal, fail, hex, orNothing } from '../suite/bytes.mjs';
import { gameOf } from '../rules/games.mjs';
import { Keys } from './audit.mjs';
import { HandLedger } from './hand.mjs';
import { DeckLedger, TableLedger } from './ledger.mjs';
import { contradict } from './ruling.mjs';

const MOST = 4_000_000;
const isBytes = (value) => value instanceof Uint8Array;
const isInt = (value) => typeof value === 'bigint';

/** Whom it convicts, and of what. @param {Uint8Array} data */
export function checkEvidence(data) {
  const { seat, referee, check } = judgedEvidence(data);
  return referee === undefined ? { seat, check } : { referee, check };
}

/** The same, and under which charter. @param {Uint8Array} data @param {(done: number) => void} [progress] is told of bytes */
export function judgedEvidence(data, progress = () => {}) {
  const value = decode(data, MOST);
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !isInt(value[1])) fail('evidence.shape');
  if (value[0] !== 'p2p304 evidence' || value[1] !== 1n) fail('evidence.format');
  const [, , kind, charter, ...rest] = value;
  if (!isBytes(charter)) fail('evidence.shape');
  if (kind === 1n && rest.length === 2 && rest.every(isBytes)) {
    return conflict(known(charter), ...rest);
  }
  if (kind === 4n && rest.length === 2 && rest.every(isBytes)) {
    return rulings(known(charter), ...rest);
  }
  if (kind === 3n && rest.length === 3 && rest.every(isBytes)) {
    const first = known(charter);
    return fork(first.charter, rest[0], decodeCharter(rest[1]), rest[2]);
  }
  const [check, ledgers, message] = rest;
  const shaped = kind === 2n && rest.length === 3 && typeof check === 'string';
  if (!shaped || !Array.isArray(ledgers) || !isBytes(message)) fail('evidence.shape');
  const prefix = ledgers.map(ledgerOf);
  return fault(known(charter), check, prefix, message, progress);
}

function known(data) {
  const charter = decodeCharter(data);
  return { charter, game: gameOf(charter) };
}

function ledgerOf(value) {
  if (!Array.isArray(value) || value.length !== 6) fail('evidence.shape');
  const [lane, number, after, leading, scores, messages] = value;
  const arrays = [after, scores, messages].every(Array.isArray);
  if (![lane, number, leading].every(isInt) || !arrays) fail('evidence.shape');
  if (lane < 0n || lane > 2n || number < 0n || number >= 1n << 32n) fail('evidence.ledger');
  if (leading < 0n || leading >= 64n) fail('evidence.ledger');
  if (![...after, ...messages].every(isBytes) || !scores.every(isInt)) fail('evidence.shape');
  if (after.length > 2 || scores.length > 64) fail('evidence.ledger');
  if (after.some((each) => each.length !== 32)) fail('evidence.ledger');
  return {
    lane: Number(lane), number: Number(number), after, leading: Number(leading), scores, messages,
  };
}

function ledgerMessage(raw, charter) {
  const said = openEnvelope(raw, charter);
  return said.purpose === 1 ? said : fail('envelope.purpose');
}

function conflict({ charter }, first, second) {
  let both;
  try {
    both = [first, second].map((raw) => ledgerMessage(raw, charter));
  } catch (error) {
    if (error instanceof Check && error.seat !== undefined) fail('evidence.conflict');
    throw error;
  }
  const [one, other] = both;
  const ledger = (said) => `${said.lane}/${said.number}`;
  if (one.seat !== other.seat || equal(one.id, other.id)) fail('evidence.conflict');
  if (ledger(one) === ledger(other)) {
    if (one.round !== other.round) fail('evidence.conflict');
    return { seat: one.seat, check: 'ledger.equivocation', charter };
  }
  const keys = (said) => {
    if (said.kind !== 'HandKeys') return [];
    const data = said.fields[0];
    return [data.subarray(0, 33), data.subarray(33)].map(hex);
  };
  if (!keys(one).some((key) => keys(other).includes(key))) fail('evidence.conflict');
  return { seat: one.seat, check: 'keys.reused', charter };
}

// One referee ruled twice where it may rule once.
function rulings({ charter }, first, second) {
  const [one, other] = [first, second].map((raw) => openEnvelope(raw, charter, 'ruling'));
  if (one.referee !== other.referee || !contradict(one, other)) fail('evidence.rulings');
  return { referee: one.referee, check: 'ruling.twice', charter };
}

// One key spoke at two tables, and the later one continues a match.
function fork(charter, first, other, second) {
  let both;
  try {
    both = [ledgerMessage(first, charter), ledgerMessage(second, other)];
  } catch (error) {
    if (error instanceof Check && error.seat !== undefined) fail('evidence.fork');
    throw error;
  }
  const [one, two] = both;
  const { continues } = other;
  const same = equal(charter.seats[one.seat].key, other.seats[two.seat].key);
  const hands = one.lane === 2 && two.lane === 2;
  if (!same || !continues || equal(charter.digest, other.digest) || !hands) fail('evidence.fork');
  if (charter.continues && equal(charter.continues.charter, continues.charter)) {
    return { seat: one.seat, check: 'continuation.twice', charter };
  }
  const { hand, closed } = continues.point;
  const behind = one.number > hand || (one.number === hand && one.round > closed);
  if (!behind || !equal(continues.charter, charter.digest)) fail('evidence.fork');
  return { seat: one.seat, check: 'continuation.old', charter };
}

function fault({ charter, game }, stated, prefix, message, progress) {
  const convicted = (seat, check) => (check === stated ? { seat, check, charter } : fail('evidence.check'));
  let read = 0;
  const replayed = (raw) => progress((read += raw.length));
  let said;
  try {
    said = ledgerMessage(message, charter);
  } catch (error) {
    if (error instanceof Check && error.seat !== undefined) return convicted(error.seat, error.check);
    throw error;
  }
  const ledgers = new Map();
  const keys = new Keys();
  for (const origin of prefix) {
    const ledger = playedAgain(origin, charter, game, { ledgers, keys, replayed });
    ledgers.set(`${origin.lane}/${origin.number}`, ledger);
  }
  const last = [...ledgers.values()].at(-1);
  if (!last || last.lane !== said.lane || last.number !== said.number) fail('evidence.fault');
  const held = last.accepted.some(({ seat, round }) => seat === said.seat && round === said.round)
    || last.past.has(`${said.round}/${said.seat}`);
  if (held || said.round > last.round || !equal(said.previous, last.heads[said.round])) fail('evidence.fault');
  try {
    last.judge(said);
  } catch (error) {
    if (!(error instanceof Check)) throw error;
    return convicted(error.seat, error.check);
  }
  return fail('evidence.fault');
}

// A ledger with the messages of its closed rounds, played again.
function playedAgain(origin, charter, game, { ledgers, keys, replayed }) {
  const wrong = () => fail('evidence.prefix');
  const { lane, number, after, leading } = origin;
  if (leading >= charter.seats.length) wrong();
  const deck = ledgers.get(`1/${number}`);
  if (lane === 2 && !(deck?.settled && after.length === 2 && equal(after[1], deck.head))) wrong();
  const Kind = [TableLedger, DeckLedger, HandLedger][lane];
  const ledger = new Kind(charter, origin, game, deck);
  ledger.past = new Set();
  for (const raw of origin.messages) {
    replayed(raw);
    let said;
    try {
      said = ledgerMessage(raw, charter);
    } catch (error) {
      if (error instanceof Check && error.seat !== undefined) wrong();
      throw error;
    }
    if (said.lane !== lane || said.number !== number || said.round !== ledger.round) wrong();
    if (ledger.past.has(`${said.round}/${said.seat}`) || !equal(said.previous, ledger.head)) wrong();
    if (said.kind === 'HandKeys' && keys.reused(said)) wrong();
    if (orNothing(() => ledger.judge(said)) === null) wrong();
    ledger.past.add(`${said.round}/${said.seat}`);
    ledger.accept(said);
  }
  return ledger;
}
