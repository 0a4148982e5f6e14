/**
 * Sums of a few multiples of points: one chain of doublings for all terms, in Jacobian coordinates. Points that come
 * again and again, such as the generator and the keys of a seat, get a table of odd multiples. Residues may be negative.
 * @module
 */
import { normalizeZ } from '../vendor/node_modules/@noble/curves/abstract/curve.js';
import { secp256k1 } from '../vendor/node_modules/@noble/curves/secp256k1.js';

const { Point } = secp256k1;
const P = Point.Fp.ORDER;

/** @typedef {[bigint, bigint]} Affine */
/** @typedef {[bigint, bigint, bigint]} Jacobian */

/** @param {Jacobian} point @returns {Jacobian} */
function doubled([x, y, z]) {
  const a = (x * x) % P;
  const b = (y * y) % P;
  const c = (b * b) % P;
  const d = 2n * (((x + b) * (x + b) - a - c) % P);
  const e = 3n * a;
  const x3 = (e * e - 2n * d) % P;
  return [x3, (e * (d - x3) - 8n * c) % P, (2n * y * z) % P];
}

/** @param {Jacobian | null} point null for the identity @param {bigint} x2 @param {bigint} y2 @returns {Jacobian | null} */
function plus(point, x2, y2) {
  if (point === null) return [x2, y2, 1n];
  const [x1, y1, z1] = point;
  const zz = (z1 * z1) % P;
  const h = (x2 * zz - x1) % P;
  const r = (((y2 * z1) % P) * zz - y1) % P;
  if (h === 0n) return r === 0n ? doubled(point) : null;
  const hh = (h * h) % P;
  const hhh = (h * hh) % P;
  const v = (x1 * hh) % P;
  const x3 = (r * r - hhh - 2n * v) % P;
  return [x3, (r * (v - x3) - y1 * hhh) % P, (z1 * h) % P];
}

/** Digits of a number that are 0 or odd and below 2^(width-1), the lowest first. @param {bigint} size @param {number} width */
function digitsOf(size, width) {
  const digits = [];
  const whole = 1 << width;
  const mask = BigInt(whole - 1);
  let rest = size;
  while (rest) {
    if (!(rest & 1n)) {
      const low = rest & 0xffffffffn;
      let zeros = low ? 31 - Math.clz32(Number(low) & -Number(low)) : 32;
      rest >>= BigInt(zeros);
      while (zeros--) digits.push(0);
    }
    let digit = Number(rest & mask);
    if (digit >= whole / 2) digit -= whole;
    digits.push(digit);
    rest = (rest - BigInt(digit)) >> 1n;
  }
  return digits;
}

const WIDE = 7;
/** After so many sums a point gets a table. */
const OFTEN = 6;
/** How often points were in a sum, by x; then their odd multiples. @type {Map<bigint, number | Affine[]>} */
const known = new Map();
const MOST = 4096;

/** @param {bigint} x @param {bigint} y @returns {Affine[]} */
function oddMultiples(x, y) {
  const twice = new Point(x, y, 1n).double();
  let each = new Point(x, y, 1n);
  const found = [];
  for (let i = 0; i < 1 << (WIDE - 2); i++, each = each.add(twice)) found.push(each);
  return normalizeZ(Point, found).map((point) => [point.X, point.Y]);
}

/** The odd multiples of a point that has come often, and the width of their digits; else the point alone. */
function tableOf(x, y) {
  const seen = known.get(x) ?? 0;
  if (typeof seen !== 'number') return seen[0][1] === y ? [seen, 1n] : [seen, -1n];
  if (seen + 1 < OFTEN) {
    if (known.size >= MOST) known.clear();
    known.set(x, seen + 1);
    return null;
  }
  const table = oddMultiples(x, y);
  known.set(x, table);
  return [table, 1n];
}

/**
 * @param {Affine[]} points none of them the identity @param {[bigint, bigint][]} scalars of each point its two halves
 * @param {bigint} beta the curve's endomorphism on x
 */
export function chained(points, scalars, beta) {
  const terms = [];
  let length = 0;
  points.forEach(([x, y], i) => {
    const table = tableOf(x, y);
    scalars[i].forEach((size, half) => {
      if (size === 0n) return;
      const digits = digitsOf(size < 0n ? -size : size, table ? WIDE : 2);
      const sign = (size < 0n ? -1n : 1n) * (table ? table[1] : 1n);
      const multiples = table ? table[0] : [[x, y]];
      const moved = half ? multiples.map(([u, v]) => [(u * beta) % P, v]) : multiples;
      terms.push({ digits, sign, multiples: moved });
      length = Math.max(length, digits.length);
    });
  });
  let sum = null;
  for (let at = length - 1; at >= 0; at--) {
    if (sum !== null) sum = doubled(sum);
    for (const { digits, sign, multiples } of terms) {
      const digit = digits[at];
      if (!digit) continue;
      const [u, v] = multiples[(Math.abs(digit) - 1) / 2];
      sum = plus(sum, u, digit < 0 ? -sign * v : sign * v);
    }
  }
  if (sum === null) return Point.ZERO;
  const positive = (n) => ((n % P) + P) % P;
  const [x, y, z] = sum;
  return new Point(positive(x * z), positive(y), positive(z * z * z));
}
