import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * Changes a gate in one step. KEYS: the gate, its slots. ARGV: operation, time in milliseconds or ''
 * for that of Redis, width, channel, then the arguments of the operation.
 *
 * A slot has an expiry, so that those of a process that has ended become free.
 */
const SCRIPT = `
local gate, slots = KEYS[1], KEYS[2]
local operation, width, channel = ARGV[1], tonumber(ARGV[3]), ARGV[4]
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function number(field)
  return tonumber(redis.call('HGET', gate, field) or '')
end
local function coolDown(waitMs)
  redis.call('HSET', gate, 'width', 1, 'openAt', string.format('%.0f', math.max(number('openAt') or 0, now + waitMs)))
end
local function hold(first, leaseMs)
  for index = first, #ARGV do
    redis.call('ZADD', slots, now + leaseMs, ARGV[index])
  end
  redis.call('PEXPIRE', slots, ${60 * 60 * 1000})
end
local reply = { 0, 0, '', 0 }
if operation == 'enter' then
  local leaseMs, wanted = tonumber(ARGV[5]), #ARGV - 5
  redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
  local openAt = number('openAt') or 0
  local refusedUntil = number('refusedUntil') or 0
  if now < refusedUntil then
    return { 0, openAt - now, redis.call('HGET', gate, 'error'), number('askedUntil') - now }
  end
  if now < openAt then return { 0, openAt - now, '', 0 } end
  local free = math.min(width, number('width') or width) - redis.call('ZCARD', slots)
  local admitted = math.max(0, math.min(free, wanted))
  for index = 6, 5 + admitted do
    redis.call('ZADD', slots, now + leaseMs, ARGV[index])
  end
  redis.call('PEXPIRE', slots, ${60 * 60 * 1000})
  reply[1] = admitted
elseif operation == 'keep' then
  hold(6, tonumber(ARGV[5]))
elseif operation == 'release' then
  local isFull = redis.call('ZCARD', slots) >= math.min(width, number('width') or width)
  for index = 5, #ARGV do redis.call('ZREM', slots, ARGV[index]) end
  if isFull then redis.call('PUBLISH', channel, 'open') end
elseif operation == 'widen' then
  redis.call('HDEL', gate, 'refusedUntil', 'askedUntil', 'error')
  local before = number('width')
  if before then
    if before * 2 >= width then redis.call('HDEL', gate, 'width')
    else redis.call('HSET', gate, 'width', before * 2) end
    redis.call('PUBLISH', channel, 'open')
  end
elseif operation == 'coolDown' then
  coolDown(tonumber(ARGV[5]))
elseif operation == 'refuse' then
  local waitMs, askedMs = tonumber(ARGV[5]), tonumber(ARGV[6])
  redis.call('HSET', gate, 'refusedUntil', string.format('%.0f', now + waitMs),
    'askedUntil', string.format('%.0f', now + askedMs), 'error', ARGV[7])
  coolDown(waitMs)
end
redis.call('PEXPIRE', gate, ${24 * 60 * 60 * 1000})
return reply
`;

const DIGEST = createHash('sha1').update(SCRIPT).digest('hex');

export interface GateCommand {
  /** Key of the gate. */
  readonly key: string;
  readonly operation: 'enter' | 'keep' | 'release' | 'widen' | 'coolDown' | 'refuse';
  /** Time in milliseconds. Undefined: that of Redis. */
  readonly now: number | undefined;
  /** Maximum of concurrent requests without a response yet. */
  readonly width: number;
  /** Channel for the processes whose requests wait. */
  readonly channel: string;
  readonly rest?: readonly (string | number)[];
}

export interface GateReply {
  /** Number of admitted requests. */
  readonly admitted: number;
  /** Milliseconds for which no request is admitted. */
  readonly waitMs: number;
  /** Set while requests are refused. `askedMs`: rest of the delay that the provider requested. */
  readonly refusal: { readonly error: string; readonly askedMs: number } | undefined;
}

/** Runs the script, which Redis keeps until it ends. */
export async function changeGate(
  redis: Redis,
  { key, operation, now, width, channel, rest = [] }: GateCommand,
): Promise<GateReply> {
  const keysAndArguments = [2, key, `${key}:slots`, operation, now ?? '', width, channel, ...rest];
  const reply = await redis
    .call('EVALSHA', [DIGEST, ...keysAndArguments])
    .catch((error: unknown) => {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return redis.call('EVAL', [SCRIPT, ...keysAndArguments]);
    });
  const [admitted, waitMs, error, askedMs] = reply as [number, number, string, number];
  return {
    admitted,
    waitMs: Math.max(0, waitMs),
    refusal: error === '' ? undefined : { error, askedMs },
  };
}
