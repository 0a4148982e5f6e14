/**
 * Reads the tables of agreements out of the page specs/rules.md and writes them as tables.mjs.
 * @module
 */

// The rows of the table that begins with a column.
function table(page, column) {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${column} |`));
  const rows = [];
  for (let at = start + 2; lines[at].startsWith('|'); at++) {
    rows.push(lines[at].slice(2).replace(/ ?\|$/, '').split(' | ').map((cell) => cell.trim()));
  }
  return { head: lines[start].slice(2, -2).split(' | '), rows };
}

const bare = (cell) => cell.replaceAll('`', '');

/** @param {string} page the text of specs/rules.md */
export function tablesOf(page) {
  const values = table(page, 'parameter | pagat');
  const names = values.head.slice(1, -1);
  const profiles = Object.fromEntries(names.map((name) => [name, {}]));
  for (const [parameter, ...cells] of values.rows) {
    names.forEach((name, i) => {
      profiles[name][bare(parameter)] = cells[i].replace(/ \(n\/a\)$/, '');
    });
  }
  for (const also of ['parameter | six24', 'parameter | tamil4']) {
    const more = table(page, also);
    for (const [at, name] of more.head.slice(1).entries()) {
      profiles[name] = { ...profiles.pagat };
      for (const [parameter, ...cells] of more.rows) profiles[name][bare(parameter)] = cells[at].replace(/ \(n\/a\)$/, '');
    }
  }
  const ranks = Object.fromEntries(Object.values(profiles).map((each) => [each.deck, each.rank_points]));
  const settable = {};
  const needs = {};
  for (const [parameter, to, when] of table(page, 'parameter | to').rows) {
    settable[bare(parameter)] = bare(to);
    if (when) needs[bare(parameter)] = when;
  }
  for (const [parameter, when] of table(page, 'parameter | arises with').rows) needs[bare(parameter)] = when;
  const rules = {};
  for (const [rule, sets] of table(page, 'house rule').rows) {
    const pairs = [...sets.matchAll(/`([a-z0-9_]+) = ([^`]*)`/g)];
    rules[bare(rule)] = pairs.map(([, name, value]) => [name, value]);
  }
  const forbidden = {};
  for (const [, name, list] of page.matchAll(/^`([a-z0-9_-]+)` forbids what these set: (.*)\.$/gm)) {
    forbidden[name] = list.split(', ');
  }
  const [, left] = /^Lines of a full agreement that go without saying, [^:]*: (.*)\.$/m.exec(page);
  const pairs = [...left.matchAll(/`([a-z0-9_]+) = ([^`]*)`/g)];
  const unsaid = Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
  const order = values.rows.map(([name]) => bare(name));
  return { order, profiles, ranks, settable, needs, rules, forbidden, unsaid };
}

// One line for each member of an object.
const lines = (object) =>
  `{\n${Object.entries(object).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`).join('')}  }`;

/** The text of tables.mjs. @param {string} page */
export function moduleOf(page) {
  const { order, profiles, ranks, settable, needs, rules, forbidden, unsaid } = tablesOf(page);
  const names = Object.keys(profiles);
  const values = Object.fromEntries(order.map((each) => [each, names.map((name) => profiles[name][each])]));
  return `/**
 * Rules 14: the tables of agreements, written from specs/rules.md by "node node.mjs tables".
 * @module
 */
const NAMES = ${JSON.stringify(names)};
const VALUES = ${lines(values).replaceAll('\n  ', '\n')};

export const TABLES = {
  order: Object.keys(VALUES),
  profiles: Object.fromEntries(
    NAMES.map((name, at) => [
      name, Object.fromEntries(Object.entries(VALUES).map(([each, row]) => [each, row[at]])),
    ]),
  ),
  ranks: ${lines(ranks)},
  settable: ${lines(settable)},
  needs: ${lines(needs)},
  rules: ${lines(rules)},
  forbidden: ${lines(forbidden)},
  unsaid: ${lines(unsaid)},
};
`;
}
