/**
 * Specs 5.7: the table at which the same people play another match in other seats.
 * @module
 */
import { decodeCharter } from '../messages/charter.mjs';
import { decode, encode } from '../messages/values.mjs';
import { fail, u8 } from '../suite/bytes.mjs';
import { H } from '../suite/hashing.mjs';

/** @param {Uint8Array} bytes @param {Uint8Array} key @param {Uint8Array} token @param {Uint8Array} after @param {number} seating */
export function nextTable(bytes, key, token, after, seating) {
  const { digest, seats } = decodeCharter(bytes);
  if (seating < 1 || seating > seats.length - 2) fail('rematch.seating');
  const [version, , game, profile, rows, terms] = decode(bytes);
  const table = H('p2p304/v1/rematch-table', digest, after, u8(seating)).subarray(0, 16);
  const [first, ...others] = rows;
  const sitting = [first, ...others.slice(seating), ...others.slice(0, seating)];
  const entries = sitting.map(([own, name, nonce]) => [own, name, H('p2p304/v1/rematch-nonce', table, nonce)]);
  const kept = terms.filter(([name]) => name !== 'continues');
  return {
    charter: encode([version, table, game, profile, entries, kept]),
    key: H('p2p304/v1/rematch-key', key, table),
    token: H('p2p304/v1/rematch-token', token, table).subarray(0, 16),
  };
}
