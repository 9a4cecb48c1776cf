import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startStopwatch } from '@signalbox/server-kit/testing';
import { compileCache } from '../support/compile-cache.ts';

/** Whether the cases run as they are worded, with `npm run cases`, and not shortened in `npm test`. */
export const inFull = process.env['CASES_IN_FULL'] === '1';

export type Era = 'legacy' | 'modern';
export const eras: readonly Era[] = ['legacy', 'modern'];

export interface Json {
  readonly [member: string]: unknown;
}

export interface Answer {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

export interface CallOutcome extends Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Json;
}

export interface PeerOptions {
  readonly era: Era;
  /** Roots of the client; without them it has no roots capability. */
  readonly roots?: readonly string[];
  /** Delay of the response to `roots/list`, in milliseconds. */
  readonly rootsDelayMs?: number;
  /** Answers form elicitation, `accept` with `confirm: true`; without it the client has no elicitation capability. */
  readonly elicit?: (message: string, params: Json) => 'accept' | 'decline' | Json;
  readonly env?: NodeJS.ProcessEnv;
}

export interface CallOptions {
  readonly progressToken?: string;
  readonly onId?: (id: number) => void;
}

const protocolVersions = { legacy: '2025-11-25', modern: '2026-07-28' } as const;

/** A client that exchanges lines of JSON without a library. */
export class StdioPeer implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly notifications: Json[] = [];
  readonly badLines: string[] = [];
  longestLine = 0;
  stderr = '';
  readonly #options: PeerOptions;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #listeners = new Set<() => void>();
  #lastId = 0;

  private constructor(child: ChildProcessWithoutNullStreams, options: PeerOptions) {
    this.child = child;
    this.#options = options;
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#receive(line);
    });
    child.once('close', () => {
      for (const answer of this.#waiting.values())
        answer({ error: { code: 0, message: `the server ended: ${this.stderr}` } });
    });
  }

  /** Starts a program and opens the connection. */
  static async start(
    program: string,
    args: readonly string[],
    options: PeerOptions,
  ): Promise<StdioPeer> {
    const child = spawn(process.execPath, [program, ...args], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        TMPDIR: process.env['TMPDIR'],
        ...compileCache,
        ...options.env,
      },
    });
    const peer = new StdioPeer(child, options);
    if (options.era === 'legacy') {
      const { error } = await peer.request('initialize', {
        protocolVersion: protocolVersions.legacy,
        capabilities: peer.#capabilities,
        clientInfo: { name: 'cases', version: '1' },
      });
      if (error !== undefined) throw new Error(error.message);
      peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    return peer;
  }

  get #capabilities(): Json {
    const { roots, elicit } = this.#options;
    return {
      ...(roots === undefined ? {} : { roots: { listChanged: true } }),
      ...(elicit === undefined ? {} : { elicitation: {} }),
    };
  }

  send(message: Json): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  request(
    method: string,
    params: Json = {},
    { progressToken, onId }: CallOptions = {},
  ): Promise<Answer> {
    const id = ++this.#lastId;
    const meta = {
      ...(this.#options.era === 'modern' ? this.#modernMeta : {}),
      ...(progressToken === undefined ? {} : { progressToken }),
    };
    const answered = Promise.withResolvers<Answer>();
    this.#waiting.set(id, answered.resolve);
    onId?.(id);
    this.send({
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) },
    });
    return answered.promise;
  }

  /** Calls a tool, and answers the input requests of a modern server. */
  async call(name: string, args: Json, options: CallOptions = {}): Promise<CallOutcome> {
    let answer = await this.request('tools/call', { name, arguments: args }, options);
    while (answer.result?.['resultType'] === 'input_required') {
      const asked = answer.result['inputRequests'] as {
        readonly [key: string]: { readonly method: string; readonly params?: Json };
      };
      const inputResponses = Object.fromEntries(
        Object.entries(asked).map(([key, { method, params }]) => [
          key,
          this.#answerTo(method, params),
        ]),
      );
      answer = await this.request(
        'tools/call',
        { name, arguments: args, inputResponses, requestState: answer.result['requestState'] },
        options,
      );
    }
    const content = (answer.result?.['content'] ?? []) as readonly { readonly text?: string }[];
    return {
      ...answer,
      isError: answer.result?.['isError'] === true,
      text: content[0]?.text ?? '',
      structured: (answer.result?.['structuredContent'] ?? {}) as Json,
    };
  }

  cancel(requestId: number): void {
    this.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, ...(this.#options.era === 'modern' ? { _meta: this.#modernMeta } : {}) },
    });
  }

  /** Returns the first matching notification, past or future. */
  async notified(matches: (message: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.notifications.find(matches);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
    }
  }

  hasAnswerPending(id: number): boolean {
    return this.#waiting.has(id);
  }

  /** Returns the number of watches of the system that the server has; 0 where there is no /proc. */
  systemWatches(): number {
    const folder = `/proc/${this.child.pid ?? 0}/fdinfo`;
    if (!existsSync(folder)) return 0;
    const infos = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'latin1'));
    return infos.flatMap((info) => info.match(/^inotify /gm) ?? []).length;
  }

  /** Returns the processor time and peak memory of the server process, in milliseconds and MiB. */
  usage(): { readonly cpuMs: number; readonly peakMib: number } {
    const status = readFileSync(`/proc/${this.child.pid ?? 0}/status`, 'latin1');
    const [, ...fields] =
      /\) (.*)/.exec(readFileSync(`/proc/${this.child.pid ?? 0}/stat`, 'latin1')) ?? [];
    const ticks = (fields[0] ?? '').split(' ').slice(11, 13).map(Number);
    return {
      cpuMs: ticks.reduce((sum, each) => sum + each, 0) * 10,
      peakMib: Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024,
    };
  }

  /**
   * Returns the milliseconds that `work` takes; unless the cases run in full, without the time for
   * which this server or this client waited for a processor.
   */
  async timed(work: () => Promise<unknown>): Promise<number> {
    const begun = performance.now();
    const elapsedMs = startStopwatch(this.child);
    await work();
    const counted = elapsedMs();
    return inFull ? performance.now() - begun : counted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }

  get #modernMeta(): Json {
    return {
      'io.modelcontextprotocol/protocolVersion': protocolVersions.modern,
      'io.modelcontextprotocol/clientInfo': { name: 'cases', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': this.#capabilities,
    };
  }

  #receive(line: string): void {
    this.longestLine = Math.max(this.longestLine, Buffer.byteLength(line));
    let message: Json &
      Answer & { readonly id?: number; readonly method?: string; readonly params?: Json };
    try {
      message = JSON.parse(line) as typeof message;
    } catch {
      this.badLines.push(line);
      return;
    }
    if (message.method !== undefined && message.id !== undefined)
      this.#serve(message.id, message.method, message.params);
    else if (message.method === undefined) {
      this.#waiting.get(message.id ?? 0)?.(message);
      this.#waiting.delete(message.id ?? 0);
    } else {
      this.notifications.push(message);
    }
    for (const listener of this.#listeners) listener();
  }

  #serve(id: number, method: string, params: Json | undefined): void {
    setTimeout(() => {
      this.send({ jsonrpc: '2.0', id, result: this.#answerTo(method, params) });
    }, this.#options.rootsDelayMs ?? 0);
  }

  #answerTo(method: string, params: Json | undefined): Json {
    if (method === 'elicitation/create' && this.#options.elicit !== undefined) {
      const answer = this.#options.elicit(String(params?.['message']), params ?? {});
      return typeof answer === 'string' ? { action: answer, content: { confirm: true } } : answer;
    }
    if (method !== 'roots/list')
      throw new Error(`The server asked ${method}, which this client cannot answer`);
    return { roots: (this.#options.roots ?? []).map((uri) => ({ uri })) };
  }
}
