import { MAX_BATCH } from '../../jsonrpc/batch-entries.ts';
import type { Envelope } from '../../jsonrpc/envelope.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { ProtocolVersion } from '../../era/versions.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import type { Server } from '../../server/server.ts';
import type { RequestLink } from '../../server/requests/request-link.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendAccepted, sendError, errorText, JSON_FIELDS, responseText } from './json-responses.ts';

export interface StatelessBatch {
  readonly server: Server;
  readonly auth: AuthContext | undefined;
  readonly version: ProtocolVersion;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves the requests of a batch separately and responds with one array, if there are responses.
 * Their notifications are dropped. Refuses more than 100 messages.
 */
export async function serveBatchAlone(
  exchange: HttpExchange,
  envelopes: readonly Envelope[],
  { server, auth, version, onError }: StatelessBatch,
): Promise<void> {
  if (envelopes.length > MAX_BATCH) {
    sendError(exchange, 400, {
      code: ErrorCode.invalidRequest,
      message: `Invalid request: a batch holds at most ${String(MAX_BATCH)} messages`,
    });
    return;
  }
  const link: RequestLink = {
    signal: new AbortController().signal,
    ...(auth === undefined ? {} : { auth }),
    legacyVersion: version,
    notify: () => Promise.resolve(),
  };
  const texts = await Promise.all(
    envelopes.map(async (envelope) => {
      if (envelope.kind === 'request')
        return responseText(
          envelope.message.id,
          await server.handle(envelope.message, link),
          onError,
        );
      if (envelope.kind !== 'invalid' || envelope.id === undefined) return undefined;
      return errorText(envelope.id, {
        code: ErrorCode.invalidRequest,
        message: `Invalid request: ${envelope.detail}`,
      });
    }),
  );
  const present = texts.filter((text) => text !== undefined);
  if (present.length === 0) sendAccepted(exchange);
  else exchange.respond(200, JSON_FIELDS, `[${present.join(',')}]`);
}
