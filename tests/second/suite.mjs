// Specs 2: points, scalars, frames, sponges, relations.
import { pippenger } from '@noble/curves/abstract/curve.js';
import { secp256k1, secp256k1_hasher } from '@noble/curves/secp256k1.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { shake128, shake256 } from '@noble/hashes/sha3.js';

export const Point = secp256k1.Point;
export const G = Point.BASE;
export const ORDER = Point.Fn.ORDER;
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;

export class Check extends Error {
  constructor(check) {
    super(check);
    this.check = check;
  }
}

export const fail = (check) => {
  throw new Check(check);
};
export const hex = (bytes) => Buffer.from(bytes).toString('hex');
export const unhex = (text) => new Uint8Array(Buffer.from(text, 'hex'));
export const ascii = (text) => new TextEncoder().encode(text);
export const concat = (...parts) => new Uint8Array(Buffer.concat(parts));
export const equal = (a, b) => Buffer.compare(a, b) === 0;
export const u8 = (n) => new Uint8Array([n]);
export const u32 = (n) => {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, n);
  return out;
};
export const u32le = (n) => u32(n).reverse();
export const u64 = (n) => concat(u32(0), u32(n));
export const mod = (n) => ((n % ORDER) + ORDER) % ORDER;
export const big = (bytes) => BigInt('0x' + (hex(bytes) || '0'));
export const little = (bytes) => big(Uint8Array.from(bytes).reverse());
export const scalarBytes = (n) => unhex(n.toString(16).padStart(64, '0'));

export function decodePoint(bytes) {
  if (bytes.length !== 33) fail('point.length');
  if (bytes[0] !== 2 && bytes[0] !== 3) fail('point.prefix');
  try {
    return Point.fromBytes(bytes);
  } catch {
    return fail('point.curve');
  }
}
export const encodePoint = (point) => point.toBytes(true);
export const join = (points) => concat(...points.map(encodePoint));

export function decodeScalar(bytes) {
  if (bytes.length !== 32) fail('scalar.length');
  const value = big(bytes);
  if (value >= ORDER) fail('scalar.range');
  return value;
}

// Layout(points, scalars) of a name: the length first, then each field.
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

export const combine = (terms) => {
  const kept = terms.map(([k, p]) => [mod(k), p]).filter(([k, p]) => k !== 0n && !p.is0());
  if (kept.length === 0) return Point.ZERO;
  if (kept.length < 4) {
    return kept.reduce((sum, [k, p]) => sum.add(p.multiplyUnsafe(k)), Point.ZERO);
  }
  return pippenger(Point, kept.map(([, p]) => p), kept.map(([k]) => k));
};

export const frame = (label, ...fields) =>
  concat(...[label, ...fields].flatMap((each) => [u64(each.length), each]));
export const H = (label, ...fields) => sha256(frame(typeof label === 'string' ? ascii(label) : label, ...fields));
export const W = (label, ...fields) => sha512(frame(typeof label === 'string' ? ascii(label) : label, ...fields));
export { sha256, shake256 };

export const hashToCurve = (message, dst) => secp256k1_hasher.hashToCurve(message, { DST: dst });
const named = new Map();
export function constant(kind, message) {
  const key = kind + hex(message);
  if (!named.has(key)) {
    const dst = ascii(`P2P304-V01-${kind}-with-secp256k1_XMD:SHA-256_SSWU_RO_`);
    named.set(key, hashToCurve(message, dst));
  }
  return named.get(key);
}
export const generator = (i) => constant('SHUFFLE', u32(i));
export const chainBase = () => constant('SHUFFLE', ascii('chain base'));

export class Sponge {
  constructor(session) {
    this.absorbed = concat(session, new Uint8Array(136));
    this.offset = 0;
  }
  absorb(bytes) {
    if (bytes.length) {
      this.absorbed = concat(this.absorbed, bytes);
      this.offset = 0;
    }
  }
  squeeze(length) {
    const out = shake128(this.absorbed, { dkLen: this.offset + length }).subarray(this.offset);
    this.offset += length;
    return out;
  }
  scalar() {
    return mod(little(this.squeeze(48)));
  }
  weights(count) {
    const drawn = this.squeeze(16 * count);
    return Array.from({ length: count }, (_, i) => {
      const a = little(drawn.subarray(16 * i, 16 * i + 8)) + 1n;
      const b = little(drawn.subarray(16 * i + 8, 16 * i + 16));
      return mod(a + b * LAMBDA);
    });
  }
}

