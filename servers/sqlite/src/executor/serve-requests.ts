import { DatabaseSession } from './database-session.ts';
import type { ExecutorChannel } from './executor-channel.ts';
import { describeFailure } from './explain-failure.ts';
import type { ExecutorConfiguration, ExecutorReply, ExecutorRequest } from './messages.ts';
import type { OperationHandler } from './operation.ts';
import { OperationStream } from './operation-stream.ts';
import { setStep } from './watchdog.ts';

/** The operations of a process by name. */
export interface Handlers {
  readonly [operation: string]: OperationHandler<unknown, unknown>;
}

export interface ServeRequestsOptions {
  readonly configuration: ExecutorConfiguration;
  readonly handlers: Handlers;
  /** Number of the current step for the watchdog, and 0 while the process waits for the server. */
  readonly activity: Int32Array;
}

/** Answers requests, one at a time. Resolves when the server has closed the channel. */
export async function serveRequests(
  { configuration, handlers, activity }: ServeRequestsOptions,
  channel: ExecutorChannel,
): Promise<void> {
  const { default: Database } = await import('better-sqlite3');
  const session = new DatabaseSession({ ...configuration, Database });
  let step = 0;
  const setBusy = (isBusy: boolean): void => {
    step = (step % 0x7fff_ffff) + 1;
    setStep(activity, isBusy ? step : 0);
  };
  channel.send({ kind: 'ready' });
  for (;;) {
    const message = await channel.receive();
    if (message.kind === 'close') break;
    // Other messages belong to an operation, which receives them itself.
    if (message.kind !== 'request') continue;
    setBusy(true);
    const stream = new OperationStream({ id: message.id, channel, setBusy });
    channel.send(await answer(message, { configuration, handlers, session, stream }));
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
}

async function answer(request: ExecutorRequest, serving: Serving): Promise<ExecutorReply> {
  const { id, operation, input } = request;
  const { configuration, handlers, session, stream } = serving;
  try {
    const handle = handlers[operation];
    if (handle === undefined) throw new Error(`There is no operation ${operation}.`);
    const database = session.use();
    const checkFile = () => session.checkFile();
    const output = await handle(input, { configuration, database, stream, checkFile });
    return { kind: 'result', id, output };
  } catch (error) {
    return { kind: 'failure', id, ...describeFailure(error, input, session.current) };
  }
}
