import { symlinkSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eras, type Json } from '../stdio-peer.test.support.ts';
import { createFixture } from './fixture.test.support.ts';

const png = Buffer.from('iVBORw0KGgo=', 'base64');
const subscriptionOf = (message: Json): unknown =>
  ((message['params'] as Json)['_meta'] as Json | undefined)?.[
    'io.modelcontextprotocol/subscriptionId'
  ];

const isUpdate = ({ method }: Json): boolean => method === 'notifications/resources/updated';

/** A module for `node --import`: every watch fails as if fs.inotify.max_user_watches were reached. */
const withoutWatches = `data:text/javascript,${encodeURIComponent(
  `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.watch = () => { throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }); };
syncBuiltinESMExports();`,
)}`;

describe.each(eras)('a %s client', (era) => {
  test('FS-45 lists and reads resources, and gets an error for other URIs', async () => {
    await using files = await createFixture(
      { 'a b#.txt': 'x', 'i.png': png },
      { 'secret.txt': 'TOPSECRET' },
    );
    const peer = await files.serve(era);
    const { result: listed } = await peer.request('resources/list');
    const resources = listed?.['resources'] as readonly {
      readonly uri: string;
      readonly mimeType?: string;
    }[];
    expect(resources.map(({ uri }) => uri)).toEqual([
      pathToFileURL(files.root).href,
      `${pathToFileURL(files.root).href}/a%20b%23.txt`,
      `${pathToFileURL(files.root).href}/i.png`,
    ]);
    expect(resources[0]).toMatchObject({ mimeType: 'inode/directory' });
    const read = (uri: string) => peer.request('resources/read', { uri });
    expect((await read(`file://${files.root}/a%20b%23.txt`)).result?.['contents']).toMatchObject([
      { text: 'x', mimeType: 'text/plain' },
    ]);
    expect((await read(`file://${files.root}/i.png`)).result?.['contents']).toMatchObject([
      { blob: png.toString('base64'), mimeType: 'image/png' },
    ]);
    const code = era === 'legacy' ? -32_002 : -32_602;
    for (const uri of [`file://${files.root}/none`, `file://${files.outside}/secret.txt`]) {
      const answer = await read(uri);
      expect(answer.error).toMatchObject({ code, data: { uri } });
      expect(JSON.stringify(answer)).not.toContain('TOPSECRET');
    }
  });

  test('FS-46 completes paths of the template, and nothing outside', async () => {
    await using files = await createFixture(
      { 'src/index.ts': '', 'src/io.ts': '' },
      { 'index.ts': '' },
    );
    const peer = await files.serve(era);
    const { result } = await peer.request('resources/templates/list');
    expect(result?.['resourceTemplates']).toMatchObject([{ uriTemplate: 'file:///{+path}' }]);
    const complete = async (value: string) => {
      const answer = await peer.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'file:///{+path}' },
        argument: { name: 'path', value },
      });
      return (
        answer.result as
          | { readonly completion?: { readonly values: readonly string[] } }
          | undefined
      )?.completion?.values;
    };
    const root = files.root.slice(1);
    expect(await complete(`${root}/src/i`)).toEqual([`${root}/src/index.ts`, `${root}/src/io.ts`]);
    expect(await complete(`${files.outside.slice(1)}/`)).toEqual([]);
  });
});

