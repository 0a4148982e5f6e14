/**
 * Tournament 1, 2, 6 and 9: the text of a tournament, read line by line.
 * @module
 */
import { checkName } from '../messages/charter.mjs';
import { Check, fail, unhex } from '../suite/bytes.mjs';
import { draw, matchesOf } from './matches.mjs';

const LONGEST = 100_000;
const NUMBER = '[1-9][0-9]*';
const wrong = () => fail('tournament.text');

/** @param {string[]} lines @returns {object} the tournament, with all its facts */
export function readTournament(lines) {
  const text = lines.join('\n');
  if ([...text].length > LONGEST || !text.endsWith('\n')) wrong();
  const [head, system, ...rest] = text.slice(0, -1).split('\n');
  const opened = /^tournament [0-9a-z][0-9a-z-]{0,31} ([468])$/.exec(head) ?? wrong();
  const terms = systemOf(system ?? '');
  const entries = [];
  while (rest.length && rest[0].startsWith('entry ')) entries.push(entry(rest.shift(), Number(opened[1]) / 2));
  if (entries.length < 2 || entries.length > 32) wrong();
  unique(entries.map(([team]) => team));
  unique(entries.flatMap(([, ...players]) => players));
  if (!rest.length) return { entries: entries.length, terms, state: null };
  const luck = /^draw ((?:[0-9a-f]{2})+)$/.exec(rest.shift()) ?? wrong();
  const order = within(() => draw(entries.length, unhex(luck[1])));
  const state = matchesOf(terms, order);
  const facts = rest.map(factOf);
  const place = ({ number, departure, team }) => number * 100 + (departure ? team : 0); // 9.4
  facts.forEach((fact, i) => i && place(fact) <= place(facts[i - 1]) && wrong());
  within(() => state.tell(facts));
  return { entries: entries.length, terms, state };
}

function within(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Check) wrong();
    throw error;
  }
}

const unique = (names) => new Set(names).size === names.length || wrong();

const race = (text) => (/^[1-9][0-9]?$/.test(text) ? Number(text) : wrong());

/** The system that a line of 9.2 tells. @param {string} line */
export function systemOf(line) {
  const robin = /^round-robin (?:tokens|hands|matches) race ([0-9]+)$/.exec(line);
  if (robin) return { robin: true, race: race(robin[1]) };
  const found = /^elimination (?:tokens|hands|matches) races ((?:[0-9]+ ){1,5})third ([0-9]+|none)$/.exec(line) ?? wrong();
  const races = found[1].trim().split(' ').map(race);
  if (races.length > 1 && races.at(-1) === races.at(-2)) wrong();
  return { robin: false, races, third: found[2] === 'none' ? null : race(found[2]) };
}

function entry(line, players) {
  if (!/^entry(?: "[^"]*")+$/.test(line)) wrong();
  const names = [...line.matchAll(/"([^"]*)"/g)].map(([, name]) => name);
  if (names.length !== players + 1) wrong();
  for (const name of names) if (!checkName(name, 64)) wrong();
  return names;
}

function factOf(line) {
  const found = new RegExp(`^(${NUMBER}) (.+)$`).exec(line) ?? wrong();
  const number = Number(found[1]);
  const scores = /^(0|[1-9][0-9]*)-(0|[1-9][0-9]*)$/.exec(found[2]);
  if (scores) return { number, scores: [Number(scores[1]), Number(scores[2])] };
  const absent = new RegExp(`^absent (${NUMBER})(?: (${NUMBER}))?$`).exec(found[2]);
  if (absent) return { number, absent: absent.slice(1).filter(Boolean).map(Number) };
  const left = new RegExp(`^(withdrawn|disqualified) (${NUMBER})$`).exec(found[2]) ?? wrong();
  return { number, departure: true, reason: left[1], team: Number(left[2]) };
}
