/**
 * The verdict on a file, for a page to show.
 * @module
 */
import { HandLedger } from '../files/hand.mjs';
import { DeckLedger } from '../files/ledger.mjs';
import { recordsOf } from '../files/records.mjs';
import { fingerprint } from '../messages/charter.mjs';
import { Check, hex } from '../suite/bytes.mjs';
import { CountingAuditor } from './counting.mjs';

/** Where an audit stands: the kind of ledger, its number and round. @param {CountingAuditor} auditor */
function placeOf({ ledger }) {
  if (!ledger) return { kind: 'file' };
  const kind = ledger instanceof HandLedger ? 'hand' : ledger instanceof DeckLedger ? 'deck' : 'table';
  return { kind, number: ledger.number, round: ledger.round };
}

/** @param {Uint8Array} data @param {(done: number) => void} [progress] is told of bytes @returns {object} plain data */
export function verdictOn(data, progress = () => {}) {
  const auditor = new CountingAuditor();
  let broken = null;
  let place = { kind: 'file' };
  try {
    for (const { letter, payload, at } of recordsOf(data)) {
      progress(at);
      auditor.record(letter, payload);
    }
  } catch (error) {
    if (!(error instanceof Check)) throw error;
    place = placeOf(auditor);
    broken = { check: error.check, seat: error.seat ?? null, place };
  }
  const { charter } = auditor;
  return {
    valid: broken === null,
    broken,
    game: charter?.game ?? null,
    fingerprint: charter ? fingerprint(charter.digest) : null,
    seats: charter ? charter.seats.map(({ nickname, key }) => ({ nickname, key: hex(key) })) : [],
    hands: auditor.played,
    checks: auditor.results(broken?.check ?? null),
  };
}
