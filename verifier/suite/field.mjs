/**
 * Numbers modulo the prime of secp256k1, three times as fast as with bigint: eleven limbs of 24 bits in floating point,
 * each of either sign. All of it is exact, as no sum of products comes to 2^53: a factor may be a sum of three numbers as
 * `mul` leaves them if the other one is too, of four if it is a sum of two. A number has many forms; `toBig` gives its one value.
 * For what is public alone.
 * @module
 */
import { secp256k1 } from '../vendor/node_modules/@noble/curves/secp256k1.js';

export const P = secp256k1.Point.Fp.ORDER;
export const LIMBS = 11;
/** What is added and taken away again rounds to a multiple of 2^24, of 2^16. */
const M = 1.5 * 2 ** 76;
const TOP = 1.5 * 2 ** 68;
const S = 2 ** -24;
/** 2^264 modulo the prime is 2^40 + 250112, 2^256 is 2^32 + 977. The columns of a product. */
const C = new Float64Array(21);

/** The number whose columns these are, with small limbs: carried, folded at 2^264, carried, folded at 2^256. */
function reduced(r, at) {
  const c0 = C[0], h0 = (c0 + M) - M;
  const c1 = C[1], h1 = (c1 + M) - M;
  const c2 = C[2], h2 = (c2 + M) - M;
  const c3 = C[3], h3 = (c3 + M) - M;
  const c4 = C[4], h4 = (c4 + M) - M;
  const c5 = C[5], h5 = (c5 + M) - M;
  const c6 = C[6], h6 = (c6 + M) - M;
  const c7 = C[7], h7 = (c7 + M) - M;
  const c8 = C[8], h8 = (c8 + M) - M;
  const c9 = C[9], h9 = (c9 + M) - M;
  const c10 = C[10], h10 = (c10 + M) - M;
  const c11 = C[11], h11 = (c11 + M) - M;
  const c12 = C[12], h12 = (c12 + M) - M;
  const c13 = C[13], h13 = (c13 + M) - M;
  const c14 = C[14], h14 = (c14 + M) - M;
  const c15 = C[15], h15 = (c15 + M) - M;
  const c16 = C[16], h16 = (c16 + M) - M;
  const c17 = C[17], h17 = (c17 + M) - M;
  const c18 = C[18], h18 = (c18 + M) - M;
  const c19 = C[19], h19 = (c19 + M) - M;
  const c20 = C[20], h20 = (c20 + M) - M;
  const d11 = c11 - h11 + h10 * S, g11 = (d11 + M) - M;
  const d12 = c12 - h12 + h11 * S, g12 = (d12 + M) - M;
  const d13 = c13 - h13 + h12 * S, g13 = (d13 + M) - M;
  const d14 = c14 - h14 + h13 * S, g14 = (d14 + M) - M;
  const d15 = c15 - h15 + h14 * S, g15 = (d15 + M) - M;
  const d16 = c16 - h16 + h15 * S, g16 = (d16 + M) - M;
  const d17 = c17 - h17 + h16 * S, g17 = (d17 + M) - M;
  const d18 = c18 - h18 + h17 * S, g18 = (d18 + M) - M;
  const d19 = c19 - h19 + h18 * S, g19 = (d19 + M) - M;
  const d20 = c20 - h20 + h19 * S, g20 = (d20 + M) - M;
  const d21 = h20 * S, g21 = (d21 + M) - M;
  const e11 = d11 - g11;
  const e12 = d12 - g12 + g11 * S;
  const e13 = d13 - g13 + g12 * S;
  const e14 = d14 - g14 + g13 * S;
  const e15 = d15 - g15 + g14 * S;
  const e16 = d16 - g16 + g15 * S;
  const e17 = d17 - g17 + g16 * S;
  const e18 = d18 - g18 + g17 * S;
  const e19 = d19 - g19 + g18 * S;
  const e20 = d20 - g20 + g19 * S;
  const e21 = d21 - g21 + g20 * S;
  const e22 = g21 * S;
  const f0 = c0 - h0 + e11 * 250112, i0 = (f0 + M) - M;
  const f1 = c1 - h1 + h0 * S + e12 * 250112 + e11 * 65536, i1 = (f1 + M) - M;
  const f2 = c2 - h2 + h1 * S + e13 * 250112 + e12 * 65536, i2 = (f2 + M) - M;
  const f3 = c3 - h3 + h2 * S + e14 * 250112 + e13 * 65536, i3 = (f3 + M) - M;
  const f4 = c4 - h4 + h3 * S + e15 * 250112 + e14 * 65536, i4 = (f4 + M) - M;
  const f5 = c5 - h5 + h4 * S + e16 * 250112 + e15 * 65536, i5 = (f5 + M) - M;
  const f6 = c6 - h6 + h5 * S + e17 * 250112 + e16 * 65536, i6 = (f6 + M) - M;
  const f7 = c7 - h7 + h6 * S + e18 * 250112 + e17 * 65536, i7 = (f7 + M) - M;
  const f8 = c8 - h8 + h7 * S + e19 * 250112 + e18 * 65536, i8 = (f8 + M) - M;
  const f9 = c9 - h9 + h8 * S + e20 * 250112 + e19 * 65536, i9 = (f9 + M) - M;
  const f10 = c10 - h10 + h9 * S + e21 * 250112 + e20 * 65536, i10 = (f10 + M) - M;
  const f11 = e22 * 250112 + e21 * 65536, i11 = (f11 + M) - M;
  const f12 = e22 * 65536, i12 = (f12 + M) - M;
  const t11 = f11 - i11 + i10 * S, t12 = f12 - i12 + i11 * S, t13 = i12 * S;
  const k0 = f0 - i0 + t11 * 250112, l0 = (k0 + M) - M;
  const k1 = f1 - i1 + i0 * S + t11 * 65536 + t12 * 250112, l1 = (k1 + M) - M;
  const k2 = f2 - i2 + i1 * S + t12 * 65536 + t13 * 250112, l2 = (k2 + M) - M;
  const k3 = f3 - i3 + i2 * S + t13 * 65536, l3 = (k3 + M) - M;
  const k4 = f4 - i4 + i3 * S, l4 = (k4 + M) - M;
  const k5 = f5 - i5 + i4 * S, l5 = (k5 + M) - M;
  const k6 = f6 - i6 + i5 * S, l6 = (k6 + M) - M;
  const k7 = f7 - i7 + i6 * S, l7 = (k7 + M) - M;
  const k8 = f8 - i8 + i7 * S, l8 = (k8 + M) - M;
  const k9 = f9 - i9 + i8 * S, l9 = (k9 + M) - M;
  const k10 = f10 - i10 + i9 * S;
  const top = k10 + l9 * S, q = (top + TOP) - TOP, over = q * 2 ** -16;
  r[at] = k0 - l0 + over * 977;
  r[at + 1] = k1 - l1 + l0 * S + over * 256;
  r[at + 2] = k2 - l2 + l1 * S;
  r[at + 3] = k3 - l3 + l2 * S;
  r[at + 4] = k4 - l4 + l3 * S;
  r[at + 5] = k5 - l5 + l4 * S;
  r[at + 6] = k6 - l6 + l5 * S;
  r[at + 7] = k7 - l7 + l6 * S;
  r[at + 8] = k8 - l8 + l7 * S;
  r[at + 9] = k9 - l9 + l8 * S;
  r[at + 10] = top - q;
}

