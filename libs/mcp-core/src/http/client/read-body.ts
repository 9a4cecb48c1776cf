import type { IncomingMessage } from 'node:http';

/** A whole body as text, or why there is none. */
export type Body = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too-large' } | { readonly kind: 'broken'; readonly error: Error };

/** Reads a response up to `maxBytes`; a longer one is not read further and its connection is closed. `done` is called once. */
export function readBody(response: IncomingMessage, maxBytes: number, done: (body: Body) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  const finish = (body: Body): void => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    finish({ kind: 'too-large' });
    response.on('error', () => undefined);
    response.destroy();
    return;
  }
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxBytes) {
      chunks.push(chunk);
    } else {
      finish({ kind: 'too-large' });
      response.destroy();
    }
  });
  response.on('end', () => {
    const [first, second] = chunks;
    if (first === undefined) finish({ kind: 'text', text: '' });
    else finish({ kind: 'text', text: second === undefined ? first.toString() : Buffer.concat(chunks, length).toString() });
  });
  response.on('error', (error) => {
    finish({ kind: 'broken', error });
  });
}
