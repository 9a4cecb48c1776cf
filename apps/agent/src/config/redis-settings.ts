import { isLoopback } from '@signalbox/mcp-core';
import { ConfigError, type RedisSettings } from './config.ts';

interface Environment {
  readonly [name: string]: string | undefined;
}

const DEFAULT_PREFIX = 'signalbox';

/**
 * Reads `REDIS_URL` and `SIGNALBOX_REDIS_PREFIX`. Errors and notices do not contain the address,
 * whose password is a secret.
 * @throws ConfigError
 */
export function redisSettings(env: Environment): {
  readonly redis?: RedisSettings;
  readonly notices: readonly string[];
} {
  const url = env['REDIS_URL'];
  if (url === undefined) return { notices: [] };
  const prefix = env['SIGNALBOX_REDIS_PREFIX'] ?? DEFAULT_PREFIX;
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(prefix))
    throw new ConfigError(
      'SIGNALBOX_REDIS_PREFIX: must be 1 to 64 letters, digits, "_", "." and "-"',
    );
  const { protocol, hostname } = parsed(url);
  const isOpen = protocol === 'redis:' && !isLoopback(hostname);
  return {
    redis: { url, prefix },
    notices: isOpen
      ? ['REDIS_URL: the connection is not encrypted; use rediss:// outside of a private network']
      : [],
  };
}

/** Reads `SIGNALBOX_QUEUE`. @throws ConfigError */
export function queueSetting(env: Environment): 'bullmq-postgres' | undefined {
  const queue = env['SIGNALBOX_QUEUE'];
  if (queue === undefined) return undefined;
  if (queue !== 'bullmq-postgres')
    throw new ConfigError(
      'SIGNALBOX_QUEUE: must be bullmq-postgres, or unset; with REDIS_URL the queue is in Redis',
    );
  if (env['DATABASE_URL'] === undefined)
    throw new ConfigError('SIGNALBOX_QUEUE: bullmq-postgres needs DATABASE_URL');
  return queue;
}

function parsed(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (
    address === undefined ||
    !['redis:', 'rediss:'].includes(address.protocol) ||
    address.hostname === '' ||
    !/^\/?(?:\d{1,5})?$/.test(address.pathname)
  )
    throw new ConfigError(
      'REDIS_URL: must be redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS; DATABASE is a number',
    );
  return address;
}
