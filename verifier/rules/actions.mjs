/**
 * Rules 15: the texts of actions.
 * @module
 */
import { fail } from '../suite/bytes.mjs';

/** @typedef {{kind: string, number?: number, bid?: number | string, card?: string, all?: boolean,
 *   faces?: {slot: number, card: string}[]}} Action */

const WORDS = {
  accept: 'AcceptCaps', ask: 'AskPartner', closed: 'KeepClosed', contest: 'ContestCaps',
  'no-trump': 'DenyTrump', none: 'AnnounceNone', pass: 'Pass', ready: 'Ready', sort: 'SortHand',
  spoilt: 'CallSpoilt', double: 'CallDouble',
};
const LISTS = {
  redeal: 'DemandRedeal', trump: 'AnnounceCut', caps: 'CallCaps', count: 'OpenCards',
  'count-for': 'OpenHandedOver', marriage: 'DeclareMarriages',
};
const NUMBER = /^(?:0|[1-9][0-9]{0,3})$/;
const CARD = /^[2-9TJQKA][SHDC]$/;
const FACE = /^(0|[1-9][0-9]{0,3})=([2-9TJQKA][SHDC])$/;

/** @param {string} text @returns {Action} */
export function parseAction(text) {
  if (text.length > 400 || /[^ -~]/.test(text)) fail('action.notation');
  const [word, ...rest] = text.split(' ');
  const none = () => fail('action.notation');
  const one = () => (rest.length === 1 ? rest[0] : none());
  const number = () => (NUMBER.test(one()) ? Number(rest[0]) : none());
  const card = () => (CARD.test(one()) ? rest[0] : none());
  const faces = (words) =>
    words.map((each) => {
      const found = FACE.exec(each) ?? none();
      return { slot: Number(found[1]), card: found[2] };
    });
  if (Object.hasOwn(WORDS, word)) return rest.length ? none() : { kind: WORDS[word] };
  if (Object.hasOwn(LISTS, word)) return { kind: LISTS[word], faces: faces(rest) };
  switch (word) {
    case 'cut': return { kind: 'Cut', number: number() };
    case 'ask-seat': return { kind: 'AskPartner', number: number() };
    case 'indicator': return { kind: 'LayIndicator', number: number() };
    case 'down': return { kind: 'PlayDown', number: number() };
    case 'bid': return { kind: 'PlaceBid', bid: ['pcc', 'half_court', 'full_court'].includes(one()) ? rest[0] : number() };
    case 'name': return { kind: 'NameCard', card: card() };
    case 'open': return { kind: 'OpenTrump', card: card() };
    case 'show-indicator': return { kind: 'ShowIndicator', card: card() };
    case 'show': return { kind: 'ShowCard', faces: faces([one()]) };
    case 'one-trump': return { kind: 'ShowTrump', faces: faces([one()]) };
    case 'play': {
      const all = rest.length === 2 && rest[1] === 'all-trumps';
      return { kind: 'PlayCard', all, faces: faces([all ? rest[0] : one()]) };
    }
    default: return none();
  }
}
