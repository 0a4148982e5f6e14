/**
 * The steps of a hand: whole scenes from their differences, and whether a verdict bears them out.
 * @module
 */

/** The scenes of a hand, with what was public then and with all cards; `silent` ones tell and show nothing new. @param {{now: object, all: object}[]} steps */
export function scenesOf(steps) {
  let now = {};
  let all = {};
  return steps.map((step) => {
    now = { ...now, ...step.now };
    all = { ...all, ...step.all };
    const silent = !step.told.join('').trim() && Object.keys(step.now).every((name) => name === 'moment');
    return { now, all, told: step.told, retold: step.retold ?? step.told, silent };
  });
}

/**
 * What a seat saw, as far as it became public: its own cards from the end, all else as it was public then.
 * @param {{now: object, all: object}} step @param {number} seat
 */
export function seenBy({ now, all }, seat) {
  const own = Object.fromEntries([`cards ${seat}`, `beside ${seat}`].map((name) => [name, all[name]]));
  return { ...now, ...own, lying: now.lying.map((each, at) => (each[0] === seat ? all.lying[at] : each)) };
}

/** The open cards of a scene. @param {object} scene @returns {string[]} */
export function cardsOf(scene) {
  const found = scene.lying.map(([, card]) => card);
  for (const [name, value] of Object.entries(scene)) {
    if (name.startsWith('cards ')) found.push(...value);
    else if (name.startsWith('beside ') && value) found.push(value[1]);
  }
  return found.filter((card) => card !== null);
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Whether a name is shown as it is: what may not be shown stands as a sign, and a long one ends with dots. */
function isShown(shown, name) {
  const [signs, letters] = [shown, name.normalize('NFC')].map((text) => [...text]);
  const cut = signs.at(-1) === '…' && letters.length >= signs.length;
  if (cut) signs.pop();
  return (cut || signs.length === letters.length) && signs.every((sign, at) => sign === letters[at] || sign === '\ufffd');
}

/** Whether charter and players of a page are others than those of a verified file: a name among the words, or null.
 * @param {{charter: string, seats: [string, string, boolean][]}} told @param {{fingerprint: string, seats: {nickname: string}[]}} found */
export function strangers({ charter, seats }, found) {
  const known = seats.length === found.seats.length && seats.every(([, name], seat) => isShown(name, found.seats[seat].nickname));
  return known && charter === found.fingerprint ? null : ['differs_players'];
}

/**
 * The first thing in which a page's hands are not those of a verified file, or null.
 * @param {object[]} told of the page @param {object[]} found of the verdict
 * @returns {[string, ...number[]] | null} its name among the words, and where it is
 */
export function disagreement(told, found) {
  if (told.length !== found.length) return ['differs_hands'];
  for (const [at, hand] of told.entries()) {
    const { number, dealer, before, deeds, scores, open } = found[at];
    const name = hand.number + 1;
    if (number !== hand.number || dealer !== hand.dealer || !same(before, hand.before)) return ['differs_hands'];
    const steps = Math.max(hand.deeds.length, deeds.length);
    for (let step = 0; step < steps; step++) {
      const deed = deeds[step];
      if (!deed || !same(hand.deeds[step], [deed.seat, deed.text])) return ['differs_deed', name, step + 1];
    }
    const scenes = scenesOf(hand.steps);
    for (const [step, { now, all }] of scenes.entries()) {
      const known = step === 0 ? [] : (deeds[step - 1]?.open ?? open);
      const shown = [...cardsOf(now).map((card) => known.includes(card)), ...cardsOf(all).map((card) => open.includes(card))];
      if (shown.includes(false)) return ['differs_card', name, step];
    }
    if (!same(hand.changes, scores)) return ['differs_result', name];
  }
  return null;
}
