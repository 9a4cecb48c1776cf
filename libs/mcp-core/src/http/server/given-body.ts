import type { ByteBudget, ByteHolder } from './byte-budget.ts';
import type { BodyFailure, BodyReader } from './http-exchange.ts';

const EMPTY = new Uint8Array();

export interface GivenBodyOptions {
  readonly maxBytes: number;
  readonly done: BodyReader;
  readonly budget: ByteBudget | undefined;
}

/**
 * Passes on a body that a framework has read and perhaps parsed, asynchronously and within the
 * limits of a body from the network.
 */
export function passBody(body: unknown, { maxBytes, done, budget }: GivenBodyOptions): void {
  const bytes = bytesOf(body);
  let failure: BodyFailure | undefined = bytes.byteLength > maxBytes ? 'too-large' : undefined;
  const holder: ByteHolder = {
    evict: () => {
      failure = 'busy';
    },
  };
  if (failure === undefined) budget?.hold(holder, bytes.byteLength);
  queueMicrotask(() => {
    budget?.release(holder);
    const isParsed = typeof body === 'object' && bytes !== body && !(body instanceof ArrayBuffer);
    if (failure === undefined) done(bytes, undefined, isParsed);
    else done(EMPTY, failure);
  });
}

/**
 * Returns no bytes, which are not JSON, for a value that cannot be serialized: a client can nest
 * values so deeply that they can be parsed but not serialized.
 */
function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  try {
    return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  } catch {
    return EMPTY;
  }
}
