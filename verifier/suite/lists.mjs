/**
 * Lists: whether two items are alike, an order, what items have in common.
 * @module
 */

/** Whether two are alike. @param {any[]} items */
export const twice = (items) => new Set(items).size !== items.length;

/** Items in the order of lists that tell of each. @param {any[]} items @param {(item: any) => any[]} telling */
export const sortedBy = (items, telling) => items.toSorted((one, other) => {
  const [a, b] = [telling(one), telling(other)];
  const at = a.findIndex((each, i) => each !== b[i]);
  return at < 0 ? 0 : a[at] < b[at] ? -1 : 1;
});

/** Items by what they have in common. @param {Iterable<any>} items @param {(item: any) => any} by @returns {Map<any, any[]>} */
export function grouped(items, by) {
  const found = new Map();
  for (const each of items) {
    const key = by(each);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(each);
  }
  return found;
}
