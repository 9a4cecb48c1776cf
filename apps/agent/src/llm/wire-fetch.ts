import type { Endpoint } from './endpoint.ts';
import { protocolError } from './wire-failure.ts';

export interface WireFetchOptions {
  readonly endpoint: Endpoint;
  /** Sent instead of whatever the SDK or its environment variables made of them. */
  readonly headers: { readonly [name: string]: string };
  /** Names the SDK's own headers that may pass, lower case. */
  readonly passed: ReadonlySet<string>;
  /** What to send with; default the network. */
  readonly send?: typeof fetch | undefined;
  /** Called with every piece of a response's body. */
  readonly onBytes: (count: number) => void;
}

/**
 * A `fetch` for an SDK: nothing but the headers named here leaves, to no other address than the one asked for, and every byte that comes is told,
 * keep-alives included. Rejects with `LlmError` when a page or a document comes where a stream is due.
 */
export function wireFetch({ endpoint, headers, passed, onBytes, send = fetch }: WireFetchOptions): typeof fetch {
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
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          onBytes(chunk.byteLength);
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}
