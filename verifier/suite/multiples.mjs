/**
 * Sums of many multiples of points: buckets, whose affine additions share inversions, over the halves into which
 * the curve's endomorphism splits each scalar. For what is public alone: its time depends on the scalars.
 * @module
 */
import { normalizeZ } from '../vendor/node_modules/@noble/curves/abstract/curve.js';
import { secp256k1 } from '../vendor/node_modules/@noble/curves/secp256k1.js';
import { LIMBS, P, fromBig, isZero, mul, sqr, tidy, toBig } from './field.mjs';
import { chained } from './straus.mjs';
import { Sum } from './sums.mjs';

const { Point } = secp256k1;
const N = Point.Fn.ORDER;
/** The endomorphism: λ·(x, y) = (β·x, y). */
const BETA = new Float64Array(LIMBS);
fromBig(BETA, 0, 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een);
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

/** x, β·x and y of a point, as limbs; how often it was in a small sum; its odd multiples, once that was often. */
class Known {
  /** @param {bigint} x @param {bigint} y */
  constructor(x, y) {
    this.limbs = new Float64Array(3 * LIMBS);
    fromBig(this.limbs, 0, x);
    mul(this.limbs, LIMBS, this.limbs, 0, BETA, 0);
    fromBig(this.limbs, 2 * LIMBS, y);
    this.times = 0;
    this.table = null;
  }
}

/** @type {WeakMap<object, Known>} */
const known = new WeakMap();

/** What is known of points none of which is the identity. @param {object[]} points @returns {Known[]} */
function knownOf(points) {
  const fresh = points.filter((point) => !known.has(point));
  if (fresh.length) {
    const affine = fresh.every((point) => point.Z === 1n) ? fresh : normalizeZ(Point, fresh);
    affine.forEach(({ X, Y }, i) => known.set(fresh[i], new Known(X, Y)));
  }
  return points.map((point) => known.get(point));
}

const WIDE = 7;
/** After so many small sums a point gets a table. */
const OFTEN = 6;

/** The odd multiples of a point, each as limbs. @param {object} point */
function oddMultiples(point) {
  const twice = point.double();
  const found = [];
  for (let i = 0, each = point; i < 1 << (WIDE - 2); i++, each = each.add(twice)) found.push(each);
  const table = new Float64Array(3 * LIMBS * found.length);
  normalizeZ(Point, found).forEach(({ X, Y }, i) => table.set(new Known(X, Y).limbs, 3 * LIMBS * i));
  return table;
}

/** Halves of terms from which on buckets cost less than a table for each. */
const MANY = 24;

/**
 * @param {object[]} points none of them the identity @param {bigint[]} scalars below the order, none of them 0
 */
export function sumOfMultiples(points, scalars) {
  const all = knownOf(points);
  const sizes = scalars.map(split);
  if (2 * points.length >= MANY) return byBuckets(all, sizes);
  const terms = all.map((each, i) => {
    if (++each.times === OFTEN) each.table = oddMultiples(points[i]);
    return { multiples: each.table ?? each.limbs, width: each.table ? WIDE : 2, halves: sizes[i] };
  });
  return chained(terms);
}

// --- buckets: of numbers of points in a pool, of the opposite where the lowest bit is set ------------

const SIZE = 2 * LIMBS;
const ONE = new Float64Array(LIMBS);
ONE[0] = 1;
const T = new Float64Array(3 * LIMBS);
let pool = new Float64Array(0);
let over = new Float64Array(0);
let products = new Float64Array(0);

const room = (array, size) => (array.length >= size ? array : new Float64Array(2 * size));
const signOf = (each) => (each & 1 ? -1 : 1);

/** Prepares an addition: by how much x differs, or what stands for it. @returns {number} 0 for the slope of a chord, 1 of a tangent, 2 for opposite points */
function differ(at, one, other) {
  const [a, b] = [(one >> 1) * SIZE, (other >> 1) * SIZE];
  for (let i = 0; i < LIMBS; i++) over[at + i] = pool[b + i] - pool[a + i];
  if (!isZero(over, at)) return 0;
  const [s, t] = [signOf(one), signOf(other)];
  for (let i = 0; i < LIMBS; i++) T[i] = s * pool[a + LIMBS + i] - t * pool[b + LIMBS + i];
  const same = isZero(T, 0);
  for (let i = 0; i < LIMBS; i++) over[at + i] = same ? 2 * s * pool[a + LIMBS + i] : ONE[i];
  return same ? 1 : 2;
}

