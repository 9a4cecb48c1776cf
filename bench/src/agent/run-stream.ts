import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';

/** Events of a run as one reader received them. */
export interface Seen {
  /** Consecutive events from the first one. */
  readonly inOrder: number;
  /** Events that arrived twice, or after a gap. */
  readonly outOfOrder: number;
}

export interface RunStreamOptions {
  /** Called with the type of each event on arrival. */
  readonly onEvent?: (type: string, seq: number) => void;
}

/** Reads a run's event stream and checks that it begins with event 1 and skips none. */
export class RunStream {
  readonly #response: IncomingMessage;
  readonly #onEvent: RunStreamOptions['onEvent'];
  /** Resolves when the service ended the stream. */
  readonly ended: Promise<Seen>;
  #rest = '';
  #inOrder = 0;
  #outOfOrder = 0;

  private constructor(response: IncomingMessage, { onEvent }: RunStreamOptions) {
    this.#response = response.setEncoding('utf8');
    this.#onEvent = onEvent;
    response.on('data', (text: string) => this.#read(text));
    this.ended = once(response, 'end').then(() => ({
      inOrder: this.#inOrder,
      outOfOrder: this.#outOfOrder,
    }));
  }

  /** Follows a run from its first event. */
  static async open(
    url: string,
    runId: string,
    options: RunStreamOptions = {},
  ): Promise<RunStream> {
    const request = httpRequest(`${url}/v1/runs/${runId}/events`, {
      headers: { accept: 'text/event-stream', 'last-event-id': '0' },
      agent: false,
    });
    request.end();
    return new RunStream(await answerOf(request), options);
  }

  /** Starts a run and follows it, in one request. */
  static async start(
    url: string,
    body: object,
    options: RunStreamOptions = {},
  ): Promise<{ readonly stream: RunStream; readonly runId: string }> {
    const request = httpRequest(`${url}/v1/runs`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      agent: false,
    });
    request.end(JSON.stringify(body));
    const response = await answerOf(request);
    return {
      stream: new RunStream(response, options),
      runId: String(response.headers.location).split('/').at(-1) ?? '',
    };
  }

  get inOrder(): number {
    return this.#inOrder;
  }

  /** Stops reading until `resume`; the service notices when the buffers in between are full. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  leave(): void {
    // Its end is not awaited in this case.
    this.ended.catch(() => undefined);
    this.#response.destroy();
  }

  #read(text: string): void {
    const frames = (this.#rest + text).split('\n\n');
    this.#rest = frames.pop() ?? '';
    for (const frame of frames) if (frame.startsWith('id: ')) this.#count(frame);
  }

  #count(frame: string): void {
    const seq = Number.parseInt(frame.slice('id: '.length), 10);
    if (seq === this.#inOrder + 1) this.#inOrder = seq;
    else this.#outOfOrder += 1;
    if (this.#onEvent === undefined) return;
    const type = frame.slice(
      frame.indexOf('event: ') + 'event: '.length,
      frame.indexOf('\ndata: '),
    );
    this.#onEvent(type, seq);
  }
}

/** @throws Error for a response that is not a stream */
async function answerOf(request: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200 && response.statusCode !== 202)
    throw new Error(`${request.path} was answered with ${String(response.statusCode)}`);
  return response;
}
