import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { median, type Figures } from '../figures.ts';
import { residentMbOf } from '../process-readings.ts';
import { getJson } from './rest.ts';
import { startAgent, temporaryFolder } from './service.ts';

const STARTS = 5;
const IDLE_MS = 3000;

/** Measures the start of the service with the three reference servers, and its memory when idle. */
export async function measureStartUp(): Promise<Figures> {
  await using folder = await temporaryFolder();
  const start = () => startAgent({ folder: folder.path, more: ['--demo'] });
  // The first start makes the database of the demo.
  await (await start()).stop();
  const starts: number[] = [];
  for (let each = 1; each < STARTS; each += 1) {
    const agent = await start();
    starts.push(agent.readyMs);
    await agent.stop('SIGKILL');
  }
  const agent = await start();
  try {
    starts.push(agent.readyMs);
    const begun = performance.now();
    while (!(await allReady(agent.url))) await wait(20);
    const connectedMs = agent.readyMs + performance.now() - begun;
    await wait(IDLE_MS);
    const serviceMb = residentMbOf(agent.pid);
    const helperMb = helperMbOf(agent.pid);
    return {
      readyMs: median(starts),
      connectedMs,
      serviceMb,
      helperMb,
      idleMb: serviceMb + helperMb,
    };
  } finally {
    await agent.stop();
  }
}

async function allReady(url: string): Promise<boolean> {
  const { data } = await getJson<{ readonly data: readonly { readonly state: string }[] }>(
    `${url}/v1/servers`,
  );
  return data.length === 3 && data.every(({ state }) => state === 'ready');
}

/** Resident memory in MB of the process that ends the servers when the service is killed; NaN without /proc. */
function helperMbOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'latin1')
    .trim()
    .split(' ')
    .map(Number);
  const helper = children.find((child) =>
    readFileSync(`/proc/${String(child)}/cmdline`, 'latin1').includes('reaper'),
  );
  return helper === undefined ? Number.NaN : residentMbOf(helper);
}
