import { LocalError, ProtocolError, ResourceNotFoundError } from '@signalbox/mcp-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ServerFeatures } from '../ports/server-directory.ts';
import { sharedChecks } from '../schema/testing/shared-checks.ts';
import { createServerPool } from './server-pool.ts';
import { FakeServer } from './testing/fake-server.ts';
import { recordingLogger, serverConfig } from './testing/pool-fixture.ts';

const clock = {
  now: () => performance.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, Math.min(ms, 5));
    return () => clearTimeout(timer);
  },
};
const logger = recordingLogger();

async function featuresOf(fake: FakeServer): Promise<ServerFeatures> {
  const pool = createServerPool({
    servers: [serverConfig('fake')],
    clientInfo: { name: 'test', version: '1' },
    logger,
    clock,
    connect: fake.connect,
    schemas: sharedChecks,
  });
  onTestFinished(() => pool.close());
  pool.start();
  await vi.waitFor(() => expect(pool.servers()).toMatchObject([{ state: 'ready' }]));
  return pool.server('fake') as ServerFeatures;
}

describe('the features of a server', () => {
  test('come from its connection', async () => {
    const fake = new FakeServer();
    fake.features = { ...fake.features, listPrompts: () => Promise.resolve([{ name: 'p' }]) };
    expect(await (await featuresOf(fake)).prompts()).toEqual([{ name: 'p' }]);
  });

  test.each([
    [
      new ResourceNotFoundError('file:///none'),
      {
        name: 'ServerRefusedError',
        isNotFound: true,
        message: 'server fake has no resource file:///none',
      },
    ],
    [
      new ProtocolError(-32_603, 'broken'),
      {
        name: 'ServerRefusedError',
        isNotFound: false,
        message: 'server fake answered with error -32603: broken',
      },
    ],
    [
      new LocalError('connection-lost', 'gone', { sent: true }),
      { name: 'ServerUnavailableError', message: 'server fake: gone' },
    ],
    [
      new LocalError('request-timeout', 'nothing came', { sent: true }),
      { name: 'ServerRefusedError', isNotFound: false, message: 'server fake: nothing came' },
    ],
  ])('fail with the specific error: %s', async (failure, expected) => {
    const fake = new FakeServer();
    fake.features = { ...fake.features, readResource: () => Promise.reject(failure) };
    await expect((await featuresOf(fake)).readResource('file:///none')).rejects.toMatchObject(
      expected,
    );
  });

  test('are unavailable while the server is not ready', async () => {
    const fake = new FakeServer();
    const features = await featuresOf(fake);
    fake.launchPlan.push('hang');
    fake.crash();
    await vi.waitFor(() =>
      expect(features.prompts()).rejects.toMatchObject({ name: 'ServerUnavailableError' }),
    );
  });

  test('have input requests refused', async () => {
    const fake = new FakeServer();
    let refusal: unknown;
    fake.features = {
      ...fake.features,
      getPrompt: async (_name, _args, { meta } = {}) => {
        const request = { method: 'prompts/get', meta };
        refusal = await fake.options.handlers
          .elicit?.(
            { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } },
            { request } as never,
          )
          .catch((error: unknown) => error);
        return { messages: [] };
      },
    };
    await (await featuresOf(fake)).getPrompt('p', {});
    expect(refusal).toMatchObject({ message: 'Elicitation is not available to this call' });
  });

  test('changes are sent until the reader disconnects, also after a restart of the server', async () => {
    const fake = new FakeServer();
    const features = await featuresOf(fake);
    const leaving = new AbortController();
    const changes = features.changes([], leaving.signal)[Symbol.asyncIterator]();
    expect(await changes.next()).toMatchObject({ value: { kind: 'subscribed' } });
    fake.changeTools();
    expect(await changes.next()).toMatchObject({ value: { kind: 'tools' } });
    const missed = changes.next();
    fake.crash();
    expect(await missed).toMatchObject({ value: { kind: 'missed' } });
    expect(await changes.next()).toMatchObject({ value: { kind: 'subscribed' } });
    const last = changes.next();
    leaving.abort();
    expect(await last).toMatchObject({ done: true });
  });
});
