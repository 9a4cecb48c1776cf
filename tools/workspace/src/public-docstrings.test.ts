import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { undocumentedExports } from './public-docstrings.ts';

const root = join(import.meta.dirname, '../../..');

function typesOf(folder: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly exports: { readonly [entry: string]: { readonly types?: string } };
  };
  return Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(root, folder, types)],
  );
}

test.each(['libs/agent-client', 'libs/file-sandbox', 'libs/mcp-core', 'libs/server-kit'])(
  'every symbol that %s exports has a docstring',
  (folder) => {
    const files = typesOf(folder);
    expect(files).not.toEqual([]);
    expect(files.flatMap((file) => undocumentedExports(file))).toEqual([]);
  },
);

test('a symbol without a docstring is found, also behind several exports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docstrings-'));
  const index = join(folder, 'index.d.ts');
  writeFileSync(
    index,
    `export { told, silent } from './middle.js';\nexport type { Told, Silent } from './types.js';\n`,
  );
  writeFileSync(join(folder, 'middle.d.ts'), `export { silent, told } from './functions.js';\n`);
  writeFileSync(
    join(folder, 'functions.d.ts'),
    `/** Tells. */\nexport declare function told(): void;\nexport declare function silent(): void;\n`,
  );
  writeFileSync(
    join(folder, 'types.d.ts'),
    `/** A type. */\nexport interface Told {\n}\nexport type Silent = 1;\n`,
  );
  expect(undocumentedExports(index)).toEqual([
    `${join(folder, 'middle.d.ts')}: silent`,
    `${join(folder, 'types.d.ts')}: Silent`,
  ]);
});
