import { parseArgs } from 'node:util';
import { startCountingServer } from './counting-process.ts';
import { matrix, nameOf, type Cell } from './matrix.ts';
import { problemsOf } from './problems-of.ts';
import { runCell } from './run-cell.ts';

// Every place at which a process may die × every kind of call: no run is lost, no side effect is repeated, and a person is asked exactly where it cannot be
// known whether there was one. Then, as a control, the same without the rule of the ledger, which must repeat side effects.
const { values } = parseArgs({ options: { only: { type: 'string' }, jobs: { type: 'string', default: '2' } } });
const cells = matrix.filter((cell) => values.only === undefined || nameOf(cell).includes(values.only));
const server = await startCountingServer();
let [passed, failed, slowestMs] = [0, 0, 0];

async function check(cell: Cell): Promise<void> {
  const problems = await runCell(cell, { serverUrl: server.url }).then(
    (result) => {
      slowestMs = Math.max(slowestMs, result.recoveryMs);
      return problemsOf(cell, result);
    },
    (error: unknown) => [String(error)],
  );
  if (problems.length === 0) passed += 1;
  else failed += 1;
  process.stdout.write(problems.length === 0 ? `ok   ${nameOf(cell)}\n` : `FAIL ${nameOf(cell)}: ${problems.join('; ')}\n`);
}

/** A side effect that nobody knows of is repeated without the guard, except where the server still knows the result under the idempotency key. */
async function control(cell: Cell): Promise<void> {
  const { effects } = await runCell(cell, { serverUrl: server.url, isUnguarded: true });
  const isRepeated = effects > 1;
  if (isRepeated) passed += 1;
  else failed += 1;
  process.stdout.write(`${isRepeated ? 'ok   control' : 'FAIL control'}: without the rule of the ledger, ${nameOf(cell)}: ${effects} effects\n`);
}

const waiting = [...cells];
const work = async (): Promise<void> => {
  for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) await check(cell);
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
const harmful = cells.filter(({ kind, killing }) => kind === 'write' && ['during-tool-call', 'after-effect'].includes(killing.at));
for (const cell of harmful) await control(cell);
await server.stop();
process.stdout.write(`slowest recovery ${(slowestMs / 1000).toFixed(1)} s, start of the process included\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
