import type { Tool } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { toolCatalogueContract } from '../ports/tool-catalogue.contract.ts';
import { changed, connected, eventually } from './testing/catalogue-servers.ts';
import { openFleet } from './testing/fleet.ts';

const READ: Tool = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } };

describe('the catalogue of the states that two workers stored', () => {
  toolCatalogueContract(async (tools) => {
    const fleet = await openFleet();
    const workers = [await fleet.join('w1', tools), await fleet.join('w2', tools)];
    await connected(fleet.catalogue);
    return {
      catalogue: fleet.catalogue,
      async offer(next) {
        for (const worker of workers) worker.offer(next);
        await changed(fleet.catalogue);
      },
      connectSlow: () => workers.forEach((worker) => worker.connectSlow()),
      advance: (ms) => fleet.clock.advance(ms),
    };
  });
});

test('without a worker each server has failed, and its tools are not available', async () => {
  const { catalogue } = await openFleet();
  const reason = /no worker process is running.*signalbox serve --role worker/;
  const servers = await catalogue.servers();
  expect(servers[0]?.error).toMatch(reason);
  expect(servers).toMatchObject([
    { name: 'files', state: 'failed' },
    { name: 'broken', state: 'failed' },
    { name: 'slow', state: 'failed' },
  ]);
  await expect(catalogue.tools()).rejects.toThrow(reason);
  await expect(catalogue.find('files__read')).rejects.toThrow(reason);
  expect(await catalogue.whyNotOffered('files__read')).toMatch(reason);
  await catalogue.settled(60_000);
});

test('a server is ready while one of its workers is, and shows the state on each', async () => {
  const fleet = await openFleet();
  const [first] = [await fleet.join('w1', [READ]), await fleet.join('w2', [READ])];
  await connected(fleet.catalogue);
  await eventually(async () =>
    expect((await fleet.catalogue.servers())[0]?.workers).toMatchObject([
      { workerId: 'w1', state: 'ready' },
      { workerId: 'w2', state: 'ready' },
    ]),
  );
  await first.pool.control('files')?.drain('now');
  await eventually(async () =>
    expect((await fleet.catalogue.servers())[0]?.workers).toMatchObject([
      { workerId: 'w1', state: 'drained' },
      { workerId: 'w2', state: 'ready' },
    ]),
  );
  expect(await fleet.catalogue.servers()).toMatchObject([
    { name: 'files', state: 'ready' },
    {},
    {},
  ]);
  expect(await fleet.catalogue.find('files__read')).toBeDefined();
});

test('the servers of a worker that has ended are not counted, and their states are removed', async () => {
  const fleet = await openFleet();
  await fleet.join('w1', [READ]);
  await connected(fleet.catalogue);
  await fleet.end('w1');
  expect(await fleet.catalogue.servers()).toMatchObject([{ state: 'failed' }, {}, {}]);
  const second = await fleet.join('w2', []);
  await eventually(async () =>
    expect(second.pool.servers()).toMatchObject([{ state: 'ready' }, {}, {}]),
  );
  await eventually(() => expect(fleet.count('server_states')).toBe(6));
  await fleet.store.fleet.removeLeftovers();
  expect([fleet.count('server_states'), fleet.count('listed_tools')]).toEqual([3, 1]);
});

test('a worker that leaves removes its states', async () => {
  const fleet = await openFleet();
  const worker = await fleet.join('w1', [READ]);
  await connected(fleet.catalogue);
  await worker.member.close();
  expect(await fleet.store.fleet.states()).toEqual([]);
});

test('a worker whose states cannot be removed leaves all the same, and the log says why', async () => {
  const fleet = await openFleet();
  const worker = await fleet.join('w1', [READ]);
  fleet.store.fleet.removeStates = () => Promise.reject(new Error('the disk is full'));
  await worker.member.close();
  expect(fleet.log.join()).toContain('could not be removed');
});

test('tools are stored once for all workers with the same definitions', async () => {
  const fleet = await openFleet();
  await fleet.join('w1', [READ]);
  await fleet.join('w2', [READ]);
  await eventually(async () => {
    const states = await fleet.store.fleet.states();
    const files = states.filter(
      ({ status }) => status.name === 'files' && status.state === 'ready',
    );
    expect(files).toHaveLength(2);
    expect(new Set(files.map(({ toolsDigest }) => toolsDigest)).size).toBe(1);
  });
});

test('a worker that joins again under a new id stores its states again within two seconds', async () => {
  const fleet = await openFleet();
  const worker = await fleet.join('w1', [READ]);
  await connected(fleet.catalogue);
  await worker.joinAgain('w2');
  expect(await fleet.catalogue.servers()).toMatchObject([{ state: 'connecting' }, {}, {}]);
  for (let second = 0; second < 2; second++) {
    fleet.clock.advance(1000);
    await new Promise(setImmediate);
  }
  await connected(fleet.catalogue);
  expect((await fleet.catalogue.servers())[0]?.workers).toMatchObject([{ workerId: 'w2' }]);
});
