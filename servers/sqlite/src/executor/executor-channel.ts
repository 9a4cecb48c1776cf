import { readSync, writevSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { FrameDecoder } from './frames.ts';
import { decodeMessage, encodeMessage } from './message-frames.ts';
import type { ExecutorMessage, ServerMessage } from './messages.ts';

/** The connection of a query process to its server. */
export interface ExecutorChannel {
  /** Resolves with the next message of the server. Ends the process when the server has ended. */
  receive(): Promise<ServerMessage>;
  /** Resolves, and blocks until then, when the message was written. */
  send(message: ExecutorMessage): void;
}

/** Length up to which copying pieces is faster than passing them on apart. */
const JOINED_BYTES = 4 * 1024;
const READ_BYTES = 64 * 1024;
/** Longest time without a turn of the event loop, where the end of the watchdog is noticed. */
const TURN_MS = 20;

/**
 * Opens the channel on a file descriptor. Reads and writes block: a query process does one thing at a
 * time, and the event loop would double the cost of a small query.
 */
export function openExecutorChannel(descriptor: number): ExecutorChannel {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const arrived: ServerMessage[] = [];
  let turnedMs = performance.now();
  const decoder = new FrameDecoder((frame) => {
    arrived.push(decodeMessage(frame) as ServerMessage); // Only the parent can write to it.
  });
  return {
    receive: async () => {
      let message = arrived.shift();
      while (message === undefined) {
        const count = readOrEnd(descriptor, buffer);
        if (count === 0) process.exit(0);
        decoder.push(Buffer.from(buffer.subarray(0, count)));
        message = arrived.shift();
      }
      const nowMs = performance.now();
      if (nowMs - turnedMs >= TURN_MS) {
        // Ends the process before it serves the message, if the watchdog has ended.
        await setImmediate();
        turnedMs = nowMs;
      }
      return message;
    },
    send: (message) => {
      writeAll(descriptor, encodeMessage(message));
    },
  };
}

/** Returns 0 at the end of the stream, which Windows reports as an error. */
function readOrEnd(descriptor: number, buffer: Buffer): number {
  try {
    return readSync(descriptor, buffer);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EOF' || code === 'ECONNRESET') return 0;
    throw error;
  }
}

function writeAll(descriptor: number, pieces: readonly Uint8Array[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  let rest = length <= JOINED_BYTES ? [Buffer.concat(pieces, length)] : pieces;
  while (rest.length > 0) {
    let written = writevSync(descriptor, rest);
    while (rest[0] !== undefined && written >= rest[0].byteLength) {
      written -= rest[0].byteLength;
      rest = rest.slice(1);
    }
    const [first, ...others] = rest;
    if (first !== undefined) rest = [first.subarray(written), ...others];
  }
}
