import { setTimeout as wait } from 'node:timers/promises';
import type { Figures } from '../figures.ts';
import { postJson, getJson, type RunView } from './rest.ts';
import { RunStream } from './run-stream.ts';
import { configFor, limitsFor, PROMPT } from './scenario.ts';
import { startAgent, temporaryFolder } from './service.ts';

const EVENTS = 10_000;

/** A stored run of 10,000 events, and the time that a reconnecting reader needs for all of them. */
export interface LongRun extends AsyncDisposable {
  measure(): Promise<Figures>;
}

/** Creates the run, which takes a while. It waits for a person at its end, because readers reconnect to runs that continue. */
export async function createLongRun(): Promise<LongRun> {
  const folder = await temporaryFolder();
  const work = { turns: 33, callsPerTurn: 100 };
  const config = await configFor(folder.path, work);
  const agent = await startAgent({ folder: folder.path, config });
  const { id } = await postJson<RunView>(`${agent.url}/v1/runs`, {
    prompt: PROMPT,
    limits: limitsFor(work),
  });
  const { ended } = await RunStream.open(agent.url, id);
  const { inOrder } = await ended;
  await agent.stop();
  if (inOrder < EVENTS) throw new Error(`The long run has only ${String(inOrder)} events`);
  return {
    async measure() {
      const restarted = await startAgent({ folder: folder.path, config });
      try {
        const afterRestartMs = await timeToResume(restarted.url, id);
        const times: number[] = [];
        for (let time = 0; time < 5; time += 1) {
          await wait(50);
          times.push(await timeToResume(restarted.url, id));
        }
        return { afterRestartMs, resumeMs: times.toSorted((a, b) => a - b)[2] ?? Number.NaN };
      } finally {
        await restarted.stop();
      }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Milliseconds from the request with the id of the first event to the arrival of the 10,000th event after it. */
async function timeToResume(url: string, id: string): Promise<number> {
  await getJson(`${url}/healthz`);
  const begun = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  const stream = await RunStream.open(url, id, {
    onEvent: (_type, seq) => {
      if (seq === EVENTS) resolve(performance.now() - begun);
    },
  });
  const elapsedMs = await promise;
  stream.leave();
  return elapsedMs;
}
