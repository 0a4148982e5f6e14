// Specs 5 and 6: a transcript's envelopes, digests, keys, shuffles and shares, judged front to back.
// It knows no rule of the game but the cut and the order of the deal: where more would be needed to
// go on judging, it is blind, and says so.
import { agreement, isFull } from './agreements.mjs';
import { decode, decodeCharter, encode, openEnvelope } from './encoding.mjs';
import { sumKeys, verifyKeys, verifyShares, verifyShuffle } from './cards.mjs';
import { PACK, firstDealer } from './scoring.mjs';
import { Check, G, H, ascii, big, concat, constant, equal, fail, hex, sha256, u32, u8 } from './suite.mjs';

const MAGIC = ascii('p2p304 transcript 1\n');

export class Blind extends Error {}

export function audit(data, { lenient = false } = {}) {
  const auditor = new Auditor(lenient);
  auditor.read(data);
  return auditor;
}

export class Auditor {
  constructor(lenient) {
    this.lenient = lenient; // Go on past what cannot be judged, for counting what can be.
    this.charter = null;
    this.open = null;
    this.last = {};
    this.keys = new Map();
    this.counts = { signatures: 0, digests: 0, keys: 0, shuffles: 0, remixes: 0, shares: 0 };
    this.dealer = null;
    this.blind = false;
  }

  read(data) {
    const start = data.subarray(0, MAGIC.length);
    if (!equal(start, MAGIC.subarray(0, start.length))) fail('transcript.format');
    let at = MAGIC.length;
    let ended = false;
    while (data.length - at >= 5) {
      if (ended) fail('transcript.after-end');
      const length = Number(big(data.subarray(at + 1, at + 5)));
      if (length > 65536) fail('transcript.size');
      if (data.length - at < 5 + length) break;
      const letter = String.fromCharCode(data[at]);
      const payload = data.subarray(at + 5, at + 5 + length);
      if (letter === 'Z') {
        if (!equal(payload, sha256(data.subarray(0, at)))) fail('transcript.digest');
        ended = true;
      }
      this.record(letter, payload);
      at += 5 + length;
    }
    if (ended && at < data.length) fail('transcript.after-end');
    if (!ended) fail('transcript.incomplete');
    if (this.blind && !this.lenient) throw new Blind();
  }

  record(letter, payload) {
    const parsed = this.parse(letter, payload);
    if ((letter === 'C') !== (this.charter === null)) fail('transcript.order');
    if (letter === 'C') {
      this.meet(parsed);
    } else if (letter === 'L' && !this.open && !this.ended) this.begin(parsed);
    else if (letter === 'M' && this.open && !this.open.agreed.length) this.message(payload);
    else if (letter === 'U' && this.open) this.agreement(payload);
    else if (letter === 'E' && this.open) this.end(payload);
    else if (letter === 'Z' && !this.open) this.last[2] || fail('transcript.missing');
    else fail('transcript.order');
  }

  meet(charter) {
    if (charter.game !== '304') throw new Blind();
    if (!isFull(charter.profile)) fail('charter.profile');
    if (charter.seats.length !== 4) fail('charter.seats');
    this.charter = charter;
    this.values = agreement(charter.profile.split('\n')[0]).values;
    this.cuts = this.values.max_cuts !== '0';
  }

  // Evidence: the closed rounds of a ledger, whose origin needs no trust; the last one stays open.
  replay(given, last) {
    const deck = this.last[1];
    if (given.lane === 2 && !(deck && given.after[1] && equal(given.after[1], deck.head))) {
      fail('evidence.prefix');
    }
    this.start(given);
    for (const raw of given.messages) this.message(raw);
    if (!last) this.end(this.open.head);
  }

  parse(letter, payload) {
    if (letter === 'C') return decodeCharter(payload);
    if (letter === 'L') return origin(payload);
    if ('MUZ'.includes(letter)) return payload;
    if (letter === 'E' && payload.length === 32) return payload;
    return fail('transcript.record');
  }

