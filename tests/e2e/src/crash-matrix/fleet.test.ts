import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkInFleet, type Checked } from './check-fleet.ts';
import { startCountingServer } from './counting-process.ts';
import { didHarm, fleetCellOf, fleetControls } from './controls.ts';
import { fleetMatrix, nameOfFleetCell } from './fleet-cells.ts';

// A few of the cells; `npm run crash-matrix` runs all of them.
const chosen = [
  'write: one of several workers is frozen before-settle-call-commit',
  'write: one of several workers is killed during-tool-call',
  'task: both workers are killed after-keep-task-commit',
];
const cells = chosen.flatMap((name) =>
  fleetMatrix.filter((cell) => nameOfFleetCell(cell) === name),
);

let server: Awaited<ReturnType<typeof startCountingServer>>;
let checked: readonly Checked[];
beforeAll(async () => {
  server = await startCountingServer();
  // One fleet for all cells, because a worker takes long to start.
  checked = await checkInFleet(cells, { serverUrl: server.url });
});
afterAll(() => server.stop());

test.each(chosen.map((name) => ({ name })))(
  '$name: nothing is lost, done twice or stored late',
  ({ name }) => {
    const found = checked.find(({ cell }) => nameOfFleetCell(cell) === name);
    expect(found?.problems).toEqual([]);
  },
);

test('control: a frozen worker stores a late result without the fence of leases and owners', async () => {
  const [control] = fleetControls.filter(({ guard }) => guard === 'fence');
  if (control === undefined) throw new Error('there is no such control');
  const { guard: guardOff } = control;
  const failed = await checkInFleet([fleetCellOf(control)], { serverUrl: server.url, guardOff });
  const problems = failed.flatMap((each) => each.problems);
  expect(didHarm(control, problems), problems.join('; ')).toBe(true);
});

test('each control has a cell', () => {
  expect(fleetControls.map((control) => nameOfFleetCell(fleetCellOf(control)))).toHaveLength(
    fleetControls.length,
  );
});
