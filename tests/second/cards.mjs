// Specs 4: keys, the shuffle argument, shares.
import {
  Check, G, H, Point, Relation, Sponge, ascii, chainBase, combine, concat, decodePoint, equal, fail,
  frame, generator, hex, join, layout, mod, proving, scalarBytes, u32, verifyCompact,
} from './suite.mjs';

export const session = (context, purpose, ...details) =>
  H(
    'p2p304/v1/proof-context', u32(context.version), context.table, context.ledger,
    u32(context.attempt), u32(context.round), u32(context.seat), ascii(context.kind),
    context.history, ascii(purpose), ...details,
  );

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

export function sumKeys(all) {
  const sums = [0, 1].map((half) => all.reduce((sum, keys) => sum.add(keys[half]), Point.ZERO));
  if (sums.some((point) => point.is0())) fail('key.sum');
  return sums;
}

export function readCards(data) {
  const found = [];
  for (let at = 0; at < data.length; at += 99) {
    found.push([0, 33, 66].map((part) => decodePoint(data.subarray(at + part, at + part + 33))));
  }
  return found;
}

const shuffled = new Map();

// The cards after a step, if its argument holds.
export function verifyShuffle(keys, before, step, context, purpose) {
  const count = before.length;
  const size = 33 * (2 * count + 4) + 32 * (count + 3);
  if (step.length !== 99 * count + size) fail('shuffle-proof.length');
  const data = step.subarray(99 * count);
  const proof = layout('shuffle-proof', data, 2 * count + 4, count + 3);
  const after = readCards(step.subarray(0, 99 * count));
  const place = session(context, purpose);
  const beforeBytes = concat(...before.map(join));
  const memo = hex(H('memo', place, join(keys), beforeBytes, step));
  if (!shuffled.has(memo)) shuffled.set(memo, holds(keys, before, after, step, data, proof, place));
  if (!shuffled.get(memo)) fail('shuffle.equation');
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
    ascii('p2p304/v1/shuffle-argument'), join(keys), concat(...before.map(join)),
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

const shared = new Map();

// The cards without these shares.
export function verifyShares(keys, cards, batch, context) {
  const { points } = layout('shares', batch, 2 * cards.length, 3);
  const place = session(context, 'share');
  const memo = hex(H('memo', place, join(keys), concat(...cards.map(join)), batch));
  if (!shared.has(memo)) {
    const half = (h) => cards.map((_, i) => [points[2 * i + h]]);
    let check = null;
    try {
      const proof = batch.subarray(66 * cards.length);
      const bases = cards.map((card) => [card[0]]);
      verifyEquality('shares.proof', keys, bases, [half(0), half(1)], proof, place);
    } catch (error) {
      if (!(error instanceof Check)) throw error;
      check = error.check;
    }
    shared.set(memo, check);
  }
  if (shared.get(memo)) fail(shared.get(memo));
  return cards.map(([mask, card, suit], i) => {
    const left = [mask, card.subtract(points[2 * i]), suit.subtract(points[2 * i + 1])];
    return left.some((point) => point.is0()) ? fail('shares.identity') : left;
  });
}

export { equal, scalarBytes };
