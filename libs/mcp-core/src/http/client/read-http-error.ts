import type { IncomingMessage } from 'node:http';
import { isJsonObject, readEnvelope } from '../../jsonrpc/envelope.ts';
import type { JsonRpcErrorObject } from '../../jsonrpc/messages.ts';
import { shorten } from '../../protocol/errors.ts';
import { HttpError } from '../../protocol/http-error.ts';

export interface HttpErrorContext {
  /** Name of the server in the error. */
  readonly origin: string;
  /** Values that the excerpt of the body must not repeat. */
  readonly secrets: readonly string[];
  /** Description of the failure, for statuses that do not explain it; without a full stop. */
  readonly problem?: string;
  /** Whether the request named a session, so that 404 means its end. */
  readonly hasSession?: boolean;
  readonly cause?: unknown;
}

const MAX_EXCERPT_CHARACTERS = 500;
/** Shorter values are not redacted: they would occur in every text. */
const MIN_SECRET_CHARACTERS = 8;
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'mcp-session-id',
  'authorization',
  'proxy-authorization',
  'cookie',
]);

/** Returns the error of a response; `text` is the part of its body that was read. */
export function httpErrorOf(
  response: IncomingMessage,
  text: string,
  context: HttpErrorContext,
): HttpError {
  const { origin, secrets, problem, hasSession = false, cause } = context;
  const status = response.statusCode ?? 0;
  const isSessionLost = hasSession && status === 404;
  const rpcError = rpcErrorIn(text);
  const excerpt = redact(text.slice(0, 4 * MAX_EXCERPT_CHARACTERS), secrets)
    .slice(0, MAX_EXCERPT_CHARACTERS)
    .trim();
  const reason =
    problem ??
    reasonOf(status, isSessionLost) ??
    oneLine(rpcError === undefined ? excerpt : redact(rpcError.message, secrets));
  const message = `${origin} answered ${status}${reason === '' ? '' : `: ${reason}`}`;
  return new HttpError(message, {
    status,
    headers: safeHeaders(response),
    excerpt,
    rpcError,
    isSessionLost,
    cause,
  });
}

/** Returns the headers of a response without secrets; repeated ones are joined. */
export function safeHeaders(response: IncomingMessage): { readonly [name: string]: string } {
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && !SECRET_HEADERS.has(name))
      headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

function reasonOf(status: number, isSessionLost: boolean): string | undefined {
  if (isSessionLost) return 'the session has ended';
  return status >= 300 && status < 400
    ? 'only redirects (307, 308) within the origin are followed'
    : undefined;
}

function oneLine(text: string): string {
  return shorten(text.replaceAll(/[\s\p{Cc}]+/gu, ' '));
}

function rpcErrorIn(text: string): JsonRpcErrorObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const envelope = isJsonObject(value) ? readEnvelope(value) : undefined;
  return envelope?.kind === 'error' ? envelope.message.error : undefined;
}

function redact(text: string, secrets: readonly string[]): string {
  const parts = secrets
    .flatMap((secret) => [secret, ...secret.split(' ')])
    .filter((part) => part.length >= MIN_SECRET_CHARACTERS);
  return parts.reduce((redacted, part) => redacted.replaceAll(part, '[redacted]'), text);
}
