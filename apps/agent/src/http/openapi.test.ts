import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { OPERATION_IDS } from './api-operations.ts';
import { EVENT_DATA } from './event-schemas.ts';
import { createTestEdge } from './testing.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
}

interface Content {
  readonly [type: string]: { readonly schema: object };
}

interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: {
    readonly [status: string]: {
      readonly $ref?: string;
      readonly description?: string;
      readonly headers?: object;
      readonly content?: Content;
    };
  };
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly tags: readonly { readonly name: string }[];
  readonly components: {
    readonly schemas: {
      readonly [name: string]: {
        readonly discriminator?: { readonly propertyName: string; readonly mapping: object };
      };
    };
    readonly responses: {
      readonly [name: string]: { readonly content: Content; readonly headers: object };
    };
  };
}

/** Written anew by `vitest run src/http/openapi.test.ts -u`. */
const FILE = '../../openapi.json';
const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

let document: Document;
let operations: readonly (readonly [string, Operation])[];
beforeAll(async () => {
  const edge = await createTestEdge({}, {}, { version });
  document = (
    await edge.app.inject({ method: 'GET', url: '/openapi.json', headers: { host: 'localhost' } })
  ).json();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
  await edge.close();
});

test('the document that is checked in is the one that the service gives', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(FILE);
});

