/**
 * Rules 11.1: what is public at a point of a hand, and what one seat knows there.
 * @module
 */
/**
 * What is kept of a point: a window as it opens, a lead, a card, a call in the middle of a trick.
 * @param {import('./hand.mjs').Hand} hand @param {string} kind
 */
export const pointOf = (hand, kind) => ({
  kind,
  window: hand.windows,
  ahead: hand.ahead,
  middle: kind === 'window' && hand.window.middle,
  tricks: hand.tricks.length,
  winners: hand.tricks.map(({ winner }) => winner),
  past: hand.tricks.flatMap(({ plays }) => plays),
  trick: [...hand.trick],
  leader: hand.leader,
  hands: hand.hands.map((slots) => [...slots]),
  indicator: hand.trumpOpen ? null : hand.indicator,
  onTable: hand.onTable,
  trump: hand.trump,
  known: { ...hand.known },
  handed: [...hand.handed],
  facts: [...hand.facts, ...hand.statements.filter((each) => each.is === undefined)],
  unfollowed: [...hand.unfollowed],
  mayLead: !hand.canOpen,
});

/** To the others a card that is shown in turn counts as played. */
function withAhead(point) {
  const { seat, slot } = point.ahead;
  const hands = point.hands.with(seat, point.hands[seat].filter((each) => each !== slot));
  return { ...point, hands, trick: [...point.trick, point.ahead] };
}

/**
 * The information of a seat at a point (conformance 1), once all cards are open.
 * @param {import('./hand.mjs').Hand} hand @param {object} given a point @param {number} seat
 */
export function informationOf(hand, given, seat) {
  const point = given.ahead && given.ahead.seat !== seat ? withAhead(given) : given;
  const own = new Set(point.hands[seat]);
  for (const each of [...point.past, ...point.trick]) if (each.seat === seat) own.add(each.slot);
  if (seat === hand.maker) {
    if (point.indicator !== null) own.add(point.indicator);
    for (const slot of point.handed) own.add(slot);
  }
  const faces = { ...point.known };
  for (const slot of own) faces[slot] = hand.known[slot];
  const seen = new Set(Object.values(faces));
  const laid = faces[point.indicator];
  return {
    seat,
    maker: hand.maker,
    rules: {
      cards: hand.cards,
      first_lead_ban: hand.yes('first_lead_ban'),
      all_trumps_may_lead: point.mayLead,
      opens_after_first: hand.bid >= hand.number('open_after_trick1_from'),
      exhausted: hand.yes('exhausted_trumps'),
    },
    leader: point.trick.length ? point.trick[0].seat : point.leader,
    plays: point.trick.map((each) => [each.seat, each.slot, each.down]),
    hands: point.hands,
    indicator: point.indicator,
    trump: point.trump ?? (laid ? laid[1] : null),
    hidden: point.past.map(({ slot }) => slot).filter((slot) => faces[slot] === undefined),
    faces,
    unseen: hand.pack.cards.filter((card) => !seen.has(card)),
    facts: point.facts,
    unfollowed: point.unfollowed,
    unbeaten: point.winners.every((winner) => winner % 2 === seat % 2),
  };
}
