/**
 * Reads the table of checks out of the page specs/06-files.md and writes it as checks.mjs.
 * @module
 */

/** The rows of a table of the page, as cells. @param {string} page @param {string} head how its first line begins */
function rowsOf(page, head) {
  const rows = [];
  for (const line of page.slice(page.indexOf(head)).split('\n').slice(2)) {
    if (!line.startsWith('|')) break;
    rows.push(line.split('|').slice(1, 5).map((cell) => cell.trim().replaceAll('`', '')));
  }
  return rows;
}

/** The checks that audits make: name, kind, meaning. @param {string} page the text of specs/06-files.md */
const checksOf = (page) =>
  rowsOf(page, '| check | kind | stands for |').filter((row) => !row[3]).map((row) => row.slice(0, 3));

/** What else evidence may convict of, or fail: name, meaning. @param {string} page */
const othersOf = (page) => [
  ...rowsOf(page, '| check | kind | stands for |').filter((row) => row[3]).map(([name, , meaning]) => [name, meaning]),
  ...rowsOf(page, '| name | of | stands for |').filter(([, of]) => of === 'evidence').map(([name, , meaning]) => [name, meaning]),
];

/** The text of checks.mjs. @param {string} page */
export function moduleOf(page) {
  const lines = (rows) => rows.map((row) => `  ${JSON.stringify(row)},\n`).join('');
  return `/**
 * Specs 6.3: the checks that audits make, written from specs/06-files.md by "node node.mjs checks".
 * @module
 */
export const CHECKS = [
${lines(checksOf(page))}];

/** What evidence may convict of besides, or fail. */
export const OTHERS = [
${lines(othersOf(page))}];
`;
}
