import { LlmError, type LlmErrorKind } from '../ports/llm-provider.ts';
import { messageOf } from '../text/error-text.ts';
import { type Endpoint, labelOf } from './endpoint.ts';

/** Details of a failed call, independent of the API. */
export interface WireFailure {
  /** HTTP status; `undefined` for an error inside a stream. */
  readonly status?: number | undefined;
  /** Machine-readable error codes and types. */
  readonly codes: readonly string[];
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

interface Verdict {
  readonly kind: LlmErrorKind;
  readonly remedy: string;
  readonly retryable?: boolean;
}

const QUOTA = /insufficient_quota|billing|spend_limit|credit|payment/;
const CONTEXT =
  /context_length_exceeded|context window|context length|context size|context limit|exceed_context|maximum context|maximum model length|prompt is too long|request_too_large|too many tokens/i;
const MAX_TEXT = 400;

/**
 * Returns the error for a failed call: provider, problem and remedy. The key is removed, even if
 * the server echoed it.
 */
export function llmError(failure: WireFailure, endpoint: Endpoint): LlmError {
  const verdict = judge(failure, endpoint);
  const said = failure.text.trim() === '' ? '' : `: ${failure.text.trim().slice(0, MAX_TEXT)}`;
  const message = `${labelOf(endpoint)} ${failure.status === undefined ? 'reported an error' : `answered ${failure.status}`}${said.replace(/[.\s]+$/, '')}. ${verdict.remedy}`;
  return new LlmError(verdict.kind, withoutKey(message, endpoint), {
    retryable: verdict.retryable ?? false,
    cause: causeWithoutKey(failure.cause, endpoint),
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    ...(failure.status === undefined ? {} : { status: failure.status }),
  });
}

/** Returns the error for a connection that failed or broke. */
export function networkError(error: unknown, endpoint: Endpoint): LlmError {
  const code = codeIn(error);
  const reason = code ?? messageOf(error);
  const remedy = endpoint.isVendor
    ? 'Check the network connection and any proxy, then try again.'
    : `Is the server at ${endpoint.baseUrl} running?`;
  const broke =
    code === undefined ||
    !/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code);
  const what = broke
    ? `The connection to ${endpoint.baseUrl} failed (${reason}).`
    : `Cannot reach ${endpoint.baseUrl} (${reason}).`;
  return new LlmError('network', withoutKey(`${what} ${remedy}`, endpoint), {
    retryable: true,
    cause: causeWithoutKey(error, endpoint),
  });
}

/** Returns the error for a response that violates the API's protocol. */
export function protocolError(problem: string, endpoint: Endpoint, cause?: unknown): LlmError {
  return new LlmError(
    'protocol',
    withoutKey(
      `${labelOf(endpoint)} sent an invalid response: ${problem}. Try again; if this repeats, check that the base URL speaks this API.`,
      endpoint,
    ),
    {
      cause: causeWithoutKey(cause, endpoint),
    },
  );
}

function judge({ status, codes, text }: WireFailure, endpoint: Endpoint): Verdict {
  const known = codes.join(' ');
  const key = `Set ${endpoint.keyVariable} to a valid key`;
  if (status !== undefined && status >= 300 && status < 400)
    return {
      kind: 'invalid',
      remedy:
        'The response is a redirect, which is not followed; set llm.base_url to the final address.',
    };
  if (status === 401 || /authentication_error|invalid_api_key/.test(known))
    return { kind: 'auth', remedy: `${key} and start again.` };
  if (status === 403 || known.includes('permission'))
    return { kind: 'auth', remedy: `Check the permissions of the key in ${endpoint.keyVariable}.` };
  if (status === 402 || QUOTA.test(known) || /credit balance is too low/i.test(text))
    return {
      kind: 'quota',
      remedy: `Check the plan and the spending limit of the account behind ${endpoint.keyVariable}.`,
    };
  if (status === 429 || known.includes('rate_limit'))
    return { kind: 'rate', remedy: 'Too many requests; try again later.', retryable: true };
  if (status === 413 || CONTEXT.test(`${known} ${text}`))
    return {
      kind: 'context',
      remedy:
        'The conversation is too long for the model; start a new conversation, or request less from the tools.',
    };
  if (status === 404) return { kind: 'invalid', remedy: notFoundRemedy(text, endpoint) };
  if (status === 408) return { kind: 'timeout', remedy: 'Try again.', retryable: true };
  if (
    status === 409 ||
    status === 529 ||
    (status ?? 0) >= 500 ||
    /overloaded|server_error|api_error|timeout/.test(known)
  ) {
    return {
      kind: 'overloaded',
      remedy: 'The server reported a failure; try again later.',
      retryable: status !== 501,
    };
  }
  if (status === undefined && !/invalid/.test(known))
    return { kind: 'protocol', remedy: 'Try again.' };
  return {
    kind: 'invalid',
    remedy: 'The server rejected the request; check the model name and the tools.',
  };
}

function notFoundRemedy(text: string, { isVendor, path, baseUrl }: Endpoint): string {
  if (/model/i.test(text)) return 'Configure a model that the server offers (llm.model).';
  if (isVendor) return 'Check the model name (llm.model) and the base URL.';
  return `It may not speak this API: ${baseUrl}${path} must exist. Check the base URL (it usually ends in /v1), or set llm.wire to the API that the server speaks ("chat", "responses" or "messages").`;
}

/** Returns `Retry-After` in milliseconds, from any of its forms. */
export function retryAfterOf(
  header: (name: string) => string | undefined,
  nowMs: number,
): number | undefined {
  const inMs = Number(header('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(inMs) && inMs >= 0) return inMs;
  const value = header('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = /^[a-z]{3}, /i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function codeIn(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    if (current instanceof AggregateError && current.errors.length > 0)
      return codeIn(current.errors[0]);
  }
  return undefined;
}

function withoutKey(text: string, { apiKey }: Endpoint): string {
  return apiKey.length < 6 ? text : text.replaceAll(apiKey, '[key]');
}

/**
 * Returns message and place of an error, without its other members, in which servers may echo
 * keys.
 */
function causeWithoutKey(cause: unknown, endpoint: Endpoint, levels = 5): Error | undefined {
  if (!(cause instanceof Error) || levels === 0) return undefined;
  const kept = new Error(withoutKey(cause.message, endpoint), {
    cause: causeWithoutKey(cause.cause, endpoint, levels - 1),
  });
  kept.stack = withoutKey(cause.stack ?? cause.message, endpoint);
  return kept;
}