  begin(given) {
    const { lane, number, after, leading, scores } = given;
    if (leading >= 4) fail('match.dealer');
    const [table, deck, hand] = [this.last[0], this.last[1], this.last[2]];
    const require = (holds, check) => holds || fail(check);
    if (lane === 0) {
      require(leading === 0 && !scores.length, 'match.dealer');
      require(after.length === (number === 0 ? 0 : 1), 'ledger.after');
      if (table) throw new Blind(); // whether a match is over is the game's to say
    } else if (lane === 1) {
      require(table, 'transcript.missing');
      require(!scores.length, 'match.scores');
      require(after.length === 1, 'ledger.after');
      if (number === 0) {
        require(equal(after[0], table.head), 'ledger.after');
        if (this.dealer === null) throw new Blind();
        require(leading === this.dealer, 'match.dealer');
      }
      if (deck) {
        require(number === deck.number + 1, 'transcript.order');
        require(equal(after[0], deck.head), 'ledger.after');
        if (hand) require(leading === (hand.leading + 1) % 4, 'match.dealer');
      }
    } else {
      require(table && deck && deck.number === number, 'transcript.missing');
      require(after.length === 2, 'ledger.after');
      require(equal(after[1], deck.head), 'ledger.after');
      const first = equal(after[0], table.head);
      if (hand) {
        require(number === hand.number + 1, 'transcript.order');
        require(equal(after[0], hand.head), 'ledger.after');
      } else if (number === 0) require(first, 'ledger.after');
      if (first && !hand) {
        if (this.dealer === null) throw new Blind();
        require(leading === this.dealer, 'match.dealer');
        const own = this.values.settlement === 'own stock';
        const right = own ? 0n : BigInt(this.values.tokens_start);
        require(scores.length === 2 && scores.every((each) => each === right), 'match.scores');
      }
    }
    this.start(given);
  }

  start(given) {
    const { lane, number, after, leading, scores } = given;
    const head = H(
      'p2p304/v1/ledger-root', this.charter.digest, concat(u8(lane), u8(leading)), u32(number),
      encode([scores, after]),
    );
    this.open = { ...given, head, heads: [head], round: 0, place: -1, accepted: [], agreed: [], luck: [], commitments: [] };
    if (lane === 1) Object.assign(this.open, { seatKeys: [], shuffles: 0 });
    if (lane === 2) Object.assign(this.open, handOf(this.last[1], leading, this.cuts));
    this.blind = lane === 2 ? false : this.blind;
  }

  awaited() {
    const ledger = this.open;
    if (ledger.lane === 0) return ledger.round < 2 ? [0, 1, 2, 3] : [];
    if (ledger.lane === 1) {
      if (ledger.round === 0) return [0, 1, 2, 3];
      return ledger.round <= 4 ? [(ledger.leading + ledger.round) % 4] : [];
    }
    return ledger.awaited();
  }

  message(raw) {
    const said = openEnvelope(raw, this.charter);
    this.counts.signatures += 1;
    if (said.purpose !== 1) fail('envelope.purpose');
    const ledger = this.open;
    if (said.lane !== ledger.lane || said.number !== ledger.number) fail('ledger.place');
    const place = 64 * said.round + said.seat;
    if (place <= ledger.place) fail('ledger.place');
    ledger.place = place;
    if (said.kind === 'HandKeys') this.freshKeys(said);
    if (ledger.blind) {
      if (!this.lenient) throw new Blind();
      ledger.unjudged(said, this);
      return;
    }
    const awaited = this.awaited();
    const taken = ledger.accepted.some((each) => each.seat === said.seat);
    if (said.round > ledger.round) fail('ledger.place');
    if (said.round === ledger.round && taken) fail('ledger.place');
    const before = ledger.closed?.[said.round] ?? [];
    if (said.round < ledger.round && before.includes(said.seat)) fail('ledger.place');
    if (!equal(said.previous, ledger.heads[said.round])) fail('ledger.digest');
    this.counts.digests += 1;
    if (said.round < ledger.round || !awaited.includes(said.seat)) this.convict('turn.seat', said.seat);
    try {
      this.judge(said);
    } catch (error) {
      if (error instanceof Check) error.seat = said.seat;
      throw error;
    }
    ledger.accepted.push(said);
    if (ledger.accepted.length === awaited.length) this.close();
  }

  // Those present end the hand where it stands.
  agreement(raw) {
    const said = openEnvelope(raw, this.charter);
    this.counts.signatures += 1;
    if (said.purpose !== 2) fail('envelope.purpose');
    const ledger = this.open;
    if (ledger.blind) {
      if (!this.lenient) throw new Blind();
      ledger.agreed.push(said);
      return;
    }
    if (said.kind !== 'UnfinishedAgreement' || ledger.lane !== 2) fail('agreement.hand');
    const [number, closed, digest, present] = said.fields;
    const here = number === ledger.number && closed === ledger.round && equal(digest, ledger.head);
    if (!here || present >= 16) fail('agreement.hand');
    const [first] = ledger.agreed;
    if (first && first.fields[3] !== present) fail('agreement.hand');
    if (first && said.seat <= ledger.agreed.at(-1).seat) fail('agreement.seats');
    ledger.agreed.push(said);
  }

