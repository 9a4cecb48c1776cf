import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@signalbox/mcp-core';
import type { App } from '../app.ts';
import { demoExpectations, type DemoData } from '../demo/expected-answers.ts';
import { terminalLine } from '../text/terminal-text.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { isInterrupted, runTask } from './run.ts';

export interface DemoRun extends Omit<DemoData, 'call'> {
  readonly isJson: boolean;
}

const SERVERS_READY_MS = 15_000;

/** Runs every demo whose data is present and compares its answer with the data. Returns the exit code. */
export async function runDemos(io: Io, app: App, { isJson, ...data }: DemoRun): Promise<number> {
  const say = (text: string): void => (isJson ? io.err(text) : io.out(text));
  const { expectations, skipped } = demoExpectations({
    ...data,
    call: (wireName, args) => callTool(app, wireName, args),
  });
  for (const reason of skipped) io.err(`demo: ${terminalLine(reason)}\n`);
  const wrong: string[] = [];
  await app.start();
  await app.dispatcher.settled(SERVERS_READY_MS);
  for (const expectation of expectations) {
    const { prompt, mustContain } = await expectation();
    say(`\n❯ ${prompt}\n`);
    const { run } = await runTask(io, app, { prompt, servers: [], isJson });
    if (isInterrupted(run)) return EXIT.interrupted;
    const missing = mustContain.filter((part) => run.answer?.includes(part) !== true);
    if (run.status === 'completed' && missing.length === 0) continue;
    wrong.push(
      `"${prompt}" ended ${run.status}${missing.length > 0 ? `; its answer lacks: ${missing.join('; ')}` : ''}`,
    );
  }
  for (const each of wrong) io.err(`demo: ${terminalLine(each)}\n`);
  say(
    `\ndemo: ${expectations.length - wrong.length} of ${expectations.length} answers are correct\n`,
  );
  return wrong.length === 0 ? EXIT.done : EXIT.failed;
}

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
