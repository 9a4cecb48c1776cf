import type { ExecutorMessage, ServerMessage } from './messages.ts';
import { encodeFrame, type Frame } from './frames.ts';

/**
 * Returns the pieces of the frame of a message. The text of a chunk and the `body` of an output
 * become the body of the frame, so that nobody has to escape and parse them.
 */
export function encodeMessage(message: ServerMessage | ExecutorMessage): readonly Uint8Array[] {
  if (message.kind === 'chunk') {
    const { chunk, ...header } = message;
    return encodeFrame(header, [Buffer.from(chunk)]);
  }
  if (message.kind === 'result' && hasBody(message.output)) {
    const { body, ...output } = message.output;
    return encodeFrame({ ...message, output }, body);
  }
  return encodeFrame(message);
}

/**
 * Returns the value of a frame, which is a message if the sender made it with `encodeMessage`. An output
 * with a `body` also gets `release`, unless other frames are in its memory.
 */
export function decodeMessage({ header, body, ownsMemory }: Frame): unknown {
  if (typeof header !== 'object' || header === null || !('kind' in header)) return header;
  if (header.kind === 'chunk') return { ...header, chunk: Buffer.concat(body).toString() };
  if (body.length === 0 || !('output' in header)) return header;
  const release = () => {
    free(body);
  };
  return {
    ...header,
    output: { ...(header.output as object), body, ...(ownsMemory ? { release } : {}) },
  };
}

/** Frees the memory of pieces at once. It lies outside of V8's heap, and V8 would often collect the whole heap for its sake. */
function free(pieces: readonly Uint8Array[]): void {
  for (const { buffer } of pieces)
    if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

function hasBody(output: unknown): output is { readonly body: readonly Uint8Array[] } {
  return typeof output === 'object' && output !== null && 'body' in output;
}
