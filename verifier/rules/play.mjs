/**
 * Rules 10: tricks; what a play must state, the maker's inspection, who wins.
 * @module
 */
import { orNothing } from '../suite/bytes.mjs';
import { beats } from './pack.mjs';
import * as count from './count.mjs';

const suitOf = (card) => card[1];

/** Whose turn it is in the open trick. */
export function turn(hand) {
  let seat = hand.leader;
  for (let i = 0; i < hand.trick.length; i++) seat = after(hand, seat);
  return seat;
}

function after(hand, seat) {
  let next = hand.right(seat);
  while (hand.aside.includes(next)) next = hand.right(next);
  return next;
}

export function playUp(hand, seat, { faces: [{ slot, card }], all }) {
  keepPromises(hand, seat, slot, card);
  stated(hand, seat, slot, card, all);
  played(hand, seat, slot, false);
}

export function playDown(hand, seat, { number }) {
  keepPromises(hand, seat, number, null);
  stated(hand, seat, number, null, false);
  hand.disclosures.push({ laid: number, seat });
  played(hand, seat, number, true);
}

// The line of the table of rules 10 that a play falls under.
function stated(hand, seat, slot, card, all) {
  const own = hand.hands[seat];
  const indicator = hand.onTable && seat === hand.maker && slot === hand.indicator;
  const hidden = !hand.trumpOpen;
  const up = card !== null;
  hand.need(own.includes(slot) || indicator);
  const rest = own.filter((each) => each !== slot);
  const lead = !hand.trick.length;
  hand.need(up || (!lead && hidden));
  if (up) hand.face(slot, card);
  const first = lead && seat === hand.maker && hidden && !hand.tricks.length && hand.yes('first_lead_ban');
  hand.need(!all || first);
  if (lead) {
    hand.need(!indicator || !own.length);
    if (seat === hand.maker) leadOfMaker(hand, rest, suitOf(card), { first, all });
    return;
  }
  const led = suitOf(hand.known[hand.trick[0].slot]);
  const maker = seat === hand.maker;
  if (up && suitOf(card) === led) {
    hand.need(!indicator || !own.length);
  } else if (!hidden) {
    hand.none(rest, led);
  } else if (up) {
    hand.need(hand.contested);
    hand.none(rest, led);
    if (maker && !indicator) hand.none([hand.indicator], suitOf(card));
  } else {
    hand.need(!hand.contested);
    hand.none(own, led);
    if (indicator) hand.none([hand.indicator], led);
    else if (maker) hand.offTrump([slot]);
  }
}

/** What a card that is shown in turn states, after that it is this card. */
export function statedOfShown(hand, seat, slot, card) {
  const rest = hand.hands[seat].filter((each) => each !== slot);
  if (hand.trick.length) {
    const led = suitOf(hand.known[hand.trick[0].slot]);
    if (suitOf(card) !== led) hand.none(rest, led);
  } else if (seat === hand.maker) leadOfMaker(hand, rest, suitOf(card), {});
}

function leadOfMaker(hand, rest, suit, { first, all }) {
  const exhausted = hand.binding;
  if (hand.trumpOpen) {
    const { trump } = hand;
    if (exhausted && suit !== trump && hand.unfollowed.includes(trump)) hand.none(rest, trump);
  } else if (first) {
    if (all) {
      hand.need(!hand.canOpen);
      hand.all([...rest, hand.indicator], suit);
    } else hand.none([hand.indicator], suit);
  } else if (hand.tricks.length && exhausted) {
    for (const other of hand.unfollowed) if (other !== suit) trumpsGone(hand, rest, other);
  }
}

// The indicator is not of a suit, or no card left in the hand is.
function trumpsGone(hand, rest, suit) {
  if (rest.some((slot) => hand.known[slot] !== undefined && suitOf(hand.known[slot]) === suit)) {
    hand.none([hand.indicator], suit);
    return;
  }
  const unknown = rest.filter((slot) => hand.known[slot] === undefined);
  if (!unknown.length) return;
  if (hand.trump === null) {
    hand.statements.push({ any: [{ none: [hand.indicator], suit }, { none: unknown, suit }] });
  } else if (hand.trump === suit) hand.none(unknown, suit);
}

// --- promises ---

function keepPromises(hand, seat, slot, card) {
  const { call } = hand;
  if (hand.contested && call.order && call.seat === seat) {
    const next = call.order.find((each) => hand.hands[seat].includes(each) || (hand.onTable && each === hand.indicator));
    hand.need(next === slot || !stands(hand, seat, next));
    return;
  }
  const shown = hand.shown[seat].filter((each) => hand.hands[seat].includes(each));
  if (!shown.length || shown.includes(slot)) return;
  const suits = shown.map((each) => suitOf(hand.known[each]));
  if (!hand.trick.length) {
    const armed = seat === hand.maker && hand.trumpOpen && hand.binding
      && hand.unfollowed.includes(hand.trump);
    hand.need(armed && card !== null && suitOf(card) === hand.trump && !suits.includes(hand.trump));
    return;
  }
  const led = suitOf(hand.known[hand.trick[0].slot]);
  hand.need(card !== null && suitOf(card) === led && !suits.includes(led));
}

