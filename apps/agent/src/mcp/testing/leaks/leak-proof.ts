import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolDispatcher } from '../../../ports/tool-dispatcher.ts';
import { callRequest } from '../pool-fixture.ts';
import { createLeakyPool, LEAK_VARIABLE, type LeakyPool } from './leaky-pool.ts';

/** A way in which servers end. `processes`: processes of one server before the end. */
export interface Way {
  readonly name: string;
  readonly traits: readonly string[];
  readonly processes: number;
  readonly end: (servers: LeakyPool, hasBegun: () => Promise<void>) => Promise<readonly number[]>;
}

export const WAYS: readonly Way[] = [
  { name: 'the pool is closed', traits: [], processes: 1, end: closed },
  {
    name: 'the pool is closed; they ignore SIGTERM and the end of their input',
    traits: ['stubborn'],
    processes: 1,
    end: closed,
  },
  { name: 'the pool is closed; they have children', traits: ['family'], processes: 3, end: closed },
  {
    name: 'the pool is closed; they have children in sessions of their own',
    traits: ['runaways', 'stubborn'],
    processes: 3,
    end: closed,
  },
  { name: 'they crash', traits: ['family', 'runaways'], processes: 5, end: crashed },
  { name: 'they are killed', traits: ['family', 'runaways'], processes: 5, end: killed },
  {
    name: 'they end while they connect, and leave children',
    traits: ['family', 'runaways', 'leaving'],
    processes: 0,
    end: failed,
  },
  {
    name: 'connecting hangs and is abandoned',
    traits: ['family', 'runaways', 'silent', 'stubborn'],
    processes: 5,
    end: abandoned,
  },
  {
    name: 'the agent is killed',
    traits: ['family', 'runaways', 'stubborn'],
    processes: 5,
    end: ownerKilled,
  },
  {
    name: 'the helper of the reaper is killed, then the agent',
    traits: ['family', 'runaways', 'stubborn'],
    processes: 5,
    end: helperAndOwnerKilled,
  },
  {
    name: 'the agent is killed while they connect',
    traits: ['family', 'runaways', 'silent', 'stubborn'],
    processes: 5,
    end: ownerKilled,
  },
];

/** Control with a disabled reaper, which must leak. */
export const CONTROL: Way = {
  name: 'the agent is killed without a reaper',
  traits: ['family', 'stubborn'],
  processes: 3,
  end: (servers, hasBegun) => ownerKilled({ ...servers, isReaped: false }, hasBegun),
};

export interface Outcome {
  /** Servers without any remaining process. */
  readonly passed: number;
  readonly failed: number;
}

const BEGIN_LIMIT_MS = 60_000;
/** Maximum milliseconds from the end of the input to SIGKILL on a busy machine. */
const END_LIMIT_MS = 20_000;
/** Milliseconds between polls. Each poll reads the environment of every process of the machine. */
const POLL_MS = 150;

/**
 * Starts a number of servers, ends them in one way, and reports and removes remaining processes.
 */
export async function tryWay(way: Way, count: number, endLimitMs = END_LIMIT_MS): Promise<Outcome> {
  const id = randomUUID();
  const marks = Array.from({ length: count }, (_, index) => `${id}.${index}`);
  const isOurs = (mark: string): boolean => mark.startsWith(`${id}.`);
  const hasBegun = (): Promise<void> =>
    until(
      async () => (await processesWith(isOurs)).length >= count * way.processes,
      BEGIN_LIMIT_MS,
    );
  try {
    const helpers = await way.end({ marks, traits: way.traits }, hasBegun);
    await until(
      async () =>
        (await processesWith(isOurs)).length === 0 &&
        !(await Promise.all(helpers.map(isRunning))).includes(true),
      endLimitMs,
    ).catch(() => undefined);
    const left = new Set((await processesWith(isOurs)).map(({ mark }) => mark));
    const isHelperLeft = (await Promise.all(helpers.map(isRunning))).includes(true);
    return isHelperLeft
      ? { passed: 0, failed: count }
      : { passed: count - left.size, failed: left.size };
  } finally {
    for (const { pid } of await processesWith(isOurs)) kill(pid);
  }
}

async function closed(
  servers: LeakyPool,
  hasBegun: () => Promise<void>,
): Promise<readonly number[]> {
  const pool = await begun(servers, hasBegun);
  await pool.close();
  return [];
}

