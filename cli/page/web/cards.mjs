/**
 * The faces of cards as drawings: one sprite with a symbol for each of the 52, made as they are shown, and the back.
 * @module
 */
const SVG = 'http://www.w3.org/2000/svg';
const SUITS = {
  S: 'M16 2S3 12.5 3 20.4a6.4 6.4 0 0 0 11.3 4.2C14 27.7 12.5 30 9.8 30.5h12.4C19.5 30 18 27.7 17.7 24.6A6.4 6.4 0 0 0 29 20.4C29 12.5 16 2 16 2z',
  H: 'M16 29.5S2.5 19.5 2.5 10.8A7.1 7.1 0 0 1 16 7.7a7.1 7.1 0 0 1 13.5 3.1C29.5 19.5 16 29.5 16 29.5z',
  D: 'M16 1.5c3 5.5 7.2 10.3 11.3 14.5C23.2 20.2 19 25 16 30.5 13 25 8.8 20.2 4.7 16 8.8 11.8 13 7 16 1.5z',
  C: 'M16 2a6.7 6.7 0 0 0-5.7 10.2A6.7 6.7 0 1 0 14.4 23c-.2 3.5-1.6 6.5-4.4 7.5h12c-2.8-1-4.2-4-4.4-7.5a6.7 6.7 0 1 0 4.1-10.8A6.7 6.7 0 0 0 16 2z',
};
const CROWNS = {
  K: 'M2 18V5l6 6 6-9 6 9 6-6v13z',
  Q: 'M2 18 4 6l5 6 5-8 5 8 5-6 2 12zM14 1a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z',
  J: 'M3 18c0-7 5-10 11-10s11 3 11 10zM17 9c1-5 5-7 9-7-1 4-3 7-7 8z',
};
const [LEFT, MID, RIGHT] = [25, 32, 39];
const [TOP, BOTTOM] = [18, 72];
const ends = [[LEFT, TOP], [RIGHT, TOP], [LEFT, BOTTOM], [RIGHT, BOTTOM]];
const sides = [...ends, [LEFT, 45], [RIGHT, 45]];
const fours = [...ends, [LEFT, 36], [RIGHT, 36], [LEFT, 54], [RIGHT, 54]];
const PIPS = {
  2: [[MID, TOP], [MID, BOTTOM]], 3: [[MID, TOP], [MID, 45], [MID, BOTTOM]], 4: ends, 5: [...ends, [MID, 45]], 6: sides,
  7: [...sides, [MID, 31.5]], 8: [...sides, [MID, 31.5], [MID, 58.5]], 9: [...fours, [MID, 45]], T: [...fours, [MID, 27], [MID, 63]],
};

/** An element of a drawing. @param {string} name @param {object} [attributes] @param {...(Node | string)} inside */
export function drawn(name, attributes = {}, ...inside) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

const pip = (suit, x, y, size, over = y > 45) => drawn('use', {
  href: `#suit-${suit}`, x: x - size / 2, y: y - size / 2, width: size, height: size, ...(over ? { transform: `rotate(180 ${x} ${y})` } : {}),
});
const turned = (...inside) => drawn('g', { transform: 'rotate(180 32 45)' }, ...inside);

function faceOf([rank, suit]) {
  const index = () => [
    drawn('text', { x: 10.5, y: 19, 'text-anchor': 'middle', class: 'rank', ...(rank === 'T' ? { textLength: 17, lengthAdjust: 'spacingAndGlyphs' } : {}) }, rank === 'T' ? '10' : rank),
    pip(suit, 10.5, 29, 14, false),
  ];
  const parts = [drawn('rect', { x: 0.5, y: 0.5, width: 63, height: 89, rx: 6, class: 'face' }), ...index(), turned(...index())];
  if (rank === 'A') parts.push(pip(suit, MID, 45, 30, false));
  else if (PIPS[rank]) parts.push(...PIPS[rank].map(([x, y]) => pip(suit, x, y, 11.5)));
  else {
    const half = () => [drawn('path', { d: CROWNS[rank], class: 'crown', transform: 'translate(22.2 15) scale(.7)' }), pip(suit, MID, 36.5, 16, false)];
    parts.push(drawn('rect', { x: 20, y: 11, width: 24, height: 68, rx: 3, class: 'court' }), ...half(), turned(...half()));
  }
  return drawn('symbol', { id: `card-${rank}${suit}`, viewBox: '0 0 64 90', class: `suit-${suit}` }, ...parts);
}

function backOf() {
  const line = (d) => drawn('path', { d, class: 'weave' });
  const weave = drawn('pattern', { id: 'weave', width: 8, height: 8, patternUnits: 'userSpaceOnUse' }, line('M0 0 8 8M8 0 0 8'));
  const rect = (at, look) => drawn('rect', { x: at, y: at, width: 64 - 2 * at, height: 90 - 2 * at, rx: 6 - at / 2, ...look });
  return [weave, drawn('symbol', { id: 'card-back', viewBox: '0 0 64 90' },
    rect(0.5, { class: 'face' }), rect(4, { class: 'back' }), rect(4, { fill: 'url(#weave)' }))];
}

let sprite = null;
const made = new Set();

/** A card as an element. @param {string | null} name rank and suit as two letters, null for a back */
export function cardDrawn(name) {
  if (!sprite) {
    const suits = Object.entries(SUITS).map(([suit, d]) => drawn('symbol', { id: `suit-${suit}`, viewBox: '0 0 32 32' }, drawn('path', { d })));
    sprite = drawn('svg', { class: 'sprite', 'aria-hidden': 'true' }, ...suits, ...backOf());
    document.body.append(sprite);
  }
  if (name !== null && !made.has(name)) {
    made.add(name);
    sprite.append(faceOf(name));
  }
  return drawn('svg', { class: 'card', viewBox: '0 0 64 90', 'aria-hidden': 'true' }, drawn('use', { href: `#card-${name ?? 'back'}` }));
}
