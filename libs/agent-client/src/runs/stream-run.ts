import type { MessageDeltaFrame, RunEvent, RunSnapshotFrame } from '../api-types.ts';
import type { Api } from '../create-api.ts';
import { BackOff, type RetryOptions } from '../retry/back-off.ts';
import { unwrap } from '../unwrap.ts';
import { MessageTexts } from './message-texts.ts';
import { parseEvents } from './parse-events.ts';
import { withStallLimit } from './with-stall-limit.ts';

/** State of a run when a connection to its stream began, or after a slow reader missed deltas. */
export type RunSnapshot = Omit<RunSnapshotFrame, 'partial'>;

/** A stored event of a run, the next part of an unfinished message, or the state of the run, distinguished by `type`. */
export type RunFrame = RunEvent | MessageDeltaFrame | RunSnapshot;

/** Options of a stream. */
export interface StreamOptions extends RetryOptions {
  /** Events with a greater `seq` are delivered. Default: 0, all events. */
  readonly after?: number | undefined;
  /** Events to deliver, besides the one that ends the run; deltas only with `message.delta`. Default: all events and deltas. */
  readonly types?: readonly (RunEvent['type'] | 'message.delta')[] | undefined;
}

/** Milliseconds without a byte after which a connection counts as lost: three heartbeats of the service. */
const STALL_MS = 45_000;

const LAST_EVENTS: ReadonlySet<string> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.expired',
]);

/**
 * Yields the frames of a run until it is settled. A connection that is lost, refused with a retryable problem or silent for 45 seconds is opened again after the last event.
 * @throws ProblemError, such as `run_not_found`; the last error after `retryForMs` of failures; the reason of the signal
 */
export async function* streamRun(
  api: Api,
  id: string,
  options: StreamOptions = {},
): AsyncGenerator<RunFrame, void> {
  const backOff = new BackOff(options);
  const reader = new StreamReader(options);
  for (;;) {
    try {
      options.signal?.throwIfAborted();
      for await (const data of connection(api, id, { reader, backOff, options })) {
        backOff.reset();
        yield* reader.take(JSON.parse(data) as SentFrame);
      }
      if (reader.isOver) return;
      throw new Error(`The stream of run ${id} ended before the run`);
    } catch (error) {
      await backOff.wait(error);
    }
  }
}

type SentFrame = RunEvent | MessageDeltaFrame | RunSnapshotFrame | { readonly type: 'stream.gap' };

/** State of a reader over all of its connections. */
class StreamReader {
  readonly #texts = new MessageTexts();
  readonly #isFiltered: boolean;
  readonly #wantsDeltas: boolean;
  #seq: number;
  /** Last event that the service had at the start of the connection. */
  #seqAtStart = 0;
  #isOver = false;

  constructor({ after = 0, types }: StreamOptions) {
    this.#seq = after;
    this.#isFiltered = types !== undefined;
    this.#wantsDeltas = types?.includes('message.delta') ?? true;
  }

  /** Last event that was delivered. */
  get seq(): number {
    return this.#seq;
  }

  /** Whether the run is settled and every event was delivered. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Marks the end that the service announced without a stream. */
  end(): void {
    this.#isOver = true;
  }

  /** Yields what a frame adds to what the reader has. */
  *take(frame: SentFrame): Generator<RunFrame> {
    switch (frame.type) {
      case 'stream.gap':
        return;
      case 'run.snapshot': {
        this.#seqAtStart = frame.run.last_seq;
        const { partial: _text, ...snapshot } = frame;
        yield snapshot;
        yield* some(this.#texts.takeSnapshot(frame, this.#isFiltered ? Infinity : this.#seq));
        return;
      }
      case 'message.delta':
        yield* some(this.#texts.takeMissing());
        yield* some(this.#texts.takeDelta(frame));
        return;
      default:
        yield* this.#takeEvent(frame);
    }
  }

  *#takeEvent(event: RunEvent): Generator<RunFrame> {
    if (event.seq <= this.#seq) return;
    yield* some(this.#texts.takeMissing(event.seq));
    const rest = this.#texts.takeEvent(event);
    if (this.#wantsDeltas) yield* some(rest);
    this.#seq = event.seq;
    // A run that was resumed has events behind the one that ended it before.
    this.#isOver = LAST_EVENTS.has(event.type) && event.seq >= this.#seqAtStart;
    yield event;
    yield* some(this.#texts.takeMissing(event.seq + 1));
  }
}

function some<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

interface Connection {
  readonly reader: StreamReader;
  readonly backOff: BackOff;
  readonly options: StreamOptions;
}

/** Opens one stream behind the last event and yields the data of its frames. The stream is closed at the end, also when its consumer stops. */
async function* connection(
  api: Api,
  id: string,
  { reader, backOff, options: { signal, types } }: Connection,
): AsyncGenerator<string, void> {
  const closing = new AbortController();
  const abort = (): void => closing.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    const response = unwrap(
      api.GET('/v1/runs/{id}/events', {
        params: {
          path: { id },
          ...(types !== undefined && { query: { types: types.join(',') } }),
          ...(reader.seq > 0 && { header: { 'Last-Event-ID': String(reader.seq) } }),
        },
        headers: { accept: 'text/event-stream' },
        parseAs: 'stream',
        signal: closing.signal,
      }),
    );
    const body = await withStallLimit(response, STALL_MS);
    // The answer to a reader that has every event of a settled run is 204.
    if (!body) return reader.end();
    const parse = { stallMs: STALL_MS, onRetryTime: (ms: number) => backOff.setFirstDelay(ms) };
    for await (const { data } of parseEvents(body, parse)) yield data;
  } finally {
    signal?.removeEventListener('abort', abort);
    closing.abort();
  }
}
