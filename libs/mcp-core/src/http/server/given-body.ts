import type { BodyFailure } from './http-exchange.ts';

const EMPTY = new Uint8Array();

/**
 * Passes on a body that a framework has read and perhaps parsed, asynchronously, as a body from the
 * network.
 */
export function passBody(
  body: unknown,
  maxBytes: number,
  done: (body: Uint8Array, failure?: BodyFailure) => void,
): void {
  const bytes = bytesOf(body);
  queueMicrotask(() => {
    if (bytes.byteLength > maxBytes) done(EMPTY, 'too-large');
    else done(bytes);
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