  convict(check, seat) {
    throw Object.assign(new Check(check), { seat });
  }

  freshKeys(said) {
    for (const half of [said.fields[0].subarray(0, 33), said.fields[0].subarray(33)]) {
      const name = `${said.seat} ${hex(half)}`;
      const deck = this.keys.get(name);
      if (deck !== undefined && deck !== said.number) this.convict('keys.reused', said.seat);
      this.keys.set(name, said.number);
    }
  }

  context(said) {
    return {
      version: 2,
      table: this.charter.digest,
      ledger: concat(u8(said.lane), u32(said.number)),
      attempt: said.number,
      round: said.round,
      seat: said.seat,
      kind: said.kind,
      history: this.open.head,
    };
  }

  judge(said) {
    const ledger = this.open;
    const kinds = { 0: ['Confirmation', 'LuckOpening'], 1: ['HandKeys', 'ShuffleStep'] };
    const due = ledger.lane === 2 ? ledger.due() : kinds[ledger.lane][Math.min(ledger.round, 1)];
    if (said.kind !== due) fail('turn.kind');
    if (said.kind === 'Confirmation') ledger.commitments[said.seat] = said.fields[0];
    else if (said.kind === 'LuckOpening') {
      const commitment = H(
        'p2p304/v1/luck-commitment', this.charter.digest, u32(said.number), u8(said.seat),
        said.fields[0],
      );
      if (!equal(commitment, ledger.commitments[said.seat])) fail('luck.opening');
      ledger.luck[said.seat] = said.fields[0];
    } else if (said.kind === 'HandKeys') {
      ledger.seatKeys[said.seat] = verifyKeys(concat(...said.fields), this.context(said));
      this.counts.keys += 1;
    } else if (said.kind === 'ShuffleStep') {
      const [step] = said.fields;
      ledger.cards = verifyShuffle(
        ledger.tableKeys, ledger.cards, step, this.context(said), 'deck-shuffle',
      );
      this.counts.shuffles += 1;
    } else ledger.judge(said, this);
  }

  close() {
    const ledger = this.open;
    const ordered = [...ledger.accepted].sort((a, b) => a.seat - b.seat);
    const entries = ordered.map((each) => concat(u8(each.seat), each.id));
    ledger.head = H('p2p304/v1/ledger-round', ledger.head, u32(ledger.round), ...entries);
    ledger.heads.push(ledger.head);
    (ledger.closed ??= []).push(ordered.map((each) => each.seat));
    ledger.round += 1;
    ledger.accepted = [];
    if (ledger.lane === 1 && ledger.round === 1) {
      ledger.tableKeys = sumKeys(ledger.seatKeys);
      ledger.cards = PACK.map((name) => [
        G,
        constant('CARD', ascii(name)).add(ledger.tableKeys[0]),
        constant('SUIT', ascii(name[1])).add(ledger.tableKeys[1]),
      ]);
    }
    if (ledger.lane === 2) ledger.closedRound(ordered);
  }

  end(head) {
    const ledger = this.open;
    if (ledger.blind) {
      if (!this.lenient) throw new Blind();
      this.blind = true;
    } else {
      if (!equal(head, ledger.head)) fail('ledger.head');
      if (ledger.agreed.length) {
        const seats = ledger.agreed.reduce((bits, each) => bits | (1 << each.seat), 0);
        if (seats !== ledger.agreed[0].fields[3] || ledger.agreed.length < 2) fail('agreement.seats');
        if (!(seats & 0b0101) || !(seats & 0b1010)) fail('agreement.sides');
        this.ended = true;
      } else if (this.awaited().length) fail('ledger.settled');
    }
    if (ledger.lane === 0) {
      const luck = H('p2p304/v1/luck', ...ledger.luck);
      this.dealer = firstDealer(this.values, luck);
    }
    this.last[ledger.lane] = { ...ledger, head };
    this.open = null;
  }
}

