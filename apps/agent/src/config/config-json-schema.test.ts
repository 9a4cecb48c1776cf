import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { configJsonSchema } from './config-json-schema.ts';

/** Written anew by `vitest run src/config/config-json-schema.test.ts -u`. */
const FILE = '../../signalbox.schema.json';

test('the JSON Schema in the package is the one of the configuration', async () => {
  await expect(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`).toMatchFileSnapshot(FILE);
});

test.each<[string, object, boolean]>([
  [
    'a server with its policy',
    {
      $schema: './signalbox.schema.json',
      mcpServers: {
        'my notes': { command: 'node', args: ['x'], timeout: 3, signalbox: { trust: true } },
      },
    },
    true,
  ],
  [
    'an input',
    {
      inputs: [{ id: 'key', type: 'promptString', password: true }],
      mcpServers: { a: { url: 'https://x/${input:key}' } },
    },
    true,
  ],
  ['a misspelled setting', { prot: 1 }, false],
  [
    'a misspelled policy',
    { mcpServers: { a: { command: 'x', signalbox: { trusted: true } } } },
    false,
  ],
  ['a port beyond the last', { port: 70_000 }, false],
])('an editor with it accepts or marks %s', (_case, config, isValid) => {
  const schema = JSON.parse(readFileSync(new URL(FILE, import.meta.url), 'utf8')) as object;
  expect(new Ajv2020({ strict: false }).compile(schema)(config)).toBe(isValid);
});
