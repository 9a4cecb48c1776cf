import { setTimeout as wait } from 'node:timers/promises';
import type { Figures } from '../figures.ts';
import { peakResidentMbOf, residentMbOf } from '../process-readings.ts';
import { getJson, postJson, type RunView } from './rest.ts';
import { RunStream } from './run-stream.ts';
import { configFor, limitsFor, PROMPT } from './scenario.ts';
import { startAgent, temporaryFolder } from './service.ts';

const SUBSCRIBERS = 1000;
/** Every tenth reader does not read before the run has ended. */
const ONE_PAUSED_OF = 10;
const WORK = { turns: 20, callsPerTurn: 4, asks: true };
const SETTLE_MS = 2000;

const LONGER = 4;
/** V8 decides how far the heap grows before a collection. With these arguments a process that needs more memory ends. */
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=4'];

/** Measures many readers of one run; then, in a process with a small heap, of a run four times as long. */
export async function measureSubscribers(): Promise<Figures> {
  const figures = await crowdAt(WORK, []);
  const longer = await crowdAt({ ...WORK, turns: LONGER * WORK.turns }, SMALL_HEAP);
  return {
    ...figures,
    longerEvents: longer.events,
    longerMb: longer.grownMb,
    lost: figures.lost + longer.lost,
  };
}

interface Crowd extends Figures {
  readonly beforeMb: number;
  readonly openMb: number;
  readonly peakMb: number;
  readonly grownMb: number;
  readonly afterMb: number;
  readonly lost: number;
  readonly seconds: number;
  readonly events: number;
}

async function crowdAt(work: typeof WORK, nodeArguments: readonly string[]): Promise<Crowd> {
  await using folder = await temporaryFolder();
  const agent = await startAgent({
    folder: folder.path,
    config: await configFor(folder.path, work),
    nodeArguments,
  });
  try {
    const { id } = await postJson<RunView>(`${agent.url}/v1/runs`, {
      prompt: PROMPT,
      limits: limitsFor(work),
    });
    const { inbox } = await waiting(agent.url, id);
    const beforeMb = residentMbOf(agent.pid);
    const streams = await Promise.all(
      Array.from({ length: SUBSCRIBERS }, () => RunStream.open(agent.url, id)),
    );
    const openMb = residentMbOf(agent.pid);
    const paused = streams.filter((_stream, index) => index % ONE_PAUSED_OF === 0);
    for (const stream of paused) stream.pause();
    const begun = performance.now();
    for (const item of inbox)
      await postJson(`${agent.url}/v1/inbox/${item.id}/respond`, {
        action: 'approve',
        remember: 'run',
      });
    await Promise.all(
      streams.filter((stream) => !paused.includes(stream)).map(({ ended }) => ended),
    );
    const seconds = (performance.now() - begun) / 1000;
    for (const stream of paused) stream.resume();
    const seen = await Promise.all(streams.map(({ ended }) => ended));
    const { last_seq: events, status } = await getJson<RunView>(`${agent.url}/v1/runs/${id}`);
    if (status !== 'completed') throw new Error(`The run is ${status}`);
    const peakMb = peakResidentMbOf(agent.pid);
    await wait(SETTLE_MS);
    const lost = seen.reduce(
      (sum, { inOrder, outOfOrder }) => sum + events - inOrder + outOfOrder,
      0,
    );
    return {
      beforeMb,
      openMb,
      peakMb,
      grownMb: peakMb - beforeMb,
      afterMb: residentMbOf(agent.pid),
      lost,
      seconds,
      events,
    };
  } finally {
    await agent.stop();
  }
}

/** Resolves with the run when all calls of its first turn wait for a person. */
async function waiting(url: string, id: string): Promise<RunView> {
  for (;;) {
    const run = await getJson<RunView>(`${url}/v1/runs/${id}`);
    if (run.status === 'input_required') return run;
    await wait(20);
  }
}
