import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figures } from '../figures.ts';
import type { Engines } from './engines.ts';

const PROGRAM = fileURLToPath(
  new URL('../../../apps/agent/src/bullmq/testing/measure-queue.ts', import.meta.url),
);

/** Our job queue, BullMQ with the same options, and BullMQ with its own. */
export const VARIANTS = ['signalbox', 'bullmq', 'defaults'] as const;

export const JOB_ENGINES = [
  { engine: 'redis', jobs: 10_000 },
  { engine: 'postgres', jobs: 2000 },
] as const;

/** Measures a job that is added and worked in a new process, on engines of its own. */
export async function measureJobLayer(
  engines: Engines,
  {
    engine,
    jobs,
    variant,
  }: (typeof JOB_ENGINES)[number] & { readonly variant: (typeof VARIANTS)[number] },
): Promise<Figures> {
  const addresses = await engines.addresses();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@signalbox/source', PROGRAM, engine, variant, addresses[engine], String(jobs)],
    { timeout: 600_000 },
  );
  // The program prints its figures in one line.
  return JSON.parse(stdout) as Figures;
}
