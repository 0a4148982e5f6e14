/**
 * Specs 2.6: linear relations, compact and batchable proofs, disjunctions.
 * @module
 */
import { Check, ascii, big, concat, equal, fail, u32le } from './bytes.mjs';
import { G, ORDER, combine, decodePoint, decodeScalar, join, mod, scalarBytes } from './group.mjs';
import { Sponge, sid } from './hashing.mjs';

/**
 * @typedef {{image: [number, bigint][], terms: [number, number, bigint][]}} Equation
 *   image: element and coefficient; terms: scalar, element and coefficient
 */

/** A linear relation; what is none fails as instance.*. */
export class Relation {
  /** @param {object[]} elements all but G @param {number} scalars how many @param {Equation[]} equations */
  constructor(elements, scalars, equations) {
    this.elements = [G, ...elements];
    this.scalars = scalars;
    this.equations = equations;
    this.#check();
  }

  #check() {
    const used = new Set([0]);
    const bases = Array.from({ length: this.scalars }, () => []);
    if (!this.equations.length) fail('instance.equations');
    for (const { image, terms } of this.equations) {
      if (!image.length || !terms.length) fail('instance.empty');
    }
    const all = this.equations.flatMap(({ image, terms }) => [
      ...image.map(([element]) => element), ...terms.map(([, element]) => element),
    ]);
    if (all.some((element) => element >= this.elements.length)) fail('instance.element');
    for (const element of all) used.add(element);
    if (used.size !== this.elements.length) fail('instance.unused-element');
    this.equations.forEach(({ terms }, row) => {
      for (const [scalar, element, k] of terms) (bases[scalar][row] ??= []).push([k, this.elements[element]]);
    });
    if (bases.some((rows) => !rows.length)) fail('instance.unused-scalar');
    if (this.elements.some((each) => each.is0())) fail('instance.identity');
    for (const each of this.equations) if (vanishes(each.image.map(([e, k]) => [k, this.elements[e]]))) fail('instance.image');
    if (bases.some((rows) => rows.every(vanishes))) fail('instance.column');
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
    return concat(...parts, join(this.elements.slice(1)));
  }

  /** The commitments that fit responses and a challenge. @param {bigint[]} responses @param {bigint} challenge */
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

/** Whether a sum of multiples of points that are no identity is the identity. */
const vanishes = (terms) => (terms.length === 1 ? mod(terms[0][0]) === 0n : combine(terms).is0());

const SUITE = 'sigma-proofs_Shake128_secp256k1';
/** @param {Relation} relation @param {Uint8Array} session @param {Uint8Array} commitments @param {string} flavor */
export function challengeOf(relation, session, commitments, flavor) {
  const sponge = new Sponge(sid(concat(session, ascii(`-${flavor}-with-${SUITE}`))));
  sponge.absorb(relation.serialize());
  sponge.absorb(commitments);
  return sponge.scalar();
}

/** @param {Uint8Array} proof @param {number} count */
function sigmaScalars(proof, count) {
  if (proof.length !== 32 * count) fail('sigma.length');
  return Array.from({ length: count }, (_, i) => {
    const value = big(proof.subarray(32 * i, 32 * i + 32));
    return value < ORDER ? value : fail('sigma.scalar');
  });
}

/** @param {Relation} relation @param {Uint8Array} proof @param {Uint8Array} session */
export function verifyCompact(relation, proof, session) {
  const [challenge, ...responses] = sigmaScalars(proof, 1 + relation.scalars);
  const commitments = join(relation.recomputed(responses, challenge));
  if (challengeOf(relation, session, commitments, 'CMPT') !== challenge) fail('sigma.challenge');
}

/** @param {Relation} relation @param {Uint8Array} proof @param {Uint8Array} session */
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

/** One of several relations; the branches may be one. @param {Relation[]} relations @param {Uint8Array} proof @param {Uint8Array} session */
export function verifyDisjunction(relations, proof, session) {
  const count = relations.reduce((sum, each) => sum + 1 + each.scalars, 0);
  const scalars = sigmaScalars(proof, count);
  const sponge = new Sponge(sid(concat(session, ascii(`-CMPT-OR-with-${SUITE}`))));
  sponge.absorb(concat(u32le(relations.length), ...relations.map((each) => each.serialize())));
  let sum = 0n;
  let at = 0;
  for (const relation of relations) {
    const challenge = scalars[at];
    const responses = scalars.slice(at + 1, at + 1 + relation.scalars);
    at += 1 + relation.scalars;
    sponge.absorb(join(relation.recomputed(responses, challenge)));
    sum = mod(sum + challenge);
  }
  if (sponge.scalar() !== sum) fail('disjunction.sum');
}

/** A failed proof of something is reported by the name of the thing. @param {string} check @param {() => void} work */
export function proving(check, work) {
  try {
    work();
  } catch (error) {
    if (error instanceof Check && /^(sigma|instance|equality|disjunction)\./.test(error.check)) fail(check);
    throw error;
  }
}

/** A serialized relation, as vectors have it. @param {Uint8Array} data */
export function parseRelation(data) {
  let at = 0;
  const number = () => {
    at += 4;
    return data[at - 4] + 256 * data[at - 3] + 65536 * data[at - 2] + 16777216 * data[at - 1];
  };
  const coefficient = () => {
    at += 32;
    return decodeScalar(data.subarray(at - 32, at));
  };
  const repeat = (count, work) => Array.from({ length: count }, work);
  const equations = repeat(number(), () => ({
    image: repeat(number(), () => [number(), coefficient()]),
    terms: repeat(number(), () => [number(), number(), coefficient()]),
  }));
  const elements = [];
  for (; at < data.length; at += 33) elements.push(decodePoint(data.subarray(at, at + 33)));
  const scalars = 1 + Math.max(...equations.flatMap((each) => each.terms.map(([scalar]) => scalar)));
  return new Relation(elements, scalars, equations);
}
