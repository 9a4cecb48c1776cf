import { setImmediate as turn } from 'node:timers/promises';
import type { Tool } from '@signalbox/mcp-core';
import { ProtocolError, ResourceNotFoundError } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { FakeServer } from '../mcp/testing/fake-server.ts';
import type { ServerControl, ServerFeatures } from '../ports/server-directory.ts';
import { changed, connected, eventually } from './testing/catalogue-servers.ts';
import { FleetRequester } from './fleet-requester.ts';
import { openFleet, type Fleet, type Worker } from './testing/fleet.ts';

const READ: Tool = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } };

interface Two {
  readonly fleet: Fleet;
  readonly workers: readonly [Worker, Worker];
  readonly control: ServerControl;
  readonly features: ServerFeatures;
}

async function twoWorkers(features: Partial<FakeServer['features']> = {}): Promise<Two> {
  const fleet = await openFleet();
  const workers = [
    await fleet.join('w1', [READ], features),
    await fleet.join('w2', [READ], features),
  ] as const;
  for (const { pool } of workers)
    await eventually(() => expect(pool.servers()).toMatchObject([{ state: 'ready' }, {}, {}]));
  await connected(fleet.catalogue);
  const control = fleet.directory.control('files');
  const served = fleet.directory.server('files');
  if (control === undefined || served === undefined) throw new Error('files is not configured');
  return { fleet, workers, control, features: served };
}

const statesOf = (workers: readonly Worker[]): readonly (string | undefined)[] =>
  workers.map(({ pool }) => pool.servers()[0]?.state);

describe('a command of an API process', () => {
  test('to drain and to reconnect a server reaches every worker, and the state shows it', async () => {
    const { fleet, workers, control } = await twoWorkers();
    await control.drain('now');
    expect(statesOf(workers)).toEqual(['drained', 'drained']);
    expect(await fleet.catalogue.servers()).toMatchObject([{ state: 'drained' }, {}, {}]);
    await control.reconnect('now');
    await eventually(() => expect(statesOf(workers)).toEqual(['ready', 'ready']));
    expect(fleet.count('fleet_requests')).toBe(0);
  });

  test('to drain a server also holds for workers that start later, until it is reconnected', async () => {
    const { fleet, control } = await twoWorkers();
    await control.drain('now');
    const third = await fleet.join('w3', [READ]);
    await eventually(() =>
      expect(third.pool.servers()).toMatchObject([{}, { state: 'failed' }, {}]),
    );
    expect([statesOf([third]), third.files.launches]).toEqual([['drained'], 0]);
    await control.reconnect('now');
    const fourth = await fleet.join('w4', [READ]);
    await eventually(() => expect(statesOf([third, fourth])).toEqual(['ready', 'ready']));
  });

  test('to set roots reaches every worker and those that start later', async () => {
    const { fleet, workers, control } = await twoWorkers();
    await control.setRoots(['/data']);
    const third = await fleet.join('w3', [READ]);
    for (const { pool } of [...workers, third])
      expect(pool.servers()).toMatchObject([{ roots: ['/data'] }, {}, {}]);
    expect(await fleet.catalogue.servers()).toMatchObject([{ roots: ['/data'] }, {}, {}]);
  });

  test('to drain a server, to set roots or to approve a tool also holds for a worker that had lost its lease and joins again', async () => {
    const { fleet, workers, control } = await twoWorkers();
    const [, absent] = workers;
    const definition = { ...READ, description: 'Reads and sends.' };
    for (const worker of workers) worker.offer([definition]);
    for (const { pool } of workers)
      await eventually(() => expect(pool.isQuarantined('files__read')).toBe(true));
    await fleet.end('w2');
    await control.approveTools('all');
    await control.setRoots(['/data']);
    await absent.joinAgain('w3');
    fleet.clock.advance(1000);
    await eventually(() =>
      expect([absent.pool.isQuarantined('files__read'), absent.pool.servers()]).toMatchObject([
        false,
        [{ roots: ['/data'] }, {}, {}],
      ]),
    );
    await fleet.end('w3');
    await control.drain('now');
    await absent.joinAgain('w4');
    fleet.clock.advance(1000);
    await eventually(() => expect(statesOf(workers)).toEqual(['drained', 'drained']));
    await fleet.end('w4');
    await control.reconnect('now');
    await absent.joinAgain('w5');
    fleet.clock.advance(1000);
    await eventually(() => expect(statesOf(workers)).toEqual(['ready', 'ready']));
  });

  test('to approve a changed tool counts on every worker', async () => {
    const { fleet, workers, control } = await twoWorkers();
    const definition = { ...READ, description: 'Reads and sends.' };
    for (const worker of workers) worker.offer([definition]);
    await changed(fleet.catalogue);
    for (const { pool } of workers)
      await eventually(() => expect(pool.isQuarantined('files__read')).toBe(true));
    const [pin] = await control.pins();
    expect(pin?.quarantined).toMatchObject({ changed: ['description'] });
    await expect(control.approve('read', '0'.repeat(64))).rejects.toMatchObject({
      name: 'DefinitionChangedError',
    });
    expect(await control.approve('none')).toBe(false);
    expect(await control.approveTools('all')).toEqual(['read']);
    expect(workers.map(({ pool }) => pool.isQuarantined('files__read'))).toEqual([false, false]);
    expect(await fleet.catalogue.find('files__read')).toMatchObject({
      description: 'Reads and sends.',
    });
  });
});

