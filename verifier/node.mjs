/**
 * The command line, for Node: the only module that is not for a browser too.
 *
 *   node node.mjs                 answers the line protocol of specs/conformance.md
 *   node node.mjs check FILE...   audits saved hands
 *   node node.mjs tables PAGE     prints rules/tables.mjs from specs/rules.md
 *   node node.mjs checks PAGE     prints page/checks.mjs from specs/06-files.md
 * @module
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [command, ...files] = process.argv.slice(2);

const WRITERS = { tables: './rules/page.mjs', checks: './page/names.mjs' };

if (Object.hasOwn(WRITERS, command ?? '')) {
  const { moduleOf } = await import(WRITERS[command]);
  process.stdout.write(moduleOf(readFileSync(files[0], 'utf-8')));
} else if (command === 'check') {
  const { answer } = await import('./operations.mjs');
  for (const file of files) {
    let bytes;
    try {
      bytes = readFileSync(file);
    } catch (error) {
      console.error(`${JSON.stringify(file)} cannot be read: ${error.code}`);
      process.exitCode = process.exitCode || 2;
      continue;
    }
    const said = answer('transcript.audit', { transcript: bytes.toString('base64') });
    const convicts = typeof said.seat === 'number' ? `, which convicts seat ${said.seat + 1}` : '';
    console.log(`${JSON.stringify(file)}: ${said.output ? 'valid' : `${said.reject} fails${convicts}`}`);
    if (!said.output) process.exitCode = 1;
  }
} else {
  const { answer } = await import('./operations.mjs');
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, op, input } = JSON.parse(line);
    let said;
    try {
      said = answer(op, input);
    } catch (error) {
      console.error(error); // A fault of this program is no verdict.
      said = { defect: String(error) };
    }
    process.stdout.write(`${JSON.stringify({ id, ...said })}\n`);
  }
}
