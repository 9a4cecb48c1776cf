import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../agent/service.ts';
import type { Figures } from '../figures.ts';
import { cpuMsOfTree } from '../process-readings.ts';
import { TURNS, type Backend, type RunningBackend } from './backend.ts';
import { startFakeModel } from './fake-model.ts';

export interface Load {
  /** Runs before the measurement, one after the other. */
  readonly warmUp: number;
  readonly inSequence: number;
  readonly atOnce: number;
}

/** Measures the CPU time of a turn: of the backend and its children, without the model. */
export async function measureTurns(
  backend: Backend,
  { warmUp, inSequence, atOnce }: Load,
): Promise<Figures> {
  await using folder = await temporaryFolder();
  await using model = await startFakeModel({ turns: TURNS });
  const running = await backend.start({ folder: folder.path, modelUrl: model.url });
  try {
    await runEach(running, 'warm-up', warmUp);
    const sequenceMs = await cpuMsDuring(running, () =>
      runEach(running, 'in sequence', inSequence),
    );
    const crowdMs = await cpuMsDuring(running, () =>
      Promise.all(
        Array.from({ length: atOnce }, (_, index) => running.run(`at once ${String(index)}`)),
      ),
    );
    const runs = warmUp + inSequence + atOnce;
    if (model.ended.length !== runs)
      throw new Error(
        `${backend.name}: the model gave ${String(model.ended.length)} last answers to ${String(runs)} runs`,
      );
    return {
      sequenceMs: sequenceMs / (inSequence * TURNS),
      crowdMs: crowdMs / (atOnce * TURNS),
    };
  } finally {
    await running.stop();
  }
}

async function runEach(running: RunningBackend, name: string, runs: number): Promise<void> {
  for (let run = 0; run < runs; run += 1) await running.run(`${name} ${String(run)}`);
}

async function cpuMsDuring({ pid }: RunningBackend, work: () => Promise<unknown>): Promise<number> {
  const before = cpuMsOfTree(pid);
  await work();
  return cpuMsOfTree(pid) - before;
}

export interface Kill {
  readonly runs: number;
  /** Time without a request to the model after which killed runs without a last answer count as lost. */
  readonly quietMs: number;
}

/** Kills a backend with SIGKILL in the middle of its runs, starts it again, and counts the runs that reach their last answer. */
export async function measureKill(backend: Backend, { runs, quietMs }: Kill): Promise<Figures> {
  await using folder = await temporaryFolder();
  const middle = Promise.withResolvers<void>();
  let lastRequestAt = 0;
  let turns = 0;
  await using model = await startFakeModel({
    turns: TURNS,
    onTurn: () => {
      lastRequestAt = performance.now();
      turns += 1;
      if (turns === (runs * TURNS) / 2) middle.resolve();
    },
  });
  const options = { folder: folder.path, modelUrl: model.url };
  const first = await backend.start(options);
  for (let run = 0; run < runs; run += 1)
    // A killed backend answers none of them.
    first.run(`killed ${String(run)}`).catch(() => undefined);
  await middle.promise;
  await first.stop('SIGKILL');
  const before = new Set(model.ended).size;

  const next = await backend.start(options);
  lastRequestAt = performance.now();
  try {
    while (new Set(model.ended).size < runs && performance.now() - lastRequestAt < quietMs)
      await wait(50);
    return { killed: runs - before, finished: new Set(model.ended).size - before };
  } finally {
    await next.stop('SIGKILL');
  }
}
