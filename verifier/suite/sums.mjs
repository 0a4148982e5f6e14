/**
 * Sums of points of secp256k1 in Jacobian coordinates. A point that is added lies in an array of limbs, x and y apart.
 * @module
 */
import { secp256k1 } from '../vendor/node_modules/@noble/curves/secp256k1.js';
import { LIMBS, P, isZero, mul, sqr, tidy, toBig } from './field.mjs';

const { Point } = secp256k1;
const [X, Y, Z] = [0, LIMBS, 2 * LIMBS];
const T = new Float64Array(8 * LIMBS);
const [A, B, C, D, E, F] = Array.from({ length: 6 }, (_, i) => i * LIMBS);

export class Sum {
  constructor() {
    this.xyz = new Float64Array(3 * LIMBS);
    this.empty = true;
  }

  double() {
    if (this.empty) return;
    const v = this.xyz;
    sqr(T, B, v, Y);
    mul(T, D, v, X, T, B);
    sqr(T, C, T, B);
    sqr(T, A, v, X);
    mul(v, Z, v, Y, v, Z);
    for (let i = 0; i < LIMBS; i++) {
      T[E + i] = 3 * T[A + i];
      v[Z + i] *= 2;
    }
    sqr(T, F, T, E);
    for (let i = 0; i < LIMBS; i++) v[X + i] = T[F + i] - 8 * T[D + i];
    tidy(v, X);
    for (let i = 0; i < LIMBS; i++) T[A + i] = 4 * T[D + i] - v[X + i];
    tidy(T, A);
    mul(v, Y, T, E, T, A);
    for (let i = 0; i < LIMBS; i++) v[Y + i] -= 8 * T[C + i];
    tidy(v, Y);
  }

  /** @param {Float64Array} p @param {number} x where its x lies @param {number} y @param {number} sign 1, or -1 for its opposite */
  add(p, x, y, sign) {
    const v = this.xyz;
    if (this.empty) {
      for (let i = 0; i < LIMBS; i++) {
        v[X + i] = p[x + i];
        v[Y + i] = sign * p[y + i];
        v[Z + i] = i ? 0 : 1;
      }
      this.empty = false;
      return;
    }
    sqr(T, A, v, Z);
    mul(T, B, p, x, T, A);
    mul(T, C, v, Z, T, A);
    mul(T, C, p, y, T, C);
    for (let i = 0; i < LIMBS; i++) {
      T[B + i] -= v[X + i];
      T[C + i] = sign * T[C + i] - v[Y + i];
    }
    this.moved();
  }

  /** @param {Sum} other */
  addSum(other) {
    if (other.empty) return;
    const [v, w] = [this.xyz, other.xyz];
    if (this.empty) {
      v.set(w);
      this.empty = false;
      return;
    }
    sqr(T, A, v, Z);
    sqr(T, B, w, Z);
    mul(T, D, w, X, T, A);
    mul(T, A, T, A, v, Z);
    mul(T, E, w, Y, T, A);
    mul(T, F, v, X, T, B);
    mul(T, B, T, B, w, Z);
    mul(v, Y, v, Y, T, B);
    mul(v, Z, v, Z, w, Z);
    for (let i = 0; i < LIMBS; i++) {
      v[X + i] = T[F + i];
      T[B + i] = T[D + i] - v[X + i];
      T[C + i] = T[E + i] - v[Y + i];
    }
    this.moved();
  }

  /** The rest of an addition: B holds by how much x differs, C by how much y. */
  moved() {
    const v = this.xyz;
    if (isZero(T, B)) {
      if (isZero(T, C)) this.double();
      else this.empty = true;
      return;
    }
    sqr(T, A, T, B);
    mul(T, D, T, B, T, A);
    mul(T, A, v, X, T, A);
    mul(v, Z, v, Z, T, B);
    mul(T, E, v, Y, T, D);
    sqr(T, F, T, C);
    for (let i = 0; i < LIMBS; i++) v[X + i] = T[F + i] - T[D + i] - 2 * T[A + i];
    tidy(v, X);
    for (let i = 0; i < LIMBS; i++) T[A + i] -= v[X + i];
    mul(v, Y, T, C, T, A);
    for (let i = 0; i < LIMBS; i++) v[Y + i] -= T[E + i];
    tidy(v, Y);
  }

  point() {
    if (this.empty) return Point.ZERO;
    const [x, y, z] = [X, Y, Z].map((at) => toBig(this.xyz, at));
    return new Point((x * z) % P, y, (((z * z) % P) * z) % P);
  }
}
