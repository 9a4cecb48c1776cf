import { STATUS_CODES } from 'node:http';

/** An OpenAPI document, as far as it is looked at here. */
export interface ApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: object } };
  readonly [member: string]: unknown;
}

interface Operation {
  readonly responses?: { readonly [status: string]: object };
  readonly [member: string]: unknown;
}

const PROBLEM = { description: 'What went wrong', content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } } };
const PROBLEM_REFERENCE = { $ref: '#/components/responses/Problem' };
const TOKEN = { type: 'http', scheme: 'bearer', description: 'Needed when the service was started with SIGNALBOX_TOKEN' };

/** Paths that ask for no token. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Adds what is the same for every endpoint: the media type and the shape of its errors, and the token. Schemas that nothing refers to are left out. */
export function describeApi({ paths, components, ...rest }: ApiDocument): ApiDocument {
  const described = Object.entries(paths).map(([path, operations]) => [path, Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, describe(path, operation)]))]);
  return withUsedSchemas({
    ...rest,
    security: [{ bearer: [] }, {}],
    paths: Object.fromEntries(described) as ApiDocument['paths'],
    components: { ...components, responses: { Problem: PROBLEM }, securitySchemes: { bearer: TOKEN } } as ApiDocument['components'],
  });
}

function describe(path: string, operation: Operation): Operation {
  const responses = Object.fromEntries(Object.entries(operation.responses ?? {}).map(([status, response]) => [status, Number(status) >= 400 ? PROBLEM_REFERENCE : named(status, response)]));
  return { ...operation, ...(OPEN_PATHS.has(path) ? { security: [] } : {}), responses: { ...responses, default: PROBLEM_REFERENCE } };
}

/** What the status says, where the endpoint says nothing. */
function named(status: string, response: object): object {
  return 'description' in response && response.description !== 'Default Response' ? response : { ...response, description: STATUS_CODES[status] };
}

const REFERENCE = /"#\/components\/schemas\/([\w.-]+)"/g;

/** Every schema comes twice, for what is sent and, with `Input` at the end of its name, for what is received. One of the two is mostly not used. */
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
  const nameOf = (name: string): string => (name.endsWith('Input') && !used.has(name.slice(0, -'Input'.length)) ? name.slice(0, -'Input'.length) : name);
  const kept = [...used].toSorted().map((name) => [nameOf(name), schemas[name]]);
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: Object.fromEntries(kept) as object } });
  // The same document with other names.
  return JSON.parse(text.replaceAll(REFERENCE, (_reference, name: string) => `"#/components/schemas/${nameOf(name)}"`)) as ApiDocument;
}
