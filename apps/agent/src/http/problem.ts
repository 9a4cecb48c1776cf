import type { FastifyReply, FastifyRequest } from 'fastify';
import { EngineError, RateExceededError } from '../ports/run-engine.ts';
import {
  DefinitionChangedError,
  NotConnectedHereError,
  ServerRefusedError,
  ServerUnavailableError,
  UnknownToolError,
} from '../ports/server-directory.ts';
import { DefinitionError } from '../ports/server-definitions.ts';
import { LoginError } from '../ports/server-logins.ts';
import { InvalidCursorError, StorageError } from '../ports/store/errors.ts';
import { RequestError } from './validate.ts';

/**
 * A problem of one input field. `path` is a JSON pointer into the request: `/body/…`, `/query/…`,
 * `/path/…` or `/header/…`.
 */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

const problems = {
  invalid_json: [400, 'The request body is not JSON'],
  invalid_request: [400, 'The request is not valid'],
  invalid_cursor: [400, 'The cursor is not valid'],
  invalid_response: [400, 'The response does not fit the inbox item'],
  invalid_arguments: [400, 'The arguments do not fit the tool'],
  invalid_output_schema: [400, 'The output schema is not supported'],
  unknown_price: [400, 'The price of the model is not known'],
  invalid_model: [400, 'The name of the model does not select one model'],
  unsupported_setting: [400, 'The model does not support the setting'],
  unknown_agent: [400, 'There is no such agent'],
  unknown_agent_version: [400, 'The agent has no such version'],
  unknown_artifact: [400, 'There is no such artifact'],
  unknown_thread: [400, 'There is no such thread'],
  invalid_schedule: [400, 'The times of the schedule are not valid'],
  webhook_url_refused: [400, 'The URL of the webhook is not allowed'],
  unknown_server: [400, 'There is no such MCP server'],
  unauthorized: [401, 'A bearer token is required'],
  forbidden_host: [403, 'The Host header is not allowed'],
  forbidden_origin: [403, 'The Origin header is not allowed'],
  server_editing_off: [403, 'Servers cannot be changed by the API'],
  server_editing_refused: [403, 'Servers with commands cannot be changed by the API'],
  method_not_allowed: [405, 'The endpoint does not support the method'],
  route_not_found: [404, 'There is no such endpoint'],
  server_not_found: [404, 'There is no such MCP server'],
  resource_not_found: [404, 'The MCP server has no such resource'],
  run_not_found: [404, 'There is no such run'],
  thread_not_found: [404, 'There is no such thread'],
  model_not_found: [404, 'There is no such model'],
  agent_not_found: [404, 'There is no such agent'],
  agent_version_not_found: [404, 'The agent has no such version'],
  tool_not_found: [404, 'There is no such tool'],
  tool_call_not_found: [404, 'There is no such tool call'],
  artifact_not_found: [404, 'There is no such artifact'],
  approval_not_found: [404, 'There is no such remembered approval'],
  schedule_not_found: [404, 'There is no such schedule'],
  webhook_not_found: [404, 'There is no such webhook'],
  delivery_not_found: [404, 'There is no such delivery'],
  inbox_item_not_found: [404, 'There is no such inbox item'],
  inbox_item_not_open: [409, 'The inbox item is not open'],
  too_many_schedules: [409, 'There are too many schedules'],
  schedule_changed: [409, 'The schedule was changed at the same time'],
  too_many_webhooks: [409, 'There are too many webhooks'],
  webhook_disabled: [409, 'The webhook is disabled'],
  delivery_pending: [409, 'The delivery has not ended'],
  server_not_editable: [409, 'The definition of the MCP server cannot be changed'],
  too_many_servers: [409, 'There are too many changed MCP servers'],
  login_unsupported: [409, 'The MCP server has no such login'],
  run_not_settled: [409, 'The run is not settled'],
  run_not_resumable: [409, 'The run cannot be resumed'],
  invalid_fork: [409, 'The run cannot be forked at this turn'],
  thread_busy: [409, 'A run of the thread is not settled'],
  idempotency_key_reused: [409, 'The idempotency key was used for another request'],
  idempotency_key_in_use: [409, 'A request with this idempotency key is in progress'],
  response_erased: [410, 'The resource in the stored response was deleted'],
  tool_quarantined: [409, 'The tool changed and is not approved'],
  definition_changed: [409, 'The definition of the tool changed again'],
  too_many_runs: [429, 'Too many runs are queued'],
  run_rate_exceeded: [429, 'The API key started too many runs'],
  too_many_streams: [429, 'Too many event streams are open'],
  too_many_bodies: [429, 'Too many request bodies are being received'],
  precondition_failed: [412, 'The resource has changed'],
  precondition_required: [428, 'The request must say what it changes'],
  payload_too_large: [413, 'The request body is too large'],
  range_not_satisfiable: [416, 'The range is outside the artifact'],
  unsupported_media_type: [415, 'The request body must be JSON'],
  too_many_attempts: [429, 'Too many requests with a wrong token'],
  login_failed: [502, 'The login could not begin'],
  server_refused: [502, 'The MCP server rejected the request'],
  server_unavailable: [503, 'The MCP server is not available'],
  not_connected_here: [501, 'Only workers are connected to the MCP servers'],
  internal_error: [500, 'Internal error of the service'],
  not_ready: [503, 'The service does not accept work'],
  storage_full: [503, 'The disk is full'],
  storage_broken: [503, 'The database cannot be written'],
  storage_lost: [503, 'The database was removed'],
  storage_busy: [503, 'The database is busy'],
  storage_unreachable: [503, 'The database cannot be reached'],
  shutting_down: [503, 'The service is shutting down'],
} as const satisfies { readonly [code: string]: readonly [number, string] };

