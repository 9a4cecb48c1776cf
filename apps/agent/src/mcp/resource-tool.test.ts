import { ResourceNotFoundError } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import { FakeServer } from './testing/fake-server.ts';
import { callRequest, poolOf, toolNamed, type PoolFixture } from './testing/pool-fixture.ts';

async function ready(
  config: Partial<StdioServerConfig> = {},
  ...tools: readonly string[]
): Promise<
  PoolFixture & { readonly read: (uri: unknown) => ReturnType<PoolFixture['pool']['call']> }
> {
  const server = new FakeServer(...tools.map((name) => toolNamed(name)));
  server.hasResources = true;
  server.features = {
    ...server.features,
    readResource: (uri) => {
      if (uri === 'x://none') return Promise.reject(new ResourceNotFoundError(uri));
      return Promise.resolve([
        { uri, text: 'hello' },
        { uri, mimeType: 'image/png', blob: 'iVBORw==' },
      ]);
    },
  };
  const fixture = poolOf({ docs: server }, { docs: config });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  return {
    ...fixture,
    read: (uri) => fixture.pool.call(callRequest('docs__read_resource', { arguments: { uri } })),
  };
}

const names = ({ pool }: PoolFixture): readonly string[] =>
  pool.tools().map(({ wireName }) => wireName);

test('a server with resources gets a tool that lets a model read the resource of a resource_link', async () => {
  const fixture = await ready({ trust: true }, 'search');
  expect(names(fixture)).toEqual(['docs__read_resource', 'docs__search']);
  expect(fixture.pool.find('docs__read_resource')).toMatchObject({
    annotations: { readOnlyHint: true },
    trusted: true,
  });
  expect(await fixture.read('x://a')).toEqual({
    type: 'result',
    result: {
      content: [
        { type: 'text', text: 'hello' },
        { type: 'resource', resource: { uri: 'x://a', mimeType: 'image/png', blob: 'iVBORw==' } },
      ],
    },
  });
});

test('an unknown resource is an error that the model reads', async () => {
  const { read } = await ready();
  expect(await read('x://none')).toMatchObject({
    type: 'error',
    message: expect.stringContaining('x://none') as string,
  });
  expect(await read(7)).toEqual({
    type: 'result',
    result: {
      isError: true,
      content: [{ type: 'text', text: 'uri: must be the URI of a resource' }],
    },
  });
});

test('the patterns of the server apply to the resource tool, and a server tool of the same name is kept', async () => {
  expect(names(await ready({ allow: ['search'] }, 'search'))).toEqual(['docs__search']);
  expect(names(await ready({ deny: ['read_*'] }, 'search'))).toEqual(['docs__search']);
  const own = await ready({}, 'read_resource');
  expect(names(own)).toEqual(['docs__read_resource']);
  expect(own.pool.find('docs__read_resource')?.annotations).toEqual({});
});

test('the definition of the resource tool is never quarantined', async () => {
  const { pool } = await ready({}, 'search');
  expect(await pool.control('docs')!.pins()).toMatchObject([{ tool: 'search' }]);
});

test('a server without resources has no resource tool', async () => {
  const { pool } = poolOf({ plain: new FakeServer(toolNamed('t')) });
  pool.start();
  await pool.settled(1000);
  expect(pool.tools().map(({ name }) => name)).toEqual(['t']);
});
