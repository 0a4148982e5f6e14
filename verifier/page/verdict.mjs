/**
 * The verdict on a file, for a page to show.
 * @module
 */
import { judgedEvidence } from '../files/evidence.mjs';
import { HandLedger } from '../files/hand.mjs';
import { DeckLedger } from '../files/ledger.mjs';
import { recordsOf } from '../files/records.mjs';
import { fingerprint } from '../messages/charter.mjs';
import { Check, ascii, concat, equal, hex, u8 } from '../suite/bytes.mjs';
import { CHECKS, OTHERS } from './checks.mjs';
import { CountingAuditor } from './counting.mjs';
import { placesOf } from './scenes.mjs';

/** How evidence begins, after the head of its array. */
const EVIDENCE = concat(u8(0xaf), ascii('p2p304 evidence'));

/** Where an audit stands: the kind of ledger, its number and round. @param {CountingAuditor} auditor */
function placeOf({ ledger }) {
  if (!ledger) return { kind: 'file' };
  const kind = ledger instanceof HandLedger ? 'hand' : ledger instanceof DeckLedger ? 'deck' : 'table';
  return { kind, number: ledger.number, round: ledger.round };
}

/** Who sits where by a charter, and who is its referee. */
const namesOf = (charter) => ({
  fingerprint: charter ? fingerprint(charter.digest) : null,
  places: placesOf(charter?.seats.length ?? 0),
  seats: charter ? charter.seats.map(({ nickname, key }) => ({ nickname, key: hex(key) })) : [],
  referees: charter ? charter.referees.map(hex) : [],
});

/** What a check stands for. @param {string} check */
function meaningOf(check) {
  const row = [...CHECKS, ...OTHERS].find(([name]) => name === check);
  return row ? row.at(-1) : null;
}

/** Whom evidence convicts. @param {Uint8Array} data @param {(done: number) => void} progress */
function evidenceIn(data, progress) {
  let found = { check: null, seat: null };
  try {
    found = judgedEvidence(data, progress);
  } catch (error) {
    if (!(error instanceof Check)) throw error;
    found.check = error.check;
  }
  const { check, charter } = found;
  const { seat = null, referee = null } = found;
  return {
    valid: seat !== null || referee !== null,
    known: check !== 'charter.profile',
    evidence: { check, seat, referee, meaning: meaningOf(check) },
    ...namesOf(charter),
  };
}

/** @param {Uint8Array} data of a transcript, or of evidence @param {(done: number) => void} [progress] is told of bytes @returns {object} plain data */
export function verdictOn(data, progress = () => {}) {
  if (data[0] >> 4 === 9 && equal(data.subarray(1, 1 + EVIDENCE.length), EVIDENCE)) return evidenceIn(data, progress);
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
  const charter = auditor.charter ?? auditor.named;
  auditor.shown();
  return {
    valid: broken === null,
    known: Boolean(auditor.charter || !auditor.named || broken.check !== 'charter.profile'),
    broken,
    game: charter?.game ?? null,
    profile: charter?.profile ?? null,
    ...namesOf(charter),
    hands: auditor.played,
    checks: auditor.results(broken?.check ?? null),
  };
}