/** Codes with statuses other than 429 and 503 whose cause is temporary. */
const TEMPORARY: ReadonlySet<ProblemCode> = new Set(['idempotency_key_in_use', 'thread_busy']);
const RETRY_AFTER_S = 1;

/** Statuses after which the connection is closed. */
const CLOSING: ReadonlySet<number> = new Set([401, 403, 413, 429]);

export type ProblemCode = keyof typeof problems;

export const PROBLEM_CODES = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/** An API error. Any other thrown value becomes `internal_error`. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  /** Seconds until the client should retry, when they are known. */
  readonly retryAfterS: number | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    {
      errors,
      retryAfterS,
      ...options
    }: ErrorOptions & {
      readonly errors?: readonly FieldError[] | undefined;
      readonly retryAfterS?: number | undefined;
    } = {},
  ) {
    super(detail, options);
    this.name = 'Problem';
    this.code = code;
    this.errors = errors;
    this.retryAfterS = retryAfterS;
  }
}

/** Whether the problem is a request over a limit of the service. */
export function isOverLimit({ code }: Problem): boolean {
  return problems[code][0] === 429;
}

/** Sends an RFC 9457 body. @see https://www.rfc-editor.org/rfc/rfc9457 */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  const [status, title] = problems[problem.code];
  const isRetryable = status === 429 || status === 503 || TEMPORARY.has(problem.code);
  if (isRetryable) reply.header('retry-after', problem.retryAfterS ?? RETRY_AFTER_S);
  // The rest of a refused body is never read.
  if (CLOSING.has(status)) reply.header('connection', 'close');
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .send(
      JSON.stringify({
        type: `urn:signalbox:problem:${problem.code}`,
        title,
        status,
        detail: problem.message,
        instance: request.url,
        code: problem.code,
        retryable: isRetryable,
        request_id: request.id,
        ...(problem.errors === undefined ? {} : { errors: problem.errors }),
      }),
    );
}

/** Converts a value thrown by a handler or by Fastify. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof RateExceededError)
    return new Problem(error.code, error.message, {
      retryAfterS: Math.ceil(error.retryAfterMs / 1000),
    });
  if (error instanceof EngineError)
    return new Problem(error.code, error.message, {
      errors: error.problems?.map(({ path, message }) => ({ path: `/body${path}`, message })),
    });
  if (error instanceof NotConnectedHereError)
    return new Problem('not_connected_here', error.message);
  if (error instanceof ServerUnavailableError)
    return new Problem('server_unavailable', error.message);
  if (error instanceof ServerRefusedError)
    return new Problem(error.isNotFound ? 'resource_not_found' : 'server_refused', error.message);
  if (error instanceof LoginError)
    return new Problem(
      error.code === 'failed' ? 'login_failed' : 'login_unsupported',
      error.message,
    );
  if (error instanceof DefinitionError) return definitionProblem(error);
  if (error instanceof UnknownToolError) return new Problem('tool_not_found', error.message);
  if (error instanceof DefinitionChangedError)
    return new Problem('definition_changed', error.message);
  if (error instanceof StorageError)
    return new Problem(`storage_${error.reason}`, error.message, { cause: error });
  if (error instanceof InvalidCursorError) return new Problem('invalid_cursor', error.message);
  const invalid = validationErrors(error);
  if (invalid !== undefined) return invalidRequest(invalid);
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(
        'payload_too_large',
        'the body may have at most 1 MiB, and that of an artifact at most 4 MiB',
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        'unsupported_media_type',
        "send JSON with the header 'content-type: application/json'; only a POST may have no body",
      );
    case 'FST_ERR_BAD_URL':
      return new Problem(
        'invalid_request',
        'the path of the URL has an invalid percent-encoding: % must be followed by two hexadecimal digits of UTF-8 text',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'invalid_request',
        'the Content-Length header does not match the length of the body',
      );
    default:
      return new Problem('internal_error', 'the service log has the details');
  }
}

function definitionProblem({ code, message, problems: found }: DefinitionError): Problem {
  switch (code) {
    case 'invalid_definition':
      return invalidRequest(
        found.map(({ path, message: text }) => ({ path: `/body${path}`, message: text })),
      );
    case 'invalid_name':
      return invalidRequest([{ path: '/path/name', message }]);
    case 'server_exists':
      return new Problem('precondition_failed', message);
    default:
      return new Problem(code, message);
  }
}

function invalidRequest(errors: readonly FieldError[]): Problem {
  return new Problem('invalid_request', summary(errors), { errors });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Names of the parts of a request in messages. */
const PARTS: { readonly [part: string]: string } = {
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

function validationErrors(error: unknown): readonly FieldError[] | undefined {
  if (!(error instanceof RequestError)) return undefined;
  const part = error.validationContext ?? 'body';
  return error.issues.map(({ path, message }) => ({
    path: pointerTo([PARTS[part] ?? part, ...path]),
    message,
  }));
}

/** Returns a JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
function pointerTo(path: readonly PropertyKey[]): string {
  return path
    .map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function summary(errors: readonly FieldError[]): string {
  return errors.map((error) => `${error.path}: ${error.message}`).join('; ');
}
