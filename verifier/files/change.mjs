/**
 * Specs 6.5: a match that goes on at another table, by the files of both.
 * @module
 */
import { equal, fail } from '../suite/bytes.mjs';

// Nobody has won, and in 304 every side has tokens to pay with.
/** @param {{winner: number | null, stocks?: number[]}} match */
export const goesOn = (match) => match.winner === null && (match.stocks ?? []).every((each) => each > 0);

/** Whether a match of the game can go on so. @param {import('../messages/charter.mjs').Charter} charter
 * @param {import('../rules/games.mjs').Game} game */
export function checkContinued({ continues }, game) {
  if (!continues) return;
  const match = game.match(new Uint8Array(32));
  if (continues.scores.length !== match.scores.length) fail('continuation.match');
  match.resume(continues.dealer, continues.scores.map(Number));
  if (!goesOn(match)) fail('continuation.match');
  const stays = (side) => side.some((seat) => continues.present.includes(seat));
  const hand = game.hand(continues.dealer, match.scores);
  if (!hand.sides().every((sides) => sides.every(stays))) fail('continuation.sides');
}

/** Where a match stands after the last hand of a valid file, or null. @param {import('./audit.mjs').Auditor} before */
function standing({ ends, game }) {
  const { ledger, endedBy, ruled } = ends;
  if (ledger.ruling) {
    const { round: closed, head: digest } = ledger;
    return ruled?.ended ? { hand: ledger.number, closed, digest, endedBy, dealer: ruled.match.dealer, scores: ruled.match.scores } : null;
  }
  const match = game.match(new Uint8Array(32));
  match.resume(ledger.leading, ledger.scores.map(Number));
  let closed = ledger.round;
  if (!endedBy.length) {
    if (!goesOn(match)) return null;
    closed -= ledger.settled ? 1 : 0;
    match.hand(ledger.price, ledger.hand.void);
    if (match.winner !== null) return null;
  }
  return { hand: ledger.number, closed, digest: ledger.heads[closed], endedBy, dealer: match.dealer, scores: match.scores };
}

/** Fails unless the match that a charter names is the one of a file as it stands there.
 * @param {import('./audit.mjs').Auditor} before @param {import('../messages/charter.mjs').Charter} after */
export function checkChange(before, { continues, seats, game, profile, kept }) {
  const old = before.charter;
  if (!continues || !equal(continues.charter, old.digest)) fail('continuation.table');
  if (game !== old.game || profile !== old.profile) fail('continuation.game');
  if (!equal(kept, old.kept)) fail('continuation.terms');
  const keeps = (seat) => equal(seats[seat].key, old.seats[seat].key);
  if (!continues.present.every(keeps)) fail('continuation.seats');
  const stands = standing(before);
  const { hand, closed, digest } = continues.point;
  if (!stands || hand !== stands.hand || closed !== stands.closed || !equal(digest, stands.digest)) {
    fail('continuation.point');
  }
  if (stands.endedBy.length && !continues.present.every((seat) => stands.endedBy.includes(seat))) {
    fail('continuation.agreed');
  }
  if (continues.dealer !== stands.dealer) fail('continuation.dealer');
  if (continues.scores.some((each, i) => Number(each) !== stands.scores[i])) fail('continuation.scores');
}
