import type { Figures } from '../figures.ts';
import { cpuMsOf, peakResidentMbOf } from '../process-readings.ts';
import { getJson, type RunView } from './rest.ts';
import { RunStream } from './run-stream.ts';
import { configFor, limitsFor, PROMPT } from './scenario.ts';
import { startAgent, temporaryFolder } from './service.ts';

const WORK = { turns: 10, callsPerTurn: 1 };

/** Measures many runs at once, each followed by its own reader. */
export async function measureCrowd(runs: number): Promise<Figures> {
  await using folder = await temporaryFolder();
  const agent = await startAgent({
    folder: folder.path,
    config: await configFor(folder.path, WORK),
  });
  try {
    await follow(agent.url);
    const cpuBefore = cpuMsOf(agent.pid);
    const begun = performance.now();
    const outcomes = await Promise.all(Array.from({ length: runs }, () => follow(agent.url)));
    const elapsedMs = performance.now() - begun;
    const turns = runs * (WORK.turns + 1);
    return {
      seconds: elapsedMs / 1000,
      turnsPerSecond: (turns / elapsedMs) * 1000,
      cpuMs: (cpuMsOf(agent.pid) - cpuBefore) / turns,
      completed: outcomes.filter(({ status }) => status === 'completed').length,
      lost: outcomes.reduce((sum, { lost }) => sum + lost, 0),
      peakMb: peakResidentMbOf(agent.pid),
    };
  } finally {
    await agent.stop();
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
