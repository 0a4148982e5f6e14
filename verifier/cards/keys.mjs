/**
 * Specs 4.1 to 4.3: contexts, possession of keys, the table's keys.
 * @module
 */
import { ascii, fail, u32 } from '../suite/bytes.mjs';
import { G, Point, decodePoint, layout } from '../suite/group.mjs';
import { H } from '../suite/hashing.mjs';
import { Relation, proving, verifyCompact } from '../suite/relations.mjs';

/**
 * @typedef {{version: number, table: Uint8Array, ledger: Uint8Array, attempt: number, round: number,
 *   seat: number, kind: string, history: Uint8Array}} Context
 */

/** The session S of a proof. @param {Context} context @param {string} purpose @param {...Uint8Array} details */
export const session = (context, purpose, ...details) =>
  H(
    'p2p304/v1/proof-context', u32(context.version), context.table, context.ledger,
    u32(context.attempt), u32(context.round), u32(context.seat), ascii(context.kind),
    context.history, ascii(purpose), ...details,
  );

/** @param {Uint8Array} data keys and proof @param {Context} context */
export function verifyKeys(data, context) {
  const { points } = layout('key-step', data, 2, 3);
  if (points.some((point) => point.equals(G))) fail('key.generator');
  if (points[0].equals(points[1])) fail('key.halves');
  proving('key.proof', () => {
    const relation = new Relation(points, 2, [
      { image: [[1, 1n]], terms: [[0, 0, 1n]] },
      { image: [[2, 1n]], terms: [[1, 0, 1n]] },
    ]);
    verifyCompact(relation, data.subarray(66), session(context, 'key'));
  });
  return points;
}

/** @param {object[][]} all */
export function sumKeys(all) {
  const sums = [0, 1].map((half) => all.reduce((sum, keys) => sum.add(keys[half]), Point.ZERO));
  if (sums.some((point) => point.is0())) fail('key.sum');
  return sums;
}

/** Masked cards, 99 bytes each. @param {Uint8Array} data */
export function readCards(data) {
  const found = [];
  for (let at = 0; at < data.length; at += 99) {
    found.push([0, 33, 66].map((part) => decodePoint(data.subarray(at + part, at + part + 33))));
  }
  return found;
}