describe('the document', () => {
  test('is one of OpenAPI 3.1, with a title, a version and every route', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d$/) as string,
      info: { title: 'Signalbox', version },
    });
    expect(operations.length).toBeGreaterThan(40);
  });

  test('has only references that lead somewhere', () => {
    const references = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
    ].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
    const { schemas: _schemas, ...others } = document.components;
    const names = Object.entries(others).flatMap(([kind, components]) =>
      Object.keys(components).map((name) => `#/components/${kind}/${name}`),
    );
    const elsewhere = [
      ...JSON.stringify(document).matchAll(/"\$ref":"(#\/components\/(?!schemas\/)[^"]+)"/g),
    ].map((match) => match[1]!);
    expect(new Set(elsewhere).size).toBeGreaterThan(8);
    expect(elsewhere.filter((reference) => !names.includes(reference))).toEqual([]);
  });

  test('has only names that the specification allows', () => {
    expect(
      Object.keys(document.components.schemas).filter((name) => !/^[\w.-]+$/.test(name)),
    ).toEqual([]);
    expect(operations.filter(([, { summary }]) => summary === undefined)).toEqual([]);
  });

  test('names each operation once, and puts it into a group', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(
      operations
        .filter(([, { operationId }]) => !/^[a-z]\w+$/.test(operationId ?? ''))
        .map(([name]) => `add ${name} to api-operations.ts`),
    ).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(operations.flatMap(([, { tags = [] }]) => tags))).toEqual(
      new Set(document.tags.map(({ name }) => name)),
    );
    expect(
      Object.keys(OPERATION_IDS).filter(
        (name) => !operations.some(([operation]) => operation === name),
      ),
    ).toEqual([]);
  });

  test('declares the errors that every operation can have', () => {
    for (const [name, { responses, requestBody }] of operations) {
      const expected = [
        '403',
        '429',
        '503',
        ...(requestBody === undefined ? [] : ['413', '415']),
        ...(/healthz|readyz/.test(name) ? [] : ['401']),
      ];
      expect([name, ...expected.filter((status) => !(status in responses))]).toEqual([name]);
    }
  });

  test('declares the streams, the headers that resume and repeat requests, and the headers of responses', () => {
    const streams = operations
      .filter(([, { responses }]) =>
        Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content),
      )
      .map(([name]) => name);
    expect(streams).toEqual([
      'POST /v1/runs',
      'POST /v1/runs/{id}/fork',
      'GET /v1/runs/{id}/events',
      'GET /v1/servers/{name}/changes',
    ]);
    const [, events] = operations.find(([name]) => name === 'GET /v1/runs/{id}/events')!;
    expect(events.parameters?.map(({ name }) => name)).toContain('Last-Event-ID');
    const [, create] = operations.find(([name]) => name === 'POST /v1/runs')!;
    expect(create.parameters?.map(({ name }) => name)).toContain('Idempotency-Key');
    expect(Object.keys(create.responses['202']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Location', 'Idempotent-Replayed']),
    );
    for (const name of ['TooManyRequests', 'Unavailable'])
      expect(Object.keys(document.components.responses[name]!.headers)).toContain('Retry-After');
  });

  test('has a 2xx response for every operation', () => {
    expect(
      operations
        .filter(
          ([, { responses }]) => !Object.keys(responses).some((status) => status.startsWith('2')),
        )
        .map(([name]) => name),
    ).toEqual([]);
  });

  test('has no bounds of safe integers, and no expressions that nobody can read', () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain('9007199254740991');
    expect(
      [...text.matchAll(/"pattern":"([^"]*)"/g)].filter(([, pattern = '']) => pattern.length > 80),
    ).toEqual([]);
  });

  test('describes each event type by a schema of its own, and all frames of a stream by their type', () => {
    const { RunEvent, RunStreamFrame, InboxItem } = document.components.schemas;
    expect(Object.keys(RunEvent?.discriminator?.mapping ?? {})).toEqual(Object.keys(EVENT_DATA));
    expect(Object.keys(RunStreamFrame?.discriminator?.mapping ?? {})).toEqual([
      'run.snapshot',
      'message.delta',
      'stream.gap',
      ...Object.keys(EVENT_DATA),
    ]);
    expect(InboxItem?.discriminator).toMatchObject({
      propertyName: 'kind',
      mapping: { outcome_unknown: '#/components/schemas/OutcomeUnknownItem' },
    });
  });

  test('leaves responses open for new fields, and requests closed', () => {
    expect(document.components.schemas['Run']).not.toHaveProperty('additionalProperties');
    expect(document.components.schemas['NewRun']).toHaveProperty('additionalProperties', false);
  });

  test('declares each parameter of a path, and no other, as required', () => {
    for (const [name, { parameters = [] }] of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect([name, inPath.map((parameter) => parameter.name)]).toEqual([
        name,
        [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
      ]);
      expect(inPath.every(({ required }) => required === true)).toBe(true);
      expect(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size).toBe(
        parameters.length,
      );
    }
  });

  test('has a description of each response, and problems as RFC 9457 has them', () => {
    for (const { content } of Object.values(document.components.responses))
      expect(Object.keys(content)).toEqual(['application/problem+json']);
    for (const [name, { responses }] of operations) {
      for (const [status, { description, $ref: reference }] of Object.entries(responses)) {
        expect([name, status]).toEqual([name, expect.stringMatching(/^(?:[2-5]\d\d|default)$/)]);
        const isProblem = status === 'default' || Number(status) >= 400;
        const kind = /^#\/components\/(responses)\/\w+$/.exec(reference ?? '')?.[1];
        expect([name, status, kind, typeof description]).toEqual([
          name,
          status,
          ...(isProblem ? ['responses', 'undefined'] : [undefined, 'string']),
        ]);
      }
    }
  });

  test('has schemas of JSON Schema 2020-12 alone', () => {
    const ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      strictTypes: false,
      strictRequired: false,
      allErrors: true,
    });
    addFormats.default(ajv);
    ajv.addKeyword('discriminator');
    for (const [name, schema] of Object.entries(document.components.schemas))
      ajv.addSchema(local(schema), name);
    const contents = operations.flatMap(([name, { parameters = [], requestBody, responses }]) => [
      ...parameters.map((parameter) => [`${name} ${parameter.name}`, parameter.schema] as const),
      ...[requestBody, ...Object.values(responses)].flatMap((each) =>
        Object.values(each?.content ?? {}).map(({ schema }) => [name, schema] as const),
      ),
    ]);
    for (const [name, schema] of [...Object.entries(document.components.schemas), ...contents]) {
      expect(() => ajv.compile(local(schema)), name).not.toThrow();
    }
  });
});

/** The schema with its references to components by their names alone. */
function local(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"')) as object;
}
