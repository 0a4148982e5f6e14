/**
 * The operations of specs/conformance.md, as the line protocol asks for them.
 * @module
 */
import { session, readCards, sumKeys, verifyKeys } from './cards/keys.mjs';
import { verifyShares } from './cards/equality.mjs';
import { stepLength, verifyShuffle } from './cards/shuffle.mjs';
import { verifyHandOver, verifyStatements } from './cards/statements.mjs';
import { audit } from './files/audit.mjs';
import { checkChange, checkContinued } from './files/change.mjs';
import { checkEvidence } from './files/evidence.mjs';
import { recordsOf } from './files/records.mjs';
import { decodeBody } from './messages/bodies.mjs';
import { checkKey, decodeCharter, fingerprint } from './messages/charter.mjs';
import { messageId, openEnvelope } from './messages/envelope.mjs';
import { decode, encode } from './messages/values.mjs';
import { parseAction } from './rules/actions.mjs';
import { agreement } from './rules/agreements.mjs';
import { isSure } from './rules/caps.mjs';
import { gameOf, houseRules, of304, ofTricks } from './rules/games.mjs';
import { RunningMatch, scoreCalled, scoreHand } from './rules/scoring.mjs';
import { parseTrickAction, priceOf } from './rules/tricks.mjs';
import { Check, ascii, concat, fail, hex, u32, u64, u8, unbase64, unhex } from './suite/bytes.mjs';
import {
  combine, decodePoint, decodeScalar, encodePoint, join, mod, scalarBytes,
} from './suite/group.mjs';
import {
  H, Sponge, W, cardPoint, chainBase, frame, generator, hashToCurve, onePoint, sha256, shake256,
  sid, suitPoint,
} from './suite/hashing.mjs';
import { parseRelation, verifyBatchable, verifyCompact } from './suite/relations.mjs';
import { draw, toldOf } from './tournament/matches.mjs';
import { judge as judgeRecord, tableOf } from './tournament/judge.mjs';
import { readRecord } from './tournament/record.mjs';
import { exchange, hostId, judge, parseCode, readOpen, readSealed } from './wire/codes.mjs';
import { parseInvite } from './wire/invite.mjs';
import { nextTable } from './wire/rematch.mjs';
import { readLobby } from './wire/lobby.mjs';
import { NOBODY, open, seal, topic } from './wire/sealing.mjs';

const SPEC = 'wire/v0.1.0';
const RANKS = [...'23456789TJQKA'];
const SUITS = [...'SHDC'];

const tagged = (value) => {
  if (Array.isArray(value)) return { array: value.map(tagged) };
  if (value instanceof Uint8Array) return { bytes: hex(value) };
  return typeof value === 'string' ? { text: value } : { int: value.toString() };
};
const untagged = (given) => {
  if (given.array) return given.array.map(untagged);
  if (given.bytes !== undefined) return unhex(given.bytes);
  return given.text !== undefined ? given.text : BigInt(given.int);
};
const contextOf = (given) => ({
  ...given,
  table: unhex(given.table),
  ledger: unhex(given.ledger),
  history: unhex(given.history),
});
const ofCode = ({ code, host, joiner, exchange: id }) => ({
  code, host: unhex(host), joiner: unhex(joiner), exchange: unhex(id),
});
const saidAs = ({ message, fields }) => ({ message, fields: tagged(fields) });
const keysOf = (text) => {
  const data = unhex(text);
  return [decodePoint(data.subarray(0, 33)), decodePoint(data.subarray(33))];
};
const cardOf = (text) => {
  const data = unhex(text);
  return [0, 33, 66].map((at) => decodePoint(data.subarray(at, at + 33)));
};
const scalarText = (value) => hex(scalarBytes(value));

const commitLine = (given) =>
  `p2p304/v1/card-commitment:${given.context}:${given.salt}:${given.value}`;

// 2.8
const drawn = (seed, at, purpose, length) =>
  shake256(frame('p2p304/v1/expansion', seed, u64(at), ...purpose), { dkLen: length });

const isTricks = (game) => game === '41' || game === '400';

const scored = (values, facts) => (values.partners === 'called card' ? scoreCalled : scoreHand)(values, facts);

// A match of 41 or 400, deal by deal.
function tricksRun(played, game, luck, hands) {
  const match = played.match(luck);
  for (const { bids, taken } of hands) {
    if (match.winner !== null) fail('action.rule');
    match.hand(priceOf(game, bids, taken));
  }
  const { dealer, scores, winner } = match;
  return { dealer, scores, winner };
}

