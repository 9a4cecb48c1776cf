import { STATUS_CODES } from 'node:http';
import { OPERATION_IDS, TAGS, tagOf } from './api-operations.ts';
import { PROBLEM_RESPONSES, RESPONSE_HEADERS } from './api-responses.ts';
import type { ApiDocument, Operation, Parameter } from '../../api-document.ts';
import { plainSchemas } from './plain-schemas.ts';
import { REDIRECT_PATH } from '../../redirect-path.ts';

const TOKEN = {
  type: 'http',
  scheme: 'bearer',
  description: 'Required when the service was started with SIGNALBOX_TOKEN',
};
const SERVERS = [{ url: 'http://127.0.0.1:8020', description: 'The default address' }];

/** Paths without authentication. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', REDIRECT_PATH]);

/**
 * Adds what all operations share: names, groups, errors, response headers and the token. Removes
 * unused schemas.
 */
export function describeApi({
  paths,
  components,
  openapi,
  info,
  ...rest
}: ApiDocument): ApiDocument {
  const described = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        describe(path, method, operation),
      ]),
    ),
  ]);
  return withUsedSchemas(
    plainSchemas({
      openapi,
      info,
      servers: SERVERS,
      tags: TAGS,
      ...rest,
      security: [{ bearer: [] }, {}],
      paths: Object.fromEntries(described) as ApiDocument['paths'],
      components: {
        ...components,
        headers: RESPONSE_HEADERS,
        responses: responseComponents(),
        securitySchemes: { bearer: TOKEN },
      } as ApiDocument['components'],
    }),
  );
}

function responseComponents(): object {
  return Object.fromEntries(
    Object.values(PROBLEM_RESPONSES).map(({ name, response }) => [name, response]),
  );
}

function describe(path: string, method: string, operation: Operation): Operation {
  const { summary, description, parameters, ...others } = operation;
  const operationId = OPERATION_IDS[`${method.toUpperCase()} ${path}`];
  const isOpen = OPEN_PATHS.has(path);
  return {
    ...(operationId === undefined ? {} : { operationId }),
    tags: [tagOf(path)],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isOpen ? { security: [] } : {}),
    ...(parameters === undefined ? {} : { parameters: parameters.map(describeParameter) }),
    ...others,
    responses: describeResponses(operation, isOpen),
  };
}

function describeResponses(
  { responses = {}, requestBody, parameters = [] }: Operation,
  isOpen: boolean,
): { readonly [status: string]: object } {
  const takesKey = parameters.some(({ name }) => name === 'idempotency-key');
  const own = Object.entries(responses).flatMap(([status, response]) =>
    isProblem(status)
      ? []
      : [[status, withHeaders(status, named(status, response), takesKey)] as [string, object]],
  );
  const common = [
    ...(isOpen ? [] : ['401']),
    '403',
    ...(requestBody === undefined ? [] : ['413', '415']),
    '429',
    '503',
    'default',
  ];
  const problems = new Set([...Object.keys(responses).filter(isProblem), ...common]);
  return Object.fromEntries([
    ...own,
    ...[...problems]
      .toSorted()
      .map((status): [string, object] => [status, problemReference(status)]),
  ]);
}

function isProblem(status: string): boolean {
  return Number(status) >= 400;
}

function problemReference(status: string): object {
  const { name } = PROBLEM_RESPONSES[status] ?? PROBLEM_RESPONSES['default'];
  return { $ref: `#/components/responses/${name}` };
}

/** Adds the status text as the default description. */
function named(status: string, response: object): object {
  return 'description' in response && response.description !== 'Default Response'
    ? response
    : { ...response, description: STATUS_CODES[status] };
}

function withHeaders(status: string, response: object, takesKey: boolean): object {
  const names = [
    'X-Request-Id',
    ...(status === '201' || status === '202' ? ['Location'] : []),
    ...(takesKey ? ['Idempotent-Replayed'] : []),
  ];
  return {
    ...response,
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
  };
}

function describeParameter(parameter: Parameter): Parameter {
  if (parameter.in === 'header') return { ...parameter, name: headerName(parameter.name) };
  return parameter.in === 'query' && parameter.schema?.type === 'object'
    ? { ...parameter, style: 'deepObject', explode: true }
    : parameter;
}

/** Converts a header name such as `last-event-id` to `Last-Event-ID`. */
function headerName(name: string): string {
  return name
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('-')
    .replace(/-Id$/, '-ID');
}

const REFERENCE = /"#\/components\/schemas\/([\w.-]+)"/g;

/**
 * Removes unused schemas. The generator emits each schema twice, for responses and, with the suffix
 * `Input`, for requests; usually one of them is used.
 */
function withUsedSchemas(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  const used = new Set<string>();
  const use = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (used.has(name)) continue;
      used.add(name);
      use(schemas[name]);
    }
  };
  use({ ...document, components: { ...document.components, schemas: {} } });
  const nameOf = (name: string): string =>
    name.endsWith('Input') && !used.has(name.slice(0, -'Input'.length))
      ? name.slice(0, -'Input'.length)
      : name;
  const kept = [...used].toSorted().map((name) => [nameOf(name), schemas[name]]);
  const text = JSON.stringify({
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(kept) as object },
  });
  return JSON.parse(
    text.replaceAll(
      REFERENCE,
      (_reference, name: string) => `"#/components/schemas/${nameOf(name)}"`,
    ),
  ) as ApiDocument;
}
