import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { median, type Figures } from '../figures.ts';
import { MB_PER_MIB, residentMibOf } from '../process-readings.ts';
import { getJson } from './rest.ts';
import { startAgent, temporaryFolder } from './service.ts';

const STARTS = 5;
const IDLE_MS = 3000;

/** The service with the three reference servers, from its spawn, and when it has nothing to do. */
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
    const serviceMb = residentMibOf(agent.pid) * MB_PER_MIB;
    const helperMb = helperMibOf(agent.pid) * MB_PER_MIB;
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

/** Resident memory of the process that ends the servers when the service is killed; NaN where there is no /proc. */
function helperMibOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'latin1')
    .trim()
    .split(' ')
    .map(Number);
  const helper = children.find((child) =>
    readFileSync(`/proc/${String(child)}/cmdline`, 'latin1').includes('reaper'),
  );
  return helper === undefined ? Number.NaN : residentMibOf(helper);
}
