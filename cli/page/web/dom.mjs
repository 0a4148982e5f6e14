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
