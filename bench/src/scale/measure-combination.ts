import { ECHO_SERVER } from '../agents/backend.ts';
import { startFakeModel } from '../agents/fake-model.ts';
import { median, type Figures } from '../figures.ts';
import type { Combination } from './combinations.ts';
import { Deployment, type Readings } from './deployment.ts';
import type { Engines } from './engines.ts';
import { percentile } from './percentile.ts';

/** Turns with one tool call that a run makes before its answer. */
export const TURNS = 10;

export interface Load {
  /** Runs at once before the measurement, and then runs one after the other. */
  readonly warmUp: number;
  readonly inSequence: number;
  readonly atOnce: number;
}

export const FULL_LOAD: Load = { warmUp: 40, inSequence: 30, atOnce: 100 };

/** Shows that everything works, and says little about the cost of code that is not compiled yet. */
export const QUICK_LOAD: Load = { warmUp: 20, inSequence: 3, atOnce: 50 };

/** Measures runs one after the other, then many at once. */
export async function measureCombination(
  engines: Engines,
  combination: Combination,
  { warmUp, inSequence, atOnce }: Load,
): Promise<Figures> {
  await using model = await startFakeModel({ turns: TURNS });
  await using service = await Deployment.start({
    engines,
    combination,
    modelUrl: model.url,
    serverArguments: [ECHO_SERVER],
  });
  const crowd = (runs: number): Promise<readonly string[]> =>
    Promise.all(Array.from({ length: runs }, () => service.run(TURNS)));
  await crowd(warmUp);
  for (let run = 0; run < 5; run += 1) await service.run(TURNS);
  const sequence = await during(service, async () => {
    const ids: string[] = [];
    for (let run = 0; run < inSequence; run += 1) ids.push(await service.run(TURNS));
    return ids;
  });
  const together = await during(service, () => crowd(atOnce));
  const turns = inSequence * TURNS;
  const turnsAtOnce = atOnce * TURNS;
  return {
    turnMs: sequence.elapsedMs / turns,
    ...perTurn(sequence.used, turns, 'Alone'),
    ...(await pickupFigures(service, sequence.ids, 'Alone')),
    runsPerSecond: (atOnce / together.elapsedMs) * 1000,
    turnsPerSecond: (turnsAtOnce / together.elapsedMs) * 1000,
    ...perTurn(together.used, turnsAtOnce, ''),
    ...(await pickupFigures(service, together.ids, '')),
    peakMb: service.peakMb,
  };
}

interface Measured {
  readonly ids: readonly string[];
  readonly elapsedMs: number;
  readonly used: Readings;
}

async function during(
  service: Deployment,
  work: () => Promise<readonly string[]>,
): Promise<Measured> {
  const before = await service.read();
  const begun = performance.now();
  const ids = await work();
  const elapsedMs = performance.now() - begun;
  const after = await service.read();
  const used = {
    apiMs: after.apiMs - before.apiMs,
    workersMs: after.workersMs - before.workersMs,
    clientMs: after.clientMs - before.clientMs,
    postgresMs: after.postgresMs - before.postgresMs,
    redisMs: after.redisMs - before.redisMs,
    commits: after.commits - before.commits,
    redisCommands: after.redisCommands - before.redisCommands,
  };
  return { ids, elapsedMs, used };
}

function perTurn(used: Readings, turns: number, suffix: string): Figures {
  const figures = {
    ...used,
    serviceMs: used.apiMs + used.workersMs,
    enginesMs: used.postgresMs + used.redisMs,
  };
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [`${name}${suffix}`, value / turns]),
  );
}

async function pickupFigures(
  service: Deployment,
  ids: readonly string[],
  suffix: string,
): Promise<Figures> {
  const waits: number[] = [];
  for (const id of ids) waits.push(...(await service.pickups(id)));
  return {
    [`pickup50${suffix}`]: median(waits),
    [`pickup99${suffix}`]: percentile(waits, 0.99),
  };
}