/** Adds two points into place `to`, where T holds what is to be divided by. */
function added(to, one, other, tangent) {
  const [a, b, c] = [(one >> 1) * SIZE, (other >> 1) * SIZE, to * SIZE];
  const [s, t] = [signOf(one), signOf(other)];
  if (tangent) {
    sqr(T, LIMBS, pool, a);
    for (let i = 0; i < LIMBS; i++) T[LIMBS + i] *= 3;
  } else for (let i = 0; i < LIMBS; i++) T[LIMBS + i] = t * pool[b + LIMBS + i] - s * pool[a + LIMBS + i];
  mul(T, 0, T, LIMBS, T, 0);
  sqr(T, LIMBS, T, 0);
  for (let i = 0; i < LIMBS; i++) pool[c + i] = T[LIMBS + i] - pool[a + i] - pool[b + i];
  tidy(pool, c);
  for (let i = 0; i < LIMBS; i++) T[LIMBS + i] = pool[a + i] - pool[c + i];
  mul(T, LIMBS, T, 0, T, LIMBS);
  for (let i = 0; i < LIMBS; i++) pool[c + LIMBS + i] = T[LIMBS + i] - s * pool[a + LIMBS + i];
  tidy(pool, c + LIMBS);
}

/** Adds up the points of each bucket, pairs of all buckets at a time. @param {number[][]} buckets @param {number} used of the pool */
function collapse(buckets, used) {
  let next = used;
  let open = buckets.filter((bucket) => bucket.length > 1);
  while (open.length) {
    const pairs = open.reduce((sum, bucket) => sum + (bucket.length >> 1), 0);
    over = room(over, pairs * LIMBS);
    products = room(products, (pairs + 1) * LIMBS);
    pool = grown(pool, (next + pairs) * SIZE);
    products.set(ONE);
    const kinds = [];
    for (const bucket of open) {
      for (let i = 0; i + 1 < bucket.length; i += 2) {
        const at = kinds.length * LIMBS;
        kinds.push(differ(at, bucket[i], bucket[i + 1]));
        mul(products, at + LIMBS, products, at, over, at);
      }
    }
    const inverse = new Float64Array(LIMBS);
    fromBig(inverse, 0, Point.Fp.inv(toBig(products, pairs * LIMBS)));
    let pair = pairs;
    for (let at = open.length - 1; at >= 0; at--) {
      const bucket = open[at];
      for (let i = (bucket.length >> 1) - 1; i >= 0; i--) {
        pair -= 1;
        mul(T, 0, inverse, 0, products, pair * LIMBS);
        mul(inverse, 0, inverse, 0, over, pair * LIMBS);
        if (kinds[pair] < 2) added(next + pair, bucket[2 * i], bucket[2 * i + 1], kinds[pair] === 1);
      }
    }
    for (const bucket of open) {
      const last = bucket.length & 1 ? bucket.at(-1) : null;
      let kept = 0;
      for (let i = 0; i < bucket.length >> 1; i++, pair++) if (kinds[pair] < 2) bucket[kept++] = 2 * (next + pair);
      if (last !== null) bucket[kept++] = last;
      bucket.length = kept;
    }
    next += pairs;
    open = open.filter((bucket) => bucket.length > 1);
  }
}

/** @param {Float64Array} array @param {number} size */
function grown(array, size) {
  if (array.length >= size) return array;
  const more = new Float64Array(2 * size);
  more.set(array);
  return more;
}

/** @param {Known[]} points @param {[bigint, bigint][]} sizes */
function byBuckets(points, sizes) {
  const given = [];
  pool = grown(pool, 2 * points.length * SIZE);
  points.forEach(({ limbs }, i) => {
    sizes[i].forEach((size, half) => {
      if (size === 0n) return;
      const at = given.length * SIZE;
      const sign = size < 0n ? -1 : 1;
      for (let j = 0; j < LIMBS; j++) {
        pool[at + j] = limbs[half * LIMBS + j];
        pool[at + LIMBS + j] = sign * limbs[2 * LIMBS + j];
      }
      given.push(size < 0n ? -size : size);
    });
  });
  const bits = given.reduce((most, size) => Math.max(most, 4 * size.toString(16).length), 0);
  let width = 2;
  const cost = (w) => Math.ceil((bits + 1) / w) * (given.length + 4 * 2 ** w);
  while (cost(width + 1) < cost(width)) width += 1;
  const windows = Math.ceil((bits + 1) / width);
  const half = 2 ** (width - 1);
  const buckets = Array.from({ length: windows * half }, () => []);
  const shift = BigInt(width);
  const mask = (1n << shift) - 1n;
  given.forEach((size, number) => {
    let rest = size;
    for (let window = 0; rest !== 0n; window++) {
      let digit = Number(rest & mask);
      rest >>= shift;
      if (digit > half) {
        digit -= 2 * half;
        rest += 1n;
      }
      if (digit > 0) buckets[window * half + digit - 1].push(2 * number);
      else if (digit < 0) buckets[window * half - digit - 1].push(2 * number + 1);
    }
  });
  collapse(buckets, given.length);
  const sum = new Sum();
  for (let window = windows - 1; window >= 0; window--) {
    for (let i = 0; i < width; i++) sum.double();
    const running = new Sum();
    const total = new Sum();
    for (let digit = half - 1; digit >= 0; digit--) {
      const [only] = buckets[window * half + digit];
      if (only !== undefined) running.add(pool, (only >> 1) * SIZE, (only >> 1) * SIZE + LIMBS, signOf(only));
      total.addSum(running);
    }
    sum.addSum(total);
  }
  return sum.point();
}
