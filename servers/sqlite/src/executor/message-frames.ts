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

/** Returns the value of a frame, which is a message if the sender made it with `encodeMessage`. */
export function decodeMessage({ header, body }: Frame): unknown {
  if (typeof header !== 'object' || header === null || !('kind' in header)) return header;
  if (header.kind === 'chunk') return { ...header, chunk: Buffer.concat(body).toString() };
  if (body.length === 0 || !('output' in header)) return header;
  return { ...header, output: { ...(header.output as object), body } };
}

function hasBody(output: unknown): output is { readonly body: readonly Uint8Array[] } {
  return typeof output === 'object' && output !== null && 'body' in output;
}
