/**
 * Rules 11.3, no. 7 to 12: whether a prefix of an order breaks in some layout and line of play of one world.
 * The opponents' cards are not gone through; what they can hold is counted. Holders are those of worlds.mjs.
 * @module
 */
import { has, isEmpty, minus, plus, suitAt, total, without } from './layouts.mjs';
import { countAhead } from './ahead.mjs';
import { beaten, followed, outOf, room, waysToBeat } from './opponents.mjs';

const ME = 0;
const NO_LEADS = [0, 0, 0, 0];

const texts = new WeakMap();
/** Numbers as text, once for each array. @param {number[]} numbers */
function textOf(numbers) {
  let text = texts.get(numbers);
  if (text === undefined) texts.set(numbers, (text = numbers.join()));
  return text;
}

/** What matters of a state: of the live cards the order alone (no. 12); `best` is the best card of an open trick. */
function nameOf(state, best = -1) {
  const { unseen, own, known, rooms, rest, led, table, taken } = state;
  let cards = '';
  for (let suit = 0; suit < 4; suit++) {
    let live = unseen[suit] | own[suit];
    for (const each of known) live |= each[suit];
    for (let rank = 0; rank < 11; rank++) {
      const place = 16 * suit + rank;
      const bit = 1 << rank;
      if (place === best) cards += 'b';
      if (table && table.place === place) cards += 't';
      if (taken && taken.place === place) cards += 'i';
      if (!(live & bit)) continue;
      if (unseen[suit] & bit) cards += 'u';
      else if (own[suit] & bit) cards += 'o';
      else cards += known.findIndex((each) => each[suit] & bit);
    }
    cards += '/';
  }
  const extra = state.supposed || state.events.length ? JSON.stringify([state.kept, state.events]) : '';
  return `${state.at} ${state.hidden} ${state.bound} ${cards} ${rooms.map(textOf).join('|')} ${textOf(rest)} ${led.map(textOf).join('|')} ${table ? table.holder : ''} ${taken ? `${taken.holder},${taken.place < 0},${taken.led}` : ''} ${extra}`;
}

/** The best card of a trick, of those that are imagined. @param {{holder: number, place: number | null}[]} trick @param {number} trump */
function bestOf(trick, trump) {
  const led = suitAt(trick[0].place);
  let best = null;
  for (const each of trick) {
    if (each.place === null) continue;
    const suit = suitAt(each.place);
    const over = best && suitAt(best.place) === suit ? each.place < best.place : suit === trump || !best;
    if (suit === led || suit === trump) best = over ? each : best;
  }
  return best;
}

export class Search {
  /** @param {import('./worlds.mjs').World} world @param {object} information @param {number[]} prefix */
  constructor(world, information, prefix) {
    const { seat, maker, rules, hands, unfollowed, plays, leader, indicator } = information;
    this.trump = world.trump;
    this.rules = rules;
    this.prefix = prefix;
    this.partnerLed = false;
    this.seats = hands.length;
    const all = hands.map((_, holder) => holder);
    this.partners = all.filter((holder) => holder && holder % 2 === 0);
    this.opponents = all.filter((holder) => holder % 2);
    const holder = (each) => (each - seat + this.seats) % this.seats;
    this.maker = holder(maker);
    this.exhausted = rules.exhausted;
    this.first = { leader: holder(leader), plays: world.plays };
    const mine = plays.some(([each]) => each === seat);
    const held = hands[seat].length + (world.table?.holder === ME ? 1 : 0);
    this.memo = new Map();
    this.start = {
      at: 0,
      left: held + (mine ? 1 : 0),
      unseen: world.unseen,
      known: world.known,
      rooms: world.rooms,
      rest: world.rest,
      own: world.own,
      hidden: indicator !== null,
      table: world.table,
      led: all.map(() => NO_LEADS), // tricks in each suit while an opponent's card was not imagined
      taken: null, // of an opponent who is the maker: the indicator that it took up
      kept: all.map(() => []), // what was supposed of the opponents
      supposed: false,
      bound: unfollowed.includes('SHDC'[this.trump]),
      events: [], // own leads of trump that perhaps nobody followed
    };
  }

