import type { IncomingMessage } from 'node:http';
import type { JsonRpcNotification } from '../../jsonrpc/messages.ts';
import { HttpError } from '../../protocol/http-error.ts';
import type { ClientEndpoint } from './endpoint.ts';
import { modernHeaders, POST_HEADERS, sessionHeaders } from './headers.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The id and versions that the messages of one transport name in their headers. */
export class ClientSession {
  #id: string | undefined;
  #legacyVersion: string | undefined;
  #modernVersion: string | undefined;
  #isLost = false;

  get id(): string | undefined {
    return this.#id;
  }

  /** Whether `initialize` has negotiated a legacy version. */
  get isLegacy(): boolean {
    return this.#legacyVersion !== undefined;
  }

  /** Stores the id that a successful response to `initialize` names. */
  readId({ statusCode: status = 0, headers }: IncomingMessage): void {
    const { 'mcp-session-id': id } = headers;
    if (status < 200 || status >= 300) return;
    if (typeof id === 'string' && VISIBLE_ASCII.test(id)) this.#id = id;
  }

  /** Stores the version that `initialize` has negotiated. */
  setLegacyVersion(version: string): void {
    this.#legacyVersion = version;
  }

  /** Stores the version of a modern request, for the notifications after it. */
  setModernVersion(version: string): void {
    this.#modernVersion = version;
  }

  /** Notes whether an error means that the server has ended the session. */
  noteError(error: Error | undefined): void {
    if (error instanceof HttpError && error.isSessionLost) this.#isLost = true;
  }

  /** Returns the header fields of a legacy message other than a POST. */
  headers(): string[] {
    return sessionHeaders({ id: this.#id, protocolVersion: this.#legacyVersion });
  }

  /** Returns the header fields of a legacy POST. */
  postHeaders(): string[] {
    return [...POST_HEADERS, ...this.headers()];
  }

  /** Returns the header fields of a notification in the era of the earlier requests. */
  notificationHeaders(message: JsonRpcNotification): string[] {
    return this.isLegacy || this.#modernVersion === undefined
      ? this.postHeaders()
      : modernHeaders(message, this.#modernVersion);
  }

  /**
   * Ends the session on the server, if it still exists. Resolves with the response, whatever it is.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
   */
  end(endpoint: ClientEndpoint): Promise<void> {
    if (this.#id === undefined || this.#isLost) return Promise.resolve();
    return new Promise((resolve) => {
      endpoint.send({
        method: 'DELETE',
        headers: this.headers(),
        responded: (response) => {
          response.on('error', () => undefined);
          response.resume();
          resolve();
        },
        failed: () => resolve(),
      });
    });
  }
}
