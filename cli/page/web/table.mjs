/**
 * A scene as a table: seats around it, their cards, the trick in the middle, each card from its seat.
 * It reads a scene as plain data, and the few words that it says are given to it: no rule and no sentence stands here.
 * @module
 */
import { cardDrawn } from './cards.mjs';
import { filled, make } from './dom.mjs';

const TALL = 90 / 64;
const [GAP, PLATE, CALLS] = [8, 34, 22]; // pixels

/** The cards of one block, row by row. @param {number} count @param {{width: number, step: number, per: number, lift: number}} size */
function blockOf(count, { width, step, per, lift }) {
  const rows = Math.ceil(count / per);
  const columns = Math.ceil(count / Math.max(rows, 1)); // rows of the same length
  return {
    wide: count ? width + (columns - 1) * step : 0, high: count ? width * TALL + (rows - 1) * lift : 0,
    at: (each) => [(each % columns) * step, Math.floor(each / columns) * lift],
  };
}

/** What a table measures: where its seats sit, and how large its cards are. @param {number} wide @param {number} high @param {number} seats @param {number} most cards that a seat holds @param {number} top height of what lies over it */
function measured(wide, high, seats, most, top) {
  const across = Math.min(wide, Math.max(360, high * 1.6));
  const upright = across < high * 1.15;
  const own = Math.min(across / (upright ? 6.2 : 8), high * (upright ? 0.145 : 0.17), 150);
  const many = seats > 4;
  const other = own * (many ? 0.62 : 0.7);
  const above = (upright ? top : 0) + PLATE + GAP + other * TALL;
  const below = high - own * TALL - 2 * GAP - PLATE;
  const [sideways, upwards] = many ? [1.7, 1.1] : [0.85, 0.55];
  const laid = Math.min(own * (many ? 0.75 : upright ? 0.88 : 0.95), (below - above - GAP) / (TALL + 2 * upwards));
  const spread = [laid * sideways, laid * upwards];
  const room = Math.max(other * 1.6, Math.min((across - 2 * spread[0] - laid) / 2 - 2 * GAP, other * 5));
  const step = Math.min(other * 0.46, 26);
  const per = Math.max(3, Math.floor((room - other) / step) + 1);
  const line = Math.max(3, Math.floor((across * (upright ? 0.85 : 0.5) - other) / step) + 1);
  const fan = most > 1 ? Math.min(own * 0.66, (across - 2 * GAP - own) / (most - 1)) : own;
  return { wide, high, left: (wide - across) / 2, across, upright, own, other, laid, spread, step, per, line, fan, top, centre: (above + below) / 2 };
}

export class TableDrawing {
  /** @param {HTMLElement} root is filled @param {object} words `holds`, `one_back`, `backs`, `nothing_left`, `face_down`, `card_name`, `ranks`, `suits`, `in_the_middle` */
  constructor(root, words) {
    this.root = root;
    this.words = words;
    this.cards = new Map(); // by what each is
    this.layer = make('div', { class: 'cards' });
    this.contract = make('ul', { class: 'contract' });
    this.counts = make('div', { class: 'counts' });
    this.over = make('div', { class: 'over' }, this.contract, this.counts);
    this.seats = make('div', { class: 'seats' });
    this.middle = make('section', { class: 'middle', 'aria-label': words.in_the_middle });
    root.classList.add('table');
    root.replaceChildren(this.over, this.layer, this.seats, this.middle);
    new ResizeObserver(() => this.shown && this.draw(...this.shown)).observe(root);
  }

  /**
   * @param {object} scene as plain data @param {[string, string][]} seats places and names
   * @param {{near?: number, lit?: number | null, lines?: string[]}} [how] who sits nearest, whose turn it is, what stands in the middle instead of cards
   */
  draw(scene, seats, { near = 0, lit = null, lines = null } = {}) {
    this.shown = [scene, seats, { near, lit, lines }];
    const { clientWidth, clientHeight } = this.root;
    if (!clientWidth) return;
    this.drawOver(scene);
    const held = seats.map((_, seat) => scene[`cards ${seat}`]);
    const most = Math.max(...held.map((cards) => cards.length));
    const size = measured(clientWidth, clientHeight, seats.length, most, this.over.offsetHeight);
    this.old = this.cards;
    this.cards = new Map();
    const boxes = seats.map((seat, number) => this.drawSeat(scene, number, seat, size, { turn: (number - near + seats.length) % seats.length, of: seats.length, lit: number === lit }));
    this.seats.replaceChildren(...boxes.map(({ box }) => box));
    this.drawMiddle(scene, seats, size, { boxes, lines, near });
    for (const element of this.old.values()) element.remove();
  }

  drawOver({ contract, counts }) {
    this.contract.replaceChildren(...contract.map((text) => make('li', {}, text)));
    const rows = counts.map(([word, values]) => make('dl', {}, make('dt', {}, word), ...values.map(([side, value]) => {
      const [number, ...note] = value.split(' (');
      return make('dd', {}, make('i', {}, side), ` ${number}`, ...note.map((text) => make('i', { class: 'note' }, ` (${text}`)));
    })));
    this.counts.replaceChildren(...rows);
  }

