import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createBullmqJobQueue } from '../bullmq/bullmq-job-queue.ts';
import { redisEngine } from '../bullmq/redis-engine.ts';
import { RedisLink } from './redis-link.ts';
import { createRedisSignalBus } from './redis-signal-bus.ts';
import { TLS } from './testing/certificate.ts';
import { hasRedis, hasRedisTls, startRedis, type RedisServer } from './testing/redis-server.ts';
import { connectProcess, quietLogger } from './testing/redis-world.ts';

describe.skipIf(!hasRedis || !hasRedisTls())('with rediss://', () => {
  const trusted = getCACertificates('default');
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ tls: TLS, password: 'correct-horse' });
  });
  afterEach(() => setDefaultCACertificates(trusted));
  afterAll(() => server.stop());

  test('jobs and signals go over TLS to a Redis whose certificate is trusted', async () => {
    setDefaultCACertificates([...trusted, TLS.cert]);
    const { link, channels } = await connectProcess(server.url, 'tls');
    expect(server.url).toMatch(/^rediss:/);
    const queue = createBullmqJobQueue({
      engine: redisEngine(link, 'tls'),
      logger: quietLogger,
      onError: () => undefined,
    });
    onTestFinished(async () => {
      await queue.close();
    });
    const done = Promise.withResolvers<unknown>();
    queue.start(
      async (job) => {
        done.resolve(job);
        return 'done';
      },
      { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
    );
    await queue.enqueue({ type: 'advance-run', runId: 'a' });
    expect(await done.promise).toEqual({ type: 'advance-run', runId: 'a' });

    const bus = createRedisSignalBus(channels);
    const signals: unknown[] = [];
    bus.subscribe('cancels', (signal) => signals.push(signal));
    await vi.waitFor(() => {
      // A signal is lost while the subscription is being made.
      bus.publish({ type: 'cancel', runId: 'a' });
      expect(signals).toContainEqual({ type: 'cancel', runId: 'a' });
    });
  });

  test('a Redis whose certificate is not trusted fails the start, and the error has no password', async () => {
    const failed = RedisLink.open({
      settings: { url: server.url, prefix: 'tls' },
      logger: quietLogger,
    });
    await expect(failed).rejects.toThrow(
      `REDIS_URL: Redis at 127.0.0.1:${server.port} cannot be used (self-signed certificate`,
    );
    await expect(failed).rejects.not.toThrow('correct-horse');
  });
});
