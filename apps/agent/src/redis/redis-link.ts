import { Redis, type RedisOptions } from 'ioredis';
import { ConfigError, type RedisSettings } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import { messageOf } from '../text/error-text.ts';

/** Time for a connection and for the answer to a command, in milliseconds. */
const CONNECT_MS = 5000;
const COMMAND_MS = 2000;

/** Longest delay between two attempts to connect again, in milliseconds. */
const LONGEST_RETRY_MS = 1000;

/** Oldest version of Redis that BullMQ supports. */
const OLDEST_VERSION = [6, 2] as const;

/** Errors of a Redis that answers, and refuses to write: its memory is full, or it is a replica. */
const REFUSES_WRITES = /^(?:OOM|READONLY|MISCONF|NOREPLICAS) /;

/** Expiry of the key that is written to learn whether Redis writes, in milliseconds. */
const PROBE_EXPIRY_MS = 1000;

type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

export interface RedisLinkOptions {
  readonly settings: RedisSettings;
  readonly logger: Logger;
}

/**
 * Connections of this process to one Redis. While Redis does not answer, commands fail at once and
 * the connections are made again in the background.
 */
export class RedisLink {
  /** Host and port, for messages. */
  readonly address: string;
  readonly #options: RedisLinkOptions;
  readonly #connections: Redis[] = [];
  readonly #commands: Redis;
  #isStarted = false;
  #isUp = false;
  #isClosed = false;
  /** Whether the last outage was a refusal to write, which a new connection does not end. */
  #isRefusing = false;
  /** Whether the reason of the outage was logged. */
  #isExplained = false;
  #probe: NodeJS.Timeout | undefined;
  #lastError: unknown;

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    const { hostname, port } = new URL(options.settings.url);
    this.address = `${hostname}:${port === '' ? '6379' : port}`;
    this.#commands = this.#connect({
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_MS,
    });
    this.#commands.on('close', () => this.#setUp(false));
    this.#commands.on('ready', () => {
      if (!this.#isRefusing) this.#setUp(true);
    });
  }

  /** @throws ConfigError when Redis cannot be used; the message does not contain the password */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    try {
      await link.#commands.connect();
      await link.#check();
      link.#isStarted = true;
      return link;
    } catch (error) {
      await link.close();
      if (error instanceof ConfigError) throw error;
      throw new ConfigError(
        `REDIS_URL: Redis at ${link.address} cannot be used (${messageOf(link.#lastError ?? error)}). Start it, correct REDIS_URL, or unset it to work without Redis.`,
        { cause: error },
      );
    }
  }

  /** Whether Redis answered the last command, and did not refuse to write. */
  isUp(): boolean {
    return this.#isUp && !this.#isClosed;
  }

  /** Connection for commands, which fail at once while Redis does not answer. */
  get commands(): Redis {
    return this.#commands;
  }

  /** Creates a connection whose commands wait until Redis answers. */
  waitingConnection(options: ConnectionOptions = {}): Redis {
    return this.#connect({ maxRetriesPerRequest: null, ...options });
  }

  /** Runs commands. Rejects at once while Redis does not answer; a failed connection is noticed. */
  async run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    if (!this.isUp()) throw new Error(`Redis at ${this.address} does not answer`);
    try {
      return await work(this.#commands);
    } catch (error) {
      if (isTimeout(error)) this.#setUp(false);
      throw error;
    }
  }

  /** Writes a key that expires. Rejects while Redis does not answer or refuses to write. */
  async write(): Promise<void> {
    await this.#commands.set(`${this.#options.settings.prefix}:probe`, '1', 'PX', PROBE_EXPIRY_MS);
  }

  /** Runs commands, which are lost while Redis does not answer. Rejects for other errors. */
  async ifUp(work: (redis: Redis) => Promise<void>): Promise<void> {
    if (!this.isUp()) return;
    try {
      await this.run(work);
    } catch (error) {
      if (this.isUp()) throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#probe);
    for (const connection of this.#connections) connection.disconnect();
  }

  #connect(options: ConnectionOptions): Redis {
    const redis = new Redis(this.#options.settings.url, {
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      connectionName: 'signalbox',
      retryStrategy: (attempt) =>
        this.#isStarted && !this.#isClosed
          ? Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_RETRY_MS)
          : null,
      // Called with every error in a reply. After a failover a new connection leads to the primary.
      reconnectOnError: (error) => {
        if (REFUSES_WRITES.test(error.message)) this.#setUp(false, error);
        return error.message.startsWith('READONLY ');
      },
      ...options,
    });
    // Every failure also closes the connection, and that is logged once.
    redis.on('error', (error) => {
      this.#lastError = error;
      if (error.name === 'ReplyError') this.#explain(error);
    });
    this.#connections.push(redis);
    return redis;
  }

  async #check(): Promise<void> {
    const info = await this.#commands.info();
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? '0';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [oldestMajor, oldestMinor] = OLDEST_VERSION;
    if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
      throw new ConfigError(
        `REDIS_URL: Redis at ${this.address} has version ${version}; version ${OLDEST_VERSION.join('.')} or newer is needed`,
      );
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
    if (policy !== 'noeviction')
      this.#options.logger.warn(
        'Redis may delete jobs when its memory is full; set its maxmemory-policy to noeviction',
        { redis: this.address, policy },
      );
  }

  /** Logs why Redis refuses new connections, once for each outage. */
  #explain(error: Error): void {
    if (!this.#isStarted || this.#isClosed || this.#isUp || this.#isExplained) return;
    this.#isExplained = true;
    this.#options.logger.warn('Redis refuses the connection', {
      redis: this.address,
      error: error.message,
    });
  }

  /** `refusal`: the error of a Redis that answers, and refuses to write. */
  #setUp(isUp: boolean, refusal?: Error): void {
    if (refusal !== undefined) this.#isRefusing = true;
    if (this.#isClosed || this.#isUp === isUp) return;
    this.#isUp = isUp;
    this.#isExplained = refusal !== undefined;
    if (isUp) this.#isRefusing = false;
    if (!this.#isStarted) return;
    const { logger } = this.#options;
    const redis = this.address;
    if (isUp) {
      logger.info('Redis answers again', { redis });
      return;
    }
    if (refusal === undefined)
      logger.warn('Redis does not answer; new jobs wait in the store until it does', { redis });
    else
      logger.warn('Redis refuses to write; new jobs wait in the store until it writes', {
        redis,
        error: refusal.message,
      });
    this.#probeAgain();
  }

  /** Looks for a Redis that kept the connection, and stopped answering or refused to write. */
  #probeAgain(): void {
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => {
      this.write().then(
        () => this.#setUp(true),
        () => {
          if (!this.#isUp && !this.#isClosed) this.#probeAgain();
        },
      );
    }, LONGEST_RETRY_MS);
    this.#probe.unref();
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}
