/**
 * Specs 4.5 and 4.6: batches of equal secrets, shares.
 * @module
 */
import { fail } from '../suite/bytes.mjs';
import { combine, join, layout } from '../suite/group.mjs';
import { H, Sponge } from '../suite/hashing.mjs';
import { Relation, proving, verifyCompact } from '../suite/relations.mjs';
import { session } from './keys.mjs';

// 4.5: bases and images are arrays of one point, or of two whose difference counts.
export function verifyEquality(check, keys, bases, images, proof, place) {
  proving(check, () => {
    const fields = [bases, ...images].flatMap((row) => row.map((each) => join(each)));
    const bound = H('p2p304/v1/batch-equality', place, join(keys), ...fields);
    const weights = new Sponge(bound).weights(bases.length);
    const weighted = (row) => {
      const terms = row.flatMap((each, i) =>
        each.map((point, half) => [half ? -weights[i] : weights[i], point]),
      );
      const sum = combine(terms);
      return sum.is0() ? fail('equality.identity') : sum;
    };
    const elements = [weighted(bases)];
    const equations = [];
    keys.forEach((key, half) => {
      elements.push(key, weighted(images[half]));
      const at = elements.length;
      equations.push({ image: [[at - 1, 1n]], terms: [[half, 0, 1n]] });
      equations.push({ image: [[at, 1n]], terms: [[half, 1, 1n]] });
    });
    verifyCompact(new Relation(elements, keys.length, equations), proof, bound);
  });
}

/** The cards without these shares, and the shares. @param {object[]} keys @param {object[][]} cards @param {Uint8Array} batch @param {import('./keys.mjs').Context} context */
export function verifyShares(keys, cards, batch, context) {
  if (!cards.length) fail('shares.none');
  const { points } = layout('shares', batch, 2 * cards.length, 3);
  const half = (h) => cards.map((_, i) => [points[2 * i + h]]);
  const bases = cards.map((card) => [card[0]]);
  const proof = batch.subarray(66 * cards.length);
  verifyEquality('shares.proof', keys, bases, [half(0), half(1)], proof, session(context, 'share'));
  const left = cards.map(([mask, card, suit], i) => {
    const rest = [mask, card.subtract(points[2 * i]), suit.subtract(points[2 * i + 1])];
    return rest.some((point) => point.is0()) ? fail('shares.identity') : rest;
  });
  return { left, points };
}
