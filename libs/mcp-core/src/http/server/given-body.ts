import type { BodyFailure } from './http-exchange.ts';

const EMPTY = new Uint8Array();

/**
 * Passes on a body that a framework has read and perhaps parsed, asynchronously, as a body from the
 * network.
 * @throws TypeError when the value cannot be serialized
 */
export function passBody(
  body: unknown,
  maxBytes: number,
  done: (body: Uint8Array, failure?: BodyFailure) => void,
): void {
  const bytes =
    body instanceof Uint8Array
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  queueMicrotask(() => {
    if (bytes.byteLength > maxBytes) done(EMPTY, 'too-large');
    else done(bytes);
  });
}
