/**
 * Rules 11.3, no. 7 to 12: whether a prefix of an order breaks in some layout and line of play of one world.
 * The opponents' cards are not gone through; what they can hold is counted.
 * @module
 */
import { suitAt, total, without } from './layouts.mjs';
import { countAhead } from './ahead.mjs';
import { beaten, followed, outOf, room } from './opponents.mjs';

const ME = -1;
const PARTNER = 0;
const NEXT = { [ME]: 1, 1: 0, 0: 2, 2: ME };

const texts = new WeakMap();
/** Numbers as text, once for each array. @param {number[]} numbers */
function textOf(numbers) {
  let text = texts.get(numbers);
  if (text === undefined) texts.set(numbers, (text = numbers.join()));
  return text;
}

/** What matters of a state between tricks: of the live cards the order alone (no. 12). */
function nameOf(leader, state) {
  const { unseen, own, known, rooms, rest, led, table, taken } = state;
  let cards = '';
  for (let place = 0; place < 32; place++) {
    if ((unseen >>> place) & 1) cards += 'u';
    else if ((own >>> place) & 1) cards += 'o';
    else if (table && table.place === place) cards += 't';
    else if (taken && taken.place === place) cards += 'i';
    else if ((known[0] >>> place) & 1) cards += 'p';
    else if ((known[1] >>> place) & 1) cards += 'a';
    else if ((known[2] >>> place) & 1) cards += 'b';
    if ((place & 7) === 7) cards += '/';
  }
  const extra = state.kept[0].length || state.kept[1].length || state.events.length
    ? JSON.stringify([state.kept, state.events]) : '';
  return `${leader} ${state.at} ${state.hidden} ${state.bound} ${cards} ${rooms.map(textOf).join('|')} ${textOf(rest)} ${textOf(led[0])} ${textOf(led[1])} ${table ? table.holder : ''} ${taken ? `${taken.holder},${taken.place < 0},${taken.led}` : ''} ${extra}`;
}

/** @param {number} place */
const one = (place) => (1 << place) >>> 0;

export class Search {
  /** @param {import('./worlds.mjs').World} world @param {object} information @param {number[]} prefix */
  constructor(world, information, prefix) {
    const { seat, maker, rules, hands, unfollowed, plays, leader, indicator } = information;
    this.trump = world.trump;
    this.rules = rules;
    this.prefix = prefix;
    this.partnerLed = false;
    this.maker = [ME, 1, PARTNER, 2][(maker - seat + 4) % 4];
    this.exhausted = rules.exhausted;
    const holder = (each) => [ME, 1, PARTNER, 2][(each - seat + 4) % 4];
    this.first = { leader: holder(leader), plays: world.plays, mine: plays.some(([each]) => each === seat) };
    const held = hands[seat].length + (world.table?.holder === ME ? 1 : 0);
    this.memo = new Map();
    this.start = {
      at: 0,
      left: held + (this.first.mine ? 1 : 0),
      unseen: world.unseen,
      known: world.known,
      rooms: world.rooms,
      rest: world.rest,
      own: world.own,
      hidden: indicator !== null,
      table: world.table,
      led: [[0, 0, 0, 0], [0, 0, 0, 0]], // tricks in each suit while an opponent's card was not imagined
      taken: null, // of an opponent who is the maker: the indicator that it took up
      kept: [[], []], // what was supposed of the opponents
      bound: unfollowed.includes(this.suitName()),
      events: [], // own leads of trump that perhaps nobody followed
    };
  }

  suitName() {
    return 'SHDC'[this.trump];
  }