describe('FS-48', () => {
  const uriOf = (path: string) => `file://${path}`;

  test('a legacy client can watch paths inside, up to the limit, and nothing outside', async () => {
    await using files = await createFixture({ 'a.txt': '0' }, { 'x.txt': 's' });
    symlinkSync(files.outside, files.at('d'));
    const peer = await files.serve('legacy');
    const subscribe = (path: string) => peer.request('resources/subscribe', { uri: uriOf(path) });
    expect((await subscribe(`${files.outside}/x.txt`)).error).toBeDefined();
    expect((await subscribe(files.at('d/x.txt'))).error).toBeDefined();
    expect(peer.systemWatches()).toBe(0);
    const answers = [];
    for (let index = 0; index < 300; index++) answers.push(await subscribe(files.at(`f${index}`)));
    const refused = answers.flatMap(({ error }) => error ?? []);
    expect([answers.findIndex(({ error }) => error !== undefined), refused.length]).toEqual([
      256, 44,
    ]);
    for (const { message } of refused) expect(message).toContain('at most 256 paths');
    writeFileSync(files.at('f255'), 'now it is there');
    const updated = await peer.notified(isUpdate);
    expect(updated['params']).toMatchObject({ uri: uriOf(files.at('f255')) });
  });

  test('a modern client can watch paths inside, up to the limit, and nothing outside', async () => {
    await using files = await createFixture({ 'a.txt': '0' }, { 'x.txt': 's' });
    symlinkSync(files.outside, files.at('d'));
    const peer = await files.serve('modern');
    const listen = async (paths: readonly string[]) => {
      let id = 0;
      const filter = { resourceSubscriptions: paths.map(uriOf) };
      void peer.request(
        'subscriptions/listen',
        { notifications: filter },
        { onId: (given) => (id = given) },
      );
      const { params } = await peer.notified(
        (message) =>
          message['method'] === 'notifications/subscriptions/acknowledged' &&
          subscriptionOf(message) === id,
      );
      return (params as { notifications: typeof filter }).notifications.resourceSubscriptions;
    };
    expect(await listen([`${files.outside}/x.txt`, files.at('d/x.txt')])).toEqual([]);
    expect(peer.systemWatches()).toBe(0);
    const paths = Array.from({ length: 300 }, (_, index) => files.at(`f${index}`));
    const accepted = await listen(paths);
    expect(accepted).toHaveLength(256);
    writeFileSync(new URL(accepted[255] ?? ''), 'now it is there');
    expect((await peer.notified(isUpdate))['params']).toMatchObject({ uri: accepted[255] });
    // The acknowledgment has no place for a reason; the limit is in the log.
    expect(peer.stderr.match(/at most 256 paths at once \(--max-subscriptions\)/g)).toHaveLength(1);
  });

  test.each(eras)('a %s client is notified when the system has no watches left', async (era) => {
    await using files = await createFixture({ 'a.txt': '0' });
    const peer = await files.serve(era, { env: { NODE_OPTIONS: `--import ${withoutWatches}` } });
    const uri = uriOf(files.at('a.txt'));
    if (era === 'legacy') await peer.request('resources/subscribe', { uri });
    else {
      void peer.request('subscriptions/listen', {
        notifications: { resourceSubscriptions: [uri] },
      });
      await peer.notified(({ method }) => method === 'notifications/subscriptions/acknowledged');
    }
    writeFileSync(files.at('a.txt'), 'longer than before');
    expect((await peer.notified(isUpdate))['params']).toMatchObject({ uri });
    expect(peer.stderr).toContain('ENOSPC');
    expect((await peer.request('tools/list')).error).toBeUndefined();
  });
});

describe('a modern client', () => {
  test('FS-49 discovers, listens, reads, and gets no notification after it stopped', async () => {
    await using files = await createFixture({ 'a.txt': '0' });
    const peer = await files.serve('modern');
    const uri = `file://${files.at('a.txt')}`;
    const { result } = await peer.request('server/discover');
    expect(result?.['supportedVersions']).toContain('2026-07-28');
    expect(result?.['capabilities']).toMatchObject({ tools: {}, resources: {} });
    let listenId = 0;
    void peer.request(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: [uri], resourcesListChanged: true } },
      { onId: (id) => (listenId = id) },
    );
    const acknowledged = await peer.notified(
      ({ method }) => method === 'notifications/subscriptions/acknowledged',
    );
    expect(peer.notifications[0]).toBe(acknowledged);
    writeFileSync(files.at('a.txt'), '1');
    const updated = await peer.notified(isUpdate);
    expect([subscriptionOf(updated), subscriptionOf(acknowledged)]).toEqual([listenId, listenId]);
    expect((await peer.request('resources/read', { uri })).result).toMatchObject({
      contents: [{ text: '1' }],
      ttlMs: expect.any(Number) as number,
      cacheScope: 'private',
    });
    // A later change of the list would arrive after a second update.
    writeFileSync(files.at('b.txt'), '');
    const changed = await peer.notified(
      ({ method }) => method === 'notifications/resources/list_changed',
    );
    expect(subscriptionOf(changed)).toBe(listenId);
    expect(peer.notifications.filter(isUpdate)).toEqual([updated]);
    peer.cancel(listenId);
    await peer.request('tools/list');
    const heard = peer.notifications.length;
    writeFileSync(files.at('a.txt'), '2');
    // The watch of a second client shows when a notification would have arrived.
    const witness = await files.serve('legacy');
    await witness.request('resources/subscribe', { uri });
    writeFileSync(files.at('a.txt'), '3');
    await witness.notified(isUpdate);
    await peer.request('tools/list');
    expect(peer.notifications).toHaveLength(heard);
  });
});