/** Whether a known card of one's own could be played now. */
function stands(hand, seat, slot) {
  const ways = hand.trick.length && !hand.trumpOpen && !hand.contested ? [hand.known[slot], null] : [hand.known[slot]];
  const holds = (card, all) => orNothing(() => stated(hand.clone(), seat, slot, card, all)) !== null;
  return ways.some((card) => holds(card, false) || holds(card, true));
}

// --- after a card ---

function played(hand, seat, slot, down) {
  hand.ahead = null;
  if (hand.onTable && slot === hand.indicator) {
    hand.onTable = false;
    const led = hand.trick.length ? suitOf(hand.known[hand.trick[0].slot]) : null;
    if (!down && (led === null || suitOf(hand.known[slot]) === led)) hand.trumpOpen = true;
  } else hand.hands[seat] = hand.hands[seat].filter((each) => each !== slot);
  hand.trick.push({ seat, slot, down });
  if (hand.trick.length < hand.seats - hand.aside.length) {
    hand.point('card');
    const strict = hand.values.caps_grace === 'next card' && hand.values.caps_model === 'epistemic';
    if (strict && !hand.contract) hand.openWindow(true);
    return;
  }
  const marked = inspected(hand);
  if (hand.trumpOpen || !marked.length) {
    finish(hand);
    return;
  }
  for (const each of marked) {
    if (each.down && each.seat !== hand.maker && hand.known[each.slot] === undefined) {
      hand.disclosures.push({ handed: each.slot, owner: each.seat, reader: hand.maker });
      hand.handed.push(each.slot);
    }
  }
  hand.phase = 'INSPECT';
}

/** The cards for which a trick is inspected. */
function inspected(hand) {
  const led = suitOf(hand.known[hand.trick[0].slot]);
  return hand.trick.filter(({ slot, down }) => down || suitOf(hand.known[slot]) !== led);
}

export function announceNone(hand) {
  hand.need(!hand.trick.some(({ slot }) => slot === hand.indicator));
  hand.offTrump(inspected(hand).map(({ slot }) => slot));
  finish(hand);
}

export function announceCut(hand, seat, { faces }) {
  const marked = inspected(hand);
  const discard = hand.values.reveal_on_cut !== "others' cards and indicator";
  const due = marked
    .filter((each) => each.down && (each.seat !== hand.maker || discard) && each.slot !== hand.indicator)
    .map(({ slot }) => slot)
    .concat(hand.indicator)
    .filter((slot) => hand.known[slot] === undefined);
  hand.faces(due, faces);
  const { trump } = hand;
  hand.need(marked.some(({ slot }) => hand.known[slot]?.[1] === trump));
  hand.none(marked.filter(({ slot }) => hand.known[slot] === undefined).map(({ slot }) => slot), trump);
  hand.takeIndicator();
  finish(hand);
}

export function showIndicator(hand, seat, { card }) {
  hand.face(hand.indicator, card);
  hand.takeIndicator();
  hand.openWindow(false);
}

function winnerOf(hand) {
  const led = suitOf(hand.known[hand.trick[0].slot]);
  let best = null;
  for (const each of hand.trick) {
    const face = hand.known[each.slot];
    if (face === undefined) continue;
    const trump = hand.trumpOpen && suitOf(face) === hand.trump;
    if (!trump && suitOf(face) !== led) continue;
    const over = best && best.trump === trump ? beats(face, best.face) : trump || !best;
    if (over) best = { seat: each.seat, face, trump };
  }
  return best.seat;
}

function finish(hand) {
  const winner = winnerOf(hand);
  const [lead, ...others] = hand.trick;
  const led = suitOf(hand.known[lead.slot]);
  const followed = others.some(({ slot, down }) => !down && suitOf(hand.known[slot]) === led);
  if (lead.seat === hand.maker && !followed && !hand.unfollowed.includes(led)) hand.unfollowed.push(led);
  hand.tricks.push({ plays: hand.trick, winner });
  hand.trick = [];
  hand.leader = winner;
  if (hand.call && winner % 2 !== hand.call.seat % 2) hand.capsLost = true;
  const left = hand.hands[winner].length || (hand.onTable && winner === hand.maker);
  const lost = (hand.contract && !hand.called && winner !== hand.maker) || (hand.contested && hand.capsLost);
  if (lost || !left) {
    count.begin(hand);
    return;
  }
  const high = hand.contract || hand.bid >= hand.number('open_after_trick1_from');
  if (!hand.trumpOpen && hand.tricks.length === 1 && high) hand.phase = 'SHOW_INDICATOR';
  else hand.openWindow(false);
}