describe('a feature that an API process requests', () => {
  test('is served by one worker, whose answer is removed when it was read', async () => {
    let reads = 0;
    const { fleet, features } = await twoWorkers({
      readResource: (uri) => {
        reads += 1;
        return Promise.resolve([{ uri, text: 'content' }]);
      },
    });
    expect(await features.readResource('file:///a')).toEqual([
      { uri: 'file:///a', text: 'content' },
    ]);
    expect([reads, fleet.count('fleet_requests')]).toEqual([1, 0]);
  });

  test('fails with the error of the server', async () => {
    const { features } = await twoWorkers({
      readResource: (uri) => Promise.reject(new ResourceNotFoundError(uri)),
      listPrompts: () => Promise.reject(new ProtocolError(-32_603, 'broken')),
    });
    await expect(features.readResource('file:///none')).rejects.toMatchObject({
      name: 'ServerRefusedError',
      isNotFound: true,
      message: 'server files has no resource file:///none',
    });
    await expect(features.prompts()).rejects.toMatchObject({
      name: 'ServerRefusedError',
      isNotFound: false,
      message: 'server files answered with error -32603: broken',
    });
  });

  test('of a server that failed is refused with its failure', async () => {
    const { fleet } = await twoWorkers();
    await expect(fleet.directory.server('broken')?.prompts()).rejects.toThrow(
      /^server broken is failed: .*no such program/,
    );
  });

  test('is refused when its worker ends before it answers', async () => {
    const asked = Promise.withResolvers<void>();
    const { fleet, features } = await twoWorkers({
      listPrompts: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const listed = features.prompts();
    await asked.promise;
    await fleet.end('w1');
    fleet.clock.advance(1000);
    await expect(listed).rejects.toMatchObject({
      name: 'ServerUnavailableError',
      message: 'the worker w1 ended before it answered for server files; try again',
    });
  });

  test('is found by a worker that lost the signal', async () => {
    const { fleet } = await twoWorkers({ listPrompts: () => Promise.resolve([{ name: 'p' }]) });
    // The workers may still look because of the start of their servers.
    await turn();
    const id = 'request-1';
    const request = { id, workerId: 'w2', server: 'files', command: { kind: 'prompts' } } as const;
    await fleet.store.fleet.addRequests([request], 60_000);
    await turn();
    expect(await fleet.store.fleet.answerTo(id)).toBeUndefined();
    fleet.clock.advance(1000);
    await eventually(async () =>
      expect(await fleet.store.fleet.answerTo(id)).toEqual({
        type: 'result',
        result: { value: [{ name: 'p' }] },
      }),
    );
  });

  test('is answered even when its answer cannot be removed afterwards', async () => {
    const { fleet } = await twoWorkers({ listPrompts: () => Promise.resolve([{ name: 'p' }]) });
    const requester = new FleetRequester({
      ...fleet,
      fleet: {
        ...fleet.store.fleet,
        removeRequests: () => Promise.reject(new Error('the disk is full')),
      },
    });
    expect(await requester.one('w1', 'files', { kind: 'prompts' })).toEqual({
      value: [{ name: 'p' }],
    });
  });

  test('cannot be the log of a server', async () => {
    const { control } = await twoWorkers();
    await expect(control.log()).rejects.toThrow(/is kept by the workers.*--role all/);
  });

  test('cannot be a stream of changes', async () => {
    const { features } = await twoWorkers();
    expect(() => features.changes([], new AbortController().signal)).toThrow(
      /cannot be streamed by this process.*--role all/,
    );
  });
});

test('without a worker commands and features say how to start one, and change no setting', async () => {
  const fleet = await openFleet();
  const reason = /no worker process is running.*signalbox serve --role worker/;
  const control = fleet.directory.control('files');
  await expect(control?.drain('now')).rejects.toThrow(reason);
  await expect(control?.setRoots(['/data'])).rejects.toThrow(reason);
  await expect(control?.approve('read')).rejects.toThrow(reason);
  await expect(fleet.directory.server('files')?.resources()).rejects.toThrow(reason);
  expect(await fleet.store.fleet.settings()).toEqual([]);
  expect(fleet.directory.server('nowhere')).toBeUndefined();
});
