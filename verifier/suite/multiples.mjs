/**
 * Sums of many multiples of points: buckets, whose affine additions share inversions, over the halves into which
 * the curve's endomorphism splits each scalar. For what is public alone: its time depends on the scalars.
 * @module
 */
import { normalizeZ } from '../vendor/node_modules/@noble/curves/abstract/curve.js';
import { secp256k1 } from '../vendor/node_modules/@noble/curves/secp256k1.js';
import { chained } from './straus.mjs';

const { Point } = secp256k1;
const P = Point.Fp.ORDER;
const N = Point.Fn.ORDER;
/** The endomorphism: λ·(x, y) = (β·x, y). */
const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een;
/** Short vectors of the lattice of (a, b) with a + b·λ = 0. */
const A1 = 0x3086d221a7d46bcde86c90e49284eb15n;
const B1 = -0xe4437ed6010e88286f547fa90abfe4c3n;
const A2 = 0x114ca50f7a8e2f3f657c1108d9d44cfd8n;
const B2 = A1;

const rounded = (n) => (n >= 0n ? (n + N / 2n) / N : -((-n + N / 2n) / N));

/** a and b, both short, with k = a + b·λ. @param {bigint} k below the order @returns {[bigint, bigint]} */
export function split(k) {
  const c1 = rounded(B2 * k);
  const c2 = rounded(-B1 * k);
  return [k - c1 * A1 - c2 * A2, -c1 * B1 - c2 * B2];
}

/** The inverses of numbers that are not 0. @param {bigint[]} numbers */
function inverses(numbers) {
  const products = [];
  let all = 1n;
  for (const each of numbers) {
    products.push(all);
    all = (all * each) % P;
  }
  let inverse = Point.Fp.inv(all);
  for (let i = numbers.length - 1; i >= 0; i--) {
    const own = (inverse * products[i]) % P;
    inverse = (inverse * numbers[i]) % P;
    numbers[i] = own;
  }
  return numbers;
}

/** Adds up the points of each bucket, pairs of all buckets at a time. A point is [x, y]. */
function collapse(buckets) {
  let open = buckets.filter((bucket) => bucket.length > 1);
  while (open.length) {
    const below = [];
    const pairs = [];
    for (const bucket of open) {
      for (let i = 0; i + 1 < bucket.length; i += 2) {
        const [x1, y1] = bucket[i];
        const [x2, y2] = bucket[i + 1];
        let over = x2 - x1;
        let up = y2 - y1;
        if (over === 0n) {
          if (up !== 0n) {
            pairs.push(null); // opposite points
            continue;
          }
          over = 2n * y1;
          up = 3n * x1 * x1;
        }
        pairs.push(up);
        below.push(over < 0n ? over + P : over);
      }
    }
    if (below.length) inverses(below);
    let at = 0;
    let next = 0;
    for (const bucket of open) {
      let kept = 0;
      for (let i = 0; i < bucket.length; i += 2) {
        if (i + 1 === bucket.length) {
          bucket[kept++] = bucket[i];
          continue;
        }
        const up = pairs[next++];
        if (up === null) continue;
        const slope = (up * below[at++]) % P;
        const [x1, y1] = bucket[i];
        let x = (slope * slope - x1 - bucket[i + 1][0]) % P;
        if (x < 0n) x += P;
        let y = (slope * (x1 - x) - y1) % P;
        if (y < 0n) y += P;
        bucket[kept++] = [x, y];
      }
      bucket.length = kept;
    }
    open = open.filter((bucket) => bucket.length > 1);
  }
}

/** Halves of terms from which on buckets cost less than a table for each. */
const MANY = 24;

/**
 * @param {object[]} points none of them the identity @param {bigint[]} scalars below the order, none of them 0
 */
export function sumOfMultiples(points, scalars) {
  const halves = [];
  const affine = points.every((point) => point.Z === 1n) ? points : normalizeZ(Point, points);
  const sizes = scalars.map(split);
  if (2 * points.length < MANY) return chained(affine.map(({ X, Y }) => [X, Y]), sizes, BETA);
  affine.forEach((point, i) => {
    const [a, b] = sizes[i];
    const { X: x, Y: y } = point;
    if (a !== 0n) halves.push([x, a < 0n ? P - y : y, a < 0n ? -a : a]);
    if (b !== 0n) halves.push([(x * BETA) % P, b < 0n ? P - y : y, b < 0n ? -b : b]);
  });
  if (!halves.length) return Point.ZERO;
  return byBuckets(halves);
}

function byBuckets(given) {
  const bits = given.reduce((most, [, , size]) => Math.max(most, 4 * size.toString(16).length), 0);
  let width = 2;
  const cost = (w) => Math.ceil((bits + 1) / w) * (given.length + 4 * 2 ** w);
  while (cost(width + 1) < cost(width)) width += 1;
  const windows = Math.ceil((bits + 1) / width);
  const half = 2 ** (width - 1);
  const buckets = Array.from({ length: windows * half }, () => []);
  const shift = BigInt(width);
  const mask = (1n << shift) - 1n;
  for (const [x, y, size] of given) {
    let rest = size;
    for (let window = 0; rest !== 0n; window++) {
      let digit = Number(rest & mask);
      rest >>= shift;
      if (digit > half) {
        digit -= 2 * half;
        rest += 1n;
      }
      if (digit > 0) buckets[window * half + digit - 1].push([x, y]);
      else if (digit < 0) buckets[window * half - digit - 1].push([x, P - y]);
    }
  }
  collapse(buckets);
  let sum = Point.ZERO;
  for (let window = windows - 1; window >= 0; window--) {
    for (let i = 0; i < width && !sum.is0(); i++) sum = sum.double();
    let running = Point.ZERO;
    let total = Point.ZERO;
    for (let digit = half - 1; digit >= 0; digit--) {
      const [only] = buckets[window * half + digit];
      if (only) running = running.add(new Point(only[0], only[1], 1n));
      if (!running.is0()) total = total.add(running);
    }
    sum = sum.add(total);
  }
  return sum;
}
