/**
 * Reads the table of checks out of the page specs/06-files.md and writes it as checks.mjs.
 * @module
 */

/** The checks that audits make: name, kind, meaning. @param {string} page the text of specs/06-files.md */
export function checksOf(page) {
  const start = page.indexOf('| check | kind | stands for |');
  const rows = [];
  for (const line of page.slice(start).split('\n').slice(2)) {
    if (!line.startsWith('|')) break;
    const [name, kind, meaning, elsewhere] = line.split('|').slice(1, 5).map((cell) => cell.trim());
    if (!elsewhere) rows.push([name.replaceAll('`', ''), kind, meaning]);
  }
  return rows;
}

/** The text of checks.mjs. @param {string} page */
export function moduleOf(page) {
  const rows = checksOf(page).map((row) => `  ${JSON.stringify(row)},\n`).join('');
  return `/**
 * Specs 6.3: the checks that audits make, written from specs/06-files.md by "node node.mjs checks".
 * @module
 */
export const CHECKS = [
${rows}];
`;
}
