import { setTimeout as delay } from 'node:timers/promises';
import { createClient, isSettled, unwrap, type Client } from '@signalbox/client';

export interface Json {
  readonly [key: string]: unknown;
}

export interface RunView extends Json {
  readonly id: string;
  readonly status: string;
  readonly answer?: string;
  readonly last_seq: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly inbox: readonly { readonly id: string; readonly kind: string; readonly request: Json }[];
}

export interface EventView {
  readonly seq: number;
  readonly type: string;
  /** UTC, ISO 8601. */
  readonly at: string;
  readonly data: Json;
}

export interface ToolCallView extends Json {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
}

/** A request that fails is not sent again: a test waits for what it wants to see. */
const ONCE = { retryForMs: 0 };

/** Milliseconds between two reads of the states of servers. */
const POLL_EVERY_MS = 50;

export interface ApiClientOptions {
  /**
   * Whether `start` waits until the servers of the run are ready or have failed; default true. False
   * for tests of servers that hang or connect late.
   */
  readonly waitsForServers?: boolean;
}

interface ServerState {
  readonly name: string;
  readonly state: string;
  readonly restarts: number;
}

/** The REST API, by the client that programs use. `get` and `post` are for other paths and for wrong requests. */
export class ApiClient {
  readonly #url: string;
  #areServersKnown: boolean;

  constructor(url: string, { waitsForServers = true }: ApiClientOptions = {}) {
    this.#url = url;
    this.#areServersKnown = !waitsForServers;
  }

  /** The client. Its requests are sent again when they fail. */
  get client(): Client {
    return createClient({ baseUrl: this.#url });
  }

  async post<T>(path: string, body: object = {}): Promise<T> {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#url}${path}`);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /**
   * Starts a run when its servers are ready or have failed. The service waits for them for only 15 s,
   * in which a loaded machine may not start them.
   */
  async start(prompt: string, more: object = {}): Promise<RunView> {
    // The API checks the type.
    const { servers } = more as { readonly servers?: readonly string[] };
    while (!this.#areServersKnown && (await this.#isConnecting(servers)))
      await delay(POLL_EVERY_MS);
    return this.client.runs.create({ prompt, ...more }, ONCE);
  }

  /** Whether one of the named servers, or of all servers, has neither been ready nor failed. */
  async #isConnecting(names?: readonly string[]): Promise<boolean> {
    const { data } = await this.get<{ readonly data: readonly ServerState[] }>('/v1/servers');
    const connecting = data.filter(
      ({ state, restarts }) => state === 'connecting' && restarts === 0,
    );
    if (connecting.length === 0) this.#areServersKnown = true;
    return connecting.some(({ name }) => names?.includes(name) ?? true);
  }

  run(id: string): Promise<RunView> {
    return this.client.runs.get(id);
  }

  async events(id: string): Promise<readonly EventView[]> {
    const events: EventView[] = [];
    for await (const event of this.client.runs.events(id)) events.push(event);
    return events;
  }

  async toolCalls(id: string): Promise<readonly ToolCallView[]> {
    const params = { path: { id } };
    return (await unwrap(this.client.api.GET('/v1/runs/{id}/tool-calls', { params }))).data;
  }

  /** Follows the stream and resolves with the first event, old or new, that the predicate accepts. */
  async waitFor(id: string, accepts: (event: EventView) => boolean): Promise<EventView> {
    for await (const event of this.stream(id)) if (accepts(event)) return event;
    throw new Error(
      `run ${id} ended without the event that was waited for: ${JSON.stringify((await this.events(id)).map((event) => event.type))}`,
    );
  }

  /** Follows the stream to its end and returns the settled run. */
  async settled(id: string): Promise<RunView> {
    const seen: string[] = [];
    for await (const event of this.stream(id)) seen.push(event.type);
    const run = await this.client.runs.get(id);
    if (!isSettled(run))
      throw new Error(
        `the stream of run ${id} ended while it was ${run.status}: ${seen.join(' ')}`,
      );
    return run;
  }

  /** The events of one stream, without the frames that have no id. */
  async *stream(id: string): AsyncGenerator<EventView, void> {
    for await (const frame of this.client.runs.stream(id, ONCE)) if ('seq' in frame) yield frame;
  }
}

export async function* framesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    yield* frames;
  }
}
