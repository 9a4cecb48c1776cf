import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isExecutorMessage } from './executor/executor-message.ts';
import { FrameDecoder } from './executor/frames.ts';
import { decodeMessage, encodeMessage } from './executor/message-frames.ts';
import {
  CHANNEL_DESCRIPTOR,
  MEMORY_LIMIT_NOTICE,
  WHOLE_RESULT_NOTICE,
  type ExecutorConfiguration,
  type ExecutorMessage,
  type ServerMessage,
} from './executor/messages.ts';

/** The end of a query process. */
export interface ExecutorEnd {
  readonly reason: 'killed' | 'memory-limit' | 'whole-result' | 'bad-reply' | 'ended';
  /** Exit code, signal and last line on stderr, for the log. */
  readonly detail: string;
}

export interface ExecutorListener {
  ready(): void;
  message(message: Exclude<ExecutorMessage, { kind: 'ready' }>): void;
  /** Called exactly once, last: after every message that the process sent. */
  ended(end: ExecutorEnd): void;
}

// The executor is beside this file as source, compiled and bundled.
const EXECUTOR_PATH = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './executor.ts' : './executor.js', import.meta.url),
);
const INHERITED_VARIABLES: readonly string[] = [
  'NODE_COMPILE_CACHE',
  'SystemRoot',
  'TMPDIR',
  'TEMP',
  'TZ',
];
const MAX_STDERR_CHARACTERS = 4096;

/**
 * A query process, which opens the database and answers one request at a time. It can be killed
 * during a request.
 */
export class ExecutorProcess {
  readonly #child: ChildProcess;
  /** Absent when the process could not be started. */
  readonly #channel: Duplex | undefined;
  readonly #listener: ExecutorListener;
  readonly #ended: Promise<unknown>;
  #stderr = '';
  #reason: ExecutorEnd['reason'] = 'ended';

  /** Starts a process that runs `program`, by default the executor. */
  constructor(
    configuration: ExecutorConfiguration,
    listener: ExecutorListener,
    program = EXECUTOR_PATH,
  ) {
    this.#listener = listener;
    this.#child = spawn(process.execPath, [program, JSON.stringify(configuration)], {
      env: minimalEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    // Without a free file descriptor there are no streams, whatever the type says.
    const { stdio } = this.#child as { readonly stdio?: readonly unknown[] };
    this.#channel = stdio?.[CHANNEL_DESCRIPTOR] as Duplex | undefined; // A pipe in both directions.
    this.#ended = once(this.#child, 'close').catch(() => undefined);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARACTERS);
    });
    const decoder = new FrameDecoder((frame) => {
      this.#receive(decodeMessage(frame));
    });
    this.#channel?.on('data', (chunk: Buffer) => {
      try {
        decoder.push(chunk);
      } catch {
        void this.kill('bad-reply');
      }
    });
    // The end of the process follows.
    this.#channel?.on('error', () => undefined);
    this.#listenForEnd();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Sends a message, together with the others of the same turn of the event loop. A failure is
   * followed by `ended`.
   */
  send(message: ServerMessage): void {
    const channel = this.#channel;
    if (channel === undefined) return;
    if (channel.writableCorked === 0) {
      channel.cork();
      process.nextTick(() => channel.uncork());
    }
    for (const piece of encodeMessage(message)) channel.write(piece);
  }

  /** Kills the process at once. Resolves when it has ended. */
  async kill(reason: ExecutorEnd['reason'] = 'killed'): Promise<void> {
    this.#reason = reason;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /**
   * Ends an idle process, which closes its connection first and so writes a WAL back, or kills it
   * after `graceMs`. Resolves when it has ended.
   */
  async end(graceMs: number): Promise<void> {
    const timer = setTimeout(() => void this.kill(), graceMs);
    this.send({ kind: 'close' });
    await this.#ended;
    clearTimeout(timer);
  }

  #receive(message: unknown): void {
    if (!isExecutorMessage(message)) void this.kill('bad-reply');
    else if (message.kind === 'ready') this.#listener.ready();
    else this.#listener.message(message);
  }

  #listenForEnd(): void {
    let failure = '';
    let isEnded = false;
    const end = (status: string): void => {
      if (isEnded) return;
      isEnded = true;
      this.#listener.ended({
        reason: this.#reason === 'ended' ? reasonOf(this.#stderr) : this.#reason,
        detail: [status, failure, this.#stderr.trim()].filter((part) => part !== '').join('; '),
      });
    };
    this.#child.on('error', (error) => {
      failure = error.message;
      if (this.#child.pid === undefined) end('not started');
    });
    this.#child.on('close', (code, signal) => {
      end(signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`);
    });
  }
}

/** Returns the reason why a process ended by itself. */
function reasonOf(stderr: string): ExecutorEnd['reason'] {
  if (stderr.includes(WHOLE_RESULT_NOTICE)) return 'whole-result';
  return stderr.includes(MEMORY_LIMIT_NOTICE) ? 'memory-limit' : 'ended';
}

function minimalEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.includes(name)),
  );
}