async function crashed(
  servers: LeakyPool,
  hasBegun: () => Promise<void>,
): Promise<readonly number[]> {
  const pool = await begun(servers, hasBegun);
  await Promise.all(
    servers.marks.map((mark, index) =>
      pool.call(callRequest(`s${index}__die`, { idempotencyKey: mark })),
    ),
  );
  await pool.close();
  return [];
}

async function killed(
  servers: LeakyPool,
  hasBegun: () => Promise<void>,
): Promise<readonly number[]> {
  const pool = await begun(servers, hasBegun);
  for (const { pid } of pool.servers()) if (pid !== undefined) kill(pid);
  await until(
    () => Promise.resolve(pool.servers().every(({ state }) => state !== 'ready')),
    END_LIMIT_MS,
  );
  await pool.close();
  return [];
}

async function failed(servers: LeakyPool): Promise<readonly number[]> {
  const pool = createLeakyPool(servers);
  pool.start();
  await until(
    () =>
      Promise.resolve(
        pool.servers().every(({ state, restarts }) => state === 'failed' || restarts > 0),
      ),
    BEGIN_LIMIT_MS,
  );
  await pool.close();
  return [];
}

async function abandoned(
  servers: LeakyPool,
  hasBegun: () => Promise<void>,
): Promise<readonly number[]> {
  const pool = createLeakyPool(servers);
  pool.start();
  await hasBegun();
  await pool.close();
  return [];
}

async function helperAndOwnerKilled(
  servers: LeakyPool,
  hasBegun: () => Promise<void>,
): Promise<readonly number[]> {
  return ownerKilled(servers, hasBegun, async (owner) => {
    const helper = await helperOf(owner);
    if (helper === undefined) throw new Error('the reaper has no helper');
    kill(helper);
    await until(async () => ![undefined, helper].includes(await helperOf(owner)), END_LIMIT_MS);
  });
}

async function helperOf(owner: number): Promise<number | undefined> {
  for (const pid of await childrenOf(owner)) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.includes('reaper-main')) return pid;
  }
  return undefined;
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}

/** Checks child processes too: the helper of the reaper must not remain. */
async function ownerKilled(
  servers: LeakyPool,
  hasBegun: () => Promise<void>,
  before: (owner: number) => Promise<void> = async () => undefined,
): Promise<readonly number[]> {
  const owner = spawn(
    process.execPath,
    [
      '--conditions=@signalbox/source',
      join(import.meta.dirname, 'leaky-owner.ts'),
      JSON.stringify(servers),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = once(owner, 'exit');
  try {
    await hasBegun();
    if (owner.pid === undefined) throw new Error('the owner of the pool could not be started');
    await before(owner.pid);
    const children = await childrenOf(owner.pid);
    owner.kill('SIGKILL');
    await exited;
    return servers.isReaped === false ? [] : children;
  } finally {
    owner.kill('SIGKILL');
  }
}

async function begun(servers: LeakyPool, hasBegun: () => Promise<void>): Promise<ToolDispatcher> {
  const pool = createLeakyPool(servers);
  pool.start();
  await until(
    () => Promise.resolve(pool.servers().every(({ state }) => state === 'ready')),
    BEGIN_LIMIT_MS,
  );
  await hasBegun();
  return pool;
}

async function until(condition: () => Promise<boolean>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`what was waited for did not come within ${limitMs / 1000} s`);
    await delay(POLL_MS);
  }
}

interface MarkedProcess {
  readonly pid: number;
  readonly mark: string;
}

/** Returns the processes with a mark. */
async function processesWith(
  isWanted: (mark: string) => boolean,
): Promise<readonly MarkedProcess[]> {
  return (await markedProcesses()).filter(({ mark }) => isWanted(mark));
}

let scan: Promise<readonly MarkedProcess[]> | undefined;

/** Reads the environments of all processes, at the same time once for all callers. */
function markedProcesses(): Promise<readonly MarkedProcess[]> {
  scan ??= readMarks().finally(() => {
    scan = undefined;
  });
  return scan;
}

/** A zombie has no environment. */
async function readMarks(): Promise<readonly MarkedProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      const mark = new RegExp(`(?:^|\\0)${LEAK_VARIABLE}=([^\\0]*)`).exec(environment)?.[1];
      return mark === undefined ? [] : [{ pid: Number(pid), mark }];
    }),
  );
  return found.flat();
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}
