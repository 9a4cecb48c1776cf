import {
  receiveText,
  toJsonText,
  type JsonRpcBatch,
  type JsonRpcMessage,
  type Transport,
  type TransportReceiver,
} from '@signalbox/mcp-core';
import type { WebSocket } from 'ws';

/** WebSocket subprotocol of MCP. */
export const SUBPROTOCOL = 'mcp';
/** Longest message in bytes. A longer one ends the connection with code 1009. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Unsent bytes from which `send` makes its callers wait. */
const MAX_UNSENT_BYTES = 64 * 1024;
/** Time for the closing handshake. */
const CLOSE_LIMIT_MS = 1000;

/** A transport over an open WebSocket, for either half: each text frame is a message. */
export class WebSocketTransport implements Transport {
  readonly #socket: WebSocket;
  readonly #closed: Promise<void>;
  readonly #isServer: boolean;
  /** Senders that wait until the peer reads. */
  #waiting = 0;
  #error: Error | undefined;
  #isCloseAsked = false;

  /** Takes the socket as soon as it is open, before its first message. */
  constructor(socket: WebSocket, { isServer }: { readonly isServer: boolean }) {
    this.#socket = socket;
    this.#isServer = isServer;
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => resolve());
    });
    socket.on('error', (error) => {
      this.#error = error;
    });
    // Messages wait in the connection until `start`.
    socket.pause();
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (this.#isCloseAsked) return;
      if (isBinary)
        receiver.unreadable({ reason: 'parse-error', detail: 'a message is a binary frame' });
      else receiveText(receiver, data.toString(), { maxMessageBytes: MAX_MESSAGE_BYTES });
    });
    this.#socket.once('close', (code) => {
      receiver.closed(this.#isCloseAsked ? undefined : this.#endError(code));
    });
    this.#socket.resume();
    return Promise.resolve();
  }

  send(message: JsonRpcMessage | JsonRpcBatch): Promise<void> | undefined {
    if (this.#isCloseAsked || this.#socket.readyState !== this.#socket.OPEN)
      throw new Error('The WebSocket is closed');
    const text = toJsonText(message);
    if (this.#socket.bufferedAmount < MAX_UNSENT_BYTES) {
      this.#socket.send(text);
      return undefined;
    }
    this.#waiting += 1;
    // A client that sends requests and does not read the responses must not fill the memory.
    if (this.#isServer) this.#socket.pause();
    return new Promise((resolve) => {
      // Also called when the connection ends.
      this.#socket.send(text, () => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#socket.resume();
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.#isCloseAsked = true;
    if (this.#socket.readyState === this.#socket.CLOSED) return;
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_LIMIT_MS);
    this.#socket.resume();
    this.#socket.close(1000);
    await this.#closed;
    clearTimeout(timer);
  }

  /** Returns the cause of an end that this side did not ask for; `undefined` for an orderly one. */
  #endError(code: number): Error | undefined {
    if (this.#error !== undefined) return this.#error;
    return code === 1000 || code === 1001
      ? undefined
      : new Error(`The WebSocket was closed with code ${String(code)}`);
  }
}
