/**
 * Hands as a table shows them: who sits where, what lies where, what stands and is counted.
 * @module
 */
import { Hand } from '../rules/hand.mjs';
import { FULL_PACK, worth } from '../rules/tricks.mjs';

const COMPASS = { 4: 'S E N W', 6: 'S SE NE N NW SW', 8: 'S SE E NE N NW W SW' };
const WINDS = { S: 'South', E: 'East', N: 'North', W: 'West' };
const SUITS = { S: 'spades', H: 'hearts', D: 'diamonds', C: 'clubs' };
const CONTRACTS = { half_court: 'Half Court', pcc: 'Partner Close Caps', full_court: 'Full Court' };
const NUMBERS = { 4: 'four', 5: 'five', 6: 'six', 8: 'eight' };
const BEFORE_PLAY = ['CUT', 'AUCTION4', 'AUCTION8'];

/** What the places of a table are called. @param {number} seats */
export const placesOf = (seats) => shortsOf(seats).map((short) => (COMPASS[seats] ? [...short].map((wind) => WINDS[wind]).join('-') : `seat ${short}`));
const shortsOf = (seats) => COMPASS[seats]?.split(' ') ?? Array.from({ length: seats }, (_, seat) => String(seat + 1));
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);
const spelt = (cards) => (cards ? ` (${cards} card${cards === 1 ? '' : 's'} hidden)` : '');
const bidName = (bid) => CONTRACTS[bid] ?? String(bid);

/**
 * @param {object} hand of 304, or of 41 and 400 @param {(slot: number) => string | null} face of a slot, as far as the reader knows it
 * @param {number[]} scores of the match @returns {object} plain data, by the names that a drawing reads
 */
export function sceneOf(hand, face, scores) {
  const of304 = hand instanceof Hand;
  const { places, order, ...shown } = of304 ? sceneOf304(hand, face, scores) : sceneOfTricks(hand, face, scores);
  for (const [seat, place] of places.entries()) {
    const faces = hand.hands[seat].map(face);
    const known = faces.filter((each) => each !== null).sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const own = { leading: false, beside: null, ...place, cards: [...known, ...faces.filter((each) => each === null)] };
    for (const name of ['cards', 'roles', 'calls', 'leading', 'beside']) shown[`${name} ${seat}`] = own[name];
  }
  const open = hand.trick.length || (of304 && hand.phase === 'TRICK');
  const laid = ({ plays, winner }) => plays.map(({ seat, slot, down }, at) => [
    seat, face(slot), Boolean(down) && hand.known[slot] === undefined, seat === winner ? 'wins' : at === 0 ? 'led' : '', seat === winner,
  ]);
  const last = laid(hand.tricks.at(-1) ?? { plays: [] });
  return { ...shown, lying: open ? laid({ plays: hand.trick, winner: null }) : last, last, tricks: hand.tricks.length };
}

function pointsText({ values }, points) {
  if (values.divide_by_ten !== 'yes') return String(points);
  const [whole, tenth] = [Math.floor(Math.abs(points) / 10), Math.abs(points) % 10];
  return tenth ? `${points < 0 ? '-' : ''}${whole}.${tenth}` : String(points / 10);
}

function sceneOf304(hand, face, scores) {
  const names = placesOf(hand.seats);
  const { said, by, bid: stands, asked, turn } = hand.auction8 ?? hand.auction;
  const made = hand.bid !== null && `${typeof hand.bid === 'number' ? pointsText(hand, hand.bid) : bidName(hand.bid)} by ${names[hand.maker]}`;
  const trump = hand.trump !== null ? SUITS[hand.trump] : hand.indicator === null ? 'not chosen' : 'hidden';
  const contract = made ? [made, `trump ${trump}`] : [];
  if (hand.named) contract.push(hand.partner === null ? `partner: who holds ${cardText(hand.named)}` : `partner ${names[hand.partner]}`);
  if (hand.double !== null) contract.push(`double by ${names[hand.doubler]}`);
  if (hand.call) contract.push(`caps by ${names[hand.call.seat]}${hand.contested ? ', contested' : hand.conceded ? ', conceded' : ''}`);
  const middle = [];
  if (hand.phase === 'CUT') middle.push('the pack is shuffled');
  else if (BEFORE_PLAY.includes(hand.phase)) {
    middle.push(by !== null ? `${bidName(stands)} by ${names[by]}` : made ? `${made} stands` : 'no bid yet');
    if (hand.phase === 'AUCTION8') middle.push(`with ${NUMBERS[hand.sizes.cards]} cards`);
  }
  const places = names.map((_, seat) => ({
    roles: [...(seat === hand.dealer ? ['dealer'] : []), ...(seat === hand.maker ? ['maker'] : [])],
    calls: callsOf({ said, asked, turn }, seat),
    leading: seat === by,
    beside: seat === hand.maker && hand.onTable ? ['indicator', face(hand.indicator)] : null,
  }));
  return { contract, counts: countsOf(hand, scores), middle, places, order: hand.pack.cards };
}