/** r = a·b, where r may be a or b. @param {Float64Array} r @param {number} at */
export function mul(r, at, a, aAt, b, bAt) {
  const a0 = a[aAt], a1 = a[aAt + 1], a2 = a[aAt + 2], a3 = a[aAt + 3], a4 = a[aAt + 4], a5 = a[aAt + 5],
    a6 = a[aAt + 6], a7 = a[aAt + 7], a8 = a[aAt + 8], a9 = a[aAt + 9], a10 = a[aAt + 10];
  const b0 = b[bAt], b1 = b[bAt + 1], b2 = b[bAt + 2], b3 = b[bAt + 3], b4 = b[bAt + 4], b5 = b[bAt + 5],
    b6 = b[bAt + 6], b7 = b[bAt + 7], b8 = b[bAt + 8], b9 = b[bAt + 9], b10 = b[bAt + 10];
  C[0] = a0 * b0;
  C[1] = a0 * b1 + a1 * b0;
  C[2] = a0 * b2 + a1 * b1 + a2 * b0;
  C[3] = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  C[4] = a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
  C[5] = a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0;
  C[6] = a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0;
  C[7] = a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0;
  C[8] = a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0;
  C[9] = a0 * b9 + a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + a9 * b0;
  C[10] = a0 * b10 + a1 * b9 + a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + a9 * b1 + a10 * b0;
  C[11] = a1 * b10 + a2 * b9 + a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + a9 * b2 + a10 * b1;
  C[12] = a2 * b10 + a3 * b9 + a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + a9 * b3 + a10 * b2;
  C[13] = a3 * b10 + a4 * b9 + a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + a9 * b4 + a10 * b3;
  C[14] = a4 * b10 + a5 * b9 + a6 * b8 + a7 * b7 + a8 * b6 + a9 * b5 + a10 * b4;
  C[15] = a5 * b10 + a6 * b9 + a7 * b8 + a8 * b7 + a9 * b6 + a10 * b5;
  C[16] = a6 * b10 + a7 * b9 + a8 * b8 + a9 * b7 + a10 * b6;
  C[17] = a7 * b10 + a8 * b9 + a9 * b8 + a10 * b7;
  C[18] = a8 * b10 + a9 * b9 + a10 * b8;
  C[19] = a9 * b10 + a10 * b9;
  C[20] = a10 * b10;
  reduced(r, at);
}

