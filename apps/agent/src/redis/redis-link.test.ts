import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Logger } from '../ports/logger.ts';
import { RedisLink } from './redis-link.ts';
import { hasRedis, startRedis, type RedisServer } from './testing/redis-server.ts';
import { quietLogger } from './testing/redis-world.ts';
import { startTcpProxy } from './testing/tcp-proxy.ts';

const PASSWORD = 'correct-horse';

describe.skipIf(!hasRedis)('connection to Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ password: PASSWORD });
  });
  afterAll(() => server.stop());

  const open = async (url: string, logger: Logger = quietLogger): Promise<RedisLink> => {
    const link = await RedisLink.open({ settings: { url, prefix: 'test' }, logger });
    onTestFinished(() => link.close());
    return link;
  };

  test('a Redis that cannot be reached fails the start, and the error has no password', async () => {
    const proxy = await startTcpProxy(server.port);
    await proxy.close();
    const failed = open(`redis://ada:${PASSWORD}@127.0.0.1:${proxy.port}/2`);
    await expect(failed).rejects.toThrow(
      `REDIS_URL: Redis at 127.0.0.1:${proxy.port} cannot be used (connect ECONNREFUSED 127.0.0.1:${proxy.port}). Start it, correct REDIS_URL, or unset it to work without Redis.`,
    );
    await expect(failed).rejects.not.toThrow(PASSWORD);
  });

  test.each([
    ['a wrong password', ':guessed-wrong@', 'WRONGPASS'],
    ['no password', '', 'NOAUTH'],
  ])('%s fails the start, and the error has no password', async (_, login, reason) => {
    const error = await open(`redis://${login}127.0.0.1:${server.port}`).catch(
      (failure: unknown) => failure,
    );
    expect(String(error)).toContain(reason);
    expect(String(error)).not.toContain('guessed-wrong');
  });

  test('a connection that is lost and found again is logged once each, without the password', async () => {
    const proxy = await startTcpProxy(server.port);
    onTestFinished(() => proxy.close());
    const logged: string[] = [];
    const log = (message: string, fields?: object): void =>
      void logged.push(`${message} ${JSON.stringify(fields)}`);
    const url = `redis://:${PASSWORD}@127.0.0.1:${proxy.port}`;
    const link = await open(url, { ...quietLogger, info: log, warn: log });
    proxy.cut();
    await vi.waitFor(() => expect(link.isUp()).toBe(false));
    await expect(link.run((redis) => redis.ping())).rejects.toThrow(
      `Redis at 127.0.0.1:${proxy.port} does not answer`,
    );
    proxy.mend();
    await vi.waitFor(() => expect(link.isUp()).toBe(true), { timeout: 10_000 });
    expect(await link.run((redis) => redis.ping())).toBe('PONG');
    const fields = `{"redis":"127.0.0.1:${proxy.port}"}`;
    expect(logged).toEqual([
      `Redis does not answer; new jobs wait in the store until it does ${fields}`,
      `Redis answers again ${fields}`,
    ]);
  });

  test('a login that Redis refuses after the start is logged once, without the password', async () => {
    const proxy = await startTcpProxy(server.port);
    onTestFinished(() => proxy.close());
    const admin = await open(`redis://:${PASSWORD}@127.0.0.1:${server.port}`);
    const warn = vi.fn<Logger['warn']>();
    const url = `redis://:${PASSWORD}@127.0.0.1:${proxy.port}`;
    const link = await open(url, { ...quietLogger, warn });
    await admin.commands.config('SET', 'requirepass', 'changed');
    onTestFinished(() => void admin.commands.config('SET', 'requirepass', PASSWORD));
    proxy.cut();
    await vi.waitFor(() => expect(link.isUp()).toBe(false));
    proxy.mend();
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2), { timeout: 10_000 });
    expect(warn).toHaveBeenLastCalledWith('Redis refuses the connection', {
      redis: `127.0.0.1:${proxy.port}`,
      error: expect.stringMatching(/^WRONGPASS (?!.*correct-horse)/) as string,
    });
  });

  test.each([
    ['whose memory is full', 'OOM', ['config set maxmemory 1', 'config set maxmemory 0']],
    ['that became a replica', 'READONLY', ['replicaof 127.0.0.1 1', 'replicaof no one']],
  ])('a Redis %s is down until it writes again', async (_, code, [refuse = '', accept = '']) => {
    const own = await startRedis();
    onTestFinished(() => own.stop());
    const warn = vi.fn<Logger['warn']>();
    const link = await open(own.url, { ...quietLogger, warn });
    await own.command(refuse);
    await expect(link.write()).rejects.toThrow(code);
    expect(link.isUp()).toBe(false);
    await expect(link.run((redis) => redis.ping())).rejects.toThrow('does not answer');
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'Redis refuses to write; new jobs wait in the store until it writes',
      { redis: `127.0.0.1:${own.port}`, error: expect.stringContaining(code) as string },
    );
    await own.command(accept);
    await vi.waitFor(() => expect(link.isUp()).toBe(true), { timeout: 10_000 });
  });

  test('a Redis that stops answering with open connections is noticed, and found again', async () => {
    const link = await open(`redis://:${PASSWORD}@127.0.0.1:${server.port}`);
    process.kill(server.pid, 'SIGSTOP');
    try {
      await expect(link.run((redis) => redis.ping())).rejects.toThrow('Command timed out');
      expect(link.isUp()).toBe(false);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await vi.waitFor(() => expect(link.isUp()).toBe(true), { timeout: 10_000 });
  });

  test('a Redis that may delete jobs is warned about', async () => {
    const admin = await open(`redis://:${PASSWORD}@127.0.0.1:${server.port}`);
    await admin.commands.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const warn = vi.fn<Logger['warn']>();
    await open(`redis://:${PASSWORD}@127.0.0.1:${server.port}`, { ...quietLogger, warn });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'Redis may delete jobs when its memory is full; set its maxmemory-policy to noeviction',
      { redis: `127.0.0.1:${server.port}`, policy: 'allkeys-lru' },
    );
  });
});
