import type { JsonObject } from '@signalbox/mcp-core';
import type { App } from '../app.ts';
import { eventView } from '../http/views.ts';
import { isUnanswered } from '../llm/scripted/unanswered.ts';
import type { Run } from '../ports/store/run.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import { eventBody } from '../run/core/events.ts';
import { RunFollower, type RunFrame } from '../run/follow/follow-run.ts';
import { terminalJson, terminalLine } from '../text/terminal-text.ts';
import { messageOf } from '../text/error-text.ts';
import { questionOf, type Asked } from './question-of.ts';
import { awaitServers } from './await-servers.ts';
import { EXIT } from './exit-code.ts';
import { InboxPrompt } from './inbox-prompt.ts';
import type { Io } from './io.ts';
import { RunPrinter } from './run-printer.ts';

export interface RunTask {
  readonly prompt: string;
  readonly servers: readonly string[];
  readonly isJson: boolean;
  /** Answers inbox items where no person can be asked. Default: they expire. */
  readonly standIn?: StandIn;
  /** Called with each event after it is printed. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** Returns the answer to an inbox item in place of a person. */
export type StandIn = (item: Asked) => JsonObject;

/** Run that was followed to its end, or in status `cancelling` when a second Ctrl-C ended the wait. */
export interface RunOutcome {
  readonly run: Run;
  /** Whether the run needed input and no terminal was available. */
  readonly isUnasked: boolean;
  /** Number of completed tool calls. */
  readonly answeredCalls: number;
}

/** Without a terminal questions expire at once: no other process can read the store of this command. */
const UNASKED = { inboxExpiryMs: 1 };

/**
 * Runs a task in this process and prints it. The first Ctrl-C cancels the run with its tool calls and prints until it is settled;
 * the second stops waiting.
 */
export async function runTask(
  io: Io,
  app: App,
  { prompt, servers, isJson, standIn, onEvent }: RunTask,
): Promise<RunOutcome> {
  await app.start();
  await awaitServers(io, app.dispatcher, servers);
  const canAsk = io.canAsk && !isJson;
  const run = await app.engine.createRun({
    prompt,
    ...(servers.length === 0 ? {} : { servers }),
    ...(canAsk || standIn !== undefined ? {} : { limits: UNASKED }),
  });
  const stop = new AbortController();
  const answer = canAsk || standIn === undefined ? undefined : answering(io, app, standIn);
  const reader = isJson
    ? jsonReader(io, answer)
    : printingReader(io, app, { canAsk, answer, signal: stop.signal });
  let interrupts = 0;
  const unsubscribe = io.onInterrupt(() => {
    interrupts += 1;
    if (interrupts > 1) stop.abort();
    else cancel(io, app, run.id);
  });
  let isUnasked = false;
  let answeredCalls = 0;
  const show = (frame: RunFrame): void => {
    reader.frame(frame);
    if (frame.type !== 'event') return;
    if (frame.event.type === 'inbox.opened' && !canAsk && standIn === undefined) isUnasked = true;
    if (frame.event.type === 'tool_call.completed') answeredCalls += 1;
    onEvent?.(frame.event);
  };
  try {
    const follower = new RunFollower(app, { runId: run.id, after: 0 });
    stop.signal.addEventListener('abort', () => follower.stop());
    for await (const batch of follower) for (const frame of batch) show(frame);
    reader.end();
    return { run: (await app.read.run(run.id)) ?? run, isUnasked, answeredCalls };
  } finally {
    stop.abort();
    unsubscribe();
  }
}

/** Whether the person at the terminal stopped the run. */
export function isInterrupted(run: Run): boolean {
  return run.status === 'cancelled' || run.status === 'cancelling';
}

/** Returns the exit code of `signalbox run`. Writes the reason to stderr when the task was not answered. */
export function exitCodeOf(
  io: Io,
  app: App,
  { run, isUnasked, answeredCalls }: RunOutcome,
): number {
  if (isInterrupted(run)) return EXIT.interrupted;
  if (run.status !== 'completed') return EXIT.failed;
  if (isUnasked) return EXIT.unasked;
  const reason = whyUnanswered(app, run, answeredCalls);
  if (reason === undefined) return EXIT.done;
  io.err(`signalbox: ${reason}\n`);
  return EXIT.unanswered;
}

function whyUnanswered(app: App, run: Run, answeredCalls: number): string | undefined {
  if (run.scripted && isUnanswered(run.answer ?? ''))
    return 'the task was not answered: no model is configured, and no script covers it';
  const servers = app.dispatcher
    .servers()
    .filter(({ name }) => run.servers?.includes(name) ?? true);
  const isWithoutServers =
    servers.length > 0 && answeredCalls === 0 && servers.every(({ state }) => state !== 'ready');
  return isWithoutServers
    ? `no server was ready: ${servers.map(({ name, error }) => `${name}: ${error ?? 'not connected'}`).join('; ')}`
    : undefined;
}

function cancel(io: Io, app: App, runId: string): void {
  io.err('\ncancelling; Ctrl-C again stops waiting\n');
  app.engine.cancelRun(runId, 'interrupted at the terminal').catch((error: unknown) => {
    io.err(`the run could not be cancelled: ${messageOf(error)}\n`);
  });
}

type OnEvent = (event: RunEvent) => void;

interface Reader {
  frame(frame: RunFrame): void;
  end(): void;
}

function printingReader(
  io: Io,
  app: App,
  {
    canAsk,
    answer = (event) => sayUnasked(io, event),
    signal,
  }: {
    readonly canAsk: boolean;
    readonly answer: OnEvent | undefined;
    readonly signal: AbortSignal;
  },
): Reader {
  const printer = new RunPrinter(io);
  const prompt = new InboxPrompt(io, {
    engine: app.engine,
    print: (line) => printer.line(line),
    signal,
  });
  return {
    frame(frame) {
      printer.frame(frame);
      if (frame.type !== 'event') return;
      if (canAsk) prompt.onEvent(frame.event);
      else answer(frame.event);
    },
    end: () => printer.end(),
  };
}

function jsonReader(io: Io, answer: OnEvent = (event) => sayUnasked(io, event)): Reader {
  return {
    frame(frame) {
      if (frame.type !== 'event') return;
      io.out(`${terminalJson(eventView(frame.event))}\n`);
      answer(frame.event);
    },
    end: () => undefined,
  };
}

/** Answers inbox items with the stand-in, and prints each question with its answer. */
function answering(io: Io, { engine }: App, standIn: StandIn): OnEvent {
  return (event) => {
    const { type, data } = eventBody(event);
    if (type !== 'inbox.opened') return;
    const item = { id: data.inbox_item_id, kind: data.kind, request: data.request };
    const response = standIn(item);
    io.err(`? ${terminalLine(questionOf(item))}\n`);
    io.err(
      `  answered without a person, because there is no terminal: ${terminalJson(response)}\n`,
    );
    engine.respond(item.id, response).catch((error: unknown) => {
      io.err(`  the answer was rejected: ${terminalLine(messageOf(error))}\n`);
    });
  };
}

function sayUnasked(io: Io, { type, data }: RunEvent): void {
  if (type === 'inbox.opened')
    io.err(
      `signalbox: ${String(data['kind'])} needs user input, which is requested only at a terminal and without --json; use --yes, or allow it under "signalbox" in the server's configuration\n`,
    );
}
