/**
 * Elements made from text alone: nothing that is shown is ever read as markup.
 * @module
 */

/** @param {string} name @param {object} [given] properties; `class` and `aria-*` are attributes @param {...(Node | string)} inside */
export function make(name, given = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key === 'class' || key === 'for' || key === 'role' || key === 'scope' || key.startsWith('aria-')) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...inside);
  return element;
}

const WRITTEN = 'article h3 h4 p dl dt dd div figure figcaption table caption thead tbody tr th td ol ul li'.split(' ');
const DRAWN = 'svg title desc line polyline text'.split(' ');
const GIVEN = /^(?:class|scope|role|viewBox|points|text-anchor|stroke-dasharray|[xy][12]?)$/;

/** An element that was sent as [name, attributes, ...inside]; what a page's articles have no need of is left out. @param {string | any[]} node */
export function grown(node) {
  if (typeof node === 'string') return node;
  const [name, attributes, ...inside] = node;
  const drawn = DRAWN.includes(name);
  if (!drawn && !WRITTEN.includes(name)) return '';
  const element = drawn ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (GIVEN.test(key)) element.setAttribute(key, value);
  element.append(...inside.map(grown));
  return element;
}

/** A sentence with what it is about. @param {string} text with {0}, {1} @param {...(string | number)} values */
export const filled = (text, ...values) => text.replace(/\{(\d)\}/g, (_, place) => String(values[place]));

/** @param {string} id the text of a block of data in the page */
export const block = (id) => document.getElementById(id).textContent;

/** @param {string} text base64 */
export function unpacked(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
