import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { TimerOptions } from 'node:timers';
import { FlowGuard } from '../jsonrpc/flow-guard.ts';
import { LineReader } from '../jsonrpc/line-reader.ts';
import { LineWriter } from '../jsonrpc/line-writer.ts';
import type { MessageBudget } from '../jsonrpc/message-budget.ts';
import { messageLimits } from '../jsonrpc/message-limits.ts';
import type { JsonRpcBatch, JsonRpcMessage } from '../jsonrpc/messages.ts';
import { guarded } from '../jsonrpc/report-to-stderr.ts';
import type { Transport, TransportReceiver, UnreadableMessage } from '../jsonrpc/transport.ts';
import { TurnBudget } from '../jsonrpc/turn-budget.ts';
import { withinLimit } from '../jsonrpc/bounded-waits.ts';
import { LocalError } from '../protocol/errors.ts';
import { childEnvironment } from './child-environment.ts';
import { processCommand } from './process-command.ts';
import { HAS_PROCESS_GROUPS, isGroupAlive, signalGroup } from './process-group.ts';
import { StderrLog } from './stderr-log.ts';

/** Command, environment and limits of a server that runs as a child process. */
export interface SpawnOptions {
  /**
   * Command of the server; `node` means the running Node. On Windows a batch file such as `npx.cmd` is
   * found by its name without extension, and its arguments must not contain quotation marks, percent
   * signs and control characters.
   */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /**
   * Variables added to the minimal environment (PATH, HOME, LANG, TMPDIR and similar); nothing else
   * is inherited from this process.
   */
  readonly env?: { readonly [name: string]: string } | undefined;
  readonly cwd?: string | undefined;
  /**
   * Longest accepted message in bytes. Default: 4 MiB. Each value in a message counts as at least
   * 16 bytes; at most 100 levels of nesting are accepted. A longer response fails its request, and
   * nothing else.
   */
  readonly maxMessageBytes?: number | undefined;
  /** Budget for incomplete long messages, shared with other connections. Default: unlimited. */
  readonly messageBudget?: MessageBudget | undefined;
  /** Called with each stderr line of the child, without its newline, shortened to 8 KiB. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /**
   * Milliseconds between the end of stdin and SIGTERM, and between SIGTERM and SIGKILL. Default:
   * 2000.
   */
  readonly graceMs?: number | undefined;
}

/** The exit code of a process, or the signal that ended it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * A server process in its own process group. `close` ends the group in three steps: end of stdin,
 * SIGTERM, SIGKILL.
 */
export interface ChildTransport extends Transport {
  /** `undefined` when the process could not be started. */
  readonly pid: number | undefined;
  /** Returns the last 64 KiB of stderr. */
  stderrTail(): string;
  /** Never rejects; both fields are null when the process could not be started. */
  readonly exited: Promise<ProcessExit>;
}

/**
 * Milliseconds that output is read after the end of the process, and that its end is awaited after
 * the end of its output.
 */
const DRAIN_MS = 500;
/** Milliseconds that the kernel may take to end a killed group. */
const KILL_WAIT_MS = 2000;
const POLL_MS = 20;
/** Bytes that Node reads at once. It reads a pipe again in the same turn only after it read so many. */
const READ_BYTES = 64 * 1024;

