// Specs 6.4: evidence that a stranger can check, as far as no rule of the game is needed.
import { Blind, Auditor } from './audit.mjs';
import { decode, decodeCharter, openEnvelope } from './encoding.mjs';
import { Check, equal, fail, hex } from './suite.mjs';

const MOST = 4_000_000;
const isBytes = (value) => value instanceof Uint8Array;
const isInt = (value) => typeof value === 'bigint';

export function checkEvidence(data) {
  const value = decode(data, MOST);
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !isInt(value[1])) fail('evidence.shape');
  if (value[0] !== 'p2p304 evidence' || value[1] !== 1n) fail('evidence.format');
  const [, , kind, charter, ...rest] = value;
  if (!isBytes(charter)) fail('evidence.shape');
  if (kind === 1n && rest.length === 2 && rest.every(isBytes)) {
    return conflict(decodeCharter(charter), ...rest);
  }
  const [check, ledgers, message] = rest;
  const shaped = kind === 2n && rest.length === 3 && typeof check === 'string';
  if (!shaped || !Array.isArray(ledgers) || !isBytes(message)) fail('evidence.shape');
  const prefix = ledgers.map(ledgerOf);
  return fault(decodeCharter(charter), check, prefix, message);
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

function conflict(charter, first, second) {
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
    return { seat: one.seat, check: 'ledger.equivocation' };
  }
  const keys = (said) => {
    if (said.kind !== 'HandKeys') return [];
    const data = said.fields[0];
    return [data.subarray(0, 33), data.subarray(33)].map(hex);
  };
  if (!keys(one).some((key) => keys(other).includes(key))) fail('evidence.conflict');
  return { seat: one.seat, check: 'keys.reused' };
}

function fault(charter, stated, prefix, message) {
  const convicted = (seat, check) => (check === stated ? { seat, check } : fail('evidence.check'));
  let said;
  try {
    said = ledgerMessage(message, charter);
  } catch (error) {
    if (error instanceof Check && error.seat !== undefined) return convicted(error.seat, error.check);
    throw error;
  }
  const auditor = new Auditor(false);
  auditor.meet(charter);
  for (const [at, ledger] of prefix.entries()) {
    instead('evidence.prefix', () => auditor.replay(ledger, at === prefix.length - 1));
  }
  if (!auditor.open || auditor.open.lane !== said.lane || auditor.open.number !== said.number) {
    fail('evidence.fault');
  }
  try {
    auditor.message(message);
  } catch (error) {
    if (!(error instanceof Check)) throw error;
    return error.seat === undefined ? fail('evidence.fault') : convicted(error.seat, error.check);
  }
  return fail('evidence.fault');
}

function instead(check, work) {
  try {
    work();
  } catch (error) {
    if (error instanceof Blind || !(error instanceof Check)) throw error;
    fail(check);
  }
}
