import { DatabaseSession } from './database-session.ts';
import type { ExecutorChannel } from './executor-channel.ts';
import { describeFailure } from './explain-failure.ts';
import type { ExecutorConfiguration, ExecutorReply, ExecutorRequest } from './messages.ts';
import type { OperationHandler, ReadWhole } from './operation.ts';
import { OperationStream } from './operation-stream.ts';
import { readingWhole, setStep } from './watchdog.ts';

/** The operations of a process by name. */
export interface Handlers {
  readonly [operation: string]: OperationHandler<unknown, unknown>;
}

export interface ServeRequestsOptions {
  readonly configuration: ExecutorConfiguration;
  readonly handlers: Handlers;
  /** Number of the current step for the watchdog, and 0 while the process waits for the server. */
  readonly activity: Int32Array;
  /** Called once, before the first request is answered. */
  readonly onFirstRequest?: () => void;
}

/** Answers requests, one at a time. Resolves when the server has closed the channel. */
export async function serveRequests(
  { configuration, handlers, activity, onFirstRequest }: ServeRequestsOptions,
  channel: ExecutorChannel,
): Promise<void> {
  const { default: Database } = await import('better-sqlite3');
  const session = new DatabaseSession({ ...configuration, Database });
  let step = 0;
  const setBusy = (isBusy: boolean): void => {
    step = (step % 0x7fff_ffff) + 1;
    setStep(activity, isBusy ? step : 0);
  };
  const readWhole: ReadWhole = (read) => readingWhole(activity, read);
  channel.send({ kind: 'ready' });
  for (;;) {
    const message = await channel.receive();
    if (message.kind === 'close') break;
    // Other messages belong to an operation, which receives them itself.
    if (message.kind !== 'request') continue;
    if (step === 0) onFirstRequest?.();
    setBusy(true);
    const stream = new OperationStream({ id: message.id, channel, setBusy });
    channel.send(await answer(message, { configuration, handlers, session, stream, readWhole }));
    session.limitWal();
    setBusy(false);
  }
  session.close();
}

interface Serving {
  readonly configuration: ExecutorConfiguration;
  readonly handlers: Handlers;
  readonly session: DatabaseSession;
  readonly stream: OperationStream;
  readonly readWhole: ReadWhole;
}

async function answer(request: ExecutorRequest, serving: Serving): Promise<ExecutorReply> {
  const { id, operation, input, savesMemory = false } = request;
  const { configuration, handlers, session, stream } = serving;
  try {
    const handle = handlers[operation];
    if (handle === undefined) throw new Error(`There is no operation ${operation}.`);
    const database = session.use();
    const checkFile = () => session.checkFile();
    const readWhole = savesMemory ? undefined : serving.readWhole;
    const context = { configuration, database, stream, checkFile, readWhole };
    const output = await handle(input, context);
    return { kind: 'result', id, output };
  } catch (error) {
    return { kind: 'failure', id, ...describeFailure(error, input, session.current) };
  }
}
