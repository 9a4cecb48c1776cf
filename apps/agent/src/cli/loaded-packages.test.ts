import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const IMPORT = /^(?:import|export) (?!type )(?:[^;'"]*? from )?'([^']+)';/gm;

/** Returns the packages that importing this module loads at once, without its dynamic imports. */
function packagesLoadedBy(file: string): readonly string[] {
  const modules = new Set<string>([join(import.meta.dirname, file)]);
  const packages = new Set<string>();
  for (const module of modules)
    for (const [statement, specifier = ''] of readFileSync(module, 'utf8').matchAll(IMPORT)) {
      if (/^import \{(?:\s*type [^,}]+,?)+\s*\} from/.test(statement)) continue;
      if (specifier.startsWith('.')) modules.add(join(dirname(module), specifier));
      else if (!specifier.startsWith('node:')) packages.add(specifier);
    }
  return [...packages].toSorted();
}

test.each([
  '../main.ts',
  'command.ts',
  'process-io.ts',
  'app-command.ts',
  'replay-command.ts',
  'migrate-command.ts',
])('%s loads no package, so that help starts fast', (file) => {
  expect(packagesLoadedBy(file)).toEqual([]);
});

test.each(['service-commands.ts', 'tools-command.ts'])(
  '%s loads the client of the REST API and no other package, so that requests to a service start fast',
  (file) => {
    expect(packagesLoadedBy(file)).toEqual(['@signalbox/client']);
  },
);

test.each(['inbox-command.ts', 'servers-command.ts'])(
  '%s loads the client of the REST API, the root of the protocol package and no other package',
  (file) => {
    expect(packagesLoadedBy(file)).toEqual(['@signalbox/client', '@signalbox/mcp-core']);
  },
);

test('run-with-app.ts loads the service, but neither an SDK of a model provider nor the API description nor Redis nor PostgreSQL', () => {
  const packages = packagesLoadedBy('run-with-app.ts');
  expect(packages).toEqual(expect.arrayContaining(['better-sqlite3', 'fastify', 'kysely', 'zod']));
  expect(packages).not.toContain('pg');
  expect(packages).not.toContain('openai');
  expect(packages).not.toContain('@anthropic-ai/sdk');
  expect(packages).not.toContain('@fastify/swagger');
  expect(packages).not.toContain('bullmq');
  expect(packages).not.toContain('ioredis');
});
