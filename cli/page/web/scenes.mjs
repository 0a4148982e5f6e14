/**
 * The hands that a page shows: the verifier's where it has judged them, else what the page's maker says.
 * @module
 */

const SILENT = /^(?:ready|sort)$/;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Whole scenes from their differences. @param {{now: object, all: object}[]} steps */
export function scenesOf(steps) {
  let now = {};
  let all = {};
  return steps.map((step) => {
    now = { ...now, ...step.now };
    all = { ...all, ...step.all };
    return { now, all };
  });
}

/** Words of the page's maker, step by step: what is told, and the rules of the moment. */
function wordsOf(words) {
  let moment = [];
  return words.map(([told, rules]) => ({ told, moment: (moment = rules ?? moment) }));
}

/**
 * A hand of a file as it is shown. What a verdict says of it counts, and of the page's own data only words are
 * taken; without a verdict, or where the game is unknown to the verifier, all of it are the maker's.
 * @param {object} told of the page's data @param {object | null} verdict on its file @param {number} at its place in the file
 */
export function shownHand(told, verdict, at) {
  const judged = Boolean(verdict?.known);
  const found = judged ? verdict.hands[at] : told;
  if (!found?.steps?.length) return null;
  const steps = judged ? found.steps : scenesOf(found.steps);
  const deeds = found.deeds.map((each) => (judged ? [each.seat, each.text] : each));
  const words = told && told.number === found.number ? wordsOf(told.words) : [];
  const { file, number } = told ?? {};
  return {
    file: file ?? null, number: judged ? found.number : number, dealer: found.dealer, before: found.before, after: found.after ?? [],
    endedBy: found.endedBy ?? [], ruled: found.ruled ?? false, unconfirmed: found.unconfirmed ?? [], void: found.void ?? null,
    judged, valid: judged && verdict.valid, over: judged && found.scores !== undefined,
    steps, deeds, words: words.length === steps.length || !judged ? words : [], marks: marksOf(steps),
  };
}

/** The hands of one file. @param {object[]} told of the page's data @param {object | null} verdict on the file */
export function shownHands(told, verdict) {
  const count = verdict?.known ? verdict.hands.length : told.length;
  return Array.from({ length: count }, (_, at) => shownHand(told[at] && { ...told[at] }, verdict, at)).filter(Boolean);
}

/** How a page stands while a hand is looked at: one that was not judged yet is none that is valid.
 * @param {object | undefined} hand @param {string[]} standing of all its files @returns {string[]} */
export const standingOf = (hand, standing) => (hand && !hand.judged && ['valid', 'open'].includes(standing[0]) ? ['waiting'] : standing);

/** The steps with which a trick was complete. @param {{now: object}[]} steps */
const marksOf = (steps) => steps.flatMap(({ now }, at) => (at && now.tricks > steps[at - 1].now.tricks ? [at] : []));

/** Whether a step shows nothing new, and nobody decided anything. @param {object} hand @param {number} step */
export function isSilent({ steps, deeds }, step) {
  const word = deeds[step - 1]?.[1].split(' ')[0] ?? '';
  return step > 0 && SILENT.test(word) && same(steps[step], steps[step - 1]);
}

/** The step at which the first cards are dealt. @param {object} hand */
export function firstCards({ steps }) {
  const found = steps.findIndex(({ now }) => Object.entries(now).some(([name, value]) => name.startsWith('cards ') && value.length));
  return Math.max(found, 0);
}

/** The trick that is played, or was completed last; 0 before the first card. @param {object} scene */
export const trickOf = ({ tricks, lying }) => (lying.some((each) => each[4]) || (!lying.length && !tricks) ? tricks : tricks + 1);

/**
 * What a seat saw, as far as it became public: its own cards from the end, all else as it was public then.
 * @param {{now: object, all: object}} step @param {number} seat
 */
export function seenBy({ now, all }, seat) {
  const own = Object.fromEntries([`cards ${seat}`, `beside ${seat}`].map((name) => [name, all[name]]));
  return { ...now, ...own, lying: now.lying.map((each, at) => (each[0] === seat ? all.lying[at] : each)) };
}

/** What was said in each auction, by seat: calls grow until another auction begins. @param {object} hand @param {number} seats */
export function auctionsOf({ steps }, seats) {
  const found = [];
  let last = Array.from({ length: seats }, () => []);
  const goesOn = (one, other) => other.length >= one.length && same(one.slice(0, -1), other.slice(0, one.length).slice(0, -1));
  for (const { now } of steps) {
    const calls = last.map((_, seat) => now[`calls ${seat}`]);
    if (!calls.every((each, seat) => goesOn(last[seat], each))) found.push(last);
    last = calls;
  }
  if (last.some((each) => each.length)) found.push(last);
  return found;
}

/** Of each trick what lay there, with all cards that became public. @param {object} hand */
export const tricksOf = ({ steps, marks }) => marks.map((mark) => steps[mark].all.last);

/** What is counted after each trick and at the end, where all of it are numbers: its word, whose they are, the rows. @param {object} hand */
export function countedOf({ steps, marks }) {
  if (!marks.length) return [];
  const ends = [...marks.map((mark) => steps[mark].all), steps.at(-1).all];
  return ends[0].counts.flatMap(([word, values]) => {
    const rows = ends.map(({ counts }) => (counts.find(([name]) => name === word)?.[1] ?? []).map(([, value]) => Number(value.split(' ')[0])));
    const sound = rows.every((row) => row.length === values.length && row.every(Number.isFinite));
    const steady = rows.slice(0, -1).every((row) => same(row, rows[0]));
    if (!sound || steady) return [];
    if (same(rows.at(-1), rows.at(-2))) rows.pop();
    return [{ word, sides: values.map(([side]) => side), rows: [values.map(() => 0), ...rows] }];
  });
}