/**
 * Starts a server process. Reads at most 16 MiB and 256 requests per second from it; ends it when
 * it exceeds the rate for 10 s, or sends more than 1000 unreadable lines and more than 20 per
 * second. `start` rejects with `connect-failed` when the command cannot be run. When the process
 * exits on its own, the rest of its group is ended too.
 * @throws LocalError `connect-failed` when the arguments are unusable.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export function spawnStdio(options: SpawnOptions): ChildTransport {
  // Loaded here, because servers import this file and start no process.
  const { spawn } = process.getBuiltinModule('node:child_process');
  try {
    const env = childEnvironment(options.env);
    const { file, args, windowsVerbatimArguments } = processCommand(options, env);
    const child = spawn(file, args, {
      cwd: options.cwd,
      env,
      detached: HAS_PROCESS_GROUPS,
      windowsHide: true,
      windowsVerbatimArguments,
    });
    return new ProcessTransport(child, options);
  } catch (error) {
    throw spawnError(options, error);
  }
}

class ProcessTransport implements ChildTransport {
  readonly pid: number | undefined;
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: SpawnOptions;
  readonly #stderr: StderrLog;
  readonly #writer: LineWriter;
  readonly #spawned: Promise<unknown>;
  readonly #pipesClosed: Promise<unknown>;
  readonly #turn = new TurnBudget();
  #receiver: TransportReceiver | undefined;
  #reader: LineReader | undefined;
  #exit: ProcessExit | undefined;
  #drainTimer: NodeJS.Timeout | undefined;
  #releasing: Promise<void> | undefined;
  /** Number of reasons not to read its output. */
  #pauses = 0;
  #isCloseAsked = false;
  #hasEnded = false;

  constructor(child: ChildProcessWithoutNullStreams, options: SpawnOptions) {
    this.pid = child.pid;
    this.#child = child;
    this.#options = options;
    this.#stderr = new StderrLog(options.onStderr && guarded(options.onStderr));
    this.#writer = new LineWriter(child.stdin);
    this.#spawned = process.getBuiltinModule('node:events').once(child, 'spawn');
    this.#pipesClosed = new Promise((resolve) => child.once('close', resolve));
    this.exited = new Promise((resolve) => {
      child.on('error', () => resolve({ code: null, signal: null }));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    // A transport may be discarded without being started.
    this.#spawned.catch(() => undefined);
    child.once('exit', (code, signal) => this.#onExit({ code, signal }));
    child.once('close', () => this.#end());
    child.stdin.on('error', () => this.#endSoon());
    child.stdout.on('error', () => this.#endSoon());
    child.stdout.once('end', () => this.#endSoon());
    child.stderr.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.write(chunk));
  }

  stderrTail(): string {
    return this.#stderr.tail();
  }

  async start(receiver: TransportReceiver): Promise<void> {
    try {
      await this.#spawned;
    } catch (error) {
      throw spawnError(this.#options, error);
    }
    if (this.#isCloseAsked || this.#hasEnded) {
      throw new LocalError(
        'connect-failed',
        `The server process ended before it was connected${this.#stderrSuffix()}`,
      );
    }
    this.#receiver = receiver;
    const guard = new FlowGuard((problem) => {
      reader.stop();
      this.#breakOff(problem);
    });
    const counted = {
      message: (value: unknown) => {
        guard.message(value);
        receiver.message(value);
      },
      unreadable: (problem: UnreadableMessage) => {
        receiver.unreadable(problem);
        guard.unreadable();
      },
    };
    const reader = new LineReader(
      counted,
      messageLimits(this.#options.maxMessageBytes, this.#options.messageBudget),
    );
    this.#reader = reader;
    this.#child.stdout.on('data', (chunk: Buffer) => this.#read(reader, guard, chunk));
    this.#child.stdout.once('end', () => this.#isCloseAsked || this.#hasEnded || reader.end());
  }

  send(message: JsonRpcMessage | JsonRpcBatch): Promise<void> | undefined {
    if (this.#isCloseAsked || this.#hasEnded) {
      return Promise.reject(
        new LocalError('connection-closed', 'The connection to the server process is closed.'),
      );
    }
    return this.#writer.write(message);
  }

  close(): Promise<void> {
    this.#isCloseAsked = true;
    return this.#release();
  }

  #read(reader: LineReader, guard: FlowGuard, chunk: Buffer): void {
    if (this.#isCloseAsked || this.#hasEnded) {
      return;
    }
    reader.push(chunk);
    if (this.#writer.isCongestedByResponses) void this.#pauseUntil(this.#writer.drained());
    const pauseMs = guard.read(chunk.length);
    if (pauseMs > 0) void this.#pauseUntil(delay(pauseMs, { ref: false }));
    const nextTurn = this.#turn.read(chunk.length, chunk.length < READ_BYTES);
    if (nextTurn !== undefined) void this.#pauseUntil(nextTurn);
  }

  async #pauseUntil(end: Promise<unknown>): Promise<void> {
    this.#pauses += 1;
    this.#child.stdout.pause();
    await end;
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#child.stdout.resume();
  }

  /** Ends a flooding process without reading more of its output. */
  #breakOff(problem: string): void {
    if (this.#isCloseAsked || this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#drainTimer);
    this.#stderr.end();
    this.#child.stdout.destroy();
    this.#receiver?.closed(
      new LocalError('connection-lost', `The server process is ended: ${problem}.`),
    );
    void this.#release();
  }

  #onExit(exit: ProcessExit): void {
    this.#exit = exit;
    this.#endSoon();
  }

  /**
   * Closes after a short wait, so that output written before the end, and the exit that explains a
   * closed pipe, can arrive.
   */
  #endSoon(): void {
    if (!this.#hasEnded) {
      this.#drainTimer ??= setTimeout(() => this.#end(), DRAIN_MS);
    }
  }

  #end(): void {
    if (this.#hasEnded) {
      return;
    }
    this.#hasEnded = true;
    clearTimeout(this.#drainTimer);
    this.#stderr.end();
    this.#receiver?.closed(this.#isCloseAsked ? undefined : this.#endError());
    void this.#release();
  }

  #release(): Promise<void> {
    this.#releasing ??= this.#terminate();
    return this.#releasing;
  }

  async #terminate(): Promise<void> {
    const { graceMs = 2000 } = this.#options;
    this.#writer.flush();
    this.#child.stdin.end();
    // A process blocked on its output would not see the end of its input.
    this.#child.stdout.resume();
    await withinLimit(this.exited, graceMs);
    if (this.pid !== undefined && !(await this.#isGone())) {
      signalGroup(this.pid, 'SIGTERM');
      if (!(await this.#isGoneWithin(graceMs))) {
        signalGroup(this.pid, 'SIGKILL');
        await this.#isGoneWithin(KILL_WAIT_MS);
      }
    }
    // A process that left the group may still hold the pipes open.
    await withinLimit(this.#pipesClosed, DRAIN_MS);
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.#reader?.stop();
    this.#end();
  }

  async #isGoneWithin(limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    while (!(await this.#isGone())) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) {
        return false;
      }
      await delay(Math.min(POLL_MS, leftMs));
    }
    return true;
  }

  async #isGone(): Promise<boolean> {
    return this.#exit !== undefined && !(this.pid !== undefined && (await isGroupAlive(this.pid)));
  }

  #endError(): LocalError {
    return new LocalError(
      'connection-lost',
      `The server process ${this.#endReason()}${this.#stderrSuffix()}`,
    );
  }

  #endReason(): string {
    if (this.#exit === undefined) {
      return this.#child.stdout.readableEnded
        ? 'closed its standard output'
        : 'stopped reading its standard input';
    }
    return this.#exit.signal === null
      ? `exited with code ${this.#exit.code}`
      : `was ended by ${this.#exit.signal}`;
  }

  #stderrSuffix(): string {
    const lines = this.#stderr.excerpt();
    return lines.length === 0 ? '.' : `; on stderr: ${lines.join(' | ')}`;
  }
}

function spawnError(options: SpawnOptions, cause: unknown): LocalError {
  return new LocalError(
    'connect-failed',
    `Cannot start "${options.command}": ${spawnProblem(options, cause)}`,
    { cause },
  );
}

/** Loads the timers on first use: a server has the same entry point and starts no child. */
function delay(ms: number, options?: TimerOptions): Promise<void> {
  return process.getBuiltinModule('node:timers/promises').setTimeout(ms, undefined, options);
}

function spawnProblem(options: SpawnOptions, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // The system reports a missing working directory as if the command were missing.
  if (
    code === 'ENOENT' &&
    options.cwd !== undefined &&
    !process.getBuiltinModule('node:fs').existsSync(options.cwd)
  ) {
    return `the working directory ${options.cwd} does not exist.`;
  }
  if (code === 'ENOENT') {
    return 'the command was not found. Check its spelling and PATH.';
  }
  if (code === 'EACCES') {
    return 'it is not an executable file, or its directory may not be entered.';
  }
  return cause instanceof Error ? cause.message : String(cause);
}
