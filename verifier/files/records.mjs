/**
 * Specs 6.1 and 6.2, Reading: the records of a transcript, one by one.
 * @module
 */
import { ascii, equal, fail } from '../suite/bytes.mjs';
import { sha256 } from '../suite/hashing.mjs';

const FORMAT = ascii('p2p304 transcript 1\n');
const LONGEST = 65536;

/** Each record as it is read; what is wrong with the file's form fails. @param {Uint8Array} data */
export function* recordsOf(data) {
  const start = data.subarray(0, FORMAT.length);
  if (!equal(start, FORMAT.subarray(0, start.length))) fail('transcript.format');
  let at = FORMAT.length;
  let ended = false;
  while (at < data.length) {
    if (ended) fail('transcript.after-end');
    if (data.length - at < 5) break;
    const length = new DataView(data.buffer, data.byteOffset).getUint32(at + 1);
    if (length > LONGEST) fail('transcript.size');
    if (data.length - at < 5 + length) break;
    const payload = data.subarray(at + 5, at + 5 + length);
    const letter = String.fromCharCode(data[at]);
    if (letter === 'Z') {
      if (!equal(payload, sha256(data.subarray(0, at)))) fail('transcript.digest');
      ended = true;
    }
    yield { letter, payload, at };
    at += 5 + length;
  }
  if (!ended) fail('transcript.incomplete');
}
