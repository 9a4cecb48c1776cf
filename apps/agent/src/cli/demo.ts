import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@signalbox/mcp-core';
import type { App } from '../app.ts';
import { demoExpectations, type DemoData } from '../demo/expected-answers.ts';
import { terminalLine } from '../text/terminal-text.ts';
import { Tour } from '../demo/tour.ts';
import { answerScene, cancellationScene, tourScene } from './demo-scenes.ts';
import type { EndedCalls } from './ended-calls.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { isInterrupted } from './run.ts';

export interface DemoRun extends Omit<DemoData, 'call'> {
  readonly isJson: boolean;
  /** Folder of the tour; undefined when the demo servers are not all there. */
  readonly tour: string | undefined;
  readonly ended: EndedCalls;
}

const SERVERS_READY_MS = 15_000;

/** Runs every demo whose data is present and compares its answer with the data. Returns the exit code. */
export async function runDemos(
  io: Io,
  app: App,
  { isJson, tour, ended, ...data }: DemoRun,
): Promise<number> {
  const say = (text: string): void => (isJson ? io.err(text) : io.out(text));
  const call: DemoData['call'] = (wireName, args) => callTool(app, wireName, args);
  const { expectations, skipped } = demoExpectations({ ...data, call });
  const stage = { io, app, isJson };
  const scenes = [
    ...expectations.map((expectation) => () => answerScene(stage, expectation)),
    ...(tour === undefined
      ? []
      : [
          () => tourScene(stage, new Tour({ folder: tour, database: data.database, call })),
          () => cancellationScene(stage, ended),
        ]),
  ];
  for (const reason of [...skipped, ...(tour === undefined ? [NO_TOUR] : [])])
    io.err(`demo: ${terminalLine(reason)}\n`);
  const wrong: string[] = [];
  await app.start();
  await app.dispatcher.settled(SERVERS_READY_MS);
  for (const scene of scenes) {
    const { prompt, play } = await scene();
    say(`\n❯ ${prompt}\n`);
    const { run, isCancelled = false, problems } = await play();
    if (isInterrupted(run) && !isCancelled) return EXIT.interrupted;
    const isEnded = isCancelled || run.status === 'completed';
    if (isEnded && problems.length === 0) continue;
    wrong.push(`"${prompt}" ended ${run.status}${problems.map((each) => `; ${each}`).join('')}`);
  }
  for (const each of wrong) io.err(`demo: ${terminalLine(each)}\n`);
  say(`\ndemo: ${scenes.length - wrong.length} of ${scenes.length} demos are correct\n`);
  return wrong.length === 0 ? EXIT.done : EXIT.failed;
}

const NO_TOUR =
  'the demo with all servers and the demo of a cancellation are skipped: they need the demo servers filesystem, sqlite and weather';

async function callTool(
  { dispatcher }: App,
  wireName: string,
  args: JsonObject,
): Promise<JsonObject> {
  const outcome = await dispatcher.call({
    wireName,
    arguments: args,
    runId: 'demo-check',
    idempotencyKey: randomUUID(),
    signal: new AbortController().signal,
    inactivityMs: SERVERS_READY_MS,
    maxTotalMs: SERVERS_READY_MS,
    onProgress: () => undefined,
    inputHandlers: {},
  });
  if (outcome.type !== 'result' || outcome.result.isError === true)
    throw new Error(
      `${wireName} could not be called to check the demo: ${JSON.stringify(outcome)}`,
    );
  return outcome.result.structuredContent as JsonObject;
}
