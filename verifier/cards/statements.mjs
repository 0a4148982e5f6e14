/**
 * Specs 4.7, 4.9 to 4.11: hand-overs, and the proofs of an action's statements.
 * @module
 */
import { concat, fail } from '../suite/bytes.mjs';
import { G, ORDER, combine, decodeScalar, layout } from '../suite/group.mjs';
import { cardPoint, onePoint, suitPoint } from '../suite/hashing.mjs';
import { twice } from '../suite/lists.mjs';
import { Relation, proving, verifyCompact, verifyDisjunction } from '../suite/relations.mjs';
import { verifyEquality } from './equality.mjs';
import { readCards, session } from './keys.mjs';
import { verifyShuffle } from './shuffle.mjs';

const UNIT = 1n;
const MINUS = ORDER - 1n;

/** 4.7: the card under the reader's keys. @param {object[]} card @param {object[]} owner @param {object[]} reader @param {object[]} covers @param {Uint8Array} message @param {import('./keys.mjs').Context} context */
export function verifyHandOver(card, owner, reader, covers, message, context) {
  const { points } = layout('hand-over', message, 3, 4);
  const [cover, cardShare, suitShare] = points;
  const [mask, cardHalf, suitHalf] = card;
  if (covers.some((each) => each.equals(cover))) fail('hand-over.reused');
  proving('hand-over.proof', () => {
    const elements = [
      mask, cover, owner[0], cardShare, reader[0], owner[1], suitShare, reader[1],
    ];
    const relation = new Relation(elements, 3, [
      { image: [[2, UNIT]], terms: [[0, 0, UNIT]] },
      { image: [[3, UNIT]], terms: [[1, 0, UNIT]] },
      { image: [[4, UNIT]], terms: [[1, 1, UNIT], [0, 5, UNIT]] },
      { image: [[6, UNIT]], terms: [[2, 0, UNIT]] },
      { image: [[7, UNIT]], terms: [[2, 1, UNIT], [0, 8, UNIT]] },
    ]);
    verifyCompact(relation, message.subarray(99), session(context, 'hand-over'));
  });
  const handed = [cover.negate(), cardHalf.subtract(cardShare), suitHalf.subtract(suitShare)];
  if (handed.some((point) => point.is0())) fail('hand-over.identity');
  return handed;
}

// --- claims ---------------------------------------------------------------------------------------

// Comparisons of a list: what each slot holds is not this card, not of this suit, not of another slot's.
function comparisons(statement) {
  if (statement.none && statement.card) {
    return statement.none.map((slot) => ({ slot, card: statement.card }));
  }
  if (statement.none) return statement.none.map((slot) => ({ slot, suit: statement.suit }));
  return statement.differ.map((slot) => ({ slot, other: statement.other }));
}

function claimsOf(statements) {
  const openings = statements.filter((each) => each.is !== undefined);
  const claims = openings.length ? [{ openings }] : [];
  for (const each of statements) {
    if (each.is !== undefined) continue;
    if (each.any) {
      const lists = each.any.map(comparisons);
      if (lists.every((list) => list.length)) claims.push({ lists, purpose: 'alternatives' });
    } else if (each.all) {
      if (each.all.length) claims.push({ slots: each.all, suit: each.suit });
    } else if (each.below) {
      if (each.below.length) claims.push({ below: each.below, limit: each.limit });
    } else if (comparisons(each).length) {
      const purpose = each.card ? 'card-distinction' : 'distinction';
      claims.push({ lists: [comparisons(each)], purpose });
    }
  }
  return claims;
}

function slotsOf(claim) {
  if (claim.openings) return claim.openings.map((each) => each.is);
  if (claim.lists) {
    return claim.lists.flat().flatMap(({ slot, other }) => (other === undefined ? [slot] : [slot, other]));
  }
  return claim.slots ?? claim.below;
}

// All cards lie under the acting seat's keys; slot i holds at(i).
export function verifyStatements(statements, proofs, { keys, at, pack, points }, context) {
  const claims = claimsOf(statements);
  if (claims.length !== proofs.length) fail('statement.count');
  claims.forEach((claim, place) => {
    for (const slot of slotsOf(claim)) at(slot);
    const here = { ...context, kind: `${context.kind}/${place}` };
    if (claim.lists) verifyDistinction(claim, proofs[place], keys, at, here);
    else if (claim.below) verifyPoints(claim, proofs[place], { keys, at, pack, points }, here);
    else verifyOpening(claim, proofs[place], keys, at, here);
  });
  return claims.length;
}

function verifyOpening(claim, proof, keys, at, context) {
  layout('opening', proof, 0, 2);
  const [half, purpose] = claim.openings ? [0, 'opening'] : [1, 'suit-opening'];
  const rows = claim.openings
    ? claim.openings.map(({ is, card }) => [at(is), cardPoint(card)])
    : claim.slots.map((slot) => [at(slot), suitPoint(claim.suit)]);
  const bases = rows.map(([card]) => [card[0]]);
  const images = rows.map(([card, face]) => [card[1 + half], face]);
  const place = session(context, purpose);
  verifyEquality(`${purpose}.proof`, [keys[half]], bases, [images], proof, place);
}

