import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { median, type Figures } from '../figures.ts';
import { cpuMsOf } from '../process-readings.ts';
import { RunStream } from './run-stream.ts';
import { configFor, limitsFor, PROMPT } from './scenario.ts';
import { echoServer, startAgent, temporaryFolder } from './service.ts';

const WORK = { turns: 10, callsPerTurn: 1 };
const WARM_UP_RUNS = 30;
const RUNS = 60;
const BARE_CALLS = 2000;

/** Measures a turn with one tool call, one run after the other, beside the call alone. */
export async function measureTurns(): Promise<Figures> {
  const bareMs = median(await bareCalls());
  await using folder = await temporaryFolder();
  const agent = await startAgent({
    folder: folder.path,
    config: await configFor(folder.path, WORK),
  });
  try {
    for (let run = 0; run < WARM_UP_RUNS; run += 1) await turnsOf(agent.url);
    const cpuBefore = cpuMsOf(agent.pid);
    const turns: number[] = [];
    for (let run = 0; run < RUNS; run += 1) turns.push(...(await turnsOf(agent.url)));
    const cpuMs = (cpuMsOf(agent.pid) - cpuBefore) / (RUNS * WORK.turns);
    const sorted = turns.toSorted((a, b) => a - b);
    return {
      overheadMs: median(turns) - bareMs,
      turnMs: median(turns),
      p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
      bareMs,
      cpuMs,
    };
  } finally {
    await agent.stop();
  }
}

/** Milliseconds from the start of each turn to the start of the next, as a reader of the stream sees them. */
async function turnsOf(url: string): Promise<readonly number[]> {
  const begins: number[] = [];
  const onEvent = (type: string): void => {
    if (type === 'turn.started') begins.push(performance.now());
  };
  const { stream } = await RunStream.start(
    url,
    { prompt: PROMPT, limits: limitsFor(WORK) },
    { onEvent },
  );
  await stream.ended;
  if (begins.length !== WORK.turns + 1) throw new Error(`A run had ${String(begins.length)} turns`);
  return begins.slice(1).map((begin, index) => begin - (begins[index] ?? Number.NaN));
}

async function bareCalls(): Promise<readonly number[]> {
  const client = await connectClient(
    () => spawnStdio({ command: process.execPath, args: echoServer.args }),
    { info: { name: 'bench', version: '1' } },
  );
  const times: number[] = [];
  try {
    for (let call = 0; call < BARE_CALLS; call += 1) {
      const begun = performance.now();
      await client.callTool('echo', { text: 'the quick brown fox jumps over the lazy dog' });
      times.push(performance.now() - begun);
    }
  } finally {
    await client.close();
  }
  // The first half is warm-up.
  return times.slice(BARE_CALLS / 2);
}
