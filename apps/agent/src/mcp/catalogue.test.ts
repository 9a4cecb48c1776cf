import { ProtocolError, type Tool } from '@signalbox/mcp-core';
import { describe, expect, test, vi } from 'vitest';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { FakeServer } from './testing/fake-server.ts';
import { poolOf, statusOf, toolNamed } from './testing/pool-fixture.ts';

const isReady = (status: ServerStatus): boolean => status.state === 'ready';
const isFailed = (status: ServerStatus): boolean => status.state === 'failed';

describe('the tools of a server', () => {
  test('are read again when they change, at most once more for any number of changes meanwhile', async () => {
    const server = new FakeServer(toolNamed('a'));
    const { pool, clock } = poolOf({ server });
    pool.start();
    await statusOf(pool, 'server', isReady);
    server.tools = [toolNamed('a'), toolNamed('b')];
    const changes: number[] = [];
    pool.onServerChange((status) => changes.push(status.toolCount));
    server.changeTools();
    server.changeTools();
    server.changeTools();
    await statusOf(pool, 'server', (status) => status.toolCount === 2);
    server.tools = [];
    await vi.waitFor(() => expect(clock.waits).toEqual([500]), { interval: 1, timeout: 10_000 });
    clock.advance(500);
    await statusOf(pool, 'server', (status) => status.toolCount === 0);
    expect(changes).toEqual([2, 0]);
    expect(pool.find('server__a')).toBeUndefined();
  });

  test('are unchanged when they cannot be read again, with a warning', async () => {
    const server = new FakeServer(toolNamed('a'));
    const { pool } = poolOf({ server }, { server: { env: { KEY: 'hush-hush' } } });
    pool.start();
    await statusOf(pool, 'server', isReady);
    server.listFailure = new Error('busy with hush-hush');
    server.changeTools();
    expect(await statusOf(pool, 'server', (status) => status.warnings.length > 0)).toMatchObject({
      state: 'ready',
      toolCount: 1,
      warnings: ['the changed tool list could not be read: busy with ***'],
    });
  });

  test('are offered by a server without listChanged, with a warning', async () => {
    const server = new FakeServer(toolNamed('a'));
    server.watchFailure = new ProtocolError(-32601, 'no subscriptions');
    const { pool } = poolOf({ server });
    pool.start();
    expect(
      await statusOf(pool, 'server', (status) => isReady(status) || isFailed(status)),
    ).toMatchObject({
      state: 'ready',
      toolCount: 1,
      warnings: ['changes of the tool list will not be noticed: no subscriptions'],
    });
  });

  test('include changes while the server connects', async () => {
    const server = new FakeServer(toolNamed('a'));
    const { pool } = poolOf({ server });
    server.onList = () => {
      server.onList = () => undefined;
      server.tools = [toolNamed('a'), toolNamed('b')];
      server.changeTools();
    };
    pool.start();
    expect(await statusOf(pool, 'server', isReady)).toMatchObject({ toolCount: 1 });
    expect((await statusOf(pool, 'server', (status) => status.toolCount === 2)).state).toBe(
      'ready',
    );
  });

  test('are filtered by allow and deny, and a pattern without a match causes a warning', async () => {
    const server = new FakeServer(toolNamed('read_a'), toolNamed('read_b'), toolNamed('write_a'));
    const { pool } = poolOf(
      { server },
      { server: { allow: ['read_*', 'list_*'], deny: ['*_b', 'drop'] } },
    );
    pool.start();
    const { warnings } = await statusOf(pool, 'server', isReady);
    expect(pool.tools().map((tool) => tool.name)).toEqual(['read_a']);
    expect(warnings).toEqual([
      'signalbox.allow: "list_*" matches no tool of the server',
      'signalbox.deny: "drop" matches no tool of the server',
    ]);
  });

  test('an unsupported tool is left out with a warning and does not affect other tools', async () => {
    const odd = [
      {},
      { name: 7 },
      { name: '' },
      { name: 'no-schema' },
      { name: 'list', inputSchema: [] },
    ] as unknown as Tool[];
    const server = new FakeServer(
      ...odd,
      toolNamed('remote', {
        type: 'object',
        properties: { a: { $ref: 'https://example.org/a.json' } },
      }),
      toolNamed('twice'),
      toolNamed('twice'),
      { ...toolNamed('long'), description: 'x'.repeat(70_000) },
      {
        name: 'hints',
        inputSchema: {},
        title: 3,
        description: null,
        annotations: {
          readOnlyHint: 'true',
          destructiveHint: 'no',
          idempotentHint: true,
          title: 'T',
        },
      } as unknown as Tool,
      toolNamed('fine'),
    );
    const { pool, log } = poolOf({ server });
    pool.start();
    const { warnings } = await statusOf(pool, 'server', isReady);
    expect(pool.tools().map((tool) => tool.name)).toEqual(['fine', 'hints', 'twice']);
    expect(pool.find('server__hints')?.annotations).toEqual({ idempotentHint: true, title: 'T' });
    expect(warnings).toEqual([
      '3 tools are not offered: they have no name',
      'tool "no-schema" is not offered: its input schema is not an object',
      'tool "list" is not offered: its input schema is not an object',
      expect.stringMatching(
        /^tool "remote" is not offered: its input schema does not compile: The schema refers to https:/,
      ),
      'tool "twice" is not offered: the server lists another tool with this name',
      'tool "long" is not offered: its description is longer than 64 KiB',
    ]);
    expect(log.filter((line) => line.startsWith('warn '))).toHaveLength(6);
  });

  test('are limited to 1000', async () => {
    const { pool } = poolOf(
      {
        server: new FakeServer(
          ...Array.from({ length: 1001 }, (_, index) => toolNamed(`t${index}`, {})),
        ),
      },
      { server: { allow: ['t999', 't1000'] } },
    );
    pool.start();
    expect(await statusOf(pool, 'server', isReady)).toMatchObject({
      toolCount: 1,
      warnings: ['1 tools are not offered: only the first 1000 of a server are'],
    });
    expect(pool.find('server__t999')).toBeDefined();
  });

  test('are left out if a definition, or all together, are too large', async () => {
    const large = (name: string, length: number): Tool => ({
      ...toolNamed(name, { type: 'object', description: 'x'.repeat(length) }),
      title: 'y'.repeat(50_000),
    });
    const { pool } = poolOf({
      server: new FakeServer(
        { ...toolNamed('titled'), title: 'x'.repeat(600_000) },
        ...Array.from({ length: 40 }, (_, index) => large(`t${index}`, 200_000)),
      ),
    });
    pool.start();
    const { warnings, toolCount } = await statusOf(pool, 'server', isReady);
    expect(warnings[0]).toBe('tool "titled" is not offered: its definition is larger than 512 KiB');
    expect(warnings[1]).toMatch(
      /is not offered: the definitions of the server's tools are larger than 8 MiB together$/,
    );
    expect(toolCount).toBe(33);
  });

  test('that change constantly are read at a limited rate', async () => {
    const server = new FakeServer(toolNamed('a'));
    const { pool, clock } = poolOf({ server });
    pool.start();
    await statusOf(pool, 'server', isReady);
    server.onList = () => clock.advance(2000);
    server.changeTools();
    server.changeTools();
    await vi.waitFor(() => expect(clock.waits).toContain(20_000), { interval: 1, timeout: 10_000 });
  });
});
