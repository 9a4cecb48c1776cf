import { parseArgs } from 'node:util';
import { startCountingServer } from './counting-process.ts';
import { cellOf, controls, didHarm, nameOfControl, type Control } from './controls.ts';
import { matrix, nameOf, type Cell } from './matrix.ts';
import { problemsOf } from './problems-of.ts';
import { runCell } from './run-cell.ts';

// npm run crash-matrix: every point at which a process may be killed × every kind of call. No run is lost, no side effect is repeated, and a person is asked only where the outcome
// of the call is unknown. The controls follow: cells that must fail with a guard switched off. `--only=control:` runs only the controls.
const { values } = parseArgs({
  options: { only: { type: 'string' }, jobs: { type: 'string', default: '2' } },
});
const isChosen = (name: string): boolean => values.only === undefined || name.includes(values.only);
const cells = matrix.filter((cell) => isChosen(nameOf(cell)));
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
  process.stdout.write(
    problems.length === 0
      ? `ok   ${nameOf(cell)}\n`
      : `FAIL ${nameOf(cell)}: ${problems.join('; ')}\n`,
  );
}

async function checkControl(control: Control): Promise<void> {
  const cell = cellOf(control, matrix);
  const problems = await runCell(cell, { serverUrl: server.url, guardOff: control.guard }).then(
    (result) => problemsOf(cell, result),
    (error: unknown) => [String(error)],
  );
  const isHarmful = didHarm(control, problems);
  if (isHarmful) passed += 1;
  else failed += 1;
  process.stdout.write(
    `${isHarmful ? 'ok  ' : 'FAIL'} ${nameOfControl(control)}: ${problems.join('; ') || 'no problem'}\n`,
  );
}

const waiting = [...cells];
const work = async (): Promise<void> => {
  for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) await check(cell);
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
for (const control of controls) if (isChosen(nameOfControl(control))) await checkControl(control);
await server.stop();
process.stdout.write(
  `slowest recovery ${(slowestMs / 1000).toFixed(1)} s, including the start of the process\n${passed} passed, ${failed} failed\n`,
);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
