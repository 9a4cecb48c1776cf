import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCountingServer } from './counting-process.ts';
import { matrix, nameOf } from './matrix.ts';
import { problemsOf } from './problems-of.ts';
import { runCell } from './run-cell.ts';

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

test.each(matrix.filter((cell) => chosen.includes(nameOf(cell))).map((cell) => ({ name: nameOf(cell), cell })))('$name: no run is lost, and nothing is done twice', async ({ cell }) => {
  expect(problemsOf(cell, await runCell(cell, { serverUrl: server.url }))).toEqual([]);
});

test('the chosen cells are there', () => {
  expect(matrix.map(nameOf)).toEqual(expect.arrayContaining(chosen));
});