export function sid(tag) {
  const sponge = new Sponge(ascii('irtf-cfrg-fiat-shamir/session-id'));
  sponge.absorb(tag);
  return sponge.squeeze(32);
}

// A relation: elements (element 0 is G), equations {image: [[element, k]], terms: [[scalar, element, k]]}.
export class Relation {
  constructor(elements, scalars, equations) {
    this.elements = [G, ...elements];
    this.scalars = scalars;
    this.equations = equations;
    if (this.elements.some((each) => each.is0())) fail('instance.identity');
    for (const each of equations) if (this.image(each).is0()) fail('instance.image');
  }
  image(equation) {
    return combine(equation.image.map(([element, k]) => [k, this.elements[element]]));
  }
  serialize() {
    const parts = [u32le(this.equations.length)];
    for (const { image, terms } of this.equations) {
      parts.push(u32le(image.length));
      for (const [element, k] of image) parts.push(u32le(element), scalarBytes(mod(k)));
      parts.push(u32le(terms.length));
      for (const [scalar, element, k] of terms) {
        parts.push(u32le(scalar), u32le(element), scalarBytes(mod(k)));
      }
    }
    return concat(...parts, ...this.elements.slice(1).map(encodePoint));
  }
  recomputed(responses, challenge) {
    return this.equations.map((equation) => {
      const terms = equation.terms.map(([scalar, element, k]) => [
        responses[scalar] * k,
        this.elements[element],
      ]);
      const image = equation.image.map(([element, k]) => [-challenge * k, this.elements[element]]);
      const commitment = combine([...terms, ...image]);
      if (commitment.is0()) fail('sigma.commitment');
      return commitment;
    });
  }
}

const SUITE = 'sigma-proofs_Shake128_secp256k1';
export function challengeOf(relation, session, commitments, flavor) {
  const sponge = new Sponge(sid(concat(session, ascii(`-${flavor}-with-${SUITE}`))));
  sponge.absorb(relation.serialize());
  sponge.absorb(commitments);
  return sponge.scalar();
}

// The sponge of a disjunction, before the commitments of its branches.
export function disjunctionSponge(relations, session) {
  const sponge = new Sponge(sid(concat(session, ascii(`-CMPT-OR-with-${SUITE}`))));
  sponge.absorb(concat(u32le(relations.length), ...relations.map((each) => each.serialize())));
  return sponge;
}

function sigmaScalars(proof, count) {
  if (proof.length !== 32 * count) fail('sigma.length');
  return Array.from({ length: count }, (_, i) => {
    const value = big(proof.subarray(32 * i, 32 * i + 32));
    return value < ORDER ? value : fail('sigma.scalar');
  });
}

export function verifyCompact(relation, proof, session) {
  const [challenge, ...responses] = sigmaScalars(proof, 1 + relation.scalars);
  const commitments = join(relation.recomputed(responses, challenge));
  if (challengeOf(relation, session, commitments, 'CMPT') !== challenge) fail('sigma.challenge');
}

export function verifyBatchable(relation, proof, session) {
  const split = 33 * relation.equations.length;
  if (proof.length !== split + 32 * relation.scalars) fail('sigma.length');
  const commitments = proof.subarray(0, split);
  for (let at = 0; at < split; at += 33) {
    try {
      decodePoint(commitments.subarray(at, at + 33));
    } catch {
      fail('sigma.point');
    }
  }
  const responses = sigmaScalars(proof.subarray(split), relation.scalars);
  const challenge = challengeOf(relation, session, commitments, 'DSFS');
  if (!equal(join(relation.recomputed(responses, challenge)), commitments)) fail('sigma.response');
}

// A failed proof of something is reported by the name of the thing.
export function proving(check, work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Check && /^(sigma|instance|equality)\./.test(error.check)) fail(check);
    throw error;
  }
}