  breaks() {
    const { leader, plays } = this.first;
    return this.filled(this.start, leader, plays, 0, []);
  }

  /** Leads by holder with one more of a suit for some. */
  counted(led, holders, suit) {
    const out = [...led];
    for (const holder of holders) out[holder] = out[holder].with(suit, out[holder][suit] + 1);
    return out;
  }

  // The cards of the trick in progress that lie face down are imagined.
  filled(state, leader, plays, at, trick) {
    if (at === plays.length) {
      if (!room(state)) return false;
      return trick.length ? this.turn(state, trick) : this.lead(state, leader);
    }
    const play = plays[at];
    if (play.place >= 0) return this.filled(state, leader, plays, at + 1, [...trick, play]);
    return this.unseenOf(state, play.holder, play.suits, trick).some((place) =>
      this.filled({ ...state, unseen: minus(state.unseen, place) }, leader, plays, at + 1, [...trick, { ...play, place }]),
    );
  }

  /**
   * Of the unseen cards of suits one of each run that no other live card parts: an opponent's highest. A partner's
   * lowest, since the opponents' cards of the same run, which are not imagined, may beat it.
   */
  unseenOf(state, holder, suits, trick) {
    let live = state.own;
    for (const each of state.known) live = live.map((cards, suit) => cards | each[suit]);
    if (state.table && state.table.place >= 0) live = plus(live, state.table.place);
    for (const { place } of trick) if (place !== null && place >= 0) live = plus(live, place);
    const found = [];
    for (let suit = 0; suit < 4; suit++) {
      if (!(suits & (1 << suit))) continue;
      let run = false;
      for (let place = 16 * suit; place < 16 * suit + 11; place++) {
        if (has(state.unseen, place)) {
          if (!run) found.push(place);
          else if (holder % 2 === 0) found[found.length - 1] = place;
          run = true;
        } else if (has(live, place)) run = false;
      }
    }
    return found;
  }

  lead(state, leader) {
    if (state.at === this.prefix.length) return false;
    if (leader !== ME && leader % 2 === 0) this.partnerLed = true;
    const name = `${leader} ${nameOf(state)}`;
    const known = this.memo.get(name);
    if (known !== undefined) return known;
    const ahead = leader === ME ? countAhead(this, state) : null;
    const result = ahead ?? this.play(state, leader, []);
    this.memo.set(name, result);
    return result;
  }

  turn(state, trick) {
    if (trick.length === this.seats) return this.complete(state, trick);
    const holder = (trick.at(-1).holder + 1) % this.seats;
    const imagined = holder !== ME && holder % 2 === 0;
    if (!imagined || this.partners.length < 2) return this.play(state, holder, trick);
    const best = bestOf(trick, this.trump);
    if (state.at === this.prefix.length && best.holder % 2 === 0 && this.won(state, trick, best)) return false;
    const led = suitAt(trick[0].place);
    const followers = trick.slice(1).some(({ place }) => place !== null && suitAt(place) === led);
    const cut = led !== this.trump && trick.some(({ place }) => place !== null && suitAt(place) === this.trump);
    const uncounted = trick.filter(({ place }) => place === null).map((each) => each.holder);
    const name = `${holder}<${trick[0].holder} ${led} ${best.holder} ${best.place < 0} ${suitAt(best.place)} ${cut} ${followers} ${uncounted} ${nameOf(state, best.place)}`;
    const known = this.memo.get(name);
    if (known !== undefined) return known;
    const result = this.play(state, holder, trick);
    this.memo.set(name, result);
    return result;
  }

  /** Whether no opponent can win a trick in which the prefix's last card has been played. */
  won(state, trick, best) {
    const { trump } = this;
    const led = suitAt(trick[0].place);
    const known = (holder) => trick.some((each) => each.holder === holder && each.place !== null);
    if (this.opponents.some((holder) => !known(holder) && beaten(trump, state, holder, led, best.place))) return false;
    const mayLead = (holder) =>
      waysToBeat(trump, state, holder, NO_LEADS, led, best.place).some(({ test }) =>
        room(state, { [holder]: [(held) => test(held)] }),
      );
    if (best.holder !== ME || this.partners.some((holder) => !known(holder) && mayLead(holder))) this.partnerLed = true;
    return true;
  }

