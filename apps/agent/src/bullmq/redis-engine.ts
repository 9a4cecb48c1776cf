import { Queue, Worker } from 'bullmq';
import type { RedisLink } from '../redis/redis-link.ts';
import type { BullmqEngine } from './engine.ts';

/** Factor between the score of a delayed job and its due time in milliseconds. */
const SCORES_PER_MS = 4096;

/** Keeps the queues in Redis, under keys that begin with `prefix`. */
export function redisEngine(link: RedisLink, prefix: string): BullmqEngine {
  let waiting: ReturnType<RedisLink['waitingConnection']> | undefined;
  return {
    createQueue: (lane, options) =>
      new Queue(lane, {
        ...options,
        connection: link.commands,
        prefix,
        skipVersionCheck: true,
        skipMetasUpdate: true,
      }),
    createWorker(lane, processor, options) {
      waiting ??= link.waitingConnection();
      return new Worker(lane, processor, {
        ...options,
        connection: waiting,
        prefix,
        skipVersionCheck: true,
      });
    },
    isUp: () => link.isUp(),
    run: (work) => link.run(work),
    ifUp: (work) => link.ifUp(work),
    textOf: ({ message }) => message,
    async dueAt(queue, jobId) {
      const score = await link.commands.zscore(queue.toKey('delayed'), jobId);
      return score === null ? undefined : Math.floor(Number(score) / SCORES_PER_MS);
    },
  };
}
