import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from './environment.ts';
import type { Evidence } from './evidence.ts';
import type { Fleet } from './fleet.ts';

/** Milliseconds within which nothing is left of a process: its lease, a sweep, and the end of its servers. */
const LEFTOVERS_MS = 20_000;

interface Parts {
  readonly fleet: Fleet;
  readonly environment: Environment;
  readonly evidence: Evidence;
}

/** Returns what is left of processes that ended, first while the others run, then of all, which it stops. */
export async function leftoversOf({
  fleet,
  environment,
  evidence,
}: Parts): Promise<readonly string[]> {
  const workers = async (): Promise<readonly string[]> => {
    const live = new Set(fleet.pids);
    const rows = await environment.records.workers();
    return [
      ...rows
        .filter(({ pid, hasEnded }) => !live.has(pid) || hasEnded)
        .map(({ pid }) => `the worker of process ${pid}, which ended, has a row`),
      ...[...live]
        .filter((pid) => !rows.some((row) => row.pid === pid))
        .map((pid) => `the worker of process ${pid}, which runs, has no row`),
    ];
  };
  const servers = (allowed: number) => async (): Promise<readonly string[]> => {
    const alive = evidence.aliveServers();
    return alive.length === allowed
      ? []
      : [`${alive.length} server processes are alive, not ${allowed}`];
  };
  const count = fleet.members.filter(({ role }) => role === 'worker').length;
  const whileRunning = [...(await soon(workers)), ...(await soon(servers(count)))];
  await fleet.stop();
  return [...whileRunning, ...(await soon(servers(0)))];
}

/** Returns the problems as soon as there are none, or those that remain. */
async function soon(problems: () => Promise<readonly string[]>): Promise<readonly string[]> {
  for (const until = performance.now() + LEFTOVERS_MS; performance.now() < until; await wait(200))
    if ((await problems()).length === 0) return [];
  return problems();
}