/** r = a². @param {Float64Array} r @param {number} at */
export function sqr(r, at, a, aAt) {
  const a0 = a[aAt], a1 = a[aAt + 1], a2 = a[aAt + 2], a3 = a[aAt + 3], a4 = a[aAt + 4], a5 = a[aAt + 5],
    a6 = a[aAt + 6], a7 = a[aAt + 7], a8 = a[aAt + 8], a9 = a[aAt + 9], a10 = a[aAt + 10];
  C[0] = a0 * a0;
  C[1] = 2 * a0 * a1;
  C[2] = 2 * a0 * a2 + a1 * a1;
  C[3] = 2 * (a0 * a3 + a1 * a2);
  C[4] = 2 * (a0 * a4 + a1 * a3) + a2 * a2;
  C[5] = 2 * (a0 * a5 + a1 * a4 + a2 * a3);
  C[6] = 2 * (a0 * a6 + a1 * a5 + a2 * a4) + a3 * a3;
  C[7] = 2 * (a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4);
  C[8] = 2 * (a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) + a4 * a4;
  C[9] = 2 * (a0 * a9 + a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5);
  C[10] = 2 * (a0 * a10 + a1 * a9 + a2 * a8 + a3 * a7 + a4 * a6) + a5 * a5;
  C[11] = 2 * (a1 * a10 + a2 * a9 + a3 * a8 + a4 * a7 + a5 * a6);
  C[12] = 2 * (a2 * a10 + a3 * a9 + a4 * a8 + a5 * a7) + a6 * a6;
  C[13] = 2 * (a3 * a10 + a4 * a9 + a5 * a8 + a6 * a7);
  C[14] = 2 * (a4 * a10 + a5 * a9 + a6 * a8) + a7 * a7;
  C[15] = 2 * (a5 * a10 + a6 * a9 + a7 * a8);
  C[16] = 2 * (a6 * a10 + a7 * a9) + a8 * a8;
  C[17] = 2 * (a7 * a10 + a8 * a9);
  C[18] = 2 * a8 * a10 + a9 * a9;
  C[19] = 2 * a9 * a10;
  C[20] = a10 * a10;
  reduced(r, at);
}

/** Makes the limbs of a sum of up to sixteen numbers small again. @param {Float64Array} r @param {number} at */
export function tidy(r, at) {
  let up = 0;
  for (let i = 0; i < LIMBS - 1; i++) {
    const high = (r[at + i] + M) - M;
    r[at + i] += up - high;
    up = high * S;
  }
  const top = r[at + LIMBS - 1] + up;
  const high = (top + TOP) - TOP;
  r[at + LIMBS - 1] = top - high;
  r[at] += high * 2 ** -16 * 977;
  r[at + 1] += high * 2 ** -16 * 256;
}

/** @param {Float64Array} r @param {number} at @returns {bigint} from 0 to below the prime */
export function toBig(r, at) {
  let found = BigInt(r[at + 10]);
  for (let i = 8; i >= 0; i -= 2) found = (found << 48n) + BigInt(r[at + i + 1] * 2 ** 24 + r[at + i]);
  found %= P;
  return found < 0n ? found + P : found;
}

/** @param {Float64Array} r @param {number} at @param {bigint} number from 0 to below 2^256 */
export function fromBig(r, at, number) {
  let rest = number;
  for (let i = 0; i < LIMBS; i += 2) {
    const low = Number(BigInt.asUintN(48, rest));
    rest >>= 48n;
    const high = Math.floor(low * S);
    r[at + i] = low - high * 2 ** 24;
    if (i < LIMBS - 1) r[at + i + 1] = high;
  }
  tidy(r, at);
}

/** Whether a sum of a few numbers is 0: multiples of the prime have a small first limb, almost no others. @param {Float64Array} r @param {number} at */
export function isZero(r, at) {
  const low = r[at] - ((r[at] + M) - M);
  return Math.abs(low) <= 977 * 16 && toBig(r, at) === 0n;
}

const T = new Float64Array(12 * LIMBS);
const [X2, X3, X6, X9, X11, X22, X44, X88] = Array.from({ length: 8 }, (_, i) => i * LIMBS);

/** r = a power: squared so many times, and multiplied. */
function raised(r, a, times, b) {
  sqr(T, r, T, a);
  for (let i = 1; i < times; i++) sqr(T, r, T, r);
  mul(T, r, T, r, T, b);
}

/** r = a to the power of (p + 1) / 4: a root, if there is one. @param {Float64Array} r @param {number} at */
export function root(r, at, a, aAt) {
  const one = 8 * LIMBS;
  const all = 9 * LIMBS;
  for (let i = 0; i < LIMBS; i++) T[one + i] = a[aAt + i];
  raised(X2, one, 1, one);
  raised(X3, X2, 1, one);
  raised(X6, X3, 3, X3);
  raised(X9, X6, 3, X3);
  raised(X11, X9, 2, X2);
  raised(X22, X11, 11, X11);
  raised(X44, X22, 22, X22);
  raised(X88, X44, 44, X44);
  raised(all, X88, 88, X88);
  raised(all, all, 44, X44);
  raised(all, all, 3, X3);
  raised(all, all, 23, X22);
  raised(all, all, 6, X2);
  sqr(T, all, T, all);
  sqr(r, at, T, all);
}
