import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkInFleet, type Checked } from './check-fleet.ts';
import { startCountingServer } from './counting-process.ts';
import { fleetCellOf, fleetControls } from './controls.ts';
import { fleetMatrix, nameOfFleetCell } from './fleet-cells.ts';

// A few of the cells; `npm run crash-matrix` runs all of them, and the controls.
const chosen = [
  'write: one of several workers is frozen before-settle-call-commit',
  'task: one of several workers is frozen after-keep-task-commit',
  'write: one of several workers is frozen after-finish-turn-commit',
  'write: one of several workers is killed during-tool-call',
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

test('there is a control for each fault and for each disturbance', () => {
  const controlled = fleetControls.map((control) => fleetCellOf(control));
  expect(new Set(controlled.map(({ fault }) => fault))).toEqual(
    new Set(fleetMatrix.map(({ fault }) => fault)),
  );
  expect(new Set(controlled.map(({ conditions }) => conditions))).toEqual(
    new Set(fleetMatrix.map(({ conditions }) => conditions)),
  );
});
