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

const SETTLED = new Set(['completed', 'failed', 'cancelled', 'expired']);

/** The REST API, as a program without a library would use it. */
export class ApiClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
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

  start(prompt: string, more: object = {}): Promise<RunView> {
    return this.post('/v1/runs', { prompt, ...more });
  }

  run(id: string): Promise<RunView> {
    return this.get(`/v1/runs/${id}`);
  }

  async events(id: string): Promise<readonly EventView[]> {
    return (await this.get<{ data: EventView[] }>(`/v1/runs/${id}/events?limit=1000`)).data;
  }

  async toolCalls(id: string): Promise<readonly ToolCallView[]> {
    return (await this.get<{ data: ToolCallView[] }>(`/v1/runs/${id}/tool-calls`)).data;
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
    const run = await this.run(id);
    if (!SETTLED.has(run.status))
      throw new Error(
        `the stream of run ${id} ended while it was ${run.status}: ${seen.join(' ')}`,
      );
    return run;
  }

  /** The events of the SSE stream, without the frames that have no id. */
  async *stream(id: string): AsyncGenerator<EventView, void> {
    const stop = new AbortController();
    const response = await fetch(`${this.#url}/v1/runs/${id}/events`, {
      headers: { accept: 'text/event-stream' },
      signal: stop.signal,
    });
    if (response.body === null) return;
    try {
      for await (const frame of framesOf(response.body)) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (frame.startsWith('id: ') && data !== undefined) yield JSON.parse(data) as EventView;
      }
    } finally {
      stop.abort();
    }
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