const OPERATIONS = {
  hello: () => ({ name: 'p2p304 verifier', spec: SPEC }),
  'point.decode': ({ bytes }) => ({ doubled: hex(encodePoint(decodePoint(unhex(bytes)).double())) }),
  'scalar.decode': ({ bytes, nonzero }) => {
    const value = decodeScalar(unhex(bytes));
    if (nonzero && value === 0n) fail('scalar.zero');
    return { negated: scalarText(mod(-value)) };
  },
  'point.combine': ({ terms }) => {
    const read = terms.map(([scalar, point]) => [
      decodeScalar(unhex(scalar)),
      decodePoint(unhex(point)),
    ]);
    const sum = combine(read);
    return sum.is0() ? fail('point.identity') : { point: hex(encodePoint(sum)) };
  },
  'hash-to-curve.point': ({ message, dst }) => ({
    point: hex(encodePoint(hashToCurve(unhex(message), unhex(dst)))),
  }),
  'constants.card': ({ card }) => ({
    card_point: hex(encodePoint(cardPoint(card))),
    suit_point: hex(encodePoint(suitPoint(card[1]))),
  }),
  'constants.generator': ({ index }) => ({ point: hex(encodePoint(generator(index))) }),
  'constants.digest': ({ generators }) => {
    const cards = SUITS.flatMap((suit) => RANKS.map((rank) => cardPoint(rank + suit)));
    const digest = H(
      'p2p304/v1/constant-points', join(cards),
      join(SUITS.map((suit) => suitPoint(suit))),
      encodePoint(onePoint()), encodePoint(chainBase()),
      join(Array.from({ length: generators }, (_, i) => generator(i))),
    );
    return { digest: hex(digest) };
  },
  'sponge.session': ({ tag }) => ({ session: hex(sid(unhex(tag))) }),
  'sponge.run': ({ session: start, script }) => {
    const sponge = new Sponge(unhex(start));
    const drawn = [];
    for (const [name, argument] of script) {
      if (name === 'absorb') sponge.absorb(unhex(argument));
      else if (name === 'squeeze') drawn.push(hex(sponge.squeeze(argument)));
      else if (name === 'scalar') drawn.push(scalarText(sponge.scalar()));
      else drawn.push(...sponge.weights(argument).map(scalarText));
    }
    return { drawn };
  },
  'frame.hash': ({ label, fields }) => ({
    sha256: hex(H(unhex(label), ...fields.map(unhex))),
    sha512: hex(W(unhex(label), ...fields.map(unhex))),
  }),
  'context.session': ({ context, purpose, details }) => ({
    session: hex(session(contextOf(context), purpose, ...details.map(unhex))),
  }),
  'ledger.root': ({ charter, lane, number, leading, scores, after }) => ({
    root: hex(
      H(
        'p2p304/v1/ledger-root', unhex(charter), concat(u8(lane), u8(leading)), u32(number),
        encode([scores, after.map(unhex)]),
      ),
    ),
  }),
  'ledger.round': ({ previous, number, messages }) => {
    const ordered = [...messages].sort(([a], [b]) => a - b);
    const entries = ordered.map(([seat, id]) => concat(u8(seat), unhex(id)));
    return { head: hex(H('p2p304/v1/ledger-round', unhex(previous), u32(number), ...entries)) };
  },
  'message.id': ({ purpose, body }) => ({ id: hex(messageId(purpose, unhex(body))) }),
  'luck.commit': ({ charter, number, seat, luck }) => ({
    commitment: hex(
      H('p2p304/v1/luck-commitment', unhex(charter), u32(number), u8(seat), unhex(luck)),
    ),
  }),
  'luck.combine': ({ shares }) => ({ luck: hex(H('p2p304/v1/luck', ...shares.map(unhex))) }),
  'commitment.context': ({ charter, lane, number, round, seat, slot }) => ({
    context: hex(
      H(
        'p2p304/v1/commitment-context', unhex(charter), concat(u8(lane), u32(number)), u32(round),
        u8(seat), u32(slot),
      ),
    ),
  }),
  'commitment.commit': (given) => ({ commitment: hex(sha256(ascii(commitLine(given)))) }),
  'commitment.verify': (given) => {
    if (given.commitment.length !== 64) fail('commitment.length');
    if (given.salt.length !== 64) fail('commitment.salt-length');
    if (hex(sha256(ascii(commitLine(given)))) !== given.commitment) fail('commitment.opening');
    return {};
  },
  'commitment.salt': ({ seed, context }) => ({
    salt: hex(H('p2p304/v1/commitment-salt', unhex(seed), unhex(context))),
  }),
  'value.encode': ({ value }) => ({ bytes: hex(encode(untagged(value))) }),
  'value.decode': ({ bytes }) => ({ value: tagged(decode(unhex(bytes))) }),
  'charter.decode': ({ bytes }) => {
    const charter = decodeCharter(unhex(bytes));
    return {
      digest: hex(charter.digest),
      tag: hex(charter.tag),
      fingerprint: fingerprint(charter.digest),
      nicknames: charter.seats.map((seat) => seat.nickname),
    };
  },
  'key.decode': ({ bytes }) => {
    checkKey(unhex(bytes));
    return {};
  },
  'envelope.open': ({ charter, envelope }) => {
    const found = openEnvelope(unhex(envelope), decodeCharter(unhex(charter)), 'either');
    return { seat: found.seat, purpose: found.purpose, kind: found.kind, id: hex(found.id) };
  },
  'body.decode': ({ purpose, body }) => {
    const found = decodeBody(purpose, unhex(body));
    const output = { kind: found.kind, table: hex(found.table) };
    output[purpose === 4 ? 'referee' : 'seat'] = found.seat;
    if (purpose === 1) {
      const { lane, number, round } = found;
      Object.assign(output, { lane, number, round, previous: hex(found.previous) });
    } else if (purpose === 2) output.serial = found.serial;
    return { ...output, fields: tagged(found.raw) };
  },
  'sigma.verify': ({ relation, session: place, flavor, proof }) => {
    const verify = flavor === 'batchable' ? verifyBatchable : verifyCompact;
    verify(parseRelation(unhex(relation)), unhex(proof), unhex(place));
    return {};
  },
  'keys.verify': ({ context, step }) => {
    verifyKeys(unhex(step), contextOf(context));
    return {};
  },
  'keys.sum': ({ keys }) => ({ keys: hex(join(sumKeys(keys.map(keysOf)))) }),
  'shuffle.verify': ({ context, purpose, keys, before, step }) => {
    const after = verifyShuffle(keysOf(keys), readCards(unhex(before)), unhex(step), contextOf(context), purpose);
    return { after: hex(sha256(concat(...after.map(join)))) };
  },
  'shuffle.length': ({ cards }) => ({ bytes: stepLength(cards) }),
  'shares.verify': ({ context, keys, cards, batch }) => {
    const { left } = verifyShares(keysOf(keys), cards.map(cardOf), unhex(batch), contextOf(context));
    return { cards: left.map((card) => hex(join(card))) };
  },
  'hand-over.verify': ({ context, card, owner, reader, covers, message }) => {
    const handed = verifyHandOver(
      cardOf(card), keysOf(owner), keysOf(reader), covers.map((each) => decodePoint(unhex(each))),
      unhex(message), contextOf(context),
    );
    return { card: hex(join(handed)) };
  },
  'statement.verify': ({ context, keys, cards, statements, proofs, pack, points }) => {
    const read = cards.map(cardOf);
    const at = (slot) => read[slot] ?? fail('deck.slot');
    const hand = { keys: keysOf(keys), at, pack, points };
    return { claims: verifyStatements(statements, proofs.map(unhex), hand, contextOf(context)) };
  },
  'seal.topic': ({ table_key: key, table }) => ({ topic: topic(unhex(key), unhex(table)) }),
  'seal.seal': ({ table_key: key, table, seat, salt, payload, room }) => ({
    frame: hex(seal(unhex(key), unhex(table), seat ?? NOBODY, unhex(salt), unhex(payload), room)),
  }),
  'seal.open': ({ table_key: key, table, frame: data }) => {
    const { payload, seat } = open(unhex(key), unhex(table), unhex(data));
    return { payload: hex(payload), seat };
  },
  'lobby.read': (given) => readLobby({
    ...given, payload: unhex(given.payload), table: unhex(given.table), token: unhex(given.token),
    key: unhex(given.key),
  }),
  'invite.parse': ({ text }) => parseInvite(text),
  'code.parse': ({ text, words }) => parseCode(text, words),
  'code.host': ({ table, number, salt }) => ({ host: hex(hostId(unhex(table), number, unhex(salt))) }),
  'code.read': ({ frame: data }) => saidAs(readOpen(unhex(data))),
  'code.open': ({ payload }) => saidAs(readSealed(unhex(payload))),
  'code.exchange': (given) => {
    const random = [given.joiner_random, given.host_random].map(unhex);
    const { joiner, host, confirmation, sealKey } = exchange(ofCode(given), ...random);
    return {
      joiner_element: hex(joiner),
      host_element: hex(host),
      confirmation: hex(confirmation),
      seal_key: hex(sealKey),
    };
  },
  'code.judge': (given) => {
    judge(ofCode(given), ...[given.host_random, given.element, given.confirmation].map(unhex));
    return {};
  },
  'rematch.charter': ({ charter, table_key: key, token, after, seating }) => {
    const next = nextTable(unhex(charter), unhex(key), unhex(token), unhex(after), seating);
    return { charter: hex(next.charter), table_key: hex(next.key), token: hex(next.token) };
  },
  'agreement.expand': ({ game, agreement: line }) => ({
    full: isTricks(game) ? houseRules(line) : agreement(line).full,
  }),
  'action.parse': ({ game, text }) => ({
    kind: (isTricks(game) ? parseTrickAction : parseAction)(text).kind, text,
  }),
  'score.hand': ({ game, agreement: line, facts }) => {
    if (!isTricks(game)) return scored(agreement(line).values, facts);
    const { scores, outright } = priceOf(game, facts.bids, facts.taken);
    return { scores, match_won: outright };
  },
  'match.run': ({ game, agreement: line, luck, hands }) => {
    if (isTricks(game)) return tricksRun(ofTricks(game, houseRules(line)), game, unhex(luck), hands);
    const { values, full } = agreement(line);
    const match = of304(full).match(unhex(luck));
    for (const facts of hands) match.hand(scored(values, facts), facts.void);
    const { dealer, scores, stocks, winner, winners } = match;
    return match instanceof RunningMatch ? { dealer, scores, winners } : { dealer, scores, stocks, winner };
  },
  'rules.play': ({ game, agreement: line, dealer, scores, actions }) => {
    const played = isTricks(game) ? ofTricks(game, houseRules(line)) : of304(agreement(line).full);
    const hand = played.hand(dealer, scores ?? []);
    let last = { statements: [], disclosures: [] };
    for (const [seat, text] of actions) last = hand.act(seat, played.parse(text));
    const told = { phase: hand.phase, awaited: hand.awaited(), ...last };
    return told.awaited.length ? told : { ...told, scores: hand.result().scores };
  },
  'tournament.draw': ({ entries, luck }) => ({ order: draw(entries, unhex(luck)) }),
  'tournament.read': (given) => toldOf(given),
  'tournament.record': ({ record, shown = [] }) => judgeRecord(readRecord(unhex(record)), shown),
  'tournament.table': ({ record, match, key }) => tableOf(readRecord(unhex(record)), match, unhex(key)),
  'caps.judge': ({ information, order }) => ({ verdict: isSure(information, order) ? 'sure' : 'not sure' }),
  'evidence.check': ({ evidence }) => checkEvidence(unbase64(evidence)),
  'expand.draw': ({ seed, purpose, lengths }) => ({
    drawn: lengths.map((length, i) => hex(drawn(unhex(seed), i + 1, purpose.map(unhex), length))),
  }),
  'transcript.audit': ({ transcript }) => {
    try {
      return audit(unbase64(transcript)).told();
    } catch (error) {
      if (error instanceof Check) error.seat ??= null;
      throw error;
    }
  },
  'charter.continues': ({ before, charter }) => {
    const after = decodeCharter(unhex(charter));
    const file = audit(unbase64(before));
    checkContinued(after, gameOf(after));
    checkChange(file, after);
    return { goes_on: true };
  },
  'transcript.records': ({ transcript }) => {
    let messages = 0;
    for (const { letter } of recordsOf(unbase64(transcript))) if (letter === 'M') messages += 1;
    return { messages };
  },
};

/** What the line protocol answers. @param {string} op @param {object} input */
export function answer(op, input) {
  if (!Object.hasOwn(OPERATIONS, op)) return { unsupported: true };
  try {
    return { output: OPERATIONS[op](input) };
  } catch (error) {
    if (!(error instanceof Check)) throw error;
    return error.seat === undefined ? { reject: error.check } : { reject: error.check, seat: error.seat };
  }
}
