const text = { type: 'string' };

/** Headers of responses, as OpenAPI components. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request, the same as in the service log',
    schema: text,
  },
  Location: { description: 'Path of the resource', schema: text },
  'Idempotent-Replayed': {
    description:
      '`true` on the stored response to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: '`Bearer`', schema: text },
} as const;

interface ProblemResponse {
  /** Name of the OpenAPI component. */
  readonly name: string;
  readonly response: object;
}

/** Error responses as OpenAPI components by status. `default` covers every other status. */
export const PROBLEM_RESPONSES: {
  readonly default: ProblemResponse;
  readonly [status: string]: ProblemResponse;
} = {
  '401': problem('Unauthorized', 'The bearer token is missing or invalid', ['WWW-Authenticate']),
  '403': problem('Forbidden', 'The Host or Origin header is not allowed'),
  '413': problem('PayloadTooLarge', 'The request body is larger than 1 MiB'),
  '415': problem('UnsupportedMediaType', 'The request body is not JSON'),
  '429': problem('TooManyRequests', 'Too many requests; retry later', ['Retry-After']),
  '503': problem('Unavailable', 'The service or the MCP server is temporarily unavailable', [
    'Retry-After',
  ]),
  default: problem('Problem', 'The request failed'),
};

function problem(
  name: string,
  description: string,
  headers: readonly (keyof typeof RESPONSE_HEADERS)[] = [],
): ProblemResponse {
  const references = ['X-Request-Id', ...headers].map((header) => [
    header,
    { $ref: `#/components/headers/${header}` },
  ]);
  return {
    name,
    response: {
      description,
      headers: Object.fromEntries(references) as object,
      content: {
        'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } },
      },
    },
  };
}