function origin(payload) {
  const value = decode(payload);
  const bytes32 = (each) => each instanceof Uint8Array && each.length === 32;
  if (!Array.isArray(value) || value.length !== 5) fail('transcript.origin');
  const [lane, number, after, leading, scores] = value;
  const ints = [lane, number, leading].every((each) => typeof each === 'bigint');
  if (!ints || !Array.isArray(after) || !Array.isArray(scores)) fail('transcript.origin');
  const fits = lane >= 0n && lane <= 2n && number >= 0n && number < 1n << 32n;
  if (!fits || leading < 0n || leading >= 64n) fail('transcript.origin');
  if (!after.every(bytes32) || after.length > 2) fail('transcript.origin');
  if (!scores.every((each) => typeof each === 'bigint')) fail('transcript.origin');
  return { lane: Number(lane), number: Number(number), after, leading: Number(leading), scores };
}

// The beginning of a hand: the cut, the first deal. What follows needs the rules.
function handOf(deck, dealer, cuts) {
  const hand = {
    stage: cuts ? 'cut' : 'deal',
    blind: false,
    offset: 0,
    slots: new Map(deck.cards.map((card, slot) => [slot, card])),
    seatKeys: deck.seatKeys,
    locks: new Map(),
    awaited() {
      if (this.stage === 'cut') return [(dealer + 3) % 4];
      return this.stage === 'deal' ? [0, 1, 2, 3] : [];
    },
    due() {
      return this.stage === 'cut' ? 'Action' : 'DealShares';
    },
    deal(batch) {
      for (let turn = 0; turn < 4; turn++) {
        for (let i = 0; i < 4; i++) {
          const slot = (16 * batch + 4 * turn + this.offset + i) % 32;
          this.locks.set(slot, { owner: (dealer + 1 + turn) % 4, shared: [] });
        }
      }
    },
    judge(said, auditor) {
      if (this.stage === 'cut') {
        const [text, proofs, commitments, remixes, salts] = said.fields;
        const found = /^cut (0|[1-9][0-9]{0,3})$/.exec(text);
        if (!found) throw new Blind(); // another text: notation and rules would have to judge it
        if (Number(found[1]) >= 32) fail('action.rule');
        if (found[1] === '0' && auditor.values.cut_optional !== 'yes') fail('action.rule');
        if (proofs.length) fail('statement.count');
        if (commitments.length) fail('action.commitments');
        if (remixes.length) fail('remix.count');
        if (salts.length) fail('commitment.count');
        this.offset = Number(found[1]);
        return;
      }
      if (said.fields[1].length) fail('commitment.count');
      this.share(said, auditor);
    },
    share(said, auditor) {
      const owed = [...this.locks]
        .filter(([, lock]) => lock.owner !== said.seat && !lock.shared.includes(said.seat))
        .map(([slot]) => slot)
        .sort((a, b) => a - b);
      const cards = owed.map((slot) => this.slots.get(slot));
      const keys = this.seatKeys[said.seat];
      const left = verifyShares(keys, cards, said.fields[0], auditor.context(said));
      owed.forEach((slot, i) => {
        this.slots.set(slot, left[i]);
        this.locks.get(slot).shared.push(said.seat);
      });
      auditor.counts.shares += owed.length;
    },
    closedRound() {
      if (this.stage === 'cut') {
        this.stage = 'deal';
        this.deal(0);
      } else {
        this.stage = 'bidding';
        this.blind = true;
      }
    },
    // Lenient: signatures, digests, and what else can be seen to be right without the rules.
    unjudged(said, auditor) {
      if (said.round !== this.round) {
        auditor.close();
        if (said.round !== this.round) fail('ledger.place');
        if (this.sharing) this.sharing = false;
      }
      if (!equal(said.previous, this.head)) fail('ledger.digest');
      auditor.counts.digests += 1;
      if (said.kind === 'DealShares') {
        if (!this.sharing) this.deal(1);
        this.sharing = true;
        this.share(said, auditor);
      }
      const text = said.kind === 'Action' ? said.fields[0] : '';
      if (text.startsWith('indicator ')) (this.laid ??= []).push(Number(text.slice(10)));
      if (text.startsWith('bid ') && this.laid) this.eight = true;
      if (text === 'sort' && !this.eight) this.remix(said, auditor);
      this.accepted.push(said);
    },
    remix(said, auditor) {
      const own = [...this.locks].filter(([, lock]) => lock.owner === said.seat).map(([slot]) => slot);
      const before = own.filter((slot) => !this.laid.includes(slot));
      const context = { ...auditor.context(said), kind: 'Action/0' };
      const cards = before.map((slot) => this.slots.get(slot));
      verifyShuffle(this.seatKeys[said.seat], cards, said.fields[3][0], context, 'hand-shuffle');
      auditor.counts.remixes += 1;
    },
  };
  if (!cuts) hand.deal(0);
  return hand;
}
