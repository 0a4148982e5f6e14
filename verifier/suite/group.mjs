/**
 * Specs 2.1: points and scalars of secp256k1, strictly decoded, and sums of multiples.
 * @module
 */
import { normalizeZ } from '../vendor/node_modules/@noble/curves/abstract/curve.js';
import { secp256k1 } from '../vendor/node_modules/@noble/curves/secp256k1.js';
import { big, concat, fail, unhex } from './bytes.mjs';
import { LIMBS, P, fromBig, isZero, mul, root, sqr, toBig } from './field.mjs';
import { sumOfMultiples } from './multiples.mjs';

/** @typedef {InstanceType<typeof secp256k1.Point>} PointOf */

export const Point = secp256k1.Point;
export const G = Point.BASE;
export const ORDER = Point.Fn.ORDER;

/** @param {bigint} n */
export const mod = (n) => ((n % ORDER) + ORDER) % ORDER;

/** @param {bigint} n */
export const scalarBytes = (n) => unhex(n.toString(16).padStart(64, '0'));

/** Encodings by points that were decoded, so that nothing is encoded again. */
const encodings = new WeakMap();

const T = new Float64Array(3 * LIMBS);

/** @param {Uint8Array} bytes */
export function decodePoint(bytes) {
  if (bytes.length !== 33) fail('point.length');
  if (bytes[0] !== 2 && bytes[0] !== 3) fail('point.prefix');
  const x = big(bytes.subarray(1));
  if (x >= P) fail('point.curve');
  fromBig(T, 0, x);
  sqr(T, LIMBS, T, 0);
  mul(T, LIMBS, T, LIMBS, T, 0);
  T[LIMBS] += 7;
  root(T, 2 * LIMBS, T, LIMBS);
  sqr(T, 0, T, 2 * LIMBS);
  for (let i = 0; i < LIMBS; i++) T[i] -= T[LIMBS + i];
  if (!isZero(T, 0)) fail('point.curve');
  const y = toBig(T, 2 * LIMBS);
  const point = new Point(x, (y & 1n) === BigInt(bytes[0] & 1) ? y : P - y, 1n);
  encodings.set(point, Uint8Array.from(bytes));
  return point;
}

/** @param {PointOf} point @returns {Uint8Array} */
export function encodePoint(point) {
  const known = encodings.get(point);
  if (known) return known;
  const bytes = point.toBytes(true);
  encodings.set(point, bytes);
  return bytes;
}

/** @param {PointOf[]} points their encodings, one after the other */
export function join(points) {
  const fresh = points.filter((point) => !encodings.has(point));
  if (fresh.length > 1) {
    normalizeZ(Point, fresh).forEach((point, i) => encodings.set(fresh[i], point.toBytes(true)));
  }
  return concat(...points.map(encodePoint));
}

/** @param {Uint8Array} bytes */
export function decodeScalar(bytes) {
  if (bytes.length !== 32) fail('scalar.length');
  const value = big(bytes);
  return value < ORDER ? value : fail('scalar.range');
}

/**
 * Layout(points, scalars) of a name: the length first, then each field.
 * @param {string} name @param {Uint8Array} data @param {number} points @param {number} scalars
 */
export function layout(name, data, points, scalars) {
  if (data.length !== 33 * points + 32 * scalars) fail(`${name}.length`);
  const found = { points: [], scalars: [] };
  for (let i = 0; i < points; i++) found.points.push(decodePoint(data.subarray(33 * i, 33 * i + 33)));
  for (let i = 0; i < scalars; i++) {
    const at = 33 * points + 32 * i;
    found.scalars.push(decodeScalar(data.subarray(at, at + 32)));
  }
  return found;
}

/**
 * The sum of multiples; the identity if there are none.
 * @param {[bigint, PointOf][]} terms
 */
export function combine(terms) {
  const kept = terms.map(([k, p]) => [mod(k), p]).filter(([k, p]) => k !== 0n && !p.is0());
  if (kept.length === 0) return Point.ZERO;
  return sumOfMultiples(kept.map(([, p]) => p), kept.map(([k]) => k));
}
