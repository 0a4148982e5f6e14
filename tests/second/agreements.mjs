// Rules 14 and 15: agreements, and the texts of actions. The tables are read from the page itself.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fail } from './suite.mjs';

const LONGEST = 2000;
const specs = process.env.P2P304_SPECS ?? fileURLToPath(new URL('../../specs', import.meta.url));

// The rows of the table that begins with a column, cells without their marks.
function table(page, column) {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${column} |`));
  const rows = [];
  for (let at = start + 2; lines[at].startsWith('|'); at++) {
    rows.push(lines[at].slice(2).replace(/ ?\|$/, '').split(' | ').map((cell) => cell.trim()));
  }
  return { head: lines[start].slice(2, -2).split(' | '), rows };
}
const bare = (cell) => cell.replaceAll('`', '');

let known = null;
function tables() {
  if (known) return known;
  const page = readFileSync(`${specs}/rules.md`, 'utf-8');
  const values = table(page, 'parameter | pagat');
  const names = values.head.slice(1, -1);
  const profiles = Object.fromEntries(names.map((name) => [name, {}]));
  for (const [parameter, ...cells] of values.rows) {
    names.forEach((name, i) => {
      profiles[name][bare(parameter)] = cells[i].replace(/ \(n\/a\)$/, '');
    });
  }
  const settable = new Map();
  const needs = {};
  for (const [parameter, to, when] of table(page, 'parameter | to').rows) {
    settable.set(bare(parameter), to);
    if (when) needs[bare(parameter)] = when;
  }
  for (const [parameter, when] of table(page, 'parameter | arises with').rows) needs[bare(parameter)] = when;
  const rules = new Map();
  for (const [rule, sets] of table(page, 'house rule').rows) {
    const pairs = [...sets.matchAll(/`([a-z0-9_]+) = ([^`]*)`/g)];
    rules.set(bare(rule), pairs.map(([, name, value]) => [name, value]));
  }
  const forbidden = {};
  for (const [, name, list] of page.matchAll(/^`([a-z0-9-]+)` forbids what these set: (.*)\.$/gm)) {
    forbidden[name] = list.split(', ');
  }
  known = { order: values.rows.map(([name]) => bare(name)), profiles, settable, needs, rules, forbidden };
  return known;
}

function arises(name, values) {
  const when = tables().needs[name];
  if (!when) return true;
  if (when === 'a reentry_rule') return values.reentry_rule !== 'never';
  const [, parameter, how] = /^([a-z0-9_]+) (.*)$/.exec(when);
  const value = values[parameter];
  if (how === 'on' || how === 'off') return value === (how === 'on' ? 'yes' : 'no');
  if (how.startsWith('not ')) return value !== how.slice(4);
  if (how.startsWith('above ')) return Number(value) > Number(how.slice(6));
  return value === how;
}

// A value as the parameter writes it; fails if it cannot have it.
function checked(name, said) {
  const to = tables().settable.get(name);
  const range = /^(\d+) to (\d+)$/.exec(to);
  if (range) {
    if (!/^\d{1,5}$/.test(said)) fail('agreement');
    const number = Number(said);
    return number >= range[1] && number <= range[2] ? String(number) : fail('agreement');
  }
  if (to.includes('made / failed')) {
    const pair = /^(\d{1,4}) \/ (\d{1,4})$/.exec(said);
    return pair ? `${Number(pair[1])} / ${Number(pair[2])}` : fail('agreement');
  }
  if (to.startsWith('none, or pairs')) {
    if (said === 'none') return said;
    const pairs = said.split(/\s+/).map((each) => /^(\d{1,4})=(\d{1,4})$/.exec(each));
    if (pairs.some((pair) => !pair)) fail('agreement');
    return pairs.map(([, a, b]) => `${Number(a)}=${Number(b)}`).join(' ');
  }
  const choices = to === 'yes, no' ? ['yes', 'no'] : to.split('; ');
  return choices.includes(said) ? said : fail('agreement');
}

function consistent(values) {
  const number = (name) => Number(values[name]);
  const yes = (name) => values[name] === 'yes';
  const refuse = (wrong) => wrong && fail('agreement');
  const [least, most] = [number('bid_min'), number('bid_max')];
  refuse(least > most);
  refuse(least % number(least <= 200 ? 'bid_step_low' : 'bid_step_high'));
  refuse(yes('pcc') && !yes('auction8'));
  refuse((values.cut_by === 'nobody') !== (number('max_cuts') === 0));
  refuse(yes('caps_order_stated') && !yes('caps_expose'));
  if (values.caps_model === 'outcome') {
    refuse(yes('caps_expose') || values.caps_concealment !== 'allowed');
  }
  const pairs = values.bid_shorthand === 'none' ? [] : values.bid_shorthand.split(' ');
  const read = pairs.map((pair) => pair.split('=').map(Number));
  refuse(new Set(read.map(([said]) => said)).size !== read.length);
  refuse(read.some(([said, meant]) => said >= least || meant < least || meant > most));
}

// All parameters of an agreement, and its full text.
export function agreement(text) {
  const { order, profiles, settable, rules, forbidden } = tables();
  if ([...text].length > LONGEST) fail('agreement');
  const [name, ...parts] = text.split(';').map((part) => part.trim());
  if (!(name in profiles)) fail('agreement');
  const toggles = new Set();
  const singles = new Map();
  for (const part of parts) {
    if (part.startsWith('+')) {
      if (toggles.has(part.slice(1)) || !rules.has(part.slice(1))) fail('agreement');
      toggles.add(part.slice(1));
      continue;
    }
    const at = part.indexOf('=');
    const key = part.slice(0, at).trim();
    if (at < 0 || singles.has(key) || !settable.has(key)) fail('agreement');
    singles.set(key, part.slice(at + 1).trim());
  }
  const chosen = [...rules.keys()].filter((rule) => toggles.has(rule));
  const plain = { ...profiles[name] };
  for (const rule of chosen) for (const [key, value] of rules.get(rule)) plain[key] = value;
  const set = new Set(chosen.flatMap((rule) => rules.get(rule).map(([key]) => key)));
  const values = { ...plain };
  for (const [key, said] of singles) {
    if (set.has(key)) fail('agreement');
    values[key] = checked(key, said);
  }
  consistent(values);
  for (const rule of forbidden[name] ?? []) {
    if (rules.get(rule).every(([key, value]) => values[key] === value)) fail('agreement');
  }
  if (![...set, ...singles.keys()].every((key) => arises(key, values))) fail('agreement');
  const differing = [...settable.keys()].filter((key) => values[key] !== plain[key]);
  const head = [name, ...chosen.map((rule) => `+${rule}`), ...differing.map((key) => `${key} = ${values[key]}`)];
  const rows = order.map((key) => `${key} = ${arises(key, values) ? values[key] : 'n/a'}`);
  return { values, full: [head.join('; '), ...rows].join('\n') };
}

// Whether this is the full text of the agreement that its first line names.
export function isFull(text) {
  try {
    return agreement(text.split('\n')[0]).full === text;
  } catch {
    return false;
  }
}

// --- actions --------------------------------------------------------------------------------------

const N = '(?:0|[1-9][0-9]{0,3})';
const C = '[2-9TJQKA][SHDC]';
const PAIRS = `(?: ${N}=${C})`;
const ACTIONS = [
  ['Cut', `cut ${N}`], ['PlaceBid', `bid (?:${N}|half_court|pcc)`], ['Pass', 'pass'],
  ['AskPartner', 'ask'], ['DemandRedeal', `redeal${PAIRS}*`], ['LayIndicator', `indicator ${N}`],
  ['SortHand', 'sort'], ['OpenTrump', `open ${C}`], ['KeepClosed', 'closed'],
  ['PlayCard', `play ${N}=${C}(?: all-trumps)?`], ['PlayDown', `down ${N}`], ['AnnounceNone', 'none'],
  ['AnnounceCut', `trump${PAIRS}+`], ['ShowIndicator', `show-indicator ${C}`], ['Ready', 'ready'],
  ['ShowCard', `show ${N}=${C}`], ['CallCaps', `caps${PAIRS}*`], ['AcceptCaps', 'accept'],
  ['ContestCaps', 'contest'], ['CallSpoilt', 'spoilt'], ['DenyTrump', 'no-trump'],
  ['ShowTrump', `one-trump ${N}=${C}`], ['OpenCards', `count${PAIRS}+`],
  ['OpenHandedOver', `count-for${PAIRS}+`],
];

export function actionKind(text) {
  const found = ACTIONS.find(([, form]) => new RegExp(`^${form}$`).test(text));
  return found && !text.includes('\n') ? found[0] : fail('action.notation');
}
