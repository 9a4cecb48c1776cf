import { MAX_BATCH } from '../../jsonrpc/batch-entries.ts';
import type { Envelope } from '../../jsonrpc/envelope.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { ProtocolVersion } from '../../era/versions.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import type { Server } from '../../server/server.ts';
import type { RequestLink } from '../../server/requests/request-link.ts';
import type { HttpExchange } from './http-exchange.ts';
import {
  sendAccepted,
  sendError,
  sendText,
  errorText,
  JSON_FIELDS,
  responseText,
} from './json-responses.ts';
import type { OpenExchange, OpenExchanges } from './open-exchanges.ts';

export interface StatelessBatch {
  readonly server: Server;
  readonly auth: AuthContext | undefined;
  readonly version: ProtocolVersion;
  readonly exchanges: OpenExchanges;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves the requests of a batch separately and responds with one array, if there are responses.
 * Their notifications are dropped. Refuses more than 100 messages.
 */
export async function serveBatchAlone(
  exchange: HttpExchange,
  envelopes: readonly Envelope[],
  { server, auth, version, exchanges, onError }: StatelessBatch,
): Promise<void> {
  if (envelopes.length > MAX_BATCH) {
    sendError(exchange, 400, {
      code: ErrorCode.invalidRequest,
      message: `Invalid request: a batch holds at most ${String(MAX_BATCH)} messages`,
    });
    return;
  }
  const running = new RunningBatch(exchange, exchanges);
  // Each request has a signal of its own, by which middleware may tell the requests apart.
  const link = (): RequestLink => ({
    signal: AbortSignal.any([running.signal]),
    ...(auth === undefined ? {} : { auth }),
    legacyVersion: version,
    notify: () => Promise.resolve(),
  });
  const texts = await Promise.all(
    envelopes.map(async (envelope) => {
      if (envelope.kind === 'request')
        return responseText(
          envelope.message.id,
          await server.handle(envelope.message, link()),
          onError,
        );
      if (envelope.kind !== 'invalid' || envelope.id === undefined) return undefined;
      return errorText(envelope.id, {
        code: ErrorCode.invalidRequest,
        message: `Invalid request: ${envelope.detail}`,
      });
    }),
  );
  running.respond(texts.filter((text) => text !== undefined));
}

/** The response to a batch. The requests run on when the client leaves. */
class RunningBatch implements OpenExchange {
  readonly bodyBytes: number;
  readonly #exchange: HttpExchange;
  readonly #exchanges: OpenExchanges;
  readonly #controller = new AbortController();

  constructor(exchange: HttpExchange, exchanges: OpenExchanges) {
    this.#exchange = exchange;
    this.bodyBytes = exchange.bodyBytes;
    this.#exchanges = exchanges;
    exchanges.add(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  respond(texts: readonly string[]): void {
    if (this.signal.aborted) return;
    this.#exchanges.delete(this);
    if (texts.length === 0) sendAccepted(this.#exchange);
    else this.#exchange.respond(200, JSON_FIELDS, `[${texts.join(',')}]`);
  }

  keepAlive(): void {
    // The response is one JSON array.
  }

  abort(): void {
    this.#exchanges.delete(this);
    sendText(this.#exchange, 503, { text: 'The server is closing' });
    this.#controller.abort(new Error('The server is closing'));
  }
}
