import type { LlmError } from '../ports/llm-provider.ts';
import type { Endpoint } from './endpoint.ts';
import type { PostResponse } from './model-post.ts';
import { llmError, retryAfterOf } from './wire-failure.ts';

/** Maximum bytes read of an error response. */
const MAX_ERROR_BYTES = 64 * 1024;

export interface ResponseFailureOptions {
  readonly endpoint: Endpoint;
  readonly nowMs: number;
  /** Called for every piece of the body. */
  readonly onBytes: (count: number) => void;
}

/** Reads the first 64 KiB of a response with an error status and returns its error. */
export async function responseFailure(
  response: PostResponse,
  { endpoint, nowMs, onBytes }: ResponseFailureOptions,
): Promise<LlmError> {
  const pieces: Uint8Array[] = [];
  for (let left = MAX_ERROR_BYTES; left > 0;) {
    const piece = await response.read();
    if (piece === undefined) break;
    onBytes(piece.byteLength);
    pieces.push(piece.subarray(0, left));
    left -= piece.byteLength;
  }
  response.close();
  const body = parsed(Buffer.concat(pieces).toString('utf8'));
  return llmError(
    {
      status: response.status,
      codes: codesIn(body),
      text: textIn(body),
      retryAfterMs: retryAfterOf((name) => response.header(name), nowMs),
    },
    endpoint,
  );
}

/** Returns the error that an event of a stream reports. */
export function eventFailure(body: unknown, endpoint: Endpoint): LlmError {
  return llmError({ codes: codesIn(body), text: textIn(body) }, endpoint);
}

/** Parses JSON; another text is returned as it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function codesIn(body: unknown): string[] {
  const error = field(body, 'error');
  return [body, error, field(error, 'details'), field(error, 'error')]
    .flatMap((place) =>
      ['code', 'type', 'errorCode', 'error_code'].map((name) => field(place, name)),
    )
    .filter((code) => typeof code === 'string');
}

function textIn(body: unknown): string {
  const error = field(body, 'error');
  const text = [field(error, 'message'), field(body, 'message'), error, body].find(
    (each) => typeof each === 'string',
  );
  return typeof text === 'string' ? text : JSON.stringify(error ?? body);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as { readonly [key: string]: unknown })[name]
    : undefined; // any object has properties by name
}
