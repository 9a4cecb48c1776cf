import { describe, expect, test } from 'vitest';
import { createClient } from './postgres-client.ts';
import { connectionOptions } from './connection-options.ts';
import { hasPostgres, postgresForTests } from './testing/postgres.ts';

test.each([
  ['postgres://a:p%40ss@h:1/d', 'postgres://a:p%40ss@h:1/d', ''],
  [
    'postgres://a:p%40ss@h/d?sslmode=disable&options=-c%20x%3D1',
    'postgres://a:p%40ss@h/d?sslmode=disable',
    '-c x=1',
  ],
  ['not an address', 'not an address', ''],
])('the address %s has the options of the server apart', (url, connectionString, options) => {
  expect(connectionOptions(url)).toEqual({ connectionString, options });
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  const postgres = postgresForTests();

  test('options in the address do not replace those of the service', async () => {
    const client = createClient({
      url: `${await postgres.newDatabase()}?options=${encodeURIComponent('-c search_path=elsewhere')}`,
    });
    await client.connect();
    const settings = await client.query<{ readonly path: string; readonly idle: string }>(
      "select current_setting('search_path') as path, current_setting('tcp_keepalives_idle') as idle",
    );
    await client.end();
    expect(settings.rows).toEqual([{ path: 'elsewhere', idle: '10' }]);
  });
});