function callsOf({ said, asked, turn }, seat) {
  const words = said.flatMap((call) => {
    if (call.seat === seat) return [call.bid === null ? 'pass' : bidName(call.bid)];
    return call.by === seat ? ['asked'] : [];
  });
  return (asked ?? null) !== null && turn === seat ? [...words, 'asks'] : words;
}

/** What either team, or each seat, has: scores, tricks, points of public cards. */
function countsOf(hand, scores) {
  const letters = shortsOf(hand.seats);
  const teams = hand.seats === 4 ? ['N-S', 'E-W'] : [0, 1].map((team) => letters.filter((_, seat) => seat % 2 === team).join('-'));
  const sides = hand.called ? letters : teams;
  const owner = (seat) => (hand.called ? seat : seat % 2);
  const gained = hand.values.settlement === 'own stock' ? 'Gained' : 'Tokens';
  const row = (word, valueOf) => [word, sides.map((side, at) => [side, valueOf(at)])];
  const counts = [row(hand.called ? 'Score' : gained, (at) => String(scores[at]))];
  if (!hand.tricks.length) return counts;
  const side = hand.called && hand.partner !== null && hand.partner !== hand.maker ? [hand.maker, hand.partner] : [];
  const seats = letters.map((_, seat) => seat);
  const both = [side, seats.filter((seat) => !side.includes(seat))].map((group) => group.sort((a, b) => a - b));
  const alone = sides.map((_, at) => seats.filter((seat) => owner(seat) === at));
  const undertaken = side.length ? both : alone;
  const byOwner = (word, owners, valueOf, more) => [word, owners.map((group, at) => [
    owners === alone ? sides[at] : group.map((seat) => letters[seat]).join('-'),
    valueOf(hand.tricks.filter(({ winner }) => group.includes(winner))) + (owners === both && at === 0 ? ` of ${more}` : ''),
  ])];
  const countTricks = (tricks) => String(tricks.length);
  const countPoints = (tricks) => pointsOf(hand, tricks);
  counts.push(byOwner('Tricks', hand.contract ? undertaken : alone, countTricks, hand.cards));
  counts.push(byOwner('Points', hand.contract ? alone : undertaken, countPoints, hand.contract ? 0 : needed(hand, side)));
  const shown = hand.marriages.map(({ seat, suit }) => [`${placesOf(hand.seats)[seat]} ${SUITS[suit]}`, suit === hand.trump ? '40' : '20']);
  return hand.called && shown.length ? [...counts, ['Marriages', shown]] : counts;
}

/** The points of public cards in tricks, and how many cards are not public. */
function pointsOf(hand, tricks) {
  const cards = tricks.flatMap(({ plays }) => plays.map(({ slot }) => hand.known[slot]));
  const open = cards.filter((each) => each !== undefined);
  return pointsText(hand, sum(open.map((each) => hand.pack.points[each]))) + spelt(cards.length - open.length);
}

/** What the bid asks for once marriages and, at the end, the last trick are counted in. */
function needed(hand, side) {
  const shown = hand.marriages.map(({ seat, suit }) => (side.includes(seat) ? -1 : 1) * (suit === hand.trump ? 40 : 20));
  const over = hand.yes('last_trick') && ['COUNT', 'OVER'].includes(hand.phase) && !hand.violation ? (side.includes(hand.tricks.at(-1).winner) ? -10 : 10) : 0;
  return pointsText(hand, hand.bid + sum(shown) + over);
}

function sceneOfTricks(hand, face, scores) {
  const names = placesOf(4);
  const said = hand.bids.filter((bid) => bid !== null);
  const needed = `bids worth ${sum(said.map((bid) => worth(hand.game, bid)))}, ${hand.floor} needed`;
  const row = (word, values) => [word, names.map((name, seat) => [name, String(values[seat])])];
  const bidding = ['SORTING', 'BIDDING', 'THROWN_IN'].includes(hand.phase) ? [said.length ? needed : 'no bid yet'] : [];
  const places = names.map((_, seat) => {
    const took = hand.phase === 'PLAYING' ? ` took ${hand.taken[seat]}` : '';
    const bid = hand.bids[seat] === null ? [] : [String(hand.bids[seat])];
    return { roles: [...(seat === hand.dealer ? ['dealer'] : []), ...bid.map((each) => `bid ${each}${took}`)], calls: bid };
  });
  return {
    contract: ['trump hearts', ...(said.length ? [needed] : [])],
    counts: [row('Score', scores), ...(hand.tricks.length ? [row('Tricks', hand.taken)] : [])],
    middle: hand.phase === 'CUTTING' ? ['the pack is shuffled'] : bidding,
    places, order: FULL_PACK,
  };
}

const cardText = ([rank, suit]) => `${rank === 'T' ? '10' : rank}${{ S: '♠', H: '♥', D: '♦', C: '♣' }[suit]}`;

/** The scenes of a hand that was replayed, with what was public then and with all that became public.
 * @param {{hand: object, scores: number[], open: [number, string][]}[]} moments */
export function stepsOf(moments) {
  const all = new Map(moments.at(-1).open);
  return moments.map(({ hand, scores, open }) => {
    const then = new Map(open);
    const seen = (faces) => sceneOf(hand, (slot) => faces.get(slot) ?? null, scores);
    return { now: seen(then), all: seen(all) };
  });
}
