import { expect, test } from 'vitest';
import { openSchemaHost } from './schema-host.ts';

test('a schema host counts the fetches of its schema', async () => {
  const host = await openSchemaHost();
  void fetch(host.url);
  expect(await host.visits()).toBe(1);
});