  /** Puts a card where it lies; one that lay elsewhere moves there. */
  put(key, name, x, y, width, { from = null, look = '' } = {}) {
    let element = this.old.get(key);
    const fresh = !element;
    if (fresh) {
      element = cardDrawn(name);
      this.layer.append(element);
    }
    this.old.delete(key);
    this.cards.set(key, element);
    element.setAttribute('class', `card ${look}`);
    const { style } = element;
    style.zIndex = String(this.cards.size);
    style.width = `${width}px`;
    style.height = `${width * TALL}px`;
    style.transform = `translate(${x}px, ${y}px)`;
    if (fresh && from && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      element.animate([{ transform: `translate(${from[0]}px, ${from[1]}px)` }, { transform: style.transform }], { duration: 260, easing: 'ease-out' });
    }
  }

  drawSeat(scene, seat, [place, name], size, { turn, of, lit }) {
    const at = (what) => scene[`${what} ${seat}`];
    const held = at('cards');
    const beside = at('beside');
    const near = turn === 0;
    const width = near ? size.own : size.other;
    const far = turn * 2 === of;
    const per = near ? 99 : far ? size.line : size.per;
    const block = blockOf(held.length, { width, step: near ? size.fan : size.step, per, lift: width * 0.62 });
    const wide = block.wide + (beside ? width + GAP : 0);
    const high = Math.max(block.high, beside ? width * TALL : 0);
    const half = size.left + size.across / 2;
    const right = turn * 2 < of;
    let [x, y] = [half - wide / 2, size.high - high - GAP];
    if (far) y = (size.upright ? size.top : 0) + PLATE + GAP;
    else if (!near) {
      const rows = of / 2 - 1;
      const row = right ? rows - turn : turn - of / 2 - 1;
      const [above, below] = [size.upright && of === 4 ? size.top + PLATE + size.other * TALL : size.top, size.high - (of > 6 ? 0 : size.own * TALL) - GAP];
      y = Math.max(above + ((row + 0.5) * (below - above)) / rows - (high - PLATE + CALLS / 2) / 2, above + PLATE + GAP);
      x = right ? size.left + size.across - GAP - wide : size.left + GAP;
    }
    held.forEach((card, each) => {
      const [dx, dy] = block.at(each);
      this.put(card ?? `${seat}/${each}`, card, x + dx, y + dy, width, { look: near ? 'own' : '' });
    });
    if (beside) this.put(beside[1] ?? `${seat}/beside`, beside[1], x + wide - width, y, width, { look: 'beside' });
    const title = make('h2', {}, make('bdi', {}, name), make('small', {}, [place, ...at('roles')].join(' · ')));
    const said = scene.middle.length ? at('calls') : [];
    const calls = make('p', { class: at('leading') ? 'calls leading' : 'calls' }, ...said.slice(near || far ? -3 : of > 4 ? -1 : -2).map((each) => make('span', {}, each)));
    const side = near || far ? 'mid' : right ? 'right' : 'left';
    const box = make('section', { class: `seat ${side} ${near ? 'near' : ''} ${lit ? 'lit' : ''}`, 'aria-label': `${place}: ${name}` }, title, calls, this.heldText(held, beside));
    const edge = side === 'mid' ? half : right ? size.left + size.across - GAP : size.left + GAP;
    box.style.transform = `translate(${edge}px, ${y - PLATE - (near ? 4 : 2)}px)`;
    box.style.setProperty('--below', `${near ? -CALLS - 4 : PLATE + high + 4}px`);
    box.style.setProperty('--wide', `${side === 'mid' ? Math.min(size.across * 0.4, 240) : Math.max((size.across - 2 * size.spread[0] - size.laid) / 2 - 2 * GAP, size.across * 0.28)}px`);
    return { box, centre: [x + wide / 2 - width / 2, y] };
  }

  heldText(held, beside) {
    const { words } = this;
    const backs = held.filter((each) => each === null).length;
    const said = held.filter((each) => each !== null).map((each) => this.named(each));
    if (backs) said.push(backs === 1 ? words.one_back : filled(words.backs, backs));
    if (!said.length) said.push(words.nothing_left);
    if (beside) said.push(`${beside[0]}: ${beside[1] ? this.named(beside[1]) : words.unseen}`);
    return make('p', { class: 'hidden' }, `${words.holds}: ${said.join(', ')}`);
  }

  named([rank, suit]) {
    return filled(this.words.card_name, this.words.ranks[rank], this.words.suits[suit]);
  }

  drawMiddle(scene, seats, size, { boxes, lines, near }) {
    const { words } = this;
    const half = size.left + size.across / 2;
    const { centre } = size;
    const text = lines ?? scene.middle;
    this.middle.className = lines ? 'middle panel' : 'middle';
    this.middle.replaceChildren(...text.map((line) => make('p', {}, line)));
    this.middle.style.transform = `translate(${half}px, ${centre}px) translate(-50%, -50%)`;
    const said = scene.lying.map(([seat, card, down, note]) => [seats[seat][0], card ? this.named(card) : words.unseen, down ? words.face_down : '', note].filter(Boolean).join(', '));
    if (said.length) this.middle.append(make('p', { class: 'hidden' }, said.join('; ')));
    if (lines) return;
    for (const [seat, card, down, note, wins] of scene.lying) {
      const angle = (2 * Math.PI * (seat - near)) / seats.length;
      const x = half + size.spread[0] * Math.sin(angle) - size.laid / 2;
      const y = centre + size.spread[1] * Math.cos(angle) - (size.laid * TALL) / 2;
      this.put(card ?? `${seat}/lies`, card, x, y, size.laid, { from: boxes[seat].centre, look: `${down || note === 'down' ? 'down' : ''} ${wins ? 'wins' : ''} laid` });
    }
  }
}
