/**
 * Rules 13: the cards that are opened at the end of a hand.
 * @module
 */

/** The slots that a seat still has to open. @param {import('./hand.mjs').Hand} hand @param {number} seat */
export function due(hand, seat) {
  const plays = [...hand.tricks.flatMap((trick) => trick.plays), ...hand.trick];
  const slots = plays.filter((each) => each.seat === seat && each.down).map(({ slot }) => slot);
  if (hand.conceded) {
    slots.push(...hand.hands[seat]);
    if (seat === hand.maker && hand.onTable) slots.push(hand.indicator);
  }
  return slots.filter((slot) => hand.known[slot] === undefined);
}

export function begin(hand) {
  hand.said = {};
  hand.phase = 'COUNT';
  go(hand);
}

function go(hand) {
  if (hand.everybody.every((seat) => !due(hand, seat).length)) hand.over();
}

export function open(hand, seat, { faces }) {
  hand.faces(due(hand, seat), faces);
  go(hand);
}

export function openHandedOver(hand, seat, { faces }) {
  hand.need(seat === hand.maker && !due(hand, seat).length && faces.length);
  let before = -1;
  for (const { slot, card } of faces) {
    hand.need(slot > before && hand.handed.includes(slot) && hand.known[slot] === undefined);
    hand.face(slot, card);
    before = slot;
  }
  go(hand);
}
