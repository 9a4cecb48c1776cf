import { DatabaseSession } from './database-session.ts';
import { describeFailure } from './explain-failure.ts';
import type {
  ExecutorConfiguration,
  ExecutorMessage,
  ExecutorReply,
  ExecutorRequest,
  ServerMessage,
} from './messages.ts';
import type { OperationHandler } from './operation.ts';
import { OperationStream } from './operation-stream.ts';
import { setStep } from './watchdog.ts';

/** The IPC channel to the parent. */
export interface ExecutorChannel {
  onMessage(listener: (message: ServerMessage) => void): void;
  send(message: ExecutorMessage): void;
  /** Ends the process. */
  close(): void;
}

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

/** Answers requests, one at a time. */
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
  let current: OperationStream | undefined;
  const serve = async (request: ExecutorRequest): Promise<void> => {
    const { id } = request;
    current = new OperationStream({ id, send: (message) => channel.send(message), setBusy });
    setBusy(true);
    const reply = await answer(request, { configuration, handlers, session, stream: current });
    channel.send(reply);
    session.limitWal();
    setBusy(false);
  };
  channel.onMessage((message) => {
    if (message.kind === 'request') void serve(message);
    else if (message.kind === 'close') {
      session.close();
      channel.close();
    } else current?.accept(message);
  });
  channel.send({ kind: 'ready' });
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
