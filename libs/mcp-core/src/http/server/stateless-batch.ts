import type { Envelope } from '../../jsonrpc/envelope.ts';
import { toJsonText } from '../../jsonrpc/json-text.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { ProtocolVersion } from '../../protocol/capabilities.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import type { Server, RequestLink } from '../../server/server.ts';
import type { HttpExchange } from './http-exchange.ts';
import { answerAccepted, JSON_FIELDS } from './json-answers.ts';

export interface StatelessBatch {
  readonly server: Server;
  readonly auth: AuthContext | undefined;
  readonly version: ProtocolVersion;
}

/** Serves the requests of a batch, each alone, and answers with one array, if there is anything to answer. Their notifications have no place in it and are dropped. */
export async function serveBatchAlone(exchange: HttpExchange, envelopes: readonly Envelope[], { server, auth, version }: StatelessBatch): Promise<void> {
  const link: RequestLink = {
    signal: new AbortController().signal,
    ...(auth === undefined ? {} : { auth }),
    legacyVersion: version,
    notify: () => Promise.resolve(),
  };
  const answers = await Promise.all(
    envelopes.map(async (envelope) => {
      if (envelope.kind === 'request') return { jsonrpc: '2.0' as const, id: envelope.message.id, ...(await server.handle(envelope.message, link)) };
      if (envelope.kind !== 'invalid' || envelope.id === undefined) return undefined;
      return { jsonrpc: '2.0' as const, id: envelope.id, error: { code: ErrorCode.invalidRequest, message: `Invalid request: ${envelope.detail}` } };
    }),
  );
  const present = answers.filter((answer) => answer !== undefined);
  if (present.length === 0) answerAccepted(exchange);
  else exchange.answer(200, JSON_FIELDS, toJsonText(present));
}
