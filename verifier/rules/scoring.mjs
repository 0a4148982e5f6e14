/**
 * Rules 2 and 13: the first dealer, prices of hands, matches.
 * @module
 */
import { big, fail } from '../suite/bytes.mjs';
import { dealOf, packOf } from './pack.mjs';

const SAME_DEALER = new Set(['redeal', 'spoilt', 'misdeal']);

/** @param {Record<string, string>} values @param {Uint8Array} luck */
export function firstDealer(values, luck) {
  let x = big(luck);
  const { cards, points: counts } = packOf(values);
  const { seats: many } = dealOf(values);
  if (values.first_dealer === 'random') return Number(x % BigInt(many));
  let seats = Array.from({ length: many }, (_, seat) => seat);
  let left = [];
  while (seats.length > 1) {
    if (left.length < seats.length) left = [...cards];
    const drawn = seats.map((seat) => {
      const at = Number(x % BigInt(left.length));
      x /= BigInt(left.length);
      return [seat, counts[left.splice(at, 1)[0]]];
    });
    const most = Math.max(...drawn.map(([, points]) => points));
    seats = drawn.filter(([, points]) => points === most).map(([seat]) => seat);
  }
  return seats[0];
}

function prices(values, bid) {
  let name = 'tokens_250_up';
  if (bid < Number(values.bracket_middle)) name = 'tokens_under_200';
  else if (bid < Number(values.bracket_top)) name = 'tokens_200_249';
  if (typeof bid === 'string') name = `tokens_${bid}`;
  return values[name].split(' / ').map(Number);
}

/** @param {Record<string, string>} values @param {object} facts of the hand (conformance 1) */
export function scoreHand(values, facts) {
  const { maker_team: maker, bid, points, tricks, void: reason, violation, caps } = facts;
  const { seats, first, cards } = dealOf(values);
  const [made, failed] = prices(values, bid ?? (seats === 4 ? 0 : Number(values.bid_min)));
  const other = (team) => 1 - team;
  const wins = typeof bid === 'string' ? tricks >= (bid === 'pcc' ? cards : first) : points >= bid;
  const base = wins ? { payer: other(maker), amount: made } : { payer: maker, amount: failed };
  const told = (line, payer, amount) => {
    const scores = [0, 0];
    if (amount) {
      scores[payer] = -amount;
      scores[other(payer)] = values.settlement === 'bank' ? 0 : amount;
    }
    return { line, payer: amount ? payer : null, amount, scores };
  };
  if (reason !== null) return told(1, null, 0);
  if (violation !== null) {
    const { team } = violation;
    const price = violation.false_spoilt ? values.spoilt_false_call : values.violation;
    if (price === '3 tokens') return told(2, team, 3);
    return told(2, team, 2 + (bid === null || team === maker ? failed : made));
  }
  const penal = (verdict, line, least) => {
    const team = caps.indexOf(verdict);
    return told(line, team, Math.max(least, base.payer === team ? base.amount : 0));
  };
  if (caps.includes('lost')) return penal('lost', 3, Number(values.caps_called_trick_lost));
  if (caps.includes('wrong')) return penal('wrong', 4, Number(values.caps_late_or_early_penalty));
  if (caps.includes('correct')) {
    const flat = caps.indexOf('correct') !== maker && values.external_caps === '8 in all';
    return told(5, base.payer, flat ? 8 : base.amount + Number(values.caps_bonus));
  }
  if (facts.double === null || facts.double === undefined) return told(6, base.payer, base.amount);
  const all = tricks === (facts.double === maker ? cards : 0);
  const pays = all ? other(facts.double) : facts.double;
  const net = base.amount + (pays === base.payer ? 1 : -1);
  return net < 0 ? told(6, pays, -net) : told(6, base.payer, net);
}

/** Rules 18, no. 8: what each seat wins or loses. @param {Record<string, string>} values @param {object} facts of the hand */
export function scoreCalled(values, facts) {
  const { seats, first, cards } = dealOf(values);
  const { maker, partner, bid, points, tricks, target, offender } = facts;
  const all = Array.from({ length: seats }, (_, seat) => seat);
  if (facts.void !== null) return { scores: all.map(() => 0) };
  const [made, failed] = prices(values, bid);
  const ours = (seat) => seat === maker || seat === partner;
  let wins = typeof bid === 'string' ? tricks === (bid === 'half_court' ? first : cards) : points >= target;
  let t = wins ? made : failed;
  if (offender !== null) {
    wins = !ours(offender);
    t = values.spoilt_false_call === '3 tokens' ? 3 : 2 + (wins ? made : failed);
  }
  return { scores: all.map((seat) => (ours(seat) === wins ? t : -t) * (partner === null && seat === maker ? 3 : 1)) };
}

/** A match with a score for each seat, hand by hand. */
export class RunningMatch {
  /** @param {Record<string, string>} values */
  constructor(values) {
    this.values = values;
    this.scores = Array.from({ length: dealOf(values).seats }, () => 0);
    this.dealer = 0;
  }

  /** The seats that have won. */
  get winners() {
    const best = Math.max(...this.scores);
    if (best < Number(this.values.score_goal)) return [];
    return this.scores.flatMap((each, seat) => (each === best ? [seat] : []));
  }

  get winner() {
    return this.winners[0] ?? null;
  }

  /** What the seats signed before a hand. @param {number} dealer @param {number[]} scores */
  resume(dealer, scores) {
    this.dealer = dealer;
    this.scores = [...scores];
  }

  /** @param {{scores: number[]}} price @param {string | null} reason of a void hand */
  hand({ scores }, reason) {
    if (this.winner !== null) fail('action.rule');
    this.scores = this.scores.map((each, seat) => each + scores[seat]);
    if (!SAME_DEALER.has(reason)) this.dealer = (this.dealer + 1) % this.scores.length;
  }
}

/** A match, hand by hand. */
export class Match {
  /** @param {Record<string, string>} values */
  constructor(values) {
    this.values = values;
    this.seats = dealOf(values).seats;
    const start = Number(values.tokens_start);
    this.stocks = [start, start];
    this.dealer = 0;
  }

  get winner() {
    return this.stocks.includes(0) ? 1 - this.stocks.indexOf(0) : null;
  }

  get scores() {
    if (this.values.settlement !== 'own stock') return [...this.stocks];
    const start = Number(this.values.tokens_start);
    return [start - this.stocks[1], start - this.stocks[0]];
  }

  /** What the seats signed before a hand. @param {number} dealer @param {number[]} scores */
  resume(dealer, scores) {
    this.dealer = dealer;
    const start = Number(this.values.tokens_start);
    this.stocks = this.values.settlement === 'own stock' ? [start - scores[1], start - scores[0]] : [...scores];
  }

  /** @param {{payer: number | null, amount: number}} price @param {string | null} reason of a void hand */
  hand({ payer, amount }, reason) {
    if (this.winner !== null) fail('action.rule');
    if (payer !== null) {
      const paid = Math.min(amount, this.stocks[payer]);
      this.stocks[payer] -= paid;
      if (this.values.settlement === 'transfer') this.stocks[1 - payer] += paid;
    }
    if (!SAME_DEALER.has(reason)) this.dealer = (this.dealer + 1) % this.seats;
  }

  /** Specs 5.8: a team pays three tokens, or what it has. @param {number} team @param {boolean} inHand */
  penalty(team, inHand) {
    this.hand({ payer: team, amount: 3 }, null);
    if (!inHand) this.dealer = (this.dealer + this.seats - 1) % this.seats;
  }
}
