import { parseArgs } from 'node:util';
import { startChosenEngines } from '../support/chosen-engines.ts';
import { checkInFleet, lanesOf } from './check-fleet.ts';
import { startCountingServer } from './counting-process.ts';
import {
  cellOf,
  controls,
  didHarm,
  fleetCellOf,
  fleetControls,
  nameOfControl,
} from './controls.ts';
import type { Control } from './controls.ts';
import { fleetMatrix, nameOfFleetCell } from './fleet-cells.ts';
import { matrix, nameOf } from './matrix.ts';
import { problemsOf } from './problems-of.ts';
import { runCell } from './run-cell.ts';

// npm run crash-matrix: every point at which a process may be killed × every kind of call. No run is lost, no side effect is repeated, and a person is asked only where the outcome
// of the call is unknown. First with one process that is started again, then with an API process and several workers, of which one or all are killed or frozen. The controls follow:
// cells that must fail with a guard switched off. `--store postgres` and `--queue bullmq-redis` or `bullmq-postgres` choose the engines of every service. `--only=TEXT` runs the cells whose name contains the text, and can be repeated; `--only=control:` runs only the controls. `--jobs=N` runs N cells at once.
const args = process.argv.slice(2);
const engines = await startChosenEngines(args);
Object.assign(process.env, engines.env);
const { values } = parseArgs({
  args,
  options: { only: { type: 'string', multiple: true }, jobs: { type: 'string', default: '2' } },
});
const { only } = values;
const isChosen = (name: string): boolean =>
  only === undefined || only.some((text) => name.includes(text));
const server = await startCountingServer();
const serverUrl = server.url;
let [passed, failed, slowestMs] = [0, 0, 0];

function report(name: string, isRight: boolean, details: string): void {
  if (isRight) passed += 1;
  else failed += 1;
  process.stdout.write(
    `${isRight ? 'ok  ' : 'FAIL'} ${name}${details === '' ? '' : `: ${details}`}\n`,
  );
}

const oneProcess = matrix
  .filter((cell) => isChosen(nameOf(cell)))
  .map((cell) => async (): Promise<void> => {
    const problems = await runCell(cell, { serverUrl }).then(
      (result) => {
        slowestMs = Math.max(slowestMs, result.recoveryMs);
        return problemsOf(cell, result);
      },
      (error: unknown) => [String(error)],
    );
    report(nameOf(cell), problems.length === 0, problems.join('; '));
  });

const severalProcesses = lanesOf(fleetMatrix.filter((cell) => isChosen(nameOfFleetCell(cell)))).map(
  (lane) => async (): Promise<void> => {
    await checkInFleet(lane, {
      serverUrl,
      onChecked({ cell, problems, result }) {
        slowestMs = Math.max(slowestMs, result?.recoveryMs ?? 0);
        report(nameOfFleetCell(cell), problems.length === 0, problems.join('; '));
      },
    }).catch((error: unknown) => report('a group of cells', false, String(error)));
  },
);

const problemsWithout = async (control: Control): Promise<readonly string[]> =>
  runCell(cellOf(control, matrix), { serverUrl, guardOff: control.guard }).then(
    (result) => problemsOf(cellOf(control, matrix), result),
    (error: unknown) => [String(error)],
  );

const checks = [
  ...controls.map((control) => ({ control, check: () => problemsWithout(control) })),
  ...fleetControls.map((control) => ({
    control,
    check: async () => {
      const { guard: guardOff, tries = 1 } = control;
      const checked = await checkInFleet(
        Array.from({ length: tries }, () => fleetCellOf(control)),
        { serverUrl, guardOff, isEnough: (problems) => didHarm(control, problems) },
      );
      return checked.flatMap(({ problems }) => problems);
    },
  })),
]
  .filter(({ control }) => isChosen(nameOfControl(control)))
  .map(({ control, check }) => async (): Promise<void> => {
    const problems = await check();
    const details = problems.join('; ') || 'no problem';
    report(nameOfControl(control), didHarm(control, problems), details);
  });

const waiting = [...oneProcess, ...severalProcesses, ...checks];
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
await server.stop();
await engines.stop();
process.stdout.write(
  `slowest recovery ${(slowestMs / 1000).toFixed(1)} s, including the start of the process\n${passed} passed, ${failed} failed\n`,
);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
