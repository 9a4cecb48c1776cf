import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { RedisLink } from './redis-link.ts';

/** Milliseconds between two checks. */
export const CHECK_EVERY_MS = 5000;

/** Milliseconds after which a process that does not check any more is forgotten. */
const FORGET_AFTER_MS = 12_000;

/**
 * Number of consecutive checks in which a process must be foreign. Together they take longer than a
 * process that ended is remembered.
 */
const CHECKS = 4;

export interface ForeignProcessesOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  readonly store: { readonly workerId: string; readonly read: Pick<Store['read'], 'workers'> };
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Warns once about processes that use the same keys of Redis with another database. They take jobs
 * of this service, which they cannot do. Returns the function that ends the checks.
 */
export function watchForeignProcesses(options: ForeignProcessesOptions): () => void {
  const { clock, logger, link } = options;
  let counts: ReadonlyMap<string, number> = new Map();
  let cancel: () => void = () => undefined;
  let isClosed = false;
  const check = async (): Promise<void> => {
    const foreign = await foreignProcesses(options);
    counts = new Map(foreign.map((id) => [id, (counts.get(id) ?? 0) + 1]));
    if (![...counts.values()].some((count) => count >= CHECKS)) return;
    close();
    logger.warn(
      'another service with another database uses the same Redis and prefix; the services take jobs of each other, which delays runs. Set SIGNALBOX_REDIS_PREFIX to a different value for each service',
      { redis: link.address, prefix: options.prefix, foreign_processes: foreign.length },
    );
  };
  const next = (): void => {
    if (isClosed) return;
    // Without Redis or the database nothing can be compared.
    void check()
      .catch(() => undefined)
      .finally(() => {
        if (!isClosed) cancel = clock.after(CHECK_EVERY_MS, next);
      });
  };
  const close = (): void => {
    isClosed = true;
    cancel();
  };
  next();
  return close;
}

/** Notes this process in Redis, and returns the ids of processes there that the database does not have. */
async function foreignProcesses({
  link,
  prefix,
  store,
}: ForeignProcessesOptions): Promise<readonly string[]> {
  // Without the database this process is not noted, because others may have ended it meanwhile.
  const own = new Set((await store.read.workers()).map(({ id }) => id));
  const key = `${prefix}:processes`;
  const noted = await link.run(async (redis) => {
    const [seconds] = await redis.time();
    const now = Number(seconds) * 1000;
    await redis
      .multi()
      .zadd(key, now, store.workerId)
      .zremrangebyscore(key, '-inf', String(now - FORGET_AFTER_MS))
      .pexpire(key, FORGET_AFTER_MS)
      .exec();
    return redis.zrange(key, '0', '-1');
  });
  return noted.filter((id) => id !== store.workerId && !own.has(id));
}
