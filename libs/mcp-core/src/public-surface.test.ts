import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { ErrorCode } from './protocol/errors.ts';

const root = new URL('../', import.meta.url);

/** Exports of each entry point. An added name becomes public; a removed one breaks its users. */
const SURFACE = JSON.parse(await readFile(new URL('src/public-surface.json', root), 'utf8')) as {
  readonly [entry: string]: readonly string[];
};

interface Manifest {
  readonly exports: { readonly [entry: string]: string | { readonly '@signalbox/source': string } };
}

/** Returns the names that an entry's source exports; types as `type Name`. */
async function exportsOf(source: string): Promise<readonly string[]> {
  const text = await readFile(new URL(source, root), 'utf8');
  const blocks = [...text.matchAll(/export (type )?\{([^}]*)\}/gu)];
  return blocks
    .flatMap(([, type = '', names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name) => `${type}${name}`),
    )
    .toSorted();
}

const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as Manifest;
const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
  typeof target === 'string' ? [] : [[entry, target['@signalbox/source']] as const],
);

describe('the public surface', () => {
  test('has these entry points', () => {
    expect(entries.map(([entry]) => entry)).toEqual(Object.keys(SURFACE));
  });

  test.each(entries)('of %s is pinned', async (entry, source) => {
    expect(await exportsOf(source)).toEqual(SURFACE[entry]);
  });

  test.each(entries)('of %s only lists names, and they exist', async (_entry, source) => {
    const text = await readFile(new URL(source, root), 'utf8');
    expect(text.replaceAll(/export (?:type )?\{[^}]*\} from '[^']+';\n?/gu, '')).toBe('');
    const module = (await import(new URL(source, root).href)) as object;
    expect(Object.keys(module).toSorted()).toEqual(
      (await exportsOf(source)).filter((name) => !name.startsWith('type ')),
    );
  });
});

test('the error codes are those of the specification', () => {
  expect(ErrorCode).toEqual({
    parseError: -32700,
    invalidRequest: -32600,
    methodNotFound: -32601,
    invalidParams: -32602,
    internalError: -32603,
    resourceNotFound: -32002,
    headerMismatch: -32020,
    missingClientCapability: -32021,
    unsupportedProtocolVersion: -32022,
    urlElicitationRequired: -32042,
    rejectedByUser: -1,
  });
});
