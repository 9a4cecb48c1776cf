import type { Figures } from '../figures.ts';
import { cpuMsOf, peakResidentMbOf } from '../process-readings.ts';
import { getJson, type RunView } from './rest.ts';
import { RunStream } from './run-stream.ts';
import { configFor, limitsFor, PROMPT } from './scenario.ts';
import { startAgent, startWorker, temporaryFolder, type AgentProcess } from './service.ts';

const WORK = { turns: 10, callsPerTurn: 1 };

/** Measures many runs at once, each followed by its own reader: in one process, or in an API process and a number of workers. CPU and memory are those of all of them. */
export async function measureCrowd(runs: number, workers = 0): Promise<Figures> {
  await using folder = await temporaryFolder();
  const agent = await startAgent({
    folder: folder.path,
    config: await configFor(folder.path, WORK),
    more: workers > 0 ? ['--role', 'api'] : [],
  });
  const processes: Omit<AgentProcess, 'url'>[] = [agent];
  const sum = (valueOf: (pid: number) => number): number =>
    processes.reduce((total, { pid }) => total + valueOf(pid), 0);
  try {
    for (let count = 0; count < workers; count += 1) processes.push(await startWorker(folder.path));
    await Promise.all(Array.from({ length: 1 + workers }, () => follow(agent.url)));
    const cpuBefore = sum(cpuMsOf);
    const begun = performance.now();
    const outcomes = await Promise.all(Array.from({ length: runs }, () => follow(agent.url)));
    const elapsedMs = performance.now() - begun;
    const turns = runs * (WORK.turns + 1);
    return {
      seconds: elapsedMs / 1000,
      turnsPerSecond: (turns / elapsedMs) * 1000,
      cpuMs: (sum(cpuMsOf) - cpuBefore) / turns,
      completed: outcomes.filter(({ status }) => status === 'completed').length,
      lost: outcomes.reduce((total, { lost }) => total + lost, 0),
      peakMb: sum(peakResidentMbOf),
    };
  } finally {
    for (const each of processes.toReversed()) await each.stop();
  }
}

async function follow(url: string): Promise<{
  readonly status: string;
  /** Events that the reader did not get, or got out of order. */ readonly lost: number;
}> {
  const { stream, runId } = await RunStream.start(url, { prompt: PROMPT, limits: limitsFor(WORK) });
  const { inOrder, outOfOrder } = await stream.ended;
  const { status, last_seq: lastSeq } = await getJson<RunView>(`${url}/v1/runs/${runId}`);
  return { status, lost: lastSeq - inOrder + outOfOrder };
}
