import type { CallToolResult, JsonObject, ToolAnnotations } from '@signalbox/mcp-core';
import { localCatalogue } from '../../fleet/local-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CatalogueTool, ServerStatus, ToolCatalogue } from '../../ports/tool-catalogue.ts';
import type {
  CallReservation,
  CallReservationRequest,
  ToolCallOutcome,
  ToolCallRequest,
  ToolDispatcher,
} from '../../ports/tool-dispatcher.ts';

export type Behaviour = (request: ToolCallRequest) => Promise<ToolCallOutcome>;

export interface FakeTool {
  readonly annotations?: ToolAnnotations;
  readonly trusted?: boolean;
  readonly call: Behaviour;
  /** Returns what is wrong with the arguments; default: nothing. */
  readonly check?: (args: JsonObject) => string | undefined;
  readonly description?: string;
}

/** Tools by wire name, each a function. Records the calls. */
export class FakeRegistry implements ToolDispatcher {
  readonly sent: ToolCallRequest[] = [];
  readonly catalogue: ToolCatalogue = localCatalogue(this);
  /** While set, every server is still connecting; resolving it connects them. */
  connecting: Promise<unknown> | undefined;
  /** While set, each call waits for it before it may be sent. */
  admission: ((request: CallReservationRequest) => Promise<unknown>) | undefined;
  /** Status of the servers where it differs from the default. */
  status: { readonly [server: string]: Partial<ServerStatus> } = {};
  /** Wire name of a tool that is quarantined. */
  quarantined: string | undefined;
  readonly #tools: { readonly [wireName: string]: FakeTool };

  readonly #onCall: () => void;
  readonly #since: number;

  constructor(tools: { readonly [wireName: string]: FakeTool }, onCall: () => void, clock: Clock) {
    this.#tools = tools;
    this.#onCall = onCall;
    this.#since = clock.now();
  }

  start(): void {
    // Nothing to connect.
  }

  async settled(): Promise<void> {
    await this.connecting;
    this.connecting = undefined;
  }

  useLogins(): Promise<void> {
    return Promise.resolve();
  }

  servers(): readonly ServerStatus[] {
    const names = [...new Set(Object.keys(this.#tools).map(serverOf))];
    return names.map((name) => ({
      name,
      state: this.connecting === undefined ? 'ready' : 'connecting',
      ...QUIET,
      since: this.#since,
      ...this.status[name],
    }));
  }

  tools(servers?: readonly string[]): readonly CatalogueTool[] {
    return Object.entries(this.#tools)
      .filter(([wireName]) => servers === undefined || servers.includes(serverOf(wireName)))
      .map(([wireName, tool]) => ({
        wireName,
        server: serverOf(wireName),
        name: wireName.split('__')[1] ?? wireName,
        description: tool.description ?? `the tool ${wireName}`,
        inputSchema: { type: 'object' },
        annotations: tool.annotations ?? {},
        trusted: tool.trusted ?? true,
      }));
  }

  find(wireName: string): CatalogueTool | undefined {
    return this.tools().find((tool) => tool.wireName === wireName && wireName !== this.quarantined);
  }

  whyNotOffered(wireName: string): string | undefined {
    return wireName === this.quarantined ? 'it is quarantined' : undefined;
  }

  isQuarantined(wireName: string): boolean {
    return wireName === this.quarantined;
  }

  async checkArguments(wireName: string, args: JsonObject): Promise<string | undefined> {
    return this.#tools[wireName]?.check?.(args);
  }

  async reserve(request: CallReservationRequest): Promise<CallReservation> {
    await this.admission?.(request);
    return { call: (sent) => this.call(sent), release: () => undefined };
  }

  call(request: ToolCallRequest): Promise<ToolCallOutcome> {
    const tool = this.#tools[request.wireName];
    if (tool === undefined) return Promise.resolve({ type: 'not-sent', message: 'no such tool' });
    this.sent.push(request);
    this.#onCall();
    return tool.call(request);
  }

  onServerChange(): void {
    // Servers never change here.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const QUIET = {
  transport: 'stdio',
  breaker: { state: 'closed', failures: 0 },
  toolCount: 1,
  quarantined: [],
  roots: [],
  warnings: [],
  connections: [],
  waiting: [],
  restarts: 0,
} as const;

export const READ_ONLY: ToolAnnotations = { readOnlyHint: true };

export function ok(text: string): ToolCallOutcome {
  const result: CallToolResult = { content: [{ type: 'text', text }] };
  return { type: 'result', result };
}

/** A call that ends when it is cancelled, with the given level. */
export function untilCancelled(
  level: 'sent' | 'delivered' | 'confirmed' | 'failed' = 'delivered',
): Behaviour {
  return ({ signal }) =>
    new Promise((resolve) => {
      const end = (): void => resolve({ type: 'cancelled', level });
      if (signal.aborted) end();
      signal.addEventListener('abort', end, { once: true });
    });
}

function serverOf(wireName: string): string {
  return wireName.split('__')[0] ?? wireName;
}
