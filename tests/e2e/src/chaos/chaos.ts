import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Protection } from '../support/crash-hooks.ts';
import { temporaryFolder } from '../support/service.ts';
import { disrupt, type Burst, type DisruptorOptions } from './disruptor.ts';
import { Environment, type Engines } from './environment.ts';
import { Evidence } from './evidence.ts';
import { Fleet } from './fleet.ts';
import { followRun, type Followed } from './follow-run.ts';
import { leftoversOf } from './leftovers.ts';
import { problemsOf } from './problems-of.ts';
import { reportOf, type ChaosReport } from './report.ts';
import { resultsOf } from './results-of.ts';
import { RetryingClient } from './retrying-client.ts';
import { seeded, type Seeded } from './seeded.ts';
import { writeWork, type Work } from './work.ts';

export interface ChaosOptions
  extends
    Engines,
    Omit<Work, 'random'>,
    Pick<DisruptorOptions, 'kinds' | 'bursts' | 'faultsPerBurst'> {
  readonly runs: number;
  /** Chooses the faults, their victims and their times, which are measured in effects of the runs. */
  readonly seed: number;
  /** Runs at the same time. */
  readonly parallel: number;
  readonly apis: number;
  readonly workers: number;
  /** Model calls, and tool calls, that a worker makes at once. Default: 4, so that some jobs wait. */
  readonly concurrency?: number;
  /** Whether the clocks of workers are a minute off at random. Default: no. */
  readonly hasSkew?: boolean;
  /** Whether half of the signals between the processes are lost. Default: no. */
  readonly losesSignals?: boolean;
  /** Guard that is switched off. Default: none. */
  readonly guardOff?: Guard | undefined;
  /** Milliseconds after which the test fails. */
  readonly limitMs: number;
  /** Ends the test, which then fails. */
  readonly signal?: AbortSignal;
  /** Milliseconds for which the test waits until a run continues after a fault. Default: 45 seconds. */
  readonly patienceMs?: number;
  readonly onProgress?: (text: string) => void;
  readonly onBurst?: (burst: Burst) => void;
}

/** A protection of the service, or that of a client: `key` is the idempotency key of its requests. */
export type Guard = Protection | 'key';

const PATIENCE_MS = 45_000;
const effectServer = fileURLToPath(new URL('effect-server.ts', import.meta.url));

/** Takes runs through API processes and workers that faults disturb, and compares everything with what is promised. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = await temporaryFolder();
  const random = seeded(options.seed);
  await writeWork(folder.path, { ...options, random });
  const environment = await Environment.start(options, folder.path);
  let fleet: Fleet | undefined;
  try {
    fleet = await startFleet({ ...options, folder: folder.path, environment, random });
    return await disruptedWork({ ...options, folder: folder.path, environment, fleet, random });
  } finally {
    await fleet?.stop();
    await environment.stop();
    await folder.remove();
  }
}

interface Parts {
  readonly folder: string;
  readonly environment: Environment;
  readonly random: Seeded;
}

function startFleet({
  folder,
  guardOff,
  random,
  concurrency = 4,
  ...options
}: ChaosOptions & Parts): Promise<Fleet> {
  return Fleet.start({
    folder,
    environment: options.environment,
    apis: options.apis,
    workers: options.workers,
    hasSkew: options.hasSkew === true,
    losesSignals: options.losesSignals === true,
    guardOff: guardOff === 'key' ? undefined : guardOff,
    random: random.fork(),
    config: {
      log_level: 'warn',
      llm: { provider: 'scripted', scenario: join(folder, 'scenario.json') },
      concurrency: { model_calls: concurrency, tool_calls: concurrency },
      mcpServers: {
        effects: {
          command: 'node',
          args: [effectServer],
          env: { EFFECTS: join(folder, 'effects'), SERVERS: join(folder, 'servers') },
          // The report counts the processes of the server, and a legacy server may get further ones.
          signalbox: { trust: true, approval: 'auto', era: 'modern' },
        },
      },
    },
  });
}

async function disruptedWork(
  options: ChaosOptions & Parts & { readonly fleet: Fleet },
): Promise<ChaosReport> {
  const { folder, environment, fleet, random, limitMs, guardOff } = options;
  const evidence = new Evidence(folder);
  const begun = performance.now();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  options.signal?.addEventListener('abort', () => limit.abort());
  const client = new RetryingClient(fleet.url, {
    signal: limit.signal,
    hasKeys: guardOff !== 'key',
  });
  const ended = new AbortController();
  const disruptedAt = disrupt(
    {
      ...options,
      patienceMs: options.patienceMs ?? PATIENCE_MS,
      random: random.fork(),
      evidence,
    },
    AbortSignal.any([ended.signal, limit.signal]),
  );
  let followed: readonly Followed[];
  let bursts: readonly Burst[];
  try {
    followed = await followAll(options, { client, evidence, signal: limit.signal });
  } finally {
    clearTimeout(timer);
    ended.abort();
    bursts = await disruptedAt;
  }
  const durationMs = performance.now() - begun;
  await environment.records.restoreColumn();
  const stored = await environment.records.countRuns();
  const results = await resultsOf(followed, { client, environment, evidence });
  const left = limit.signal.aborted ? [] : await leftoversOf({ fleet, environment, evidence });
  return reportOf({
    results,
    bursts,
    durationMs,
    skewedStarts: fleet.skewedStarts,
    log: fleet.log(),
    problems: [
      ...(limit.signal.aborted ? [`the test did not end within ${limitMs} ms`] : []),
      ...(stored === options.runs || limit.signal.aborted
        ? []
        : [`${stored} runs are stored, not ${options.runs}`]),
      ...bursts.flatMap(({ problems }) => problems),
      ...results.flatMap((result) =>
        problemsOf(result, options.turns, {
          areServersKilled: options.kinds.includes('kill-server'),
        }),
      ),
      ...left,
    ],
  });
}

/** Takes all runs to their end, or until the signal. */
async function followAll(
  { runs, parallel, turns, random, fleet, onProgress }: ChaosOptions & Parts & { fleet: Fleet },
  parts: {
    readonly client: RetryingClient;
    readonly evidence: Evidence;
    readonly signal: AbortSignal;
  },
): Promise<readonly Followed[]> {
  const { signal } = parts;
  const names = Array.from({ length: runs }, (_, index) => `r${index + 1}`);
  const followed: Followed[] = [];
  const work = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      if (signal.aborted) return;
      const run = await followRun(name, {
        ...parts,
        url: fleet.url,
        turns,
        random: random.fork(),
      }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (run === undefined) return;
      followed.push(run);
      onProgress?.(`${followed.length} of ${runs} runs have ended`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return followed;
}