// 4.10, one relation for a list.
function distinction(list, key, at, readings) {
  const elements = [key];
  const equations = [];
  const add = (point) => elements.push(point);
  list.forEach(({ slot, card, suit, other }, i) => {
    const [z, t] = readings[i];
    const zAt = add(z);
    const tAt = add(t);
    const first = add(at(slot)[card ? 1 : 2]);
    const second = add(card ? cardPoint(card) : other === undefined ? suitPoint(suit) : at(other)[2]);
    const mask = add(at(slot)[0]);
    const [rho, y] = [2 * i, 2 * i + 1];
    const terms = [[rho, first, UNIT], [rho, second, MINUS], [y, mask, MINUS]];
    if (other !== undefined) terms.push([y, add(at(other)[0]), UNIT]);
    equations.push({ image: [[zAt, UNIT]], terms: [[y, 0, UNIT]] });
    equations.push({ image: [[zAt, UNIT]], terms: [[rho, 1, UNIT]] });
    equations.push({ image: [[tAt, UNIT]], terms });
  });
  return { elements, scalars: 2 * list.length, equations };
}

function verifyDistinction({ lists, purpose }, proof, keys, at, context) {
  const count = lists.flat().length;
  const { points } = layout('distinction', proof, 2 * count, lists.length + 2 * count);
  proving(`${purpose}.proof`, () => {
    let next = 0;
    const relations = lists.map((list) => {
      const readings = list.map(() => [points[next++], points[next++]]);
      const key = keys[purpose === 'card-distinction' ? 0 : 1];
      const { elements, scalars, equations } = distinction(list, key, at, readings);
      return new Relation(elements, scalars, equations);
    });
    const verify = relations.length === 1 ? verifyOne : verifyDisjunction;
    verify(relations, proof.subarray(66 * count), session(context, purpose));
  });
}

const verifyOne = ([relation], proof, place) => verifyCompact(relation, proof, place);

// --- 4.11 -----------------------------------------------------------------------------------------

// All sums of the points of `count` different cards, ascending.
export function sums(points, count) {
  let found = [new Set([0])];
  for (const each of points) {
    const more = Array.from({ length: Math.min(found.length + 1, count + 1) }, () => new Set());
    found.forEach((set, k) => {
      for (const sum of set) {
        more[k].add(sum);
        if (k < count) more[k + 1].add(sum + each);
      }
    });
    found = more;
  }
  return [...(found[count] ?? [])].sort((a, b) => a - b);
}

function verifyPoints({ below, limit }, proof, { keys, at, pack, points }, context) {
  const low = sums(points, below.length).filter((sum) => sum < limit);
  const size = 99 * pack.length;
  const argumentSize = 98 * pack.length + 228;
  if (proof.length !== size + argumentSize + 2 * below.length + 64 + 64 * low.length) {
    fail('score.length');
  }
  let read = 0;
  const take = (length) => {
    read += length;
    return proof.subarray(read - length, read);
  };
  const rowBytes = take(size);
  const argument = take(argumentSize);
  const placeBytes = take(2 * below.length);
  const same = take(64);
  const sum = take(64 * low.length);
  readCards(rowBytes);
  const places = below.map((_, i) => 256 * placeBytes[2 * i] + placeBytes[2 * i + 1]);
  if (places.some((place) => place >= pack.length)) fail('score.place');
  for (let i = 0; i < 64; i += 32) decodeScalar(same.subarray(i, i + 32));
  for (let i = 0; i < sum.length; i += 32) decodeScalar(sum.subarray(i, i + 32));
  layout('shuffle-proof', argument, 2 * pack.length + 4, pack.length + 3);
  if (twice(places)) fail('score.places');
  if (!low.length) fail('score.limit');
  const unit = onePoint();
  const table = pack.map((name, i) => [
    G,
    cardPoint(name).add(keys[0]),
    combine([[BigInt(points[i]), unit]]).add(keys[1]),
  ]);
  const rows = verifyShuffle(keys, table, concat(rowBytes, argument), context, 'score-shuffle');
  const slots = below.map((slot, i) => [at(slot), rows[places[i]]]);
  verifyEquality(
    'score.rows', [keys[0]], slots.map(([card, row]) => [card[0], row[0]]),
    [slots.map(([card, row]) => [card[1], row[1]])], same,
    session(context, 'score-rows', argument, placeBytes),
  );
  proving('score.sum', () => {
    const relations = low.map((t) => {
      const elements = [keys[1], ...slots.map(([, row]) => row[0]), ...slots.map(([, row]) => row[2])];
      const image = slots.map((_, i) => [2 + slots.length + i, UNIT]);
      if (t > 0) image.push([elements.push(unit), ORDER - BigInt(t)]);
      const terms = slots.map((_, i) => [0, 2 + i, UNIT]);
      return new Relation(elements, 1, [
        { image: [[1, UNIT]], terms: [[0, 0, UNIT]] },
        { image, terms },
      ]);
    });
    verifyDisjunction(relations, sum, session(context, 'score-sum'));
  });
}