  play(state, holder, trick) {
    if (holder === ME) {
      const place = this.prefix[state.at];
      const next = this.ownPlay(state, place, trick);
      return next === null || this.turn(next, [...trick, { holder, place }]);
    }
    if (holder % 2 && trick.length) return this.turn(state, [...trick, { holder, place: null }]);
    return this.options(state, holder, trick).some(([place, next]) => this.turn(next, [...trick, { holder, place }]));
  }

  // --- own cards ---

  /** The state after an own card; null if it is not legal, in some layout. */
  ownPlay(state, place, trick) {
    const { trump } = this;
    const table = state.table?.holder === ME && state.table.place === place;
    const suit = suitAt(place);
    const rest = minus(state.own, place);
    const mine = this.maker === ME;
    const holds = (each) => rest[each] !== 0;
    if (table && trick.length === 0 && !isEmpty(state.own)) return null;
    if (!trick.length) {
      if (mine && !table && state.hidden && this.firstTrick(state) && this.rules.first_lead_ban && suit === trump) {
        const all = [0, 1, 2, 3].every((each) => each === trump || !holds(each));
        if (!this.rules.all_trumps_may_lead || !all) return null;
      }
      if (mine && this.exhausted && suit !== trump && holds(trump) && !(state.hidden && this.firstTrick(state))) {
        if (state.bound || state.events.some((event) => this.nobodyFollowed(state, event))) return null;
      }
    } else {
      const led = suitAt(trick[0].place);
      if (table) {
        if (!isEmpty(state.own) && (suit === led || holds(led) || led === trump)) return null;
      } else if (suit !== led) {
        if (holds(led)) return null;
        if (mine && state.hidden && suit === trump) return null;
      }
    }
    return { ...state, at: state.at + 1, own: table ? state.own : rest, table: table ? null : state.table };
  }

  firstTrick(state) {
    return state.left === this.rules.cards;
  }

  nobodyFollowed(state, event) {
    const out = {};
    for (const [holder, led] of event) out[holder] = [outOf(state, holder, this.trump, led)];
    return room(state, out);
  }

  // --- imagined cards ---

  /** What a hand can play: each card with the state after it. */
  options(state, holder, trick) {
    const { trump } = this;
    const maker = this.maker === holder && state.hidden && state.table?.holder === holder;
    const empty = isEmpty(state.known[holder]) && !total(state.rooms[holder]);
    const found = [];
    const from = (given, suits) => {
      if (given) found.push(...this.cardsOf(given, holder, suits, trick));
    };
    const indicator = (given) => {
      if (given) found.push(...this.indicatorOf(given, holder, trick));
    };
    if (maker && empty) {
      indicator(state);
      return found;
    }
    const plain = 15 & ~(1 << trump);
    if (!trick.length) {
      const ban = maker && this.firstTrick(state) && this.rules.first_lead_ban;
      const bound = this.maker === holder && this.exhausted && state.bound && !(state.hidden && this.firstTrick(state));
      if (ban) {
        from(state, plain);
        if (this.rules.all_trumps_may_lead) from(this.lacking(state, holder, plain), 1 << trump);
      } else if (bound) {
        from(state, 1 << trump);
        from(this.lacking(state, holder, 1 << trump), plain);
      } else from(state, 15);
      return found;
    }
    const led = suitAt(trick[0].place);
    from(state, 1 << led);
    const out = this.lacking(state, holder, 1 << led);
    from(out, maker ? plain & ~(1 << led) : 15 & ~(1 << led));
    if (maker && led !== trump) indicator(out);
    return found;
  }

  /** The state if a hand has none of suits; null if that cannot be. */
  lacking(state, holder, suits) {
    for (let suit = 0; suit < 4; suit++) {
      if (suits & (1 << suit) && state.known[holder][suit]) return null;
    }
    const fewer = without(state.rooms[holder], suits);
    if (!fewer) return null;
    const next = { ...state, rooms: state.rooms.with(holder, fewer) };
    return room(next) ? next : null;
  }

