import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHttpHandler, type HttpHandler } from '../../src/http/server/index.ts';
import { createServer } from '../../src/server/create-server.ts';
import type { InteractiveContext } from '../../src/server/requests/request-context.ts';
import type { Server } from '../../src/server/server.ts';
import type { Changes } from '../../src/server/subscriptions/change-hub.ts';
import type { ToolOutput } from '../../src/server/tools/tool-output.ts';
import type { ToolDefinition } from '../../src/server/tools/tool.ts';
import { openNodeWires } from './node-wire.ts';
import { TrackedStore } from './tracked-store.ts';
import { openWebWires } from './web-wire.ts';
import type { OpenWire } from './wire.ts';

export const SESSION_IDLE_MS = 60_000;
/** Longer than every task lives. */
export const TASK_TTL_MS = 3_600_000;
/** Resource whose subscription takes a few turns. */
export const WATCHED = 'test://watched';

export const FACES = ['node', 'web'] as const;
export type Face = (typeof FACES)[number];

type Run = (context: InteractiveContext) => Promise<ToolOutput>;

/** A server whose remains are known. */
export class ServerUnderTest {
  readonly server: Server;
  readonly handler: HttpHandler;
  readonly openWire: OpenWire;
  readonly #store = new TrackedStore();
  #handlers = 0;
  #watches = 0;
  #connections = 0;
  readonly #errors: unknown[] = [];
  readonly #requests: WeakRef<object>[] = [];

  constructor(face: Face, { isStateless }: { readonly isStateless: boolean }) {
    const onError = (error: unknown): void => void this.#errors.push(error);
    this.server = createServer({
      info: { name: 'left', version: '1.0.0' },
      tools: this.#tools(),
      resources: {
        list: () => Promise.resolve({ resources: [] }),
        read: () => Promise.resolve({ contents: [] }),
        subscribe: async () => {
          await nextTurn();
          this.#watches += 1;
          return async () => {
            await nextTurn();
            this.#watches -= 1;
          };
        },
      },
      settings: {
        limits: { progressIntervalMs: 0 },
        requestState: { keys: ['a key of more than thirty-two characters'] },
      },
      events: { onError },
    });
    this.#countConnections();
    this.handler = createHttpHandler(this.server, {
      access: {
        authenticate: async ({ authorization }) => {
          await nextTurn();
          return authorization === undefined ? {} : { auth: { principal: String(authorization) } };
        },
      },
      sessions: isStateless ? false : { eventStore: this.#store, sessionIdleMs: SESSION_IDLE_MS },
      limits: { maxBodyBytes: 4096 },
      legacySse: true,
      onError,
    });
    const open = face === 'node' ? openNodeWires : openWebWires;
    this.openWire = open(this.handler, (request) => {
      this.#requests.push(new WeakRef(request));
    });
  }

  /** Number of HTTP requests that are still referenced; exact after a garbage collection. */
  get requestsInMemory(): number {
    return this.#requests.filter((request) => request.deref() !== undefined).length;
  }

  /** Number of handlers that run. */
  get handlers(): number {
    return this.#handlers;
  }

  /** Returns what is still attached, running or counted; empty when nothing is. */
  remains(): string {
    const counts = {
      ...this.handler.stats(),
      handlers: this.#handlers,
      watches: this.#watches,
      connections: this.#connections,
      'change listeners': (this.server.changes as Changes).size,
      'sessions with stored events': this.#store.sessions,
      replays: this.#store.readers,
    };
    return Object.entries(counts)
      .filter(([, count]) => count !== 0)
      .map(([name, count]) => `${name}: ${String(count)}`)
      .join(', ');
  }

  #countConnections(): void {
    const connect = this.server.connect.bind(this.server);
    this.server.connect = async (transport) => {
      const connection = await connect(transport);
      this.#connections += 1;
      void connection.closed.then(() => (this.#connections -= 1));
      return connection;
    };
  }

  #tools(): readonly ToolDefinition[] {
    const text = (length: number): ToolOutput => ({
      content: [{ type: 'text', text: 'x'.repeat(length) }],
    });
    const ask: Run = async (context) => {
      await context.elicit('sure', {
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return text(1);
    };
    return [
      this.#tool('echo', () => Promise.resolve(text(1))),
      this.#tool('stream', async (context) => {
        for (let step = 1; step < 4; step += 1) {
          await context.progress({ progress: step, message: 'x'.repeat(5000) });
          context.log('info', 'x'.repeat(5000));
          await nextTurn();
        }
        return text(20_000);
      }),
      this.#tool('hold', async (context) => {
        void context.progress({ progress: 1 });
        await aborted(context.signal);
        return text(1);
      }),
      this.#tool('poll', async (context) => {
        await context.progress({ progress: 1 });
        context.closeStream();
        for (let step = 2; step < 5; step += 1) {
          await nextTurn();
          await context.progress({ progress: step });
        }
        return text(1);
      }),
      this.#tool('ask', ask),
      {
        ...this.#tool('job', async (context) => {
          await context.startTask({ ttlMs: TASK_TTL_MS });
          await context.progress({ progress: 1, message: 'working' });
          await nextTurn();
          return ask(context);
        }),
        task: 'optional',
      },
    ];
  }

  #tool(name: string, run: Run): ToolDefinition {
    return {
      name,
      description: name,
      inputSchema: { type: 'object' },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
      handler: async (_args, context) => {
        this.#handlers += 1;
        try {
          return await run(context);
        } finally {
          this.#handlers -= 1;
        }
      },
    };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
