/**
 * Rules 5 and 6: the auctions with four and with eight cards, the indicator of the first.
 * @module
 */
/** @param {import('./hand.mjs').Hand} hand */
export const start = (hand) => ({
  turn: hand.right(hand.dealer),
  asked: null,
  bid: null,
  by: null,
  spoken: hand.everybody.map(() => false),
  quiet: 0,
  used: 0,
  said: [], // call by call: {seat, bid, by: who asked}
});

/** Who speaks: the asked partner, or whose turn it is. */
export const speaker = (hand) => hand.auction.asked ?? hand.auction.turn;

const step = (hand, number) => {
  const low = number <= hand.number('bracket_middle');
  return number % hand.number(low ? 'bid_step_low' : 'bid_step_high') === 0;
};

/** Whether a limit of those who spoke, or whose partner stands highest, lets a bid pass. */
function within(hand, rule, number, standing) {
  const middle = hand.number('bracket_middle');
  if (rule === 'never') return false;
  if (number < middle) return false;
  return rule === '200 and up' || (standing ?? 0) < middle;
}

/** What goes above all numbers here. */
const topmost = (hand) => {
  if (hand.called) return 'full_court';
  return hand.yes('half_court') ? 'half_court' : null;
};

function legal(hand, seat, bid) {
  const { spoken, by, bid: standing } = hand.auction;
  const top = bid === topmost(hand);
  if (!top) {
    if (typeof bid !== 'number' || !step(hand, bid)) return false;
    if (bid < hand.number('bid_min') || bid > hand.number('bid_max')) return false;
    if (standing !== null && bid <= standing) return false;
  }
  const number = top ? Infinity : bid;
  if (by === seat) return false;
  if (spoken[seat] && !within(hand, hand.values.reentry_rule, number, standing)) return false;
  return by === null || !hand.partners(seat).includes(by) || within(hand, hand.values.partner_overbid4, number, standing);
}

function canBid(hand, seat) {
  const top = topmost(hand);
  if (top !== null && legal(hand, seat, top)) return true;
  for (let bid = hand.number('bid_min'); bid <= hand.number('bid_max'); bid++) {
    if (legal(hand, seat, bid)) return true;
  }
  return false;
}

export function bid(hand, seat, { bid: named }) {
  hand.need(legal(hand, seat, named));
  hand.auction.bid = named;
  hand.auction.by = seat;
  spoke(hand, seat, named);
}

export function pass(hand, seat) {
  const { asked, used } = hand.auction;
  hand.need(asked === null || hand.yes('asked_partner_may_pass'));
  hand.need(!hand.yes('opening_bid_forced') || used > 0);
  spoke(hand, seat, null);
}

export function ask(hand, seat, { number }) {
  const { asked, by, spoken } = hand.auction;
  const partners = hand.partners(seat);
  hand.need((number === undefined) === (partners.length === 1));
  const partner = number ?? partners[0];
  hand.need(partners.includes(partner));
  hand.need(hand.yes('ask_partner') && asked === null && by !== partner);
  hand.need(hand.values.reentry_rule !== 'never' || !spoken[partner]);
  hand.need(hand.yes('asked_partner_may_pass') || canBid(hand, partner));
  hand.need(hand.yes('ask_again_later') || !spoken[seat]);
  if (canBid(hand, partner)) hand.auction.asked = partner;
  else spoke(hand, partner, null);
}

export function redeal(hand, seat, { faces }) {
  const { asked, used } = hand.auction;
  const below = hand.number('redeal_below');
  hand.need(seat === hand.right(hand.dealer) && used === 0 && asked === null && below > 0);
  const slots = hand.first[seat];
  if (hand.values.redeal_proof === 'prove without showing') {
    hand.need(!faces.length);
    hand.statements.push({ below: slots, limit: below });
  } else {
    hand.faces(slots, faces);
    hand.need(faces.reduce((sum, { card }) => sum + hand.pack.points[card], 0) < below);
  }
  hand.void = 'redeal';
  hand.over();
}

// After a call: who has spoken, whether the auction ends, whose turn it is.
function spoke(hand, seat, named) {
  const state = hand.auction;
  state.said.push({ seat, bid: named, by: seat === state.turn ? null : state.turn });
  state.spoken[state.turn] = true;
  state.spoken[seat] = true;
  state.asked = null;
  state.used += 1;
  state.quiet = named === null ? state.quiet + 1 : 0;
  while (!ended(hand)) {
    state.turn = hand.right(state.turn);
    if (state.turn === state.by) continue;
    if (canBid(hand, state.turn)) return;
    state.said.push({ seat: state.turn, bid: null, by: null });
    state.spoken[state.turn] = true;
    state.used += 1;
    state.quiet += 1;
  }
}

function ended(hand) {
  const { bid: standing, by, quiet, used } = hand.auction;
  if (standing === null) {
    if (quiet < hand.seats) return false;
    hand.void = 'passed_out';
    hand.over();
    return true;
  }
  const circuit = hand.values.auction4_end === 'one circuit' && used >= hand.seats;
  if (typeof standing === 'number' && quiet < hand.seats - 1 && !circuit) return false;
  hand.maker = by;
  hand.bid = standing;
  if (hand.called) hand.toSorting();
  else hand.phase = 'INDICATOR4';
  return true;
}

export function layIndicator(hand, seat, { number }) {
  hand.layIndicator(seat, number);
  if (hand.bid !== 'half_court') hand.deal(1);
  if (hand.bid === 'half_court' || !hand.yes('auction8')) hand.toSorting();
  else {
    hand.phase = 'AUCTION8';
    hand.auction8 = { turn: seat, calls: 0, bid: null, by: null, said: [] };
    skip(hand);
  }
}

function legal8(hand, seat, named) {
  const { bid: standing, by } = hand.auction8;
  if (by === seat || hand.partners(seat).includes(by)) return false;
  if (named === 'pcc') return hand.yes('pcc');
  if (typeof named !== 'number' || !step(hand, named)) return false;
  if (named < hand.number('auction8_min') || named > hand.number('bid_max')) return false;
  const strictly = hand.values.auction8_vs_four === 'strictly above';
  if (strictly ? named <= hand.bid : named < hand.bid) return false;
  return standing === null || named > standing;
}

function canBid8(hand, seat) {
  if (legal8(hand, seat, 'pcc')) return true;
  for (let named = hand.number('auction8_min'); named <= hand.number('bid_max'); named++) {
    if (legal8(hand, seat, named)) return true;
  }
  return false;
}

export function bid8(hand, seat, { bid: named }) {
  hand.need(legal8(hand, seat, named));
  hand.auction8.bid = named;
  hand.auction8.by = seat;
  next8(hand, named);
}

export function pass8(hand) {
  next8(hand, null);
}

function next8(hand, named) {
  const state = hand.auction8;
  state.said.push({ seat: state.turn, bid: named, by: null });
  state.turn = hand.right(state.turn);
  state.calls += 1;
  skip(hand);
}

// Who has no legal bid has passed; the end of the auction.
function skip(hand) {
  const state = hand.auction8;
  while (state.calls < hand.seats && (state.bid === 'pcc' || !canBid8(hand, state.turn))) {
    state.said.push({ seat: state.turn, bid: null, by: null });
    state.turn = hand.right(state.turn);
    state.calls += 1;
  }
  if (state.calls < hand.seats) return;
  if (state.bid !== null) {
    hand.hands[hand.maker].push(hand.indicator);
    hand.indicator = null;
    hand.onTable = false;
    hand.maker = state.by;
    hand.bid = state.bid;
  }
  hand.toSorting();
}
