import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCountingServer } from './counting-process.ts';
import { cellOf, controls, didHarm, type Control } from './controls.ts';
import { matrix, nameOf, toolOf } from './matrix.ts';
import { problemsOf } from './problems-of.ts';
import { runCell, type CellOptions } from './run-cell.ts';

// A few of the cells; `npm run crash-matrix` runs all of them.
const chosen = [
  'write: the agent is killed before-settle-call-commit',
  'asking: the agent is killed after-ask-person-commit',
  'asking: the agent is killed after-resume-call-commit',
  'task: the agent is killed after-keep-task-commit',
  'task: the server is killed while-working',
];

let server: Awaited<ReturnType<typeof startCountingServer>>;
beforeAll(async () => {
  server = await startCountingServer();
});
afterAll(() => server.stop());

const options = (): CellOptions => ({ serverUrl: server.url, survivesInProcess: true });

test.each(
  matrix
    .filter((cell) => chosen.includes(nameOf(cell)))
    .map((cell) => ({ name: nameOf(cell), cell })),
)('$name: no run is lost, and nothing is done twice', async ({ cell }) => {
  expect(problemsOf(cell, await runCell(cell, options()))).toEqual([]);
});

test('the chosen cells exist', () => {
  expect(matrix.map(nameOf)).toEqual(expect.arrayContaining(chosen));
});

test('control: a service that does not start does not count as killed', async () => {
  const control: Control = { guard: 'start', cell: 'write: the agent is killed during-tool-call' };
  const cell = cellOf(control, matrix);
  const problems = problemsOf(cell, await runCell(cell, { ...options(), guardOff: control.guard }));
  expect(didHarm(control, problems), problems.join('; ')).toBe(true);
});

test('there is a control for each kind of call, each killed process, a crash during recovery and a cancelled run', () => {
  const cells = controls
    .filter(({ guard }) => guard !== 'start')
    .map((control) => cellOf(control, matrix));
  expect(new Set(cells.map(({ kind }) => kind))).toEqual(new Set(Object.keys(toolOf)));
  expect(new Set(cells.map(({ killing }) => killing.process))).toEqual(
    new Set(['agent', 'server']),
  );
  expect(cells.some(({ killing }) => 'firstAt' in killing)).toBe(true);
  expect(cells.some(({ cancels }) => cancels === true)).toBe(true);
});
