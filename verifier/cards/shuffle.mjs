/**
 * Specs 4.4: the shuffle argument.
 * @module
 */
import { concat, fail } from '../suite/bytes.mjs';
import { G, combine, join, layout, mod } from '../suite/group.mjs';
import { Sponge, chainBase, frame, generator } from '../suite/hashing.mjs';
import { readCards, session } from './keys.mjs';

/** How many bytes a step for so many cards takes. @param {number} cards */
export const stepLength = (cards) => 99 * cards + 33 * (2 * cards + 4) + 32 * (cards + 3);

// The cards after a step, if its argument holds.
export function verifyShuffle(keys, before, step, context, purpose) {
  const count = before.length;
  if (step.length !== stepLength(count)) fail('shuffle-proof.length');
  const data = step.subarray(99 * count);
  const proof = layout('shuffle-proof', data, 2 * count + 4, count + 3);
  const after = readCards(step.subarray(0, 99 * count));
  const place = session(context, purpose);
  if (!holds(keys, before, after, step, data, proof, place)) fail('shuffle.equation');
  return after;
}

function holds(keys, before, after, step, data, proof, place) {
  const count = before.length;
  const c = proof.points.slice(0, count);
  const k = proof.points.slice(count, 2 * count);
  const [tMatrix, tChain, tMask, tHalves] = proof.points.slice(2 * count);
  const [sMatrix, sChain, sMask, ...s] = proof.scalars;
  const sponge = new Sponge(place);
  const statement = frame(
    'p2p304/v1/shuffle-argument', join(keys), concat(...before.map(join)),
    step.subarray(0, 99 * count),
  );
  sponge.absorb(concat(statement, data.subarray(0, 33 * count)));
  const u = sponge.weights(count);
  sponge.absorb(data.subarray(33 * count, 66 * count));
  const [vTotal, vLast] = [count, count + 1];
  const v = sponge.weights(count + 2);
  const g = [1n, ...sponge.weights(keys.length - 1)];
  sponge.absorb(data.subarray(66 * count, 66 * count + 132));
  const [z] = sponge.weights(1);
  // The four equations as one, under weights drawn after the whole proof is fixed.
  sponge.absorb(data.subarray(66 * count + 132));
  const [wMatrix, wChain, wMask] = sponge.weights(3);
  const product = u.reduce((all, each) => mod(all * each), 1n);
  const terms = [];
  const add = (scalar, point) => terms.push([scalar, point]);
  const h = before.map((_, i) => generator(i));
  add(wMatrix * sMatrix + wChain * sChain - wMask * sMask, G);
  add(-wMatrix, tMatrix);
  add(-wChain, tChain);
  add(-wMask, tMask);
  add(-1n, tHalves);
  add(wChain * z * v[vLast] * product, chainBase());
  keys.forEach((key, m) => add(-sMask * g[m], key));
  for (let i = 0; i < count; i++) {
    add(wMatrix * s[i] + wChain * z * v[vTotal], h[i]);
    add(-wMatrix * z * u[i] - wChain * z * v[vTotal], c[i]);
    add(wChain * s[i] * v[i], i ? k[i - 1] : chainBase());
    add(-wChain * z * v[i], k[i]);
    add(wMask * s[i], after[i][0]);
    add(-wMask * z * u[i], before[i][0]);
    keys.forEach((_, m) => {
      add(s[i] * g[m], after[i][m + 1]);
      add(-z * g[m] * u[i], before[i][m + 1]);
    });
  }
  add(-wChain * z * v[vLast], k[count - 1]);
  return combine(terms).is0();
}
