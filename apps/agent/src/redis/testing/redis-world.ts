import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import type { Logger } from '../../ports/logger.ts';
import { RedisChannels } from '../redis-channels.ts';
import { RedisLink } from '../redis-link.ts';
import { startRedis, type RedisServer } from './redis-server.ts';

export const quietLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A Redis with a connection of the test. */
export interface RedisWorld {
  readonly server: RedisServer;
  readonly admin: Redis;
  /** Resolves when Redis gets no more commands from others. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function openRedisWorld(): Promise<RedisWorld> {
  const server = await startRedis();
  const admin = new Redis(server.url);
  const commands = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);
  return {
    server,
    admin,
    async settle() {
      for (let last = await commands(), calm = 0; calm < 3;) {
        await sleep(2);
        const now = await commands();
        // The count contains the question.
        calm = now === last + 1 ? calm + 1 : 0;
        last = now;
      }
    },
    async close() {
      admin.disconnect();
      await server.stop();
    },
  };
}

/** Connects like a process of the service, until the end of the test. */
export async function connectProcess(
  url: string,
  prefix: string,
  logger: Logger = quietLogger,
): Promise<{ readonly link: RedisLink; readonly channels: RedisChannels }> {
  const link = await RedisLink.open({ settings: { url, prefix }, logger });
  const channels = new RedisChannels(link, `${prefix}:0`);
  await channels.open();
  onTestFinished(async () => {
    channels.close();
    await link.close();
  });
  return { link, channels };
}