  breaks() {
    const { leader, plays } = this.first;
    return this.filled(this.start, leader, plays, 0, []);
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
      this.filled(
        { ...state, unseen: (state.unseen & ~one(place)) >>> 0 }, leader, plays, at + 1,
        [...trick, { ...play, place }],
      ),
    );
  }

  /**
   * Of the unseen cards of suits one of each run that no other live card parts: an opponent's highest. A partner's
   * lowest, since the opponents' cards of the same run, which are not imagined, may beat it.
   */
  unseenOf(state, holder, suits, trick) {
    let live = (state.own | state.known[0] | state.known[1] | state.known[2]) >>> 0;
    if (state.table && state.table.place >= 0) live |= one(state.table.place);
    for (const { place } of trick) if (place !== null && place >= 0) live |= one(place);
    const found = [];
    for (let suit = 0; suit < 4; suit++) {
      if (!(suits & (1 << suit))) continue;
      let run = false;
      for (let place = 8 * suit; place < 8 * suit + 8; place++) {
        if (state.unseen & one(place)) {
          if (!run) found.push(place);
          else if (holder === PARTNER) found[found.length - 1] = place;
          run = true;
        } else if (live & one(place)) run = false;
      }
    }
    return found;
  }

  lead(state, leader) {
    if (state.at === this.prefix.length) return false;
    if (leader === PARTNER) this.partnerLed = true;
    const name = nameOf(leader, state);
    const known = this.memo.get(name);
    if (known !== undefined) return known;
    const ahead = leader === ME ? countAhead(this, state) : null;
    const result = ahead ?? this.play(state, leader, []);
    this.memo.set(name, result);
    return result;
  }

  turn(state, trick) {
    if (trick.length === 4) return this.complete(state, trick);
    return this.play(state, NEXT[trick.at(-1).holder], trick);
  }

  play(state, holder, trick) {
    if (holder === ME) {
      const place = this.prefix[state.at];
      const next = this.ownPlay(state, place, trick);
      return next === null || this.turn(next, [...trick, { holder, place }]);
    }
    if (holder !== PARTNER && trick.length) return this.turn(state, [...trick, { holder, place: null }]);
    return this.options(state, holder, trick).some(([place, next]) =>
      this.turn(next, [...trick, { holder, place }]),
    );
  }

  // --- own cards ---

  /** The state after an own card; null if it is not legal, in some layout. */
  ownPlay(state, place, trick) {
    const { trump } = this;
    const table = state.table?.holder === ME && state.table.place === place;
    const suit = suitAt(place);
    const rest = (state.own & ~one(place)) >>> 0;
    const mine = this.maker === ME;
    const holds = (each) => ((rest >>> (8 * each)) & 255) !== 0;
    if (table && trick.length === 0 && state.own) return null;
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
        if (state.own && (suit === led || holds(led) || led === trump)) return null;
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
    const out = event.map((led, i) => (led === null ? [] : [outOf(state, i, this.trump, led, this.maker)]));
    return room(state, out);
  }

  // --- imagined cards ---

  /** What a hand can play: each card with the state after it. */
  options(state, holder, trick) {
    const { trump } = this;
    const maker = this.maker === holder && state.hidden && state.table?.holder === holder;
    const empty = !state.known[holder] && !total(state.rooms[holder]);
    const found = [];
    const from = (given, suits) => {
      if (given) found.push(...this.cardsOf(given, holder, suits, trick));
    };
    const indicator = (given) => {
      if (given) found.push(...this.indicatorOf(given, trick));
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
      if (suits & (1 << suit) && (state.known[holder] >>> (8 * suit)) & 255) return null;
    }
    const fewer = without(state.rooms[holder], suits);
    if (!fewer) return null;
    const rooms = state.rooms.with(holder, fewer);
    const next = { ...state, rooms };
    return room(next) ? next : null;
  }

  cardsOf(state, holder, suits, trick) {
    const found = [];
    for (let place = 0; place < 32; place++) {
      if (!(suits & (1 << suitAt(place))) || !(state.known[holder] & one(place))) continue;
      const known = state.known.with(holder, (state.known[holder] & ~one(place)) >>> 0);
      found.push([place, { ...state, known }]);
    }
    for (const place of this.unseenOf(state, holder, suits, trick)) {
      for (let mask = 1; mask < 16; mask++) {
        if (!(mask & (1 << suitAt(place))) || !state.rooms[holder][mask]) continue;
        const rooms = state.rooms.with(holder, state.rooms[holder].with(mask, state.rooms[holder][mask] - 1));
        const next = { ...state, rooms, unseen: (state.unseen & ~one(place)) >>> 0 };
        if (room(next)) found.push([place, next]);
      }
    }
    return found;
  }

  indicatorOf(state, trick) {
    const { holder, place } = state.table;
    if (place >= 0) return [[place, { ...state, table: null }]];
    const mask = 1 << this.trump;
    const rest = state.rest.with(mask, state.rest[mask] - 1);
    return this.unseenOf(state, holder, mask, trick)
      .map((each) => [each, { ...state, table: null, rest, unseen: (state.unseen & ~one(each)) >>> 0 }])
      .filter(([, next]) => room(next));
  }

  // --- the end of a trick ---

  complete(state, trick) {
    const { trump } = this;
    const led = suitAt(trick[0].place);
    let best = null;
    for (const each of trick) {
      if (each.place === null) continue;
      const suit = suitAt(each.place);
      const over = best && suitAt(best.place) === suit ? each.place < best.place : suit === trump || !best;
      if (suit === led || suit === trump) best = over ? each : best;
    }
    if (best.holder === 1 || best.holder === 2) return true;
    const counted = [1, 2].filter((holder) => trick.some((each) => each.holder === holder && each.place === null));
    for (const holder of counted) {
      if (beaten(trump, state, holder, led, best.place)) return true;
    }
    const before = state.led;
    const after = { ...state, led: before.map((each, i) => (counted.includes(i + 1) ? each.with(led, each[led] + 1) : each)) };
    after.left = state.left - 1;
    const cut = led !== trump && trick.some(({ place }) => place !== null && suitAt(place) === trump);
    const shown = this.firstTrick(state) && this.rules.opens_after_first;
    if (after.hidden && (cut || shown)) this.open(after);
    return this.exhaustedLead(state, after, trick, led, before).some((next) => this.lead(next, best.holder));
  }

  open(state) {
    state.hidden = false;
    const { table } = state;
    if (!table) return;
    const { holder, place } = table;
    state.table = null;
    if (holder === ME) state.own = (state.own | one(place)) >>> 0;
    else {
      if (place >= 0) state.known = state.known.with(holder, (state.known[holder] | one(place)) >>> 0);
      else {
        const mask = 1 << this.trump;
        state.rest = state.rest.with(mask, state.rest[mask] - 1);
        state.rooms = state.rooms.with(holder, state.rooms[holder].with(mask, state.rooms[holder][mask] + 1));
      }
      if (holder !== PARTNER) state.taken = { holder, place, led: state.led[holder - 1][this.trump] };
    }
  }

  /** No. 11: the states after a trick that the maker, if of this team, led in trump. */
  exhaustedLead(state, after, trick, led, before) {
    const team = this.maker === ME || this.maker === PARTNER;
    const [lead, ...others] = trick;
    if (!this.exhausted || !team || lead.holder !== this.maker || led !== this.trump || after.bound) return [after];
    if (others.some(({ place }) => place !== null && suitAt(place) === led)) return [after];
    const imagined = (i) => others.some(({ holder, place }) => holder === i + 1 && place !== null);
    const event = [0, 1].map((i) => (imagined(i) ? null : before[i]));
    if (this.maker === ME) return [{ ...after, events: [...after.events, event] }];
    const found = [];
    const suppose = (kept, bound) => {
      const next = { ...after, kept, bound };
      if (room(next)) found.push(next);
    };
    for (const i of [0, 1]) {
      if (event[i]) suppose(after.kept.with(i, [...after.kept[i], followed(this.trump, event[i])]), false);
    }
    suppose(after.kept.map((each, i) => (event[i] ? [...each, { out: this.trump, led: event[i] }] : each)), true);
    return found;
  }
}