  cardsOf(state, holder, suits, trick) {
    const found = [];
    for (let suit = 0; suit < 4; suit++) {
      if (!(suits & (1 << suit))) continue;
      for (let place = 16 * suit; place < 16 * suit + 11; place++) {
        if (!has(state.known[holder], place)) continue;
        found.push([place, { ...state, known: state.known.with(holder, minus(state.known[holder], place)) }]);
      }
    }
    for (const place of this.unseenOf(state, holder, suits, trick)) {
      const rooms = state.rooms[holder];
      for (let mask = 1; mask < 16; mask++) {
        if (!(mask & (1 << suitAt(place))) || !rooms[mask]) continue;
        const fewer = state.rooms.with(holder, rooms.with(mask, rooms[mask] - 1));
        const next = { ...state, rooms: fewer, unseen: minus(state.unseen, place) };
        if (room(next)) found.push([place, next]);
      }
    }
    return found;
  }

  indicatorOf(state, holder, trick) {
    const { place } = state.table;
    if (place >= 0) return [[place, { ...state, table: null }]];
    const mask = 1 << this.trump;
    const rest = state.rest.with(mask, state.rest[mask] - 1);
    return this.unseenOf(state, holder, mask, trick)
      .map((each) => [each, { ...state, table: null, rest, unseen: minus(state.unseen, each) }])
      .filter(([, next]) => room(next));
  }

  // --- the end of a trick ---

  complete(state, trick) {
    const { trump, opponents } = this;
    const led = suitAt(trick[0].place);
    const best = bestOf(trick, trump);
    if (best.holder % 2) return true;
    const counted = opponents.filter((holder) => trick.some((each) => each.holder === holder && each.place === null));
    for (const holder of counted) {
      if (beaten(trump, state, holder, led, best.place)) return true;
    }
    const before = state.led;
    const after = { ...state, led: this.counted(before, counted, led) };
    after.left = state.left - 1;
    const cut = led !== trump && trick.some(({ place }) => place !== null && suitAt(place) === trump);
    const shown = this.firstTrick(state) && this.rules.opens_after_first;
    if (after.hidden && (cut || shown)) this.open(after);
    return this.exhaustedLead(after, trick, led, before).some((next) => this.lead(next, best.holder));
  }

  open(state) {
    state.hidden = false;
    const { table } = state;
    if (!table) return;
    const { holder, place } = table;
    state.table = null;
    if (holder === ME) state.own = plus(state.own, place);
    else {
      if (place >= 0) state.known = state.known.with(holder, plus(state.known[holder], place));
      else {
        const mask = 1 << this.trump;
        state.rest = state.rest.with(mask, state.rest[mask] - 1);
        state.rooms = state.rooms.with(holder, state.rooms[holder].with(mask, state.rooms[holder][mask] + 1));
      }
      if (holder % 2) state.taken = { holder, place, led: state.led[holder][this.trump] };
    }
  }

  /** No. 11: the states after a trick that the maker, if of this team, led in trump. */
  exhaustedLead(after, trick, led, before) {
    const [lead, ...others] = trick;
    if (!this.exhausted || this.maker % 2 || lead.holder !== this.maker || led !== this.trump || after.bound) return [after];
    if (others.some(({ place }) => place !== null && suitAt(place) === led)) return [after];
    const counted = this.opponents.filter((holder) => others.some((each) => each.holder === holder && each.place === null));
    const event = counted.map((holder) => [holder, before[holder]]);
    if (this.maker === ME) return [{ ...after, events: [...after.events, event] }];
    const found = [];
    const suppose = (kept, bound) => {
      const next = { ...after, kept, bound, supposed: true };
      if (room(next)) found.push(next);
    };
    for (const [holder, numbers] of event) {
      suppose(after.kept.with(holder, [...after.kept[holder], followed(this.trump, numbers)]), false);
    }
    const out = [...after.kept];
    for (const [holder, numbers] of event) out[holder] = [...out[holder], { out: this.trump, led: numbers }];
    suppose(out, true);
    return found;
  }
}
