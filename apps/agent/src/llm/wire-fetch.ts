import { type Endpoint, labelOf } from './endpoint.ts';
import { Pacer } from './pacer.ts';
import { StreamEvents } from './stream-events.ts';
import { protocolError } from './wire-failure.ts';

export interface WireFetchOptions {
  readonly endpoint: Endpoint;
  /** Headers that replace those of the SDK and its environment variables. */
  readonly headers: { readonly [name: string]: string };
  /** Lower-case names of SDK headers that are passed on. */
  readonly passed: ReadonlySet<string>;
  /** Replacement of `fetch`. Default: the network. */
  readonly send?: typeof fetch | undefined;
  /** Called for every piece of a response's body. */
  readonly onBytes: (count: number) => void;
}

type Bytes = Uint8Array<ArrayBuffer>;
type BytesReader = ReadableStreamDefaultReader<Bytes>;

/** Maximum bytes read of an error response. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Returns a `fetch` for an SDK that sends only the headers given here and follows no redirect.
 * Reports every byte of a body, including comments. The body holds complete events without
 * comments, read no faster than other work allows; an error's body ends after 64 KiB. Rejects with
 * `LlmError` for a page or document instead of a stream; the body fails with `LlmError` `too_large`
 * at an event that is too costly to parse.
 */
export function wireFetch({
  endpoint,
  headers,
  passed,
  onBytes,
  send = fetch,
}: WireFetchOptions): typeof fetch {
  return async (input, init) => {
    const sent = new Headers([...new Headers(init?.headers)].filter(([name]) => passed.has(name)));
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const response = await send(input, { ...init, headers: sent, redirect: 'manual' });
    if (response.body === null) return response;
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && /html|json/i.test(type)) {
      await response.body.cancel();
      throw protocolError(`${type} instead of an event stream`, endpoint);
    }
    const reader = response.body.getReader();
    const pieces = response.ok
      ? eventsOf(reader, labelOf(endpoint), onBytes)
      : beginningOf(reader, onBytes);
    const body = bodyOf(pieces, reader);
    return new Response(body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

async function* eventsOf(
  reader: BytesReader,
  label: string,
  onBytes: (count: number) => void,
): AsyncGenerator<Bytes> {
  const events = new StreamEvents(label);
  const pacer = new Pacer();
  for (;;) {
    await pacer.next();
    const { done, value } = await reader.read();
    if (done) break;
    onBytes(value.byteLength);
    for (const event of events.push(value)) {
      yield event;
      await pacer.next();
    }
  }
  const rest = events.rest();
  if (rest.length > 0) yield rest;
}

async function* beginningOf(
  reader: BytesReader,
  onBytes: (count: number) => void,
): AsyncGenerator<Bytes> {
  for (let left = MAX_ERROR_BYTES; left > 0;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes(value.byteLength);
    yield value.subarray(0, left);
    left -= value.byteLength;
  }
  release(reader);
}

/**
 * Returns a body of the pieces, read one at a time. Closes the connection on failure or
 * cancellation.
 */
function bodyOf(pieces: AsyncGenerator<Bytes>, reader: BytesReader): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const piece = await pieces.next();
          if (piece.done === true) controller.close();
          else controller.enqueue(piece.value);
        } catch (error) {
          release(reader, error);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Closes the connection of a body and ignores errors. */
function release(reader: BytesReader, reason?: unknown): void {
  reader.cancel(reason).catch(() => undefined);
}
