/**
 * The steps of a hand: whole scenes from their differences, and whether a verdict bears them out.
 * @module
 */

/** The scenes of a hand, with what was public then and with all cards. @param {{now: object, all: object}[]} steps */
export function scenesOf(steps) {
  let now = {};
  let all = {};
  return steps.map((step) => {
    now = { ...now, ...step.now };
    all = { ...all, ...step.all };
    return { now, all, told: step.told, retold: step.retold ?? step.told };
  });
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
