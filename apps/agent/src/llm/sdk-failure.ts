import { LlmError } from '../ports/llm-provider.ts';
import type { Endpoint } from './endpoint.ts';
import { llmError, networkError, protocolError, retryAfterOf } from './wire-failure.ts';

/**
 * Converts an error of an SDK. Both SDKs use the same shape: status and headers for a response, a
 * body without them inside a stream.
 */
export function sdkFailure(error: unknown, endpoint: Endpoint, nowMs: number): LlmError {
  // An error of `wireFetch` is the cause of a connection error.
  if (error instanceof Error && error.cause instanceof LlmError) return error.cause;
  if (error instanceof SyntaxError) return protocolError(error.message, endpoint, error);
  if (!(error instanceof Error) || !('status' in error) || !('error' in error))
    return networkError(error, endpoint);
  const { status, error: body } = error;
  if (typeof status !== 'number' && (typeof body !== 'object' || body === null))
    return networkError(error, endpoint);
  const headers =
    'headers' in error && error.headers instanceof Headers ? error.headers : undefined;
  return llmError(
    {
      status: typeof status === 'number' ? status : undefined,
      codes: codesIn(error, body),
      text: textIn(body) ?? error.message,
      retryAfterMs: retryAfterOf(headers, nowMs),
      cause: error,
    },
    endpoint,
  );
}

function codesIn(error: Error, body: unknown): string[] {
  const places: unknown[] = [
    error,
    body,
    field(body, 'error'),
    field(field(body, 'error'), 'details'),
  ];
  return places
    .flatMap((place) =>
      ['code', 'type', 'errorCode', 'error_code'].map((name) => field(place, name)),
    )
    .filter((code) => typeof code === 'string');
}

function textIn(body: unknown): string | undefined {
  const text = field(field(body, 'error'), 'message') ?? field(body, 'message');
  return typeof text === 'string' ? text : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as { readonly [key: string]: unknown })[name]
    : undefined; // any object has properties by name
}
