import { describe, expect, test } from 'vitest';
import { eras, type Json, type StdioPeer } from '../stdio-peer.test.support.ts';
import { useFixture } from './fixture.test.support.ts';

const fixture = useFixture();
const isUpdate = ({ method }: Json): boolean => method === 'notifications/resources/updated';

async function textOf(peer: StdioPeer, uri: string): Promise<string> {
  const { result } = await peer.request('resources/read', { uri });
  const [contents] = (result?.['contents'] ?? []) as readonly { readonly text?: string }[];
  return contents?.text ?? '';
}

describe.each(eras)('a %s client', (era) => {
  test('SQ-31 subscribes to the memo, and is notified of insights after that only', async () => {
    const peer = await fixture.start(era, ['--db-path', fixture.db]);
    await textOf(peer, 'memo://insights');
    await peer.call('append_insight', { insight: 'i0' });
    expect(peer.notifications.filter(isUpdate)).toEqual([]);
    if (era === 'legacy') {
      await peer.request('resources/subscribe', { uri: 'memo://insights' });
    } else {
      void peer.request('subscriptions/listen', {
        notifications: { resourceSubscriptions: ['memo://insights'] },
      });
      await peer.notified(({ method }) => method === 'notifications/subscriptions/acknowledged');
    }
    await peer.call('append_insight', { insight: 'i1' });
    expect(await peer.notified(isUpdate)).toMatchObject({ params: { uri: 'memo://insights' } });
    expect(await textOf(peer, 'memo://insights')).toMatch(/i0[^]*i1/);
    expect(peer.notifications.filter(isUpdate)).toHaveLength(1);
  });

  test('SQ-32 lists and reads schema and tables, and completes names', async () => {
    const peer = await fixture.peer(era);
    const { result: listed } = await peer.request('resources/list');
    const resources = (listed?.['resources'] ?? []) as readonly { readonly uri: string }[];
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining([
        'sqlite://main',
        ...['users', 'orders', 'we%27ird%20%22tbl', 'fts', 'wide'].map(
          (table) => `sqlite://main/${table}`,
        ),
      ]),
    );
    const { result: templates } = await peer.request('resources/templates/list');
    expect(templates?.['resourceTemplates']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ uriTemplate: 'sqlite://{db}/{table}' }) as unknown,
      ]),
    );
    const { result: completed } = await peer.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'sqlite://{db}/{table}' },
      argument: { name: 'table', value: 'o' },
      context: { arguments: { db: 'main' } },
    });
    expect(completed?.['completion']).toMatchObject({ values: ['orders'] });
    expect(JSON.parse(await textOf(peer, 'sqlite://main/we%27ird%20%22tbl'))).toMatchObject({
      columns: [{ name: 'a' }],
      rowCount: 1,
      sampleRows: { rows: [[1]] },
    });
    const { error } = await peer.request('resources/read', { uri: 'sqlite://main/nope' });
    expect(error?.code).toBe(era === 'legacy' ? -32_002 : -32_602);
  });

  test('SQ-34 gets the demonstration with its topic as it is', async () => {
    const peer = await fixture.peer(era);
    const { result: listed } = await peer.request('prompts/list');
    expect(listed?.['prompts']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'mcp-demo',
          arguments: [expect.objectContaining({ name: 'topic', required: true })],
        }) as unknown,
      ]),
    );
    const get = (args: Json) => peer.request('prompts/get', { name: 'mcp-demo', arguments: args });
    const { result } = await get({ topic: 'a {b} </mcp>' });
    expect(JSON.stringify(result?.['messages'])).toContain('a {b} </mcp>');
    expect((await get({})).error?.code).toBe(-32_602);
  });
});
