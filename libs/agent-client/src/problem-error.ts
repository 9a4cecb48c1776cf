import type { components } from './generated/openapi.ts';

/** Stable code of an error of the service, or `unexpected_response` for an error response that another program sent, such as a proxy. */
export type ProblemCode = components['schemas']['ProblemDetails']['code'] | 'unexpected_response';

/** A wrong field of a request. */
export interface FieldProblem {
  /** JSON pointer into the request: `/body/…`, `/query/…`, `/path/…` or `/header/…`. */
  readonly path: string;
  readonly message: string;
}

/**
 * A request that the service rejected.
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** HTTP status of the response. */
  readonly status: number;
  readonly code: ProblemCode;
  /** Whether the same request can succeed later. */
  readonly isRetryable: boolean;
  /** Milliseconds until the request should be repeated (Retry-After); undefined without that header. */
  readonly retryAfterMs: number | undefined;
  /** Id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Wrong fields of the request; empty if the problem concerns no field. */
  readonly fields: readonly FieldProblem[];

  /** Makes an error of an error response and its body, parsed from JSON if possible. */
  constructor(response: Response, body: unknown) {
    const problem = isProblem(body) ? body : undefined;
    super(problem?.detail ?? `The service answered with status ${response.status}`);
    this.status = response.status;
    this.code = problem?.code ?? 'unexpected_response';
    this.isRetryable = problem?.retryable ?? RETRYABLE_STATUSES.includes(response.status);
    this.retryAfterMs = retryAfterMs(response.headers.get('retry-after'));
    this.requestId = problem?.request_id ?? response.headers.get('x-request-id') ?? undefined;
    this.fields = problem?.errors ?? [];
  }
}

/** Statuses of a proxy whose service is busy, or is being restarted. */
const RETRYABLE_STATUSES: readonly number[] = [429, 502, 503, 504];

function isProblem(body: unknown): body is components['schemas']['ProblemDetails'] {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}

function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
