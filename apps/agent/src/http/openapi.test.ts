import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
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
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly [status: string]: { readonly $ref?: string; readonly description?: string; readonly content?: Content } };
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: object }; readonly responses: { readonly [name: string]: { readonly content: Content } } };
}

/** Written anew by `vitest run src/http/openapi.test.ts -u`. */
const FILE = '../../openapi.json';
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string };

let document: Document;
let operations: readonly (readonly [string, Operation])[];
beforeAll(async () => {
  const edge = await createTestEdge({}, {}, { version });
  document = (await edge.app.inject({ method: 'GET', url: '/openapi.json', headers: { host: 'localhost' } })).json();
  operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const));
  await edge.close();
});

test('the document that is checked in is the one that the service gives', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(FILE);
});

describe('the document', () => {
  test('is one of OpenAPI 3.1, with a title, a version and every route', () => {
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\.\d$/) as string, info: { title: 'Signalbox', version } });
    expect(operations.length).toBeGreaterThan(40);
  });

  test('has only references that lead somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/"\$ref":"(?!#\/components\/(?:schemas\/|responses\/Problem"))/);
  });

  test('has only names that the specification allows', () => {
    expect(Object.keys(document.components.schemas).filter((name) => !/^[\w.-]+$/.test(name))).toEqual([]);
    expect(operations.filter(([, { summary }]) => summary === undefined)).toEqual([]);
  });

  test('declares each parameter of a path, and no other, as required', () => {
    for (const [name, { parameters = [] }] of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect([name, inPath.map((parameter) => parameter.name)]).toEqual([name, [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1])]);
      expect(inPath.every(({ required }) => required === true)).toBe(true);
      expect(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size).toBe(parameters.length);
    }
  });

  test('has a description of each response, and problems as RFC 9457 has them', () => {
    expect(Object.keys(document.components.responses['Problem']!.content)).toEqual(['application/problem+json']);
    for (const [name, { responses }] of operations) {
      for (const [status, { description, $ref: reference }] of Object.entries(responses)) {
        expect([name, status]).toEqual([name, expect.stringMatching(/^(?:[2-5]\d\d|default)$/)]);
        const isProblem = status === 'default' || Number(status) >= 400;
        expect([name, status, reference, typeof description]).toEqual([name, status, ...(isProblem ? ['#/components/responses/Problem', 'undefined'] : [undefined, 'string'])]);
      }
    }
  });

  test('has schemas of JSON Schema 2020-12 alone', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false, allErrors: true });
    addFormats.default(ajv);
    for (const [name, schema] of Object.entries(document.components.schemas)) ajv.addSchema(local(schema), name);
    const contents = operations.flatMap(([name, { parameters = [], requestBody, responses }]) => [
      ...parameters.map((parameter) => [`${name} ${parameter.name}`, parameter.schema] as const),
      ...[requestBody, ...Object.values(responses)].flatMap((each) => Object.values(each?.content ?? {}).map(({ schema }) => [name, schema] as const)),
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
