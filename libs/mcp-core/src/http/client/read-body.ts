import type { IncomingMessage } from 'node:http';
import { LinePieces } from '../../jsonrpc/line-pieces.ts';

/** A whole body as text, or why there is none. */
export type Body = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too-large' } | { readonly kind: 'broken'; readonly error: Error };

/** Reads a response up to `maxBytes`; a longer one is not read further and its connection is closed. `done` is called once. */
export function readBody(response: IncomingMessage, maxBytes: number, done: (body: Body) => void): void {
  // Most bodies are one piece.
  let first: Buffer | undefined;
  const pieces = new LinePieces();
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
    if (length > maxBytes) {
      finish({ kind: 'too-large' });
      response.destroy();
    } else if (length === chunk.length) {
      first = chunk;
    } else {
      if (first !== undefined) pieces.add(first);
      first = undefined;
      pieces.add(chunk);
    }
  });
  response.on('end', () => {
    finish({ kind: 'text', text: (first ?? pieces.take()).toString() });
  });
  response.on('error', (error) => {
    finish({ kind: 'broken', error });
  });
}
